// SPDX-License-Identifier: Apache-2.0
// mu_descriptor_buffer: the fetched descriptors of one class, from the fetch command to the engine.
//
//   allocate (at the fetch command) ---> [ DEPTH entries in order ] ---> out (valid/ready/data)
//   beats (two a descriptor) ----------->          ^--- kill (queue): its entries are dropped unseen
//
// Behaviour: an entry is allocated with its place in the queue before its fetch is sent; room_o says that one
//   is free. Its two beats fill it, in the order of allocation. Entries leave in that order; one that was
//   killed leaves unseen as soon as it is filled. An entry with serial set is shown only once every earlier
//   descriptor of its queue has been retired: head_i, the head of queue head_queue_o, has equalled its index
//   in the cycle before. holds_o says that an entry of queue holds_queue_i is inside, killed or not.
// Latency: the entry is valid the cycle after its last beat; one descriptor a cycle, with serial set one in
//   two.
// Limits: DEPTH a power of two, QUEUES up to 256. Beats have no ready: whoever fetches has allocated. The
//   memory's error comes with the last beat and travels in the entry. A head that equals the index of an
//   entry stays until that entry leaves or is killed.
`default_nettype none

module mu_descriptor_buffer #(
    parameter  int unsigned DEPTH       = 4,
    parameter  int unsigned QUEUES      = 32,
    localparam int unsigned QUEUE_WIDTH = $clog2(QUEUES)
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    output logic                        busy_o,
    output logic                        active_o,  // an edge changes something, though nothing comes in
    // fetch command
    input  logic                        allocate_i,
    output logic                        room_o,
    input  logic [QUEUE_WIDTH-1:0]      queue_i,
    input  logic [31:0]                 index_i,
    input  logic [31:0]                 lap_i,
    input  logic [3:0]                  owner_i,
    input  logic [2:0]                  mode_i,
    input  logic                        serial_i,
    // memory port
    input  logic                        beat_valid_i,
    input  mu_pkg::memory_word_t        beat_data_i,
    input  logic                        beat_last_i,
    input  logic                        beat_error_i,
    // queue table
    input  logic                        kill_i,
    input  logic [QUEUE_WIDTH-1:0]      kill_queue_i,
    input  logic [QUEUE_WIDTH-1:0]      holds_queue_i,
    output logic                        holds_o,
    output logic [QUEUE_WIDTH-1:0]      head_queue_o,
    input  logic [31:0]                 head_i,
    // injection engine
    output logic                        out_valid_o,
    input  logic                        out_ready_i,
    output mu_pkg::fetched_descriptor_t out_data_o
);
  localparam int unsigned SLOT_WIDTH = $clog2(DEPTH);
  if (DEPTH < 2 || DEPTH != 2 ** SLOT_WIDTH) $error("mu_descriptor_buffer: DEPTH must be a power of two");

  logic [mu_pkg::FETCH_ORIGIN_BITS-1:0] origin_mem[DEPTH];
  logic [QUEUE_WIDTH-1:0]               queue_mem      [DEPTH];
  logic [mu_pkg::MEMORY_BITS-1:0]       low_mem         [DEPTH];
  logic [mu_pkg::MEMORY_BITS-1:0]       high_mem        [DEPTH];
  logic [DEPTH-1:0]                     error_q;
  logic [DEPTH-1:0]                     stale_q;
  logic [SLOT_WIDTH:0]                  allocate_q;
  logic [SLOT_WIDTH:0]                  fill_q;
  logic [SLOT_WIDTH:0]                  out_q;
  logic                                 second_q;  // the next beat is the second half
  logic [SLOT_WIDTH-1:0]                slot;
  mu_pkg::fetch_origin_t                origin;
  logic                                 filled;
  logic                                 dropped;
  logic                                 leaves;
  logic                                 due;     // of an entry with serial set: its turn has come
  logic                                 due_q;   // for a cycle at least
  logic [SLOT_WIDTH-1:0]                behind;  // of an entry: slots behind the one that leaves next

  assign slot         = out_q[SLOT_WIDTH-1:0];
  assign origin       = origin_mem[slot];
  assign filled       = fill_q != out_q;
  assign dropped      = filled && stale_q[slot];
  assign busy_o       = allocate_q != out_q;
  assign active_o     = leaves || due != due_q;
  assign room_o       = allocate_q - out_q != (SLOT_WIDTH + 1)'(DEPTH);
  assign head_queue_o = queue_mem[slot];
  assign out_valid_o  = filled && !stale_q[slot] && (!origin.serial || due_q);
  assign due          = filled && origin.serial && head_i == origin.index;
  assign leaves       = dropped || (out_valid_o && out_ready_i);
  always_comb begin
    out_data_o            = '0;
    out_data_o.descriptor = {high_mem[slot], low_mem[slot]};
    out_data_o.queue      = 8'(queue_mem[slot]);
    out_data_o.index      = origin.index;
    out_data_o.owner      = origin.owner;
    out_data_o.mode       = origin.mode;
    out_data_o.error      = error_q[slot];
    out_data_o.lap        = origin.lap;
  end

  always_comb begin
    holds_o = 1'b0;
    behind  = '0;
    if (busy_o) begin
      for (int unsigned i = 0; i < DEPTH; i++) begin
        // An entry is inside if it lies less than the level behind the one that leaves next.
        behind = SLOT_WIDTH'(i) - slot;
        if ({1'b0, behind} < allocate_q - out_q && queue_mem[i] == holds_queue_i) holds_o = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      allocate_q <= '0;
      fill_q     <= '0;
      out_q      <= '0;
      second_q   <= 1'b0;
      stale_q    <= '0;
      due_q      <= 1'b0;
    end else begin
      due_q <= due && !leaves;
      if (allocate_i) allocate_q <= allocate_q + 1'b1;
      if (beat_valid_i) second_q <= !beat_last_i;
      if (beat_valid_i && beat_last_i) fill_q <= fill_q + 1'b1;
      if (leaves) out_q <= out_q + 1'b1;
      for (int unsigned i = 0; i < DEPTH; i++) begin
        if (allocate_i && allocate_q[SLOT_WIDTH-1:0] == SLOT_WIDTH'(i)) stale_q[i] <= 1'b0;
        else if (kill_i && queue_mem[i] == kill_queue_i) stale_q[i] <= 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (allocate_i) begin
      origin_mem[allocate_q[SLOT_WIDTH-1:0]] <= {lap_i, serial_i, mode_i, owner_i, index_i};
      queue_mem[allocate_q[SLOT_WIDTH-1:0]] <= queue_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (beat_valid_i) begin
      if (second_q) begin
        high_mem[fill_q[SLOT_WIDTH-1:0]] <= beat_data_i;
        for (int unsigned i = 0; i < DEPTH; i++)
          if (fill_q[SLOT_WIDTH-1:0] == SLOT_WIDTH'(i)) error_q[i] <= beat_error_i;
      end else low_mem[fill_q[SLOT_WIDTH-1:0]] <= beat_data_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      allocates_only_with_room : assert (!allocate_i || room_o);
      beats_only_for_an_entry : assert (!beat_valid_i || fill_q != allocate_q);
      two_beats_a_descriptor : assert (!beat_valid_i || beat_last_i == second_q);
      fill_between : assert (fill_q - out_q <= allocate_q - out_q);
      due_until_it_leaves : assert (!due_q || due || stale_q[slot]);
      no_kill_of_what_is_allocated : assert (!(allocate_i && kill_i));
    end
  end
endmodule
`default_nettype wire

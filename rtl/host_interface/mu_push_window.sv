// SPDX-License-Identifier: Apache-2.0
// mu_push_window: takes a descriptor in eight words from a client page and inserts it into a queue.
//
//   register bus ---> [ registers ] ---> [ staging, 8 words a client ] ---> push_write_* (command, 2 beats)
//                          |---> push_reserve_* ---> queue engine ---> push_slots_*      |
//                          ^------------------------ push_done_* <---------- memory <----+
//
// Behaviour: the last word of a window reserves a slot; its write is answered with the outcome. A reserved
//   slot is written once, at base + 64 * position, with the eight words as they stood when the last was
//   accepted; the action PUSH publishes it. One push is in flight at a time: another last word waits for
//   push_done_valid_i, and words wait while the beats are being handed over.
// Latency: last word to push_reserve_valid_o 1 cycle; slots to push_write_command_valid_o 1; the beats
//   follow.
// Limits: the queue engine and the memory port answer within a bound; then so do all register accesses.
// two-readers: hold:register_request_i[83:70]=12 hold:register_request_i[87:86]=0
// two-readers: hold:register_request_i[90:88]=7 hold:push_slots_i[103:97]=0 seen=1
`default_nettype none

module mu_push_window (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    output logic                       busy_o,
    // register bus
    input  logic                       register_valid_i,
    input  mu_pkg::register_request_t  register_request_i,
    output logic                       register_done_o,
    output mu_pkg::register_response_t register_response_o,
    // queue engine
    output logic                       push_reserve_valid_o,
    input  logic                       push_reserve_ready_i,
    output logic [7:0]                 push_reserve_queue_o,
    output logic [3:0]                 push_reserve_client_o,
    input  logic                       push_slots_valid_i,
    input  mu_pkg::ring_slots_t        push_slots_i,
    // memory port
    output logic                       push_write_command_valid_o,
    input  logic                       push_write_command_ready_i,
    output mu_pkg::write_command_t     push_write_command_data_o,
    output logic                       push_write_beat_valid_o,
    input  logic                       push_write_beat_ready_i,
    output mu_pkg::memory_word_t       push_write_beat_data_o,
    // completion
    input  logic                       push_done_valid_i,
    input  logic [3:0]                 push_done_client_i,
    input  logic                       push_done_error_i
);
  localparam int unsigned CLIENTS     = mu_pkg::CLIENTS;
  localparam int unsigned BEATS       = 2 * CLIENTS;
  localparam int unsigned INDEX_WIDTH = $clog2(BEATS);
  localparam int unsigned CLIENT_BITS = $clog2(CLIENTS);

  typedef enum logic [2:0] {
    IDLE,     // no push, or the last one is on its way through the memory
    RESERVE,  // asks the queue engine for a slot
    SLOTS,    // waits for it
    COMMAND,  // hands the command to the memory port
    BEAT_0,   // and the first half of the descriptor
    BEAT_1    // and the second
  } state_e;

  state_e                 state_q;
  logic                   open_q;  // from an accepted reservation until its write is done
  logic [7:0]             queue_q;
  logic [CLIENT_BITS-1:0] client_q;  // registers insert for clients that exist alone
  mu_pkg::address_t       address_q;
  logic                   insert_valid;
  logic [7:0]             insert_queue;
  logic                   insert_done;
  logic                   registers_busy;
  logic                   word_write;
  logic [2:0]             word_number;
  logic                   sending;
  logic                   unused_bits;

  assign unused_bits = ^push_slots_i.size;

  // --- registers ---------------------------------------------------------------------------------
  assign insert_done = push_slots_valid_i;
  assign sending     = state_q == COMMAND || state_q == BEAT_0 || state_q == BEAT_1;

  mu_push_registers u_registers (
      .clk_i,
      .rst_ni,
      .busy_o         (registers_busy),
      .register_valid_i,
      .register_request_i,
      .register_done_o,
      .register_response_o,
      .word_write_o   (word_write),
      .word_number_o  (word_number),
      .stall_words_i  (sending),
      .insert_valid_o (insert_valid),
      .insert_queue_o (insert_queue),
      .insert_done_i  (insert_done),
      .insert_status_i(push_slots_i.status),
      .open_i         (open_q),
      .stored_valid_i (push_done_valid_i),
      .stored_client_i(push_done_client_i),
      .stored_error_i (push_done_error_i)
  );

  // --- control -----------------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= IDLE;
      open_q  <= 1'b0;
    end else if (state_q != IDLE || insert_valid || push_done_valid_i) begin
      unique case (state_q)
        IDLE:    if (insert_valid) state_q <= RESERVE;
        RESERVE: if (push_reserve_ready_i) state_q <= SLOTS;
        SLOTS:
        if (push_slots_valid_i) state_q <= push_slots_i.status == mu_pkg::STATUS_OK ? COMMAND : IDLE;
        COMMAND: if (push_write_command_ready_i) state_q <= BEAT_0;
        BEAT_0:  if (push_write_beat_ready_i) state_q <= BEAT_1;
        BEAT_1:  if (push_write_beat_ready_i) state_q <= IDLE;
        default: state_q <= IDLE;
      endcase
      if (insert_done && push_slots_i.status == mu_pkg::STATUS_OK) open_q <= 1'b1;
      else if (push_done_valid_i) open_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (state_q == IDLE && insert_valid) begin
      queue_q  <= insert_queue;
      client_q <= register_request_i.client[CLIENT_BITS-1:0];
    end
    if (insert_done) address_q <= push_slots_i.base + 40'({push_slots_i.position, 6'd0});
  end

  assign push_reserve_valid_o       = state_q == RESERVE;
  assign push_reserve_queue_o       = queue_q;
  assign push_reserve_client_o      = 4'(client_q);
  assign push_write_command_valid_o = state_q == COMMAND;
  assign push_write_beat_valid_o    = state_q == BEAT_0 || state_q == BEAT_1;
  assign busy_o                     = state_q != IDLE || open_q || registers_busy;

  always_comb begin
    push_write_command_data_o = '0;
    if (push_write_command_valid_o) begin
      push_write_command_data_o.address       = address_q;
      push_write_command_data_o.bytes         = 10'(mu_pkg::DESCRIPTOR_BYTES);
      push_write_command_data_o.final_part    = 1'b1;
      push_write_command_data_o.action.action = mu_pkg::ACTION_PUSH;
      push_write_command_data_o.action.client = 4'(client_q);
      push_write_command_data_o.action.target = queue_q;
      push_write_command_data_o.action.amount = 8'd1;
    end
  end

  // --- staging memory: four words make a beat, one bank for each of the four -----------------------
  logic [INDEX_WIDTH-1:0] write_beat;
  logic [INDEX_WIDTH-1:0] read_beat;
  logic [3:0]             write_bank;  // one-hot, or none
  mu_pkg::memory_word_t   staged;      // the beat that read_beat names
  assign write_beat = INDEX_WIDTH'({register_request_i.client, word_number[2]});
  assign read_beat  = {client_q, state_q == BEAT_1};
  assign write_bank = 4'(word_write) << word_number[1:0];

  always_comb begin
    push_write_beat_data_o = '0;
    if (push_write_beat_valid_o) push_write_beat_data_o = staged;
  end

  for (genvar b = 0; b < 4; b++) begin : gen_bank
    logic [63:0] mem[BEATS];
    always_ff @(posedge clk_i) begin
      if (write_bank[b]) mem[write_beat] <= register_request_i.data;
    end
    assign staged[b*64+:64] = mem[read_beat];
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      slots_come_when_asked : assert (!push_slots_valid_i || state_q == SLOTS);
      last_word_waits_for_its_slot :
      assert (!(state_q == RESERVE || state_q == SLOTS) ||
              (insert_valid && insert_queue == queue_q && register_request_i.client == 4'(client_q)));
      nothing_staged_while_sending : assert (!(sending && word_write));
      if (push_done_valid_i)
        done_ends_the_open_push : assert (open_q && push_done_client_i == 4'(client_q) && !sending);
      sending_means_open : assert (!sending || open_q);
    end
  end
endmodule
`default_nettype wire

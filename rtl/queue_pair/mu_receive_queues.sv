// SPDX-License-Identifier: Apache-2.0
// mu_receive_queues: what each receive queue expects: the buffer of its RECEIVE, and the number of a message.
//
//   buffer of a RECEIVE ---> [ an entry a queue ] <--- packets taken, packets stored (in memory)
//                              |        |    \---> end (queue, status), for cross-channel control
//                    lookup ---+        \---> answer (queue, number, status), for the peer
//
// Behaviour: a queue has a buffer from buffer_valid_i until the last packet of a message is taken. It is
//   then completing until that packet is stored: a good message moves the number expected on by one; its
//   end and its answer, OK or MEMORY_ERROR, are told, each once. reset_i takes everything of a queue away,
//   and what is stored of it later counts for nothing; configured_i besides sets the number expected to
//   zero.
// Latency: lookup answers in the same cycle, what was taken shows in the next; stored to end and answer 2.
// Limits: one message of a queue is completing at a time (asserted).
`default_nettype none

module mu_receive_queues #(
    parameter  int unsigned QUEUES      = 32,
    localparam int unsigned QUEUE_WIDTH = $clog2(QUEUES)
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    output logic                    busy_o,
    // cross-channel control
    input  logic                    buffer_valid_i,
    input  mu_pkg::receive_buffer_t buffer_i,
    input  logic                    reset_i,
    input  logic                    configured_i,
    input  logic                    configured_mode_i,  // its new mode is RECEIVE
    input  logic [QUEUE_WIDTH-1:0]  reset_queue_i,      // of reset_i and configured_i
    output logic                    end_valid_o,
    input  logic                    end_ready_i,
    output mu_pkg::queue_end_t      end_o,
    // packetiser: of the RECEIVE that is done
    input  logic [7:0]              result_queue_i,
    output mu_pkg::receive_result_t result_o,
    // decision: what the queue of a packet expects
    input  logic [7:0]              queue_i,
    output logic                    exists_o,
    output logic                    buffer_o,      // it has one
    output logic                    completing_o,
    output logic [1:0]              epoch_o,
    output logic [31:0]             expected_o,    // number of the message
    output logic [31:0]             received_o,    // bytes of it
    output mu_pkg::receive_buffer_t entry_o,
    input  logic                    take_i,        // a packet of queue_i
    input  logic                    take_end_i,    // the last of its message
    input  logic [31:0]             take_bytes_i,  // bytes of the message with it
    input  logic [31:0]             take_word_i,
    // completion
    input  logic                    stored_valid_i,
    input  mu_pkg::message_stored_t stored_i,
    // reply to the peer
    output logic                    answer_valid_o,
    input  logic                    answer_ready_i,
    output mu_pkg::send_answer_t    answer_o
);
  logic [QUEUES-1:0] exists_q;
  logic [QUEUES-1:0] buffer_q;
  logic [QUEUES-1:0] begun_q;       // a packet of the message expected has been taken
  logic [QUEUES-1:0] completing_q;
  logic [QUEUES-1:0] failed_q;      // a packet of it could not be stored
  logic [QUEUES-1:0] end_q;         // to be told
  logic [QUEUES-1:0] answer_q;      // to be told
  logic [QUEUES-1:0] numbered_q;    // expects a number other than zero
  logic [       1:0] epoch_q[QUEUES];
  logic [      31:0] expected_mem[QUEUES];
  logic [      31:0] received_mem[QUEUES];
  logic [      31:0] word_mem[QUEUES];
  logic [mu_pkg::RECEIVE_BUFFER_BITS-1:0] buffer_mem[QUEUES];

  function automatic logic [31:0] expected_of(input logic [QUEUE_WIDTH-1:0] queue);
    expected_of = numbered_q[queue] ? expected_mem[queue] : '0;
  endfunction
  function automatic logic [QUEUE_WIDTH-1:0] lowest(input logic [QUEUES-1:0] set);
    lowest = '0;
    for (int unsigned i = QUEUES; i > 0; i--) if (set[i-1]) lowest = QUEUE_WIDTH'(i - 1);
  endfunction

  // --- lookup ---
  logic [QUEUE_WIDTH-1:0] queue, result;
  assign queue        = queue_i[QUEUE_WIDTH-1:0];
  assign exists_o     = 32'(queue_i) < QUEUES && exists_q[queue];
  assign buffer_o     = buffer_q[queue];
  assign completing_o = completing_q[queue];
  assign epoch_o      = epoch_q[queue];
  assign expected_o   = expected_of(queue);
  assign received_o   = begun_q[queue] ? received_mem[queue] : '0;
  assign entry_o      = buffer_mem[queue];
  assign result       = result_queue_i[QUEUE_WIDTH-1:0];
  assign result_o     = {word_mem[result], received_mem[result]};

  // --- stored ---
  logic [QUEUE_WIDTH-1:0] stored_queue;
  logic counts, completes, good;
  assign stored_queue = stored_i.queue[QUEUE_WIDTH-1:0];
  assign counts       = stored_valid_i && stored_i.epoch == epoch_q[stored_queue];
  assign completes    = counts && stored_i.message_end;
  assign good         = !stored_i.failed && !failed_q[stored_queue];

  // --- told ---
  logic [QUEUE_WIDTH-1:0] end_queue, answer_queue;
  assign end_queue      = lowest(end_q);
  assign end_valid_o    = end_q != '0;
  assign end_o          = {failed_q[end_queue] ? mu_pkg::STATUS_MEMORY_ERROR : mu_pkg::STATUS_OK,
                           8'(end_queue)};
  assign answer_queue   = lowest(answer_q);
  assign answer_valid_o = answer_q != '0;
  assign answer_o = {12'b0, failed_q[answer_queue] ? mu_pkg::STATUS_MEMORY_ERROR : mu_pkg::STATUS_OK,
                     expected_of(answer_queue) - 32'(!failed_q[answer_queue]), 8'(answer_queue)};
  assign busy_o = end_valid_o || answer_valid_o;

  logic unused;
  assign unused = ^{queue_i, result_queue_i};

  logic changes;
  assign changes = buffer_valid_i || reset_i || configured_i || take_i || stored_valid_i || busy_o;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {exists_q, buffer_q, begun_q, completing_q, failed_q, end_q, answer_q, numbered_q} <= '0;
    end else if (changes) begin
      for (int unsigned i = 0; i < QUEUES; i++) begin
        if (end_ready_i && end_queue == QUEUE_WIDTH'(i)) end_q[i] <= 1'b0;
        if (answer_ready_i && answer_queue == QUEUE_WIDTH'(i)) answer_q[i] <= 1'b0;
        if (take_i && queue == QUEUE_WIDTH'(i)) begin
          begun_q[i]  <= !take_end_i;
          failed_q[i] <= begun_q[i] && failed_q[i];
          if (take_end_i) {buffer_q[i], completing_q[i]} <= 2'b01;
        end
        if (counts && stored_queue == QUEUE_WIDTH'(i)) begin
          if (stored_i.failed) failed_q[i] <= 1'b1;
          if (completes) {completing_q[i], end_q[i], answer_q[i]} <= 3'b011;
          if (completes && good) numbered_q[i] <= 1'b1;
        end
        if (buffer_valid_i && buffer_i.queue == 8'(i)) buffer_q[i] <= 1'b1;
        if ((reset_i || configured_i) && reset_queue_i == QUEUE_WIDTH'(i))
          {buffer_q[i], begun_q[i], completing_q[i], failed_q[i], end_q[i], answer_q[i]} <= '0;
        if (configured_i && reset_queue_i == QUEUE_WIDTH'(i))
          {exists_q[i], numbered_q[i]} <= {configured_mode_i, 1'b0};
      end
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < QUEUES; i++) begin
      if (!rst_ni) epoch_q[i] <= '0;
      else if (reset_i && reset_queue_i == QUEUE_WIDTH'(i)) epoch_q[i] <= epoch_q[i] + 2'd1;
    end
    if (buffer_valid_i) buffer_mem[buffer_i.queue[QUEUE_WIDTH-1:0]] <= buffer_i;
    if (take_i) received_mem[queue] <= take_bytes_i;
    if (take_i) word_mem[queue] <= take_word_i;
    if (completes && good) expected_mem[stored_queue] <= expected_of(stored_queue) + 32'd1;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      takes_into_a_buffer : assert (!take_i || (exists_o && buffer_o && !completing_o));
      one_buffer_a_queue : assert (!buffer_valid_i || !buffer_q[buffer_i.queue[QUEUE_WIDTH-1:0]]);
      completes_what_was_taken : assert (!completes || completing_q[stored_queue]);
      told_before_the_next : assert (!completes || !(end_q[stored_queue] || answer_q[stored_queue]));
    end
  end
endmodule
`default_nettype wire

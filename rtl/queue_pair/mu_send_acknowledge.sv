// SPDX-License-Identifier: Apache-2.0
// mu_send_acknowledge: the SENDs that hold their queues, until they are acknowledged (US 9,344,490).
//
//   begin (queue) ---> [ open, one a queue ] <--- answers of the peer, failures of our own memory
//   now_i ---> [ clock of retries ] ---> again (queue)      \---> end (queue, status)
//
// Behaviour: a SEND is open from begin_valid_i to its end. An answer or a failure counts if it names the
//   number of the open SEND, else it is stale. OK ends it, and the next SEND of the queue has the next
//   number; RECEIVE_DISABLED lets it go out again at the next tick of the clock; any other status ends it,
//   its number is used again. A SEND without an answer goes out again at the eighth tick after it did last.
//   Ticks come every retry_cycles_i while a SEND is open. One that would go out again more than retries_i
//   times ends with RETRY_EXCEEDED, and its queue is broken_o until it is configured, for nobody knows
//   whether it has arrived; so it is if one ends with a status after it went out again without an answer.
//   cancel_i takes the open SEND away; configured_i resets the number of its queue to zero.
// Latency: answer to end 2 cycles; tick to again 2.
// Limits: one SEND of a queue is open at a time (asserted). While only ticks are waited for, nothing
//   changes before wake_at_o.
`default_nettype none

module mu_send_acknowledge #(
    parameter  int unsigned QUEUES      = 32,
    localparam int unsigned QUEUE_WIDTH = $clog2(QUEUES)
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    output logic                         busy_o,
    input  logic [mu_pkg::TIME_BITS-1:0] now_i,
    output logic [mu_pkg::TIME_BITS-1:0] wake_at_o,
    input  logic [                 24:0] retry_cycles_i,
    input  logic [                  7:0] retries_i,
    // cross-channel control
    input  logic                         begin_valid_i,
    input  logic [      QUEUE_WIDTH-1:0] begin_queue_i,
    input  logic                         cancel_i,
    input  logic                         configured_i,
    input  logic [      QUEUE_WIDTH-1:0] configure_queue_i,  // of cancel_i and configured_i
    output logic [           QUEUES-1:0] open_o,
    output logic                         end_valid_o,
    input  logic                         end_ready_i,
    output mu_pkg::queue_end_t           end_o,
    output logic                         again_valid_o,
    input  logic                         again_ready_i,
    output logic [      QUEUE_WIDTH-1:0] again_queue_o,
    // packetiser
    input  logic [                  7:0] number_queue_i,
    output logic [                 31:0] number_o,
    output logic                         broken_o,
    input  logic                         left_i,  // the last packet of a copy is cut, of number_queue_i
    // reception engine, injection completion
    input  logic                         answer_valid_i,
    input  mu_pkg::send_answer_t         answer_i,
    output logic [                  7:0] answer_queue_o,
    input  mu_pkg::queue_peer_t          answer_peer_i,
    input  logic                         failure_valid_i,
    input  mu_pkg::send_answer_t         failure_i
);
  localparam logic [mu_pkg::TIME_BITS-1:0] NEVER = {mu_pkg::TIME_BITS{1'b1}};
  localparam logic [2:0] LAST_TICK = 3'd7;  // without an answer

  logic [QUEUES-1:0] open_q;     // not acknowledged
  logic [QUEUES-1:0] ended_q;    // its end is to be told
  logic [QUEUES-1:0] refused_q;  // goes out again at the next tick
  logic [QUEUES-1:0] again_q;    // goes out again now
  logic [QUEUES-1:0] leaving_q;  // not all of it has been cut: its time has not begun
  logic [QUEUES-1:0] doubtful_q;  // went out again without an answer: more than one copy may arrive
  logic [QUEUES-1:0] broken_q;
  logic [QUEUES-1:0] numbered_q;  // has a number other than zero
  logic [       2:0] ticks_q  [QUEUES];  // since it went out
  logic [       7:0] retries_q[QUEUES];
  logic [       7:0] status_q [QUEUES];
  logic [      31:0] number_mem[QUEUES];
  logic [      31:0] sent_mem[QUEUES];  // number of the SEND that began last: a late copy of it keeps it

  logic timing_q, tick;
  logic [mu_pkg::TIME_BITS-1:0] tick_at_q;

  function automatic logic [31:0] number_of(input logic [QUEUE_WIDTH-1:0] queue);
    number_of = numbered_q[queue] ? number_mem[queue] : '0;
  endfunction
  function automatic logic [QUEUE_WIDTH-1:0] lowest(input logic [QUEUES-1:0] set);
    lowest = '0;
    for (int unsigned i = QUEUES; i > 0; i--) if (set[i-1]) lowest = QUEUE_WIDTH'(i - 1);
  endfunction

  // --- answers and failures; an answer goes first, and what waits then is repeated by a tick ---
  mu_pkg::send_answer_t told;
  logic told_valid, ends, refuses, of_peer, half_sent;
  logic [QUEUE_WIDTH-1:0] told_queue;
  assign told       = answer_valid_i ? answer_i : failure_i;
  assign told_queue = told.queue[QUEUE_WIDTH-1:0];
  assign told_valid = (answer_valid_i || failure_valid_i) && 32'(told.queue) < QUEUES && open_q[told_queue] &&
      !ended_q[told_queue] && told.number == number_of(told_queue) && (!answer_valid_i || of_peer);
  assign answer_queue_o = answer_i.queue;
  assign of_peer        = answer_i.node == {answer_peer_i.z, answer_peer_i.y, answer_peer_i.x};
  assign refuses = told_valid && told.status == mu_pkg::STATUS_RECEIVE_DISABLED;
  assign ends    = told_valid && !refuses;
  // Of a failure: packets of it are on their way, and may still be answered.
  assign half_sent = !answer_valid_i && told.node != '0;

  logic unused;
  assign unused = ^{told, answer_peer_i};

  // --- one at a time: its end, or once more ---
  logic [QUEUE_WIDTH-1:0] end_queue;
  logic exceeded, gone;
  assign end_queue     = lowest(ended_q);
  assign end_valid_o   = ended_q != '0;
  assign end_o         = {status_q[end_queue], 8'(end_queue)};
  assign gone          = end_valid_o && end_ready_i;
  assign again_queue_o = lowest(again_q);
  assign exceeded      = again_q != '0 && !ended_q[again_queue_o] && retries_q[again_queue_o] >= retries_i &&
      !(told_valid && told_queue == again_queue_o);
  assign again_valid_o = again_q != '0 && !exceeded && !ended_q[again_queue_o];

  assign number_o = sent_mem[number_queue_i[QUEUE_WIDTH-1:0]];
  assign broken_o = 32'(number_queue_i) < QUEUES && broken_q[number_queue_i[QUEUE_WIDTH-1:0]];
  assign open_o   = open_q;

  // --- clock ---
  assign tick      = timing_q && now_i >= tick_at_q;
  assign wake_at_o = timing_q ? tick_at_q : NEVER;
  assign busy_o    = ended_q != '0 || again_q != '0 || (open_q != '0 && !timing_q);

  logic changes;
  assign changes = left_i || begin_valid_i || cancel_i || configured_i || told_valid || tick || gone ||
      again_q != '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {open_q, ended_q, refused_q, again_q, leaving_q, doubtful_q, broken_q, numbered_q} <= '0;
      timing_q <= 1'b0;
    end else begin
      if (tick) timing_q <= 1'b0;
      else if (open_q != '0) timing_q <= 1'b1;
      if (changes) begin
        for (int unsigned i = 0; i < QUEUES; i++) begin
          if (tick && open_q[i] && !ended_q[i] && !leaving_q[i] &&
              (refused_q[i] || ticks_q[i] == LAST_TICK)) begin
            {again_q[i], refused_q[i]} <= 2'b10;
            if (!refused_q[i]) doubtful_q[i] <= 1'b1;
          end
          if (again_queue_o == QUEUE_WIDTH'(i) && (again_ready_i || exceeded || ended_q[i]))
            again_q[i] <= 1'b0;
          if (again_queue_o == QUEUE_WIDTH'(i) && exceeded) {ended_q[i], broken_q[i]} <= 2'b11;
          if (told_queue == QUEUE_WIDTH'(i)) begin
            if (refuses) refused_q[i] <= 1'b1;
            if (ends) ended_q[i] <= 1'b1;
            if (ends && told.status != mu_pkg::STATUS_OK && (doubtful_q[i] || half_sent))
              broken_q[i] <= 1'b1;
          end
          if (left_i && number_queue_i == 8'(i)) leaving_q[i] <= 1'b0;
          if (again_valid_o && again_ready_i && again_queue_o == QUEUE_WIDTH'(i)) leaving_q[i] <= 1'b1;
          if (begin_valid_i && begin_queue_i == QUEUE_WIDTH'(i))
            {open_q[i], leaving_q[i], doubtful_q[i]} <= 3'b110;
          if ((gone && end_queue == QUEUE_WIDTH'(i)) ||
              ((cancel_i || configured_i) && configure_queue_i == QUEUE_WIDTH'(i)))
            {open_q[i], ended_q[i], refused_q[i], again_q[i]} <= '0;
          if (gone && end_queue == QUEUE_WIDTH'(i)) numbered_q[i] <= 1'b1;
          if (configured_i && configure_queue_i == QUEUE_WIDTH'(i)) {broken_q[i], numbered_q[i]} <= '0;
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (!timing_q && open_q != '0) tick_at_q <= now_i + mu_pkg::TIME_BITS'(retry_cycles_i);
    if (changes) begin
      for (int unsigned i = 0; i < QUEUES; i++) begin
        if (begin_valid_i && begin_queue_i == QUEUE_WIDTH'(i)) {ticks_q[i], retries_q[i]} <= '0;
        else if (again_valid_o && again_ready_i && again_queue_o == QUEUE_WIDTH'(i))
          {ticks_q[i], retries_q[i]} <= {3'd0, retries_q[i] + 8'd1};
        else if (tick && !leaving_q[i]) ticks_q[i] <= ticks_q[i] + 3'd1;
        if (ends && told_queue == QUEUE_WIDTH'(i)) status_q[i] <= told.status;
        else if (exceeded && again_queue_o == QUEUE_WIDTH'(i)) status_q[i] <= mu_pkg::STATUS_RETRY_EXCEEDED;
      end
    end
    if (begin_valid_i) sent_mem[begin_queue_i] <= number_of(begin_queue_i);
    if (gone) number_mem[end_queue] <= number_of(end_queue) + 32'(status_q[end_queue] == mu_pkg::STATUS_OK);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      one_open_send_a_queue : assert (!begin_valid_i || !open_q[begin_queue_i]);
      ends_what_is_open : assert (((ended_q | again_q | refused_q) & ~open_q) == '0);
    end
  end

`ifdef PROVE_MU_SEND_ACKNOWLEDGE
  // One queue, any of them, and a receiver that moves its number on when it takes the open SEND, once. No
  // SEND ends well without having been taken, and none begins whose number was taken before: it would be
  // acknowledged as an old one, and lost.
  (* anyconst *) logic [QUEUE_WIDTH-1:0] chosen;
  (* anyseq *) logic takes;
  logic        past_q = 1'b0;
  logic [31:0] expected_q;
  logic        twice_q;      // a copy went out though the one before had no answer
  logic        cancelled_q;  // what was under way is gone: both ends are configured before they go on
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (32'(chosen) < QUEUES && 32'(begin_queue_i) < QUEUES && 32'(configure_queue_i) < QUEUES);
    assume (!begin_valid_i || !open_q[begin_queue_i]);
    if (begin_valid_i && begin_queue_i == chosen) assume (!broken_q[chosen] && !cancelled_q);
    if ((cancel_i || configured_i) && configure_queue_i == chosen) assume (!begin_valid_i);
    if (configured_i && configure_queue_i == chosen) assume (!open_q[chosen]);
    // An acknowledgement is of something taken. A refusal is of the one copy that was sent, unless in doubt.
    if (answer_valid_i && answer_i.queue == 8'(chosen) && of_peer) begin
      if (answer_i.status == mu_pkg::STATUS_OK) begin
        assume ($signed(answer_i.number - expected_q) < 0);
      end else if (answer_i.status != mu_pkg::STATUS_RECEIVE_DISABLED) begin
        assume (twice_q || answer_i.number != number_of(chosen) ||
                expected_q == number_of(chosen));
      end
    end
    if (failure_valid_i && failure_i.queue == 8'(chosen)) begin
      assume (failure_i.status != mu_pkg::STATUS_OK && failure_i.status != mu_pkg::STATUS_RECEIVE_DISABLED);
      assume (twice_q || failure_i.number != number_of(chosen) ||
              expected_q == number_of(chosen));
    end
    // A SEND that has ended with a status, but is not told yet, is taken no more: its one copy is gone.
    if (!open_q[chosen] || expected_q != number_of(chosen)) assume (!takes);
    if (ended_q[chosen] && !broken_q[chosen]) assume (!takes);
    if (ends && told_queue == chosen && told.status != mu_pkg::STATUS_OK) assume (!takes);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) begin
      expected_q  <= '0;
      twice_q     <= 1'b0;
      cancelled_q <= 1'b0;
    end else begin
      if (begin_valid_i && begin_queue_i == chosen) twice_q <= 1'b0;
      else if (tick && open_q[chosen] && !ended_q[chosen] && !leaving_q[chosen] && !refused_q[chosen] &&
               ticks_q[chosen] == LAST_TICK)
        twice_q <= 1'b1;
      if (takes) expected_q <= expected_q + 32'd1;
      if (cancel_i && configure_queue_i == chosen) cancelled_q <= 1'b1;
      if (configured_i && configure_queue_i == chosen) {expected_q, cancelled_q} <= '0;
    end
    if (past_q && rst_ni && !cancelled_q && !broken_q[chosen]) begin
      if (ended_q[chosen] && status_q[chosen] == mu_pkg::STATUS_OK)
        ends_well_what_was_taken : assert (expected_q == number_of(chosen) + 32'd1);
      if (ended_q[chosen] && status_q[chosen] != mu_pkg::STATUS_OK)
        keeps_the_number_of_what_was_not : assert (expected_q == number_of(chosen));
      if (!open_q[chosen]) begins_with_a_number_not_taken : assert (expected_q == number_of(chosen));
      else one_ahead_at_most :
        assert (expected_q == number_of(chosen) || expected_q == number_of(chosen) + 32'd1);
    end
    if (past_q && rst_ni) begin
      what_ends_is_open : assert (((ended_q | again_q | refused_q) & ~open_q) == '0);
      doubts_a_second_copy : assert (doubtful_q[chosen] == twice_q);
      zero_until_numbered : assert (numbered_q[chosen] || number_of(chosen) == '0);
    end
  end
`endif
endmodule
`default_nettype wire

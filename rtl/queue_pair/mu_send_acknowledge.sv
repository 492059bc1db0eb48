// SPDX-License-Identifier: Apache-2.0
// mu_send_acknowledge: the SENDs that hold their queues, until they are acknowledged (US 9,344,490).
//
//   begin, ahead (queue) -> [ first and second, a queue ] <--- answers of the peer, failures of our memory
//   now_i ---> [ clock of retries ] ---> again (queue)   \---> end (queue, status)
//
// Behaviour: a SEND is open, the first of its queue, from begin_valid_i to its end; ahead_i makes the one
//   behind it the second, which begin_valid_i with begin_sent_i makes the first with all that is known of
//   it. An answer or a failure counts if it names the number of the first, or the next for the second; else
//   it is stale. OK ends it; RECEIVE_DISABLED lets it go out again, as the first, at the next tick of the
//   clock; any other status ends it. Its number is used up by an answer of OK or MEMORY_ERROR, else the
//   next SEND has it again, and the second is none any more. The first without an answer goes out again at
//   the eighth tick after it did last, and the second may follow it again; ticks come every retry_cycles_i
//   while a SEND is open. One that would go out again more than retries_i times ends with RETRY_EXCEEDED,
//   and its queue is broken_o until it is configured, for nobody knows whether it has arrived; so it is if
//   one ends with a status of its own after it went out again without an answer. cancel_i takes the open
//   SENDs away; configured_i resets the number of the queue to zero. In a dynamically connected queue each
//   SEND has the number behind the last, none goes ahead, and the queue never is broken. doubtful_o tells
//   the receiver of a copy that one before it was not refused; DELIVERY_UNKNOWN lets it go out again too,
//   and a SEND that had it last ends with that.
// Latency: answer to end 2 cycles; tick to again 2.
// Limits: one SEND of a queue begins at a time (asserted). While only ticks are waited for, nothing changes
//   before wake_at_o.
// two-readers: nightly
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
    input  logic [           QUEUES-1:0] dynamic_i,          // queues that are dynamically connected
    // who holds queues
    input  logic                         begin_valid_i,
    input  logic [      QUEUE_WIDTH-1:0] begin_queue_i,
    input  logic                         begin_sent_i,       // it went ahead
    input  logic [                 11:0] begin_node_i,       // whom it goes to, if dynamic: z, y, x
    input  logic                         cancel_i,
    input  logic                         configured_i,
    input  logic [      QUEUE_WIDTH-1:0] configure_queue_i,  // of cancel_i and configured_i
    output logic [           QUEUES-1:0] may_ahead_o,        // the SEND behind the first may go out
    output logic [           QUEUES-1:0] fence_ahead_o,      // a FENCE behind the first may go out
    output logic [           QUEUES-1:0] second_o,           // the one behind the first has gone out
    output logic                         end_valid_o,
    input  logic                         end_ready_i,
    output mu_pkg::queue_end_t           end_o,
    output logic                         again_valid_o,
    input  logic                         again_ready_i,
    output logic [      QUEUE_WIDTH-1:0] again_queue_o,
    // packetiser: of the copy that it cuts
    input  logic [                  7:0] number_queue_i,
    input  logic                         number_ahead_i,     // it goes ahead
    output logic [                 31:0] number_o,
    output logic                         doubtful_o,         // an earlier copy may have been taken
    output logic                         broken_o,
    output logic                         ahead_good_o,       // it may
    input  logic                         ahead_i,            // it begins to
    input  logic                         ahead_fence_i,      // ahead_good_o is asked of a FENCE
    input  logic                         left_i,             // its last packet is cut
    // reception engine, injection completion
    input  logic                         answer_valid_i,
    input  mu_pkg::send_answer_t         answer_i,
    input  mu_pkg::queue_peer_t          answer_peer_i,  // of the queue that answer_i names
    input  logic                         failure_valid_i,
    input  mu_pkg::send_answer_t         failure_i
);
  localparam logic [mu_pkg::TIME_BITS-1:0] NEVER = {mu_pkg::TIME_BITS{1'b1}};

  logic [QUEUES-1:0] open_q;     // the first: not acknowledged
  logic [QUEUES-1:0] ended_q;    // its end is to be told
  logic [QUEUES-1:0] used_q;     // its number is used up
  logic [QUEUES-1:0] refused_q;  // goes out again at the next tick
  logic [QUEUES-1:0] again_q;    // goes out again now
  logic [QUEUES-1:0] leaving_q;  // not all of it has been cut: its time has not begun
  logic [QUEUES-1:0] doubtful_q;  // went out again without an answer: more than one copy may arrive
  logic [QUEUES-1:0] copy_doubtful_q;  // dynamic: a copy before the last one had not been refused
  logic [QUEUES-1:0] unknown_q;  // dynamic: the receiver does not know any more whether it was taken
  logic [QUEUES-1:0] broken_q;
  logic [QUEUES-1:0] numbered_q;  // has a number other than zero
  logic [QUEUES-1:0] second_q;    // the one behind it has gone out
  logic [QUEUES-1:0] second_ended_q, second_used_q, second_refused_q, second_doubtful_q;
  logic [QUEUES-1:0] due_q;  // the first has gone out again, and the second has not followed yet
  logic [QUEUES-1:0] due_doubtful_q;  // the copy that follows is one more of it that may arrive
  logic [QUEUES-1:0] exceeded_q;  // its end is that it went out too often
  logic [QUEUES-1:0] tried_q;     // went out again: tries_mem has how often
  logic [QUEUES-1:0] counted_q;   // was refused: refusals_mem has how often
  logic [QUEUES-1:0] slot_q;      // of its status; that of the second has the other
  // Copies are those that went out, less those that were refused. The 256th may wrap: it is the last.
  logic [       7:0] tries_mem   [QUEUES];
  logic [       7:0] refusals_mem[QUEUES];
  logic [       7:0] status_mem  [2*QUEUES];
  logic [       2:0] tick_q;              // number of the tick that comes next
  logic [       2:0] since_q   [QUEUES];  // of the one that came next when it had gone out
  logic [      31:0] number_mem[QUEUES];
  logic [      11:0] node_mem[QUEUES];  // whom the SEND that began last goes to, if dynamic
  logic [      31:0] sent_mem[QUEUES];  // number of the SEND that began last: a late copy of it keeps it

  logic timing_q, tick;
  logic [2:0] next_tick;
  logic [mu_pkg::TIME_BITS-1:0] tick_at_q;

  function automatic logic [31:0] number_of(input logic [QUEUE_WIDTH-1:0] queue);
    number_of = numbered_q[queue] ? number_mem[queue] : '0;
  endfunction
  function automatic logic [QUEUE_WIDTH-1:0] lowest(input logic [QUEUES-1:0] set);
    lowest = '0;
    if (set != '0) for (int unsigned i = QUEUES; i > 0; i--) if (set[i-1]) lowest = QUEUE_WIDTH'(i - 1);
  endfunction

  // --- answers and failures; an answer goes first, and what waits then is repeated by a tick ---
  mu_pkg::send_answer_t told;
  logic ends, second_ends, told_valid, of_first, of_second, unknown, refuses, uses, of_peer, half_sent;
  logic [QUEUE_WIDTH-1:0] told_queue;
  logic [31:0] told_sent;
  assign told       = answer_valid_i ? answer_i : failure_i;
  assign told_queue = told.queue[QUEUE_WIDTH-1:0];
  assign told_sent  = sent_mem[told_queue];
  assign told_valid = (answer_valid_i || failure_valid_i) && 32'(told.queue) < QUEUES &&
      (!answer_valid_i || of_peer);
  assign of_first   = told_valid && open_q[told_queue] && !ended_q[told_queue] && told.number == told_sent;
  assign of_second  = told_valid && second_q[told_queue] && !second_ended_q[told_queue] &&
      told.number == told_sent + 32'd1;
  assign of_peer        = answer_i.node ==
      (dynamic_i[told_queue] ? node_mem[told_queue] : {answer_peer_i.z, answer_peer_i.y, answer_peer_i.x});
  assign unknown = dynamic_i[told_queue] && told.status == mu_pkg::STATUS_DELIVERY_UNKNOWN;
  assign refuses = told.status == mu_pkg::STATUS_RECEIVE_DISABLED || unknown;
  assign uses    = answer_valid_i &&
      (told.status == mu_pkg::STATUS_OK || told.status == mu_pkg::STATUS_MEMORY_ERROR);
  assign ends        = of_first && !refuses;
  assign second_ends = of_second && !refuses;
  // Of a failure: packets of it are on their way, and may still be answered.
  assign half_sent = !answer_valid_i && told.node != '0;

  logic unused;
  assign unused = ^{told, answer_peer_i};

  // --- one at a time: its end, or once more ---
  logic [QUEUE_WIDTH-1:0] end_queue;
  logic exceeded, gone, goes_again, again_copies;
  logic [7:0] tries;
  assign end_queue     = lowest(ended_q);
  assign end_valid_o   = ended_q != '0;
  assign end_o.queue   = 8'(end_queue);
  assign end_o.status  = !exceeded_q[end_queue] ? end_word.status :
      unknown_q[end_queue] ? mu_pkg::STATUS_DELIVERY_UNKNOWN : mu_pkg::STATUS_RETRY_EXCEEDED;
  assign gone          = end_valid_o && end_ready_i;
  assign again_queue_o = lowest(again_q);
  assign exceeded      = again_q != '0 && !ended_q[again_queue_o] && tries >= retries_i &&
      !(of_first && told_queue == again_queue_o);
  assign again_valid_o = again_q != '0 && tries < retries_i && !ended_q[again_queue_o];
  assign goes_again    = again_valid_o && again_ready_i;

  logic [QUEUE_WIDTH-1:0] copy;
  assign copy         = number_queue_i[QUEUE_WIDTH-1:0];
  assign number_o     = sent_mem[copy] + 32'(number_ahead_i);
  assign broken_o     = 32'(number_queue_i) < QUEUES && broken_q[copy];
  assign doubtful_o   = copy_doubtful_q[copy];
  assign fence_ahead_o = open_q & ~(ended_q | again_q | refused_q | leaving_q | second_ended_q);
  assign may_ahead_o  = fence_ahead_o & ~dynamic_i;
  assign second_o     = second_q;
  // Not in the cycle in which something is told of its queue: it may be that this one has ended.
  assign ahead_good_o = (ahead_fence_i ? fence_ahead_o[copy] : may_ahead_o[copy]) &&
      !(told_valid && told_queue == copy);

  // --- how often the first went out again and was refused, and how it and the second ended ---
  logic [7:0] told_tries, refusals, told_refusals;
  logic counts;  // a refusal: never more of these than of copies
  logic [QUEUE_WIDTH:0] end_slot;  // of its status
  mu_pkg::status_word_t end_word;
  assign tries         = tried_q[again_queue_o] ? tries_mem[again_queue_o] : '0;
  assign refusals      = counted_q[again_queue_o] ? refusals_mem[again_queue_o] : '0;
  assign told_tries    = tried_q[told_queue] ? tries_mem[told_queue] : '0;
  assign told_refusals = counted_q[told_queue] ? refusals_mem[told_queue] : '0;
  assign counts        = of_first && refuses && told_refusals != told_tries + 8'd1;
  assign again_copies  = refusals != tries + 8'd1;
  assign end_slot      = {end_queue, slot_q[end_queue]};
  assign end_word      = status_mem[end_slot];
  always_ff @(posedge clk_i) begin
    if (goes_again) tries_mem[again_queue_o] <= tries + 8'd1;
    if (counts) refusals_mem[told_queue] <= told_refusals + 8'd1;
    if (ends || second_ends) status_mem[{told_queue, slot_q[told_queue]^of_second}] <= told.status;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {tried_q, counted_q, slot_q} <= '0;
    else begin
      if (goes_again) tried_q[again_queue_o] <= 1'b1;
      if (counts) counted_q[told_queue] <= 1'b1;
      if (begin_valid_i) begin
        tried_q[begin_queue_i]   <= 1'b0;
        counted_q[begin_queue_i] <= 1'b0;
        slot_q[begin_queue_i]    <= slot_q[begin_queue_i] ^ begin_sent_i;
      end
    end
  end

  // --- clock ---
  assign tick      = timing_q && now_i >= tick_at_q;
  assign next_tick = tick_q + 3'd1;
  assign wake_at_o = timing_q ? tick_at_q : NEVER;
  assign busy_o    = ended_q != '0 || again_q != '0 || (open_q != '0 && !timing_q);

  // --- state; what is known of the second as it becomes the first ---
  logic fails, changes;
  logic sent_refused, sent_ends, sent_used, sent_doubtful, sent_breaks, sent_due;
  logic [31:0] begin_number;
  assign fails         = !uses && !refuses;
  assign sent_ends     = second_ended_q[begin_queue_i] || (second_ends && told_queue == begin_queue_i);
  assign sent_refused  = second_refused_q[begin_queue_i] || (of_second && told_queue == begin_queue_i);
  assign sent_used     = second_ended_q[begin_queue_i] ? second_used_q[begin_queue_i] : sent_ends && uses;
  assign sent_doubtful = second_doubtful_q[begin_queue_i] ||
      (second_ends && told_queue == begin_queue_i && half_sent);
  assign sent_breaks   = sent_ends && !sent_used && sent_doubtful;
  assign sent_due      = due_q[begin_queue_i] && !sent_ends;
  // Of a dynamically connected queue each has a number of its own, whatever became of the last one.
  assign begin_number  = !dynamic_i[begin_queue_i] ? number_of(begin_queue_i) :
      numbered_q[begin_queue_i] ? sent_mem[begin_queue_i] + 32'd1 : '0;
  assign changes = left_i || ahead_i || begin_valid_i || cancel_i || configured_i || told_valid || tick ||
      gone || again_q != '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {open_q, ended_q, used_q, refused_q, again_q, leaving_q, doubtful_q, broken_q, numbered_q} <= '0;
      {second_q, second_ended_q, second_used_q, second_refused_q, second_doubtful_q} <= '0;
      {due_q, due_doubtful_q, copy_doubtful_q, unknown_q, exceeded_q} <= '0;
      timing_q <= 1'b0;
      tick_q   <= '0;
    end else begin
      if (tick) tick_q <= next_tick;
      if (tick) timing_q <= 1'b0;
      else if (open_q != '0) timing_q <= 1'b1;
      if (changes) begin
        for (int unsigned i = 0; i < QUEUES; i++) begin
          if (tick && open_q[i] && !ended_q[i] && !leaving_q[i] &&
              (refused_q[i] || since_q[i] == next_tick)) begin
            {again_q[i], refused_q[i]} <= 2'b10;
            if (!refused_q[i]) doubtful_q[i] <= 1'b1;
          end
          if (again_q[i] && again_queue_o == QUEUE_WIDTH'(i) && (again_ready_i || exceeded || ended_q[i]))
            again_q[i] <= 1'b0;
          if (again_queue_o == QUEUE_WIDTH'(i) && exceeded)
            {ended_q[i], exceeded_q[i], broken_q[i]} <= {2'b11, !dynamic_i[i]};
          if (told_queue == QUEUE_WIDTH'(i)) begin
            if (of_first && refuses) {refused_q[i], unknown_q[i]} <= {1'b1, unknown};
            if (ends) {ended_q[i], used_q[i]} <= {1'b1, uses};
            if (ends && fails && (doubtful_q[i] || half_sent) && !dynamic_i[i]) broken_q[i] <= 1'b1;
            if (of_second && refuses) second_refused_q[i] <= 1'b1;
            if (second_ends) {second_ended_q[i], second_used_q[i]} <= {1'b1, uses};
            if (second_ends && half_sent) second_doubtful_q[i] <= 1'b1;
          end
          if (number_queue_i == 8'(i)) begin
            if (left_i && !number_ahead_i) leaving_q[i] <= 1'b0;
            if (ahead_i) begin
              {second_q[i], second_refused_q[i], due_q[i]} <= 3'b100;
              second_doubtful_q[i] <= second_q[i] &&
                  (second_doubtful_q[i] || (due_q[i] && due_doubtful_q[i]));
            end
          end
          if (goes_again && again_queue_o == QUEUE_WIDTH'(i)) begin
            {leaving_q[i], due_q[i], second_refused_q[i]} <= {1'b1, second_q[i], 1'b0};
            // For want of an answer to the first, though the second was not refused.
            due_doubtful_q[i] <= doubtful_q[i] && !second_refused_q[i];
            copy_doubtful_q[i] <= again_copies;
          end
          if (begin_valid_i && begin_queue_i == QUEUE_WIDTH'(i)) begin
            {open_q[i], ended_q[i], leaving_q[i]} <= {1'b1, begin_sent_i && sent_ends, !begin_sent_i};
            {used_q[i], doubtful_q[i]} <= begin_sent_i ?
                {sent_used, sent_doubtful || (sent_due && due_doubtful_q[i])} : 2'b00;
            refused_q[i] <= begin_sent_i && sent_refused && !sent_ends && !sent_due;
            again_q[i]   <= begin_sent_i && sent_due;
            {copy_doubtful_q[i], unknown_q[i], exceeded_q[i]} <= '0;
            if (begin_sent_i && sent_breaks) broken_q[i] <= 1'b1;
            {second_q[i], second_ended_q[i], second_refused_q[i], second_doubtful_q[i], due_q[i]} <= '0;
          end
          if ((gone && end_queue == QUEUE_WIDTH'(i)) ||
              ((cancel_i || configured_i) && configure_queue_i == QUEUE_WIDTH'(i)))
            {open_q[i], ended_q[i], refused_q[i], again_q[i]} <= '0;
          if ((gone && end_queue == QUEUE_WIDTH'(i)) ||
              (begin_valid_i && begin_queue_i == QUEUE_WIDTH'(i) && dynamic_i[i]))
            numbered_q[i] <= 1'b1;
          // A number that is not used up is for the next SEND: the second had the wrong one.
          if ((gone && end_queue == QUEUE_WIDTH'(i) && !used_q[i]) ||
              ((cancel_i || configured_i) && configure_queue_i == QUEUE_WIDTH'(i)))
            {second_q[i], second_ended_q[i], due_q[i]} <= '0;
          if (configured_i && configure_queue_i == QUEUE_WIDTH'(i))
            {broken_q[i], numbered_q[i]} <= {1'b0, dynamic_i[i] && numbered_q[i]};
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (!timing_q && open_q != '0) tick_at_q <= now_i + mu_pkg::TIME_BITS'(retry_cycles_i);
    if (changes) begin
      for (int unsigned i = 0; i < QUEUES; i++) begin
        if ((begin_valid_i && begin_queue_i == QUEUE_WIDTH'(i)) ||
            (goes_again && again_queue_o == QUEUE_WIDTH'(i)) || (tick && leaving_q[i]))
          since_q[i] <= tick ? next_tick : tick_q;
      end
    end
    if (begin_valid_i) {node_mem[begin_queue_i], sent_mem[begin_queue_i]} <= {begin_node_i, begin_number};
    if (gone) number_mem[end_queue] <= number_of(end_queue) + 32'(used_q[end_queue]);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      one_open_send_a_queue : assert (!begin_valid_i || !open_q[begin_queue_i]);
      sent_is_the_second : assert (!begin_valid_i || !begin_sent_i || second_q[begin_queue_i]);
      ends_what_is_open : assert (((ended_q | again_q | refused_q) & ~open_q) == '0);
      ahead_if_it_may : assert (!ahead_i || (ahead_good_o && !ahead_fence_i));
    end
  end
endmodule
`default_nettype wire

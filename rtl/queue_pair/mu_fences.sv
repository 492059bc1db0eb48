// SPDX-License-Identifier: Apache-2.0
// mu_fences: the FENCEs that hold their queues, until their targets have answered (US 9,052,974).
//
//   begin, ahead (queue, node, index) -> [ one a queue ] <--- answers of targets, failures of our own
//   now_i ---> [ clock ] ---> again (queue)   \---> end (queue, status)
//
// Behaviour: a FENCE is open from begin_valid_i to its end. An answer or a failure ends it, with its status,
//   if it names its queue, its index and, an answer, its node; any other is late, and ends nothing. One
//   without an answer goes out again at the eighth tick after it did last; ticks come every retry_cycles_i
//   while a FENCE is open. One that would go out again more than retries_i times ends with RETRY_EXCEEDED.
//   With ahead_i one has gone out behind a SEND that holds its queue: an answer counts from then on, and is
//   told when the FENCE begins. cancel_i takes the one of its queue away. It counts nothing of what stood
//   before it.
// Latency: answer to end 1 cycle; tick to again 1.
// Limits: a queue with an open FENCE begins none (asserted). While only ticks are waited for, nothing
//   changes before wake_at_o.
`default_nettype none

module mu_fences #(
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
    // who holds queues
    input  logic                         begin_valid_i,
    input  logic                         ahead_i,         // it goes out, and will begin
    output logic [           QUEUES-1:0] ahead_o,         // it has
    input  logic [      QUEUE_WIDTH-1:0] begin_queue_i,
    input  logic [                 11:0] begin_node_i,    // target: z, y, x
    input  logic [                 31:0] begin_index_i,   // of the descriptor in its queue
    input  logic                         cancel_i,
    input  logic [      QUEUE_WIDTH-1:0] cancel_queue_i,
    output logic                         end_valid_o,
    input  logic                         end_ready_i,
    output mu_pkg::queue_end_t           end_o,
    output logic                         again_valid_o,
    input  logic                         again_ready_i,
    output logic [      QUEUE_WIDTH-1:0] again_queue_o,
    // reception engine, injection completion
    input  logic                         answer_valid_i,
    input  logic                         failure_valid_i,
    input  mu_pkg::send_answer_t         answer_i,
    input  mu_pkg::send_answer_t         failure_i
);
  localparam logic [mu_pkg::TIME_BITS-1:0] NEVER = {mu_pkg::TIME_BITS{1'b1}};

  logic [QUEUES-1:0] open_q;
  logic [QUEUES-1:0] ahead_q;  // has gone out, and not begun
  logic [QUEUES-1:0] ended_q;  // its end is to be told, when it has begun
  logic [QUEUES-1:0] again_q;  // goes out again
  logic [QUEUES-1:0] exceeded_q;  // its end is that it went out too often
  logic [QUEUES-1:0] tried_q;     // went out again
  logic [       2:0] tick_q;              // number of the tick that comes next
  logic [       2:0] since_q   [QUEUES];  // of the one that came next when it went out
  logic [       7:0] tries_mem [QUEUES];
  logic [       7:0] status_mem[QUEUES];  // as told
  logic [      43:0] name_mem [QUEUES];  // node, index: what an answer must name

  function automatic logic [QUEUE_WIDTH-1:0] lowest(input logic [QUEUES-1:0] set);
    lowest = '0;
    if (set != '0) for (int unsigned i = QUEUES; i > 0; i--) if (set[i-1]) lowest = QUEUE_WIDTH'(i - 1);
  endfunction

  // --- what is told; an answer goes first, and a failure that waits then is found again by a tick ---
  mu_pkg::send_answer_t told;
  logic told_valid, ends;
  logic [QUEUE_WIDTH-1:0] told_queue;
  assign told       = answer_valid_i ? answer_i : failure_i;
  assign told_queue = told.queue[QUEUE_WIDTH-1:0];
  assign told_valid = (answer_valid_i || failure_valid_i) && 32'(told.queue) < QUEUES;
  assign ends       = told_valid && (open_q[told_queue] || ahead_q[told_queue]) && !ended_q[told_queue] &&
      told.number == name_mem[told_queue][31:0] &&
      (!answer_valid_i || told.node == name_mem[told_queue][43:32]);
  logic unused;
  assign unused = told.fence;

  // --- its end, or once more ---
  logic [QUEUE_WIDTH-1:0] end_queue;
  logic exceeded, gone, goes_again;
  logic [7:0] tries;
  mu_pkg::status_word_t end_word;
  assign end_queue     = lowest(ended_q & open_q);
  assign end_valid_o   = (ended_q & open_q) != '0;
  assign ahead_o       = ahead_q;
  assign end_o.queue   = 8'(end_queue);
  assign end_word      = status_mem[end_queue];
  assign end_o.status  = exceeded_q[end_queue] ? mu_pkg::STATUS_RETRY_EXCEEDED : end_word.status;
  assign gone          = end_valid_o && end_ready_i;
  assign again_queue_o = lowest(again_q);
  assign tries         = tried_q[again_queue_o] ? tries_mem[again_queue_o] : '0;
  assign again_valid_o = again_q != '0 && tries < retries_i;
  assign goes_again    = again_valid_o && again_ready_i;
  assign exceeded      = again_q != '0 && !again_valid_o && !(ends && told_queue == again_queue_o);

  // --- clock ---
  logic timing_q, tick;
  logic [2:0] next_tick;
  logic [mu_pkg::TIME_BITS-1:0] tick_at_q;
  assign tick      = timing_q && now_i >= tick_at_q;
  assign next_tick = tick_q + 3'd1;
  assign wake_at_o = timing_q ? tick_at_q : NEVER;
  assign busy_o    = end_valid_o || again_q != '0 || (open_q != '0 && !timing_q);

  logic changes;
  assign changes = begin_valid_i || ahead_i || cancel_i || told_valid || tick || gone || again_q != '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {open_q, ahead_q, ended_q, again_q, exceeded_q, tried_q} <= '0;
      timing_q <= 1'b0;
      tick_q   <= '0;
    end else begin
      if (tick) tick_q <= next_tick;
      if (tick) timing_q <= 1'b0;
      else if (open_q != '0) timing_q <= 1'b1;
      if (changes) begin
        for (int unsigned i = 0; i < QUEUES; i++) begin
          if (tick && open_q[i] && !ended_q[i] && since_q[i] == next_tick) again_q[i] <= 1'b1;
          if (goes_again && again_queue_o == QUEUE_WIDTH'(i)) {again_q[i], tried_q[i]} <= 2'b01;
          if ((ends && told_queue == QUEUE_WIDTH'(i)) || (exceeded && again_queue_o == QUEUE_WIDTH'(i)))
            {ended_q[i], again_q[i], exceeded_q[i]} <= {2'b10, exceeded && again_queue_o == QUEUE_WIDTH'(i)};
          if ((gone && end_queue == QUEUE_WIDTH'(i)) || (cancel_i && cancel_queue_i == QUEUE_WIDTH'(i)))
            {open_q[i], ahead_q[i], ended_q[i], again_q[i]} <= '0;
          if (begin_valid_i && begin_queue_i == QUEUE_WIDTH'(i)) tried_q[i] <= 1'b0;
          if ((begin_valid_i || ahead_i) && begin_queue_i == QUEUE_WIDTH'(i))
            {open_q[i], ahead_q[i]} <= {begin_valid_i, ahead_i};
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (!timing_q && open_q != '0) tick_at_q <= now_i + mu_pkg::TIME_BITS'(retry_cycles_i);
    if (changes) begin
      for (int unsigned i = 0; i < QUEUES; i++) begin
        if ((begin_valid_i && begin_queue_i == QUEUE_WIDTH'(i)) ||
            (goes_again && again_queue_o == QUEUE_WIDTH'(i)))
          since_q[i] <= tick ? next_tick : tick_q;
      end
    end
    if (goes_again) tries_mem[again_queue_o] <= tries + 8'd1;
    if (ends) status_mem[told_queue] <= told.status;
    if (begin_valid_i || ahead_i) name_mem[begin_queue_i] <= {begin_node_i, begin_index_i};
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      one_open_fence_a_queue : assert (!begin_valid_i || !open_q[begin_queue_i]);
      goes_ahead_before_it_begins : assert (!ahead_i || !(begin_valid_i || open_q[begin_queue_i]));
      begins_as_it_went_ahead :
      assert (!((begin_valid_i || ahead_i) && ahead_q[begin_queue_i]) ||
              name_mem[begin_queue_i] == {begin_node_i, begin_index_i});
      ends_what_is_out : assert ((ended_q & ~(open_q | ahead_q)) == '0);
      goes_again_while_open : assert ((again_q & ~open_q) == '0);
      ended_does_not_go_again : assert ((ended_q & again_q) == '0);
    end
  end
endmodule
`default_nettype wire

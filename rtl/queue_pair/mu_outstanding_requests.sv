// SPDX-License-Identifier: Apache-2.0
// mu_outstanding_requests: SENDs and FENCEs that hold their queues (US 9,344,490, US 9,052,974).
//
//   begin, ahead, left (packetiser) --\                          row
//   cancel, configured ----------------> [ one event a cycle ] ---> [ its step ] ---> end
//   answers, failures ----------------/     ^                            \---> again (queue)
//   now_i ---> [ mu_retry_clock ] ---> [ rows to be served ]
//
// Behaviour: a SEND or FENCE is open, the first of its queue, from begin_valid_i to its end.
//   ahead_i makes what stands behind an open SEND the second; begin_valid_i makes it the first,
//   with all that is known of it. A response of a SEND counts if it names the number of the first,
//   or the next for the second, that of a FENCE if it names its index, and an answer only if it is
//   of the node asked; else it is stale. OK ends a SEND; RECEIVE_DISABLED has it retransmitted at
//   the next tick; any other status ends it. Each ends a FENCE. The number of a SEND is used up by
//   an answer of OK or MEMORY_ERROR; else the next one has it again, and a second SEND is none any
//   more. Without an answer a SEND is retransmitted at the eighth tick after all of it left, and
//   the second may follow, a FENCE at the eighth after it went out. Ticks come every
//   retry_cycles_i while one is open. One that would be retransmitted more than retries_i times
//   ends with RETRY_EXCEEDED. The queue of a SEND is broken_o then, until it is configured, for
//   nobody knows whether it arrived; so it is if one ends with a status of its own after it was
//   retransmitted without an answer. cancel_i takes away what is open; configured_i resets the
//   number, too. In a dynamically connected queue each SEND has the number behind the last, none
//   goes ahead, and the queue never is broken; doubtful_o says that a copy before this one was not
//   refused; DELIVERY_UNKNOWN has it retransmitted, too, and a SEND that had it last ends with it.
// Latency: event to row 2 cycles: in the first it is chosen and its row read, in the second it makes its
//   step. Answer to end 2, failure to end 3; tick to again 7, and 3 for each other queue, 6 if that is
//   due, too. number_o and doubtful_o show a begin in the cycle of its step, and in that cycle
//   ahead_good_o is low: what is given up then goes out once the first has ended.
// Limits: what the packetiser reports is served at once, one a cycle (asserted), at most two of
//   four. An answer waits for that, a failure for both, a cancellation for all, each behind none of
//   its kind: that is asserted, but a failure that comes too soon is dropped, and found again by a
//   tick. So answers may come every third cycle, as reception gives them; whoever else begins waits
//   for begin_ready_o. While only ticks are waited for, nothing changes before wake_at_o.
// two-readers: nightly
`default_nettype none

module mu_outstanding_requests #(
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
    input  logic [           QUEUES-1:0] dynamic_i,          // dynamically connected queues
    // who holds queues
    input  logic                         begin_valid_i,
    output logic                         begin_ready_o,      // nothing waits to be served
    input  logic                         begin_fence_i,
    input  logic                         begin_sent_i,       // it went ahead
    input  logic [      QUEUE_WIDTH-1:0] begin_queue_i,
    input  logic [                 11:0] begin_node_i,       // of a FENCE or if dynamic: z, y, x
    input  logic [                 31:0] begin_index_i,      // of the descriptor of a FENCE
    input  logic                         cancel_i,
    input  logic                         configured_i,
    input  logic [      QUEUE_WIDTH-1:0] configure_queue_i,  // of cancel_i and configured_i
    output logic [           QUEUES-1:0] may_ahead_o,        // the SEND behind the first may go out
    output logic [           QUEUES-1:0] fence_ahead_o,      // so may a FENCE
    output logic [           QUEUES-1:0] under_way_o,        // it has
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
    input  logic                         ahead_fence_i,      // a FENCE of begin_node_i, _index_i
    input  logic                         left_i,             // its last packet is cut
    // reception engine, injection completion
    input  logic                         answer_valid_i,
    input  mu_pkg::send_answer_t         answer_i,
    input  mu_pkg::queue_peer_t          answer_peer_i,      // of the queue that answer_i names
    input  mu_pkg::send_outcome_t        failure_i
);
  localparam int unsigned ROW_BITS = mu_pkg::REQUEST_ROW_BITS;

  // --- rows, and what is asked of all of them at once ---
  logic [ROW_BITS-1:0] row_mem   [QUEUES];
  logic [        31:0] number_mem[QUEUES];  // of the SEND that began last; a late copy keeps it
  logic [        11:0] node_mem  [QUEUES];  // whom that goes to, if dynamic
  logic [        43:0] fence_mem [QUEUES];  // node, index: what an answer of the FENCE must name
  logic [  QUEUES-1:0] known_q;      // the row has been written since reset
  logic [  QUEUES-1:0] open_q;       // the first has not ended
  logic [  QUEUES-1:0] ahead_q;      // something may go out behind it
  logic [  QUEUES-1:0] under_way_q;  // and has
  logic [  QUEUES-1:0] due_q;        // to be retransmitted
  logic [  QUEUES-1:0] ended_q;      // its status is to be reported
  logic [  QUEUES-1:0] ticked_q;     // its tick is to be counted

  // --- one event a cycle is chosen ---
  mu_pkg::request_event_e next_event;
  logic [QUEUE_WIDTH-1:0] next_queue, copy;

  // Cancellations and responses wait here while others are served.
  logic configure_q, configured_q, answer_q, failure_q, answers, answer_load, failure_load;
  logic response, answer_served, failure_served;
  logic [QUEUE_WIDTH-1:0] configure_queue_q;
  mu_pkg::send_answer_t waiting_answer_q, waiting_failure_q, answer, next_said;
  logic pick_valid_q;  // a row to be served
  logic [QUEUE_WIDTH-1:0] pick_q;

  assign begin_ready_o = !configure_q && !answer_q && !failure_q;
  assign copy     = number_queue_i[QUEUE_WIDTH-1:0];
  assign answers  = answer_q || answer_valid_i;
  assign answer   = answer_q ? waiting_answer_q : answer_i;
  assign next_said = answers ? answer : waiting_failure_q;
  assign response = answers || failure_q;
  always_comb begin
    next_event = mu_pkg::REQUEST_EVENT_NONE;
    next_queue = pick_q;
    if (begin_valid_i) begin
      next_event = mu_pkg::REQUEST_EVENT_BEGIN;
      next_queue = begin_queue_i;
    end else if (ahead_i || (left_i && !number_ahead_i)) begin
      next_event = ahead_i ? mu_pkg::REQUEST_EVENT_AHEAD : mu_pkg::REQUEST_EVENT_LEFT;
      next_queue = copy;
    end else if (response) begin
      next_event = mu_pkg::REQUEST_EVENT_RESPONSE;
      next_queue = next_said.queue[QUEUE_WIDTH-1:0];
    end else if (configure_q) begin
      next_event = mu_pkg::REQUEST_EVENT_CONFIGURE;
      next_queue = configure_queue_q;
    end else if (pick_valid_q) next_event = mu_pkg::REQUEST_EVENT_SERVE;
  end

  assign answer_served  = next_event == mu_pkg::REQUEST_EVENT_RESPONSE && answers;
  assign failure_served = next_event == mu_pkg::REQUEST_EVENT_RESPONSE && !answers;
  assign answer_load    = answer_valid_i && answer_q == answer_served;
  assign failure_load   = failure_i.valid && failure_q == failure_served;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {configure_q, answer_q, failure_q} <= '0;
    else begin
      configure_q <= cancel_i || configured_i ||
          (configure_q && next_event != mu_pkg::REQUEST_EVENT_CONFIGURE);
      answer_q    <= answer_load || (answer_q && !answer_served);
      failure_q   <= failure_load || (failure_q && !failure_served);
    end
  end
  always_ff @(posedge clk_i) begin
    if (cancel_i || configured_i) begin
      configured_q      <= configured_i ||
          (configured_q && configure_q && next_event != mu_pkg::REQUEST_EVENT_CONFIGURE);
      configure_queue_q <= configure_queue_i;
    end
    if (answer_load) waiting_answer_q <= answer_i;
    if (failure_load) waiting_failure_q <= failure_i.answer;
  end

  // --- and makes its step in the next: the row of its queue, and what came with it ---
  mu_pkg::request_event_e event_q;
  mu_pkg::send_answer_t said_q;
  mu_pkg::request_row_t row_q, row_d;
  logic [QUEUE_WIDTH-1:0] queue_q;
  logic changes, answers_q, resets_q;
  logic fence_q, sent_q;  // what begins or goes ahead is a FENCE; what begins has gone ahead
  logic again_q, end_q;  // a retransmission, or an end, is asked for
  logic dynamic, named;
  logic [11:0] node_q, peer, answer_peer, said_peer_q, waiting_peer_q;
  logic [31:0] index_q, number, number_next, begin_number;
  logic [43:0] fence_name;
  assign changes     = event_q != mu_pkg::REQUEST_EVENT_NONE;
  assign answer_peer = {answer_peer_i.z, answer_peer_i.y, answer_peer_i.x};
  always_ff @(posedge clk_i) if (answer_load) waiting_peer_q <= answer_peer;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) event_q <= mu_pkg::REQUEST_EVENT_NONE;
    else if (changes || next_event != mu_pkg::REQUEST_EVENT_NONE) event_q <= next_event;
  end
  always_ff @(posedge clk_i) begin
    if (next_event != mu_pkg::REQUEST_EVENT_NONE) begin
      queue_q       <= next_queue;
      row_q         <= changes && queue_q == next_queue ? row_d :
          known_q[next_queue] ? row_mem[next_queue] : '0;
      said_q        <= next_said;
      said_peer_q   <= answer_q ? waiting_peer_q : answer_peer;
      answers_q <= answers;
      fence_q       <= begin_valid_i ? begin_fence_i : ahead_fence_i;
      sent_q        <= begin_sent_i;
      node_q        <= begin_node_i;
      index_q       <= begin_index_i;
      resets_q  <= configured_q;
    end
  end
  assign number      = number_mem[queue_q];
  assign number_next = number + 32'd1;
  assign fence_name  = fence_mem[queue_q];
  assign dynamic     = dynamic_i[queue_q];
  // Of a dynamically connected queue each has a number of its own, whatever became of the last one.
  assign begin_number = !row_q.numbered ? '0 : dynamic || row_q.used ? number_next : number;
  assign peer         = said_q.fence ? fence_name[43:32] : dynamic ? node_mem[queue_q] : said_peer_q;
  assign named        = 32'(said_q.queue) < QUEUES && (!answers_q || said_q.node == peer);
  // Once more, if whoever sends it is not asked for another, and it may.
  logic behind_is_send, again, ends, completes;
  assign again = event_q == mu_pkg::REQUEST_EVENT_SERVE &&
      row_q.phase == mu_pkg::REQUEST_PHASE_DUE && !again_q && row_q.tries < retries_i;
  mu_request_step u_request_step (
      .event_i(event_q), .row_i(row_q), .dynamic_i(dynamic), .fence_i(fence_q), .begin_sent_i(sent_q),
      .configured_i(resets_q), .said_i(said_q), .answers_i(answers_q), .named_i(named),
      .number_i(number), .fence_index_i(fence_name[31:0]), .ticked_i(ticked_q[queue_q]),
      .again_i(again), .retries_i, .end_busy_i(end_q), .behind_is_send_o(behind_is_send),
      .row_o(row_d), .ends_o(ends), .completes_o(completes)
  );

  logic names;  // a FENCE begins, or goes ahead
  assign names = fence_q &&
      (event_q == mu_pkg::REQUEST_EVENT_BEGIN || event_q == mu_pkg::REQUEST_EVENT_AHEAD);
  always_ff @(posedge clk_i) begin
    if (changes) row_mem[queue_q] <= row_d;
    if (event_q == mu_pkg::REQUEST_EVENT_BEGIN && !fence_q) begin
      number_mem[queue_q] <= begin_number;
      node_mem[queue_q]   <= node_q;
    end
    if (names) fence_mem[queue_q] <= {node_q, index_q};
  end

  // --- rows to be served: the tick of each that is open, what is due, what has ended ---
  logic [QUEUES-1:0] wanted, here;
  logic tick, clock_busy, may_ahead;
  assign here   = changes ? QUEUES'(1) << queue_q : '0;
  assign may_ahead = row_d.phase == mu_pkg::REQUEST_PHASE_AWAITING && !row_d.fence &&
      row_d.behind != mu_pkg::REQUEST_BEHIND_SEND_ENDED;
  assign wanted = ticked_q | (again_q ? '0 : due_q) | (end_q ? '0 : ended_q);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {known_q, open_q, ahead_q, under_way_q, due_q, ended_q, ticked_q} <= '0;
    else if (changes || tick) begin
      known_q     <= known_q | here;
      open_q      <= (open_q & ~here) |
          (row_d.phase != mu_pkg::REQUEST_PHASE_NONE ? here : '0);
      due_q       <= (due_q & ~here) | (row_d.phase == mu_pkg::REQUEST_PHASE_DUE ? here : '0);
      ended_q     <= (ended_q & ~here) | (ends && !completes ? here : '0);
      ahead_q     <= (ahead_q & ~here) | (may_ahead ? here : '0);
      under_way_q <= (under_way_q & ~here) |
          (row_d.behind != mu_pkg::REQUEST_BEHIND_NONE ? here : '0);
      if (tick) ticked_q <= open_q;
      else if (event_q == mu_pkg::REQUEST_EVENT_SERVE || event_q == mu_pkg::REQUEST_EVENT_BEGIN)
        ticked_q <= ticked_q & ~here;
    end
  end
  logic picks;  // not while the one before makes its step
  assign picks = !pick_valid_q && event_q != mu_pkg::REQUEST_EVENT_SERVE && wanted != '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) pick_valid_q <= 1'b0;
    else pick_valid_q <= picks || (pick_valid_q && next_event != mu_pkg::REQUEST_EVENT_SERVE);
  end
  always_ff @(posedge clk_i) begin
    if (picks) for (int unsigned i = QUEUES; i > 0; i--) if (wanted[i-1]) pick_q <= QUEUE_WIDTH'(i - 1);
  end

  mu_retry_clock u_retry_clock (
      .clk_i, .rst_ni, .busy_o(clock_busy), .now_i, .wake_at_o, .retry_cycles_i,
      .run_i(open_q != '0), .hold_i(ticked_q != '0), .tick_o(tick)
  );

  // --- what is asked for: one retransmission, one end ---
  logic [QUEUE_WIDTH-1:0] again_queue_q;
  mu_pkg::queue_end_t end_row_q;
  logic configures, configures_again, configures_end;
  assign configures       = event_q == mu_pkg::REQUEST_EVENT_CONFIGURE;
  assign configures_again = (configure_q && configure_queue_q == again_queue_q) ||
      (configures && queue_q == again_queue_q);
  assign configures_end   = (configure_q && 8'(configure_queue_q) == end_row_q.queue) ||
      (configures && 8'(queue_q) == end_row_q.queue);
  assign again_valid_o    = again_q && !configures_again;
  assign again_queue_o    = again_queue_q;
  assign end_valid_o      = end_q && !configures_end;
  assign end_o            = end_row_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {again_q, end_q} <= '0;
    else begin
      // One that has ended meanwhile is not retransmitted.
      if (again) again_q <= 1'b1;
      else if (again_ready_i || configures_again || (changes && ends && queue_q == again_queue_q))
        again_q <= 1'b0;
      if (completes) end_q <= 1'b1;
      else if (end_ready_i || configures_end) end_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (again) again_queue_q <= queue_q;
    if (completes) begin
      end_row_q.queue  <= 8'(queue_q);
      end_row_q.status <= row_d.status;
    end
  end
  assign busy_o = changes || end_q || again_q || pick_valid_q || wanted != '0 || configure_q || answer_q ||
      failure_q || clock_busy;

  // --- what the packetiser asks ---
  mu_pkg::request_row_t copy_row;
  logic begins_copy;  // in this cycle
  assign begins_copy   = event_q == mu_pkg::REQUEST_EVENT_BEGIN && queue_q == copy;
  assign copy_row      = known_q[copy] ? row_mem[copy] : '0;
  assign number_o      = (begins_copy && !fence_q ? begin_number : number_mem[copy]) + 32'(number_ahead_i);
  assign doubtful_o    = copy_row.copy_doubtful && !begins_copy;
  assign broken_o      = 32'(number_queue_i) < QUEUES && copy_row.broken;
  assign fence_ahead_o = ahead_q;
  assign may_ahead_o   = ahead_q & ~dynamic_i;
  assign under_way_o   = under_way_q;
  // Not while the one before may be ending.
  assign ahead_good_o  = (ahead_fence_i ? fence_ahead_o[copy] : may_ahead_o[copy]) &&
      !(configure_q && configure_queue_q == copy) && !(changes && queue_q == copy);

  logic unused;
  assign unused = ^{answer_peer_i, copy_row};

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      one_of_the_packetiser_a_cycle :
      assert (!(begin_valid_i && (ahead_i || left_i)) && !(ahead_i && left_i));
      begins_what_is_free :
      assert (event_q != mu_pkg::REQUEST_EVENT_BEGIN || row_q.phase == mu_pkg::REQUEST_PHASE_NONE);
      sent_is_the_second :
      assert (event_q != mu_pkg::REQUEST_EVENT_BEGIN || fence_q || sent_q == behind_is_send);
      begins_as_it_went_ahead :
      assert (!names || behind_is_send || row_q.behind == mu_pkg::REQUEST_BEHIND_NONE ||
              fence_name == {node_q, index_q});
      ahead_if_it_may : assert (!ahead_i || ahead_good_o);
      configures_what_begins_later :
      assert (!configure_q || !begin_valid_i || begin_queue_i != configure_queue_q);
      configures_one_at_a_time :
      assert (!configure_q || !(cancel_i || configured_i) ||
              configure_queue_i == configure_queue_q ||
              next_event == mu_pkg::REQUEST_EVENT_CONFIGURE);
      no_answer_is_dropped : assert (!answer_valid_i || !answer_q || answer_served);
      knows_what_is_open :
      assert (!changes || open_q[queue_q] == (row_q.phase != mu_pkg::REQUEST_PHASE_NONE));
      knows_what_is_due :
      assert (!changes || due_q[queue_q] == (row_q.phase == mu_pkg::REQUEST_PHASE_DUE));
      knows_what_has_ended :
      assert (!changes || ended_q[queue_q] == (row_q.phase == mu_pkg::REQUEST_PHASE_ENDED));
    end
  end
endmodule
`default_nettype wire

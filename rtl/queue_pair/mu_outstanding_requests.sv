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
    input  logic                   clk_i,
    input  logic                   rst_ni,
    output logic                   busy_o,
    input  mu_pkg::cycle_t         now_i,
    output mu_pkg::cycle_t         wake_at_o,
    input  logic [24:0]            retry_cycles_i,
    input  logic [7:0]             retries_i,
    input  logic [QUEUES-1:0]      dynamic_i,  // dynamically connected queues
    // who holds queues
    input  logic                   begin_valid_i,
    output logic                   begin_ready_o,  // nothing waits to be served
    input  logic                   begin_fence_i,
    input  logic                   begin_sent_i,  // it went ahead
    input  logic [QUEUE_WIDTH-1:0] begin_queue_i,
    input  logic [11:0]            begin_node_i,   // of a FENCE or if dynamic: z, y, x
    input  logic [31:0]            begin_index_i,  // of the descriptor of a FENCE
    input  logic                   cancel_i,
    input  logic                   configured_i,
    input  logic [QUEUE_WIDTH-1:0] configure_queue_i,  // of cancel_i and configured_i
    output logic [QUEUES-1:0]      may_ahead_o,        // the SEND behind the first may go out
    output logic [QUEUES-1:0]      fence_ahead_o,      // so may a FENCE
    output logic [QUEUES-1:0]      under_way_o,        // it has
    output logic                   end_valid_o,
    input  logic                   end_ready_i,
    output mu_pkg::queue_end_t     end_o,
    output logic                   again_valid_o,
    input  logic                   again_ready_i,
    output logic [QUEUE_WIDTH-1:0] again_queue_o,
    // packetiser: of the copy that it cuts
    input  logic [7:0]             number_queue_i,
    input  logic                   number_ahead_i,  // it goes ahead
    output logic [31:0]            number_o,
    output logic                   doubtful_o,  // an earlier copy may have been taken
    output logic                   broken_o,
    output logic                   ahead_good_o,   // it may
    input  logic                   ahead_i,        // it begins to
    input  logic                   ahead_fence_i,  // a FENCE of begin_node_i, _index_i
    input  logic                   left_i,         // its last packet is cut
    // reception engine, injection completion
    input  logic                   answer_valid_i,
    input  mu_pkg::send_answer_t   answer_i,
    input  mu_pkg::queue_peer_t    answer_peer_i,  // of the queue that answer_i names
    input  mu_pkg::send_outcome_t  failure_i
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

`ifdef PROVE_MU_OUTSTANDING_REQUESTS
  // What is proved of mu_outstanding_requests: one queue, any of them, and a receiver that takes what comes
  // in order. No SEND ends well without having been taken, and none begins whose number was taken before: it
  // would be acknowledged as an old one, and lost. If the queue is dynamically connected: each SEND has the
  // number behind the last, none goes ahead, the queue never is broken, and a copy is doubtful if one before
  // it was not refused. A FENCE ends with what was said of it, by the node that it names, after it began or
  // went ahead, or with RETRY_EXCEEDED once it has gone out as often as it may; it ends after it began only.
  // Of whom a response is, and what it says, as mu_request_step takes it.
  logic waits, unknown, refuses, uses, half_sent, of_first, of_second;
  assign waits     = row_q.phase != mu_pkg::REQUEST_PHASE_NONE && row_q.phase != mu_pkg::REQUEST_PHASE_ENDED;
  assign unknown   = dynamic && said_q.status == mu_pkg::STATUS_DELIVERY_UNKNOWN;
  assign refuses   = said_q.status == mu_pkg::STATUS_RECEIVE_DISABLED || unknown;
  assign uses      = answers_q &&
      (said_q.status == mu_pkg::STATUS_OK || said_q.status == mu_pkg::STATUS_MEMORY_ERROR);
  assign half_sent = !answers_q && said_q.node != '0;
  assign of_first  = named && !said_q.fence && said_q.number == number && waits && !row_q.fence;
  assign of_second = named && !said_q.fence && said_q.number == number_next &&
      (row_q.behind == mu_pkg::REQUEST_BEHIND_SEND || row_q.behind == mu_pkg::REQUEST_BEHIND_SEND_REFUSED ||
       row_q.behind == mu_pkg::REQUEST_BEHIND_SEND_DUE);
  (* anyconst *) logic [QUEUE_WIDTH-1:0] chosen;
  (* anyconst *) logic [7:0] most;
  (* anyconst *) logic is_dynamic;
  (* anyseq *) logic takes;
  logic        past_q = 1'b0;
  mu_pkg::request_row_t mine;  // the row
  logic [31:0] first, next_number, base;
  logic        holds, sends, fences, ended, second, second_ended;
  assign mine         = known_q[chosen] ? row_mem[chosen] : '0;
  assign first        = number_mem[chosen];
  assign next_number  = !mine.numbered ? '0 : first + 32'(mine.used);
  assign holds        = mine.phase != mu_pkg::REQUEST_PHASE_NONE;
  assign sends        = holds && !mine.fence;
  assign fences       = holds && mine.fence;
  assign ended        = mine.phase == mu_pkg::REQUEST_PHASE_ENDED;
  assign second       = mine.behind != mu_pkg::REQUEST_BEHIND_NONE && !out_here;
  assign second_ended = mine.behind == mu_pkg::REQUEST_BEHIND_SEND_ENDED;
  assign base         = sends || second ? first : next_number;
  logic here_now, begins, responds, out_here, cancels;
  assign out_here = mine.behind == mu_pkg::REQUEST_BEHIND_FENCE ||
      mine.behind == mu_pkg::REQUEST_BEHIND_FENCE_ENDED;
  assign here_now = changes && queue_q == chosen;
  assign begins   = here_now && event_q == mu_pkg::REQUEST_EVENT_BEGIN;
  assign responds = here_now && event_q == mu_pkg::REQUEST_EVENT_RESPONSE;
  assign cancels  = here_now && event_q == mu_pkg::REQUEST_EVENT_CONFIGURE;
  // Of the other rows, too: an event may be theirs.
  logic [QUEUES-1:0] open_rows, due_rows, ended_rows;
  always_comb begin
    for (int unsigned i = 0; i < QUEUES; i++) begin
      open_rows[i]  = known_q[i] && row_mem[i][2:0] != mu_pkg::REQUEST_PHASE_NONE;
      due_rows[i]   = known_q[i] && row_mem[i][2:0] == mu_pkg::REQUEST_PHASE_DUE;
      ended_rows[i] = known_q[i] && row_mem[i][2:0] == mu_pkg::REQUEST_PHASE_ENDED;
    end
  end
  // SENDs
  logic [31:0] begun_q;      // of the chosen queue
  logic        began_q;
  logic [ 8:0] unrefused_q;  // copies that may be taken
  logic        doubt_q;      // so may one before the last
  logic [31:0] expected_q, end_number_q;
  logic        cancelled_q;  // what was under way is gone: both ends are configured before they go on
  // FENCEs: what was said, what goes out
  logic [43:0] name_q;
  logic        told_q, end_fence_q, end_said_q, says;
  logic [ 7:0] status_q, end_status_q;
  logic [ 8:0] copies_q;
  assign says = responds && said_q.fence && 32'(said_q.queue) < QUEUES && ((fences && !ended) || out_here) &&
      !told_q &&
      said_q.number == name_q[31:0] && (!answers_q || said_q.node == name_q[43:32]);
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (dynamic_i[chosen] == is_dynamic && retries_i == most);
    if (is_dynamic) assume (!takes);
    assume (32'(chosen) < QUEUES && 32'(begin_queue_i) < QUEUES && 32'(configure_queue_i) < QUEUES);
    assume (!(begin_valid_i && (ahead_i || left_i)) && !(ahead_i && left_i));
    assume (!(ahead_i || left_i) || 32'(number_queue_i) < QUEUES);
    assume (event_q != mu_pkg::REQUEST_EVENT_BEGIN || row_q.phase == mu_pkg::REQUEST_PHASE_NONE);
    assume (!ahead_i || ahead_good_o);
    assume (!begin_valid_i || !configure_q || begin_queue_i != configure_queue_q);
    assume (!configure_q || !(cancel_i || configured_i) || configure_queue_i == configure_queue_q ||
            next_event == mu_pkg::REQUEST_EVENT_CONFIGURE);
    assume (!answer_valid_i || !answer_q || answer_served);
    // What went ahead is what begins, and what goes ahead again.
    if (event_q == mu_pkg::REQUEST_EVENT_BEGIN && !fence_q)
      assume (sent_q == behind_is_send && (behind_is_send || row_q.behind == mu_pkg::REQUEST_BEHIND_NONE));
    if (names)
      assume (row_q.behind == mu_pkg::REQUEST_BEHIND_NONE ||
              (!behind_is_send && fence_name == {node_q, index_q}));
    if (event_q == mu_pkg::REQUEST_EVENT_AHEAD && !fence_q)
      assume (behind_is_send || row_q.behind == mu_pkg::REQUEST_BEHIND_NONE);
    // One end of a queue is reported before the next SEND or FENCE of it begins.
    assume (event_q != mu_pkg::REQUEST_EVENT_BEGIN || !end_q || end_row_q.queue != 8'(queue_q));
    if (begins && !fence_q) assume (!mine.broken && !cancelled_q);
    // Each copy is refused once.
    if (is_dynamic && responds && of_first && refuses) assume (unrefused_q != '0);
    if (responds && answers_q && !is_dynamic && !said_q.fence) begin
      // What uses a number up is said of something taken.
      if (uses) assume ($signed(said_q.number - expected_q) < 0);
      // A refusal for good is of what was not taken, unless another copy was.
      else if (of_first && !refuses) assume (mine.doubtful || expected_q == first);
      else if (of_second && !refuses) assume (mine.behind_doubtful || expected_q == first + 32'd1);
    end
    if (responds && !answers_q && !said_q.fence) assume (!refuses && said_q.status != mu_pkg::STATUS_OK);
    if (responds && !answers_q && !is_dynamic && !said_q.fence) begin
      if (of_first) assume (mine.doubtful || half_sent || expected_q == first);
      if (of_second) assume (mine.behind_doubtful || half_sent || $signed(expected_q - first) <= 1);
    end
    // Taken is what is under way, in order; what is refused for good is not.
    if (takes) begin
      assume ((sends && expected_q == first && !(ended && !mine.used)) ||
              (second && expected_q == first + 32'd1 && !(second_ended && !mine.behind_used)));
      if (responds && of_first && !uses && !refuses) assume (expected_q != first);
      if (responds && of_second && !uses && !refuses) assume (expected_q != first + 32'd1);
      assume (!(completes && queue_q == chosen) && !cancels);
    end
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) begin
      expected_q  <= '0;
      cancelled_q <= 1'b0;
      {began_q, begun_q, unrefused_q, doubt_q, told_q, copies_q} <= '0;
    end else begin
      if (here_now && again) begin
        copies_q    <= copies_q + 9'd1;
        unrefused_q <= unrefused_q + 9'd1;
        doubt_q     <= unrefused_q != '0;
      end
      if (responds && of_first && refuses) unrefused_q <= unrefused_q - 9'd1;
      if (begins) begin
        copies_q <= '0;
        if (!out_here) told_q <= 1'b0;
        {unrefused_q, doubt_q} <= {9'd1, 1'b0};
        if (!fence_q) {began_q, begun_q} <= {1'b1, begun_q + 32'd1};
      end
      if (here_now && (begins || event_q == mu_pkg::REQUEST_EVENT_AHEAD) && fence_q) begin
        name_q <= {node_q, index_q};
        // What was said meanwhile stays said.
        if (!out_here) told_q <= 1'b0;
      end
      if (says) {told_q, status_q} <= {1'b1, said_q.status};
      if (takes) expected_q <= expected_q + 32'd1;
      if (cancels && resets_q) begin
        expected_q  <= '0;
        cancelled_q <= configure_q && configure_queue_q == chosen && !configured_q;
      end
      if (cancel_i && configure_queue_i == chosen) cancelled_q <= 1'b1;
      if (completes && queue_q == chosen) begin
        end_fence_q  <= row_d.fence;
        end_number_q <= begins ? begin_number : first;
        end_said_q   <= told_q || says;
        end_status_q <= says ? said_q.status : status_q;
      end
    end
    if (past_q && rst_ni) begin
      steps_from_its_row :
      assert (!changes || row_q == (known_q[queue_q] ? row_mem[queue_q] : '0));
      cancelled_if_it_is : assert (!cancels || resets_q || cancelled_q);
      rows_are_open : assert (open_q == open_rows);
      rows_are_due : assert (due_q == due_rows);
      rows_have_ended : assert (ended_q == ended_rows);
      mine_is_under_way : assert (under_way_q[chosen] == (mine.behind != mu_pkg::REQUEST_BEHIND_NONE));
      mine_may_go_ahead :
      assert (ahead_q[chosen] == (sends && mine.phase == mu_pkg::REQUEST_PHASE_AWAITING && !second_ended));
      legal_phase : assert (mine.phase <= mu_pkg::REQUEST_PHASE_ENDED);
      legal_behind : assert (mine.behind <= mu_pkg::REQUEST_BEHIND_FENCE_ENDED);
      nothing_behind_a_fence : assert (!fences || mine.behind == mu_pkg::REQUEST_BEHIND_NONE);
      a_fence_awaits : assert (!fences || mine.phase == mu_pkg::REQUEST_PHASE_AWAITING ||
          mine.phase == mu_pkg::REQUEST_PHASE_DUE || ended);
      numbered_if_it_began : assert (!sends || mine.numbered);
      none_again_that_has_ended : assert (!again_q || again_queue_q != chosen || (holds && !ended));
      cancelled_if_to_be :
      assert (!configure_q || configure_queue_q != chosen || configured_q || cancelled_q);
      one_end_of_a_queue : assert (!end_q || end_row_q.queue != 8'(chosen) || !holds);
      ended_last : assert (!end_q || end_row_q.queue != 8'(chosen) || end_fence_q || end_number_q == first);
      // FENCEs
      knows_its_name : assert (!(fences || out_here) || fence_mem[chosen] == name_q);
      counts_its_copies : assert (!fences || 9'(mine.tries) == copies_q);
      goes_out_as_often_as_it_may : assert (!fences || copies_q <= 9'(most));
      ends_as_was_said :
      assert (!(fences && ended) || (told_q ? mine.status == status_q :
                                     mine.status == mu_pkg::STATUS_RETRY_EXCEEDED && copies_q >= 9'(most)));
      ends_once_said : assert (!fences || !told_q || ended);
      ends_ahead_as_was_said :
      assert (!out_here || (told_q == (mine.behind == mu_pkg::REQUEST_BEHIND_FENCE_ENDED) &&
                            (!told_q || mine.behind_status == status_q)));
      forgets_what_was_unknown : assert (!fences || !mine.unknown);
      reports_a_fence_as_was_said :
      assert (!end_q || end_row_q.queue != 8'(chosen) || !end_fence_q ||
              end_row_q.status == (end_said_q ? end_status_q : mu_pkg::STATUS_RETRY_EXCEEDED));
    end
    if (past_q && rst_ni && is_dynamic) begin
      never_broken : assert (!mine.broken);
      none_goes_ahead : assert (!second);
      has_a_number_of_its_own : assert (!began_q || first == begun_q - 32'd1);
      knows_whether_one_began : assert (mine.numbered == began_q && (began_q || begun_q == '0));
      doubtful_if_one_before_may_be_taken : assert (!doubt_q || !sends || mine.copy_doubtful);
      counts_what_may_be_taken : assert (!sends || mine.copies == 8'(unrefused_q) || mine.tries == 8'd255);
      one_copy_a_retry : assert (!sends || unrefused_q <= 9'(mine.tries) + 9'd1);
    end
    if (past_q && rst_ni && !cancelled_q && !mine.broken && !is_dynamic) begin
      if (end_q && end_row_q.queue == 8'(chosen) && !end_fence_q && end_row_q.status == mu_pkg::STATUS_OK)
        ends_well_what_was_taken : assert ($signed(end_number_q - expected_q) < 0);
      if (sends && ended && mine.used)
        uses_up_what_was_taken : assert ($signed(first - expected_q) < 0);
      if (sends && ended && !mine.used)
        keeps_the_number_of_what_was_not : assert (expected_q == first);
      if (!sends && !second) begins_with_a_number_not_taken : assert (expected_q == next_number);
      if (second && !sends) first_was_taken : assert (expected_q != first && mine.used && mine.numbered);
      if (second_ended && mine.behind_used)
        second_was_taken : assert (expected_q == first + 32'd2);
      if (second_ended && !mine.behind_used && !mine.behind_doubtful)
        second_was_not : assert (expected_q != first + 32'd2);
      one_ahead_at_most_a_send :
      assert (expected_q - base <= 32'(sends || second) + 32'(second));
    end
    if (past_q && rst_ni && !is_dynamic) begin
      unused_until_it_ends : assert (!sends || ended || !mine.used);
      ok_uses_up : assert (!(sends && ended) || mine.used || mine.status != mu_pkg::STATUS_OK);
      ok_used_up :
      assert (!end_q || end_row_q.queue != 8'(chosen) || end_fence_q || mine.used ||
              end_row_q.status != mu_pkg::STATUS_OK);
      ok_uses_up_ahead :
      assert (!second_ended || mine.behind_used || mine.behind_status != mu_pkg::STATUS_OK);
    end
  end
`endif
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_outstanding_requests: one queue, any of them, and a receiver that takes what comes in
// order. No SEND ends well without having been taken, and none begins whose number was taken before: it would be
// acknowledged as an old one, and lost. If the queue is dynamically connected: each SEND has the number behind
// the last, none goes ahead, the queue never is broken, and a copy is doubtful if one before it was not refused.
// A FENCE ends with what was said of it, by the node that it names, after it began or went ahead, or with
// RETRY_EXCEEDED once it has gone out as often as it may; it ends after it began only.
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
  assign says = responds && said_q.fence && 32'(said_q.queue) < QUEUES && ((fences && !ended) || out_here) && !told_q &&
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

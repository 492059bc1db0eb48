// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_send_acknowledge: one queue, any of them, and a receiver that takes what comes in
// order. No SEND ends well without having been taken, and none begins whose number was taken before: it would be
// acknowledged as an old one, and lost. If the queue is dynamically connected: each SEND has the number behind
// the last, none goes ahead, the queue never is broken, and a copy is doubtful if one before it was not refused.
  (* anyconst *) logic [QUEUE_WIDTH-1:0] chosen;
  (* anyseq *) logic takes;
  (* anyconst *) logic is_dynamic;
  logic [31:0] begun_q;  // SENDs of the chosen queue
  logic [ 8:0] unrefused_q;  // copies that may be taken
  logic        doubt_q;      // so may one before the last
  logic        past_q = 1'b0;
  logic [31:0] expected_q, first, base;
  logic        cancelled_q;  // what was under way is gone: both ends are configured before they go on
  logic        began_q;      // sent_mem holds a number
  logic        of_chosen, tells_second;
  // Of the chosen queue, by its memories: how often it went out again, copies that were not refused, status.
  logic [ 7:0] tries_here, copies_here, status_here, second_status_here;
  assign second_status_here = status_mem[{chosen, !slot_q[chosen]}];
  assign tries_here  = tried_q[chosen] ? tries_mem[chosen] : '0;
  assign copies_here = tries_here + 8'd1 - (counted_q[chosen] ? refusals_mem[chosen] : '0);
  assign status_here = exceeded_q[chosen] ? mu_pkg::STATUS_RETRY_EXCEEDED :
      status_mem[{chosen, slot_q[chosen]}];
  assign first        = sent_mem[chosen];
  assign base         = open_q[chosen] || second_q[chosen] ? first : number_of(chosen);
  assign of_chosen    = told_valid && told_queue == chosen;
  assign tells_second = of_chosen && of_second;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (dynamic_i[chosen] == is_dynamic);
    if (is_dynamic) assume (!takes);
    // Each copy is refused once.
    if (is_dynamic && of_chosen && of_first && refuses) assume (unrefused_q != '0);
    assume (32'(chosen) < QUEUES && 32'(begin_queue_i) < QUEUES && 32'(configure_queue_i) < QUEUES);
    assume (!begin_valid_i || !open_q[begin_queue_i]);
    assume (!begin_valid_i || begin_sent_i == second_q[begin_queue_i]);
    assume (!ahead_i || (ahead_good_o && !ahead_fence_i && 32'(number_queue_i) < QUEUES));
    // A copy that goes ahead is cut before the one behind which it went has ended, and left.
    if (begin_valid_i && begin_queue_i == chosen) assume (!broken_q[chosen] && !cancelled_q && !ahead_i);
    if ((cancel_i || configured_i) && configure_queue_i == chosen) assume (!begin_valid_i && !ahead_i);
    if (configured_i && configure_queue_i == chosen) assume (!open_q[chosen]);
    if (of_chosen && answer_valid_i && !is_dynamic) begin
      // What uses a number up is said of something taken.
      if (uses) assume ($signed(told.number - expected_q) < 0);
      // A refusal for good is of what was not taken, unless another copy was.
      else if (of_first && !refuses) assume (doubtful_q[chosen] || expected_q == first);
      else if (of_second && !refuses) assume (second_doubtful_q[chosen] || expected_q == first + 32'd1);
    end
    if (failure_valid_i && of_chosen && !answer_valid_i)
      assume (fails && told.status != mu_pkg::STATUS_OK);
    if (failure_valid_i && of_chosen && !answer_valid_i && !is_dynamic) begin
      if (of_first) assume (doubtful_q[chosen] || half_sent || expected_q == first);
      if (of_second) assume (second_doubtful_q[chosen] || half_sent || $signed(expected_q - first) <= 1);
    end
    // Taken is what is under way, in order; what is refused for good is not.
    if (takes) begin
      assume ((open_q[chosen] && expected_q == first && !(ended_q[chosen] && !used_q[chosen])) ||
              (second_q[chosen] && expected_q == first + 32'd1 &&
               !(second_ended_q[chosen] && !second_used_q[chosen])));
      if (of_chosen && of_first && fails) assume (expected_q != first);
      if (tells_second && fails) assume (expected_q != first + 32'd1);
      assume (!(gone && end_queue == chosen));
    end
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) begin
      expected_q  <= '0;
      cancelled_q <= 1'b0;
      {began_q, begun_q, unrefused_q, doubt_q} <= '0;
    end else begin
      unrefused_q <= unrefused_q + 9'(goes_again && again_queue_o == chosen) -
          9'(of_first && refuses && of_chosen);
      if (goes_again && again_queue_o == chosen) doubt_q <= unrefused_q != '0;
      if (begin_valid_i && begin_queue_i == chosen) begin
        {began_q, unrefused_q, doubt_q} <= {1'b1, 9'd1, 1'b0};
        begun_q <= begun_q + 32'd1;
      end
      if (takes) expected_q <= expected_q + 32'd1;
      if (cancel_i && configure_queue_i == chosen) cancelled_q <= 1'b1;
      if (configured_i && configure_queue_i == chosen) {expected_q, cancelled_q} <= '0;
    end
    if (past_q && rst_ni && is_dynamic) begin
      never_broken : assert (!broken_q[chosen]);
      none_goes_ahead : assert ({second_q[chosen], second_ended_q[chosen], due_q[chosen]} == '0);
      has_a_number_of_its_own : assert (!began_q || sent_mem[chosen] == begun_q - 32'd1);
      knows_whether_one_began : assert (numbered_q[chosen] == began_q && (began_q || begun_q == '0));
      began_if_open : assert (!open_q[chosen] || began_q);
      doubtful_if_one_before_may_be_taken : assert (!doubt_q || !open_q[chosen] || copy_doubtful_q[chosen]);
      counts_what_may_be_taken :
      assert (!open_q[chosen] || copies_here == unrefused_q || tries_here == 8'd255);
      one_copy_a_retry : assert (!open_q[chosen] || unrefused_q <= 9'(tries_here) + 9'd1);
    end
    if (past_q && rst_ni && !cancelled_q && !broken_q[chosen] && !is_dynamic) begin
      if (ended_q[chosen] && status_here == mu_pkg::STATUS_OK)
        ends_well_what_was_taken : assert ($signed(first - expected_q) < 0);
      if (ended_q[chosen] && used_q[chosen])
        uses_up_what_was_taken : assert ($signed(first - expected_q) < 0);
      if (ended_q[chosen] && !used_q[chosen])
        keeps_the_number_of_what_was_not : assert (expected_q == first);
      if (!open_q[chosen] && !second_q[chosen])
        begins_with_a_number_not_taken : assert (expected_q == number_of(chosen));
      if (second_q[chosen] && !open_q[chosen]) first_was_taken : assert (expected_q != first);
      if (second_ended_q[chosen] && second_used_q[chosen])
        second_was_taken : assert (expected_q == first + 32'd2);
      if (second_ended_q[chosen] && !second_used_q[chosen] && !second_doubtful_q[chosen])
        second_was_not : assert (expected_q != first + 32'd2);
      one_ahead_at_most_a_send :
      assert (expected_q - base <= 32'(open_q[chosen] || second_q[chosen]) + 32'(second_q[chosen]));
    end
    if (past_q && rst_ni) begin
      what_ends_is_open : assert (((ended_q | again_q | refused_q) & ~open_q) == '0);
    end
    if (past_q && rst_ni && !is_dynamic) begin
      second_of_an_open_one : assert (!open_q[chosen] || number_of(chosen) == first);
      second_comes_next : assert (open_q[chosen] || !second_q[chosen] || number_of(chosen) == first + 32'd1);
      ends_ahead_if_it_went : assert (second_q[chosen] || !second_ended_q[chosen]);
      ok_uses_up : assert (!ended_q[chosen] || used_q[chosen] || status_here != mu_pkg::STATUS_OK);
      ok_uses_up_ahead :
      assert (!second_ended_q[chosen] || second_used_q[chosen] ||
              second_status_here != mu_pkg::STATUS_OK);
      zero_until_numbered : assert (numbered_q[chosen] || number_of(chosen) == '0);
    end
  end

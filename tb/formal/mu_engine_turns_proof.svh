// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_engine_turns, of any one queue: it is offered once for each time that it was due,
// and not if that was flushed; an offer stands until it is taken; no other queue goes before it twice; and
// while a queue is due the engine stands still for two cycles at most.
  (* anyconst *) logic [QUEUE_WIDTH-1:0] chosen;
  logic                   past_q = 1'b0;
  logic                   owed_q;    // due, and neither taken nor flushed
  logic                   runs_q;    // its descriptor runs
  logic [QUEUES-1:0]      before_q;  // queues that were taken since it is due
  logic [1:0]             still_q;   // cycles without an offer since it is due
  logic                   offered_q;
  logic                   refused_q;  // it waited, and was not taken away
  logic [QUEUE_WIDTH-1:0] queue_before_q;
  logic                   takes, takes_chosen, takes_away;
  assign takes        = start_valid_o && start_ready_i;
  assign takes_chosen = takes && queue_o == chosen;
  assign takes_away   = flush_o && flush_queue_i == chosen;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (32'(chosen) < QUEUES && 32'(flush_queue_i) < QUEUES);
    // Due again only after it has ended: of every queue.
    assume ((due_i & due_q) == '0);
    assume (!((start_valid_o || running_o) && due_i[queue_o]));
    assume (!due_i[chosen] || !(owed_q || runs_q));
    assume (!done_i || running_o);
  end
  always_ff @(posedge clk_i) begin
    past_q         <= 1'b1;
    queue_before_q <= queue_o;
    if (!rst_ni) begin
      {owed_q, runs_q, still_q, offered_q, refused_q} <= '0;
      before_q <= '0;
    end else begin
      offered_q <= start_valid_o && !start_ready_i;
      refused_q <= flush_i && flush_queue_i == chosen && owed_q && !takes_away;
      if (due_i[chosen]) owed_q <= 1'b1;
      if (takes_chosen || takes_away) owed_q <= 1'b0;
      if (takes_chosen) runs_q <= 1'b1;
      else if (done_i) runs_q <= 1'b0;
      if (!owed_q) before_q <= '0;
      else if (takes) before_q[queue_o] <= 1'b1;
      still_q <= owed_q && !start_valid_o && !running_o ? still_q + 2'd1 : '0;
      if (past_q) begin
        if (start_valid_o && queue_o == chosen) offers_what_is_due : assert (owed_q);
        if (takes_away) takes_away_what_waits : assert (owed_q && !(start_valid_o && queue_o == chosen));
        if (refused_q) not_taken_away_if_offered : assert (start_valid_o || running_o);
        one_at_a_time : assert (!(start_valid_o && running_o));
        an_offer_stands : assert (!offered_q || (start_valid_o && queue_o == queue_before_q));
        none_goes_before_it_twice : assert (!(takes && owed_q && before_q[queue_o]));
        begins_at_once : assert (!owed_q || still_q < 2'd2);
        busy_while_one_can_begin : assert (!owed_q || running_o || busy_o);
        runs_what_was_taken : assert (!runs_q || (running_o && queue_o == chosen));
        // What the above rests on.
        owed_is_due_or_offered : assert (owed_q == (due_q[chosen] || (start_valid_o && queue_o == chosen)));
      end
    end
  end

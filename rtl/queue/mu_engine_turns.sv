// SPDX-License-Identifier: Apache-2.0
// mu_engine_turns: held descriptors that an engine runs, CALC or PIPE, one at a time, round robin.
//
//   due (one bit a queue) ---> [ choose ] --+--> start_valid_o, queue_o ---> the engine ---> done
//                                           \--> choose_o, choice_o: a cycle before, to look it up
//
// Behaviour: a queue that was due_i stays so until it is granted or flushed. One descriptor runs at a time;
//   the queues behind the one that ran last go first. flush_o: that of flush_queue_i has not begun, and is
//   taken away in this cycle; the engine's end waits then.
// Latency: due to start_valid_o 2 cycles.
// Limits: a queue is due again only after its descriptor has ended.
`default_nettype none

module mu_engine_turns #(
    parameter  int unsigned QUEUES      = 32,
    localparam int unsigned QUEUE_WIDTH = $clog2(QUEUES)
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    output logic                   busy_o,
    input  logic [QUEUES-1:0]      due_i,
    input  logic                   flush_i,
    input  logic [QUEUE_WIDTH-1:0] flush_queue_i,
    output logic                   flush_o,
    output logic [QUEUE_WIDTH-1:0] queue_o,       // of what is offered or runs
    output logic                   choose_o,      // and is chosen in this cycle
    output logic [QUEUE_WIDTH-1:0] choice_o,
    // the engine
    output logic                   start_valid_o,
    input  logic                   start_ready_i,
    output logic                   running_o,
    input  logic                   done_i         // its end is taken
);
  logic [QUEUES-1:0] due_q, due, due_behind, candidates, grant;
  logic [QUEUES-1:1] behind_q;  // the one that ran last; queue 0 is behind none
  logic valid_q, running_q;
  logic [QUEUE_WIDTH-1:0] queue_q, choice;

  // What is flushed is not chosen: whether it would have been comes late in the cycle.
  assign due        = due_q & ~(QUEUES'(flush_i) << flush_queue_i);
  assign due_behind = due & {behind_q, 1'b0};
  always_comb begin
    candidates = '0;
    grant      = '0;
    choice     = '0;
    if (due_q != '0 && !valid_q && !running_q) begin
      candidates = due_behind != '0 ? due_behind : due;
      grant = candidates & (~candidates + 1'b1);
      for (int unsigned i = 0; i < QUEUES; i++) if (grant[i]) choice = choice | QUEUE_WIDTH'(i);
    end
  end
  assign flush_o = flush_i && due_q[flush_queue_i];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      due_q     <= '0;
      behind_q  <= '0;
      valid_q   <= 1'b0;
      running_q <= 1'b0;
    end else begin
      if (due_i != '0) due_q <= due_q | due_i;
      if (flush_o) due_q[flush_queue_i] <= 1'b0;
      if (choose_o) begin
        due_q[choice] <= 1'b0;
        behind_q      <= ~grant[QUEUES-2:0] + 1'b1;  // all above the one bit
      end
      if (choose_o) valid_q <= 1'b1;
      else if (start_ready_i) valid_q <= 1'b0;
      if (valid_q && start_ready_i) running_q <= 1'b1;
      else if (done_i) running_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) if (choose_o) queue_q <= choice;

  assign choose_o      = grant != '0;
  assign choice_o      = choice;
  assign start_valid_o = valid_q;
  assign running_o     = running_q;
  assign queue_o       = queue_q;
  assign busy_o        = (due_q != '0 && !running_q) || valid_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      due_once : assert ((due_i & due_q) == '0);
      ends_what_runs : assert (!done_i || running_q);
    end
  end

`ifdef PROVE_MU_ENGINE_TURNS
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
`endif
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_queue_scheduler: which queue is the next to have a descriptor fetched.
//
//   change (queue has work, or none) ---> [ a bit a queue ] ---> [ choice ] ---> choice_valid_o, _queue_o
//   unpark_i, release, hold ----------------^        room_*_i ----^
//
// Behaviour: a queue is ready while it has work, is not parked and not held. Ready reflection queues go
//   first if there is room for a reply descriptor, then the others if there is room for a request
//   descriptor, each class round robin: a ready queue waits for at most one turn of every other of its
//   class. Nobody is chosen in place of a queue that changes. A choice stands until it is taken (taken_i),
//   or its queue changes or is held; it is not offered while the table works on its queue (busy_i). A
//   parked queue comes back with the next unpark_i, or a change with restart. A stopped one (stop) gets
//   one more turn if one_more says so, and comes back with release_i, or restart.
// Latency: a change shows in the choice 2 cycles later; a choice every 2 cycles.
// Limits: QUEUES 2 to 128. Room that is there when a queue is chosen stays until the choice is taken,
//   which is in the second cycle of the turn that begins when it is offered. unpark_i and release_i win
//   over a change of the same cycle, which is of the past.
`default_nettype none

module mu_queue_scheduler #(
    parameter  int unsigned QUEUES      = 32,
    localparam int unsigned QUEUE_WIDTH = $clog2(QUEUES)
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    output logic                   active_o,        // an edge may change something, though nothing comes in
    // state of one queue changes
    input  mu_pkg::queue_change_t  change_i,
    // every parked queue may try again
    input  logic                   unpark_i,
    // one stopped queue goes on
    input  logic                   release_i,
    input  logic [QUEUE_WIDTH-1:0] release_queue_i,
    // one queue is left out
    input  logic                   hold_i,
    input  logic [QUEUE_WIDTH-1:0] hold_queue_i,
    // the queue that the table works on
    input  logic                   busy_i,
    input  logic [QUEUE_WIDTH-1:0] busy_queue_i,
    // choice
    input  logic                   room_request_i,
    input  logic                   room_reply_i,
    output logic                   choice_valid_o,
    output logic [QUEUE_WIDTH-1:0] choice_queue_o,
    output logic                   choice_reply_o,
    input  logic                   taken_i
);
  if (QUEUES < 2 || QUEUES > 128) $error("mu_queue_scheduler: QUEUES must be 2 to 128");

  logic [QUEUES-1:0]      work_q;
  logic [QUEUES-1:0]      parked_q;
  logic [QUEUES-1:0]      stopped_q;
  logic [QUEUES-1:0]      one_more_q;
  logic [QUEUES-1:0]      reflection_q;
  logic [QUEUES-1:0]      request_behind_q;  // queues behind the last choice: they come first
  logic [QUEUES-1:0]      reply_behind_q;
  logic [QUEUES-1:0]      ready;
  logic [QUEUES-1:0]      candidates;
  logic [QUEUES-1:0]      grant;
  logic                   reply;             // the class that is chosen from
  logic                   choose;
  logic                   may_choose;        // but for a queue that is held or changes
  logic [QUEUE_WIDTH-1:0] choice;
  logic                   choice_valid_q;
  logic                   choice_reply_q;
  logic [QUEUE_WIDTH-1:0] choice_queue_q;
  logic [QUEUES-1:0]      grant_q;
  logic [QUEUE_WIDTH-1:0] change_queue;
  logic                   changed;           // what its choice was made for may be no more
  logic                   held;              // its queue is left out
  logic                   works_on;          // the table works on its queue

  assign change_queue   = change_i.queue[QUEUE_WIDTH-1:0];
  assign changed        = change_i.valid && change_queue == choice_queue_q;
  assign held           = hold_i && hold_queue_i == choice_queue_q;
  assign works_on       = busy_i && busy_queue_i == choice_queue_q;
  assign choice_valid_o = choice_valid_q && !changed && !held && !works_on;
  assign choice_queue_o = choice_queue_q;
  assign choice_reply_o = choice_reply_q;
  assign active_o       = may_choose || choice_valid_q || change_i.valid;

  always_comb begin
    ready      = '0;
    candidates = '0;
    grant      = '0;
    reply      = 1'b0;
    may_choose = 1'b0;
    if (!choice_valid_q && (room_request_i || room_reply_i) && work_q != '0) begin
      ready      = work_q & ~parked_q & ~(stopped_q & ~one_more_q);
      may_choose = (room_reply_i && (ready & reflection_q) != '0) ||
          (room_request_i && (ready & ~reflection_q) != '0);
      if (hold_i) ready = ready & ~(QUEUES'(1) << hold_queue_i);
      reply = room_reply_i && (ready & reflection_q) != '0;
      if (reply) begin
        candidates = ready & reflection_q;
        if ((candidates & reply_behind_q) != '0) candidates = candidates & reply_behind_q;
      end else if (room_request_i) begin
        candidates = ready & ~reflection_q;
        if ((candidates & request_behind_q) != '0) candidates = candidates & request_behind_q;
      end
      grant = candidates & (~candidates + 1'b1);
    end
    // Nobody is chosen in place of a queue that changes: it waits for one turn of every other, not two.
    choose = (grant & ~(QUEUES'(change_i.valid) << change_queue)) != '0;
  end

  // Bit b of the number of the grant: the grant lies among the queues whose number has that bit.
  function automatic logic [QUEUES-1:0] queues_with_bit(input int unsigned b);
    for (int unsigned i = 0; i < QUEUES; i++) queues_with_bit[i] = ((i >> b) & 1) != 0;
  endfunction
  for (genvar b = 0; b < QUEUE_WIDTH; b++) begin : gen_number
    localparam logic [QUEUES-1:0] WITH_BIT = queues_with_bit(b);
    assign choice[b] = (grant & WITH_BIT) != '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) choice_valid_q <= 1'b0;
    else if (choose) choice_valid_q <= 1'b1;
    else if (taken_i || changed || (held && !works_on)) choice_valid_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (choose) begin
      choice_queue_q <= choice;
      choice_reply_q <= reply;
      grant_q        <= grant;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      work_q           <= '0;
      parked_q         <= '0;
      stopped_q        <= '0;
      one_more_q       <= '0;
      reflection_q     <= '0;
      request_behind_q <= '0;
      reply_behind_q   <= '0;
    end else begin
      if (taken_i) one_more_q <= one_more_q & ~grant_q;
      if (change_i.valid) begin
        for (int unsigned i = 0; i < QUEUES; i++) begin
          if (change_queue == QUEUE_WIDTH'(i)) begin
            work_q[i]       <= change_i.work;
            reflection_q[i] <= change_i.reflection;
            if (change_i.park || change_i.restart) parked_q[i] <= change_i.park;
            if (change_i.stop || change_i.restart) begin
              stopped_q[i]  <= change_i.stop;
              one_more_q[i] <= change_i.one_more;
            end
          end
        end
      end
      if (unpark_i) parked_q <= '0;
      if (release_i) stopped_q[release_queue_i] <= 1'b0;
      if (taken_i) begin
        // All ones above the winner's bit.
        if (choice_reply_q) reply_behind_q <= ~(grant_q | (grant_q - 1'b1));
        else request_behind_q <= ~(grant_q | (grant_q - 1'b1));
      end
    end
  end

  logic unused;
  assign unused = ^change_i;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      grants_one : assert ($onehot0(grant));
      grants_a_ready_queue : assert ((grant & ~ready) == '0);
      takes_only_a_choice : assert (!taken_i || choice_valid_q);
      room_for_the_choice : assert (!choose || (reply ? room_reply_i : room_request_i));
    end
  end

`ifdef PROVE_MU_QUEUE_SCHEDULER
  // Of any one queue: it is chosen only while it has work, is neither parked nor stopped nor held, and there
  // is room; if it is, some queue is; reflection goes first; and no other queue of its class goes before it
  // twice. What the queue may do is kept here from the changes alone. Nothing of before the turn in which a
  // choice is taken changes its queue any more.
  (* anyconst *) logic [QUEUE_WIDTH-1:0] chosen;
  logic                   past_q = 1'b0;
  logic                   work_here_q, reflects_q, parked_here_q, stopped_here_q, turn_here_q;
  logic                   offered_q, begun_q, taken_q, rests_q;
  logic [QUEUE_WIDTH-1:0] offered_queue_q;
  logic [QUEUES-1:0]      before_q;  // queues that had a turn since this one is ready
  logic                   updates, may, free, goes, counts;
  assign updates = change_i.valid && change_queue == chosen;
  assign may     = work_here_q && !parked_here_q && (!stopped_here_q || turn_here_q) &&
      !(hold_i && hold_queue_i == chosen);
  assign free    = reflects_q ? room_reply_i : room_request_i;
  assign goes    = taken_i && choice_queue_o == chosen;
  assign counts  = taken_i && choice_reply_o == reflects_q && choice_queue_o != chosen;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (32'(chosen) < QUEUES);
    assume (!taken_i || (begun_q && works_on && !changed));
  end
  always_ff @(posedge clk_i) begin
    past_q          <= 1'b1;
    offered_q       <= rst_ni && choice_valid_o;
    offered_queue_q <= choice_queue_o;
    begun_q         <= rst_ni && offered_q && works_on && !changed;
    taken_q         <= rst_ni && taken_i;
    rests_q         <= rst_ni && !active_o;
    if (!rst_ni) begin
      {work_here_q, reflects_q, parked_here_q, stopped_here_q, turn_here_q} <= '0;
      before_q <= '0;
    end else begin
      if (goes) turn_here_q <= 1'b0;
      if (updates) {work_here_q, reflects_q} <= {change_i.work, change_i.reflection};
      if (unpark_i) parked_here_q <= 1'b0;
      else if (updates && (change_i.park || change_i.restart)) parked_here_q <= change_i.park;
      if (updates && (change_i.stop || change_i.restart))
        {stopped_here_q, turn_here_q} <= {change_i.stop, change_i.one_more};
      if (release_i && release_queue_i == chosen) stopped_here_q <= 1'b0;
      // Without a turn, and in its class.
      if (!may || goes || (updates && change_i.reflection != reflects_q)) before_q <= '0;
      else if (counts) before_q[choice_queue_o] <= 1'b1;
      if (past_q) begin
        if (choice_valid_o && choice_queue_o == chosen) begin
          offered_only_if_it_may : assert (may && !updates && !works_on);
          offered_in_its_class : assert (choice_reply_o == reflects_q);
        end
        if (goes) taken_only_if_it_may : assert (work_here_q && !parked_here_q);
        if (choose && choice == chosen) chosen_with_room : assert (free && may && !updates);
        if (may && free && !choice_valid_q && !change_i.valid) one_is_chosen : assert (choose);
        if (may && reflects_q && room_reply_i && choose) reflection_goes_first : assert (reply);
        if (may && counts) none_goes_before_it_twice : assert (!before_q[choice_queue_o]);
        if (offered_q && !taken_q) begin
          offers_the_same : assert (choice_queue_o == offered_queue_q);
          offers_until_taken : assert (choice_valid_o || changed || held || works_on);
        end
        if (rests_q) rests_as_it_says : assert (!choice_valid_o);
        // What the above rests on.
        knows_the_queue :
        assert ({work_here_q, parked_here_q, stopped_here_q} ==
                {work_q[chosen], parked_q[chosen], stopped_q[chosen]} &&
                (!work_here_q || reflects_q == reflection_q[chosen]) &&
                (!stopped_here_q || turn_here_q == one_more_q[chosen]));
      end
    end
  end
`endif
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_queue_scheduler, of any one queue: it is chosen only while it has work, is neither
// parked nor stopped nor held, and there is room; if it is, some queue is; reflection goes first; and no
// other queue of its class goes before it twice. What the queue may do is kept here from the updates alone.
  (* anyconst *) logic [QUEUE_WIDTH-1:0] chosen;
  logic              past_q = 1'b0;
  logic              work_here_q, reflects_q, parked_here_q, stopped_here_q, turn_here_q;
  logic [QUEUES-1:0] before_q;  // queues that had a turn since this one is ready
  logic              updates, may, counts;
  assign updates = update_i && queue_i == chosen;
  assign may     = work_here_q && !parked_here_q && (!stopped_here_q || turn_here_q) &&
      !(hold_i && hold_queue_i == chosen);
  assign counts  = taken_i && choice_reply_o == reflects_q && choice_queue_o != chosen;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (32'(chosen) < QUEUES);
    assume (!taken_i || choice_valid_o);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) begin
      {work_here_q, reflects_q, parked_here_q, stopped_here_q, turn_here_q} <= '0;
      before_q <= '0;
    end else begin
      if (taken_i && choice_queue_o == chosen) turn_here_q <= 1'b0;
      if (updates) {work_here_q, reflects_q} <= {work_i, reflection_i};
      if (updates && (park_i || afresh_i)) parked_here_q <= park_i;
      else if (unpark_i) parked_here_q <= 1'b0;
      if (updates && (stop_i || afresh_i)) {stopped_here_q, turn_here_q} <= {stop_i, one_more_i};
      else if (release_i && release_queue_i == chosen) stopped_here_q <= 1'b0;
      // Without a turn, and in its class.
      if (!may || updates || (taken_i && choice_queue_o == chosen)) before_q <= '0;
      else if (counts) before_q[choice_queue_o] <= 1'b1;
      if (past_q) begin
        if (choice_valid_o && choice_queue_o == chosen) begin
          chosen_only_if_it_may : assert (may);
          chosen_in_its_class : assert (choice_reply_o == reflects_q);
          chosen_with_room : assert (reflects_q ? room_reply_i : room_request_i);
        end
        if (may && (reflects_q ? room_reply_i : room_request_i)) one_is_chosen : assert (choice_valid_o);
        if (may && reflects_q && room_reply_i) reflection_goes_first : assert (choice_reply_o);
        if (may && counts) none_goes_before_it_twice : assert (!before_q[choice_queue_o]);
        // What the above rests on.
        knows_the_queue :
        assert ({work_here_q, parked_here_q, stopped_here_q} ==
                {work_q[chosen], parked_q[chosen], stopped_q[chosen]} &&
                (!work_here_q || reflects_q == reflection_q[chosen]) &&
                (!stopped_here_q || turn_here_q == one_more_q[chosen]));
      end
    end
  end

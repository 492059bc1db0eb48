// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_reflection_credits: a get takes a credit that is there, in any direction; that of the direction it
// prefers if it can, shown of +x and this node, and never that of a neighbour in +x that does not exist; a node that is not
// busy wakes no later than any deadline of what is outstanding, and asks if that has passed. What a direction owes is proved
// of one direction, which may be any, in proofs of its own: of all seven at once it takes the solver hours.
`ifdef ONE_DIRECTION
  (* anyconst *) logic [2:0] chosen;
  logic [15:0] owed, left;  // of that direction: now, and once a return that counts in this cycle has
  assign owed = sent_q[chosen] - returned_q[chosen];
  assign left = sent_q[chosen] - (return_q && return_direction_q == chosen ? return_next_q : returned_q[chosen]);
`endif
  logic past_q = 1'b0;
  mu_pkg::node_straps_t straps_q;  // they stand still out of reset
  always_ff @(posedge clk_i) {past_q, straps_q} <= {1'b1, straps_i};
  always_comb if (!past_q) assume (!rst_ni);
  always_comb begin
    assume (!take_i || (available_o && !query_valid_o && !settles_o));
    assume (!query_taken_i || query_valid_o);
    assume (straps_i.x <= straps_i.last_x);
    assume (!past_q || !rst_ni || straps_i == straps_q);
    if (past_q && rst_ni) begin
      if (!settle_q) chooses_by_what_is_free : assert ({usable_q, free_q} == {usable, free});
      chooses_where_there_is_a_credit : assert (!take_i || free[direction_o]);
      // With one neighbour in +x that has a credit, a get that prefers it gets it.
      if (ask_i && !settles_o && !query_valid_o && preferred_i == 3'd0 && straps_i.last_x != '0 && straps_i.torus[0] &&
          sent_q[0] - returned_q[0] < 16'(slots_q[0]))
        chooses_what_is_preferred : assert (available_o && direction_o == 3'd0);
      if (ask_i && !settles_o && !query_valid_o && preferred_i == 3'd6 && sent_q[6] - returned_q[6] < 16'(slots_q[6]))
        chooses_this_node_if_preferred : assert (available_o && direction_o == 3'd6);
      // A neighbour that does not exist is never chosen.
      if (available_o && !settles_o && direction_o == 3'd0)
        chooses_a_neighbour_that_exists : assert (straps_i.last_x != '0 && (straps_i.torus[0] || straps_i.x != straps_i.last_x));
      if (ask_i && !settles_o && !query_valid_o && available_o) chooses_only_if_configured : assert (configured_o);
`ifdef ONE_DIRECTION
      if (32'(chosen) < DIRECTIONS) begin
        owes_no_more_than_its_slots : assert (owed <= 16'(slots_q[chosen]));
        owes_less_once_it_returns : assert (return_q && return_direction_q == chosen ? left < owed : left == owed);
        owes_while_outstanding : assert (outstanding_q[chosen] == (owed != '0));
        owes_while_it_asks : assert (!query_q[chosen] || outstanding_q[chosen]);
        owes_less_than_its_slots_if_free : assert (!free[chosen] || owed < 16'(slots_q[chosen]));
        owes_as_was_seen : assert (settle_q || free_q[chosen] == free[chosen]);
      end
      if (32'(chosen) < DIRECTIONS && outstanding_q[chosen]) begin
        if (!busy_o) wakes_at_the_earliest : assert (wake_at_o <= deadline_q[chosen]);
        // What that rests on: it has not been looked at yet, or has.
        wakes_unless_looked_at_or_asked_for :
        assert ((look_q != NONE && look_q <= chosen) || query_q[chosen] || earliest_q <= deadline_q[chosen]);
      end
`endif
    end
  end

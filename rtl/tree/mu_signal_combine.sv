// SPDX-License-Identifier: Apache-2.0
// mu_signal_combine: signals of the tree, combined on their way up and handed on on their way down.
//
//   signals_i.left, .right ---+---> [ who has arrived ] ---> [ all, or any ] ---> signals_o.parent
//   node_i (this node) -------+                                    | root: turn round
//   signals_i.parent ----------------------------------------------+---> signals_o.left, .right, release_o
//
// Behaviour: of each class on its own. A signal from below, or of the node, is kept until it is used. Once
//   all that take part have arrived (of a class with any_i: once one has) the parent is told, in one signal,
//   and they are used up; without use_parent_i that is the release. The parent's signal is the release where
//   it was told. A release goes to both children that take part and to release_o. A barrier goes on only
//   after its release, and while hold_i is low, so two rounds never mix. What comes of who takes no part is
//   kept.
// Latency: from a cable to the next two cycles, from node_i to the parent's cable one.
// Limits: what arrives at a barrier again before it is used is noted in twice_o, and lost. Of a class with
//   any_i what arrives before it is told merges into one.
`default_nettype none

module mu_signal_combine #(
    localparam int unsigned CLASSES = mu_pkg::TREE_CLASSES
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    output logic                  busy_o,
    // each class: how it combines, and who takes part
    input  logic [CLASSES-1:0]    any_i,
    input  logic [CLASSES-1:0]    use_parent_i,
    input  logic [CLASSES-1:0]    use_left_i,
    input  logic [CLASSES-1:0]    use_right_i,
    input  logic [CLASSES-1:0]    use_node_i,
    input  logic [CLASSES-1:0]    forget_i,      // what has arrived
    input  logic [CLASSES-1:0]    hold_i,        // its last release is not counted yet
    // cables
    input  mu_pkg::tree_signals_t signals_i,
    output mu_pkg::tree_signals_t signals_o,
    // this node
    input  logic [CLASSES-1:0]    node_i,        // it arrives
    output logic [CLASSES-1:0]    release_o,     // all do
    // who has arrived and is not used up
    output logic [CLASSES-1:0]    left_o,
    output logic [CLASSES-1:0]    right_o,
    output logic [CLASSES-1:0]    node_o,
    output logic [CLASSES-1:0]    told_o,        // the parent is, and has not released
    output logic [CLASSES-1:0]    twice_o
);
  logic [CLASSES-1:0] from_parent_q, from_left_q, from_right_q;
  logic [CLASSES-1:0] to_parent_q, to_left_q, to_right_q, release_q;
  logic [CLASSES-1:0] left_q, right_q, node_q, told_q, twice_q;
  logic [CLASSES-1:0] left, right, node;  // has arrived, now or before
  logic [CLASSES-1:0] again, all_arrived, one_arrived, complete, released;
  logic               unused;

  assign left        = left_q | from_left_q;
  assign right       = right_q | from_right_q;
  assign node        = node_q | node_i;
  assign again       = (left_q & from_left_q) | (right_q & from_right_q) | (node_q & node_i);
  assign one_arrived = (left & use_left_i) | (right & use_right_i) | (node & use_node_i);
  assign all_arrived = one_arrived & (left | ~use_left_i) & (right | ~use_right_i) & (node | ~use_node_i);
  assign complete    = (any_i & one_arrived) | (~any_i & all_arrived & ~told_q & ~hold_i);
  assign released    = (complete & ~use_parent_i) | (from_parent_q & use_parent_i & (any_i | told_q));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {from_parent_q, from_left_q, from_right_q}       <= '0;
      {to_parent_q, to_left_q, to_right_q, release_q}  <= '0;
      {left_q, right_q, node_q, told_q, twice_q}       <= '0;
    end else begin
      from_parent_q <= signals_i.parent[CLASSES-1:0];
      from_left_q   <= signals_i.left[CLASSES-1:0];
      from_right_q  <= signals_i.right[CLASSES-1:0];
      to_parent_q   <= complete & use_parent_i;
      to_left_q     <= released & use_left_i;
      to_right_q    <= released & use_right_i;
      release_q     <= released;
      left_q        <= ((left_q & ~forget_i) | from_left_q) & ~(complete & use_left_i);
      right_q       <= ((right_q & ~forget_i) | from_right_q) & ~(complete & use_right_i);
      node_q        <= ((node_q & ~forget_i) | node_i) & ~(complete & use_node_i);
      told_q        <= ((told_q & ~from_parent_q) | (complete & use_parent_i & ~any_i)) & ~forget_i;
      twice_q       <= (twice_q | (~any_i & again)) & ~forget_i;
    end
  end

  assign signals_o.parent = 16'(to_parent_q);
  assign signals_o.left   = 16'(to_left_q);
  assign signals_o.right  = 16'(to_right_q);
  assign release_o        = release_q;
  assign left_o           = left_q;
  assign right_o          = right_q;
  assign node_o           = node_q;
  assign told_o           = told_q;
  assign twice_o          = twice_q;
  assign busy_o           = (from_parent_q | from_left_q | from_right_q) != '0 || complete != '0 ||
                            (to_parent_q | to_left_q | to_right_q | release_q) != '0;
  assign unused           = ^signals_i;  // a profile of fewer classes has cables as wide

`ifdef PROVE_MU_SIGNAL_COMBINE
  // What is proved of a class that nobody configures meanwhile. Rounds are counted modulo four. Of a barrier
  // at which nobody arrives twice: it is complete exactly as often as each that takes part has arrived, at
  // once, one round after the release of the other, and nobody is released whom it was not told. Of one with
  // any_i: every arrival is told, every signal of the parent handed on, and nothing else is.
  (* anyconst *) logic [$clog2(CLASSES)-1:0] chosen;
  logic       past_q = 1'b0;
  logic       settled_q = 1'b0;
  logic [1:0] lefts_q, rights_q, nodes_q, completes_q, releases_q;
  logic       any_q, parent_q, uses_left_q, uses_right_q, uses_node_q, blocked_q;
  logic       some, starts;
  assign some   = use_left_i[chosen] || use_right_i[chosen] || use_node_i[chosen];
  assign starts = !past_q || !rst_ni;
  always_comb begin
    assume (32'(chosen) < CLASSES);
    if (!past_q) assume (!rst_ni);
    assume (!forget_i[chosen]);
    if (past_q) begin
      assume (any_i[chosen] == any_q && use_parent_i[chosen] == parent_q);
      assume (use_left_i[chosen] == uses_left_q && use_right_i[chosen] == uses_right_q);
      assume (use_node_i[chosen] == uses_node_q);
    end
    // Nobody arrives at a barrier for the next round but one, and its parent answers once.
    if (rst_ni && past_q && !any_i[chosen]) begin
      if (from_left_q[chosen]) assume (use_left_i[chosen] && !left_q[chosen]);
      if (from_right_q[chosen]) assume (use_right_i[chosen] && !right_q[chosen]);
      if (node_i[chosen]) assume (use_node_i[chosen] && !node_q[chosen]);
      if (from_parent_q[chosen])
        assume (use_parent_i[chosen] && completes_q == releases_q + 2'd1);
    end
  end
  always_ff @(posedge clk_i) begin
    past_q       <= 1'b1;
    any_q        <= any_i[chosen];
    parent_q     <= use_parent_i[chosen];
    blocked_q    <= hold_i[chosen] || told_q[chosen];
    uses_left_q  <= use_left_i[chosen];
    uses_right_q <= use_right_i[chosen];
    uses_node_q  <= use_node_i[chosen];
    if (starts) {lefts_q, rights_q, nodes_q, completes_q, releases_q} <= '0;
    else begin
      lefts_q     <= lefts_q + 2'(from_left_q[chosen]);
      rights_q    <= rights_q + 2'(from_right_q[chosen]);
      nodes_q     <= nodes_q + 2'(node_i[chosen]);
      completes_q <= completes_q + 2'(complete[chosen]);
      releases_q  <= releases_q + 2'(released[chosen]);
    end
    if (past_q && rst_ni && !any_i[chosen]) begin
      told_is_a_round_ahead : assert (told_q[chosen] == (completes_q != releases_q));
      one_round_at_a_time : assert (completes_q == releases_q || completes_q == releases_q + 2'd1);
      root_tells_nobody : assert (use_parent_i[chosen] || completes_q == releases_q);
      left_is_kept : assert (!use_left_i[chosen] || lefts_q == completes_q + 2'(left_q[chosen]));
      right_is_kept : assert (!use_right_i[chosen] || rights_q == completes_q + 2'(right_q[chosen]));
      node_is_kept : assert (!use_node_i[chosen] || nodes_q == completes_q + 2'(node_q[chosen]));
      completes_at_once : assert (!(some && !blocked_q && (left_q[chosen] || !use_left_i[chosen]) &&
          (right_q[chosen] || !use_right_i[chosen]) && (node_q[chosen] || !use_node_i[chosen])));
      never_twice : assert (!twice_q[chosen]);
      if (complete[chosen]) completes_when_all_are_there :
        assert ((!use_left_i[chosen] || lefts_q + 2'(from_left_q[chosen]) == completes_q + 2'd1) &&
                (!use_right_i[chosen] || rights_q + 2'(from_right_q[chosen]) == completes_q + 2'd1) &&
                (!use_node_i[chosen] || nodes_q + 2'(node_i[chosen]) == completes_q + 2'd1));
    end
    if (past_q && rst_ni && any_i[chosen]) begin
      tells_every_arrival : assert (complete[chosen] || !((from_left_q[chosen] && use_left_i[chosen]) ||
          (from_right_q[chosen] && use_right_i[chosen]) || (node_i[chosen] && use_node_i[chosen])));
      keeps_none_that_takes_part : assert (!(left_q[chosen] && use_left_i[chosen]) &&
          !(right_q[chosen] && use_right_i[chosen]) && !(node_q[chosen] && use_node_i[chosen]));
      releases_by_the_parent_alone :
        assert (released[chosen] == (use_parent_i[chosen] ? from_parent_q[chosen] : complete[chosen]));
    end
    if (past_q && rst_ni) begin
      hands_on_what_is_released : assert (!release_q[chosen] ||
          (to_left_q[chosen] == use_left_i[chosen] && to_right_q[chosen] == use_right_i[chosen]));
      tells_the_parent_alone : assert (!to_parent_q[chosen] || use_parent_i[chosen]);
    end
  end
`endif
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_router_credits: free packet places of one class beyond the six links, and the bubble rule.
//
//   take_i (a packet is granted) ---> [ 6 counters, CREDITS after reset ] ---> go_on_o (at least one place)
//   return_i (a place became free) ------^                                ---> enter_o (at least two)
//
// Behaviour: counter d is CREDITS, less what was taken, plus what was returned. A packet that goes on along a
//   ring may take the last place; one that enters the ring (from another dimension or from here) must leave
//   one. So a ring that had a free place keeps one for ever.
// Latency: one cycle.
// Limits: CREDITS 2 to 15. A take without go_on_o and a return of what was not taken are asserted.
`default_nettype none

module mu_router_credits #(
    parameter int unsigned CREDITS = 6
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic [5:0] take_i,
    input  logic [5:0] return_i,
    output logic [5:0] go_on_o,
    output logic [5:0] enter_o
);
  localparam int unsigned WIDTH = 4;
  if (CREDITS < 2 || CREDITS > 15) $error("mu_router_credits: CREDITS must be 2 to 15");

  logic [6*WIDTH-1:0] credits_q;
  logic [5:0]         go_on_q;  // counter >= 1
  logic [5:0]         enter_q;  // counter >= 2

  assign go_on_o = go_on_q;
  assign enter_o = enter_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      credits_q <= {6{WIDTH'(CREDITS)}};
      go_on_q   <= '1;
      enter_q   <= '1;
    end else if (take_i != return_i) begin
      for (int d = 0; d < 6; d++) begin
        if (take_i[d] && !return_i[d]) begin
          credits_q[d*WIDTH+:WIDTH] <= credits_q[d*WIDTH+:WIDTH] - 1'b1;
          go_on_q[d] <= credits_q[d*WIDTH+:WIDTH] > WIDTH'(1);
          enter_q[d] <= credits_q[d*WIDTH+:WIDTH] > WIDTH'(2);
        end
        if (return_i[d] && !take_i[d]) begin
          credits_q[d*WIDTH+:WIDTH] <= credits_q[d*WIDTH+:WIDTH] + 1'b1;
          go_on_q[d] <= 1'b1;
          enter_q[d] <= credits_q[d*WIDTH+:WIDTH] != '0;
        end
      end
    end
  end

  logic [5:0] too_many;
  logic [5:0] misjudged;
  always_comb begin
    too_many  = '0;
    misjudged = '0;
    if ((take_i | return_i) != '0) begin
      for (int d = 0; d < 6; d++) begin
        too_many[d]  = return_i[d] && 32'(credits_q[d*WIDTH+:WIDTH]) == CREDITS;
        misjudged[d] = go_on_q[d] != (credits_q[d*WIDTH+:WIDTH] != '0) ||
                       enter_q[d] != (credits_q[d*WIDTH+:WIDTH] > WIDTH'(1));
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni && (take_i | return_i) != '0) begin
      takes_only_free_places : assert ((take_i & ~go_on_q) == '0);
      returns_only_what_was_taken : assert (too_many == '0);
      flags_follow : assert (misjudged == '0);
    end
  end

`ifdef PROVE_MU_ROUTER_CREDITS
  // Places that are taken and credits always add up, and both rules hold as long as the user keeps to them.
  logic               past_q = 1'b0;
  logic [6*WIDTH-1:0] taken_q;
  always_comb if (!past_q) assume (!rst_ni);
  always_ff @(posedge clk_i) past_q <= 1'b1;
  logic [5:0] none_taken, unsummed, misjudged_go_on, misjudged_enter;
  always_comb begin
    for (int d = 0; d < 6; d++) begin
      none_taken[d]      = taken_q[d*WIDTH+:WIDTH] == '0;
      unsummed[d]        = 32'(taken_q[d*WIDTH+:WIDTH]) + 32'(credits_q[d*WIDTH+:WIDTH]) != CREDITS;
      misjudged_go_on[d] = go_on_o[d] != (32'(taken_q[d*WIDTH+:WIDTH]) < CREDITS);
      misjudged_enter[d] = enter_o[d] != (32'(taken_q[d*WIDTH+:WIDTH]) + 1 < CREDITS);
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) taken_q <= '0;
    else begin
      for (int d = 0; d < 6; d++) begin
        taken_q[d*WIDTH+:WIDTH] <= taken_q[d*WIDTH+:WIDTH] + WIDTH'(take_i[d]) - WIDTH'(return_i[d]);
      end
    end
    if (past_q && rst_ni) begin
      assume ((take_i & ~go_on_o) == '0);
      assume ((return_i & none_taken) == '0);
      taken_and_free_sum_to_credits : assert (unsummed == '0);
      goes_on_with_one_place : assert (misjudged_go_on == '0);
      enters_with_two_places : assert (misjudged_enter == '0);
    end
  end
`endif
endmodule
`default_nettype wire

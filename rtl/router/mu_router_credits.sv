// SPDX-License-Identifier: Apache-2.0
// mu_router_credits: free packet places of one class beyond the six links, and the bubble rule.
//
//   take_i, go_on_i (a packet is granted) ---> [ 6 counters, CREDITS after reset ] ---> any_o, spare_o, two_o
//   return_i, reserve_i (a place is free) ------^   [ which place is reserved ] ------> moved_o
//
// Behaviour: counter d is CREDITS, less what was taken, plus what was returned: any_o at least one, two_o at
//   least two. Each ring has one reserved place, at first beyond the node of coordinate 0 (home_i). Only a
//   packet that goes on along the ring may take it; moved_o then says that the place which this packet leaves
//   behind is the reserved one from now on, to be returned as such (reserve_i upstream). So a ring never
//   fills, and any place but that one is open to all: spare_o.
// Latency: one cycle; moved_o is combinational.
// Limits: CREDITS 2 to 15. A take without a place and a return of what was not taken are asserted.
`default_nettype none

module mu_router_credits #(
    parameter int unsigned CREDITS = 6
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic [2:0] home_i,  // own coordinate in x, y, z is zero; looked at during reset
    input  logic [5:0] take_i,
    input  logic [5:0] go_on_i,  // by a packet that goes on
    input  logic [5:0] return_i,
    input  logic [5:0] reserve_i,  // it is the reserved place
    output logic [5:0] any_o,
    output logic [5:0] spare_o,
    output logic [5:0] two_o,
    output logic [5:0] moved_o
);
  localparam int unsigned WIDTH = 4;
  if (CREDITS < 2 || CREDITS > 15) $error("mu_router_credits: CREDITS must be 2 to 15");

  logic [6*WIDTH-1:0] credits_q;
  logic [5:0]         reserved_q;  // one of them is the reserved place
  logic [5:0]         any_q;  // counter >= 1
  logic [5:0]         two_q;  // counter >= 2

  assign any_o   = any_q;
  assign spare_o = two_q | (any_q & ~reserved_q);
  assign two_o   = two_q;
  assign moved_o = go_on_i & reserved_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      credits_q <= {6{WIDTH'(CREDITS)}};
      any_q     <= '1;
      two_q     <= '1;
    end else if (!mu_pkg::LOOKS_FIRST || take_i != return_i) begin
      for (int d = 0; d < 6; d++) begin
        if (take_i[d] && !return_i[d]) begin
          credits_q[d*WIDTH+:WIDTH] <= credits_q[d*WIDTH+:WIDTH] - 1'b1;
          any_q[d] <= credits_q[d*WIDTH+:WIDTH] > WIDTH'(1);
          two_q[d] <= credits_q[d*WIDTH+:WIDTH] > WIDTH'(2);
        end
        if (return_i[d] && !take_i[d]) begin
          credits_q[d*WIDTH+:WIDTH] <= credits_q[d*WIDTH+:WIDTH] + 1'b1;
          any_q[d] <= 1'b1;
          two_q[d] <= credits_q[d*WIDTH+:WIDTH] != '0;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) reserved_q <= {{2{home_i[2]}}, {2{home_i[1]}}, {2{home_i[0]}}};
    else if (!mu_pkg::LOOKS_FIRST || (moved_o | reserve_i) != '0)
      reserved_q <= (reserved_q & ~moved_o) | reserve_i;
  end

  // Asserted only: functions, so that a run without assertions does not compute them.
  function automatic logic [5:0] full(input logic [6*WIDTH-1:0] credits);
    full = '0;
    for (int d = 0; d < 6; d++) full[d] = 32'(credits[d*WIDTH+:WIDTH]) == CREDITS;
  endfunction
  function automatic logic [5:0] misjudged(input logic [6*WIDTH-1:0] credits, input logic [5:0] some,
                                           input logic [5:0] two);
    misjudged = '0;
    for (int d = 0; d < 6; d++)
      misjudged[d] = some[d] != (credits[d*WIDTH+:WIDTH] != '0) ||
                     two[d] != (credits[d*WIDTH+:WIDTH] > WIDTH'(1));
  endfunction
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      takes_only_free_places : assert ((take_i & ~any_q) == '0);
      enters_with_a_place_to_spare : assert ((take_i & ~go_on_i & ~spare_o) == '0);
      returns_only_what_was_taken : assert ((return_i & full(credits_q)) == '0);
      flags_follow : assert ((take_i | return_i) == '0 || misjudged(credits_q, any_q, two_q) == '0);
      one_reserved_place_a_ring : assert ((reserve_i & (reserved_q | ~return_i)) == '0);
      reserved_place_is_free : assert ((reserved_q & ~any_q) == '0);
    end
  end

`ifdef PROVE_MU_ROUTER_CREDITS
  // Places that are taken and credits always add up, and both rules hold as long as the user keeps to them.
  logic               past_q = 1'b0;
  logic [6*WIDTH-1:0] taken_q;
  always_comb if (!past_q) assume (!rst_ni);
  always_ff @(posedge clk_i) past_q <= 1'b1;
  logic [5:0] none_taken, unsummed, misjudged_any, misjudged_spare;
  always_comb begin
    for (int d = 0; d < 6; d++) begin
      none_taken[d]      = taken_q[d*WIDTH+:WIDTH] == '0;
      unsummed[d]        = 32'(taken_q[d*WIDTH+:WIDTH]) + 32'(credits_q[d*WIDTH+:WIDTH]) != CREDITS;
      misjudged_any[d]   = any_o[d] != (32'(taken_q[d*WIDTH+:WIDTH]) < CREDITS);
      misjudged_spare[d] = spare_o[d] != (32'(taken_q[d*WIDTH+:WIDTH]) + 32'(reserved_q[d]) < CREDITS);
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
      assume ((go_on_i & ~take_i) == '0);
      assume ((take_i & go_on_i & ~any_o) == '0 && (take_i & ~go_on_i & ~spare_o) == '0);
      assume ((return_i & none_taken) == '0);
      assume ((reserve_i & ~return_i) == '0 && (reserve_i & reserved_q) == '0);
      taken_and_free_sum_to_credits : assert (unsummed == '0);
      any_means_one_place : assert (misjudged_any == '0);
      spare_means_one_more : assert (misjudged_spare == '0);
    end
  end
`endif
endmodule
`default_nettype wire

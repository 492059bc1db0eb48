// SPDX-License-Identifier: Apache-2.0
// mu_router_grant: who owns one output of the router for one class, packet by packet, and the credits beyond it.
//
//   request_i (heads that want this output) ---> [ credits, bubble rule, round robin ] ---> grant_o
//   credit_i (a place beyond is free) -----------------^            |
//   valid_i, tail_i (flits at the inputs) ---> [ owner until its tail ] ---> send_o, first_o, last_o, owner_o
//
// Behaviour: one input owns the output from its grant until its tail has been sent. A grant takes a credit: a whole
//   packet place in the buffer beyond. The input that goes on along the ring (CONTINUES) needs one credit, a
//   packet that enters the ring needs two, so the ring keeps a free place for ever. hold_i keeps going-on
//   packets back. Round robin among those that may go. ready_o is high when a grant may happen this cycle.
// Latency: a grant shows as owner_o in the next cycle; the next owner follows a tail without a gap.
// Limits: CREDITS >= 2 places, or 0 for an output without credits (the local one). More credits returned than
//   taken are an error of the receiver: asserted.
`default_nettype none

module mu_router_grant #(
    parameter int unsigned CREDITS   = 6,
    parameter logic [6:0]  CONTINUES = 7'b0
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    // heads
    input  logic [6:0] request_i,
    output logic       ready_o,
    output logic [6:0] grant_o,
    input  logic       hold_i,
    // flits
    input  logic [6:0] valid_i,
    input  logic [6:0] tail_i,
    input  logic       open_i,
    output logic       send_o,
    output logic       first_o,
    output logic       last_o,
    output logic [6:0] owner_o,
    // buffer beyond
    input  logic       credit_i
);
  localparam int unsigned CREDIT_WIDTH = CREDITS > 0 ? $clog2(CREDITS + 1) : 1;
  if (CREDITS == 1) $error("mu_router_grant: with one place no packet could ever enter");

  logic [6:0] owner_q;   // one-hot: the input that sends, or none
  logic       fresh_q;   // nothing of the owner's packet has been sent
  logic [6:0] behind_q;  // inputs behind the last winner: they come first
  logic       any_credit;
  logic       two_credits;
  logic [6:0] allowed;
  logic [6:0] preferred;

  assign send_o  = open_i && (owner_q & valid_i) != '0;
  assign last_o  = send_o && (owner_q & tail_i) != '0;
  assign first_o = fresh_q;
  assign owner_o = owner_q;
  assign ready_o = any_credit && (owner_q == '0 || last_o);

  always_comb begin
    allowed   = '0;
    preferred = '0;
    grant_o   = '0;
    if (request_i != '0 && ready_o) begin
      allowed   = request_i & (two_credits ? '1 : CONTINUES) & ~(hold_i ? CONTINUES : '0);
      preferred = (allowed & behind_q) != '0 ? allowed & behind_q : allowed;
      grant_o   = preferred & (~preferred + 1'b1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      owner_q  <= '0;
      fresh_q  <= 1'b0;
      behind_q <= '0;
    end else if (send_o || grant_o != '0) begin
      if (grant_o != '0 || last_o) owner_q <= grant_o;
      fresh_q <= grant_o != '0;
      if (grant_o != '0) behind_q <= ~(grant_o | (grant_o - 1'b1));
    end
  end

  if (CREDITS > 0) begin : gen_credits
    logic [CREDIT_WIDTH-1:0] credits_q;
    assign any_credit  = credits_q != '0;
    assign two_credits = credits_q > CREDIT_WIDTH'(1);
    always_ff @(posedge clk_i) begin
      if (!rst_ni) credits_q <= CREDIT_WIDTH'(CREDITS);
      else if (credit_i != (grant_o != '0)) begin
        credits_q <= credit_i ? credits_q + 1'b1 : credits_q - 1'b1;
        credits_bounded : assert (credit_i ? 32'(credits_q) < CREDITS : credits_q != '0);
      end
    end
  end else begin : gen_no_credits
    assign any_credit  = 1'b1;
    assign two_credits = 1'b1;
    always_ff @(posedge clk_i) if (rst_ni) no_credits_here : assert (!credit_i);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && (send_o || grant_o != '0)) begin
      one_owner : assert ($onehot0(owner_q) && $onehot0(grant_o));
      grants_a_request : assert ((grant_o & ~request_i) == '0);
      entering_leaves_one_place : assert ((grant_o & ~CONTINUES) == '0 || two_credits);
      grants_between_packets_only : assert (grant_o == '0 || owner_q == '0 || last_o);
    end
  end
endmodule
`default_nettype wire

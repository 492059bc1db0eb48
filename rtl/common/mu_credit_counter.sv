// SPDX-License-Identifier: Apache-2.0
// mu_credit_counter: the sender's count of free places in its receiver's buffer.
//
//   take_i (a place is used) ---> [ count, MAX after reset ] <--- return_i (a place became free)
//                                        |---> available_o, count_o
//
// Behaviour: count_o is MAX after reset, minus one for each take, plus one for each return; both in one cycle
//   leave it. available_o is high exactly while count_o is not zero. Places taken + count_o is always MAX.
// Latency: a take or return shows in count_o the next cycle; one of each a cycle.
// Limits: MAX >= 1. take_i while available_o is low and return_i of a place that was not taken are errors of
//   the user: both are asserted, and ignored so that the count stays within 0..MAX. A take at zero stays an
//   error when a return comes in the same cycle (the return counts).
`default_nettype none

module mu_credit_counter #(
    parameter  int unsigned MAX         = 4,
    localparam int unsigned COUNT_WIDTH = $clog2(MAX + 1)
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    // sender
    input  logic                   take_i,
    output logic                   available_o,
    output logic [COUNT_WIDTH-1:0] count_o,
    // receiver
    input  logic                   return_i
);
  if (MAX < 1) $error("mu_credit_counter: MAX must be at least 1");

  logic [COUNT_WIDTH-1:0] count_q;
  logic                   take;
  logic                   give;

  assign available_o = count_q != '0;
  assign count_o     = count_q;
  assign take        = take_i && available_o;
  assign give        = return_i && (count_q != COUNT_WIDTH'(MAX) || take);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) count_q <= COUNT_WIDTH'(MAX);
    else if (take && !give) count_q <= count_q - 1'b1;
    else if (give && !take) count_q <= count_q + 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      count_bounded : assert (32'(count_q) <= MAX);
`ifndef PROVE_MU_CREDIT_COUNTER
      takes_only_what_is_there : assert (!take_i || available_o);
      returns_only_what_was_taken : assert (!return_i || 32'(count_q) < MAX || take_i);
`endif
    end
  end

`ifdef PROVE_MU_CREDIT_COUNTER
  // Inputs are free: the sum of taken places and credits holds whatever the user does.
  logic                   past_q = 1'b0;
  logic [COUNT_WIDTH-1:0] taken_q;
  always_comb if (!past_q) assume (!rst_ni);
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) taken_q <= '0;
    else begin
      taken_q <= taken_q + COUNT_WIDTH'(take_i && available_o)
                         - COUNT_WIDTH'(return_i && (taken_q != '0 || (take_i && available_o)));
    end
    if (past_q && rst_ni) begin
      taken_and_credits_sum_to_max : assert (32'(taken_q) + 32'(count_o) == MAX);
      available_while_credits_are_left : assert (available_o == (32'(taken_q) < MAX));
    end
  end
`endif
endmodule
`default_nettype wire

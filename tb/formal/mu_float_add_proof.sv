// SPDX-License-Identifier: Apache-2.0
// mu_float_add_proof: a + b is b + a.
//
//   a, b ---> [ mu_float_add ] ---> same bits <--- [ mu_float_add ] <--- b, a
//
// Behaviour: a proof harness. Any operands, and any cycles in which both adders stand still.
// Latency: that of mu_float_add.
// Limits: formats up to binary16; larger ones take the engine too long.
`default_nettype none

module mu_float_add_proof #(
    parameter  int unsigned EXPONENT_BITS    = 5,
    parameter  int unsigned FRACTION_BITS    = 10,
    parameter  logic [23:0] NARROW_EXPONENTS = 24'h05_03_04,
    parameter  logic [23:0] NARROW_FRACTIONS = 24'h02_05_03,
    localparam int unsigned WIDTH            = 1 + EXPONENT_BITS + FRACTION_BITS
) (
    input logic             clk_i,
    input logic             rst_ni,
    input logic             enable_i,
    input logic             in_valid_i,
    input logic [1:0]       format_i,
    input logic [WIDTH-1:0] left_i,
    input logic [WIDTH-1:0] right_i
);
  logic             valid;
  logic             swapped_valid;
  logic [WIDTH-1:0] sum;
  logic [WIDTH-1:0] swapped_sum;
  mu_float_add #(
      .EXPONENT_BITS   (EXPONENT_BITS),
      .FRACTION_BITS   (FRACTION_BITS),
      .NARROW_EXPONENTS(NARROW_EXPONENTS),
      .NARROW_FRACTIONS(NARROW_FRACTIONS)
  ) u_add (
      .clk_i,
      .rst_ni,
      .enable_i,
      .in_valid_i,
      .format_i,
      .left_i,
      .right_i,
      .out_valid_o(valid),
      .sum_o      (sum)
  );
  mu_float_add #(
      .EXPONENT_BITS   (EXPONENT_BITS),
      .FRACTION_BITS   (FRACTION_BITS),
      .NARROW_EXPONENTS(NARROW_EXPONENTS),
      .NARROW_FRACTIONS(NARROW_FRACTIONS)
  ) u_swapped (
      .clk_i,
      .rst_ni,
      .enable_i,
      .in_valid_i,
      .format_i,
      .left_i     (right_i),
      .right_i    (left_i),
      .out_valid_o(swapped_valid),
      .sum_o      (swapped_sum)
  );

`ifdef FORMAL
  logic past_q = 1'b0;
`else
  logic past_q;
`endif
  always_comb if (!past_q) assume (!rst_ni);
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (past_q && rst_ni) begin
      valid_together : assert (valid == swapped_valid);
      if (valid) the_same_sum : assert (sum == swapped_sum);
    end
  end
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_float_unpack: what an IEEE 754 number says: sign, exponent, significand, and which special value it is.
//
//   float_i {sign, exponent, fraction} ---> sign_o, exponent_o, significand_o, zero_o, infinity_o, nan_o
//
// Behaviour: a finite number is (-1)^sign_o * significand_o * 2^(exponent_o - BIAS - FRACTION_BITS) with BIAS
//   = 2^(EXPONENT_BITS-1) - 1; subnormal numbers and zeros have exponent_o = 1 and no leading one in
//   significand_o. zero_o, infinity_o, nan_o: at most one; for the last two exponent and significand mean
//   nothing.
// Latency: combinational.
// Limits: EXPONENT_BITS >= 2, FRACTION_BITS >= 2. Any input.
`default_nettype none

module mu_float_unpack #(
    parameter  int unsigned EXPONENT_BITS = 8,
    parameter  int unsigned FRACTION_BITS = 23,
    localparam int unsigned WIDTH         = 1 + EXPONENT_BITS + FRACTION_BITS
) (
    input  logic [WIDTH-1:0]         float_i,
    output logic                     sign_o,
    output logic [EXPONENT_BITS-1:0] exponent_o,
    output logic [FRACTION_BITS:0]   significand_o,
    output logic                     zero_o,
    output logic                     infinity_o,
    output logic                     nan_o
);
  if (EXPONENT_BITS < 2) $error("mu_float_unpack: EXPONENT_BITS must be at least 2");
  if (FRACTION_BITS < 2) $error("mu_float_unpack: FRACTION_BITS must be at least 2");

  logic [EXPONENT_BITS-1:0] exponent;
  logic [FRACTION_BITS-1:0] fraction;
  logic                     normal;  // or infinity or NaN
  logic                     special;
  logic                     whole;  // no fraction

  assign {sign_o, exponent, fraction} = float_i;
  assign normal        = exponent != '0;
  assign special       = exponent == '1;
  assign whole         = fraction == '0;
  assign exponent_o    = normal ? exponent : EXPONENT_BITS'(1);
  assign significand_o = {normal, fraction};
  assign zero_o        = !normal && whole;
  assign infinity_o    = special && whole;
  assign nan_o         = special && !whole;
endmodule
`default_nettype wire

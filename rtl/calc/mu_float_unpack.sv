// SPDX-License-Identifier: Apache-2.0
// mu_float_unpack: what an IEEE 754 number says: sign, exponent, significand, and which special value it is.
//
//   float_i {sign, exponent, fraction} ---> sign_o, exponent_o, significand_o, zero_o, infinity_o, nan_o
//   narrow_i -----------------------------------------------------------------------------^
//
// Behaviour: a finite number is (-1)^sign_o * significand_o * 2^(exponent_o - BIAS - FRACTION_BITS) with BIAS
//   = 2^(EXPONENT_BITS-1) - 1; subnormal numbers and zeros have exponent_o = 1 and no leading one in
//   significand_o. zero_o, infinity_o, nan_o: at most one; for the last two exponent and significand mean
//   nothing. narrow_i: a number of the narrow format, its exponent in the lowest bits of the field and its
//   fraction in the highest of the other, zeros elsewhere; BIAS is that of its format.
// Latency: combinational.
// Limits: NARROW_EXPONENT_BITS >= 2, FRACTION_BITS >= 2, the narrow format is narrower. Any input.
`default_nettype none

module mu_float_unpack #(
    parameter  int unsigned EXPONENT_BITS        = 11,
    parameter  int unsigned FRACTION_BITS        = 52,
    parameter  int unsigned NARROW_EXPONENT_BITS = 8,
    localparam int unsigned WIDTH                = 1 + EXPONENT_BITS + FRACTION_BITS
) (
    input  logic                     narrow_i,
    input  logic [WIDTH-1:0]         float_i,
    output logic                     sign_o,
    output logic [EXPONENT_BITS-1:0] exponent_o,
    output logic [FRACTION_BITS:0]   significand_o,
    output logic                     zero_o,
    output logic                     infinity_o,
    output logic                     nan_o
);
  if (NARROW_EXPONENT_BITS < 2 || NARROW_EXPONENT_BITS >= EXPONENT_BITS)
    $error("mu_float_unpack: NARROW_EXPONENT_BITS must be at least 2 and below EXPONENT_BITS");
  if (FRACTION_BITS < 2) $error("mu_float_unpack: FRACTION_BITS must be at least 2");

  logic [EXPONENT_BITS-1:0] exponent;
  logic [FRACTION_BITS-1:0] fraction;
  logic                     normal;  // or infinity or NaN
  logic                     special;
  logic                     whole;  // no fraction

  assign {sign_o, exponent, fraction} = float_i;
  assign normal        = exponent != '0;
  assign special       = exponent[NARROW_EXPONENT_BITS-1:0] == '1 &&
                         (narrow_i || exponent[EXPONENT_BITS-1:NARROW_EXPONENT_BITS] == '1);
  assign whole         = fraction == '0;
  assign exponent_o    = normal ? exponent : EXPONENT_BITS'(1);
  assign significand_o = {normal, fraction};
  assign zero_o        = !normal && whole;
  assign infinity_o    = special && whole;
  assign nan_o         = special && !whole;
endmodule
`default_nettype wire

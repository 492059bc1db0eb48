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

`ifdef PROVE_MU_FLOAT_UNPACK
  // What is proved of mu_float_unpack: the parts say the number: put together again they are the bits that
  // came, with the leading one exactly in normal numbers; a special value is at most one of three, as IEEE
  // 754 codes them. The exponent of a narrow number has zeros above.
  logic leading;
  logic [EXPONENT_BITS-1:0] most;  // exponent of a special value
  always_comb if (narrow_i) assume (float_i[WIDTH-2-:EXPONENT_BITS-NARROW_EXPONENT_BITS] == '0);
  assign most = narrow_i ? EXPONENT_BITS'({NARROW_EXPONENT_BITS{1'b1}}) : '1;
  assign leading = significand_o[FRACTION_BITS];
  always_comb begin
    one_special_value_at_most : assert ($onehot0({zero_o, infinity_o, nan_o}));
    sign_is_the_first_bit : assert (sign_o == float_i[WIDTH-1]);
    the_bits_that_came :
    assert ({leading ? exponent_o : '0, significand_o[FRACTION_BITS-1:0]} == float_i[WIDTH-2:0]);
    without_leading_one_the_least_exponent : assert (leading || exponent_o == EXPONENT_BITS'(1));
    never_below_the_least : assert (exponent_o != '0);
    zero_has_no_bits : assert (zero_o == (float_i[WIDTH-2:0] == '0));
    infinity_has_no_fraction :
    assert (infinity_o == (float_i[WIDTH-2:0] == {most, {FRACTION_BITS{1'b0}}}));
    nan_is_above_infinity :
    assert (nan_o == (float_i[WIDTH-2:0] > {most, {FRACTION_BITS{1'b0}}}));
  end
`endif
endmodule
`default_nettype wire

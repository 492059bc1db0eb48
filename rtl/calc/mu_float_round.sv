// SPDX-License-Identifier: Apache-2.0
// mu_float_round: rounds a normalised significand to nearest, ties to even, and packs an IEEE 754 number.
//
//   sign_i, exponent_i, significand_i {kept bits, guard, sticky} ---> [ + round ] ---> float_o
//   nan_i, infinity_i ------------------------------------------------------^
//
// Behaviour: float_o is the number nearest to (-1)^sign_i * significand_i * 2^(exponent_i + 1 - BIAS -
//   FRACTION_BITS - 2); of two that are as near, the even one; infinity where that exceeds the largest finite
//   number by half a unit in its last place. nan_i: the quiet NaN with sign 0 and an empty payload.
//   infinity_i: infinity of that sign. narrow_i: a number of the narrow format, BIAS that of it, in the
//   lowest bits, zeros above. It is rounded once, from all bits of significand_i.
// Latency: combinational.
// Limits: exponents count from that of subnormal numbers. The leading bit of significand_i is one, or
//   exponent_i is 0, or significand_i is zero (then sign_i's zero comes out), as mu_float_normalise leaves
//   it; exponent_i + 2 has no carry. The narrow format is narrower in both fields.
`default_nettype none

module mu_float_round #(
    parameter  int unsigned EXPONENT_BITS        = 11,
    parameter  int unsigned FRACTION_BITS        = 52,
    parameter  int unsigned NARROW_EXPONENT_BITS = 8,
    parameter  int unsigned NARROW_FRACTION_BITS = 23,
    localparam int unsigned WIDTH                = 1 + EXPONENT_BITS + FRACTION_BITS
) (
    input  logic                     narrow_i,
    input  logic                     sign_i,
    input  logic [EXPONENT_BITS:0]   exponent_i,
    input  logic [FRACTION_BITS+2:0] significand_i,
    input  logic                     nan_i,
    input  logic                     infinity_i,
    output logic [WIDTH-1:0]         float_o
);
  localparam int unsigned MAGNITUDE_BITS = EXPONENT_BITS + FRACTION_BITS;
  localparam int unsigned DROPPED_BITS   = FRACTION_BITS - NARROW_FRACTION_BITS;  // of a narrow number
  // Two halves, so that a carry waits for no more than one of them.
  localparam int unsigned LOW_BITS  = FRACTION_BITS / 2;
  localparam int unsigned HIGH_BITS = MAGNITUDE_BITS + 1 - LOW_BITS;
  if (NARROW_EXPONENT_BITS >= EXPONENT_BITS || NARROW_FRACTION_BITS >= FRACTION_BITS)
    $error("mu_float_round: the narrow format must be narrower");

  logic                     leading;
  logic                     up;
  logic                     carry;
  logic [FRACTION_BITS-1:0] fraction;   // through what is dropped a carry passes
  logic [EXPONENT_BITS:0]   exponent;   // 0 without a leading one
  logic [HIGH_BITS-1:0]     high;       // a leading one counts up the exponent, and so does a carry
  logic [LOW_BITS-1:0]      low;
  logic [MAGNITUDE_BITS:0]  magnitude;
  logic                     overflows;
  logic [EXPONENT_BITS-1:0] out_exponent;
  logic [FRACTION_BITS-1:0] out_fraction;

  assign leading   = significand_i[FRACTION_BITS+2];
  assign fraction  = significand_i[FRACTION_BITS+1:2] | {NARROW_FRACTION_BITS'(0), {DROPPED_BITS{narrow_i}}};
  assign up        = narrow_i ? significand_i[DROPPED_BITS+1] &&
                                (significand_i[DROPPED_BITS:0] != '0 || significand_i[DROPPED_BITS+2])
                              : significand_i[1] && (significand_i[0] || significand_i[2]);
  assign carry     = up && fraction[LOW_BITS-1:0] == '1;
  assign exponent  = leading ? exponent_i : '0;
  assign low       = fraction[LOW_BITS-1:0] + LOW_BITS'(up);
  assign high      = {exponent, fraction[FRACTION_BITS-1:LOW_BITS]} +
                     {EXPONENT_BITS'(0), leading, (FRACTION_BITS - LOW_BITS)'(carry)};
  assign magnitude = {high, low};
  assign overflows = magnitude[MAGNITUDE_BITS] ||
                     (magnitude[FRACTION_BITS+:NARROW_EXPONENT_BITS] == '1 &&
                      (narrow_i || magnitude[MAGNITUDE_BITS-1-:EXPONENT_BITS-NARROW_EXPONENT_BITS] == '1)) ||
                     (narrow_i && magnitude[MAGNITUDE_BITS-1-:EXPONENT_BITS-NARROW_EXPONENT_BITS] != '0);

  always_comb begin
    out_exponent = magnitude[FRACTION_BITS+:EXPONENT_BITS];
    out_fraction = magnitude[FRACTION_BITS-1:0];
    if (nan_i || infinity_i || overflows) begin
      out_exponent = '1;
      out_fraction = {nan_i, (FRACTION_BITS - 1)'(0)};
    end
    float_o = {sign_i && !nan_i, out_exponent, out_fraction};
    if (narrow_i)
      float_o = WIDTH'({
        sign_i && !nan_i, out_exponent[NARROW_EXPONENT_BITS-1:0],
        out_fraction[FRACTION_BITS-1-:NARROW_FRACTION_BITS]
      });
  end

`ifdef PROVE_MU_FLOAT_ROUND
  // In units of a quarter of the smallest subnormal number of the wide fraction. Infinity stands where the
  // number after the largest would.
  localparam int unsigned NARROW_WIDTH = 1 + NARROW_EXPONENT_BITS + NARROW_FRACTION_BITS;
  localparam int unsigned WIDE = FRACTION_BITS + 4 + (1 << (EXPONENT_BITS + 1));
  logic                     rounded_sign;
  logic [EXPONENT_BITS-1:0] rounded_exponent;
  logic [FRACTION_BITS-1:0] rounded_fraction;
  logic                     rounded_special;
  logic                     odd;
  logic [WIDE-1:0]          exact;
  logic [WIDE-1:0]          rounded;
  logic [WIDE-1:0]          distance;
  logic [WIDE-1:0]          half;  // half a unit in the last place of the argument
  logic [WIDE-1:0]          step;  // from the largest number to where infinity stands
  logic                     legal;
  assign legal = exponent_i < {{EXPONENT_BITS{1'b1}}, 1'b0} &&
      (significand_i[FRACTION_BITS+2] || exponent_i == '0 || significand_i == '0);
  assign rounded_sign     = narrow_i ? float_o[NARROW_WIDTH-1] : float_o[WIDTH-1];
  assign rounded_exponent = narrow_i ? EXPONENT_BITS'(float_o[NARROW_FRACTION_BITS+:NARROW_EXPONENT_BITS])
                                     : float_o[FRACTION_BITS+:EXPONENT_BITS];
  assign rounded_fraction = narrow_i ? {float_o[NARROW_FRACTION_BITS-1:0], DROPPED_BITS'(0)}
                                     : float_o[FRACTION_BITS-1:0];
  assign rounded_special  = narrow_i ? rounded_exponent[NARROW_EXPONENT_BITS-1:0] == '1
                                     : rounded_exponent == '1;
  assign odd      = float_o[0];
  assign exact    = WIDE'(significand_i) << exponent_i;
  assign rounded  = rounded_exponent == '0 ? WIDE'({rounded_fraction, 2'b0})
                  : WIDE'({1'b1, rounded_fraction, 2'b0}) << (rounded_exponent - 1'b1);
  assign distance = exact > rounded ? exact - rounded : rounded - exact;
  assign half     = WIDE'(2) << exponent_i << (narrow_i ? DROPPED_BITS : 0);
  assign step     = rounded >> ((narrow_i ? NARROW_FRACTION_BITS : FRACTION_BITS) + 2);
  always_comb begin
    if (narrow_i) nothing_above : assert ((float_o >> NARROW_WIDTH) == '0);
    if (nan_i)
      nan_is_canonical :
      assert (!rounded_sign && rounded_special && rounded_fraction == {1'b1, (FRACTION_BITS - 1)'(0)});
    else sign_stays : assert (rounded_sign == sign_i);
    if (!nan_i && infinity_i) infinity_stays : assert (rounded_special && rounded_fraction == '0);
    if (!nan_i && !infinity_i && legal) begin
      never_nan : assert (!(rounded_special && rounded_fraction != '0));
      if (!rounded_special) begin
        nearest : assert (distance <= half);
        ties_to_even : assert (distance != half || !odd);
      end else
        infinity_only_beyond_the_largest : assert (exact >= rounded - step);
    end
  end
`endif
endmodule
`default_nettype wire

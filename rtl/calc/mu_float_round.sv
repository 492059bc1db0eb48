// SPDX-License-Identifier: Apache-2.0
// mu_float_round: rounds a normalised significand to nearest, ties to even, and packs an IEEE 754 number.
//
//   sign_i, exponent_i, significand_i {kept bits, guard, sticky} ---> [ + round ] ---> float_o
//   nan_i, infinity_i ------------------------------------------------------------------^
//
// Behaviour: float_o is the number nearest to (-1)^sign_i * significand_i * 2^(exponent_i + 1 - BIAS -
//   FRACTION_BITS - 2); of two that are as near, the even one; infinity where that exceeds the largest finite
//   number by half a unit in its last place. nan_i: the quiet NaN with sign 0 and an empty payload.
//   infinity_i: infinity of that sign.
// Latency: combinational.
// Limits: exponents count from that of subnormal numbers. The leading bit of significand_i is one, or
//   exponent_i is 0, or significand_i is zero (then sign_i's zero comes out), as mu_float_normalise leaves it;
//   exponent_i + 2 has no carry.
`default_nettype none

module mu_float_round #(
    parameter  int unsigned EXPONENT_BITS = 8,
    parameter  int unsigned FRACTION_BITS = 23,
    localparam int unsigned WIDTH         = 1 + EXPONENT_BITS + FRACTION_BITS
) (
    input  logic                     sign_i,
    input  logic [EXPONENT_BITS:0]   exponent_i,
    input  logic [FRACTION_BITS+2:0] significand_i,
    input  logic                     nan_i,
    input  logic                     infinity_i,
    output logic [WIDTH-1:0]         float_o
);
  localparam int unsigned               MAGNITUDE_BITS = EXPONENT_BITS + FRACTION_BITS;
  localparam logic [EXPONENT_BITS-1:0]  ONES           = {EXPONENT_BITS{1'b1}};
  localparam logic [MAGNITUDE_BITS:0]   INFINITY       = {1'b0, ONES, {FRACTION_BITS{1'b0}}};
  localparam logic [MAGNITUDE_BITS-1:0] QUIET_NAN      = {ONES, 1'b1, {(FRACTION_BITS - 1) {1'b0}}};

  // Two halves, so that a carry waits for no more than one of them.
  localparam int unsigned LOW_BITS  = FRACTION_BITS / 2;
  localparam int unsigned HIGH_BITS = MAGNITUDE_BITS + 1 - LOW_BITS;

  logic                     leading;
  logic                     up;
  logic                     carry;
  logic [FRACTION_BITS-1:0] fraction;
  logic [EXPONENT_BITS:0]   exponent;   // 0 without a leading one
  logic [HIGH_BITS-1:0]     high;       // a leading one counts up the exponent, and so does a carry
  logic [LOW_BITS-1:0]      low;
  logic [MAGNITUDE_BITS:0]  magnitude;

  assign leading   = significand_i[FRACTION_BITS+2];
  assign fraction  = significand_i[FRACTION_BITS+1:2];
  assign up        = significand_i[1] && (significand_i[0] || significand_i[2]);
  assign carry     = up && fraction[LOW_BITS-1:0] == '1;
  assign exponent  = leading ? exponent_i : '0;
  assign low       = fraction[LOW_BITS-1:0] + LOW_BITS'(up);
  assign high      = {exponent, fraction[FRACTION_BITS-1:LOW_BITS]} +
                     {EXPONENT_BITS'(0), leading, (FRACTION_BITS - LOW_BITS)'(carry)};
  assign magnitude = {high, low};

  always_comb begin
    if (nan_i) float_o = {1'b0, QUIET_NAN};
    else if (infinity_i || magnitude >= INFINITY) float_o = {sign_i, ONES, {FRACTION_BITS{1'b0}}};
    else float_o = {sign_i, magnitude[MAGNITUDE_BITS-1:0]};
  end

`ifdef PROVE_MU_FLOAT_ROUND
  // In units of a quarter of the smallest subnormal number. Infinity stands where the number after the
  // largest would.
  localparam int unsigned WIDE = FRACTION_BITS + 4 + (1 << (EXPONENT_BITS + 1));
  logic [EXPONENT_BITS-1:0] out_exponent;
  logic [WIDE-1:0]          exact;
  logic [WIDE-1:0]          rounded;
  logic [WIDE-1:0]          distance;
  logic [WIDE-1:0]          half;  // half a unit in the last place of the argument
  logic                     legal;
  assign legal = exponent_i < {{EXPONENT_BITS{1'b1}}, 1'b0} &&
      (significand_i[FRACTION_BITS+2] || exponent_i == '0 || significand_i == '0);
  assign out_exponent = float_o[WIDTH-2-:EXPONENT_BITS];
  assign exact        = WIDE'(significand_i) << exponent_i;
  assign rounded      = out_exponent == '0 ? WIDE'({float_o[FRACTION_BITS-1:0], 2'b0})
                      : WIDE'({1'b1, float_o[FRACTION_BITS-1:0], 2'b0}) << (out_exponent - 1'b1);
  assign distance     = exact > rounded ? exact - rounded : rounded - exact;
  assign half         = WIDE'(2) << exponent_i;
  always_comb begin
    if (nan_i) nan_is_canonical : assert (float_o == {1'b0, QUIET_NAN});
    else sign_stays : assert (float_o[WIDTH-1] == sign_i);
    if (!nan_i && infinity_i)
      infinity_stays : assert (float_o[WIDTH-2:0] == INFINITY[MAGNITUDE_BITS-1:0]);
    if (!nan_i && !infinity_i && legal) begin
      never_nan : assert (!(out_exponent == '1 && float_o[FRACTION_BITS-1:0] != '0));
      if (out_exponent != '1) begin
        nearest : assert (distance <= half);
        ties_to_even : assert (distance != half || !float_o[0]);
      end else
        infinity_only_beyond_the_largest : assert (exact >= rounded - (rounded >> (FRACTION_BITS + 2)));
    end
  end
`endif
endmodule
`default_nettype wire

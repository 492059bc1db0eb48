// SPDX-License-Identifier: Apache-2.0
// mu_float_round: rounds a normalised significand to nearest, ties to even, and packs an IEEE 754 number.
//
//   sign_i, exponent_i, significand_i {kept bits, guard, sticky} ---> [ + round ] ---> float_o
//   nan_i, infinity_i ------------------------------------------------------^
//
// Behaviour: float_o is the number nearest to (-1)^sign_i * significand_i * 2^(exponent_i + 1 - BIAS -
//   FRACTION_BITS - 2); of two that are as near, the even one; infinity where that exceeds the largest finite
//   number by half a unit in its last place. nan_i: the quiet NaN with sign 0 and an empty payload.
//   infinity_i: infinity of that sign. format_i: of what format, see mu_float_format; BIAS is that of it, and
//   float_o lies in the lowest bits, zeros above. It is rounded once, from all bits of significand_i.
// Latency: combinational.
// Limits: exponents count from that of subnormal numbers. The leading bit of significand_i is one, or
//   exponent_i is 0, or significand_i is zero (then sign_i's zero comes out), as mu_float_normalise leaves
//   it; exponent_i + 2 has no carry.
`default_nettype none

module mu_float_round #(
    parameter  int unsigned EXPONENT_BITS    = 11,
    parameter  int unsigned FRACTION_BITS    = 52,
    parameter  logic [23:0] NARROW_EXPONENTS = 24'h08_05_08,
    parameter  logic [23:0] NARROW_FRACTIONS = 24'h07_0A_17,
    localparam int unsigned WIDTH            = 1 + EXPONENT_BITS + FRACTION_BITS
) (
    input  logic [1:0]               format_i,  // mu_pkg::float_format_e
    input  logic                     sign_i,
    input  logic [EXPONENT_BITS:0]   exponent_i,
    input  logic [FRACTION_BITS+2:0] significand_i,
    input  logic                     nan_i,
    input  logic                     infinity_i,
    output logic [WIDTH-1:0]         float_o
);
  localparam int unsigned MAGNITUDE_BITS = EXPONENT_BITS + FRACTION_BITS;
  // Two halves, each with and without what is added, for whether that is comes late.
  localparam int unsigned LOW_BITS  = FRACTION_BITS / 2;
  localparam int unsigned HIGH_BITS = MAGNITUDE_BITS + 1 - LOW_BITS;

  logic [EXPONENT_BITS-1:0] most;        // exponent of infinity
  logic [FRACTION_BITS-1:0] dropped;     // places that the format has not
  logic [FRACTION_BITS+1:0] below;       // and the two below
  logic [FRACTION_BITS+1:0] guard;       // the highest of them
  logic [FRACTION_BITS+2:0] last;        // the place above
  logic                     leading;
  logic                     up;
  logic                     carry;
  logic [FRACTION_BITS-1:0] fraction;   // through what is dropped a carry passes
  logic [EXPONENT_BITS:0]   exponent;   // 0 without a leading one
  logic [HIGH_BITS-1:0]     high;       // a leading one counts up the exponent, and so does a carry
  logic [HIGH_BITS-1:0]     high_up;
  logic [LOW_BITS-1:0]      low;
  logic [LOW_BITS-1:0]      low_up;
  logic                     special;    // NaN or infinity
  logic                     special_up;
  logic [EXPONENT_BITS-1:0] out_exponent;
  logic [FRACTION_BITS-1:0] out_fraction;

  mu_float_format #(
      .EXPONENT_BITS   (EXPONENT_BITS),
      .FRACTION_BITS   (FRACTION_BITS),
      .NARROW_EXPONENTS(NARROW_EXPONENTS),
      .NARROW_FRACTIONS(NARROW_FRACTIONS)
  ) u_format (
      .format_i,
      .most_o   (most),
      .dropped_o(dropped)
  );
  assign below     = {dropped, 2'b11};
  assign guard     = below & ~(below >> 1);
  assign last      = {guard, 1'b0};
  assign leading   = significand_i[FRACTION_BITS+2];
  assign fraction  = significand_i[FRACTION_BITS+1:2] | dropped;
  assign up        = (significand_i[FRACTION_BITS+1:0] & guard) != '0 &&
                     (significand_i & (last | {1'b0, below >> 1})) != '0;
  assign carry     = up && fraction[LOW_BITS-1:0] == '1;
  assign exponent  = leading ? exponent_i : '0;
  assign low       = fraction[LOW_BITS-1:0];
  assign low_up    = low + 1'b1;
  assign high      = {exponent, fraction[FRACTION_BITS-1:LOW_BITS]} +
                     {EXPONENT_BITS'(0), leading, (FRACTION_BITS - LOW_BITS)'(0)};
  assign high_up   = {exponent, fraction[FRACTION_BITS-1:LOW_BITS]} +
                     {EXPONENT_BITS'(0), leading, (FRACTION_BITS - LOW_BITS)'(1)};
  assign special    = nan_i || infinity_i || is_beyond(high[HIGH_BITS-1-:EXPONENT_BITS+1], most);
  assign special_up = nan_i || infinity_i || is_beyond(high_up[HIGH_BITS-1-:EXPONENT_BITS+1], most);

  // No exponent of a finite number.
  function automatic logic is_beyond(input logic [EXPONENT_BITS:0] value,
                                     input logic [EXPONENT_BITS-1:0] infinity);
    is_beyond = (value & ~{1'b0, infinity}) != '0 || (value[EXPONENT_BITS-1:0] | ~infinity) == '1;
  endfunction

  always_comb begin
    out_exponent = carry ? high_up[HIGH_BITS-2-:EXPONENT_BITS] : high[HIGH_BITS-2-:EXPONENT_BITS];
    out_fraction = {carry ? high_up[FRACTION_BITS-LOW_BITS-1:0] : high[FRACTION_BITS-LOW_BITS-1:0],
                    up ? low_up : low} & ~dropped;
    if (carry ? special_up : special) begin
      out_exponent = most;
      out_fraction = {nan_i, (FRACTION_BITS - 1)'(0)};
    end
    unique case (format_i)
      2'd1:
      float_o = WIDTH'({
        sign_i && !nan_i, out_exponent[32'(NARROW_EXPONENTS[7:0])-1:0],
        out_fraction[FRACTION_BITS-1-:32'(NARROW_FRACTIONS[7:0])]
      });
      2'd2:
      float_o = WIDTH'({
        sign_i && !nan_i, out_exponent[32'(NARROW_EXPONENTS[15:8])-1:0],
        out_fraction[FRACTION_BITS-1-:32'(NARROW_FRACTIONS[15:8])]
      });
      2'd3:
      float_o = WIDTH'({
        sign_i && !nan_i, out_exponent[32'(NARROW_EXPONENTS[23:16])-1:0],
        out_fraction[FRACTION_BITS-1-:32'(NARROW_FRACTIONS[23:16])]
      });
      default: float_o = {sign_i && !nan_i, out_exponent, out_fraction};
    endcase
  end

`ifdef PROVE_MU_FLOAT_ROUND
  // In units of a quarter of the smallest subnormal number of the wide fraction. Infinity stands where the
  // number after the largest would.
  localparam int unsigned WIDE = FRACTION_BITS + 4 + (1 << (EXPONENT_BITS + 1));
  logic [31:0]              exponent_bits;   // of the format
  logic [31:0]              fraction_bits;
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
  always_comb begin
    exponent_bits = EXPONENT_BITS;
    fraction_bits = FRACTION_BITS;
    for (int narrow = 1; narrow < 4; narrow++) begin
      if (format_i == 2'(narrow)) begin
        exponent_bits = 32'(NARROW_EXPONENTS[(narrow-1)*8+:8]);
        fraction_bits = 32'(NARROW_FRACTIONS[(narrow-1)*8+:8]);
      end
    end
  end
  assign rounded_sign     = 1'(float_o >> (exponent_bits + fraction_bits));
  assign rounded_exponent = EXPONENT_BITS'(float_o >> fraction_bits) &
      EXPONENT_BITS'((32'd1 << exponent_bits) - 32'd1);
  assign rounded_fraction = FRACTION_BITS'(float_o << (FRACTION_BITS - fraction_bits));
  assign rounded_special  = 32'(rounded_exponent) == (32'd1 << exponent_bits) - 32'd1;
  assign odd      = float_o[0];
  assign exact    = WIDE'(significand_i) << exponent_i;
  assign rounded  = rounded_exponent == '0 ? WIDE'({rounded_fraction, 2'b0})
                  : WIDE'({1'b1, rounded_fraction, 2'b0}) << (rounded_exponent - 1'b1);
  assign distance = exact > rounded ? exact - rounded : rounded - exact;
  assign half     = WIDE'(2) << exponent_i << (FRACTION_BITS - fraction_bits);
  assign step     = rounded >> (fraction_bits + 2);
  always_comb begin
    nothing_above : assert ((float_o >> (exponent_bits + fraction_bits) >> 1) == '0);
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

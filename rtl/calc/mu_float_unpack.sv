// SPDX-License-Identifier: Apache-2.0
// mu_float_unpack: what an IEEE 754 number says: sign, exponent, significand, and which special value it is.
//
//   float_i {sign, exponent, fraction} ---> sign_o, exponent_o, significand_o, zero_o, infinity_o, nan_o
//   format_i -----------------------------------------------------------------------------^
//
// Behaviour: a finite number is (-1)^sign_o * significand_o * 2^(exponent_o - BIAS - FRACTION_BITS) with BIAS
//   that of its format; subnormal numbers and zeros have exponent_o = 1 and no leading one in significand_o.
//   zero_o, infinity_o, nan_o: at most one; for the last two exponent and significand mean nothing. A number
//   of a narrow format lies in the wide fields as mu_float_format says.
// Latency: combinational.
// Limits: exponents of 2 bits at least, FRACTION_BITS >= 2. Any input.
`default_nettype none

module mu_float_unpack #(
    parameter  int unsigned EXPONENT_BITS    = 11,
    parameter  int unsigned FRACTION_BITS    = 52,
    parameter  logic [23:0] NARROW_EXPONENTS = 24'h08_05_08,
    localparam int unsigned WIDTH            = 1 + EXPONENT_BITS + FRACTION_BITS
) (
    input  logic [1:0]               format_i,  // mu_pkg::float_format_e
    input  logic [WIDTH-1:0]         float_i,
    output logic                     sign_o,
    output logic [EXPONENT_BITS-1:0] exponent_o,
    output logic [FRACTION_BITS:0]   significand_o,
    output logic                     zero_o,
    output logic                     infinity_o,
    output logic                     nan_o
);
  if (FRACTION_BITS < 2) $error("mu_float_unpack: FRACTION_BITS must be at least 2");

  logic [EXPONENT_BITS-1:0] exponent;
  logic [FRACTION_BITS-1:0] fraction;
  logic                     normal;  // or infinity or NaN
  logic                     special;
  logic                     whole;  // no fraction
  logic [EXPONENT_BITS-1:0] most;
  logic [FRACTION_BITS-1:0] unused_dropped;

  mu_float_format #(
      .EXPONENT_BITS   (EXPONENT_BITS),
      .FRACTION_BITS   (FRACTION_BITS),
      .NARROW_EXPONENTS(NARROW_EXPONENTS),
      .NARROW_FRACTIONS({3{8'd1}})  // wherever they end, zeros are below
  ) u_format (
      .format_i,
      .most_o   (most),
      .dropped_o(unused_dropped)
  );
  assign {sign_o, exponent, fraction} = float_i;
  assign normal        = exponent != '0;
  assign special       = exponent == most;
  assign whole         = fraction == '0;
  assign exponent_o    = normal ? exponent : EXPONENT_BITS'(1);
  assign significand_o = {normal, fraction};
  assign zero_o        = !normal && whole;
  assign infinity_o    = special && whole;
  assign nan_o         = special && !whole;

`ifdef PROVE_MU_FLOAT_UNPACK
  // What is proved of mu_float_unpack: the parts say the number: put together again they are the bits that
  // came, with the leading one exactly in normal numbers; a special value is at most one of three, as IEEE
  // 754 codes them.
  logic leading;
  logic [EXPONENT_BITS-1:0] infinite;  // exponent of a special value
  always_comb begin
    infinite = '0;
    for (int place = 0; place < EXPONENT_BITS; place++) begin
      infinite[place] = format_i == 2'd0 || (format_i == 2'd1 && place < 32'(NARROW_EXPONENTS[7:0])) ||
          (format_i == 2'd2 && place < 32'(NARROW_EXPONENTS[15:8])) ||
          (format_i == 2'd3 && place < 32'(NARROW_EXPONENTS[23:16]));
    end
  end
  always_comb assume (float_i[WIDTH-2-:EXPONENT_BITS] <= infinite);
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
    assert (infinity_o == (float_i[WIDTH-2:0] == {infinite, {FRACTION_BITS{1'b0}}}));
    nan_is_above_infinity :
    assert (nan_o == (float_i[WIDTH-2:0] > {infinite, {FRACTION_BITS{1'b0}}}));
  end
`endif
endmodule
`default_nettype wire

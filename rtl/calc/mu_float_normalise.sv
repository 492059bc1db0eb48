// SPDX-License-Identifier: Apache-2.0
// mu_float_normalise: moves the leading one of a significand to the top, as far as the exponent allows.
//
//   exponent_i, significand_i ---> [ << min(leading zeros, exponent_i - 1) ] ---> exponent_o, significand_o
//
// Behaviour: the value significand_i * 2^exponent_i stays the same, but for the lowest bit of significand_o,
//   which is the OR of all bits below (sticky). Afterwards the leading bit of significand_o is one, or
//   exponent_o is 1 (a subnormal number), or everything is zero. One stage of shifters for each bit of the
//   distance, so that counting zeros and shifting are one.
// Latency: combinational. Costs nothing in simulation while valid_i is low.
// Limits: exponent_i >= 1; IN_BITS > OUT_BITS; never more than MOST_ZEROS places. The outputs are zero while
//   valid_i is low.
`default_nettype none

module mu_float_normalise #(
    parameter int unsigned EXPONENT_BITS = 9,
    parameter int unsigned IN_BITS       = 28,
    parameter int unsigned OUT_BITS      = 26,
    parameter int unsigned MOST_ZEROS    = IN_BITS - 1
) (
    input  logic                     valid_i,
    input  logic [EXPONENT_BITS-1:0] exponent_i,
    input  logic [IN_BITS-1:0]       significand_i,
    output logic [EXPONENT_BITS-1:0] exponent_o,
    output logic [OUT_BITS-1:0]      significand_o
);
  localparam int unsigned STAGES = $clog2(MOST_ZEROS + 1);
  if (IN_BITS <= OUT_BITS) $error("mu_float_normalise: IN_BITS must be larger than OUT_BITS");

  logic [IN_BITS-1:0]       shifted;
  logic [EXPONENT_BITS-1:0] exponent;

  always_comb begin
    shifted  = '0;
    exponent = '0;
    if (valid_i) begin
      shifted  = significand_i;
      exponent = exponent_i;
      for (int stage = STAGES - 1; stage >= 0; stage--) begin
        if (32'(exponent) > (32'd1 << stage) && (shifted >> (IN_BITS - (32'd1 << stage))) == '0) begin
          shifted  = shifted << (32'd1 << stage);
          exponent = exponent - EXPONENT_BITS'(32'd1 << stage);
        end
      end
    end
  end

  logic too_many_zeros;
  always_comb begin
    too_many_zeros = 1'b0;
    if (valid_i) begin
      too_many_zeros = 32'(exponent_i) > MOST_ZEROS + 1 && significand_i != '0 &&
                       (significand_i >> (IN_BITS - 1 - MOST_ZEROS)) == '0;
    end
`ifdef PROVE_MU_FLOAT_NORMALISE
    assume (!too_many_zeros);
`else
    moves_all_zeros_that_it_should : assert (!too_many_zeros);
`endif
  end

  assign exponent_o    = exponent;
  assign significand_o = {shifted[IN_BITS-1-:OUT_BITS-1], shifted[IN_BITS-OUT_BITS:0] != '0};

`ifdef PROVE_MU_FLOAT_NORMALISE
  localparam int unsigned WIDE = IN_BITS + (1 << EXPONENT_BITS);
  logic [WIDE-1:0] value;  // as fixed point numbers
  logic [WIDE-1:0] kept;
  assign value = WIDE'(significand_i) << exponent_i;
  assign kept  = WIDE'({significand_o[OUT_BITS-1:1], {(IN_BITS - OUT_BITS + 1) {1'b0}}}) << exponent_o;
  always_comb begin
    if (valid_i && exponent_i != '0) begin
      exponent_stays_legal : assert (exponent_o >= EXPONENT_BITS'(1) && exponent_o <= exponent_i);
      normal_or_subnormal_or_zero :
        assert (significand_o[OUT_BITS-1] || exponent_o == EXPONENT_BITS'(1) || significand_i == '0);
      value_stays :
        assert (value >= kept && value - kept < WIDE'(1) << (32'(exponent_o) + IN_BITS - OUT_BITS + 1));
      sticky_says_whether_exact : assert (significand_o[0] == (value != kept));
    end
  end
`endif
endmodule
`default_nettype wire

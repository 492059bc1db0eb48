// SPDX-License-Identifier: Apache-2.0
// mu_float_normalise: moves the leading one of a significand to the top, as far as the exponent allows.
//
//   significand_i ---> [ mu_leading_zeros ] ---> [ the smaller ] ---> [ << ] ---> exponent_o, significand_o
//   exponent_i ------------------------------------------^
//
// Behaviour: the value significand_i * 2^exponent_i stays the same, but for the lowest bit of significand_o,
//   which is the OR of all bits below (sticky). Exponents count from that of subnormal numbers. Afterwards
//   the leading bit of significand_o is one, or exponent_o is 0 (a subnormal number), or all bits are zero.
// Latency: combinational. Costs nothing in simulation while valid_i is low.
// Limits: IN_BITS > OUT_BITS. significand_o is zero while valid_i is low; then, and where it is zero,
//   exponent_o means nothing.
`default_nettype none

module mu_float_normalise #(
    parameter int unsigned EXPONENT_BITS = 8,
    parameter int unsigned IN_BITS       = 28,
    parameter int unsigned OUT_BITS      = 26
) (
    input  logic                     valid_i,
    input  logic [EXPONENT_BITS-1:0] exponent_i,
    input  logic [IN_BITS-1:0]       significand_i,
    output logic [EXPONENT_BITS-1:0] exponent_o,
    output logic [OUT_BITS-1:0]      significand_o
);
  localparam int unsigned COUNT_BITS = $clog2(IN_BITS);
  // One bit more than either.
  localparam int unsigned REST_BITS = (EXPONENT_BITS > COUNT_BITS ? EXPONENT_BITS : COUNT_BITS) + 1;
  if (IN_BITS <= OUT_BITS) $error("mu_float_normalise: IN_BITS must be larger than OUT_BITS");

  logic [COUNT_BITS-1:0] zeros;
  logic [COUNT_BITS-1:0] places;   // to move by
  logic [REST_BITS-1:0]  rest;     // of the exponent; below zero if there are more zeros
  logic [IN_BITS-1:0]    shifted;
  logic                  subnormal;

  mu_leading_zeros #(
      .WIDTH(IN_BITS)
  ) u_zeros (
      .valid_i,
      .number_i(significand_i),
      .zeros_o (zeros)
  );
  assign rest      = REST_BITS'(exponent_i) - REST_BITS'(zeros);
  assign subnormal = rest[REST_BITS-1];
  assign places    = subnormal ? COUNT_BITS'(exponent_i) : zeros;
  always_comb begin
    shifted = '0;
    if (valid_i) shifted = significand_i << places;
  end
  assign exponent_o    = subnormal ? '0 : rest[EXPONENT_BITS-1:0];
  assign significand_o = {shifted[IN_BITS-1-:OUT_BITS-1], shifted[IN_BITS-OUT_BITS:0] != '0};

`ifdef PROVE_MU_FLOAT_NORMALISE
  localparam int unsigned WIDE = IN_BITS + (1 << EXPONENT_BITS);
  logic [WIDE-1:0] value;  // as fixed point numbers
  logic [WIDE-1:0] kept;
  assign value = WIDE'(significand_i) << exponent_i;
  assign kept  = WIDE'({significand_o[OUT_BITS-1:1], {(IN_BITS - OUT_BITS + 1) {1'b0}}}) << exponent_o;
  always_comb begin
    if (valid_i) begin
      exponent_stays_legal : assert (exponent_o <= exponent_i);
      normal_or_subnormal_or_zero :
        assert (significand_o[OUT_BITS-1] || exponent_o == '0 || significand_i == '0);
      value_stays :
        assert (value >= kept && value - kept < WIDE'(1) << (32'(exponent_o) + IN_BITS - OUT_BITS + 1));
      sticky_says_whether_exact : assert (significand_o[0] == (value != kept));
    end else nothing_of_nothing : assert (significand_o == '0);
  end
`endif
endmodule
`default_nettype wire

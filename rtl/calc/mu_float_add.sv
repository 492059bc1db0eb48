// SPDX-License-Identifier: Apache-2.0
// mu_float_add: sum of two IEEE 754 numbers, a step of the textbook a cycle.
//
//   left, right --> [order] --> [align] --> [add] --> [normalise] --> round --> sum_o, out_valid_o
//                    larger      smaller     or        leading one     to nearest even
//                    first       >> distance subtract  to the top
//
// Behaviour: sum_o is left_i + right_i rounded to nearest even, subnormal numbers included. NaN + x and the
//   difference of two infinities are the quiet NaN of sign 0. x + (-x) is +0; only (-0) + (-0) is -0. Both
//   orders of the operands give the same bits. format_i: all that in this format, whose operands lie as
//   mu_float_format says and whose sum leaves in the lowest bits; its bits are the first of as many, and
//   rounding is the last step, so that it rounds once. Nothing moves while enable_i is low.
// Latency: 4 enabled cycles to sum_o, which comes out of the rounding logic and not of a register; a sum a
//   cycle.
// Limits: any operands.
`default_nettype none

module mu_float_add #(
    parameter  int unsigned EXPONENT_BITS    = 11,
    parameter  int unsigned FRACTION_BITS    = 52,
    parameter  logic [23:0] NARROW_EXPONENTS = 24'h08_05_08,
    parameter  logic [23:0] NARROW_FRACTIONS = 24'h07_0A_17,
    localparam int unsigned WIDTH            = 1 + EXPONENT_BITS + FRACTION_BITS
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             enable_i,
    // operands
    input  logic             in_valid_i,
    input  logic [1:0]       format_i,  // mu_pkg::float_format_e
    input  logic [WIDTH-1:0] left_i,
    input  logic [WIDTH-1:0] right_i,
    // sum
    output logic             out_valid_o,
    output logic [WIDTH-1:0] sum_o
);
  localparam int unsigned ALIGNED_BITS = FRACTION_BITS + 4;  // guard, round and sticky bit below
  localparam int unsigned SUM_BITS     = ALIGNED_BITS + 1;   // carry above
  localparam int unsigned ROUND_BITS   = FRACTION_BITS + 3;

  logic [3:0] valid_q;  // by stage: ordered, aligned, added, normalised
  assign out_valid_o = valid_q[3];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else if (enable_i) valid_q <= {valid_q[2:0], in_valid_i};
  end

  // --- order: the larger magnitude first, so that the difference is never negative ----------------
  logic                     swap;
  logic [WIDTH-1:0]         large_float;
  logic [WIDTH-1:0]         small_float;
  logic                     large_sign;
  logic                     small_sign;
  logic [EXPONENT_BITS-1:0] large_exponent;
  logic [EXPONENT_BITS-1:0] small_exponent;
  logic [FRACTION_BITS:0]   large_significand;
  logic [FRACTION_BITS:0]   small_significand;
  logic                     large_infinity;
  logic                     small_infinity;
  logic                     large_nan;
  logic                     small_nan;
  logic                     unused_flags;  // a NaN has the larger magnitude, and zeros are as other numbers
  logic                     large_zero;
  logic                     small_zero;
  assign unused_flags = large_zero || small_zero || small_nan;
  assign swap         = right_i[WIDTH-2:0] > left_i[WIDTH-2:0];
  assign large_float  = swap ? right_i : left_i;
  assign small_float  = swap ? left_i : right_i;

  mu_float_unpack #(
      .EXPONENT_BITS   (EXPONENT_BITS),
      .FRACTION_BITS   (FRACTION_BITS),
      .NARROW_EXPONENTS(NARROW_EXPONENTS)
  ) u_unpack_large (
      .format_i,
      .float_i      (large_float),
      .sign_o       (large_sign),
      .exponent_o   (large_exponent),
      .significand_o(large_significand),
      .zero_o       (large_zero),
      .infinity_o   (large_infinity),
      .nan_o        (large_nan)
  );
  mu_float_unpack #(
      .EXPONENT_BITS   (EXPONENT_BITS),
      .FRACTION_BITS   (FRACTION_BITS),
      .NARROW_EXPONENTS(NARROW_EXPONENTS)
  ) u_unpack_small (
      .format_i,
      .float_i      (small_float),
      .sign_o       (small_sign),
      .exponent_o   (small_exponent),
      .significand_o(small_significand),
      .zero_o       (small_zero),
      .infinity_o   (small_infinity),
      .nan_o        (small_nan)
  );

  // {format, sign, subtract, infinity, nan} travels with the numbers.
  logic [5:0]               ordered_flags_q;
  logic [EXPONENT_BITS-1:0] ordered_exponent_q;
  logic [EXPONENT_BITS-1:0] distance_q;
  logic [FRACTION_BITS:0]   ordered_large_q;
  logic [FRACTION_BITS:0]   ordered_small_q;
  always_ff @(posedge clk_i) begin
    if (enable_i && in_valid_i) begin
      ordered_flags_q <= {
        format_i,
        large_sign,
        large_sign != small_sign,
        large_infinity,
        large_nan || (large_infinity && small_infinity && large_sign != small_sign)
      };
      ordered_exponent_q <= large_exponent;
      distance_q         <= large_exponent - small_exponent;
      ordered_large_q    <= large_significand;
      ordered_small_q    <= small_significand;
    end
  end

  // --- align ---------------------------------------------------------------------------------------
  logic [ALIGNED_BITS-1:0]  aligned;
  logic [5:0]               aligned_flags_q;
  logic [EXPONENT_BITS-1:0] aligned_exponent_q;
  logic [FRACTION_BITS:0]   aligned_large_q;
  logic [ALIGNED_BITS-1:0]  aligned_small_q;
  mu_float_align #(
      .WIDTH      (ALIGNED_BITS),
      .AMOUNT_BITS(EXPONENT_BITS)
  ) u_align (
      .valid_i      (valid_q[0]),
      .significand_i({ordered_small_q, 3'b0}),
      .amount_i     (distance_q),
      .aligned_o    (aligned)
  );
  always_ff @(posedge clk_i) begin
    if (enable_i && valid_q[0]) begin
      aligned_flags_q    <= ordered_flags_q;
      aligned_exponent_q <= ordered_exponent_q;
      aligned_large_q    <= ordered_large_q;
      aligned_small_q    <= aligned;
    end
  end

  // --- add or subtract -----------------------------------------------------------------------------
  logic [5:0]               added_flags_q;
  logic [EXPONENT_BITS-1:0] added_exponent_q;
  logic [SUM_BITS-1:0]      added_q;
  always_ff @(posedge clk_i) begin
    if (enable_i && valid_q[1]) begin
      added_flags_q    <= aligned_flags_q;
      added_exponent_q <= aligned_exponent_q;
      added_q <= aligned_flags_q[2] ? {1'b0, aligned_large_q, 3'b0} - {1'b0, aligned_small_q}
                                    : {1'b0, aligned_large_q, 3'b0} + {1'b0, aligned_small_q};
    end
  end

  // --- normalise -----------------------------------------------------------------------------------
  // With a carry above, the exponent is one more; from that of subnormal numbers it counts one less.
  logic [EXPONENT_BITS-1:0] exponent;
  logic [ROUND_BITS-1:0]    significand;
  logic [EXPONENT_BITS-1:0] exponent_q;
  logic [ROUND_BITS-1:0]    significand_q;
  logic                     sign_q;
  logic                     infinity_q;
  logic                     nan_q;
  logic [1:0]               format_q;
  mu_float_normalise #(
      .EXPONENT_BITS(EXPONENT_BITS),
      .IN_BITS      (SUM_BITS),
      .OUT_BITS     (ROUND_BITS)
  ) u_normalise (
      .valid_i      (valid_q[2]),
      .exponent_i   (added_exponent_q),
      .significand_i(added_q),
      .exponent_o   (exponent),
      .significand_o(significand)
  );
  always_ff @(posedge clk_i) begin
    if (enable_i && valid_q[2]) begin
      exponent_q    <= exponent;
      significand_q <= significand;
      sign_q        <= added_flags_q[3] && !(added_flags_q[2] && added_q == '0);
      infinity_q    <= added_flags_q[1];
      nan_q         <= added_flags_q[0];
      format_q      <= added_flags_q[5:4];
    end
  end

  // --- round ---------------------------------------------------------------------------------------
  mu_float_round #(
      .EXPONENT_BITS   (EXPONENT_BITS),
      .FRACTION_BITS   (FRACTION_BITS),
      .NARROW_EXPONENTS(NARROW_EXPONENTS),
      .NARROW_FRACTIONS(NARROW_FRACTIONS)
  ) u_round (
      .format_i     (format_q),
      .sign_i       (sign_q),
      .exponent_i   ({1'b0, exponent_q}),
      .significand_i(significand_q),
      .nan_i        (nan_q),
      .infinity_i   (infinity_q),
      .float_o      (sum_o)
  );

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      smaller_is_not_larger : assert (!valid_q[1] || aligned_small_q <= {aligned_large_q, 3'b0});
      normalised : assert (!out_valid_o || significand_q[ROUND_BITS-1] || significand_q == '0 ||
                           exponent_q == '0);
    end
  end
endmodule
`default_nettype wire

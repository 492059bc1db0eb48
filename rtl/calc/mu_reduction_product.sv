// SPDX-License-Identifier: Apache-2.0
// mu_reduction_product: product of two elements of one width, integers or IEEE 754 floats, on one multiplier.
//
//   left, right --> [unpack] --> [multiply, STEPS cycles] --> [sum] --> [measure] --> [align] --> round -->
//                   floats        slice by slice             whole     leading zeros >> places   product_o
//                                                            product   or exponent   that are left
//
// Behaviour: float_i: product_o is left_i * right_i rounded to nearest even, subnormal numbers included; NaN
//   * x and 0 * infinity are the quiet NaN of sign 0; zeros and infinities have the sign that the operands'
//   signs make. Otherwise: the low WIDTH bits of the product, which are the same for signed and unsigned
//   integers. Both orders of the operands give the same bits. format_i: of floats the format, in which
//   operands lie as mu_float_format says and the product leaves in the lowest bits, rounded once; of integers
//   it changes nothing. Nothing moves while enable_i is low.
// Latency: STEPS + 4 enabled cycles to product_o, which comes out of the rounding logic and not of a
//   register; a product every STEPS cycles (ready_o).
// Limits: STEPS >= 2 and divides WIDTH. start_i only while ready_o. Any operands.
`default_nettype none

module mu_reduction_product #(
    parameter int unsigned WIDTH            = 64,
    parameter int unsigned EXPONENT_BITS    = 11,
    parameter logic [23:0] NARROW_EXPONENTS = 24'h08_05_08,
    parameter logic [23:0] NARROW_FRACTIONS = 24'h07_0A_17,
    parameter int unsigned STEPS            = 4
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             enable_i,
    // operands
    input  logic             start_i,
    output logic             ready_o,
    input  logic             float_i,
    input  logic [1:0]       format_i,  // mu_pkg::float_format_e
    input  logic [WIDTH-1:0] left_i,
    input  logic [WIDTH-1:0] right_i,
    // product
    output logic             out_valid_o,
    output logic [WIDTH-1:0] product_o
);
  localparam int unsigned FRACTION_BITS = WIDTH - 1 - EXPONENT_BITS;
  localparam int unsigned PRODUCT_BITS  = 2 * FRACTION_BITS + 2;
  localparam int unsigned ROUND_BITS    = FRACTION_BITS + 3;
  localparam int unsigned SIGNED_BITS   = EXPONENT_BITS + 2;  // exponent of a product, two's complement
  localparam int unsigned COUNTED_BITS  = FRACTION_BITS + 2;  // down to the smallest number's leading one
  localparam int unsigned COUNT_BITS    = $clog2(COUNTED_BITS);
  if (PRODUCT_BITS < WIDTH)
    $error("mu_reduction_product: a product of significands must be as wide as an integer");

  // --- unpack --------------------------------------------------------------------------------------
  logic                     left_sign;
  logic                     right_sign;
  logic [EXPONENT_BITS-1:0] left_exponent;
  logic [EXPONENT_BITS-1:0] right_exponent;
  logic [FRACTION_BITS:0]   left_significand;
  logic [FRACTION_BITS:0]   right_significand;
  logic                     left_zero;
  logic                     right_zero;
  logic                     left_infinity;
  logic                     right_infinity;
  logic                     left_nan;
  logic                     right_nan;
  mu_float_unpack #(
      .EXPONENT_BITS   (EXPONENT_BITS),
      .FRACTION_BITS   (FRACTION_BITS),
      .NARROW_EXPONENTS(NARROW_EXPONENTS)
  ) u_unpack_left (
      .format_i,
      .float_i      (left_i),
      .sign_o       (left_sign),
      .exponent_o   (left_exponent),
      .significand_o(left_significand),
      .zero_o       (left_zero),
      .infinity_o   (left_infinity),
      .nan_o        (left_nan)
  );
  mu_float_unpack #(
      .EXPONENT_BITS   (EXPONENT_BITS),
      .FRACTION_BITS   (FRACTION_BITS),
      .NARROW_EXPONENTS(NARROW_EXPONENTS)
  ) u_unpack_right (
      .format_i,
      .float_i      (right_i),
      .sign_o       (right_sign),
      .exponent_o   (right_exponent),
      .significand_o(right_significand),
      .zero_o       (right_zero),
      .infinity_o   (right_infinity),
      .nan_o        (right_nan)
  );

  logic [EXPONENT_BITS-2:0] bias;
  logic                     unused_lowest;
  logic [FRACTION_BITS-1:0] unused_dropped;
  mu_float_format #(
      .EXPONENT_BITS   (EXPONENT_BITS),
      .FRACTION_BITS   (FRACTION_BITS),
      .NARROW_EXPONENTS(NARROW_EXPONENTS),
      .NARROW_FRACTIONS(NARROW_FRACTIONS)
  ) u_format (
      .format_i,
      .most_o   ({bias, unused_lowest}),
      .dropped_o(unused_dropped)
  );

  // --- multiply ------------------------------------------------------------------------------------
  // {format, float, sign, infinity, nan}; two sets, since the next operands come during the last step.
  logic [5:0]             started_flags_q;
  logic [SIGNED_BITS-1:0] started_exponent_q;
  logic [5:0]             flags_q;
  logic [SIGNED_BITS-1:0] exponent_q;
  logic                   last;
  logic [2*WIDTH-1:0]     product;
  logic [3:0]             valid_q;  // the last slice is summed; product stands; measured; aligned
  mu_multiplier #(
      .WIDTH(WIDTH),
      .STEPS(STEPS)
  ) u_multiplier (
      .clk_i,
      .rst_ni,
      .enable_i,
      .start_i,
      .ready_o,
      .left_i   (float_i ? WIDTH'(left_significand) : left_i),
      .right_i  (float_i ? WIDTH'(right_significand) : right_i),
      .last_o   (last),
      .product_o(product)
  );
  // Two significands leave the top of the product empty.
  logic unused_upper;
  assign unused_upper = product[2*WIDTH-1:PRODUCT_BITS] != '0;
  assign out_valid_o  = valid_q[3];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else if (enable_i) valid_q <= {valid_q[2:0], last};
  end
  always_ff @(posedge clk_i) begin
    if (enable_i && start_i) begin
      started_flags_q <= {
        format_i,
        float_i,
        left_sign != right_sign,
        left_infinity || right_infinity,
        left_nan || right_nan || (left_infinity && right_zero) || (left_zero && right_infinity)
      };
      started_exponent_q <= SIGNED_BITS'(left_exponent) + SIGNED_BITS'(right_exponent) -
                            SIGNED_BITS'(bias);
    end
    if (enable_i && last) begin
      flags_q    <= started_flags_q;
      exponent_q <= started_exponent_q;
    end
  end

  // --- measure: how far to move so that the leading one is at the top, or the exponent the least ------
  logic [COUNT_BITS-1:0]   zeros;
  logic [SIGNED_BITS-1:0]  rest;       // of the exponent behind the zeros
  logic                    subnormal;
  logic [SIGNED_BITS-1:0]  places;     // to the right; the leading one of the largest product as far as that
  logic [5:0]              measured_flags_q;
  logic [EXPONENT_BITS:0]  measured_exponent_q;
  logic [SIGNED_BITS-2:0]  places_q;
  logic [PRODUCT_BITS-1:0] measured_q;  // or the integer
  mu_leading_zeros #(
      .WIDTH(COUNTED_BITS)
  ) u_zeros (
      .valid_i (valid_q[1] && flags_q[3]),
      .number_i(product[PRODUCT_BITS-1-:COUNTED_BITS]),
      .zeros_o (zeros)
  );
  assign rest      = exponent_q - SIGNED_BITS'(zeros);
  assign subnormal = rest[SIGNED_BITS-1];
  assign places    = SIGNED_BITS'(FRACTION_BITS + 1) - (subnormal ? exponent_q : SIGNED_BITS'(zeros));
  always_ff @(posedge clk_i) begin
    if (enable_i && valid_q[1]) begin
      measured_flags_q    <= flags_q;
      measured_exponent_q <= subnormal ? '0 : rest[EXPONENT_BITS:0];
      places_q            <= places[SIGNED_BITS-2:0];
      measured_q          <= product[PRODUCT_BITS-1:0];
    end
  end

  // --- align ---------------------------------------------------------------------------------------
  logic [ROUND_BITS-1:0]  aligned;
  logic [5:0]             aligned_flags_q;
  logic [EXPONENT_BITS:0] aligned_exponent_q;
  logic [ROUND_BITS-1:0]  significand_q;
  logic [WIDTH-1:0]       integer_q;
  mu_float_align #(
      .WIDTH      (PRODUCT_BITS + 2),  // guard and sticky bit of a product that has subnormal operands
      .AMOUNT_BITS(SIGNED_BITS - 1),
      .OUT_BITS   (ROUND_BITS)
  ) u_align (
      .valid_i      (valid_q[2] && measured_flags_q[3]),
      .significand_i({measured_q, 2'b0}),
      .amount_i     (places_q),
      .aligned_o    (aligned)
  );
  always_ff @(posedge clk_i) begin
    if (enable_i && valid_q[2]) begin
      aligned_flags_q <= measured_flags_q;
      if (measured_flags_q[3]) begin
        aligned_exponent_q <= measured_exponent_q;
        significand_q      <= aligned;
      end else integer_q <= measured_q[WIDTH-1:0];
    end
  end

  // --- round ---------------------------------------------------------------------------------------
  logic [WIDTH-1:0] rounded;
  mu_float_round #(
      .EXPONENT_BITS   (EXPONENT_BITS),
      .FRACTION_BITS   (FRACTION_BITS),
      .NARROW_EXPONENTS(NARROW_EXPONENTS),
      .NARROW_FRACTIONS(NARROW_FRACTIONS)
  ) u_round (
      .format_i     (aligned_flags_q[5:4]),
      .sign_i       (aligned_flags_q[2]),
      .exponent_i   (aligned_exponent_q),
      .significand_i(significand_q),
      .nan_i        (aligned_flags_q[0]),
      .infinity_i   (aligned_flags_q[1]),
      .float_o      (rounded)
  );
  assign product_o = aligned_flags_q[3] ? rounded : integer_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (valid_q[1] && flags_q[3] && product != '0)
        moves_to_the_right : assert (!places[SIGNED_BITS-1]);
      // More zeros than can be counted has only a number whose exponent is small.
      if (valid_q[1] && flags_q[3] && product != '0 && product[PRODUCT_BITS-1-:COUNTED_BITS] == '0)
        counts_all_zeros_that_matter : assert (subnormal);
      normalised : assert (!out_valid_o || !aligned_flags_q[3] || significand_q[ROUND_BITS-1] ||
                           significand_q == '0 || aligned_exponent_q == '0);
    end
  end
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_reduction_lane: integer units, float adders and multipliers for 64 bits of a beat: one wide or two
// narrow elements.
//
//   left_i, right_i --+--> [ mu_reduction_integer ] -----------------------------> integer_o (same cycle)
//                     +--> [ mu_float_add: binary64, 2 of binary32 ] ---+
//                     +--> [ mu_reduction_product: 64, 2 of 32 bits ] --+--> [ select ] ---> result_o
//
// Behaviour: start_sum_i and start_product_i give the operands to the adders or multipliers of the width that
//   wide_i says. result_o: what the unit of finish_path_i and finish_wide_i holds. Nothing moves while
//   enable_i is low.
// Latency: integer_o none. result_o: 4 enabled cycles for a sum, 7 for a product, and it comes out of logic
//   and not of a register. A sum a cycle, a product every 4.
// Limits: start_product_i at most every 4 enabled cycles, whatever the widths.
`default_nettype none

module mu_reduction_lane (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        enable_i,
    // operands
    input  logic        start_sum_i,
    input  logic        start_product_i,
    input  logic [3:0]  operation_i,    // mu_pkg::reduction_e
    input  logic        float_i,
    input  logic        wide_i,
    input  logic [63:0] left_i,
    input  logic [63:0] right_i,
    // results
    output logic [63:0] integer_o,
    input  logic        finish_i,
    input  logic [1:0]  finish_path_i,  // mu_pkg::reduction_path_e
    input  logic        finish_wide_i,
    output logic [63:0] result_o
);
  localparam int unsigned STEPS = 4;

  mu_reduction_integer u_integer (
      .operation_i,
      .wide_i,
      .left_i,
      .right_i,
      .result_o(integer_o)
  );

  logic        wide_sum_valid;
  logic        wide_product_valid;
  logic        wide_ready;
  logic [63:0] wide_sum;
  logic [63:0] wide_product;
  mu_float_add #(
      .EXPONENT_BITS(11),
      .FRACTION_BITS(52)
  ) u_wide_add (
      .clk_i,
      .rst_ni,
      .enable_i,
      .in_valid_i (start_sum_i && wide_i),
      .left_i,
      .right_i,
      .out_valid_o(wide_sum_valid),
      .sum_o      (wide_sum)
  );
  mu_reduction_product #(
      .WIDTH        (64),
      .EXPONENT_BITS(11),
      .STEPS        (STEPS)
  ) u_wide_product (
      .clk_i,
      .rst_ni,
      .enable_i,
      .start_i    (start_product_i && wide_i),
      .ready_o    (wide_ready),
      .float_i,
      .left_i,
      .right_i,
      .out_valid_o(wide_product_valid),
      .product_o  (wide_product)
  );

  logic [1:0]  sum_valid;
  logic [1:0]  product_valid;
  logic [1:0]  ready;
  logic [63:0] sums;
  logic [63:0] products;
  for (genvar e = 0; e < 2; e++) begin : gen_narrow
    mu_float_add #(
        .EXPONENT_BITS(8),
        .FRACTION_BITS(23)
    ) u_add (
        .clk_i,
        .rst_ni,
        .enable_i,
        .in_valid_i (start_sum_i && !wide_i),
        .left_i     (left_i[e*32+:32]),
        .right_i    (right_i[e*32+:32]),
        .out_valid_o(sum_valid[e]),
        .sum_o      (sums[e*32+:32])
    );
    mu_reduction_product #(
        .WIDTH        (32),
        .EXPONENT_BITS(8),
        .STEPS        (STEPS)
    ) u_product (
        .clk_i,
        .rst_ni,
        .enable_i,
        .start_i    (start_product_i && !wide_i),
        .ready_o    (ready[e]),
        .float_i,
        .left_i     (left_i[e*32+:32]),
        .right_i    (right_i[e*32+:32]),
        .out_valid_o(product_valid[e]),
        .product_o  (products[e*32+:32])
    );
  end

  always_comb begin
    if (finish_path_i == mu_pkg::REDUCTION_PATH_SUM) result_o = finish_wide_i ? wide_sum : sums;
    else result_o = finish_wide_i ? wide_product : products;
  end

  // Asserted only: of the wide unit and of the two narrow ones, which has a result.
  function automatic logic [2:0] due(input logic finish, input logic wide);
    due = !finish ? 3'b000 : wide ? 3'b100 : 3'b011;
  endfunction
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      units_are_ready : assert (!(enable_i && start_product_i) || (wide_i ? wide_ready : ready == '1));
      // A unit has a result when it is asked for, and none else.
      sums_are_asked_for :
      assert (!enable_i || {wide_sum_valid, sum_valid} ==
              due(finish_i && finish_path_i == mu_pkg::REDUCTION_PATH_SUM, finish_wide_i));
      products_are_asked_for :
      assert (!enable_i || {wide_product_valid, product_valid} ==
              due(finish_i && finish_path_i == mu_pkg::REDUCTION_PATH_PRODUCT, finish_wide_i));
    end
  end
endmodule
`default_nettype wire

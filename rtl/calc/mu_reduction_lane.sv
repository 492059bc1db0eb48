// SPDX-License-Identifier: Apache-2.0
// mu_reduction_lane: the units for 64 bits of a beat, or for one of the two narrow elements in them.
//
//   left_i, right_i --> [ operands ] --+--> [ mu_reduction_integer ] -----------+
//                         spread       +--> [ mu_reduction_extreme ] -----------+--> [ select ] --> result_o
//                         if narrow    +--> [ mu_float_add: binary64 or 32 ] ---+
//                                      +--> [ mu_reduction_product: 64 or 32 ] -+
//
// Behaviour: load_i takes the operands: with one_i the narrow element that upper_i says, else all 64 bits.
//   The cycle behind, start_sum_i and start_product_i begin sum or product of floats, product of integers;
//   of all other operations result_o is there at once. result_o: what the unit of finish_path_i holds; of one
//   narrow element in both halves. Nothing moves while enable_i is low.
// Latency: result_o behind the operands: 4 enabled cycles for a sum, 8 for a product, none for others, and it
//   comes out of logic and not of a register. A sum a cycle, a product every 4.
// Limits: start_product_i at most every 4 enabled cycles. load_i only while enable_i.
`default_nettype none

module mu_reduction_lane (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        enable_i,
    // operands
    input  logic        load_i,
    input  logic        one_i,
    input  logic        upper_i,
    input  logic        load_float_i,
    input  logic [63:0] left_i,
    input  logic [63:0] right_i,
    // what to do with those taken
    input  logic        start_sum_i,
    input  logic        start_product_i,
    input  logic        extreme_i,
    input  logic [3:0]  operation_i,         // mu_pkg::reduction_e
    input  logic [2:0]  element_i,           // mu_pkg::element_e
    // pairs of wide elements
    input  logic        index_i,
    input  logic        value_right_wins_i,
    input  logic        value_tie_i,
    output logic        right_wins_o,
    output logic        tie_o,
    // results
    input  logic        finish_i,
    input  logic [1:0]  finish_path_i,       // mu_pkg::reduction_path_e
    input  logic        finish_one_i,
    output logic [63:0] result_o
);
  localparam int unsigned STEPS = 4;

  // A narrow float as mu_float_unpack takes it.
  function automatic logic [63:0] taken(input logic one, input logic upper, input logic is_float,
                                        input logic [63:0] bits);
    logic [31:0] element;
    element = upper ? bits[63:32] : bits[31:0];
    if (!one) taken = bits;
    else if (is_float) taken = {element[31], 3'b0, element[30:23], element[22:0], 29'b0};
    else taken = {32'b0, element};
  endfunction

  logic [63:0] left_q;
  logic [63:0] right_q;
  logic        one_q;
  logic        float_q;
  logic        wide;
  assign wide = element_i == mu_pkg::ELEMENT_I64 || element_i == mu_pkg::ELEMENT_U64 ||
                element_i == mu_pkg::ELEMENT_F64;
  always_ff @(posedge clk_i) begin
    if (load_i) begin
      left_q  <= taken(one_i, upper_i, load_float_i, left_i);
      right_q <= taken(one_i, upper_i, load_float_i, right_i);
      one_q   <= one_i;
      float_q <= load_float_i;
    end
  end

  logic [63:0] integer_result;
  logic [63:0] extreme;
  logic        sum_valid;
  logic [63:0] sum;
  logic        product_ready;
  logic        product_valid;
  logic [63:0] product;
  mu_reduction_integer u_integer (
      .operation_i,
      .wide_i  (wide),
      .left_i  (left_q),
      .right_i (right_q),
      .result_o(integer_result)
  );
  mu_reduction_extreme u_extreme (
      .valid_i (extreme_i),
      .operation_i,
      .element_i,
      .index_i,
      .value_right_wins_i,
      .value_tie_i,
      .left_i  (left_q),
      .right_i (right_q),
      .right_wins_o,
      .tie_o,
      .result_o(extreme)
  );
  mu_float_add u_add (
      .clk_i,
      .rst_ni,
      .enable_i,
      .in_valid_i (start_sum_i),
      .narrow_i   (one_q),
      .left_i     (left_q),
      .right_i    (right_q),
      .out_valid_o(sum_valid),
      .sum_o      (sum)
  );
  mu_reduction_product #(
      .STEPS(STEPS)
  ) u_product (
      .clk_i,
      .rst_ni,
      .enable_i,
      .start_i    (start_product_i),
      .ready_o    (product_ready),
      .float_i    (float_q),
      .narrow_i   (one_q),
      .left_i     (left_q),
      .right_i    (right_q),
      .out_valid_o(product_valid),
      .product_o  (product)
  );

  always_comb begin
    unique case (finish_path_i)
      mu_pkg::REDUCTION_PATH_SIMPLE:  result_o = extreme_i ? extreme : integer_result;
      mu_pkg::REDUCTION_PATH_SUM:     result_o = sum;
      mu_pkg::REDUCTION_PATH_PRODUCT: result_o = product;
      default:                        result_o = '0;
    endcase
    if (finish_one_i) result_o[63:32] = result_o[31:0];
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (load_i) loads_while_it_moves : assert (enable_i);
      unit_is_ready : assert (!(enable_i && start_product_i) || product_ready);
      if (extreme_i) begin
        only_maxima_and_minima :
        assert (operation_i == mu_pkg::REDUCTION_MAX || operation_i == mu_pkg::REDUCTION_MIN ||
                operation_i == mu_pkg::REDUCTION_MAXLOC || operation_i == mu_pkg::REDUCTION_MINLOC);
        type_exists : assert (element_i <= mu_pkg::ELEMENT_F64);
      end
      // A unit has a result when it is asked for, and none else.
      sum_is_asked_for :
      assert (!enable_i || sum_valid == (finish_i && finish_path_i == mu_pkg::REDUCTION_PATH_SUM));
      product_is_asked_for :
      assert (!enable_i || product_valid == (finish_i && finish_path_i == mu_pkg::REDUCTION_PATH_PRODUCT));
    end
  end
endmodule
`default_nettype wire

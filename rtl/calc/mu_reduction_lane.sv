// SPDX-License-Identifier: Apache-2.0
// mu_reduction_lane: the units for 64 bits of a beat, or for one of the narrow elements in them.
//
//   left_i, right_i --> [ operands ] --+--> [ mu_reduction_integer ] -----------+
//                         spread       +--> [ mu_reduction_extreme ] -----------+--> [ select ] --> result_o
//                         if floats    +--> [ mu_float_add ] -------------------+
//                                      +--> [ mu_reduction_product ] -----------+
//
// Behaviour: load_i takes the operands from byte load_byte_i on, and with load_spread_i the float of
//   load_format_i there as mu_float_format says it lies in a wide one. The cycle behind, start_sum_i and
//   start_product_i begin sum or product of floats, product of integers; of all other operations result_o is
//   there at once. result_o: what the unit of finish_path_i holds; with finish_share_i 1, 2 or 3 its lowest
//   32, 16 or 8 bits, as often as they fit. Nothing moves while enable_i is low.
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
    input  logic [2:0]  load_byte_i,
    input  logic        load_spread_i,
    input  logic [1:0]  load_format_i,       // mu_pkg::float_format_e
    input  logic [63:0] left_i,
    input  logic [63:0] right_i,
    // what to do with those taken
    input  logic        start_sum_i,
    input  logic        start_product_i,
    input  logic        extreme_i,
    input  logic [3:0]  operation_i,         // mu_pkg::reduction_e
    input  logic [1:0]  size_log2_i,         // of an element, in bytes
    input  logic        float_i,
    input  logic [1:0]  format_i,            // mu_pkg::float_format_e
    input  logic        signed_i,
    // pairs of wide elements
    input  logic [1:0]  word_i,              // 8 bytes of the beat
    input  logic        value_right_wins_i,
    input  logic        value_tie_i,
    output logic        right_wins_o,
    output logic        tie_o,
    // results
    input  logic        finish_i,
    input  logic [1:0]  finish_path_i,       // mu_pkg::reduction_path_e
    input  logic [1:0]  finish_share_i,
    output logic [63:0] result_o
);
  localparam int unsigned STEPS = 4;

  function automatic logic [63:0] taken(input logic [2:0] from, input logic spread,
                                        input logic [1:0] float_format, input logic [63:0] bits);
    logic [63:0] element;
    element = bits >> {from, 3'b0};
    taken   = element;
    if (spread) begin
      unique case (float_format)
        mu_pkg::FLOAT_FORMAT_BINARY32: taken = {element[31], 3'b0, element[30:0], 29'b0};
        mu_pkg::FLOAT_FORMAT_BINARY16: taken = {element[15], 6'b0, element[14:0], 42'b0};
        mu_pkg::FLOAT_FORMAT_BFLOAT16: taken = {element[15], 3'b0, element[14:0], 45'b0};
        default: ;
      endcase
    end
  endfunction

  logic [63:0] left_q;
  logic [63:0] right_q;
  always_ff @(posedge clk_i) begin
    if (load_i) begin
      left_q  <= taken(load_byte_i, load_spread_i, load_format_i, left_i);
      right_q <= taken(load_byte_i, load_spread_i, load_format_i, right_i);
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
      .size_log2_i,
      .left_i     (left_q),
      .right_i    (right_q),
      .result_o   (integer_result)
  );
  mu_reduction_extreme u_extreme (
      .valid_i (extreme_i),
      .operation_i,
      .size_log2_i,
      .float_i,
      .format_i,
      .signed_i,
      .word_i,
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
      .format_i,
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
      .float_i,
      .format_i,
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
    unique case (finish_share_i)
      2'd1:    result_o = {2{result_o[31:0]}};
      2'd2:    result_o = {4{result_o[15:0]}};
      2'd3:    result_o = {8{result_o[7:0]}};
      default: ;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (load_i) loads_while_it_moves : assert (enable_i);
      unit_is_ready : assert (!(enable_i && start_product_i) || product_ready);
      if (extreme_i)
        only_maxima_and_minima :
        assert (operation_i == mu_pkg::REDUCTION_MAX || operation_i == mu_pkg::REDUCTION_MIN ||
                operation_i == mu_pkg::REDUCTION_MAXLOC || operation_i == mu_pkg::REDUCTION_MINLOC ||
                operation_i == mu_pkg::REDUCTION_MINMAXLOC);
      // A unit has a result when it is asked for, and none else.
      sum_is_asked_for :
      assert (!enable_i || sum_valid == (finish_i && finish_path_i == mu_pkg::REDUCTION_PATH_SUM));
      product_is_asked_for :
      assert (!enable_i || product_valid == (finish_i && finish_path_i == mu_pkg::REDUCTION_PATH_PRODUCT));
    end
  end
endmodule
`default_nettype wire

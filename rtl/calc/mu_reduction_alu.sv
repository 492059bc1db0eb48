// SPDX-License-Identifier: Apache-2.0
// mu_reduction_alu: one operation on the elements of two beats of memory, element by element.
//
//   left, right, --+--> [ mu_reduction_extreme x 2: MAX MIN MAXLOC MINLOC ] --+
//   operation,     +--> [ mu_reduction_lane x 4: integers at once,        ] --+--> [ result ] ---> out
//   element        |    [   float sums and products some cycles later     ] --+
//                  +--> [ mu_reduction_decode, mu_reduction_order ] ----------^
//
// Behaviour: for each beat taken at the input one leaves at the output, in order. Its element k is element k
//   of left_i and of right_i under the operation, with the rules of docs/calc.md; both orders of the operands
//   give the same bits. Where the operation is not defined for the type, out_status_o is
//   STATUS_REDUCTION_UNDEFINED and the result zero; else STATUS_OK. 64-bit elements lie at bits 0, 64, 128,
//   192, 32-bit elements at multiples of 32; MAXLOC and MINLOC take pairs of a value and, behind it, an index
//   as wide. active_o: a beat is under way.
// Latency: 1 cycle; sums of floats 5; products 8. A beat a cycle; products a beat every 4 cycles. A beat
//   waits until it would not overtake: a simple one behind a product up to 7 cycles.
// Limits: any input. in_ready_o depends on in_operation_i, in_element_i and out_ready_i of the same cycle.
`default_nettype none

module mu_reduction_alu (
    input  logic         clk_i,
    input  logic         rst_ni,
    output logic         active_o,
    // operands
    input  logic         in_valid_i,
    output logic         in_ready_o,
    input  logic [3:0]   in_operation_i,  // mu_pkg::reduction_e
    input  logic [2:0]   in_element_i,    // mu_pkg::element_e
    input  logic [255:0] in_left_i,
    input  logic [255:0] in_right_i,
    // result
    output logic         out_valid_o,
    input  logic         out_ready_i,
    output mu_pkg::status_e out_status_o,    // mu_pkg::status_e
    output logic [255:0] out_result_o
);
  logic [1:0]   path;
  logic         wide;
  mu_pkg::status_e status;
  logic         is_float;
  logic         is_extreme;
  logic         start;
  logic         advance;
  logic         finish;
  logic [1:0]   finish_path;
  logic         finish_wide;
  logic [255:0] extremes;
  logic [255:0] integers;
  logic [255:0] finished;

  mu_reduction_decode u_decode (
      .operation_i(in_operation_i),
      .element_i  (in_element_i),
      .path_o     (path),
      .wide_o     (wide),
      .status_o   (status)
  );
  mu_reduction_order #(
      .SUM_LATENCY     (5),
      .PRODUCT_LATENCY (8),
      .PRODUCT_INTERVAL(4)
  ) u_order (
      .clk_i,
      .rst_ni,
      .in_valid_i,
      .in_ready_o,
      .in_path_i    (path),
      .in_wide_i    (wide),
      .start_o      (start),
      .advance_o    (advance),
      .finish_o     (finish),
      .finish_path_o(finish_path),
      .finish_wide_o(finish_wide),
      .active_o,
      .out_valid_o,
      .out_ready_i
  );

  assign is_float   = in_element_i == mu_pkg::ELEMENT_F32 || in_element_i == mu_pkg::ELEMENT_F64;
  assign is_extreme = path != mu_pkg::REDUCTION_PATH_UNDEFINED &&
                      (in_operation_i == mu_pkg::REDUCTION_MAX || in_operation_i == mu_pkg::REDUCTION_MIN ||
                       in_operation_i == mu_pkg::REDUCTION_MAXLOC ||
                       in_operation_i == mu_pkg::REDUCTION_MINLOC);

  for (genvar h = 0; h < 2; h++) begin : gen_half
    mu_reduction_extreme u_extreme (
        .valid_i    (in_valid_i && is_extreme),
        .operation_i(in_operation_i),
        .element_i  (in_element_i),
        .left_i     (in_left_i[h*128+:128]),
        .right_i    (in_right_i[h*128+:128]),
        .result_o   (extremes[h*128+:128])
    );
  end
  for (genvar l = 0; l < 4; l++) begin : gen_lane
    mu_reduction_lane u_lane (
        .clk_i,
        .rst_ni,
        .enable_i       (advance),
        .start_sum_i    (start && path == mu_pkg::REDUCTION_PATH_SUM),
        .start_product_i(start && path == mu_pkg::REDUCTION_PATH_PRODUCT),
        .operation_i    (in_operation_i),
        .float_i        (is_float),
        .wide_i         (wide),
        .left_i         (in_left_i[l*64+:64]),
        .right_i        (in_right_i[l*64+:64]),
        .integer_o      (integers[l*64+:64]),
        .finish_i       (finish),
        .finish_path_i  (finish_path),
        .finish_wide_i  (finish_wide),
        .result_o       (finished[l*64+:64])
    );
  end

  // --- result ----------------------------------------------------------------------------------------
  logic         at_once;
  logic [255:0] result_q;
  mu_pkg::status_e status_q;
  assign at_once      = path == mu_pkg::REDUCTION_PATH_SIMPLE || path == mu_pkg::REDUCTION_PATH_UNDEFINED;
  assign out_result_o = result_q;
  assign out_status_o = status_q;
  always_ff @(posedge clk_i) begin
    if (advance && finish) begin
      status_q <= mu_pkg::STATUS_OK;
      result_q <= finished;
    end else if (start && at_once) begin
      status_q <= status;
      if (path == mu_pkg::REDUCTION_PATH_UNDEFINED) result_q <= '0;
      else result_q <= is_extreme ? extremes : integers;
    end
  end

  always_ff @(posedge clk_i) begin
    starts_what_is_offered : assert (!start || in_valid_i);
    finishes_what_takes_time :
    assert (finish_path == mu_pkg::REDUCTION_PATH_SUM || finish_path == mu_pkg::REDUCTION_PATH_PRODUCT);
    if (rst_ni) begin
      one_result_a_cycle : assert (!(advance && finish && start && at_once));
      a_result_is_defined_or_not :
      assert (!out_valid_o || out_status_o == mu_pkg::STATUS_OK ||
              out_status_o == mu_pkg::STATUS_REDUCTION_UNDEFINED);
      no_result_without_a_beat : assert (!out_valid_o || active_o);
    end
  end
endmodule
`default_nettype wire

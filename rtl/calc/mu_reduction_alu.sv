// SPDX-License-Identifier: Apache-2.0
// mu_reduction_alu: one operation on the elements of two beats of memory, element by element.
//
//   left, right --> [ the slice of this pass ] --> [ mu_reduction_lane x LANES ] --> [ result ] ---> out
//   operation, --+> [ mu_reduction_decode ]--> [ mu_reduction_order ] ------------------^
//   element
//
// Behaviour: for each beat taken at the input one leaves at the output, in order. Its element k is element k
//   of left_i and of right_i under the operation, with the rules of docs/calc.md; both orders of the operands
//   give the same bits. Where the operation is not defined for the type, out_status_o is
//   STATUS_REDUCTION_UNDEFINED and the result zero; else STATUS_OK. Elements lie at multiples of their 8, 16,
//   32 or 64 bits; MAXLOC, MINLOC and MINMAXLOC take pairs of a value and, behind it, an index as wide. A
//   beat takes 4 / LANES passes; for float sums and for products, of which a lane has one element a pass, 2,
//   4 or 8 times as many for elements of 32, 16 or 8 bits. active_o: a pass is under way.
// Latency: from the last pass 2 cycles; sums of floats 6; products 10. A pass a cycle; of products one every
//   4 cycles. A pass waits until it would not overtake: a simple one behind a product up to 8 cycles.
// Limits: any input, which stands until it is taken. LANES 1, 2 or 4. in_ready_o depends on in_operation_i,
//   in_element_i and out_ready_i of the same cycle.
`default_nettype none

module mu_reduction_alu #(
    parameter int unsigned LANES = mu_pkg::CALC_LANES
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    output logic                 active_o,
    // operands
    input  logic                 in_valid_i,
    output logic                 in_ready_o,
    input  logic [3:0]           in_operation_i,  // mu_pkg::reduction_e
    input  logic [3:0]           in_element_i,    // mu_pkg::element_e
    input  mu_pkg::memory_word_t in_left_i,
    input  mu_pkg::memory_word_t in_right_i,
    // result
    output logic                 out_valid_o,
    input  logic                 out_ready_i,
    output mu_pkg::status_e      out_status_o,
    output mu_pkg::memory_word_t out_result_o
);
  localparam int unsigned SLICES = 4 / LANES;
  localparam int unsigned BITS   = LANES * 64;
  if (LANES != 1 && LANES != 2 && LANES != 4) $error("mu_reduction_alu: LANES must be 1, 2 or 4");

  logic [1:0]      path;
  mu_pkg::status_e status;
  logic [1:0]      size_log2;     // of an element, in bytes
  logic            is_float;
  logic [1:0]      float_format;
  logic            is_signed;
  logic            is_extreme;
  logic            one_by_one;    // a lane works on one element a pass
  logic [1:0]      share;         // log2 of the passes that a slice takes
  logic            start;
  logic [4:0]      pass;
  logic [1:0]      slice;
  logic [2:0]      from;          // byte of the slice
  logic            advance;
  logic            finish;
  logic [1:0]      finish_path;
  logic [1:0]      finish_share;
  logic [4:0]      finish_pass;
  logic [1:0]      finish_slice;
  logic [2:0]      finish_from;

  mu_reduction_decode u_decode (
      .operation_i(in_operation_i),
      .element_i  (in_element_i),
      .path_o     (path),
      .status_o   (status),
      .size_log2_o(size_log2),
      .float_o    (is_float),
      .format_o   (float_format),
      .signed_o   (is_signed)
  );
  assign is_extreme = path == mu_pkg::REDUCTION_PATH_SIMPLE &&
                      (in_operation_i == mu_pkg::REDUCTION_MAX || in_operation_i == mu_pkg::REDUCTION_MIN ||
                       in_operation_i == mu_pkg::REDUCTION_MAXLOC ||
                       in_operation_i == mu_pkg::REDUCTION_MINLOC ||
                       in_operation_i == mu_pkg::REDUCTION_MINMAXLOC);
  assign one_by_one = path == mu_pkg::REDUCTION_PATH_SUM || path == mu_pkg::REDUCTION_PATH_PRODUCT;
  assign share      = one_by_one ? 2'd3 - size_log2 : 2'd0;
  mu_reduction_order #(
      .SIMPLE_LATENCY  (2),
      .SUM_LATENCY     (6),
      .PRODUCT_LATENCY (10),
      .PRODUCT_INTERVAL(4),
      .SLICES          (SLICES)
  ) u_order (
      .clk_i,
      .rst_ni,
      .in_valid_i,
      .in_ready_o,
      .in_path_i     (path),
      .in_share_i    (share),
      .start_o       (start),
      .pass_o        (pass),
      .advance_o     (advance),
      .finish_o      (finish),
      .finish_path_o (finish_path),
      .finish_share_o(finish_share),
      .finish_pass_o (finish_pass),
      .active_o,
      .out_valid_o,
      .out_ready_i
  );
  assign slice        = 2'(pass >> share);
  assign from         = 3'({pass, 3'b0} >> share);
  assign finish_slice = 2'(finish_pass >> finish_share);
  assign finish_from  = 3'({finish_pass, 3'b0} >> finish_share);

  // --- the pass whose operands the lanes have taken -------------------------------------------------
  logic            loaded_q;
  logic [1:0]      path_q;
  mu_pkg::status_e loaded_status_q;
  logic            extreme_q;
  logic [3:0]      operation_q;
  logic [1:0]      size_log2_q;
  logic            float_q;
  logic [1:0]      format_q;
  logic            signed_q;
  logic [1:0]      slice_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) loaded_q <= 1'b0;
    else if (advance) loaded_q <= start;
  end
  always_ff @(posedge clk_i) begin
    if (start) begin
      path_q          <= path;
      loaded_status_q <= status;
      extreme_q       <= is_extreme;
      operation_q     <= in_operation_i;
      size_log2_q     <= size_log2;
      float_q         <= is_float;
      format_q        <= float_format;
      signed_q        <= is_signed;
      slice_q         <= slice;
    end
  end

  // --- lanes -----------------------------------------------------------------------------------------
  logic [BITS-1:0]  left;
  logic [BITS-1:0]  right;
  logic [BITS-1:0]  finished;
  logic [LANES-1:0] right_wins;
  logic [LANES-1:0] tie;
  logic             value_right_wins_q;  // of a value in the pass before, where a lane is all there is
  logic             value_tie_q;
  always_comb begin
    left  = in_left_i[BITS-1:0];
    right = in_right_i[BITS-1:0];
    for (int s = 1; s < SLICES; s++) begin
      if (slice == 2'(s)) begin
        left  = in_left_i[s*BITS+:BITS];
        right = in_right_i[s*BITS+:BITS];
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (advance && loaded_q && extreme_q) begin
      value_right_wins_q <= right_wins[0];
      value_tie_q        <= tie[0];
    end
  end
  for (genvar l = 0; l < LANES; l++) begin : gen_lane
    mu_reduction_lane u_lane (
        .clk_i,
        .rst_ni,
        .enable_i          (advance),
        .load_i            (start),
        .load_byte_i       (from),
        .load_spread_i     (one_by_one && is_float),
        .load_format_i     (float_format),
        .left_i            (left[l*64+:64]),
        .right_i           (right[l*64+:64]),
        .start_sum_i       (loaded_q && path_q == mu_pkg::REDUCTION_PATH_SUM),
        .start_product_i   (loaded_q && path_q == mu_pkg::REDUCTION_PATH_PRODUCT),
        .extreme_i         (loaded_q && extreme_q),
        .operation_i       (operation_q),
        .size_log2_i       (size_log2_q),
        .float_i           (float_q),
        .format_i          (format_q),
        .signed_i          (signed_q),
        .word_i            (2'(slice_q << $clog2(LANES)) | 2'(l)),
        .value_right_wins_i(l == 0 ? value_right_wins_q : right_wins[l==0?0:l-1]),
        .value_tie_i       (l == 0 ? value_tie_q : tie[l==0?0:l-1]),
        .right_wins_o      (right_wins[l]),
        .tie_o             (tie[l]),
        .finish_i          (finish),
        .finish_path_i     (finish_path),
        .finish_share_i    (finish_share),
        .result_o          (finished[l*64+:64])
    );
  end
  if (LANES > 1) begin : gen_unused
    logic unused;
    assign unused = right_wins[LANES-1] || tie[LANES-1];
  end

  // --- result ----------------------------------------------------------------------------------------
  mu_pkg::memory_word_t result_q;
  mu_pkg::status_e      status_q;
  assign out_result_o = result_q;
  assign out_status_o = status_q;
  always_ff @(posedge clk_i) begin
    if (advance && finish) begin
      status_q <= finish_path == mu_pkg::REDUCTION_PATH_UNDEFINED ? loaded_status_q : mu_pkg::STATUS_OK;
      for (int s = 0; s < SLICES; s++) begin
        for (int b = 0; b < 8 * LANES; b++) begin
          if (finish_slice == 2'(s) && (3'(b) ^ finish_from) >> (2'd3 - finish_share) == '0)
            result_q[s*BITS+b*8+:8] <= finished[b*8+:8];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    starts_what_is_offered : assert (!start || in_valid_i);
    if (rst_ni) begin
      if (loaded_q && path_q != mu_pkg::REDUCTION_PATH_SUM && path_q != mu_pkg::REDUCTION_PATH_PRODUCT)
        ends_at_once_what_takes_no_time : assert (finish && finish_path == path_q);
      a_result_is_defined_or_not :
      assert (!out_valid_o || out_status_o == mu_pkg::STATUS_OK ||
              out_status_o == mu_pkg::STATUS_REDUCTION_UNDEFINED);
      no_result_without_a_beat : assert (!out_valid_o || active_o);
    end
  end
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_calc_accumulate: reduces passes of beats, one pass for each operand, to one.
//
//   in, operand 0 -----> [ so far, 32 beats ] -------+ left
//   in, others ---+--> [ right, 16 beats ] --+--> [ mu_reduction_alu ]
//                 +----- (none waits) -------+           |
//                             so far, or of the last operand: [ result, 32 beats ] ---> out
//
//   With steps: [ mu_calc_steps ] says which of the two go into the ALU, and where what comes out goes.
//
// Behaviour: beats come in passes of equal length, operand 0 to last_operand_i for one chunk, then the same
//   for the next. Beat j of what leaves is ((operand 0 + operand 1) + operand 2) ... of beats j, where + is
//   the operation; with one operand it is that operand. Operand 0 of the next chunk comes in while the ALU
//   works on the last operand. out_level_o: beats of the result that wait. With steps_i the reduction is a
//   loaded one, and operands and result go through its steps as well (mu_calc_steps). Without LANES there is
//   no ALU, one operand is all it takes, and there are no steps.
// Latency: 2 cycles with one operand, else as mu_reduction_alu and 2 more. A beat a cycle as far as the ALU
//   takes them and the one it needs from the operand before has come out; of two operands as long as a beat
//   keeps the ALU for no more than two cycles. With steps each of them, each combination of two operands,
//   taking an operand and giving away a result are a pass of their own, with the latency of each between.
// Limits: starts when reset ends. A pass has 1 to 16 beats; the operation is defined for the elements, and
//   stands from the cycle before on.
`default_nettype none

module mu_calc_accumulate #(
    parameter int unsigned LANES = mu_pkg::CALC_LANES
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    // what to do
    input  logic [3:0]           operation_i,  // mu_pkg::reduction_e
    input  logic [3:0]           element_i,    // mu_pkg::element_e
    input  logic [3:0]           last_operand_i,
    // steps of a loaded reduction
    input  logic                 step_write_i,
    input  logic [2:0]           step_index_i,
    input  mu_pkg::reduction_step_t step_i,
    input  logic [3:0]           steps_i,
    // operands
    input  logic                 in_valid_i,
    output logic                 in_ready_o,
    input  mu_pkg::memory_word_t in_data_i,
    input  logic                 in_last_i,  // of a pass
    // result
    output logic                 out_valid_o,
    input  logic                 out_ready_i,
    output mu_pkg::memory_word_t out_data_o,
    output logic [5:0]           out_level_o
);
  logic                 result_valid;
  logic                 result_ready;
  mu_pkg::memory_word_t result;
  mu_pkg::calc_pass_t   step_pass;

  if (LANES == 0) begin : gen_copies
    assign in_ready_o   = result_ready;
    assign result_valid = in_valid_i;
    assign result       = in_data_i;
    // Whatever the operation is.
    logic unused;
    assign step_pass = '0;
    assign unused = ^{operation_i, element_i, in_last_i, step_pass, step_write_i, step_index_i, step_i,
                      steps_i};
    always_ff @(posedge clk_i) if (rst_ni) copies_one_operand : assert (!in_valid_i || last_operand_i == '0);
  end else begin : gen_reduces
    logic [3:0]           operand_q;
    logic                 first;
    logic                 final_pass;
    logic                 take;
    logic                 right_in_valid;
    logic                 right_in_ready;
    logic                 right_valid;
    logic                 right_final;
    mu_pkg::memory_word_t right;
    logic [4:0]           right_level;
    logic                 direct;  // the beat goes into the ALU as it comes
    logic                 so_far_in_valid;
    logic                 so_far_in_ready;
    mu_pkg::memory_word_t so_far_in;
    mu_pkg::memory_word_t alu_left;
    mu_pkg::memory_word_t alu_right;
    logic                 so_far_valid;
    mu_pkg::memory_word_t so_far;
    logic [5:0]           so_far_level;
    logic                 alu_valid;
    logic                 alu_ready;
    logic                 alu_take;
    logic                 alu_active;
    logic                 alu_out_valid;
    logic                 alu_out_ready;
    mu_pkg::status_e      alu_status;
    mu_pkg::memory_word_t alu_result;
    logic                 tag_ready;
    logic                 tag_valid;
    logic                 tag_final;  // the beat that comes out next is of the last operand
    logic [3:0]           tag_level;
    logic                 loaded;        // the passes are those of steps
    logic                 step_takes;
    logic                 step_enters;
    logic                 enters;
    logic                 leaves;
    logic                 leaves_ready;  // there is room where they go
    mu_pkg::memory_word_t leaving;
    logic [4:0]           unfinished_q;  // beats of operands but the last that have not come out of the ALU

    assign first      = operand_q == '0;
    assign final_pass = operand_q == last_operand_i;
    assign take       = in_valid_i && in_ready_o;
    always_comb begin
      if (loaded) in_ready_o = step_takes && right_in_ready;
      else if (!first) in_ready_o = direct || right_in_ready;
      else if (final_pass) in_ready_o = result_ready;
      else in_ready_o = so_far_in_ready && unfinished_q == '0;
    end
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        operand_q    <= '0;
        unfinished_q <= '0;
      end else begin
        if (take && in_last_i) operand_q <= final_pass ? '0 : operand_q + 1'b1;
        unfinished_q <= unfinished_q + 5'(take && !loaded && !first && !final_pass) -
                        5'(alu_out_valid && !loaded && !tag_final && alu_out_ready);
      end
    end

    // --- steps: beats of what they change, into the ALU and back ---
    assign loaded = steps_i != '0;
    mu_calc_steps u_steps (
        .clk_i,
        .rst_ni,
        .step_write_i,
        .step_index_i,
        .step_i,
        .steps_i,
        .operation_i,
        .element_i,
        .takes_o    (step_takes),
        .take_i     (take && loaded),
        .take_last_i(in_last_i),
        .first_i    (first),
        .final_i    (final_pass),
        .enters_o   (step_enters),
        .pass_o     (step_pass),
        .enter_i    (enters),
        .leave_i    (leaves)
    );
    always_comb begin
      unique case (step_pass.to)
        mu_pkg::CALC_VALUE_OPERAND: leaves_ready = right_in_ready;
        mu_pkg::CALC_VALUE_SO_FAR:  leaves_ready = so_far_in_ready;
        default:                    leaves_ready = result_ready;
      endcase
    end
    assign enters = loaded && step_enters && (!step_pass.from_operand || right_valid) &&
                    (!step_pass.from_so_far || so_far_valid) &&
                    (step_pass.computes ? alu_ready : leaves_ready);
    assign leaves = loaded && (step_pass.computes ? alu_out_valid && leaves_ready : enters);
    assign leaving = step_pass.computes ? alu_result : step_pass.from_operand ? right : so_far;

    mu_block_fifo #(
        .WIDTH(257),
        .DEPTH(16)
    ) u_right (
        .clk_i,
        .rst_ni,
        .in_valid_i (right_in_valid),
        .in_ready_o (right_in_ready),
        .in_data_i  ({final_pass, loaded && !step_takes ? leaving : in_data_i}),
        .out_valid_o(right_valid),
        .out_ready_i(loaded ? enters && step_pass.from_operand : alu_take && !direct),
        .out_data_o ({right_final, right}),
        .level_o    (right_level)
    );
    always_comb begin
      if (!loaded) right_in_valid = in_valid_i && !first && !direct;
      else if (step_takes) right_in_valid = in_valid_i;
      else right_in_valid = leaves && step_pass.to == mu_pkg::CALC_VALUE_OPERAND;
    end
    // Only where it is taken at once, in a single pass: the next beat must not wait behind it.
    assign direct    = !loaded && in_valid_i && !first && right_level == '0 && so_far_valid && alu_ready;
    assign alu_valid = loaded ? step_enters && step_pass.computes &&
                                (!step_pass.from_operand || right_valid) &&
                                (!step_pass.from_so_far || so_far_valid)
                              : direct || (right_valid && so_far_valid);
    always_comb begin
      alu_left  = so_far;
      alu_right = direct ? in_data_i : right;
      if (loaded) begin
        if (!step_pass.from_so_far) alu_left = right;
        if (step_pass.constant_valid) alu_right = {4{step_pass.constant}};
        else if (!step_pass.from_operand) alu_right = so_far;
      end
    end
    assign alu_take  = alu_valid && alu_ready;
    mu_reduction_alu #(
        .LANES(LANES)
    ) u_alu (
        .clk_i,
        .rst_ni,
        .active_o      (alu_active),
        .in_valid_i    (alu_valid),
        .in_ready_o    (alu_ready),
        .in_operation_i(step_pass.reduction),
        .in_element_i  (step_pass.element),
        .in_left_i     (alu_left),
        .in_right_i    (alu_right),
        .out_valid_o   (alu_out_valid),
        .out_ready_i   (alu_out_ready),
        .out_status_o  (alu_status),
        .out_result_o  (alu_result)
    );
    // Whether a beat in the ALU is of the last operand.
    mu_fifo #(
        .WIDTH(1),
        .DEPTH(9)
    ) u_tags (
        .clk_i,
        .rst_ni,
        .in_valid_i (alu_take),
        .in_ready_o (tag_ready),
        .in_data_i  (direct ? final_pass : right_final),
        .out_valid_o(tag_valid),
        .out_ready_i(alu_out_valid && alu_out_ready),
        .out_data_o (tag_final),
        .level_o    (tag_level)
    );
    assign alu_out_ready = loaded ? leaves_ready : tag_final ? result_ready : so_far_in_ready;

    // Operand 0 of a chunk comes only when all but the last operand of the chunk before have left the ALU.
    assign so_far_in_valid = loaded ? leaves && step_pass.to == mu_pkg::CALC_VALUE_SO_FAR
                                    : (take && first && !final_pass) || (alu_out_valid && !tag_final);
    assign so_far_in       = loaded ? leaving : alu_out_valid && !tag_final ? alu_result : in_data_i;
    mu_block_fifo #(
        .WIDTH(256),
        .DEPTH(32)
    ) u_so_far (
        .clk_i,
        .rst_ni,
        .in_valid_i (so_far_in_valid),
        .in_ready_o (so_far_in_ready),
        .in_data_i  (so_far_in),
        .out_valid_o(so_far_valid),
        .out_ready_i(loaded ? enters && step_pass.from_so_far : alu_take),
        .out_data_o (so_far),
        .level_o    (so_far_level)
    );
    assign result_valid = loaded ? leaves && step_pass.to == mu_pkg::CALC_VALUE_RESULT
                                 : (in_valid_i && first && final_pass) || (alu_out_valid && tag_final);
    assign result       = loaded ? leaving : first && final_pass ? in_data_i : alu_result;

    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        if (alu_out_valid && !loaded && !tag_final) one_writer_of_what_is_so_far : assert (!(take && first));
        if (alu_out_valid && !loaded && !tag_final) finds_room_for_what_is_so_far : assert (so_far_in_ready);
        if (alu_out_valid) operation_is_defined : assert (alu_status == mu_pkg::STATUS_OK);
        if (alu_out_valid) every_beat_has_its_tag : assert (tag_valid);
        if (alu_take) tags_have_room : assert (tag_ready);
        if (tag_level != '0) tags_go_with_beats : assert (alu_active);
        if (alu_take && !loaded)
          pass_has_its_beats : assert (so_far_level != '0 && (direct || right_level != '0));
        unfinished_are_somewhere : assert (unfinished_q <= right_level + 5'(tag_level));
      end
    end
  end

  mu_block_fifo #(
      .WIDTH(256),
      .DEPTH(32)
  ) u_result (
      .clk_i,
      .rst_ni,
      .in_valid_i (result_valid),
      .in_ready_o (result_ready),
      .in_data_i  (result),
      .out_valid_o,
      .out_ready_i,
      .out_data_o,
      .level_o    (out_level_o)
  );
endmodule
`default_nettype wire

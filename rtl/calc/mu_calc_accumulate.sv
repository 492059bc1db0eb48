// SPDX-License-Identifier: Apache-2.0
// mu_calc_accumulate: reduces passes of beats, one pass for each operand, to one.
//
//   in, operand 0 ----------------------------> [ so far, 16 beats ] --+ left
//   in, others ----> right --> [ mu_reduction_alu ] <------------------+
//                                  |---> so far, or of the last operand: [ result, 32 beats ] ---> out
//
// Behaviour: beats come in passes of equal length, operand 0 to last_operand_i for one chunk, then the same
//   for the next. Beat j of what leaves is ((operand 0 + operand 1) + operand 2) ... of beats j, where + is
//   the operation; with one operand it is that operand. out_level_o: beats of the result that wait.
// Latency: 1 cycle with one operand, else as mu_reduction_alu and one more. A beat a cycle as far as the ALU
//   takes them and the one it needs from the operand before has come out.
// Limits: starts when reset ends. A pass has 1 to 16 beats; the operation is defined for the elements.
`default_nettype none

module mu_calc_accumulate (
    input  logic         clk_i,
    input  logic         rst_ni,
    // what to do
    input  logic [3:0]   operation_i,     // mu_pkg::reduction_e
    input  logic [2:0]   element_i,       // mu_pkg::element_e
    input  logic [3:0]   last_operand_i,
    // operands
    input  logic         in_valid_i,
    output logic         in_ready_o,
    input  logic [255:0] in_data_i,
    input  logic         in_last_i,       // of a pass
    // result
    output logic         out_valid_o,
    input  logic         out_ready_i,
    output logic [255:0] out_data_o,
    output logic [5:0]   out_level_o
);
  logic [3:0]   operand_q;
  logic         first;
  logic         final_pass;
  logic         take;

  logic         so_far_in_valid;
  logic         so_far_in_ready;
  logic [255:0] so_far_in;
  logic         so_far_valid;
  logic         so_far_take;
  logic [255:0] so_far;
  logic [4:0]   so_far_level;
  logic         result_valid;
  logic         result_ready;
  logic [255:0] result;

  logic         alu_valid;
  logic         alu_ready;
  logic         alu_active;
  logic         alu_out_valid;
  logic         alu_out_ready;
  mu_pkg::status_e alu_status;
  logic [255:0] alu_result;
  logic         tag_ready;
  logic         tag_valid;
  logic         tag_final;      // the beat that comes out next is of the last operand
  logic [3:0]   tag_level;

  assign first       = operand_q == '0;
  assign final_pass  = operand_q == last_operand_i;
  assign alu_valid   = in_valid_i && !first && so_far_valid;
  assign so_far_take = alu_valid && alu_ready;
  assign in_ready_o  = !first ? so_far_take : final_pass ? result_ready : so_far_in_ready;
  assign take        = in_valid_i && in_ready_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) operand_q <= '0;
    else if (take && in_last_i) operand_q <= final_pass ? '0 : operand_q + 1'b1;
  end

  mu_reduction_alu u_alu (
      .clk_i,
      .rst_ni,
      .active_o      (alu_active),
      .in_valid_i    (alu_valid),
      .in_ready_o    (alu_ready),
      .in_operation_i(operation_i),
      .in_element_i  (element_i),
      .in_left_i     (so_far),
      .in_right_i    (in_data_i),
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
      .in_valid_i (so_far_take),
      .in_ready_o (tag_ready),
      .in_data_i  (final_pass),
      .out_valid_o(tag_valid),
      .out_ready_i(alu_out_valid && alu_out_ready),
      .out_data_o (tag_final),
      .level_o    (tag_level)
  );
  assign alu_out_ready = tag_final ? result_ready : so_far_in_ready;

  // Operand 0 of a chunk comes only when all but the last operand of the chunk before have left the ALU.
  assign so_far_in_valid = (in_valid_i && first && !final_pass) || (alu_out_valid && !tag_final);
  assign so_far_in       = alu_out_valid && !tag_final ? alu_result : in_data_i;
  mu_fifo #(
      .WIDTH(256),
      .DEPTH(16)
  ) u_so_far (
      .clk_i,
      .rst_ni,
      .in_valid_i (so_far_in_valid),
      .in_ready_o (so_far_in_ready),
      .in_data_i  (so_far_in),
      .out_valid_o(so_far_valid),
      .out_ready_i(so_far_take),
      .out_data_o (so_far),
      .level_o    (so_far_level)
  );

  assign result_valid = (in_valid_i && first && final_pass) || (alu_out_valid && tag_final);
  assign result       = first && final_pass ? in_data_i : alu_result;
  mu_fifo #(
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

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (alu_out_valid && !tag_final) one_writer_of_what_is_so_far : assert (!(in_valid_i && first));
      if (alu_out_valid && !tag_final) finds_room_for_what_is_so_far : assert (so_far_in_ready);
      if (alu_out_valid) operation_is_defined : assert (alu_status == mu_pkg::STATUS_OK);
      if (alu_out_valid) every_beat_has_its_tag : assert (tag_valid);
      if (so_far_take) tags_have_room : assert (tag_ready);
      tags_go_with_beats : assert (alu_active == (tag_level != '0));
      if (so_far_take) pass_has_its_beat : assert (so_far_level != '0);
    end
  end
endmodule
`default_nettype wire

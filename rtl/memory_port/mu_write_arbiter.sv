// SPDX-License-Identifier: Apache-2.0
// mu_write_arbiter: six writers share one memory writer; the first port goes first.
//
//   in 0 (command + beats) --+
//   in 1 ...                 +--> [ choose a command, stay for its beats ] --> out (command + beats)
//   in 5 --------------------+
//
// Behaviour: a command is passed on with the beats of its own port until the receiver has taken them all
//   (active_i low again). A port whose command had final_part low keeps the output until a command with
//   final_part high, so that the parts of one action stay together. No command overtakes within a port.
//   Where several ports offer a command the lowest goes first; but port 5, once PATIENCE actions of others
//   have gone before the one it offers, goes before all.
// Latency: combinational for commands and beats; ready of a beat only for the port being served.
// Limits: active_i rises in the cycle after a command was taken and falls after its last beat was taken.
//   A port that holds the output between two parts and sends none blocks the others: its owner promises
//   the second part without waiting for anything.
`default_nettype none

module mu_write_arbiter #(
    parameter int unsigned PATIENCE = 15
) (
    input  logic                           clk_i,
    input  logic                           rst_ni,
    // writers; port p takes bits p of the valids and slice p of the data
    input  logic [5:0]                     in_command_valid_i,
    output logic [5:0]                     in_command_ready_o,
    input  logic [6*mu_pkg::WRITE_COMMAND_BITS-1:0] in_command_data_i,
    input  logic [5:0]                     in_beat_valid_i,
    output logic [5:0]                     in_beat_ready_o,
    input  logic [6*256-1:0]               in_beat_data_i,
    // the memory writer
    output logic                           out_command_valid_o,
    input  logic                           out_command_ready_i,
    output mu_pkg::write_command_t         out_command_data_o,
    output logic                           out_beat_valid_o,
    input  logic                           out_beat_ready_i,
    output logic [255:0]                   out_beat_data_o,
    input  logic                           active_i,
    output logic                           busy_o
);
  localparam int unsigned COMMAND_WIDTH = mu_pkg::WRITE_COMMAND_BITS;

  logic [5:0] served_q;   // one-hot: the port of the command in progress, or the last one
  logic       between_q;  // it has sent a part that is not the last
  logic [5:0] eligible;
  logic [5:0] chosen;
  logic [5:0] passed;  // the port whose command is offered
  logic [5:0] beats;   // the port whose beat is offered
  logic       taken;
  logic       last_first;
  logic [$clog2(PATIENCE+1)-1:0] passed_q;  // commands of others while port 5 offers one

  assign last_first          = in_command_valid_i[5] && 32'(passed_q) == PATIENCE;
  assign eligible            = between_q ? in_command_valid_i & served_q :
                               last_first ? 6'b100000 : in_command_valid_i;
  assign chosen              = eligible & (~eligible + 6'd1);
  assign passed              = active_i ? '0 : chosen;
  assign out_command_valid_o = eligible != '0 && !active_i;
  assign in_command_ready_o  = out_command_ready_i && !active_i ? chosen : '0;
  assign taken               = out_command_valid_o && out_command_ready_i;

  always_comb begin
    (* parallel_case *) case (1'b1)
      passed[0]: out_command_data_o = in_command_data_i[0+:COMMAND_WIDTH];
      passed[1]: out_command_data_o = in_command_data_i[COMMAND_WIDTH+:COMMAND_WIDTH];
      passed[2]: out_command_data_o = in_command_data_i[2*COMMAND_WIDTH+:COMMAND_WIDTH];
      passed[3]: out_command_data_o = in_command_data_i[3*COMMAND_WIDTH+:COMMAND_WIDTH];
      passed[4]: out_command_data_o = in_command_data_i[4*COMMAND_WIDTH+:COMMAND_WIDTH];
      passed[5]: out_command_data_o = in_command_data_i[5*COMMAND_WIDTH+:COMMAND_WIDTH];
      default:   out_command_data_o = '0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      between_q <= 1'b0;
      passed_q  <= '0;
    end else if (taken) begin
      between_q <= !out_command_data_o.final_part;
      if (chosen[5]) passed_q <= '0;
      else if (in_command_valid_i[5] && !between_q && 32'(passed_q) != PATIENCE) passed_q <= passed_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) if (taken) served_q <= chosen;

  assign beats            = active_i ? in_beat_valid_i & served_q : '0;
  assign out_beat_valid_o = beats != '0;
  assign in_beat_ready_o  = active_i && out_beat_ready_i ? served_q : '0;
  always_comb begin
    (* parallel_case *) case (1'b1)
      beats[0]: out_beat_data_o = in_beat_data_i[255:0];
      beats[1]: out_beat_data_o = in_beat_data_i[511:256];
      beats[2]: out_beat_data_o = in_beat_data_i[767:512];
      beats[3]: out_beat_data_o = in_beat_data_i[1023:768];
      beats[4]: out_beat_data_o = in_beat_data_i[1279:1024];
      beats[5]: out_beat_data_o = in_beat_data_i[1535:1280];
      default:  out_beat_data_o = '0;
    endcase
  end

  assign busy_o = between_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (active_i || between_q) served_is_one_port : assert ($onehot(served_q));
      chosen_is_one_port : assert ($onehot0(chosen));
      if (taken && between_q) parts_stay_together : assert (chosen == served_q);
      no_command_within_another : assert (!(taken && active_i));
    end
  end
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_calc_gather: takes the beats that a CALC reads and makes one stream of them, without gaps.
//
//   expected (valid/ready) --> [ commands under way ] --+
//   beats from memory (no ready) ---> [ 64 beats ] <-----+--> [ mu_calc_pack ] --> out (valid/ready)
//
// Behaviour: expect_free_o tells for how many beats there is room; a command that is announced takes its
//   beats from it, so that all find a place. The bytes of all commands of a pass leave as full beats, the
//   last of them with out_last_o. pending_o: beats are still to come. error_o: one cycle for each command
//   that failed.
// Latency: 4 cycles from beat to beat; a beat a cycle.
// Limits: a command is announced before its first beat, with at most expect_free_o beats. COMMANDS at once.
`default_nettype none

module mu_calc_gather #(
    parameter int unsigned BEATS    = 64,
    parameter int unsigned COMMANDS = 8
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    // announced commands
    input  logic                 expect_valid_i,
    output logic                 expect_ready_o,
    output logic [6:0]           expect_free_o,
    input  logic [4:0]           expect_beats_i,
    input  logic [4:0]           expect_bytes_i,  // of the last beat; 0: 32
    input  logic                 expect_last_i,   // ends a pass
    // memory port
    input  logic                 beat_valid_i,
    input  mu_pkg::memory_word_t beat_data_i,
    input  logic                 beat_last_i,
    input  logic                 beat_error_i,
    output logic                 pending_o,
    output logic                 error_o,
    // beats without gaps
    output logic                 out_valid_o,
    input  logic                 out_ready_i,
    output mu_pkg::memory_word_t out_data_o,
    output logic                 out_last_o,
    output logic                 out_upper_o  // there are bytes in the upper half
);
  if (BEATS < 16 || BEATS > 64) $error("mu_calc_gather: BEATS must be 16 to 64");

  // --- commands ---
  logic       command_valid;
  logic       command_done;
  logic [4:0] command_bytes;
  logic       command_last;
  logic [$clog2(COMMANDS+1)-1:0] command_level;

  assign command_done = beat_valid_i && beat_last_i;
  assign pending_o    = command_valid;
  assign error_o      = command_done && beat_error_i;

  mu_fifo #(
      .WIDTH(6),
      .DEPTH(COMMANDS)
  ) u_commands (
      .clk_i,
      .rst_ni,
      .in_valid_i (expect_valid_i),
      .in_ready_o (expect_ready_o),
      .in_data_i  ({expect_last_i, expect_bytes_i}),
      .out_valid_o(command_valid),
      .out_ready_i(command_done),
      .out_data_o ({command_last, command_bytes}),
      .level_o    (command_level)
  );

  // --- beats ---
  logic                       stored_valid;
  logic                       stored_ready;
  logic                       beats_ready;
  mu_pkg::memory_word_t       stored_data;
  logic [4:0]                 stored_bytes;
  logic                       stored_last;
  logic [$clog2(BEATS+1)-1:0] stored_level;
  logic [6:0]                 free_q;
  logic [6:0]                 reserved;

  mu_block_fifo #(
      .WIDTH(262),
      .DEPTH(BEATS)
  ) u_beats (
      .clk_i,
      .rst_ni,
      .in_valid_i (beat_valid_i),
      .in_ready_o (beats_ready),
      .in_data_i  ({beat_last_i && command_last, beat_last_i ? command_bytes : 5'd0, beat_data_i}),
      .out_valid_o(stored_valid),
      .out_ready_i(stored_ready),
      .out_data_o ({stored_last, stored_bytes, stored_data}),
      .level_o    (stored_level)
  );

  assign reserved      = expect_valid_i && expect_ready_o ? 7'(expect_beats_i) : '0;
  assign expect_free_o = free_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) free_q <= 7'(BEATS);
    else free_q <= free_q - reserved + 7'(stored_valid && stored_ready);
  end

  mu_calc_pack u_pack (
      .clk_i,
      .rst_ni,
      .in_valid_i(stored_valid),
      .in_ready_o(stored_ready),
      .in_data_i (stored_data),
      .in_bytes_i(stored_bytes),
      .in_last_i (stored_last),
      .out_valid_o,
      .out_ready_i,
      .out_data_o,
      .out_last_o,
      .out_upper_o
  );

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (beat_valid_i) beat_was_announced : assert (command_valid);
      if (beat_valid_i) beat_finds_room : assert (beats_ready);
      asks_for_no_more_than_there_is : assert (reserved <= free_q);
      room_is_counted : assert (free_q + 7'(stored_level) <= 7'(BEATS));
      commands_bounded : assert (32'(command_level) <= COMMANDS);
    end
  end
endmodule
`default_nettype wire

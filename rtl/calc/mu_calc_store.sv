// SPDX-License-Identifier: Apache-2.0
// mu_calc_store: writes the result of a CALC to memory by chunks, and counts what memory has accepted.
//
//   beats (valid/ready/data/level) ---> [ waits for a whole chunk ] ---> write command, write beats
//                                       [ chunks not yet accepted ] <--- stored (pulses)
//
// Behaviour: the result lies at address_i, bytes_i long; a chunk is 512 bytes of it, the last one what is
//   left. A write command is offered once all its beats are here, so that the write channel never waits for
//   this module. done_o: memory has accepted every byte. After stop_i no new command is offered; one that is
//   offered stands and gets its beats. settled_o: nothing is offered or on its way to memory. failed_o: with
//   a pulse of stored_valid_i that carries an error.
// Latency: command 2 cycles after the last beat of its chunk; a beat a cycle.
// Limits: starts when reset ends, with bytes_i above zero. At most 31 chunks on their way.
// two-readers: hold:bytes_i[36:11]=0 hold:stop_i=0 hold:stored_error_i=0 seen=20
`default_nettype none

module mu_calc_store (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    // where
    input  logic [39:0]            address_i,
    input  logic [36:0]            bytes_i,
    input  logic [3:0]             client_i,             // owner of the queue
    // result
    input  logic                   in_valid_i,
    output logic                   in_ready_o,
    input  logic [255:0]           in_data_i,
    input  logic [5:0]             in_level_i,           // beats that are here
    // memory port
    output logic                   write_command_valid_o,
    input  logic                   write_command_ready_i,
    output mu_pkg::write_command_t write_command_data_o,
    output logic                   write_beat_valid_o,
    input  logic                   write_beat_ready_i,
    output logic [255:0]           write_beat_data_o,
    input  logic                   stored_valid_i,
    input  logic                   stored_error_i,
    // control
    input  logic                   stop_i,
    output logic                   done_o,
    output logic                   settled_o,
    output logic                   failed_o
);
  typedef enum logic [1:0] {
    STATE_BEGIN,    // takes over address and bytes
    STATE_WAIT,     // until a chunk is here, or all has been written
    STATE_COMMAND,
    STATE_BEATS
  } state_e;

  state_e      state_q;
  logic [39:0] address_q;   // of the next chunk
  logic [36:0] left_q;      // bytes of it and those behind it
  logic [4:0]  beats_q;     // of the chunk being written, still to be handed on
  logic [4:0]  unaccepted_q;
  logic [9:0]  bytes;
  logic [4:0]  beats;
  logic        command_taken;
  logic        beat_taken;

  assign bytes         = left_q > 37'd512 ? 10'd512 : left_q[9:0];
  assign beats         = 5'((bytes + 10'd31) >> 5);
  assign command_taken = write_command_valid_o && write_command_ready_i;
  assign beat_taken    = write_beat_valid_o && write_beat_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= STATE_BEGIN;
    else begin
      unique case (state_q)
        STATE_BEGIN: state_q <= STATE_WAIT;
        STATE_WAIT:  if (left_q != '0 && in_level_i >= 6'(beats) && !stop_i) state_q <= STATE_COMMAND;
        STATE_COMMAND: if (write_command_ready_i) state_q <= STATE_BEATS;
        default:     if (beat_taken && beats_q == 5'd1) state_q <= STATE_WAIT;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) unaccepted_q <= '0;
    else unaccepted_q <= unaccepted_q + 5'(command_taken) - 5'(stored_valid_i);
  end
  always_ff @(posedge clk_i) begin
    if (state_q == STATE_BEGIN) begin
      address_q <= address_i;
      left_q    <= bytes_i;
    end else if (command_taken) begin
      address_q <= address_q + 40'(bytes);
      left_q    <= left_q - 37'(bytes);
      beats_q   <= beats;
    end else if (beat_taken) beats_q <= beats_q - 1'b1;
  end

  assign write_command_valid_o = state_q == STATE_COMMAND;
  always_comb begin
    write_command_data_o = '0;
    if (write_command_valid_o) begin
      write_command_data_o.address       = address_q;
      write_command_data_o.bytes         = bytes;
      write_command_data_o.final_part    = 1'b1;
      write_command_data_o.action.action = mu_pkg::ACTION_CALC;
      write_command_data_o.action.client = client_i;
    end
  end
  assign write_beat_valid_o = state_q == STATE_BEATS && in_valid_i;
  assign write_beat_data_o  = in_data_i;
  assign in_ready_o         = state_q == STATE_BEATS && write_beat_ready_i;
  assign settled_o          = state_q == STATE_WAIT && unaccepted_q == '0;
  assign done_o             = settled_o && left_q == '0;
  assign failed_o           = stored_valid_i && stored_error_i;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (stored_valid_i) stored_was_awaited : assert (unaccepted_q != '0);
      if (command_taken) chunks_are_counted : assert (unaccepted_q != '1);
      if (state_q == STATE_BEATS) beats_are_here : assert (in_valid_i && 6'(beats_q) <= in_level_i);
    end
  end
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_reception_store: writes one packet into node memory: one or two commands, each with its beats.
//
//   start (where, what for) ---> [ command, beats, command, beats ] ---> write_command (valid/ready/data)
//   packet's header, trailer, beats (valid/ready/data) --- patch ------> write_beat (valid/ready/data)
//
// Behaviour: after start_valid_i the command of the first part is offered, after it is taken its beats,
//   then the same for the second part if start_split_i; the last command is the final part of the action. A
//   FIFO entry begins with one beat of header and trailer. In the descriptors of a GET the header image's
//   source and client become those of the packet, and with trailer.reflected the reflection number its
//   sequence. Of no bytes one beat is offered, with nothing of it meant. packet_done_o is high in the cycle
//   in which the last beat is taken; fifo_pending_o while a command of a FIFO entry is untaken.
// Latency: command valid the cycle after start; then a beat a cycle, the first the cycle after its command.
// Limits: start_valid_i only while idle_o. A split first part is a whole number of beats. Bytes 0 to 544.
`default_nettype none

module mu_reception_store (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    // control
    input  logic                    start_valid_i,
    input  logic                    start_fifo_i,
    input  logic                    start_get_i,
    input  logic [39:0]             start_address_i,
    input  logic [9:0]              start_bytes_i,
    input  logic                    start_split_i,
    input  logic [39:0]             start_second_address_i,
    input  logic [9:0]              start_second_bytes_i,
    input  mu_pkg::write_action_t   start_action_i,
    output logic                    idle_o,
    output logic                    fifo_pending_o,
    // receiver
    input  mu_pkg::packet_header_t  packet_header_i,
    input  mu_pkg::packet_trailer_t packet_trailer_i,
    input  logic                    beat_valid_i,
    output logic                    beat_ready_o,
    input  logic [255:0]            beat_data_i,
    output logic                    packet_done_o,
    // memory port
    output logic                    write_command_valid_o,
    input  logic                    write_command_ready_i,
    output mu_pkg::write_command_t  write_command_data_o,
    output logic                    write_beat_valid_o,
    input  logic                    write_beat_ready_i,
    output logic [255:0]            write_beat_data_o
);
  localparam int unsigned BEAT_BITS = 256;
  localparam int unsigned IMAGE_LSB = mu_pkg::DESCRIPTOR_HEADER_LSB - BEAT_BITS;  // in the second beat

  typedef enum logic [1:0] {
    STATE_IDLE,     // no packet
    STATE_COMMAND,  // a command is offered
    STATE_BEATS     // its beats go out
  } state_e;

  state_e                state_q;
  logic                  fifo_q;
  logic                  get_q;
  logic                  second_q;  // a second part is still to come
  logic [39:0]           address_q;
  logic [9:0]            bytes_q;
  logic [39:0]           second_address_q;
  logic [9:0]            second_bytes_q;
  mu_pkg::write_action_t action_q;
  logic [4:0]            beats_q;   // of this part, left
  logic                  entry_q;   // the beat of header and trailer is still to come
  logic                  odd_q;     // next beat is the second of a descriptor
  logic                  out_valid_q;
  logic                  out_taken;
  logic                  last_taken;
  logic                  load;
  logic                  unused_bits;

  assign idle_o                = state_q == STATE_IDLE;
  assign fifo_pending_o        = fifo_q && (state_q == STATE_COMMAND || second_q);
  assign write_command_valid_o = state_q == STATE_COMMAND;
  assign write_beat_valid_o    = state_q == STATE_BEATS && out_valid_q;
  assign out_taken             = write_beat_valid_o && write_beat_ready_i;
  assign last_taken            = out_taken && beats_q == 5'd1;
  assign packet_done_o         = last_taken && !second_q;
  assign load                  = !idle_o && (!out_valid_q || out_taken) && (entry_q || beat_valid_i);
  assign beat_ready_o          = load && !entry_q;
  assign unused_bits           = ^{packet_header_i, packet_trailer_i};

  assign write_command_data_o.address    = address_q;
  assign write_command_data_o.bytes      = bytes_q;
  assign write_command_data_o.final_part = !second_q;
  assign write_command_data_o.action     = action_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q     <= STATE_IDLE;
      fifo_q      <= 1'b0;
      get_q       <= 1'b0;
      second_q    <= 1'b0;
      entry_q     <= 1'b0;
      odd_q       <= 1'b0;
      out_valid_q <= 1'b0;
    end else begin
      unique case (state_q)
        STATE_IDLE:
        if (start_valid_i) begin
          state_q  <= STATE_COMMAND;
          fifo_q   <= start_fifo_i;
          get_q    <= start_get_i;
          second_q <= start_split_i;
          entry_q  <= start_fifo_i || start_bytes_i == '0;
          odd_q    <= 1'b0;
        end
        STATE_COMMAND: if (write_command_ready_i) state_q <= STATE_BEATS;
        default:
        if (last_taken) begin
          state_q  <= second_q ? STATE_COMMAND : STATE_IDLE;
          second_q <= 1'b0;
        end
      endcase
      if (load) begin
        out_valid_q <= 1'b1;
        entry_q     <= 1'b0;
        if (!entry_q) odd_q <= !odd_q;
      end else if (out_taken) out_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (idle_o && start_valid_i) begin
      address_q        <= start_address_i;
      bytes_q          <= start_bytes_i;
      second_address_q <= start_second_address_i;
      second_bytes_q   <= start_second_bytes_i;
      action_q         <= start_action_i;
    end else if (last_taken) begin
      address_q <= second_address_q;
      bytes_q   <= second_bytes_q;
    end
    if (state_q == STATE_COMMAND) beats_q <= bytes_q == '0 ? 5'd1 : 5'((11'(bytes_q) + 11'd31) >> 5);
    else if (out_taken) beats_q <= beats_q - 5'd1;
  end

  always_ff @(posedge clk_i) begin
    if (load) begin
      if (entry_q) write_beat_data_o <= {packet_trailer_i, packet_header_i};
      else begin
        write_beat_data_o <= beat_data_i;
        if (get_q && odd_q) begin
          write_beat_data_o[IMAGE_LSB+mu_pkg::PACKET_HEADER_SRC_X_LSB+:4]  <= packet_header_i.src_x;
          write_beat_data_o[IMAGE_LSB+mu_pkg::PACKET_HEADER_SRC_Y_LSB+:4]  <= packet_header_i.src_y;
          write_beat_data_o[IMAGE_LSB+mu_pkg::PACKET_HEADER_SRC_Z_LSB+:4]  <= packet_header_i.src_z;
          write_beat_data_o[IMAGE_LSB+mu_pkg::PACKET_HEADER_CLIENT_LSB+:4] <= packet_header_i.client;
        end
        if (get_q && !odd_q && packet_trailer_i.reflected) begin
          write_beat_data_o[mu_pkg::DESCRIPTOR_REFLECTION_NUMBER_LSB+:16] <=
              packet_trailer_i.sequence_number[15:0];
        end
      end
    end
  end

  // A command or beat that was offered stays until it is taken.
  logic command_waits_q;
  logic beat_waits_q;
  always_ff @(posedge clk_i) begin
    command_waits_q <= rst_ni && write_command_valid_o && !write_command_ready_i;
    beat_waits_q    <= rst_ni && write_beat_valid_o && !write_beat_ready_i;
    if (rst_ni) begin
      starts_only_when_idle : assert (!start_valid_i || idle_o);
      command_holds : assert (!command_waits_q || write_command_valid_o);
      beat_holds : assert (!beat_waits_q || write_beat_valid_o);
      beats_are_counted : assert (!out_taken || beats_q != '0);
      nothing_left_over : assert (!idle_o || !out_valid_q);
      bytes_in_range : assert (!write_command_valid_o || bytes_q <= 10'd544);
      split_parts_are_whole_beats : assert (!(write_command_valid_o && second_q) || bytes_q[4:0] == '0);
    end
  end
endmodule
`default_nettype wire

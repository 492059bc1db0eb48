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
    input  mu_pkg::address_t        start_address_i,
    input  logic [9:0]              start_bytes_i,
    input  logic                    start_split_i,
    input  mu_pkg::address_t        start_second_address_i,
    input  logic [9:0]              start_second_bytes_i,
    input  mu_pkg::write_action_t   start_action_i,
    output logic                    idle_o,
    output logic                    fifo_pending_o,
    // receiver
    input  mu_pkg::packet_header_t  packet_header_i,
    input  mu_pkg::packet_trailer_t packet_trailer_i,
    input  logic                    beat_valid_i,
    output logic                    beat_ready_o,
    input  mu_pkg::memory_word_t    beat_data_i,
    output logic                    packet_done_o,
    // memory port
    output logic                    write_command_valid_o,
    input  logic                    write_command_ready_i,
    output mu_pkg::write_command_t  write_command_data_o,
    output logic                    write_beat_valid_o,
    input  logic                    write_beat_ready_i,
    output mu_pkg::memory_word_t    write_beat_data_o
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
  mu_pkg::address_t      address_q;
  logic [9:0]            bytes_q;
  mu_pkg::address_t      second_address_q;
  logic [9:0]            second_bytes_q;
  mu_pkg::write_action_t action_q;
  logic [4:0]            beats_q;  // of this part, left
  logic                  entry_q;  // the beat of header and trailer is still to come
  logic                  odd_q;    // next beat is the second of a descriptor
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

`ifdef PROVE_MU_RECEPTION_STORE
  // What is proved of mu_reception_store: each start gives its one or two commands in order, each followed by
  // as many beats as its bytes take, the last alone final; beats of the packet are taken once and in order, a
  // FIFO entry begins with header and trailer, and in a GET source and client are those of the packet; what
  // is offered stands; the packet is done with the last beat, and nothing is left over.
  logic                 past_q = 1'b0;
  logic                 busy_q, command_owed_q, fifo_here_q, get_here_q, empty_q;
  logic                 more_q;        // a second part is owed
  logic [5:0]           beats_owed_q;  // of the part whose command was taken
  logic                 given_q;       // a beat was given
  mu_pkg::address_t     place_q, second_place_q;
  logic [9:0]           size_q, second_size_q;
  logic                 waits_q;
  logic [6:0]           to_come_q;  // beats of the packet that have not been taken
  mu_pkg::memory_word_t beat_before_q;
  logic                 held_q;  // a beat of the packet, not its header and trailer, is inside
  logic [3:0]           bits_q;  // of it: of the source, of the client, two others
  logic                 command_taken, beat_taken, takes;
  logic [5:0]           beats_of_part;
  logic [6:0]           beats_of_second;
  assign command_taken = write_command_valid_o && write_command_ready_i;
  assign beat_taken    = write_beat_valid_o && write_beat_ready_i;
  assign takes         = beat_valid_i && beat_ready_o;
  assign beats_of_part = size_q == '0 ? 6'd1 : 6'((11'(size_q) + 11'd31) >> 5);
  assign beats_of_second = 7'((11'(second_size_q) + 11'd31) >> 5);
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (!start_valid_i || idle_o);
    assume (start_bytes_i <= 10'd544 && start_second_bytes_i <= 10'd544);
    assume (!start_split_i || (start_bytes_i[4:0] == '0 && start_bytes_i != '0 &&
        start_second_bytes_i != '0));
    assume (!(start_fifo_i && start_get_i) && !(start_fifo_i && start_bytes_i == '0));
    // The receiver has the beats of this packet and no more.
    assume (!busy_q || !beat_valid_i || to_come_q != '0);
  end
  always_ff @(posedge clk_i) begin
    past_q        <= 1'b1;
    beat_before_q <= write_beat_data_o;
    waits_q       <= rst_ni && write_beat_valid_o && !write_beat_ready_i;
    if (!rst_ni) {busy_q, command_owed_q, more_q, beats_owed_q, held_q} <= '0;
    else begin
      if (start_valid_i) begin
        {busy_q, command_owed_q, more_q, given_q} <= {2'b11, start_split_i, 1'b0};
        {fifo_here_q, get_here_q, empty_q}        <= {start_fifo_i, start_get_i, start_bytes_i == '0};
        to_come_q <= 7'((11'(start_bytes_i) + 11'd31) >> 5) - 7'(start_fifo_i) +
            (start_split_i ? 7'((11'(start_second_bytes_i) + 11'd31) >> 5) : '0);
        {place_q, size_q}                         <= {start_address_i, start_bytes_i};
        {second_place_q, second_size_q}           <= {start_second_address_i, start_second_bytes_i};
      end else if (command_taken) {command_owed_q, beats_owed_q} <= {1'b0, beats_of_part};
      else if (beat_taken) begin
        beats_owed_q <= beats_owed_q - 6'd1;
        given_q      <= 1'b1;
        if (beats_owed_q == 6'd1 && more_q) begin
          {command_owed_q, more_q} <= 2'b10;
          {place_q, size_q}        <= {second_place_q, second_size_q};
        end else if (beats_owed_q == 6'd1) busy_q <= 1'b0;
      end
      if (takes) to_come_q <= to_come_q - 7'd1;
      if (takes) held_q <= 1'b1;
      else if (beat_taken) held_q <= 1'b0;
      if (takes)
        bits_q <= {beat_data_i[255], beat_data_i[0],
                   beat_data_i[IMAGE_LSB+mu_pkg::PACKET_HEADER_CLIENT_LSB],
                   beat_data_i[IMAGE_LSB+mu_pkg::PACKET_HEADER_SRC_X_LSB]};
      if (past_q) begin
        idle_between_packets : assert (idle_o == !busy_q);
        one_command_a_part : assert (write_command_valid_o == command_owed_q);
        if (command_owed_q)
          command_for_its_part :
          assert (write_command_data_o.address == place_q && write_command_data_o.bytes == size_q &&
                  write_command_data_o.final_part == !more_q);
        if (write_beat_valid_o) beats_after_their_command : assert (beats_owed_q != '0);
        done_with_the_last_beat : assert (packet_done_o == (beat_taken && beats_owed_q == 6'd1 && !more_q));
        pending_until_the_last_command :
        assert (fifo_pending_o == (busy_q && fifo_here_q && (command_owed_q || more_q)));
        if (waits_q) a_beat_stands : assert (write_beat_valid_o && write_beat_data_o == beat_before_q);
        if (write_beat_valid_o && !given_q && (fifo_here_q || empty_q))
          an_entry_begins_with_its_header : assert (!held_q);
        if (write_beat_valid_o && !(!given_q && (fifo_here_q || empty_q)))
          then_come_the_beats : assert (held_q);
        if (held_q) beats_are_as_they_came :
        assert ({write_beat_data_o[255], write_beat_data_o[0]} == bits_q[3:2]);
        if (held_q && !get_here_q) nothing_is_changed_but_in_a_get :
        assert ({write_beat_data_o[IMAGE_LSB+mu_pkg::PACKET_HEADER_CLIENT_LSB],
                 write_beat_data_o[IMAGE_LSB+mu_pkg::PACKET_HEADER_SRC_X_LSB]} == bits_q[1:0]);
        if (!busy_q) nothing_is_left_over : assert (!write_beat_valid_o && !held_q && !beat_ready_o);
        // What the above rests on.
        parts_as_they_are_owed :
        assert ((state_q == STATE_COMMAND) == command_owed_q &&
            (state_q == STATE_BEATS) == (beats_owed_q != '0) &&
                busy_q == (command_owed_q || beats_owed_q != '0) && (!busy_q || second_q == more_q) &&
                (beats_owed_q == '0 || 6'(beats_q) == beats_owed_q));
        if (busy_q) keeps_its_parts :
        assert ({address_q, bytes_q} == {place_q, size_q} &&
                (!more_q || {second_address_q, second_bytes_q} == {second_place_q, second_size_q}) &&
                {fifo_q, get_q} == {fifo_here_q, get_here_q} && size_q <= 10'd544 &&
                    second_size_q <= 10'd544 &&
                (size_q == '0) == empty_q && (!more_q || (second_size_q != '0 && !empty_q)) &&
                    !(fifo_here_q && empty_q));
        if (busy_q) one_beat_is_inside_at_most :
        assert (7'(command_owed_q ? beats_of_part : beats_owed_q) + (more_q ? beats_of_second : '0) ==
                to_come_q + 7'(entry_q) + 7'(out_valid_q));
        if (busy_q) entry_comes_first :
        assert (entry_q == (!given_q && !out_valid_q && (fifo_here_q || empty_q)) &&
                held_q == (out_valid_q && !(!given_q && (fifo_here_q || empty_q))));
      end
    end
  end
`endif
endmodule
`default_nettype wire

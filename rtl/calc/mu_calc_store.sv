// SPDX-License-Identifier: Apache-2.0
// mu_calc_store: writes the result of a CALC to memory by chunks, and counts what memory has accepted.
//
//   beats (valid/ready/data/level) ---> [ waits for a whole chunk ] ---> write command, write beats
//   pieces -----------------------------^   [ not yet accepted ] <------ stored (pulses)
//
// Behaviour: the result lies at address_i, bytes_i long; a chunk is 512 bytes of it, the last one what is
//   left. A write command is offered once all its beats are here, so that the write channel never waits for
//   this module. With strided_i each beat that comes is a piece of its own instead, of piece_bytes_i at
//   piece_address_i. left_o: bytes of the result for which no command has been taken. done_o: memory has
//   accepted every byte. After stop_i no new command is offered; one that is offered stands and gets its
//   beats. settled_o: nothing is offered or on its way to memory. failed_o: with a pulse of stored_valid_i
//   that carries an error.
// Latency: command 2 cycles after the last beat of its chunk; a beat a cycle. Three cycles a piece.
// Limits: starts when reset ends, with bytes_i above zero; strided_i stands. A piece is 1 to 32 bytes, no
//   more than left_o, and stands until its beat is taken. At most 31 chunks or pieces on their way.
// two-readers: hold:bytes_i[36:11]=0 hold:strided_i=0 hold:stop_i=0 hold:stored_error_i=0 seen=20
`default_nettype none

module mu_calc_store (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    // where
    input  mu_pkg::address_t       address_i,
    input  logic [36:0]            bytes_i,
    input  logic [3:0]             client_i,  // owner of the queue
    input  logic                   strided_i,
    input  mu_pkg::address_t       piece_address_i,
    input  logic [5:0]             piece_bytes_i,
    output logic [36:0]            left_o,
    // result
    input  logic                   in_valid_i,
    output logic                   in_ready_o,
    input  mu_pkg::memory_word_t   in_data_i,
    input  logic [5:0]             in_level_i,  // beats that are here
    // memory port
    output logic                   write_command_valid_o,
    input  logic                   write_command_ready_i,
    output mu_pkg::write_command_t write_command_data_o,
    output logic                   write_beat_valid_o,
    input  logic                   write_beat_ready_i,
    output mu_pkg::memory_word_t   write_beat_data_o,
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
  mu_pkg::address_t address_q;  // of the next chunk
  logic [36:0]      left_q;     // bytes of it and those behind it
  logic [4:0]       beats_q;    // of the chunk being written, still to be handed on
  logic [4:0]       unaccepted_q;
  logic [9:0]       chunk_bytes;
  logic [9:0]       bytes;      // of the next command
  logic [9:0]       bytes_q;    // of the one that is offered
  logic [4:0]       command_beats_q;
  mu_pkg::address_t command_address_q;
  logic [4:0]       beats;
  logic             command_taken;
  logic             beat_taken;

  assign chunk_bytes   = left_q > 37'd512 ? 10'd512 : left_q[9:0];
  assign bytes         = strided_i ? 10'(piece_bytes_i) : chunk_bytes;
  assign beats         = strided_i ? 5'd1 : 5'((chunk_bytes + 10'd31) >> 5);
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
      address_q <= address_q + 40'(bytes_q);
      left_q    <= left_q - 37'(bytes_q);
      beats_q   <= command_beats_q;
    end else if (beat_taken) beats_q <= beats_q - 1'b1;
  end

  // What a command says stands a cycle before it is offered.
  always_ff @(posedge clk_i) begin
    if (state_q == STATE_WAIT) begin
      bytes_q           <= bytes;
      command_beats_q   <= beats;
      command_address_q <= strided_i ? piece_address_i : address_q;
    end
  end

  assign write_command_valid_o = state_q == STATE_COMMAND;
  always_comb begin
    write_command_data_o = '0;
    if (write_command_valid_o) begin
      write_command_data_o.address       = command_address_q;
      write_command_data_o.bytes         = bytes_q;
      write_command_data_o.final_part    = 1'b1;
      write_command_data_o.action.action = mu_pkg::ACTION_CALC;
      write_command_data_o.action.client = client_i;
    end
  end
  assign write_beat_valid_o = state_q == STATE_BEATS && in_valid_i;
  assign write_beat_data_o  = in_data_i;
  assign in_ready_o         = state_q == STATE_BEATS && write_beat_ready_i;
  assign left_o             = left_q;
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

`ifdef PROVE_MU_CALC_STORE
  // What is proved of mu_calc_store: commands lie one behind the other from the first byte of the result to
  // its last, none longer than a chunk, or are the pieces that come; each gets its beats, which are here when
  // it is offered; done when memory has accepted all of it, and not before; after a stop nothing new is
  // offered.
  logic                   past_q = 1'b0;
  logic                   begun_q, stopped_q, offered_q;
  mu_pkg::address_t       next_q;  // byte that is written next
  logic [36:0]            rest_q;  // bytes from there on
  logic [4:0]             beats_owed_q, open_q;
  logic [5:0]             level_q;  // beats here in the cycle before, of which one was taken
  logic                   popped_q;
  logic                   strided_q;
  mu_pkg::address_t       piece_address_q;
  logic [5:0]             piece_bytes_q;
  logic                   taken, given;
  mu_pkg::write_command_t command;
  assign command = write_command_data_o;
  assign taken   = write_command_valid_o && write_command_ready_i;
  assign given   = write_beat_valid_o && write_beat_ready_i;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (bytes_i != '0);
    assume (!stored_valid_i || open_q != '0);
    assume (open_q != '1);
    // A beat that is here stays until it is taken.
    assume (in_valid_i == (in_level_i != '0));
    assume (7'(in_level_i) + 7'(popped_q) >= 7'(level_q));
    // So does a piece, of which there is one at a time, and which is what is left of the result or less.
    if (begun_q) assume (strided_i == strided_q);
    if (strided_i) begin
      assume (in_level_i <= 6'd1 && (!in_valid_i || (piece_bytes_i != '0 && piece_bytes_i <= 6'd32)));
      assume (beats_owed_q != '0 || !begun_q || !in_valid_i || 37'(piece_bytes_i) <= rest_q);
      if (level_q != '0 && !popped_q)
        assume (piece_address_i == piece_address_q && piece_bytes_i == piece_bytes_q);
    end
  end
  always_ff @(posedge clk_i) begin
    past_q          <= 1'b1;
    strided_q       <= strided_i;
    piece_address_q <= piece_address_i;
    piece_bytes_q   <= piece_bytes_i;
    if (!rst_ni) {begun_q, stopped_q, offered_q, beats_owed_q, open_q, level_q, popped_q} <= '0;
    else begin
      begun_q   <= 1'b1;
      level_q   <= in_level_i;
      popped_q  <= in_valid_i && in_ready_o;
      stopped_q <= stop_i;
      offered_q <= write_command_valid_o && !taken;
      if (!begun_q) {next_q, rest_q} <= {address_i, bytes_i};
      else if (taken) begin
        next_q       <= next_q + 40'(command.bytes);
        rest_q       <= rest_q - 37'(command.bytes);
        beats_owed_q <= 5'((11'(command.bytes) + 11'd31) >> 5);
      end else if (given) beats_owed_q <= beats_owed_q - 5'd1;
      open_q <= open_q + 5'(taken) - 5'(stored_valid_i);
      if (past_q && begun_q) begin
        if (write_command_valid_o) begin
          one_behind_the_other : assert (strided_i || command.address == next_q);
          the_piece_that_comes :
          assert (!strided_i || (command.address == piece_address_i && command.bytes == 10'(piece_bytes_i)));
          inside_the_result : assert (command.bytes != '0 && 37'(command.bytes) <= rest_q);
          a_chunk_or_what_is_left :
          assert (strided_i || command.bytes == 10'd512 || 37'(command.bytes) == rest_q);
          after_the_beats_before_it : assert (beats_owed_q == '0);
          its_beats_are_here : assert (in_level_i >= 6'(command_beats_q));
        end
        if (offered_q) a_command_stands : assert (write_command_valid_o);
        if (stopped_q && !offered_q) nothing_new_after_a_stop : assert (!write_command_valid_o);
        if (write_beat_valid_o) beats_of_a_command_alone : assert (beats_owed_q != '0);
        its_beats_stay : assert (beats_owed_q == '0 || in_level_i >= 6'(beats_owed_q));
        if (beats_owed_q != '0) its_beats_go_on :
        assert (write_beat_valid_o && in_ready_o == write_beat_ready_i);
        done_when_all_is_accepted :
        assert (done_o == (rest_q == '0 && open_q == '0 && beats_owed_q == '0 && !write_command_valid_o));
        settled_when_nothing_is_on_its_way :
        assert (settled_o == (open_q == '0 && beats_owed_q == '0 && !write_command_valid_o));
        // What the above rests on.
        keeps_what_is_left :
        assert (address_q == next_q && left_q == rest_q && unaccepted_q == open_q && state_q != STATE_BEGIN &&
                (state_q == STATE_BEATS) == (beats_owed_q != '0) &&
                (beats_owed_q == '0 || beats_q == beats_owed_q));
        if (state_q == STATE_COMMAND)
          stands_as_it_was_waited_for :
          assert (command_beats_q == 5'((11'(bytes_q) + 11'd31) >> 5) && command_beats_q != '0 &&
                  (strided_i || (bytes_q == chunk_bytes && command_address_q == address_q)));
        offers_only_what_is_left : assert (state_q != STATE_COMMAND || left_q != '0);
      end
      if (!begun_q && past_q) begins_with_what_it_is_told :
      assert (state_q == STATE_BEGIN && unaccepted_q == '0);
    end
  end
`endif
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_calc_store: commands lie one behind the other from the first byte of the result to
// its last, none longer than a chunk; each gets its beats, which are here when it is offered; done when
// memory has accepted all of it, and not before; after a stop nothing new is offered.
  logic        past_q = 1'b0;
  logic        begun_q, stopped_q, offered_q;
  logic [39:0] next_q;        // byte that is written next
  logic [36:0] rest_q;        // bytes from there on
  logic [ 4:0] beats_owed_q, open_q;
  logic [ 5:0] level_q;       // beats here in the cycle before, of which one was taken
  logic        popped_q;
  logic        taken, given;
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
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
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
          one_behind_the_other : assert (command.address == next_q);
          inside_the_result : assert (command.bytes != '0 && 37'(command.bytes) <= rest_q);
          a_chunk_or_what_is_left : assert (command.bytes == 10'd512 || 37'(command.bytes) == rest_q);
          after_the_beats_before_it : assert (beats_owed_q == '0);
          its_beats_are_here : assert (in_level_i >= 6'(beats));
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
        offers_only_what_is_left : assert (state_q != STATE_COMMAND || left_q != '0);
      end
      if (!begun_q && past_q) begins_with_what_it_is_told :
      assert (state_q == STATE_BEGIN && unaccepted_q == '0);
    end
  end

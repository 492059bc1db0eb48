// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_completion_store: of the entries that are taken those that get a place are written,
// in order, each as one command and then one beat with its phase; those that are dropped are not.
  logic         past_q = 1'b0;
  logic         waits_q, placed_here_q;  // the next entry: for its place; to be written
  logic         command_owed_q, beat_owed_q;
  logic [266:0] next_q;  // queue, client, entry without phase
  logic [ 40:0] place_q;
  logic [307:0] now_q;   // of the entry that is written
  logic         begins;
  assign begins = !command_owed_q && !beat_owed_q && placed_here_q;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (!take_i || take_ready_o);
    assume (!(place_i || drop_i) || waits_q);
    assume (!(place_i && drop_i));
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) {waits_q, placed_here_q, command_owed_q, beat_owed_q} <= '0;
    else begin
      if (take_i) {waits_q, next_q} <= {1'b1, take_queue_i, take_client_i, take_data_i[255:1]};
      else if (place_i || drop_i) waits_q <= 1'b0;
      if (place_i) {placed_here_q, place_q} <= {1'b1, place_address_i, place_phase_i};
      else if (begins) placed_here_q <= 1'b0;
      if (begins) {command_owed_q, now_q} <= {1'b1, place_q[40:1], next_q, place_q[0]};
      else if (write_command_valid_o && write_command_ready_i) {command_owed_q, beat_owed_q} <= 2'b01;
      else if (write_beat_valid_o && write_beat_ready_i) beat_owed_q <= 1'b0;
      if (past_q) begin
        takes_when_the_next_is_free : assert (take_ready_o == (!waits_q && (!placed_here_q || begins)));
        one_command_a_place : assert (write_command_valid_o == command_owed_q);
        one_beat_a_command : assert (write_beat_valid_o == beat_owed_q);
        idle_when_nothing_is_here :
        assert (idle_o == !(waits_q || placed_here_q || command_owed_q || beat_owed_q));
        if (waits_q) asks_for_its_client : assert (client_o == next_q[258:255]);
        if (beat_owed_q) beat_is_the_entry : assert (write_beat_data_o == now_q[255:0]);
        if (command_owed_q) begin
          command_for_its_place :
          assert (write_command_data_o.address == now_q[307:268] && write_command_data_o.bytes == 10'd32 &&
                  write_command_data_o.final_part);
          tells_its_queue :
          assert (write_command_data_o.action.action == mu_pkg::ACTION_COMPLETION &&
                  write_command_data_o.action.target == now_q[267:260] &&
                  write_command_data_o.action.client == now_q[259:256] &&
                  write_command_data_o.action.amount == 8'd1);
        end
        // What the above rests on.
        waits_or_is_placed : assert (!(waits_q && placed_here_q) && !(command_owed_q && beat_owed_q));
        knows_the_next :
        assert ({taken_q, placed_q} == {waits_q, placed_here_q} &&
                (!(waits_q || placed_here_q) || {next_queue_q, next_client_q, entry_q} == next_q) &&
                (!placed_here_q || {next_address_q, phase_q} == place_q));
        knows_the_one_that_is_written : assert (!command_owed_q || write_beat_data_o == now_q[255:0]);
      end
    end
  end

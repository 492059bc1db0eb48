// SPDX-License-Identifier: Apache-2.0
// mu_completion_store: writes the entries of completion queues into memory.
//
//   take (data, client, queue) -----------> [ next ] ---> [ now ] ---> write_command (valid/ready/data)
//   then place (address, phase) or drop -->                       ---> write_beat (valid/ready/data)
//
// Behaviour: each entry that is taken and placed gives one command of 32 bytes with action COMPLETION for
//   its client and queue and, once that is taken, one beat: the entry with the phase bit. One that is dropped
//   gives nothing. Entries go out in the order in which they came.
// Latency: command valid two cycles after place_i if nothing is being written, the beat the cycle after it is
//   taken; an entry every three cycles.
// Limits: take_i only while take_ready_o, then place_i or drop_i once in a later cycle (asserted).
`default_nettype none

module mu_completion_store (
    input  logic                      clk_i,
    input  logic                      rst_ni,
    output logic                      idle_o,
    // control
    input  logic                      take_i,
    output logic                      take_ready_o,
    input  logic [3:0]                take_client_i,
    input  logic [7:0]                take_queue_i,
    input  mu_pkg::completion_entry_t take_data_i,
    input  logic                      place_i,
    input  logic                      drop_i,
    input  mu_pkg::address_t          place_address_i,
    input  logic                      place_phase_i,
    output logic [3:0]                client_o,  // of the entry that waits for its place
    // memory port
    output logic                      write_command_valid_o,
    input  logic                      write_command_ready_i,
    output mu_pkg::write_command_t    write_command_data_o,
    output logic                      write_beat_valid_o,
    input  logic                      write_beat_ready_i,
    output mu_pkg::memory_word_t      write_beat_data_o
);
  logic             taken_q;   // the next entry waits for its place
  logic             placed_q;  // it has one
  logic [254:0]     entry_q;   // all but the phase
  logic             phase_q;
  mu_pkg::address_t next_address_q;
  logic [3:0]       next_client_q;
  logic [7:0]       next_queue_q;
  logic             command_q;  // the command of the entry that is written is offered
  logic             beat_q;     // its beat is to be offered
  mu_pkg::address_t address_q;
  logic [3:0]       client_q;
  logic [7:0]       queue_q;
  logic             start;
  logic             unused_phase;

  assign idle_o                = !taken_q && !placed_q && !command_q && !beat_q;
  assign take_ready_o          = !taken_q && (!placed_q || start);
  assign client_o              = next_client_q;
  assign start                 = placed_q && !command_q && !beat_q;
  assign write_command_valid_o = command_q;
  assign write_beat_valid_o    = beat_q;
  assign unused_phase          = take_data_i.phase;

  always_comb begin
    write_command_data_o = '0;
    if (command_q) begin
      write_command_data_o.address       = address_q;
      write_command_data_o.bytes         = 10'(mu_pkg::COMPLETION_BYTES);
      write_command_data_o.final_part    = 1'b1;
      write_command_data_o.action.action = mu_pkg::ACTION_COMPLETION;
      write_command_data_o.action.client = client_q;
      write_command_data_o.action.target = queue_q;
      write_command_data_o.action.amount = 8'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      taken_q   <= 1'b0;
      placed_q  <= 1'b0;
      command_q <= 1'b0;
      beat_q    <= 1'b0;
    end else begin
      if (take_i) taken_q <= 1'b1;
      else if (place_i || drop_i) taken_q <= 1'b0;
      if (place_i) placed_q <= 1'b1;
      else if (start) placed_q <= 1'b0;
      if (start) command_q <= 1'b1;
      else if (write_command_ready_i) command_q <= 1'b0;
      if (command_q && write_command_ready_i) beat_q <= 1'b1;
      else if (write_beat_ready_i) beat_q <= 1'b0;
    end
    if (take_i) begin
      entry_q       <= take_data_i[255:1];
      next_client_q <= take_client_i;
      next_queue_q  <= take_queue_i;
    end
    if (place_i) begin
      phase_q        <= place_phase_i;
      next_address_q <= place_address_i;
    end
    if (start) begin
      address_q         <= next_address_q;
      client_q          <= next_client_q;
      queue_q           <= next_queue_q;
      write_beat_data_o <= {entry_q, phase_q};
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      takes_only_when_ready : assert (!take_i || take_ready_o);
      places_or_drops_what_was_taken_before : assert (!(place_i || drop_i) || taken_q);
      places_or_drops : assert (!(place_i && drop_i));
      taken_before_placed : assert (!(taken_q && placed_q));
      beat_after_command : assert (!(command_q && beat_q));
    end
  end

`ifdef PROVE_MU_COMPLETION_STORE
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
`endif
endmodule
`default_nettype wire

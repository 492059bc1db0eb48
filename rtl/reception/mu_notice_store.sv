// SPDX-License-Identifier: Apache-2.0
// mu_notice_store: writes one notice, header and trailer flit, into its client's ring.
//
//   start (address, client, header, trailer) ---> [ copy ] ---> write_command (valid/ready/data)
//                                                         ---> write_beat (valid/ready/data)
//
// Behaviour: each start gives one command of 32 bytes with action NOTICE for the client and, once that is
//   taken, one beat: header flit low, trailer flit high. The packet may go right after start_valid_i.
// Latency: command valid the cycle after start, beat the cycle after the command is taken.
// Limits: start_valid_i only while idle_o (asserted).
`default_nettype none

module mu_notice_store (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    output logic                    idle_o,
    // control
    input  logic                    start_valid_i,
    input  mu_pkg::address_t        start_address_i,
    input  mu_pkg::packet_header_t  packet_header_i,
    input  mu_pkg::packet_trailer_t packet_trailer_i,
    // memory port
    output logic                    write_command_valid_o,
    input  logic                    write_command_ready_i,
    output mu_pkg::write_command_t  write_command_data_o,
    output logic                    write_beat_valid_o,
    input  logic                    write_beat_ready_i,
    output mu_pkg::memory_word_t    write_beat_data_o
);
  logic             command_q;  // the command is offered
  logic             beat_q;     // the beat is offered
  mu_pkg::address_t address_q;
  logic [3:0]       client_q;

  assign idle_o                = !command_q && !beat_q;
  assign write_command_valid_o = command_q;
  assign write_beat_valid_o    = beat_q;

  always_comb begin
    write_command_data_o = '0;
    if (command_q) begin
      write_command_data_o.address       = address_q;
      write_command_data_o.bytes         = 10'(mu_pkg::FIFO_SLOT_BYTES);
      write_command_data_o.final_part    = 1'b1;
      write_command_data_o.action.action = mu_pkg::ACTION_NOTICE;
      write_command_data_o.action.client = client_q;
      write_command_data_o.action.target = 8'(client_q);
      write_command_data_o.action.amount = 8'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      command_q <= 1'b0;
      beat_q    <= 1'b0;
    end else begin
      if (start_valid_i) command_q <= 1'b1;
      else if (write_command_ready_i) command_q <= 1'b0;
      if (command_q && write_command_ready_i) beat_q <= 1'b1;
      else if (write_beat_ready_i) beat_q <= 1'b0;
    end
    if (start_valid_i) begin
      address_q         <= start_address_i;
      client_q          <= packet_header_i.client;
      write_beat_data_o <= {packet_trailer_i, packet_header_i};
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      starts_only_when_idle : assert (!start_valid_i || idle_o);
      beat_after_command : assert (!(command_q && beat_q));
    end
  end

`ifdef PROVE_MU_NOTICE_STORE
  // What is proved of mu_notice_store: each start gives one command and then one beat, with what was given
  // then, whatever comes later; both stand until they are taken.
  logic                 past_q = 1'b0;
  logic                 command_owed_q, beat_owed_q;
  mu_pkg::address_t     place_q;
  logic [255:0]         packet_q;
  logic [3:0]           client_here_q;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (!start_valid_i || idle_o);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) {command_owed_q, beat_owed_q} <= '0;
    else begin
      if (start_valid_i) begin
        command_owed_q <= 1'b1;
        {place_q, packet_q, client_here_q} <=
            {start_address_i, packet_trailer_i, packet_header_i, packet_header_i.client};
      end else if (write_command_valid_o && write_command_ready_i) {command_owed_q, beat_owed_q} <= 2'b01;
      else if (write_beat_valid_o && write_beat_ready_i) beat_owed_q <= 1'b0;
      if (past_q) begin
        one_command_a_start : assert (write_command_valid_o == command_owed_q);
        one_beat_a_command : assert (write_beat_valid_o == beat_owed_q);
        idle_when_both_are_taken : assert (idle_o == !(command_owed_q || beat_owed_q));
        if (beat_owed_q) beat_is_the_packet : assert (write_beat_data_o == packet_q);
        if (command_owed_q) begin
          command_for_its_place :
          assert (write_command_data_o.address == place_q && write_command_data_o.bytes == 10'd32 &&
                  write_command_data_o.final_part);
          tells_its_client :
          assert (write_command_data_o.action.action == mu_pkg::ACTION_NOTICE &&
                  write_command_data_o.action.client == client_here_q &&
                  write_command_data_o.action.target == 8'(client_here_q) &&
                  write_command_data_o.action.amount == 8'd1);
          moves_no_counter :
          assert (!write_command_data_o.action.counter_valid && !write_command_data_o.action.event_valid);
          // What the above rests on.
          keeps_the_packet : assert (write_beat_data_o == packet_q);
        end
      end
    end
  end
`endif
endmodule
`default_nettype wire

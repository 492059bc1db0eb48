// SPDX-License-Identifier: Apache-2.0
// mu_request_source: the requests that reception takes up: from the network, or from a boot buffer.
//
//   eject (valid/ready/head/tail/data) ---> [ receiver ] --+--> [ choose ] ---> packet, beats
//                                                          v        ^
//   operation (FIFO table, control), register bus --> [ boot buffers ]
//
// Behaviour: packets are shown one at a time until packet_done_i, as mu_packet_receiver shows them. Those of
//   the network come in order, but none that has not been looked up while a boot buffer has packets for a
//   FIFO that has been switched on: they come first. A packet that goes into a boot buffer is taken from
//   here (boot_idle_o low) and not from the stores.
// Latency: as mu_packet_receiver; of a boot buffer as mu_boot_drain.
// Limits: job_i while a packet that was shown is decided, held_i while it waits for room, store_idle_i else.
// two-readers: hold:register_request_i[63:8]=0 hold:register_request_i[83:73]=0x200 seen=1
`default_nettype none

module mu_request_source (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    output logic                       busy_o,
    // router
    input  logic                       flit_valid_i,
    output logic                       flit_ready_o,
    input  logic                       flit_head_i,
    input  logic                       flit_tail_i,
    input  mu_pkg::flit_data_t         flit_data_i,
    output logic                       bad_packet_o,
    // packet
    output logic                       packet_valid_o,
    output mu_pkg::packet_header_t     packet_header_o,
    output mu_pkg::packet_trailer_t    packet_trailer_o,
    input  logic                       packet_done_i,
    output logic                       beat_valid_o,
    input  logic                       beat_ready_i,
    output mu_pkg::memory_word_t       beat_data_o,
    // what becomes of it
    input  logic                       job_i,
    input  logic                       held_i,
    input  logic                       store_idle_i,
    // reception FIFO table
    input  mu_pkg::boot_operation_t    operation_i,
    input  logic                       boot_refuse_i,
    input  logic                       boot_start_i,
    output logic                       room_o,
    output logic                       elsewhere_o,
    output logic                       boot_idle_o,
    // host interface
    input  logic                       register_valid_i,
    input  mu_pkg::register_request_t  register_request_i,
    output logic                       register_done_o,
    output mu_pkg::register_response_t register_response_o
);
  logic                    receiver_busy, came_valid, came_done, came_beat_valid, came_beat_ready;
  logic                    boot_busy, boot_beat_ready, boot_done, hides, kept_shows, kept_valid;
  logic                    kept_beat_valid, taken, opened_q;
  logic [3:0]              kept_client, opened_client_q;
  mu_pkg::memory_word_t    came_beat_data, kept_beat_data;
  mu_pkg::packet_header_t  came_header, kept_header;
  mu_pkg::packet_trailer_t came_trailer, kept_trailer;

  assign busy_o          = receiver_busy || boot_busy;
  assign taken           = job_i || !store_idle_i || !boot_idle_o;
  assign came_done       = !kept_shows && (packet_done_i || boot_done);
  assign came_beat_ready = !kept_shows && (beat_ready_i || boot_beat_ready);

  mu_packet_receiver #(.PACKETS(2), .FLITS(mu_pkg::PACKET_FLITS), .REPLY(1'b0)) u_receiver (
      .clk_i, .rst_ni, .flit_valid_i, .flit_ready_o, .flit_head_i, .flit_tail_i, .flit_data_i,
      .packet_valid_o(came_valid), .packet_header_o(came_header), .packet_trailer_o(came_trailer),
      .packet_done_i(came_done), .beat_valid_o(came_beat_valid), .beat_ready_i(came_beat_ready),
      .beat_data_o(came_beat_data), .bad_packet_o, .busy_o(receiver_busy)
  );

  mu_boot_buffers u_boot_buffers (
      .clk_i, .rst_ni, .busy_o(boot_busy), .idle_o(boot_idle_o), .register_valid_i, .register_request_i,
      .register_done_o, .register_response_o, .operation_i, .refuse_i(boot_refuse_i),
      .start_i(boot_start_i), .room_o, .elsewhere_o, .entry_i({came_trailer, came_header}),
      .beat_valid_i(came_beat_valid),
      .beat_ready_o(boot_beat_ready), .beat_data_i(came_beat_data), .packet_done_o(boot_done),
      .engaged_i(taken || held_i), .hides_o(hides), .out_shows_o(kept_shows),
      .out_client_o(kept_client), .out_packet_valid_o(kept_valid),
      .out_entry_o({kept_trailer, kept_header}), .out_taken_i(taken),
      .out_packet_done_i(packet_done_i), .out_beat_valid_o(kept_beat_valid),
      .out_beat_ready_i(beat_ready_i), .out_beat_data_o(kept_beat_data)
  );

  assign packet_valid_o   = kept_shows ? kept_valid : came_valid && !hides;
  assign packet_header_o  = kept_shows ? kept_header : came_header;
  assign packet_trailer_o = kept_shows ? kept_trailer : came_trailer;
  assign beat_valid_o     = kept_shows ? kept_beat_valid : came_beat_valid;
  assign beat_data_o      = kept_shows ? kept_beat_data : came_beat_data;

  always_ff @(posedge clk_i) begin
    opened_q        <= rst_ni && operation_i.switches && operation_i.opens;
    opened_client_q <= operation_i.client;
    if (rst_ni) begin
      nothing_of_before_the_opening :
      assert (!(opened_q && kept_valid && kept_client == opened_client_q) || taken);
      one_end_of_a_packet : assert (!(packet_done_i && boot_done));
      ends_what_is_shown : assert (!packet_done_i || packet_valid_o);
      one_at_a_time_takes_beats : assert (!(beat_ready_i && boot_beat_ready));
    end
  end
endmodule
`default_nettype wire

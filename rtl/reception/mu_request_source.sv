// SPDX-License-Identifier: Apache-2.0
// mu_request_source: the requests that reception takes up: from the network, or from a boot buffer.
//
//   eject (valid/ready/head/tail/data) ---> [ receiver ] --+
//                                                          +--> [ take turns ] ---> shown_o, beats
//   moved_i, beats (from the boot drain) ------------------+
//
// Behaviour: packets are shown one at a time until packet_done_i. One of a boot buffer has its turn when none
//   of the network is there, or behind each of those; after it the network has the next turn, whether it is
//   done or stays_i. So neither waits for more than one packet of the other.
// Latency: as mu_packet_receiver; a packet of a boot buffer one cycle.
// Limits: stays_i and packet_done_i only for what is shown.
// two-readers: seen=1
`default_nettype none

module mu_request_source (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    output logic                   busy_o,
    // router
    input  logic                   flit_valid_i,
    output logic                   flit_ready_o,
    input  logic                   flit_head_i,
    input  logic                   flit_tail_i,
    input  mu_pkg::flit_data_t     flit_data_i,
    output logic                   bad_packet_o,
    // boot drain
    input  mu_pkg::shown_request_t moved_i,
    output logic                   moved_turn_o,  // it is that packet that is shown
    input  logic                   moved_beat_valid_i,
    output logic                   moved_beat_ready_o,
    input  mu_pkg::memory_word_t   moved_beat_data_i,
    // packet
    output mu_pkg::shown_request_t shown_o,
    input  logic                   packet_done_i,
    input  logic                   stays_i,
    output logic                   beat_valid_o,
    input  logic                   beat_ready_i,
    output mu_pkg::memory_word_t   beat_data_o
);
  logic                    receiver_busy, came_valid, came_done, came_beat_valid, came_beat_ready;
  logic                    moved_turn_q;
  mu_pkg::memory_word_t    came_beat_data;
  mu_pkg::packet_header_t  came_header;
  mu_pkg::packet_trailer_t came_trailer;

  mu_packet_receiver #(.PACKETS(2), .FLITS(mu_pkg::PACKET_FLITS), .REPLY(1'b0)) u_receiver (
      .clk_i, .rst_ni, .flit_valid_i, .flit_ready_o, .flit_head_i, .flit_tail_i, .flit_data_i,
      .packet_valid_o(came_valid), .packet_header_o(came_header), .packet_trailer_o(came_trailer),
      .packet_done_i(came_done), .beat_valid_o(came_beat_valid), .beat_ready_i(came_beat_ready),
      .beat_data_o(came_beat_data), .bad_packet_o, .busy_o(receiver_busy)
  );

  assign busy_o             = receiver_busy || moved_i.valid || moved_turn_q;
  assign came_done          = packet_done_i && !moved_turn_q;
  assign came_beat_ready    = beat_ready_i && !moved_turn_q;
  assign moved_turn_o       = moved_turn_q;
  assign moved_beat_ready_o = beat_ready_i && moved_turn_q;
  assign beat_valid_o       = moved_turn_q ? moved_beat_valid_i : came_beat_valid;
  assign beat_data_o        = moved_turn_q ? moved_beat_data_i : came_beat_data;

  always_comb begin
    shown_o         = '0;
    shown_o.valid   = came_valid;
    shown_o.header  = came_header;
    shown_o.trailer = came_trailer;
    if (moved_turn_q) shown_o = moved_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) moved_turn_q <= 1'b0;
    else if (moved_turn_q) moved_turn_q <= moved_i.valid && !packet_done_i && !stays_i;
    else moved_turn_q <= moved_i.valid && (!came_valid || packet_done_i);
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      ends_what_is_shown : assert (!packet_done_i || shown_o.valid);
      stays_in_a_boot_buffer : assert (!stays_i || moved_turn_q);
    end
  end
endmodule
`default_nettype wire

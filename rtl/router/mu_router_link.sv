// SPDX-License-Identifier: Apache-2.0
// mu_router_link: one direction of the router: the input buffers of both classes, and the output.
//
//   link in ---+---> [ mu_router_input, requests ] ---> switch, all outputs
//              +---> [ mu_router_input, replies ] ----> switch, all outputs
//   flits of all inputs ---> [ mu_router_output ] ---> link out
//
// Behaviour: link_credit_o[0] (requests) and [1] (replies) pulse when a packet has left its buffer here.
// Latency: two cycles from the pins to the switch, one from the switch to the pins.
// Limits: LEGAL, the outputs a packet from here may take; SOURCES, the inputs that may send here.
`default_nettype none

module mu_router_link #(
    parameter logic [6:0] LEGAL   = 7'b1111111,
    parameter logic [6:0] SOURCES = 7'b1111111
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic [3:0]                   strap_x_i, strap_y_i, strap_z_i,
    input  logic [3:0]                   strap_last_x_i, strap_last_y_i, strap_last_z_i,
    input  logic [2:0]                   strap_torus_i,
    // link
    input  logic                         link_valid_i, link_head_i, link_tail_i, link_reply_i,
    input  logic [mu_pkg::FLIT_BITS-1:0] link_data_i,
    output logic [1:0]                   link_credit_o,
    output logic                         link_valid_o, link_head_o, link_tail_o, link_reply_o,
    output logic [mu_pkg::FLIT_BITS-1:0] link_data_o,
    // request switch, and the flits of all inputs
    output logic [6:0]                   request_port_o,
    input  logic                         request_take_i,
    output logic                         request_valid_o, request_tail_o,
    output logic [mu_pkg::FLIT_BITS-1:0] request_data_o,
    input  logic                         request_pop_i,
    input  logic                         request_send_i, request_first_i, request_last_i,
    input  logic [6:0]                   request_owner_i,
    input  logic [mu_pkg::FLIT_BITS-1:0] request_0_i, request_1_i, request_2_i, request_3_i,
    input  logic [mu_pkg::FLIT_BITS-1:0] request_4_i, request_5_i, request_6_i,
    // reply switch, and the flits of all inputs
    output logic [6:0]                   reply_port_o,
    input  logic                         reply_take_i,
    output logic                         reply_valid_o, reply_tail_o,
    output logic [mu_pkg::FLIT_BITS-1:0] reply_data_o,
    input  logic                         reply_pop_i,
    input  logic                         reply_send_i, reply_first_i, reply_last_i,
    input  logic [6:0]                   reply_owner_i,
    input  logic [mu_pkg::FLIT_BITS-1:0] reply_0_i, reply_1_i, reply_2_i, reply_3_i,
    input  logic [mu_pkg::FLIT_BITS-1:0] reply_4_i, reply_5_i, reply_6_i,
    output logic                         busy_o
);
  logic request_busy, reply_busy;
  logic unused_request_room, unused_reply_room;  // credits keep the sender within the room

  mu_router_input #(
      .PACKETS(mu_pkg::REQUEST_PACKETS),
      .DEPTH(mu_pkg::REQUEST_PACKETS * mu_pkg::PACKET_FLITS),
      .LEGAL(LEGAL)
  ) u_requests (
      .clk_i, .rst_ni, .strap_x_i, .strap_y_i, .strap_z_i, .strap_last_x_i, .strap_last_y_i, .strap_last_z_i,
      .strap_torus_i, .valid_i(link_valid_i && !link_reply_i), .head_i(link_head_i), .tail_i(link_tail_i),
      .data_i(link_data_i), .room_o(unused_request_room), .freed_o(link_credit_o[0]), .port_o(request_port_o),
      .take_i(request_take_i), .valid_o(request_valid_o), .tail_o(request_tail_o), .data_o(request_data_o),
      .pop_i(request_pop_i), .busy_o(request_busy)
  );

  mu_router_input #(
      .PACKETS(mu_pkg::REPLY_PACKETS),
      .DEPTH(mu_pkg::REPLY_PACKETS * mu_pkg::REPLY_FLITS),
      .LEGAL(LEGAL)
  ) u_replys (
      .clk_i, .rst_ni, .strap_x_i, .strap_y_i, .strap_z_i, .strap_last_x_i, .strap_last_y_i, .strap_last_z_i,
      .strap_torus_i, .valid_i(link_valid_i && link_reply_i), .head_i(link_head_i), .tail_i(link_tail_i),
      .data_i(link_data_i), .room_o(unused_reply_room), .freed_o(link_credit_o[1]), .port_o(reply_port_o),
      .take_i(reply_take_i), .valid_o(reply_valid_o), .tail_o(reply_tail_o), .data_o(reply_data_o),
      .pop_i(reply_pop_i), .busy_o(reply_busy)
  );

  mu_router_output #(.SOURCES(SOURCES)) u_output (
      .clk_i, .rst_ni,
      .request_send_i, .request_first_i, .request_last_i, .request_owner_i, .request_0_i, .request_1_i,
      .request_2_i, .request_3_i, .request_4_i, .request_5_i, .request_6_i,
      .reply_send_i, .reply_first_i, .reply_last_i, .reply_owner_i, .reply_0_i, .reply_1_i,
      .reply_2_i, .reply_3_i, .reply_4_i, .reply_5_i, .reply_6_i,
      .link_valid_o, .link_head_o, .link_tail_o, .link_reply_o, .link_data_o
  );

  assign busy_o = request_busy || reply_busy || link_valid_o;
endmodule
`default_nettype wire

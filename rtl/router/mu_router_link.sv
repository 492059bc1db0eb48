// SPDX-License-Identifier: Apache-2.0
// mu_router_link: the data path of one direction of the router: the buffers at its input, and its output.
//
//   link in ---+---> [ mu_router_buffer, requests ] ---> request_data_o, to all outputs
//              +---> [ mu_router_buffer, replies ] ----> reply_data_o, to all outputs
//              +---> [ mu_router_header ] ---> port_o, to the control of both classes
//   data of all inputs ---> [ mu_router_output ] ---> link out
//
// Behaviour: stores what arrives, tells where each header wants to go, and sends what the control of the
//   classes selects.
// Latency: two cycles from the pins to <class>_data_o, one from there to the pins.
// Limits: LEGAL, the outputs that a packet from here may take; SOURCES, the inputs that may send here.
`default_nettype none

module mu_router_link #(
    parameter logic [6:0] LEGAL   = 7'b1111111,
    parameter logic [6:0] SOURCES = 7'b1111111
) (
    input  logic                         clk_i,
    input  logic                         clk_reply_i,
    input  logic                         rst_ni,
    input  mu_pkg::node_straps_t         straps_i,
    // link
    input  logic                         link_valid_i, link_head_i, link_tail_i, link_reply_i,
    input  logic [mu_pkg::FLIT_BITS-1:0] link_data_i,
    output logic                         link_valid_o, link_head_o, link_tail_o, link_reply_o,
    output logic [mu_pkg::FLIT_BITS-1:0] link_data_o,
    // control of both classes
    input  logic                         arrived_i,
    output logic [2:0]                   port_o,
    // requests: control, and the flits of all inputs
    input  logic                         request_load_i,
    output logic                         request_tail_o,
    output logic [mu_pkg::FLIT_BITS-1:0] request_data_o,
    input  logic                         request_send_i, request_first_i, request_last_i,
    input  logic [6:0]                   request_owner_i,
    input  logic [7*mu_pkg::FLIT_BITS-1:0] request_data_i,
    // replies: control, and the flits of all inputs
    input  logic                         reply_load_i,
    output logic                         reply_tail_o,
    output logic [mu_pkg::FLIT_BITS-1:0] reply_data_o,
    input  logic                         reply_send_i, reply_first_i, reply_last_i,
    input  logic [6:0]                   reply_owner_i,
    input  logic [7*mu_pkg::FLIT_BITS-1:0] reply_data_i
);
  mu_router_header #(.LEGAL(LEGAL)) u_header (
      .clk_i, .rst_ni, .straps_i, .valid_i(link_valid_i), .head_i(link_head_i), .data_i(link_data_i),
      .arrived_i, .port_o
  );

  mu_router_buffer #(.DEPTH(mu_pkg::REQUEST_PACKETS * mu_pkg::PACKET_FLITS)) u_requests (
      .clk_i, .rst_ni, .write_i(link_valid_i && !link_reply_i), .tail_i(link_tail_i), .data_i(link_data_i),
      .load_i(request_load_i), .tail_o(request_tail_o), .data_o(request_data_o)
  );

  mu_router_buffer #(.DEPTH(mu_pkg::REPLY_PACKETS * mu_pkg::REPLY_FLITS)) u_replies (
      .clk_i(clk_reply_i), .rst_ni, .write_i(link_valid_i && link_reply_i), .tail_i(link_tail_i),
      .data_i(link_data_i), .load_i(reply_load_i), .tail_o(reply_tail_o), .data_o(reply_data_o)
  );

  mu_router_output #(.SOURCES(SOURCES)) u_output (
      .clk_i, .rst_ni, .request_send_i, .request_first_i, .request_last_i, .request_owner_i,
      .request_data_i, .reply_send_i, .reply_first_i, .reply_last_i, .reply_owner_i, .reply_data_i,
      .link_valid_o, .link_head_o, .link_tail_o, .link_reply_o,
      .link_data_o
  );
endmodule
`default_nettype wire

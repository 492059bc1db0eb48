// SPDX-License-Identifier: Apache-2.0
// mu_router_link: the data path of one link input of the router: its two buffers.
//
//   link in ---+---> [ mu_router_buffer, requests ] ---> request_data_o, to all outputs
//              +---> [ mu_router_buffer, replies ] ----> reply_data_o, to all outputs
//              +---> [ mu_router_header ] ---> port_o, to the control of both classes
//
// Behaviour: stores what arrives, tells where each header wants to go, and shows what the control of the
//   classes loads.
// Latency: two cycles from the pins to <class>_data_o.
// Limits: LEGAL, the outputs that a packet from here may take.
`default_nettype none

module mu_router_link #(
    parameter logic [6:0] LEGAL = 7'b1111111
) (
    input  logic                 clk_i,
    input  logic                 clk_reply_i,
    input  logic                 rst_ni,
    input  mu_pkg::node_straps_t straps_i,
    // link
    input  logic                 link_valid_i, link_head_i, link_tail_i, link_reply_i,
    input  mu_pkg::flit_data_t   link_data_i,
    // control of both classes
    input  logic                 arrived_i,
    output logic [6:0]           port_o,
    // requests
    input  logic                 request_load_i,
    output logic                 request_tail_o,
    output mu_pkg::flit_data_t   request_data_o,
    // replies
    input  logic                 reply_load_i,
    output logic                 reply_tail_o,
    output mu_pkg::flit_data_t   reply_data_o
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
endmodule
`default_nettype wire

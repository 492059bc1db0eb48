// SPDX-License-Identifier: Apache-2.0
// mu_router_local: the data path of the local port of the router, for one class.
//
//   inject (valid/ready) ---+---> [ mu_router_buffer ] ---> data_o, to all outputs
//                           +---> [ mu_router_header ] ---> port_o, to the control of the class
//   data of all inputs ---> [ mu_router_eject ] ---> eject (valid/ready)
//
// Behaviour: takes a flit when inject_i.valid and inject_ready_o are high (entered_o says so); ejects what
//   the control of the class selects.
// Latency: two cycles from inject to data_o, one from there to eject.
// Limits: the buffer only bridges the time in which a packet is routed while its predecessor leaves.
`default_nettype none

module mu_router_local #(
    parameter int unsigned DEPTH = 8
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  mu_pkg::node_straps_t straps_i,
    // injection engine
    input  mu_pkg::flit_stream_t inject_i,
    output logic                 inject_ready_o,
    // packet receiver
    output mu_pkg::flit_stream_t eject_o,
    input  logic                 eject_ready_i,
    // control of the class
    input  logic                 room_i,
    output logic                 entered_o,
    input  logic                 arrived_i,
    output logic [6:0]           port_o,
    input  logic                 load_i,
    output logic                 tail_o,
    output logic                 open_o,
    input  logic                 send_i, first_i, last_i,
    input  logic [6:0]           owner_i,
    // flits of all inputs
    output mu_pkg::flit_data_t   data_o,
    input  mu_pkg::flit_data_t   data_xp_i, data_xm_i, data_yp_i, data_ym_i, data_zp_i, data_zm_i
);
  assign inject_ready_o = room_i;
  assign entered_o      = inject_i.valid && room_i;

  mu_router_header #(.LEGAL(7'b1111111)) u_header (
      .clk_i, .rst_ni, .straps_i, .valid_i(entered_o), .head_i(inject_i.head), .data_i(inject_i.data),
      .arrived_i, .port_o
  );

  mu_router_buffer #(.DEPTH(DEPTH)) u_buffer (
      .clk_i, .rst_ni, .write_i(entered_o), .tail_i(inject_i.tail), .data_i(inject_i.data), .load_i, .tail_o,
      .data_o
  );

  mu_router_eject u_eject (
      .clk_i, .rst_ni, .open_o, .send_i, .first_i, .last_i, .owner_i,
      .data_xp_i, .data_xm_i, .data_yp_i, .data_ym_i, .data_zp_i, .data_zm_i, .data_local_i(data_o),
      .eject_valid_o(eject_o.valid),
      .eject_ready_i, .eject_head_o(eject_o.head), .eject_tail_o(eject_o.tail), .eject_data_o(eject_o.data)
  );
endmodule
`default_nettype wire

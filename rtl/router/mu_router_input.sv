// SPDX-License-Identifier: Apache-2.0
// mu_router_input: one class at one input of the router: the flits that wait and where their packets want to go.
//
//   link or injection ---+---> [ mu_router_buffer ] ---> flits ---> switch, output
//                        +---> [ mu_router_header ] ---> port of the oldest packet not yet granted ---> switch
//
// Behaviour: flits leave in the order in which they came; port_o names the output of the next packet to be granted.
//   freed_o is high for one cycle, one cycle after the tail of a packet has left: its place is free again.
// Latency: two cycles from a flit at the pins to the switch; a flit a cycle.
// Limits: PACKETS whole packets and DEPTH flits fit. The sender keeps within both (asserted below).
`default_nettype none

module mu_router_input #(
    parameter int unsigned PACKETS = 6,
    parameter int unsigned DEPTH   = 204,
    parameter logic [6:0]  LEGAL   = 7'b1111111
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic [3:0]                   strap_x_i,
    input  logic [3:0]                   strap_y_i,
    input  logic [3:0]                   strap_z_i,
    input  logic [3:0]                   strap_last_x_i,
    input  logic [3:0]                   strap_last_y_i,
    input  logic [3:0]                   strap_last_z_i,
    input  logic [2:0]                   strap_torus_i,
    // link or injection
    input  logic                         valid_i,
    input  logic                         head_i,
    input  logic                         tail_i,
    input  logic [mu_pkg::FLIT_BITS-1:0] data_i,
    output logic                         room_o,
    output logic                         freed_o,
    // switch
    output logic [6:0]                   port_o,
    input  logic                         take_i,
    output logic                         valid_o,
    output logic                         tail_o,
    output logic [mu_pkg::FLIT_BITS-1:0] data_o,
    input  logic                         pop_i,
    output logic                         busy_o
);
  logic freed_q;
  logic flits_wait;
  logic packets_wait;

  assign freed_o = freed_q;
  assign busy_o  = flits_wait || packets_wait || freed_q;

  mu_router_header #(.PACKETS(PACKETS), .LEGAL(LEGAL)) u_header (
      .clk_i, .rst_ni,
      .strap_x_i, .strap_y_i, .strap_z_i, .strap_last_x_i, .strap_last_y_i, .strap_last_z_i, .strap_torus_i,
      .write_i(valid_i && head_i), .data_i,
      .port_o, .take_i, .busy_o(packets_wait)
  );

  mu_router_buffer #(.DEPTH(DEPTH)) u_buffer (
      .clk_i, .rst_ni,
      .write_i(valid_i), .tail_i, .data_i, .room_o,
      .valid_o, .tail_o, .data_o, .pop_i, .busy_o(flits_wait)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) freed_q <= 1'b0;
    else if (pop_i || freed_q) freed_q <= pop_i && tail_o;
  end
endmodule
`default_nettype wire

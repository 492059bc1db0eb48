// SPDX-License-Identifier: Apache-2.0
// mu_router_header: catches the headers that enter one input of the router and says which output each wants.
//
//   valid_i, head_i, data_i ---> [ header register ] ---> [ mu_route ] ---> [ only legal turns ] ---> port_o
//   arrived_i (the register holds a new header) --------------^
//
// Behaviour: in a cycle with arrived_i port_o has the bit of the output (0 x+ .. 5 z-, 6 local) that the
//   header written in the cycle before wants; else it is zero. A turn that dimension order forbids (LEGAL)
//   can only come from a damaged header; that packet goes to the local port, where its CRC condemns it.
// Latency: one cycle from the header flit to port_o; a header a cycle.
// Limits: LEGAL has bit 6, the local port. arrived_i must be valid_i and head_i of the cycle before.
`default_nettype none

module mu_router_header #(
    parameter logic [6:0] LEGAL = 7'b1111111
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  mu_pkg::node_straps_t straps_i,
    // a flit at the pins
    input  logic                 valid_i, head_i,
    input  mu_pkg::flit_data_t   data_i,
    // queues of heads
    input  logic                 arrived_i,
    output logic [6:0]           port_o
);
  if (!LEGAL[6]) $error("mu_router_header: LEGAL must have the local port");

  logic [11:0] destination_q;
  logic        odd_q;
  logic [6:0]  wanted;

  mu_route u_route (
      .own_x_i(straps_i.x), .own_y_i(straps_i.y), .own_z_i(straps_i.z),
      .last_x_i(straps_i.last_x), .last_y_i(straps_i.last_y), .last_z_i(straps_i.last_z),
      .torus_i(straps_i.torus),
      .valid_i(arrived_i),
      .dst_x_i(destination_q[3:0]), .dst_y_i(destination_q[7:4]), .dst_z_i(destination_q[11:8]),
      .src_odd_i(odd_q), .port_o(wanted)
  );

  always_comb begin
    port_o = '0;
    if (arrived_i) begin
      port_o = wanted & LEGAL;
      if ((wanted & ~LEGAL) != '0) port_o[6] = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i && head_i) begin
      destination_q <= {data_i[mu_pkg::PACKET_HEADER_DST_Z_LSB+:4],
      data_i[mu_pkg::PACKET_HEADER_DST_Y_LSB+:4],
                        data_i[mu_pkg::PACKET_HEADER_DST_X_LSB+:4]};
      odd_q <= data_i[mu_pkg::PACKET_HEADER_SRC_X_LSB] ^ data_i[mu_pkg::PACKET_HEADER_SRC_Y_LSB] ^
               data_i[mu_pkg::PACKET_HEADER_SRC_Z_LSB];
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      one_way : assert (!arrived_i || $onehot(wanted));
      one_port_a_header : assert (!arrived_i || $onehot(port_o));
    end
  end
endmodule
`default_nettype wire

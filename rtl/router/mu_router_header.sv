// SPDX-License-Identifier: Apache-2.0
// mu_router_header: routes the packets of one class that wait at one input of the router, in order.
//
//   write_i, data_i ---> [ header register ] ---> [ mu_route ] ---> [ queue of ports ] ---> port_o (one-hot)
//                                                                                            ^--- take_i
//
// Behaviour: port_o is the output that the oldest packet not yet taken wants, one-hot, zero if there is none.
//   take_i (the packet is granted its output) brings the next. A turn that dimension order forbids (LEGAL)
//   can only come from a damaged header; the packet goes to the local port, where its CRC condemns it.
// Latency: two cycles from write_i to port_o when empty; a packet a cycle.
// Limits: PACKETS >= 2 packets wait at most (credits see to it, asserted). LEGAL has bit 6, the local port.
`default_nettype none

module mu_router_header #(
    parameter int unsigned PACKETS = 6,
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
    // a header flit enters the buffer
    input  logic                         write_i,
    input  logic [mu_pkg::FLIT_BITS-1:0] data_i,
    // switch
    output logic [6:0]                   port_o,
    input  logic                         take_i,
    output logic                         busy_o
);
  localparam int unsigned ADDRESS_WIDTH = $clog2(PACKETS);
  localparam int unsigned LEVEL_WIDTH   = $clog2(PACKETS + 1);
  if (PACKETS < 2) $error("mu_router_header: PACKETS must be at least 2");
  if (!LEGAL[6]) $error("mu_router_header: LEGAL must have the local port");

  logic                     arrived_q;  // the header below has just arrived
  logic [11:0]              destination_q;
  logic                     odd_q;
  logic [6:0]               wanted;
  logic [6:0]               port;  // where the packet that has just arrived goes
  logic [6:0]               ports[PACKETS];
  logic [ADDRESS_WIDTH-1:0] write_q;
  logic [ADDRESS_WIDTH-1:0] read_q;
  logic [LEVEL_WIDTH-1:0]   level_q;  // ports behind the first one
  logic [6:0]               first_q;
  logic                     load;
  logic                     store;

  mu_route u_route (
      .own_x_i(strap_x_i),
      .own_y_i(strap_y_i),
      .own_z_i(strap_z_i),
      .last_x_i(strap_last_x_i),
      .last_y_i(strap_last_y_i),
      .last_z_i(strap_last_z_i),
      .torus_i(strap_torus_i),
      .valid_i(arrived_q),
      .dst_x_i(destination_q[3:0]),
      .dst_y_i(destination_q[7:4]),
      .dst_z_i(destination_q[11:8]),
      .src_odd_i(odd_q),
      .port_o(wanted)
  );

  assign port   = (wanted & LEGAL) != '0 ? wanted : 7'b1000000;
  assign load   = first_q == '0 || take_i;
  assign store  = arrived_q && !(load && level_q == '0);
  assign port_o = first_q;
  assign busy_o = arrived_q || first_q != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) arrived_q <= 1'b0;
    else if (write_i || arrived_q) arrived_q <= write_i;
  end

  always_ff @(posedge clk_i) begin
    if (write_i) begin
      destination_q <= {data_i[mu_pkg::PACKET_HEADER_DST_Z_LSB+:4], data_i[mu_pkg::PACKET_HEADER_DST_Y_LSB+:4],
                        data_i[mu_pkg::PACKET_HEADER_DST_X_LSB+:4]};
      odd_q <= data_i[mu_pkg::PACKET_HEADER_SRC_X_LSB] ^ data_i[mu_pkg::PACKET_HEADER_SRC_Y_LSB] ^
               data_i[mu_pkg::PACKET_HEADER_SRC_Z_LSB];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      first_q <= '0;
      level_q <= '0;
      write_q <= '0;
      read_q  <= '0;
    end else if (arrived_q || take_i) begin
      if (load) first_q <= level_q != '0 ? ports[read_q] : arrived_q ? port : '0;
      if (load && level_q != '0) read_q <= 32'(read_q) == PACKETS - 1 ? '0 : read_q + 1'b1;
      if (store) write_q <= 32'(write_q) == PACKETS - 1 ? '0 : write_q + 1'b1;
      if (store && !(load && level_q != '0)) level_q <= level_q + 1'b1;
      if (!store && load && level_q != '0) level_q <= level_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) if (store) ports[write_q] <= port;

  always_ff @(posedge clk_i) begin
    if (rst_ni && busy_o) begin
      never_overflows : assert (!store || 32'(level_q) < PACKETS);
      one_port_each : assert ($onehot0(first_q));
      only_legal_turns : assert ((first_q & ~LEGAL) == '0);
      takes_only_what_is_there : assert (!take_i || first_q != '0);
      nothing_behind_nothing : assert (first_q != '0 || level_q == '0);
    end
  end
endmodule
`default_nettype wire

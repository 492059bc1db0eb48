// SPDX-License-Identifier: Apache-2.0
// mu_route: the routing function: which output a packet takes at this node.
//
//   own, last, torus (straps) --+
//   dst, src_odd (header) ------+--> [ x, then y, then z, then local ] --> port_o (one-hot)
//
// Behaviour: while valid_i is high port_o has exactly one bit. The first dimension of x, y, z in which the
//   packet is not yet at its destination decides: in a torus dimension the shorter way, with a tie (exactly
//   half way round) + if the sum of the source's coordinates is even, else -; in a mesh dimension straight
//   there. A packet at its destination, or for a destination outside the machine, goes to the local port:
//   such a header was damaged on its way (injection refuses it), and its receiver drops it for its CRC.
//   port_o is zero while valid_i is low.
// Latency: combinational.
// Limits: coordinates 0..15; own must lie inside the machine (straps). Bits of port_o: 0 x+, 1 x-, 2 y+, 3
//   y-, 4 z+, 5 z-, 6 local.
`default_nettype none

module mu_route (
    // straps
    input  logic [3:0] own_x_i,
    input  logic [3:0] own_y_i,
    input  logic [3:0] own_z_i,
    input  logic [3:0] last_x_i,
    input  logic [3:0] last_y_i,
    input  logic [3:0] last_z_i,
    input  logic [2:0] torus_i,
    // header
    input  logic       valid_i,
    input  logic [3:0] dst_x_i,
    input  logic [3:0] dst_y_i,
    input  logic [3:0] dst_z_i,
    input  logic       src_odd_i,
    // choice
    output logic [6:0] port_o
);
  // {minus, plus}: the way along a dimension in which the packet is not there yet. Round a ring of size nodes
  // + leads to the coordinates behind the own one as far as limit, half way round; if size is even, that one
  // is the tie. The straps alone decide where limit is, so a header waits for a comparison and for no sum.
  function automatic logic [1:0] way(input logic [3:0] own, input logic [3:0] dst, input logic [3:0] last,
                                     input logic torus, input logic odd);
    logic [4:0] back;  // own - size / 2, negative if that is not round the ring's end
    logic [3:0] limit;
    logic       plus;
    back  = {1'b0, own} - ({2'b0, last[3:1]} + {4'b0, last[0]});
    limit = back[4] ? own + {1'b0, last[3:1]} + 4'd1 : back[3:0];
    plus  = dst > own;
    if (torus) begin
      plus = back[4] ? plus && dst < limit : plus || dst < limit;
      if (last[0] && dst == limit) plus = !odd;
    end
    way = plus ? 2'b01 : 2'b10;
  endfunction

  always_comb begin
    port_o = 7'b0;
    if (valid_i) begin
      if (dst_x_i > last_x_i || dst_y_i > last_y_i || dst_z_i > last_z_i) port_o = 7'b1000000;
      else if (dst_x_i != own_x_i) port_o[1:0] = way(own_x_i, dst_x_i, last_x_i, torus_i[0], src_odd_i);
      else if (dst_y_i != own_y_i) port_o[3:2] = way(own_y_i, dst_y_i, last_y_i, torus_i[1], src_odd_i);
      else if (dst_z_i != own_z_i) port_o[5:4] = way(own_z_i, dst_z_i, last_z_i, torus_i[2], src_odd_i);
      else port_o = 7'b1000000;
    end
  end
endmodule
`default_nettype wire

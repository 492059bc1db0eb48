// SPDX-License-Identifier: Apache-2.0
// mu_route_proof: what mu_route promises, for every machine, place and destination.
//
//   place, destination ---> [ mu_route here ] ---> next place ---> [ mu_route there ] ---> compared
//
// Behaviour: a hop stays in the machine and brings the packet one step nearer; after a dimension comes the
//   same one in the same direction, or a later one; only a packet at its destination goes to the local port.
// Latency: combinational.
// Limits: proof only.
`default_nettype none

module mu_route_proof (
    input logic       clk_i,
    input logic       rst_ni,
    input logic [3:0] own_x_i, own_y_i, own_z_i,
    input logic [3:0] last_x_i, last_y_i, last_z_i,
    input logic [3:0] dst_x_i, dst_y_i, dst_z_i,
    input logic [2:0] torus_i,
    input logic       src_odd_i
);
  logic [6:0] here;
  logic [6:0] there;
  logic [3:0] next_x, next_y, next_z;

  mu_route u_here (
      .own_x_i, .own_y_i, .own_z_i, .last_x_i, .last_y_i, .last_z_i, .torus_i, .valid_i(1'b1), .dst_x_i,
      .dst_y_i,
      .dst_z_i, .src_odd_i, .port_o(here)
  );
  mu_route u_there (
      .own_x_i(next_x), .own_y_i(next_y), .own_z_i(next_z), .last_x_i, .last_y_i, .last_z_i, .torus_i,
      .valid_i(1'b1), .dst_x_i, .dst_y_i, .dst_z_i, .src_odd_i, .port_o(there)
  );

  function automatic logic [3:0] step(input logic [3:0] at, input logic [3:0] last, input logic plus,
                                      input logic minus);
    step = at;
    if (plus) step = at == last ? 4'd0 : at + 4'd1;
    if (minus) step = at == 4'd0 ? last : at - 4'd1;
  endfunction

  function automatic logic [4:0] distance(input logic [3:0] from, input logic [3:0] to,
                                          input logic [3:0] last, input logic torus);
    logic [4:0] straight;
    logic [4:0] round;
    straight = from < to ? {1'b0, to} - {1'b0, from} : {1'b0, from} - {1'b0, to};
    round    = {1'b0, last} + 5'd1 - straight;
    distance = torus && round < straight ? round : straight;
  endfunction

  assign next_x = step(own_x_i, last_x_i, here[0], here[1]);
  assign next_y = step(own_y_i, last_y_i, here[2], here[3]);
  assign next_z = step(own_z_i, last_z_i, here[4], here[5]);

  logic [6:0] far_here, far_there;
  assign far_here  = 7'(distance(own_x_i, dst_x_i, last_x_i, torus_i[0])) +
                     7'(distance(own_y_i, dst_y_i, last_y_i, torus_i[1])) +
                     7'(distance(own_z_i, dst_z_i, last_z_i, torus_i[2]));
  assign far_there = 7'(distance(next_x, dst_x_i, last_x_i, torus_i[0])) +
                     7'(distance(next_y, dst_y_i, last_y_i, torus_i[1])) +
                     7'(distance(next_z, dst_z_i, last_z_i, torus_i[2]));

  always_ff @(posedge clk_i) begin
    assume (own_x_i <= last_x_i && own_y_i <= last_y_i && own_z_i <= last_z_i);
    assume (dst_x_i <= last_x_i && dst_y_i <= last_y_i && dst_z_i <= last_z_i);
    if (rst_ni) begin
      one_port : assert ($onehot(here));
      local_at_the_destination : assert (here[6] == (far_here == '0));
      stays_in_the_machine : assert (!(here[0] && !torus_i[0] && own_x_i == last_x_i) &&
                                     !(here[1] && !torus_i[0] && own_x_i == '0) &&
                                     !(here[2] && !torus_i[1] && own_y_i == last_y_i) &&
                                     !(here[3] && !torus_i[1] && own_y_i == '0) &&
                                     !(here[4] && !torus_i[2] && own_z_i == last_z_i) &&
                                     !(here[5] && !torus_i[2] && own_z_i == '0));
      each_hop_comes_nearer : assert (here[6] || far_there + 7'd1 == far_here);
      never_back_in_a_ring : assert (!(here[0] && there[1]) && !(here[1] && there[0]) && !(here[2]
          && there[3]) &&
                                     !(here[3] && there[2]) && !(here[4] && there[5]) && !(here[5]
                                         && there[4]));
      never_back_to_a_dimension : assert (!(here[3:2] != '0 && there[1:0] != '0) &&
                                          !(here[5:4] != '0 && there[3:0] != '0));
    end
  end
endmodule
`default_nettype wire

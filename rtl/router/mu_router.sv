// SPDX-License-Identifier: Apache-2.0
// mu_router: six links and the local port, two classes, dimension order, virtual cut-through with bubbles.
//
//   link_<d> in --> [ mu_router_link: 2 x mu_router_input ---+---> mu_router_output ] --> link_<d> out
//   inject ------->         ...                +--> [ mu_router_eject x 2 ] --> eject
//                             control: [ mu_router_switch ], one a class; counts: [ mu_router_counters ]
//
// Behaviour: every flit that comes in leaves once. Packets of one source, destination and class stay in order. A packet
//   moves on only into a whole free place; a link_<d>_credit_o pulse (bit class) says that a place of the input
//   buffer of direction d became free. A reply flit goes before a request flit. What leaves on xp arrives at
//   the xm input of the neighbour. busy_o is low only if no cycle without input would change anything.
// Latency: three cycles from link pins to link pins; a flit a cycle on every link at once.
// Limits: straps stand still after reset. REQUEST_PACKETS of PACKET_FLITS and REPLY_PACKETS of REPLY_FLITS at each
//   input; a sender that overruns its credits is asserted. Links that lead nowhere (edge of a mesh) are
//   never used.
`default_nettype none

module mu_router (
    input  logic                          clk_i,
    input  logic                          rst_ni,
    input  logic [mu_pkg::TIME_BITS-1:0]  now_i,
    output logic                          busy_o,
    input  logic [3:0]                    strap_x_i, strap_y_i, strap_z_i,
    input  logic [3:0]                    strap_last_x_i, strap_last_y_i, strap_last_z_i,
    input  logic [2:0]                    strap_torus_i,
    // link x+: from and to the neighbour there
    input  logic                          link_xp_valid_i, link_xp_head_i, link_xp_tail_i, link_xp_reply_i,
    input  logic [mu_pkg::FLIT_BITS-1:0]  link_xp_data_i,
    output logic [1:0]                    link_xp_credit_o,
    output logic                          link_xp_valid_o, link_xp_head_o, link_xp_tail_o, link_xp_reply_o,
    output logic [mu_pkg::FLIT_BITS-1:0]  link_xp_data_o,
    input  logic [1:0]                    link_xp_credit_i,
    // link x-: from and to the neighbour there
    input  logic                          link_xm_valid_i, link_xm_head_i, link_xm_tail_i, link_xm_reply_i,
    input  logic [mu_pkg::FLIT_BITS-1:0]  link_xm_data_i,
    output logic [1:0]                    link_xm_credit_o,
    output logic                          link_xm_valid_o, link_xm_head_o, link_xm_tail_o, link_xm_reply_o,
    output logic [mu_pkg::FLIT_BITS-1:0]  link_xm_data_o,
    input  logic [1:0]                    link_xm_credit_i,
    // link y+: from and to the neighbour there
    input  logic                          link_yp_valid_i, link_yp_head_i, link_yp_tail_i, link_yp_reply_i,
    input  logic [mu_pkg::FLIT_BITS-1:0]  link_yp_data_i,
    output logic [1:0]                    link_yp_credit_o,
    output logic                          link_yp_valid_o, link_yp_head_o, link_yp_tail_o, link_yp_reply_o,
    output logic [mu_pkg::FLIT_BITS-1:0]  link_yp_data_o,
    input  logic [1:0]                    link_yp_credit_i,
    // link y-: from and to the neighbour there
    input  logic                          link_ym_valid_i, link_ym_head_i, link_ym_tail_i, link_ym_reply_i,
    input  logic [mu_pkg::FLIT_BITS-1:0]  link_ym_data_i,
    output logic [1:0]                    link_ym_credit_o,
    output logic                          link_ym_valid_o, link_ym_head_o, link_ym_tail_o, link_ym_reply_o,
    output logic [mu_pkg::FLIT_BITS-1:0]  link_ym_data_o,
    input  logic [1:0]                    link_ym_credit_i,
    // link z+: from and to the neighbour there
    input  logic                          link_zp_valid_i, link_zp_head_i, link_zp_tail_i, link_zp_reply_i,
    input  logic [mu_pkg::FLIT_BITS-1:0]  link_zp_data_i,
    output logic [1:0]                    link_zp_credit_o,
    output logic                          link_zp_valid_o, link_zp_head_o, link_zp_tail_o, link_zp_reply_o,
    output logic [mu_pkg::FLIT_BITS-1:0]  link_zp_data_o,
    input  logic [1:0]                    link_zp_credit_i,
    // link z-: from and to the neighbour there
    input  logic                          link_zm_valid_i, link_zm_head_i, link_zm_tail_i, link_zm_reply_i,
    input  logic [mu_pkg::FLIT_BITS-1:0]  link_zm_data_i,
    output logic [1:0]                    link_zm_credit_o,
    output logic                          link_zm_valid_o, link_zm_head_o, link_zm_tail_o, link_zm_reply_o,
    output logic [mu_pkg::FLIT_BITS-1:0]  link_zm_data_o,
    input  logic [1:0]                    link_zm_credit_i,
    // injection and reception
    input  logic                          inject_request_valid_i, inject_request_head_i, inject_request_tail_i,
    output logic                          inject_request_ready_o,
    input  logic [mu_pkg::FLIT_BITS-1:0]  inject_request_data_i,
    output logic                          eject_request_valid_o, eject_request_head_o, eject_request_tail_o,
    input  logic                          eject_request_ready_i,
    output logic [mu_pkg::FLIT_BITS-1:0]  eject_request_data_o,
    input  logic                          inject_reply_valid_i, inject_reply_head_i, inject_reply_tail_i,
    output logic                          inject_reply_ready_o,
    input  logic [mu_pkg::FLIT_BITS-1:0]  inject_reply_data_i,
    output logic                          eject_reply_valid_o, eject_reply_head_o, eject_reply_tail_o,
    input  logic                          eject_reply_ready_i,
    output logic [mu_pkg::FLIT_BITS-1:0]  eject_reply_data_o,
    // register bus: performance block
    input  logic                          register_valid_i,
    input  mu_pkg::register_request_t     register_request_i,
    output logic                          register_done_o,
    output mu_pkg::register_response_t    register_response_o
);
  // Flits of the local input's small buffers: enough to route a packet while its predecessor leaves.
  localparam int unsigned LOCAL_FLITS   = 8;
  localparam int unsigned LOCAL_PACKETS = 6;

  // --- requests: control
  logic [6:0] request_valid, request_tail, request_pop, request_take, request_send, request_first, request_last, request_stall;
  logic [6:0] request_port_0, request_port_1, request_port_2, request_port_3, request_port_4, request_port_5, request_port_6;
  logic [6:0] request_owner_0, request_owner_1, request_owner_2, request_owner_3, request_owner_4, request_owner_5, request_owner_6;
  logic       request_eject_open;
  // --- replys: control
  logic [6:0] reply_valid, reply_tail, reply_pop, reply_take, reply_send, reply_first, reply_last, reply_stall;
  logic [6:0] reply_port_0, reply_port_1, reply_port_2, reply_port_3, reply_port_4, reply_port_5, reply_port_6;
  logic [6:0] reply_owner_0, reply_owner_1, reply_owner_2, reply_owner_3, reply_owner_4, reply_owner_5, reply_owner_6;
  logic       reply_eject_open;

  mu_router_switch #(.CREDITS(mu_pkg::REPLY_PACKETS)) u_reply_switch (
      .clk_i, .rst_ni, .now_i, .strap_x_i, .strap_y_i, .strap_z_i,
      .port_0_i(reply_port_0), .port_1_i(reply_port_1), .port_2_i(reply_port_2), .port_3_i(reply_port_3),
      .port_4_i(reply_port_4), .port_5_i(reply_port_5), .port_6_i(reply_port_6),
      .take_o(reply_take), .valid_i(reply_valid), .tail_i(reply_tail), .pop_o(reply_pop),
      .open_i({reply_eject_open, 6'b111111}),
      .send_o(reply_send), .first_o(reply_first), .last_o(reply_last), .stall_o(reply_stall),
      .owner_0_o(reply_owner_0), .owner_1_o(reply_owner_1), .owner_2_o(reply_owner_2), .owner_3_o(reply_owner_3),
      .owner_4_o(reply_owner_4), .owner_5_o(reply_owner_5), .owner_6_o(reply_owner_6),
      .credit_i({link_zm_credit_i[1], link_zp_credit_i[1], link_ym_credit_i[1],
                 link_yp_credit_i[1], link_xm_credit_i[1], link_xp_credit_i[1]})
  );
  mu_router_switch #(.CREDITS(mu_pkg::REQUEST_PACKETS)) u_request_switch (
      .clk_i, .rst_ni, .now_i, .strap_x_i, .strap_y_i, .strap_z_i,
      .port_0_i(request_port_0), .port_1_i(request_port_1), .port_2_i(request_port_2), .port_3_i(request_port_3),
      .port_4_i(request_port_4), .port_5_i(request_port_5), .port_6_i(request_port_6),
      .take_o(request_take), .valid_i(request_valid), .tail_i(request_tail), .pop_o(request_pop),
      .open_i({request_eject_open, ~reply_send[5:0]}),
      .send_o(request_send), .first_o(request_first), .last_o(request_last), .stall_o(request_stall),
      .owner_0_o(request_owner_0), .owner_1_o(request_owner_1), .owner_2_o(request_owner_2), .owner_3_o(request_owner_3),
      .owner_4_o(request_owner_4), .owner_5_o(request_owner_5), .owner_6_o(request_owner_6),
      .credit_i({link_zm_credit_i[0], link_zp_credit_i[0], link_ym_credit_i[0],
                 link_yp_credit_i[0], link_xm_credit_i[0], link_xp_credit_i[0]})
  );

  // --- data
  logic [8:0] busy;
  logic unused_freed_request, unused_freed_reply;
  logic [mu_pkg::FLIT_BITS-1:0] request_data_0, request_data_1, request_data_2, request_data_3, request_data_4, request_data_5, request_data_6;
  logic [mu_pkg::FLIT_BITS-1:0] reply_data_0, reply_data_1, reply_data_2, reply_data_3, reply_data_4, reply_data_5, reply_data_6;
  mu_router_link #(.LEGAL(7'b1111110), .SOURCES(7'b1000010)) u_xp (
      .clk_i, .rst_ni, .strap_x_i, .strap_y_i, .strap_z_i, .strap_last_x_i, .strap_last_y_i, .strap_last_z_i,
      .strap_torus_i, .link_valid_i(link_xp_valid_i), .link_head_i(link_xp_head_i),
      .link_tail_i(link_xp_tail_i), .link_reply_i(link_xp_reply_i), .link_data_i(link_xp_data_i),
      .link_credit_o(link_xp_credit_o), .link_valid_o(link_xp_valid_o), .link_head_o(link_xp_head_o),
      .link_tail_o(link_xp_tail_o), .link_reply_o(link_xp_reply_o), .link_data_o(link_xp_data_o),
      .request_port_o(request_port_0), .request_take_i(request_take[0]), .request_valid_o(request_valid[0]),
      .request_tail_o(request_tail[0]), .request_data_o(request_data_0), .request_pop_i(request_pop[0]),
      .request_send_i(request_send[0]), .request_first_i(request_first[0]), .request_last_i(request_last[0]),
      .request_owner_i(request_owner_0), .request_0_i(request_data_0), .request_1_i(request_data_1),
      .request_2_i(request_data_2), .request_3_i(request_data_3), .request_4_i(request_data_4),
      .request_5_i(request_data_5), .request_6_i(request_data_6),
      .reply_port_o(reply_port_0), .reply_take_i(reply_take[0]), .reply_valid_o(reply_valid[0]),
      .reply_tail_o(reply_tail[0]), .reply_data_o(reply_data_0), .reply_pop_i(reply_pop[0]),
      .reply_send_i(reply_send[0]), .reply_first_i(reply_first[0]), .reply_last_i(reply_last[0]),
      .reply_owner_i(reply_owner_0), .reply_0_i(reply_data_0), .reply_1_i(reply_data_1),
      .reply_2_i(reply_data_2), .reply_3_i(reply_data_3), .reply_4_i(reply_data_4),
      .reply_5_i(reply_data_5), .reply_6_i(reply_data_6),
      .busy_o(busy[0])
  );
  mu_router_link #(.LEGAL(7'b1111101), .SOURCES(7'b1000001)) u_xm (
      .clk_i, .rst_ni, .strap_x_i, .strap_y_i, .strap_z_i, .strap_last_x_i, .strap_last_y_i, .strap_last_z_i,
      .strap_torus_i, .link_valid_i(link_xm_valid_i), .link_head_i(link_xm_head_i),
      .link_tail_i(link_xm_tail_i), .link_reply_i(link_xm_reply_i), .link_data_i(link_xm_data_i),
      .link_credit_o(link_xm_credit_o), .link_valid_o(link_xm_valid_o), .link_head_o(link_xm_head_o),
      .link_tail_o(link_xm_tail_o), .link_reply_o(link_xm_reply_o), .link_data_o(link_xm_data_o),
      .request_port_o(request_port_1), .request_take_i(request_take[1]), .request_valid_o(request_valid[1]),
      .request_tail_o(request_tail[1]), .request_data_o(request_data_1), .request_pop_i(request_pop[1]),
      .request_send_i(request_send[1]), .request_first_i(request_first[1]), .request_last_i(request_last[1]),
      .request_owner_i(request_owner_1), .request_0_i(request_data_0), .request_1_i(request_data_1),
      .request_2_i(request_data_2), .request_3_i(request_data_3), .request_4_i(request_data_4),
      .request_5_i(request_data_5), .request_6_i(request_data_6),
      .reply_port_o(reply_port_1), .reply_take_i(reply_take[1]), .reply_valid_o(reply_valid[1]),
      .reply_tail_o(reply_tail[1]), .reply_data_o(reply_data_1), .reply_pop_i(reply_pop[1]),
      .reply_send_i(reply_send[1]), .reply_first_i(reply_first[1]), .reply_last_i(reply_last[1]),
      .reply_owner_i(reply_owner_1), .reply_0_i(reply_data_0), .reply_1_i(reply_data_1),
      .reply_2_i(reply_data_2), .reply_3_i(reply_data_3), .reply_4_i(reply_data_4),
      .reply_5_i(reply_data_5), .reply_6_i(reply_data_6),
      .busy_o(busy[1])
  );
  mu_router_link #(.LEGAL(7'b1111000), .SOURCES(7'b1001011)) u_yp (
      .clk_i, .rst_ni, .strap_x_i, .strap_y_i, .strap_z_i, .strap_last_x_i, .strap_last_y_i, .strap_last_z_i,
      .strap_torus_i, .link_valid_i(link_yp_valid_i), .link_head_i(link_yp_head_i),
      .link_tail_i(link_yp_tail_i), .link_reply_i(link_yp_reply_i), .link_data_i(link_yp_data_i),
      .link_credit_o(link_yp_credit_o), .link_valid_o(link_yp_valid_o), .link_head_o(link_yp_head_o),
      .link_tail_o(link_yp_tail_o), .link_reply_o(link_yp_reply_o), .link_data_o(link_yp_data_o),
      .request_port_o(request_port_2), .request_take_i(request_take[2]), .request_valid_o(request_valid[2]),
      .request_tail_o(request_tail[2]), .request_data_o(request_data_2), .request_pop_i(request_pop[2]),
      .request_send_i(request_send[2]), .request_first_i(request_first[2]), .request_last_i(request_last[2]),
      .request_owner_i(request_owner_2), .request_0_i(request_data_0), .request_1_i(request_data_1),
      .request_2_i(request_data_2), .request_3_i(request_data_3), .request_4_i(request_data_4),
      .request_5_i(request_data_5), .request_6_i(request_data_6),
      .reply_port_o(reply_port_2), .reply_take_i(reply_take[2]), .reply_valid_o(reply_valid[2]),
      .reply_tail_o(reply_tail[2]), .reply_data_o(reply_data_2), .reply_pop_i(reply_pop[2]),
      .reply_send_i(reply_send[2]), .reply_first_i(reply_first[2]), .reply_last_i(reply_last[2]),
      .reply_owner_i(reply_owner_2), .reply_0_i(reply_data_0), .reply_1_i(reply_data_1),
      .reply_2_i(reply_data_2), .reply_3_i(reply_data_3), .reply_4_i(reply_data_4),
      .reply_5_i(reply_data_5), .reply_6_i(reply_data_6),
      .busy_o(busy[2])
  );
  mu_router_link #(.LEGAL(7'b1110100), .SOURCES(7'b1000111)) u_ym (
      .clk_i, .rst_ni, .strap_x_i, .strap_y_i, .strap_z_i, .strap_last_x_i, .strap_last_y_i, .strap_last_z_i,
      .strap_torus_i, .link_valid_i(link_ym_valid_i), .link_head_i(link_ym_head_i),
      .link_tail_i(link_ym_tail_i), .link_reply_i(link_ym_reply_i), .link_data_i(link_ym_data_i),
      .link_credit_o(link_ym_credit_o), .link_valid_o(link_ym_valid_o), .link_head_o(link_ym_head_o),
      .link_tail_o(link_ym_tail_o), .link_reply_o(link_ym_reply_o), .link_data_o(link_ym_data_o),
      .request_port_o(request_port_3), .request_take_i(request_take[3]), .request_valid_o(request_valid[3]),
      .request_tail_o(request_tail[3]), .request_data_o(request_data_3), .request_pop_i(request_pop[3]),
      .request_send_i(request_send[3]), .request_first_i(request_first[3]), .request_last_i(request_last[3]),
      .request_owner_i(request_owner_3), .request_0_i(request_data_0), .request_1_i(request_data_1),
      .request_2_i(request_data_2), .request_3_i(request_data_3), .request_4_i(request_data_4),
      .request_5_i(request_data_5), .request_6_i(request_data_6),
      .reply_port_o(reply_port_3), .reply_take_i(reply_take[3]), .reply_valid_o(reply_valid[3]),
      .reply_tail_o(reply_tail[3]), .reply_data_o(reply_data_3), .reply_pop_i(reply_pop[3]),
      .reply_send_i(reply_send[3]), .reply_first_i(reply_first[3]), .reply_last_i(reply_last[3]),
      .reply_owner_i(reply_owner_3), .reply_0_i(reply_data_0), .reply_1_i(reply_data_1),
      .reply_2_i(reply_data_2), .reply_3_i(reply_data_3), .reply_4_i(reply_data_4),
      .reply_5_i(reply_data_5), .reply_6_i(reply_data_6),
      .busy_o(busy[3])
  );
  mu_router_link #(.LEGAL(7'b1100000), .SOURCES(7'b1101111)) u_zp (
      .clk_i, .rst_ni, .strap_x_i, .strap_y_i, .strap_z_i, .strap_last_x_i, .strap_last_y_i, .strap_last_z_i,
      .strap_torus_i, .link_valid_i(link_zp_valid_i), .link_head_i(link_zp_head_i),
      .link_tail_i(link_zp_tail_i), .link_reply_i(link_zp_reply_i), .link_data_i(link_zp_data_i),
      .link_credit_o(link_zp_credit_o), .link_valid_o(link_zp_valid_o), .link_head_o(link_zp_head_o),
      .link_tail_o(link_zp_tail_o), .link_reply_o(link_zp_reply_o), .link_data_o(link_zp_data_o),
      .request_port_o(request_port_4), .request_take_i(request_take[4]), .request_valid_o(request_valid[4]),
      .request_tail_o(request_tail[4]), .request_data_o(request_data_4), .request_pop_i(request_pop[4]),
      .request_send_i(request_send[4]), .request_first_i(request_first[4]), .request_last_i(request_last[4]),
      .request_owner_i(request_owner_4), .request_0_i(request_data_0), .request_1_i(request_data_1),
      .request_2_i(request_data_2), .request_3_i(request_data_3), .request_4_i(request_data_4),
      .request_5_i(request_data_5), .request_6_i(request_data_6),
      .reply_port_o(reply_port_4), .reply_take_i(reply_take[4]), .reply_valid_o(reply_valid[4]),
      .reply_tail_o(reply_tail[4]), .reply_data_o(reply_data_4), .reply_pop_i(reply_pop[4]),
      .reply_send_i(reply_send[4]), .reply_first_i(reply_first[4]), .reply_last_i(reply_last[4]),
      .reply_owner_i(reply_owner_4), .reply_0_i(reply_data_0), .reply_1_i(reply_data_1),
      .reply_2_i(reply_data_2), .reply_3_i(reply_data_3), .reply_4_i(reply_data_4),
      .reply_5_i(reply_data_5), .reply_6_i(reply_data_6),
      .busy_o(busy[4])
  );
  mu_router_link #(.LEGAL(7'b1010000), .SOURCES(7'b1011111)) u_zm (
      .clk_i, .rst_ni, .strap_x_i, .strap_y_i, .strap_z_i, .strap_last_x_i, .strap_last_y_i, .strap_last_z_i,
      .strap_torus_i, .link_valid_i(link_zm_valid_i), .link_head_i(link_zm_head_i),
      .link_tail_i(link_zm_tail_i), .link_reply_i(link_zm_reply_i), .link_data_i(link_zm_data_i),
      .link_credit_o(link_zm_credit_o), .link_valid_o(link_zm_valid_o), .link_head_o(link_zm_head_o),
      .link_tail_o(link_zm_tail_o), .link_reply_o(link_zm_reply_o), .link_data_o(link_zm_data_o),
      .request_port_o(request_port_5), .request_take_i(request_take[5]), .request_valid_o(request_valid[5]),
      .request_tail_o(request_tail[5]), .request_data_o(request_data_5), .request_pop_i(request_pop[5]),
      .request_send_i(request_send[5]), .request_first_i(request_first[5]), .request_last_i(request_last[5]),
      .request_owner_i(request_owner_5), .request_0_i(request_data_0), .request_1_i(request_data_1),
      .request_2_i(request_data_2), .request_3_i(request_data_3), .request_4_i(request_data_4),
      .request_5_i(request_data_5), .request_6_i(request_data_6),
      .reply_port_o(reply_port_5), .reply_take_i(reply_take[5]), .reply_valid_o(reply_valid[5]),
      .reply_tail_o(reply_tail[5]), .reply_data_o(reply_data_5), .reply_pop_i(reply_pop[5]),
      .reply_send_i(reply_send[5]), .reply_first_i(reply_first[5]), .reply_last_i(reply_last[5]),
      .reply_owner_i(reply_owner_5), .reply_0_i(reply_data_0), .reply_1_i(reply_data_1),
      .reply_2_i(reply_data_2), .reply_3_i(reply_data_3), .reply_4_i(reply_data_4),
      .reply_5_i(reply_data_5), .reply_6_i(reply_data_6),
      .busy_o(busy[5])
  );

  mu_router_input #(.PACKETS(LOCAL_PACKETS), .DEPTH(LOCAL_FLITS), .LEGAL(7'b1111111)) u_inject_request (
      .clk_i, .rst_ni, .strap_x_i, .strap_y_i, .strap_z_i, .strap_last_x_i, .strap_last_y_i, .strap_last_z_i,
      .strap_torus_i, .valid_i(inject_request_valid_i && inject_request_ready_o), .head_i(inject_request_head_i),
      .tail_i(inject_request_tail_i), .data_i(inject_request_data_i), .room_o(inject_request_ready_o),
      .freed_o(unused_freed_request), .port_o(request_port_6), .take_i(request_take[6]), .valid_o(request_valid[6]),
      .tail_o(request_tail[6]), .data_o(request_data_6), .pop_i(request_pop[6]), .busy_o(busy[6])
  );
  mu_router_eject u_eject_request (
      .clk_i, .rst_ni, .open_o(request_eject_open), .send_i(request_send[6]), .first_i(request_first[6]),
      .last_i(request_last[6]), .owner_i(request_owner_6), .data_0_i(request_data_0), .data_1_i(request_data_1),
      .data_2_i(request_data_2), .data_3_i(request_data_3), .data_4_i(request_data_4), .data_5_i(request_data_5),
      .data_6_i(request_data_6), .eject_valid_o(eject_request_valid_o), .eject_ready_i(eject_request_ready_i),
      .eject_head_o(eject_request_head_o), .eject_tail_o(eject_request_tail_o), .eject_data_o(eject_request_data_o)
  );

  mu_router_input #(.PACKETS(LOCAL_PACKETS), .DEPTH(LOCAL_FLITS), .LEGAL(7'b1111111)) u_inject_reply (
      .clk_i, .rst_ni, .strap_x_i, .strap_y_i, .strap_z_i, .strap_last_x_i, .strap_last_y_i, .strap_last_z_i,
      .strap_torus_i, .valid_i(inject_reply_valid_i && inject_reply_ready_o), .head_i(inject_reply_head_i),
      .tail_i(inject_reply_tail_i), .data_i(inject_reply_data_i), .room_o(inject_reply_ready_o),
      .freed_o(unused_freed_reply), .port_o(reply_port_6), .take_i(reply_take[6]), .valid_o(reply_valid[6]),
      .tail_o(reply_tail[6]), .data_o(reply_data_6), .pop_i(reply_pop[6]), .busy_o(busy[7])
  );
  mu_router_eject u_eject_reply (
      .clk_i, .rst_ni, .open_o(reply_eject_open), .send_i(reply_send[6]), .first_i(reply_first[6]),
      .last_i(reply_last[6]), .owner_i(reply_owner_6), .data_0_i(reply_data_0), .data_1_i(reply_data_1),
      .data_2_i(reply_data_2), .data_3_i(reply_data_3), .data_4_i(reply_data_4), .data_5_i(reply_data_5),
      .data_6_i(reply_data_6), .eject_valid_o(eject_reply_valid_o), .eject_ready_i(eject_reply_ready_i),
      .eject_head_o(eject_reply_head_o), .eject_tail_o(eject_reply_tail_o), .eject_data_o(eject_reply_data_o)
  );

  mu_router_counters u_counters (
      .clk_i, .rst_ni, .request_send_i(request_send), .request_last_i(request_last), .request_stall_i(request_stall),
      .reply_send_i(reply_send), .reply_last_i(reply_last), .reply_stall_i(reply_stall),
      .register_valid_i, .register_request_i, .register_done_o, .register_response_o, .busy_o(busy[8])
  );

  assign busy_o = busy != '0 || eject_request_valid_o || eject_reply_valid_o;
endmodule
`default_nettype wire

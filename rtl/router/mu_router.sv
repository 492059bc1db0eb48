// SPDX-License-Identifier: Apache-2.0
// mu_router: six links and the local port, two classes, dimension order, virtual cut-through with bubbles.
//
//   link_<d> in --> [ mu_router_link: buffers ] ----+--> [ mu_router_link: output ] --> link_<d> out
//   inject -------> [ mu_router_local: buffer ] ----+--> [ mu_router_local: eject ] --> eject
//   control: [ mu_router_arrivals ] --> [ mu_router_class ], one a class; counts: [ mu_router_counters ]
//
// Behaviour: every flit that comes in leaves once. Packets of one source, destination and class stay in
//   order. A packet moves on only into a whole free place; a link_<d>_credit_o pulse (bit class) says that a
//   place of the input buffer of direction d became free. A reply flit goes before a request flit. What
//   leaves on xp arrives at xm of the neighbour. busy_o is low only if no cycle without input changes a bit.
// Latency: three cycles from link pins to link pins; a flit a cycle on every link at once.
// Limits: straps stand still from the last cycle of reset on. REQUEST_PACKETS of PACKET_FLITS and
//   REPLY_PACKETS of REPLY_FLITS at each input; a sender that overruns its credits is asserted. Links that
//   lead nowhere (edge of a mesh) are never used. clk_reply_i, of the class of replies, is clk_i, and may be
//   stopped while reply_busy_o is low and no reply or credit of one comes in.
`default_nettype none

module mu_router (
    input  logic                          clk_i, clk_reply_i,
    input  logic                          rst_ni,
    input  logic [mu_pkg::TIME_BITS-1:0]  now_i,
    output logic                          busy_o, reply_busy_o,
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
    input  logic                          inject_request_valid_i, inject_request_head_i,
                                          inject_request_tail_i,
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
  // Flits of the local input's buffers: enough to route a packet while its predecessor leaves.
  localparam int unsigned LOCAL_FLITS   = 8;
  localparam int unsigned REQUEST_DEPTH = mu_pkg::REQUEST_PACKETS * mu_pkg::PACKET_FLITS;
  localparam int unsigned REPLY_DEPTH   = mu_pkg::REPLY_PACKETS * mu_pkg::REPLY_FLITS;

  logic [6:0]  request_wrote, request_arrived, request_load, request_tail, request_send, request_first,
               request_last, request_stall, reply_wrote, reply_arrived, reply_load, reply_tail, reply_send,
               reply_first, reply_last, reply_stall;
  logic [5:0]  arrived;  // a header of either class
  logic [5:0]  request_credit, request_reserve, request_freed, reply_credit, reply_reserve, reply_freed;
  logic [48:0] request_owner, reply_owner;
  logic        request_entered, request_room, request_open, request_busy;
  logic [mu_pkg::FLIT_BITS-1:0] request_0, request_1, request_2, request_3, request_4, request_5, request_6;
  logic        reply_entered, reply_room, reply_open;
  logic [mu_pkg::FLIT_BITS-1:0] reply_0, reply_1, reply_2, reply_3, reply_4, reply_5, reply_6;
  logic [2:0] port_0, port_1, port_2, port_3, port_4, port_5, request_port, reply_port;
  logic       arrivals_busy, counters_busy, replies_arrive, replies_wait, replies_counted;

  mu_router_arrivals u_arrivals (
      .clk_i, .clk_reply_i, .rst_ni, .valid_0_i(link_xp_valid_i), .valid_1_i(link_xm_valid_i),
      .valid_2_i(link_yp_valid_i), .valid_3_i(link_ym_valid_i), .valid_4_i(link_zp_valid_i),
      .valid_5_i(link_zm_valid_i), .head_0_i(link_xp_head_i), .head_1_i(link_xm_head_i),
      .head_2_i(link_yp_head_i), .head_3_i(link_ym_head_i), .head_4_i(link_zp_head_i),
      .head_5_i(link_zm_head_i), .reply_0_i(link_xp_reply_i), .reply_1_i(link_xm_reply_i),
      .reply_2_i(link_yp_reply_i), .reply_3_i(link_ym_reply_i), .reply_4_i(link_zp_reply_i),
      .reply_5_i(link_zm_reply_i), .inject_request_i(request_entered), .inject_request_head_i,
      .inject_reply_i(reply_entered), .inject_reply_head_i, .credit_0_i(link_xp_credit_i),
      .credit_1_i(link_xm_credit_i), .credit_2_i(link_yp_credit_i), .credit_3_i(link_ym_credit_i),
      .credit_4_i(link_zp_credit_i), .credit_5_i(link_zm_credit_i), .request_wrote_o(request_wrote),
      .request_arrived_o(request_arrived), .request_credit_o(request_credit),
      .request_reserve_o(request_reserve), .reply_wrote_o(reply_wrote), .reply_arrived_o(reply_arrived),
      .reply_credit_o(reply_credit), .reply_reserve_o(reply_reserve), .busy_o(arrivals_busy),
      .arrived_o(arrived), .reply_busy_o(replies_arrive)
  );

  // --- control; replies first
  mu_router_class #(.PACKETS(mu_pkg::REPLY_PACKETS), .DEPTH(REPLY_DEPTH), .LOCAL_DEPTH(LOCAL_FLITS))
  u_reply_class (
      .clk_i(clk_reply_i), .rst_ni, .now_i, .home_i({strap_z_i == '0, strap_y_i == '0, strap_x_i == '0}),
      .wrote_i(reply_wrote), .arrived_i(reply_arrived), .port_0_i(port_0), .port_1_i(port_1),
      .port_2_i(port_2), .port_3_i(port_3), .port_4_i(port_4), .port_5_i(port_5), .port_6_i(reply_port),
      .load_o(reply_load), .tail_0_i(reply_tail[0]), .tail_1_i(reply_tail[1]), .tail_2_i(reply_tail[2]),
      .tail_3_i(reply_tail[3]), .tail_4_i(reply_tail[4]), .tail_5_i(reply_tail[5]), .tail_6_i(reply_tail[6]),
      .freed_o(reply_freed), .local_room_o(reply_room), .open_i({reply_open, 6'b111111}), .send_o(reply_send),
      .first_o(reply_first), .last_o(reply_last), .owner_o(reply_owner), .stall_o(reply_stall),
      .credit_i(reply_credit), .reserve_i(reply_reserve), .busy_o(replies_wait)
  );
  mu_router_class #(.PACKETS(mu_pkg::REQUEST_PACKETS), .DEPTH(REQUEST_DEPTH), .LOCAL_DEPTH(LOCAL_FLITS))
  u_request_class (
      .clk_i, .rst_ni, .now_i, .home_i({strap_z_i == '0, strap_y_i == '0, strap_x_i == '0}),
      .wrote_i(request_wrote), .arrived_i(request_arrived), .port_0_i(port_0), .port_1_i(port_1),
      .port_2_i(port_2), .port_3_i(port_3), .port_4_i(port_4), .port_5_i(port_5), .port_6_i(request_port),
      .load_o(request_load), .tail_0_i(request_tail[0]), .tail_1_i(request_tail[1]),
      .tail_2_i(request_tail[2]), .tail_3_i(request_tail[3]), .tail_4_i(request_tail[4]),
      .tail_5_i(request_tail[5]), .tail_6_i(request_tail[6]), .freed_o(request_freed),
      .local_room_o(request_room), .open_i({request_open, ~reply_send[5:0]}), .send_o(request_send),
      .first_o(request_first), .last_o(request_last), .owner_o(request_owner), .stall_o(request_stall),
      .credit_i(request_credit), .reserve_i(request_reserve), .busy_o(request_busy)
  );

  mu_router_counters u_counters (
      .clk_i, .clk_reply_i, .rst_ni, .request_send_i(request_send), .request_last_i(request_last),
      .request_stall_i(request_stall), .reply_send_i(reply_send), .reply_last_i(reply_last),
      .reply_stall_i(reply_stall), .register_valid_i, .register_request_i, .register_done_o,
      .register_response_o, .busy_o(counters_busy), .reply_busy_o(replies_counted)
  );

  // --- data
  mu_router_link #(.LEGAL(7'b1111110), .SOURCES(7'b1000010)) u_xp (
      .clk_i, .clk_reply_i, .rst_ni, .strap_x_i, .strap_y_i, .strap_z_i, .strap_last_x_i, .strap_last_y_i,
      .strap_last_z_i, .strap_torus_i, .link_valid_i(link_xp_valid_i), .link_head_i(link_xp_head_i),
      .link_tail_i(link_xp_tail_i), .link_reply_i(link_xp_reply_i), .link_data_i(link_xp_data_i),
      .link_valid_o(link_xp_valid_o), .link_head_o(link_xp_head_o), .link_tail_o(link_xp_tail_o),
      .link_reply_o(link_xp_reply_o), .link_data_o(link_xp_data_o),
      .arrived_i(arrived[0]), .port_o(port_0), .request_load_i(request_load[0]),
      .request_tail_o(request_tail[0]), .request_data_o(request_0), .request_send_i(request_send[0]),
      .request_first_i(request_first[0]), .request_last_i(request_last[0]),
      .request_owner_i(request_owner[6:0]), .request_0_i(request_0), .request_1_i(request_1),
      .request_2_i(request_2), .request_3_i(request_3), .request_4_i(request_4), .request_5_i(request_5),
      .request_6_i(request_6), .reply_load_i(reply_load[0]), .reply_tail_o(reply_tail[0]),
      .reply_data_o(reply_0), .reply_send_i(reply_send[0]), .reply_first_i(reply_first[0]),
      .reply_last_i(reply_last[0]), .reply_owner_i(reply_owner[6:0]), .reply_0_i(reply_0),
      .reply_1_i(reply_1), .reply_2_i(reply_2), .reply_3_i(reply_3), .reply_4_i(reply_4), .reply_5_i(reply_5),
      .reply_6_i(reply_6)
  );
  mu_router_link #(.LEGAL(7'b1111101), .SOURCES(7'b1000001)) u_xm (
      .clk_i, .clk_reply_i, .rst_ni, .strap_x_i, .strap_y_i, .strap_z_i, .strap_last_x_i, .strap_last_y_i,
      .strap_last_z_i, .strap_torus_i, .link_valid_i(link_xm_valid_i), .link_head_i(link_xm_head_i),
      .link_tail_i(link_xm_tail_i), .link_reply_i(link_xm_reply_i), .link_data_i(link_xm_data_i),
      .link_valid_o(link_xm_valid_o), .link_head_o(link_xm_head_o), .link_tail_o(link_xm_tail_o),
      .link_reply_o(link_xm_reply_o), .link_data_o(link_xm_data_o),
      .arrived_i(arrived[1]), .port_o(port_1), .request_load_i(request_load[1]),
      .request_tail_o(request_tail[1]), .request_data_o(request_1), .request_send_i(request_send[1]),
      .request_first_i(request_first[1]), .request_last_i(request_last[1]),
      .request_owner_i(request_owner[13:7]), .request_0_i(request_0), .request_1_i(request_1),
      .request_2_i(request_2), .request_3_i(request_3), .request_4_i(request_4), .request_5_i(request_5),
      .request_6_i(request_6), .reply_load_i(reply_load[1]), .reply_tail_o(reply_tail[1]),
      .reply_data_o(reply_1), .reply_send_i(reply_send[1]), .reply_first_i(reply_first[1]),
      .reply_last_i(reply_last[1]), .reply_owner_i(reply_owner[13:7]), .reply_0_i(reply_0),
      .reply_1_i(reply_1), .reply_2_i(reply_2), .reply_3_i(reply_3), .reply_4_i(reply_4), .reply_5_i(reply_5),
      .reply_6_i(reply_6)
  );
  mu_router_link #(.LEGAL(7'b1111000), .SOURCES(7'b1001011)) u_yp (
      .clk_i, .clk_reply_i, .rst_ni, .strap_x_i, .strap_y_i, .strap_z_i, .strap_last_x_i, .strap_last_y_i,
      .strap_last_z_i, .strap_torus_i, .link_valid_i(link_yp_valid_i), .link_head_i(link_yp_head_i),
      .link_tail_i(link_yp_tail_i), .link_reply_i(link_yp_reply_i), .link_data_i(link_yp_data_i),
      .link_valid_o(link_yp_valid_o), .link_head_o(link_yp_head_o), .link_tail_o(link_yp_tail_o),
      .link_reply_o(link_yp_reply_o), .link_data_o(link_yp_data_o),
      .arrived_i(arrived[2]), .port_o(port_2), .request_load_i(request_load[2]),
      .request_tail_o(request_tail[2]), .request_data_o(request_2), .request_send_i(request_send[2]),
      .request_first_i(request_first[2]), .request_last_i(request_last[2]),
      .request_owner_i(request_owner[20:14]), .request_0_i(request_0), .request_1_i(request_1),
      .request_2_i(request_2), .request_3_i(request_3), .request_4_i(request_4), .request_5_i(request_5),
      .request_6_i(request_6), .reply_load_i(reply_load[2]), .reply_tail_o(reply_tail[2]),
      .reply_data_o(reply_2), .reply_send_i(reply_send[2]), .reply_first_i(reply_first[2]),
      .reply_last_i(reply_last[2]), .reply_owner_i(reply_owner[20:14]), .reply_0_i(reply_0),
      .reply_1_i(reply_1), .reply_2_i(reply_2), .reply_3_i(reply_3), .reply_4_i(reply_4), .reply_5_i(reply_5),
      .reply_6_i(reply_6)
  );
  mu_router_link #(.LEGAL(7'b1110100), .SOURCES(7'b1000111)) u_ym (
      .clk_i, .clk_reply_i, .rst_ni, .strap_x_i, .strap_y_i, .strap_z_i, .strap_last_x_i, .strap_last_y_i,
      .strap_last_z_i, .strap_torus_i, .link_valid_i(link_ym_valid_i), .link_head_i(link_ym_head_i),
      .link_tail_i(link_ym_tail_i), .link_reply_i(link_ym_reply_i), .link_data_i(link_ym_data_i),
      .link_valid_o(link_ym_valid_o), .link_head_o(link_ym_head_o), .link_tail_o(link_ym_tail_o),
      .link_reply_o(link_ym_reply_o), .link_data_o(link_ym_data_o),
      .arrived_i(arrived[3]), .port_o(port_3), .request_load_i(request_load[3]),
      .request_tail_o(request_tail[3]), .request_data_o(request_3), .request_send_i(request_send[3]),
      .request_first_i(request_first[3]), .request_last_i(request_last[3]),
      .request_owner_i(request_owner[27:21]), .request_0_i(request_0), .request_1_i(request_1),
      .request_2_i(request_2), .request_3_i(request_3), .request_4_i(request_4), .request_5_i(request_5),
      .request_6_i(request_6), .reply_load_i(reply_load[3]), .reply_tail_o(reply_tail[3]),
      .reply_data_o(reply_3), .reply_send_i(reply_send[3]), .reply_first_i(reply_first[3]),
      .reply_last_i(reply_last[3]), .reply_owner_i(reply_owner[27:21]), .reply_0_i(reply_0),
      .reply_1_i(reply_1), .reply_2_i(reply_2), .reply_3_i(reply_3), .reply_4_i(reply_4), .reply_5_i(reply_5),
      .reply_6_i(reply_6)
  );
  mu_router_link #(.LEGAL(7'b1100000), .SOURCES(7'b1101111)) u_zp (
      .clk_i, .clk_reply_i, .rst_ni, .strap_x_i, .strap_y_i, .strap_z_i, .strap_last_x_i, .strap_last_y_i,
      .strap_last_z_i, .strap_torus_i, .link_valid_i(link_zp_valid_i), .link_head_i(link_zp_head_i),
      .link_tail_i(link_zp_tail_i), .link_reply_i(link_zp_reply_i), .link_data_i(link_zp_data_i),
      .link_valid_o(link_zp_valid_o), .link_head_o(link_zp_head_o), .link_tail_o(link_zp_tail_o),
      .link_reply_o(link_zp_reply_o), .link_data_o(link_zp_data_o),
      .arrived_i(arrived[4]), .port_o(port_4), .request_load_i(request_load[4]),
      .request_tail_o(request_tail[4]), .request_data_o(request_4), .request_send_i(request_send[4]),
      .request_first_i(request_first[4]), .request_last_i(request_last[4]),
      .request_owner_i(request_owner[34:28]), .request_0_i(request_0), .request_1_i(request_1),
      .request_2_i(request_2), .request_3_i(request_3), .request_4_i(request_4), .request_5_i(request_5),
      .request_6_i(request_6), .reply_load_i(reply_load[4]), .reply_tail_o(reply_tail[4]),
      .reply_data_o(reply_4), .reply_send_i(reply_send[4]), .reply_first_i(reply_first[4]),
      .reply_last_i(reply_last[4]), .reply_owner_i(reply_owner[34:28]), .reply_0_i(reply_0),
      .reply_1_i(reply_1), .reply_2_i(reply_2), .reply_3_i(reply_3), .reply_4_i(reply_4), .reply_5_i(reply_5),
      .reply_6_i(reply_6)
  );
  mu_router_link #(.LEGAL(7'b1010000), .SOURCES(7'b1011111)) u_zm (
      .clk_i, .clk_reply_i, .rst_ni, .strap_x_i, .strap_y_i, .strap_z_i, .strap_last_x_i, .strap_last_y_i,
      .strap_last_z_i, .strap_torus_i, .link_valid_i(link_zm_valid_i), .link_head_i(link_zm_head_i),
      .link_tail_i(link_zm_tail_i), .link_reply_i(link_zm_reply_i), .link_data_i(link_zm_data_i),
      .link_valid_o(link_zm_valid_o), .link_head_o(link_zm_head_o), .link_tail_o(link_zm_tail_o),
      .link_reply_o(link_zm_reply_o), .link_data_o(link_zm_data_o),
      .arrived_i(arrived[5]), .port_o(port_5), .request_load_i(request_load[5]),
      .request_tail_o(request_tail[5]), .request_data_o(request_5), .request_send_i(request_send[5]),
      .request_first_i(request_first[5]), .request_last_i(request_last[5]),
      .request_owner_i(request_owner[41:35]), .request_0_i(request_0), .request_1_i(request_1),
      .request_2_i(request_2), .request_3_i(request_3), .request_4_i(request_4), .request_5_i(request_5),
      .request_6_i(request_6), .reply_load_i(reply_load[5]), .reply_tail_o(reply_tail[5]),
      .reply_data_o(reply_5), .reply_send_i(reply_send[5]), .reply_first_i(reply_first[5]),
      .reply_last_i(reply_last[5]), .reply_owner_i(reply_owner[41:35]), .reply_0_i(reply_0),
      .reply_1_i(reply_1), .reply_2_i(reply_2), .reply_3_i(reply_3), .reply_4_i(reply_4), .reply_5_i(reply_5),
      .reply_6_i(reply_6)
  );
  mu_router_local #(.DEPTH(LOCAL_FLITS)) u_local_request (
      .clk_i, .rst_ni, .strap_x_i, .strap_y_i, .strap_z_i, .strap_last_x_i, .strap_last_y_i, .strap_last_z_i,
      .strap_torus_i, .inject_valid_i(inject_request_valid_i), .inject_head_i(inject_request_head_i),
      .inject_tail_i(inject_request_tail_i), .inject_ready_o(inject_request_ready_o),
      .inject_data_i(inject_request_data_i), .eject_valid_o(eject_request_valid_o),
      .eject_head_o(eject_request_head_o), .eject_tail_o(eject_request_tail_o),
      .eject_ready_i(eject_request_ready_i), .eject_data_o(eject_request_data_o), .room_i(request_room),
      .entered_o(request_entered), .arrived_i(request_arrived[6]), .port_o(request_port),
      .load_i(request_load[6]), .tail_o(request_tail[6]), .open_o(request_open), .send_i(request_send[6]),
      .first_i(request_first[6]), .last_i(request_last[6]), .owner_i(request_owner[48:42]),
      .data_o(request_6), .data_0_i(request_0), .data_1_i(request_1), .data_2_i(request_2),
      .data_3_i(request_3), .data_4_i(request_4), .data_5_i(request_5), .data_6_i(request_6)
  );
  mu_router_local #(.DEPTH(LOCAL_FLITS)) u_local_reply (
      .clk_i(clk_reply_i), .rst_ni, .strap_x_i, .strap_y_i, .strap_z_i, .strap_last_x_i, .strap_last_y_i,
      .strap_last_z_i, .strap_torus_i, .inject_valid_i(inject_reply_valid_i),
      .inject_head_i(inject_reply_head_i), .inject_tail_i(inject_reply_tail_i),
      .inject_ready_o(inject_reply_ready_o), .inject_data_i(inject_reply_data_i),
      .eject_valid_o(eject_reply_valid_o), .eject_head_o(eject_reply_head_o),
      .eject_tail_o(eject_reply_tail_o), .eject_ready_i(eject_reply_ready_i),
      .eject_data_o(eject_reply_data_o), .room_i(reply_room), .entered_o(reply_entered),
      .arrived_i(reply_arrived[6]), .port_o(reply_port), .load_i(reply_load[6]), .tail_o(reply_tail[6]),
      .open_o(reply_open), .send_i(reply_send[6]), .first_i(reply_first[6]), .last_i(reply_last[6]),
      .owner_i(reply_owner[48:42]), .data_o(reply_6), .data_0_i(reply_0), .data_1_i(reply_1),
      .data_2_i(reply_2), .data_3_i(reply_3), .data_4_i(reply_4), .data_5_i(reply_5), .data_6_i(reply_6)
  );

  assign link_xp_credit_o = {reply_freed[0], request_freed[0]};
  assign link_xm_credit_o = {reply_freed[1], request_freed[1]};
  assign link_yp_credit_o = {reply_freed[2], request_freed[2]};
  assign link_ym_credit_o = {reply_freed[3], request_freed[3]};
  assign link_zp_credit_o = {reply_freed[4], request_freed[4]};
  assign link_zm_credit_o = {reply_freed[5], request_freed[5]};
  assign reply_busy_o = replies_arrive || replies_wait || replies_counted || eject_reply_valid_o;
  always_comb begin  // in two steps, so that simulators look at little of a router at work
    busy_o = request_busy;
    if (!busy_o) busy_o = arrivals_busy || reply_busy_o || counters_busy || eject_request_valid_o ||
        link_xp_valid_o || link_xm_valid_o || link_yp_valid_o || link_ym_valid_o || link_zp_valid_o ||
        link_zm_valid_o;
  end
endmodule
`default_nettype wire

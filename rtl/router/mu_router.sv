// SPDX-License-Identifier: Apache-2.0
// mu_router: six links and the local port, two classes, dimension order, virtual cut-through with bubbles.
//
//   link d in ----> [ mu_router_link: buffers ] ----+--> [ mu_router_output ] --> link d out
//   inject -------> [ mu_router_local: buffer ] ----+--> [ mu_router_local: eject ] --> eject
//   control: [ mu_router_arrivals ] --> [ mu_router_class ], one a class; counts: [ mu_router_counters ]
//
// Behaviour: every flit that comes in leaves once. Packets of one source, destination and class stay in
//   order. A packet moves on only into a whole free place; a link_credit_<class>_o[d] pulse says that a
//   place of the input buffer of direction d became free. A reply flit goes before a request flit. What
//   leaves on xp arrives at xm of the neighbour. busy_o is low only if no cycle without input changes a bit.
// Latency: three cycles from link pins to link pins; a flit a cycle on every link at once.
// Limits: straps stand still from the last cycle of reset on. REQUEST_PACKETS of PACKET_FLITS and
//   REPLY_PACKETS of REPLY_FLITS at each input; a sender that overruns its credits is asserted. Links that
//   lead nowhere (edge of a mesh) are never used; of x+ x- y+ y- z+ z- only the first LINKS are there at all.
//   clk_reply_i, of the class of replies, is clk_i, and may be stopped while reply_busy_o is low and no reply
//   or credit of one comes in.
`default_nettype none

module mu_router (
    input  logic                           clk_i,
    input  logic                           clk_reply_i,
    input  logic                           rst_ni,
    input  mu_pkg::cycle_t                 now_i,
    output logic                           busy_o,
    output logic                           reply_busy_o,
    input  mu_pkg::node_straps_t           straps_i,
    // links, from and to the neighbours: bit or flit d belongs to direction d
    input  logic [5:0]                     link_valid_i,
    input  logic [5:0]                     link_head_i,
    input  logic [5:0]                     link_tail_i,
    input  logic [5:0]                     link_reply_i,
    input  logic [6*mu_pkg::FLIT_BITS-1:0] link_data_i,
    output logic [5:0]                     link_credit_request_o,
    output logic [5:0]                     link_credit_reply_o,
    output logic [5:0]                     link_valid_o,
    output logic [5:0]                     link_head_o,
    output logic [5:0]                     link_tail_o,
    output logic [5:0]                     link_reply_o,
    output logic [6*mu_pkg::FLIT_BITS-1:0] link_data_o,
    input  logic [5:0]                     link_credit_request_i,
    input  logic [5:0]                     link_credit_reply_i,
    // injection and reception
    input  mu_pkg::flit_stream_t           inject_request_i,
    output logic                           inject_request_ready_o,
    output mu_pkg::flit_stream_t           eject_request_o,
    input  logic                           eject_request_ready_i,
    input  mu_pkg::flit_stream_t           inject_reply_i,
    output logic                           inject_reply_ready_o,
    output mu_pkg::flit_stream_t           eject_reply_o,
    input  logic                           eject_reply_ready_i,
    // register bus: performance block
    input  logic                           register_valid_i,
    input  mu_pkg::register_request_t      register_request_i,
    output logic                           register_done_o,
    output mu_pkg::register_response_t     register_response_o
);
  localparam int unsigned FLIT_BITS = mu_pkg::FLIT_BITS;
  // Flits of the local input's buffers: enough to route a packet while its predecessor leaves.
  localparam int unsigned LOCAL_FLITS   = 8;
  localparam int unsigned REQUEST_DEPTH = mu_pkg::REQUEST_PACKETS * mu_pkg::PACKET_FLITS;
  localparam int unsigned REPLY_DEPTH   = mu_pkg::REPLY_PACKETS * mu_pkg::REPLY_FLITS;
  // Dimension order: the outputs that a packet from each link input may take (bit 6: local), and the inputs
  // that each link output may be fed from (bit 6: injection); z- first.
  localparam logic [41:0] LEGAL   = {7'b1010000, 7'b1100000, 7'b1110100, 7'b1111000, 7'b1111101, 7'b1111110};
  localparam logic [41:0] SOURCES = {7'b1011111, 7'b1101111, 7'b1000111, 7'b1001011, 7'b1000001, 7'b1000010};
  // Row o: inputs that output o may be fed from, of those that there are; 0 leaves out logic.
  localparam logic [6:0]  PORTS = {1'b1, 6'((1 << mu_pkg::LINKS) - 1)};
  localparam logic [48:0] TURNS = {7'b1111111, SOURCES} & {7{PORTS}} &
      {{7{PORTS[6]}}, {7{PORTS[5]}}, {7{PORTS[4]}}, {7{PORTS[3]}}, {7{PORTS[2]}}, {7{PORTS[1]}},
       {7{PORTS[0]}}};

  // One bit an input or output, local last.
  logic [6:0]  request_wrote, request_arrived, request_load, request_tail, request_send, request_first;
  logic [6:0]  request_last, request_stall;
  logic [6:0]  reply_wrote, reply_arrived, reply_load, reply_tail, reply_send, reply_first, reply_last;
  logic [6:0]  reply_stall;
  logic [5:0]  arrived;  // a header of either class
  logic [5:0]  request_credit, request_reserve, reply_credit, reply_reserve;
  logic [48:0] request_owner, reply_owner;
  logic [41:0] ports;  // that the header wants which has arrived at a link, 7 bits each
  logic [6:0]  request_port, reply_port;
  logic        request_entered, request_room, request_open, request_busy;
  logic        reply_entered, reply_room, reply_open;
  logic        arrivals_busy, counters_busy, replies_arrive, replies_wait;

  mu_router_arrivals u_arrivals (
      .clk_i,
      .clk_reply_i,
      .rst_ni,
      .valid_i              (link_valid_i),
      .head_i               (link_head_i),
      .reply_i              (link_reply_i),
      .inject_request_i     (request_entered),
      .inject_request_head_i(inject_request_i.head),
      .inject_reply_i       (reply_entered),
      .inject_reply_head_i  (inject_reply_i.head),
      .credit_request_i     (link_credit_request_i),
      .credit_reply_i       (link_credit_reply_i),
      .request_wrote_o      (request_wrote),
      .request_arrived_o    (request_arrived),
      .request_credit_o     (request_credit),
      .request_reserve_o    (request_reserve),
      .reply_wrote_o        (reply_wrote),
      .reply_arrived_o      (reply_arrived),
      .reply_credit_o       (reply_credit),
      .reply_reserve_o      (reply_reserve),
      .arrived_o            (arrived),
      .busy_o               (arrivals_busy),
      .reply_busy_o         (replies_arrive)
  );

  // --- control; replies first
  logic [2:0] home;  // own coordinate in x, y, z is zero
  assign home = {straps_i.z == '0, straps_i.y == '0, straps_i.x == '0};

  mu_router_class #(
      .PACKETS    (mu_pkg::REPLY_PACKETS),
      .DEPTH      (REPLY_DEPTH),
      .LOCAL_DEPTH(LOCAL_FLITS),
      .PORTS      (PORTS),
      .TURNS      (TURNS)
  ) u_reply_class (
      .clk_i       (clk_reply_i),
      .rst_ni,
      .now_i,
      .home_i      (home),
      .wrote_i     (reply_wrote),
      .arrived_i   (reply_arrived),
      .ports_i     ({reply_port, ports}),
      .load_o      (reply_load),
      .tail_i      (reply_tail),
      .freed_o     (link_credit_reply_o),
      .local_room_o(reply_room),
      .open_i      ({reply_open, 6'b111111}),
      .send_o      (reply_send),
      .first_o     (reply_first),
      .last_o      (reply_last),
      .owner_o     (reply_owner),
      .stall_o     (reply_stall),
      .credit_i    (reply_credit),
      .reserve_i   (reply_reserve),
      .busy_o      (replies_wait)
  );
  mu_router_class #(
      .PACKETS    (mu_pkg::REQUEST_PACKETS),
      .DEPTH      (REQUEST_DEPTH),
      .LOCAL_DEPTH(LOCAL_FLITS),
      .PORTS      (PORTS),
      .TURNS      (TURNS)
  ) u_request_class (
      .clk_i,
      .rst_ni,
      .now_i,
      .home_i      (home),
      .wrote_i     (request_wrote),
      .arrived_i   (request_arrived),
      .ports_i     ({request_port, ports}),
      .load_o      (request_load),
      .tail_i      (request_tail),
      .freed_o     (link_credit_request_o),
      .local_room_o(request_room),
      .open_i      ({request_open, ~reply_send[5:0]}),
      .send_o      (request_send),
      .first_o     (request_first),
      .last_o      (request_last),
      .owner_o     (request_owner),
      .stall_o     (request_stall),
      .credit_i    (request_credit),
      .reserve_i   (request_reserve),
      .busy_o      (request_busy)
  );

  mu_router_counters u_counters (
      .clk_i,
      .rst_ni,
      .request_send_i (request_send),
      .request_last_i (request_last),
      .request_stall_i(request_stall),
      .reply_send_i   (reply_send),
      .reply_last_i   (reply_last),
      .reply_stall_i  (reply_stall),
      .register_valid_i,
      .register_request_i,
      .register_done_o,
      .register_response_o,
      .busy_o         (counters_busy)
  );

  // --- data
  logic [FLIT_BITS-1:0] local_request_data, local_reply_data;
  for (genvar d = 0; d < 6; d++) begin : gen_link
    logic [FLIT_BITS-1:0] request_data, reply_data;
    mu_router_link #(
        .LEGAL(LEGAL[7*d+:7])
    ) u_link (
        .clk_i,
        .clk_reply_i,
        .rst_ni,
        .straps_i,
        .link_valid_i  (link_valid_i[d]),
        .link_head_i   (link_head_i[d]),
        .link_tail_i   (link_tail_i[d]),
        .link_reply_i  (link_reply_i[d]),
        .link_data_i   (link_data_i[FLIT_BITS*d+:FLIT_BITS]),
        .arrived_i     (arrived[d]),
        .port_o        (ports[7*d+:7]),
        .request_load_i(request_load[d]),
        .request_tail_o(request_tail[d]),
        .request_data_o(request_data),
        .reply_load_i  (reply_load[d]),
        .reply_tail_o  (reply_tail[d]),
        .reply_data_o  (reply_data)
    );
  end
  // Flits come by wires of their own: one vector of all inputs would be copied by simulators in each cycle.
  for (genvar d = 0; d < 6; d++) begin : gen_output
    mu_router_output #(
        .SOURCES(SOURCES[7*d+:7])
    ) u_output (
        .clk_i,
        .rst_ni,
        .request_send_i (request_send[d]),
        .request_first_i(request_first[d]),
        .request_last_i (request_last[d]),
        .request_owner_i(request_owner[7*d+:7]),
        .request_xp_i  (gen_link[0].request_data),
        .request_xm_i  (gen_link[1].request_data),
        .request_yp_i  (gen_link[2].request_data),
        .request_ym_i  (gen_link[3].request_data),
        .request_zp_i  (gen_link[4].request_data),
        .request_zm_i  (gen_link[5].request_data),
        .request_local_i  (local_request_data),
        .reply_send_i   (reply_send[d]),
        .reply_first_i  (reply_first[d]),
        .reply_last_i   (reply_last[d]),
        .reply_owner_i  (reply_owner[7*d+:7]),
        .reply_xp_i    (gen_link[0].reply_data),
        .reply_xm_i    (gen_link[1].reply_data),
        .reply_yp_i    (gen_link[2].reply_data),
        .reply_ym_i    (gen_link[3].reply_data),
        .reply_zp_i    (gen_link[4].reply_data),
        .reply_zm_i    (gen_link[5].reply_data),
        .reply_local_i    (local_reply_data),
        .link_valid_o   (link_valid_o[d]),
        .link_head_o    (link_head_o[d]),
        .link_tail_o    (link_tail_o[d]),
        .link_reply_o   (link_reply_o[d]),
        .link_data_o    (link_data_o[FLIT_BITS*d+:FLIT_BITS])
    );
  end

  mu_router_local #(
      .DEPTH(LOCAL_FLITS)
  ) u_local_request (
      .clk_i,
      .rst_ni,
      .straps_i,
      .inject_i      (inject_request_i),
      .inject_ready_o(inject_request_ready_o),
      .eject_o       (eject_request_o),
      .eject_ready_i (eject_request_ready_i),
      .room_i        (request_room),
      .entered_o     (request_entered),
      .arrived_i     (request_arrived[6]),
      .port_o        (request_port),
      .load_i        (request_load[6]),
      .tail_o        (request_tail[6]),
      .open_o        (request_open),
      .send_i        (request_send[6]),
      .first_i       (request_first[6]),
      .last_i        (request_last[6]),
      .owner_i       (request_owner[48:42]),
      .data_o        (local_request_data),
      .data_xp_i     (gen_link[0].request_data),
      .data_xm_i     (gen_link[1].request_data),
      .data_yp_i     (gen_link[2].request_data),
      .data_ym_i     (gen_link[3].request_data),
      .data_zp_i     (gen_link[4].request_data),
      .data_zm_i     (gen_link[5].request_data)
  );
  mu_router_local #(
      .DEPTH(LOCAL_FLITS)
  ) u_local_reply (
      .clk_i         (clk_reply_i),
      .rst_ni,
      .straps_i,
      .inject_i      (inject_reply_i),
      .inject_ready_o(inject_reply_ready_o),
      .eject_o       (eject_reply_o),
      .eject_ready_i (eject_reply_ready_i),
      .room_i        (reply_room),
      .entered_o     (reply_entered),
      .arrived_i     (reply_arrived[6]),
      .port_o        (reply_port),
      .load_i        (reply_load[6]),
      .tail_o        (reply_tail[6]),
      .open_o        (reply_open),
      .send_i        (reply_send[6]),
      .first_i       (reply_first[6]),
      .last_i        (reply_last[6]),
      .owner_i       (reply_owner[48:42]),
      .data_o        (local_reply_data),
      .data_xp_i     (gen_link[0].reply_data),
      .data_xm_i     (gen_link[1].reply_data),
      .data_yp_i     (gen_link[2].reply_data),
      .data_ym_i     (gen_link[3].reply_data),
      .data_zp_i     (gen_link[4].reply_data),
      .data_zm_i     (gen_link[5].reply_data)
  );

  assign reply_busy_o = replies_arrive || replies_wait || eject_reply_o.valid;
  always_comb begin  // in two steps, so that simulators look at little of a router at work
    busy_o = request_busy;
    if (!busy_o)
      busy_o = arrivals_busy || reply_busy_o || counters_busy || eject_request_o.valid || link_valid_o != '0;
  end
endmodule
`default_nettype wire

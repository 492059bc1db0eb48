// SPDX-License-Identifier: Apache-2.0
// mu_gated_node: a node whose blocks have a clock pin each, so that a block without work need not be clocked.
//
//            s_axil_* ---> +----------------+ <---> m_axi_*
//                          | messaging unit | ---> irq_o
//                          +---+--------^---+
//                       inject |        | eject
//                          +---v--------+---+
//            link_*_i ---> |     router     | ---> link_*_o
//                          +----------------+
//
// Behaviour: all clock pins are the same clock. A pin may stay low in a cycle in which the block's active_*_o
//            is low and no input of this module that the block takes is valid (router: link valid or credit;
//            control: AXI4-Lite valid or a signal_* bit; memory: R or B valid; queue: R valid with the id
//            of fetches, 0; injection: R valid and last with the id of payload, 1; reply: link valid with a
//            reply or credit of one; control, injection: now_i has reached wake_at_o): the node then behaves
//            as if it had been clocked. In reset all are clocked. Gated clocks of an ASIC and the simulator
//            use this; mu_node ties them. What seldom has work shares the pin control: registers, tables,
//            cross-channel control, replies. A simulator pays for each combination of pins that logic hangs
//            on. quiescent_o is high exactly when, with no flit, credit, signal, register access or AXI
//            response coming in and now_i < wake_at_o, a clock edge changes nothing inside.
// Latency:   a flit from link to link takes as long as the router says; one cycle for the interrupt line.
// Limits:    straps are taken while rst_ni is low and ignored afterwards. Coordinates above strap_last_* are
//            a wiring error; packets for nodes outside the machine are refused at their source.
`default_nettype none

module mu_gated_node (
  input  logic         clk_router_i, clk_control_i, clk_memory_i, clk_queue_i, clk_injection_i,
  input  logic         clk_packet_i, clk_reply_i, clk_reception_i, clk_decision_i, clk_calc_i,
  output logic         active_router_o, active_control_o, active_memory_o, active_queue_o,
  output logic         active_injection_o, active_packet_o, active_reply_o, active_reception_o,
  output logic         active_decision_o, active_calc_o,
  input  logic         rst_ni,
  input  logic [47:0]  now_i,
  output logic [mu_pkg::CLIENTS-1:0] irq_o,
  output logic         quiescent_o,
  output logic [47:0]  wake_at_o,
  // Where the node sits: own coordinates, largest coordinates, which dimensions wrap around.
  input  logic [3:0]   strap_x_i, strap_y_i, strap_z_i,
  input  logic [3:0]   strap_last_x_i, strap_last_y_i, strap_last_z_i,
  input  logic [2:0]   strap_torus_i,
  // Links: what leaves on xp arrives at the xm inputs of the neighbour in +x. Credits: bit 0 request, 1 reply
  input  logic         link_xp_valid_i, link_xp_head_i, link_xp_tail_i, link_xp_reply_i,
  input  logic [127:0] link_xp_data_i,
  output logic [1:0]   link_xp_credit_o,
  output logic         link_xp_valid_o, link_xp_head_o, link_xp_tail_o, link_xp_reply_o,
  output logic [127:0] link_xp_data_o,
  input  logic [1:0]   link_xp_credit_i,
  input  logic         link_xm_valid_i, link_xm_head_i, link_xm_tail_i, link_xm_reply_i,
  input  logic [127:0] link_xm_data_i,
  output logic [1:0]   link_xm_credit_o,
  output logic         link_xm_valid_o, link_xm_head_o, link_xm_tail_o, link_xm_reply_o,
  output logic [127:0] link_xm_data_o,
  input  logic [1:0]   link_xm_credit_i,
  input  logic         link_yp_valid_i, link_yp_head_i, link_yp_tail_i, link_yp_reply_i,
  input  logic [127:0] link_yp_data_i,
  output logic [1:0]   link_yp_credit_o,
  output logic         link_yp_valid_o, link_yp_head_o, link_yp_tail_o, link_yp_reply_o,
  output logic [127:0] link_yp_data_o,
  input  logic [1:0]   link_yp_credit_i,
  input  logic         link_ym_valid_i, link_ym_head_i, link_ym_tail_i, link_ym_reply_i,
  input  logic [127:0] link_ym_data_i,
  output logic [1:0]   link_ym_credit_o,
  output logic         link_ym_valid_o, link_ym_head_o, link_ym_tail_o, link_ym_reply_o,
  output logic [127:0] link_ym_data_o,
  input  logic [1:0]   link_ym_credit_i,
  input  logic         link_zp_valid_i, link_zp_head_i, link_zp_tail_i, link_zp_reply_i,
  input  logic [127:0] link_zp_data_i,
  output logic [1:0]   link_zp_credit_o,
  output logic         link_zp_valid_o, link_zp_head_o, link_zp_tail_o, link_zp_reply_o,
  output logic [127:0] link_zp_data_o,
  input  logic [1:0]   link_zp_credit_i,
  input  logic         link_zm_valid_i, link_zm_head_i, link_zm_tail_i, link_zm_reply_i,
  input  logic [127:0] link_zm_data_i,
  output logic [1:0]   link_zm_credit_o,
  output logic         link_zm_valid_o, link_zm_head_o, link_zm_tail_o, link_zm_reply_o,
  output logic [127:0] link_zm_data_o,
  input  logic [1:0]   link_zm_credit_i,
  // Tree, the cables of parent, left and right child: a bit that is high in a cycle is a signal of its class.
  input  logic [15:0]  signal_parent_i, signal_left_i, signal_right_i,
  output logic [15:0]  signal_parent_o, signal_left_o, signal_right_o,
  // Registers and doorbells; the protection bits are not looked at.
  input  logic s_axil_awvalid,
  output logic s_axil_awready,
  input  logic [19:0] s_axil_awaddr,
  input  logic [2:0] s_axil_awprot,
  input  logic s_axil_wvalid,
  output logic s_axil_wready,
  input  logic [63:0] s_axil_wdata,
  input  logic [7:0] s_axil_wstrb,
  output logic s_axil_bvalid,
  input  logic s_axil_bready,
  output logic [1:0] s_axil_bresp,
  input  logic s_axil_arvalid,
  output logic s_axil_arready,
  input  logic [19:0] s_axil_araddr,
  input  logic [2:0] s_axil_arprot,
  output logic s_axil_rvalid,
  input  logic s_axil_rready,
  output logic [63:0] s_axil_rdata,
  output logic [1:0] s_axil_rresp,
  // Node memory.
  output logic m_axi_arvalid,
  input  logic m_axi_arready,
  output logic [1:0] m_axi_arid, m_axi_arburst,
  output logic [39:0] m_axi_araddr,
  output logic [7:0] m_axi_arlen,
  output logic [2:0] m_axi_arsize,
  input  logic m_axi_rvalid, m_axi_rlast,
  output logic m_axi_rready,
  input  logic [1:0] m_axi_rid, m_axi_rresp,
  input  logic [255:0] m_axi_rdata,
  output logic m_axi_awvalid,
  input  logic m_axi_awready,
  output logic [1:0] m_axi_awid, m_axi_awburst,
  output logic [39:0] m_axi_awaddr,
  output logic [7:0] m_axi_awlen,
  output logic [2:0] m_axi_awsize,
  output logic m_axi_wvalid, m_axi_wlast,
  input  logic m_axi_wready,
  output logic [255:0] m_axi_wdata,
  output logic [31:0] m_axi_wstrb,
  input  logic m_axi_bvalid,
  output logic m_axi_bready,
  input  logic [1:0] m_axi_bid, m_axi_bresp
);

  // Straps are sampled while reset is held, so that they are registers to everything inside.
  mu_pkg::node_straps_t straps_q;
  always_ff @(posedge clk_router_i) begin
    if (!rst_ni) begin
      straps_q.x      <= strap_x_i;
      straps_q.y      <= strap_y_i;
      straps_q.z      <= strap_z_i;
      straps_q.last_x <= strap_last_x_i;
      straps_q.last_y <= strap_last_y_i;
      straps_q.last_z <= strap_last_z_i;
      straps_q.torus  <= strap_torus_i;
    end
  end

  logic messaging_unit_busy, register_valid, register_done, router_busy, router_reply_busy;
  logic inject_request_ready, inject_reply_ready, eject_request_ready, eject_reply_ready;
  mu_pkg::flit_stream_t inject_request, inject_reply, eject_request, eject_reply;
  mu_pkg::register_request_t register_request;
  mu_pkg::register_response_t register_response;

  assign quiescent_o = !messaging_unit_busy && !router_busy;
  assign active_reply_o = router_reply_busy || inject_reply.valid;
  assign active_router_o = router_busy || inject_request.valid || inject_reply.valid || register_valid;

  // The pins of both AXI interfaces as one struct each way.
  mu_pkg::axil_request_t axil_request;
  mu_pkg::axil_response_t axil_response;
  mu_pkg::axi_request_t axi_request;
  mu_pkg::axi_response_t axi_response;
  assign axil_request.awvalid = s_axil_awvalid;
  assign axil_request.awaddr = s_axil_awaddr;
  assign axil_request.wvalid = s_axil_wvalid;
  assign axil_request.wdata = s_axil_wdata;
  assign axil_request.wstrb = s_axil_wstrb;
  assign axil_request.bready = s_axil_bready;
  assign axil_request.arvalid = s_axil_arvalid;
  assign axil_request.araddr = s_axil_araddr;
  assign axil_request.rready = s_axil_rready;
  assign s_axil_awready = axil_response.awready;
  assign s_axil_wready = axil_response.wready;
  assign s_axil_bvalid = axil_response.bvalid;
  assign s_axil_bresp = axil_response.bresp;
  assign s_axil_arready = axil_response.arready;
  assign s_axil_rvalid = axil_response.rvalid;
  assign s_axil_rdata = axil_response.rdata;
  assign s_axil_rresp = axil_response.rresp;
  assign m_axi_arid = axi_request.arid;
  assign m_axi_arburst = axi_request.arburst;
  assign m_axi_araddr = axi_request.araddr;
  assign m_axi_arlen = axi_request.arlen;
  assign m_axi_arsize = axi_request.arsize;
  assign m_axi_arvalid = axi_request.arvalid;
  assign m_axi_rready = axi_request.rready;
  assign m_axi_awid = axi_request.awid;
  assign m_axi_awburst = axi_request.awburst;
  assign m_axi_awaddr = axi_request.awaddr;
  assign m_axi_awlen = axi_request.awlen;
  assign m_axi_awsize = axi_request.awsize;
  assign m_axi_awvalid = axi_request.awvalid;
  assign m_axi_wdata = axi_request.wdata;
  assign m_axi_wstrb = axi_request.wstrb;
  assign m_axi_wlast = axi_request.wlast;
  assign m_axi_wvalid = axi_request.wvalid;
  assign m_axi_bready = axi_request.bready;
  assign axi_response.arready = m_axi_arready;
  assign axi_response.rid = m_axi_rid;
  assign axi_response.rresp = m_axi_rresp;
  assign axi_response.rdata = m_axi_rdata;
  assign axi_response.rlast = m_axi_rlast;
  assign axi_response.rvalid = m_axi_rvalid;
  assign axi_response.awready = m_axi_awready;
  assign axi_response.wready = m_axi_wready;
  assign axi_response.bid = m_axi_bid;
  assign axi_response.bresp = m_axi_bresp;
  assign axi_response.bvalid = m_axi_bvalid;

  mu_pkg::tree_signals_t signals_in, signals_out;
  assign signals_in.parent = signal_parent_i;
  assign signals_in.left   = signal_left_i;
  assign signals_in.right  = signal_right_i;
  assign signal_parent_o   = signals_out.parent;
  assign signal_left_o     = signals_out.left;
  assign signal_right_o    = signals_out.right;

  // Descriptors to packets, packets to memory.
  mu_messaging_unit u_messaging_unit (
    .clk_control_i, .clk_memory_i, .clk_queue_i, .clk_injection_i, .clk_reception_i, .clk_decision_i,
    .clk_calc_i, .active_calc_o, .clk_packet_i, .active_packet_o, .rst_ni,
    .active_control_o, .active_memory_o, .active_queue_o, .active_injection_o, .active_reception_o,
    .active_decision_o, .busy_o(messaging_unit_busy),
    .straps_i(straps_q), .irq_o, .now_i, .wake_at_o,
    .inject_request_o(inject_request), .inject_request_ready_i(inject_request_ready),
    .inject_reply_o(inject_reply), .inject_reply_ready_i(inject_reply_ready),
    .eject_request_i(eject_request), .eject_request_ready_o(eject_request_ready),
    .eject_reply_i(eject_reply), .eject_reply_ready_o(eject_reply_ready),
    .router_register_valid_o(register_valid), .router_register_request_o(register_request),
    .router_register_done_i(register_done), .router_register_response_i(register_response),
    .axil_request_i(axil_request), .axil_response_o(axil_response),
    .signals_i(signals_in), .signals_o(signals_out), .axi_request_o(axi_request),
    .axi_response_i(axi_response)
  );

  // Packets between the six links and the messaging unit.
  mu_router u_router (
    .clk_i(clk_router_i), .clk_reply_i, .rst_ni, .now_i, .busy_o(router_busy),
    .reply_busy_o(router_reply_busy), .straps_i(straps_q),
    .link_valid_i({link_zm_valid_i, link_zp_valid_i, link_ym_valid_i,
       link_yp_valid_i, link_xm_valid_i, link_xp_valid_i}),
    .link_head_i({link_zm_head_i, link_zp_head_i, link_ym_head_i,
       link_yp_head_i, link_xm_head_i, link_xp_head_i}),
    .link_tail_i({link_zm_tail_i, link_zp_tail_i, link_ym_tail_i,
       link_yp_tail_i, link_xm_tail_i, link_xp_tail_i}),
    .link_reply_i({link_zm_reply_i, link_zp_reply_i, link_ym_reply_i,
       link_yp_reply_i, link_xm_reply_i, link_xp_reply_i}),
    .link_data_i({link_zm_data_i, link_zp_data_i, link_ym_data_i,
       link_yp_data_i, link_xm_data_i, link_xp_data_i}),
    .link_credit_request_o({link_zm_credit_o[0], link_zp_credit_o[0], link_ym_credit_o[0],
       link_yp_credit_o[0], link_xm_credit_o[0], link_xp_credit_o[0]}),
    .link_credit_reply_o({link_zm_credit_o[1], link_zp_credit_o[1], link_ym_credit_o[1],
       link_yp_credit_o[1], link_xm_credit_o[1], link_xp_credit_o[1]}),
    .link_valid_o({link_zm_valid_o, link_zp_valid_o, link_ym_valid_o,
       link_yp_valid_o, link_xm_valid_o, link_xp_valid_o}),
    .link_head_o({link_zm_head_o, link_zp_head_o, link_ym_head_o,
       link_yp_head_o, link_xm_head_o, link_xp_head_o}),
    .link_tail_o({link_zm_tail_o, link_zp_tail_o, link_ym_tail_o,
       link_yp_tail_o, link_xm_tail_o, link_xp_tail_o}),
    .link_reply_o({link_zm_reply_o, link_zp_reply_o, link_ym_reply_o,
       link_yp_reply_o, link_xm_reply_o, link_xp_reply_o}),
    .link_data_o({link_zm_data_o, link_zp_data_o, link_ym_data_o,
       link_yp_data_o, link_xm_data_o, link_xp_data_o}),
    .link_credit_request_i({link_zm_credit_i[0], link_zp_credit_i[0], link_ym_credit_i[0],
       link_yp_credit_i[0], link_xm_credit_i[0], link_xp_credit_i[0]}),
    .link_credit_reply_i({link_zm_credit_i[1], link_zp_credit_i[1], link_ym_credit_i[1],
       link_yp_credit_i[1], link_xm_credit_i[1], link_xp_credit_i[1]}),
    .inject_request_i(inject_request), .inject_request_ready_o(inject_request_ready),
    .eject_request_o(eject_request), .eject_request_ready_i(eject_request_ready),
    .inject_reply_i(inject_reply), .inject_reply_ready_o(inject_reply_ready),
    .eject_reply_o(eject_reply), .eject_reply_ready_i(eject_reply_ready),
    .register_valid_i(register_valid), .register_request_i(register_request),
    .register_done_o(register_done), .register_response_o(register_response)
  );

  always_ff @(posedge clk_router_i) begin
    if (rst_ni) begin
      quiescent_asks_no_memory : assert (!quiescent_o || !(m_axi_awvalid || m_axi_wvalid || m_axi_arvalid));
      quiescent_answers_nobody : assert (!quiescent_o || !(s_axil_bvalid || s_axil_rvalid));
    end
  end

endmodule : mu_gated_node

`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_looped_node: a node in a line of three nodes whose two neighbours are plugs that send back what comes.
//
//                      axil_*, axi_*
//                            |
//   plug <--- link_xm --- [ mu_node ] --- link_xp ---> plug        y and z: nothing is connected
//
// Behaviour: the node is (1, 0, 0) of 3 x 1 x 1. What it sends to node 0 leaves at the link xm, and to node 2
//   at xp; each comes in at the same link a cycle later, credits too. The router lets no packet go back to
//   where it came from, so it gives it to this node, which serves it as the target that it was sent to would;
//   its answers go to their source, which is this node too. link_valid_o tells that a flit comes in: bit 0
//   from xp, 1 from xm.
// Latency: a plug is a wire between two registers.
// Limits: a message to this node itself takes the local port of the router and no link, as in any machine.
`default_nettype none

module mu_looped_node (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    // registers and memory
    input  mu_pkg::axil_request_t      axil_request_i,
    output mu_pkg::axil_response_t     axil_response_o,
    output mu_pkg::axi_request_t       axi_request_o,
    input  mu_pkg::axi_response_t      axi_response_i,
    // what can be seen from outside
    output logic [mu_pkg::CLIENTS-1:0] irq_o,
    output logic                       quiescent_o,
    output logic [1:0]                 link_valid_o
);
  localparam int unsigned LINK_BITS = mu_pkg::FLIT_BITS + 6;

  logic [47:0]          now_q, wake_at;
  logic [LINK_BITS-1:0] xp, xm, yp, ym, zp, zm;  // credit (2), reply, tail, head, valid, data
  logic [47:0]          signals;  // of the tree: a machine of one node has no cables
  logic                 unused_pins;

  assign link_valid_o = {xm[mu_pkg::FLIT_BITS], xp[mu_pkg::FLIT_BITS]};
  assign unused_pins  = ^{wake_at, yp, ym, zp, zm, signals};

  always_ff @(posedge clk_i) now_q <= rst_ni ? now_q + 48'd1 : '0;

  mu_node u_node (
      .clk_i, .rst_ni, .now_i(now_q), .irq_o, .quiescent_o, .wake_at_o(wake_at),
      .strap_x_i(4'd1), .strap_y_i(4'd0), .strap_z_i(4'd0),
      .strap_last_x_i(4'd2), .strap_last_y_i(4'd0), .strap_last_z_i(4'd0), .strap_torus_i(3'b000),
      .link_xp_credit_i(xp[133:132]), .link_xp_reply_i(xp[131]), .link_xp_tail_i(xp[130]),
      .link_xp_head_i(xp[129]), .link_xp_valid_i(xp[128]), .link_xp_data_i(xp[127:0]),
      .link_xp_credit_o(xp[133:132]), .link_xp_reply_o(xp[131]), .link_xp_tail_o(xp[130]),
      .link_xp_head_o(xp[129]), .link_xp_valid_o(xp[128]), .link_xp_data_o(xp[127:0]),
      .link_xm_credit_i(xm[133:132]), .link_xm_reply_i(xm[131]), .link_xm_tail_i(xm[130]),
      .link_xm_head_i(xm[129]), .link_xm_valid_i(xm[128]), .link_xm_data_i(xm[127:0]),
      .link_xm_credit_o(xm[133:132]), .link_xm_reply_o(xm[131]), .link_xm_tail_o(xm[130]),
      .link_xm_head_o(xm[129]), .link_xm_valid_o(xm[128]), .link_xm_data_o(xm[127:0]),
      .link_yp_credit_i(2'd0), .link_yp_reply_i(1'b0), .link_yp_tail_i(1'b0),
      .link_yp_head_i(1'b0), .link_yp_valid_i(1'b0), .link_yp_data_i(128'd0),
      .link_yp_credit_o(yp[133:132]), .link_yp_reply_o(yp[131]), .link_yp_tail_o(yp[130]),
      .link_yp_head_o(yp[129]), .link_yp_valid_o(yp[128]), .link_yp_data_o(yp[127:0]),
      .link_ym_credit_i(2'd0), .link_ym_reply_i(1'b0), .link_ym_tail_i(1'b0),
      .link_ym_head_i(1'b0), .link_ym_valid_i(1'b0), .link_ym_data_i(128'd0),
      .link_ym_credit_o(ym[133:132]), .link_ym_reply_o(ym[131]), .link_ym_tail_o(ym[130]),
      .link_ym_head_o(ym[129]), .link_ym_valid_o(ym[128]), .link_ym_data_o(ym[127:0]),
      .link_zp_credit_i(2'd0), .link_zp_reply_i(1'b0), .link_zp_tail_i(1'b0),
      .link_zp_head_i(1'b0), .link_zp_valid_i(1'b0), .link_zp_data_i(128'd0),
      .link_zp_credit_o(zp[133:132]), .link_zp_reply_o(zp[131]), .link_zp_tail_o(zp[130]),
      .link_zp_head_o(zp[129]), .link_zp_valid_o(zp[128]), .link_zp_data_o(zp[127:0]),
      .link_zm_credit_i(2'd0), .link_zm_reply_i(1'b0), .link_zm_tail_i(1'b0),
      .link_zm_head_i(1'b0), .link_zm_valid_i(1'b0), .link_zm_data_i(128'd0),
      .link_zm_credit_o(zm[133:132]), .link_zm_reply_o(zm[131]), .link_zm_tail_o(zm[130]),
      .link_zm_head_o(zm[129]), .link_zm_valid_o(zm[128]), .link_zm_data_o(zm[127:0]),
      .signal_parent_i(16'd0), .signal_left_i(16'd0), .signal_right_i(16'd0),
      .signal_parent_o(signals[15:0]), .signal_left_o(signals[31:16]), .signal_right_o(signals[47:32]),
      .s_axil_awvalid(axil_request_i.awvalid), .s_axil_awready(axil_response_o.awready),
      .s_axil_awaddr(axil_request_i.awaddr), .s_axil_awprot(3'd0),
      .s_axil_wvalid(axil_request_i.wvalid), .s_axil_wready(axil_response_o.wready),
      .s_axil_wdata(axil_request_i.wdata), .s_axil_wstrb(axil_request_i.wstrb),
      .s_axil_bvalid(axil_response_o.bvalid), .s_axil_bready(axil_request_i.bready),
      .s_axil_bresp(axil_response_o.bresp),
      .s_axil_arvalid(axil_request_i.arvalid), .s_axil_arready(axil_response_o.arready),
      .s_axil_araddr(axil_request_i.araddr), .s_axil_arprot(3'd0),
      .s_axil_rvalid(axil_response_o.rvalid), .s_axil_rready(axil_request_i.rready),
      .s_axil_rdata(axil_response_o.rdata), .s_axil_rresp(axil_response_o.rresp),
      .m_axi_arvalid(axi_request_o.arvalid), .m_axi_arready(axi_response_i.arready),
      .m_axi_arid(axi_request_o.arid),
      .m_axi_arburst(axi_request_o.arburst), .m_axi_araddr(axi_request_o.araddr),
      .m_axi_arlen(axi_request_o.arlen),
      .m_axi_arsize(axi_request_o.arsize),
      .m_axi_rvalid(axi_response_i.rvalid), .m_axi_rready(axi_request_o.rready),
      .m_axi_rlast(axi_response_i.rlast),
      .m_axi_rid(axi_response_i.rid), .m_axi_rresp(axi_response_i.rresp), .m_axi_rdata(axi_response_i.rdata),
      .m_axi_awvalid(axi_request_o.awvalid), .m_axi_awready(axi_response_i.awready),
      .m_axi_awid(axi_request_o.awid),
      .m_axi_awburst(axi_request_o.awburst), .m_axi_awaddr(axi_request_o.awaddr),
      .m_axi_awlen(axi_request_o.awlen),
      .m_axi_awsize(axi_request_o.awsize),
      .m_axi_wvalid(axi_request_o.wvalid), .m_axi_wready(axi_response_i.wready),
      .m_axi_wlast(axi_request_o.wlast),
      .m_axi_wdata(axi_request_o.wdata), .m_axi_wstrb(axi_request_o.wstrb),
      .m_axi_bvalid(axi_response_i.bvalid), .m_axi_bready(axi_request_o.bready),
      .m_axi_bid(axi_response_i.bid),
      .m_axi_bresp(axi_response_i.bresp)
  );

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      nothing_leaves_where_nobody_is :
      assert (!(yp[mu_pkg::FLIT_BITS] || ym[mu_pkg::FLIT_BITS] ||
                zp[mu_pkg::FLIT_BITS] || zm[mu_pkg::FLIT_BITS]));
    end
  end
endmodule

`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_axi_node: an example of a shell: one node behind plain AXI ports, as block design tools connect them.
//
//   s_axil_* (registers) ---> [ mu_node ] <---> m_axi_* (memory)      xp_*, xm_*: links
//
// Behaviour: the node, with the AXI4 signals that it does not have tied to what they mean (normal memory, not
//   cacheable, data, unprivileged), a time of its own, and links in one vector each. The machine is a ring
//   in x; in y and z a node is its own neighbour.
// Latency: none is added.
// Limits: x_i and last_x_i are taken while rst_ni is low.
`default_nettype none

module mu_axi_node (
    input  logic clk_i, rst_ni,
    input  logic [3:0] x_i, last_x_i,
    output logic [mu_pkg::CLIENTS-1:0] irq_o,
    // credits, reply, tail, head, valid, data: what leaves on xp enters at the neighbour's xm
    output logic [133:0] xp_o, xm_o,
    input  logic [133:0] xp_i, xm_i,
    // AXI4-Lite: registers and doorbells
    input  logic s_axil_awvalid, s_axil_wvalid, s_axil_bready, s_axil_arvalid, s_axil_rready,
    output logic s_axil_awready, s_axil_wready, s_axil_bvalid, s_axil_arready, s_axil_rvalid,
    input  logic [19:0] s_axil_awaddr, s_axil_araddr,
    input  logic [2:0] s_axil_awprot, s_axil_arprot,
    input  logic [63:0] s_axil_wdata,
    input  logic [7:0] s_axil_wstrb,
    output logic [1:0] s_axil_bresp, s_axil_rresp,
    output logic [63:0] s_axil_rdata,
    // AXI4: node memory
    output logic m_axi_arvalid, m_axi_rready, m_axi_awvalid, m_axi_wvalid, m_axi_wlast, m_axi_bready,
    input  logic m_axi_arready, m_axi_rvalid, m_axi_rlast, m_axi_awready, m_axi_wready, m_axi_bvalid,
    output logic [1:0] m_axi_arid, m_axi_arburst, m_axi_awid, m_axi_awburst,
    output logic [39:0] m_axi_araddr, m_axi_awaddr,
    output logic [7:0] m_axi_arlen, m_axi_awlen,
    output logic [2:0] m_axi_arsize, m_axi_awsize, m_axi_arprot, m_axi_awprot,
    output logic [3:0] m_axi_arcache, m_axi_awcache, m_axi_arqos, m_axi_awqos,
    output logic m_axi_arlock, m_axi_awlock,
    input  logic [1:0] m_axi_rid, m_axi_rresp, m_axi_bid, m_axi_bresp,
    input  logic [255:0] m_axi_rdata,
    output logic [255:0] m_axi_wdata,
    output logic [31:0] m_axi_wstrb
);
  localparam logic [3:0] NORMAL_NOT_CACHEABLE = 4'b0011;
  localparam logic [2:0] UNPRIVILEGED_SECURE_DATA = 3'b000;

  logic [133:0] yp, ym, zp, zm;  // leave here and enter on the other side
  logic [47:0]  now_q, wake_at;
  logic         quiescent, unused_bits;

  assign {m_axi_arcache, m_axi_awcache} = {2{NORMAL_NOT_CACHEABLE}};
  assign {m_axi_arprot, m_axi_awprot}   = {2{UNPRIVILEGED_SECURE_DATA}};
  assign {m_axi_arlock, m_axi_awlock, m_axi_arqos, m_axi_awqos} = '0;
  assign unused_bits = ^{wake_at, quiescent};

  always_ff @(posedge clk_i) now_q <= rst_ni ? now_q + 48'd1 : '0;

  mu_node u_node (
      .clk_i, .rst_ni, .now_i(now_q), .irq_o, .quiescent_o(quiescent), .wake_at_o(wake_at),
      .strap_x_i(x_i), .strap_y_i('0), .strap_z_i('0),
      .strap_last_x_i(last_x_i), .strap_last_y_i('0), .strap_last_z_i('0), .strap_torus_i('1),
      .link_xp_credit_i(xp_i[133:132]), .link_xp_reply_i(xp_i[131]), .link_xp_tail_i(xp_i[130]),
      .link_xp_head_i(xp_i[129]), .link_xp_valid_i(xp_i[128]), .link_xp_data_i(xp_i[127:0]),
      .link_xp_credit_o(xp_o[133:132]), .link_xp_reply_o(xp_o[131]), .link_xp_tail_o(xp_o[130]),
      .link_xp_head_o(xp_o[129]), .link_xp_valid_o(xp_o[128]), .link_xp_data_o(xp_o[127:0]),
      .link_xm_credit_i(xm_i[133:132]), .link_xm_reply_i(xm_i[131]), .link_xm_tail_i(xm_i[130]),
      .link_xm_head_i(xm_i[129]), .link_xm_valid_i(xm_i[128]), .link_xm_data_i(xm_i[127:0]),
      .link_xm_credit_o(xm_o[133:132]), .link_xm_reply_o(xm_o[131]), .link_xm_tail_o(xm_o[130]),
      .link_xm_head_o(xm_o[129]), .link_xm_valid_o(xm_o[128]), .link_xm_data_o(xm_o[127:0]),
      .link_yp_credit_i(ym[133:132]), .link_yp_reply_i(ym[131]), .link_yp_tail_i(ym[130]),
      .link_yp_head_i(ym[129]), .link_yp_valid_i(ym[128]), .link_yp_data_i(ym[127:0]),
      .link_yp_credit_o(yp[133:132]), .link_yp_reply_o(yp[131]), .link_yp_tail_o(yp[130]),
      .link_yp_head_o(yp[129]), .link_yp_valid_o(yp[128]), .link_yp_data_o(yp[127:0]),
      .link_ym_credit_i(yp[133:132]), .link_ym_reply_i(yp[131]), .link_ym_tail_i(yp[130]),
      .link_ym_head_i(yp[129]), .link_ym_valid_i(yp[128]), .link_ym_data_i(yp[127:0]),
      .link_ym_credit_o(ym[133:132]), .link_ym_reply_o(ym[131]), .link_ym_tail_o(ym[130]),
      .link_ym_head_o(ym[129]), .link_ym_valid_o(ym[128]), .link_ym_data_o(ym[127:0]),
      .link_zp_credit_i(zm[133:132]), .link_zp_reply_i(zm[131]), .link_zp_tail_i(zm[130]),
      .link_zp_head_i(zm[129]), .link_zp_valid_i(zm[128]), .link_zp_data_i(zm[127:0]),
      .link_zp_credit_o(zp[133:132]), .link_zp_reply_o(zp[131]), .link_zp_tail_o(zp[130]),
      .link_zp_head_o(zp[129]), .link_zp_valid_o(zp[128]), .link_zp_data_o(zp[127:0]),
      .link_zm_credit_i(zp[133:132]), .link_zm_reply_i(zp[131]), .link_zm_tail_i(zp[130]),
      .link_zm_head_i(zp[129]), .link_zm_valid_i(zp[128]), .link_zm_data_i(zp[127:0]),
      .link_zm_credit_o(zm[133:132]), .link_zm_reply_o(zm[131]), .link_zm_tail_o(zm[130]),
      .link_zm_head_o(zm[129]), .link_zm_valid_o(zm[128]), .link_zm_data_o(zm[127:0]),
      .*
  );
endmodule
`default_nettype wire

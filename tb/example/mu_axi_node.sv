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
`include "mu_link_pins.svh"

module mu_axi_node (
    input  logic clk_i, rst_ni,
    input  logic [3:0] x_i, last_x_i,
    output logic [mu_pkg::CLIENTS-1:0] irq_o,
    // credits, reply, tail, head, valid, data: what leaves on xp enters at the neighbour's xm
    output logic [`MU_LINK_BITS-1:0] xp_o, xm_o,
    input  logic [`MU_LINK_BITS-1:0] xp_i, xm_i,
    // Signals of the tree: to the parent, and to the children
    input  logic [15:0] signal_parent_i, signal_left_i, signal_right_i,
    output logic [15:0] signal_parent_o, signal_left_o, signal_right_o,
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

  logic [`MU_LINK_BITS-1:0] yp, ym, zp, zm;  // leave here and enter on the other side
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
      `MU_LINK_PINS(xp, xp_i, xp_o),
      `MU_LINK_PINS(xm, xm_i, xm_o),
      `MU_LINK_PINS(yp, ym, yp),
      `MU_LINK_PINS(ym, yp, ym),
      `MU_LINK_PINS(zp, zm, zp),
      `MU_LINK_PINS(zm, zp, zm),
      .*
  );
endmodule
`default_nettype wire

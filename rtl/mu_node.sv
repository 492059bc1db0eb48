// SPDX-License-Identifier: Apache-2.0
// mu_node: a node of the machine, with one clock: messaging unit, router, pins to memory, cores and links.
//
//            s_axil_* --> +------+ <--> m_axi_*
//   link_*_i, signal_*_i --> | node | --> link_*_o, signal_*_o, irq_o
//                         +------+
//
// Behaviour: Every output is a register or decodes registers alone; no path crosses the node within a cycle.
//            quiescent_o is high exactly when, with no flit, credit, signal, register access or AXI response
//            coming in and now_i < wake_at_o, a clock edge changes nothing inside.
// Latency:   a flit from link to link takes as long as the router says; one cycle for the interrupt line.
// Limits:    straps are taken while rst_ni is low and ignored afterwards. Coordinates above strap_last_* are
//            a wiring error; packets for nodes outside the machine are refused at their source.
`default_nettype none

module mu_node (
  input  logic         clk_i,
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

  // Who gates no clock needs none of these.
  logic active_router, active_control, active_memory, active_queue, active_injection, active_reception;
  logic active_decision, active_calc, active_packet, active_reply;

  mu_gated_node u_node (
    .clk_router_i(clk_i), .clk_control_i(clk_i), .clk_memory_i(clk_i), .clk_queue_i(clk_i),
    .clk_injection_i(clk_i), .clk_reception_i(clk_i), .clk_decision_i(clk_i), .clk_calc_i(clk_i),
    .clk_packet_i(clk_i), .active_packet_o(active_packet), .clk_reply_i(clk_i), .active_reply_o(active_reply),
    .active_router_o(active_router), .active_control_o(active_control), .active_memory_o(active_memory),
    .active_queue_o(active_queue), .active_injection_o(active_injection),
    .active_reception_o(active_reception), .active_decision_o(active_decision),
    .active_calc_o(active_calc),
    .*
  );

endmodule : mu_node

`default_nettype wire

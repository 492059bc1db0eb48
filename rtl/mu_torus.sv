// SPDX-License-Identifier: Apache-2.0
// mu_torus: a whole machine: X_NODES x Y_NODES x Z_NODES nodes and the links between them.
//
//   s_axil_*, m_axi_* of every node ---> [ mu_node ] <--- mu_link, 6 ways ---> [ mu_node ] ...
//                                         | |      ^--- mu_signal_link, to parent and children in the tree
//                                         | |---> link_<d>_*_o (what leaves each node), irq_o
//                                         |---> signal_*_o
//
// Behaviour: every pin of a node is a vector here; node n = x + X_NODES * (y + Y_NODES * z) has slice n, and
//   rank n in the tree: its children are 2n + 1 and 2n + 2, where there are such nodes. The links that close
//   the rings are always there; a dimension whose strap_torus_i bit is 0 does not use them.
// Latency: links have latency_i cycles, the output register of the sending router included.
// Limits: 1 to 16 nodes in each dimension; latency_i 1 to 32, changed only while the links are empty.
`default_nettype none

module mu_torus #(
    parameter  int unsigned X_NODES = 2,
    parameter  int unsigned Y_NODES = 2,
    parameter  int unsigned Z_NODES = 2,
    localparam int unsigned N       = X_NODES * Y_NODES * Z_NODES
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  mu_pkg::cycle_t               now_i,
    input  logic [2:0]                   strap_torus_i,
    input  logic [5:0]                   latency_i,
    output logic [N*mu_pkg::CLIENTS-1:0] irq_o,
    output logic [N-1:0]                 quiescent_o,
    output logic [N*48-1:0]              wake_at_o,
    // what leaves each node
    output logic [N-1:0]                 link_xp_valid_o, link_xp_head_o, link_xp_tail_o, link_xp_reply_o,
    output logic [N*128-1:0]             link_xp_data_o,
    output logic [N-1:0]                 link_xm_valid_o, link_xm_head_o, link_xm_tail_o, link_xm_reply_o,
    output logic [N*128-1:0]             link_xm_data_o,
    output logic [N-1:0]                 link_yp_valid_o, link_yp_head_o, link_yp_tail_o, link_yp_reply_o,
    output logic [N*128-1:0]             link_yp_data_o,
    output logic [N-1:0]                 link_ym_valid_o, link_ym_head_o, link_ym_tail_o, link_ym_reply_o,
    output logic [N*128-1:0]             link_ym_data_o,
    output logic [N-1:0]                 link_zp_valid_o, link_zp_head_o, link_zp_tail_o, link_zp_reply_o,
    output logic [N*128-1:0]             link_zp_data_o,
    output logic [N-1:0]                 link_zm_valid_o, link_zm_head_o, link_zm_tail_o, link_zm_reply_o,
    output logic [N*128-1:0]             link_zm_data_o,
    output logic [N*16-1:0]              signal_parent_o, signal_left_o, signal_right_o,
    // registers and doorbells of each node
    input  logic [N-1:0]                 s_axil_awvalid, s_axil_wvalid, s_axil_bready, s_axil_arvalid,
                                         s_axil_rready,
    output logic [N-1:0]                 s_axil_awready, s_axil_wready, s_axil_bvalid, s_axil_arready,
                                         s_axil_rvalid,
    input  logic [N*20-1:0]              s_axil_awaddr, s_axil_araddr,
    input  logic [N*3-1:0]               s_axil_awprot, s_axil_arprot,
    input  logic [N*64-1:0]              s_axil_wdata,
    input  logic [N*8-1:0]               s_axil_wstrb,
    output logic [N*2-1:0]               s_axil_bresp, s_axil_rresp,
    output logic [N*64-1:0]              s_axil_rdata,
    // memory of each node
    output logic [N-1:0]                 m_axi_arvalid, m_axi_rready, m_axi_awvalid, m_axi_wvalid,
                                         m_axi_wlast, m_axi_bready,
    input  logic [N-1:0]                 m_axi_arready, m_axi_rvalid, m_axi_rlast, m_axi_awready,
                                         m_axi_wready, m_axi_bvalid,
    output logic [N*2-1:0]               m_axi_arid, m_axi_arburst, m_axi_awid, m_axi_awburst,
    output logic [N*40-1:0]              m_axi_araddr, m_axi_awaddr,
    output logic [N*8-1:0]               m_axi_arlen, m_axi_awlen,
    output logic [N*3-1:0]               m_axi_arsize, m_axi_awsize,
    input  logic [N*2-1:0]               m_axi_rid, m_axi_rresp, m_axi_bid, m_axi_bresp,
    input  logic [N*256-1:0]             m_axi_rdata,
    output logic [N*256-1:0]             m_axi_wdata,
    output logic [N*32-1:0]              m_axi_wstrb
);
  if (X_NODES > 16 || Y_NODES > 16 || Z_NODES > 16 || N == 0) begin : gen_bad_size
    $error("mu_torus: 1 to 16 nodes in each dimension");
  end

  // Credits that leave each node, and what arrives at it.
  logic [N-1:0]     xp_valid, xp_head, xp_tail, xp_reply;
  logic [N*128-1:0] xp_data;
  logic [N*2-1:0]   xp_credit_out, xp_credit_in;
  logic [N-1:0]     xm_valid, xm_head, xm_tail, xm_reply;
  logic [N*128-1:0] xm_data;
  logic [N*2-1:0]   xm_credit_out, xm_credit_in;
  logic [N-1:0]     yp_valid, yp_head, yp_tail, yp_reply;
  logic [N*128-1:0] yp_data;
  logic [N*2-1:0]   yp_credit_out, yp_credit_in;
  logic [N-1:0]     ym_valid, ym_head, ym_tail, ym_reply;
  logic [N*128-1:0] ym_data;
  logic [N*2-1:0]   ym_credit_out, ym_credit_in;
  logic [N-1:0]     zp_valid, zp_head, zp_tail, zp_reply;
  logic [N*128-1:0] zp_data;
  logic [N*2-1:0]   zp_credit_out, zp_credit_in;
  logic [N-1:0]     zm_valid, zm_head, zm_tail, zm_reply;
  logic [N*128-1:0] zm_data;
  logic [N*2-1:0]   zm_credit_out, zm_credit_in;

  // Signals of the tree that arrive at each node.
  logic [N*16-1:0]  parent_signal, left_signal, right_signal;

  for (genvar n = 0; n < N; n++) begin : gen_node
    localparam int unsigned X = n % X_NODES;
    localparam int unsigned Y = n / X_NODES % Y_NODES;
    localparam int unsigned Z = n / X_NODES / Y_NODES;
    // Neighbours.
    localparam int unsigned XP = n - X + (X + 1) % X_NODES;
    localparam int unsigned XM = n - X + (X + X_NODES - 1) % X_NODES;
    localparam int unsigned YP = n - Y * X_NODES + (Y + 1) % Y_NODES * X_NODES;
    localparam int unsigned YM = n - Y * X_NODES + (Y + Y_NODES - 1) % Y_NODES * X_NODES;
    localparam int unsigned ZP = n - Z * X_NODES * Y_NODES + (Z + 1) % Z_NODES * X_NODES * Y_NODES;
    localparam int unsigned ZM = n - Z * X_NODES * Y_NODES + (Z + Z_NODES - 1) % Z_NODES * X_NODES * Y_NODES;

    mu_node u_node (
        .clk_i, .rst_ni, .now_i, .irq_o(irq_o[n*mu_pkg::CLIENTS+:mu_pkg::CLIENTS]),
        .quiescent_o(quiescent_o[n]), .wake_at_o(wake_at_o[n*48+:48]), .strap_x_i(4'(X)), .strap_y_i(4'(Y)),
        .strap_z_i(4'(Z)), .strap_last_x_i(4'(X_NODES - 1)), .strap_last_y_i(4'(Y_NODES - 1)),
        .strap_last_z_i(4'(Z_NODES - 1)), .strap_torus_i, .link_xp_valid_i(xp_valid[n]),
        .link_xp_head_i(xp_head[n]), .link_xp_tail_i(xp_tail[n]), .link_xp_reply_i(xp_reply[n]),
        .link_xp_data_i(xp_data[n*128+:128]), .link_xp_credit_o(xp_credit_out[n*2+:2]),
        .link_xp_valid_o(link_xp_valid_o[n]), .link_xp_head_o(link_xp_head_o[n]),
        .link_xp_tail_o(link_xp_tail_o[n]), .link_xp_reply_o(link_xp_reply_o[n]),
        .link_xp_data_o(link_xp_data_o[n*128+:128]), .link_xp_credit_i(xp_credit_in[n*2+:2]),
        .link_xm_valid_i(xm_valid[n]), .link_xm_head_i(xm_head[n]), .link_xm_tail_i(xm_tail[n]),
        .link_xm_reply_i(xm_reply[n]), .link_xm_data_i(xm_data[n*128+:128]),
        .link_xm_credit_o(xm_credit_out[n*2+:2]), .link_xm_valid_o(link_xm_valid_o[n]),
        .link_xm_head_o(link_xm_head_o[n]), .link_xm_tail_o(link_xm_tail_o[n]),
        .link_xm_reply_o(link_xm_reply_o[n]), .link_xm_data_o(link_xm_data_o[n*128+:128]),
        .link_xm_credit_i(xm_credit_in[n*2+:2]), .link_yp_valid_i(yp_valid[n]), .link_yp_head_i(yp_head[n]),
        .link_yp_tail_i(yp_tail[n]), .link_yp_reply_i(yp_reply[n]), .link_yp_data_i(yp_data[n*128+:128]),
        .link_yp_credit_o(yp_credit_out[n*2+:2]), .link_yp_valid_o(link_yp_valid_o[n]),
        .link_yp_head_o(link_yp_head_o[n]), .link_yp_tail_o(link_yp_tail_o[n]),
        .link_yp_reply_o(link_yp_reply_o[n]), .link_yp_data_o(link_yp_data_o[n*128+:128]),
        .link_yp_credit_i(yp_credit_in[n*2+:2]), .link_ym_valid_i(ym_valid[n]), .link_ym_head_i(ym_head[n]),
        .link_ym_tail_i(ym_tail[n]), .link_ym_reply_i(ym_reply[n]), .link_ym_data_i(ym_data[n*128+:128]),
        .link_ym_credit_o(ym_credit_out[n*2+:2]), .link_ym_valid_o(link_ym_valid_o[n]),
        .link_ym_head_o(link_ym_head_o[n]), .link_ym_tail_o(link_ym_tail_o[n]),
        .link_ym_reply_o(link_ym_reply_o[n]), .link_ym_data_o(link_ym_data_o[n*128+:128]),
        .link_ym_credit_i(ym_credit_in[n*2+:2]), .link_zp_valid_i(zp_valid[n]), .link_zp_head_i(zp_head[n]),
        .link_zp_tail_i(zp_tail[n]), .link_zp_reply_i(zp_reply[n]), .link_zp_data_i(zp_data[n*128+:128]),
        .link_zp_credit_o(zp_credit_out[n*2+:2]), .link_zp_valid_o(link_zp_valid_o[n]),
        .link_zp_head_o(link_zp_head_o[n]), .link_zp_tail_o(link_zp_tail_o[n]),
        .link_zp_reply_o(link_zp_reply_o[n]), .link_zp_data_o(link_zp_data_o[n*128+:128]),
        .link_zp_credit_i(zp_credit_in[n*2+:2]), .link_zm_valid_i(zm_valid[n]), .link_zm_head_i(zm_head[n]),
        .link_zm_tail_i(zm_tail[n]), .link_zm_reply_i(zm_reply[n]), .link_zm_data_i(zm_data[n*128+:128]),
        .link_zm_credit_o(zm_credit_out[n*2+:2]), .link_zm_valid_o(link_zm_valid_o[n]),
        .link_zm_head_o(link_zm_head_o[n]), .link_zm_tail_o(link_zm_tail_o[n]),
        .link_zm_reply_o(link_zm_reply_o[n]), .link_zm_data_o(link_zm_data_o[n*128+:128]),
        .link_zm_credit_i(zm_credit_in[n*2+:2]), .signal_parent_i(parent_signal[n*16+:16]),
        .signal_left_i(left_signal[n*16+:16]), .signal_right_i(right_signal[n*16+:16]),
        .signal_parent_o(signal_parent_o[n*16+:16]), .signal_left_o(signal_left_o[n*16+:16]),
        .signal_right_o(signal_right_o[n*16+:16]), .s_axil_awvalid(s_axil_awvalid[n]),
        .s_axil_awready(s_axil_awready[n]), .s_axil_awaddr(s_axil_awaddr[n*20+:20]),
        .s_axil_awprot(s_axil_awprot[n*3+:3]), .s_axil_wvalid(s_axil_wvalid[n]),
        .s_axil_wready(s_axil_wready[n]), .s_axil_wdata(s_axil_wdata[n*64+:64]),
        .s_axil_wstrb(s_axil_wstrb[n*8+:8]), .s_axil_bvalid(s_axil_bvalid[n]),
        .s_axil_bready(s_axil_bready[n]), .s_axil_bresp(s_axil_bresp[n*2+:2]),
        .s_axil_arvalid(s_axil_arvalid[n]), .s_axil_arready(s_axil_arready[n]),
        .s_axil_araddr(s_axil_araddr[n*20+:20]), .s_axil_arprot(s_axil_arprot[n*3+:3]),
        .s_axil_rvalid(s_axil_rvalid[n]), .s_axil_rready(s_axil_rready[n]),
        .s_axil_rdata(s_axil_rdata[n*64+:64]), .s_axil_rresp(s_axil_rresp[n*2+:2]),
        .m_axi_arvalid(m_axi_arvalid[n]), .m_axi_arready(m_axi_arready[n]), .m_axi_arid(m_axi_arid[n*2+:2]),
        .m_axi_arburst(m_axi_arburst[n*2+:2]), .m_axi_araddr(m_axi_araddr[n*40+:40]),
        .m_axi_arlen(m_axi_arlen[n*8+:8]), .m_axi_arsize(m_axi_arsize[n*3+:3]),
        .m_axi_rvalid(m_axi_rvalid[n]), .m_axi_rlast(m_axi_rlast[n]), .m_axi_rready(m_axi_rready[n]),
        .m_axi_rid(m_axi_rid[n*2+:2]), .m_axi_rresp(m_axi_rresp[n*2+:2]),
        .m_axi_rdata(m_axi_rdata[n*256+:256]), .m_axi_awvalid(m_axi_awvalid[n]),
        .m_axi_awready(m_axi_awready[n]), .m_axi_awid(m_axi_awid[n*2+:2]),
        .m_axi_awburst(m_axi_awburst[n*2+:2]), .m_axi_awaddr(m_axi_awaddr[n*40+:40]),
        .m_axi_awlen(m_axi_awlen[n*8+:8]), .m_axi_awsize(m_axi_awsize[n*3+:3]),
        .m_axi_wvalid(m_axi_wvalid[n]), .m_axi_wlast(m_axi_wlast[n]), .m_axi_wready(m_axi_wready[n]),
        .m_axi_wdata(m_axi_wdata[n*256+:256]), .m_axi_wstrb(m_axi_wstrb[n*32+:32]),
        .m_axi_bvalid(m_axi_bvalid[n]), .m_axi_bready(m_axi_bready[n]), .m_axi_bid(m_axi_bid[n*2+:2]),
        .m_axi_bresp(m_axi_bresp[n*2+:2])
    );

    mu_link u_xp (
        .clk_i, .rst_ni, .latency_i, .valid_i(link_xp_valid_o[n]), .head_i(link_xp_head_o[n]),
        .tail_i(link_xp_tail_o[n]), .reply_i(link_xp_reply_o[n]), .data_i(link_xp_data_o[n*128+:128]),
        .credit_i(xp_credit_out[n*2+:2]), .valid_o(xm_valid[XP]), .head_o(xm_head[XP]),
        .tail_o(xm_tail[XP]), .reply_o(xm_reply[XP]), .data_o(xm_data[XP*128+:128]),
        .credit_o(xm_credit_in[XP*2+:2])
    );
    mu_link u_xm (
        .clk_i, .rst_ni, .latency_i, .valid_i(link_xm_valid_o[n]), .head_i(link_xm_head_o[n]),
        .tail_i(link_xm_tail_o[n]), .reply_i(link_xm_reply_o[n]), .data_i(link_xm_data_o[n*128+:128]),
        .credit_i(xm_credit_out[n*2+:2]), .valid_o(xp_valid[XM]), .head_o(xp_head[XM]),
        .tail_o(xp_tail[XM]), .reply_o(xp_reply[XM]), .data_o(xp_data[XM*128+:128]),
        .credit_o(xp_credit_in[XM*2+:2])
    );
    mu_link u_yp (
        .clk_i, .rst_ni, .latency_i, .valid_i(link_yp_valid_o[n]), .head_i(link_yp_head_o[n]),
        .tail_i(link_yp_tail_o[n]), .reply_i(link_yp_reply_o[n]), .data_i(link_yp_data_o[n*128+:128]),
        .credit_i(yp_credit_out[n*2+:2]), .valid_o(ym_valid[YP]), .head_o(ym_head[YP]),
        .tail_o(ym_tail[YP]), .reply_o(ym_reply[YP]), .data_o(ym_data[YP*128+:128]),
        .credit_o(ym_credit_in[YP*2+:2])
    );
    mu_link u_ym (
        .clk_i, .rst_ni, .latency_i, .valid_i(link_ym_valid_o[n]), .head_i(link_ym_head_o[n]),
        .tail_i(link_ym_tail_o[n]), .reply_i(link_ym_reply_o[n]), .data_i(link_ym_data_o[n*128+:128]),
        .credit_i(ym_credit_out[n*2+:2]), .valid_o(yp_valid[YM]), .head_o(yp_head[YM]),
        .tail_o(yp_tail[YM]), .reply_o(yp_reply[YM]), .data_o(yp_data[YM*128+:128]),
        .credit_o(yp_credit_in[YM*2+:2])
    );
    mu_link u_zp (
        .clk_i, .rst_ni, .latency_i, .valid_i(link_zp_valid_o[n]), .head_i(link_zp_head_o[n]),
        .tail_i(link_zp_tail_o[n]), .reply_i(link_zp_reply_o[n]), .data_i(link_zp_data_o[n*128+:128]),
        .credit_i(zp_credit_out[n*2+:2]), .valid_o(zm_valid[ZP]), .head_o(zm_head[ZP]),
        .tail_o(zm_tail[ZP]), .reply_o(zm_reply[ZP]), .data_o(zm_data[ZP*128+:128]),
        .credit_o(zm_credit_in[ZP*2+:2])
    );
    mu_link u_zm (
        .clk_i, .rst_ni, .latency_i, .valid_i(link_zm_valid_o[n]), .head_i(link_zm_head_o[n]),
        .tail_i(link_zm_tail_o[n]), .reply_i(link_zm_reply_o[n]), .data_i(link_zm_data_o[n*128+:128]),
        .credit_i(zm_credit_out[n*2+:2]), .valid_o(zp_valid[ZM]), .head_o(zp_head[ZM]),
        .tail_o(zp_tail[ZM]), .reply_o(zp_reply[ZM]), .data_o(zp_data[ZM*128+:128]),
        .credit_o(zp_credit_in[ZM*2+:2])
    );

    // The cables between node n and its children in the tree.
    if (n == 0) begin : gen_root
      assign parent_signal[15:0] = '0;
    end
    if (2 * n + 1 < N) begin : gen_left
      mu_signal_link u_down (
          .clk_i, .rst_ni, .latency_i, .signals_i(signal_left_o[n*16+:16]),
          .signals_o(parent_signal[(2*n+1)*16+:16])
      );
      mu_signal_link u_up (
          .clk_i, .rst_ni, .latency_i, .signals_i(signal_parent_o[(2*n+1)*16+:16]),
          .signals_o(left_signal[n*16+:16])
      );
    end else begin : gen_no_left
      assign left_signal[n*16+:16] = '0;
    end
    if (2 * n + 2 < N) begin : gen_right
      mu_signal_link u_down (
          .clk_i, .rst_ni, .latency_i, .signals_i(signal_right_o[n*16+:16]),
          .signals_o(parent_signal[(2*n+2)*16+:16])
      );
      mu_signal_link u_up (
          .clk_i, .rst_ni, .latency_i, .signals_i(signal_parent_o[(2*n+2)*16+:16]),
          .signals_o(right_signal[n*16+:16])
      );
    end else begin : gen_no_right
      assign right_signal[n*16+:16] = '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) latency_is_legal : assert (latency_i != '0 && latency_i <= 6'd32);
  end
endmodule
`default_nettype wire

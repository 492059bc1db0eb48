// SPDX-License-Identifier: Apache-2.0
// Binds the rules of AXI4 to the memory port of the node, in models that are built with this file.
`default_nettype none
bind mu_memory_port mu_axi4_manager_properties u_axi4_rules (
    .clk_i, .rst_ni, .m_axi_arid(axi_request_o.arid), .m_axi_araddr(axi_request_o.araddr),
    .m_axi_arlen(axi_request_o.arlen), .m_axi_arsize(axi_request_o.arsize),
    .m_axi_arburst(axi_request_o.arburst), .m_axi_arvalid(axi_request_o.arvalid),
    .m_axi_arready(axi_response_i.arready), .m_axi_rid(axi_response_i.rid),
    .m_axi_rdata(axi_response_i.rdata), .m_axi_rresp(axi_response_i.rresp),
    .m_axi_rlast(axi_response_i.rlast), .m_axi_rvalid(axi_response_i.rvalid),
    .m_axi_rready(axi_request_o.rready), .m_axi_awid(axi_request_o.awid),
    .m_axi_awaddr(axi_request_o.awaddr), .m_axi_awlen(axi_request_o.awlen),
    .m_axi_awsize(axi_request_o.awsize), .m_axi_awburst(axi_request_o.awburst),
    .m_axi_awvalid(axi_request_o.awvalid), .m_axi_awready(axi_response_i.awready),
    .m_axi_wdata(axi_request_o.wdata), .m_axi_wstrb(axi_request_o.wstrb),
    .m_axi_wlast(axi_request_o.wlast), .m_axi_wvalid(axi_request_o.wvalid),
    .m_axi_wready(axi_response_i.wready), .m_axi_bid(axi_response_i.bid),
    .m_axi_bresp(axi_response_i.bresp), .m_axi_bvalid(axi_response_i.bvalid),
    .m_axi_bready(axi_request_o.bready)
);
`default_nettype wire

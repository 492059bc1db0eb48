// SPDX-License-Identifier: Apache-2.0
// mu_debug_port: a JTAG TAP for a node: between the bus of its cores and the registers of mu_node.
//
//   tck_i, tms_i, tdi_i, trst_ni ---> [ mu_tap ] <-> [ mu_tap_access ] <-+
//   tdo_o <-----------------------------+                                |
//   s_axil_* (cores) <---------------------------------------------------+-> [ mu_axil_share ] <-> m_axil_*
//
// Behaviour: accesses of the cores pass, one at a time and in order; with the instruction REGISTER_ACCESS of
//   the TAP a service node reads and writes the same registers beside them. The scans are those of mu_tap
//   and mu_tap_access, who goes first that of mu_axil_share.
// Latency: an access of a core takes three cycles more; one of the TAP begins three cycles after the falling
//   edge of TCK in UPDATE_DR has been seen.
// Limits: as in mu_tap: each level of TCK stands for at least three cycles, four where nothing ties it to
//   clk_i. In a chain all see one TCK and TMS, and TDO of each is TDI of the next; it changes three cycles
//   after a falling edge, which is before the next rising one. tdo_enable_o is for the pad of the last.
`default_nettype none

module mu_debug_port (
    input  logic        clk_i,
    input  logic        rst_ni,
    // JTAG
    input  logic        tck_i,
    input  logic        tms_i,
    input  logic        tdi_i,
    input  logic        trst_ni,
    output logic        tdo_o,
    output logic        tdo_enable_o,
    // AXI4-Lite of the cores
    input  logic        s_axil_awvalid,
    output logic        s_axil_awready,
    input  logic [19:0] s_axil_awaddr,
    input  logic        s_axil_wvalid,
    output logic        s_axil_wready,
    input  logic [63:0] s_axil_wdata,
    input  logic [7:0]  s_axil_wstrb,
    output logic        s_axil_bvalid,
    input  logic        s_axil_bready,
    output logic [1:0]  s_axil_bresp,
    input  logic        s_axil_arvalid,
    output logic        s_axil_arready,
    input  logic [19:0] s_axil_araddr,
    output logic        s_axil_rvalid,
    input  logic        s_axil_rready,
    output logic [63:0] s_axil_rdata,
    output logic [1:0]  s_axil_rresp,
    // AXI4-Lite of the node
    output logic        m_axil_awvalid,
    input  logic        m_axil_awready,
    output logic [19:0] m_axil_awaddr,
    output logic        m_axil_wvalid,
    input  logic        m_axil_wready,
    output logic [63:0] m_axil_wdata,
    output logic [7:0]  m_axil_wstrb,
    input  logic        m_axil_bvalid,
    output logic        m_axil_bready,
    input  logic [1:0]  m_axil_bresp,
    output logic        m_axil_arvalid,
    input  logic        m_axil_arready,
    output logic [19:0] m_axil_araddr,
    input  logic        m_axil_rvalid,
    output logic        m_axil_rready,
    input  logic [63:0] m_axil_rdata,
    input  logic [1:0]  m_axil_rresp
);
  logic        capture, shift, update, into_access, out_of_access;
  logic        access_valid, access_ready, access_write;
  logic [19:0] access_address;
  logic [63:0] access_data, response_data;
  logic [7:0]  access_strobe;
  logic        response_valid, response_error;

  mu_tap u_tap (
      .clk_i,
      .rst_ni,
      .tck_i,
      .tms_i,
      .tdi_i,
      .trst_ni,
      .tdo_o,
      .tdo_enable_o,
      .access_capture_o(capture),
      .access_shift_o  (shift),
      .access_update_o (update),
      .access_bit_o    (into_access),
      .access_bit_i    (out_of_access)
  );

  mu_tap_access u_access (
      .clk_i,
      .rst_ni,
      .capture_i       (capture),
      .shift_i         (shift),
      .update_i        (update),
      .bit_i           (into_access),
      .bit_o           (out_of_access),
      .access_valid_o  (access_valid),
      .access_ready_i  (access_ready),
      .access_write_o  (access_write),
      .access_address_o(access_address),
      .access_data_o   (access_data),
      .access_strobe_o (access_strobe),
      .response_valid_i(response_valid),
      .response_error_i(response_error),
      .response_data_i (response_data)
  );

  mu_axil_share u_share (
      .clk_i,
      .rst_ni,
      .access_valid_i  (access_valid),
      .access_ready_o  (access_ready),
      .access_write_i  (access_write),
      .access_address_i(access_address),
      .access_data_i   (access_data),
      .access_strobe_i (access_strobe),
      .response_valid_o(response_valid),
      .response_error_o(response_error),
      .response_data_o (response_data),
      .s_axil_awvalid,
      .s_axil_awready,
      .s_axil_awaddr,
      .s_axil_wvalid,
      .s_axil_wready,
      .s_axil_wdata,
      .s_axil_wstrb,
      .s_axil_bvalid,
      .s_axil_bready,
      .s_axil_bresp,
      .s_axil_arvalid,
      .s_axil_arready,
      .s_axil_araddr,
      .s_axil_rvalid,
      .s_axil_rready,
      .s_axil_rdata,
      .s_axil_rresp,
      .m_axil_awvalid,
      .m_axil_awready,
      .m_axil_awaddr,
      .m_axil_wvalid,
      .m_axil_wready,
      .m_axil_wdata,
      .m_axil_wstrb,
      .m_axil_bvalid,
      .m_axil_bready,
      .m_axil_bresp,
      .m_axil_arvalid,
      .m_axil_arready,
      .m_axil_araddr,
      .m_axil_rvalid,
      .m_axil_rready,
      .m_axil_rdata,
      .m_axil_rresp
  );
endmodule
`default_nettype wire

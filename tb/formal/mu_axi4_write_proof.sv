// SPDX-License-Identifier: Apache-2.0
// mu_axi4_write_proof: the write channels of the node's memory port keep the rules of AXI4.
//
//   any writers ---> [ mu_write_port ] <---> any memory that keeps the rules
//        every pin ---> [ mu_axi4_manager_properties ]
//
// Behaviour: commands are of 0 to BYTES bytes; everything else is free. What is proved is in the properties.
// Latency: none of its own.
// Limits: a proof, not part of the node; the properties of the read channels have nothing to see.
`default_nettype none

module mu_axi4_write_proof #(
    parameter int unsigned WRITES = 4,
    parameter int unsigned BYTES  = 544
) (
    input logic                                    clk_i,
    input logic                                    rst_ni,
    input logic [5:0]                              command_valid_i,
    input logic [6*mu_pkg::WRITE_COMMAND_BITS-1:0] command_data_i,
    input logic [5:0]                              beat_valid_i,
    input logic [6*256-1:0]                        beat_data_i,
    input logic                                    action_ready_i,
    input logic                                    m_axi_awready,
    input logic                                    m_axi_wready,
    input logic [1:0]                              m_axi_bid,
    input logic [1:0]                              m_axi_bresp,
    input logic                                    m_axi_bvalid
);
  localparam int unsigned RANGES = mu_pkg::TOUCH_RANGES;
  localparam int unsigned BYTES_LSB = 40;
  logic [5:0]            command_ready;
  logic [5:0]            beat_ready;
  logic                  action_valid;
  mu_pkg::write_action_t action_data;
  logic                  action_error;
  logic [RANGES-1:0]     action_touch;
  logic                  active;
  logic                  busy;
  logic [1:0]            m_axi_awid;
  logic [39:0]           m_axi_awaddr;
  logic [7:0]            m_axi_awlen;
  logic [2:0]            m_axi_awsize;
  logic [1:0]            m_axi_awburst;
  logic                  m_axi_awvalid;
  logic [255:0]          m_axi_wdata;
  logic [31:0]           m_axi_wstrb;
  logic                  m_axi_wlast;
  logic                  m_axi_wvalid;
  logic                  m_axi_bready;

  mu_write_port u_port (
      .clk_i,
      .rst_ni,
      .command_valid_i,
      .command_ready_o(command_ready),
      .command_data_i,
      .beat_valid_i,
      .beat_ready_o   (beat_ready),
      .beat_data_i,
      .action_valid_o (action_valid),
      .action_ready_i,
      .action_data_o  (action_data),
      .action_error_o (action_error),
      .action_touch_o (action_touch),
      .on_write_i     (RANGES'(0)),
      .row_i          (mu_pkg::TOUCH_ROW_BITS'(0)),
      .active_o       (active),
      .busy_o         (busy),
      .m_axi_awid,
      .m_axi_awaddr,
      .m_axi_awlen,
      .m_axi_awsize,
      .m_axi_awburst,
      .m_axi_awvalid,
      .m_axi_awready,
      .m_axi_wdata,
      .m_axi_wstrb,
      .m_axi_wlast,
      .m_axi_wvalid,
      .m_axi_wready,
      .m_axi_bid,
      .m_axi_bresp,
      .m_axi_bvalid,
      .m_axi_bready
  );
  mu_axi4_manager_properties #(
      .READS (1),
      .WRITES(WRITES)
  ) u_properties (
      .clk_i,
      .rst_ni,
      .m_axi_arid   (2'd0),
      .m_axi_araddr (40'd0),
      .m_axi_arlen  (8'd0),
      .m_axi_arsize (3'd0),
      .m_axi_arburst(2'd0),
      .m_axi_arvalid(1'b0),
      .m_axi_arready(1'b0),
      .m_axi_rid    (2'd0),
      .m_axi_rdata  (256'd0),
      .m_axi_rresp  (2'd0),
      .m_axi_rlast  (1'b0),
      .m_axi_rvalid (1'b0),
      .m_axi_rready (1'b0),
      .m_axi_awid,
      .m_axi_awaddr,
      .m_axi_awlen,
      .m_axi_awsize,
      .m_axi_awburst,
      .m_axi_awvalid,
      .m_axi_awready,
      .m_axi_wdata,
      .m_axi_wstrb,
      .m_axi_wlast,
      .m_axi_wvalid,
      .m_axi_wready,
      .m_axi_bid,
      .m_axi_bresp,
      .m_axi_bvalid,
      .m_axi_bready
  );

`ifdef FORMAL
  logic past_q = 1'b0;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    for (int w = 0; w < 6; w++) begin
      assume (command_data_i[w*mu_pkg::WRITE_COMMAND_BITS+BYTES_LSB+:10] <= 10'(BYTES));
    end
  end
  always_ff @(posedge clk_i) past_q <= 1'b1;
`endif
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_axi4_read_proof: the read channels of the node's memory port keep the rules of AXI4.
//
//   any requesters ---> [ mu_read_port ] <---> any memory that keeps the rules
//            every pin ---> [ mu_axi4_manager_properties ]
//
// Behaviour: commands are of 1 to BYTES bytes; everything else is free. What is proved is in the properties,
//   and that each beat goes to the requester of its ID: the beats that leave for one are those it is due.
// Latency: none of its own.
// Limits: a proof, not part of the node; the properties of the write channels have nothing to see.
`default_nettype none

module mu_axi4_read_proof #(
    parameter int unsigned READS = 2,
    parameter int unsigned BYTES = 512
) (
    input logic                  clk_i,
    input logic                  rst_ni,
    input mu_pkg::read_request_t fetch_read_i,
    input mu_pkg::read_request_t payload_read_i,
    input mu_pkg::read_request_t calc_read_i,
    input logic                  m_axi_arready,
    input logic [1:0]            m_axi_rid,
    input logic [255:0]          m_axi_rdata,
    input logic [1:0]            m_axi_rresp,
    input logic                  m_axi_rlast,
    input logic                  m_axi_rvalid
);
  localparam int unsigned RANGES = mu_pkg::TOUCH_RANGES;
  logic              fetch_command_ready;
  mu_pkg::read_beat_t fetch_beat;
  logic              payload_command_ready;
  mu_pkg::read_beat_t payload_beat;
  logic              calc_command_ready;
  mu_pkg::read_beat_t calc_beat;
  logic [RANGES-1:0] touch;
  logic [1:0]        failed;
  logic              active;
  logic              busy;
  logic [1:0]        m_axi_arid;
  logic [39:0]       m_axi_araddr;
  logic [7:0]        m_axi_arlen;
  logic [2:0]        m_axi_arsize;
  logic [1:0]        m_axi_arburst;
  logic              m_axi_arvalid;
  logic              m_axi_rready;

  mu_read_port u_port (
      .clk_i,
      .rst_ni,
      .fetch_read_i,
      .fetch_command_ready_o(fetch_command_ready),
      .fetch_beat_o(fetch_beat),
      .payload_read_i,
      .payload_command_ready_o(payload_command_ready),
      .payload_beat_o(payload_beat),
      .calc_read_i,
      .calc_command_ready_o(calc_command_ready),
      .calc_beat_o(calc_beat),
      .on_read_i              (RANGES'(0)),
      .row_i                  (mu_pkg::TOUCH_ROW_BITS'(0)),
      .touch_o                (touch),
      .failed_o               (failed),
      .active_o               (active),
      .busy_o                 (busy),
      .m_axi_arid,
      .m_axi_araddr,
      .m_axi_arlen,
      .m_axi_arsize,
      .m_axi_arburst,
      .m_axi_arvalid,
      .m_axi_arready,
      .m_axi_rid,
      .m_axi_rdata,
      .m_axi_rresp,
      .m_axi_rlast,
      .m_axi_rvalid,
      .m_axi_rready
  );
  mu_axi4_manager_properties #(
      .READS (READS),
      .WRITES(1)
  ) u_properties (
      .clk_i,
      .rst_ni,
      .m_axi_arid,
      .m_axi_araddr,
      .m_axi_arlen,
      .m_axi_arsize,
      .m_axi_arburst,
      .m_axi_arvalid,
      .m_axi_arready,
      .m_axi_rid,
      .m_axi_rdata,
      .m_axi_rresp,
      .m_axi_rlast,
      .m_axi_rvalid,
      .m_axi_rready,
      .m_axi_awid   (2'd0),
      .m_axi_awaddr (40'd0),
      .m_axi_awlen  (8'd0),
      .m_axi_awsize (3'd0),
      .m_axi_awburst(2'd0),
      .m_axi_awvalid(1'b0),
      .m_axi_awready(1'b0),
      .m_axi_wdata  (256'd0),
      .m_axi_wstrb  (32'd0),
      .m_axi_wlast  (1'b0),
      .m_axi_wvalid (1'b0),
      .m_axi_wready (1'b0),
      .m_axi_bid    (2'd0),
      .m_axi_bresp  (2'd0),
      .m_axi_bvalid (1'b0),
      .m_axi_bready (1'b0)
  );

`ifdef FORMAL
  // What leaves for a requester comes from its own ID: one or two cycles after its last beat, and
  // nothing comes in or is held for it without one.
  logic       past_q = 1'b0;
  logic [2:0] came_q;         // a beat came in the last cycle, by ID
  logic [2:0] came_before_q;  // and in the one before
  logic [2:0] comes;
  logic [2:0] leaves;
  assign comes  = m_axi_rvalid ? 3'b001 << m_axi_rid : '0;
  assign leaves = {calc_beat.valid, payload_beat.valid, fetch_beat.valid};
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (fetch_read_i.command.bytes != '0 && fetch_read_i.command.bytes <= 10'(BYTES));
    assume (payload_read_i.command.bytes != '0 && payload_read_i.command.bytes <= 10'(BYTES));
    assume (calc_read_i.command.bytes != '0 && calc_read_i.command.bytes <= 10'(BYTES));
  end
  always_ff @(posedge clk_i) begin
    past_q        <= 1'b1;
    came_q        <= rst_ni ? comes : '0;
    came_before_q <= rst_ni ? came_q : '0;
    if (past_q && rst_ni) beats_go_by_their_id : assert ((leaves & ~came_q & ~came_before_q) == '0);
  end
`endif
endmodule
`default_nettype wire

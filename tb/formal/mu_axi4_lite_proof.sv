// SPDX-License-Identifier: Apache-2.0
// mu_axi4_lite_proof: the AXI4-Lite port of the node keeps the rules, whatever its manager and blocks do.
//
//   any AXI4-Lite manager <---> [ mu_axil_slave ] <---> any block that answers in time
//             every pin ---> [ mu_axi4_lite_subordinate_properties ]
//
// Behaviour: the block answers an access within BLOCK_CYCLES after it came, once; everything else is free.
//   What is proved is in the properties.
// Latency: none of its own.
// Limits: a proof, not part of the node.
`default_nettype none

module mu_axi4_lite_proof #(
    parameter int unsigned BLOCK_CYCLES  = 3,
    parameter int unsigned ANSWER_CYCLES = 12
) (
    input logic        clk_i,
    input logic        rst_ni,
    input logic        s_axil_awvalid,
    input logic [19:0] s_axil_awaddr,
    input logic        s_axil_wvalid,
    input logic [63:0] s_axil_wdata,
    input logic [7:0]  s_axil_wstrb,
    input logic        s_axil_bready,
    input logic        s_axil_arvalid,
    input logic [19:0] s_axil_araddr,
    input logic        s_axil_rready,
    input logic        response_valid_i,
    input logic        response_error_i,
    input logic [63:0] response_data_i
);
  localparam int unsigned COUNT_BITS = $clog2(BLOCK_CYCLES + 2);
  logic        s_axil_awready;
  logic        s_axil_wready;
  logic        s_axil_bvalid;
  logic [1:0]  s_axil_bresp;
  logic        s_axil_arready;
  logic        s_axil_rvalid;
  logic [63:0] s_axil_rdata;
  logic [1:0]  s_axil_rresp;
  logic        busy;
  logic        access_valid;
  logic        access_write;
  logic [19:0] access_address;
  logic [63:0] access_data;
  logic [7:0]  access_strobe;

  mu_axil_slave u_slave (
      .clk_i,
      .rst_ni,
      .busy_o          (busy),
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
      .access_valid_o  (access_valid),
      .access_write_o  (access_write),
      .access_address_o(access_address),
      .access_data_o   (access_data),
      .access_strobe_o (access_strobe),
      .response_valid_i,
      .response_error_i,
      .response_data_i
  );
  mu_axi4_lite_subordinate_properties #(
      .ANSWER_CYCLES(ANSWER_CYCLES)
  ) u_properties (
      .clk_i,
      .rst_ni,
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
      .s_axil_rresp
  );

`ifdef FORMAL
  logic                  past_q = 1'b0;
  logic                  open_q;       // the block has an access
  logic [COUNT_BITS-1:0] waits_q;      // cycles since it came
  always_comb begin
    if (!past_q) assume (!rst_ni);
    if (32'(waits_q) >= BLOCK_CYCLES) assume (response_valid_i);
    if (!open_q) assume (!response_valid_i);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) begin
      open_q  <= 1'b0;
      waits_q <= '0;
    end else begin
      if (access_valid) open_q <= 1'b1;
      else if (response_valid_i) open_q <= 1'b0;
      waits_q <= open_q && !response_valid_i ? waits_q + 1'b1 : '0;
    end
  end
`endif
endmodule
`default_nettype wire

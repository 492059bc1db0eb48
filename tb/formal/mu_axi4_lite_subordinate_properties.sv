// SPDX-License-Identifier: Apache-2.0
// mu_axi4_lite_subordinate_properties: what AXI4-Lite asks of who answers, and of who asks it.
//
//   every pin of an AXI4-Lite port ---> [ counts of what is owed ] ---> assertions
//
// Behaviour: the rules of IHI 0022 (sections in brackets). VALID is low after reset [A3.1.2]; VALID and its
//   payload stay until READY [A3.2.1]; B comes after the cycle of AW and of W, R after that of AR, and one
//   for each [A3.3.1, B1.1]; no response is EXOKAY [B1.1.1]. Ours besides: at most OPEN accesses of a kind
//   are open, READY is low only while one is, and an answer is offered in at most ANSWER_CYCLES after its
//   request was whole and the answer before it taken. In a proof the duties of the manager are assumed.
// Latency: looks at each cycle as it is; the counts are those of the cycles before.
// Limits: ANSWER_CYCLES 0: no bound. Reset is synchronous; VALID is looked at in the first cycle after it.
`default_nettype none

`ifdef FORMAL
`define MANAGER_DUTY assume
`else
`define MANAGER_DUTY assert
`endif

module mu_axi4_lite_subordinate_properties #(
    parameter int unsigned OPEN          = 2,
    parameter int unsigned ANSWER_CYCLES = 0
) (
    input logic        clk_i,
    input logic        rst_ni,
    input logic        s_axil_awvalid,
    input logic        s_axil_awready,
    input logic [19:0] s_axil_awaddr,
    input logic        s_axil_wvalid,
    input logic        s_axil_wready,
    input logic [63:0] s_axil_wdata,
    input logic [7:0]  s_axil_wstrb,
    input logic        s_axil_bvalid,
    input logic        s_axil_bready,
    input logic [1:0]  s_axil_bresp,
    input logic        s_axil_arvalid,
    input logic        s_axil_arready,
    input logic [19:0] s_axil_araddr,
    input logic        s_axil_rvalid,
    input logic        s_axil_rready,
    input logic [63:0] s_axil_rdata,
    input logic [1:0]  s_axil_rresp
);
  localparam int unsigned OPEN_BITS = $clog2(OPEN + 2);
  localparam int unsigned WAIT_BITS = $clog2(ANSWER_CYCLES + 2);
  localparam logic [1:0] EXOKAY = 2'b01;

  logic                 in_reset_q;     // the last edge was one of reset
  logic [OPEN_BITS-1:0] aw_open_q;      // addresses taken, not answered
  logic [OPEN_BITS-1:0] w_open_q;
  logic [OPEN_BITS-1:0] ar_open_q;
  logic [WAIT_BITS-1:0] b_wait_q;       // cycles in which the answer was owed and not offered
  logic [WAIT_BITS-1:0] r_wait_q;
  // What was offered in the last cycle and not taken.
  logic                 aw_held_q;
  logic                 w_held_q;
  logic                 b_held_q;
  logic                 ar_held_q;
  logic                 r_held_q;
  logic [19:0]          aw_payload_q;
  logic [71:0]          w_payload_q;
  logic [1:0]           b_payload_q;
  logic [19:0]          ar_payload_q;
  logic [65:0]          r_payload_q;
  logic                 b_owed;
  logic                 r_owed;

  assign b_owed = aw_open_q != '0 && w_open_q != '0;
  assign r_owed = ar_open_q != '0;

  always_ff @(posedge clk_i) begin
    in_reset_q <= !rst_ni;
    if (!rst_ni) begin
      aw_open_q <= '0;
      w_open_q  <= '0;
      ar_open_q <= '0;
      b_wait_q  <= '0;
      r_wait_q  <= '0;
      aw_held_q <= 1'b0;
      w_held_q  <= 1'b0;
      b_held_q  <= 1'b0;
      ar_held_q <= 1'b0;
      r_held_q  <= 1'b0;
    end else begin
      aw_open_q <= aw_open_q + OPEN_BITS'(s_axil_awvalid && s_axil_awready) -
          OPEN_BITS'(s_axil_bvalid && s_axil_bready);
      w_open_q  <= w_open_q + OPEN_BITS'(s_axil_wvalid && s_axil_wready) -
          OPEN_BITS'(s_axil_bvalid && s_axil_bready);
      ar_open_q <= ar_open_q + OPEN_BITS'(s_axil_arvalid && s_axil_arready) -
          OPEN_BITS'(s_axil_rvalid && s_axil_rready);
      b_wait_q  <= b_owed && !s_axil_bvalid && 32'(b_wait_q) <= ANSWER_CYCLES ? b_wait_q + 1'b1 : '0;
      r_wait_q  <= r_owed && !s_axil_rvalid && 32'(r_wait_q) <= ANSWER_CYCLES ? r_wait_q + 1'b1 : '0;
      aw_held_q <= s_axil_awvalid && !s_axil_awready;
      w_held_q  <= s_axil_wvalid && !s_axil_wready;
      b_held_q  <= s_axil_bvalid && !s_axil_bready;
      ar_held_q <= s_axil_arvalid && !s_axil_arready;
      r_held_q  <= s_axil_rvalid && !s_axil_rready;
    end
  end
  // A payload that was taken in its first cycle is never looked at.
  always_ff @(posedge clk_i) begin
    if (s_axil_awvalid) aw_payload_q <= s_axil_awaddr;
    if (s_axil_wvalid) w_payload_q <= {s_axil_wstrb, s_axil_wdata};
    if (s_axil_bvalid) b_payload_q <= s_axil_bresp;
    if (s_axil_arvalid) ar_payload_q <= s_axil_araddr;
    if (s_axil_rvalid) r_payload_q <= {s_axil_rresp, s_axil_rdata};
  end

  // --- duties of the subordinate -----------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (rst_ni && in_reset_q) reset_answers_nothing : assert (!s_axil_bvalid && !s_axil_rvalid);
    if (rst_ni) begin
      if (b_held_q) b_stays : assert (s_axil_bvalid && s_axil_bresp == b_payload_q);
      if (r_held_q) r_stays : assert (s_axil_rvalid && {s_axil_rresp, s_axil_rdata} == r_payload_q);
      if (s_axil_bvalid) b_after_its_write : assert (b_owed);
      if (s_axil_rvalid) r_after_its_read : assert (r_owed);
      if (s_axil_bvalid) b_never_exclusive : assert (s_axil_bresp != EXOKAY);
      if (s_axil_rvalid) r_never_exclusive : assert (s_axil_rresp != EXOKAY);
      open_is_bounded :
      assert (32'(aw_open_q) <= OPEN && 32'(w_open_q) <= OPEN && 32'(ar_open_q) <= OPEN);
      if (s_axil_awvalid && !s_axil_awready) aw_waits_for_an_answer : assert (aw_open_q != '0);
      if (s_axil_wvalid && !s_axil_wready) w_waits_for_an_answer : assert (w_open_q != '0);
      if (s_axil_arvalid && !s_axil_arready) ar_waits_for_an_answer : assert (ar_open_q != '0);
      if (ANSWER_CYCLES != 0) begin
        b_comes_in_time : assert (32'(b_wait_q) <= ANSWER_CYCLES);
        r_comes_in_time : assert (32'(r_wait_q) <= ANSWER_CYCLES);
      end
    end
  end

  // --- duties of the manager ---------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (aw_held_q) aw_stays : `MANAGER_DUTY (s_axil_awvalid && s_axil_awaddr == aw_payload_q);
      if (w_held_q) w_stays : `MANAGER_DUTY (s_axil_wvalid && {s_axil_wstrb, s_axil_wdata} == w_payload_q);
      if (ar_held_q) ar_stays : `MANAGER_DUTY (s_axil_arvalid && s_axil_araddr == ar_payload_q);
    end
  end
endmodule
`undef MANAGER_DUTY
`default_nettype wire

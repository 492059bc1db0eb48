// SPDX-License-Identifier: Apache-2.0
// mu_axil_share: two that access registers, an AXI4-Lite manager and the TAP, in front of one AXI4-Lite bus.
//
//   s_axil_* AW + W ---+
//   s_axil_* AR     ---+---> [ round robin ] ---> [ one access ] <---> m_axil_*
//   access_*        ---+                               |
//   s_axil_* B, R, response_* <------------------------+
//
// Behaviour: one access at a time is taken, done on m_axil_* and answered to whoever asked, with data and
//   response code as they came. Writes of s_axil_*, its reads, and accesses of the TAP take turns, so each
//   waits for at most two others. A write is taken once both its address and its data are offered, and an
//   access of s_axil_* only while the response register of its kind is free: a manager that holds back B
//   or R stops neither its other kind nor the TAP.
// Latency: three cycles more than without it: an offer is chosen, taken a cycle later and offered on m_axil_*
//   in the next; a response of s_axil_* is offered a cycle after it came.
// Limits: response_valid_o, response_error_o and response_data_o pass through from m_axil_* and are for a
//   register next door. AxPROT is not carried: the node does not look at it.
`default_nettype none

module mu_axil_share (
    input  logic        clk_i,
    input  logic        rst_ni,
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
    // the TAP
    input  logic        access_valid_i,
    output logic        access_ready_o,
    input  logic        access_write_i,
    input  logic [19:0] access_address_i,
    input  logic [63:0] access_data_i,
    input  logic [7:0]  access_strobe_i,
    output logic        response_valid_o,
    output logic        response_error_o,
    output logic [63:0] response_data_o,
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
  // Who asks: bits of a choice.
  localparam int unsigned WRITE = 0, READ = 1, TAP = 2;

  logic [2:0]  asks, chosen;
  logic        any_asks, chooses;
  logic [2:0]  take_q;   // the access that is taken in this cycle
  logic [2:0]  serve_q;  // the access that is under way
  logic        aw_valid_q, w_valid_q, ar_valid_q;
  logic        b_wait_q, r_wait_q;  // its answer is to come
  logic [19:0] address_q;
  logic [63:0] data_q;
  logic [7:0]  strobe_q;
  logic        b_valid_q, r_valid_q;
  logic [1:0]  b_response_q, r_response_q;
  logic [63:0] r_data_q;
  logic        b_comes, r_comes, idle, taken_writes;
  logic [1:0]  unused_index;

  assign idle        = take_q == '0 && serve_q == '0;
  assign asks[WRITE] = idle && s_axil_awvalid && s_axil_wvalid && !b_valid_q;
  assign asks[READ]  = idle && s_axil_arvalid && !r_valid_q;
  assign asks[TAP]   = idle && access_valid_i;
  assign chooses     = any_asks && idle;

  mu_arbiter #(
      .COUNT(3)
  ) u_arbiter (
      .clk_i,
      .rst_ni,
      .request_i(asks),
      .valid_o  (any_asks),
      .grant_o  (chosen),
      .index_o  (unused_index),
      .accept_i (chooses)
  );

  assign taken_writes = take_q[WRITE] || (take_q[TAP] && access_write_i);
  assign b_comes      = b_wait_q && m_axil_bvalid;
  assign r_comes      = r_wait_q && m_axil_rvalid;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      take_q     <= '0;
      serve_q    <= '0;
      aw_valid_q <= 1'b0;
      w_valid_q  <= 1'b0;
      ar_valid_q <= 1'b0;
      b_wait_q   <= 1'b0;
      r_wait_q   <= 1'b0;
    end else begin
      take_q <= chooses ? chosen : '0;
      if (m_axil_awready) aw_valid_q <= 1'b0;
      if (m_axil_wready) w_valid_q <= 1'b0;
      if (m_axil_arready) ar_valid_q <= 1'b0;
      if (b_comes || r_comes) begin
        serve_q  <= '0;
        b_wait_q <= 1'b0;
        r_wait_q <= 1'b0;
      end
      if (take_q != '0) begin
        serve_q    <= take_q;
        aw_valid_q <= taken_writes;
        w_valid_q  <= taken_writes;
        b_wait_q   <= taken_writes;
        ar_valid_q <= !taken_writes;
        r_wait_q   <= !taken_writes;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_q != '0) begin
      address_q <= take_q[TAP] ? access_address_i : take_q[WRITE] ? s_axil_awaddr : s_axil_araddr;
      data_q    <= take_q[TAP] ? access_data_i : s_axil_wdata;
      strobe_q  <= take_q[TAP] ? access_strobe_i : s_axil_wstrb;
    end
  end

  // Responses of s_axil_*.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      b_valid_q <= 1'b0;
      r_valid_q <= 1'b0;
    end else begin
      if (b_comes && serve_q[WRITE]) b_valid_q <= 1'b1;
      else if (s_axil_bready) b_valid_q <= 1'b0;
      if (r_comes && serve_q[READ]) r_valid_q <= 1'b1;
      else if (s_axil_rready) r_valid_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (b_comes && serve_q[WRITE]) b_response_q <= m_axil_bresp;
    if (r_comes && serve_q[READ]) begin
      r_response_q <= m_axil_rresp;
      r_data_q     <= m_axil_rdata;
    end
  end

  assign s_axil_awready = take_q[WRITE];
  assign s_axil_wready  = take_q[WRITE];
  assign s_axil_arready = take_q[READ];
  assign s_axil_bvalid  = b_valid_q;
  assign s_axil_bresp   = b_response_q;
  assign s_axil_rvalid  = r_valid_q;
  assign s_axil_rdata   = r_data_q;
  assign s_axil_rresp   = r_response_q;

  assign access_ready_o   = take_q[TAP];
  assign response_valid_o = (b_comes || r_comes) && serve_q[TAP];
  assign response_error_o = b_wait_q ? m_axil_bresp[1] : m_axil_rresp[1];
  assign response_data_o  = m_axil_rdata;

  assign m_axil_awvalid = aw_valid_q;
  assign m_axil_awaddr  = address_q;
  assign m_axil_wvalid  = w_valid_q;
  assign m_axil_wdata   = data_q;
  assign m_axil_wstrb   = strobe_q;
  assign m_axil_bready  = b_wait_q;
  assign m_axil_arvalid = ar_valid_q;
  assign m_axil_araddr  = address_q;
  assign m_axil_rready  = r_wait_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      one_access_open : assert ($onehot0(take_q) && $onehot0(serve_q) && (take_q == '0 || serve_q == '0));
      one_kind_waits : assert (b_wait_q + r_wait_q == (serve_q != '0));
      no_response_overwritten : assert (!(b_comes && serve_q[WRITE] && b_valid_q) &&
                                        !(r_comes && serve_q[READ] && r_valid_q));
      offers_stand_until_taken : assert ((!take_q[WRITE] || (s_axil_awvalid && s_axil_wvalid)) &&
                                         (!take_q[READ] || s_axil_arvalid) &&
                                         (!take_q[TAP] || access_valid_i));
    end
  end

`ifdef PROVE_MU_AXIL_SHARE
  // Each of the three has its own count, modulo four, of what was taken, what the node took and what was
  // answered. Counts of the node are those of one that the solver chooses; while it is served the node's
  // offers carry its address and data.
  (* anyconst *) logic [1:0] who;
  logic        past_q = 1'b0;
  logic [2:0]  stood_q = '0;           // offered, and not taken
  logic [1:0]  taken_q, aw_q, w_q, ar_q, answered_q;
  logic        writes_q;               // what was taken last writes
  logic [19:0] asked_address_q;
  logic [63:0] asked_data_q;
  logic [7:0]  asked_strobe_q;
  logic        mine, answered, held;
  logic        b_held_q = 1'b0, r_held_q = 1'b0;
  logic [1:0]  b_before_q, r_before_q;
  logic [63:0] data_before_q;
  logic [1:0]  passed_q = '0;          // others that were taken while the TAP waited
  assign mine     = serve_q[who];
  assign answered = who == 2'(TAP) ? response_valid_o : who == 2'(WRITE) ? s_axil_bvalid && s_axil_bready :
                    s_axil_rvalid && s_axil_rready;
  assign held     = who == 2'(WRITE) ? b_valid_q : who == 2'(READ) && r_valid_q;
  always_comb begin
    assume (who < 2'd3);
    if (!past_q) assume (!rst_ni);
    if (past_q && rst_ni) begin
      if (stood_q[0]) assume (s_axil_awvalid && s_axil_wvalid);
      if (stood_q[1]) assume (s_axil_arvalid);
      if (stood_q[2]) assume (access_valid_i);
      // The node answers what it has taken.
      if (aw_valid_q || w_valid_q) assume (!m_axil_bvalid);
      if (ar_valid_q) assume (!m_axil_rvalid);
    end
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) stood_q <= '0;
    else stood_q <= {access_valid_i && !access_ready_o, s_axil_arvalid && !s_axil_arready,
                     s_axil_awvalid && s_axil_wvalid && !s_axil_awready};
    b_held_q      <= rst_ni && s_axil_bvalid && !s_axil_bready;
    r_held_q      <= rst_ni && s_axil_rvalid && !s_axil_rready;
    b_before_q    <= s_axil_bresp;
    r_before_q    <= s_axil_rresp;
    data_before_q <= s_axil_rdata;
    if (!rst_ni || !access_valid_i || take_q[TAP]) passed_q <= '0;
    else if (take_q != '0 && passed_q != 2'd3) passed_q <= passed_q + 2'd1;
    if (!rst_ni) begin
      {taken_q, aw_q, w_q, ar_q, answered_q} <= '0;
    end else begin
      taken_q    <= taken_q + 2'(take_q[who]);
      aw_q       <= aw_q + 2'(mine && m_axil_awvalid && m_axil_awready);
      w_q        <= w_q + 2'(mine && m_axil_wvalid && m_axil_wready);
      ar_q       <= ar_q + 2'(mine && m_axil_arvalid && m_axil_arready);
      answered_q <= answered_q + 2'(answered);
    end
    if (take_q[who]) begin
      writes_q        <= taken_writes;
      asked_address_q <= who == 2'(TAP) ? access_address_i :
                         who == 2'(WRITE) ? s_axil_awaddr : s_axil_araddr;
      asked_data_q    <= who == 2'(TAP) ? access_data_i : s_axil_wdata;
      asked_strobe_q  <= who == 2'(TAP) ? access_strobe_i : s_axil_wstrb;
    end
    if (past_q && rst_ni) begin
      answers_each_once : assert (taken_q == answered_q + 2'(mine) + 2'(held));
      offers_each_once : assert (taken_q == aw_q + ar_q + 2'(mine && (aw_valid_q || ar_valid_q)));
      data_goes_with_the_address : assert (w_q + 2'(mine && w_valid_q) == aw_q + 2'(mine && aw_valid_q));
      if (mine) carries_what_was_asked :
        assert (address_q == asked_address_q && b_wait_q == writes_q &&
                (!writes_q || (data_q == asked_data_q && strobe_q == asked_strobe_q)));
      reads_stay_reads : assert (!(serve_q[READ] && b_wait_q) && !(serve_q[WRITE] && r_wait_q));
      tap_waits_for_two_at_most : assert (passed_q != 2'd3);
      b_holds_until_taken : assert (!b_held_q || (s_axil_bvalid && s_axil_bresp == b_before_q));
      r_holds_until_taken : assert (!r_held_q || (s_axil_rvalid && s_axil_rresp == r_before_q &&
                                                  s_axil_rdata == data_before_q));
    end
  end
`endif
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_axi4_manager_properties: what AXI4 asks of the node where it uses its memory, and of the memory.
//
//   every pin of the AXI4 port ---> [ bursts that are open, by ID ] ---> assertions
//
// Behaviour: the rules of IHI 0022 (sections in brackets). VALID is low after reset [A3.1.2]; VALID and its
//   payload stay until READY [A3.2.1]; bursts are INCR of full width, aligned, no longer than allowed, and
//   stay in their 4 KiB [A3.4.1]; WLAST comes with the last beat that the address promised, and not before
//   [A3.2.2]; no response is EXOKAY, for none was asked for [A7.2]. Ours besides: the IDs, a word is offered
//   only with or after its address, at most READS bursts of an ID wait for data and WRITES for responses.
//   The memory's: B after the cycle of AW and WLAST, R after that of AR [A3.3.1], one for each; within an ID
//   data comes in the order of the addresses, RLAST with the last beat [A5.3.1, A3.2.2]. In a proof the
//   duties of the memory are assumed.
// Latency: looks at each cycle as it is; the counts are those of the cycles before.
// Limits: 40-bit addresses, words of 256 bits, IDs 0 to 2 for reads and 0 for writes. LEAD addresses may be
//   ahead of their data. Reset is synchronous; VALID is looked at in the first cycle after it.
`default_nettype none

`ifdef FORMAL
`define MEMORY_DUTY assume
`else
`define MEMORY_DUTY assert
`endif

module mu_axi4_manager_properties #(
    parameter int unsigned READS  = 8,
    parameter int unsigned WRITES = 16,
    parameter int unsigned LEAD   = 4
) (
    input logic         clk_i,
    input logic         rst_ni,
    input logic [1:0]   m_axi_arid,
    input logic [39:0]  m_axi_araddr,
    input logic [7:0]   m_axi_arlen,
    input logic [2:0]   m_axi_arsize,
    input logic [1:0]   m_axi_arburst,
    input logic         m_axi_arvalid,
    input logic         m_axi_arready,
    input logic [1:0]   m_axi_rid,
    input logic [255:0] m_axi_rdata,
    input logic [1:0]   m_axi_rresp,
    input logic         m_axi_rlast,
    input logic         m_axi_rvalid,
    input logic         m_axi_rready,
    input logic [1:0]   m_axi_awid,
    input logic [39:0]  m_axi_awaddr,
    input logic [7:0]   m_axi_awlen,
    input logic [2:0]   m_axi_awsize,
    input logic [1:0]   m_axi_awburst,
    input logic         m_axi_awvalid,
    input logic         m_axi_awready,
    input logic [255:0] m_axi_wdata,
    input logic [31:0]  m_axi_wstrb,
    input logic         m_axi_wlast,
    input logic         m_axi_wvalid,
    input logic         m_axi_wready,
    input logic [1:0]   m_axi_bid,
    input logic [1:0]   m_axi_bresp,
    input logic         m_axi_bvalid,
    input logic         m_axi_bready
);
  localparam int unsigned READ_IDS    = 3;
  localparam int unsigned LENGTH_BITS = 5;
  localparam logic [7:0]  LONGEST_READ  = 8'd17;  // 512 bytes of any alignment
  localparam logic [7:0]  LONGEST_WRITE = 8'd18;  // 544 bytes
  localparam logic [2:0]  FULL_WIDTH  = 3'd5;
  localparam logic [1:0]  INCREMENT   = 2'd1;
  localparam logic [1:0]  EXOKAY      = 2'd1;

  logic in_reset_q;     // the last edge was one of reset
  logic ar_taken;
  logic aw_taken;
  logic w_taken;
  logic r_taken;
  logic b_taken;
  assign ar_taken = m_axi_arvalid && m_axi_arready;
  assign aw_taken = m_axi_awvalid && m_axi_awready;
  assign w_taken  = m_axi_wvalid && m_axi_wready;
  assign r_taken  = m_axi_rvalid && m_axi_rready;
  assign b_taken  = m_axi_bvalid && m_axi_bready;

  // --- what was offered in the last cycle and not taken -----------------------------------------
  logic         ar_held_q;
  logic         aw_held_q;
  logic         w_held_q;
  logic         r_held_q;
  logic         b_held_q;
  logic [54:0]  ar_payload_q;
  logic [54:0]  aw_payload_q;
  logic [288:0] w_payload_q;
  logic [260:0] r_payload_q;
  logic [3:0]   b_payload_q;
  logic [54:0]  ar_payload;
  logic [54:0]  aw_payload;
  assign ar_payload = {m_axi_arid, m_axi_araddr, m_axi_arlen, m_axi_arsize, m_axi_arburst};
  assign aw_payload = {m_axi_awid, m_axi_awaddr, m_axi_awlen, m_axi_awsize, m_axi_awburst};

  always_ff @(posedge clk_i) begin
    in_reset_q <= !rst_ni;
    ar_held_q <= rst_ni && m_axi_arvalid && !m_axi_arready;
    aw_held_q <= rst_ni && m_axi_awvalid && !m_axi_awready;
    w_held_q  <= rst_ni && m_axi_wvalid && !m_axi_wready;
    r_held_q  <= rst_ni && m_axi_rvalid && !m_axi_rready;
    b_held_q  <= rst_ni && m_axi_bvalid && !m_axi_bready;
    if (m_axi_arvalid) ar_payload_q <= ar_payload;
    if (m_axi_awvalid) aw_payload_q <= aw_payload;
    if (m_axi_wvalid) w_payload_q <= {m_axi_wlast, m_axi_wstrb, m_axi_wdata};
    if (m_axi_rvalid) r_payload_q <= {m_axi_rid, m_axi_rresp, m_axi_rlast, m_axi_rdata};
    if (m_axi_bvalid) b_payload_q <= {m_axi_bid, m_axi_bresp};
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && in_reset_q) begin
      reset_asks_for_nothing : assert (!m_axi_arvalid && !m_axi_awvalid && !m_axi_wvalid);
    end
    if (rst_ni) begin
      if (ar_held_q) ar_stays : assert (m_axi_arvalid && ar_payload == ar_payload_q);
      if (aw_held_q) aw_stays : assert (m_axi_awvalid && aw_payload == aw_payload_q);
      if (w_held_q) begin
        w_stays : assert (m_axi_wvalid && {m_axi_wlast, m_axi_wstrb, m_axi_wdata} == w_payload_q);
      end
      if (m_axi_arvalid) begin
        ar_is_a_full_burst : assert (m_axi_arsize == FULL_WIDTH && m_axi_arburst == INCREMENT);
        ar_is_aligned : assert (m_axi_araddr[4:0] == '0);
        ar_is_not_too_long : assert (m_axi_arlen < LONGEST_READ);
        ar_stays_in_its_page : assert (9'(m_axi_araddr[11:5]) + 9'(m_axi_arlen) < 9'd128);
        ar_has_an_id : assert (32'(m_axi_arid) < READ_IDS);
      end
      if (m_axi_awvalid) begin
        aw_is_a_full_burst : assert (m_axi_awsize == FULL_WIDTH && m_axi_awburst == INCREMENT);
        aw_is_aligned : assert (m_axi_awaddr[4:0] == '0);
        aw_is_not_too_long : assert (m_axi_awlen < LONGEST_WRITE);
        aw_stays_in_its_page : assert (9'(m_axi_awaddr[11:5]) + 9'(m_axi_awlen) < 9'd128);
        aw_has_the_one_id : assert (m_axi_awid == '0);
      end
    end
  end

  // --- writes: addresses ahead of their data, data ahead of its address, what awaits its response -
  logic [$clog2(LEAD+1)-1:0]     ahead_q;    // addresses taken whose last word is not
  logic                          led_q;      // the last word of the address that is offered was taken
  logic [LEAD*LENGTH_BITS-1:0]   lengths_q;  // of those ahead, the oldest lowest
  logic [LENGTH_BITS-1:0]        beat_q;     // words taken of the current burst
  logic [$clog2(WRITES+LEAD)-1:0] written_q; // bursts whole, without response
  logic                          w_ends;
  logic                          joins;      // an address comes to stand before its data
  logic                          whole;      // a burst is whole with this cycle
  logic [LENGTH_BITS-1:0]        length;
  assign w_ends = w_taken && m_axi_wlast;
  assign joins  = aw_taken && !led_q && !(w_ends && ahead_q == '0);
  assign whole  = (w_ends && (ahead_q != '0 || aw_taken)) || (aw_taken && led_q);
  assign length = ahead_q != '0 ? lengths_q[LENGTH_BITS-1:0] : LENGTH_BITS'(m_axi_awlen);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      ahead_q   <= '0;
      led_q     <= 1'b0;
      beat_q    <= '0;
      written_q <= '0;
    end else if (aw_taken || w_taken || b_taken) begin
      ahead_q   <= ahead_q + $clog2(LEAD+1)'(joins) - $clog2(LEAD+1)'(w_ends && ahead_q != '0);
      led_q     <= (led_q || (w_ends && ahead_q == '0)) && !aw_taken;
      if (w_taken) beat_q <= m_axi_wlast ? '0 : beat_q + 1'b1;
      written_q <= written_q + $clog2(WRITES+LEAD)'(whole) - $clog2(WRITES+LEAD)'(b_taken);
      for (int i = 0; i < LEAD; i++) begin
        if (joins && 32'(ahead_q) == i + 32'(w_ends && ahead_q != '0))
          lengths_q[i*LENGTH_BITS+:LENGTH_BITS] <= LENGTH_BITS'(m_axi_awlen);
        else if (w_ends && ahead_q != '0 && i + 1 < LEAD)
          lengths_q[i*LENGTH_BITS+:LENGTH_BITS] <= lengths_q[(i+1)%LEAD*LENGTH_BITS+:LENGTH_BITS];
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (m_axi_wvalid) begin
        w_with_or_after_its_address : assert (ahead_q != '0 || (m_axi_awvalid && !led_q));
        wlast_with_the_last_word : assert (m_axi_wlast == (beat_q == length));
      end
      lead_is_bounded : assert (!joins || 32'(ahead_q) < LEAD);
      writes_are_bounded : assert (32'(written_q) + 32'(ahead_q) <= WRITES);
    end
  end

  // --- reads: bursts of each ID that await data --------------------------------------------------
  logic [READ_IDS-1:0] some;  // one is open
  logic [READ_IDS-1:0] many;  // too many are
  logic [READ_IDS-1:0] last;  // only one beat of the oldest is to come
  for (genvar id = 0; id < READ_IDS; id++) begin : gen_id
    logic [$clog2(READS+2)-1:0]   open_q;
    logic [READS*LENGTH_BITS-1:0] open_lengths_q;  // the oldest lowest
    logic [LENGTH_BITS-1:0]       came_q;          // beats of the oldest
    logic                         opens;
    logic                         comes;
    logic                         closes;
    assign opens    = ar_taken && 32'(m_axi_arid) == id;
    assign comes    = r_taken && 32'(m_axi_rid) == id;
    assign closes   = comes && m_axi_rlast;
    assign some[id] = open_q != '0;
    assign many[id] = 32'(open_q) > READS;
    assign last[id] = came_q == open_lengths_q[LENGTH_BITS-1:0];
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        open_q <= '0;
        came_q <= '0;
      end else if (opens || comes) begin
        open_q <= open_q + $clog2(READS+2)'(opens) - $clog2(READS+2)'(closes);
        if (comes) came_q <= m_axi_rlast ? '0 : came_q + 1'b1;
        for (int i = 0; i < READS; i++) begin
          if (opens && 32'(open_q) == i + 32'(closes))
            open_lengths_q[i*LENGTH_BITS+:LENGTH_BITS] <= LENGTH_BITS'(m_axi_arlen);
          else if (closes && i + 1 < READS)
            open_lengths_q[i*LENGTH_BITS+:LENGTH_BITS] <=
                open_lengths_q[(i+1)%READS*LENGTH_BITS+:LENGTH_BITS];
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) reads_are_bounded : assert (many == '0);
  end

  // --- duties of the memory ----------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (r_held_q) begin
        r_stays : `MEMORY_DUTY (m_axi_rvalid &&
                                {m_axi_rid, m_axi_rresp, m_axi_rlast, m_axi_rdata} == r_payload_q);
      end
      if (b_held_q) b_stays : `MEMORY_DUTY (m_axi_bvalid && {m_axi_bid, m_axi_bresp} == b_payload_q);
      if (m_axi_rvalid) begin
        r_has_a_known_id : `MEMORY_DUTY (32'(m_axi_rid) < READ_IDS);
        r_was_asked_for : `MEMORY_DUTY (some[m_axi_rid]);
        rlast_with_the_last_beat : `MEMORY_DUTY (m_axi_rlast == last[m_axi_rid]);
      end
      if (m_axi_rvalid) r_never_exclusive : `MEMORY_DUTY (m_axi_rresp != EXOKAY);
      if (m_axi_bvalid) b_has_the_one_id : `MEMORY_DUTY (m_axi_bid == '0);
      if (m_axi_bvalid) b_never_exclusive : `MEMORY_DUTY (m_axi_bresp != EXOKAY);
      if (m_axi_bvalid) b_after_its_write : `MEMORY_DUTY (written_q != '0);
    end
  end
endmodule
`undef MEMORY_DUTY
`default_nettype wire

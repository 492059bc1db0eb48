// SPDX-License-Identifier: Apache-2.0
// mu_axil_slave: the AXI4-Lite side of the register space; one access at a time, AW and W in any order.
//
//   AW, W ---> [ one register each ] ---+---> access_* (one cycle) ---> response_* (one cycle) ---> B
//   AR    ---> [ one register ]      ---+                                                      ---> R
//
// Behaviour: every address taken becomes one access and gets one B or R, with SLVERR if response_error_i.
//   B and R hold until taken; an access begins only when the response register of its kind is free, so a
//   master may hold back either response without blocking the other kind, and reads and writes that wait
//   together take turns: one just answered has its register full while the other begins. A write goes first.
// Latency: access_valid_o one cycle after the later of AW and W, or after AR; B or R one cycle after
//   response_valid_i. The address registers are free again when the access begins.
// Limits: whoever gets an access takes it in the one cycle of access_valid_o and answers once, at least one
//   cycle later (asserted); before that no other comes. xPROT is not looked at: who may reach which page is
//   the business of whoever maps the pages.
`default_nettype none

module mu_axil_slave (
    input  logic        clk_i,
    input  logic        rst_ni,
    output logic        busy_o,
    // AXI4-Lite
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
    // decoder
    output logic        access_valid_o,
    output logic        access_write_o,
    output logic [19:0] access_address_o,
    output logic [63:0] access_data_o,
    output logic [7:0]  access_strobe_o,
    // its answer
    input  logic        response_valid_i,
    input  logic        response_error_i,
    input  logic [63:0] response_data_i
);
  localparam logic [1:0] RESPONSE_OKAY   = 2'b00;
  localparam logic [1:0] RESPONSE_SLVERR = 2'b10;

  // A ready register is low exactly while its payload register is occupied.
  logic        aw_ready_q;
  logic        w_ready_q;
  logic        ar_ready_q;
  logic [19:0] aw_address_q;
  logic [19:0] ar_address_q;
  logic [63:0] w_data_q;
  logic [7:0]  w_strobe_q;
  logic        write_open_q;  // a write has begun and is not answered
  logic        read_open_q;
  logic        b_valid_q;
  logic        b_error_q;
  logic        r_valid_q;
  logic        r_error_q;
  logic [63:0] r_data_q;
  logic        write_waits;
  logic        read_waits;
  logic        begins;       // something is offered

  assign begins         = s_axil_awvalid || s_axil_wvalid || s_axil_arvalid;
  assign s_axil_awready = aw_ready_q;
  assign s_axil_wready  = w_ready_q;
  assign s_axil_arready = ar_ready_q;
  assign s_axil_bvalid  = b_valid_q;
  assign s_axil_bresp   = b_error_q ? RESPONSE_SLVERR : RESPONSE_OKAY;
  assign s_axil_rvalid  = r_valid_q;
  assign s_axil_rdata   = r_data_q;
  assign s_axil_rresp   = r_error_q ? RESPONSE_SLVERR : RESPONSE_OKAY;

  assign write_waits      = !aw_ready_q && !w_ready_q && !b_valid_q;
  assign read_waits       = !ar_ready_q && !r_valid_q;
  assign access_valid_o   = (write_waits || read_waits) && !write_open_q && !read_open_q;
  assign access_write_o   = write_waits;
  assign access_address_o = access_write_o ? aw_address_q : ar_address_q;
  assign access_data_o    = w_data_q;
  assign access_strobe_o  = w_strobe_q;
  assign busy_o           = !(aw_ready_q && w_ready_q && ar_ready_q) || write_open_q || read_open_q ||
                            b_valid_q || r_valid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      aw_ready_q   <= 1'b1;
      w_ready_q    <= 1'b1;
      ar_ready_q   <= 1'b1;
      write_open_q <= 1'b0;
      read_open_q  <= 1'b0;
      b_valid_q    <= 1'b0;
      r_valid_q    <= 1'b0;
    end else if (busy_o || begins) begin
      if (s_axil_awvalid && aw_ready_q) aw_ready_q <= 1'b0;
      if (s_axil_wvalid && w_ready_q) w_ready_q <= 1'b0;
      if (s_axil_arvalid && ar_ready_q) ar_ready_q <= 1'b0;
      if (access_valid_o) begin
        write_open_q <= access_write_o;
        read_open_q  <= !access_write_o;
        if (access_write_o) begin
          aw_ready_q <= 1'b1;
          w_ready_q  <= 1'b1;
        end else ar_ready_q <= 1'b1;
      end
      if (response_valid_i) begin
        write_open_q <= 1'b0;
        read_open_q  <= 1'b0;
      end
      if (response_valid_i && write_open_q) b_valid_q <= 1'b1;
      else if (s_axil_bready) b_valid_q <= 1'b0;
      if (response_valid_i && read_open_q) r_valid_q <= 1'b1;
      else if (s_axil_rready) r_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (begins) begin
      if (s_axil_awvalid && aw_ready_q) aw_address_q <= s_axil_awaddr;
      if (s_axil_wvalid && w_ready_q) begin
        w_data_q   <= s_axil_wdata;
        w_strobe_q <= s_axil_wstrb;
      end
      if (s_axil_arvalid && ar_ready_q) ar_address_q <= s_axil_araddr;
    end
    if (response_valid_i && write_open_q) b_error_q <= response_error_i;
    if (response_valid_i && read_open_q) begin
      r_error_q <= response_error_i;
      r_data_q  <= response_data_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      one_access_open : assert (!(write_open_q && read_open_q));
      answers_follow_accesses : assert (!response_valid_i || write_open_q || read_open_q);
      no_answer_overwritten : assert (!(b_valid_q && write_open_q) && !(r_valid_q && read_open_q));
    end
  end
endmodule
`default_nettype wire

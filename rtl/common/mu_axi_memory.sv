// SPDX-License-Identifier: Apache-2.0
// mu_axi_memory: a memory in block RAM behind AXI4, and a port for single words beside it.
//
//   aw, w, b <---> [ mu_axi_memory_write ] ---> +----------------+
//   host   <---------^        v----------- | 32 RAMs, each  |
//   ar, r    <---> [ mu_axi_memory_read ]  <--- | a byte of rows |
//                                          +----------------+
//
// Behaviour: what mu_axi_memory_read and mu_axi_memory_write say. The host's eight bytes lie in the row of 32
//   bytes that its address names, bits 4 and 3 saying where; addresses of the host beyond the memory wrap.
// Latency: that of both sides; the host two cycles for a read and one for a write while neither side has a
//   burst.
// Limits: a row that is read in the cycle in which it is written may be old, new or a mixture: who needs it
//   new waits for the response of the write first.
`default_nettype none

module mu_axi_memory #(
    parameter int unsigned ROWS = 2048  // of 32 bytes; a power of two, 128 or more
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    output logic                  busy_o,  // a burst or an access of the host is under way
    // bursts
    input  mu_pkg::axi_request_t  axi_request_i,
    output mu_pkg::axi_response_t axi_response_o,
    // the host: holds until done
    input  logic                  host_valid_i,
    input  logic                  host_write_i,
    input  logic [23:0]           host_address_i,
    input  logic [7:0]            host_strobe_i,
    input  logic [63:0]           host_data_i,
    output logic                  host_done_o,
    output logic [63:0]           host_data_o
);
  localparam int unsigned ROW_BITS = $clog2(ROWS);
  localparam int unsigned LANES = mu_pkg::MEMORY_BITS / 8;

  if (ROWS < 128 || ROWS != 1 << ROW_BITS) $error("mu_axi_memory: ROWS must be a power of two from 128");

  logic                           read, write;
  logic [ROW_BITS-1:0]            read_row, write_row;
  logic                           host_read_done, host_write_done;
  logic                           read_busy, write_busy;
  logic [LANES-1:0]               strobe;
  logic [mu_pkg::MEMORY_BITS-1:0] write_data, read_data;

  mu_axi_memory_read #(.ROWS(ROWS)) u_read (
      .clk_i, .rst_ni, .busy_o(read_busy),
      .host_valid_i(host_valid_i && !host_write_i), .host_row_i(host_address_i[5+:ROW_BITS]),
      .host_done_o(host_read_done),
      .arvalid_i(axi_request_i.arvalid), .arready_o(axi_response_o.arready), .arid_i(axi_request_i.arid),
      .ar_row_i(axi_request_i.araddr[mu_pkg::ADDRESS_BITS-1:5]), .arlen_i(axi_request_i.arlen),
      .rvalid_o(axi_response_o.rvalid), .rready_i(axi_request_i.rready), .rlast_o(axi_response_o.rlast),
      .rid_o(axi_response_o.rid), .rresp_o(axi_response_o.rresp),
      .read_o(read), .row_o(read_row)
  );

  mu_axi_memory_write #(.ROWS(ROWS)) u_write (
      .clk_i, .rst_ni, .busy_o(write_busy),
      .host_valid_i(host_valid_i && host_write_i), .host_row_i(host_address_i[5+:ROW_BITS]),
      .host_done_o(host_write_done),
      .awvalid_i(axi_request_i.awvalid), .awready_o(axi_response_o.awready), .awid_i(axi_request_i.awid),
      .aw_row_i(axi_request_i.awaddr[mu_pkg::ADDRESS_BITS-1:5]),
      .wvalid_i(axi_request_i.wvalid), .wready_o(axi_response_o.wready), .wlast_i(axi_request_i.wlast),
      .bvalid_o(axi_response_o.bvalid), .bready_i(axi_request_i.bready), .bid_o(axi_response_o.bid),
      .bresp_o(axi_response_o.bresp),
      .write_o(write), .row_o(write_row)
  );

  assign busy_o               = read_busy || write_busy;
  assign axi_response_o.rdata = read_data;
  assign host_done_o          = host_read_done || host_write_done;
  assign host_data_o          = read_data[64*host_address_i[4:3]+:64];

  always_comb begin
    strobe     = axi_request_i.wstrb;
    write_data = axi_request_i.wdata;
    if (host_write_done) begin
      write_data = {4{host_data_i}};
      for (int i = 0; i < 4; i++) strobe[8*i+:8] = host_address_i[4:3] == 2'(i) ? host_strobe_i : '0;
    end
  end

  // A RAM for each byte: so none needs byte enables.
  for (genvar i = 0; i < LANES; i++) begin : gen_lane
    (* no_rw_check, ram_style = "block" *) logic [7:0] mem[ROWS];
    logic [7:0] data_q;
    always_ff @(posedge clk_i) if (write && strobe[i]) mem[write_row] <= write_data[8*i+:8];
    always_ff @(posedge clk_i) if (read) data_q <= mem[read_row];
    assign read_data[8*i+:8] = data_q;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      bursts_are_of_whole_rows :
      assert (!axi_request_i.arvalid || (axi_request_i.arsize == 3'd5 && axi_request_i.arburst == 2'b01));
      bursts_written_are_of_whole_rows :
      assert (!axi_request_i.awvalid || (axi_request_i.awsize == 3'd5 && axi_request_i.awburst == 2'b01));
      host_is_done_when_it_asks : assert (!host_done_o || host_valid_i);
    end
  end
endmodule

`default_nettype wire

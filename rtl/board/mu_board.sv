// SPDX-License-Identifier: Apache-2.0
// mu_board: a node on a board by itself: links that come back, memory in block RAM, a host at a serial line.
//
//   uart_rx_i ---> [ receiver ] ---> [ mu_board_host ] <---> registers [ mu_looped_node ] ---> led_o
//   uart_tx_o <--- [ sender   ] <---        ^                               ^
//                                           +----> [ mu_axi_memory ] <----+
//
// Behaviour: the host does what requests on the serial line say (mu_board_host): it writes descriptors and
//   data into memory, rings doorbells, reads what has become of them. Lights: 0 blinks, 1 is on for a while
//   after a flit has come in from a link, 2 while a client has an interrupt, 3 while the node is quiescent.
// Latency: what a serial line takes.
// Limits: BIT_CYCLES as mu_uart_receiver says, ROWS as mu_axi_memory. The line is of any clock, rst_ni of
//   this one.
`default_nettype none

module mu_board #(
    parameter int unsigned BIT_CYCLES = 217,  // of a serial line with 115,200 baud and a clock of 25 MHz
    parameter int unsigned ROWS       = 2048, // of 32 bytes of memory: 64 KiB
    parameter int unsigned BLINK_BITS = 24    // of the counter that blinks, and that keeps light 1 on
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       uart_rx_i,
    output logic       uart_tx_o,
    output logic [3:0] led_o
);
  logic                       in_valid, out_valid, out_ready;
  logic [7:0]                 in_data, out_data;
  mu_pkg::axil_request_t      axil_request;
  mu_pkg::axil_response_t     axil_response;
  mu_pkg::axi_request_t       axi_request;
  mu_pkg::axi_response_t      axi_response;
  logic                       memory_valid, memory_write, memory_done;
  logic                       unused_busy;  // nobody stops the clock of a board
  logic [23:0]                memory_address;
  logic [7:0]                 memory_strobe;
  logic [63:0]                memory_write_data, memory_read_data;
  logic [mu_pkg::CLIENTS-1:0] irq;
  logic                       quiescent;
  logic [1:0]                 link_valid;

  mu_uart_receiver #(.BIT_CYCLES(BIT_CYCLES)) u_receiver (
      .clk_i, .rst_ni, .line_i(uart_rx_i), .valid_o(in_valid), .data_o(in_data)
  );

  mu_uart_sender #(.BIT_CYCLES(BIT_CYCLES)) u_sender (
      .clk_i, .rst_ni, .in_valid_i(out_valid), .in_ready_o(out_ready), .in_data_i(out_data),
      .line_o(uart_tx_o)
  );

  mu_board_host u_host (
      .clk_i, .rst_ni,
      .in_valid_i(in_valid), .in_data_i(in_data),
      .out_valid_o(out_valid), .out_ready_i(out_ready), .out_data_o(out_data),
      .axil_request_o(axil_request), .axil_response_i(axil_response),
      .memory_valid_o(memory_valid), .memory_write_o(memory_write), .memory_address_o(memory_address),
      .memory_strobe_o(memory_strobe), .memory_data_o(memory_write_data),
      .memory_done_i(memory_done), .memory_data_i(memory_read_data)
  );

  mu_axi_memory #(.ROWS(ROWS)) u_memory (
      .clk_i, .rst_ni, .busy_o(unused_busy),
      .axi_request_i(axi_request), .axi_response_o(axi_response),
      .host_valid_i(memory_valid), .host_write_i(memory_write), .host_address_i(memory_address),
      .host_strobe_i(memory_strobe), .host_data_i(memory_write_data),
      .host_done_o(memory_done), .host_data_o(memory_read_data)
  );

  mu_looped_node u_node (
      .clk_i, .rst_ni,
      .axil_request_i(axil_request), .axil_response_o(axil_response),
      .axi_request_o(axi_request), .axi_response_i(axi_response),
      .irq_o(irq), .quiescent_o(quiescent), .link_valid_o(link_valid)
  );

  logic [BLINK_BITS-1:0] blink_q;
  logic                  lit_q;  // a flit has come in since the counter was last at its half
  logic                  seen_q; // or in the half before
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      blink_q <= '0;
      lit_q   <= 1'b0;
      seen_q  <= 1'b0;
      led_o   <= '0;
    end else begin
      blink_q <= blink_q + BLINK_BITS'(1);
      if (link_valid != 2'b00) lit_q <= 1'b1;
      else if (blink_q == '0) lit_q <= 1'b0;
      if (blink_q == '0) seen_q <= lit_q;
      led_o <= {quiescent, irq != '0, lit_q || seen_q, blink_q[BLINK_BITS-1]};
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      only_one_access_of_the_host : assert (!memory_valid || !(axil_request.awvalid || axil_request.arvalid));
    end
  end
endmodule

`default_nettype wire

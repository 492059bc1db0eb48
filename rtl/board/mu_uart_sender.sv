// SPDX-License-Identifier: Apache-2.0
// mu_uart_sender: bytes onto an asynchronous serial line: a start bit, eight data bits, a stop bit.
//
//   in (valid/ready/data) ---> [ shift register of ten bits ] ---> line_o
//
// Behaviour: every byte taken leaves once, its lowest bit first; the line is high between bytes.
// Latency: its start bit begins in the cycle after a byte is taken; ready after ten times BIT_CYCLES.
// Limits: BIT_CYCLES, cycles of the clock a bit, from 2 on.
`default_nettype none

module mu_uart_sender #(
    parameter int unsigned BIT_CYCLES = 217
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    // upstream
    input  logic       in_valid_i,
    output logic       in_ready_o,
    input  logic [7:0] in_data_i,
    // the line
    output logic       line_o
);
  localparam int unsigned TIMER_BITS = $clog2(BIT_CYCLES);
  localparam logic [TIMER_BITS-1:0] BIT = TIMER_BITS'(BIT_CYCLES - 1);

  if (BIT_CYCLES < 2) $error("mu_uart_sender: BIT_CYCLES must be 2 or more");

  logic [8:0]            shift_q;  // what follows the bit on the line
  logic [3:0]            left_q;   // bits to send, that on the line among them
  logic [TIMER_BITS-1:0] timer_q;

  assign in_ready_o = left_q == '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      left_q  <= '0;
      timer_q <= BIT;
      shift_q <= '1;
      line_o  <= 1'b1;
    end else if (in_ready_o) begin
      timer_q <= BIT;
      if (in_valid_i) begin
        left_q  <= 4'd10;
        shift_q <= {1'b1, in_data_i};
        line_o  <= 1'b0;
      end
    end else if (timer_q == '0) begin
      timer_q <= BIT;
      left_q  <= left_q - 4'd1;
      shift_q <= {1'b1, shift_q[8:1]};
      line_o  <= shift_q[0];
    end else begin
      timer_q <= timer_q - TIMER_BITS'(1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      ten_bits_at_most : assert (left_q <= 4'd10);
      high_between_bytes : assert (left_q != '0 || line_o);
    end
  end
endmodule

`default_nettype wire

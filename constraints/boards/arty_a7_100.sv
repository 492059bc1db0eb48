// SPDX-License-Identifier: Apache-2.0
// arty_a7_100: what stands between the pins of an Arty A7-100T and mu_board: the clock, the reset, the names.
//
//   clk_i, 100 MHz ---> [ MMCM ] ---> clk, 25 MHz ---> [ mu_board ] <---> uart_rx_i, uart_tx_o
//   rst_ni (a button) ---> [ two flip-flops ] ------------^   +---> led_o
//
// Behaviour: the board runs at CLOCK_HZ and is in reset until the MMCM has locked, and while the button is
//   pressed, which is low then.
// Latency: two cycles for the reset.
// Limits: another clock needs another CLKOUT0_DIVIDE_F of the MMCM, whose own oscillator runs at 1 GHz.
`default_nettype none

module arty_a7_100 (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       uart_rx_i,
    output logic       uart_tx_o,
    output logic [3:0] led_o
);
  localparam int unsigned CLOCK_HZ = 25_000_000;
  localparam int unsigned BAUD = 115_200;

  logic       clk, divided, feedback, locked;
  logic [1:0] reset_sync_q;

  MMCME2_BASE #(
      .CLKIN1_PERIOD(10.0), .CLKFBOUT_MULT_F(10.0), .CLKOUT0_DIVIDE_F(40.0), .DIVCLK_DIVIDE(1)
  ) u_mmcm (
      .CLKIN1(clk_i), .CLKFBIN(feedback), .CLKFBOUT(feedback), .CLKOUT0(divided), .LOCKED(locked),
      .RST(1'b0), .PWRDWN(1'b0)
  );
  BUFG u_clock (.I(divided), .O(clk));

  always_ff @(posedge clk) reset_sync_q <= {reset_sync_q[0], locked && rst_ni};

  mu_board #(
      .BIT_CYCLES(CLOCK_HZ / BAUD)
  ) u_board (
      .clk_i(clk), .rst_ni(reset_sync_q[1]), .uart_rx_i, .uart_tx_o, .led_o
  );
endmodule

`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// ulx3s_85: what stands between the pins of a ULX3S and mu_board: a PLL, the reset, the name of the clock.
//
//   clk_i, 25 MHz ---> [ PLL ] ---> clk ---> [ mu_board ] <---> uart_rx_i, uart_tx_o
//   rst_ni (a button) ---> [ two flip-flops ] ---^   +---> led_o
//
// Behaviour: the board runs at CLOCK_HZ and is in reset until the PLL has locked, and while the button is
//   pressed.
// Latency: two cycles for the reset.
// Limits: another clock needs other divisors of the PLL, whose own oscillator runs at CLOCK_HZ times
//   CLKOP_DIV, 400 to 800 MHz; yowasp-ecppll -i 25 -o 25 prints them.
`default_nettype none

module ulx3s_85 (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       uart_rx_i,
    output logic       uart_tx_o,
    output logic [3:0] led_o
);
  localparam int unsigned CLOCK_HZ = 25_000_000;
  localparam int unsigned BAUD = 115_200;

  logic       clk, locked;
  logic [1:0] reset_sync_q;

  (* FREQUENCY_PIN_CLKI = "25", FREQUENCY_PIN_CLKOP = "25", ICP_CURRENT = "12", LPF_RESISTOR = "8",
     MFG_ENABLE_FILTEROPAMP = "1", MFG_GMCREF_SEL = "2" *)
  EHXPLLL #(
      .CLKI_DIV(1), .CLKFB_DIV(1), .CLKOP_DIV(24), .CLKOP_CPHASE(11), .CLKOP_FPHASE(0), .FEEDBK_PATH("CLKOP")
  ) u_pll (
      .CLKI(clk_i), .CLKFB(clk), .CLKOP(clk), .LOCK(locked),
      .RST(1'b0), .STDBY(1'b0), .PHASESEL0(1'b0), .PHASESEL1(1'b0), .PHASEDIR(1'b1), .PHASESTEP(1'b1),
      .PHASELOADREG(1'b1), .PLLWAKESYNC(1'b0), .ENCLKOP(1'b0)
  );

  // The button FIRE 2 is high when pressed.
  always_ff @(posedge clk) reset_sync_q <= {reset_sync_q[0], locked && !rst_ni};

  mu_board #(
      .BIT_CYCLES(CLOCK_HZ / BAUD)
  ) u_board (
      .clk_i(clk), .rst_ni(reset_sync_q[1]), .uart_rx_i, .uart_tx_o, .led_o
  );
endmodule

`default_nettype wire

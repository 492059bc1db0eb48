// SPDX-License-Identifier: Apache-2.0
// Synthesis must refuse this: a net that is used and never driven.
// Expect: Warning: Wire synth_undriven.\x is used but has no driver.
`default_nettype none

module synth_undriven (
    input  logic       clk_i,
    input  logic       a_i,
    input  logic       b_i,
    output logic [1:0] q_o
);
  logic x;
  assign q_o = {x ^ a_i, b_i ^ clk_i};
endmodule
`default_nettype wire

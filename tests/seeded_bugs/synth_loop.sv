// SPDX-License-Identifier: Apache-2.0
// Synthesis must refuse this: a combinational loop.
// Expect: Warning: found logic loop in module synth_loop:
`default_nettype none

module synth_loop (
    input  logic       clk_i,
    input  logic       a_i,
    input  logic       b_i,
    output logic [1:0] q_o
);
  logic x;
  logic y;
  assign x   = a_i ^ y;
  assign y   = b_i & x;
  assign q_o = {clk_i, y};
endmodule
`default_nettype wire

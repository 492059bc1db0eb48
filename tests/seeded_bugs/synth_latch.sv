// SPDX-License-Identifier: Apache-2.0
// Synthesis must refuse this: a latch.
// Expect: Latch inferred for signal
`default_nettype none

module synth_latch (
    input  logic       clk_i,
    input  logic       a_i,
    input  logic       b_i,
    output logic [1:0] q_o
);
  always_comb if (a_i) q_o = {clk_i, b_i};
endmodule
`default_nettype wire

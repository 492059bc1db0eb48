// SPDX-License-Identifier: Apache-2.0
// Synthesis must refuse this: a latch that says so.
// Expect: Assertion failed: selection is not empty: t:$dlatch
`default_nettype none

module synth_always_latch (
    input  logic       clk_i,
    input  logic       a_i,
    input  logic       b_i,
    output logic [1:0] q_o
);
  always_latch if (a_i) q_o = {clk_i, b_i};
endmodule
`default_nettype wire

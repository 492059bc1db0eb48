// SPDX-License-Identifier: Apache-2.0
// Synthesis must refuse this: a module that has grown by more than a twentieth.
// Expect: xc7: synth_growth: FF 48, was 40
// Baseline: xc7,synth_growth,,0,40,0,0,0,1
// Baseline: xc7,all,,0,40,0,0,0,1
`default_nettype none

module synth_growth (
    input  logic        clk_i,
    input  logic        a_i,
    input  logic        b_i,
    output logic [47:0] q_o
);
  always_ff @(posedge clk_i) q_o <= {q_o[46:0], a_i ^ b_i};
endmodule
`default_nettype wire

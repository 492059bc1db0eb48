// SPDX-License-Identifier: Apache-2.0
// Synthesis must refuse this: a place in a list found by a multiplication, for which it takes multipliers.
// Expect: xc7: synth_multiplier: DSP 1, was 0
// Baseline: xc7,synth_multiplier,,0,16,0,0,0,1
// Baseline: xc7,all,,0,16,0,0,0,1
`default_nettype none

module synth_multiplier (
    input  logic        clk_i,
    input  logic [15:0] place_i,
    input  logic [15:0] length_i,
    output logic [31:0] first_o
);
  always_ff @(posedge clk_i) first_o <= place_i * length_i;
endmodule
`default_nettype wire

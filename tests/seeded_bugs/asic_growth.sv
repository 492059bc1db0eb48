// SPDX-License-Identifier: Apache-2.0
// Synthesis must refuse this: in standard cells, a module that has grown by more than a twentieth, and by more than 20 gate
// equivalents.
// Family: asic
// Expect: asic: asic_growth: GE 192, was 168
// Baseline: asic,asic_growth,,168,48,0,0,0,1
// Baseline: asic,all,,168,48,0,0,99999,1
`default_nettype none

module asic_growth (
    input  logic        clk_i,
    input  logic        a_i,
    output logic [47:0] q_o
);
  always_ff @(posedge clk_i) q_o <= {q_o[46:0], a_i};
endmodule
`default_nettype wire

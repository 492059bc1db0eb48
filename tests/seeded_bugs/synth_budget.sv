// SPDX-License-Identifier: Apache-2.0
// Synthesis must refuse this: a block that takes more than its budget, with what stands inside it.
// Family: ecp5
// Expect: ecp5: synth_budget takes 33 sites, its budget is 32
// Budget: synth_budget,9,32
// Budget: synth_budget_inside,9,32
// Baseline: ecp5,synth_budget,,99,99,0,0,0,9
// Baseline: ecp5,synth_budget_inside,,99,99,0,0,0,9
// Baseline: ecp5,all,,99,99,0,0,0,9
`default_nettype none

module synth_budget (
    input  logic [31:0] a_i,
    input  logic [31:0] b_i,
    input  logic        c_i,
    output logic [31:0] q_o,
    output logic        r_o
);
  synth_budget_inside u_inside (.a_i, .b_i, .q_o);
  assign r_o = q_o[0] ^ q_o[1] ^ c_i;
endmodule

module synth_budget_inside (
    input  logic [31:0] a_i,
    input  logic [31:0] b_i,
    output logic [31:0] q_o
);
  assign q_o = a_i & b_i;
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// Synthesis must refuse this: in standard cells, a way from an input to an output without a register, through a module inside.
// Family: asic
// Expect: asic: a way without a register from valid_i to ready_o
// Baseline: asic,asic_through,,99999,99,0,0,0,9
// Baseline: asic,asic_through_inside,,99999,99,0,0,0,9
// Baseline: asic,all,,99999,99,0,0,99999,9
`default_nettype none

module asic_through (
    input  logic clk_i,
    input  logic valid_i,
    output logic ready_o,
    output logic valid_o
);
  logic valid_q;

  asic_through_inside u_inside (.valid_i, .held_i(valid_q), .ready_o);
  assign valid_o = valid_q;
  always_ff @(posedge clk_i) valid_q <= valid_i;
endmodule

module asic_through_inside (
    input  logic valid_i,
    input  logic held_i,
    output logic ready_o
);
  assign ready_o = valid_i && !held_i;
endmodule
`default_nettype wire

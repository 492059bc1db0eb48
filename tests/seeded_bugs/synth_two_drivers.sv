// SPDX-License-Identifier: Apache-2.0
// Synthesis must refuse this: a net with two drivers.
// Expect: Warning: multiple conflicting drivers for
`default_nettype none

module synth_two_drivers (
    input  logic       clk_i,
    input  logic       a_i,
    input  logic       b_i,
    output logic [1:0] q_o
);
  logic x;
  always_ff @(posedge clk_i) x <= a_i;
  assign x   = b_i;
  assign q_o = {x, a_i};
endmodule
`default_nettype wire

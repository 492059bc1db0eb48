// SPDX-License-Identifier: Apache-2.0
// Synthesis must refuse this: a warning that constraints/yosys_allowed.txt does not name.
// Expect: not allowed: Warning: Range select out of bounds on signal
`default_nettype none

module synth_warning (
    input  logic       clk_i,
    input  logic       a_i,
    input  logic       b_i,
    output logic [1:0] q_o
);
  logic [1:0] x_q;
  always_ff @(posedge clk_i) x_q <= {a_i, b_i};
  assign q_o = {x_q[2], x_q[0]};
endmodule
`default_nettype wire

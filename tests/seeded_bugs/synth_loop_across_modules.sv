// SPDX-License-Identifier: Apache-2.0
// Synthesis must refuse this: a combinational loop through two modules, neither of which has one.
// Expect: the check of the flattened design failed
`default_nettype none

module synth_loop_half (
    input  logic a_i,
    input  logic b_i,
    output logic q_o
);
  assign q_o = a_i ^ b_i;
endmodule

module synth_loop_across_modules (
    input  logic       clk_i,
    input  logic       a_i,
    input  logic       b_i,
    output logic [1:0] q_o
);
  logic x;
  logic y;
  synth_loop_half u_x (
      .a_i(a_i),
      .b_i(y),
      .q_o(x)
  );
  synth_loop_half u_y (
      .a_i(b_i),
      .b_i(x),
      .q_o(y)
  );
  assign q_o = {clk_i, y};
endmodule
`default_nettype wire

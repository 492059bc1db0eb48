// SPDX-License-Identifier: Apache-2.0
// Synthesis must refuse this: an input of an instance that nobody drives.
// Expect: the check of the flattened design failed
`default_nettype none

module synth_open_input_part (
    input  logic a_i,
    input  logic b_i,
    output logic q_o
);
  assign q_o = a_i ^ b_i;
endmodule

module synth_open_input (
    input  logic       clk_i,
    input  logic       a_i,
    input  logic       b_i,
    output logic [1:0] q_o
);
  logic x;
  synth_open_input_part u_part (
      .a_i(a_i),
      .q_o(x)
  );
  assign q_o = {x, b_i ^ clk_i};
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// Synthesis must refuse this: a block RAM that is read without a clock, which no family has.
// Expect: no valid mapping found for memory synth_no_such_memory.words
`default_nettype none

module synth_no_such_memory (
    input  logic        clk_i,
    input  logic        write_i,
    input  logic [ 9:0] index_i,
    input  logic [31:0] data_i,
    output logic [31:0] data_o
);
  (* ram_style = "block" *) logic [31:0] words[1024];
  always_ff @(posedge clk_i) if (write_i) words[index_i] <= data_i;
  assign data_o = words[index_i];
endmodule
`default_nettype wire

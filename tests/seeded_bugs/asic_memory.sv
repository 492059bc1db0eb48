// SPDX-License-Identifier: Apache-2.0
// Synthesis must refuse this: in standard cells, a memory that has grown. Its bits are no gates.
// Family: asic
// Expect: asic: asic_memory: bits 1024, was 512
// Baseline: asic,asic_memory,,99999,99,1,512,0,9
// Baseline: asic,all,,99999,99,1,1024,99999,9
`default_nettype none

module asic_memory (
    input  logic        clk_i,
    input  logic        write_i,
    input  logic [31:0] data_i,
    output logic [31:0] data_o
);
  logic [31:0] mem [32];

  always_ff @(posedge clk_i) begin
    if (write_i) mem[data_i[4:0]] <= data_i;
    data_o <= mem[data_i[9:5]];
  end
endmodule
`default_nettype wire

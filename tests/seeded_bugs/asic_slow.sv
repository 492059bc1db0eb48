// SPDX-License-Identifier: Apache-2.0
// Synthesis must refuse this: in standard cells, a path that has become slower by a memory that is read without a clock.
// It begins and ends at registers, with gates before the memory and one behind.
// Family: asic
// Expect: asic: all: ps 1950, was 600
// Baseline: asic,asic_slow,,99999,99,1,1024,0,9
// Baseline: asic,all,,99999,99,1,1024,600,9
`default_nettype none

module asic_slow (
    input  logic        clk_i,
    input  logic        write_i,
    input  logic [31:0] data_i,
    output logic        odd_o
);
  logic [31:0] mem [32];
  logic [31:0] read;
  logic [31:0] data_q;

  assign read = mem[data_q[4:0] ^ data_q[9:5] ^ data_q[14:10] ^ data_q[19:15]];

  always_ff @(posedge clk_i) begin
    data_q <= data_i;
    odd_o <= read[0] ^ read[1];
    if (write_i) mem[data_i[4:0]] <= data_i;
  end
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// What the two-readers check is for: Yosys reads `i[select_i]` as one bit of the whole vector, without a word.
`default_nettype none

package array_of_structs_pkg;
  typedef struct packed {
    logic [3:0] high;
    logic [3:0] low;
  } pair_t;
endpackage

module array_of_structs (
    input  logic                              clk_i,
    input  array_of_structs_pkg::pair_t [3:0] pairs_i,
    input  logic [1:0]                        select_i,
    output logic [7:0]                        pair_o
);
  always_ff @(posedge clk_i) pair_o <= pairs_i[select_i];
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// What slang must refuse: Verilator and Yosys read a signal that is declared only further down, without a word.
`default_nettype none
module late_declaration (
    input  logic bit_i,
    output logic bit_o
);
  assign bit_o = later;
  logic later;
  assign later = bit_i;
endmodule
`default_nettype wire

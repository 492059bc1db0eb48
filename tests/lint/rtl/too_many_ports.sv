// SPDX-License-Identifier: Apache-2.0
// Fixture of source_lint: a module with 41 port names.
`default_nettype none
module too_many_ports (  // expect: ports
    input  logic clk_i,
    input  logic rst_ni,
    input  logic word_0_i, word_1_i, word_2_i, word_3_i, word_4_i, word_5_i,
    input  logic word_6_i, word_7_i, word_8_i, word_9_i, word_10_i, word_11_i,
    input  logic word_12_i, word_13_i, word_14_i, word_15_i, word_16_i, word_17_i,
    input  logic word_18_i, word_19_i, word_20_i, word_21_i, word_22_i, word_23_i,
    input  logic word_24_i, word_25_i, word_26_i, word_27_i, word_28_i, word_29_i,
    input  logic word_30_i, word_31_i, word_32_i, word_33_i, word_34_i, word_35_i,
    input  logic word_36_i,
    output logic first_o,  // not_a_port_o in a comment does not count
    output logic last_o
);
  logic inside_only_i, inside_only_o;
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_reduction_extreme: MAX, MIN, MAXLOC, MINLOC and MINMAXLOC on a lane: one element of 64 bits, two of 32,
// four of 16 or eight of 8.
//
//   left_i, right_i ---> [ mu_reduction_compare ] ---> [ who wins ] ---> [ select ] ---> result_o
//   word_i, value of the lane before --------------------^  tie: lower index      +---> right_wins_o, tie_o
//
// Behaviour: every element of result_o is that of left_i or right_i which mu_reduction_compare lets win. With
//   MAXLOC and MINLOC an even element is a value and the odd one behind it its index, an unsigned integer:
//   both come from where the value wins, and on a tie of the values from where the index is lower. A value
//   that is a NaN becomes the quiet NaN of sign 0. Of elements of 64 bits a lane holds a value, and says who
//   wins; or with an odd word_i an index, and is told who won as to its value. MINMAXLOC: the first pair of a
//   beat as MINLOC, the second as MAXLOC, and so on.
// Latency: combinational. Costs nothing in simulation while valid_i is low.
// Limits: no other operations while valid_i is high. The outputs are zero while it is low. word_i means
//   nothing but for pairs of 32 and 64 bits; format_i nothing but for floats, and is that of their size.
`default_nettype none

module mu_reduction_extreme (
    input  logic        valid_i,
    input  logic [3:0]  operation_i,         // mu_pkg::reduction_e
    input  logic [1:0]  size_log2_i,         // of an element, in bytes
    input  logic        float_i,
    input  logic [1:0]  format_i,            // mu_pkg::float_format_e
    input  logic        signed_i,
    input  logic [1:0]  word_i,              // 8 bytes of the beat
    input  logic        value_right_wins_i,
    input  logic        value_tie_i,
    input  logic [63:0] left_i,
    input  logic [63:0] right_i,
    output logic        right_wins_o,
    output logic        tie_o,
    output logic [63:0] result_o
);
  logic        pairs;
  logic        turns;       // pairs of the smaller and of the larger in turn
  logic [7:0]  largest;     // of the byte's pair
  logic [63:0] infinity;
  logic        index_word;  // of 64 bits
  logic [63:0] quiet;       // the bit that makes infinity the quiet NaN
  logic [7:0]  index;       // the byte is of one: the lower wins
  logic [7:0]  right_wins;
  logic [7:0]  tie;
  logic [7:0]  nan;
  logic [7:0]  right;       // the byte comes from the right
  assign turns      = operation_i == mu_pkg::REDUCTION_MINMAXLOC;
  assign pairs      = operation_i == mu_pkg::REDUCTION_MAXLOC || operation_i == mu_pkg::REDUCTION_MINLOC ||
                      turns;
  assign index_word = word_i[0];
  always_comb begin
    unique case (format_i)
      mu_pkg::FLOAT_FORMAT_BINARY32: begin
        infinity = {2{32'h7F80_0000}};
        quiet    = {2{32'h0040_0000}};
      end
      mu_pkg::FLOAT_FORMAT_BINARY16: begin
        infinity = {4{16'h7C00}};
        quiet    = {4{16'h0200}};
      end
      mu_pkg::FLOAT_FORMAT_BFLOAT16: begin
        infinity = {4{16'h7F80}};
        quiet    = {4{16'h0040}};
      end
      default: begin
        infinity = 64'h7FF0_0000_0000_0000;
        quiet    = 64'h0008_0000_0000_0000;
      end
    endcase
    unique case (size_log2_i)
      2'd0:    index = 8'hAA;
      2'd1:    index = 8'hCC;
      2'd2:    index = 8'hF0;
      default: index = {8{index_word}};
    endcase
    if (!pairs) index = '0;
    unique case (size_log2_i)
      2'd0:    largest = 8'hCC;
      2'd1:    largest = 8'hF0;
      2'd2:    largest = {8{word_i[0]}};
      default: largest = {8{word_i[1]}};
    endcase
    if (!turns)
      largest = {8{operation_i == mu_pkg::REDUCTION_MAX || operation_i == mu_pkg::REDUCTION_MAXLOC}};
  end

  mu_reduction_compare u_compare (
      .valid_i,
      .size_log2_i,
      .float_i     ({8{float_i}} & ~index),
      .signed_i    ({8{signed_i}} & ~index),
      .largest_i   (largest & ~index),
      .infinity_i  (infinity),
      .left_i,
      .right_i,
      .right_wins_o(right_wins),
      .tie_o       (tie),
      .nan_o       (nan)
  );
  assign right_wins_o = right_wins[0];
  assign tie_o        = tie[0];

  // Of each byte of a pair what its value's bytes say, and what its index's.
  logic [7:0] value_wins;
  logic [7:0] value_tie;
  logic [7:0] index_wins;
  always_comb begin
    unique case (size_log2_i)
      2'd0: begin
        value_wins = (right_wins & 8'h55) | ((right_wins & 8'h55) << 1);
        value_tie  = (tie & 8'h55) | ((tie & 8'h55) << 1);
        index_wins = (right_wins & 8'hAA) | ((right_wins & 8'hAA) >> 1);
      end
      2'd1: begin
        value_wins = (right_wins & 8'h33) | ((right_wins & 8'h33) << 2);
        value_tie  = (tie & 8'h33) | ((tie & 8'h33) << 2);
        index_wins = (right_wins & 8'hCC) | ((right_wins & 8'hCC) >> 2);
      end
      2'd2: begin
        value_wins = (right_wins & 8'h0F) | ((right_wins & 8'h0F) << 4);
        value_tie  = (tie & 8'h0F) | ((tie & 8'h0F) << 4);
        index_wins = (right_wins & 8'hF0) | ((right_wins & 8'hF0) >> 4);
      end
      default: begin
        value_wins = index_word ? {8{value_right_wins_i}} : right_wins;
        value_tie  = {8{index_word && value_tie_i}};
        index_wins = right_wins;
      end
    endcase
    right    = pairs ? value_wins | (value_tie & index_wins) : right_wins;
    result_o = '0;
    if (valid_i) begin
      for (int b = 0; b < 8; b++) begin
        if (nan[b]) result_o[b*8+:8] = infinity[b*8+:8] | quiet[b*8+:8];
        else result_o[b*8+:8] = right[b] ? right_i[b*8+:8] : left_i[b*8+:8];
      end
    end
  end
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_reduction_extreme: MAX, MIN, MAXLOC and MINLOC on a lane: one 64-bit or two 32-bit elements.
//
//   left_i, right_i ---> [ mu_reduction_compare ] ---> [ who wins ] ---> [ select ] ---> result_o
//   index_i, value of the lane before -------------------^  tie: lower index      +---> right_wins_o, tie_o
//
// Behaviour: every element of result_o is that of left_i or right_i which mu_reduction_compare lets win. With
//   MAXLOC and MINLOC an even element is a value and the odd one behind it its index, an unsigned integer:
//   both come from where the value wins, and on a tie of the values from where the index is lower. A value
//   that is a NaN becomes the quiet NaN of sign 0. Of wide elements a lane holds a value, and says who wins;
//   or with index_i an index, and is told who won as to its value.
// Latency: combinational. Costs nothing in simulation while valid_i is low.
// Limits: no other operations, and only types that exist, while valid_i is high. The outputs are zero while
//   it is low. index_i means nothing but for wide pairs.
`default_nettype none

module mu_reduction_extreme (
    input  logic        valid_i,
    input  logic [3:0]  operation_i,         // mu_pkg::reduction_e
    input  logic [2:0]  element_i,           // mu_pkg::element_e
    input  logic        index_i,
    input  logic        value_right_wins_i,
    input  logic        value_tie_i,
    input  logic [63:0] left_i,
    input  logic [63:0] right_i,
    output logic        right_wins_o,
    output logic        tie_o,
    output logic [63:0] result_o
);
  localparam logic [31:0] NAN_32 = 32'h7FC0_0000;
  localparam logic [63:0] NAN_64 = 64'h7FF8_0000_0000_0000;

  logic       pairs;
  logic       largest;
  logic       is_float;
  logic       is_signed;
  logic       wide;
  logic [1:0] index;       // the element is one: the lower wins
  logic [1:0] right_wins;
  logic [1:0] tie;
  logic [1:0] nan;
  logic [1:0] right;       // the element comes from the right
  assign pairs     = operation_i == mu_pkg::REDUCTION_MAXLOC || operation_i == mu_pkg::REDUCTION_MINLOC;
  assign largest   = operation_i == mu_pkg::REDUCTION_MAX || operation_i == mu_pkg::REDUCTION_MAXLOC;
  assign is_float  = element_i == mu_pkg::ELEMENT_F32 || element_i == mu_pkg::ELEMENT_F64;
  assign is_signed = element_i == mu_pkg::ELEMENT_I32 || element_i == mu_pkg::ELEMENT_I64;
  assign wide      = element_i == mu_pkg::ELEMENT_I64 || element_i == mu_pkg::ELEMENT_U64 ||
                     element_i == mu_pkg::ELEMENT_F64;
  assign index     = !pairs ? 2'b00 : wide ? {2{index_i}} : 2'b10;

  mu_reduction_compare u_compare (
      .valid_i,
      .wide_i      (wide),
      .float_i     ({2{is_float}} & ~index),
      .signed_i    ({2{is_signed}} & ~index),
      .largest_i   ({2{largest}} & ~index),
      .left_i,
      .right_i,
      .right_wins_o(right_wins),
      .tie_o       (tie),
      .nan_o       (nan)
  );
  assign right_wins_o = right_wins[0];
  assign tie_o        = tie[0];

  always_comb begin
    right = right_wins;
    if (pairs && !wide) right = {2{right_wins[0] || (tie[0] && right_wins[1])}};
    if (pairs && wide && index_i) right = {2{value_right_wins_i || (value_tie_i && right_wins[0])}};
    result_o = '0;
    if (valid_i) begin
      for (int h = 0; h < 2; h++) begin
        if (nan[h]) result_o[h*32+:32] = wide ? NAN_64[h*32+:32] : NAN_32;
        else result_o[h*32+:32] = right[h] ? right_i[h*32+:32] : left_i[h*32+:32];
      end
    end
  end

  // Only a value's tie changes anything.
  logic unused_tie;
  assign unused_tie = tie[1];
endmodule
`default_nettype wire

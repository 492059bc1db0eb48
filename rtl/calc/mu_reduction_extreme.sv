// SPDX-License-Identifier: Apache-2.0
// mu_reduction_extreme: MAX, MIN, MAXLOC and MINLOC on half a beat.
//
//   left_i, right_i ---> [ compare: 2 of 64 bits, 4 of 32 ] ---> [ who wins ] ---> [ select ] ---> result_o
//                                                                 tie: lower index
//
// Behaviour: half a beat holds two elements of 64 bits or four of 32. Every element of result_o is that of
//   left_i or right_i which mu_reduction_compare lets win. With MAXLOC and MINLOC an even element is a value
//   and the odd one behind it its index, an unsigned integer: both come from where the value wins, and on a
//   tie of the values from where the index is lower. A value that is a NaN becomes the quiet NaN of sign 0.
// Latency: combinational. Costs nothing in simulation while valid_i is low.
// Limits: no other operations, and only types that exist, while valid_i is high. result_o is zero while it is
//   low.
`default_nettype none

module mu_reduction_extreme (
    input  logic         valid_i,
    input  logic [3:0]   operation_i,  // mu_pkg::reduction_e
    input  logic [2:0]   element_i,    // mu_pkg::element_e
    input  logic [127:0] left_i,
    input  logic [127:0] right_i,
    output logic [127:0] result_o
);
  localparam logic [31:0] NAN_32 = 32'h7FC0_0000;
  localparam logic [63:0] NAN_64 = 64'h7FF8_0000_0000_0000;

  logic pairs;
  logic largest;
  logic is_float;
  logic is_signed;
  logic wide;
  assign pairs     = operation_i == mu_pkg::REDUCTION_MAXLOC || operation_i == mu_pkg::REDUCTION_MINLOC;
  assign largest   = operation_i == mu_pkg::REDUCTION_MAX || operation_i == mu_pkg::REDUCTION_MAXLOC;
  assign is_float  = element_i == mu_pkg::ELEMENT_F32 || element_i == mu_pkg::ELEMENT_F64;
  assign is_signed = element_i == mu_pkg::ELEMENT_I32 || element_i == mu_pkg::ELEMENT_I64;
  assign wide      = element_i == mu_pkg::ELEMENT_I64 || element_i == mu_pkg::ELEMENT_U64 ||
                     element_i == mu_pkg::ELEMENT_F64;

  logic [1:0] wins_64;
  logic [1:0] tie_64;
  logic [1:0] nan_64;
  logic [3:0] wins_32;
  logic [3:0] tie_32;
  logic [3:0] nan_32;

  // An odd element of a pair is an index: the lower wins.
  for (genvar e = 0; e < 2; e++) begin : gen_64
    mu_reduction_compare #(
        .WIDTH        (64),
        .EXPONENT_BITS(11)
    ) u_compare (
        .valid_i     (valid_i && wide),
        .float_i     (is_float && !(pairs && e % 2 == 1)),
        .signed_i    (is_signed && !(pairs && e % 2 == 1)),
        .largest_i   (largest && !(pairs && e % 2 == 1)),
        .left_i      (left_i[e*64+:64]),
        .right_i     (right_i[e*64+:64]),
        .right_wins_o(wins_64[e]),
        .tie_o       (tie_64[e]),
        .nan_o       (nan_64[e])
    );
  end
  for (genvar e = 0; e < 4; e++) begin : gen_32
    mu_reduction_compare #(
        .WIDTH        (32),
        .EXPONENT_BITS(8)
    ) u_compare (
        .valid_i     (valid_i && !wide),
        .float_i     (is_float && !(pairs && e % 2 == 1)),
        .signed_i    (is_signed && !(pairs && e % 2 == 1)),
        .largest_i   (largest && !(pairs && e % 2 == 1)),
        .left_i      (left_i[e*32+:32]),
        .right_i     (right_i[e*32+:32]),
        .right_wins_o(wins_32[e]),
        .tie_o       (tie_32[e]),
        .nan_o       (nan_32[e])
    );
  end

  logic [1:0]   right_64;  // the element comes from the right
  logic [3:0]   right_32;
  logic [127:0] result_64;
  logic [127:0] result_32;
  always_comb begin
    right_64 = wins_64;
    right_32 = wins_32;
    if (pairs) begin
      right_64 = {2{wins_64[0] || (tie_64[0] && wins_64[1])}};
      right_32 = {
        {2{wins_32[2] || (tie_32[2] && wins_32[3])}}, {2{wins_32[0] || (tie_32[0] && wins_32[1])}}
      };
    end
    result_64 = '0;
    result_32 = '0;
    if (valid_i) begin
      for (int e = 0; e < 2; e++) begin
        if (nan_64[e]) result_64[e*64+:64] = NAN_64;
        else result_64[e*64+:64] = right_64[e] ? right_i[e*64+:64] : left_i[e*64+:64];
      end
      for (int e = 0; e < 4; e++) begin
        if (nan_32[e]) result_32[e*32+:32] = NAN_32;
        else result_32[e*32+:32] = right_32[e] ? right_i[e*32+:32] : left_i[e*32+:32];
      end
    end
    result_o = wide ? result_64 : result_32;
  end

  always_comb begin
    only_maxima_and_minima : assert (!valid_i || pairs || operation_i == mu_pkg::REDUCTION_MAX ||
                                     operation_i == mu_pkg::REDUCTION_MIN);
    type_exists : assert (!valid_i || element_i <= mu_pkg::ELEMENT_F64);
  end

  // Ties of indexes, and of what is not a pair, change nothing.
  logic unused_ties;
  assign unused_ties = tie_64[1] || tie_32[1] || tie_32[3];
endmodule
`default_nettype wire

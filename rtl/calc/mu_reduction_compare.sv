// SPDX-License-Identifier: Apache-2.0
// mu_reduction_compare: which of two elements a maximum or minimum takes.
//
//   left_i, right_i ---> [ as unsigned keys of the same order ] ---> [ < = ] ---> right_wins_o, tie_o, nan_o
//
// Behaviour: largest_i: the larger element wins, else the smaller. Floats are in total order, -0 below +0; a
//   NaN wins over every number, and two NaNs tie whatever their bits. tie_o: neither wins. nan_o: the winner
//   is a NaN. So the order in which many elements are compared does not change who wins.
// Latency: combinational. Costs nothing in simulation while valid_i is low.
// Limits: signed_i means nothing while float_i. The outputs are low while valid_i is.
`default_nettype none

module mu_reduction_compare #(
    parameter int unsigned WIDTH         = 32,
    parameter int unsigned EXPONENT_BITS = 8
) (
    input  logic             valid_i,
    input  logic             float_i,
    input  logic             signed_i,
    input  logic             largest_i,
    input  logic [WIDTH-1:0] left_i,
    input  logic [WIDTH-1:0] right_i,
    output logic             right_wins_o,
    output logic             tie_o,
    output logic             nan_o
);
  localparam logic [WIDTH-2:0] INFINITY = {{EXPONENT_BITS{1'b1}}, {(WIDTH - 1 - EXPONENT_BITS) {1'b0}}};

  // Negative floats are ordered backwards: all their bits turn round. Otherwise only the sign does.
  function automatic logic [WIDTH-1:0] key(input logic is_float, input logic is_signed,
                                           input logic [WIDTH-1:0] element);
    if (is_float && element[WIDTH-1]) key = ~element;
    else key = {element[WIDTH-1] ^ (is_float || is_signed), element[WIDTH-2:0]};
  endfunction

  logic [WIDTH-1:0] left_key;
  logic [WIDTH-1:0] right_key;
  logic             left_nan;
  logic             right_nan;
  logic             better;

  always_comb begin
    left_key     = '0;
    right_key    = '0;
    left_nan     = 1'b0;
    right_nan    = 1'b0;
    better       = 1'b0;
    nan_o        = 1'b0;
    tie_o        = 1'b0;
    right_wins_o = 1'b0;
    if (valid_i) begin
      left_key     = key(float_i, signed_i, left_i);
      right_key    = key(float_i, signed_i, right_i);
      left_nan     = float_i && left_i[WIDTH-2:0] > INFINITY;
      right_nan    = float_i && right_i[WIDTH-2:0] > INFINITY;
      better       = largest_i ? right_key > left_key : right_key < left_key;
      nan_o        = left_nan || right_nan;
      tie_o        = left_nan == right_nan && (left_nan || left_key == right_key);
      right_wins_o = nan_o ? right_nan && !left_nan : better;
    end
  end

`ifdef PROVE_MU_REDUCTION_COMPARE
  // Said again without keys: signs first, then magnitudes.
  logic             left_minus;
  logic             right_minus;
  logic             left_below;   // left < right
  logic             right_below;
  logic [WIDTH-2:0] left_rest;
  logic [WIDTH-2:0] right_rest;
  assign left_minus  = left_i[WIDTH-1];
  assign right_minus = right_i[WIDTH-1];
  assign left_rest   = left_i[WIDTH-2:0];
  assign right_rest  = right_i[WIDTH-2:0];
  always_comb begin
    if (left_minus != right_minus) begin
      left_below  = (float_i || signed_i) ? left_minus : right_minus;
      right_below = !left_below;
    end else begin
      left_below  = float_i && left_minus ? left_rest > right_rest : left_rest < right_rest;
      right_below = float_i && left_minus ? left_rest < right_rest : left_rest > right_rest;
    end
  end
  logic left_is_nan;
  logic right_is_nan;
  assign left_is_nan  = float_i && left_rest > INFINITY;
  assign right_is_nan = float_i && right_rest > INFINITY;
  always_comb if (valid_i) begin
    not_both : assert (!(right_wins_o && tie_o));
    nan_told : assert (nan_o == (left_is_nan || right_is_nan));
    if (left_is_nan && right_is_nan) nans_tie : assert (tie_o);
    if (left_is_nan && !right_is_nan) left_nan_wins : assert (!right_wins_o && !tie_o);
    if (!left_is_nan && right_is_nan) right_nan_wins : assert (right_wins_o);
    if (!left_is_nan && !right_is_nan) begin
      same_bits_tie : assert (tie_o == (left_i == right_i));
      larger_or_smaller_wins : assert (right_wins_o == (largest_i ? left_below : right_below));
    end
  end
`endif
endmodule
`default_nettype wire

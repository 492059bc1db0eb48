// SPDX-License-Identifier: Apache-2.0
// mu_reduction_compare: which of two elements a maximum or minimum takes; of one wide pair or of two narrow.
//
//   left_i, right_i ---> [ as unsigned keys of the same order, by halves ] ---> [ < = ] ---> right_wins_o,
//   wide_i, kinds of both halves --------^------------------------------------------^        tie_o, nan_o
//
// Behaviour: bit 0 of the outputs and of the kinds is for the lower half, bit 1 for the upper one; with
//   wide_i both bits are for the one element, of the kind of bit 1. largest_i: the larger element wins, else
//   the smaller. Floats are in total order, -0 below +0; a NaN wins over every number, and two NaNs tie
//   whatever their bits. tie_o: neither wins. nan_o: the winner is a NaN. So the order in which many elements
//   are compared does not change who wins.
// Latency: combinational. Costs nothing in simulation while valid_i is low.
// Limits: WIDTH even, floats of both widths have a fraction. signed_i means nothing while float_i. The
//   outputs are low while valid_i is. Both bits of a kind alike while wide_i.
`default_nettype none

module mu_reduction_compare #(
    parameter  int unsigned WIDTH                = 64,
    parameter  int unsigned EXPONENT_BITS        = 11,
    parameter  int unsigned NARROW_EXPONENT_BITS = 8,
    localparam int unsigned HALF                 = WIDTH / 2
) (
    input  logic             valid_i,
    input  logic             wide_i,
    input  logic [1:0]       float_i,
    input  logic [1:0]       signed_i,
    input  logic [1:0]       largest_i,
    input  logic [WIDTH-1:0] left_i,
    input  logic [WIDTH-1:0] right_i,
    output logic [1:0]       right_wins_o,
    output logic [1:0]       tie_o,
    output logic [1:0]       nan_o
);
  if (EXPONENT_BITS + 1 >= WIDTH || NARROW_EXPONENT_BITS + 1 >= HALF)
    $error("mu_reduction_compare: a float must have a fraction");

  // Negative floats are ordered backwards: all their bits turn round. Otherwise only the sign does. Where the
  // smaller wins, all bits turn round once more.
  function automatic logic [HALF-1:0] key(input logic turn, input logic turn_first,
                                          input logic [HALF-1:0] bits);
    key = bits ^ {turn_first, {(HALF - 1) {turn}}};
  endfunction

  // Of the bits below the sign.
  function automatic logic wide_nan(input logic [WIDTH-2:0] bits);
    wide_nan = bits[WIDTH-2-:EXPONENT_BITS] == '1 && bits[WIDTH-2-EXPONENT_BITS:0] != '0;
  endfunction
  function automatic logic narrow_nan(input logic [HALF-2:0] bits);
    narrow_nan = bits[HALF-2-:NARROW_EXPONENT_BITS] == '1 && bits[HALF-2-NARROW_EXPONENT_BITS:0] != '0;
  endfunction

  logic [1:0]       left_minus;   // and a float
  logic [1:0]       right_minus;
  logic [1:0]       sign_turns;
  logic [WIDTH-1:0] left_key;
  logic [WIDTH-1:0] right_key;
  logic [1:0]       equal;
  logic [1:0]       better;
  logic [1:0]       left_nan;
  logic [1:0]       right_nan;

  always_comb begin
    left_minus   = '0;
    right_minus  = '0;
    sign_turns   = '0;
    left_key     = '0;
    right_key    = '0;
    equal        = '0;
    better       = '0;
    left_nan     = '0;
    right_nan    = '0;
    nan_o        = '0;
    tie_o        = '0;
    right_wins_o = '0;
    if (valid_i) begin
      for (int h = 0; h < 2; h++) begin
        left_minus[h]  = float_i[h] && left_i[wide_i ? WIDTH - 1 : h * HALF + HALF - 1];
        right_minus[h] = float_i[h] && right_i[wide_i ? WIDTH - 1 : h * HALF + HALF - 1];
        // The first bit of the lower half of a wide element is none of a sign.
        sign_turns[h]  = (float_i[h] || signed_i[h]) && (h == 1 || !wide_i);
        left_key[h*HALF+:HALF]  = key(left_minus[h] == largest_i[h],
                                      (sign_turns[h] || left_minus[h]) == largest_i[h],
                                      left_i[h*HALF+:HALF]);
        right_key[h*HALF+:HALF] = key(right_minus[h] == largest_i[h],
                                      (sign_turns[h] || right_minus[h]) == largest_i[h],
                                      right_i[h*HALF+:HALF]);
        equal[h]     = left_i[h*HALF+:HALF] == right_i[h*HALF+:HALF];
        better[h]    = right_key[h*HALF+:HALF] > left_key[h*HALF+:HALF];
        left_nan[h]  = float_i[h] && narrow_nan(left_i[h*HALF+:HALF-1]);
        right_nan[h] = float_i[h] && narrow_nan(right_i[h*HALF+:HALF-1]);
      end
      if (wide_i) begin
        better    = {2{better[1] || (equal[1] && better[0])}};
        equal     = {2{equal == '1}};
        left_nan  = {2{float_i[1] && wide_nan(left_i[WIDTH-2:0])}};
        right_nan = {2{float_i[1] && wide_nan(right_i[WIDTH-2:0])}};
      end
      nan_o        = left_nan | right_nan;
      tie_o        = ~(left_nan ^ right_nan) & (left_nan | equal);
      right_wins_o = nan_o & right_nan & ~left_nan | ~nan_o & better;
    end
  end

`ifdef PROVE_MU_REDUCTION_COMPARE
  // Said again without keys, for any half that one chooses: signs first, then magnitudes.
  (* anyconst *) logic chosen;
  logic             left_is_minus;
  logic             right_is_minus;
  logic             left_below;   // left < right
  logic             right_below;
  logic [WIDTH-2:0] left_rest;
  logic [WIDTH-2:0] right_rest;
  logic [WIDTH-2:0] infinity;
  logic             is_float;
  assign is_float    = float_i[chosen];
  assign left_is_minus  = left_i[wide_i || chosen ? WIDTH - 1 : HALF - 1];
  assign right_is_minus = right_i[wide_i || chosen ? WIDTH - 1 : HALF - 1];
  always_comb begin
    left_rest  = left_i[WIDTH-2:0];
    right_rest = right_i[WIDTH-2:0];
    infinity   = {{EXPONENT_BITS{1'b1}}, {(WIDTH - 1 - EXPONENT_BITS) {1'b0}}};
    if (!wide_i) begin
      left_rest  = (WIDTH - 1)'(chosen ? left_i[WIDTH-2:HALF] : left_i[HALF-2:0]);
      right_rest = (WIDTH - 1)'(chosen ? right_i[WIDTH-2:HALF] : right_i[HALF-2:0]);
      infinity   = (WIDTH - 1)'({{NARROW_EXPONENT_BITS{1'b1}}, {(HALF - 1 - NARROW_EXPONENT_BITS) {1'b0}}});
    end
    if (left_is_minus != right_is_minus) begin
      left_below  = (is_float || signed_i[chosen]) ? left_is_minus : right_is_minus;
      right_below = !left_below;
    end else begin
      left_below  = is_float && left_is_minus ? left_rest > right_rest : left_rest < right_rest;
      right_below = is_float && left_is_minus ? left_rest < right_rest : left_rest > right_rest;
    end
    if (wide_i) assume ({^float_i, ^signed_i, ^largest_i} == '0);
  end
  logic left_is_nan;
  logic right_is_nan;
  assign left_is_nan  = is_float && left_rest > infinity;
  assign right_is_nan = is_float && right_rest > infinity;
  always_comb if (valid_i) begin
    not_both : assert (!(right_wins_o[chosen] && tie_o[chosen]));
    nan_told : assert (nan_o[chosen] == (left_is_nan || right_is_nan));
    if (left_is_nan && right_is_nan) nans_tie : assert (tie_o[chosen]);
    if (left_is_nan && !right_is_nan) left_nan_wins : assert (!right_wins_o[chosen] && !tie_o[chosen]);
    if (!left_is_nan && right_is_nan) right_nan_wins : assert (right_wins_o[chosen]);
    if (!left_is_nan && !right_is_nan) begin
      same_bits_tie :
      assert (tie_o[chosen] == (left_is_minus == right_is_minus && left_rest == right_rest));
      larger_or_smaller_wins :
      assert (right_wins_o[chosen] == (largest_i[chosen] ? left_below : right_below));
    end
  end
`endif
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_reduction_compare: which of two elements a maximum or minimum takes; of one element of 64 bits, two of
// 32, four of 16 or eight of 8.
//
//   left_i, right_i --> [ as unsigned keys of the same order, by bytes ] --> [ < = ] --> [ joined to ] -->
//   kinds of bytes -------------^                                                        [ elements  ]
//                                                               right_wins_o, tie_o, nan_o, by bytes <--+
//
// Behaviour: size_log2_i: of an element, in bytes; bit n of the outputs and of the kinds is for byte n, and
//   all bytes of an element are alike. largest_i: the larger element wins, else the smaller. Floats, whose
//   infinities have the bits of infinity_i, are in total order, -0 below +0; a NaN wins over every number,
//   and two NaNs tie whatever their bits. tie_o: neither wins. nan_o: the winner is a NaN. So the order in
//   which many elements are compared does not change who wins.
// Latency: combinational. Costs nothing in simulation while valid_i is low.
// Limits: signed_i means nothing while float_i. The outputs are low while valid_i is. Kinds of all bytes of
//   an element alike; infinity_i positive, of elements of the size.
`default_nettype none

module mu_reduction_compare (
    input  logic        valid_i,
    input  logic [1:0]  size_log2_i,
    input  logic [7:0]  float_i,
    input  logic [7:0]  signed_i,
    input  logic [7:0]  largest_i,
    input  logic [63:0] infinity_i,
    input  logic [63:0] left_i,
    input  logic [63:0] right_i,
    output logic [7:0]  right_wins_o,
    output logic [7:0]  tie_o,
    output logic [7:0]  nan_o
);
  // For each byte that of the upper, or of the lower, half of 2, 4 or 8 bytes; all of a half are alike.
  function automatic logic [7:0] upper(input logic [1:0] half, input logic [7:0] bytes);
    unique case (half)
      2'd0:    upper = (bytes & 8'hAA) | ((bytes & 8'hAA) >> 1);
      2'd1:    upper = (bytes & 8'hCC) | ((bytes & 8'hCC) >> 2);
      default: upper = (bytes & 8'hF0) | ((bytes & 8'hF0) >> 4);
    endcase
  endfunction
  function automatic logic [7:0] lower(input logic [1:0] half, input logic [7:0] bytes);
    unique case (half)
      2'd0:    lower = (bytes & 8'h55) | ((bytes & 8'h55) << 1);
      2'd1:    lower = (bytes & 8'h33) | ((bytes & 8'h33) << 2);
      default: lower = (bytes & 8'h0F) | ((bytes & 8'h0F) << 4);
    endcase
  endfunction

  // Negative floats are ordered backwards: all their bits turn round. Otherwise only the sign does. Where the
  // smaller wins, all bits turn round once more.
  function automatic logic [7:0] key(input logic turn, input logic turn_first, input logic [7:0] bits);
    key = bits ^ {turn_first, {7{turn}}};
  endfunction

  logic [7:0]  first;           // the byte that begins with the sign
  logic [7:0]  left_minus;      // and a float
  logic [7:0]  right_minus;
  logic [7:0]  equal;
  logic [7:0]  better;
  logic [7:0]  left_special;    // its exponent is that of infinity
  logic [7:0]  right_special;
  logic [7:0]  left_fraction;   // is not zero
  logic [7:0]  right_fraction;
  logic [7:0]  left_nan;
  logic [7:0]  right_nan;
  logic [63:0] fraction_bits;

  always_comb begin
    first          = '0;
    left_minus     = '0;
    right_minus    = '0;
    equal          = '0;
    better         = '0;
    left_special   = '0;
    right_special  = '0;
    left_fraction  = '0;
    right_fraction = '0;
    left_nan       = '0;
    right_nan      = '0;
    fraction_bits  = '0;
    nan_o          = '0;
    tie_o          = '0;
    right_wins_o   = '0;
    if (valid_i) begin
      unique case (size_log2_i)
        2'd0:    first = 8'hFF;
        2'd1:    first = 8'hAA;
        2'd2:    first = 8'h88;
        default: first = 8'h80;
      endcase
      for (int b = 0; b < 8; b++) begin
        left_minus[b]  = float_i[b] && left_i[b*8+7];
        right_minus[b] = float_i[b] && right_i[b*8+7];
      end
      for (int half = 0; half < 3; half++) begin
        if (3'(size_log2_i) > 3'(half)) begin
          left_minus  = upper(2'(half), left_minus);
          right_minus = upper(2'(half), right_minus);
        end
      end
      fraction_bits = ~infinity_i;
      for (int b = 0; b < 8; b++) begin
        if (first[b]) fraction_bits[b*8+7] = 1'b0;
      end
      for (int b = 0; b < 8; b++) begin
        equal[b]  = left_i[b*8+:8] == right_i[b*8+:8];
        better[b] = key(right_minus[b] == largest_i[b],
                        ((first[b] && (float_i[b] || signed_i[b])) || right_minus[b]) == largest_i[b],
                        right_i[b*8+:8]) >
                    key(left_minus[b] == largest_i[b],
                        ((first[b] && (float_i[b] || signed_i[b])) || left_minus[b]) == largest_i[b],
                        left_i[b*8+:8]);
        left_special[b]   = (left_i[b*8+:8] | ~infinity_i[b*8+:8]) == '1;
        right_special[b]  = (right_i[b*8+:8] | ~infinity_i[b*8+:8]) == '1;
        left_fraction[b]  = (left_i[b*8+:8] & fraction_bits[b*8+:8]) != '0;
        right_fraction[b] = (right_i[b*8+:8] & fraction_bits[b*8+:8]) != '0;
      end
      for (int half = 0; half < 3; half++) begin
        if (3'(size_log2_i) > 3'(half)) begin
          better         = upper(2'(half), better) | (upper(2'(half), equal) & lower(2'(half), better));
          equal          = upper(2'(half), equal) & lower(2'(half), equal);
          left_special   = upper(2'(half), left_special) & lower(2'(half), left_special);
          right_special  = upper(2'(half), right_special) & lower(2'(half), right_special);
          left_fraction  = upper(2'(half), left_fraction) | lower(2'(half), left_fraction);
          right_fraction = upper(2'(half), right_fraction) | lower(2'(half), right_fraction);
        end
      end
      left_nan     = float_i & left_special & left_fraction;
      right_nan    = float_i & right_special & right_fraction;
      nan_o        = left_nan | right_nan;
      tie_o        = ~(left_nan ^ right_nan) & (left_nan | equal);
      right_wins_o = nan_o & right_nan & ~left_nan | ~nan_o & better;
    end
  end

`ifdef PROVE_MU_REDUCTION_COMPARE
  // Said again without keys, of the whole element of any byte that one chooses: signs first, then magnitudes.
  (* anyconst *) logic [2:0] chosen;
  logic [5:0]  from;         // where the element begins
  logic [6:0]  width;
  logic [63:0] rest;         // the bits below its sign
  logic        left_is_minus;
  logic        right_is_minus;
  logic        left_below;   // left < right
  logic        right_below;
  logic [63:0] left_rest;
  logic [63:0] right_rest;
  logic [63:0] infinity;
  logic        is_float;
  logic        left_is_nan;
  logic        right_is_nan;
  assign width          = 7'd8 << size_log2_i;
  assign from           = {chosen & (3'b111 << size_log2_i), 3'b0};
  assign rest           = (64'd1 << (width - 7'd1)) - 64'd1;
  assign is_float       = float_i[chosen];
  assign left_is_minus  = 1'(left_i >> (7'(from) + width - 7'd1));
  assign right_is_minus = 1'(right_i >> (7'(from) + width - 7'd1));
  assign left_rest      = (left_i >> from) & rest;
  assign right_rest     = (right_i >> from) & rest;
  assign infinity       = (infinity_i >> from) & rest;
  always_comb begin
    if (left_is_minus != right_is_minus) begin
      left_below  = (is_float || signed_i[chosen]) ? left_is_minus : right_is_minus;
      right_below = !left_below;
    end else begin
      left_below  = is_float && left_is_minus ? left_rest > right_rest : left_rest < right_rest;
      right_below = is_float && left_is_minus ? left_rest < right_rest : left_rest > right_rest;
    end
    // An exponent is the highest bits below the sign: all ones in infinity, and nothing else.
    assume ((((infinity ^ rest) + 64'd1) & (infinity ^ rest)) == 64'd0);
    assume (1'(infinity_i >> (7'(from) + width - 7'd1)) == 1'b0);
    for (int b = 0; b < 8; b++) begin
      if (3'(b) >= from[5:3] && 4'(b) < 4'(from[5:3]) + 4'(width >> 3))
        assume ({float_i[b], signed_i[b], largest_i[b]} == {is_float, signed_i[chosen], largest_i[chosen]});
    end
  end
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

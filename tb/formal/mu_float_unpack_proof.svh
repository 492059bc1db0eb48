// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_float_unpack: the parts say the number: put together again they are the bits that
// came, with the leading one exactly in normal numbers; a special value is at most one of three, as IEEE
// 754 codes them. The exponent of a narrow number has zeros above.
  logic leading;
  logic [EXPONENT_BITS-1:0] most;  // exponent of a special value
  always_comb if (narrow_i) assume (float_i[WIDTH-2-:EXPONENT_BITS-NARROW_EXPONENT_BITS] == '0);
  assign most = narrow_i ? EXPONENT_BITS'({NARROW_EXPONENT_BITS{1'b1}}) : '1;
  assign leading = significand_o[FRACTION_BITS];
  always_comb begin
    one_special_value_at_most : assert ($onehot0({zero_o, infinity_o, nan_o}));
    sign_is_the_first_bit : assert (sign_o == float_i[WIDTH-1]);
    the_bits_that_came :
    assert ({leading ? exponent_o : '0, significand_o[FRACTION_BITS-1:0]} == float_i[WIDTH-2:0]);
    without_leading_one_the_least_exponent : assert (leading || exponent_o == EXPONENT_BITS'(1));
    never_below_the_least : assert (exponent_o != '0);
    zero_has_no_bits : assert (zero_o == (float_i[WIDTH-2:0] == '0));
    infinity_has_no_fraction :
    assert (infinity_o == (float_i[WIDTH-2:0] == {most, {FRACTION_BITS{1'b0}}}));
    nan_is_above_infinity :
    assert (nan_o == (float_i[WIDTH-2:0] > {most, {FRACTION_BITS{1'b0}}}));
  end

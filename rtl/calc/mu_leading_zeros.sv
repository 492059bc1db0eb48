// SPDX-License-Identifier: Apache-2.0
// mu_leading_zeros: how many zeros stand above the leading one of a number.
//
//   number_i ---> [ pairs of bits, of pairs ...: is there a one, and where in its half ] ---> zeros_o
//
// Behaviour: zeros_o is the number of zeros above the highest one of number_i; of zero it is WIDTH, or
//   WIDTH - 1 where COUNT_BITS do not hold that. As a tree, so that no step waits for more than the halves.
// Latency: combinational. Costs nothing in simulation while valid_i is low.
// Limits: WIDTH >= 2. zeros_o is zero while valid_i is low.
`default_nettype none

module mu_leading_zeros #(
    parameter  int unsigned WIDTH      = 57,
    localparam int unsigned COUNT_BITS = $clog2(WIDTH)
) (
    input  logic                  valid_i,
    input  logic [WIDTH-1:0]      number_i,
    output logic [COUNT_BITS-1:0] zeros_o
);
  localparam int unsigned SIZE = 1 << COUNT_BITS;
  if (WIDTH < 2) $error("mu_leading_zeros: WIDTH must be at least 2");

  // Of a group of bits, at its lowest bit: whether it holds a one, and the bits of the count within it.
  logic [SIZE-1:0]            any;
  logic [SIZE-1:0]            upper;
  logic [COUNT_BITS*SIZE-1:0] counts;

  always_comb begin
    any     = '0;
    upper   = '0;
    counts  = '0;
    zeros_o = '0;
    if (valid_i) begin
      any = SIZE'(number_i) << (SIZE - WIDTH);
      // So that zero counts what there is.
      if (SIZE > WIDTH) any = any | (SIZE'(1) << (SIZE - WIDTH)) >> 1;
      for (int level = 0; level < COUNT_BITS; level++) begin
        upper = any >> (32'd1 << level);
        for (int place = 0; place < level; place++) begin
          counts[place*SIZE+:SIZE] = (counts[place*SIZE+:SIZE] >> (32'd1 << level)) & upper |
                                     counts[place*SIZE+:SIZE] & ~upper;
        end
        counts[level*SIZE+:SIZE] = ~upper;
        any                      = any | upper;
      end
      for (int place = 0; place < COUNT_BITS; place++) zeros_o[place] = counts[place*SIZE];
    end
  end

`ifdef PROVE_MU_LEADING_ZEROS
  localparam int unsigned MOST = SIZE > WIDTH ? WIDTH : WIDTH - 1;
  always_comb begin
    if (valid_i && number_i != '0) begin
      zeros_above : assert ((number_i >> (WIDTH - 32'(zeros_o))) == '0);
      one_below_them : assert (number_i[WIDTH-1-32'(zeros_o)]);
    end
    if (valid_i && number_i == '0) all_of_zero : assert (32'(zeros_o) == MOST);
    if (!valid_i) nothing_of_nothing : assert (zeros_o == '0);
  end
`endif
endmodule
`default_nettype wire

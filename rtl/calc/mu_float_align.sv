// SPDX-License-Identifier: Apache-2.0
// mu_float_align: shifts a significand to the right and remembers in its lowest bit whether anything fell
// out.
//
//   significand_i, amount_i ---> [ >> 1, 2, 4 ..., OR of what falls out into bit 0 ] ---> aligned_o
//
// Behaviour: aligned_o = significand_i >> amount_i, bit 0 set too if a bit shifted out was one ("sticky").
//   That is all that rounding needs to know of the bits below: whether they are zero. From the power of two
//   on that WIDTH is or is below, any amount gives zero, and nothing sticks: what is so far below the lowest
//   bit decides no rounding to nearest. Of that the lowest OUT_BITS bits.
// Latency: combinational. Costs nothing in simulation while valid_i is low.
// Limits: any amount; from WIDTH on all bits fall out. aligned_o is zero while valid_i is low.
`default_nettype none

module mu_float_align #(
    parameter int unsigned WIDTH       = 27,
    parameter int unsigned AMOUNT_BITS = 8,
    parameter int unsigned OUT_BITS    = WIDTH
) (
    input  logic                   valid_i,
    input  logic [WIDTH-1:0]       significand_i,
    input  logic [AMOUNT_BITS-1:0] amount_i,
    output logic [OUT_BITS-1:0]    aligned_o
);
  if (OUT_BITS < 2 || WIDTH < OUT_BITS)
    $error("mu_float_align: OUT_BITS must be at least 2, and at most WIDTH");

  // Distances below the next power of two; any other shifts everything out.
  localparam int unsigned STAGES = $clog2(WIDTH) < AMOUNT_BITS ? $clog2(WIDTH) : AMOUNT_BITS;

  logic [WIDTH-1:0] shifted;
  logic             sticky;

  always_comb begin
    shifted = '0;
    sticky  = 1'b0;
    if (valid_i) begin
      shifted = significand_i;
      for (int stage = 0; stage < STAGES; stage++) begin
        if (amount_i[stage]) begin
          sticky  = sticky || (shifted << (WIDTH - (32'd1 << stage))) != '0;
          shifted = shifted >> (32'd1 << stage);
        end
      end
      if ((amount_i >> STAGES) != '0) begin
        sticky  = 1'b0;
        shifted = '0;
      end
    end
  end
  assign aligned_o = {shifted[OUT_BITS-1:1], shifted[0] | sticky};

`ifdef PROVE_MU_FLOAT_ALIGN
  // Any bit of the input, wherever it goes.
  (* anyconst *) logic [$clog2(WIDTH)-1:0] place;
  logic [31:0] low;  // the bit that becomes bit 0
  assign low = 32'(amount_i);
  always_comb begin
    if (32'(place) < WIDTH && valid_i) begin
      if (32'(place) > low && 32'(place) - low < OUT_BITS)
        kept_bits_move : assert (aligned_o[32'(place) - low] == significand_i[place]);
      if (32'(place) <= low && (low >> STAGES) == '0 && significand_i[place])
        lost_bits_stick : assert (aligned_o[0]);
      if ((low >> STAGES) != '0) nothing_from_afar : assert (aligned_o == '0);
      if (32'(place) > 0 && 32'(place) < OUT_BITS && 32'(place) + low >= WIDTH)
        above_is_zero : assert (!aligned_o[place]);
    end
    if (significand_i == '0) nothing_from_nothing : assert (aligned_o == '0);
  end
`endif
endmodule
`default_nettype wire

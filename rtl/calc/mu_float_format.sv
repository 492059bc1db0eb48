// SPDX-License-Identifier: Apache-2.0
// mu_float_format: which part of the widest format's fields a format of floats uses.
//
//   format_i ---> most_o {exponent of infinity}, dropped_o {places of the fraction that it has not}
//
// Behaviour: format 0 is the widest and has all bits of both fields; formats 1 to 3 have so many bits of the
//   exponent and of the fraction as the bytes of NARROW_EXPONENTS and NARROW_FRACTIONS say, format 1 in the
//   lowest. A float of a narrow format lies in the wide fields with its exponent lowest and its fraction
//   highest, zeros elsewhere: most_o is the exponent of its infinities and NaNs, and half of it, rounded
//   down, its bias; dropped_o is one where its fraction has no bits.
// Latency: combinational.
// Limits: no field of a narrow format is wider than the widest's, nor without bits.
`default_nettype none

module mu_float_format #(
    parameter int unsigned EXPONENT_BITS    = 11,
    parameter int unsigned FRACTION_BITS    = 52,
    parameter logic [23:0] NARROW_EXPONENTS = 24'h08_05_08,
    parameter logic [23:0] NARROW_FRACTIONS = 24'h07_0A_17
) (
    input  logic [1:0]               format_i,  // mu_pkg::float_format_e
    output logic [EXPONENT_BITS-1:0] most_o,
    output logic [FRACTION_BITS-1:0] dropped_o
);
  for (genvar f = 0; f < 3; f++) begin : gen_limits
    if (NARROW_EXPONENTS[f*8+:8] == 0 || 32'(NARROW_EXPONENTS[f*8+:8]) > EXPONENT_BITS ||
        NARROW_FRACTIONS[f*8+:8] == 0 || 32'(NARROW_FRACTIONS[f*8+:8]) > FRACTION_BITS)
      $error("mu_float_format: a field of a narrow format must have bits, and no more than the widest's");
  end

  always_comb begin
    unique case (format_i)
      2'd1: begin
        most_o    = {EXPONENT_BITS{1'b1}} >> (EXPONENT_BITS - 32'(NARROW_EXPONENTS[7:0]));
        dropped_o = {FRACTION_BITS{1'b1}} >> NARROW_FRACTIONS[7:0];
      end
      2'd2: begin
        most_o    = {EXPONENT_BITS{1'b1}} >> (EXPONENT_BITS - 32'(NARROW_EXPONENTS[15:8]));
        dropped_o = {FRACTION_BITS{1'b1}} >> NARROW_FRACTIONS[15:8];
      end
      2'd3: begin
        most_o    = {EXPONENT_BITS{1'b1}} >> (EXPONENT_BITS - 32'(NARROW_EXPONENTS[23:16]));
        dropped_o = {FRACTION_BITS{1'b1}} >> NARROW_FRACTIONS[23:16];
      end
      default: begin
        most_o    = '1;
        dropped_o = '0;
      end
    endcase
  end
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_calc_attach: makes pairs of elements, with the number of their operand as index.
//
//   in (beat, last, upper) --> [ lower half, upper half ] --> [ a value and its index ] --> out (beat, last)
//                                                 operand ------^
//
// Behaviour: passes come by rising operand, 0 to last_operand_i, and again from 0. With attach_i each half of
//   a beat leaves as a beat of pairs: an element of the operands, and behind it, as wide, the number of the
//   operand. The upper half of a beat without in_upper_i is left out. Without attach_i beats leave as they
//   come.
// Latency: none; with attach_i a cycle for each half.
// Limits: starts when reset ends; attach_i, size_log2_i and last_operand_i stand. What comes stands until it
//   is taken. An element has 1 to 8 bytes.
// two-readers: hold:last_operand_i=2 seen=20
`default_nettype none

module mu_calc_attach (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    // what to do
    input  logic                 attach_i,
    input  logic [1:0]           size_log2_i,  // of an element, in bytes
    input  logic [3:0]           last_operand_i,
    // operands
    input  logic                 in_valid_i,
    output logic                 in_ready_o,
    input  mu_pkg::memory_word_t in_data_i,
    input  logic                 in_last_i,   // of a pass
    input  logic                 in_upper_i,  // there are bytes in the upper half
    // the same, or pairs
    output logic                 out_valid_o,
    input  logic                 out_ready_i,
    output mu_pkg::memory_word_t out_data_o,
    output logic                 out_last_o
);
  localparam int unsigned HALF_BYTES = 16;
  localparam int unsigned HALF_BITS  = 8 * HALF_BYTES;

  logic [3:0]           operand_q;
  logic                 upper_q;  // the lower half has left
  logic                 more;     // the upper half comes behind this one
  logic                 leaves;
  logic [HALF_BITS-1:0] half;
  mu_pkg::memory_word_t pairs;

  assign half        = upper_q ? in_data_i[HALF_BITS+:HALF_BITS] : in_data_i[0+:HALF_BITS];
  assign more        = attach_i && in_upper_i && !upper_q;
  assign out_valid_o = in_valid_i;
  assign in_ready_o  = out_ready_i && !more;
  assign out_last_o  = in_last_i && !more;
  assign out_data_o  = attach_i ? pairs : in_data_i;
  assign leaves      = out_valid_o && out_ready_i;

  // Byte b of element e goes to byte 2 * e * size + b, and the index to where the element behind it would.
  always_comb begin
    pairs = '0;
    for (int unsigned size_log2 = 0; size_log2 < 4; size_log2++) begin
      if (size_log2_i == 2'(size_log2)) begin
        for (int unsigned b = 0; b < HALF_BYTES; b++) begin
          pairs[8*(b + ((b >> size_log2) << size_log2))+:8] = half[8*b+:8];
          if ((b >> size_log2) << size_log2 == b)
            pairs[8*(2*b + (32'd1 << size_log2))+:8] = {4'd0, operand_q};
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      operand_q <= '0;
      upper_q   <= 1'b0;
    end else if (leaves) begin
      upper_q <= more;
      if (out_last_o) operand_q <= operand_q == last_operand_i ? '0 : operand_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      operands_are_bounded : assert (operand_q <= last_operand_i);
      if (upper_q) upper_half_stands : assert (in_valid_i && in_upper_i);
    end
  end
endmodule
`default_nettype wire

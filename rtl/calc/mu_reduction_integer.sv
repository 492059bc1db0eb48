// SPDX-License-Identifier: Apache-2.0
// mu_reduction_integer: integer sum, bit-wise and logical operations on a lane: one element of 64 bits, two
// of 32, four of 16 or eight of 8.
//
//   left_i, right_i ---> [ +  & | ^  and the same on "is not zero" ] ---> result_o
//
// Behaviour: SUM wraps, which is the same for signed and unsigned integers. BAND, BOR, BXOR work on each bit.
//   LAND, LOR, LXOR take an element that is not zero for true and give 1 or 0. size_log2_i: of an element, in
//   bytes.
// Latency: combinational.
// Limits: any other operation is taken for BXOR, so that it needs no logic; nobody looks at the result then.
`default_nettype none

module mu_reduction_integer (
    input  logic [3:0]  operation_i,  // mu_pkg::reduction_e
    input  logic [1:0]  size_log2_i,
    input  logic [63:0] left_i,
    input  logic [63:0] right_i,
    output logic [63:0] result_o
);
  logic [63:0] top;         // the highest bit of each element
  logic [63:0] low_sum;     // of all bits below, so that no carry leaves an element
  logic [7:0]  left_true;   // by byte; all of an element are alike
  logic [7:0]  right_true;
  logic [7:0]  first;       // the lowest byte of an element
  logic [7:0]  truth;
  logic [63:0] bits;

  always_comb begin
    unique case (size_log2_i)
      2'd0: begin
        top   = {8{8'h80}};
        first = 8'hFF;
      end
      2'd1: begin
        top   = {4{16'h8000}};
        first = 8'h55;
      end
      2'd2: begin
        top   = {2{32'h8000_0000}};
        first = 8'h11;
      end
      default: begin
        top   = 64'h8000_0000_0000_0000;
        first = 8'h01;
      end
    endcase
  end
  assign low_sum = (left_i & ~top) + (right_i & ~top);

  // What any byte of an element is, all of them are: halves of two bytes, of four, of eight.
  function automatic logic [7:0] any(input logic [1:0] size_log2, input logic [63:0] elements);
    any = {elements[63:56] != '0, elements[55:48] != '0, elements[47:40] != '0, elements[39:32] != '0,
           elements[31:24] != '0, elements[23:16] != '0, elements[15:8] != '0, elements[7:0] != '0};
    if (size_log2 != 2'd0) any = any | ((any & 8'h55) << 1) | ((any & 8'hAA) >> 1);
    if (size_log2[1]) any = any | ((any & 8'h33) << 2) | ((any & 8'hCC) >> 2);
    if (size_log2 == 2'd3) any = any | ((any & 8'h0F) << 4) | ((any & 8'hF0) >> 4);
  endfunction
  assign left_true  = any(size_log2_i, left_i);
  assign right_true = any(size_log2_i, right_i);

  always_comb begin
    unique case (operation_i)
      mu_pkg::REDUCTION_LAND, mu_pkg::REDUCTION_BAND: begin
        truth = left_true & right_true;
        bits  = left_i & right_i;
      end
      mu_pkg::REDUCTION_LOR, mu_pkg::REDUCTION_BOR: begin
        truth = left_true | right_true;
        bits  = left_i | right_i;
      end
      default: begin
        truth = left_true ^ right_true;
        bits  = left_i ^ right_i;
      end
    endcase
    truth = truth & first;
  end

  always_comb begin
    unique case (operation_i)
      mu_pkg::REDUCTION_SUM: result_o = low_sum ^ ((left_i ^ right_i) & top);
      mu_pkg::REDUCTION_LAND, mu_pkg::REDUCTION_LOR, mu_pkg::REDUCTION_LXOR:
      result_o = {7'b0, truth[7], 7'b0, truth[6], 7'b0, truth[5], 7'b0, truth[4],
                  7'b0, truth[3], 7'b0, truth[2], 7'b0, truth[1], 7'b0, truth[0]};
      default: result_o = bits;
    endcase
  end

`ifdef PROVE_MU_REDUCTION_INTEGER
  // Of one element that anybody may choose, moved to the lowest bits.
  (* anyconst *) logic [5:0] place;
  (* anyconst *) logic [2:0] chosen;
  logic [5:0]  from;
  logic [63:0] mask, left, right, result;
  assign from   = 6'(chosen) << (3'd3 + 3'(size_log2_i));
  assign mask   = size_log2_i == 2'd3 ? '1 : (64'd1 << (7'd8 << size_log2_i)) - 64'd1;
  assign left   = (left_i >> from) & mask;
  assign right  = (right_i >> from) & mask;
  assign result = (result_o >> from) & mask;
  always_comb begin
    unique case (operation_i)
      mu_pkg::REDUCTION_SUM:  sums : assert (result == ((left + right) & mask));
      mu_pkg::REDUCTION_BAND: ands : assert (result_o[place] == (left_i[place] && right_i[place]));
      mu_pkg::REDUCTION_BOR:  ors : assert (result_o[place] == (left_i[place] || right_i[place]));
      mu_pkg::REDUCTION_BXOR: xors : assert (result_o[place] == (left_i[place] != right_i[place]));
      mu_pkg::REDUCTION_LAND: logical_and : assert (result == 64'(left != '0 && right != '0));
      mu_pkg::REDUCTION_LOR:  logical_or : assert (result == 64'(left != '0 || right != '0));
      mu_pkg::REDUCTION_LXOR: logical_xor : assert (result == 64'((left != '0) != (right != '0)));
      default: ;
    endcase
  end
`endif
endmodule
`default_nettype wire

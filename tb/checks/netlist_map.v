// SPDX-License-Identifier: Apache-2.0
// What Yosys makes of additions, subtractions and comparisons, in operators that its Verilog has; see netlist.sh.
(* techmap_celltype = "$alu" *)
module netlist_alu (A, B, CI, BI, X, Y, CO);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  input CI;
  input BI;
  output [Y_WIDTH-1:0] X;
  output [Y_WIDTH-1:0] Y;
  output [Y_WIDTH-1:0] CO;
  wire [Y_WIDTH-1:0] a;
  wire [Y_WIDTH-1:0] b;
  wire [Y_WIDTH-1:0] c;
  // An operand may have no bits: it is 0.
  generate
    if (A_WIDTH == 0) assign a = 0;
    else if (A_SIGNED) assign a = {{Y_WIDTH{A[A_WIDTH-1]}}, A};
    else assign a = {{Y_WIDTH{1'b0}}, A};
    if (B_WIDTH == 0) assign b = 0;
    else if (B_SIGNED) assign b = {{Y_WIDTH{B[B_WIDTH-1]}}, B};
    else assign b = {{Y_WIDTH{1'b0}}, B};
  endgenerate
  assign c = b ^ {Y_WIDTH{BI}};
  assign X = a ^ c;
  assign Y = a + c + CI;
  assign CO = (a & c) | (X & ~Y);
endmodule

// SPDX-License-Identifier: Apache-2.0
// What proofs of equivalence replace in a netlist; see prove.sh.

`ifndef CUT_BITS
`define CUT_BITS 1024
`endif

// A flip-flop without a value at the start begins with what an input says, which is the same for the block with and
// without the mutant. The input gets a name of its own when Yosys finds that nothing drives it.
(* techmap_celltype = "$_DFF_P_" *)
module proof_any_start (D, C, Q);
  parameter [0:0] _TECHMAP_WIREINIT_Q_ = 1'bx;
  wire _TECHMAP_FAIL_ = _TECHMAP_WIREINIT_Q_ !== 1'bx;
  input D, C;
  output Q;
  wire any;
  (* init = 1'b0 *) wire started, later;
  \$_FF_ u_started (.D(1'b1), .Q(started));
  \$_FF_ u_later (.D(D), .Q(later));
  assign Q = started ? later : any;
endmodule

// A memory of at least CUT_BITS is left out: what it reads is an input, the same for both, and what it is told after the first edge of
// the clock is compared. As long as that is equal, so is what it reads.
(* techmap_celltype = "$mem_v2" *)
module proof_cut (RD_CLK, RD_EN, RD_ARST, RD_SRST, RD_ADDR, RD_DATA, WR_CLK, WR_EN, WR_ADDR, WR_DATA);
  parameter MEMID = "";
  parameter SIZE = 256;
  parameter OFFSET = 0;
  parameter ABITS = 8;
  parameter WIDTH = 8;
  parameter INIT = 1'bx;
  parameter RD_PORTS = 1;
  parameter RD_CLK_ENABLE = 1'b0;
  parameter RD_CLK_POLARITY = 1'b0;
  parameter RD_TRANSPARENCY_MASK = 1'b0;
  parameter RD_COLLISION_X_MASK = 1'b0;
  parameter RD_WIDE_CONTINUATION = 1'b0;
  parameter RD_CE_OVER_SRST = 1'b0;
  parameter RD_ARST_VALUE = 1'b0;
  parameter RD_SRST_VALUE = 1'b0;
  parameter RD_INIT_VALUE = 1'b0;
  parameter WR_PORTS = 1;
  parameter WR_CLK_ENABLE = 1'b0;
  parameter WR_CLK_POLARITY = 1'b0;
  parameter WR_PRIORITY_MASK = 1'b0;
  parameter WR_WIDE_CONTINUATION = 1'b0;
  input [RD_PORTS-1:0] RD_CLK, RD_EN, RD_ARST, RD_SRST;
  input [RD_PORTS*ABITS-1:0] RD_ADDR;
  output [RD_PORTS*WIDTH-1:0] RD_DATA;
  input [WR_PORTS-1:0] WR_CLK;
  input [WR_PORTS*WIDTH-1:0] WR_EN, WR_DATA;
  input [WR_PORTS*ABITS-1:0] WR_ADDR;
  wire _TECHMAP_FAIL_ = SIZE * WIDTH < `CUT_BITS;
  (* init = 1'b0 *) wire started;
  \$_FF_ u_started (.D(1'b1), .Q(started));
  (* keep *) wire [RD_PORTS*ABITS-1:0] told_read = started ? RD_ADDR : 0;
  (* keep *) wire [WR_PORTS*WIDTH-1:0] told_enable = started ? WR_EN : 0;
  (* keep *) wire [WR_PORTS*WIDTH-1:0] told_data = started ? WR_DATA & WR_EN : 0;
  (* keep *) wire [WR_PORTS*ABITS-1:0] told_write;
  genvar i;
  generate
    for (i = 0; i < WR_PORTS; i = i + 1)
      assign told_write[i*ABITS+:ABITS] = started && |WR_EN[i*WIDTH+:WIDTH] ? WR_ADDR[i*ABITS+:ABITS] : {ABITS{1'b0}};
  endgenerate
endmodule

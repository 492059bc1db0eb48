// SPDX-License-Identifier: Apache-2.0
// mu_reduction_integer: integer sum, bit-wise and logical operations on a lane: one 64-bit or two 32-bit
// elements.
//
//   left_i, right_i ---> [ +  & | ^  and the same on "is not zero" ] ---> result_o
//
// Behaviour: SUM wraps, which is the same for signed and unsigned integers. BAND, BOR, BXOR work on each bit.
//   LAND, LOR, LXOR take an element that is not zero for true and give 1 or 0. wide_i: one element of 64
//   bits, else two of 32.
// Latency: combinational.
// Limits: any other operation is taken for BXOR, so that it needs no logic; nobody looks at the result then.
`default_nettype none

module mu_reduction_integer (
    input  logic [3:0]  operation_i,  // mu_pkg::reduction_e
    input  logic        wide_i,
    input  logic [63:0] left_i,
    input  logic [63:0] right_i,
    output logic [63:0] result_o
);
  logic [32:0] low_sum;
  logic [31:0] high_sum;
  logic [1:0]  left_true;   // by half; of a wide element both
  logic [1:0]  right_true;
  logic [1:0]  truth;
  logic [63:0] bits;

  assign low_sum    = {1'b0, left_i[31:0]} + {1'b0, right_i[31:0]};
  assign high_sum   = left_i[63:32] + right_i[63:32] + 32'(wide_i && low_sum[32]);
  assign left_true  = wide_i ? {2{left_i != '0}} : {left_i[63:32] != '0, left_i[31:0] != '0};
  assign right_true = wide_i ? {2{right_i != '0}} : {right_i[63:32] != '0, right_i[31:0] != '0};

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
  end

  always_comb begin
    unique case (operation_i)
      mu_pkg::REDUCTION_SUM: result_o = {high_sum, low_sum[31:0]};
      mu_pkg::REDUCTION_LAND, mu_pkg::REDUCTION_LOR, mu_pkg::REDUCTION_LXOR:
      result_o = {31'b0, truth[1] && !wide_i, 31'b0, truth[0]};
      default: result_o = bits;
    endcase
  end

`ifdef PROVE_MU_REDUCTION_INTEGER
  (* anyconst *) logic [5:0] place;
  logic [63:0] sum;
  logic        left_is_true;  // of the element that begins at bit 0
  logic        right_is_true;
  assign sum           = wide_i ? left_i + right_i
                       : {left_i[63:32] + right_i[63:32], left_i[31:0] + right_i[31:0]};
  assign left_is_true  = left_i[31:0] != '0 || (wide_i && left_i[63:32] != '0);
  assign right_is_true = right_i[31:0] != '0 || (wide_i && right_i[63:32] != '0);
  always_comb begin
    unique case (operation_i)
      mu_pkg::REDUCTION_SUM:  sums : assert (result_o == sum);
      mu_pkg::REDUCTION_BAND: ands : assert (result_o[place] == (left_i[place] && right_i[place]));
      mu_pkg::REDUCTION_BOR:  ors : assert (result_o[place] == (left_i[place] || right_i[place]));
      mu_pkg::REDUCTION_BXOR: xors : assert (result_o[place] == (left_i[place] != right_i[place]));
      mu_pkg::REDUCTION_LAND: logical_and : assert (result_o[31:0] == 32'(left_is_true && right_is_true));
      mu_pkg::REDUCTION_LOR:  logical_or : assert (result_o[31:0] == 32'(left_is_true || right_is_true));
      mu_pkg::REDUCTION_LXOR: logical_xor : assert (result_o[31:0] == 32'(left_is_true != right_is_true));
      default: ;
    endcase
    if (wide_i && (operation_i == mu_pkg::REDUCTION_LAND || operation_i == mu_pkg::REDUCTION_LOR ||
                   operation_i == mu_pkg::REDUCTION_LXOR))
      one_or_zero : assert (result_o[63:1] == '0);
    if (!wide_i && operation_i == mu_pkg::REDUCTION_LXOR)
      high_half_alone : assert (result_o[63:32] == 32'((left_i[63:32] != '0) != (right_i[63:32] != '0)));
  end
`endif
endmodule
`default_nettype wire

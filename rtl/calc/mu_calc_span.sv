// SPDX-License-Identifier: Apache-2.0
// mu_calc_span: how far a number of equal steps leads, as long as that lies in some region.
//
//   start, steps, stride (signed) ---> [ a bit of steps a cycle: shift and add ] ---> span_o, over_o
//
// Behaviour: start_i takes the operands. While busy_o is low, span_o is steps * |stride| of the start before,
//   or over_o is high: that product is 2^SPAN_BITS or more, and span_o means nothing.
// Latency: busy for as many cycles as steps_i has bits up to its highest one; none if it is zero.
// Limits: STRIDE_BITS > SPAN_BITS >= 1, STEP_BITS >= 1. No operand overflows unseen. A start while busy
//   begins anew.
`default_nettype none

module mu_calc_span #(
    parameter int unsigned STEP_BITS   = 37,
    parameter int unsigned STRIDE_BITS = 40,
    parameter int unsigned SPAN_BITS   = 38
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    // operands
    input  logic                   start_i,
    input  logic [STEP_BITS-1:0]   steps_i,
    input  logic [STRIDE_BITS-1:0] stride_i,
    // product
    output logic                   busy_o,
    output logic                   over_o,
    output logic [SPAN_BITS-1:0]   span_o
);
  if (STRIDE_BITS <= SPAN_BITS || SPAN_BITS < 1 || STEP_BITS < 1)
    $error("mu_calc_span: STRIDE_BITS must be above SPAN_BITS, and both and STEP_BITS at least 1");

  logic [STEP_BITS-1:0]   steps_q;   // bits still to be looked at, the next one lowest
  logic [SPAN_BITS-1:0]   addend_q;  // |stride| times the weight of that bit
  logic                   large_q;   // and that is 2^SPAN_BITS or more
  logic [SPAN_BITS-1:0]   span_q;
  logic                   over_q;
  logic [STRIDE_BITS-1:0] magnitude;
  logic [SPAN_BITS:0]     sum;

  assign magnitude = stride_i[STRIDE_BITS-1] ? ~stride_i + 1'b1 : stride_i;
  assign sum       = {1'b0, span_q} + {1'b0, addend_q};
  assign busy_o    = steps_q != '0;
  assign over_o    = over_q;
  assign span_o    = span_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) steps_q <= '0;
    else if (start_i) steps_q <= steps_i;
    else if (busy_o) steps_q <= steps_q >> 1;
  end
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      addend_q <= magnitude[SPAN_BITS-1:0];
      large_q  <= magnitude[STRIDE_BITS-1:SPAN_BITS] != '0;
      span_q   <= '0;
      over_q   <= 1'b0;
    end else if (busy_o) begin
      {large_q, addend_q} <= {large_q || addend_q[SPAN_BITS-1], addend_q << 1};
      if (steps_q[0]) span_q <= sum[SPAN_BITS-1:0];
      // The last step adds. If any before was over, its addend is large: span_q is less than addend_q, so
      // that a sum that overflows has an addend whose double is large.
      over_q <= large_q || sum[SPAN_BITS];
    end
  end

`ifdef PROVE_MU_CALC_SPAN
  localparam int unsigned WIDE = STEP_BITS + STRIDE_BITS;
  logic            past_q = 1'b0;
  logic            asked_q = 1'b0;  // since reset
  logic [WIDE-1:0] product_q;       // what the last start asked for
  logic [7:0]      waited_q;
  always_comb if (!past_q) assume (!rst_ni);
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) asked_q <= 1'b0;
    else if (start_i) asked_q <= 1'b1;
    if (start_i) product_q <= WIDE'(steps_i) * WIDE'(magnitude);
    waited_q <= start_i ? '0 : waited_q + 8'(busy_o);
    if (past_q && rst_ni && asked_q) begin
      if (!busy_o) over_exactly_when_too_far : assert (over_o == (product_q >= WIDE'(1) << SPAN_BITS));
      if (!busy_o && !over_o) span_is_the_product : assert (WIDE'(span_o) == product_q);
      if (busy_o) ends_in_time : assert (waited_q < 8'(STEP_BITS));
    end
  end
`endif
endmodule
`default_nettype wire

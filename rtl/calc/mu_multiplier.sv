// SPDX-License-Identifier: Apache-2.0
// mu_multiplier: the whole product of two unsigned numbers, in STEPS steps of a slice of the right operand.
//
//   left, right --> [ left * lowest slice of right ] --> [ upper half + that, >> slice ] --> product_o
//                        STEPS times                          ^---------------------+
//
// Behaviour: start_i, allowed while ready_o, takes the operands. product_o is left_i * right_i in the second
//   enabled cycle after the one with last_o, and until the sums of the next product begin. Nothing moves
//   while enable_i is low.
// Latency: STEPS + 2 enabled cycles from start_i to product_o; a product every STEPS cycles.
// Limits: STEPS >= 2 and divides WIDTH; a WIDTH above 16 is a multiple of 16, and its slices have 16 bits at
//   most. A start while not ready_o is against the contract.
`default_nettype none

module mu_multiplier #(
    parameter int unsigned WIDTH = 32,
    parameter int unsigned STEPS = 4
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic               enable_i,
    // operands
    input  logic               start_i,
    output logic               ready_o,
    input  logic [WIDTH-1:0]   left_i,
    input  logic [WIDTH-1:0]   right_i,
    // product
    output logic               last_o,     // its last slice is multiplied
    output logic [2*WIDTH-1:0] product_o
);
  localparam int unsigned SLICE = WIDTH / STEPS;
  // The left operand in pieces that any family's multipliers hold. Yosys 0.23 cuts a wider product for xc7
  // itself, and leaves wires without a driver.
  localparam int unsigned PIECE  = WIDTH < 16 ? WIDTH : 16;
  localparam int unsigned PIECES = WIDTH / PIECE;
  if (WIDTH % PIECE != 0) $error("mu_multiplier: WIDTH above 16 must be a multiple of 16");
  if (SLICE > PIECE) $error("mu_multiplier: a slice must not be wider than a piece of 16 bits");
  if (STEPS < 2 || WIDTH % STEPS != 0)
    $error("mu_multiplier: STEPS must be at least 2 and divide WIDTH");

  logic [STEPS-1:0]       step_q;   // the slice that is multiplied, the first highest; 0: idle
  logic [STEPS-1:0]       sum_q;    // the one that is summed
  logic [WIDTH-1:0]       left_q;
  logic [WIDTH-1:0]       right_q;  // the next slice lowest
  logic [WIDTH-1:0]       upper_q;
  logic [WIDTH-1:0]       lower_q;  // finished bits enter at the top
  logic [WIDTH-1:0]       carried;
  logic [PIECE+SLICE-1:0] partial;
  // Of pieces that do not overlap: those with an even number, and those with an odd one.
  logic [WIDTH+SLICE-1:0] even, odd;
  logic [WIDTH+SLICE-1:0] even_q, odd_q;
  logic [WIDTH+SLICE-1:0] sum;
  logic                   busy;
  logic                   sums;

  assign busy      = step_q != '0;
  assign sums      = sum_q != '0;
  assign last_o    = step_q[0];
  assign ready_o   = !busy || last_o;
  assign product_o = {upper_q, lower_q};
  assign carried   = sum_q[STEPS-1] ? '0 : upper_q;

  // Costs nothing in simulation while idle.
  always_comb begin
    partial = '0;
    even    = '0;
    odd     = '0;
    if (busy) begin
      for (int piece = 0; piece < PIECES; piece++) begin
        partial = (PIECE + SLICE)'(left_q[piece*PIECE+:PIECE]) * (PIECE + SLICE)'(right_q[SLICE-1:0]);
        if (piece % 2 == 0) even = even | ((WIDTH + SLICE)'(partial) << (piece * PIECE));
        else odd = odd | ((WIDTH + SLICE)'(partial) << (piece * PIECE));
      end
    end
  end
  always_comb begin
    sum = '0;
    if (sums) sum = (WIDTH + SLICE)'(carried) + even_q + odd_q;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      step_q <= '0;
      sum_q  <= '0;
    end else if (enable_i) begin
      step_q <= {start_i, step_q[STEPS-1:1]};
      sum_q  <= step_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (enable_i && start_i) begin
      left_q  <= left_i;
      right_q <= right_i;
    end else if (enable_i && busy) right_q <= right_q >> SLICE;
  end

  always_ff @(posedge clk_i) begin
    if (enable_i && busy) begin
      even_q <= even;
      odd_q  <= odd;
    end
    if (enable_i && sums) {upper_q, lower_q} <= {sum, lower_q[WIDTH-1:SLICE]};
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      starts_only_when_ready : assert (!(enable_i && start_i && !ready_o));
      one_product_at_a_time : assert ((step_q & (step_q - 1'b1)) == '0);
    end
  end

`ifdef PROVE_MU_MULTIPLIER
  logic               past_q = 1'b0;
  logic               due_q = 1'b0;  // product_o is to be judged
  logic               summed_q = 1'b0;  // in the next enabled cycle
  logic [2*WIDTH-1:0] asked_q;
  logic [2*WIDTH-1:0] multiplied_q;
  logic [2*WIDTH-1:0] expected_q;
  logic [7:0]         waited_q;
  always_comb if (!past_q) assume (!rst_ni);
  always_comb if (!ready_o) assume (!start_i);
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) begin
      due_q    <= 1'b0;
      summed_q <= 1'b0;
      waited_q <= '0;
    end else if (enable_i) begin
      summed_q <= last_o;
      due_q    <= summed_q;
      if (last_o) multiplied_q <= asked_q;
      if (summed_q) expected_q <= multiplied_q;
      if (start_i) asked_q <= (2 * WIDTH)'(left_i) * (2 * WIDTH)'(right_i);
      waited_q <= start_i || ready_o ? '0 : waited_q + 1'b1;
    end
    if (past_q && rst_ni) begin
      if (due_q) product_is_right : assert (product_o == expected_q);
      ends_in_time : assert (waited_q < 8'(STEPS));
      ready_at_the_last_step : assert (ready_o == (!busy || waited_q == 8'(STEPS - 1)));
    end
  end
`endif
endmodule
`default_nettype wire

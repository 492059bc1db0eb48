// SPDX-License-Identifier: Apache-2.0
// mu_router_patience: finds the heads of one class that have waited long for their output.
//
//   there_i (heads), take_i (granted), now_i ---> [ marks every WAIT_CYCLES ] ---> starved_o
//
// Behaviour: starved_o[i] is high once the head of input i has seen two marks (multiples of WAIT_CYCLES)
//   without being granted, until it is. So it has waited for WAIT_CYCLES at least, and twice as many at most.
// Latency: one cycle.
// Limits: WAIT_CYCLES a power of two. now_i is looked at only while a head waits.
`default_nettype none

module mu_router_patience #(
    parameter int unsigned WAIT_CYCLES = 256
) (
    input  logic           clk_i,
    input  logic           rst_ni,
    input  mu_pkg::cycle_t now_i,
    input  logic [6:0]     there_i,
    input  logic [6:0]     take_i,
    output logic [6:0]     starved_o
);
  localparam int unsigned WAIT_BITS = $clog2(WAIT_CYCLES);
  if (WAIT_CYCLES != 1 << WAIT_BITS) $error("mu_router_patience: WAIT_CYCLES must be a power of two");

  logic [6:0] old_q;  // heads that have seen one mark
  logic [6:0] starved_q;  // heads that have seen two

  assign starved_o = starved_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      old_q     <= '0;
      starved_q <= '0;
    end else if (!mu_pkg::LOOKS_FIRST || there_i != '0) begin
      if (now_i[WAIT_BITS-1:0] == '0) begin
        old_q     <= there_i & ~take_i;
        starved_q <= old_q & ~take_i;
      end else if (!mu_pkg::LOOKS_FIRST || (old_q & take_i) != '0) begin
        old_q     <= old_q & ~take_i;
        starved_q <= starved_q & ~take_i;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      starved_are_old : assert ((starved_q & ~old_q) == '0);
      old_are_there : assert ((old_q & ~there_i) == '0);
    end
  end

`ifdef PROVE_MU_ROUTER_PATIENCE
  // Of any input: its head is starved only after WAIT_CYCLES without being granted, by twice as many at the
  // latest, and until it is granted.
  (* anyconst *) logic [2:0] chosen;
  localparam int unsigned COUNT_BITS = WAIT_BITS + 3;
  logic                  past_q = 1'b0;
  logic [WAIT_BITS-1:0]  now_q;
  logic [6:0]            stays_q;   // heads that were not granted
  logic [COUNT_BITS-1:0] waited_q;  // cycles of the head of the chosen input
  logic                  starved_before_q;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (chosen < 3'd7);
    assume (now_i[WAIT_BITS-1:0] == now_q);
    assume ((stays_q & ~there_i) == '0 && (take_i & ~there_i) == '0);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    now_q  <= now_q + 1'b1;
    if (!rst_ni) {stays_q, waited_q, starved_before_q} <= '0;
    else begin
      stays_q          <= there_i & ~take_i;
      starved_before_q <= starved_o[chosen] && !take_i[chosen];
      if (!there_i[chosen] || take_i[chosen]) waited_q <= '0;
      else if (waited_q != '1) waited_q <= waited_q + 1'b1;
      if (past_q) begin
        if (starved_o[chosen]) not_before_its_time : assert (32'(waited_q) >= WAIT_CYCLES);
        if (32'(waited_q) >= 2 * WAIT_CYCLES) not_long_after : assert (starved_o[chosen]);
        if (starved_before_q) until_it_is_granted : assert (starved_o[chosen]);
      end
    end
  end
`endif
endmodule
`default_nettype wire

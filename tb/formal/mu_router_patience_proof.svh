// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_router_patience, of any input: its head is starved only after WAIT_CYCLES without
// being granted, by twice as many at the latest, and until it is granted.
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

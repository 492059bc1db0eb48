// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_router_tally, of any counter: a read shows the number of its events, for ever; no carry is
// lost, for one that waits sees each lower counter go first once, and each of them needs 128 cycles for the next.
  (* anyconst *) logic [2:0] chosen;
  logic        past_q = 1'b0;
  logic [31:0] count_q;     // events of the chosen one
  logic [48:0] before_q;    // bit 7i + j: the carry of j was taken while that of i waits
  logic [6:0]  waits, first_waits, sound;
  logic [2:0]  waited;
  logic [7:0]  low_here;
  assign low_here = 8'({8'b0, low_q} >> (6'(chosen) * 6'd8));
  always_comb begin
    for (int unsigned i = 0; i < 7; i++) waits[i] = low_q[8*i+7];
    first_waits = waits & (~waits + 7'd1);
    sound       = '1;
    waited      = '0;
    for (int unsigned i = 0; i < 7; i++) begin
      waited = 3'($countones(before_q[7*i+:7]));
      // As long as it waits, so many others have gone first, all of them lower.
      if (waits[i] ? low_q[8*i+:7] > 7'(waited) : before_q[7*i+:7] != '0) sound[i] = 1'b0;
      for (int unsigned j = 0; j < 7; j++)
        if (before_q[7*i+j] && (j >= i || waits[j] || low_q[8*j+:7] > 7'd6 + 7'(waited))) sound[i] = 1'b0;
    end
    if (!past_q) assume (!rst_ni);
    assume (chosen < 3'd7);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) {count_q, before_q} <= '0;
    else begin
      count_q <= count_q + 32'(1'(event_i >> chosen));
      for (int unsigned i = 0; i < 7; i++)
        before_q[7*i+:7] <= waits[i] && !first_waits[i] ? before_q[7*i+:7] | first_waits : '0;
      if (past_q) begin
        if (read_i && read_index_i == chosen) shows_the_number_of_events : assert (value_o == count_q);
        if (!read_i || read_index_i == 3'd7) zero_elsewhere : assert (value_o == '0);
        busy_while_a_carry_waits : assert (busy_o == (waits != '0));
        // What the above rests on.
        a_carry_waits_for_lower_ones_alone : assert (sound == '1);
        parts_make_the_number : assert ({high[chosen] + 25'(low_here[7]), low_here[6:0]} == count_q);
        none_of_the_eighth : assert (high[7] == '0);
      end
    end
  end

// SPDX-License-Identifier: Apache-2.0
// Round robin of mu_router_switch, read at the end of the module by the proof mu_router_switch.in_turn alone.
//
// Of an output, any of them: behind its last winner, in the order of the inputs and round to 0, no input that may have
// the output stands before the one that gets it. So whoever may have it whenever it is granted is passed over by each of
// the six others once at most, and packets of inputs that always have one leave in turn.
`ifdef ROUND_ROBIN
(* anyconst *) logic [2:0] in_turn_output;
logic       in_turn_past_q = 1'b0;
logic [2:0] in_turn_winner_q;  // of that output, the last; behind a reset input 6, so that input 0 is next
logic [6:0] in_turn_eligible, in_turn_granted;
logic [6:0] in_turn_ahead, in_turn_won;  // both, bit 0 being the input behind the last winner
always_comb begin
  if (!in_turn_past_q) assume (!rst_ni);
  assume (in_turn_output < 3'd7);
end
always_comb begin
  in_turn_eligible = '0;
  in_turn_granted  = '0;
  for (int o = 0; o < 7; o++) begin
    if (in_turn_output == 3'(o)) begin
      in_turn_eligible = want_i[7*o+:7] & may_ask;
      in_turn_granted  = grant[7*o+:7];
      // What the header promises: two places, or one for who goes on, or one to spare for who is starved.
      if (o != 6 && !two_i[o%6]) begin
        in_turn_eligible = in_turn_eligible & ((spare_i[o%6] ? starved_i : 7'b0) | 7'b1 << (o ^ 1));
      end
    end
  end
  in_turn_ahead = 7'({in_turn_eligible, in_turn_eligible} >> (4'(in_turn_winner_q) + 4'd1));
  in_turn_won   = 7'({in_turn_granted, in_turn_granted} >> (4'(in_turn_winner_q) + 4'd1));
end
always_ff @(posedge clk_i) begin
  in_turn_past_q <= 1'b1;
  if (!rst_ni) in_turn_winner_q <= 3'd6;
  else begin
    for (int i = 0; i < 7; i++) if (in_turn_granted[i]) in_turn_winner_q <= 3'(i);
  end
  if (in_turn_past_q && rst_ni && in_turn_granted != '0) begin
    in_turn_nobody_is_passed_over : assert (in_turn_won == (in_turn_ahead & (~in_turn_ahead + 1'b1)));
  end
end
`endif

// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_router_arrivals, of any input: a flit is noted once, in the next cycle, for its own
// class, and as a header if it is one; a pulse is a credit, told once two cycles after it began, and the
// reserved place if it went on for a second cycle; a third is the beginning of the next.
  (* anyconst *) logic [2:0] chosen;
  logic past_q = 1'b0;
  logic [6:0] valid, reply, heads, pulses, reply_pulses;
  logic [1:0] wrote, wrote_q, heads_q;           // reply, request
  logic [1:0] pulse, pulse_q, begins, began_q, told_q;
  assign valid  = {1'b0, valid_5_i, valid_4_i, valid_3_i, valid_2_i, valid_1_i, valid_0_i};
  assign reply  = {1'b0, reply_5_i, reply_4_i, reply_3_i, reply_2_i, reply_1_i, reply_0_i};
  assign heads  = {1'b0, head_5_i, head_4_i, head_3_i, head_2_i, head_1_i, head_0_i};
  assign pulses = {1'b0, credit_5_i[0], credit_4_i[0], credit_3_i[0], credit_2_i[0],
      credit_1_i[0], credit_0_i[0]};
  assign reply_pulses =
      {1'b0, credit_5_i[1], credit_4_i[1], credit_3_i[1], credit_2_i[1], credit_1_i[1], credit_0_i[1]};
  assign wrote  = chosen == 3'd6 ? {inject_reply_i, inject_request_i} :
      {valid[chosen] && reply[chosen], valid[chosen] && !reply[chosen]};
  assign pulse  = {reply_pulses[chosen], pulses[chosen]};
  assign begins = pulse & ~began_q;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (chosen < 3'd7);
  end
  always_ff @(posedge clk_i) begin
    past_q  <= 1'b1;
    heads_q <= chosen == 3'd6 ? {inject_reply_head_i, inject_request_head_i} : {2{heads[chosen]}};
    if (!rst_ni) {wrote_q, pulse_q, began_q, told_q} <= '0;
    else {wrote_q, pulse_q, began_q, told_q} <= {wrote, pulse, begins, began_q};
    if (past_q && rst_ni) begin
      a_flit_is_noted_once_in_its_class :
      assert ({reply_wrote_o[chosen], request_wrote_o[chosen]} == wrote_q);
      a_header_is_noted :
      assert ({reply_arrived_o[chosen], request_arrived_o[chosen]} == (wrote_q & heads_q));
      if (chosen != 3'd6) begin
        of_either_class : assert (arrived_o[chosen] == ((wrote_q & heads_q) != '0));
        a_pulse_is_a_credit : assert ({reply_credit_o[chosen], request_credit_o[chosen]} == told_q);
        a_longer_one_is_the_reserved_place :
        assert ({reply_reserve_o[chosen], request_reserve_o[chosen]} == (told_q & pulse_q));
      end
      if (wrote_q[0] || told_q[0]) busy_with_requests : assert (busy_o);
      if (wrote_q[1] || told_q[1]) busy_with_replies : assert (reply_busy_o);
    end
  end

// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_router_output, of any input: the flit that a switch sends from it is on the link in
// the next cycle, with its class and its place in the packet; nothing else is, and without a flit the data
// lines rest.
  (* anyconst *) logic [2:0] chosen;
  logic past_q = 1'b0;
  logic sent_q, ran_q;
  logic [mu_pkg::FLIT_BITS-1:0] request_here, reply_here, flit_q, before_q;
  logic [2:0] about_q, about_before_q;  // reply, head, tail
  logic       from_here_q;
  logic [7*mu_pkg::FLIT_BITS-1:0] requests, replies;
  always_comb begin
    request_here = '0;
    reply_here   = '0;
    for (int unsigned i = 0; i < 7; i++) begin
      if (chosen == 3'(i)) request_here = requests[i*mu_pkg::FLIT_BITS+:mu_pkg::FLIT_BITS];
      if (chosen == 3'(i)) reply_here = replies[i*mu_pkg::FLIT_BITS+:mu_pkg::FLIT_BITS];
    end
    if (!past_q) assume (!rst_ni);
    assume (chosen < 3'd7);
    assume (!(reply_send_i && request_send_i));
    assume (!reply_send_i || $onehot(reply_owner_i & SOURCES));
    assume (!request_send_i || $onehot(request_owner_i & SOURCES));
  end
  assign requests = {request_6_i, request_5_i, request_4_i, request_3_i, request_2_i, request_1_i,
      request_0_i};
  assign replies  = {reply_6_i, reply_5_i, reply_4_i, reply_3_i, reply_2_i, reply_1_i, reply_0_i};
  always_ff @(posedge clk_i) begin
    past_q         <= 1'b1;
    ran_q          <= past_q && rst_ni;
    sent_q         <= rst_ni && (reply_send_i || request_send_i);
    before_q       <= link_data_o;
    about_before_q <= {link_reply_o, link_head_o, link_tail_o};
    from_here_q    <= SOURCES[chosen] && (reply_send_i ? reply_owner_i[chosen] : request_owner_i[chosen]);
    flit_q         <= reply_send_i ? reply_here : request_here;
    about_q        <= reply_send_i ? {1'b1, reply_first_i, reply_last_i} :
        {1'b0, request_first_i, request_last_i};
    if (past_q && rst_ni) begin
      a_flit_for_each_that_is_sent : assert (link_valid_o == sent_q);
      if (sent_q) with_its_class_and_place : assert ({link_reply_o, link_head_o, link_tail_o} == about_q);
      if (sent_q && from_here_q) as_it_stood_at_its_input : assert (link_data_o == flit_q);
      if (ran_q && !sent_q)
        rests_without_a_flit :
        assert (link_data_o == before_q && {link_reply_o, link_head_o, link_tail_o} == about_before_q);
    end
  end

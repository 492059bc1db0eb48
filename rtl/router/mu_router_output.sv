// SPDX-License-Identifier: Apache-2.0
// mu_router_output: one link output of the router: data path of both classes, registers at the pins.
//
//   request_<d>_i, reply_<d>_i (flit of input d) ---> [ select ] ---> [ output register ] ---> link
//
// Behaviour: the flit that a switch sends is in the output register in the next cycle; a reply goes before a
//   request (the request switch is told so). Without a flit only link_valid_o changes.
// Latency: one cycle; a flit a cycle.
// Limits: SOURCES are the inputs that may send here; the others are not looked at. The two classes never send
//   in the same cycle (asserted).
`default_nettype none

module mu_router_output #(
    parameter logic [6:0] SOURCES = 7'b1111111
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    // request switch
    input  logic               request_send_i,
    input  logic               request_first_i,
    input  logic               request_last_i,
    input  logic [6:0]         request_owner_i,
    input  mu_pkg::flit_data_t request_xp_i, request_xm_i, request_yp_i, request_ym_i,
    input  mu_pkg::flit_data_t request_zp_i, request_zm_i, request_local_i,
    // reply switch
    input  logic               reply_send_i,
    input  logic               reply_first_i,
    input  logic               reply_last_i,
    input  logic [6:0]         reply_owner_i,
    input  mu_pkg::flit_data_t reply_xp_i, reply_xm_i, reply_yp_i, reply_ym_i,
    input  mu_pkg::flit_data_t reply_zp_i, reply_zm_i, reply_local_i,
    // link
    output logic               link_valid_o,
    output logic               link_head_o,
    output logic               link_tail_o,
    output logic               link_reply_o,
    output mu_pkg::flit_data_t link_data_o
);
  logic               valid_q;
  logic               head_q;
  logic               tail_q;
  logic               reply_q;
  mu_pkg::flit_data_t data_q;

  assign link_valid_o = valid_q;
  assign link_head_o  = head_q;
  assign link_tail_o  = tail_q;
  assign link_reply_o = reply_q;
  assign link_data_o  = data_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= reply_send_i || request_send_i;
  end

  // One bit at most is set of each, so the choice needs no order.
  logic [6:0] replies, requests;
  assign replies  = reply_owner_i & SOURCES;
  assign requests = request_owner_i & SOURCES;
  always_ff @(posedge clk_i) begin
    if (reply_send_i) begin
      head_q  <= reply_first_i;
      tail_q  <= reply_last_i;
      reply_q <= 1'b1;
      (* parallel_case *) case (1'b1)
        replies[0]: data_q <= reply_xp_i;
        replies[1]: data_q <= reply_xm_i;
        replies[2]: data_q <= reply_yp_i;
        replies[3]: data_q <= reply_ym_i;
        replies[4]: data_q <= reply_zp_i;
        replies[5]: data_q <= reply_zm_i;
        replies[6]: data_q <= reply_local_i;
        default: ;
      endcase
    end else if (request_send_i) begin
      head_q  <= request_first_i;
      tail_q  <= request_last_i;
      reply_q <= 1'b0;
      (* parallel_case *) case (1'b1)
        requests[0]: data_q <= request_xp_i;
        requests[1]: data_q <= request_xm_i;
        requests[2]: data_q <= request_yp_i;
        requests[3]: data_q <= request_ym_i;
        requests[4]: data_q <= request_zp_i;
        requests[5]: data_q <= request_zm_i;
        requests[6]: data_q <= request_local_i;
        default: ;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      one_class_at_a_time : assert (!(reply_send_i && request_send_i));
      replies_from_one_source : assert (!reply_send_i || $onehot(reply_owner_i & SOURCES));
      requests_from_one_source : assert (!request_send_i || $onehot(request_owner_i & SOURCES));
    end
  end

`ifdef PROVE_MU_ROUTER_OUTPUT
  // Of any input: the flit that a switch sends from it is on the link in the next cycle, with its class and
  // its place in the packet; nothing else is, and without a flit the data lines rest.
  (* anyconst *) logic [2:0] chosen;
  logic               past_q = 1'b0;
  logic               sent_q, ran_q;
  mu_pkg::flit_data_t request_here, reply_here, flit_q, before_q;
  logic [2:0]         about_q, about_before_q;  // reply, head, tail
  logic               from_here_q;
  always_comb begin
    unique case (chosen)
      3'd0:    {request_here, reply_here} = {request_xp_i, reply_xp_i};
      3'd1:    {request_here, reply_here} = {request_xm_i, reply_xm_i};
      3'd2:    {request_here, reply_here} = {request_yp_i, reply_yp_i};
      3'd3:    {request_here, reply_here} = {request_ym_i, reply_ym_i};
      3'd4:    {request_here, reply_here} = {request_zp_i, reply_zp_i};
      3'd5:    {request_here, reply_here} = {request_zm_i, reply_zm_i};
      default: {request_here, reply_here} = {request_local_i, reply_local_i};
    endcase
    if (!past_q) assume (!rst_ni);
    assume (chosen < 3'd7);
    assume (!(reply_send_i && request_send_i));
    assume (!reply_send_i || $onehot(reply_owner_i & SOURCES));
    assume (!request_send_i || $onehot(request_owner_i & SOURCES));
  end
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
`endif
endmodule
`default_nettype wire

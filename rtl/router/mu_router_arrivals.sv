// SPDX-License-Identifier: Apache-2.0
// mu_router_arrivals: notes which inputs of the router took a flit or a credit in the last cycle.
//
//   valid, head, reply of each link; injection; credits ---> [ flops ] ---> wrote, arrived, credit
//
// Behaviour: <class>_wrote_o[i] is high in the cycle after a flit of that class entered input i (6 is
//   injection), <class>_arrived_o[i] if it was a header, arrived_o[i] if it was one of either class. A credit
//   is a pulse of one cycle, of two if it is the ring's reserved place; pulses begin at least two cycles
//   apart, since a packet has two flits. For each <class>_credit_o[d] is high for one cycle,
//   <class>_reserve_o[d] with it for the reserved one.
// Latency: one cycle; two for credits.
// Limits: none; the link pins feed nothing but these flops and the buffers.
`default_nettype none

module mu_router_arrivals (
    input  logic       clk_i,
    input  logic       clk_reply_i,
    input  logic       rst_ni,
    // pins of the links, and what enters from injection
    input  logic [5:0] valid_i, head_i, reply_i,
    input  logic       inject_request_i, inject_request_head_i,
    input  logic       inject_reply_i, inject_reply_head_i,
    input  logic [5:0] credit_request_i, credit_reply_i,
    // classes
    output logic [6:0] request_wrote_o,
    output logic [6:0] request_arrived_o,
    output logic [5:0] request_credit_o, request_reserve_o,
    output logic [6:0] reply_wrote_o,
    output logic [6:0] reply_arrived_o,
    output logic [5:0] reply_credit_o, reply_reserve_o,
    output logic [5:0] arrived_o,
    output logic       busy_o,
    output logic       reply_busy_o
);
  logic [6:0] request_wrote_q, request_head_q, reply_wrote_q, reply_head_q;
  logic       request_credits_come, reply_credits_come;
  logic [5:0] request_pulse_q, reply_pulse_q;
  logic [5:0] request_credit_q, reply_credit_q;  // the pulse before was the first cycle of a credit

  assign request_wrote_o   = request_wrote_q;
  assign request_arrived_o = request_wrote_q & request_head_q;
  assign request_credit_o  = request_credit_q;
  assign request_reserve_o = request_credit_q & request_pulse_q;
  assign reply_wrote_o     = reply_wrote_q;
  assign reply_arrived_o   = reply_wrote_q & reply_head_q;
  assign reply_credit_o    = reply_credit_q;
  assign reply_reserve_o   = reply_credit_q & reply_pulse_q;
  assign arrived_o         = request_arrived_o[5:0] | reply_arrived_o[5:0];
  assign request_credits_come = (request_pulse_q | request_credit_q) != '0;
  assign reply_credits_come   = (reply_pulse_q | reply_credit_q) != '0;
  assign busy_o       = request_wrote_q != '0 || request_credits_come;
  assign reply_busy_o = reply_wrote_q != '0 || reply_credits_come;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) request_wrote_q <= '0;
    else if (valid_i != '0 || inject_request_i || request_wrote_q != '0) begin
      request_wrote_q <= {inject_request_i, valid_i & ~reply_i};
      request_head_q  <= {inject_request_head_i, head_i};
    end
  end
  always_ff @(posedge clk_reply_i) begin
    if (!rst_ni) reply_wrote_q <= '0;
    else if (valid_i != '0 || inject_reply_i || reply_wrote_q != '0) begin
      reply_wrote_q <= {inject_reply_i, valid_i & reply_i};
      reply_head_q  <= {inject_reply_head_i, head_i};
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      request_pulse_q  <= '0;
      request_credit_q <= '0;
    end else if (credit_request_i != '0 || request_credits_come) begin
      request_pulse_q  <= credit_request_i;
      request_credit_q <= request_pulse_q & ~request_credit_q;
    end
  end
  always_ff @(posedge clk_reply_i) begin
    if (!rst_ni) begin
      reply_pulse_q  <= '0;
      reply_credit_q <= '0;
    end else if (credit_reply_i != '0 || reply_credits_come) begin
      reply_pulse_q  <= credit_reply_i;
      reply_credit_q <= reply_pulse_q & ~reply_credit_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      one_flit_a_link : assert ((request_wrote_q[5:0] & reply_wrote_q[5:0]) == '0);
    end
  end

`ifdef PROVE_MU_ROUTER_ARRIVALS
  // Of any input: a flit is noted once, in the next cycle, for its own class, and as a header if it is one; a
  // pulse is a credit, told once two cycles after it began, and the reserved place if it went on for a second
  // cycle; a third is the beginning of the next.
  (* anyconst *) logic [2:0] chosen;
  logic past_q = 1'b0;
  logic [6:0] valid, reply, heads, pulses, reply_pulses;  // of input 6 nothing: it has no pins
  logic [1:0] wrote, wrote_q, heads_q;           // reply, request
  logic [1:0] pulse, pulse_q, begins, began_q, told_q;
  assign valid        = {1'b0, valid_i};
  assign reply        = {1'b0, reply_i};
  assign heads        = {1'b0, head_i};
  assign pulses       = {1'b0, credit_request_i};
  assign reply_pulses = {1'b0, credit_reply_i};
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
`endif
endmodule
`default_nettype wire

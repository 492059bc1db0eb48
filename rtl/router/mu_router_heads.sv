// SPDX-License-Identifier: Apache-2.0
// mu_router_heads: which output the oldest ungranted packet of each input wants, for one class.
//
//   arrived_i, ports_i ---> [ 7 x mu_router_ports ] ---> [ matrix of wishes ] ---> want_o, there_o
//                                                                          grant_i ---^
//
// Behaviour: there_o[i] is high while input i has a packet that was not granted yet; want_o[7*o+i] is high if
//   the oldest of them wants output o. grant_i, in the same form, takes it and brings the next. ports_i has
//   seven bits for each input that a packet arrives at, of which that of its output is set.
// Latency: one cycle from arrived_i to want_o; a packet a cycle and input.
// Limits: at most PACKETS packets wait at an input. grant_i names only what want_o shows (asserted).
`default_nettype none

module mu_router_heads #(
    parameter int unsigned PACKETS = 6
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [6:0]  arrived_i,
    input  logic [48:0] ports_i,
    output logic [6:0]  there_o,
    output logic [48:0] want_o,
    input  logic [6:0]  take_i,  // inputs whose packet is granted
    input  logic [48:0] grant_i  // and what they get
);
  logic [6:0]  there_q;
  logic [48:0] want_q;
  logic [48:0] news;  // wishes of packets that come to the front
  logic [6:0]  front;  // inputs at which one does
  logic [6:0]  some;  // inputs with packets behind the first
  logic [6:0]  push;
  logic [6:0]  pop;

  assign there_o = there_q;
  assign want_o  = want_q;

  for (genvar i = 0; i < 7; i++) begin : gen_input
    logic [6:0] port;
    logic [6:0] next;
    logic       more;
    assign port = ports_i[7*i+:7];
    mu_router_ports #(.DEPTH(PACKETS)) u_ports (
        .clk_i, .rst_ni, .push_i(push[i]), .port_i(port), .some_o(more), .port_o(next), .pop_i(pop[i])
    );
    logic [6:0]  wanted;
    logic [48:0] wish;
    always_comb begin
      wanted = '0;
      wish   = '0;
      if (front[i]) begin
        wanted = more ? next : port;
        for (int o = 0; o < 7; o++) wish[7*o+i] = wanted[o];
      end
    end
  end

  always_comb begin
    some  = '0;
    front = '0;
    push  = '0;
    pop   = '0;
    if (!mu_pkg::LOOKS_FIRST || (arrived_i | take_i) != '0) begin
      some = {gen_input[6].more, gen_input[5].more, gen_input[4].more, gen_input[3].more, gen_input[2].more,
              gen_input[1].more, gen_input[0].more};
      front = (some | arrived_i) & (~there_q | take_i);
      pop   = front & some;
      push  = arrived_i & ~(front & ~some);
    end
  end

  always_comb begin
    news = '0;
    if (!mu_pkg::LOOKS_FIRST || front != '0) begin
      news = gen_input[0].wish | gen_input[1].wish | gen_input[2].wish | gen_input[3].wish
      | gen_input[4].wish |
             gen_input[5].wish | gen_input[6].wish;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      there_q <= '0;
      want_q  <= '0;
    end else if (!mu_pkg::LOOKS_FIRST || (front | take_i) != '0) begin
      there_q <= (there_q & ~take_i) | front;
      want_q  <= (want_q & ~grant_i) | news;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      takes_only_what_is_there : assert ((take_i & ~there_q) == '0);
      grants_only_wishes : assert ((grant_i & ~want_q) == '0);
      one_grant_a_take : assert ((take_i == '0 && grant_i == '0) ||
                                 $countones(take_i) == $countones(grant_i));
      one_wish_an_input : assert ((front | take_i) == '0 || $countones(want_q) == $countones(there_q));
    end
  end
endmodule
`default_nettype wire

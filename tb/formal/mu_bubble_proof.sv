// SPDX-License-Identifier: Apache-2.0
// mu_bubble_proof: a ring of three routers keeps a free packet place for ever, whatever links and traffic do.
//
//   node n: [ mu_router_switch, mu_router_credits ] -- x+ --> buffer of node n + 1 (counted here) --> ...
//
// Behaviour: packets enter the x+ ring at any node, go on or leave, all of any length, starved or not; links
//   take any time to carry a packet or a credit. Every place of a buffer is a credit, on its way, or holds a
//   packet: credits are never lost or made. The ring has exactly one reserved place, and it is free, or on
//   its way back, or being left by a packet that moves on without waiting for anything. So a ring never
//   fills.
// Latency: none.
// Limits: proof only. CREDITS >= 2 places a buffer.
`default_nettype none

module mu_bubble_proof #(
    parameter int unsigned CREDITS = 2
) (
    input logic       clk_i,
    input logic       rst_ni,
    // free choices, one bit a node
    input logic [2:0] offer_i,  // a packet appears that wants to enter
    input logic [2:0] goes_on_i,  // the next packet at the head of the buffer goes on, else leaves
    input logic [2:0] arrive_i,  // a packet on the link arrives
    input logic [2:0] return_i,  // a credit on the link arrives
    input logic [2:0] last_i,  // and it is the reserved place
    input logic [2:0] valid_i,  // of the transit buffer
    input logic [2:0] local_valid_i,
    input logic [2:0] tail_i,
    input logic [2:0] open_i,
    input logic [2:0] starved_i,
    input logic [2:0] local_starved_i
);
  localparam int unsigned NODES = 3;
  localparam int unsigned WIDTH = 4;
  localparam int unsigned INPUT = 1;  // what comes from the x- neighbour
  localparam int unsigned LOCAL = 6;

`ifdef FORMAL
  logic past_q = 1'b0;
  always_ff @(posedge clk_i) past_q <= 1'b1;
  always_comb if (!past_q) assume (!rst_ni);
`endif

  logic [NODES-1:0]       entering;  // output x+ granted to the local input
  logic [NODES-1:0]       going_on;  // output x+ granted to the transit input
  logic [NODES-1:0]       moving;  // a packet is going from this node's buffer to the next's
  logic [NODES-1:0]       leaving;  // or out of the ring
  logic [NODES-1:0]       lost;  // places that are nowhere
  logic [NODES-1:0]       misjudged;  // any, spare, two do not say what is free
  logic [NODES-1:0]       freed;  // a packet has left the transit buffer
  logic [NODES-1:0]       credit;  // a credit arrives from the next node
  logic [NODES*WIDTH-1:0] free_q;  // credits of the x+ output
  logic [NODES*WIDTH-1:0] flying_q;  // packets on the link to this node
  logic [NODES*WIDTH-1:0] waiting_q;  // packets in this node's buffer, not granted
  logic [NODES*WIDTH-1:0] returning_q;  // credits on the link from this node
  logic [NODES-1:0]       mine_q;  // the reserved place is a credit of this node
  logic [NODES-1:0]       left_q;  // or will be left in this node's buffer by the packet that is moving on
  logic [NODES-1:0]       back_q;  // or is on the link from this node
  logic [NODES-1:0]       moved;
  logic [NODES-1:0]       reserve;
  logic [NODES-1:0]       not_mine;

  for (genvar n = 0; n < NODES; n++) begin : gen_node
    localparam int unsigned BEFORE = (n + NODES - 1) % NODES;
    localparam int unsigned AFTER  = (n + 1) % NODES;
    logic        offered_q;  // a local packet wants to enter
    logic        wish_q;  // the head of the buffer goes on
    logic [6:0]  there, take, pop, send, first, last, stall;
    logic [48:0] want, grant, owner;
    logic [5:0]  done, any, spare, two, granted, go_on, moves;
    logic        arrives;
    logic        returns;
    logic        reserves;

    assign there = {offered_q, 4'b0, waiting_q[n*WIDTH+:WIDTH] != '0, 1'b0};
    always_comb begin
      want                  = '0;
      want[7*0+LOCAL]       = offered_q;
      want[7*0+INPUT]       = there[INPUT] && wish_q;
      want[7*LOCAL+INPUT]   = there[INPUT] && !wish_q;
    end

    mu_router_switch u_switch (
        .clk_i, .rst_ni, .there_i(there), .want_i(want), .take_o(take), .grant_o(grant),
        .valid_i({local_valid_i[n], 4'b0, valid_i[n], 1'b0}), .tail_i({7{tail_i[n]}}), .pop_o(pop),
        .done_o(done), .open_i({7{open_i[n]}}), .send_o(send), .first_o(first), .last_o(last),
        .owner_o(owner), .stall_o(stall), .any_i(any), .spare_i(spare), .two_i(two),
        .starved_i({local_starved_i[n], 4'b0, starved_i[n], 1'b0}), .granted_o(granted), .go_on_o(go_on)
    );
    mu_router_credits #(.CREDITS(CREDITS)) u_credits (
        .clk_i, .rst_ni, .home_i({2'b0, 1'(n == 0)}), .take_i(granted), .go_on_i(go_on),
        .return_i({5'b0, credit[n]}), .reserve_i({5'b0, reserve[n]}), .any_o(any), .spare_o(spare),
        .two_o(two), .moved_o(moves)
    );

    assign entering[n] = grant[7*0+LOCAL];
    assign going_on[n] = grant[7*0+INPUT];
    assign moving[n]   = owner[7*0+INPUT];
    assign leaving[n]  = owner[7*LOCAL+INPUT];
    assign freed[n]    = done[INPUT];
    assign arrives     = arrive_i[n] && flying_q[n*WIDTH+:WIDTH] != '0;
    assign returns     = return_i[n] && returning_q[n*WIDTH+:WIDTH] != '0;
    // The reserved place may come back before or after other places on the same link.
    assign reserves        = returns && back_q[n] && (last_i[n] || returning_q[n*WIDTH+:WIDTH] == WIDTH'(1));
    assign credit[BEFORE]  = returns;
    assign reserve[BEFORE] = reserves;
    assign moved[n]        = moves[0];

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        offered_q                   <= 1'b0;
        wish_q                      <= 1'b0;
        free_q[n*WIDTH+:WIDTH]      <= WIDTH'(CREDITS);
        flying_q[n*WIDTH+:WIDTH]    <= '0;
        waiting_q[n*WIDTH+:WIDTH]   <= '0;
        returning_q[n*WIDTH+:WIDTH] <= '0;
        mine_q[n]                   <= n == 0;
        left_q[n]                   <= 1'b0;
        back_q[n]                   <= 1'b0;
      end else begin
        if (take[LOCAL] || !offered_q) offered_q <= offer_i[n];
        if (take[INPUT] || !there[INPUT]) wish_q <= goes_on_i[n];
        free_q[n*WIDTH+:WIDTH] <= free_q[n*WIDTH+:WIDTH] + WIDTH'(credit[n]) - WIDTH'(granted[0]);
        flying_q[n*WIDTH+:WIDTH] <= flying_q[n*WIDTH+:WIDTH] - WIDTH'(arrives) +
                                    WIDTH'(entering[BEFORE] || going_on[BEFORE]);
        waiting_q[n*WIDTH+:WIDTH] <= waiting_q[n*WIDTH+:WIDTH] + WIDTH'(arrives) - WIDTH'(take[INPUT]);
        mine_q[n] <= (mine_q[n] && !moved[n]) || reserve[n];
        left_q[n] <= (left_q[n] && !freed[n]) || moved[n];
        back_q[n] <= (back_q[n] && !reserves) || (freed[n] && left_q[n]);
        returning_q[n*WIDTH+:WIDTH] <= returning_q[n*WIDTH+:WIDTH] + WIDTH'(freed[n]) - WIDTH'(returns);
      end
    end
    assign lost[n] = 32'(free_q[n*WIDTH+:WIDTH]) + 32'(returning_q[AFTER*WIDTH+:WIDTH]) +
                     32'(flying_q[AFTER*WIDTH+:WIDTH]) + 32'(waiting_q[AFTER*WIDTH+:WIDTH]) +
                     32'(leaving[AFTER]) + 32'(moving[AFTER]) != CREDITS;
    assign misjudged[n] = any[0] != (free_q[n*WIDTH+:WIDTH] != '0) ||
                          two[0] != (free_q[n*WIDTH+:WIDTH] > WIDTH'(1)) ||
                          spare[0] != (free_q[n*WIDTH+:WIDTH] > WIDTH'(mine_q[n]));
    assign not_mine[n]  = (mine_q[n] && free_q[n*WIDTH+:WIDTH] == '0) || (left_q[n] && !moving[n]) ||
                          (back_q[n] && returning_q[n*WIDTH+:WIDTH] == '0);
  end

  logic [5:0] places;
  assign places = 6'(free_q[0+:WIDTH]) + 6'(returning_q[0+:WIDTH]) +
                  6'(free_q[WIDTH+:WIDTH]) + 6'(returning_q[WIDTH+:WIDTH]) +
                  6'(free_q[2*WIDTH+:WIDTH]) + 6'(returning_q[2*WIDTH+:WIDTH]) +
                  6'(moving[0]) + 6'(moving[1]) + 6'(moving[2]);
`ifdef FORMAL
  always_ff @(posedge clk_i) begin
    if (past_q && rst_ni) begin
      every_place_is_somewhere : assert (lost == '0);
      credits_are_what_is_free : assert (misjudged == '0);
      one_reserved_place : assert ($countones({mine_q, left_q, back_q}) == 1);
      the_reserved_place_is_there : assert (not_mine == '0);
      the_ring_keeps_a_free_place : assert (places != '0);
    end
  end
`endif
endmodule
`default_nettype wire

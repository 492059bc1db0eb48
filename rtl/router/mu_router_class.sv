// SPDX-License-Identifier: Apache-2.0
// mu_router_class: all control of the router for one class of packets.
//
//   wrote_i, arrived_i, ports_i ---> [ mu_router_levels ], [ mu_router_heads ] ---> load_o
//   credit_i ---> [ mu_router_credits ] ---+---> [ mu_router_switch ] ---> send_o, owner_o, freed_o
//
// Behaviour: moves the packets of one class from the inputs to the outputs that their headers want, in order
//   for each input, whole packets one after another at each output. freed_o[i] is high for one cycle when the
//   tail of a packet has left link input i.
// Latency: from wrote_i to send_o two cycles; a flit a cycle for each input and output.
// Limits: PACKETS and DEPTH are what the buffer of a link input holds, CREDITS what the one beyond a link
//   does.
`default_nettype none

module mu_router_class #(
    parameter int unsigned PACKETS     = 6,
    parameter int unsigned DEPTH       = 204,
    parameter int unsigned LOCAL_DEPTH = 8,
    parameter logic [6:0]  PORTS       = 7'b1111111,  // inputs and outputs that there are
    parameter logic [48:0] TURNS       = {49{1'b1}}  // bit 7*o+i: headers at input i may want output o
) (
    input  logic           clk_i,
    input  logic           rst_ni,
    input  mu_pkg::cycle_t now_i,
    input  logic [2:0]     home_i,  // own coordinate in x, y, z is zero
    // inputs
    input  logic [6:0]     wrote_i,
    input  logic [6:0]     arrived_i,
    input  logic [48:0]    ports_i,  // wanted by the header that arrives, 7 bits an input
    output logic [6:0]     load_o,
    input  logic [6:0]     tail_i,
    output logic [5:0]     freed_o,
    output logic           local_room_o,
    // outputs
    input  logic [6:0]     open_i,
    output logic [6:0]     send_o,
    output logic [6:0]     first_o,
    output logic [6:0]     last_o,
    output logic [48:0]    owner_o,
    output logic [6:0]     stall_o,
    // buffers beyond the links
    input  logic [5:0]     credit_i,
    input  logic [5:0]     reserve_i,
    output logic           busy_o
);
  logic [6:0]  levels_valid, heads_there;
  logic [48:0] heads_want;
  logic [6:0]  valid, tail, pop, there, take;
  logic [48:0] want, grant;
  logic [6:0]  starved;
  logic [5:0]  done, any, spare, two, granted, go_on, moved;
  logic        flits_wait;
  logic [5:0]  freed_q;

  // Constant for what is not there, so that synthesis leaves out all that hangs on it.
  assign valid = levels_valid & PORTS;
  assign there = heads_there & PORTS;
  assign want  = heads_want & TURNS;

  always_comb begin
    tail = '0;
    if (!mu_pkg::LOOKS_FIRST || valid != '0) tail = tail_i;
  end

  mu_router_levels #(.DEPTH(DEPTH), .LOCAL_DEPTH(LOCAL_DEPTH)) u_levels (
      .clk_i, .rst_ni, .wrote_i, .load_o, .valid_o(levels_valid), .pop_i(pop), .local_room_o,
      .busy_o(flits_wait)
  );
  mu_router_heads #(.PACKETS(PACKETS)) u_heads (
      .clk_i, .rst_ni, .arrived_i, .ports_i, .there_o(heads_there), .want_o(heads_want),
      .take_i(take), .grant_i(grant)
  );
  mu_router_patience u_patience (
      .clk_i, .rst_ni, .now_i, .there_i(there), .take_i(take), .starved_o(starved)
  );
  mu_router_credits #(.CREDITS(PACKETS)) u_credits (
      .clk_i, .rst_ni, .home_i, .take_i(granted), .go_on_i(go_on), .return_i(credit_i), .reserve_i,
      .any_o(any), .spare_o(spare), .two_o(two), .moved_o(moved)
  );
  mu_router_switch #(.TURNS(TURNS)) u_switch (
      .clk_i, .rst_ni, .there_i(there), .want_i(want), .take_o(take), .grant_o(grant), .valid_i(valid),
      .tail_i(tail), .pop_o(pop), .done_o(done), .open_i, .send_o, .first_o, .last_o, .owner_o, .stall_o,
      .any_i(any), .spare_i(spare), .two_i(two), .starved_i(starved), .granted_o(granted), .go_on_o(go_on)
  );

  // A packet that takes the reserved place of its ring leaves it behind where it was.
  logic [5:0] leaves_reserved_q;  // inputs whose packet under way does
  logic [5:0] again_q;  // second cycle of the pulse that says so
  always_ff @(posedge clk_i) begin
    if (!rst_ni) leaves_reserved_q <= '0;
    else if (!mu_pkg::LOOKS_FIRST || (moved | (done & leaves_reserved_q)) != '0) begin
      leaves_reserved_q <= (leaves_reserved_q & ~done) | {moved[4], moved[5], moved[2], moved[3], moved[0],
      moved[1]};
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      freed_q <= '0;
      again_q <= '0;
    end else if (!mu_pkg::LOOKS_FIRST || (done | freed_q | again_q) != '0) begin
      freed_q <= done | again_q;
      again_q <= done & leaves_reserved_q;
    end
  end
  assign freed_o = freed_q;
  assign busy_o  = flits_wait || freed_q != '0;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      packets_have_flits : assert ((there | arrived_i) == '0 || flits_wait);
      turns_only_as_it_may : assert ((heads_want & ~TURNS) == '0);
      silent_where_nothing_is :
      assert (((wrote_i | arrived_i | {1'b0, credit_i | reserve_i}) & ~PORTS) == '0);
      pulses_are_apart : assert ((done & again_q) == '0);
    end
  end
endmodule
`default_nettype wire

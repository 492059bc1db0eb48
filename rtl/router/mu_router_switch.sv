// SPDX-License-Identifier: Apache-2.0
// mu_router_switch: control of the router for one class: which input sends to which output. No data passes here.
//
//   port_<i> (where the head of input i wants to go) ---> [ 7 x mu_router_grant ] ---> take_o, owner_<o>
//   valid_i, tail_i (flits at the inputs), open_i ----------------^         |--------> send_o, pop_o
//   now_i ---> [ who waits too long, time slot ] ---> hold
//
// Behaviour: a head is granted when its input has no other packet under way (or sends its tail now) and its output is
//   free (or ends now) and has credits. Packets of an input leave in order. A packet whose entry into a ring
//   has waited ENTRY_WAIT_CYCLES to twice as many holds back what goes on along that ring, while
//   now_i[12:9] is this node's coordinate: one node of a ring at a time, so the ring keeps moving.
//   stall_o: a head waited for this output in this cycle.
// Latency: head seen to first flit sent: one cycle.
// Limits: CREDITS >= 2 packets beyond each link. now_i is looked at only while a head waits.
`default_nettype none

module mu_router_switch #(
    parameter int unsigned CREDITS           = 6,
    parameter int unsigned ENTRY_WAIT_CYCLES = 256
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic [mu_pkg::TIME_BITS-1:0] now_i,
    input  logic [3:0]                   strap_x_i,
    input  logic [3:0]                   strap_y_i,
    input  logic [3:0]                   strap_z_i,
    // inputs
    input  logic [6:0]                   port_0_i,
    input  logic [6:0]                   port_1_i,
    input  logic [6:0]                   port_2_i,
    input  logic [6:0]                   port_3_i,
    input  logic [6:0]                   port_4_i,
    input  logic [6:0]                   port_5_i,
    input  logic [6:0]                   port_6_i,
    output logic [6:0]                   take_o,
    input  logic [6:0]                   valid_i,
    input  logic [6:0]                   tail_i,
    output logic [6:0]                   pop_o,
    // outputs
    input  logic [6:0]                   open_i,
    output logic [6:0]                   send_o,
    output logic [6:0]                   first_o,
    output logic [6:0]                   last_o,
    output logic [6:0]                   owner_0_o,
    output logic [6:0]                   owner_1_o,
    output logic [6:0]                   owner_2_o,
    output logic [6:0]                   owner_3_o,
    output logic [6:0]                   owner_4_o,
    output logic [6:0]                   owner_5_o,
    output logic [6:0]                   owner_6_o,
    output logic [6:0]                   stall_o,
    // buffers beyond the links
    input  logic [5:0]                   credit_i
);
  localparam int unsigned WAIT_BITS = $clog2(ENTRY_WAIT_CYCLES);
  if (ENTRY_WAIT_CYCLES != 1 << WAIT_BITS) $error("mu_router_switch: ENTRY_WAIT_CYCLES must be a power of two");

  logic [6:0] head_there;  // inputs with a head that waits
  logic [6:0] under_way_q;  // inputs whose packet is being sent
  logic [6:0] may_ask;  // inputs whose head may be granted
  logic [6:0] wanted;  // outputs that some of them want
  logic [6:0] ready;
  logic [6:0] blocked;

  assign head_there = {port_6_i != '0, port_5_i != '0, port_4_i != '0, port_3_i != '0, port_2_i != '0,
                       port_1_i != '0, port_0_i != '0};

  // --- flits: what moves in this cycle
  always_comb begin
    pop_o = '0;
    if (send_o != '0) begin
      pop_o = (send_o[0] ? owner_0_o : '0) | (send_o[1] ? owner_1_o : '0) | (send_o[2] ? owner_2_o : '0) |
              (send_o[3] ? owner_3_o : '0) | (send_o[4] ? owner_4_o : '0) | (send_o[5] ? owner_5_o : '0) |
              (send_o[6] ? owner_6_o : '0);
    end
  end

  // --- heads: who asks for what
  always_comb begin
    may_ask = '0;
    wanted  = '0;
    if (head_there != '0) begin
      may_ask = head_there & ~(under_way_q & ~(pop_o & tail_i));
      wanted  = (may_ask[0] ? port_0_i : '0) | (may_ask[1] ? port_1_i : '0) | (may_ask[2] ? port_2_i : '0) |
                (may_ask[3] ? port_3_i : '0) | (may_ask[4] ? port_4_i : '0) | (may_ask[5] ? port_5_i : '0) |
                (may_ask[6] ? port_6_i : '0);
    end
  end

  logic [6:0] hold_q;
  for (genvar o = 0; o < 7; o++) begin : gen_output
    logic [6:0] request;
    logic [6:0] grant;
    logic [6:0] owner;
    always_comb begin
      request = '0;
      if (wanted[o] && ready[o]) begin
        request = may_ask & {port_6_i[o], port_5_i[o], port_4_i[o], port_3_i[o], port_2_i[o], port_1_i[o],
                             port_0_i[o]};
      end
    end

    // The input that goes on along output o's ring is the one opposite to it: 0 and 1, 2 and 3, 4 and 5.
    mu_router_grant #(
        .CREDITS(o < 6 ? CREDITS : 0),
        .CONTINUES(o < 6 ? 7'b1 << (o ^ 1) : 7'b0)
    ) u_grant (
        .clk_i, .rst_ni,
        .request_i(request), .ready_o(ready[o]), .grant_o(grant), .hold_i(hold_q[o]),
        .valid_i, .tail_i, .open_i(open_i[o]),
        .send_o(send_o[o]), .first_o(first_o[o]), .last_o(last_o[o]), .owner_o(owner),
        .credit_i(o < 6 ? credit_i[o % 6] : 1'b0)
    );
  end
  assign owner_0_o = gen_output[0].owner;
  assign owner_1_o = gen_output[1].owner;
  assign owner_2_o = gen_output[2].owner;
  assign owner_3_o = gen_output[3].owner;
  assign owner_4_o = gen_output[4].owner;
  assign owner_5_o = gen_output[5].owner;
  assign owner_6_o = gen_output[6].owner;
  assign take_o    = gen_output[0].grant | gen_output[1].grant | gen_output[2].grant | gen_output[3].grant |
                     gen_output[4].grant | gen_output[5].grant | gen_output[6].grant;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) under_way_q <= '0;
    else if (take_o != '0 || pop_o != '0) under_way_q <= (under_way_q & ~(pop_o & tail_i)) | take_o;
  end

  always_comb begin
    blocked = may_ask & ~take_o;
    stall_o = '0;
    if (blocked != '0) begin
      stall_o = (blocked[0] ? port_0_i : '0) | (blocked[1] ? port_1_i : '0) | (blocked[2] ? port_2_i : '0) |
                (blocked[3] ? port_3_i : '0) | (blocked[4] ? port_4_i : '0) | (blocked[5] ? port_5_i : '0) |
                (blocked[6] ? port_6_i : '0);
    end
  end

  // --- starvation: marks at multiples of ENTRY_WAIT_CYCLES instead of a counter an input
  logic [6:0] old_q;  // heads that have seen one mark
  logic [6:0] starved_q;  // heads that have seen two
  logic [6:0] starved_for;  // outputs that starved heads wait to enter
  always_comb begin
    starved_for = '0;
    if (starved_q != '0) begin
      starved_for = (starved_q[0] ? port_0_i & ~7'b0000010 : '0) | (starved_q[1] ? port_1_i & ~7'b0000001 : '0) |
                    (starved_q[2] ? port_2_i & ~7'b0001000 : '0) | (starved_q[3] ? port_3_i & ~7'b0000100 : '0) |
                    (starved_q[4] ? port_4_i & ~7'b0100000 : '0) | (starved_q[5] ? port_5_i & ~7'b0010000 : '0) |
                    (starved_q[6] ? port_6_i : '0);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      old_q     <= '0;
      starved_q <= '0;
      hold_q    <= '0;
    end else if (head_there != '0 || hold_q != '0) begin
      if (now_i[WAIT_BITS-1:0] == '0) begin
        old_q     <= may_ask & ~take_o;
        starved_q <= (starved_q | old_q) & may_ask & ~take_o;
      end else if (old_q != '0) begin
        old_q     <= old_q & ~take_o;
        starved_q <= starved_q & ~take_o;
      end
      hold_q <= '0;
      if (starved_for != '0) begin
        hold_q <= starved_for & {1'b0, {2{now_i[12:9] == strap_z_i}}, {2{now_i[12:9] == strap_y_i}},
                                 {2{now_i[12:9] == strap_x_i}}};
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && (take_o != '0 || pop_o != '0)) begin
      one_output_an_input : assert ((gen_output[0].grant ^ gen_output[1].grant ^ gen_output[2].grant ^
          gen_output[3].grant ^ gen_output[4].grant ^ gen_output[5].grant ^ gen_output[6].grant) == take_o);
      pops_only_what_is_under_way : assert ((pop_o & ~under_way_q) == '0);
      takes_only_heads : assert ((take_o & ~head_there) == '0);
      starved_are_old : assert ((starved_q & ~old_q) == '0);
    end
  end
endmodule
`default_nettype wire

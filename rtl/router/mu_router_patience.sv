// SPDX-License-Identifier: Apache-2.0
// mu_router_patience: finds heads that wait too long to enter a ring, and holds the ring back for them.
//
//   there_i, want_i (heads), take_i (granted) ---> [ marks every ENTRY_WAIT_CYCLES ] ---> starved
//   now_i (time slot), own coordinates ---> hold_o
//
// Behaviour: a head that is not granted between two marks (multiples of ENTRY_WAIT_CYCLES) is starved. While
//   now_i[12:9] is this node's coordinate in the dimension of output o, and a starved head waits to enter
//   output o's ring, hold_o[o] keeps packets from going on there, so that places gather until two are free.
//   Only one node of a ring holds at a time, so the ring never stops.
// Latency: hold_o one cycle after the time slot begins.
// Limits: ENTRY_WAIT_CYCLES a power of two. now_i is looked at only while a head waits.
`default_nettype none

module mu_router_patience #(
    parameter int unsigned ENTRY_WAIT_CYCLES = 256
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic [mu_pkg::TIME_BITS-1:0] now_i,
    input  logic [3:0]                   strap_x_i, strap_y_i, strap_z_i,
    input  logic [6:0]                   there_i,
    input  logic [48:0]                  want_i,
    input  logic [6:0]                   take_i,
    output logic [5:0]                   hold_o
);
  localparam int unsigned WAIT_BITS = $clog2(ENTRY_WAIT_CYCLES);
  if (ENTRY_WAIT_CYCLES
      != 1 << WAIT_BITS) $error("mu_router_patience: ENTRY_WAIT_CYCLES must be a power of two");

  logic [6:0] old_q;  // heads that have seen one mark
  logic [6:0] starved_q;  // heads that have seen two
  logic [5:0] hold_q;
  logic [5:0] entry;  // outputs whose ring a starved head wants to enter

  assign hold_o = hold_q;

  always_comb begin
    entry = '0;
    if (starved_q != '0) begin
      for (int o = 0; o < 6; o++) entry[o] = (want_i[7*o+:7] & starved_q & ~(7'b1 << (o ^ 1))) != '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      old_q     <= '0;
      starved_q <= '0;
    end else if (there_i != '0) begin
      if (now_i[WAIT_BITS-1:0] == '0) begin
        old_q     <= there_i & ~take_i;
        starved_q <= old_q & ~take_i;
      end else if ((old_q & take_i) != '0) begin
        old_q     <= old_q & ~take_i;
        starved_q <= starved_q & ~take_i;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) hold_q <= '0;
    else if (entry != '0 || hold_q != '0) begin
      hold_q <= entry & {{2{now_i[12:9] == strap_z_i}}, {2{now_i[12:9] == strap_y_i}},
      {2{now_i[12:9] == strap_x_i}}};
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && there_i != '0) begin
      starved_are_old : assert ((starved_q & ~old_q) == '0);
      old_are_there : assert ((old_q & ~there_i) == '0);
    end
  end
endmodule
`default_nettype wire

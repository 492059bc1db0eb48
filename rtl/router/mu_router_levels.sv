// SPDX-License-Identifier: Apache-2.0
// mu_router_levels: counts the flits of one class that wait at the inputs, and fills the read registers.
//
//   wrote_i (a flit was written) ---> [ level of each buffer ] ---> load_o (to the read registers)
//   pop_i (it has been sent) ---> [ read register full ] ---> valid_o          |---> local_room_o
//
// Behaviour: valid_o[i] is high while the read register of input i holds a flit that was not popped.
//   load_o[i] asks for the next flit as soon as there is one and the register is free or being emptied.
//   local_room_o says that the buffer of input 6 (the local one) can take a flit whatever happens.
// Latency: valid_o one cycle after wrote_i; a flit a cycle.
// Limits: at most 255 flits a buffer; DEPTH (links) and LOCAL_DEPTH are never passed (asserted).
`default_nettype none

module mu_router_levels #(
    parameter int unsigned DEPTH       = 204,
    parameter int unsigned LOCAL_DEPTH = 8
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic [6:0] wrote_i,
    output logic [6:0] load_o,
    output logic [6:0] valid_o,
    input  logic [6:0] pop_i,
    output logic       local_room_o,
    output logic       busy_o
);
  localparam int unsigned WIDTH = 8;
  if (DEPTH > 255 || LOCAL_DEPTH > 255) $error("mu_router_levels: levels are 8 bits wide");

  logic [7*WIDTH-1:0] level_q;  // flits in each memory, those of wrote_i not yet counted
  logic [6:0]         some_q;  // level not zero
  logic [6:0]         valid_q;
  logic [6:0]         load;

  assign load         = (some_q | wrote_i) & (~valid_q | pop_i);
  assign load_o       = load;
  assign valid_o      = valid_q;
  assign local_room_o = 32'(level_q[6*WIDTH+:WIDTH]) < LOCAL_DEPTH - 1;
  assign busy_o       = (some_q | wrote_i | valid_q) != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      level_q <= '0;
      some_q  <= '0;
    end else if (!mu_pkg::LOOKS_FIRST || wrote_i != load) begin
      for (int i = 0; i < 7; i++) begin
        if (wrote_i[i] && !load[i]) begin
          level_q[i*WIDTH+:WIDTH] <= level_q[i*WIDTH+:WIDTH] + 1'b1;
          some_q[i] <= 1'b1;
        end
        if (load[i] && !wrote_i[i]) begin
          level_q[i*WIDTH+:WIDTH] <= level_q[i*WIDTH+:WIDTH] - 1'b1;
          some_q[i] <= level_q[i*WIDTH+:WIDTH] != WIDTH'(1);
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else if (!mu_pkg::LOOKS_FIRST || (load | pop_i) != '0) valid_q <= (valid_q & ~pop_i) | load;
  end

  // Asserted only: functions, so that a run without assertions does not compute them.
  function automatic logic [6:0] too_full(input logic [7*WIDTH-1:0] level, input logic [6:0] wrote);
    too_full = '0;
    for (int i = 0; i < 7; i++)
      too_full[i] = 32'(level[i*WIDTH+:WIDTH]) + 32'(wrote[i]) > (i < 6 ? DEPTH : LOCAL_DEPTH);
  endfunction
  function automatic logic [6:0] miscounted(input logic [7*WIDTH-1:0] level, input logic [6:0] some);
    miscounted = '0;
    for (int i = 0; i < 7; i++) miscounted[i] = some[i] != (level[i*WIDTH+:WIDTH] != '0);
  endfunction
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      pops_only_what_is_there : assert ((pop_i & ~valid_q) == '0);
      never_overflows : assert (wrote_i == load || too_full(level_q, wrote_i) == '0);
      some_means_level : assert (wrote_i == load || miscounted(level_q, some_q) == '0);
    end
  end

`ifdef PROVE_MU_ROUTER_LEVELS
  // Input 0 stands for all links, input 6 for itself: what was written and not popped is counted somewhere.
  logic             past_q = 1'b0;
  logic [WIDTH-1:0] link_q;  // flits inside input 0
  logic [WIDTH-1:0] local_q;  // flits inside input 6
  logic             room_q;
  always_comb if (!past_q) assume (!rst_ni);
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    room_q <= local_room_o;
    if (!rst_ni) begin
      link_q  <= '0;
      local_q <= '0;
    end else begin
      link_q  <= link_q + WIDTH'(wrote_i[0]) - WIDTH'(pop_i[0]);
      local_q <= local_q + WIDTH'(wrote_i[6]) - WIDTH'(pop_i[6]);
    end
    if (past_q && rst_ni) begin
      assume ((pop_i & ~valid_q) == '0);
      assume (wrote_i[5:1] == '0);
      assume (!wrote_i[0] || 32'(level_q[WIDTH-1:0]) < DEPTH);
      assume (!wrote_i[6] || room_q);
      link_flits_are_counted : assert (link_q == level_q[WIDTH-1:0] + WIDTH'(valid_q[0]));
      local_flits_are_counted : assert (local_q == level_q[6*WIDTH+:WIDTH] + WIDTH'(valid_q[6]));
      local_room_is_enough : assert (32'(level_q[6*WIDTH+:WIDTH]) + 32'(wrote_i[6]) <= LOCAL_DEPTH);
      never_idle_with_a_flit : assert ((link_q == '0 && !wrote_i[0]) || valid_q[0] || load[0]);
      loads_only_what_is_there : assert (!load[0] || link_q + WIDTH'(wrote_i[0]) > WIDTH'(valid_q[0]));
    end
  end
`endif
endmodule
`default_nettype wire

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
    end else if (wrote_i != load) begin
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
    else if ((load | pop_i) != '0) valid_q <= (valid_q & ~pop_i) | load;
  end

  logic [6:0] too_full;
  logic [6:0] miscounted;
  always_comb begin
    too_full   = '0;
    miscounted = '0;
    if ((wrote_i | pop_i) != '0) begin
      for (int i = 0; i < 7; i++) begin
        too_full[i]   = 32'(level_q[i*WIDTH+:WIDTH]) + 32'(wrote_i[i]) > (i < 6 ? DEPTH : LOCAL_DEPTH);
        miscounted[i] = some_q[i] != (level_q[i*WIDTH+:WIDTH] != '0);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni && (wrote_i | pop_i) != '0) begin
      pops_only_what_is_there : assert ((pop_i & ~valid_q) == '0);
      never_overflows : assert (too_full == '0);
      some_means_level : assert (miscounted == '0);
    end
  end
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_router_levels_coverage: how full the buffers of one class of the router have been.
//
//   level of each input's buffer ---> cover points, for each class
//
// Behaviour: gen_buffer[i] (0 to 5: xp xm yp ym zp zm; 6: this node) has been emptied, has been filled, and
//   has taken more flits than it has places. What is in the output register counts beside the memory.
// Latency: counts at each clock edge out of reset.
// Limits: bound to models that count only. The sender of the local input stops one flit before it is full,
//   too.
`default_nettype none

module mu_router_levels_coverage #(
    parameter int unsigned DEPTH       = 204,
    parameter int unsigned LOCAL_DEPTH = 8
) (
    input logic        clk_i,
    input logic        rst_ni,
    input logic [6:0]  wrote_i,
    input logic [6:0]  load,
    input logic [55:0] level_q
);
  for (genvar i = 0; i < 7; i++) begin : gen_buffer
    localparam int unsigned PLACES = i == 6 ? LOCAL_DEPTH : DEPTH;
    localparam int unsigned FULL   = PLACES - 1;
    logic [31:0] taken_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) taken_q <= '0;
      else if (wrote_i[i] && taken_q <= PLACES) taken_q <= taken_q + 1'b1;
      if (rst_ni) begin
        emptied : cover (32'(level_q[8*i+:8]) == 1 && load[i] && !wrote_i[i]);
        full : cover (32'(level_q[8*i+:8]) + 32'(wrote_i[i]) >= FULL);
        wrapped : cover (taken_q > PLACES);
      end
    end
  end
endmodule

bind mu_router_levels mu_router_levels_coverage #(.DEPTH(DEPTH), .LOCAL_DEPTH(LOCAL_DEPTH)) u_coverage (.*);
`default_nettype wire

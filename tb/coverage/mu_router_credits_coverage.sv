// SPDX-License-Identifier: Apache-2.0
// mu_router_credits_coverage: how full the buffers beyond the links have been, as their sender counts.
//
//   credits of each link ---> cover points
//
// Behaviour: gen_link[d] (0 to 5: xp xm yp ym zp zm) had no place at all, had only the reserved one of its
//   ring, and got back the last place that was taken.
// Latency: counts at each clock edge out of reset.
// Limits: bound to models that count only.
`default_nettype none

module mu_router_credits_coverage #(
    parameter int unsigned CREDITS = 6
) (
    input logic        clk_i,
    input logic        rst_ni,
    input logic [5:0]  take_i,
    input logic [5:0]  return_i,
    input logic [5:0]  any_q,
    input logic [5:0]  spare_o,
    input logic [23:0] credits_q
);
  for (genvar d = 0; d < 6; d++) begin : gen_link
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        no_place : cover (!any_q[d]);
        only_the_reserved : cover (any_q[d] && !spare_o[d]);
        all_back : cover (return_i[d] && !take_i[d] && 32'(credits_q[4*d+:4]) == CREDITS - 1);
      end
    end
  end
endmodule

bind mu_router_credits mu_router_credits_coverage #(.CREDITS(CREDITS)) u_coverage (.*);
`default_nettype wire

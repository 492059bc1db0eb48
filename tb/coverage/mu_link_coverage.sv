// SPDX-License-Identifier: Apache-2.0
// mu_link_coverage: how many flits a link has carried at once.
//
//   flits that enter and leave ---> cover points
//
// Behaviour: a flit came to an empty link; the link was emptied, was full at its longest latency, and took
//   more flits than it has places.
// Latency: counts at each clock edge out of reset.
// Limits: bound to models that count only. At latency 1 a link is a wire.
`default_nettype none

module mu_link_coverage #(
    parameter int unsigned LONGEST = 32
) (
    input logic clk_i,
    input logic rst_ni,
    input logic enters,
    input logic arrives
);
  logic [31:0] taken_q, level_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {taken_q, level_q} <= '0;
    else begin
      if (enters && taken_q <= LONGEST) taken_q <= taken_q + 1'b1;
      level_q <= level_q + 32'(enters) - 32'(arrives);
    end
    if (rst_ni) begin
      first : cover (enters && level_q == '0);
      emptied : cover (arrives && !enters && level_q == 32'd1);
      full : cover (level_q == LONGEST - 1);
      wrapped : cover (taken_q > LONGEST);
    end
  end
endmodule

bind mu_link mu_link_coverage #(.LONGEST(LONGEST)) u_any_link (.enters(valid_i && !direct), .*);
`default_nettype wire

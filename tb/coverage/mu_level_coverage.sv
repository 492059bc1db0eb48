// SPDX-License-Identifier: Apache-2.0
// mu_level_coverage: how full something that hands on in order has been.
//
//   what it takes and gives, how much it holds ---> cover points
//
// Behaviour: it took something while it was empty; it was emptied, was full, and took more than it has
//   places: its pointers have gone round.
// Latency: counts at each clock edge out of reset.
// Limits: bound to models that count only. Nothing here changes but when something is taken, for tests
//   compare the whole state of what is at rest. At level 1 give_i says that it is given.
`default_nettype none

module mu_level_coverage #(
    parameter int unsigned DEPTH = 4
) (
    input logic        clk_i,
    input logic        rst_ni,
    input logic        take_i,
    input logic        give_i,
    input logic [31:0] level_i
);
  logic [31:0] taken_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) taken_q <= '0;
    else if (take_i && taken_q <= DEPTH) taken_q <= taken_q + 1'b1;
    if (rst_ni) begin
      first : cover (take_i && level_i == '0);
      emptied : cover (level_i == 32'd1 && give_i && !take_i);
      full : cover (level_i == DEPTH);
      wrapped : cover (taken_q > DEPTH);
    end
  end
endmodule
`default_nettype wire

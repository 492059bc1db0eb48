// SPDX-License-Identifier: Apache-2.0
// mu_pipe_coverage: how full the circle of buffers of a PIPE has been.
//
//   buffers given and left ---> cover points
//
// Behaviour: a buffer is given of a circle that is empty, the last one of it, and the first once more; the
//   circle is left empty by a message that has been sent on.
// Latency: counts at each clock edge out of reset.
// Limits: bound to models that count only. One buffer alone is no circle.
`default_nettype none

module mu_pipe_coverage (
    input logic        clk_i,
    input logic        rst_ni,
    input logic        running_o,
    input logic        give,
    input logic        moves,
    input logic        at_its_end,
    input logic [31:0] used,
    input logic [31:0] last
);
  always_ff @(posedge clk_i) begin
    if (rst_ni && running_o && last != '0) begin
      first : cover (give && used == '0);
      full : cover (used == last + 1'b1);
      goes_round : cover (give && at_its_end);
      emptied : cover (moves && !give && used == 32'd1);
    end
  end
endmodule

bind mu_pipe mu_pipe_coverage u_coverage (
    .at_its_end(give_q == last_q), .used(32'(used_q)), .last(32'(last_q)), .*
);
`default_nettype wire

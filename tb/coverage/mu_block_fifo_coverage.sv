// SPDX-License-Identifier: Apache-2.0
// mu_block_fifo_coverage: how far tests have driven each mu_block_fifo.
//
//   handshakes and level of the FIFO ---> cover points, for each instance in the source
//
// Behaviour: a word came to an empty FIFO; the FIFO was emptied, was full, and took more words than it has
//   places: its pointers have gone round.
// Latency: counts at each clock edge out of reset.
// Limits: bound to models that count only.
`default_nettype none

module mu_block_fifo_coverage #(
    parameter int unsigned DEPTH = 4
) (
    input logic        clk_i,
    input logic        rst_ni,
    input logic        in_valid_i,
    input logic        in_ready_o,
    input logic        out_valid_o,
    input logic        out_ready_i,
    input logic [31:0] level
);
  logic [31:0] taken_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) taken_q <= '0;
    else if (in_valid_i && in_ready_o && taken_q <= DEPTH) taken_q <= taken_q + 1'b1;
    if (rst_ni) begin
      first_word : cover (in_valid_i && level == 0);
      emptied : cover (level == 1 && out_valid_o && out_ready_i && !(in_valid_i && in_ready_o));
      full : cover (level == DEPTH);
      wrapped : cover (taken_q > DEPTH);
    end
  end
endmodule

bind mu_block_fifo mu_block_fifo_coverage #(.DEPTH(DEPTH)) u_coverage (.level(32'(level_q)), .*);
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// A FENCE is inside from its packet to its answer.
`default_nettype none
bind mu_fence_answers mu_level_coverage #(.DEPTH(DEPTH)) u_coverage (
    .clk_i, .rst_ni, .take_i, .give_i(answered), .level_i(32'(open_q))
);
`default_nettype wire

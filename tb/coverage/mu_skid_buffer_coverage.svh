// SPDX-License-Identifier: Apache-2.0
// Two registers: full while the skid register is occupied.
`default_nettype none
bind mu_skid_buffer mu_level_coverage #(.DEPTH(2)) u_coverage (
    .clk_i, .rst_ni, .take_i(take), .give_i(leaves), .level_i(32'(out_valid_q) + 32'(skid_valid_q))
);
`default_nettype wire

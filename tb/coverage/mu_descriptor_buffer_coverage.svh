// SPDX-License-Identifier: Apache-2.0
// An entry is in use from its allocation, before its fetch is sent.
`default_nettype none
bind mu_descriptor_buffer mu_level_coverage #(.DEPTH(DEPTH)) u_coverage (
    .clk_i, .rst_ni, .take_i(allocate_i), .give_i(leaves),
    .level_i(32'((SLOT_WIDTH + 1)'(allocate_q - out_q)))
);
`default_nettype wire

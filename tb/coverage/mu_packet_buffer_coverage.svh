// SPDX-License-Identifier: Apache-2.0
// A slot is in use until it was walked and sent.
`default_nettype none
bind mu_packet_buffer mu_level_coverage #(.DEPTH(PACKETS)) u_coverage (
    .clk_i, .rst_ni, .take_i(open),
    .give_i((open_q == walk_q || walk_take_i) && (open_q == out_q || out_drop || (out_take && out_tail))),
    .level_i(open_q - walk_q > open_q - out_q ? 32'((SLOT_WIDTH + 1)'(open_q - walk_q)) :
             32'((SLOT_WIDTH + 1)'(open_q - out_q)))
);
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// The fetches in flight, by class, in the order of their beats.
`default_nettype none
bind mu_descriptor_fetch mu_level_coverage #(.DEPTH(ORDER)) u_coverage (
    .clk_i, .rst_ni, .take_i(fetch_i), .give_i(fetch_beat_valid_i && fetch_beat_last_i),
    .level_i(32'((ORDER_WIDTH + 1)'(order_write_q - order_read_q)))
);
`default_nettype wire

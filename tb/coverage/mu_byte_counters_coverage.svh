// SPDX-License-Identifier: Apache-2.0
// COUNTER_UNDERFLOW is told by a flag of the counter.
`default_nettype none
bind mu_byte_counters mu_status_coverage u_any_underflow (
    .clk_i, .rst_ni, .valid_i(error), .status_i(8'(mu_pkg::STATUS_COUNTER_UNDERFLOW))
);
`default_nettype wire

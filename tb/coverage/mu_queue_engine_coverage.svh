// SPDX-License-Identifier: Apache-2.0
// Statuses with which descriptors end.
`default_nettype none
bind mu_queue_engine mu_status_coverage u_any_retired (
    .clk_i, .rst_ni, .valid_i(retire_valid_i && retire_ready_o), .status_i(retire_status_i)
);
`default_nettype wire

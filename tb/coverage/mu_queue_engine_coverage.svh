// SPDX-License-Identifier: Apache-2.0
// Statuses with which descriptors end.
`default_nettype none
bind mu_queue_engine mu_status_coverage u_any_retired (
    .clk_i, .rst_ni, .valid_i(taken == mu_pkg::QUEUE_TURN_RETIRE), .status_i(retire_i.descriptor.status)
);
`default_nettype wire

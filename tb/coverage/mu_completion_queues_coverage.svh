// SPDX-License-Identifier: Apache-2.0
// Statuses of entries in completion queues; COMPLETION_OVERRUN is told by a count of the queue.
`default_nettype none
bind mu_completion_queues mu_status_coverage u_any_entry (
    .clk_i, .rst_ni, .valid_i(entry_valid_i && entry_ready_o), .status_i(entry_data_i.status)
);
bind mu_completion_queues mu_status_coverage u_any_overrun (
    .clk_i, .rst_ni, .valid_i(lost), .status_i(8'(mu_pkg::STATUS_COMPLETION_OVERRUN))
);
`default_nettype wire

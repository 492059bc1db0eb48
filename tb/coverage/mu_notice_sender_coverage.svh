// SPDX-License-Identifier: Apache-2.0
// Statuses of refused packets, as their sender is told.
`default_nettype none
bind mu_notice_sender mu_status_coverage u_any_notice (
    .clk_i, .rst_ni, .valid_i(refuse_i), .status_i(refuse_status_i)
);
`default_nettype wire

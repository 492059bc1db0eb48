// SPDX-License-Identifier: Apache-2.0
// Statuses of refused register accesses.
`default_nettype none
bind mu_access_errors mu_status_coverage u_any_refused (
    .clk_i, .rst_ni, .valid_i(refused_valid_i), .status_i(refused_status_i)
);
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// The files of the design in the order in which a packet meets them; one comment a stage.

// Words and layouts
// Shared blocks
rtl/common/mu_skid_buffer.sv
rtl/common/mu_fifo.sv
rtl/common/mu_arbiter.sv
rtl/common/mu_credit_counter.sv

// SPDX-License-Identifier: Apache-2.0
// Binds the rules of AXI4-Lite to the slave of the node, in models that are built with this file. A push of
// 64 bytes is answered when memory has it, so that the bound allows for a slow memory.
`default_nettype none
bind mu_axil_slave mu_axi4_lite_subordinate_properties #(.ANSWER_CYCLES(4096)) u_axi4_lite_rules (.*);
`default_nettype wire

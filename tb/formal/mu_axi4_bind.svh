// SPDX-License-Identifier: Apache-2.0
// Binds the rules of AXI4 to the memory port of the node, in models that are built with this file.
`default_nettype none
bind mu_memory_port mu_axi4_manager_properties u_axi4_rules (.*);
`default_nettype wire

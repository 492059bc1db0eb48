// SPDX-License-Identifier: Apache-2.0
// The twelve pins of a link of mu_node, as one vector each way. In the list of the node's pins
//
//   `MU_LINK_PINS(xp, from_xp, to_xp),
//
// connects the pins link_xp_*: from_xp[MU_LINK_BITS-1:0] comes from the neighbour, to_xp goes there. Bits, from the top:
// credit (2), reply, tail, head, valid, data (128).
`ifndef MU_LINK_PINS
`define MU_LINK_PINS(SIDE, FROM, TO) \
    .link_``SIDE``_credit_i(FROM[133:132]), .link_``SIDE``_reply_i(FROM[131]), .link_``SIDE``_tail_i(FROM[130]), \
    .link_``SIDE``_head_i(FROM[129]), .link_``SIDE``_valid_i(FROM[128]), .link_``SIDE``_data_i(FROM[127:0]), \
    .link_``SIDE``_credit_o(TO[133:132]), .link_``SIDE``_reply_o(TO[131]), .link_``SIDE``_tail_o(TO[130]), \
    .link_``SIDE``_head_o(TO[129]), .link_``SIDE``_valid_o(TO[128]), .link_``SIDE``_data_o(TO[127:0])
`define MU_LINK_BITS 134
`endif

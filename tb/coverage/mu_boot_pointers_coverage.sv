// SPDX-License-Identifier: Apache-2.0
// mu_boot_pointers_coverage: how full the boot buffers of clients have been.
//
//   a publish, a drain, a lookup, and the row that it is for ---> cover points
//
// Behaviour: slots come into an empty buffer, into one that is in use, and fill it; it is drained in part and
//   to the end; a packet has no room, for want of slots or because one was refused before; a buffer that
//   holds slots is opened anew.
// Latency: none; counts with each change.
// Limits: bound to models that count only. A buffer goes never round: it begins anew when it is opened.
`default_nettype none

module mu_boot_pointers_coverage #(
    parameter int unsigned SLOTS = 32
) (
    input logic        lookup_i,
    input logic        switch_i,
    input logic        opens_i,
    input logic        room_o,
    input logic        refusing,
    input logic        publishes,
    input logic [31:0] slots,
    input logic        drains,
    input logic        drain_left_o,
    input logic [31:0] held
);
  always_comb begin
    into_an_empty_buffer : cover (publishes && held == '0);
    behind_others : cover (publishes && held != '0);
    fills_the_buffer : cover (publishes && held + slots == SLOTS);
    no_room : cover (lookup_i && !room_o && !refusing);
    refused_after_another : cover (lookup_i && refusing);
    drained_in_part : cover (drains && drain_left_o);
    emptied : cover (drains && !drain_left_o && held != '0);
    opened_anew : cover (switch_i && opens_i && held != '0);
  end
endmodule

bind mu_boot_pointers mu_boot_pointers_coverage #(.SLOTS(SLOTS)) u_coverage (
    .publishes(publish_valid_i && publish_ready_o), .slots(32'(publish_slots_i)), .held(32'(used)), .*
);
`default_nettype wire

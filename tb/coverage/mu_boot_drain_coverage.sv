// SPDX-License-Identifier: Apache-2.0
// mu_boot_drain_coverage: what the boot drain has met.
//
//   what is shown, what becomes of it, what is read ---> cover points
//
// Behaviour: a packet leaves its boot buffer, stays there, or is dropped with all behind it; with payload or
//   without, and round the end of the ring; a buffer is configured anew while a packet of it is read, shown
//   or stored; several buffers wait.
// Latency: none; counts with each change.
// Limits: bound to models that count only.
`default_nettype none

module mu_boot_drain_coverage (
    input logic shows,
    input logic reads,
    input logic packet_done_i,
    input logic stays_i,
    input logic taken_i,
    input logic drops,
    input logic rest,
    input logic short_one,
    input logic reconfigured,
    input logic several
);
  always_comb begin
    leaves : cover (packet_done_i && taken_i);
    refused : cover (packet_done_i && !taken_i);
    stays : cover (stays_i);
    dropped : cover (drops);
    round_the_end : cover (rest);
    without_payload : cover (packet_done_i && short_one);
    anew_while_read : cover (reconfigured && reads);
    anew_while_shown : cover (reconfigured && shows && !taken_i);
    anew_while_stored : cover (reconfigured && shows && taken_i);
    takes_turns : cover (several);
  end
endmodule

bind mu_boot_drain mu_boot_drain_coverage u_coverage (
    .shows(state_q == STATE_SHOW), .reads(read_o.valid), .drops(bad_packet_o),
    .rest(state_q == STATE_REST), .short_one(slots_q == 5'd1),
    .several((wanted & (wanted - 1'b1)) != '0), .*
);
`default_nettype wire

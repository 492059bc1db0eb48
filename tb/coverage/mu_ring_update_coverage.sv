// SPDX-License-Identifier: Apache-2.0
// mu_ring_update_coverage: what has been done to rings of descriptors, and how full they were.
//
//   operation, ring as it is ---> cover points
//
// Behaviour: each operation; doorbells that are refused and that fill the ring; slots that are reserved, that
//   find no room, that fill the ring; a fetch and a reservation that go round its end; the last descriptor of
//   a ring retired.
// Latency: none; counts with each change.
// Limits: bound to models that count only. size of a ring that is set up is not 0.
`default_nettype none

module mu_ring_update_coverage (
    input logic        reset_i,
    input logic        doorbell_i,
    input logic        reserve_i,
    input logic        publish_i,
    input logic        fetch_i,
    input logic        retire_i,
    input logic        halt_i,
    input logic        rewind_i,
    input logic        hold_i,
    input logic        cyclic_i,
    input logic        accept_o,
    input logic [31:0] size,
    input logic [31:0] held_after,
    input logic        lap_ends,
    input logic        goes_round
);
  always_comb begin
    if (size != '0) begin
      configured : cover (reset_i);
      doorbell : cover (doorbell_i && accept_o);
      doorbell_refused : cover (doorbell_i && !accept_o);
      doorbell_fills : cover (doorbell_i && accept_o && held_after == size);
      reserved : cover (reserve_i && accept_o);
      no_room : cover (reserve_i && !accept_o);
      reservation_fills : cover (reserve_i && accept_o && held_after == size);
      reservation_goes_round : cover (reserve_i && accept_o && goes_round);
      published : cover (publish_i);
      fetched : cover (fetch_i);
      fetch_goes_round : cover (fetch_i && lap_ends);
      retired : cover (retire_i && !halt_i);
      retired_and_halted : cover (retire_i && halt_i);
      emptied : cover (retire_i && !cyclic_i && held_after == '0);
      rewound : cover (rewind_i);
      held : cover (hold_i);
      doorbell_cyclic : cover (doorbell_i && accept_o && cyclic_i);
      retired_cyclic : cover (retire_i && cyclic_i);
    end
  end
endmodule

bind mu_ring_update mu_ring_update_coverage u_coverage (
    .size(32'(size_i)), .held_after(32'(reserved_o - head_o)), .lap_ends(fetch_lap_o != fetch_lap_i),
    .goes_round((32'(reserved_o ^ reserved_i) & 32'(size_i)) != '0), .*
);
`default_nettype wire

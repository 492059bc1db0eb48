// SPDX-License-Identifier: Apache-2.0
// mu_completion_ring_coverage: how full the rings of completion queues have been.
//
//   an entry and the ring that it is for ---> cover points
//
// Behaviour: an entry for an empty ring, one that fills it, one that ends a lap, one that is lost, one
//   that overwrites the oldest, one that may not because the oldest is still on its way.
// Latency: none; counts with each change.
// Limits: bound to models that count only.
`default_nettype none

module mu_completion_ring_coverage (
    input logic        put_i,
    input logic        overwrite_i,
    input logic        taken_o,
    input logic        overwritten_o,
    input logic        ends_lap,
    input logic        fits_q,
    input logic [31:0] size,
    input logic [31:0] held
);
  always_comb begin
    if (put_i && size != '0) begin
      into_an_empty_ring : cover (taken_o && held == '0);
      fills_the_ring : cover (taken_o && !overwritten_o && held + 1'b1 == size);
      ends_a_lap : cover (taken_o && ends_lap);
      lost : cover (!taken_o && !overwrite_i);
      overwrites : cover (overwritten_o);
      oldest_on_its_way : cover (!fits_q && overwrite_i && !overwritten_o);
    end
  end
endmodule

bind mu_completion_ring mu_completion_ring_coverage u_coverage (
    .size(32'(size_i)), .held(32'(held)), .ends_lap((32'(reserved_o ^ reserved_i) & 32'(size_i)) != '0), .*
);
`default_nettype wire

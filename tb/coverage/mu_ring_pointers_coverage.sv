// SPDX-License-Identifier: Apache-2.0
// mu_ring_pointers_coverage: how full the rings of reception FIFOs and notices have been.
//
//   head, tail, reserved of the ring that is asked about ---> cover points
//
// Behaviour: a ring without slots in use, one without a free slot, one that has no room for what comes, one
//   whose next slots lie beyond its end, and one with slots reserved but not published.
// Latency: none; counts with each change.
// Limits: bound to models that count only. size_i of a ring that is set up is not 0.
`default_nettype none

module mu_ring_pointers_coverage (
    input logic [31:0] size,
    input logic [31:0] held,
    input logic [31:0] published,
    input logic        fits_o,
    input logic        wraps
);
  always_comb begin
    empty : cover (size != '0 && held == '0);
    full : cover (size != '0 && held == size);
    no_room : cover (size != '0 && !fits_o);
    wrapped : cover (size != '0 && wraps && fits_o);
    reserved_only : cover (size != '0 && published < held);
  end
endmodule

bind mu_ring_pointers mu_ring_pointers_coverage u_coverage (
    .size(32'(size_i)), .held(32'(held)), .published(32'(tail_i - head_i)),
    .wraps((32'(reserved_o ^ reserved_i) & 32'(size_i)) != '0), .*
);
`default_nettype wire

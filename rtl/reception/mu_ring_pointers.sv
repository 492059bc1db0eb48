// SPDX-License-Identifier: Apache-2.0
// mu_ring_pointers: what may happen next to one ring of slots that the MU fills and software empties.
//
//   head, tail, reserved, size ---> [ sums ] ---> fits_o, reserved_o               (reserve slots)
//   slots, new head -------------->          ---> publish_legal_o, tail_o, used_o  (publish slots)
//                                            ---> head_legal_o                     (move the head)
//
// Behaviour: indices are free-running; slots in use are reserved - head, of which tail - head are
//   published. fits_o is high exactly if slots_i more would not make the ring hold more than size_i;
//   reserved_o is the value after reserving them. tail_o is the tail after publishing slots_i, used_o what is
//   then published and unread. head_legal_o is high exactly if head_i lies within head..tail of the ring,
//   both included.
// Latency: none, combinational.
// Limits: size_i at most 2^POSITION_WIDTH, and size_i >= slots_i wherever fits_o is high. The caller
//   publishes only what it has reserved (publish_legal_o says so).
`default_nettype none

module mu_ring_pointers #(
    parameter int unsigned INDEX_WIDTH    = 32,
    parameter int unsigned POSITION_WIDTH = 24,
    parameter int unsigned SLOTS_WIDTH    = 8
) (
    // the ring
    input  logic [POSITION_WIDTH:0]   size_i,
    input  logic [INDEX_WIDTH-1:0]    head_i,
    input  logic [INDEX_WIDTH-1:0]    tail_i,
    input  logic [INDEX_WIDTH-1:0]    reserved_i,
    // reserve or publish
    input  logic [SLOTS_WIDTH-1:0]    slots_i,
    output logic                      fits_o,
    output logic [INDEX_WIDTH-1:0]    reserved_o,
    output logic                      publish_legal_o,
    output logic [INDEX_WIDTH-1:0]    tail_o,
    output logic [INDEX_WIDTH-1:0]    used_o,
    // move the head
    input  logic [INDEX_WIDTH-1:0]    new_head_i,
    output logic                      head_legal_o
);
  if (INDEX_WIDTH < POSITION_WIDTH + 2) $error("mu_ring_pointers: INDEX_WIDTH is too small for the size");
  if (SLOTS_WIDTH > POSITION_WIDTH) $error("mu_ring_pointers: SLOTS_WIDTH must not exceed POSITION_WIDTH");

  logic [INDEX_WIDTH-1:0]  held;
  logic [INDEX_WIDTH-1:0]  held_after;

  assign held            = reserved_i - head_i;
  assign held_after      = held + INDEX_WIDTH'(slots_i);
  assign fits_o          = held_after <= INDEX_WIDTH'(size_i);
  assign reserved_o      = reserved_i + INDEX_WIDTH'(slots_i);
  assign publish_legal_o = INDEX_WIDTH'(slots_i) <= reserved_i - tail_i;
  assign tail_o          = tail_i + INDEX_WIDTH'(slots_i);
  assign used_o          = tail_o - head_i;
  assign head_legal_o    = new_head_i - head_i <= tail_i - head_i;
endmodule
`default_nettype wire

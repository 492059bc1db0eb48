// SPDX-License-Identifier: Apache-2.0
// mu_completion_ring: where the next entry of one completion queue goes, and which head its owner may write.
//
//   entry, head, tail, reserved ---> [ full? ] ---> taken_o or lost, slot_o, phase_o, the same after
//   new head -------------------->    a cycle   ---> head_legal_o
//
// Behaviour: indices are free-running; entries reserved - head are in the ring, of which tail - head are in
//   memory. They are compared in the cycle of look_i. In the next, with put_i, taken_o says that the entry
//   gets slot_o, with phase_o: 1 in the first lap of the ring, 0 in the second, and so on. A full
//   ring takes it only with overwrite_i and if its oldest entry was in memory: then overwritten_o is high and
//   the head moves on by one. Without taken_o all *_o that are state equal their inputs. head_legal_o is high
//   exactly if new_head_i lay within head..tail. slot_o and phase_o are those of index reserved.
// Latency: one cycle from look_i to the answers.
// Limits: of the ring only the tail may move from look_i to the cycle behind it. size_i a power of two from 1
//   to 2^POSITION_BITS wherever put_i is high, so that slot and lap are bits of the index.
`default_nettype none

module mu_completion_ring #(
    parameter int unsigned INDEX_BITS    = 32,
    parameter int unsigned POSITION_BITS = 24
) (
    input  logic                     clk_i,
    input  logic                     look_i,
    // the ring
    input  logic [POSITION_BITS:0]   size_i,
    input  logic [INDEX_BITS-1:0]    head_i,
    input  logic [INDEX_BITS-1:0]    tail_i,
    input  logic [INDEX_BITS-1:0]    reserved_i,
    output logic                     drained_o,  // no entry was on its way
    // an entry
    input  logic                     put_i,
    input  logic                     overwrite_i,
    output logic                     taken_o,
    output logic                     overwritten_o,
    output logic [POSITION_BITS-1:0] slot_o,
    output logic                     phase_o,
    output logic [INDEX_BITS-1:0]    head_o,
    output logic [INDEX_BITS-1:0]    reserved_o,
    // move the head
    input  logic [INDEX_BITS-1:0]    new_head_i,
    output logic                     head_legal_o
);
  logic                     fits;
  logic [POSITION_BITS:0]   held;            // never more than size
  logic [POSITION_BITS:0]   shown;           // those of them that are in memory
  logic                     fits_q;
  logic                     shows_q;         // some are in memory
  logic                     unused_bits;
  if (INDEX_BITS < POSITION_BITS + 2) $error("mu_completion_ring: INDEX_BITS is too small for the size");

  assign held           = reserved_i[POSITION_BITS:0] - head_i[POSITION_BITS:0];
  assign shown          = tail_i[POSITION_BITS:0] - head_i[POSITION_BITS:0];
  assign fits           = held < size_i;
  always_ff @(posedge clk_i) begin
    if (look_i) begin
      fits_q       <= fits;
      shows_q      <= shown != '0;
      drained_o    <= reserved_i[POSITION_BITS:0] == tail_i[POSITION_BITS:0];
      head_legal_o <= new_head_i - head_i <= INDEX_BITS'(shown);
    end
  end
  // An entry that is not in memory yet cannot be overwritten: its own write may still be under way.
  assign overwritten_o  = put_i && !fits_q && overwrite_i && shows_q;
  assign taken_o        = (put_i && fits_q) || overwritten_o;
  assign slot_o         = reserved_i[POSITION_BITS-1:0] & (size_i[POSITION_BITS-1:0] - 1'b1);
  assign phase_o        = (reserved_i[POSITION_BITS:0] & size_i) == '0;
  assign head_o         = overwritten_o ? head_i + 1'b1 : head_i;
  assign reserved_o     = taken_o ? reserved_i + 1'b1 : reserved_i;
  assign unused_bits    = ^tail_i;
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_completion_ring_proof: one completion queue through any entries, publishes and head moves.
//
//   any operation ---> [ head, tail, reserved <--> mu_completion_ring            ] ---> asserts
//                      [ ghost: what was written last into one slot, any of them ]
//
// Behaviour: the ring is looked at in one cycle, and an operation done in the next; publishes of both cycles
//   count. An entry is written exactly if taken_o, the oldest that is written is published while there is
//   one, the head moves exactly if head_legal_o; overwrite changes as it likes. Proved: head <= tail <=
//   reserved <= head + size, so entries are published in the order in which they were written and none is
//   written past the ring; an entry is taken exactly if there is room, or its policy makes some; a slot is
//   written anew only once its entry is in memory and before the head; the phase written into a slot always
//   differs from the one written there before, and is 1 at first.
// Latency: an operation every two cycles.
// Limits: powers of two to 2^POSITION_BITS as sizes, any one for the whole run. Indices wrap often.
`default_nettype none

module mu_completion_ring_proof #(
    parameter int unsigned POSITION_BITS = 3,
    parameter int unsigned INDEX_BITS    = POSITION_BITS + 2
) (
    input logic                  clk_i,
    input logic                  rst_ni,
    input logic [1:0]            operation_i,  // 0 an entry, 1 publish, 2 move the head, 3 nothing
    input logic                  overwrite_i,
    input logic [INDEX_BITS-1:0] new_head_i
);
  (* anyconst *) logic [POSITION_BITS:0]   size;
  (* anyconst *) logic [POSITION_BITS-1:0] slot;  // the one that is followed

`ifdef FORMAL
  logic                     past_q = 1'b0;
`else
  logic                     past_q;
`endif
  logic [INDEX_BITS-1:0]    head_q, tail_q, reserved_q;
  logic [INDEX_BITS-1:0]    held_q;     // entries in the ring, counted beside the indices
  logic                     written_q;  // the slot has been written
  logic [INDEX_BITS-1:0]    index_q;    // the entry in it
  logic                     phase_q;    // its phase; 0 before the first
  logic                     looked_q;       // an operation may be done
  logic [INDEX_BITS-1:0]    tail_looked_q;  // as the tail was
  logic [INDEX_BITS-1:0]    new_head_q, new_head;
  logic                     put, moves, publishes, drained, taken, overwritten, phase, head_legal;
  logic [INDEX_BITS-1:0]    head, reserved;
  logic [POSITION_BITS-1:0] position;  // slot of index reserved
  logic                     into_slot;
  logic [INDEX_BITS-1:0]    age;        // entries written since, that in the slot included

  assign put       = looked_q && operation_i == 2'd0;
  assign moves     = looked_q && operation_i == 2'd2;
  assign publishes = operation_i == 2'd1 && tail_q != reserved_q;
  assign new_head  = looked_q ? new_head_q : new_head_i;
  assign into_slot = taken && position == slot;
  assign age       = reserved_q - index_q;

  mu_completion_ring #(
      .INDEX_BITS   (INDEX_BITS),
      .POSITION_BITS(POSITION_BITS)
  ) u_ring (
      .clk_i,
      .look_i       (!looked_q),
      .size_i       (size),
      .head_i       (head_q),
      .tail_i       (tail_q),
      .reserved_i   (reserved_q),
      .drained_o    (drained),
      .put_i        (put),
      .overwrite_i,
      .taken_o      (taken),
      .overwritten_o(overwritten),
      .slot_o       (position),
      .phase_o      (phase),
      .head_o       (head),
      .reserved_o   (reserved),
      .new_head_i   (new_head),
      .head_legal_o (head_legal)
  );

  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (size != '0 && (size & (size - 1'b1)) == '0);
    assume ({1'b0, slot} < size);
  end

  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) begin
      {head_q, tail_q, reserved_q, held_q} <= '0;
      {written_q, phase_q, looked_q}       <= '0;
    end else begin
      looked_q   <= !looked_q;
      head_q     <= moves && head_legal ? new_head_q : head;
      reserved_q <= reserved;
      if (publishes) tail_q <= tail_q + 1'b1;
      if (!looked_q) {tail_looked_q, new_head_q} <= {tail_q, new_head_i};
      if (taken && !overwritten) held_q <= held_q + 1'b1;
      if (moves && head_legal) held_q <= held_q - (new_head_q - head_q);
      if (into_slot) begin
        written_q <= 1'b1;
        index_q   <= reserved_q;
        phase_q   <= phase;
      end
    end
  end

  // Combinational, so that one step of induction is enough.
  always_comb begin
    if (past_q && rst_ni) begin
      counts_what_it_holds : assert (held_q == reserved_q - head_q);
      never_more_than_the_ring : assert (held_q <= INDEX_BITS'(size));
      published_is_written : assert (tail_q - head_q <= held_q);
      position_inside : assert ({1'b0, position} < size);
      if (looked_q) begin
        drained_means_all_was_published : assert (drained == (tail_looked_q == reserved_q));
        head_moves_within_what_was_published :
        assert (head_legal == (new_head_q - head_q <= tail_looked_q - head_q));
      end
      takes_exactly_what_fits_or_is_made_to :
      assert (taken == (put && (held_q != INDEX_BITS'(size) || (overwrite_i && tail_looked_q != head_q))));
      overwrites_only_when_full : assert (overwritten == (taken && held_q == INDEX_BITS'(size)));
      if (overwritten) the_oldest_leaves : assert (head == head_q + 1'b1);
      if (!overwritten) nothing_else_leaves : assert (head == head_q);
      if (!taken) keeps_what_it_has : assert (reserved == reserved_q);
      if (taken) one_more : assert (reserved == reserved_q + 1'b1);
      if (into_slot) phase_differs_from_the_lap_before : assert (phase != phase_q);
      if (into_slot && written_q) begin
        entry_before_is_in_memory : assert (age > reserved_q - tail_q);
        entry_before_has_left : assert (age > reserved_q - head);
      end
      // Invariants that make the rest inductive: the slot was written `size` entries ago at most.
      if (written_q) begin
        slot_is_written_once_a_lap : assert (age != '0 && age <= INDEX_BITS'(size));
        slot_keeps_its_place :
        assert ((POSITION_BITS + 2)'(position) == (POSITION_BITS + 2)'(slot) + (POSITION_BITS + 2)'(age) ||
                (POSITION_BITS + 2)'(position) + (POSITION_BITS + 2)'(size) ==
                (POSITION_BITS + 2)'(slot) + (POSITION_BITS + 2)'(age));
        phase_tells_the_lap : assert (phase_q == (position > slot ? phase : !phase));
      end else begin
        first_lap : assert (phase && !phase_q && position <= slot);
      end
    end
  end
endmodule
`default_nettype wire

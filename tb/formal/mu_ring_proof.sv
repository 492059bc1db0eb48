// SPDX-License-Identifier: Apache-2.0
// mu_ring_proof: one ring driven through mu_ring_pointers by any reservations, publishes and head moves.
//
//   any operation ---> [ head, tail, reserved <--> mu_ring_pointers ] ---> asserts
//                      [ ghost: one used bit for each slot          ]
//
// Behaviour: a reservation is done exactly if fits_o, a publish if publish_legal_o, a move if head_legal_o.
//   Proved: the ring never holds more than its size, no slot is given out twice, a reservation is accepted
//   exactly if that many slots are free, the published slots lie between head and reserved.
// Latency: an operation a cycle.
// Limits: powers of two to 2^POSITION_WIDTH as sizes, any one of them for the whole run.
`default_nettype none

module mu_ring_proof #(
    parameter int unsigned POSITION_WIDTH = 3,
    parameter int unsigned INDEX_WIDTH    = POSITION_WIDTH + 2,
    parameter int unsigned SLOTS_WIDTH    = 2
) (
    input logic                   clk_i,
    input logic                   rst_ni,
    input logic [1:0]             operation_i,  // 0 reserve, 1 publish, 2 move the head, 3 nothing
    input logic [SLOTS_WIDTH-1:0] slots_i,
    input logic [INDEX_WIDTH-1:0] new_head_i
);
  localparam int unsigned MOST_SLOTS = 1 << POSITION_WIDTH;

  logic [POSITION_WIDTH:0]   size_q;
  logic [INDEX_WIDTH-1:0]    head_q;
  logic [INDEX_WIDTH-1:0]    tail_q;
  logic [INDEX_WIDTH-1:0]    reserved_q;
  logic                      fits;
  logic [INDEX_WIDTH-1:0]    reserved;
  logic [POSITION_WIDTH-1:0] position;  // slot of index reserved
  logic                      publish_legal;
  logic [INDEX_WIDTH-1:0]    tail;
  logic [INDEX_WIDTH-1:0]    used;
  logic                      head_legal;

  mu_ring_pointers #(
      .INDEX_WIDTH   (INDEX_WIDTH),
      .POSITION_WIDTH(POSITION_WIDTH),
      .SLOTS_WIDTH   (SLOTS_WIDTH)
  ) u_pointers (
      .size_i         (size_q),
      .head_i         (head_q),
      .tail_i         (tail_q),
      .reserved_i     (reserved_q),
      .slots_i,
      .fits_o         (fits),
      .reserved_o     (reserved),
      .publish_legal_o(publish_legal),
      .tail_o         (tail),
      .used_o         (used),
      .new_head_i,
      .head_legal_o   (head_legal)
  );

  // Ghost: which slots are given out, and the slot of index head.
  logic [MOST_SLOTS-1:0]     used_q;
  logic [POSITION_WIDTH-1:0] head_position_q;
  logic [MOST_SLOTS-1:0]     taken;     // slots of the reservation
  logic [MOST_SLOTS-1:0]     released;  // slots of the head move
  logic [INDEX_WIDTH-1:0]    moved;
  logic [POSITION_WIDTH:0]   slot_after_head;
  logic [POSITION_WIDTH:0]   free;
  logic [INDEX_WIDTH-1:0]    held;
  logic [MOST_SLOTS-1:0]     window;

  assign held     = reserved_q - head_q;
  assign position = POSITION_WIDTH'(reserved_q) & (POSITION_WIDTH'(size_q) - 1'b1);
  always_comb begin
    window = '0;
    for (int unsigned i = 0; i < MOST_SLOTS; i++) begin
      if (i >= 32'(head_position_q)) window[i] = i < 32'(size_q) && i - 32'(head_position_q) < 32'(held);
      else window[i] = i + 32'(size_q) - 32'(head_position_q) < 32'(held);
    end
  end
  assign moved           = new_head_i - head_q;
  assign slot_after_head = {1'b0, head_position_q} + moved[POSITION_WIDTH:0];
  always_comb begin
    taken    = '0;
    released = '0;
    free     = size_q;
    for (int unsigned i = 0; i < MOST_SLOTS; i++) begin
      if (used_q[i]) free = free - 1'b1;
      for (int unsigned k = 0; k < MOST_SLOTS; k++) begin
        if (k < 32'(slots_i) && i < 32'(size_q) &&
            (32'(position) + k == i || 32'(position) + k == i + 32'(size_q))) taken[i] = 1'b1;
        if (k < 32'(moved) && i < 32'(size_q) &&
            (32'(head_position_q) + k == i || 32'(head_position_q) + k == i + 32'(size_q))) begin
          released[i] = 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      head_q          <= '0;
      tail_q          <= '0;
      reserved_q      <= '0;
      head_position_q <= '0;
      used_q          <= '0;
    end else if (operation_i == 2'd0 && fits) begin
      reserved_q <= reserved;
      used_q     <= used_q | taken;
    end else if (operation_i == 2'd1 && publish_legal) begin
      tail_q <= tail;
    end else if (operation_i == 2'd2 && head_legal) begin
      head_q          <= new_head_i;
      head_position_q <=
          POSITION_WIDTH'(slot_after_head < size_q ? slot_after_head : slot_after_head - size_q);
      used_q          <= used_q & ~released;
    end
  end

`ifdef FORMAL
  (* anyconst *) logic [POSITION_WIDTH:0] size_any;
  logic past_q = 1'b0;
  always_comb if (!past_q) assume (!rst_ni);
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    size_q <= past_q ? size_q : size_any;
    if (past_q && rst_ni) begin
      assume (size_q != '0 && (size_q & (size_q - 1'b1)) == '0);
      never_more_than_the_size : assert (reserved_q - head_q <= INDEX_WIDTH'(size_q));
      published_between_head_and_reserved : assert (tail_q - head_q <= reserved_q - head_q);
      counts_what_is_given_out : assert (INDEX_WIDTH'(free) == INDEX_WIDTH'(size_q) - held);
      // Invariants that make the rest inductive: the used slots are the window from head to reserved.
      head_position_inside : assert ({1'b0, head_position_q} < size_q);
      window_matches : assert (used_q == window);
      position_ends_the_window :
      assert (32'(position) == 32'(head_position_q) + 32'(held) ||
              32'(position) + 32'(size_q) == 32'(head_position_q) + 32'(held));
      accepts_exactly_when_there_is_room : assert (fits == (32'(slots_i) <= 32'(free)));
      if (fits) no_slot_is_given_out_twice : assert ((taken & used_q) == '0);
      if (publish_legal) begin
        publishes_what_is_given_out : assert (tail - head_q <= held);
        used_is_what_is_unread : assert (used == tail - head_q);
      end
      head_moves_within_what_is_published : assert (head_legal == (moved <= tail_q - head_q));
    end
  end
`else
  always_ff @(posedge clk_i) size_q <= (POSITION_WIDTH + 1)'(MOST_SLOTS);
`endif
endmodule
`default_nettype wire

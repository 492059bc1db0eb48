// SPDX-License-Identifier: Apache-2.0
// mu_ring_span: where a run of ring slots lies in memory; one that passes the ring's end has two parts.
//
//   base, size, position, slots ---> [ multiply, cut at the end ] ---> first part, second part
//
// Behaviour: the first part begins at base + position * slot bytes and ends with the run or with the ring;
//   split_o is high exactly if slots are left over, and then the second part holds them from base on.
// Latency: none, combinational.
// Limits: SLOT_BYTES_LOG2 5 (reception FIFO, notice ring) or 6 (descriptors). position_i <= size_i, slots_i
//   <= size_i, at most 17 slots (544 bytes); whoever sets base and size makes sure that the ring ends below
//   2^40.
`default_nettype none

module mu_ring_span #(
    parameter  int unsigned SLOT_BYTES_LOG2 = 5,
    localparam int unsigned SLOTS_WIDTH     = 10 - SLOT_BYTES_LOG2
) (
    input  logic                   enable_i,  // without it all parts are zero
    // the ring
    input  mu_pkg::address_t       base_i,
    input  logic [24:0]            size_i,
    input  logic [23:0]            position_i,
    input  logic [SLOTS_WIDTH-1:0] slots_i,
    // its parts
    output mu_pkg::address_t       address_o,
    output logic [9:0]             bytes_o,
    output logic                   split_o,
    output logic [9:0]             second_bytes_o
);
  logic [24:0]            to_end;
  logic [SLOTS_WIDTH-1:0] first_slots;
  logic [SLOTS_WIDTH-1:0] second_slots;

  always_comb begin
    to_end         = '0;
    split_o        = 1'b0;
    first_slots    = '0;
    second_slots   = '0;
    address_o      = '0;
    bytes_o        = '0;
    second_bytes_o = '0;
    if (enable_i) begin
      to_end         = size_i - {1'b0, position_i};
      split_o        = 25'(slots_i) > to_end;
      first_slots    = split_o ? to_end[SLOTS_WIDTH-1:0] : slots_i;
      second_slots   = slots_i - first_slots;
      address_o      = base_i + (40'(position_i) << SLOT_BYTES_LOG2);
      bytes_o        = 10'(first_slots) << SLOT_BYTES_LOG2;
      second_bytes_o = 10'(second_slots) << SLOT_BYTES_LOG2;
    end
  end

`ifdef PROVE_MU_RING_SPAN
  // What is proved of mu_ring_span, of any slot of the run: it has its place in one of the two parts, which
  // is the place that the ring gives it; the parts hold no more than the run, and never run past the ring.
  (* anyconst *) logic [7:0] number;  // of the slot in the run
  logic [63:0] index, place, ring_end, offset;
  assign offset   = 64'(number) << SLOT_BYTES_LOG2;
  assign index    = 64'(position_i) + 64'(number);  // in the ring, before it wraps
  assign place    = 64'(base_i) + ((index < 64'(size_i) ? index : index - 64'(size_i)) << SLOT_BYTES_LOG2);
  assign ring_end = 64'(base_i) + (64'(size_i) << SLOT_BYTES_LOG2);
  always_comb begin
    assume (25'(position_i) < size_i && 25'(slots_i) <= size_i);
    assume (32'(slots_i) <= (32'd544 >> SLOT_BYTES_LOG2));
    assume (ring_end <= 64'h100_0000_0000);
    if (enable_i) begin
      as_many_bytes_as_slots :
      assert (32'(bytes_o) + 32'(second_bytes_o) == 32'(slots_i) << SLOT_BYTES_LOG2);
      split_if_something_is_left : assert (split_o == (second_bytes_o != '0));
      first_part_ends_with_the_ring : assert (64'(address_o) + 64'(bytes_o) <= ring_end);
      if (number < slots_i) begin
        if (offset < 64'(bytes_o)) place_in_the_first_part : assert (64'(address_o) + offset == place);
        else place_in_the_second_part : assert (64'(base_i) + offset - 64'(bytes_o) == place);
      end
    end else nothing_then : assert ({address_o, bytes_o, split_o, second_bytes_o} == '0);
  end
`endif
endmodule
`default_nettype wire

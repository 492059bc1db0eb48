// SPDX-License-Identifier: Apache-2.0
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

// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_touch_match, of any range: a byte that the transfer and the range share is a hit,
// and a hit has such a byte, the later of both beginnings.
  (* anyconst *) logic [$clog2(RANGES)-1:0] chosen;
  (* anyconst *) logic [42:0] any_byte;
  logic [42:0] base_here, length_here, begin_here, later;
  logic        in_transfer, in_range, later_in_transfer, later_in_range;
  assign begin_here        = 43'(address_i);
  assign later             = begin_here > base_here ? begin_here : base_here;
  assign in_transfer       = any_byte >= begin_here && any_byte < begin_here + 43'(bytes_i);
  assign in_range          = any_byte >= base_here && any_byte < base_here + length_here;
  assign later_in_transfer = later < begin_here + 43'(bytes_i);
  assign later_in_range    = later < base_here + length_here;
  always_comb begin
    base_here   = '0;
    length_here = '0;
    for (int unsigned i = 0; i < RANGES; i++) begin
      if (32'(chosen) == i) base_here = 43'(base_i[i*40+:40]);
      if (32'(chosen) == i) length_here = 43'(length_i[i*41+:41]);
    end
    assume (32'(chosen) < RANGES);
    if (hit_o[chosen]) hits_what_is_enabled : assert (valid_i && enable_i[chosen]);
    if (hit_o[chosen]) shares_a_byte : assert (later_in_transfer && later_in_range);
    if (valid_i && enable_i[chosen] && in_transfer && in_range) a_shared_byte_is_a_hit :
    assert (hit_o[chosen]);
  end

// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_touch_match, of any range whose row stays as it is while a transfer is compared: a
// byte that the transfer and the range share is a hit, and a hit has such a byte, the later of both
// beginnings. The result comes in time, and stands until it is taken.
  (* anyconst *) logic [INDEX_WIDTH-1:0] chosen;
  (* anyconst *) logic [42:0] any_byte;
  logic        past_q = 1'b0;
  logic        known_q, enabled_q, changed_q, empty_q, held_q;
  logic [39:0] base_here_q;
  logic [40:0] end_here_q;
  logic [39:0] from_q;
  logic [9:0]  bytes_q;
  logic [RANGES-1:0] hit_before_q;
  logic [4:0]  age_q;
  logic        writes;
  logic [42:0] base_here, end_here, begin_here, later;
  logic        in_transfer, in_range, later_in_transfer, later_in_range;
  assign writes            = row_i.valid && row_i.index == 8'(chosen);
  assign base_here         = 43'(base_here_q);
  assign end_here          = 43'(end_here_q);
  assign begin_here        = 43'(from_q);
  assign later             = begin_here > base_here ? begin_here : base_here;
  assign in_transfer       = any_byte >= begin_here && any_byte < begin_here + 43'(bytes_q);
  assign in_range          = any_byte >= base_here && any_byte < end_here;
  assign later_in_transfer = later < begin_here + 43'(bytes_q);
  assign later_in_range    = later < end_here;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (32'(chosen) < RANGES);
    if (row_i.valid) assume (32'(row_i.index) < RANGES && row_i.range_end >= 41'(row_i.base));
    if (past_q && enable_i[chosen]) assume (known_q && end_here_q > 41'(base_here_q));
  end
  always_ff @(posedge clk_i) begin
    past_q       <= 1'b1;
    held_q       <= rst_ni && done_o && !taken_i;
    hit_before_q <= hit_o;
    if (!rst_ni) {known_q, base_here_q, end_here_q} <= '0;
    else if (writes) {known_q, base_here_q, end_here_q} <= {1'b1, row_i.base, row_i.range_end};
    if (valid_i && ready_o) begin
      {from_q, bytes_q, enabled_q} <= {address_i, bytes_i, enable_i[chosen]};
      changed_q <= writes;
      age_q     <= '0;
    end else begin
      changed_q <= changed_q || writes;
      if (!done_o && age_q != '1) age_q <= age_q + 1'b1;
    end
    if (past_q && rst_ni) begin
      if (known_q) row_is_kept : assert (rows[chosen] == {end_here_q, base_here_q});
      if (held_q) stands_until_taken : assert (done_o && hit_o == hit_before_q);
      if (valid_q) begin
        what_is_compared :
        assert (address_q == from_q && 42'(transfer_end_q) == 42'(from_q) + 42'(bytes_q));
        comes_in_time : assert (32'(age_q) + 32'($countones(rest_q)) + 32'(row_q != '0 || rest_q != '0) <=
                                32'(RANGES) + 1);
        if (hit_q[chosen]) hits_what_is_enabled : assert (enabled_q);
        if ((rest_q[chosen] || row_q[chosen])) looks_at_what_is_enabled :
        assert (enabled_q && bytes_q != '0 && known_q && !hit_q[chosen]);
        if (!changed_q) begin
          if (row_q[chosen]) word_is_the_row : assert (word_q == {end_here_q, base_here_q});
          if (enabled_q) enabled_has_bytes : assert (known_q && end_here_q > 41'(base_here_q));
          if (hit_q[chosen]) shares_a_byte : assert (later_in_transfer && later_in_range);
          if (enabled_q && !rest_q[chosen] && !row_q[chosen] && in_transfer && in_range)
            a_shared_byte_is_a_hit : assert (hit_o[chosen]);
        end
      end
    end
  end

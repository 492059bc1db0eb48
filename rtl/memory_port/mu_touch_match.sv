// SPDX-License-Identifier: Apache-2.0
// mu_touch_match: which marked ranges of memory a transfer overlaps, one range a cycle.
//
//   address, bytes (valid/ready) --> [ range by range ] --> hit_o, a bit a range (done/taken)
//   row_i (pulse) --> [ begin and end of each range ] ---^
//
// Behaviour: of a transfer that is taken, hit_o[r] with done_o says whether enable_i[r] was high then and the
//   intervals [address, address + bytes) and [base r, end r) share a byte. done_o and hit_o stand until
//   taken_i. Sums have a bit more than their terms, so that nothing wraps.
// Latency: done_o one cycle after the transfer was taken if no range is enabled or there are no bytes, else
//   two cycles and one for each range enabled.
// Limits: a range has a row before it is enabled. One that changes while it is looked for counts as it was or
//   as it is. One transfer at a time.
`default_nettype none

module mu_touch_match #(
    parameter int unsigned RANGES = mu_pkg::TOUCH_RANGES
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    // transfer
    input  logic               valid_i,
    output logic               ready_o,
    input  mu_pkg::address_t   address_i,
    input  logic [9:0]         bytes_i,
    input  logic [RANGES-1:0]  enable_i,
    // result
    output logic               done_o,
    input  logic               taken_i,
    output logic [RANGES-1:0]  hit_o,
    // touch table
    input  mu_pkg::touch_row_t row_i
);
  localparam int unsigned INDEX_WIDTH = RANGES > 1 ? $clog2(RANGES) : 1;

  (* no_rw_check *) logic [80:0] rows[RANGES];  // end, base
  logic [80:0]            word_q;
  logic [40:0]            end_q;  // of the range in word_q
  mu_pkg::address_t       base_q;
  logic                   valid_q;
  logic [RANGES-1:0]      rest_q;  // ranges that are still to be read
  logic [RANGES-1:0]      row_q;   // the range in word_q, one-hot
  logic [RANGES-1:0]      hit_q;
  mu_pkg::address_t       address_q;
  logic [40:0]            transfer_end_q;
  logic [RANGES-1:0]      next;  // the range to be read, one-hot
  logic [INDEX_WIDTH-1:0] index;

  assign ready_o = !valid_q;
  assign done_o  = valid_q && rest_q == '0 && row_q == '0;
  assign hit_o   = hit_q;
  assign next    = rest_q & (~rest_q + RANGES'(1));
  assign {end_q, base_q} = word_q;
  always_comb begin
    index = '0;
    for (int unsigned r = 0; r < RANGES; r++) if (next[r]) index = index | INDEX_WIDTH'(r);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      rest_q  <= '0;
      row_q   <= '0;
      hit_q   <= '0;
    end else if (!valid_q) begin
      valid_q <= valid_i;
      rest_q  <= valid_i && bytes_i != '0 ? enable_i : '0;
      hit_q   <= '0;
    end else begin
      valid_q <= !(done_o && taken_i);
      rest_q  <= rest_q & ~next;
      row_q   <= next;
      if (41'(address_q) < end_q && 41'(base_q) < transfer_end_q) hit_q <= hit_q | row_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (valid_i && !valid_q) begin
      address_q      <= address_i;
      transfer_end_q <= 41'(address_i) + 41'(bytes_i);
    end
  end
  always_ff @(posedge clk_i) begin
    if (row_i.valid) rows[INDEX_WIDTH'(row_i.index)] <= {row_i.range_end, row_i.base};
  end
  always_ff @(posedge clk_i) if (rest_q != '0) word_q <= rows[index];

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      one_row_at_a_time : assert ($onehot0(row_q) && (row_q & rest_q) == '0);
      if (!valid_q) idle_is_empty : assert (rest_q == '0 && row_q == '0);
      if (row_i.valid) row_is_there : assert (32'(row_i.index) < RANGES);
    end
  end

`ifdef PROVE_MU_TOUCH_MATCH
  // What is proved of mu_touch_match, of any range whose row stays as it is while a transfer is compared: a
  // byte that the transfer and the range share is a hit, and a hit has such a byte, the later of both
  // beginnings. The result comes in time, and stands until it is taken.
  (* anyconst *) logic [INDEX_WIDTH-1:0] chosen;
  (* anyconst *) logic [42:0] any_byte;
  logic              past_q = 1'b0;
  logic              known_q, enabled_q, changed_q, empty_q, held_q;
  mu_pkg::address_t  base_here_q;
  logic [40:0]       end_here_q;
  mu_pkg::address_t  from_q;
  logic [9:0]        bytes_q;
  logic [RANGES-1:0] hit_before_q;
  logic [4:0]        age_q;
  logic              writes;
  logic [42:0]       base_here, end_here, begin_here, later;
  logic              in_transfer, in_range, later_in_transfer, later_in_range;
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
`endif
endmodule
`default_nettype wire

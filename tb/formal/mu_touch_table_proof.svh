// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_touch_table, of any range: its hit is set by each transfer that touches it while it
// is enabled, also in the cycle of a clear; it stays until its owner clears it or the range is written; its
// owner's page alone shows it, and its owner alone is interrupted, in the next cycle; a refused access
// changes nothing.
  (* anyconst *) logic [$clog2(RANGES)-1:0] chosen;
  logic       past_q = 1'b0;
  logic       on_q, hit_here_q;   // enabled; touched, and not cleared
  logic [3:0] owner_here_q;
  logic       touches, hits_page, in_range, good_config, good_base, good_length, changes;
  logic [2:0] register_here;      // 8 bytes each
  logic       read_hits_q, shown_q, touched_q, started_q;
  logic [3:0] told_q;
  (* anyconst *) logic [3:0] someone;
  logic        by_any, by_any_q;   // a range of that client is touched
  logic [39:0] base_here_q, base_next;
  logic [40:0] length_here_q, length_next;
  assign touches     = hit_i[chosen] && on_q;
  assign hits_page   = start && register_request_i.page &&
      register_request_i.address == mu_pkg::REG_CLIENT_PAGE_TOUCH_HITS;
  assign in_range    = start && !register_request_i.page && register_request_i.write &&
      register_request_i.wide &&
      register_request_i.address[19:5] == mu_pkg::BLOCK_TOUCH_RANGE_BASE[19:5] + 15'(chosen);
  assign register_here = {1'b0, register_request_i.address[4:3]};
  assign good_base   = register_request_i.data < 64'h100_0000_0000;
  assign good_length = register_request_i.data <= 64'h100_0000_0000;
  assign good_config = register_request_i.data < 64'h100 && !register_request_i.data[3] &&
      32'(register_request_i.data[7:4]) < mu_pkg::CLIENTS;
  assign changes     = in_range &&
      ((register_here == 3'd0 && good_base) || (register_here == 3'd1 && good_length) ||
       (register_here == 3'd2 && good_config));
  assign base_next   = changes && register_here == 3'd0 ? register_request_i.data[39:0] : base_here_q;
  assign length_next = changes && register_here == 3'd1 ? register_request_i.data[40:0] : length_here_q;
  always_comb begin
    by_any = 1'b0;
    for (int unsigned i = 0; i < RANGES; i++)
      if (hit_i[i] && enable_q[i] && owner_q[4*i+:4] == someone) by_any = 1'b1;
  end
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (32'(chosen) < RANGES && 32'(someone) < mu_pkg::CLIENTS);
  end
  always_ff @(posedge clk_i) begin
    past_q      <= 1'b1;
    read_hits_q <= hits_page && !register_request_i.write;
    shown_q     <= hit_here_q && owner_here_q == register_request_i.client;
    touched_q   <= rst_ni && touches;
    started_q   <= rst_ni && start;
    told_q      <= owner_here_q;
    by_any_q    <= rst_ni && by_any;
    if (!rst_ni) {on_q, hit_here_q, owner_here_q, base_here_q, length_here_q} <= '0;
    else begin
      if (changes && register_here == 3'd2)
        {owner_here_q, on_q} <= {register_request_i.data[7:4], register_request_i.data[0]};
      base_here_q   <= base_next;
      length_here_q <= length_next;
      if (touches) hit_here_q <= 1'b1;
      else if (changes || (hits_page && register_request_i.write && register_request_i.wide &&
                           owner_here_q == register_request_i.client && register_request_i.data[chosen]))
        hit_here_q <= 1'b0;
      if (past_q) begin
        answers_the_next_cycle : assert (register_done_o == started_q);
        if (started_q && read_hits_q)
          its_owner_alone_sees_it :
          assert (register_response_o.status == mu_pkg::STATUS_OK &&
                  register_response_o.data[chosen] == shown_q);
        if (touched_q && 32'(told_q) < mu_pkg::CLIENTS)
          its_owner_is_interrupted : assert (1'(causes_o >> {told_q, 3'(mu_pkg::CAUSE_TOUCH)}));
        no_one_else_is : assert (1'(causes_o >> {someone, 3'(mu_pkg::CAUSE_TOUCH)}) == by_any_q);
        lies_where_it_was_put :
        assert (40'(base_q >> (32'(chosen) * 40)) == base_here_q &&
                41'(length_q >> (32'(chosen) * 41)) == length_here_q);
        its_row_is_told :
        assert ((row_o.valid && row_o.index == 8'(chosen)) == (changes && register_here != 3'd2));
        if (row_o.valid && row_o.index == 8'(chosen))
          begins_and_ends_there :
          assert (row_o.base == base_next && 42'(row_o.range_end) == 42'(base_next) + 42'(length_next));
        of_some_bytes : assert (some_q[chosen] == (length_here_q != '0));
        only_while_it_is_enabled : assert ((on_q && length_here_q != '0) || !(on_read_o[chosen] || on_write_o[chosen]));
        // What the above rests on.
        keeps_the_range :
        assert (hits_q[chosen] == hit_here_q && enable_q[chosen] == on_q &&
                4'(owner_q >> {chosen, 2'd0}) == owner_here_q);
      end
    end
  end

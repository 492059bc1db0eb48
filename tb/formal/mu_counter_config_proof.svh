// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_counter_config, of any one counter of either kind: every reader sees what was
// written last, zero before, and zero for a counter that does not exist.
  (* anyconst *) logic [7:0] chosen;
  (* anyconst *) logic       chosen_is_event;
  logic       past_q = 1'b0;
  logic [5:0] last_q;
  logic       exists;
  logic [ENTRY_WIDTH-1:0] place;
  assign exists = 32'(chosen) < (chosen_is_event ? EVENT_COUNTERS : BYTE_COUNTERS);
  assign place  = ENTRY_WIDTH'(32'(chosen) + (chosen_is_event ? BYTE_COUNTERS : 0));
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (!write_i || 32'(access_data_i[3:0]) < mu_pkg::CLIENTS);
    assume (!write_i || !access_is_event_i || !access_data_i[5]);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) last_q <= '0;
    else if (write_i && exists && {access_is_event_i, access_index_i} == {chosen_is_event, chosen})
      last_q <= access_data_i;
    if (past_q && rst_ni) begin
      if ({access_is_event_i, access_index_i} == {chosen_is_event, chosen})
        access_sees_it : assert (access_data_o == last_q);
      if ({lookup_is_event_i[0], lookup_index_i[7:0]} == {chosen_is_event, chosen})
        a_lookup_sees_it : assert ({lookup_enable_o[0], lookup_owner_o[3:0]} == last_q[4:0]);
      if (!chosen_is_event && interrupt_index_i == chosen) interrupt_sees_it :
      assert (interrupt_o == last_q[5]);
      // What the above rests on.
      keeps_it : assert (!exists || (written_q[place] ? entry_q[place] == last_q : last_q == '0));
      zero_if_it_does_not_exist : assert (exists || last_q == '0);
    end
  end

// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_completion_tails, of any one queue: its tail is the number of publishes since it was
// configured; each publish gives one count with the new tail, no earlier than a probe shows it; its owner
// is told if it asks for it; nothing is published while it holds; and a publish waits for no more than the
// count before it.
  (* anyconst *) logic [7:0] chosen;
  logic                  past_q = 1'b0;
  logic [INDEX_BITS-1:0] tail_q;  // of the chosen one
  logic [           5:0] config_q;  // owner, tells, enable
  logic                  count_here_q, tells_here_q, stood_q;
  logic [          39:0] count_before_q;
  logic                  taken, taken_here;
  logic                  hold_q, told_to_chosen_q;
  logic [           3:0] told_to_q;
  assign taken      = publish_valid_i && publish_ready_o;
  assign taken_here = taken && publish_queue_i == chosen;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (32'(chosen) < QUEUES);
    assume (!publish_valid_i || 32'(publish_queue_i) < QUEUES);
    assume (!set_i || (hold_i && 32'(lookup_queue_i) < QUEUES));
  end
  always_ff @(posedge clk_i) begin
    past_q         <= 1'b1;
    count_before_q <= {count_queue_o, count_value_o};
    if (!rst_ni) {tail_q, config_q, count_here_q, tells_here_q, stood_q} <= '0;
    else begin
      stood_q      <= count_valid_o && !count_ready_i;
      tells_here_q <= taken_here && config_q[1];
      if (taken_here) count_here_q <= 1'b1;
      else if (count_ready_i) count_here_q <= 1'b0;
      if (set_i && lookup_queue_i == chosen) begin
        {config_q, tail_q} <= {set_owner_i, set_interrupt_i, set_enable_i, {INDEX_BITS{1'b0}}};
      end else if (taken_here) tail_q <= tail_q + 1'b1;
      if (past_q) begin
        if (lookup_queue_i == chosen)
          lookup_shows_the_queue :
          assert ({lookup_tail_o, lookup_owner_o, lookup_interrupt_o, lookup_enable_o} == {tail_q, config_q});
        if (probe_queue_i == chosen)
          probe_shows_the_queue :
          assert (probe_tail_o == 32'(tail_q) &&
                  {probe_owner_o, probe_enable_o} == {config_q[5:2], config_q[0]});
        if (32'(probe_queue_i) >= QUEUES) nothing_of_one_that_is_missing : assert (probe_tail_o == '0);
        one_count_a_publish : assert (count_here_q == (count_valid_o && count_queue_o == chosen));
        if (count_here_q && !stood_q && !hold_q) counts_to_the_new_tail :
        assert (count_value_o == 32'(tail_q));
        a_count_stands :
        assert (!stood_q || (count_valid_o && {count_queue_o, count_value_o} == count_before_q));
        if (tells_here_q) tells_its_owner : assert (told_o && told_owner_o == told_to_q);
        if (told_o && told_to_chosen_q) tells_who_asks_alone : assert (tells_here_q);
        if (hold_i) takes_none_while_it_holds : assert (!publish_ready_o);
        if (!hold_i && !count_valid_o) takes_if_none_is_counted : assert (publish_ready_o);
        // What the above rests on.
        keeps_the_queue :
        assert (written_q[chosen[QUEUE_BITS-1:0]] ? mem[chosen[QUEUE_BITS-1:0]] == {config_q, tail_q} :
                {config_q, tail_q} == '0);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    hold_q           <= hold_i;
    told_to_q        <= config_q[5:2];
    told_to_chosen_q <= taken_here;
  end

// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_retry_clock: it ticks when the time at which it was set is there, not before, and once.
  logic                         past_q = 1'b0;
  logic                         set_q;  // and has not ticked
  logic [mu_pkg::TIME_BITS-1:0] time_q;
  always_comb if (!past_q) assume (!rst_ni);
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) set_q <= 1'b0;
    else begin
      if (set_q && now_i >= time_q) set_q <= 1'b0;
      if (run_i && !hold_i && !set_q && !tick_o)
        {set_q, time_q} <= {1'b1, now_i + mu_pkg::TIME_BITS'(retry_cycles_i)};
    end
    if (past_q && rst_ni) begin
      runs_while_set : assert (running_q == set_q);
      wakes_when_it_ticks : assert (wake_at_o == (set_q ? time_q : NEVER));
      if ($past(rst_ni)) ticks_at_its_time : assert (tick_o == ($past(set_q) && $past(now_i) >= $past(time_q)));
    end
  end

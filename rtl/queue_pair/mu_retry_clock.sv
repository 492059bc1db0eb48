// SPDX-License-Identifier: Apache-2.0
// mu_retry_clock: when SENDs and FENCEs without an answer are looked at again.
//
//   now_i, run_i ---> [ next tick ] ---> tick_o, wake_at_o
//
// Behaviour: while run_i is high and hold_i low, the clock is started; tick_o shows for a cycle
//   retry_cycles_i later, also if run_i has gone low, and it may be started again.
// Latency: time to tick_o 1 cycle. wake_at_o is a register: all ones while the clock stands.
// Limits: nothing changes before wake_at_o unless busy_o is high.
`default_nettype none

module mu_retry_clock (
    input  logic           clk_i,
    input  logic           rst_ni,
    output logic           busy_o,
    input  mu_pkg::cycle_t now_i,
    output mu_pkg::cycle_t wake_at_o,
    input  logic [24:0]    retry_cycles_i,
    // rows of queues
    input  logic           run_i,   // one of them waits
    input  logic           hold_i,  // not all have been looked at since the last tick
    output logic           tick_o
);
  localparam logic [mu_pkg::TIME_BITS-1:0] NEVER = {mu_pkg::TIME_BITS{1'b1}};

  logic           running_q, tick_q, start;
  mu_pkg::cycle_t tick_at_q;

  assign start     = run_i && !running_q && !hold_i && !tick_q;
  assign tick_o    = tick_q;
  assign wake_at_o = tick_at_q;
  assign busy_o    = start || tick_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      running_q <= 1'b0;
      tick_q    <= 1'b0;
      tick_at_q <= NEVER;
    end else begin
      tick_q <= 1'b0;
      if (running_q && now_i >= tick_at_q) begin
        running_q <= 1'b0;
        tick_q    <= 1'b1;
        tick_at_q <= NEVER;
      end else if (start) begin
        running_q <= 1'b1;
        tick_at_q <= now_i + mu_pkg::TIME_BITS'(retry_cycles_i);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      stands_without_a_time : assert (running_q || tick_at_q == NEVER);
      ticks_as_it_stops : assert (!tick_q || !running_q);
    end
  end

`ifdef PROVE_MU_RETRY_CLOCK
  // What is proved of mu_retry_clock: it ticks when the time at which it was set is there, not before, and
  // once.
  logic           past_q = 1'b0;
  logic           set_q;  // and has not ticked
  mu_pkg::cycle_t time_q;
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
      if ($past(rst_ni))
          ticks_at_its_time : assert (tick_o == ($past(set_q) && $past(now_i) >= $past(time_q)));
    end
  end
`endif
endmodule
`default_nettype wire

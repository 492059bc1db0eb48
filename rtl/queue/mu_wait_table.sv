// SPDX-License-Identifier: Apache-2.0
// mu_wait_table: what each waiting queue waits for, and when that has come.
//
//   set (queue, count to reach) ---> [ an entry a queue ] ---> met_o, one bit a queue
//   counts that change (event counters, descriptors done) -----^
//
// Behaviour: an entry that was set stays until a count of its source is reached: the count minus the
//   threshold, modulo 2^32, is less than 2^31, so that counts may wrap. Its bit of met_o is high in the cycle
//   of that change, and the entry is gone after it. cancel_i takes the entry of its queue away, met or not.
//   waited_o says whether any entry stands on event counter waited_index_i.
// Latency: a change in the cycle after set_i, or later, is seen; met_o is combinational.
// Limits: one set a cycle, and not on a queue that has an entry (asserted). A change of a count before the
//   set is not seen: who sets lets the count be shown once more (mu_cross_channel).
// two-readers: nightly
`default_nettype none

module mu_wait_table #(
    parameter  int unsigned QUEUES      = 32,
    localparam int unsigned QUEUE_WIDTH = $clog2(QUEUES)
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    // a queue begins to wait
    input  logic                   set_i,
    input  logic [QUEUE_WIDTH-1:0] set_queue_i,
    input  logic                   set_on_queue_i,  // for descriptors done, else for an event counter
    input  logic [            7:0] set_index_i,     // of the queue or counter waited for
    input  logic [           31:0] set_threshold_i,
    input  logic                   cancel_i,
    input  logic [QUEUE_WIDTH-1:0] cancel_queue_i,
    // counts that change
    input  logic                   event_valid_i,
    input  logic [            7:0] event_index_i,
    input  logic [           31:0] event_value_i,
    input  logic                   done_valid_i,
    input  logic [            7:0] done_queue_i,
    input  logic [           31:0] done_head_i,
    // answers
    output logic [     QUEUES-1:0] waiting_o,
    output logic [     QUEUES-1:0] met_o,
    input  logic [            7:0] waited_index_0_i,
    output logic                   waited_0_o,
    input  logic [            7:0] waited_index_1_i,
    output logic                   waited_1_o
);
  logic [QUEUES-1:0] waiting_q;
  logic [QUEUES-1:0] on_queue_q;
  logic [       7:0] index_q    [QUEUES];
  logic [      31:0] threshold_q[QUEUES];

  assign waiting_o = waiting_q;

  // Difference of two counts that wrap: not behind means reached.
  function automatic logic reached(input logic [31:0] count, input logic [31:0] threshold);
    reached = count - threshold < 32'h8000_0000;
  endfunction

  always_comb begin
    met_o = '0;
    if (waiting_q != '0 && (event_valid_i || done_valid_i)) begin
      for (int unsigned i = 0; i < QUEUES; i++) begin
        if (waiting_q[i] && !(cancel_i && cancel_queue_i == QUEUE_WIDTH'(i))) begin
          if (on_queue_q[i])
            met_o[i] = done_valid_i && index_q[i] == done_queue_i && reached(done_head_i, threshold_q[i]);
          else
            met_o[i] = event_valid_i && index_q[i] == event_index_i && reached(event_value_i, threshold_q[i]);
        end
      end
    end
  end

  always_comb begin
    waited_0_o = 1'b0;
    waited_1_o = 1'b0;
    if ((waiting_q & ~on_queue_q) != '0) begin
      for (int unsigned i = 0; i < QUEUES; i++) begin
        if (waiting_q[i] && !on_queue_q[i]) begin
          if (index_q[i] == waited_index_0_i) waited_0_o = 1'b1;
          if (index_q[i] == waited_index_1_i) waited_1_o = 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      waiting_q  <= '0;
      on_queue_q <= '0;
    end else if (set_i || cancel_i || waiting_q != '0) begin
      for (int unsigned i = 0; i < QUEUES; i++) begin
        if (met_o[i] || (cancel_i && cancel_queue_i == QUEUE_WIDTH'(i))) waiting_q[i] <= 1'b0;
        if (set_i && set_queue_i == QUEUE_WIDTH'(i)) begin
          waiting_q[i]  <= 1'b1;
          on_queue_q[i] <= set_on_queue_i;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (set_i) begin
      for (int unsigned i = 0; i < QUEUES; i++) begin
        if (set_queue_i == QUEUE_WIDTH'(i)) begin
          index_q[i]     <= set_index_i;
          threshold_q[i] <= set_threshold_i;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      sets_a_free_entry : assert (!set_i || !waiting_q[set_queue_i]);
      meets_what_waits : assert ((met_o & ~waiting_q) == '0);
    end
  end

`ifdef PROVE_MU_WAIT_TABLE
  // One queue, any of them: no change that reaches its threshold passes unseen.
  (* anyconst *) logic [QUEUE_WIDTH-1:0] chosen;
  logic        past_q = 1'b0;
  logic        expects_q;     // it was set, and nothing has reached it since
  logic        on_queue_of_chosen_q;
  logic [ 7:0] index_of_chosen_q;
  logic [31:0] threshold_of_chosen_q;
  logic        reaches;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (32'(chosen) < QUEUES);
    assume (!set_i || !waiting_q[set_queue_i]);
    reaches = on_queue_of_chosen_q ?
        done_valid_i && done_queue_i == index_of_chosen_q &&
        $signed(done_head_i - threshold_of_chosen_q) >= 0 :
        event_valid_i && event_index_i == index_of_chosen_q &&
        $signed(event_value_i - threshold_of_chosen_q) >= 0;
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) expects_q <= 1'b0;
    else if (set_i && set_queue_i == chosen) begin
      expects_q             <= 1'b1;
      on_queue_of_chosen_q  <= set_on_queue_i;
      index_of_chosen_q     <= set_index_i;
      threshold_of_chosen_q <= set_threshold_i;
    end else if (reaches || (cancel_i && cancel_queue_i == chosen)) expects_q <= 1'b0;
    if (past_q && rst_ni) begin
      waits_until_reached : assert (waiting_q[chosen] == expects_q);
      wakes_when_reached :
      assert (met_o[chosen] == (expects_q && reaches && !(cancel_i && cancel_queue_i == chosen)));
      if (expects_q) begin
        remembers_what_for : assert (index_q[chosen] == index_of_chosen_q &&
                                     on_queue_q[chosen] == on_queue_of_chosen_q);
        remembers_how_much : assert (threshold_q[chosen] == threshold_of_chosen_q);
        if (!on_queue_of_chosen_q && waited_index_0_i == index_of_chosen_q)
          says_who_is_waited_for : assert (waited_0_o);
      end
    end
  end
`endif
endmodule
`default_nettype wire

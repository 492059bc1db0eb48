// SPDX-License-Identifier: Apache-2.0
// mu_completion_tails: how many entries of each completion queue are in memory, and who is told.
//
//   publish (valid/ready/queue) ---> [ tail + 1 ] ---> count (valid/ready/queue, new tail)
//                                                 ---> told_o (pulse for the owner, if it asks for it)
//   lookup_queue_i ---> lookup_*_o        probe_queue_i ---> probe_*_o        set_i: configuration, tail 0
//
// Behaviour: each publish moves the tail of its queue by one and gives one count with the new tail; a probe
//   shows that tail from the cycle in which the count is offered on, so that who waits for a count and looks
//   at the probe misses none. set_i gives queue lookup_queue_i a configuration and takes its tail back to 0;
//   no count tells of that. With hold_i no publish is taken. A queue that does not exist reads as zero.
// Latency: lookup and probe combinational; publish to count and to told_o one cycle; a publish every two
//   cycles.
// Limits: set_i only with hold_i, publish and set_i only for queues that exist (asserted). The memory is read
//   in the same cycle, three times, which is cheap up to 32 queues.
// two-readers: INDEX_BITS=6 below:publish_queue_i=16 below:lookup_queue_i=20 below:probe_queue_i=20
`default_nettype none

module mu_completion_tails #(
    parameter int unsigned INDEX_BITS = 32,
    parameter int unsigned QUEUES     = mu_pkg::COMPLETION_QUEUES
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    output logic                  busy_o,
    // control
    input  logic                  hold_i,
    input  logic [7:0]            lookup_queue_i,
    output logic [INDEX_BITS-1:0] lookup_tail_o,
    output logic                  lookup_enable_o,
    output logic                  lookup_interrupt_o,
    output logic [3:0]            lookup_owner_o,
    input  logic                  set_i,
    input  logic                  set_enable_i,
    input  logic                  set_interrupt_i,
    input  logic [3:0]            set_owner_i,
    // completion: an entry is in memory
    input  logic                  publish_valid_i,
    output logic                  publish_ready_o,
    input  logic [7:0]            publish_queue_i,
    output logic                  told_o,
    output logic [3:0]            told_owner_o,
    // queues that WAIT
    output logic                  count_valid_o,
    input  logic                  count_ready_i,
    output logic [7:0]            count_queue_o,
    output logic [31:0]           count_value_o,
    input  logic [7:0]            probe_queue_i,
    output logic [31:0]           probe_tail_o,
    output logic                  probe_enable_o,
    output logic [3:0]            probe_owner_o
);
  localparam int unsigned QUEUE_BITS = QUEUES > 1 ? $clog2(QUEUES) : 1;
  localparam int unsigned WORD_BITS  = INDEX_BITS + 6;
  if (QUEUES > 32) $error("mu_completion_tails: more than 32 queues make an expensive memory");
  if (INDEX_BITS > 32) $error("mu_completion_tails: a tail has at most 32 bits");

  typedef struct packed {
    logic [3:0]            owner;
    logic                  tells;  // COMPLETION
    logic                  enable;
    logic [INDEX_BITS-1:0] tail;
  } word_t;

  logic [WORD_BITS-1:0]  mem[QUEUES];
  logic [QUEUES-1:0]     written_q;
  logic [QUEUE_BITS-1:0] lookup_index;
  logic [QUEUE_BITS-1:0] probe_index;
  logic [QUEUE_BITS-1:0] publish_index;
  logic [QUEUE_BITS-1:0] write_index;
  logic                  write;
  logic [WORD_BITS-1:0]  write_word;
  logic [WORD_BITS-1:0]  lookup_word;
  logic [WORD_BITS-1:0]  probe_word;
  logic [WORD_BITS-1:0]  publish_word;
  word_t                 lookup;
  word_t                 probe;
  word_t                 publish;
  logic                  publish_taken;
  logic [INDEX_BITS-1:0] tail_after;
  logic                  unused_interrupt;

  assign lookup_index     = QUEUE_BITS'(lookup_queue_i);
  assign probe_index      = QUEUE_BITS'(probe_queue_i);
  assign publish_index    = QUEUE_BITS'(publish_queue_i);
  assign lookup           = lookup_word;
  assign probe            = probe_word;
  assign publish          = publish_word;
  assign unused_interrupt = probe.tells;

  always_comb begin
    lookup_word = '0;
    if (32'(lookup_queue_i) < QUEUES && written_q[lookup_index]) lookup_word = mem[lookup_index];
  end
  always_comb begin
    probe_word = '0;
    if (32'(probe_queue_i) < QUEUES && written_q[probe_index]) probe_word = mem[probe_index];
  end
  always_comb begin
    publish_word = '0;
    if (publish_taken && written_q[publish_index]) publish_word = mem[publish_index];
  end

  assign lookup_tail_o      = lookup.tail;
  assign lookup_enable_o    = lookup.enable;
  assign lookup_interrupt_o = lookup.tells;
  assign lookup_owner_o     = lookup.owner;
  assign probe_tail_o       = 32'(probe.tail);
  assign probe_enable_o     = probe.enable;
  assign probe_owner_o      = probe.owner;

  assign publish_ready_o = !hold_i && !count_valid_o;
  assign publish_taken   = publish_valid_i && publish_ready_o;
  assign tail_after      = publish.tail + 1'b1;
  assign write           = set_i || publish_taken;
  assign write_index     = set_i ? lookup_index : publish_index;
  always_comb begin
    write_word = {publish.owner, publish.tells, publish.enable, tail_after};
    if (set_i) write_word = {set_owner_i, set_interrupt_i, set_enable_i, {INDEX_BITS{1'b0}}};
  end

  always_ff @(posedge clk_i) if (write) mem[write_index] <= write_word;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) written_q <= '0;
    else if (write) written_q <= written_q | (QUEUES'(1) << write_index);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_valid_o <= 1'b0;
      told_o        <= 1'b0;
    end else begin
      if (publish_taken) count_valid_o <= 1'b1;
      else if (count_ready_i) count_valid_o <= 1'b0;
      told_o <= publish_taken && publish.tells;
    end
    if (publish_taken) begin
      count_queue_o <= publish_queue_i;
      count_value_o <= 32'(tail_after);
      told_owner_o  <= publish.owner;
    end
  end
  assign busy_o = count_valid_o || told_o;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      publishes_of_a_queue_that_exists : assert (!publish_taken || 32'(publish_queue_i) < QUEUES);
      sets_a_queue_that_exists : assert (!set_i || 32'(lookup_queue_i) < QUEUES);
      sets_while_it_holds : assert (!set_i || hold_i);
      counts_are_taken_one_by_one : assert (!(publish_taken && count_valid_o));
    end
  end

`ifdef PROVE_MU_COMPLETION_TAILS
  // What is proved of mu_completion_tails, of any one queue: its tail is the number of publishes since it was
  // configured; each publish gives one count with the new tail, no earlier than a probe shows it; its owner
  // is told if it asks for it; nothing is published while it holds; and a publish waits for no more than the
  // count before it.
  (* anyconst *) logic [7:0] chosen;
  logic                  past_q = 1'b0;
  logic [INDEX_BITS-1:0] tail_q;    // of the chosen one
  logic [5:0]            config_q;  // owner, tells, enable
  logic                  count_here_q, tells_here_q, stood_q;
  logic [39:0]           count_before_q;
  logic                  taken, taken_here;
  logic                  hold_q, told_to_chosen_q;
  logic [3:0]            told_to_q;
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
`endif
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_fences: one queue, any of them. A FENCE ends with what was told of it, by the node that it
// names, after it began or went ahead, or with RETRY_EXCEEDED once it has gone out as often as it may; it ends
// after it began only, and goes out no more often than that, only while it is open.
  (* anyconst *) logic [QUEUE_WIDTH-1:0] chosen;
  (* anyconst *) logic [7:0] most;
  logic        past_q = 1'b0;
  logic        begun_q;   // it has begun and neither ended nor been cancelled
  logic        out_q;     // it has gone ahead, and neither begun nor been cancelled
  logic [43:0] name_q;    // node, index
  logic        told_q;    // something was told of it
  logic [ 7:0] said_q;    // what
  logic [ 8:0] copies_q;  // that went out after the first
  logic        tells;
  assign tells = (answer_valid_i || failure_valid_i) && told.queue == 8'(chosen) && (begun_q || out_q) && !told_q &&
      told.number == name_q[31:0] && (!answer_valid_i || told.node == name_q[43:32]);
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (retries_i == most);
    assume (32'(chosen) < QUEUES && 32'(begin_queue_i) < QUEUES && 32'(cancel_queue_i) < QUEUES);
    assume (!begin_valid_i || !open_q[begin_queue_i]);
    assume (!ahead_i || !(begin_valid_i || open_q[begin_queue_i]));
    // The FENCE that begins is the one that went ahead, if one did, and so is one that goes ahead again.
    assume (!((begin_valid_i || ahead_i) && ahead_q[begin_queue_i]) ||
            name_mem[begin_queue_i] == {begin_node_i, begin_index_i});
    // Of configuration and beginning of a queue there is one at a time.
    assume (!((begin_valid_i || ahead_i) && cancel_i && begin_queue_i == cancel_queue_i));
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) {begun_q, out_q, told_q, copies_q} <= '0;
    else begin
      if (tells && !(ended_q[chosen])) {told_q, said_q} <= {1'b1, told.status};
      if (again_valid_o && again_ready_i && again_queue_o == chosen) copies_q <= copies_q + 9'd1;
      if ((end_valid_o && end_ready_i && end_o.queue == 8'(chosen)) || (cancel_i && cancel_queue_i == chosen))
        {begun_q, out_q} <= 2'b00;
      if ((begin_valid_i || ahead_i) && begin_queue_i == chosen) begin
        {begun_q, out_q, copies_q} <= {begin_valid_i, ahead_i, 9'd0};
        // What was told meanwhile stays told.
        if (!out_q) told_q <= 1'b0;
        name_q <= {begin_node_i, begin_index_i};
      end
    end
    if (past_q && rst_ni) begin
      open_from_beginning_to_end : assert (open_q[chosen] == begun_q);
      out_until_it_begins : assert (ahead_q[chosen] == out_q && !(out_q && begun_q));
      ends_after_it_began : assert (!end_valid_o || end_o.queue != 8'(chosen) || begun_q);
      knows_its_name : assert (!(begun_q || out_q) || name_mem[chosen] == name_q);
      counts_its_copies : assert (!begun_q || (tried_q[chosen] ? 9'(tries_mem[chosen]) : 9'd0) == copies_q);
      goes_out_as_often_as_it_may : assert (!begun_q || copies_q <= 9'(most));
      ends_as_it_was_told :
      assert (!ended_q[chosen] || (told_q ? !exceeded_q[chosen] && status_mem[chosen] == said_q :
                                   exceeded_q[chosen] && copies_q >= 9'(most)));
      ends_once_told : assert (!(begun_q || out_q) || !told_q || ended_q[chosen]);
      only_one_that_is_out : assert (!ended_q[chosen] || begun_q || out_q);
      ends_ahead_as_it_was_told : assert (!out_q || (copies_q == 9'd0 && (!ended_q[chosen] || told_q)));
      only_an_open_one : assert (!again_q[chosen] || begun_q);
      one_of_both : assert (!(ended_q[chosen] && again_q[chosen]));
    end
  end

// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_pipe, of any one buffer: it is given only after the SEND of its last message has ended
// well, what goes out of it is a message received into it, or arriving there, as long as that, and no more
// buffers wait than two. While a message that goes out has not been received, it is held or spoiled.
  (* anyconst *) logic [INDEX_WIDTH-1:0] chosen;
  (* anyconst *) mu_pkg::fetched_descriptor_t constant;
  logic        past_q = 1'b0;
  logic        used_here_q, received_here_q;  // given, and received into
  logic [31:0] bytes_here_q;
  logic        ahead_here_q;  // a copy went ahead
  logic        arrives_q;     // the message received next has been announced
  logic        cut_early_q;   // what went out last, of the chosen one, has not been received
  logic [31:0] arriving_q;    // bytes of the one announced
  logic [INDEX_WIDTH:0] count, behind, received_at, given_at;
  logic [INDEX_WIDTH-1:0] copied;
  assign count       = (INDEX_WIDTH + 1)'(last_q) + 1'b1;
  // How far behind the next one to be sent it stands in the circle.
  assign behind      = chosen >= send_q ? (INDEX_WIDTH + 1)'(chosen - send_q) :
      (INDEX_WIDTH + 1)'(chosen) + count - (INDEX_WIDTH + 1)'(send_q);
  assign received_at = (INDEX_WIDTH + 2)'(send_q) + (INDEX_WIDTH + 2)'(received_q) >= (INDEX_WIDTH + 2)'(count) ?
      (INDEX_WIDTH + 1)'((INDEX_WIDTH + 2)'(send_q) + (INDEX_WIDTH + 2)'(received_q) - (INDEX_WIDTH + 2)'(count)) :
      (INDEX_WIDTH + 1)'(send_q) + received_q;
  assign given_at    = (INDEX_WIDTH + 2)'(send_q) + (INDEX_WIDTH + 2)'(used_q) >= (INDEX_WIDTH + 2)'(count) ?
      (INDEX_WIDTH + 1)'((INDEX_WIDTH + 2)'(send_q) + (INDEX_WIDTH + 2)'(used_q) - (INDEX_WIDTH + 2)'(count)) :
      (INDEX_WIDTH + 1)'(send_q) + used_q;
  assign copied      = copy_ahead_q ? second : send_q;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (descriptor_i == constant);
    assume (!start_i.valid || !running_o);
    // Messages are received into buffers that wait, SENDs end that are open.
    assume (!receive_end_i || given_q != '0);
    assume (!arriving_valid_i || (given_q != '0 && !receive_end_i));
    if (arrives_q && receive_end_i && receive_status_i == mu_pkg::STATUS_OK)
      assume (receive_bytes_i == arriving_q);
    if (arrives_q && arriving_valid_i) assume (arriving_bytes_i == arriving_q);
    // A SEND of which nothing has left is not acknowledged.
    if (received_q == '0) assume (!send_end_i || send_status_i != mu_pkg::STATUS_OK);
    assume (!send_end_i || first_q);
    // None goes ahead of one that is to go out again.
    assume (!again_i || !may_ahead_i);
    // The next is under way only if it went ahead.
    assume (!second_i || ahead_here_q);
    // What is held is not cut to its end, unless it fails, or is given up instead of going ahead.
    assume (!(hold_o && out_ready_i) || !second_i);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni || !running_o || failed_q || receive_end_i) arrives_q <= 1'b0;
    else if (arriving_valid_i) {arrives_q, arriving_q} <= {1'b1, arriving_bytes_i};
    if (!rst_ni || (takes && receive_q == chosen)) cut_early_q <= 1'b0;
    else if (out_valid_o && out_ready_i) cut_early_q <= copied == chosen && !received_here_q;
    if (!rst_ni || !running_o || flush) begin
      {used_here_q, received_here_q, ahead_here_q} <= '0;
    end else begin
      if (give && give_q == chosen) used_here_q <= 1'b1;
      if (takes && receive_q == chosen) {received_here_q, bytes_here_q} <= {1'b1, receive_bytes_i};
      if (moves && send_q == chosen) {used_here_q, received_here_q} <= 2'b00;
      if (out_valid_o && out_ready_i && copy_ahead_q) ahead_here_q <= 1'b1;
      if (begins || (hold_o && out_ready_i) || (send_end_i && send_status_i != mu_pkg::STATUS_OK))
        ahead_here_q <= 1'b0;
    end
    if (past_q && rst_ni) begin
      if (cutting_q && cut_early_q) holds_or_spoils_what_is_not_received : assert (hold_o || spoil_o);
      stops_for_a_reason : assert (state_q != STATE_STOP || failed_q || flushed_q);
      if (hold_o && cut_early_q) holds_what_is_received_next : assert (chosen == receive_q);
      early_or_spoiled : assert (!(early_q && spoiled_q));
      spoiled_after_a_failure : assert (!spoiled_q || !first_q || failed_q);
      early_while_it_runs : assert (!early_q || (state_q == STATE_RUN && !failed_q && !flushed_q));
    end
    if (past_q && rst_ni && (!running_o || flushed_q))
      nothing_is_open_then : assert ({first_q, copy_q, ahead_here_q && running_o} == '0);
    if (past_q && rst_ni && running_o && flushed_q)
      begins_nothing_then : assert (state_q == STATE_STOP || failed_q);
    if (past_q && rst_ni && running_o && !flushed_q) begin
      if (give && give_q == chosen) given_when_it_is_free : assert (!used_here_q);
      if (out_valid_o && copied == chosen)
        sends_what_it_received_here :
        assert (spoiled_q || (early_q ? chosen == receive_q && arrives_q && bytes_mem[chosen] == arriving_q :
                              received_here_q && out_data_o.descriptor.length == 37'(bytes_here_q)));
      two_wait_at_most : assert (given_q <= 2'd2);
      if (moves && send_q == chosen) frees_what_was_received : assert (received_here_q);
      // What the above rests on.
      used_stands_behind : assert (used_here_q == (chosen <= last_q && behind < used_q));
      received_stands_before : assert (received_here_q == (chosen <= last_q && behind < received_q));
      keeps_its_length : assert (!received_here_q || bytes_mem[chosen] == bytes_here_q);
      received_was_given : assert (received_q <= used_q);
      inside_the_circle : assert (send_q <= last_q && receive_q <= last_q && give_q <= last_q);
      receives_behind : assert (state_q == STATE_COUNT || (INDEX_WIDTH + 1)'(receive_q) == received_at);
      gives_behind : assert (state_q == STATE_COUNT || (INDEX_WIDTH + 1)'(give_q) == given_at);
      none_while_it_counts :
      assert (state_q != STATE_COUNT ||
              ({used_q, received_q, given_q, send_q, receive_q, give_q} == '0 &&
               {first_q, ahead_q, copy_q, ahead_here_q} == '0));
      one_open_was_received : assert (!first_q || received_q != '0 || early_q || failed_q);
      copies_what_is_open : assert (!copy_q || first_q);
      one_ahead_was_received :
      assert (!(ahead_here_q || (copy_q && copy_ahead_q)) ||
              received_q + (INDEX_WIDTH + 1)'(early_q) > (INDEX_WIDTH + 1)'(first_q) || failed_q);
      one_ahead_is_cut_while_early : assert (!(early_q && ahead_here_q) || cutting_q);
      early_is_next : assert (!early_q || (arrives_q && given_q != '0 && received_q <= (INDEX_WIDTH + 1)'(1)));
      ahead_of_one : assert (!(copy_q && copy_ahead_q) || (first_q && ahead_q));
    end
  end

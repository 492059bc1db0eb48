// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_pipe, of any one buffer: it is given only after the SEND of its last message has ended
// well, what goes out of it is a message received into it, as long as that, and no more buffers wait than two.
  (* anyconst *) logic [INDEX_WIDTH-1:0] chosen;
  (* anyconst *) mu_pkg::fetched_descriptor_t constant;
  logic        past_q = 1'b0;
  logic        used_here_q, received_here_q;  // given, and received into
  logic [31:0] bytes_here_q;
  logic        ahead_here_q;  // a copy went ahead
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
    assume (!start_valid_i || !running_o);
    // Messages are received into buffers that wait, SENDs end that are open.
    assume (!receive_end_i || given_q != '0);
    assume (!send_end_i || first_q);
    // None goes ahead of one that is to go out again.
    assume (!again_i || !may_ahead_i);
    // The next is under way only if it went ahead.
    assume (!second_i || ahead_here_q);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni || !running_o || flush) begin
      {used_here_q, received_here_q, ahead_here_q} <= '0;
    end else begin
      if (give && give_q == chosen) used_here_q <= 1'b1;
      if (takes && receive_q == chosen) {received_here_q, bytes_here_q} <= {1'b1, receive_bytes_i};
      if (moves && send_q == chosen) {used_here_q, received_here_q} <= 2'b00;
      if (out_valid_o && out_ready_i && copy_ahead_q) ahead_here_q <= 1'b1;
      if (begins || (send_end_i && send_status_i != mu_pkg::STATUS_OK)) ahead_here_q <= 1'b0;
    end
    if (past_q && rst_ni && (!running_o || flushed_q))
      nothing_is_open_then : assert ({first_q, copy_q, ahead_here_q && running_o} == '0);
    if (past_q && rst_ni && running_o && flushed_q)
      begins_nothing_then : assert (state_q == STATE_STOP || failed_q);
    if (past_q && rst_ni && running_o && !flushed_q) begin
      if (give && give_q == chosen) given_when_it_is_free : assert (!used_here_q);
      if (out_valid_o && copied == chosen)
        sends_what_it_received_here :
        assert (received_here_q && out_data_o.descriptor.length == 37'(bytes_here_q));
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
      one_open_was_received : assert (!first_q || received_q != '0);
      copies_what_is_open : assert (!copy_q || first_q);
      one_ahead_was_received :
      assert (!(ahead_here_q || (copy_q && copy_ahead_q)) ||
              received_q > (INDEX_WIDTH + 1)'(first_q));
      ahead_of_one : assert (!(copy_q && copy_ahead_q) || (first_q && ahead_q));
    end
  end

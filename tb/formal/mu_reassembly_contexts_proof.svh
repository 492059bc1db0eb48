// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_reassembly_contexts, of any one context and any other: the end of each message is told
// once and then its answer once, with its number; ends are told in order; a store of an earlier epoch counts for
// nothing; a context that is not kept is never given away; a reset takes away what is of its queue, and no more.
  (* anyconst *) logic [WIDTH-1:0] this_one, that_one;
  (* anyseq *) logic watches;
  logic                past_q = 1'b0;
  logic                owes_end_q, owes_answer_q;  // of a message all of which was taken
  logic [        27:0] taken_sender_q;
  logic [        31:0] taken_number_q;
  logic                first_q;    // the end of this one waits for longer than that of the other
  logic                watched_q;  // a packet of this one is under way to the memory
  logic [         1:0] watched_epoch_q, begun_q;  // and so many messages have begun since
  logic                reset_q;    // it was reset since
  logic                takes_this, begins_this, told_this, told_that, replied_this, apart, ordered;
  logic [CONTEXTS-1:0] wiped;
  assign takes_this   = take_i && chosen == this_one;
  assign begins_this  = takes_this && begin_i;
  assign told_this    = told && ended == this_one;
  assign told_that    = told && ended == that_one;
  assign replied_this = replied && answered == this_one;
  always_comb begin
    apart   = 1'b1;
    ordered = 1'b1;
    for (int unsigned i = 0; i < CONTEXTS; i++) begin
      // Taken or not in this cycle, the message that has the context now is of the queue.
      wiped[i] = reset_i && (take_i && chosen == WIDTH'(i) ? queue_i == reset_queue_i :
                             known_q[i] && sender_q[i][27:20] == reset_queue_i);
      if (end_q[i] && before_q[i][i]) ordered = 1'b0;
      for (int unsigned j = 0; j < CONTEXTS; j++) begin
        if (i != j && known_q[i] && known_q[j] && sender_q[i] == sender_q[j]) apart = 1'b0;
        if (i != j && end_q[i] && end_q[j] && before_q[i][j] == before_q[j][i]) ordered = 1'b0;
        for (int unsigned k = 0; k < CONTEXTS; k++)
          if (end_q[i] && end_q[j] && end_q[k] && before_q[i][j] && before_q[j][k] && !before_q[i][k])
            ordered = 1'b0;
      end
    end
    if (!past_q) assume (!rst_ni);
    assume (32'(this_one) < CONTEXTS && 32'(that_one) < CONTEXTS && this_one != that_one);
    if (stored_valid_i) assume (32'(stored_i.reassembly) < CONTEXTS);
    if (take_i) begin
      assume (begin_i || open_o);
      assume (!begin_i || (hit_o ? !waits_o : room_o));
      assume (claim_i == (begin_i && !open_o));
    end
    // The last packet of a message is stored after it was taken.
    if (completes) assume (completing_q[stored]);
    // A store is told before the fourth message after it begins in its context: an epoch has two bits.
    if (watched_q && begins_this) assume (begun_q != 2'd3);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) begin
      {owes_end_q, owes_answer_q, first_q, watched_q, reset_q, begun_q} <= '0;
    end else begin
      if (told_this) {owes_end_q, owes_answer_q} <= 2'b01;
      if (replied_this) owes_answer_q <= 1'b0;
      if (takes_this && take_end_i) owes_end_q <= 1'b1;
      if (wiped[this_one]) {owes_end_q, owes_answer_q} <= '0;
      if (completes && stored == that_one && end_q[this_one]) first_q <= 1'b1;
      if (told_this || told_that || wiped[this_one] || wiped[that_one]) first_q <= 1'b0;
      if (takes_this && watches && !watched_q) begin
        watched_q       <= 1'b1;
        watched_epoch_q <= epoch_o;
        begun_q         <= '0;
        reset_q         <= wiped[this_one];
      end else begin
        if (begins_this) begun_q <= begun_q + 2'd1;
        if (wiped[this_one]) reset_q <= 1'b1;
      end
    end
    if (begins_this) {taken_sender_q, taken_number_q} <= {queue_i, peer_queue_i, node_i, number_i};
    if (past_q && rst_ni) begin
      if (told_this) end_once_a_message : assert (owes_end_q && !owes_answer_q);
      if (told_this) end_of_its_sender : assert ({done_o.peer_queue, done_o.node} == taken_sender_q[19:0]);
      if (replied_this) answer_once_and_then : assert (owes_answer_q && !owes_end_q);
      if (replied_this)
        answer_with_its_number :
        assert (answer_o.number == taken_number_q && answer_o.queue == taken_sender_q[27:20]);
      ends_in_order : assert (!(first_q && told_that));
      tells_one : assert (!told || $onehot(oldest));
      if (take_i && begin_i && !hit_o)
        gives_what_is_kept_or_new :
        assert (!(open_q[chosen] || completing_q[chosen] || end_q[chosen] || answer_q[chosen]));
      if (watched_q && (reset_q || begun_q != '0) && stored_valid_i && stored == this_one &&
          stored_i.epoch == watched_epoch_q)
        an_earlier_epoch_counts_for_nothing : assert (!counts);
      // What the above rests on.
      owes_the_end_until_told : assert (owes_end_q == (completing_q[this_one] || end_q[this_one]));
      owes_the_answer_until_taken : assert (owes_answer_q == answer_q[this_one]);
      owes_nothing_while_open : assert (!open_q[this_one] || !(owes_end_q || owes_answer_q));
      knows_its_sender :
      assert (!known_q[this_one] || {sender_q[this_one], number_q[this_one]} == {taken_sender_q, taken_number_q});
      senders_differ : assert (apart);
      ends_have_an_order : assert (ordered);
      before_if_first :
      assert (!first_q || (end_q[this_one] && end_q[that_one] && before_q[that_one][this_one]));
      epoch_moves_with_each_message : assert (!watched_q || epoch_q[this_one] == watched_epoch_q + begun_q);
      unknown_once_reset :
      assert (!(watched_q && reset_q && begun_q == '0) || !(open_q[this_one] || completing_q[this_one]));
    end
  end

// SPDX-License-Identifier: Apache-2.0
// mu_reassembly_contexts: the messages of dynamically connected queues that are being received, and those
//   that were received last (US 9,344,490, one queue pair for many channels).
//
//   sender, queue ---> [ a context a message ] ---> what is known of it
//   packet taken ------->     |    ^    |   \---> done (RECEIVE, sender, bytes), for its completion
//   packets stored -----------+----/    \-------> answer, for the sender, once done is taken
//
// Behaviour: a context is open from the first packet taken to the last, then completing until that is in
//   memory; then its end is told, in the order in which messages end, then its answer, OK or MEMORY_ERROR.
//   Then it is kept: it still knows sender, queue and number of its message, until another sender's message
//   needs it: one that knows nothing is given first, else one that is kept, in turn. begin_i begins a message
//   in the context that was found, or in the one given; its buffer is buffer_i with claim_i, else the one
//   that the context has. What was under way to the memory before counts for nothing. forgot_o: one that was
//   known has been given away, or taken away by reset_i.
// Latency: lookup answers in the same cycle, what was taken shows in the next; stored to done 2 cycles.
// Limits: take_i without begin_i only into an open context; begin_i without hit_o only with room_o; never
//   into one that is completing or not answered (asserted).
`default_nettype none

module mu_reassembly_contexts #(
    parameter  int unsigned CONTEXTS = 8,
    localparam int unsigned WIDTH    = $clog2(CONTEXTS)
) (
    input  logic                      clk_i,
    input  logic                      rst_ni,
    output logic                      busy_o,
    // lookup: the last message of this sender to this queue
    input  logic [              11:0] node_i,
    input  logic [               7:0] peer_queue_i,
    input  logic [               7:0] queue_i,
    input  logic [              31:0] number_i,
    output logic                      hit_o,         // there is a context
    output logic                      same_o,        // of this number
    output logic                      open_o,        // not all of it has been taken
    output logic                      waits_o,       // all of it, but it has not been answered yet
    output logic                      failed_o,      // it could not be stored
    output logic [              31:0] received_o,    // bytes of it
    output mu_pkg::receive_buffer_t   entry_o,
    output logic                      room_o,        // for another sender's message
    output logic                      forgot_o,
    output logic [               2:0] context_o,     // of the packet that is taken
    output logic [               1:0] epoch_o,
    // a packet is taken
    input  logic                      take_i,
    input  logic                      begin_i,
    input  logic                      claim_i,
    input  logic                      take_end_i,    // the last of its message
    input  logic [              31:0] take_bytes_i,  // bytes of the message with it
    input  logic [              31:0] take_word_i,
    input  mu_pkg::receive_buffer_t   buffer_i,
    // a receive queue is configured
    input  logic                      reset_i,
    input  logic [               7:0] reset_queue_i,
    // completion
    input  logic                      stored_valid_i,
    input  mu_pkg::message_stored_t   stored_i,
    // packetiser: completion of a RECEIVE
    output logic                      done_valid_o,
    input  logic                      done_ready_i,
    output mu_pkg::received_message_t done_o,
    // reply to the sender
    output logic                      answer_valid_o,
    input  logic                      answer_ready_i,
    output mu_pkg::send_answer_t      answer_o,
    output mu_pkg::queue_peer_t       answer_peer_o
);
  logic [CONTEXTS-1:0] known_q;
  logic [CONTEXTS-1:0] open_q;
  logic [CONTEXTS-1:0] completing_q;
  logic [CONTEXTS-1:0] end_q;     // to be told
  logic [CONTEXTS-1:0] answer_q;  // to be told
  logic [CONTEXTS-1:0] failed_q;  // a packet of it could not be stored
  logic                forgot_q;
  logic [   WIDTH-1:0] turn_q;    // the context behind the one given last
  logic [CONTEXTS-1:0] before_q[CONTEXTS];  // ends that were there before its own
  logic [         1:0] epoch_q [CONTEXTS];
  logic [        27:0] sender_q[CONTEXTS];  // receive queue, queue of the sender, its node
  logic [        31:0] number_q[CONTEXTS];
  logic [        31:0] received_mem[CONTEXTS];
  logic [        31:0] word_mem[CONTEXTS];
  logic [mu_pkg::RECEIVE_BUFFER_BITS-1:0] buffer_mem[CONTEXTS];

  function automatic logic [WIDTH-1:0] number_of(input logic [CONTEXTS-1:0] one);
    number_of = '0;
    for (int unsigned i = 0; i < CONTEXTS; i++) if (one[i]) number_of = number_of | WIDTH'(i);
  endfunction
  function automatic logic [CONTEXTS-1:0] lowest(input logic [CONTEXTS-1:0] set);
    lowest = set & (~set + 1'b1);
  endfunction

  // --- lookup ---
  logic [CONTEXTS-1:0] hits, kept, behind, given;
  logic [WIDTH-1:0] found, chosen;
  always_comb begin
    hits       = '0;
    received_o = '0;
    entry_o    = '0;
    if (known_q != '0) begin
      for (int unsigned i = 0; i < CONTEXTS; i++)
        hits[i] = known_q[i] && sender_q[i] == {queue_i, peer_queue_i, node_i};
      received_o = received_mem[number_of(hits)];
      entry_o    = buffer_mem[number_of(hits)];
    end
  end
  assign kept   = known_q & ~(open_q | completing_q | end_q | answer_q);
  assign behind = kept & ~((CONTEXTS'(1) << turn_q) - 1'b1);
  assign given  = known_q == '0 ? CONTEXTS'(1) :
      known_q != '1 ? lowest(~known_q) : behind != '0 ? lowest(behind) : lowest(kept);
  assign found  = hits == '0 ? '0 : number_of(hits);
  assign chosen = hit_o ? found : known_q == '0 ? '0 : number_of(given);

  assign hit_o      = hits != '0;
  assign same_o     = hit_o && number_q[found] == number_i;
  assign open_o     = (hits & open_q) != '0;
  assign waits_o    = (hits & (completing_q | end_q | answer_q)) != '0;
  assign failed_o   = (hits & failed_q) != '0;
  assign room_o     = given != '0;
  assign forgot_o   = forgot_q;
  assign context_o  = 3'(chosen);
  assign epoch_o    = epoch_q[chosen] + 2'(begin_i);

  // --- stored ---
  logic [WIDTH-1:0] stored;
  logic counts, completes;
  assign stored    = stored_i.reassembly[WIDTH-1:0];
  assign counts    = stored_valid_i && stored_i.dynamic && stored_i.epoch == epoch_q[stored] &&
      (open_q[stored] || completing_q[stored]);
  assign completes = counts && stored_i.message_end;

  // --- told: of several ends the oldest ---
  logic [CONTEXTS-1:0] oldest, answers;
  logic [WIDTH-1:0] ended, answered;
  logic told, replied;
  mu_pkg::receive_buffer_t done;
  always_comb begin
    oldest = '0;
    ended  = '0;
    done   = '0;
    done_o = '0;
    if (end_q != '0) begin
      for (int unsigned i = 0; i < CONTEXTS; i++) oldest[i] = end_q[i] && (before_q[i] & end_q) == '0;
      ended  = number_of(oldest);
      done   = buffer_mem[ended];
      if (failed_q[ended]) done_o.status = mu_pkg::STATUS_MEMORY_ERROR;
      done_o.bytes            = received_mem[ended];
      done_o.word             = word_mem[ended];
      done_o.node             = sender_q[ended][11:0];
      done_o.peer_queue       = sender_q[ended][19:12];
      done_o.queue            = done.queue;
      done_o.owner            = done.owner;
      done_o.index            = done.index;
      done_o.sequence_number  = done.sequence_number;
      done_o.done_event       = done.done_event;
      done_o.done_event_valid = done.done_event_valid;
      done_o.interrupt_done   = done.interrupt_done;
      done_o.signal           = done.signal;
    end
  end
  assign answers        = lowest(answer_q);
  assign answered       = number_of(answers);
  assign done_valid_o   = end_q != '0;
  assign answer_valid_o = answer_q != '0;
  always_comb begin
    answer_o        = '0;
    answer_o.queue  = sender_q[answered][27:20];
    answer_o.number = number_q[answered];
    if (failed_q[answered]) answer_o.status = mu_pkg::STATUS_MEMORY_ERROR;
    answer_peer_o           = '0;
    answer_peer_o.x         = sender_q[answered][3:0];
    answer_peer_o.y         = sender_q[answered][7:4];
    answer_peer_o.z         = sender_q[answered][11:8];
    answer_peer_o.queue     = sender_q[answered][19:12];
    answer_peer_o.connected = 1'b1;
  end
  assign told           = done_valid_o && done_ready_i;
  assign replied        = answer_valid_o && answer_ready_i;
  assign busy_o         = done_valid_o || answer_valid_o;

  // --- state ---
  logic changes;
  assign changes = take_i || stored_valid_i || reset_i || busy_o;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {known_q, open_q, completing_q, end_q, answer_q, failed_q, forgot_q} <= '0;
    end else if (changes) begin
      for (int unsigned i = 0; i < CONTEXTS; i++) begin
        if (told && ended == WIDTH'(i)) {end_q[i], answer_q[i]} <= 2'b01;
        if (replied && answered == WIDTH'(i)) answer_q[i] <= 1'b0;
        if (counts && stored == WIDTH'(i)) begin
          if (stored_i.failed) failed_q[i] <= 1'b1;
          if (completes) {completing_q[i], end_q[i]} <= 2'b01;
        end
        if (take_i && chosen == WIDTH'(i)) begin
          known_q[i]                   <= 1'b1;
          {open_q[i], completing_q[i]} <= {!take_end_i, take_end_i};
          if (begin_i) failed_q[i] <= 1'b0;
        end
        // A message that gets the context of another queue in this cycle stays.
        if (reset_i && (take_i && chosen == WIDTH'(i) ? queue_i == reset_queue_i :
                        known_q[i] && sender_q[i][27:20] == reset_queue_i)) begin
          {known_q[i], open_q[i], completing_q[i], end_q[i], answer_q[i]} <= '0;
          forgot_q <= 1'b1;
        end
      end
      if (take_i && begin_i && !hit_o && known_q[chosen]) forgot_q <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) turn_q <= '0;
    else if (take_i && begin_i && !hit_o) turn_q <= chosen + 1'b1;
    if (!rst_ni || changes) begin
      for (int unsigned i = 0; i < CONTEXTS; i++) begin
        if (!rst_ni) epoch_q[i] <= '0;
        else if (take_i && begin_i && chosen == WIDTH'(i)) epoch_q[i] <= epoch_o;
        // What has been told was before, though its context may end again.
        if (completes && stored == WIDTH'(i)) before_q[i] <= end_q;
        else if (done_valid_o) before_q[i] <= before_q[i] & end_q;
        if (take_i && begin_i && chosen == WIDTH'(i)) begin
          sender_q[i] <= {queue_i, peer_queue_i, node_i};
          number_q[i] <= number_i;
        end
      end
    end
    if (take_i) {word_mem[chosen], received_mem[chosen]} <= {take_word_i, take_bytes_i};
    if (take_i && claim_i) buffer_mem[chosen] <= buffer_i;
  end

  logic unused;
  assign unused = ^{stored_i, done};

  // Of two ends one is before the other, and so is all that is before that one.
  logic [CONTEXTS-1:0] before_itself, out_of_order;
  always_comb for (int unsigned i = 0; i < CONTEXTS; i++) before_itself[i] = end_q[i] && before_q[i][i];
  always_comb begin
    out_of_order = '0;
    if (end_q != '0) begin
      for (int unsigned i = 0; i < CONTEXTS; i++) begin
        for (int unsigned j = 0; j < CONTEXTS; j++) begin
          if (i != j && end_q[i] && end_q[j] &&
              (before_q[i][j] == before_q[j][i] ||
               (before_q[i][j] && (before_q[j] & end_q & ~before_q[i]) != '0)))
            out_of_order[i] = 1'b1;
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      no_end_is_before_itself : assert (before_itself == '0);
      ends_are_in_order : assert (out_of_order == '0);
      one_context_a_sender : assert ($onehot0(hits));
      takes_into_an_open_one : assert (!take_i || begin_i || open_o);
      begins_where_there_is_room : assert (!(take_i && begin_i) || (hit_o ? !waits_o : room_o));
      claims_unless_it_has_one : assert (!take_i || claim_i == (begin_i && !open_o));
      completes_what_was_taken : assert (!completes || completing_q[stored]);
      one_phase :
      assert (((open_q & (completing_q | end_q | answer_q)) | (completing_q & (end_q | answer_q)) |
               (end_q & answer_q)) == '0);
      of_what_is_known : assert (((open_q | completing_q | end_q | answer_q) & ~known_q) == '0);
    end
  end

`ifdef PROVE_MU_REASSEMBLY_CONTEXTS
  // What is proved of mu_reassembly_contexts, of any one context and any other: the end of each message is
  // told once and then its answer once, with its number; ends are told in order; a store of an earlier epoch
  // counts for nothing; a context that is not kept is never given away; a reset takes away what is of its
  // queue, and no more.
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
      assert (!known_q[this_one] ||
          {sender_q[this_one], number_q[this_one]} == {taken_sender_q, taken_number_q});
      senders_differ : assert (apart);
      ends_have_an_order : assert (ordered);
      before_if_first :
      assert (!first_q || (end_q[this_one] && end_q[that_one] && before_q[that_one][this_one]));
      epoch_moves_with_each_message : assert (!watched_q || epoch_q[this_one] == watched_epoch_q + begun_q);
      unknown_once_reset :
      assert (!(watched_q && reset_q && begun_q == '0) || !(open_q[this_one] || completing_q[this_one]));
    end
  end
`endif
endmodule
`default_nettype wire

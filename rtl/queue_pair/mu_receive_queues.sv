// SPDX-License-Identifier: Apache-2.0
// mu_receive_queues: what each receive queue expects: the number of a message, and the buffers for it and the
//   one behind it.
//
//   buffer of a RECEIVE ---> [ two slots a queue ] <--- packets taken, packets stored (in memory)
//                              |        |    \---> end (queue, status), for who gave the buffer
//                    lookup ---+        \---> answer (queue, number, status), for the peer
//
// Behaviour: a message and its buffer have the slot that the lowest bit of its number names. A buffer goes to
//   the message expected, or if that has one to the message behind it, and is there until the last packet is
//   taken; then the number expected moves on, and the slot is completing until that packet is stored: its end
//   and its answer, OK or MEMORY_ERROR, are told, each once, ends of a queue in order; of several queues the
//   lowest is chosen when one has been told, and what is due while none waits is told next. reset_i takes
//   everything of a queue away, and what is stored of it later counts for nothing; configured_i besides sets
//   the number expected to zero. claim_i: a message of a dynamically connected queue takes the buffer away:
//   the number moves on, and the end is told at once, without an answer. stop_i takes away everything but the
//   answers, and what is known of messages that could not be stored: the sender is told of these.
// Latency: lookup answers in the same cycle, what was taken shows in the next; stored to end and answer 2.
// Limits: at most two buffers of a queue whose ends are not told (asserted). A slot whose answer is not
//   told shows no buffer. A queue is dynamically connected, or not, until it is configured.
// two-readers: nightly
`default_nettype none

module mu_receive_queues #(
    parameter  int unsigned QUEUES      = 32,
    localparam int unsigned QUEUE_WIDTH = $clog2(QUEUES)
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    output logic                    busy_o,
    // cross-channel control
    input  logic                    buffer_valid_i,
    input  mu_pkg::receive_buffer_t buffer_i,
    input  logic                    reset_i,
    input  logic                    stop_i,
    input  logic                    configured_i,
    input  logic                    configured_mode_i,  // its new mode is RECEIVE
    input  logic [QUEUE_WIDTH-1:0]  reset_queue_i,      // of reset_i, stop_i, configured_i
    output logic                    end_valid_o,
    input  logic                    end_ready_i,
    output mu_pkg::queue_end_t      end_o,
    output mu_pkg::receive_result_t end_result_o,
    // packetiser: of the RECEIVE whose end was told last
    input  logic [7:0]              result_queue_i,
    output mu_pkg::receive_result_t result_o,
    // decision: what the queue of a packet expects
    input  logic [7:0]              queue_i,
    input  logic                    slot_i,        // of the number that the packet has
    output logic                    exists_o,
    output logic                    buffer_o,      // there is one for the message expected
    output logic                    completing_o,  // what has slot_i
    output logic                    failed_o,      // what had slot_i before, and could not be stored
    output logic                    untold_o,      // the end of a message of it
    output logic [1:0]              epoch_o,
    output logic [31:0]             expected_o,    // number of the message
    output logic [31:0]             received_o,    // bytes of it
    output mu_pkg::receive_buffer_t entry_o,
    input  logic                    take_i,        // a packet of queue_i
    input  logic                    take_end_i,    // the last of its message
    input  logic [31:0]             take_bytes_i,  // bytes of the message with it
    input  logic [31:0]             take_word_i,
    input  logic                    claim_i,       // a message that has a context takes the buffer away
    // completion
    input  logic                    stored_valid_i,
    input  mu_pkg::message_stored_t stored_i,
    output logic                    counts_o,      // it is of a message that no reset has taken away
    // reply to the peer
    output logic                    answer_valid_o,
    input  logic                    answer_ready_i,
    output mu_pkg::send_answer_t    answer_o
);
  localparam int unsigned SLOTS = 2 * QUEUES;
  localparam int unsigned SLOT_WIDTH = QUEUE_WIDTH + 1;
  localparam int unsigned GROUP = SLOTS < 8 ? SLOTS : 8;

  logic [QUEUES-1:0] exists_q;
  logic [QUEUES-1:0] begun_q;       // a packet of the message expected has been taken
  logic [QUEUES-1:0] numbered_q;    // expects a number other than zero
  logic [ SLOTS-1:0] buffer_q;
  logic [ SLOTS-1:0] completing_q;
  logic [ SLOTS-1:0] failed_q;      // a packet of it could not be stored
  logic [ SLOTS-1:0] end_q;         // to be told
  logic [ SLOTS-1:0] answer_q;      // to be told
  logic [       1:0] epoch_q[QUEUES];
  logic [      31:0] expected_mem[QUEUES];
  logic [      63:0] result_mem[QUEUES];
  logic [      31:0] received_mem[SLOTS];
  logic [      31:0] word_mem[SLOTS];
  logic [mu_pkg::RECEIVE_BUFFER_BITS-1:0] buffer_mem[SLOTS];

  function automatic logic [31:0] expected_of(input logic [QUEUE_WIDTH-1:0] of_queue);
    expected_of = numbered_q[of_queue] ? expected_mem[of_queue] : '0;
  endfunction
  // In two steps: the lowest group, and the lowest of each.
  function automatic logic [SLOT_WIDTH-1:0] lowest(input logic [SLOTS-1:0] set);
    logic [SLOT_WIDTH-1:0] of_group;
    lowest = '0;
    for (int unsigned group = SLOTS / GROUP; group > 0; group--) begin
      of_group = '0;
      for (int unsigned i = GROUP; i > 0; i--)
        if (set[(group-1)*GROUP+i-1]) of_group = SLOT_WIDTH'((group - 1) * GROUP + i - 1);
      if (set[(group-1)*GROUP+:GROUP] != '0) lowest = of_group;
    end
  endfunction

  // --- lookup ---
  logic [QUEUE_WIDTH-1:0] queue, result;
  logic [SLOT_WIDTH-1:0] slot, named;
  assign queue        = queue_i[QUEUE_WIDTH-1:0];
  assign expected_o   = expected_of(queue);
  assign slot         = {queue, expected_o[0]};
  assign named        = {queue, slot_i};
  assign exists_o     = 32'(queue_i) < QUEUES && exists_q[queue];
  assign buffer_o     = buffer_q[slot] && !answer_q[slot];
  assign completing_o = completing_q[named];
  assign failed_o     = failed_q[named] && !(begun_q[queue] && named == slot);
  assign untold_o     = end_q[{queue, 1'b1}] || end_q[{queue, 1'b0}];
  assign epoch_o      = epoch_q[queue];
  assign received_o   = begun_q[queue] ? received_mem[slot] : '0;
  assign entry_o      = buffer_mem[slot];
  assign result       = result_queue_i[QUEUE_WIDTH-1:0];
  assign result_o     = result_mem[result];

  // --- a buffer ---
  logic [QUEUE_WIDTH-1:0] buffer_queue;
  logic [SLOT_WIDTH-1:0] buffer_slot;
  logic buffer_expected;  // lowest bit of the number expected
  assign buffer_queue    = buffer_i.queue[QUEUE_WIDTH-1:0];
  assign buffer_expected = numbered_q[buffer_queue] && expected_mem[buffer_queue][0];
  assign buffer_slot     = {buffer_queue, buffer_expected ^ buffer_q[{buffer_queue, buffer_expected}]};

  // --- stored ---
  logic [QUEUE_WIDTH-1:0] stored_queue;
  logic [SLOT_WIDTH-1:0] stored_slot;
  logic counts, completes;
  assign stored_queue = stored_i.queue[QUEUE_WIDTH-1:0];
  assign stored_slot  = {stored_queue, stored_i.slot};
  assign counts       = stored_valid_i && !stored_i.dynamic && stored_i.epoch == epoch_q[stored_queue];
  assign completes    = counts && stored_i.message_end;
  assign counts_o     = counts;

  // --- told; of two ends of a queue that of the older message, which has the slot of the number expected ---
  logic end_shown_q, answer_shown_q, end_told, answer_told, resets;
  logic [SLOT_WIDTH-1:0] end_slot, answer_slot;
  logic [QUEUE_WIDTH-1:0] end_queue, answer_queue;  // and slot of the one that is shown
  logic [SLOTS-1:0] more_ends, more_answers;        // of a queue its lower bit; without the one that is shown
  logic [31:0] answer_expected;
  mu_pkg::status_e end_status, answer_status;
  logic two_ends;
  always_comb begin
    more_ends    = '0;
    more_answers = '0;
    if (busy_o) begin
      for (int unsigned i = 0; i < SLOTS; i++) begin
        more_ends[i]    = i % 2 == 0 && (end_q[i] || end_q[i+1-i%2]) &&
            !(end_shown_q && end_queue == QUEUE_WIDTH'(i / 2));
        more_answers[i] = answer_q[i] && !(answer_shown_q && answer_slot == SLOT_WIDTH'(i));
      end
    end
  end
  assign resets      = reset_i || stop_i || configured_i;
  assign end_told    = end_shown_q && end_ready_i;
  assign answer_told = answer_shown_q && answer_ready_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {end_shown_q, answer_shown_q} <= '0;
    end else if (resets) begin
      if ((end_told && !two_ends) || end_queue == reset_queue_i) end_shown_q <= 1'b0;
      if (answer_told || ((reset_i || configured_i) && answer_queue == reset_queue_i))
        answer_shown_q <= 1'b0;
    end else begin
      if ((end_told && !two_ends) || !end_shown_q) begin
        end_shown_q <= more_ends != '0 || completes || claim_i;
        end_queue   <= completes ? stored_queue : queue;
        if (more_ends != '0) end_queue <= QUEUE_WIDTH'(lowest(more_ends) >> 1);
      end
      if (answer_told || !answer_shown_q) begin
        answer_shown_q <= more_answers != '0 || completes;
        answer_slot    <= more_answers != '0 ? lowest(more_answers) : stored_slot;
      end
    end
  end
  assign two_ends        = end_q[{end_queue, 1'b1}] && end_q[{end_queue, 1'b0}];
  assign end_slot        = {end_queue, two_ends ? expected_mem[end_queue][0] : end_q[{end_queue, 1'b1}]};
  assign end_valid_o     = end_shown_q;
  assign end_status      = failed_q[end_slot] ? mu_pkg::STATUS_MEMORY_ERROR : mu_pkg::STATUS_OK;
  assign end_o.queue        = 8'(end_queue);
  assign end_o.status       = end_status;
  assign end_result_o.bytes = received_mem[end_slot];
  assign end_result_o.word  = word_mem[end_slot];
  assign answer_queue    = answer_slot[SLOT_WIDTH-1:1];
  assign answer_expected = expected_of(answer_queue);
  assign answer_valid_o  = answer_shown_q;
  assign answer_status   = failed_q[answer_slot] ? mu_pkg::STATUS_MEMORY_ERROR : mu_pkg::STATUS_OK;
  always_comb begin
    answer_o        = '0;
    answer_o.queue  = 8'(answer_queue);
    answer_o.number = answer_expected - (answer_expected[0] == answer_slot[0] ? 32'd2 : 32'd1);
    answer_o.status = answer_status;
  end
  assign busy_o = end_q != '0 || answer_q != '0;

  logic unused;
  assign unused = ^{queue_i, result_queue_i, stored_i};

  // --- state ---
  logic changes;
  assign changes = buffer_valid_i || resets || take_i || claim_i || stored_valid_i || busy_o;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {buffer_q, completing_q, failed_q, end_q, answer_q} <= '0;
    end else if (changes) begin
      for (int unsigned i = 0; i < SLOTS; i++) begin
        if (end_told && end_slot == SLOT_WIDTH'(i)) end_q[i] <= 1'b0;
        if (answer_told && answer_slot == SLOT_WIDTH'(i)) answer_q[i] <= 1'b0;
        if (take_i && slot == SLOT_WIDTH'(i)) begin
          failed_q[i] <= begun_q[i/2] && failed_q[i];
          if (take_end_i) {buffer_q[i], completing_q[i]} <= 2'b01;
        end
        if (claim_i && slot == SLOT_WIDTH'(i)) {buffer_q[i], end_q[i], failed_q[i]} <= 3'b010;
        if (counts && stored_slot == SLOT_WIDTH'(i)) begin
          if (stored_i.failed) failed_q[i] <= 1'b1;
          if (completes) {completing_q[i], end_q[i], answer_q[i]} <= 3'b011;
        end
        if (buffer_valid_i && buffer_slot == SLOT_WIDTH'(i)) buffer_q[i] <= 1'b1;
        if (resets && reset_queue_i == QUEUE_WIDTH'(i / 2)) begin
          {buffer_q[i], completing_q[i], end_q[i]} <= '0;
          if (reset_i || configured_i) {failed_q[i], answer_q[i]} <= '0;
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {exists_q, begun_q, numbered_q} <= '0;
    end else if (resets || take_i || claim_i) begin
      for (int unsigned i = 0; i < QUEUES; i++) begin
        if (take_i && queue == QUEUE_WIDTH'(i)) begin
          begun_q[i] <= !take_end_i;
          if (take_end_i) numbered_q[i] <= 1'b1;
        end
        if (claim_i && queue == QUEUE_WIDTH'(i)) numbered_q[i] <= 1'b1;
        if (resets && reset_queue_i == QUEUE_WIDTH'(i)) begun_q[i] <= 1'b0;
        if (configured_i && reset_queue_i == QUEUE_WIDTH'(i))
          {exists_q[i], numbered_q[i]} <= {configured_mode_i, 1'b0};
      end
    end
  end
  // What is under way to the memory when its queue is reset belongs to an epoch that is over.
  logic under_way;
  assign under_way = begun_q[reset_queue_i] || completing_q[{reset_queue_i, 1'b1}] ||
      completing_q[{reset_queue_i, 1'b0}] || (take_i && queue == reset_queue_i);
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < QUEUES; i++) begin
      if (!rst_ni) epoch_q[i] <= '0;
      else if (resets && under_way && reset_queue_i == QUEUE_WIDTH'(i)) epoch_q[i] <= epoch_q[i] + 2'd1;
    end
    if (buffer_valid_i) buffer_mem[buffer_slot] <= buffer_i;
    if (take_i) received_mem[slot] <= take_bytes_i;
    if (take_i) word_mem[slot] <= take_word_i;
    if ((take_i && take_end_i) || claim_i) expected_mem[queue] <= expected_o + 32'd1;
    if (end_told) result_mem[end_queue] <= end_result_o;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      takes_into_a_buffer :
      assert (!(take_i || claim_i) || (exists_o && buffer_o && !completing_q[slot]));
      takes_or_claims : assert (!(take_i && claim_i));
      buffer_of_a_queue_that_is : assert (!buffer_valid_i || 32'(buffer_i.queue) < QUEUES);
      one_buffer_a_slot :
      assert (!buffer_valid_i || !(buffer_q[buffer_slot] || completing_q[buffer_slot] || end_q[buffer_slot]));
      completes_what_was_taken : assert (!completes || completing_q[stored_slot]);
      completes_in_order :
      assert (!completes || !completing_q[stored_slot^SLOT_WIDTH'(1)] ||
              stored_i.slot == expected_mem[stored_queue][0]);
      shows_what_is_due :
      assert ((!end_shown_q || end_q[end_slot]) && (!answer_shown_q || answer_q[answer_slot]));
      told_before_the_next : assert (!completes || !(end_q[stored_slot] || answer_q[stored_slot]));
    end
  end

`ifdef PROVE_MU_RECEIVE_QUEUES
  // What is proved of mu_receive_queues, of any one queue: the end of each message is told once and in order,
  // its answer once and with its number (but none if a context has claimed its buffer); no buffer is lost;
  // what is under way when the queue is reset belongs to another epoch than what comes later.
  (* anyconst *) logic [QUEUE_WIDTH-1:0] chosen;
  logic        past_q = 1'b0;
  logic        ran_q;  // no reset of the module in the cycle before
  logic [31:0] expected, expected_q;  // the number expected, as counted here
  logic [31:0] base_q;                // the oldest message whose end is not told
  logic [31:0] number_0_q, number_1_q;  // of the message in each slot
  logic [ 1:0] buffers_q;             // given, and their ends not told
  logic [ 1:0] flying_q;              // of each slot: taken, and not all of it stored
  logic [ 1:0] holds, waits, unanswered, resetting_q;
  logic [ 1:0] epoch_before_q;
  (* anyseq *) logic becomes_dynamic;
  logic [QUEUES-1:0] dynamic_q;  // each queue is dynamically connected, or not, until it is configured
  logic        of_chosen, ends_chosen, answers_chosen, resets_chosen, same_0, moves_chosen;
  logic [31:0] number_0, number_1, answered;
  assign expected   = expected_of(chosen);
  assign holds      = {buffer_q[{chosen, 1'b1}], buffer_q[{chosen, 1'b0}]};
  assign waits      = {completing_q[{chosen, 1'b1}] || end_q[{chosen, 1'b1}],
                       completing_q[{chosen, 1'b0}] || end_q[{chosen, 1'b0}]};
  assign unanswered = {answer_q[{chosen, 1'b1}], answer_q[{chosen, 1'b0}]};
  assign of_chosen      = take_i && queue == chosen;
  assign moves_chosen   = (of_chosen && take_end_i) || (claim_i && queue == chosen);
  assign ends_chosen    = end_valid_o && end_ready_i && end_queue == chosen;
  assign answers_chosen = answer_valid_o && answer_ready_i && answer_queue == chosen;
  assign resets_chosen  = resets && reset_queue_i == chosen;
  assign same_0         = !expected[0];
  assign number_0       = expected - (same_0 ? 32'd2 : 32'd1);
  assign number_1       = expected - (same_0 ? 32'd1 : 32'd2);
  assign answered       = answer_o.number;
  // Of every queue: no slot has two uses; the older of two messages completes and ends first; a buffer behind
  // none is there, nor a message begun without one.
  logic [QUEUES-1:0] sound;
  logic [SLOTS-1:0]  told, uses;
  logic now_slot;  // of the number expected
  assign uses = completing_q | end_q;
  assign told = completing_q & (end_q | answer_q);
  always_comb begin
    sound    = '0;
    now_slot = 1'b0;
    for (int unsigned i = 0; i < QUEUES; i++) begin
      now_slot = numbered_q[i] && expected_mem[i][0];
      sound[i] = (buffer_q[2*i+:2] & uses[2*i+:2]) == '0 && told[2*i+:2] == '0 &&
          (numbered_q[i] || uses[2*i+:2] == '0) &&
          (!uses[2*i+32'(now_slot)] || uses[2*i+32'(!now_slot)]) &&
          (!completing_q[2*i+32'(now_slot)] || completing_q[2*i+32'(!now_slot)]) &&
          (!buffer_q[2*i+32'(!now_slot)] || buffer_q[2*i+32'(now_slot)]) &&
          (!dynamic_q[i] || {begun_q[i], completing_q[2*i+:2], answer_q[2*i+:2]} == '0) &&
          (!begun_q[i] || (buffer_q[2*i+32'(now_slot)] && !answer_q[2*i+32'(now_slot)]));
    end
  end
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (32'(chosen) < QUEUES && 32'(buffer_i.queue) < QUEUES && 32'(stored_i.queue) < QUEUES);
    assume (32'(queue_i) < QUEUES && 32'(reset_queue_i) < QUEUES);
    assume (!(take_i || claim_i) || (exists_o && buffer_o));
    assume (!take_i || !dynamic_q[queue]);
    assume (!claim_i || (!take_i && dynamic_q[queue]));
    // Buffers whose ends are not told: two at most.
    if (buffer_valid_i)
      assume (3'(buffer_q[{buffer_queue, 1'b0}]) + 3'(buffer_q[{buffer_queue, 1'b1}]) +
              3'(completing_q[{buffer_queue, 1'b0}] || end_q[{buffer_queue, 1'b0}]) +
              3'(completing_q[{buffer_queue, 1'b1}] || end_q[{buffer_queue, 1'b1}]) < 3'd2);
    // What was taken is stored, in order.
    if (completes)
      assume (completing_q[stored_slot] && (!completing_q[stored_slot^SLOT_WIDTH'(1)] ||
                                            stored_i.slot == expected_mem[stored_queue][0]));
  end
  always_ff @(posedge clk_i) begin
    past_q         <= 1'b1;
    ran_q          <= rst_ni;
    epoch_before_q <= epoch_q[chosen];
    resetting_q    <= {resets_chosen, resets_chosen && (flying_q != '0 || of_chosen)};
    for (int unsigned i = 0; i < QUEUES; i++)
      if (!rst_ni || (configured_i && reset_queue_i == QUEUE_WIDTH'(i))) dynamic_q[i] <= becomes_dynamic;
    if (!rst_ni) begin
      {expected_q, base_q, buffers_q, flying_q, resetting_q} <= '0;
    end else begin
      if (moves_chosen) begin
        expected_q <= expected_q + 32'd1;
        if (same_0) number_0_q <= expected;
        else number_1_q <= expected;
      end
      if (ends_chosen) base_q <= base_q + 32'd1;
      buffers_q <= buffers_q + 2'(buffer_valid_i && buffer_queue == chosen) - 2'(ends_chosen);
      for (int unsigned i = 0; i < 2; i++) begin
        if (completes && stored_slot == {chosen, 1'(i)}) flying_q[i] <= 1'b0;
        if (of_chosen && expected[0] == 1'(i)) flying_q[i] <= 1'b1;
      end
      if (resets_chosen) begin
        expected_q <= configured_i ? '0 : expected + 32'(moves_chosen);
        base_q     <= configured_i ? '0 : expected + 32'(moves_chosen);
        {buffers_q, flying_q} <= '0;
      end
    end
    if (past_q && rst_ni) begin
      moves_by_one_a_message : assert (expected == expected_q);
      if (ends_chosen)
        told_in_order_and_once : assert ((end_slot[0] ? number_1_q : number_0_q) == base_q);
      if (answers_chosen)
        answered_if_not_claimed : assert (!dynamic_q[chosen]);
      if (answers_chosen)
        answered_with_its_number : assert (answered == (answer_slot[0] ? number_1_q : number_0_q));
      no_buffer_is_lost :
      assert (buffers_q == 2'(holds[0]) + 2'(holds[1]) + 2'(waits[0]) + 2'(waits[1]));
      if (ran_q && resetting_q[0])
          new_epoch_for_what_flies : assert (epoch_q[chosen] == epoch_before_q + 2'd1);
      if (ran_q && !resetting_q[1]) epochs_end_with_a_reset : assert (epoch_q[chosen] == epoch_before_q);
      if (busy_o && !resets && !end_valid_o && !answer_valid_o)
      something_is_told_next : assert (more_ends != '0 || more_answers != '0);
      // What the above rests on.
      ends_are_of_messages_taken : assert (expected - base_q == 32'(waits[0]) + 32'(waits[1]));
      slots_are_used_as_they_should : assert (sound == '1);
      zero_until_numbered : assert (numbered_q[chosen] || expected == '0);
      number_in_slot_0 : assert (!(waits[0] || unanswered[0]) || number_0_q == number_0);
      number_in_slot_1 : assert (!(waits[1] || unanswered[1]) || number_1_q == number_1);
      flies_while_begun_or_completing :
      assert ((!flying_q[0] || completing_q[{chosen, 1'b0}] || (begun_q[chosen] && same_0)) &&
              (!flying_q[1] || completing_q[{chosen, 1'b1}] || (begun_q[chosen] && !same_0)));
    end
  end
`endif
endmodule
`default_nettype wire

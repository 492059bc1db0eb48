// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_receive_queues, of any one queue: the end of each message is told once and in order,
// its answer once and with its number (but none if a context has claimed its buffer); no buffer is lost; what is under way when the queue is reset belongs to
// another epoch than what comes later.
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
      if (ran_q && resetting_q[0]) new_epoch_for_what_flies : assert (epoch_q[chosen] == epoch_before_q + 2'd1);
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

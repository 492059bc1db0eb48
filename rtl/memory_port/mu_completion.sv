// SPDX-License-Identifier: Apache-2.0
// mu_completion: applies what a store stands for, once the store is in memory.
//
//   action (valid/ready/data/error) --> [ one at a time ] --+--> fifo, queue, notice, entry publish (v/r)
//                                                           +--> counter operation (valid/ready)
//                                                           +--> causes_o, push_done, stored_* (pulses)
//
// Behaviour: actions are applied in the order in which they come. FIFO publishes slots, GET and PUSH
//   publish descriptors, NOTICE an entry; beside that the byte counter loses the bytes, then the event
//   counter gains one. When all has been taken, causes ARRIVED (if asked for) and NOTICE pulse for the
//   client, and push_done for PUSH, calc_stored for CALC, stored for a FENCE and each packet of a
//   SEND. An action with an error moves no counter and raises ERROR instead of ARRIVED; ring
//   slots were reserved, so they are published all the same, or the ring would stand still.
// Latency: outputs valid one cycle after the action was taken; the next action is taken three cycles after
//   this one if nothing waits, four with both counters; causes pulse in that cycle.
// Limits: any action, but a SEND of no reassembly context names a queue that exists (asserted); a client
//   beyond CLIENTS raises nothing.
`default_nettype none

module mu_completion (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    // memory port
    input  logic                         action_valid_i,
    output logic                         action_ready_o,
    input  mu_pkg::write_action_t        action_data_i,
    input  logic                         action_error_i,
    // reception FIFO table
    output logic                         fifo_publish_valid_o,
    input  logic                         fifo_publish_ready_i,
    output logic [7:0]                   fifo_publish_target_o,
    output logic [7:0]                   fifo_publish_slots_o,
    // queue engine
    output logic                         queue_publish_valid_o,
    input  logic                         queue_publish_ready_i,
    output logic [7:0]                   queue_publish_target_o,
    output logic [7:0]                   queue_publish_count_o,
    // notice rings
    output logic                         notice_publish_valid_o,
    input  logic                         notice_publish_ready_i,
    output logic [3:0]                   notice_publish_client_o,
    // completion queues
    output logic                         entry_publish_valid_o,
    input  logic                         entry_publish_ready_i,
    output logic [7:0]                   entry_publish_queue_o,
    // receive queues
    output logic                         stored_valid_o,
    output mu_pkg::message_stored_t      stored_o,
    // counters
    output logic                         counter_valid_o,
    input  logic                         counter_ready_i,
    output mu_pkg::counter_operation_t   counter_operation_o,
    // push window
    output logic                         push_done_valid_o,
    output logic [3:0]                   push_done_client_o,
    output logic                         push_done_error_o,
    // CALC engine
    output logic                         calc_stored_valid_o,
    output logic                         calc_stored_error_o,
    // interrupts
    output logic [mu_pkg::CLIENTS*8-1:0] causes_o,
    output logic                         busy_o
);
  logic       valid_q;           // an action is being applied
  logic       fifo_q;            // still to be published
  logic       queue_q;
  logic       notice_q;
  logic       entry_q;
  logic       counter_q;         // byte counter still to be changed
  logic       event_q;           // event counter still to be changed
  logic       error_q;
  logic       interrupt_q;
  logic       is_push_q;
  logic       is_notice_q;
  logic       is_calc_q;
  logic       is_send_q;
  logic       is_fence_q;
  logic       message_end_q;
  logic [1:0] epoch_q;
  logic       slot_q;
  logic [3:0] context_q;         // and whether there is one
  logic [3:0] client_q;
  logic [7:0] target_q;
  logic [7:0] amount_q;
  logic [31:0] bytes_q;
  logic [7:0] counter_number_q;
  logic [7:0] event_number_q;
  logic       taken;
  logic       of_failed;         // the last packet of a message of which another could not be stored
  logic       finished;

  assign action_ready_o = !valid_q;
  assign taken          = action_valid_i && action_ready_o;
  // Counters and ARRIVED tell of whole messages: one failed packet spoils its message. There is one at a time
  // of a receive queue, or of a reassembly context.
  localparam int unsigned QUEUES = mu_pkg::INJECTION_QUEUES;
  localparam int unsigned MESSAGES = QUEUES + mu_pkg::REASSEMBLY_CONTEXTS;
  localparam int unsigned MESSAGE_WIDTH = $clog2(MESSAGES);
  logic [MESSAGES-1:0]      failed_q;
  logic [1:0]               failed_epoch_q[MESSAGES];
  logic [MESSAGE_WIDTH-1:0] message;
  logic                     is_send;
  assign is_send       = action_data_i.action == mu_pkg::ACTION_SEND;
  assign message       = action_data_i.dynamic ?
      MESSAGE_WIDTH'(QUEUES) + MESSAGE_WIDTH'(action_data_i.reassembly) :
      MESSAGE_WIDTH'(action_data_i.target);
  assign of_failed     = is_send && failed_q[message] && failed_epoch_q[message] == action_data_i.epoch;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) failed_q <= '0;
    else if (taken && is_send && action_data_i.message_end) failed_q[message] <= 1'b0;
    else if (taken && is_send && action_error_i) failed_q[message] <= 1'b1;
    if (taken && is_send && action_error_i) failed_epoch_q[message] <= action_data_i.epoch;
  end

  assign finished       = valid_q && !(fifo_q || queue_q || notice_q || entry_q || counter_q || event_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q   <= 1'b0;
      fifo_q    <= 1'b0;
      queue_q   <= 1'b0;
      notice_q  <= 1'b0;
      entry_q   <= 1'b0;
      counter_q <= 1'b0;
      event_q   <= 1'b0;
    end else if (taken) begin
      valid_q   <= 1'b1;
      fifo_q    <= action_data_i.action == mu_pkg::ACTION_FIFO;
      queue_q   <= action_data_i.action == mu_pkg::ACTION_GET || action_data_i.action == mu_pkg::ACTION_PUSH;
      notice_q  <= action_data_i.action == mu_pkg::ACTION_NOTICE;
      entry_q   <= action_data_i.action == mu_pkg::ACTION_COMPLETION;
      counter_q <= action_data_i.counter_valid && !action_error_i && !of_failed;
      event_q   <= action_data_i.event_valid && !action_error_i && !of_failed;
    end else if (valid_q) begin
      if (fifo_publish_ready_i) fifo_q <= 1'b0;
      if (queue_publish_ready_i) queue_q <= 1'b0;
      if (notice_publish_ready_i) notice_q <= 1'b0;
      if (entry_publish_ready_i) entry_q <= 1'b0;
      if (counter_ready_i) begin
        counter_q <= 1'b0;
        if (!counter_q) event_q <= 1'b0;
      end
      if (finished) valid_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (taken) begin
      error_q          <= action_error_i;
      interrupt_q      <= action_data_i.interrupt && !of_failed;
      is_push_q        <= action_data_i.action == mu_pkg::ACTION_PUSH;
      is_notice_q      <= action_data_i.action == mu_pkg::ACTION_NOTICE;
      is_calc_q        <= action_data_i.action == mu_pkg::ACTION_CALC;
      is_send_q        <= action_data_i.action == mu_pkg::ACTION_SEND;
      is_fence_q       <= action_data_i.action == mu_pkg::ACTION_FENCE;
      message_end_q    <= action_data_i.message_end;
      epoch_q          <= action_data_i.epoch;
      slot_q           <= action_data_i.slot;
      context_q        <= {action_data_i.reassembly, action_data_i.dynamic};
      client_q         <= action_data_i.client;
      target_q         <= action_data_i.target;
      amount_q         <= action_data_i.amount;
      bytes_q          <= action_data_i.bytes;
      counter_number_q <= action_data_i.counter;
      event_number_q   <= action_data_i.event_counter;
    end
  end

  assign fifo_publish_valid_o    = fifo_q;
  assign fifo_publish_target_o   = target_q;
  assign fifo_publish_slots_o    = amount_q;
  assign queue_publish_valid_o   = queue_q;
  assign queue_publish_target_o  = target_q;
  assign queue_publish_count_o   = amount_q;
  assign notice_publish_valid_o  = notice_q;
  assign notice_publish_client_o = target_q[3:0];
  assign entry_publish_valid_o   = entry_q;
  assign entry_publish_queue_o   = target_q;
  assign counter_valid_o         = counter_q || event_q;
  always_comb begin
    counter_operation_o          = '0;
    counter_operation_o.client   = client_q;
    counter_operation_o.is_event = !counter_q;
    counter_operation_o.add      = !counter_q;
    counter_operation_o.counter  = counter_q ? counter_number_q : event_number_q;
    counter_operation_o.value    = counter_q ? 38'(bytes_q) : 38'd1;
  end

  // --- pulses, in the cycle after everything else has been taken ---
  logic [mu_pkg::CLIENTS*8-1:0] causes_d;
  logic [mu_pkg::CLIENTS*8-1:0] causes_q;
  logic                         push_done_q;
  logic                         calc_stored_q;
  logic                         stored_q;
  always_comb begin
    causes_d = '0;
    if (finished) begin
      for (int c = 0; c < mu_pkg::CLIENTS; c++) begin
        if (client_q == 4'(c)) begin
          causes_d[c*8+32'(mu_pkg::CAUSE_ARRIVED)] = interrupt_q && !error_q;
          causes_d[c*8+32'(mu_pkg::CAUSE_NOTICE)]  = is_notice_q;
          causes_d[c*8+32'(mu_pkg::CAUSE_ERROR)]   = error_q;
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      causes_q      <= '0;
      push_done_q   <= 1'b0;
      calc_stored_q <= 1'b0;
      stored_q      <= 1'b0;
    end else begin
      causes_q      <= causes_d;
      push_done_q   <= finished && is_push_q;
      calc_stored_q <= finished && is_calc_q;
      stored_q      <= finished && (is_fence_q || is_send_q);
    end
  end
  assign causes_o            = causes_q;
  assign push_done_valid_o   = push_done_q;
  assign push_done_client_o  = client_q;
  assign push_done_error_o   = error_q;
  assign calc_stored_valid_o = calc_stored_q;
  assign calc_stored_error_o = error_q;
  assign stored_valid_o      = stored_q;
  assign stored_o.fence       = is_fence_q;
  assign stored_o.dynamic     = context_q[0];
  assign stored_o.reassembly  = context_q[3:1];
  assign stored_o.slot        = slot_q;
  assign stored_o.message_end = message_end_q;
  assign stored_o.failed      = error_q;
  assign stored_o.epoch       = epoch_q;
  assign stored_o.queue       = target_q;
  assign busy_o = valid_q || push_done_q || calc_stored_q || stored_q || causes_q != '0;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      one_publish_at_most : assert ($onehot0({fifo_q, queue_q, notice_q, entry_q}));
      if (fifo_q || queue_q || notice_q || entry_q || counter_q || event_q)
        work_needs_an_action : assert (valid_q);
      if (error_q && valid_q) no_counter_on_error : assert (!counter_q && !event_q);
      if (taken) reserved_is_zero : assert (action_data_i.reserved_83 == '0);
      if (taken && is_send && !action_data_i.dynamic)
        sends_to_a_queue_that_exists : assert (32'(action_data_i.target) < QUEUES);
    end
  end

`ifdef PROVE_MU_COMPLETION
  // What is proved of mu_completion: each action does what it stands for, all of it, once and before the next
  // is taken: one publish at most, of its kind; then the byte counter loses the bytes, then the event counter
  // gains one, but not after an error, nor for a message of which a packet had one; then the pulses, in one
  // cycle. If nobody waits, the next is taken in time.
  (* anyconst *) logic [MESSAGE_WIDTH-1:0] chosen;  // any message
  logic       past_q = 1'b0;
  mu_pkg::write_action_t now_q;
  logic       error_here_q;                 // of the action
  logic       knows_q;                      // its message is the chosen one, or it has none
  logic       spoiled_q;
  logic       busy_q, publishes_q, counts_q, bumps_q;  // what is still to be done
  logic       ended_q;                      // it ended in the cycle before
  logic       bad_q;                        // a packet of the chosen message was not stored
  logic [1:0] bad_epoch_q;
  logic [2:0] idle_q;                       // cycles in which nobody waited
  logic       sends, spoils, begins, ends, all_ready;
  logic [3:0] publishes;
  logic [mu_pkg::CLIENTS*8-1:0] expected_causes;
  assign begins    = action_valid_i && action_ready_o;
  assign sends     = action_data_i.action == mu_pkg::ACTION_SEND;
  assign spoils    = sends && message == chosen && bad_q && bad_epoch_q == action_data_i.epoch;
  assign publishes = {entry_publish_valid_o, notice_publish_valid_o, queue_publish_valid_o,
      fifo_publish_valid_o};
  assign ends      = busy_q && !publishes_q && !counts_q && !bumps_q;
  assign all_ready = fifo_publish_ready_i && queue_publish_ready_i && notice_publish_ready_i &&
      entry_publish_ready_i && counter_ready_i;
  always_comb begin
    expected_causes = '0;
    for (int unsigned c = 0; c < mu_pkg::CLIENTS; c++)
      if (ended_q && now_q.client == 4'(c)) begin
        expected_causes[c*8+32'(mu_pkg::CAUSE_ARRIVED)] = now_q.interrupt && !error_here_q && !spoiled_q;
        expected_causes[c*8+32'(mu_pkg::CAUSE_NOTICE)]  = now_q.action == mu_pkg::ACTION_NOTICE;
        expected_causes[c*8+32'(mu_pkg::CAUSE_ERROR)]   = error_here_q;
      end
    if (!past_q) assume (!rst_ni);
    assume (action_data_i.reserved_83 == '0);
    assume (!sends || action_data_i.dynamic || 32'(action_data_i.target) < QUEUES);
    assume (32'(chosen) < MESSAGES);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) {busy_q, publishes_q, counts_q, bumps_q, ended_q, bad_q, idle_q} <= '0;
    else begin
      ended_q <= ends;
      if (begins) begin
        {busy_q, now_q, error_here_q} <= {1'b1, action_data_i, action_error_i};
        knows_q     <= !sends || message == chosen;
        spoiled_q   <= spoils;
        publishes_q <= action_data_i.action == mu_pkg::ACTION_FIFO ||
            action_data_i.action == mu_pkg::ACTION_GET || action_data_i.action == mu_pkg::ACTION_PUSH ||
            action_data_i.action == mu_pkg::ACTION_NOTICE ||
                action_data_i.action == mu_pkg::ACTION_COMPLETION;
        counts_q    <= action_data_i.counter_valid && !action_error_i && !spoils;
        bumps_q     <= action_data_i.event_valid && !action_error_i && !spoils;
        if (sends && message == chosen && action_data_i.message_end) bad_q <= 1'b0;
        else if (sends && message == chosen && action_error_i) bad_q <= 1'b1;
        if (sends && message == chosen && action_error_i) bad_epoch_q <= action_data_i.epoch;
        idle_q <= '0;
      end else begin
        if (ends) busy_q <= 1'b0;
        if ((publishes & {entry_publish_ready_i, notice_publish_ready_i, queue_publish_ready_i,
                          fifo_publish_ready_i}) != '0) publishes_q <= 1'b0;
        if (counter_valid_o && counter_ready_i) begin
          if (counts_q) counts_q <= 1'b0;
          else bumps_q <= 1'b0;
        end
        idle_q <= idle_q + 3'(busy_q && all_ready && idle_q != '1);
      end
      if (past_q) begin
        no_action_before_the_last_has_ended : assert (!knows_q || action_ready_o == !busy_q);
        one_publish_of_its_kind :
        assert (publishes == {busy_q && publishes_q && now_q.action == mu_pkg::ACTION_COMPLETION,
                              busy_q && publishes_q && now_q.action == mu_pkg::ACTION_NOTICE,
                              busy_q && publishes_q && (now_q.action == mu_pkg::ACTION_GET ||
                                                        now_q.action == mu_pkg::ACTION_PUSH),
                              busy_q && publishes_q && now_q.action == mu_pkg::ACTION_FIFO});
        if (publishes != '0)
          publishes_what_it_names :
          assert (fifo_publish_target_o == now_q.target && queue_publish_target_o == now_q.target &&
                  entry_publish_queue_o == now_q.target && notice_publish_client_o == now_q.target[3:0] &&
                  fifo_publish_slots_o == now_q.amount && queue_publish_count_o == now_q.amount);
        if (knows_q) counters_as_they_are_due : assert (counter_valid_o == (busy_q && (counts_q || bumps_q)));
        if (knows_q && counter_valid_o) begin
          first_the_bytes_then_the_event :
          assert ({counter_operation_o.is_event, counter_operation_o.add, counter_operation_o.set} ==
                  (counts_q ? 3'b000 : 3'b110));
          by_as_much_as_it_says :
          assert (counter_operation_o.value == (counts_q ? 38'(now_q.bytes) : 38'd1) &&
                  counter_operation_o.counter == (counts_q ? now_q.counter : now_q.event_counter) &&
                  counter_operation_o.client == now_q.client);
        end
        if (error_here_q && busy_q) no_counter_after_an_error : assert (!counter_valid_o);
        if (knows_q) begin
          causes_when_all_is_done : assert (causes_o == expected_causes);
          push_is_told : assert (push_done_valid_o == (ended_q && now_q.action == mu_pkg::ACTION_PUSH));
          calc_is_told : assert (calc_stored_valid_o == (ended_q && now_q.action == mu_pkg::ACTION_CALC));
          message_is_told :
          assert (stored_valid_o == (ended_q && (now_q.action == mu_pkg::ACTION_SEND ||
                                                 now_q.action == mu_pkg::ACTION_FENCE)));
        end
        if (knows_q && stored_valid_o)
          tells_what_was_stored :
          assert (stored_o.failed == error_here_q && stored_o.message_end == now_q.message_end &&
                  stored_o.epoch == now_q.epoch && stored_o.queue == now_q.target);
        if (knows_q) in_time_if_nobody_waits : assert (!busy_q || idle_q < 3'd4);
        // What the above rests on.
        knows_of_bad_packets :
        assert (failed_q[chosen] == bad_q && (!bad_q || failed_epoch_q[chosen] == bad_epoch_q));
      end
    end
  end
`endif
endmodule
`default_nettype wire

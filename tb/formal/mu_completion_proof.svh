// SPDX-License-Identifier: Apache-2.0
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

// SPDX-License-Identifier: Apache-2.0
// mu_send_engine: from doorbells to packets: queues, what they wait for, and injection.
//
//   doorbells, slots ---> [ queues ] ---> [ cross-channel control ] ---> [ injection ] ---> inject_*
//                          ^----- retire, rewind, credits, hold, enable -----/
//
// Behaviour: that of the blocks. An engine keeps its state in a cycle in which its bit of activity_o is low
//   and none of its inputs is valid: its clock may stop. Cross and reply also need theirs from
//   wake_at on, which is not looked at here, so that nothing has to be computed as time goes by.
// Latency: see the blocks.
// Limits: all five are one clock; each may be stopped.
`default_nettype none

module mu_send_engine (
    input  logic                         clk_queue_i, clk_cross_i, clk_injection_i, clk_packet_i, clk_reply_i,
    input  logic                         rst_ni,
    output mu_pkg::send_activity_t       activity_o,
    output logic [mu_pkg::CLIENTS*8-1:0] causes_o,
    output mu_pkg::cause_part_t          part_o,  // the completion queue
    input  mu_pkg::cycle_t               now_i,
    input  mu_pkg::node_straps_t         straps_i,
    input  mu_pkg::node_limits_t         limits_i,
    // register bus
    input  mu_pkg::register_units_t      register_valid_i,
    output mu_pkg::register_units_t      register_done_o,
    input  mu_pkg::register_request_t    register_request_i,
    output mu_pkg::register_response_t   register_response_o,
    // host interface: a slot for a pushed descriptor; reception: slots for a GET, and more
    input  mu_pkg::push_reserve_t        push_reserve_i,
    input  mu_pkg::reception_requests_t  reception_requests_i,
    output mu_pkg::queue_answer_t        queue_answer_o,
    output mu_pkg::peer_answer_t         peer_answer_o,
    // memory port, completion
    output mu_pkg::send_reads_t          reads_o,
    input  mu_pkg::send_beats_t          beats_i,
    output mu_pkg::write_request_t       entry_write_o,
    input  mu_pkg::ring_publishes_t      publishes_i,
    // region table, counters
    output mu_pkg::source_lookup_t       source_lookup_o,
    input  mu_pkg::source_answer_t       source_answer_i,
    output mu_pkg::counter_request_t     counter_request_o,
    input  mu_pkg::event_watch_t         event_watch_i,
    output logic                         waited_o,  // a WAIT is on event_watch_i.asked
    // CALC
    output mu_pkg::descriptor_offer_t    calc_o,
    input  mu_pkg::calc_report_t         calc_report_i,
    // reception engine: notices, queue pairs
    input  mu_pkg::notice_packet_t       notice_packet_i,
    output mu_pkg::receive_orders_t      receive_orders_o,
    input  mu_pkg::receive_reports_t     receive_reports_i,
    input  mu_pkg::receive_result_t      result_i,  // of receive_orders_o.result_queue
    // router
    output mu_pkg::flit_stream_t         inject_request_o,
    output mu_pkg::flit_stream_t         inject_reply_o,
    // of all these
    input  mu_pkg::send_ready_t          ready_i,
    output mu_pkg::send_accepts_t        accepts_o
);
  logic                         queue_busy, queue_active, cross_busy, cross_waiting, pairs_busy, entries_busy;
  logic [mu_pkg::CLIENTS*8-1:0] queue_causes, engine_causes, entries_causes;
  mu_pkg::register_response_t   queue_response, reflection_response, entry_response;
  logic                         queue_register_done, reflection_register_done, completion_register_done;
  mu_pkg::cycle_t               sends_wake_at;
  mu_pkg::injection_activity_t  injection_activity;

  // Descriptors from the queues to the packetiser, and back to be held.
  logic request_descriptor_valid, request_descriptor_ready, reply_descriptor_valid;
  logic free_valid, free_ready, next_valid, pairs_ready, puts, put_went_q;
  mu_pkg::fetched_descriptor_t request_descriptor_data, reply_descriptor_data, free_data, held_data;
  mu_pkg::fetched_descriptor_t next_data, pipe_data;
  mu_pkg::held_request_t held;

  // What is asked of the queues, and becomes of them.
  mu_pkg::queue_requests_t requests;
  mu_pkg::queue_events_t events;
  mu_pkg::queue_orders_t orders;
  mu_pkg::queue_order_answer_t order_answer;
  mu_pkg::enable_request_t enable;
  mu_pkg::queue_probe_t probe;
  logic [7:0] probe_queue;

  // Peers of queues.
  mu_pkg::queue_select_t peer_write;
  mu_pkg::queue_view_t view;
  mu_pkg::queue_peer_t register_peer, entry_peer, entry_peer_q, told_peer;
  logic [7:0] entry_queue;
  logic [mu_pkg::INJECTION_QUEUES-1:0] dynamic_queues;

  mu_pkg::injection_ready_t ready;
  mu_pkg::injection_accepts_t accepts;

  // SENDs, RECEIVEs, PIPEs.
  mu_pkg::pair_command_t command;
  mu_pkg::pair_ends_t ends;
  mu_pkg::pair_ends_ready_t ends_ready;
  mu_pkg::send_begin_t begins;
  mu_pkg::pipe_reads_t pipe_reads;
  mu_pkg::pipe_answers_t pipe_answers;
  mu_pkg::number_request_t number_request;
  mu_pkg::send_reports_t send_reports;
  logic [mu_pkg::INJECTION_QUEUES-1:0] may_ahead, fence_ahead, under_way, held_queues;

  // Counters, completion entries.
  logic probe_valid, waited, entries_ready;
  mu_pkg::counter_request_t counter_request;
  mu_pkg::counter_operation_t probe_operation;
  mu_pkg::completion_request_t entry;
  mu_pkg::entry_counts_t entries;

  assign activity_o.wake_at = sends_wake_at < injection_activity.wake_at ? sends_wake_at :
                              injection_activity.wake_at;
  assign activity_o.busy = queue_busy || injection_activity.busy || cross_busy || pairs_busy ||
                           entries_busy;
  assign activity_o.active_queue = queue_active || reception_requests_i.get.valid ||
      push_reserve_i.valid || publishes_i.queue.valid ||
      beats_i.fetch.valid || orders.retire.valid || orders.rewind.valid ||
      orders.credit_returned || requests.hold.valid ||
      requests.resume.valid || requests.releases.valid || enable.valid ||
      register_valid_i.queue;
  assign activity_o.active_cross = cross_busy || pairs_busy || entries_busy || events.configure.pending ||
      calc_report_i.done.valid || calc_report_i.put.valid ||
      (cross_waiting && (event_watch_i.change.valid || events.done.valid)) ||
      (request_descriptor_valid && request_descriptor_ready) || held.valid ||
      entry.valid || send_reports.progress.left ||
      send_reports.progress.goes_ahead || send_reports.failure.valid ||
      register_valid_i.completion || publishes_i.entry.valid ||
      receive_reports_i.answer.valid || receive_reports_i.ending.valid;
  assign activity_o.active_injection = injection_activity.active_descriptor;
  assign activity_o.active_packet    = injection_activity.active_packet;
  assign activity_o.active_reply     = injection_activity.active_reply;
  assign causes_o                    = queue_causes | engine_causes | entries_causes;
  assign register_response_o         = queue_response | reflection_response | entry_response;
  always_comb begin
    register_done_o            = '0;
    register_done_o.queue      = queue_register_done;
    register_done_o.reflection = reflection_register_done;
    register_done_o.completion = completion_register_done;
  end

  // Rings of descriptors, scheduler, fetch.
  assign queue_answer_o.taken = events.taken;
  assign order_answer.taken   = events.taken;
  assign enable.valid         = orders.enable;
  assign enable.operation     = counter_request.operation;
  mu_queue_engine u_queue_engine (
    .clk_i(clk_queue_i), .rst_ni, .busy_o(queue_busy), .active_o(queue_active),
    .causes_o(queue_causes), .register_valid_i(register_valid_i.queue), .register_request_i,
    .register_done_o(queue_register_done), .register_response_o(queue_response),
    .get_reserve_i(reception_requests_i.get), .get_slots_valid_o(queue_answer_o.get_slots_valid),
    .slots_o(queue_answer_o.slots), .empty_queue_i(reception_requests_i.get.queue),
    .empty_o(queue_answer_o.empty), .push_reserve_i,
    .push_slots_valid_o(queue_answer_o.push_slots_valid), .publish_i(publishes_i.queue),
    .fetch_read_o(reads_o.fetch), .fetch_command_ready_i(ready_i.fetch), .fetch_beat_i(beats_i.fetch),
    .request_descriptor_valid_o(request_descriptor_valid),
    .request_descriptor_ready_i(request_descriptor_ready),
    .request_descriptor_data_o(request_descriptor_data),
    .reply_descriptor_valid_o(reply_descriptor_valid),
    .reply_descriptor_ready_i(accepts.reply_descriptor),
    .reply_descriptor_data_o(reply_descriptor_data), .retire_i(orders.retire),
    .rewind_i(orders.rewind), .credit_returned_i(orders.credit_returned), .enable_i(enable),
    .enable_status_o(order_answer.enable_status), .requests_i(requests), .events_o(events),
    .probe_queue_i(probe_queue), .probe_o(probe),
    .last_node_i({straps_i.last_z, straps_i.last_y, straps_i.last_x}), .peer_write_o(peer_write),
    .peer_i(register_peer)
  );
  mu_queue_peers #(
      .QUEUES(mu_pkg::INJECTION_QUEUES)
  ) u_queue_peers (
    .clk_i(clk_queue_i), .rst_ni, .write_i(peer_write.valid), .write_queue_i(peer_write.queue),
    .write_peer_i(register_request_i.data[mu_pkg::QUEUE_PEER_BITS-1:0]),
    .register_queue_i(peer_write.queue), .register_peer_o(register_peer),
    .send_queue_i(number_request.queue), .send_peer_o(view.peer), .entry_queue_i(entry_queue),
    .entry_peer_o(entry_peer), .told_queue_i(receive_reports_i.answer.answer.queue),
    .told_peer_o(told_peer), .receive_queue_i(reception_requests_i.peers.receive_queue),
    .receive_peer_o(peer_answer_o.receive),
    .answer_queue_i(reception_requests_i.peers.answer_queue),
    .answer_peer_o(peer_answer_o.answer), .dynamic_o(dynamic_queues)
  );

  // Queues that wait, and what they wait for.
  mu_cross_channel u_cross_channel (
    .clk_i(clk_cross_i), .rst_ni, .busy_o(cross_busy), .waiting_o(cross_waiting),
    .in_valid_i(request_descriptor_valid), .in_ready_o(request_descriptor_ready),
    .in_data_i(request_descriptor_data), .requests_o(requests), .events_i(events),
    .probe_queue_o(probe_queue), .probe_i(probe), .out_valid_o(free_valid),
    .out_ready_i(free_ready), .out_data_o(free_data), .held_i(held), .held_ready_o(ready.held),
    .held_data_i(held_data), .event_change_i(event_watch_i.change),
    .waited_index_0_i(source_lookup_o.counter.index), .waited_index_1_i(event_watch_i.asked),
    .waited_0_o(waited), .waited_1_o(waited_o), .operation_valid_o(probe_valid),
    .operation_ready_i(ready_i.counter), .entries_i(entries), .entries_ready_o(entries_ready),
    .command_o(command), .ends_i(ends), .ends_ready_o(ends_ready),
    .may_ahead_i(may_ahead), .fence_ahead_i(fence_ahead), .under_way_i(under_way),
    .held_o(held_queues), .pipe_read_i(pipe_reads.held), .pipe_data_o(pipe_data), .calc_valid_o(calc_o.valid),
    .calc_ready_i(ready_i.calc), .calc_data_o(calc_o.descriptor), .calc_done_i(calc_report_i.done),
    .calc_done_ready_o(accepts_o.calc_done)
  );

  // SENDs until they are acknowledged, and PIPEs.
  assign reads_o.list      = pipe_reads.list;
  assign pipe_answers.held = pipe_data;
  assign pipe_answers.list = beats_i.list;
  always_comb begin
    begins.node  = {held_data.descriptor.header.dst_z, held_data.descriptor.header.dst_y,
                    held_data.descriptor.header.dst_x};
    begins.index = held_data.index;
    begins.queue = held_data.queue;
    begins.fence = 4'(held_data.descriptor.opcode) == 4'(mu_pkg::OPCODE_FENCE);
    begins.sent  = held_data.ahead;
  end
  // PUTs of the result of a CALC, and the descriptors of queues, in turn where both wait.
  assign puts               = calc_report_i.put.valid && !(put_went_q && free_valid);
  assign free_ready         = pairs_ready && !puts;
  assign accepts_o.calc_put = pairs_ready && puts;
  always_ff @(posedge clk_cross_i) begin
    if (!rst_ni) put_went_q <= 1'b0;
    else if (pairs_ready && (free_valid || puts)) put_went_q <= puts;
  end
  mu_queue_pairs u_queue_pairs (
    .clk_i(clk_cross_i), .rst_ni, .busy_o(pairs_busy), .now_i, .wake_at_o(sends_wake_at), .limits_i,
    .dynamic_i(dynamic_queues), .configure_i(events.configure), .in_valid_i(free_valid || puts),
    .in_ready_o(pairs_ready), .in_data_i(puts ? calc_report_i.put.descriptor : free_data),
    .out_valid_o(next_valid), .out_ready_i(accepts.request_descriptor), .out_data_o(next_data),
    .command_i(command), .begin_i(begins),
    .ends_o(ends), .ends_ready_i(ends_ready), .may_ahead_o(may_ahead), .fence_ahead_o(fence_ahead),
    .under_way_o(under_way), .held_i(held_queues), .pipe_reads_o(pipe_reads),
    .pipe_answers_i(pipe_answers),
    .buffer_o(receive_orders_o.buffer), .reset_o(receive_orders_o.reset),
    .receive_end_i(receive_reports_i.ending), .receive_end_ready_o(receive_orders_o.end_ready),
    .watch_o(receive_orders_o.watch), .arriving_i(receive_reports_i.arriving),
    .message_valid_i(receive_reports_i.message_valid),
    .message_ready_o(receive_orders_o.message_ready), .message_i(receive_reports_i.message),
    .number_i(number_request), .number_o(view.number), .progress_i(send_reports.progress),
    .hold_o(view.hold), .answer_i(receive_reports_i.answer), .answer_peer_i(told_peer),
    .failure_i(send_reports.failure)
  );

  // Entries of what is done. The peer of a slot's queue is looked up in the cycle before its first step.
  always_ff @(posedge clk_injection_i) if (injection_activity.busy) entry_peer_q <= entry_peer;
  assign view.entry_peer = entry_peer_q;
  mu_completion_queues u_completion_queues (
    .clk_i(clk_cross_i), .rst_ni, .busy_o(entries_busy), .causes_o(entries_causes),
    .part_o,
    .register_valid_i(register_valid_i.completion), .register_request_i,
    .register_done_o(completion_register_done), .register_response_o(entry_response),
    .entry_valid_i(entry.valid), .entry_ready_o(ready.entry),
    .entry_queue_i(entry_peer_q.completion_queue),
    .entry_queue_valid_i(entry_peer_q.completion_valid),
    .entry_client_i(entry.client), .entry_data_i(entry.entry),
    .write_command_valid_o(entry_write_o.command_valid),
    .write_command_ready_i(ready_i.entry.command_ready),
    .write_command_data_o(entry_write_o.command), .write_beat_valid_o(entry_write_o.beat_valid),
    .write_beat_ready_i(ready_i.entry.beat_ready), .write_beat_data_o(entry_write_o.beat),
    .publish_valid_i(publishes_i.entry.valid), .publish_ready_o(accepts_o.entry_publish),
    .publish_queue_i(publishes_i.entry.target), .count_valid_o(entries.written.valid),
    .count_ready_i(entries_ready), .count_queue_o(entries.written.queue),
    .count_value_o(entries.written.count), .probe_queue_i({1'b0, probe_queue[6:0]}),
    .probe_tail_o(entries.probe.tail), .probe_enable_o(entries.probe.enable),
    .probe_owner_o(entries.probe.owner)
  );

  // The count that a WAIT begins with goes first: it comes once a WAIT, and is shown by adding 0.
  always_comb begin
    probe_operation          = '0;
    probe_operation.counter  = probe_queue;
    probe_operation.is_event = 1'b1;
    probe_operation.add      = 1'b1;
  end
  assign counter_request_o.valid     = probe_valid || counter_request.valid;
  assign counter_request_o.operation = probe_valid ? probe_operation : counter_request.operation;

  // Descriptors to packets.
  assign ready.counter                 = ready_i.counter && !probe_valid;
  assign ready.payload                 = ready_i.payload;
  assign ready.inject_request          = ready_i.inject_request;
  assign ready.inject_reply            = ready_i.inject_reply;
  assign accepts_o.notice_packet       = accepts.notice_packet;
  assign receive_orders_o.result_queue = number_request.queue;
  mu_injection_engine u_injection_engine (
    .clk_i(clk_injection_i), .clk_packet_i, .clk_reply_i, .rst_ni,
    .activity_o(injection_activity), .causes_o(engine_causes), .now_i, .straps_i,
    .register_valid_i(register_valid_i.reflection), .register_request_i,
    .register_done_o(reflection_register_done), .register_response_o(reflection_response),
    .credit_timeout_cycles_i(limits_i.credit_timeout_cycles),
    .request_descriptor_valid_i(next_valid), .request_descriptor_data_i(next_data),
    .reply_descriptor_valid_i(reply_descriptor_valid),
    .reply_descriptor_data_i(reply_descriptor_data), .queue_orders_o(orders),
    .queue_order_answer_i(order_answer), .held_o(held), .held_data_o(held_data),
    .number_request_o(number_request), .entry_queue_o(entry_queue),
    .queue_view_i(view), .received_i(result_i), .send_reports_o(send_reports), .entry_o(entry),
    .source_lookup_o, .source_answer_i, .lookup_waited_i(waited),
    .counter_request_o(counter_request), .payload_read_o(reads_o.payload),
    .payload_beat_i(beats_i.payload),
    .notice_packet_i, .credit_return_i(reception_requests_i.credit), .inject_request_o,
    .inject_reply_o, .ready_i(ready), .accepts_o(accepts)
  );

  logic unused;
  assign unused = ^{publishes_i.entry.amount, register_valid_i};

  localparam logic [7:0] ENTRY_CAUSES = 8'd1 << mu_pkg::CAUSE_COMPLETION | 8'd1 << mu_pkg::CAUSE_ERROR;
  always_comb begin
    injection_tells_of_done : assert ((engine_causes & ~{mu_pkg::CLIENTS{8'd1 << mu_pkg::CAUSE_DONE}}) == '0);
    queues_tell_of_entries : assert ((entries_causes & ~{mu_pkg::CLIENTS{ENTRY_CAUSES}}) == '0);
  end
endmodule
`default_nettype wire

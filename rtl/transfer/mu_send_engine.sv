// SPDX-License-Identifier: Apache-2.0
// mu_send_engine: from doorbells to packets: queues, what they wait for, and injection.
//
//   doorbells, slots ---> [ queues ] ---> [ cross-channel control ] ---> [ injection ] ---> inject_*
//                          ^----- retire, rewind, credits, hold, enable -----/
//
// Behaviour: that of the blocks. An engine keeps its state in a cycle in which its active output is low and
//   none of its inputs is valid: its clock may stop. Cross and reply also need theirs from
//   wake_at_o on, which is not looked at here, so that nothing has to be computed as time goes by.
// Latency: see the blocks.
// Limits: all five are one clock; each may be stopped.
`default_nettype none

module mu_send_engine (
    input  logic clk_queue_i, clk_cross_i, clk_injection_i, clk_packet_i, clk_reply_i, rst_ni,
    output logic active_queue_o, active_cross_o, active_injection_o, active_packet_o, active_reply_o,
    output logic busy_o,
    output logic [mu_pkg::CLIENTS*8-1:0] causes_o,
    input  logic [mu_pkg::TIME_BITS-1:0] now_i,
    output logic [mu_pkg::TIME_BITS-1:0] wake_at_o,
    input  mu_pkg::node_straps_t straps_i,
    input  mu_pkg::node_limits_t limits_i,
    // register bus: queues, reflection, completion queues
    input  logic [2:0] register_valid_i,
    output logic [2:0] register_done_o,
    input  mu_pkg::register_request_t register_request_i,
    output mu_pkg::register_response_t register_response_o,
    // host interface: a slot for a pushed descriptor
    input  mu_pkg::push_reserve_t push_reserve_i,
    output logic push_slots_valid_o,
    output mu_pkg::ring_slots_t slots_o,  // the answer to either reservation
    output mu_pkg::queue_turn_e taken_o,  // push_reserve_i, get_reserve_i or queue_publish_i
    // memory port, completion
    output mu_pkg::read_request_t fetch_read_o,
    input  logic fetch_command_ready_i,
    input  mu_pkg::read_beat_t fetch_beat_i,
    output mu_pkg::read_request_t payload_read_o,
    input  logic payload_command_ready_i,
    input  mu_pkg::read_beat_t payload_beat_i,
    output mu_pkg::write_request_t entry_write_o,
    input  mu_pkg::write_response_t entry_write_response_i,
    input  mu_pkg::publish_t queue_publish_i,
    input  mu_pkg::publish_t entry_publish_i,
    output logic entry_publish_ready_o,
    // region table, counters
    output logic [7:0] source_region_o,
    input  mu_pkg::region_entry_t source_entry_i,
    output mu_pkg::counter_lookup_t lookup_2_o,
    input  mu_pkg::counter_owner_t lookup_2_answer_i,
    output mu_pkg::counter_lookup_t lookup_3_o,
    input  mu_pkg::counter_owner_t lookup_3_answer_i,
    output logic injection_valid_o,
    input  logic injection_ready_i,
    output mu_pkg::counter_operation_t injection_operation_o,
    input  mu_pkg::event_change_t event_change_i,
    input  logic [7:0] waited_index_i,
    output logic waited_o,
    // CALC
    output logic calc_valid_o,
    input  logic calc_ready_i,
    output mu_pkg::fetched_descriptor_t calc_descriptor_o,
    input  mu_pkg::calc_done_t calc_done_i,
    output logic calc_done_ready_o,
    // reception engine: GETs, notices, credits
    input  mu_pkg::get_reserve_t get_reserve_i,
    output logic get_slots_valid_o,
    input  logic [7:0] empty_queue_i,
    output logic empty_o,
    input  mu_pkg::notice_packet_t notice_packet_i,
    output logic notice_packet_ready_o,
    input  mu_pkg::credit_return_t credit_return_i,
    // reception engine: queue pairs
    output mu_pkg::buffer_offer_t buffer_o,
    output mu_pkg::pair_reset_t pair_reset_o,
    input  mu_pkg::received_end_t receive_end_i,
    output logic receive_end_ready_o,
    output mu_pkg::queue_select_t watch_o,
    input  mu_pkg::arriving_message_t arriving_i,
    input  logic message_valid_i,
    output logic message_ready_o,
    input  mu_pkg::received_message_t message_i,
    input  mu_pkg::send_outcome_t send_answer_i,
    output logic [7:0] result_queue_o,
    input  mu_pkg::receive_result_t result_i,
    input  logic [7:0] receive_queue_i,
    output mu_pkg::queue_peer_t receive_peer_o,
    input  logic [7:0] answer_queue_i,
    output mu_pkg::queue_peer_t answer_peer_o,
    // router
    output mu_pkg::flit_stream_t inject_request_o,
    input  logic inject_request_ready_i,
    output mu_pkg::flit_stream_t inject_reply_o,
    input  logic inject_reply_ready_i
);
  logic queue_busy, queue_active, cross_busy, cross_waiting, pairs_busy, entries_busy, engine_busy;
  logic [mu_pkg::CLIENTS*8-1:0] queue_causes, engine_causes, entries_causes;
  mu_pkg::register_response_t queue_response, reflection_response, entry_response;
  logic [mu_pkg::TIME_BITS-1:0] credits_wake_at, sends_wake_at;

  // Descriptors from the queues to the packetiser, and back to be held.
  logic request_descriptor_valid, request_descriptor_ready, reply_descriptor_valid, reply_descriptor_ready;
  logic free_valid, free_ready, next_valid, next_ready, held_ready;
  mu_pkg::fetched_descriptor_t request_descriptor_data, reply_descriptor_data, free_data, held_data;
  mu_pkg::fetched_descriptor_t next_data, pipe_data;
  mu_pkg::held_request_t held;

  // What is asked of the queues, and becomes of them.
  mu_pkg::queue_requests_t requests;
  mu_pkg::queue_events_t events;
  mu_pkg::descriptor_retire_t retire;
  mu_pkg::place_request_t rewind;
  mu_pkg::enable_request_t enable;
  mu_pkg::status_e enable_status;
  mu_pkg::queue_probe_t probe;
  logic [7:0] probe_queue;
  logic credit_returned;

  // Peers of queues.
  mu_pkg::queue_select_t peer_write;
  mu_pkg::queue_peer_t register_peer, send_peer, entry_peer, entry_peer_q, told_peer;
  logic [7:0] entry_queue;
  logic [mu_pkg::INJECTION_QUEUES-1:0] dynamic_queues;

  // SENDs, RECEIVEs, PIPEs.
  mu_pkg::pair_command_t command;
  mu_pkg::pair_ends_t ends;
  mu_pkg::pair_ends_ready_t ends_ready;
  mu_pkg::send_begin_t begins;
  mu_pkg::queue_select_t pipe_read;
  mu_pkg::number_request_t number_request;
  mu_pkg::send_number_t number;
  mu_pkg::send_progress_t progress;
  mu_pkg::send_hold_t hold;
  mu_pkg::send_outcome_t failure;
  logic [mu_pkg::INJECTION_QUEUES-1:0] may_ahead, fence_ahead, under_way, held_queues;

  // Counters, completion entries.
  logic operation_valid, operation_ready, probe_valid, waited, entry_ready, entries_ready;
  mu_pkg::counter_operation_t operation, probe_operation;
  mu_pkg::completion_request_t entry;
  mu_pkg::entry_counts_t entries;

  assign busy_o    = queue_busy || engine_busy || cross_busy || pairs_busy || entries_busy;
  assign wake_at_o = sends_wake_at < credits_wake_at ? sends_wake_at : credits_wake_at;
  assign causes_o  = queue_causes | engine_causes | entries_causes;
  assign register_response_o = queue_response | reflection_response | entry_response;
  assign active_queue_o = queue_active || get_reserve_i.valid || push_reserve_i.valid ||
                          queue_publish_i.valid || fetch_beat_i.valid || retire.valid ||
                          rewind.valid ||
                          credit_returned || requests.hold.valid || requests.resume.valid ||
                          requests.releases.valid || enable.valid || register_valid_i[0];
  assign active_cross_o = cross_busy || pairs_busy || entries_busy || events.configure.pending ||
                          calc_done_i.valid ||
                          (cross_waiting && (event_change_i.valid || events.done.valid)) ||
                          (request_descriptor_valid && request_descriptor_ready) || held.valid ||
                          entry.valid || progress.left || progress.goes_ahead || failure.valid ||
                          register_valid_i[2] || entry_publish_i.valid || send_answer_i.valid ||
                          receive_end_i.valid;

  // Rings of descriptors, scheduler, fetch.
  assign taken_o          = events.taken;
  assign enable.operation = operation;
  mu_queue_engine u_queue_engine (
    .clk_i(clk_queue_i), .rst_ni, .busy_o(queue_busy), .active_o(queue_active),
    .causes_o(queue_causes), .register_valid_i(register_valid_i[0]), .register_request_i,
    .register_done_o(register_done_o[0]), .register_response_o(queue_response), .get_reserve_i,
    .get_slots_valid_o, .slots_o, .empty_queue_i, .empty_o, .push_reserve_i, .push_slots_valid_o,
    .publish_i(queue_publish_i), .fetch_read_o, .fetch_command_ready_i, .fetch_beat_i,
    .request_descriptor_valid_o(request_descriptor_valid),
    .request_descriptor_ready_i(request_descriptor_ready),
    .request_descriptor_data_o(request_descriptor_data),
    .reply_descriptor_valid_o(reply_descriptor_valid),
    .reply_descriptor_ready_i(reply_descriptor_ready),
    .reply_descriptor_data_o(reply_descriptor_data), .retire_i(retire), .rewind_i(rewind),
    .credit_returned_i(credit_returned), .enable_i(enable), .enable_status_o(enable_status),
    .requests_i(requests), .events_o(events), .probe_queue_i(probe_queue), .probe_o(probe),
    .last_node_i({straps_i.last_z, straps_i.last_y, straps_i.last_x}), .peer_write_o(peer_write),
    .peer_i(register_peer)
  );
  mu_queue_peers #(
      .QUEUES(mu_pkg::INJECTION_QUEUES)
  ) u_queue_peers (
    .clk_i(clk_queue_i), .rst_ni, .write_i(peer_write.valid), .write_queue_i(peer_write.queue),
    .write_peer_i(register_request_i.data[mu_pkg::QUEUE_PEER_BITS-1:0]),
    .register_queue_i(peer_write.queue), .register_peer_o(register_peer),
    .send_queue_i(number_request.queue), .send_peer_o(send_peer), .entry_queue_i(entry_queue),
    .entry_peer_o(entry_peer), .told_queue_i(send_answer_i.answer.queue), .told_peer_o(told_peer),
    .receive_queue_i, .receive_peer_o, .answer_queue_i, .answer_peer_o, .dynamic_o(dynamic_queues)
  );

  // Queues that wait, and what they wait for.
  mu_cross_channel u_cross_channel (
    .clk_i(clk_cross_i), .rst_ni, .busy_o(cross_busy), .waiting_o(cross_waiting),
    .in_valid_i(request_descriptor_valid), .in_ready_o(request_descriptor_ready),
    .in_data_i(request_descriptor_data), .requests_o(requests), .events_i(events),
    .probe_queue_o(probe_queue), .probe_i(probe), .out_valid_o(free_valid),
    .out_ready_i(free_ready), .out_data_o(free_data), .held_i(held), .held_ready_o(held_ready),
    .held_data_i(held_data), .event_change_i, .waited_index_0_i(lookup_2_o.index),
    .waited_index_1_i(waited_index_i), .waited_0_o(waited), .waited_1_o(waited_o),
    .operation_valid_o(probe_valid), .operation_ready_i(injection_ready_i), .entries_i(entries),
    .entries_ready_o(entries_ready), .command_o(command), .ends_i(ends), .ends_ready_o(ends_ready),
    .may_ahead_i(may_ahead), .fence_ahead_i(fence_ahead), .under_way_i(under_way),
    .held_o(held_queues), .pipe_read_i(pipe_read), .pipe_data_o(pipe_data), .calc_valid_o,
    .calc_ready_i, .calc_data_o(calc_descriptor_o), .calc_done_i, .calc_done_ready_o
  );

  // SENDs until they are acknowledged, and PIPEs.
  always_comb begin
    begins.node  = {held_data.descriptor.header.dst_z, held_data.descriptor.header.dst_y,
                    held_data.descriptor.header.dst_x};
    begins.index = held_data.index;
    begins.queue = held_data.queue;
    begins.fence = 4'(held_data.descriptor.opcode) == 4'(mu_pkg::OPCODE_FENCE);
    begins.sent  = held_data.ahead;
  end
  mu_queue_pairs u_queue_pairs (
    .clk_i(clk_cross_i), .rst_ni, .busy_o(pairs_busy), .now_i, .wake_at_o(sends_wake_at), .limits_i,
    .dynamic_i(dynamic_queues), .configure_i(events.configure), .in_valid_i(free_valid),
    .in_ready_o(free_ready), .in_data_i(free_data), .out_valid_o(next_valid),
    .out_ready_i(next_ready), .out_data_o(next_data), .command_i(command), .begin_i(begins),
    .ends_o(ends), .ends_ready_i(ends_ready), .may_ahead_o(may_ahead), .fence_ahead_o(fence_ahead),
    .under_way_o(under_way), .held_i(held_queues), .pipe_read_o(pipe_read), .pipe_data_i(pipe_data),
    .buffer_o, .reset_o(pair_reset_o), .receive_end_i, .receive_end_ready_o, .watch_o, .arriving_i,
    .message_valid_i, .message_ready_o, .message_i, .number_i(number_request), .number_o(number),
    .progress_i(progress), .hold_o(hold), .answer_i(send_answer_i), .answer_peer_i(told_peer),
    .failure_i(failure)
  );

  // Entries of what is done. The peer of a slot's queue is looked up in the cycle before its first step.
  always_ff @(posedge clk_injection_i) if (engine_busy) entry_peer_q <= entry_peer;
  mu_completion_queues u_completion_queues (
    .clk_i(clk_cross_i), .rst_ni, .busy_o(entries_busy), .causes_o(entries_causes),
    .register_valid_i(register_valid_i[2]), .register_request_i,
    .register_done_o(register_done_o[2]), .register_response_o(entry_response),
    .entry_valid_i(entry.valid), .entry_ready_o(entry_ready),
    .entry_queue_i(entry_peer_q.completion_queue),
    .entry_queue_valid_i(entry_peer_q.completion_valid),
    .entry_client_i(entry.client), .entry_data_i(entry.entry),
    .write_command_valid_o(entry_write_o.command_valid),
    .write_command_ready_i(entry_write_response_i.command_ready),
    .write_command_data_o(entry_write_o.command), .write_beat_valid_o(entry_write_o.beat_valid),
    .write_beat_ready_i(entry_write_response_i.beat_ready), .write_beat_data_o(entry_write_o.beat),
    .publish_valid_i(entry_publish_i.valid), .publish_ready_o(entry_publish_ready_o),
    .publish_queue_i(entry_publish_i.target), .count_valid_o(entries.written.valid),
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
  assign injection_valid_o     = probe_valid || operation_valid;
  assign injection_operation_o = probe_valid ? probe_operation : operation;
  assign operation_ready       = injection_ready_i && !probe_valid;

  // Descriptors to packets.
  assign result_queue_o = number_request.queue;
  mu_injection_engine u_injection_engine (
    .clk_i(clk_injection_i), .clk_packet_i, .clk_reply_i, .rst_ni, .now_i, .busy_o(engine_busy),
    .active_o(active_injection_o), .active_packet_o, .active_reply_o, .wake_at_o(credits_wake_at),
    .causes_o(engine_causes), .straps_i, .register_valid_i(register_valid_i[1]),
    .register_request_i, .register_done_o(register_done_o[1]),
    .register_response_o(reflection_response),
    .credit_timeout_cycles_i(limits_i.credit_timeout_cycles),
    .request_descriptor_valid_i(next_valid), .request_descriptor_ready_o(next_ready),
    .request_descriptor_data_i(next_data), .reply_descriptor_valid_i(reply_descriptor_valid),
    .reply_descriptor_ready_o(reply_descriptor_ready),
    .reply_descriptor_data_i(reply_descriptor_data), .retire_o(retire), .rewind_o(rewind),
    .enable_valid_o(enable.valid), .enable_status_i(enable_status), .taken_i(events.taken),
    .credit_returned_o(credit_returned), .held_o(held), .held_ready_i(held_ready),
    .held_data_o(held_data), .peer_queue_o(number_request.queue), .peer_i(send_peer),
    .send_ahead_o(number_request.ahead), .number_i(number), .progress_o(progress), .hold_i(hold),
    .received_i(result_i), .failure_o(failure), .entry_queue_o(entry_queue),
    .entry_peer_i(entry_peer_q), .entry_o(entry), .entry_ready_i(entry_ready), .source_region_o,
    .source_entry_i, .lookup_2_o, .lookup_2_answer_i, .lookup_2_waited_i(waited), .lookup_3_o,
    .lookup_3_answer_i, .injection_valid_o(operation_valid), .injection_ready_i(operation_ready),
    .injection_operation_o(operation), .payload_read_o, .payload_command_ready_i, .payload_beat_i,
    .notice_packet_i, .notice_packet_ready_o, .credit_return_i, .inject_request_o,
    .inject_request_ready_i, .inject_reply_o, .inject_reply_ready_i
  );

  logic unused;
  assign unused = ^entry_publish_i;

  localparam logic [7:0] ENTRY_CAUSES = 8'd1 << mu_pkg::CAUSE_COMPLETION | 8'd1 << mu_pkg::CAUSE_ERROR;
  always_comb begin
    injection_tells_of_done : assert ((engine_causes & ~{mu_pkg::CLIENTS{8'd1 << mu_pkg::CAUSE_DONE}}) == '0);
    queues_tell_of_entries : assert ((entries_causes & ~{mu_pkg::CLIENTS{ENTRY_CAUSES}}) == '0);
  end
endmodule
`default_nettype wire

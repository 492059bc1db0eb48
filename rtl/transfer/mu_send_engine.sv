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
    output logic queue_register_done_o, queue_busy_o,
    output logic [mu_pkg::CLIENTS*8-1:0] queue_causes_o,
    input  mu_pkg::register_request_t register_request_i,
    output mu_pkg::register_response_t queue_register_response_o,
    input  logic get_reserve_valid_i, queue_register_valid_i,
    output logic get_reserve_ready_o,
    input  logic [7:0] get_reserve_queue_i,
    input  logic [3:0] get_reserve_count_i,
    input  logic get_reserve_reflected_i,
    output logic get_slots_valid_o, empty_o,
    output mu_pkg::ring_slots_t get_slots_o,
    input  mu_pkg::push_reserve_t push_reserve_i,
    input  logic [7:0] empty_queue_i,
    output logic push_reserve_ready_o, push_slots_valid_o,
    output mu_pkg::ring_slots_t push_slots_o,
    input  mu_pkg::publish_t publish_i,
    input  logic fetch_command_ready_i,
    output mu_pkg::read_request_t fetch_read_o,
    output logic publish_ready_o,
    input  mu_pkg::read_beat_t fetch_beat_i,
    input  logic [mu_pkg::TIME_BITS-1:0] now_i,
    output logic injection_busy_o,
    output logic [mu_pkg::TIME_BITS-1:0] wake_at_o,
    output logic [mu_pkg::CLIENTS*8-1:0] injection_causes_o,
    input  mu_pkg::node_straps_t straps_i,
    input  logic reflection_register_valid_i,
    output logic reflection_register_done_o,
    output mu_pkg::register_response_t reflection_register_response_o,
    input  logic [31:0] credit_timeout_cycles_i,
    output mu_pkg::counter_lookup_t lookup_2_o,
    output logic [7:0] source_region_o,
    input  mu_pkg::region_entry_t source_entry_i,
    input  mu_pkg::counter_owner_t lookup_2_answer_i,
    input  mu_pkg::counter_owner_t lookup_3_answer_i,
    output mu_pkg::counter_lookup_t lookup_3_o,
    output logic injection_valid_o,
    input  logic injection_ready_i,
    output mu_pkg::counter_operation_t injection_operation_o,
    output mu_pkg::read_request_t payload_read_o,
    input  mu_pkg::read_beat_t payload_beat_i,
    input  logic payload_command_ready_i,
    input  logic notice_packet_valid_i,
    output logic notice_packet_ready_o,
    input  mu_pkg::packet_header_t notice_packet_header_i,
    input  mu_pkg::packet_trailer_t notice_packet_trailer_i,
    input  logic credit_return_valid_i,
    input  logic [7:0] credit_return_queue_i,
    input  logic [15:0] credit_return_number_i,
    output mu_pkg::flit_stream_t inject_request_o, inject_reply_o,
    input  logic inject_request_ready_i, inject_reply_ready_i,
    // queue pairs
    input  logic [24:0] send_retry_cycles_i,
    input  logic [7:0] send_retries_i,
    input  mu_pkg::send_answer_t send_answer_i,
    output logic buffer_valid_o, reset_pair_o, stop_pair_o, configured_o, configured_receive_o,
    output mu_pkg::receive_buffer_t buffer_o,
    output logic [7:0] reset_queue_o, result_queue_o, watch_queue_o,
    input  logic receive_end_valid_i, message_valid_i, arriving_valid_i, send_answer_valid_i,
    output logic receive_end_ready_o, message_ready_o, watch_o,
    input  mu_pkg::received_message_t message_i,
    input  mu_pkg::queue_end_t receive_end_i,
    input  mu_pkg::receive_result_t receive_end_result_i,
    input  logic [31:0] arriving_bytes_i,
    input  mu_pkg::receive_result_t result_i,
    input  logic [7:0] receive_queue_i, answer_queue_i,
    output mu_pkg::queue_peer_t receive_peer_o, answer_peer_o,
    // completion queues
    input  mu_pkg::write_response_t entry_write_response_i,
    input  logic entry_register_valid_i,
    output mu_pkg::write_request_t entry_write_o,
    output logic entry_register_done_o,
    output mu_pkg::register_response_t entry_register_response_o,
    input  logic entry_publish_valid_i,
    output logic entry_publish_ready_o,
    input  mu_pkg::event_change_t event_change_i,
    input  logic [7:0] entry_publish_queue_i, waited_index_i,
    input  logic calc_ready_i,
    output logic waited_o, calc_valid_o, calc_done_ready_o,
    output mu_pkg::fetched_descriptor_t calc_descriptor_o,
    input  logic calc_done_valid_i,
    input  mu_pkg::status_e calc_done_status_i
);
  logic request_descriptor_valid, request_descriptor_ready, reply_descriptor_valid, reply_descriptor_ready;
  logic retire_valid, retire_ready, rewind_valid, rewind_ready, credit_returned, send_doubtful, cross_busy;
  logic cross_waiting, free_valid, free_ready, held_valid, held_ready, hold_valid, hold_ready, resume_valid;
  logic resume_ready, release_valid, enable_valid, enable_ready, configure_valid, configured, done_valid;
  logic operation_valid, operation_ready, probe_valid, waited, engine_busy, send_begin, send_begin_sent;
  logic send_end_valid, send_end_ready, again_valid, again_ready, send_broken, send_left, send_ahead;
  logic send_goes_ahead, ahead_good, flush_pair, buffer_valid, pair_end_valid, pair_end_ready, pipe_due;
  logic pipe_end_valid, pipe_end_ready, next_valid, next_ready, probe_enable, failure_valid, pairs_busy;
  logic entries_busy, entry_valid, entry_ready, entries_valid, entries_ready, queue_active, hold, spoil;
  mu_pkg::queue_place_t rewind_place, hold_place, resume_place;
  mu_pkg::fetched_descriptor_t request_descriptor_data, reply_descriptor_data, free_data, held_data;
  mu_pkg::fetched_descriptor_t next_data, pipe_data;
  mu_pkg::counter_operation_t operation, probe_operation;
  logic [7:0] release_queue, configure_queue, done_queue, probe_queue, retire_queue;
  mu_pkg::status_e enable_status, retire_status;
  logic [7:0] send_queue, peer_queue, entry_queue, entries_queue, told_queue, again_queue;
  logic [7:0] pipe_due_queue, pipe_queue;
  logic pipe_read;
  logic [6:0] probe_setup;
  logic [11:0] send_node;
  logic [31:0] retire_index, done_head, probe_head, send_number, entries_tail, probe_tail;
  logic [39:0] held_address, pipe_address;
  logic [3:0] entry_client, probe_owner;
  logic [mu_pkg::INJECTION_QUEUES-1:0] may_ahead, fence_ahead, under_way, held_queues, dynamic_queues;
  mu_pkg::receive_buffer_t buffer;
  logic [mu_pkg::TIME_BITS-1:0] credits_wake_at, sends_wake_at;
  logic [mu_pkg::CLIENTS*8-1:0] engine_causes, entries_causes;
  mu_pkg::queue_end_t send_end, pipe_end;
  mu_pkg::send_answer_t failure; mu_pkg::completion_entry_t entry;
  mu_pkg::queue_peer_t send_peer, entry_peer, told_peer;

  assign send_node        = {held_data.descriptor.header.dst_z, held_data.descriptor.header.dst_y,
                             held_data.descriptor.header.dst_x};
  assign injection_busy_o = engine_busy || cross_busy || pairs_busy || entries_busy;
  assign wake_at_o          = sends_wake_at < credits_wake_at ? sends_wake_at : credits_wake_at;
  assign injection_causes_o = engine_causes | entries_causes;
  assign configured_o       = configured;
  assign result_queue_o     = peer_queue;
  assign active_queue_o = queue_active || get_reserve_valid_i || push_reserve_i.valid || publish_i.valid ||
                          fetch_beat_i.valid || retire_valid || rewind_valid || credit_returned ||
                          hold_valid || resume_valid || release_valid || enable_valid ||
                          queue_register_valid_i;
  assign active_cross_o = cross_busy || pairs_busy || entries_busy || configure_valid || calc_done_valid_i ||
                          (cross_waiting && (event_change_i.valid || done_valid)) ||
                          (request_descriptor_valid && request_descriptor_ready) || held_valid ||
                          entry_valid || send_left || send_goes_ahead || failure_valid ||
                          entry_register_valid_i || entry_publish_valid_i || send_answer_valid_i ||
                          receive_end_valid_i;

  // Rings of descriptors, scheduler, fetch.
  mu_queue_engine u_queue_engine (
    .clk_i(clk_queue_i), .rst_ni, .busy_o(queue_busy_o), .active_o(queue_active), .causes_o(queue_causes_o),
    .register_valid_i(queue_register_valid_i), .register_request_i, .register_done_o(queue_register_done_o),
    .register_response_o(queue_register_response_o), .get_reserve_valid_i, .get_reserve_ready_o,
    .get_reserve_queue_i, .get_reserve_count_i, .get_reserve_reflected_i, .get_slots_valid_o, .get_slots_o,
    .empty_queue_i, .empty_o, .push_reserve_valid_i(push_reserve_i.valid), .push_reserve_ready_o,
    .push_reserve_queue_i(push_reserve_i.queue), .push_reserve_client_i(push_reserve_i.client),
    .push_slots_valid_o, .push_slots_o, .publish_valid_i(publish_i.valid), .publish_ready_o,
    .publish_target_i(publish_i.target), .publish_count_i(publish_i.amount),
    .fetch_command_valid_o(fetch_read_o.valid), .fetch_command_ready_i,
    .fetch_command_data_o(fetch_read_o.command), .fetch_beat_valid_i(fetch_beat_i.valid),
    .fetch_beat_data_i(fetch_beat_i.data), .fetch_beat_last_i(fetch_beat_i.last),
    .fetch_beat_error_i(fetch_beat_i.error), .request_descriptor_valid_o(request_descriptor_valid),
    .request_descriptor_ready_i(request_descriptor_ready),
    .request_descriptor_data_o(request_descriptor_data), .reply_descriptor_valid_o(reply_descriptor_valid),
    .reply_descriptor_ready_i(reply_descriptor_ready), .reply_descriptor_data_o(reply_descriptor_data),
    .retire_valid_i(retire_valid), .retire_ready_o(retire_ready), .retire_queue_i(retire_queue),
    .retire_index_i(retire_index), .retire_status_i(retire_status), .rewind_valid_i(rewind_valid),
    .rewind_ready_o(rewind_ready), .rewind_place_i(rewind_place), .credit_returned_i(credit_returned),
    .enable_valid_i(enable_valid), .enable_ready_o(enable_ready), .enable_operation_i(operation),
    .enable_status_o(enable_status), .hold_valid_i(hold_valid), .hold_ready_o(hold_ready),
    .resume_valid_i(resume_valid), .resume_ready_o(resume_ready), .hold_place_i(hold_place),
    .resume_place_i(resume_place), .release_valid_i(release_valid), .release_queue_i(release_queue),
    .configure_valid_o(configure_valid), .configured_o(configured), .configure_queue_o(configure_queue),
    .done_valid_o(done_valid), .done_queue_o(done_queue), .done_head_o(done_head),
    .probe_queue_i(probe_queue), .probe_head_o(probe_head), .probe_setup_o(probe_setup),
    .configured_receive_o, .last_node_i({straps_i.last_z, straps_i.last_y, straps_i.last_x}),
    .send_queue_i(peer_queue), .send_peer_o(send_peer), .entry_queue_i(entry_queue),
    .entry_peer_o(entry_peer), .told_queue_i(told_queue), .told_peer_o(told_peer), .receive_queue_i,
    .receive_peer_o, .answer_queue_i, .answer_peer_o, .dynamic_o(dynamic_queues)
  );

  // Queues that wait, and what they wait for.
  mu_cross_channel u_cross_channel (
    .clk_i(clk_cross_i), .rst_ni, .busy_o(cross_busy), .waiting_o(cross_waiting),
    .in_valid_i(request_descriptor_valid), .in_ready_o(request_descriptor_ready),
    .in_data_i(request_descriptor_data), .hold_valid_o(hold_valid), .hold_ready_i(hold_ready),
    .hold_place_o(hold_place), .resume_valid_o(resume_valid), .resume_ready_i(resume_ready),
    .resume_place_o(resume_place), .release_valid_o(release_valid), .release_queue_o(release_queue),
    .configure_valid_i(configure_valid), .configured_i(configured), .configure_queue_i(configure_queue),
    .done_valid_i(done_valid), .done_queue_i(done_queue), .done_head_i(done_head),
    .probe_queue_o(probe_queue), .probe_head_i(probe_head), .probe_setup_i(probe_setup),
    .out_valid_o(free_valid), .out_ready_i(free_ready), .out_data_o(free_data), .held_valid_i(held_valid),
    .held_ready_o(held_ready), .held_data_i(held_data), .held_address_i(held_address),
    .entries_valid_i(entries_valid), .entries_ready_o(entries_ready), .entries_queue_i(entries_queue),
    .entries_tail_i(entries_tail), .probe_tail_i(probe_tail), .probe_enable_i(probe_enable),
    .probe_owner_i(probe_owner), .send_begin_o(send_begin), .send_begin_sent_o(send_begin_sent),
    .send_queue_o(send_queue), .may_ahead_i(may_ahead), .fence_ahead_i(fence_ahead), .under_way_i(under_way),
    .send_end_valid_i(send_end_valid), .send_end_ready_o(send_end_ready), .send_end_i(send_end),
    .again_valid_i(again_valid), .again_ready_o(again_ready), .again_queue_i(again_queue),
    .buffer_valid_o(buffer_valid), .buffer_o(buffer), .receive_end_valid_i(pair_end_valid),
    .receive_end_ready_o(pair_end_ready), .receive_end_i, .flush_pair_o(flush_pair), .pipe_due_o(pipe_due),
    .pipe_due_queue_o(pipe_due_queue), .pipe_address_o(pipe_address), .held_o(held_queues),
    .pipe_read_i(pipe_read), .pipe_queue_i(pipe_queue), .pipe_data_o(pipe_data),
    .pipe_end_valid_i(pipe_end_valid),
    .pipe_end_ready_o(pipe_end_ready), .pipe_end_i(pipe_end), .event_valid_i(event_change_i.valid),
    .event_index_i(event_change_i.index), .event_value_i(event_change_i.value),
    .operation_valid_o(probe_valid), .operation_ready_i(injection_ready_i), .operation_o(probe_operation),
    .waited_index_0_i(lookup_2_o.index), .waited_0_o(waited), .waited_index_1_i(waited_index_i),
    .waited_1_o(waited_o), .calc_valid_o, .calc_ready_i, .calc_data_o(calc_descriptor_o), .calc_done_valid_i,
    .calc_done_ready_o, .calc_done_status_i
  );

  // SENDs until they are acknowledged, and PIPEs.
  mu_queue_pairs u_queue_pairs (
    .clk_i(clk_cross_i), .rst_ni, .busy_o(pairs_busy), .now_i, .wake_at_o(sends_wake_at),
    .send_retry_cycles_i, .send_retries_i, .in_valid_i(free_valid), .in_ready_o(free_ready),
    .in_data_i(free_data), .out_valid_o(next_valid), .out_ready_i(next_ready), .out_data_o(next_data),
    .begin_i(send_begin), .begin_fence_i(4'(held_data.descriptor.opcode) == 4'(mu_pkg::OPCODE_FENCE)),
    .begin_index_i(held_data.index), .begin_sent_i(send_begin_sent), .begin_queue_i(send_queue),
    .begin_node_i(send_node), .may_ahead_o(may_ahead), .fence_ahead_o(fence_ahead), .under_way_o(under_way),
    .send_end_valid_o(send_end_valid), .send_end_ready_i(send_end_ready), .send_end_o(send_end),
    .again_valid_o(again_valid), .again_ready_i(again_ready), .again_queue_o(again_queue),
    .buffer_valid_i(buffer_valid), .buffer_i(buffer), .receive_end_valid_o(pair_end_valid),
    .receive_end_ready_i(pair_end_ready), .flush_i(flush_pair), .configure_valid_i(configure_valid),
    .configured_i(configured), .configure_queue_i(configure_queue),
    .configured_setup_i(register_request_i.data[7:0]), .pipe_due_i(pipe_due),
    .pipe_due_queue_i(pipe_due_queue), .pipe_address_i(pipe_address), .held_i(held_queues),
    .pipe_read_o(pipe_read), .pipe_queue_o(pipe_queue), .pipe_data_i(pipe_data),
    .pipe_end_valid_o(pipe_end_valid),
    .pipe_end_ready_i(pipe_end_ready), .pipe_end_o(pipe_end), .buffer_valid_o, .buffer_o,
    .receive_end_valid_i, .receive_end_ready_o, .receive_end_i, .receive_result_i(receive_end_result_i),
    .reset_o(reset_pair_o), .stop_o(stop_pair_o), .reset_queue_o, .dynamic_i(dynamic_queues),
    .message_valid_i, .message_ready_o, .message_i, .number_queue_i(peer_queue), .number_ahead_i(send_ahead),
    .number_o(send_number), .doubtful_o(send_doubtful), .broken_o(send_broken), .ahead_good_o(ahead_good),
    .ahead_i(send_goes_ahead), .left_i(send_left), .hold_o(hold), .spoil_o(spoil), .watch_o, .watch_queue_o,
    .arriving_valid_i, .arriving_bytes_i, .answer_valid_i(send_answer_valid_i), .answer_i(send_answer_i),
    .answer_queue_o(told_queue), .answer_peer_i(told_peer), .failure_valid_i(failure_valid),
    .failure_i(failure)
  );

  // Entries of what is done.
  mu_completion_queues u_completion_queues (
    .clk_i(clk_cross_i), .rst_ni, .busy_o(entries_busy), .causes_o(entries_causes),
    .register_valid_i(entry_register_valid_i), .register_request_i, .register_done_o(entry_register_done_o),
    .register_response_o(entry_register_response_o), .entry_valid_i(entry_valid),
    .entry_ready_o(entry_ready), .entry_queue_i(entry_peer.completion_queue),
    .entry_queue_valid_i(entry_peer.completion_valid), .entry_client_i(entry_client), .entry_data_i(entry),
    .write_command_valid_o(entry_write_o.command_valid),
    .write_command_ready_i(entry_write_response_i.command_ready),
    .write_command_data_o(entry_write_o.command), .write_beat_valid_o(entry_write_o.beat_valid),
    .write_beat_ready_i(entry_write_response_i.beat_ready), .write_beat_data_o(entry_write_o.beat),
    .publish_valid_i(entry_publish_valid_i), .publish_ready_o(entry_publish_ready_o),
    .publish_queue_i(entry_publish_queue_i), .count_valid_o(entries_valid), .count_ready_i(entries_ready),
    .count_queue_o(entries_queue), .count_value_o(entries_tail), .probe_queue_i({1'b0, probe_queue[6:0]}),
    .probe_tail_o(probe_tail), .probe_enable_o(probe_enable), .probe_owner_o(probe_owner)
  );

  // The count that a WAIT begins with goes first: it comes once a WAIT.
  assign injection_valid_o     = probe_valid || operation_valid;
  assign injection_operation_o = probe_valid ? probe_operation : operation;
  assign operation_ready       = injection_ready_i && !probe_valid;

  // Descriptors to packets.
  mu_injection_engine u_injection_engine (
    .clk_i(clk_injection_i), .clk_packet_i, .clk_reply_i, .rst_ni, .now_i, .busy_o(engine_busy),
    .active_o(active_injection_o), .active_packet_o, .active_reply_o, .wake_at_o(credits_wake_at),
    .causes_o(engine_causes), .straps_i, .register_valid_i(reflection_register_valid_i), .register_request_i,
    .register_done_o(reflection_register_done_o), .register_response_o(reflection_register_response_o),
    .credit_timeout_cycles_i, .request_descriptor_valid_i(next_valid),
    .request_descriptor_ready_o(next_ready), .request_descriptor_data_i(next_data),
    .reply_descriptor_valid_i(reply_descriptor_valid), .reply_descriptor_ready_o(reply_descriptor_ready),
    .reply_descriptor_data_i(reply_descriptor_data), .retire_valid_o(retire_valid),
    .retire_ready_i(retire_ready), .retire_queue_o(retire_queue), .retire_index_o(retire_index),
    .retire_status_o(retire_status), .rewind_valid_o(rewind_valid), .rewind_ready_i(rewind_ready),
    .rewind_place_o(rewind_place), .enable_valid_o(enable_valid), .enable_ready_i(enable_ready),
    .enable_status_i(enable_status), .held_valid_o(held_valid), .held_ready_i(held_ready),
    .held_data_o(held_data), .held_address_o(held_address), .peer_queue_o(peer_queue), .peer_i(send_peer),
    .send_number_i(send_number), .send_doubtful_i(send_doubtful), .send_broken_i(send_broken),
    .send_left_o(send_left), .send_ahead_o(send_ahead), .send_goes_ahead_o(send_goes_ahead),
    .ahead_good_i(ahead_good), .hold_i(hold), .spoil_i(spoil), .received_i(result_i),
    .failure_valid_o(failure_valid), .failure_o(failure), .entry_queue_o(entry_queue),
    .entry_peer_i(entry_peer), .entry_valid_o(entry_valid), .entry_ready_i(entry_ready), .entry_o(entry),
    .entry_client_o(entry_client), .credit_returned_o(credit_returned), .source_region_o, .source_entry_i,
    .lookup_2_o, .lookup_2_answer_i, .lookup_2_waited_i(waited), .lookup_3_o, .lookup_3_answer_i,
    .injection_valid_o(operation_valid), .injection_ready_i(operation_ready),
    .injection_operation_o(operation), .payload_read_o, .payload_command_ready_i, .payload_beat_i,
    .notice_packet_valid_i, .notice_packet_ready_o, .notice_packet_header_i, .notice_packet_trailer_i,
    .credit_return_valid_i, .credit_return_queue_i, .credit_return_number_i, .inject_request_o,
    .inject_request_ready_i, .inject_reply_o, .inject_reply_ready_i
  );

  localparam logic [7:0] ENTRY_CAUSES = 8'd1 << mu_pkg::CAUSE_COMPLETION | 8'd1 << mu_pkg::CAUSE_ERROR;
  always_comb begin
    injection_tells_of_done : assert ((engine_causes & ~{mu_pkg::CLIENTS{8'd1 << mu_pkg::CAUSE_DONE}}) == '0);
    queues_tell_of_entries : assert ((entries_causes & ~{mu_pkg::CLIENTS{ENTRY_CAUSES}}) == '0);
    shows_a_count_by_adding_zero : assert (probe_operation == {7'd0, 3'b101, probe_operation.counter, 38'd0});
  end
endmodule
`default_nettype wire

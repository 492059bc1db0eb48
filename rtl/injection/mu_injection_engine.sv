// SPDX-License-Identifier: Apache-2.0
// mu_injection_engine: from descriptors to packets, in two classes that never wait for one another.
//
//   request descriptors ---> mu_packetiser ---> mu_injection_slots ---> inject_request
//   credit returns ---> mu_reflection_credits ^    ^     \---> counters, retire, notices to getters
//   payload beats ---------------------------------+
//   reply descriptors, notices ---> mu_reply_injector ---> inject_reply
//
// Behaviour: descriptors of one queue take effect and are retired in order. A packet enters the router only
//   when its payload is complete. Injection counters and done events change, and descriptors retire, once the
//   source has been read. A descriptor of a REMOTE_GET queue that fails is retired with its status and a
//   NOTICE goes to the getter. See the modules named above for the rest.
// Latency: request descriptor to first flit 6 cycles, and the round trip of the memory if payload is read;
//   reply descriptor to first flit 4. A flit a cycle in each class: 34 cycles a packet of 512 bytes.
// Limits: every malformed descriptor ends in a status, see mu_descriptor_check. Beats have no ready.
//   clk_packet_i, of packets on their way out, and clk_reply_i, of credits and replies, are clk_i; each of
//   the three may be stopped while its active output is low, that of replies before wake_at_o.
`default_nettype none

module mu_injection_engine (
    input  logic                         clk_i, clk_packet_i, clk_reply_i, rst_ni,
    output mu_pkg::injection_activity_t  activity_o,
    output logic [mu_pkg::CLIENTS*8-1:0] causes_o,
    input  mu_pkg::cycle_t               now_i,
    // straps
    input  mu_pkg::node_straps_t         straps_i,
    // register bus: block reflection
    input  logic                         register_valid_i,
    input  mu_pkg::register_request_t    register_request_i,
    output logic                         register_done_o,
    output mu_pkg::register_response_t   register_response_o,
    input  logic [31:0]                  credit_timeout_cycles_i,
    // queue engine
    input  logic                         request_descriptor_valid_i,
    input  mu_pkg::fetched_descriptor_t  request_descriptor_data_i,
    input  logic                         reply_descriptor_valid_i,
    input  mu_pkg::fetched_descriptor_t  reply_descriptor_data_i,
    output mu_pkg::queue_orders_t        queue_orders_o,
    input  mu_pkg::queue_order_answer_t  queue_order_answer_i,
    // cross-channel control
    output mu_pkg::held_request_t        held_o,
    output mu_pkg::fetched_descriptor_t  held_data_o,
    // queue pairs, peers of queues, completion queues
    output mu_pkg::number_request_t      number_request_o,
    output logic [7:0]                   entry_queue_o,
    input  mu_pkg::queue_view_t          queue_view_i,
    input  mu_pkg::receive_result_t      received_i,
    output mu_pkg::send_reports_t        send_reports_o,
    output mu_pkg::completion_request_t  entry_o,
    // region table, counters; lookup_waited_i: a WAIT is on source_lookup_o.counter
    output mu_pkg::source_lookup_t       source_lookup_o,
    input  mu_pkg::source_answer_t       source_answer_i,
    input  logic                         lookup_waited_i,
    output mu_pkg::counter_request_t     counter_request_o,
    // memory port
    output mu_pkg::read_request_t        payload_read_o,
    input  mu_pkg::read_beat_t           payload_beat_i,
    // reception engine
    input  mu_pkg::notice_packet_t       notice_packet_i,
    input  mu_pkg::credit_return_t       credit_return_i,
    // router
    output mu_pkg::flit_stream_t         inject_request_o,
    output mu_pkg::flit_stream_t         inject_reply_o,
    // of all these
    input  mu_pkg::injection_ready_t     ready_i,
    output mu_pkg::injection_accepts_t   accepts_o
);
  logic credits_busy, packetiser_busy, packetiser_active, slots_busy, slots_active, reply_busy;

  logic query_valid, credit_settles;
  mu_pkg::credit_ask_t credit_ask;
  mu_pkg::credit_offer_t credit;
  mu_pkg::credit_take_t credit_take;

  logic open_valid, open_ready, own_notice_ready, retire_ready, request_retire_ready;
  logic reply_retire_ready;
  mu_pkg::packet_open_t open;
  mu_pkg::slot_abort_t abort;
  mu_pkg::notice_packet_t own_notice;
  mu_pkg::descriptor_retire_t request_retire, reply_retire;

  mu_reflection_credits u_reflection_credits (
      .clk_i           (clk_reply_i),
      .rst_ni,
      .now_i,
      .busy_o          (credits_busy),
      .wake_at_o       (activity_o.wake_at),
      .timeout_cycles_i(credit_timeout_cycles_i),
      .straps_i,
      .register_valid_i,
      .register_request_i,
      .register_done_o,
      .register_response_o,
      .ask_i           (credit_ask.valid),
      .preferred_i     (credit_ask.preferred),
      .settles_o       (credit_settles),
      .available_o     (credit.available),
      .configured_o    (credit.configured),
      .query_valid_o   (query_valid),
      .direction_o     (credit.direction),
      .number_o        (credit.number),
      .neighbour_o     (credit.neighbour),
      .take_i          (credit_take.credit),
      .query_taken_i   (credit_take.query),
      .credit_return_valid_i (credit_return_i.valid),
      .credit_return_queue_i (credit_return_i.queue),
      .credit_return_number_i(credit_return_i.number),
      .credit_returned_o(queue_orders_o.credit_returned)
  );

  mu_packetiser u_packetiser (
      .clk_i, .rst_ni, .busy_o(packetiser_busy), .active_o(packetiser_active), .straps_i,
      .descriptor_valid_i(request_descriptor_valid_i),
      .descriptor_ready_o(accepts_o.request_descriptor),
      .descriptor_data_i(request_descriptor_data_i), .rewind_o(queue_orders_o.rewind),
      .rewind_ready_i(queue_order_answer_i.taken == mu_pkg::QUEUE_TURN_REWIND), .held_o,
      .held_ready_i(ready_i.held), .held_data_o, .peer_queue_o(number_request_o.queue),
      .peer_i(queue_view_i.peer), .send_ahead_o(number_request_o.ahead),
      .number_i(queue_view_i.number), .progress_o(send_reports_o.progress), .received_i,
      .hold_i(queue_view_i.hold), .source_region_o(source_lookup_o.region),
      .source_entry_i(source_answer_i.region), .lookup_2_o(source_lookup_o.counter),
      .lookup_2_answer_i(source_answer_i.counter), .lookup_2_waited_i(lookup_waited_i),
      .lookup_3_o(source_lookup_o.done_event), .lookup_3_answer_i(source_answer_i.done_event),
      .query_valid_i(query_valid), .credit_settles_i(credit_settles), .credit_ask_o(credit_ask),
      .credit_i(credit), .credit_take_o(credit_take), .open_valid_o(open_valid),
      .open_ready_i(open_ready), .open_o(open), .abort_i(abort), .payload_read_o,
      .payload_command_ready_i(ready_i.payload)
  );

  mu_injection_slots u_injection_slots (
      .clk_i, .clk_packet_i, .rst_ni, .busy_o(slots_busy), .active_o(slots_active),
      .active_packet_o(activity_o.active_packet), .causes_o, .open_valid_i(open_valid),
      .open_ready_o(open_ready), .open_i(open), .hold_i(queue_view_i.hold), .abort_o(abort),
      .beat_i(payload_beat_i), .operation_o(counter_request_o.operation),
      .operation_valid_o(counter_request_o.valid), .operation_ready_i(ready_i.counter),
      .enable_valid_o(queue_orders_o.enable),
      .enable_ready_i(queue_order_answer_i.taken == mu_pkg::QUEUE_TURN_ENABLE),
      .enable_status_i(queue_order_answer_i.enable_status), .notice_o(own_notice),
      .notice_ready_i(own_notice_ready), .failure_o(send_reports_o.failure), .entry_queue_o,
      .entry_peer_i(queue_view_i.entry_peer), .entry_o, .entry_ready_i(ready_i.entry),
      .retire_o(request_retire), .retire_ready_i(request_retire_ready), .flit_o(inject_request_o),
      .flit_ready_i(ready_i.inject_request)
  );

  mu_reply_injector u_reply_injector (
      .clk_i(clk_reply_i), .rst_ni, .busy_o(reply_busy), .straps_i,
      .descriptor_valid_i(reply_descriptor_valid_i), .descriptor_ready_o(accepts_o.reply_descriptor),
      .descriptor_data_i(reply_descriptor_data_i), .retire_valid_o(reply_retire.valid),
      .retire_ready_i(reply_retire_ready), .retire_queue_o(reply_retire.descriptor.queue),
      .retire_index_o(reply_retire.descriptor.index),
      .retire_status_o(reply_retire.descriptor.status),
      .notice_packet_valid_i(notice_packet_i.valid), 
      .notice_packet_ready_o(accepts_o.notice_packet),
      .notice_packet_header_i(notice_packet_i.header),
      .notice_packet_trailer_i(notice_packet_i.trailer), .own_notice_valid_i(own_notice.valid),
      .own_notice_ready_o(own_notice_ready), .own_notice_header_i(own_notice.header),
      .own_notice_trailer_i(own_notice.trailer), .flit_valid_o(inject_reply_o.valid),
      .flit_ready_i(ready_i.inject_reply), .flit_head_o(inject_reply_o.head),
      .flit_tail_o(inject_reply_o.tail), .flit_data_o(inject_reply_o.data)
  );

  // Completions first: they carry credits back. One that is offered stays until it is taken.
  logic offers_request_q, takes_reply;
  mu_pkg::descriptor_retire_t retire;
  assign takes_reply           = reply_retire.valid && !(offers_request_q && request_retire.valid);
  assign retire.valid          = reply_retire.valid || request_retire.valid;
  assign retire.descriptor     = takes_reply ? reply_retire.descriptor : request_retire.descriptor;
  assign queue_orders_o.retire = retire;
  assign retire_ready          = queue_order_answer_i.taken == mu_pkg::QUEUE_TURN_RETIRE;
  assign reply_retire_ready    = retire_ready && takes_reply;
  assign request_retire_ready  = retire_ready && !takes_reply;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) offers_request_q <= 1'b0;
    else offers_request_q <= request_retire.valid && !takes_reply && !retire_ready;
  end

  assign activity_o.busy       = credits_busy || packetiser_busy || slots_busy || reply_busy;
  assign activity_o.active_descriptor = packetiser_active || slots_active;
  assign activity_o.active_reply      = credits_busy || reply_busy || credit_ask.valid ||
      own_notice.valid || register_valid_i || reply_descriptor_valid_i || notice_packet_i.valid ||
      credit_return_i.valid;

  always_comb begin
    if (rst_ni) begin
      retires_of_a_queue :
      assert (!retire.valid || 32'(retire.descriptor.queue) < mu_pkg::INJECTION_QUEUES);
      reflections_have_queues_of_their_own :
      assert (!reply_retire.valid ||
              32'(reply_retire.descriptor.queue) < mu_pkg::REFLECTION_QUEUES);
    end
  end
endmodule
`default_nettype wire

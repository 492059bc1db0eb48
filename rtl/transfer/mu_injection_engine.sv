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
    input  logic clk_i, clk_packet_i, clk_reply_i, rst_ni,
    input  logic [mu_pkg::TIME_BITS-1:0] now_i,
    output logic busy_o, active_o, active_packet_o, active_reply_o,
    output logic [mu_pkg::TIME_BITS-1:0] wake_at_o,
    output logic [mu_pkg::CLIENTS*8-1:0] causes_o,
    // straps
    input  mu_pkg::node_straps_t straps_i,
    // register bus: block reflection
    input  logic register_valid_i,
    input  mu_pkg::register_request_t register_request_i,
    output logic register_done_o,
    output mu_pkg::register_response_t register_response_o,
    input  logic [31:0] credit_timeout_cycles_i,
    // queue engine
    input  logic request_descriptor_valid_i,
    output logic request_descriptor_ready_o,
    input  mu_pkg::fetched_descriptor_t request_descriptor_data_i,
    input  logic reply_descriptor_valid_i,
    output logic reply_descriptor_ready_o,
    input  mu_pkg::fetched_descriptor_t reply_descriptor_data_i,
    output logic retire_valid_o,
    input  logic retire_ready_i,
    output logic [7:0] retire_queue_o,
    output logic [31:0] retire_index_o,
    output mu_pkg::status_e retire_status_o,
    output logic rewind_valid_o,
    input  logic rewind_ready_i,
    output mu_pkg::queue_place_t rewind_place_o,
    output logic enable_valid_o,
    input  logic enable_ready_i,
    input  mu_pkg::status_e enable_status_i,
    output logic credit_returned_o,
    // cross-channel control
    output logic held_valid_o,
    input  logic held_ready_i,
    output mu_pkg::fetched_descriptor_t held_data_o,
    output logic [39:0] held_address_o,
    // queue pairs
    output logic [7:0] peer_queue_o,
    input  mu_pkg::queue_peer_t peer_i,
    input  logic [31:0] send_number_i,
    input  logic send_doubtful_i, send_broken_i,
    output logic send_left_o, send_ahead_o, send_goes_ahead_o,
    input  logic ahead_good_i, hold_i, spoil_i,
    input  mu_pkg::receive_result_t received_i,
    output logic failure_valid_o,
    output mu_pkg::send_answer_t failure_o,
    // completion queues
    output logic [7:0] entry_queue_o,
    input  mu_pkg::queue_peer_t entry_peer_i,
    output logic entry_valid_o,
    input  logic entry_ready_i,
    output mu_pkg::completion_entry_t entry_o,
    output logic [3:0] entry_client_o,
    // region table: the answer comes one cycle later
    output logic [7:0] source_region_o,
    input  mu_pkg::region_entry_t source_entry_i,
    // counters
    output mu_pkg::counter_lookup_t lookup_2_o,
    input  mu_pkg::counter_owner_t lookup_2_answer_i,
    input  logic lookup_2_waited_i,
    output mu_pkg::counter_lookup_t lookup_3_o,
    input  mu_pkg::counter_owner_t lookup_3_answer_i,
    output logic injection_valid_o,
    input  logic injection_ready_i,
    output mu_pkg::counter_operation_t injection_operation_o,
    // memory port
    output mu_pkg::read_request_t payload_read_o,
    input  logic payload_command_ready_i,
    input  mu_pkg::read_beat_t payload_beat_i,
    // reception engine
    input  logic notice_packet_valid_i,
    output logic notice_packet_ready_o,
    input  mu_pkg::packet_header_t notice_packet_header_i,
    input  mu_pkg::packet_trailer_t notice_packet_trailer_i,
    input  logic credit_return_valid_i,
    input  logic [7:0] credit_return_queue_i,
    input  logic [15:0] credit_return_number_i,
    // router
    output mu_pkg::flit_stream_t inject_request_o,
    input  logic inject_request_ready_i,
    output mu_pkg::flit_stream_t inject_reply_o,
    input  logic inject_reply_ready_i
);
  logic credits_busy, packetiser_busy, packetiser_active, slots_busy, slots_active, reply_busy;

  logic ask, available, configured, query_valid, take, query_taken;
  logic [2:0] preferred, direction;
  logic [15:0] number;
  logic [11:0] neighbour;

  logic open_valid, open_ready, open_memory, open_hold, abort;
  logic [2:0] abort_tag;
  logic [127:0] open_payload;
  mu_pkg::packet_header_t open_header, own_notice_header;
  mu_pkg::packet_trailer_t open_trailer, own_notice_trailer;
  mu_pkg::injection_record_t open_record;
  logic own_notice_valid, own_notice_ready;

  logic request_retire_valid, request_retire_ready, reply_retire_valid, reply_retire_ready;
  logic [7:0] request_retire_queue, reply_retire_queue;
  mu_pkg::status_e request_retire_status, reply_retire_status;
  logic [31:0] request_retire_index, reply_retire_index;

  mu_reflection_credits u_reflection_credits (
      .clk_i           (clk_reply_i),
      .rst_ni,
      .now_i,
      .busy_o          (credits_busy),
      .wake_at_o,
      .timeout_cycles_i(credit_timeout_cycles_i),
      .straps_i,
      .register_valid_i,
      .register_request_i,
      .register_done_o,
      .register_response_o,
      .ask_i           (ask),
      .preferred_i     (preferred),
      .available_o     (available),
      .configured_o    (configured),
      .query_valid_o   (query_valid),
      .direction_o     (direction),
      .number_o        (number),
      .neighbour_o     (neighbour),
      .take_i          (take),
      .query_taken_i   (query_taken),
      .credit_return_valid_i,
      .credit_return_queue_i,
      .credit_return_number_i,
      .credit_returned_o
  );

  mu_packetiser u_packetiser (
      .clk_i, .rst_ni,
      .busy_o            (packetiser_busy), .active_o(packetiser_active),
      .straps_i,
      .descriptor_valid_i(request_descriptor_valid_i),
      .descriptor_ready_o(request_descriptor_ready_o),
      .descriptor_data_i (request_descriptor_data_i),
      .rewind_valid_o,
      .rewind_ready_i,
      .rewind_place_o,
      .held_valid_o,
      .held_ready_i,
      .held_data_o,
      .held_address_o, .peer_queue_o, .peer_i, .send_number_i, .send_doubtful_i,
      .send_broken_i, .send_left_o, .received_i,
      .send_ahead_o, .send_goes_ahead_o, .ahead_good_i,
      .source_region_o,
      .source_entry_i,
      .lookup_2_index_o(lookup_2_o.index),
      .lookup_2_is_event_o(lookup_2_o.is_event),
      .lookup_2_enable_i(lookup_2_answer_i.enable),
      .lookup_2_owner_i(lookup_2_answer_i.owner),
      .lookup_2_waited_i,
      .lookup_3_index_o(lookup_3_o.index),
      .lookup_3_is_event_o(lookup_3_o.is_event),
      .lookup_3_enable_i(lookup_3_answer_i.enable),
      .lookup_3_owner_i(lookup_3_answer_i.owner),
      .ask_o             (ask),
      .preferred_o       (preferred),
      .available_i       (available),
      .configured_i      (configured),
      .query_valid_i     (query_valid),
      .direction_i       (direction),
      .number_i          (number),
      .neighbour_i       (neighbour),
      .take_o            (take),
      .query_taken_o     (query_taken),
      .open_valid_o      (open_valid),
      .open_ready_i      (open_ready),
      .open_header_o     (open_header),
      .open_trailer_o    (open_trailer),
      .open_payload_o    (open_payload),
      .open_record_o     (open_record),
      .open_memory_o     (open_memory), .open_hold_o(open_hold), .hold_i, .spoil_i,
      .abort_i           (abort),
      .abort_tag_i       (abort_tag),
      .payload_command_valid_o(payload_read_o.valid),
      .payload_command_ready_i,
      .payload_command_data_o(payload_read_o.command)
  );

  mu_injection_slots u_injection_slots (
      .clk_i, .clk_packet_i,
      .rst_ni, .active_o(slots_active), .active_packet_o,
      .busy_o           (slots_busy),
      .causes_o,
      .open_valid_i     (open_valid),
      .open_ready_o     (open_ready),
      .open_header_i    (open_header),
      .open_trailer_i   (open_trailer),
      .open_payload_i   (open_payload),
      .open_record_i    (open_record),
      .open_memory_i    (open_memory), .open_hold_i(open_hold), .hold_i, .spoil_i,
      .abort_o          (abort),
      .abort_tag_o      (abort_tag),
      .beat_valid_i     (payload_beat_i.valid),
      .beat_data_i      (payload_beat_i.data),
      .beat_last_i      (payload_beat_i.last),
      .beat_error_i     (payload_beat_i.error),
      .operation_valid_o(injection_valid_o),
      .operation_ready_i(injection_ready_i),
      .operation_o      (injection_operation_o),
      .enable_valid_o, .enable_ready_i, .enable_status_i,
      .notice_valid_o   (own_notice_valid),
      .notice_ready_i   (own_notice_ready),
      .notice_header_o  (own_notice_header),
      .notice_trailer_o (own_notice_trailer),
      .failure_valid_o, .failure_o, .entry_queue_o, .entry_peer_i, .entry_valid_o, .entry_ready_i, .entry_o,
      .entry_client_o,
      .retire_valid_o   (request_retire_valid),
      .retire_ready_i   (request_retire_ready),
      .retire_queue_o   (request_retire_queue),
      .retire_index_o   (request_retire_index),
      .retire_status_o  (request_retire_status),
      .flit_valid_o     (inject_request_o.valid),
      .flit_ready_i     (inject_request_ready_i),
      .flit_head_o      (inject_request_o.head),
      .flit_tail_o      (inject_request_o.tail),
      .flit_data_o      (inject_request_o.data)
  );

  mu_reply_injector u_reply_injector (
      .clk_i(clk_reply_i), .rst_ni, .busy_o(reply_busy), .straps_i,
      .descriptor_valid_i(reply_descriptor_valid_i), .descriptor_ready_o(reply_descriptor_ready_o),
      .descriptor_data_i(reply_descriptor_data_i), .retire_valid_o(reply_retire_valid),
      .retire_ready_i(reply_retire_ready), .retire_queue_o(reply_retire_queue),
      .retire_index_o(reply_retire_index), .retire_status_o(reply_retire_status), .notice_packet_valid_i,
      .notice_packet_ready_o, .notice_packet_header_i, .notice_packet_trailer_i,
      .own_notice_valid_i(own_notice_valid), .own_notice_ready_o(own_notice_ready),
      .own_notice_header_i(own_notice_header), .own_notice_trailer_i(own_notice_trailer),
      .flit_valid_o(inject_reply_o.valid), .flit_ready_i(inject_reply_ready_i),
      .flit_head_o(inject_reply_o.head), .flit_tail_o(inject_reply_o.tail), .flit_data_o(inject_reply_o.data)
  );

  // Completions first: they carry credits back. One that is offered stays until it is taken.
  logic offers_request_q, takes_reply;
  assign takes_reply          = reply_retire_valid && !(offers_request_q && request_retire_valid);
  assign retire_valid_o       = reply_retire_valid || request_retire_valid;
  assign retire_queue_o       = takes_reply ? reply_retire_queue : request_retire_queue;
  assign retire_index_o       = takes_reply ? reply_retire_index : request_retire_index;
  assign retire_status_o      = takes_reply ? reply_retire_status : request_retire_status;
  assign reply_retire_ready   = retire_ready_i && takes_reply;
  assign request_retire_ready = retire_ready_i && !takes_reply;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) offers_request_q <= 1'b0;
    else offers_request_q <= request_retire_valid && !takes_reply && !retire_ready_i;
  end

  assign busy_o   = credits_busy || packetiser_busy || slots_busy || reply_busy;
  assign active_o = packetiser_active || slots_active;
  assign active_reply_o = credits_busy || reply_busy || ask || own_notice_valid || register_valid_i ||
      reply_descriptor_valid_i || notice_packet_valid_i || credit_return_valid_i;

  always_comb begin
    if (rst_ni) begin
      retires_of_a_queue : assert (!retire_valid_o || 32'(retire_queue_o) < mu_pkg::INJECTION_QUEUES);
      reflections_have_queues_of_their_own :
      assert (!reply_retire_valid || 32'(reply_retire_queue) < mu_pkg::REFLECTION_QUEUES);
    end
  end
endmodule
`default_nettype wire

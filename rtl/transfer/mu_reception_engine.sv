// SPDX-License-Identifier: Apache-2.0
// mu_reception_engine: what arrives at this node: stores it, reserves queue slots, refuses, answers.
//
//   eject_request, eject_reply ---> [ receivers ] ---> [ control ] ---> [ stores ] ---> request_write,
//                                                        ^  |                       reply_write, notice_write
//   region table, counter owners, queue engine <---------+  +---> notice_packet, credit_return
//   register bus, fifo_publish, notice_publish ---> [ FIFO table, notice ring ] ---> causes_o
//
// Behaviour: a good packet ends in exactly one of: a write command with its action, slots of a boot buffer,
//   a notice packet (refused request), a dropped_reply_o pulse, a CREDIT packet or none (query), a credit
//   return. A bad one ends in one bad_packet_o pulse. Replies go first and never wait for a held, refused or
//   blocked request. Counters, tails and interrupts are not touched here: they belong to the actions.
//   Requests of one source stay in order.
// Latency: tail flit to write command five cycles when idle; a 34-flit packet every 34 cycles.
// Limits: every packet that the router can deliver has an answer; register accesses as in the three tables.
//   clk_i and clk_decision_i are one clock; each may be stopped while its block is not busy and gets nothing.
//   dropped_reply_o: bit 0 is the pulse, bit 1 is zero.
`default_nettype none

module mu_reception_engine (
    input  logic                         clk_i,            // receiver and store of requests
    input  logic                         clk_decision_i,   // all else
    input  logic                         rst_ni,
    output logic                         requests_busy_o, decision_busy_o,
    // straps
    input  mu_pkg::node_straps_t         straps_i,
    // router
    input  mu_pkg::flit_stream_t         eject_request_i,
    output logic                         eject_request_ready_o,
    input  mu_pkg::flit_stream_t         eject_reply_i,
    output logic                         eject_reply_ready_o,
    // memory port
    output mu_pkg::write_request_t request_write_o,
    input  mu_pkg::write_response_t request_write_response_i,
    output mu_pkg::write_request_t reply_write_o,
    input  mu_pkg::write_response_t reply_write_response_i,
    output mu_pkg::write_request_t notice_write_o,
    input  mu_pkg::write_response_t notice_write_response_i,
    // region table
    output logic [7:0]                   target_region_o,
    input  mu_pkg::region_entry_t        target_entry_i,
    // counters: 0 byte counter, 1 event counter
    output mu_pkg::counter_lookup_t lookup_0_o,
    output mu_pkg::counter_lookup_t lookup_1_o,
    input  mu_pkg::counter_owner_t lookup_0_answer_i,
    input  mu_pkg::counter_owner_t lookup_1_answer_i,
    // queue engine
    output logic                         get_reserve_valid_o,
    input  logic                         get_reserve_ready_i,
    output logic [7:0]                   get_reserve_queue_o,
    output logic [3:0]                   get_reserve_count_o,
    output logic                         get_reserve_reflected_o,
    input  logic                         get_slots_valid_i,
    input  mu_pkg::ring_slots_t          get_slots_i,
    output logic [7:0]                   empty_queue_o,
    input  logic                         empty_i,
    // injection engine
    output logic                         credit_return_valid_o,
    output logic [7:0]                   credit_return_queue_o,
    output logic [15:0]                  credit_return_number_o,
    output logic                         notice_packet_valid_o,
    input  logic                         notice_packet_ready_i,
    output mu_pkg::packet_header_t       notice_packet_header_o,
    output mu_pkg::packet_trailer_t      notice_packet_trailer_o,
    // queue pairs
    input  logic                         buffer_valid_i, watch_i,
    input  mu_pkg::receive_buffer_t      buffer_i,
    input  logic                         reset_pair_i, stop_pair_i, configured_i, configured_receive_i,
    input  logic [7:0]                   reset_queue_i, watch_queue_i,
    output logic                         receive_end_valid_o, arriving_valid_o,
    output logic [31:0]                  arriving_bytes_o,
    input  logic                         receive_end_ready_i,
    output mu_pkg::queue_end_t           receive_end_o,
    output mu_pkg::receive_result_t      receive_end_result_o,
    input  logic [7:0]                   result_queue_i,
    output mu_pkg::receive_result_t      result_o,
    output logic [7:0]                   receive_queue_o, answer_queue_o,
    input  mu_pkg::queue_peer_t          receive_peer_i, answer_peer_i,
    input  logic                         stored_valid_i,
    input  mu_pkg::message_stored_t      stored_i,
    output logic                         message_valid_o,
    input  logic                         message_ready_i,
    output mu_pkg::received_message_t    message_o,
    output logic                         send_answer_valid_o,
    output mu_pkg::send_answer_t         send_answer_o,
    // completion
    input  mu_pkg::publish_t fifo_publish_i,
    output logic                         fifo_publish_ready_o,
    input  logic                         notice_publish_valid_i,
    output logic                         notice_publish_ready_o,
    input  logic [3:0]                   notice_publish_client_i,
    // host interface
    input  logic                         fifo_register_valid_i, notice_register_valid_i,
    input  logic                         boot_register_valid_i,
    output logic                         fifo_register_done_o, notice_register_done_o, boot_register_done_o,
    output mu_pkg::register_response_t   fifo_register_response_o, notice_register_response_o,
    output mu_pkg::register_response_t   boot_register_response_o,
    input  mu_pkg::register_request_t    register_request_i,
    input  logic [15:0]                  fifo_hold_cycles_i,
    output logic                         bad_packet_o,
    output logic [1:0]                   dropped_reply_o,
    // interrupt control
    output logic [mu_pkg::CLIENTS*8-1:0] causes_o
);
  // --- receivers --------------------------------------------------------------------------------------
  logic                    request_valid, request_done, request_beat_valid, request_beat_ready;
  logic                    request_bad, request_source_busy, reply_valid, reply_done, reply_beat_valid;
  logic                    reply_beat_ready, reply_bad, reply_receiver_busy, boot_elsewhere;
  logic [1:0]              bad_pending_q;
  mu_pkg::packet_header_t  request_header, reply_header;
  mu_pkg::packet_trailer_t request_trailer, reply_trailer;
  logic [255:0]            request_beat_data, reply_beat_data;
  logic                    request_job, request_held, boot_idle, boot_refuse, boot_start, boot_room;
  logic                    request_store_idle, get_idle;
  mu_pkg::boot_operation_t boot_operation;

  mu_request_source u_request_source (
      .clk_i, .rst_ni, .busy_o(request_source_busy), .flit_valid_i(eject_request_i.valid),
      .flit_ready_o(eject_request_ready_o), .flit_head_i(eject_request_i.head),
      .flit_tail_i(eject_request_i.tail), .flit_data_i(eject_request_i.data), .bad_packet_o(request_bad),
      .packet_valid_o(request_valid), .packet_header_o(request_header), .packet_trailer_o(request_trailer),
      .packet_done_i(request_done), .beat_valid_o(request_beat_valid), .beat_ready_i(request_beat_ready),
      .beat_data_o(request_beat_data), .job_i(request_job), .held_i(request_held),
      .store_idle_i(request_store_idle && get_idle), .operation_i(boot_operation),
      .boot_refuse_i(boot_refuse), .boot_start_i(boot_start), .boot_idle_o(boot_idle), .room_o(boot_room),
      .elsewhere_o(boot_elsewhere), .register_valid_i(boot_register_valid_i), .register_request_i,
      .register_done_o(boot_register_done_o), .register_response_o(boot_register_response_o)
  );
  mu_packet_receiver #(.PACKETS(4), .FLITS(mu_pkg::REPLY_FLITS), .REPLY(1'b1)) u_reply_receiver (
      .clk_i(clk_decision_i), .rst_ni, .flit_valid_i(eject_reply_i.valid), .flit_ready_o(eject_reply_ready_o),
      .flit_head_i(eject_reply_i.head), .flit_tail_i(eject_reply_i.tail), .flit_data_i(eject_reply_i.data),
      .packet_valid_o(reply_valid), .packet_header_o(reply_header), .packet_trailer_o(reply_trailer),
      .packet_done_i(reply_done), .beat_valid_o(reply_beat_valid), .beat_ready_i(reply_beat_ready),
      .beat_data_o(reply_beat_data), .bad_packet_o(reply_bad), .busy_o(reply_receiver_busy)
  );

  // Each receiver pulses in at most two of four cycles, so two pulses may wait for their turn.
  assign bad_packet_o = request_bad || reply_bad || bad_pending_q != '0;
  always_ff @(posedge clk_decision_i) begin
    if (!rst_ni) bad_pending_q <= '0;
    else if (bad_packet_o) bad_pending_q <= bad_pending_q + 2'(request_bad) + 2'(reply_bad) - 2'd1;
    if (rst_ni) no_pulse_is_lost : assert (!(bad_pending_q == 2'd3 && request_bad && reply_bad));
  end

  // --- decision ---------------------------------------------------------------------------------------
  logic decision_busy, request_dropped, request_stored, reply_dropped, reply_stored, reply_store_idle;
  logic notice_store_idle, request_fifo_pending, reply_fifo_pending, request_start, reply_start;
  logic notice_start, get_start, start_fifo, start_split, get_admitted, get_split, get_refuse, sender_ready;
  logic sender_busy, check_refuse, answer, acknowledge, stored_answer_valid, stored_answer_ready;
  logic [39:0] start_address, start_second_address, get_address, get_second_address, notice_address;
  logic [9:0] start_bytes, start_second_bytes;
  logic [3:0] get_first_count;
  logic [2:0] get_second_count;
  mu_pkg::status_e get_refuse_status, check_status;
  mu_pkg::write_action_t start_action, request_action;
  mu_pkg::send_answer_t stored_answer;
  mu_pkg::queue_peer_t stored_peer;

  assign request_done        = request_dropped || request_stored || get_refuse;
  assign reply_done          = reply_dropped || reply_stored;
  assign empty_queue_o       = request_header.target;
  assign dropped_reply_o[1]  = 1'b0;
  assign requests_busy_o     = request_source_busy || boot_operation.switches;
  assign decision_busy_o     = decision_busy || reply_receiver_busy || bad_pending_q != '0 ||
      !notice_store_idle || !get_idle || sender_busy;

  mu_reception_decision u_decision (
      .clk_i(clk_decision_i), .rst_ni, .fifo_hold_cycles_i, .busy_o(decision_busy),
      .request_valid_i(request_valid), .request_header_i(request_header),
      .request_trailer_i(request_trailer), .request_done_o(request_dropped), .request_job_o(request_job),
      .request_held_o(request_held), .reply_valid_i(reply_valid), .reply_header_i(reply_header),
      .reply_trailer_i(reply_trailer), .reply_done_o(reply_dropped),
      .request_store_idle_i(request_store_idle && get_idle && boot_idle), .boot_operation_o(boot_operation),
      .boot_refuse_o(boot_refuse), .boot_start_o(boot_start), .boot_room_i(boot_room),
      .boot_elsewhere_i(boot_elsewhere), .request_fifo_pending_i(request_fifo_pending),
      .request_start_o(request_start), .reply_store_idle_i(reply_store_idle),
      .reply_fifo_pending_i(reply_fifo_pending), .reply_start_o(reply_start), .start_fifo_o(start_fifo),
      .start_address_o(start_address), .start_bytes_o(start_bytes), .start_split_o(start_split),
      .start_second_address_o(start_second_address), .start_second_bytes_o(start_second_bytes),
      .start_action_o(start_action), .get_start_o(get_start), .notice_store_idle_i(notice_store_idle),
      .notice_start_o(notice_start), .notice_address_o(notice_address), .causes_o, .target_region_o,
      .target_entry_i, .lookup_0_o, .lookup_0_answer_i, .lookup_1_o,
      .lookup_1_answer_i, .buffer_valid_i, .buffer_i, .reset_pair_i, .stop_pair_i,
      .configured_i, .configured_receive_i, .reset_queue_i, .watch_i, .watch_queue_i, .arriving_valid_o,
      .arriving_bytes_o, .receive_end_valid_o, .receive_end_ready_i, .receive_end_o, .receive_end_result_o,
      .result_queue_i, .result_o, .receive_queue_o, .receive_peer_i, .stored_valid_i, .stored_i,
      .stored_answer_valid_o(stored_answer_valid), .stored_answer_ready_i(stored_answer_ready),
      .stored_answer_o(stored_answer), .stored_peer_o(stored_peer), .answer_queue_o, .answer_peer_i,
      .message_valid_o, .message_ready_i, .message_o, .send_answer_valid_o, .send_answer_o,
      .acknowledge_o(acknowledge), .sender_ready_i(sender_ready), .refuse_o(check_refuse),
      .refuse_status_o(check_status), .answer_o(answer), .queue_empty_i(empty_i), .credit_return_valid_o,
      .credit_return_queue_o, .credit_return_number_o, .dropped_reply_o(dropped_reply_o[0]),
      .fifo_publish_i, .fifo_publish_ready_o,
      .notice_publish_valid_i, .notice_publish_ready_o, .notice_publish_client_i, .fifo_register_valid_i,
      .fifo_register_done_o, .fifo_register_response_o, .notice_register_valid_i, .notice_register_done_o,
      .notice_register_response_o, .register_request_i
  );

  mu_get_admission u_get_admission (
      .clk_i(clk_decision_i), .rst_ni, .idle_o(get_idle), .start_i(get_start),
      .queue_i(request_header.target), .count_i(request_header.bytes[9:6]),
      .reflected_i(request_trailer.reflected), .get_reserve_valid_o, .get_reserve_ready_i,
      .get_reserve_queue_o, .get_reserve_count_o, .get_reserve_reflected_o, .get_slots_valid_i, .get_slots_i,
      .admitted_o(get_admitted), .address_o(get_address), .first_count_o(get_first_count),
      .split_o(get_split), .second_address_o(get_second_address), .second_count_o(get_second_count),
      .refuse_o(get_refuse), .refuse_status_o(get_refuse_status)
  );

  // --- what goes out ----------------------------------------------------------------------------------
  always_comb begin
    request_action = start_action;
    if (get_admitted) begin
      request_action        = '0;
      request_action.action = mu_pkg::ACTION_GET;
      request_action.client = request_header.client;
      request_action.target = request_header.target;
      request_action.amount = 8'(request_header.bytes[9:6]);
    end
  end

  mu_reception_store u_request_store (
      .clk_i, .rst_ni, .start_valid_i(request_start || get_admitted),
      .start_fifo_i(start_fifo && !get_admitted), .start_get_i(get_admitted),
      .start_address_i(get_admitted ? get_address : start_address),
      .start_bytes_i(get_admitted ? {get_first_count, 6'd0} : start_bytes),
      .start_split_i(get_admitted ? get_split : start_split),
      .start_second_address_i(get_admitted ? get_second_address : start_second_address),
      .start_second_bytes_i(get_admitted ? {1'b0, get_second_count, 6'd0} : start_second_bytes),
      .start_action_i(request_action), .idle_o(request_store_idle),
      .fifo_pending_o(request_fifo_pending), .packet_header_i(request_header),
      .packet_trailer_i(request_trailer), .packet_done_o(request_stored), .beat_valid_i(request_beat_valid),
      .beat_ready_o(request_beat_ready), .beat_data_i(request_beat_data),
      .write_command_valid_o(request_write_o.command_valid),
      .write_command_ready_i(request_write_response_i.command_ready),
      .write_command_data_o(request_write_o.command), .write_beat_valid_o(request_write_o.beat_valid),
      .write_beat_ready_i(request_write_response_i.beat_ready), .write_beat_data_o(request_write_o.beat)
  );

  mu_reception_store u_reply_store (
      .clk_i(clk_decision_i), .rst_ni, .start_valid_i(reply_start), .start_fifo_i(start_fifo),
      .start_get_i(1'b0), .start_address_i(start_address), .start_bytes_i(start_bytes),
      .start_split_i(start_split), .start_second_address_i(start_second_address),
      .start_second_bytes_i(start_second_bytes), .start_action_i(start_action), .idle_o(reply_store_idle),
      .fifo_pending_o(reply_fifo_pending), .packet_header_i(reply_header), .packet_trailer_i(reply_trailer),
      .packet_done_o(reply_stored), .beat_valid_i(reply_beat_valid), .beat_ready_o(reply_beat_ready),
      .beat_data_i(reply_beat_data), .write_command_valid_o(reply_write_o.command_valid),
      .write_command_ready_i(reply_write_response_i.command_ready),
      .write_command_data_o(reply_write_o.command), .write_beat_valid_o(reply_write_o.beat_valid),
      .write_beat_ready_i(reply_write_response_i.beat_ready), .write_beat_data_o(reply_write_o.beat)
  );

  mu_notice_store u_notice_store (
      .clk_i(clk_decision_i), .rst_ni, .idle_o(notice_store_idle), .start_valid_i(notice_start),
      .start_address_i(notice_address), .packet_header_i(reply_header), .packet_trailer_i(reply_trailer),
      .write_command_valid_o(notice_write_o.command_valid), .write_beat_valid_o(notice_write_o.beat_valid),
      .write_command_ready_i(notice_write_response_i.command_ready),
      .write_beat_ready_i(notice_write_response_i.beat_ready), .write_command_data_o(notice_write_o.command),
      .write_beat_data_o(notice_write_o.beat)
  );

  mu_notice_sender u_notice_sender (
      .clk_i(clk_decision_i), .rst_ni, .busy_o(sender_busy), .straps_i,
      .ready_o(sender_ready), .refuse_i(check_refuse || get_refuse),
      .refuse_status_i(get_refuse ? get_refuse_status : check_status), .answer_i(answer),
      .acknowledge_i(acknowledge), .packet_header_i(request_header), .packet_trailer_i(request_trailer),
      .stored_valid_i(stored_answer_valid), .stored_ready_o(stored_answer_ready), .stored_i(stored_answer),
      .stored_peer_i(stored_peer), .notice_packet_valid_o, .notice_packet_ready_i, .notice_packet_header_o,
      .notice_packet_trailer_o
  );

  always_ff @(posedge clk_decision_i) begin
    if (rst_ni) begin
      one_start_of_the_request_store : assert (!(request_start && get_admitted));
      one_refusal_at_a_time : assert (!(check_refuse && get_refuse));
      one_end_of_a_request : assert ($onehot0({request_dropped, request_stored, get_refuse}));
      one_end_of_a_reply : assert (!(reply_dropped && reply_stored));
    end
  end
  // A clock that stopped too early would not sample these.
  always_comb if (rst_ni) begin
    shown_until_stored : assert ((request_store_idle && !boot_operation.lookup) || request_source_busy);
    reply_shown_until_stored : assert (reply_store_idle || reply_receiver_busy);
  end
endmodule
`default_nettype wire

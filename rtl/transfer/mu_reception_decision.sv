// SPDX-License-Identifier: Apache-2.0
// mu_reception_decision: what becomes of each packet, with the tables that the decision rests on.
//
//   request, reply packets ---> [ control ] ---> start_*, get_start_o, refuse_o, answer_o, *_done_o
//                                 |   ^
//                   lookup, reserve   answer
//                                 v   |
//   register bus, publish ---> [ reception FIFO table, notice ring, boot buffers ] ---> causes_o
//   beats of a request ----------------------------------------------^
//
// Behaviour: that of mu_reception_control on top of mu_reception_fifo_table, mu_notice_ring and, for
//   packets of a SEND, mu_message_reception, of a FENCE mu_fence_answers. The second part of a FIFO entry
//   that wraps comes with the start, the address of a notice with notice_start_o. A request for a FIFO with
//   config.boot starts no store: mu_boot_buffers takes it whole (boot_idle_o low) and ends it (boot_done_o).
// Latency: packet shown to decision three cycles; a decision every three cycles.
// Limits: those of its parts.
`default_nettype none

module mu_reception_decision (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic [15:0]                  fifo_hold_cycles_i,
    output logic                         busy_o,
    // receivers
    input  logic                         request_valid_i,
    input  mu_pkg::packet_header_t       request_header_i,
    input  mu_pkg::packet_trailer_t      request_trailer_i,
    output logic                         request_done_o,
    output logic                         request_job_o,
    output logic                         request_held_o,
    input  logic                         reply_valid_i,
    input  mu_pkg::packet_header_t       reply_header_i,
    input  mu_pkg::packet_trailer_t      reply_trailer_i,
    output logic                         reply_done_o,
    // stores
    input  logic                         request_store_idle_i,
    input  logic                         request_fifo_pending_i,
    output logic                         request_start_o,
    input  logic                         reply_store_idle_i,
    input  logic                         reply_fifo_pending_i,
    output logic                         reply_start_o,
    output logic                         start_fifo_o,
    output logic [39:0]                  start_address_o,
    output logic [9:0]                   start_bytes_o,
    output logic                         start_split_o,
    output logic [39:0]                  start_second_address_o,
    output logic [9:0]                   start_second_bytes_o,
    output mu_pkg::write_action_t        start_action_o,
    output logic                         get_start_o,
    input  logic                         notice_store_idle_i,
    output logic                         notice_start_o,
    output logic [39:0]                  notice_address_o,
    // boot buffers
    output mu_pkg::boot_operation_t      boot_operation_o,
    output logic                         boot_refuse_o,
    output logic                         boot_start_o,
    input  logic                         boot_room_i,
    input  logic                         boot_elsewhere_i,
    // region table and counters
    output logic [7:0]                   target_region_o,
    input  mu_pkg::region_entry_t        target_entry_i,
    output mu_pkg::counter_lookup_t      lookup_0_o,
    input  mu_pkg::counter_owner_t       lookup_0_answer_i,
    output mu_pkg::counter_lookup_t      lookup_1_o,
    input  mu_pkg::counter_owner_t       lookup_1_answer_i,
    // queue pairs: cross-channel control, packetiser, peers, completion, notice sender
    input  logic                         buffer_valid_i,
    input  mu_pkg::receive_buffer_t      buffer_i,
    input  logic                         reset_pair_i,
    input  logic                         stop_pair_i,
    input  logic                         configured_i,
    input  logic                         configured_receive_i,
    input  logic [7:0]                   reset_queue_i,
    input  logic                         watch_i,
    input  logic [7:0]                   watch_queue_i,
    output logic                         arriving_valid_o,
    output logic [31:0]                  arriving_bytes_o,
    output logic                         receive_end_valid_o,
    input  logic                         receive_end_ready_i,
    output mu_pkg::queue_end_t           receive_end_o,
    output mu_pkg::receive_result_t      receive_end_result_o,
    input  logic [7:0]                   result_queue_i,
    output mu_pkg::receive_result_t      result_o,
    output logic [7:0]                   receive_queue_o,
    input  mu_pkg::queue_peer_t          receive_peer_i,
    input  logic                         stored_valid_i,
    input  mu_pkg::message_stored_t      stored_i,
    output logic                         stored_answer_valid_o,
    input  logic                         stored_answer_ready_i,
    output mu_pkg::send_answer_t         stored_answer_o,
    output mu_pkg::queue_peer_t          stored_peer_o,  // who gets it
    output logic [7:0]                   answer_queue_o,
    input  mu_pkg::queue_peer_t          answer_peer_i,
    output logic                         message_valid_o,
    input  logic                         message_ready_i,
    output mu_pkg::received_message_t    message_o,
    output logic                         send_answer_valid_o,
    output mu_pkg::send_answer_t         send_answer_o,
    // packets back; credits
    input  logic                         sender_ready_i,
    output logic                         refuse_o,
    output mu_pkg::status_e              refuse_status_o,
    output logic                         answer_o,
    output logic                         acknowledge_o,
    input  logic                         queue_empty_i,
    output logic                         credit_return_valid_o,
    output logic [7:0]                   credit_return_queue_o,
    output logic [15:0]                  credit_return_number_o,
    output logic                         dropped_reply_o,
    // completion
    input  mu_pkg::publish_t             fifo_publish_i,
    output logic                         fifo_publish_ready_o,
    input  logic                         notice_publish_valid_i,
    output logic                         notice_publish_ready_o,
    input  logic [3:0]                   notice_publish_client_i,
    // host interface, interrupt control
    input  logic                         fifo_register_valid_i,
    output logic                         fifo_register_done_o,
    output mu_pkg::register_response_t   fifo_register_response_o,
    input  logic                         notice_register_valid_i,
    output logic                         notice_register_done_o,
    output mu_pkg::register_response_t   notice_register_response_o,
    input  mu_pkg::register_request_t    register_request_i,
    output logic [mu_pkg::CLIENTS*8-1:0] causes_o
);
  assign lookup_0_o.is_event = 1'b0;  // of the byte counter that a packet names
  assign lookup_1_o.is_event = 1'b1;  // of its event counter

  logic       control_busy;
  logic       fifo_busy;
  logic       notice_busy;
  logic       fifo_lookup_valid;
  logic       fifo_lookup_ready;
  logic [7:0] fifo_lookup_fifo;
  logic [7:0] fifo_lookup_slots;
  logic       fifo_lookup_reply;
  logic       fifo_lookup_on_behalf;
  logic [3:0] fifo_lookup_client;
  mu_pkg::status_e fifo_status;
  logic       fifo_refusing;
  logic [3:0] fifo_owner;
  logic [39:0] fifo_address;
  logic [9:0] fifo_bytes;
  logic       fifo_split;
  logic       fifo_reserve;
  logic       fifo_refuse;
  logic       notice_lookup_valid;
  logic       notice_lookup_ready;
  logic [3:0] notice_lookup_client;
  logic       notice_room;
  logic       notice_reserve;
  logic       notice_refuse;

  logic                    receive_busy, send_job, counters_good, send_take, send_acknowledge;
  logic                    fences_busy, fence_room, fence_take, notices_settled, message_answer_valid;
  logic                    message_answer_ready, fence_answer_valid;
  mu_pkg::send_answer_t    message_answer;
  mu_pkg::queue_peer_t     message_peer;
  logic [31:0]             fence_index;
  logic [19:0]             fence_to;
  logic [3:0]              send_owner;
  logic [4:0]              send_context;
  mu_pkg::status_e         send_status;
  logic [31:0]             send_bytes;
  logic [39:0]             send_address;
  logic [37:0]             job_end;
  logic                    send_look;
  logic                    send_again;
  mu_pkg::packet_header_t  job_header;
  mu_pkg::packet_trailer_t job_trailer;

  logic request_start;

  assign busy_o = control_busy || fifo_busy || notice_busy || receive_busy || fences_busy;
  assign request_start_o = request_start && !boot_operation_o.lookup;
  assign boot_refuse_o   = boot_operation_o.lookup && fifo_refuse;
  assign boot_start_o    = boot_operation_o.lookup && fifo_reserve;

  mu_reception_control u_control (
      .clk_i, .rst_ni, .fifo_hold_cycles_i, .busy_o(control_busy), .request_valid_i, .request_header_i,
      .request_trailer_i, .request_done_o, .request_job_o, .request_held_o, .reply_valid_i, .reply_header_i,
      .reply_trailer_i, .reply_done_o, .request_store_idle_i, .request_fifo_pending_i,
      .request_start_o(request_start), .reply_store_idle_i, .reply_fifo_pending_i, .reply_start_o,
      .start_fifo_o, .start_address_o, .start_bytes_o, .start_split_o, .start_action_o, .get_start_o,
      .notice_store_idle_i, .notice_start_o, .target_region_o, .target_entry_i,
      .lookup_0_index_o(lookup_0_o.index), .lookup_0_enable_i(lookup_0_answer_i.enable),
      .lookup_0_owner_i(lookup_0_answer_i.owner), .lookup_1_index_o(lookup_1_o.index),
      .lookup_1_enable_i(lookup_1_answer_i.enable), .lookup_1_owner_i(lookup_1_answer_i.owner),
      .fifo_lookup_valid_o(fifo_lookup_valid), .fifo_lookup_ready_i(fifo_lookup_ready),
      .fifo_lookup_fifo_o(fifo_lookup_fifo), .fifo_lookup_slots_o(fifo_lookup_slots),
      .fifo_lookup_reply_o(fifo_lookup_reply), .fifo_lookup_on_behalf_o(fifo_lookup_on_behalf),
      .fifo_lookup_client_o(fifo_lookup_client), .fifo_status_i(fifo_status),
      .fifo_refusing_i(fifo_refusing), .fifo_owner_i(fifo_owner), .fifo_address_i(fifo_address),
      .fifo_bytes_i(fifo_bytes), .fifo_split_i(fifo_split), .fifo_reserve_o(fifo_reserve),
      .fifo_refuse_o(fifo_refuse), .notice_lookup_valid_o(notice_lookup_valid),
      .notice_lookup_ready_i(notice_lookup_ready), .notice_lookup_client_o(notice_lookup_client),
      .notice_room_i(notice_room), .notice_reserve_o(notice_reserve), .notice_refuse_o(notice_refuse),
      .send_look_o(send_look), .send_job_o(send_job), .job_header_o(job_header),
      .job_trailer_o(job_trailer), .job_end_o(job_end), .counters_good_o(counters_good),
      .send_again_i(send_again), .send_take_i(send_take), .send_acknowledge_i(send_acknowledge),
      .send_status_i(send_status), .send_owner_i(send_owner), .send_address_i(send_address),
      .send_context_i(send_context), .send_bytes_i(send_bytes), .acknowledge_o, .send_answer_valid_o,
      .send_answer_o, .fence_room_i(fence_room), .fence_take_o(fence_take),
      .notices_settled_i(notices_settled), .sender_ready_i, .refuse_o, .refuse_status_o, .answer_o,
      .queue_empty_i, .credit_return_valid_o, .credit_return_queue_o, .credit_return_number_o,
      .dropped_reply_o
  );

  assign receive_queue_o = job_header.target;
  mu_message_reception u_message_reception (
      .clk_i, .rst_ni, .busy_o(receive_busy), .buffer_valid_i, .buffer_i, .reset_i(reset_pair_i),
      .stop_i(stop_pair_i), .configured_i, .configured_receive_i, .reset_queue_i,
      .end_valid_o(receive_end_valid_o), .end_ready_i(receive_end_ready_i), .end_o(receive_end_o),
      .end_result_o(receive_end_result_o), .message_valid_o, .message_ready_i, .message_o,
      .watch_i, .watch_queue_i, .arriving_valid_o, .arriving_bytes_o,
      .result_queue_i, .result_o, .look_i(send_look), .job_i(send_job), .header_i(job_header),
      .trailer_i(job_trailer), .end_i(job_end), .again_o(send_again),
      .peer_i(receive_peer_i), .counters_good_i(counters_good), .take_o(send_take),
      .acknowledge_o(send_acknowledge), .status_o(send_status), .owner_o(send_owner),
      .address_o(send_address), .context_o(send_context), .bytes_o(send_bytes),
      .stored_valid_i(stored_valid_i && !stored_i.fence), .stored_i, .answer_valid_o(message_answer_valid),
      .answer_ready_i(message_answer_ready), .answer_o(message_answer), .answer_peer_i,
      .answer_to_o(message_peer)
  );

  // Answers to FENCEs go before those to SENDs. They tell of no error; their queue and node mean nothing.
  assign stored_answer_valid_o = fence_answer_valid || message_answer_valid;
  assign answer_queue_o        = message_answer.queue;
  assign message_answer_ready  = stored_answer_ready_i && !fence_answer_valid;
  always_comb begin
    stored_answer_o       = message_answer;
    stored_answer_o.fence = fence_answer_valid;
    stored_peer_o         = message_peer;
    if (fence_answer_valid) begin
      stored_answer_o.status = mu_pkg::STATUS_OK;
      stored_answer_o.number = fence_index;
      {stored_peer_o.queue, stored_peer_o.z, stored_peer_o.y, stored_peer_o.x} = fence_to;
    end
  end
  mu_fence_answers u_fence_answers (
      .clk_i, .rst_ni, .busy_o(fences_busy), .room_o(fence_room), .take_i(fence_take),
      .header_i(job_header), .trailer_i(job_trailer), .settled_o(notices_settled),
      .stored_i(stored_valid_i && stored_i.fence),
      .notice_begin_i(notice_reserve), .notice_end_i(notice_publish_valid_i && notice_publish_ready_o),
      .answer_valid_o(fence_answer_valid), .answer_ready_i(stored_answer_ready_i),
      .answer_index_o(fence_index), .answer_to_o(fence_to)
  );

  mu_reception_fifo_table u_fifo_table (
      .clk_i, .rst_ni, .busy_o(fifo_busy),
      .register_valid_i(fifo_register_valid_i), .register_request_i, .register_done_o(fifo_register_done_o),
      .register_response_o(fifo_register_response_o),
      .lookup_valid_i(fifo_lookup_valid), .lookup_ready_o(fifo_lookup_ready),
      .lookup_fifo_i(fifo_lookup_fifo),
      .lookup_slots_i(fifo_lookup_slots), .lookup_reply_i(fifo_lookup_reply),
      .lookup_counted_i(request_trailer_i.counter_valid || request_trailer_i.event_valid),
      .lookup_on_behalf_i(fifo_lookup_on_behalf), .lookup_client_i(fifo_lookup_client),
      .answer_status_o(fifo_status), .answer_refusing_o(fifo_refusing), .answer_owner_o(fifo_owner),
      .answer_address_o(fifo_address), .answer_bytes_o(fifo_bytes), .answer_split_o(fifo_split),
      .answer_second_address_o(start_second_address_o), .answer_second_bytes_o(start_second_bytes_o),
      .reserve_i(fifo_reserve), .refuse_i(fifo_refuse), 
      .boot_lookup_o(boot_operation_o.lookup), .boot_switch_o(boot_operation_o.switches),
      .boot_opens_o(boot_operation_o.opens), .boot_drains_o(boot_operation_o.drains),
      .boot_client_o(boot_operation_o.client), .boot_fifo_o(boot_operation_o.fifo),
      .boot_slots_o(boot_operation_o.slots), .boot_room_i, .boot_elsewhere_i,
      .publish_valid_i(fifo_publish_i.valid), .publish_ready_o(fifo_publish_ready_o),
      .publish_target_i(fifo_publish_i.target), .publish_slots_i(fifo_publish_i.amount), .causes_o
  );

  mu_notice_ring u_notice_ring (
      .clk_i, .rst_ni, .busy_o(notice_busy),
      .register_valid_i(notice_register_valid_i), .register_request_i,
      .register_done_o(notice_register_done_o),
      .register_response_o(notice_register_response_o),
      .lookup_valid_i(notice_lookup_valid), .lookup_ready_o(notice_lookup_ready),
      .lookup_client_i(notice_lookup_client), .answer_room_o(notice_room),
      .answer_address_o(notice_address_o),
      .reserve_i(notice_reserve), .refuse_i(notice_refuse), .publish_valid_i(notice_publish_valid_i),
      .publish_ready_o(notice_publish_ready_o), .publish_client_i(notice_publish_client_i)
  );

  always_ff @(posedge clk_i) begin
    second_part_is_whole_slots : assert (start_second_bytes_o[4:0] == '0);
    only_the_memory_fails_a_message :
    assert ((message_answer.status & ~mu_pkg::STATUS_MEMORY_ERROR) == mu_pkg::STATUS_OK);
    if (rst_ni) begin
      moves_a_tail_by_one_packet_at_most :
      assert (32'(start_action_o.amount) <= 1 + mu_pkg::PAYLOAD_BYTES / mu_pkg::FIFO_SLOT_BYTES);
      refuses_with_a_status_that_exists :
      assert (!refuse_o || refuse_status_o <= mu_pkg::STATUS_DELIVERY_UNKNOWN);
    end
  end
endmodule
`default_nettype wire

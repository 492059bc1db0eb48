// SPDX-License-Identifier: Apache-2.0
// mu_message_engine: message engine: descriptors become packets, and packets are stored.
//
//            fetch_* ----> +---------------------------------------------------+
//            doorbells --> |                    send engine                    | --> inject_*
//                          +------^----------------------------------^---------+
//                                 | slots for remote gets            | notices, credits
//                          +------+----------------------------------+---------+
//            *_write_* <-- |                 reception engine                  | <-- eject_*
//                          +---------------------------------------------------+
//
// Behaviour: every descriptor of a queue is run in order; every good packet is stored
//            or refused with a notice.
// Latency:   see the blocks.
// Limits:    register_valid_i: 0 queues, 1 reception FIFOs, 2 notice rings, 3 reflection credits,
//            4 completion queues, 5 boot buffers.
`default_nettype none

module mu_message_engine (
  input  logic clk_queue_i, clk_cross_i, clk_injection_i, clk_packet_i, clk_reply_i, clk_reception_i,
  input  logic clk_decision_i, rst_ni,
  output logic active_queue_o, active_cross_o, active_injection_o, active_packet_o, active_reply_o,
  output logic active_reception_o, active_decision_o, busy_o, bad_packet_o,
  output logic [8*mu_pkg::CLIENTS-1:0] causes_o,
  input  logic [5:0] register_valid_i,
  output logic [5:0] register_done_o,
  input  mu_pkg::register_request_t register_request_i,
  output mu_pkg::register_response_t register_response_o,
  input  mu_pkg::push_reserve_t push_reserve_i,
  output logic push_reserve_ready_o,
  output logic push_slots_valid_o,
  output mu_pkg::ring_slots_t push_slots_o,
  input  mu_pkg::publish_t queue_publish_i,
  output logic queue_publish_ready_o,
  output mu_pkg::read_request_t fetch_read_o,
  input  mu_pkg::read_beat_t fetch_beat_i,
  input  logic fetch_command_ready_i,
  input  logic [47:0] now_i,
  output logic [47:0] wake_at_o,
  input  mu_pkg::node_straps_t straps_i,
  input  logic [31:0] credit_timeout_cycles_i,
  input  logic [24:0] send_retry_cycles_i,
  input  logic [7:0] send_retries_i,
  input  logic stored_valid_i,
  input  mu_pkg::message_stored_t stored_i,
  output mu_pkg::write_request_t entry_write_o,
  output logic entry_publish_ready_o,
  input  mu_pkg::write_response_t entry_write_response_i,
  input  logic entry_publish_valid_i,
  input  logic [7:0] entry_publish_queue_i,
  output logic [7:0] source_region_o,
  input  mu_pkg::region_entry_t source_entry_i,
  output mu_pkg::counter_lookup_t lookup_2_o,
  input  mu_pkg::counter_owner_t lookup_2_answer_i,
  output mu_pkg::counter_lookup_t lookup_3_o,
  input  mu_pkg::counter_owner_t lookup_3_answer_i,
  input  mu_pkg::event_change_t event_change_i,
  input  logic [7:0] waited_index_i,
  output logic waited_o, calc_valid_o,
  input  logic calc_ready_i,
  output mu_pkg::fetched_descriptor_t calc_descriptor_o,
  input  logic calc_done_valid_i,
  output logic calc_done_ready_o,
  input  mu_pkg::status_e calc_done_status_i,
  output logic injection_counter_valid_o,
  input  logic injection_counter_ready_i,
  output mu_pkg::counter_operation_t injection_counter_operation_o,
  output mu_pkg::read_request_t payload_read_o,
  input  mu_pkg::read_beat_t payload_beat_i,
  input  logic payload_command_ready_i,
  output mu_pkg::flit_stream_t inject_request_o, inject_reply_o,
  input  logic inject_request_ready_i, inject_reply_ready_i,
  input  mu_pkg::flit_stream_t eject_request_i, eject_reply_i,
  output logic eject_request_ready_o, eject_reply_ready_o,
  output mu_pkg::write_request_t request_write_o,
  input  mu_pkg::write_response_t request_write_response_i,
  output mu_pkg::write_request_t reply_write_o,
  input  mu_pkg::write_response_t reply_write_response_i,
  output mu_pkg::write_request_t notice_write_o,
  input  mu_pkg::write_response_t notice_write_response_i,
  output logic [7:0] target_region_o,
  input  mu_pkg::region_entry_t target_entry_i,
  output mu_pkg::counter_lookup_t lookup_0_o,
  input  mu_pkg::counter_owner_t lookup_0_answer_i,
  output mu_pkg::counter_lookup_t lookup_1_o,
  input  mu_pkg::counter_owner_t lookup_1_answer_i,
  input  mu_pkg::publish_t fifo_publish_i,
  output logic fifo_publish_ready_o,
  input  logic notice_publish_valid_i,
  output logic notice_publish_ready_o,
  input  logic [3:0] notice_publish_client_i,
  input  logic [15:0] fifo_hold_cycles_i,
  output logic [1:0] dropped_reply_o
);

  logic queue_busy, injection_busy, requests_busy, decision_busy, queue_empty, get_reserve_valid;
  logic get_reserve_ready;
  logic get_reserve_reflected, get_slots_valid, notice_packet_valid, notice_packet_ready;
  logic credit_return_valid;
  logic [8*mu_pkg::CLIENTS-1:0] queue_causes, injection_causes, reception_causes;
  mu_pkg::register_response_t queue_response, injection_response, fifo_response, notice_response;
  mu_pkg::register_response_t boot_response;
  logic [7:0] get_reserve_queue, empty_queue, credit_return_queue;
  logic [3:0] get_reserve_count;
  mu_pkg::ring_slots_t get_slots;
  mu_pkg::packet_header_t notice_packet_header;
  mu_pkg::packet_trailer_t notice_packet_trailer;
  logic [15:0] credit_return_number;
  logic buffer_valid, reset_pair, stop_pair, configured, configured_receive, receive_end_valid;
  logic receive_end_ready, received_valid, received_ready, watch, arriving_valid;
  logic [7:0] watch_queue;
  logic [31:0] arriving_bytes;
  mu_pkg::received_message_t received;
  logic send_answer_valid;
  logic [7:0] reset_queue, result_queue, receive_queue, answer_queue;
  mu_pkg::receive_buffer_t buffer;
  mu_pkg::queue_end_t receive_end;
  mu_pkg::receive_result_t result, receive_end_result;
  mu_pkg::queue_peer_t receive_peer, answer_peer;
  mu_pkg::send_answer_t send_answer;
  mu_pkg::register_response_t entry_response;

  assign busy_o = queue_busy || injection_busy || requests_busy || decision_busy;
  // A block without work and without a valid input keeps its state: its clock may stop.
  assign active_reception_o = requests_busy || eject_request_i.valid || register_valid_i[5];
  assign active_decision_o  = decision_busy || eject_reply_i.valid ||
                              get_slots_valid || fifo_publish_i.valid || notice_publish_valid_i ||
                              register_valid_i[1] || register_valid_i[2] ||
                              buffer_valid || reset_pair || stop_pair ||
                              configured || stored_valid_i;
  assign causes_o = queue_causes | injection_causes | reception_causes;
  assign register_response_o = queue_response | injection_response | fifo_response | notice_response |
                               entry_response | boot_response;

  // Descriptors to packets.
  mu_send_engine u_send_engine (
    .clk_queue_i, .clk_cross_i, .clk_injection_i, .clk_packet_i, .clk_reply_i, .rst_ni, .active_queue_o,
    .active_cross_o, .active_injection_o, .active_packet_o, .active_reply_o, .queue_busy_o(queue_busy),
    .queue_causes_o(queue_causes), .queue_register_valid_i(register_valid_i[0]), .register_request_i,
    .queue_register_done_o(register_done_o[0]), .queue_register_response_o(queue_response),
    .get_reserve_valid_i(get_reserve_valid), .get_reserve_ready_o(get_reserve_ready),
    .get_reserve_queue_i(get_reserve_queue), .get_reserve_count_i(get_reserve_count),
    .get_reserve_reflected_i(get_reserve_reflected), .get_slots_valid_o(get_slots_valid),
    .get_slots_o(get_slots), .empty_queue_i(empty_queue), .empty_o(queue_empty), .push_reserve_i,
    .push_reserve_ready_o, .push_slots_valid_o, .push_slots_o, .publish_i(queue_publish_i),
    .publish_ready_o(queue_publish_ready_o), .fetch_read_o, .fetch_command_ready_i, .fetch_beat_i, .now_i,
    .injection_busy_o(injection_busy), .wake_at_o, .injection_causes_o(injection_causes), .straps_i,
    .reflection_register_valid_i(register_valid_i[3]), .reflection_register_done_o(register_done_o[3]),
    .reflection_register_response_o(injection_response), .credit_timeout_cycles_i, .source_region_o,
    .source_entry_i, .lookup_2_o, .lookup_2_answer_i, .lookup_3_o, .lookup_3_answer_i,
    .injection_valid_o(injection_counter_valid_o), .injection_ready_i(injection_counter_ready_i),
    .injection_operation_o(injection_counter_operation_o), .payload_read_o, .payload_command_ready_i,
    .payload_beat_i, .notice_packet_valid_i(notice_packet_valid),
    .notice_packet_ready_o(notice_packet_ready), .notice_packet_header_i(notice_packet_header),
    .notice_packet_trailer_i(notice_packet_trailer), .credit_return_valid_i(credit_return_valid),
    .credit_return_queue_i(credit_return_queue), .credit_return_number_i(credit_return_number),
    .inject_request_o, .inject_request_ready_i, .inject_reply_o, .inject_reply_ready_i, .send_retry_cycles_i,
    .send_retries_i, .send_answer_valid_i(send_answer_valid), .send_answer_i(send_answer),
    .buffer_valid_o(buffer_valid), .buffer_o(buffer), .reset_pair_o(reset_pair), .stop_pair_o(stop_pair),
    .configured_o(configured), .configured_receive_o(configured_receive), .reset_queue_o(reset_queue),
    .receive_end_valid_i(receive_end_valid), .receive_end_ready_o(receive_end_ready),
    .receive_end_i(receive_end), .watch_o(watch), .watch_queue_o(watch_queue),
    .arriving_valid_i(arriving_valid), .arriving_bytes_i(arriving_bytes), .message_valid_i(received_valid),
    .message_ready_o(received_ready), .message_i(received), .receive_end_result_i(receive_end_result),
    .result_queue_o(result_queue), .result_i(result), .receive_queue_i(receive_queue),
    .receive_peer_o(receive_peer), .answer_queue_i(answer_queue), .answer_peer_o(answer_peer),
    .entry_register_valid_i(register_valid_i[4]), .entry_register_done_o(register_done_o[4]),
    .entry_register_response_o(entry_response), .entry_write_o, .entry_write_response_i,
    .entry_publish_valid_i, .entry_publish_ready_o, .entry_publish_queue_i, .event_change_i, .waited_index_i,
    .waited_o, .calc_valid_o, .calc_ready_i, .calc_descriptor_o, .calc_done_valid_i, .calc_done_ready_o,
    .calc_done_status_i
  );

  // Packets to memory.
  mu_reception_engine u_reception_engine (
    .clk_i(clk_reception_i), .clk_decision_i, .rst_ni, .requests_busy_o(requests_busy),
    .decision_busy_o(decision_busy),
    .straps_i, .eject_request_i, .eject_request_ready_o, .eject_reply_i, .eject_reply_ready_o,
    .request_write_o, .request_write_response_i,
    .reply_write_o, .reply_write_response_i,
    .notice_write_o, .notice_write_response_i,
    .target_region_o, .target_entry_i, .lookup_0_o, .lookup_0_answer_i, .lookup_1_o, .lookup_1_answer_i,
    .get_reserve_valid_o(get_reserve_valid), .get_reserve_ready_i(get_reserve_ready),
    .get_reserve_queue_o(get_reserve_queue), .get_reserve_count_o(get_reserve_count),
    .get_reserve_reflected_o(get_reserve_reflected),
    .get_slots_valid_i(get_slots_valid), .get_slots_i(get_slots),
    .empty_queue_o(empty_queue), .empty_i(queue_empty),
    .credit_return_valid_o(credit_return_valid), .credit_return_queue_o(credit_return_queue),
    .credit_return_number_o(credit_return_number),
    .notice_packet_valid_o(notice_packet_valid), .notice_packet_ready_i(notice_packet_ready),
    .notice_packet_header_o(notice_packet_header), .notice_packet_trailer_o(notice_packet_trailer),
    .buffer_valid_i(buffer_valid), .buffer_i(buffer), .reset_pair_i(reset_pair),
    .stop_pair_i(stop_pair), .configured_i(configured),
    .configured_receive_i(configured_receive), .reset_queue_i(reset_queue),
    .receive_end_valid_o(receive_end_valid), .receive_end_ready_i(receive_end_ready), .watch_i(watch),
    .watch_queue_i(watch_queue), .arriving_valid_o(arriving_valid), .arriving_bytes_o(arriving_bytes),
    .message_valid_o(received_valid), .message_ready_i(received_ready), .message_o(received),
    .receive_end_o(receive_end), .receive_end_result_o(receive_end_result),
    .result_queue_i(result_queue), .result_o(result),
    .receive_queue_o(receive_queue), .receive_peer_i(receive_peer), .answer_queue_o(answer_queue),
    .answer_peer_i(answer_peer), .stored_valid_i, .stored_i, .send_answer_valid_o(send_answer_valid),
    .send_answer_o(send_answer),
    .fifo_publish_i, .fifo_publish_ready_o,
    .notice_publish_valid_i, .notice_publish_ready_o, .notice_publish_client_i,
    .fifo_register_valid_i(register_valid_i[1]), .fifo_register_done_o(register_done_o[1]),
    .fifo_register_response_o(fifo_response), .notice_register_valid_i(register_valid_i[2]),
    .notice_register_done_o(register_done_o[2]), .notice_register_response_o(notice_response),
    .boot_register_valid_i(register_valid_i[5]), .boot_register_done_o(register_done_o[5]),
    .boot_register_response_o(boot_response), .register_request_i, .fifo_hold_cycles_i, .bad_packet_o,
    .dropped_reply_o, .causes_o(reception_causes)
  );

endmodule : mu_message_engine

`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_messaging_unit: the messaging unit: everything of a node but its router.
//
//   s_axil_* --> host interface --> register bus to all      irq_o <-- interrupt control <-- causes
//
//             +----------------------- memory side -----------------------+ <--> m_axi_*
//                   ^ reads, entries   | accepted writes        ^ stores, notices
//             +-----+------------------v---+            +-------+---------+
//   inject_* <--        send engine        | <--------> | reception engine <-- eject_*
//             +----------------------------+            +-----------------+
//                         slots for remote gets, queue pairs, replies
//
// Behaviour: runs the descriptors that software and remote gets put into its queues, stores what packets
//            bring, and reports through counters, tails and interrupts once the memory has accepted writes.
// Latency:   see the blocks; doorbell to first flit and last flit to counter are in docs/results.md.
// Limits:    straps do not change after reset. Of register_valid: 0 queues, 1 reception FIFOs, 2 counters,
//            3 regions, 4 touch ranges, 5 notice rings, 6 router, 7 reflection credits, 8 interrupts,
//            9 completion queues, 10 boot buffers.
`default_nettype none

module mu_messaging_unit (
  input  logic clk_control_i, clk_memory_i, clk_queue_i, clk_injection_i, clk_packet_i,
  input  logic clk_reception_i, clk_decision_i, clk_calc_i, rst_ni,
  output logic busy_o, active_control_o, active_memory_o, active_queue_o, active_injection_o,
  output logic active_packet_o, active_reception_o, active_decision_o, active_calc_o,
  input  mu_pkg::node_straps_t straps_i,
  output logic [mu_pkg::CLIENTS-1:0] irq_o,
  input  logic [47:0] now_i,
  output logic [47:0] wake_at_o,
  output mu_pkg::flit_stream_t inject_request_o, inject_reply_o,
  input  logic inject_request_ready_i, inject_reply_ready_i,
  input  mu_pkg::flit_stream_t eject_request_i, eject_reply_i,
  output logic eject_request_ready_o, eject_reply_ready_o,
  input  logic router_register_done_i,
  output logic router_register_valid_o,
  output mu_pkg::register_request_t router_register_request_o,
  input  mu_pkg::register_response_t router_register_response_i,
  input  mu_pkg::axil_request_t axil_request_i,
  output mu_pkg::axil_response_t axil_response_o,
  output mu_pkg::axi_request_t axi_request_o,
  input  mu_pkg::axi_response_t axi_response_i
);

  // Host interface and interrupt control.
  logic [10:0] register_valid, register_done;
  mu_pkg::register_request_t register_request;
  mu_pkg::register_response_t register_response;
  logic [15:0] fifo_hold_cycles;
  logic [31:0] credit_timeout_cycles;
  logic [24:0] send_retry_cycles;
  logic [7:0] send_retries;
  logic host_busy, interrupt_busy, active_host, bad_packet, memory_error;
  logic [1:0] dropped_reply;
  logic [8*mu_pkg::CLIENTS-1:0] causes, host_causes, memory_causes, queue_causes;
  logic [8*mu_pkg::CLIENTS-1:0] injection_causes, reception_causes;
  mu_pkg::register_response_t interrupt_response, memory_response, queue_response;
  mu_pkg::register_response_t injection_response, fifo_response, notice_response, entry_response;
  mu_pkg::register_response_t boot_response;
  // Reads and writes of memory.
  logic memory_busy, active_table, fetch_command_ready, payload_command_ready;
  mu_pkg::read_request_t fetch_read, payload_read;
  mu_pkg::read_beat_t fetch_beat, payload_beat;
  mu_pkg::write_request_t reply_write, request_write, push_write, notice_write, entry_write;
  mu_pkg::write_response_t reply_write_response, request_write_response, push_write_response;
  mu_pkg::write_response_t notice_write_response, entry_write_response;
  // What is now in memory.
  mu_pkg::publish_t fifo_publish, queue_publish;
  logic fifo_publish_ready, queue_publish_ready, notice_publish_valid, notice_publish_ready;
  logic entry_publish_valid, entry_publish_ready, stored_valid;
  logic [3:0] notice_publish_client;
  logic [7:0] entry_publish_queue;
  mu_pkg::message_stored_t stored;
  mu_pkg::push_done_t push_done;
  // Regions and counters.
  logic [7:0] source_region, target_region, waited_index;
  mu_pkg::region_entry_t source_entry, target_entry;
  mu_pkg::counter_lookup_t lookup_0, lookup_1, lookup_2, lookup_3;
  mu_pkg::counter_owner_t lookup_0_answer, lookup_1_answer, lookup_2_answer, lookup_3_answer;
  mu_pkg::counter_operation_t injection_counter_operation;
  mu_pkg::event_change_t event_change;
  logic injection_counter_valid, injection_counter_ready, waited;
  // CALC.
  logic calc_valid, calc_ready, calc_done_valid, calc_done_ready;
  mu_pkg::fetched_descriptor_t calc_descriptor;
  mu_pkg::status_e calc_done_status;
  // Slots for pushed descriptors and for remote gets.
  mu_pkg::push_reserve_t push_reserve;
  logic push_reserve_ready, push_slots_valid, get_reserve_valid, get_reserve_ready;
  logic get_reserve_reflected, get_slots_valid, queue_empty;
  logic [7:0] get_reserve_queue, empty_queue;
  logic [3:0] get_reserve_count;
  mu_pkg::ring_slots_t push_slots, get_slots;
  // Replies that reception sends.
  logic notice_packet_valid, notice_packet_ready, credit_return_valid;
  mu_pkg::packet_header_t notice_packet_header;
  mu_pkg::packet_trailer_t notice_packet_trailer;
  logic [7:0] credit_return_queue;
  logic [15:0] credit_return_number;
  // Queue pairs: the side that sends and the side that receives.
  logic queue_busy, injection_busy, requests_busy, decision_busy, active_cross, active_reply;
  logic buffer_valid, reset_pair, stop_pair, configured, configured_receive, receive_end_valid;
  logic receive_end_ready, received_valid, received_ready, watch, arriving_valid, send_answer_valid;
  logic [7:0] watch_queue, reset_queue, result_queue, receive_queue, answer_queue;
  logic [31:0] arriving_bytes;
  mu_pkg::receive_buffer_t buffer;
  mu_pkg::queue_end_t receive_end;
  mu_pkg::receive_result_t result, receive_end_result;
  mu_pkg::received_message_t received;
  mu_pkg::queue_peer_t receive_peer, answer_peer;
  mu_pkg::send_answer_t send_answer;

  assign router_register_valid_o = register_valid[6];
  assign router_register_request_o = register_request;
  assign register_done[6] = router_register_done_i;
  assign register_response = interrupt_response | memory_response | router_register_response_i |
                             queue_response | injection_response | fifo_response |
                             notice_response | entry_response | boot_response;
  assign causes = host_causes | memory_causes | queue_causes | injection_causes | reception_causes;
  assign busy_o = host_busy || interrupt_busy || memory_busy || queue_busy || injection_busy ||
                  requests_busy || decision_busy;
  // A block without work and without a valid input keeps its state: its clock may stop.
  assign active_host = host_busy || interrupt_busy || causes != 0 || bad_packet ||
                       dropped_reply != 0 || memory_error || push_slots_valid || push_done.valid;
  assign active_control_o = active_host || active_table || active_cross || active_reply;
  assign active_reception_o = requests_busy || eject_request_i.valid || register_valid[10];
  assign active_decision_o = decision_busy || eject_reply_i.valid || get_slots_valid ||
                             fifo_publish.valid || notice_publish_valid || register_valid[1] ||
                             register_valid[5] || buffer_valid || reset_pair || stop_pair ||
                             configured || stored_valid;

  // Registers and doorbells; pushed descriptors.
  mu_host_interface u_host_interface (
    .clk_i(clk_control_i), .rst_ni, .busy_o(host_busy), .s_axil_awvalid(axil_request_i.awvalid),
    .s_axil_awready(axil_response_o.awready), .s_axil_awaddr(axil_request_i.awaddr),
    .s_axil_wvalid(axil_request_i.wvalid), .s_axil_wready(axil_response_o.wready),
    .s_axil_wdata(axil_request_i.wdata), .s_axil_wstrb(axil_request_i.wstrb),
    .s_axil_bvalid(axil_response_o.bvalid), .s_axil_bready(axil_request_i.bready),
    .s_axil_bresp(axil_response_o.bresp), .s_axil_arvalid(axil_request_i.arvalid),
    .s_axil_arready(axil_response_o.arready), .s_axil_araddr(axil_request_i.araddr),
    .s_axil_rvalid(axil_response_o.rvalid), .s_axil_rready(axil_request_i.rready),
    .s_axil_rdata(axil_response_o.rdata), .s_axil_rresp(axil_response_o.rresp),
    .register_valid_o(register_valid), .register_request_o(register_request),
    .register_done_i(register_done), .register_response_i(register_response), .straps_i,
    .bad_packet_i(bad_packet), .dropped_reply_i(dropped_reply), .memory_error_i(memory_error),
    .fifo_hold_cycles_o(fifo_hold_cycles), .credit_timeout_cycles_o(credit_timeout_cycles),
    .send_retry_cycles_o(send_retry_cycles), .send_retries_o(send_retries),
    .push_reserve_o(push_reserve), .push_reserve_ready_i(push_reserve_ready),
    .push_slots_valid_i(push_slots_valid), .push_slots_i(push_slots), .push_write_o(push_write),
    .push_write_response_i(push_write_response), .push_done_i(push_done), .causes_o(host_causes)
  );

  // Causes become interrupt lines.
  mu_interrupt_control u_interrupt_control (
    .clk_i(clk_control_i), .rst_ni, .busy_o(interrupt_busy), .register_valid_i(register_valid[8]),
    .register_request_i(register_request), .register_done_o(register_done[8]),
    .register_response_o(interrupt_response), .causes_i(causes), .irq_o
  );

  // Node memory, counters, regions.
  mu_memory_side u_memory_side (
    .clk_memory_i, .clk_table_i(clk_control_i), .rst_ni, .active_memory_o,
    .active_table_o(active_table), .busy_o(memory_busy), .causes_o(memory_causes),
    .register_valid_i(register_valid[4:2]), .register_done_o(register_done[4:2]),
    .register_request_i(register_request), .register_response_o(memory_response),
    .fetch_read_i(fetch_read), .fetch_command_ready_o(fetch_command_ready),
    .fetch_beat_o(fetch_beat), .payload_read_i(payload_read),
    .payload_command_ready_o(payload_command_ready), .payload_beat_o(payload_beat),
    .reply_write_i(reply_write), .reply_write_response_o(reply_write_response),
    .request_write_i(request_write), .request_write_response_o(request_write_response),
    .push_write_i(push_write), .push_write_response_o(push_write_response),
    .notice_write_i(notice_write), .notice_write_response_o(notice_write_response),
    .memory_error_o(memory_error), .fifo_publish_o(fifo_publish),
    .fifo_publish_ready_i(fifo_publish_ready), .queue_publish_o(queue_publish),
    .queue_publish_ready_i(queue_publish_ready), .notice_publish_valid_o(notice_publish_valid),
    .notice_publish_ready_i(notice_publish_ready), .notice_publish_client_o(notice_publish_client),
    .entry_write_i(entry_write), .entry_publish_ready_i(entry_publish_ready),
    .entry_write_response_o(entry_write_response), .entry_publish_valid_o(entry_publish_valid),
    .entry_publish_queue_o(entry_publish_queue), .stored_valid_o(stored_valid), .stored_o(stored),
    .push_done_o(push_done), .injection_counter_valid_i(injection_counter_valid),
    .injection_counter_ready_o(injection_counter_ready),
    .injection_counter_operation_i(injection_counter_operation), .lookup_0_i(lookup_0),
    .lookup_0_answer_o(lookup_0_answer), .lookup_1_i(lookup_1), .lookup_1_answer_o(lookup_1_answer),
    .lookup_2_i(lookup_2), .lookup_2_answer_o(lookup_2_answer), .lookup_3_i(lookup_3),
    .lookup_3_answer_o(lookup_3_answer), .event_change_o(event_change),
    .waited_index_o(waited_index), .waited_i(waited), .source_region_i(source_region),
    .source_entry_o(source_entry), .target_region_i(target_region), .target_entry_o(target_entry),
    .clk_calc_i, .active_calc_o, .calc_valid_i(calc_valid), .calc_ready_o(calc_ready),
    .calc_descriptor_i(calc_descriptor), .calc_done_valid_o(calc_done_valid),
    .calc_done_ready_i(calc_done_ready), .calc_done_status_o(calc_done_status), .axi_request_o,
    .axi_response_i
  );

  // Descriptors to packets.
  mu_send_engine u_send_engine (
    .clk_queue_i, .clk_cross_i(clk_control_i), .clk_injection_i, .clk_packet_i,
    .clk_reply_i(clk_control_i), .rst_ni, .active_queue_o, .active_cross_o(active_cross),
    .active_injection_o, .active_packet_o, .active_reply_o(active_reply), .queue_busy_o(queue_busy),
    .queue_causes_o(queue_causes), .queue_register_valid_i(register_valid[0]),
    .register_request_i(register_request), .queue_register_done_o(register_done[0]),
    .queue_register_response_o(queue_response), .get_reserve_valid_i(get_reserve_valid),
    .get_reserve_ready_o(get_reserve_ready), .get_reserve_queue_i(get_reserve_queue),
    .get_reserve_count_i(get_reserve_count), .get_reserve_reflected_i(get_reserve_reflected),
    .get_slots_valid_o(get_slots_valid), .get_slots_o(get_slots), .empty_queue_i(empty_queue),
    .empty_o(queue_empty), .push_reserve_i(push_reserve), .push_reserve_ready_o(push_reserve_ready),
    .push_slots_valid_o(push_slots_valid), .push_slots_o(push_slots), .publish_i(queue_publish),
    .publish_ready_o(queue_publish_ready), .fetch_read_o(fetch_read),
    .fetch_command_ready_i(fetch_command_ready), .fetch_beat_i(fetch_beat), .now_i,
    .injection_busy_o(injection_busy), .wake_at_o, .injection_causes_o(injection_causes), .straps_i,
    .reflection_register_valid_i(register_valid[7]), .reflection_register_done_o(register_done[7]),
    .reflection_register_response_o(injection_response),
    .credit_timeout_cycles_i(credit_timeout_cycles), .source_region_o(source_region),
    .source_entry_i(source_entry), .lookup_2_o(lookup_2), .lookup_2_answer_i(lookup_2_answer),
    .lookup_3_o(lookup_3), .lookup_3_answer_i(lookup_3_answer),
    .injection_valid_o(injection_counter_valid), .injection_ready_i(injection_counter_ready),
    .injection_operation_o(injection_counter_operation), .payload_read_o(payload_read),
    .payload_command_ready_i(payload_command_ready), .payload_beat_i(payload_beat),
    .notice_packet_valid_i(notice_packet_valid), .notice_packet_ready_o(notice_packet_ready),
    .notice_packet_header_i(notice_packet_header), .notice_packet_trailer_i(notice_packet_trailer),
    .credit_return_valid_i(credit_return_valid), .credit_return_queue_i(credit_return_queue),
    .credit_return_number_i(credit_return_number), .inject_request_o, .inject_request_ready_i,
    .inject_reply_o, .inject_reply_ready_i, .send_retry_cycles_i(send_retry_cycles),
    .send_retries_i(send_retries), .send_answer_valid_i(send_answer_valid),
    .send_answer_i(send_answer), .buffer_valid_o(buffer_valid), .buffer_o(buffer),
    .reset_pair_o(reset_pair), .stop_pair_o(stop_pair), .configured_o(configured),
    .configured_receive_o(configured_receive), .reset_queue_o(reset_queue),
    .receive_end_valid_i(receive_end_valid), .receive_end_ready_o(receive_end_ready),
    .receive_end_i(receive_end), .watch_o(watch), .watch_queue_o(watch_queue),
    .arriving_valid_i(arriving_valid), .arriving_bytes_i(arriving_bytes),
    .message_valid_i(received_valid), .message_ready_o(received_ready), .message_i(received),
    .receive_end_result_i(receive_end_result), .result_queue_o(result_queue), .result_i(result),
    .receive_queue_i(receive_queue), .receive_peer_o(receive_peer), .answer_queue_i(answer_queue),
    .answer_peer_o(answer_peer), .entry_register_valid_i(register_valid[9]),
    .entry_register_done_o(register_done[9]), .entry_register_response_o(entry_response),
    .entry_write_o(entry_write), .entry_write_response_i(entry_write_response),
    .entry_publish_valid_i(entry_publish_valid), .entry_publish_ready_o(entry_publish_ready),
    .entry_publish_queue_i(entry_publish_queue), .event_change_i(event_change),
    .waited_index_i(waited_index), .waited_o(waited), .calc_valid_o(calc_valid),
    .calc_ready_i(calc_ready), .calc_descriptor_o(calc_descriptor),
    .calc_done_valid_i(calc_done_valid), .calc_done_ready_o(calc_done_ready),
    .calc_done_status_i(calc_done_status)
  );

  // Packets to memory.
  mu_reception_engine u_reception_engine (
    .clk_i(clk_reception_i), .clk_decision_i, .rst_ni, .requests_busy_o(requests_busy),
    .decision_busy_o(decision_busy), .straps_i, .eject_request_i, .eject_request_ready_o,
    .eject_reply_i, .eject_reply_ready_o, .request_write_o(request_write),
    .request_write_response_i(request_write_response), .reply_write_o(reply_write),
    .reply_write_response_i(reply_write_response), .notice_write_o(notice_write),
    .notice_write_response_i(notice_write_response), .target_region_o(target_region),
    .target_entry_i(target_entry), .lookup_0_o(lookup_0), .lookup_0_answer_i(lookup_0_answer),
    .lookup_1_o(lookup_1), .lookup_1_answer_i(lookup_1_answer),
    .get_reserve_valid_o(get_reserve_valid), .get_reserve_ready_i(get_reserve_ready),
    .get_reserve_queue_o(get_reserve_queue), .get_reserve_count_o(get_reserve_count),
    .get_reserve_reflected_o(get_reserve_reflected), .get_slots_valid_i(get_slots_valid),
    .get_slots_i(get_slots), .empty_queue_o(empty_queue), .empty_i(queue_empty),
    .credit_return_valid_o(credit_return_valid), .credit_return_queue_o(credit_return_queue),
    .credit_return_number_o(credit_return_number), .notice_packet_valid_o(notice_packet_valid),
    .notice_packet_ready_i(notice_packet_ready), .notice_packet_header_o(notice_packet_header),
    .notice_packet_trailer_o(notice_packet_trailer), .buffer_valid_i(buffer_valid),
    .buffer_i(buffer), .reset_pair_i(reset_pair), .stop_pair_i(stop_pair),
    .configured_i(configured), .configured_receive_i(configured_receive),
    .reset_queue_i(reset_queue), .receive_end_valid_o(receive_end_valid),
    .receive_end_ready_i(receive_end_ready), .watch_i(watch), .watch_queue_i(watch_queue),
    .arriving_valid_o(arriving_valid), .arriving_bytes_o(arriving_bytes),
    .message_valid_o(received_valid), .message_ready_i(received_ready), .message_o(received),
    .receive_end_o(receive_end), .receive_end_result_o(receive_end_result),
    .result_queue_i(result_queue), .result_o(result), .receive_queue_o(receive_queue),
    .receive_peer_i(receive_peer), .answer_queue_o(answer_queue), .answer_peer_i(answer_peer),
    .stored_valid_i(stored_valid), .stored_i(stored), .send_answer_valid_o(send_answer_valid),
    .send_answer_o(send_answer), .fifo_publish_i(fifo_publish),
    .fifo_publish_ready_o(fifo_publish_ready), .notice_publish_valid_i(notice_publish_valid),
    .notice_publish_ready_o(notice_publish_ready), .notice_publish_client_i(notice_publish_client),
    .fifo_register_valid_i(register_valid[1]), .fifo_register_done_o(register_done[1]),
    .fifo_register_response_o(fifo_response), .notice_register_valid_i(register_valid[5]),
    .notice_register_done_o(register_done[5]), .notice_register_response_o(notice_response),
    .boot_register_valid_i(register_valid[10]), .boot_register_done_o(register_done[10]),
    .boot_register_response_o(boot_response), .register_request_i(register_request),
    .fifo_hold_cycles_i(fifo_hold_cycles), .bad_packet_o(bad_packet),
    .dropped_reply_o(dropped_reply), .causes_o(reception_causes)
  );

endmodule : mu_messaging_unit

`default_nettype wire

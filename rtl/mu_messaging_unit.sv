// SPDX-License-Identifier: Apache-2.0
// mu_messaging_unit: the messaging unit: everything of a node but its router.
//
//            s_axil_* --> host interface --> register bus to all      memory side <--> m_axi_*
//            irq_o <---- interrupt control <-- causes of all           ^  |
//                                                        stores, reads |  | accepted writes
//                                                              +-------+--v-----+
//                                                              | message engine |
//                                                              +--+----------^--+
//                                                          inject v          | eject
//
// Behaviour: runs the descriptors that software and remote gets put into its queues, stores what packets
//            bring, and reports through counters, tails and interrupts once the memory has accepted writes.
// Latency:   see the blocks; doorbell to first flit and last flit to counter are in docs/results.md.
// Limits:    straps do not change after reset. The router's registers are register 6 of the bus.
`default_nettype none

module mu_messaging_unit (
  input  logic clk_control_i, clk_memory_i, clk_queue_i, clk_injection_i, clk_reception_i, clk_decision_i,
  input  logic clk_calc_i, clk_packet_i, rst_ni,
  output logic busy_o, active_calc_o, active_control_o, active_memory_o, active_queue_o, active_injection_o,
  output logic active_packet_o, active_reception_o, active_decision_o,
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

  logic active_host, active_table, active_cross, active_reply;
  logic [10:0] register_valid, register_done;
  mu_pkg::write_request_t entry_write;
  mu_pkg::write_response_t entry_write_response;
  mu_pkg::push_reserve_t push_reserve;
  logic host_busy, bad_packet, memory_error, push_reserve_ready;
  mu_pkg::write_request_t push_write;
  mu_pkg::write_response_t push_write_response;
  logic push_slots_valid;
  mu_pkg::push_done_t push_done;
  logic interrupt_busy, memory_busy;
  mu_pkg::read_request_t fetch_read;
  mu_pkg::read_beat_t fetch_beat;
  logic fetch_command_ready;
  mu_pkg::read_request_t payload_read;
  mu_pkg::read_beat_t payload_beat;
  logic payload_command_ready;
  mu_pkg::write_request_t reply_write;
  mu_pkg::write_response_t reply_write_response;
  mu_pkg::write_request_t request_write;
  mu_pkg::write_response_t request_write_response;
  mu_pkg::write_request_t notice_write;
  mu_pkg::write_response_t notice_write_response;
  mu_pkg::publish_t fifo_publish;
  mu_pkg::publish_t queue_publish;
  logic fifo_publish_ready, queue_publish_ready, notice_publish_valid;
  mu_pkg::counter_lookup_t lookup_0;
  logic notice_publish_ready, injection_counter_valid, injection_counter_ready;
  mu_pkg::counter_owner_t lookup_0_answer;
  mu_pkg::counter_lookup_t lookup_1;
  mu_pkg::counter_owner_t lookup_1_answer;
  mu_pkg::counter_lookup_t lookup_2;
  mu_pkg::counter_owner_t lookup_2_answer;
  mu_pkg::counter_lookup_t lookup_3;
  mu_pkg::counter_owner_t lookup_3_answer;
  mu_pkg::event_change_t event_change;
  logic message_busy, waited, stored_valid;
  logic calc_valid, calc_ready, calc_done_valid, calc_done_ready, entry_publish_valid, entry_publish_ready;
  mu_pkg::message_stored_t stored;
  mu_pkg::status_e calc_done_status;
  logic [7:0] waited_index;
  logic [7:0] source_region, target_region, entry_publish_queue;
  logic [7:0] send_retries;
  mu_pkg::fetched_descriptor_t calc_descriptor;
  mu_pkg::register_request_t register_request;
  mu_pkg::register_response_t register_response, interrupt_response, memory_response, message_response;
  logic [1:0] dropped_reply;
  logic [15:0] fifo_hold_cycles;
  logic [31:0] credit_timeout_cycles;
  logic [24:0] send_retry_cycles;
  logic [3:0] notice_publish_client;
  mu_pkg::ring_slots_t push_slots;
  logic [8*mu_pkg::CLIENTS-1:0] host_causes, causes, memory_causes, message_causes;
  mu_pkg::counter_operation_t injection_counter_operation;
  mu_pkg::region_entry_t source_entry, target_entry;

  assign router_register_valid_o = register_valid[6];
  assign router_register_request_o = register_request;
  assign register_done[6] = router_register_done_i;
  assign register_response = interrupt_response | memory_response | message_response |
                             router_register_response_i;
  assign causes = host_causes | memory_causes | message_causes;
  assign busy_o = host_busy || interrupt_busy || memory_busy || message_busy;
  assign active_host = host_busy || interrupt_busy || causes != 0 || bad_packet || dropped_reply != 0 ||
                       memory_error || push_slots_valid || push_done.valid;
  assign active_control_o = active_host || active_table || active_cross || active_reply;

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
    .send_retry_cycles_o(send_retry_cycles), .send_retries_o(send_retries), .push_reserve_o(push_reserve),
    .push_reserve_ready_i(push_reserve_ready), .push_slots_valid_i(push_slots_valid),
    .push_slots_i(push_slots), .push_write_o(push_write), .push_write_response_i(push_write_response),
    .push_done_i(push_done), .causes_o(host_causes)
  );

  // Causes become interrupt lines.
  mu_interrupt_control u_interrupt_control (
    .clk_i(clk_control_i), .rst_ni, .busy_o(interrupt_busy), .register_valid_i(register_valid[8]),
    .register_request_i(register_request), .register_done_o(register_done[8]),
    .register_response_o(interrupt_response), .causes_i(causes), .irq_o
  );

  // Node memory, counters, regions.
  mu_memory_side u_memory_side (
    .clk_memory_i, .clk_table_i(clk_control_i), .rst_ni, .active_memory_o, .active_table_o(active_table),
    .busy_o(memory_busy), .causes_o(memory_causes), .register_valid_i(register_valid[4:2]),
    .register_done_o(register_done[4:2]), .register_request_i(register_request),
    .register_response_o(memory_response), .fetch_read_i(fetch_read),
    .fetch_command_ready_o(fetch_command_ready), .fetch_beat_o(fetch_beat), .payload_read_i(payload_read),
    .payload_command_ready_o(payload_command_ready), .payload_beat_o(payload_beat),
    .reply_write_i(reply_write), .reply_write_response_o(reply_write_response),
    .request_write_i(request_write), .request_write_response_o(request_write_response),
    .push_write_i(push_write), .push_write_response_o(push_write_response), .notice_write_i(notice_write),
    .notice_write_response_o(notice_write_response), .memory_error_o(memory_error),
    .fifo_publish_o(fifo_publish), .fifo_publish_ready_i(fifo_publish_ready),
    .queue_publish_o(queue_publish), .queue_publish_ready_i(queue_publish_ready),
    .notice_publish_valid_o(notice_publish_valid), .notice_publish_ready_i(notice_publish_ready),
    .notice_publish_client_o(notice_publish_client), .entry_write_i(entry_write),
    .entry_publish_ready_i(entry_publish_ready), .entry_write_response_o(entry_write_response),
    .entry_publish_valid_o(entry_publish_valid), .entry_publish_queue_o(entry_publish_queue),
    .stored_valid_o(stored_valid), .stored_o(stored), .push_done_o(push_done),
    .injection_counter_valid_i(injection_counter_valid), .injection_counter_ready_o(injection_counter_ready),
    .injection_counter_operation_i(injection_counter_operation), .lookup_0_i(lookup_0),
    .lookup_0_answer_o(lookup_0_answer), .lookup_1_i(lookup_1), .lookup_1_answer_o(lookup_1_answer),
    .lookup_2_i(lookup_2), .lookup_2_answer_o(lookup_2_answer), .lookup_3_i(lookup_3),
    .lookup_3_answer_o(lookup_3_answer), .event_change_o(event_change), .waited_index_o(waited_index),
    .waited_i(waited), .source_region_i(source_region), .source_entry_o(source_entry),
    .target_region_i(target_region), .target_entry_o(target_entry), .clk_calc_i, .active_calc_o,
    .calc_valid_i(calc_valid), .calc_ready_o(calc_ready), .calc_descriptor_i(calc_descriptor),
    .calc_done_valid_o(calc_done_valid), .calc_done_ready_i(calc_done_ready),
    .calc_done_status_o(calc_done_status),
    .axi_request_o, .axi_response_i
  );

  // Descriptors to packets, packets to memory.
  mu_message_engine u_message_engine (
    .clk_queue_i, .clk_cross_i(clk_control_i), .clk_injection_i, .clk_packet_i, .clk_reply_i(clk_control_i),
    .clk_reception_i, .clk_decision_i, .rst_ni, .active_queue_o, .active_cross_o(active_cross),
    .active_injection_o, .active_packet_o, .active_reply_o(active_reply), .active_decision_o,
    .active_reception_o, .busy_o(message_busy), .bad_packet_o(bad_packet), .causes_o(message_causes),
    .register_valid_i({register_valid[10:9], register_valid[7], register_valid[5], register_valid[1:0]}),
    .register_done_o({register_done[10:9], register_done[7], register_done[5], register_done[1:0]}),
    .register_request_i(register_request), .register_response_o(message_response),
    .push_reserve_i(push_reserve), .push_reserve_ready_o(push_reserve_ready),
    .push_slots_valid_o(push_slots_valid), .push_slots_o(push_slots), .queue_publish_i(queue_publish),
    .queue_publish_ready_o(queue_publish_ready), .fetch_read_o(fetch_read),
    .fetch_command_ready_i(fetch_command_ready), .fetch_beat_i(fetch_beat), .now_i, .wake_at_o, .straps_i,
    .credit_timeout_cycles_i(credit_timeout_cycles), .send_retry_cycles_i(send_retry_cycles),
    .send_retries_i(send_retries), .stored_valid_i(stored_valid), .stored_i(stored),
    .entry_write_o(entry_write), .entry_publish_ready_o(entry_publish_ready),
    .entry_write_response_i(entry_write_response), .entry_publish_valid_i(entry_publish_valid),
    .entry_publish_queue_i(entry_publish_queue), .source_region_o(source_region),
    .source_entry_i(source_entry), .lookup_2_o(lookup_2), .lookup_2_answer_i(lookup_2_answer),
    .lookup_3_o(lookup_3), .lookup_3_answer_i(lookup_3_answer), .event_change_i(event_change),
    .waited_index_i(waited_index), .waited_o(waited), .calc_valid_o(calc_valid), .calc_ready_i(calc_ready),
    .calc_descriptor_o(calc_descriptor), .calc_done_valid_i(calc_done_valid),
    .calc_done_ready_o(calc_done_ready), .injection_counter_valid_o(injection_counter_valid),
    .injection_counter_ready_i(injection_counter_ready),
    .injection_counter_operation_o(injection_counter_operation), .calc_done_status_i(calc_done_status),
    .payload_read_o(payload_read), .payload_command_ready_i(payload_command_ready),
    .payload_beat_i(payload_beat), .inject_request_o, .inject_request_ready_i, .inject_reply_o,
    .inject_reply_ready_i, .eject_request_i, .eject_request_ready_o, .eject_reply_i, .eject_reply_ready_o,
    .request_write_o(request_write), .request_write_response_i(request_write_response),
    .reply_write_o(reply_write), .reply_write_response_i(reply_write_response),
    .notice_write_o(notice_write), .notice_write_response_i(notice_write_response),
    .target_region_o(target_region), .target_entry_i(target_entry), .lookup_0_o(lookup_0),
    .lookup_0_answer_i(lookup_0_answer), .lookup_1_o(lookup_1), .lookup_1_answer_i(lookup_1_answer),
    .fifo_publish_i(fifo_publish), .fifo_publish_ready_o(fifo_publish_ready),
    .notice_publish_valid_i(notice_publish_valid), .notice_publish_ready_o(notice_publish_ready),
    .notice_publish_client_i(notice_publish_client), .fifo_hold_cycles_i(fifo_hold_cycles),
    .dropped_reply_o(dropped_reply)
  );

endmodule : mu_messaging_unit

`default_nettype wire

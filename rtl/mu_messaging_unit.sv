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
  input  logic s_axil_awvalid, s_axil_wvalid,
  output logic s_axil_awready, s_axil_wready,
  input  logic [19:0] s_axil_awaddr,
  input  logic [63:0] s_axil_wdata,
  input  logic [7:0] s_axil_wstrb,
  output logic s_axil_bvalid, s_axil_arready,
  input  logic s_axil_bready, s_axil_arvalid,
  output logic [1:0] s_axil_bresp,
  input  logic [19:0] s_axil_araddr,
  output logic s_axil_rvalid,
  input  logic s_axil_rready,
  output logic [63:0] s_axil_rdata,
  output logic [1:0] s_axil_rresp, m_axi_arid, m_axi_arburst,
  output logic [39:0] m_axi_araddr,
  output logic [7:0] m_axi_arlen,
  output logic [2:0] m_axi_arsize,
  output logic m_axi_arvalid,
  input  logic m_axi_arready, m_axi_rlast, m_axi_rvalid,
  input  logic [1:0] m_axi_rid, m_axi_rresp,
  input  logic [255:0] m_axi_rdata,
  output logic m_axi_rready,
  output logic [1:0] m_axi_awid, m_axi_awburst,
  output logic [39:0] m_axi_awaddr,
  output logic [7:0] m_axi_awlen,
  output logic [2:0] m_axi_awsize,
  output logic m_axi_awvalid,
  input  logic m_axi_awready,
  output logic [255:0] m_axi_wdata,
  output logic [31:0] m_axi_wstrb,
  output logic m_axi_wlast, m_axi_wvalid,
  input  logic m_axi_wready, m_axi_bvalid,
  input  logic [1:0] m_axi_bid, m_axi_bresp,
  output logic m_axi_bready
);

  logic active_host, active_table, active_cross, active_reply;
  logic [10:0] register_valid, register_done;
  logic entry_write_command_valid, entry_write_command_ready, entry_write_beat_valid;
  logic entry_write_beat_ready, host_busy, bad_packet, memory_error, push_reserve_valid, push_reserve_ready;
  logic push_slots_valid, push_write_command_valid, push_write_command_ready, push_write_beat_valid;
  logic push_write_beat_ready, push_done_valid, push_done_error, interrupt_busy, memory_busy;
  logic fetch_command_valid, fetch_command_ready, fetch_beat_valid, fetch_beat_last, fetch_beat_error;
  logic payload_command_valid, payload_command_ready, payload_beat_valid, payload_beat_last;
  logic payload_beat_error, reply_write_command_valid, reply_write_beat_valid, reply_write_command_ready;
  logic reply_write_beat_ready, request_write_command_valid, request_write_beat_valid;
  logic request_write_command_ready, request_write_beat_ready, notice_write_command_valid;
  logic notice_write_beat_valid, notice_write_command_ready, notice_write_beat_ready, fifo_publish_valid;
  logic fifo_publish_ready, queue_publish_valid, queue_publish_ready, notice_publish_valid;
  logic notice_publish_ready, injection_counter_valid, injection_counter_ready, lookup_0_is_event;
  logic lookup_0_enable, lookup_1_is_event, lookup_1_enable, lookup_2_is_event, lookup_2_enable;
  logic lookup_3_is_event, lookup_3_enable, message_busy, event_change_valid, waited, stored_valid;
  logic calc_valid, calc_ready, calc_done_valid, calc_done_ready, entry_publish_valid, entry_publish_ready;
  mu_pkg::message_stored_t stored;
  mu_pkg::status_e calc_done_status;
  logic [7:0] event_change_index, waited_index, push_reserve_queue, fifo_publish_target;
  logic [7:0] fifo_publish_slots, queue_publish_target, queue_publish_count, lookup_0_index, lookup_1_index;
  logic [7:0] lookup_2_index, lookup_3_index, source_region, target_region, entry_publish_queue;
  logic [7:0] send_retries;
  mu_pkg::fetched_descriptor_t calc_descriptor;
  mu_pkg::register_request_t register_request;
  mu_pkg::register_response_t register_response, interrupt_response, memory_response, message_response;
  logic [1:0] dropped_reply;
  logic [15:0] fifo_hold_cycles;
  logic [31:0] credit_timeout_cycles, event_change_value;
  logic [24:0] send_retry_cycles;
  logic [3:0] push_reserve_client, push_done_client, notice_publish_client, lookup_0_owner, lookup_1_owner;
  logic [3:0] lookup_2_owner, lookup_3_owner;
  mu_pkg::ring_slots_t push_slots;
  mu_pkg::write_command_t push_write_command_data, reply_write_command_data, request_write_command_data;
  mu_pkg::write_command_t notice_write_command_data, entry_write_command_data;
  logic [255:0] push_write_beat_data, fetch_beat_data, payload_beat_data, reply_write_beat_data;
  logic [255:0] request_write_beat_data, notice_write_beat_data, entry_write_beat_data;
  logic [8*mu_pkg::CLIENTS-1:0] host_causes, causes, memory_causes, message_causes;
  mu_pkg::read_command_t fetch_command_data, payload_command_data;
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
                       memory_error || push_slots_valid || push_done_valid;
  assign active_control_o = active_host || active_table || active_cross || active_reply;

  // Registers and doorbells; pushed descriptors.
  mu_host_interface u_host_interface (
    .clk_i(clk_control_i), .rst_ni, .busy_o(host_busy), .s_axil_awvalid, .s_axil_awready, .s_axil_awaddr,
    .s_axil_wvalid, .s_axil_wready, .s_axil_wdata, .s_axil_wstrb, .s_axil_bvalid, .s_axil_bready,
    .s_axil_bresp, .s_axil_arvalid, .s_axil_arready, .s_axil_araddr, .s_axil_rvalid, .s_axil_rready,
    .s_axil_rdata, .s_axil_rresp, .register_valid_o(register_valid), .register_request_o(register_request),
    .register_done_i(register_done), .register_response_i(register_response), .straps_i, .bad_packet_i(bad_packet),
    .dropped_reply_i(dropped_reply), .memory_error_i(memory_error), .fifo_hold_cycles_o(fifo_hold_cycles),
    .credit_timeout_cycles_o(credit_timeout_cycles), .send_retry_cycles_o(send_retry_cycles),
    .send_retries_o(send_retries), .push_reserve_valid_o(push_reserve_valid),
    .push_reserve_ready_i(push_reserve_ready), .push_reserve_queue_o(push_reserve_queue),
    .push_reserve_client_o(push_reserve_client), .push_slots_valid_i(push_slots_valid),
    .push_slots_i(push_slots), .push_write_command_valid_o(push_write_command_valid),
    .push_write_command_ready_i(push_write_command_ready),
    .push_write_command_data_o(push_write_command_data), .push_write_beat_valid_o(push_write_beat_valid),
    .push_write_beat_ready_i(push_write_beat_ready), .push_write_beat_data_o(push_write_beat_data),
    .push_done_valid_i(push_done_valid), .push_done_client_i(push_done_client),
    .push_done_error_i(push_done_error), .causes_o(host_causes)
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
    .busy_o(memory_busy),
    .causes_o(memory_causes), .register_valid_i(register_valid[4:2]), .register_done_o(register_done[4:2]),
    .register_request_i(register_request), .register_response_o(memory_response),
    .fetch_command_valid_i(fetch_command_valid), .fetch_command_ready_o(fetch_command_ready),
    .fetch_beat_valid_o(fetch_beat_valid), .fetch_beat_last_o(fetch_beat_last),
    .fetch_beat_error_o(fetch_beat_error), .fetch_command_data_i(fetch_command_data),
    .fetch_beat_data_o(fetch_beat_data), .payload_command_valid_i(payload_command_valid),
    .payload_command_ready_o(payload_command_ready), .payload_beat_valid_o(payload_beat_valid),
    .payload_beat_last_o(payload_beat_last), .payload_beat_error_o(payload_beat_error),
    .payload_command_data_i(payload_command_data), .payload_beat_data_o(payload_beat_data),
    .reply_write_command_valid_i(reply_write_command_valid),
    .reply_write_beat_valid_i(reply_write_beat_valid),
    .reply_write_command_ready_o(reply_write_command_ready),
    .reply_write_beat_ready_o(reply_write_beat_ready), .reply_write_command_data_i(reply_write_command_data),
    .reply_write_beat_data_i(reply_write_beat_data),
    .request_write_command_valid_i(request_write_command_valid),
    .request_write_beat_valid_i(request_write_beat_valid),
    .request_write_command_ready_o(request_write_command_ready),
    .request_write_beat_ready_o(request_write_beat_ready),
    .request_write_command_data_i(request_write_command_data),
    .request_write_beat_data_i(request_write_beat_data),
    .push_write_command_valid_i(push_write_command_valid), .push_write_beat_valid_i(push_write_beat_valid),
    .push_write_command_ready_o(push_write_command_ready), .push_write_beat_ready_o(push_write_beat_ready),
    .push_write_command_data_i(push_write_command_data), .push_write_beat_data_i(push_write_beat_data),
    .notice_write_command_valid_i(notice_write_command_valid),
    .notice_write_beat_valid_i(notice_write_beat_valid),
    .notice_write_command_ready_o(notice_write_command_ready),
    .notice_write_beat_ready_o(notice_write_beat_ready),
    .notice_write_command_data_i(notice_write_command_data),
    .notice_write_beat_data_i(notice_write_beat_data), .memory_error_o(memory_error),
    .fifo_publish_valid_o(fifo_publish_valid), .fifo_publish_ready_i(fifo_publish_ready),
    .fifo_publish_target_o(fifo_publish_target), .fifo_publish_slots_o(fifo_publish_slots),
    .queue_publish_valid_o(queue_publish_valid), .queue_publish_ready_i(queue_publish_ready),
    .queue_publish_target_o(queue_publish_target), .queue_publish_count_o(queue_publish_count),
    .notice_publish_valid_o(notice_publish_valid), .notice_publish_ready_i(notice_publish_ready),
    .notice_publish_client_o(notice_publish_client), .entry_write_command_valid_i(entry_write_command_valid),
    .entry_write_beat_valid_i(entry_write_beat_valid), .entry_publish_ready_i(entry_publish_ready),
    .entry_write_command_ready_o(entry_write_command_ready),
    .entry_write_beat_ready_o(entry_write_beat_ready), .entry_publish_valid_o(entry_publish_valid),
    .entry_write_command_data_i(entry_write_command_data), .entry_write_beat_data_i(entry_write_beat_data),
    .entry_publish_queue_o(entry_publish_queue), .stored_valid_o(stored_valid), .stored_o(stored),
    .push_done_valid_o(push_done_valid), .push_done_error_o(push_done_error),
    .push_done_client_o(push_done_client), .injection_counter_valid_i(injection_counter_valid),
    .injection_counter_ready_o(injection_counter_ready),
    .injection_counter_operation_i(injection_counter_operation), .lookup_0_index_i(lookup_0_index),
    .lookup_0_is_event_i(lookup_0_is_event), .lookup_0_enable_o(lookup_0_enable),
    .lookup_0_owner_o(lookup_0_owner), .lookup_1_index_i(lookup_1_index),
    .lookup_1_is_event_i(lookup_1_is_event), .lookup_1_enable_o(lookup_1_enable),
    .lookup_1_owner_o(lookup_1_owner), .lookup_2_index_i(lookup_2_index),
    .lookup_2_is_event_i(lookup_2_is_event), .lookup_2_enable_o(lookup_2_enable),
    .lookup_2_owner_o(lookup_2_owner), .lookup_3_index_i(lookup_3_index),
    .lookup_3_is_event_i(lookup_3_is_event), .lookup_3_enable_o(lookup_3_enable),
    .lookup_3_owner_o(lookup_3_owner), .event_change_valid_o(event_change_valid),
    .event_change_index_o(event_change_index), .event_change_value_o(event_change_value),
    .waited_index_o(waited_index), .waited_i(waited), .source_region_i(source_region),
    .source_entry_o(source_entry), .target_region_i(target_region), .target_entry_o(target_entry),
    .clk_calc_i, .active_calc_o, .calc_valid_i(calc_valid),
    .calc_ready_o(calc_ready), .calc_descriptor_i(calc_descriptor), .calc_done_valid_o(calc_done_valid),
    .calc_done_ready_i(calc_done_ready), .calc_done_status_o(calc_done_status), .m_axi_arid, .m_axi_arburst,
    .m_axi_araddr, .m_axi_arlen, .m_axi_arsize, .m_axi_arvalid, .m_axi_arready, .m_axi_rid, .m_axi_rresp,
    .m_axi_rdata, .m_axi_rlast, .m_axi_rvalid, .m_axi_rready, .m_axi_awid, .m_axi_awburst, .m_axi_awaddr,
    .m_axi_awlen, .m_axi_awsize, .m_axi_awvalid, .m_axi_awready, .m_axi_wdata, .m_axi_wstrb, .m_axi_wlast,
    .m_axi_wvalid, .m_axi_wready, .m_axi_bid, .m_axi_bresp, .m_axi_bvalid, .m_axi_bready
  );

  // Descriptors to packets, packets to memory.
  mu_message_engine u_message_engine (
    .clk_queue_i, .clk_cross_i(clk_control_i), .clk_injection_i, .clk_packet_i, .clk_reply_i(clk_control_i),
    .clk_reception_i, .clk_decision_i, .rst_ni, .active_queue_o, .active_cross_o(active_cross),
    .active_injection_o, .active_packet_o, .active_reply_o(active_reply), .active_decision_o,
    .active_reception_o,
    .busy_o(message_busy), .bad_packet_o(bad_packet), .causes_o(message_causes),
    .register_valid_i({register_valid[10:9], register_valid[7], register_valid[5], register_valid[1:0]}),
    .register_done_o({register_done[10:9], register_done[7], register_done[5], register_done[1:0]}),
    .register_request_i(register_request), .register_response_o(message_response),
    .push_reserve_valid_i(push_reserve_valid), .push_reserve_ready_o(push_reserve_ready),
    .push_reserve_queue_i(push_reserve_queue), .push_reserve_client_i(push_reserve_client),
    .push_slots_valid_o(push_slots_valid), .push_slots_o(push_slots),
    .queue_publish_valid_i(queue_publish_valid), .queue_publish_ready_o(queue_publish_ready),
    .queue_publish_target_i(queue_publish_target), .queue_publish_count_i(queue_publish_count),
    .fetch_command_valid_o(fetch_command_valid), .fetch_command_ready_i(fetch_command_ready),
    .fetch_beat_valid_i(fetch_beat_valid), .fetch_beat_last_i(fetch_beat_last),
    .fetch_beat_error_i(fetch_beat_error), .fetch_command_data_o(fetch_command_data),
    .fetch_beat_data_i(fetch_beat_data), .now_i, .wake_at_o, .straps_i,
    .credit_timeout_cycles_i(credit_timeout_cycles), .send_retry_cycles_i(send_retry_cycles),
    .send_retries_i(send_retries), .stored_valid_i(stored_valid), .stored_i(stored),
    .entry_write_command_valid_o(entry_write_command_valid),
    .entry_write_beat_valid_o(entry_write_beat_valid), .entry_publish_ready_o(entry_publish_ready),
    .entry_write_command_ready_i(entry_write_command_ready),
    .entry_write_beat_ready_i(entry_write_beat_ready), .entry_publish_valid_i(entry_publish_valid),
    .entry_write_command_data_o(entry_write_command_data), .entry_write_beat_data_o(entry_write_beat_data),
    .entry_publish_queue_i(entry_publish_queue), .source_region_o(source_region),
    .source_entry_i(source_entry), .lookup_2_index_o(lookup_2_index),
    .lookup_2_is_event_o(lookup_2_is_event), .lookup_2_enable_i(lookup_2_enable),
    .lookup_2_owner_i(lookup_2_owner), .lookup_3_index_o(lookup_3_index),
    .lookup_3_is_event_o(lookup_3_is_event), .lookup_3_enable_i(lookup_3_enable),
    .lookup_3_owner_i(lookup_3_owner), .event_change_valid_i(event_change_valid),
    .event_change_index_i(event_change_index), .event_change_value_i(event_change_value),
    .waited_index_i(waited_index), .waited_o(waited), .calc_valid_o(calc_valid), .calc_ready_i(calc_ready),
    .calc_descriptor_o(calc_descriptor), .calc_done_valid_i(calc_done_valid),
    .calc_done_ready_o(calc_done_ready), .injection_counter_valid_o(injection_counter_valid),
    .injection_counter_ready_i(injection_counter_ready),
    .injection_counter_operation_o(injection_counter_operation), .calc_done_status_i(calc_done_status),
    .payload_command_valid_o(payload_command_valid), .payload_command_ready_i(payload_command_ready),
    .payload_beat_valid_i(payload_beat_valid), .payload_beat_last_i(payload_beat_last),
    .payload_beat_error_i(payload_beat_error), .payload_command_data_o(payload_command_data),
    .payload_beat_data_i(payload_beat_data), .inject_request_o, .inject_request_ready_i, .inject_reply_o,
    .inject_reply_ready_i, .eject_request_i, .eject_request_ready_o, .eject_reply_i, .eject_reply_ready_o, .request_write_command_valid_o(request_write_command_valid),
    .request_write_beat_valid_o(request_write_beat_valid),
    .request_write_command_ready_i(request_write_command_ready),
    .request_write_beat_ready_i(request_write_beat_ready),
    .request_write_command_data_o(request_write_command_data),
    .request_write_beat_data_o(request_write_beat_data),
    .reply_write_command_valid_o(reply_write_command_valid),
    .reply_write_beat_valid_o(reply_write_beat_valid),
    .reply_write_command_ready_i(reply_write_command_ready),
    .reply_write_beat_ready_i(reply_write_beat_ready), .reply_write_command_data_o(reply_write_command_data),
    .reply_write_beat_data_o(reply_write_beat_data),
    .notice_write_command_valid_o(notice_write_command_valid),
    .notice_write_beat_valid_o(notice_write_beat_valid),
    .notice_write_command_ready_i(notice_write_command_ready),
    .notice_write_beat_ready_i(notice_write_beat_ready),
    .notice_write_command_data_o(notice_write_command_data),
    .notice_write_beat_data_o(notice_write_beat_data), .target_region_o(target_region),
    .target_entry_i(target_entry), .lookup_0_index_o(lookup_0_index),
    .lookup_0_is_event_o(lookup_0_is_event), .lookup_0_enable_i(lookup_0_enable),
    .lookup_0_owner_i(lookup_0_owner), .lookup_1_index_o(lookup_1_index),
    .lookup_1_is_event_o(lookup_1_is_event), .lookup_1_enable_i(lookup_1_enable),
    .lookup_1_owner_i(lookup_1_owner), .fifo_publish_valid_i(fifo_publish_valid),
    .fifo_publish_ready_o(fifo_publish_ready), .fifo_publish_target_i(fifo_publish_target),
    .fifo_publish_slots_i(fifo_publish_slots), .notice_publish_valid_i(notice_publish_valid),
    .notice_publish_ready_o(notice_publish_ready), .notice_publish_client_i(notice_publish_client),
    .fifo_hold_cycles_i(fifo_hold_cycles), .dropped_reply_o(dropped_reply)
  );

endmodule : mu_messaging_unit

`default_nettype wire

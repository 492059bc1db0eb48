// SPDX-License-Identifier: Apache-2.0
// mu_memory_side: the memory port, what follows an accepted write, the tables that packets, descriptors and
// counter changes are checked against, and the engine that computes on memory.
//
//            fetch_*, payload_* <--> +-------------+ <--> m_axi_*
//            *_write_* -----------> | memory port |
//                                   +------+------+
//                                          | accepted writes, in order
//                                   +------v------+     +----------+
//            *_publish_*, causes <- | completion  | --> | counters | <-- lookups, injection_counter_*
//                                   +-------------+     +----------+
//            source_region, target_region --> region table --> entries
//            calc_*, calc_done_* <---> CALC engine <---> memory port, completion, region table
//
// Behaviour: a counter, tail or cause changes only after the memory has accepted the write it stands for.
// Latency:   see the blocks.
// Limits:    register_valid_i: 0 counters, 1 regions, 2 touch ranges.
`default_nettype none

module mu_memory_side (
  input  logic clk_memory_i, clk_table_i, rst_ni,
  output logic active_memory_o, active_table_o, busy_o,
  output logic [8*mu_pkg::CLIENTS-1:0] causes_o,
  input  logic [2:0] register_valid_i,
  output logic [2:0] register_done_o,
  input  mu_pkg::register_request_t register_request_i,
  output mu_pkg::register_response_t register_response_o,
  input  logic fetch_command_valid_i,
  output logic fetch_command_ready_o, fetch_beat_valid_o, fetch_beat_last_o, fetch_beat_error_o,
  input  mu_pkg::read_command_t fetch_command_data_i,
  output logic [255:0] fetch_beat_data_o,
  input  logic payload_command_valid_i,
  output logic payload_command_ready_o, payload_beat_valid_o, payload_beat_last_o, payload_beat_error_o,
  input  mu_pkg::read_command_t payload_command_data_i,
  output logic [255:0] payload_beat_data_o,
  input  logic reply_write_command_valid_i, reply_write_beat_valid_i,
  output logic reply_write_command_ready_o, reply_write_beat_ready_o,
  input  mu_pkg::write_command_t reply_write_command_data_i,
  input  logic [255:0] reply_write_beat_data_i,
  input  logic request_write_command_valid_i, request_write_beat_valid_i,
  output logic request_write_command_ready_o, request_write_beat_ready_o,
  input  mu_pkg::write_command_t request_write_command_data_i,
  input  logic [255:0] request_write_beat_data_i,
  input  logic push_write_command_valid_i, push_write_beat_valid_i,
  output logic push_write_command_ready_o, push_write_beat_ready_o,
  input  mu_pkg::write_command_t push_write_command_data_i,
  input  logic [255:0] push_write_beat_data_i,
  input  logic notice_write_command_valid_i, notice_write_beat_valid_i,
  output logic notice_write_command_ready_o, notice_write_beat_ready_o,
  input  mu_pkg::write_command_t notice_write_command_data_i,
  input  logic [255:0] notice_write_beat_data_i,
  output logic memory_error_o,
  output logic fifo_publish_valid_o,
  input  logic fifo_publish_ready_i,
  output logic [7:0] fifo_publish_target_o, fifo_publish_slots_o,
  output logic queue_publish_valid_o,
  input  logic queue_publish_ready_i,
  output logic [7:0] queue_publish_target_o, queue_publish_count_o,
  output logic notice_publish_valid_o,
  input  logic notice_publish_ready_i,
  output logic [3:0] notice_publish_client_o,
  input  logic entry_write_command_valid_i, entry_write_beat_valid_i, entry_publish_ready_i,
  output logic entry_write_command_ready_o, entry_write_beat_ready_o, entry_publish_valid_o,
  input  mu_pkg::write_command_t entry_write_command_data_i,
  input  logic [255:0] entry_write_beat_data_i,
  output logic [7:0] entry_publish_queue_o,
  output logic stored_valid_o,
  output mu_pkg::message_stored_t stored_o,
  output logic push_done_valid_o, push_done_error_o,
  output logic [3:0] push_done_client_o,
  input  logic injection_counter_valid_i,
  output logic injection_counter_ready_o,
  input  mu_pkg::counter_operation_t injection_counter_operation_i,
  input  logic [7:0] lookup_0_index_i,
  input  logic lookup_0_is_event_i,
  output logic lookup_0_enable_o,
  output logic [3:0] lookup_0_owner_o,
  input  logic [7:0] lookup_1_index_i,
  input  logic lookup_1_is_event_i,
  output logic lookup_1_enable_o,
  output logic [3:0] lookup_1_owner_o,
  input  logic [7:0] lookup_2_index_i,
  input  logic lookup_2_is_event_i,
  output logic lookup_2_enable_o,
  output logic [3:0] lookup_2_owner_o,
  input  logic [7:0] lookup_3_index_i,
  input  logic lookup_3_is_event_i,
  output logic lookup_3_enable_o,
  output logic [3:0] lookup_3_owner_o,
  output logic event_change_valid_o,
  output logic [7:0] event_change_index_o, waited_index_o,
  output logic [31:0] event_change_value_o,
  input  logic waited_i,
  input  logic [7:0] source_region_i,
  output mu_pkg::region_entry_t source_entry_o,
  input  logic [7:0] target_region_i,
  output mu_pkg::region_entry_t target_entry_o,
  input  logic clk_calc_i,
  output logic active_calc_o,
  input  logic calc_valid_i,
  output logic calc_ready_o,
  input  mu_pkg::fetched_descriptor_t calc_descriptor_i,
  output logic calc_done_valid_o,
  input  logic calc_done_ready_i,
  output mu_pkg::status_e calc_done_status_o,
  output logic [1:0] m_axi_arid, m_axi_arburst,
  output logic [39:0] m_axi_araddr,
  output logic [7:0] m_axi_arlen,
  output logic [2:0] m_axi_arsize,
  output logic m_axi_arvalid,
  input  logic m_axi_arready,
  input  logic [1:0] m_axi_rid, m_axi_rresp,
  input  logic [255:0] m_axi_rdata,
  input  logic m_axi_rlast, m_axi_rvalid,
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
  input  logic m_axi_wready,
  input  logic [1:0] m_axi_bid, m_axi_bresp,
  input  logic m_axi_bvalid,
  output logic m_axi_bready
);

  logic action_valid, action_ready, action_error, memory_active, memory_busy, completion_counter_valid;
  logic completion_counter_ready, completion_busy, counter_busy, region_busy;
  mu_pkg::write_action_t action_data;
  mu_pkg::register_response_t memory_response, counter_response, region_response;
  logic [8*mu_pkg::CLIENTS-1:0] memory_causes, completion_causes, counter_causes;
  mu_pkg::counter_operation_t completion_counter_operation;
  logic calc_busy, calc_command_valid, calc_command_ready, calc_beat_valid, calc_beat_last, calc_beat_error;
  logic calc_write_command_valid, calc_write_command_ready, calc_write_beat_valid, calc_write_beat_ready;
  logic calc_stored_valid, calc_stored_error;
  mu_pkg::read_command_t calc_command_data;
  mu_pkg::write_command_t calc_write_command_data;
  logic [255:0] calc_beat_data, calc_write_beat_data;
  logic [7:0] calc_region;
  mu_pkg::region_entry_t calc_entry;

  assign busy_o = memory_busy || completion_busy || counter_busy || region_busy || calc_busy;
  // A block without work and without a valid input keeps its state: its clock may stop.
  assign active_memory_o = memory_active || completion_busy ||
                           fetch_command_valid_i || payload_command_valid_i ||
                           reply_write_command_valid_i || request_write_command_valid_i ||
                           push_write_command_valid_i || notice_write_command_valid_i ||
                           entry_write_command_valid_i ||
                           calc_command_valid || calc_write_command_valid || register_valid_i[2];
  assign active_table_o = counter_busy || region_busy ||
                          completion_counter_valid || injection_counter_valid_i ||
                          register_valid_i[0] || register_valid_i[1];
  assign active_calc_o = calc_busy || calc_valid_i;
  assign causes_o = memory_causes | completion_causes | counter_causes;
  assign register_response_o = memory_response | counter_response | region_response;

  // Reads, writes, and the one ordering point.
  mu_memory_port u_memory_port (
    .clk_i(clk_memory_i), .rst_ni, .fetch_command_valid_i, .fetch_command_ready_o, .fetch_command_data_i,
    .fetch_beat_valid_o, .fetch_beat_data_o, .fetch_beat_last_o, .fetch_beat_error_o,
    .payload_command_valid_i, .payload_command_ready_o, .payload_command_data_i, .payload_beat_valid_o,
    .payload_beat_data_o, .payload_beat_last_o, .payload_beat_error_o,
    .calc_command_valid_i(calc_command_valid), .calc_command_ready_o(calc_command_ready),
    .calc_command_data_i(calc_command_data), .calc_beat_valid_o(calc_beat_valid),
    .calc_beat_data_o(calc_beat_data), .calc_beat_last_o(calc_beat_last), .calc_beat_error_o(calc_beat_error),
    .reply_write_command_valid_i, .reply_write_command_ready_o, .reply_write_command_data_i,
    .reply_write_beat_valid_i, .reply_write_beat_ready_o, .reply_write_beat_data_i,
    .request_write_command_valid_i, .request_write_command_ready_o, .request_write_command_data_i,
    .request_write_beat_valid_i, .request_write_beat_ready_o, .request_write_beat_data_i,
    .push_write_command_valid_i, .push_write_command_ready_o, .push_write_command_data_i,
    .push_write_beat_valid_i, .push_write_beat_ready_o, .push_write_beat_data_i,
    .notice_write_command_valid_i, .notice_write_command_ready_o, .notice_write_command_data_i,
    .notice_write_beat_valid_i, .notice_write_beat_ready_o, .notice_write_beat_data_i,
    .entry_write_command_valid_i, .entry_write_command_ready_o, .entry_write_command_data_i,
    .entry_write_beat_valid_i, .entry_write_beat_ready_o, .entry_write_beat_data_i,
    .calc_write_command_valid_i(calc_write_command_valid),
    .calc_write_command_ready_o(calc_write_command_ready),
    .calc_write_command_data_i(calc_write_command_data), .calc_write_beat_valid_i(calc_write_beat_valid),
    .calc_write_beat_ready_o(calc_write_beat_ready), .calc_write_beat_data_i(calc_write_beat_data),
    .action_valid_o(action_valid), .action_ready_i(action_ready), .action_data_o(action_data),
    .action_error_o(action_error), .register_valid_i(register_valid_i[2]), .register_request_i,
    .register_done_o(register_done_o[2]), .register_response_o(memory_response),
    .causes_o(memory_causes), .memory_error_o, .active_o(memory_active),
    .busy_o(memory_busy),
    .m_axi_arid, .m_axi_araddr, .m_axi_arlen, .m_axi_arsize, .m_axi_arburst, .m_axi_arvalid, .m_axi_arready,
    .m_axi_rid, .m_axi_rdata, .m_axi_rresp, .m_axi_rlast, .m_axi_rvalid, .m_axi_rready,
    .m_axi_awid, .m_axi_awaddr, .m_axi_awlen, .m_axi_awsize, .m_axi_awburst, .m_axi_awvalid, .m_axi_awready,
    .m_axi_wdata, .m_axi_wstrb, .m_axi_wlast, .m_axi_wvalid, .m_axi_wready,
    .m_axi_bid, .m_axi_bresp, .m_axi_bvalid, .m_axi_bready
  );

  // What an accepted write changes.
  mu_completion u_completion (
    .clk_i(clk_memory_i), .rst_ni, .action_valid_i(action_valid), .action_ready_o(action_ready),
    .action_data_i(action_data), .action_error_i(action_error),
    .fifo_publish_valid_o, .fifo_publish_ready_i, .fifo_publish_target_o, .fifo_publish_slots_o,
    .queue_publish_valid_o, .queue_publish_ready_i, .queue_publish_target_o, .queue_publish_count_o,
    .notice_publish_valid_o, .notice_publish_ready_i, .notice_publish_client_o,
    .counter_valid_o(completion_counter_valid), .counter_ready_i(completion_counter_ready),
    .counter_operation_o(completion_counter_operation),
    .entry_publish_valid_o, .entry_publish_ready_i, .entry_publish_queue_o, .stored_valid_o, .stored_o,
    .push_done_valid_o, .push_done_client_o, .push_done_error_o,
    .calc_stored_valid_o(calc_stored_valid), .calc_stored_error_o(calc_stored_error),
    .causes_o(completion_causes), .busy_o(completion_busy)
  );

  // Byte and event counters.
  mu_counters u_counters (
    .clk_i(clk_table_i), .rst_ni, .busy_o(counter_busy),
    .register_valid_i(register_valid_i[0]), .register_request_i, .register_done_o(register_done_o[0]),
    .register_response_o(counter_response), .completion_valid_i(completion_counter_valid),
    .completion_ready_o(completion_counter_ready), .completion_operation_i(completion_counter_operation),
    .injection_valid_i(injection_counter_valid_i), .injection_ready_o(injection_counter_ready_o),
    .injection_operation_i(injection_counter_operation_i),
    .lookup_0_index_i, .lookup_0_is_event_i, .lookup_0_enable_o, .lookup_0_owner_o,
    .lookup_1_index_i, .lookup_1_is_event_i, .lookup_1_enable_o, .lookup_1_owner_o,
    .lookup_2_index_i, .lookup_2_is_event_i, .lookup_2_enable_o, .lookup_2_owner_o,
    .lookup_3_index_i, .lookup_3_is_event_i, .lookup_3_enable_o, .lookup_3_owner_o,
    .event_change_valid_o, .event_change_index_o, .event_change_value_o, .waited_index_o, .waited_i,
    .causes_o(counter_causes)
  );

  // Registered pieces of node memory.
  mu_region_table u_region_table (
    .clk_i(clk_table_i), .rst_ni, .busy_o(region_busy),
    .register_valid_i(register_valid_i[1]), .register_request_i, .register_done_o(register_done_o[1]),
    .register_response_o(region_response), .source_region_i, .source_entry_o,
    .target_region_i, .target_entry_o, .calc_region_i(calc_region), .calc_entry_o(calc_entry)
  );

  // Reductions of vectors in memory.
  mu_calc_engine u_calc_engine (
    .clk_i(clk_calc_i), .rst_ni, .busy_o(calc_busy), .calc_valid_i, .calc_ready_o, .calc_descriptor_i,
    .done_valid_o(calc_done_valid_o), .done_ready_i(calc_done_ready_i), .done_status_o(calc_done_status_o),
    .region_o(calc_region), .entry_i(calc_entry),
    .calc_command_valid_o(calc_command_valid), .calc_command_ready_i(calc_command_ready),
    .calc_command_data_o(calc_command_data), .calc_beat_valid_i(calc_beat_valid),
    .calc_beat_data_i(calc_beat_data), .calc_beat_last_i(calc_beat_last), .calc_beat_error_i(calc_beat_error),
    .calc_write_command_valid_o(calc_write_command_valid),
    .calc_write_command_ready_i(calc_write_command_ready),
    .calc_write_command_data_o(calc_write_command_data), .calc_write_beat_valid_o(calc_write_beat_valid),
    .calc_write_beat_ready_i(calc_write_beat_ready), .calc_write_beat_data_o(calc_write_beat_data),
    .stored_valid_i(calc_stored_valid), .stored_error_i(calc_stored_error)
  );

endmodule : mu_memory_side

`default_nettype wire

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
  input  mu_pkg::read_request_t fetch_read_i,
  output mu_pkg::read_beat_t fetch_beat_o,
  output logic fetch_command_ready_o,
  input  mu_pkg::read_request_t payload_read_i,
  output mu_pkg::read_beat_t payload_beat_o,
  output logic payload_command_ready_o,
  input  mu_pkg::write_request_t reply_write_i,
  output mu_pkg::write_response_t reply_write_response_o,
  input  mu_pkg::write_request_t request_write_i,
  output mu_pkg::write_response_t request_write_response_o,
  input  mu_pkg::write_request_t push_write_i,
  output mu_pkg::write_response_t push_write_response_o,
  input  mu_pkg::write_request_t notice_write_i,
  output mu_pkg::write_response_t notice_write_response_o,
  output logic memory_error_o,
  output mu_pkg::publish_t fifo_publish_o,
  input  logic fifo_publish_ready_i,
  output mu_pkg::publish_t queue_publish_o,
  input  logic queue_publish_ready_i,
  output logic notice_publish_valid_o,
  input  logic notice_publish_ready_i,
  output logic [3:0] notice_publish_client_o,
  input  mu_pkg::write_request_t entry_write_i,
  input  logic entry_publish_ready_i,
  output mu_pkg::write_response_t entry_write_response_o,
  output logic entry_publish_valid_o,
  output logic [7:0] entry_publish_queue_o,
  output logic stored_valid_o,
  output mu_pkg::message_stored_t stored_o,
  output mu_pkg::push_done_t push_done_o,
  input  logic injection_counter_valid_i,
  output logic injection_counter_ready_o,
  input  mu_pkg::counter_operation_t injection_counter_operation_i,
  input  mu_pkg::counter_lookup_t lookup_0_i,
  output mu_pkg::counter_owner_t lookup_0_answer_o,
  input  mu_pkg::counter_lookup_t lookup_1_i,
  output mu_pkg::counter_owner_t lookup_1_answer_o,
  input  mu_pkg::counter_lookup_t lookup_2_i,
  output mu_pkg::counter_owner_t lookup_2_answer_o,
  input  mu_pkg::counter_lookup_t lookup_3_i,
  output mu_pkg::counter_owner_t lookup_3_answer_o,
  output mu_pkg::event_change_t event_change_o,
  output logic [7:0] waited_index_o,
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
  output mu_pkg::axi_request_t axi_request_o,
  input  mu_pkg::axi_response_t axi_response_i
);

  logic action_valid, action_ready, action_error, memory_active, memory_busy, completion_counter_valid;
  logic completion_counter_ready, completion_busy, counter_busy, region_busy;
  mu_pkg::write_action_t action_data;
  mu_pkg::register_response_t memory_response, counter_response, region_response;
  logic [8*mu_pkg::CLIENTS-1:0] memory_causes, completion_causes, counter_causes;
  mu_pkg::counter_operation_t completion_counter_operation;
  mu_pkg::read_request_t calc_read;
  mu_pkg::read_beat_t calc_beat;
  logic calc_busy, calc_command_ready;
  mu_pkg::write_request_t calc_write;
  mu_pkg::write_response_t calc_write_response;
  logic calc_stored_valid, calc_stored_error;
  logic [7:0] calc_region;
  mu_pkg::region_entry_t calc_entry;

  assign busy_o = memory_busy || completion_busy || counter_busy || region_busy || calc_busy;
  // A block without work and without a valid input keeps its state: its clock may stop.
  assign active_memory_o = memory_active || completion_busy ||
                           fetch_read_i.valid || payload_read_i.valid ||
                           reply_write_i.command_valid || request_write_i.command_valid ||
                           push_write_i.command_valid || notice_write_i.command_valid ||
                           entry_write_i.command_valid ||
                           calc_read.valid || calc_write.command_valid || register_valid_i[2];
  assign active_table_o = counter_busy || region_busy ||
                          completion_counter_valid || injection_counter_valid_i ||
                          register_valid_i[0] || register_valid_i[1];
  assign active_calc_o = calc_busy || calc_valid_i;
  assign causes_o = memory_causes | completion_causes | counter_causes;
  assign register_response_o = memory_response | counter_response | region_response;

  // Reads, writes, and the one ordering point.
  mu_memory_port u_memory_port (
    .clk_i(clk_memory_i), .rst_ni, .fetch_read_i, .fetch_command_ready_o, .fetch_beat_o, .payload_read_i,
    .payload_command_ready_o, .payload_beat_o, .calc_read_i(calc_read),
    .calc_command_ready_o(calc_command_ready), .calc_beat_o(calc_beat), .reply_write_i,
    .reply_write_response_o, .request_write_i, .request_write_response_o, .push_write_i,
    .push_write_response_o, .notice_write_i, .notice_write_response_o, .entry_write_i,
    .entry_write_response_o, .calc_write_i(calc_write), .calc_write_response_o(calc_write_response),
    .action_valid_o(action_valid), .action_ready_i(action_ready), .action_data_o(action_data),
    .action_error_o(action_error), .register_valid_i(register_valid_i[2]), .register_request_i,
    .register_done_o(register_done_o[2]), .register_response_o(memory_response), .causes_o(memory_causes),
    .memory_error_o, .active_o(memory_active), .busy_o(memory_busy), .m_axi_arid(axi_request_o.arid),
    .m_axi_araddr(axi_request_o.araddr), .m_axi_arlen(axi_request_o.arlen),
    .m_axi_arsize(axi_request_o.arsize), .m_axi_arburst(axi_request_o.arburst),
    .m_axi_arvalid(axi_request_o.arvalid), .m_axi_arready(axi_response_i.arready),
    .m_axi_rid(axi_response_i.rid), .m_axi_rdata(axi_response_i.rdata), .m_axi_rresp(axi_response_i.rresp),
    .m_axi_rlast(axi_response_i.rlast), .m_axi_rvalid(axi_response_i.rvalid),
    .m_axi_rready(axi_request_o.rready), .m_axi_awid(axi_request_o.awid),
    .m_axi_awaddr(axi_request_o.awaddr), .m_axi_awlen(axi_request_o.awlen),
    .m_axi_awsize(axi_request_o.awsize), .m_axi_awburst(axi_request_o.awburst),
    .m_axi_awvalid(axi_request_o.awvalid), .m_axi_awready(axi_response_i.awready),
    .m_axi_wdata(axi_request_o.wdata), .m_axi_wstrb(axi_request_o.wstrb), .m_axi_wlast(axi_request_o.wlast),
    .m_axi_wvalid(axi_request_o.wvalid), .m_axi_wready(axi_response_i.wready),
    .m_axi_bid(axi_response_i.bid), .m_axi_bresp(axi_response_i.bresp), .m_axi_bvalid(axi_response_i.bvalid),
    .m_axi_bready(axi_request_o.bready)
  );

  // What an accepted write changes.
  mu_completion u_completion (
    .clk_i(clk_memory_i), .rst_ni, .action_valid_i(action_valid), .action_ready_o(action_ready),
    .action_data_i(action_data), .action_error_i(action_error), .fifo_publish_valid_o(fifo_publish_o.valid),
    .fifo_publish_ready_i, .fifo_publish_target_o(fifo_publish_o.target),
    .fifo_publish_slots_o(fifo_publish_o.amount), .queue_publish_valid_o(queue_publish_o.valid),
    .queue_publish_ready_i, .queue_publish_target_o(queue_publish_o.target),
    .queue_publish_count_o(queue_publish_o.amount), .notice_publish_valid_o, .notice_publish_ready_i,
    .notice_publish_client_o, .counter_valid_o(completion_counter_valid),
    .counter_ready_i(completion_counter_ready), .counter_operation_o(completion_counter_operation),
    .entry_publish_valid_o, .entry_publish_ready_i, .entry_publish_queue_o, .stored_valid_o, .stored_o,
    .push_done_valid_o(push_done_o.valid), .push_done_client_o(push_done_o.client),
    .push_done_error_o(push_done_o.error), .calc_stored_valid_o(calc_stored_valid),
    .calc_stored_error_o(calc_stored_error), .causes_o(completion_causes), .busy_o(completion_busy)
  );

  // Byte and event counters.
  mu_counters u_counters (
    .clk_i(clk_table_i), .rst_ni, .busy_o(counter_busy),
    .register_valid_i(register_valid_i[0]), .register_request_i, .register_done_o(register_done_o[0]),
    .register_response_o(counter_response), .completion_valid_i(completion_counter_valid),
    .completion_ready_o(completion_counter_ready), .completion_operation_i(completion_counter_operation),
    .injection_valid_i(injection_counter_valid_i), .injection_ready_o(injection_counter_ready_o),
    .injection_operation_i(injection_counter_operation_i),
    .lookup_0_i, .lookup_0_answer_o,
    .lookup_1_i, .lookup_1_answer_o,
    .lookup_2_i, .lookup_2_answer_o,
    .lookup_3_i, .lookup_3_answer_o,
    .event_change_o, .waited_index_o, .waited_i,
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
    .calc_read_o(calc_read), .calc_command_ready_i(calc_command_ready), .calc_beat_i(calc_beat),
    .calc_write_o(calc_write),
    .calc_write_response_i(calc_write_response),
    .stored_valid_i(calc_stored_valid), .stored_error_i(calc_stored_error)
  );

endmodule : mu_memory_side

`default_nettype wire

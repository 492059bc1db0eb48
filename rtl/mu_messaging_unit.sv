// SPDX-License-Identifier: Apache-2.0
// mu_messaging_unit: the messaging unit: everything of a node but its router.
//
//   s_axil_* --> host interface --> register bus to all      irq_o <-- interrupt control <-- causes
//
//             +----------- memory port, CALC engine -----------+ <---------> m_axi_*
//                   ^ reads, entries   | accepted writes      ^ stores, notices
//                   |             completion ---> counters    |   regions
//             +-----+------------------v---+            +-----+-----------+
//   inject_* <--        send engine        | <--------> | reception engine <-- eject_*
//             +----------------------------+            +-----------------+
//                         slots for remote gets, queue pairs, replies
//
// Behaviour: runs the descriptors that software and remote gets put into its queues, stores what packets
//            bring, and reports through counters, tails and interrupts once the memory has accepted writes.
// Latency:   see the blocks; doorbell to first flit and last flit to counter are in docs/results.md.
// Limits:    straps do not change after reset.
`default_nettype none

module mu_messaging_unit (
  input  logic                       clk_control_i, clk_memory_i, clk_queue_i, clk_injection_i, clk_packet_i,
  input  logic                       clk_reception_i, clk_decision_i, clk_calc_i, rst_ni,
  output logic                       busy_o, active_control_o, active_memory_o, active_queue_o,
  output logic                       active_injection_o,
  output logic                       active_packet_o, active_reception_o, active_decision_o, active_calc_o,
  input  mu_pkg::node_straps_t       straps_i,
  output logic [mu_pkg::CLIENTS-1:0] irq_o,
  input  mu_pkg::cycle_t             now_i,
  output mu_pkg::cycle_t             wake_at_o,
  output mu_pkg::flit_stream_t       inject_request_o, inject_reply_o,
  input  logic                       inject_request_ready_i, inject_reply_ready_i,
  input  mu_pkg::flit_stream_t       eject_request_i, eject_reply_i,
  output logic                       eject_request_ready_o, eject_reply_ready_o,
  input  logic                       router_register_done_i,
  output logic                       router_register_valid_o,
  output mu_pkg::register_request_t  router_register_request_o,
  input  mu_pkg::register_response_t router_register_response_i,
  input  mu_pkg::axil_request_t      axil_request_i,
  output mu_pkg::axil_response_t     axil_response_o,
  input  mu_pkg::tree_signals_t      signals_i,
  output mu_pkg::tree_signals_t      signals_o,
  output mu_pkg::axi_request_t       axi_request_o,
  input  mu_pkg::axi_response_t      axi_response_i
);

  // Host interface and interrupt control.
  mu_pkg::register_units_t register_valid, register_done, send_done, reception_done;
  logic interrupt_done, touch_done, core_access_done, counter_done, region_done, unit_memory_done;
  logic tree_done;
  mu_pkg::register_request_t register_request;
  mu_pkg::register_response_t register_response;
  mu_pkg::node_limits_t limits;
  logic host_busy, interrupt_busy, active_host, bad_packet, memory_error;
  logic [1:0] dropped_reply;
  logic [8*mu_pkg::CLIENTS-1:0] causes, host_causes, memory_causes, completion_causes;
  logic [8*mu_pkg::CLIENTS-1:0] counter_causes, send_causes, reception_causes, tree_causes;
  mu_pkg::cause_part_t fifo_part, entry_part, counter_part;
  mu_pkg::register_response_t interrupt_response, memory_response, counter_response;
  mu_pkg::register_response_t region_response, send_response, reception_response, unit_response;
  mu_pkg::register_response_t tree_response;
  // Reads and writes of memory.
  logic memory_busy, memory_active, unit_memory_busy, calc_command_ready;
  mu_pkg::axi_request_t port_request, unit_memory_request;
  mu_pkg::axi_response_t port_response, unit_memory_response;
  mu_pkg::send_reads_t send_reads;
  mu_pkg::read_request_t calc_read, boot_read, shared_read;
  mu_pkg::read_beat_t calc_beat, boot_beat, shared_beat, second_beat;
  mu_pkg::send_beats_t send_beats;
  mu_pkg::read_request_t second_read, second_request;
  logic boot_command_ready, shared_command_ready, second_command_ready, second_request_ready;
  logic share_busy, second_busy;
  mu_pkg::write_request_t reply_write, request_write, push_write, notice_write, entry_write;
  mu_pkg::write_request_t calc_write;
  mu_pkg::write_response_t reply_write_response, request_write_response, push_write_response;
  mu_pkg::write_response_t notice_write_response, calc_write_response;
  // What is now in memory.
  logic completion_busy, action_valid, action_ready, action_error;
  logic calc_stored_valid, calc_stored_error;
  mu_pkg::write_action_t action_data;
  mu_pkg::ring_publishes_t publishes;
  mu_pkg::reception_published_t published;
  mu_pkg::reception_published_ready_t published_ready;
  mu_pkg::push_done_t push_done;
  // Regions and counters.
  logic counter_busy, region_busy, active_table;
  logic [7:0] calc_region;
  logic calc_looks;
  mu_pkg::region_entry_t calc_entry;
  mu_pkg::source_lookup_t source_lookup;
  mu_pkg::source_answer_t source_answer;
  mu_pkg::target_lookup_t target_lookup;
  mu_pkg::target_answer_t target_answer;
  mu_pkg::counter_request_t completion_counter, injection_counter;
  mu_pkg::event_watch_t event_watch;
  mu_pkg::counter_request_t tree_counter;
  logic completion_counter_ready, tree_counter_ready, waited, tree_busy;
  // CALC.
  logic calc_busy;
  mu_pkg::descriptor_offer_t calc;
  mu_pkg::calc_report_t calc_report;
  // Slots for pushed descriptors and for remote gets.
  mu_pkg::push_reserve_t push_reserve;
  mu_pkg::reception_requests_t reception_requests;
  mu_pkg::queue_answer_t queue_answer;
  // Notices that reception sends.
  mu_pkg::notice_packet_t notice_packet;
  // The side that sends and the side that receives.
  logic requests_busy, decision_busy;
  mu_pkg::send_activity_t sending;
  mu_pkg::send_ready_t send_ready;
  mu_pkg::send_accepts_t send_accepts;
  mu_pkg::receive_orders_t receive_orders;
  mu_pkg::receive_reports_t receive_reports;
  mu_pkg::peer_answer_t peer_answer;
  mu_pkg::receive_result_t result;

  assign router_register_valid_o = register_valid.performance;
  assign router_register_request_o = register_request;
  always_comb begin
    register_done             = send_done | reception_done;
    register_done.interrupt   = interrupt_done;
    register_done.touch       = touch_done;
    register_done.core_access = core_access_done;
    register_done.counter     = counter_done;
    register_done.region      = region_done;
    register_done.unit_memory = unit_memory_done;
    register_done.tree        = tree_done;
    register_done.performance = router_register_done_i;
  end
  assign register_response = interrupt_response | memory_response | counter_response |
                             region_response | router_register_response_i | send_response |
                             reception_response | unit_response | tree_response;
  assign dropped_reply[1] = 1'b0;
  assign causes = host_causes | memory_causes | completion_causes | counter_causes | send_causes |
                  reception_causes | tree_causes;
  assign busy_o = host_busy || interrupt_busy || memory_busy || unit_memory_busy || completion_busy ||
                  counter_busy || tree_busy ||
                  region_busy || calc_busy || sending.busy || requests_busy || decision_busy;
  assign wake_at_o = sending.wake_at;
  // A block without work and without a valid input keeps its state: its clock may stop.
  assign active_host = host_busy || interrupt_busy || causes != 0 || bad_packet ||
                       dropped_reply != 0 || memory_error || queue_answer.push_slots_valid ||
                       push_done.valid;
  assign active_control_o = active_host || active_table || sending.active_cross || sending.active_reply;
  assign active_queue_o = sending.active_queue;
  assign active_injection_o = sending.active_injection;
  assign active_packet_o = sending.active_packet;
  assign active_memory_o = memory_active || unit_memory_busy || completion_busy ||
                           send_reads.fetch.valid || send_reads.payload.valid || calc_read.valid ||
                           boot_read.valid || send_reads.list.list.valid || share_busy || second_busy ||
                           reply_write.command_valid || request_write.command_valid ||
                           push_write.command_valid || notice_write.command_valid ||
                           entry_write.command_valid || calc_write.command_valid ||
                           register_valid.touch || register_valid.core_access ||
                           register_valid.unit_memory;
  assign active_table = counter_busy || region_busy || completion_counter.valid ||
                        injection_counter.valid || register_valid.counter || register_valid.region ||
                        tree_busy || register_valid.tree;
  assign active_calc_o = calc_busy || calc.valid;
  assign active_reception_o = requests_busy || eject_request_i.valid;
  assign active_decision_o = decision_busy || eject_reply_i.valid || queue_answer.get_slots_valid ||
                             published.fifo.valid || published.notice_valid ||
                             published.stored_valid || register_valid.reception_fifo ||
                             register_valid.notice || register_valid.boot ||
                             receive_orders.buffer.valid || receive_orders.reset.reset ||
                             receive_orders.reset.stop || receive_orders.reset.configured;

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
    .fifo_hold_cycles_o(limits.fifo_hold_cycles),
    .credit_timeout_cycles_o(limits.credit_timeout_cycles),
    .send_retry_cycles_o(limits.send_retry_cycles), .send_retries_o(limits.send_retries),
    .push_reserve_o(push_reserve),
    .push_reserve_ready_i(queue_answer.taken == mu_pkg::QUEUE_TURN_PUSH_RESERVE),
    .push_slots_valid_i(queue_answer.push_slots_valid), .push_slots_i(queue_answer.slots),
    .push_write_o(push_write),
    .push_write_response_i(push_write_response), .push_done_i(push_done), .causes_o(host_causes)
  );

  // Causes become interrupt lines.
  mu_interrupt_control u_interrupt_control (
    .clk_i(clk_control_i), .rst_ni, .busy_o(interrupt_busy), .register_valid_i(register_valid.interrupt),
    .register_request_i(register_request), .register_done_o(interrupt_done),
    .register_response_o(interrupt_response), .causes_i(causes), .fifo_part_i(fifo_part),
    .entry_part_i(entry_part), .counter_part_i(counter_part), .irq_o
  );

  // Reads, writes, and the one ordering point.
  mu_memory_port u_memory_port (
    .clk_i(clk_memory_i), .rst_ni, .fetch_read_i(send_reads.fetch),
    .fetch_command_ready_o(send_ready.fetch), .fetch_beat_o(send_beats.fetch),
    .payload_read_i(send_reads.payload), .payload_command_ready_o(send_ready.payload),
    .payload_beat_o(send_beats.payload), .calc_read_i(shared_read),
    .calc_command_ready_o(shared_command_ready), .calc_beat_o(shared_beat), .reply_write_i(reply_write),
    .reply_write_response_o(reply_write_response), .request_write_i(request_write),
    .request_write_response_o(request_write_response), .push_write_i(push_write),
    .push_write_response_o(push_write_response), .notice_write_i(notice_write),
    .notice_write_response_o(notice_write_response), .entry_write_i(entry_write),
    .entry_write_response_o(send_ready.entry), .calc_write_i(calc_write),
    .calc_write_response_o(calc_write_response), .action_valid_o(action_valid),
    .action_ready_i(action_ready), .action_data_o(action_data), .action_error_o(action_error),
    .register_valid_i(register_valid.touch), .register_request_i(register_request),
    .register_done_o(touch_done), .register_response_o(memory_response),
    .core_access_valid_i(register_valid.core_access), .core_access_done_o(core_access_done),
    .causes_o(memory_causes), .memory_error_o(memory_error), .active_o(memory_active),
    .busy_o(memory_busy), .axi_request_o(port_request), .axi_response_i(port_response)
  );
  mu_memory_select u_memory_select (
    .clk_i(clk_memory_i), .rst_ni, .request_i(port_request), .response_o(port_response),
    .node_request_o(axi_request_o), .node_response_i(axi_response_i),
    .unit_request_o(unit_memory_request), .unit_response_i(unit_memory_response)
  );
  mu_unit_memory u_unit_memory (
    .clk_i(clk_memory_i), .rst_ni, .busy_o(unit_memory_busy), .axi_request_i(unit_memory_request),
    .axi_response_o(unit_memory_response), .register_valid_i(register_valid.unit_memory),
    .register_request_i(register_request), .register_done_o(unit_memory_done),
    .register_response_o(unit_response)
  );

  // Operands of CALC, packets that boot buffers hold, and lists of PIPEs come through one reader.
  mu_read_share u_read_share (
    .clk_i(clk_memory_i), .rst_ni, .busy_o(share_busy), .first_i(calc_read),
    .first_ready_o(calc_command_ready), .first_beat_o(calc_beat), .second_i(second_request),
    .second_ready_o(second_command_ready), .second_beat_o(second_beat), .read_o(shared_read),
    .read_ready_i(shared_command_ready), .beat_i(shared_beat)
  );
  mu_read_share u_second_read_share (
    .clk_i(clk_memory_i), .rst_ni, .busy_o(second_busy), .first_i(boot_read),
    .first_ready_o(boot_command_ready), .first_beat_o(boot_beat), .second_i(send_reads.list.list),
    .second_ready_o(send_beats.list.ready), .second_beat_o(send_beats.list.beat), .read_o(second_read),
    .read_ready_i(second_request_ready), .beat_i(second_beat)
  );
  mu_skid_buffer #(
    .WIDTH(mu_pkg::READ_COMMAND_BITS)
  ) u_second_request (
    .clk_i(clk_memory_i), .rst_ni, .in_valid_i(second_read.valid), .in_ready_o(second_request_ready),
    .in_data_i(second_read.command), .out_valid_o(second_request.valid),
    .out_ready_i(second_command_ready), .out_data_o(second_request.command)
  );

  // What an accepted write changes.
  mu_completion u_completion (
    .clk_i(clk_memory_i), .rst_ni, .action_valid_i(action_valid), .action_ready_o(action_ready),
    .action_data_i(action_data), .action_error_i(action_error),
    .fifo_publish_valid_o(published.fifo.valid), .fifo_publish_ready_i(published_ready.fifo),
    .fifo_publish_target_o(published.fifo.target), .fifo_publish_slots_o(published.fifo.amount),
    .queue_publish_valid_o(publishes.queue.valid),
    .queue_publish_ready_i(queue_answer.taken == mu_pkg::QUEUE_TURN_PUBLISH),
    .queue_publish_target_o(publishes.queue.target),
    .queue_publish_count_o(publishes.queue.amount),
    .notice_publish_valid_o(published.notice_valid),
    .notice_publish_ready_i(published_ready.notice),
    .notice_publish_client_o(published.notice_client), .counter_valid_o(completion_counter.valid),
    .counter_ready_i(completion_counter_ready),
    .counter_operation_o(completion_counter.operation),
    .entry_publish_valid_o(publishes.entry.valid),
    .entry_publish_ready_i(send_accepts.entry_publish),
    .entry_publish_queue_o(publishes.entry.target), .stored_valid_o(published.stored_valid),
    .stored_o(published.stored), .push_done_valid_o(push_done.valid),
    .push_done_client_o(push_done.client), .push_done_error_o(push_done.error),
    .calc_stored_valid_o(calc_stored_valid), .calc_stored_error_o(calc_stored_error),
    .causes_o(completion_causes), .busy_o(completion_busy)
  );

  // Byte and event counters.
  mu_counters u_counters (
    .clk_i(clk_control_i), .rst_ni, .busy_o(counter_busy), .register_valid_i(register_valid.counter),
    .register_request_i(register_request), .register_done_o(counter_done),
    .register_response_o(counter_response), .completion_valid_i(completion_counter.valid),
    .completion_ready_o(completion_counter_ready),
    .completion_operation_i(completion_counter.operation),
    .injection_valid_i(injection_counter.valid), .injection_ready_o(send_ready.counter),
    .injection_operation_i(injection_counter.operation), .signal_valid_i(tree_counter.valid),
    .signal_ready_o(tree_counter_ready), .signal_operation_i(tree_counter.operation),
    .lookup_0_i({1'b0, target_lookup.counter}),
    .lookup_0_answer_o(target_answer.counter), .lookup_1_i({1'b1, target_lookup.event_counter}),
    .lookup_1_answer_o(target_answer.event_counter), .lookup_2_i(source_lookup.counter),
    .lookup_2_answer_o(source_answer.counter), .lookup_3_i(source_lookup.done_event),
    .lookup_3_answer_o(source_answer.done_event), .event_change_o(event_watch.change),
    .waited_index_o(event_watch.asked), .waited_i(waited),
    .causes_o(counter_causes), .part_o(counter_part)
  );

  // Barriers and global interrupts over the tree.
  mu_tree_signals u_tree_signals (
    .clk_i(clk_control_i), .rst_ni, .busy_o(tree_busy), .register_valid_i(register_valid.tree),
    .register_request_i(register_request), .register_done_o(tree_done),
    .register_response_o(tree_response), .signals_i, .signals_o, .change_i(event_watch.change),
    .operation_valid_o(tree_counter.valid), .operation_ready_i(tree_counter_ready),
    .operation_o(tree_counter.operation), .causes_o(tree_causes)
  );

  // Registered pieces of node memory.
  mu_region_table u_region_table (
    .clk_i(clk_control_i), .rst_ni, .busy_o(region_busy), .register_valid_i(register_valid.region),
    .register_request_i(register_request), .register_done_o(region_done),
    .register_response_o(region_response), .source_region_i(source_lookup.region),
    .source_entry_o(source_answer.region), .target_region_i(target_lookup.region),
    .target_entry_o(target_answer.region),
    .calc_region_i(calc_looks ? calc_region : send_reads.list.region), .calc_entry_o(calc_entry)
  );
  // Lists of PIPEs look up regions while CALC does not.
  assign send_beats.list.looks = send_reads.list.look && !calc_looks;
  assign send_beats.list.entry = calc_entry;

  // Reductions of vectors in memory.
  mu_calc_engine u_calc_engine (
    .clk_i(clk_calc_i), .rst_ni, .busy_o(calc_busy), .calc_valid_i(calc.valid),
    .calc_ready_o(send_ready.calc), .calc_descriptor_i(calc.descriptor),
    .done_valid_o(calc_report.done.valid),
    .done_ready_i(send_accepts.calc_done), .done_status_o(calc_report.done.status),
    .looks_o(calc_looks), .region_o(calc_region),
    .entry_i(calc_entry), .calc_read_o(calc_read), .calc_command_ready_i(calc_command_ready),
    .calc_beat_i(calc_beat), .calc_write_o(calc_write), .calc_write_response_i(calc_write_response),
    .stored_valid_i(calc_stored_valid), .stored_error_i(calc_stored_error),
    .put_valid_o(calc_report.put.valid), .put_ready_i(send_accepts.calc_put),
    .put_o(calc_report.put.descriptor)
  );

  // Descriptors to packets.
  assign publishes.entry.amount    = 8'd1;
  assign send_ready.inject_request = inject_request_ready_i;
  assign send_ready.inject_reply   = inject_reply_ready_i;
  mu_send_engine u_send_engine (
    .clk_queue_i, .clk_cross_i(clk_control_i), .clk_injection_i, .clk_packet_i,
    .clk_reply_i(clk_control_i), .rst_ni, .activity_o(sending), .causes_o(send_causes),
    .part_o(entry_part), .now_i,
    .straps_i, .limits_i(limits),
    .register_valid_i(register_valid), .register_done_o(send_done),
    .register_request_i(register_request), .register_response_o(send_response),
    .push_reserve_i(push_reserve), .reception_requests_i(reception_requests),
    .queue_answer_o(queue_answer), .peer_answer_o(peer_answer), .reads_o(send_reads),
    .beats_i(send_beats), .entry_write_o(entry_write),
    .publishes_i(publishes), .source_lookup_o(source_lookup), .source_answer_i(source_answer),
    .counter_request_o(injection_counter), .event_watch_i(event_watch), .waited_o(waited),
    .calc_o(calc), .calc_report_i(calc_report),
    .notice_packet_i(notice_packet), .receive_orders_o(receive_orders),
    .receive_reports_i(receive_reports), .result_i(result), .inject_request_o, .inject_reply_o,
    .ready_i(send_ready), .accepts_o(send_accepts)
  );

  // Packets to memory.
  mu_reception_engine u_reception_engine (
    .clk_i(clk_reception_i), .clk_decision_i, .rst_ni, .requests_busy_o(requests_busy),
    .decision_busy_o(decision_busy), .straps_i, .eject_request_i, .eject_request_ready_o,
    .eject_reply_i, .eject_reply_ready_o, .request_write_o(request_write),
    .request_write_response_i(request_write_response), .reply_write_o(reply_write),
    .reply_write_response_i(reply_write_response), .notice_write_o(notice_write),
    .notice_write_response_i(notice_write_response), .boot_read_o(boot_read),
    .boot_command_ready_i(boot_command_ready), .boot_beat_i(boot_beat), .target_lookup_o(target_lookup),
    .target_answer_i(target_answer), .reception_requests_o(reception_requests),
    .queue_answer_i(queue_answer), .peer_answer_i(peer_answer), .notice_packet_o(notice_packet),
    .notice_packet_ready_i(send_accepts.notice_packet), .result_o(result),
    .receive_orders_i(receive_orders), .receive_reports_o(receive_reports), .published_i(published),
    .published_ready_o(published_ready),
    .register_valid_i(register_valid), .register_done_o(reception_done),
    .register_request_i(register_request), .register_response_o(reception_response),
    .fifo_hold_cycles_i(limits.fifo_hold_cycles), .bad_packet_o(bad_packet),
    .dropped_reply_o(dropped_reply[0]), .causes_o(reception_causes), .part_o(fifo_part)
  );

endmodule : mu_messaging_unit

`default_nettype wire

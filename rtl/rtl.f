// SPDX-License-Identifier: Apache-2.0
// The files of the design in the order in which a packet meets them; one comment a stage.

// Words and layouts
rtl/package/mu_pkg.sv
rtl/package/mu_injection_queue_decode.sv
rtl/package/mu_reception_fifo_decode.sv
rtl/package/mu_completion_queue_decode.sv
rtl/package/mu_byte_counter_config_decode.sv
rtl/package/mu_event_counter_config_decode.sv
rtl/package/mu_region_decode.sv
rtl/package/mu_touch_range_decode.sv
rtl/package/mu_notice_ring_decode.sv
rtl/package/mu_reflection_decode.sv
rtl/package/mu_boot_decode.sv
rtl/package/mu_node_decode.sv
rtl/package/mu_register_select.sv
// Shared blocks
rtl/common/mu_skid_buffer.sv
rtl/common/mu_fifo.sv
rtl/common/mu_block_fifo.sv
rtl/common/mu_arbiter.sv
rtl/common/mu_pulse_counters.sv
rtl/common/mu_zeroed_memory.sv
rtl/common/mu_axi_memory_read.sv
rtl/common/mu_axi_memory_write.sv
rtl/common/mu_axi_memory.sv
rtl/common/mu_crc32c.sv
// Registers and doorbells: how software reaches the node
rtl/host_interface/mu_axil_slave.sv
rtl/host_interface/mu_register_decode.sv
rtl/host_interface/mu_access_errors.sv
rtl/host_interface/mu_node_registers.sv
rtl/host_interface/mu_push_registers.sv
rtl/host_interface/mu_push_window.sv
rtl/host_interface/mu_host_interface.sv
// Queues: rings of descriptors, who may fill them, fetching
rtl/queue/mu_ring_update.sv
rtl/queue/mu_queue_registers.sv
rtl/queue/mu_queue_peers.sv
rtl/queue/mu_queue_reservation.sv
rtl/queue/mu_wait_threshold.sv
rtl/queue/mu_wait_table.sv
rtl/queue/mu_held_queues.sv
rtl/queue/mu_engine_turns.sv
rtl/queue/mu_held_ends.sv
rtl/queue/mu_cross_channel.sv
rtl/queue/mu_queue_turns.sv
rtl/queue/mu_queue_step.sv
rtl/queue/mu_queue_table.sv
rtl/queue/mu_queue_scheduler.sv
rtl/queue/mu_descriptor_buffer.sv
rtl/queue/mu_descriptor_fetch.sv
rtl/queue/mu_queue_engine.sv
// Queue pairs: SENDs until they are acknowledged, what receive queues expect and take
rtl/queue_pair/mu_retry_clock.sv
rtl/queue_pair/mu_request_step.sv
rtl/queue_pair/mu_outstanding_requests.sv
rtl/queue_pair/mu_pipe.sv
rtl/queue_pair/mu_queue_pairs.sv
rtl/queue_pair/mu_receive_queues.sv
rtl/queue_pair/mu_arriving_message.sv
rtl/queue_pair/mu_receive_decision.sv
rtl/queue_pair/mu_reassembly_contexts.sv
rtl/queue_pair/mu_dynamic_decision.sv
rtl/queue_pair/mu_message_reception.sv
// Memory port: reads, writes, the ordering point, what accepted writes change
rtl/memory_port/mu_memory_reader.sv
rtl/memory_port/mu_read_port.sv
rtl/memory_port/mu_read_share.sv
rtl/memory_port/mu_write_arbiter.sv
rtl/memory_port/mu_memory_writer.sv
rtl/memory_port/mu_write_tracker.sv
rtl/memory_port/mu_write_port.sv
rtl/memory_port/mu_touch_match.sv
rtl/memory_port/mu_touch_table.sv
rtl/memory_port/mu_memory_port.sv
rtl/memory_port/mu_memory_select.sv
rtl/memory_port/mu_unit_memory.sv
rtl/memory_port/mu_completion.sv
rtl/memory_port/mu_region_check.sv
rtl/memory_port/mu_region_table.sv
// Injection: descriptors become packets
rtl/injection/mu_descriptor_check.sv
rtl/injection/mu_immediate_payload.sv
rtl/injection/mu_reflection_credits.sv
rtl/injection/mu_packet_image.sv
rtl/injection/mu_packetiser.sv
rtl/injection/mu_packet_buffer.sv
rtl/injection/mu_injection_completion.sv
rtl/injection/mu_crc_insert.sv
rtl/injection/mu_injection_slots.sv
rtl/injection/mu_reply_injector.sv
rtl/injection/mu_injection_engine.sv
// Router: to a link, from a link, across the node
rtl/router/mu_router_arrivals.sv
rtl/router/mu_router_buffer.sv
rtl/router/mu_route.sv
rtl/router/mu_router_header.sv
rtl/router/mu_router_levels.sv
rtl/router/mu_router_ports.sv
rtl/router/mu_router_heads.sv
rtl/router/mu_router_patience.sv
rtl/router/mu_router_credits.sv
rtl/router/mu_router_switch.sv
rtl/router/mu_router_class.sv
rtl/router/mu_router_output.sv
rtl/router/mu_router_link.sv
rtl/router/mu_router_eject.sv
rtl/router/mu_router_local.sv
rtl/router/mu_router_counters.sv
rtl/router/mu_router.sv
// Boot buffers: packets for processes that are not there yet
rtl/boot_buffer/mu_boot_opener.sv
rtl/boot_buffer/mu_boot_drain.sv
// Reception: whole packets, the decision what becomes of each, its memory writes or the packet back
rtl/reception/mu_packet_receiver.sv
rtl/reception/mu_ring_pointers.sv
rtl/reception/mu_ring_span.sv
rtl/reception/mu_reception_fifo_registers.sv
rtl/reception/mu_reception_fifo_rules.sv
rtl/reception/mu_reception_fifo_table.sv
rtl/reception/mu_notice_ring.sv
rtl/reception/mu_reception_check.sv
rtl/reception/mu_reception_action.sv
rtl/reception/mu_reception_replies.sv
rtl/reception/mu_reception_control.sv
rtl/reception/mu_fence_answers.sv
rtl/reception/mu_get_admission.sv
rtl/reception/mu_reception_store.sv
rtl/reception/mu_notice_store.sv
rtl/reception/mu_notice_sender.sv
rtl/reception/mu_request_source.sv
rtl/reception/mu_reception_engine.sv
// Counters and interrupts: how software learns of it
rtl/counter/mu_counter_config.sv
rtl/counter/mu_counter_arbiter.sv
rtl/counter/mu_counter_file.sv
rtl/counter/mu_byte_counters.sv
rtl/counter/mu_event_counters.sv
rtl/counter/mu_counters.sv
rtl/completion_queue/mu_completion_ring.sv
rtl/completion_queue/mu_completion_registers.sv
rtl/completion_queue/mu_completion_rules.sv
rtl/completion_queue/mu_completion_tails.sv
rtl/completion_queue/mu_completion_store.sv
rtl/completion_queue/mu_completion_queues.sv
rtl/host_interface/mu_interrupt_control.sv
// CALC: the reduction ALU (float numbers, units, order), and what feeds it from memory
rtl/calc/mu_float_unpack.sv
rtl/calc/mu_float_align.sv
rtl/calc/mu_leading_zeros.sv
rtl/calc/mu_float_normalise.sv
rtl/calc/mu_float_round.sv
rtl/calc/mu_float_add.sv
rtl/calc/mu_multiplier.sv
rtl/calc/mu_reduction_product.sv
rtl/calc/mu_reduction_compare.sv
rtl/calc/mu_reduction_extreme.sv
rtl/calc/mu_reduction_integer.sv
rtl/calc/mu_reduction_lane.sv
rtl/calc/mu_reduction_decode.sv
rtl/calc/mu_reduction_order.sv
rtl/calc/mu_reduction_alu.sv
rtl/calc/mu_calc_rows.sv
rtl/calc/mu_calc_span.sv
rtl/calc/mu_calc_reach.sv
rtl/calc/mu_calc_check.sv
rtl/calc/mu_calc_walk.sv
rtl/calc/mu_calc_pack.sv
rtl/calc/mu_calc_gather.sv
rtl/calc/mu_calc_accumulate.sv
rtl/calc/mu_calc_store.sv
rtl/calc/mu_calc_engine.sv
// The node
rtl/mu_send_engine.sv
rtl/mu_messaging_unit.sv
rtl/mu_gated_node.sv
rtl/mu_node.sv
// The machine
rtl/link/mu_link.sv
rtl/mu_torus.sv
// A board: one node by itself, with memory, links that come back and a host at a serial line
rtl/board/mu_uart_receiver.sv
rtl/board/mu_uart_sender.sv
rtl/board/mu_board_host.sv
rtl/board/mu_looped_node.sv
rtl/board/mu_board.sv

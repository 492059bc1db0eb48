// SPDX-License-Identifier: Apache-2.0
// The files of the design in the order in which a packet meets them; one comment a stage.

// Words and layouts
// Shared blocks
rtl/common/mu_skid_buffer.sv
rtl/common/mu_fifo.sv
rtl/common/mu_arbiter.sv
rtl/common/mu_credit_counter.sv
rtl/common/mu_crc32c.sv
// Queues: rings of descriptors, who may fill them, fetching
rtl/queue/mu_ring_update.sv
rtl/queue/mu_queue_registers.sv
rtl/queue/mu_queue_reservation.sv
rtl/queue/mu_queue_table.sv
rtl/queue/mu_queue_scheduler.sv
rtl/queue/mu_descriptor_buffer.sv
rtl/queue/mu_descriptor_fetch.sv
rtl/queue/mu_queue_engine.sv
// Injection: descriptors become packets
rtl/transfer/mu_descriptor_check.sv
rtl/transfer/mu_immediate_payload.sv
rtl/transfer/mu_reflection_credits.sv
rtl/transfer/mu_packetiser.sv
rtl/transfer/mu_packet_buffer.sv
rtl/transfer/mu_injection_completion.sv
rtl/transfer/mu_crc_insert.sv
rtl/transfer/mu_injection_slots.sv
rtl/transfer/mu_reply_injector.sv
rtl/transfer/mu_injection_engine.sv
// Reception: whole packets, the decision what becomes of each, its memory writes or the packet back
rtl/transfer/mu_packet_receiver.sv
rtl/transfer/mu_ring_pointers.sv
rtl/transfer/mu_ring_span.sv
rtl/transfer/mu_reception_fifo_registers.sv
rtl/transfer/mu_reception_fifo_rules.sv
rtl/transfer/mu_reception_fifo_table.sv
rtl/transfer/mu_notice_ring.sv
rtl/transfer/mu_reception_check.sv
rtl/transfer/mu_reception_control.sv
rtl/transfer/mu_reception_decision.sv
rtl/transfer/mu_get_admission.sv
rtl/transfer/mu_reception_store.sv
rtl/transfer/mu_notice_store.sv
rtl/transfer/mu_notice_sender.sv
rtl/transfer/mu_reception_engine.sv

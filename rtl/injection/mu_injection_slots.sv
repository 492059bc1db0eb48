// SPDX-License-Identifier: Apache-2.0
// mu_injection_slots: request packets from opening to router, and what follows once their data is here.
//
//   open ---> [ mu_packet_buffer ] ---> [ mu_crc_insert ] ---> flits
//   beats ------^       \---> [ mu_injection_completion ] ---> counter operations, notices, retire, abort
//
// Behaviour: see mu_packet_buffer, mu_injection_completion and mu_crc_insert.
// Latency: open or last beat to first flit 3 cycles, to the first effect on a counter 2, to retire 3.
// Limits: PACKETS a power of two: two hold the rate while a packet's payload comes within 34 cycles of its
//   command. clk_packet_i, of packets that leave, is clk_i, and may be stopped while active_packet_o is low;
//   clk_i while active_o is low and nothing is opened.
// two-readers: seen=10
`default_nettype none

module mu_injection_slots #(
    parameter int unsigned PACKETS = 4
) (
    input  logic                           clk_i,
    input  logic                           clk_packet_i,
    input  logic                           rst_ni,
    output logic                           busy_o,
    output logic                           active_o,
    output logic                           active_packet_o,
    output logic [  mu_pkg::CLIENTS*8-1:0] causes_o,
    // packetiser
    input  logic                           open_valid_i,
    output logic                           open_ready_o,
    input  mu_pkg::packet_open_t           open_i,
    input  mu_pkg::send_hold_t             hold_i,
    output mu_pkg::slot_abort_t            abort_o,
    // memory port
    input  mu_pkg::read_beat_t             beat_i,
    // counters, or queue engine: operation_o is a move of an enable limit
    output mu_pkg::counter_operation_t     operation_o,
    output logic                           operation_valid_o,
    input  logic                           operation_ready_i,
    output logic                           enable_valid_o,
    input  logic                           enable_ready_i,
    input  mu_pkg::status_e                enable_status_i,
    // reply stream
    output mu_pkg::notice_packet_t         notice_o,
    input  logic                           notice_ready_i,
    // a held SEND that failed; completion queues
    output mu_pkg::send_outcome_t          failure_o,
    output logic [                    7:0] entry_queue_o,  // of the descriptor
    input  mu_pkg::queue_peer_t            entry_peer_i,
    output mu_pkg::completion_request_t    entry_o,
    input  logic                           entry_ready_i,
    // queue engine
    output mu_pkg::descriptor_retire_t     retire_o,
    input  logic                           retire_ready_i,
    // router
    output mu_pkg::flit_stream_t           flit_o,
    input  logic                           flit_ready_i
);
  logic                      bare_valid, bare_ready, bare_head, bare_tail;  // flits without their CRC
  mu_pkg::flit_data_t        bare_data;
  logic                      buffer_busy, buffer_active, buffer_sends, completion_busy, crc_busy;
  logic                      walk_valid, walk_take, walk_error;
  mu_pkg::packet_header_t    walk_header;
  mu_pkg::packet_trailer_t   walk_trailer;
  mu_pkg::injection_record_t walk_record;

  mu_packet_buffer #(
      .PACKETS(PACKETS)
  ) u_packet_buffer (
      .clk_i,
      .clk_packet_i,
      .rst_ni,
      .busy_o        (buffer_busy),
      .active_o      (buffer_active),
      .active_packet_o(buffer_sends),
      .open_valid_i,
      .open_ready_o,
      .open_header_i (open_i.header),
      .open_trailer_i(open_i.trailer),
      .open_payload_i(open_i.payload),
      .open_record_i (open_i.record),
      .open_memory_i (open_i.memory),
      .open_hold_i   (open_i.hold),
      .hold_i        (hold_i.hold),
      .spoil_i       (hold_i.spoil),
      .beat_valid_i  (beat_i.valid),
      .beat_data_i   (beat_i.data),
      .beat_last_i   (beat_i.last),
      .beat_error_i  (beat_i.error),
      .walk_valid_o  (walk_valid),
      .walk_take_i   (walk_take),
      .walk_error_o  (walk_error),
      .walk_record_o (walk_record),
      .walk_header_o (walk_header),
      .walk_trailer_o(walk_trailer),
      .flit_valid_o  (bare_valid),
      .flit_ready_i  (bare_ready),
      .flit_head_o   (bare_head),
      .flit_tail_o   (bare_tail),
      .flit_data_o   (bare_data)
  );

  mu_crc_insert u_crc_insert (
      .clk_i      (clk_packet_i),
      .rst_ni,
      .busy_o     (crc_busy),
      .in_valid_i (bare_valid),
      .in_ready_o (bare_ready),
      .in_head_i  (bare_head),
      .in_tail_i  (bare_tail),
      .in_data_i  (bare_data),
      .out_valid_o(flit_o.valid),
      .out_ready_i(flit_ready_i),
      .out_head_o (flit_o.head),
      .out_tail_o (flit_o.tail),
      .out_data_o (flit_o.data)
  );

  mu_injection_completion u_injection_completion (
      .clk_i,
      .rst_ni,
      .busy_o        (completion_busy),
      .causes_o,
      .walk_valid_i  (walk_valid),
      .walk_take_o   (walk_take),
      .walk_error_i  (walk_error),
      .walk_record_i (walk_record),
      .walk_header_i (walk_header),
      .walk_trailer_i(walk_trailer),
      .abort_o       (abort_o.valid),
      .abort_tag_o   (abort_o.tag),
      .operation_valid_o,
      .operation_ready_i,
      .operation_o,
      .enable_valid_o,
      .enable_ready_i,
      .enable_status_i,
      .notice_valid_o  (notice_o.valid),
      .notice_ready_i,
      .notice_header_o (notice_o.header),
      .notice_trailer_o(notice_o.trailer),
      .failure_valid_o (failure_o.valid),
      .failure_o       (failure_o.answer),
      .entry_queue_o,
      .entry_peer_i,
      .entry_valid_o   (entry_o.valid),
      .entry_ready_i,
      .entry_o         (entry_o.entry),
      .entry_client_o  (entry_o.client),
      .retire_valid_o  (retire_o.valid),
      .retire_ready_i,
      .retire_queue_o  (retire_o.descriptor.queue),
      .retire_index_o  (retire_o.descriptor.index),
      .retire_status_o (retire_o.descriptor.status)
  );

  assign busy_o          = buffer_busy || completion_busy || crc_busy;
  assign active_o        = buffer_active || completion_busy;
  assign active_packet_o = buffer_sends || crc_busy;
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_queue_pairs: what queue pairs do beyond the queues: SENDs until acknowledged, PIPEs; and FENCEs.
//
//   cross-channel control <--- begin, end, again ---> [ mu_send_acknowledge, mu_fences ] <--- answers
//   in (descriptors) -----------+---> out <--- done messages |
//                               |          SENDs of a PIPE  |
//   pipe_due, pipe_end <---> [ turns ] ---> [ mu_pipe ] ----+
//   buffer, receive_end <---------------------/ \---> reset (of its receive queue)
//
// Behaviour: what concerns the send queue or the receive queue of the PIPE that runs goes to it, everything
//   else to cross-channel control. Buffers, beginnings and resets of cross-channel control go first,
//   descriptors of the PIPE before others, and before descriptors those RECEIVEs that have left a
//   dynamically connected queue and whose message is done.
// Latency: see the blocks; descriptors, buffers and ends pass in the same cycle.
// Limits: one PIPE runs at a time, others wait for their turn.
`default_nettype none

module mu_queue_pairs (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    output logic                         busy_o,
    input  logic [mu_pkg::TIME_BITS-1:0] now_i,
    output logic [mu_pkg::TIME_BITS-1:0] wake_at_o,
    input  logic [                 24:0] send_retry_cycles_i,
    input  logic [                  7:0] send_retries_i,
    input  logic [mu_pkg::INJECTION_QUEUES-1:0] dynamic_i,  // queues that are dynamically connected
    // descriptors on their way to the packetiser
    input  logic                         in_valid_i,
    output logic                         in_ready_o,
    input  mu_pkg::fetched_descriptor_t  in_data_i,
    output logic                         out_valid_o,
    input  logic                         out_ready_i,
    output mu_pkg::fetched_descriptor_t  out_data_o,
    // cross-channel control: SENDs
    input  logic                         begin_i,
    input  logic                         begin_fence_i,    // it, or what the packetiser cuts, is a FENCE
    input  logic                         begin_sent_i,
    input  logic [                  7:0] begin_queue_i,
    input  logic [                 11:0] begin_node_i,     // whom it goes to, if dynamic: z, y, x; of a FENCE
    input  logic [                 31:0] begin_index_i,
    output logic [mu_pkg::INJECTION_QUEUES-1:0] may_ahead_o,
    output logic [mu_pkg::INJECTION_QUEUES-1:0] fence_ahead_o,  // a FENCE may
    output logic [mu_pkg::INJECTION_QUEUES-1:0] under_way_o,    // a SEND or FENCE has
    output logic                         send_end_valid_o,
    input  logic                         send_end_ready_i,
    output mu_pkg::queue_end_t           send_end_o,
    output logic                         again_valid_o,
    input  logic                         again_ready_i,
    output logic [                  7:0] again_queue_o,
    // RECEIVEs
    input  logic                         buffer_valid_i,
    input  mu_pkg::receive_buffer_t      buffer_i,
    output logic                         receive_end_valid_o,
    input  logic                         receive_end_ready_i,
    // flush
    input  logic                         flush_i,
    input  logic                         configure_valid_i,
    input  logic                         configured_i,
    input  logic [                  7:0] configure_queue_i,
    input  logic [                  7:0] configured_setup_i,  // owner, mode
    // PIPEs
    input  logic                         pipe_due_i,
    input  logic [                  7:0] pipe_due_queue_i,
    input  logic [                 39:0] pipe_address_i,
    input  logic [mu_pkg::INJECTION_QUEUES-1:0] held_i,
    output logic                         pipe_read_o,
    output logic [                  7:0] pipe_queue_o,
    input  mu_pkg::fetched_descriptor_t  pipe_data_i,
    output logic                         pipe_end_valid_o,
    input  logic                         pipe_end_ready_i,
    output mu_pkg::queue_end_t           pipe_end_o,
    // receive queues
    output logic                         buffer_valid_o,
    output mu_pkg::receive_buffer_t      buffer_o,
    input  logic                         receive_end_valid_i,
    output logic                         receive_end_ready_o,
    input  mu_pkg::queue_end_t           receive_end_i,
    input  mu_pkg::receive_result_t      receive_result_i,
    output logic                         watch_o,        // the receive queue of a PIPE
    output logic [                  7:0] watch_queue_o,
    input  logic                         arriving_valid_i,  // a message there
    input  logic [                 31:0] arriving_bytes_i,
    output logic                         reset_o,
    output logic                         stop_o,
    output logic [                  7:0] reset_queue_o,  // of reset_o, stop_o, configured_i
    input  logic                         message_valid_i,  // in a context: done
    output logic                         message_ready_o,
    input  mu_pkg::received_message_t    message_i,
    // packetiser: the copy that it cuts
    input  logic [                  7:0] number_queue_i,
    input  logic                         number_ahead_i,
    output logic [                 31:0] number_o,
    output logic                         doubtful_o,
    output logic                         broken_o,
    output logic                         ahead_good_o,
    input  logic                         ahead_i,
    input  logic                         left_i,
    output logic                         hold_o, spoil_o,
    // reception engine, injection completion
    input  logic                         answer_valid_i,
    input  mu_pkg::send_answer_t         answer_i,
    output logic [                  7:0] answer_queue_o,
    input  mu_pkg::queue_peer_t          answer_peer_i,
    input  logic                         failure_valid_i,
    input  mu_pkg::send_answer_t         failure_i
);
  localparam int unsigned QUEUES = mu_pkg::INJECTION_QUEUES;
  localparam int unsigned QUEUE_WIDTH = $clog2(QUEUES);

  logic pipe_busy, turns_busy, running, receives, start, done, turn_taken, flush_waiting;
  logic [QUEUE_WIDTH-1:0] queue, choice;
  logic [QUEUES-1:0] due, second, fence_under_way;
  logic [39:0] address_mem[QUEUES];
  logic [7:0] receive_queue;

  // --- what is the PIPE's, what is a FENCE's ---
  logic sends_busy, fences_busy, sends_end_valid, sends_again_valid, fence_end_valid, fence_again_valid;
  logic send_end_valid, again_valid, of_pipe_send, of_pipe_again, of_pipe_receive;
  logic [QUEUE_WIDTH-1:0] send_again_queue, fence_again_queue;
  mu_pkg::queue_end_t sends_end, fence_end;
  logic [mu_pkg::TIME_BITS-1:0] sends_wake_at, fences_wake_at;
  logic again_ready, pipe_begin, pipe_begin_sent, pipe_buffer_valid, stop, pipe_out_valid;
  mu_pkg::receive_buffer_t pipe_buffer;
  mu_pkg::fetched_descriptor_t pipe_out;
  assign of_pipe_send        = running && sends_end.queue[QUEUE_WIDTH-1:0] == queue;
  assign of_pipe_again       = running && send_again_queue == queue;
  assign of_pipe_receive     = receives && receive_end_i.queue == receive_queue;
  assign send_end_valid      = sends_end_valid && !of_pipe_send;
  assign again_valid         = sends_again_valid && !of_pipe_again;
  assign send_end_valid_o    = send_end_valid || fence_end_valid;
  assign send_end_o          = send_end_valid ? sends_end : fence_end;
  assign again_valid_o       = again_valid || fence_again_valid;
  assign again_queue_o       = again_valid ? 8'(send_again_queue) : 8'(fence_again_queue);
  assign receive_end_valid_o = receive_end_valid_i && !of_pipe_receive;
  assign receive_end_ready_o = of_pipe_receive || receive_end_ready_i;

  assign buffer_valid_o = buffer_valid_i || pipe_buffer_valid;
  assign buffer_o       = buffer_valid_i ? buffer_i : pipe_buffer;
  assign reset_o        = flush_i;
  assign stop_o         = stop && !flush_i && !configured_i;
  assign reset_queue_o  = stop_o ? receive_queue : configure_queue_i;

  // A RECEIVE that has left its queue for a message that has a context is done with that.
  mu_pkg::fetched_descriptor_t detached;
  always_comb begin
    detached = '0;
    if (message_valid_i) begin
      detached.run                         = 1'b1;
      detached.detached                    = 1'b1;
      detached.run_status                  = message_i.status;
      detached.queue                       = message_i.queue;
      detached.owner                       = message_i.owner;
      detached.index                       = message_i.index;
      detached.mode                        = mu_pkg::QUEUE_MODE_RECEIVE;
      detached.descriptor.opcode           = mu_pkg::OPCODE_RECEIVE;
      detached.descriptor.length           = 37'(message_i.bytes);
      detached.descriptor.sequence_number  = message_i.sequence_number;
      detached.descriptor.done_event       = message_i.done_event;
      detached.descriptor.done_event_valid = message_i.done_event_valid;
      detached.descriptor.interrupt_done   = message_i.interrupt_done;
      detached.descriptor.signal           = message_i.signal;
      detached.descriptor.header.word      = message_i.word;
      detached.descriptor.header.target    = message_i.peer_queue;
      {detached.descriptor.header.dst_z, detached.descriptor.header.dst_y,
       detached.descriptor.header.dst_x}   = message_i.node;
    end
  end
  assign out_valid_o     = pipe_out_valid || message_valid_i || in_valid_i;
  assign message_ready_o = out_ready_i && !pipe_out_valid;
  assign in_ready_o      = out_ready_i && !pipe_out_valid && !message_valid_i;
  assign out_data_o      = pipe_out_valid ? pipe_out : message_valid_i ? detached : in_data_i;

  mu_send_acknowledge #(
      .QUEUES(QUEUES)
  ) u_send_acknowledge (
      .clk_i, .rst_ni, .busy_o(sends_busy), .now_i, .wake_at_o(sends_wake_at),
      .retry_cycles_i(send_retry_cycles_i), .retries_i(send_retries_i), .dynamic_i,
      .begin_valid_i(begin_i ? !begin_fence_i : pipe_begin),
      .begin_queue_i(begin_i ? begin_queue_i[QUEUE_WIDTH-1:0] : queue),
      .begin_sent_i(begin_i ? begin_sent_i : pipe_begin_sent), .begin_node_i, .cancel_i(flush_i),
      .configured_i, .configure_queue_i(configure_queue_i[QUEUE_WIDTH-1:0]), .may_ahead_o, .fence_ahead_o,
      .second_o(second), .end_valid_o(sends_end_valid), .end_ready_i(of_pipe_send || send_end_ready_i),
      .end_o(sends_end), .again_valid_o(sends_again_valid),
      .again_ready_i(of_pipe_again ? again_ready : again_ready_i), .again_queue_o(send_again_queue),
      .number_queue_i, .number_ahead_i, .number_o, .doubtful_o, .broken_o, .ahead_good_o,
      .ahead_fence_i(begin_fence_i), .ahead_i(ahead_i && !begin_fence_i), .left_i,
      .answer_valid_i(answer_valid_i && !answer_i.fence), .answer_i, .answer_queue_o, .answer_peer_i,
      .failure_valid_i(failure_valid_i && !failure_i.fence), .failure_i
  );

  mu_fences #(
      .QUEUES(QUEUES)
  ) u_fences (
      .clk_i, .rst_ni, .busy_o(fences_busy), .now_i, .wake_at_o(fences_wake_at),
      .retry_cycles_i(send_retry_cycles_i), .retries_i(send_retries_i),
      .begin_valid_i(begin_i && begin_fence_i), .ahead_i(ahead_i && begin_fence_i),
      .ahead_o(fence_under_way), .begin_queue_i(begin_queue_i[QUEUE_WIDTH-1:0]), .begin_node_i,
      .begin_index_i, .cancel_i(flush_i || configured_i),
      .cancel_queue_i(configure_queue_i[QUEUE_WIDTH-1:0]), .end_valid_o(fence_end_valid),
      .end_ready_i(send_end_ready_i && !send_end_valid), .end_o(fence_end),
      .again_valid_o(fence_again_valid), .again_ready_i(again_ready_i && !again_valid),
      .again_queue_o(fence_again_queue), .answer_valid_i(answer_valid_i && answer_i.fence), .answer_i,
      .failure_valid_i(failure_valid_i && failure_i.fence), .failure_i
  );
  assign under_way_o = second | fence_under_way;
  assign wake_at_o = sends_wake_at < fences_wake_at ? sends_wake_at : fences_wake_at;

  // --- PIPEs, one at a time ---
  // A receive queue may have been configured since it was looked at.
  logic [QUEUES-1:0] piped_q;  // in mode PIPED
  logic [3:0] owner_mem[QUEUES];
  logic is_piped;
  mu_pkg::pipe_operation_t operation;
  assign operation = pipe_data_i.descriptor.immediate;
  assign is_piped  = piped_q[operation.receive_queue[QUEUE_WIDTH-1:0]] &&
      owner_mem[operation.receive_queue[QUEUE_WIDTH-1:0]] == pipe_data_i.owner &&
      !dynamic_i[operation.receive_queue[QUEUE_WIDTH-1:0]];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) piped_q <= '0;
    else if (configured_i)
      piped_q[configure_queue_i[QUEUE_WIDTH-1:0]] <= configured_setup_i[2:0] == mu_pkg::QUEUE_MODE_PIPED;
    if (configured_i) owner_mem[configure_queue_i[QUEUE_WIDTH-1:0]] <= configured_setup_i[7:4];
  end

  assign pipe_queue_o  = 8'(choice);
  assign watch_o       = receives;
  assign watch_queue_o = receive_queue;
  always_comb begin
    due = '0;
    if (pipe_due_i) due[pipe_due_queue_i[QUEUE_WIDTH-1:0]] = 1'b1;
  end
  always_ff @(posedge clk_i) if (pipe_due_i) address_mem[pipe_due_queue_i[QUEUE_WIDTH-1:0]] <= pipe_address_i;

  mu_engine_turns #(
      .QUEUES(QUEUES)
  ) u_pipe_turns (
      .clk_i, .rst_ni, .busy_o(turns_busy), .due_i(due), .flush_i(configure_valid_i),
      .flush_queue_i(configure_queue_i[QUEUE_WIDTH-1:0]), .flush_o(flush_waiting), .queue_o(queue),
      .choose_o(pipe_read_o), .choice_o(choice),
      .start_valid_o(start), .start_ready_i(!configured_i), .running_o(turn_taken), .done_i(done)
  );

  mu_pipe #(
      .QUEUES(QUEUES)
  ) u_pipe (
      .clk_i, .rst_ni, .busy_o(pipe_busy), .start_valid_i(start && !configured_i),
      .start_held_i(held_i[queue]), .start_piped_i(is_piped), .start_queue_i(queue),
      .start_address_i(address_mem[queue]), .descriptor_i(pipe_data_i), .flush_i, .configured_i,
      .configure_queue_i(8'(configure_queue_i[QUEUE_WIDTH-1:0])), .running_o(running),
      .receives_o(receives), .done_o(done),
      .end_valid_o(pipe_end_valid_o), .end_ready_i(pipe_end_ready_i), .end_o(pipe_end_o),
      .receive_queue_o(receive_queue), .buffer_valid_o(pipe_buffer_valid), .buffer_ready_i(!buffer_valid_i),
      .buffer_o(pipe_buffer), .stop_valid_o(stop), .stop_ready_i(!flush_i && !configured_i),
      .receive_end_i(receive_end_valid_i && of_pipe_receive), .receive_status_i(receive_end_i.status),
      .receive_bytes_i(receive_result_i.bytes), .arriving_valid_i, .arriving_bytes_i,
      .begin_valid_o(pipe_begin), .begin_ready_i(!begin_i), .begin_sent_o(pipe_begin_sent),
      .may_ahead_i(may_ahead_o[queue]), .second_i(second[queue]),
      .again_i(sends_again_valid && of_pipe_again), .again_ready_o(again_ready),
      .send_end_i(sends_end_valid && of_pipe_send), .send_status_i(sends_end.status),
      .out_valid_o(pipe_out_valid), .out_ready_i, .out_data_o(pipe_out), .hold_o, .spoil_o
  );
  logic unused;
  assign unused = ^{flush_waiting, turn_taken, begin_queue_i, pipe_due_queue_i, receive_result_i.word,
                    configured_setup_i[3], operation};

  assign busy_o = sends_busy || fences_busy || pipe_busy || turns_busy;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      pipe_goes_first : assert (!pipe_out_valid || !in_ready_o);
      pipe_of_a_turn : assert (!running || turn_taken);
      one_who_resets : assert (!(reset_o && stop_o));
      configures_what_exists : assert (!(flush_i || configured_i) || 32'(configure_queue_i) < QUEUES);
      // For proofs that leave out the blocks that tell.
      tells_of_a_queue : assert (!send_end_valid_o || 32'(send_end_o.queue) < QUEUES);
      pipe_gives_bytes_and_nothing_to_tell :
      assert (!pipe_buffer_valid || pipe_buffer >> (mu_pkg::RECEIVE_BUFFER_LENGTH_LSB + 32) == '0);
    end
  end
endmodule
`default_nettype wire

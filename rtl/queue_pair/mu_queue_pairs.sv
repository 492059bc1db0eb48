// SPDX-License-Identifier: Apache-2.0
// mu_queue_pairs: what queue pairs do beyond the queues: SENDs until acknowledged, PIPEs; and FENCEs.
//
//   cross-channel control <--- begin, end, again ---> [ mu_outstanding_requests ] <--- answers
//   in (descriptors) -----------+---> out <--- done messages |
//                               |          SENDs of PIPEs   |
//   pipe_due, pipe_end <-------------> [ mu_pipes ] --------+
//   buffer, receive_end <-----------------/ \---> reset (of their receive queues)
//
// Behaviour: what concerns the send queue or the receive queue of a PIPE that runs goes to it, everything
//   else to cross-channel control. Buffers, beginnings and resets of cross-channel control go first,
//   descriptors of PIPEs before others, and before descriptors those RECEIVEs that have left a
//   dynamically connected queue and whose message is done.
// Latency: see the blocks; descriptors, buffers and ends pass in the same cycle.
// Limits: four PIPEs run at a time, others wait for their turn.
`default_nettype none

module mu_queue_pairs (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    output logic                                busy_o,
    input  mu_pkg::cycle_t                      now_i,
    output mu_pkg::cycle_t                      wake_at_o,
    input  mu_pkg::node_limits_t                limits_i,   // of these send_retry_cycles, send_retries
    input  logic [mu_pkg::INJECTION_QUEUES-1:0] dynamic_i,  // queues that are dynamically connected
    // queue engine
    input  mu_pkg::queue_configure_t            configure_i,
    // descriptors on their way to the packetiser
    input  logic                                in_valid_i,
    output logic                                in_ready_o,
    input  mu_pkg::fetched_descriptor_t         in_data_i,
    output logic                                out_valid_o,
    input  logic                                out_ready_i,
    output mu_pkg::fetched_descriptor_t         out_data_o,
    // cross-channel control
    input  mu_pkg::pair_command_t               command_i,
    input  mu_pkg::send_begin_t                 begin_i,  // fence: also of what is cut
    output mu_pkg::pair_ends_t                  ends_o,
    input  mu_pkg::pair_ends_ready_t            ends_ready_i,
    output logic [mu_pkg::INJECTION_QUEUES-1:0] may_ahead_o,
    output logic [mu_pkg::INJECTION_QUEUES-1:0] fence_ahead_o,  // a FENCE may
    output logic [mu_pkg::INJECTION_QUEUES-1:0] under_way_o,    // a SEND or FENCE has
    input  logic [mu_pkg::INJECTION_QUEUES-1:0] held_i,
    output mu_pkg::pipe_reads_t                 pipe_reads_o,
    input  mu_pkg::pipe_answers_t               pipe_answers_i,
    // receive queues
    output mu_pkg::buffer_offer_t               buffer_o,
    output mu_pkg::pair_reset_t                 reset_o,
    input  mu_pkg::received_end_t               receive_end_i,
    output logic                                receive_end_ready_o,
    output mu_pkg::queue_select_t               watch_o,          // the receive queue of a PIPE
    input  mu_pkg::arriving_message_t           arriving_i,       // there
    input  logic                                message_valid_i,  // in a context: done
    output logic                                message_ready_o,
    input  mu_pkg::received_message_t           message_i,
    // packetiser: the copy that it cuts
    input  mu_pkg::number_request_t             number_i,
    output mu_pkg::send_number_t                number_o,
    input  mu_pkg::send_progress_t              progress_i,
    output mu_pkg::send_hold_t                  hold_o,
    // reception engine, injection completion
    input  mu_pkg::send_outcome_t               answer_i,
    input  mu_pkg::queue_peer_t                 answer_peer_i,  // of the queue that answer_i names
    input  mu_pkg::send_outcome_t               failure_i
);
  localparam int unsigned QUEUES = mu_pkg::INJECTION_QUEUES;
  localparam int unsigned QUEUE_WIDTH = $clog2(QUEUES);

  // --- what is a PIPE's ---
  logic pipes_busy, requests_busy, end_valid, again_valid, of_pipe_send, of_pipe_again, of_pipe_receive;
  logic [QUEUE_WIDTH-1:0] again_queue, pipe_queue;
  logic [7:0] stop_queue;
  mu_pkg::queue_end_t send_end;
  logic begin_ready, again_ready, pipe_begin, pipe_begin_ready, pipe_begin_sent, pipe_buffer_valid, stop;
  logic pipe_out_valid, flush, configured, stops, begins;
  logic [QUEUE_WIDTH-1:0] configure_queue, begin_queue;
  mu_pkg::receive_buffer_t pipe_buffer;
  mu_pkg::fetched_descriptor_t pipe_out;
  assign ends_o.send_valid    = end_valid && !of_pipe_send;
  assign ends_o.send          = send_end;
  assign ends_o.again_valid   = again_valid && !of_pipe_again;
  assign ends_o.again_queue   = 8'(again_queue);
  assign ends_o.receive_valid = receive_end_i.valid && !of_pipe_receive;
  assign ends_o.receive       = receive_end_i.ending;
  assign receive_end_ready_o  = of_pipe_receive || ends_ready_i.receive;
  // What the packetiser reports is served at once.
  assign pipe_begin_ready     = !begins && !progress_i.goes_ahead && !progress_i.left && begin_ready;

  assign buffer_o.valid     = command_i.buffer_valid || pipe_buffer_valid;
  assign buffer_o.buffer    = command_i.buffer_valid ? command_i.buffer : pipe_buffer;
  assign reset_o.reset      = flush;
  assign reset_o.stop       = stops;
  assign reset_o.queue      = stops ? stop_queue : configure_i.queue;
  assign reset_o.configured = configured;
  assign reset_o.receives   = configure_i.setup[2:0] >= mu_pkg::QUEUE_MODE_RECEIVE;
  assign flush              = command_i.flush;
  assign configured         = configure_i.written;
  assign configure_queue    = configure_i.queue[QUEUE_WIDTH-1:0];
  assign stops              = stop && !flush && !configured;
  assign begins             = command_i.send_begin;
  assign begin_queue        = begin_i.queue[QUEUE_WIDTH-1:0];

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

  mu_outstanding_requests #(
      .QUEUES(QUEUES)
  ) u_outstanding_requests (
      .clk_i, .rst_ni, .busy_o(requests_busy), .now_i, .wake_at_o,
      .retry_cycles_i(limits_i.send_retry_cycles), .retries_i(limits_i.send_retries), .dynamic_i,
      .begin_valid_i(begins || (pipe_begin && pipe_begin_ready)), .begin_ready_o(begin_ready),
      .begin_fence_i(begins && begin_i.fence), .begin_queue_i(begins ? begin_queue : pipe_queue),
      .begin_sent_i(begins ? begin_i.sent : pipe_begin_sent), .begin_node_i(begin_i.node),
      .begin_index_i(begin_i.index), .cancel_i(flush), .configured_i(configured),
      .configure_queue_i(configure_queue), .may_ahead_o, .fence_ahead_o, .under_way_o,
      .end_valid_o(end_valid), .end_ready_i(of_pipe_send || ends_ready_i.send), .end_o(send_end),
      .again_valid_o(again_valid), .again_ready_i(of_pipe_again ? again_ready : ends_ready_i.again),
      .again_queue_o(again_queue), .number_queue_i(number_i.queue), .number_ahead_i(number_i.ahead),
      .number_o(number_o.number), .doubtful_o(number_o.doubtful), .broken_o(number_o.broken),
      .ahead_good_o(number_o.ahead_good), .ahead_fence_i(begin_i.fence),
      .ahead_i(progress_i.goes_ahead), .left_i(progress_i.left), .answer_valid_i(answer_i.valid),
      .answer_i(answer_i.answer), .answer_peer_i, .failure_i
  );

  // --- PIPEs ---
  // A receive queue may have been configured since it was looked at.
  logic [QUEUES-1:0] piped_q;  // in mode PIPED
  logic [3:0] owner_mem[QUEUES];
  logic is_piped;
  mu_pkg::fetched_descriptor_t pipe_data;
  mu_pkg::pipe_operation_t operation;
  assign pipe_data = pipe_answers_i.held;
  assign operation = pipe_data.descriptor.immediate;
  assign is_piped  = operation.origin || (piped_q[operation.receive_queue[QUEUE_WIDTH-1:0]] &&
      owner_mem[operation.receive_queue[QUEUE_WIDTH-1:0]] == pipe_data.owner &&
      !dynamic_i[operation.receive_queue[QUEUE_WIDTH-1:0]]);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) piped_q <= '0;
    else if (configured)
      piped_q[configure_queue] <= configure_i.setup[2:0] == mu_pkg::QUEUE_MODE_PIPED;
    if (configured) owner_mem[configure_queue] <= configure_i.setup[7:4];
  end

  mu_pipes #(
      .QUEUES(QUEUES)
  ) u_pipes (
      .clk_i, .rst_ni, .busy_o(pipes_busy), .command_i, .configure_i, .held_i, .reads_o(pipe_reads_o),
      .answers_i(pipe_answers_i), .piped_i(is_piped), .end_valid_o(ends_o.pipe_valid),
      .end_ready_i(ends_ready_i.pipe), .end_o(ends_o.pipe), .buffer_valid_o(pipe_buffer_valid),
      .buffer_ready_i(!command_i.buffer_valid), .buffer_o(pipe_buffer), .stop_valid_o(stop),
      .stop_ready_i(!flush && !configured), .stop_queue_o(stop_queue), .receive_end_i,
      .receive_mine_o(of_pipe_receive), .watch_o, .arriving_i, .begin_valid_o(pipe_begin),
      .begin_ready_i(pipe_begin_ready), .begin_queue_o(pipe_queue), .begin_sent_o(pipe_begin_sent),
      .may_ahead_i(may_ahead_o), .under_way_i(under_way_o), .again_valid_i(again_valid),
      .again_queue_i(again_queue), .again_mine_o(of_pipe_again), .again_ready_o(again_ready),
      .send_end_valid_i(end_valid), .send_end_i(send_end), .send_mine_o(of_pipe_send),
      .out_valid_o(pipe_out_valid), .out_ready_i, .out_data_o(pipe_out), .hold_o
  );
  logic unused;
  assign unused = ^{begin_i, command_i, configure_i, limits_i, operation, pipe_data,
                    receive_end_i.result.word};

  assign busy_o = requests_busy || pipes_busy;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      pipe_goes_first : assert (!pipe_out_valid || !in_ready_o);
      one_who_resets : assert (!(reset_o.reset && reset_o.stop));
      configures_what_exists : assert (!(flush || configured) || 32'(configure_i.queue) < QUEUES);
      // For proofs that leave out the blocks that tell.
      tells_of_a_queue : assert (!ends_o.send_valid || 32'(ends_o.send.queue) < QUEUES);
      pipe_gives_bytes_and_nothing_to_tell :
      assert (!pipe_buffer_valid || pipe_buffer >> (mu_pkg::RECEIVE_BUFFER_LENGTH_LSB + 32) == '0);
    end
  end
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_pipes: runs PIPEs, some at a time, and says which events are theirs (US 9,344,490).
//
//   due ---> [ turns ] ---> start ---> [ mu_pipe, PIPES of them ] ---> buffer, stop (receive queues)
//              ^ blocked                  |         |       \------> begin (SENDs), end
//              \--- until one has ended --/         v copies
//   reads, answers <-------------------------- [ view ] ---> out
//        \-----------> [ mu_pipe_list ] ---> places of listed buffers
//
// Behaviour: a PIPE that is due starts when its turn has come and one of the PIPES is free. While another
//   receives from the same queue it is blocked, and has a turn again when one has ended. The ends of SENDs
//   and of messages and retransmissions are told to the PIPE whose queue they name (..._mine_o), messages
//   that arrive to the one that started while no other was watched. A copy of a SEND goes out in turn, as the
//   held descriptor with its own piece, or its own buffer of the list. Of several that begin a SEND, stop or
//   end in a cycle the lowest does; of those that give a buffer the lowest, behind that another. Nothing
//   starts in a cycle in which a config is written. An end waits until it is told, when its PIPE has made
//   room for another; a flush of its queue takes it away. No PIPE ends in a cycle of a flush.
// Latency: due to the start of a PIPE 4 cycles; a copy is out a cycle after its PIPE has it, and so are a
//   buffer and its end.
// Limits: those of mu_pipe and mu_pipe_list. A queue is due again only after the end of its PIPE was told.
//   Whoever flushes takes no end in that cycle.
//   answers_i.held is the held descriptor of the queue in reads_o.held, from the next cycle on until another
//   is read; piped_i is of that.
`default_nettype none

module mu_pipes #(
    parameter  int unsigned QUEUES      = 32,
    parameter  int unsigned PIPES       = mu_pkg::PIPES,
    localparam int unsigned QUEUE_WIDTH = $clog2(QUEUES)
) (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    output logic                        busy_o,
    // cross-channel control
    input  mu_pkg::pair_command_t       command_i,      // a PIPE is due; flush
    input  mu_pkg::queue_configure_t    configure_i,
    input  logic [QUEUES-1:0]           held_i,
    output mu_pkg::pipe_reads_t         reads_o,
    input  mu_pkg::pipe_answers_t       answers_i,
    input  logic                        piped_i,        // its receive queue may be used
    output logic                        end_valid_o,
    input  logic                        end_ready_i,
    output mu_pkg::queue_end_t          end_o,
    // receive queues
    output logic                        buffer_valid_o,
    input  logic                        buffer_ready_i,
    output mu_pkg::receive_buffer_t     buffer_o,
    output logic                        stop_valid_o,
    input  logic                        stop_ready_i,
    output logic [                 7:0] stop_queue_o,
    input  mu_pkg::received_end_t       receive_end_i,
    output logic                        receive_mine_o,
    output mu_pkg::queue_select_t       watch_o,
    input  mu_pkg::arriving_message_t   arriving_i,
    // send queues
    output logic                        begin_valid_o,
    input  logic                        begin_ready_i,
    output logic [     QUEUE_WIDTH-1:0] begin_queue_o,
    output logic                        begin_sent_o,
    input  logic [          QUEUES-1:0] may_ahead_i,
    input  logic [          QUEUES-1:0] under_way_i,
    input  logic                        again_valid_i,
    input  logic [     QUEUE_WIDTH-1:0] again_queue_i,
    output logic                        again_mine_o,
    output logic                        again_ready_o,
    input  logic                        send_end_valid_i,
    input  mu_pkg::queue_end_t          send_end_i,
    output logic                        send_mine_o,
    // packetiser
    output logic                        out_valid_o,
    input  logic                        out_ready_i,
    output mu_pkg::fetched_descriptor_t out_data_o,
    output mu_pkg::send_hold_t          hold_o
);
  localparam int unsigned INDEX_WIDTH = PIPES > 1 ? $clog2(PIPES) : 1;
  localparam int unsigned BUFFER_BITS = mu_pkg::RECEIVE_BUFFER_BITS;
  localparam int unsigned COPY_BITS   = mu_pkg::PIPE_COPY_BITS;
  localparam int unsigned ASK_BITS    = mu_pkg::PIPE_LIST_ASK_BITS;
  if (PIPES < 1) $error("mu_pipes: PIPES must be at least 1");

  typedef enum logic [1:0] {
    VIEW_IDLE,
    VIEW_START,  // of the PIPE that has the turn
    VIEW_COUNT,  // it has started, and counts its buffers
    VIEW_OUT     // a copy goes out
  } view_e;

  // --- of each PIPE ---
  logic [PIPES-1:0] running, counting, receives, busy, end_valid, buffer_valid, stop_valid, begin_valid;
  logic [PIPES-1:0] again_ready, copies, starts, of_receive, of_send, of_again;
  logic [PIPES-1:0] ran_q, watched_q, offers, may_give, list_reads, listed, list_grant, list_end;
  logic [PIPES*4-1:0] numbers;  // of the buffers that they give next
  logic [PIPES*2-1:0] holds;
  logic [PIPES*16-1:0] ends;           // status, queue
  logic [PIPES*9-1:0] receive_queues;  // valid, queue
  logic [PIPES*BUFFER_BITS-1:0] buffers;
  logic [PIPES*COPY_BITS-1:0] outs;
  logic [PIPES*ASK_BITS-1:0] asks;

  // --- of several the lowest, or in turn the next ---
  logic [PIPES-1:0] end_grant, buffer_grant, stop_grant, begin_grant, copy_grant;
  logic [INDEX_WIDTH-1:0] copy_index, copy_q;
  logic copy_valid;
  assign end_grant    = ends_one ? end_valid & (~end_valid + 1'b1) : '0;
  assign offers       = buffer_valid & may_give;
  assign stop_grant   = stop_valid & (~stop_valid + 1'b1);
  assign begin_grant  = begin_valid & (~begin_valid + 1'b1);

  // An end is kept until it is told, so that who is told begins with a register; a flush takes it away.
  logic ends_one, told_valid_q, told_flushed;
  mu_pkg::queue_end_t told_q;
  assign ends_one     = !told_valid_q && !command_i.flush;
  assign told_flushed = command_i.flush && told_q.queue == 8'(configure_queue);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) told_valid_q <= 1'b0;
    else if (told_valid_q) told_valid_q <= !end_ready_i && !told_flushed;
    else told_valid_q <= end_grant != '0;
  end
  always_ff @(posedge clk_i) if (!told_valid_q) told_q <= ending;

  // Who gives a buffer is chosen in the cycle before, for what receive queues do with it is long.
  logic [PIPES-1:0] chosen_q, others;
  assign buffer_grant = chosen_q & offers;
  assign others       = offers & ~chosen_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) chosen_q <= '0;
    else if (buffer_grant == '0 || buffer_ready_i) chosen_q <= others & (~others + 1'b1);
  end

  // --- turns: one that has started keeps the turn until another could ---
  logic [QUEUES-1:0] due, blocked_q, flushed;
  logic [mu_pkg::ADDRESS_BITS-1:0] address_mem[QUEUES];
  logic [QUEUE_WIDTH-1:0] due_queue, turn_queue, configure_queue;
  logic begins, turns_busy, offered, turn_taken, flush_waiting, chooses, ended;
  logic [QUEUE_WIDTH-1:0] choice;
  assign due_queue       = command_i.buffer.queue[QUEUE_WIDTH-1:0];
  assign configure_queue = configure_i.queue[QUEUE_WIDTH-1:0];
  assign flushed         = QUEUES'(command_i.flush) << configure_queue;
  always_comb begin
    due = ended ? blocked_q & ~flushed : '0;
    if (command_i.pipe_due) due[due_queue] = 1'b1;
  end
  always_ff @(posedge clk_i)
    if (command_i.pipe_due) address_mem[due_queue] <= command_i.buffer.address;

  logic start_ready;
  mu_engine_turns #(
      .QUEUES(QUEUES)
  ) u_turns (
      .clk_i, .rst_ni, .busy_o(turns_busy), .due_i(due), .flush_i(configure_i.pending),
      .flush_queue_i(configure_queue), .flush_o(flush_waiting), .queue_o(turn_queue),
      .choose_o(chooses), .choice_o(choice), .start_valid_o(offered), .start_ready_i(start_ready),
      .running_o(turn_taken), .done_i(turn_taken && running != '1)
  );

  // --- the view of a held descriptor: to start, or to go out ---
  view_e view_q;
  logic held, blocked, waits, watches, drops;
  logic [QUEUE_WIDTH-1:0] copy_queue;
  mu_pkg::fetched_descriptor_t descriptor;
  mu_pkg::pipe_operation_t operation;
  assign descriptor = answers_i.held;
  assign operation  = descriptor.descriptor.immediate;
  assign held      = held_i[turn_queue];
  assign waits     = configure_i.written;
  assign ended     = (ran_q & ~running) != '0;
  assign watches   = (watched_q & receives) == '0;
  always_comb begin
    blocked    = 1'b0;
    copy_queue = '0;
    for (int unsigned i = 0; i < PIPES; i++) begin
      if (running[i] && receive_queues[i*9+:9] == {!operation.origin, operation.receive_queue})
        blocked = held && !operation.origin;
      if (copy_grant[i]) copy_queue = copy_queue | ends[i*16+:QUEUE_WIDTH];
    end
  end
  // What was flushed while the view was not free has no turn any more.
  assign drops       = !held && view_q != VIEW_START;
  assign start_ready = drops || (view_q == VIEW_START && !waits);
  assign starts      = view_q == VIEW_START && !waits && !blocked ? ~running & (running + 1'b1) : '0;

  mu_arbiter #(
      .COUNT(PIPES)
  ) u_copies (
      .clk_i, .rst_ni, .request_i(view_q == VIEW_IDLE && !begins ? copies : '0), .valid_o(copy_valid),
      .grant_o(copy_grant), .index_o(copy_index), .accept_i(1'b1)
  );

  assign begins       = offered && held;
  assign reads_o.held.valid = view_q == VIEW_IDLE && (begins || copy_valid);
  assign reads_o.held.queue = begins ? 8'(turn_queue) : 8'(copy_queue);
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      view_q    <= VIEW_IDLE;
      blocked_q <= '0;
      ran_q     <= '0;
      watched_q <= '0;
    end else if (busy_o || running != '0 || ran_q != '0 || command_i.pipe_due) begin
      unique case (view_q)
        VIEW_IDLE:  if (reads_o.held.valid) view_q <= begins ? VIEW_START : VIEW_OUT;
        VIEW_START: if (!waits) view_q <= starts != '0 ? VIEW_COUNT : VIEW_IDLE;
        VIEW_COUNT: if (counting == '0) view_q <= VIEW_IDLE;
        default:    if (!out_valid_o || out_ready_i) view_q <= VIEW_IDLE;
      endcase
      ran_q <= running;
      // Watched from the start on, or never: packets that are under way are counted from there.
      if (starts != '0 && watches) watched_q <= starts;
      if (ended) blocked_q <= '0;
      if (view_q == VIEW_START && !waits && blocked) blocked_q[turn_queue] <= 1'b1;
      if (command_i.flush) blocked_q[configure_queue] <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) if (copy_valid) copy_q <= copy_index;

  logic [mu_pkg::PIPE_START_BITS-2:0] start;
  mu_pkg::status_e list_status;
  assign start = {piped_i, held, address_mem[turn_queue], 8'(turn_queue)};
  for (genvar i = 0; i < PIPES; i++) begin : gen_pipe
    logic [QUEUE_WIDTH-1:0] queue;
    assign queue         = ends[i*16+:QUEUE_WIDTH];
    assign {list_reads[i], listed[i], numbers[i*4+:4]} = asks[i*ASK_BITS+:ASK_BITS];
    assign of_receive[i] = receives[i] && receive_end_i.ending.queue == receive_queues[i*9+:8];
    assign of_send[i]    = running[i] && send_end_i.queue[QUEUE_WIDTH-1:0] == queue;
    assign of_again[i]   = running[i] && again_queue_i == queue;
    mu_pipe #(
        .QUEUES(QUEUES)
    ) u_pipe (
        .clk_i, .rst_ni, .busy_o(busy[i]), .start_i({starts[i], start}), .descriptor_i(descriptor),
        .counting_o(counting[i]), .flush_i(command_i.flush), .configured_i(configure_i.written),
        .configure_queue_i(8'(configure_queue)), .running_o(running[i]), .receives_o(receives[i]),
        .end_valid_o(end_valid[i]), .end_ready_i(end_grant[i]), .end_o(ends[i*16+:16]),
        .receive_queue_o(receive_queues[i*9+:9]), .buffer_valid_o(buffer_valid[i]),
        .buffer_ready_i(buffer_grant[i] && buffer_ready_i), .buffer_o(buffers[i*BUFFER_BITS+:BUFFER_BITS]),
        .stop_valid_o(stop_valid[i]), .stop_ready_i(stop_grant[i] && stop_ready_i),
        .receive_end_i(receive_end_i.valid && of_receive[i]), .receive_status_i(receive_end_i.ending.status),
        .receive_bytes_i(receive_end_i.result.bytes), .arriving_valid_i(watched_q[i] && arriving_i.valid),
        .arriving_bytes_i(arriving_i.bytes), .begin_valid_o(begin_valid[i]),
        .begin_ready_i(begin_grant[i] && begin_ready_i), .may_ahead_i(may_ahead_i[queue]),
        .second_i(under_way_i[queue]), .again_i(again_valid_i && of_again[i]),
        .again_ready_o(again_ready[i]), .send_end_i(send_end_valid_i && of_send[i]),
        .send_status_i(send_end_i.status), .out_valid_o(copies[i]),
        .out_ready_i, .out_turn_i(view_q == VIEW_OUT && copy_q == INDEX_WIDTH'(i)),
        .out_o(outs[i*COPY_BITS+:COPY_BITS]), .hold_o(holds[i*2+:2]), .list_o(asks[i*ASK_BITS+:ASK_BITS]),
        .list_i({list_end[i], list_status})
    );
  end

  // --- lists of buffers ---
  mu_pkg::address_t place_address;
  mu_pkg::receive_buffer_t list_request;
  logic [31:0] place_bytes;
  logic [36:0] list_offset;
  logic [7:0] list_region;
  logic lists_busy;
  mu_pkg::pipe_copy_t reads_copy;  // that goes out next
  always_comb begin
    list_request = '0;
    reads_copy   = '0;
    for (int unsigned i = 0; i < PIPES; i++) begin
      if (list_grant[i]) list_request = list_request | buffers[i*BUFFER_BITS+:BUFFER_BITS];
      if (copy_grant[i]) reads_copy = reads_copy | outs[i*COPY_BITS+:COPY_BITS];
    end
  end
  mu_pipe_list #(
      .PIPES(PIPES)
  ) u_list (
      .clk_i, .rst_ni, .busy_o(lists_busy), .read_i(list_reads), .grant_o(list_grant),
      .request_i(list_request), .end_o(list_end), .status_o(list_status), .listed_i(listed),
      .gives_i(buffer_valid), .numbers_i(numbers), .may_give_o(may_give),
      .given_i(buffer_ready_i ? buffer_grant : '0), .place_address_o(place_address),
      .place_bytes_o(place_bytes), .copy_read_i(copy_valid && reads_copy.listed),
      .copy_pipe_i(copy_index), .copy_number_i(reads_copy.number), .copy_region_o(list_region),
      .copy_offset_o(list_offset), .reads_o(reads_o.list), .answers_i(answers_i.list)
  );

  // --- what they show together ---
  mu_pkg::receive_buffer_t buffer;
  logic [15:0] ending;
  logic [8:0] watched;
  logic [1:0] hold;
  always_comb begin
    buffer        = '0;
    begin_queue_o = '0;
    stop_queue_o  = '0;
    ending        = '0;
    watched       = '0;
    hold          = '0;
    if (running != '0) begin
      for (int unsigned i = 0; i < PIPES; i++) begin
        if (buffer_grant[i]) buffer = buffer | buffers[i*BUFFER_BITS+:BUFFER_BITS];
        if (begin_grant[i]) begin_queue_o = begin_queue_o | ends[i*16+:QUEUE_WIDTH];
        if (stop_grant[i]) stop_queue_o = stop_queue_o | receive_queues[i*9+:8];
        if (end_grant[i]) ending = ending | ends[i*16+:16];
        if (watched_q[i] && receives[i]) watched = watched | {1'b1, receive_queues[i*9+:8]};
      end
    end
    if ((buffer_grant & listed) != '0) {buffer.address, buffer.length} = {place_address, 5'd0, place_bytes};
    // What has gone out is held or spoiled to its end, though its PIPE may have been flushed; whether a PIPE
    // is busy comes too late in the cycle to be asked.
    for (int unsigned i = 0; i < PIPES; i++) hold = hold | holds[i*2+:2];
  end
  assign buffer_valid_o = buffer_grant != '0;
  assign buffer_o       = buffer;
  assign stop_valid_o   = stop_valid != '0;
  assign begin_valid_o  = begin_valid != '0;
  assign begin_sent_o   = under_way_i[begin_queue_o];
  assign end_valid_o    = told_valid_q;
  assign end_o          = told_q;
  assign receive_mine_o = of_receive != '0;
  assign send_mine_o    = of_send != '0;
  assign again_mine_o   = of_again != '0;
  assign again_ready_o  = (of_again & again_ready) != '0;
  assign watch_o        = watched;
  assign hold_o         = hold;
  assign busy_o         = busy != '0 || turns_busy || ended || lists_busy || told_valid_q ||
      view_q != VIEW_IDLE;

  mu_pkg::pipe_copy_t copy;
  always_comb begin
    copy = '0;
    for (int unsigned i = 0; i < PIPES; i++)
      if (copy_q == INDEX_WIDTH'(i)) copy = copy | outs[i*COPY_BITS+:COPY_BITS];
  end
  assign out_valid_o = view_q == VIEW_OUT && copies[copy_q];
  always_comb begin
    out_data_o = '0;
    if (out_valid_o) begin
      out_data_o       = descriptor;
      out_data_o.again = 1'b1;
      out_data_o.ahead = copy.ahead;
      out_data_o.run   = 1'b0;
      out_data_o.descriptor.opcode        = mu_pkg::OPCODE_SEND;
      out_data_o.descriptor.immediate     = '0;
      out_data_o.descriptor.source_offset = descriptor.descriptor.source_offset + copy.offset;
      out_data_o.descriptor.length        = {5'b0, copy.length};
      if (copy.listed) begin
        out_data_o.descriptor.source_region = list_region;
        out_data_o.descriptor.source_offset = list_offset;
      end
    end
  end

  logic unused;
  assign unused = ^{flush_waiting, chooses, choice, command_i, configure_i, receive_end_i.result.word,
                    operation, copy, reads_copy};

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      offers_what_can_start : assert (!offered || running != '1);
      starts_one : assert ($onehot0(starts));
      cuts_one : assert ($countones(holds) <= 1);
      one_receives_from_a_queue : assert ($onehot0(of_receive));
      one_holds_a_queue : assert ($onehot0(of_send) && $onehot0(of_again));
      blocked_until_one_ends : assert (blocked_q == '0 || running != '0 || ended);
      watches_one : assert ($onehot0(watched_q));
    end
  end
endmodule
`default_nettype wire

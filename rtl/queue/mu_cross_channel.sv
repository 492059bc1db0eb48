// SPDX-License-Identifier: Apache-2.0
// mu_cross_channel: cross-channel control: what holds its queue, while others go on (US 9,344,490).
//
//   in (fetched) ---> [ held queues ] ---> out (to the packetiser)
//                       ^ take   ^ finished
//   held (judged) --> [ attach ] |
//                       v set    | met
//                     [ wait table ] <--- event counters, descriptors done, completion entries
//   calc <---> the engine that runs a CALC;  send <---> acknowledgements;  receive <---> receive queues
//
// Behaviour: a WAIT that the packetiser has judged is attached: its queue is stopped, its entry is set, and
//   then its count is shown once, by adding zero to the event counter or by looking at the queue waited
//   for, so that a count that was reached before is found and one that is reached meanwhile is not missed.
//   The threshold is value + step * lap, plus the last threshold of the queue if relative. A queue may wait
//   for descriptors done of a queue, or entries of a completion queue, of its own client only: else
//   QUEUE_INVALID. A CALC waits for all descriptors before it to be done, for it may write what they read,
//   and is handed to its engine. A SEND holds its queue until send_end, a RECEIVE, whose buffer is offered,
//   until receive_end; a SEND, RECEIVE or FENCE behind it may go ahead meanwhile. A PIPE, whose
//   receive queue, if it has one, must be one of its client in mode PIPED, is handed on and holds its queue
//   until pipe_end. configure: what is held, but for a CALC that has begun, ends with FLUSHED.
// Latency: held to set 3 cycles, and 2 to 5 more to the end of a WAIT whose count is reached already; count
//   reached to out 3.
// Limits: what is held has passed mu_descriptor_check. A hold is asked for at once, and not taken in that
//   cycle.
`default_nettype none

module mu_cross_channel (
    input  logic                        clk_i,
    input  logic                        rst_ni,
    output logic                        busy_o,
    output logic                        waiting_o,  // a change of a count matters
    // queue engine
    input  logic                        in_valid_i,
    output logic                        in_ready_o,
    input  mu_pkg::fetched_descriptor_t in_data_i,
    output mu_pkg::queue_requests_t     requests_o,
    input  mu_pkg::queue_events_t       events_i,
    output logic [                 7:0] probe_queue_o,
    input  mu_pkg::queue_probe_t        probe_i,
    // packetiser
    output logic                        out_valid_o,
    input  logic                        out_ready_i,
    output mu_pkg::fetched_descriptor_t out_data_o,
    input  mu_pkg::held_request_t       held_i,
    output logic                        held_ready_o,
    input  mu_pkg::fetched_descriptor_t held_data_i,
    // counters; operation: plus zero to the event counter probe_queue_o
    input  mu_pkg::event_change_t       event_change_i,
    input  logic [                 7:0] waited_index_0_i,
    input  logic [                 7:0] waited_index_1_i,
    output logic                        waited_0_o,
    output logic                        waited_1_o,
    output logic                        operation_valid_o,
    input  logic                        operation_ready_i,
    // completion queues: entries written, and what probe_queue_o has
    input  mu_pkg::entry_counts_t       entries_i,
    output logic                        entries_ready_o,
    // queue pairs: what may go out ahead, and what has
    output mu_pkg::pair_command_t       command_o,  // flush: of the queue that events_i names
    input  mu_pkg::pair_ends_t          ends_i,
    output mu_pkg::pair_ends_ready_t    ends_ready_o,
    input  logic [mu_pkg::INJECTION_QUEUES-1:0] may_ahead_i,
    input  logic [mu_pkg::INJECTION_QUEUES-1:0] fence_ahead_i,
    input  logic [mu_pkg::INJECTION_QUEUES-1:0] under_way_i,
    output logic [mu_pkg::INJECTION_QUEUES-1:0] held_o,
    input  mu_pkg::queue_select_t       pipe_read_i,
    output mu_pkg::fetched_descriptor_t pipe_data_o,  // held in pipe_read_i, from the next cycle on
    // CALC
    output logic                        calc_valid_o,
    input  logic                        calc_ready_i,
    output mu_pkg::fetched_descriptor_t calc_data_o,
    input  mu_pkg::calc_done_t          calc_done_i,
    output logic                        calc_done_ready_o
);
  localparam int unsigned QUEUES = mu_pkg::INJECTION_QUEUES;
  localparam int unsigned QUEUE_WIDTH = $clog2(QUEUES);
  typedef enum logic [1:0] {
    STATE_IDLE,
    STATE_STOP,   // nothing more is fetched of the queue
    STATE_SET,    // it waits, its CALC or PIPE is due, or its buffer is offered
    STATE_PROBE   // the count is shown once
  } state_e;

  // --- attach: one descriptor at a time ---
  state_e     state_q;
  mu_pkg::queue_place_t place_q;
  mu_pkg::wait_operation_t operand;
  mu_pkg::pipe_operation_t pipe_operand;
  mu_pkg::receive_buffer_t buffer_q;
  logic waits_q, is_calc_q, is_receive_q, is_pipe_q, goes_ahead_q, went_ahead_q, on_queue_q;
  logic pipe_receives_q;
  logic [3:0] owner_q;
  logic [7:0] source_q;  // the event counter or queue waited for; completion queues from 128 on
  logic [31:0] threshold;
  logic [QUEUE_WIDTH-1:0] queue, calc_queue, calc_choice, flush_queue;
  logic take, waits, calculates, sends, receives, pipes, on_entries, foreign, foreign_q, set,
      probe, offers;
  logic held_taken;  // by hold
  logic [7:0] opcode;

  assign operand      = held_data_i.descriptor.immediate;
  assign pipe_operand = held_data_i.descriptor.immediate;
  assign opcode       = held_data_i.descriptor.opcode;
  assign calculates   = opcode == mu_pkg::OPCODE_CALC;
  assign waits        = opcode == mu_pkg::OPCODE_WAIT || calculates;
  assign sends        = opcode == mu_pkg::OPCODE_SEND || opcode == mu_pkg::OPCODE_FENCE;
  assign receives     = opcode == mu_pkg::OPCODE_RECEIVE;
  assign pipes        = opcode == mu_pkg::OPCODE_PIPE;
  assign queue        = place_q.queue[QUEUE_WIDTH-1:0];
  assign held_ready_o = state_q == STATE_IDLE;
  assign held_taken   = events_i.taken == mu_pkg::QUEUE_TURN_HOLD;
  assign take         = held_i.valid && held_ready_o && !held_data_i.again;
  // Asked for as soon as the descriptor is there: the queue table needs two cycles for it.
  assign requests_o.hold.valid = state_q == STATE_STOP ||
      (state_q == STATE_IDLE && held_i.valid && !held_data_i.again);
  always_comb begin
    requests_o.hold.place = place_q;
    if (state_q == STATE_IDLE) begin
      requests_o.hold.place.queue = held_data_i.queue;
      requests_o.hold.place.index = held_data_i.index;
      requests_o.hold.place.lap   = held_data_i.lap;
    end
  end
  assign on_entries   = on_queue_q && source_q[7];
  assign foreign      = on_entries ? !entries_i.probe.enable || entries_i.probe.owner != owner_q :
      is_pipe_q ? pipe_receives_q && probe_i.setup != {owner_q, mu_pkg::QUEUE_MODE_PIPED} :
      on_queue_q && (probe_i.setup[2:0] == mu_pkg::QUEUE_MODE_OFF || probe_i.setup[6:3] != owner_q);
  // Found before it is set: what it looks at does not change in the turn that stops its queue.
  always_ff @(posedge clk_i) begin
    if (state_q == STATE_IDLE) foreign_q <= 1'b0;
    else if (state_q == STATE_STOP) foreign_q <= foreign;
  end
  assign set          = state_q == STATE_SET && waits_q && !foreign_q;
  assign probe        = state_q == STATE_PROBE && on_queue_q && !events_i.done.valid;
  assign probe_queue_o     = source_q;
  assign operation_valid_o = state_q == STATE_PROBE && !on_queue_q;
  assign command_o.send_begin = take && sends;
  // Ahead only while the RECEIVE before it holds the queue; else it comes again as one that holds it.
  assign offers = state_q == STATE_SET && is_receive_q && !went_ahead_q && held_o[queue];
  assign command_o.buffer_valid = offers;
  assign command_o.buffer       = buffer_q;
  assign command_o.pipe_due     = state_q == STATE_SET && is_pipe_q && !foreign_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= STATE_IDLE;
    else begin
      unique case (state_q)
        STATE_IDLE: if (held_i.valid) state_q <= held_data_i.again ? STATE_SET : STATE_STOP;
        STATE_STOP: if (held_taken) state_q <= STATE_SET;
        STATE_SET:  state_q <= set ? STATE_PROBE : STATE_IDLE;
        default:    if (probe || (operation_valid_o && operation_ready_i)) state_q <= STATE_IDLE;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (held_i.valid && held_ready_o) begin
      place_q.queue <= held_data_i.queue;
      place_q.index <= held_data_i.index;
      place_q.lap   <= held_data_i.lap;
      waits_q      <= waits;
      is_calc_q    <= calculates;
      is_receive_q <= receives;
      is_pipe_q    <= pipes;
      pipe_receives_q <= !pipe_operand.origin;
      goes_ahead_q <= held_data_i.again;
      went_ahead_q <= held_data_i.ahead && !held_data_i.again;
      on_queue_q   <= held_data_i.descriptor.on_queue || calculates;
      owner_q      <= held_data_i.owner;
      source_q     <= calculates ? held_data_i.queue : pipes ? pipe_operand.receive_queue :
          held_data_i.descriptor.on_queue ? held_data_i.descriptor.header.target :
          held_data_i.descriptor.event_counter;
      buffer_q.queue            <= held_data_i.queue;
      buffer_q.owner            <= held_data_i.owner;
      buffer_q.address          <= held_i.address;
      buffer_q.length           <= held_data_i.descriptor.length;
      buffer_q.index            <= held_data_i.index;
      buffer_q.sequence_number  <= held_data_i.descriptor.sequence_number;
      buffer_q.done_event       <= held_data_i.descriptor.done_event;
      buffer_q.done_event_valid <= held_data_i.descriptor.done_event_valid;
      buffer_q.interrupt_done   <= held_data_i.descriptor.interrupt_done;
      buffer_q.signal           <= held_data_i.descriptor.signal;
    end
  end
  mu_wait_threshold u_wait_threshold (  // of a CALC: as many descriptors done as there are before it
      .clk_i, .rst_ni, .take_i(held_i.valid && held_ready_o),
      .queue_i(held_data_i.queue[QUEUE_WIDTH-1:0]),
      .value_i(calculates ? held_data_i.index : operand.value), .step_i(calculates ? '0 : operand.step),
      .lap_i(held_data_i.lap), .relative_i(held_data_i.descriptor.relative), .threshold_o(threshold),
      .keep_i(set && !is_calc_q), .clear_i(events_i.configure.written), .clear_queue_i(flush_queue)
  );

  // --- what holds a queue, and until when ---
  logic [QUEUES-1:0] is_calc_held_q, is_pair_held_q, is_receive_held_q, receive_ahead_q, waiting, met, held;
  logic calc_busy, calc_read, calc_running, held_busy;
  assign held_o = held;
  // Said as a queue begins to be held, and looked at only while it is.
  always_ff @(posedge clk_i) begin
    if (take) begin
      is_calc_held_q[held_data_i.queue[QUEUE_WIDTH-1:0]]    <= calculates;
      is_receive_held_q[held_data_i.queue[QUEUE_WIDTH-1:0]] <= receives;
      is_pair_held_q[held_data_i.queue[QUEUE_WIDTH-1:0]]    <= !waits;
      receive_ahead_q[held_data_i.queue[QUEUE_WIDTH-1:0]]   <= 1'b0;
    end
    if (offers && goes_ahead_q) receive_ahead_q[queue] <= 1'b1;
  end

  // --- ends ---
  mu_pkg::queue_end_t ending;
  logic flushes, flush_wait, flush_calc, flush_pair, refuse, attaching, finish_one;
  assign flush_queue  = events_i.configure.queue[QUEUE_WIDTH-1:0];
  assign refuse       = state_q == STATE_SET && foreign_q;
  assign attaching    = state_q != STATE_IDLE && queue == flush_queue;
  assign flushes      = events_i.configure.pending && !refuse;
  assign flush_wait   = flushes && waiting[flush_queue];
  assign flush_pair   = flushes && is_pair_held_q[flush_queue] && held[flush_queue] && !attaching;
  assign command_o.flush = flush_pair;
  mu_held_ends #(
      .QUEUES(QUEUES)
  ) u_held_ends (
      .held_i(held), .attaching_i(state_q != STATE_IDLE), .attach_queue_i(place_q.queue),
      .refuse_i(refuse), .flush_i(flush_wait || flush_calc || flush_pair),
      .flush_queue_i(events_i.configure.queue), .send_valid_i(ends_i.send_valid),
      .send_ready_o(ends_ready_o.send), .send_i(ends_i.send),
      .receive_valid_i(ends_i.receive_valid), .receive_ready_o(ends_ready_o.receive),
      .receive_i(ends_i.receive), .pipe_valid_i(ends_i.pipe_valid),
      .pipe_ready_o(ends_ready_o.pipe), .pipe_i(ends_i.pipe), .calc_valid_i(calc_done_i.valid),
      .calc_ready_o(calc_done_ready_o), .calc_i({calc_done_i.status, 8'(calc_queue)}),
      .finish_o(finish_one), .ending_o(ending)
  );

  mu_engine_turns #(
      .QUEUES(QUEUES)
  ) u_calc_turns (
      .clk_i, .rst_ni, .busy_o(calc_busy), .due_i(met & is_calc_held_q),
      .flush_i(flushes), .flush_queue_i(flush_queue),
      .flush_o(flush_calc), .queue_o(calc_queue), .choose_o(calc_read), .choice_o(calc_choice),
      .start_valid_o(calc_valid_o), .start_ready_i(calc_ready_i), .running_o(calc_running),
      .done_i(calc_done_i.valid && calc_done_ready_o)
  );

  // Counts that change, one a cycle: descriptors done, the one shown once, entries written. Those of event
  // counters beside them. The table sees them in the next cycle; without a WAIT nobody has to.
  logic count_valid, counts, event_valid_q, count_valid_q;
  logic [7:0] event_index_q, count_queue_q;
  logic [31:0] event_value_q, count_q;
  logic [7:0] count_queue;
  logic [31:0] count;
  assign entries_ready_o = !events_i.done.valid && !probe;
  assign count_valid     = events_i.done.valid || probe || entries_i.written.valid;
  always_comb begin
    count_queue = {1'b1, entries_i.written.queue[6:0]};
    count       = entries_i.written.count;
    if (events_i.done.valid) begin
      count_queue = events_i.done.queue;
      count       = events_i.done.count;
    end else if (probe) begin
      count_queue = source_q;
      count       = on_entries ? entries_i.probe.tail : probe_i.head;
    end
  end

  assign counts = set || waiting != '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {event_valid_q, count_valid_q} <= '0;
    else if (counts || event_valid_q || count_valid_q) begin
      event_valid_q <= counts && event_change_i.valid;
      count_valid_q <= counts && count_valid;
    end
  end
  always_ff @(posedge clk_i) begin
    if (counts && event_change_i.valid) begin
      event_index_q <= event_change_i.index;
      event_value_q <= event_change_i.value;
    end
    if (counts && count_valid) begin
      count_queue_q <= count_queue;
      count_q       <= count;
    end
  end
  mu_wait_table #(
      .QUEUES(QUEUES)
  ) u_wait_table (
      .clk_i, .rst_ni, .set_i(set), .set_queue_i(queue), .set_on_queue_i(on_queue_q),
      .set_index_i(source_q), .set_threshold_i(threshold), .cancel_i(flush_wait),
      .cancel_queue_i(flush_queue), .event_valid_i(event_valid_q), .event_index_i(event_index_q),
      .event_value_i(event_value_q), .done_valid_i(count_valid_q), .done_queue_i(count_queue_q),
      .done_head_i(count_q), .waiting_o(waiting), .met_o(met), .waited_index_0_i, .waited_0_o,
      .waited_index_1_i, .waited_1_o
  );

  mu_held_queues #(
      .QUEUES(QUEUES)
  ) u_held_queues (
      .clk_i, .rst_ni, .busy_o(held_busy), .held_o(held), .in_valid_i, .in_ready_o, .in_data_i,
      .resume_valid_o(requests_o.resume.valid),
      .resume_ready_i(events_i.taken == mu_pkg::QUEUE_TURN_RESUME),
      .resume_place_o(requests_o.resume.place), .release_valid_o(requests_o.releases.valid),
      .release_queue_o(requests_o.releases.queue), .flush_i(events_i.configure.pending),
      .flush_queue_i(flush_queue), .take_i(take), .take_data_i(held_data_i),
      .finish_i(met & ~is_calc_held_q), .finish_one_i(finish_one),
      .finish_queue_i(ending.queue[QUEUE_WIDTH-1:0]), .finish_status_i(ending.status),
      .again_valid_i(ends_i.again_valid), .again_ready_o(ends_ready_o.again),
      .again_queue_i(ends_i.again_queue[QUEUE_WIDTH-1:0]),
      .may_ahead_i(may_ahead_i | is_receive_held_q), .fence_ahead_i,
      .under_way_i(under_way_i | receive_ahead_q), .view_0_read_i(calc_read),
      .view_0_queue_i(calc_choice), .view_0_data_o(calc_data_o), .view_1_read_i(pipe_read_i.valid),
      .view_1_queue_i(pipe_read_i.queue[QUEUE_WIDTH-1:0]), .view_1_data_o(pipe_data_o),
      .out_valid_o, .out_ready_i, .out_data_o
  );

  assign busy_o    = state_q != STATE_IDLE || held_busy || calc_busy || event_valid_q || count_valid_q;
  assign waiting_o = waiting != '0;

  logic unused;
  assign unused = ^{events_i, event_change_i.moves, operand.reserved_64, operand.reserved_96,
                    ends_i.again_queue, entries_i.written.queue[7], ending, pipe_read_i, pipe_operand};

  always_ff @(posedge clk_i) begin
    holds_what_may_hold : assert (!held_i.valid || waits || sends || receives || pipes);
    if (rst_ni) begin
      only_a_wait_looks_elsewhere : assert (!held_i.valid || (waits && !calculates) ||
          !(held_data_i.descriptor.on_queue || held_data_i.descriptor.relative));
      ahead_of_a_receive : assert (!(offers && goes_ahead_q) || is_receive_held_q[queue]);
      holds_later : assert (!held_taken || state_q == STATE_STOP);
      only_a_receive_comes_again : assert (!held_i.valid || !held_data_i.again || receives);
      runs_what_is_held : assert (!(calc_valid_o || calc_running) || held[calc_queue]);
      waiting_is_held : assert ((waiting & ~held) == '0);
      done_only_while_running : assert (!calc_done_i.valid || calc_running);
      ends_a_receive :
      assert (!ends_ready_o.receive || is_receive_held_q[ends_i.receive.queue[QUEUE_WIDTH-1:0]]);
    end
  end
endmodule
`default_nettype wire

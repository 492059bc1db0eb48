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
//   until receive_end; a SEND, RECEIVE or FENCE behind it may go ahead meanwhile. A PIPE, whose receive queue
//   must be one of its client in mode PIPED, is handed on and holds its queue until pipe_end. configure:
//   what is held, but for a CALC that has begun, ends with FLUSHED.
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
    output logic                        hold_valid_o, resume_valid_o, release_valid_o,
    input  logic                        hold_ready_i, resume_ready_i,
    output mu_pkg::queue_place_t        hold_place_o, resume_place_o,
    output logic [                 7:0] release_queue_o, probe_queue_o,
    input  logic                        configure_valid_i, configured_i, done_valid_i,
    input  logic [                 7:0] configure_queue_i, done_queue_i,
    input  logic [                31:0] done_head_i,
    input  logic [                31:0] probe_head_i,
    input  logic [                 6:0] probe_setup_i,
    // packetiser
    output logic                        out_valid_o,
    input  logic                        out_ready_i,
    output mu_pkg::fetched_descriptor_t out_data_o,
    input  logic                        held_valid_i,
    output logic                        held_ready_o,
    input  mu_pkg::fetched_descriptor_t held_data_i,
    input  logic [                39:0] held_address_i,
    // counters
    input  logic                        event_valid_i,
    input  logic [                 7:0] event_index_i, waited_index_0_i, waited_index_1_i,
    input  logic [                31:0] event_value_i,
    output logic                        operation_valid_o, waited_0_o, waited_1_o,
    input  logic                        operation_ready_i,
    output mu_pkg::counter_operation_t  operation_o,
    // completion queues: entries written, and what probe_queue_o has
    input  logic                        entries_valid_i, probe_enable_i,
    output logic                        entries_ready_o,
    input  logic [                 7:0] entries_queue_i,
    input  logic [                31:0] entries_tail_i, probe_tail_i,
    input  logic [                 3:0] probe_owner_i,
    // SENDs, FENCEs
    output logic                        send_begin_o, send_begin_sent_o,  // it has gone ahead
    output logic [                 7:0] send_queue_o,
    input  logic [mu_pkg::INJECTION_QUEUES-1:0] may_ahead_i, fence_ahead_i,  // what may go out ahead
    input  logic [mu_pkg::INJECTION_QUEUES-1:0] under_way_i,                 // what has
    input  logic                        send_end_valid_i,
    output logic                        send_end_ready_o,
    input  mu_pkg::queue_end_t          send_end_i,
    input  logic                        again_valid_i,
    output logic                        again_ready_o,
    input  logic [                 7:0] again_queue_i,
    // RECEIVEs
    output logic                        buffer_valid_o,
    output mu_pkg::receive_buffer_t     buffer_o,
    input  logic                        receive_end_valid_i,
    output logic                        receive_end_ready_o,
    input  mu_pkg::queue_end_t          receive_end_i,
    output logic                        flush_pair_o,  // what configure_queue_i holds of these, or a PIPE
    // PIPE
    output logic                        pipe_due_o, pipe_end_ready_o,
    output logic [                 7:0] pipe_due_queue_o,
    output logic [                39:0] pipe_address_o,  // of its buffers
    output logic [mu_pkg::INJECTION_QUEUES-1:0] held_o,
    input  logic                        pipe_read_i,
    input  logic [                 7:0] pipe_queue_i,
    output mu_pkg::fetched_descriptor_t pipe_data_o,     // held in pipe_queue_i, from the next cycle on
    input  logic                        pipe_end_valid_i,
    input  mu_pkg::queue_end_t          pipe_end_i,
    // CALC
    output logic                        calc_valid_o, calc_done_ready_o,
    input  logic                        calc_ready_i,
    output mu_pkg::fetched_descriptor_t calc_data_o,
    input  logic                        calc_done_valid_i,
    input  mu_pkg::status_e             calc_done_status_i
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
  logic [3:0] owner_q;
  logic [7:0] source_q;  // the event counter or queue waited for; completion queues from 128 on
  logic [31:0] threshold;
  logic [QUEUE_WIDTH-1:0] queue, calc_queue, calc_choice, flush_queue;
  logic take, waits, calculates, sends, receives, pipes, on_entries, foreign, set, probe;
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
  assign take         = held_valid_i && held_ready_o && !held_data_i.again;
  // Asked for as soon as the descriptor is there: the queue table needs two cycles for it.
  assign hold_valid_o = state_q == STATE_STOP ||
      (state_q == STATE_IDLE && held_valid_i && !held_data_i.again);
  always_comb begin
    hold_place_o = place_q;
    if (state_q == STATE_IDLE) begin
      hold_place_o.queue    = held_data_i.queue;
      hold_place_o.index    = held_data_i.index;
      hold_place_o.position = held_data_i.position;
      hold_place_o.lap      = held_data_i.lap;
    end
  end
  assign on_entries   = on_queue_q && source_q[7];
  assign foreign      = on_entries ? !probe_enable_i || probe_owner_i != owner_q :
      is_pipe_q ? probe_setup_i != {owner_q, mu_pkg::QUEUE_MODE_PIPED} :
      on_queue_q && (probe_setup_i[2:0] == mu_pkg::QUEUE_MODE_OFF || probe_setup_i[6:3] != owner_q);
  assign set          = state_q == STATE_SET && waits_q && !foreign;
  assign probe        = state_q == STATE_PROBE && on_queue_q && !done_valid_i;
  assign probe_queue_o     = source_q;
  assign operation_valid_o = state_q == STATE_PROBE && !on_queue_q;
  // Plus zero, to an event counter of anybody.
  always_comb begin
    operation_o          = '0;
    operation_o.counter  = source_q;
    operation_o.is_event = 1'b1;
    operation_o.add      = 1'b1;
  end
  assign send_begin_o      = take && sends;
  assign send_begin_sent_o = held_data_i.ahead;
  assign send_queue_o      = held_data_i.queue;
  // Ahead only while the RECEIVE before it holds the queue; else it comes again as one that holds it.
  assign buffer_valid_o    = state_q == STATE_SET && is_receive_q && !went_ahead_q && held_o[queue];
  assign buffer_o          = buffer_q;
  assign pipe_due_o        = state_q == STATE_SET && is_pipe_q && !foreign;
  assign pipe_due_queue_o  = place_q.queue;
  assign pipe_address_o    = buffer_q.address;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= STATE_IDLE;
    else begin
      unique case (state_q)
        STATE_IDLE: if (held_valid_i) state_q <= held_data_i.again ? STATE_SET : STATE_STOP;
        STATE_STOP: if (hold_ready_i) state_q <= STATE_SET;
        STATE_SET:  state_q <= set ? STATE_PROBE : STATE_IDLE;
        default:    if (probe || (operation_valid_o && operation_ready_i)) state_q <= STATE_IDLE;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (held_valid_i && held_ready_o) begin
      place_q.queue    <= held_data_i.queue;
      place_q.index    <= held_data_i.index;
      place_q.position <= held_data_i.position;
      place_q.lap      <= held_data_i.lap;
      waits_q      <= waits;
      is_calc_q    <= calculates;
      is_receive_q <= receives;
      is_pipe_q    <= pipes;
      goes_ahead_q <= held_data_i.again;
      went_ahead_q <= held_data_i.ahead && !held_data_i.again;
      on_queue_q   <= held_data_i.descriptor.on_queue || calculates;
      owner_q      <= held_data_i.owner;
      source_q     <= calculates ? held_data_i.queue : pipes ? pipe_operand.receive_queue :
          held_data_i.descriptor.on_queue ? held_data_i.descriptor.header.target :
          held_data_i.descriptor.event_counter;
      buffer_q.queue            <= held_data_i.queue;
      buffer_q.owner            <= held_data_i.owner;
      buffer_q.address          <= held_address_i;
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
      .clk_i, .rst_ni, .take_i(held_valid_i && held_ready_o), .queue_i(held_data_i.queue[QUEUE_WIDTH-1:0]),
      .value_i(calculates ? held_data_i.index : operand.value), .step_i(calculates ? '0 : operand.step),
      .lap_i(held_data_i.lap), .relative_i(held_data_i.descriptor.relative), .threshold_o(threshold),
      .keep_i(set && !is_calc_q), .clear_i(configured_i), .clear_queue_i(flush_queue)
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
    if (buffer_valid_o && goes_ahead_q) receive_ahead_q[queue] <= 1'b1;
  end

  // --- ends ---
  mu_pkg::queue_end_t ending;
  logic flush_wait, flush_calc, refuse, attaching, finish_one;
  assign flush_queue  = configure_queue_i[QUEUE_WIDTH-1:0];
  assign refuse       = state_q == STATE_SET && foreign;
  assign attaching    = state_q != STATE_IDLE && queue == flush_queue;
  assign flush_wait   = configure_valid_i && !refuse && waiting[flush_queue] && !met[flush_queue];
  assign flush_pair_o = configure_valid_i && !refuse && is_pair_held_q[flush_queue] && held[flush_queue] &&
      !attaching;
  mu_held_ends #(
      .QUEUES(QUEUES)
  ) u_held_ends (
      .held_i(held), .attaching_i(state_q != STATE_IDLE), .attach_queue_i(place_q.queue), .refuse_i(refuse),
      .flush_i(flush_wait || flush_calc || flush_pair_o), .flush_queue_i(configure_queue_i),
      .send_valid_i(send_end_valid_i), .send_ready_o(send_end_ready_o), .send_i(send_end_i),
      .receive_valid_i(receive_end_valid_i), .receive_ready_o(receive_end_ready_o), .receive_i(receive_end_i),
      .pipe_valid_i(pipe_end_valid_i), .pipe_ready_o(pipe_end_ready_o), .pipe_i(pipe_end_i),
      .calc_valid_i(calc_done_valid_i), .calc_ready_o(calc_done_ready_o),
      .calc_i({calc_done_status_i, 8'(calc_queue)}), .finish_o(finish_one), .ending_o(ending)
  );

  mu_engine_turns #(
      .QUEUES(QUEUES)
  ) u_calc_turns (
      .clk_i, .rst_ni, .busy_o(calc_busy), .due_i(met & is_calc_held_q),
      .flush_i(configure_valid_i && !refuse), .flush_queue_i(flush_queue), .flush_o(flush_calc),
      .queue_o(calc_queue), .choose_o(calc_read), .choice_o(calc_choice), .start_valid_o(calc_valid_o),
      .start_ready_i(calc_ready_i),
      .running_o(calc_running), .done_i(calc_done_valid_i && calc_done_ready_o)
  );

  // Counts that change, one a cycle: descriptors done, the one shown once, entries written. Those of event
  // counters beside them. The table sees them in the next cycle; without a WAIT nobody has to.
  logic count_valid, counts, event_valid_q, count_valid_q;
  logic [7:0] event_index_q, count_queue_q;
  logic [31:0] event_value_q, count_q;
  logic [7:0] count_queue;
  logic [31:0] count;
  assign entries_ready_o = !done_valid_i && !probe;
  assign count_valid     = done_valid_i || probe || entries_valid_i;
  always_comb begin
    count_queue = {1'b1, entries_queue_i[6:0]};
    count       = entries_tail_i;
    if (done_valid_i) begin
      count_queue = done_queue_i;
      count       = done_head_i;
    end else if (probe) begin
      count_queue = source_q;
      count       = on_entries ? probe_tail_i : probe_head_i;
    end
  end

  assign counts = set || waiting != '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {event_valid_q, count_valid_q} <= '0;
    else if (counts || event_valid_q || count_valid_q) begin
      event_valid_q <= counts && event_valid_i;
      count_valid_q <= counts && count_valid;
    end
  end
  always_ff @(posedge clk_i) begin
    if (counts && event_valid_i) begin
      event_index_q <= event_index_i;
      event_value_q <= event_value_i;
    end
    if (counts && count_valid) begin
      count_queue_q <= count_queue;
      count_q       <= count;
    end
  end
  mu_wait_table #(
      .QUEUES(QUEUES)
  ) u_wait_table (
      .clk_i, .rst_ni, .set_i(set), .set_queue_i(queue), .set_on_queue_i(on_queue_q), .set_index_i(source_q),
      .set_threshold_i(threshold), .cancel_i(flush_wait), .cancel_queue_i(flush_queue),
      .event_valid_i(event_valid_q), .event_index_i(event_index_q), .event_value_i(event_value_q),
      .done_valid_i(count_valid_q), .done_queue_i(count_queue_q), .done_head_i(count_q),
      .waiting_o(waiting), .met_o(met), .waited_index_0_i, .waited_0_o, .waited_index_1_i, .waited_1_o
  );

  mu_held_queues #(
      .QUEUES(QUEUES)
  ) u_held_queues (
      .clk_i, .rst_ni, .busy_o(held_busy), .held_o(held), .in_valid_i, .in_ready_o,
      .in_data_i, .resume_valid_o, .resume_ready_i, .resume_place_o, .release_valid_o, .release_queue_o,
      .flush_i(configure_valid_i), .flush_queue_i(flush_queue), .take_i(take), .take_data_i(held_data_i),
      .finish_i(met & ~is_calc_held_q), .finish_one_i(finish_one),
      .finish_queue_i(ending.queue[QUEUE_WIDTH-1:0]), .finish_status_i(ending.status),
      .again_valid_i, .again_ready_o, .again_queue_i(again_queue_i[QUEUE_WIDTH-1:0]),
      .may_ahead_i(may_ahead_i | is_receive_held_q), .fence_ahead_i,
      .under_way_i(under_way_i | receive_ahead_q), .view_0_read_i(calc_read), .view_0_queue_i(calc_choice),
      .view_0_data_o(calc_data_o), .view_1_read_i(pipe_read_i),
      .view_1_queue_i(pipe_queue_i[QUEUE_WIDTH-1:0]), .view_1_data_o(pipe_data_o),
      .out_valid_o, .out_ready_i, .out_data_o
  );

  assign busy_o    = state_q != STATE_IDLE || held_busy || calc_busy || event_valid_q || count_valid_q;
  assign waiting_o = waiting != '0;

  logic unused;
  assign unused = ^{configure_queue_i, operand.reserved_64, operand.reserved_96, again_queue_i,
                    entries_queue_i[7], ending, pipe_queue_i, pipe_operand};

  always_ff @(posedge clk_i) begin
    holds_what_may_hold : assert (!held_valid_i || waits || sends || receives || pipes);
    if (rst_ni) begin
      only_a_wait_looks_elsewhere : assert (!held_valid_i || (waits && !calculates) ||
          !(held_data_i.descriptor.on_queue || held_data_i.descriptor.relative));
      ahead_of_a_receive : assert (!(buffer_valid_o && goes_ahead_q) || is_receive_held_q[queue]);
      holds_later : assert (!hold_ready_i || state_q == STATE_STOP);
      only_a_receive_comes_again : assert (!held_valid_i || !held_data_i.again || receives);
      runs_what_is_held : assert (!(calc_valid_o || calc_running) || held[calc_queue]);
      waiting_is_held : assert ((waiting & ~held) == '0);
      done_only_while_running : assert (!calc_done_valid_i || calc_running);
      ends_a_receive :
      assert (!receive_end_ready_o || is_receive_held_q[receive_end_i.queue[QUEUE_WIDTH-1:0]]);
    end
  end
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_cross_channel: cross-channel control: WAIT and CALC hold their queue, others go on (US 9,344,490).
//
//   in (fetched) ---> [ held queues ] ---> out (to the packetiser)
//                       ^ take   ^ finished
//   held (judged) --> [ attach ] |
//                       v set    | met
//                     [ wait table ] <--- event counters, descriptors done
//   calc, calc_done <---> the engine that runs a CALC
//
// Behaviour: a WAIT that the packetiser has judged is attached: its queue is stopped, its entry is set, and
//   then its count is shown once, by adding zero to the event counter or by looking at the queue waited for,
//   so that a count that was reached before is found and one that is reached meanwhile is not missed. The
//   threshold is value + step * lap, plus the last threshold of the queue if relative. A queue may wait for
//   descriptors done of a queue of its own client only: else QUEUE_INVALID. A CALC waits for all descriptors
//   before it to be done, for it may write what they read, and is handed to its engine, one at a time, round
//   robin. configure: a WAIT or a CALC that has not begun ends with FLUSHED.
// Latency: held to set 3 cycles, and 1 to 4 more to the end of a WAIT whose count is reached already; count
//   reached to out 2.
// Limits: what is held has passed mu_descriptor_check.
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
    output logic                        hold_valid_o,
    input  logic                        hold_ready_i,
    output mu_pkg::queue_place_t        hold_place_o,
    output logic                        resume_valid_o,
    input  logic                        resume_ready_i,
    output mu_pkg::queue_place_t        resume_place_o,
    output logic                        release_valid_o,
    output logic [                 7:0] release_queue_o,
    input  logic                        configure_valid_i,
    input  logic                        configured_i,
    input  logic [                 7:0] configure_queue_i,
    input  logic                        done_valid_i,
    input  logic [                 7:0] done_queue_i,
    input  logic [                31:0] done_head_i,
    output logic [                 7:0] probe_queue_o,
    input  logic [                31:0] probe_head_i,
    input  logic [                 6:0] probe_setup_i,
    // packetiser
    output logic                        out_valid_o,
    input  logic                        out_ready_i,
    output mu_pkg::fetched_descriptor_t out_data_o,
    input  logic                        held_valid_i,
    output logic                        held_ready_o,
    input  mu_pkg::fetched_descriptor_t held_data_i,
    // counters
    input  logic                        event_valid_i,
    input  logic [                 7:0] event_index_i,
    input  logic [                31:0] event_value_i,
    output logic                        operation_valid_o,
    input  logic                        operation_ready_i,
    output mu_pkg::counter_operation_t  operation_o,
    input  logic [                 7:0] waited_index_0_i,
    output logic                        waited_0_o,
    input  logic [                 7:0] waited_index_1_i,
    output logic                        waited_1_o,
    // CALC
    output logic                        calc_valid_o,
    input  logic                        calc_ready_i,
    output mu_pkg::fetched_descriptor_t calc_data_o,
    input  logic                        calc_done_valid_i,
    output logic                        calc_done_ready_o,
    input  logic [                 7:0] calc_done_status_i
);
  localparam int unsigned QUEUES = mu_pkg::INJECTION_QUEUES;
  localparam int unsigned QUEUE_WIDTH = $clog2(QUEUES);
  localparam logic [1:0] STATE_IDLE = 2'd0;
  localparam logic [1:0] STATE_STOP = 2'd1;  // nothing more is fetched of the queue
  localparam logic [1:0] STATE_SET = 2'd2;  // it waits, or its CALC is due
  localparam logic [1:0] STATE_PROBE = 2'd3;  // the count is shown once

  // --- attach: one descriptor at a time ---
  logic [1:0] state_q;
  mu_pkg::queue_place_t place_q;
  mu_pkg::wait_operation_t operand_q;
  logic is_calc_q, on_queue_q, relative_q;
  logic [3:0] owner_q;
  logic [7:0] source_q;  // the event counter or queue waited for
  logic [31:0] threshold_q;
  logic [31:0] last_mem[QUEUES];
  logic [QUEUE_WIDTH-1:0] queue;
  logic take, foreign, set, probe;

  mu_pkg::wait_operation_t operand;
  assign operand      = held_data_i.descriptor.immediate;
  assign queue        = place_q.queue[QUEUE_WIDTH-1:0];
  assign held_ready_o = state_q == STATE_IDLE;
  assign take         = held_valid_i && held_ready_o;
  assign hold_valid_o = state_q == STATE_STOP;
  assign hold_place_o = place_q;
  assign foreign      = on_queue_q && (probe_setup_i[2:0] == mu_pkg::QUEUE_MODE_OFF ||
                                       probe_setup_i[6:3] != owner_q);
  assign set          = state_q == STATE_SET && !foreign;
  assign probe        = state_q == STATE_PROBE && on_queue_q && !done_valid_i;
  assign probe_queue_o     = source_q;
  assign operation_valid_o = state_q == STATE_PROBE && !on_queue_q;
  assign operation_o       = {3'b0, owner_q, 1'b1, 1'b0, 1'b1, source_q, 38'd0};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= STATE_IDLE;
    else begin
      unique case (state_q)
        STATE_IDLE: if (held_valid_i) state_q <= STATE_STOP;
        STATE_STOP: if (hold_ready_i) state_q <= STATE_SET;
        STATE_SET:  state_q <= set ? STATE_PROBE : STATE_IDLE;
        default:    if (probe || (operation_valid_o && operation_ready_i)) state_q <= STATE_IDLE;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (take) begin
      place_q    <= {held_data_i.lap, held_data_i.position, held_data_i.index, held_data_i.queue};
      operand_q  <= operand;
      is_calc_q  <= held_data_i.descriptor.opcode == mu_pkg::OPCODE_CALC;
      on_queue_q <= held_data_i.descriptor.on_queue || held_data_i.descriptor.opcode == mu_pkg::OPCODE_CALC;
      relative_q <= held_data_i.descriptor.relative;
      owner_q    <= held_data_i.owner;
      source_q   <= held_data_i.descriptor.opcode == mu_pkg::OPCODE_CALC ? held_data_i.queue :
          held_data_i.descriptor.on_queue ? held_data_i.descriptor.header.target :
          held_data_i.descriptor.event_counter;
    end
    if (state_q == STATE_STOP)
      threshold_q <= is_calc_q ? place_q.index :
          operand_q.value + operand_q.step * place_q.lap + (relative_q ? last_mem[queue] : '0);
    if (configured_i) last_mem[configure_queue_i[QUEUE_WIDTH-1:0]] <= '0;
    else if (set && !is_calc_q) last_mem[queue] <= threshold_q;
  end

  // --- CALC: held until its turn ---
  logic [QUEUES-1:0] is_calc_held_q, calc_due_q, calc_behind_q, calc_candidates, calc_grant;
  logic calc_valid_q, calc_running_q;
  logic [QUEUE_WIDTH-1:0] calc_queue_q, calc_choice;
  always_comb begin
    calc_candidates = '0;
    calc_grant      = '0;
    calc_choice     = '0;
    if (calc_due_q != '0 && !calc_valid_q && !calc_running_q) begin
      calc_candidates = calc_due_q;
      if ((calc_due_q & calc_behind_q) != '0) calc_candidates = calc_due_q & calc_behind_q;
      calc_grant = calc_candidates & (~calc_candidates + 1'b1);
      for (int unsigned i = 0; i < QUEUES; i++)
        if (calc_grant[i]) calc_choice = calc_choice | QUEUE_WIDTH'(i);
    end
  end
  assign calc_valid_o = calc_valid_q;

  // --- ends: of a WAIT that may not be, of what is flushed, of a CALC ---
  logic [QUEUES-1:0] waiting, met, held;
  logic [QUEUE_WIDTH-1:0] flush_queue;
  logic flush_wait, flush_calc, refuse;
  assign flush_queue = configure_queue_i[QUEUE_WIDTH-1:0];
  assign refuse      = state_q == STATE_SET && foreign;
  assign flush_wait  = configure_valid_i && !refuse && waiting[flush_queue] && !met[flush_queue];
  assign flush_calc  = configure_valid_i && !refuse && calc_due_q[flush_queue] && !calc_grant[flush_queue];
  assign calc_done_ready_o = calc_running_q && !refuse && !flush_wait && !flush_calc;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      calc_due_q     <= '0;
      is_calc_held_q <= '0;
      calc_behind_q  <= '0;
      calc_valid_q   <= 1'b0;
      calc_running_q <= 1'b0;
    end else begin
      if (set) is_calc_held_q[queue] <= is_calc_q;
      if ((met & is_calc_held_q) != '0) calc_due_q <= calc_due_q | (met & is_calc_held_q);
      if (flush_calc) calc_due_q[flush_queue] <= 1'b0;
      if (calc_grant != '0) begin
        calc_due_q[calc_choice] <= 1'b0;
        calc_behind_q           <= ~(calc_grant | (calc_grant - 1'b1));
      end
      if (calc_grant != '0) calc_valid_q <= 1'b1;
      else if (calc_ready_i) calc_valid_q <= 1'b0;
      if (calc_valid_q && calc_ready_i) calc_running_q <= 1'b1;
      else if (calc_done_valid_i && calc_done_ready_o) calc_running_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) if (calc_grant != '0) calc_queue_q <= calc_choice;

  mu_wait_table #(
      .QUEUES(QUEUES)
  ) u_wait_table (
      .clk_i, .rst_ni, .set_i(set), .set_queue_i(queue), .set_on_queue_i(on_queue_q), .set_index_i(source_q),
      .set_threshold_i(threshold_q), .cancel_i(flush_wait), .cancel_queue_i(flush_queue),
      .event_valid_i, .event_index_i, .event_value_i, .done_valid_i(done_valid_i || probe),
      .done_queue_i(done_valid_i ? done_queue_i : source_q),
      .done_head_i(done_valid_i ? done_head_i : probe_head_i), .waiting_o(waiting), .met_o(met),
      .waited_index_0_i, .waited_0_o, .waited_index_1_i, .waited_1_o
  );

  logic held_busy;
  mu_held_queues #(
      .QUEUES(QUEUES)
  ) u_held_queues (
      .clk_i, .rst_ni, .busy_o(held_busy), .held_o(held), .in_valid_i, .in_ready_o,
      .in_data_i, .resume_valid_o, .resume_ready_i, .resume_place_o, .release_valid_o, .release_queue_o,
      .flush_i(configure_valid_i), .flush_queue_i(flush_queue), .take_i(take), .take_data_i(held_data_i),
      .finish_i(met & ~is_calc_held_q),
      .finish_one_i(refuse || flush_wait || flush_calc || (calc_done_valid_i && calc_done_ready_o)),
      .finish_queue_i(refuse ? queue : flush_wait || flush_calc ? flush_queue : calc_queue_q),
      .finish_status_i(refuse ? mu_pkg::STATUS_QUEUE_INVALID :
                       flush_wait || flush_calc ? mu_pkg::STATUS_FLUSHED : calc_done_status_i),
      .view_queue_i(calc_queue_q), .view_data_o(calc_data_o), .out_valid_o, .out_ready_i, .out_data_o
  );

  assign busy_o    = state_q != STATE_IDLE || held_busy || calc_due_q != '0 || calc_valid_q;
  assign waiting_o = waiting != '0;

  logic unused;
  assign unused = ^{configure_queue_i, operand_q.reserved_64, operand_q.reserved_96};

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      runs_what_is_held : assert (!(calc_valid_q || calc_running_q) || held[calc_queue_q]);
      due_is_held : assert ((calc_due_q & ~held) == '0);
      waiting_is_held : assert ((waiting & ~held) == '0);
      done_only_while_running : assert (!calc_done_valid_i || calc_running_q);
    end
  end
endmodule
`default_nettype wire

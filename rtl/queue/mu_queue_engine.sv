// SPDX-License-Identifier: Apache-2.0
// mu_queue_engine: the injection queues: who fills them, and their descriptors on the way to injection.
//
//   register bus, reserve, publish ---> [ turns ---> queue table ] <--- retire, rewind, hold, enable
//   fetch command <--- [ scheduler ] <-- change --+
//   fetch beats  ---> [ two descriptor buffers ] ---> request and reply descriptors
//
// Behaviour: descriptors of a queue are fetched and delivered in index order, each once, unless a rewind
//   asks for it again; after the doorbell or publish that covers them, and never one past it. Queues of
//   mode REFLECTION feed the reply stream and come first, all others the request stream, round robin. With
//   halt_on_error a descriptor is delivered only after the one before it was retired, and none after an
//   error. A rewound queue is parked until credit_returned_i; descriptors fetched behind the rewound one
//   are dropped. Reservations are all or nothing. A write of config waits until nothing of the queue is in
//   flight, and what ends meanwhile is not counted any more for a WAIT.
// Latency: an operation is chosen, its row read, looked at if the operation may be refused, then updated:
//   then taken names it; one every 2 cycles, or 3, in the order of mu_queue_turns. Register access 4 cycles,
//   doorbell to fetch command 9, last beat to descriptor 1, reserve to slots 4, retire to done_o 3.
// Limits: see mu_queue_registers for refused register accesses; a reservation in a queue that is missing,
//   of another mode or being configured is QUEUE_INVALID, of another client DOORBELL_OWNER, without room
//   QUEUE_FULL.
`default_nettype none

module mu_queue_engine (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    output logic                         busy_o,
    output logic                         active_o,  // an edge changes something
    output logic [mu_pkg::CLIENTS*8-1:0] causes_o,
    // register bus
    input  logic                         register_valid_i,
    input  mu_pkg::register_request_t    register_request_i,
    output logic                         register_done_o,
    output mu_pkg::register_response_t   register_response_o,
    // reception engine: slots for a GET packet, emptiness for a credit query
    input  mu_pkg::get_reserve_t         get_reserve_i,
    output mu_pkg::ring_slots_t          slots_o,   // the answer to either reservation
    output logic                         get_slots_valid_o,
    input  logic [                  7:0] empty_queue_i,
    output logic                         empty_o,
    // host interface: a slot for a pushed descriptor
    input  mu_pkg::push_reserve_t        push_reserve_i,
    output logic                         push_slots_valid_o,
    // completion: reserved slots are filled
    input  mu_pkg::publish_t             publish_i,
    // memory port
    output mu_pkg::read_request_t        fetch_read_o,
    input  logic                         fetch_command_ready_i,
    input  mu_pkg::read_beat_t           fetch_beat_i,
    // injection
    output logic                         request_descriptor_valid_o,
    input  logic                         request_descriptor_ready_i,
    output mu_pkg::fetched_descriptor_t  request_descriptor_data_o,
    output logic                         reply_descriptor_valid_o,
    input  logic                         reply_descriptor_ready_i,
    output mu_pkg::fetched_descriptor_t  reply_descriptor_data_o,
    input  mu_pkg::descriptor_retire_t   retire_i,
    input  mu_pkg::place_request_t       rewind_i,
    input  logic                         credit_returned_i,
    input  mu_pkg::enable_request_t      enable_i,
    output mu_pkg::status_e              enable_status_o,
    // cross-channel control
    input  mu_pkg::queue_requests_t      requests_i,
    output mu_pkg::queue_events_t        events_o,  // taken: of all who ask
    input  logic [                  7:0] probe_queue_i,
    output mu_pkg::queue_probe_t         probe_o,
    // peers: the register peer of a queue is written, or only read
    input  logic [                 11:0] last_node_i,
    output mu_pkg::queue_select_t        peer_write_o,
    input  mu_pkg::queue_peer_t          peer_i
);
  localparam int unsigned QUEUES = mu_pkg::INJECTION_QUEUES;
  localparam int unsigned QUEUE_WIDTH = $clog2(QUEUES);
  localparam int unsigned REFLECTION_WIDTH = $clog2(mu_pkg::REFLECTION_QUEUES);

  // Who has the table.
  logic                   ready;
  logic                   turns_busy;
  logic                   read;
  logic                   look;
  logic                   update;
  mu_pkg::queue_turn_e    turn;
  mu_pkg::queue_turn_e    taken;       // that it is updated for
  logic [7:0]             queue;
  logic [QUEUE_WIDTH-1:0] row_number;  // of queue
  mu_pkg::queue_row_t     row;
  logic                   known;       // there is such a queue

  // Register access.
  logic                       register_open;
  logic                       writes_config;
  logic                       configuring_q;   // a write of config waits, or has its turn
  logic [7:0]                 configure_queue_q;
  logic                       begins_anew;     // the queue that has its turn, when its config is written
  logic                       configured;      // and it is written
  logic                       doorbell, write_base, write_size, write_config, write_peer;
  logic                       answers;
  logic                       idle;
  logic [7:0]                 register_queue;
  mu_pkg::register_response_t response;
  logic                       register_done_q;
  mu_pkg::register_response_t register_response_q;

  // Its step, and what has become of the queue.
  mu_pkg::queue_operation_t asked;     // of the one whose turn it is
  mu_pkg::queue_operation_t operation;
  mu_pkg::queue_change_t    table_change;
  mu_pkg::queue_change_t    change;
  mu_pkg::queue_change_t    mark;      // park, restart, stop, one_more of this step
  mu_pkg::queue_change_t    mark_q;
  logic                     accept, reserve, halts, table_empty, reservation_busy, nothing_behind, park;
  logic                     counts_q;  // what is done counts for who waits
  logic                     get_reserve, push_reserve;
  logic [6:0]               probe_setup;
  logic [31:0]              probe_head;
  mu_pkg::status_e          refused;
  logic                     credit_returned_q;  // while the rewind waited for its turn

  // Fetching.
  logic                   choice_valid, fetch, fetch_holds, fetch_busy, fetch_active;
  logic                   rewinds, resumes, holds;
  logic [QUEUE_WIDTH-1:0] choice_queue, request_head_queue, reply_head_queue;
  logic [31:0]            request_head, reply_head;
  logic                   steps;  // something goes on in the next cycle

  assign row_number = queue[QUEUE_WIDTH-1:0];
  assign known      = 32'(queue) < QUEUES;

  mu_queue_turns u_queue_turns (
      .clk_i, .rst_ni, .busy_o(turns_busy), .enable_i(ready),
      .access_valid_i(register_open && !writes_config), .access_queue_i(register_queue),
      .retire_valid_i(retire_i.valid), .retire_queue_i(retire_i.descriptor.queue),
      .rewind_valid_i(rewind_i.valid), .rewind_queue_i(rewind_i.place.queue),
      .resume_valid_i(requests_i.resume.valid), .resume_queue_i(requests_i.resume.place.queue),
      .hold_valid_i(requests_i.hold.valid), .hold_queue_i(requests_i.hold.place.queue),
      .enable_valid_i(enable_i.valid), .enable_queue_i(enable_i.operation.counter),
      .publish_valid_i(publish_i.valid), .publish_queue_i(publish_i.target),
      .get_reserve_valid_i(get_reserve_i.valid), .get_reserve_queue_i(get_reserve_i.queue),
      .push_reserve_valid_i(push_reserve_i.valid), .push_reserve_queue_i(push_reserve_i.queue),
      .fetch_valid_i(choice_valid), .fetch_queue_i(8'(choice_queue)),
      .configure_valid_i(configuring_q && register_open), .read_o(read), .look_o(look),
      .update_o(update),
      .turn_o(turn), .taken_o(taken), .queue_o(queue)
  );

  // --- register accesses ---------------------------------------------------------------------------
  // Until a config is written, nothing more of the queue is fetched, and what waits in it is flushed.
  // What the row allows is found while it is looked at, and done and told in the cycle behind that.
  logic accesses, config_turn, writes_peer_q;
  logic idle_q;   // of a write of config: nothing of the queue is left
  mu_pkg::queue_step_e        allowed;
  mu_pkg::register_response_t found_q;
  assign register_open = ready && register_valid_i && !register_done_q;
  assign accesses      = taken == mu_pkg::QUEUE_TURN_ACCESS;
  assign config_turn   = taken == mu_pkg::QUEUE_TURN_CONFIGURE;
  assign answers       = accesses || (config_turn && idle_q);
  assign begins_anew   = configuring_q && configure_queue_q == queue;

  mu_queue_registers u_queue_registers (
      .valid_i(register_open), .request_i(register_request_i), .response_o(response),
      .queue_o(register_queue), .config_o(writes_config), .row_i(row),
      .doorbell_o(doorbell), .write_base_o(write_base), .write_size_o(write_size),
      .write_config_o(write_config), .peer_i, .last_node_i, .write_peer_o(write_peer)
  );
  assign peer_write_o.queue = 8'(row_number);
  assign peer_write_o.valid = writes_peer_q && accesses;

  // Nothing of it is fetched, delivered or being written; of the queue to configure, once its row is read.
  // Indices of one queue are no further apart than its ring is large.
  assign idle = row.fetch_index[24:0] == row.head[24:0] && row.reserved[24:0] == row.published[24:0] &&
      !fetch_holds;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      configuring_q       <= 1'b0;
      register_done_q     <= 1'b0;
      register_response_q <= '0;
    end else begin
      configuring_q       <= register_open && writes_config && !answers;
      register_done_q     <= answers;
      register_response_q <= answers ? found_q : '0;
      if (answers && asked.step == mu_pkg::QUEUE_STEP_DOORBELL && !accept)
        register_response_q.status <= mu_pkg::STATUS_DOORBELL_RANGE;
    end
  end
  always_ff @(posedge clk_i) begin
    if (look) {writes_peer_q, idle_q, found_q} <= {write_peer, idle, response};
  end
  always_ff @(posedge clk_i) if (register_open && writes_config) configure_queue_q <= register_queue;
  assign register_done_o            = register_done_q;
  assign register_response_o        = register_response_q;
  assign configured                 = config_turn && asked.step == mu_pkg::QUEUE_STEP_CONFIGURE;
  assign events_o.taken             = taken;
  assign events_o.configure.pending = configuring_q;
  assign events_o.configure.queue   = configure_queue_q;
  assign events_o.configure.written = configured;
  assign events_o.configure.setup   = register_request_i.data[7:0];

  // --- the step of this turn -----------------------------------------------------------------------
  mu_queue_step u_queue_step (
      .clk_i, .read_i(read), .look_i(look), .step_i(allowed), .turn_i(turn), .known_i(known),
      .value_i(register_request_i.data[39:0]), .retire_index_i(retire_i.descriptor.index),
      .retire_status_i(retire_i.descriptor.status), .rewind_place_i(rewind_i.place),
      .resume_place_i(requests_i.resume.place), .hold_place_i(requests_i.hold.place),
      .enable_i(enable_i.operation), .publish_count_i(publish_i.amount[3:0]),
      .reserve_count_i(get_reserve_i.count), .operation_o(asked)
  );

  // Of what is asked for, that which the row does not forbid.
  always_comb begin
    allowed = mu_pkg::QUEUE_STEP_NONE;
    if (turn == mu_pkg::QUEUE_TURN_ACCESS) begin
      if (doorbell) allowed = mu_pkg::QUEUE_STEP_DOORBELL;
      if (write_base) allowed = mu_pkg::QUEUE_STEP_WRITE_BASE;
      if (write_size) allowed = mu_pkg::QUEUE_STEP_WRITE_SIZE;
    end
    if (turn == mu_pkg::QUEUE_TURN_CONFIGURE && write_config && idle)
      allowed = mu_pkg::QUEUE_STEP_CONFIGURE;
    if (reserve) allowed = mu_pkg::QUEUE_STEP_RESERVE;
  end
  always_comb begin
    operation = '0;
    mark      = '0;
    if (update) begin
      operation     = asked;
      mark.restart  = configured;
      mark.park     = asked.step == mu_pkg::QUEUE_STEP_REWIND && park;
      mark.stop     = asked.step == mu_pkg::QUEUE_STEP_HOLD;
      mark.one_more = mark.stop && nothing_behind && !row.halt_on_error;
    end
  end

  assign get_reserve  = look && turn == mu_pkg::QUEUE_TURN_GET_RESERVE;
  assign push_reserve = look && turn == mu_pkg::QUEUE_TURN_PUSH_RESERVE;
  mu_queue_reservation u_queue_reservation (
      .clk_i, .rst_ni, .busy_o(reservation_busy), .get_i(get_reserve),
      .reflected_i(get_reserve_i.reflected), .push_i(push_reserve),
      .client_i(push_reserve_i.client), .known_i(known && !begins_anew),
      .setup_i({row.owner, row.mode}), .base_i(row.base), .size_i(row.size),
      .index_i(row.reserved[23:0]), .reserve_o(reserve), .accept_i(accept), .get_slots_valid_o,
      .push_slots_valid_o, .slots_o
  );

  mu_queue_table #(
      .QUEUES(QUEUES)
  ) u_queue_table (
      .clk_i, .rst_ni, .ready_o(ready), .read_i(read), .queue_i(row_number), .row_o(row),
      .operation_i(operation), .accept_o(accept), .halts_o(halts),
      .nothing_behind_o(nothing_behind), .refused_o(refused), .change_o(table_change), .causes_o,
      .request_head_queue_i(request_head_queue), .request_head_o(request_head),
      .reply_head_queue_i(QUEUE_WIDTH'(reply_head_queue[REFLECTION_WIDTH-1:0])),
      .reply_head_o(reply_head), .empty_queue_i(empty_queue_i[QUEUE_WIDTH-1:0]),
      .empty_o(table_empty), .probe_queue_i(probe_queue_i[QUEUE_WIDTH-1:0]),
      .probe_head_o(probe_head), .probe_setup_o(probe_setup)
  );
  assign empty_o         = table_empty && 32'(empty_queue_i) < QUEUES;
  assign probe_o.setup   = 32'(probe_queue_i) < QUEUES ? probe_setup : '0;
  assign enable_status_o = known ? refused : mu_pkg::STATUS_QUEUE_INVALID;
  // From the write of its config on a queue's count is zero: who waits for it goes on waiting.
  assign probe_o.head    = configuring_q && probe_queue_i == configure_queue_q ? '0 : probe_head;

  // --- what has become of the queue, in the next cycle ---------------------------------------------
  // A credit that comes back while the rewind waits must not be missed, or the queue would park for ever.
  assign park = turn == mu_pkg::QUEUE_TURN_REWIND && !credit_returned_i && !credit_returned_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      credit_returned_q <= 1'b0;
      counts_q          <= 1'b0;
      mark_q            <= '0;
    end else begin
      credit_returned_q <= rewind_i.valid && !rewinds && (credit_returned_q || credit_returned_i);
      counts_q          <= update && !begins_anew;
      mark_q            <= mark;
    end
  end
  assign change              = table_change | mark_q;
  assign events_o.done.valid = table_change.done && counts_q;
  assign events_o.done.queue = table_change.queue;
  assign events_o.done.count = table_change.head;

  // --- fetching ------------------------------------------------------------------------------------
  assign fetch   = taken == mu_pkg::QUEUE_TURN_FETCH;
  assign rewinds = taken == mu_pkg::QUEUE_TURN_REWIND;
  assign resumes = taken == mu_pkg::QUEUE_TURN_RESUME;
  assign holds   = taken == mu_pkg::QUEUE_TURN_HOLD;
  mu_descriptor_fetch #(
      .QUEUES(QUEUES)
  ) u_descriptor_fetch (
      .clk_i, .rst_ni, .busy_o(fetch_busy), .active_o(fetch_active), .table_busy_i(turns_busy),
      .queue_i(row_number), .row_i(row), .change_i(change), .release_i(requests_i.releases.valid),
      .release_queue_i(requests_i.releases.queue[QUEUE_WIDTH-1:0]), .unpark_i(credit_returned_i),
      .hold_i(configuring_q), .hold_queue_i(configure_queue_q[QUEUE_WIDTH-1:0]),
      .holds_o(fetch_holds), .choice_valid_o(choice_valid), .choice_queue_o(choice_queue),
      .fetch_i(fetch), .kill_i(rewinds || resumes || halts || (holds && row.halt_on_error)),
      .request_head_queue_o(request_head_queue), .request_head_i(request_head),
      .reply_head_queue_o(reply_head_queue), .reply_head_i(reply_head),
      .fetch_command_valid_o(fetch_read_o.valid), .fetch_command_ready_i,
      .fetch_command_data_o(fetch_read_o.command), .fetch_beat_valid_i(fetch_beat_i.valid),
      .fetch_beat_data_i(fetch_beat_i.data), .fetch_beat_last_i(fetch_beat_i.last),
      .fetch_beat_error_i(fetch_beat_i.error), .request_descriptor_valid_o,
      .request_descriptor_ready_i, .request_descriptor_data_o, .reply_descriptor_valid_o,
      .reply_descriptor_ready_i, .reply_descriptor_data_o
  );

  // A descriptor that waits for injection keeps the node awake, but changes nothing here until it leaves.
  assign busy_o   = steps || fetch_busy;
  assign active_o = steps || fetch_active;
  assign steps    = !ready || turns_busy || change.valid || register_done_q || reservation_busy ||
      configuring_q || credit_returned_q || causes_o != '0;

  logic unused;
  assign unused = ^{enable_i, requests_i.releases, reply_head_queue};

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      tells_of_errors_alone : assert ((causes_o & ~{mu_pkg::CLIENTS{8'd1 << mu_pkg::CAUSE_ERROR}}) == '0);
      owner_exists : assert (!update || 32'(row.owner) < mu_pkg::CLIENTS);
      retire_names_a_queue : assert (!retire_i.valid || 32'(retire_i.descriptor.queue) < QUEUES);
      rewind_names_a_queue : assert (!rewind_i.valid || 32'(rewind_i.place.queue) < QUEUES);
      resume_names_a_queue :
      assert (!requests_i.resume.valid || 32'(requests_i.resume.place.queue) < QUEUES);
      hold_names_a_queue :
      assert (!requests_i.hold.valid || 32'(requests_i.hold.place.queue) < QUEUES);
      publish_legal :
      assert (!publish_i.valid || (32'(publish_i.target) < QUEUES && publish_i.amount < 8'd9));
      get_reserves_a_few : assert (!get_reserve || 4'(get_reserve_i.count - 1'b1) < 4'd8);
      if (rewinds) rewind_stands : assert (asked.index == rewind_i.place.index);
      if (resumes) resume_stands : assert (asked.index == requests_i.resume.place.index);
      if (holds) hold_stands : assert (asked.index == requests_i.hold.place.index);
      if (taken == mu_pkg::QUEUE_TURN_RETIRE)
        retire_stands :
        assert (asked.index == retire_i.descriptor.index &&
                asked.status == retire_i.descriptor.status);
      if (taken == mu_pkg::QUEUE_TURN_ENABLE)
        enable_stands : assert (asked.index == enable_i.operation.value[31:0]);
      if (taken == mu_pkg::QUEUE_TURN_PUBLISH)
        publish_stands : assert (asked.count == publish_i.amount[3:0]);
      if (taken == mu_pkg::QUEUE_TURN_GET_RESERVE)
        get_reserve_stands : assert (asked.count == get_reserve_i.count);
      if (configured)
        stays_as_it_was_found : assert (idle && write_config && queue == configure_queue_q);
      one_register_answer : assert (!register_done_q || register_valid_i);
    end
  end
  always_comb begin
    refuses_as_invalid : assert (refused == mu_pkg::STATUS_OK || refused == mu_pkg::STATUS_QUEUE_INVALID);
  end
endmodule
`default_nettype wire

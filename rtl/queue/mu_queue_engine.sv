// SPDX-License-Identifier: Apache-2.0
// mu_queue_engine: the injection queues: who fills them, and their descriptors on the way to injection.
//
//   register bus, reserve, publish ---> [ queue table, one operation a cycle ] <--- retire, rewind
//   fetch command <--- [ scheduler ] <----------+
//   fetch beats  ---> [ two descriptor buffers ] ---> request and reply descriptors
//
// Behaviour: descriptors of a queue are fetched and delivered in index order, each once, unless a rewind asks
//   for it again; after the doorbell or publish that covers them, and never one past it. Queues of mode
//   REFLECTION feed the reply stream and come first, all others the request stream, round robin. With
//   halt_on_error a descriptor is delivered only after the one before it was retired, and none after an
//   error. A rewound queue is parked until credit_returned_i; descriptors fetched behind the rewound one are
//   dropped. Reservations are all or nothing. A write of config waits until nothing of the queue is in
//   flight, and what ends meanwhile is not counted any more for a WAIT.
// Latency: doorbell to fetch command 2 cycles, last beat to descriptor 1, reserve to slots 1, register access
//   1. Operations: one a cycle, in the order of mu_queue_turns.
// Limits: see mu_queue_registers for refused register accesses; a reservation in a queue that is missing, of
//   another mode or being configured is QUEUE_INVALID, of another client DOORBELL_OWNER, without room
//   QUEUE_FULL.
`default_nettype none

module mu_queue_engine (
    input  logic                             clk_i,
    input  logic                             rst_ni,
    output logic                             busy_o,
    output logic                             active_o,  // an edge changes something, though nothing comes in
    output logic [     mu_pkg::CLIENTS*8-1:0] causes_o,
    // register bus
    input  logic                             register_valid_i,
    input  mu_pkg::register_request_t        register_request_i,
    output logic                             register_done_o,
    output mu_pkg::register_response_t       register_response_o,
    // reception engine: slots for a GET packet, emptiness for a credit query
    input  logic                             get_reserve_valid_i,
    output logic                             get_reserve_ready_o,
    input  logic [                      7:0] get_reserve_queue_i,
    input  logic [                      3:0] get_reserve_count_i,
    input  logic                             get_reserve_reflected_i,
    output logic                             get_slots_valid_o,
    output mu_pkg::ring_slots_t              get_slots_o,
    input  logic [                      7:0] empty_queue_i,
    output logic                             empty_o,
    // host interface: a slot for a pushed descriptor
    input  logic                             push_reserve_valid_i,
    output logic                             push_reserve_ready_o,
    input  logic [                      7:0] push_reserve_queue_i,
    input  logic [                      3:0] push_reserve_client_i,
    output logic                             push_slots_valid_o,
    output mu_pkg::ring_slots_t              push_slots_o,
    // completion: reserved slots are filled
    input  logic                             publish_valid_i,
    output logic                             publish_ready_o,
    input  logic [                      7:0] publish_target_i,
    input  logic [                      7:0] publish_count_i,
    // memory port
    output logic                             fetch_command_valid_o,
    input  logic                             fetch_command_ready_i,
    output mu_pkg::read_command_t            fetch_command_data_o,
    input  logic                             fetch_beat_valid_i,
    input  logic [  mu_pkg::MEMORY_BITS-1:0] fetch_beat_data_i,
    input  logic                             fetch_beat_last_i,
    input  logic                             fetch_beat_error_i,
    // injection engine
    output logic                             request_descriptor_valid_o,
    input  logic                             request_descriptor_ready_i,
    output mu_pkg::fetched_descriptor_t      request_descriptor_data_o,
    output logic                             reply_descriptor_valid_o,
    input  logic                             reply_descriptor_ready_i,
    output mu_pkg::fetched_descriptor_t      reply_descriptor_data_o,
    input  logic                             retire_valid_i,
    output logic                             retire_ready_o,
    input  logic [                      7:0] retire_queue_i,
    input  logic [                     31:0] retire_index_i,
    input  mu_pkg::status_e                  retire_status_i,
    input  logic                             rewind_valid_i,
    output logic                             rewind_ready_o,
    input  mu_pkg::queue_place_t             rewind_place_i,
    input  logic                             credit_returned_i,
    input  logic                             enable_valid_i,
    output logic                             enable_ready_o,
    input  mu_pkg::counter_operation_t       enable_operation_i,  // queue, index, relative, RECV_EN
    output mu_pkg::status_e                  enable_status_o,
    // cross-channel control
    input  logic                             hold_valid_i,
    output logic                             hold_ready_o,
    input  logic                             resume_valid_i,
    output logic                             resume_ready_o,
    input  mu_pkg::queue_place_t             hold_place_i,
    input  mu_pkg::queue_place_t             resume_place_i,
    input  logic                             release_valid_i,
    input  logic [                      7:0] release_queue_i,
    output logic                             configure_valid_o,
    output logic                             configured_o,
    output logic [                      7:0] configure_queue_o,
    output logic                             done_valid_o,
    output logic [                      7:0] done_queue_o,
    output logic [                     31:0] done_head_o,
    input  logic [                      7:0] probe_queue_i,
    output logic [                     31:0] probe_head_o,
    output logic [                      6:0] probe_setup_o,
    output logic                             configured_receive_o,  // configured_o, to RECEIVE or PIPED
    // queue pairs
    input  logic [                     11:0] last_node_i,
    input  logic [                      7:0] send_queue_i,
    output mu_pkg::queue_peer_t              send_peer_o,
    input  logic [                      7:0] entry_queue_i,
    output mu_pkg::queue_peer_t              entry_peer_o,
    input  logic [                      7:0] told_queue_i,
    output mu_pkg::queue_peer_t              told_peer_o,
    input  logic [                      7:0] receive_queue_i,
    output mu_pkg::queue_peer_t              receive_peer_o,
    input  logic [                      7:0] answer_queue_i,
    output mu_pkg::queue_peer_t              answer_peer_o,
    output logic [mu_pkg::INJECTION_QUEUES-1:0] dynamic_o
);
  localparam int unsigned QUEUES = mu_pkg::INJECTION_QUEUES;
  localparam int unsigned QUEUE_WIDTH = $clog2(QUEUES);
  localparam int unsigned REFLECTION_WIDTH = $clog2(mu_pkg::REFLECTION_QUEUES);

  // Who has the table in this cycle.
  logic ready, register_open, register_first, register_last;
  logic configuring;  // a write of config waits, or has its turn
  logic begins_anew;  // the queue that has the table, when its config is written
  logic retire, take_back, rewind, hold, enable, publish, get_reserve, push_reserve, fetch;
  mu_pkg::queue_place_t back;  // that a rewind or resume names
  logic [7:0] queue, register_queue;
  logic [QUEUE_WIDTH-1:0] row, register_row;  // of the table

  // Register access.
  logic doorbell, write_base, write_size, write_config, write_peer, idle;
  mu_pkg::queue_peer_t register_peer;
  mu_pkg::register_response_t response;

  // The queue before the operation, and what becomes of it.
  logic [9:0] setup;
  logic [39:0] base;
  logic [24:0] size;
  logic [31:0] head, fetch_index, published, reserved, fetch_lap, limit, probe_head;
  logic [23:0] fetch_position, reserve_position;
  logic [55:0] errors;
  logic halted, accept, reserve, update, work, reflection, halts, park, table_empty, reservation_busy;
  logic nothing_behind, look, enable_known;
  logic steps;  // something goes on in the next cycle
  logic [6:0] probe_setup;
  mu_pkg::status_e refused;

  // Fetching.
  logic choice_valid, fetch_holds, fetch_busy, fetch_active;
  logic [QUEUE_WIDTH-1:0] choice_queue, request_head_queue, reply_head_queue;
  logic [31:0] request_head, reply_head;

  logic answered, register_done_q, unused;
  logic credit_returned_q;  // while the rewind waited for its turn
  logic [71:0] register_response_q;
  assign unused = ^{enable_operation_i, release_queue_i, reply_head_queue, reserved};

  assign {row, register_row} = {queue[QUEUE_WIDTH-1:0], register_queue[QUEUE_WIDTH-1:0]};
  assign register_open = ready && register_valid_i && !register_done_q;
  assign begins_anew   = configuring && register_row == row;
  assign {configure_valid_o, configure_queue_o} = {configuring, register_queue};
  assign answered      = register_first || register_last;
  assign configured_o  = register_last && write_config;
  assign configured_receive_o = register_request_i.data[2:0] >= mu_pkg::QUEUE_MODE_RECEIVE;
  // From the write of its config on a queue's count is zero: who waits for it goes on waiting.
  assign {done_valid_o, done_queue_o} = {retire && !begins_anew, queue};
  assign probe_head_o = configuring && probe_queue_i[QUEUE_WIDTH-1:0] == register_row ? '0 : probe_head;

  // A resume is a rewind that does not park.
  assign rewind         = take_back && rewind_valid_i;
  assign resume_ready_o = rewind_ready_o && !rewind_valid_i;
  assign back           = rewind_valid_i ? rewind_place_i : resume_place_i;

  mu_queue_turns u_queue_turns (
      .enable_i(ready), .register_valid_i(register_open), .register_queue_i(register_queue),
      .register_config_i(configuring), .idle_i(idle), .retire_valid_i, .retire_ready_o, .retire_queue_i,
      .rewind_valid_i(rewind_valid_i || resume_valid_i), .rewind_ready_o, .rewind_queue_i(back.queue),
      .hold_valid_i, .hold_ready_o, .hold_queue_i(hold_place_i.queue), .enable_valid_i, .enable_ready_o,
      .enable_queue_i(enable_operation_i.counter), .publish_valid_i, .publish_ready_o,
      .publish_queue_i(publish_target_i), .get_reserve_valid_i, .get_reserve_ready_o, .get_reserve_queue_i,
      .push_reserve_valid_i, .push_reserve_ready_o, .push_reserve_queue_i, .fetch_valid_i(choice_valid),
      .fetch_queue_i(8'(choice_queue)), .register_first_o(register_first), .register_last_o(register_last),
      .retire_o(retire), .rewind_o(take_back), .hold_o(hold), .enable_o(enable), .publish_o(publish),
      .get_reserve_o(get_reserve), .push_reserve_o(push_reserve), .fetch_o(fetch), .look_o(look),
      .queue_o(queue)
  );

  mu_queue_registers u_queue_registers (
      .valid_i(register_open), .request_i(register_request_i), .response_o(response),
      .queue_o(register_queue), .config_o(configuring), .setup_i(setup), .base_i(base), .size_i(size),
      .head_i(head), .published_i(published), .errors_i(errors), .halted_i(halted), .limit_i(limit),
      .accept_i(accept), .doorbell_o(doorbell), .write_base_o(write_base), .write_size_o(write_size),
      .write_config_o(write_config), .peer_i(register_peer), .last_node_i, .write_peer_o(write_peer)
  );

  mu_queue_peers #(
      .QUEUES(QUEUES)
  ) u_queue_peers (
      .clk_i, .rst_ni, .write_i(write_peer), .write_queue_i(8'(register_row)),
      .write_peer_i(register_request_i.data[mu_pkg::QUEUE_PEER_BITS-1:0]),
      .register_queue_i(8'(register_row)), .register_peer_o(register_peer), .send_queue_i, .send_peer_o,
      .entry_queue_i, .entry_peer_o, .told_queue_i, .told_peer_o, .receive_queue_i, .receive_peer_o,
      .answer_queue_i, .answer_peer_o, .dynamic_o
  );

  // Nothing fetched, delivered or being written; only looked at while the table shows the queue to configure.
  // Indices of one queue are no further apart than its ring is large.
  assign idle = fetch_index[24:0] == head[24:0] && reserved[24:0] == published[24:0] && !fetch_holds;

  mu_queue_reservation u_queue_reservation (
      .clk_i, .rst_ni, .busy_o(reservation_busy), .get_i(get_reserve), .reflected_i(get_reserve_reflected_i),
      .push_i(push_reserve), .client_i(push_reserve_client_i), .known_i(32'(queue) < QUEUES && !begins_anew),
      .setup_i(setup[6:0]), .base_i(base), .size_i(size), .position_i(reserve_position), .reserve_o(reserve),
      .accept_i(accept), .get_slots_valid_o, .get_slots_o, .push_slots_valid_o, .push_slots_o
  );

  mu_queue_table #(
      .QUEUES(QUEUES)
  ) u_queue_table (
      .clk_i, .rst_ni, .ready_o(ready), .look_i(look), .queue_i(row), .write_base_i(write_base),
      .write_size_i(write_size), .write_config_i(configured_o), .doorbell_i(doorbell), .reserve_i(reserve),
      .publish_i(publish), .fetch_i(fetch), .retire_i(retire), .rewind_i(take_back), .hold_i(hold),
      .enable_i(enable && enable_known), .value_i(register_request_i.data[39:0]),
      .index_i(retire ? retire_index_i : take_back ? back.index : hold ? hold_place_i.index :
      enable ? enable_operation_i.value[31:0] : register_request_i.data[31:0]),
      .position_i(hold ? hold_place_i.position : back.position), .lap_i(hold ? hold_place_i.lap : back.lap),
      .count_i(publish ? publish_count_i[3:0] : get_reserve ? get_reserve_count_i : 4'd1),
      .status_i(retire_status_i), .relative_i(enable_operation_i.add), .client_i(enable_operation_i.client),
      .receive_i(enable_operation_i.is_event), .accept_o(accept), .setup_o(setup), .base_o(base),
      .size_o(size), .head_o(head), .fetch_index_o(fetch_index), .fetch_lap_o(fetch_lap),
      .fetch_position_o(fetch_position), .published_o(published), .reserved_o(reserved),
      .reserve_position_o(reserve_position), .errors_o(errors), .halted_o(halted), .limit_o(limit),
      .nothing_behind_o(nothing_behind), .refused_o(refused), .update_o(update), .work_o(work),
      .reflection_o(reflection), .halts_o(halts), .done_o(done_head_o), .causes_o,
      .request_head_queue_i(request_head_queue), .request_head_o(request_head),
      .reply_head_queue_i(QUEUE_WIDTH'(reply_head_queue[REFLECTION_WIDTH-1:0])), .reply_head_o(reply_head),
      .empty_queue_i(empty_queue_i[QUEUE_WIDTH-1:0]), .empty_o(table_empty),
      .probe_queue_i(probe_queue_i[QUEUE_WIDTH-1:0]), .probe_head_o(probe_head), .probe_setup_o(probe_setup)
  );
  assign empty_o         = table_empty && 32'(empty_queue_i) < QUEUES;
  assign probe_setup_o   = 32'(probe_queue_i) < QUEUES ? probe_setup : '0;
  assign enable_known    = 32'(enable_operation_i.counter) < QUEUES;
  assign enable_status_o = enable_known ? refused : mu_pkg::STATUS_QUEUE_INVALID;

  // A credit that comes back while the rewind waits must not be missed, or the queue would park for ever.
  assign park = rewind && !credit_returned_i && !credit_returned_q;

  mu_descriptor_fetch #(
      .QUEUES(QUEUES)
  ) u_descriptor_fetch (
      .clk_i, .rst_ni, .busy_o(fetch_busy), .active_o(fetch_active), .queue_i(row), .update_i(update),
      .work_i(work), .reflection_i(reflection), .park_i(park), .afresh_i(configured_o), .stop_i(hold),
      .one_more_i(nothing_behind && !setup[7]), .release_i(release_valid_i),
      .release_queue_i(release_queue_i[QUEUE_WIDTH-1:0]), .unpark_i(credit_returned_i), .hold_i(configuring),
      .hold_queue_i(register_row), .holds_o(fetch_holds), .choice_valid_o(choice_valid),
      .choice_queue_o(choice_queue), .fetch_i(fetch), .index_i(fetch_index), .position_i(fetch_position),
      .lap_i(fetch_lap), .base_i(base), .setup_i(setup[7:0]),
      .kill_i(take_back || halts || (hold && setup[7])), .request_head_queue_o(request_head_queue),
      .request_head_i(request_head), .reply_head_queue_o(reply_head_queue), .reply_head_i(reply_head),
      .fetch_command_valid_o, .fetch_command_ready_i, .fetch_command_data_o, .fetch_beat_valid_i,
      .fetch_beat_data_i, .fetch_beat_last_i, .fetch_beat_error_i, .request_descriptor_valid_o,
      .request_descriptor_ready_i, .request_descriptor_data_o, .reply_descriptor_valid_o,
      .reply_descriptor_ready_i, .reply_descriptor_data_o
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      register_done_q     <= 1'b0;
      register_response_q <= '0;
      credit_returned_q   <= 1'b0;
    end else begin
      register_done_q     <= answered;
      register_response_q <= answered ? response : '0;
      credit_returned_q   <= rewind_valid_i && !rewind && (credit_returned_q || credit_returned_i);
    end
  end

  // A descriptor that waits for injection keeps the node awake, but changes nothing here until it leaves.
  assign busy_o              = steps || fetch_busy;
  assign active_o            = steps || fetch_active;
  assign steps               = !ready || register_done_q || reservation_busy || credit_returned_q ||
      causes_o != '0;
  assign {register_done_o, register_response_o} = {register_done_q, register_response_q};

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      tells_of_errors_alone : assert ((causes_o & ~{mu_pkg::CLIENTS{8'd1 << mu_pkg::CAUSE_ERROR}}) == '0);
      owner_exists : assert (!ready || 32'(setup[6:3]) < mu_pkg::CLIENTS);
      retire_names_a_queue : assert (!retire_valid_i || 32'(retire_queue_i) < QUEUES);
      rewind_names_a_queue : assert (!(rewind_valid_i || resume_valid_i) || 32'(back.queue) < QUEUES);
      hold_names_a_queue : assert (!hold_valid_i || 32'(hold_place_i.queue) < QUEUES);
      publish_legal : assert (!publish_valid_i || (32'(publish_target_i) < QUEUES && publish_count_i < 8'd9));
      get_reserves_a_few : assert (!get_reserve || 4'(get_reserve_count_i - 1'b1) < 4'd8);
      one_register_answer : assert (!register_done_q || register_valid_i);
    end
  end
  always_comb begin
    refuses_as_invalid : assert (refused == mu_pkg::STATUS_OK || refused == mu_pkg::STATUS_QUEUE_INVALID);
  end
endmodule
`default_nettype wire

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
//   flight.
// Latency: doorbell to fetch command 2 cycles, last beat to descriptor 1, reserve to slots 1, register access
//   1. Operations: register, retire, rewind, publish, get reserve, push reserve, fetch, config write, in this
//   order.
// Limits: see mu_queue_registers for refused register accesses; a reservation in a queue that is missing, of
//   another mode or being configured is QUEUE_INVALID, of another client DOORBELL_OWNER, without room
//   QUEUE_FULL.
`default_nettype none

module mu_queue_engine (
    input  logic                             clk_i,
    input  logic                             rst_ni,
    output logic                             busy_o,
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
    input  logic [                      7:0] retire_status_i,
    input  logic                             rewind_valid_i,
    output logic                             rewind_ready_o,
    input  logic [                      7:0] rewind_queue_i,
    input  logic [                     31:0] rewind_index_i,
    input  logic [                     23:0] rewind_position_i,
    input  logic                             credit_returned_i
);
  localparam int unsigned QUEUES = mu_pkg::INJECTION_QUEUES;
  localparam int unsigned QUEUE_WIDTH = $clog2(QUEUES);

  // Who has the table in this cycle; others_done: nobody but the scheduler and a config write.
  logic ready, others_done;
  logic register_open, register_first, register_last, configuring;
  logic retire, rewind, publish, get_reserve, push_reserve, fetch;
  logic [7:0] queue, register_queue;

  // Register access.
  logic register_config, doorbell, write_base, write_size, write_config, idle;
  mu_pkg::register_response_t response;

  // The queue before the operation, and what becomes of it.
  logic [7:0] setup;
  logic [39:0] base;
  logic [24:0] size;
  logic [31:0] head, fetch_index, published, reserved;
  logic [23:0] fetch_position, reserve_position;
  logic [55:0] errors;
  logic halted, accept, reserve, update, work, reflection, halts, park, table_empty, reservation_busy;

  // Fetching.
  logic choice_valid, fetch_holds, fetch_busy;
  logic [QUEUE_WIDTH-1:0] choice_queue, request_head_queue, reply_head_queue;
  logic [31:0] request_head, reply_head;

  logic register_done_q;
  logic credit_returned_q;  // while the rewind waited for its turn
  logic [71:0] register_response_q;

  assign register_open  = ready && register_valid_i && !register_done_q;
  assign configuring    = register_open && register_config;
  assign register_first = register_open && !register_config;
  assign retire_ready_o       = ready && !register_first;
  assign rewind_ready_o       = retire_ready_o && !retire_valid_i;
  assign publish_ready_o      = rewind_ready_o && !rewind_valid_i;
  assign get_reserve_ready_o  = publish_ready_o && !publish_valid_i;
  assign push_reserve_ready_o = get_reserve_ready_o && !get_reserve_valid_i;
  assign retire         = retire_valid_i && retire_ready_o;
  assign rewind         = rewind_valid_i && rewind_ready_o;
  assign publish        = publish_valid_i && publish_ready_o;
  assign get_reserve    = get_reserve_valid_i && get_reserve_ready_o;
  assign push_reserve   = push_reserve_valid_i && push_reserve_ready_o;
  assign others_done    = push_reserve_ready_o && !push_reserve_valid_i;
  assign fetch          = choice_valid && others_done;
  assign register_last  = configuring && others_done && !fetch && idle;

  assign queue = register_first ? register_queue : retire ? retire_queue_i : rewind ? rewind_queue_i :
      publish ? publish_target_i : get_reserve ? get_reserve_queue_i : push_reserve ? push_reserve_queue_i :
      fetch ? 8'(choice_queue) : register_queue;

  mu_queue_registers u_queue_registers (
      .valid_i       (register_open),
      .request_i     (register_request_i),
      .response_o    (response),
      .queue_o       (register_queue),
      .config_o      (register_config),
      .setup_i       (setup),
      .base_i        (base),
      .size_i        (size),
      .head_i        (head),
      .published_i   (published),
      .errors_i      (errors),
      .halted_i      (halted),
      .accept_i      (accept),
      .doorbell_o    (doorbell),
      .write_base_o  (write_base),
      .write_size_o  (write_size),
      .write_config_o(write_config)
  );

  // Nothing fetched, delivered or being written; only looked at while the table shows the queue to configure.
  assign idle = 32'(register_queue) >= QUEUES ||
      (fetch_index == head && reserved == published && !fetch_holds);

  mu_queue_reservation u_queue_reservation (
      .clk_i,
      .rst_ni,
      .busy_o     (reservation_busy),
      .get_i      (get_reserve),
      .reflected_i(get_reserve_reflected_i),
      .push_i     (push_reserve),
      .client_i   (push_reserve_client_i),
      .known_i    (32'(queue) < QUEUES && !(configuring && register_queue == queue)),
      .setup_i    (setup[6:0]),
      .base_i     (base),
      .size_i     (size),
      .position_i (reserve_position),
      .reserve_o  (reserve),
      .accept_i   (accept),
      .get_slots_valid_o,
      .get_slots_o,
      .push_slots_valid_o,
      .push_slots_o
  );

  mu_queue_table #(
      .QUEUES(QUEUES)
  ) u_queue_table (
      .clk_i,
      .rst_ni,
      .ready_o             (ready),
      .queue_i             (queue[QUEUE_WIDTH-1:0]),
      .write_base_i        (write_base && register_first),
      .write_size_i        (write_size && register_first),
      .write_config_i      (write_config && register_last),
      .doorbell_i          (doorbell && register_first),
      .reserve_i           (reserve),
      .publish_i           (publish),
      .fetch_i             (fetch),
      .retire_i            (retire),
      .rewind_i            (rewind),
      .value_i             (register_request_i.data[39:0]),
      .index_i             (retire ? retire_index_i : rewind ? rewind_index_i :
                            register_request_i.data[31:0]),
      .position_i          (rewind_position_i),
      .count_i             (publish ? publish_count_i[3:0] : get_reserve ? get_reserve_count_i : 4'd1),
      .status_i            (retire_status_i),
      .accept_o            (accept),
      .setup_o             (setup),
      .base_o              (base),
      .size_o              (size),
      .head_o              (head),
      .fetch_index_o       (fetch_index),
      .fetch_position_o    (fetch_position),
      .published_o         (published),
      .reserved_o          (reserved),
      .reserve_position_o  (reserve_position),
      .errors_o            (errors),
      .halted_o            (halted),
      .update_o            (update),
      .work_o              (work),
      .reflection_o        (reflection),
      .halts_o             (halts),
      .causes_o,
      .request_head_queue_i(request_head_queue),
      .request_head_o      (request_head),
      .reply_head_queue_i  (reply_head_queue),
      .reply_head_o        (reply_head),
      .empty_queue_i       (empty_queue_i[QUEUE_WIDTH-1:0]),
      .empty_o             (table_empty)
  );
  assign empty_o = table_empty && 32'(empty_queue_i) < QUEUES;

  // A credit that comes back while the rewind waits must not be missed, or the queue would park for ever.
  assign park = rewind && !credit_returned_i && !credit_returned_q;

  mu_descriptor_fetch #(
      .QUEUES(QUEUES)
  ) u_descriptor_fetch (
      .clk_i,
      .rst_ni,
      .busy_o              (fetch_busy),
      .queue_i             (queue[QUEUE_WIDTH-1:0]),
      .update_i            (update),
      .work_i              (work),
      .reflection_i        (reflection),
      .park_i              (park),
      .afresh_i            (write_config && register_last),
      .unpark_i            (credit_returned_i),
      .hold_i              (configuring),
      .hold_queue_i        (register_queue[QUEUE_WIDTH-1:0]),
      .holds_o             (fetch_holds),
      .choice_valid_o      (choice_valid),
      .choice_queue_o      (choice_queue),
      .fetch_i             (fetch),
      .index_i             (fetch_index),
      .position_i          (fetch_position),
      .base_i              (base),
      .setup_i             (setup),
      .kill_i              (rewind || halts),
      .request_head_queue_o(request_head_queue),
      .request_head_i      (request_head),
      .reply_head_queue_o  (reply_head_queue),
      .reply_head_i        (reply_head),
      .fetch_command_valid_o,
      .fetch_command_ready_i,
      .fetch_command_data_o,
      .fetch_beat_valid_i,
      .fetch_beat_data_i,
      .fetch_beat_last_i,
      .fetch_beat_error_i,
      .request_descriptor_valid_o,
      .request_descriptor_ready_i,
      .request_descriptor_data_o,
      .reply_descriptor_valid_o,
      .reply_descriptor_ready_i,
      .reply_descriptor_data_o
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      register_done_q     <= 1'b0;
      register_response_q <= '0;
      credit_returned_q   <= 1'b0;
    end else begin
      register_done_q     <= register_first || register_last;
      register_response_q <= register_first || register_last ? response : '0;
      credit_returned_q   <= rewind_valid_i && !rewind && (credit_returned_q || credit_returned_i);
    end
  end

  assign busy_o              = !ready || register_done_q || reservation_busy || credit_returned_q ||
      fetch_busy || causes_o != '0;
  assign {register_done_o, register_response_o} = {register_done_q, register_response_q};

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      retire_names_a_queue : assert (!retire || 32'(queue) < QUEUES);
      rewind_names_a_queue : assert (!rewind || 32'(queue) < QUEUES);
      publish_is_legal :
      assert (!publish_valid_i || (32'(publish_target_i) < QUEUES && publish_count_i <= 8'd8));
      get_reserves_a_few : assert (!get_reserve || 4'(get_reserve_count_i - 1'b1) < 4'd8);
      one_register_answer : assert (!register_done_q || register_valid_i);
    end
  end
endmodule
`default_nettype wire

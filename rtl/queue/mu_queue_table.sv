// SPDX-License-Identifier: Apache-2.0
// mu_queue_table: the state of every injection queue; its row is read, then one step of it done.
//
//   read_i, queue ---> [ memories ] ---> row_o
//   operation ----------> [ row, mu_ring_update ---> memories ] ---> answer; change_o in the next cycle
//
// Behaviour: read_i takes the row of queue_i; from the next cycle on row_o shows it, and the next operation
//   is done to that queue. Steps that move the ring are those of mu_ring_update. CONFIGURE
//   clears indices and errors and takes mode, owner, halt_on_error, cyclic and managed. RETIRE with a
//   status counts the error, keeps the first, raises ERROR for the owner, and halts the queue if
//   halt_on_error is set (halts_o). ENABLE moves the limit of a managed queue of the client, a receive
//   queue if `receive` and only then, up to index, or by index if relative; else refused_o says why and
//   nothing moves. HOLD of a queue that halts on errors takes fetch back behind the held descriptor, of
//   another it changes nothing; nothing_behind_o says that nothing behind it has been fetched. change_o
//   tells in the next cycle what has become of the queue: whether it has something to fetch, posted and
//   below the limit if managed, and how far it is done.
// Latency: row_o and change_o 1 cycle; the answers (accept_o, refused_o, halts_o, nothing_behind_o) at
//   once. After reset a walk of one cycle a queue clears the memories; ready_o is low until then.
// Limits: nothing before ready_o; one operation at most behind each read_i.
// two-readers: seen=5 nightly
`default_nettype none

module mu_queue_table #(
    parameter  int unsigned QUEUES      = 32,
    localparam int unsigned QUEUE_WIDTH = $clog2(QUEUES)
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    output logic                         ready_o,
    // the queue that has its turn
    input  logic                         read_i,
    input  logic [      QUEUE_WIDTH-1:0] queue_i,
    output mu_pkg::queue_row_t           row_o,
    // its step
    input  mu_pkg::queue_operation_t     operation_i,
    output logic                         accept_o,
    output logic                         halts_o,
    output logic                         nothing_behind_o,
    output mu_pkg::status_e              refused_o,
    // what has become of it; nothing of park, restart, stop, one_more
    output mu_pkg::queue_change_t        change_o,
    output logic [mu_pkg::CLIENTS*8-1:0] causes_o,
    // more views: heads for the two descriptor buffers, emptiness for a credit query, a queue to wait for
    input  logic [      QUEUE_WIDTH-1:0] request_head_queue_i,
    output logic [                 31:0] request_head_o,
    input  logic [      QUEUE_WIDTH-1:0] reply_head_queue_i,
    output logic [                 31:0] reply_head_o,
    input  logic [      QUEUE_WIDTH-1:0] empty_queue_i,
    output logic                         empty_o,
    input  logic [      QUEUE_WIDTH-1:0] probe_queue_i,
    output logic [                 31:0] probe_head_o,
    output logic [                  6:0] probe_setup_o  // owner, mode
);
  localparam int unsigned SETUP_BITS = 10;
  localparam int unsigned ERROR_BITS = 56;

  logic [31:0]                     head_mem        [QUEUES];
  logic [31:0]                     fetch_index_mem [QUEUES];
  logic [31:0]                     published_mem   [QUEUES];
  logic [31:0]                     reserved_mem    [QUEUES];
  logic [31:0]                     fetch_lap_mem   [QUEUES];
  logic [31:0]                     limit_mem       [QUEUES];
  logic [mu_pkg::ADDRESS_BITS-1:0] base_mem        [QUEUES];
  logic [24:0]                     size_mem        [QUEUES];
  logic [SETUP_BITS-1:0]           setup_mem       [QUEUES];
  logic [ERROR_BITS-1:0]           errors_mem      [QUEUES];
  logic [QUEUES-1:0]               halted_q;

  logic [  QUEUE_WIDTH:0] clear_q;  // the queue that the walk after reset clears next
  logic                   clear;
  logic [QUEUE_WIDTH-1:0] queue_q;  // whose row was read
  logic [QUEUE_WIDTH-1:0] queue;    // that is written
  mu_pkg::queue_row_t     row_q;
  mu_pkg::queue_row_t     next;     // the row after the step
  mu_pkg::queue_row_t     next_q;
  mu_pkg::queue_change_t  change_q;
  mu_pkg::queue_step_e    step;
  logic                   ring;     // a step that moves indices
  logic                   configures;
  logic                   fails;
  logic                   enables;
  logic                   writes_base;
  logic                   writes_size;
  logic [           31:0] beyond;   // how far the new limit lies past the old

  assign ready_o     = clear_q == (QUEUE_WIDTH + 1)'(QUEUES);
  assign clear       = !ready_o;
  assign queue       = clear ? clear_q[QUEUE_WIDTH-1:0] : queue_q;
  assign row_o       = row_q;
  assign step        = operation_i.step;
  assign writes_base = step == mu_pkg::QUEUE_STEP_WRITE_BASE;
  assign writes_size = step == mu_pkg::QUEUE_STEP_WRITE_SIZE;
  assign configures  = step == mu_pkg::QUEUE_STEP_CONFIGURE;
  assign enables     = step == mu_pkg::QUEUE_STEP_ENABLE;
  assign ring        = step != mu_pkg::QUEUE_STEP_NONE && !writes_base && !writes_size && !enables;
  assign fails       = step == mu_pkg::QUEUE_STEP_RETIRE && operation_i.status != mu_pkg::STATUS_OK;
  assign halts_o     = fails && row_q.halt_on_error;

  assign request_head_o = head_mem[request_head_queue_i];
  assign reply_head_o   = head_mem[reply_head_queue_i];
  assign empty_o        = setup_mem[empty_queue_i][2:0] == mu_pkg::QUEUE_MODE_REFLECTION &&
      head_mem[empty_queue_i] == reserved_mem[empty_queue_i];
  assign probe_head_o   = head_mem[probe_queue_i];
  assign probe_setup_o  = setup_mem[probe_queue_i][6:0];

  // --- read ----------------------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (read_i) begin
      queue_q                <= queue_i;
      row_q.base          <= base_mem[queue_i];
      row_q.size          <= size_mem[queue_i];
      row_q.mode          <= setup_mem[queue_i][2:0];
      row_q.owner         <= setup_mem[queue_i][6:3];
      row_q.halt_on_error <= setup_mem[queue_i][7];
      row_q.cyclic        <= setup_mem[queue_i][8];
      row_q.managed       <= setup_mem[queue_i][9];
      row_q.halted        <= halted_q[queue_i];
      row_q.head          <= head_mem[queue_i];
      row_q.fetch_index   <= fetch_index_mem[queue_i];
      row_q.published     <= published_mem[queue_i];
      row_q.reserved      <= reserved_mem[queue_i];
      row_q.limit         <= limit_mem[queue_i];
      row_q.fetch_lap     <= fetch_lap_mem[queue_i];
      row_q.error_status  <= errors_mem[queue_i][7:0];
      row_q.error_count   <= errors_mem[queue_i][23:8];
      row_q.error_index   <= errors_mem[queue_i][55:24];
    end
  end

  // --- update --------------------------------------------------------------------------------------
  logic [31:0] head;
  logic [31:0] fetch_index;
  logic [31:0] published;
  logic [31:0] reserved;
  logic [31:0] fetch_lap;

  assign nothing_behind_o = row_q.fetch_index == operation_i.index + 1'b1;

  mu_ring_update u_ring_update (
      .reset_i       (configures),
      .doorbell_i    (step == mu_pkg::QUEUE_STEP_DOORBELL),
      .reserve_i     (step == mu_pkg::QUEUE_STEP_RESERVE),
      .publish_i     (step == mu_pkg::QUEUE_STEP_PUBLISH),
      .fetch_i       (step == mu_pkg::QUEUE_STEP_FETCH),
      .retire_i      (step == mu_pkg::QUEUE_STEP_RETIRE),
      .halt_i        (halts_o),
      .rewind_i      (step == mu_pkg::QUEUE_STEP_REWIND),
      .hold_i        (step == mu_pkg::QUEUE_STEP_HOLD && row_q.halt_on_error),
      .index_i       (operation_i.index),
      .lap_i         (operation_i.lap),
      .count_i       (operation_i.count),
      .cyclic_i      (row_q.cyclic),
      .size_i        (row_q.size),
      .head_i        (row_q.head),
      .fetch_index_i (row_q.fetch_index),
      .published_i   (row_q.published),
      .reserved_i    (row_q.reserved),
      .fetch_lap_i   (row_q.fetch_lap),
      .accept_o,
      .head_o        (head),
      .fetch_index_o (fetch_index),
      .published_o   (published),
      .reserved_o    (reserved),
      .fetch_lap_o   (fetch_lap)
  );

  always_comb begin
    next      = row_q;
    refused_o = mu_pkg::STATUS_OK;
    beyond    = '0;
    if (ring) begin
      next.head        = head;
      next.fetch_index = fetch_index;
      next.published   = published;
      next.reserved    = reserved;
      next.fetch_lap   = fetch_lap;
    end
    if (writes_base) next.base = operation_i.value;
    if (writes_size) next.size = operation_i.value[24:0];
    if (configures) begin
      next.mode          = operation_i.value[2:0];
      next.owner         = operation_i.value[7:4];
      next.halt_on_error = operation_i.value[8];
      next.cyclic        = operation_i.value[9];
      next.managed       = operation_i.value[10];
      next.halted        = 1'b0;
      next.limit         = '0;
      next.error_status  = '0;
      next.error_count   = '0;
      next.error_index   = '0;
    end
    if (fails) begin
      if (row_q.error_status == mu_pkg::STATUS_OK) begin
        next.error_status = operation_i.status;
        next.error_index  = operation_i.index;
      end
      if (row_q.error_count != '1) next.error_count = row_q.error_count + 1'b1;
      if (row_q.halt_on_error) next.halted = 1'b1;
    end
    if (enables) begin
      // Indices wrap, so ahead means less than half the circle away.
      beyond = operation_i.relative ? operation_i.index : operation_i.index - row_q.limit;
      if (!row_q.managed || row_q.owner != operation_i.client ||
          (row_q.mode == mu_pkg::QUEUE_MODE_RECEIVE) != operation_i.receive)
        refused_o = mu_pkg::STATUS_QUEUE_INVALID;
      else if (!beyond[31]) next.limit = row_q.limit + beyond;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) clear_q <= '0;
    else if (clear) clear_q <= clear_q + 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) halted_q <= '0;
    else if (configures || fails) begin
      for (int unsigned i = 0; i < QUEUES; i++) if (queue_q == QUEUE_WIDTH'(i)) halted_q[i] <= next.halted;
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < mu_pkg::CLIENTS; i++)
      causes_o[i*8+:8] <= rst_ni && fails && row_q.owner == 4'(i) ? 8'd1 << mu_pkg::CAUSE_ERROR : '0;
  end

  always_ff @(posedge clk_i) begin
    if (clear || ring) begin
      head_mem[queue]        <= clear ? '0 : next.head;
      fetch_index_mem[queue] <= clear ? '0 : next.fetch_index;
      published_mem[queue]   <= clear ? '0 : next.published;
      reserved_mem[queue]    <= clear ? '0 : next.reserved;
      fetch_lap_mem[queue]   <= clear ? '0 : next.fetch_lap;
    end
    if (clear || configures || enables) limit_mem[queue] <= clear ? '0 : next.limit;
    if (clear || writes_base) base_mem[queue] <= clear ? '0 : next.base;
    if (clear || writes_size) size_mem[queue] <= clear ? '0 : next.size;
    if (clear || configures)
      setup_mem[queue] <= clear ? '0 : {next.managed, next.cyclic, next.halt_on_error, next.owner, next.mode};
    if (clear || configures || fails)
      errors_mem[queue] <= clear ? '0 : {next.error_index, next.error_count, next.error_status};
  end

  // --- what has become of it -----------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (!rst_ni) change_q <= '0;
    else if (ring || enables || change_q.valid) begin
      change_q       <= '0;
      change_q.valid <= ring || enables;
      change_q.queue <= 8'(queue_q);
      change_q.done  <= step == mu_pkg::QUEUE_STEP_RETIRE;
      change_q.head  <= next.head;
    end
  end
  always_ff @(posedge clk_i) if (ring || enables) next_q <= next;
  always_comb begin
    change_o = '0;
    if (change_q.valid) begin
      change_o            = change_q;
      change_o.work       = next_q.mode != mu_pkg::QUEUE_MODE_OFF && !next_q.halted &&
          next_q.published != next_q.fetch_index && !(next_q.managed && next_q.limit == next_q.fetch_index);
      change_o.reflection = next_q.mode == mu_pkg::QUEUE_MODE_REFLECTION;
    end
  end

  logic unused;
  assign unused = ^{next_q, operation_i.value[3]};

  logic read_q;  // the row is that of the memories
  always_ff @(posedge clk_i) read_q <= rst_ni && (read_i || (read_q && step == mu_pkg::QUEUE_STEP_NONE));
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      steps_after_a_read : assert (step == mu_pkg::QUEUE_STEP_NONE || (read_q && ready_o));
      if (step == mu_pkg::QUEUE_STEP_FETCH)
        fetches_what_is_published : assert (row_q.published != row_q.fetch_index);
      if (step == mu_pkg::QUEUE_STEP_PUBLISH)
        publishes_what_is_reserved :
        assert (row_q.reserved - row_q.published >= 32'(operation_i.count));
      // A descriptor that follows a WAIT at once retires it too.
      if (step == mu_pkg::QUEUE_STEP_RETIRE || step == mu_pkg::QUEUE_STEP_HOLD)
        ends_or_holds_what_is_in_flight :
        assert (operation_i.index - row_q.head < row_q.fetch_index - row_q.head);
      if (step == mu_pkg::QUEUE_STEP_REWIND)
        rewinds_what_is_in_flight :
        assert (row_q.fetch_index - operation_i.index <= row_q.fetch_index - row_q.head);
    end
  end
endmodule
`default_nettype wire

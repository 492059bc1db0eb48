// SPDX-License-Identifier: Apache-2.0
// mu_queue_table: the state of every injection queue; one operation on one queue a cycle.
//
//   operation, queue ---> [ memories ---> mu_ring_update ---> memories ] ---> state before, work after
//
// Behaviour: with look_i the outputs show the queue as it is before the operation of this cycle, else zero.
//   Ring operations are those of mu_ring_update. write_config clears indices and errors and takes mode,
//   owner, halt_on_error, cyclic and managed. retire with a status counts the error, keeps the first, raises
//   ERROR for the owner, and halts the queue if halt_on_error is set (halts_o). enable moves the limit of a
//   managed queue of client_i, receive queue if receive_i and only then, up to index_i, or by index_i if
//   relative; else refused_o says why and nothing moves. hold of a
//   queue that halts on errors takes fetch back behind the held descriptor, of another it changes nothing;
//   nothing_behind_o says that nothing behind it has been fetched. work_o tells whether the queue has
//   something to fetch after the operation: posted, and below the limit if managed.
// Latency: combinational outputs; the operation is done at the clock edge. After reset a walk of one cycle a
//   queue clears the memories; ready_o is low until then.
// Limits: no operation before ready_o, and none but the one-hot ones.
// two-readers: seen=5 nightly
`default_nettype none

module mu_queue_table #(
    parameter  int unsigned QUEUES      = 32,
    localparam int unsigned QUEUE_WIDTH = $clog2(QUEUES)
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    output logic                   ready_o,
    input  logic                   look_i,  // at the queue: with each operation, and to read it
    // operation
    input  logic [QUEUE_WIDTH-1:0] queue_i,
    input  logic                   write_base_i,
    input  logic                   write_size_i,
    input  logic                   write_config_i,
    input  logic                   doorbell_i,
    input  logic                   reserve_i,
    input  logic                   publish_i,
    input  logic                   fetch_i,
    input  logic                   retire_i,
    input  logic                   rewind_i,
    input  logic                   hold_i,
    input  logic                   enable_i,
    input  logic [           39:0] value_i,
    input  logic [           31:0] index_i,
    input  logic [           23:0] position_i,
    input  logic [           31:0] lap_i,
    input  logic [            3:0] count_i,
    input  mu_pkg::status_e        status_i,
    input  logic                   relative_i,
    input  logic [            3:0] client_i,
    input  logic                   receive_i,          // enable: of a receive queue
    // the queue before it
    output logic                   accept_o,
    output logic [            9:0] setup_o,              // managed, cyclic, halt_on_error, owner, mode
    output logic [           39:0] base_o,
    output logic [           24:0] size_o,
    output logic [           31:0] head_o,
    output logic [           31:0] fetch_index_o,
    output logic [           23:0] fetch_position_o,
    output logic [           31:0] fetch_lap_o,
    output logic [           31:0] published_o,
    output logic [           31:0] reserved_o,
    output logic [           23:0] reserve_position_o,
    output logic [           55:0] errors_o,
    output logic                   halted_o,
    output logic [           31:0] limit_o,
    output logic                   nothing_behind_o,
    output mu_pkg::status_e        refused_o,            // of enable: a status
    // the queue after it
    output logic                   update_o,
    output logic                   work_o,
    output logic                   reflection_o,
    output logic                   halts_o,
    output logic [           31:0] done_o,               // head
    output logic [mu_pkg::CLIENTS*8-1:0] causes_o,
    // more views: heads for the two descriptor buffers, emptiness for a credit query, a queue to wait for
    input  logic [QUEUE_WIDTH-1:0] request_head_queue_i,
    output logic [           31:0] request_head_o,
    input  logic [QUEUE_WIDTH-1:0] reply_head_queue_i,
    output logic [           31:0] reply_head_o,
    input  logic [QUEUE_WIDTH-1:0] empty_queue_i,
    output logic                   empty_o,
    input  logic [QUEUE_WIDTH-1:0] probe_queue_i,
    output logic [           31:0] probe_head_o,
    output logic [            6:0] probe_setup_o         // owner, mode
);
  logic [      31:0] head_mem            [QUEUES];
  logic [      31:0] fetch_index_mem     [QUEUES];
  logic [      31:0] published_mem       [QUEUES];
  logic [      31:0] reserved_mem        [QUEUES];
  logic [      23:0] fetch_position_mem  [QUEUES];
  logic [      31:0] fetch_lap_mem       [QUEUES];
  logic [      31:0] limit_mem           [QUEUES];
  logic [      23:0] reserve_position_mem[QUEUES];
  logic [      39:0] base_mem            [QUEUES];
  logic [      24:0] size_mem            [QUEUES];
  logic [       9:0] setup_mem           [QUEUES];
  logic [      55:0] errors_mem          [QUEUES];
  logic [QUEUES-1:0] halted_q;

  logic [QUEUE_WIDTH:0] clear_q;  // the queue that the walk after reset clears next
  logic                 clear;
  logic [QUEUE_WIDTH-1:0] queue;
  logic                 ring;
  logic                 failed;
  logic [         31:0] head_d;
  logic [         31:0] fetch_index_d;
  logic [         31:0] published_d;
  logic [         31:0] reserved_d;
  logic [         23:0] fetch_position_d;
  logic [         31:0] fetch_lap_d;
  logic [         31:0] limit_d;
  logic [         31:0] beyond;  // how far the new limit lies past the old
  logic [         23:0] reserve_position_d;
  logic [         55:0] errors_d;
  logic [          9:0] setup_d;
  logic                 halted_d;

  assign ready_o = clear_q == (QUEUE_WIDTH + 1)'(QUEUES);
  assign clear   = !ready_o;
  assign queue   = clear ? clear_q[QUEUE_WIDTH-1:0] : queue_i;

  // Rows are read for who looks at them: a simulator would otherwise read them in every cycle.
  always_comb begin
    {setup_o, base_o, size_o, head_o, fetch_index_o, fetch_position_o, fetch_lap_o, limit_o, published_o,
     reserved_o, reserve_position_o, errors_o, halted_o} = '0;
    if (look_i) begin
      setup_o            = setup_mem[queue_i];
      base_o             = base_mem[queue_i];
      size_o             = size_mem[queue_i];
      head_o             = head_mem[queue_i];
      fetch_index_o      = fetch_index_mem[queue_i];
      fetch_position_o   = fetch_position_mem[queue_i];
      fetch_lap_o        = fetch_lap_mem[queue_i];
      limit_o            = limit_mem[queue_i];
      published_o        = published_mem[queue_i];
      reserved_o         = reserved_mem[queue_i];
      reserve_position_o = reserve_position_mem[queue_i];
      errors_o           = errors_mem[queue_i];
      halted_o           = halted_q[queue_i];
    end
  end
  assign request_head_o     = head_mem[request_head_queue_i];
  assign reply_head_o       = head_mem[reply_head_queue_i];
  assign empty_o            = setup_mem[empty_queue_i][2:0] == mu_pkg::QUEUE_MODE_REFLECTION &&
      head_mem[empty_queue_i] == reserved_mem[empty_queue_i];
  assign probe_head_o       = head_mem[probe_queue_i];
  assign probe_setup_o      = setup_mem[probe_queue_i][6:0];

  assign failed       = retire_i && status_i != mu_pkg::STATUS_OK;
  assign halts_o      = failed && setup_o[7];
  assign halted_d     = (halted_o || halts_o) && !write_config_i;
  assign setup_d      = write_config_i ? {value_i[10:9], value_i[8], value_i[7:4], value_i[2:0]} : setup_o;
  assign ring         = write_config_i || doorbell_i || reserve_i || publish_i || fetch_i || retire_i ||
      rewind_i || hold_i;
  assign update_o     = ring || enable_i;
  assign work_o       = setup_d[2:0] != mu_pkg::QUEUE_MODE_OFF && !halted_d && published_d != fetch_index_d &&
      !(setup_d[9] && limit_d == fetch_index_d);
  assign done_o       = head_d;
  assign nothing_behind_o = fetch_index_o == index_i + 1'b1;
  assign reflection_o = setup_d[2:0] == mu_pkg::QUEUE_MODE_REFLECTION;

  always_comb begin
    errors_d = errors_o;
    if (write_config_i) errors_d = '0;
    else if (failed) begin
      if (errors_o[7:0] == mu_pkg::STATUS_OK) errors_d = {index_i, errors_o[23:8], status_i};
      if (errors_o[23:8] != '1) errors_d[23:8] = errors_o[23:8] + 1'b1;
    end
  end

  always_comb begin
    limit_d   = limit_o;
    refused_o = mu_pkg::STATUS_OK;
    beyond    = '0;
    if (write_config_i) limit_d = '0;
    else if (enable_i) begin
      // Indices wrap, so ahead means less than half the circle away.
      beyond = relative_i ? index_i : index_i - limit_o;
      if (!setup_o[9] || setup_o[6:3] != client_i ||
          (setup_o[2:0] == mu_pkg::QUEUE_MODE_RECEIVE) != receive_i)
        refused_o = mu_pkg::STATUS_QUEUE_INVALID;
      else if (!beyond[31]) limit_d = limit_o + beyond;
    end
  end

  mu_ring_update u_ring_update (
      .reset_i           (write_config_i),
      .doorbell_i,
      .reserve_i,
      .publish_i,
      .fetch_i,
      .retire_i,
      .halt_i            (halts_o),
      .rewind_i,
      .hold_i            (hold_i && setup_o[7]),
      .index_i,
      .position_i,
      .lap_i,
      .count_i,
      .cyclic_i          (setup_o[8]),
      .size_i            (size_o),
      .head_i            (head_o),
      .fetch_index_i     (fetch_index_o),
      .published_i       (published_o),
      .reserved_i        (reserved_o),
      .fetch_position_i  (fetch_position_o),
      .fetch_lap_i       (fetch_lap_o),
      .reserve_position_i(reserve_position_o),
      .accept_o,
      .head_o            (head_d),
      .fetch_index_o     (fetch_index_d),
      .published_o       (published_d),
      .reserved_o        (reserved_d),
      .fetch_position_o  (fetch_position_d),
      .fetch_lap_o       (fetch_lap_d),
      .reserve_position_o(reserve_position_d)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) clear_q <= '0;
    else if (clear) clear_q <= clear_q + 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) halted_q <= '0;
    else if (write_config_i || retire_i) begin
      for (int unsigned i = 0; i < QUEUES; i++) if (queue_i == QUEUE_WIDTH'(i)) halted_q[i] <= halted_d;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < mu_pkg::CLIENTS; i++)
      causes_o[i*8+:8] <= rst_ni && failed && setup_o[6:3] == 4'(i) ? 8'd1 << mu_pkg::CAUSE_ERROR : '0;
  end

  always_ff @(posedge clk_i) begin
    if (clear || ring) begin
      head_mem[queue]             <= clear ? '0 : head_d;
      fetch_index_mem[queue]      <= clear ? '0 : fetch_index_d;
      published_mem[queue]        <= clear ? '0 : published_d;
      reserved_mem[queue]         <= clear ? '0 : reserved_d;
      fetch_position_mem[queue]   <= clear ? '0 : fetch_position_d;
      fetch_lap_mem[queue]        <= clear ? '0 : fetch_lap_d;
      reserve_position_mem[queue] <= clear ? '0 : reserve_position_d;
    end
    if (clear || write_config_i || enable_i) limit_mem[queue] <= clear ? '0 : limit_d;
    if (clear || write_base_i) base_mem[queue] <= clear ? '0 : value_i;
    if (clear || write_size_i) size_mem[queue] <= clear ? '0 : value_i[24:0];
    if (clear || write_config_i) setup_mem[queue] <= clear ? '0 : setup_d;
    if (clear || write_config_i || failed) errors_mem[queue] <= clear ? '0 : errors_d;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      one_operation :
      assert ($onehot0({write_base_i, write_size_i, write_config_i, doorbell_i, reserve_i, publish_i, fetch_i,
                        retire_i, rewind_i, hold_i, enable_i}));
      operations_look : assert (look_i || !(update_o || write_base_i || write_size_i));
      no_operation_before_ready : assert (ready_o || !(update_o || write_base_i || write_size_i));
      if (fetch_i) fetches_what_is_published : assert (published_o != fetch_index_o);
      if (publish_i) publishes_what_is_reserved :
        assert (reserved_o - published_o >= 32'(count_i));
      // A descriptor that follows a WAIT at once retires it too.
      if (retire_i) retires_what_is_in_flight : assert (index_i - head_o < fetch_index_o - head_o);
      if (hold_i) holds_what_is_in_flight : assert (index_i - head_o < fetch_index_o - head_o);
      if (rewind_i) rewinds_what_is_in_flight : assert (fetch_index_o - index_i <= fetch_index_o - head_o);
    end
  end
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_tree_signals: barriers and global interrupts over the tree: their classes, and the node's part in each.
//
//   register bus (tree_class) ---> [ classes ] ---+
//   change_i (an event counter) ---> [ members ] ---> [ mu_signal_combine ] <---> signals_i, signals_o
//                                                       | releases
//                        causes_o <--- [ arbiter ] <----+ ---> operation_o: add one to an event counter
//
// Behaviour: each change of the arrive counter of a class is the arrival of a member, but for an addition of
//   zero, with which a WAIT begins; after the last of its members the node arrives. Each release adds one to
//   the release counter, and then raises ARRIVED of the owner if the class asks for it. A barrier goes on
//   when its last release is counted; releases of a class with any that come before that merge into it.
// Latency: change_i to the parent's cable two cycles; a cable to operation_o three, and one for each class
//   that goes first. Register access one cycle.
// Limits: arrive_counter and release_counter of a class must differ if both are meant: REGISTER_VALUE.
// two-readers: hold:register_request_i[64+:20]=mu_pkg::BLOCK_TREE_CLASS_BASE
// two-readers: hold:register_request_i[88+:2]=2 hold:signals_i=0 seen=5
`default_nettype none

module mu_tree_signals (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    output logic                         busy_o,
    // register bus
    input  logic                         register_valid_i,
    input  mu_pkg::register_request_t    register_request_i,
    output logic                         register_done_o,
    output mu_pkg::register_response_t   register_response_o,
    // cables
    input  mu_pkg::tree_signals_t        signals_i,
    output mu_pkg::tree_signals_t        signals_o,
    // event counters
    input  mu_pkg::event_change_t        change_i,
    output logic                         operation_valid_o,
    input  logic                         operation_ready_i,
    output mu_pkg::counter_operation_t   operation_o,
    // interrupt control
    output logic [mu_pkg::CLIENTS*8-1:0] causes_o
);
  localparam int unsigned CLASSES    = mu_pkg::TREE_CLASSES;
  localparam int unsigned INDEX_BITS = $clog2(CLASSES);

  // --- classes -----------------------------------------------------------------------------------
  logic [CLASSES-1:0]         parent_q, left_q, right_q, arrives_q, released_q, any_q, interrupt_q;
  logic [CLASSES*4-1:0]       owner_q, needed_q;  // members at the node, less one
  logic [CLASSES*8-1:0]       arrive_counter_q, release_counter_q;
  mu_pkg::tree_class_config_t config_now, config_new;
  mu_pkg::tree_class_state_t  state_now;
  mu_pkg::status_e            shape, status;
  mu_pkg::register_response_t response_q;
  logic [63:0]                data;
  logic [7:0]                 index;
  logic [INDEX_BITS-1:0]      row;
  logic                       start, done_q, names_one, writes_config, write;

  assign start     = register_valid_i && !done_q;
  assign names_one = config_new.arrives && config_new.released &&
                     config_new.arrive_counter == config_new.release_counter;
  assign write     = writes_config && !names_one;
  assign status    = writes_config && names_one ? mu_pkg::STATUS_REGISTER_VALUE : shape;
  assign row       = index[INDEX_BITS-1:0];

  mu_tree_class_decode u_decode (
      .valid_i       (start),
      .request_i     (register_request_i),
      .index_o       (index),
      .status_o      (shape),
      .data_o        (data),
      .config_i      (config_now),
      .write_config_o(writes_config),
      .config_o      (config_new),
      .state_i       (state_now)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      done_q     <= 1'b0;
      response_q <= '0;
    end else begin
      done_q            <= start;
      response_q.status <= start ? status : mu_pkg::STATUS_OK;
      response_q.data   <= data;
    end
  end
  assign register_done_o     = done_q;
  assign register_response_o = response_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {parent_q, left_q, right_q, arrives_q, released_q, any_q, interrupt_q} <= '0;
    end else if (write) begin
      parent_q[row]    <= config_new.parent;
      left_q[row]      <= config_new.left;
      right_q[row]     <= config_new.right;
      arrives_q[row]   <= config_new.arrives;
      released_q[row]  <= config_new.released;
      any_q[row]       <= config_new.any;
      interrupt_q[row] <= config_new.interrupt;
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {owner_q, needed_q, arrive_counter_q, release_counter_q} <= '0;
    else if (write) begin
      owner_q[32'(row)*4+:4]           <= config_new.owner;
      needed_q[32'(row)*4+:4]          <= config_new.members;
      arrive_counter_q[32'(row)*8+:8]  <= config_new.arrive_counter;
      release_counter_q[32'(row)*8+:8] <= config_new.release_counter;
    end
  end

  // --- the node arrives --------------------------------------------------------------------------
  logic                 changed_q;
  logic [7:0]           changed_index_q;
  logic [CLASSES*4-1:0] members_q;  // those that have arrived, of each class
  logic [CLASSES-1:0]   arrives, last, forget;

  always_comb begin
    {arrives, last, forget} = '0;
    if (write) forget[row] = config_new.forget;
    if (changed_q) begin
      for (int c = 0; c < CLASSES; c++) begin
        arrives[c] = arrives_q[c] && changed_index_q == arrive_counter_q[c*8+:8];
        last[c]    = arrives[c] && members_q[c*4+:4] >= needed_q[c*4+:4];
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      changed_q <= 1'b0;
      members_q <= '0;
    end else begin
      changed_q <= change_i.valid && change_i.moves;
      if (changed_q || write) begin
        for (int c = 0; c < CLASSES; c++) begin
          if (forget[c] || last[c]) members_q[c*4+:4] <= '0;
          else if (arrives[c]) members_q[c*4+:4] <= members_q[c*4+:4] + 1'b1;
        end
      end
    end
  end
  always_ff @(posedge clk_i) if (change_i.valid) changed_index_q <= change_i.index;

  // --- the tree ----------------------------------------------------------------------------------
  logic [CLASSES-1:0] releases, left, right, node, told, twice;
  logic [CLASSES-1:0] waits_q, asks;  // to be counted
  logic               combine_busy;

  mu_signal_combine u_combine (
      .clk_i, .rst_ni,
      .busy_o      (combine_busy),
      .any_i       (any_q),
      .use_parent_i(parent_q),
      .use_left_i  (left_q),
      .use_right_i (right_q),
      .use_node_i  (arrives_q),
      .forget_i    (forget),
      .hold_i      (waits_q | asks),
      .signals_i, .signals_o,
      .node_i      (last),
      .release_o   (releases),
      .left_o      (left),
      .right_o     (right),
      .node_o      (node),
      .told_o      (told),
      .twice_o     (twice)
  );

  // What is read of a class.
  always_comb begin
    config_now = '0;
    state_now  = '0;
    if (start) begin
      config_now.parent          = parent_q[row];
      config_now.left            = left_q[row];
      config_now.right           = right_q[row];
      config_now.arrives         = arrives_q[row];
      config_now.released        = released_q[row];
      config_now.any             = any_q[row];
      config_now.interrupt       = interrupt_q[row];
      config_now.owner           = owner_q[32'(row)*4+:4];
      config_now.members         = needed_q[32'(row)*4+:4];
      config_now.arrive_counter  = arrive_counter_q[32'(row)*8+:8];
      config_now.release_counter = release_counter_q[32'(row)*8+:8];
      state_now.left             = left[row];
      state_now.right            = right[row];
      state_now.node             = node[row];
      state_now.told             = told[row];
      state_now.twice            = twice[row];
      state_now.members          = members_q[32'(row)*4+:4];
    end
  end

  // --- releases are counted ----------------------------------------------------------------------
  logic [CLASSES-1:0]         chosen;
  logic [INDEX_BITS-1:0]      first;
  logic                       some_wait, take, operation_q, raises_q;
  mu_pkg::counter_operation_t counted_q;
  logic                       unused;

  assign asks = releases & released_q;
  assign take = !operation_q || operation_ready_i;
  mu_arbiter #(
      .COUNT(CLASSES)
  ) u_arbiter (
      .clk_i, .rst_ni,
      .request_i(waits_q),
      .valid_o  (some_wait),
      .grant_o  (chosen),
      .index_o  (first),
      .accept_i (take)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      waits_q     <= '0;
      operation_q <= 1'b0;
    end else begin
      waits_q <= (waits_q & ~(take ? chosen : '0)) | asks;
      if (take) operation_q <= some_wait;
    end
  end
  always_ff @(posedge clk_i) begin
    if (take && some_wait) begin
      counted_q          <= '0;
      counted_q.is_event <= 1'b1;
      counted_q.add      <= 1'b1;
      counted_q.value    <= 38'd1;
      counted_q.counter  <= release_counter_q[32'(first)*8+:8];
      counted_q.client   <= owner_q[32'(first)*4+:4];
      raises_q           <= interrupt_q[first];
    end
  end
  assign operation_valid_o = operation_q;
  assign operation_o       = counted_q;
  always_comb begin
    causes_o = '0;
    for (int c = 0; c < mu_pkg::CLIENTS; c++)
      causes_o[c*8+32'(mu_pkg::CAUSE_ARRIVED)] =
          operation_q && operation_ready_i && raises_q && counted_q.client == 4'(c);
  end
  assign busy_o = done_q || changed_q || combine_busy || waits_q != '0 || operation_q;
  assign unused = ^{index, change_i.value};

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      answers_only_when_asked : assert (!done_q || register_valid_i);
      counts_with_a_class : assert (!operation_q || 32'(counted_q.counter) < mu_pkg::EVENT_COUNTERS);
    end
  end
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_byte_counters: counters of bytes still expected, counted down to a sticky zero.
//
//   completion, injection (streams) ---> [ counter file ] <---> [ subtract, add or set ] ---> causes_o
//   access_* (software) -------------------^                          ^--- interrupt_i (of interrupt_index_o)
//
// Behaviour: a value is {hit_zero, underflow, remaining[37:0]}. Neither add nor set: subtract; reaching zero
//   from above sets hit_zero and, if interrupt_i, raises COUNTER_ZERO to the operation's client; more than is
//   left leaves zero, sets underflow and raises ERROR (and hit_zero too if anything was left, so that a
//   waiter wakes). add: more bytes are expected, flags stay; a sum past 2^38-1 stops there, sets underflow
//   and raises ERROR. set, and a software write: preload, both flags cleared; preloading zero is not hitting
//   zero.
// Latency: taken in cycle t, readable by an access taken in t+1, cause pulse in t+2. One operation a cycle.
// Limits: operations have is_event clear and not both add and set (asserted); counter numbers exist, clients
//   are below CLIENTS (asserted). Subtracting nothing changes nothing.
`default_nettype none

module mu_byte_counters (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    output logic                         busy_o,
    // operations
    input  logic                         completion_valid_i,
    output logic                         completion_ready_o,
    input  mu_pkg::counter_operation_t   completion_operation_i,
    input  logic                         injection_valid_i,
    output logic                         injection_ready_o,
    input  mu_pkg::counter_operation_t   injection_operation_i,
    // software; held until done
    input  logic                         access_valid_i,
    input  logic                         access_write_i,
    input  logic [7:0]                   access_index_i,
    input  logic [37:0]                  access_data_i,
    output logic                         access_done_o,
    output logic [39:0]                  access_data_o,
    // configuration of the counter being changed
    output logic [7:0]                   interrupt_index_o,
    input  logic                         interrupt_i,
    // interrupt control
    output logic [mu_pkg::CLIENTS*8-1:0] causes_o,
    output mu_pkg::cause_part_t          part_o  // of COUNTER_ZERO
);
  localparam int unsigned CAUSE_ZERO  = 32'(mu_pkg::CAUSE_COUNTER_ZERO);
  localparam int unsigned CAUSE_ERROR = 32'(mu_pkg::CAUSE_ERROR);

  logic                         file_busy;
  logic                         update_valid;
  mu_pkg::counter_operation_t   operation;
  logic [39:0]                  value;
  logic [39:0]                  next_value;
  logic [37:0]                  remaining;
  logic [38:0]                  sum;
  logic                         zero;   // has just been reached
  logic                         error;  // underflow, or a sum too large
  logic [mu_pkg::CLIENTS*8-1:0] causes_q;
  logic                         change_valid;
  logic [7:0]                   change_index;
  logic [39:0]                  change_value;
  logic                         unused_bits;

  // Nobody waits for a byte counter.
  assign unused_bits = ^{operation.reserved_53, change_valid, change_index, change_value};

  mu_counter_file #(
      .COUNT(mu_pkg::BYTE_COUNTERS),
      .WIDTH(40)
  ) u_file (
      .clk_i,
      .rst_ni,
      .busy_o            (file_busy),
      .completion_valid_i,
      .completion_ready_o,
      .completion_operation_i,
      .injection_valid_i,
      .injection_ready_o,
      .injection_operation_i,
      .access_valid_i,
      .access_write_i,
      .access_index_i,
      .access_data_i     ({2'b00, access_data_i}),
      .access_done_o,
      .access_data_o,
      .update_valid_o    (update_valid),
      .update_operation_o(operation),
      .update_value_o    (value),
      .next_value_i      (next_value),
      .change_valid_o    (change_valid),
      .change_index_o    (change_index),
      .change_value_o    (change_value)
  );

  assign remaining         = value[37:0];
  assign interrupt_index_o = operation.counter;

  always_comb begin
    zero       = 1'b0;
    error      = 1'b0;
    sum        = '0;
    next_value = value;
    if (update_valid) begin
      sum = 39'(remaining) + 39'(operation.value);
      if (operation.set) begin
        next_value = {2'b00, operation.value};
      end else if (operation.add) begin
        error            = sum[38];
        next_value[37:0] = sum[38] ? '1 : sum[37:0];
      end else begin
        error            = operation.value > remaining;
        zero             = operation.value >= remaining && remaining != '0;
        next_value[37:0] = error ? '0 : remaining - operation.value;
      end
      if (error) next_value[38] = 1'b1;
      if (zero) next_value[39] = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) {causes_q, part_o} <= '0;
    else if (causes_q != '0 || zero || error) begin
      part_o.valid  <= zero && interrupt_i;
      part_o.client <= operation.client;
      part_o.number <= operation.counter[3:0];
      for (int c = 0; c < mu_pkg::CLIENTS; c++) begin
        causes_q[c*8+:8] <= '0;
        if (operation.client == 4'(c)) begin
          causes_q[c*8+CAUSE_ZERO]  <= zero && interrupt_i;
          causes_q[c*8+CAUSE_ERROR] <= error;
        end
      end
    end
  end
  assign causes_o = causes_q;
  assign busy_o   = file_busy || causes_q != '0;

  always_ff @(posedge clk_i) begin
    if (rst_ni && update_valid) begin
      takes_byte_operations : assert (!operation.is_event);
      takes_one_operation : assert (!(operation.add && operation.set));
      client_exists : assert (32'(operation.client) < mu_pkg::CLIENTS);
      if (!operation.set && !operation.add) subtracting_never_adds : assert (next_value[37:0] <= remaining);
      flags_stay : assert (operation.set || (value[39:38] & ~next_value[39:38]) == '0);
    end
  end
endmodule
`default_nettype wire

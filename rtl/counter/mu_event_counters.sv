// SPDX-License-Identifier: Apache-2.0
// mu_event_counters: 32-bit counters of events; what software waits for.
//
//   completion, injection (streams) ---> [ counter file ] <---> [ add or set ]
//   access_* (software) -------------------^
//
// Behaviour: an operation with add adds bits 31..0 of its value, modulo 2^32; one with set takes them. A
//   software write stores, a read returns the value after everything that was taken before it.
// Latency: taken in cycle t, readable by an access taken in t+1, answered in t+3. One operation a cycle.
// Limits: operations have is_event and exactly one of add and set (asserted); counter numbers exist
//   (asserted).
`default_nettype none

module mu_event_counters (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    output logic                       busy_o,
    // operations
    input  logic                       completion_valid_i,
    output logic                       completion_ready_o,
    input  mu_pkg::counter_operation_t completion_operation_i,
    input  logic                       injection_valid_i,
    output logic                       injection_ready_o,
    input  mu_pkg::counter_operation_t injection_operation_i,
    // software; held until done
    input  logic                       access_valid_i,
    input  logic                       access_write_i,
    input  logic [7:0]                 access_index_i,
    input  logic [31:0]                access_data_i,
    output logic                       access_done_o,
    output logic [31:0]                access_data_o,
    // for who waits: a counter takes this value in this cycle
    output logic                       change_valid_o,
    output logic [7:0]                 change_index_o,
    output logic [31:0]                change_value_o,
    output logic                       change_moves_o  // not by an addition of zero
);
  logic                       update_valid;
  mu_pkg::counter_operation_t operation;
  logic [31:0]                value;
  logic [31:0]                next_value;
  logic                       unused_bits;

  assign unused_bits = ^{operation.reserved_53, operation.client, operation.counter, operation.value[37:32]};

  mu_counter_file #(
      .COUNT(mu_pkg::EVENT_COUNTERS),
      .WIDTH(32)
  ) u_file (
      .clk_i,
      .rst_ni,
      .busy_o,
      .completion_valid_i,
      .completion_ready_o,
      .completion_operation_i,
      .injection_valid_i,
      .injection_ready_o,
      .injection_operation_i,
      .access_valid_i,
      .access_write_i,
      .access_index_i,
      .access_data_i,
      .access_done_o,
      .access_data_o,
      .update_valid_o    (update_valid),
      .update_operation_o(operation),
      .update_value_o    (value),
      .next_value_i      (next_value),
      .change_valid_o,
      .change_index_o,
      .change_value_o
  );

  always_comb begin
    next_value = '0;
    if (update_valid) next_value = operation.set ? operation.value[31:0] : value + operation.value[31:0];
  end

  assign change_moves_o = !(update_valid && operation.add && operation.value[31:0] == '0);

  always_ff @(posedge clk_i) begin
    if (rst_ni && update_valid) begin
      takes_event_operations : assert (operation.is_event);
      takes_add_or_set : assert (operation.add != operation.set);
    end
  end
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_operation_share: operations on counters from two sources, in turn, on one stream.
//
//   first_*, second_* (streams of counter_operation) ---> [ round robin ] ---> operation_*
//
// Behaviour: each operation is passed on once, in the order of its source; one that is offered stays until it
//   is taken, and a source waits for at most one operation of the other.
// Latency: combinational; one operation a cycle.
// Limits: an operation that is offered stays until it is taken (asserted by mu_arbiter).
`default_nettype none

module mu_operation_share (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic                       first_valid_i,
    output logic                       first_ready_o,
    input  mu_pkg::counter_operation_t first_operation_i,
    input  logic                       second_valid_i,
    output logic                       second_ready_o,
    input  mu_pkg::counter_operation_t second_operation_i,
    output logic                       valid_o,
    input  logic                       ready_i,
    output mu_pkg::counter_operation_t operation_o
);
  logic [1:0] grant;
  logic       index;

  mu_arbiter #(
      .COUNT(2)
  ) u_arbiter (
      .clk_i, .rst_ni,
      .request_i({second_valid_i, first_valid_i}),
      .valid_o,
      .grant_o  (grant),
      .index_o  (index),
      .accept_i (ready_i)
  );
  assign operation_o    = index ? second_operation_i : first_operation_i;
  assign first_ready_o  = ready_i && grant[0];
  assign second_ready_o = ready_i && grant[1];
endmodule
`default_nettype wire

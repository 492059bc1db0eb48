// SPDX-License-Identifier: Apache-2.0
// mu_queue_step: what the one whose turn it is asks of the queue table.
//
//   requests, turn ---> [ choose, in the cycle that reads the row ] ---> operation_o, to be done to that row
//   step_i, once the row has been looked at -----------------------------^
//
// Behaviour: operation_o has the step of the turn and what belongs to it: index, lap, count, status,
//   client. What may be refused has no step until look_i brings it. A move of an enable limit has a
//   step only if there is such a queue.
// Latency: read_i to operation_o 1 cycle, that in which the row is there, and one more with look_i.
// Limits: a request stands from the cycle of read_i to its update (asserted by the queue engine).
`default_nettype none

module mu_queue_step (
    input  logic                       clk_i,
    input  logic                       read_i,
    input  logic                       look_i,
    input  mu_pkg::queue_step_e        step_i,  // with look_i: what the row allows of what is asked
    input  mu_pkg::queue_turn_e        turn_i,
    input  logic                       known_i,  // there is such a queue
    // requests
    input  logic [39:0]                value_i,  // of a register
    input  logic [31:0]                retire_index_i,
    input  mu_pkg::status_e            retire_status_i,
    input  mu_pkg::queue_place_t       rewind_place_i,
    input  mu_pkg::queue_place_t       resume_place_i,
    input  mu_pkg::queue_place_t       hold_place_i,
    input  mu_pkg::counter_operation_t enable_i,
    input  logic [3:0]                 publish_count_i,
    input  logic [3:0]                 reserve_count_i,
    // queue table
    output mu_pkg::queue_operation_t   operation_o
);
  mu_pkg::queue_operation_t operation, operation_q;
  mu_pkg::queue_place_t     place;

  always_comb begin
    place = hold_place_i;
    if (turn_i == mu_pkg::QUEUE_TURN_REWIND) place = rewind_place_i;
    if (turn_i == mu_pkg::QUEUE_TURN_RESUME) place = resume_place_i;
    operation          = '0;
    operation.value    = value_i;
    operation.index    = value_i[31:0];
    operation.status   = retire_status_i;
    operation.relative = enable_i.add;
    operation.client   = enable_i.client;
    operation.receive  = enable_i.is_event;
    operation.lap      = place.lap;
    unique case (turn_i)
      mu_pkg::QUEUE_TURN_RETIRE: begin
        operation.step  = mu_pkg::QUEUE_STEP_RETIRE;
        operation.index = retire_index_i;
      end
      mu_pkg::QUEUE_TURN_REWIND, mu_pkg::QUEUE_TURN_RESUME: begin
        operation.step  = mu_pkg::QUEUE_STEP_REWIND;
        operation.index = place.index;
      end
      mu_pkg::QUEUE_TURN_HOLD: begin
        operation.step  = mu_pkg::QUEUE_STEP_HOLD;
        operation.index = place.index;
      end
      mu_pkg::QUEUE_TURN_ENABLE: begin
        if (known_i) operation.step = mu_pkg::QUEUE_STEP_ENABLE;
        operation.index = enable_i.value[31:0];
      end
      mu_pkg::QUEUE_TURN_PUBLISH: begin
        operation.step  = mu_pkg::QUEUE_STEP_PUBLISH;
        operation.count = publish_count_i;
      end
      mu_pkg::QUEUE_TURN_GET_RESERVE:  operation.count = reserve_count_i;
      mu_pkg::QUEUE_TURN_PUSH_RESERVE: operation.count = 4'd1;
      mu_pkg::QUEUE_TURN_FETCH: operation.step = mu_pkg::QUEUE_STEP_FETCH;
      default: ;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (read_i) operation_q <= operation;
    if (look_i) operation_q.step <= step_i;
  end
  assign operation_o = operation_q;

  logic unused;
  assign unused = ^{enable_i, place};
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_held_ends: which held descriptor ends in this cycle, and how.
//
//   refused, flushed, ends of SEND, RECEIVE, PIPE, CALC ---> [ the first of them ] ---> finish, ending
//
// Behaviour: in this order: a descriptor that may not hold its queue (QUEUE_INVALID), one that is flushed
//   (FLUSHED), the end of a SEND, a RECEIVE, a PIPE, a CALC. The others wait. One that is being attached,
//   or is not held yet, does not end before that is over.
// Latency: combinational.
// Limits: what is refused, flushed or run is held.
`default_nettype none

module mu_held_ends #(
    parameter  int unsigned QUEUES      = 32,
    localparam int unsigned QUEUE_WIDTH = $clog2(QUEUES)
) (
    input  logic [QUEUES-1:0]  held_i,
    input  logic               attaching_i,
    input  logic [7:0]         attach_queue_i,
    input  logic               refuse_i,           // of attach_queue_i
    input  logic               flush_i,
    input  logic [7:0]         flush_queue_i,
    input  logic               send_valid_i,
    output logic               send_ready_o,
    input  mu_pkg::queue_end_t send_i,
    input  logic               receive_valid_i,
    output logic               receive_ready_o,
    input  mu_pkg::queue_end_t receive_i,
    input  logic               pipe_valid_i,
    output logic               pipe_ready_o,
    input  mu_pkg::queue_end_t pipe_i,
    input  logic               calc_valid_i,
    output logic               calc_ready_o,
    input  mu_pkg::queue_end_t calc_i,
    output logic               finish_o,
    output mu_pkg::queue_end_t ending_o
);
  logic send_may, receive_may, attach_send, attach_receive;

  assign attach_send    = attaching_i && attach_queue_i == send_i.queue;
  assign attach_receive = attaching_i && attach_queue_i == receive_i.queue;
  assign send_may       = send_valid_i && held_i[send_i.queue[QUEUE_WIDTH-1:0]] && !attach_send;
  assign receive_may    = receive_valid_i && held_i[receive_i.queue[QUEUE_WIDTH-1:0]] && !attach_receive;

  assign send_ready_o    = send_may && !refuse_i && !flush_i;
  assign receive_ready_o = receive_may && !refuse_i && !flush_i && !send_may;
  assign pipe_ready_o    = pipe_valid_i && !refuse_i && !flush_i && !send_may && !receive_may;
  assign calc_ready_o    = calc_valid_i && !refuse_i && !flush_i && !send_may && !receive_may &&
      !pipe_valid_i;
  assign finish_o        = refuse_i || flush_i || send_may || receive_may || pipe_valid_i || calc_valid_i;

  always_comb begin
    ending_o = calc_i;
    if (refuse_i) begin
      ending_o.queue  = attach_queue_i;
      ending_o.status = mu_pkg::STATUS_QUEUE_INVALID;
    end else if (flush_i) begin
      ending_o.queue  = flush_queue_i;
      ending_o.status = mu_pkg::STATUS_FLUSHED;
    end else if (send_may) ending_o = send_i;
    else if (receive_may) ending_o = receive_i;
    else if (pipe_valid_i) ending_o = pipe_i;
  end
endmodule
`default_nettype wire

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

`ifdef PROVE_MU_HELD_ENDS
  // What is proved of mu_held_ends: at most one descriptor ends in a cycle, each for a reason and with what
  // was said of it; the others wait, and none waits without one that goes before it.
  logic [3:0] takes;  // SEND, RECEIVE, PIPE, CALC
  logic       attaches_send, attaches_receive, may_send, may_receive;
  assign takes            = {calc_ready_o, pipe_ready_o, receive_ready_o, send_ready_o};
  assign attaches_send    = attaching_i && attach_queue_i == send_i.queue;
  assign attaches_receive = attaching_i && attach_queue_i == receive_i.queue;
  assign may_send         = send_valid_i && held_i[send_i.queue[QUEUE_WIDTH-1:0]] && !attaches_send;
  assign may_receive      = receive_valid_i && held_i[receive_i.queue[QUEUE_WIDTH-1:0]] && !attaches_receive;
  always_comb begin
    one_at_a_time : assert ($onehot0({takes, refuse_i || flush_i}));
    ends_for_a_reason : assert (finish_o == (takes != '0 || refuse_i || flush_i));
    takes_what_is_offered :
    assert ((takes & ~{calc_valid_i, pipe_valid_i, receive_valid_i, send_valid_i}) == '0);
    if (refuse_i) refused_with_its_status : assert (ending_o.status == mu_pkg::STATUS_QUEUE_INVALID);
    if (refuse_i) refused_is_what_attaches : assert (ending_o.queue == attach_queue_i);
    if (flush_i && !refuse_i) flushed_with_its_status : assert (ending_o.status == mu_pkg::STATUS_FLUSHED);
    if (flush_i && !refuse_i) flushes_its_queue : assert (ending_o.queue == flush_queue_i);
    if (send_ready_o) sends_end_as_told : assert (ending_o == send_i && may_send);
    if (receive_ready_o) receives_end_as_told : assert (ending_o == receive_i && may_receive);
    if (pipe_ready_o) pipes_end_as_told : assert (ending_o == pipe_i);
    if (calc_ready_o) calcs_end_as_told : assert (ending_o == calc_i);
    if (!refuse_i && !flush_i) begin
      if (may_send) sends_go_first : assert (send_ready_o);
      if (may_receive) receives_go_next : assert (send_ready_o || receive_ready_o);
      if (pipe_valid_i) pipes_wait_for_those_alone : assert ({may_send, may_receive} != '0 || pipe_ready_o);
      if (calc_valid_i) none_waits_for_nothing : assert (takes != '0);
    end
  end
`endif
endmodule
`default_nettype wire

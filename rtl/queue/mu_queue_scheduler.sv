// SPDX-License-Identifier: Apache-2.0
// mu_queue_scheduler: which queue is the next to have a descriptor fetched.
//
//   update (queue has work, or none) ---> [ a bit a queue ] ---> choice_valid_o, _queue_o, _reply_o
//   park, unpark_i, hold -----------------^        room_*_i ----^
//
// Behaviour: a queue is ready while its work bit is set, it is not parked and not held. Ready reflection
//   queues go first if there is room for a reply descriptor, then the others if there is room for a request
//   descriptor, each class round robin: a ready queue waits for at most one turn of every other of its class.
//   taken_i says that the choice was used. A parked queue comes back with the next unpark_i, or an update
//   with afresh_i. A stopped one (stop_i) gets one more turn if one_more_i says so, and comes back with
//   release_i, or afresh_i.
// Latency: an update shows in the choice the next cycle; the choice is combinational.
// Limits: QUEUES 2 to 128. One update a cycle. An update with park_i wins over unpark_i in the same cycle.
`default_nettype none

module mu_queue_scheduler #(
    parameter  int unsigned QUEUES      = 32,
    localparam int unsigned QUEUE_WIDTH = $clog2(QUEUES)
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    // state of one queue changes
    input  logic                   update_i,
    input  logic [QUEUE_WIDTH-1:0] queue_i,
    input  logic                   work_i,
    input  logic                   reflection_i,
    input  logic                   park_i,
    input  logic                   afresh_i,       // neither parked nor stopped any more
    input  logic                   stop_i,
    input  logic                   one_more_i,     // with stop_i
    // every parked queue may try again
    input  logic                   unpark_i,
    // one stopped queue goes on
    input  logic                   release_i,
    input  logic [QUEUE_WIDTH-1:0] release_queue_i,
    // one queue is left out
    input  logic                   hold_i,
    input  logic [QUEUE_WIDTH-1:0] hold_queue_i,
    // choice
    input  logic                   room_request_i,
    input  logic                   room_reply_i,
    output logic                   choice_valid_o,
    output logic [QUEUE_WIDTH-1:0] choice_queue_o,
    output logic                   choice_reply_o,
    input  logic                   taken_i
);
  if (QUEUES < 2 || QUEUES > 128) $error("mu_queue_scheduler: QUEUES must be 2 to 128");

  logic [QUEUES-1:0] work_q;
  logic [QUEUES-1:0] parked_q;
  logic [QUEUES-1:0] stopped_q;
  logic [QUEUES-1:0] one_more_q;
  logic [QUEUES-1:0] blocked;
  logic [QUEUES-1:0] reflection_q;
  logic [QUEUES-1:0] request_behind_q;  // queues behind the last choice: they come first
  logic [QUEUES-1:0] reply_behind_q;
  logic [QUEUES-1:0] ready;
  logic [QUEUES-1:0] candidates;
  logic [QUEUES-1:0] grant;

  assign blocked = parked_q | (stopped_q & ~one_more_q);

  always_comb begin
    ready          = '0;
    candidates     = '0;
    grant          = '0;
    choice_reply_o = 1'b0;
    if ((room_request_i || room_reply_i) && (work_q & ~blocked) != '0) begin
      ready = work_q & ~blocked;
      if (hold_i) ready = ready & ~(QUEUES'(1) << hold_queue_i);
      choice_reply_o = room_reply_i && (ready & reflection_q) != '0;
      if (choice_reply_o) begin
        candidates = ready & reflection_q;
        if ((candidates & reply_behind_q) != '0) candidates = candidates & reply_behind_q;
      end else if (room_request_i) begin
        candidates = ready & ~reflection_q;
        if ((candidates & request_behind_q) != '0) candidates = candidates & request_behind_q;
      end
      grant = candidates & (~candidates + 1'b1);
    end
    choice_valid_o = grant != '0;
  end

  // Bit b of the number of the grant: the grant lies among the queues whose number has that bit.
  function automatic logic [QUEUES-1:0] queues_with_bit(input int unsigned b);
    for (int unsigned i = 0; i < QUEUES; i++) queues_with_bit[i] = ((i >> b) & 1) != 0;
  endfunction
  for (genvar b = 0; b < QUEUE_WIDTH; b++) begin : gen_number
    localparam logic [QUEUES-1:0] WITH_BIT = queues_with_bit(b);
    assign choice_queue_o[b] = (grant & WITH_BIT) != '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      work_q           <= '0;
      parked_q         <= '0;
      stopped_q        <= '0;
      one_more_q       <= '0;
      reflection_q     <= '0;
      request_behind_q <= '0;
      reply_behind_q   <= '0;
    end else begin
      if (unpark_i) parked_q <= '0;
      if (release_i) stopped_q[release_queue_i] <= 1'b0;
      if (choice_valid_o && taken_i) one_more_q <= one_more_q & ~grant;
      if (update_i) begin
        for (int unsigned i = 0; i < QUEUES; i++) begin
          if (queue_i == QUEUE_WIDTH'(i)) begin
            work_q[i]       <= work_i;
            reflection_q[i] <= reflection_i;
            if (park_i || afresh_i) parked_q[i] <= park_i;
            if (stop_i || afresh_i) begin
              stopped_q[i]  <= stop_i;
              one_more_q[i] <= one_more_i;
            end
          end
        end
      end
      if (choice_valid_o && taken_i) begin
        // All ones above the winner's bit.
        if (choice_reply_o) reply_behind_q <= ~(grant | (grant - 1'b1));
        else request_behind_q <= ~(grant | (grant - 1'b1));
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      grants_one : assert ($onehot0(grant));
      grants_a_ready_queue : assert ((grant & ~ready) == '0);
      takes_only_a_choice : assert (!taken_i || choice_valid_o);
      room_for_the_choice : assert (!choice_valid_o || (choice_reply_o ? room_reply_i : room_request_i));
    end
  end
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_send_tries: how often the open SEND of each queue went out and was refused, and how it and the one
//   behind it ended. Memories only: mu_send_acknowledge knows what is open.
//
//   again, refused, ended (queue) ---> [ tries, refusals, two statuses, a queue ] ---> again, end (lookup)
//
// Behaviour: begin_i: a SEND becomes the first of its queue, as if it had gone out once and never been
//   refused; with begin_sent_i it is the second until then, whose status it takes along. again_i counts a
//   copy, refused_i a refusal, never more of these than of copies. ended_i keeps the status of the first,
//   with second_i that of the second. Lookups: again_tries_o, how often the first of again_queue_i went out
//   again; again_copies_o, whether it has a copy that was not refused; end_status_o, how it ended.
// Latency: lookups answer in the same cycle, and see what was told in earlier ones.
// Limits: of the first of a queue nothing is told in the cycle in which it begins. The 256th copy may wrap:
//   it is the last.
`default_nettype none

module mu_send_tries #(
    parameter  int unsigned QUEUES      = 32,
    localparam int unsigned QUEUE_WIDTH = $clog2(QUEUES)
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   begin_i,
    input  logic [QUEUE_WIDTH-1:0] begin_queue_i,
    input  logic                   begin_sent_i,
    // it goes out again
    input  logic                   again_i,
    input  logic [QUEUE_WIDTH-1:0] again_queue_i,
    output logic [            7:0] again_tries_o,
    output logic                   again_copies_o,
    // what is told of it
    input  logic [QUEUE_WIDTH-1:0] told_queue_i,
    input  logic                   refused_i,
    input  logic                   ended_i,
    input  logic                   second_i,
    input  mu_pkg::status_e        status_i,
    // its end
    input  logic [QUEUE_WIDTH-1:0] end_queue_i,
    output mu_pkg::status_e        end_status_o
);
  logic [QUEUES-1:0] tried_q;    // went out again
  logic [QUEUES-1:0] refused_q;  // was refused
  logic [QUEUES-1:0] slot_q;     // of the status of the first; that of the second has the other
  logic [7:0] tries_mem   [QUEUES];
  logic [7:0] refusals_mem[QUEUES];
  logic [7:0] status_mem  [2*QUEUES];

  logic [7:0] again_refusals, told_tries, told_refusals;
  logic       counts;
  mu_pkg::status_word_t end_word;
  assign again_tries_o  = tried_q[again_queue_i] ? tries_mem[again_queue_i] : '0;
  assign again_refusals = refused_q[again_queue_i] ? refusals_mem[again_queue_i] : '0;
  assign again_copies_o = again_refusals != again_tries_o + 8'd1;
  assign told_tries     = tried_q[told_queue_i] ? tries_mem[told_queue_i] : '0;
  assign told_refusals  = refused_q[told_queue_i] ? refusals_mem[told_queue_i] : '0;
  assign counts         = refused_i && told_refusals != told_tries + 8'd1;
  assign end_word       = status_mem[{end_queue_i, slot_q[end_queue_i]}];
  assign end_status_o   = end_word.status;

  always_ff @(posedge clk_i) begin
    if (again_i) tries_mem[again_queue_i] <= again_tries_o + 8'd1;
    if (counts) refusals_mem[told_queue_i] <= told_refusals + 8'd1;
    if (ended_i) status_mem[{told_queue_i, slot_q[told_queue_i]^second_i}] <= status_i;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {tried_q, refused_q, slot_q} <= '0;
    else begin
      if (again_i) tried_q[again_queue_i] <= 1'b1;
      if (counts) refused_q[told_queue_i] <= 1'b1;
      if (begin_i) begin
        tried_q[begin_queue_i]   <= 1'b0;
        refused_q[begin_queue_i] <= 1'b0;
        slot_q[begin_queue_i]    <= slot_q[begin_queue_i] ^ begin_sent_i;
      end
    end
  end
endmodule
`default_nettype wire

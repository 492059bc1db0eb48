// SPDX-License-Identifier: Apache-2.0
// mu_queue_peers: the register peer of every injection queue: the other end of a queue pair, and who is told.
//
//   write (queue, peer) ---> [ an entry a queue ] ---> six answers, each to its own question; dynamic_o
//
// Behaviour: the answer for a queue is what was written last, zero after reset and for a queue that does
//   not exist. dynamic_o: the queues that are dynamically connected.
// Latency: answers are combinational; a write is seen in the next cycle.
// Limits: what may be written is judged before (mu_queue_registers).
`default_nettype none

module mu_queue_peers #(
    parameter int unsigned QUEUES = 32
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                write_i,
    input  logic [         7:0] write_queue_i,
    input  mu_pkg::queue_peer_t write_peer_i,
    output logic [  QUEUES-1:0] dynamic_o,
    // register read
    input  logic [         7:0] register_queue_i,
    output mu_pkg::queue_peer_t register_peer_o,
    // packetiser: of the descriptor that it runs
    input  logic [         7:0] send_queue_i,
    output mu_pkg::queue_peer_t send_peer_o,
    // completion entries: of the descriptor that is done
    input  logic [         7:0] entry_queue_i,
    output mu_pkg::queue_peer_t entry_peer_o,
    // answers: of the send queue that they name
    input  logic [         7:0] told_queue_i,
    output mu_pkg::queue_peer_t told_peer_o,
    // reception: of the receive queue that a SEND names, and of that which acknowledges
    input  logic [         7:0] receive_queue_i,
    output mu_pkg::queue_peer_t receive_peer_o,
    input  logic [         7:0] answer_queue_i,
    output mu_pkg::queue_peer_t answer_peer_o
);
  localparam int unsigned QUEUE_WIDTH = $clog2(QUEUES);

  logic [mu_pkg::QUEUE_PEER_BITS-1:0] peer_mem[QUEUES];
  logic [QUEUES-1:0] written_q, dynamic_q;

  function automatic logic known(input logic [7:0] queue);
    known = 32'(queue) < QUEUES && written_q[queue[QUEUE_WIDTH-1:0]];
  endfunction

  assign dynamic_o       = dynamic_q;
  assign register_peer_o = known(register_queue_i) ? peer_mem[register_queue_i[QUEUE_WIDTH-1:0]] : '0;
  assign send_peer_o     = known(send_queue_i) ? peer_mem[send_queue_i[QUEUE_WIDTH-1:0]] : '0;
  assign entry_peer_o    = known(entry_queue_i) ? peer_mem[entry_queue_i[QUEUE_WIDTH-1:0]] : '0;
  assign receive_peer_o  = known(receive_queue_i) ? peer_mem[receive_queue_i[QUEUE_WIDTH-1:0]] : '0;
  assign told_peer_o     = known(told_queue_i) ? peer_mem[told_queue_i[QUEUE_WIDTH-1:0]] : '0;
  assign answer_peer_o   = known(answer_queue_i) ? peer_mem[answer_queue_i[QUEUE_WIDTH-1:0]] : '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) {written_q, dynamic_q} <= '0;
    else if (write_i) begin
      written_q[write_queue_i[QUEUE_WIDTH-1:0]] <= 1'b1;
      dynamic_q[write_queue_i[QUEUE_WIDTH-1:0]] <= write_peer_i.dynamic;
    end
  end
  always_ff @(posedge clk_i) if (write_i) peer_mem[write_queue_i[QUEUE_WIDTH-1:0]] <= write_peer_i;

  always_ff @(posedge clk_i) begin
    if (rst_ni) writes_a_queue_that_exists : assert (!write_i || 32'(write_queue_i) < QUEUES);
  end

`ifdef PROVE_MU_QUEUE_PEERS
  // What is proved of mu_queue_peers, of any one number of a queue: every answer for it is what was written
  // last, zero before that and for a queue that does not exist.
  (* anyconst *) logic [7:0] chosen;
  logic                               past_q = 1'b0;
  logic [mu_pkg::QUEUE_PEER_BITS-1:0] last_q;  // written for it
  logic                               now_q;   // at all
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (!write_i || 32'(write_queue_i) < QUEUES);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) {now_q, last_q} <= '0;
    else if (write_i && write_queue_i == chosen) {now_q, last_q} <= {1'b1, write_peer_i};
    if (past_q && rst_ni) begin
      if (register_queue_i == chosen) register_is_answered : assert (register_peer_o == last_q);
      if (send_queue_i == chosen) send_is_answered : assert (send_peer_o == last_q);
      if (entry_queue_i == chosen) entry_is_answered : assert (entry_peer_o == last_q);
      if (told_queue_i == chosen) told_is_answered : assert (told_peer_o == last_q);
      if (receive_queue_i == chosen) receive_is_answered : assert (receive_peer_o == last_q);
      if (answer_queue_i == chosen) answer_is_answered : assert (answer_peer_o == last_q);
      if (32'(chosen) < QUEUES)
        dynamic_as_written :
        assert (dynamic_o[chosen[QUEUE_WIDTH-1:0]] == last_q[mu_pkg::QUEUE_PEER_DYNAMIC_LSB]);
      // What the above rests on.
      written_if_it_was : assert (now_q == (32'(chosen) < QUEUES && written_q[chosen[QUEUE_WIDTH-1:0]]));
      kept_as_written : assert (!now_q || peer_mem[chosen[QUEUE_WIDTH-1:0]] == last_q);
      zero_if_not : assert (now_q || last_q == '0);
    end
  end
`endif
endmodule
`default_nettype wire

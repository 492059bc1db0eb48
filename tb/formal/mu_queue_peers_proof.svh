// SPDX-License-Identifier: Apache-2.0
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

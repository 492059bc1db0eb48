// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_fence_answers: any FENCE that is taken, the chosen one since reset, is answered once, to its
// own source, after it was stored, and not before those that were taken before it.
  (* anyconst *) logic [5:0] chosen;  // its number, from 0
  logic        past_q = 1'b0;
  logic [ 5:0] taken_q, kept_q, told_q;  // FENCEs taken, stored, answered
  logic [51:0] source_q;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (!take_i || room_o);
    assume (!stored_i || kept_q != taken_q);
    assume (!take_i || taken_q != '1);
    assume (!notice_end_i || notices_q != '0);
    assume (!notice_begin_i || notices_q != '1);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) {taken_q, kept_q, told_q} <= '0;
    else begin
      taken_q <= taken_q + 6'(take_i);
      kept_q  <= kept_q + 6'(stored_i);
      told_q  <= told_q + 6'(answered);
      if (take_i && taken_q == chosen)
        source_q <= {trailer_i.queue, header_i.src_z, header_i.src_y, header_i.src_x, trailer_i.index};
    end
    if (past_q && rst_ni) begin
      counts_open : assert (32'(open_q) == 32'(taken_q - told_q) && taken_q - told_q <= 6'(DEPTH));
      counts_stored : assert (32'(stored_q) == 32'(kept_q - told_q) && stored_q <= open_q);
      places : assert (take_q == INDEX_WIDTH'(32'(taken_q) % DEPTH) &&
                       store_q == INDEX_WIDTH'(32'(kept_q) % DEPTH) &&
                       answer_q == INDEX_WIDTH'(32'(told_q) % DEPTH));
      if (taken_q > chosen && told_q <= chosen)
        remembers_its_source : assert (source_mem[INDEX_WIDTH'(32'(chosen) % DEPTH)] == source_q);
      if (answer_valid_o && told_q == chosen) begin
        after_it_was_stored : assert (kept_q > chosen);
        to_its_source : assert ({answer_to_o, answer_index_o} == source_q);
      end
      room_is_room : assert (room_o == (taken_q - told_q < 6'(DEPTH)));
    end
  end

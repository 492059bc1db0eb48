// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_packet_buffer, of any one packet: it is walked once and, if it may be sent, sent
// once, each after those before it and not before all of its payload is here; it leaves as header, as many
// flits as its bytes take, and trailer, without a gap; one with an error is not sent, and walked as such; a
// slot is given again only when both are done. What is in the flits is for the unit test.
  (* anyseq *) logic watches;
  logic                past_q = 1'b0;
  logic                inside_q;              // it was opened, and not both walked and sent or passed over
  logic [SLOT_WIDTH:0] walks_ahead_q, sends_ahead_q;
  logic                walked_q, gone_q;      // gone: sent or passed over
  logic                waits_here_q, bad_q, may_send_q;
  logic [SLOT_WIDTH-1:0] place_q;
  logic [5:0]          flits_here_q;          // of the payload
  logic                framed_q;              // the flits taken so far end with a tail
  logic                stands_q, head_before_q, tail_before_q;
  logic                leaves_here, out_leaves, completes;
  logic [SLOT_WIDTH:0] unwalked_q, unsent_q;
  assign out_leaves  = out_drop || (out_take && out_tail);
  assign leaves_here = inside_q && !gone_q && sends_ahead_q == '0;
  assign completes   = beat_valid_i && beat_last_i && fill_slot == place_q;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (!beat_valid_i || waits_q[fill_slot]);
    assume (!beat_valid_i || beat_last_i == (6'(fill_word_q) == (flits_mem[fill_slot] - 6'd1) >> 1));
    assume (!walk_take_i || walk_valid_o);
    assume (!(open && open_hold_i) || !held_q);
    assume (open_header_i.bytes <= 10'd512 && (!open_memory_i || open_header_i.bytes != '0));
    assume (open_memory_i || open_header_i.bytes <= 10'd16);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    {head_before_q, tail_before_q} <= {flit_head_o, flit_tail_o};
    if (!rst_ni) begin
      {inside_q, stands_q, unwalked_q, unsent_q} <= '0;
      framed_q <= 1'b1;
    end else begin
      stands_q   <= flit_valid_o && !flit_ready_i;
      if (flit_valid_o && flit_ready_i) framed_q <= flit_tail_o;
      unwalked_q <= unwalked_q + (SLOT_WIDTH + 1)'(open) - (SLOT_WIDTH + 1)'(walk_take_i);
      unsent_q   <= unsent_q + (SLOT_WIDTH + 1)'(open) - (SLOT_WIDTH + 1)'(out_leaves);
      if (open && watches && !inside_q) begin
        inside_q      <= 1'b1;
        place_q       <= open_slot;
        walks_ahead_q <= unwalked_q - (SLOT_WIDTH + 1)'(walk_take_i);
        sends_ahead_q <= unsent_q - (SLOT_WIDTH + 1)'(out_leaves);
        {walked_q, gone_q, waits_here_q, bad_q, may_send_q} <=
            {2'b00, open_memory_i, 1'b0, open_record_i.send};
        flits_here_q  <= 6'((11'(open_header_i.bytes) + 11'd15) >> 4);
      end else if (inside_q) begin
        if (walk_take_i && !walked_q) begin
          if (walks_ahead_q == '0) walked_q <= 1'b1;
          else walks_ahead_q <= walks_ahead_q - 1'b1;
        end
        if (out_leaves && !gone_q) begin
          if (sends_ahead_q == '0) gone_q <= 1'b1;
          else sends_ahead_q <= sends_ahead_q - 1'b1;
        end
        if (completes) {waits_here_q, bad_q} <= {1'b0, bad_q || beat_error_i};
        if (spoils && held_slot_q == place_q) bad_q <= 1'b1;
        if (walked_q && gone_q) inside_q <= 1'b0;
      end
      if (past_q) begin
        room_until_all_slots_are_used :
        assert (open_ready_o == (32'(unwalked_q) < PACKETS && 32'(unsent_q) < PACKETS));
        if (stands_q) a_flit_stands :
        assert (flit_valid_o && {flit_head_o, flit_tail_o} == {head_before_q, tail_before_q});
        if (flit_valid_o) a_head_begins_and_a_tail_ends : assert (flit_head_o == framed_q);
        if (!framed_q) no_gap_inside_a_packet : assert (flit_valid_o);
        if (inside_q && !walked_q && walks_ahead_q == '0) begin
          if (walk_valid_o) walked_when_it_is_complete : assert (!waits_here_q && walk_error_o == bad_q);
          if (!waits_here_q && !held_q) walked_without_delay : assert (walk_valid_o);
        end
        if (leaves_here && out_take) begin
          sent_when_it_is_complete : assert (!waits_here_q && !bad_q && may_send_q);
          its_tail_is_the_last_flit : assert (out_tail == (out_flit_q == flits_here_q + 6'd1));
        end
        if (leaves_here && !waits_here_q && !held_q && bad_q) a_bad_one_is_passed_over : assert (out_drop);
        if (leaves_here && !waits_here_q && !held_q && !bad_q && may_send_q && !dropping_q && stage_free)
          sent_without_delay : assert (out_take);
        busy_while_one_is_inside : assert (busy_o || !inside_q || (walked_q && gone_q));
        // What the above rests on.
        counts_what_is_inside : assert (open_q - walk_q == unwalked_q && open_q - out_q == unsent_q);
        if (inside_q && !walked_q) keeps_its_place_to_be_walked :
        assert (place_q == walk_slot + walks_ahead_q[SLOT_WIDTH-1:0] && walks_ahead_q < unwalked_q);
        if (inside_q && !gone_q) keeps_its_place_to_be_sent :
        assert (place_q == out_slot + sends_ahead_q[SLOT_WIDTH-1:0] && sends_ahead_q < unsent_q &&
                {waits_q[place_q], error_q[place_q], send_q[place_q]} == {waits_here_q, bad_q, may_send_q} &&
                flits_mem[place_q] == flits_here_q);
      end
    end
  end

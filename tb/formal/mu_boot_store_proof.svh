// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_boot_store: a packet is written into slots one behind the other, header and trailer
// first, each beat once and in order; it is published whole, with its last slot, or not at all; one whose
// buffer is opened anew writes nothing more and ends in the next cycle.
  logic                 past_q = 1'b0;
  logic                 packet_q, dropped_q;  // one is being stored; its buffer was opened
  logic [          3:0] of_q;
  logic [SLOT_BITS-1:0] place_q;              // where it begins
  logic [          7:0] size_q, written_q;    // its slots, and those written
  logic                 opens, ends;
  logic [SLOT_BITS-1:0] slot_here;            // that is written next
  assign opens = packet_q && opened_i && opened_client_i == of_q;
  assign ends  = packet_q && packet_done_o;
  assign slot_here = place_q + written_q[SLOT_BITS-1:0];
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (!start_valid_i || (idle_o && start_slots_i != '0 && 32'(start_slots_i) <= SLOTS && !opened_i));
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) {packet_q, dropped_q} <= '0;
    else begin
      if (start_valid_i) begin
        {packet_q, dropped_q, written_q} <= {2'b10, 8'd0};
        {of_q, place_q, size_q}          <= {start_client_i, start_slot_i, start_slots_i};
      end else begin
        if (ends) packet_q <= 1'b0;
        if (opens) dropped_q <= 1'b1;
        if (write_o) written_q <= written_q + 8'd1;
      end
      if (past_q) begin
        idle_between_packets : assert (idle_o == !packet_q);
        if (!packet_q) nothing_without_a_packet : assert (!write_o && !publish_valid_o && !beat_ready_o);
        if (packet_q && dropped_q) begin
          dropped_writes_nothing : assert (!write_o && !publish_valid_o && !beat_ready_o && !coming_o);
          dropped_ends_at_once : assert (packet_done_o);
        end
        if (packet_q && !dropped_q) begin
          comes_for_its_client : assert (coming_o && client_o == of_q);
          if (write_o) one_slot_behind_the_other : assert (write_slot_o == slot_here);
          if (write_o) tells_how_many_are_left : assert (write_left_o == size_q - written_q);
          if (write_o && written_q == '0) header_and_trailer_first : assert (write_data_o == entry_i);
          if (write_o && written_q != '0) then_the_beats :
          assert (beat_valid_i && write_data_o == beat_data_i);
          takes_a_beat_a_slot : assert (beat_ready_o == (write_o && written_q != '0));
          published_with_the_last_slot :
          assert ((publish_valid_o && publish_ready_i) == (write_o && written_q + 8'd1 == size_q));
          if (publish_valid_o) publishes_all : assert (publish_slots_o == size_q);
          ends_when_it_is_published : assert (packet_done_o == (publish_valid_o && publish_ready_i));
          if ((written_q == '0 || beat_valid_i) && publish_ready_i) waits_for_nothing_else : assert (write_o);
        end
        // What the above rests on.
        if (packet_q && !dropped_q)
          counts_its_slots :
          assert (left_q == size_q - written_q && written_q < size_q && entry_q == (written_q == '0) &&
                  slot_q == slot_here);
      end
    end
  end

// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_boot_drain: nothing is shown while a packet of the network is under way; each packet
// that is shown has its own entry and beats, slot by slot, each beat once; the head moves by what the
// packet before it took, and not for one that was opened anew; what is opened anew is shown no longer,
// unless it is being taken.
  logic                 past_q = 1'b0;
  logic [CLIENTS-1:0]   since_q;      // drained in every cycle since the network gave way
  logic                 shown_q, taken_before_q, engaged_q, idle_q;
  logic [SLOT_BITS-1:0] place_q;      // first slot of the packet
  logic [SLOT_BITS-1:0] slot_here;
  logic                 read_entry_q, read_before_q;
  logic [BITS-1:0]      entry_here_q;
  logic [LEFT_BITS-1:0] size_q, reads_q;  // its slots, and those read
  logic                 first_q;      // none has been shown since the network gave way
  logic                 finds;
  assign finds     = drain_valid_o && drain_ready_i && drain_left_i;
  assign slot_here = place_q + reads_q[SLOT_BITS-1:0];
  always_comb begin
    if (!past_q) assume (!rst_ni);
    // While nothing is shown these speak of packets of the network.
    if (shows_o) begin
      assume (!packet_done_i || packet_valid_o);
      assume (!beat_ready_i || packet_valid_o);
      assume (!taken_i || taken_before_q || packet_valid_o);
      assume (!(taken_i && !taken_before_q) || live);
    end
    assume (!taken_before_q || taken_i);
    // A packet has a slot for each of its beats, and one for header and trailer.
    assume (!read_entry_q || (read_left_i != '0 && 32'(read_left_i) <= SLOTS));
    // The network does not begin while one is shown.
    assume (!engaged_i || !shows_o || engaged_q);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) begin
      {shown_q, taken_before_q, engaged_q, read_entry_q, read_before_q, first_q} <= '0;
      idle_q  <= 1'b1;
      since_q <= '0;
    end else begin
      engaged_q      <= engaged_i;
      idle_q         <= !shows_o;
      taken_before_q <= shows_o && taken_i && !packet_done_i;
      since_q        <= (shows_o ? since_q : '1) & draining_i;
      read_entry_q   <= finds;
      read_before_q  <= read_o && !finds;
      if (!shows_o) first_q <= 1'b1;
      else if (read_entry_q) first_q <= 1'b0;
      if (finds) place_q <= drain_slot_i;
      if (finds) reads_q <= '0;
      if (read_entry_q) {entry_here_q, size_q, reads_q} <= {read_data_i, read_left_i, LEFT_BITS'(1)};
      else if (read_o && !finds) reads_q <= reads_q + 1'b1;
      shown_q <= packet_valid_o && !packet_done_i;
      if (past_q) begin
        if (shows_o && idle_q) begins_when_the_network_is_quiet : assert (!engaged_q);
        if (shows_o) hides_the_network : assert (hides_o);
        if (draining_i != '0 && !engaged_i) picks_no_further_one : assert (hides_o);
        if (packet_valid_o) shown_while_it_may_be :
        assert (shows_o && (since_q[drain_client_o[0]] || taken_i));
        if (shown_q && draining_i[drain_client_o[0]] && since_q[drain_client_o[0]])
          stays_until_it_is_done : assert (packet_valid_o);
        if (taken_before_q) stays_while_it_is_taken : assert (packet_valid_o);
        if (packet_valid_o) with_its_header_and_trailer : assert (entry_o == entry_here_q);
        if (read_o && !finds) one_slot_behind_the_other : assert (read_slot_o == slot_here);
        if (read_o && !finds) no_slot_of_another : assert (packet_valid_o && reads_q < size_q);
        if (finds) begins_at_the_head : assert (read_o && read_slot_o == drain_slot_i);
        if (drain_valid_o) head_moves_for_who_is_drained : assert (since_q[drain_client_o[0]]);
        if (drain_valid_o) by_what_was_shown : assert (drain_slots_o == (first_q ? 8'd0 : 8'(size_q)));
        if (read_before_q) a_slot_that_is_read_is_a_beat : assert (beat_valid_o);
        busy_while_it_shows : assert (busy_o || !shows_o);
      end
    end
  end

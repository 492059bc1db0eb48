// SPDX-License-Identifier: Apache-2.0
// mu_boot_drain: shows the packets of a boot buffer as they would come from the network, once it is closed.
//
//   draining_i, first slot (from the pointers) ---> [ look, read ] ---> packet (entry), beats
//   what is read of the slots --------------------> [            ] ---> hides_o, shows_o
//
// Behaviour: while a buffer is to be drained and no packet of the network is under way (engaged_i), no
//   further one may be picked (hides_o). The packets in the buffer of the lowest such client are shown
//   instead (shows_o), oldest first, each until packet_done_i; then the head moves behind it. A packet whose
//   buffer is opened anew, or is no more to be drained, is shown no longer, unless it is being decided or
//   stored (taken_i): then it ends whole. The head does not move for it.
// Latency: three cycles from packet_done_i to the next packet; the first beat two cycles after the packet,
//   then a beat a cycle. Behind a packet whose buffer is drained no more the network has the word in the
//   next cycle.
// Limits: read_data_i and read_left_i are those of the cycle after read_o; read_left_i counts the slots of
//   the packet from this one on. With shows_o, taken_i only from a cycle on in which the packet is shown.
// two-readers: seen=10
`default_nettype none

module mu_boot_drain #(
    parameter  int unsigned CLIENTS     = mu_pkg::CLIENTS,
    parameter  int unsigned SLOTS       = mu_pkg::BOOT_SLOTS,
    parameter  int unsigned BITS        = 256,
    parameter  int unsigned LEFT_BITS   = 5,
    localparam int unsigned SLOT_BITS   = $clog2(SLOTS),
    localparam int unsigned CLIENT_BITS = CLIENTS > 1 ? $clog2(CLIENTS) : 1
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    output logic                 busy_o,
    // pointers
    input  logic [CLIENTS-1:0]   draining_i,
    output logic                 drain_valid_o,
    input  logic                 drain_ready_i,
    output logic [3:0]           drain_client_o,
    output logic [7:0]           drain_slots_o,
    input  logic [SLOT_BITS-1:0] drain_slot_i,
    input  logic                 drain_left_i,
    // slots
    output logic                 read_o,
    output logic [SLOT_BITS-1:0] read_slot_o,
    input  logic [BITS-1:0]      read_data_i,
    input  logic [LEFT_BITS-1:0] read_left_i,
    // packets of the network
    input  logic                 engaged_i,
    output logic                 hides_o,
    // the packet
    output logic                 shows_o,
    output logic                 packet_valid_o,
    output logic [BITS-1:0]      entry_o,        // trailer, header
    input  logic                 taken_i,
    input  logic                 packet_done_i,
    output logic                 beat_valid_o,
    input  logic                 beat_ready_i,
    output logic [BITS-1:0]      beat_data_o
);
  typedef enum logic [1:0] {
    STATE_IDLE,   // the network has the word
    STATE_LOOK,   // head moves, and says where the next packet begins
    STATE_ENTRY,  // its header and trailer are read
    STATE_SHOW    // it is shown
  } state_e;

  state_e                 state_q;
  logic [CLIENT_BITS-1:0] client_q;
  logic                   stale_q;   // the client's buffer has ceased to be drained since it was chosen
  logic                   live;
  logic [LEFT_BITS-1:0]   slots_q;   // that the head has to move by
  logic [LEFT_BITS-1:0]   left_q;    // beats that are still to be read
  logic [SLOT_BITS-1:0]   slot_q;    // the next to be read
  logic                   pending;
  logic                   withdrawn;
  logic                   read_beat;
  logic [CLIENTS-1:0]     drained;   // the client that is chosen, or none

  assign pending        = draining_i != '0;
  assign busy_o         = pending || state_q != STATE_IDLE;
  assign shows_o        = state_q != STATE_IDLE;
  assign hides_o        = shows_o || (pending && !engaged_i);
  assign drain_client_o = 4'(client_q);
  assign drain_valid_o  = state_q == STATE_LOOK && live;
  assign drain_slots_o  = 8'(slots_q);
  assign packet_valid_o = state_q == STATE_SHOW && (live || taken_i);
  assign withdrawn      = state_q == STATE_SHOW && !packet_valid_o;
  assign beat_data_o    = read_data_i;

  always_comb begin
    live    = 1'b0;
    drained = '0;
    if (state_q != STATE_IDLE && !stale_q) begin
      for (int unsigned i = 0; i < CLIENTS; i++) drained[i] = CLIENT_BITS'(i) == client_q && draining_i[i];
      live = drained != '0;
    end
  end

  // --- reading the slots -----------------------------------------------------------------------------
  always_comb begin
    read_beat = 1'b0;
    if (packet_valid_o && !packet_done_i) read_beat = left_q != '0 && (!beat_valid_o || beat_ready_i);
  end
  assign read_o      = read_beat || (drain_valid_o && drain_ready_i && drain_left_i);
  assign read_slot_o = read_beat ? slot_q : drain_slot_i;

  always_ff @(posedge clk_i) begin
    if (read_o) slot_q <= read_slot_o + 1'b1;
    if (state_q == STATE_ENTRY) begin
      entry_o <= read_data_i;
      left_q  <= read_left_i - 1'b1;
    end else if (read_beat) left_q <= left_q - 1'b1;
  end

  // --- one packet after the other --------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q      <= STATE_IDLE;
      stale_q      <= 1'b0;
      beat_valid_o <= 1'b0;
    end else begin
      if (shows_o && !live) stale_q <= 1'b1;
      unique case (state_q)
        STATE_IDLE:
        if (pending && !engaged_i) begin
          state_q <= STATE_LOOK;
          stale_q <= 1'b0;
        end
        STATE_LOOK:
        if (!live) state_q <= STATE_IDLE;
        else if (drain_ready_i) state_q <= drain_left_i ? STATE_ENTRY : STATE_IDLE;
        STATE_ENTRY: state_q <= STATE_SHOW;
        default: begin
          if (packet_done_i || withdrawn) state_q <= live ? STATE_LOOK : STATE_IDLE;
          if (packet_done_i || withdrawn) beat_valid_o <= 1'b0;
          else if (read_beat) beat_valid_o <= 1'b1;
          else if (beat_ready_i) beat_valid_o <= 1'b0;
        end
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == STATE_IDLE) begin
      for (int i = CLIENTS - 1; i >= 0; i--) begin
        if (draining_i[i]) client_q <= CLIENT_BITS'(i);
      end
      slots_q <= '0;
    end else if (state_q == STATE_ENTRY) slots_q <= read_left_i;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      ends_only_what_is_shown : assert (!(shows_o && packet_done_i) || packet_valid_o);
      takes_beats_only_of_a_packet : assert (!(beat_valid_o && beat_ready_i) || packet_valid_o);
      reads_nothing_of_a_packet_that_ends : assert (!(read_beat && packet_done_i));
      a_packet_has_a_slot : assert (state_q != STATE_ENTRY || read_left_i != '0);
    end
  end

`ifdef PROVE_MU_BOOT_DRAIN
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
`endif
endmodule
`default_nettype wire

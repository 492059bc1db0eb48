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
endmodule
`default_nettype wire

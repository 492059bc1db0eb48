// SPDX-License-Identifier: Apache-2.0
// mu_boot_store: puts one packet into a boot buffer, a slot a cycle.
//
//   start (client, slot, slots) ------------> [ count slots ] ---> write_o, slot, data
//   header and trailer, beats (valid/ready) -> [            ] ---> publish (valid/ready/slots)
//
// Behaviour: after start_valid_i the slot of header and trailer is written, then the beats, each into the
//   next slot of the ring, each with the number of slots from it on. The last slot is written in the cycle in
//   which the publish is taken: only then does the buffer hold any of them. packet_done_o is high in that
//   cycle. A packet whose buffer is opened anew meanwhile (opened_i) is dropped: packet_done_o in the next
//   cycle, nothing is published.
// Latency: first slot the cycle after start, then a beat a cycle.
// Limits: start_valid_i only while idle_o, with 1 to SLOTS slots that are free; not in the cycle of an
//   opening. SLOTS is a power of two.
// two-readers: seen=10
`default_nettype none

module mu_boot_store #(
    parameter  int unsigned SLOTS       = mu_pkg::BOOT_SLOTS,
    parameter  int unsigned BITS        = 256,
    parameter  int unsigned LEFT_BITS   = 8,  // count the slots of the largest packet
    parameter  int unsigned CLIENT_BITS = 4,
    localparam int unsigned SLOT_BITS   = $clog2(SLOTS)
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    // control
    input  logic                 start_valid_i,
    input  logic [3:0]           start_client_i,
    input  logic [SLOT_BITS-1:0] start_slot_i,
    input  logic [7:0]           start_slots_i,
    output logic                 idle_o,
    output logic                 coming_o,   // a packet that will be published, for client_o
    output logic [3:0]           client_o,
    // a buffer is opened
    input  logic                 opened_i,
    input  logic [3:0]           opened_client_i,
    // receiver
    input  logic [BITS-1:0]      entry_i,    // trailer, header
    input  logic                 beat_valid_i,
    output logic                 beat_ready_o,
    input  logic [BITS-1:0]      beat_data_i,
    output logic                 packet_done_o,
    // buffer
    output logic                 write_o,
    output logic [SLOT_BITS-1:0] write_slot_o,
    output logic [BITS-1:0]      write_data_o,
    output logic [7:0]           write_left_o,  // slots of the packet from this one on
    output logic                 publish_valid_o,
    input  logic                 publish_ready_i,
    output logic [7:0]           publish_slots_o
);
  if (SLOTS < 2 || SLOTS > 256 || 1 << SLOT_BITS != SLOTS)
    $error("mu_boot_store: SLOTS must be 2^n, 2 to 256");

  if (LEFT_BITS > 8 || CLIENT_BITS > 4) $error("mu_boot_store: at most 8 and 4 bits");

  logic                   busy_q;
  logic                   stale_q;  // its buffer was opened anew
  logic                   entry_q;  // the slot of header and trailer is still to come
  logic [CLIENT_BITS-1:0] client_q;
  logic [SLOT_BITS-1:0]   slot_q;
  logic [LEFT_BITS-1:0]   slots_q;
  logic [LEFT_BITS-1:0]   left_q;   // slots that are still to come
  logic                   offered;  // there is something to write
  logic                   last;
  logic                   unused_bits;

  assign idle_o          = !busy_q;
  assign coming_o        = busy_q && !stale_q;
  assign client_o        = 4'(client_q);
  assign offered         = coming_o && (entry_q || beat_valid_i);
  assign last            = left_q == LEFT_BITS'(1);
  assign publish_valid_o = offered && last;
  assign publish_slots_o = 8'(slots_q);
  assign write_o         = offered && (!last || publish_ready_i);
  assign beat_ready_o    = write_o && !entry_q;
  assign packet_done_o   = busy_q && (stale_q || (write_o && last));
  assign write_slot_o    = slot_q;
  assign write_left_o    = 8'(left_q);
  assign unused_bits     = ^{start_client_i, start_slots_i, opened_client_i};

  always_comb begin
    write_data_o = '0;
    if (busy_q) write_data_o = entry_q ? entry_i : beat_data_i;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q  <= 1'b0;
      stale_q <= 1'b0;
    end else if (start_valid_i) begin
      busy_q  <= 1'b1;
      stale_q <= 1'b0;
    end else if (busy_q) begin
      busy_q <= !packet_done_o;
      if (opened_i && CLIENT_BITS'(opened_client_i) == client_q) stale_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_valid_i) begin
      entry_q  <= 1'b1;
      client_q <= CLIENT_BITS'(start_client_i);
      slot_q   <= start_slot_i;
      slots_q  <= LEFT_BITS'(start_slots_i);
      left_q   <= LEFT_BITS'(start_slots_i);
    end else if (write_o) begin
      entry_q <= 1'b0;
      slot_q  <= slot_q + 1'b1;
      left_q  <= left_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      starts_only_when_idle : assert (!start_valid_i || idle_o);
      starts_with_slots : assert (!start_valid_i || (start_slots_i != '0 && 32'(start_slots_i) <= SLOTS));
      slots_are_counted : assert (!coming_o || left_q != '0);
      publishes_with_the_last_slot :
      assert (!(publish_valid_o && publish_ready_i) || (write_o && packet_done_o));
    end
  end

`ifdef PROVE_MU_BOOT_STORE
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
`endif
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_packet_receiver: takes packets of one class from the router whole, and lets only good ones pass.
//
//   flit (valid/ready/head/tail/data) ---> [ framing, CRC ] ---> [ buffers ] ---> packet (header, trailer)
//                                                 |                         ---> beat (valid/ready/data)
//                                                 +---> bad_packet_o (pulse)
//
// Behaviour: a packet that begins with a head flit, has as many payload flits as its header says, a kind
//   and size of its class, zero reserved and pad bits, and a good CRC is shown once, in order, with
//   packet_valid_o until packet_done_i; its payload comes as 256-bit beats, byte 0 lowest, the rest of the
//   last beat zero. Anything else is dropped whole: one pulse of bad_packet_o for its tail or for the head
//   that cuts it short (one for both if that head is a tail), and nothing else. A packet is taken only if a
//   buffer is free; inside a packet flits are taken at once.
// Latency: packet_valid_o two cycles after the tail flit, whose CRC is compared in the cycle between; first
//   beat one cycle later, then a beat a cycle. bad_packet_o two cycles after what it is for. A flit a cycle
//   is taken; the cycle of a pulse takes none, so at most two of four cycles have a pulse.
// Limits: PACKETS >= 1; FLITS even, 4..34, sizes the payload. No input can upset it: flits outside a packet
//   are a bad packet that ends with the next tail.
// two-readers: seen=0
`default_nettype none

module mu_packet_receiver #(
    parameter int unsigned PACKETS = 2,
    parameter int unsigned FLITS   = mu_pkg::PACKET_FLITS,
    parameter bit          REPLY   = 1'b0
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    // router
    input  logic                    flit_valid_i,
    output logic                    flit_ready_o,
    input  logic                    flit_head_i,
    input  logic                    flit_tail_i,
    input  mu_pkg::flit_data_t      flit_data_i,
    // engine
    output logic                    packet_valid_o,
    output mu_pkg::packet_header_t  packet_header_o,
    output mu_pkg::packet_trailer_t packet_trailer_o,
    input  logic                    packet_done_i,
    output logic                    beat_valid_o,
    input  logic                    beat_ready_i,
    output mu_pkg::memory_word_t    beat_data_o,
    output logic                    bad_packet_o,
    output logic                    busy_o
);
  if (FLITS < 4 || FLITS > 34 || FLITS % 2 != 0) $error("mu_packet_receiver: FLITS must be even, 4 to 34");

  localparam int unsigned PAYLOAD_FLITS = FLITS - 2;
  localparam int unsigned PAYLOAD_BYTES = PAYLOAD_FLITS * 16;
  localparam int unsigned HEADER_BITS   = mu_pkg::PACKET_HEADER_RESERVED_121_LSB;  // the rest is zero
  localparam int unsigned COUNT_WIDTH   = $clog2(PAYLOAD_FLITS + 1);
  localparam int unsigned BEATS         = PAYLOAD_FLITS / 2;
  localparam int unsigned BEAT_WIDTH    = BEATS > 1 ? $clog2(BEATS) : 1;
  localparam int unsigned SLOT_WIDTH    = PACKETS > 1 ? $clog2(PACKETS) : 1;
  localparam int unsigned ROW_WIDTH     = SLOT_WIDTH + BEAT_WIDTH;
  localparam int unsigned READ_WIDTH    = $clog2(BEATS + 1);
  localparam int unsigned USED_WIDTH    = $clog2(PACKETS + 1);

  (* no_rw_check, ram_style = ROW_WIDTH > 3 ? "block" : "auto" *) logic [127:0] low_mem[1 << ROW_WIDTH];
  (* no_rw_check, ram_style = ROW_WIDTH > 3 ? "block" : "auto" *) logic [127:0] high_mem[1 << ROW_WIDTH];
  (* no_rw_check *) logic [HEADER_BITS-1:0] header_mem[1 << SLOT_WIDTH];
  (* no_rw_check *) logic [127:0]           trailer_mem[1 << SLOT_WIDTH];

  // --- the packet that is coming in ---------------------------------------------------------------
  mu_pkg::packet_header_t header;
  logic [HEADER_BITS-1:0] header_q;
  logic                   open_q;         // between first flit and tail
  logic                   broken_q;       // it will be dropped, or there is none
  logic [COUNT_WIDTH-1:0] count_q;        // payload flits so far, unless it is broken
  logic [31:0]            crc_q;
  logic [31:0]            crc_next;
  logic [SLOT_WIDTH-1:0]  slot_q;         // buffer that it goes to
  logic [USED_WIDTH-1:0]  used_q;         // complete packets in the buffers
  logic                   take;
  logic                   ends;           // a packet, or what was to be one
  logic                   shape_good;
  logic                   flit_good;      // as payload
  logic                   ended_q;        // one ended in the last cycle
  logic                   sound_q;        // all of it but its CRC
  logic [31:0]            sent_crc_q;
  logic                   good;
  logic                   bad;
  logic                   full;
  logic [COUNT_WIDTH-1:0] payload_flits;  // of a size that is legal
  logic                   write;
  logic                   unused_bits;

  assign header       = 128'(header_q);
  assign unused_bits  = ^header;
  assign take         = flit_valid_i && flit_ready_o;
  assign full         = used_q == USED_WIDTH'(PACKETS) || 
      (ended_q && sound_q && used_q == USED_WIDTH'(PACKETS - 1));
  assign flit_ready_o = !bad_packet_o && !full;
  assign good         = ended_q && sound_q && ~crc_q == sent_crc_q;
  assign bad          = ended_q && !good;

  mu_crc32c u_crc (
      .enable_i (take),
      .trailer_i(flit_tail_i),
      .crc_i    (flit_head_i ? '1 : crc_q),
      .data_i   (flit_data_i),
      .crc_o    (crc_next)
  );

  // What each flit is. Nothing is looked at before it is known to matter, so that a flit costs a simulator
  // little, and no flit nothing.
  always_comb begin
    payload_flits = '0;
    shape_good    = 1'b0;
    flit_good     = 1'b1;
    ends          = 1'b0;
    write         = 1'b0;
    if (take) begin
      ends = flit_tail_i || (flit_head_i && open_q);
      if (!flit_head_i) payload_flits = COUNT_WIDTH'((11'(header.bytes) + 11'd15) >> 4);
      if (flit_tail_i) begin
        unique case (header.kind)
          mu_pkg::KIND_PUT, mu_pkg::KIND_FIFO, mu_pkg::KIND_FENCE: shape_good = 1'b1;
          mu_pkg::KIND_GET, mu_pkg::KIND_CREDIT_QUERY, mu_pkg::KIND_SEND: shape_good = !REPLY;
          mu_pkg::KIND_NOTICE, mu_pkg::KIND_CREDIT, mu_pkg::KIND_ACK: shape_good = REPLY;
          default: shape_good = 1'b0;
        endcase
        if (header.reply != REPLY || 32'(header.bytes) > PAYLOAD_BYTES || flit_head_i || broken_q ||
            count_q != payload_flits || flit_data_i[mu_pkg::PACKET_TRAILER_RESERVED_95_LSB] != '0)
          shape_good = 1'b0;
      end else if (!flit_head_i) begin
        write     = !broken_q;
        flit_good = count_q != payload_flits;
        // Bytes behind the last one of the payload must be zero.
        if (count_q + 1'b1 == payload_flits && header.bytes[3:0] != '0) begin
          for (int i = 1; i < 16; i++) begin
            if (4'(i) >= header.bytes[3:0] && flit_data_i[i*8+:8] != '0) flit_good = 1'b0;
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      open_q       <= 1'b0;
      broken_q     <= 1'b1;
      bad_packet_o <= 1'b0;
      ended_q      <= 1'b0;
      slot_q       <= '0;
    end else begin
      bad_packet_o <= bad;
      ended_q      <= ends;
      if (good) slot_q <= 32'(slot_q) == PACKETS - 1 ? '0 : slot_q + 1'b1;
      if (take) begin
        open_q  <= !flit_tail_i;
        crc_q   <= crc_next;
        count_q <= flit_head_i ? '0 : count_q + 1'b1;
        if (flit_head_i) begin
          header_q <= flit_data_i[HEADER_BITS-1:0];
          broken_q <= flit_tail_i || flit_data_i[127:HEADER_BITS] != '0;
        end else if (flit_tail_i || !flit_good) begin
          broken_q <= 1'b1;
        end
      end
    end
    if (ends) begin
      sound_q    <= shape_good;
      sent_crc_q <= flit_data_i[mu_pkg::PACKET_TRAILER_CRC_LSB+:32];
    end
  end

  // An even flit clears the upper half of its beat, in case that it is the last. What turns out to be bad has
  // been written in a buffer that is free; what is known to be bad is not, for in the cycle after a tail the
  // buffer is that of its packet.
  always_ff @(posedge clk_i) begin
    if (write) begin
      if (!count_q[0]) low_mem[{slot_q, count_q[BEAT_WIDTH:1]}] <= flit_data_i;
      high_mem[{slot_q, count_q[BEAT_WIDTH:1]}] <= count_q[0] ? flit_data_i : '0;
    end
    if (ends && !broken_q) begin
      header_mem[slot_q]  <= header_q;
      trailer_mem[slot_q] <= flit_data_i;
    end
  end

  // --- the oldest complete packet -------------------------------------------------------------------
  logic [HEADER_BITS-1:0] shown_q;      // its header
  logic [SLOT_WIDTH-1:0]  read_slot_q;
  logic [SLOT_WIDTH-1:0]  next_slot;
  logic [SLOT_WIDTH-1:0]  shown_slot;   // of what is shown in the next cycle
  logic [READ_WIDTH-1:0]  beat_q;       // beats read so far
  logic                   fetch;
  logic                   done;

  assign packet_valid_o  = used_q != '0;
  assign packet_header_o = 128'(shown_q);
  assign done            = packet_done_i && packet_valid_o;
  assign next_slot       = 32'(read_slot_q) == PACKETS - 1 ? '0 : read_slot_q + 1'b1;
  assign shown_slot      = done ? next_slot : read_slot_q;
  assign busy_o          = packet_valid_o || bad_packet_o || ended_q;

  function automatic logic [READ_WIDTH-1:0] beats(input logic [9:0] bytes);
    beats = READ_WIDTH'((11'(bytes) + 11'd31) >> 5);
  endfunction
  always_comb begin
    fetch = 1'b0;
    if (packet_valid_o && (!beat_valid_o || beat_ready_i)) begin
      fetch = beat_q != beats(packet_header_o.bytes);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      used_q       <= '0;
      read_slot_q  <= '0;
      beat_q       <= '0;
      beat_valid_o <= 1'b0;
    end else begin
      if (good != done) used_q <= good ? used_q + 1'b1 : used_q - 1'b1;
      if (done) begin
        read_slot_q  <= next_slot;
        beat_q       <= '0;
        beat_valid_o <= 1'b0;
      end else if (fetch) begin
        beat_q       <= beat_q + 1'b1;
        beat_valid_o <= 1'b1;
      end else if (beat_ready_i) begin
        beat_valid_o <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (done || (good && used_q == '0)) begin
      shown_q          <= header_mem[shown_slot];
      packet_trailer_o <= trailer_mem[shown_slot];
    end
    if (fetch) beat_data_o <= {high_mem[{read_slot_q, beat_q[BEAT_WIDTH-1:0]}],
                               low_mem[{read_slot_q, beat_q[BEAT_WIDTH-1:0]}]};
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      used_bounded : assert (32'(used_q) <= PACKETS);
      slots_inside : assert (32'(slot_q) < PACKETS && 32'(read_slot_q) < PACKETS);
      never_overwrites_a_stored_packet : assert (!(write && 32'(used_q) == PACKETS));
      broken_unless_open : assert (open_q || broken_q);
      shows_what_has_just_come : assert (!(good && (used_q == '0 || (done && 32'(used_q) == 1))) ||
                                         shown_slot == slot_q);
      beats_bounded : assert (beat_q <= beats(packet_header_o.bytes) || !packet_valid_o);
      no_beat_without_packet : assert (!beat_valid_o || packet_valid_o);
      done_only_when_shown : assert (!packet_done_i || packet_valid_o);
    end
  end
endmodule
`default_nettype wire

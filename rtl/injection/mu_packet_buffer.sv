// SPDX-License-Identifier: Apache-2.0
// mu_packet_buffer: request packets from header to router; a packet leaves only when it is complete.
//
//   open (header, trailer, record) ---> [ PACKETS slots ] ---> flits (valid/ready/head/tail/data)
//   beats (payload from memory) ------>        |----> walk (record, header, trailer of a complete slot)
//
// Behaviour: slots are filled, walked and sent in the order in which they were opened. A slot opened with
//   memory_i is complete with the last beat of its payload, any other at once. walk shows each complete slot
//   once, to be taken by walk_take_i. A complete slot whose record has send set leaves as header, payload,
//   trailer flits without a gap of its own; not so if its payload had an error, nor any later slot with the
//   tag of such a one. A slot is free once it was walked and sent. One opened with open_hold_i is not walked
//   or sent while hold_i or spoil_i is high; if spoil_i is high when hold_i is low, it has an error.
//   clk_packet_i, of what is sent and of data that comes in, is clk_i, and may be stopped while
//   active_packet_o is low; clk_i while nothing is opened or taken and active_o is low.
// Latency: last beat (or open) to first flit 2 cycles; one flit a cycle, also from packet to packet.
// Limits: PACKETS a power of two. Beats have no ready: they come in the order of their opens (asserted).
//   Payload in the header's bytes, 0 to 512; payload_i holds it for a slot without memory_i, up to 16 bytes.
`default_nettype none

module mu_packet_buffer #(
    parameter int unsigned PACKETS = 4
) (
    input  logic                      clk_i,
    input  logic                      clk_packet_i,
    input  logic                      rst_ni,
    output logic                      busy_o,
    output logic                      active_o,
    output logic                      active_packet_o,
    // packetiser
    input  logic                      open_valid_i,
    output logic                      open_ready_o,
    input  mu_pkg::packet_header_t    open_header_i,
    input  mu_pkg::packet_trailer_t   open_trailer_i,
    input  mu_pkg::flit_data_t        open_payload_i,
    input  mu_pkg::injection_record_t open_record_i,
    input  logic                      open_memory_i,
    input  logic                      open_hold_i,
    input  logic                      hold_i,
    input  logic                      spoil_i,
    // memory port
    input  logic                      beat_valid_i,
    input  mu_pkg::memory_word_t      beat_data_i,
    input  logic                      beat_last_i,
    input  logic                      beat_error_i,
    // completion
    output logic                      walk_valid_o,
    input  logic                      walk_take_i,
    output logic                      walk_error_o,
    output mu_pkg::injection_record_t walk_record_o,
    output mu_pkg::packet_header_t    walk_header_o,
    output mu_pkg::packet_trailer_t   walk_trailer_o,
    // CRC insertion
    output logic                      flit_valid_o,
    input  logic                      flit_ready_i,
    output logic                      flit_head_o,
    output logic                      flit_tail_o,
    output mu_pkg::flit_data_t        flit_data_o
);
  localparam int unsigned SLOT_WIDTH = $clog2(PACKETS);
  localparam logic [SLOT_WIDTH:0] LAP = (SLOT_WIDTH + 1)'(PACKETS);  // the same slot, PACKETS further
  localparam int unsigned WORDS = mu_pkg::PAYLOAD_BYTES * 8 / mu_pkg::MEMORY_BITS;
  localparam int unsigned WORD_WIDTH = $clog2(WORDS);
  if (PACKETS < 2 || PACKETS != 2 ** SLOT_WIDTH) $error("mu_packet_buffer: PACKETS must be a power of two");
  if (mu_pkg::MEMORY_BITS != 256) $error("mu_packet_buffer: written for beats of two flits");

  logic [mu_pkg::FLIT_BITS-1:0]             header_mem [PACKETS];
  logic [mu_pkg::FLIT_BITS-1:0]             trailer_mem[PACKETS];
  logic [mu_pkg::INJECTION_RECORD_BITS-1:0] record_mem [PACKETS];
  logic [mu_pkg::FLIT_BITS-1:0]             short_mem  [PACKETS];  // payload that does not come from memory
  logic [5:0]                               flits_mem  [PACKETS];  // payload flits
  logic [2:0]                               tag_mem    [PACKETS];
  (* no_rw_check *) logic [127:0] low_mem[PACKETS*WORDS];  // first half of each beat
  (* no_rw_check *) logic [127:0] high_mem[PACKETS*WORDS];

  logic [PACKETS-1:0] send_q;  // what each slot is, by slot
  logic [PACKETS-1:0] memory_q;  // its payload comes from memory
  logic [PACKETS-1:0] waits_q;  // and has not all come
  logic [PACKETS-1:0] error_q;
  logic held_q;  // one slot at most, held_slot_q
  logic [SLOT_WIDTH:0] open_q, walk_q, out_q;
  logic [SLOT_WIDTH-1:0] open_slot, walk_slot, out_slot, fill_slot, held_slot_q;
  logic [WORD_WIDTH-1:0] fill_word_q;
  logic open, spoils;

  // --- slots
  assign open_slot    = open_q[SLOT_WIDTH-1:0];
  assign walk_slot    = walk_q[SLOT_WIDTH-1:0];
  assign out_slot     = out_q[SLOT_WIDTH-1:0];
  assign open_ready_o = open_q != (walk_q ^ LAP) && open_q != (out_q ^ LAP);
  assign open         = open_valid_i && open_ready_o;
  assign spoils       = held_q && !hold_i && spoil_i;

  // Beats belong to the oldest slot that waits; nothing that waits has been walked.
  always_comb begin
    fill_slot = walk_slot;
    if (beat_valid_i) begin
      for (int unsigned i = PACKETS; i > 0; i--)
        if (waits_q[walk_slot+SLOT_WIDTH'(i-1)]) fill_slot = walk_slot + SLOT_WIDTH'(i - 1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      open_q      <= '0;
      walk_q      <= '0;
      waits_q     <= '0;
      held_q      <= 1'b0;
    end else begin
      if (open) open_q <= open_q + 1'b1;
      if (walk_take_i) walk_q <= walk_q + 1'b1;
      if (open && open_hold_i) {held_q, held_slot_q} <= {1'b1, open_slot};
      else if (!hold_i) held_q <= 1'b0;
      if (open || (beat_valid_i && beat_last_i) || spoils) begin
        for (int unsigned i = 0; i < PACKETS; i++) begin
          if (open && open_slot == SLOT_WIDTH'(i)) begin
            memory_q[i] <= open_memory_i;
            waits_q[i]  <= open_memory_i;
            error_q[i]  <= 1'b0;
            send_q[i]   <= open_record_i.send;
          end else if (beat_valid_i && beat_last_i && fill_slot == SLOT_WIDTH'(i)) begin
            waits_q[i] <= 1'b0;
            error_q[i] <= error_q[i] || beat_error_i;
          end
          if (spoils && held_slot_q == SLOT_WIDTH'(i)) error_q[i] <= 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (open) begin
      header_mem[open_slot]  <= open_header_i;
      trailer_mem[open_slot] <= open_trailer_i;
      short_mem[open_slot]   <= open_payload_i;
      record_mem[open_slot]  <= open_record_i;
      flits_mem[open_slot]   <= 6'(open_header_i.bytes[9:4]) + 6'(open_header_i.bytes[3:0] != '0);
      tag_mem[open_slot]     <= open_record_i.tag;
    end
  end

  always_ff @(posedge clk_packet_i) begin
    if (!rst_ni) fill_word_q <= '0;
    else if (beat_valid_i) fill_word_q <= beat_last_i ? '0 : fill_word_q + 1'b1;
  end
  always_ff @(posedge clk_packet_i) if (beat_valid_i) low_mem[{fill_slot, fill_word_q}] <= beat_data_i[127:0];
  always_ff @(posedge clk_packet_i)
    if (beat_valid_i) high_mem[{fill_slot, fill_word_q}] <= beat_data_i[255:128];

  // --- walk
  logic held;
  assign held           = held_q && (hold_i || spoil_i);
  assign walk_valid_o   = walk_q != open_q && !waits_q[walk_slot] && !(held && held_slot_q == walk_slot);
  assign walk_error_o   = error_q[walk_slot];
  assign walk_record_o  = record_mem[walk_slot];
  assign walk_header_o  = header_mem[walk_slot];
  assign walk_trailer_o = trailer_mem[walk_slot];

  // --- send: flit number out_flit_q of slot out_slot goes to the output stage
  logic [5:0]          out_flit_q;    // 0 header, then payload, then trailer
  logic [WORD_WIDTH:0] payload_flit;  // number within the payload
  logic                out_complete, out_drop, out_fails, out_take, out_tail, read_low, read_high, stage_free;
  logic                dropping_q;  // slots with this tag are not sent
  logic [2:0]          dropping_tag_q;
  logic                stage_valid_q, stage_head_q, stage_tail_q, stage_low_q, stage_high_q;
  mu_pkg::flit_data_t  stage_flit_q, low_q, high_q;

  assign out_complete = out_q != open_q && !waits_q[out_slot] && !(held && held_slot_q == out_slot);
  assign stage_free   = !stage_valid_q || flit_ready_i;
  assign payload_flit = out_flit_q[WORD_WIDTH:0] - 1'b1;
  always_comb begin
    out_drop  = 1'b0;
    out_fails = 1'b0;
    out_take  = 1'b0;
    out_tail  = 1'b0;
    read_low  = 1'b0;
    read_high = 1'b0;
    if (out_complete) begin
      out_fails = error_q[out_slot];
      out_drop  = out_fails || !send_q[out_slot] || (dropping_q && dropping_tag_q == tag_mem[out_slot]);
      out_take  = !out_drop && stage_free;
      if (out_take) begin
        out_tail  = out_flit_q == flits_mem[out_slot] + 6'd1;
        read_low  = memory_q[out_slot] && out_flit_q != '0 && !out_tail && !payload_flit[0];
        read_high = memory_q[out_slot] && out_flit_q != '0 && !out_tail && payload_flit[0];
      end
    end
  end

  always_ff @(posedge clk_packet_i) begin
    if (!rst_ni) begin
      out_q         <= '0;
      out_flit_q    <= '0;
      dropping_q    <= 1'b0;
      stage_valid_q <= 1'b0;
    end else begin
      if (out_drop || (out_take && out_tail)) out_q <= out_q + 1'b1;
      if (out_take) out_flit_q <= out_tail ? '0 : out_flit_q + 1'b1;
      if (stage_free) stage_valid_q <= out_take;
      // Tags come back after eight descriptors: the first slot of another descriptor ends the dropping.
      if (out_fails) dropping_q <= 1'b1;
      else if (out_complete && dropping_tag_q != tag_mem[out_slot]) dropping_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_packet_i) begin
    if (out_fails) dropping_tag_q <= tag_mem[out_slot];
    if (out_take) begin
      stage_head_q <= out_flit_q == '0;
      stage_tail_q <= out_tail;
      stage_low_q  <= read_low;
      stage_high_q <= read_high;
      if (!read_low && !read_high)
        stage_flit_q <= out_flit_q == '0 ? header_mem[out_slot] : out_tail ? trailer_mem[out_slot] :
            short_mem[out_slot];
    end
  end
  always_ff @(posedge clk_packet_i)
    if (out_take && read_low) low_q <= low_mem[{out_slot, payload_flit[WORD_WIDTH:1]}];
  always_ff @(posedge clk_packet_i)
    if (out_take && read_high) high_q <= high_mem[{out_slot, payload_flit[WORD_WIDTH:1]}];

  assign flit_valid_o = stage_valid_q;
  assign flit_head_o  = stage_head_q;
  assign flit_tail_o  = stage_tail_q;
  always_comb begin
    flit_data_o = '0;
    if (stage_valid_q) flit_data_o = stage_low_q ? low_q : stage_high_q ? high_q : stage_flit_q;
  end

  assign busy_o          = open_q != walk_q || open_q != out_q || stage_valid_q;
  assign active_o        = held_q || (beat_valid_i && beat_last_i);
  assign active_packet_o = open_q != out_q || stage_valid_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      beats_only_for_a_slot_that_waits : assert (!beat_valid_i || waits_q[fill_slot]);
      waits_only_until_it_is_sent : assert (waits_q == '0 || open_q != out_q);
      beats_as_many_as_bytes : assert (!beat_valid_i ||
          beat_last_i == (6'(fill_word_q) == (flits_mem[fill_slot] - 6'd1) >> 1));
      walk_takes_what_is_there : assert (!walk_take_i || walk_valid_o);
      walk_is_not_behind : assert (open_q - walk_q <= (SLOT_WIDTH + 1)'(PACKETS));
      out_is_not_behind : assert (open_q - out_q <= (SLOT_WIDTH + 1)'(PACKETS));
      holds_one_slot : assert (!(open && open_hold_i) || !held_q);
      payload_fits : assert (!open_valid_i || open_header_i.bytes <= 10'(mu_pkg::PAYLOAD_BYTES));
      sends_within_the_packet : assert (!out_complete || out_flit_q <= flits_mem[out_slot] + 6'd1);
    end
  end

`ifdef PROVE_MU_PACKET_BUFFER
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
`endif
endmodule
`default_nettype wire

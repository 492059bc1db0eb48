// SPDX-License-Identifier: Apache-2.0
// mu_boot_drain: takes packets out of the boot buffers that are to be moved, and shows them to reception.
//
//   draining_i ---> [ pick a buffer ] ---> step_o (look, free) <---> FIFO table (held_i)
//                   [ read a packet ] ---> read_o <---> memory port (beat_i)
//                   [ keep, show it ] ---> shown_o, beats (valid/ready/data)
//
// Behaviour: while a boot buffer is to be moved, its oldest packet is read and shown, as one from the network
//   would be, until packet_done_i; then its slots are free, and the next is read. The buffers take turns. A
//   packet that stays_i, for its FIFO has no room, stays in the buffer, which has its next turn once some
//   FIFO may have room. One whose buffer is configured anew is shown no longer, unless it is being stored.
//   What is no packet for a FIFO, or cannot be read, is dropped with all that lies behind it in its buffer,
//   for nothing tells where the next one begins: bad_packet_o for one cycle.
// Latency: from a step to the packet shown about 20 cycles, and one for each beat of payload.
// Limits: packet_done_i only while shown; stays_i too, and not while the packet is being stored (taken_i).
//   One packet at a time.
`default_nettype none

module mu_boot_drain (
    input  logic                               clk_i,
    input  logic                               rst_ni,
    output logic                               busy_o,
    // reception FIFO table
    input  logic [mu_pkg::RECEPTION_FIFOS-1:0] draining_i,
    output mu_pkg::boot_step_t                 step_o,
    input  mu_pkg::boot_held_t                 held_i,
    // memory port
    output mu_pkg::read_request_t              read_o,
    input  logic                               read_ready_i,
    input  mu_pkg::read_beat_t                 beat_i,
    // reception
    output mu_pkg::shown_request_t             shown_o,
    input  logic                               taken_i,
    input  logic                               stays_i,
    input  logic                               packet_done_i,
    output logic                               beat_valid_o,
    input  logic                               beat_ready_i,
    output mu_pkg::memory_word_t               beat_data_o,
    output logic                               bad_packet_o
);
  localparam int unsigned FIFOS      = mu_pkg::RECEPTION_FIFOS;
  localparam int unsigned BEATS      = mu_pkg::PAYLOAD_BYTES / mu_pkg::FIFO_SLOT_BYTES;
  localparam int unsigned BEAT_BITS  = $clog2(BEATS);
  localparam logic [9:0]  SLOT_BYTES = 10'(mu_pkg::FIFO_SLOT_BYTES);

  typedef enum logic [3:0] {
    STATE_IDLE,
    STATE_LOOK,     // what does the buffer hold?
    STATE_HELD,     // the answer is on its way; with it the first slot is asked for
    STATE_HEADER,   // which the memory port has not taken yet
    STATE_ENTRY,    // it is on its way
    STATE_PAYLOAD,  // the other slots are asked for
    STATE_REST,     // those behind the end of the ring
    STATE_BEATS,    // they are on their way
    STATE_SHOW,     // the packet is shown
    STATE_FREE,     // its slots are free again
    STATE_FREED     // the table has that
  } state_e;

  state_e                  state_q;
  logic [FIFOS-1:0]        blocked_q;   // what it holds first has found no room
  logic [FIFOS-1:0]        wanted;
  logic [7:0]              fifo_q;      // the boot buffer
  logic [7:0]              next;        // the one that has its turn
  logic                    stale_q;     // it has been configured anew
  logic                    discard_q;   // nothing more of it can be read
  mu_pkg::boot_held_t      held_q;
  mu_pkg::packet_header_t  header_q;
  mu_pkg::packet_trailer_t trailer_q;
  logic [4:0]              slots_q;     // of the packet
  logic [9:0]              here;        // payload before the end of the ring, bytes
  logic [9:0]              payload;     // all of it, in whole slots
  logic                    failed_q;    // the memory answered with an error
  logic                    last_beat;   // of the packet comes
  logic [BEAT_BITS:0]      filled_q, shown_q;
  logic [mu_pkg::MEMORY_BITS-1:0] beats[BEATS];
  // the first slot, as it comes
  mu_pkg::packet_header_t  entry_header;
  logic [4:0]              entry_slots;
  logic                    entry_good;
  logic                    reconfigured;
  logic                    stale;
  logic                    unused_bits;

  assign wanted       = draining_i & ~blocked_q;
  assign busy_o       = state_q != STATE_IDLE || wanted != '0;
  assign reconfigured = held_i.configured && held_i.fifo == fifo_q && state_q != STATE_IDLE;
  assign stale        = stale_q || reconfigured;
  assign unused_bits  = ^{held_q, held_i, beat_i, entry_header};

  // The next one behind the last, so that a buffer whose FIFO is full holds up no other.
  always_comb begin
    next = '0;
    for (int unsigned i = 1; i <= FIFOS; i++) if (wanted[FIFOS-i]) next = 8'(FIFOS - i);
    for (int unsigned i = 1; i <= FIFOS; i++)
      if (wanted[FIFOS-i] && 8'(FIFOS - i) > fifo_q) next = 8'(FIFOS - i);
  end

  assign entry_header = beat_i.data[127:0];
  assign entry_slots  = 5'd1 + 5'((11'(entry_header.bytes) + 11'd31) >> 5);
  assign entry_good   = !beat_i.error && entry_header.kind == mu_pkg::KIND_FIFO && !entry_header.reply &&
      32'(entry_header.bytes) <= mu_pkg::PAYLOAD_BYTES && entry_slots <= held_q.slots;

  assign payload = {slots_q - 5'd1, 5'd0};
  assign last_beat = beat_i.valid && 5'(filled_q) + 5'd2 == slots_q;
  assign here    = payload < held_q.bytes ? payload : held_q.bytes - SLOT_BYTES;

  always_comb begin
    step_o         = '0;
    step_o.fifo    = fifo_q;
    step_o.valid   = state_q == STATE_LOOK || (state_q == STATE_FREE && !stale_q);
    step_o.discard = state_q == STATE_FREE && discard_q;
    if (state_q == STATE_FREE && !discard_q) step_o.slots = 8'(slots_q);
  end

  always_comb begin
    read_o = '0;
    unique case (state_q)
      STATE_HELD: begin
        read_o.valid           = held_i.valid && held_i.slots != '0 && !stale;
        read_o.command.address = held_i.address;
        read_o.command.bytes   = SLOT_BYTES;
      end
      STATE_HEADER: begin
        read_o.valid           = 1'b1;
        read_o.command.address = held_q.address;
        read_o.command.bytes   = SLOT_BYTES;
      end
      STATE_PAYLOAD: begin
        read_o.valid           = here != '0;
        read_o.command.address = held_q.address + 40'(SLOT_BYTES);
        read_o.command.bytes   = here;
      end
      STATE_REST: begin
        read_o.valid           = 1'b1;
        read_o.command.address = held_q.base;
        read_o.command.bytes   = payload - here;
      end
      default: read_o = '0;
    endcase
  end

  assign shown_o.valid        = state_q == STATE_SHOW;
  assign shown_o.moved        = 1'b1;
  assign shown_o.keeper_owner = held_q.owner;
  assign shown_o.header       = header_q;
  assign shown_o.trailer      = trailer_q;
  assign beat_valid_o         = state_q == STATE_SHOW && shown_q != filled_q;
  assign beat_data_o          = beats[shown_q[BEAT_BITS-1:0]];
  assign bad_packet_o         = state_q == STATE_FREED && held_i.valid && discard_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q   <= STATE_IDLE;
      blocked_q <= '0;
    end else begin
      if (held_i.room) blocked_q <= '0;
      unique case (state_q)
        STATE_IDLE: if (wanted != '0) state_q <= STATE_LOOK;
        STATE_LOOK: if (held_i.ready) state_q <= STATE_HELD;
        STATE_HELD:
        if (held_i.valid)
          state_q <= held_i.slots == '0 || stale ? STATE_IDLE : read_ready_i ? STATE_ENTRY : STATE_HEADER;
        STATE_HEADER: if (read_ready_i) state_q <= STATE_ENTRY;
        STATE_ENTRY:
        if (beat_i.valid) begin
          if (stale) state_q <= STATE_IDLE;
          else if (!entry_good) state_q <= STATE_FREE;
          else state_q <= entry_slots == 5'd1 ? STATE_SHOW : STATE_PAYLOAD;
        end
        STATE_PAYLOAD:
        if (read_ready_i || here == '0) state_q <= here == payload ? STATE_BEATS : STATE_REST;
        STATE_REST: if (read_ready_i) state_q <= STATE_BEATS;
        STATE_BEATS:
        if (last_beat) state_q <= stale ? STATE_IDLE : failed_q || beat_i.error ? STATE_FREE : STATE_SHOW;
        STATE_SHOW: begin
          if (packet_done_i) state_q <= STATE_FREE;
          else if (stays_i) begin
            state_q <= STATE_IDLE;
            for (int unsigned i = 0; i < FIFOS; i++) if (8'(i) == fifo_q) blocked_q[i] <= 1'b1;
          end else if (reconfigured && !taken_i) state_q <= STATE_IDLE;
        end
        STATE_FREE:
        if (stale) state_q <= STATE_IDLE;
        else if (held_i.ready) state_q <= STATE_FREED;
        default: if (held_i.valid) state_q <= STATE_IDLE;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == STATE_IDLE) begin
      fifo_q    <= next;
      stale_q   <= 1'b0;
      discard_q <= 1'b0;
      failed_q  <= 1'b0;
      filled_q  <= '0;
      shown_q   <= '0;
    end else begin
      if (reconfigured) stale_q <= 1'b1;
      if (state_q == STATE_HELD && held_i.valid) held_q <= held_i;
      if (state_q == STATE_ENTRY && beat_i.valid) begin
        {trailer_q, header_q} <= beat_i.data;
        slots_q               <= entry_slots;
        discard_q             <= !entry_good;
      end else if (beat_i.valid) begin
        beats[filled_q[BEAT_BITS-1:0]] <= beat_i.data;
        filled_q                       <= filled_q + 1'b1;
        failed_q                       <= failed_q || beat_i.error;
        discard_q                      <= discard_q || beat_i.error;
      end
      if (beat_valid_o && beat_ready_i) shown_q <= shown_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      shows_nothing_of_before : assert (!(shown_o.valid && stale_q) || taken_i || packet_done_i);
      ends_what_is_shown : assert (!(packet_done_i || stays_i) || shown_o.valid);
      stays_or_is_done : assert (!(packet_done_i && stays_i));
      stays_before_it_is_stored : assert (!(stays_i && taken_i));
      no_more_than_a_packet :
      assert (!beat_i.valid || state_q == STATE_ENTRY || filled_q < (BEAT_BITS + 1)'(BEATS));
      beats_when_asked_for :
      assert (!beat_i.valid || state_q == STATE_ENTRY || state_q == STATE_PAYLOAD || state_q == STATE_REST ||
              state_q == STATE_BEATS);
      answers_what_was_asked : assert (!held_i.valid || state_q == STATE_HELD || state_q == STATE_FREED);
      if (held_i.valid && state_q == STATE_HELD)
        holds_whole_slots : assert (held_i.bytes % SLOT_BYTES == '0);
    end
  end

`ifdef PROVE_MU_BOOT_DRAIN
  // What is proved of mu_boot_drain: it reads the slots of the oldest packet of one boot buffer, each once
  // and none beyond the end of its ring, and shows the packet when all of it is there, as it was read; it
  // frees the slots of what is finished, and drops what is no packet, or what was not read; of a buffer that
  // is configured anew nothing is shown that was not being stored; it asks for beats that it has room for.
  logic        past_q = 1'b0;
  logic [1:0]  answer_q;     // the table answers when it is 1
  logic [5:0]  owed_q;       // beats that have been asked for
  logic        standing_q, shown_before_q, taken_before_q, anew_q, decided_q;
  mu_pkg::read_command_t  command_before_q;
  mu_pkg::memory_word_t   first_beat_q;     // of payload
  logic [5:0]  asked;
  assign asked = 6'(read_o.command.bytes >> 5);
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (!held_i.ready || (step_o.valid && !held_i.configured && answer_q == '0));
    assume (held_i.valid == (answer_q == 2'd1));
    assume (!(held_i.valid && held_i.configured));
    assume (!held_i.valid || (held_i.bytes[4:0] == '0 && held_i.bytes != '0 && held_i.bytes <= 10'd544));
    assume (!read_ready_i || read_o.valid);
    assume (!beat_i.valid || owed_q != '0);
    assume (!(packet_done_i || stays_i) || shown_o.valid);
    assume (!(packet_done_i && stays_i) && !(stays_i && taken_i));
    assume (!taken_i || shown_o.valid);
    assume (!(taken_before_q && !decided_q) || taken_i);  // it is stored to its end
    assume (!((packet_done_i || stays_i) && !taken_i && held_i.configured));  // the table does one of both
    assume (!beat_ready_i || (beat_valid_o && taken_i));
  end
  always_ff @(posedge clk_i) begin
    past_q           <= 1'b1;
    standing_q       <= rst_ni && read_o.valid && !read_ready_i;
    command_before_q <= read_o.command;
    shown_before_q   <= rst_ni && shown_o.valid;
    taken_before_q   <= rst_ni && taken_i;
    decided_q        <= packet_done_i || stays_i;
    if (!rst_ni) begin
      answer_q <= '0;
      owed_q   <= '0;
      anew_q   <= 1'b0;
    end else begin
      answer_q <= held_i.ready ? 2'd2 : answer_q - 2'(answer_q != '0);
      owed_q   <= owed_q + (read_ready_i ? asked : '0) - 6'(beat_i.valid);
      anew_q   <= reconfigured && !taken_i;
      if (beat_i.valid && state_q != STATE_ENTRY && filled_q == '0) first_beat_q <= beat_i.data;
      if (past_q) begin
        if (standing_q) a_command_stands : assert (read_o.valid && read_o.command == command_before_q);
        if (read_o.valid)
          asks_for_whole_slots :
          assert (read_o.command.bytes[4:0] == '0 && asked != '0 &&
              owed_q + asked + 6'(filled_q) <= 6'(BEATS));
        if (read_o.valid && state_q == STATE_HELD)
          asks_for_the_first_slot : assert (read_o.command.address == held_i.address);
        if (read_o.valid && state_q == STATE_PAYLOAD)
          not_beyond_the_end : assert (read_o.command.bytes + SLOT_BYTES <= held_q.bytes);
        if (shown_o.valid)
          shown_when_all_is_there : assert (owed_q == '0 && 5'(filled_q) == slots_q - 5'd1 && !failed_q);
        if (shown_o.valid && !shown_before_q)
          shown_as_a_packet :
          assert (header_q.kind == mu_pkg::KIND_FIFO && !header_q.reply && slots_q <= held_q.slots &&
              32'(header_q.bytes) <= mu_pkg::PAYLOAD_BYTES);
        if (anew_q) nothing_of_before : assert (!shown_o.valid);
        if (shown_before_q && !decided_q && !anew_q) stays_shown : assert (shown_o.valid);
        if (beat_valid_o && shown_q == '0) beats_as_they_were_read : assert (beat_data_o == first_beat_q);
        if (step_o.valid && state_q == STATE_FREE) frees_what_it_has_read :
        assert (step_o.discard == discard_q && step_o.slots == (discard_q ? '0 : 8'(slots_q)));
        // What the above rests on.
        waits_for_the_table :
        assert ((answer_q != '0) == (state_q == STATE_HELD || state_q == STATE_FREED));
        if (state_q == STATE_HELD || state_q == STATE_FREED) answers_in_time : assert (answer_q != 2'd3);
        beats_owed :
        assert (owed_q == (state_q == STATE_ENTRY ? 6'd1 :
            state_q == STATE_REST ? 6'(here >> 5) - 6'(filled_q) :
            state_q == STATE_BEATS ? 6'(slots_q) - 6'd1 - 6'(filled_q) : 6'd0));
        if (state_q == STATE_LOOK || state_q == STATE_HELD || state_q == STATE_PAYLOAD ||
            state_q == STATE_HEADER || state_q == STATE_ENTRY)
          nothing_filled_yet : assert (filled_q == '0 && !failed_q && !discard_q);
        if (state_q == STATE_PAYLOAD || state_q == STATE_REST || state_q == STATE_BEATS ||
            state_q == STATE_SHOW)
          slots_of_a_packet :
          assert (slots_q != '0 && 32'(slots_q) <= BEATS + 1 && slots_q <= held_q.slots &&
              header_q.kind == mu_pkg::KIND_FIFO && !header_q.reply &&
                  32'(header_q.bytes) <= mu_pkg::PAYLOAD_BYTES &&
              slots_q == 5'd1 + 5'((11'(header_q.bytes) + 11'd31) >> 5));
        if (state_q == STATE_PAYLOAD || state_q == STATE_REST || state_q == STATE_BEATS)
          some_payload : assert (slots_q != 5'd1);
        if (state_q == STATE_REST) rest_beyond_the_end : assert (here < payload);
        if (state_q == STATE_HEADER || state_q == STATE_ENTRY || state_q == STATE_PAYLOAD ||
            state_q == STATE_REST)
          place_in_the_ring :
          assert (held_q.bytes[4:0] == '0 && held_q.bytes != '0 && held_q.bytes <= 10'd544);
        if (state_q == STATE_REST || state_q == STATE_BEATS || state_q == STATE_SHOW) begin
          filled_in_order : assert (filled_q <= (BEAT_BITS + 1)'(BEATS) && 5'(filled_q) < slots_q);
          if (filled_q != '0) first_beat_first : assert (beats[0] == first_beat_q);
        end
        given_in_order : assert (shown_q <= filled_q || state_q == STATE_IDLE);
        if (state_q != STATE_SHOW && state_q != STATE_IDLE && state_q != STATE_FREE &&
            state_q != STATE_FREED)
          none_given_yet : assert (shown_q == '0);
        if (state_q == STATE_SHOW && stale_q) stale_while_it_is_stored :
        assert (taken_before_q && !decided_q);
        dropped_for_a_reason : assert (!(state_q == STATE_SHOW && discard_q));
        failed_is_dropped : assert (!failed_q || discard_q || state_q == STATE_IDLE);
        if (state_q == STATE_REST || state_q == STATE_BEATS) dropped_if_failed :
        assert (failed_q == discard_q);
      end
    end
  end
`endif
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_memory_reader: turns read commands of any alignment into AXI bursts and aligns the data that comes back.
//
//   command (valid/ready/data) --> [ split at 4 KiB ] --> read address (valid/ready)
//   beats out (no ready) <-- [ merge bytes ] <-- [ hold ] <-- words, rotated by the read port (no ready)
//
// Behaviour: every command taken gives, in order, ceil(bytes / 32) output beats; byte 0 of the first is the
//   byte at the command's address, bytes past the end of the last are zero, beat_last_o marks it, and
//   beat_error_o with it says whether any beat of this transfer had an error response. touch_o shows the
//   command's touch_i for the cycle in which its last beat comes in, else zero. failed_o: one cycle with the
//   last output beat of a transfer that had an error.
// Latency: the first burst is offered in the cycle of the command. A beat leaves in the cycle after the last
//   of its bytes came; the beat that the bytes behind these make one later, and what follows it then, too.
// Limits: 1 to 512 bytes; address plus bytes at most 2^40 (else the address wraps). The requester has room
//   for the beats before it asks. OUTSTANDING commands at once; further ones wait. rotated_i is the word of
//   the last data_valid_i, rotated down by the bytes of rotate_o in that cycle.
`default_nettype none

module mu_memory_reader #(
    parameter int unsigned OUTSTANDING = 4
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,
    // requester
    input  logic                            command_valid_i,
    output logic                            command_ready_o,
    input  mu_pkg::read_command_t           command_data_i,
    input  logic [mu_pkg::TOUCH_RANGES-1:0] touch_i,  // ranges that the command overlaps
    output logic                            beat_valid_o,
    output mu_pkg::memory_word_t            beat_data_o,
    output logic                            beat_last_o,
    output logic                            beat_error_o,
    // read address channel, in beats of 32 bytes
    output logic                            burst_valid_o,
    input  logic                            burst_ready_i,
    output logic [34:0]                     burst_address_o,  // address / 32
    output logic [4:0]                      burst_beats_o,
    // read data channel, this reader's beats only
    input  logic                            data_valid_i,
    input  logic                            data_error_i,
    input  logic                            data_last_i,  // last beat of a burst
    output logic [4:0]                      rotate_o,
    input  mu_pkg::memory_word_t            rotated_i,
    // events
    output logic [mu_pkg::TOUCH_RANGES-1:0] touch_o,
    output logic                            failed_o,
    output logic                            active_o,  // something goes on, though no data comes in
    output logic                            busy_o
);
  localparam int unsigned RANGES = mu_pkg::TOUCH_RANGES;
  localparam int unsigned TRANSFER_WIDTH = 5 + 10 + RANGES;
  localparam int unsigned LEVEL_WIDTH = $clog2(OUTSTANDING + 1);

  // --- commands: one burst, or two where 4 KiB are crossed ---
  logic        second_valid_q;    // the second burst of the command taken last still waits
  logic [27:0] second_page_q;     // it begins at a 4 KiB page
  logic [4:0]  second_beats_q;
  logic [4:0]  beats;             // 32-byte words that the command touches
  logic [7:0]  end_word;          // behind the last, counted from the beginning of the page: 1 to 144
  logic        crosses;
  logic        transfer_ready;
  logic        command_taken;

  always_comb begin
    end_word = '0;
    if (command_valid_i)
      end_word = 8'((13'(command_data_i.address[11:0]) + 13'(command_data_i.bytes) + 13'd31) >> 5);
  end
  assign beats   = end_word[4:0] - command_data_i.address[9:5];
  assign crosses = end_word[7] && end_word[6:0] != '0;
  assign burst_valid_o   = second_valid_q || (command_valid_i && transfer_ready);
  assign burst_address_o = second_valid_q ? {second_page_q, 7'd0} : command_data_i.address[39:5];
  assign burst_beats_o   = second_valid_q ? second_beats_q : crosses ? -command_data_i.address[9:5] : beats;
  assign command_ready_o = transfer_ready && !second_valid_q && burst_ready_i;
  assign command_taken   = command_valid_i && command_ready_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) second_valid_q <= 1'b0;
    else if (second_valid_q) second_valid_q <= !burst_ready_i;
    else if (command_taken) second_valid_q <= crosses;
  end
  always_ff @(posedge clk_i) begin
    if (command_taken) begin
      second_page_q  <= command_data_i.address[39:12] + 1'b1;
      second_beats_q <= end_word[4:0];
    end
  end

  // --- transfers whose data is still to come ---
  logic                      transfer_valid;
  logic                      transfer_done;
  logic [TRANSFER_WIDTH-1:0] transfer;
  logic [LEVEL_WIDTH-1:0]    transfer_level;
  logic [4:0]                offset;       // of the first byte in its word
  logic [9:0]                bytes;
  logic [RANGES-1:0]         touch;
  logic [4:0]                words_in;     // beats that come
  logic [4:0]                words_out;    // beats that leave
  logic                      spill;        // one more comes than leaves
  logic                      last_in;
  logic [4:0]                count_q;      // beats of this transfer that have come

  mu_fifo #(
      .WIDTH(TRANSFER_WIDTH),
      .DEPTH(OUTSTANDING)
  ) u_transfers (
      .clk_i,
      .rst_ni,
      .in_valid_i (command_taken),
      .in_ready_o (transfer_ready),
      .in_data_i  ({touch_i, command_data_i.bytes, command_data_i.address[4:0]}),
      .out_valid_o(transfer_valid),
      .out_ready_i(transfer_done),
      .out_data_o (transfer),
      .level_o    (transfer_level)
  );

  assign {touch, bytes, offset} = transfer;
  always_comb begin
    words_in  = '0;
    words_out = '0;
    spill     = 1'b0;
    last_in   = 1'b0;
    if (transfer_valid) begin
      words_in  = 5'((11'(offset) + 11'(bytes) + 11'd31) >> 5);
      words_out = 5'((11'(bytes) + 11'd31) >> 5);
      spill     = words_in != words_out;
      last_in   = count_q + 1'b1 == words_in;
    end
  end
  assign transfer_done = data_valid_i && last_in;
  assign touch_o       = transfer_done ? touch : '0;

  assign rotate_o = offset;

  // --- data: the word that came and the one before it make a beat ---
  logic                 word_valid_q;  // in rotated_i
  logic                 word_alone_q;  // a beat by itself if none is held: aligned, or last and no rest
  logic                 word_last_q;   // of its transfer
  logic                 word_rest_q;   // the last, and all of it belongs to the beat of the word before
  logic                 word_error_q;  // so far in its transfer
  logic [4:0]           word_offset_q;
  logic [4:0]           word_tail_q;  // bytes of the last output beat, minus 1
  logic                 hold_valid_q;
  logic                 hold_alone_q;  // a beat by itself
  logic                 hold_last_q;
  logic                 hold_error_q;
  logic [4:0]           hold_tail_q;
  mu_pkg::memory_word_t hold_data_q;
  logic                 hold_waits;  // for the word behind it
  logic                 hold_load;

  assign hold_waits = hold_valid_q && !hold_alone_q;
  assign hold_load  = word_valid_q && (hold_waits ? !word_rest_q : hold_valid_q || !word_alone_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      word_valid_q <= 1'b0;
      hold_valid_q <= 1'b0;
      count_q      <= '0;
    end else begin
      word_valid_q <= data_valid_i;
      if (data_valid_i) count_q <= last_in ? '0 : count_q + 1'b1;
      hold_valid_q <= hold_load || (hold_waits && !word_valid_q);
    end
  end
  always_ff @(posedge clk_i) begin
    if (data_valid_i) begin
      word_alone_q  <= offset == '0 || (last_in && !spill);
      word_last_q   <= last_in;
      word_rest_q   <= last_in && spill;
      word_error_q  <= data_error_i || (word_error_q && count_q != '0);
      word_offset_q <= offset;
      word_tail_q   <= bytes[4:0] - 1'b1;
    end
    if (hold_load) begin
      hold_alone_q <= word_alone_q;
      hold_last_q  <= word_last_q;
      hold_error_q <= word_error_q;
      hold_tail_q  <= word_tail_q;
      hold_data_q  <= rotated_i;
    end
  end

  logic       take_hold;  // the beat is what is held, and no more
  logic [4:0] tail;
  assign take_hold    = hold_valid_q && hold_alone_q;
  assign beat_valid_o = take_hold || (word_valid_q && (hold_valid_q || word_alone_q));
  assign beat_last_o  = take_hold ? hold_last_q : word_valid_q && (hold_valid_q ? word_rest_q : word_last_q &&
                                                                   word_alone_q);
  assign beat_error_o = take_hold ? hold_error_q : word_valid_q && word_error_q;
  assign tail         = take_hold ? hold_tail_q : word_tail_q;
  assign failed_o     = beat_last_o && beat_error_o;

  // From the word held come the bytes up to its end, and all if it is a beat by itself.
  mu_pkg::memory_word_t held;
  mu_pkg::memory_word_t kept;
  always_comb begin
    held        = '0;
    kept        = '1;
    beat_data_o = '0;
    if (beat_valid_o) begin
      if (take_hold) held = '1;
      else if (hold_valid_q) held = {256{1'b1}} >> {word_offset_q, 3'd0};
      if (beat_last_o) kept = {256{1'b1}} >> {5'd31 - tail, 3'd0};
      beat_data_o = ((hold_data_q & held) | (rotated_i & ~held)) & kept;
    end
  end

  assign active_o = second_valid_q || hold_valid_q || word_valid_q;
  assign busy_o   = active_o || transfer_valid;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (command_valid_i) begin
        legal_size : assert (command_data_i.bytes >= 10'd1 && command_data_i.bytes <= 10'd512);
      end
      if (data_valid_i) data_was_asked_for : assert (transfer_valid);
      if (transfer_done) transfer_ends_with_a_burst : assert (data_last_i);
      if (transfer_valid) begin
        transfer_is_legal : assert (bytes >= 10'd1 && bytes <= 10'd512 && count_q < words_in);
      end
      if (beat_last_o) last_beat_is_a_beat : assert (beat_valid_o);
      if (word_valid_q && word_rest_q) rest_has_its_beat : assert (hold_waits && word_offset_q != '0);
      if (burst_valid_o) begin
        burst_stays_in_its_page : assert (8'(burst_address_o[6:0]) + 8'(burst_beats_o) <= 8'd128);
        burst_has_beats : assert (burst_beats_o != '0);
      end
      transfers_bounded : assert (32'(transfer_level) <= OUTSTANDING);
    end
  end

`ifdef PROVE_MU_MEMORY_READER
  // Words asked for, words that have come, beats that are due and beats that have left, since reset; one
  // transfer at a time (OUTSTANDING = 1). The last group ties the
  // state to these counts, so that induction closes.
  logic       past_q = 1'b0;
  logic [7:0] asked_q;
  logic [7:0] came_q;
  logic [7:0] due_q;
  logic [7:0] left_q;
  logic [1:0] bursts_q;  // asked for, whose transfer still waits for data
  logic [7:0] words_owed;
  logic [7:0] beats_owed;
  assign words_owed = (transfer_valid ? 8'(words_in) - 8'(count_q) : '0) -
      (second_valid_q ? 8'(second_beats_q) : '0);
  assign beats_owed = (transfer_valid ? 8'(words_out) - 8'(count_q) : '0) + 8'(hold_valid_q) +
      8'(word_valid_q && !word_rest_q);
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (command_data_i.bytes >= 10'd1 && command_data_i.bytes <= 10'd512);
    if (data_valid_i) assume (asked_q != came_q && data_last_i);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) begin
      asked_q  <= '0;
      came_q   <= '0;
      due_q    <= '0;
      left_q   <= '0;
      bursts_q <= '0;
    end else begin
      bursts_q <= (transfer_done ? '0 : bursts_q) + 2'(burst_valid_o && burst_ready_i);
      if (burst_valid_o && burst_ready_i) asked_q <= asked_q + 8'(burst_beats_o);
      if (data_valid_i) came_q <= came_q + 1'b1;
      if (command_taken) due_q <= due_q + 8'((11'(command_data_i.bytes) + 11'd31) >> 5);
      if (beat_valid_o) left_q <= left_q + 1'b1;
    end
    if (past_q && rst_ni) begin
      if (!busy_o) all_that_was_asked_for_came : assert (asked_q == came_q);
      if (!busy_o) all_that_was_due_left : assert (due_q == left_q);
      if (data_valid_i) no_beat_too_many : assert (beat_valid_o || beats_owed != '0);

      bursts_are_bounded : assert (bursts_q <= 2'd2 && (transfer_valid || bursts_q == '0));
      if (second_valid_q) second_burst_is_the_last : assert (bursts_q == 2'd1);
      words_owed_match : assert (asked_q - came_q == words_owed && words_owed <= 8'd17);
      beats_owed_match : assert (due_q - left_q == beats_owed && beats_owed <= 8'd17);
      if (!transfer_valid) nothing_under_way : assert (count_q == '0 && !second_valid_q);
      if (second_valid_q) second_is_part : assert (second_beats_q != '0 && second_beats_q < words_in);
      if (word_valid_q && !word_last_q) word_is_current : assert (count_q != '0 && word_offset_q == offset);
      if (word_valid_q) begin
        word_kinds : assert (word_alone_q == (word_offset_q == '0 || (word_last_q && !word_rest_q)));
        rest_is_the_last : assert (!word_rest_q || word_last_q);
      end
      if (hold_waits) begin
        held_is_unaligned : assert (word_offset_q != '0);
        held_has_its_next :
        assert ((count_q != '0 && word_offset_q == offset) || (word_valid_q && word_last_q));
      end
      if (count_q != '0 && offset != '0) begin
        unaligned_waits : assert (word_valid_q ? !word_alone_q && !word_last_q : hold_waits);
      end
    end
  end
`endif
endmodule
`default_nettype wire

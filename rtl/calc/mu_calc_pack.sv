// SPDX-License-Identifier: Apache-2.0
// mu_calc_pack: closes the gaps in a stream of beats of which only the first words count.
//
//   in (beat, words, last) --> [ behind the words kept ] --> [ output register ] --> out (beat, last)
//                                  ^--- kept words ---+
//
// Behaviour: the words of all beats of a pass, up to and including the one with in_last_i, leave in order and
//   without gaps as full beats of 8 words; the last one, with out_last_o, is filled up with zeros. The next
//   pass begins with a beat of its own. Output beats hold until taken.
// Latency: 1 cycle; a full beat a cycle each way, one cycle more for a pass whose last beat does not fit.
// Limits: in_words_i 1 to 7, or 0 for all 8. Words of in_data_i beyond them are zero.
`default_nettype none

module mu_calc_pack #(
    parameter  int unsigned WORD_BITS = 32,
    localparam int unsigned BEAT_BITS = 8 * WORD_BITS
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    // beats with gaps
    input  logic                 in_valid_i,
    output logic                 in_ready_o,
    input  logic [BEAT_BITS-1:0] in_data_i,
    input  logic [2:0]           in_words_i,
    input  logic                 in_last_i,
    // beats without
    output logic                 out_valid_o,
    input  logic                 out_ready_i,
    output logic [BEAT_BITS-1:0] out_data_o,
    output logic                 out_last_o
);
  localparam int unsigned KEPT_BITS   = 7 * WORD_BITS;  // eight leave at once
  localparam int unsigned JOINED_BITS = KEPT_BITS + BEAT_BITS;

  logic [2:0]             kept_q;       // words in kept_data_q
  logic [KEPT_BITS-1:0]   kept_data_q;  // zeros above them
  logic                   flush_q;      // they are the last beat of a pass
  logic                   out_valid_q;
  logic [BEAT_BITS-1:0]   out_data_q;
  logic                   out_last_q;
  logic                   free;         // the output register can be loaded
  logic                   take;
  logic [3:0]             total;        // kept words and those that come in, 1 to 15
  logic                   full;
  logic                   spills;       // a full beat leaves and words of the pass stay behind
  logic [JOINED_BITS-1:0] joined;

  assign free       = !out_valid_q || out_ready_i;
  assign in_ready_o = free && !flush_q;
  assign take       = in_valid_i && in_ready_o;
  assign total      = {1'b0, kept_q} + {in_words_i == '0, in_words_i};
  assign full       = total[3];
  assign spills     = full && total[2:0] != '0;

  always_comb begin
    joined = '0;
    if (take)
      joined = JOINED_BITS'(kept_data_q) |
          (JOINED_BITS'(in_data_i) << (32'(kept_q) * WORD_BITS));
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      kept_q      <= '0;
      flush_q     <= 1'b0;
      out_valid_q <= 1'b0;
    end else begin
      if (free) out_valid_q <= flush_q || (take && (full || in_last_i));
      if (take) begin
        kept_q  <= in_last_i && !spills ? '0 : total[2:0];
        flush_q <= in_last_i && spills;
      end else if (free && flush_q) begin
        kept_q  <= '0;
        flush_q <= 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) kept_data_q <= '0;
    else if (take) begin
      if (full) kept_data_q <= joined[BEAT_BITS+:KEPT_BITS];
      else kept_data_q <= in_last_i ? '0 : joined[KEPT_BITS-1:0];
    end else if (free && flush_q) kept_data_q <= '0;
    if (take && (full || in_last_i)) begin
      out_data_q <= joined[BEAT_BITS-1:0];
      out_last_q <= in_last_i && !spills;
    end else if (free && flush_q) begin
      out_data_q <= BEAT_BITS'(kept_data_q);
      out_last_q <= 1'b1;
    end
  end
  assign out_valid_o = out_valid_q;
  assign out_data_o  = out_data_q;
  assign out_last_o  = out_last_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      flushes_something : assert (!flush_q || kept_q != '0);
      nothing_kept_is_zero : assert (kept_q != '0 || kept_data_q == '0);
    end
  end

`ifdef PROVE_MU_CALC_PACK
  // Words carry a number, counted through all passes; only the lowest 4 bits of a word are looked at. Fill
  // is zero, so numbers run from 1 to 15.
  logic        past_q = 1'b0;
  logic        held_q = 1'b0;
  logic [3:0]  in_number_q;   // of the next word
  logic [3:0]  out_number_q;
  logic [3:0]  in_words;
  logic [3:0]  left;          // words in the beat that leaves
  logic        passes_q;      // passes ended at the input, modulo 2
  logic        out_passes_q;  // and at the output
  logic        leaves;
  logic [4:0]  next_in;
  logic [4:0]  next_out;
  logic [31:0] good;          // bits 3..0 of all 8 words in
  logic [31:0] seen;
  logic [31:0] wanted;
  assign in_words = {in_words_i == '0, in_words_i};
  assign leaves   = out_valid_o && out_ready_i;
  assign next_in  = 5'(in_number_q) + 5'(in_words);
  assign next_out = 5'(out_number_q) + 5'(left);
  always_comb begin
    good = '0;
    seen = '0;
    wanted = '0;
    left = '0;
    for (int w = 0; w < 8; w++) begin
      if (4'(w) < in_words)
        good[w*4+:4] = in_number_q + 4'(w) + 4'(5'(in_number_q) + 5'(w) > 5'd15);
      seen[w*4+:4] = out_data_o[w*WORD_BITS+:4];
      if (out_data_o[w*WORD_BITS+:4] != '0) left = left + 4'd1;
    end
    for (int w = 0; w < 8; w++) begin
      if (4'(w) < left)
        wanted[w*4+:4] = out_number_q + 4'(w) + 4'(5'(out_number_q) + 5'(w) > 5'd15);
    end
    if (!past_q) assume (!rst_ni);
    for (int w = 0; w < 8; w++) assume (in_data_i[w*WORD_BITS+:WORD_BITS] == WORD_BITS'(good[w*4+:4]));
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    held_q <= rst_ni && out_valid_o && !out_ready_i;
    if (!rst_ni) begin
      in_number_q  <= 4'd1;
      out_number_q <= 4'd1;
      passes_q     <= 1'b0;
      out_passes_q <= 1'b0;
    end else begin
      if (take) in_number_q <= next_in > 5'd15 ? next_in[3:0] + 4'd1 : next_in[3:0];
      if (leaves) out_number_q <= next_out > 5'd15 ? next_out[3:0] + 4'd1 : next_out[3:0];
      if (take && in_last_i) passes_q <= !passes_q;
      if (leaves && out_last_o) out_passes_q <= !out_passes_q;
    end
    if (past_q && rst_ni) begin
      if (out_valid_o) words_leave_in_order : assert (seen == wanted);
      if (out_valid_o && !out_last_o) only_the_last_has_gaps : assert (left == 4'd8);
      if (out_valid_o) no_beat_is_empty : assert (left != '0);
      if (!out_valid_o && kept_q == '0) every_pass_ends : assert (passes_q == out_passes_q);
      if (held_q) output_holds_until_taken : assert (out_valid_o);
      if (!out_valid_o && !flush_q) takes_when_it_can : assert (in_ready_o);
    end
  end
`endif
endmodule
`default_nettype wire

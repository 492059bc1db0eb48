// SPDX-License-Identifier: Apache-2.0
// mu_calc_pack: closes the gaps in a stream of beats of which only the first bytes count.
//
//   in (beat, bytes, last) --> [ behind the bytes kept ] --> [ output register ] --> out (beat, last)
//                                  ^--- kept bytes ---+
//
// Behaviour: the bytes of all beats of a pass, up to and including the one with in_last_i, leave in order and
//   without gaps as full beats of BYTES; the last one, with out_last_o, is filled up with zeros. The next
//   pass begins with a beat of its own. Output beats hold until taken.
// Latency: 1 cycle; a full beat a cycle each way, one cycle more for a pass whose last beat does not fit.
// Limits: in_bytes_i 1 to BYTES - 1, or 0 for all. Bytes of in_data_i beyond them are zero. BYTES is a
//   power of two.
`default_nettype none

module mu_calc_pack #(
    parameter  int unsigned BYTES      = 32,
    parameter  int unsigned BYTE_BITS  = 8,
    localparam int unsigned BEAT_BITS  = BYTES * BYTE_BITS,
    localparam int unsigned COUNT_BITS = $clog2(BYTES)
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    // beats with gaps
    input  logic                  in_valid_i,
    output logic                  in_ready_o,
    input  logic [BEAT_BITS-1:0]  in_data_i,
    input  logic [COUNT_BITS-1:0] in_bytes_i,
    input  logic                  in_last_i,
    // beats without
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output logic [BEAT_BITS-1:0]  out_data_o,
    output logic                  out_last_o,
    output logic                  out_upper_o  // there are bytes in the upper half
);
  localparam int unsigned KEPT_BITS   = BEAT_BITS - BYTE_BITS;  // a full beat leaves at once
  localparam int unsigned JOINED_BITS = KEPT_BITS + BEAT_BITS;
  localparam logic [COUNT_BITS-1:0] HALF = COUNT_BITS'(BYTES / 2);

  logic [COUNT_BITS-1:0]  kept_q;       // bytes in kept_data_q
  logic [KEPT_BITS-1:0]   kept_data_q;  // zeros above them
  logic                   flush_q;      // they are the last beat of a pass
  logic                   out_valid_q;
  logic [BEAT_BITS-1:0]   out_data_q;
  logic                   out_last_q;
  logic                   out_upper_q;
  logic                   free;         // the output register can be loaded
  logic                   take;
  logic [COUNT_BITS:0]    total;        // kept bytes and those that come in
  logic                   full;
  logic                   spills;       // a full beat leaves and bytes of the pass stay behind
  logic [JOINED_BITS-1:0] joined;

  assign free       = !out_valid_q || out_ready_i;
  assign in_ready_o = free && !flush_q;
  assign take       = in_valid_i && in_ready_o;
  assign total      = {1'b0, kept_q} + {in_bytes_i == '0, in_bytes_i};
  assign full       = total[COUNT_BITS];
  assign spills     = full && total[COUNT_BITS-1:0] != '0;

  always_comb begin
    joined = '0;
    if (take)
      joined = JOINED_BITS'(kept_data_q) |
          (JOINED_BITS'(in_data_i) << (32'(kept_q) * BYTE_BITS));
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      kept_q      <= '0;
      flush_q     <= 1'b0;
      out_valid_q <= 1'b0;
    end else begin
      if (free) out_valid_q <= flush_q || (take && (full || in_last_i));
      if (take) begin
        kept_q  <= in_last_i && !spills ? '0 : total[COUNT_BITS-1:0];
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
      out_data_q  <= joined[BEAT_BITS-1:0];
      out_last_q  <= in_last_i && !spills;
      out_upper_q <= full || total[COUNT_BITS-1:0] > HALF;
    end else if (free && flush_q) begin
      out_data_q  <= BEAT_BITS'(kept_data_q);
      out_last_q  <= 1'b1;
      out_upper_q <= kept_q > HALF;
    end
  end
  assign out_valid_o = out_valid_q;
  assign out_data_o  = out_data_q;
  assign out_last_o  = out_last_q;
  assign out_upper_o = out_upper_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      flushes_something : assert (!flush_q || kept_q != '0);
      nothing_kept_is_zero : assert (kept_q != '0 || kept_data_q == '0);
    end
  end

`ifdef PROVE_MU_CALC_PACK
  // Of eight bytes: they carry a number, counted through all passes; only the lowest 4 bits of a byte are
  // looked at. Fill is zero, so numbers run from 1 to 15.
  logic        past_q = 1'b0;
  logic        held_q = 1'b0;
  logic [3:0]  in_number_q;   // of the next byte
  logic [3:0]  out_number_q;
  logic [3:0]  in_bytes;
  logic [3:0]  left;          // bytes in the beat that leaves
  logic        passes_q;      // passes ended at the input, modulo 2
  logic        out_passes_q;  // and at the output
  logic        leaves;
  logic [4:0]  next_in;
  logic [4:0]  next_out;
  logic [31:0] good;          // bits 3..0 of all 8 bytes in
  logic [31:0] seen;
  logic [31:0] wanted;
  assign in_bytes = {in_bytes_i == '0, in_bytes_i};
  assign leaves   = out_valid_o && out_ready_i;
  assign next_in  = 5'(in_number_q) + 5'(in_bytes);
  assign next_out = 5'(out_number_q) + 5'(left);
  always_comb begin
    good = '0;
    seen = '0;
    wanted = '0;
    left = '0;
    for (int b = 0; b < 8; b++) begin
      if (4'(b) < in_bytes)
        good[b*4+:4] = in_number_q + 4'(b) + 4'(5'(in_number_q) + 5'(b) > 5'd15);
      seen[b*4+:4] = out_data_o[b*BYTE_BITS+:4];
      if (out_data_o[b*BYTE_BITS+:4] != '0) left = left + 4'd1;
    end
    for (int b = 0; b < 8; b++) begin
      if (4'(b) < left)
        wanted[b*4+:4] = out_number_q + 4'(b) + 4'(5'(out_number_q) + 5'(b) > 5'd15);
    end
    if (!past_q) assume (!rst_ni);
    for (int b = 0; b < 8; b++) assume (in_data_i[b*BYTE_BITS+:BYTE_BITS] == BYTE_BITS'(good[b*4+:4]));
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
      if (out_valid_o) bytes_leave_in_order : assert (seen == wanted);
      if (out_valid_o && !out_last_o) only_the_last_has_gaps : assert (left == 4'd8);
      if (out_valid_o) tells_of_the_upper_half : assert (out_upper_o == (left > 4'd4));
      if (out_valid_o) no_beat_is_empty : assert (left != '0);
      if (!out_valid_o && kept_q == '0) every_pass_ends : assert (passes_q == out_passes_q);
      if (held_q) output_holds_until_taken : assert (out_valid_o);
      if (!out_valid_o && !flush_q) takes_when_it_can : assert (in_ready_o);
    end
  end
`endif
endmodule
`default_nettype wire

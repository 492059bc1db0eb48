// SPDX-License-Identifier: Apache-2.0
// mu_zeroed_memory: a memory of flat words that reads as zero until a word is written.
//
//   write_i, write_index_i, write_data_i ---> [ words + one written bit each ] ---> read_data_o
//                                                 ^--- read_i, read_index_i
//
// Behaviour: read_data_o is the word read_index_i as it was in the last cycle with read_i, zero if it had not
//   been written since reset or does not exist; a write in that same cycle does not show. Without read_i it
//   holds, after reset it is zero. A write to a word that does not exist is dropped.
// Latency: one cycle for a read, one for a write; one of each a cycle.
// Limits: WIDTH >= 1, DEPTH >= 1, INDEX_WIDTH wide enough for DEPTH words, or wider.
`default_nettype none

module mu_zeroed_memory #(
    parameter int unsigned WIDTH       = 8,
    parameter int unsigned DEPTH       = 4,
    parameter int unsigned INDEX_WIDTH = DEPTH > 1 ? $clog2(DEPTH) : 1
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    // write
    input  logic                   write_i,
    input  logic [INDEX_WIDTH-1:0] write_index_i,
    input  logic [WIDTH-1:0]       write_data_i,
    // read
    input  logic                   read_i,
    input  logic [INDEX_WIDTH-1:0] read_index_i,
    output logic [WIDTH-1:0]       read_data_o
);
  localparam int unsigned ADDRESS_WIDTH = DEPTH > 1 ? $clog2(DEPTH) : 1;
  if (WIDTH < 1) $error("mu_zeroed_memory: WIDTH must be at least 1");
  if (DEPTH < 1) $error("mu_zeroed_memory: DEPTH must be at least 1");
  if (INDEX_WIDTH < ADDRESS_WIDTH) $error("mu_zeroed_memory: INDEX_WIDTH is too small for DEPTH");

  logic [WIDTH-1:0]         mem[DEPTH];
  logic [WIDTH-1:0]         word_q;
  logic [DEPTH-1:0]         written_q;
  logic [ADDRESS_WIDTH-1:0] write_address;
  logic [ADDRESS_WIDTH-1:0] read_address;

  assign write_address = ADDRESS_WIDTH'(write_index_i);
  assign read_address  = ADDRESS_WIDTH'(read_index_i);
  assign read_data_o   = word_q;

  always_ff @(posedge clk_i) if (write_i && 32'(write_index_i) < DEPTH) mem[write_address] <= write_data_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) word_q <= '0;
    else if (read_i) word_q <= 32'(read_index_i) < DEPTH && written_q[read_address] ? mem[read_address] : '0;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) written_q <= '0;
    else if (write_i && 32'(write_index_i) < DEPTH) written_q <= written_q | (DEPTH'(1) << write_address);
  end

`ifdef PROVE_MU_ZEROED_MEMORY
  // One word, any of them, followed from reset: what is read is what was written last.
  (* anyconst *) logic [INDEX_WIDTH-1:0] chosen;
  logic             past_q = 1'b0;
  logic [WIDTH-1:0] expected_q;
  logic [WIDTH-1:0] answer_q;
  logic             answer_valid_q = 1'b0;
  logic             absent_q = 1'b0;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (32'(chosen) < DEPTH);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) begin
      expected_q     <= '0;
      answer_valid_q <= 1'b0;
      absent_q       <= 1'b0;
    end else begin
      if (write_i && write_index_i == chosen) expected_q <= write_data_i;
      if (read_i) begin
        absent_q       <= 32'(read_index_i) >= DEPTH;
        answer_valid_q <= read_index_i == chosen;
        answer_q       <= expected_q;
      end
    end
    if (past_q && rst_ni) begin
      if (answer_valid_q) reads_what_was_written_last : assert (read_data_o == answer_q);
      if (absent_q) absent_words_read_as_zero : assert (read_data_o == '0);
      word_matches :
      assert (expected_q == (written_q[ADDRESS_WIDTH'(chosen)] ? mem[ADDRESS_WIDTH'(chosen)] : '0));
    end
  end
`endif
endmodule
`default_nettype wire

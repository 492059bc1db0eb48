// SPDX-License-Identifier: Apache-2.0
// mu_block_fifo: a synchronous FIFO of wide words in block RAM, whose output register is that of the memory.
//
//   in (valid/ready/data) ---> [ block RAM, DEPTH words ] ---> [ its output register ] ---> out
//                                                                        level_o: words inside
//
// Behaviour: every word taken at the input leaves at the output once, in order. in_ready_o is high exactly
//   while fewer than DEPTH words are inside (level_o, the output register included). out_valid_o is high
//   while a word is inside that came two cycles ago or before, and holds with its data until out_ready_i
//   takes it.
// Latency: two cycles from input to output when empty, for no word passes the memory by; a word a cycle.
// Limits: WIDTH >= 1, DEPTH >= 2. The memory has one write and one registered read port and never reads the
//   word being written. No input can upset it.
`default_nettype none

module mu_block_fifo #(
    parameter  int unsigned WIDTH       = 8,
    parameter  int unsigned DEPTH       = 16,
    localparam int unsigned LEVEL_WIDTH = $clog2(DEPTH + 1)
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    // upstream
    input  logic                   in_valid_i,
    output logic                   in_ready_o,
    input  logic [WIDTH-1:0]       in_data_i,
    // downstream
    output logic                   out_valid_o,
    input  logic                   out_ready_i,
    output logic [WIDTH-1:0]       out_data_o,
    output logic [LEVEL_WIDTH-1:0] level_o
);
  localparam int unsigned ADDRESS_BITS = $clog2(DEPTH);
  if (WIDTH < 1) $error("mu_block_fifo: WIDTH must be at least 1");
  if (DEPTH < 2) $error("mu_block_fifo: DEPTH must be at least 2");

  (* no_rw_check, ram_style = "block" *) logic [WIDTH-1:0] mem[DEPTH];
  logic [LEVEL_WIDTH-1:0]  level_q;
  logic                    out_valid_q;
  logic [WIDTH-1:0]        out_data_q;
  logic [ADDRESS_BITS-1:0] write_q;
  logic [ADDRESS_BITS-1:0] read_q;
  logic                    push;
  logic                    pop;
  logic                    read;

  assign in_ready_o  = level_q != LEVEL_WIDTH'(DEPTH);
  assign out_valid_o = out_valid_q;
  assign out_data_o  = out_data_q;
  assign level_o     = level_q;
  assign push        = in_valid_i && in_ready_o;
  assign pop         = out_valid_q && out_ready_i;
  assign read        = level_q != LEVEL_WIDTH'(out_valid_q) && (!out_valid_q || out_ready_i);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      level_q     <= '0;
      out_valid_q <= 1'b0;
      write_q     <= '0;
      read_q      <= '0;
    end else begin
      if (push != pop) level_q <= push ? level_q + 1'b1 : level_q - 1'b1;
      if (read != pop) out_valid_q <= read;
      if (push) write_q <= write_q == ADDRESS_BITS'(DEPTH - 1) ? '0 : write_q + 1'b1;
      if (read) read_q <= read_q == ADDRESS_BITS'(DEPTH - 1) ? '0 : read_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) if (push) mem[write_q] <= in_data_i;
  always_ff @(posedge clk_i) if (read) out_data_q <= mem[read_q];

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      level_bounded : assert (32'(level_q) <= DEPTH);
      counts_the_output_register : assert (level_q != '0 || !out_valid_q);
      never_reads_the_word_being_written : assert (!(push && read && write_q == read_q));
      pointers_inside : assert (32'(write_q) < DEPTH && 32'(read_q) < DEPTH);
    end
  end

`ifdef PROVE_MU_BLOCK_FIFO
  // The payload is a counter, so order, loss and duplication all show at the output.
  logic             past_q = 1'b0;
  logic             held_q = 1'b0;
  logic             due_q = 1'b0;  // a word was inside in the cycle before and did not leave then
  logic [WIDTH-1:0] held_data_q;
  logic [WIDTH-1:0] in_count_q;
  logic [WIDTH-1:0] out_count_q;
  logic [WIDTH-1:0] stored;
  assign stored = in_count_q - out_count_q;
  always_comb if (!past_q) assume (!rst_ni);
  always_ff @(posedge clk_i) begin
    past_q      <= 1'b1;
    held_q      <= rst_ni && out_valid_o && !out_ready_i;
    due_q       <= rst_ni && 32'(stored) > 32'(pop);
    held_data_q <= out_data_o;
    if (!rst_ni) begin
      in_count_q  <= '0;
      out_count_q <= '0;
    end else begin
      if (push) in_count_q <= in_count_q + 1'b1;
      if (pop) out_count_q <= out_count_q + 1'b1;
    end
    if (past_q && rst_ni) begin
      assume (in_data_i == in_count_q);
      level_counts_words : assert (stored == WIDTH'(level_o));
      accepts_when_there_is_room : assert (in_ready_o == (32'(stored) < DEPTH));
      if (due_q) offers_what_it_holds : assert (out_valid_o);
      if (out_valid_o) words_leave_in_order : assert (out_data_o == out_count_q);
      if (held_q) output_holds_until_taken : assert (out_valid_o && out_data_o == held_data_q);
    end
  end
`endif
endmodule
`default_nettype wire

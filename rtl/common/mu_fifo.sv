// SPDX-License-Identifier: Apache-2.0
// mu_fifo: a synchronous FIFO on a memory of flat words; the first word falls through to a registered output.
//
//   in (valid/ready/data) ---+---> [ memory, DEPTH-1 words ] ---+---> [ output register ] ---> out
//                            +------ (memory empty) ------------+          level_o: words inside
//
// Behaviour: every word taken at the input leaves at the output once, in order. in_ready_o is high exactly
//   while fewer than DEPTH words are inside (level_o, the output register included). out_valid_o is high
//   exactly while a word is inside, and holds with its data until out_ready_i takes it.
// Latency: one cycle from input to output when empty; a word a cycle, also when full if DEPTH >= 2
//   (in_ready_o does not look at out_ready_i, so a full FIFO takes its next word the cycle after a pop).
// Limits: WIDTH >= 1, DEPTH >= 1, any value. The memory has one write and one registered read port and never
//   reads the word being written, so it maps to block RAM. No input can upset it.
`default_nettype none

module mu_fifo #(
    parameter  int unsigned WIDTH       = 8,
    parameter  int unsigned DEPTH       = 4,
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
  if (WIDTH < 1) $error("mu_fifo: WIDTH must be at least 1");
  if (DEPTH < 1) $error("mu_fifo: DEPTH must be at least 1");

  logic [LEVEL_WIDTH-1:0] level_q;
  logic                   push;
  logic                   pop;
  logic                   more;  // the memory holds a word

  assign in_ready_o  = level_q != LEVEL_WIDTH'(DEPTH);
  assign out_valid_o = level_q != '0;
  assign level_o     = level_q;
  assign push        = in_valid_i && in_ready_o;
  assign pop         = out_valid_o && out_ready_i;
  assign more        = level_q > LEVEL_WIDTH'(1);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) level_q <= '0;
    else if (push != pop) level_q <= push ? level_q + 1'b1 : level_q - 1'b1;
  end

  if (DEPTH == 1) begin : gen_register
    logic [WIDTH-1:0] data_q;
    always_ff @(posedge clk_i) if (push) data_q <= in_data_i;
    assign out_data_o = data_q;
  end else begin : gen_memory
    localparam int unsigned WORDS      = DEPTH - 1;
    localparam int unsigned ADDR_WIDTH = WORDS > 1 ? $clog2(WORDS) : 1;

    (* no_rw_check *) logic [WIDTH-1:0] mem[WORDS];
    logic [ADDR_WIDTH-1:0] write_q;
    logic [ADDR_WIDTH-1:0] read_q;
    logic [WIDTH-1:0]      read_data_q;
    logic [WIDTH-1:0]      direct_data_q;
    logic                  direct_q;  // the word at the output came past the memory
    logic                  direct;
    logic                  write;
    logic                  read;

    // The output register takes a new word when it is empty or its word leaves.
    always_comb begin
      direct = 1'b0;
      write  = 1'b0;
      if (push) begin
        direct = !out_valid_o || (pop && !more);
        write  = !direct;
      end
    end
    assign read       = pop && more;
    assign out_data_o = direct_q ? direct_data_q : read_data_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        write_q  <= '0;
        read_q   <= '0;
        direct_q <= 1'b0;
      end else if (push || pop) begin
        if (write) write_q <= write_q == ADDR_WIDTH'(WORDS - 1) ? '0 : write_q + 1'b1;
        if (read) read_q <= read_q == ADDR_WIDTH'(WORDS - 1) ? '0 : read_q + 1'b1;
        if (direct) direct_q <= 1'b1;
        else if (read) direct_q <= 1'b0;
      end
    end

    always_ff @(posedge clk_i) if (write) mem[write_q] <= in_data_i;
    always_ff @(posedge clk_i) if (read) read_data_q <= mem[read_q];
    always_ff @(posedge clk_i) if (direct) direct_data_q <= in_data_i;

    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        never_reads_the_word_being_written : assert (!(write && read && write_q == read_q));
        pointers_inside : assert (32'(write_q) < WORDS && 32'(read_q) < WORDS);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      level_bounded : assert (32'(level_q) <= DEPTH);
      no_pop_when_empty : assert (!(pop && level_q == '0));
      no_push_when_full : assert (!(push && 32'(level_q) == DEPTH));
    end
  end

`ifdef PROVE_MU_FIFO
  // The payload is a counter, so order, loss and duplication all show at the output.
  logic             past_q = 1'b0;
  logic             held_q = 1'b0;
  logic [WIDTH-1:0] held_data_q;
  logic [WIDTH-1:0] in_count_q;
  logic [WIDTH-1:0] out_count_q;
  logic [WIDTH-1:0] stored;
  assign stored = in_count_q - out_count_q;
  always_comb if (!past_q) assume (!rst_ni);
  always_ff @(posedge clk_i) begin
    past_q      <= 1'b1;
    held_q      <= rst_ni && out_valid_o && !out_ready_i;
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
      offers_what_it_holds : assert (out_valid_o == (stored != '0));
      if (out_valid_o) words_leave_in_order : assert (out_data_o == out_count_q);
      if (held_q) output_holds_until_taken : assert (out_valid_o && out_data_o == held_data_q);
    end
  end
`endif
endmodule
`default_nettype wire

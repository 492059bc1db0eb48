// SPDX-License-Identifier: Apache-2.0
// mu_calc_walk: the read commands of a CALC, a chunk of the result after the other, each operand in turn.
//
//   table write ---> [ table: where each operand stands, its strides ] <--+ a pass of an operand
//   shape ---------> [ chunk > operand > row > piece of a row        ] <--+
//                                |---> command (valid/ready/data), expected beats (valid/ready)
//
// Behaviour: a chunk is 512 bytes of the result, the last one what is left. For each chunk the elements of
//   operand 0 are read, in order, then those of operand 1, up to operand last_operand_i. Elements that follow
//   one another in a row are read together, others one by one. Each command is announced in the cycle before
//   it is offered: its beats, the bytes of the last one, and whether it ends the pass of an operand. done_o:
//   all has been read. After stop_i no new command is made; one that is offered stands until it is taken.
// Latency: a command a cycle, three cycles between operands.
// Limits: starts when reset ends; the table was written before. A row has at least one element, and
//   elements_i is a multiple of row_i. Addresses wrap at 2^40.
// two-readers: hold:elements_i[36:9]=0 hold:row_i[36:4]=0 hold:size_log2_i=3 hold:result_log2_i=3
// two-readers: hold:last_operand_i=1 hold:stop_i=0 hold:expect_free_i=63 seen=20
`default_nettype none

module mu_calc_walk (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    // the operands
    input  logic                  table_write_i,
    input  logic [3:0]            table_index_i,
    input  mu_pkg::address_t      table_address_i,  // of the first element
    input  mu_pkg::address_t      table_stride_i,
    input  mu_pkg::address_t      table_row_stride_i,
    // the shape
    input  logic [36:0]           elements_i,   // of the result
    input  logic [36:0]           row_i,        // elements of a row
    input  logic [2:0]            size_log2_i,    // of an element: 0 to 4
    input  logic [2:0]            result_log2_i,  // of an element of the result: the same or one more
    input  logic [3:0]            last_operand_i,
    // whoever takes the beats
    output logic                  expect_valid_o,
    input  logic                  expect_ready_i,
    input  logic [6:0]            expect_free_i,  // beats for which there is room
    output logic [4:0]            expect_beats_o,
    output logic [4:0]            expect_bytes_o,  // of the last beat; 0: 32
    output logic                  expect_last_o,
    // memory port
    output logic                  command_valid_o,
    input  logic                  command_ready_i,
    output mu_pkg::read_command_t command_data_o,
    // control
    input  logic                  stop_i,
    output logic                  done_o
);
  typedef enum logic [2:0] {
    STATE_BEGIN,  // takes over the shape
    STATE_LOAD,   // reads the operand's line of the table
    STATE_SET,    // takes it over
    STATE_WALK,   // makes commands
    STATE_STORE,  // writes back where the operand stands now
    STATE_DONE
  } state_e;
  localparam int unsigned LINE_BITS = 4 * 40;

  state_e      state_q;
  logic [3:0]       operand_q;
  logic [2:0]       size_log2_q;
  logic [2:0]       result_log2_q;
  logic [36:0]      left_q;        // elements of the result in this chunk and those behind it
  logic [36:0]      chunk_row_q;   // elements left in the row where the chunk begins
  logic [9:0]       chunk_left_q;  // elements that this pass has still to read
  logic [36:0]      row_left_q;    // elements left in the row
  mu_pkg::address_t address_q;
  mu_pkg::address_t row_address_q;  // of the row's first element
  mu_pkg::address_t stride_q;
  mu_pkg::address_t row_stride_q;

  // --- table ---
  logic                 line_write;
  logic [3:0]           line_index;
  logic [LINE_BITS-1:0] line_data;
  logic [LINE_BITS-1:0] line_q;
  (* no_rw_check *) logic [LINE_BITS-1:0] lines[16];
  assign line_write = table_write_i || state_q == STATE_STORE;
  assign line_index = table_write_i ? table_index_i : operand_q;
  assign line_data  = table_write_i ? {table_address_i, table_address_i, table_stride_i, table_row_stride_i}
                                    : {row_address_q, address_q, stride_q, row_stride_q};
  always_ff @(posedge clk_i) if (line_write) lines[line_index] <= line_data;
  always_ff @(posedge clk_i) if (state_q == STATE_LOAD) line_q <= lines[operand_q];

  // --- a piece of a row ---
  logic [9:0]       chunk_most;    // elements of a full chunk
  logic             adjacent;      // elements follow one another
  logic             row_is_short;  // it ends within the pass
  logic [9:0]       count;         // elements of the piece
  logic [9:0]       bytes;
  logic             row_ends;
  logic             pass_ends;
  logic             step, command_valid_q;
  mu_pkg::address_t next_row_address;

  assign chunk_most       = 10'd512 >> result_log2_q;
  assign adjacent         = stride_q == 40'd1 << size_log2_q;
  assign row_is_short     = row_left_q < 37'(chunk_left_q);
  assign count            = !adjacent ? 10'd1 : row_is_short ? row_left_q[9:0] : chunk_left_q;
  assign bytes            = count << size_log2_q;
  assign row_ends         = row_left_q == 37'(count);
  assign pass_ends        = chunk_left_q == count;
  assign next_row_address = row_address_q + row_stride_q;

  assign expect_beats_o = 5'((bytes + 10'd31) >> 5);
  assign expect_bytes_o = bytes[4:0];
  assign expect_last_o  = pass_ends;
  assign expect_valid_o = state_q == STATE_WALK && !stop_i && expect_free_i >= 7'(expect_beats_o) &&
                          (!command_valid_q || command_ready_i);
  assign step           = expect_valid_o && expect_ready_i;

  // --- state ---
  logic pass_done;
  logic chunk_done;
  assign pass_done  = state_q == STATE_STORE;
  assign chunk_done = pass_done && operand_q == last_operand_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= STATE_BEGIN;
    else begin
      unique case (state_q)
        STATE_BEGIN: state_q <= STATE_LOAD;
        STATE_LOAD:  state_q <= STATE_SET;
        STATE_SET:   state_q <= STATE_WALK;
        STATE_WALK:  if (step && pass_ends) state_q <= STATE_STORE;
        STATE_STORE: state_q <= chunk_done && left_q <= 37'(chunk_most) ? STATE_DONE : STATE_LOAD;
        default:     state_q <= STATE_DONE;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (state_q == STATE_BEGIN) begin
      operand_q     <= '0;
      size_log2_q   <= size_log2_i;
      result_log2_q <= result_log2_i;
      left_q        <= elements_i;
      chunk_row_q   <= row_i;
    end else if (pass_done) begin
      operand_q <= chunk_done ? '0 : operand_q + 1'b1;
      if (chunk_done) begin
        left_q      <= left_q - 37'(chunk_most);
        chunk_row_q <= row_left_q;
      end
    end
    if (state_q == STATE_SET) begin
      {row_address_q, address_q, stride_q, row_stride_q} <= line_q;
      chunk_left_q <= left_q < 37'(chunk_most) ? left_q[9:0] : chunk_most;
      row_left_q   <= chunk_row_q;
    end else if (step) begin
      chunk_left_q <= chunk_left_q - count;
      row_left_q   <= row_ends ? row_i : row_left_q - 37'(count);
      address_q    <= row_ends ? next_row_address : address_q + (adjacent ? 40'(bytes) : stride_q);
      if (row_ends) row_address_q <= next_row_address;
    end
  end

  // --- command ---
  logic [49:0] command_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) command_valid_q <= 1'b0;
    else if (step) command_valid_q <= 1'b1;
    else if (command_ready_i) command_valid_q <= 1'b0;
  end
  always_ff @(posedge clk_i) if (step) command_q <= {bytes, address_q};
  assign command_valid_o = command_valid_q;
  assign command_data_o  = command_q;
  assign done_o          = state_q == STATE_DONE && !command_valid_q;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      table_stands_while_walking : assert (!table_write_i || state_q == STATE_BEGIN);
      if (step) pieces_have_elements : assert (count != '0 && 37'(count) <= row_left_q);
      if (step) pieces_stay_in_the_chunk : assert (count <= chunk_left_q);
    end
  end

`ifdef PROVE_MU_CALC_WALK
  // What is proved of mu_calc_walk, of any operand: its elements are read one after another, each once, where
  // its strides say, from one chunk to the next as if no other operand had been between them, and all of them
  // when it is done; a chunk is 512 bytes or what is left. Each piece that is announced is the command of the
  // next cycle. Of one operand with any rows, or of several with one row: where a row ends within a chunk of
  // several operands is left to the tests of mu_calc_engine.
  (* anyconst *) logic [3:0] chosen;
  logic             past_q = 1'b0;
  logic             known_q;       // the table has it
  logic [36:0]      left_of_it_q;  // elements that are still to be read of it
  logic [36:0]      left_in_row_q;
  mu_pkg::address_t at_q, row_at_q, apart_q, rows_apart_q;
  logic [36:0]      was_elements_q, was_row_q;
  logic [2:0]       was_size_q, was_result_q;
  logic [3:0]       was_last_q;
  logic             was_offered_q;
  logic [49:0]      was_command_q;
  logic             was_step_q;
  logic [49:0]      announced_q;
  logic [36:0]      chunk_elements;
  logic             running, inside_pass, of_it, one_row;
  logic [36:0]      in_chunk;       // elements of this chunk
  logic [36:0]      in_pass;        // of which this pass has read
  logic [36:0]      read_of_chunk;  // and of the operand
  logic [36:0]      row_behind;     // what is left in the one row after this pass so far
  assign running       = state_q == STATE_LOAD || state_q == STATE_SET || state_q == STATE_WALK ||
      state_q == STATE_STORE;
  assign inside_pass   = state_q == STATE_WALK || state_q == STATE_STORE;
  assign of_it         = operand_q == chosen;
  assign one_row       = row_i == elements_i;
  assign chunk_elements = 37'd512 >> result_log2_i;
  assign in_chunk      = left_q < chunk_elements ? left_q : chunk_elements;
  assign in_pass       = in_chunk - 37'(chunk_left_q);
  assign read_of_chunk = operand_q > chosen ? in_chunk : of_it && inside_pass ? in_pass : '0;
  assign row_behind    = left_q == in_pass ? row_i : left_q - in_pass;

  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (result_log2_i <= 3'd4 && (result_log2_i == size_log2_i || result_log2_i == size_log2_i + 3'd1));
    assume (elements_i != '0 && row_i != '0 &&
        row_i <= elements_i);
    assume (last_operand_i == '0 || one_row);
    assume (chosen <= last_operand_i);
    assume (!table_write_i || state_q == STATE_BEGIN);
    if (past_q && rst_ni)
      assume (elements_i == was_elements_q && row_i == was_row_q && size_log2_i == was_size_q &&
          result_log2_i == was_result_q &&
          last_operand_i == was_last_q);
  end
  always_ff @(posedge clk_i) begin
    past_q         <= 1'b1;
    was_elements_q <= elements_i;
    was_row_q      <= row_i;
    was_size_q     <= size_log2_i;
    was_result_q   <= result_log2_i;
    was_last_q     <= last_operand_i;
    was_offered_q  <= rst_ni && command_valid_o && !command_ready_i;
    was_command_q  <= command_data_o;
    was_step_q     <= rst_ni && step;
    announced_q    <= {count << size_log2_i, address_q};
    if (!past_q) known_q <= 1'b0;
    if (table_write_i && table_index_i == chosen) begin
      known_q <= 1'b1;
      {row_at_q, at_q, apart_q, rows_apart_q} <= {table_address_i, table_address_i, table_stride_i,
          table_row_stride_i};
    end
    if (!rst_ni) begin
      left_of_it_q  <= elements_i;
      left_in_row_q <= row_i;
      if (past_q && state_q != STATE_BEGIN) known_q <= 1'b0;
    end else if (step && of_it) begin
      left_of_it_q <= left_of_it_q - 37'(count);
      if (left_in_row_q == 37'(count)) begin
        left_in_row_q <= row_i;
        row_at_q      <= row_at_q + rows_apart_q;
        at_q          <= row_at_q + rows_apart_q;
      end else begin
        left_in_row_q <= left_in_row_q - 37'(count);
        at_q          <= at_q + (count == 10'd1 ? apart_q : 40'(count) << size_log2_i);
      end
    end
  end

  always_comb begin
    if (past_q && rst_ni) begin
      if (step && of_it && known_q) begin
        reads_where_it_stopped : assert (address_q == at_q);
        together_only_what_is_together : assert (count == 10'd1 || apart_q == 40'd1 << size_log2_i);
        no_further_than_the_row : assert (count != '0 && 37'(count) <= left_in_row_q &&
            37'(count) <= left_of_it_q);
      end
      if (step) begin
        beats_for_the_bytes :
        assert (11'(expect_beats_o) * 11'd32 >= 11'(bytes) &&
            11'(expect_beats_o) * 11'd32 < 11'(bytes) + 11'd32);
        bytes_of_the_last_beat : assert (expect_bytes_o == 5'(bytes));
        room_for_the_beats : assert (expect_free_i >= 7'(expect_beats_o) && !stop_i);
        the_last_piece_says_so : assert (expect_last_o == (in_pass + 37'(count) == in_chunk));
      end
      if (done_o) all_is_read : assert (left_of_it_q == '0 && !command_valid_o);
      if (was_step_q) what_is_announced_is_commanded : assert (command_valid_o &&
          command_data_o == announced_q);
      if (was_offered_q) a_command_stands_until_taken : assert (command_valid_o &&
          command_data_o == was_command_q);

      // What the above rests on.
      known_states : assert (state_q <= STATE_DONE);
      if (running) begin
        sizes_as_they_were_given : assert (size_log2_q == size_log2_i && result_log2_q == result_log2_i);
        some_operand_of_some_chunk : assert (left_q != '0 && left_q <= elements_i &&
            operand_q <= last_operand_i);
        every_operand_takes_its_chunk : assert (left_of_it_q == left_q - read_of_chunk);
        if (inside_pass) begin
          within_the_chunk : assert (37'(chunk_left_q) <= in_chunk);
          pass_ends_with_it : assert ((state_q == STATE_STORE) == (chunk_left_q == '0));
        end
        if (one_row) begin
          row_goes_on : assert (chunk_row_q == left_q);
          if (inside_pass) one_row_left : assert (row_left_q == row_behind);
        end
        if (last_operand_i == '0)
          row_of_the_one : assert ((inside_pass ? row_left_q : chunk_row_q) == left_in_row_q);
        else row_of_each : assert (left_in_row_q == (left_of_it_q == '0 ? row_i : left_of_it_q));
        row_is_never_empty : assert (left_in_row_q != '0 && left_in_row_q <= row_i);
      end
      if (state_q == STATE_DONE) nothing_is_left : assert (left_of_it_q == '0);
      if (state_q == STATE_BEGIN)
        begins_with_all : assert (left_of_it_q == elements_i && left_in_row_q == row_i && !command_valid_q);
    end
    if (past_q && known_q && (state_q == STATE_BEGIN || (rst_ni && state_q != STATE_DONE))) begin
      if (running && of_it && inside_pass) walks_from_there :
      assert ({row_address_q, address_q, stride_q, row_stride_q} == {row_at_q, at_q, apart_q, rows_apart_q});
      else begin
        table_keeps_it : assert (lines[chosen] == {row_at_q, at_q, apart_q, rows_apart_q});
        if (of_it && state_q == STATE_SET)
          line_is_read : assert (line_q == {row_at_q, at_q, apart_q, rows_apart_q});
      end
    end
  end
`endif
endmodule
`default_nettype wire

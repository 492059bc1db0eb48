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
//   it is offered: its beats, the words of the last one, and whether it ends the pass of an operand. done_o:
//   all has been read. After stop_i no new command is made; one that is offered stands until it is taken.
// Latency: a command a cycle, three cycles between operands.
// Limits: starts when reset ends; the table was written before. A row has at least one element, and
//   elements_i is a multiple of row_i. Addresses wrap at 2^40.
// two-readers: hold:elements_i[34:9]=0 hold:row_i[34:4]=0 hold:size_log2_i=3 hold:last_operand_i=1
// two-readers: hold:stop_i=0 hold:expect_free_i=63 seen=20
`default_nettype none

module mu_calc_walk (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    // the operands
    input  logic                  table_write_i,
    input  logic [3:0]            table_index_i,
    input  logic [39:0]           table_address_i,     // of the first element
    input  logic [39:0]           table_stride_i,
    input  logic [39:0]           table_row_stride_i,
    // the shape
    input  logic [34:0]           elements_i,          // of the result
    input  logic [34:0]           row_i,               // elements of a row
    input  logic [2:0]            size_log2_i,         // of an element: 2 to 4
    input  logic [3:0]            last_operand_i,
    // whoever takes the beats
    output logic                  expect_valid_o,
    input  logic                  expect_ready_i,
    input  logic [6:0]            expect_free_i,       // beats for which there is room
    output logic [4:0]            expect_beats_o,
    output logic [2:0]            expect_words_o,      // of the last beat; 0: 8
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
  logic [3:0]  operand_q;
  logic [34:0] left_q;          // elements of the result in this chunk and those behind it
  logic [34:0] chunk_row_q;     // elements left in the row where the chunk begins
  logic [7:0]  chunk_left_q;    // elements that this pass has still to read
  logic [34:0] row_left_q;      // elements left in the row
  logic [39:0] address_q;
  logic [39:0] row_address_q;   // of the row's first element
  logic [39:0] stride_q;
  logic [39:0] row_stride_q;

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
  logic [7:0]  chunk_most;      // elements of a full chunk
  logic        adjacent;        // elements follow one another
  logic        row_is_short;    // it ends within the pass
  logic [7:0]  count;           // elements of the piece
  logic [9:0]  bytes;
  logic        row_ends;
  logic        pass_ends;
  logic        step, command_valid_q;
  logic [39:0] next_row_address;

  assign chunk_most       = 8'(10'd512 >> size_log2_i);
  assign adjacent         = stride_q == 40'd1 << size_log2_i;
  assign row_is_short     = row_left_q < 35'(chunk_left_q);
  assign count            = !adjacent ? 8'd1 : row_is_short ? row_left_q[7:0] : chunk_left_q;
  assign bytes            = 10'(count) << size_log2_i;
  assign row_ends         = row_left_q == 35'(count);
  assign pass_ends        = chunk_left_q == count;
  assign next_row_address = row_address_q + row_stride_q;

  assign expect_beats_o = 5'((bytes + 10'd31) >> 5);
  assign expect_words_o = bytes[4:2];
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
        STATE_STORE: state_q <= chunk_done && left_q <= 35'(chunk_most) ? STATE_DONE : STATE_LOAD;
        default:     state_q <= STATE_DONE;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (state_q == STATE_BEGIN) begin
      operand_q   <= '0;
      left_q      <= elements_i;
      chunk_row_q <= row_i;
    end else if (pass_done) begin
      operand_q <= chunk_done ? '0 : operand_q + 1'b1;
      if (chunk_done) begin
        left_q      <= left_q - 35'(chunk_most);
        chunk_row_q <= row_left_q;
      end
    end
    if (state_q == STATE_SET) begin
      {row_address_q, address_q, stride_q, row_stride_q} <= line_q;
      chunk_left_q <= left_q < 35'(chunk_most) ? left_q[7:0] : chunk_most;
      row_left_q   <= chunk_row_q;
    end else if (step) begin
      chunk_left_q <= chunk_left_q - count;
      row_left_q   <= row_ends ? row_i : row_left_q - 35'(count);
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
      if (step) pieces_have_elements : assert (count != '0 && 35'(count) <= row_left_q);
      if (step) pieces_stay_in_the_chunk : assert (count <= chunk_left_q);
    end
  end
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_calc_scatter: cuts the result of a CALC into pieces for a result whose elements or rows lie apart.
//
//   beats (valid/ready/data) ---> [ a beat, moved down by what has left ] ---> piece (valid/ready: address,
//   shape ----------------------> [ element, row: where the next one lies ] --^          bytes, data)
//
// Behaviour: with strided_i the bytes that come are elements of rows of row_i; element e of row r goes to
//   address_i + e * stride_i + r * row_stride_i. A piece is an element, or, where elements are adjacent, as
//   many as a beat has before its row ends. Its data begins at byte 0 of piece_data_o. It stands until taken.
//   Without strided_i nothing is taken and nothing leaves.
// Latency: a beat shows as its first piece one cycle later; the next piece after a cycle for each 4 bytes of
//   the one before and for each of the bytes left over.
// Limits: starts when reset ends; the shape stands. left_i: bytes of the result that are in no piece taken
//   so far, above zero while beats come. Of a beat as many count as are left, whole elements.
// two-readers: hold:strided_i=1 hold:size_log2_i=2 hold:row_i=6 hold:stride_i=4 hold:left_i=40 seen=20
`default_nettype none

module mu_calc_scatter (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    // the shape of the result
    input  logic                 strided_i,
    input  mu_pkg::address_t     address_i,  // of the first element
    input  mu_pkg::address_t     stride_i,
    input  mu_pkg::address_t     row_stride_i,
    input  logic [36:0]          row_i,        // elements of a row
    input  logic [2:0]           size_log2_i,  // of an element, in bytes: 0 to 4
    // the result
    input  logic [36:0]          left_i,
    input  logic                 in_valid_i,
    output logic                 in_ready_o,
    input  mu_pkg::memory_word_t in_data_i,
    // pieces of it
    output logic                 piece_valid_o,
    input  logic                 piece_ready_i,
    output mu_pkg::address_t     piece_address_o,
    output logic [5:0]           piece_bytes_o,
    output mu_pkg::memory_word_t piece_data_o
);
  typedef enum logic [1:0] {
    STATE_BEGIN,  // takes over the shape
    STATE_BEAT,   // waits for a beat
    STATE_PIECE,  // offers a piece of it
    STATE_MOVE    // moves down what is left of the beat
  } state_e;

  state_e               state_q;
  mu_pkg::memory_word_t data_q;
  logic [5:0]           kept_q;      // bytes of the beat in no piece so far
  logic [5:0]           move_q;      // bytes by which the beat has still to move down
  logic [36:0]          row_left_q;  // bytes of the row in no piece so far
  mu_pkg::address_t     address_q;
  mu_pkg::address_t     row_address_q;  // of the row's first element
  logic [5:0]           size;
  logic [5:0]           size_q;
  logic [36:0]          row_bytes;
  logic                 adjacent_q;      // elements follow one another
  logic                 row_is_short;  // it ends within the beat
  logic                 row_ends;      // with this piece
  logic                 taken;
  logic                 far;           // moves by 4 bytes, not by one
  mu_pkg::address_t     next_row;

  assign size         = 6'd1 << size_log2_i;
  assign row_bytes    = row_i << size_log2_i;
  assign row_is_short = row_left_q < 37'(kept_q);
  assign row_ends     = row_left_q == 37'(piece_bytes_o);
  assign next_row     = row_address_q + row_stride_i;
  assign taken        = piece_valid_o && piece_ready_i;
  assign far          = move_q[5:2] != '0;

  assign in_ready_o      = state_q == STATE_BEAT;
  assign piece_valid_o   = state_q == STATE_PIECE;
  assign piece_address_o = address_q;
  assign piece_bytes_o   = !adjacent_q ? size_q : row_is_short ? row_left_q[5:0] : kept_q;
  assign piece_data_o    = data_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= STATE_BEGIN;
    else begin
      unique case (state_q)
        STATE_BEGIN: if (strided_i) state_q <= STATE_BEAT;
        STATE_BEAT:  if (in_valid_i) state_q <= STATE_PIECE;
        STATE_PIECE: if (piece_ready_i) state_q <= kept_q == piece_bytes_o ? STATE_BEAT : STATE_MOVE;
        default:     if (move_q == 6'd1 || move_q == 6'd4) state_q <= STATE_PIECE;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (state_q == STATE_BEGIN) begin
      size_q        <= size;
      adjacent_q    <= stride_i == 40'(size);
      address_q     <= address_i;
      row_address_q <= address_i;
      row_left_q    <= row_bytes;
    end else if (taken) begin
      row_left_q <= row_ends ? row_bytes : row_left_q - 37'(piece_bytes_o);
      address_q  <= row_ends ? next_row : address_q + (adjacent_q ? 40'(piece_bytes_o) : stride_i);
      if (row_ends) row_address_q <= next_row;
    end
    if (state_q == STATE_BEAT) kept_q <= left_i > 37'd32 ? 6'd32 : left_i[5:0];
    else if (taken) kept_q <= kept_q - piece_bytes_o;
    if (taken) move_q <= piece_bytes_o;
    else if (state_q == STATE_MOVE) move_q <= move_q - (far ? 6'd4 : 6'd1);
    if (state_q == STATE_BEAT) data_q <= in_data_i;
    else if (state_q == STATE_MOVE) data_q <= far ? data_q >> 32 : data_q >> 8;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (in_valid_i && in_ready_o) comes_while_some_is_left : assert (left_i != '0);
      if (piece_valid_o) pieces_have_bytes : assert (piece_bytes_o != '0 && piece_bytes_o <= kept_q);
      if (piece_valid_o) pieces_stay_in_the_row : assert (37'(piece_bytes_o) <= row_left_q);
      if (state_q == STATE_MOVE) moves_to_something : assert (move_q != '0 && kept_q != '0);
    end
  end

`ifdef PROVE_MU_CALC_SCATTER
  // What is proved of mu_calc_scatter: pieces lie where the strides say, one after another from the first
  // element on, each a whole number of elements of one row, more than one only where elements are adjacent;
  // their bytes are those of the beats, in order, each once; a piece stands until it is taken.
  logic                 past_q = 1'b0;
  logic                 was_offered_q, was_strided_q;
  mu_pkg::memory_word_t beat_q;       // the last that came
  logic [5:0]           gone_q;       // bytes of it in pieces that were taken
  logic [5:0]           beat_bytes_q;
  mu_pkg::address_t     at_q, row_at_q;
  logic [36:0]          rest_q;       // bytes left in the row
  mu_pkg::address_t     was_stride_q, was_row_stride_q, was_address_q, offered_address_q;
  logic [36:0]          was_row_q;
  logic [2:0]           was_size_q;
  logic [5:0]           offered_bytes_q;
  logic [36:0]          parts;        // of an element: bits that no whole number of them has
  assign parts = 37'(size) - 37'd1;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (size_log2_i <= 3'd4 && row_i != '0 && row_i <= {37{1'b1}} >> size_log2_i);
    assume (left_i != '0 && (left_i & parts) == '0);
    if (past_q)
      assume (row_i == was_row_q && size_log2_i == was_size_q && stride_i == was_stride_q &&
          row_stride_i == was_row_stride_q && strided_i == was_strided_q && address_i == was_address_q);
  end
  always_ff @(posedge clk_i) begin
    past_q            <= 1'b1;
    {was_row_q, was_size_q, was_stride_q, was_row_stride_q, was_strided_q, was_address_q} <=
        {row_i, size_log2_i, stride_i, row_stride_i, strided_i, address_i};
    was_offered_q     <= rst_ni && piece_valid_o && !piece_ready_i;
    offered_address_q <= piece_address_o;
    offered_bytes_q   <= piece_bytes_o;
    if (!rst_ni) begin
      {at_q, row_at_q} <= {address_i, address_i};
      rest_q           <= row_i << size_log2_i;
      {gone_q, beat_bytes_q} <= '0;
    end else begin
      if (in_valid_i && in_ready_o) begin
        beat_q       <= in_data_i;
        gone_q       <= '0;
        beat_bytes_q <= left_i < 37'd32 ? left_i[5:0] : 6'd32;
      end
      if (taken) begin
        gone_q <= gone_q + piece_bytes_o;
        if (rest_q == 37'(piece_bytes_o)) begin
          {at_q, row_at_q} <= {2{row_at_q + row_stride_i}};
          rest_q           <= row_i << size_log2_i;
        end else begin
          at_q   <= at_q + (piece_bytes_o == size ? stride_i : 40'(piece_bytes_o));
          rest_q <= rest_q - 37'(piece_bytes_o);
        end
      end
    end
    if (past_q && rst_ni) begin
      if (piece_valid_o) begin
        lies_where_the_strides_say : assert (strided_i && piece_address_o == at_q);
        whole_elements_of_a_row :
        assert (piece_bytes_o != '0 && (37'(piece_bytes_o) & parts) == '0 && 37'(piece_bytes_o) <= rest_q);
        together_only_what_is_together : assert (piece_bytes_o == size || stride_i == 40'(size));
        of_the_beat : assert (7'(gone_q) + 7'(piece_bytes_o) <= 7'(beat_bytes_q));
        bytes_in_their_order : assert (piece_data_o == beat_q >> {gone_q, 3'd0});
      end
      if (in_ready_o) a_beat_when_the_last_has_left : assert (gone_q == beat_bytes_q);
      if (was_offered_q) a_piece_stands :
      assert (piece_valid_o && piece_address_o == offered_address_q && piece_bytes_o == offered_bytes_q);
      // What the above rests on.
      if (state_q == STATE_BEGIN) begins_anew :
      assert (at_q == address_i && row_at_q == address_i && rest_q == row_bytes &&
              gone_q == beat_bytes_q);
      else begin
        goes_on_from_there : assert (address_q == at_q && row_address_q == row_at_q && row_left_q == rest_q);
        shape_as_it_was_given : assert (size_q == size && adjacent_q == (stride_i == 40'(size)));
        rows_of_elements :
        assert (rest_q != '0 && rest_q <= row_bytes && (rest_q & parts) == '0 && strided_i);
      end
      if (state_q == STATE_PIECE || state_q == STATE_MOVE)
        keeps_the_rest : assert (kept_q != '0 && kept_q <= 6'd32 &&
            7'(gone_q) + 7'(kept_q) == 7'(beat_bytes_q) && beat_bytes_q <= 6'd32 &&
            (37'(kept_q) & parts) == '0);
      if (state_q == STATE_MOVE) moves_by_what_has_left :
      assert (move_q != '0 && move_q <= gone_q && data_q == beat_q >> {gone_q - move_q, 3'd0});
    end
  end
`endif
endmodule
`default_nettype wire

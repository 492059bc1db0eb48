// SPDX-License-Identifier: Apache-2.0
// mu_pipe_list: reads and checks the lists of buffers of PIPEs, and keeps where the buffers lie.
//
//   read, request (PIPE) ---> [ list, as it was read ] ---> [ look up, check ] ---> end, status (PIPE)
//   reads, answers <----------------^                              |
//                                                       [ a row for each buffer ]
//   gives, numbers (PIPEs) ---> [ row of the next buffer ] <-------+-------> [ row of a SEND ] <--- copy
//                                  \---> may_give, place                          \---> region, offset
//
// Behaviour: the list of a PIPE that asks (read_i) is read by one command, and its entries are checked one
//   after the other: end_o for one cycle with status_o, OK or the first that applies of MEMORY_ERROR (reading
//   the list), and for each entry in turn RESERVED_BITS, LENGTH_ZERO (a buffer of no bytes) and that of its
//   region: REGION_INVALID, PERMISSION (only its owner may use it here) or REGION_BOUNDS. Each entry that
//   passes is kept in the row of its PIPE and number. A PIPE that no longer asks gets no end, and no row of
//   it changes any more. A PIPE with a list may give a buffer while place_* is of that buffer.
// Latency: a list takes 3 cycles, its read, and 2 for each entry, more while a CALC looks up regions. A
//   buffer to give shows in the next cycle, copy_* in the cycle after copy_read_i, and stands.
// Limits: one list at a time, of several that ask the lowest. A list has 1 to 16 entries, request_i.length is
//   16 bytes for each. read_i falls in the cycle behind end_o. Rows are read only after an end with OK.
`default_nettype none

module mu_pipe_list #(
    parameter  int unsigned PIPES       = mu_pkg::PIPES,
    localparam int unsigned INDEX_WIDTH = PIPES > 1 ? $clog2(PIPES) : 1
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    output logic                    busy_o,
    // PIPEs whose list is to be read
    input  logic [PIPES-1:0]        read_i,
    output logic [PIPES-1:0]        grant_o,   // whose list request_i is
    input  mu_pkg::receive_buffer_t request_i, // of this owner, address and length
    output logic [PIPES-1:0]        end_o,
    output mu_pkg::status_e         status_o,
    // buffers that PIPEs give
    input  logic [PIPES-1:0]        listed_i,   // they are in a list
    input  logic [PIPES-1:0]        gives_i,    // there is one to give
    input  logic [PIPES*4-1:0]      numbers_i,  // its number
    output logic [PIPES-1:0]        may_give_o,
    input  logic [PIPES-1:0]        given_i,
    output mu_pkg::address_t        place_address_o,
    output logic [31:0]             place_bytes_o,
    // buffers that go out
    input  logic                    copy_read_i,
    input  logic [INDEX_WIDTH-1:0]  copy_pipe_i,
    input  logic [3:0]              copy_number_i,
    output logic [7:0]              copy_region_o,
    output logic [36:0]             copy_offset_o,
    // memory port, region table
    output mu_pkg::list_reads_t     reads_o,
    input  mu_pkg::list_answers_t   answers_i
);
  localparam int unsigned ROWS      = PIPES * 16;
  localparam int unsigned ROW_WIDTH = $clog2(ROWS);
  typedef enum logic [2:0] {
    STATE_IDLE,
    STATE_COMMAND,  // asks memory for the list
    STATE_BEATS,    // takes it
    STATE_LOOK,     // looks up the region of an entry
    STATE_CHECK,
    STATE_END
  } state_e;

  state_e                 state_q;
  logic [PIPES-1:0]       pipe_q;       // whose list it is
  logic [INDEX_WIDTH-1:0] index, index_q;
  logic [3:0]             owner_q;
  mu_pkg::address_t       address_q;
  logic [4:0]             entries_q;
  logic [3:0]             number_q;     // of the entry
  logic [2:0]             beat_q;
  logic                   withdrawn_q;  // what is read is not asked for any more
  logic                   withdrawn, last, passes, ends_badly;
  mu_pkg::status_e        status_q, region_status, entry_status;
  mu_pkg::address_t       entry_address;

  assign grant_o   = state_q == STATE_IDLE ? read_i & (~read_i + 1'b1) : '0;
  assign withdrawn = withdrawn_q || (pipe_q & read_i) == '0;
  always_comb begin
    index = '0;
    for (int unsigned i = 0; i < PIPES; i++) if (grant_o[i]) index = index | INDEX_WIDTH'(i);
  end

  // --- the list, as it was read: of each entry region, offset, bytes, and whether reserved bits are set ---
  logic [155:0] beats[8];
  logic [155:0] pair;
  logic [77:0]  entry;
  mu_pkg::pipe_buffer_t lower, upper;
  logic lower_bad, upper_bad;
  assign lower = answers_i.beat.data[127:0];
  assign upper = answers_i.beat.data[255:128];
  assign lower_bad = {lower.reserved_45, lower.reserved_96} != '0;
  assign upper_bad = {upper.reserved_45, upper.reserved_96} != '0;
  always_ff @(posedge clk_i) begin
    if (answers_i.beat.valid)
      beats[beat_q] <= {upper_bad, upper.bytes, upper.offset, upper.region,
                        lower_bad, lower.bytes, lower.offset, lower.region};
  end
  assign pair  = beats[number_q[3:1]];
  assign entry = number_q[0] ? pair[155:78] : pair[77:0];

  // --- its entries ---
  mu_region_check u_region_check (
      .entry_i(answers_i.entry), .offset_i(entry[44:8]), .bytes_i({6'd0, entry[76:45]}), .access_i(2'd3),
      .client_i(owner_q), .status_o(region_status), .address_o(entry_address)
  );
  always_comb begin
    entry_status = region_status;
    if (entry[77]) entry_status = mu_pkg::STATUS_RESERVED_BITS;
    else if (entry[76:45] == '0) entry_status = mu_pkg::STATUS_LENGTH_ZERO;
  end
  assign passes     = state_q == STATE_CHECK && entry_status == mu_pkg::STATUS_OK && !withdrawn;
  assign last       = {1'b0, number_q} + 5'd1 == entries_q;
  assign ends_badly = state_q == STATE_BEATS && answers_i.beat.error;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= STATE_IDLE;
    else begin
      unique case (state_q)
        STATE_IDLE:    if (read_i != '0) state_q <= STATE_COMMAND;
        STATE_COMMAND: if (answers_i.ready) state_q <= STATE_BEATS;
        STATE_BEATS:
        if (answers_i.beat.valid && answers_i.beat.last)
          state_q <= withdrawn ? STATE_IDLE : ends_badly ? STATE_END : STATE_LOOK;
        STATE_LOOK:
        if (withdrawn) state_q <= STATE_IDLE;
        else if (answers_i.looks) state_q <= STATE_CHECK;
        STATE_CHECK:   state_q <= withdrawn ? STATE_IDLE : passes && !last ? STATE_LOOK : STATE_END;
        default:       state_q <= STATE_IDLE;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (state_q == STATE_IDLE) begin
      pipe_q      <= grant_o;
      index_q     <= index;
      owner_q     <= request_i.owner;
      address_q   <= request_i.address;
      entries_q   <= request_i.length[8:4];
      number_q    <= '0;
      beat_q      <= '0;
      withdrawn_q <= 1'b0;
    end else begin
      withdrawn_q <= withdrawn;
      if (answers_i.beat.valid) beat_q <= beat_q + 1'b1;
      if (passes) number_q <= number_q + 1'b1;
    end
    status_q <= state_q == STATE_CHECK ? entry_status : mu_pkg::STATUS_MEMORY_ERROR;
  end
  always_comb begin
    reads_o                      = '0;
    reads_o.list.valid           = state_q == STATE_COMMAND;
    reads_o.list.command.address = address_q;
    reads_o.list.command.bytes   = {1'b0, entries_q, 4'd0};
    reads_o.look                 = state_q == STATE_LOOK;
    if (state_q == STATE_LOOK) reads_o.region = entry[7:0];
  end
  assign end_o    = state_q == STATE_END && !withdrawn ? pipe_q : '0;
  assign status_o = status_q;

  // --- rows ---
  (* no_rw_check *) logic [71:0] places[ROWS];   // address, bytes
  (* no_rw_check *) logic [44:0] sources[ROWS];  // offset, region
  logic [71:0]          place_q;
  logic [44:0]          source_q;
  logic [PIPES-1:0]     ready_q, wants, shows;  // place_q is of the buffer that it gives next
  logic [ROW_WIDTH-1:0] row, give_row, copy_row;
  assign row      = ROW_WIDTH'({index_q, number_q});
  assign copy_row = ROW_WIDTH'({copy_pipe_i, copy_number_i});
  assign wants    = gives_i & listed_i;
  assign shows    = ready_q == '0 ? wants & (~wants + 1'b1) : '0;
  always_comb begin
    give_row = '0;
    for (int unsigned i = 0; i < PIPES; i++)
      if (shows[i]) give_row = give_row | ROW_WIDTH'({INDEX_WIDTH'(i), numbers_i[i*4+:4]});
  end
  always_ff @(posedge clk_i) begin
    if (passes) begin
      places[row]  <= {entry_address, entry[76:45]};
      sources[row] <= entry[44:0];
    end
  end
  always_ff @(posedge clk_i) if (shows != '0) place_q <= places[give_row];
  always_ff @(posedge clk_i) if (copy_read_i) source_q <= sources[copy_row];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) ready_q <= '0;
    else if (ready_q == '0) ready_q <= shows;
    else ready_q <= ready_q & wants & ~given_i;
  end
  assign may_give_o                       = ~listed_i | ready_q;
  assign {place_address_o, place_bytes_o} = place_q;
  assign {copy_offset_o, copy_region_o}   = source_q;
  assign busy_o                           = state_q != STATE_IDLE || ready_q != '0;

  logic unused;
  assign unused = ^{request_i, answers_i.beat};

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      if (state_q == STATE_IDLE && read_i != '0)
        has_entries :
        assert (request_i.length != '0 && request_i.length <= 37'd256 && request_i.length[3:0] == '0);
      beats_when_asked_for : assert (!answers_i.beat.valid || state_q == STATE_BEATS);
      shows_one : assert ($onehot0(ready_q));
      gives_what_is_shown : assert ((given_i & ~may_give_o) == '0);
    end
  end

`ifdef PROVE_MU_PIPE_LIST
  // What is proved of mu_pipe_list, of any one buffer of any PIPE: it is kept only if its entry, as the
  // memory gave it, has no reserved bits and at least one byte, all of them in a region that the owner of the
  // PIPE may use, and then its place is that of the entry. The end of a list is OK only if every buffer in it
  // is kept, else it has the first status that applies. A buffer that is to be given, or sent, is the one
  // that is kept. Nobody gets an end who has not asked from the beginning of the reading on.
  (* anyconst *) logic [INDEX_WIDTH-1:0] chosen_pipe;
  (* anyconst *) logic [3:0] chosen;
  (* anyconst *) mu_pkg::region_entry_t chosen_region;
  logic past_q = 1'b0;
  logic [3:0]   owed_q;     // beats
  logic [127:0] listed_q;   // the chosen entry of the list that is read
  logic         failed_q;   // the memory, reading it
  logic         kept_q;     // the chosen buffer of the chosen PIPE
  logic [116:0] row_q;      // where it lies
  logic         asks_q;     // the PIPE whose list is read has asked since the beginning
  logic         looked_q, given_q, copied_q, ended_q;
  logic [3:0]   number_before_q;
  logic         here, good;
  mu_pkg::pipe_buffer_t chosen_entry;
  logic [7:0]   expected;
  logic [4:0]   beats_of_list;
  logic [ROW_WIDTH-1:0] chosen_row;
  logic [77:0]  chosen_beat;
  logic [3:0]   chosen_number;
  assign chosen_entry  = listed_q;
  assign chosen_row    = ROW_WIDTH'({chosen_pipe, chosen});
  assign chosen_beat   = chosen[0] ? beats[chosen[3:1]][155:78] : beats[chosen[3:1]][77:0];
  assign chosen_number = numbers_i[chosen_pipe*4+:4];
  assign here          = index_q == chosen_pipe && number_q == chosen;
  assign beats_of_list = 5'((6'(entries_q) + 6'd1) >> 1);
  always_comb begin
    expected = mu_pkg::STATUS_OK;
    if (64'(chosen_entry.offset) + 64'(chosen_entry.bytes) > 64'(chosen_region.length))
      expected = mu_pkg::STATUS_REGION_BOUNDS;
    if (chosen_region.owner != owner_q) expected = mu_pkg::STATUS_PERMISSION;
    if (!chosen_region.enable) expected = mu_pkg::STATUS_REGION_INVALID;
    if (chosen_entry.bytes == '0) expected = mu_pkg::STATUS_LENGTH_ZERO;
    if ({chosen_entry.reserved_45, chosen_entry.reserved_96} != '0) expected = mu_pkg::STATUS_RESERVED_BITS;
    good = expected == mu_pkg::STATUS_OK;
  end
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (!answers_i.beat.valid || owed_q != '0);
    assume (answers_i.beat.last == (owed_q == 4'd1));
    assume (!answers_i.ready || reads_o.list.valid);
    assume (!answers_i.looks || reads_o.look);
    assume (request_i.length != '0 && request_i.length <= 37'd256 && request_i.length[3:0] == '0);
    assume (32'(chosen_pipe) < PIPES);
    if (looked_q) assume (answers_i.entry == chosen_region);
    if (ended_q) assume (!read_i[chosen_pipe]);
    // What is given is kept, and stays the same until it is.
    assume ((given_i & ~(gives_i & may_give_o)) == '0);
    if (gives_i[chosen_pipe] && listed_i[chosen_pipe] && chosen_number == chosen)
      assume (kept_q && !read_i[chosen_pipe]);
    if (given_q) assume (chosen_number == number_before_q);
  end
  always_ff @(posedge clk_i) begin
    past_q          <= 1'b1;
    number_before_q <= chosen_number;
    given_q         <= rst_ni && gives_i[chosen_pipe] && !given_i[chosen_pipe];
    looked_q        <= rst_ni && state_q == STATE_LOOK && answers_i.looks && here && !withdrawn;
    copied_q        <= rst_ni && copy_read_i && copy_pipe_i == chosen_pipe && copy_number_i == chosen &&
        kept_q;
    ended_q         <= rst_ni && end_o[chosen_pipe];
    if (!rst_ni) {owed_q, failed_q, kept_q, asks_q} <= '0;
    else begin
      if (answers_i.ready) owed_q <= beats_of_list[3:0];
      else if (answers_i.beat.valid) owed_q <= owed_q - 1'b1;
      if (answers_i.beat.valid && beat_q == chosen[3:1])
        listed_q <= chosen[0] ? answers_i.beat.data[255:128] : answers_i.beat.data[127:0];
      if (answers_i.ready) failed_q <= 1'b0;
      else if (answers_i.beat.valid && answers_i.beat.last) failed_q <= answers_i.beat.error;
      if (state_q == STATE_IDLE && read_i != '0) asks_q <= 1'b1;
      else asks_q <= asks_q && (pipe_q & ~read_i) == '0;
      if (grant_o[chosen_pipe]) kept_q <= 1'b0;
      if (passes && here) begin
        kept_q <= 1'b1;
        row_q  <= {chosen_region.base + 40'(chosen_entry.offset), chosen_entry.bytes, chosen_entry.offset,
                   chosen_entry.region};
      end
    end
    if (past_q && rst_ni) begin
      if (looked_q) checks_what_was_looked_up : assert (state_q == STATE_CHECK && here);
      if (state_q == STATE_LOOK && number_q == chosen)
        looks_up_its_region : assert (reads_o.region == chosen_entry.region);
      if (passes && here) keeps_what_is_good : assert (good);
      if (state_q == STATE_CHECK && here && !passes && !withdrawn) drops_what_is_not : assert (!good);
      if (kept_q) kept_as_it_is : assert ({places[chosen_row], sources[chosen_row]} == row_q);
      if (end_o[chosen_pipe] && status_o == mu_pkg::STATUS_OK && 5'(chosen) < entries_q)
        ends_well_with_all_kept : assert (kept_q && !failed_q);
      if (end_o != '0 && failed_q) ends_badly_if_not_read : assert (status_o == mu_pkg::STATUS_MEMORY_ERROR);
      if (end_o != '0 && !failed_q && status_o != mu_pkg::STATUS_OK && here)
        ends_with_its_status : assert (status_o == expected);
      if (end_o != '0) ends_for_who_asks :
      assert ($onehot(end_o) && (end_o & ~read_i) == '0 && end_o == pipe_q && asks_q);
      if (gives_i[chosen_pipe] && listed_i[chosen_pipe] && may_give_o[chosen_pipe] &&
          chosen_number == chosen)
        gives_what_is_kept : assert ({place_address_o, place_bytes_o} == row_q[116:45]);
      if (copied_q && kept_q) sends_what_is_kept : assert ({copy_offset_o, copy_region_o} == row_q[44:0]);
      // What the above rests on.
      known_states : assert (state_q <= STATE_END);
      if (state_q != STATE_IDLE) of_one_pipe :
      assert (pipe_q == (PIPES)'(1) << index_q && 32'(index_q) < PIPES && asks_q == !withdrawn_q);
      if (state_q != STATE_IDLE) one_to_sixteen : assert (entries_q != '0 && entries_q <= 5'd16);
      if (state_q == STATE_COMMAND) nothing_read_yet : assert (beat_q == '0 && number_q == '0);
      owed_while_it_reads : assert ((owed_q != '0) == (state_q == STATE_BEATS) && owed_q <= 4'd8);
      if (state_q == STATE_BEATS) counts_its_beats :
      assert (5'(beat_q) + 5'(owed_q) == beats_of_list && number_q == '0);
      if ((state_q == STATE_BEATS && chosen[3:1] < beat_q) ||
          ((state_q == STATE_LOOK || state_q == STATE_CHECK) && 5'(chosen) < entries_q) ||
          (state_q == STATE_END && !failed_q && 5'(chosen) < entries_q))
        as_the_memory_gave_it : assert (chosen_beat ==
            {{chosen_entry.reserved_45, chosen_entry.reserved_96} != '0, chosen_entry.bytes,
             chosen_entry.offset, chosen_entry.region});
      if (state_q == STATE_LOOK || state_q == STATE_CHECK)
        inside_the_list : assert (5'(number_q) < entries_q && !failed_q);
      if ((state_q == STATE_LOOK || state_q == STATE_CHECK) && index_q == chosen_pipe)
        kept_so_far : assert (kept_q == (chosen < number_q));
      if ((state_q == STATE_COMMAND || state_q == STATE_BEATS) && index_q == chosen_pipe)
        none_kept_yet : assert (!kept_q);
      if (state_q == STATE_CHECK && here && !withdrawn)
        entry_of_its_region : assert (looked_q);
      if (state_q == STATE_END && failed_q) not_read : assert (status_q == mu_pkg::STATUS_MEMORY_ERROR);
      if (state_q == STATE_END && !failed_q && status_q != mu_pkg::STATUS_OK && here) its_status :
      assert (status_q == expected);
      if (state_q == STATE_END && status_q == mu_pkg::STATUS_OK && 5'(chosen) < entries_q &&
          index_q == chosen_pipe) all_of_them : assert (kept_q && !failed_q);
    end
  end
`endif
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_router_counters: the performance block: what went through each output of the router, by class.
//
//   send, last, stall of the two classes ---> [ 42 low parts and carries ] ---------------+
//                   [ walk from counter to counter ] ---> [ memory of high parts ] --+---> register bus
//
// Behaviour: counts flits sent, packets whose tail was sent, and cycles in which a head waited for the
//   output. A write, an unknown address or a client page answers REGISTER_UNKNOWN and changes nothing. A walk
//   that goes one counter further in each cycle with events brings the carry of the low part of a counter to
//   its high part; a read of a register takes its place for a cycle, which the walk makes up for in the next.
//   So a carry waits for 84 cycles at most, and the next of that counter comes after 128.
// Latency: an event shows two cycles later; register_done_o two cycles after register_valid_i.
// Limits: 32-bit counts that wrap.
// two-readers: hold:register_request_i[72+:12]=mu_pkg::BLOCK_PERFORMANCE_BASE>>8
// two-readers: hold:register_request_i[64+:2]=0 seen=20
`default_nettype none

module mu_router_counters (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    // classes: bit 0 x+ .. bit 5 z-, bit 6 local
    input  logic [6:0]                 request_send_i,
    input  logic [6:0]                 request_last_i,
    input  logic [6:0]                 request_stall_i,
    input  logic [6:0]                 reply_send_i,
    input  logic [6:0]                 reply_last_i,
    input  logic [6:0]                 reply_stall_i,
    // register bus
    input  logic                       register_valid_i,
    input  mu_pkg::register_request_t  register_request_i,
    output logic                       register_done_o,
    output mu_pkg::register_response_t register_response_o,
    output logic                       busy_o
);
  // What a counter counts: the upper bits of its row, as in the address of its register.
  localparam logic [2:0] KINDS = 3'd6;

  logic [41:0] events;      // 7 bits a kind
  logic [41:0] event_q;
  logic        counting;
  logic        start;       // an access
  logic        known;
  logic [5:0]  walk_q;      // the row that the walk comes to next
  logic        first_q;     // its first round: rows that it has not come to yet have no high part
  logic        owed_q;      // the access has taken its cycle
  logic        walks;
  logic        reads;
  logic        looks;
  logic [5:0]  row;
  logic [63:0] of_kind;     // low parts of the kind of that row
  logic [7:0]  low;
  logic        fresh;
  // the step that follows
  logic        walking_q;
  logic        carries;
  logic        reading_q;
  logic        known_q;
  logic        fresh_q;
  logic [5:0]  row_q;
  logic [7:0]  low_q;
  logic        writes;
  (* ram_style = "distributed" *) logic [24:0] high[64];
  logic [24:0] high_q;      // of that row
  logic [24:0] sum;
  logic        done_q;
  logic [31:0] value_q;

  assign start = register_valid_i && !reading_q && !done_q;
  assign known = register_request_i.address[19:8] == mu_pkg::BLOCK_PERFORMANCE_BASE[19:8] &&
                 register_request_i.address[7:6] != 2'd3 && register_request_i.address[5:3] != 3'd7 &&
                 register_request_i.address[1:0] == 2'b0 && !register_request_i.write &&
                 !register_request_i.page;

  assign events = {reply_stall_i, request_stall_i, reply_send_i, request_send_i, reply_last_i,
                   request_last_i};
  assign counting = event_q != '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) event_q <= '0;
    else if (counting || events != '0) event_q <= events;
  end

  // The low parts of the seven counters of a kind: seven bits and the carry.
  for (genvar k = 0; k < 6; k++) begin : gen_kind
    logic [63:0] counts_q;  // zero in the upper 8 bits
    logic [63:0] added;
    logic [63:0] taken;
    // Bit 8i of copies of seven bits side by side is bit i of the copy with the number i.
    assign added = {15'd0, {7{event_q[7*k+:7]}}} & {8{8'h01}};
    assign taken = carries && row_q[5:3] == 3'(k) ? 64'h80 << {row_q[2:0], 3'b0} : '0;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) counts_q <= '0;
      else if (event_q[7*k+:7] != '0 || taken != '0) begin
        // Two sums of four counters each: no carry comes from one counter to the next.
        counts_q <= {(counts_q[63:32] & ~taken[63:32]) + added[63:32],
                     (counts_q[31:0] & ~taken[31:0]) + added[31:0]};
      end
    end
  end

  // --- first step: both parts of the next counter of the walk, or of the one that is read
  assign reads   = start && known;
  assign walks   = !reads && (counting || owed_q);
  assign looks   = reads || walks;
  assign carries = walking_q && low_q[7];
  assign fresh   = first_q && row >= walk_q;
  always_comb begin
    row = walk_q;
    if (reads)
      row = {register_request_i.address[7:6], register_request_i.address[2], register_request_i.address[5:3]};
  end
  always_comb begin
    low     = '0;
    of_kind = '0;
    if (looks) begin
      unique case (row[5:3])
        3'd0: of_kind = gen_kind[0].counts_q;
        3'd1: of_kind = gen_kind[1].counts_q;
        3'd2: of_kind = gen_kind[2].counts_q;
        3'd3: of_kind = gen_kind[3].counts_q;
        3'd4: of_kind = gen_kind[4].counts_q;
        default: of_kind = gen_kind[5].counts_q;
      endcase
      low = 8'(of_kind >> {row[2:0], 3'b0});
      if (carries && row_q == row) low[7] = 1'b0;  // which the second step takes in this cycle
    end
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      walk_q    <= '0;
      first_q   <= 1'b1;
      owed_q    <= 1'b0;
      walking_q <= 1'b0;
      reading_q <= 1'b0;
    end else if (start || looks || walking_q || reading_q) begin
      owed_q    <= reads && counting;
      walking_q <= walks;
      reading_q <= start;
      if (start) known_q <= known;
      fresh_q   <= fresh;
      row_q     <= row;
      low_q     <= low;
      high_q    <= fresh ? '0 : writes && row_q == row ? sum : high[row];
      if (walks) begin
        walk_q <= walk_q + 1'b1;
        if (walk_q[2:0] == 3'd6) begin
          walk_q <= walk_q + 6'd2;
          if (walk_q[5:3] == KINDS - 1'b1) begin
            walk_q  <= '0;
            first_q <= 1'b0;
          end
        end
      end
    end
  end

  // --- second step: their sum
  assign writes = walking_q && (low_q[7] || fresh_q);
  assign sum    = high_q + 25'(low_q[7]);
  always_ff @(posedge clk_i) begin
    if (writes) high[row_q] <= sum;
    if (reading_q) value_q <= known_q ? {sum, low_q[6:0]} : '0;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) done_q <= 1'b0;
    else if (reading_q || done_q) done_q <= reading_q;
  end

  always_comb begin
    register_response_o = '0;
    if (done_q) begin
      register_response_o.data   = {value_q, value_q};
      register_response_o.status = known_q ? mu_pkg::STATUS_OK : mu_pkg::STATUS_REGISTER_UNKNOWN;
    end
  end
  assign register_done_o = done_q;
  assign busy_o          = done_q || reading_q || walking_q || owed_q || counting;

  // Of a kind: a carry that would run into the next counter, or one taken that is not there. A function, so
  // that a run without assertions does not compute them.
  function automatic logic miscounts(input logic [6:0] events_now, input logic [63:0] counts,
                                     input logic [63:0] taken);
    miscounts = (taken & ~counts) != '0;
    for (int i = 0; i < 7; i++)
      if (events_now[i] && counts[8*i+:8] == 8'hff && !taken[8*i+7]) miscounts = 1'b1;
  endfunction
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      no_carry_is_lost :
      assert ((!counting && !carries) ||
              !(miscounts(event_q[0+:7], gen_kind[0].counts_q, gen_kind[0].taken) ||
              miscounts(event_q[7+:7], gen_kind[1].counts_q, gen_kind[1].taken) ||
              miscounts(event_q[14+:7], gen_kind[2].counts_q, gen_kind[2].taken) ||
              miscounts(event_q[21+:7], gen_kind[3].counts_q, gen_kind[3].taken) ||
              miscounts(event_q[28+:7], gen_kind[4].counts_q, gen_kind[4].taken) ||
              miscounts(event_q[35+:7], gen_kind[5].counts_q, gen_kind[5].taken)));
      if (done_q) request_stands_until_done : assert (register_valid_i);
      if (done_q) refused_reads_zero : assert (known_q || value_q == '0);
    end
  end

`ifdef PROVE_MU_ROUTER_COUNTERS
  // Of any counter: a read shows the number of its events, for ever. An access is answered two cycles later,
  // once; all that names no counter is refused with zero.
  (* anyconst *) logic [5:0] chosen;  // its row
  logic        past_q = 1'b0;
  logic [31:0] count_q, asked_q;     // events of the chosen one; those at an access
  logic        asks_chosen_q;
  logic        is_good, was_good_q;
  logic        was_asked_q;          // in the last cycle an access began
  logic [7:0]  offset;
  logic [335:0] lows;                // in the order of the walk
  logic [41:0] late;
  logic [5:0]  walk_place, step_place, ahead;
  logic        event_here;
  logic [7:0]  low_here;
  logic        high_there;
  logic [24:0] high_here;
  // The table of docs/reference: packets from 0x00, flits from 0x40, stalls from 0x80, of requests; 4 further
  // of replies.
  assign offset  = register_request_i.address[7:0];
  assign is_good = 32'(register_request_i.address) - 32'(mu_pkg::BLOCK_PERFORMANCE_BASE) < 32'd192 &&
                   register_request_i.address >= mu_pkg::BLOCK_PERFORMANCE_BASE && offset[5:3] < 3'd7 &&
                   offset[1:0] == '0 && !register_request_i.write && !register_request_i.page;
  assign walk_place = 6'(walk_q[5:3]) * 6'd7 + 6'(walk_q[2:0]);
  assign step_place = 6'(row_q[5:3]) * 6'd7 + 6'(row_q[2:0]);
  assign lows = {gen_kind[5].counts_q[55:0], gen_kind[4].counts_q[55:0],
                 gen_kind[3].counts_q[55:0], gen_kind[2].counts_q[55:0],
                 gen_kind[1].counts_q[55:0], gen_kind[0].counts_q[55:0]};
  always_comb begin
    late       = '0;
    low_here   = '0;
    event_here = 1'b0;
    for (int unsigned i = 0; i < 42; i++) begin
      ahead = 6'(i) >= walk_place ? 6'(i) - walk_place : 6'(i) + 6'd42 - walk_place;  // steps of the walk
      if (lows[8*i+7]) begin
        late[i] = carries && step_place == 6'(i) ? lows[8*i+:7] > 7'd84 :
                  8'(lows[8*i+:7]) + {1'b0, ahead, 1'b0} > 8'd82 + 8'(owed_q);
      end else if (carries && step_place == 6'(i)) late[i] = 1'b1;
    end
    for (int unsigned i = 0; i < 42; i++) begin
      if (chosen == {3'(i / 7), 3'(i % 7)}) begin
        low_here   = lows[8*i+:8];
        event_here = event_q[i];
      end
    end
    high_there = row_q == chosen && walking_q ? !fresh_q : !(first_q && chosen >= walk_q);
    high_here  = high_there ? high[chosen] : '0;
    if (!past_q) assume (!rst_ni);
    assume (chosen[5:3] < KINDS && chosen[2:0] < 3'd7);
    // The bus: a request stands until it is answered.
    if (past_q && rst_ni && (reading_q || done_q)) assume (register_valid_i);
  end
  always_ff @(posedge clk_i) begin
    past_q      <= 1'b1;
    was_asked_q <= rst_ni && start;
    if (!rst_ni) count_q <= '0;
    else count_q <= count_q + 32'(event_here);
    if (start) begin
      was_good_q    <= is_good;
      asks_chosen_q <= is_good && {offset[7:6], offset[2], offset[5:3]} == chosen;
      asked_q       <= count_q;
    end
    if (rst_ni && past_q) begin
      if (register_done_o) begin
        refuses_all_else :
        assert (register_response_o.status ==
                (was_good_q ? mu_pkg::STATUS_OK : mu_pkg::STATUS_REGISTER_UNKNOWN));
        if (!was_good_q) refuses_with_zero : assert (register_response_o.data == '0);
        if (asks_chosen_q)
          shows_the_number_of_events : assert (register_response_o.data == {asked_q, asked_q});
      end else silent_else : assert (register_response_o == '0);
      answers_in_the_cycle_after_next : assert (reading_q == was_asked_q && !(reading_q && done_q));
      busy_until_answered : assert (busy_o || !(reading_q || register_done_o || counting || walking_q));
      // What the above rests on.
      one_owes_nothing_twice : assert (!owed_q || reading_q);
      walks_over_counters : assert (walk_q[5:3] < KINDS && walk_q[2:0] < 3'd7);
      steps_on_counters :
      assert (!walking_q || !(reading_q && known_q) && row_q[5:3] < KINDS && row_q[2:0] < 3'd7 &&
              (step_place == 6'd41 ? walk_place == '0 : walk_place == step_place + 6'd1));
      first_round :
      assert (!walking_q || (walk_place == '0 ? !first_q : first_q == fresh_q));
      no_carry_waits_long : assert (late == '0);
      parts_make_the_number : assert ({high_here, 7'b0} + 32'(low_here) == count_q);
      an_access_is_kept :
      assert (!reading_q && !done_q || was_good_q == known_q && (!asks_chosen_q || was_good_q));
      if ((walking_q || reading_q) && row_q == chosen)
        holds_the_high_part : assert (high_q == (fresh_q ? 25'd0 : high[chosen]));
      if (reading_q && asks_chosen_q)
        adds_what_it_found :
        assert (row_q == chosen && {fresh_q ? 25'd0 : high[chosen], 7'b0} + 32'(low_q) == asked_q &&
                fresh_q == (first_q && chosen >= walk_q));
      if (done_q && asks_chosen_q) keeps_the_sum : assert (value_q == asked_q);
      if (done_q && !known_q) keeps_zero : assert (value_q == '0);
      if (reading_q && known_q)
        stands_on_a_counter : assert (row_q[5:3] < KINDS && row_q[2:0] < 3'd7);
    end
  end
`endif
endmodule
`default_nettype wire

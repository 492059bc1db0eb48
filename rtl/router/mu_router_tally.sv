// SPDX-License-Identifier: Apache-2.0
// mu_router_tally: seven 32-bit event counters that share one small adder.
//
//   event_i (one bit a counter) ---> [ 7 low parts of 7 bits + carry ] ---> [ memory of 7 high parts ]
//                                      read_i, read_index_i ---> value_o
//
// Behaviour: counter i is the number of cycles with event_i[i], modulo 2^32, and value_o the counter
//   read_index_i while read_i is high (index 7: zero). A low part that overflows keeps its carry until the
//   one increment a cycle of the high parts has taken it; seven low parts give at most seven carries in 128
//   cycles, so none is lost.
// Latency: an event shows in the next cycle. busy_o: a carry waits.
// Limits: none.
`default_nettype none

module mu_router_tally (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [6:0]  event_i,
    input  logic        read_i,
    input  logic [2:0]  read_index_i,
    output logic [31:0] value_o,
    output logic        busy_o
);
  localparam logic [55:0] CARRIES = {7{8'h80}};

  logic [55:0] low_q;  // 8 bits a counter: carry, 7 low bits
  logic [24:0] high[8];
  logic [2:0]  first;  // a counter with a carry
  logic        carry;
  logic [55:0] taken;
  logic [55:0] added;
  logic [7:0]  low;

  assign carry  = (low_q & CARRIES) != '0;
  assign busy_o = carry;

  always_comb begin
    first = 3'd0;
    taken = '0;
    if (carry) begin
      for (int i = 6; i >= 0; i--) begin
        if (low_q[8*i+7]) first = 3'(i);
      end
      taken = 56'h80 << {first, 3'b0};
    end
  end

  // Bit 8i of seven copies side by side is bit i of the copy with the number i.
  assign added = {7'd0, {7{event_i}}} & {7{8'h01}};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      low_q <= '0;
      for (int i = 0; i < 8; i++) high[i] <= '0;
    end else if (carry || event_i != '0) begin
      low_q <= (low_q & ~taken) + added;
      if (carry) high[first] <= high[first] + 1'b1;
    end
  end

  always_comb begin
    low     = '0;
    value_o = '0;
    if (read_i) begin
      low     = 8'({8'b0, low_q} >> {read_index_i, 3'b0});
      value_o = {high[read_index_i] + 25'(low[7]), low[6:0]};
    end
  end

  // Carries that would run into the next counter; a function, so that a run without assertions does not
  // compute them.
  function automatic logic [6:0] lost(input logic [55:0] counts, input logic [55:0] carries);
    lost = '0;
    for (int i = 0; i < 7; i++) lost[i] = counts[8*i+:8] == 8'hff && !carries[8*i+7];
  endfunction
  // Carries that have waited for eight events or more of their counter: those before them take seven cycles
  // at most.
  function automatic logic [6:0] late(input logic [55:0] counts);
    late = '0;
    for (int i = 0; i < 7; i++) late[i] = counts[8*i+7] && counts[8*i+3+:4] != '0;
  endfunction
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      no_carry_is_lost : assert (event_i == '0 || (event_i & lost(low_q, taken)) == '0);
      carries_are_taken_soon : assert (!carry || late(low_q) == '0);
    end
  end

`ifdef PROVE_MU_ROUTER_TALLY
  // Of any counter: a read shows the number of its events, for ever; no carry is lost, for one that waits
  // sees each lower counter go first once, and each of them needs 128 cycles for the next.
  (* anyconst *) logic [2:0] chosen;
  logic        past_q = 1'b0;
  logic [31:0] count_q;     // events of the chosen one
  logic [48:0] before_q;    // bit 7i + j: the carry of j was taken while that of i waits
  logic [6:0]  waits, first_waits, sound;
  logic [2:0]  waited;
  logic [7:0]  low_here;
  assign low_here = 8'({8'b0, low_q} >> (6'(chosen) * 6'd8));
  always_comb begin
    for (int unsigned i = 0; i < 7; i++) waits[i] = low_q[8*i+7];
    first_waits = waits & (~waits + 7'd1);
    sound       = '1;
    waited      = '0;
    for (int unsigned i = 0; i < 7; i++) begin
      waited = 3'($countones(before_q[7*i+:7]));
      // As long as it waits, so many others have gone first, all of them lower.
      if (waits[i] ? low_q[8*i+:7] > 7'(waited) : before_q[7*i+:7] != '0) sound[i] = 1'b0;
      for (int unsigned j = 0; j < 7; j++)
        if (before_q[7*i+j] && (j >= i || waits[j] || low_q[8*j+:7] > 7'd6 + 7'(waited))) sound[i] = 1'b0;
    end
    if (!past_q) assume (!rst_ni);
    assume (chosen < 3'd7);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) {count_q, before_q} <= '0;
    else begin
      count_q <= count_q + 32'(1'(event_i >> chosen));
      for (int unsigned i = 0; i < 7; i++)
        before_q[7*i+:7] <= waits[i] && !first_waits[i] ? before_q[7*i+:7] | first_waits : '0;
      if (past_q) begin
        if (read_i && read_index_i == chosen) shows_the_number_of_events : assert (value_o == count_q);
        if (!read_i || read_index_i == 3'd7) zero_elsewhere : assert (value_o == '0);
        busy_while_a_carry_waits : assert (busy_o == (waits != '0));
        // What the above rests on.
        a_carry_waits_for_lower_ones_alone : assert (sound == '1);
        parts_make_the_number : assert ({high[chosen] + 25'(low_here[7]), low_here[6:0]} == count_q);
        none_of_the_eighth : assert (high[7] == '0);
      end
    end
  end
`endif
endmodule
`default_nettype wire

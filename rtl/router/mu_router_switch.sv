// SPDX-License-Identifier: Apache-2.0
// mu_router_switch: who owns each output of the router, for one class. Control only; no data passes here.
//
//   there_i, want_i (heads) ---> [ free output, credit, bubble rule, round robin ] ---> take_o, grant_o
//   valid_i, tail_i (flits), open_i ---> [ owner of each output, until its tail ] ---> send_o, pop_o, owner_o
//
// Behaviour: a head is granted its output when the input has no other packet under way (or sends its tail
//   now) and the output is free (or sends its tail now) and has a place beyond it: any for a packet that goes
//   on along the ring; two for one that enters it, which keeps rings fluid; one but not the ring's reserved
//   one (spare) for one that is starved. Round robin among those that may. The owner then sends whenever it
//   has a flit and open_i, until its tail. go_on_o[d]: the grant of output d is to the packet that goes on.
//   stall_o[o]: a head waited for output o and was not granted. Matrices: bit 7*o+i is output o, input i.
// Latency: a grant shows as owner, a wait as stall_o in the next cycle; the next owner follows a tail
//   without a gap.
// Limits: output and input d belong to the neighbour in direction d, 6 is local and needs no credits. A head
//   wants one output, one that TURNS names.
// two-readers: columns:want_i=7
`default_nettype none

module mu_router_switch #(
    // Bit 7*o+i: a head at input i may want output o. What is left out costs nothing.
    parameter logic [48:0] TURNS = {49{1'b1}}
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    // heads
    input  logic [6:0]  there_i,
    input  logic [48:0] want_i,
    input  logic [6:0]  starved_i,
    output logic [6:0]  take_o,
    output logic [48:0] grant_o,
    // flits
    input  logic [6:0]  valid_i,
    input  logic [6:0]  tail_i,
    output logic [6:0]  pop_o,
    output logic [5:0]  done_o,
    // outputs
    input  logic [6:0]  open_i,
    output logic [6:0]  send_o,
    output logic [6:0]  first_o,
    output logic [6:0]  last_o,
    output logic [48:0] owner_o,
    output logic [6:0]  stall_o,
    // places beyond the links
    input  logic [5:0]  any_i,
    input  logic [5:0]  spare_i,
    input  logic [5:0]  two_i,
    output logic [5:0]  granted_o,
    output logic [5:0]  go_on_o
);
  logic [48:0] owner_q;
  logic [48:0] owner;
  assign owner = owner_q & TURNS;
  logic [6:0]  owned_q;  // outputs that have an owner
  logic [6:0]  under_way_q;  // inputs that are one
  logic [6:0]  fresh_q;  // outputs whose owner has sent nothing yet
  logic [48:0] winner_q;  // matrix: the input that got each output last

  // --- flits: what moves in this cycle
  logic [6:0]  called;  // inputs whose output is open
  logic [6:0]  pop;
  logic [6:0]  send;
  logic [6:0]  last;
  logic [6:0]  done;  // inputs that send a tail
  logic [48:0] ended;  // matrix rows of the outputs that do
  always_comb begin
    called = '0;
    send   = '0;
    last   = '0;
    ended  = '0;
    if (!mu_pkg::LOOKS_FIRST || (valid_i & under_way_q) != '0) begin
      for (int o = 0; o < 7; o++) begin
        if (!mu_pkg::LOOKS_FIRST || (owner[7*o+:7] & valid_i) != '0) begin
          called        = called | (owner[7*o+:7] & {7{open_i[o]}});
          send[o]       = open_i[o] && (owner[7*o+:7] & valid_i) != '0;
          last[o]       = open_i[o] && (owner[7*o+:7] & valid_i & tail_i) != '0;
          ended[7*o+:7] = {7{last[o]}};
        end
      end
    end
    pop  = called & valid_i;
    done = pop & tail_i;
  end

  // --- heads: who may have what
  // Which flits move is known late, so all else is worked out beside it: eligible and rivals come from
  // registers. A head wants one output, so one row of rivals for each input is enough.
  logic [6:0]  may_ask;  // inputs
  logic [6:0]  granted;
  logic [6:0]  eligible;  // of an output: heads that there is a place for
  logic [6:0]  fits;  // those of outputs that are free
  logic [6:0]  going_on;  // of a link output o: input o ^ 1, from which its ring goes on
  logic [6:0]  behind;  // of an output: inputs behind the last winner, which come first
  logic [48:0] rivals;  // row i: eligible inputs that come before input i at the output that it wants
  logic [48:0] renewed;  // matrix rows of the outputs that are granted
  always_comb begin
    may_ask  = '0;
    granted  = '0;
    eligible = '0;
    fits     = '0;
    going_on = '0;
    behind   = '0;
    rivals   = '0;
    renewed  = '0;
    if (!mu_pkg::LOOKS_FIRST || there_i != '0) begin
      may_ask = there_i & ~(under_way_q & ~done);
      for (int o = 0; o < 7; o++) begin
        if (!mu_pkg::LOOKS_FIRST || ((want_i[7*o+:7] & may_ask) != '0 && (!owned_q[o] || last[o]))) begin
          eligible = want_i[7*o+:7];
          if (o != 6) begin
            going_on = 7'b1 << (o ^ 1);
            eligible = eligible & ({7{two_i[o%6]}} | ({7{any_i[o%6]}} & going_on) |
                                   ({7{spare_i[o%6]}} & starved_i));
          end
          granted[o]      = (!owned_q[o] || last[o]) && (eligible & may_ask) != '0;
          renewed[7*o+:7] = {7{granted[o]}};
          fits            = fits | (eligible & {7{!owned_q[o]}}) | (eligible & {7{last[o]}});
          if (!mu_pkg::LOOKS_FIRST || (eligible & may_ask & ((eligible & may_ask) - 1'b1)) != '0) begin
            behind = {winner_q[7*o+:6] & TURNS[7*o+:6], 1'b0};
            behind = behind | behind << 1;
            behind = behind | behind << 2;
            behind = behind | behind << 4;
            for (int i = 0; i < 7; i++) begin
              rivals[7*i+:7] = rivals[7*i+:7] | ({7{want_i[7*o+i]}} & eligible &
                  (behind[i] ? behind & ((7'b1 << i) - 1'b1) : behind | ((7'b1 << i) - 1'b1)));
            end
          end
        end
      end
    end
  end

  logic [6:0]  passed_over;  // inputs that a rival comes before
  logic [6:0]  take;
  logic [48:0] grant;
  logic [5:0]  go_on;
  always_comb begin
    passed_over = '0;
    if (!mu_pkg::LOOKS_FIRST || rivals != '0) begin
      for (int i = 0; i < 7; i++) passed_over[i] = (rivals[7*i+:7] & may_ask) != '0;
    end
    take  = '0;
    grant = '0;
    go_on = '0;
    if (!mu_pkg::LOOKS_FIRST || granted != '0) begin
      take  = fits & may_ask & ~passed_over;
      grant = want_i & {7{take}};
      for (int o = 0; o < 6; o++) go_on[o] = grant[7*o+(o^1)];
    end
  end

  // --- heads that wait: they want the same in the next cycle
  logic [6:0] waited_q;  // inputs
  always_ff @(posedge clk_i) begin
    if (!rst_ni) waited_q <= '0;
    else if (!mu_pkg::LOOKS_FIRST || (may_ask | waited_q) != '0) waited_q <= may_ask & ~take;
  end
  always_comb begin
    stall_o = '0;
    if (!mu_pkg::LOOKS_FIRST || waited_q != '0) begin
      for (int o = 0; o < 7; o++) stall_o[o] = (want_i[7*o+:7] & waited_q) != '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      owner_q     <= '0;
      owned_q     <= '0;
      under_way_q <= '0;
      fresh_q     <= '0;
    end else if (!mu_pkg::LOOKS_FIRST || (send | granted) != '0) begin
      fresh_q <= (fresh_q & ~send) | granted;
      if (!mu_pkg::LOOKS_FIRST || (last | granted) != '0) begin
        owner_q     <= (owner_q & ~ended) | grant;
        owned_q     <= (owned_q & ~last) | granted;
        under_way_q <= (under_way_q & ~done) | take;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) winner_q <= '0;
    else if (!mu_pkg::LOOKS_FIRST || granted != '0) winner_q <= (winner_q & ~renewed) | grant;
  end

  assign take_o    = take;
  assign grant_o   = grant;
  assign granted_o = granted[5:0];
  assign go_on_o   = go_on;
  assign pop_o     = pop;
  assign done_o    = done[5:0];
  assign send_o    = send;
  assign first_o   = fresh_q;
  assign last_o    = last;
  assign owner_o   = owner;

  // Asserted only: functions, so that a run without assertions does not compute them.
  function automatic logic [6:0] misowned(input logic [48:0] rows, input logic [6:0] owned);
    misowned = '0;
    for (int o = 0; o < 7; o++)
      misowned[o] = !$onehot0(rows[7*o+:7]) || owned[o] != (rows[7*o+:7] != '0);
  endfunction
  // Outputs of which it is told that they are granted, and no input gets them, or the other way round.
  function automatic logic [6:0] ungiven(input logic [48:0] grants, input logic [6:0] outputs);
    ungiven = '0;
    for (int o = 0; o < 7; o++) ungiven[o] = outputs[o] != (grants[7*o+:7] != '0);
  endfunction
  // Grants to enter a ring that would take its reserved place.
  function automatic logic [5:0] bursting(input logic [48:0] grants, input logic [5:0] spare);
    bursting = '0;
    for (int o = 0; o < 6; o++) bursting[o] = (grants[7*o+:7] & ~(7'b1 << (o ^ 1))) != '0 && !spare[o];
  endfunction
  logic owners_change;  // with grants and tails only
  assign owners_change = (last | granted) != '0;
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      pops_only_flits : assert ((pop & ~(valid_i & under_way_q)) == '0);
      one_input_an_output : assert ($countones(send) == $countones(pop));
      one_output_an_input : assert ($countones(take) == $countones(grant));
      grants_as_they_are_told : assert (ungiven(grant, granted) == '0);
      grants_only_free_outputs : assert ((granted & owned_q & ~last) == '0);
      grants_only_with_credit : assert ((granted[5:0] & ~any_i) == '0);
      owners_are_under_way : assert (!owners_change || $countones(owner_q) == $countones(under_way_q));
      one_owner : assert (!owners_change || misowned(owner_q, owned_q) == '0);
      entering_leaves_a_place : assert (!owners_change || bursting(grant, spare_i) == '0);
    end
  end

`ifdef PROVE_MU_ROUTER_SWITCH
  // Heads are any that mu_router_heads can show; flits and credits are free.
  logic        past_q = 1'b0;
  logic [6:0]  there_q;
  logic [48:0] want_q;
  always_comb if (!past_q) assume (!rst_ni);
  always_ff @(posedge clk_i) begin
    past_q  <= 1'b1;
    there_q <= rst_ni ? there_i & ~take : '0;
    want_q  <= want_i;
    if (past_q && rst_ni) begin
      assume ((there_q & ~there_i) == '0);
      assume ((two_i & ~spare_i) == '0 && (spare_i & ~any_i) == '0);
    end
  end
  logic [6:0] strange;  // inputs whose wish no mu_router_heads would show
  logic [6:0] wish, old_wish, asking, goes_on;
  logic [6:0] refused;  // outputs that could have been granted, and were not
  always_comb begin
    strange = '0;
    refused = '0;
    for (int i = 0; i < 7; i++) begin
      for (int o = 0; o < 7; o++) begin
        wish[o]     = want_i[7*o+i];
        old_wish[o] = want_q[7*o+i];
      end
      strange[i] = (there_i[i] ? !$onehot(wish) : wish != '0) || (there_q[i] && wish != old_wish);
    end
    for (int o = 0; o < 7; o++) begin
      asking  = want_i[7*o+:7] & may_ask;
      goes_on = o == 6 ? '0 : 7'b1 << (o ^ 1);
      if ((!owned_q[o] || last[o]) && !granted[o]) begin
        refused[o] = o == 6 ? asking != '0 : (asking & ~goes_on) != '0 && two_i[o%6] ||
                     (asking & starved_i) != '0 && spare_i[o%6] ||
                     (asking & goes_on) != '0 && any_i[o%6];
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (past_q && rst_ni) begin
      assume (strange == '0);
      grants_when_it_can : assert (refused == '0);
    end
  end

`ifdef ROUND_ROBIN
  // Round robin, read by the proof mu_router_switch.in_turn alone. Of any output: behind its last winner, in
  // the order of the inputs and round to 0, no input that may have the output stands before the one that gets
  // it. So whoever may have it whenever it is granted is passed over by each of the six others once at most,
  // and packets of inputs that always have one leave in turn.
  (* anyconst *) logic [2:0] in_turn_output;
  logic       in_turn_past_q = 1'b0;
  logic [2:0] in_turn_winner_q;  // of that output, the last; behind a reset input 6, so that input 0 is next
  logic [6:0] in_turn_eligible, in_turn_granted;
  logic [6:0] in_turn_ahead, in_turn_won;  // both, bit 0 being the input behind the last winner
  always_comb begin
    if (!in_turn_past_q) assume (!rst_ni);
    assume (in_turn_output < 3'd7);
  end
  always_comb begin
    in_turn_eligible = '0;
    in_turn_granted  = '0;
    for (int o = 0; o < 7; o++) begin
      if (in_turn_output == 3'(o)) begin
        in_turn_eligible = want_i[7*o+:7] & may_ask;
        in_turn_granted  = grant[7*o+:7];
        // What the header promises: two places, or one for who goes on, or one to spare for who is starved.
        if (o != 6 && !two_i[o%6]) begin
          in_turn_eligible = in_turn_eligible & ((spare_i[o%6] ? starved_i : 7'b0) | 7'b1 << (o ^ 1));
        end
      end
    end
    in_turn_ahead = 7'({in_turn_eligible, in_turn_eligible} >> (4'(in_turn_winner_q) + 4'd1));
    in_turn_won   = 7'({in_turn_granted, in_turn_granted} >> (4'(in_turn_winner_q) + 4'd1));
  end
  always_ff @(posedge clk_i) begin
    in_turn_past_q <= 1'b1;
    if (!rst_ni) in_turn_winner_q <= 3'd6;
    else begin
      for (int i = 0; i < 7; i++) if (in_turn_granted[i]) in_turn_winner_q <= 3'(i);
    end
    if (in_turn_past_q && rst_ni && in_turn_granted != '0) begin
      in_turn_nobody_is_passed_over : assert (in_turn_won == (in_turn_ahead & (~in_turn_ahead + 1'b1)));
    end
  end
`endif
`endif
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_reflection_credits: which neighbour reflects, what each still owes us, and asking after long silence.
//
//   packetiser: ask, preferred ---> [ choice ] ---> direction, number, neighbour; take
//   reception:  credit return  ---> [ sent, returned, deadline a direction ] ---> query ---> packetiser
//   register bus (reflection) ----------^                              \---> credit_returned (queue engine)
//
// Behaviour: directions 0..5 are x+ x- y+ y- z+ z-, 6 is this node. Always 0 <= sent - returned <= slots in
//   each. The choice is the preferred direction, else the next of 0..5, cyclically, that has a neighbour and
//   a credit (preferred 7: any, in turn); this node only if preferred or if no neighbour has slots.
//   configured_o: some direction that could ever be chosen has slots. A return names the queue at the
//   reflector and a number: every reflection up to it is done; outside of [returned, sent) it is ignored.
//   Outstanding reflections without a return for timeout_cycles_i raise a query with the last number; again
//   after each timeout. One deadline a cycle is looked at, from the time of wake_at_o on, which is no later
//   than any of what is outstanding; it may be one that counts no more.
//   settles_o: what is free is being found, in the cycle behind a change of it.
// Latency: choice combinational; return to credit_returned_o 2 cycles, to the next choice 3; deadline to
//   query 2 to 8, and one more for each deadline that is set meanwhile; register access 1.
// Limits: take_i only with available_o and without query_valid_o and settles_o. Timeout 0: never asks. A
//   timeout is measured with the value at its start. Register: slots 0..255, other bits zero, else
//   REGISTER_VALUE.
// two-readers: hold:register_request_i[63:8]=0 hold:register_request_i[83:69]=0x1F80
// two-readers: hold:register_request_i[89:88]=2 hold:credit_return_queue_i[7:3]=0 seen=15 nightly
`default_nettype none

module mu_reflection_credits (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  mu_pkg::cycle_t             now_i,
    output logic                       busy_o,
    output mu_pkg::cycle_t             wake_at_o,
    input  logic [31:0]                timeout_cycles_i,
    // straps
    input  mu_pkg::node_straps_t       straps_i,
    // register bus
    input  logic                       register_valid_i,
    input  mu_pkg::register_request_t  register_request_i,
    output logic                       register_done_o,
    output mu_pkg::register_response_t register_response_o,
    // packetiser: a reflecting GET, or a query
    input  logic                       ask_i,
    input  logic [2:0]                 preferred_i,
    output logic                       settles_o,
    output logic                       available_o,
    output logic                       configured_o,
    output logic                       query_valid_o,
    output logic [2:0]                 direction_o,
    output logic [15:0]                number_o,
    output logic [11:0]                neighbour_o,  // z, y, x
    input  logic                       take_i,
    input  logic                       query_taken_i,
    // reception engine
    input  logic                       credit_return_valid_i,
    input  logic [7:0]                 credit_return_queue_i,
    input  logic [15:0]                credit_return_number_i,
    // queue engine
    output logic                       credit_returned_o
);
  localparam int unsigned DIRECTIONS = mu_pkg::REFLECTION_QUEUES;
  localparam int unsigned LOCAL = 6;
  localparam logic [2:0] NONE = 3'd7;  // no direction
  localparam int unsigned TIME = mu_pkg::TIME_BITS;
  localparam logic [TIME-1:0] NEVER = {TIME{1'b1}};  // Yosys 0.23 takes '1 here for 1

  logic [7:0]                   slots_q     [DIRECTIONS];
  // At most 255 apart, for no more than the slots are under way (asserted): 8 bits tell the difference.
  logic [15:0]                  sent_q[DIRECTIONS], returned_q[DIRECTIONS];
  logic [TIME-1:0]              deadline_q  [DIRECTIONS];
  logic [DIRECTIONS-1:0]        outstanding_q;
  logic [DIRECTIONS-1:0]        query_q;           // a query is due
  mu_pkg::cycle_t               earliest_q;        // of the deadlines that are set, and those looked at
  logic [2:0]                   look_q;            // the direction whose deadline is looked at next
  logic [2:0]                   rotate_q;          // where the search for any direction begins
  logic [DIRECTIONS-1:0]        usable_q, free_q;  // of the rows, unless settle_q
  logic                         settle_q;
  logic                         register_done_q;
  mu_pkg::register_response_t   register_response_q;
  logic                         credit_returned_q;

  // --- what is free, in the cycle behind a change
  logic [DIRECTIONS-1:0] exists, usable, free;  // neighbour there; and slots configured; and one free
  logic                  change_free;
  always_comb begin
    exists = '0;
    usable = '0;
    free   = '0;
`ifndef PROVE_MU_REFLECTION_CREDITS  // a saving in simulation
    if (settle_q)
`endif
    begin
      exists[0]     = straps_i.last_x != '0 && (straps_i.torus[0] || straps_i.x != straps_i.last_x);
      exists[1]     = straps_i.last_x != '0 && (straps_i.torus[0] || straps_i.x != '0);
      exists[2]     = straps_i.last_y != '0 && (straps_i.torus[1] || straps_i.y != straps_i.last_y);
      exists[3]     = straps_i.last_y != '0 && (straps_i.torus[1] || straps_i.y != '0);
      exists[4]     = straps_i.last_z != '0 && (straps_i.torus[2] || straps_i.z != straps_i.last_z);
      exists[5]     = straps_i.last_z != '0 && (straps_i.torus[2] || straps_i.z != '0);
      exists[LOCAL] = 1'b1;
      for (int unsigned d = 0; d < DIRECTIONS; d++) begin
        usable[d] = exists[d] && slots_q[d] != '0;
        free[d]   = usable[d] && sent_q[d][7:0] - returned_q[d][7:0] < slots_q[d];
      end
    end
  end
  always_ff @(posedge clk_i) begin
    settle_q <= !rst_ni || change_free;
    if (settle_q) {usable_q, free_q} <= {usable, free};
  end
  assign settles_o = settle_q;

  // --- choice
  logic [     LOCAL-1:0] from, ahead, choice;  // directions from the first to be tried on; free ones
  logic [DIRECTIONS-1:0] candidates;
  logic                  takes_local;
  logic [          15:0] sent, next_sent;  // number of the next reflection there
  always_comb begin
    from         = '0;
    ahead        = '0;
    choice       = '0;
    candidates   = query_q;
    takes_local  = 1'b0;
    available_o  = 1'b0;
    configured_o = 1'b0;
    direction_o  = '0;
    if (ask_i && !query_valid_o) begin
      from         = {LOCAL{1'b1}} << (32'(preferred_i) < LOCAL ? preferred_i : rotate_q);
      ahead        = free_q[LOCAL-1:0] & from;
      choice       = ahead != '0 ? ahead : free_q[LOCAL-1:0];
      takes_local  = free_q[LOCAL] && (32'(preferred_i) == LOCAL || usable_q[LOCAL-1:0] == '0);
      candidates   = takes_local ? DIRECTIONS'(1) << LOCAL : DIRECTIONS'(choice);
      configured_o = usable_q != '0;
      available_o  = candidates != '0;
    end
    for (int unsigned d = DIRECTIONS; d > 0; d--) if (candidates[d-1]) direction_o = 3'(d - 1);
  end
  assign query_valid_o = query_q != '0;
  assign sent          = sent_q[direction_o];
  assign next_sent     = sent + 16'd1;
  assign number_o      = query_valid_o ? sent - 16'd1 : sent;

  always_comb begin
    neighbour_o = '0;
    if (query_valid_o || ask_i) begin
      neighbour_o = {straps_i.z, straps_i.y, straps_i.x};
      unique case (direction_o)
        3'd0: neighbour_o[3:0] = straps_i.x == straps_i.last_x ? '0 : straps_i.x + 1'b1;
        3'd1: neighbour_o[3:0] = straps_i.x == '0 ? straps_i.last_x : straps_i.x - 1'b1;
        3'd2: neighbour_o[7:4] = straps_i.y == straps_i.last_y ? '0 : straps_i.y + 1'b1;
        3'd3: neighbour_o[7:4] = straps_i.y == '0 ? straps_i.last_y : straps_i.y - 1'b1;
        3'd4: neighbour_o[11:8] = straps_i.z == straps_i.last_z ? '0 : straps_i.z + 1'b1;
        3'd5: neighbour_o[11:8] = straps_i.z == '0 ? straps_i.last_z : straps_i.z - 1'b1;
        default: ;
      endcase
    end
  end

  // --- registers
  logic                       access, write, write_credit;
  logic [                7:0] register_index;
  logic [                2:0] register_direction;
  mu_pkg::status_e            register_status;
  logic [               63:0] register_data;
  mu_pkg::reflection_credit_t old_credit, new_credit;
  assign access              = register_valid_i && !register_done_q;
  assign register_direction  = register_index[2:0];
  assign write               = write_credit && new_credit.sent == '0 && new_credit.returned == '0;
  assign old_credit.slots    = slots_q[register_direction];
  assign old_credit.sent     = sent_q[register_direction];
  assign old_credit.returned = returned_q[register_direction];
  mu_reflection_decode u_decode (
      .valid_i       (access),
      .request_i     (register_request_i),
      .index_o       (register_index),
      .status_o      (register_status),
      .data_o        (register_data),
      .credit_i      (old_credit),
      .write_credit_o(write_credit),
      .credit_o      (new_credit)
  );
  assign register_done_o     = register_done_q;
  assign register_response_o = register_response_q;

  // --- returns: whether one is of what was sent and has not come back is found in one cycle, what that
  // changes in the next
  logic        return_q, all_returned;  // one counts in this cycle
  logic [ 2:0] return_direction, return_direction_q;
  logic [15:0] return_next_q, known;    // the number behind the last that came back
  logic        return_counts;
  always_comb begin
    return_direction = '0;
    return_counts    = 1'b0;
    known            = '0;
    if (credit_return_valid_i) begin
      return_direction = credit_return_queue_i[2:0] == 3'(LOCAL) ? 3'(LOCAL) :
          credit_return_queue_i[2:0] ^ 3'd1;
      known         = return_q && return_direction_q == return_direction ? return_next_q :
          returned_q[return_direction];
      return_counts = 32'(credit_return_queue_i) < DIRECTIONS && credit_return_number_i - known <
          {8'b0, sent_q[return_direction][7:0] - known[7:0]};
    end
  end
  always_ff @(posedge clk_i) begin
    return_q <= rst_ni && return_counts && !(write && register_direction == return_direction);
    if (return_counts) begin
      return_direction_q <= return_direction;
      return_next_q      <= credit_return_number_i + 16'd1;
    end
  end
  // A number that counts is within 255 of the last that was sent.
  assign all_returned = return_next_q[7:0] == sent_q[return_direction_q][7:0] &&
      !(take_i && direction_o == return_direction_q);

  // --- state: what happens to each direction in this cycle
  logic [DIRECTIONS-1:0] taken, queried, returned, written;
  logic                  change;
  assign change       = write || return_q || take_i || query_taken_i || outstanding_q != '0;
  assign change_free  = write || return_q || take_i;
  assign taken        = DIRECTIONS'(take_i) << direction_o;
  assign queried      = DIRECTIONS'(query_taken_i) << direction_o;
  assign returned     = DIRECTIONS'(return_q) << return_direction_q;
  assign written      = DIRECTIONS'(write) << register_direction;

  // --- deadlines: those of all directions that are set in a cycle are the same. The time is looked at in
  // clocked processes alone: simulators would follow it in every cycle.
  logic [DIRECTIONS-1:0] sets;
  logic                  looks;
  always_comb begin
    sets  = '0;
    looks = 1'b0;
    if (change) begin
      sets  = queried | returned | ((taken | written) & ~outstanding_q);
      looks = look_q != NONE && sets == '0;
    end
  end
  function automatic logic [TIME-1:0] deadline_at(input logic [TIME-1:0] now, input logic [31:0] cycles);
    deadline_at = cycles == '0 ? NEVER : now + TIME'(cycles);
  endfunction
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      earliest_q <= NEVER;
      look_q     <= NONE;
    end else if (look_q == NONE && outstanding_q != '0 && now_i >= earliest_q) begin
      earliest_q <= NEVER;  // until what is outstanding has been looked at
      look_q     <= '0;
    end else if (change || look_q != NONE) begin
      if (sets != '0) begin
        if (outstanding_q == '0 || deadline_at(now_i, timeout_cycles_i) < earliest_q)
          earliest_q <= deadline_at(now_i, timeout_cycles_i);
      end else if (looks && outstanding_q[look_q] && now_i < deadline_q[look_q] &&
                   deadline_q[look_q] < earliest_q)
        earliest_q <= deadline_q[look_q];
      if (outstanding_q == '0) look_q <= NONE;
      else if (looks) look_q <= look_q + 3'd1;  // behind the last there is none
    end
  end

  // One place that writes each row: simulators pay for every place, whether it is reached or not.
  always_ff @(posedge clk_i) begin
    if (!rst_ni || change) begin
      for (int unsigned d = 0; d < DIRECTIONS; d++) begin
        if (!rst_ni || taken[d] || queried[d] || returned[d] || written[d]) begin
          slots_q[d]    <= !rst_ni ? '0 : written[d] ? new_credit.slots : slots_q[d];
          sent_q[d]     <= !rst_ni || written[d] ? '0 : taken[d] ? next_sent : sent_q[d];
          returned_q[d] <= !rst_ni || written[d] ? '0 : returned[d] ? return_next_q :
              returned_q[d];
          if (sets[d]) deadline_q[d] <= deadline_at(now_i, timeout_cycles_i);
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      outstanding_q <= '0;
      query_q       <= '0;
      rotate_q      <= '0;
    end else if (change) begin
      outstanding_q <= (outstanding_q | taken) & ~(all_returned ? returned : '0) & ~written;
      query_q       <= (query_q | (looks && now_i >= deadline_q[look_q] ?
          outstanding_q & (DIRECTIONS'(1) << look_q) : '0)) & ~(queried | returned | written);
      if (take_i && 32'(direction_o) < LOCAL)
        rotate_q <= 32'(direction_o) == LOCAL - 1 ? '0 : direction_o + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      credit_returned_q   <= 1'b0;
      register_done_q     <= 1'b0;
      register_response_q <= '0;
    end else begin
      credit_returned_q <= return_q || write;
      register_done_q   <= access;
      if (access) begin
        register_response_q.status <=
            write_credit && !write ? mu_pkg::STATUS_REGISTER_VALUE : register_status;
        register_response_q.data   <= register_data;
      end else if (register_done_q) register_response_q <= '0;
    end
  end
  assign credit_returned_o = credit_returned_q;

  assign wake_at_o = outstanding_q == '0 ? NEVER : earliest_q;
  logic unused;
  assign unused = ^register_index;

  assign busy_o = return_q || settle_q || query_valid_o || look_q != NONE || credit_returned_q ||
      register_done_q;

  // Invariants, a bit a direction.
  logic [DIRECTIONS-1:0] too_many, wrong;
  always_comb begin
    too_many = '0;
    wrong    = '0;
`ifndef PROVE_MU_REFLECTION_CREDITS  // a saving in simulation
    if (outstanding_q != '0)
`endif
    begin
      for (int unsigned d = 0; d < DIRECTIONS; d++) begin
        too_many[d] = sent_q[d] - returned_q[d] > 16'(slots_q[d]);
        wrong[d]    = outstanding_q[d] != (sent_q[d] != returned_q[d]);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
`ifndef PROVE_MU_REFLECTION_CREDITS
      takes_only_what_is_available : assert (!take_i || (available_o && !query_valid_o && !settle_q));
      answers_only_a_query : assert (!query_taken_i || query_valid_o);
`endif
      never_more_than_slots : assert (too_many == '0);
      outstanding_says_so : assert (wrong == '0);
      if (return_q) returns_what_is_owed :
      assert (32'(return_direction_q) < DIRECTIONS &&
              16'(return_next_q - 16'd1 - returned_q[return_direction_q]) <
              16'(sent_q[return_direction_q] - returned_q[return_direction_q]));
      asks_only_for_outstanding : assert ((query_q & ~outstanding_q) == '0);
    end
  end

`ifdef PROVE_MU_REFLECTION_CREDITS
  // What is proved of mu_reflection_credits: a get takes a credit that is there, in any direction; that of
  // the direction it prefers if it can, shown of +x and this node, and never that of a neighbour in +x that
  // does not exist; a node that is not busy wakes no later than any deadline of what is outstanding, and asks
  // if that has passed. What a direction owes is proved of one direction, which may be any, in proofs of its
  // own: of all seven at once it takes the solver hours.
`ifdef ONE_DIRECTION
  (* anyconst *) logic [2:0] chosen;
  logic [15:0] owed, left;  // of that direction: now, and once a return that counts in this cycle has
  assign owed = sent_q[chosen] - returned_q[chosen];
  assign left = sent_q[chosen] - (return_q &&
      return_direction_q == chosen ? return_next_q : returned_q[chosen]);
`endif
  logic past_q = 1'b0;
  mu_pkg::node_straps_t straps_q;  // they stand still out of reset
  always_ff @(posedge clk_i) {past_q, straps_q} <= {1'b1, straps_i};
  always_comb if (!past_q) assume (!rst_ni);
  always_comb begin
    assume (!take_i || (available_o && !query_valid_o && !settles_o));
    assume (!query_taken_i || query_valid_o);
    assume (straps_i.x <= straps_i.last_x);
    assume (!past_q || !rst_ni || straps_i == straps_q);
    if (past_q && rst_ni) begin
      if (!settle_q) chooses_by_what_is_free : assert ({usable_q, free_q} == {usable, free});
      chooses_where_there_is_a_credit : assert (!take_i || free[direction_o]);
      // With one neighbour in +x that has a credit, a get that prefers it gets it.
      if (ask_i && !settles_o && !query_valid_o && preferred_i == 3'd0 && straps_i.last_x != '0 &&
          straps_i.torus[0] &&
          sent_q[0] - returned_q[0] < 16'(slots_q[0]))
        chooses_what_is_preferred : assert (available_o && direction_o == 3'd0);
      if (ask_i && !settles_o && !query_valid_o && preferred_i == 3'd6 &&
          sent_q[6] - returned_q[6] < 16'(slots_q[6]))
        chooses_this_node_if_preferred : assert (available_o && direction_o == 3'd6);
      // A neighbour that does not exist is never chosen.
      if (available_o && !settles_o && direction_o == 3'd0)
        chooses_a_neighbour_that_exists : assert (straps_i.last_x != '0 && (straps_i.torus[0] ||
            straps_i.x != straps_i.last_x));
      if (ask_i && !settles_o && !query_valid_o &&
          available_o) chooses_only_if_configured : assert (configured_o);
`ifdef ONE_DIRECTION
      if (32'(chosen) < DIRECTIONS) begin
        owes_no_more_than_its_slots : assert (owed <= 16'(slots_q[chosen]));
        owes_less_once_it_returns : assert (return_q &&
            return_direction_q == chosen ? left < owed : left == owed);
        owes_while_outstanding : assert (outstanding_q[chosen] == (owed != '0));
        owes_while_it_asks : assert (!query_q[chosen] || outstanding_q[chosen]);
        owes_less_than_its_slots_if_free : assert (!free[chosen] || owed < 16'(slots_q[chosen]));
        owes_as_was_seen : assert (settle_q || free_q[chosen] == free[chosen]);
      end
      if (32'(chosen) < DIRECTIONS && outstanding_q[chosen]) begin
        if (!busy_o) wakes_at_the_earliest : assert (wake_at_o <= deadline_q[chosen]);
        // What that rests on: it has not been looked at yet, or has.
        wakes_unless_looked_at_or_asked_for :
        assert ((look_q != NONE && look_q <= chosen) || query_q[chosen] || earliest_q <= deadline_q[chosen]);
      end
`endif
    end
  end
`endif
endmodule
`default_nettype wire

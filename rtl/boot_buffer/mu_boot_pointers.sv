// SPDX-License-Identifier: Apache-2.0
// mu_boot_pointers: for each client: which reception FIFO its boot buffer is open for, what it holds.
//
//   lookup, switch (from the FIFO table) ---> [ open, FIFO, head, tail, refused ] ---> room_o, slot_o
//   publish (valid/ready/client, slots) ----> [ one row changed a cycle         ] ---> elsewhere_o
//   drain (valid/ready/client, slots) ------> [                                 ] ---> draining_o, drain_*_o
//   access (valid/ready/client) ------------> [                                 ] ---> access_*_o
//
// Behaviour: room_o says in a lookup whether lookup_slots_i slots are free and nothing has been refused
//   since the buffer was opened; refuse_i counts a packet that was refused, and from then on all are. A
//   switch with opens_i opens the client's buffer for the FIFO, empty; every other buffer that is open for
//   that FIFO is closed. If the switch drains_i, and the FIFO stays that of the client, what its buffer
//   holds is to be moved into the FIFO (draining_o); any other switch of the FIFO, and an opening, ends that.
//   A publish moves the tail. A drain moves the head by drain_slots_i and says where it is then and whether
//   anything is left; if not, the buffer drains no more. An access shows the row.
// Latency: combinational answers; what is changed counts from the next cycle on. Lookups and switches go
//   first, then publishes, then drains, then accesses.
// Limits: a lookup or a switch, not both, of a client that exists; a lookup only for the FIFO that the buffer
//   is open for; a publish of slots for which a lookup has found room, and no other lookup in between; a
//   drain of a client that drains, while no packet is on its way to it, of slots that it holds.
// two-readers: below:table_client_i=mu_pkg::CLIENTS below:publish_client_i=mu_pkg::CLIENTS
// two-readers: below:access_client_i=mu_pkg::CLIENTS below:drain_client_i=mu_pkg::CLIENTS seen=10
`default_nettype none

module mu_boot_pointers #(
    parameter  int unsigned CLIENTS    = mu_pkg::CLIENTS,
    parameter  int unsigned SLOTS      = mu_pkg::BOOT_SLOTS,
    parameter  int unsigned INDEX_BITS = 32,
    localparam int unsigned SLOT_BITS  = $clog2(SLOTS)
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    // reception FIFO table: a packet for a FIFO with config.boot, or a config that is written
    input  logic                       lookup_i,
    input  logic                       switch_i,
    input  logic                       opens_i,
    input  logic                       drains_i,
    input  logic [3:0]                 table_client_i,
    input  logic [7:0]                 table_fifo_i,
    input  logic [7:0]                 lookup_slots_i,
    input  logic                       refuse_i,
    output logic                       room_o,
    output logic [SLOT_BITS-1:0]       slot_o,  // the first free one
    output logic                       elsewhere_o,  // the client's buffer is open for another FIFO
    // store
    input  logic                       publish_valid_i,
    output logic                       publish_ready_o,
    input  logic [3:0]                 publish_client_i,
    input  logic [7:0]                 publish_slots_i,
    // drain
    output logic [CLIENTS-1:0]         draining_o,
    input  logic                       drain_valid_i,
    output logic                       drain_ready_o,
    input  logic [3:0]                 drain_client_i,
    input  logic [7:0]                 drain_slots_i,
    output logic [SLOT_BITS-1:0]       drain_slot_o,  // the first one that is left
    output logic                       drain_left_o,
    // register access
    input  logic                       access_valid_i,
    output logic                       access_ready_o,
    input  logic [3:0]                 access_client_i,
    output logic                       access_open_o,
    output logic [INDEX_BITS-1:0]      access_head_o,
    output logic [INDEX_BITS-1:0]      access_tail_o,
    output logic [INDEX_BITS-1:0]      access_refused_o
);
  localparam int unsigned CLIENT_BITS = CLIENTS > 1 ? $clog2(CLIENTS) : 1;
  localparam int unsigned ROW_BITS    = 3 * INDEX_BITS + 1;
  if (CLIENTS < 1 || CLIENTS > 16) $error("mu_boot_pointers: CLIENTS must be 1 to 16");
  if (SLOTS < 2 || SLOTS > 256 || 1 << SLOT_BITS != SLOTS)
    $error("mu_boot_pointers: SLOTS must be 2^n, 2 to 256");
  if (INDEX_BITS <= SLOT_BITS) $error("mu_boot_pointers: INDEX_BITS must count more than SLOTS");

  logic [CLIENTS-1:0]     open_q;
  logic [7:0]             fifo_q[CLIENTS];
  logic [CLIENTS-1:0]     opened_q;         // at some time since reset; else the row is zero
  logic [ROW_BITS-1:0]    rows[CLIENTS];    // refusing, refused, tail, head
  logic [CLIENT_BITS-1:0] table_client;
  logic [CLIENT_BITS-1:0] drain_client;
  logic [CLIENT_BITS-1:0] index;
  logic                   any;              // a row is looked at
  logic                   drains;
  logic                   refusing;
  logic [INDEX_BITS-1:0]  refused;
  logic [INDEX_BITS-1:0]  tail;
  logic [INDEX_BITS-1:0]  head;
  logic [INDEX_BITS-1:0]  head_after;       // of a drain
  logic [SLOT_BITS:0]     used;
  logic                   write_row;
  logic [ROW_BITS-1:0]    new_row;
  logic                   unused_bits;

  assign publish_ready_o = !lookup_i && !switch_i;
  assign drain_ready_o   = publish_ready_o && !publish_valid_i;
  assign access_ready_o  = drain_ready_o && !drain_valid_i;
  assign drains          = drain_valid_i && drain_ready_o;
  assign table_client    = table_client_i[CLIENT_BITS-1:0];
  assign drain_client    = drain_client_i[CLIENT_BITS-1:0];
  assign any             = lookup_i || switch_i || publish_valid_i || drain_valid_i || access_valid_i;
  assign elsewhere_o     = open_q[table_client] && fifo_q[table_client] != table_fifo_i;
  assign unused_bits     = ^{table_client_i, publish_client_i, drain_client_i, access_client_i};

  // --- the row, and what it says ---------------------------------------------------------------------
  always_comb begin
    index = '0;
    {refusing, refused, tail, head} = '0;
    if (any) begin
      if (lookup_i || switch_i) index = table_client;
      else if (publish_valid_i) index = publish_client_i[CLIENT_BITS-1:0];
      else if (drain_valid_i) index = drain_client;
      else index = access_client_i[CLIENT_BITS-1:0];
      if (opened_q[index]) {refusing, refused, tail, head} = rows[index];
    end
  end
  assign used             = tail[SLOT_BITS:0] - head[SLOT_BITS:0];
  assign head_after       = head + INDEX_BITS'(drain_slots_i);
  assign room_o           = lookup_i && !refusing && 10'(used) + 10'(lookup_slots_i) <= 10'(SLOTS);
  assign slot_o           = tail[SLOT_BITS-1:0];
  assign drain_slot_o     = head_after[SLOT_BITS-1:0];
  assign drain_left_o     = head_after[SLOT_BITS:0] != tail[SLOT_BITS:0];  // no further apart than SLOTS
  assign access_open_o    = open_q[index];
  assign access_head_o    = head;
  assign access_tail_o    = tail;
  assign access_refused_o = refused;

  // --- what becomes of it ----------------------------------------------------------------------------
  always_comb begin
    write_row = 1'b0;
    new_row   = '0;
    if (any) begin
      new_row = {refusing, refused, tail, head};
      if (lookup_i) begin
        write_row = refuse_i;
        new_row   = {1'b1, refused + INDEX_BITS'(refused != '1), tail, head};
      end else if (switch_i) begin
        write_row = opens_i;
        new_row   = '0;
      end else if (publish_valid_i) begin
        write_row = 1'b1;
        new_row   = {refusing, refused, tail + INDEX_BITS'(publish_slots_i), head};
      end else if (drain_valid_i) begin
        write_row = 1'b1;
        new_row   = {refusing, refused, tail, head_after};
      end
    end
  end
  always_ff @(posedge clk_i) if (write_row) rows[index] <= new_row;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      open_q     <= '0;
      opened_q   <= '0;
      draining_o <= '0;
    end else if (switch_i) begin
      for (int unsigned i = 0; i < CLIENTS; i++) begin
        if (opens_i && CLIENT_BITS'(i) == table_client) begin
          open_q[i]     <= 1'b1;
          opened_q[i]   <= 1'b1;
          draining_o[i] <= 1'b0;
        end else if (fifo_q[i] == table_fifo_i) begin
          open_q[i]     <= 1'b0;
          draining_o[i] <= (open_q[i] || draining_o[i]) && drains_i && CLIENT_BITS'(i) == table_client;
        end
      end
    end else if (drains && !drain_left_o) draining_o[drain_client] <= 1'b0;
  end
  always_ff @(posedge clk_i) if (switch_i && opens_i) fifo_q[table_client] <= table_fifo_i;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      one_operation_of_the_table : assert (!(lookup_i && switch_i));
      of_a_client_that_exists : assert (!(lookup_i || switch_i) || 32'(table_client_i) < CLIENTS);
      looks_up_what_is_open : assert (!lookup_i || (open_q[table_client] && !elsewhere_o));
      refuses_only_a_packet : assert (!refuse_i || lookup_i);
      takes_the_buffer_of_no_other : assert (!(switch_i && opens_i) || !elsewhere_o);
      opens_or_drains : assert (!(switch_i && opens_i && drains_i));
      drains_what_is_to_be_drained : assert (!drains || draining_o[drain_client]);
      drains_what_it_holds : assert (!drains || 10'(drain_slots_i) <= 10'(used));
      publishes_what_was_free :
      assert (!(publish_valid_i && publish_ready_o) || 10'(used) + 10'(publish_slots_i) <= 10'(SLOTS));
    end
  end

`ifdef PROVE_MU_BOOT_POINTERS
  // One client, any of them, and one packet at a time that was promised room.
  (* anyconst *) logic [CLIENT_BITS-1:0] chosen;
  (* anyseq *) logic taken;        // the packet that is looked up is for the buffer
  logic        past_q = 1'b0;
  logic        promised_q;         // a packet is on its way
  logic [3:0]  promised_client_q;
  logic [7:0]  promised_slots_q;
  logic        full_q;             // chosen has refused one since it was opened
  logic        drained_q;          // the drain of the last cycle has left nothing
  logic [CLIENT_BITS-1:0] drained_client_q;
  logic [INDEX_BITS-1:0] chosen_tail, chosen_head, chosen_used, promised_tail, promised_head, promised_used;
  logic        of_chosen;
  logic [CLIENT_BITS-1:0] promised;
  assign promised                       = promised_client_q[CLIENT_BITS-1:0];
  assign {chosen_tail, chosen_head}     = opened_q[chosen] ? rows[chosen][2*INDEX_BITS-1:0] : '0;
  assign {promised_tail, promised_head} = opened_q[promised] ? rows[promised][2*INDEX_BITS-1:0] : '0;
  assign chosen_used   = chosen_tail - chosen_head;
  assign promised_used = promised_tail - promised_head;
  assign of_chosen     = table_client == chosen;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (32'(chosen) < CLIENTS && 32'(table_client_i) < CLIENTS && 32'(access_client_i) < CLIENTS);
    assume (32'(drain_client_i) < CLIENTS);
    assume (!(lookup_i && (switch_i || promised_q)) && (!refuse_i || lookup_i));
    assume (!refuse_i || !room_o);
    assume (lookup_slots_i != '0);
    assume (!taken || (lookup_i && room_o));
    assume (!(switch_i && opens_i) || !elsewhere_o);
    assume (!lookup_i || (open_q[table_client] && !elsewhere_o));
    assume (publish_valid_i == 1'b0 ||
            (promised_q && publish_client_i == promised_client_q && publish_slots_i == promised_slots_q));
    assume (!(switch_i && opens_i && drains_i));
    assume (!drain_valid_i || (draining_o[drain_client] && !promised_q && !lookup_i && !publish_valid_i));
    assume (!drains || 10'(drain_slots_i) <= 10'(used));
  end
  logic [CLIENTS-1:0] overfull;
  always_comb begin
    for (int unsigned i = 0; i < CLIENTS; i++)
      overfull[i] = opened_q[i] &&
          rows[i][INDEX_BITS+:INDEX_BITS] - rows[i][0+:INDEX_BITS] > INDEX_BITS'(SLOTS);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) begin
      promised_q <= 1'b0;
      full_q     <= 1'b0;
      drained_q  <= 1'b0;
    end else begin
      drained_q        <= drains && !drain_left_o;
      drained_client_q <= drain_client;
      if (taken) begin
        promised_q        <= 1'b1;
        promised_client_q <= table_client_i;
        promised_slots_q  <= lookup_slots_i;
      end else if (publish_valid_i && publish_ready_o) promised_q <= 1'b0;
      else if (switch_i && opens_i && table_client_i == promised_client_q) promised_q <= 1'b0;
      if (switch_i && opens_i && of_chosen) full_q <= 1'b0;
      else if (lookup_i && refuse_i && of_chosen) full_q <= 1'b1;
    end
  end
  always_comb begin
    if (past_q && rst_ni) begin
      never_more_than_the_buffer : assert (overfull == '0);
      if (promised_q) begin
        promised_to_a_client : assert (32'(promised_client_q) < CLIENTS);
        promised_room_stays : assert (32'(promised_used) + 32'(promised_slots_q) <= 32'(SLOTS));
      end
      refused_stays_refused : assert ((opened_q[chosen] && rows[chosen][ROW_BITS-1]) == full_q);
      open_means_opened : assert (!open_q[chosen] || opened_q[chosen]);
      if (lookup_i && of_chosen)
        room_exactly_if_it_fits_and_none_was_refused :
        assert (room_o == (!full_q && 32'(chosen_used) + 32'(lookup_slots_i) <= 32'(SLOTS)));
      drains_when_closed : assert ((open_q & draining_o) == '0);
      drains_what_was_opened : assert (!draining_o[chosen] || opened_q[chosen]);
      if (drains && drain_client == chosen) begin
        says_what_is_left : assert (drain_left_o == (chosen_used != INDEX_BITS'(drain_slots_i)));
        says_where_it_is :
        assert (drain_slot_o == SLOT_BITS'(chosen_head + INDEX_BITS'(drain_slots_i)));
      end
      if (drained_q) drains_no_more_when_nothing_is_left : assert (!draining_o[drained_client_q]);
      if (access_valid_i && access_ready_o && access_client_i[CLIENT_BITS-1:0] == chosen)
        shows_the_row : assert (access_head_o == chosen_head && access_tail_o == chosen_tail);
    end
  end
`endif
endmodule
`default_nettype wire

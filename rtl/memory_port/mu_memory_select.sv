// SPDX-License-Identifier: Apache-2.0
// mu_memory_select: node memory or the unit's own, by the address of each burst.
//
//   ar, aw, w ---> [ by address ] ---> node memory           node memory ---> [ first ] ---> r
//                        |------------> unit's memory        unit's memory ------^
//                        +--> [ order of the writes ] ---------------------------------------> b
//
// Behaviour: the unit's memory lies at the end of the address space, as many bytes as it has. A burst goes to
//   the memory that its address names; the beats of a write follow it, and responses of writes come back in
//   the order of their addresses. A read waits while data of its ID is still to come from the other memory,
//   so data of an ID comes in order too. Node memory is never made to wait with read data.
// Latency: none; a write to the unit's memory may wait for the response of one to node memory.
// Limits: bursts do not cross 4 KiB (AXI4 says so of all). WRITES writes at most are under way; a further one
//   waits. The first beat of a write comes at least a cycle after its address.
`default_nettype none

module mu_memory_select #(
    parameter int unsigned WRITES = 16  // a power of two
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    // memory port
    input  mu_pkg::axi_request_t  request_i,
    output mu_pkg::axi_response_t response_o,
    // node memory
    output mu_pkg::axi_request_t  node_request_o,
    input  mu_pkg::axi_response_t node_response_i,
    // the unit's memory: addresses count from its beginning
    output mu_pkg::axi_request_t  unit_request_o,
    input  mu_pkg::axi_response_t unit_response_i
);
  localparam int unsigned UNIT_BITS = 3 + $clog2(mu_pkg::UNIT_MEMORY_WORDS);
  localparam int unsigned READERS = 3;  // IDs of reads
  localparam int unsigned PLACE_WIDTH = $clog2(WRITES);

  if (WRITES != 1 << PLACE_WIDTH) $error("mu_memory_select: WRITES must be a power of two");

  // --- reads: for each ID how many bursts are to come, and from where ---
  logic [3:0]         reads_q[READERS];
  logic [READERS-1:0] of_unit_q;
  logic               read_of_unit, read_may, read_taken, read_ends;
  logic               read_due, read_over;  // checked below: data is to come, and of not too many bursts

  assign read_of_unit = &request_i.araddr[mu_pkg::ADDRESS_BITS-1:UNIT_BITS];
  assign read_taken   = request_i.arvalid && response_o.arready;
  assign read_ends    = response_o.rvalid && request_i.rready && response_o.rlast;
  always_comb begin
    read_may  = 1'b0;
    read_due  = 1'b0;
    read_over = 1'b0;
    for (int unsigned i = 0; i < READERS; i++) begin
      if (request_i.arid == 2'(i)) read_may = reads_q[i] == '0 || of_unit_q[i] == read_of_unit;
      if (response_o.rid == 2'(i)) read_due = reads_q[i] != '0;
      if (reads_q[i] > 4'd8) read_over = 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < READERS; i++) begin
      if (!rst_ni) reads_q[i] <= '0;
      else
        reads_q[i] <= reads_q[i] + 4'(read_taken && request_i.arid == 2'(i)) -
            4'(read_ends && response_o.rid == 2'(i));
      if (read_taken && request_i.arid == 2'(i)) of_unit_q[i] <= read_of_unit;
    end
  end

  // --- writes: where those went whose beats or responses are still to come, in order ---
  logic [WRITES-1:0]    to_unit_q;
  logic [PLACE_WIDTH:0] next_q;      // of the address that comes next
  logic [PLACE_WIDTH:0] beats_q;     // of the burst whose beats come
  logic [PLACE_WIDTH:0] response_q;  // of the burst whose response comes
  logic                 offered_q;   // the address has its place, and waits to be taken
  logic                 write_to_unit, write_may, placed;
  logic                 beats_due, beats_to_unit, response_due, response_of_unit;
  logic [PLACE_WIDTH:0] writes, without_beats;  // under way

  assign write_to_unit    = &request_i.awaddr[mu_pkg::ADDRESS_BITS-1:UNIT_BITS];
  assign writes           = next_q - response_q;
  assign without_beats    = next_q - beats_q;
  assign write_may        = offered_q || 32'(writes) != WRITES;
  assign placed           = request_i.awvalid && write_may && !offered_q;
  assign beats_due        = beats_q != next_q;
  assign beats_to_unit    = to_unit_q[beats_q[PLACE_WIDTH-1:0]];
  assign response_due     = response_q != next_q;
  assign response_of_unit = to_unit_q[response_q[PLACE_WIDTH-1:0]];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      next_q     <= '0;
      beats_q    <= '0;
      response_q <= '0;
      offered_q  <= 1'b0;
    end else begin
      offered_q <= request_i.awvalid && write_may && !response_o.awready;
      if (placed) next_q <= next_q + 1'b1;
      if (request_i.wvalid && response_o.wready && request_i.wlast) beats_q <= beats_q + 1'b1;
      if (response_o.bvalid && request_i.bready) response_q <= response_q + 1'b1;
    end
    if (placed) to_unit_q[next_q[PLACE_WIDTH-1:0]] <= write_to_unit;
  end

  // --- to the memories ---
  always_comb begin
    node_request_o         = request_i;
    node_request_o.arvalid = request_i.arvalid && read_may && !read_of_unit;
    node_request_o.awvalid = request_i.awvalid && write_may && !write_to_unit;
    node_request_o.wvalid  = request_i.wvalid && beats_due && !beats_to_unit;
    node_request_o.bready  = request_i.bready && response_due && !response_of_unit;
  end
  always_comb begin
    unit_request_o         = request_i;
    unit_request_o.araddr  = 40'(request_i.araddr[UNIT_BITS-1:0]);
    unit_request_o.awaddr  = 40'(request_i.awaddr[UNIT_BITS-1:0]);
    unit_request_o.arvalid = request_i.arvalid && read_may && read_of_unit;
    unit_request_o.awvalid = request_i.awvalid && write_may && write_to_unit;
    unit_request_o.wvalid  = request_i.wvalid && beats_due && beats_to_unit;
    unit_request_o.bready  = request_i.bready && response_due && response_of_unit;
    unit_request_o.rready  = request_i.rready && !node_response_i.rvalid;
  end

  // --- and back ---
  always_comb begin
    response_o = node_response_i;
    if (!node_response_i.rvalid) begin
      response_o.rvalid = unit_response_i.rvalid;
      response_o.rid    = unit_response_i.rid;
      response_o.rresp  = unit_response_i.rresp;
      response_o.rlast  = unit_response_i.rlast;
      response_o.rdata  = unit_response_i.rdata;
    end
    response_o.arready = read_may && (read_of_unit ? unit_response_i.arready : node_response_i.arready);
    response_o.awready = write_may && (write_to_unit ? unit_response_i.awready : node_response_i.awready);
    response_o.wready  = beats_due && (beats_to_unit ? unit_response_i.wready : node_response_i.wready);
    response_o.bvalid  = response_due &&
        (response_of_unit ? unit_response_i.bvalid : node_response_i.bvalid);
    if (response_of_unit) begin
      response_o.bid   = unit_response_i.bid;
      response_o.bresp = unit_response_i.bresp;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      known_id : assert (!request_i.arvalid || 32'(request_i.arid) < READERS);
      data_was_asked_for : assert (!response_o.rvalid || read_due);
      reads_are_few : assert (!read_over);
      beats_behind_their_address : assert (!request_i.wvalid || beats_due);
      no_more_than_there_are_places : assert (32'(writes) <= WRITES);
      responses_behind_their_beats : assert (without_beats <= writes);
    end
  end

`ifdef PROVE_MU_MEMORY_SELECT
  // What is proved of mu_memory_select: data of an ID is on its way from one memory alone, and any one write
  // goes with its beats to the memory of its address and has its response from there, behind those before it.
  logic                 past_q = 1'b0;
  logic [3:0]           of_node_q[READERS];     // bursts of each ID that are still to come
  logic [3:0]           of_memory_q[READERS];
  logic                 held_q;                 // an address was offered and not taken
  mu_pkg::address_t     held_address_q;
  (* anyseq *) logic    watches;                // the write that gets its place now is the one
  logic                 watched_q, watched_unit_q;
  logic [PLACE_WIDTH:0] beats_before_q, responses_before_q;
  logic                 beats_done_q;           // of the one
  logic                 beats_end, response_taken;
  logic                 from_both, miscounted;
  always_comb begin
    from_both  = 1'b0;
    miscounted = 1'b0;
    for (int unsigned i = 0; i < READERS; i++) begin
      if ((of_unit_q[i] ? of_node_q[i] : of_memory_q[i]) != '0) from_both = 1'b1;
      if (reads_q[i] != of_node_q[i] + of_memory_q[i]) miscounted = 1'b1;
    end
  end
  assign beats_end      = request_i.wvalid && response_o.wready && request_i.wlast;
  assign response_taken = response_o.bvalid && request_i.bready;
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (32'(request_i.arid) < READERS);
    if (held_q) assume (request_i.awvalid && request_i.awaddr == held_address_q);
    assume (!request_i.wvalid || beats_due);
    for (int unsigned i = 0; i < READERS; i++) begin
      assume (!(request_i.arvalid && request_i.arid == 2'(i) && reads_q[i] >= 4'd8));
      assume (!(node_response_i.rvalid && node_response_i.rid == 2'(i) && of_node_q[i] == '0));
      assume (!(unit_response_i.rvalid && unit_response_i.rid == 2'(i) && of_memory_q[i] == '0));
    end
    assume (!node_response_i.rvalid || 32'(node_response_i.rid) < READERS);
    assume (!unit_response_i.rvalid || 32'(unit_response_i.rid) < READERS);
    assume (request_i.rready);
    // A memory answers a burst behind its last beat.
    assume (!(node_response_i.bvalid || unit_response_i.bvalid) || without_beats != writes);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    held_q <= rst_ni && request_i.awvalid && !response_o.awready;
    held_address_q <= request_i.awaddr;
    for (int unsigned i = 0; i < READERS; i++) begin
      if (!rst_ni) {of_node_q[i], of_memory_q[i]} <= '0;
      else begin
        of_node_q[i] <= of_node_q[i] +
            4'(node_request_o.arvalid && node_response_i.arready && request_i.arid == 2'(i)) -
            4'(node_response_i.rvalid && node_response_i.rlast && node_response_i.rid == 2'(i));
        of_memory_q[i] <= of_memory_q[i] +
            4'(unit_request_o.arvalid && unit_response_i.arready && request_i.arid == 2'(i)) -
            4'(unit_response_i.rvalid && unit_request_o.rready && unit_response_i.rlast &&
               unit_response_i.rid == 2'(i));
      end
    end
    if (!rst_ni) watched_q <= 1'b0;
    else if (placed && watches && !watched_q) begin
      watched_q          <= 1'b1;
      watched_unit_q     <= write_to_unit;
      beats_done_q       <= 1'b0;
      beats_before_q     <= without_beats - (PLACE_WIDTH + 1)'(beats_end);
      responses_before_q <= writes - (PLACE_WIDTH + 1)'(response_taken);
    end else if (watched_q) begin
      if (beats_end && beats_before_q == '0) beats_done_q <= 1'b1;
      if (beats_end && beats_before_q != '0) beats_before_q <= beats_before_q - 1'b1;
      if (response_taken && responses_before_q == '0) watched_q <= 1'b0;
      if (response_taken) responses_before_q <= responses_before_q - 1'b1;
    end
    if (past_q && rst_ni) begin
      data_of_an_id_from_one_memory : assert (!from_both);
      counts_what_is_to_come : assert (!miscounted);
      never_to_both : assert (!(node_request_o.arvalid && unit_request_o.arvalid) &&
          !(node_request_o.awvalid && unit_request_o.awvalid));
      if (watched_q && !beats_done_q && beats_before_q == '0) beats_go_where_the_address_went :
      assert (!(watched_unit_q ? node_request_o.wvalid : unit_request_o.wvalid));
      if (watched_q && responses_before_q == '0) response_comes_from_there :
      assert (!(watched_unit_q ? node_request_o.bready : unit_request_o.bready) &&
              (!response_o.bvalid || (watched_unit_q ? unit_response_i.bvalid : node_response_i.bvalid)));
      if (watched_q) begin
        in_its_place : assert (writes > responses_before_q &&
            to_unit_q[PLACE_WIDTH'(response_q + responses_before_q)] == watched_unit_q);
        its_beats_too : assert (beats_done_q || (without_beats > beats_before_q &&
            beats_q + beats_before_q == response_q + responses_before_q));
      end
    end
  end
`endif
endmodule
`default_nettype wire

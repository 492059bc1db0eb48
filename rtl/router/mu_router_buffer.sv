// SPDX-License-Identifier: Apache-2.0
// mu_router_buffer: the flits of one class that wait at one input of the router. Storage only.
//
//   write_i, data_i, tail_i ---> [ memories, DEPTH flits ] ---> [ read registers ] ---> data_o, tail_o
//                                                    load_i -------^
//
// Behaviour: the n-th load_i brings the n-th flit written into the read registers, which keep it until the
//   next.
// Latency: a flit may be loaded in the cycle after it was written; a write and a load a cycle.
// Limits: DEPTH >= 2. mu_router_levels counts: a load of a flit that is not there or a write into a full
//   memory never happens (asserted).
`default_nettype none

module mu_router_buffer #(
    parameter int unsigned DEPTH = 204
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    // link or injection
    input  logic               write_i,
    input  logic               tail_i,
    input  mu_pkg::flit_data_t data_i,
    // switch
    input  logic               load_i,
    output logic               tail_o,
    output mu_pkg::flit_data_t data_o
);
  localparam int unsigned WIDTH = $clog2(DEPTH);
  if (DEPTH < 2) $error("mu_router_buffer: DEPTH must be at least 2");

  // Tails stand apart: the switch decides with them, and what comes out of a block RAM comes late.
  (* no_rw_check *) logic [mu_pkg::FLIT_BITS-1:0] flits[DEPTH];
  (* ram_style = "distributed" *) logic tails[DEPTH];

  logic [WIDTH-1:0]   write_q;
  logic [WIDTH-1:0]   read_q;
  mu_pkg::flit_data_t data_q;
  logic               tail_q;

  assign tail_o = tail_q;
  assign data_o = data_q;

  // One process: simulators then look at write_i and load_i once a cycle.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
    end else begin
      if (write_i) begin
        flits[write_q] <= data_i;
        tails[write_q] <= tail_i;
        write_q <= 32'(write_q) == DEPTH - 1 ? '0 : write_q + 1'b1;
      end
      if (load_i) begin
        data_q <= flits[read_q];
        tail_q <= tails[read_q];
        read_q <= 32'(read_q) == DEPTH - 1 ? '0 : read_q + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) never_reads_the_flit_being_written : assert (!(load_i && write_i) || write_q != read_q);
  end

`ifdef PROVE_MU_ROUTER_BUFFER
  // Of any one flit: it is loaded by the load that belongs to it, as it was written, after as many loads as
  // flits were inside, and stays at the output until the next.
  (* anyseq *) logic watches;
  localparam int unsigned LEVEL_BITS = $clog2(DEPTH + 1);
  logic                       past_q = 1'b0;
  logic [LEVEL_BITS-1:0]      level_q, ahead_q;  // flits inside; of these before the watched one
  logic                       inside_q, shown_q; // the watched one is in the memory; at the output
  logic [WIDTH-1:0]           place_q;
  logic [mu_pkg::FLIT_BITS:0] watched_q;
  logic [LEVEL_BITS:0]        distance;          // from read to write
  assign distance = (LEVEL_BITS + 1)'(write_q) + (write_q < read_q ? (LEVEL_BITS + 1)'(DEPTH) : '0) -
      (LEVEL_BITS + 1)'(read_q);
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (!load_i || level_q != '0);
    assume (!write_i || 32'(level_q) < DEPTH);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) {level_q, inside_q, shown_q} <= '0;
    else begin
      level_q <= level_q + LEVEL_BITS'(write_i) - LEVEL_BITS'(load_i);
      if (write_i && watches && !inside_q && !shown_q) begin
        inside_q  <= 1'b1;
        ahead_q   <= level_q - LEVEL_BITS'(load_i);
        place_q   <= write_q;
        watched_q <= {tail_i, data_i};
      end else if (load_i) begin
        {inside_q, shown_q} <= {inside_q && ahead_q != '0, inside_q && ahead_q == '0};
        ahead_q             <= ahead_q - 1'b1;
      end
      if (past_q) begin
        if (shown_q) loaded_in_its_turn : assert ({tail_o, data_o} == watched_q);
        // What the above rests on.
        pointers_inside : assert (32'(write_q) < DEPTH && 32'(read_q) < DEPTH && 32'(level_q) <= DEPTH);
        level_between_them :
        assert (32'(distance) == 32'(level_q) || (distance == '0 && 32'(level_q) == DEPTH));
        if (inside_q) begin
          stands_behind_those_ahead :
          assert (ahead_q < level_q &&
                  (32'(place_q) == 32'(read_q) + 32'(ahead_q) ||
                   32'(place_q) + DEPTH == 32'(read_q) + 32'(ahead_q)) && 32'(place_q) < DEPTH);
          kept_as_written : assert ({tails[place_q], flits[place_q]} == watched_q);
        end
        one_of_both : assert (!(inside_q && shown_q));
      end
    end
  end
`endif
endmodule
`default_nettype wire

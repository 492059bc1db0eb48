// SPDX-License-Identifier: Apache-2.0
// mu_router_buffer: the flits of one class that wait at one input of the router. Storage only.
//
//   write_i, data_i, tail_i ---> [ memory, DEPTH flits ] ---> [ read register ] ---> data_o, tail_o
//                                                  load_i -------^
//
// Behaviour: the n-th load_i brings the n-th flit written into the read register, which keeps it until the
//   next.
// Latency: a flit may be loaded in the cycle after it was written; a write and a load a cycle.
// Limits: DEPTH >= 2. mu_router_levels counts: a load of a flit that is not there or a write into a full
//   memory never happens (asserted).
`default_nettype none

module mu_router_buffer #(
    parameter int unsigned DEPTH = 204
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    // link or injection
    input  logic                         write_i,
    input  logic                         tail_i,
    input  logic [mu_pkg::FLIT_BITS-1:0] data_i,
    // switch
    input  logic                         load_i,
    output logic                         tail_o,
    output logic [mu_pkg::FLIT_BITS-1:0] data_o
);
  localparam int unsigned WIDTH = $clog2(DEPTH);
  if (DEPTH < 2) $error("mu_router_buffer: DEPTH must be at least 2");

  (* no_rw_check *) logic [mu_pkg::FLIT_BITS:0] flits[DEPTH];  // bit FLIT_BITS: tail

  logic [WIDTH-1:0]           write_q;
  logic [WIDTH-1:0]           read_q;
  logic [mu_pkg::FLIT_BITS:0] flit_q;

  assign tail_o = flit_q[mu_pkg::FLIT_BITS];
  assign data_o = flit_q[mu_pkg::FLIT_BITS-1:0];

  // One process: simulators then look at write_i and load_i once a cycle.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
    end else begin
      if (write_i) begin
        flits[write_q] <= {tail_i, data_i};
        write_q <= 32'(write_q) == DEPTH - 1 ? '0 : write_q + 1'b1;
      end
      if (load_i) begin
        flit_q <= flits[read_q];
        read_q <= 32'(read_q) == DEPTH - 1 ? '0 : read_q + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) never_reads_the_flit_being_written : assert (!(load_i && write_i) || write_q != read_q);
  end
endmodule
`default_nettype wire

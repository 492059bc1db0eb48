// SPDX-License-Identifier: Apache-2.0
// mu_router_buffer: the flits of one class that wait at one input of the router.
//
//   write_i, data_i, tail_i ---> [ memory, DEPTH flits ] ---> [ read register ] ---> valid_o, data_o, tail_o
//                                      |---> room_o                                       ^--- pop_i
//
// Behaviour: every flit written leaves once, in order. valid_o is high while the read register holds a flit,
//   which pop_i takes. room_o is high while the memory has room for two more flits.
// Latency: two cycles from write_i to valid_o when empty; a flit a cycle.
// Limits: DEPTH >= 3. A write into a full memory or a pop without valid_o is an error of the user and asserted;
//   credits or room_o keep them away.
`default_nettype none

module mu_router_buffer #(
    parameter int unsigned DEPTH = 204
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,
    // link or injection
    input  logic                            write_i,
    input  logic                            tail_i,
    input  logic [mu_pkg::FLIT_BITS-1:0]    data_i,
    output logic                            room_o,
    // switch
    output logic                            valid_o,
    output logic                            tail_o,
    output logic [mu_pkg::FLIT_BITS-1:0]    data_o,
    input  logic                            pop_i,
    output logic                            busy_o
);
  localparam int unsigned ADDRESS_WIDTH = $clog2(DEPTH);
  localparam int unsigned LEVEL_WIDTH   = $clog2(DEPTH + 1);
  if (DEPTH < 3) $error("mu_router_buffer: DEPTH must be at least 3");

  (* no_rw_check *) logic [mu_pkg::FLIT_BITS-1:0] flits[DEPTH];
  (* no_rw_check *) logic                         tails[DEPTH];

  logic [ADDRESS_WIDTH-1:0]     write_q;
  logic [ADDRESS_WIDTH-1:0]     read_q;
  logic [LEVEL_WIDTH-1:0]       level_q;  // flits in the memory
  logic                         valid_q;
  logic                         tail_q;
  logic [mu_pkg::FLIT_BITS-1:0] data_q;
  logic                         load;

  assign load    = level_q != '0 && (!valid_q || pop_i);
  assign room_o  = 32'(level_q) < DEPTH - 1;
  assign valid_o = valid_q;
  assign tail_o  = tail_q;
  assign data_o  = data_q;
  assign busy_o  = valid_q || level_q != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
      level_q <= '0;
      valid_q <= 1'b0;
    end else begin
      if (write_i) write_q <= 32'(write_q) == DEPTH - 1 ? '0 : write_q + 1'b1;
      if (load) read_q <= 32'(read_q) == DEPTH - 1 ? '0 : read_q + 1'b1;
      if (write_i && !load) level_q <= level_q + 1'b1;
      if (load && !write_i) level_q <= level_q - 1'b1;
      if (load || pop_i) valid_q <= load;
    end
  end

  always_ff @(posedge clk_i) begin
    if (write_i) begin
      flits[write_q] <= data_i;
      tails[write_q] <= tail_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (load) begin
      data_q <= flits[read_q];
      tail_q <= tails[read_q];
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni && (write_i || pop_i)) begin
      never_overflows : assert (!write_i || 32'(level_q) < DEPTH);
      pops_only_what_is_there : assert (!pop_i || valid_q);
      never_reads_the_flit_being_written : assert (!(write_i && load && write_q == read_q));
    end
  end
endmodule
`default_nettype wire

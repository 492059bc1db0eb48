// SPDX-License-Identifier: Apache-2.0
// mu_router_ports: the outputs that the packets behind the first one at an input want, in order.
//
//   push_i, port_i ---> [ memory, DEPTH ports or more ] ---> some_o, port_o ---> pop_i
//
// Behaviour: a FIFO of ports, a bit each. some_o is high while it holds any; port_o is then the oldest.
// Latency: one cycle; a push and a pop a cycle.
// Limits: DEPTH >= 1. A push when full or a pop when empty never happens (asserted): there are no more
//   packets than places in the buffer.
`default_nettype none

module mu_router_ports #(
    parameter int unsigned DEPTH = 6
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       push_i,
    input  logic [6:0] port_i,
    output logic       some_o,
    output logic [6:0] port_o,
    input  logic       pop_i
);
  // A row more than ports at least, so that pointers are equal only when there is none.
  localparam int unsigned WIDTH = $clog2(DEPTH + 1);
  if (DEPTH < 1) $error("mu_router_ports: DEPTH must be at least 1");

  logic [6:0]       ports[1 << WIDTH];
  logic [WIDTH-1:0] write_q;
  logic [WIDTH-1:0] read_q;
  logic [WIDTH-1:0] level;

  // Rows count down: synthesis takes a register that is an address into the memory, and then reads behind
  // pop_i, which comes late; of a complement it does not.
  assign some_o = write_q != read_q;
  assign port_o = ports[~read_q];
  assign level  = write_q - read_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
    end else if (!mu_pkg::LOOKS_FIRST || push_i || pop_i) begin
      if (push_i) begin
        ports[~write_q] <= port_i;
        write_q         <= write_q + 1'b1;
      end
      if (pop_i) read_q <= read_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      never_overflows : assert (!push_i || pop_i || 32'(level) < DEPTH);
      pops_only_what_is_there : assert (!pop_i || some_o);
    end
  end

`ifdef PROVE_MU_ROUTER_PORTS
  // The payload is a counter, so order, loss and duplication all show at the output.
  logic       past_q = 1'b0;
  logic [6:0] in_count_q;
  logic [6:0] out_count_q;
  logic [6:0] stored;
  assign stored = in_count_q - out_count_q;
  always_comb if (!past_q) assume (!rst_ni);
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) begin
      in_count_q  <= '0;
      out_count_q <= '0;
    end else begin
      if (push_i) in_count_q <= in_count_q + 1'b1;
      if (pop_i) out_count_q <= out_count_q + 1'b1;
    end
    if (past_q && rst_ni) begin
      assume (port_i == in_count_q);
      assume (!pop_i || some_o);
      assume (!push_i || pop_i || 32'(level) < DEPTH);
      level_counts_ports : assert (32'(stored) == 32'(level));
      offers_what_it_holds : assert (some_o == (stored != '0));
      if (some_o) ports_leave_in_order : assert (port_o == out_count_q);
    end
  end
`endif
endmodule
`default_nettype wire

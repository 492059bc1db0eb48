// SPDX-License-Identifier: Apache-2.0
// mu_router_ports: the outputs that the packets behind the first one at an input want, in order.
//
//   push_i, port_i ---> [ shift register, DEPTH ports ] ---> some_o, port_o ---> pop_i
//
// Behaviour: a FIFO of port numbers. some_o is high while it holds any; port_o is then the oldest.
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
    input  logic [2:0] port_i,
    output logic       some_o,
    output logic [2:0] port_o,
    input  logic       pop_i
);
  localparam int unsigned LEVEL_WIDTH = $clog2(DEPTH + 1);
  if (DEPTH < 1) $error("mu_router_ports: DEPTH must be at least 1");

  logic [3*DEPTH-1:0]     ports_q;  // the oldest in the lowest bits
  logic [LEVEL_WIDTH-1:0] level_q;

  assign some_o = level_q != '0;
  assign port_o = ports_q[2:0];

  // Where a port goes; not a product, for which synthesis would take a multiplier.
  function automatic logic [31:0] first_bit(input logic [31:0] place);
    first_bit = (place << 1) + place;
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) level_q <= '0;
    else if (push_i || pop_i) begin
      if (push_i != pop_i) level_q <= push_i ? level_q + 1'b1 : level_q - 1'b1;
      ports_q <= ((pop_i ? ports_q >> 3 : ports_q)
          & ~({3 * DEPTH{push_i}} << first_bit(32'(level_q) - 32'(pop_i)))) |
                 (push_i ? (3 * DEPTH)'(port_i) << first_bit(32'(level_q) - 32'(pop_i)) : '0);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      never_overflows : assert (!push_i || pop_i || 32'(level_q) < DEPTH);
      pops_only_what_is_there : assert (!pop_i || some_o);
    end
  end

`ifdef PROVE_MU_ROUTER_PORTS
  // The payload is a counter, so order, loss and duplication all show at the output.
  logic       past_q = 1'b0;
  logic [2:0] in_count_q;
  logic [2:0] out_count_q;
  logic [2:0] stored;
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
      assume (!push_i || pop_i || 32'(level_q) < DEPTH);
      level_counts_ports : assert (stored == 3'(level_q));
      offers_what_it_holds : assert (some_o == (stored != '0));
      if (some_o) ports_leave_in_order : assert (port_o == out_count_q);
    end
  end
`endif
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_calc_rows: how many rows of so many elements a vector has, and whether they fill it exactly.
//
//   start, elements, row ---> [ a bit of the quotient a cycle: shift and subtract ] ---> rows_o, exact_o
//
// Behaviour: start_i takes the operands. While busy_o is low, rows_o is elements / row of the start before,
//   rounded down, and exact_o says that nothing is left over.
// Latency: busy for ELEMENT_BITS cycles.
// Limits: ROW_BITS <= ELEMENT_BITS. A row of no elements gives a result that means nothing, in the same time.
//   A start while busy begins anew.
`default_nettype none

module mu_calc_rows #(
    parameter int unsigned ELEMENT_BITS = 37,
    parameter int unsigned ROW_BITS     = 32
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    // operands
    input  logic                    start_i,
    input  logic [ELEMENT_BITS-1:0] elements_i,
    input  logic [ROW_BITS-1:0]     row_i,
    // quotient
    output logic                    busy_o,
    output logic                    exact_o,
    output logic [ELEMENT_BITS-1:0] rows_o
);
  localparam int unsigned COUNT_BITS = $clog2(ELEMENT_BITS + 1);
  if (ROW_BITS > ELEMENT_BITS || ROW_BITS < 1)
    $error("mu_calc_rows: ROW_BITS must be 1 to ELEMENT_BITS");

  logic [COUNT_BITS-1:0]   steps_q;   // still to be done
  logic [ELEMENT_BITS-1:0] number_q;  // elements not yet looked at above, bits of the quotient below
  logic [ROW_BITS-1:0]     rest_q;    // less than a row
  logic [ROW_BITS-1:0]     row_q;
  logic [ROW_BITS:0]       next_rest;
  logic [ROW_BITS-1:0]     less_a_row;
  logic                    fits;

  assign next_rest  = {rest_q, number_q[ELEMENT_BITS-1]};
  assign fits       = next_rest >= {1'b0, row_q};
  assign less_a_row = next_rest[ROW_BITS-1:0] - row_q;
  assign busy_o     = steps_q != '0;
  assign exact_o    = rest_q == '0;
  assign rows_o     = number_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) steps_q <= '0;
    else if (start_i) steps_q <= COUNT_BITS'(ELEMENT_BITS);
    else if (busy_o) steps_q <= steps_q - 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      number_q <= elements_i;
      rest_q   <= '0;
      row_q    <= row_i;
    end else if (busy_o) begin
      number_q <= {number_q[ELEMENT_BITS-2:0], fits};
      rest_q   <= fits ? less_a_row : next_rest[ROW_BITS-1:0];
    end
  end

`ifdef PROVE_MU_CALC_ROWS
  localparam int unsigned WIDE = ELEMENT_BITS + ROW_BITS;
  logic                    past_q = 1'b0;
  logic                    asked_q = 1'b0;
  logic [ELEMENT_BITS-1:0] elements_q;
  logic [7:0]              waited_q;
  logic [WIDE-1:0]         in_rows;
  assign in_rows = WIDE'(rows_o) * WIDE'(row_q) + WIDE'(rest_q);
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (row_i != '0);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) asked_q <= 1'b0;
    else if (start_i) asked_q <= 1'b1;
    if (start_i) elements_q <= elements_i;
    waited_q <= start_i ? '0 : waited_q + 8'(busy_o);
    if (past_q && rst_ni && asked_q) begin
      if (!busy_o) rows_and_rest_are_all : assert (in_rows == WIDE'(elements_q));
      if (!busy_o) rest_is_less_than_a_row : assert (rest_q < row_q);
      if (!busy_o) exact_when_nothing_is_left : assert (exact_o == (rest_q == '0));
      if (busy_o) ends_in_time : assert (waited_q < 8'(ELEMENT_BITS));
    end
  end
`endif
endmodule
`default_nettype wire

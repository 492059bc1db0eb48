// SPDX-License-Identifier: Apache-2.0
// mu_wait_threshold: the count that a WAIT waits for, and the last one of each queue.
//
//   value, step, lap ---> [ products of halves ] ---> [ sum ] ---> threshold
//                                                        ^             | keep
//                         last of the queue, if relative +- [ memory ] <-+
//
// Behaviour: take_i takes the operands; from two cycles later on threshold_o is value_i + step_i * lap_i, so
//   that the WAIT of a cyclic queue steps with each lap of its ring, plus, if relative_i, the last threshold
//   of queue_i (US 9,344,490), modulo 2^WIDTH. keep_i: threshold_o is the last one of its queue. clear_i:
//   that of clear_queue_i is zero, also if it is kept in the same cycle. After reset all are zero.
// Latency: 2 cycles; one threshold a cycle.
// Limits: WIDTH is even. keep_i comes when threshold_o is of the operands taken last.
`default_nettype none

module mu_wait_threshold #(
    parameter int unsigned QUEUES = mu_pkg::INJECTION_QUEUES,
    parameter int unsigned WIDTH  = 32
) (
    input  logic                      clk_i,
    input  logic                      rst_ni,
    // operands
    input  logic                      take_i,
    input  logic [$clog2(QUEUES)-1:0] queue_i,
    input  logic [         WIDTH-1:0] value_i,
    input  logic [         WIDTH-1:0] step_i,
    input  logic [         WIDTH-1:0] lap_i,
    input  logic                      relative_i,
    // threshold
    output logic [         WIDTH-1:0] threshold_o,
    // the last one of each queue
    input  logic                      keep_i,
    input  logic                      clear_i,
    input  logic [$clog2(QUEUES)-1:0] clear_queue_i
);
  // The product is made of halves, which any family's multipliers hold: Yosys 0.23 cuts a wider one for xc7
  // itself, and leaves wires without a driver.
  localparam int unsigned HALF = WIDTH / 2;
  if (WIDTH % 2 != 0) $error("mu_wait_threshold: WIDTH must be even");

  logic [WIDTH-1:0]  last_mem[QUEUES];
  logic [QUEUES-1:0] none_q;  // no last one: its memory is not looked at
  logic              taken_q, relative_q;
  logic [$clog2(QUEUES)-1:0] queue_q;
  logic [WIDTH-1:0]  value_q, low_q, cross_1_q, cross_2_q;

  always_ff @(posedge clk_i) begin
    taken_q <= take_i;
    if (take_i) begin
      queue_q    <= queue_i;
      relative_q <= relative_i;
      value_q    <= value_i;
      low_q      <= WIDTH'(step_i[HALF-1:0]) * WIDTH'(lap_i[HALF-1:0]);
      cross_1_q  <= WIDTH'(step_i[WIDTH-1:HALF]) * WIDTH'(lap_i[HALF-1:0]);
      cross_2_q  <= WIDTH'(step_i[HALF-1:0]) * WIDTH'(lap_i[WIDTH-1:HALF]);
    end
    if (taken_q)
      threshold_o <= value_q + low_q + ((cross_1_q + cross_2_q) << HALF) +
          (relative_q && !none_q[queue_q] ? last_mem[queue_q] : '0);
  end
  always_ff @(posedge clk_i) begin
    if (keep_i) last_mem[queue_q] <= threshold_o;
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) none_q <= '1;
    else begin
      if (keep_i) none_q[queue_q] <= 1'b0;
      if (clear_i) none_q[clear_queue_i] <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) keeps_what_was_taken : assert (!keep_i || !taken_q);
  end

`ifdef PROVE_MU_WAIT_THRESHOLD
  (* anyconst *) logic [$clog2(QUEUES)-1:0] chosen;
  logic             past_q = 1'b0;
  logic             asked_q = 1'b0;  // there is a threshold
  logic             of_chosen_q;
  logic             asked_relative_q;
  logic [WIDTH-1:0] last_q;   // of the chosen queue
  logic [WIDTH-1:0] product_q;
  logic [WIDTH-1:0] expected_q;
  always_comb begin
    assume (32'(chosen) < QUEUES);
    if (!past_q) assume (!rst_ni && !take_i);
    assume (!keep_i || (asked_q && !taken_q));
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (take_i) begin
      of_chosen_q      <= queue_i == chosen;
      asked_relative_q <= relative_i;
      product_q        <= value_i + step_i * lap_i;
    end
    if (taken_q) expected_q <= product_q + (asked_relative_q ? last_q : '0);
    asked_q <= past_q && (asked_q || taken_q);
    if (keep_i && of_chosen_q) last_q <= threshold_o;
    if (!rst_ni || (clear_i && clear_queue_i == chosen)) last_q <= '0;
    if (past_q) begin
      if (asked_q && of_chosen_q && !taken_q) threshold_is_right : assert (threshold_o == expected_q);
      remembers_the_last : assert ((none_q[chosen] ? '0 : last_mem[chosen]) == last_q);
      if (asked_q || taken_q) knows_its_queue : assert (of_chosen_q == (queue_q == chosen));
      if (taken_q) begin
        sums_the_parts : assert (value_q + low_q + ((cross_1_q + cross_2_q) << HALF) == product_q);
        knows_what_to_add : assert (relative_q == asked_relative_q);
      end
    end
  end
`endif
endmodule
`default_nettype wire

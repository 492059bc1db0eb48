// SPDX-License-Identifier: Apache-2.0
// mu_reduction_order: lets beats of different latencies into the reduction ALU so that they leave in order.
//
//   in (valid/ready, path, wide) ---> [ line of places: a beat enters at that of its latency,   ]
//                                     [ moves a place a cycle, and is a result at place 0       ] ---> out
//
// Behaviour: a beat whose path takes L cycles enters at place L - 1, as soon as no beat under way would leave
//   after it, so none ever overtakes and no two meet. Products enter PRODUCT_INTERVAL cycles apart. start_o:
//   a beat enters. advance_o: everything moves, unless the result at place 0 waits for out_ready_i. finish_o,
//   with path and width: the beat that a longer path turns into a result at the end of this cycle.
// Latency: 1 cycle for simple and undefined, SUM_LATENCY, PRODUCT_LATENCY; a beat a cycle, products excepted.
// Limits: 1 < SUM_LATENCY < PRODUCT_LATENCY, PRODUCT_INTERVAL <= PRODUCT_LATENCY. in_ready_o looks at the
//   path offered and at out_ready_i in the same cycle.
`default_nettype none

module mu_reduction_order #(
    parameter int unsigned SUM_LATENCY      = 5,
    parameter int unsigned PRODUCT_LATENCY  = 8,
    parameter int unsigned PRODUCT_INTERVAL = 4
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    // operands
    input  logic       in_valid_i,
    output logic       in_ready_o,
    input  logic [1:0] in_path_i,      // mu_pkg::reduction_path_e
    input  logic       in_wide_i,
    // units
    output logic       start_o,
    output logic       advance_o,
    output logic       finish_o,
    output logic [1:0] finish_path_o,
    output logic       finish_wide_o,
    output logic       active_o,       // a beat is inside
    // result
    output logic       out_valid_o,
    input  logic       out_ready_i
);
  localparam int unsigned PLACES = PRODUCT_LATENCY;
  if (SUM_LATENCY < 2 || SUM_LATENCY >= PRODUCT_LATENCY)
    $error("mu_reduction_order: SUM_LATENCY must be at least 2 and below PRODUCT_LATENCY");
  if (PRODUCT_INTERVAL < 1 || PRODUCT_INTERVAL > PRODUCT_LATENCY)
    $error("mu_reduction_order: PRODUCT_INTERVAL must be 1 to PRODUCT_LATENCY");

  logic [PLACES-1:0] valid_q;
  logic [PLACES-1:0] product_q;  // of a place that is valid: a product, else a sum
  logic [PLACES-1:0] wide_q;
  logic [PLACES-1:0] place;      // one-hot: where the beat offered would stand
  logic [PLACES-1:0] enters;     // and does
  logic              overtakes;
  logic              product;
  logic              too_early;
  logic              moves;

  always_comb begin
    product   = 1'b0;
    place     = PLACES'(1);
    overtakes = (valid_q >> 1) != '0;
    if (in_path_i == mu_pkg::REDUCTION_PATH_SUM) begin
      place     = PLACES'(1) << (SUM_LATENCY - 1);
      overtakes = (valid_q >> SUM_LATENCY) != '0;
    end else if (in_path_i == mu_pkg::REDUCTION_PATH_PRODUCT) begin
      product   = 1'b1;
      place     = PLACES'(1) << (PRODUCT_LATENCY - 1);
      overtakes = 1'b0;
    end
  end
  assign too_early   = product && ((valid_q & product_q) >> (PRODUCT_LATENCY - PRODUCT_INTERVAL + 1)) != '0;
  assign advance_o   = !out_valid_o || out_ready_i;
  assign in_ready_o  = advance_o && !overtakes && !too_early;
  assign start_o     = in_valid_i && in_ready_o;
  assign enters      = start_o ? place : '0;
  assign moves       = advance_o && (active_o || start_o);
  assign active_o    = valid_q != '0;
  assign out_valid_o = valid_q[0];

  assign finish_o      = valid_q[1];
  assign finish_path_o = product_q[1] ? mu_pkg::REDUCTION_PATH_PRODUCT : mu_pkg::REDUCTION_PATH_SUM;
  assign finish_wide_o = wide_q[1];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else if (moves) valid_q <= (valid_q >> 1) | enters;
  end
  always_ff @(posedge clk_i) begin
    if (moves) begin
      product_q <= (product_q >> 1) & ~enters | (product ? enters : '0);
      wide_q    <= (wide_q >> 1) & ~enters | (in_wide_i ? enters : '0);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) places_are_free : assert (((valid_q >> 1) & enters) == '0);
  end

`ifdef PROVE_MU_REDUCTION_ORDER
  // Every beat carries a number of 4 bits; the line of numbers moves as the line of places does.
  logic                past_q = 1'b0;
  logic [PLACES*4-1:0] numbers_q;
  logic [PLACES*4-1:0] entering;
  logic [3:0]          in_count_q;
  logic [3:0]          out_count_q;
  logic [3:0]          since_product_q;
  logic [3:0]          waited_q;
  logic                held_q = 1'b0;
  logic [3:0]          held;
  assign held = in_count_q - out_count_q;
  always_comb begin
    entering = '0;
    for (int p = 0; p < PLACES; p++) if (enters[p]) entering[p*4+:4] = 4'hF;
  end
  always_comb if (!past_q) assume (!rst_ni);
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    held_q <= rst_ni && out_valid_o && !out_ready_i;
    if (!rst_ni) begin
      in_count_q      <= '0;
      out_count_q     <= '0;
      since_product_q <= '1;
      waited_q        <= '0;
    end else begin
      if (start_o) in_count_q <= in_count_q + 1'b1;
      if (out_valid_o && out_ready_i) out_count_q <= out_count_q + 1'b1;
      if (advance_o) begin
        if (start_o && product) since_product_q <= 4'd1;
        else if (since_product_q != '1) since_product_q <= since_product_q + 1'b1;
        waited_q <= in_valid_i && !start_o ? waited_q + 1'b1 : '0;
      end
    end
    if (advance_o) numbers_q <= (numbers_q >> 4) & ~entering | ({PLACES{in_count_q}} & entering);
    if (past_q && rst_ni) begin
      if (out_valid_o) beats_leave_in_order : assert (numbers_q[3:0] == out_count_q);
      none_is_lost : assert (active_o == (held != '0));
      if (start_o && product) products_keep_apart : assert (32'(since_product_q) >= PRODUCT_INTERVAL);
      if (!active_o && in_valid_i)
        enters_when_empty : assert (start_o || 32'(since_product_q) < PRODUCT_INTERVAL);
      if (in_valid_i && advance_o && $countones(valid_q) == 32'(out_valid_o) && !product)
        a_beat_a_cycle : assert (start_o);
      if (in_valid_i && advance_o && product && 32'(since_product_q) >= PRODUCT_INTERVAL)
        products_at_their_rate : assert (start_o);
      waits_for_a_bounded_time : assert (32'(waited_q) < PRODUCT_LATENCY);
      if (held_q) result_holds_until_taken : assert (out_valid_o);
    end
  end
`endif
endmodule
`default_nettype wire

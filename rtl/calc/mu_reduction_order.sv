// SPDX-License-Identifier: Apache-2.0
// mu_reduction_order: works beats off in passes of as many elements as the reduction ALU has lanes for, and
// lets passes of different latencies in so that they leave in order.
//
//   in (valid/ready, path, share) ---> [ line of places: a pass enters at that of its latency,  ]
//                                      [ moves a place a cycle, and is a result at place 0      ] ---> out
//
// Behaviour: a beat takes SLICES passes, with in_share_i 1, 2 or 3 twice, 4 or 8 times as many, and is taken
//   with the last one. A pass whose path takes L cycles enters at place L - 1, as soon as none under way
//   would leave after it, so none ever overtakes and no two meet. Products enter PRODUCT_INTERVAL cycles
//   apart. start_o: pass pass_o enters. advance_o: everything moves, unless a beat that is ready at place 0
//   waits for out_ready_i. finish_o, with path, share and pass: the pass that becomes a result at the end of
//   this cycle. active_o: a pass is inside.
// Latency: SIMPLE_LATENCY for simple and undefined, SUM_LATENCY, PRODUCT_LATENCY from the last pass to the
//   result; a pass a cycle, products excepted.
// Limits: 1 < SIMPLE_LATENCY < SUM_LATENCY < PRODUCT_LATENCY, PRODUCT_INTERVAL <= PRODUCT_LATENCY. SLICES 1,
//   2 or 4. in_ready_o looks at the path offered and at out_ready_i in the same cycle. What is offered stands
//   until it is taken.
`default_nettype none

module mu_reduction_order #(
    parameter int unsigned SIMPLE_LATENCY   = 2,
    parameter int unsigned SUM_LATENCY      = 6,
    parameter int unsigned PRODUCT_LATENCY  = 10,
    parameter int unsigned PRODUCT_INTERVAL = 4,
    parameter int unsigned SLICES           = 2
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    // operands
    input  logic       in_valid_i,
    output logic       in_ready_o,
    input  logic [1:0] in_path_i,       // mu_pkg::reduction_path_e
    input  logic [1:0] in_share_i,
    // units
    output logic       start_o,
    output logic [4:0] pass_o,
    output logic       advance_o,
    output logic       finish_o,
    output logic [1:0] finish_path_o,
    output logic [1:0] finish_share_o,
    output logic [4:0] finish_pass_o,
    output logic       active_o,
    // result
    output logic       out_valid_o,
    input  logic       out_ready_i
);
  localparam int unsigned PLACES = PRODUCT_LATENCY;
  if (SIMPLE_LATENCY < 2 || SUM_LATENCY <= SIMPLE_LATENCY || SUM_LATENCY >= PRODUCT_LATENCY)
    $error("mu_reduction_order: latencies must be at least 2, those of simple, sum and product rising");
  if (PRODUCT_INTERVAL < 1 || PRODUCT_INTERVAL > PRODUCT_LATENCY)
    $error("mu_reduction_order: PRODUCT_INTERVAL must be 1 to PRODUCT_LATENCY");
  if (SLICES != 1 && SLICES != 2 && SLICES != 4) $error("mu_reduction_order: SLICES must be 1, 2 or 4");

  logic [PLACES-1:0] valid_q;
  logic [PLACES-1:0] path_0_q;    // of a place that is valid: the bits of its path
  logic [PLACES-1:0] path_1_q;
  logic [PLACES-1:0] share_0_q;
  logic [PLACES-1:0] share_1_q;
  logic              last_q;      // at place 0: the last pass of its beat
  logic [4:0]        pass_q;
  logic [4:0]        finish_pass_q;
  logic [PLACES-1:0] place;       // one-hot: where the pass offered would stand
  logic [PLACES-1:0] enters;      // and does
  logic              overtakes;
  logic              product;
  logic              too_early;
  logic              moves;
  logic              in_last;
  logic              finish_last;

  always_comb begin
    product   = 1'b0;
    place     = PLACES'(1) << (SIMPLE_LATENCY - 1);
    overtakes = (valid_q >> SIMPLE_LATENCY) != '0;
    if (in_path_i == mu_pkg::REDUCTION_PATH_SUM) begin
      place     = PLACES'(1) << (SUM_LATENCY - 1);
      overtakes = (valid_q >> SUM_LATENCY) != '0;
    end else if (in_path_i == mu_pkg::REDUCTION_PATH_PRODUCT) begin
      product   = 1'b1;
      place     = PLACES'(1) << (PRODUCT_LATENCY - 1);
      overtakes = 1'b0;
    end
  end
  // So high stand none that are undefined.
  assign too_early   = product && ((valid_q & path_1_q) >> (PRODUCT_LATENCY - PRODUCT_INTERVAL + 1)) != '0;
  assign advance_o   = !out_valid_o || out_ready_i;
  assign start_o     = in_valid_i && advance_o && !overtakes && !too_early;
  assign in_last     = 6'(pass_q) == (6'(SLICES) << in_share_i) - 6'd1;
  assign in_ready_o  = advance_o && !overtakes && !too_early && in_last;
  assign pass_o      = pass_q;
  assign enters      = start_o ? place : '0;
  assign moves       = advance_o && (active_o || start_o);
  assign active_o    = valid_q != '0;
  assign out_valid_o = valid_q[0] && last_q;

  assign finish_o       = valid_q[1];
  assign finish_path_o  = {path_1_q[1], path_0_q[1]};
  assign finish_share_o = {share_1_q[1], share_0_q[1]};
  assign finish_pass_o  = finish_pass_q;
  assign finish_last    = 6'(finish_pass_q) == (6'(SLICES) << finish_share_o) - 6'd1;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q       <= '0;
      pass_q        <= '0;
      finish_pass_q <= '0;
    end else if (moves) begin
      valid_q <= (valid_q >> 1) | enters;
      if (start_o) pass_q <= in_last ? '0 : pass_q + 1'b1;
      if (finish_o) finish_pass_q <= finish_last ? '0 : finish_pass_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (moves) begin
      path_0_q  <= (path_0_q >> 1) & ~enters | (in_path_i[0] ? enters : '0);
      path_1_q  <= (path_1_q >> 1) & ~enters | (in_path_i[1] ? enters : '0);
      share_0_q <= (share_0_q >> 1) & ~enters | (in_share_i[0] ? enters : '0);
      share_1_q <= (share_1_q >> 1) & ~enters | (in_share_i[1] ? enters : '0);
      last_q    <= finish_last;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) places_are_free : assert (((valid_q >> 1) & enters) == '0);
  end

`ifdef PROVE_MU_REDUCTION_ORDER
  // Every pass carries a number of 4 bits and which pass of its beat it is; the line of them moves as the
  // line of places does.
  logic                past_q = 1'b0;
  logic                midway_q = 1'b0;  // of a beat
  logic [1:0]          path_q;
  logic [1:0]          offered_share_q;
  logic [PLACES*4-1:0] numbers_q;
  logic [PLACES*5-1:0] passes_q;
  logic [PLACES*4-1:0] entering;
  logic [PLACES*5-1:0] entering_pass;
  logic [3:0]          in_count_q;
  logic [3:0]          out_count_q;
  logic [3:0]          since_product_q;
  logic [3:0]          waited_q;
  logic                held_q = 1'b0;
  logic [3:0]          held;
  assign held = in_count_q - out_count_q;
  always_comb begin
    entering      = '0;
    entering_pass = '0;
    for (int p = 0; p < PLACES; p++) begin
      if (enters[p]) entering[p*4+:4] = 4'hF;
      if (enters[p]) entering_pass[p*5+:5] = 5'h1F;
    end
  end
  always_comb begin
    if (!past_q) assume (!rst_ni);
    if (midway_q) assume (in_valid_i && in_path_i == path_q && in_share_i == offered_share_q);
  end
  always_ff @(posedge clk_i) begin
    past_q          <= 1'b1;
    held_q          <= rst_ni && out_valid_o && !out_ready_i;
    midway_q        <= rst_ni && in_valid_i && !in_ready_o;
    path_q          <= in_path_i;
    offered_share_q <= in_share_i;
    if (!rst_ni) begin
      in_count_q      <= '0;
      out_count_q     <= '0;
      since_product_q <= '1;
      waited_q        <= '0;
    end else begin
      if (start_o) in_count_q <= in_count_q + 1'b1;
      if (valid_q[0] && advance_o) out_count_q <= out_count_q + 1'b1;
      if (advance_o) begin
        if (start_o && product) since_product_q <= 4'd1;
        else if (since_product_q != '1) since_product_q <= since_product_q + 1'b1;
        waited_q <= in_valid_i && !start_o ? waited_q + 1'b1 : '0;
      end
    end
    if (advance_o) begin
      numbers_q <= (numbers_q >> 4) & ~entering | ({PLACES{in_count_q}} & entering);
      passes_q  <= (passes_q >> 5) & ~entering_pass | ({PLACES{pass_o}} & entering_pass);
    end
    if (past_q && rst_ni) begin
      if (valid_q[0]) passes_leave_in_order : assert (numbers_q[3:0] == out_count_q);
      if (finish_o) finishes_the_pass_that_entered : assert (finish_pass_o == passes_q[9:5]);
      if (valid_q[0])
        beat_is_ready_with_its_last_pass :
        assert (out_valid_o == (32'(passes_q[4:0]) == (SLICES << {share_1_q[0], share_0_q[0]}) - 1));
      none_is_lost : assert (active_o == (held != '0));
      if (start_o && product) products_keep_apart : assert (32'(since_product_q) >= PRODUCT_INTERVAL);
      if (!active_o && in_valid_i)
        enters_when_empty : assert (start_o || 32'(since_product_q) < PRODUCT_INTERVAL);
      if (in_valid_i && advance_o && $countones(valid_q) == 32'(valid_q[0]) && !product)
        a_pass_a_cycle : assert (start_o);
      if (in_valid_i && advance_o && product && 32'(since_product_q) >= PRODUCT_INTERVAL)
        products_at_their_rate : assert (start_o);
      waits_for_a_bounded_time : assert (32'(waited_q) < PRODUCT_LATENCY);
      if (held_q) result_holds_until_taken : assert (out_valid_o);
    end
  end
`endif
endmodule
`default_nettype wire

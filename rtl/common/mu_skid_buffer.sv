// SPDX-License-Identifier: Apache-2.0
// mu_skid_buffer: a register slice for one stream: valid, data and ready are all registered.
//
//   in (valid/ready/data) ---+---> [ skid register ] ---+---> [ output register ] ---> out (valid/ready/data)
//                            +--------------------------+
//
// Behaviour: every word taken at the input leaves at the output once, in order. out_valid_o and out_data_o
//   hold until out_ready_i takes them. in_ready_o is low only while the skid register is occupied.
// Latency: one cycle from input to output when the output is free; a word a cycle for ever.
// Limits: WIDTH >= 1. Data is ignored while in_valid_i is low; no input can upset it.
`default_nettype none

module mu_skid_buffer #(
    parameter int unsigned WIDTH = 8
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    // upstream
    input  logic             in_valid_i,
    output logic             in_ready_o,
    input  logic [WIDTH-1:0] in_data_i,
    // downstream
    output logic             out_valid_o,
    input  logic             out_ready_i,
    output logic [WIDTH-1:0] out_data_o
);
  if (WIDTH < 1) $error("mu_skid_buffer: WIDTH must be at least 1");

  logic             out_valid_q;
  logic             skid_valid_q;
  logic [WIDTH-1:0] out_data_q;
  logic [WIDTH-1:0] skid_data_q;
  logic             take;
  logic             leaves;
  logic             out_free;

  assign take        = in_valid_i && in_ready_o;
  assign leaves      = out_valid_q && out_ready_i;
  assign out_free    = !out_valid_q || out_ready_i;
  assign in_ready_o  = !skid_valid_q;
  assign out_valid_o = out_valid_q;
  assign out_data_o  = out_data_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      out_valid_q  <= 1'b0;
      skid_valid_q <= 1'b0;
    end else if (take || leaves) begin
      if (out_free) out_valid_q <= skid_valid_q || take;
      skid_valid_q <= !out_free;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take || leaves) begin
      if (out_free && skid_valid_q) out_data_q <= skid_data_q;
      else if (out_free && take) out_data_q <= in_data_i;
      if (take && !out_free) skid_data_q <= in_data_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      skid_only_behind_output : assert (!skid_valid_q || out_valid_q);
      never_refuses_when_empty : assert (out_valid_q || in_ready_o);
    end
  end

`ifdef FORMAL
  // The payload is a counter, so order, loss and duplication all show at the output.
  logic             past_q = 1'b0;
  logic             held_q = 1'b0;
  logic [WIDTH-1:0] held_data_q;
  logic [WIDTH-1:0] in_count_q;
  logic [WIDTH-1:0] out_count_q;
  always_ff @(posedge clk_i) begin
    past_q      <= 1'b1;
    held_q      <= rst_ni && out_valid_o && !out_ready_i;
    held_data_q <= out_data_o;
    if (!rst_ni) begin
      in_count_q  <= '0;
      out_count_q <= '0;
    end else begin
      if (take) in_count_q <= in_count_q + 1'b1;
      if (out_valid_o && out_ready_i) out_count_q <= out_count_q + 1'b1;
    end
    if (past_q && rst_ni && held_q) begin
      output_holds_until_taken : assert (out_valid_o && out_data_o == held_data_q);
    end
  end
`ifdef PROVE_MU_SKID_BUFFER
  always_comb if (!past_q) assume (!rst_ni);
  always_ff @(posedge clk_i) begin
    if (past_q && rst_ni) begin
      assume (in_data_i == in_count_q);
      if (out_valid_o) words_leave_in_order : assert (out_data_o == out_count_q);
      holds_what_it_took :
      assert (in_count_q - out_count_q == WIDTH'(skid_valid_q) + WIDTH'(out_valid_q));
    end
  end
`endif
`endif
endmodule
`default_nettype wire

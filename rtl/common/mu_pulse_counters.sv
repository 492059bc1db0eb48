// SPDX-License-Identifier: Apache-2.0
// mu_pulse_counters: how often each of COUNT things happened since reset.
//
//   pulses_i (two bits a counter, each a pulse) ---> [ + ] ---> [ counts ] ---> counts_o
//
// Behaviour: counter i is bits i*WIDTH and up of counts_o: the number of times that bits 2i and 2i+1 of
//   pulses_i were high since reset. At 2^WIDTH-1 it stops (STOPS), or goes on with 0.
// Latency: a pulse shows in counts_o the next cycle; up to two a cycle at each counter.
// Limits: COUNT >= 1, WIDTH >= 2.
`default_nettype none

module mu_pulse_counters #(
    parameter int unsigned COUNT = 1,
    parameter int unsigned WIDTH = 32,
    parameter bit          STOPS = 1'b1
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic [    2*COUNT-1:0] pulses_i,
    output logic [COUNT*WIDTH-1:0] counts_o
);
  if (COUNT < 1 || WIDTH < 2) $error("mu_pulse_counters: COUNT must be at least 1, WIDTH at least 2");

  logic [COUNT*WIDTH-1:0] count_q;
  logic [COUNT*WIDTH-1:0] count_d;

  for (genvar i = 0; i < COUNT; i++) begin : gen_counter
    logic [WIDTH:0] sum;
    always_comb begin
      sum = '0;
      if (pulses_i[2*i+:2] != '0)
        sum = {1'b0, count_q[i*WIDTH+:WIDTH]} + (WIDTH + 1)'(pulses_i[2*i]) + (WIDTH + 1)'(pulses_i[2*i+1]);
    end
    assign count_d[i*WIDTH+:WIDTH] = STOPS && sum[WIDTH] ? '1 : sum[WIDTH-1:0];
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) count_q <= '0;
    else if (pulses_i != '0) begin
      for (int i = 0; i < COUNT; i++)
        if (pulses_i[2*i+:2] != '0) count_q[i*WIDTH+:WIDTH] <= count_d[i*WIDTH+:WIDTH];
    end
  end
  assign counts_o = count_q;

`ifdef PROVE_MU_PULSE_COUNTERS
  // All pulses of any counter since reset, counted beside it; if it stops, until they are too many.
  (* anyconst *) logic [7:0] chosen;
  logic             past_q = 1'b0;
  logic [WIDTH+1:0] total_q;
  logic [1:0]       pulses;
  logic [WIDTH-1:0] count;
  logic [WIDTH-1:0] expected;
  assign pulses   = 2'(pulses_i >> (2 * 32'(chosen)));
  assign count    = WIDTH'(counts_o >> (WIDTH * 32'(chosen)));
  assign expected = STOPS && total_q[WIDTH+1:WIDTH] != '0 ? '1 : total_q[WIDTH-1:0];
  always_comb begin
    assume (32'(chosen) < COUNT);
    if (!past_q) assume (!rst_ni);
  end
  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) total_q <= '0;
    else if (!STOPS || total_q[WIDTH+1:WIDTH] == '0)
      total_q <= total_q + (WIDTH + 2)'(pulses[0]) + (WIDTH + 2)'(pulses[1]);
    if (past_q) counts_every_pulse : assert (count == expected);
  end
`endif
endmodule
`default_nettype wire

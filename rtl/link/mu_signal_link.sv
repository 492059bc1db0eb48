// SPDX-License-Identifier: Apache-2.0
// mu_signal_link: signals one way over a cable of the tree, a delay line whose length is set at run time.
//
//   signals of the sender ---> [ latency_i - 1 registers ] ---> signals at the receiver
//
// Behaviour: what stands at the input in one cycle stands at the output latency_i - 1 cycles later; the
//   register at the sender's output is the first of the cable's latency_i. So 1 is a wire.
// Latency: latency_i - 1 cycles.
// Limits: latency_i 1 to LONGEST, changed only while nothing is on the cable.
`default_nettype none

module mu_signal_link #(
    parameter int unsigned LONGEST = 32,  // latency that can be set
    parameter int unsigned WIDTH   = 16
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic [$clog2(LONGEST):0] latency_i,
    input  logic [WIDTH-1:0]         signals_i,
    output logic [WIDTH-1:0]         signals_o
);
  // What came k + 1 cycles ago lies from bit k * WIDTH on.
  logic [(LONGEST-1)*WIDTH-1:0] came_q;

  assign signals_o = 32'(latency_i) == 32'd1 ? signals_i :
                     WIDTH'(came_q >> ((32'(latency_i) - 32'd2) * WIDTH));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) came_q <= '0;
    else if (signals_i != '0 || came_q != '0) came_q <= {came_q[(LONGEST-2)*WIDTH-1:0], signals_i};
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) latency_is_legal : assert (latency_i != '0 && 32'(latency_i) <= LONGEST);
  end
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_counter_arbiter: whose turn it is to use a counter file: hardware first, software soon.
//
//   completion_i, injection_i, access_i ---> [ choice ] ---> completion_o, injection_o, access_o
//
// Behaviour: somebody who asks is chosen in every cycle in which anybody asks. The two hardware sources go
//   before the register access and take turns when both ask. A register access that has lost MAX_LOSSES times
//   goes next, so a hardware source waits at most 2 cycles, the access at most MAX_LOSSES.
// Latency: combinational; one choice a cycle.
// Limits: MAX_LOSSES 1 to 7. An access must stand until it is chosen, else its losses are forgotten.
`default_nettype none

module mu_counter_arbiter #(
    parameter int unsigned MAX_LOSSES = 4
) (
    input  logic clk_i,
    input  logic rst_ni,
    // who asks
    input  logic completion_i,
    input  logic injection_i,
    input  logic access_i,
    // who is chosen
    output logic completion_o,
    output logic injection_o,
    output logic access_o
);
  if (MAX_LOSSES < 1 || MAX_LOSSES > 7) $error("mu_counter_arbiter: MAX_LOSSES must be 1 to 7");

  logic       injection_next_q;  // the completion source had the last turn
  logic [2:0] losses_q;          // turns that the waiting register access has lost
  logic [2:0] asked;
  logic [2:0] chosen;

  assign asked        = {completion_i, injection_i, access_i};
  assign chosen       = {completion_o, injection_o, access_o};
  assign access_o     = access_i && (losses_q == 3'(MAX_LOSSES) || !(completion_i || injection_i));
  assign injection_o  = injection_i && !access_o && (injection_next_q || !completion_i);
  assign completion_o = completion_i && !access_o && !injection_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      injection_next_q <= 1'b0;
      losses_q         <= '0;
    end else if (asked != '0 || losses_q != '0) begin
      if (completion_o) injection_next_q <= 1'b1;
      else if (injection_o) injection_next_q <= 1'b0;
      if (!access_i || access_o) losses_q <= '0;
      else losses_q <= losses_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      chooses_one : assert ($onehot0(chosen));
      chooses_when_asked : assert ((asked != '0) == (chosen != '0));
      chooses_who_asks : assert ((chosen & ~asked) == '0);
      losses_bounded : assert (losses_q <= 3'(MAX_LOSSES));
    end
  end

`ifdef PROVE_MU_COUNTER_ARBITER
  logic       past_q = 1'b0;
  logic [1:0] completion_waited_q;
  logic [1:0] injection_waited_q;
  logic [2:0] access_waited_q;
  always_comb if (!past_q) assume (!rst_ni);
  always_ff @(posedge clk_i) begin
    past_q              <= 1'b1;
    completion_waited_q <= rst_ni && completion_i && !completion_o ? completion_waited_q + 2'd1 : '0;
    injection_waited_q  <= rst_ni && injection_i && !injection_o ? injection_waited_q + 2'd1 : '0;
    access_waited_q     <= rst_ni && access_i && !access_o ? access_waited_q + 3'd1 : '0;
    if (past_q && rst_ni) begin
      completion_waits_two_at_most : assert (completion_waited_q < 2'd2 || completion_o || !completion_i);
      injection_waits_two_at_most : assert (injection_waited_q < 2'd2 || injection_o || !injection_i);
      access_waits_its_losses_at_most : assert (access_waited_q <= 3'(MAX_LOSSES));
      waited_and_lost_agree : assert (access_waited_q == losses_q);
    end
  end
`endif
endmodule
`default_nettype wire

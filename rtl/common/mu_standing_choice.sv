// SPDX-License-Identifier: Apache-2.0
// mu_standing_choice: one of COUNT that ask, chosen ahead of its use, round robin.
//
//   ask_i[COUNT] ---> [ round robin ] ---> valid_o, choice_o (a register)
//
// Behaviour: whoever is chosen stays the choice as long as it asks; then the next behind it that asks is
//   chosen. valid_o says that there is a choice and that it still asks.
// Latency: ask to valid_o 1 cycle, from the end of one choice to the next 1 cycle.
// Limits: COUNT 2 to 128. valid_o looks at ask_i at once, choice_o does not.
`default_nettype none

module mu_standing_choice #(
    parameter  int unsigned COUNT = 32,
    localparam int unsigned WIDTH = $clog2(COUNT)
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic [COUNT-1:0] ask_i,
    output logic             valid_o,
    output logic [WIDTH-1:0] choice_o
);
  if (COUNT < 2 || COUNT > 128) $error("mu_standing_choice: COUNT must be 2 to 128");

  logic             valid_q;
  logic [WIDTH-1:0] choice_q;
  logic [COUNT-1:0] behind_q;    // they come first
  logic [COUNT-1:0] candidates;
  logic [COUNT-1:0] grant;
  logic [WIDTH-1:0] choice;

  assign valid_o  = valid_q && ask_i[choice_q];
  assign choice_o = choice_q;

  always_comb begin
    candidates = '0;
    grant      = '0;
    choice     = '0;
    if (ask_i != '0 && !valid_o) begin
      candidates = (ask_i & behind_q) != '0 ? ask_i & behind_q : ask_i;
      grant      = candidates & (~candidates + 1'b1);
      for (int unsigned i = 0; i < COUNT; i++) if (grant[i]) choice = choice | WIDTH'(i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q  <= 1'b0;
      behind_q <= '0;
    end else begin
      valid_q <= valid_o || grant != '0;
      // All ones above the one that is chosen.
      if (grant != '0) behind_q <= ~(grant | (grant - 1'b1));
    end
  end
  always_ff @(posedge clk_i) if (grant != '0) choice_q <= choice;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      chooses_one : assert ($onehot0(grant));
      chooses_who_asks : assert ((grant & ~ask_i) == '0);
    end
  end
`ifdef PROVE_MU_STANDING_CHOICE
  // One that asks is chosen after at most one choice of every other; a choice that asks stays.
  (* anyconst *) logic [WIDTH-1:0] watched;
  logic             past_q = 1'b0;
  logic             valid_past_q;
  logic [WIDTH-1:0] choice_past_q;
  logic             asked_q;
  logic [COUNT-1:0] before_q;  // chosen since the one that is watched asks
  always_comb begin
    if (!past_q) assume (!rst_ni);
    assume (32'(watched) < COUNT);
  end
  always_ff @(posedge clk_i) begin
    past_q        <= 1'b1;
    valid_past_q  <= rst_ni && valid_o;
    choice_past_q <= choice_q;
    asked_q       <= rst_ni && ask_i != '0;
    if (!rst_ni || !ask_i[watched] || (valid_o && choice_q == watched)) before_q <= '0;
    else if (grant != '0) before_q <= before_q | grant;
    if (past_q && rst_ni) begin
      if (asked_q) chooses_when_asked : assert (valid_q);
      if (valid_past_q) choice_stands : assert (choice_q == choice_past_q);
      if (valid_o) choice_asks : assert (ask_i[choice_q]);
      if (ask_i[watched]) none_goes_before_it_twice : assert ((grant & before_q) == '0);
    end
  end
`endif
endmodule
`default_nettype wire

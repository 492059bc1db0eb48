// SPDX-License-Identifier: Apache-2.0
// mu_arbiter: round-robin choice of one requester out of COUNT, locked until its transfer is accepted.
//
//   request_i[COUNT] ---> [ round robin + lock ] ---> valid_o, grant_o (one-hot), index_o
//                                 ^--- accept_i: the granted transfer is done
//
// Behaviour: valid_o is high while anybody requests; then grant_o has exactly one bit, that of a requester,
//   and index_o is its number. The choice stays until accept_i; the search then starts behind the winner,
//   so a standing request waits for at most COUNT-1 other transfers.
// Latency: combinational from request_i to grant_o; one choice a cycle.
// Limits: COUNT >= 1. A request must stand until it is accepted (asserted): one that is withdrawn while it
//   holds the lock loses it and the search starts anew. accept_i without valid_o is ignored.
`default_nettype none

module mu_arbiter #(
    parameter  int unsigned COUNT       = 4,
    localparam int unsigned INDEX_WIDTH = COUNT > 1 ? $clog2(COUNT) : 1
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    // requesters
    input  logic [COUNT-1:0]       request_i,
    output logic                   valid_o,
    output logic [COUNT-1:0]       grant_o,
    output logic [INDEX_WIDTH-1:0] index_o,
    // the resource that is shared
    input  logic                   accept_i
);
  if (COUNT < 1) $error("mu_arbiter: COUNT must be at least 1");

  logic [COUNT-1:0] behind_q;  // requesters behind the last winner: they come first
  logic [COUNT-1:0] locked_q;  // the choice that waits for its acceptance, or none
  logic [COUNT-1:0] preferred;
  logic [COUNT-1:0] held;
  logic [COUNT-1:0] candidates;

  assign preferred  = request_i & behind_q;
  assign held       = request_i & locked_q;
  assign candidates = held != '0 ? held : preferred != '0 ? preferred : request_i;
  assign grant_o    = candidates & (~candidates + 1'b1);
  assign valid_o    = request_i != '0;

  always_comb begin
    index_o = '0;
    for (int i = 0; i < COUNT; i++) if (grant_o[i]) index_o = index_o | INDEX_WIDTH'(i);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      behind_q <= '0;
      locked_q <= '0;
    end else if (valid_o) begin
      locked_q <= accept_i ? '0 : grant_o;
      // All ones above the winner's bit.
      if (accept_i) behind_q <= ~(grant_o | (grant_o - 1'b1));
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      grants_one : assert ($onehot0(grant_o));
      grants_a_requester : assert ((grant_o & ~request_i) == '0);
      grants_when_requested : assert (valid_o == (grant_o != '0));
      locked_request_stands : assert ((locked_q & ~request_i) == '0);
    end
  end

`ifdef PROVE_MU_ARBITER
  logic                   past_q = 1'b0;
  logic [COUNT-1:0]       waiting_q;  // requests that were not accepted in the last cycle
  logic [COUNT-1:0]       last_grant_q;
  logic [COUNT-1:0]       watched_q;  // any one requester, chosen while in reset
  logic [INDEX_WIDTH-1:0] lost_q;     // transfers of others while it waits
  logic                   watched_waits;
  assign watched_waits = (request_i & watched_q & ~grant_o) != '0;
  always_comb if (!past_q) assume (!rst_ni);
  always_ff @(posedge clk_i) begin
    past_q       <= 1'b1;
    waiting_q    <= rst_ni ? request_i & ~(accept_i ? grant_o : '0) : '0;
    last_grant_q <= rst_ni && valid_o && !accept_i ? grant_o : '0;
    if (!rst_ni) watched_q <= request_i;
    if (!rst_ni || (request_i & watched_q) == '0 || (accept_i && !watched_waits)) lost_q <= '0;
    else if (accept_i && watched_waits) lost_q <= lost_q + 1'b1;
    if (past_q && rst_ni) begin
      assume ((waiting_q & ~request_i) == '0);
      assume ($countones(watched_q) == 1);
      if (last_grant_q != '0) choice_stays_until_accepted : assert (grant_o == last_grant_q);
      if (watched_waits) others_first_at_most_once : assert (32'(lost_q) < COUNT - 1);
      if (valid_o) index_names_the_grant : assert (grant_o[index_o]);
    end
  end
`endif
endmodule
`default_nettype wire

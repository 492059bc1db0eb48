// SPDX-License-Identifier: Apache-2.0
// mu_ring_update_proof: the indices and the lap of one ring through any sequence of operations.
//
//   any legal operation ---> [ mu_ring_update ] ---> registers of one ring ---> invariants
//
// Behaviour: a proof harness. Operations are free but for what their makers promise: fetch only what is
//   published, publish only what is reserved, retire what was fetched (a descriptor may retire the one before
//   it too), rewind to something that was fetched and not retired, or hold behind it, in the lap in which it
//   was fetched. The number of used slots is counted beside the indices.
// Latency: one operation a cycle.
// Limits: a ring is filled either by doorbells or by reservations, as its mode says; a cyclic one by
//   doorbells.
`default_nettype none

module mu_ring_update_proof #(
    parameter int unsigned INDEX_WIDTH    = 5,
    parameter int unsigned POSITION_WIDTH = 3
) (
    input logic                      clk_i,
    input logic                      rst_ni,
    input logic [               2:0] operation_i,
    input logic                      halt_i,
    input logic [   INDEX_WIDTH-1:0] index_i,
    input logic [               3:0] count_i
);
  localparam logic [2:0] DOORBELL = 3'd1;
  localparam logic [2:0] RESERVE = 3'd2;
  localparam logic [2:0] PUBLISH = 3'd3;
  localparam logic [2:0] FETCH = 3'd4;
  localparam logic [2:0] RETIRE = 3'd5;
  localparam logic [2:0] REWIND = 3'd6;
  localparam logic [2:0] HOLD = 3'd7;

  (* anyconst *) logic [POSITION_WIDTH:0] size;
  (* anyconst *) logic                    by_doorbell;
  (* anyconst *) logic                    cyclic;

`ifdef FORMAL
  logic                      past_q = 1'b0;
`else
  logic                      past_q;
`endif
  logic                      halted_q;
  logic [   INDEX_WIDTH-1:0] head_q, fetch_q, published_q, reserved_q;
  logic [   INDEX_WIDTH-1:0] used_q;  // slots taken and not given back, counted beside the indices
  logic                      accept;
  logic [   INDEX_WIDTH-1:0] head_d, fetch_d, published_d, reserved_d;
  logic [   INDEX_WIDTH-1:0] back;  // how far a rewind goes
  logic [   INDEX_WIDTH-1:0] last;  // slot of the ring
  logic [   INDEX_WIDTH-1:0] lap_q, lap_d, rewind_lap;
  logic [   INDEX_WIDTH-1:0] retired;  // by this operation

  // The lap that belongs to index_i, from the one that belongs to the fetch index.
  assign last       = INDEX_WIDTH'(size) - 1'b1;
  assign back       = fetch_q - index_i;
  assign rewind_lap = (fetch_q & last) >= back ? lap_q : lap_q - 1'b1;
  assign retired    = index_i + 1'b1 - head_q;

  mu_ring_update #(
      .INDEX_WIDTH   (INDEX_WIDTH),
      .POSITION_WIDTH(POSITION_WIDTH)
  ) u_ring_update (
      .reset_i       (1'b0),
      .doorbell_i    (operation_i == DOORBELL),
      .reserve_i     (operation_i == RESERVE),
      .publish_i     (operation_i == PUBLISH),
      .fetch_i       (operation_i == FETCH),
      .retire_i      (operation_i == RETIRE),
      .halt_i,
      .rewind_i      (operation_i == REWIND),
      .hold_i        (operation_i == HOLD),
      .index_i,
      .lap_i         (rewind_lap),
      .count_i,
      .cyclic_i      (cyclic),
      .size_i        (size),
      .head_i        (head_q),
      .fetch_index_i (fetch_q),
      .published_i   (published_q),
      .reserved_i    (reserved_q),
      .fetch_lap_i   (lap_q),
      .accept_o      (accept),
      .head_o        (head_d),
      .fetch_index_o (fetch_d),
      .published_o   (published_d),
      .reserved_o    (reserved_d),
      .fetch_lap_o   (lap_d)
  );

  always_comb if (!past_q) assume (!rst_ni);
  always_comb begin
    assume (size != '0 && (size & (size - 1'b1)) == '0);
    assume (count_i != '0 && count_i <= 4'd8);
    assume (!cyclic || by_doorbell);
    unique case (operation_i)
      DOORBELL: assume (by_doorbell);
      RESERVE:  assume (!by_doorbell);
      PUBLISH:  assume (!by_doorbell && reserved_q - published_q >= INDEX_WIDTH'(count_i));
      FETCH:    assume (!halted_q && fetch_q != published_q);
      RETIRE:   assume (index_i - head_q < fetch_q - head_q);
      REWIND, HOLD: begin
        assume (!halted_q && fetch_q != head_q && index_i - head_q < fetch_q - head_q);
      end
      default:  ;
    endcase
  end

  always_ff @(posedge clk_i) begin
    past_q <= 1'b1;
    if (!rst_ni) begin
      {head_q, fetch_q, published_q, reserved_q, used_q, lap_q} <= '0;
      halted_q <= 1'b0;
    end else begin
      head_q      <= head_d;
      fetch_q     <= fetch_d;
      published_q <= published_d;
      reserved_q  <= reserved_d;
      lap_q       <= lap_d;
      halted_q    <= halted_q || (operation_i == RETIRE && halt_i);
      if (operation_i == RETIRE) used_q <= cyclic ? used_q : used_q - retired;
      else if (operation_i == RESERVE && accept) used_q <= used_q + INDEX_WIDTH'(count_i);
      else if (operation_i == DOORBELL && accept) used_q <= used_q + (index_i - published_q);
    end
  end

  // Combinational, so that one step of induction is enough.
  always_comb begin
    if (past_q && rst_ni) begin
      counts_what_it_holds : assert (used_q == reserved_q - head_q);
      never_more_than_the_ring : assert (used_q <= INDEX_WIDTH'(size));
      fetched_is_published : assert (fetch_q - head_q <= published_q - head_q);
      if (by_doorbell) doorbells_publish_at_once : assert (published_q == reserved_q);
      published_is_reserved : assert (published_q - head_q <= reserved_q - head_q);
      if (cyclic)
        a_loop_is_whole_or_empty :
        assert (used_q == '0 || used_q == INDEX_WIDTH'(size));
      // Modulo 2**INDEX_WIDTH, as everything here.
      if (!halted_q)
        the_lap_is_that_of_the_index : assert ((fetch_q & ~last) == lap_q * INDEX_WIDTH'(size));
      if (operation_i == RESERVE)
        takes_exactly_what_fits :
        assert (accept == (used_q + INDEX_WIDTH'(count_i) <= INDEX_WIDTH'(size)));
      if (operation_i == DOORBELL && index_i == published_q) takes_the_same_tail_again : assert (accept);
      if (operation_i == DOORBELL && index_i == published_q + 1'b1 && !cyclic)
        takes_one_more_unless_full : assert (accept == (used_q < INDEX_WIDTH'(size)));
      if (operation_i == DOORBELL && index_i == published_q - 1'b1 && used_q != '1)
        never_backwards : assert (!accept);
    end
  end
endmodule
`default_nettype wire

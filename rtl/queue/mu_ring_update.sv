// SPDX-License-Identifier: Apache-2.0
// mu_ring_update: what one operation does to the indices of one descriptor ring.
//
//   indices, lap, size ---> [ one operation ] ---> next indices and lap, accept_o
//
// Behaviour: indices run freely and wrap; the size is a power of two, so an index has its slot in its low
//   bits. Always head <= fetch <= published <= reserved <= head + size, seen from head. doorbell: reserved
//   and published go to index_i, if that is not behind published and not past head + size. reserve: reserved
//   moves by count_i if there is room. publish: published moves by count_i, fetch: fetch moves by one,
//   retire: head goes to index_i + 1 and, with halt_i, fetch too; of a cyclic ring published and reserved
//   move as far as head, so that what is done is posted again. rewind: fetch goes back to index_i in lap_i;
//   hold: to the slot behind that one. The lap counts how often fetch has wrapped. A doorbell of a cyclic
//   ring posts all of it. reset: everything is zero. accept_o is low for a doorbell or reserve that was
//   refused; then nothing changes.
// Latency: combinational.
// Limits: at most one operation; size_i a power of two, 1 to 2**POSITION_WIDTH < 2**(INDEX_WIDTH - 1).
//   count_i <= 8.
`default_nettype none

module mu_ring_update #(
    parameter int unsigned INDEX_WIDTH    = 32,
    parameter int unsigned POSITION_WIDTH = 24
) (
    // operation
    input  logic                      reset_i,
    input  logic                      doorbell_i,
    input  logic                      reserve_i,
    input  logic                      publish_i,
    input  logic                      fetch_i,
    input  logic                      retire_i,
    input  logic                      halt_i,
    input  logic                      rewind_i,
    input  logic                      hold_i,
    input  logic [   INDEX_WIDTH-1:0] index_i,
    input  logic [   INDEX_WIDTH-1:0] lap_i,
    input  logic [               3:0] count_i,
    // ring as it is
    input  logic                      cyclic_i,
    input  logic [  POSITION_WIDTH:0] size_i,
    input  logic [   INDEX_WIDTH-1:0] head_i,
    input  logic [   INDEX_WIDTH-1:0] fetch_index_i,
    input  logic [   INDEX_WIDTH-1:0] published_i,
    input  logic [   INDEX_WIDTH-1:0] reserved_i,
    input  logic [   INDEX_WIDTH-1:0] fetch_lap_i,
    // ring as it will be
    output logic                      accept_o,
    output logic [   INDEX_WIDTH-1:0] head_o,
    output logic [   INDEX_WIDTH-1:0] fetch_index_o,
    output logic [   INDEX_WIDTH-1:0] published_o,
    output logic [   INDEX_WIDTH-1:0] reserved_o,
    output logic [   INDEX_WIDTH-1:0] fetch_lap_o
);
  if (INDEX_WIDTH < POSITION_WIDTH + 2) $error("mu_ring_update: INDEX_WIDTH is too small for the size");
  if (POSITION_WIDTH < 3) $error("mu_ring_update: POSITION_WIDTH must be at least 3");

  logic [  INDEX_WIDTH-1:0] ahead;  // how far the new tail is from head
  logic [  INDEX_WIDTH-1:0] posted;
  logic [  INDEX_WIDTH-1:0] used;  // with the slots that are asked for
  logic [POSITION_WIDTH-1:0] last;      // slot of the ring: all bits of a slot are set in it
  logic                      lap_ends;  // fetch is in it, and moves on

  assign last     = POSITION_WIDTH'(size_i) - 1'b1;
  assign lap_ends = (POSITION_WIDTH'(hold_i ? index_i : fetch_index_i) & last) == last;

  always_comb begin
    accept_o      = 1'b1;
    head_o        = head_i;
    fetch_index_o = fetch_index_i;
    published_o   = published_i;
    reserved_o    = reserved_i;
    fetch_lap_o   = fetch_lap_i;
    ahead         = '0;
    posted        = '0;
    used          = '0;
    unique case (1'b1)
      reset_i: begin
        head_o        = '0;
        fetch_index_o = '0;
        published_o   = '0;
        reserved_o    = '0;
        fetch_lap_o   = '0;
      end
      doorbell_i: begin
        ahead    = index_i - head_i;
        posted   = published_i - head_i;
        accept_o = ahead <= INDEX_WIDTH'(size_i) && ahead >= posted &&
            (!cyclic_i || ahead == INDEX_WIDTH'(size_i) || ahead == posted);
        if (accept_o) begin
          published_o = index_i;
          reserved_o  = index_i;
        end
      end
      reserve_i: begin
        posted   = reserved_i - head_i;
        used     = posted + INDEX_WIDTH'(count_i);
        accept_o = used <= INDEX_WIDTH'(size_i);
        if (accept_o) reserved_o = reserved_i + INDEX_WIDTH'(count_i);
      end
      publish_i: published_o = published_i + INDEX_WIDTH'(count_i);
      fetch_i: begin
        fetch_index_o = fetch_index_i + 1'b1;
        if (lap_ends) fetch_lap_o = fetch_lap_i + 1'b1;
      end
      retire_i: begin
        head_o = index_i + 1'b1;
        if (halt_i) fetch_index_o = index_i + 1'b1;
        if (cyclic_i) begin
          published_o = published_i + (head_o - head_i);
          reserved_o  = reserved_i + (head_o - head_i);
        end
      end
      rewind_i: begin
        fetch_index_o = index_i;
        fetch_lap_o   = lap_i;
      end
      hold_i: begin
        fetch_index_o = index_i + 1'b1;
        fetch_lap_o   = lap_i;
        if (lap_ends) fetch_lap_o = lap_i + 1'b1;
      end
      default: ;
    endcase
  end
endmodule
`default_nettype wire

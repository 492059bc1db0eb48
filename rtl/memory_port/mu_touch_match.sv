// SPDX-License-Identifier: Apache-2.0
// mu_touch_match: which marked ranges of memory a transfer overlaps, one range a cycle.
//
//   address, bytes (valid/ready) --> [ range by range ] --> hit_o, a bit a range (done/taken)
//   row_i (pulse) --> [ begin and end of each range ] ---^
//
// Behaviour: of a transfer that is taken, hit_o[r] with done_o says whether enable_i[r] was high then and the
//   intervals [address, address + bytes) and [base r, end r) share a byte. done_o and hit_o stand until
//   taken_i. Sums have a bit more than their terms, so that nothing wraps.
// Latency: done_o one cycle after the transfer was taken if no range is enabled or there are no bytes, else
//   two cycles and one for each range enabled.
// Limits: a range has a row before it is enabled. One that changes while it is looked for counts as it was or
//   as it is. One transfer at a time.
`default_nettype none

module mu_touch_match #(
    parameter int unsigned RANGES = mu_pkg::TOUCH_RANGES
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    // transfer
    input  logic               valid_i,
    output logic               ready_o,
    input  logic [39:0]        address_i,
    input  logic [9:0]         bytes_i,
    input  logic [RANGES-1:0]  enable_i,
    // result
    output logic               done_o,
    input  logic               taken_i,
    output logic [RANGES-1:0]  hit_o,
    // touch table
    input  mu_pkg::touch_row_t row_i
);
  localparam int unsigned INDEX_WIDTH = RANGES > 1 ? $clog2(RANGES) : 1;

  (* no_rw_check *) logic [80:0] rows[RANGES];  // end, base
  logic [80:0]            word_q;
  logic [40:0]            end_q;      // of the range in word_q
  logic [39:0]            base_q;
  logic                   valid_q;
  logic [RANGES-1:0]      rest_q;     // ranges that are still to be read
  logic [RANGES-1:0]      row_q;      // the range in word_q, one-hot
  logic [RANGES-1:0]      hit_q;
  logic [39:0]            address_q;
  logic [40:0]            transfer_end_q;
  logic [RANGES-1:0]      next;       // the range to be read, one-hot
  logic [INDEX_WIDTH-1:0] index;

  assign ready_o = !valid_q;
  assign done_o  = valid_q && rest_q == '0 && row_q == '0;
  assign hit_o   = hit_q;
  assign next    = rest_q & (~rest_q + RANGES'(1));
  assign {end_q, base_q} = word_q;
  always_comb begin
    index = '0;
    for (int unsigned r = 0; r < RANGES; r++) if (next[r]) index = index | INDEX_WIDTH'(r);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      rest_q  <= '0;
      row_q   <= '0;
      hit_q   <= '0;
    end else if (!valid_q) begin
      valid_q <= valid_i;
      rest_q  <= valid_i && bytes_i != '0 ? enable_i : '0;
      hit_q   <= '0;
    end else begin
      valid_q <= !(done_o && taken_i);
      rest_q  <= rest_q & ~next;
      row_q   <= next;
      if (41'(address_q) < end_q && 41'(base_q) < transfer_end_q) hit_q <= hit_q | row_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (valid_i && !valid_q) begin
      address_q      <= address_i;
      transfer_end_q <= 41'(address_i) + 41'(bytes_i);
    end
  end
  always_ff @(posedge clk_i) begin
    if (row_i.valid) rows[INDEX_WIDTH'(row_i.index)] <= {row_i.range_end, row_i.base};
  end
  always_ff @(posedge clk_i) if (rest_q != '0) word_q <= rows[index];

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      one_row_at_a_time : assert ($onehot0(row_q) && (row_q & rest_q) == '0);
      if (!valid_q) idle_is_empty : assert (rest_q == '0 && row_q == '0);
      if (row_i.valid) row_is_there : assert (32'(row_i.index) < RANGES);
    end
  end
endmodule
`default_nettype wire

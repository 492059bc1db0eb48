// SPDX-License-Identifier: Apache-2.0
// mu_touch_match: which marked ranges of memory a transfer overlaps.
//
//   address, bytes --> [ compare with every range ] --> hit_o, a bit a range
//
// Behaviour: hit_o[r] = enable_i[r] and the intervals [address, address + bytes) and [base r, base r +
//   length r) share a byte. Sums have a bit more than their terms, so that nothing wraps.
// Latency: combinational. Costs nothing in simulation while no range is enabled or valid_i is low.
// Limits: any input. bytes 0 or length 0 overlaps nothing. hit_o is zero while valid_i is low.
`default_nettype none

module mu_touch_match #(
    parameter int unsigned RANGES = mu_pkg::TOUCH_RANGES
) (
    input  logic                 valid_i,
    input  logic [39:0]          address_i,
    input  logic [9:0]           bytes_i,
    input  logic [RANGES-1:0]    enable_i,
    input  logic [RANGES*40-1:0] base_i,
    input  logic [RANGES*41-1:0] length_i,
    output logic [RANGES-1:0]    hit_o
);
  logic [40:0] transfer_end;
  logic [41:0] range_end;

  always_comb begin
    hit_o        = '0;
    transfer_end = '0;
    range_end    = '0;
    if (valid_i && enable_i != '0) begin
      transfer_end = 41'(address_i) + 41'(bytes_i);
      for (int r = 0; r < RANGES; r++) begin
        range_end = 42'(base_i[r*40+:40]) + 42'(length_i[r*41+:41]);
        hit_o[r] = enable_i[r] && bytes_i != '0 && length_i[r*41+:41] != '0 && 42'(address_i) < range_end &&
            41'(base_i[r*40+:40]) < transfer_end;
      end
    end
  end
endmodule
`default_nettype wire

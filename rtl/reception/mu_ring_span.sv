// SPDX-License-Identifier: Apache-2.0
// mu_ring_span: where a run of ring slots lies in memory; one that passes the ring's end has two parts.
//
//   base, size, position, slots ---> [ multiply, cut at the end ] ---> first part, second part
//
// Behaviour: the first part begins at base + position * slot bytes and ends with the run or with the ring;
//   split_o is high exactly if slots are left over, and then the second part holds them from base on.
// Latency: none, combinational.
// Limits: SLOT_BYTES_LOG2 5 (reception FIFO, notice ring) or 6 (descriptors). position_i <= size_i, slots_i
//   <= size_i, at most 17 slots (544 bytes); whoever sets base and size makes sure that the ring ends below
//   2^40.
`default_nettype none

module mu_ring_span #(
    parameter  int unsigned SLOT_BYTES_LOG2 = 5,
    localparam int unsigned SLOTS_WIDTH     = 10 - SLOT_BYTES_LOG2
) (
    input  logic                   enable_i,  // without it all parts are zero
    // the ring
    input  logic [39:0]            base_i,
    input  logic [24:0]            size_i,
    input  logic [23:0]            position_i,
    input  logic [SLOTS_WIDTH-1:0] slots_i,
    // its parts
    output logic [39:0]            address_o,
    output logic [9:0]             bytes_o,
    output logic                   split_o,
    output logic [9:0]             second_bytes_o
);
  logic [24:0]            to_end;
  logic [SLOTS_WIDTH-1:0] first_slots;
  logic [SLOTS_WIDTH-1:0] second_slots;

  always_comb begin
    to_end         = '0;
    split_o        = 1'b0;
    first_slots    = '0;
    second_slots   = '0;
    address_o      = '0;
    bytes_o        = '0;
    second_bytes_o = '0;
    if (enable_i) begin
      to_end         = size_i - {1'b0, position_i};
      split_o        = 25'(slots_i) > to_end;
      first_slots    = split_o ? to_end[SLOTS_WIDTH-1:0] : slots_i;
      second_slots   = slots_i - first_slots;
      address_o      = base_i + (40'(position_i) << SLOT_BYTES_LOG2);
      bytes_o        = 10'(first_slots) << SLOT_BYTES_LOG2;
      second_bytes_o = 10'(second_slots) << SLOT_BYTES_LOG2;
    end
  end
endmodule
`default_nettype wire

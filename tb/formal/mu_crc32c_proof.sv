// SPDX-License-Identifier: Apache-2.0
// mu_crc32c_proof: the rows of the CRC against the shift register that defines it.
//
//   one bit of a flit or of a state ---> [ mu_crc32c ] ---> same state? <--- [ shift register, 128 steps ]
//
// Behaviour: a proof harness. Every row is a parity, so that what holds of single bits holds of their sums.
// Latency: combinational.
// Limits: none.
`default_nettype none

module mu_crc32c_proof (
    input logic       enable_i,
    input logic       trailer_i,
    input logic [7:0] place_i,    // in flit and state
    input logic       bit_i
);
  logic [127:0] data;
  logic [ 31:0] state, crc, expected;
  assign {state, data} = 160'(bit_i) << place_i;
  mu_crc32c u_crc32c (
      .enable_i,
      .trailer_i,
      .crc_i (state),
      .data_i(data),
      .crc_o (crc)
  );
  always_comb begin
    expected = state;
    for (int unsigned i = 0; i < 128; i++)
      if (i < 96 || !trailer_i)
        expected = (expected >> 1) ^ (expected[0] ^ data[i] ? 32'h82F6_3B78 : 32'd0);
    as_the_shift_register_does : assert (crc == (enable_i ? expected : 32'd0));
  end
endmodule
`default_nettype wire

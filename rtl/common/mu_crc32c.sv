// SPDX-License-Identifier: Apache-2.0
// mu_crc32c: one step of the packets' CRC-32C (Castagnoli, reflected) over one flit.
//
//   crc_i, data_i (one flit) ---> [ 32 parities over data and crc ] ---> crc_o
//
// Behaviour: crc_o is the state after the flit, from state crc_i before it, bytes in memory order, bit 0 of a
//   byte first (polynomial 0x82F63B78). With trailer_i only bits 95:0 count, as in a trailer flit. A packet
//   starts from 32'hffffffff, and its crc field is the inverse of the last state. enable_i low: crc_o is
//   zero.
// Latency: combinational.
// Limits: none; enable_i only saves work in simulation and switching in hardware, data is free.
`default_nettype none

module mu_crc32c (
    input  logic         enable_i,
    input  logic         trailer_i,
    input  logic [ 31:0] crc_i,
    input  logic [127:0] data_i,
    output logic [ 31:0] crc_o
);
  // Row i, from bit 0 up: bit i of the new state is the parity of these bits of flit plus state.
  // The unit test compares each row with the shift register that defines the CRC.
  localparam logic [32*128-1:0] ROWS = {
    128'h8fc8e57b1c379612ef13a98c0caa668f,
    128'h47e472bd8e1bcb097789d4c606553347,
    128'h23f2395ec70de584bbc4ea63032a99a3,
    128'h11f91caf6386f2c25de2753181954cd1,
    128'h08fc8e57b1c379612ef13a98c0caa668,
    128'h047e472bd8e1bcb097789d4c60655334,
    128'h8df7c6eef047484aa4afe72a3c98cf15,
    128'h46fbe3777823a4255257f3951e4c678a,
    128'hacb514c0a026440046385046838c554a,
    128'hd9926f1b4c24b412cc0f81af4d6c4c2a,
    128'he301d2f6ba25cc1b8914695baa1c409a,
    128'hfe480c004125701f2b999d21d9a446c2,
    128'h7f2406002092b80f95ccce90ecd22361,
    128'hb05ae67b0c7eca1525f5cec47ac3773f,
    128'hd7e596469a08f3187de94eee31cbdd10,
    128'h6bf2cb234d04798c3ef4a77718e5ee88,
    128'h35f96591a6823cc61f7a53bb8c72f744,
    128'h1afcb2c8d3411e630fbd29ddc6397ba2,
    128'h82b6bc1f7597192368cd3d62efb6db5e,
    128'hce93bb74a6fc1a835b75373d7b710b20,
    128'he88138c14f499b5342a93212b112e31f,
    128'h74409c60a7a4cda9a15499095889718f,
    128'hb5e8ab4b4fe5f0c63fb9e508a0eede48,
    128'hd53cb0debbc56e71f0cf5b085cdd09ab,
    128'h6a9e586f5de2b738f867ad842e6e84d5,
    128'hba87c94cb2c6cd8e93207f4e1b9d24e5,
    128'hd28b01dd4554f0d5a683962b0164f4fd,
    128'he68d6595be9dee783c5262998c181cf1,
    128'hfc8e57b1c379612ef13a98c0caa668f7,
    128'h7e472bd8e1bcb097789d4c606553347b,
    128'h3f2395ec70de584bbc4ea63032a99a3d,
    128'h1f91caf6386f2c25de2753181954cd1e
  };

  // A state of zero does not move over zeros, so 96 bits are 128 bits that begin with 32 zeros.
  // Two halves of 64 bits: a parity of one machine word each in simulation.
  logic [63:0] low;
  logic [63:0] high;
  always_comb begin
    low   = '0;
    high  = '0;
    crc_o = '0;
    if (enable_i) begin
      low  = trailer_i ? {data_i[31:0] ^ crc_i, 32'b0} : data_i[63:0] ^ {32'b0, crc_i};
      high = trailer_i ? data_i[95:32] : data_i[127:64];
      for (int unsigned i = 0; i < 32; i++)
        crc_o = crc_o | 32'(^((low & ROWS[i*128+:64]) ^ (high & ROWS[i*128+64+:64]))) << i;
    end
  end
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_crc32c: one step of the packets' CRC-32C over one flit, for the node model of the fast engine.
//
//   crc_i, data_i (one flit) ---> [ crc32c_step() of sim/model/crc32c_step.h ] ---> crc_o
//
// Behaviour: that of rtl/common/mu_crc32c.sv, which all other models and synthesis read: 32 parities cost a
//   simulator 300 instructions, the processor has one for 64 bits. tests/common/crc32c_test.cc shows both
//   equal; the mesh engine, which runs the other, gives the same flits.
// Latency: combinational.
// Limits: for Verilator alone.
`default_nettype none

module mu_crc32c (
    input  logic         enable_i,
    input  logic         trailer_i,
    input  logic [ 31:0] crc_i,
    input  logic [127:0] data_i,
    output logic [ 31:0] crc_o
);
  always_comb begin
    crc_o = '0;
    if (enable_i) begin
      crc_o = $c("torusmu::crc32c_step(", trailer_i, ", ", crc_i, ", ", data_i[63:0], ", ", data_i[127:64],
                 ")");
    end
  end
endmodule
`default_nettype wire

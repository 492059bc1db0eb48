// SPDX-License-Identifier: Apache-2.0
// mu_immediate_payload: the payload flit of a descriptor that carries its payload in itself.
//
//   immediate_i, length_i ---> [ bytes behind the length become zero ] ---> payload_o
//
// Behaviour: byte i of payload_o is byte i of immediate_i if i < length_i, else zero. enable_i low: all zero.
// Latency: combinational.
// Limits: a length above 16 counts as 16.
`default_nettype none

module mu_immediate_payload (
    input  logic         enable_i,
    input  logic [  4:0] length_i,
    input  logic [127:0] immediate_i,
    output logic [127:0] payload_o
);
  always_comb begin
    payload_o = '0;
    if (enable_i) begin
      for (int unsigned i = 0; i < 16; i++)
        if (5'(i) < length_i) payload_o[i*8+:8] = immediate_i[i*8+:8];
    end
  end

`ifdef PROVE_MU_IMMEDIATE_PAYLOAD
  // What is proved of mu_immediate_payload, of any byte: it is that of the immediate, or zero behind the
  // length.
  (* anyconst *) logic [3:0] place;
  logic [7:0] given, shown;
  assign given = 8'(immediate_i >> {place, 3'd0});
  assign shown = 8'(payload_o >> {place, 3'd0});
  always_comb begin
    if (enable_i && 32'(place) < 32'(length_i)) bytes_of_the_length_are_there : assert (shown == given);
    else nothing_behind_it : assert (shown == '0);
  end
`endif
endmodule
`default_nettype wire

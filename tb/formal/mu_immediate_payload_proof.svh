// SPDX-License-Identifier: Apache-2.0
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

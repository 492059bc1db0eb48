// SPDX-License-Identifier: Apache-2.0
// mu_router_class_coverage: every turn of the router, in the class that this is.
//
//   what a class sends, and who owns each output ---> cover points
//
// Behaviour: gen_from[i].gen_to[o] is a head from input i leaving on output o (0 to 5: xp xm yp ym zp zm; 6:
//   this node), for each turn that dimension order allows; besides, that a head found the output taken, that
//   the first place beyond it was free, and that a packet went on in its ring into the reserved place.
// Latency: counts at each clock edge out of reset.
// Limits: bound to models that count only. LEGAL is the table of mu_router.
`default_nettype none

module mu_router_class_coverage (
    input logic        clk_i,
    input logic        rst_ni,
    input logic [6:0]  send_o,
    input logic [6:0]  first_o,
    input logic [48:0] owner_o,
    input logic [6:0]  stall_o,
    input logic [6:0]  starved
);
  // LEGAL[7*i+o]: a packet that came in at i may leave on o.
  localparam logic [48:0] LEGAL = {
    7'b1111111, 7'b1010000, 7'b1100000, 7'b1110100, 7'b1111000, 7'b1111101, 7'b1111110
  };
  for (genvar i = 0; i < 7; i++) begin : gen_from
    for (genvar o = 0; o < 7; o++) begin : gen_to
      if (LEGAL[7*i+o]) begin : gen_legal
        always_ff @(posedge clk_i) begin
          if (rst_ni) turned : cover (send_o[o] && first_o[o] && owner_o[7*o+i]);
        end
      end
    end
  end
  for (genvar o = 0; o < 7; o++) begin : gen_output
    always_ff @(posedge clk_i) begin
      if (rst_ni) waited : cover (stall_o[o]);
    end
  end
  for (genvar i = 0; i < 7; i++) begin : gen_input
    always_ff @(posedge clk_i) begin
      if (rst_ni) lost_patience : cover (starved[i]);
    end
  end
endmodule

bind mu_router_class mu_router_class_coverage u_coverage (.*);
`default_nettype wire

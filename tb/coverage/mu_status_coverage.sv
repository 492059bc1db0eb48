// SPDX-License-Identifier: Apache-2.0
// mu_status_coverage: which statuses somebody was told.
//
//   a status, and when it is told ---> cover points
//
// Behaviour: gen_status[n].told for each status of rtl/package/enums.def.
// Latency: counts at each clock edge out of reset.
// Limits: bound to models that count only. Instances named u_any_* are one: a status is told here or
//   there.
`default_nettype none

module mu_status_coverage (
    input logic       clk_i,
    input logic       rst_ni,
    input logic       valid_i,
    input logic [7:0] status_i
);
  for (genvar n = 0; n < 33; n++) begin : gen_status
    always_ff @(posedge clk_i) begin
      if (rst_ni && valid_i) told : cover (32'(status_i) == n);
    end
  end
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_reflection_credits_coverage: how many reflections each direction has owed.
//
//   what was sent and what returned ---> cover points
//
// Behaviour: gen_direction[d] (0 to 5: x+ x- y+ y- z+ z-; 6: this node) has owed as many as it has slots, has
//   given the last one back, and has been sent more than it has slots.
// Latency: counts at each clock edge out of reset.
// Limits: bound to models that count only.
`default_nettype none

module mu_reflection_credits_coverage (
    input logic         clk_i,
    input logic         rst_ni,
    input logic [55:0]  slots,
    input logic [111:0] sent,
    input logic [111:0] back,
    input logic [6:0]   returned,
    input logic         all_returned
);
  for (genvar d = 0; d < 7; d++) begin : gen_direction
    always_ff @(posedge clk_i) begin
      if (rst_ni && slots[8*d+:8] != '0) begin
        all_owed : cover (sent[16*d+:16] - back[16*d+:16] == 16'(slots[8*d+:8]));
        all_back : cover (returned[d] && all_returned);
        more_than_slots : cover (sent[16*d+:16] > 16'(slots[8*d+:8]));
      end
    end
  end
endmodule

bind mu_reflection_credits mu_reflection_credits_coverage u_coverage (
    .slots({slots_q[6], slots_q[5], slots_q[4], slots_q[3], slots_q[2], slots_q[1], slots_q[0]}),
    .sent({sent_q[6], sent_q[5], sent_q[4], sent_q[3], sent_q[2], sent_q[1], sent_q[0]}),
    .back({returned_q[6], returned_q[5], returned_q[4], returned_q[3], returned_q[2], returned_q[1],
           returned_q[0]}), .*
);
`default_nettype wire

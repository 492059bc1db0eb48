// SPDX-License-Identifier: Apache-2.0
// mu_reply_injector_coverage: descriptors of reflection queues by opcode and back-pressure.
//
//   the descriptor whose packet begins, and whether it has waited ---> cover points
//
// Behaviour: gen_opcode[n] (1 PUT, 2 FIFO) became a packet at once and after a wait for the router, another
//   packet or the queue engine.
// Latency: counts at each clock edge out of reset.
// Limits: bound to models that count only. All are immediates of at most a flit: they have no address.
`default_nettype none

module mu_reply_injector_coverage (
    input logic                        clk_i,
    input logic                        rst_ni,
    input logic                        makes_packet,
    input logic                        finish,
    input mu_pkg::fetched_descriptor_t waiting_data_q
);
  logic waited_q;
  always_ff @(posedge clk_i) waited_q <= rst_ni && makes_packet && !finish;

  for (genvar n = 1; n < 3; n++) begin : gen_opcode
    always_ff @(posedge clk_i) begin
      if (rst_ni && makes_packet && finish && 32'(waiting_data_q.descriptor.opcode) == n) begin
        at_once : cover (!waited_q);
        after_a_wait : cover (waited_q);
      end
    end
  end
endmodule

bind mu_reply_injector mu_reply_injector_coverage u_coverage (.*);
`default_nettype wire

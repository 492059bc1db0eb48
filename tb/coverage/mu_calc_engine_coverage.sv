// SPDX-License-Identifier: Apache-2.0
// mu_calc_engine_coverage: CALCs by length and alignment of the result, and back-pressure.
//
//   the CALC that ends, and whether memory kept its writes waiting ---> cover points
//
// Behaviour: gen_length[c]: a result of each length class (up to a flit, less than a chunk of 512 bytes, a
//   chunk, whole chunks, chunks and a rest), at an address of a memory word or between, written at once and
//   after a wait.
// Latency: counts at each clock edge out of reset, when a CALC that did not fail has been written.
// Limits: bound to models that count only. Reads always wait: no more are under way than memory takes.
`default_nettype none

module mu_calc_engine_coverage (
    input logic                clk_i,
    input logic                rst_ni,
    input logic                run_rst_n,
    input logic                ends,
    input logic                failed_q,
    input mu_pkg::descriptor_t descriptor,
    input logic [39:0]         result_address,
    input logic                command_waits,
    input logic                beat_waits
);
  localparam int unsigned CLASSES = 5;

  logic [36:0] length;
  logic [CLASSES-1:0] in_class;
  logic waited_q, between;
  assign length   = descriptor.length;
  assign in_class = {
    length > 37'd512 && length[8:0] != '0, length > 37'd512 && length[8:0] == '0, length == 37'd512,
    length > 37'd16 && length < 37'd512, length <= 37'd16
  };
  assign between = result_address[4:0] != '0;

  always_ff @(posedge clk_i) begin
    if (!run_rst_n) waited_q <= 1'b0;
    else if (command_waits || beat_waits) waited_q <= 1'b1;
  end

  for (genvar c = 0; c < CLASSES; c++) begin : gen_length
    always_ff @(posedge clk_i) begin
      if (rst_ni && ends && !failed_q && in_class[c]) begin
        aligned : cover (!waited_q && !between);
        aligned_after_a_wait : cover (waited_q && !between);
        unaligned : cover (!waited_q && between);
        unaligned_after_a_wait : cover (waited_q && between);
      end
    end
  end
endmodule

bind mu_calc_engine mu_calc_engine_coverage u_coverage (
    .command_waits(calc_write_o.command_valid && !calc_write_response_i.command_ready),
    .beat_waits(calc_write_o.beat_valid && !calc_write_response_i.beat_ready), .*
);
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_unit_memory: the messaging unit's own memory, and its words as registers.
//
//   aw, w, b, ar, r <---> [ mu_axi_memory ] <--- word --- [ decode ] <--- register bus (unit_memory.word)
//
// Behaviour: bursts as mu_axi_memory says. A legal access of a register reads or writes the eight bytes that
//   lie there; it waits for the burst that is under way in its direction.
// Latency: bursts that of mu_axi_memory; a write of a register two cycles, a read three, if no burst is
//   under way.
// Limits: what lies here after reset is not defined. Addresses count from the beginning of this memory. A
//   read that meets a write of the same bytes may see either.
`default_nettype none

module mu_unit_memory (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    output logic                       busy_o,
    // bursts
    input  mu_pkg::axi_request_t       axi_request_i,
    output mu_pkg::axi_response_t      axi_response_o,
    // register bus
    input  logic                       register_valid_i,
    input  mu_pkg::register_request_t  register_request_i,
    output logic                       register_done_o,
    output mu_pkg::register_response_t register_response_o
);
  localparam int unsigned WORDS = mu_pkg::UNIT_MEMORY_WORDS;

  logic                       memory_busy;
  logic                       word_valid, word_done;
  logic [63:0]                word;
  logic [19:0]                offset;
  mu_pkg::status_e            status;
  logic                       refused;
  logic                       done_q;
  logic                       unused;
  mu_pkg::register_response_t response_q;

  assign offset = register_request_i.address - mu_pkg::BLOCK_UNIT_MEMORY_BASE;
  always_comb begin
    status = mu_pkg::STATUS_OK;
    if (register_valid_i) begin
      if (register_request_i.page || 32'(offset) >= 8 * WORDS) status = mu_pkg::STATUS_REGISTER_UNKNOWN;
      else if (register_request_i.write && !register_request_i.wide)
        status = mu_pkg::STATUS_REGISTER_PARTIAL;
    end
  end
  assign word_valid = register_valid_i && !done_q && status == mu_pkg::STATUS_OK;
  assign refused    = register_valid_i && !done_q && status != mu_pkg::STATUS_OK;

  mu_axi_memory #(.ROWS(WORDS / 4)) u_memory (
      .clk_i, .rst_ni, .busy_o(memory_busy), .axi_request_i, .axi_response_o, .host_valid_i(word_valid),
      .host_write_i(register_request_i.write), .host_address_i(24'(offset)), .host_strobe_i(8'hFF),
      .host_data_i(register_request_i.data), .host_done_o(word_done), .host_data_o(word)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      done_q     <= 1'b0;
      response_q <= '0;
    end else begin
      done_q <= refused || word_done;
      response_q.status <= refused ? status : mu_pkg::STATUS_OK;
      response_q.data   <= word_done && !register_request_i.write ? word : '0;
    end
  end
  assign register_done_o     = done_q;
  assign register_response_o = response_q;
  assign unused              = ^register_request_i.client;
  assign busy_o              = memory_busy || done_q || register_valid_i;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      answers_only_when_asked : assert (!done_q || register_valid_i);
      answer_is_zero_unless_done : assert (done_q || response_q == '0);
      bursts_lie_inside :
      assert (!axi_request_i.arvalid || 41'(axi_request_i.araddr) < 41'(8 * WORDS));
      bursts_written_lie_inside :
      assert (!axi_request_i.awvalid || 41'(axi_request_i.awaddr) < 41'(8 * WORDS));
    end
  end
endmodule
`default_nettype wire

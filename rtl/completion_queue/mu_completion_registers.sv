// SPDX-License-Identifier: Apache-2.0
// mu_completion_registers: what one register access does to one completion queue.
//
//   request, the queue's state ---> [ decode, check ] ---> status_o, data_o, wait_o (answer)
//                                                     ---> write_*_o              (change)
//
// Behaviour: with enable_i, status_o is OK or the first of: REGISTER_UNKNOWN (no such register, or not for
//   this access), REGISTER_PARTIAL, DOORBELL_OWNER (page of a client that does not own the queue, or queue
//   off), DOORBELL_RANGE, REGISTER_VALUE. wait_o asks to come again: a config write waits until no entry is
//   on its way. Nothing is written unless OK, and at most one register.
// Latency: none, combinational.
// Limits: the caller finds the queue and says with exists_i whether the address is one of its block or page;
//   base and size may be written only while the queue is off, and it is enabled only if it has a size and the
//   ring ends inside the 40-bit address space (else REGISTER_VALUE). MOST_ENTRIES is at most 2^24.
`default_nettype none

module mu_completion_registers #(
    parameter int unsigned MOST_ENTRIES = 1 << 24
) (
    input  logic                      enable_i,
    input  mu_pkg::register_request_t register_request_i,
    input  logic                      exists_i,
    // the queue now
    input  logic [39:0]               base_i,
    input  logic [24:0]               size_i,
    input  logic                      enabled_i,
    input  logic                      overwrite_i,
    input  logic                      interrupt_i,
    input  logic [3:0]                owner_i,
    input  logic [31:0]               head_i,
    input  logic [31:0]               tail_i,
    input  logic [31:0]               lost_i,
    input  logic                      drained_i,
    input  logic                      head_legal_i,
    // answer
    output mu_pkg::status_e           status_o,
    output logic [63:0]               data_o,
    output logic                      wait_o,
    // change: new values are register_request_i.data
    output logic                      write_base_o,
    output logic                      write_size_o,
    output logic                      write_config_o,
    output logic                      write_head_o
);
  localparam logic [63:0] ADDRESS_SPACE = 64'h100_0000_0000;

  logic [63:0] data;
  logic [63:0] ring_end;
  logic        write;
  logic        good;
  logic        unused_bits;

  assign data        = register_request_i.data;
  assign write       = register_request_i.write;
  assign ring_end    = 64'(base_i) + (64'(size_i) << 5);
  assign unused_bits = ^{register_request_i.address[19:6], register_request_i.address[2:0]};

  always_comb begin
    status_o       = mu_pkg::STATUS_OK;
    data_o         = '0;
    wait_o         = 1'b0;
    write_base_o   = 1'b0;
    write_size_o   = 1'b0;
    write_config_o = 1'b0;
    write_head_o   = 1'b0;
    good           = 1'b1;
    if (enable_i && register_request_i.page) begin
      data_o       = {tail_i, tail_i};
      write_head_o = write;
      if (!exists_i) status_o = mu_pkg::STATUS_REGISTER_UNKNOWN;
      else if (write && register_request_i.wide) status_o = mu_pkg::STATUS_REGISTER_PARTIAL;
      else if (!enabled_i || owner_i != register_request_i.client) status_o = mu_pkg::STATUS_DOORBELL_OWNER;
      else if (write && !head_legal_i) status_o = mu_pkg::STATUS_DOORBELL_RANGE;
    end else if (enable_i) begin
      unique case ({14'd0, register_request_i.address[5:3], 3'd0})
        mu_pkg::REG_COMPLETION_QUEUE_BASE: begin
          data_o       = 64'(base_i);
          write_base_o = write;
          good         = !enabled_i && data < ADDRESS_SPACE;
        end
        mu_pkg::REG_COMPLETION_QUEUE_SIZE: begin
          data_o       = 64'(size_i);
          write_size_o = write;
          good         = !enabled_i && data != '0 && data <= 64'(MOST_ENTRIES);
        end
        mu_pkg::REG_COMPLETION_QUEUE_CONFIG: begin
          data_o         = 64'({owner_i, 1'b0, interrupt_i, overwrite_i, enabled_i});
          write_config_o = write;
          good           = data[63:8] == '0 && !data[3] &&
              32'(data[mu_pkg::REG_COMPLETION_QUEUE_CONFIG_OWNER_LSB+:4]) < mu_pkg::CLIENTS &&
              (!data[mu_pkg::REG_COMPLETION_QUEUE_CONFIG_ENABLE_LSB] ||
               (size_i != '0 && ring_end <= ADDRESS_SPACE));
        end
        mu_pkg::REG_COMPLETION_QUEUE_HEAD: begin
          data_o = 64'(head_i);
          if (write) status_o = mu_pkg::STATUS_REGISTER_UNKNOWN;
        end
        mu_pkg::REG_COMPLETION_QUEUE_TAIL: begin
          data_o = 64'(tail_i);
          if (write) status_o = mu_pkg::STATUS_REGISTER_UNKNOWN;
        end
        mu_pkg::REG_COMPLETION_QUEUE_STATUS: begin
          data_o = 64'(lost_i);
          if (write) status_o = mu_pkg::STATUS_REGISTER_UNKNOWN;
        end
        default: status_o = mu_pkg::STATUS_REGISTER_UNKNOWN;
      endcase
      if (!exists_i) status_o = mu_pkg::STATUS_REGISTER_UNKNOWN;
      else if (status_o == mu_pkg::STATUS_OK && write) begin
        if (!register_request_i.wide) status_o = mu_pkg::STATUS_REGISTER_PARTIAL;
        else if (!good) status_o = mu_pkg::STATUS_REGISTER_VALUE;
      end
    end
    if (status_o != mu_pkg::STATUS_OK || write) data_o = '0;
    if (status_o == mu_pkg::STATUS_OK && write_config_o && !drained_i) wait_o = 1'b1;
    if (status_o != mu_pkg::STATUS_OK || wait_o) begin
      write_base_o   = 1'b0;
      write_size_o   = 1'b0;
      write_config_o = 1'b0;
      write_head_o   = 1'b0;
    end
  end
endmodule
`default_nettype wire

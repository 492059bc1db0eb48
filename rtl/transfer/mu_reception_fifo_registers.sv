// SPDX-License-Identifier: Apache-2.0
// mu_reception_fifo_registers: what one register access does to one reception FIFO.
//
//   request, the FIFO's row ---> [ decode, check ] ---> status_o, data_o, wait_o (answer)
//                                                 ---> write_*_o              (change)
//
// Behaviour: with enable_i, status_o is OK or the first of: REGISTER_UNKNOWN (no such register, or not for
//   this access), REGISTER_PARTIAL, FIFO_INVALID (page of a client that does not own the FIFO, or FIFO
//   disabled), DOORBELL_RANGE, REGISTER_VALUE. wait_o asks to come again: a config write waits until nothing
//   that was reserved is still on its way. Nothing is written unless OK.
// Latency: none, combinational.
// Limits: the caller finds the FIFO and says with exists_i whether the address is one of its block or page;
//   base and size may be written only while the FIFO is disabled, and a FIFO is enabled only if its size is
//   legal and the ring ends inside the 40-bit address space; boot not together with enable or reply_only, nor
//   while the owner's boot buffer is open for another FIFO (else REGISTER_VALUE).
`default_nettype none

module mu_reception_fifo_registers (
    input  logic                      enable_i,
    input  mu_pkg::register_request_t register_request_i,
    input  logic                      exists_i,
    // the FIFO now
    input  logic [39:0]               base_i,
    input  logic [24:0]               size_i,
    input  logic                      enabled_i,
    input  logic                      reply_only_i,
    input  logic                      interrupt_i,
    input  logic                      boot_i,
    input  logic [3:0]                owner_i,
    input  logic [24:0]               threshold_i,
    input  logic [31:0]               head_i,
    input  logic [31:0]               tail_i,
    input  logic [31:0]               refused_i,
    input  logic                      drained_i,
    input  logic                      head_legal_i,
    // boot buffer of the owner that a config write names: open for another FIFO
    input  logic                      boot_elsewhere_i,
    // answer
    output mu_pkg::status_e           status_o,
    output logic [63:0]               data_o,
    output logic                      wait_o,
    // change: new values are register_request_i.data
    output logic                      write_base_o,
    output logic                      write_size_o,
    output logic                      write_config_o,
    output logic                      write_threshold_o,
    output logic                      write_head_o
);
  localparam logic [63:0] LEAST_SLOTS   = 64'd17;  // the largest packet takes 17
  localparam logic [63:0] MOST_SLOTS    = 64'h100_0000;
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
    status_o          = mu_pkg::STATUS_OK;
    data_o            = '0;
    wait_o            = 1'b0;
    write_base_o      = 1'b0;
    write_size_o      = 1'b0;
    write_config_o    = 1'b0;
    write_threshold_o = 1'b0;
    write_head_o      = 1'b0;
    good              = 1'b1;
    if (enable_i && register_request_i.page) begin
      data_o       = {tail_i, tail_i};
      write_head_o = write;
      if (!exists_i) status_o = mu_pkg::STATUS_REGISTER_UNKNOWN;
      else if (write && register_request_i.wide) status_o = mu_pkg::STATUS_REGISTER_PARTIAL;
      else if (!enabled_i || owner_i != register_request_i.client) status_o = mu_pkg::STATUS_FIFO_INVALID;
      else if (write && !head_legal_i) status_o = mu_pkg::STATUS_DOORBELL_RANGE;
    end else if (enable_i) begin
      unique case ({14'd0, register_request_i.address[5:3], 3'd0})
        mu_pkg::REG_RECEPTION_FIFO_BASE: begin
          data_o       = 64'(base_i);
          write_base_o = write;
          good         = !enabled_i && data < ADDRESS_SPACE;
        end
        mu_pkg::REG_RECEPTION_FIFO_SIZE: begin
          data_o       = 64'(size_i);
          write_size_o = write;
          good         = !enabled_i && data >= LEAST_SLOTS && data <= MOST_SLOTS;
        end
        mu_pkg::REG_RECEPTION_FIFO_CONFIG: begin
          data_o         = 64'({owner_i, boot_i, interrupt_i, reply_only_i, enabled_i});
          write_config_o = write;
          good           = data[63:8] == '0 &&
              32'(data[mu_pkg::REG_RECEPTION_FIFO_CONFIG_OWNER_LSB+:4]) < mu_pkg::CLIENTS &&
              (!data[mu_pkg::REG_RECEPTION_FIFO_CONFIG_ENABLE_LSB] ||
               (size_i >= LEAST_SLOTS[24:0] && ring_end <= ADDRESS_SPACE)) &&
              (!data[mu_pkg::REG_RECEPTION_FIFO_CONFIG_BOOT_LSB] || (!boot_elsewhere_i &&
               !data[mu_pkg::REG_RECEPTION_FIFO_CONFIG_ENABLE_LSB] &&
               !data[mu_pkg::REG_RECEPTION_FIFO_CONFIG_REPLY_ONLY_LSB]));
        end
        mu_pkg::REG_RECEPTION_FIFO_THRESHOLD: begin
          data_o            = 64'(threshold_i);
          write_threshold_o = write;
          good              = data <= MOST_SLOTS;
        end
        mu_pkg::REG_RECEPTION_FIFO_HEAD: begin
          data_o = 64'(head_i);
          if (write) status_o = mu_pkg::STATUS_REGISTER_UNKNOWN;
        end
        mu_pkg::REG_RECEPTION_FIFO_TAIL: begin
          data_o = 64'(tail_i);
          if (write) status_o = mu_pkg::STATUS_REGISTER_UNKNOWN;
        end
        mu_pkg::REG_RECEPTION_FIFO_REFUSED: begin
          data_o = 64'(refused_i);
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
      write_base_o      = 1'b0;
      write_size_o      = 1'b0;
      write_config_o    = 1'b0;
      write_threshold_o = 1'b0;
      write_head_o      = 1'b0;
    end
  end
endmodule
`default_nettype wire

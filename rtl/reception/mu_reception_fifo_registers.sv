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
    input  logic                      ring_ends_i,  // inside the address space
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
  localparam logic [24:0] LEAST_SLOTS   = 25'd17;  // the largest packet takes 17
  localparam logic [24:0] MOST_SLOTS    = 25'h100_0000;

  logic                           write;
  logic                           good;         // the value that is written
  logic                           privileged;
  mu_pkg::reception_fifo_config_t old_config;
  mu_pkg::reception_fifo_config_t new_config;
  logic [24:0]                    new_size;
  logic [24:0]                    new_threshold;
  mu_pkg::status_e                shape;        // what can be said without a look at the FIFO
  logic [63:0]                    data;
  logic                           write_base;
  logic                           write_size;
  logic                           write_config;
  logic                           write_threshold;
  logic [7:0]                     unused_index;
  logic [39:0]                    unused_base;
  logic                           unused;

  assign write                 = register_request_i.write;
  assign privileged            = enable_i && !register_request_i.page;
  assign old_config.enable     = enabled_i;
  assign old_config.reply_only = reply_only_i;
  assign old_config.interrupt  = interrupt_i;
  assign old_config.boot       = boot_i;
  assign old_config.owner      = owner_i;

  mu_reception_fifo_decode u_decode (
      .valid_i          (privileged),
      .request_i        (register_request_i),
      .index_o          (unused_index),
      .status_o         (shape),
      .data_o           (data),
      .base_i,
      .write_base_o     (write_base),
      .base_o           (unused_base),
      .size_i,
      .write_size_o     (write_size),
      .size_o           (new_size),
      .config_i         (old_config),
      .write_config_o   (write_config),
      .config_o         (new_config),
      .threshold_i,
      .write_threshold_o(write_threshold),
      .threshold_o      (new_threshold),
      .head_i,
      .tail_i,
      .refused_i
  );

  assign unused = ^new_config;

  always_comb begin
    good = 1'b1;
    if (write_base) good = !enabled_i;
    if (write_size) good = !enabled_i && new_size >= LEAST_SLOTS && new_size <= MOST_SLOTS;
    if (write_threshold) good = new_threshold <= MOST_SLOTS;
    if (write_config) begin
      if (new_config.enable)
        good = size_i >= LEAST_SLOTS && ring_ends_i;
      if (new_config.boot && (boot_elsewhere_i || new_config.enable || new_config.reply_only)) good = 1'b0;
    end
  end

  always_comb begin
    status_o = mu_pkg::STATUS_OK;
    data_o   = '0;
    if (enable_i && !exists_i) status_o = mu_pkg::STATUS_REGISTER_UNKNOWN;
    else if (privileged) begin
      status_o = good ? shape : mu_pkg::STATUS_REGISTER_VALUE;
      data_o   = data;
    end else if (enable_i) begin
      if (write && register_request_i.wide) status_o = mu_pkg::STATUS_REGISTER_PARTIAL;
      else if (!enabled_i || owner_i != register_request_i.client) status_o = mu_pkg::STATUS_FIFO_INVALID;
      else if (write && !head_legal_i) status_o = mu_pkg::STATUS_DOORBELL_RANGE;
      else if (!write) data_o = {tail_i, tail_i};
    end
  end

  always_comb begin
    wait_o            = 1'b0;
    write_base_o      = 1'b0;
    write_size_o      = 1'b0;
    write_config_o    = 1'b0;
    write_threshold_o = 1'b0;
    write_head_o      = 1'b0;
    if (enable_i && status_o == mu_pkg::STATUS_OK) begin
      wait_o            = write_config && !drained_i;
      write_base_o      = write_base;
      write_size_o      = write_size;
      write_config_o    = write_config && drained_i;
      write_threshold_o = write_threshold;
      write_head_o      = write && register_request_i.page;
    end
  end
endmodule
`default_nettype wire

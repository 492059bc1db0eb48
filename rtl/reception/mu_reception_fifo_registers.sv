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
//   base and size may be written only while the FIFO is disabled, and a FIFO is enabled only if it has a
//   size and the ring ends inside the 40-bit address space; keeps only with enable, and boot, keeps and
//   reply_only not together (else REGISTER_VALUE). The head of a boot buffer that is moved is the MU's
//   (DOORBELL_RANGE). A FIFO that had boot is configured once nothing is on its way into a boot buffer.
`default_nettype none

module mu_reception_fifo_registers (
    input  logic                      enable_i,
    input  mu_pkg::register_request_t register_request_i,
    input  logic                      exists_i,
    // the FIFO now
    input  mu_pkg::address_t          base_i,
    input  logic [24:0]               size_i,
    input  logic                      enabled_i,
    input  logic                      reply_only_i,
    input  logic                      interrupt_i,
    input  logic                      boot_i,
    input  logic [3:0]                owner_i,
    input  logic                      keeps_i,
    input  logic [7:0]                keeper_i,
    input  logic [24:0]               threshold_i,
    input  logic [31:0]               head_i,
    input  logic [31:0]               tail_i,
    input  logic [31:0]               refused_i,
    input  logic                      drained_i,
    input  logic                      head_legal_i,
    input  logic                      ring_ends_i,  // inside the address space
    // boot buffers
    input  logic                      draining_i,  // this one is moved by the MU
    input  logic                      pending_i,   // something is on its way into one
    // answer
    output mu_pkg::status_e           status_o,
    output logic [63:0]               data_o,
    output logic                      wait_o,
    // change: new values are register_request_i.data
    output mu_pkg::reception_fifo_config_t config_o,
    output logic                      write_base_o,
    output logic                      write_size_o,
    output logic                      write_config_o,
    output logic                      write_threshold_o,
    output logic                      write_head_o
);
  logic                           write;
  logic                           good;  // the value that is written
  logic                           settled;  // what was reserved is in memory
  logic                           privileged;
  mu_pkg::reception_fifo_config_t old_config;
  mu_pkg::status_e                shape;  // what can be said without a look at the FIFO
  logic [63:0]                    data;
  logic                           write_base;
  logic                           write_size;
  logic                           write_config;
  logic                           write_threshold;
  logic [7:0]                     unused_index;
  mu_pkg::address_t               unused_base;
  logic [24:0]                    unused_size;
  logic [24:0]                    unused_threshold;

  assign write                 = register_request_i.write;
  assign settled               = drained_i && !(boot_i && pending_i);
  assign privileged            = enable_i && !register_request_i.page;
  assign old_config.enable     = enabled_i;
  assign old_config.reply_only = reply_only_i;
  assign old_config.interrupt  = interrupt_i;
  assign old_config.boot       = boot_i;
  assign old_config.owner      = owner_i;
  assign old_config.keeps      = keeps_i;
  assign old_config.keeper     = keeper_i;

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
      .size_o           (unused_size),
      .config_i         (old_config),
      .write_config_o   (write_config),
      .config_o,
      .threshold_i,
      .write_threshold_o(write_threshold),
      .threshold_o      (unused_threshold),
      .head_i,
      .tail_i,
      .refused_i
  );


  always_comb begin
    good = 1'b1;
    if (write_base || write_size) good = !enabled_i;
    if (write_config) begin
      if (config_o.enable) good = size_i != '0 && ring_ends_i;
      if (config_o.keeps && !config_o.enable) good = 1'b0;
      if ((config_o.boot && config_o.keeps) ||
          (config_o.reply_only && (config_o.boot || config_o.keeps)))
        good = 1'b0;
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
      else if (write && (!head_legal_i || draining_i)) status_o = mu_pkg::STATUS_DOORBELL_RANGE;
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
      wait_o            = write_config && !settled;
      write_base_o      = write_base;
      write_size_o      = write_size;
      write_config_o    = write_config && settled;
      write_threshold_o = write_threshold;
      write_head_o      = write && register_request_i.page;
    end
  end

`ifdef PROVE_MU_RECEPTION_FIFO_REGISTERS
  // What is proved of mu_reception_fifo_registers: an access that is refused or has to come again changes
  // nothing, one that is taken writes what it names and nothing else; a FIFO that is on keeps base and size;
  // it is turned on only with a ring inside the address space; a page belongs to the owner; and what the
  // rules allow is done.
  logic [63:0] value, end_of_ring;
  logic [4:0]  writes;
  logic [5:0]  offset;
  logic        ok, taken, config_good, on_page, in_block, owns;
  logic [31:0] distance;  // from the begin of the block
  assign value       = register_request_i.data;
  assign end_of_ring = 64'(base_i) + 64'd32 * 64'(size_i);
  assign writes      = {write_head_o, write_threshold_o, write_config_o, write_size_o, write_base_o};
  assign offset      = {register_request_i.address[5:3], 3'd0};
  assign ok          = status_o == mu_pkg::STATUS_OK;
  assign taken       = enable_i && ok && register_request_i.write && !wait_o;
  assign on_page     = enable_i && exists_i && register_request_i.page;
  assign in_block    = enable_i && exists_i && !register_request_i.page;
  assign owns        = enabled_i && owner_i == register_request_i.client;
  assign distance    = 32'(register_request_i.address) - 32'(mu_pkg::BLOCK_RECEPTION_FIFO_BASE);
  always_comb begin
    // Whoever says that it exists has looked at the whole address.
    assume (size_i == '0 || size_i >= 25'd32);  // as it was written
    assume (ring_ends_i == (end_of_ring <= 64'h100_0000_0000));
    assume (!in_block || distance < mu_pkg::RECEPTION_FIFOS * 32'(mu_pkg::BLOCK_RECEPTION_FIFO_STRIDE));
    config_good = (value & 64'hFFFF_FFFF_FF00_FE00) == '0 && 32'(value[7:4]) < mu_pkg::CLIENTS &&
        32'(value[23:16]) < mu_pkg::RECEPTION_FIFOS &&
        (!value[0] || (size_i >= 25'd32 && end_of_ring <= 64'h100_0000_0000)) &&
        $onehot0({value[1], value[3], value[8]}) && (!value[8] || value[0]);
    writes_one_if_taken : assert (taken ? $onehot(writes) : writes == '0);
    if (!enable_i) silent_without_an_access : assert ({status_o, data_o, wait_o} == '0);
    if (enable_i && !exists_i) unknown_if_there_is_none :
    assert (status_o == mu_pkg::STATUS_REGISTER_UNKNOWN);
    if (!ok || register_request_i.write) data_for_reads_alone : assert (data_o == '0);
    if (wait_o) waits_for_a_config_alone :
    assert (in_block && ok && (!drained_i || (boot_i && pending_i)) && offset == 6'h10);
    if (write_base_o) base_of_a_fifo_that_is_off : assert (!enabled_i && value < 64'h100_0000_0000);
    if (write_size_o) size_of_a_fifo_that_is_off :
    assert (!enabled_i && value >= 64'd32 && value <= 64'h100_0000 && $onehot(value));
    if (write_config_o) config_of_a_drained_fifo :
    assert (drained_i && !(boot_i && pending_i) && config_good);
    if (write_head_o) head_by_its_owner : assert (on_page && owns && head_legal_i && !draining_i);
    // What is allowed is done.
    if (on_page && owns && register_request_i.write && !register_request_i.wide && head_legal_i &&
        !draining_i)
      the_owner_moves_the_head : assert (write_head_o);
    if (on_page && owns && !register_request_i.write) the_owner_reads_the_tail :
    assert (ok && data_o == {tail_i, tail_i});
    if (on_page && !owns && !(register_request_i.write && register_request_i.wide)) others_are_told :
    assert (status_o == mu_pkg::STATUS_FIFO_INVALID);
    if (in_block && register_request_i.write && register_request_i.wide) begin
      if (!enabled_i && offset == 6'h00 && value < 64'h100_0000_0000) base_is_written : assert (write_base_o);
      if (!enabled_i && offset == 6'h08 && value >= 64'd32 && value <= 64'h100_0000 && $onehot(value))
        size_is_written : assert (write_size_o);
      if (offset == 6'h10 && config_good) config_is_written_or_waits : assert (write_config_o == !wait_o);
    end
    if (in_block && !register_request_i.write && offset <= 6'h30) reads_are_answered : assert (ok);
  end
`endif
endmodule
`default_nettype wire

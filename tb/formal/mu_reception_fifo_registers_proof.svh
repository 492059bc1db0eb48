// SPDX-License-Identifier: Apache-2.0
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
    assume (ring_ends_i == (end_of_ring <= 64'h100_0000_0000));
    assume (!in_block || distance < mu_pkg::RECEPTION_FIFOS * 32'(mu_pkg::BLOCK_RECEPTION_FIFO_STRIDE));
    config_good = value < 64'h100 && 32'(value[7:4]) < mu_pkg::CLIENTS &&
        (!value[0] || (size_i >= 25'd17 && end_of_ring <= 64'h100_0000_0000)) &&
        (!value[3] || (value[1:0] == 2'd0 && !boot_elsewhere_i));
    writes_one_if_taken : assert (taken ? $onehot(writes) : writes == '0);
    if (!enable_i) silent_without_an_access : assert ({status_o, data_o, wait_o} == '0);
    if (enable_i && !exists_i) unknown_if_there_is_none :
    assert (status_o == mu_pkg::STATUS_REGISTER_UNKNOWN);
    if (!ok || register_request_i.write) data_for_reads_alone : assert (data_o == '0);
    if (wait_o) waits_for_a_config_alone : assert (in_block && ok && !drained_i && offset == 6'h10);
    if (write_base_o) base_of_a_fifo_that_is_off : assert (!enabled_i && value < 64'h100_0000_0000);
    if (write_size_o) size_of_a_fifo_that_is_off :
    assert (!enabled_i && value >= 64'd17 && value <= 64'h100_0000);
    if (write_config_o) config_of_a_drained_fifo : assert (drained_i && config_good);
    if (write_head_o) head_by_its_owner : assert (on_page && owns && head_legal_i);
    // What is allowed is done.
    if (on_page && owns && register_request_i.write && !register_request_i.wide && head_legal_i)
      the_owner_moves_the_head : assert (write_head_o);
    if (on_page && owns && !register_request_i.write) the_owner_reads_the_tail :
    assert (ok && data_o == {tail_i, tail_i});
    if (on_page && !owns && !(register_request_i.write && register_request_i.wide)) others_are_told :
    assert (status_o == mu_pkg::STATUS_FIFO_INVALID);
    if (in_block && register_request_i.write && register_request_i.wide) begin
      if (!enabled_i && offset == 6'h00 && value < 64'h100_0000_0000) base_is_written : assert (write_base_o);
      if (!enabled_i && offset == 6'h08 && value >= 64'd17 && value <= 64'h100_0000)
        size_is_written : assert (write_size_o);
      if (offset == 6'h10 && config_good) config_is_written_or_waits : assert (write_config_o == !wait_o);
    end
    if (in_block && !register_request_i.write && offset <= 6'h30) reads_are_answered : assert (ok);
  end

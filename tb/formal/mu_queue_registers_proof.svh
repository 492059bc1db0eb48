// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_queue_registers: an access answered with OK does exactly one thing, a refused one
// nothing; a queue that is not off keeps its base, size and peer; what gets a mode has a ring inside the
// address space; a doorbell is rung by the owner alone; and what the rules allow is not refused.
  logic [63:0] data_here, ring_end;
  logic [4:0]  operations;
  logic [5:0]  offset_here;
  logic        privileged, page, known, off, owns, reads, config_good;
  assign data_here   = request_i.data;
  assign operations  = {doorbell_o, write_base_o, write_size_o, write_config_o, write_peer_o};
  assign offset_here = {request_i.address[5:3], 3'd0};
  assign privileged  = valid_i && !request_i.page &&
      request_i.address >= mu_pkg::BLOCK_INJECTION_QUEUE_BASE &&
      32'(request_i.address) < 32'(mu_pkg::BLOCK_INJECTION_QUEUE_BASE) + 32'h2000;
  assign page        = valid_i && request_i.page &&
      request_i.address < mu_pkg::REG_CLIENT_PAGE_FIFO_INDEX;
  assign known       = 32'(queue_o) < mu_pkg::INJECTION_QUEUES;
  assign off         = setup_i[2:0] == mu_pkg::QUEUE_MODE_OFF;
  assign owns        = !off && setup_i[6:3] == request_i.client;
  assign reads       = valid_i && !request_i.write;
  assign ring_end    = 64'(base_i) + 64'd64 * 64'(size_i);
  always_comb begin
    // A legal config: mode, bit 3 zero, owner, halt_on_error, cyclic, managed.
    config_good = data_here[63:11] == '0 && !data_here[3] && data_here[2:0] <= 3'd6 &&
        32'(data_here[7:4]) < mu_pkg::CLIENTS;
    if (data_here[10:9] != '0 && !(data_here[2:0] == 3'd1 || data_here[2:0] == 3'd5)) config_good = 1'b0;
    if (data_here[2:0] == 3'd4 && 32'(queue_o) >= mu_pkg::REFLECTION_QUEUES) config_good = 1'b0;

    if (!valid_i) silent_without_an_access : assert ({operations, config_o, response_o} == '0);
    one_operation_at_most : assert ($onehot0(operations));
    if (response_o.status != mu_pkg::STATUS_OK) begin
      refused_has_no_data : assert (response_o.data == '0);
      refused_changes_nothing :
      assert (operations == '0 ||
              (doorbell_o && !accept_i && response_o.status == mu_pkg::STATUS_DOORBELL_RANGE));
    end else if (valid_i && request_i.write) one_operation_if_ok : assert ($onehot(operations));
    if (reads) reads_change_nothing : assert (operations == '0);
    if (valid_i && !(privileged || page)) nothing_elsewhere :
    assert (response_o.status == mu_pkg::STATUS_REGISTER_UNKNOWN);
    if ((privileged || page) && !known) no_such_queue :
    assert (response_o.status == mu_pkg::STATUS_REGISTER_UNKNOWN);
    if (write_base_o || write_size_o || write_peer_o) only_while_it_is_off :
    assert (off && privileged && known);
    if (write_base_o) base_below_the_end : assert (data_here < 64'h100_0000_0000 && offset_here == 6'h00);
    if (write_size_o) size_in_range : assert (data_here != '0 && data_here <= 64'h100_0000);
    if (write_config_o) begin
      config_is_legal : assert (config_good);
      config_was_announced : assert (config_o);
      ring_ends_in_memory :
      assert (data_here[2:0] == '0 || (size_i != '0 && ring_end <= 64'h100_0000_0000));
    end
    if (write_peer_o)
      peer_exists :
      assert (data_here[63:40] == '0 && data_here[3:0] <= last_node_i[3:0] &&
              data_here[7:4] <= last_node_i[7:4] && data_here[11:8] <= last_node_i[11:8] &&
              32'(data_here[19:12]) < mu_pkg::INJECTION_QUEUES);
    if (doorbell_o) rung_by_the_owner : assert (page && known && owns && request_i.write && !request_i.wide);
    // What is allowed is done.
    if (page && known && owns && request_i.write && !request_i.wide && accept_i &&
        (setup_i[2:0] == mu_pkg::QUEUE_MODE_DOORBELL || setup_i[2:0] == mu_pkg::QUEUE_MODE_RECEIVE))
      the_owner_may_ring : assert (doorbell_o && response_o.status == mu_pkg::STATUS_OK);
    if (page && known && owns && reads) the_owner_reads_the_head :
    assert (response_o == {8'd0, head_i, head_i});
    if (page && known && !owns && !(request_i.write && request_i.wide))
      others_are_told : assert (response_o.status == mu_pkg::STATUS_DOORBELL_OWNER);
    if (privileged && known && request_i.write && request_i.wide) begin
      if (off && offset_here == 6'h00 && data_here < 64'h100_0000_0000) base_is_written :
      assert (write_base_o);
      if (off && offset_here == 6'h08 && data_here != '0 && data_here <= 64'h100_0000)
        size_is_written : assert (write_size_o);
      if (offset_here == 6'h10 && config_good &&
          (data_here[2:0] == '0 || (size_i != '0 && ring_end <= 64'h100_0000_0000)))
        config_is_written : assert (write_config_o);
    end
    if (privileged && known && reads) reads_are_answered : assert (response_o.status == mu_pkg::STATUS_OK);
  end

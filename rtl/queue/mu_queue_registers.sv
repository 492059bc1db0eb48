// SPDX-License-Identifier: Apache-2.0
// mu_queue_registers: what a register access means for one queue, and its answer.
//
//   register request, state of the queue ---> [ decode, check ] ---> operation on the queue, response
//
// Behaviour: decodes block injection_queue and client_page.queue_index. For a legal write exactly one of
//   doorbell_o, write_base_o, write_size_o, write_config_o, write_peer_o is high; a refused access has none
//   and says why in response_o, with data zero. Whether a doorbell is in range its ring knows. config_o tells
//   beforehand that the access writes a config, which must wait until nothing of the queue is in flight.
// Latency: combinational.
// Limits: base and size may only be written while the mode is OFF, a config with a mode needs a size and a
//   ring that ends inside the 40-bit address space, mode REFLECTION needs a queue below REFLECTION_QUEUES,
//   cyclic and managed need mode DOORBELL or RECEIVE, peer needs mode OFF and a queue and node that exist:
//   REGISTER_VALUE otherwise.
`default_nettype none

module mu_queue_registers (
    // register bus
    input  logic                         valid_i,
    input  mu_pkg::register_request_t    request_i,
    output mu_pkg::register_response_t   response_o,
    // state of queue_o
    output logic [                  7:0] queue_o,
    output logic                         config_o,
    input  mu_pkg::queue_row_t           row_i,
    input  mu_pkg::queue_peer_t          peer_i,
    input  logic [                 11:0] last_node_i,  // largest coordinates: z, y, x
    // operation
    output logic                         doorbell_o,
    output logic                         write_base_o,
    output logic                         write_size_o,
    output logic                         write_config_o,
    output logic                         write_peer_o
);
  localparam logic [40:0] ADDRESS_SPACE = 41'h100_0000_0000;

  logic                            in_page;
  logic                            in_block;
  logic [7:0]                      index;
  mu_pkg::status_e                 shape;  // what can be said without a look at the queue
  logic [63:0]                     data;
  logic                            write_base;
  logic                            write_size;
  logic                            write_config;
  logic                            write_peer;
  mu_pkg::injection_queue_config_t old_config;
  mu_pkg::injection_queue_config_t config_value;
  mu_pkg::injection_queue_status_t first_error;
  mu_pkg::injection_queue_peer_t   peer;
  mu_pkg::address_t                unused_base;
  logic [24:0]                     unused_size;
  logic                            unused;
  logic                            off;
  logic                            owned;
  logic                            bad_config;  // without a look at the queue
  logic                            bad_value;

  assign in_page  = valid_i && request_i.page && request_i.address < mu_pkg::REG_CLIENT_PAGE_FIFO_INDEX;
  assign in_block = valid_i && !request_i.page;
  assign queue_o  = in_page ? {1'b0, request_i.address[8:2]} : in_block ? index : '0;
  assign unused   = ^{config_value, peer, row_i};

  assign old_config.mode          = row_i.mode;
  assign old_config.owner         = row_i.owner;
  assign old_config.halt_on_error = row_i.halt_on_error;
  assign old_config.cyclic        = row_i.cyclic;
  assign old_config.managed       = row_i.managed;
  assign first_error.status       = row_i.error_status;
  assign first_error.halted       = row_i.halted;
  assign first_error.count        = row_i.error_count;
  assign first_error.index        = row_i.error_index;

  mu_injection_queue_decode u_decode (
      .valid_i       (in_block),
      .request_i,
      .index_o       (index),
      .status_o      (shape),
      .data_o        (data),
      .base_i        (row_i.base),
      .write_base_o  (write_base),
      .base_o        (unused_base),
      .size_i        (row_i.size),
      .write_size_o  (write_size),
      .size_o        (unused_size),
      .config_i      (old_config),
      .write_config_o(write_config),
      .config_o      (config_value),
      .head_i        (row_i.head),
      .tail_i        (row_i.published),
      .status_i      (first_error),
      .limit_i       (row_i.limit),
      .peer_i,
      .write_peer_o  (write_peer),
      .peer_o        (peer)
  );

  assign off      = row_i.mode == mu_pkg::QUEUE_MODE_OFF;
  assign owned    = !off && row_i.owner == request_i.client;
  assign config_o = write_config && !bad_config;

  always_comb begin
    bad_config = 1'b0;
    if (write_config)
      bad_config = config_value.mode > mu_pkg::QUEUE_MODE_PIPED ||
          ((config_value.managed || config_value.cyclic) &&
           config_value.mode != mu_pkg::QUEUE_MODE_DOORBELL &&
           config_value.mode != mu_pkg::QUEUE_MODE_RECEIVE) ||
          (config_value.mode == mu_pkg::QUEUE_MODE_REFLECTION && 32'(index) >= mu_pkg::REFLECTION_QUEUES);
  end

  always_comb begin
    bad_value = bad_config;
    if (write_base || write_size) bad_value = !off;
    if (write_config && config_value.mode != mu_pkg::QUEUE_MODE_OFF &&
        (row_i.size == '0 || 41'(row_i.base) + {10'b0, row_i.size, 6'b0} > ADDRESS_SPACE))
      bad_value = 1'b1;
    if (write_peer)
      bad_value = !off || peer.x > last_node_i[3:0] || peer.y > last_node_i[7:4] ||
          peer.z > last_node_i[11:8];
  end

  always_comb begin
    doorbell_o      = 1'b0;
    response_o      = '0;
    if (in_page) begin
      if (32'(queue_o) >= mu_pkg::INJECTION_QUEUES) response_o.status = mu_pkg::STATUS_REGISTER_UNKNOWN;
      else if (request_i.write && request_i.wide) response_o.status = mu_pkg::STATUS_REGISTER_PARTIAL;
      else if (!owned || (request_i.write && row_i.mode != mu_pkg::QUEUE_MODE_DOORBELL &&
                          row_i.mode != mu_pkg::QUEUE_MODE_RECEIVE))
        response_o.status = mu_pkg::STATUS_DOORBELL_OWNER;
      else if (!request_i.write) response_o.data = {row_i.head, row_i.head};
      else doorbell_o = 1'b1;
    end else if (in_block) begin
      response_o.status = bad_value ? mu_pkg::STATUS_REGISTER_VALUE : shape;
      response_o.data   = data;
    end else if (valid_i) response_o.status = mu_pkg::STATUS_REGISTER_UNKNOWN;
  end

  assign write_base_o   = write_base && !bad_value;
  assign write_size_o   = write_size && !bad_value;
  assign write_config_o = write_config && !bad_value;
  assign write_peer_o   = write_peer && !bad_value;

`ifdef PROVE_MU_QUEUE_REGISTERS
  // An access answered with OK does exactly one thing, a refused one nothing; a queue that is not off keeps
  // its base, size and peer; what gets a mode has a ring inside the address space; a doorbell is rung by the
  // owner alone; and what the rules allow is not refused.
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
  assign off         = row_i.mode == mu_pkg::QUEUE_MODE_OFF;
  assign owns        = !off && row_i.owner == request_i.client;
  assign reads       = valid_i && !request_i.write;
  assign ring_end    = 64'(row_i.base) + 64'd64 * 64'(row_i.size);
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
      refused_changes_nothing : assert (operations == '0);
    end else if (valid_i && request_i.write) one_operation_if_ok : assert ($onehot(operations));
    if (reads) reads_change_nothing : assert (operations == '0);
    if (valid_i && !(privileged || page)) nothing_elsewhere :
    assert (response_o.status == mu_pkg::STATUS_REGISTER_UNKNOWN);
    if ((privileged || page) && !known) no_such_queue :
    assert (response_o.status == mu_pkg::STATUS_REGISTER_UNKNOWN);
    if (write_base_o || write_size_o || write_peer_o) only_while_it_is_off :
    assert (off && privileged && known);
    if (write_base_o) base_below_the_end : assert (data_here < 64'h100_0000_0000 && offset_here == 6'h00);
    if (write_size_o) size_in_range : assert ($onehot(data_here) && data_here <= 64'h100_0000);
    if (write_config_o) begin
      config_is_legal : assert (config_good);
      config_was_announced : assert (config_o);
      ring_ends_in_memory :
      assert (data_here[2:0] == '0 || (row_i.size != '0 && ring_end <= 64'h100_0000_0000));
    end
    if (write_peer_o)
      peer_exists :
      assert (data_here[63:40] == '0 && data_here[3:0] <= last_node_i[3:0] &&
              data_here[7:4] <= last_node_i[7:4] && data_here[11:8] <= last_node_i[11:8] &&
              32'(data_here[19:12]) < mu_pkg::INJECTION_QUEUES);
    if (doorbell_o) rung_by_the_owner : assert (page && known && owns && request_i.write && !request_i.wide);
    // What is allowed is done.
    if (page && known && owns && request_i.write && !request_i.wide &&
        (row_i.mode == mu_pkg::QUEUE_MODE_DOORBELL || row_i.mode == mu_pkg::QUEUE_MODE_RECEIVE))
      the_owner_may_ring : assert (doorbell_o && response_o.status == mu_pkg::STATUS_OK);
    if (page && known && owns && reads) the_owner_reads_the_head :
    assert (response_o == {8'd0, row_i.head, row_i.head});
    if (page && known && !owns && !(request_i.write && request_i.wide))
      others_are_told : assert (response_o.status == mu_pkg::STATUS_DOORBELL_OWNER);
    if (privileged && known && request_i.write && request_i.wide) begin
      if (off && offset_here == 6'h00 && data_here < 64'h100_0000_0000) base_is_written :
      assert (write_base_o);
      if (off && offset_here == 6'h08 && $onehot(data_here) && data_here <= 64'h100_0000)
        size_is_written : assert (write_size_o);
      if (offset_here == 6'h10 && config_good &&
          (data_here[2:0] == '0 || (row_i.size != '0 && ring_end <= 64'h100_0000_0000)))
        config_is_written : assert (write_config_o);
    end
    if (privileged && known && reads) reads_are_answered : assert (response_o.status == mu_pkg::STATUS_OK);
  end
`endif
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// mu_queue_registers: what a register access means for one queue, and its answer.
//
//   register request, state of the queue ---> [ decode, check ] ---> operation on the queue, response
//
// Behaviour: decodes block injection_queue and client_page.queue_index. For a legal write exactly one of
//   doorbell_o, write_base_o, write_size_o, write_config_o, write_peer_o is high; a refused access has none
//   and says why in response_o, with data zero. accept_i low turns a doorbell into DOORBELL_RANGE. config_o
//   tells beforehand that the access writes a config, which must wait until nothing of the queue is in
//   flight.
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
    input  logic                         accept_i,
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
  localparam logic [24:0] MOST_SLOTS    = 25'h100_0000;

  logic                            in_page;
  logic                            in_block;
  logic [7:0]                      index;
  mu_pkg::status_e                 shape;       // what can be said without a look at the queue
  logic [63:0]                     data;
  logic                            write_base;
  logic                            write_size;
  logic                            write_config;
  logic                            write_peer;
  logic [24:0]                     size;
  mu_pkg::injection_queue_config_t old_config;
  mu_pkg::injection_queue_config_t config_value;
  mu_pkg::injection_queue_status_t first_error;
  mu_pkg::injection_queue_peer_t   peer;
  logic [39:0]                     unused_base;
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
      .size_o        (size),
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
    if (write_base) bad_value = !off;
    if (write_size) bad_value = !off || size == '0 || size > MOST_SLOTS;
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
      else begin
        doorbell_o = 1'b1;
        if (!accept_i) response_o.status = mu_pkg::STATUS_DOORBELL_RANGE;
      end
    end else if (in_block) begin
      response_o.status = bad_value ? mu_pkg::STATUS_REGISTER_VALUE : shape;
      response_o.data   = data;
    end else if (valid_i) response_o.status = mu_pkg::STATUS_REGISTER_UNKNOWN;
  end

  assign write_base_o   = write_base && !bad_value;
  assign write_size_o   = write_size && !bad_value;
  assign write_config_o = write_config && !bad_value;
  assign write_peer_o   = write_peer && !bad_value;
endmodule
`default_nettype wire

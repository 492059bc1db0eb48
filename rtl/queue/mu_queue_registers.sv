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
    input  logic [                  9:0] setup_i,      // managed, cyclic, halt_on_error, owner, mode
    input  logic [                 39:0] base_i,
    input  logic [                 24:0] size_i,
    input  logic [                 31:0] head_i,
    input  logic [                 31:0] published_i,
    input  logic [                 31:0] limit_i,
    input  logic [                 55:0] errors_i,     // index, count, status of the first
    input  logic                         halted_i,
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
  localparam logic [19:0] BLOCK_BITS = 20'h01fff;  // addresses inside the block
  localparam logic [40:0] ADDRESS_SPACE = 41'h100_0000_0000;

  logic [ 5:0] offset;
  logic        in_block;
  logic        in_page;
  logic        exists;
  logic        owned;
  logic        bad_value;
  logic        bad_config;
  logic [63:0] data;
  mu_pkg::status_e status;
  mu_pkg::status_e range_status;

  always_comb begin
    queue_o  = '0;
    in_page  = 1'b0;
    in_block = 1'b0;
    offset   = {request_i.address[5:3], 3'b0};
    if (valid_i) begin
      in_page  = request_i.page && request_i.address < mu_pkg::REG_CLIENT_PAGE_FIFO_INDEX;
      in_block = !request_i.page && (request_i.address & ~BLOCK_BITS) == mu_pkg::BLOCK_INJECTION_QUEUE_BASE;
      queue_o  = in_page ? {1'b0, request_i.address[8:2]} : {1'b0, request_i.address[12:6]};
    end
  end

  assign config_o   = in_block && request_i.write && offset == mu_pkg::REG_INJECTION_QUEUE_CONFIG[5:0] &&
      32'(queue_o) < mu_pkg::INJECTION_QUEUES && request_i.wide && !bad_config;
  // What can be said of a config without a look at the queue.
  always_comb begin
    bad_config = 1'b0;
    if (in_block && request_i.write)
      bad_config = {request_i.data[63:11], request_i.data[3]} != '0 ||
          (request_i.data[10:9] != '0 && request_i.data[2:0] != mu_pkg::QUEUE_MODE_DOORBELL &&
           request_i.data[2:0] != mu_pkg::QUEUE_MODE_RECEIVE) ||
          request_i.data[2:0] > mu_pkg::QUEUE_MODE_PIPED || 32'(request_i.data[7:4]) >= mu_pkg::CLIENTS ||
          (request_i.data[2:0] == mu_pkg::QUEUE_MODE_REFLECTION && 32'(queue_o) >= mu_pkg::REFLECTION_QUEUES);
  end

  assign exists  = (in_page || in_block) && 32'(queue_o) < mu_pkg::INJECTION_QUEUES;
  assign owned   = setup_i[2:0] != mu_pkg::QUEUE_MODE_OFF && setup_i[6:3] == request_i.client;

  always_comb begin
    bad_value = 1'b0;
    if (valid_i && in_block && request_i.write) begin
      unique case (offset)
        mu_pkg::REG_INJECTION_QUEUE_BASE[5:0]:
        bad_value = request_i.data[63:40] != '0 || setup_i[2:0] != mu_pkg::QUEUE_MODE_OFF;
        mu_pkg::REG_INJECTION_QUEUE_SIZE[5:0]:
        bad_value = request_i.data == '0 || request_i.data > 64'h100_0000 ||
            setup_i[2:0] != mu_pkg::QUEUE_MODE_OFF;
        mu_pkg::REG_INJECTION_QUEUE_CONFIG[5:0]:
        bad_value = bad_config || (request_i.data[2:0] != mu_pkg::QUEUE_MODE_OFF &&
                                   (size_i == '0 || 41'(base_i) + {10'b0, size_i, 6'b0} > ADDRESS_SPACE));
        mu_pkg::REG_INJECTION_QUEUE_PEER[5:0]:
        bad_value = setup_i[2:0] != mu_pkg::QUEUE_MODE_OFF || request_i.data[63:40] != '0 ||
            request_i.data[3:0] > last_node_i[3:0] || request_i.data[7:4] > last_node_i[7:4] ||
            request_i.data[11:8] > last_node_i[11:8] ||
            32'(request_i.data[19:12]) >= mu_pkg::INJECTION_QUEUES;
        default: ;
      endcase
    end
  end

  // Everything but the range of a doorbell, which the ring judges.
  always_comb begin
    data           = '0;
    status         = mu_pkg::STATUS_OK;
    doorbell_o     = 1'b0;
    write_base_o   = 1'b0;
    write_size_o   = 1'b0;
    write_config_o = 1'b0;
    write_peer_o   = 1'b0;
    if (valid_i) begin
      if (!exists) status = mu_pkg::STATUS_REGISTER_UNKNOWN;
      else if (in_page) begin
        if (request_i.write && request_i.wide) status = mu_pkg::STATUS_REGISTER_PARTIAL;
        else if (!owned || (request_i.write && setup_i[2:0] != mu_pkg::QUEUE_MODE_DOORBELL &&
                            setup_i[2:0] != mu_pkg::QUEUE_MODE_RECEIVE))
          status = mu_pkg::STATUS_DOORBELL_OWNER;
        else if (request_i.write) doorbell_o = 1'b1;
        else data = {head_i, head_i};
      end else if (request_i.write) begin
        if (offset > mu_pkg::REG_INJECTION_QUEUE_CONFIG[5:0] &&
            offset != mu_pkg::REG_INJECTION_QUEUE_PEER[5:0])
          status = mu_pkg::STATUS_REGISTER_UNKNOWN;
        else if (!request_i.wide) status = mu_pkg::STATUS_REGISTER_PARTIAL;
        else if (bad_value) status = mu_pkg::STATUS_REGISTER_VALUE;
        else begin
          write_base_o   = offset == mu_pkg::REG_INJECTION_QUEUE_BASE[5:0];
          write_size_o   = offset == mu_pkg::REG_INJECTION_QUEUE_SIZE[5:0];
          write_config_o = offset == mu_pkg::REG_INJECTION_QUEUE_CONFIG[5:0];
          write_peer_o   = offset == mu_pkg::REG_INJECTION_QUEUE_PEER[5:0];
        end
      end else begin
        unique case (offset)
          mu_pkg::REG_INJECTION_QUEUE_BASE[5:0]:   data = 64'(base_i);
          mu_pkg::REG_INJECTION_QUEUE_SIZE[5:0]:   data = 64'(size_i);
          mu_pkg::REG_INJECTION_QUEUE_CONFIG[5:0]:
          data = {53'b0, setup_i[9:7], setup_i[6:3], 1'b0, setup_i[2:0]};
          mu_pkg::REG_INJECTION_QUEUE_HEAD[5:0]:   data = 64'(head_i);
          mu_pkg::REG_INJECTION_QUEUE_TAIL[5:0]:   data = 64'(published_i);
          mu_pkg::REG_INJECTION_QUEUE_STATUS[5:0]:
          data = {errors_i[55:24], errors_i[23:8], 7'b0, halted_i, errors_i[7:0]};
          mu_pkg::REG_INJECTION_QUEUE_LIMIT[5:0]:  data = 64'(limit_i);
          mu_pkg::REG_INJECTION_QUEUE_PEER[5:0]:   data = 64'(peer_i);
          default:                                 status = mu_pkg::STATUS_REGISTER_UNKNOWN;
        endcase
      end
    end
  end

  assign range_status = doorbell_o && !accept_i ? mu_pkg::STATUS_DOORBELL_RANGE : status;
  assign response_o.status = range_status;
  assign response_o.data   = data;
endmodule
`default_nettype wire

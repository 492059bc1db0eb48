// SPDX-License-Identifier: Apache-2.0
// mu_packet_image: header, trailer and record of one slot: a packet, a query, or what ends without a packet.
//
//   descriptor, how far it is, who it is for ---> [ wires ] ---> header_o, trailer_o, record_o
//
// Behaviour: header and trailer are the descriptor's image, stamped with this node, the client (in queues
//   that the MU owns: on_behalf of the stamped one), bytes and offset. A reflecting GET goes to a
//   neighbour's queue; a SEND to the peer, or in a dynamically connected queue to its own target, with the
//   number and the bytes of its message. What moves nothing has the record alone: the change of a counter
//   or a limit, and for a completion entry the bytes and the word of a message received. A RECEIVE that has
//   left a dynamically connected queue for its message tells of nothing, and once more, detached, of that.
// Latency: combinational.
// Limits: query_i and open_i low: all outputs zero, for they are wide.
`default_nettype none

module mu_packet_image (
    input  logic                        query_i,
    input  logic                        open_i,
    // straps
    input  logic [                11:0] node_i,         // z, y, x
    // descriptor
    input  mu_pkg::fetched_descriptor_t fetched_i,
    input  mu_pkg::status_e             status_i,
    input  mu_pkg::kind_e               kind_i,
    input  logic                        tell_i,
    input  logic                        moves_i,        // there is a packet
    input  logic                        last_i,
    input  logic [                 9:0] bytes_i,
    input  logic [                36:0] offset_i,
    input  logic [                 2:0] tag_i,
    input  logic [                 7:0] counter_i,      // lookup 2
    // reflection
    input  logic                        reflects_i,
    input  logic [                 2:0] direction_i,
    input  logic [                15:0] number_i,
    input  logic [                11:0] neighbour_i,
    // queue pair
    input  mu_pkg::queue_peer_t         peer_i,
    input  logic [                31:0] send_number_i,
    input  logic                        send_doubtful_i,
    input  mu_pkg::receive_result_t     received_i,
    // slot
    output mu_pkg::packet_header_t      header_o,
    output mu_pkg::packet_trailer_t     trailer_o,
    output mu_pkg::injection_record_t   record_o
);
  mu_pkg::descriptor_t descriptor;
  logic from_network, sends, to_peer, open_send, open_held;
  logic receives, received, claimed, tells, sets, counts, enables;
  logic changes;
  logic [2:0] reflector_queue;
  logic [11:0] destination;
  logic [7:0] target, done_event;
  logic done_event_valid;
  logic [37:0] value;

  assign descriptor   = fetched_i.descriptor;
  assign from_network = fetched_i.mode == mu_pkg::QUEUE_MODE_REMOTE_GET;

  // The queue at the reflector is named by the direction from there to here.
  assign reflector_queue = direction_i == 3'd6 ? 3'd6 : direction_i ^ 3'd1;

  always_comb begin
    sends            = 1'b0;
    to_peer          = 1'b0;
    open_send        = 1'b0;
    open_held        = 1'b0;
    receives         = 1'b0;
    received         = 1'b0;
    claimed          = 1'b0;
    tells            = 1'b0;
    sets             = 1'b0;
    counts           = 1'b0;
    enables          = 1'b0;
    changes          = 1'b0;
    destination      = '0;
    target           = '0;
    done_event       = '0;
    done_event_valid = 1'b0;
    value            = '0;
    if (open_i) begin
      sends    = descriptor.opcode == mu_pkg::OPCODE_SEND;
      to_peer  = sends && !peer_i.dynamic;
      // What becomes of a SEND or a FENCE is not known here.
      open_held = (sends || descriptor.opcode == mu_pkg::OPCODE_FENCE) && (moves_i || fetched_i.again);
      open_send = sends && open_held;
      receives = descriptor.opcode == mu_pkg::OPCODE_RECEIVE;
      received = receives && fetched_i.run && !fetched_i.detached && !peer_i.dynamic &&
          fetched_i.run_status != mu_pkg::STATUS_FLUSHED;
      // Its message has a context, and tells of it when that is in memory.
      claimed  = receives && fetched_i.run && peer_i.dynamic && !fetched_i.detached &&
          fetched_i.run_status == mu_pkg::STATUS_OK;
      tells    = sends || receives || descriptor.opcode == mu_pkg::OPCODE_PIPE;
      // A failure is answered to where its getter is, an on-behalf packet goes there too.
      destination = {descriptor.header.dst_z, descriptor.header.dst_y, descriptor.header.dst_x};
      if (reflects_i) destination = neighbour_i;
      else if (status_i != mu_pkg::STATUS_OK && from_network)
        destination = {descriptor.header.src_z, descriptor.header.src_y, descriptor.header.src_x};
      else if (to_peer) destination = {peer_i.z, peer_i.y, peer_i.x};
      target = reflects_i ? {5'b0, reflector_queue} : to_peer ? peer_i.queue : descriptor.header.target;
      done_event = descriptor.done_event_valid ? descriptor.done_event : peer_i.event_counter;
      done_event_valid = !claimed &&
          (descriptor.done_event_valid || (tells && !fetched_i.detached && peer_i.event_valid));
      // CTR_ADD, CTR_SET, SEND_EN and RECV_EN; the value is taken modulo the width of its counter.
      sets    = descriptor.opcode == mu_pkg::OPCODE_CTR_SET;
      counts  = sets || descriptor.opcode == mu_pkg::OPCODE_CTR_ADD;
      enables = descriptor.opcode == mu_pkg::OPCODE_SEND_EN || descriptor.opcode == mu_pkg::OPCODE_RECV_EN;
      changes = status_i == mu_pkg::STATUS_OK && (counts || enables);
      value   = {descriptor.event_valid ? 6'b0 : descriptor.immediate[37:32], descriptor.immediate[31:0]};
    end
  end

  always_comb begin
    header_o  = '0;
    trailer_o = '0;
    record_o  = '0;
    if (query_i) begin
      header_o.dst_x  = neighbour_i[3:0];
      header_o.dst_y  = neighbour_i[7:4];
      header_o.dst_z  = neighbour_i[11:8];
      header_o.src_x  = node_i[3:0];
      header_o.src_y  = node_i[7:4];
      header_o.src_z  = node_i[11:8];
      header_o.kind   = mu_pkg::KIND_CREDIT_QUERY;
      header_o.target = 8'(reflector_queue);
      header_o.word   = 32'(number_i);
      trailer_o.last  = 1'b1;
      record_o.send   = 1'b1;
      record_o.tag    = tag_i;
    end else if (open_i) begin
      header_o.dst_x     = destination[3:0];
      header_o.dst_y     = destination[7:4];
      header_o.dst_z     = destination[11:8];
      header_o.src_x     = node_i[3:0];
      header_o.src_y     = node_i[7:4];
      header_o.src_z     = node_i[11:8];
      header_o.client    = from_network ? descriptor.header.client : fetched_i.owner;
      header_o.kind      = kind_i;
      header_o.on_behalf = from_network;
      header_o.bytes     = moves_i ? bytes_i : '0;
      header_o.target    = target;
      header_o.offset    = offset_i;
      header_o.word      = received ? received_i.word : descriptor.header.word;

      trailer_o.counter         = descriptor.counter;
      trailer_o.counter_valid   = descriptor.counter_valid;
      trailer_o.event_counter   = descriptor.event_counter;
      trailer_o.event_valid     = descriptor.event_valid;
      trailer_o.interrupt       = descriptor.interrupt_target;
      trailer_o.last            = last_i;
      trailer_o.queue           = fetched_i.queue;
      trailer_o.index           = open_send ? descriptor.length[31:0] : fetched_i.index;
      trailer_o.sequence_number = reflects_i ? 32'(number_i) :
          open_send ? send_number_i : descriptor.sequence_number;
      trailer_o.reflected       = reflects_i;
      trailer_o.dynamic         = open_send && peer_i.dynamic;
      trailer_o.doubtful        = open_send && peer_i.dynamic && send_doubtful_i;

      record_o.operation_valid  = moves_i ? descriptor.injection_counter_valid : changes;
      record_o.done_event       = done_event;
      record_o.done_event_valid = done_event_valid;
      record_o.interrupt_done   = descriptor.interrupt_done && !claimed;
      record_o.owner            = fetched_i.owner;
      record_o.queue            = fetched_i.queue;
      record_o.index            = fetched_i.index;
      record_o.status           = status_i;
      record_o.last             = last_i && !open_held;
      record_o.send             = moves_i;
      record_o.notice           = tell_i;
      record_o.tag              = tag_i;
      record_o.enable           = enables;
      record_o.held             = open_held;
      record_o.signal           = descriptor.signal && !claimed;
      record_o.opcode           = descriptor.opcode;
      record_o.bytes            = received ? received_i.bytes : descriptor.length[31:0];
      record_o.detached         = fetched_i.detached;
      record_o.operation.client = fetched_i.owner;
      if (enables) begin
        record_o.operation.counter  = descriptor.header.target;
        record_o.operation.is_event = descriptor.opcode == mu_pkg::OPCODE_RECV_EN;
        record_o.operation.add      = descriptor.relative;
      end else begin
        record_o.operation.counter  = counter_i;
        record_o.operation.is_event = !moves_i && descriptor.event_valid;
        record_o.operation.add      = !moves_i && !sets;
      end
      record_o.operation.value = moves_i ? 38'(bytes_i) : value;
      record_o.operation.set   = !moves_i && sets;
    end
  end

  logic unused;
  assign unused = ^{descriptor, fetched_i, peer_i};
endmodule
`default_nettype wire

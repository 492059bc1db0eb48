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
      record_o.sequence_number  = descriptor.sequence_number;
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

`ifdef PROVE_MU_PACKET_IMAGE
  // What is proved of mu_packet_image, field by field: whom a packet is from and for, what its trailer tells
  // of a reflection or a message, and what its record has the node do: a packet moves bytes, what moves
  // nothing changes a counter or a limit. Left to unit tests: which word is told, the bytes that a completion
  // entry tells, and when the queue's event is bumped.
  logic send, reflecting, failed_for_another, peer_known;
  logic [11:0] meant;
  logic [2:0] from_here;
  logic receive_done, receive_claimed, enabling, setting, changing;
  assign send               = fetched_i.descriptor.opcode == mu_pkg::OPCODE_SEND;
  assign reflecting         = reflects_i;
  assign failed_for_another = status_i != mu_pkg::STATUS_OK &&
      fetched_i.mode == mu_pkg::QUEUE_MODE_REMOTE_GET;
  assign peer_known         = send && !peer_i.dynamic;
  assign from_here          = direction_i == 3'd6 ? 3'd6 : {direction_i[2:1], !direction_i[0]};
  assign receive_done       = fetched_i.descriptor.opcode == mu_pkg::OPCODE_RECEIVE && fetched_i.run &&
      !fetched_i.detached;
  assign receive_claimed    = receive_done && peer_i.dynamic && fetched_i.run_status == mu_pkg::STATUS_OK;
  assign enabling           = fetched_i.descriptor.opcode == mu_pkg::OPCODE_SEND_EN ||
      fetched_i.descriptor.opcode == mu_pkg::OPCODE_RECV_EN;
  assign setting            = fetched_i.descriptor.opcode == mu_pkg::OPCODE_CTR_SET;
  assign changing           = enabling || setting || fetched_i.descriptor.opcode == mu_pkg::OPCODE_CTR_ADD;
  always_comb begin
    meant = {fetched_i.descriptor.header.dst_z, fetched_i.descriptor.header.dst_y,
        fetched_i.descriptor.header.dst_x};
    if (peer_known) meant = {peer_i.z, peer_i.y, peer_i.x};
    if (failed_for_another)
      meant = {fetched_i.descriptor.header.src_z, fetched_i.descriptor.header.src_y,
          fetched_i.descriptor.header.src_x};
    if (reflecting) meant = neighbour_i;
  end

  always_comb begin
    if (!query_i && !open_i) nothing_of_nothing : assert ({header_o, trailer_o, record_o} == '0);
    if (query_i || open_i) begin
      from_this_node : assert ({header_o.src_z, header_o.src_y, header_o.src_x} == node_i);
      crc_is_left_to_others : assert (trailer_o.crc == '0);
      requests_only : assert (!header_o.reply);
      number_of_the_descriptor : assert (record_o.tag == tag_i);
    end
    if (query_i) begin
      query_goes_to_the_neighbour :
      assert (header_o.kind == mu_pkg::KIND_CREDIT_QUERY &&
              {header_o.dst_z, header_o.dst_y, header_o.dst_x} == neighbour_i);
      query_names_the_queue_and_the_number :
      assert (header_o.target == 8'(from_here) && header_o.word == 32'(number_i));
      query_moves_nothing :
      assert (header_o.bytes == '0 && record_o.send && !record_o.last && !record_o.operation_valid &&
              !record_o.done_event_valid && !record_o.interrupt_done && !record_o.signal && !record_o.notice);
    end else if (open_i) begin
      for_whom_it_is : assert ({header_o.dst_z, header_o.dst_y, header_o.dst_x} == meant);
      is_of_its_kind : assert (header_o.kind == kind_i && header_o.offset == offset_i);
      bytes_only_with_a_packet : assert (header_o.bytes == (moves_i ? bytes_i : '0) &&
          record_o.send == moves_i);
      on_behalf_of_who_asked :
      assert (header_o.on_behalf == (fetched_i.mode == mu_pkg::QUEUE_MODE_REMOTE_GET) &&
              header_o.client == (header_o.on_behalf ? fetched_i.descriptor.header.client : fetched_i.owner));
      target_of_a_reflection : assert (!reflecting || header_o.target == 8'(from_here));
      target_of_a_send : assert (reflecting || !peer_known || header_o.target == peer_i.queue);
      target_of_others :
      assert (reflecting || peer_known || header_o.target == fetched_i.descriptor.header.target);
      word_is_that_of_the_descriptor :
      assert (header_o.word == fetched_i.descriptor.header.word || (receive_done &&
          header_o.word == received_i.word));

      trailer_asks_for_a_credit :
      assert (trailer_o.reflected == reflecting && (!reflecting ||
          trailer_o.sequence_number == 32'(number_i)));
      trailer_names_the_queue : assert (trailer_o.queue == fetched_i.queue && trailer_o.last == last_i);
      trailer_names_the_counters :
      assert (trailer_o.counter == fetched_i.descriptor.counter &&
              trailer_o.counter_valid == fetched_i.descriptor.counter_valid &&
              trailer_o.event_counter == fetched_i.descriptor.event_counter &&
              trailer_o.event_valid == fetched_i.descriptor.event_valid &&
              trailer_o.interrupt == fetched_i.descriptor.interrupt_target);
      if (send && moves_i && !reflecting) message_has_a_number_and_a_length :
      assert (trailer_o.sequence_number == send_number_i &&
          trailer_o.index == fetched_i.descriptor.length[31:0] &&
              trailer_o.dynamic == peer_i.dynamic && trailer_o.doubtful == (peer_i.dynamic &&
                  send_doubtful_i));
      if (!send) no_message_but_of_a_send :
      assert (!trailer_o.dynamic && !trailer_o.doubtful && trailer_o.index == fetched_i.index &&
              (reflecting || trailer_o.sequence_number == fetched_i.descriptor.sequence_number));

      record_names_the_descriptor :
      assert (record_o.queue == fetched_i.queue && record_o.index == fetched_i.index &&
              record_o.owner == fetched_i.owner && record_o.status == status_i &&
              record_o.opcode == fetched_i.descriptor.opcode && record_o.detached == fetched_i.detached &&
              record_o.sequence_number == fetched_i.descriptor.sequence_number &&
              record_o.notice == tell_i);
      held_is_not_retired_here : assert (record_o.last == (last_i && !record_o.held));
      a_message_under_way_holds :
      assert (record_o.held == ((send || fetched_i.descriptor.opcode == mu_pkg::OPCODE_FENCE) &&
                                (moves_i || fetched_i.again)));
      a_claimed_receive_tells_later :
      assert (!receive_claimed || !(record_o.signal || record_o.interrupt_done || record_o.done_event_valid));
      tells_as_the_descriptor_says :
      assert (receive_claimed || (record_o.signal == fetched_i.descriptor.signal &&
                                  record_o.interrupt_done == fetched_i.descriptor.interrupt_done));
      event_of_the_descriptor_first :
      assert (!fetched_i.descriptor.done_event_valid ||
          record_o.done_event == fetched_i.descriptor.done_event);
      event_of_the_queue_else :
      assert (!record_o.done_event_valid || fetched_i.descriptor.done_event_valid ||
              (peer_i.event_valid && record_o.done_event == peer_i.event_counter));

      if (moves_i && !enabling) a_packet_counts_its_bytes :
      assert (record_o.operation_valid == fetched_i.descriptor.injection_counter_valid &&
              record_o.operation.counter == counter_i && record_o.operation.value == 38'(bytes_i) &&
              !record_o.operation.set && !record_o.operation.is_event && !record_o.operation.add);
      if (!moves_i) begin
        changes_only_if_all_is_well :
        assert (record_o.operation_valid == (changing && status_i == mu_pkg::STATUS_OK));
        only_limits_go_to_the_queues : assert (record_o.enable == enabling);
        value_is_the_immediate :
        assert (record_o.operation.value[31:0] == fetched_i.descriptor.immediate[31:0]);
        if (enabling) limit_of_the_target :
        assert (record_o.operation.counter == fetched_i.descriptor.header.target &&
                record_o.operation.add == fetched_i.descriptor.relative && !record_o.operation.set &&
                record_o.operation.is_event == (fetched_i.descriptor.opcode == mu_pkg::OPCODE_RECV_EN));
        else adds_unless_it_sets :
        assert (record_o.operation.set == setting && record_o.operation.add == !setting &&
                record_o.operation.counter == counter_i);
      end
    end
  end
`endif
endmodule
`default_nettype wire

// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_packet_image, field by field: whom a packet is from and for, what its trailer tells of a reflection
// or a message, and what its record has the node do: a packet moves bytes, what moves nothing changes a counter or a limit.
// Left to unit tests: which word is told, the bytes that a completion entry tells, and when the queue's event is bumped.
  logic send, reflecting, failed_for_another, peer_known;
  logic [11:0] meant;
  logic [2:0] from_here;
  logic receive_done, receive_claimed, enabling, setting, changing;
  assign send               = fetched_i.descriptor.opcode == mu_pkg::OPCODE_SEND;
  assign reflecting         = reflects_i;
  assign failed_for_another = status_i != mu_pkg::STATUS_OK && fetched_i.mode == mu_pkg::QUEUE_MODE_REMOTE_GET;
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
    meant = {fetched_i.descriptor.header.dst_z, fetched_i.descriptor.header.dst_y, fetched_i.descriptor.header.dst_x};
    if (peer_known) meant = {peer_i.z, peer_i.y, peer_i.x};
    if (failed_for_another)
      meant = {fetched_i.descriptor.header.src_z, fetched_i.descriptor.header.src_y, fetched_i.descriptor.header.src_x};
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
      bytes_only_with_a_packet : assert (header_o.bytes == (moves_i ? bytes_i : '0) && record_o.send == moves_i);
      on_behalf_of_who_asked :
      assert (header_o.on_behalf == (fetched_i.mode == mu_pkg::QUEUE_MODE_REMOTE_GET) &&
              header_o.client == (header_o.on_behalf ? fetched_i.descriptor.header.client : fetched_i.owner));
      target_of_a_reflection : assert (!reflecting || header_o.target == 8'(from_here));
      target_of_a_send : assert (reflecting || !peer_known || header_o.target == peer_i.queue);
      target_of_others :
      assert (reflecting || peer_known || header_o.target == fetched_i.descriptor.header.target);
      word_is_that_of_the_descriptor :
      assert (header_o.word == fetched_i.descriptor.header.word || (receive_done && header_o.word == received_i.word));

      trailer_asks_for_a_credit :
      assert (trailer_o.reflected == reflecting && (!reflecting || trailer_o.sequence_number == 32'(number_i)));
      trailer_names_the_queue : assert (trailer_o.queue == fetched_i.queue && trailer_o.last == last_i);
      trailer_names_the_counters :
      assert (trailer_o.counter == fetched_i.descriptor.counter &&
              trailer_o.counter_valid == fetched_i.descriptor.counter_valid &&
              trailer_o.event_counter == fetched_i.descriptor.event_counter &&
              trailer_o.event_valid == fetched_i.descriptor.event_valid &&
              trailer_o.interrupt == fetched_i.descriptor.interrupt_target);
      if (send && moves_i && !reflecting) message_has_a_number_and_a_length :
      assert (trailer_o.sequence_number == send_number_i && trailer_o.index == fetched_i.descriptor.length[31:0] &&
              trailer_o.dynamic == peer_i.dynamic && trailer_o.doubtful == (peer_i.dynamic && send_doubtful_i));
      if (!send) no_message_but_of_a_send :
      assert (!trailer_o.dynamic && !trailer_o.doubtful && trailer_o.index == fetched_i.index &&
              (reflecting || trailer_o.sequence_number == fetched_i.descriptor.sequence_number));

      record_names_the_descriptor :
      assert (record_o.queue == fetched_i.queue && record_o.index == fetched_i.index &&
              record_o.owner == fetched_i.owner && record_o.status == status_i &&
              record_o.opcode == fetched_i.descriptor.opcode && record_o.detached == fetched_i.detached &&
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
      assert (!fetched_i.descriptor.done_event_valid || record_o.done_event == fetched_i.descriptor.done_event);
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

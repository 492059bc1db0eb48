// SPDX-License-Identifier: Apache-2.0
// What is proved of mu_reception_action: each kind is stored where it belongs; only the last packet of a
// message bumps and interrupts; a FIFO entry moves the ring by the slots that header, trailer and payload
// take; only parts of a SEND speak of a receive queue.
  logic put, fifo, send, fence;
  assign put   = !valid_i || header_i.kind == mu_pkg::KIND_PUT;
  assign fifo  = valid_i && header_i.kind == mu_pkg::KIND_FIFO;
  assign send  = valid_i && header_i.kind == mu_pkg::KIND_SEND;
  assign fence = header_i.kind == mu_pkg::KIND_FENCE;
  always_comb begin
    assume (header_i.bytes <= 10'd512);
    if (put) a_put_goes_into_its_region : assert (address_o == region_address_i && bytes_o == header_i.bytes);
    if (send) a_send_goes_into_its_buffer :
    assert (address_o == buffer_address_i && bytes_o == header_i.bytes);
    if (fifo) an_entry_goes_into_its_slots :
    assert (address_o == fifo_address_i && bytes_o == fifo_bytes_i && split_o == fifo_split_i);
    fifo_says_so : assert (fifo_o == fifo);
    if (!fifo) only_a_ring_is_split : assert (!split_o);
    if (valid_i) begin
      action_by_kind :
      assert (action_o.action == (fifo ? mu_pkg::ACTION_FIFO : send ? mu_pkg::ACTION_SEND :
                                  fence ? mu_pkg::ACTION_FENCE : mu_pkg::ACTION_PUT));
      only_the_last_bumps_and_interrupts :
      assert (trailer_i.last || !(action_o.event_valid || action_o.interrupt || action_o.message_end));
      the_last_does_as_it_says :
      assert (!trailer_i.last || (action_o.event_valid == trailer_i.event_valid &&
                                  action_o.interrupt == trailer_i.interrupt && action_o.message_end == send));
      bytes_of_a_part_wait_for_its_end :
      assert (action_o.counter_valid == (trailer_i.counter_valid && !(send && !trailer_i.last)));
      bytes_are_those_of_what_is_told :
      assert (action_o.bytes == (send ? message_bytes_i : 32'(header_i.bytes)));
      if (fifo) slots_for_header_and_payload :
      assert (32'(action_o.amount) * 32'd32 >= 32'(header_i.bytes) + 32'd32 &&
              32'(action_o.amount) * 32'd32 < 32'(header_i.bytes) + 32'd64);
      else moves_no_ring : assert (action_o.amount == '0);
      if (!send) nothing_of_a_message :
      assert ({action_o.epoch, action_o.slot, action_o.dynamic, action_o.reassembly} == '0);
      owner_is_told : assert (action_o.client == owner_i && action_o.target == header_i.target);
    end else a_put_of_nothing :
    assert ({action_o.event_valid, action_o.counter_valid, action_o.interrupt, action_o.bytes} == '0);
  end

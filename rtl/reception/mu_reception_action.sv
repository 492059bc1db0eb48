// SPDX-License-Identifier: Apache-2.0
// mu_reception_action: where a packet is stored, and what its store stands for.
//
//   header, trailer, places of region, FIFO and buffer ---> [ choose ] ---> address_o, bytes_o, action_o
//
// Behaviour: a PUT goes into its region, a FIFO packet into its ring slots, a part of a SEND into the
//   buffer of the RECEIVE, a FENCE nowhere, at a place of its region; event and interrupt belong to the
//   last packet of a message. What a boot buffer keeps counts, bumps and interrupts when it leaves it.
// Latency: combinational.
// Limits: valid_i low: action_o is a PUT of nothing, and the rest is that of a PUT.
`default_nettype none

module mu_reception_action (
    input  logic                    valid_i,
    input  mu_pkg::packet_header_t  header_i,
    input  mu_pkg::packet_trailer_t trailer_i,
    input  logic [3:0]              owner_i,
    // where
    input  mu_pkg::address_t        region_address_i,
    input  mu_pkg::address_t        fifo_address_i,
    input  logic [9:0]              fifo_bytes_i,
    input  logic                    fifo_split_i,
    input  logic [7:0]              fifo_i,      // whose slots they are
    input  logic                    kept_i,      // in a boot buffer: what else the packet does comes later
    input  mu_pkg::address_t        buffer_address_i,
    input  logic [1:0]              buffer_epoch_i,
    input  logic [2:0]              buffer_context_i,
    input  logic [31:0]             message_bytes_i,
    // store
    output logic                    fifo_o,
    output mu_pkg::address_t        address_o,
    output logic [9:0]              bytes_o,
    output logic                    split_o,
    output mu_pkg::write_action_t   action_o
);
  logic is_send, kept;
  assign kept      = fifo_o && kept_i;
  assign is_send   = valid_i && header_i.kind == mu_pkg::KIND_SEND;
  assign fifo_o    = valid_i && header_i.kind == mu_pkg::KIND_FIFO;
  assign address_o = fifo_o ? fifo_address_i : is_send ? buffer_address_i : region_address_i;
  assign bytes_o   = fifo_o ? fifo_bytes_i : header_i.bytes;
  assign split_o   = fifo_o && fifo_split_i;

  always_comb begin
    action_o        = '0;
    action_o.action = mu_pkg::ACTION_PUT;
    if (valid_i) begin
      if (fifo_o) action_o.action = mu_pkg::ACTION_FIFO;
      if (is_send) action_o.action = mu_pkg::ACTION_SEND;
      if (header_i.kind == mu_pkg::KIND_FENCE) action_o.action = mu_pkg::ACTION_FENCE;
      action_o.client        = owner_i;
      action_o.target        = fifo_o ? fifo_i : header_i.target;
      action_o.amount        = fifo_o ? 8'd1 + 8'((11'(header_i.bytes) + 11'd31) >> 5) : '0;
      action_o.bytes         = is_send ? message_bytes_i : 32'(header_i.bytes);
      action_o.counter       = trailer_i.counter;
      // A message may begin anew, so its bytes count once it is whole.
      action_o.counter_valid = trailer_i.counter_valid && (!is_send || trailer_i.last) && !kept;
      action_o.event_counter = trailer_i.event_counter;
      action_o.event_valid   = trailer_i.event_valid && trailer_i.last && !kept;
      action_o.interrupt     = trailer_i.interrupt && trailer_i.last && !kept;
      action_o.message_end   = is_send && trailer_i.last;
      action_o.epoch         = is_send ? buffer_epoch_i : '0;
      action_o.slot          = is_send && trailer_i.sequence_number[0];
      action_o.dynamic       = is_send && trailer_i.dynamic;
      action_o.reassembly    = is_send && trailer_i.dynamic ? buffer_context_i : '0;
    end
  end

  logic unused;
  assign unused = ^{header_i, trailer_i};

`ifdef PROVE_MU_RECEPTION_ACTION
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
      assert (!trailer_i.last || (fifo && kept_i) || (action_o.event_valid == trailer_i.event_valid &&
                                  action_o.interrupt == trailer_i.interrupt && action_o.message_end == send));
      bytes_of_a_part_wait_for_its_end :
      assert (action_o.counter_valid ==
              (trailer_i.counter_valid && !(send && !trailer_i.last) && !(fifo && kept_i)));
      if (fifo && kept_i) kept_does_nothing_else :
      assert ({action_o.event_valid, action_o.counter_valid, action_o.interrupt} == '0);
      bytes_are_those_of_what_is_told :
      assert (action_o.bytes == (send ? message_bytes_i : 32'(header_i.bytes)));
      if (fifo) slots_for_header_and_payload :
      assert (32'(action_o.amount) * 32'd32 >= 32'(header_i.bytes) + 32'd32 &&
              32'(action_o.amount) * 32'd32 < 32'(header_i.bytes) + 32'd64);
      else moves_no_ring : assert (action_o.amount == '0);
      if (!send) nothing_of_a_message :
      assert ({action_o.epoch, action_o.slot, action_o.dynamic, action_o.reassembly} == '0);
      owner_is_told :
      assert (action_o.client == owner_i && action_o.target == (fifo ? fifo_i : header_i.target));
    end else a_put_of_nothing :
    assert ({action_o.event_valid, action_o.counter_valid, action_o.interrupt, action_o.bytes} == '0);
  end
`endif
endmodule
`default_nettype wire

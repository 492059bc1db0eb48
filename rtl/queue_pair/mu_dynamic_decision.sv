// SPDX-License-Identifier: Apache-2.0
// mu_dynamic_decision: what becomes of one packet of a SEND of a dynamically connected queue: taken, refused,
//   dropped, or acknowledged again.
//
//   header, trailer, context of its sender, its queue ---> [ rules in order ] ---> take_o, status_o, ...
//
// Behaviour: the first rule that applies: QUEUE_INVALID, no such receive queue, or without a peer;
//   PERMISSION, a queue with a peer of its own; a first packet (offset 0) that is doubtful, of a sender that
//   is not known though some were: DELIVERY_UNKNOWN; a new message (first, and not a copy of the last one
//   known) while that is not answered, or without buffer or context: RECEIVE_DISABLED; a first packet of a
//   message longer than its buffer, or than itself: LENGTH_TOO_LONG; counters_good_i low: COUNTER_INVALID; a
//   new message, a copy of one of which not all was taken, or the packet at the byte that comes next: taken;
//   the last packet of a doubtful copy of one that has been answered: acknowledged again, or MEMORY_ERROR;
//   else dropped. Exactly one of take_o, drop_o, acknowledge_o and a status other than OK. But for that
//   MEMORY_ERROR a status is told only for a first packet.
// Latency: combinational.
// Limits: valid_i low: nothing.
`default_nettype none

module mu_dynamic_decision (
    input  logic                    valid_i,
    input  mu_pkg::packet_header_t  header_i,
    input  mu_pkg::packet_trailer_t trailer_i,
    input  mu_pkg::queue_peer_t     peer_i,           // of the receive queue
    input  logic                    counters_good_i,
    // receive queue
    input  logic                    exists_i,
    input  logic                    buffer_i,
    // context of the sender
    input  logic                    hit_i,
    input  logic                    same_i,
    input  logic                    open_i,
    input  logic                    waits_i,
    input  logic                    failed_i,
    input  logic [31:0]             received_i,
    input  logic                    room_i,
    input  logic                    forgot_i,
    input  mu_pkg::receive_buffer_t entry_i,          // that of an open context, else that of the queue
    // decision
    output logic                    take_o,
    output logic                    begin_o,          // it is the first of its message
    output logic                    claim_o,          // which takes the buffer of the queue
    output logic                    drop_o,
    output logic                    acknowledge_o,
    output mu_pkg::status_e         status_o,
    output logic [39:0]             address_o,
    output logic [31:0]             bytes_o           // of the message with this packet
);
  logic first;
  logic fresh;    // a new message
  logic anew;     // a copy of one of which not all was taken
  logic follows;
  logic fits;

  always_comb begin
    take_o        = 1'b0;
    begin_o       = 1'b0;
    claim_o       = 1'b0;
    drop_o        = 1'b0;
    acknowledge_o = 1'b0;
    status_o      = mu_pkg::STATUS_OK;
    first         = 1'b0;
    fresh         = 1'b0;
    anew          = 1'b0;
    follows       = 1'b0;
    fits          = 1'b0;
    if (valid_i) begin
      first   = header_i.offset == '0;
      fresh   = first && (!trailer_i.doubtful || (hit_i ? !same_i : !forgot_i));
      anew    = first && !fresh && same_i && open_i;
      follows = same_i && open_i && header_i.offset == 37'(received_i);
      fits    = 37'(trailer_i.index) <= entry_i.length &&
          38'(header_i.offset) + 38'(header_i.bytes) <= 38'(trailer_i.index);
      if (!exists_i || !peer_i.connected) status_o = mu_pkg::STATUS_QUEUE_INVALID;
      else if (!peer_i.dynamic) status_o = mu_pkg::STATUS_PERMISSION;
      else if (first && !fresh && !hit_i) status_o = mu_pkg::STATUS_DELIVERY_UNKNOWN;
      else if (fresh && (waits_i || (!open_i && !buffer_i) || (!hit_i && !room_i)))
        status_o = mu_pkg::STATUS_RECEIVE_DISABLED;
      else if (fresh || anew || follows) begin
        if (!fits) status_o = mu_pkg::STATUS_LENGTH_TOO_LONG;
        else if (!counters_good_i) status_o = mu_pkg::STATUS_COUNTER_INVALID;
        else take_o = header_i.bytes != '0;
      end else if (same_i && !open_i && !waits_i && trailer_i.last && trailer_i.doubtful) begin
        acknowledge_o = !failed_i;
        if (failed_i) status_o = mu_pkg::STATUS_MEMORY_ERROR;
      end
      if (!first && status_o != mu_pkg::STATUS_MEMORY_ERROR) status_o = mu_pkg::STATUS_OK;
      begin_o = take_o && first;
      claim_o = begin_o && !open_i;
      drop_o  = status_o == mu_pkg::STATUS_OK && !take_o && !acknowledge_o;
    end
  end

  assign address_o = entry_i.address + 40'(header_i.offset);
  assign bytes_o   = 32'(header_i.offset) + 32'(header_i.bytes);

  logic unused;
  assign unused = ^{header_i, trailer_i, peer_i, entry_i};

`ifdef PROVE_MU_DYNAMIC_DECISION
  logic known;  // the message is that of the context
  always_comb begin
    assume (hit_i || !(same_i || open_i || waits_i));
    assume (!(open_i && waits_i));
    known = hit_i && same_i;
    one_fate : assert (!valid_i || $onehot({take_o, drop_o, acknowledge_o, status_o != mu_pkg::STATUS_OK}));
    nothing_of_nothing : assert (valid_i || {take_o, drop_o, acknowledge_o, status_o} == '0);
    only_in_a_dynamic_queue :
    assert (!(take_o || acknowledge_o) || (exists_i && peer_i.connected && peer_i.dynamic));
    inside_the_buffer : assert (!take_o || 38'(header_i.offset) + 38'(header_i.bytes) <= 38'(entry_i.length));
    only_with_good_counters : assert (!take_o || counters_good_i);
    in_order :
    assert (!take_o || begin_o || (known && open_i && header_i.offset != '0 &&
                                   header_i.offset == 37'(received_i)));
    begins_with_the_first : assert (!begin_o || (take_o && header_i.offset == '0));
    begins_where_there_is_room : assert (!begin_o || (hit_i ? !waits_i : room_i));
    has_a_buffer : assert (!begin_o || (open_i ? !claim_o : claim_o && buffer_i));
    claims_only_to_begin : assert (!claim_o || begin_o);
    // Exactly once: of a copy of what has been taken, or may have been, nothing is taken.
    never_again :
    assert (!(take_o && trailer_i.doubtful) || (known && open_i) ||
            (begin_o && (hit_i ? !same_i : !forgot_i)));
    acknowledges_what_is_in_memory :
    assert (!acknowledge_o || (known && !open_i && !waits_i && !failed_i && trailer_i.last));
    fails_what_has_failed :
    assert (status_o != mu_pkg::STATUS_MEMORY_ERROR ||
            (known && !open_i && !waits_i && failed_i && trailer_i.last));
    unknown_if_it_may_be_forgotten :
    assert (status_o != mu_pkg::STATUS_DELIVERY_UNKNOWN || (trailer_i.doubtful && !hit_i && forgot_i));
    refuses_whole_messages :
    assert (status_o == mu_pkg::STATUS_OK || status_o == mu_pkg::STATUS_MEMORY_ERROR ||
            header_i.offset == '0);
    takes_what_is_new :
    assert (!(valid_i && header_i.offset == '0 && header_i.bytes != '0 && !trailer_i.doubtful && exists_i &&
              peer_i.connected && peer_i.dynamic && !waits_i && buffer_i && (hit_i || room_i) && fits &&
              counters_good_i) || begin_o);
  end
`endif
endmodule
`default_nettype wire

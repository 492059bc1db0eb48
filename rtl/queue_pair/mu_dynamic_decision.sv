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
// Latency: one cycle: with look_i context and queue are compared with the packet, with valid_i, in the next
//   cycle, that is judged.
// Limits: valid_i low: nothing. header_i, trailer_i stand for both cycles.
`default_nettype none

module mu_dynamic_decision (
    input  logic                    clk_i,
    input  logic                    look_i,
    input  logic                    valid_i,
    input  mu_pkg::packet_header_t  header_i,
    input  mu_pkg::packet_trailer_t trailer_i,
    input  logic [37:0]             end_i,            // offset and bytes
    input  mu_pkg::queue_peer_t     peer_i,           // of the receive queue
    input  logic                    counters_good_i,  // with valid_i
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
    input  mu_pkg::receive_buffer_t entry_i,  // that of an open context, else that of the queue
    // decision
    output logic                    take_o,
    output logic                    begin_o,  // it is the first of its message
    output logic                    claim_o,  // which takes the buffer of the queue
    output logic                    drop_o,
    output logic                    acknowledge_o,
    output mu_pkg::status_e         status_o,
    output mu_pkg::address_t        address_o
);
  logic first;
  logic fresh;    // a new message
  logic anew;     // a copy of one of which not all was taken
  logic lacks;    // what a new message needs: that the last one is answered, a buffer, a context
  logic again;    // the end of a doubtful copy of one that has been answered
  logic closed;   // nothing is taken or acknowledged, whatever it is
  mu_pkg::status_e refusal;      // but for what only a packet that goes on may lack
  mu_pkg::status_e refusal_q;
  logic first_q;
  logic some_q;         // there are bytes in it
  logic open_q;
  logic goes_on_q;      // it is the packet that comes next, or a first one
  logic lacks_q;
  logic fits_q;
  logic acknowledge_q;

  // All that can be said without the counters is said at the lookup.
  always_comb begin
    first   = header_i.offset == '0;
    fresh   = first && (!trailer_i.doubtful || (hit_i ? !same_i : !forgot_i));
    anew    = first && !fresh && same_i && open_i;
    lacks   = waits_i || (!open_i && !buffer_i) || (!hit_i && !room_i);
    again   = same_i && !open_i && !waits_i && !fresh && trailer_i.last && trailer_i.doubtful;
    closed  = 1'b1;
    refusal = mu_pkg::STATUS_OK;
    if (!(exists_i && peer_i.connected)) begin
      if (first) refusal = mu_pkg::STATUS_QUEUE_INVALID;
    end else if (!peer_i.dynamic) begin
      if (first) refusal = mu_pkg::STATUS_PERMISSION;
    end else if (first && !fresh && !hit_i) refusal = mu_pkg::STATUS_DELIVERY_UNKNOWN;
    else begin
      closed = 1'b0;
      if (again && failed_i) refusal = mu_pkg::STATUS_MEMORY_ERROR;
    end
  end
  always_ff @(posedge clk_i) begin
    if (look_i) begin
      refusal_q     <= refusal;
      first_q       <= first;
      some_q        <= header_i.bytes != '0;
      open_q        <= open_i;
      goes_on_q     <= !closed && (fresh || anew || (same_i && open_i && header_i.offset == 37'(received_i)));
      lacks_q       <= fresh && lacks;
      fits_q        <= 37'(trailer_i.index) <= entry_i.length && end_i <= 38'(trailer_i.index);
      acknowledge_q <= !closed && again && !failed_i;
      address_o     <= entry_i.address + 40'(header_i.offset);
    end
  end

  always_comb begin
    take_o        = 1'b0;
    begin_o       = 1'b0;
    claim_o       = 1'b0;
    drop_o        = 1'b0;
    acknowledge_o = 1'b0;
    status_o      = mu_pkg::STATUS_OK;
    if (valid_i) begin
      if (!goes_on_q) status_o = refusal_q;
      else if (first_q && lacks_q) status_o = mu_pkg::STATUS_RECEIVE_DISABLED;
      else if (first_q && !fits_q) status_o = mu_pkg::STATUS_LENGTH_TOO_LONG;
      else if (first_q && !counters_good_i) status_o = mu_pkg::STATUS_COUNTER_INVALID;
      take_o        = goes_on_q && !lacks_q && fits_q && counters_good_i && some_q;
      acknowledge_o = acknowledge_q;
      begin_o       = take_o && first_q;
      claim_o       = begin_o && !open_q;
      drop_o        = status_o == mu_pkg::STATUS_OK && !take_o && !acknowledge_o;
    end
  end

  logic unused;
  assign unused = ^{header_i, trailer_i, peer_i, entry_i};

`ifdef PROVE_MU_DYNAMIC_DECISION
  logic known;  // the message is that of the context
  logic looked_q = 1'b0;
  logic exists_then_q, buffer_then_q, hit_then_q, same_then_q, open_then_q, waits_then_q, failed_then_q;
  logic room_then_q, forgot_then_q, stands, fits;
  logic [31:0] received_then_q;
  mu_pkg::receive_buffer_t entry_then_q;
  mu_pkg::queue_peer_t     peer_then_q;
  mu_pkg::packet_header_t  header_then_q;
  mu_pkg::packet_trailer_t trailer_then_q;
  assign stands = header_i == header_then_q && trailer_i == trailer_then_q;
  assign fits   = 37'(trailer_i.index) <= entry_then_q.length && end_i <= 38'(trailer_i.index);
  always_ff @(posedge clk_i) begin
    looked_q        <= look_i;
    exists_then_q   <= exists_i;
    buffer_then_q   <= buffer_i;
    hit_then_q      <= hit_i;
    same_then_q     <= same_i;
    open_then_q     <= open_i;
    waits_then_q    <= waits_i;
    failed_then_q   <= failed_i;
    room_then_q     <= room_i;
    forgot_then_q   <= forgot_i;
    received_then_q <= received_i;
    entry_then_q    <= entry_i;
    peer_then_q     <= peer_i;
    header_then_q   <= header_i;
    trailer_then_q  <= trailer_i;
  end
  always_comb begin
    assume (hit_i || !(same_i || open_i || waits_i));
    assume (!(open_i && waits_i));
    assume (!valid_i || (looked_q && stands));
    assume (end_i == 38'(header_i.offset) + 38'(header_i.bytes));
    known = hit_then_q && same_then_q;
    one_fate : assert (!valid_i || $onehot({take_o, drop_o, acknowledge_o, status_o != mu_pkg::STATUS_OK}));
    nothing_of_nothing : assert (valid_i || {take_o, drop_o, acknowledge_o, status_o} == '0);
    only_in_a_dynamic_queue :
    assert (!(take_o || acknowledge_o) || (exists_then_q && peer_then_q.connected && peer_then_q.dynamic));
    inside_the_buffer :
    assert (!take_o || 38'(header_i.offset) + 38'(header_i.bytes) <= 38'(entry_then_q.length));
    only_with_good_counters : assert (!take_o || counters_good_i);
    in_order :
    assert (!take_o || begin_o || (known && open_then_q && header_i.offset != '0 &&
                                   header_i.offset == 37'(received_then_q)));
    begins_with_the_first : assert (!begin_o || (take_o && header_i.offset == '0));
    begins_where_there_is_room : assert (!begin_o || (hit_then_q ? !waits_then_q : room_then_q));
    has_a_buffer : assert (!begin_o || (open_then_q ? !claim_o : claim_o && buffer_then_q));
    claims_only_to_begin : assert (!claim_o || begin_o);
    // Exactly once: of a copy of what has been taken, or may have been, nothing is taken.
    never_again :
    assert (!(take_o && trailer_i.doubtful) || (known && open_then_q) ||
            (begin_o && (hit_then_q ? !same_then_q : !forgot_then_q)));
    acknowledges_what_is_in_memory :
    assert (!acknowledge_o || (known && !open_then_q && !waits_then_q && !failed_then_q && trailer_i.last));
    fails_what_has_failed :
    assert (status_o != mu_pkg::STATUS_MEMORY_ERROR ||
            (known && !open_then_q && !waits_then_q && failed_then_q && trailer_i.last));
    unknown_if_it_may_be_forgotten :
    assert (status_o != mu_pkg::STATUS_DELIVERY_UNKNOWN ||
            (trailer_i.doubtful && !hit_then_q && forgot_then_q));
    refuses_whole_messages :
    assert (status_o == mu_pkg::STATUS_OK || status_o == mu_pkg::STATUS_MEMORY_ERROR ||
            header_i.offset == '0);
    takes_what_is_new :
    assert (!(valid_i && header_i.offset == '0 && header_i.bytes != '0 && !trailer_i.doubtful &&
              exists_then_q && peer_then_q.connected && peer_then_q.dynamic && !waits_then_q &&
              buffer_then_q &&
              (hit_then_q || room_then_q) && fits &&
              counters_good_i) || begin_o);
    into_its_place : assert (!take_o || address_o == entry_then_q.address + 40'(header_i.offset));
  end
`endif
endmodule
`default_nettype wire

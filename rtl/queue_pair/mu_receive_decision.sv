// SPDX-License-Identifier: Apache-2.0
// mu_receive_decision: what becomes of one packet of a SEND: taken, refused, dropped, or acknowledged again.
//
//   header, trailer, what its queue expects, its peer ---> [ rules in order ] ---> take_o, status_o, ...
//
// Behaviour: the first rule that applies: QUEUE_INVALID, no such receive queue, or without a peer;
//   PERMISSION, not of the peer, or of a queue of any peer; an older number: dropped, but the last packet
//   of a message that is not completing any more is acknowledged again, or MEMORY_ERROR if it is one of the
//   last two and failed; a newer one: dropped; a first packet (offset 0) without a buffer:
//   RECEIVE_DISABLED; longer than it, or than itself: LENGTH_TOO_LONG; counters_good_i low:
//   COUNTER_INVALID; a first packet, or one at the byte that comes next: taken; else dropped. Exactly one
//   of take_o, drop_o, acknowledge_o and a status other than OK. But for that MEMORY_ERROR a status is told
//   only for a first packet: later packets of a refused message are dropped.
// Latency: one cycle: with look_i what the queue expects is compared with the packet, with valid_i, in the
//   next cycle, that is judged.
// Limits: valid_i low: nothing. header_i, trailer_i stand for both cycles.
`default_nettype none

module mu_receive_decision (
    input  logic                    clk_i,
    input  logic                    look_i,
    input  logic                    valid_i,
    input  mu_pkg::packet_header_t  header_i,
    input  mu_pkg::packet_trailer_t trailer_i,
    input  logic [37:0]             end_i,  // offset and bytes
    input  mu_pkg::queue_peer_t     peer_i,
    input  logic                    counters_good_i,  // with valid_i
    // what the queue expects
    input  logic                    exists_i,
    input  logic                    buffer_i,
    input  logic                    completing_i,  // an older message of which the packet may be
    input  logic                    failed_i,      // such a one, which could not be stored
    input  logic [31:0]             expected_i,
    input  logic [31:0]             received_i,
    input  mu_pkg::receive_buffer_t entry_i,
    // decision
    output logic                    take_o,
    output logic                    drop_o,
    output logic                    acknowledge_o,
    output mu_pkg::status_e         status_o,
    output mu_pkg::address_t        address_o
);
  logic [31:0] ahead;  // of the number expected, modulo 2^32
  logic        recent;  // one of the two before it
  logic        first;
  logic        closed;  // nothing is taken or acknowledged, whatever it is
  mu_pkg::status_e refusal, refusal_q;  // if it is closed
  logic        first_q;
  logic        ends_q;    // the end of an older message
  logic        recent_q;
  logic        unsure_q;  // recent: not in memory yet, or never
  logic        failed_q;  // recent: never
  logic        now_q;     // the number expected
  logic        buffer_q;
  logic        fits_q;
  logic        next_q;    // the bytes that come next

  // All that can be said without the counters is said at the lookup.
  always_comb begin
    ahead  = '0;
    recent = 1'b0;
    if (look_i) begin
      ahead  = trailer_i.sequence_number - expected_i;
      recent = ahead[31:1] == '1;
    end
    first   = header_i.offset == '0;
    closed  = 1'b1;
    refusal = mu_pkg::STATUS_OK;
    if (!(exists_i && peer_i.connected)) begin
      if (first) refusal = mu_pkg::STATUS_QUEUE_INVALID;
    end else if ({header_i.src_z, header_i.src_y, header_i.src_x, trailer_i.queue} !=
                 {peer_i.z, peer_i.y, peer_i.x, peer_i.queue} || peer_i.dynamic) begin
      if (first) refusal = mu_pkg::STATUS_PERMISSION;
    end else closed = 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (look_i) begin
      refusal_q <= refusal;
      first_q   <= first;
      ends_q    <= !closed && ahead[31] && trailer_i.last;
      recent_q  <= recent;
      unsure_q  <= completing_i || failed_i;
      failed_q  <= failed_i && !completing_i;
      now_q     <= !closed && trailer_i.sequence_number == expected_i;
      buffer_q  <= buffer_i;
      fits_q    <= 37'(trailer_i.index) <= entry_i.length && end_i <= 38'(trailer_i.index);
      next_q    <= header_i.bytes != '0 && (first || header_i.offset == 37'(received_i));
      address_o <= entry_i.address + 40'(header_i.offset);
    end
  end

  always_comb begin
    take_o        = 1'b0;
    drop_o        = 1'b0;
    acknowledge_o = 1'b0;
    status_o      = mu_pkg::STATUS_OK;
    if (valid_i) begin
      if (now_q) begin
        if (first_q && !buffer_q) status_o = mu_pkg::STATUS_RECEIVE_DISABLED;
        else if (first_q && !fits_q) status_o = mu_pkg::STATUS_LENGTH_TOO_LONG;
        else if (first_q && !counters_good_i) status_o = mu_pkg::STATUS_COUNTER_INVALID;
      end else if (ends_q && recent_q && failed_q) status_o = mu_pkg::STATUS_MEMORY_ERROR;
      else status_o = refusal_q;
      take_o        = now_q && buffer_q && fits_q && counters_good_i && next_q;
      acknowledge_o = ends_q && !(recent_q && unsure_q);
      drop_o        = !take_o && !acknowledge_o && status_o == mu_pkg::STATUS_OK;
    end
  end

  logic unused;
  assign unused = ^{header_i, trailer_i, peer_i, entry_i, ahead};

`ifdef PROVE_MU_RECEIVE_DECISION
  logic        looked_q = 1'b0;
  logic        exists_then_q, buffer_then_q, completing_then_q, failed_then_q, stands;
  logic [31:0] expected_then_q, received_then_q, before;
  mu_pkg::receive_buffer_t entry_then_q;
  mu_pkg::queue_peer_t     peer_then_q;
  mu_pkg::packet_header_t  header_then_q;
  mu_pkg::packet_trailer_t trailer_then_q;
  assign stands = header_i == header_then_q && trailer_i == trailer_then_q;
  assign before = expected_then_q - trailer_i.sequence_number;
  always_ff @(posedge clk_i) begin
    looked_q          <= look_i;
    exists_then_q     <= exists_i;
    buffer_then_q     <= buffer_i;
    completing_then_q <= completing_i;
    failed_then_q     <= failed_i;
    expected_then_q   <= expected_i;
    received_then_q   <= received_i;
    entry_then_q      <= entry_i;
    peer_then_q       <= peer_i;
    header_then_q     <= header_i;
    trailer_then_q    <= trailer_i;
  end
  always_comb begin
    assume (!valid_i || (looked_q && stands));
    assume (end_i == 38'(header_i.offset) + 38'(header_i.bytes));
    one_fate : assert (!valid_i || $onehot({take_o, drop_o, acknowledge_o, status_o != mu_pkg::STATUS_OK}));
    only_of_the_peer : assert (!(take_o || acknowledge_o) || (peer_then_q.connected && exists_then_q));
    only_what_is_expected : assert (!take_o || trailer_i.sequence_number == expected_then_q);
    never_without_a_buffer : assert (!take_o || buffer_then_q);
    acknowledges_what_is_in_memory :
    assert (!acknowledge_o || (!(before <= 32'd2 && completing_then_q) && trailer_i.last &&
            before != '0 && before <= 32'h8000_0000));
    fails_what_has_failed :
    assert (status_o != mu_pkg::STATUS_MEMORY_ERROR ||
            (failed_then_q && (before == 32'd1 || before == 32'd2)));
    inside_the_buffer :
    assert (!take_o || 38'(header_i.offset) + 38'(header_i.bytes) <= 38'(entry_then_q.length));
    in_order : assert (!take_o || header_i.offset == '0 || header_i.offset == 37'(received_then_q));
    into_its_place : assert (!take_o || address_o == entry_then_q.address + 40'(header_i.offset));
  end
`endif
endmodule
`default_nettype wire

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
// Latency: combinational.
// Limits: valid_i low: nothing.
`default_nettype none

module mu_receive_decision (
    input  logic                    valid_i,
    input  mu_pkg::packet_header_t  header_i,
    input  mu_pkg::packet_trailer_t trailer_i,
    input  mu_pkg::queue_peer_t     peer_i,
    input  logic                    counters_good_i,
    // what the queue expects
    input  logic                    exists_i,
    input  logic                    buffer_i,
    input  logic                    completing_i,    // an older message of which the packet may be
    input  logic                    failed_i,        // such a one, which could not be stored
    input  logic [31:0]             expected_i,
    input  logic [31:0]             received_i,
    input  mu_pkg::receive_buffer_t entry_i,
    // decision
    output logic                    take_o,
    output logic                    drop_o,
    output logic                    acknowledge_o,
    output mu_pkg::status_e         status_o,
    output logic [39:0]             address_o,
    output logic [31:0]             bytes_o        // of the message with this packet
);
  logic [31:0] ahead;  // of the number expected, modulo 2^32
  logic        recent;  // one of the two before it
  logic        first;
  logic        follows;
  logic        of_peer;
  logic        fits;

  always_comb begin
    take_o        = 1'b0;
    drop_o        = 1'b0;
    acknowledge_o = 1'b0;
    status_o      = mu_pkg::STATUS_OK;
    ahead         = '0;
    recent        = 1'b0;
    first         = 1'b0;
    follows       = 1'b0;
    of_peer       = 1'b0;
    fits          = 1'b0;
    if (valid_i) begin
      ahead   = trailer_i.sequence_number - expected_i;
      recent  = ahead[31:1] == '1;
      first   = header_i.offset == '0;
      follows = header_i.offset == 37'(received_i);
      of_peer = {header_i.src_z, header_i.src_y, header_i.src_x, trailer_i.queue} ==
                {peer_i.z, peer_i.y, peer_i.x, peer_i.queue} && !peer_i.dynamic;
      fits    = 37'(trailer_i.index) <= entry_i.length &&
          38'(header_i.offset) + 38'(header_i.bytes) <= 38'(trailer_i.index);
      if (!exists_i || !peer_i.connected) status_o = mu_pkg::STATUS_QUEUE_INVALID;
      else if (!of_peer) status_o = mu_pkg::STATUS_PERMISSION;
      else if (ahead[31]) begin
        acknowledge_o = trailer_i.last && !(recent && (completing_i || failed_i));
        if (trailer_i.last && recent && failed_i && !completing_i) status_o = mu_pkg::STATUS_MEMORY_ERROR;
      end else if (ahead != '0) drop_o = 1'b1;
      else if (first && !buffer_i) status_o = mu_pkg::STATUS_RECEIVE_DISABLED;
      else if (!fits) status_o = mu_pkg::STATUS_LENGTH_TOO_LONG;
      else if (!counters_good_i) status_o = mu_pkg::STATUS_COUNTER_INVALID;
      else take_o = header_i.bytes != '0 && (first || (buffer_i && follows));
      if (!first && status_o != mu_pkg::STATUS_MEMORY_ERROR) status_o = mu_pkg::STATUS_OK;
      drop_o = !take_o && !acknowledge_o && status_o == mu_pkg::STATUS_OK;
    end
  end

  assign address_o = entry_i.address + 40'(header_i.offset);
  assign bytes_o   = header_i.offset[31:0] + 32'(header_i.bytes);

  logic unused;
  assign unused = ^{header_i, trailer_i, peer_i, entry_i};

`ifdef PROVE_MU_RECEIVE_DECISION
  always_comb begin
    one_fate : assert (!valid_i || $onehot({take_o, drop_o, acknowledge_o, status_o != mu_pkg::STATUS_OK}));
    only_of_the_peer : assert (!(take_o || acknowledge_o) || (peer_i.connected && exists_i));
    only_what_is_expected : assert (!take_o || trailer_i.sequence_number == expected_i);
    never_without_a_buffer : assert (!take_o || buffer_i);
    acknowledges_what_is_in_memory :
    assert (!acknowledge_o || !(recent && completing_i) && trailer_i.last && $signed(ahead) < 0);
    fails_what_has_failed :
    assert (status_o != mu_pkg::STATUS_MEMORY_ERROR || (failed_i && $signed(ahead) < 0));
    inside_the_buffer : assert (!take_o || 38'(header_i.offset) + 38'(header_i.bytes) <= 38'(entry_i.length));
    in_order : assert (!take_o || header_i.offset == '0 || header_i.offset == 37'(received_i));
  end
`endif
endmodule
`default_nettype wire

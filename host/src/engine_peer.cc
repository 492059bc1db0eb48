// SPDX-License-Identifier: Apache-2.0
// Numbered messages: windows, acknowledgements, sending again.
#include <algorithm>
#include <array>

#include "host/src/engine.h"

namespace torusmu {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

}  // namespace

Engine::Peer& Engine::peer(Endpoint endpoint) {
  std::unique_ptr<Peer>& entry = peers_[endpoint];
  if (!entry) {
    entry = std::make_unique<Peer>();
    entry->endpoint = endpoint;
    entry->place = plan_.place(endpoint.task);
    entry->window = options_.window;
    entry->backoff = options_.retry_least;
    entry->probe_wait = options_.probe_after;
  }
  return *entry;
}

// --- sending ------------------------------------------------------------------------------------

void Engine::keep(Peer& to, Outgoing message) {
  to.kept.push_back(message);
  pump(to);
}

void Engine::pump(Peer& to) {
  if (to.sent == to.kept.size()) return;
  const Cycles now = device_.now();
  if (now < to.retry_at) {
    agenda_.arm(to.retry_at);
    return;
  }
  while (to.sent < to.kept.size() && to.sent < to.window) {
    if (!outbox_.claim_room()) return;
    transmit(to, to.kept[to.sent]);
    ++to.sent;
    agenda_.note_progress();
    if (to.probe_at == kNever) {
      to.probe_at = device_.now() + to.probe_wait;
      agenda_.arm(to.probe_at);
    }
  }
}

void Engine::transmit(Peer& to, Outgoing& message) {
  const auto number = static_cast<std::uint16_t>(to.acknowledged + to.sent);
  // While the window is small after a refusal each message waits for the one before; and half a
  // window before the end, so that acknowledgements come before the window is used up.
  const bool wants_ack =
      to.window < options_.window || (to.kept.size() >= options_.window / 2 && number % 8 == 0);
  Descriptor descriptor;
  PacketHeader header = header_to(plan_, to.place);
  header.set<h::target>(plan_.message_fifo(to.place.client, to.endpoint.context).value)
      .set<h::word>(message.word)
      .set<h::offset>(wire::OffsetField{.offset = static_cast<std::uint32_t>(message.resume),
                                        .length = static_cast<std::uint32_t>(message.length),
                                        .type = message.type,
                                        .ack_wanted = wants_ack}
                          .pack());
  descriptor.set<d::opcode>(Opcode::kFifo)
      .set<d::length>(std::max<Bytes>(message.length - message.resume, 1))
      .set<d::sequence_number>(wire::Numbers{.number = number, .acknowledged = to.expected}.pack())
      .set<d::header>(header);
  if (message.immediate) {
    descriptor.set<d::immediate_valid>(1).set<d::immediate>(message.data);
  } else {
    outbox_.set_source(descriptor, message.buffer + message.resume);
  }
  message.index = outbox_.post_to(to.place.node, false, descriptor);
  if (message.sent_before) ++counts_.resent;
  message.sent_before = true;
  if (to.answer != 0) return;
  to.owed = 0;  // this packet carries the acknowledgement
  to.ack_at = kNever;
}

// A packet without a number: nobody keeps it, and nobody misses it for long.
void Engine::send_bare(Peer& to, wire::Type type, std::uint32_t word) {
  if (!outbox_.claim_room()) return;
  PacketHeader header = header_to(plan_, to.place);
  header.set<h::target>(plan_.message_fifo(to.place.client, to.endpoint.context).value)
      .set<h::word>(word)
      .set<h::offset>(wire::OffsetField{.type = type}.pack());
  Descriptor descriptor;
  descriptor.set<d::opcode>(Opcode::kFifo)
      .set<d::immediate_valid>(1)
      .set<d::length>(1)
      .set<d::sequence_number>(wire::Numbers{.number = 0, .acknowledged = to.expected}.pack())
      .set<d::header>(header);
  outbox_.post(descriptor);
  agenda_.note_progress();
}

void Engine::send_ack(Peer& to) {
  if (!outbox_.claim_room()) {
    to.ack_at = device_.now() + options_.retry_least;
    agenda_.arm(to.ack_at);
    return;
  }
  send_bare(to, wire::Type::kAck, to.answer);
  ++counts_.acks_sent;
  to.owed = 0;
  to.answer = 0;
  to.ack_at = kNever;
}

// --- acknowledgements ---------------------------------------------------------------------------

void Engine::owe_ack(Peer& from, bool at_once) {
  from.owed = std::max(from.owed, 1U);
  const Cycles now = device_.now();
  if (at_once || from.owed >= options_.ack_every) {
    from.ack_at = now;
  } else if (from.ack_at == kNever) {
    from.ack_at = now + options_.ack_delay;
  }
  agenda_.arm(from.ack_at);
}

void Engine::take_ack(Peer& from, std::uint16_t expected) {
  const std::size_t count = static_cast<std::uint16_t>(expected - from.acknowledged);
  // An acknowledgement from before the last one counts as nearly 2^16 messages: more than are kept.
  if (count == 0 || count > from.kept.size()) return;
  for (std::size_t i = 0; i < count; ++i) {
    const Outgoing& message = from.kept.front();
    if (!message.immediate) outbox_.give_buffer(message.buffer, message.length);
    from.kept.pop_front();
  }
  from.acknowledged = expected;
  from.ended += count;
  from.sent -= std::min(from.sent, count);
  from.window = std::min<std::size_t>(2 * from.window + 1, options_.window);
  from.backoff = options_.retry_least;
  from.retry_at = 0;
  from.probe_wait = options_.probe_after;
  from.probe_at = from.sent == 0 ? kNever : device_.now() + from.probe_wait;
  if (from.probe_at != kNever) agenda_.arm(from.probe_at);
  agenda_.note_progress();
  settle_fences();
  admit_waiting();
  pump(from);
}

// Messages from kept[position] on, of that one the bytes from `resume` on, have not been taken:
// sends them again after a while.
void Engine::go_back(Peer& to, std::size_t position, Bytes resume) {
  if (position >= to.sent) return;
  refused_messages(to, position);
  for (std::size_t i = position; i < to.kept.size(); ++i) to.kept[i].resume = 0;
  // Starting at its beginning again, a message longer than the FIFO might never get through.
  if (resume < to.kept[position].length) to.kept[position].resume = resume;
  to.sent = position;
  to.window = std::max<std::size_t>(position, 1);
  to.retry_at = device_.now() + to.backoff;
  to.backoff = std::min(2 * to.backoff, options_.retry_most);
  to.probe_at = device_.now() + to.probe_wait + to.backoff;
  agenda_.arm(to.retry_at);
}

void Engine::take_probe_answer(Peer& from, std::uint32_t probe) {
  if (!from.probe_is_out || probe != from.probe) return;
  from.probe_is_out = false;
  // The answer came after the probe, and the probe after these messages: what it does not cover of
  // them will never arrive by itself.
  const auto missing = static_cast<std::int16_t>(from.probe_covers - from.acknowledged);
  if (missing > 0 && from.sent != 0) {
    from.backoff = options_.retry_least;
    go_back(from, 0, 0);
  }
}

void Engine::take_message_notice(Peer& from, const PacketHeader& header,
                                 const PacketTrailer& trailer) {
  const auto field = wire::OffsetField::unpack(header.get<h::offset>());
  if (field.type == wire::Type::kAck) {
    owe_ack(from, false);
    from.ack_at = std::max(from.ack_at, device_.now() + options_.retry_least);
    return;
  }
  if (field.type == wire::Type::kProbe) {
    from.probe_is_out = false;
    from.probe_at = device_.now() + options_.retry_most;
    agenda_.arm(from.probe_at);
    return;
  }
  const auto numbers = wire::Numbers::unpack(trailer.get<t::sequence_number>());
  const std::size_t position = static_cast<std::uint16_t>(numbers.number - from.acknowledged);
  const bool current = wire::is_numbered(field.type) && position < from.sent &&
                       from.kept[position].index == trailer.get<t::index>();
  if (!current) {
    ++counts_.stale_notices;
    return;
  }
  ++counts_.refusals;
  go_back(from, position, field.offset);
}

void Engine::run_peer_timers(Peer& to) {
  const Cycles now = device_.now();
  if (to.ack_at <= now) send_ack(to);
  pump(to);
  if (to.probe_at <= now) {
    if (to.sent == 0 && to.kept.empty()) {
      to.probe_at = kNever;
    } else if (!outbox_.claim_room()) {
      to.probe_at = now + options_.retry_least;
    } else {
      ++to.probe;
      to.probe_covers = static_cast<std::uint16_t>(to.acknowledged + to.sent);
      to.probe_is_out = true;
      send_bare(to, wire::Type::kProbe, to.probe);
      ++counts_.probes_sent;
      to.probe_at = now + to.probe_wait;
      to.probe_wait = std::min(2 * to.probe_wait, options_.probe_most);
    }
  }
  agenda_.arm(std::min(to.ack_at, to.probe_at));
  if (to.sent < to.kept.size() && to.retry_at > now) agenda_.arm(to.retry_at);
}

}  // namespace torusmu

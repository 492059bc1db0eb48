// SPDX-License-Identifier: Apache-2.0
#include "host/src/channel.h"

#include <algorithm>

namespace torusmu {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

constexpr std::size_t kMostKept = 4096;  // numbers have 16 bits

}  // namespace

Channel::Channel(const Site& site, Outbox& outbox, Agenda& agenda, Endpoint peer)
    : site_(site),
      outbox_(outbox),
      agenda_(agenda),
      peer_(peer),
      place_(site.plan.place(peer.task)),
      window_(site.options.window),
      backoff_(site.options.retry_least),
      probe_wait_(site.options.probe_after) {}

// --- sending ---

bool Channel::is_full() const { return kept_.size() >= kMostKept; }

void Channel::keep(const Outgoing& message) {
  kept_.push_back({.message = message});
  pump();
}

void Channel::pump() {
  if (sent_ == kept_.size()) return;
  if (site_.device.now() < retry_at_) {
    agenda_.arm(retry_at_);
    return;
  }
  while (sent_ < kept_.size() && sent_ < window_) {
    if (!outbox_.claim_room()) return;
    transmit(kept_[sent_]);
    ++sent_;
    agenda_.note_progress();
    if (probe_at_ == kNever) {
      probe_at_ = site_.device.now() + probe_wait_;
      agenda_.arm(probe_at_);
    }
  }
}

PacketHeader Channel::header(std::uint32_t word, wire::OffsetField field) const {
  const FifoId fifo = site_.plan.message_fifo(place_.client, peer_.context);
  return header_to(site_.plan, place_)
      .set<h::target>(fifo.value)
      .set<h::word>(word)
      .set<h::offset>(field.pack());
}

void Channel::transmit(Kept& kept) {
  const Outgoing& message = kept.message;
  const auto number = static_cast<std::uint16_t>(acknowledged_ + sent_);
  const std::size_t full_window = site_.options.window;
  // While the window is small after a refusal each message waits for the one before; and half a
  // window before the end, so that acknowledgements come before the window is used up.
  const bool wants_ack =
      window_ < full_window || (kept_.size() >= full_window / 2 && number % 8 == 0);
  const wire::OffsetField field{.offset = static_cast<std::uint32_t>(kept.resume),
                                .length = static_cast<std::uint32_t>(message.length),
                                .type = message.type,
                                .ack_wanted = wants_ack};
  Descriptor descriptor;
  descriptor.set<d::opcode>(Opcode::kFifo)
      .set<d::length>(std::max<Bytes>(message.length - kept.resume, 1))
      .set<d::sequence_number>(wire::Numbers{.number = number, .acknowledged = expected_}.pack())
      .set<d::header>(header(message.word, field));
  if (message.immediate) {
    descriptor.set<d::immediate_valid>(1).set<d::immediate>(message.data);
  } else {
    outbox_.set_source(descriptor, message.buffer + kept.resume);
  }
  kept.index = outbox_.post_to(place_.node, false, descriptor);
  if (kept.sent_before) ++site_.counts.resent;
  kept.sent_before = true;
  if (answer_ != 0) return;
  owed_ = 0;  // this packet carries the acknowledgement
  ack_at_ = kNever;
}

// A packet without a number: nobody keeps it, and nobody misses it for long. There is room for it.
void Channel::send_bare(wire::Type type, std::uint32_t word) {
  Descriptor descriptor;
  descriptor.set<d::opcode>(Opcode::kFifo)
      .set<d::immediate_valid>(1)
      .set<d::length>(1)
      .set<d::sequence_number>(wire::Numbers{.number = 0, .acknowledged = expected_}.pack())
      .set<d::header>(header(word, {.type = type}));
  outbox_.post(descriptor);
  agenda_.note_progress();
}

// --- what the peer says of them ---

bool Channel::take_ack(std::uint16_t expected) {
  const std::size_t count = static_cast<std::uint16_t>(expected - acknowledged_);
  // An acknowledgement from before the last one counts as nearly 2^16 messages: more than are kept.
  if (count == 0 || count > kept_.size()) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const Outgoing& message = kept_.front().message;
    if (!message.immediate) outbox_.give_buffer(message.buffer, message.length);
    kept_.pop_front();
  }
  acknowledged_ = expected;
  ended_ += count;
  sent_ -= std::min(sent_, count);
  window_ = std::min<std::size_t>(2 * window_ + 1, site_.options.window);
  backoff_ = site_.options.retry_least;
  retry_at_ = 0;
  probe_wait_ = site_.options.probe_after;
  probe_at_ = sent_ == 0 ? kNever : site_.device.now() + probe_wait_;
  if (probe_at_ != kNever) agenda_.arm(probe_at_);
  agenda_.note_progress();
  return true;
}

// Messages from kept_[position] on, of that one the bytes from `resume` on, have not been taken:
// sends them again after a while.
std::uint64_t Channel::go_back(std::size_t position, Bytes resume) {
  for (std::size_t i = position; i < kept_.size(); ++i) kept_[i].resume = 0;
  // Starting at its beginning again, a message longer than the FIFO might never get through.
  if (resume < kept_[position].message.length) kept_[position].resume = resume;
  sent_ = position;
  window_ = std::max<std::size_t>(position, 1);
  retry_at_ = site_.device.now() + backoff_;
  backoff_ = std::min(2 * backoff_, site_.options.retry_most);
  probe_at_ = site_.device.now() + probe_wait_ + backoff_;
  agenda_.arm(retry_at_);
  return ended_ + position;
}

std::optional<std::uint64_t> Channel::take_probe_answer(std::uint32_t probe) {
  if (!probe_is_out_ || probe != probe_) return std::nullopt;
  probe_is_out_ = false;
  // The answer came after the probe, and the probe after these messages: what it does not cover of
  // them will never arrive by itself.
  const auto missing = static_cast<std::int16_t>(probe_covers_ - acknowledged_);
  if (missing <= 0 || sent_ == 0) return std::nullopt;
  backoff_ = site_.options.retry_least;
  return go_back(0, 0);
}

std::optional<std::uint64_t> Channel::take_notice(const PacketHeader& header,
                                                  const PacketTrailer& trailer) {
  const auto field = wire::OffsetField::unpack(header.get<h::offset>());
  if (field.type == wire::Type::kAck) {
    owe_ack(false);
    ack_at_ = std::max(ack_at_, site_.device.now() + site_.options.retry_least);
    return std::nullopt;
  }
  if (field.type == wire::Type::kProbe) {
    probe_is_out_ = false;
    probe_at_ = site_.device.now() + site_.options.retry_most;
    agenda_.arm(probe_at_);
    return std::nullopt;
  }
  const auto numbers = wire::Numbers::unpack(trailer.get<t::sequence_number>());
  const std::size_t position = static_cast<std::uint16_t>(numbers.number - acknowledged_);
  const bool is_current = wire::is_numbered(field.type) && position < sent_ &&
                          kept_[position].index == trailer.get<t::index>();
  if (!is_current) {
    ++site_.counts.stale_notices;
    return std::nullopt;
  }
  ++site_.counts.refusals;
  return go_back(position, field.offset);
}

void Channel::ask_now() {
  if (kept_.empty()) return;
  probe_at_ = site_.device.now();
  agenda_.arm(probe_at_);
}

void Channel::send_probe() {
  ++probe_;
  probe_covers_ = static_cast<std::uint16_t>(acknowledged_ + sent_);
  probe_is_out_ = true;
  send_bare(wire::Type::kProbe, probe_);
  ++site_.counts.probes_sent;
}

// --- receiving ---

bool Channel::is_next(wire::Numbers numbers, wire::OffsetField field, Bytes bytes) {
  const auto ahead = static_cast<std::int16_t>(numbers.number - expected_);
  if (ahead < 0 || (ahead == 0 && field.offset < expected_offset_)) {
    ++site_.counts.duplicates;
    if (ahead < 0) owe_ack(true);
    return false;
  }
  if (ahead > 0 || field.offset > expected_offset_) {
    ++site_.counts.gaps;
    return false;
  }
  const Bytes length = std::max<Bytes>(field.length, 1);
  if (field.offset + bytes > length || (field.type != wire::Type::kEager && bytes != length)) {
    ++site_.counts.odd_packets;
    return false;
  }
  return true;
}

bool Channel::accept(wire::OffsetField field, Bytes bytes) {
  expected_offset_ += bytes;
  if (expected_offset_ < std::max<Bytes>(field.length, 1)) return false;
  expected_offset_ = 0;
  ++expected_;
  ++owed_;
  owe_ack(field.ack_wanted);
  return true;
}

void Channel::answer_probe(std::uint32_t probe) {
  answer_ = probe;
  owe_ack(true);
}

void Channel::acknowledge_now() {
  owe_ack(true);
  send_ack();
}

void Channel::owe_ack(bool at_once) {
  owed_ = std::max(owed_, 1U);
  const Cycles now = site_.device.now();
  if (at_once || owed_ >= site_.options.ack_every) {
    ack_at_ = now;
  } else if (ack_at_ == kNever) {
    ack_at_ = now + site_.options.ack_delay;
  }
  agenda_.arm(ack_at_);
}

void Channel::hurry_ack() {
  if (owed_ != 0 && ack_at_ > site_.device.now()) owe_ack(true);
}

void Channel::send_ack() {
  if (!outbox_.claim_room()) {
    ack_at_ = site_.device.now() + site_.options.retry_least;
    agenda_.arm(ack_at_);
    return;
  }
  send_bare(wire::Type::kAck, answer_);
  ++site_.counts.acks_sent;
  owed_ = 0;
  answer_ = 0;
  ack_at_ = kNever;
}

// --- time ---

void Channel::run_timers() {
  const Cycles now = site_.device.now();
  if (ack_at_ <= now) send_ack();
  pump();
  if (probe_at_ <= now) {
    if (sent_ == 0 && kept_.empty()) {
      probe_at_ = kNever;
    } else if (!outbox_.claim_room()) {
      probe_at_ = now + site_.options.retry_least;
    } else {
      send_probe();
      probe_at_ = now + probe_wait_;
      probe_wait_ = std::min(2 * probe_wait_, site_.options.probe_most);
    }
  }
  agenda_.arm(std::min(ack_at_, probe_at_));
  if (sent_ < kept_.size() && retry_at_ > now) agenda_.arm(retry_at_);
}

}  // namespace torusmu

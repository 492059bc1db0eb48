// SPDX-License-Identifier: Apache-2.0
#include "host/src/notices.h"

namespace torusmu {
namespace {

namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

constexpr Cycles kHandOver = 20;  // between looks whether another context has done so
constexpr std::size_t kMostDiscards = 1024;

}  // namespace

PollResult Notices::poll() {
  const ClientShare::Hold turn = share_.turn_of_notices();
  if (!turn) return PollResult::kNothing;
  PacketRing& ring = share_.notices(site_.device);
  if (ring.empty()) {
    ++site_.counts.polls;
    if (!ring.hint()) return PollResult::kNothing;
    ++site_.counts.tail_reads;
    if (!ring.read_tail()) return liveness_.doubt();
  }
  return take_all(ring);
}

// A notice that finds the ring full is lost, and says so in the tail register alone, which was read
// before; nothing in memory shows it. So that is read again as long as the ring was full.
PollResult Notices::take_all(PacketRing& ring) {
  bool overflow = ring.overflow();
  for (bool was_full = ring.was_full();; was_full = ring.was_full()) {
    while (!ring.empty()) {
      const PacketRing::Entry entry = ring.front();
      const ContextId owner = owner_of(entry);
      if (owner == site_.context) {
        site_.device.work(Work::kHandlePacket, 1);
        handle(entry);
      } else {
        share_.give_notice(owner, entry);
      }
      ring.pop(entry);
      agenda_.note_progress();
    }
    if (!was_full) break;
    ++site_.counts.tail_reads;
    if (!ring.read_tail()) return liveness_.doubt();
    overflow = overflow || ring.overflow();
  }
  if (!overflow) return PollResult::kActivity;
  share_.tell_of_lost_notices(site_.context);
  ring.release();
  ask_for_what_was_lost();
  return PollResult::kActivity;
}

// To read the tail register is to have seen its overflow, which the next head that is written
// clears: so whoever reads it reads the ring.
Result<std::uint32_t> Notices::discards() {
  ClientShare::Hold turn = share_.turn_of_notices();
  for (; !turn; turn = share_.turn_of_notices()) site_.device.compute(kHandOver);
  PacketRing& ring = share_.notices(site_.device);
  if (!ring.read_tail()) {
    (void)liveness_.doubt();
    return Errc::kDeviceGone;
  }
  namespace page = registers::client_page;
  const std::uint64_t count = extract(ring.tail_register(), page::notice_tail_field::discards);
  (void)take_all(ring);
  return static_cast<std::uint32_t>(count);
}

// A packet of ours names its queue. One that was made on our behalf came from a queue of its node,
// but carries the name of a fetch.
ContextId Notices::owner_of(const PacketRing::Entry& entry) const {
  const auto queue = static_cast<std::uint32_t>(entry.trailer.get<t::queue>());
  if (const auto pair = site_.plan.pair_of({queue})) {
    return pair->client == site_.client ? site_.plan.context_of_pair(pair->n) : site_.context;
  }
  const auto sender = site_.plan.sender_of({queue});
  const auto name = static_cast<std::uint32_t>(entry.trailer.get<t::sequence_number>());
  const ContextId owner =
      sender && sender->client == site_.client ? sender->context : Fetches::context_of(name);
  return owner.value < site_.plan.options().contexts ? owner : site_.context;
}

void Notices::take_from_others() {
  const ClientShare::Notices given = share_.take_notices(site_.context);
  for (const PacketRing::Entry& notice : given.entries) {
    site_.device.work(Work::kHandlePacket, 1);
    handle(notice);
  }
  if (given.lost) ask_for_what_was_lost();
}

// Another context of the client may be about to hand over ours.
void Notices::read_all() {
  while (share_.is_reading_notices()) site_.device.compute(kHandOver);
  (void)poll();
  take_from_others();
}

void Notices::release() {
  if (const auto turn = share_.turn_of_notices()) share_.notices(site_.device).release();
}

// Whatever they said, the peers know it: ask them what they expect.
void Notices::ask_for_what_was_lost() {
  ++site_.counts.notice_overflows;
  fences_.notices_lost();
  for (auto& [peer, channel] : channels_) channel.ask_now();
  fetches_.ask_now();
}

void Notices::handle(const PacketRing::Entry& entry) {
  const NodePlan& plan = site_.plan;
  const auto word = entry.header.get<h::word>();
  const auto status = static_cast<Status>(word & 0xFF);
  const auto kind = static_cast<Kind>(word >> 8 & 0xF);
  const auto name = static_cast<std::uint32_t>(entry.trailer.get<t::sequence_number>());
  const auto index = static_cast<std::uint32_t>(entry.trailer.get<t::index>());
  const auto target = static_cast<std::uint32_t>(entry.header.get<h::target>());
  const auto field = wire::OffsetField::unpack(entry.header.get<h::offset>());
  const Coordinates at{static_cast<std::uint32_t>(entry.header.get<h::src_x>()),
                       static_cast<std::uint32_t>(entry.header.get<h::src_y>()),
                       static_cast<std::uint32_t>(entry.header.get<h::src_z>())};
  if (!plan.shape().has(at)) {
    ++site_.counts.odd_packets;
    return;
  }
  const NodeId node = plan.shape().node(at);
  const bool is_ours =
      entry.trailer.get<t::queue>() == plan.send_queue(site_.client, site_.context).value;
  if (kind == Kind::kSend) {
    if (discards_.size() == kMostDiscards) discards_.erase(discards_.begin());
    discards_.push_back({node, {static_cast<std::uint32_t>(entry.trailer.get<t::queue>())}, name});
  } else if (kind == Kind::kFifo && is_ours && field.type != wire::Type::kFetched) {
    handle_of_message(node, entry);
  } else if (kind == Kind::kPut && is_ours) {
    puts_.take_notice(name, plan.task({node, {target / plan.regions()}}), index, status);
  } else if (kind == Kind::kGet && is_ours) {
    if (target < plan.sizes().reflection_queues) {
      puts_.take_reflection_notice(index);
    } else {
      fetches_.take_notice(name, index, status);
    }
  } else if (kind == Kind::kFifo) {
    // The word that a fetch is over found our FIFO full: this says the same.
    fetches_.take_fetched(name, false);
  } else {
    fetches_.take_failure(name, status);
  }
}

void Notices::handle_of_message(NodeId node, const PacketRing::Entry& entry) {
  const auto fifo = static_cast<std::uint32_t>(entry.header.get<h::target>());
  const auto to = site_.plan.receiver_of({fifo});
  if (!to) {
    ++site_.counts.odd_packets;
    return;
  }
  Channel& channel = channels_.to({site_.plan.task({node, to->client}), to->context});
  if (const auto first = channel.take_notice(entry.header, entry.trailer)) {
    fences_.sent_again(channel, *first);
  }
}

}  // namespace torusmu

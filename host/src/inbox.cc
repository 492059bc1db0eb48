// SPDX-License-Identifier: Apache-2.0
#include "host/src/inbox.h"

namespace torusmu {
namespace {

namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

}  // namespace

Inbox::Inbox(const Site& site, Agenda& agenda, Liveness& liveness, Channels& channels, Sends& sends,
             Fetches& fetches, Fences& fences, Arrivals& arrivals)
    : site_(site),
      agenda_(agenda),
      liveness_(liveness),
      channels_(channels),
      sends_(sends),
      fetches_(fetches),
      fences_(fences),
      arrivals_(arrivals),
      packets_(site.device, site.plan.message_ring(site.client, site.context),
               fifo_registers(site.client, site.plan.message_fifo(site.client, site.context))) {}

PollResult Inbox::poll() {
  if (packets_.empty()) {
    ++site_.counts.polls;
    if (!packets_.hint()) return PollResult::kNothing;
    if (poll_tail() == PollResult::kGone) return PollResult::kGone;
  }
  while (!packets_.empty()) {
    const PacketRing::Entry entry = packets_.front();
    site_.device.work(Work::kHandlePacket, 1);
    handle(entry, packets_);
    packets_.pop(entry);
    agenda_.note_progress();
  }
  return PollResult::kActivity;
}

void Inbox::take_kept(const PacketRing& copy) {
  PacketRing& kept = kept_.emplace(copy);
  const FifoId own = site_.plan.message_fifo(site_.client, site_.context);
  while (!kept.empty()) {
    const PacketRing::Entry entry = kept.front();
    if (entry.header.get<h::target>() == own.value) {
      site_.device.work(Work::kHandlePacket, 1);
      handle(entry, kept);
      agenda_.note_progress();
    }
    kept.pop(entry);
  }
}

PollResult Inbox::poll_tail() {
  ++site_.counts.tail_reads;
  if (!packets_.read_tail()) return liveness_.doubt();
  return packets_.empty() ? PollResult::kNothing : PollResult::kActivity;
}

void Inbox::handle(const PacketRing::Entry& entry, PacketRing& ring) {
  const NodePlan& plan = site_.plan;
  const auto field = wire::OffsetField::unpack(entry.header.get<h::offset>());
  const Coordinates at{static_cast<std::uint32_t>(entry.header.get<h::src_x>()),
                       static_cast<std::uint32_t>(entry.header.get<h::src_y>()),
                       static_cast<std::uint32_t>(entry.header.get<h::src_z>())};
  const Place place{plan.shape().node(at),
                    {static_cast<std::uint32_t>(entry.header.get<h::client>())}};
  const auto sender = plan.sender_of({static_cast<std::uint32_t>(entry.trailer.get<t::queue>())});
  const bool on_behalf = entry.header.get<h::on_behalf>() != 0;
  // Only the MU of a peer that we asked can say that it has fetched, and it can say nothing else.
  if (entry.header.get<h::kind>() != Kind::kFifo ||
      on_behalf != (field.type == wire::Type::kFetched) ||
      place.client.value >= plan.options().clients || place.node.value >= plan.shape().nodes()) {
    ++site_.counts.odd_packets;
    return;
  }
  if (on_behalf) {
    const auto name = static_cast<std::uint32_t>(entry.header.get<h::word>());
    fetches_.take_fetched(name, field.length != 0);
    return;
  }
  // Queue and client are what the MU there has stamped: nobody can speak for another endpoint.
  if (!sender || sender->client != place.client) {
    ++site_.counts.odd_packets;
    return;
  }
  handle_from(channels_.to({plan.task(place), sender->context}), entry, field, ring);
}

void Inbox::handle_from(Channel& from, const PacketRing::Entry& entry, wire::OffsetField field,
                        PacketRing& ring) {
  const auto word = static_cast<std::uint32_t>(entry.header.get<h::word>());
  const auto numbers = wire::Numbers::unpack(entry.trailer.get<t::sequence_number>());
  if (wire::is_numbered(field.type)) {
    take_ack(from, numbers.acknowledged);
    arrivals_.take(from, entry, field, ring);
  } else if (field.type == wire::Type::kAck) {
    take_ack(from, numbers.acknowledged);
    if (word == 0) return;
    if (const auto first = from.take_probe_answer(word)) fences_.sent_again(from, *first);
  } else if (field.type == wire::Type::kProbe) {
    from.answer_probe(word);
  } else {
    ++site_.counts.odd_packets;
  }
}

void Inbox::take_ack(Channel& from, std::uint16_t expected) {
  if (!from.take_ack(expected)) return;
  fences_.settle();
  sends_.admit_waiting();
  from.pump();
}

}  // namespace torusmu

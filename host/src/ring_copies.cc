// SPDX-License-Identifier: Apache-2.0
#include "host/src/ring_copies.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "host/src/calc_copy.h"
#include "torusmu/registers.h"

namespace torusmu {
namespace {

namespace e = layout::completion_entry;

}  // namespace

RingCopies::RingCopies(const Site& site, Agenda& agenda, Outbox& outbox, PolledSources& polled,
                       const Regions& regions)
    : site_(site),
      agenda_(agenda),
      outbox_(outbox),
      polled_(polled),
      regions_(regions),
      is_on_(site.options.store_by == StoreBy::kMu && site.plan.has_stores()),
      entries_(site.plan.options().store_entries),
      ring_(is_on_ ? site.plan.store_ring(site.client, site.context).address : 0) {}

std::uint32_t RingCopies::start(const MessagePointer& message, PacketRing& ring, Bytes bytes,
                                Address to) {
  if (!is_on_ || bytes < std::max<Bytes>(site_.options.store_from, 1)) return 0;
  const auto [first, second] = ring.payload(bytes);
  const std::uint32_t count = second.bytes == 0 ? 1 : 2;
  const auto target = regions_.locate(to, bytes);
  if (!target || !has_room(count)) {
    ++site_.counts.stores_no_room;
    return 0;
  }
  const Cycles look_at = site_.device.now() + site_.options.probe_after;
  InRegion place = target.value();
  for (const Range& piece : {first, second}) {
    if (piece.bytes == 0) continue;
    copies_.push_back({.index = outbox_.post(copy_of(piece, place)),
                       .message = message,
                       .ring = &ring,
                       .is_last = false,
                       .look_at = look_at});
    place.offset += piece.bytes;
    polled_.await(Source::kStores);
  }
  copies_.back().is_last = true;
  ring.hold();
  ++site_.counts.stored_by_mu;
  polled_.expect(Source::kStores);
  agenda_.arm(look_at);
  return count;
}

// Every copy under way will be an entry, beside those that have not been given back.
bool RingCopies::has_room(std::uint32_t count) {
  return copies_.size() + (head_ - freed_) + count <= entries_ && outbox_.has_room(count);
}

Descriptor RingCopies::copy_of(Range from, InRegion to) const {
  const NodePlan& plan = site_.plan;
  const InRegion ring{plan.rings_region(site_.client),
                      from.address - plan.rings(site_.client).address};
  return calc_copy(ring, to, from.bytes).set<layout::descriptor::signal>(1);
}

std::optional<RingCopies::Ended> RingCopies::take_ended() {
  if (copies_.empty() || !copies_.front().is_over) return std::nullopt;
  const Copy oldest = std::move(copies_.front());
  copies_.pop_front();
  if (oldest.is_last) oldest.ring->end_hold();
  polled_.end_await(Source::kStores);
  agenda_.note_progress();
  return Ended{oldest.message, oldest.error};
}

// An entry is one beat of memory, so that its phase is proof that all of it is there, and of what
// it tells.
void RingCopies::look() {
  ++site_.counts.polls;
  for (;;) {
    std::array<std::uint8_t, CompletionEntry::kBytes> bytes{};
    site_.device.load(ring_ + Address{head_ % entries_} * bytes.size(),
                      std::as_writable_bytes(std::span(bytes)));
    const CompletionEntry entry = CompletionEntry::from_bytes(bytes);
    if (entry.get<e::phase>() != phase_) return;
    take(entry);
    if (++head_ % entries_ == 0) phase_ ^= 1;
    if (head_ - freed_ < std::max(entries_ / 4, 1U)) continue;
    const CompletionQueueId queue = site_.plan.store_completions(site_.client, site_.context);
    site_.device.write32(registers::client_page::completion_index(site_.client.value, queue.value),
                         head_);
    freed_ = head_;
  }
}

// One that is of no copy is of a descriptor that asked for it, or could not be read.
void RingCopies::take(const CompletionEntry& entry) {
  const auto copy = std::find_if(copies_.begin(), copies_.end(), [&](const Copy& one) {
    return one.index == entry.get<e::index>();
  });
  if (copy == copies_.end()) return;
  copy->is_over = true;
  const Status status = entry.get<e::status>();
  if (status != Status::kOk) copy->error = wire::error_of(status);
}

// The program's own descriptors may have filled the completion queue. An entry is written soon
// after the queue has passed its descriptor: what is not there a whole wait later never comes, and
// nobody can say what has become of the data.
void RingCopies::run_timers() {
  const Cycles now = site_.device.now();
  for (Copy& copy : copies_) {
    if (copy.is_over) continue;
    if (copy.look_at <= now) {
      copy.is_over = copy.was_injected;
      if (copy.is_over) {
        copy.error = Errc::kDataLost;
        polled_.expect(Source::kStores);
        continue;
      }
      copy.was_injected = outbox_.injected(copy.index);
      copy.look_at = now + site_.options.probe_after;
    }
    agenda_.arm(copy.look_at);
  }
}

}  // namespace torusmu

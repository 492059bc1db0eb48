// SPDX-License-Identifier: Apache-2.0
#include "host/src/segment.h"

#include <algorithm>
#include <cstring>

namespace torusmu {
namespace {

constexpr Bytes kHeadBytes = 8;

constexpr std::uint32_t lines_for(Bytes bytes) {
  return static_cast<std::uint32_t>((kHeadBytes + bytes + SegmentLayout::kLine - 1) /
                                    SegmentLayout::kLine);
}

}  // namespace

Segment::Segment(const Site& site, Outbox& outbox, Channels& channels)
    : site_(site), outbox_(outbox), channels_(channels), layout_(site.plan) {
  if (!site_.plan.has_segment()) return;
  own_ = number({site_.task, site_.context});
  rings_.resize(site_.plan.endpoints_of_a_node());
  for (std::uint32_t peer = 0; peer < endpoints(); ++peer) {
    Ring& ring = rings_[peer];
    ring.stored = load_word(layout_.tail(peer, own_));
    ring.taken = load_word(layout_.head(own_, peer));
    ring.fences = load_word(layout_.fences(peer, own_));
    ring.tail = ring.seen = ring.given = load_word(layout_.head(peer, own_));
  }
}

bool Segment::reaches(Endpoint peer) const {
  const NodePlan& plan = site_.plan;
  return exists() && plan.has(peer) && plan.place(peer.task).node == plan.place(site_.task).node;
}

Endpoint Segment::endpoint(std::uint32_t number) const {
  const std::uint32_t contexts = site_.plan.options().contexts;
  const NodeId node = site_.plan.place(site_.task).node;
  return {site_.plan.task({node, {number / contexts}}), {number % contexts}};
}

std::uint32_t Segment::load_word(Address address) {
  std::uint32_t value = 0;
  site_.device.load(address, std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

void Segment::store_word(Address address, std::uint32_t value) {
  site_.device.store(address, std::as_bytes(std::span(&value, 1)));
}

// --- sending ---

Bytes Segment::longest() const {
  return layout_.lines_of_longest() * SegmentLayout::kLine - kHeadBytes;
}

bool Segment::has_room(Endpoint to, Bytes bytes) {
  Ring& ring = rings_[number(to)];
  const auto fits = [&] { return ring.stored - ring.taken + lines_for(bytes) <= layout_.lines(); };
  if (fits()) return true;
  ring.taken = load_word(layout_.head(own_, number(to)));
  return fits();
}

void Segment::store(Endpoint to, std::uint32_t tag, std::span<const std::byte> message) {
  const std::uint32_t peer = number(to);
  Ring& ring = rings_[peer];
  std::vector<std::byte> bytes(kHeadBytes + message.size());
  const Head head{.tag = tag, .bytes = static_cast<std::uint32_t>(message.size())};
  std::memcpy(bytes.data(), &head, kHeadBytes);
  std::copy(message.begin(), message.end(), bytes.begin() + kHeadBytes);
  copy_in(layout_.ring(peer, own_), ring.stored % layout_.lines(), bytes);
  ring.stored += lines_for(message.size());
  store_word(layout_.tail(peer, own_), ring.stored);
  if (peer != own_ && load_word(layout_.asleep(peer)) != 0) wake(to);
}

void Segment::copy_in(Range ring, std::uint32_t line, std::span<const std::byte> bytes) {
  const Address at = ring.address + line * SegmentLayout::kLine;
  const Bytes first = std::min<Bytes>(bytes.size(), ring.address + ring.bytes - at);
  copy_out(site_.device, at, bytes.first(first));
  copy_out(site_.device, ring.address, bytes.subspan(first));
}

void Segment::store_fence(Endpoint to) {
  const std::uint32_t peer = number(to);
  store_word(layout_.fences(peer, own_), ++rings_[peer].fences);
}

// By a packet that says nothing new: that it has arrived raises the line.
void Segment::wake(Endpoint peer) {
  channels_.to(peer).acknowledge_now();
  outbox_.ring();
}

// --- receiving ---

bool Segment::look() {
  const Range words = layout_.tails(own_);
  std::vector<std::uint32_t> tails(rings_.size());
  site_.device.load(words.address, std::as_writable_bytes(std::span(tails)));
  bool any = false;
  for (std::uint32_t n = 0; n < endpoints(); ++n) {
    any = any || rings_[n].tail != tails[n];
    rings_[n].tail = tails[n];
  }
  return any;
}

bool Segment::is_possible(const Head& head, std::uint32_t lines_there) const {
  if (lines_there > layout_.lines() || head.bytes > longest()) return false;
  if (lines_for(head.bytes) > lines_there) return false;
  return head.tag == 0 ? head.bytes == 0 : wire::is_active(head.tag);
}

std::optional<Segment::Entry> Segment::front(std::uint32_t from) {
  Ring& ring = rings_[from];
  if (ring.seen == ring.tail) return std::nullopt;
  const Range lines = layout_.ring(own_, from);
  const std::uint32_t line = ring.seen % layout_.lines();
  Head head;
  const auto first = copy_from(lines, line, SegmentLayout::kLine);
  std::memcpy(&head, first.data(), kHeadBytes);
  if (!is_possible(head, ring.tail - ring.seen)) {
    ++site_.counts.odd_packets;
    ring.seen = ring.tail;
    return std::nullopt;
  }
  ring.of_front = lines_for(head.bytes);
  auto bytes = ring.of_front == 1 ? first : copy_from(lines, line, kHeadBytes + head.bytes);
  bytes.resize(kHeadBytes + head.bytes);
  bytes.erase(bytes.begin(), bytes.begin() + kHeadBytes);
  return Entry{.tag = head.tag, .message = std::move(bytes)};
}

std::vector<std::byte> Segment::copy_from(Range ring, std::uint32_t line, Bytes bytes) {
  const Address at = ring.address + line * SegmentLayout::kLine;
  const Bytes first = std::min(bytes, ring.address + ring.bytes - at);
  std::vector<std::byte> copy(bytes);
  site_.device.load(at, std::span(copy).first(first));
  if (first != bytes) site_.device.load(ring.address, std::span(copy).subspan(first));
  return copy;
}

void Segment::pop(std::uint32_t from) { rings_[from].seen += rings_[from].of_front; }

void Segment::give_room() {
  for (std::uint32_t n = 0; n < endpoints(); ++n) {
    Ring& ring = rings_[n];
    if (ring.given == ring.seen) continue;
    ring.given = ring.seen;
    store_word(layout_.head(n, own_), ring.given);
  }
}

std::uint32_t Segment::fences_of(Endpoint from) {
  return load_word(layout_.fences(own_, number(from)));
}

// --- sleep ---

bool Segment::fall_asleep() {
  if (!exists()) return true;
  store_word(layout_.asleep(own_), 1);
  if (!look()) return true;
  wake_up();
  return false;
}

void Segment::wake_up() {
  if (exists()) store_word(layout_.asleep(own_), 0);
}

}  // namespace torusmu

// SPDX-License-Identifier: Apache-2.0
#include "torusmu/plan.h"

namespace torusmu {
namespace {

constexpr Bytes kAlignment = 4096;
constexpr Bytes kMailboxBytes = 32;
// A FIFO that has refused takes nothing until a quarter is freed; with fewer slots than this the
// largest packet could be refused while less than a quarter is in use.
constexpr std::uint32_t kFewestFifoSlots = 32;
constexpr std::uint32_t kFewestQueueSlots = 4;
constexpr std::uint32_t kMostSlots = 1U << 16;
constexpr Bytes kFewestBufferBytes = 4096;
constexpr std::uint32_t kOwnRegions = 3;
constexpr Bytes kLine = 64;
constexpr std::uint32_t kMostNodesInARow = 16;  // coordinates have four bits

constexpr Bytes aligned(Bytes bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }
constexpr bool between(std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  return value >= least && value <= most;
}

}  // namespace

Result<NodePlan> NodePlan::make(const Shape& shape, const Sizes& sizes, Bytes memory_size,
                                const PlanOptions& options) {
  if (!between(shape.x, 1, kMostNodesInARow) || !between(shape.y, 1, kMostNodesInARow) ||
      !between(shape.z, 1, kMostNodesInARow) || options.clients == 0 ||
      !between(options.contexts, 1, kMostContexts) ||
      !between(options.queue_slots, kFewestQueueSlots, kMostSlots) ||
      !between(options.get_slots, 1, kMostSlots) ||
      !between(options.fifo_slots, kFewestFifoSlots, kMostSlots) ||
      !between(options.reply_slots, kFewestFifoSlots, kMostSlots) ||
      !between(options.notice_slots, 1, kMostSlots) || !between(options.mailboxes, 1, kMostSlots) ||
      !between(options.offload_slots, kFewestQueueSlots, kMostSlots) ||
      (options.offload_slots & (options.offload_slots - 1)) != 0 ||
      !between(options.queue_pairs, 0, kMostSlots) ||
      !between(options.dynamic_pairs, 0, kMostSlots) ||
      !between(options.queue_pair_slots, 1, kMostSlots) ||
      !between(options.completion_entries, 1, kMostSlots) || options.reflection_slots > 255 ||
      options.boot_buffers > options.clients || options.buffer_bytes < kFewestBufferBytes ||
      options.base % kAlignment != 0) {
    return Errc::kBadArgument;
  }
  const NodePlan plan(shape, sizes, options);
  const bool enough = options.clients <= sizes.clients &&
                      sizes.reflection_queues + 2 * plan.contexts() + plan.ends_of_pairs() <=
                          sizes.injection_queues &&
                      plan.contexts() * (plan.event_counters() + 1) + plan.ends_of_pairs() <=
                          sizes.event_counters &&
                      options.clients <= sizes.completion_queues &&
                      2 * plan.contexts() <= sizes.reception_fifos && plan.byte_counters() > 0 &&
                      plan.event_counters() > 0 && plan.regions() > kOwnRegions;
  if (!enough || plan.end() > memory_size) return Errc::kOutOfResources;
  return plan;
}

Address NodePlan::clients_base() const {
  return options_.base + aligned(sizes_.reflection_queues * ring(options_.reflection_slots));
}

Range NodePlan::reflection_ring(std::uint32_t queue) const {
  const Bytes bytes = ring(options_.reflection_slots);
  return {options_.base + queue * bytes, bytes};
}

std::optional<NodePlan::ContextOfClient> NodePlan::sender_of(QueueId queue) const {
  const std::uint32_t after = queue.value - sizes_.reflection_queues;
  if (queue.value < sizes_.reflection_queues || after >= 2 * contexts() || after % 2 != 0) {
    return std::nullopt;
  }
  return context_of_number(after / 2);
}

std::optional<NodePlan::ContextOfClient> NodePlan::receiver_of(FifoId fifo) const {
  if (fifo.value >= 2 * contexts() || fifo.value % 2 != 0) return std::nullopt;
  return context_of_number(fifo.value / 2);
}

// A client has the rings of each context in turn, then its small rings, the library's memory of
// each context, and the heap of each.
Bytes NodePlan::rings_bytes() const {
  return aligned(ring(options_.queue_slots) + ring(options_.get_slots)) +
         aligned(Bytes{options_.fifo_slots} * sizes_.fifo_slot_bytes);
}

Bytes NodePlan::small_rings_bytes() const {
  const Bytes slots = Bytes{options_.contexts} * options_.reply_slots + options_.notice_slots;
  return aligned(slots * sizes_.fifo_slot_bytes);
}

Bytes NodePlan::library_bytes() const {
  return aligned(options_.mailboxes * kMailboxBytes) + aligned(options_.buffer_bytes);
}

Range NodePlan::send_ring(ClientId c, ContextId k) const {
  return part(c, k.value * rings_bytes(), ring(options_.queue_slots));
}

Range NodePlan::get_ring(ClientId c, ContextId k) const {
  return part(c, k.value * rings_bytes() + ring(options_.queue_slots), ring(options_.get_slots));
}

Range NodePlan::message_ring(ClientId c, ContextId k) const {
  const Bytes queues = aligned(ring(options_.queue_slots) + ring(options_.get_slots));
  return part(c, k.value * rings_bytes() + queues,
              Bytes{options_.fifo_slots} * sizes_.fifo_slot_bytes);
}

Range NodePlan::reply_ring(ClientId c, ContextId k) const {
  const Bytes bytes = Bytes{options_.reply_slots} * sizes_.fifo_slot_bytes;
  return part(c, options_.contexts * rings_bytes() + k.value * bytes, bytes);
}

Range NodePlan::notice_ring(ClientId c) const {
  const Range before = reply_ring(c, {options_.contexts - 1});
  return {before.address + before.bytes, Bytes{options_.notice_slots} * sizes_.fifo_slot_bytes};
}

Range NodePlan::library(ClientId c) const {
  return part(c, options_.contexts * rings_bytes() + small_rings_bytes(),
              options_.contexts * library_bytes());
}

Range NodePlan::mailboxes(ClientId c, ContextId k) const {
  return {library(c).address + k.value * library_bytes(), options_.mailboxes * kMailboxBytes};
}

Range NodePlan::buffers(ClientId c, ContextId k) const {
  return {mailboxes(c, k).address + aligned(options_.mailboxes * kMailboxBytes),
          aligned(options_.buffer_bytes)};
}

Range NodePlan::heap(ClientId c) const {
  const Range before = library(c);
  return {before.address + before.bytes, options_.contexts * aligned(options_.heap_bytes)};
}

Range NodePlan::heap(ClientId c, ContextId k) const {
  const Bytes bytes = aligned(options_.heap_bytes);
  return {heap(c).address + k.value * bytes, bytes};
}

// As many as there are queues and counters for.
std::uint32_t NodePlan::offload_groups() const {
  const std::uint32_t queues =
      sizes_.injection_queues - sizes_.reflection_queues - 2 * contexts() - ends_of_pairs();
  const std::uint32_t events =
      sizes_.event_counters - contexts() * (event_counters() + 1) - ends_of_pairs();
  return std::min({options_.offload_groups, queues / 2 / options_.clients,
                   events / kOffloadEvents / options_.clients});
}

Range NodePlan::offload_ring(ClientId c, std::uint32_t g) const {
  const Range before = heap(c);
  const Bytes bytes = aligned(ring(options_.offload_slots));
  return {before.address + before.bytes + 2 * g * bytes, ring(options_.offload_slots)};
}

Range NodePlan::offload_sum_ring(ClientId c, std::uint32_t g) const {
  const Range before = offload_ring(c, g);
  return {aligned(before.address + before.bytes), before.bytes};
}

Range NodePlan::offload_area(ClientId c) const {
  return {offload_ring(c, offload_groups()).address, aligned(offload_window(offload_groups(), 0))};
}

Range NodePlan::completion_ring(ClientId c) const {
  const Range before = offload_area(c);
  return {before.address + before.bytes,
          pairs() == 0 ? 0 : Bytes{options_.completion_entries} * sizes_.completion_bytes};
}

Range NodePlan::pair_ring(ClientId c, std::uint32_t n, End end) const {
  const Range before = completion_ring(c);
  const Bytes bytes = aligned(ring(options_.queue_pair_slots));
  return {aligned(before.address + before.bytes) + end_of_pair({0}, n, end) * bytes,
          ring(options_.queue_pair_slots)};
}

Bytes NodePlan::pairs_bytes() const {
  if (pairs() == 0) return 0;
  return aligned(Bytes{options_.completion_entries} * sizes_.completion_bytes) +
         Bytes{2} * pairs() * aligned(ring(options_.queue_pair_slots));
}

std::optional<NodePlan::PairOfClient> NodePlan::pair_of(QueueId queue) const {
  const std::uint32_t first = sizes_.injection_queues - ends_of_pairs();
  if (queue.value < first || queue.value >= sizes_.injection_queues) return std::nullopt;
  const std::uint32_t pair = (queue.value - first) / 2;
  return PairOfClient{{pair / pairs()}, pair % pairs()};
}

Bytes NodePlan::offload_bell(std::uint32_t g) const {
  return g * (2 * kLine + 2 * aligned(options_.offload_window));
}
Bytes NodePlan::offload_completion(std::uint32_t g) const { return offload_bell(g) + kLine; }
Bytes NodePlan::offload_window(std::uint32_t g, std::uint32_t window) const {
  return offload_completion(g) + kLine + window * aligned(options_.offload_window);
}

Bytes NodePlan::client_bytes() const {
  // What ranges there are is placed by the size of a client in turn; so this sum is written out
  // once more.
  const Bytes offload = 2 * offload_groups() * aligned(ring(options_.offload_slots)) +
                        aligned(offload_window(offload_groups(), 0));
  return options_.contexts * (rings_bytes() + library_bytes() + aligned(options_.heap_bytes)) +
         small_rings_bytes() + offload + pairs_bytes();
}

Address NodePlan::end() const { return clients_base() + options_.clients * client_bytes(); }

}  // namespace torusmu

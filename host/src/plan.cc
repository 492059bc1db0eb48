// SPDX-License-Identifier: Apache-2.0
#include "torusmu/plan.h"

#include <algorithm>
#include <bit>
#include <string>

#include "host/src/segment_layout.h"

namespace torusmu {
namespace {

constexpr Bytes kAlignment = 4096;
constexpr Bytes kMailboxBytes = 32;
// The least that the MU takes: the largest packet has 17 slots. A FIFO that has refused takes
// nothing until a quarter is freed, so more must be in use when it does.
constexpr std::uint32_t kFewestFifoSlots = 32;
constexpr std::uint32_t kFewestQueueSlots = 4;
constexpr std::uint32_t kMostSlots = 1U << 16;
constexpr Bytes kFewestBufferBytes = 4096;
// And one of a process that copies its boot buffer, one over rings that the MU copies out of, and
// one over what has been kept of its dynamic pairs.
constexpr std::uint32_t kOwnRegions = 3;
constexpr Bytes kLine = 64;
constexpr std::uint32_t kMostReflectionSlots = 128;
constexpr std::uint32_t kMostNodesInARow = 16;  // coordinates have four bits

constexpr Bytes kMostMemory = Bytes{1} << 40;  // addresses have 40 bits
constexpr Bytes kMostRegion = Bytes{1} << 37;  // and offsets in a region 37

constexpr Bytes aligned(Bytes bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// An option and its legal range.
struct Bound {
  const char* option;
  std::uint64_t value, least, most;
};

// Whole pages of a region that `parts` share equally, less what else each has there. Each option
// that is a size is held to this before anything is rounded up or multiplied by it.
constexpr Bytes share_of_region(std::uint64_t parts, Bytes other = 0) {
  return (kMostRegion / std::max<std::uint64_t>(1, parts) - other) / kAlignment * kAlignment;
}

// All such pairs of a context share its completion queue.
std::uint32_t most_boot_sends(const PlanOptions& options) {
  if (options.boot_pairs == 0 || options.contexts == 0) return kMostSlots;
  const std::uint32_t pairs = (options.boot_pairs - 1) / options.contexts + 1;
  return std::min(options.queue_pair_slots, options.completion_entries / pairs);
}

// The first option that is out of its range, with that range; nothing if none is.
std::optional<std::string> bad_option(const Shape& shape, const Sizes& sizes,
                                      const PlanOptions& options) {
  constexpr std::uint32_t kAny = ~std::uint32_t{0};
  const std::uint32_t groups =
      std::min({options.offload_groups, sizes.injection_queues, sizes.event_counters / 2});
  const Bytes mailboxes = aligned(kMostSlots * kMailboxBytes);
  const Bytes bells = aligned(2 * kLine);
  const Bound bounds[] = {
      {"shape.x", shape.x, 1, kMostNodesInARow},
      {"shape.y", shape.y, 1, kMostNodesInARow},
      {"shape.z", shape.z, 1, kMostNodesInARow},
      {"clients", options.clients, 1, kAny},
      {"contexts", options.contexts, 1, NodePlan::kMostContexts},
      {"queue_slots", options.queue_slots, kFewestQueueSlots, kMostSlots},
      {"get_slots", options.get_slots, 1, kMostSlots},
      {"fifo_slots", options.fifo_slots, kFewestFifoSlots, kMostSlots},
      {"reply_slots", options.reply_slots, kFewestFifoSlots, kMostSlots},
      {"mailboxes", options.mailboxes, 1, kMostSlots},
      {"store_entries", options.store_entries, 0, kMostSlots},
      {"buffer_bytes", options.buffer_bytes, kFewestBufferBytes,
       share_of_region(options.contexts, mailboxes)},
      {"heap_bytes", options.heap_bytes, 0, share_of_region(options.contexts)},
      {"notice_slots", options.notice_slots, 1, kMostSlots},
      {"reflection_slots", options.reflection_slots, 0, kMostReflectionSlots},
      {"offload_slots", options.offload_slots, kFewestQueueSlots, kMostSlots},
      {"offload_window", options.offload_window, 0, share_of_region(2 * groups, bells)},
      {"queue_pairs", options.queue_pairs, 0, kMostSlots},
      {"dynamic_pairs", options.dynamic_pairs, 0, kMostSlots},
      {"queue_pair_slots", options.queue_pair_slots, 1, kMostSlots},
      {"completion_entries", options.completion_entries, 1, kMostSlots},
      {"push_slots", options.push_slots, 0, kMostSlots},
      {"boot_buffers", options.boot_buffers, 0, options.clients},
      {"boot_slots", options.boot_slots, 0, kMostSlots},
      {"boot_pairs", options.boot_pairs, 0, options.boot_buffers == 0 ? 0 : options.dynamic_pairs},
      {"boot_sends", options.boot_sends, 1, most_boot_sends(options)},
      {"boot_send_bytes", options.boot_send_bytes, 1, unit_memory_bytes(sizes)},
      {"segment_lines", options.segment_lines, 0, kMostSlots},
      {"base", options.base, 0, kMostMemory - kAlignment},
  };
  for (const Bound& bound : bounds) {
    if (bound.value >= bound.least && bound.value <= bound.most) continue;
    return std::string(bound.option) + " is " + std::to_string(bound.value) + ": must be " +
           std::to_string(bound.least) + " to " + std::to_string(bound.most);
  }
  if (options.boot_slots != 0 && options.boot_slots < kFewestFifoSlots) {
    return "boot_slots is " + std::to_string(options.boot_slots) + ": must be 0 or " +
           std::to_string(kFewestFifoSlots) + " to " + std::to_string(kMostSlots);
  }
  if (options.base % kAlignment != 0) {
    return "base is " + std::to_string(options.base) + ": must be a multiple of 4096";
  }
  return std::nullopt;
}

// With each ring as large as the MU can have it, no smaller than was asked for: a power of two.
PlanOptions rounded_up(PlanOptions options) {
  for (auto* slots :
       {&options.queue_slots, &options.get_slots, &options.fifo_slots, &options.reply_slots,
        &options.notice_slots, &options.reflection_slots, &options.offload_slots,
        &options.queue_pair_slots, &options.completion_entries, &options.push_slots,
        &options.segment_lines, &options.boot_slots, &options.store_entries}) {
    if (*slots != 0) *slots = std::bit_ceil(*slots);
  }
  return options;
}

// What a plan takes of the node.
struct Need {
  const char* resource;
  std::uint64_t needed, there;
  const char* help;
};

}  // namespace

Result<NodePlan> NodePlan::make(const Shape& shape, const Sizes& sizes, Bytes memory_size,
                                const PlanOptions& options) {
  if (const auto bad = bad_option(shape, sizes, options)) {
    return {Errc::kBadArgument, "an option of the plan is out of its range: " + *bad};
  }
  const NodePlan plan(shape, sizes, rounded_up(options));
  if (const auto lacking = plan.lacking(memory_size)) {
    return {Errc::kOutOfResources, "not enough of a resource: " + *lacking};
  }
  return plan;
}

std::optional<std::string> NodePlan::lacking(Bytes memory_size) const {
  const auto text = [](const Need& need) {
    return "the plan needs " + std::to_string(need.needed) + ' ' + need.resource +
           " and the node has " + std::to_string(need.there) + ": " + need.help;
  };
  // First of all, because the others multiply by it.
  const Need clients{"clients", options_.clients, sizes_.clients, "fewer clients"};
  if (clients.needed > clients.there) return text(clients);
  const std::uint64_t all_contexts = contexts();
  const Need needs[] = {
      {"injection queues",
       sizes_.reflection_queues + 2 * all_contexts + pushed_queues() + ends_of_pairs(),
       sizes_.injection_queues,
       "fewer clients, contexts, queue_pairs or dynamic_pairs, or no push_slots"},
      {"event counters",
       all_contexts * (std::max<std::uint64_t>(1, event_counters()) + 1) + ends_of_pairs(),
       sizes_.event_counters,
       "fewer clients, contexts, queue_pairs or dynamic_pairs, or fewer event_counters"},
      {"byte counters", all_contexts, sizes_.byte_counters, "fewer clients or contexts"},
      {"completion queues", (pairs() == 0 ? 0 : all_contexts) + (has_stores() ? all_contexts : 0),
       sizes_.completion_queues,
       "fewer clients or contexts, or no queue_pairs and dynamic_pairs, or no store_entries"},
      {"reception FIFOs", 2 * all_contexts + (options_.boot_buffers == 0 ? 0 : sizes_.clients),
       sizes_.reception_fifos, "fewer clients or contexts, or no boot_buffers"},
      {"CALC engines", process_copies({0}) || has_stores() || has_boot_pairs({0}) ? 1U : 0U,
       sizes_.calc_engines,
       process_copies({0}) ? "boot_copy by the unit"
       : has_stores()      ? "no store_entries"
                           : "no boot_pairs"},
      {"bytes of the unit's own memory",
       std::uint64_t{options_.boot_buffers} * boot_slots() * sizes_.fifo_slot_bytes +
           options_.boot_buffers * boot_sends_bytes(),
       unit_memory_bytes(sizes_),
       "fewer boot_buffers, boot_slots, boot_pairs or boot_sends, or smaller boot_send_bytes"},
      {"regions", std::uint64_t{options_.clients} * (own_regions() + 1), sizes_.regions,
       "fewer clients"},
      {"touch ranges", marked_ranges(), sizes_.touch_ranges,
       "fewer clients or contexts, or no marked_mailboxes"},
  };
  for (const Need& need : needs) {
    if (need.needed > need.there) return text(need);
  }
  if (byte_counters() == 0 || event_counters() == 0) {
    return "each context needs a byte counter and an event counter: more byte_counters or "
           "event_counters, or fewer contexts";
  }
  const Need memory{
      "bytes of memory", end(), std::min(memory_size, unit_memory_base(sizes_)),
      "smaller heap_bytes, buffer_bytes, offload_window, rings, segment_lines or base, "
      "or fewer clients, contexts or offload_groups"};
  if (memory.needed > memory.there) {
    return text(memory) + "; of each client the heaps take " + std::to_string(heap({0}).bytes) +
           ", all of it " + std::to_string(client_bytes());
  }
  return std::nullopt;
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
         aligned(Bytes{options_.fifo_slots} * sizes_.fifo_slot_bytes) + aligned(store_ring_bytes());
}

Bytes NodePlan::store_ring_bytes() const {
  return Bytes{options_.store_entries} * sizes_.completion_bytes;
}

Bytes NodePlan::small_rings_bytes() const {
  const Bytes slots = Bytes{options_.contexts} * options_.reply_slots + options_.notice_slots;
  return aligned(slots * sizes_.fifo_slot_bytes);
}

Bytes NodePlan::library_bytes() const {
  return aligned(options_.mailboxes * kMailboxBytes) + aligned(options_.buffer_bytes) +
         kept_bytes();
}

Bytes NodePlan::kept_bytes() const {
  return process_copies({0}) ? aligned(2 * kKeptLine + boot_ring({0}).bytes) : 0;
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

Range NodePlan::store_ring(ClientId c, ContextId k) const {
  const Range before = message_ring(c, k);
  return {before.address + aligned(before.bytes), store_ring_bytes()};
}

Range NodePlan::rings(ClientId c) const { return part(c, 0, options_.contexts * rings_bytes()); }

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

std::uint32_t NodePlan::own_regions() const {
  return kOwnRegions + (process_copies({0}) ? 1 : 0) + (has_stores() ? 1 : 0) +
         (has_boot_pairs({0}) ? 1 : 0);
}

std::uint32_t NodePlan::boot_slots() const {
  if (options_.boot_slots != 0) return options_.boot_slots;
  const Bytes all = unit_memory_bytes(sizes_);
  const Bytes taken = options_.boot_buffers * boot_sends_bytes();
  const Bytes least = Bytes{kFewestFifoSlots} * sizes_.fifo_slot_bytes;
  const Bytes share = (all - std::min(taken, all)) / sizes_.clients;
  return static_cast<std::uint32_t>(
      std::bit_floor(std::max(share, least) / sizes_.fifo_slot_bytes));
}

Range NodePlan::boot_ring(ClientId c) const {
  const Bytes bytes = Bytes{boot_slots()} * sizes_.fifo_slot_bytes;
  return {unit_memory_base(sizes_) + c.value * bytes, bytes};
}

// Each buffer begins on a line of its own.
Bytes NodePlan::boot_send_offset(std::uint32_t number, std::uint32_t k) const {
  const Bytes bytes = (options_.boot_send_bytes + kLine - 1) / kLine * kLine;
  return (Bytes{number} * options_.boot_sends + k) * bytes;
}

Bytes NodePlan::boot_sends_bytes() const {
  return has_boot_pairs({0}) ? boot_send_offset(options_.boot_pairs, 0) : 0;
}

Range NodePlan::boot_sends_area(ClientId c) const {
  const Address behind_all = boot_ring({options_.boot_buffers}).address;
  return {behind_all + c.value * boot_sends_bytes(), boot_sends_bytes()};
}

std::uint32_t NodePlan::marked_ranges() const { return options_.marked_mailboxes ? contexts() : 0; }
std::uint32_t NodePlan::user_ranges() const {
  return (sizes_.touch_ranges - marked_ranges()) / options_.clients;
}
TouchId NodePlan::user_range(ClientId c, std::uint32_t n) const {
  return {marked_ranges() + c.value * user_ranges() + n};
}

Range NodePlan::mailboxes(ClientId c, ContextId k) const {
  return {library(c).address + k.value * library_bytes(), options_.mailboxes * kMailboxBytes};
}

Range NodePlan::buffers(ClientId c, ContextId k) const {
  return {mailboxes(c, k).address + aligned(options_.mailboxes * kMailboxBytes),
          aligned(options_.buffer_bytes)};
}

Range NodePlan::kept(ClientId c, ContextId k) const {
  const Range before = buffers(c, k);
  return {before.address + before.bytes,
          process_copies(c) ? 2 * kKeptLine + boot_ring(c).bytes : 0};
}

Range NodePlan::heap(ClientId c) const {
  const Range before = library(c);
  return {before.address + before.bytes, options_.contexts * aligned(options_.heap_bytes)};
}

Range NodePlan::heap(ClientId c, ContextId k) const {
  const Bytes bytes = aligned(options_.heap_bytes);
  return {heap(c).address + k.value * bytes, bytes};
}

std::uint32_t NodePlan::queues_for_offload() const {
  return sizes_.injection_queues - sizes_.reflection_queues - 2 * contexts() - pushed_queues() -
         ends_of_pairs();
}

std::uint32_t NodePlan::events_for_offload() const {
  return sizes_.event_counters - contexts() * (event_counters() + 1) - ends_of_pairs();
}

// As many as there are queues and counters for: a queue each, and a counter of each window.
std::uint32_t NodePlan::offload_groups() const {
  return std::min({options_.offload_groups, queues_for_offload() / options_.clients,
                   events_for_offload() / 2 / options_.clients});
}

bool NodePlan::offload_sums_beside() const {
  return 2 * offload_groups() * options_.clients <= queues_for_offload();
}

std::uint32_t NodePlan::offload_counters() const {
  const std::uint32_t windows = 2 * offload_groups() * options_.clients;
  return windows == 0 ? 0 : std::min(kMostOffloadCounters, events_for_offload() / windows);
}

Range NodePlan::offload_ring(ClientId c, std::uint32_t g) const {
  const Range before = heap(c);
  const Bytes bytes = aligned(ring(options_.offload_slots));
  return {before.address + before.bytes + offload_queues() * g * bytes,
          ring(options_.offload_slots)};
}

Range NodePlan::offload_sum_ring(ClientId c, std::uint32_t g) const {
  const Range before = offload_ring(c, g);
  return {aligned(before.address + before.bytes), before.bytes};
}

Range NodePlan::offload_area(ClientId c) const {
  return {offload_ring(c, offload_groups()).address, aligned(offload_window(offload_groups(), 0))};
}

Range NodePlan::completion_ring(ClientId c, ContextId k) const {
  const Range before = offload_area(c);
  const Bytes bytes =
      pairs() == 0 ? 0 : Bytes{options_.completion_entries} * sizes_.completion_bytes;
  return {before.address + before.bytes + k.value * aligned(bytes), bytes};
}

Range NodePlan::pair_ring(ClientId c, std::uint32_t n, End end) const {
  const Range before = completion_ring(c, {options_.contexts - 1});
  const Bytes bytes = aligned(ring(options_.queue_pair_slots));
  return {aligned(before.address + before.bytes) + end_of_pair({0}, n, end) * bytes,
          ring(options_.queue_pair_slots)};
}

Bytes NodePlan::pairs_bytes() const {
  if (pairs() == 0) return 0;
  return options_.contexts * aligned(Bytes{options_.completion_entries} * sizes_.completion_bytes) +
         Bytes{2} * pairs() * aligned(ring(options_.queue_pair_slots));
}

std::optional<NodePlan::PairOfClient> NodePlan::pair_of(QueueId queue) const {
  const std::uint32_t first = sizes_.injection_queues - ends_of_pairs();
  if (queue.value < first || queue.value >= sizes_.injection_queues) return std::nullopt;
  const std::uint32_t pair = (queue.value - first) / 2;
  const End end = (queue.value - first) % 2 == 0 ? End::kSend : End::kReceive;
  return PairOfClient{{pair / pairs()}, pair % pairs(), end};
}

std::optional<std::uint32_t> NodePlan::offload_group_of(ClientId c, QueueId queue) const {
  for (std::uint32_t group = 0; group < offload_groups(); ++group) {
    if (offload_queue(c, group) == queue) return group;
  }
  return std::nullopt;
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
  const Bytes offload =
      offload_queues() * offload_groups() * aligned(ring(options_.offload_slots)) +
      aligned(offload_window(offload_groups(), 0));
  return options_.contexts * (rings_bytes() + library_bytes() + aligned(options_.heap_bytes)) +
         small_rings_bytes() + offload + pairs_bytes();
}

Range NodePlan::segment() const {
  const Bytes bytes = has_segment() ? SegmentLayout(*this).bytes() : 0;
  return {clients_base() + options_.clients * client_bytes(), aligned(bytes)};
}

Range NodePlan::pushed_ring(ClientId c) const {
  const Range before = segment();
  const Bytes bytes = ring(options_.push_slots);
  return {before.address + before.bytes + c.value * aligned(bytes), bytes};
}

Address NodePlan::end() const { return pushed_ring({options_.clients}).address; }

}  // namespace torusmu

// SPDX-License-Identifier: Apache-2.0
// How the resources of a node are shared out among its clients, and those of a client among its
// contexts. Every node of a job uses the same plan, so that a task knows the numbers of another
// task's FIFOs and queues without asking.
#ifndef TORUSMU_PLAN_H_
#define TORUSMU_PLAN_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "torusmu/error.h"
#include "torusmu/names.h"
#include "torusmu/types.h"

namespace torusmu {

using Task = Identity<struct TaskTag>;  // number of a process in the job

// Where a task lives. Task t is client t % clients of node t / clients.
struct Place {
  NodeId node;
  ClientId client;
  friend constexpr bool operator==(const Place&, const Place&) = default;
};

// What messages go to and come from: a context of a task. The client is that of the task.
struct Endpoint {
  constexpr Endpoint() = default;
  constexpr Endpoint(Task its_task, ContextId its_context) : task(its_task), context(its_context) {}
  Task task{};
  ContextId context{};
  friend constexpr auto operator<=>(const Endpoint&, const Endpoint&) = default;
};

/// The messaging unit's own memory lies at the end of its address space: whatever takes an address
/// of node memory, a region, a ring, a reception FIFO, may be there. docs/unit_memory.md.
constexpr Bytes unit_memory_bytes(const Sizes& sizes) { return Bytes{8} * sizes.unit_memory_words; }
constexpr Address unit_memory_base(const Sizes& sizes) {
  return (Address{1} << sizes.address_bits) - unit_memory_bytes(sizes);
}

// How what a boot buffer holds comes to the process that it was kept for (US 8,528,004).
enum class BootCopy {
  kByUnit,     // the MU moves it into the FIFOs that it is for
  kByProcess,  // the process copies it out of the unit's own memory, by a CALC
};

// Slots and entries of rings are rounded up to a power of two, which the plan's options() show.
struct PlanOptions {
  std::uint32_t clients = 1;   // processes on each node
  std::uint32_t contexts = 1;  // of each client, at most 16: threads that communicate
  // Of each context:
  std::uint32_t queue_slots = 256;  // descriptors of a send queue
  std::uint32_t get_slots = 64;     // descriptors of the queue that other tasks' gets fill
  std::uint32_t fifo_slots = 2048;  // 32-byte slots of the message FIFO; 32 or more
  std::uint32_t reply_slots = 64;   // 32-byte slots for reflections in memory-FIFO form
  std::uint32_t mailboxes = 64;     // reflections in put form under way at once
  // They are interrupt-on-touch memory, a range for each context: Notify::kReflectedTouch.
  bool marked_mailboxes = false;
  std::uint32_t byte_counters = 16;  // most that a context gets: fetches under way at once
  std::uint32_t event_counters = 4;  // most that a context gets
  // Copies that the MU may have under way from the message FIFO into buffers of receives:
  // ContextOptions::store_by. A completion queue has so many entries; 0: none.
  std::uint32_t store_entries = 0;
  Bytes buffer_bytes = Bytes{256} << 10;  // library buffers: messages kept until acknowledged
  Bytes heap_bytes = Bytes{2} << 20;      // memory that the program's own buffers come from
  // Of each client, or of the node:
  std::uint32_t notice_slots = 256;  // entries of the notice ring
  // Each SEND of a queue pair that its peer discards, for it has no RECEIVE enabled, leaves a
  // notice, too: Context::take_discards(). They are counted without it.
  bool tell_discards = false;
  std::uint32_t reflection_slots = 8;  // slots of each reflection queue; 0 for no reflection
  // Groups of a client whose collectives the MU runs: as many of these as it can. The more there
  // are, the fewer queues and counters each has (docs/collectives.md).
  std::uint32_t offload_groups = 1;
  std::uint32_t offload_slots = 512;        // descriptors of each such group's queues
  Bytes offload_window = Bytes{256} << 10;  // longest scratch and output of such a collective
  std::uint32_t queue_pairs = 0;            // of each client, connected to one other pair each
  std::uint32_t dynamic_pairs = 0;          // of each client, connected to all such pairs at once
  std::uint32_t queue_pair_slots = 64;      // descriptors of each of the two queues of any pair
  // Of the completion queue that the pairs of a context share.
  std::uint32_t completion_entries = 256;
  // Descriptors of a queue of each client that all its contexts push into: Context::push(). 0:
  // none.
  std::uint32_t push_slots = 0;
  // Clients of each node, from the first on, that have a boot buffer: messages to them wait there
  // until they start (docs/boot_buffers.md). Those beyond refuse till then, and senders try again.
  std::uint32_t boot_buffers = 0;
  // Slots of each, 32 bytes: a power of two from 32 on. 0: an equal share of the unit's own memory,
  // or of what boot_pairs leave of it.
  std::uint32_t boot_slots = 0;
  // How what they hold comes to the process.
  BootCopy boot_copy = BootCopy::kByUnit;
  // Dynamic pairs of such a client, from the first on, whose first boot_sends messages are kept in
  // the unit's own memory, too, from boot() on: DynamicQueuePair::copy(). A SEND of more than
  // boot_send_bytes to those ends with kTruncated.
  std::uint32_t boot_pairs = 0;
  // At most queue_pair_slots, and completion_entries for all such pairs of a context: who tells of
  // them cannot be asked to make room.
  std::uint32_t boot_sends = 8;
  Bytes boot_send_bytes = 512;
  // Of each ring of the segment that the endpoints of a node share, lines of 64 bytes: active
  // messages of up to a quarter of it go through it (docs/fences.md). 0: no segment.
  std::uint32_t segment_lines = 16;
  Address base = 0;  // first byte of node memory that the plan may use
};

// A piece of node memory.
struct Range {
  Address address = 0;
  Bytes bytes = 0;
  [[nodiscard]] constexpr bool holds(Address at, Bytes count) const {
    return at >= address && count <= bytes && at - address <= bytes - count;
  }
};

class NodePlan {
 public:
  static constexpr std::uint32_t kMostContexts = 16;  // of a client: names have 4 bits for them
  // kOutOfResources if the clients need more queues, FIFOs, counters or memory than there are;
  // kBadArgument for an option out of its range. message() of the result names the resource, or the
  // option and its range.
  static Result<NodePlan> make(const Shape& shape, const Sizes& sizes, Bytes memory_size,
                               const PlanOptions& options = {});

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const Sizes& sizes() const { return sizes_; }
  [[nodiscard]] const PlanOptions& options() const { return options_; }
  [[nodiscard]] std::uint32_t tasks() const { return shape_.nodes() * options_.clients; }
  [[nodiscard]] Place place(Task task) const {
    return {{task.value / options_.clients}, {task.value % options_.clients}};
  }
  [[nodiscard]] Task task(Place endpoint) const {
    return {endpoint.node.value * options_.clients + endpoint.client.value};
  }

  [[nodiscard]] bool has(Endpoint endpoint) const {
    return endpoint.task.value < tasks() && endpoint.context.value < options_.contexts;
  }

  // The segment of memory that all endpoints of a node share; there is none if they are one, or if
  // the options say so. An endpoint has the same number on its node, in the order of clients.
  [[nodiscard]] bool has_segment() const { return options_.segment_lines != 0 && contexts() > 1; }
  [[nodiscard]] Range segment() const;  // of node memory
  [[nodiscard]] std::uint32_t endpoints_of_a_node() const { return contexts(); }
  [[nodiscard]] std::uint32_t number_on_node(Endpoint endpoint) const {
    return number(place(endpoint.task).client, endpoint.context);
  }

  // Numbers in the MU. Queues 0 to 6 reflect for the neighbours and the node itself. Without a
  // context, here and below: those of context 0.
  [[nodiscard]] QueueId send_queue(ClientId c, ContextId k = {}) const {
    return {sizes_.reflection_queues + 2 * number(c, k)};
  }
  [[nodiscard]] QueueId get_queue(ClientId c, ContextId k = {}) const {
    return {sizes_.reflection_queues + 2 * number(c, k) + 1};
  }
  // Whose send queue that is; nothing for any other queue.
  struct ContextOfClient {
    ClientId client;
    ContextId context;
  };
  [[nodiscard]] std::optional<ContextOfClient> sender_of(QueueId queue) const;
  [[nodiscard]] FifoId message_fifo(ClientId c, ContextId k = {}) const {
    return {2 * number(c, k)};
  }
  [[nodiscard]] FifoId reply_fifo(ClientId c, ContextId k = {}) const {
    return {2 * number(c, k) + 1};
  }
  // Whose message FIFO that is; nothing for any other FIFO.
  [[nodiscard]] std::optional<ContextOfClient> receiver_of(FifoId fifo) const;
  // If so, what comes for the message FIFO of its context 0 before the client starts is kept.
  [[nodiscard]] bool has_boot_buffer(ClientId c) const { return c.value < options_.boot_buffers; }
  [[nodiscard]] bool process_copies(ClientId c) const {
    return has_boot_buffer(c) && options_.boot_copy == BootCopy::kByProcess;
  }
  // A reception FIFO that keeps what comes for the others of the client; where it lies in the
  // unit's own memory; and the region over what it has kept, for the process that copies it.
  [[nodiscard]] FifoId boot_buffer(ClientId c) const {
    return {sizes_.reception_fifos - sizes_.clients + c.value};
  }
  [[nodiscard]] std::uint32_t boot_slots() const;
  [[nodiscard]] Range boot_ring(ClientId c) const;
  [[nodiscard]] RegionId boot_region(ClientId c) const { return {c.value * regions() + 3}; }
  // What keeps the first messages of dynamic pair `number`, so many: buffers behind all boot
  // buffers, and the client's region over its own; message k has its place in that.
  [[nodiscard]] bool has_boot_pairs(ClientId c) const {
    return has_boot_buffer(c) && options_.boot_pairs != 0;
  }
  [[nodiscard]] std::uint32_t boot_sends(ClientId c, std::uint32_t number) const {
    return has_boot_buffer(c) && number < options_.boot_pairs ? options_.boot_sends : 0;
  }
  [[nodiscard]] Range boot_sends_area(ClientId c) const;
  [[nodiscard]] RegionId boot_sends_region(ClientId c) const {
    return {rings_region(c).value + (has_stores() ? 1 : 0)};
  }
  [[nodiscard]] Bytes boot_send_offset(std::uint32_t number, std::uint32_t k) const;
  // What the MU needs to store data out of message FIFOs, if it shall: a region over the rings of
  // the client's contexts, which it alone reads, and a completion queue of each context that tells
  // of the end of each copy. They are the last completion queues.
  [[nodiscard]] bool has_stores() const { return options_.store_entries != 0; }
  [[nodiscard]] RegionId rings_region(ClientId c) const {
    return {c.value * regions() + 3 + (process_copies({0}) ? 1 : 0)};
  }
  [[nodiscard]] Range rings(ClientId c) const;
  [[nodiscard]] CompletionQueueId store_completions(ClientId c, ContextId k = {}) const {
    return {sizes_.completion_queues - contexts() + number(c, k)};
  }
  [[nodiscard]] Range store_ring(ClientId c, ContextId k = {}) const;  // of those entries
  // Of each context.
  [[nodiscard]] std::uint32_t byte_counters() const {
    return std::min(options_.byte_counters, sizes_.byte_counters / contexts());
  }
  [[nodiscard]] CounterId byte_counter(ClientId c, std::uint32_t n, ContextId k = {}) const {
    return {number(c, k) * byte_counters() + n};
  }
  [[nodiscard]] std::uint32_t event_counters() const {
    return std::min(options_.event_counters, sizes_.event_counters / contexts() - 1);
  }
  [[nodiscard]] EventId event_counter(ClientId c, std::uint32_t n, ContextId k = {}) const {
    return {number(c, k) * event_counters() + n};
  }
  // Counts the FENCEs of the context's send queue that are done. Below those of queue pairs.
  [[nodiscard]] EventId fence_event(ClientId c, ContextId k = {}) const {
    return {sizes_.event_counters - ends_of_pairs() - contexts() + number(c, k)};
  }
  // Regions of a client: the library's own, the heap, that of collectives, and the rest for
  // register_memory().
  [[nodiscard]] std::uint32_t regions() const { return sizes_.regions / options_.clients; }
  [[nodiscard]] RegionId library_region(ClientId c) const { return {c.value * regions()}; }
  [[nodiscard]] RegionId heap_region(ClientId c) const { return {c.value * regions() + 1}; }
  [[nodiscard]] RegionId user_region(ClientId c, std::uint32_t n) const {
    return {c.value * regions() + own_regions() + n};
  }
  [[nodiscard]] std::uint32_t user_regions() const { return regions() - own_regions(); }

  // Collectives run by the MU: what group slot g of a client has, if g is less than
  // offload_groups(): a queue that sends; if there are enough, one that sums beside it; and event
  // counters for each of two windows, one at least.
  static constexpr std::uint32_t kMostOffloadCounters = 8;  // of a window
  [[nodiscard]] std::uint32_t offload_groups() const;
  [[nodiscard]] bool offload_sums_beside() const;
  [[nodiscard]] std::uint32_t offload_counters() const;
  [[nodiscard]] QueueId offload_queue(ClientId c, std::uint32_t g) const {
    return {sizes_.reflection_queues + 2 * contexts() +
            offload_queues() * (c.value * offload_groups() + g)};
  }
  [[nodiscard]] QueueId offload_sum_queue(ClientId c, std::uint32_t g) const {
    return {offload_queue(c, g).value + 1};
  }
  // Whose queue it is, if it is one of these that sends.
  [[nodiscard]] std::optional<std::uint32_t> offload_group_of(ClientId c, QueueId queue) const;
  [[nodiscard]] EventId offload_event(ClientId c, std::uint32_t g, std::uint32_t window,
                                      std::uint32_t n) const {
    const std::uint32_t first = contexts() * event_counters();
    const std::uint32_t group = c.value * offload_groups() + g;
    return {first + (2 * group + window) * offload_counters() + n};
  }
  // Open to puts of all members; offsets below are from its start.
  [[nodiscard]] RegionId offload_region(ClientId c) const { return {c.value * regions() + 2}; }
  [[nodiscard]] Bytes offload_bell(std::uint32_t g) const;        // what signals are stored to
  [[nodiscard]] Bytes offload_completion(std::uint32_t g) const;  // the completion word
  [[nodiscard]] Bytes offload_window(std::uint32_t g, std::uint32_t window) const;

  // Queue pairs: what pair n of a client has, if n is less than pairs(): those that are connected
  // to one other come first, then the dynamic ones. They take the last queues and event counters,
  // so that nothing else moves.
  [[nodiscard]] std::uint32_t pairs() const {
    return options_.queue_pairs + options_.dynamic_pairs;
  }
  // The n that stands for dynamic pair `number` of a client.
  [[nodiscard]] std::uint32_t dynamic_pair(std::uint32_t number) const {
    return options_.queue_pairs + number;
  }
  enum class End { kSend, kReceive };
  [[nodiscard]] QueueId pair_queue(ClientId c, std::uint32_t n, End end) const {
    return {sizes_.injection_queues - ends_of_pairs() + end_of_pair(c, n, end)};
  }
  // The pushed queue of a client, if push_slots is not zero: before the queues of pairs.
  [[nodiscard]] bool has_pushed_queue() const { return options_.push_slots != 0; }
  [[nodiscard]] QueueId pushed_queue(ClientId c) const {
    return {sizes_.injection_queues - ends_of_pairs() - pushed_queues() + c.value};
  }
  // Whose queue that is, n, and which of its two; nothing for a queue of no pair.
  struct PairOfClient {
    ClientId client;
    std::uint32_t n = 0;
    End end = End::kSend;
  };
  [[nodiscard]] std::optional<PairOfClient> pair_of(QueueId queue) const;
  // Counts its SENDs, or RECEIVEs, that are done.
  [[nodiscard]] EventId pair_event(ClientId c, std::uint32_t n, End end) const {
    return {sizes_.event_counters - ends_of_pairs() + end_of_pair(c, n, end)};
  }
  // Whose pair that is: those of either sort go round among the contexts of the client, by their
  // number. So does what the collectives of group g end in.
  [[nodiscard]] ContextId context_of_pair(std::uint32_t n) const {
    const std::uint32_t number = n < options_.queue_pairs ? n : n - options_.queue_pairs;
    return {number % options_.contexts};
  }
  [[nodiscard]] ContextId context_of_group(std::uint32_t g) const {
    return {g % options_.contexts};
  }
  [[nodiscard]] CompletionQueueId completion_queue(ClientId c, ContextId k = {}) const {
    return {number(c, k)};
  }
  [[nodiscard]] Range pair_ring(ClientId c, std::uint32_t n, End end) const;
  [[nodiscard]] Range completion_ring(ClientId c, ContextId k = {}) const;

  // Node memory.
  [[nodiscard]] Range reflection_ring(std::uint32_t queue) const;
  [[nodiscard]] Range send_ring(ClientId c, ContextId k = {}) const;
  [[nodiscard]] Range get_ring(ClientId c, ContextId k = {}) const;
  [[nodiscard]] Range message_ring(ClientId c, ContextId k = {}) const;
  [[nodiscard]] Range reply_ring(ClientId c, ContextId k = {}) const;
  [[nodiscard]] Range notice_ring(ClientId c) const;
  [[nodiscard]] Range library(ClientId c) const;  // of each context mailboxes, then buffers
  [[nodiscard]] Range mailboxes(ClientId c, ContextId k = {}) const;
  // Ranges of interrupt-on-touch memory: those of mailboxes, then the same number for the program
  // of each client.
  [[nodiscard]] TouchId mailbox_range(ClientId c, ContextId k = {}) const { return {number(c, k)}; }
  [[nodiscard]] std::uint32_t user_ranges() const;
  [[nodiscard]] TouchId user_range(ClientId c, std::uint32_t n) const;
  [[nodiscard]] Range buffers(ClientId c, ContextId k = {}) const;
  // Where a process copies what its boot buffer has kept: a line that says how many slots, one
  // that says that they are there, and the slots. Nothing if it copies none.
  static constexpr Bytes kKeptLine = 64;
  [[nodiscard]] Range kept(ClientId c, ContextId k = {}) const;
  [[nodiscard]] Range heap(ClientId c) const;  // of all contexts: a region that each may use
  [[nodiscard]] Range heap(ClientId c, ContextId k) const;  // what the context gives out
  [[nodiscard]] Range offload_ring(ClientId c, std::uint32_t g) const;
  [[nodiscard]] Range offload_sum_ring(ClientId c, std::uint32_t g) const;
  [[nodiscard]] Range offload_area(ClientId c) const;
  [[nodiscard]] Range pushed_ring(ClientId c) const;
  // One byte past everything that the plan uses.
  [[nodiscard]] Address end() const;

 private:
  NodePlan(const Shape& shape, const Sizes& sizes, const PlanOptions& options)
      : shape_(shape), sizes_(sizes), options_(options) {}
  [[nodiscard]] Bytes ring(std::uint32_t slots) const {
    return Bytes{slots} * sizes_.descriptor_bytes;
  }
  [[nodiscard]] Range part(ClientId c, Bytes offset, Bytes bytes) const {
    return {clients_base() + c.value * client_bytes() + offset, bytes};
  }
  // Of all clients of a node.
  [[nodiscard]] std::uint32_t contexts() const { return options_.clients * options_.contexts; }
  [[nodiscard]] std::uint32_t marked_ranges() const;
  [[nodiscard]] std::uint32_t own_regions() const;
  // Among those.
  [[nodiscard]] std::uint32_t number(ClientId c, ContextId k) const {
    return c.value * options_.contexts + k.value;
  }
  [[nodiscard]] ContextOfClient context_of_number(std::uint32_t number) const {
    return {{number / options_.contexts}, {number % options_.contexts}};
  }
  [[nodiscard]] Bytes rings_bytes() const;        // of a context: send, get, message, stores
  [[nodiscard]] Bytes store_ring_bytes() const;   // of a context
  [[nodiscard]] Bytes small_rings_bytes() const;  // of a client: replies, notices
  [[nodiscard]] Bytes library_bytes() const;      // of a context
  [[nodiscard]] Bytes kept_bytes() const;         // of a context
  [[nodiscard]] Bytes boot_sends_bytes() const;   // of a client that has a boot buffer
  // Of all groups of all clients together, at most.
  [[nodiscard]] std::uint32_t queues_for_offload() const;
  [[nodiscard]] std::uint32_t events_for_offload() const;
  [[nodiscard]] std::uint32_t offload_queues() const { return offload_sums_beside() ? 2 : 1; }
  [[nodiscard]] std::uint32_t pushed_queues() const {
    return has_pushed_queue() ? options_.clients : 0;
  }
  [[nodiscard]] std::uint32_t ends_of_pairs() const { return 2 * pairs() * options_.clients; }
  [[nodiscard]] std::uint32_t end_of_pair(ClientId c, std::uint32_t n, End end) const {
    return 2 * (c.value * pairs() + n) + (end == End::kReceive ? 1 : 0);
  }
  [[nodiscard]] Bytes pairs_bytes() const;
  // The resource that the node has too little of, and what would help; nothing if there is enough.
  [[nodiscard]] std::optional<std::string> lacking(Bytes memory_size) const;
  [[nodiscard]] Address clients_base() const;
  [[nodiscard]] Bytes client_bytes() const;

  Shape shape_;
  Sizes sizes_;
  PlanOptions options_;
};

}  // namespace torusmu

#endif  // TORUSMU_PLAN_H_

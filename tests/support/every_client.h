// SPDX-License-Identifier: Apache-2.0
// A node on which every client owns something of each kind, with any bounds, values and settings,
// and rings that are as large as they may be: what open_everything() opens stays as it is.
#ifndef TORUSMU_TESTS_SUPPORT_EVERY_CLIENT_H_
#define TORUSMU_TESTS_SUPPORT_EVERY_CLIENT_H_

#include <algorithm>
#include <array>

#include "tests/support/node_setup.h"
#include "tests/support/old_node.h"
#include "tests/support/seed.h"

namespace torusmu::testing {

// What client c owns. Regions and counters have numbers of any size, which are those of
// open_everything() but for their upper bits now and then.
inline QueueId queue_of(ClientId c) { return {24 + c.value}; }
inline FifoId fifo_of(ClientId c) { return {4 + c.value}; }  // but client 0
class ClientNumbers {
 public:
  explicit ClientNumbers(Random& random) {
    for (std::uint32_t& number : drawn_) {
      do {
        number = static_cast<std::uint32_t>(kOpened + random.below(kSim.regions - kOpened));
      } while (std::count(drawn_.begin(), drawn_.end(), number) > 1);
    }
  }
  [[nodiscard]] RegionId region_of(ClientId c) const { return {drawn_.at(c.value)}; }
  [[nodiscard]] CounterId counter_of(ClientId c) const { return {drawn_.at(c.value)}; }
  [[nodiscard]] EventId event_of(ClientId c) const { return {drawn_.at(c.value)}; }
  // Of a region, counter, event counter, FIFO or queue that is open, or nearly so.
  [[nodiscard]] std::uint32_t in_use(Random& random) const {
    const std::uint64_t any = random.below(kOpened + kSim.clients);
    return any < kOpened ? static_cast<std::uint32_t>(any) : drawn_.at(any - kOpened);
  }

 private:
  // Numbers below this one are of what open_everything() opens, or nearly so.
  static constexpr std::uint32_t kOpened = 10;
  static_assert(kSim.regions == kSim.byte_counters && kSim.regions == kSim.event_counters);
  std::array<std::uint32_t, kSim.clients> drawn_{};
};

// A queue that software fills.
struct PostedRing {
  QueueId queue;
  ClientId owner;
  Address base = 0;
  std::uint32_t slots = 0;
  std::uint64_t tail = 0;

  void post(NodeJudge& judge, const Descriptor& descriptor) {
    const auto bytes = descriptor.bytes();
    judge.device().store(base + tail++ % slots * bytes.size(), std::as_bytes(std::span(bytes)));
    judge.raw(owner).ring_doorbell(queue, static_cast<std::uint32_t>(tail));
  }
};

// What may lie anywhere in the largest memory: two rings meet hardly ever.
struct AnyRing {
  Address base;
  std::uint32_t slots;
  AnyRing(Random& random, Bytes slot_bytes, std::uint32_t most_slots)
      : slots(most_slots >> random.below(2)) {
    base = random.below(kLargestMemory - slots * slot_bytes + 1);
  }
};
inline constexpr std::uint32_t kMostSlots = 1 << 24;
// As many counts that no test reaches.
inline std::uint64_t any_index(Random& random) { return random.bits64() >> 8; }

inline void open_any_queue(Device& device, QueueId queue, QueueMode mode, ClientId owner,
                           Random& random) {
  const AnyRing ring(random, Descriptor::kBytes, kMostSlots);
  set_queue(device, queue, ring.base, ring.slots, mode, owner, false);
}

inline PostedRing open_for_client(NodeJudge& judge, ClientId client, const ClientNumbers& numbers,
                                  Random& random) {
  namespace reg = registers;
  Device& device = judge.device();
  RawNode own(device, client);
  OldNode old(judge);
  // Regions that reach from the last bytes of the memory far beyond it.
  const Address base = device.memory_size() - 1 - random.below(0x2000);
  own.open_region(numbers.region_of(client), base, random.bits64() >> 27,
                  {.remote_write = random.chance(80), .remote_read = random.chance(80)});
  own.open_counter(numbers.counter_of(client), true);
  own.preload(numbers.counter_of(client),
              random.chance(50) ? random.bits64() >> 27 : random.below(2000));
  own.open_event(numbers.event_of(client));
  device.write32(reg::client_page::event_counter(client.value, numbers.event_of(client).value),
                 static_cast<std::uint32_t>(random.bits64()));
  if (client.value != 0) {
    const FifoId fifo = fifo_of(client);
    const AnyRing ring(random, kSim.fifo_slot_bytes, kMostSlots);
    own.open_fifo(fifo, ring.base, ring.slots, true);
    device.write64(reg::reception_fifo::threshold(fifo.value), random.below(ring.slots));
    old.age(fifo, any_index(random), static_cast<std::uint32_t>(random.bits64()));
  }
  const AnyRing notices(random, kSim.fifo_slot_bytes, 1 << 16);
  own.open_notices(notices.base, notices.slots);
  old.age_notices(client, any_index(random));
  device.write64(reg::client_page::interrupt_enable(client.value), 0xff);
  for (const std::uint32_t range : {client.value, 4 + client.value}) {
    // One that is on ends before any access does that the memory refuses, and is not for reads: how
    // many descriptors are read ahead is the affair of the node.
    const bool on = random.chance(50);
    const Bytes most = device.memory_size() - 0x10000;
    const Address first = random.below(most);
    device.write64(reg::touch_range::base(range), first);
    device.write64(reg::touch_range::length(range),
                   on ? random.below(most - first) : random.bits64() >> 24);
    device.write64(reg::touch_range::config(range),
                   (on ? 0b101U : random.below(4) << 1U) | client.value << 4U);
  }
  open_any_queue(device, queue_of(client), QueueMode::kDoorbell, client, random);
  const std::uint64_t index = any_index(random);
  old.age(queue_of(client), index, 0);
  const model::Queue& queue = judge.reference().queue(queue_of(client).value);
  return {queue_of(client), client, queue.base, static_cast<std::uint32_t>(queue.size), index};
}

// Their queues.
inline std::array<PostedRing, kSim.clients> open_for_every_client(NodeJudge& judge,
                                                                  const ClientNumbers& numbers,
                                                                  Random& random) {
  std::array<PostedRing, kSim.clients> rings;
  for (std::uint32_t c = 0; c < kSim.clients; ++c)
    rings.at(c) = open_for_client(judge, {c}, numbers, random);
  // Settings that are not meant to be at work here.
  namespace node = registers::node;
  judge.device().write64(node::fifo_hold_cycles(), random.below(0x10000));
  judge.device().write64(node::credit_timeout_cycles(), random.below(std::uint64_t{1} << 32));
  judge.device().write64(node::send_retry_cycles(), 1 + random.below(1 << 24));
  judge.device().write64(node::send_retries(), random.below(256));
  judge.settle("any settings");
  judge.device().write64(node::fifo_hold_cycles(), 0);
  judge.device().write64(node::credit_timeout_cycles(), 0);
  judge.device().write64(node::send_retry_cycles(), 1 << 24);
  return rings;
}

}  // namespace torusmu::testing

#endif  // TORUSMU_TESTS_SUPPORT_EVERY_CLIENT_H_

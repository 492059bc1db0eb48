// SPDX-License-Identifier: Apache-2.0
// Where a random program keeps what: numbers of resources and addresses in node memory, by client.
#ifndef TORUSMU_TESTS_SUPPORT_RANDOM_PLACES_H_
#define TORUSMU_TESTS_SUPPORT_RANDOM_PLACES_H_

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "sim/machine/mix.h"
#include "torusmu/layout.h"
#include "torusmu/setup.h"
#include "torusmu/types.h"

namespace torusmu::testing::random_places {

enum Area : std::uint32_t { kSource, kTarget, kRequests, kReadable };

inline constexpr Bytes kSlotBytes = 32;
inline constexpr Bytes kSourceBytes = 0x11000;  // more than the longest message
inline constexpr Bytes kTargetBytes = 0x80000;
inline constexpr std::uint32_t kMostRequests = 200;
inline constexpr std::uint32_t kMostGetSlots = 512;
inline constexpr std::uint32_t kMostFifoSlots = 4096;
inline constexpr std::uint32_t kMostNotices = 1024;
inline constexpr std::uint32_t kHaltingSlots = 512;
inline constexpr std::uint32_t kReflectionSlots = 2;
inline constexpr Bytes kReflectionRingsBytes = Bytes{64} * kReflectionSlots * 7;

inline constexpr Bytes kNowhereBytes = 0x1000;

// Counters of a client, from its first on: four that arrivals count, then these.
inline constexpr std::uint32_t kArrivalCounters = 4;
inline constexpr std::uint32_t kInjectionCounter = 4, kDoneEvent = 4, kOwnCounter = 5;

// Which numbers they have is drawn over all of the node's: a number whose upper bits are lost meets
// another sooner or later.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) {
    Rng random(seed);
    for (std::vector<std::uint32_t>* each : {&regions_, &counters_, &events_, &fifos_}) {
      shuffle(*each, 0, random);
    }
    shuffle(queues_, kSim.reflection_queues, random);
  }
  [[nodiscard]] RegionId region_of(std::uint32_t client, Area area) const {
    return {regions_.at(client * 4 + area)};
  }
  // Where there is no memory.
  [[nodiscard]] RegionId nowhere_of(std::uint32_t client) const {
    return {regions_.at(40 + client)};
  }
  [[nodiscard]] std::uint32_t counter_of(std::uint32_t client, std::uint32_t i) const {
    return counters_.at(client * 16 + i);
  }
  [[nodiscard]] std::uint32_t event_of(std::uint32_t client, std::uint32_t i) const {
    return events_.at(client * 16 + i);
  }
  [[nodiscard]] FifoId fifo_of(std::uint32_t client) const { return {fifos_.at(client)}; }
  // Only one process sends there, in order: what is refused does not depend on timing.
  [[nodiscard]] FifoId small_fifo_of(std::uint32_t client) const { return {fifos_.at(3 + client)}; }
  [[nodiscard]] QueueId queue_of(std::uint32_t client) const { return {queues_.at(8 + client)}; }
  [[nodiscard]] QueueId push_queue_of(std::uint32_t client) const {
    return {queues_.at(12 + client)};
  }
  [[nodiscard]] QueueId get_queue_of(std::uint32_t client) const {
    return {queues_.at(16 + client)};
  }
  [[nodiscard]] QueueId halting_queue_of(std::uint32_t client) const {
    return {queues_.at(20 + client)};
  }
  // Those that nobody opens.
  [[nodiscard]] std::uint32_t no_region() const { return regions_.at(60); }
  [[nodiscard]] std::uint32_t no_fifo() const { return fifos_.at(7); }
  [[nodiscard]] std::uint32_t no_queue() const { return queues_.at(30); }
  // Of byte and of event counters; `any`: a number from 0 to 207.
  [[nodiscard]] std::uint32_t no_counter(std::uint32_t any) const { return beyond(counters_, any); }
  [[nodiscard]] std::uint32_t no_event(std::uint32_t any) const { return beyond(events_, any); }

 private:
  static std::vector<std::uint32_t> all(std::uint32_t size) {
    std::vector<std::uint32_t> numbers(size);
    std::iota(numbers.begin(), numbers.end(), 0U);
    return numbers;
  }
  static void shuffle(std::vector<std::uint32_t>& numbers, std::size_t first, Rng& random) {
    for (std::size_t i = numbers.size(); i > first + 1; --i) {
      std::swap(numbers[i - 1], numbers[first + random.below(i - first)]);
    }
  }
  // Most are none of the node's at all.
  static std::uint32_t beyond(const std::vector<std::uint32_t>& numbers, std::uint32_t any) {
    constexpr std::uint32_t kFirst = 48;
    return kFirst + any < numbers.size() ? numbers[kFirst + any] : kFirst + any;
  }

  std::vector<std::uint32_t> regions_ = all(kSim.regions), counters_ = all(kSim.byte_counters),
                             events_ = all(kSim.event_counters), fifos_ = all(kSim.reception_fifos),
                             queues_ = all(kSim.injection_queues);
};

inline constexpr Address ring_of(std::uint32_t client) { return 0x10000 + client * 0x1000; }
inline constexpr Address push_ring_of(std::uint32_t client) { return 0x20000 + client * 0x1000; }
inline constexpr Address kReflectionRings = 0x30000;
// In the unit's memory, a quarter for each client.
inline constexpr std::uint32_t kMostUnitGetSlots = 32;
inline constexpr Address unit_push_ring_of(std::uint32_t client) {
  return unit_memory_base(kSim) + client * (unit_memory_bytes(kSim) / kSim.clients);
}
inline constexpr Address unit_get_ring_of(std::uint32_t client) {
  return unit_push_ring_of(client) + 0x480;
}
inline constexpr Address get_ring_of(std::uint32_t client) { return 0x40000 + client * 0x12000; }
inline constexpr Address halting_ring_of(std::uint32_t client) {
  return get_ring_of(client) + 0x9000;
}
inline constexpr Address notice_ring_of(std::uint32_t client) {
  return 0x1c0000 + client * 0x10000;
}
inline constexpr Address fifo_ring_of(std::uint32_t client) { return 0x100000 + client * 0x21000; }
inline constexpr Address small_fifo_ring_of(std::uint32_t client) {
  return 0x190000 + client * 0x1000;
}
inline constexpr Address base_of(Area area, std::uint32_t client) {
  switch (area) {
    case kTarget:
      return 0x400000 + client * (kTargetBytes + 0x1000);
    case kRequests:
      return 0x90000 + client * 0x8000;
    default:
      return 0x200000 + client * 0x20000;
  }
}

}  // namespace torusmu::testing::random_places

#endif  // TORUSMU_TESTS_SUPPORT_RANDOM_PLACES_H_

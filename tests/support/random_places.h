// SPDX-License-Identifier: Apache-2.0
// Where a random program keeps what: numbers of resources and addresses in node memory, by client.
#ifndef TORUSMU_TESTS_SUPPORT_RANDOM_PLACES_H_
#define TORUSMU_TESTS_SUPPORT_RANDOM_PLACES_H_

#include <cstdint>

#include "torusmu/layout.h"
#include "torusmu/types.h"

namespace torusmu::testing::random_places {

enum Area : std::uint32_t { kSource, kTarget, kRequests, kReadable };

inline constexpr Bytes kSlotBytes = 32;
inline constexpr Bytes kSourceBytes = 0x11000;  // more than the longest message
inline constexpr Bytes kTargetBytes = 0x80000;
inline constexpr std::uint32_t kMostRequests = 200;
inline constexpr std::uint32_t kMostGetSlots = 500;
inline constexpr std::uint32_t kMostFifoSlots = 4000;
inline constexpr std::uint32_t kMostNotices = 1024;
inline constexpr std::uint32_t kHaltingSlots = 500;
inline constexpr std::uint32_t kReflectionSlots = 2;
inline constexpr Bytes kReflectionRingsBytes = Bytes{64} * kReflectionSlots * 7;

// Numbers that nobody opens.
inline constexpr std::uint32_t kNoRegion = 60, kNoFifo = 7, kNoQueue = 30, kNoCounter = 48;
inline constexpr Bytes kNowhereBytes = 0x1000;

// Counters of a client, from its first on: four that arrivals count, then these.
inline constexpr std::uint32_t kArrivalCounters = 4;
inline constexpr std::uint32_t kInjectionCounter = 4, kDoneEvent = 4, kOwnCounter = 5;

inline constexpr RegionId region_of(std::uint32_t client, Area area) { return {client * 4 + area}; }
// Where there is no memory.
inline constexpr RegionId nowhere_of(std::uint32_t client) { return {40 + client}; }
inline constexpr std::uint32_t counter_of(std::uint32_t client, std::uint32_t i) {
  return client * 16 + i;
}
inline constexpr std::uint32_t event_of(std::uint32_t client, std::uint32_t i) {
  return client * 16 + i;
}
inline constexpr FifoId fifo_of(std::uint32_t client) { return {client}; }
// Only one process sends there, in order: what is refused does not depend on timing.
inline constexpr FifoId small_fifo_of(std::uint32_t client) { return {3 + client}; }
inline constexpr QueueId halting_queue_of(std::uint32_t client) { return {20 + client}; }
inline constexpr QueueId queue_of(std::uint32_t client) { return {8 + client}; }
inline constexpr QueueId push_queue_of(std::uint32_t client) { return {12 + client}; }
inline constexpr QueueId get_queue_of(std::uint32_t client) { return {16 + client}; }

inline constexpr Address ring_of(std::uint32_t client) { return 0x10000 + client * 0x1000; }
inline constexpr Address push_ring_of(std::uint32_t client) { return 0x20000 + client * 0x1000; }
inline constexpr Address kReflectionRings = 0x30000;
inline constexpr Address get_ring_of(std::uint32_t client) { return 0x40000 + client * 0x10000; }
inline constexpr Address halting_ring_of(std::uint32_t client) {
  return get_ring_of(client) + 0x8000;
}
inline constexpr Address notice_ring_of(std::uint32_t client) {
  return 0x1c0000 + client * 0x10000;
}
inline constexpr Address fifo_ring_of(std::uint32_t client) { return 0x100000 + client * 0x20000; }
inline constexpr Address small_fifo_ring_of(std::uint32_t client) {
  return 0x180000 + client * 0x1000;
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

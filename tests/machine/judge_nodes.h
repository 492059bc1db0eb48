// SPDX-License-Identifier: Apache-2.0
// Where everything lies in the nodes of judge_test.cc, how they are set up, and how descriptors go
// bad.
#ifndef TESTS_MACHINE_JUDGE_NODES_H_
#define TESTS_MACHINE_JUDGE_NODES_H_

#include <cstdint>
#include <iterator>
#include <span>
#include <string>

#include "sim/mix.h"
#include "torusmu/device.h"
#include "torusmu/layout.h"

namespace torusmu::testing::judge {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace r = registers;

inline constexpr std::uint32_t kFlows = 4;
inline constexpr Bytes kMemory = Bytes{2} << 20;
inline constexpr std::uint32_t kClients = kSim.clients;

// Regions, a block of numbers for each use.
inline constexpr std::uint32_t kOwnData = 0;    // + client: what flows send from
inline constexpr std::uint32_t kPutTarget = 4;  // + flow
inline constexpr std::uint32_t kReadable = 8;   // + flow: what its gets may read
inline constexpr std::uint32_t kFetched =
    12;  // + id of the serving queue: where gets put to, at home
inline constexpr std::uint32_t kDisabled = 16;
inline constexpr std::uint32_t kNowhere = 17;    // + client: memory that is not there
inline constexpr std::uint32_t kReflected = 24;  // + queue of the node: where reflections put to
inline constexpr Bytes kRegionBytes = 0x4000;
inline constexpr Bytes kRegionStep = 0x4800;
inline constexpr Bytes kCarriedBytes =
    0x3000;  // of a sender's region: descriptors that its gets carry

// Byte and event counters.
inline constexpr std::uint32_t kTargetCounters = 0;    // + 4 flow + k
inline constexpr std::uint32_t kOwnCounters = 16;      // + 4 queue + k: of the sender itself
inline constexpr std::uint32_t kFetchedCounters = 32;  // + 4 id + k

inline constexpr std::uint32_t kGetQueue = 7;    // + flow
inline constexpr std::uint32_t kSendQueue = 11;  // + queue of the node
inline constexpr std::uint32_t kQueueSlots = 401;
inline constexpr std::uint32_t kReflectionSlots = 5;
inline constexpr std::uint32_t kNoticeSlots = 1024;

// Node memory.
inline constexpr Address kRegions = 0x10000;
inline constexpr Address kRings = 0x100000;  // a ring every 0x8000
inline constexpr Address kRingStep = 0x8000;
inline constexpr Address kNotices = 0x1E0000;
inline constexpr Address kReflectionRings = 0x1C0000;

inline std::uint64_t region_config(std::uint32_t owner, bool write, bool read) {
  namespace field = r::region::config_field;
  return insert(insert(insert(insert(0, field::enable, 1), field::remote_write, write),
                       field::remote_read, read),
                field::owner, owner);
}

inline void set_region(Device& device, std::uint32_t region, std::uint32_t owner, bool write,
                       bool read) {
  // Any alignment.
  device.write64(r::region::base(region), kRegions + region * kRegionStep + region);
  device.write64(r::region::length(region), kRegionBytes);
  device.write64(r::region::config(region), region_config(owner, write, read));
}

inline void set_queue(Device& device, std::uint32_t queue, std::uint32_t ring, std::uint32_t slots,
                      QueueMode mode, std::uint32_t owner, bool halts) {
  namespace field = r::injection_queue::config_field;
  device.write64(r::injection_queue::base(queue), kRings + ring * kRingStep);
  device.write64(r::injection_queue::size(queue), slots);
  device.write64(
      r::injection_queue::config(queue),
      insert(insert(insert(0, field::mode, static_cast<std::uint64_t>(mode)), field::owner, owner),
             field::halt_on_error, halts));
}

// slots 0: stays disabled.
inline void set_fifo(Device& device, std::uint32_t fifo, std::uint32_t slots, std::uint32_t owner,
                     Rng& rng) {
  namespace field = r::reception_fifo::config_field;
  const std::uint64_t interrupt = rng.below(2);
  const std::uint64_t threshold = rng.below(60);
  if (slots == 0) return;
  device.write64(r::reception_fifo::base(fifo), kRings + (16 + fifo) * kRingStep + fifo * 8);
  device.write64(r::reception_fifo::size(fifo), slots);
  device.write64(r::reception_fifo::threshold(fifo), threshold);
  device.write64(r::reception_fifo::config(fifo),
                 insert(insert(insert(0, field::enable, 1), field::interrupt, interrupt),
                        field::owner, owner));
}

inline void set_counters(Device& device, std::uint32_t number, std::uint32_t owner, Rng& rng) {
  namespace field = r::byte_counter_config::config_field;
  device.write64(r::byte_counter_config::config(number),
                 insert(insert(insert(0, field::owner, owner), field::enable, 1), field::interrupt,
                        rng.below(2)));
  device.write64(r::client_page::byte_counter(owner, number), 1 + rng.below(20'000));
  namespace event = r::event_counter_config::config_field;
  device.write64(r::event_counter_config::config(number),
                 insert(insert(0, event::owner, owner), event::enable, 1));
  device.write32(r::client_page::event_counter(owner, number),
                 static_cast<std::uint32_t>(~std::uint64_t{0} - rng.below(8)));
}

inline constexpr unsigned kReservedBits[] = {16,  23,  40,  47,  48,  63,  109, 127,
                                             165, 167, 184, 191, 224, 255, 505, 511};

inline Descriptor with_bit(const Descriptor& descriptor, unsigned bit) {
  auto bytes = descriptor.bytes();
  bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] | 1U << bit % 8);
  return Descriptor::from_bytes(bytes);
}

// Makes a descriptor bad in one way, without leading it to what belongs to another flow.
inline void spoil(Descriptor& descriptor, Rng& rng) {
  PacketHeader header = descriptor.get<d::header>();
  const std::uint32_t client = static_cast<std::uint32_t>(rng.below(kClients));
  switch (rng.below(22)) {
    case 0:
      descriptor = with_bit(descriptor, kReservedBits[rng.below(std::size(kReservedBits))]);
      return;
    case 1:
      descriptor.set<d::opcode>(static_cast<Opcode>(6 + rng.below(250)));
      return;
    case 2:
      descriptor.set<d::length>(0);
      return;
    case 3:
      descriptor.set<d::length>(descriptor.get<d::length>() + 16);
      return;
    case 4:
      descriptor.set<d::length>((Bytes{1} << 37) - 1 - rng.below(100));
      return;
    case 5:
      descriptor.set<d::source_region>(rng.chance(500) ? kDisabled : 64 + rng.below(192));
      return;
    case 6:
      descriptor.set<d::source_region>(kOwnData + client);
      return;
    case 7:
      descriptor.set<d::source_offset>(kRegionBytes - rng.below(3));
      return;
    case 8:
      descriptor.set<d::source_offset>((Bytes{1} << 37) - 1 - rng.below(100));
      return;
    case 9:
      descriptor.set<d::source_region>(kNowhere + client);
      return;
    case 10:
      header.set<h::target>(rng.chance(500) ? kDisabled : 64 + rng.below(192));
      break;
    case 11:
      header.set<h::offset>(kRegionBytes - rng.below(3));
      break;
    case 12:
      header.set<h::offset>((Bytes{1} << 37) - 1 - rng.below(600));
      break;
    case 13:
      header.set<h::dst_x>(15 - rng.below(3));
      break;
    case 14:
      header.set<h::client>(1 + rng.below(15));
      break;
    case 15:
      header.set<h::src_y>(1 + rng.below(15));
      break;
    case 16:
      header.set<h::kind>(static_cast<Kind>(1 + rng.below(6)));
      break;
    case 17:
      header.set<h::bytes>(1 + rng.below(1000));
      break;
    case 18:
      header.set<h::reply>(rng.below(2)).set<h::on_behalf>(1);
      break;
    case 19:
      descriptor.set<d::counter_valid>(1).set<d::counter>(48 + rng.below(208));
      return;
    case 20:
      descriptor.set<d::event_valid>(1).set<d::event_counter>(48 + rng.below(208));
      return;
    case 21:
      descriptor.set<d::injection_counter_valid>(1).set<d::injection_counter>(48 + rng.below(208));
      return;
  }
  descriptor.set<d::header>(header);
}

inline std::string text(std::span<const std::byte> data) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string result;
  for (const std::byte byte : data) {
    result += kDigits[static_cast<unsigned>(byte) >> 4];
    result += kDigits[static_cast<unsigned>(byte) & 15];
  }
  return result;
}

}  // namespace torusmu::testing::judge

#endif  // TESTS_MACHINE_JUDGE_NODES_H_

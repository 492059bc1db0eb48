// SPDX-License-Identifier: Apache-2.0
// model: Vmu_send_engine mu_send_engine
// bgp:
//
// Descriptors with any value in each of their fields, in any queue, whoever owns what they name.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/machine/profile.h"
#include "tests/support/injection_fixture.h"
#include "tests/support/old_count.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace r = layout::region_entry;

constexpr std::uint64_t kMemoryBegins = 0x10000, kMemoryEnds = 0xFF000;
constexpr std::uint64_t kOffsetEnd = 1ULL << 37;

class InjectionAtRandom : public InjectionFixture {
 protected:
  unsigned below(unsigned bound) { return static_cast<unsigned>(random_.below(bound)); }
  std::uint32_t word() { return static_cast<std::uint32_t>(random_.bits64()); }
  unsigned draw_percent() { return random_.chance(40) ? 100 : 20 + below(80); }

  void draw_place() {
    const unsigned last_x = below(16), last_y = below(16), last_z = below(16);
    bench_.place(below(last_x + 1), below(last_y + 1), below(last_z + 1), last_x, last_y, last_z,
                 below(8));
  }
  // Of a region that begins far before the memory only the end is there.
  RegionEntry draw_region() {
    const std::uint64_t there = kMemoryBegins + random_.below(0xE0000);
    const std::uint64_t on_pins = bench_.around.origin.to_pins(there);
    RegionEntry region;
    region.set<r::base>(there).set<r::length>(random_.below(kMemoryEnds - there));
    if (on_pins > MemoryOrigin::kSpan && random_.chance(50)) {
      const std::uint64_t most = std::min(on_pins - MemoryOrigin::kSpan, kOffsetEnd - 0x2000);
      const std::uint64_t before = random_.below(most) >> random_.below(10);
      region.set<r::base>(on_pins - before)
          .set<r::length>(before + random_.below(kMemoryEnds - there));
    }
    return region.set<r::enable>(random_.chance(98))
        .set<r::remote_read>(random_.chance(70))
        .set<r::owner>(random_.below(kProfile.clients));
  }
  void draw_surroundings() {
    draw_place();
    for (RegionEntry& region : bench_.around.regions) region = draw_region();
    for (auto* owners : {&bench_.around.counters, &bench_.around.events}) {
      for (CounterOwner& owner : *owners)
        owner = {random_.chance(95), static_cast<std::uint8_t>(below(kProfile.clients))};
    }
  }
  void draw_delays() {
    for (Reader* reader : {&bench_.fetch, &bench_.payload}) {
      reader->latency = 1 + below(40);
      reader->command_chance = draw_percent();
      reader->beat_chance = draw_percent();
    }
    bench_.request_chance = draw_percent();
    bench_.reply_chance = draw_percent();
    bench_.operation_chance = draw_percent();
  }
  // Some index, mostly of one that the owner has.
  unsigned draw_owned(const std::array<CounterOwner, 256>& owners) {
    unsigned index = below(256);
    for (int i = 0; i < 20 && (!owners[index].enable || owners[index].client != owner_); ++i)
      index = below(256);
    return index;
  }
  void draw_source(Descriptor& descriptor, QueueMode mode) {
    const auto may = [&](const RegionEntry& region) {
      return mode == QueueMode::kRemoteGet ? region.get<r::remote_read>() != 0
                                           : region.get<r::owner>() == owner_;
    };
    unsigned index = below(256);
    for (int i = 0; i < 20 && !may(bench_.around.regions[index]); ++i) index = below(256);
    const RegionEntry& region = bench_.around.regions[index];
    const std::uint64_t length = region.get<r::length>();
    const std::uint64_t near_end = std::min<std::uint64_t>(length, 1 + random_.below(3000));
    const std::uint64_t base = region.get<r::base>();
    const std::uint64_t offset = base >= MemoryOrigin::kSpan || random_.chance(50)
                                     ? length - near_end
                                     : random_.below(length + 1);
    descriptor.set<d::source_region>(index).set<d::source_offset>(offset % kOffsetEnd);
  }
  std::uint64_t draw_length(Opcode opcode, bool immediate) {
    if (opcode == Opcode::kGet) return 64 * (1 + random_.below(8));
    if (immediate) return 1 + random_.below(16);
    return random_.chance(50) ? 1 + random_.below(100) : 1 + random_.below(1600);
  }
  PacketHeader draw_image(QueueMode mode, std::uint64_t length) {
    const Coordinates& last = bench_.around.last;
    PacketHeader image;
    image.set<h::dst_x>(below(last.x + 1))
        .set<h::dst_y>(below(last.y + 1))
        .set<h::dst_z>(below(last.z + 1))
        .set<h::target>(below(256))
        .set<h::offset>(random_.chance(20) ? kOffsetEnd - length
                                           : random_.bits64() % (kOffsetEnd - length))
        .set<h::word>(word());
    if (mode == QueueMode::kRemoteGet || mode == QueueMode::kReflection) {
      image.set<h::src_x>(image.get<h::dst_x>())
          .set<h::src_y>(image.get<h::dst_y>())
          .set<h::src_z>(image.get<h::dst_z>())
          .set<h::client>(below(16));
    }
    return image;
  }
  Opcode draw_opcode(QueueMode mode) {
    if (random_.chance(60)) return Opcode::kPut;
    if (random_.chance(50)) return Opcode::kFifo;
    const bool here = mode == QueueMode::kDoorbell || mode == QueueMode::kPush;
    const Opcode others[] = {Opcode::kNop, Opcode::kGet, Opcode::kCtrAdd, Opcode::kCtrSet};
    return here ? others[below(4)] : Opcode::kNop;
  }
  Descriptor draw_good(QueueMode mode) {
    const Opcode opcode = draw_opcode(mode);
    const bool here = mode == QueueMode::kDoorbell || mode == QueueMode::kPush;
    const bool moves = opcode == Opcode::kPut || opcode == Opcode::kFifo || opcode == Opcode::kGet;
    const bool counts = opcode == Opcode::kCtrAdd || opcode == Opcode::kCtrSet;
    const bool immediate =
        opcode != Opcode::kGet && (mode == QueueMode::kReflection || random_.chance(40));
    const std::uint64_t length = draw_length(opcode, immediate);
    Descriptor descriptor;
    draw_source(descriptor, mode);
    std::array<std::uint8_t, 16> payload;
    for (auto& byte : payload) byte = static_cast<std::uint8_t>(random_.bits64());
    const bool of_event = random_.chance(50);
    descriptor.set<d::opcode>(opcode)
        .set<d::length>(length)
        .set<d::immediate>(payload)
        .set<d::immediate_valid>(immediate)
        .set<d::header>(draw_image(mode, length))
        .set<d::sequence_number>(word())
        .set<d::counter>(counts ? draw_owned(bench_.around.counters) : below(256))
        .set<d::event_counter>(counts ? draw_owned(bench_.around.events) : below(256))
        .set<d::counter_valid>(counts ? !of_event : random_.chance(50))
        .set<d::event_valid>(counts ? of_event : random_.chance(50))
        .set<d::interrupt_target>(random_.chance(50))
        .set<d::injection_counter>(draw_owned(bench_.around.counters))
        .set<d::done_event>(draw_owned(bench_.around.events));
    if (here) {
      descriptor.set<d::injection_counter_valid>(moves && random_.chance(40))
          .set<d::done_event_valid>(random_.chance(40))
          .set<d::interrupt_done>(random_.chance(40));
    }
    if (mode == QueueMode::kReflection) descriptor.set<d::reflection_number>(below(0x10000));
    return descriptor;
  }
  // Mostly one that can run; if not, one that ends at once.
  Descriptor draw_descriptor(QueueMode mode) {
    const Descriptor good = draw_good(mode);
    if (!random_.chance(15)) return good;
    auto bytes = good.bytes();
    const unsigned bit = below(Descriptor::kBits);
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ 1U << bit % 8);
    const auto spoilt = Descriptor::from_bytes(bytes);
    // An entry that no completion queue takes would be one error more.
    if (spoilt.get<d::signal>() != 0) return good;
    // What is not for this bench to follow: other opcodes, and sources where no memory is.
    const bool others = spoilt.get<d::opcode>() != good.get<d::opcode>() ||
                        spoilt.get<d::reflect>() != 0 ||
                        spoilt.get<d::source_region>() != good.get<d::source_region>() ||
                        spoilt.get<d::source_offset>() != good.get<d::source_offset>() ||
                        spoilt.get<d::immediate_valid>() != good.get<d::immediate_valid>();
    const bool runs = expected_status(bench_.around, spoilt, origin(0, mode)) == Status::kOk;
    return others && runs ? good : spoilt;
  }
  void run_one_queue() {
    forget();
    draw_delays();
    const QueueMode modes[] = {QueueMode::kDoorbell, QueueMode::kDoorbell, QueueMode::kPush,
                               QueueMode::kRemoteGet, QueueMode::kReflection};
    const QueueMode mode = modes[below(5)];
    queue_ = below(mode == QueueMode::kReflection ? 7 : 32);
    owner_ = random_.below(kProfile.clients);
    const std::uint32_t first = old_count(random_);
    const std::uint32_t size = 1U << below(5);
    const bool halts = random_.chance(20);
    bench_.make_queue(queue_, kRing + random_.below(0x8000), size, mode, owner_, halts);
    bench_.make_old(queue_, first, 0);
    std::vector<Descriptor> descriptors;
    const unsigned count = halts ? std::min(size, 6U) : 6;
    for (unsigned i = 0; i < count; ++i) descriptors.push_back(draw_descriptor(mode));
    run_in_queue(descriptors, size, mode, halts, first);
    sent_ += bench_.requests.size() + bench_.replies.size();
    if (mode == QueueMode::kReflection) {
      EXPECT_TRUE(bench_.requests.empty());
    }
    bench_.make_queue(queue_, kRing, 1, QueueMode::kOff);
  }

  std::size_t sent_ = 0;  // packets
};

TEST_F(InjectionAtRandom, SendsWhatDescriptorsSay) {
  for (int i = 0; i < 300 && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    if (i % 5 == 0) draw_surroundings();
    run_one_queue();
  }
  EXPECT_GT(sent_, 900U);
}

}  // namespace
}  // namespace torusmu::testing

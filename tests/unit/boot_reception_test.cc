// SPDX-License-Identifier: Apache-2.0
// model: Vmu_reception_engine mu_reception_engine --output-split-cfuncs 200000
//
// Reception with boot buffers: a process that is not there yet, and its first moments.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/support/reception_fixture.h"
#include "tests/support/register_bus.h"

namespace torusmu::testing {
namespace {

namespace b = registers::boot_buffer;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

constexpr std::uint64_t kBoot = 8;
constexpr std::uint64_t kOpen = 1ULL << 32;
constexpr std::uint32_t kFifo = 3;
constexpr std::uint32_t kClient = 2;
constexpr std::uint64_t kOwner = kClient << kOwnerLsb;

class BootReception : public ReceptionEngine {
 protected:
  BootReception() { configure(kBoot | kOwner); }

  void configure(std::uint64_t config) {
    bench.set(true, registers::reception_fifo::config(kFifo), config);
  }
  std::uint64_t read(std::uint32_t address) {
    const RegisterResponse answer = bench.boot_access(register_read(address));
    EXPECT_EQ(answer.get<layout::register_response::status>(), Status::kOk);
    return answer.get<layout::register_response::data>();
  }
  static Packet packet(std::size_t bytes, std::uint32_t number = 0) {
    Packet made = packet_of(Kind::kFifo, false, kFifo, bytes);
    made.header.set<h::word>(number);
    made.seal();
    return made;
  }
  // The bytes in slots head..tail of the client's buffer, which are freed then.
  Bytes take() {
    Bytes bytes;
    const std::uint64_t tail = read(b::tail(kClient)) & 0xFFFFFFFF;
    for (std::uint64_t slot = read(b::head(kClient)); slot != tail; ++slot) {
      for (std::uint32_t word = 0; word < 4; ++word) {
        const auto index = static_cast<std::uint32_t>(slot % 128 * 4 + word);
        const std::uint64_t value = read(b::data(kClient, index));
        for (unsigned i = 0; i < 8; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> 8 * i));
      }
    }
    const RegisterResponse answer = bench.boot_access(register_write(b::head(kClient), tail));
    EXPECT_EQ(answer.get<layout::register_response::status>(), Status::kOk);
    return bytes;
  }
  static void append(Bytes& all, const Packet& packet) {
    const Bytes entry = model::ring_entry(packet, 32);
    all.insert(all.end(), entry.begin(), entry.end());
  }
  std::vector<std::uint64_t> notices() const {
    std::vector<std::uint64_t> statuses;
    for (const Packet& back : bench.packets_back) {
      EXPECT_EQ(back.header.get<h::kind>(), Kind::kNotice);
      statuses.push_back(back.header.get<h::word>() & 0xFF);
    }
    return statuses;
  }
};

TEST_F(BootReception, KeepsPacketsAsTheFifoWouldHaveThem) {
  Bytes wanted;
  for (const std::size_t bytes : {0U, 1U, 32U, 33U, 200U, 512U}) {
    bench.send(packet(bytes));
    append(wanted, packet(bytes));
  }
  bench.drain();
  EXPECT_EQ(take(), wanted);
  EXPECT_TRUE(bench.parts.empty() && bench.packets_back.empty());
  EXPECT_EQ(read(b::data(kClient, 0)), 0U);
  EXPECT_EQ(std::count(bench.causes.begin(), bench.causes.end(), 0U), 32);
}

TEST_F(BootReception, TakesNothingThatCountsAndNoReply) {
  Packet counted = packet(40);
  counted.trailer.set<t::counter>(kClient).set<t::counter_valid>(1);
  counted.seal();
  Packet bumping = packet(40);
  bumping.trailer.set<t::event_counter>(kClient).set<t::event_valid>(1);
  bumping.seal();
  Packet foreign = packet(40);
  foreign.header.set<h::on_behalf>(1).set<h::client>(1);
  foreign.seal();
  bench.send(counted);
  bench.send(bumping);
  bench.send(foreign);
  bench.send(packet_of(Kind::kFifo, true, kFifo, 20));
  bench.drain();
  const std::vector<std::uint64_t> wanted = {static_cast<std::uint64_t>(Status::kFifoInvalid),
                                             static_cast<std::uint64_t>(Status::kFifoInvalid),
                                             static_cast<std::uint64_t>(Status::kPermission)};
  EXPECT_EQ(notices(), wanted);
  EXPECT_EQ(bench.dropped_replies, 1U);
  EXPECT_EQ(read(b::tail(kClient)), kOpen);
  EXPECT_EQ(read(b::refused(kClient)), 0U);
}

TEST_F(BootReception, RefusesAtOnceAndForGoodWhatFindsNoRoom) {
  bench->fifo_hold_cycles_i = 10000;
  for (std::uint32_t i = 0; i < 8; ++i) bench.send(packet(512, i));
  bench.send(packet(0, 8));
  bench.drain(2000);
  const std::vector<std::uint64_t> wanted(2, static_cast<std::uint64_t>(Status::kFifoFull));
  EXPECT_EQ(notices(), wanted);
  EXPECT_EQ(read(b::refused(kClient)), 2U);
  EXPECT_EQ(read(b::tail(kClient)), kOpen | 7 * 17);
  take();
  bench.send(packet(0, 8));  // it would overtake the one before
  bench.drain(2000);
  EXPECT_EQ(notices().size(), 3U);
  configure(kBoot | kOwner);
  bench.send(packet(0, 9));
  bench.drain();
  EXPECT_EQ(read(b::tail(kClient)), kOpen | 1);
}

TEST_F(BootReception, TakesAFullPacketEvery34Cycles) {
  for (unsigned i = 0; i < 7; ++i) bench.send(packet(512));
  const std::uint64_t start = bench.cycle();
  while (!bench.all_sent()) bench.tick();
  EXPECT_LE(bench.cycle() - start, 7 * 34 + 2U);
}

TEST_F(BootReception, KeepsTheOrderOfRequestsOfAllKinds) {
  bench.memory_chance = 30;
  Bytes wanted;
  for (std::uint32_t i = 0; i < 10; ++i) {
    bench.send(packet_of(Kind::kPut, false, 0, 32 + i));
    bench.send(packet(20 + i, i));
    append(wanted, packet(20 + i, i));
  }
  bench.drain();
  ASSERT_EQ(bench.parts.size(), 10U);
  for (std::uint32_t i = 0; i < 10; ++i) EXPECT_EQ(bench.parts[i].bytes, 32 + i);
  EXPECT_EQ(take(), wanted);
}

TEST_F(BootReception, SwitchesToTheFifoBetweenTwoPackets) {
  SCOPED_TRACE(random.replay());
  unsigned mixed = 0;
  for (unsigned round = 0; round < 60; ++round) {
    configure(kBoot | kOwner);
    bench.set(true, registers::reception_fifo::base(kFifo), 0x80000);
    bench.set(true, registers::reception_fifo::size(kFifo), 400);
    bench.parts.clear();
    bench.flit_chance = random.chance(50) ? 100 : 60;
    std::vector<Packet> sent;
    for (std::uint32_t i = 0; i < 12; ++i) {
      sent.push_back(packet(random.below(300), i));
      bench.send(sent.back());
    }
    bench.ticks(static_cast<unsigned>(random.below(300)));
    configure(kEnable | kOwner);
    // What the process does: it empties the buffer until nothing more can come.
    Bytes found;
    for (bool open = true; open || read(b::head(kClient)) != read(b::tail(kClient));) {
      open = (read(b::tail(kClient)) & kOpen) != 0;
      const Bytes more = take();
      found.insert(found.end(), more.begin(), more.end());
    }
    bench.drain();
    EXPECT_EQ(read(b::tail(kClient)), read(b::head(kClient)));
    mixed += !found.empty() && !bench.parts.empty() ? 1 : 0;
    for (const Part& part : bench.parts) {
      found.insert(found.end(), part.data.begin(), part.data.end());
    }
    Bytes wanted;
    for (const Packet& each : sent) append(wanted, each);
    ASSERT_EQ(found, wanted) << "round " << round;
    ASSERT_TRUE(bench.packets_back.empty());
    configure(kOwner);
  }
  EXPECT_GT(mixed, 20U);
}

TEST_F(BootReception, GivesNothingOnItsWayToTheNextOwner) {
  SCOPED_TRACE(random.replay());
  for (unsigned round = 0; round < 40; ++round) {
    bench.send(packet(512, 1));
    bench.ticks(20 + static_cast<unsigned>(random.below(50)));
    configure(kBoot | kOwner);
    const bool late = !bench.all_sent();  // then it comes after the opening
    bench.drain();
    if (!late) {
      const Bytes found = take();
      EXPECT_TRUE(found.empty() || found == model::ring_entry(packet(512, 1), 32)) << round;
    }
    bench.send(packet(3, 2));
    configure(kOwner);
    bench.drain();
    configure(kBoot | kOwner);
    EXPECT_TRUE(take().empty());
    bench.packets_back.clear();
  }
}

TEST_F(BootReception, ChangesNothingWhileItSaysThatItIsAtRest) {
  SCOPED_TRACE(random.replay());
  bench.flit_chance = 20;
  unsigned rests = 0;
  for (unsigned round = 0; round < 300; ++round) {
    if (random.chance(50)) bench.send(packet(random.below(513)));
    if (random.chance(20)) take();
    if (random.chance(5)) configure(kBoot | kOwner);
    for (unsigned i = 0; i < 40; ++i) {
      bench.tick();
      if (!bench.at_rest()) continue;
      ++rests;
      ASSERT_TRUE(bench.another_cycle_changes_nothing());
    }
  }
  EXPECT_GT(rests, 1000U);
}

}  // namespace
}  // namespace torusmu::testing

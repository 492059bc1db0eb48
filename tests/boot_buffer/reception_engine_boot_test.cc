// SPDX-License-Identifier: Apache-2.0
// model: Vmu_reception_engine mu_reception_engine --output-split-cfuncs 200000
// bgp:
//
// Reception with boot buffers: a process that is not there yet, and its first moments.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "tests/support/reception_fixture.h"
#include "tests/support/register_bus.h"

namespace torusmu::testing {
namespace {

namespace b = registers::boot_buffer;
namespace f = registers::reception_fifo;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;
namespace a = layout::write_action;

constexpr std::uint64_t kBoot = 8;
constexpr std::uint64_t kOpen = 1ULL << 32;
constexpr std::uint32_t kFifo = 3, kOtherFifo = 5;
constexpr std::uint32_t kClient = 2, kOtherClient = 1;
constexpr std::uint64_t kOwner = kClient << kOwnerLsb, kOtherOwner = kOtherClient << kOwnerLsb;
constexpr Address kBase = 0x80000, kOtherBase = 0xA0000;
constexpr std::uint32_t kSlots = 512;

class BootReception : public ReceptionEngine {
 protected:
  BootReception() {
    for (const auto& [fifo, base] : {std::pair(kFifo, kBase), std::pair(kOtherFifo, kOtherBase)}) {
      bench.set(true, f::base(fifo), base);
      bench.set(true, f::size(fifo), kSlots);
    }
    configure(kBoot | kOwner);
  }

  void configure(std::uint64_t config, std::uint32_t fifo = kFifo) {
    bench.set(true, f::config(fifo), config);
  }
  std::uint64_t read(std::uint32_t address) {
    const RegisterResponse answer = bench.boot_access(register_read(address));
    EXPECT_EQ(answer.get<layout::register_response::status>(), Status::kOk);
    return answer.get<layout::register_response::data>();
  }
  static Packet packet(std::size_t bytes, std::uint32_t number = 0, std::uint32_t fifo = kFifo) {
    Packet made = packet_of(Kind::kFifo, false, fifo, bytes);
    made.header.set<h::word>(number);
    made.seal();
    return made;
  }
  static Bytes entries_of(const std::vector<Packet>& packets) {
    Bytes all;
    for (const Packet& packet : packets) {
      const Bytes entry = model::ring_entry(packet, 32);
      all.insert(all.end(), entry.begin(), entry.end());
    }
    return all;
  }
  // What has been written at addresses from `base` on, one behind the other.
  Bytes stored(Address base = kBase) const {
    Bytes all;
    for (const Part& part : bench.parts) {
      if (part.address < base || part.address >= base + 0x10000) continue;
      EXPECT_EQ(part.address, base + all.size()) << "not where the one before ends";
      all.insert(all.end(), part.data.begin(), part.data.end());
    }
    return all;
  }
  std::vector<std::uint64_t> notices() const {
    std::vector<std::uint64_t> statuses;
    for (const Packet& back : bench.packets_back) {
      EXPECT_EQ(back.header.get<h::kind>(), Kind::kNotice);
      statuses.push_back(back.header.get<h::word>() & 0xFF);
    }
    return statuses;
  }
  std::vector<Packet> send_many(unsigned count, std::size_t bytes, std::uint32_t fifo = kFifo) {
    std::vector<Packet> sent;
    for (std::uint32_t i = 0; i < count; ++i) {
      sent.push_back(packet(bytes, i, fifo));
      bench.send(sent.back());
    }
    return sent;
  }
};

TEST_F(BootReception, KeepsPacketsUntilTheFifoIsThereAndMovesThemThen) {
  std::vector<Packet> sent;
  for (const std::size_t bytes : {0U, 1U, 32U, 33U, 200U, 512U}) {
    sent.push_back(packet(bytes));
    bench.send(sent.back());
  }
  bench.drain();
  EXPECT_TRUE(bench.parts.empty() && bench.packets_back.empty());
  EXPECT_EQ(read(b::tail(kClient)), kOpen | 33);
  EXPECT_EQ(read(b::head(kClient)), 0U);
  configure(kEnable | kOwner);
  bench.drain();
  EXPECT_EQ(stored(), entries_of(sent));
  EXPECT_EQ(read(b::tail(kClient)), 33U);
  EXPECT_EQ(read(b::head(kClient)), 33U);
  EXPECT_EQ(bench.get(true, f::tail(kFifo)), 33U);
  EXPECT_TRUE(bench.packets_back.empty());
}

TEST_F(BootReception, MovesThemAsIfTheyCameOnlyThen) {
  bench.set(true, f::threshold(kFifo), 3);
  Packet last = packet(40);
  last.trailer.set<t::interrupt>(1);
  last.seal();
  bench.send(packet(40));
  bench.send(last);
  bench.drain();
  EXPECT_EQ(std::count(bench.causes.begin(), bench.causes.end(), 0U), std::ssize(bench.causes));
  configure(kEnable | kTellsArrived | kOwner);
  bench.drain();
  ASSERT_EQ(bench.parts.size(), 2U);
  for (const Part& part : bench.parts) {
    EXPECT_EQ(part.action.get<a::action>(), Action::kFifo);
    EXPECT_EQ(part.action.get<a::client>(), kClient);
    EXPECT_EQ(part.action.get<a::amount>(), 3U);
  }
  EXPECT_EQ(bench.parts[0].action.get<a::interrupt>(), 0U);
  EXPECT_EQ(bench.parts[1].action.get<a::interrupt>(), 1U);
  const auto cause = [&](Cause c) { return bench.causes[kClient * 8 + static_cast<unsigned>(c)]; };
  EXPECT_EQ(cause(Cause::kArrived), 2U);
  EXPECT_EQ(cause(Cause::kFifoThreshold), 1U);
}

TEST_F(BootReception, KeepsEveryBitOfAPacket) {
  SCOPED_TRACE(random.replay());
  for (unsigned round = 0; round < 50; ++round) {
    configure(kBoot | kOwner);
    bench.parts.clear();
    std::vector<Packet> sent;
    for (unsigned i = 0; i < 5; ++i) {
      Packet any = packet(random.below(513), static_cast<std::uint32_t>(random.bits64()));
      any.payload = random_bytes(random, any.payload.size());
      any.header.set<h::offset>(random.bits64() & ((1ULL << 37) - 1))
          .set<h::client>(random.below(16))
          .set<h::src_x>(random.below(16))
          .set<h::src_y>(random.below(16))
          .set<h::src_z>(random.below(16))
          .set<h::dst_x>(random.below(16))
          .set<h::dst_y>(random.below(16))
          .set<h::dst_z>(random.below(16));
      if (random.chance(30)) any.header.set<h::on_behalf>(1).set<h::client>(kClient);
      any.trailer.set<t::queue>(random.below(256))
          .set<t::counter>(random.below(256))
          .set<t::event_counter>(random.below(256))
          .set<t::index>(random.bits64() & 0xFFFFFFFF)
          .set<t::sequence_number>(random.bits64() & 0xFFFFFFFF)
          .set<t::last>(random.below(2))
          .set<t::interrupt>(random.below(2))
          .set<t::reflected>(random.below(2))
          .set<t::dynamic>(random.below(2))
          .set<t::doubtful>(random.below(2));
      any.seal();
      bench.send(any);
      sent.push_back(any);
    }
    bench.drain();
    configure(kEnable | kOwner);
    bench.drain();
    ASSERT_EQ(stored(), entries_of(sent)) << "round " << round;
    configure(kOwner);
  }
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
  bench.send(packet(0, 8));  // it would overtake the one before
  bench.drain(2000);
  const std::vector<std::uint64_t> wanted(2, static_cast<std::uint64_t>(Status::kFifoFull));
  EXPECT_EQ(notices(), wanted);
  EXPECT_EQ(read(b::refused(kClient)), 2U);
  EXPECT_EQ(read(b::tail(kClient)), kOpen | 7 * 17);
  configure(kBoot | kOwner);
  bench.send(packet(0, 9));
  bench.drain();
  EXPECT_EQ(read(b::tail(kClient)), kOpen | 1);
}

// The clock of requests stands still while there is none, but for the cycle of a switch.
TEST_F(BootReception, SwitchesThoughNoRequestHasCome) {
  bench.stops_clocks = true;
  configure(kOwner);
  configure(kBoot | kOtherOwner);
  const std::vector<Packet> sent = send_many(2, 40);
  bench.drain();
  EXPECT_EQ(read(b::tail(kOtherClient)), kOpen | 6);
  EXPECT_EQ(read(b::tail(kClient)), 0U);
  configure(kEnable | kOtherOwner);
  bench.drain();
  EXPECT_EQ(stored(), entries_of(sent));
}

TEST_F(BootReception, TakesAFullPacketEvery34Cycles) {
  for (unsigned i = 0; i < 7; ++i) bench.send(packet(512));
  const std::uint64_t start = bench.cycle();
  while (!bench.all_sent()) bench.tick();
  EXPECT_LE(bench.cycle() - start, 7 * 34 + 2U);
}

TEST_F(BootReception, MovesAFullPacketEvery24Cycles) {
  for (unsigned i = 0; i < 7; ++i) bench.send(packet(512));
  bench.drain();
  configure(kEnable | kOwner);
  bench.drain();
  ASSERT_EQ(bench.parts.size(), 7U);
  EXPECT_LE(bench.parts[6].cycle - bench.parts[0].cycle, 6 * 24U);
}

TEST_F(BootReception, KeepsTheOrderOfRequestsOfOtherKinds) {
  bench.memory_chance = 30;
  std::vector<Packet> sent;
  for (std::uint32_t i = 0; i < 10; ++i) {
    bench.send(packet_of(Kind::kPut, false, 0, 32 + i));
    sent.push_back(packet(20 + i, i));
    bench.send(sent.back());
  }
  bench.drain();
  ASSERT_EQ(bench.parts.size(), 10U);
  for (std::uint32_t i = 0; i < 10; ++i) EXPECT_EQ(bench.parts[i].bytes, 32 + i);
  configure(kEnable | kOwner);
  bench.drain();
  EXPECT_EQ(stored(), entries_of(sent));
}

// Packets come all the time, before the switch, in it and behind it.
TEST_F(BootReception, SwitchesToTheFifoBetweenTwoPackets) {
  SCOPED_TRACE(random.replay());
  unsigned mixed = 0;
  for (unsigned round = 0; round < 100; ++round) {
    configure(kBoot | kOwner);
    bench.parts.clear();
    bench.flit_chance = random.chance(50) ? 100 : 60;
    bench.memory_chance = random.chance(50) ? 100 : 40;
    std::vector<Packet> sent;
    for (std::uint32_t i = 0; i < 12; ++i) {
      sent.push_back(packet(random.below(300), i));
      bench.send(sent.back());
    }
    bench.ticks(static_cast<unsigned>(random.below(300)));
    configure(kEnable | kOwner);
    const bool late = !bench.all_sent();
    bench.drain();
    const std::uint64_t kept = read(b::tail(kClient));
    EXPECT_EQ(kept, read(b::head(kClient)));
    mixed += late && kept != 0 ? 1 : 0;
    ASSERT_EQ(stored(), entries_of(sent)) << "round " << round;
    ASSERT_TRUE(bench.packets_back.empty());
    configure(kOwner);
  }
  EXPECT_GT(mixed, 20U);
}

// A request of any kind that comes behind the switch waits until the buffer is empty.
TEST_F(BootReception, TakesOtherRequestsBehindWhatItMoves) {
  auto& queue = bench.queues[4];
  queue = {.mode = QueueMode::kRemoteGet, .base = 0xC0000, .size = 16};
  for (const Kind kind : {Kind::kPut, Kind::kGet, Kind::kSend}) {
    SCOPED_TRACE(name_of(kind));
    configure(kBoot | kOwner);
    bench.parts.clear();
    bench.packets_back.clear();
    const std::vector<Packet> sent = send_many(6, 100);
    bench.drain();
    bench.memory_stopped = true;
    configure(kEnable | kOwner);
    bench.send(packet_of(kind, false, kind == Kind::kGet ? 4 : 0,
                         kind == Kind::kPut || kind == Kind::kGet ? 64 : 0));
    bench.send(packet(10, 99));
    bench.ticks(100);
    EXPECT_TRUE(bench.parts.empty() && bench.packets_back.empty());
    bench.memory_stopped = false;
    bench.drain();
    std::vector<Packet> all = sent;
    all.push_back(packet(10, 99));
    EXPECT_EQ(stored(), entries_of(all));
    if (kind == Kind::kSend) {
      EXPECT_EQ(bench.packets_back.size(), 1U);
      continue;
    }
    ASSERT_EQ(bench.parts.size(), 8U);
    EXPECT_NE(bench.parts[6].address & 0xF0000, kBase);
  }
}

TEST_F(BootReception, SwitchedInAnyCycleLeavesARequestOfTheNetworkWhole) {
  for (unsigned cycle = 0; cycle < 20; ++cycle) {
    SCOPED_TRACE(cycle);
    bench.parts.clear();
    const std::vector<Packet> sent = send_many(2, 40);
    bench.drain();
    const Packet put = packet_of(Kind::kPut, false, 0, 64);
    bench.send(put);
    bench.ticks(cycle);
    configure(kEnable | kOwner);
    bench.drain();
    ASSERT_EQ(stored(), entries_of(sent));
    ASSERT_EQ(bench.parts.size(), 3U);
    EXPECT_EQ(std::ranges::count(bench.parts, put.payload, &Part::data), 1);
    configure(kBoot | kOwner);
  }
}

TEST_F(BootReception, OfTwoClientsAreMovedBeforeAnythingElse) {
  SCOPED_TRACE(random.replay());
  for (unsigned round = 0; round < 40; ++round) {
    configure(kBoot | kOwner);
    configure(kBoot | kOtherOwner, kOtherFifo);
    bench.parts.clear();
    std::vector<Packet> own, other;
    for (std::uint32_t i = 0; i < 16; ++i) {
      const bool to_own = random.chance(50);
      const Packet each = packet(random.below(100), i, to_own ? kFifo : kOtherFifo);
      (to_own ? own : other).push_back(each);
      bench.send(each);
    }
    bench.ticks(static_cast<unsigned>(random.below(200)));
    configure(kEnable | kOwner);
    bench.ticks(static_cast<unsigned>(random.below(60)));
    configure(kEnable | kOtherOwner, kOtherFifo);
    bench.drain();
    ASSERT_EQ(stored(kBase), entries_of(own));
    ASSERT_EQ(stored(kOtherBase), entries_of(other));
    ASSERT_TRUE(bench.packets_back.empty());
  }
}

// --- a FIFO that is too small -------------------------------------------------------------------

TEST_F(BootReception, RefusesWhatTheFifoHasNoRoomFor) {
  bench.set(true, f::size(kFifo), 32);
  const std::vector<Packet> sent = send_many(8, 160);  // of 6 slots
  bench.drain();
  configure(kEnable | kOwner);
  bench.drain();
  EXPECT_EQ(stored(), entries_of({sent.begin(), sent.begin() + 5}));
  const std::vector<std::uint64_t> wanted(3, static_cast<std::uint64_t>(Status::kFifoFull));
  EXPECT_EQ(notices(), wanted);
  EXPECT_EQ(read(b::head(kClient)), 48U);
  EXPECT_EQ(read(b::refused(kClient)), 0U);
  EXPECT_EQ(bench.get(true, f::refused(kFifo)), 3U);
}

// It holds up requests until then, and no reply.
TEST_F(BootReception, HoldsOneThatFindsNoRoomForTheHoldTime) {
  bench->fifo_hold_cycles_i = 500;
  bench.set(true, f::size(kFifo), 32);
  const std::vector<Packet> sent = send_many(7, 160);
  bench.drain();
  configure(kEnable | kOwner);
  bench.ticks(100);
  ASSERT_EQ(bench.parts.size(), 5U);
  bench.send(packet_of(Kind::kPut, false, 0, 64));
  bench.send(packet_of(Kind::kPut, true, 0, 32));
  bench.ticks(100);
  ASSERT_EQ(bench.parts.size(), 6U);
  EXPECT_EQ(bench.parts[5].port, Port::kReply);
  EXPECT_TRUE(bench.packets_back.empty());
  EXPECT_EQ(bench.move_head(kClient, kFifo, 12), Status::kOk);
  bench.drain();
  EXPECT_TRUE(bench.packets_back.empty());
  ASSERT_EQ(bench.parts.size(), 10U);  // the sixth lies round the end of the FIFO
  EXPECT_EQ(bench.parts[9].address & 0xF0000, 0x10000U);
  Bytes moved;
  for (const unsigned i : {0U, 1U, 2U, 3U, 4U, 6U, 7U, 8U}) {
    moved.insert(moved.end(), bench.parts[i].data.begin(), bench.parts[i].data.end());
  }
  EXPECT_EQ(moved, entries_of(sent));
}

// It has been looked up, and so comes before what is moved.
TEST_F(BootReception, MovesNothingWhileARequestOfTheNetworkIsHeld) {
  bench.set(true, f::size(kOtherFifo), 32);
  configure(kEnable | kOtherOwner, kOtherFifo);
  send_many(3, 100);
  bench.send(packet(512, 0, kOtherFifo));
  bench.drain();
  ASSERT_EQ(bench.parts.size(), 1U);
  bench->fifo_hold_cycles_i = 300;
  bench.send(packet(512, 1, kOtherFifo));
  bench.ticks(50);
  configure(kEnable | kOwner);
  bench.ticks(150);
  EXPECT_EQ(bench.parts.size(), 1U);
  ASSERT_EQ(bench.move_head(kOtherClient, kOtherFifo, 17), Status::kOk);
  bench.drain();
  EXPECT_TRUE(bench.packets_back.empty());
  ASSERT_EQ(bench.parts.size(), 6U);
  for (unsigned i = 1; i < 3; ++i) {
    EXPECT_GE(bench.parts[i].address, kOtherBase) << "the one that was held";
  }
}

TEST_F(BootReception, RefusesAtTheEndOfTheHoldTime) {
  bench->fifo_hold_cycles_i = 500;
  bench.set(true, f::size(kFifo), 32);
  send_many(7, 160);
  bench.drain();
  configure(kEnable | kOwner);
  bench.send(packet_of(Kind::kPut, false, 0, 64));
  bench.ticks(400);
  EXPECT_TRUE(bench.packets_back.empty());
  bench.drain(600);
  EXPECT_EQ(notices().size(), 2U);
  EXPECT_EQ(bench.parts.size(), 6U);
}

// --- nothing for the next owner -----------------------------------------------------------------

TEST_F(BootReception, ClosedWithNeitherBitMovesNothing) {
  send_many(4, 100);
  bench.drain();
  configure(kOwner);
  bench.ticks(50);
  configure(kEnable | kOwner);
  bench.drain();
  EXPECT_TRUE(bench.parts.empty() && bench.packets_back.empty());
  EXPECT_EQ(read(b::head(kClient)), 0U);
}

TEST_F(BootReception, MovesNothingIntoAFifoThatIsNotTheOwnersOrTakesNoRequests) {
  for (const std::uint64_t config : {kEnable | kOtherOwner, kEnable | kReplyOnly | kOwner}) {
    configure(kBoot | kOwner);
    send_many(4, 100);
    bench.drain();
    configure(config);
    bench.drain();
    configure(kEnable | kOwner);
    bench.drain();
    EXPECT_TRUE(bench.parts.empty() && bench.packets_back.empty());
  }
}

TEST_F(BootReception, GivesNothingOnItsWayToTheNextOwner) {
  SCOPED_TRACE(random.replay());
  for (unsigned round = 0; round < 60; ++round) {
    bench.parts.clear();
    bench.packets_back.clear();
    bench.send(packet(512, 1));
    bench.ticks(20 + static_cast<unsigned>(random.below(50)));
    configure(kBoot | kOwner);
    const bool late = !bench.all_sent();  // then it comes after the opening
    bench.drain();
    bench.send(packet(3, 2));
    bench.drain();
    configure(kEnable | kOwner);
    bench.drain();
    const Bytes found = stored();
    if (!late && found != entries_of({packet(512, 1), packet(3, 2)})) {
      EXPECT_EQ(found, entries_of({packet(3, 2)}));
    }
    configure(kBoot | kOwner);
  }
}

// What has begun to move is in the FIFO of before, whole; all else is gone, and no notice tells of
// it.
TEST_F(BootReception, OpenedAnewWhileItMovesDropsTheRest) {
  SCOPED_TRACE(random.replay());
  unsigned cut = 0;
  for (unsigned round = 0; round < 150; ++round) {
    SCOPED_TRACE(round);
    const bool same_owner = random.chance(50);
    const bool same_fifo = random.chance(60);
    bench->fifo_hold_cycles_i = random.chance(30) ? 20000 : 0;
    bench.memory_chance = random.chance(50) ? 100 : 30;
    configure(kOwner);
    bench.set(true, f::base(kFifo), kBase);
    bench.set(true, f::size(kFifo), bench->fifo_hold_cycles_i != 0 ? 32 : kSlots);
    configure(0, kOtherFifo);
    configure(kBoot | kOwner);
    bench.parts.clear();
    const std::vector<Packet> sent = send_many(6, 40 + random.below(280));
    bench.drain();
    ASSERT_TRUE(bench.packets_back.empty());
    configure(kEnable | kOwner);
    bench.ticks(static_cast<unsigned>(random.below(150)));
    // The next owner; its FIFO lies elsewhere.
    const std::uint64_t owner = same_fifo && !same_owner ? kOtherOwner : kOwner;
    const std::uint32_t fifo = same_fifo ? kFifo : kOtherFifo;
    configure(kBoot | owner, fifo);
    const Packet next = packet(70, 1000, fifo);
    bench.send(next);
    if (!same_fifo) {
      configure(0, kFifo);
    } else {
      bench.set(true, f::base(kFifo), kOtherBase);
    }
    bench.ticks(static_cast<unsigned>(random.below(150)));
    bench.drain();
    const std::size_t moved = bench.parts.size();
    ASSERT_LE(moved, sent.size());
    ASSERT_EQ(stored(), entries_of({sent.begin(), sent.begin() + static_cast<int>(moved)}));
    configure(kEnable | owner, fifo);
    bench.drain();
    ASSERT_EQ(stored(kOtherBase), entries_of({next}));
    ASSERT_TRUE(bench.packets_back.empty());
    cut += moved < sent.size() ? 1 : 0;
  }
  EXPECT_GT(cut, 50U);
}

// In whatever cycle: the packet that is moved then is in the FIFO of before, whole, or not at all.
TEST_F(BootReception, OpenedAnewInAnyCycleStoresNoPartOfAPacket) {
  for (unsigned cycle = 0; cycle < 60; ++cycle) {
    SCOPED_TRACE(cycle);
    for (const std::uint32_t fifo : {kFifo, kOtherFifo}) {
      configure(0, kOtherFifo);
      configure(kBoot | kOwner);
      bench.parts.clear();
      const std::vector<Packet> sent = send_many(4, 70);
      bench.drain();
      configure(kEnable | kOwner);
      bench.ticks(cycle);
      configure(kBoot | kOwner, fifo);
      bench.drain();
      ASSERT_LE(bench.parts.size(), sent.size());
      const auto moved = static_cast<std::ptrdiff_t>(bench.parts.size());
      ASSERT_EQ(stored(), entries_of({sent.begin(), sent.begin() + moved}));
      ASSERT_TRUE(bench.packets_back.empty());
      configure(0, fifo);
      configure(0);
    }
  }
}

TEST_F(BootReception, OpenedAnewDropsWhatIsHeldAtOnce) {
  bench->fifo_hold_cycles_i = 20000;
  bench.set(true, f::size(kFifo), 32);
  send_many(7, 160);
  bench.drain();
  configure(kEnable | kOwner);
  bench.ticks(100);
  ASSERT_EQ(bench.parts.size(), 5U);
  configure(kBoot | kOwner);
  bench.drain(100);
  EXPECT_TRUE(bench.packets_back.empty());
  EXPECT_EQ(bench.parts.size(), 5U);
}

TEST_F(BootReception, ChangesNothingWhileItSaysThatItIsAtRest) {
  SCOPED_TRACE(random.replay());
  bench.flit_chance = 20;
  unsigned rests = 0;
  for (unsigned round = 0; round < 300; ++round) {
    if (random.chance(50)) bench.send(packet(random.below(513)));
    if (random.chance(20)) configure(kEnable | kOwner);
    if (random.chance(20)) configure(kBoot | kOwner);
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

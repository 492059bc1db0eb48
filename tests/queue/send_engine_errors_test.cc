// SPDX-License-Identifier: Apache-2.0
// model: Vmu_send_engine mu_send_engine
// bgp:
//
// Descriptors that must not run: every status, who is told, and what goes on.

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tests/support/injection_fixture.h"
#include "tests/support/opcodes.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace r = layout::region_entry;

using InjectionErrors = InjectionFixture;

Descriptor with_image(Descriptor descriptor, const std::function<void(PacketHeader&)>& change) {
  PacketHeader image = descriptor.get<d::header>();
  change(image);
  return descriptor.set<d::header>(image);
}

TEST_F(InjectionErrors, PassesOverEveryKindOfBadDescriptorAndGoesOn) {
  bench_.around.regions[6] = bench_.around.regions[5];
  bench_.around.regions[6].set<r::owner>(3);
  bench_.around.regions[7] = bench_.around.regions[5];
  bench_.around.regions[7].set<r::enable>(0);
  bench_.around.counters[3] = {true, 1};
  bench_.around.counters[4] = {false, kOwner};
  bench_.around.events[3] = {true, 1};
  const auto counter = [this](Opcode opcode) { return immediate(0).set<d::opcode>(opcode); };
  std::vector<Descriptor> bad = {
      Descriptor().set<d::opcode>(kFirstUnknownOpcode),
      Descriptor().set<d::opcode>(static_cast<Opcode>(255)),
      put(0, 0),
      immediate(0),
      immediate(17),
      put(0, 63).set<d::opcode>(Opcode::kGet),
      put(0, 576).set<d::opcode>(Opcode::kGet),
      put(0, 128).set<d::opcode>(Opcode::kGet).set<d::reflect>(1),
      put(0, 64).set<d::reflect>(1),
      immediate(16).set<d::opcode>(Opcode::kGet),
      put(0x20000, 1),
      put(0x1FFFF, 2),
      put((1ULL << 37) - 1, (1ULL << 37) - 1),
      put(0, 8).set<d::source_region>(6),
      put(0, 8).set<d::source_region>(7),
      put(0, 8).set<d::source_region>(200),
      put(0, 8).set<d::injection_counter_valid>(1).set<d::injection_counter>(3),
      put(0, 8).set<d::injection_counter_valid>(1).set<d::injection_counter>(4),
      put(0, 8).set<d::done_event_valid>(1).set<d::done_event>(3),
      immediate(8).set<d::done_event_valid>(1).set<d::done_event>(200),
      counter(Opcode::kCtrAdd),
      counter(Opcode::kCtrAdd)
          .set<d::counter_valid>(1)
          .set<d::event_valid>(1)
          .set<d::event_counter>(9),
      counter(Opcode::kCtrSet).set<d::counter_valid>(1).set<d::counter>(3),
      counter(Opcode::kCtrSet).set<d::event_valid>(1).set<d::event_counter>(3),
      counter(Opcode::kNop).set<d::injection_counter_valid>(1).set<d::injection_counter>(7),
      put(0, 8).set<d::reflection_number>(1),
      put(0, 64)
          .set<d::opcode>(Opcode::kGet)
          .set<d::reflect>(1)
          .set<d::header>(PacketHeader().set<h::target>(8)),
      put(0, 64).set<d::opcode>(Opcode::kGet).set<d::reflect>(1),  // no direction is configured
      with_image(immediate(8), [](PacketHeader& x) { x.set<h::dst_x>(4); }),
      with_image(immediate(8), [](PacketHeader& x) { x.set<h::dst_y>(4); }),
      with_image(immediate(8), [](PacketHeader& x) { x.set<h::dst_z>(15); }),
      with_image(immediate(8), [](PacketHeader& x) { x.set<h::client>(1); }),
      with_image(immediate(8), [](PacketHeader& x) { x.set<h::src_z>(1); }),
      with_image(immediate(8), [](PacketHeader& x) { x.set<h::kind>(Kind::kPut); }),
      with_image(immediate(8), [](PacketHeader& x) { x.set<h::reply>(1); }),
      with_image(immediate(8), [](PacketHeader& x) { x.set<h::on_behalf>(1); }),
      with_image(immediate(8), [](PacketHeader& x) { x.set<h::bytes>(8); }),
      with_image(immediate(8), [](PacketHeader& x) { x.set<h::offset>((1ULL << 37) - 7); }),
  };
  std::set<Status> seen;
  for (std::size_t i = 0; i < bad.size(); ++i) {
    SCOPED_TRACE("bad descriptor " + std::to_string(i));
    InjectionBench fresh(random_);
    fresh.around = bench_.around;
    fresh.make_queue(kQueue, kRing, 4, QueueMode::kDoorbell, kOwner);
    fresh.put(kQueue, bad[i]);
    fresh.put(kQueue, immediate(5));
    fresh.doorbell(kQueue);
    fresh.drain();
    const auto state = fresh.state(kQueue);
    // Without any reflector configured, a reflecting GET that is well formed ends so.
    Status wanted = expected_status(fresh.around, bad[i], origin(0));
    if (wanted == Status::kOk) wanted = Status::kNoReflector;
    EXPECT_EQ(state.status, wanted);
    EXPECT_EQ(state.head, 2U);
    EXPECT_EQ(state.count, 1U);
    EXPECT_EQ(fresh.requests.size(), 1U) << "only the good one behind it";
    EXPECT_TRUE(fresh.replies.empty());
    EXPECT_TRUE(fresh.operations.empty());
    EXPECT_EQ(fresh.causes[kOwner * 8 + static_cast<unsigned>(Cause::kError)], 1U);
    seen.insert(state.status);
  }
  const std::set<Status> all = {
      Status::kUnknownOpcode, Status::kReservedBits, Status::kLengthZero, Status::kLengthTooLong,
      Status::kRegionInvalid, Status::kRegionBounds, Status::kPermission, Status::kCounterInvalid,
      Status::kUnreachable,   Status::kNoReflector};
  EXPECT_EQ(seen, all);
}

TEST_F(InjectionErrors, TakesEveryReservedBitForAnError) {
  std::vector<Descriptor> descriptors;
  for (const detail::FieldLine& line : layout::descriptor::Layout::lines()) {
    if (!line.reserved || line.layout != layout::descriptor::Layout::kName) continue;
    for (unsigned bit = line.lsb; bit < line.lsb + line.width; ++bit) {
      auto bytes = immediate(4).bytes();
      bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] | 1U << bit % 8);
      descriptors.push_back(Descriptor::from_bytes(bytes));
    }
  }
  for (const unsigned bit :
       {16, 17, 19, 20, 21, 22, 23, 40, 41, 42, 43, 44, 45, 46, 47, 109, 110, 111, 112}) {
    auto bytes = immediate(4).bytes();  // fields of WAIT and CALC
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] | 1U << bit % 8);
    descriptors.push_back(Descriptor::from_bytes(bytes));
  }
  for (unsigned bit = 505; bit < 512; ++bit) {  // of the header image
    auto bytes = immediate(4).bytes();
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] | 1U << bit % 8);
    descriptors.push_back(Descriptor::from_bytes(bytes));
  }
  ASSERT_EQ(descriptors.size(), 58U + 19U + 7U);
  run_and_compare(descriptors);
  EXPECT_EQ(bench_.state(kQueue).count, 84U);
}

TEST_F(InjectionErrors, TellsTheGetterOfADescriptorThatFails) {
  const auto from_getter = [this](Descriptor descriptor) { return stamped(std::move(descriptor)); };
  run_and_compare(
      {
          from_getter(put(3, 900)),
          from_getter(immediate(7)),
          from_getter(put(0, 64).set<d::opcode>(Opcode::kGet)),
          from_getter(Descriptor().set<d::opcode>(Opcode::kNop)),
          from_getter(Descriptor().set<d::opcode>(Opcode::kCtrAdd)),
          from_getter(Descriptor().set<d::opcode>(static_cast<Opcode>(77))),
          from_getter(put(0x20000, 1).set<d::opcode>(Opcode::kFifo)),
          from_getter(immediate(8).set<d::interrupt_done>(1)),
          from_getter(immediate(8).set<d::done_event_valid>(1).set<d::done_event>(9)),
          from_getter(immediate(8).set<d::reflection_number>(1)),
          with_image(from_getter(immediate(8)), [](PacketHeader& x) { x.set<h::dst_z>(1); }),
          with_image(from_getter(immediate(8)),
                     [](PacketHeader& x) { x.set<h::dst_x>(9).set<h::src_x>(9); }),
          from_getter(put(3, 9)),
      },
      8, QueueMode::kRemoteGet);
  EXPECT_EQ(bench_.replies.size(), 8U) << "none to a node that does not exist";
}

TEST_F(InjectionErrors, ReadsForAGetterOnlyWhatIsOpenToGetters) {
  bench_.around.regions[5].set<r::remote_read>(0).set<r::owner>(kOwner);
  bench_.around.regions[6] = bench_.around.regions[5];
  bench_.around.regions[6].set<r::remote_read>(1).set<r::owner>(3);
  run_and_compare({stamped(put(0, 8)), stamped(put(0, 8).set<d::source_region>(6))}, 8,
                  QueueMode::kRemoteGet);
  EXPECT_EQ(bench_.requests.size(), 1U);
}

TEST_F(InjectionErrors, RunsOnlyImmediateWorkInAReflectionQueue) {
  bench_.make_queue(4, 0x4000, 16, QueueMode::kReflection, kOwner);
  const std::vector<Descriptor> descriptors = {
      stamped(immediate(16).set<d::reflection_number>(1)),
      stamped(put(0, 8).set<d::reflection_number>(2)),
      stamped(immediate(3).set<d::opcode>(Opcode::kFifo).set<d::reflection_number>(3)),
      stamped(Descriptor().set<d::opcode>(Opcode::kNop).set<d::reflection_number>(4)),
      stamped(put(0, 64).set<d::opcode>(Opcode::kGet).set<d::reflection_number>(5)),
      with_image(stamped(immediate(3)), [](PacketHeader& x) { x.set<h::dst_x>(1); }),
      stamped(
          immediate(1).set<d::counter_valid>(1).set<d::counter>(9).set<d::reflection_number>(6)),
  };
  std::vector<Packet> wanted;
  std::uint64_t errors = 0;
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    ASSERT_EQ(bench_.deliver(4, descriptors[i]), Status::kOk);
    const Outcome outcome =
        expected_outcome(bench_.around, descriptors[i], {QueueMode::kReflection, kOwner, 4, i});
    wanted.insert(wanted.end(), outcome.packets.begin(), outcome.packets.end());
    errors += outcome.status != Status::kOk;
  }
  bench_.drain();
  compare("completions", bench_.replies, wanted);
  EXPECT_EQ(wanted.size(), 3U);
  EXPECT_EQ(bench_.state(4).count, errors);
  EXPECT_EQ(bench_.state(4).head, descriptors.size());
  EXPECT_TRUE(bench_.requests.empty());
}

TEST_F(InjectionErrors, StopsAHaltingQueueAtItsFirstError) {
  run_and_compare({immediate(1), put(5, 600), put(0, 0), immediate(3), put(0, 8)}, 8,
                  QueueMode::kDoorbell, true);
  // A new config starts it again.
  bench_.requests.clear();
  bench_.make_queue(kQueue, kRing, 8, QueueMode::kDoorbell, kOwner, true);
  EXPECT_EQ(bench_.state(kQueue).status, Status::kOk);
  bench_.put(kQueue, immediate(9));
  bench_.doorbell(kQueue);
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 1U);
}

TEST_F(InjectionErrors, StopsAHaltingQueueAtAMemoryErrorBeforeTheNextDescriptor) {
  bench_.bad_page = (kBuffer + 0x1000) >> 12;
  bench_.payload.latency = 60;
  bench_.make_queue(kQueue, kRing, 8, QueueMode::kDoorbell, kOwner, true);
  bench_.put(kQueue, put(0, 512));
  bench_.put(kQueue, put(0x1000, 8));
  bench_.put(kQueue, immediate(4));
  bench_.doorbell(kQueue);
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 1U);
  const auto state = bench_.state(kQueue);
  EXPECT_TRUE(state.halted);
  EXPECT_EQ(state.status, Status::kMemoryError);
  EXPECT_EQ(state.head, 2U);
  EXPECT_EQ(state.index, 1U);
}

TEST_F(InjectionErrors, DropsTheRestOfAMessageWhoseSourceCannotBeRead) {
  // Packets 0..7 lie before the bad page; what is read together with the bad one must not go out.
  bench_.bad_page = (kBuffer + 0x1000) >> 12;
  bench_.payload.latency = 5;
  bench_.make_queue(kQueue, kRing, 16, QueueMode::kDoorbell, kOwner);
  bench_.put(kQueue, put(0, 0x4000)
                         .set<d::injection_counter_valid>(1)
                         .set<d::injection_counter>(7)
                         .set<d::done_event_valid>(1)
                         .set<d::done_event>(9)
                         .set<d::interrupt_done>(1));
  for (int i = 0; i < 12; ++i) bench_.put(kQueue, put(0x3000, 100));
  bench_.doorbell(kQueue);
  bench_.drain();
  ASSERT_EQ(bench_.requests.size(), 8U + 12U);
  EXPECT_EQ(bench_.operations.size(), 8U) << "bytes that were read, no done event";
  EXPECT_EQ(bench_.causes[kOwner * 8 + static_cast<unsigned>(Cause::kDone)], 0U);
  const auto state = bench_.state(kQueue);
  EXPECT_EQ(state.status, Status::kMemoryError);
  EXPECT_EQ(state.count, 1U);
  EXPECT_EQ(state.head, 13U);
}

TEST_F(InjectionErrors, DropsTheRestUnderEveryLatencyAndBackPressure) {
  for (unsigned round = 0; round < 20; ++round) {
    SCOPED_TRACE(round);
    InjectionBench fresh(random_);
    fresh.around = bench_.around;
    fresh.bad_page = (kBuffer + 0x1000) >> 12;
    fresh.payload.latency = static_cast<unsigned>(1 + random_.below(60));
    fresh.payload.beat_chance = static_cast<unsigned>(30 + random_.below(71));
    fresh.payload.command_chance = static_cast<unsigned>(30 + random_.below(71));
    fresh.request_chance = static_cast<unsigned>(30 + random_.below(71));
    fresh.operation_chance = static_cast<unsigned>(10 + random_.below(91));
    fresh.make_queue(kQueue, kRing, 64, QueueMode::kDoorbell, kOwner);
    std::size_t good = 0, bad = 0;
    for (int i = 0; i < 30; ++i) {
      const bool fails = random_.chance(40);
      bad += fails;
      good += 1;
      // Two packets; of a bad one the second.
      fresh.put(kQueue, put(fails ? 0x0E00 : 0x3000, fails ? 0x400 : 200)
                            .set<d::injection_counter_valid>(1)
                            .set<d::injection_counter>(7));
    }
    fresh.doorbell(kQueue);
    fresh.drain();
    EXPECT_EQ(fresh.requests.size(), good);
    EXPECT_EQ(fresh.operations.size(), good);
    EXPECT_EQ(fresh.state(kQueue).count, bad);
    EXPECT_EQ(fresh.state(kQueue).head, 30U);
  }
}

TEST_F(InjectionErrors, TellsTheGetterWhenItsSourceCannotBeRead) {
  bench_.bad_page = (kBuffer + 0x1000) >> 12;
  bench_.make_queue(kQueue, kRing, 16, QueueMode::kRemoteGet, kOwner);
  const Descriptor bad = stamped(put(0x1000, 20));
  ASSERT_EQ(bench_.deliver(kQueue, bad), Status::kOk);
  bench_.drain();
  EXPECT_TRUE(bench_.requests.empty());
  compare("notices", bench_.replies,
          {expected_notice(bench_.around, bad, origin(0, QueueMode::kRemoteGet),
                           Status::kMemoryError)});
}

TEST_F(InjectionErrors, ReportsADescriptorThatCannotBeFetchedAndTellsNobody) {
  bench_.bad_page = kRing >> 12;
  bench_.make_queue(kQueue, kRing, 16, QueueMode::kRemoteGet, kOwner);
  ASSERT_EQ(bench_.deliver(kQueue, stamped(immediate(4))), Status::kOk);
  bench_.drain();
  EXPECT_TRUE(bench_.requests.empty());
  EXPECT_TRUE(bench_.replies.empty());
  EXPECT_EQ(bench_.state(kQueue).status, Status::kMemoryError);
}

}  // namespace
}  // namespace torusmu::testing

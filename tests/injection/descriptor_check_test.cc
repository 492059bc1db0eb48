// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "Vmu_descriptor_check.h"
#include "tests/support/injection_oracle.h"
#include "tests/support/opcodes.h"
#include "tests/support/port_fields.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace r = layout::region_entry;
namespace p = layout::pipe_operation;

// Descriptors that are mostly right, so that each rule is reached, under every mode.
class DescriptorCheck : public ::testing::Test {
 protected:
  DescriptorCheck() {
    around_.last = {3, 1, 7};
    around_.regions[1] =
        RegionEntry().set<r::base>(64).set<r::length>(4096).set<r::enable>(1).set<r::remote_read>(
            1);
    around_.regions[2] = around_.regions[1];
    around_.regions[2].set<r::owner>(1).set<r::remote_read>(0);
    around_.counters[1] = {true, 0};
    around_.counters[2] = {true, 1};
    around_.events[1] = {true, 0};
    around_.events[2] = {false, 0};
    around_.events[3] = {true, 0};
    around_.waited = {3};
  }

  Descriptor random_descriptor(QueueMode mode) {
    const auto rarely = [this] { return random_.chance(12); };
    Descriptor x;
    x.set<d::opcode>(
        static_cast<Opcode>(rarely() ? random_.below(kOpcodeNumbers) : random_.below(kOpcodes)));
    const bool network = mode == QueueMode::kRemoteGet || mode == QueueMode::kReflection;
    x.set<d::immediate_valid>(random_.chance(50))
        .set<d::counter_valid>(random_.chance(50))
        .set<d::event_valid>(random_.chance(50))
        .set<d::injection_counter_valid>(network ? rarely() : random_.chance(30))
        .set<d::done_event_valid>(network ? rarely() : random_.chance(30))
        .set<d::interrupt_done>(network ? rarely() : random_.chance(30))
        .set<d::interrupt_target>(random_.chance(50))
        .set<d::reflect>(x.get<d::opcode>() == Opcode::kGet ? random_.chance(50) : rarely())
        .set<d::injection_counter>(rarely() ? random_.below(4) : 1)
        .set<d::done_event>(rarely() ? random_.below(4) : 1)
        .set<d::counter>(rarely() ? random_.below(4) : 1)
        .set<d::event_counter>(rarely() ? random_.below(4) : 1)
        .set<d::source_region>(rarely() ? random_.below(4) : 1)
        .set<d::source_offset>(rarely() ? random_.bits64() >> 27 : random_.below(4096))
        .set<d::sequence_number>(static_cast<std::uint32_t>(random_.bits64()));
    const bool waits = x.get<d::opcode>() == Opcode::kWait;
    const bool enables =
        x.get<d::opcode>() == Opcode::kSendEn || x.get<d::opcode>() == Opcode::kRecvEn;
    const bool sends = x.get<d::opcode>() == Opcode::kSend;
    const bool pipes = x.get<d::opcode>() == Opcode::kPipe;
    const bool fences = x.get<d::opcode>() == Opcode::kFence;
    if ((fences || x.get<d::opcode>() == Opcode::kReceive) && !rarely()) {
      x.set<d::immediate_valid>(0).set<d::counter_valid>(0).set<d::event_valid>(0);
      x.set<d::interrupt_target>(0).set<d::injection_counter_valid>(0);
    }
    if (!network || rarely()) x.set<d::signal>(random_.chance(30));
    if (waits || rarely()) x.set<d::on_queue>(random_.chance(50));
    if (waits || enables || rarely()) x.set<d::relative>(random_.chance(50));
    if (x.get<d::opcode>() == Opcode::kCalc || rarely()) {
      x.set<d::operands>(random_.below(32)).set<d::reduction>(Reduction::kMax);
      x.set<d::targets>(random_.chance(50) ? random_.below(16) : 0);
    }
    std::array<std::uint8_t, 16> immediate{};
    for (std::size_t i = 0; i < (waits ? 8 : 4); ++i) {
      immediate[i] = static_cast<std::uint8_t>(random_.bits64());
    }
    if (rarely()) immediate[random_.below(16)] = 1;
    x.set<d::immediate>(immediate);
    const std::uint64_t lengths[] = {0, 1, 15, 16, 17, 63, 64, 65, 128, 512, 576, 4096, 1ULL << 36};
    x.set<d::length>(random_.chance(70) ? 16 * (1 + random_.below(4)) : lengths[random_.below(13)]);
    if (random_.chance(10))
      x.set<d::length>(64 * (1 + random_.below(8)) ^ 1ULL << random_.below(37));
    if (fences && !rarely()) x.set<d::length>(0);
    if (mode == QueueMode::kReflection || rarely()) x.set<d::reflection_number>(random_.below(4));
    PacketHeader image;
    image.set<h::dst_x>(random_.below(rarely() ? 16 : 4))
        .set<h::dst_y>(random_.below(rarely() ? 16 : 2))
        .set<h::dst_z>(random_.below(rarely() ? 16 : 8))
        .set<h::target>(random_.below(8) ^ (rarely() ? 1U << random_.below(8) : 0))
        .set<h::offset>(rarely() ? (1ULL << 37) - 1 - random_.below(64) : random_.below(1000))
        .set<h::word>(static_cast<std::uint32_t>(random_.bits64()));
    if (pipes && !rarely()) {
      x.set<d::immediate_valid>(0).set<d::injection_counter_valid>(0);
      const bool origin = random_.chance(30), target = (!origin && random_.chance(40)) || rarely();
      if (target && !rarely()) {
        x.set<d::counter_valid>(0).set<d::event_valid>(0).set<d::interrupt_target>(0);
      }
      const bool listed = (!origin && !target && random_.chance(50)) || rarely();
      const auto most = listed != rarely()
                            ? 0
                            : std::min<std::uint64_t>(x.get<d::length>() + rarely(), 0xFFFFFFFF);
      if (listed && random_.chance(30)) x.set<d::length>(random_.below(300));
      x.set<d::immediate>(
          PipeOperation()
              .set<p::messages>((origin || target) != rarely() ? 0 : 1 + random_.below(1000))
              .set<p::buffer_bytes>(rarely() ? random_.below(2) : most)
              .set<p::receive_queue>(origin != rarely() ? 0 : random_.below(256))
              .set<p::origin>(origin)
              .set<p::target>(target)
              .set<p::listed>(listed)
              .bytes());
    }
    if (sends && around_.peer.dynamic && !rarely()) {
      image.set<h::offset>(0);
    } else if ((sends || pipes) && !rarely()) {
      image = PacketHeader().set<h::word>(image.get<h::word>());
      const std::uint64_t bit = rarely() ? 1U << random_.below(20) : 0;
      image.set<h::dst_x>(bit & 15U).set<h::dst_y>(bit >> 4U & 15U).set<h::dst_z>(bit >> 8U & 15U);
      image.set<h::target>(bit >> 12U);
    }
    if (network || rarely()) {
      const std::uint64_t bit = rarely() ? 1U << random_.below(12) : 0;
      image.set<h::src_x>(image.get<h::dst_x>() ^ (bit & 15U))
          .set<h::src_y>(image.get<h::dst_y>() ^ (bit >> 4U & 15U))
          .set<h::src_z>(image.get<h::dst_z>() ^ bit >> 8U)
          .set<h::client>(random_.below(4));
    }
    x.set<d::header>(image);
    auto bytes = x.bytes();
    if (rarely()) {
      const std::uint64_t bit = random_.below(512);
      bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ 1U << bit % 8);
    }
    return Descriptor::from_bytes(bytes);
  }

  void evaluate(const Descriptor& x, const Origin& origin) {
    drive(model_.descriptor_i, x);
    model_.enable_i = 1;
    model_.mode_i = static_cast<std::uint8_t>(origin.mode);
    // What no queue that runs has is as a doorbell.
    if (origin.mode == QueueMode::kDoorbell && random_.chance(30)) {
      const std::uint8_t others[] = {static_cast<std::uint8_t>(QueueMode::kOff),
                                     static_cast<std::uint8_t>(QueueMode::kPiped), 7};
      model_.mode_i = others[random_.below(3)];
    }
    model_.owner_i = static_cast<std::uint8_t>(origin.owner);
    model_.straps_i = Straps{.last_x = 3, .last_y = 1, .last_z = 7}.word();
    const bool injection = x.get<d::injection_counter_valid>();
    const CounterOwner& second =
        injection ? around_.counters[x.get<d::injection_counter>()]
                  : (x.get<d::event_valid>() ? around_.events[x.get<d::event_counter>()]
                                             : around_.counters[x.get<d::counter>()]);
    model_.lookup_2_enable_i = second.enable;
    model_.lookup_2_owner_i = second.client;
    model_.lookup_2_waited_i =
        x.get<d::event_valid>() != 0 &&
        around_.waited.contains(static_cast<unsigned>(x.get<d::event_counter>()));
    model_.peer_connected_i = around_.peer.connected;
    model_.peer_dynamic_i = around_.peer.dynamic;
    model_.peer_event_valid_i = around_.peer.event.has_value();
    model_.send_broken_i = around_.peer.broken;
    const CounterOwner& third =
        around_.events[x.get<d::done_event_valid>() != 0 ? x.get<d::done_event>()
                                                         : around_.peer.event.value_or(0)];
    model_.lookup_3_enable_i = third.enable;
    model_.lookup_3_owner_i = third.client;
    // The region check is a module of its own: its verdict is taken from the expectation of a put
    // that is right but for its source, in a queue that may hold puts.
    Origin putter = origin;
    if (origin.mode == QueueMode::kReceive) putter.mode = QueueMode::kDoorbell;
    const Descriptor probe = Descriptor()
                                 .set<d::opcode>(Opcode::kPut)
                                 .set<d::source_region>(x.get<d::source_region>())
                                 .set<d::source_offset>(x.get<d::source_offset>())
                                 .set<d::length>(x.get<d::length>() == 0 ? 1 : x.get<d::length>());
    model_.region_status_i = static_cast<std::uint8_t>(expected_status(around_, probe, putter));
    model_.eval();
  }

  Random random_;
  Surroundings around_;
  Vmu_descriptor_check model_;
};

TEST_F(DescriptorCheck, JudgesAsTheRulesSay) {
  SCOPED_TRACE(random_.replay());
  std::map<QueueMode, std::set<Status>> seen;
  const QueueMode modes[] = {QueueMode::kDoorbell, QueueMode::kPush, QueueMode::kRemoteGet,
                             QueueMode::kReflection, QueueMode::kReceive};
  constexpr std::size_t kStatuses = 15;  // of a doorbell queue; some are rare
  for (int i = 0; i < 300000 || (i < 5000000 && seen[QueueMode::kDoorbell].size() < kStatuses);
       ++i) {
    const Origin origin = {modes[random_.below(5)], 0, 3, 5};
    around_.peer.connected = random_.chance(80);
    around_.peer.dynamic = random_.chance(30);
    around_.peer.broken = random_.chance(10);
    around_.peer.event.reset();
    if (random_.chance(50)) around_.peer.event = random_.chance(80) ? 1 : 2;
    const Descriptor x = random_descriptor(origin.mode);
    evaluate(x, origin);
    const Status wanted = expected_status(around_, x, origin);
    ASSERT_EQ(static_cast<Status>(model_.status_o), wanted) << "descriptor " << i;
    const Outcome outcome =
        wanted == Status::kOk ? Outcome{} : expected_outcome(around_, x, origin);
    if (wanted != Status::kOk) {
      ASSERT_EQ(model_.tell_o != 0, outcome.notice.has_value()) << "descriptor " << i;
    }
    seen[origin.mode].insert(wanted);
  }
  EXPECT_EQ(seen[QueueMode::kDoorbell].size(), kStatuses);
  EXPECT_EQ(seen[QueueMode::kRemoteGet].count(Status::kTargetForbidden), 1U);
  EXPECT_EQ(seen[QueueMode::kReflection].count(Status::kOpcodeForbidden), 1U);
  for (auto& [mode, statuses] : seen) EXPECT_EQ(statuses.count(Status::kOk), 1U);
}

// Bits that are hardly ever wrong in one that is right otherwise.
TEST_F(DescriptorCheck, SeesASingleBitThatIsWrong) {
  SCOPED_TRACE(random_.replay());
  around_.peer.connected = true;
  std::set<Opcode> seen;
  for (int i = 0; seen.size() < kOpcodes && i < 100000; ++i) {
    const Origin origin = {random_.chance(80) ? QueueMode::kDoorbell : QueueMode::kReceive, 0, 3,
                           5};
    const Descriptor right = random_descriptor(origin.mode);
    if (expected_status(around_, right, origin) != Status::kOk ||
        !seen.insert(right.get<d::opcode>()).second) {
      continue;
    }
    for (unsigned bit = 0; bit < 8 * Descriptor::kBytes; ++bit) {
      auto bytes = right.bytes();
      bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ 1U << bit % 8);
      const auto x = Descriptor::from_bytes(bytes);
      evaluate(x, origin);
      ASSERT_EQ(static_cast<Status>(model_.status_o), expected_status(around_, x, origin))
          << "opcode " << static_cast<int>(right.get<d::opcode>()) << " bit " << bit;
    }
  }
  EXPECT_EQ(seen.size(), kOpcodes);
}

TEST_F(DescriptorCheck, NamesWhatWasAskedFor) {
  const std::map<Opcode, Kind> kinds = {{Opcode::kPut, Kind::kPut},
                                        {Opcode::kFifo, Kind::kFifo},
                                        {Opcode::kGet, Kind::kGet},
                                        {Opcode::kSend, Kind::kSend},
                                        {Opcode::kFence, Kind::kFence}};
  for (unsigned number = 0; number < kOpcodeNumbers; ++number) {
    const auto opcode = static_cast<Opcode>(number);
    evaluate(Descriptor().set<d::opcode>(opcode), {});
    EXPECT_EQ(static_cast<Kind>(model_.kind_o),
              kinds.contains(opcode) ? kinds.at(opcode) : Kind::kNone)
        << number;
  }
}

TEST_F(DescriptorCheck, PutsAFailedFetchBeforeEverythingAndTellsNobody) {
  model_.error_i = 1;
  evaluate(Descriptor().set<d::opcode>(static_cast<Opcode>(99)), {QueueMode::kRemoteGet, 0, 0, 0});
  EXPECT_EQ(static_cast<Status>(model_.status_o), Status::kMemoryError);
  EXPECT_FALSE(model_.tell_o);
}

TEST_F(DescriptorCheck, LooksAtEveryBitOfWhereAndHowFar) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 40000; ++i) {
    std::array<std::uint64_t, 3> to{}, last{};
    bool exists = true;
    for (unsigned axis = 0; axis < 3; ++axis) {
      last[axis] = random_.below(16);
      to[axis] = random_.chance(70) ? random_.below(last[axis] + 1) : random_.below(16);
      exists = exists && to[axis] <= last[axis];
    }
    const std::uint64_t length = random_.chance(50)
                                     ? 1ULL << random_.below(37)
                                     : 1 + (random_.bits64() >> (28 + random_.below(36)));
    const std::uint64_t most = (1ULL << 37) - length;
    const std::uint64_t offset = (random_.chance(30)   ? most + random_.below(3) - 1
                                  : random_.chance(30) ? most ^ 1ULL << random_.below(37)
                                                       : random_.bits64() >> 27) &
                                 ((1ULL << 37) - 1);
    PacketHeader image;
    image.set<h::dst_x>(to[0]).set<h::dst_y>(to[1]).set<h::dst_z>(to[2]).set<h::offset>(offset);
    const bool counts = random_.chance(40), done = random_.chance(40);
    Descriptor x;
    x.set<d::opcode>(Opcode::kPut).set<d::length>(length).set<d::header>(image);
    x.set<d::injection_counter_valid>(counts).set<d::done_event_valid>(done);
    drive(model_.descriptor_i, x);
    const auto owner = static_cast<unsigned>(random_.below(16));
    const auto nearly = [&] { return random_.chance(70) ? owner : owner ^ 1U << random_.below(4); };
    const auto status = static_cast<Status>(random_.chance(60) ? 0 : 1U << random_.below(8));
    model_.enable_i = random_.chance(95);
    model_.mode_i = static_cast<CData>(QueueMode::kDoorbell);
    model_.owner_i = static_cast<CData>(owner);
    // Where this node sits, and whether an axis wraps around, is of no account.
    model_.straps_i = Straps{.last_x = static_cast<unsigned>(last[0]),
                             .last_y = static_cast<unsigned>(last[1]),
                             .last_z = static_cast<unsigned>(last[2])}
                          .word() |
                      (static_cast<unsigned>(random_.bits64()) & 0x7000FFF);
    model_.lookup_2_enable_i = random_.chance(80);
    model_.lookup_3_enable_i = random_.chance(80);
    model_.lookup_2_owner_i = static_cast<CData>(nearly());
    model_.lookup_3_owner_i = static_cast<CData>(nearly());
    model_.peer_event_valid_i = random_.chance(50);  // of no meaning to a PUT
    model_.region_status_i = static_cast<CData>(status);
    model_.eval();
    const bool second = model_.lookup_2_enable_i && model_.lookup_2_owner_i == owner;
    const bool third = model_.lookup_3_enable_i && model_.lookup_3_owner_i == owner;
    const Status wanted = !model_.enable_i                          ? Status::kOk
                          : !exists                                 ? Status::kUnreachable
                          : (offset & ((1ULL << 37) - 1)) > most    ? Status::kRegionBounds
                          : status != Status::kOk                   ? status
                          : (counts && !second) || (done && !third) ? Status::kCounterInvalid
                                                                    : Status::kOk;
    ASSERT_EQ(static_cast<Status>(model_.status_o), wanted)
        << "offset " << offset << " length " << length;
    ASSERT_EQ(static_cast<Kind>(model_.kind_o), model_.enable_i ? Kind::kPut : Kind::kNone);
    ASSERT_FALSE(model_.tell_o);
    // The same for a getter, which is told of a failure if there is such a node.
    image.set<h::src_x>(to[0]).set<h::src_y>(to[1]).set<h::src_z>(to[2]);
    drive(model_.descriptor_i, x.set<d::header>(image));
    model_.mode_i = static_cast<CData>(QueueMode::kRemoteGet);
    model_.eval();
    ASSERT_EQ(model_.tell_o, model_.enable_i && exists);
  }
}

TEST_F(DescriptorCheck, RefusesWhatEndsAPowerOfTwoBehindTheLargestRegion) {
  SCOPED_TRACE(random_.replay());
  constexpr std::uint64_t kEnd = 1ULL << 37;
  for (std::uint64_t behind = 1; behind < kEnd - 1; behind *= 2) {
    const std::uint64_t length = behind + 1 + random_.below(kEnd - 1 - behind);
    Descriptor x;
    x.set<d::opcode>(Opcode::kPut).set<d::length>(length);
    x.set<d::header>(PacketHeader().set<h::offset>(kEnd + behind - length));
    drive(model_.descriptor_i, x);
    model_.enable_i = 1;
    model_.mode_i = static_cast<CData>(QueueMode::kDoorbell);
    model_.region_status_i = 0;
    model_.eval();
    EXPECT_EQ(static_cast<Status>(model_.status_o), Status::kRegionBounds) << behind;
  }
}

// Behind the longest of a kind each length is too long, up to it none; a GET asks for whole chunks.
TEST_F(DescriptorCheck, LetsThroughWhatIsAsLongAsItsKindMayBe) {
  SCOPED_TRACE(random_.replay());
  constexpr std::uint64_t kAll = (1ULL << 37) - 1;
  struct Longest {
    Opcode opcode;
    bool immediate, reflect;
    std::uint64_t bytes;
  };
  const Longest kinds[] = {
      {Opcode::kPut, false, false, kAll},        {Opcode::kFifo, false, false, kAll},
      {Opcode::kSend, false, false, 0xFFFFFFFF}, {Opcode::kGet, false, false, 512},
      {Opcode::kGet, false, true, 64},           {Opcode::kPut, true, false, 16},
      {Opcode::kFifo, true, false, 16},          {Opcode::kSend, true, false, 16}};
  for (const Longest& kind : kinds) {
    for (unsigned bit = 0; bit < 37; ++bit) {
      for (const bool beyond : {false, true}) {
        const std::uint64_t away = random_.below(1ULL << bit) + beyond;
        std::uint64_t length = beyond ? kind.bytes + away : kind.bytes - away;
        if (kind.opcode == Opcode::kGet) length &= ~63ULL;
        if (length - 1 >= kAll) continue;
        Descriptor x;
        x.set<d::opcode>(kind.opcode).set<d::immediate_valid>(kind.immediate);
        x.set<d::reflect>(kind.reflect).set<d::length>(length);
        drive(model_.descriptor_i, x);
        model_.enable_i = model_.peer_connected_i = 1;
        model_.mode_i = static_cast<CData>(QueueMode::kDoorbell);
        model_.eval();
        ASSERT_EQ(static_cast<Status>(model_.status_o),
                  length > kind.bytes ? Status::kLengthTooLong : Status::kOk)
            << name_of(kind.opcode) << " of " << length;
      }
    }
  }
}

TEST_F(DescriptorCheck, ComparesEveryBitOfABufferOfAPipeWithItsLength) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t length = random_.chance(50)
                                     ? 1ULL << random_.below(37)
                                     : 1 + (random_.bits64() >> (28 + random_.below(36)));
    const std::uint64_t some = random_.chance(40)   ? length + random_.below(3) - 1
                               : random_.chance(50) ? length ^ 1ULL << random_.below(32)
                                                    : random_.bits64();
    const std::uint64_t buffer = std::max<std::uint64_t>(1, some & 0xFFFFFFFF);
    Descriptor x;
    x.set<d::opcode>(Opcode::kPipe).set<d::length>(length);
    x.set<d::immediate>(PipeOperation()
                            .set<p::messages>(1ULL << random_.below(32))
                            .set<p::buffer_bytes>(buffer)
                            .bytes());
    drive(model_.descriptor_i, x);
    model_.enable_i = model_.peer_connected_i = 1;
    model_.mode_i = static_cast<CData>(QueueMode::kDoorbell);
    model_.region_status_i = 0;
    model_.eval();
    ASSERT_EQ(static_cast<Status>(model_.status_o),
              buffer > length ? Status::kLengthTooLong : Status::kOk)
        << buffer << " in " << length;
  }
}

}  // namespace
}  // namespace torusmu::testing

// SPDX-License-Identifier: Apache-2.0
// model: Vmu_injection_block tb/mu_injection_block.sv
//
// Queue engine and injection engine together. What the reflection credits do is in
// injection_reflection_test.cc.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/support/injection_bench.h"
#include "tests/support/injection_oracle.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;
namespace r = layout::region_entry;

constexpr unsigned kQueue = 8;
constexpr std::uint64_t kOwner = 2;
constexpr Address kRing = 0x1000;
constexpr Address kBuffer = 0x10000;

class InjectionBlock : public ::testing::Test {
 protected:
  InjectionBlock() : trace_(__FILE__, __LINE__, random_.replay()), bench_(random_) {
    bench_.around.regions[5] = RegionEntry()
                                   .set<r::base>(kBuffer)
                                   .set<r::length>(0x20000)
                                   .set<r::enable>(1)
                                   .set<r::remote_read>(1)
                                   .set<r::owner>(kOwner);
    bench_.around.counters[7] = {true, kOwner};
    bench_.around.events[9] = {true, kOwner};
  }

  Descriptor put(std::uint64_t offset, std::uint64_t length) {
    PacketHeader image;
    image.set<h::dst_x>(3).set<h::dst_y>(1).set<h::target>(11).set<h::offset>(0x123456789).set<h::word>(
        0xCAFE);
    return Descriptor()
        .set<d::opcode>(Opcode::kPut)
        .set<d::source_region>(5)
        .set<d::source_offset>(offset)
        .set<d::length>(length)
        .set<d::sequence_number>(static_cast<std::uint32_t>(random_.bits64()))
        .set<d::header>(image);
  }
  Descriptor immediate(std::uint64_t length) {
    std::array<std::uint8_t, 16> payload;
    for (auto& byte : payload) byte = static_cast<std::uint8_t>(random_.bits64());
    return put(0, length).set<d::immediate_valid>(1).set<d::immediate>(payload);
  }
  // As a GET packet would have stamped it.
  Descriptor stamped(Descriptor descriptor) {
    PacketHeader image = descriptor.get<d::header>();
    image.set<h::src_x>(3).set<h::src_y>(1).set<h::client>(1);
    return descriptor.set<d::header>(image);
  }
  Origin origin(std::uint64_t index, QueueMode mode = QueueMode::kDoorbell) {
    return {mode, kOwner, kQueue, index};
  }
  // Runs the descriptors in one queue and compares everything that comes out.
  void run_and_compare(const std::vector<Descriptor>& descriptors, std::uint32_t size = 64,
                       QueueMode mode = QueueMode::kDoorbell, bool halts = false) {
    bench_.make_queue(kQueue, kRing, size, mode, kOwner, halts);
    std::vector<Packet> packets, notices;
    std::vector<CounterOperation> operations;
    std::uint64_t errors = 0, first_error = 0, retired = 0;
    Status first_status = Status::kOk;
    for (std::size_t i = 0; i < descriptors.size(); ++i) {
      if (!halts || errors == 0) {
        const Outcome outcome = expected_outcome(bench_.around, descriptors[i], origin(i, mode));
        packets.insert(packets.end(), outcome.packets.begin(), outcome.packets.end());
        operations.insert(operations.end(), outcome.operations.begin(), outcome.operations.end());
        if (outcome.notice) notices.push_back(*outcome.notice);
        if (outcome.status != Status::kOk && errors++ == 0) {
          first_error = i;
          first_status = outcome.status;
        }
        ++retired;
      }
      if (mode == QueueMode::kDoorbell) {
        while (i - bench_.read(InjectionBench::Block::kQueue,
                               registers::injection_queue::head(kQueue)) >= size) {
          bench_.tick();
        }
        bench_.put(kQueue, descriptors[i]);
        ASSERT_EQ(bench_.doorbell(kQueue), Status::kOk);
      } else {
        Status status = bench_.deliver(kQueue, descriptors[i]);
        for (int tries = 0; status == Status::kQueueFull && tries < 1000; ++tries) {
          bench_.ticks(10);
          status = bench_.deliver(kQueue, descriptors[i]);
        }
        ASSERT_EQ(status, Status::kOk);
      }
    }
    bench_.drain();
    const bool replies = mode == QueueMode::kReflection;
    compare("packets", replies ? bench_.replies : bench_.requests, packets);
    if (!replies) compare("notices", bench_.replies, notices);
    EXPECT_EQ(bench_.operations, operations);
    const auto state = bench_.state(kQueue);
    EXPECT_EQ(state.head, retired);
    EXPECT_EQ(state.tail, descriptors.size());
    EXPECT_EQ(state.count, errors);
    EXPECT_EQ(state.status, first_status);
    EXPECT_EQ(state.index, first_error);
    EXPECT_EQ(state.halted, halts && errors != 0);
    EXPECT_EQ(bench_.causes[kOwner * 8 + static_cast<unsigned>(Cause::kError)], errors);
  }
  static void compare(const char* what, const std::vector<SentPacket>& got,
                      const std::vector<Packet>& wanted) {
    ASSERT_EQ(got.size(), wanted.size()) << what;
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i].packet.bytes(), wanted[i].bytes()) << what << " " << i;
    }
  }

  Random random_;
  ::testing::ScopedTrace trace_;
  InjectionBench bench_;
};

TEST_F(InjectionBlock, SendsEveryLengthOfAnImmediatePut) {
  std::vector<Descriptor> descriptors;
  for (std::uint64_t length = 1; length <= 16; ++length) descriptors.push_back(immediate(length));
  run_and_compare(descriptors);
}

TEST_F(InjectionBlock, CutsEveryLengthIntoPackets) {
  std::vector<Descriptor> descriptors;
  for (const std::uint64_t length : {1, 31, 32, 33, 511, 512, 513, 1024, 4096 + 7}) {
    for (const std::uint64_t offset : {0, 1, 31, 32, 63, 4095}) {
      descriptors.push_back(put(offset, length));
    }
  }
  run_and_compare(descriptors);
}

TEST_F(InjectionBlock, RunsEveryOpcode) {
  run_and_compare({
      immediate(5).set<d::opcode>(Opcode::kFifo),
      put(100, 1000).set<d::opcode>(Opcode::kFifo).set<d::interrupt_target>(1),
      put(0, 512).set<d::opcode>(Opcode::kGet),
      put(7, 64).set<d::opcode>(Opcode::kGet),
      Descriptor().set<d::opcode>(Opcode::kNop),
      Descriptor().set<d::opcode>(Opcode::kNop).set<d::done_event_valid>(1).set<d::done_event>(9),
      immediate(0).set<d::opcode>(Opcode::kCtrAdd).set<d::event_valid>(1).set<d::event_counter>(9),
      immediate(0).set<d::opcode>(Opcode::kCtrSet).set<d::event_valid>(1).set<d::event_counter>(9),
      immediate(0).set<d::opcode>(Opcode::kCtrAdd).set<d::counter_valid>(1).set<d::counter>(7),
      immediate(0).set<d::opcode>(Opcode::kCtrSet).set<d::counter_valid>(1).set<d::counter>(7),
  });
}

TEST_F(InjectionBlock, PassesOnWhatTheTargetCounts) {
  run_and_compare({immediate(3)
                       .set<d::counter_valid>(1)
                       .set<d::counter>(0xA5)
                       .set<d::event_valid>(1)
                       .set<d::event_counter>(0x5A)
                       .set<d::interrupt_target>(1),
                   put(3, 700).set<d::event_valid>(1).set<d::event_counter>(0xFF)});
}

TEST_F(InjectionBlock, CountsWhatItHasReadAndTellsWhenItIsDone) {
  const auto counted = [](Descriptor descriptor) {
    return descriptor.set<d::injection_counter_valid>(1)
        .set<d::injection_counter>(7)
        .set<d::done_event_valid>(1)
        .set<d::done_event>(9)
        .set<d::interrupt_done>(1);
  };
  run_and_compare({counted(put(5, 1300)), counted(immediate(9)), counted(put(0, 1))});
  EXPECT_EQ(bench_.causes[kOwner * 8 + static_cast<unsigned>(Cause::kDone)], 3U);
}

}  // namespace
}  // namespace torusmu::testing

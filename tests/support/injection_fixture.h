// SPDX-License-Identifier: Apache-2.0
// What the tests of queue engine and injection engine share: a bench with one region, one byte
// counter, one event counter and one queue, descriptors that use them, and the comparison with the
// expectation.

#ifndef TESTS_SUPPORT_INJECTION_FIXTURE_H_
#define TESTS_SUPPORT_INJECTION_FIXTURE_H_

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "sim/machine/profile.h"
#include "tests/support/injection_bench.h"
#include "tests/support/injection_oracle.h"

namespace torusmu::testing {

inline constexpr unsigned kQueue = 8;
inline constexpr std::uint64_t kOwner = 2;
inline constexpr Address kRing = 0x1000;
inline constexpr Address kBuffer = 0x10000;

class InjectionFixture : public ::testing::Test {
 protected:
  InjectionFixture() : trace_(__FILE__, __LINE__, random_.replay()), bench_(random_) {
    bench_.around.regions[5] = RegionEntry()
                                   .set<layout::region_entry::base>(kBuffer)
                                   .set<layout::region_entry::length>(0x20000)
                                   .set<layout::region_entry::enable>(1)
                                   .set<layout::region_entry::remote_read>(1)
                                   .set<layout::region_entry::owner>(kOwner);
    bench_.around.counters[7] = {true, kOwner};
    bench_.around.events[9] = {true, kOwner};
  }

  Descriptor put(std::uint64_t offset, std::uint64_t length) {
    PacketHeader image;
    image.set<layout::packet_header::dst_x>(3)
        .set<layout::packet_header::dst_y>(1)
        .set<layout::packet_header::target>(11)
        .set<layout::packet_header::offset>(0x123456789)
        .set<layout::packet_header::word>(0xCAFE);
    return Descriptor()
        .set<layout::descriptor::opcode>(Opcode::kPut)
        .set<layout::descriptor::source_region>(5)
        .set<layout::descriptor::source_offset>(offset)
        .set<layout::descriptor::length>(length)
        .set<layout::descriptor::sequence_number>(static_cast<std::uint32_t>(random_.bits64()))
        .set<layout::descriptor::header>(image);
  }
  Descriptor immediate(std::uint64_t length) {
    std::array<std::uint8_t, 16> payload;
    for (auto& byte : payload) byte = static_cast<std::uint8_t>(random_.bits64());
    return put(0, length)
        .set<layout::descriptor::immediate_valid>(1)
        .set<layout::descriptor::immediate>(payload);
  }
  // As a GET packet would have stamped it.
  Descriptor stamped(Descriptor descriptor) {
    PacketHeader image = descriptor.get<layout::descriptor::header>();
    image.set<layout::packet_header::src_x>(3)
        .set<layout::packet_header::src_y>(1)
        .set<layout::packet_header::client>(1);
    return descriptor.set<layout::descriptor::header>(image);
  }
  Origin origin(std::uint64_t index, QueueMode mode = QueueMode::kDoorbell) {
    return {mode, owner_, queue_, index};
  }
  // Runs the descriptors in one queue and compares everything that comes out.
  void run_and_compare(const std::vector<Descriptor>& descriptors, std::uint32_t size = 64,
                       QueueMode mode = QueueMode::kDoorbell, bool halts = false) {
    bench_.make_queue(queue_, kRing, size, mode, owner_, halts);
    run_in_queue(descriptors, size, mode, halts, 0);
  }
  // The first of them has that index.
  void run_in_queue(const std::vector<Descriptor>& descriptors, std::uint32_t size, QueueMode mode,
                    bool halts, std::uint32_t first) {
    std::vector<Packet> packets, notices;
    std::vector<CounterOperation> operations;
    std::uint64_t errors = 0, first_error = 0, retired = 0;
    std::array<unsigned, 8 * kProfile.clients> causes{};
    Status first_status = Status::kOk;
    for (std::size_t i = 0; i < descriptors.size(); ++i) {
      const auto index = static_cast<std::uint32_t>(first + i);
      if (!halts || errors == 0) {
        const Outcome outcome =
            expected_outcome(bench_.around, descriptors[i], origin(index, mode));
        packets.insert(packets.end(), outcome.packets.begin(), outcome.packets.end());
        operations.insert(operations.end(), outcome.operations.begin(), outcome.operations.end());
        if (outcome.notice) notices.push_back(*outcome.notice);
        if (outcome.status != Status::kOk && errors++ == 0) {
          first_error = index;
          first_status = outcome.status;
        }
        const bool done = outcome.status == Status::kOk &&
                          descriptors[i].get<layout::descriptor::interrupt_done>() != 0;
        if (done) ++causes[cause(Cause::kDone)];
        ++retired;
      }
      if (mode == QueueMode::kDoorbell) {
        bench_.wait_for_room(queue_, index, size);
        bench_.put(queue_, descriptors[i]);
        ASSERT_EQ(bench_.doorbell(queue_), Status::kOk);
      } else {
        Status status = bench_.deliver(queue_, descriptors[i]);
        for (int tries = 0; status == Status::kQueueFull && tries < 1000; ++tries) {
          bench_.ticks(10);
          status = bench_.deliver(queue_, descriptors[i]);
        }
        ASSERT_EQ(status, Status::kOk);
      }
    }
    bench_.drain();
    const bool replies = mode == QueueMode::kReflection;
    compare("packets", replies ? bench_.replies : bench_.requests, packets);
    if (!replies) compare("notices", bench_.replies, notices);
    EXPECT_EQ(bench_.operations, operations);
    const auto state = bench_.state(queue_);
    EXPECT_EQ(state.head, static_cast<std::uint32_t>(first + retired));
    EXPECT_EQ(state.tail, static_cast<std::uint32_t>(first + descriptors.size()));
    EXPECT_EQ(state.count, errors);
    EXPECT_EQ(state.status, first_status);
    EXPECT_EQ(state.index, first_error);
    EXPECT_EQ(state.halted, halts && errors != 0);
    causes[cause(Cause::kError)] = static_cast<unsigned>(errors);
    EXPECT_EQ(bench_.causes, causes);
  }
  // What has come out so far has been judged.
  void forget() {
    bench_.requests.clear();
    bench_.replies.clear();
    bench_.operations.clear();
    bench_.causes = {};
  }
  unsigned cause(Cause which) const {
    return static_cast<unsigned>(owner_) * 8 + static_cast<unsigned>(which);
  }
  static void compare(const char* what, const std::vector<SentPacket>& got,
                      const std::vector<Packet>& wanted) {
    ASSERT_EQ(got.size(), wanted.size()) << what;
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i].packet.bytes(), wanted[i].bytes()) << what << " " << i;
    }
  }

  unsigned queue_ = kQueue;  // the one that runs, and whose it is
  std::uint64_t owner_ = kOwner;
  Random random_;
  ::testing::ScopedTrace trace_;
  InjectionBench bench_;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_INJECTION_FIXTURE_H_

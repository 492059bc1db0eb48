// SPDX-License-Identifier: Apache-2.0
// For tests of what holds for each injection queue: queues are made anew, one peer for all, with a
// completion queue, and descriptors of each opcode.

#ifndef TESTS_SUPPORT_EVERY_QUEUE_FIXTURE_H_
#define TESTS_SUPPORT_EVERY_QUEUE_FIXTURE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "sim/machine/profile.h"
#include "tests/support/injection_fixture.h"

namespace torusmu::testing {

inline constexpr unsigned kQueues = kProfile.injection_queues;
inline constexpr unsigned kTimes = kQueues / kSim.injection_queues;  // as long as in profile sim
inline constexpr unsigned kEvent = 9;
inline constexpr unsigned kCompletions = 5;  // a completion queue
inline constexpr std::uint32_t kPeerNode = 0x101;

class EveryQueue : public InjectionFixture {
 protected:
  EveryQueue() {
    namespace p = registers::injection_queue::peer_field;
    bench_.limit<layout::node_limits::send_retry_cycles>(500);
    bench_.limit<layout::node_limits::send_retries>(255);
    bench_.make_completion_queue(kCompletions, 1024, kOwner);
    peer_ = insert(0, p::x, kPeerNode & 15) | insert(0, p::z, kPeerNode >> 8) |
            insert(0, p::queue, 3) | insert(0, p::connected, 1) |
            insert(0, p::completion_valid, 1) | insert(0, p::completion_queue, kCompletions);
  }
  void make(unsigned queue, QueueMode mode = QueueMode::kDoorbell) { make(bench_, queue, mode); }
  void make(InjectionBench& bench, unsigned queue, QueueMode mode = QueueMode::kDoorbell,
            std::uint64_t owner = kOwner) {
    ASSERT_EQ(bench.write(RegisterUnit::kQueue, registers::injection_queue::config(queue), 0),
              Status::kOk);
    ASSERT_EQ(bench.write(RegisterUnit::kQueue, registers::injection_queue::peer(queue), peer_),
              Status::kOk);
    bench.make_queue(queue, 0x40000 + queue * 0x400, 16, mode, owner);
  }
  void post(unsigned queue, const std::vector<Descriptor>& descriptors) {
    for (const Descriptor& descriptor : descriptors) bench_.put(queue, descriptor);
    ASSERT_EQ(bench_.doorbell(queue), Status::kOk);
  }
  static Descriptor with(Opcode opcode) {
    return Descriptor().set<layout::descriptor::opcode>(opcode);
  }
  static Descriptor wait(std::uint32_t value) {
    return with(Opcode::kWait)
        .set<layout::descriptor::event_valid>(1)
        .set<layout::descriptor::event_counter>(kEvent)
        .set<layout::descriptor::immediate>(
            WaitOperation().set<layout::wait_operation::value>(value).bytes());
  }
  static Descriptor wait_for_queue(unsigned queue, std::uint32_t value) {
    return with(Opcode::kWait)
        .set<layout::descriptor::on_queue>(1)
        .set<layout::descriptor::header>(PacketHeader().set<layout::packet_header::target>(queue))
        .set<layout::descriptor::immediate>(
            WaitOperation().set<layout::wait_operation::value>(value).bytes());
  }
  static Descriptor moving(Opcode opcode, std::uint64_t length) {
    return with(opcode).set<layout::descriptor::source_region>(5).set<layout::descriptor::length>(
        length);
  }
  static Descriptor pipe(unsigned in, unsigned messages = 1, std::uint64_t length = 512) {
    return moving(Opcode::kPipe, length)
        .set<layout::descriptor::immediate>(PipeOperation()
                                                .set<layout::pipe_operation::messages>(messages)
                                                .set<layout::pipe_operation::buffer_bytes>(512)
                                                .set<layout::pipe_operation::receive_queue>(in)
                                                .bytes());
  }
  // Queues in a random order.
  std::vector<unsigned> shuffled() {
    std::vector<unsigned> queues(kQueues);
    std::iota(queues.begin(), queues.end(), 0U);
    for (unsigned i = 0; i < kQueues; ++i) std::swap(queues[i], queues[i + below(kQueues - i)]);
    return queues;
  }
  unsigned below(unsigned bound) { return static_cast<unsigned>(random_.below(bound)); }
  static unsigned queue_of(const ReceiveBuffer& buffer) {
    return static_cast<unsigned>(buffer.get<layout::receive_buffer::queue>());
  }
  static std::vector<unsigned> queues_of(const std::vector<SentPacket>& packets) {
    std::vector<unsigned> queues;
    for (const SentPacket& sent : packets) {
      queues.push_back(static_cast<unsigned>(
          PacketTrailer(sent.packet.trailer).get<layout::packet_trailer::queue>()));
    }
    return queues;
  }
  // Each of `wanted`, those behind the first one first, and so on for some rounds.
  static void expect_turns(const std::vector<unsigned>& got, std::vector<unsigned> wanted,
                           unsigned rounds = 1) {
    ASSERT_EQ(got.size(), wanted.size() * rounds);
    std::sort(wanted.begin(), wanted.end());
    std::rotate(wanted.begin(), std::find(wanted.begin(), wanted.end(), got.front()), wanted.end());
    std::vector<unsigned> all;
    for (unsigned i = 0; i < rounds; ++i) all.insert(all.end(), wanted.begin(), wanted.end());
    EXPECT_EQ(got, all);
  }
  void expect_rest() {
    bench_.drain();
    EXPECT_FALSE(bench_.activity<layout::send_activity::active_queue>());
    EXPECT_FALSE(bench_.activity<layout::send_activity::active_cross>());
    EXPECT_FALSE(bench_.activity<layout::send_activity::active_injection>());
    EXPECT_FALSE(bench_.activity<layout::send_activity::active_reply>());
    EXPECT_FALSE(bench_.activity<layout::send_activity::active_packet>());
  }

  std::uint64_t peer_ = 0;  // register
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_EVERY_QUEUE_FIXTURE_H_

// SPDX-License-Identifier: Apache-2.0
// model: Vmu_send_engine mu_send_engine
// bgp:
//
// What one queue does in the cycle in which another does something.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/support/every_queue_fixture.h"

namespace torusmu::testing {
namespace {

namespace c = registers::injection_queue;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

class QueueCoincidences : public EveryQueue {
 protected:
  static std::uint32_t node_of(const PacketHeader& header) {
    return static_cast<std::uint32_t>(header.get<h::dst_x>() | header.get<h::dst_y>() << 4U |
                                      header.get<h::dst_z>() << 8U);
  }
  // A peer and a target that answer at once, and messages for all buffers.
  void answer_all() {
    for (; answered_ < bench_.requests.size(); ++answered_) {
      if (bench_.requests[answered_].last == 0) break;  // not all of it has come
      const Packet packet = bench_.requests[answered_].packet;
      const PacketTrailer trailer = packet.trailer;
      const bool fence = packet.header.get<h::kind>() == Kind::kFence;
      const auto number = fence ? trailer.get<t::index>() : trailer.get<t::sequence_number>();
      bench_.answer(static_cast<unsigned>(trailer.get<t::queue>()),
                    static_cast<std::uint32_t>(number), Status::kOk, node_of(packet.header), fence);
    }
    for (; filled_ < bench_.buffers.size(); ++filled_) {
      bench_.end_receive(queue_of(bench_.buffers[filled_]), 1 + below(512));
    }
  }

 private:
  std::size_t answered_ = 0, filled_ = 0;
};

TEST_F(QueueCoincidences, ConfiguringAQueueFlushesNothingOfAnother) {
  for (int round = 0; round < 200; ++round) {
    // Of all queues, one that stands for none where no register is accessed.
    const unsigned other = round % 2 == 0 ? 0 : below(kQueues);
    const unsigned queue = (other + 1 + below(kQueues - 1)) % kQueues;
    make(queue);
    post(queue, {moving(Opcode::kSend, 8), moving(Opcode::kSend, 8)});
    bench_.drain();
    make(other);
    post(other, std::vector<Descriptor>(12, immediate(4)));
    bench_.ticks(below(60));
    ASSERT_EQ(bench_.write(RegisterUnit::kQueue, c::config(queue), 0), Status::kOk);
    bench_.drain();
    ASSERT_EQ(bench_.state(other).head, 12U) << "round " << round;
    ASSERT_EQ(bench_.state(other).count, 0U) << "round " << round;
  }
}

TEST_F(QueueCoincidences, AFenceMayBeginWhileAPipeBeginsASend) {
  const unsigned in = 20, out = 21, fences = 22;
  for (int round = 0; round < 30; ++round) {
    make(in, QueueMode::kPiped);
    make(out);
    make(fences);
    post(out, {pipe(in, 40, 2048)});
    std::vector<Descriptor> program;
    for (int i = 0; i < 7; ++i) {
      program.push_back(with(Opcode::kFence));
      program.push_back(moving(Opcode::kSend, 8));
    }
    post(fences, program);
    for (int cycle = 0; cycle < 3000; ++cycle) {
      bench_.tick();
      answer_all();
    }
    ASSERT_EQ(bench_.state(fences).head, program.size());
    ASSERT_EQ(bench_.state(out).head, 1U);
    ASSERT_EQ(bench_.state(out).count + bench_.state(fences).count, 0U);
  }
}

}  // namespace
}  // namespace torusmu::testing

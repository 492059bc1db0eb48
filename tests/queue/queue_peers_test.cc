// SPDX-License-Identifier: Apache-2.0
// bgp: -GQUEUES=128

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "Vmu_queue_peers.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/port_bits.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr std::uint64_t kPeerBits = (1ULL << 40) - 1;

constexpr unsigned kQueues = kProfile.injection_queues;

class QueuePeers : public ::testing::Test {
 protected:
  void write(unsigned queue, std::uint64_t peer) {
    dut_->write_i = 1;
    dut_->write_queue_i = static_cast<std::uint8_t>(queue);
    dut_->write_peer_i = peer;
    dut_.tick();
    dut_->write_i = 0;
    dut_.settle();
  }
  // What all ports say.
  std::uint64_t read(unsigned queue) {
    dut_->register_queue_i = dut_->send_queue_i = dut_->entry_queue_i = dut_->told_queue_i =
        dut_->receive_queue_i = dut_->answer_queue_i = static_cast<std::uint8_t>(queue);
    dut_.settle();
    const std::uint64_t peer = dut_->register_peer_o;
    for (const std::uint64_t other : {dut_->send_peer_o, dut_->entry_peer_o, dut_->told_peer_o,
                                      dut_->receive_peer_o, dut_->answer_peer_o}) {
      EXPECT_EQ(other, peer);
    }
    return peer;
  }

  Random random_;
  Clocked<Vmu_queue_peers> dut_{random_.seed()};
};

TEST_F(QueuePeers, AreZeroUntilTheyAreWritten) {
  for (unsigned queue = 0; queue < 256; ++queue) EXPECT_EQ(read(queue), 0U);
}

TEST_F(QueuePeers, AreWhatWasWrittenLast) {
  std::array<std::uint64_t, kQueues> peers{};
  for (int i = 0; i < 200; ++i) {
    const auto queue = static_cast<unsigned>(random_.below(kQueues));
    write(queue, peers.at(queue) = random_.below(kPeerBits));
  }
  for (unsigned queue = 0; queue < kQueues; ++queue) EXPECT_EQ(read(queue), peers.at(queue));
  EXPECT_EQ(read(kQueues), 0U) << "a queue that does not exist";
}

TEST_F(QueuePeers, AnswerEachPortItsOwnQuestion) {
  for (unsigned queue = 0; queue < kQueues; ++queue) write(queue, 0x100 + queue);
  dut_->send_queue_i = 4;
  dut_->answer_queue_i = 5;
  dut_.settle();
  EXPECT_EQ(dut_->send_peer_o, 0x104U);
  EXPECT_EQ(dut_->answer_peer_o, 0x105U);
}

TEST_F(QueuePeers, TellWhichAreDynamicallyConnected) {
  EXPECT_EQ(bits_of(dut_->dynamic_o), 0U);
  for (const unsigned queue : {0U, 7U, kQueues - 1}) write(queue, 1U << 23 | 1U << 20);
  EXPECT_EQ(bits_of(dut_->dynamic_o), bit(kQueues - 1) | bit(7) | bit(0));
  write(7, 1U << 20);
  EXPECT_EQ(bits_of(dut_->dynamic_o), bit(kQueues - 1) | bit(0));
  dut_.reset();
  EXPECT_EQ(bits_of(dut_->dynamic_o), 0U);
}

TEST_F(QueuePeers, OfQueuesThatDoNotExistAreZero) {
  for (unsigned queue = 0; queue < kQueues; ++queue) write(queue, kPeerBits);
  for (unsigned queue = kQueues; queue < 256; ++queue) EXPECT_EQ(read(queue), 0U) << queue;
}

TEST_F(QueuePeers, ChangeOnlyWhenWrittenAndAreForgottenInReset) {
  constexpr std::uint64_t kDynamic = 1U << 23;
  for (int round = 0; round < 8; ++round) {
    std::array<std::uint64_t, kQueues> peers{};
    PortBits dynamic;
    for (int i = 0; i < 100; ++i) {
      const auto queue = static_cast<unsigned>(random_.below(kQueues));
      const std::uint64_t peer = random_.below(kPeerBits);
      if (random_.chance(50)) {
        write(queue, peers.at(queue) = peer);
        dynamic[queue] = (peer & kDynamic) != 0;
      } else {
        dut_->write_queue_i = static_cast<std::uint8_t>(queue);
        dut_->write_peer_i = peer;
        dut_.tick();
      }
      ASSERT_EQ(bits_of(dut_->dynamic_o), dynamic);
      ASSERT_EQ(read(queue), peers.at(queue));
    }
    dut_.reset();
    EXPECT_EQ(bits_of(dut_->dynamic_o), 0U);
    for (unsigned queue = 0; queue < kQueues; ++queue) ASSERT_EQ(read(queue), 0U);
  }
}

}  // namespace
}  // namespace torusmu::testing

// SPDX-License-Identifier: Apache-2.0
// A node with a receive queue in mode PIPED and a send queue for a PIPE. The test is the peer of
// both.
#ifndef TORUSMU_TESTS_SUPPORT_PIPE_FIXTURE_H_
#define TORUSMU_TESTS_SUPPORT_PIPE_FIXTURE_H_

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "tests/support/queue_pair_fixture.h"

namespace torusmu::testing {

class PipeTest : public QueuePairTest {
 protected:
  static constexpr Bytes kBytes = 1000;  // of a buffer
  static constexpr std::uint32_t kPipeWord = 0xBEEF;
  static constexpr QueueId kOtherReceive{16};
  static constexpr Cycles kRetry = 1 << 18;

  void open_queues(QueueTells tells = {}) {
    open(kReceive, QueueMode::kPiped, kPeer, kPeerQueue);
    open_send(tells);
  }
  static Descriptor pipe(std::uint32_t messages, std::uint32_t buffers = 4, Arrival arrival = {}) {
    return pipe_descriptor({kTargetRegion, 0, buffers * kBytes},
                           {messages, kReceive, static_cast<std::uint32_t>(kBytes)}, kPipeWord,
                           arrival);
  }
  // Through these buffers, whose list is written to memory.
  static constexpr Bytes kListOffset = 0xF00;
  static constexpr Address kList = kSource + kListOffset;
  Descriptor pipe_of(std::span<const Source> buffers, std::uint32_t messages) {
    const auto list = list_of(buffers);
    device().store(kList, list);
    return pipe_through({kSourceRegion, kListOffset, list.size()}, {messages, kReceive}, kPipeWord);
  }
  // The peer sends message `number`, and this becomes of it.
  std::vector<Packet> arrive(std::uint32_t number, Bytes length = 700) {
    deliver_all(message(number, length), number);
    return settle("message " + std::to_string(number));
  }
  std::vector<Packet> answer_well(std::uint32_t number) {
    deliver(acknowledgement(number));
    return settle("SEND " + std::to_string(number) + " is acknowledged");
  }
  // What becomes of a queue that holds only this.
  Status ends(const Descriptor& descriptor) {
    open_queues();
    post(kSend, descriptor);
    EXPECT_TRUE(settle("it ends").empty());
    EXPECT_EQ(head(kSend), 1U);
    return status(kSend);
  }
  // Nobody gives the receive queue a buffer.
  void expect_refused(std::uint32_t number) {
    const auto packets = arrive(number);
    ASSERT_EQ(packets.size(), 1U);
    EXPECT_TRUE(refuses(packets[0], Status::kReceiveDisabled));
  }

  // --- what left ---
  static unsigned count(const std::vector<Packet>& packets, Kind kind) {
    unsigned found = 0;
    for (const Packet& packet : packets) found += kind_of(packet) == kind ? 1 : 0;
    return found;
  }
  static bool has_acknowledged(const std::vector<Packet>& packets, std::uint32_t number) {
    return std::any_of(packets.begin(), packets.end(),
                       [&](const Packet& packet) { return acknowledges(packet, number); });
  }
  static bool has_refused(const std::vector<Packet>& packets, Status status) {
    return std::any_of(packets.begin(), packets.end(),
                       [&](const Packet& packet) { return refuses(packet, status); });
  }
  // Bytes of SEND `number`.
  static std::vector<std::uint8_t> bytes_sent(const std::vector<Packet>& packets,
                                              std::uint32_t number) {
    std::vector<std::uint8_t> bytes;
    for (const Packet& packet : packets) {
      if (kind_of(packet) != Kind::kSend) continue;
      if (packet.trailer.get<layout::packet_trailer::sequence_number>() != number) continue;
      bytes.insert(bytes.end(), packet.payload.begin(), packet.payload.end());
    }
    return bytes;
  }
  std::vector<std::byte> in_buffer(std::uint32_t n, Bytes length) {
    return memory(kTarget + n * kBytes, length);
  }
};

}  // namespace torusmu::testing

#endif  // TORUSMU_TESTS_SUPPORT_PIPE_FIXTURE_H_

// SPDX-License-Identifier: Apache-2.0
// A node with a dynamically connected receive queue, and the packets of as many senders as a test
// wants.
#ifndef TORUSMU_TESTS_SUPPORT_DYNAMIC_QUEUE_FIXTURE_H_
#define TORUSMU_TESTS_SUPPORT_DYNAMIC_QUEUE_FIXTURE_H_

#include <vector>

#include "tests/support/queue_pair_fixture.h"

namespace torusmu::testing {

class DynamicQueueTest : public QueuePairTest {
 protected:
  static constexpr std::uint32_t kManySlots = 16;
  static constexpr Bytes kBytes = 1300;  // of a message: three packets
  static constexpr std::uint32_t kContexts = kSim.reassembly_contexts;
  static constexpr QueueId kOtherReceive{16};
  static constexpr QueueTells kTold{.completion = static_cast<int>(kCompletions.value)};

  DynamicQueueTest() { own().open_completion_queue(kCompletions, kCompletionRing, kManySlots); }

  void open_dynamic_receive(QueueTells tells = {}, QueueRules rules = {},
                            std::uint32_t slots = kManySlots) {
    open_dynamic(kReceive, QueueMode::kReceive, tells, rules, slots);
  }
  // What a peer register says, and nobody asks, of the other end of a queue pair.
  static std::uint64_t peer_of_no_account(std::uint64_t connected) {
    namespace f = registers::injection_queue::peer_field;
    const std::uint64_t node =
        insert(insert(insert(0, f::x, kPeer.x), f::y, kPeer.y), f::z, kPeer.z);
    return insert(insert(insert(node, f::queue, kPeerQueue.value), f::dynamic, 1), f::connected,
                  connected);
  }
  void open_with(QueueId queue, QueueMode mode, std::uint64_t peer) {
    device().write64(registers::injection_queue::config(queue.value), 0);
    device().write64(registers::injection_queue::peer(queue.value), peer);
    EXPECT_EQ(device().read64(registers::injection_queue::peer(queue.value)), peer);
    open_ring(queue, mode);
  }
  // With a buffer of its own for each, beginning with that of number `first`.
  void post_receives(std::uint32_t count, std::uint32_t first = 0) {
    for (std::uint32_t i = first; i < first + count; ++i) {
      write(kReceive, receive_descriptor(buffer(i, kBytes)).set<layout::descriptor::signal>(1));
    }
    ring(kReceive);
  }

  // A copy of a message of sender i. Senders 0 and 1 are queues of one number on two nodes, 0 and 2
  // two queues of one node, and so on.
  struct Copy {
    std::uint32_t sender = 0;
    std::uint32_t number = 0;
    bool doubtful = false;
    Bytes length = kBytes;
  };
  struct QueueOfSender {
    Coordinates node;
    QueueId queue;
  };
  static QueueOfSender sender(std::uint32_t i) {
    return {i % 2 == 0 ? kPeer : kStranger, {kPeerQueue.value + i / 2}};
  }
  static std::vector<std::uint8_t> bytes(const Copy& copy) {
    return message(100 * copy.sender + copy.number, copy.length);
  }
  Packet packet(const Copy& copy, unsigned i) {
    namespace h = layout::packet_header;
    namespace t = layout::packet_trailer;
    const QueueOfSender from = sender(copy.sender);
    Packet result = packet_of(bytes(copy), i * Bytes{kSim.payload_bytes}, copy.number);
    result.header.set<h::src_x>(from.node.x).set<h::word>(kWord + copy.sender);
    result.trailer.set<t::queue>(from.queue.value)
        .set<t::dynamic>(1)
        .set<t::doubtful>(copy.doubtful);
    return result;
  }

  // What the sender is told of a message, by each answer.
  using Told = std::vector<Status>;
  static constexpr Status kStored = Status::kOk;
  // Packet `i` of the copy arrives, or all of it does. There are no answers but to its sender.
  Told arrives(const Copy& copy, unsigned i) { return told(copy, {packet(copy, i)}); }
  Told arrives(const Copy& copy) {
    std::vector<Packet> packets;
    for (unsigned i = 0; i * Bytes{kSim.payload_bytes} < copy.length; ++i) {
      packets.push_back(packet(copy, i));
    }
    return told(copy, packets);
  }
  Told told(const Copy& copy, const std::vector<Packet>& packets) {
    for (const Packet& each : packets) deliver(each);
    Told answers;
    for (const Packet& answer : settle("a message of sender " + std::to_string(copy.sender))) {
      EXPECT_TRUE(answers_to(copy, answer));
      answers.push_back(static_cast<Status>(word_of(answer) & 0xFF));
      if (kind_of(answer) == Kind::kAck) answers.back() = kStored;
    }
    return answers;
  }
  // So many senders, beginning with sender 0, each with the first packet of a message, or with all
  // of one.
  void begin_messages(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) EXPECT_EQ(arrives({i}, 0), Told{}) << i;
  }
  void take_messages(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) EXPECT_EQ(arrives({i}), Told{kStored}) << i;
  }
  // Buffer i holds what the copy carries.
  void expect_stored(std::uint32_t i, const Copy& copy) {
    EXPECT_EQ(received(i, copy.length), as_stored(bytes(copy))) << "buffer " << i;
  }
  void expect_empty(std::uint32_t i) {
    EXPECT_EQ(received(i, kBytes), nothing(kBytes)) << "buffer " << i;
  }

 private:
  static bool answers_to(const Copy& copy, const Packet& answer) {
    namespace h = layout::packet_header;
    namespace t = layout::packet_trailer;
    const QueueOfSender from = sender(copy.sender);
    if (answer.header.get<h::dst_x>() != from.node.x) return false;
    if (kind_of(answer) == Kind::kAck) {
      return answer.header.get<h::target>() == from.queue.value && word_of(answer) == copy.number;
    }
    return kind_of(answer) == Kind::kNotice &&
           static_cast<Kind>(word_of(answer) >> 8) == Kind::kSend &&
           answer.trailer.get<t::queue>() == from.queue.value &&
           answer.trailer.get<t::sequence_number>() == copy.number;
  }
};

}  // namespace torusmu::testing

#endif  // TORUSMU_TESTS_SUPPORT_DYNAMIC_QUEUE_FIXTURE_H_

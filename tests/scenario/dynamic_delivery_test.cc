// SPDX-License-Identifier: Apache-2.0
// Dynamically connected queues of the reference machine, in which packets are lost: a SEND that
// ends well has been received once, and any other not more than once. What the rules of
// docs/queue_pairs.md promise, whatever the RTL does.
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <vector>

#include "sim/play/scenario/raw_node.h"
#include "tb/reference_model/machine.h"

namespace torusmu {
namespace {

namespace d = layout::descriptor;
namespace e = layout::completion_entry;

constexpr Shape kShape{.x = 4, .y = 3, .z = 1};  // more nodes than a node has contexts
constexpr RegionId kSource{1}, kTarget{2};
constexpr QueueId kSend{10}, kReceive{11};
constexpr CompletionQueueId kSent{0}, kReceived{1};
constexpr std::uint32_t kSends = 24;   // of each node
constexpr std::uint32_t kSlots = 128;  // more than any node is sent
constexpr Bytes kMostBytes = 1600;
constexpr Address kSendRing = 0x1000, kReceiveRing = 0x4000, kSentRing = 0x8000,
                  kReceivedRing = 0xA000, kSourceBase = 0x10000, kTargetBase = 0x40000;
constexpr Cycles kBound = 20'000'000;

class LossyMachine {
 public:
  LossyMachine(std::uint64_t seed, unsigned percent_lost)
      : random_(seed), machine_({.shape = kShape, .memory_size = Bytes{1} << 20, .seed = seed}) {
    machine_.watch_packets([this, percent_lost](model::Packet&) {
      return random_.below(100) < percent_lost ? model::Fate::kLost : model::Fate::kArrives;
    });
    on_every_node([this](Device& device) { set_up(device); });
    for (std::uint32_t n = 0; n < kShape.nodes(); ++n) {
      machine_.node({n}).memory().write(kSourceBase, pattern(n, kMostBytes + kSends));
    }
    on_every_node([this](Device& device) { send(device); });
  }

  // How often each message was received, by its word.
  std::map<std::uint32_t, unsigned> received() {
    std::map<std::uint32_t, unsigned> times;
    for (std::uint32_t n = 0; n < kShape.nodes(); ++n) {
      for (const CompletionEntry& entry : entries(n, kReceived, kReceivedRing)) {
        const auto word = static_cast<std::uint32_t>(entry.get<e::word>());
        ++times[word];
        expect_stored(n, word, entry);
      }
    }
    return times;
  }
  // What its sender was told of each.
  std::map<std::uint32_t, Status> told() {
    std::map<std::uint32_t, Status> statuses;
    for (std::uint32_t n = 0; n < kShape.nodes(); ++n) {
      for (const CompletionEntry& entry : entries(n, kSent, kSentRing)) {
        statuses[static_cast<std::uint32_t>(entry.get<e::word>())] = entry.get<e::status>();
      }
    }
    return statuses;
  }

 private:
  void on_every_node(const Core::Program& program) {
    for (std::uint32_t n = 0; n < kShape.nodes(); ++n) {
      machine_.add_core({n}, program, machine_.now());
    }
    EXPECT_TRUE(machine_.run(machine_.now() + kBound));
    EXPECT_EQ(machine_.problems(), "");
  }
  static void set_up(Device& device) {
    RawNode node(device);
    device.write64(registers::node::send_retries(), 4);
    node.open_region(kSource, kSourceBase, kMostBytes + kSends, {.remote_write = false});
    node.open_region(kTarget, kTargetBase, kSlots * kMostBytes);
    node.open_completion_queue(kSent, kSentRing, kSlots);
    node.open_completion_queue(kReceived, kReceivedRing, kSlots);
    node.connect_dynamically(kSend, {.completion = static_cast<int>(kSent.value)});
    node.open_queue(kSend, kSendRing, std::bit_ceil(kSends), QueueMode::kDoorbell);
    node.connect_dynamically(kReceive, {.completion = static_cast<int>(kReceived.value)});
    node.open_queue(kReceive, kReceiveRing, kSlots, QueueMode::kReceive);
    for (std::uint32_t i = 0; i < kSlots; ++i) {
      node.write_descriptor(
          kReceiveRing, kSlots, i,
          receive_descriptor({kTarget, i * kMostBytes, kMostBytes}).set<d::signal>(1));
    }
    node.ring_doorbell(kReceive, kSlots);
  }
  // Message i of node n has the word 100 * n + i, and the bytes of the node's pattern from i on.
  // A third of all go to one node.
  void send(Device& device) {
    RawNode node(device);
    for (std::uint32_t i = 0; i < kSends; ++i) {
      const auto any = static_cast<std::uint32_t>(random_.below(kShape.nodes() * 3 / 2));
      const NodeId to{any < kShape.nodes() ? any : 0};
      const Source from{kSource, i, 1 + random_.below(kMostBytes)};
      node.write_descriptor(kSendRing, kSends, i,
                            dynamic_send_descriptor(kShape.coordinates(to), kReceive, from,
                                                    100 * device.node().value + i)
                                .set<d::signal>(1));
    }
    node.ring_doorbell(kSend, kSends);
  }
  std::vector<CompletionEntry> entries(std::uint32_t n, CompletionQueueId queue, Address ring) {
    std::vector<CompletionEntry> found;
    model::ReferenceNode& node = machine_.node({n});
    for (std::uint32_t i = 0; i < node.completion_queue(queue.value).tail; ++i) {
      std::array<std::uint8_t, CompletionEntry::kBytes> bytes{};
      node.memory().read(ring + i * CompletionEntry::kBytes,
                         std::as_writable_bytes(std::span(bytes)));
      found.push_back(CompletionEntry::from_bytes(bytes));
    }
    return found;
  }
  void expect_stored(std::uint32_t n, std::uint32_t word, const CompletionEntry& entry) {
    const Bytes length = entry.get<e::bytes>();
    std::vector<std::byte> found(length);
    machine_.node({n}).memory().read(kTargetBase + entry.get<e::index>() * kMostBytes, found);
    std::vector<std::byte> wanted = pattern(word / 100, word % 100 + length);
    wanted.erase(wanted.begin(), wanted.begin() + word % 100);
    EXPECT_EQ(found, wanted) << "message " << word;
    const NodeId sender{word / 100};
    EXPECT_EQ(entry.get<e::peer_x>(), kShape.coordinates(sender).x);
    EXPECT_EQ(entry.get<e::peer_y>(), kShape.coordinates(sender).y);
  }

  Rng random_;
  model::ReferenceMachine machine_;
};

TEST(DynamicQueues, DeliverEveryMessageOnceIfNoPacketIsLost) {
  LossyMachine machine(1, 0);
  const auto received = machine.received();
  for (const auto& [word, status] : machine.told()) {
    EXPECT_EQ(status, Status::kOk) << name_of(status);
    EXPECT_EQ(received.at(word), 1U) << word;
  }
  EXPECT_EQ(received.size(), kSends * kShape.nodes());
}

TEST(DynamicQueues, DeliverNoMessageTwiceAndEveryOneThatEndsWellThoughPacketsAreLost) {
  std::map<Status, unsigned> ends;
  for (const unsigned percent_lost : {2U, 10U, 30U}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      SCOPED_TRACE(testing::Message() << percent_lost << "% lost, seed " << seed);
      LossyMachine machine(seed, percent_lost);
      const auto told = machine.told();
      EXPECT_EQ(told.size(), kSends * kShape.nodes());
      auto received = machine.received();
      for (const auto& [word, status] : told) {
        EXPECT_LE(received[word], 1U) << "message " << word << ", " << name_of(status);
        EXPECT_GE(received[word], status == Status::kOk ? 1U : 0U) << "message " << word;
        ++ends[status];
      }
    }
  }
  EXPECT_GT(ends[Status::kOk], 1000U);
  EXPECT_GT(ends[Status::kDeliveryUnknown], 0U) << "no context was given up too early";
  EXPECT_GT(ends[Status::kRetryExceeded], 0U) << "no sender gave a message up";
  EXPECT_EQ(ends.size(), 3U) << "a SEND ended in another way";
}

}  // namespace
}  // namespace torusmu

// SPDX-License-Identifier: Apache-2.0
// What a FENCE promises, cycle by cycle, on a node whose memory answers late and in any order: its
// answer leaves when everything before it is in memory, and it is done when every refusal before
// its answer lies in the notice ring.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "tests/support/fence_fixture.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;
using model::Packet;

constexpr Coordinates kHere{1, 1, 1};
// The neighbours in x+, x-, y+, y-, z+ and z-, and the links that they send on.
constexpr std::array<Coordinates, 6> kNeighbours{
    {{2, 1, 1}, {0, 1, 1}, {1, 2, 1}, {1, 0, 1}, {1, 1, 2}, {1, 1, 0}}};
constexpr Bytes kPart = 0x2000;  // of the target region, for one neighbour
constexpr QueueId kQueue{13};
constexpr Address kRing = 0x40000;
constexpr Cycles kBound = 100'000;

NodeBenchOptions slow_memory(std::uint64_t seed) {
  NodeBenchOptions options;
  options.timing.write_latency = 60;
  options.timing.random_extra = 300;
  options.timing.stall_permille = 300;
  options.timing.reorder = true;
  options.seed = seed;
  return options;
}

bool holds(NodeMemory& memory, Address at, const std::vector<std::uint8_t>& wanted) {
  std::vector<std::byte> found(wanted.size());
  memory.read(at, found);
  return std::equal(found.begin(), found.end(), std::as_bytes(std::span(wanted)).begin());
}

Packet fence_from(unsigned neighbour, std::uint32_t index) {
  Packet packet = put_packet(kNeighbours.at(neighbour), kHere, {}, kTargetRegion.value, 0);
  packet.header.set<h::kind>(Kind::kFence);
  packet.trailer.set<t::queue>(neighbour).set<t::index>(index);
  packet.seal();
  return packet;
}

struct Stored {
  Address at;
  std::vector<std::uint8_t> bytes;
};

// What the neighbours have sent before each of their FENCEs, and which they have had answered.
class FencedTraffic {
 public:
  FencedTraffic(Random& random, NodeBench& bench) : random_(random), bench_(bench) {}

  void send_put(unsigned from) {
    const Bytes room = kPart - used_[from];
    const Bytes length = std::min<Bytes>(1 + random_.below(512), room);
    if (length == 0) return;
    const Bytes offset = from * kPart + used_[from];
    used_[from] += length;
    Packet put = put_packet(kNeighbours.at(from), kHere, bytes_of(random_.bits64(), length),
                            kTargetRegion.value, offset);
    bench_.send(from, put);
    before_[from].push_back({kTarget + offset, put.payload});
  }
  void send_fence(unsigned from) {
    bench_.send(from, fence_from(from, fences_[from]++));
    fenced_[from].push_back(before_[from].size());
  }
  // A cycle; every answer that leaves in it is right.
  void step() {
    bench_.pass(1);
    for (const Packet& packet : bench_.take_packets()) {
      ASSERT_EQ(packet.header.get<h::kind>(), Kind::kFence);
      const auto from = static_cast<unsigned>(packet.header.get<h::target>());
      ASSERT_LT(from, kNeighbours.size());
      ASSERT_EQ(packet.header.get<h::word>(), answered_[from]) << "neighbour " << from;
      ASSERT_LT(answered_[from], fences_[from]);
      const std::size_t puts = fenced_[from].at(answered_[from]++);
      for (; checked_[from] < puts; ++checked_[from]) {
        const Stored& stored = before_[from].at(checked_[from]);
        EXPECT_TRUE(holds(bench_.memory(), stored.at, stored.bytes))
            << "neighbour " << from << ", put " << checked_[from] << ", cycle " << bench_.now();
      }
    }
  }
  [[nodiscard]] bool all_answered() const { return answered_ == fences_; }

 private:
  template <typename T>
  using Of = std::array<T, kNeighbours.size()>;
  Random& random_;
  NodeBench& bench_;
  Of<Bytes> used_{};
  Of<std::vector<Stored>> before_;
  Of<std::vector<std::size_t>> fenced_;  // puts before each FENCE
  Of<std::uint32_t> fences_{}, answered_{};
  Of<std::size_t> checked_{};
};

TEST(FenceOrder, AnswerLeavesWhenEverythingBeforeItIsInMemory) {
  Random random(2974);
  SCOPED_TRACE(random.replay());
  for (unsigned round = 0; round < 6; ++round) {
    NodeBench bench(slow_memory(random.bits64()));
    bench.run([](Device& device) { open_everything(device, false); });
    FencedTraffic traffic(random, bench);
    for (unsigned i = 0; i < 60; ++i) {
      const auto from = static_cast<unsigned>(random.below(kNeighbours.size()));
      if (random.chance(60)) {
        traffic.send_put(from);
      } else {
        traffic.send_fence(from);
      }
      if (random.chance(20)) traffic.step();
    }
    const Cycles end = bench.now() + kBound;
    while (!traffic.all_answered() && bench.now() < end) traffic.step();
    EXPECT_TRUE(traffic.all_answered());
    bench.settle();
    EXPECT_EQ(bench.complaints(), "");
  }
}

// More than the target can have taken and not answered.
TEST(FenceOrder, ManyAtOnceAreAllAnsweredInTheOrderOfEachSender) {
  const Random seed(2975);
  SCOPED_TRACE(seed.replay());
  Random random(seed.seed());
  NodeBench bench(slow_memory(random.bits64()));
  bench.run([](Device& device) { open_everything(device, false); });
  FencedTraffic traffic(random, bench);
  for (unsigned i = 0; i < 4 * kSim.fence_answers; ++i) {
    for (unsigned from = 0; from < kNeighbours.size(); ++from) {
      if (i % 5 == 0) traffic.send_put(from);
      traffic.send_fence(from);
    }
  }
  const Cycles end = bench.now() + kBound;
  while (!traffic.all_answered() && bench.now() < end) traffic.step();
  EXPECT_TRUE(traffic.all_answered());
  bench.settle();
  EXPECT_EQ(bench.complaints(), "");
}

TEST(FenceOrder, AnswersThatCannotLeaveAreKept) {
  const Random seed(2978);
  SCOPED_TRACE(seed.replay());
  Random random(seed.seed());
  NodeBench bench(slow_memory(random.bits64()));
  bench.run([](Device& device) { open_everything(device, false); });
  FencedTraffic traffic(random, bench);
  bench.keep_reply_credits(true);
  for (unsigned i = 0; i < 2 * kSim.fence_answers; ++i) {
    for (unsigned from = 0; from < kNeighbours.size(); ++from) {
      if (i % 3 == 0) traffic.send_put(from);
      traffic.send_fence(from);
    }
  }
  for (unsigned i = 0; i < 10'000; ++i) traffic.step();
  EXPECT_FALSE(traffic.all_answered());
  bench.keep_reply_credits(false);
  const Cycles end = bench.now() + kBound;
  while (!traffic.all_answered() && bench.now() < end) traffic.step();
  EXPECT_TRUE(traffic.all_answered());
  bench.settle();
  EXPECT_EQ(bench.complaints(), "");
}

// Posts `descriptors` into a queue of the node, and lets interrupts tell of the end of one alone.
void post_in(NodeBench& bench, const std::vector<Descriptor>& descriptors) {
  bench.run([&](Device& device) {
    open_everything(device, false);
    RawNode node(device);
    const std::array causes{Cause::kDone};
    node.enable_interrupts(causes);
    device.store(kSource, pattern(7, kRegionBytes));
    node.open_queue(kQueue, kRing, 32, QueueMode::kDoorbell);
    std::uint32_t tail = 0;
    for (const Descriptor& descriptor : descriptors) {
      node.write_descriptor(kRing, 32, tail++, descriptor);
    }
  });
  bench.start([tail = static_cast<std::uint32_t>(descriptors.size())](Device& device) {
    RawNode(device).ring_doorbell(kQueue, tail);
  });
}
void wait_for_interrupt(NodeBench& bench) {
  const Cycles end = bench.now() + kBound;
  while (!bench.interrupt(kOwner) && bench.now() < end) bench.pass(1);
  EXPECT_TRUE(bench.interrupt(kOwner));
}

TEST(FenceOrder, ToItselfIsDoneWhenEverythingBeforeItIsInMemory) {
  Random random(2976);
  SCOPED_TRACE(random.replay());
  for (unsigned round = 0; round < 8; ++round) {
    NodeBench bench(slow_memory(random.bits64()));
    std::vector<Descriptor> descriptors;
    std::vector<Source> sources;
    const std::uint64_t puts = 1 + random.below(20);
    for (std::uint64_t i = 0; i < puts; ++i) {
      sources.push_back({kSourceRegion, random.below(0x8000), 1 + random.below(1500)});
      descriptors.push_back(
          put_descriptor(kHere, sources.back(), kTargetRegion, i * Bytes{0x700}, {}));
    }
    descriptors.push_back(fence_of(kHere).set<d::interrupt_done>(1));
    post_in(bench, descriptors);
    wait_for_interrupt(bench);
    for (std::uint64_t i = 0; i < puts; ++i) {
      std::vector<std::byte> sent(sources[i].length), found(sources[i].length);
      bench.memory().read(kSource + sources[i].offset, sent);
      bench.memory().read(kTarget + i * Bytes{0x700}, found);
      EXPECT_EQ(found, sent) << "round " << round << ", put " << i;
    }
    bench.settle();
  }
}

Packet notice_about(std::uint32_t number) {
  Packet notice = put_packet(kNeighbours[1], kHere, {}, kFifo.value, 0);
  notice.header.set<h::kind>(Kind::kNotice)
      .set<h::reply>(1)
      .set<h::client>(kOwner.value)
      .set<h::word>(static_cast<std::uint64_t>(Status::kFifoFull) |
                    static_cast<std::uint64_t>(Kind::kFifo) << 8);
  notice.trailer.set<t::index>(number);
  notice.seal();
  return notice;
}

TEST(FenceOrder, IsDoneWhenEveryNoticeBeforeItsAnswerLiesInTheRing) {
  Random random(2977);
  SCOPED_TRACE(random.replay());
  for (const std::uint32_t count : {1U, 2U, 5U, 14U, 15U, 16U, 17U, 40U}) {
    NodeBench bench(slow_memory(random.bits64()));
    post_in(bench, {fence_of(kNeighbours[1]).set<d::interrupt_done>(1)});
    bench.settle();
    ASSERT_EQ(bench.take_packets().size(), 1U);
    for (std::uint32_t i = 0; i < count; ++i) bench.send(1, notice_about(i));
    Packet answer = put_packet(kNeighbours[1], kHere, {}, kQueue.value, 0);
    answer.header.set<h::kind>(Kind::kFence).set<h::reply>(1);
    answer.trailer = {};
    answer.seal();
    bench.send(1, answer);
    wait_for_interrupt(bench);
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto header = notice_about(i).header.bytes();
      EXPECT_TRUE(
          holds(bench.memory(), kNoticeRing + i * Bytes{32}, {header.begin(), header.end()}))
          << "notice " << i << " of " << count;
    }
    bench.settle();
    EXPECT_EQ(bench.complaints(), "");
  }
}

}  // namespace
}  // namespace torusmu::testing

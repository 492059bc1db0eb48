// SPDX-License-Identifier: Apache-2.0
// Reflection on whole machines: both forms of the completion, neighbours that take over when the
// credits of one are out, queues that park and go on, a completion that is lost, and the odd
// shapes.
#include <gtest/gtest.h>

#include "sim/machine/shape.h"
#include "sim/play/scenario/raw_node.h"
#include "tests/support/machine_player.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace reg = registers;
namespace credit_field = registers::reflection::credit_field;

constexpr Cycles kBound = 2'000'000;
constexpr Address kRing = 0x10000, kReflectionRings = 0x20000, kRequests = 0x40000,
                  kTokens = 0x50000, kNotices = 0x60000, kFifoRing = 0x70000, kSource = 0x100000,
                  kTarget = 0x200000;
constexpr std::uint32_t kRingSlots = 64, kReflectionSlots = 4, kFifoSlots = 64;
constexpr RegionId kSourceRegion{1}, kTargetRegion{2}, kRequestRegion{3}, kTokenRegion{4};
constexpr QueueId kQueue{8}, kOtherQueue{9};
constexpr FifoId kFifo{1};
constexpr EventId kDone{5}, kArrived{6};
constexpr NodeId kOrigin{0};
constexpr unsigned kThisNode = 6, kAny = 7;

struct Credits {
  std::uint64_t slots = 0, sent = 0, returned = 0;
};

class Reflection : public ::testing::Test {
 protected:
  void make(const Shape& shape, Fault fault = {}) {
    MachineConfig config;
    config.engine.shape = shape;
    config.engine.fault = fault;
    config.memory_size = Bytes{4} << 20;
    player_ = std::make_unique<MachinePlayer>(config);
    player_->on_all_nodes([](Device& device) {
      RawNode node(device);
      node.open_region(kSourceRegion, kSource, 1 << 16, {.remote_write = false});
      node.open_region(kTargetRegion, kTarget, 1 << 16);
      node.open_region(kRequestRegion, kRequests, 64 * kRingSlots, {.remote_write = false});
      node.open_region(kTokenRegion, kTokens, 64 * kRingSlots, {.remote_write = false});
      node.open_queue(kQueue, kRing, kRingSlots, QueueMode::kDoorbell);
      node.open_queue(kOtherQueue, kRing + 0x4000, kRingSlots, QueueMode::kDoorbell);
      for (unsigned direction = 0; direction <= kThisNode; ++direction) {
        node.open_queue({direction}, kReflectionRings + direction * 0x1000, kReflectionSlots,
                        QueueMode::kReflection);
      }
      node.open_fifo(kFifo, kFifoRing, kFifoSlots, false);
      node.open_notices(kNotices, 64);
      node.open_event(kDone);
      node.open_event(kArrived);
      (void)node.causes();
    });
    run();
  }
  void run() { ASSERT_TRUE(player_->run(kBound)) << player_->failures; }
  void at_origin(Core::Program program) {
    player_->add_core(kOrigin, std::move(program));
    run();
  }
  void give_credits(unsigned direction, std::uint32_t slots) {
    at_origin([=](Device& device) { RawNode(device).set_reflection_credit(direction, slots); });
  }
  Credits credits(unsigned direction) {
    Credits result;
    at_origin([&](Device& device) {
      const std::uint64_t value = device.read64(reg::reflection::credit(direction));
      result = {extract(value, credit_field::slots), extract(value, credit_field::sent),
                extract(value, credit_field::returned)};
    });
    return result;
  }
  // All credits came home, and no packet was bad.
  void expect_rest() {
    for (unsigned direction = 0; direction <= kThisNode; ++direction) {
      const Credits found = credits(direction);
      EXPECT_EQ(found.sent, found.returned) << "direction " << direction;
    }
    player_->on_all_nodes([](Device& device) {
      EXPECT_EQ(device.read64(reg::node::bad_packets()), 0U);
      EXPECT_EQ(device.read64(reg::node::dropped_replies()), 0U);
    });
    run();
  }
  Coordinates place(NodeId node) const { return player_->shape().coordinates(node); }
  Descriptor completion() const {
    const std::array token{std::byte{0x11}, std::byte{0x22}, std::byte{0x33}, std::byte{0x44}};
    return immediate_put(place(kOrigin), token, kTokenRegion, 0,
                         {.event = static_cast<int>(kDone.value), .interrupt = true});
  }
  // Posts `count` reflections at once; program code of the origin.
  void post(RawNode& node, const Descriptor& what, std::uint32_t count, unsigned direction,
            std::uint32_t& tail) const {
    node.write_descriptor(kRequests, kRingSlots, 0, what);
    for (std::uint32_t i = 0; i < count; ++i) {
      node.write_descriptor(kRing, kRingSlots, tail++,
                            reflect_descriptor(kRequestRegion, 0, direction));
    }
    node.ring_doorbell(kQueue, tail);
  }
  void reflect(std::uint32_t count, unsigned direction) {
    at_origin([this, count, direction](Device& device) {
      RawNode node(device);
      post(node, completion(), count, direction, tail_);
    });
  }
  std::uint32_t done() {
    std::uint32_t count = 0;
    at_origin([&](Device& device) { count = RawNode(device).read_event(kDone); });
    return count;
  }

  std::unique_ptr<MachinePlayer> player_;
  std::uint32_t tail_ = 0;
};

TEST_F(Reflection, AsAMemoryFifoPacketRaisesTheInterruptThatItAsksFor) {
  make({3, 1, 1});
  give_credits(0, 2);
  at_origin([this](Device& device) {
    RawNode node(device);
    const std::array causes{Cause::kArrived};
    node.enable_interrupts(causes);
    Descriptor note = completion();
    PacketHeader image = note.get<d::header>();
    image.set<h::target>(kFifo.value).set<h::word>(0xcafe);
    note.set<d::opcode>(Opcode::kFifo).set<d::header>(image);
    // Data first, the reflection behind it in the same queue.
    node.write_descriptor(kRing, kRingSlots, tail_++,
                          put_descriptor({1, 0, 0}, {kSourceRegion, 0, 4096}, kTargetRegion, 0,
                                         {.event = static_cast<int>(kArrived.value)}));
    post(node, note, 1, 0, tail_);
    EXPECT_TRUE(device.wait_interrupt({0}, device.now() + 20'000));
    EXPECT_EQ(node.fifo_tail(kFifo), 2U);
    std::array<std::uint8_t, 32> entry{};
    device.load(kFifoRing, std::as_writable_bytes(std::span(entry)));
    const auto header = PacketHeader::from_bytes(std::span(entry).first(16));
    EXPECT_EQ(header.get<h::word>(), 0xcafeU);
    EXPECT_EQ(header.get<h::reply>(), 1U);
    EXPECT_EQ(header.get<h::on_behalf>(), 1U);
    EXPECT_EQ(header.get<h::src_x>(), 1U);
    // done says that the source was read; the queue is through when the completion is here.
    EXPECT_EQ(node.queue_head(kQueue), 2U);
  });
  EXPECT_EQ(done(), 1U);
  expect_rest();
}

TEST_F(Reflection, AsAPutIntoTouchMemoryRaisesTheInterruptOfTheRange) {
  make({3, 1, 1});
  give_credits(1, 1);
  at_origin([this](Device& device) {
    namespace f = reg::touch_range::config_field;
    RawNode node(device);
    const std::array causes{Cause::kTouch};
    node.enable_interrupts(causes);
    device.write64(reg::touch_range::base(2), kTokens + 32);
    device.write64(reg::touch_range::length(2), 4);
    device.write64(reg::touch_range::config(2), insert(insert(0, f::enable, 1), f::on_write, 1));
    const std::array token{std::byte{0x77}, std::byte{0x66}};
    // One beside the range is not told, one in it is.
    post(node, immediate_put(place(kOrigin), token, kTokenRegion, 30, {.event = 5}), 1, 1, tail_);
    while (node.read_event(kDone) == 0) device.compute(10);
    EXPECT_EQ(node.causes() >> static_cast<unsigned>(Cause::kTouch) & 1U, 0U);
    post(node, immediate_put(place(kOrigin), token, kTokenRegion, 35, {}), 1, 1, tail_);
    EXPECT_TRUE(device.wait_interrupt({0}, device.now() + 20'000));
    EXPECT_EQ(device.read64(reg::client_page::touch_hits(0)), 4U);
    std::array<std::byte, 2> found{};
    device.load(kTokens + 35, found);
    EXPECT_EQ(found, token);
    device.write64(reg::client_page::touch_hits(0), 4);
    EXPECT_EQ(device.read64(reg::client_page::touch_hits(0)), 0U);
  });
  expect_rest();
}

TEST_F(Reflection, AnotherNeighbourTakesOverWhenTheCreditsOfOneAreOut) {
  make({3, 3, 1});
  give_credits(0, 1);
  give_credits(3, 2);
  reflect(20, 0);
  EXPECT_EQ(done(), 20U);
  EXPECT_GT(credits(0).sent, 0U);
  EXPECT_GT(credits(3).sent, 0U) << "nobody took over";
  EXPECT_EQ(credits(0).sent + credits(3).sent, 20U);
  EXPECT_EQ(credits(1).sent, 0U);
  expect_rest();
}

TEST_F(Reflection, AQueueWithoutCreditsIsParkedWhileAnotherGoesOnAndThenResumes) {
  make({2, 1, 1});
  give_credits(0, 1);
  // The reflector's queue is closed: the first reflection is refused with a notice, and its credit
  // does not come back, until somebody asks; that must not be before the end of this test.
  player_->add_core({1}, [](Device& device) {
    device.write64(reg::injection_queue::config(1), 0);
    (void)device.read64(reg::injection_queue::config(1));
  });
  run();
  reflect(3, 0);
  EXPECT_EQ(done(), 0U);
  at_origin([](Device& device) {
    RawNode node(device);
    EXPECT_EQ(node.queue_head(kQueue), 1U) << "the second waits for a credit";
    node.write_descriptor(
        kRing + 0x4000, kRingSlots, 0,
        put_descriptor({1, 0, 0}, {kSourceRegion, 0, 2000}, kTargetRegion, 0, {}));
    node.ring_doorbell(kOtherQueue, 1);
    const Cycles deadline = device.now() + 10'000;
    while (node.queue_head(kOtherQueue) == 0 && device.now() < deadline) device.compute(10);
    EXPECT_EQ(node.queue_head(kOtherQueue), 1U) << "a parked queue holds up another";
    EXPECT_EQ(device.read64(reg::client_page::notice_tail(0)), 1U);
    EXPECT_EQ(node.queue_status(kQueue), Status::kOk);
  });
  // Opened again, and the credit given anew: the two that are parked go on.
  player_->add_core({1}, [](Device& device) {
    RawNode(device).open_queue({1}, kReflectionRings + 0x1000, kReflectionSlots,
                               QueueMode::kReflection);
    (void)RawNode(device).causes();
  });
  run();
  give_credits(0, 1);
  EXPECT_EQ(done(), 2U);
  at_origin([](Device& device) { EXPECT_EQ(RawNode(device).queue_head(kQueue), 3U); });
  expect_rest();
}

TEST_F(Reflection, WithOneCreditInAllManyReflectionsComeOneAfterAnother) {
  make({2, 2, 1});
  give_credits(2, 1);
  reflect(25, kAny);
  EXPECT_EQ(done(), 25U);
  EXPECT_EQ(credits(2).sent, 25U);
  expect_rest();
}

// Packet 1 on the links is the GET, packet 2 its completion.
TEST_F(Reflection, ACreditThatWasLostWithItsCompletionIsRecoveredByAQueryAfterTheTimeout) {
  constexpr Cycles kTimeout = 3000;
  make({3, 1, 1}, {.kind = Fault::Kind::kDropPacket, .number = 2});
  at_origin([](Device& device) { device.write64(reg::node::credit_timeout_cycles(), kTimeout); });
  give_credits(0, 1);
  at_origin([this](Device& device) {
    RawNode node(device);
    post(node, completion(), 1, 0, tail_);
    device.compute(kTimeout - 500);
    std::uint64_t credit = device.read64(reg::reflection::credit(0));
    EXPECT_EQ(extract(credit, credit_field::sent), 1U);
    EXPECT_EQ(extract(credit, credit_field::returned), 0U) << "before the timeout";
    device.compute(1500);
    credit = device.read64(reg::reflection::credit(0));
    EXPECT_EQ(extract(credit, credit_field::returned), 1U) << "after the timeout";
    EXPECT_EQ(node.read_event(kDone), 0U) << "the completion itself is lost";
  });
  EXPECT_TRUE(player_->machine().counts().fault);
  reflect(3, 0);
  EXPECT_EQ(done(), 3U);
  expect_rest();
}

TEST_F(Reflection, ALostGetIsRecoveredByAQueryToo) {
  constexpr Cycles kTimeout = 2000;
  make({1, 1, 3}, {.kind = Fault::Kind::kDropPacket, .number = 1});
  at_origin([](Device& device) { device.write64(reg::node::credit_timeout_cycles(), kTimeout); });
  give_credits(5, 1);
  at_origin([this](Device& device) {
    RawNode node(device);
    post(node, completion(), 2, 5, tail_);
    const Cycles deadline = device.now() + 10 * kTimeout;
    while (node.read_event(kDone) == 0 && device.now() < deadline) device.compute(50);
    EXPECT_EQ(node.read_event(kDone), 1U) << "the second was parked until the credit came back";
  });
  expect_rest();
}

TEST_F(Reflection, OnASingleNodeItReflectsToItself) {
  make({1, 1, 1});
  give_credits(kThisNode, 2);
  for (const unsigned direction : {0U, 3U, kThisNode, kAny}) reflect(4, direction);
  EXPECT_EQ(done(), 16U);
  EXPECT_EQ(credits(kThisNode).sent, 16U);
  EXPECT_EQ(player_->machine().counts().flits, 0U);
  expect_rest();
}

// At size 2 x+ and x- lead to the same node, which must tell its two queues apart.
TEST_F(Reflection, InADimensionOfTwoBothDirectionsHaveTheirOwnCredits) {
  make({2, 1, 1});
  give_credits(0, 1);
  give_credits(1, 1);
  reflect(12, 0);
  EXPECT_EQ(done(), 12U);
  EXPECT_GT(credits(0).sent, 0U);
  EXPECT_GT(credits(1).sent, 0U);
  std::array<std::uint64_t, 2> ran{};
  player_->add_core({1}, [&](Device& device) {
    // What left on x+ ran in the queue of x-, and the other way.
    for (unsigned q = 0; q < 2; ++q) ran[q] = device.read64(reg::injection_queue::head(q));
  });
  run();
  EXPECT_EQ(ran[1], credits(0).sent);
  EXPECT_EQ(ran[0], credits(1).sent);
  expect_rest();
}

TEST_F(Reflection, AtTheEdgeOfAMeshOnlyNeighboursThatExistReflect) {
  make({3, 2, 1, false, false, true});
  // Software may give credits to directions that lead nowhere: they are never used.
  for (unsigned direction = 0; direction < 6; ++direction) give_credits(direction, 1);
  for (unsigned direction = 0; direction < 8; ++direction) {
    if (direction != kThisNode) reflect(2, direction);
  }
  EXPECT_EQ(done(), 14U);
  EXPECT_EQ(credits(0).sent + credits(2).sent, 14U);
  for (const unsigned nowhere : {1U, 3U, 4U, 5U}) EXPECT_EQ(credits(nowhere).sent, 0U) << nowhere;
  expect_rest();
}

TEST_F(Reflection, WithCreditsNowhereEndsInNoReflectorAndTheQueueGoesOn) {
  make({2, 2, 1});
  reflect(2, kAny);
  at_origin([this](Device& device) {
    RawNode node(device);
    EXPECT_EQ(node.queue_status(kQueue), Status::kNoReflector);
    EXPECT_EQ(node.queue_head(kQueue), 2U);
    node.set_reflection_credit(0, 1);
    post(node, completion(), 1, 0, tail_);
  });
  EXPECT_EQ(done(), 1U);
  expect_rest();
}

TEST_F(Reflection, ACompletionForAnotherClientsMemoryIsRefusedAndItsCreditStillComesHome) {
  make({3, 1, 1});
  give_credits(0, 1);
  at_origin([this](Device& device) {
    RawNode foreign(device, {1});
    foreign.open_region({9}, kTokens + 0x1000, 64);
    RawNode node(device);
    const std::array token{std::byte{1}};
    post(node, immediate_put(place(kOrigin), token, {9}, 0, {}), 1, 0, tail_);
  });
  at_origin([](Device& device) {
    EXPECT_EQ(device.read64(reg::node::dropped_replies()), 1U);
    std::array<std::byte, 1> found{};
    device.load(kTokens + 0x1000, found);
    EXPECT_EQ(found[0], std::byte{0});
  });
  EXPECT_EQ(credits(0).returned, 1U);
  reflect(2, 0);
  EXPECT_EQ(done(), 2U);
}

}  // namespace
}  // namespace torusmu::testing

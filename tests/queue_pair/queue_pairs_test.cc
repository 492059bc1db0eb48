// SPDX-License-Identifier: Apache-2.0
// model: Vmu_send_engine mu_send_engine
// bgp:
//
// SENDs, RECEIVEs and PIPEs with the queue engine and the injection engine around mu_queue_pairs.
// The peer and the receive queues are played by the test.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "tests/support/injection_fixture.h"

namespace torusmu::testing {
namespace {

namespace b = layout::receive_buffer;
namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;
namespace c = registers::injection_queue;

constexpr unsigned kEvent = 9;
constexpr unsigned kSecond = 12;  // another send queue
constexpr unsigned kIn = 20;      // a receive queue
constexpr unsigned kSecondIn = 21;
constexpr std::uint32_t kPeerNode = 0x101;
constexpr std::uint32_t kTick = 500;  // cycles

class QueuePairs : public InjectionFixture {
 protected:
  QueuePairs() { set_retries(bench_); }
  static void set_retries(InjectionBench& bench) {
    bench.limit<layout::node_limits::send_retry_cycles>(kTick);
    bench.limit<layout::node_limits::send_retries>(255);
  }
  static Address ring_of(unsigned queue) { return 0x2000 + queue * 0x800; }
  void make(unsigned queue, QueueMode mode = QueueMode::kDoorbell, bool halts = false,
            std::uint64_t owner = kOwner) {
    make(bench_, queue, mode, halts, owner);
  }
  static void make(InjectionBench& bench, unsigned queue, QueueMode mode = QueueMode::kDoorbell,
                   bool halts = false, std::uint64_t owner = kOwner) {
    namespace p = c::peer_field;
    const std::uint64_t peer = insert(0, p::x, kPeerNode & 15) | insert(0, p::z, kPeerNode >> 8) |
                               insert(0, p::queue, 3) | insert(0, p::connected, 1) |
                               insert(0, p::event_valid, 1) | insert(0, p::event_counter, kEvent);
    ASSERT_EQ(bench.write(RegisterUnit::kQueue, c::config(queue), 0), Status::kOk);
    ASSERT_EQ(bench.write(RegisterUnit::kQueue, c::peer(queue), peer), Status::kOk);
    bench.make_queue(queue, ring_of(queue), 32, mode, owner, halts);
  }
  void post(unsigned queue, const std::vector<Descriptor>& descriptors) {
    for (const Descriptor& descriptor : descriptors) bench_.put(queue, descriptor);
    ASSERT_EQ(bench_.doorbell(queue), Status::kOk);
  }
  static Descriptor send(std::uint64_t length, std::uint32_t word = 0, std::uint64_t offset = 0) {
    return Descriptor()
        .set<d::opcode>(Opcode::kSend)
        .set<d::source_region>(5)
        .set<d::source_offset>(offset)
        .set<d::length>(length)
        .set<d::header>(PacketHeader().set<h::word>(word));
  }
  static Descriptor receive(std::uint64_t length, unsigned region = 5) {
    return Descriptor()
        .set<d::opcode>(Opcode::kReceive)
        .set<d::source_region>(region)
        .set<d::length>(length);
  }
  static Descriptor pipe(std::uint32_t messages, std::uint64_t buffers, unsigned in = kIn,
                         std::uint64_t buffer_bytes = 4096) {
    return send(buffers * buffer_bytes)
        .set<d::opcode>(Opcode::kPipe)
        .set<d::immediate>(PipeOperation()
                               .set<layout::pipe_operation::messages>(messages)
                               .set<layout::pipe_operation::buffer_bytes>(buffer_bytes)
                               .set<layout::pipe_operation::receive_queue>(in)
                               .bytes());
  }
  // Numbers of all packets that have left.
  std::vector<std::uint64_t> numbers() const {
    std::vector<std::uint64_t> numbers;
    for (const SentPacket& sent : bench_.requests) {
      numbers.push_back(PacketTrailer(sent.packet.trailer).get<t::sequence_number>());
    }
    return numbers;
  }
  using Numbers = std::vector<std::uint64_t>;
  void answer(std::uint32_t number, Status status = Status::kOk, unsigned queue = kQueue) {
    bench_.answer(queue, number, status, kPeerNode);
    bench_.drain();
  }
  void expect_state(unsigned queue, std::uint64_t head, std::uint64_t errors,
                    Status status = Status::kOk) {
    const auto state = bench_.state(queue);
    EXPECT_EQ(state.head, head);
    EXPECT_EQ(state.count, errors);
    EXPECT_EQ(state.status, status) << name_of(state.status);
  }
};

TEST_F(QueuePairs, SendTheNextAheadOnceTheFirstHasLeft) {
  make(kQueue);
  post(kQueue, {send(600), send(100), send(8)});
  bench_.drain();
  EXPECT_EQ(numbers(), (Numbers{0, 0, 1}));
  expect_state(kQueue, 0, 0);
  answer(0);
  EXPECT_EQ(numbers(), (Numbers{0, 0, 1, 2})) << "two are under way at most";
  expect_state(kQueue, 1, 0);
  EXPECT_EQ(bench_.event_values[kEvent], 1U);
  answer(1);
  answer(2);
  expect_state(kQueue, 3, 0);
  EXPECT_EQ(bench_.event_values[kEvent], 3U);
  EXPECT_EQ(numbers().size(), 4U);
}

TEST_F(QueuePairs, SendAheadOfASendOnly) {
  make(kQueue);
  post(kQueue, {send(8), immediate(4), send(8), receive(8), send(8)});
  bench_.drain();
  EXPECT_EQ(bench_.requests.size(), 1U);
  answer(0);
  EXPECT_EQ(bench_.requests.size(), 3U) << "the put and the SEND behind it";
  answer(1);
  EXPECT_EQ(bench_.requests.size(), 4U);
  answer(2);
  expect_state(kQueue, 5, 1, Status::kOpcodeForbidden);
}

TEST_F(QueuePairs, SendEveryLengthAndAlignmentWhetherTheRouterWaitsOrNot) {
  std::vector<Descriptor> sends{send(9).set<d::immediate_valid>(1)};
  for (const std::uint64_t length : {11, 300, 512, 1024, 1300}) {
    for (const std::uint64_t offset : {0, 5}) sends.push_back(send(length, 0, offset));
  }
  for (const unsigned chance : {100U, 20U}) {
    make(kQueue);
    bench_.make_queue(kSecond, ring_of(kSecond), 32, QueueMode::kDoorbell, kOwner);
    bench_.request_chance = chance;
    for (std::uint32_t number = 0; number < sends.size(); ++number) {
      // PUTs of another queue have filled the room for packets when the SEND comes.
      const std::vector<Descriptor> puts(chance < 100 ? 8 : 0, put(0, 512));
      bench_.requests.clear();
      post(kSecond, puts);
      bench_.ticks(300);
      post(kQueue, {sends[number]});
      const std::uint64_t packets = puts.size() + (sends[number].get<d::length>() + 511) / 512;
      bench_.drain();
      EXPECT_EQ(bench_.requests.size(), packets) << "SEND " << number;
      answer(number);
    }
    expect_state(kQueue, sends.size(), 0);
  }
}

TEST_F(QueuePairs, GoOnWithTheNumbersAndIndicesOfAQueueThatHasSentMany) {
  const auto any = static_cast<std::uint32_t>(random_.bits64());
  for (const std::uint32_t next : {any, ~any, 0xffffffffU}) {
    make(kQueue);
    bench_.requests.clear();
    post(kQueue, {send(8)});
    bench_.drain();
    answer(0);
    bench_.make_old(kQueue, next, next);
    post(kQueue, {send(600), send(100), send(8), receive(8), send(8)});
    for (std::uint32_t i = 0; i < 3; ++i) {
      bench_.drain();
      answer(next + i);
    }
    answer(next + 3);
    const auto number = [&](std::uint32_t i) { return static_cast<std::uint32_t>(next + i); };
    EXPECT_EQ(numbers(), (Numbers{0, number(0), number(0), number(1), number(2), number(3)}));
    expect_state(kQueue, number(5), 1, Status::kOpcodeForbidden);
    EXPECT_EQ(bench_.state(kQueue).index, number(3)) << "the RECEIVE in a queue for SENDs";
  }
}

TEST_F(QueuePairs, SendNothingAheadThatDoesNotPass) {
  make(kQueue);
  post(kQueue, {send(8), send(0), send(8)});
  bench_.drain();
  expect_state(kQueue, 0, 0);
  answer(0);
  expect_state(kQueue, 2, 1, Status::kLengthZero);
  EXPECT_EQ(numbers(), (Numbers{0, 1}));
}

TEST_F(QueuePairs, SendNothingAheadInAQueueThatHaltsOnErrors) {
  make(kQueue, QueueMode::kDoorbell, true);
  post(kQueue, {send(8), send(8)});
  bench_.drain();
  EXPECT_EQ(numbers(), (Numbers{0}));
  answer(0);
  EXPECT_EQ(numbers(), (Numbers{0, 1}));
}

TEST_F(QueuePairs, SendTheSecondOnceMoreWithTheNumberOfAFirstThatWasRefused) {
  make(kQueue);
  post(kQueue, {send(8, 1), send(8, 2)});
  bench_.drain();
  answer(0, Status::kLengthTooLong);
  EXPECT_EQ(numbers(), (Numbers{0, 1, 0}));
  answer(1);
  expect_state(kQueue, 1, 1, Status::kLengthTooLong);
  answer(0);
  expect_state(kQueue, 2, 1, Status::kLengthTooLong);
  EXPECT_EQ(bench_.event_values[kEvent], 1U);
}

TEST_F(QueuePairs, SendBothAgainIfTheFirstIsDisabled) {
  make(kQueue);
  post(kQueue, {send(8, 1), send(8, 2)});
  bench_.drain();
  answer(0, Status::kReceiveDisabled);
  EXPECT_EQ(numbers(), (Numbers{0, 1}));
  bench_.ticks(kTick);
  bench_.drain();
  EXPECT_EQ(numbers(), (Numbers{0, 1, 0, 1}));
  bench_.answer(kQueue, 1, Status::kOk, kPeerNode);
  answer(0);
  expect_state(kQueue, 2, 0);
}

TEST_F(QueuePairs, SendTheSecondAgainWhenItStandsFirst) {
  make(kQueue);
  post(kQueue, {send(8, 1), send(8, 2)});
  bench_.drain();
  answer(1, Status::kReceiveDisabled);
  answer(0);
  bench_.ticks(kTick);
  bench_.drain();
  EXPECT_EQ(numbers(), (Numbers{0, 1, 1}));
  answer(1);
  expect_state(kQueue, 2, 0);
}

TEST_F(QueuePairs, FlushBothSends) {
  make(kQueue);
  post(kQueue, {send(8), send(8), send(8)});
  bench_.drain();
  make(kQueue);
  post(kQueue, {send(8)});
  bench_.drain();
  EXPECT_EQ(numbers(), (Numbers{0, 1, 0}));
  answer(0);
  expect_state(kQueue, 1, 0);
}

TEST_F(QueuePairs, OfferTheBufferOfTheNextReceiveToo) {
  make(kIn, QueueMode::kReceive);
  post(kIn, {receive(100), receive(200), receive(300)});
  bench_.drain();
  ASSERT_EQ(bench_.buffers.size(), 2U);
  EXPECT_EQ(bench_.buffers[1].get<b::length>(), 200U);
  for (std::size_t i = 1; i <= 3; ++i) {
    bench_.end_receive(kIn, 50);
    bench_.drain();
    EXPECT_EQ(bench_.buffers.size(), 3U) << "each once";
    expect_state(kIn, i, 0);
    EXPECT_EQ(bench_.event_values[kEvent], i);
  }
}

TEST_F(QueuePairs, OfferNoBufferAheadThatDoesNotPassOrInAQueueThatHalts) {
  make(kIn, QueueMode::kReceive);
  make(kSecondIn, QueueMode::kReceive, true);
  post(kIn, {receive(100), receive(200, 6), receive(300)});
  post(kSecondIn, {receive(400), receive(500)});
  bench_.drain();
  EXPECT_EQ(bench_.buffers.size(), 2U);
  bench_.end_receive(kIn, 50);
  bench_.end_receive(kSecondIn, 50);
  bench_.drain();
  EXPECT_EQ(bench_.buffers.size(), 4U);
  expect_state(kIn, 2, 1, Status::kRegionInvalid);
  expect_state(kSecondIn, 1, 0);
}

// The end of the first comes in any cycle while the second is on its way to offer its buffer.
TEST_F(QueuePairs, OfferEachBufferOnceWheneverTheOneBeforeEnds) {
  for (unsigned delay = 0; delay < 80; ++delay) {
    SCOPED_TRACE(delay);
    InjectionBench fresh(random_);
    fresh.around = bench_.around;
    set_retries(fresh);
    make(fresh, kIn, QueueMode::kReceive);
    fresh.put(kIn, receive(100));
    ASSERT_EQ(fresh.doorbell(kIn), Status::kOk);
    fresh.drain();
    for (const std::uint64_t length : {200U, 300U, 400U}) fresh.put(kIn, receive(length));
    ASSERT_EQ(fresh.doorbell(kIn), Status::kOk);
    fresh.ticks(delay);
    for (int i = 0; i < 4; ++i) {
      fresh.end_receive(kIn, 8);
      ASSERT_LE(fresh.buffers.size(), 4U);
      if (i == 0 && random_.chance(50)) continue;
      fresh.drain();
    }
    ASSERT_EQ(fresh.buffers.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(fresh.buffers[i].get<b::length>(), 100 * (i + 1));
    }
    EXPECT_EQ(fresh.state(kIn).head, 4U);
  }
}

TEST_F(QueuePairs, SendOnWhatAPipeReceives) {
  make(kQueue);
  make(kIn, QueueMode::kPiped);
  post(kQueue, {send(8, 1), pipe(3, 2), send(8, 2)});
  bench_.drain();
  EXPECT_TRUE(bench_.buffers.empty()) << "it has not begun";
  answer(0);
  ASSERT_EQ(bench_.buffers.size(), 2U);
  EXPECT_EQ(bench_.buffers[1].get<b::address>(), kBuffer + 4096);
  EXPECT_EQ(bench_.buffers[1].get<b::queue>(), kIn);
  bench_.end_receive(kIn, 600);
  bench_.end_receive(kIn, 8);
  bench_.drain();
  EXPECT_EQ(numbers(), (Numbers{0, 1, 1, 2}));
  EXPECT_EQ(bench_.buffers.size(), 2U);
  answer(1);
  EXPECT_EQ(bench_.buffers.size(), 3U);
  bench_.end_receive(kIn, 100);
  bench_.drain();
  answer(2);
  EXPECT_EQ(bench_.event_values[kEvent], 1U) << "of the SEND before alone";
  answer(3);
  EXPECT_EQ(numbers(), (Numbers{0, 1, 1, 2, 3, 4})) << "and the SEND behind it";
  EXPECT_EQ(bench_.event_values[kEvent], 2U);
  expect_state(kQueue, 2, 0);
  answer(4);
  expect_state(kQueue, 3, 0);
}

TEST_F(QueuePairs, RefuseAPipeWithoutAReceiveQueueOfItsOwn) {
  make(kQueue);
  make(kIn, QueueMode::kReceive);
  make(kSecondIn, QueueMode::kPiped, false, kOwner - 1);
  post(kQueue, {pipe(1, 1, kIn), pipe(1, 1, kSecondIn), pipe(1, 1, 25), pipe(1, 1, 200),
                pipe(1, 1, kQueue)});
  bench_.drain();
  expect_state(kQueue, 5, 5, Status::kQueueInvalid);
  EXPECT_TRUE(bench_.buffers.empty());
}

TEST_F(QueuePairs, RunPipesAtOnce) {
  for (const unsigned queue : {kQueue, kSecond}) make(queue);
  for (const unsigned queue : {kIn, kSecondIn}) make(queue, QueueMode::kPiped);
  post(kQueue, {pipe(1, 1)});
  post(kSecond, {pipe(1, 1, kSecondIn)});
  bench_.drain();
  ASSERT_EQ(bench_.buffers.size(), 2U);
  EXPECT_EQ(bench_.buffers[0].get<b::queue>(), kIn);
  EXPECT_EQ(bench_.buffers[1].get<b::queue>(), kSecondIn);
  bench_.end_receive(kSecondIn, 8);
  bench_.drain();
  answer(0, Status::kOk, kSecond);
  expect_state(kSecond, 1, 0);
  expect_state(kQueue, 0, 0);
  bench_.end_receive(kIn, 8);
  bench_.drain();
  answer(0);
  expect_state(kQueue, 1, 0);
}

TEST_F(QueuePairs, LookAtTheReceiveQueueOfAPipeThatHasWaitedAgain) {
  make(kQueue);
  make(kSecond);
  make(kIn, QueueMode::kPiped);
  post(kQueue, {pipe(1, 1)});
  post(kSecond, {pipe(1, 1)});
  bench_.drain();
  make(kIn, QueueMode::kReceive);
  bench_.drain();
  EXPECT_EQ(bench_.buffers.size(), 1U);
  expect_state(kQueue, 1, 1, Status::kFlushed);
  expect_state(kSecond, 1, 1, Status::kQueueInvalid);
}

// The write that takes its receive queue away comes in any cycle around its start.
TEST_F(QueuePairs, GiveNoBufferOfAPipeToAQueueThatIsConfigured) {
  for (unsigned delay = 0; delay < 100; ++delay) {
    SCOPED_TRACE(delay);
    InjectionBench fresh(random_);
    fresh.around = bench_.around;
    set_retries(fresh);
    make(fresh, kQueue);
    make(fresh, kIn, QueueMode::kPiped);
    fresh.put(kQueue, pipe(3, 16));
    ASSERT_EQ(fresh.doorbell(kQueue), Status::kOk);
    fresh.ticks(delay);
    ASSERT_EQ(fresh.write(RegisterUnit::kQueue, c::config(kIn), 0), Status::kOk);
    const std::size_t given = fresh.buffers.size();
    fresh.drain();
    EXPECT_EQ(fresh.buffers.size(), given);
    EXPECT_EQ(fresh.state(kQueue).head, 1U);
    EXPECT_EQ(fresh.state(kQueue).count, 1U);
  }
}

TEST_F(QueuePairs, FlushAPipeWheneverItsQueueIsConfigured) {
  for (unsigned delay = 0; delay < 150; ++delay) {
    SCOPED_TRACE(delay);
    InjectionBench fresh(random_);
    fresh.around = bench_.around;
    set_retries(fresh);
    make(fresh, kQueue);
    make(fresh, kIn, QueueMode::kPiped);
    fresh.put(kQueue, pipe(3, 16));
    ASSERT_EQ(fresh.doorbell(kQueue), Status::kOk);
    unsigned cycles = 0;
    for (std::uint32_t received = 0; cycles < delay; ++cycles) {
      fresh.tick();
      if (received < 2 && fresh.buffers.size() > received) fresh.end_receive(kIn, 700 + received++);
    }
    make(fresh, kQueue);
    fresh.drain();
    const std::size_t before = fresh.requests.size();
    fresh.put(kQueue, pipe(1, 1));
    ASSERT_EQ(fresh.doorbell(kQueue), Status::kOk);
    fresh.drain();
    fresh.end_receive(kIn, 8);
    fresh.drain();
    ASSERT_EQ(fresh.requests.size(), before + 1);
    EXPECT_EQ(PacketTrailer(fresh.requests.back().packet.trailer).get<t::sequence_number>(), 0U);
    fresh.answer(kQueue, 0, Status::kOk, kPeerNode);
    fresh.drain();
    EXPECT_EQ(fresh.state(kQueue).head, 1U);
    EXPECT_EQ(fresh.state(kQueue).count, 0U) << name_of(fresh.state(kQueue).status);
  }
}

// The acknowledgement of the first comes in any cycle while the second is being cut.
TEST_F(QueuePairs, NumberAllPacketsOfAMessageOfAPipeAlike) {
  for (unsigned delay = 0; delay < 120; delay += 2) {
    SCOPED_TRACE(delay);
    InjectionBench fresh(random_);
    fresh.around = bench_.around;
    set_retries(fresh);
    fresh.request_chance = 60;
    make(fresh, kQueue);
    make(fresh, kIn, QueueMode::kPiped);
    fresh.put(kQueue, pipe(3, 4));
    ASSERT_EQ(fresh.doorbell(kQueue), Status::kOk);
    fresh.drain();
    for (const std::uint32_t bytes : {600U, 3000U}) fresh.end_receive(kIn, bytes);
    while (fresh.requests.size() < 3) fresh.tick();
    fresh.end_receive(kIn, 700);
    fresh.ticks(delay);
    for (std::uint32_t number = 0; number < 3; ++number) {
      if (number > 0) fresh.drain();
      fresh.answer(kQueue, number, Status::kOk, kPeerNode);
    }
    fresh.drain();
    std::array<std::uint64_t, 3> bytes{};
    for (const SentPacket& sent : fresh.requests) {
      const PacketHeader header = sent.packet.header;
      const auto number = PacketTrailer(sent.packet.trailer).get<t::sequence_number>();
      ASSERT_LT(number, 3U);
      EXPECT_EQ(header.get<h::offset>(), bytes.at(number));
      bytes.at(number) += header.get<h::bytes>();
    }
    EXPECT_EQ(bytes, (std::array<std::uint64_t, 3>{600, 3000, 700}));
    EXPECT_EQ(fresh.state(kQueue).head, 1U);
  }
}

// A receiver that takes what comes next, and a network that loses packets and answers: every
// message is taken once, in order and whole.
class LossyNetwork : public QueuePairs, public ::testing::WithParamInterface<bool> {
 protected:
  static constexpr std::uint32_t kMessages = 20;
  static constexpr std::uint64_t kMost = 2000;  // bytes
  struct Message {
    Address address;
    std::uint64_t length;
  };
  struct Due {
    std::uint64_t cycle;
    std::uint32_t number;
    Status status;
  };

  void post_sends(InjectionBench& bench) {
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      const std::uint64_t offset = random_.below(64);
      messages_.push_back({kBuffer + offset, 1 + random_.below(kMost)});
      bench.put(kQueue, send(messages_.back().length, i, offset));
    }
  }
  // A message comes for the next buffer of the PIPE.
  void receive_one(InjectionBench& bench) {
    if (messages_.size() == bench.buffers.size() || !random_.chance(10)) return;
    messages_.push_back(
        {bench.buffers[messages_.size()].get<b::address>(), 1 + random_.below(kMost)});
    bench.end_receive(kIn, static_cast<std::uint32_t>(messages_.back().length));
  }
  void reply(InjectionBench& bench, std::uint32_t number, Status status) {
    if (random_.chance(lost_)) return;
    const std::uint64_t after = answers_.empty() ? 0 : answers_.back().cycle;
    answers_.push_back({std::max(after, bench.cycle() + random_.below(100)) + 1, number, status});
  }
  void take(InjectionBench& bench, const Packet& packet) {
    if (random_.chance(lost_)) return;
    const PacketHeader header = packet.header;
    const PacketTrailer trailer = packet.trailer;
    const auto number = static_cast<std::uint32_t>(trailer.get<t::sequence_number>());
    const bool last = trailer.get<t::last>() != 0;
    const std::uint64_t offset = header.get<h::offset>();
    if (number < expected_ && last) reply(bench, number, Status::kOk);
    if (number != expected_) return;
    if (offset == 0 && random_.chance(refused_)) {
      received_ = 0;
      reply(bench, number, Status::kReceiveDisabled);
    } else if (offset == 0 || (received_ != 0 && offset == received_)) {
      const Message message = messages_.at(expected_);
      ASSERT_EQ(trailer.get<t::index>(), message.length);
      for (std::size_t i = 0; i < packet.payload.size(); ++i) {
        ASSERT_EQ(packet.payload[i], bench.around.memory.at(message.address + offset + i));
      }
      received_ = offset + packet.payload.size();
      if (!last) return;
      ASSERT_EQ(received_, message.length);
      ++expected_;
      received_ = 0;
      reply(bench, number, Status::kOk);
    }
  }

  std::vector<Message> messages_;
  std::deque<Due> answers_;
  std::uint32_t expected_ = 0;
  std::uint64_t received_ = 0;
  unsigned lost_ = 0;
  unsigned refused_ = 0;
};

TEST_P(LossyNetwork, DeliversEveryMessageOnceInOrderAndWhole) {
  for (int round = 0; round < 6; ++round) {
    SCOPED_TRACE(round);
    InjectionBench fresh(random_);
    fresh.around = bench_.around;
    set_retries(fresh);
    fresh.limit<layout::node_limits::send_retry_cycles>(50 + random_.below(120));
    fresh.gated = random_.chance(50);
    fresh.payload.latency = 1 + static_cast<unsigned>(random_.below(60));
    fresh.request_chance = 30 + static_cast<unsigned>(random_.below(70));
    lost_ = static_cast<unsigned>(random_.below(15));
    refused_ = static_cast<unsigned>(random_.below(30));
    messages_.clear();
    answers_.clear();
    expected_ = 0;
    received_ = 0;
    make(fresh, kQueue);
    make(fresh, kIn, QueueMode::kPiped);
    if (GetParam()) {
      fresh.put(kQueue, pipe(kMessages, 1 + random_.below(20), kIn, kMost));
    } else {
      post_sends(fresh);
    }
    const std::uint64_t descriptors = GetParam() ? 1 : kMessages;
    ASSERT_EQ(fresh.doorbell(kQueue), Status::kOk);
    std::size_t seen = 0;
    for (unsigned i = 0; fresh.state(kQueue).head < descriptors; ++i) {
      ASSERT_LT(i, 20000U);
      for (unsigned cycles = 0; cycles < 50; ++cycles) {
        if (GetParam()) receive_one(fresh);
        while (seen < fresh.requests.size() && fresh.requests[seen].last != 0) {
          take(fresh, fresh.requests[seen++].packet);
          if (HasFatalFailure()) return;
        }
        if (!answers_.empty() && fresh.cycle() >= answers_.front().cycle) {
          const Due due = answers_.front();
          answers_.pop_front();
          fresh.answer(kQueue, due.number, due.status, kPeerNode);
        } else {
          fresh.tick();
        }
      }
    }
    EXPECT_EQ(expected_, kMessages);
    EXPECT_EQ(fresh.state(kQueue).count, 0U) << name_of(fresh.state(kQueue).status);
  }
}
INSTANTIATE_TEST_SUITE_P(QueuePairs, LossyNetwork, ::testing::Bool(),
                         [](const auto& one) { return one.param ? "Pipe" : "Sends"; });

}  // namespace
}  // namespace torusmu::testing

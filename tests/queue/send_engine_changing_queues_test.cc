// SPDX-License-Identifier: Apache-2.0
// model: Vmu_send_engine mu_send_engine
// bgp:
//
// Dynamically connected queues, and messages that carry nothing but an increment, with the queue
// engine and the injection engine. Receivers and reassembly contexts are played by the test.

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/support/injection_fixture.h"

namespace torusmu::testing {
namespace {

namespace b = layout::receive_buffer;
namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace m = layout::received_message;
namespace t = layout::packet_trailer;
namespace c = registers::injection_queue;
using Message = Record<m::Layout>;

constexpr unsigned kEvent = 9;
constexpr unsigned kIn = 20;  // a receive queue
constexpr unsigned kTarget = 77;
constexpr std::uint32_t kTick = 500;  // cycles
constexpr unsigned kDone = kOwner * 8 + static_cast<unsigned>(Cause::kDone);

class DynamicQueues : public InjectionFixture {
 protected:
  DynamicQueues() {
    bench_.limit<layout::node_limits::send_retry_cycles>(kTick);
    bench_.limit<layout::node_limits::send_retries>(255);
    bench_.gated = random_.chance(50);
  }
  void make(unsigned queue, QueueMode mode = QueueMode::kDoorbell, bool halts = false) {
    make(bench_, queue, mode, halts);
  }
  static void make(InjectionBench& bench, unsigned queue, QueueMode mode, bool halts = false) {
    namespace p = c::peer_field;
    // Node and queue are of no account.
    const std::uint64_t peer = insert(0, p::x, 3) | insert(0, p::queue, 3) |
                               insert(0, p::connected, 1) | insert(0, p::dynamic, 1) |
                               insert(0, p::event_valid, 1) | insert(0, p::event_counter, kEvent);
    ASSERT_EQ(bench.write(RegisterUnit::kQueue, c::config(queue), 0), Status::kOk);
    ASSERT_EQ(bench.write(RegisterUnit::kQueue, c::peer(queue), peer), Status::kOk);
    bench.make_queue(queue, 0x2000 + queue * 0x800, 32, mode, kOwner, halts);
  }
  void post(unsigned queue, const std::vector<Descriptor>& descriptors) {
    for (const Descriptor& descriptor : descriptors) bench_.put(queue, descriptor);
    ASSERT_EQ(bench_.doorbell(queue), Status::kOk);
    bench_.drain();
  }
  static Descriptor send(std::uint64_t length, unsigned x, unsigned target = kTarget) {
    return Descriptor()
        .set<d::opcode>(Opcode::kSend)
        .set<d::source_region>(5)
        .set<d::length>(length)
        .set<d::header>(PacketHeader().set<h::dst_x>(x).set<h::target>(target).set<h::word>(x));
  }
  static Descriptor receive(std::uint32_t sequence = 0) {
    return Descriptor()
        .set<d::opcode>(Opcode::kReceive)
        .set<d::source_region>(5)
        .set<d::length>(700)
        .set<d::sequence_number>(sequence)
        .set<d::interrupt_done>(1);
  }
  void answer(std::uint32_t number, unsigned node, Status status = Status::kOk) {
    bench_.answer(kQueue, number, status, node);
    bench_.drain();
  }
  void end_message(const Message& message) {
    bench_.end_message(message);
    bench_.drain();
  }
  static Message message(std::uint32_t index) {
    return Message()
        .set<m::queue>(kIn)
        .set<m::owner>(kOwner)
        .set<m::index>(index)
        .set<m::bytes>(600)
        .set<m::interrupt_done>(1);
  }
  PacketTrailer trailer(std::size_t i) const { return bench_.requests.at(i).packet.trailer; }
  PacketHeader header(std::size_t i) const { return bench_.requests.at(i).packet.header; }
  void expect_state(unsigned queue, std::uint64_t head, std::uint64_t errors,
                    Status status = Status::kOk) {
    const auto state = bench_.state(queue);
    EXPECT_EQ(state.head, head);
    EXPECT_EQ(state.count, errors);
    EXPECT_EQ(state.status, status) << name_of(state.status);
  }
};

TEST_F(DynamicQueues, SendEachMessageToATargetOfItsOwnOneAfterTheOther) {
  make(kQueue);
  post(kQueue, {send(600, 1, 11), send(8, 2, 22), send(8, 3, 33)});
  ASSERT_EQ(bench_.requests.size(), 2U) << "none goes ahead";
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(header(i).get<h::dst_x>(), 1U);
    EXPECT_EQ(header(i).get<h::target>(), 11U);
    EXPECT_EQ(trailer(i).get<t::dynamic>(), 1U);
    EXPECT_EQ(trailer(i).get<t::doubtful>(), 0U);
    EXPECT_EQ(trailer(i).get<t::index>(), 600U);
  }
  answer(0, 2);
  EXPECT_EQ(bench_.requests.size(), 2U) << "of another node";
  answer(0, 1);
  answer(1, 2, Status::kLengthTooLong);
  ASSERT_EQ(bench_.requests.size(), 4U);
  EXPECT_EQ(header(3).get<h::dst_x>(), 3U);
  EXPECT_EQ(header(3).get<h::target>(), 33U);
  EXPECT_EQ(trailer(3).get<t::sequence_number>(), 2U) << "whatever became of the one before";
  answer(2, 3);
  expect_state(kQueue, 3, 1, Status::kLengthTooLong);
  EXPECT_EQ(bench_.event_values[kEvent], 2U);
}

TEST_F(DynamicQueues, KnowTheNodeOfAnAnswerByEachBit) {
  bench_.place(1, 2, 3, 15, 15, 15, 7);
  make(kQueue);
  std::uint32_t number = 0;
  for (const std::uint32_t node : {0xfffU, 0x5a5U, 0xa5aU}) {
    post(kQueue, {send(8, node & 15)
                      .set<d::header>(PacketHeader()
                                          .set<h::dst_x>(node & 15)
                                          .set<h::dst_y>(node >> 4 & 15)
                                          .set<h::dst_z>(node >> 8))});
    for (unsigned bit = 0; bit < 12; ++bit) {
      answer(number, node ^ 1U << bit);
      EXPECT_EQ(bench_.state(kQueue).head, number) << "node " << (node ^ 1U << bit);
    }
    answer(number, node);
    expect_state(kQueue, ++number, 0);
  }
}

TEST_F(DynamicQueues, GoOutAgainAsOftenAsTheyAreTold) {
  constexpr unsigned kOften = 30;
  bench_.limit<layout::node_limits::send_retry_cycles>(kOften);
  for (unsigned bit = 0; bit < 8; ++bit) {
    bench_.limit<layout::node_limits::send_retries>(static_cast<CData>(1U << bit));
    make(kQueue);
    bench_.requests.clear();
    post(kQueue, {send(8, 1)});
    bench_.ticks(((1U << bit) + 2) * 10 * kOften);
    bench_.drain();
    EXPECT_EQ(bench_.requests.size(), (1U << bit) + 1);
    expect_state(kQueue, 1, 1, Status::kRetryExceeded);
  }
}

// A SEND and a reflected GET, each with a time at which it looks again, on either side of a carry
// into an upper bit of time.
TEST_F(DynamicQueues, WakeTheEngineBesideAReflectionWhicheverIsEarlier) {
  constexpr std::uint32_t kRetry = 0x1c00000, kApart = 10000;
  constexpr std::uint64_t kTop = std::uint64_t{1} << 48;
  for (unsigned bit = 40; bit < 48; ++bit) {
    for (const bool send_first : {false, true}) {
      SCOPED_TRACE(bit);
      InjectionBench fresh(random_);
      fresh.around = bench_.around;
      const std::uint32_t timeout = send_first ? kRetry + kApart : kRetry - kApart;
      fresh.limit<layout::node_limits::send_retry_cycles>(kRetry);
      fresh.limit<layout::node_limits::send_retries>(255);
      fresh.limit<layout::node_limits::credit_timeout_cycles>(timeout);
      make(fresh, kQueue, QueueMode::kDoorbell);
      fresh.make_queue(kQueue + 1, 0x8000, 32, QueueMode::kDoorbell, kOwner);
      ASSERT_EQ(fresh.write(RegisterUnit::kReflection, registers::reflection::credit(), 1),
                Status::kOk);
      fresh.set_time(kTop - (1ULL << bit) - (kRetry + timeout) / 2);
      const std::uint64_t before = fresh.cycle();
      fresh.put(kQueue, send(8, 1));
      ASSERT_EQ(fresh.doorbell(kQueue), Status::kOk);
      fresh.drain();
      const std::uint64_t retry = fresh.wake_at();
      EXPECT_GE(retry, before + kRetry);
      EXPECT_LE(retry, fresh.cycle() + kRetry);
      fresh.put(kQueue + 1, put(128, 64)
                                .set<d::opcode>(Opcode::kGet)
                                .set<d::reflect>(1)
                                .set<d::header>(PacketHeader()));
      ASSERT_EQ(fresh.doorbell(kQueue + 1), Status::kOk);
      fresh.drain();
      if (send_first) {
        EXPECT_EQ(fresh.wake_at(), retry);
      } else {
        EXPECT_GE(fresh.wake_at(), before + timeout);
        EXPECT_LE(fresh.wake_at(), fresh.cycle() + timeout);
      }
    }
  }
}

TEST_F(DynamicQueues, TakeAPeerAnywhereInTheTorus) {
  namespace p = c::peer_field;
  for (unsigned axis = 0; axis < 3; ++axis) {
    for (unsigned bit = 0; bit < 4; ++bit) {
      const unsigned last = 1U << bit;
      bench_.place(0, 0, 0, axis == 0 ? last : 0, axis == 1 ? last : 0, axis == 2 ? last : 0, 7);
      const auto at = [&](std::uint64_t place) {
        const std::uint64_t node = axis == 0   ? insert(0, p::x, place)
                                   : axis == 1 ? insert(0, p::y, place)
                                               : insert(0, p::z, place);
        return bench_.write(RegisterUnit::kQueue, c::peer(kQueue),
                            node | insert(0, p::connected, 1));
      };
      EXPECT_EQ(at(last), Status::kOk) << "axis " << axis << " to " << last;
      EXPECT_EQ(at(last + 1), Status::kRegisterValue) << "axis " << axis << " to " << last;
    }
  }
}

// Of a FENCE, not of a SEND, that is open: its queue goes on.
TEST_F(DynamicQueues, EndAFenceToANodeThatDoesNotExist) {
  make(kQueue);
  post(kQueue,
       {Descriptor().set<d::opcode>(Opcode::kFence).set<d::header>(PacketHeader().set<h::dst_x>(9)),
        send(8, 1)});
  ASSERT_EQ(bench_.requests.size(), 1U);
  answer(0, 1);
  EXPECT_EQ(bench_.state(kQueue).head, 2U);
  EXPECT_EQ(bench_.state(kQueue).count, 1U);
}

TEST_F(DynamicQueues, SayOfACopyThatOneBeforeItMayHaveBeenTaken) {
  make(kQueue);
  post(kQueue, {send(600, 1)});
  answer(0, 1, Status::kReceiveDisabled);
  bench_.ticks(kTick);
  bench_.drain();
  ASSERT_EQ(bench_.requests.size(), 4U);
  EXPECT_EQ(trailer(3).get<t::doubtful>(), 0U) << "the first was refused";
  bench_.ticks(8 * kTick + 50);
  bench_.drain();
  ASSERT_EQ(bench_.requests.size(), 6U);
  for (std::size_t i = 4; i < 6; ++i) {
    EXPECT_EQ(trailer(i).get<t::doubtful>(), 1U);
    EXPECT_EQ(trailer(i).get<t::sequence_number>(), 0U);
  }
  answer(0, 1);
  expect_state(kQueue, 1, 0);
}

TEST_F(DynamicQueues, GoOnWithTheNumbersOfAQueueThatIsConfigured) {
  make(kQueue);
  post(kQueue, {send(8, 1), send(8, 2)});
  make(kQueue);
  post(kQueue, {send(8, 3)});
  ASSERT_EQ(bench_.requests.size(), 2U);
  EXPECT_EQ(trailer(1).get<t::sequence_number>(), 1U);
  EXPECT_EQ(header(1).get<h::dst_x>(), 3U);
  answer(1, 3);
  expect_state(kQueue, 1, 0);
}

TEST_F(DynamicQueues, SendNothingToANodeThatIsNone) {
  bench_.place(1, 2, 3, 3, 3, 3, 7);
  make(kQueue);
  post(kQueue, {send(8, 4), send(8, 3)});
  ASSERT_EQ(bench_.requests.size(), 1U);
  EXPECT_EQ(trailer(0).get<t::sequence_number>(), 0U);
  answer(0, 3);
  expect_state(kQueue, 2, 1, Status::kUnreachable);
}

TEST_F(DynamicQueues, RefuseAPipe) {
  make(kQueue);
  make(kIn, QueueMode::kPiped);
  const Descriptor pipe =
      Descriptor()
          .set<d::opcode>(Opcode::kPipe)
          .set<d::source_region>(5)
          .set<d::length>(64)
          .set<d::immediate>(PipeOperation()
                                 .set<layout::pipe_operation::messages>(1)
                                 .set<layout::pipe_operation::buffer_bytes>(64)
                                 .set<layout::pipe_operation::receive_queue>(kIn)
                                 .bytes());
  post(kQueue, {pipe});
  expect_state(kQueue, 1, 1, Status::kQueueInvalid);
  // From a dynamic queue to one that has a peer.
  ASSERT_EQ(bench_.write(RegisterUnit::kQueue, c::config(kQueue), 0), Status::kOk);
  ASSERT_EQ(
      bench_.write(RegisterUnit::kQueue, c::peer(kQueue), insert(0, c::peer_field::connected, 1)),
      Status::kOk);
  bench_.make_queue(kQueue, 0x2000, 32, QueueMode::kDoorbell, kOwner);
  post(kQueue, {pipe});
  expect_state(kQueue, 1, 1, Status::kQueueInvalid);
  EXPECT_TRUE(bench_.buffers.empty());
}

TEST_F(DynamicQueues, OfferBuffersWithAllThatTheirMessageMustKnow) {
  make(kIn, QueueMode::kReceive);
  post(kIn, {receive(5),
             receive(6).set<d::done_event_valid>(1).set<d::done_event>(9).set<d::signal>(1)});
  ASSERT_EQ(bench_.buffers.size(), 2U);
  EXPECT_EQ(bench_.buffers[0], ReceiveBuffer()
                                   .set<b::queue>(kIn)
                                   .set<b::owner>(kOwner)
                                   .set<b::address>(kBuffer)
                                   .set<b::length>(700)
                                   .set<b::sequence_number>(5)
                                   .set<b::interrupt_done>(1));
  EXPECT_EQ(bench_.buffers[1].get<b::index>(), 1U);
  EXPECT_EQ(bench_.buffers[1].get<b::done_event>(), 9U);
  EXPECT_EQ(bench_.buffers[1].get<b::done_event_valid>(), 1U);
  EXPECT_EQ(bench_.buffers[1].get<b::signal>(), 1U);
}

TEST_F(DynamicQueues, TellNothingOfAReceiveThatHasLeftForItsMessage) {
  make(kIn, QueueMode::kReceive);
  post(kIn, {receive(), receive().set<d::done_event_valid>(1).set<d::done_event>(kEvent)});
  for (std::uint64_t head = 1; head <= 2; ++head) {
    bench_.end_receive(kIn, 0);
    bench_.drain();
    expect_state(kIn, head, 0);
  }
  EXPECT_EQ(bench_.event_values[kEvent], 0U);
  EXPECT_EQ(bench_.causes[kDone], 0U);
}

TEST_F(DynamicQueues, TellOfAMessageThatIsDoneByTheReceiveThatHasLeft) {
  make(kIn, QueueMode::kReceive);
  post(kIn, {receive(), receive()});
  bench_.end_receive(kIn, 0);
  bench_.drain();
  end_message(message(0));
  EXPECT_EQ(bench_.event_values[kEvent], 1U) << "the counter of the peer register";
  EXPECT_EQ(bench_.causes[kDone], 1U);
  expect_state(kIn, 1, 0);
  bench_.around.events[30] = {true, kOwner};
  end_message(message(1).set<m::done_event_valid>(1).set<m::done_event>(30));
  EXPECT_EQ(bench_.event_values[30], 1U);
  EXPECT_EQ(bench_.event_values[kEvent], 1U);
  expect_state(kIn, 1, 0);
}

TEST_F(DynamicQueues, DoNotHaltForAMessageThatCouldNotBeStored) {
  make(kIn, QueueMode::kReceive, true);
  post(kIn, {receive(), receive()});
  bench_.end_receive(kIn, 0);
  bench_.drain();
  end_message(message(0).set<m::status>(Status::kMemoryError));
  EXPECT_EQ(bench_.event_values[kEvent], 0U);
  EXPECT_EQ(bench_.causes[kDone], 0U);
  expect_state(kIn, 1, 0);
  EXPECT_FALSE(bench_.state(kIn).halted);
  EXPECT_EQ(bench_.buffers.size(), 2U);
}

// Its message is done, but the engine has no room to say so while the queue gets another register
// peer.
TEST_F(DynamicQueues, BumpNoCounterOfAPeerThatCameLater) {
  for (int descriptors = 1; descriptors < 20; ++descriptors) {
    SCOPED_TRACE(descriptors);
    InjectionBench fresh(random_);
    fresh.around = bench_.around;
    make(fresh, kIn, QueueMode::kReceive);
    fresh.make_queue(kQueue, kRing, 64, QueueMode::kDoorbell, kOwner);
    fresh.request_chance = 0;
    for (int i = 0; i < descriptors; ++i) fresh.put(kQueue, immediate(8));
    ASSERT_EQ(fresh.doorbell(kQueue), Status::kOk);
    fresh.ticks(300);
    try {
      fresh.end_message(message(0));
    } catch (const std::runtime_error&) {
      return;  // it stays where a write of config takes it away
    }
    namespace p = c::peer_field;
    ASSERT_EQ(fresh.write(RegisterUnit::kQueue, c::config(kIn), 0), Status::kOk);
    ASSERT_EQ(fresh.write(RegisterUnit::kQueue, c::peer(kIn),
                          insert(0, p::connected, 1) | insert(0, p::event_valid, 1) |
                              insert(0, p::event_counter, 30)),
              Status::kOk);
    fresh.request_chance = 100;
    fresh.drain();
    EXPECT_EQ(fresh.event_values[30], 0U);
  }
  FAIL() << "there is always room";
}

// The message is done in any cycle while descriptors of another queue pass.
TEST_F(DynamicQueues, TellOfAMessageBeforeDescriptorsThatWait) {
  for (unsigned delay = 0; delay < 100; ++delay) {
    SCOPED_TRACE(delay);
    InjectionBench fresh(random_);
    fresh.around = bench_.around;
    make(fresh, kIn, QueueMode::kReceive);
    fresh.make_queue(kQueue, kRing, 64, QueueMode::kDoorbell, kOwner);
    for (int i = 0; i < 12; ++i) fresh.put(kQueue, immediate(8));
    ASSERT_EQ(fresh.doorbell(kQueue), Status::kOk);
    fresh.ticks(delay);
    fresh.end_message(message(0));
    fresh.drain();
    ASSERT_EQ(fresh.event_values[kEvent], 1U);
    ASSERT_EQ(fresh.requests.size(), 12U);
    ASSERT_EQ(fresh.state(kQueue).head, 12U);
  }
}

// --- a message that carries nothing but an increment --------------------------------------------

TEST_F(DynamicQueues, SendAnIncrementWithoutPayloadInItsPlace) {
  const auto increment = [this] {
    return immediate(0).set<d::event_valid>(1).set<d::event_counter>(44);
  };
  run_and_compare({put(0, 600), increment(), increment().set<d::interrupt_target>(1), put(64, 40),
                   increment().set<d::done_event_valid>(1).set<d::done_event>(9),
                   increment().set<d::event_valid>(0), increment().set<d::immediate_valid>(0)});
  EXPECT_EQ(bench_.requests.size(), 6U);
  EXPECT_EQ(bench_.event_values[9], 1U);
}

TEST_F(DynamicQueues, SendNoIncrementFromAQueueThatTheNetworkFills) {
  run_and_compare({stamped(immediate(0)).set<d::event_valid>(1), stamped(immediate(8))}, 64,
                  QueueMode::kRemoteGet);
}

}  // namespace
}  // namespace torusmu::testing

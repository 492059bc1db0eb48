// SPDX-License-Identifier: Apache-2.0
// The rules of docs/queue_pairs.md for completion queues, one by one, on the reference model and on
// the node.
#include <gtest/gtest.h>

#include "tests/support/queue_pair_fixture.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace e = layout::completion_entry;
namespace h = layout::packet_header;
namespace w = layout::wait_operation;

class CompletionQueue : public QueuePairTest {
 protected:
  static constexpr QueueTells kTold{.completion = static_cast<int>(kCompletions.value)};

  // A queue whose descriptors with signal are told to the completion queue.
  void open_signalling(QueueId queue, QueueTells tells = kTold) {
    open(queue, QueueMode::kDoorbell, kPeer, kPeerQueue, tells);
  }
  static Descriptor nop(std::uint32_t number = 0) {
    return Descriptor().set<d::signal>(1).set<d::sequence_number>(number);
  }
  void post_nops(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) post(kSend, nop(next_++));
  }

 private:
  std::uint32_t next_ = 0;
};

TEST_P(CompletionQueue, TellsOfASendAndOfAReceive) {
  open_pair(kTold, kTold);
  post(kReceive, receive_descriptor(buffer(0, 2000)).set<d::signal>(1).set<d::sequence_number>(11));
  settle("posted");
  post(kSend, send_descriptor(source(0, 700), kWord).set<d::signal>(1).set<d::sequence_number>(12));
  settle("sent");
  ASSERT_EQ(own().completion_tail(kCompletions), 2U);
  const CompletionEntry received = entry(0);
  EXPECT_EQ(received.get<e::phase>(), 1U);
  EXPECT_EQ(received.get<e::status>(), Status::kOk);
  EXPECT_EQ(received.get<e::opcode>(), Opcode::kReceive);
  EXPECT_EQ(received.get<e::queue>(), kReceive.value);
  EXPECT_EQ(received.get<e::index>(), 0U);
  EXPECT_EQ(received.get<e::bytes>(), 700U);
  EXPECT_EQ(received.get<e::word>(), kWord);
  EXPECT_EQ(received.get<e::sequence_number>(), 11U);
  EXPECT_EQ(received.get<e::peer_x>(), here_.x);
  EXPECT_EQ(received.get<e::peer_queue>(), kSend.value);
  const CompletionEntry sent_entry = entry(1);
  EXPECT_EQ(sent_entry.get<e::opcode>(), Opcode::kSend);
  EXPECT_EQ(sent_entry.get<e::queue>(), kSend.value);
  EXPECT_EQ(sent_entry.get<e::bytes>(), 700U);
  EXPECT_EQ(sent_entry.get<e::word>(), kWord);
  EXPECT_EQ(sent_entry.get<e::sequence_number>(), 12U);
  EXPECT_EQ(sent_entry.get<e::peer_queue>(), kReceive.value);
}

TEST_P(CompletionQueue, TellsOfEveryOpcode) {
  open_signalling(kSend);
  post(kSend, nop());
  post(kSend, put_descriptor(here_, source(0, 700), kTargetRegion, 0, {}).set<d::signal>(1));
  post(kSend, Descriptor()
                  .set<d::opcode>(Opcode::kCtrAdd)
                  .set<d::event_valid>(1)
                  .set<d::event_counter>(kEvent.value)
                  .set<d::signal>(1));
  post(kSend, wait_for_queue(kSend, 3).set<d::signal>(1));
  settle("four");
  ASSERT_EQ(own().completion_tail(kCompletions), 4U);
  constexpr std::array kOpcodes{Opcode::kNop, Opcode::kPut, Opcode::kCtrAdd, Opcode::kWait};
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(entry(i).get<e::opcode>(), kOpcodes.at(i));
    EXPECT_EQ(entry(i).get<e::index>(), i);
  }
}

TEST_P(CompletionQueue, TellsOfADescriptorThatFails) {
  open_signalling(kSend);
  post(kSend, send_descriptor({kClosedRegion, 0, 8}, 5).set<d::signal>(1));
  post(kSend, Descriptor().set<d::opcode>(static_cast<Opcode>(99)).set<d::signal>(1));
  settle("two failures");
  ASSERT_EQ(own().completion_tail(kCompletions), 2U);
  EXPECT_EQ(entry(0).get<e::status>(), Status::kRegionInvalid);
  EXPECT_EQ(entry(0).get<e::word>(), 5U);
  EXPECT_EQ(entry(1).get<e::status>(), Status::kUnknownOpcode);
  EXPECT_EQ(entry(1).get<e::opcode>(), static_cast<Opcode>(99));
}

// The request carries the number of the reflection in its place.
TEST_P(CompletionQueue, TellsTheDescriptorsNumberOfAGetThatIsReflected) {
  constexpr unsigned kAnyDirection = 7;
  open_signalling(kSend);
  const Descriptor get = Descriptor()
                             .set<d::opcode>(Opcode::kGet)
                             .set<d::reflect>(1)
                             .set<d::signal>(1)
                             .set<d::source_region>(kSourceRegion.value)
                             .set<d::length>(64)
                             .set<d::header>(PacketHeader().set<h::target>(kAnyDirection));
  post(kSend, Descriptor(get).set<d::sequence_number>(8));
  settle("nobody reflects");
  own().set_reflection_credit(0, 1);
  post(kSend, Descriptor(get).set<d::sequence_number>(9));
  settle("a neighbour does");
  ASSERT_EQ(own().completion_tail(kCompletions), 2U);
  EXPECT_EQ(entry(0).get<e::status>(), Status::kNoReflector);
  EXPECT_EQ(entry(0).get<e::sequence_number>(), 8U);
  EXPECT_EQ(entry(1).get<e::status>(), Status::kOk);
  EXPECT_EQ(entry(1).get<e::sequence_number>(), 9U);
}

TEST_P(CompletionQueue, HoldsNothingOfDescriptorsWithoutSignal) {
  open_signalling(kSend);
  post(kSend, Descriptor());
  settle("done");
  EXPECT_EQ(head(kSend), 1U);
  EXPECT_EQ(own().completion_tail(kCompletions), 0U);
}

TEST_P(CompletionQueue, PhaseTurnsWithEveryLap) {
  open_signalling(kSend);
  for (std::uint32_t lap = 0; lap < 3; ++lap) {
    post_nops(kEntries);
    settle("a lap");
    for (std::uint32_t slot = 0; slot < kEntries; ++slot) {
      EXPECT_EQ(entry(slot).get<e::phase>(), 1 - lap % 2) << lap << ' ' << slot;
      EXPECT_EQ(entry(slot).get<e::sequence_number>(), lap * kEntries + slot);
    }
    own().set_completion_head(kCompletions, (lap + 1) * kEntries);
  }
  EXPECT_EQ(lost(kCompletions), 0U);
}

TEST_P(CompletionQueue, IsSharedByQueues) {
  open_signalling(kSend);
  open_signalling(kOther);
  post(kSend, nop(1));
  settle("one");
  post(kOther, nop(2));
  settle("two");
  EXPECT_EQ(entry(0).get<e::queue>(), kSend.value);
  EXPECT_EQ(entry(1).get<e::queue>(), kOther.value);
}

TEST_P(CompletionQueue, LosesAnEntryThatFindsItFull) {
  open_signalling(kSend);
  post_nops(kEntries);
  settle("full");
  clear_causes();
  post_nops(2);
  settle("too many");
  EXPECT_EQ(head(kSend), kEntries + 2) << "the descriptor is done all the same";
  EXPECT_EQ(own().completion_tail(kCompletions), kEntries);
  EXPECT_EQ(lost(kCompletions), 2U);
  EXPECT_TRUE(has_cause(Cause::kError));
  EXPECT_EQ(entry(0).get<e::sequence_number>(), 0U);
  own().set_completion_head(kCompletions, 1);
  post_nops(1);
  settle("room again");
  EXPECT_EQ(entry(0).get<e::sequence_number>(), kEntries + 2);
}

TEST_P(CompletionQueue, OverwritesTheOldestIfItMay) {
  own().open_completion_queue(kCompletions, kCompletionRing, kEntries, {.overwrite = true});
  open_signalling(kSend);
  post_nops(kEntries);
  settle("full");
  clear_causes();
  post_nops(1);
  settle("one more");
  EXPECT_EQ(own().completion_tail(kCompletions), kEntries + 1);
  EXPECT_EQ(device().read64(registers::completion_queue::head(kCompletions.value)), 1U);
  EXPECT_EQ(lost(kCompletions), 1U);
  EXPECT_TRUE(has_cause(Cause::kError));
  EXPECT_EQ(entry(0).get<e::sequence_number>(), kEntries);
  EXPECT_EQ(entry(0).get<e::phase>(), 0U);
}

TEST_P(CompletionQueue, ThatIsMissingOffOrForeignTakesNothing) {
  RawNode(device(), kForeigner).open_completion_queue(kForeignCompletions, 0x78000, kEntries);
  for (const int named : {-1, 16, 255, static_cast<int>(kClosed.value),
                          static_cast<int>(kForeignCompletions.value)}) {
    clear_causes();
    open_signalling(kSend, {.completion = named});
    post(kSend, nop());
    settle("completion queue " + std::to_string(named));
    EXPECT_EQ(head(kSend), 1U);
    EXPECT_TRUE(has_cause(Cause::kError)) << named;
  }
  EXPECT_EQ(lost(kClosed), 1U);
  EXPECT_EQ(lost(kForeignCompletions), 1U);
  EXPECT_EQ(device().read64(registers::completion_queue::tail(kForeignCompletions.value)), 0U);
}

TEST_P(CompletionQueue, RaisesItsCauseIfItIsToldTo) {
  open_signalling(kSend);
  post_nops(1);
  settle("quiet");
  EXPECT_FALSE(has_cause(Cause::kCompletion));
  own().open_completion_queue(kCompletions, kCompletionRing, kEntries, {.interrupt = true});
  post_nops(1);
  settle("loud");
  EXPECT_TRUE(has_cause(Cause::kCompletion));
}

TEST_P(CompletionQueue, IsWaitedFor) {
  open_signalling(kSend);
  open(kOther, QueueMode::kDoorbell, kPeer, kPeerQueue);
  post(kOther, wait_for_completions(kCompletions, 3));
  post_nops(2);
  settle("two");
  EXPECT_EQ(head(kOther), 0U);
  post_nops(1);
  settle("three");
  EXPECT_EQ(head(kOther), 1U);
}

TEST_P(CompletionQueue, ThatIsNotTheOwnersCannotBeWaitedFor) {
  RawNode(device(), kForeigner).open_completion_queue(kForeignCompletions, 0x78000, kEntries);
  open(kOther, QueueMode::kDoorbell, kPeer, kPeerQueue);
  for (const CompletionQueueId queue : {kForeignCompletions, kClosed, CompletionQueueId{16}}) {
    post(kOther, wait_for_completions(queue, 0));
  }
  settle("none");
  const QueueState state = queue_state(device(), kOther);
  EXPECT_EQ(state.status, Status::kQueueInvalid);
  EXPECT_EQ(state.count, 3U);
}

TEST_P(CompletionQueue, HeldWaitIsToldAsFlushed) {
  open_signalling(kSend);
  post(kSend, wait_for_queue(kSend, 9).set<d::signal>(1));
  settle("it waits");
  device().write64(registers::injection_queue::config(kSend.value), 0);
  settle("off");
  EXPECT_EQ(entry(0).get<e::status>(), Status::kFlushed);
  EXPECT_EQ(entry(0).get<e::opcode>(), Opcode::kWait);
}

TEST_P(CompletionQueue, HeadMovesOnlyOverWhatIsWritten) {
  open_signalling(kSend);
  post_nops(2);
  settle("two");
  own().set_completion_head(kCompletions, 3);
  settle("refused");
  EXPECT_EQ(device().read64(registers::completion_queue::head(kCompletions.value)), 0U);
  own().set_completion_head(kCompletions, 2);
  settle("taken");
  EXPECT_EQ(device().read64(registers::completion_queue::head(kCompletions.value)), 2U);
}

TEST_P(CompletionQueue, RingIsMovedOnlyWhileItIsOff) {
  const auto base = registers::completion_queue::base(kCompletions.value);
  const auto size = registers::completion_queue::size(kCompletions.value);
  const auto config = registers::completion_queue::config(kCompletions.value);
  device().write64(base, 0x1000);
  device().write64(size, 7);
  EXPECT_EQ(device().read64(base), kCompletionRing);
  EXPECT_EQ(device().read64(size), kEntries);
  device().write64(config, 0);
  device().write64(size, 0);
  device().write64(size, (1U << 24) + 1);
  EXPECT_EQ(device().read64(size), kEntries);
  device().write64(base, (Address{1} << 40) - 64);
  device().write64(config, 1);
  EXPECT_EQ(device().read64(config), 0U) << "the ring would run past the end of memory";
  device().write64(size, 2);
  device().write64(config, 1);
  EXPECT_EQ(device().read64(config), 1U);
  settle("all told");
}

INSTANTIATE_TEST_SUITE_P(On, CompletionQueue, ::testing::Values(On::kModel, On::kNode),
                         name_of_case);

}  // namespace
}  // namespace torusmu::testing

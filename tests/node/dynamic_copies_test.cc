// SPDX-License-Identifier: Apache-2.0
// What becomes of copies of messages to a dynamically connected queue, and of messages that their
// senders give up (docs/queue_pairs.md), one rule after another, on the reference model and on the
// node.
#include <gtest/gtest.h>

#include "tests/support/dynamic_queue_fixture.h"

namespace torusmu::testing {
namespace {

namespace e = layout::completion_entry;
namespace t = layout::packet_trailer;

class DynamicCopies : public DynamicQueueTest {
 protected:
  // Every context knows a message that is answered, that of sender i the message of context i.
  void use_every_context() {
    open_dynamic_receive(kTold);
    post_receives(kManySlots);
    take_messages(kContexts);
  }
  static Copy doubtful(std::uint32_t sender, std::uint32_t number = 0) {
    return {.sender = sender, .number = number, .doubtful = true};
  }
  void expect_known(std::uint32_t sender) {
    EXPECT_EQ(arrives(doubtful(sender)), Told{kStored}) << sender;
    EXPECT_EQ(messages_, head(kReceive)) << "it was stored once more";
  }
  void expect_given_up(std::uint32_t sender) {
    EXPECT_EQ(arrives(doubtful(sender)), Told{Status::kDeliveryUnknown}) << sender;
    EXPECT_EQ(messages_, head(kReceive)) << "it was stored once more";
  }
  void remember_head() { messages_ = head(kReceive); }

 private:
  std::uint32_t messages_ = 0;
};

// --- a copy of a message that is known ----------------------------------------------------------

TEST_P(DynamicCopies, OfAMessageThatIsStoredIsAnsweredAgainByItsLastPacketAlone) {
  open_dynamic_receive(kTold);
  post_receives(2);
  take_messages(1);
  EXPECT_EQ(arrives(doubtful(0), 0), Told{});
  EXPECT_EQ(arrives(doubtful(0), 1), Told{});
  EXPECT_EQ(arrives(doubtful(0), 2), Told{kStored});
  EXPECT_EQ(head(kReceive), 1U);
  EXPECT_EQ(own().completion_tail(kCompletions), 1U);
  expect_empty(1);
}

TEST_P(DynamicCopies, OfAMessageThatIsStoredWritesNothing) {
  open_dynamic_receive();
  post_receives(2);
  take_messages(1);
  device().store(kTarget + buffer(0, 0).offset, nothing(kBytes));
  EXPECT_EQ(arrives(doubtful(0)), Told{kStored});
  expect_empty(0);
}

TEST_P(DynamicCopies, OfAMessageThatFailedIsRefusedAgain) {
  open_dynamic_receive(kTold);
  post(kReceive, receive_descriptor({kHugeRegion, Bytes{1} << 30, kBytes}));
  post_receives(1);
  EXPECT_EQ(arrives({0}), Told{Status::kMemoryError});
  EXPECT_EQ(arrives(doubtful(0)), Told{Status::kMemoryError});
  EXPECT_EQ(head(kReceive), 1U);
  expect_empty(0);
}

TEST_P(DynamicCopies, LatePacketsOfAMessageThatIsStoredAreDroppedButForTheLast) {
  open_dynamic_receive();
  post_receives(2);
  take_messages(1);
  EXPECT_EQ(arrives(doubtful(0), 1), Told{});
  EXPECT_EQ(arrives(doubtful(0), 2), Told{kStored});
  EXPECT_EQ(arrives({0}, 2), Told{}) << "of a message that cannot have been taken before";
}

TEST_P(DynamicCopies, OfAMessageNotAllOfWhichWasTakenBeginsItAnew) {
  open_dynamic_receive(kTold);
  post_receives(2);
  EXPECT_EQ(arrives({0}, 0), Told{});
  EXPECT_EQ(arrives({0}, 1), Told{});
  EXPECT_EQ(arrives(doubtful(0), 0), Told{});
  EXPECT_EQ(arrives(doubtful(0), 2), Told{}) << "there is a gap";
  EXPECT_EQ(arrives(doubtful(0), 1), Told{});
  EXPECT_EQ(arrives(doubtful(0), 2), Told{kStored});
  EXPECT_EQ(head(kReceive), 1U);
  EXPECT_EQ(own().completion_tail(kCompletions), 1U);
  expect_stored(0, {0});
}

TEST_P(DynamicCopies, PacketThatDoesNotComeNextIsDropped) {
  open_dynamic_receive();
  post_receives(2);
  EXPECT_EQ(arrives({0}, 1), Told{}) << "nothing has begun";
  EXPECT_EQ(arrives({0}, 0), Told{});
  EXPECT_EQ(arrives({0}, 2), Told{}) << "there is a gap";
  EXPECT_EQ(arrives({.number = 1}, 1), Told{}) << "another number";
  EXPECT_EQ(arrives({0}, 1), Told{});
  EXPECT_EQ(arrives({0}, 1), Told{}) << "once more";
  EXPECT_EQ(arrives({0}, 2), Told{kStored});
  expect_stored(0, {0});
  EXPECT_EQ(head(kReceive), 1U);
}

// --- a new message ------------------------------------------------------------------------------

TEST_P(DynamicCopies, DoubtfulMessageIsNewWhileNoContextHasBeenGivenUp) {
  open_dynamic_receive();
  post_receives(2);
  EXPECT_EQ(arrives(doubtful(0)), Told{kStored}) << "all of the copy before it was lost";
  EXPECT_EQ(arrives(doubtful(1, 7)), Told{kStored});
  expect_stored(0, {0});
}

TEST_P(DynamicCopies, DoubtfulMessageIsNewIfTheContextHasAnotherNumber) {
  use_every_context();
  EXPECT_EQ(arrives({kContexts}), Told{kStored}) << "a context is given up";
  EXPECT_EQ(arrives(doubtful(3, 1)), Told{kStored});
  expect_stored(kContexts + 1, {.sender = 3, .number = 1});
}

TEST_P(DynamicCopies, MessageThatIsNotDoubtfulIsNewEvenIfTheContextHasItsNumber) {
  open_dynamic_receive();
  post_receives(2);
  take_messages(1);
  EXPECT_EQ(arrives({0}), Told{kStored}) << "its queue has been configured anew";
  EXPECT_EQ(head(kReceive), 2U);
  expect_stored(1, {0});
}

TEST_P(DynamicCopies, NewMessageTakesBufferAndContextOfOneThatItsSenderHasGivenUp) {
  for (const bool is_doubtful : {false, true}) {
    open_dynamic_receive(kTold);
    own().open_completion_queue(kCompletions, kCompletionRing, kManySlots);
    post_receives(2);
    EXPECT_EQ(arrives({0}, 0), Told{});
    const Copy next{.number = 1, .doubtful = is_doubtful};
    EXPECT_EQ(arrives(next, 0), Told{});
    EXPECT_EQ(arrives({0}, 1), Told{}) << "of the one given up";
    EXPECT_EQ(arrives(next, 1), Told{});
    EXPECT_EQ(arrives(next, 2), Told{kStored});
    EXPECT_EQ(head(kReceive), 1U);
    ASSERT_EQ(own().completion_tail(kCompletions), 1U);
    EXPECT_EQ(entry(0).get<e::index>(), 0U);
    expect_stored(0, next);
    expect_empty(1);
  }
}

TEST_P(DynamicCopies, NewMessageIsTooLongForTheBufferOfOneThatItsSenderHasGivenUp) {
  open_dynamic_receive();
  post(kReceive, receive_descriptor(buffer(0, 600)));
  post_receives(1, 1);
  EXPECT_EQ(arrives({.length = 600}, 0), Told{});
  EXPECT_EQ(arrives({.number = 1}), Told{Status::kLengthTooLong});
  EXPECT_EQ(arrives({.number = 2, .length = 600}), Told{kStored});
  EXPECT_EQ(head(kReceive), 1U);
  expect_stored(0, {.number = 2, .length = 600});
}

TEST_P(DynamicCopies, ErrorOfAMessageThatItsSenderHasGivenUpDoesNotSpoilTheNext) {
  open_dynamic_receive(kTold);
  // There is memory for the first packet alone.
  const Bytes there = device().memory_size() - kSim.payload_bytes;
  post(kReceive, receive_descriptor({kHugeRegion, there, kBytes}));
  EXPECT_EQ(arrives({0}, 0), Told{});
  EXPECT_EQ(arrives({0}, 1), Told{});
  EXPECT_TRUE(has_cause(Cause::kError));
  EXPECT_EQ(arrives({.number = 1, .length = 100}), Told{kStored});
}

TEST_P(DynamicCopies, MessageThatItsSenderHasGivenUpKeepsItsContextUntilTheSenderSendsAgain) {
  open_dynamic_receive();
  post_receives(kManySlots);
  begin_messages(kContexts);
  EXPECT_EQ(arrives({kContexts}), Told{Status::kReceiveDisabled});
  EXPECT_EQ(arrives({.sender = 4, .number = 1}), Told{kStored});
  EXPECT_EQ(arrives({kContexts}), Told{kStored});
  EXPECT_EQ(head(kReceive), kContexts + 1);
}

// --- contexts that are given up -----------------------------------------------------------------

TEST_P(DynamicCopies, OfAMessageWhoseContextIsGivenUpIsRefusedOnce) {
  use_every_context();
  EXPECT_EQ(arrives({kContexts}), Told{kStored});
  remember_head();
  expect_given_up(0);
  for (std::uint32_t i = 1; i < kContexts; ++i) expect_known(i);
  expect_known(kContexts);
}

TEST_P(DynamicCopies, ContextsAreGivenUpInTurn) {
  use_every_context();
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(arrives({kContexts + i}), Told{kStored});
    remember_head();
    for (std::uint32_t j = 0; j <= i; ++j) expect_given_up(j);
    for (std::uint32_t j = i + 1; j < kContexts; ++j) expect_known(j);
  }
}

TEST_P(DynamicCopies, TurnPassesByContextsWhoseMessageIsNotAnswered) {
  use_every_context();
  for (const std::uint32_t i : {0U, 2U}) {
    EXPECT_EQ(arrives({.sender = i, .number = 1}, 0), Told{});
  }
  EXPECT_EQ(arrives({kContexts}), Told{kStored});
  EXPECT_EQ(arrives({kContexts + 1}), Told{kStored});
  remember_head();
  expect_given_up(1);
  expect_given_up(3);
  expect_known(4);
  EXPECT_EQ(arrives({.sender = 2, .number = 1}, 1), Told{});
  EXPECT_EQ(arrives({.sender = 2, .number = 1}, 2), Told{kStored});
}

TEST_P(DynamicCopies, SenderThatSendsAgainUsesItsOwnContext) {
  use_every_context();
  for (std::uint32_t number = 1; number < 4; ++number) {
    EXPECT_EQ(arrives({.sender = 6, .number = number}), Told{kStored});
  }
  remember_head();
  for (std::uint32_t i = 0; i < kContexts; ++i) {
    if (i != 6) expect_known(i);
  }
  EXPECT_EQ(arrives(doubtful(6, 3)), Told{kStored});
}

TEST_P(DynamicCopies, MessageThatIsRefusedGivesUpNothing) {
  use_every_context();
  EXPECT_EQ(arrives({.sender = kContexts, .length = kBytes + 1}), Told{Status::kLengthTooLong});
  Packet foreign = packet({kContexts}, 0);
  foreign.trailer.set<t::event_valid>(1).set<t::event_counter>(kForeignEvent.value);
  EXPECT_EQ(told({kContexts}, {foreign}), Told{Status::kCounterInvalid});
  remember_head();
  for (std::uint32_t i = 0; i < kContexts; ++i) expect_known(i);
  EXPECT_EQ(arrives(doubtful(kContexts)), Told{kStored}) << "it is taken as new";
}

// --- the configuration --------------------------------------------------------------------------

TEST_P(DynamicCopies, ConfigurationForgetsTheMessagesOfTheQueueWithoutAnEntry) {
  open_dynamic_receive(kTold);
  post_receives(2);
  EXPECT_EQ(arrives({0}), Told{kStored});
  EXPECT_EQ(arrives({1}, 0), Told{});
  open_dynamic_receive(kTold);
  settle("configured anew");
  EXPECT_EQ(own().completion_tail(kCompletions), 1U);
  post_receives(2);
  EXPECT_EQ(arrives({1}, 1), Told{}) << "of a message that is forgotten";
  remember_head();
  expect_given_up(0);
  expect_given_up(1);
  EXPECT_EQ(arrives({1}), Told{kStored});
  expect_stored(0, {1});
}

TEST_P(DynamicCopies, ConfigurationFreesTheContextsOfTheQueue) {
  open_dynamic_receive();
  post_receives(kManySlots);
  begin_messages(kContexts);
  open_dynamic_receive();
  post_receives(kManySlots);
  for (std::uint32_t i = kContexts; i < 2 * kContexts; ++i) EXPECT_EQ(arrives({i}, 0), Told{}) << i;
}

TEST_P(DynamicCopies, ConfigurationOfAnotherQueueForgetsNothing) {
  open_dynamic_receive();
  open_dynamic(kOtherReceive, QueueMode::kReceive);
  post_receives(3);
  take_messages(1);
  EXPECT_EQ(arrives({1}, 0), Told{});
  open_dynamic(kOtherReceive, QueueMode::kReceive);
  remember_head();
  expect_known(0);
  EXPECT_EQ(arrives({1}, 1), Told{});
  EXPECT_EQ(arrives({1}, 2), Told{kStored});
  EXPECT_EQ(arrives(doubtful(2)), Told{kStored}) << "nothing has been given up";
}

INSTANTIATE_TEST_SUITE_P(On, DynamicCopies, ::testing::Values(On::kModel, On::kNode), name_of_case);

}  // namespace
}  // namespace torusmu::testing

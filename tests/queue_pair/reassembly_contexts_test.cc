// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>

#include "Vmu_reassembly_contexts.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"

namespace torusmu::testing {
namespace {

using Buffer = Record<layout::receive_buffer::Layout>;
using Stored = Record<layout::message_stored::Layout>;
using Answer = Record<layout::send_answer::Layout>;
using Peer = Record<layout::queue_peer::Layout>;
using Message = Record<layout::received_message::Layout>;
namespace b = layout::receive_buffer;
namespace m = layout::received_message;
namespace s = layout::message_stored;

constexpr unsigned kContexts = 8;
constexpr unsigned kReceiver = 20;  // the receive queue, if nothing else is said

// One of many: the node is its number.
struct Sender {
  unsigned node = 0;
  unsigned queue = 9;
  unsigned receiver = kReceiver;
};
// Where the packets of a message go.
struct Place {
  unsigned context = 0;
  unsigned epoch = 0;
};

class ReassemblyContexts : public ::testing::Test {
 protected:
  void look(const Sender& sender, std::uint32_t number = 0) {
    dut_->node_i = static_cast<std::uint16_t>(sender.node);
    dut_->peer_queue_i = static_cast<std::uint8_t>(sender.queue);
    dut_->queue_i = static_cast<std::uint8_t>(sender.receiver);
    dut_->number_i = number;
    dut_.settle();
  }
  static Buffer buffer_of(const Sender& sender, std::uint32_t index) {
    return Buffer()
        .set<b::queue>(sender.receiver)
        .set<b::owner>(3)
        .set<b::address>(0x1000 + index)
        .set<b::length>(700)
        .set<b::index>(index)
        .set<b::sequence_number>(index + 0xA0000000)
        .set<b::done_event>(index & 0xFF)
        .set<b::done_event_valid>(1)
        .set<b::signal>(1);
  }
  Place take(const Sender& sender, std::uint32_t number, bool begins, bool last,
             std::uint32_t bytes = 8, std::uint32_t index = 0) {
    return take(sender, number, begins, last, bytes, 0xABC00000 + number, buffer_of(sender, index));
  }
  Place take(const Sender& sender, std::uint32_t number, bool begins, bool last,
             std::uint32_t bytes, std::uint32_t word, const Buffer& buffer) {
    look(sender, number);
    dut_->take_i = 1;
    dut_->begin_i = begins;
    dut_->claim_i = begins && !dut_->open_o;
    dut_->take_end_i = last;
    dut_->take_bytes_i = bytes;
    dut_->take_word_i = word;
    drive(dut_->buffer_i, buffer);
    dut_.settle();
    const Place place = {dut_->context_o, dut_->epoch_o};
    dut_.tick();
    dut_->take_i = dut_->begin_i = dut_->claim_i = dut_->take_end_i = 0;
    look(sender, number);
    return place;
  }
  // A message of one packet.
  Place take_whole(const Sender& sender, std::uint32_t number, std::uint32_t index = 0) {
    return take(sender, number, true, true, 8, index);
  }
  void store(const Place& place, bool last, bool failed = false, bool dynamic = true) {
    drive(dut_->stored_i, Stored()
                              .set<s::dynamic>(dynamic)
                              .set<s::reassembly>(place.context)
                              .set<s::epoch>(place.epoch)
                              .set<s::message_end>(last)
                              .set<s::failed>(failed));
    dut_->stored_valid_i = 1;
    dut_.tick();
    dut_->stored_valid_i = 0;
    dut_.settle();
  }
  std::optional<Message> done() {
    if (!dut_->done_valid_o) return std::nullopt;
    const auto done = sample_record<Message>(dut_->done_o);
    dut_->done_ready_i = 1;
    dut_.tick();
    dut_->done_ready_i = 0;
    dut_.settle();
    return done;
  }
  std::optional<Answer> answer() {
    if (!dut_->answer_valid_o) return std::nullopt;
    const auto answer = sample_record<Answer>(dut_->answer_o);
    answer_peer_ = sample_record<Peer>(dut_->answer_peer_o);
    dut_->answer_ready_i = 1;
    dut_.tick();
    dut_->answer_ready_i = 0;
    dut_.settle();
    return answer;
  }
  // From its only packet to its answer.
  Place pass(const Sender& sender, std::uint32_t number) {
    const Place place = take_whole(sender, number);
    store(place, true);
    EXPECT_TRUE(done());
    EXPECT_TRUE(answer());
    return place;
  }
  void reset(unsigned queue) {
    dut_->reset_i = 1;
    dut_->reset_queue_i = static_cast<std::uint8_t>(queue);
    dut_.tick();
    dut_->reset_i = 0;
    dut_.settle();
  }
  bool knows(const Sender& sender) {
    look(sender);
    return dut_->hit_o != 0;
  }

  Random random_;
  Clocked<Vmu_reassembly_contexts> dut_{random_.seed()};
  Peer answer_peer_;
};

TEST_F(ReassemblyContexts, KnowNothingAfterReset) {
  look({3});
  EXPECT_FALSE(dut_->hit_o || dut_->same_o || dut_->open_o || dut_->waits_o || dut_->forgot_o);
  EXPECT_TRUE(dut_->room_o);
  EXPECT_FALSE(dut_->busy_o);
}

TEST_F(ReassemblyContexts, KnowHowFarAMessageIs) {
  const Sender sender{0x123};
  take(sender, 77, true, false, 512, 5);
  EXPECT_TRUE(dut_->hit_o && dut_->same_o && dut_->open_o);
  EXPECT_FALSE(dut_->waits_o);
  EXPECT_EQ(dut_->received_o, 512U);
  EXPECT_EQ(sample_record<Buffer>(dut_->entry_o), buffer_of(sender, 5));
  look(sender, 78);
  EXPECT_TRUE(dut_->hit_o);
  EXPECT_FALSE(dut_->same_o);
  take(sender, 77, false, false, 1024);
  EXPECT_EQ(dut_->received_o, 1024U);
  take(sender, 77, false, true, 1100);
  EXPECT_FALSE(dut_->open_o);
  EXPECT_TRUE(dut_->waits_o);
}

TEST_F(ReassemblyContexts, TellSendersApartByNodeAndQueueAndReceiveQueue) {
  take_whole({3, 9, kReceiver}, 0);
  EXPECT_TRUE(knows({3, 9, kReceiver}));
  EXPECT_FALSE(knows({4, 9, kReceiver}));
  EXPECT_FALSE(knows({3, 8, kReceiver}));
  EXPECT_FALSE(knows({3, 9, kReceiver + 1}));
}

TEST_F(ReassemblyContexts, TellTheEndOnceTheMessageIsInMemoryThenItsAnswer) {
  const Sender sender{0x321, 7, 21};
  const Place place = take(sender, 0xFFFFFFFF, true, false, 512, 9);
  take(sender, 0xFFFFFFFF, false, true, 600, 10);
  EXPECT_FALSE(done() || answer());
  store(place, true);
  EXPECT_FALSE(answer()) << "its completion comes first";
  EXPECT_TRUE(dut_->busy_o);
  EXPECT_EQ(done(), Message()
                        .set<m::status>(Status::kOk)
                        .set<m::bytes>(600)
                        .set<m::word>(0xABC00000U - 1)
                        .set<m::node>(0x321)
                        .set<m::peer_queue>(7)
                        .set<m::queue>(21)
                        .set<m::owner>(3)
                        .set<m::index>(9)
                        .set<m::sequence_number>(0xA0000009)
                        .set<m::done_event>(9)
                        .set<m::done_event_valid>(1)
                        .set<m::signal>(1));
  EXPECT_FALSE(done());
  look(sender);
  EXPECT_TRUE(dut_->waits_o) << "for its answer";
  const auto told = answer();
  ASSERT_TRUE(told);
  EXPECT_EQ(told->get<layout::send_answer::queue>(), 21U) << "of the receive queue";
  EXPECT_EQ(told->get<layout::send_answer::number>(), 0xFFFFFFFFU);
  EXPECT_EQ(told->get<layout::send_answer::status>(), Status::kOk);
  EXPECT_EQ(answer_peer_.get<layout::queue_peer::queue>(), 7U);
  EXPECT_EQ(answer_peer_.get<layout::queue_peer::x>(), 1U);
  EXPECT_EQ(answer_peer_.get<layout::queue_peer::y>(), 2U);
  EXPECT_EQ(answer_peer_.get<layout::queue_peer::z>(), 3U);
  EXPECT_FALSE(answer());
  look(sender, 0xFFFFFFFF);
  EXPECT_TRUE(dut_->same_o) << "it is kept";
  EXPECT_FALSE(dut_->open_o || dut_->waits_o || dut_->busy_o);
}

TEST_F(ReassemblyContexts, TellTheFailureOfAnyPacket) {
  const Sender sender{3};
  const Place place = take(sender, 4, true, false);
  store(place, false, true);
  EXPECT_TRUE(dut_->failed_o);
  take(sender, 4, false, true, 16);
  store(place, true);
  EXPECT_EQ(done()->get<m::status>(), Status::kMemoryError);
  EXPECT_EQ(answer()->get<layout::send_answer::status>(), Status::kMemoryError);
  look(sender, 4);
  EXPECT_TRUE(dut_->failed_o) << "a copy is told it again";
  take_whole(sender, 5);
  EXPECT_FALSE(dut_->failed_o);
}

TEST_F(ReassemblyContexts, BeginTheNextMessageOfASenderInItsContext) {
  const Sender sender{3};
  const Place first = pass(sender, 0);
  pass({4}, 0);
  const Place second = take_whole(sender, 1, 6);
  EXPECT_EQ(second.context, first.context);
  EXPECT_NE(second.epoch, first.epoch);
  EXPECT_FALSE(dut_->forgot_o);
  EXPECT_EQ(sample_record<Buffer>(dut_->entry_o).get<b::index>(), 6U);
}

TEST_F(ReassemblyContexts, KeepTheBufferOfAMessageThatBeginsAnewOrIsGivenUp) {
  const Sender sender{3};
  take(sender, 7, true, false, 512, 5);
  take(sender, 7, true, false, 512, 6);
  EXPECT_EQ(sample_record<Buffer>(dut_->entry_o).get<b::index>(), 5U);
  take(sender, 8, true, true, 8, 7);
  EXPECT_EQ(sample_record<Buffer>(dut_->entry_o).get<b::index>(), 5U);
  EXPECT_TRUE(dut_->same_o);
}

TEST_F(ReassemblyContexts, CountNothingThatWasUnderWayBeforeTheMessageBeganAnew) {
  const Sender sender{3};
  const Place before = take(sender, 7, true, false);
  const Place anew = take(sender, 7, true, true);
  store(before, false, true);
  EXPECT_FALSE(dut_->failed_o);
  store(anew, true);
  EXPECT_EQ(done()->get<m::status>(), Status::kOk);
}

TEST_F(ReassemblyContexts, ForgetAFailureAsTheMessageBeginsAnew) {
  const Sender sender{3};
  const Place before = take(sender, 7, true, false);
  store(before, false, true);
  const Place anew = take(sender, 7, true, true);
  store(anew, true);
  EXPECT_EQ(done()->get<m::status>(), Status::kOk);
}

TEST_F(ReassemblyContexts, CountNothingOfQueuesWithAPeerOfTheirOwn) {
  const Place place = take_whole({3}, 7);
  store(place, true, true, false);
  EXPECT_FALSE(done());
}

TEST_F(ReassemblyContexts, TellEndsInTheOrderInWhichMessagesEnd) {
  std::array<Place, kContexts> places;
  for (unsigned i = 0; i < kContexts; ++i) places.at(i) = take_whole({i}, i);
  const std::array<unsigned, kContexts> order = {4, 1, 7, 0, 3, 2, 6, 5};
  for (const unsigned i : order) store(places.at(i), true);
  for (const unsigned i : order) EXPECT_EQ(done()->get<m::node>(), i);
}

TEST_F(ReassemblyContexts, TellEndsInOrderThoughAContextEndsAgainMeanwhile) {
  const Place first = take_whole({1}, 0);
  const Place second = take_whole({2}, 0);
  store(first, true);
  store(second, true);
  EXPECT_EQ(done()->get<m::node>(), 1U);
  EXPECT_TRUE(answer());
  store(take_whole({1}, 1), true);
  EXPECT_EQ(done()->get<m::node>(), 2U);
  EXPECT_EQ(done()->get<m::node>(), 1U);
  EXPECT_FALSE(done());
}

TEST_F(ReassemblyContexts, HaveNoRoomWhileNoneIsAnswered) {
  Place last;
  for (unsigned i = 0; i < kContexts; ++i) {
    look({99});
    EXPECT_TRUE(dut_->room_o);
    last = i % 2 != 0 ? take_whole({i}, 0) : take({i}, 0, true, false);
  }
  look({99});
  EXPECT_FALSE(dut_->room_o);
  store(last, true);
  EXPECT_FALSE(dut_->room_o);
  EXPECT_TRUE(done());
  EXPECT_FALSE(dut_->room_o);
  EXPECT_TRUE(answer());
  EXPECT_TRUE(dut_->room_o);
  EXPECT_FALSE(dut_->forgot_o);
  EXPECT_EQ(take_whole({99}, 0).context, last.context);
  EXPECT_TRUE(dut_->forgot_o);
  EXPECT_FALSE(knows({kContexts - 1}));
}

TEST_F(ReassemblyContexts, AreGivenInTurnOnceAllHaveBeenUsed) {
  for (unsigned i = 0; i < kContexts; ++i) EXPECT_EQ(pass({i}, 0).context, i);
  EXPECT_FALSE(dut_->forgot_o) << "each was new";
  take({2}, 1, true, false);
  for (const unsigned context : {0U, 1U, 3U, 4U, 5U, 6U, 7U, 0U, 1U, 3U}) {
    EXPECT_TRUE(knows({2}));
    EXPECT_EQ(pass({100 + static_cast<unsigned>(dut_.cycle())}, 0).context, context);
  }
}

TEST_F(ReassemblyContexts, ForgetTheMessagesOfAQueueThatIsConfigured) {
  const Place open = take({1}, 0, true, false);
  const Place completing = take_whole({2}, 0);
  const Place ended = take_whole({3}, 0);
  store(ended, true);
  const Place other = take_whole({4, 9, kReceiver + 1}, 0);
  store(other, true);
  reset(kReceiver);
  EXPECT_TRUE(dut_->forgot_o);
  for (const unsigned node : {1U, 2U, 3U}) EXPECT_FALSE(knows({node}));
  store(open, false, true);
  store(completing, true);
  EXPECT_EQ(done()->get<m::node>(), 4U) << "of another queue";
  EXPECT_FALSE(done());
  EXPECT_TRUE(answer());
  EXPECT_FALSE(answer());
}

TEST_F(ReassemblyContexts, ForgetAMessageThatIsTakenAsItsQueueIsConfigured) {
  dut_->reset_i = 1;
  dut_->reset_queue_i = kReceiver;
  const Place place = take_whole({1}, 0);
  dut_->reset_i = 0;
  dut_.settle();
  EXPECT_FALSE(knows({1}));
  EXPECT_TRUE(dut_->forgot_o);
  store(place, true);
  EXPECT_FALSE(done());
}

TEST_F(ReassemblyContexts, KeepAMessageThatGetsTheContextOfAQueueAsThatIsConfigured) {
  for (unsigned i = 0; i < kContexts; ++i) pass({i}, 0);
  dut_->reset_i = 1;
  dut_->reset_queue_i = kReceiver;
  const Sender sender{99, 9, kReceiver + 1};
  const Place place = take_whole(sender, 0);
  dut_->reset_i = 0;
  dut_.settle();
  EXPECT_TRUE(knows(sender));
  EXPECT_FALSE(knows({1}));
  store(place, true);
  EXPECT_EQ(done()->get<m::node>(), 99U);
}

TEST_F(ReassemblyContexts, CountNothingOfTheTimeBeforeTheQueueWasConfigured) {
  const Place before = take_whole({1}, 0);
  reset(kReceiver);
  const Place after = take_whole({1}, 0);
  EXPECT_EQ(after.context, before.context);
  store(before, true, true);
  EXPECT_FALSE(done());
  store(after, true);
  EXPECT_EQ(done()->get<m::status>(), Status::kOk);
}

}  // namespace
}  // namespace torusmu::testing

// SPDX-License-Identifier: Apache-2.0
// model: Vmu_reassembly_contexts mu_reassembly_contexts
// The contexts of dynamic messages under everything at once, compared in each cycle with what the
// contract says.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <numeric>
#include <optional>
#include <utility>

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

struct Sender {
  unsigned node = 0, queue = 0, receiver = 0;
  bool operator==(const Sender&) const = default;
};
enum class Phase { kKept, kOpen, kCompleting, kEnded, kAnswered };
struct Context {
  bool known = false, failed = false;
  Phase phase = Phase::kKept;
  Sender sender;
  std::uint32_t number = 0, received = 0, word = 0;
  Buffer buffer;
  bool waits() const { return phase > Phase::kOpen; }
};
struct Take {
  bool valid = false, begin = false, claim = false, last = false;
  std::uint32_t number = 0, bytes = 0, word = 0;
  Buffer buffer;
};

class Contexts {
 public:
  static constexpr unsigned kCount = 8;
  std::array<Context, kCount> all;
  std::array<unsigned, kCount> epochs{};
  std::deque<unsigned> ends;  // in the order in which they are told
  bool forgot = false;

  std::optional<unsigned> find(const Sender& sender) const {
    return first(0, [&](const Context& one) { return one.known && one.sender == sender; });
  }
  // For another sender's message.
  std::optional<unsigned> given() const {
    const auto kept = [](const Context& one) { return one.phase == Phase::kKept; };
    if (const auto free = first(0, [](const Context& one) { return !one.known; })) return free;
    if (const auto behind = first(turn_, kept)) return behind;
    return first(0, kept);
  }
  std::optional<unsigned> answered() const {
    return first(0, [](const Context& one) { return one.phase == Phase::kAnswered; });
  }
  bool counts(const Stored& stored) const {
    const auto which = stored.get<layout::message_stored::reassembly>();
    const Phase phase = all.at(which).phase;
    return stored.get<layout::message_stored::dynamic>() != 0 &&
           stored.get<layout::message_stored::epoch>() == epochs.at(which) &&
           (phase == Phase::kOpen || phase == Phase::kCompleting);
  }

  // What a cycle changes, in this order; `which` is the context that it began with.
  void tell() {
    all.at(ends.front()).phase = Phase::kAnswered;
    ends.pop_front();
  }
  void store(const Stored& stored) {
    const auto which = static_cast<unsigned>(stored.get<layout::message_stored::reassembly>());
    if (stored.get<layout::message_stored::failed>() != 0) all.at(which).failed = true;
    if (stored.get<layout::message_stored::message_end>() == 0) return;
    all.at(which).phase = Phase::kEnded;
    ends.push_back(which);
  }
  void take(unsigned which, const Sender& sender, const Take& what) {
    Context& here = all.at(which);
    if (!find(sender)) {
      forgot |= here.known;
      turn_ = (which + 1) % kCount;
    }
    if (what.begin) {
      epochs.at(which) = (epochs.at(which) + 1) % 4;
      here.sender = sender;
      here.number = what.number;
      here.failed = false;
    }
    here.known = true;
    here.phase = what.last ? Phase::kCompleting : Phase::kOpen;
    here.received = what.bytes;
    here.word = what.word;
    if (what.claim) here.buffer = what.buffer;
  }
  void configure(unsigned receiver) {
    for (unsigned i = 0; i < kCount; ++i) {
      if (!all.at(i).known || all.at(i).sender.receiver != receiver) continue;
      all.at(i).known = false;
      all.at(i).phase = Phase::kKept;
      std::erase(ends, i);
      forgot = true;
    }
  }

 private:
  template <typename Is>
  std::optional<unsigned> first(unsigned from, const Is& is) const {
    for (unsigned i = from; i < kCount; ++i) {
      if (is(all.at(i))) return i;
    }
    return std::nullopt;
  }
  unsigned turn_ = 0;
};

Peer peer_of(const Sender& sender) {
  return Peer()
      .set<layout::queue_peer::x>(sender.node & 15)
      .set<layout::queue_peer::y>(sender.node >> 4 & 15)
      .set<layout::queue_peer::z>(sender.node >> 8)
      .set<layout::queue_peer::queue>(sender.queue)
      .set<layout::queue_peer::connected>(1);
}
Status status_of(const Context& of) { return of.failed ? Status::kMemoryError : Status::kOk; }
Answer answer_of(const Context& of) {
  return Answer()
      .set<layout::send_answer::queue>(of.sender.receiver)
      .set<layout::send_answer::number>(of.number)
      .set<layout::send_answer::status>(status_of(of));
}
// What its end says of a message.
Message end_of(const Context& of) {
  namespace m = layout::received_message;
  namespace b = layout::receive_buffer;
  return Message()
      .set<m::status>(status_of(of))
      .set<m::bytes>(of.received)
      .set<m::word>(of.word)
      .set<m::node>(of.sender.node)
      .set<m::peer_queue>(of.sender.queue)
      .set<m::queue>(of.buffer.get<b::queue>())
      .set<m::owner>(of.buffer.get<b::owner>())
      .set<m::index>(of.buffer.get<b::index>())
      .set<m::sequence_number>(of.buffer.get<b::sequence_number>())
      .set<m::done_event>(of.buffer.get<b::done_event>())
      .set<m::done_event_valid>(of.buffer.get<b::done_event_valid>())
      .set<m::interrupt_done>(of.buffer.get<b::interrupt_done>())
      .set<m::signal>(of.buffer.get<b::signal>());
}

class ReassemblyAtRandom : public ::testing::Test {
 protected:
  ReassemblyAtRandom() {
    std::iota(bits_.begin(), bits_.end(), 0U);
    choose_senders();
  }
  std::uint32_t bits32() { return static_cast<std::uint32_t>(random_.bits64()); }
  // Each but the first differs from it in one bit, of node, queue or receive queue.
  void choose_senders() {
    any_ = bits32();
    for (unsigned i = 0; i < kSenders; ++i)
      std::swap(bits_.at(i), bits_.at(i + random_.below(bits_.size() - i)));
  }
  Sender sender(unsigned i) const {
    const unsigned all = i == 0 ? any_ : any_ ^ 1U << bits_.at(i);
    return {all & 0xFFF, all >> 12 & 0xFF, all >> 20 & 0xFF};
  }
  Sender any_sender() { return sender(static_cast<unsigned>(random_.below(kSenders))); }
  void drive_lookup() {
    dut_->node_i = static_cast<std::uint16_t>(sender_.node);
    dut_->peer_queue_i = static_cast<std::uint8_t>(sender_.queue);
    dut_->queue_i = static_cast<std::uint8_t>(sender_.receiver);
    dut_->number_i = take_.number;
  }
  Take some_take(unsigned percent) {
    const auto found = contexts_.find(sender_);
    Take take;
    take.number = found && random_.chance(60) ? contexts_.all.at(*found).number : bits32();
    if (found && random_.chance(20)) take.number ^= 1U << random_.below(32);
    const bool open = found && contexts_.all.at(*found).phase == Phase::kOpen;
    const bool may = found ? !contexts_.all.at(*found).waits() : contexts_.given().has_value();
    take.valid = may && random_.chance(percent);
    take.begin = take.valid ? !open || random_.chance(30) : random_.chance(50);
    take.claim = take.valid ? !open : random_.chance(50);
    take.last = random_.chance(50);
    take.bytes = bits32();
    take.word = bits32();
    take.buffer = Buffer::from_bytes(random_bytes(random_, Buffer::kBytes));
    return take;
  }
  void drive_take() {
    dut_->take_i = take_.valid;
    dut_->begin_i = take_.begin;
    dut_->claim_i = take_.claim;
    dut_->take_end_i = take_.last;
    dut_->take_bytes_i = take_.bytes;
    dut_->take_word_i = take_.word;
    drive(dut_->buffer_i, take_.buffer);
  }
  // The end of a message is not stored before it is taken.
  Stored some_stored() {
    namespace s = layout::message_stored;
    const auto which = static_cast<unsigned>(random_.below(Contexts::kCount));
    auto stored = Stored::from_bytes(random_bytes(random_, Stored::kBytes));
    stored.set<s::reassembly>(which).set<s::dynamic>(random_.chance(95));
    stored.set<s::failed>(random_.chance(10)).set<s::message_end>(random_.chance(60));
    if (random_.chance(80)) stored.set<s::epoch>(contexts_.epochs.at(which));
    if (contexts_.counts(stored) && contexts_.all.at(which).phase == Phase::kOpen) {
      stored.set<s::message_end>(0);
    }
    return stored;
  }
  void expect_lookup() {
    const auto found = contexts_.find(sender_);
    const auto given = contexts_.given();
    const Context none;
    const Context& here = found ? contexts_.all.at(*found) : none;
    ASSERT_EQ(dut_->hit_o != 0, found.has_value());
    ASSERT_EQ(dut_->same_o != 0, found && here.number == take_.number);
    ASSERT_EQ(dut_->open_o != 0, here.phase == Phase::kOpen);
    ASSERT_EQ(dut_->waits_o != 0, here.waits());
    ASSERT_EQ(dut_->failed_o != 0, here.failed);
    ASSERT_EQ(dut_->room_o != 0, given.has_value());
    ASSERT_EQ(dut_->forgot_o != 0, contexts_.forgot);
    if (found) {
      ASSERT_EQ(dut_->received_o, here.received);
      ASSERT_EQ(sample_record<Buffer>(dut_->entry_o), here.buffer);
    }
    if (!take_.valid) return;
    const unsigned which = found ? *found : *given;
    ASSERT_EQ(dut_->context_o, which);
    ASSERT_EQ(dut_->epoch_o, (contexts_.epochs.at(which) + (take_.begin ? 1 : 0)) % 4);
  }
  void expect_ends() {
    ASSERT_EQ(dut_->done_valid_o != 0, !contexts_.ends.empty());
    if (!contexts_.ends.empty()) {
      ASSERT_EQ(sample_record<Message>(dut_->done_o),
                end_of(contexts_.all.at(contexts_.ends.front())));
    }
    const auto answered = contexts_.answered();
    ASSERT_EQ(dut_->answer_valid_o != 0, answered.has_value());
    if (answered) {
      ASSERT_EQ(sample_record<Answer>(dut_->answer_o), answer_of(contexts_.all.at(*answered)));
      ASSERT_EQ(sample_record<Peer>(dut_->answer_peer_o),
                peer_of(contexts_.all.at(*answered).sender));
    }
    ASSERT_EQ(dut_->busy_o != 0, !contexts_.ends.empty() || answered.has_value());
  }

  Random random_;
  Clocked<Vmu_reassembly_contexts> dut_{random_.seed()};
  static constexpr unsigned kSenders = 12;
  unsigned any_ = 0;
  std::array<unsigned, 28> bits_{};
  Contexts contexts_;
  Sender sender_;
  Take take_;
};

TEST_F(ReassemblyAtRandom, KeepAccountOfEveryMessage) {
  SCOPED_TRACE(random_.replay());
  unsigned taking = 50, storing = 50, telling = 50, answering = 50, told = 0;
  for (int cycle = 0; cycle < 120000; ++cycle) {
    if (random_.chance(1)) {  // each in turn is what the others wait for
      for (unsigned* percent : {&taking, &storing, &telling, &answering}) {
        const bool little = random_.chance(30);
        *percent = static_cast<unsigned>(random_.below(little ? 5 : 101));
      }
    }
    if (random_.below(500) == 0) {
      dut_->take_i = dut_->stored_valid_i = dut_->reset_i = 0;
      dut_.reset(1);
      contexts_ = {};
      choose_senders();
    }
    sender_ = any_sender();
    take_ = some_take(taking);
    const Stored stored = some_stored();
    drive_lookup();
    drive_take();
    drive(dut_->stored_i, stored);
    dut_->stored_valid_i = random_.chance(storing);
    dut_->reset_i = random_.chance(1);
    const Sender configured = random_.chance(50) ? sender_ : any_sender();
    dut_->reset_queue_i = static_cast<std::uint8_t>(
        configured.receiver ^ (random_.chance(50) ? 0U : 1U << random_.below(8)));
    dut_->done_ready_i = random_.chance(telling);
    dut_->answer_ready_i = random_.chance(answering);
    dut_.settle();
    ASSERT_NO_FATAL_FAILURE(expect_lookup()) << "cycle " << cycle;
    ASSERT_NO_FATAL_FAILURE(expect_ends()) << "cycle " << cycle;
    const auto answered = contexts_.answered();
    const auto given = contexts_.given();
    const bool counts = dut_->stored_valid_i && contexts_.counts(stored);
    if (dut_->done_ready_i && !contexts_.ends.empty()) {
      contexts_.tell();
      ++told;
    }
    if (dut_->answer_ready_i && answered) contexts_.all.at(*answered).phase = Phase::kKept;
    if (counts) contexts_.store(stored);
    if (take_.valid) {
      contexts_.take(contexts_.find(sender_).value_or(given.value_or(0)), sender_, take_);
    }
    if (dut_->reset_i) contexts_.configure(dut_->reset_queue_i);
    dut_.tick();
  }
  EXPECT_GT(told, 2000U);
}

}  // namespace
}  // namespace torusmu::testing

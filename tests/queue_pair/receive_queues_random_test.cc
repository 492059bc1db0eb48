// SPDX-License-Identifier: Apache-2.0
// model: Vmu_receive_queues mu_receive_queues
// bgp: -GQUEUES=128
// Receive queues under everything at once, compared in each cycle with what the contract says.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <set>

#include "Vmu_receive_queues.h"
#include "Vmu_receive_queues/Vmu_receive_queues___024root.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/few_numbers.h"
#include "tests/support/seed.h"
#include "tests/support/told_next.h"
#include "tests/support/wide.h"
#include "tests/support/written_inside.h"
#include "torusmu/layout.h"

TORUSMU_WRITTEN_INSIDE(Vmu_receive_queues)

namespace torusmu::testing {
namespace {

using Buffer = Record<layout::receive_buffer::Layout>;
using Stored = Record<layout::message_stored::Layout>;
using Answer = Record<layout::send_answer::Layout>;
using End = Record<layout::queue_end::Layout>;
namespace b = layout::receive_buffer;
namespace s = layout::message_stored;
constexpr unsigned kQueues = kProfile.injection_queues;

// What is known of a queue, by the contract.
struct ReceiveQueueState {
  struct Slot {
    bool buffer = false, completing = false, failed = false, end = false, answer = false;
    bool taken = false;  // a packet, since there was a buffer: bytes and word are known
    Buffer entry;
    std::uint32_t bytes = 0, word = 0;
  };
  bool exists = false, begun = false, dynamic = false;
  std::uint32_t expected = 0;
  unsigned epoch = 0;
  std::array<Slot, 2> slots;
  std::optional<std::uint64_t> result;

  unsigned now() const { return expected & 1U; }
  bool offers() const { return slots[now()].buffer && !slots[now()].answer; }
  // The slot that a new buffer goes to.
  unsigned next_buffer() const { return slots[now()].buffer ? 1 - now() : now(); }
  bool untold() const { return slots[0].end || slots[1].end; }
  // The older of two ends first: it has the slot of the number expected.
  unsigned first_end() const { return slots[0].end && slots[1].end ? now() : slots[1].end; }
  bool may_complete(unsigned slot) const {
    if (!slots[slot].completing || slots[slot].end || slots[slot].answer) return false;
    return !slots[1 - slot].completing || slot == now();
  }
};

class ReceiveQueuesAtRandom : public ::testing::Test {
 protected:
  enum class Reset { kNone, kReset, kStop, kConfigure };

  unsigned pick() {
    const bool any = piles_up_ || random_.chance(20);
    return any ? static_cast<unsigned>(random_.below(kQueues)) : few_.any(random_);
  }
  void draw_buffer() {
    const unsigned at = pick();
    const auto& slot = queues_[at].slots[queues_[at].next_buffer()];
    buffer_ = Buffer::from_bytes(random_bytes(random_, Buffer::kBytes)).set<b::queue>(at);
    buffer_at_.reset();
    if (!slot.buffer && !slot.completing && !slot.end && random_.chance(50)) buffer_at_ = at;
    dut_->buffer_valid_i = buffer_at_.has_value();
    drive(dut_->buffer_i, buffer_);
  }
  void draw_packet() {
    const unsigned at = random_.chance(95) ? pick() : static_cast<unsigned>(random_.below(256));
    const ReceiveQueueState& queue = queues_[at % kQueues];
    dut_->queue_i = static_cast<CData>(at);
    dut_->slot_i = random_.chance(50);
    dut_->take_bytes_i = static_cast<IData>(random_.bits64());
    dut_->take_word_i = static_cast<IData>(random_.bits64());
    dut_->take_end_i = random_.chance(40);
    const bool may =
        at < kQueues && queue.exists && queue.offers() && !queue.slots[queue.now()].completing;
    dut_->take_i = may && !queue.dynamic && random_.chance(60);
    dut_->claim_i = may && queue.dynamic && random_.chance(60);
  }
  void draw_stored() {
    const unsigned at = pick();
    const ReceiveQueueState& queue = queues_[at];
    const auto slot = static_cast<unsigned>(random_.below(2));
    const unsigned epoch =
        random_.chance(85) ? queue.epoch : static_cast<unsigned>(random_.below(4));
    const bool last = epoch != queue.epoch || queue.may_complete(slot);
    stored_ = Stored{}
                  .set<s::queue>(at)
                  .set<s::slot>(slot)
                  .set<s::epoch>(epoch)
                  .set<s::message_end>(last && random_.chance(70))
                  .set<s::failed>(random_.chance(25))
                  .set<s::dynamic>(random_.chance(10))
                  .set<s::reassembly>(random_.below(8))
                  .set<s::fence>(random_.chance(50));
    drive(dut_->stored_i, stored_);
    dut_->stored_valid_i = random_.chance(60);
    counts_ = dut_->stored_valid_i && !stored_.get<s::dynamic>() && epoch == queue.epoch;
  }
  void draw_reset() {
    reset_at_ = pick();
    reset_ = random_.chance(8) ? static_cast<Reset>(1 + random_.below(3)) : Reset::kNone;
    if (!queues_[reset_at_].exists && random_.chance(30)) reset_ = Reset::kConfigure;
    dut_->reset_i = reset_ == Reset::kReset;
    dut_->stop_i = reset_ == Reset::kStop;
    dut_->configured_i = reset_ == Reset::kConfigure;
    dut_->configured_mode_i = random_.chance(85);
    dut_->reset_queue_i = static_cast<CData>(reset_at_);
  }
  // As if so many messages had come: the number of the next is any.
  void make_old(unsigned at) {
    ReceiveQueueState& queue = queues_[at];
    if (queue.expected == 0) return;
    const auto any = random_.chance(50) ? static_cast<std::uint32_t>(random_.bits64())
                                        : (1U << random_.below(32)) - 2;
    queue.expected = (any & ~1U) | queue.now();
    if (queue.expected == 0) queue.expected = 2;
    dut_->rootp->mu_receive_queues__DOT__expected_mem[at] = queue.expected;
    settle_inside(dut_->rootp);
  }
  std::set<unsigned> waiting(bool ReceiveQueueState::Slot::*what, unsigned slots) const {
    std::set<unsigned> waiting;
    for (unsigned i = 0; i < 2 * kQueues; ++i)
      if (queues_[i / 2].slots[i % 2].*what) waiting.insert(i / slots);
    return waiting;
  }
  // What is told next: of ends a queue, of answers a slot.
  void choose() {
    const bool resets = reset_ != Reset::kNone;
    ToldNext::Cycle end{.waiting = waiting(&ReceiveQueueState::Slot::end, 2),
                        .told = end_.shown() && dut_->end_ready_i,
                        .resets = resets,
                        .forgets = resets && end_.shown() == reset_at_};
    ToldNext::Cycle answer{.waiting = waiting(&ReceiveQueueState::Slot::answer, 1),
                           .told = answer_.shown() && dut_->answer_ready_i,
                           .resets = resets,
                           .forgets = resets && reset_ != Reset::kStop && answer_.shown() &&
                                      *answer_.shown() / 2 == reset_at_};
    end.twice =
        end_.shown() && queues_[*end_.shown()].slots[0].end && queues_[*end_.shown()].slots[1].end;
    if (dut_->claim_i) end.due = dut_->queue_i;
    if (counts_ && stored_.get<s::message_end>()) {
      end.due = static_cast<unsigned>(stored_.get<s::queue>());
      answer.due = 2 * *end.due + static_cast<unsigned>(stored_.get<s::slot>());
    }
    end_.clock(end);
    answer_.clock(answer);
  }
  static Status status_of(const ReceiveQueueState::Slot& slot) {
    return slot.failed ? Status::kMemoryError : Status::kOk;
  }
  void compare_told() {
    const auto ends = end_.shown();
    const auto answers = answer_.shown();
    ASSERT_EQ(dut_->end_valid_o, ends.has_value());
    ASSERT_EQ(dut_->answer_valid_o, answers.has_value());
    ASSERT_EQ(dut_->busy_o, !waiting(&ReceiveQueueState::Slot::end, 2).empty() ||
                                !waiting(&ReceiveQueueState::Slot::answer, 1).empty());
    if (ends) {
      const ReceiveQueueState& queue = queues_[*ends];
      const auto& slot = queue.slots[queue.first_end()];
      ASSERT_EQ(sample_record<End>(dut_->end_o),
                End{}.set<layout::queue_end::queue>(*ends).set<layout::queue_end::status>(
                    status_of(slot)));
      if (slot.taken) {
        ASSERT_EQ(dut_->end_result_o, std::uint64_t{slot.word} << 32U | slot.bytes);
      }
    }
    if (answers) {
      const ReceiveQueueState& queue = queues_[*answers / 2];
      const unsigned slot = *answers % 2;
      ASSERT_EQ(
          sample_record<Answer>(dut_->answer_o),
          Answer{}
              .set<layout::send_answer::queue>(*answers / 2)
              .set<layout::send_answer::number>(queue.expected - (queue.now() == slot ? 2 : 1))
              .set<layout::send_answer::status>(status_of(queue.slots[slot])));
    }
  }
  void compare_lookup() {
    const ReceiveQueueState& queue = queues_[dut_->queue_i % kQueues];
    const auto& named = queue.slots[dut_->slot_i];
    const auto& slot = queue.slots[queue.now()];
    ASSERT_EQ(dut_->exists_o, dut_->queue_i < kQueues && queue.exists);
    ASSERT_EQ(dut_->buffer_o, queue.offers());
    ASSERT_EQ(dut_->completing_o, named.completing);
    ASSERT_EQ(dut_->failed_o, named.failed && !(queue.begun && dut_->slot_i == queue.now()));
    ASSERT_EQ(dut_->untold_o, queue.untold());
    ASSERT_EQ(dut_->epoch_o, queue.epoch);
    ASSERT_EQ(dut_->expected_o, queue.expected);
    ASSERT_EQ(dut_->received_o, queue.begun ? slot.bytes : 0);
    if (queue.offers()) {
      ASSERT_EQ(sample_record<Buffer>(dut_->entry_o), slot.entry);
    }
    ASSERT_EQ(dut_->counts_o, counts_);
    const auto& result = queues_[dut_->result_queue_i % kQueues].result;
    if (result) {
      ASSERT_EQ(dut_->result_o, *result);
    }
  }
  // What the coming edge does, in the order of the contract.
  void step() {
    step_told();
    if (dut_->take_i || dut_->claim_i) step_packet(queues_[dut_->queue_i]);
    if (counts_) {
      auto& slot = queues_[stored_.get<s::queue>()].slots[stored_.get<s::slot>()];
      if (stored_.get<s::failed>()) slot.failed = true;
      if (stored_.get<s::message_end>()) {
        slot.completing = false;
        slot.end = slot.answer = true;
      }
    }
    if (buffer_at_) {
      auto& slot = queues_[*buffer_at_].slots[buffer_slot_];
      slot.buffer = true;
      slot.taken = false;
      slot.entry = buffer_;
    }
    if (reset_ != Reset::kNone) step_reset(queues_[reset_at_]);
  }
  void step_told() {
    const auto ends = end_.shown();
    const auto answers = answer_.shown();
    choose();
    if (ends && dut_->end_ready_i) {
      ReceiveQueueState& queue = queues_[*ends];
      auto& slot = queue.slots[queue.first_end()];
      slot.end = false;
      queue.result.reset();
      if (slot.taken) queue.result = std::uint64_t{slot.word} << 32U | slot.bytes;
    }
    if (answers && dut_->answer_ready_i) queues_[*answers / 2].slots[*answers % 2].answer = false;
  }
  void step_packet(ReceiveQueueState& queue) {
    auto& slot = queue.slots[queue.now()];
    if (dut_->claim_i) {
      slot.buffer = slot.failed = false;
      slot.end = true;
      ++queue.expected;
      return;
    }
    slot.failed = slot.failed && queue.begun;
    slot.taken = true;
    slot.bytes = dut_->take_bytes_i;
    slot.word = dut_->take_word_i;
    queue.begun = !dut_->take_end_i;
    if (queue.begun) return;
    slot.buffer = false;
    slot.completing = true;
    ++queue.expected;
  }
  void step_reset(ReceiveQueueState& queue) {
    if (under_way_) queue.epoch = (queue.epoch + 1) % 4;
    queue.begun = false;
    for (auto& slot : queue.slots) {
      slot.buffer = slot.completing = slot.end = false;
      if (reset_ != Reset::kStop) slot.failed = slot.answer = false;
    }
    if (reset_ != Reset::kConfigure) return;
    queue.exists = dut_->configured_mode_i;
    queue.expected = 0;
    queue.dynamic = random_.chance(30);
  }
  void cycle() {
    draw_buffer();
    draw_packet();
    draw_stored();
    draw_reset();
    dut_->end_ready_i = random_.chance(piles_up_ ? 3 : 60);
    dut_->answer_ready_i = random_.chance(piles_up_ ? 3 : 60);
    dut_->result_queue_i = static_cast<CData>(pick());
    dut_.settle();
    ASSERT_NO_FATAL_FAILURE(compare_told());
    ASSERT_NO_FATAL_FAILURE(compare_lookup());
    // Decided by what is known before the edge.
    if (buffer_at_) buffer_slot_ = queues_[*buffer_at_].next_buffer();
    const ReceiveQueueState& reset = queues_[reset_at_];
    under_way_ = reset.begun || reset.slots[0].completing || reset.slots[1].completing ||
                 (dut_->take_i && dut_->queue_i == reset_at_);
    step();
    const unsigned old = pick();
    if (random_.chance(3) && dut_->queue_i % kQueues != old) make_old(old);
    dut_.tick();
  }
  void forget() {
    dut_->take_i = dut_->claim_i = dut_->buffer_valid_i = dut_->stored_valid_i = 0;
    dut_->reset_i = dut_->stop_i = dut_->configured_i = dut_->end_ready_i = 0;
    dut_.reset(1);
    end_.reset();
    answer_.reset();
    for (ReceiveQueueState& queue : queues_) {
      const auto result = queue.result;
      queue = {};
      queue.result = result;
    }
  }

  Random random_;
  Clocked<Vmu_receive_queues> dut_{random_.seed()};
  std::array<ReceiveQueueState, kQueues> queues_;
  ToldNext end_, answer_;
  FewNumbers few_{kQueues};
  bool piles_up_ = false;  // what is to be told, of all queues
  Buffer buffer_;
  std::optional<unsigned> buffer_at_;
  unsigned buffer_slot_ = 0;
  Stored stored_;
  bool counts_ = false, under_way_ = false;
  Reset reset_ = Reset::kNone;
  unsigned reset_at_ = 0;
};

TEST_F(ReceiveQueuesAtRandom, KeepTheirContractInEveryCycle) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 50000; ++i) {
    if (random_.below(4000) == 0) forget();
    piles_up_ = i / 2000 % 4 == 3;
    if (i % 400 == 0) few_.choose(random_, 3);
    ASSERT_NO_FATAL_FAILURE(cycle()) << "cycle " << i;
  }
}

}  // namespace
}  // namespace torusmu::testing

// SPDX-License-Identifier: Apache-2.0
// bgp: -GQUEUES=128

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>

#include "Vmu_fences.h"
#include "tests/support/clocked.h"
#include "tests/support/fences_model.h"
#include "tests/support/port_bits.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"

namespace torusmu::testing {
namespace {

using Answer = Record<layout::send_answer::Layout>;
using End = Record<layout::queue_end::Layout>;

constexpr unsigned kQueues = FencesModel::kQueues;
constexpr std::uint64_t kNever = (1ULL << 48) - 1;
constexpr std::uint32_t kNode = 0x321;

// Who begins FENCEs and who answers them, played.
class Fences : public ::testing::Test {
 protected:
  Fences() {
    dut_->retry_cycles_i = 100;
    dut_->retries_i = 3;
    dut_->end_ready_i = 1;
    dut_->again_ready_i = 1;
    dut_.settle();
  }
  void begin(unsigned queue, std::uint32_t index, std::uint32_t node = kNode) {
    dut_->begin_valid_i = 1;
    dut_->begin_queue_i = static_cast<std::uint8_t>(queue);
    dut_->begin_index_i = index;
    dut_->begin_node_i = static_cast<std::uint16_t>(node);
    dut_.tick();
    dut_->begin_valid_i = 0;
    dut_.settle();
  }
  void go_ahead(unsigned queue, std::uint32_t index, std::uint32_t node = kNode) {
    dut_->ahead_i = 1;
    dut_->begin_queue_i = static_cast<std::uint8_t>(queue);
    dut_->begin_index_i = index;
    dut_->begin_node_i = static_cast<std::uint16_t>(node);
    dut_.tick();
    dut_->ahead_i = 0;
    dut_.settle();
  }
  static Answer make(unsigned queue, std::uint32_t index, Status status = Status::kOk,
                     std::uint32_t node = kNode) {
    return Answer{}
        .set<layout::send_answer::queue>(queue)
        .set<layout::send_answer::number>(index)
        .set<layout::send_answer::status>(status)
        .set<layout::send_answer::node>(node)
        .set<layout::send_answer::fence>(1);
  }
  void answer(const Answer& said) {
    drive(dut_->answer_i, said);
    dut_->answer_valid_i = 1;
    dut_.tick();
    dut_->answer_valid_i = 0;
    dut_.settle();
  }
  void fail(const Answer& said) {
    drive(dut_->failure_i, said);
    dut_->failure_valid_i = 1;
    dut_.tick();
    dut_->failure_valid_i = 0;
    dut_.settle();
  }
  void cancel(unsigned queue) {
    dut_->cancel_i = 1;
    dut_->cancel_queue_i = static_cast<std::uint8_t>(queue);
    dut_.tick();
    dut_->cancel_i = 0;
    dut_.settle();
  }
  std::optional<End> end() {
    for (int i = 0; i < 4; ++i) {
      if (dut_->end_valid_o) {
        const End told = sample_record<End>(dut_->end_o);
        dut_.tick();
        return told;
      }
      dut_.tick();
    }
    return std::nullopt;
  }
  void expect_end(unsigned queue, Status status) {
    const auto told = end();
    ASSERT_TRUE(told);
    EXPECT_EQ(told->get<layout::queue_end::queue>(), queue);
    EXPECT_EQ(told->get<layout::queue_end::status>(), status);
  }
  // Time goes on to the next tick; the queue whose FENCE goes out again then.
  std::optional<unsigned> tick() {
    for (int i = 0; i < 4 && dut_->wake_at_o == kNever; ++i) dut_.tick();
    dut_->now_i = dut_->wake_at_o;
    std::optional<unsigned> queue;
    for (int i = 0; i < 4; ++i) {
      dut_.settle();
      if (dut_->again_valid_o) queue = dut_->again_queue_o;
      dut_.tick();
    }
    return queue;
  }
  void expect_silent_ticks(int count) {
    for (int i = 0; i < count; ++i) EXPECT_FALSE(tick());
  }

  Random random_;
  Clocked<Vmu_fences> dut_{random_.seed()};
};

TEST_F(Fences, EndsOneThatIsAnswered) {
  begin(7, 12);
  EXPECT_FALSE(end());
  answer(make(7, 12));
  expect_end(7, Status::kOk);
  EXPECT_FALSE(end());
}

TEST_F(Fences, EndsOneWithTheStatusThatItIsRefusedWith) {
  begin(kQueues - 1, 5);
  answer(make(kQueues - 1, 5, Status::kRegionInvalid));
  expect_end(kQueues - 1, Status::kRegionInvalid);
}

TEST_F(Fences, TakesNoAnswerOfAnotherQueueIndexOrNode) {
  begin(3, 9);
  for (unsigned bit = 0; bit < 32; ++bit) answer(make(3, 9 ^ 1U << bit));
  for (unsigned bit = 0; bit < 8; ++bit) answer(make(3 ^ 1U << bit, 9));
  for (unsigned bit = 0; bit < 12; ++bit) answer(make(3, 9, Status::kOk, kNode ^ 1U << bit));
  EXPECT_FALSE(end());
  answer(make(3, 9));
  expect_end(3, Status::kOk);
}

TEST_F(Fences, TakesNoLateAnswer) {
  begin(3, 9);
  answer(make(3, 9));
  expect_end(3, Status::kOk);
  begin(3, 10);
  answer(make(3, 9));
  EXPECT_FALSE(end());
  answer(make(3, 10));
  expect_end(3, Status::kOk);
}

TEST_F(Fences, TakesAFailureWhateverNodeItIsSaidToComeFrom) {
  begin(3, 9);
  fail(make(3, 9, Status::kCounterInvalid, 0));
  expect_end(3, Status::kCounterInvalid);
}

TEST_F(Fences, SendsOneWithoutAnAnswerAgainAtTheEighthTick) {
  begin(5, 1);
  for (int i = 0; i < 3; ++i) {
    expect_silent_ticks(7);
    EXPECT_EQ(tick(), 5U);
  }
  answer(make(5, 1));
  expect_end(5, Status::kOk);
}

TEST_F(Fences, GivesUpAfterAllRetries) {
  begin(5, 1);
  for (int i = 0; i < 3; ++i) {
    expect_silent_ticks(7);
    EXPECT_EQ(tick(), 5U);
  }
  expect_silent_ticks(7);
  dut_->end_ready_i = 0;
  EXPECT_FALSE(tick());
  dut_->end_ready_i = 1;
  expect_end(5, Status::kRetryExceeded);
}

TEST_F(Fences, KeepsOneOfEachQueue) {
  for (unsigned queue = 0; queue < kQueues; ++queue) begin(queue, 100 + queue, queue);
  for (unsigned queue = kQueues; queue-- > 0;) {
    answer(make(queue, 100 + queue, Status::kOk, queue));
    expect_end(queue, Status::kOk);
  }
}

TEST_F(Fences, ForgetsOneThatIsCancelled) {
  begin(5, 1);
  cancel(5);
  answer(make(5, 1));
  EXPECT_FALSE(end());
  begin(5, 0);
  answer(make(5, 0));
  expect_end(5, Status::kOk);
}

TEST_F(Fences, TellsWhatOneThatWentAheadWasAnsweredWhenItBegins) {
  go_ahead(5, 1);
  EXPECT_EQ(bits_of(dut_->ahead_o), bit(5));
  answer(make(5, 2));
  answer(make(5, 1, Status::kRegionBounds));
  EXPECT_FALSE(end());
  EXPECT_FALSE(dut_->busy_o);
  begin(5, 1);
  EXPECT_EQ(bits_of(dut_->ahead_o), 0U);
  expect_end(5, Status::kRegionBounds);
}

TEST_F(Fences, AwaitsTheAnswerOfOneThatWentAhead) {
  go_ahead(5, 1);
  go_ahead(5, 1);
  begin(5, 1);
  EXPECT_FALSE(end());
  answer(make(5, 1));
  expect_end(5, Status::kOk);
}

TEST_F(Fences, CountsNoTicksOfOneThatHasNotBegun) {
  go_ahead(5, 1);
  EXPECT_EQ(dut_->wake_at_o, kNever);
  begin(5, 1);
  expect_silent_ticks(7);
  EXPECT_EQ(tick(), 5U);
}

TEST_F(Fences, ForgetsOneThatWentAheadAndIsCancelled) {
  go_ahead(5, 1);
  answer(make(5, 1));
  cancel(5);
  EXPECT_EQ(bits_of(dut_->ahead_o), 0U);
  begin(5, 1);
  EXPECT_FALSE(end());
  answer(make(5, 1));
  expect_end(5, Status::kOk);
}

TEST_F(Fences, WaitsForWhoTakesItsEnd) {
  dut_->end_ready_i = 0;
  begin(5, 1);
  answer(make(5, 1));
  for (int i = 0; i < 10; ++i) dut_.tick();
  EXPECT_TRUE(dut_->end_valid_o);
  EXPECT_TRUE(dut_->busy_o);
  dut_->end_ready_i = 1;
  expect_end(5, Status::kOk);
}

TEST_F(Fences, SleepsUntilTheNextTickWhileOneIsOpen) {
  EXPECT_EQ(dut_->wake_at_o, kNever);
  begin(5, 1);
  EXPECT_TRUE(dut_->busy_o) << "the clock is to be set";
  dut_.tick();
  dut_.settle();
  EXPECT_FALSE(dut_->busy_o);
  EXPECT_EQ(dut_->wake_at_o, 100U);
}

TEST_F(Fences, WaitsForItsTickWhateverTimeItIs) {
  for (unsigned bit = 0; bit < 48; ++bit) {
    dut_->now_i = (1ULL << bit) - 1;
    const std::uint64_t tick_at = dut_->now_i + 100;
    begin(5, bit);
    dut_.tick();
    for (const std::uint64_t now : {tick_at - 100, tick_at - 99, tick_at - 1, tick_at}) {
      dut_.settle();
      EXPECT_EQ(dut_->wake_at_o, tick_at) << "bit " << bit;
      dut_->now_i = now;
      dut_.tick();
    }
    dut_.settle();
    EXPECT_NE(dut_->wake_at_o, tick_at) << "bit " << bit;
    dut_.reset(1);
  }
}

class FencesAtRandom : public Fences {
 protected:
  Answer draw_answer() {
    const auto queue = static_cast<unsigned>(random_.below(kUsed));
    const auto& fence = model_.fence(queue);
    Answer said = make(queue, fence.index, static_cast<Status>(random_.below(256)), fence.node);
    if (random_.chance(10)) said.set<layout::send_answer::queue>(queue ^ 1U << random_.below(8));
    if (random_.chance(20)) {
      said.set<layout::send_answer::number>(fence.index ^ 1U << random_.below(32));
    }
    if (random_.chance(20)) {
      said.set<layout::send_answer::node>(fence.node ^ 1U << random_.below(12));
    }
    return said;
  }
  void draw() {
    const auto queue = static_cast<unsigned>(random_.below(kUsed));
    const auto& fence = model_.fence(queue);
    const bool starts = !fence.open && random_.chance(40);
    const auto node =
        fence.ahead ? fence.node : static_cast<std::uint32_t>(random_.below(1U << 12));
    const auto index = fence.ahead ? fence.index : static_cast<std::uint32_t>(random_.bits64());
    dut_->begin_queue_i = static_cast<CData>(queue);
    dut_->begin_node_i = static_cast<SData>(node);
    dut_->begin_index_i = index;
    dut_->begin_valid_i = starts && random_.chance(60);
    dut_->ahead_i = starts && !dut_->begin_valid_i;
    in_.begin.reset();
    if (starts) in_.begin = {queue, node, index, dut_->ahead_i != 0};
    dut_->cancel_i = random_.chance(5);
    dut_->cancel_queue_i = static_cast<CData>(random_.below(kUsed));
    in_.cancel.reset();
    if (dut_->cancel_i) in_.cancel = dut_->cancel_queue_i;
    draw_told();
    in_.end_ready = random_.chance(60);
    in_.again_ready = random_.chance(60);
    dut_->end_ready_i = in_.end_ready;
    dut_->again_ready_i = in_.again_ready;
    in_.now += random_.below(4);
  }
  void draw_told() {
    dut_->answer_valid_i = random_.chance(10);
    dut_->failure_valid_i = random_.chance(5);
    const Answer answer = draw_answer(), failure = draw_answer();
    drive(dut_->answer_i, answer);
    drive(dut_->failure_i, failure);
    in_.answer = dut_->answer_valid_i ? std::optional(answer) : std::nullopt;
    in_.failure = dut_->failure_valid_i ? std::optional(failure) : std::nullopt;
  }
  void compare() {
    const auto ended = model_.ended();
    ASSERT_EQ(dut_->end_valid_o, ended.has_value());
    if (ended) {
      const End told = sample_record<End>(dut_->end_o);
      ASSERT_EQ(told.get<layout::queue_end::queue>(), *ended);
      ASSERT_EQ(told.get<layout::queue_end::status>(), model_.fence(*ended).status);
    }
    ASSERT_EQ(dut_->again_valid_o, model_.goes_again(in_));
    if (dut_->again_valid_o) {
      ASSERT_EQ(dut_->again_queue_o, *model_.to_go_again());
    }
    ASSERT_EQ(dut_->wake_at_o, model_.wake_at().value_or(kNever));
    ASSERT_EQ(dut_->busy_o, model_.busy());
    ASSERT_EQ(bits_of(dut_->ahead_o), model_.ahead());
  }
  void forget() {
    dut_->begin_valid_i = dut_->ahead_i = dut_->cancel_i = 0;
    dut_->answer_valid_i = dut_->failure_valid_i = 0;
    dut_.reset(1);
    model_ = {};
  }
  static constexpr unsigned kUsed = FencesModel::kQueues;
  FencesModel model_;
  FencesModel::Cycle in_;
};

TEST_F(FencesAtRandom, KeepTheirContractForEveryQueueAtOnce) {
  SCOPED_TRACE(random_.replay());
  for (int round = 0; round < 60; ++round) {
    forget();
    in_.retry_cycles =
        static_cast<IData>(random_.chance(80) ? random_.below(5) : random_.below(1U << 25));
    in_.retries = static_cast<CData>(random_.chance(80) ? random_.below(4) : random_.below(256));
    dut_->retry_cycles_i = in_.retry_cycles;
    dut_->retries_i = static_cast<CData>(in_.retries);
    in_.now = random_.bits64() >> (17 + random_.below(20));
    for (int cycle = 0; cycle < 600; ++cycle) {
      draw();
      const auto wake_at = model_.wake_at();
      if (in_.retry_cycles > 5 && random_.chance(20) && wake_at)
        in_.now = *wake_at - random_.below(2);
      dut_->now_i = in_.now;
      dut_.settle();
      ASSERT_NO_FATAL_FAILURE(compare()) << "round " << round << " cycle " << cycle;
      model_.clock(in_);
      dut_.tick();
    }
  }
}

TEST_F(Fences, CountsTheRetriesOfEachQueueToTheLast) {
  SCOPED_TRACE(random_.replay());
  dut_->retry_cycles_i = 0;
  dut_->retries_i = 255;
  dut_->again_ready_i = 0;
  for (unsigned queue = 0; queue < kQueues; ++queue) begin(queue, queue);
  std::array<unsigned, kQueues> times{};
  unsigned ended = 0;
  for (int cycle = 0; cycle < 60000 && ended < kQueues; ++cycle) {
    dut_->again_ready_i = random_.chance(80);
    dut_.settle();
    if (dut_->again_valid_o && dut_->again_ready_i) ++times[dut_->again_queue_o];
    if (dut_->end_valid_o) {
      const End told = sample_record<End>(dut_->end_o);
      const auto queue = static_cast<unsigned>(told.get<layout::queue_end::queue>());
      ASSERT_EQ(told.get<layout::queue_end::status>(), Status::kRetryExceeded);
      ASSERT_EQ(times.at(queue), 255U) << "queue " << queue;
      ++ended;
    }
    dut_->now_i = dut_->now_i + 1;
    dut_.tick();
  }
  EXPECT_EQ(ended, kQueues);
}

}  // namespace
}  // namespace torusmu::testing

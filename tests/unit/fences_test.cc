// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>

#include "Vmu_fences.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"

namespace torusmu::testing {
namespace {

using Answer = Record<layout::send_answer::Layout>;
using End = Record<layout::queue_end::Layout>;

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
  begin(31, 5);
  answer(make(31, 5, Status::kRegionInvalid));
  expect_end(31, Status::kRegionInvalid);
}

TEST_F(Fences, TakesNoAnswerOfAnotherQueueIndexOrNode) {
  begin(3, 9);
  answer(make(3, 8));
  answer(make(4, 9));
  answer(make(200, 9));
  answer(make(3, 9, Status::kOk, kNode ^ 1));
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
  for (unsigned queue = 0; queue < 32; ++queue) begin(queue, 100 + queue, queue);
  for (unsigned queue = 32; queue-- > 0;) {
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
  EXPECT_EQ(dut_->ahead_o, 1U << 5);
  answer(make(5, 2));
  answer(make(5, 1, Status::kRegionBounds));
  EXPECT_FALSE(end());
  EXPECT_FALSE(dut_->busy_o);
  begin(5, 1);
  EXPECT_EQ(dut_->ahead_o, 0U);
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
  EXPECT_EQ(dut_->ahead_o, 0U);
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

// All FENCEs, cycle by cycle, as the contract of the block says.
class FencesModel {
 public:
  struct One {
    bool open = false, ahead = false, ended = false, again = false;
    unsigned ticks = 0, retries = 0, status = 0;
    std::uint32_t node = 0, index = 0;
  };
  std::array<One, 32> one;
  bool timing = false;
  std::uint64_t tick_at = 0;

  template <typename Predicate>
  int lowest(Predicate is) const {
    for (unsigned i = 0; i < 32; ++i) {
      if (is(one[i])) return static_cast<int>(i);
    }
    return -1;
  }
  int ending() const {
    return lowest([](const One& o) { return o.ended && o.open; });
  }
  int waiting() const {
    return lowest([](const One& o) { return o.again; });
  }
  bool goes_again(unsigned retries) const {
    return waiting() >= 0 && one[static_cast<unsigned>(waiting())].retries < retries;
  }
  bool any_open() const {
    return lowest([](const One& o) { return o.open; }) >= 0;
  }
};

class FencesAtRandom : public Fences {
 protected:
  Answer draw_answer() {
    const auto queue = static_cast<unsigned>(random_.below(kUsed));
    const FencesModel::One& one = model_.one[queue];
    Answer said = make(queue, one.index, static_cast<Status>(random_.below(256)), one.node);
    if (random_.chance(10)) said.set<layout::send_answer::queue>(queue ^ 1U << random_.below(8));
    if (random_.chance(20)) {
      said.set<layout::send_answer::number>(one.index ^ 1U << random_.below(32));
    }
    if (random_.chance(20)) said.set<layout::send_answer::node>(one.node ^ 1U << random_.below(12));
    return said;
  }
  void draw() {
    const auto queue = static_cast<unsigned>(random_.below(kUsed));
    FencesModel::One& one = model_.one[queue];
    const bool starts = !one.open && random_.chance(40);
    node_ = one.ahead ? one.node : static_cast<std::uint32_t>(random_.below(1U << 12));
    index_ = one.ahead ? one.index : static_cast<std::uint32_t>(random_.bits64());
    dut_->begin_queue_i = static_cast<CData>(queue);
    dut_->begin_node_i = static_cast<SData>(node_);
    dut_->begin_index_i = index_;
    dut_->begin_valid_i = starts && random_.chance(60);
    dut_->ahead_i = starts && !dut_->begin_valid_i;
    dut_->cancel_i = random_.chance(5);
    dut_->cancel_queue_i = static_cast<CData>(random_.below(kUsed));
    dut_->answer_valid_i = random_.chance(10);
    dut_->failure_valid_i = random_.chance(5);
    answer_ = draw_answer();
    failure_ = draw_answer();
    drive(dut_->answer_i, answer_);
    drive(dut_->failure_i, failure_);
    dut_->end_ready_i = random_.chance(60);
    dut_->again_ready_i = random_.chance(60);
    now_ += random_.below(4);
    dut_->now_i = now_;
  }
  void compare() {
    const int ending = model_.ending(), waiting = model_.waiting();
    ASSERT_EQ(dut_->end_valid_o, ending >= 0);
    if (ending >= 0) {
      const End told = sample_record<End>(dut_->end_o);
      ASSERT_EQ(told.get<layout::queue_end::queue>(), static_cast<unsigned>(ending));
      ASSERT_EQ(static_cast<unsigned>(told.get<layout::queue_end::status>()),
                model_.one[static_cast<unsigned>(ending)].status);
    }
    ASSERT_EQ(dut_->again_valid_o, model_.goes_again(dut_->retries_i));
    if (dut_->again_valid_o) {
      ASSERT_EQ(dut_->again_queue_o, waiting);
    }
    ASSERT_EQ(dut_->wake_at_o, model_.timing ? model_.tick_at : kNever);
    ASSERT_EQ(dut_->busy_o, ending >= 0 || waiting >= 0 || (model_.any_open() && !model_.timing));
    for (unsigned i = 0; i < 32; ++i) ASSERT_EQ(dut_->ahead_o >> i & 1, model_.one[i].ahead);
  }
  // What the coming edge does.
  void step() {
    FencesModel next = model_;
    const bool tick = model_.timing && now_ >= model_.tick_at;
    const bool any = model_.any_open();
    const int ending = model_.ending(), waiting = model_.waiting();
    const bool again = model_.goes_again(dut_->retries_i) && dut_->again_ready_i;
    const Answer& told = dut_->answer_valid_i ? answer_ : failure_;
    const auto queue = static_cast<unsigned>(told.get<layout::send_answer::queue>());
    bool ends = (dut_->answer_valid_i || dut_->failure_valid_i) && queue < 32;
    if (ends) {
      const FencesModel::One& one = model_.one[queue];
      ends = (one.open || one.ahead) && !one.ended &&
             told.get<layout::send_answer::number>() == one.index &&
             (!dut_->answer_valid_i || told.get<layout::send_answer::node>() == one.node);
    }
    const bool exceeded = waiting >= 0 && !model_.goes_again(dut_->retries_i) &&
                          !(ends && static_cast<int>(queue) == waiting);
    for (unsigned i = 0; i < 32; ++i) {
      const FencesModel::One& old = model_.one[i];
      FencesModel::One& one = next.one[i];
      const bool waits = waiting == static_cast<int>(i);
      if (tick && old.open && !old.ended && old.ticks == 7) one.again = true;
      if (tick) one.ticks = (old.ticks + 1) % 8;
      if (again && waits) one.again = false, one.ticks = 0, ++one.retries;
      if (exceeded && waits) one.status = static_cast<unsigned>(Status::kRetryExceeded);
      if (ends && queue == i) {
        one.status = static_cast<unsigned>(told.get<layout::send_answer::status>());
      }
      if ((ends && queue == i) || (exceeded && waits)) one.ended = true, one.again = false;
      if ((ending == static_cast<int>(i) && dut_->end_ready_i) ||
          (dut_->cancel_i && dut_->cancel_queue_i == i)) {
        one.open = one.ahead = one.ended = one.again = false;
      }
      if (dut_->begin_queue_i != i || !(dut_->begin_valid_i || dut_->ahead_i)) continue;
      one.open = dut_->begin_valid_i;
      one.ahead = dut_->ahead_i;
      one.node = node_;
      one.index = index_;
      if (dut_->begin_valid_i) one.ticks = one.retries = 0;
    }
    if (!model_.timing && any) next.tick_at = (now_ + dut_->retry_cycles_i) & kNever;
    next.timing = tick ? false : model_.timing || any;
    model_ = next;
  }
  static constexpr unsigned kUsed = 32;
  FencesModel model_;
  Answer answer_, failure_;
  std::uint64_t now_ = 0;
  std::uint32_t node_ = 0, index_ = 0;
};

TEST_F(FencesAtRandom, KeepTheirContractForEveryQueueAtOnce) {
  SCOPED_TRACE(random_.replay());
  for (int round = 0; round < 60; ++round) {
    dut_->begin_valid_i = dut_->ahead_i = dut_->cancel_i = 0;
    dut_->answer_valid_i = dut_->failure_valid_i = 0;
    dut_.reset(1);
    model_ = {};
    dut_->retry_cycles_i =
        static_cast<IData>(random_.chance(80) ? random_.below(5) : 1U << random_.below(25));
    dut_->retries_i =
        static_cast<CData>(random_.chance(80) ? random_.below(4) : random_.below(256));
    now_ = random_.bits64() >> (17 + random_.below(20));
    for (int cycle = 0; cycle < 600; ++cycle) {
      draw();
      if (dut_->retry_cycles_i > 5 && random_.chance(20) && model_.timing) {
        now_ = model_.tick_at - random_.below(2);
        dut_->now_i = now_;
      }
      dut_.settle();
      ASSERT_NO_FATAL_FAILURE(compare()) << "round " << round << " cycle " << cycle;
      step();
      dut_.tick();
    }
  }
}

TEST_F(Fences, CountsTheRetriesOfEachQueueToTheLast) {
  dut_->retry_cycles_i = 0;
  dut_->retries_i = 255;
  dut_->again_ready_i = 0;
  for (unsigned queue = 0; queue < 32; ++queue) begin(queue, queue);
  dut_->again_ready_i = 1;
  std::array<unsigned, 32> times{};
  unsigned ended = 0;
  for (int cycle = 0; cycle < 60000 && ended < 32; ++cycle) {
    dut_.settle();
    if (dut_->again_valid_o) ++times[dut_->again_queue_o];
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
  EXPECT_EQ(ended, 32U);
}

}  // namespace
}  // namespace torusmu::testing

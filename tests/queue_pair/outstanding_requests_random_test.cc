// SPDX-License-Identifier: Apache-2.0
// model: Vmu_outstanding_requests mu_outstanding_requests
// bgp: -GQUEUES=128
// model: Vmu_outstanding_requests_two mu_outstanding_requests -GQUEUES=2
// model: Vmu_outstanding_requests_four mu_outstanding_requests -GQUEUES=4
// SENDs and FENCEs of all queues under everything at once, compared in each cycle with what the
// contract says.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "Vmu_outstanding_requests.h"
#include "Vmu_outstanding_requests/Vmu_outstanding_requests___024root.h"
#include "Vmu_outstanding_requests_four.h"
#include "Vmu_outstanding_requests_four/Vmu_outstanding_requests_four___024root.h"
#include "Vmu_outstanding_requests_two.h"
#include "Vmu_outstanding_requests_two/Vmu_outstanding_requests_two___024root.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/few_numbers.h"
#include "tests/support/old_count.h"
#include "tests/support/outstanding_requests_model.h"
#include "tests/support/port_bits.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "tests/support/written_inside.h"

TORUSMU_WRITTEN_INSIDE(Vmu_outstanding_requests)
TORUSMU_WRITTEN_INSIDE(Vmu_outstanding_requests_two)
TORUSMU_WRITTEN_INSIDE(Vmu_outstanding_requests_four)

namespace torusmu::testing {
namespace {

using Answer = Record<layout::send_answer::Layout>;
using Model = OutstandingRequestsModel;
using Queue = Model::Queue;
using End = Record<layout::queue_end::Layout>;
using Peer = Record<layout::queue_peer::Layout>;
namespace a = layout::send_answer;

constexpr std::uint64_t kNever = (1ULL << 48) - 1;

template <typename Dut, unsigned kQueues>
class RequestsAtRandom : public ::testing::Test {
 protected:
  RequestsAtRandom() { in_.now = random_.bits64() % kNever; }
  // How often things happen for some hundred cycles, in percent.
  struct Mood {
    unsigned queues = 3;  // so many at a time
    unsigned begins = 40, answers = 40, refusals = 40, unknowns = 20, oks = 50, resets = 3;
    unsigned jumps = 20;
    unsigned fences = 20;
    unsigned copies = 0;  // so many of a SEND are not refused
    std::uint32_t retries = 3, retry_cycles = 10;
    unsigned cycles = 400;
  };

  unsigned pick() { return few_.any(random_); }
  std::uint32_t word() { return static_cast<std::uint32_t>(random_.bits64()); }
  Status draw_status() {
    if (random_.chance(mood_.refusals))
      return random_.chance(mood_.unknowns) ? Status::kDeliveryUnknown : Status::kReceiveDisabled;
    if (random_.chance(mood_.oks)) return Status::kOk;
    return random_.chance(30) ? Status::kMemoryError : static_cast<Status>(random_.below(256));
  }
  // All but the copies that the mood spares, and what would find another that waits.
  void draw_answers() {
    in_.answer.reset();
    in_.failure.reset();
    const bool takes_answer = model_.takes_answer(in_);
    if (random_.chance(mood_.answers) && takes_answer) in_.answer = draw_said(true);
    if (random_.chance(mood_.answers / 4)) in_.failure = draw_said(false);
    const auto spared = [&](const std::optional<Answer>& said) {
      if (!said) return false;
      const auto at = static_cast<unsigned>(said->get<a::queue>() % kQueues);
      return model_.queue(at).copies <= mood_.copies || model_.steps(at);
    };
    if (mood_.copies != 0 && spared(in_.answer)) in_.answer.reset();
    if (mood_.copies != 0 && spared(in_.failure)) in_.failure.reset();
  }
  Answer draw_said(bool answer) {
    const unsigned at = pick();
    const Queue& queue = model_.queue(at);
    const bool fence = queue.first && queue.first->fence
                           ? random_.chance(90)
                           : queue.second && queue.second->fence && random_.chance(50);
    const std::uint32_t peer = in_.dynamic[at] ? queue.node : in_.peer;
    const std::uint32_t half_sent = random_.chance(50) ? 0 : 1U << random_.below(12);
    const std::uint32_t node = answer ? (fence ? queue.fence_node : peer) & 0xFFF : half_sent;
    const bool behind = !queue.first || (queue.second_send() && random_.chance(40));
    const Status status = draw_status();
    Answer said = Answer{}
                      .set<a::queue>(at)
                      .set<a::number>(fence ? queue.fence_index : queue.sent + (behind ? 1 : 0))
                      .set<a::status>(status)
                      .set<a::node>(node)
                      .set<a::fence>(fence);
    if (random_.chance(5)) said.set<a::queue>(random_.below(256));
    if (random_.chance(5)) said.set<a::number>(said.get<a::number>() ^ 1U << random_.below(32));
    if (random_.chance(2)) said.set<a::fence>(!fence);
    if (answer && random_.chance(5)) said.set<a::node>(node ^ 1U << random_.below(12));
    return said;
  }
  // What went ahead begins first.
  void draw_begin() {
    const unsigned at = pick();
    const Queue& queue = model_.queue(at);
    in_.begin.reset();
    const bool ending = model_.end() && model_.end()->queue == at;
    if (queue.first || ending || model_.configures(at) || model_.begins(at) ||
        !random_.chance(mood_.begins))
      return;
    if (queue.second && queue.second->fence) {
      in_.begin = {at, true, true, queue.fence_node, queue.fence_index};
    } else if (!queue.broken || queue.second) {
      const bool fence = !queue.second && random_.chance(mood_.fences);
      in_.begin = {at, queue.second.has_value(), fence, word() % 0x1000, word()};
    }
  }
  void draw_configure() {
    in_.configure_queue = static_cast<unsigned>(random_.below(kQueues));
    const Queue& queue = model_.queue(in_.configure_queue);
    const bool may = model_.may_configure(in_.configure_queue) &&
                     !(in_.begin && in_.begin->queue == in_.configure_queue);
    in_.cancel = may && random_.chance(mood_.resets);
    in_.configured = may && random_.chance(queue.broken ? 50 : mood_.resets);
    if (in_.configured && !queue.first) in_.dynamic[in_.configure_queue] = random_.chance(25);
  }
  // What the packetiser asks. The second goes out behind the first, and again if that did.
  void draw_copy() {
    in_.number_queue = random_.chance(95) ? pick() : static_cast<unsigned>(random_.below(256));
    for (int i = 0; i < 3 && !model_.queue(in_.number_queue % kQueues).first; ++i)
      in_.number_queue = pick();
    const Queue& queue = model_.queue(in_.number_queue % kQueues);
    const bool leaves = queue.has(Model::First::Phase::kLeaving);
    in_.number_ahead = queue.first && random_.chance(leaves ? 30 : 80);
    in_.ahead_fence = queue.second ? queue.second->fence : random_.chance(mood_.fences);
    in_.node = queue.second && queue.second->fence ? queue.fence_node : word() % 0x1000;
    in_.index = queue.second && queue.second->fence ? queue.fence_index : word();
    in_.ahead = in_.left = false;
    if (in_.begin || in_.number_queue >= kQueues) return;
    in_.ahead = in_.number_ahead && random_.chance(80) &&
                (!queue.second || queue.second->fence || queue.second->due) &&
                model_.ahead_good(in_);
    in_.left = !in_.ahead && random_.chance(80);
  }
  void draw() {
    in_.retries = mood_.retries;
    in_.retry_cycles = mood_.retry_cycles;
    const auto wake_at = model_.wake_at();
    in_.now = wake_at && random_.chance(mood_.jumps) ? *wake_at : in_.now + random_.below(2);
    in_.peer = random_.chance(95) ? in_.peer : word() % 0x1000;
    in_.end_ready = random_.chance(70);
    in_.again_ready = random_.chance(70);
    draw_begin();
    draw_configure();
    draw_copy();
    draw_answers();
  }
  void drive_inputs() {
    dut_->now_i = in_.now;
    dut_->retry_cycles_i = in_.retry_cycles;
    dut_->retries_i = static_cast<CData>(in_.retries);
    drive_bits(dut_->dynamic_i, in_.dynamic);
    dut_->begin_valid_i = in_.begin.has_value();
    dut_->begin_queue_i = static_cast<CData>(in_.begin ? in_.begin->queue : pick());
    dut_->begin_sent_i = in_.begin && in_.begin->sent;
    dut_->begin_fence_i = in_.begin && in_.begin->fence;
    dut_->begin_node_i = static_cast<SData>(in_.begin ? in_.begin->node : in_.node);
    dut_->begin_index_i = in_.begin ? in_.begin->index : in_.index;
    dut_->cancel_i = in_.cancel;
    dut_->configured_i = in_.configured;
    dut_->configure_queue_i = static_cast<CData>(in_.configure_queue);
    dut_->end_ready_i = in_.end_ready;
    dut_->again_ready_i = in_.again_ready;
    dut_->number_queue_i = static_cast<CData>(in_.number_queue);
    dut_->number_ahead_i = in_.number_ahead;
    dut_->ahead_fence_i = in_.ahead_fence;
    dut_->ahead_i = in_.ahead;
    dut_->left_i = in_.left;
    drive(dut_->answer_peer_i, Peer::from_bytes(random_bytes(random_, Peer::kBytes))
                                   .set<layout::queue_peer::x>(in_.peer & 15U)
                                   .set<layout::queue_peer::y>(in_.peer >> 4U & 15U)
                                   .set<layout::queue_peer::z>(in_.peer >> 8U));
    dut_->answer_valid_i = in_.answer.has_value();
    drive(dut_->answer_i, in_.answer.value_or(draw_said(true)));
    drive(dut_->failure_i,
          outcome(in_.failure.value_or(draw_said(false)), in_.failure.has_value()));
  }
  PortBits all(bool (*is)(const Queue&)) const {
    PortBits set;
    for (unsigned i = 0; i < kQueues; ++i) set[i] = is(model_.queue(i));
    return set;
  }
  void compare_queues() {
    const PortBits fence_ahead = all([](const Queue& q) { return q.fence_ahead(); });
    ASSERT_EQ(bits_of(dut_->fence_ahead_o), fence_ahead);
    ASSERT_EQ(bits_of(dut_->may_ahead_o), fence_ahead & ~in_.dynamic);
    ASSERT_EQ(bits_of(dut_->under_way_o), all([](const Queue& q) { return q.second.has_value(); }));
    ASSERT_EQ(dut_->busy_o, model_.busy());
    ASSERT_EQ(dut_->begin_ready_o, model_.begin_ready());
    ASSERT_EQ(dut_->wake_at_o, model_.wake_at().value_or(kNever));
    const auto ended = model_.end();
    ASSERT_EQ(dut_->end_valid_o, ended.has_value());
    if (ended) {
      ASSERT_EQ(sample_record<End>(dut_->end_o),
                End{}
                    .set<layout::queue_end::queue>(ended->queue)
                    .set<layout::queue_end::status>(ended->status));
    }
    ASSERT_EQ(dut_->again_valid_o, model_.again().has_value());
    if (dut_->again_valid_o) {
      ASSERT_EQ(dut_->again_queue_o, *model_.again());
    }
  }
  void compare_copy() {
    if (in_.number_queue >= kQueues) {
      ASSERT_FALSE(dut_->broken_o);
      return;
    }
    const Queue& queue = model_.queue(in_.number_queue);
    ASSERT_EQ(dut_->broken_o, queue.broken);
    ASSERT_EQ(dut_->doubtful_o, queue.copy_doubtful && !model_.begins(in_.number_queue));
    ASSERT_EQ(dut_->ahead_good_o, model_.ahead_good(in_));
    if (const auto number = model_.number(in_.number_queue, in_)) {
      ASSERT_EQ(dut_->number_o, *number + (in_.number_ahead ? 1 : 0));
    }
  }
  // As if so many SENDs had begun.
  void make_old(unsigned at) {
    Queue& queue = model_.queue(at);
    if (!queue.numbered || queue.first || queue.second) return;
    queue.sent = old_count(random_);
    dut_->rootp->mu_outstanding_requests__DOT__number_mem[at] = queue.sent;
    settle_inside(dut_->rootp);
  }
  void cycle() {
    draw();
    drive_inputs();
    dut_.settle();
    ASSERT_NO_FATAL_FAILURE(compare_queues());
    ASSERT_NO_FATAL_FAILURE(compare_copy());
    for (unsigned i = 0; i < kQueues; ++i)
      most_copies_ = std::max(most_copies_, model_.queue(i).copies);
    model_.clock(in_);
    dut_.tick();
    if (random_.chance(3)) make_old(pick());
  }
  void run(const Mood& mood) {
    mood_ = mood;
    few_.choose(random_, mood_.queues);
    for (unsigned i = 0; i < mood.cycles; ++i) ASSERT_NO_FATAL_FAILURE(cycle()) << "cycle " << i;
  }
  Mood draw_mood() {
    return {
        .queues = random_.chance(30)
                      ? kQueues
                      : std::min(2U + static_cast<unsigned>(random_.below(2)), kQueues),
        .begins = random_.chance(50) ? 40U : 90U,
        .answers = random_.chance(40) ? 4U : (random_.chance(50) ? 20U : 60U),
        .refusals = static_cast<unsigned>(random_.below(60)),
        .oks = static_cast<unsigned>(20 + random_.below(80)),
        .resets = static_cast<unsigned>(random_.below(3)),
        .jumps = random_.chance(70) ? 2U : 40U,
        .retries = static_cast<std::uint32_t>(random_.below(6)),
        .retry_cycles = 1 + old_count(random_, 24),
    };
  }
  void forget() {
    dut_->begin_valid_i = dut_->cancel_i = dut_->configured_i = dut_->end_ready_i = 0;
    dut_->answer_valid_i = dut_->ahead_i = dut_->left_i = 0;
    drive(dut_->failure_i, outcome({}, false));
    dut_->again_ready_i = 0;
    dut_.reset(1);
    model_.reset();
  }

  void keep_contract() {
    SCOPED_TRACE(random_.replay());
    for (int i = 0; i < 1000; ++i) {
      const Mood mood = draw_mood();
      if (random_.chance(30)) {
        forget();
        in_.now = near_a_carry(random_, 44 + static_cast<unsigned>(i) % 4, mood.retry_cycles, 50);
      }
      ASSERT_NO_FATAL_FAILURE(run(mood)) << "mood " << i;
    }
  }
  // What dynamically connected queues alone know; copies go out in turn.
  Mood all_queues() {
    for (unsigned queue = 0; queue < kQueues; ++queue) in_.dynamic.set(queue);
    return {.queues = std::min(4U, kQueues),
            .begins = 100,
            .resets = 0,
            .jumps = 90,
            .fences = 0,
            .retries = 255,
            .retry_cycles = 1};
  }
  // Of every queue so many copies go out, first as none is answered, then as each is refused.
  void count_copies() {
    SCOPED_TRACE(random_.replay());
    Mood silent = all_queues(), refused = all_queues();
    silent.answers = 0;
    silent.cycles = 60000;  // of 256 copies each takes eight ticks
    refused.answers = refused.refusals = 100;
    refused.cycles = 20000;
    ASSERT_NO_FATAL_FAILURE(run(silent));
    EXPECT_EQ(most_copies_, 256U) << "the first and all retries";
    ASSERT_NO_FATAL_FAILURE(run(refused));
  }
  // Many copies went out, of which all are refused, or all but one: is the next one doubtful?
  void refuse_copies() {
    SCOPED_TRACE(random_.replay());
    Mood silent = all_queues(), refused = all_queues();
    silent.answers = 0;
    refused.answers = refused.refusals = 100;
    refused.jumps = 0;
    refused.retry_cycles = (1U << 24) - 1;  // the most
    refused.cycles = 330 * 4;
    for (unsigned round = 0; round < 6; ++round) {
      silent.cycles = 60000;
      silent.retries = 128 + static_cast<std::uint32_t>(random_.below(128));
      refused.copies = round % 2;
      ASSERT_NO_FATAL_FAILURE(run(silent));
      ASSERT_NO_FATAL_FAILURE(run(refused));
      silent.cycles = 800;
      ASSERT_NO_FATAL_FAILURE(run(silent));
    }
  }
  // The status of one that goes out once more, and no more, is what refused it last.
  void end_as_refused() {
    SCOPED_TRACE(random_.replay());
    Mood refused = all_queues();
    refused.answers = 60;
    refused.refusals = 100;
    refused.unknowns = 50;
    refused.retries = 1;
    refused.cycles = 20000;
    ASSERT_NO_FATAL_FAILURE(run(refused));
  }

  Random random_;
  Clocked<Dut> dut_{random_.seed()};
  Model model_{kQueues};
  Model::Cycle in_;
  Mood mood_;
  FewNumbers few_{kQueues};
  unsigned most_copies_ = 0;  // that went out of one SEND
};

// All queues of a node; so few that much happens in each; and the fewest.
using OutstandingRequestsAtRandom =
    RequestsAtRandom<Vmu_outstanding_requests, kProfile.injection_queues>;
using FourQueuesAtRandom = RequestsAtRandom<Vmu_outstanding_requests_four, 4>;
using TwoQueuesAtRandom = RequestsAtRandom<Vmu_outstanding_requests_two, 2>;

TEST_F(OutstandingRequestsAtRandom, KeepsItsContractInEveryCycle) { keep_contract(); }
TEST_F(FourQueuesAtRandom, KeepsItsContractInEveryCycle) { keep_contract(); }
TEST_F(TwoQueuesAtRandom, KeepsItsContractInEveryCycle) { keep_contract(); }

TEST_F(OutstandingRequestsAtRandom, CountsAsManyCopiesAsItMaySend) { count_copies(); }
TEST_F(FourQueuesAtRandom, CountsAsManyCopiesAsItMaySend) { count_copies(); }
TEST_F(TwoQueuesAtRandom, CountsAsManyCopiesAsItMaySend) { count_copies(); }

TEST_F(OutstandingRequestsAtRandom, KnowsWhetherACopyIsNotRefused) { refuse_copies(); }
TEST_F(FourQueuesAtRandom, KnowsWhetherACopyIsNotRefused) { refuse_copies(); }
TEST_F(TwoQueuesAtRandom, KnowsWhetherACopyIsNotRefused) { refuse_copies(); }

TEST_F(OutstandingRequestsAtRandom, EndsWithWhatRefusedItLast) { end_as_refused(); }
TEST_F(FourQueuesAtRandom, EndsWithWhatRefusedItLast) { end_as_refused(); }
TEST_F(TwoQueuesAtRandom, EndsWithWhatRefusedItLast) { end_as_refused(); }

}  // namespace
}  // namespace torusmu::testing

// SPDX-License-Identifier: Apache-2.0
// model: Vmu_held_queues mu_held_queues
// bgp: -GQUEUES=128
// model: Vmu_held_queues_four mu_held_queues -GQUEUES=4
// Held queues under everything at once, compared in each cycle with what the contract says.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "Vmu_held_queues.h"
#include "Vmu_held_queues_four.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked_once.h"
#include "tests/support/few_numbers.h"
#include "tests/support/held_queues_compare.h"
#include "tests/support/held_queues_model.h"
#include "tests/support/mood.h"
#include "tests/support/port_bits.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"

namespace torusmu::testing {
namespace {

using Model = HeldQueuesModel;
using Fetched = Model::Fetched;
using Queue = Model::Queue;
namespace d = layout::descriptor;
namespace f = layout::fetched_descriptor;

template <typename Dut, unsigned kQueues>
class QueuesAtRandom : public ::testing::Test {
 protected:
  // How often things happen for some hundred cycles, in percent.
  struct Mood {
    unsigned queues = 3;  // so many at a time
    unsigned comes = 70, same = 50, ready = 70, resumes = 40, judged = 60, holds = 80;
    unsigned ends = 20, again = 10, ahead = 50, flushes = 5, silent = 50, paired = 50;
    std::array<Opcode, 2> pair = {Opcode::kSend, Opcode::kSend};  // of these opcodes
    unsigned cycles = 400;
  };

  unsigned pick() { return few_.any(random_); }
  PortBits some(unsigned percent) {
    PortBits set;
    for (unsigned i = 0; i < kQueues; ++i) set[i] = random_.chance(percent);
    return set;
  }
  Opcode draw_opcode() {
    constexpr std::array kCommon = {Opcode::kWait, Opcode::kSend, Opcode::kReceive, Opcode::kFence,
                                    Opcode::kCalc, Opcode::kPipe, Opcode::kCtrAdd,  Opcode::kPut};
    if (random_.chance(40)) {  // one that is none of these by a bit
      const Opcode nearly = kCommon.at(random_.below(kCommon.size()));
      return static_cast<Opcode>(static_cast<unsigned>(nearly) ^ 1U << random_.below(8));
    }
    if (random_.chance(mood_.paired)) return mood_.pair.at(random_.below(2));
    return kCommon.at(random_.below(kCommon.size()));
  }
  // Whatever else it says passes as it came, even marks and bits that nobody sets.
  Fetched draw_descriptor() {
    Fetched fetched = Fetched::from_bytes(random_bytes(random_, Fetched::kBytes));
    auto descriptor = fetched.get<f::descriptor>();
    descriptor.set<d::opcode>(draw_opcode());
    if (random_.chance(mood_.silent)) {
      descriptor.set<d::done_event_valid>(0).set<d::interrupt_done>(0).set<d::signal>(0);
      const auto tells = random_.below(6);
      descriptor.set<d::done_event_valid>(tells == 0).set<d::interrupt_done>(tells == 1);
      descriptor.set<d::signal>(tells == 2);
    }
    if (!random_.chance(mood_.same)) in_queue_ = pick();
    const std::uint64_t unknown = random_.below(256 / kQueues) * kQueues;  // nobody looks at it
    return fetched.set<f::descriptor>(descriptor).set<f::queue>(in_queue_ + unknown);
  }
  // One that was not taken stays, but for one that is taken back.
  void draw_in() {
    if (in_.in && !random_.chance(5)) return;
    in_.in.reset();
    if (random_.chance(mood_.comes)) in_.in = draw_descriptor();
  }
  // What has left is judged before the next is taken: it holds its queue, or not.
  void draw_take() {
    in_.take.reset();
    if (!judged_ || !random_.chance(mood_.judged)) return;
    if (Model::may_hold(Model::opcode_of(*judged_)) && random_.chance(mood_.holds))
      in_.take = judged_;
    judged_.reset();
  }
  void draw_ends() {
    in_.finish.reset();
    in_.finish_one.reset();
    in_.again.reset();
    const unsigned at = random_.chance(10) ? in_.flush_queue : pick();
    if (model_.queue(at).waits() && random_.chance(mood_.ends)) {
      const unsigned bad =
          random_.chance(50) ? 1U << random_.below(8) : static_cast<unsigned>(random_.below(256));
      in_.finish_one = {at, random_.chance(40) ? Status::kOk : static_cast<Status>(bad)};
    }
    const PortBits met = some(mood_.ends);
    for (unsigned i = 0; i < kQueues; ++i) {
      const bool ends = in_.finish_one && in_.finish_one->queue == i;
      if (met[i] && !ends && waits(i)) in_.finish.set(i);
    }
    const unsigned once_more = pick();
    if (model_.queue(once_more).waits() && !waits(once_more) && random_.chance(mood_.again))
      in_.again = once_more;
  }
  // A WAIT ends with others, and never goes again.
  bool waits(unsigned at) const {
    const Queue& queue = model_.queue(at);
    return queue.waits() && Model::opcode_of(queue.data) == Opcode::kWait;
  }
  // A queue is configured until that is done, and then no other in the next cycle.
  void draw_flush() {
    if (in_.flush) {
      in_.flush = !random_.chance(5);
    } else {
      in_.flush_queue = pick();
      in_.flush = random_.chance(mood_.flushes);
    }
  }
  void draw() {
    draw_flush();
    draw_in();
    draw_take();
    draw_ends();
    in_.out_ready = !judging_ && random_.chance(mood_.ready);
    in_.resume_ready = random_.chance(mood_.resumes);
    if (random_.chance(20)) in_.may_ahead = some(mood_.ahead);
    if (random_.chance(20)) in_.fence_ahead = some(mood_.ahead);
    if (random_.chance(20)) in_.under_way = some(50);
  }
  template <typename Port>
  static void put(Port& port, std::uint64_t value) {
    port = static_cast<Port>(value);
  }
  // What is named without being valid is anything.
  void drive_inputs() {
    dut_->in_valid_i = in_.in.has_value();
    if (in_.in) drive(dut_->in_data_i, *in_.in);
    dut_->out_ready_i = in_.out_ready;
    dut_->resume_ready_i = in_.resume_ready;
    dut_->flush_i = in_.flush;
    put(dut_->flush_queue_i, in_.flush_queue);
    drive_bits(dut_->may_ahead_i, in_.may_ahead);
    drive_bits(dut_->fence_ahead_i, in_.fence_ahead);
    drive_bits(dut_->under_way_i, in_.under_way);
    dut_->take_i = in_.take.has_value();
    if (in_.take) drive(dut_->take_data_i, *in_.take);
    if (!in_.take && random_.chance(50)) drive(dut_->take_data_i, draw_descriptor());
    drive_bits(dut_->finish_i, in_.finish);
    const Model::End nothing{pick(), static_cast<Status>(random_.below(256))};
    dut_->finish_one_i = in_.finish_one.has_value();
    put(dut_->finish_queue_i, in_.finish_one.value_or(nothing).queue);
    put(dut_->finish_status_i, static_cast<unsigned>(in_.finish_one.value_or(nothing).status));
    dut_->again_valid_i = in_.again.has_value();
    put(dut_->again_queue_i, in_.again.value_or(pick()));
    view_0_ = pick();
    view_1_ = static_cast<unsigned>(random_.below(kQueues));
    put(dut_->view_0_queue_i, view_0_);
    put(dut_->view_1_queue_i, view_1_);
    dut_->view_0_read_i = random_.chance(60);
    dut_->view_1_read_i = random_.chance(60);
  }
  void compare(const Model::Outputs& out) {
    ASSERT_EQ(dut_->busy_o, out.busy);
    using Place = HeldQueuesModel::Place;
    ASSERT_TRUE(dut_->again_ready_o);
    ASSERT_NO_FATAL_FAILURE(compare_held_queues(
        *dut_.operator->(), out,
        dut_->resume_valid_o ? std::optional(sample_record<Place>(dut_->resume_place_o))
                             : std::nullopt,
        dut_->release_valid_o ? std::optional<unsigned>(dut_->release_queue_o) : std::nullopt));
    if (seen_0_) {
      ASSERT_EQ(sample_record<Fetched>(dut_->view_0_data_o), *seen_0_);
    }
    if (seen_1_) {
      ASSERT_EQ(sample_record<Fetched>(dut_->view_1_data_o), *seen_1_);
    }
  }
  // What a queue holds; of one that holds nothing anything may be seen.
  std::optional<Fetched> held(unsigned at) const {
    if (!model_.queue(at).taken) return std::nullopt;
    return model_.queue(at).data;
  }
  void look() {
    if (dut_->view_0_read_i) seen_0_ = held(view_0_);
    if (dut_->view_1_read_i) seen_1_ = held(view_1_);
  }
  void cycle() {
    judging_ = judged_.has_value();
    draw();
    drive_inputs();
    dut_.settle();
    const Model::Outputs out = model_.outputs(in_);
    ASSERT_NO_FATAL_FAILURE(compare(out));
    look();
    model_.clock(in_);
    dut_.tick_settled();
    if (out.in_ready) in_.in.reset();
    if (out.out && out.out_judged && in_.out_ready) judged_ = out.out;
  }
  void run(const Mood& mood) {
    mood_ = mood;
    few_.choose(random_, mood_.queues);
    for (unsigned i = 0; i < mood.cycles; ++i) ASSERT_NO_FATAL_FAILURE(cycle()) << "cycle " << i;
  }
  Mood draw_mood() {
    constexpr std::array<std::array<Opcode, 2>, 4> kPairs = {{
        {Opcode::kWait, Opcode::kPut},
        {Opcode::kSend, Opcode::kSend},
        {Opcode::kSend, Opcode::kFence},
        {Opcode::kReceive, Opcode::kReceive},
    }};
    return {
        .queues = random_.chance(30) ? kQueues : 1 + static_cast<unsigned>(random_.below(4)),
        .comes = 20 + draw_percent(random_) * 4 / 5,
        .same = draw_percent(random_),
        .ready = 20 + draw_percent(random_) * 4 / 5,
        .resumes = 10 + draw_percent(random_) * 4 / 5,
        .judged = random_.chance(50) ? 100U : 40U,
        .holds = random_.chance(80) ? 90U : 10U,
        .ends = 2 + draw_percent(random_) / 2,
        .again = draw_percent(random_) / 2,
        .ahead = draw_percent(random_),
        .flushes = random_.chance(50) ? 0U : 5U,
        .silent = random_.chance(20) ? 0U : 80U,
        .paired = random_.chance(60) ? 90U : 0U,
        .pair = kPairs.at(random_.below(kPairs.size())),
        .cycles = random_.chance(80) ? 200U : 2000U,
    };
  }
  // A reset while everything goes on: whatever the inputs say in it is of no account.
  void forget() {
    draw();
    drive_inputs();
    dut_->rst_ni = 0;
    dut_.settle();
    look();
    dut_.tick_settled();
    dut_->rst_ni = 1;
    model_.reset(in_);
    judged_.reset();
    in_ = {};
  }
  void keep_contract() {
    SCOPED_TRACE(random_.replay());
    for (int i = 0; i < 300; ++i) {
      if (random_.chance(20)) forget();
      ASSERT_NO_FATAL_FAILURE(run(draw_mood())) << "mood " << i;
    }
  }
  // All queues are held, with one kept in each, before anything goes ahead or ends.
  void fill_and_empty() {
    SCOPED_TRACE(random_.replay());
    for (unsigned i = 0; i < std::min(40U, 1280 / kQueues); ++i) {
      if (random_.chance(20)) forget();
      Mood mood = draw_mood();
      mood.queues = kQueues;
      mood.comes = mood.ready = mood.judged = mood.holds = 100;
      mood.same = mood.ends = mood.again = mood.ahead = mood.flushes = 0;
      mood.cycles = 20 * kQueues;
      ASSERT_NO_FATAL_FAILURE(run(mood)) << "full " << i;
      mood.ahead = 20 + draw_percent(random_) / 2;
      mood.again = 20;
      mood.comes = 20;
      ASSERT_NO_FATAL_FAILURE(run(mood)) << "ahead " << i;
      mood.ends = draw_percent(random_);
      ASSERT_NO_FATAL_FAILURE(run(mood)) << "empty " << i;
    }
  }

  Random random_;
  ClockedOnce<Dut> dut_{random_.seed()};
  Model model_{kQueues};
  Model::Cycle in_;
  Mood mood_;
  std::optional<Fetched> seen_0_, seen_1_;  // by who runs what is held
  std::optional<Fetched> judged_;           // has left, and may hold its queue
  bool judging_ = false;
  unsigned in_queue_ = 0, view_0_ = 0, view_1_ = 0;
  FewNumbers few_{kQueues};
};

// All queues of a node, and so few that much happens in each.
using HeldQueuesAtRandom = QueuesAtRandom<Vmu_held_queues, kProfile.injection_queues>;
using FourHeldQueuesAtRandom = QueuesAtRandom<Vmu_held_queues_four, 4>;

TEST_F(HeldQueuesAtRandom, KeepTheirContractInEveryCycle) { keep_contract(); }
TEST_F(FourHeldQueuesAtRandom, KeepTheirContractInEveryCycle) { keep_contract(); }

TEST_F(HeldQueuesAtRandom, KeepTheirContractIfAllAreHeld) { fill_and_empty(); }
TEST_F(FourHeldQueuesAtRandom, KeepTheirContractIfAllAreHeld) { fill_and_empty(); }

}  // namespace
}  // namespace torusmu::testing

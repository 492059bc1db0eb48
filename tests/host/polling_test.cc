// SPDX-License-Identifier: Apache-2.0
// Rules, histories and bounds of the poller, on components that exist nowhere; and a context that
// polls by each policy.
#include "torusmu/polling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/host/job.h"
#include "tests/host/polling_fixture.h"
#include "tests/host/programs.h"

namespace torusmu::testing {
namespace {

using ::testing::HasSubstr;

TEST_F(Polling, OfAlwaysPollsAtEveryRequest) {
  Poller poller(device_);
  const ComponentId id = add(poller);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(poller.request(id).value(), PollStatus::kIdle);
  EXPECT_EQ(poller.counts().polls, 10U);
  EXPECT_EQ(poller.counts().empty, 10U);
  EXPECT_EQ(poller.counts().skipped, 0U);
  EXPECT_EQ(device_.time, 10 * kPollCost);
  EXPECT_EQ(poller.counts().empty_cycles, 10 * kPollCost);
}

TEST_F(Polling, OfEveryNthPollsAtEveryNthRequest) {
  Poller poller(device_, options("every-3"));
  const ComponentId id = add(poller);
  EXPECT_EQ(pattern(poller, id, 9), "--p--p--p");
}

TEST_F(Polling, ThatAdaptsPollsMoreSeldomAfterThreeEmptyPolls) {
  Poller poller(device_, options("adaptive"));
  const ComponentId id = add(poller);
  EXPECT_EQ(pattern(poller, id, 18), "-p-p-p--p--p--p---");
}

TEST_F(Polling, ThatAdaptsPollsTwiceAsOftenAfterAPollThatFindsSomething) {
  Poller poller(device_, options("adaptive"));
  bool active = false;
  const ComponentId id = poller.add({.name = "switched", .poll = [&] {
                                       return active ? PollResult::kActivity : PollResult::kNothing;
                                     }});
  EXPECT_EQ(pattern(poller, id, 15), "-p-p-p--p--p--p");
  active = true;
  EXPECT_EQ(pattern(poller, id, 11), "---p-pppppp");
}

TEST_F(Polling, ThatAdaptsNeverSkipsMoreThanItsMost) {
  PollingOptions adaptive = options("adaptive");
  adaptive.most_every = 5;
  Poller poller(device_, adaptive);
  const ComponentId id = add(poller);
  (void)pattern(poller, id, 1000);
  const std::string late = pattern(poller, id, 10);
  EXPECT_EQ(std::count(late.begin(), late.end(), 'p'), 2);
}

TEST_F(Polling, ThatMayAdaptToNoMoreThanOnePollsAtEveryRequest) {
  PollingOptions adaptive = options("adaptive");
  adaptive.most_every = 1;
  Poller poller(device_, adaptive);
  EXPECT_EQ(pattern(poller, add(poller), 8), "pppppppp");
}

TEST_F(Polling, ByHistoryBacksOffWhileNothingComes) {
  Poller poller(device_, options("heuristic"));
  const ComponentId id = add(poller);
  ask(poller, id, 1'000, 1);
  const std::uint64_t early = poller.counts().polls;
  EXPECT_LT(early, 1'000 / PollingOptions().least_gap);
  device_.compute(100'000);
  ask(poller, id, 1'000, 1);
  // A wait of 100,000 cycles can afford polls 3,000 apart.
  EXPECT_LE(poller.counts().polls - early, 2U);
}

TEST_F(Polling, ByHistoryAddsAPartOfTheWaitAtMost) {
  const PollingOptions heuristic = options("heuristic");
  for (const Cycles from : {100U, 1'000U, 10'000U, 40'000U, 200'000U}) {
    device_.time = 0;
    Poller poller(device_, heuristic);
    const ComponentId id = add(poller, from);
    const Cycles seen = ask(poller, id, 400'000, 1);
    ASSERT_NE(seen, kNever);
    EXPECT_LE(seen - from, heuristic.least_gap + from / heuristic.latency_part + 2 * kPollCost + 2)
        << from;
    EXPECT_LE(seen - from, heuristic.most_gap + 2 * kPollCost + 2) << from;
  }
}

TEST_F(Polling, ByHistoryPollsAgainAtOnceAfterActivity) {
  Poller poller(device_, options("heuristic"));
  const ComponentId id = add(poller, 5'000, 5'100);
  ASSERT_NE(ask(poller, id, 20'000, 1), kNever);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(poller.request(id).value(), PollStatus::kActive);
}

TEST_F(Polling, ByHistoryIsResetByWhatPredictsActivity) {
  Poller poller(device_, options("heuristic"));
  const ComponentId id = add(poller);
  ask(poller, id, 100'000, 1);
  EXPECT_EQ(poller.request(id).value(), PollStatus::kNotPolled);
  EXPECT_FALSE(poller.expect(id));
  device_.compute(PollingOptions().least_gap);
  EXPECT_EQ(poller.request(id).value(), PollStatus::kIdle);
}

// Waits that are long on average can afford longer gaps, from their first poll on.
TEST_F(Polling, ByHistoryReviewsTheWholeHistory) {
  PollingOptions heuristic = options("heuristic");
  heuristic.history = 16;
  Poller poller(device_, heuristic);
  Cycles active = 0;
  const ComponentId id = poller.add({.name = "regular", .poll = [&] {
                                       device_.time += kPollCost;
                                       if (device_.time < active) return PollResult::kNothing;
                                       active = device_.time + 6'400;
                                       return PollResult::kActivity;
                                     }});
  const auto polls_of_a_wait = [&] {
    const std::uint64_t before = poller.counts().polls;
    ask(poller, id, 20'000, 1);
    return poller.counts().polls - before;
  };
  polls_of_a_wait();
  const std::uint64_t first = polls_of_a_wait();
  for (int i = 0; i < 20; ++i) polls_of_a_wait();
  EXPECT_LT(polls_of_a_wait(), first);
}

// Says how often it was reviewed.
class Reviewed final : public PollRule {
 public:
  explicit Reviewed(int& reviews) : reviews_(reviews) {}
  bool is_satisfied(const ActivityHistory& /*history*/, Cycles /*now*/) override { return true; }
  void review(const ActivityHistory& /*history*/) override { ++reviews_; }

 private:
  int& reviews_;
};

TEST_F(Polling, ReviewsARuleAfterAsManyPollsAsAHistoryHolds) {
  PollingOptions always;
  always.history = 16;
  Poller poller(device_, always);
  int reviews = 0;
  const ComponentId id = add(poller, kNever, kNever, std::make_unique<Reviewed>(reviews));
  (void)pattern(poller, id, 15);
  EXPECT_EQ(reviews, 0);
  (void)pattern(poller, id, 17);
  EXPECT_EQ(reviews, 2);
}

TEST_F(Polling, ReviewsTheRuleOfAComponentThatIsPolledSeldomAfterAStretchOfTime) {
  PollingOptions always;
  always.review_after = 5'000;
  Poller poller(device_, always);
  int reviews = 0;
  const ComponentId id = add(poller, kNever, kNever, std::make_unique<Reviewed>(reviews));
  for (int polls = 0; polls < 10; ++polls) {
    device_.compute(1'000);
    EXPECT_TRUE(poller.request(id));
  }
  EXPECT_EQ(reviews, 2);
}

// After waits of 32,000 cycles a gap of 1,000 adds a 32nd part; 64 polls would take 40 such waits.
TEST_F(Polling, ByHistoryLearnsFromFewPollsAfterAStretchOfTime) {
  const auto gap_after = [this](Cycles review_after) {
    device_.time = 0;
    PollingOptions heuristic = options("heuristic");
    heuristic.review_after = review_after;
    heuristic.history = 1'000;
    Poller poller(device_, heuristic);
    Cycles active = 0;
    const ComponentId id = poller.add({.name = "seldom", .poll = [&] {
                                         device_.time += kPollCost;
                                         if (device_.time < active) return PollResult::kNothing;
                                         active = device_.time + 32'000;
                                         return PollResult::kActivity;
                                       }});
    for (int waits = 0; waits < 6; ++waits) ask(poller, id, 50'000, 1);
    EXPECT_EQ(poller.request(id).value(), PollStatus::kIdle);
    const std::string after = pattern(poller, id, 2'000);
    return after.find('p');
  };
  EXPECT_GE(gap_after(100'000), 450U);  // who asks 256 times in a row has his gap halved
  EXPECT_LT(gap_after(kNever), 20U);
}

TEST_F(Polling, RemembersNoMoreThanItsHistoryHolds) {
  PollingOptions always;
  always.history = 4;
  Poller poller(device_, always);
  const ComponentId id = add(poller, 100, 120);
  for (int i = 0; i < 60; ++i) {
    EXPECT_TRUE(poller.request(id));
    device_.compute(3);
  }
  const ActivityHistory& kept = history(poller, id);
  EXPECT_EQ(kept.polls().size(), 4U);
  EXPECT_EQ(kept.waits().size(), 4U);
  // The last ones: late and empty, and the totals know of all.
  EXPECT_GE(kept.polls().front().at, 280U);
  for (const auto& poll : kept.polls()) EXPECT_EQ(poll.seen, PollResult::kNothing);
  EXPECT_EQ(kept.counts().polls, 60U);
  EXPECT_EQ(kept.counts().polls - kept.counts().empty, 4U);
}

TEST_F(Polling, BoundOverrulesARuleThatNeverPolls) {
  PollingOptions options;
  options.longest_gap = 700;
  Poller poller(device_, options);
  const ComponentId id = add(poller, 20'000, kNever, std::make_unique<Never>());
  const Cycles seen = ask(poller, id, 100'000, 10);
  EXPECT_GE(seen, 20'000U);
  EXPECT_LE(seen, 20'000U + 700 + 20);
  EXPECT_EQ(history(poller, id).counts().overruled, history(poller, id).counts().polls);
  EXPECT_LE(history(poller, id).counts().longest_gap, 700U + 1);
}

TEST_F(Polling, SeesAComponentThatWakesAfterLongIdlenessWithinTheBound) {
  for (const char* policy : {"always", "every-50", "adaptive", "heuristic", "interrupt"}) {
    device_.time = 0;
    PollingOptions chosen = options(policy);
    chosen.most_gap = 1'000'000;
    chosen.longest_gap = 2'500;
    Poller poller(device_, chosen);
    const ComponentId id = add(poller, 3'000'000);
    const Cycles seen = ask(poller, id, 4'000'000, 20);
    EXPECT_GE(seen, 3'000'000U) << policy;
    EXPECT_LE(seen, 3'000'000U + 2'500 + 25) << policy;
  }
}

TEST_F(Polling, BoundOfOneComponentIsItsOwn) {
  PollingOptions options;
  options.longest_gap = 50'000;
  Poller poller(device_, options);
  const ComponentId id =
      poller.add({.name = "own", .poll = [] { return PollResult::kNothing; }, .longest_gap = 100},
                 std::make_unique<Never>());
  ask(poller, id, 1'000, 9);
  EXPECT_EQ(poller.counts().polls, 9U);
}

TEST_F(Polling, ComponentThatDiesIsToldAndPolledOnceInABoundUntilItAnswersAgain) {
  PollingOptions options;
  options.longest_gap = 1'000;
  Poller poller(device_, options);
  bool dead = false;
  const ComponentId id = poller.add({.name = "mortal", .poll = [&] {
                                       device_.time += kPollCost;
                                       return dead ? PollResult::kGone : PollResult::kNothing;
                                     }});
  EXPECT_EQ(poller.request(id).value(), PollStatus::kIdle);
  dead = true;
  EXPECT_EQ(poller.request(id).error(), Errc::kDeviceGone);
  const std::uint64_t polls = poller.counts().polls;
  for (int i = 0; i < 500; ++i) EXPECT_EQ(poller.request(id).error(), Errc::kDeviceGone);
  EXPECT_EQ(poller.counts().polls, polls);
  device_.compute(1'000);
  EXPECT_EQ(poller.request(id).error(), Errc::kDeviceGone);
  EXPECT_EQ(poller.counts().polls, polls + 1);
  dead = false;
  device_.compute(1'000);
  EXPECT_EQ(poller.request(id).value(), PollStatus::kIdle);
  EXPECT_EQ(poller.request(id).value(), PollStatus::kIdle);
}

TEST_F(Polling, RegisterThatNobodyAnswersIsADeadComponent) {
  Poller poller(device_);
  for (const Component& component :
       {polled::injection_fifo(device_, {0}, {3}), polled::reception_fifo(device_, {0}, {1}),
        polled::byte_counter(device_, {0}, {2}), polled::event_counter(device_, {0}, {2}),
        polled::completion_queue(device_, {0}, {0}), polled::dma_engine(device_, {0})}) {
    EXPECT_EQ(poller.request(poller.add(component)).error(), Errc::kDeviceGone) << component.name;
  }
  EXPECT_EQ(device_.time, 6 * 80U);
}

TEST_F(Polling, RegistersAreActiveWhenTheyChange) {
  namespace page = registers::client_page;
  Poller poller(device_);
  const std::uint32_t event = page::event_counter(1, 5);
  const std::uint32_t bytes = page::byte_counter(1, 4);
  device_.registers = {{event, 0}, {bytes, 100}};
  const ComponentId events = poller.add(polled::event_counter(device_, {1}, {5}));
  const ComponentId counter = poller.add(polled::byte_counter(device_, {1}, {4}));
  const ComponentId word = poller.add(polled::memory_word(device_, 64));
  for (const ComponentId id : {events, counter, word}) {
    EXPECT_EQ(poller.request(id).value(), PollStatus::kIdle);
  }
  device_.registers = {{event, 1}, {bytes, std::uint64_t{1} << 63}};
  device_.word = std::byte{1};
  for (const ComponentId id : {events, counter, word}) {
    EXPECT_EQ(poller.request(id).value(), PollStatus::kActive);
  }
  EXPECT_EQ(poller.request(events).value(), PollStatus::kIdle);
}

TEST_F(Polling, UnknownComponentIsAnErrorThatSaysSo) {
  Poller poller(device_);
  const ComponentId id = add(poller);
  EXPECT_EQ(poller.find("fake").value(), id);
  EXPECT_FALSE(poller.remove(id));
  for (const ComponentId unknown : {id, ComponentId{77}}) {
    EXPECT_EQ(poller.request(unknown).error(), Errc::kNoComponent);
    EXPECT_EQ(poller.poll_now(unknown).error(), Errc::kNoComponent);
    EXPECT_EQ(poller.history(unknown).error(), Errc::kNoComponent);
    EXPECT_EQ(poller.expect(unknown), Errc::kNoComponent);
    EXPECT_EQ(poller.set_rule(unknown), Errc::kNoComponent);
    EXPECT_EQ(poller.remove(unknown), Errc::kNoComponent);
    EXPECT_EQ(poller.component(unknown), nullptr);
  }
  EXPECT_EQ(poller.find("fake").error(), Errc::kNoComponent);
  EXPECT_THAT(make_error_code(Errc::kNoComponent).message(), HasSubstr("no such component"));
  EXPECT_EQ(device_.time, 0U);
}

TEST_F(Polling, RulesDifferByComponent) {
  PollingOptions options;
  options.rule_for = [](const Component& component) -> std::unique_ptr<PollRule> {
    if (component.kind != ComponentKind::kByteCounter) return nullptr;
    return std::make_unique<Never>();
  };
  Poller poller(device_, options);
  device_.registers[registers::client_page::byte_counter(0, 1)] = 0;
  const ComponentId counter = poller.add(polled::byte_counter(device_, {0}, {1}));
  EXPECT_EQ(poller.request(counter).value(), PollStatus::kNotPolled);
  EXPECT_EQ(poller.request(add(poller)).value(), PollStatus::kIdle);
}

TEST_F(Polling, RuleThatIsSetAtRunTimeDecidesAndTheHistoryIsKept) {
  Poller poller(device_);
  const ComponentId id = add(poller);
  EXPECT_EQ(pattern(poller, id, 4), "pppp");
  EXPECT_FALSE(poller.set_rule(id, make_rule(options("every-2"))));
  EXPECT_EQ(history(poller, id).counts().polls, 4U);
  EXPECT_EQ(history(poller, id).polls().size(), 4U);
  EXPECT_EQ(pattern(poller, id, 4), "-p-p");
  EXPECT_EQ(history(poller, id).counts().polls, 6U);
}

TEST_F(Polling, NoRuleSetAtRunTimeIsThatOfTheOptions) {
  Poller poller(device_, options("every-3"));
  const ComponentId id = add(poller, kNever, kNever, std::make_unique<Never>());
  EXPECT_EQ(pattern(poller, id, 6), "------");
  EXPECT_FALSE(poller.set_rule(id));
  EXPECT_EQ(pattern(poller, id, 4), "p--p");
}

// Goes over to another rule after its first poll.
class Once final : public PollRule {
 public:
  explicit Once(Poller& poller) : poller_(poller) {}
  bool is_satisfied(const ActivityHistory& /*history*/, Cycles /*now*/) override { return true; }
  void polled(const ActivityHistory& history) override {
    EXPECT_FALSE(poller_.set_rule({0}, std::make_unique<Never>()));
    EXPECT_EQ(history.counts().polls, 1U);
  }

 private:
  Poller& poller_;
};

TEST_F(Polling, RuleMayReplaceItself) {
  Poller poller(device_);
  const ComponentId id = add(poller, kNever, kNever, std::make_unique<Once>(poller));
  EXPECT_EQ(pattern(poller, id, 4), "p---");
}

TEST_F(Polling, ByInterruptPollsOnceForEachTimeThatTheLineIsHigh) {
  Poller poller(device_, options("interrupt"));
  bool line = false;
  poller.watch_line([&] { return std::exchange(line, false); });
  const ComponentId first = add(poller);
  const ComponentId second = add(poller);
  for (const ComponentId id : {first, second}) {
    EXPECT_EQ(poller.request(id).value(), PollStatus::kIdle);
    EXPECT_EQ(poller.request(id).value(), PollStatus::kNotPolled);
  }
  line = true;
  for (const ComponentId id : {first, second}) {
    EXPECT_EQ(poller.request(id).value(), PollStatus::kIdle);
    EXPECT_EQ(poller.request(id).value(), PollStatus::kNotPolled);
  }
}

// What has come while the causes were cleared would wake nobody.
TEST_F(Polling, OfTheRoundBeforeASleepLeavesOutOnlyWhatRaisesNoInterrupt) {
  Poller poller(device_, options("heuristic"));
  const auto nothing = [] { return PollResult::kNothing; };
  const ComponentId own = add(poller);
  const ComponentId loud =
      poller.add({.name = "loud", .poll = nothing, .watched = true, .interrupts = true});
  const ComponentId silent = poller.add({.name = "silent", .poll = nothing, .watched = true});
  for (const ComponentId id : {own, loud, silent}) {
    EXPECT_EQ(poller.request(id).value(), PollStatus::kIdle);
    EXPECT_EQ(poller.request(id).value(), PollStatus::kNotPolled);
  }
  EXPECT_GT(poller.silent_until(), device_.time);
  poller.begin_round(true);
  EXPECT_EQ(poller.request(own).value(), PollStatus::kIdle);
  EXPECT_EQ(poller.request(loud).value(), PollStatus::kIdle);
  EXPECT_EQ(poller.request(silent).value(), PollStatus::kNotPolled);
  EXPECT_TRUE(poller.has_polled());
  poller.end_round();
  EXPECT_EQ(poller.request(own).value(), PollStatus::kNotPolled);
}

TEST_F(Polling, MayRemoveItselfInItsOwnPoll) {
  Poller poller(device_);
  ComponentId id{};
  id = poller.add({.name = "brief", .poll = [&] {
                     EXPECT_FALSE(poller.remove(id));
                     return PollResult::kActivity;
                   }});
  EXPECT_EQ(poller.request(id).value(), PollStatus::kActive);
  EXPECT_EQ(poller.request(id).error(), Errc::kNoComponent);
}

TEST(PollingPolicies, HaveNames) {
  for (const char* name :
       {"always", "every-1", "every-250", "adaptive", "heuristic", "interrupt"}) {
    EXPECT_EQ(name_of(polling_of(name).value()), name);
  }
  for (const char* name : {"", "often", "every", "every-", "every-0", "every--1", "every-4x",
                           "every-4294967296", "Always", "adaptive-3"}) {
    EXPECT_EQ(polling_of(name).error(), Errc::kBadArgument) << name;
  }
}

TEST(PollingPolicies, OutsideTheirRangeAreBroughtInside) {
  FakeDevice device;
  const Poller poller(
      device, {.every = 0, .most_every = 0, .history = 0, .longest_gap = 0, .latency_part = 0});
  EXPECT_EQ(poller.options().every, 1U);
  EXPECT_EQ(poller.options().most_every, 1U);
  EXPECT_EQ(poller.options().history, 1U);
  EXPECT_EQ(poller.options().longest_gap, 1U);
  EXPECT_EQ(poller.options().latency_part, 1U);
}

// --- a context by each policy
// ---------------------------------------------------------------------

class ContextsThatPoll : public ::testing::TestWithParam<const char*> {
 protected:
  ContextsThatPoll() {
    options_.machine.shape = {2, 2, 1};
    options_.machine.seed = 11;
    options_.context.polling = polling_of(GetParam()).value();
  }
  JobOptions options_;
};

TEST_P(ContextsThatPoll, LoseNothing) {
  Job job(options_);
  EXPECT_EQ(job.run(all_to_all_program(3, 12, 3000)), "");
}

TEST_P(ContextsThatPoll, AreToldOfEveryPut) {
  Job job(options_);
  EXPECT_EQ(job.run(put_to_all_program(700)), "");
}

TEST_P(ContextsThatPoll, RunCollectives) {
  Job job(options_);
  EXPECT_EQ(job.run(collectives_program), "");
}

TEST_P(ContextsThatPoll, GetOutOfFullQueuesAndFifos) {
  options_.plan.queue_slots = 4;
  options_.plan.fifo_slots = 64;
  Job job(options_);
  EXPECT_EQ(job.run(many_to_one_program(20, 500, 40'000)), "");
}

// A component of the program that raises no interrupt keeps the wait from sleeping past its bound.
TEST_P(ContextsThatPoll, LookAfterComponentsOfTheProgram) {
  constexpr Cycles kWakes = 200'000, kGap = 3'000;
  Job job(options_);
  EXPECT_EQ(job.run([](Context& context) {
    const Cycles wakes = context.now() + kWakes;
    Cycles seen = 0;
    Component device{.name = "virtual device", .poll = {}, .watched = true, .longest_gap = kGap};
    device.poll = [&context, &seen, wakes] {
      context.device().compute(80);
      if (context.now() < wakes) return PollResult::kNothing;
      seen = context.now();
      return PollResult::kActivity;
    };
    const ComponentId id = context.poller().add(device);
    require(context.advance_until([&] { return seen != 0; }, wakes + 1'000'000), "wait");
    check(seen >= wakes && seen < wakes + kGap + 500, "seen too late");
    require(context.poller().remove(id), "remove");
  }),
            "");
}

INSTANTIATE_TEST_SUITE_P(Each, ContextsThatPoll,
                         ::testing::Values("always", "every-7", "adaptive", "heuristic",
                                           "interrupt"),
                         [](const auto& policy) {
                           std::string name = policy.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace torusmu::testing

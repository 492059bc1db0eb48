// SPDX-License-Identifier: Apache-2.0
// Rules that go by what is known of a component: the length and the rate of its transfer, what
// arrives there, its interrupt line; and components that are parts of others.
#include <gtest/gtest.h>

#include <string>

#include "tests/host/job.h"
#include "tests/host/one_sided.h"
#include "tests/host/polling_fixture.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

// --- transfers ---

// A transfer that moves `bytes_` at `rate_` bytes a cycle from `begin_` on, and what polls know.
class PollingOfTransfers : public Polling {
 protected:
  ComponentId add_transfer(Poller& poller, bool tells_what_is_left) {
    return poller.add({.name = "transfer",
                       .kind = ComponentKind::kByteCounter,
                       .poll = [this, tells_what_is_left] { return poll(tells_what_is_left); },
                       .remaining = [this] { return std::optional<Bytes>(known_left_); }});
  }
  void begin(Poller& poller, ComponentId id, Bytes bytes, double rate) {
    bytes_ = known_left_ = bytes;
    rate_ = rate;
    begin_ = device_.time;
    is_over_ = false;
    EXPECT_FALSE(poller.expect(id));
  }
  [[nodiscard]] Cycles end() const {
    return begin_ + static_cast<Cycles>(static_cast<double>(bytes_) / rate_);
  }

 private:
  PollResult poll(bool tells_what_is_left) {
    device_.time += kPollCost;
    const bool is_new = device_.time >= end() && !is_over_;
    is_over_ |= is_new;
    if (is_over_) {
      known_left_ = 0;
    } else if (tells_what_is_left) {
      known_left_ = bytes_ - static_cast<Bytes>(static_cast<double>(device_.time - begin_) * rate_);
    }
    return is_new ? PollResult::kActivity : PollResult::kNothing;
  }

  Bytes bytes_ = 0, known_left_ = 0;
  double rate_ = 1;
  Cycles begin_ = 0;
  bool is_over_ = true;
};

TEST_F(PollingOfTransfers, PollsNoneBeforeALinkCouldHaveCarriedIt) {
  Poller poller(device_, options("heuristic"));
  const ComponentId id = add_transfer(poller, false);
  begin(poller, id, 16'000, 16);
  const Cycles seen = ask(poller, id, 1'200, 1);
  ASSERT_NE(seen, kNever);
  EXPECT_LE(seen - end(), 2 * kPollCost);
  EXPECT_EQ(history(poller, id).counts().empty, 0U);
}

TEST_F(PollingOfTransfers, PollsByTheRateThatPollsHaveSeen) {
  const auto polls_of = [this](bool tells_what_is_left) {
    Poller poller(device_, options("heuristic"));
    const ComponentId id = add_transfer(poller, tells_what_is_left);
    begin(poller, id, 200'000, 2);  // an eighth of what a link carries
    const Cycles seen = ask(poller, id, 200'000, 1);
    EXPECT_NE(seen, kNever);
    EXPECT_LE(seen - end(), 100'000 / PollingOptions().latency_part + 10);
    return history(poller, id).counts().polls;
  };
  EXPECT_LT(2 * polls_of(true), polls_of(false));
}

TEST_F(PollingOfTransfers, ForgetsTheRateOfTheTransferBefore) {
  Poller poller(device_, options("heuristic"));
  const ComponentId id = add_transfer(poller, true);
  begin(poller, id, 16'000, 0.5);
  ASSERT_NE(ask(poller, id, 100'000, 1), kNever);
  begin(poller, id, 16'000, 16);
  const Cycles seen = ask(poller, id, 100'000, 1);
  EXPECT_LE(seen - end(), PollingOptions().least_gap + 2 * kPollCost);
}

// None is polled before a link could have carried it; none is seen later than the gap that a wait
// of that length can afford.
TEST_F(PollingOfTransfers, OfAnyLengthAndRateAreSeenInTime) {
  Random random;
  SCOPED_TRACE(random.replay());
  PollingOptions heuristic = options("heuristic");
  heuristic.longest_gap = kNever;
  heuristic.history = 10'000;
  for (int i = 0; i < 300; ++i) {
    Poller poller(device_, heuristic);
    const ComponentId id = add_transfer(poller, random.chance(50));
    const Bytes bytes = 64 + random.below(random.chance(50) ? 2'000 : 1'000'000);
    const double rate = 0.25 * static_cast<double>(1 + random.below(64));
    begin(poller, id, bytes, rate);
    const Cycles posted = device_.time;
    const Cycles seen = ask(poller, id, 6'000'000, 1);
    ASSERT_NE(seen, kNever);
    const Cycles gap = std::min(heuristic.most_gap, (end() - posted) / heuristic.latency_part);
    EXPECT_LE(seen - end(), heuristic.least_gap + gap + 2 * kPollCost + 2)
        << bytes << " bytes at " << rate << " a cycle";
    EXPECT_GE(history(poller, id).polls().front().at, posted + bytes / heuristic.link_rate)
        << bytes << " bytes at " << rate << " a cycle";
  }
}

TEST_F(Polling, OfAByteCounterKnowsWhatIsLeftFromItsLastPoll) {
  Poller poller(device_, options("heuristic"));
  device_.registers[registers::client_page::byte_counter(1, 4)] = 100'000;
  const ComponentId id = poller.add(polled::byte_counter(device_, {1}, {4}));
  EXPECT_FALSE(history(poller, id).transfer());
  EXPECT_EQ(poller.request(id).value(), PollStatus::kIdle);
  ASSERT_TRUE(history(poller, id).transfer());
  EXPECT_EQ(history(poller, id).transfer()->remaining, 100'000U);
  const std::string seen = pattern(poller, id, 7'000);
  EXPECT_NEAR(static_cast<double>(seen.find('p')), 100'000.0 / 16, 5);
}

// --- arrivals ---

class PollingOfArrivals : public Polling {
 protected:
  // A reception FIFO into which something comes every 1,000 cycles.
  ComponentId add_fifo(Poller& poller) {
    return poller.add({.name = "FIFO", .kind = ComponentKind::kReceptionFifo, .poll = [this] {
                         device_.time += kPollCost;
                         const Cycles number = device_.time / 1'000;
                         return std::exchange(taken_, number) == number ? PollResult::kNothing
                                                                        : PollResult::kActivity;
                       }});
  }
  void take(Poller& poller, ComponentId id, int arrivals) {
    for (int i = 0; i < arrivals; ++i) ASSERT_NE(ask(poller, id, 5'000, 1), kNever);
  }

 private:
  Cycles taken_ = 0;
};

TEST_F(PollingOfArrivals, LetsAQuarterOfTheUsualTimePassBetweenTwo) {
  Poller poller(device_, options("heuristic"));
  const ComponentId id = add_fifo(poller);
  take(poller, id, 20);
  const std::string seen = pattern(poller, id, 800);
  EXPECT_GE(seen.find('p'), 225U);
  EXPECT_LE(seen.find('p'), 260U);
}

TEST_F(PollingOfArrivals, IsNotHeldUpByThemIfOneIsExpected) {
  Poller poller(device_, options("heuristic"));
  const ComponentId id = add_fifo(poller);
  take(poller, id, 20);
  EXPECT_FALSE(poller.expect(id));
  EXPECT_LE(pattern(poller, id, 800).find('p'), PollingOptions().least_gap);
}

TEST_F(PollingOfArrivals, KnowsNoUsualTimeFromAFew) {
  Poller poller(device_, options("heuristic"));
  const ComponentId id = add_fifo(poller);
  take(poller, id, 4);
  EXPECT_EQ(pattern(poller, id, 1), "p");
}

// --- lines ---

TEST_F(Polling, OfADmaEngineReadsItsCausesWhileItsLineIsHigh) {
  namespace page = registers::client_page;
  for (const char* policy : {"every-4", "adaptive", "heuristic"}) {
    Poller poller(device_, options(policy));
    device_.registers[page::interrupt_cause(2)] = 0;
    device_.line = false;
    const ComponentId id = poller.add(polled::dma_engine(device_, {2}));
    EXPECT_EQ(pattern(poller, id, 20), std::string(20, '-')) << policy;
    device_.registers[page::interrupt_cause(2)] = 1;
    device_.line = true;
    EXPECT_EQ(poller.request(id).value(), PollStatus::kActive) << policy;
    // Bits of parts that nobody has cleared.
    device_.registers[page::interrupt_cause(2)] = std::uint64_t{1} << 20;
    EXPECT_EQ(poller.poll_now(id).value(), PollStatus::kIdle) << policy;
  }
}

TEST_F(Polling, OfADmaEngineThatIsAlwaysPolledDoesNotLookAtTheLine) {
  Poller poller(device_);
  device_.registers[registers::client_page::interrupt_cause(2)] = 0;
  const ComponentId id = poller.add(polled::dma_engine(device_, {2}));
  EXPECT_EQ(pattern(poller, id, 3), "ppp");
  EXPECT_EQ(device_.time, 3 * 80U);
}

// --- parts ---

class PollingOfParts : public Polling {
 protected:
  ComponentId add_device(Poller& poller, const bool& is_active, int& polls,
                         std::optional<ComponentId> part_of = {}) {
    return poller.add({.name = "device",
                       .poll =
                           [&is_active, &polls] {
                             ++polls;
                             return is_active ? PollResult::kActivity : PollResult::kNothing;
                           },
                       .part_of = part_of});
  }
  // The first poll of a part asks no whole: nobody knows what came before.
  static void settle(Poller& poller, ComponentId part) {
    EXPECT_EQ(poller.request(part).value(), PollStatus::kIdle);
  }

  bool whole_ = false, part_ = false;
  int polls_of_whole_ = 0, polls_of_part_ = 0;
};

TEST_F(PollingOfParts, AsksAPartOnlyIfTheWholeWasActive) {
  Poller poller(device_);
  const ComponentId whole = add_device(poller, whole_, polls_of_whole_);
  const ComponentId part = add_device(poller, part_, polls_of_part_, whole);
  settle(poller, part);
  part_ = true;  // which the whole does not show yet
  EXPECT_EQ(pattern(poller, part, 5), "-----");
  EXPECT_EQ(polls_of_whole_, 5);
  whole_ = true;
  EXPECT_EQ(poller.request(part).value(), PollStatus::kActive);
}

TEST_F(PollingOfParts, AsksTheWholeOnceARoundForAllParts) {
  Poller poller(device_);
  const ComponentId whole = add_device(poller, whole_, polls_of_whole_);
  std::vector<ComponentId> parts;
  for (int i = 0; i < 5; ++i) {
    parts.push_back(add_device(poller, part_, polls_of_part_, whole));
    settle(poller, parts.back());
  }
  for (int round = 1; round <= 3; ++round) {
    poller.begin_round();
    for (const ComponentId part : parts) EXPECT_EQ(pattern(poller, part, 1), "-");
    poller.end_round();
    EXPECT_EQ(polls_of_whole_, round);
  }
  whole_ = true;
  poller.begin_round();
  for (const ComponentId part : parts) EXPECT_EQ(pattern(poller, part, 1), "p");
  poller.end_round();
  EXPECT_EQ(polls_of_whole_, 4);
}

TEST_F(PollingOfParts, AsksAnActivePartAgainUntilItsPollIsEmpty) {
  Poller poller(device_);
  const ComponentId whole = add_device(poller, whole_, polls_of_whole_);
  const ComponentId part = add_device(poller, part_, polls_of_part_, whole);
  settle(poller, part);
  whole_ = part_ = true;
  EXPECT_EQ(poller.request(part).value(), PollStatus::kActive);
  whole_ = false;
  EXPECT_EQ(poller.request(part).value(), PollStatus::kActive);
  part_ = false;
  EXPECT_EQ(pattern(poller, part, 3), "p--");
}

TEST_F(PollingOfParts, AsksAPartOfAQuietWholeWithinItsBound) {
  PollingOptions always;
  always.longest_gap = 500;
  Poller poller(device_, always);
  const ComponentId whole = add_device(poller, whole_, polls_of_whole_);
  const ComponentId part = add_device(poller, part_, polls_of_part_, whole);
  settle(poller, part);
  part_ = true;
  const Cycles before = device_.time;
  const Cycles seen = ask(poller, part, 10'000, 10);
  EXPECT_NEAR(static_cast<double>(seen - before), 500, 20);
}

TEST_F(PollingOfParts, AsksAPartWhoseWholeIsGoneOrWasRemoved) {
  Poller poller(device_);
  bool is_gone = false;
  const ComponentId whole = poller.add({.name = "mortal", .poll = [&is_gone] {
                                          return is_gone ? PollResult::kGone : PollResult::kNothing;
                                        }});
  const ComponentId part = add_device(poller, part_, polls_of_part_, whole);
  settle(poller, part);
  EXPECT_EQ(pattern(poller, part, 2), "--");
  is_gone = true;
  EXPECT_EQ(pattern(poller, part, 2), "pp");
  is_gone = false;
  EXPECT_FALSE(poller.remove(whole));
  EXPECT_EQ(pattern(poller, part, 2), "pp");
}

TEST_F(PollingOfParts, PollsAllPartsBeforeASleep) {
  Poller poller(device_);
  const ComponentId whole = add_device(poller, whole_, polls_of_whole_);
  const ComponentId part = add_device(poller, part_, polls_of_part_, whole);
  settle(poller, part);
  poller.begin_round(true);
  EXPECT_EQ(pattern(poller, part, 1), "p");
  poller.end_round();
  EXPECT_EQ(pattern(poller, part, 1), "-");
}

TEST_F(PollingOfParts, OfPartsGoesThroughTheWholesOfTheirWholes) {
  Poller poller(device_);
  const ComponentId whole = add_device(poller, whole_, polls_of_whole_);
  bool middle_is_active = true;
  int polls_of_middle = 0;
  const ComponentId middle = add_device(poller, middle_is_active, polls_of_middle, whole);
  const ComponentId part = add_device(poller, part_, polls_of_part_, middle);
  settle(poller, part);
  middle_is_active = false;
  EXPECT_EQ(pattern(poller, part, 3), "---");  // the middle is polled once, and found empty
  middle_is_active = true;
  EXPECT_EQ(pattern(poller, part, 3), "---");
  EXPECT_EQ(polls_of_middle, 1);
  whole_ = true;
  EXPECT_EQ(pattern(poller, part, 1), "p");
}

TEST_F(PollingOfParts, AsksOnlyThosePartsOfWhichTheWholeKnows) {
  Poller poller(device_);
  std::uint64_t moved = 0;
  const ComponentId whole = poller.add({.name = "whole",
                                        .poll = [] { return PollResult::kActivity; },
                                        .moved = [&] { return moved; }});
  const auto add_part = [&](std::uint64_t moves) {
    return poller.add({.name = "part",
                       .poll = [] { return PollResult::kNothing; },
                       .part_of = whole,
                       .moves = moves});
  };
  const ComponentId first = add_part(1), second = add_part(2), any = add_part(~0ULL);
  for (const ComponentId part : {first, second, any}) settle(poller, part);
  EXPECT_EQ(pattern(poller, first, 3), "---") << "nothing has moved";
  moved = 2;
  EXPECT_EQ(pattern(poller, first, 3), "---") << "another has moved";
  EXPECT_EQ(pattern(poller, second, 3), "ppp");
  EXPECT_EQ(pattern(poller, any, 3), "ppp");
}

TEST_F(PollingOfParts, OfAClientReadTheirBitOfOneRegister) {
  namespace page = registers::client_page;
  Poller poller(device_);
  device_.registers[page::fifo_index(2, 35)] = 0;
  device_.registers[page::completion_index(2, 1)] = 0;
  device_.registers[page::byte_counter(2, 16)] = 0;
  std::uint64_t& causes = device_.registers[page::interrupt_cause(2)];
  causes = 0;
  const ComponentId whole = poller.add(polled::activity(device_, {2}));
  std::vector<ComponentId> parts;
  for (Component part :
       {polled::reception_fifo(device_, {2}, {35}), polled::completion_queue(device_, {2}, {1}),
        polled::byte_counter(device_, {2}, {16})}) {
    part.part_of = whole;
    parts.push_back(poller.add(part));
    settle(poller, parts.back());
  }
  const auto polled = [&](std::uint64_t value) {
    std::string all;
    causes = value;
    poller.begin_round();
    for (const ComponentId part : parts) all += pattern(poller, part, 1);
    poller.end_round();
    EXPECT_EQ(causes, value) << "what was read is written back, which clears it in the MU";
    return all;
  };
  EXPECT_EQ(polled(0), "---");
  EXPECT_EQ(polled(std::uint64_t{1} << (16 + 3) | 1), "p--") << "FIFO 35 is 3 of 16";
  EXPECT_EQ(polled(std::uint64_t{1} << (32 + 1)), "-p-");
  EXPECT_EQ(polled(std::uint64_t{1} << 48), "--p");
  EXPECT_EQ(polled(std::uint64_t{1} << 49), "---");
  EXPECT_EQ(polled(1), "ppp") << "a cause that no part has raised";
  EXPECT_EQ(polled(std::uint64_t{1} << 48 | 1U << 1), "--p");
  EXPECT_EQ(polled(std::uint64_t{1} << 48 | 1U << 1 | 1U << 2), "ppp") << "a threshold, too";
}

// A whole that is due later than its part holds up the rest, and the sleep, of a core.
TEST_F(PollingOfParts, LetsACoreRestUntilTheWholeIsDue) {
  PollingOptions heuristic = options("heuristic");
  heuristic.least_gap = 300;
  Poller poller(device_, heuristic);
  const ComponentId whole = add_device(poller, whole_, polls_of_whole_);
  const ComponentId part = poller.add({.name = "part",
                                       .poll = [] { return PollResult::kNothing; },
                                       .watched = true,
                                       .part_of = whole});
  settle(poller, part);
  device_.compute(250);
  settle(poller, whole);
  device_.compute(60);
  poller.begin_round();
  EXPECT_EQ(pattern(poller, part, 1), "-");
  EXPECT_EQ(poller.rest(), 300U - 60 - 2);  // two requests have been answered without a poll
  EXPECT_EQ(poller.silent_until(), 250U + 300);
}

// --- in a context ---

// Every byte counter that the context has, added up.
PollCounts counters_of(Context& context) {
  PollCounts sum;
  for (const ComponentId id : context.poller().components()) {
    if (context.poller().component(id)->kind != ComponentKind::kByteCounter) continue;
    sum += require(context.poller().history(id), "history")->counts();
  }
  return sum;
}

TEST(PollingOfFetches, GoesThroughTheirByteCountersAsComponents) {
  JobOptions options = shape({2, 1, 1});
  options.context.polling = polling_of("heuristic").value();
  Job job(options);
  EXPECT_EQ(job.run([](Context& context) {
    constexpr Bytes kBytes = 5'000;
    if (context.task().value == 1) {
      advertise(context, 0, put_into_heap(context, pattern(3, kBytes)), kBytes);
      return;
    }
    const RemoteMemory source = learn(context, 1);
    const Address buffer = require(context.take_heap(kBytes), "heap");
    for (int i = 0; i < 3; ++i) {
      require(context.wait(require(context.get(buffer, source, kBytes), "get")), "wait");
    }
    check(get_from(context, buffer, kBytes) == pattern(3, kBytes), "bytes");
    // The word that each is over makes one poll, and that finds all bytes.
    const PollCounts counts = counters_of(context);
    check(counts.polls == 3 && counts.empty == 0, "polls of counters");
  }),
            "");
}

TEST(PollingOfFetches, SendsNoQueryWhileBytesCome) {
  JobOptions options = shape({2, 1, 1});
  options.context.probe_after = 2'000;
  Job job(options);
  EXPECT_EQ(job.run([](Context& context) {
    constexpr Bytes kBytes = 200'000;  // 12,500 cycles of a link
    if (context.task().value == 1) {
      advertise(context, 0, put_into_heap(context, pattern(3, kBytes)), kBytes);
      return;
    }
    const RemoteMemory source = learn(context, 1);
    const Address buffer = require(context.take_heap(kBytes), "heap");
    const std::uint64_t before = context.counts().probes_sent;
    require(context.wait(require(context.get(buffer, source, kBytes), "get")), "wait");
    check(get_from(context, buffer, kBytes) == pattern(3, kBytes), "bytes");
    check(context.counts().probes_sent <= before + 1, "queries");
    check(counters_of(context).polls > 2, "polls of counters");
  }),
            "");
}

// With nothing to clear, a core goes to sleep without an access to the causes.
TEST(PollingOfADmaEngine, BeforeASleepIsLeftOutIfTheLineIsLow) {
  const auto of_dma_engine = [](const char* policy) {
    JobOptions options = shape({1, 1, 1});
    options.context.polling = polling_of(policy).value();
    PollCounts counts;
    Job job(options);
    EXPECT_EQ(job.run([&counts](Context& context) {
      for (int i = 0; i < 5; ++i) require(context.linger(10'000), "linger");
      const ComponentId id = require(context.poller().find("DMA engine"), "component");
      counts = require(context.poller().history(id), "history")->counts();
    }),
              "");
    return counts;
  };
  EXPECT_EQ(of_dma_engine("always").polls, of_dma_engine("always").requests);
  EXPECT_GE(of_dma_engine("heuristic").requests, 5U);
  EXPECT_LE(of_dma_engine("heuristic").polls, 1U);
}

}  // namespace
}  // namespace torusmu::testing

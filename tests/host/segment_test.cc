// SPDX-License-Identifier: Apache-2.0
// Active messages and fences between the endpoints of a node, through the segment that they share,
// on the reference model.
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "host/src/segment_layout.h"
#include "tests/host/endpoints.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

namespace h = layout::packet_header;

constexpr DispatchId kTake{5};
constexpr Cycles kPatience = 50'000'000;
const Endpoint kFirst({0}, {0}), kSecond({0}, {1}), kOther({1}, {0});

// Two clients of two contexts on each node.
JobOptions of_nodes(std::uint32_t nodes, std::uint32_t lines = 16) {
  JobOptions options;
  options.machine.shape = {nodes, 1, 1};
  options.plan.clients = options.plan.contexts = 2;
  options.plan.segment_lines = lines;
  return options;
}
// What endpoint `one` and endpoint `another` do; all others serve.
std::vector<Job::Program> programs_of(const Job& job, Endpoint one, const Job::Program& first,
                                      Endpoint another, const Job::Program& second) {
  const std::uint32_t contexts = job.plan().options().contexts;
  std::vector<Job::Program> all(endpoints_of(job.plan()), [](Context&) {});
  all[one.task.value * contexts + one.context.value] = first;
  all[another.task.value * contexts + another.context.value] = second;
  return all;
}
std::uint32_t number_of(Endpoint endpoint) {
  return endpoint.task.value * 2 + endpoint.context.value;
}

Request send(Context& context, Endpoint to, const std::vector<std::byte>& data) {
  return require(context.send_active(to, kTake, {}, put_into_heap(context, data), data.size()),
                 "send");
}
// Counts and compares: message n is pattern(n, length_of(n)).
class Taker {
 public:
  Taker(Context& context, std::function<Bytes(std::uint32_t)> length_of, Endpoint from = kFirst)
      : context_(context), length_of_(std::move(length_of)) {
    require(context.register_dispatch(
                kTake, [this, from](const ActiveMessage& message) { return take(message, from); }),
            "register");
  }
  void wait_for(std::uint32_t messages) {
    require(context_.advance_until([&] { return done_ == messages; }, context_.now() + kPatience),
            "message " + std::to_string(done_));
  }
  [[nodiscard]] std::uint32_t begun() const { return begun_; }

 private:
  ActiveReceive take(const ActiveMessage& message, Endpoint from) {
    const std::uint32_t n = begun_++;
    const Bytes bytes = length_of_(n);
    const std::string name = "message " + std::to_string(n);
    check(message.source == from, name + ": source");
    check(message.length == bytes, name + ": length " + std::to_string(message.length));
    const auto wanted = pattern(n, bytes);
    if (!message.at_sender) {
      check(std::equal(message.data.begin(), message.data.end(), wanted.begin(), wanted.end()),
            name + ": bytes");
      ++done_;
      return {};
    }
    const Address buffer = require(context_.take_heap(bytes), "heap");
    return {buffer, bytes, [this, buffer, wanted, name](const Completion& completion) {
              require(completion.error, name);
              check(get_from(context_, buffer, wanted.size()) == wanted, name + ": bytes");
              ++done_;
            }};
  }

  Context& context_;
  std::function<Bytes(std::uint32_t)> length_of_;
  std::uint32_t begun_ = 0, done_ = 0;
};

// 16 lines: the longest message that goes through it takes four, with a head of 8 bytes.
constexpr Bytes kLongest = 4 * 64 - 8;

// Adds the packets of that kind to `packets`, which outlives the job's run.
void count_packets(Job& job, Kind kind, std::uint64_t& packets) {
  job.machine().watch_packets([kind, &packets](const model::Packet& packet) {
    packets += packet.header.get<h::kind>() == kind ? 1 : 0;
    return model::Fate::kArrives;
  });
}

void expect_stream_through_segment(Endpoint to) {
  constexpr std::uint32_t kMessages = 300;
  const auto length = [](std::uint32_t n) { return n * 37 % (kLongest + 1); };
  Job job(of_nodes(1));
  std::uint64_t packets = 0;
  count_packets(job, Kind::kFifo, packets);
  EXPECT_EQ(job.run(programs_of(
                job, kFirst,
                [&](Context& context) {
                  for (std::uint32_t n = 0; n < kMessages; ++n) {
                    const auto data = pattern(n, length(n));
                    const Address from = put_into_heap(context, data);
                    finish(context, context.send_active(to, kTake, {}, from, data.size()));
                    context.give_heap(from, data.size());
                  }
                },
                to, [&](Context& context) { Taker(context, length).wait_for(kMessages); })),
            "");
  EXPECT_EQ(job.counts(number_of(kFirst)).sent_by_segment, kMessages);
  EXPECT_EQ(job.counts(number_of(to)).dispatched, kMessages);
  // A receiver that sleeps is woken by one, and it says nothing new.
  EXPECT_LT(packets, kMessages / 4) << "packets of the MU";
  EXPECT_EQ(job.sum(&ContextCounts::sent_eager), 0U);
}
TEST(Segment, CarriesMessagesBetweenContextsOfATaskInOrder) {
  expect_stream_through_segment(kSecond);
}
TEST(Segment, CarriesMessagesBetweenTasksOfANodeInOrder) { expect_stream_through_segment(kOther); }

TEST(Segment, CarriesWhatAnEndpointSendsToItself) {
  Job job(of_nodes(1));
  EXPECT_EQ(job.run(programs_of(
                job, kFirst,
                [](Context& context) {
                  Taker taker(context, [](std::uint32_t) { return Bytes{8}; });
                  for (std::uint32_t n = 0; n < 50; ++n) send(context, kFirst, pattern(n, 8));
                  taker.wait_for(50);
                },
                kOther, [](Context&) {})),
            "");
  EXPECT_EQ(job.counts(0).sent_by_segment, 50U);
}

TEST(Segment, ThatIsFullOverwritesNothingAndLetsSendsWait) {
  constexpr std::uint32_t kMessages = 40, kLines = 4;
  Job job(of_nodes(1, kLines));
  EXPECT_EQ(job.run(programs_of(
                job, kFirst,
                [&](Context& context) {
                  std::vector<Request> sends;
                  for (std::uint32_t n = 0; n < kMessages; ++n) {
                    sends.push_back(send(context, kOther, pattern(n, 8)));
                  }
                  for (int k = 0; k < 20; ++k) require(context.advance(), "advance");
                  check(context.now() < 60'000, "the receiver takes nothing yet");
                  check(context.counts().sent_by_segment == kLines, "so many have room");
                  check(context.test(sends[kLines - 1]), "the last that has room");
                  check(!context.test(sends[kLines]), "the next one waits");
                  for (std::uint32_t n = kLines; n < kMessages; ++n) {
                    finish(context, Result<Request>(sends[n]));
                  }
                  check(context.now() > 100'000, "not before there was room");
                },
                kOther,
                [&](Context& context) {
                  Taker taker(context, [](std::uint32_t) { return Bytes{8}; });
                  context.device().compute(100'000);
                  taker.wait_for(kMessages);
                })),
            "");
}

// One that waits for room holds up nobody else.
TEST(Segment, ThatIsFullForOneEndpointTakesMessagesForAnother) {
  constexpr Cycles kAway = 100'000;
  Job job(of_nodes(1, 4));
  auto programs = programs_of(
      job, kFirst,
      [&](Context& context) {
        for (std::uint32_t n = 0; n < 10; ++n) send(context, kOther, pattern(n, 8));
        for (std::uint32_t n = 0; n < 30; ++n) {
          finish(context, Result<Request>(send(context, kSecond, pattern(n, 8))));
        }
        check(context.now() < kAway, "while the ring of the other one is full");
      },
      kSecond,
      [&](Context& context) {
        Taker(context, [](std::uint32_t) { return Bytes{8}; }).wait_for(30);
      });
  programs[number_of(kOther)] = [&](Context& context) {
    Taker taker(context, [](std::uint32_t) { return Bytes{8}; });
    context.device().compute(kAway);
    taker.wait_for(10);
  };
  EXPECT_EQ(job.run(programs), "");
}

// Short ones through the segment, others by the MU along with their data, others fetched.
TEST(Segment, KeepsTheOrderOfShortAndLongMessages) {
  Random random;
  SCOPED_TRACE(random.replay());
  constexpr std::uint32_t kMessages = 200;
  const std::uint64_t seed = random.bits64();
  const auto length = [seed](std::uint32_t n) {
    const std::array<Bytes, 4> most{8, kLongest, 512, 3000};
    const std::uint64_t drawn = mix(seed + n);
    return (drawn >> 8) % (most.at(drawn % 4) + 1);
  };
  JobOptions options = of_nodes(1);
  options.machine.seed = random.bits64();
  Job job(options);
  EXPECT_EQ(job.run(programs_of(
                job, kFirst,
                [&](Context& context) {
                  std::vector<Request> sends;
                  Rng own(seed);
                  for (std::uint32_t n = 0; n < kMessages; ++n) {
                    sends.push_back(send(context, kOther, pattern(n, length(n))));
                    if (own.chance(300)) context.device().compute(own.below(3000));
                  }
                  for (const Request request : sends) finish(context, Result<Request>(request));
                },
                kOther, [&](Context& context) { Taker(context, length).wait_for(kMessages); })),
            "");
  const ContextCounts& counts = job.counts(number_of(kFirst));
  EXPECT_GT(counts.sent_by_segment, 0U);
  EXPECT_GT(counts.sent_eager, 0U);
  EXPECT_GT(counts.sent_by_request, 0U);
  EXPECT_EQ(counts.sent_by_segment + counts.sent_eager + counts.sent_by_request, kMessages);
}

class WakingSegment : public ::testing::TestWithParam<PollingPolicy> {};
TEST_P(WakingSegment, WakesAReceiverThatSleeps) {
  JobOptions options = of_nodes(1);
  options.context.polling.policy = GetParam();
  Job job(options);
  Cycles sent = 0, taken = 0;
  EXPECT_EQ(job.run(programs_of(
                job, kFirst,
                [&](Context& context) {
                  context.device().compute(200'000);
                  sent = context.now();
                  send(context, kOther, pattern(0, 8));
                },
                kOther,
                [&](Context& context) {
                  Taker(context, [](std::uint32_t) { return Bytes{8}; }).wait_for(1);
                  taken = context.now();
                  check(context.counts().sleeps > 0, "it slept");
                })),
            "");
  EXPECT_LT(taken, sent + 1'500);
}

INSTANTIATE_TEST_SUITE_P(Of, WakingSegment,
                         ::testing::Values(PollingPolicy::kAlways, PollingPolicy::kEveryN,
                                           PollingPolicy::kAdaptive, PollingPolicy::kHeuristic,
                                           PollingPolicy::kInterrupt));

TEST(Segment, KeepsMessagesForATaskThatStartsLater) {
  constexpr std::uint32_t kMessages = 10;
  JobOptions options = of_nodes(1);
  options.plan.contexts = 1;
  Job job(options);
  const Cycles late = 100'000;
  EXPECT_EQ(
      job.run_staggered(
          {0, late}, {[](Context& context) {
                        for (std::uint32_t n = 0; n < kMessages; ++n) {
                          finish(context, Result<Request>(send(context, kOther, pattern(n, 8))));
                        }
                        finish(context, context.fence(kOther));
                        check(context.now() < late, "it has not started");
                      },
                      [](Context& context) {
                        Taker(context, [](std::uint32_t) { return Bytes{8}; }).wait_for(kMessages);
                      }}),
      "");
}

// The words in memory say where it stands, so nothing has to be set up again.
TEST(Segment, GoesOnWhenContextsAreMadeAgain) {
  const JobOptions options = [] {
    JobOptions of_tasks = of_nodes(1, 4);
    of_tasks.plan.contexts = 1;
    return of_tasks;
  }();
  model::ReferenceStage stage(options.machine);
  const NodePlan plan = require(NodePlan::make(options.machine.shape, options.machine.sizes,
                                               options.machine.memory_size, options.plan),
                                "plan");
  stage.on_all_nodes([&](Device& device) { require(NodeSetup(device, plan).run(), "set-up"); });
  ASSERT_TRUE(stage.run(kPatience));
  for (std::uint32_t life = 1; life <= 3; ++life) {
    stage.add_core({0}, [&](Device& device) {
      Context context(device, plan, {0});
      for (std::uint32_t n = 0; n < 7; ++n) {
        finish(context, Result<Request>(send(context, kOther, pattern(n, 8))));
      }
      finish(context, context.fence(kOther));
    });
    stage.add_core({0}, [&](Device& device) {
      Context context(device, plan, {1});
      Taker(context, [](std::uint32_t) { return Bytes{8}; }).wait_for(7);
      require(context.advance_until(
                  [&] { return require(context.fences_of(kFirst), "fences") == life; },
                  context.now() + kPatience),
              "fence of life " + std::to_string(life));
      check(context.counts().odd_packets == 0, "nothing is read twice");
    });
    ASSERT_TRUE(stage.run(kPatience)) << stage.failures() << "life " << life;
  }
}

TEST(Segment, DropsWhatCannotBeAMessageAndTakesWhatComesLater) {
  Job job(of_nodes(1));
  EXPECT_EQ(job.run(programs_of(
                job, kFirst, [](Context&) {}, kOther,
                [&](Context& context) {
                  const SegmentLayout layout(context.plan());
                  const std::uint32_t own = number_of(kOther);
                  const std::array<std::uint32_t, 2> head{0xFFFE0000, 1 << 20};
                  context.device().store(layout.ring(own, 0).address,
                                         std::as_bytes(std::span(head)));
                  const std::uint32_t tail = 3;
                  context.device().store(layout.tail(own, 0), std::as_bytes(std::span(&tail, 1)));
                  require(context.advance(), "advance");
                  check(context.counts().odd_packets == 1, "odd");
                  Taker taker(
                      context, [](std::uint32_t) { return Bytes{8}; }, kOther);
                  send(context, kOther, pattern(0, 8));
                  taker.wait_for(1);
                })),
            "");
}

TEST(Segment, IsNotUsedIfThePlanHasNone) {
  Job job(of_nodes(1, 0));
  EXPECT_EQ(job.run(programs_of(
                job, kFirst,
                [](Context& context) {
                  finish(context, Result<Request>(send(context, kOther, pattern(0, 8))));
                  finish(context, context.fence(kOther));
                },
                kOther,
                [](Context& context) {
                  Taker(context, [](std::uint32_t) { return Bytes{8}; }).wait_for(1);
                  check(context.fences_of(kFirst).error() == Errc::kNotLocal, "fences_of");
                })),
            "");
  EXPECT_EQ(job.sum(&ContextCounts::sent_by_segment), 0U);
  EXPECT_EQ(job.sum(&ContextCounts::fences_stored), 0U);
}

// --- fences -------------------------------------------------------------------------------------

TEST(EndpointFence, IsOneStoreBehindTheMessagesAndComplete) {
  constexpr std::uint32_t kMessages = 10;
  Job job(of_nodes(1));
  std::uint64_t packets = 0;
  count_packets(job, Kind::kFence, packets);
  EXPECT_EQ(job.run(programs_of(
                job, kFirst,
                [&](Context& context) {
                  for (std::uint32_t n = 0; n < kMessages; ++n) {
                    send(context, kOther, pattern(n, 8));
                  }
                  const Cycles before = context.now();
                  const Request fence = require(context.fence(kOther), "fence");
                  check(context.now() == before + 2, "one store of a line");
                  check(context.test(fence), "complete");
                },
                kOther,
                [&](Context& context) {
                  Taker taker(context, [](std::uint32_t) { return Bytes{8}; });
                  while (require(context.fences_of(kFirst), "fences") == 0) {
                    context.device().compute(10);
                  }
                  require(context.advance(), "advance");
                  check(taker.begun() == kMessages, "all before the fence are here");
                })),
            "");
  EXPECT_EQ(packets, 0U);
  EXPECT_EQ(job.counts(number_of(kFirst)).fences_stored, 1U);
}

TEST(EndpointFence, WaitsForMessagesThatWaitForRoom) {
  constexpr std::uint32_t kMessages = 20;
  for (const bool of_endpoint : {true, false}) {
    Job job(of_nodes(1, 4));
    EXPECT_EQ(job.run(programs_of(
                  job, kFirst,
                  [&](Context& context) {
                    for (std::uint32_t n = 0; n < kMessages; ++n) {
                      send(context, kOther, pattern(n, 8));
                    }
                    const Request fence = require(
                        of_endpoint ? context.fence(kOther) : context.fence(kOther.task), "fence");
                    check(!context.test(fence), "not yet");
                    finish(context, Result<Request>(fence));
                    check(context.counts().sent_by_segment == kMessages, "all are stored");
                    check(context.now() > 100'000, "not before there was room");
                  },
                  kOther,
                  [&](Context& context) {
                    Taker taker(context, [](std::uint32_t) { return Bytes{8}; });
                    context.device().compute(100'000);
                    taker.wait_for(kMessages);
                  })),
              "")
        << (of_endpoint ? "of an endpoint" : "of a task");
  }
}

// Too long for the segment, but the data goes along with the packet.
TEST(EndpointFence, WaitsForTheMuIfAMessageHasGoneByIt) {
  Job job(of_nodes(1));
  std::uint64_t packets = 0;
  count_packets(job, Kind::kFence, packets);
  EXPECT_EQ(job.run(programs_of(
                job, kFirst,
                [&](Context& context) {
                  send(context, kOther, pattern(0, kLongest + 1));
                  const Request fence = require(context.fence(kOther), "fence");
                  check(!context.test(fence), "not yet");
                  finish(context, Result<Request>(fence));
                },
                kOther,
                [&](Context& context) {
                  Taker(context, [](std::uint32_t) { return kLongest + 1; }).wait_for(1);
                  check(require(context.fences_of(kFirst), "fences") == 1, "its word");
                })),
            "");
  EXPECT_GT(packets, 0U);
  EXPECT_EQ(job.counts(number_of(kFirst)).fences_stored, 0U);
}

TEST(EndpointFence, IsRefusedBehindAMessageThatIsStillToBeFetched) {
  Job job(of_nodes(1));
  EXPECT_EQ(job.run(programs_of(
                job, kFirst,
                [&](Context& context) {
                  const Request request = send(context, kOther, pattern(0, 3000));
                  check(context.fence(kOther).error() == Errc::kNotOrdered, "not ordered");
                  finish(context, Result<Request>(request));
                  finish(context, context.fence(kOther));
                },
                kOther,
                [&](Context& context) {
                  Taker(context, [](std::uint32_t) { return Bytes{3000}; }).wait_for(1);
                })),
            "");
}

TEST(EndpointFence, OfAnotherNodeIsThatOfItsTask) {
  const Endpoint far({2}, {1});
  Job job(of_nodes(2));
  EXPECT_EQ(job.run(programs_of(
                job, kFirst,
                [&](Context& context) {
                  send(context, far, pattern(0, 8));
                  finish(context, context.fence(far));
                  check(context.fences_of(far).error() == Errc::kNotLocal, "fences_of");
                },
                far,
                [&](Context& context) {
                  Taker(context, [](std::uint32_t) { return Bytes{8}; }).wait_for(1);
                })),
            "");
  EXPECT_EQ(job.sum(&ContextCounts::sent_by_segment), 0U);
  EXPECT_EQ(job.sum(&ContextCounts::fences_stored), 0U);
}

TEST(EndpointFence, OfAnUnknownEndpointIsRefused) {
  Job job(of_nodes(1));
  EXPECT_EQ(job.run(programs_of(
                job, kFirst,
                [&](Context& context) {
                  for (const Endpoint unknown : {Endpoint({2}, {0}), Endpoint({0}, {2})}) {
                    const auto fence = context.fence(unknown);
                    check(fence.error() == Errc::kBadArgument, "fence");
                    check(fence.message().find("no such endpoint") != std::string::npos, "text");
                    check(context.fences_of(unknown).error() == Errc::kBadArgument, "fences_of");
                    check(
                        context.send_active(unknown, kTake, {}, 0, 0).error() == Errc::kBadArgument,
                        "send_active");
                  }
                },
                kOther, [](Context&) {})),
            "");
}

}  // namespace
}  // namespace torusmu::testing

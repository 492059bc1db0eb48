// SPDX-License-Identifier: Apache-2.0
// Several contexts a task, each advanced by a core of its own: messages between endpoints, notices,
// the interrupt line that the contexts share, and work that one posts to another.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/host/endpoints.h"
#include "tests/host/programs.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

JobOptions with(Shape shape, std::uint32_t clients, std::uint32_t contexts) {
  JobOptions options;
  options.machine.shape = shape;
  options.plan.clients = clients;
  options.plan.contexts = contexts;
  return options;
}

// --- plan ---------------------------------------------------------------------------------------

Result<NodePlan> plan_of(const Sizes& sizes, std::uint32_t clients, std::uint32_t contexts) {
  PlanOptions options;
  options.clients = clients;
  options.contexts = contexts;
  return NodePlan::make({2, 1, 1}, sizes, Bytes{1} << 30, options);
}

TEST(ContextPlan, FitsAsOftenAsThereAreFifos) {
  for (const auto& [clients, contexts] :
       {std::pair(4U, 1U), std::pair(2U, 2U), std::pair(1U, 4U)}) {
    EXPECT_TRUE(plan_of(kSim, clients, contexts)) << clients << " " << contexts;
  }
  for (const auto& [clients, contexts] :
       {std::pair(16U, 1U), std::pair(4U, 4U), std::pair(1U, 16U)}) {
    EXPECT_TRUE(plan_of(kBgp, clients, contexts)) << clients << " " << contexts;
  }
  EXPECT_EQ(plan_of(kSim, 4, 2).error(), Errc::kOutOfResources);
  EXPECT_EQ(plan_of(kSim, 1, 7).error(), Errc::kOutOfResources);
  EXPECT_EQ(plan_of(kBgp, 16, 2).error(), Errc::kOutOfResources);
  EXPECT_EQ(plan_of(kSim, 1, 0).error(), Errc::kBadArgument);
  EXPECT_EQ(plan_of(kBgp, 1, 17).error(), Errc::kBadArgument);
}

// All pieces of memory and all numbers of a node are used once.
TEST(ContextPlan, GivesNothingTwice) {
  const NodePlan plan = plan_of(kSim, 2, 2).value();
  std::map<Address, Bytes> ranges;
  std::set<std::uint32_t> queues;
  std::set<std::uint32_t> fifos;
  std::set<std::uint32_t> bytes;
  std::set<std::uint32_t> events;
  for (std::uint32_t n = 0; n < 4; ++n) {
    const ClientId c{n / 2};
    const ContextId k{n % 2};
    for (const Range& range :
         {plan.send_ring(c, k), plan.get_ring(c, k), plan.message_ring(c, k), plan.reply_ring(c, k),
          plan.mailboxes(c, k), plan.buffers(c, k), plan.heap(c, k)}) {
      EXPECT_TRUE(ranges.emplace(range.address, range.bytes).second);
    }
    EXPECT_TRUE(plan.library(c).holds(plan.mailboxes(c, k).address, plan.mailboxes(c, k).bytes));
    EXPECT_TRUE(plan.library(c).holds(plan.buffers(c, k).address, plan.buffers(c, k).bytes));
    EXPECT_TRUE(plan.heap(c).holds(plan.heap(c, k).address, plan.heap(c, k).bytes));
    if (k.value == 0) ranges[plan.notice_ring(c).address] = plan.notice_ring(c).bytes;
    queues.insert({plan.send_queue(c, k).value, plan.get_queue(c, k).value});
    fifos.insert({plan.message_fifo(c, k).value, plan.reply_fifo(c, k).value});
    EXPECT_EQ(plan.sender_of(plan.send_queue(c, k))->context, k);
    EXPECT_EQ(plan.sender_of(plan.send_queue(c, k))->client, c);
    EXPECT_FALSE(plan.sender_of(plan.get_queue(c, k)));
    EXPECT_EQ(plan.receiver_of(plan.message_fifo(c, k))->context, k);
    EXPECT_FALSE(plan.receiver_of(plan.reply_fifo(c, k)));
    for (std::uint32_t i = 0; i < plan.byte_counters(); ++i) {
      bytes.insert(plan.byte_counter(c, i, k).value);
    }
    for (std::uint32_t i = 0; i < plan.event_counters(); ++i) {
      events.insert(plan.event_counter(c, i, k).value);
    }
  }
  EXPECT_EQ(queues.size(), 8U);
  EXPECT_EQ(fifos.size(), 8U);
  EXPECT_EQ(bytes.size(), 4 * plan.byte_counters());
  EXPECT_EQ(events.size(), 4 * plan.event_counters());
  Address end = 0;
  for (const auto& [address, size] : ranges) {
    EXPECT_GE(address, end);
    end = address + size;
  }
  EXPECT_LE(end, plan.end());
  EXPECT_FALSE(plan.sender_of({3}));
  EXPECT_FALSE(plan.sender_of({plan.offload_queue({0}, 0)}));
  EXPECT_FALSE(plan.receiver_of({99}));
}

// --- messages -----------------------------------------------------------------------------------

class Endpoints : public ::testing::TestWithParam<std::tuple<std::uint32_t, std::uint32_t, Bytes>> {
};

TEST_P(Endpoints, AllSendToAllInParallel) {
  const auto& [clients, contexts, limit] = GetParam();
  Random random(clients * 10 + contexts);
  SCOPED_TRACE(random.replay());
  JobOptions options = with({2, 1, 1}, clients, contexts);
  options.machine.seed = random.bits64();
  options.context.eager_limit = limit;
  Job job(options);
  EXPECT_EQ(job.run(all_endpoints_program(random.bits64(), 8, 1500)), "");
  EXPECT_EQ(job.sum(&ContextCounts::odd_packets), 0U);
}

INSTANTIATE_TEST_SUITE_P(Of, Endpoints,
                         ::testing::Combine(::testing::Values(1, 2), ::testing::Values(1, 2),
                                            ::testing::Values(0, 512)));
INSTANTIATE_TEST_SUITE_P(OfOneClient, Endpoints,
                         ::testing::Combine(::testing::Values(1), ::testing::Values(3, 4),
                                            ::testing::Values(0, 512, 65536)));
INSTANTIATE_TEST_SUITE_P(OfFourTasks, Endpoints,
                         ::testing::Combine(::testing::Values(4), ::testing::Values(1),
                                            ::testing::Values(0, 512)));

// 16 tasks a node, or 4 tasks of 4 contexts, need the large profile.
TEST(Endpoints, OfSixteenTasksANodeSendToAll) {
  for (const auto& [clients, contexts] : {std::pair(16U, 1U), std::pair(4U, 4U)}) {
    JobOptions options = with({2, 1, 1}, clients, contexts);
    options.machine.sizes = kBgp;
    options.machine.memory_size = Bytes{128} << 20;
    Job job(options);
    EXPECT_EQ(job.run(all_endpoints_program(clients, 3, 1500)), "") << clients;
  }
}

TEST(Contexts, TalkToTheirOwnProcessTheSameWay) {
  for (const Bytes limit : {Bytes{0}, Bytes{512}}) {
    JobOptions options = with({1, 1, 1}, 1, 4);
    options.context.eager_limit = limit;
    Job job(options);
    EXPECT_EQ(job.run(all_endpoints_program(9, 10, 2000)), "");
  }
}

TEST(Contexts, ATaskAloneMeansTheContextOfTheSameNumber) {
  Job job(with({2, 1, 1}, 1, 2));
  EXPECT_EQ(job.run([](Context& context) {
    const Task other{1 - context.task().value};
    const Address buffer = require(context.take_heap(64), "heap");
    context.device().store(buffer, pattern(number_of(context), 8));
    finish(context, context.send(other, 1, buffer, 8));
    const Completion done = finish(context, context.receive(other, 1, buffer, 64));
    check(done.source_context == context.id(), "context of the source");
    check(get_from(context, buffer, 8) == pattern(other.value * 2 + context.id().value, 8),
          "bytes");
  }),
            "");
}

TEST(Contexts, OfAnySourceAreTakenAndNamed) {
  Job job(with({2, 1, 1}, 1, 2));
  EXPECT_EQ(job.run([](Context& context) {
    if (context.task().value == 1) {
      finish(context,
             context.send(Endpoint({0}, {1}), 1, put_into_heap(context, pattern(1, 4)), 4));
    } else if (context.id().value == 1) {
      std::uint32_t seen = 0;
      const Address buffer = require(context.take_heap(64), "heap");
      for (int i = 0; i < 2; ++i) {
        const Completion done = finish(context, context.receive(kAnyTask, 1, buffer, 64));
        check(done.source == Task{1}, "task");
        seen |= 1U << done.source_context.value;
      }
      check(seen == 3, "one of each context");
    }
  }),
            "");
}

TEST(Contexts, PutAndGetWithWhatIsTheirOwn) {
  Job job(with({2, 1, 1}, 1, 2));
  EXPECT_EQ(job.run([](Context& context) {
    const Task other{1 - context.task().value};
    constexpr Bytes kBytes = 3000;
    const Address window = require(context.take_heap(kBytes), "heap");
    const Address from = put_into_heap(context, pattern(number_of(context), kBytes));
    const RemoteMemory there = require(context.name_memory(window, kBytes), "name");
    // The first pieces of both tasks lie at the same places.
    for (const Notify notify :
         {Notify::kReflectedPut, Notify::kReflectedFifo, Notify::kInjected, Notify::kDelivered}) {
      PutOptions options;
      options.notify = notify;
      finish(context, context.put({other, there.region, there.offset}, from, kBytes, options));
    }
    finish(context, context.fence(other));
    const Address back = require(context.take_heap(kBytes), "heap");
    finish(context, context.get(back, {other, there.region, there.offset}, kBytes));
    check(get_from(context, back, kBytes) == pattern(number_of(context), kBytes), "bytes");
  }),
            "");
}

TEST(Contexts, RunCollectivesBesideOneAnother) {
  Job job(with({3, 1, 1}, 1, 3));
  EXPECT_EQ(job.run(collectives_program), "");
}

TEST(Contexts, ThatDoNotExistAreRefused) {
  Job job(with({2, 1, 1}, 1, 2));
  EXPECT_EQ(job.run([](Context& context) {
    const Address buffer = require(context.take_heap(8), "heap");
    for (const Endpoint nobody : {Endpoint({2}, {0}), Endpoint({0}, {2})}) {
      check(context.send(nobody, 1, buffer, 8).error() == Errc::kBadArgument, "send");
      check(context.receive(nobody, 1, buffer, 8).error() == Errc::kBadArgument, "receive");
      check(context.send_active(nobody, {1}, {}, buffer, 8).error() == Errc::kBadArgument,
            "active");
    }
    check(context.post({2}, [] {}) == Errc::kBadArgument, "post");
    check(context.send(Endpoint({2}, {0}), 1, buffer, 8).error().message().find("context") !=
              std::string::npos,
          "text");
  }),
            "");
}

TEST(Contexts, AreMadeOnceEach) {
  model::MachineOptions options;
  PlanOptions wanted;
  wanted.contexts = 2;
  const NodePlan plan =
      require(NodePlan::make(options.shape, kSim, options.memory_size, wanted), "plan");
  model::ReferenceMachine machine(options);
  machine.add_core({0}, [&](Device& device) {
    require(NodeSetup(device, plan).run(), "setup");
    Client client(device, plan, {0});
    check(client.contexts() == 2 && client.task() == Task{0}, "what it is");
    const auto first = require(client.create_context({0}, device), "first");
    check(first->endpoint() == Endpoint({0}, {0}), "endpoint");
    check(client.create_context({0}, device).error() == Errc::kBadArgument, "twice");
    check(client.create_context({2}, device).error() == Errc::kBadArgument, "third of two");
    try {
      Context alone(device, plan, {0});
      check(false, "alone");
    } catch (const std::invalid_argument&) {
    }
  });
  EXPECT_TRUE(machine.run(1'000'000));
  EXPECT_EQ(machine.problems(), "");
}

// --- notices ------------------------------------------------------------------------------------

// Both contexts of tasks 1 and 2 flood those of task 0, which look at nothing for long. All notices
// of a task come in one ring, and whoever looks first finds them.
Job::Program flood_program(std::uint64_t count, Cycles stall) {
  return [=](Context& context) {
    const Address buffer = require(context.take_heap(400), "heap");
    if (context.task().value != 0) {
      std::vector<Request> sends;
      for (std::uint64_t i = 0; i < count; ++i) {
        const auto data = pattern(number_of(context) * 1000 + i, 400);
        sends.push_back(require(context.send({0}, 1, put_into_heap(context, data), 400), "send"));
      }
      for (const Request request : sends) finish(context, Result<Request>(request));
      return;
    }
    context.device().compute(stall);
    for (std::uint64_t i = 0; i < count; ++i) {
      for (const std::uint32_t task : {1U, 2U}) {
        finish(context, context.receive({task}, 1, buffer, 400));
        const std::uint64_t from = task * 2 + context.id().value;
        check(get_from(context, buffer, 400) == pattern(from * 1000 + i, 400), "bytes");
      }
    }
  };
}

TEST(Contexts, AreToldOfWhatWasRefusedWhoeverFindsTheNotice) {
  JobOptions options = with({3, 1, 1}, 1, 2);
  options.plan.fifo_slots = 64;
  options.context.probe_after = 100'000'000;  // nobody asks: the notices must be enough
  Job job(options);
  EXPECT_EQ(job.run(flood_program(40, 200'000)), "");
  for (std::uint32_t n = 2; n < 6; ++n) EXPECT_GT(job.counts(n).refusals, 0U) << n;
}

TEST(Contexts, AllAskWhenNoticesAreLost) {
  JobOptions options = with({3, 1, 1}, 1, 2);
  options.plan.fifo_slots = 64;
  options.plan.notice_slots = 1;
  options.context.probe_after = 50'000;
  Job job(options);
  EXPECT_EQ(job.run(flood_program(40, 300'000)), "");
  for (std::uint32_t n = 2; n < 6; ++n) EXPECT_GT(job.counts(n).notice_overflows, 0U) << n;
}

TEST(Contexts, AreToldOfGetsThatWereRefused) {
  JobOptions options = with({3, 1, 1}, 1, 2);
  options.plan.get_slots = 2;
  options.context.eager_limit = 0;
  options.context.probe_after = 100'000'000;
  Job job(options);
  EXPECT_EQ(job.run(one_to_many_program(8, 3000)), "");
  for (std::uint32_t n = 2; n < 6; ++n) EXPECT_GT(job.counts(n).refusals, 0U) << n;
}

TEST(Contexts, LoseNothingWhenPacketsAreLost) {
  Random random(5);
  SCOPED_TRACE(random.replay());
  JobOptions options = with({2, 1, 1}, 2, 2);
  options.context.probe_after = 50'000;
  options.limit = 2'000'000'000;
  Job job(options);
  Rng rng(random.bits64());
  job.machine().watch_packets([&](const model::Packet&) {
    return rng.chance(20) ? model::Fate::kLost : model::Fate::kArrives;
  });
  EXPECT_EQ(job.run(all_endpoints_program(random.bits64(), 6, 1500)), "");
  EXPECT_GT(job.machine().packets_lost(), 0U);
}

// --- sleep --------------------------------------------------------------------------------------

// All contexts sleep after every look in vain, and nothing but the interrupt line wakes them: no
// timer of the library comes before the deadline. A context that clears what was to wake another
// would leave it asleep until then.
JobOptions sleepy(std::uint32_t contexts, std::uint64_t seed) {
  JobOptions options = with({2, 1, 1}, 1, contexts);
  options.machine.seed = seed;
  options.context.spin_polls = 1;
  options.context.probe_after = 1'000'000'000;
  options.context.probe_most = 1'000'000'000;
  options.context.ack_delay = 1'000'000'000;
  options.context.polling.longest_gap = 1'000'000'000;
  options.limit = 50'000'000;
  options.linger = 0;
  return options;
}

TEST(Contexts, ThatSleepAreWokenThoughOthersClearTheCauses) {
  Random random(17);
  SCOPED_TRACE(random.replay());
  for (const std::uint32_t contexts : {2U, 4U}) {
    for (int round = 0; round < 5; ++round) {
      Job job(sleepy(contexts, random.bits64()));
      EXPECT_EQ(job.run(rendezvous_program(random.bits64(), 150)), "");
      EXPECT_GT(job.sum(&ContextCounts::sleeps), 100U);
      EXPECT_LT(job.machine().now(), 10'000'000U) << "somebody slept for long";
    }
  }
}

TEST(Contexts, ThatSleepAreWokenWhateverThePolicy) {
  constexpr int kRounds = 12;
  Random random(18);
  SCOPED_TRACE(random.replay());
  for (const PollingPolicy policy :
       {PollingPolicy::kInterrupt, PollingPolicy::kHeuristic, PollingPolicy::kEveryN}) {
    for (int round = 0; round < kRounds; ++round) {
      JobOptions options = sleepy(3, random.bits64());
      options.context.polling.policy = policy;
      Job job(options);
      EXPECT_EQ(job.run(rendezvous_program(random.bits64(), 150)), "");
      EXPECT_GT(job.sum(&ContextCounts::sleeps), 100U);
      EXPECT_LT(job.machine().now(), 10'000'000U) << "somebody slept for long";
    }
  }
}

// --- work ---------------------------------------------------------------------------------------

TEST(Contexts, RunWorkThatOthersPostAndAreWokenByIt) {
  for (const PollingPolicy policy : {PollingPolicy::kAlways, PollingPolicy::kInterrupt}) {
    JobOptions options = sleepy(2, 1);
    options.machine.shape = {1, 1, 1};
    options.context.polling.policy = policy;
    constexpr int kPieces = 200;
    std::vector<int> done;
    Job job(options);
    EXPECT_EQ(job.run([&](Context& context) {
      if (context.id().value == 0) {
        Rng random(3);
        for (int i = 0; i < kPieces; ++i) {
          require(context.post({1}, [&done, i] { done.push_back(i); }), "post");
          context.device().compute(random.below(1000));
        }
        return;
      }
      require(
          context.advance_until([&] { return done.size() == kPieces; }, context.now() + 10'000'000),
          "work");
    }),
              "");
    for (int i = 0; i < kPieces; ++i) EXPECT_EQ(done.at(static_cast<std::size_t>(i)), i);
    EXPECT_LT(job.machine().now(), 10'000'000U) << "somebody slept for long";
  }
}

TEST(Contexts, RunWorkThatTheyPostThemselves) {
  JobOptions options;
  Job job(options);
  EXPECT_EQ(job.run([](Context& context) {
    std::error_code inside;
    bool done = false;
    require(context.post({0},
                         [&] {
                           inside = context.advance();
                           done = true;
                         }),
            "post");
    check(!done, "not at once");
    require(context.advance(), "advance");
    check(done && inside == Errc::kAgain, "in advance(), which may not be called again");
  }),
            "");
}

// --- other processes ----------------------------------------------------------------------------

// A process that names what another owns is refused, and the other does not even notice.
TEST(Clients, CannotNameWhatAnotherOwns) {
  for (const std::uint32_t contexts : {1U, 2U}) {
    Job job(with({2, 1, 1}, 2, contexts));
    EXPECT_EQ(job.run(spite_beside_messages_program(4)), "");
  }
}

}  // namespace
}  // namespace torusmu::testing

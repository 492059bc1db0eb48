// SPDX-License-Identifier: Apache-2.0
// Boot buffers: tasks that start late, while others send to them. Nothing is lost, repeated or
// reordered, whether it finds the buffer open, full or switched, or no buffer at all.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/host/endpoints.h"
#include "tests/host/programs.h"
#include "tests/support/seed.h"
#include "torusmu/registers.h"

namespace torusmu::testing {
namespace {

constexpr Cycles kLate = 100'000;
constexpr Tag kLastTag = 9;

JobOptions late_tasks(const Shape& shape, std::uint32_t clients = 1,
                      BootCopy copy = BootCopy::kByUnit) {
  JobOptions options;
  options.machine.shape = shape;
  options.plan.clients = clients;
  options.plan.boot_buffers = clients;
  options.plan.boot_copy = copy;
  options.plan.fifo_slots = 256;
  options.plan.heap_bytes = Bytes{512} << 10;
  return options;
}

std::vector<Job::Program> all(const Job& job, const Job::Program& program) {
  return std::vector<Job::Program>(job.plan().tasks(), program);
}

// Task `late` starts late, all others at once.
std::vector<Cycles> all_but(const Job& job, std::uint32_t late, Cycles start = kLate) {
  std::vector<Cycles> starts(job.plan().tasks());
  starts.at(late) = start;
  return starts;
}

// Short enough to be sent without asking.
Bytes length_of(std::uint64_t k) { return k % 3 == 0 ? 8 : k % 3 == 1 ? 0 : 40 + 100 * (k % 5); }

// Of a boot buffer that has taken the first `count` messages of a sender.
std::uint64_t slots_of(std::uint64_t count) {
  std::uint64_t slots = 0;
  for (std::uint64_t k = 0; k < count; ++k) slots += 1 + (length_of(k) + 31) / 32;
  return slots;
}

// To task 0, one after the other.
Job::Program sender(std::uint64_t count) {
  return [=](Context& context) {
    const std::uint32_t own = context.task().value;
    for (std::uint64_t k = 0; k < count; ++k) {
      const auto data = pattern(own * 1000 + k, length_of(k));
      finish(context, context.send({0}, 1, put_into_heap(context, data), data.size()));
    }
  };
}

// Takes them all, and finds that nothing else has come.
Job::Program receiver(std::uint64_t count) {
  return [=](Context& context) {
    const Address buffer = require(context.take_heap(2000), "heap");
    for (std::uint64_t k = 0; k < count; ++k) {
      for (std::uint32_t t = 1; t < context.tasks(); ++t) {
        const Completion done = finish(context, context.receive({t}, 1, buffer, 2000));
        check(done.length == length_of(k) &&
                  get_from(context, buffer, done.length) == pattern(t * 1000 + k, done.length),
              "message " + std::to_string(k) + " of task " + std::to_string(t));
      }
    }
    require(context.linger(50'000), "linger");
    check(!context.probe(kAnyTask, kAnyTag), "a message more than was sent");
  };
}

std::vector<Job::Program> senders_to_task_0(const Job& job, std::uint64_t count) {
  auto programs = all(job, sender(count));
  programs[0] = receiver(count);
  return programs;
}

// Nothing had to be sent twice: whatever the numbers of messages would have mended shows here.
void expect_nothing_mended(const Job& job) {
  EXPECT_EQ(job.sum(&ContextCounts::refusals), 0U);
  EXPECT_EQ(job.sum(&ContextCounts::resent), 0U);
  EXPECT_EQ(job.sum(&ContextCounts::gaps), 0U);
  EXPECT_EQ(job.sum(&ContextCounts::duplicates), 0U);
  EXPECT_EQ(job.sum(&ContextCounts::odd_packets), 0U);
}

// What was kept comes to the process by the MU, or by its own put.
class BootBuffers : public ::testing::TestWithParam<BootCopy> {
 protected:
  static JobOptions with_buffers(const Shape& shape, std::uint32_t clients = 1) {
    return late_tasks(shape, clients, GetParam());
  }
};

TEST_P(BootBuffers, KeepWhatComesForALateTask) {
  Job job(with_buffers({2, 1, 1}));
  EXPECT_EQ(job.run_staggered(all_but(job, 0), senders_to_task_0(job, 12)), "");
  expect_nothing_mended(job);
  EXPECT_GE(job.boot_slots(0), slots_of(12));
}

TEST_P(BootBuffers, HaveBeenReadWhenTheContextIsMade) {
  // A process that copies reads no register of its FIFO for it.
  const std::uint64_t looks = GetParam() == BootCopy::kByUnit ? 1 : 0;
  Job job(with_buffers({2, 1, 1}));
  const auto late_one = [looks](Context& context) {
    check(context.counts().tail_reads == looks, "what the context has looked at");
    const Address buffer = require(context.take_heap(8), "heap");
    finish(context, context.receive({1}, 1, buffer, 8));
    check(context.counts().tail_reads == looks, "and had seen the message");
  };
  EXPECT_EQ(job.run_staggered(all_but(job, 0), {late_one, sender(1)}), "");
}

TEST_P(BootBuffers, AreOverAtOnceWhereNobodyIsLate) {
  Job job(with_buffers({2, 1, 1}));
  EXPECT_EQ(job.run(senders_to_task_0(job, 12)), "");
  EXPECT_EQ(job.run_staggered({0, 0}, senders_to_task_0(job, 12)), "");
}

// The switch in each cycle of a train of packets: some find the buffer, some the FIFO.
TEST_P(BootBuffers, AreSwitchedAtAnyMoment) {
  constexpr std::uint64_t kMessages = 12;
  std::uint64_t all_kept = 0, none_kept = 0, some_kept = 0;
  for (Cycles lead = 0; lead < 1600; ++lead) {
    JobOptions options = with_buffers({2, 1, 1});
    options.machine.seed = lead;
    options.linger = 1000;
    Job job(options);
    // Both set-ups take as long: the train of packets moves over the switch.
    ASSERT_EQ(job.run_staggered({1'000, lead}, senders_to_task_0(job, kMessages)), "") << lead;
    expect_nothing_mended(job);
    ASSERT_FALSE(HasFailure()) << lead;
    const std::uint64_t kept = job.boot_slots(0);
    ++(kept == 0 ? none_kept : kept < slots_of(kMessages) ? some_kept : all_kept);
  }
  EXPECT_GT(all_kept, 0U);
  EXPECT_GT(none_kept, 0U);
  EXPECT_GT(some_kept, 500U);
}

TEST_P(BootBuffers, ThatAreFullRefuseAndNothingOvertakes) {
  for (const std::uint64_t count : {60, 200}) {
    Job job(with_buffers({2, 1, 1}));
    std::uint64_t refused = 0;
    auto programs = senders_to_task_0(job, count);
    programs[0] = [&, receive = programs[0]](Context& context) {
      NodeSetup setup(context.device(), job.plan());
      refused = require(setup.boot_buffer_use({0}), "boot buffer").refused;
      receive(context);
    };
    EXPECT_EQ(job.run_staggered(all_but(job, 0), programs), "");
    EXPECT_GT(job.counts(1).refusals, 0U);
    EXPECT_GT(job.counts(1).resent, 0U);
    EXPECT_GT(refused, 0U);
    EXPECT_GT(job.boot_slots(0), 0U);
    EXPECT_LE(job.boot_slots(0), job.plan().boot_slots());
  }
}

TEST_P(BootBuffers, KeepTheOrderOfEverySender) {
  Job job(with_buffers({3, 3, 1}));
  EXPECT_EQ(job.run_staggered(all_but(job, 0), senders_to_task_0(job, 20)), "");
  EXPECT_GT(job.boot_slots(0), slots_of(8));
}

// Packets of one long message lie in the buffer and in the FIFO, and the next is announced.
TEST_P(BootBuffers, KeepPartsOfLongMessagesAndAnnouncements) {
  for (const Bytes limit : {Bytes{0}, Bytes{512}, Bytes{65536}}) {
    JobOptions options = with_buffers({3, 1, 1});
    options.context.eager_limit = limit;
    Job job(options);
    auto programs = all(job, many_to_one_program(12, 5000, 0));
    EXPECT_EQ(job.run_staggered(all_but(job, 0), programs), "") << limit;
    EXPECT_GT(job.boot_slots(0), 0U);
  }
}

TEST_P(BootBuffers, AreDrainedBySleepersToo) {
  for (const char* policy : {"always", "every-4", "heuristic", "interrupt"}) {
    JobOptions options = with_buffers({2, 1, 1});
    options.context.polling = require(polling_of(policy), "policy");
    options.context.spin_polls = 0;
    Job job(options);
    EXPECT_EQ(job.run_staggered(all_but(job, 0), senders_to_task_0(job, 12)), "") << policy;
    EXPECT_GE(job.boot_slots(0), slots_of(12)) << policy;
  }
}

TEST_P(BootBuffers, BelongToEachClientAlone) {
  JobOptions options = with_buffers({2, 1, 1}, 4);
  Job job(options);
  const std::uint64_t seed = 3;
  EXPECT_EQ(job.run_staggered({5'000, 90'000, 0, 40'000, 70'000, 1'000, 20'000, 0},
                              all(job, all_to_all_program(seed, 4, 900))),
            "");
  for (const std::uint32_t t : {1U, 4U}) EXPECT_GT(job.boot_slots(t), 0U);
}

TEST_P(BootBuffers, ServeEveryContextOfTheClient) {
  JobOptions options = with_buffers({2, 1, 1}, 2);
  options.plan.contexts = 2;
  Job job(options);
  EXPECT_EQ(
      job.run_staggered({50'000, 0, 80'000, 1'000}, all(job, all_endpoints_program(7, 1, 200))),
      "");
  for (const std::uint32_t t : {0U, 2U}) EXPECT_GT(job.boot_slots(t), 0U);
  EXPECT_EQ(job.sum(&ContextCounts::refusals), 0U) << "messages to both contexts have waited";
}

TEST_P(BootBuffers, OfRandomStartsLoseRepeatAndReorderNothing) {
  Random random(21);
  SCOPED_TRACE(random.replay());
  for (int round = 0; round < 12; ++round) {
    JobOptions options = with_buffers({2, 2, 1}, 1 + static_cast<std::uint32_t>(random.below(3)));
    // Tasks beyond the boot buffers among them.
    options.plan.boot_buffers -= static_cast<std::uint32_t>(random.below(2));
    options.machine.seed = random.bits64();
    options.context.eager_limit = std::array<Bytes, 3>{0, 512, 4000}[random.below(3)];
    Job job(options);
    std::vector<Cycles> starts;
    for (std::uint32_t t = 0; t < job.plan().tasks(); ++t) starts.push_back(random.below(kLate));
    EXPECT_EQ(job.run_staggered(starts, all(job, all_to_all_program(random.bits64(), 5, 2000))), "")
        << "round " << round;
  }
}

// Packets that the network loses or brings twice meet the boot buffer as they meet a FIFO.
TEST_P(BootBuffers, LiveWithPacketsThatAreLostOrComeTwice) {
  Random random(22);
  SCOPED_TRACE(random.replay());
  JobOptions options = with_buffers({3, 1, 1});
  options.context.probe_after = 30'000;
  Job job(options);
  job.machine().watch_packets([&](const model::Packet& packet) {
    if (packet.header.get<layout::packet_header::kind>() != Kind::kFifo) {
      return model::Fate::kArrives;
    }
    return random.chance(10)   ? model::Fate::kLost
           : random.chance(10) ? model::Fate::kArrivesTwice
                               : model::Fate::kArrives;
  });
  EXPECT_EQ(job.run_staggered(all_but(job, 0), senders_to_task_0(job, 20)), "");
  EXPECT_GT(job.sum(&ContextCounts::resent), 0U);
}

TEST_P(BootBuffers, ServeCollectivesOfLateTasks) {
  for (const std::uint32_t late : {0U, 3U, 5U}) {
    Job job(with_buffers({3, 2, 1}));
    EXPECT_EQ(job.run_staggered(all_but(job, late), all(job, collectives_program)), "") << late;
    EXPECT_GT(job.boot_slots(), 0U);
  }
}

TEST_P(BootBuffers, ServeCollectivesThatTheMuRuns) {
  Job job(with_buffers({2, 2, 1}));
  const auto program = [](Context& context) {
    std::vector<Task> members;
    for (std::uint32_t t = 0; t < context.tasks(); ++t) members.push_back({t});
    Group world(context, members, 0, RunBy::kMu);
    const Address in = put_into_heap(context, std::vector<std::byte>(8, std::byte{1}));
    const Address out = require(context.take_heap(8), "heap");
    const Cycles deadline = context.now() + 10'000'000;
    require(world.allreduce(ReduceOp::kSum, DataType::kU8, 8, in, out, deadline), "allreduce");
    check(get_from(context, out, 8) == std::vector<std::byte>(8, std::byte{4}), "sum");
    require(world.barrier(deadline), "barrier");
  };
  EXPECT_EQ(job.run_staggered(all_but(job, 2), all(job, program)), "");
}

// They find nobody, are refused, and go out again until the task is there; what the process before
// it had opened is of no use to them.
TEST_P(BootBuffers, LetGetsWaitForTheTask) {
  Job job(with_buffers({2, 1, 1}));
  for (const bool again : {false, true}) {
    Cycles there = 0, fetched = 0;
    auto programs = all(job, [&](Context& context) {
      // The first piece of the heap of every task lies at the same place.
      const auto data = pattern(context.task().value + 2 * again, 3000);
      const Address here = put_into_heap(context, data);
      if (context.task().value == 0) {
        there = context.now();
        return;
      }
      RemoteMemory late = require(context.name_memory(here, 3000), "name");
      late.task = {0};
      const Address copy = require(context.take_heap(3000), "heap");
      finish(context, context.get(copy, late, 3000));
      fetched = context.now();
      check(get_from(context, copy, 3000) == pattern(2 * again, 3000), "get");
    });
    EXPECT_EQ(job.run_staggered(all_but(job, 0), programs), "");
    EXPECT_GT(there, kLate);
    EXPECT_GT(fetched, there);
    EXPECT_GT(job.counts(1).refusals, 0U);
  }
}

// A put to a process that is over finds its region closed.
TEST_P(BootBuffers, LetNoPutInForTheProcessBefore) {
  Job job(with_buffers({2, 1, 1}));
  const auto nothing = [](Context&) {};
  EXPECT_EQ(job.run_staggered({0, 0}, {nothing, nothing}), "");
  const auto late = [](Context& context) {
    const Address here = require(context.take_heap(64), "heap");
    check(get_from(context, here, 64) == std::vector<std::byte>(64), "something was put there");
  };
  const auto puts = [](Context& context) {
    const Address here = put_into_heap(context, pattern(1, 64));
    RemoteMemory there = require(context.name_memory(here, 64), "name");
    there.task = {0};
    PutOptions options;
    options.notify = Notify::kInjected;
    const auto put = require(context.put(there, here, 64, options), "put");
    require(context.wait(put, context.now() + 100'000).error(), "wait");
  };
  EXPECT_EQ(job.run_staggered(all_but(job, 0), {late, puts}), "");
}

TEST_P(BootBuffers, OfATaskThatNeverStartsEndEveryWaitByItsDeadline) {
  JobOptions options = with_buffers({2, 1, 1});
  options.limit = 3'000'000;
  Job job(options);
  const auto program = [&](Context& context) {
    for (std::uint64_t k = 0; k < 200; ++k) {
      finish(context, context.send({0}, 1, put_into_heap(context, pattern(k, 8)), 8));
    }
    const Address in = require(context.take_heap(8), "heap");
    const Cycles deadline = context.now() + 200'000;
    const auto receive = require(context.receive({0}, 1, in, 8), "receive");
    const auto get = require(context.get(in, {{0}, job.plan().heap_region({0}), 0}, 8), "get");
    for (const Request request : {receive, get}) {
      const auto done = context.wait(request, deadline);
      check(!done && done.error() == Errc::kDeadline, "no deadline");
    }
    check(context.flush(context.now() + 200'000) == Errc::kDeadline, "no deadline");
    throw std::runtime_error("reached the end");
  };
  const std::string problems =
      job.run_staggered(all_but(job, 0, 2'500'000), {[](Context&) {}, program});
  EXPECT_NE(problems.find("reached the end"), std::string::npos) << problems;
}

// What came for the process before is gone, and no byte of it is taken for a message.
TEST_P(BootBuffers, BeginEmptyAtEachBoot) {
  Job job(with_buffers({2, 1, 1}));
  const auto forsaken = [](Context& context) {
    for (std::uint64_t k = 0; k < 8; ++k) {
      finish(context, context.send({0}, kLastTag, put_into_heap(context, pattern(k, 40)), 40));
    }
    require(context.linger(50'000), "linger");
  };
  // Task 0 boots, but never starts.
  EXPECT_EQ(job.run_one_alone(1, forsaken), "");
  for (int life = 0; life < 3; ++life) {
    EXPECT_EQ(job.run_staggered(all_but(job, 0), senders_to_task_0(job, 12)), "");
    expect_nothing_mended(job);
  }
}

// --- tasks beyond the boot buffers --------------------------------------------------------------

INSTANTIATE_TEST_SUITE_P(ComeBy, BootBuffers,
                         ::testing::Values(BootCopy::kByUnit, BootCopy::kByProcess),
                         [](const auto& each) {
                           return each.param == BootCopy::kByUnit ? "TheUnit" : "TheProcess";
                         });

TEST(TasksBeyondTheBootBuffers, AreRefusedByThePlanWithAText) {
  PlanOptions options;
  const auto make = [&] {
    return NodePlan::make({2, 1, 1}, kSim, Bytes{64} << 20, options).error();
  };
  options.clients = kSim.clients;
  options.boot_buffers = kSim.clients;
  EXPECT_EQ(make(), std::error_code());
  options.boot_buffers = kSim.clients + 1;
  EXPECT_EQ(make(), Errc::kBadArgument);
  EXPECT_NE(make().message().find("options"), std::string::npos);
  options.clients = kSim.clients + 1;
  EXPECT_EQ(make(), Errc::kOutOfResources);
  EXPECT_NE(make().message().find("fewer clients"), std::string::npos);
}

// What switches a FIFO comes last, and only if nothing before was refused.
TEST(Start, LeavesTheFifoAsItIsIfTheNodeRefusedSomething) {
  Job job(late_tasks({2, 1, 1}));
  const auto tail_of = [&](Device& device) {
    return device.read64(registers::reception_fifo::tail(job.plan().message_fifo({0}).value));
  };
  const auto receiver = [&](Context& context) {
    const Address in = require(context.take_heap(8), "heap");
    finish(context, context.receive({1}, 1, in, 8));
    require(context.linger(kLate), "linger");
    const std::uint64_t tail = tail_of(context.device());
    check(tail != 0, "nothing has come");
    NodeSetup setup(context.device(), job.plan());
    check(setup.start({0}) == Errc::kDeviceError, "started twice");
    check(tail_of(context.device()) == tail, "switched again");
  };
  EXPECT_EQ(job.run_staggered({0, 0}, {receiver, sender(1)}), "");
}

TEST(TasksBeyondTheBootBuffers, AreRefusedByTheSetUp) {
  JobOptions options = late_tasks({2, 1, 1}, 2);
  options.plan.boot_buffers = 1;
  Job job(options);
  const auto program = [&](Context& context) {
    NodeSetup setup(context.device(), job.plan());
    check(setup.start({2}) == Errc::kBadArgument, "a client that is not");
    check(setup.boot_buffer_use({1}).error() == Errc::kBadArgument, "a buffer that is not");
    check(setup.boot_buffer_use({0}).value().refused == 0, "refusals");
    // Its FIFO is enabled and cannot be moved.
    check(setup.start({0}) == Errc::kDeviceError, "started twice");
  };
  EXPECT_EQ(job.run_staggered({0, 0, 0, 0}, all(job, program)), "");
}

TEST(TasksBeyondTheBootBuffers, LoseNothing) {
  for (const std::uint32_t buffers : {0U, 1U, 2U}) {
    JobOptions options = late_tasks({2, 1, 1}, 3);
    options.plan.boot_buffers = buffers;
    Job job(options);
    EXPECT_EQ(job.run_staggered({30'000, 60'000, 90'000, 0, 80'000, 50'000},
                                all(job, all_to_all_program(buffers, 6, 1500))),
              "")
        << buffers;
    EXPECT_EQ(job.boot_slots() == 0, buffers == 0);
    EXPECT_GT(job.sum(&ContextCounts::refusals), 0U);
    EXPECT_EQ(job.boot_slots(2), 0U);
  }
}

}  // namespace
}  // namespace torusmu::testing

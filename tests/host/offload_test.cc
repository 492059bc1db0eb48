// SPDX-License-Identifier: Apache-2.0
// Collectives that the MU runs by itself, on the reference model: the same calls and results as in
// collective_calls_test.cc, and what the host does meanwhile, which is nothing.
#include "host/src/offload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "host/src/translation.h"
#include "tests/host/collective_cases.h"
#include "tests/host/schedule_runner.h"
#include "torusmu/queue_pair.h"

namespace torusmu::testing {
namespace {

Group mu_group(Context& context, const std::vector<Task>& members) {
  return Group(context, members, 0, RunBy::kMu);
}

// Members, and groups that the plan is asked for: with many, each has one queue and one counter of
// each window.
constexpr std::uint32_t kManyGroups = 22;
class Offloaded : public ::testing::TestWithParam<std::tuple<std::uint32_t, std::uint32_t>> {
 protected:
  static std::uint32_t members() { return std::get<0>(GetParam()); }
  static JobOptions options() {
    JobOptions options = options_for(members());
    options.machine.memory_size = Bytes{64} << 20;
    options.plan.offload_groups = std::get<1>(GetParam());
    return options;
  }
};

TEST_P(Offloaded, AreRightForEveryRoot) {
  const auto cases = short_cases(members());
  Job job(options());
  EXPECT_EQ(job.run([&](Context& context) {
    Group group = mu_group(context, first_tasks(members()));
    make_all(context, group, cases);
  }),
            "");
}

TEST_P(Offloaded, AreRightAroundTheThresholds) {
  const auto cases = threshold_cases(members(), Bytes{4} << 20);
  Job job(options());
  EXPECT_EQ(job.run([&](Context& context) {
    Group group = mu_group(context, first_tasks(members()));
    make_all(context, group, cases);
  }),
            "");
}

// Three partners at once up to 512 bytes; blocks straight to their members, in two parts from 1 KiB
// for each member on.
TEST_P(Offloaded, AllreducesAreRightWhereTheMuTakesAnotherAlgorithm) {
  std::vector<Case> cases;
  const Bytes parted = Bytes{1024} * members();
  for (const Bytes bytes : {Bytes{504}, Bytes{512}, Bytes{520}, parted - 8, parted, parted + 8}) {
    for (const bool in_place : {false, true}) {
      cases.push_back(make_case(Collective::kAllreduce, 0, bytes, in_place, true, members()));
    }
  }
  Job job(options());
  EXPECT_EQ(job.run([&](Context& context) {
    Group group = mu_group(context, first_tasks(members()));
    make_all(context, group, cases);
  }),
            "");
}

INSTANTIATE_TEST_SUITE_P(Of, Offloaded,
                         ::testing::Combine(::testing::Values(1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U,
                                                              16U, 27U),
                                            ::testing::Values(1U, kManyGroups)));

TEST(Offload, OfSomeTasksInAnyOrderIsRight) {
  const std::vector<Task> members{{7}, {2}, {8}, {0}, {5}};
  const std::vector<Case> cases = short_cases(5);
  Job job(options_for(9));
  EXPECT_EQ(job.run([&](Context& context) {
    if (std::find(members.begin(), members.end(), context.task()) == members.end()) return;
    Group group = mu_group(context, members);
    make_all(context, group, cases);
  }),
            "");
}

// --- ends in a completion queue -----------------------------------------------------------------

JobOptions options_with_completions(std::uint32_t tasks) {
  JobOptions options = options_for(tasks);
  options.plan.queue_pairs = 1;
  options.plan.completion_entries = 8;
  return options;
}

// More than the ring of entries has room for, so that laps count too.
TEST(Offload, EndsEachCollectiveInAnEntryIfAskedWithItsResultInMemory) {
  constexpr std::uint32_t kMembers = 5, kCalls = 20;
  Job job(options_with_completions(kMembers));
  EXPECT_EQ(job.run([&](Context& context) {
    CompletionQueue completions(context);
    Group group(context, first_tasks(kMembers), 0, completions);
    for (std::uint32_t i = 0; i < kCalls; ++i) {
      const Case made = make_case(i % 2 == 0 ? Collective::kAllreduce : Collective::kBarrier, 0,
                                  i % 2 == 0 ? 64 : 0, false, true, kMembers);
      Buffers buffers(context, group, made);
      const auto request = require(start(group, made, buffers.in(), buffers.out()), "start");
      const auto told = require(completions.wait(context.now() + kPatience), "entry");
      EXPECT_EQ(told.group, 0U);
      EXPECT_EQ(told.id, i);
      EXPECT_EQ(told.error, std::error_code());
      buffers.check_result(text_of(made, kMembers));
      require(group.wait(request, context.now() + kPatience), "request");
    }
    EXPECT_EQ(completions.odd(), 0U);
  }),
            "");
}

TEST(Offload, TellsNobodyOfItsCollectivesIfNotAsked) {
  Job job(options_with_completions(2));
  EXPECT_EQ(job.run([&](Context& context) {
    CompletionQueue completions(context);
    Group group = mu_group(context, first_tasks(2));
    require(group.barrier(context.now() + kPatience), "barrier");
    completions.look();
    EXPECT_FALSE(completions.poll());
  }),
            "");
}

TEST(Offload, TellsOfEachGroupByItsNumber) {
  JobOptions options = options_with_completions(3);
  options.plan.offload_groups = 2;
  Job job(options);
  EXPECT_EQ(job.run([&](Context& context) {
    CompletionQueue completions(context);
    Group first(context, first_tasks(3), 0, completions);
    Group second(context, first_tasks(3), 1, completions);
    require(first.barrier(context.now() + kPatience), "barrier");
    require(second.barrier(context.now() + kPatience), "barrier");
    require(second.barrier(context.now() + kPatience), "barrier");
    std::vector<std::pair<std::uint32_t, std::uint32_t>> told;
    for (int i = 0; i < 3; ++i) {
      const auto entry = require(completions.wait(context.now() + kPatience), "entry");
      told.emplace_back(entry.group.value_or(9), entry.id);
    }
    EXPECT_EQ(told, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, 0}, {1, 0}, {1, 1}}));
  }),
            "");
}

// Many under way at once, over both windows many times, members far apart in time.
TEST(Offload, OverlapsInOneGroup) {
  for (const auto& [members, groups] :
       {std::pair{2U, 1U}, {5U, 1U}, {8U, 1U}, {5U, 12U}, {6U, kManyGroups}, {8U, kManyGroups}}) {
    std::vector<Case> cases;
    for (const Bytes bytes : {8, 600, 40, 400}) {
      for (const Collective what : kCollectives) {
        const std::uint32_t root = has_root(what) ? static_cast<std::uint32_t>(bytes) % members : 0;
        cases.push_back(make_case(what, root, bytes, false, true, members));
      }
    }
    JobOptions options = options_for(members);
    options.plan.offload_groups = groups;
    options.plan.offload_window = Bytes{64} << 10;
    Job job(options);
    EXPECT_EQ(job.run([&](Context& context) {
      Group group(context, first_tasks(members), groups - 1, RunBy::kMu);
      std::vector<std::unique_ptr<Buffers>> buffers;
      std::vector<CollectiveRequest> open;
      Rng random(context.task().value);
      for (std::size_t i = 0; i < cases.size(); ++i) {
        if (random.chance(500)) context.device().compute(random.below(20'000));
        buffers.push_back(std::make_unique<Buffers>(context, group, cases[i]));
        open.push_back(
            require(start(group, cases[i], buffers[i]->in(), buffers[i]->out()), "start"));
      }
      for (std::size_t i = cases.size(); i-- > 0;) {
        require(group.wait(open[i], context.now() + kPatience), text_of(cases[i], members));
        buffers[i]->check_result(text_of(cases[i], members));
      }
    }),
              "");
  }
}

// Every call of the usual kinds is one that the MU runs, short or long, or this file tests nothing.
TEST(Offload, RunsAllCollectivesOfAnyBytes) {
  const Operator sum(ReduceOp::kSum, DataType::kF64);
  for (const std::uint32_t groups : {1U, 7U, 12U, kManyGroups}) {  // 8, 4, 2 counters and one
    for (const std::uint32_t members : {2U, 5U, 8U, 27U, 64U}) {
      const auto plan =
          NodePlan::make(shape_of(members), kSim, Bytes{64} << 20, {.offload_groups = groups})
              .value();
      for (const Collective what : kCollectives) {
        for (const Bytes bytes : {1, 63, 64, 64 * 128}) {
          if (bytes > 64 && members == 64) continue;
          const Bytes element = reduces(what) && bytes % 8 == 0 ? 8 : 1;
          const Call call{.what = what, .count = bytes / element, .element = element};
          const auto algorithms = mu_algorithms(call, members);
          EXPECT_TRUE(std::any_of(
              algorithms.begin(), algorithms.end(),
              [&](Algorithm algorithm) { return !obstacle(call, sum, algorithm, members, plan); }))
              << name_of(what) << " of " << members << ", " << bytes << " bytes, " << groups
              << " groups";
        }
      }
    }
  }
}

TEST(Offload, NeedsAQueueOfThePlan) {
  Job job(options_for(2));
  EXPECT_EQ(job.run([&](Context& context) {
    bool thrown = false;
    try {
      Group group(context, first_tasks(2), 1, RunBy::kMu);
    } catch (const std::invalid_argument&) {
      thrown = true;
    }
    check(thrown, "a group without a queue");
  }),
            "");
}

TEST(Offload, FirstCallReturnsBeforeOthersHaveMadeIt) {
  Job job(options_for(3));
  EXPECT_EQ(job.run([&](Context& context) {
    Group group = mu_group(context, first_tasks(3));
    if (context.task() != Task{0}) context.device().compute(200'000);
    const Cycles before = context.now();
    const CollectiveRequest request = require(group.ibarrier(), "ibarrier");
    check(context.now() - before < 20'000, "ibarrier waits for nobody");
    require(group.wait(request, context.now() + kPatience), "wait");
    check(context.now() >= 200'000, "the barrier is over when all have come");
  }),
            "");
}

// The call that was given up is still made, so that its member stays in step with the others.
TEST(Offload, BlockingCallEndsAtItsDeadline) {
  Job job(options_for(2));
  EXPECT_EQ(job.run([&](Context& context) {
    Group group = mu_group(context, first_tasks(2));
    if (context.task() == Task{0}) {
      const Cycles deadline = context.now() + 50'000;
      check(group.barrier(deadline) == Errc::kDeadline, "nobody else has come");
      check(context.now() < deadline + 20'000, "the call ends at its deadline");
    } else {
      context.device().compute(200'000);
      require(group.barrier(context.now() + kPatience), "the first barrier");
    }
    require(group.barrier(context.now() + kPatience), "the second barrier");
  }),
            "");
}

// Runs the lists of all members, those of both queues, one descriptor at a time.
class ListRunner {
 public:
  ListRunner(const NodePlan& plan, std::vector<Translation> translations)
      : plan_(plan), translations_(std::move(translations)), done_(translations_.size()) {}

  // True if all get to their end.
  bool run() {
    while (run_once()) {
    }
    for (std::uint32_t rank = 0; rank < translations_.size(); ++rank) {
      for (const std::uint32_t queue : {kSends, kSums}) {
        if (done_[rank].at(queue) != list(rank, queue).size()) return false;
      }
    }
    return true;
  }

 private:
  static constexpr std::uint32_t kSends = 0;
  static constexpr std::uint32_t kSums = 1;

  [[nodiscard]] const std::vector<Descriptor>& list(std::uint32_t rank, std::uint32_t queue) const {
    return queue == kSends ? translations_[rank].descriptors : translations_[rank].sums;
  }
  bool run_once() {
    bool moved = false;
    for (std::uint32_t rank = 0; rank < translations_.size(); ++rank) {
      for (const std::uint32_t queue : {kSends, kSums}) {
        std::uint32_t& done = done_[rank].at(queue);
        while (done < list(rank, queue).size() && step(rank, list(rank, queue)[done])) {
          ++done;
          moved = true;
        }
      }
    }
    return moved;
  }
  // False if it has to wait.
  bool step(std::uint32_t rank, const Descriptor& descriptor) {
    namespace d = layout::descriptor;
    namespace h = layout::packet_header;
    const auto event = descriptor.get<d::event_counter>();
    const PacketHeader image = descriptor.get<d::header>();
    if (descriptor.get<d::opcode>() == Opcode::kWait) {
      const auto value = WaitOperation::from_bytes(descriptor.get<d::immediate>())
                             .get<layout::wait_operation::value>();
      if (descriptor.get<d::on_queue>() == 0) return counts_[{rank, event}] >= value;
      const bool for_sends = image.get<h::target>() == plan_.offload_queue(ClientId{0}, 0).value;
      return done_[rank].at(for_sends ? kSends : kSums) >= value;
    }
    if (descriptor.get<d::event_valid>() != 0) {
      const Coordinates to{static_cast<std::uint32_t>(image.get<h::dst_x>()),
                           static_cast<std::uint32_t>(image.get<h::dst_y>()),
                           static_cast<std::uint32_t>(image.get<h::dst_z>())};
      ++counts_[{plan_.shape().node(to).value, event}];
    }
    return true;
  }

  const NodePlan& plan_;
  std::vector<Translation> translations_;
  std::vector<std::array<std::uint32_t, 2>> done_;  // descriptors of each queue
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> counts_;
};

TEST(Offload, HasNoListThatWaitsForEver) {
  const Operator sum(ReduceOp::kSum, DataType::kF64);
  for (std::uint32_t setting = 0; setting < 4 * 16; ++setting) {
    const std::uint32_t members = 2 + setting / 4;
    const std::array<std::uint32_t, 4> groups{1, 7, 12, kManyGroups};  // 8, 4, 2 counters and one
    const auto plan = NodePlan::make(shape_of(members < 17 ? members : 18), kSim, Bytes{64} << 20,
                                     {.offload_groups = groups.at(setting % 4)});
    const std::vector<Task> tasks = first_tasks(members);
    for (const Collective what : kCollectives) {
      const Call call{.what = what,
                      .root = has_root(what) ? members / 2 : 0,
                      .count = 40,
                      .element = reduces(what) ? Bytes{8} : Bytes{4}};
      for (const Algorithm algorithm : algorithms_of(call)) {
        if (obstacle(call, sum, algorithm, members, plan.value())) continue;
        std::vector<Translation> translations;
        for (std::uint32_t rank = 0; rank < members; ++rank) {
          translations.push_back(
              translate(call, sum, algorithm, rank,
                        {.plan = plan.value(), .members = tasks, .completion = 1}));
        }
        EXPECT_TRUE(ListRunner(plan.value(), std::move(translations)).run())
            << name_of(what) << " by " << name_of(algorithm) << " of " << members << ", "
            << plan.value().offload_counters() << " counters";
      }
    }
  }
}

// What the MU runs in the place of software's algorithm: sums of many operands in few CALCs, beside
// the sends, and nothing left to copy but what others have sent.
TEST(Offload, SumsSixteenOperandsOfALongAllreduceAtOnce) {
  namespace d = layout::descriptor;
  constexpr std::uint32_t kMembers = 64;
  const auto plan = NodePlan::make(shape_of(kMembers), kSim, Bytes{16} << 20).value();
  const Operator sum(ReduceOp::kSum, DataType::kF64);
  const Call call{.what = Collective::kAllreduce, .count = 8192, .element = 8};
  ASSERT_EQ(mu_algorithms(call, kMembers).front(), Algorithm::kDirect);
  ASSERT_TRUE(!obstacle(call, sum, Algorithm::kDirect, kMembers, plan));
  const std::vector<Task> tasks = first_tasks(kMembers);
  const Translation list = translate(call, sum, Algorithm::kDirect, 5,
                                     {.plan = plan, .members = tasks, .completion = 1});
  const auto count = [](const std::vector<Descriptor>& descriptors, Opcode opcode) {
    return std::count_if(descriptors.begin(), descriptors.end(), [&](const Descriptor& descriptor) {
      return descriptor.get<d::opcode>() == opcode;
    });
  };
  constexpr std::uint32_t kParts = 2;
  EXPECT_EQ(count(list.descriptors, Opcode::kPut), 2 * kParts * (kMembers - 1) + 1);
  EXPECT_EQ(count(list.descriptors, Opcode::kCalc), 0);
  std::uint64_t summed = 0;
  for (const Descriptor& descriptor : list.sums) {
    const auto operands = descriptor.get<d::operands>();
    if (descriptor.get<d::opcode>() == Opcode::kCalc && operands > 1) summed += operands - 1;
  }
  EXPECT_EQ(summed, kParts * (kMembers - 1));
  EXPECT_LE(count(list.sums, Opcode::kCalc), 20);
  EXPECT_LE(count(list.sums, Opcode::kWait), NodePlan::kMostOffloadCounters);
}

TEST(Offload, TakesThreePartnersAtOnceForAShortAllreduceOnly) {
  const auto first = [](std::uint64_t count) {
    return mu_algorithms({.what = Collective::kAllreduce, .count = count, .element = 8}, 64)
        .front();
  };
  EXPECT_EQ(first(1), Algorithm::kFours);
  EXPECT_EQ(first(64), Algorithm::kFours);
  EXPECT_EQ(first(65), Algorithm::kDoubling);
  EXPECT_EQ(first(8192), Algorithm::kDirect);
}

// A list is kept for the next call with the same arguments: only counts are written into it anew.
TEST(Offload, PostsACallThatItKnowsFaster) {
  constexpr std::uint32_t kMembers = 16;
  constexpr Bytes kBytes = 16384;
  Job job(options_for(kMembers));
  EXPECT_EQ(job.run([&](Context& context) {
    Group group = mu_group(context, first_tasks(kMembers));
    const Address in = require(context.take_heap(kBytes), "heap");
    const Address out = require(context.take_heap(kBytes), "heap");
    const Operator sum(ReduceOp::kSum, DataType::kF64);
    require(group.barrier(context.now() + kPatience), "barrier");
    std::vector<Cycles> took;
    for (std::uint32_t time = 0; time < 6; ++time) {
      const Case made = [&] {
        Case same = make_case(Collective::kAllreduce, 0, kBytes, false, true, kMembers);
        for (std::uint32_t rank = 0; rank < kMembers; ++rank) {
          same.inputs[rank] = input_of(same.call, kMembers, rank, time);
        }
        same.outputs = outputs_of(same.call, same.op, Algorithm::kRing, same.inputs);
        return same;
      }();
      context.device().store(in, made.inputs[group.rank()]);
      const Cycles before = context.now();
      const CollectiveRequest request =
          require(group.iallreduce(sum, made.call.count, in, out), "iallreduce");
      took.push_back(context.now() - before);
      require(group.wait(request, context.now() + kPatience), "wait");
      check(get_from(context, out, kBytes) == made.outputs[group.rank()], "output");
      // So that the calls come in both windows, other calls among them.
      if (time % 3 == 1) require(group.barrier(context.now() + kPatience), "barrier");
    }
    check(3 * took.back() < 2 * took.front(), "the sixth call is posted faster than the first");
  }),
            "");
}

// A sum made again and again comes back to the slots where its list stands: only counts and the
// completion word are written, and no register is read. Its data are others each time.
TEST(Offload, WritesNoListThatStandsInTheRing) {
  constexpr std::uint32_t kMembers = 16;
  constexpr Bytes kBytes = 16384;
  constexpr std::uint32_t kCalls = 12;
  JobOptions options = options_for(kMembers);
  options.plan.offload_slots = 128;  // two lists of the queue that sends
  Job job(options);
  EXPECT_EQ(job.run([&](Context& context) {
    Group group = mu_group(context, first_tasks(kMembers));
    const Address in = require(context.take_heap(kBytes), "heap");
    const Address out = require(context.take_heap(kBytes), "heap");
    const Operator sum(ReduceOp::kSum, DataType::kF64);
    std::vector<Cycles> took;
    for (std::uint32_t time = 0; time < kCalls; ++time) {
      Case made = make_case(Collective::kAllreduce, 0, kBytes, false, true, kMembers);
      for (std::uint32_t rank = 0; rank < kMembers; ++rank) {
        made.inputs[rank] = input_of(made.call, kMembers, rank, time);
      }
      made.outputs = outputs_of(made.call, made.op, Algorithm::kRing, made.inputs);
      context.device().store(in, made.inputs[group.rank()]);
      const Cycles before = context.now();
      const CollectiveRequest request =
          require(group.iallreduce(sum, made.call.count, in, out), "iallreduce");
      took.push_back(context.now() - before);
      require(group.wait(request, context.now() + kPatience), "wait");
      check(get_from(context, out, kBytes) == made.outputs[group.rank()], "output");
    }
    const Cycles most = *std::max_element(took.begin(), took.end());
    check(4 * took.back() <= most,
          "from " + std::to_string(most) + " to " + std::to_string(took.back()) + " cycles");
  }),
            "");
}

// Another call in between takes the slots of the list, or moves it on.
TEST(Offload, WritesAListAnewWhoseSlotsAnotherHasTaken) {
  constexpr std::uint32_t kMembers = 8;
  JobOptions options = options_for(kMembers);
  options.plan.offload_slots = 128;
  Job job(options);
  EXPECT_EQ(job.run([&](Context& context) {
    Group group = mu_group(context, first_tasks(kMembers));
    std::vector<Case> cases;
    for (const Bytes bytes : {8, 64, 504, 8192, 12'000}) {
      cases.push_back(make_case(Collective::kAllreduce, 0, bytes, false, true, kMembers));
    }
    cases.push_back(make_case(Collective::kBroadcast, 3, 64, false, true, kMembers));
    std::vector<std::unique_ptr<Buffers>> buffers;
    for (const Case& made : cases) {
      buffers.push_back(std::make_unique<Buffers>(context, group, made));
    }
    for (std::uint32_t time = 0; time < 200; ++time) {
      const std::size_t c = time * time / 7 % cases.size();
      // What was right before must not look so again.
      if (cases[c].call.what == Collective::kAllreduce) {
        context.device().store(buffers[c]->out(), cases[c].inputs[group.rank()]);
      }
      const auto request =
          require(start(group, cases[c], buffers[c]->in(), buffers[c]->out()), "start");
      check(group.is_run_by_mu(request), "run by the MU");
      require(group.wait(request, context.now() + kPatience), "wait");
      buffers[c]->check_result(text_of(cases[c], kMembers));
    }
  }),
            "");
}

// Lists of operands lie in the windows, which several long calls under way take in turn.
TEST(Offload, OverlapsLongAllreduces) {
  constexpr std::uint32_t kMembers = 5;
  std::vector<Case> cases;
  for (const Bytes bytes : {8192, 24000, 6000, 40000, 16384}) {
    cases.push_back(make_case(Collective::kAllreduce, 0, bytes, bytes % 16 != 0, true, kMembers));
  }
  Job job(options_for(kMembers));
  EXPECT_EQ(job.run([&](Context& context) {
    Group group = mu_group(context, first_tasks(kMembers));
    std::vector<std::unique_ptr<Buffers>> buffers;
    std::vector<CollectiveRequest> open;
    for (const Case& made : cases) {
      buffers.push_back(std::make_unique<Buffers>(context, group, made));
      open.push_back(
          require(start(group, made, buffers.back()->in(), buffers.back()->out()), "start"));
      check(group.is_run_by_mu(open.back()), "run by the MU");
    }
    for (std::size_t i = 0; i < cases.size(); ++i) {
      require(group.wait(open[i], context.now() + kPatience), "wait");
      buffers[i]->check_result(text_of(cases[i], kMembers));
    }
  }),
            "");
}

}  // namespace
}  // namespace torusmu::testing

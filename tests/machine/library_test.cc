// SPDX-License-Identifier: Apache-2.0
// The host library on the RTL machine: the programs of tests/host, with refusals, stalls and small
// rings.
#include <gtest/gtest.h>

#include "tests/host/programs.h"
#include "tests/host/random_endpoints.h"
#include "tests/support/machine_player.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

// Runs the program as every task of an RTL machine; what failed, empty if nothing did.
class RtlJob {
 public:
  explicit RtlJob(const JobOptions& options)
      : player_(config_of(options)), job_(options, player_) {}

  std::string run(const Job::Program& program) {
    job_.run(program);
    return player_.failures;
  }
  [[nodiscard]] std::uint64_t sum(std::uint64_t ContextCounts::*count) const {
    return job_.sum(count);
  }
  [[nodiscard]] const NodePlan& plan() const { return job_.plan(); }
  [[nodiscard]] Cycles now() const { return player_.now(); }

 private:
  static MachineConfig config_of(const JobOptions& options) {
    MachineConfig config;
    config.engine.shape = options.machine.shape;
    config.seed = options.machine.seed;
    config.memory_size = options.machine.memory_size;
    return config;
  }

  MachinePlayer player_;
  Job job_;
};

JobOptions on(Shape shape) {
  JobOptions options;
  options.machine.shape = shape;
  return options;
}

TEST(LibraryOnRtl, SendsAgainWhatAStalledReceiverRefused) {
  for (const Bytes bytes : {Bytes{8}, Bytes{400}, Bytes{512}}) {
    JobOptions options = on({3, 1, 1});
    options.plan.fifo_slots = 64;
    RtlJob job(options);
    EXPECT_EQ(job.run(many_to_one_program(50, bytes, 200'000)), "");
    EXPECT_GT(job.sum(&ContextCounts::refusals), 0U);
    EXPECT_GT(job.sum(&ContextCounts::resent), 0U);
  }
}

TEST(LibraryOnRtl, ResumesALongMessageThatTheFifoCannotHold) {
  JobOptions options = on({3, 1, 1});
  options.plan.fifo_slots = 40;
  options.context.eager_limit = 65536;
  RtlJob job(options);
  EXPECT_EQ(job.run(many_to_one_program(20, 5000, 100'000)), "");
  EXPECT_GT(job.sum(&ContextCounts::refusals), 0U);
}

TEST(LibraryOnRtl, RepeatsGetsThatFoundAFullQueue) {
  JobOptions options = on({4, 1, 1});
  options.plan.get_slots = 2;
  options.context.eager_limit = 0;
  RtlJob job(options);
  EXPECT_EQ(job.run(one_to_many_program(8, 3000)), "");
  EXPECT_GT(job.sum(&ContextCounts::refusals), 0U);
}

// Several wait for the one mailbox, and reflection nodes that have one slot each.
TEST(LibraryOnRtl, EndsLongSendsByReflection) {
  JobOptions options = on({2, 2, 1});
  options.plan.mailboxes = 1;
  options.plan.reflection_slots = 1;
  options.context.long_send_end = SendEnd::kReflected;
  RtlJob job(options);
  EXPECT_EQ(job.run(all_to_all_program(1, 8, 6000)), "");
  EXPECT_GT(job.sum(&ContextCounts::ended_by_reflection), 0U);
  EXPECT_EQ(job.sum(&ContextCounts::ended_by_reflection), job.sum(&ContextCounts::sent_by_request));
}

TEST(LibraryOnRtl, FindsOutWhatLostNoticesSaid) {
  JobOptions options = on({3, 1, 1});
  options.plan.fifo_slots = 64;
  options.plan.notice_slots = 1;
  options.context.probe_after = 50'000;
  RtlJob job(options);
  EXPECT_EQ(job.run(many_to_one_program(60, 400, 300'000)), "");
  EXPECT_GT(job.sum(&ContextCounts::notice_overflows), 0U);
}

TEST(LibraryOnRtl, PutsFromAllToAllOnEveryShape) {
  for (const Shape shape : {Shape{1, 1, 1}, Shape{2, 1, 1}, Shape{2, 2, 2}, Shape{3, 2, 2}}) {
    RtlJob job(on(shape));
    EXPECT_EQ(job.run(put_to_all_program(700)), "") << shape.x << shape.y << shape.z;
  }
}

TEST(LibraryOnRtl, ReflectsWithOneCreditADirection) {
  JobOptions options = on({2, 2, 1});
  options.plan.reflection_slots = 1;
  options.plan.reply_slots = 32;
  options.plan.mailboxes = 2;
  RtlJob job(options);
  EXPECT_EQ(job.run(put_to_all_program(3000)), "");
}

class CollectivesOnRtl : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(CollectivesOnRtl, GiveTheDocumentedResults) {
  for (const Bytes limit : {Bytes{0}, Bytes{512}}) {
    JobOptions options = on(shape_of(GetParam()));
    options.context.eager_limit = limit;
    RtlJob job(options);
    EXPECT_EQ(job.run(collectives_program), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Of, CollectivesOnRtl, ::testing::Values(1, 2, 3, 7, 8, 12));

TEST(LibraryOnRtl, CarriesRandomTrafficWholeAndInOrder) {
  Random random(21);
  SCOPED_TRACE(random.replay());
  for (const Bytes limit : {Bytes{0}, Bytes{512}, Bytes{65536}}) {
    JobOptions options = on({3, 2, 1});
    options.machine.seed = random.bits64();
    options.context.eager_limit = limit;
    options.plan.fifo_slots = static_cast<std::uint32_t>(64 + random.below(512));
    RtlJob job(options);
    EXPECT_EQ(job.run(all_to_all_program(random.bits64(), 25, 1500)), "");
  }
}

TEST(LibraryOnRtl, KeepsSeveralTasksOfANodeApart) {
  JobOptions options = on({2, 1, 1});
  options.plan.clients = 4;
  options.plan.fifo_slots = 256;
  RtlJob job(options);
  EXPECT_EQ(job.run(all_to_all_program(5, 10, 1500)), "");
}

// Clients and contexts of a node, and the shape of the machine.
struct Split {
  std::uint32_t clients;
  std::uint32_t contexts;
  Shape shape;
};

class SplitNodes : public ::testing::TestWithParam<Split> {};

TEST_P(SplitNodes, DoWhatTheReferenceDoes) {
  const auto& [clients, contexts, shape] = GetParam();
  Random random(clients * 10 + contexts);
  SCOPED_TRACE(random.replay());
  for (const Bytes limit : {Bytes{0}, Bytes{512}}) {
    JobOptions options = on(shape);
    options.machine.seed = random.bits64();
    options.machine.memory_size = Bytes{64} << 20;
    options.plan.clients = clients;
    options.plan.contexts = contexts;
    options.plan.fifo_slots = static_cast<std::uint32_t>(64 + random.below(500));
    options.context.eager_limit = limit;
    RtlJob job(options);
    EXPECT_EQ(job.run(random_endpoints_program(random.bits64(), job.plan(), 16)), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Of, SplitNodes,
                         ::testing::Values(Split{1, 1, {2, 1, 1}}, Split{4, 1, {2, 1, 1}},
                                           Split{2, 2, {2, 1, 1}}, Split{1, 4, {3, 1, 1}},
                                           Split{4, 1, {2, 2, 1}}),
                         [](const auto& its) {
                           const Split& split = its.param;
                           return std::to_string(split.clients) + "x" +
                                  std::to_string(split.contexts) + "On" +
                                  std::to_string(split.shape.nodes());
                         });

TEST(LibraryOnRtl, WakesContextsThoughOthersClearTheCauses) {
  JobOptions options = on({2, 1, 1});
  options.plan.contexts = 3;
  options.context.spin_polls = 1;
  options.context.probe_after = options.context.probe_most = 1'000'000'000;
  options.context.ack_delay = 1'000'000'000;
  options.limit = 20'000'000;
  options.linger = 0;
  RtlJob job(options);
  EXPECT_EQ(job.run(rendezvous_program(3, 40)), "");
  EXPECT_GT(job.sum(&ContextCounts::sleeps), 50U);
  EXPECT_LT(job.now(), 2'000'000U) << "somebody slept for long";
}

TEST(LibraryOnRtl, WakesAContextForWhichWorkIsPosted) {
  JobOptions options = on({1, 1, 1});
  options.plan.contexts = 2;
  options.context.spin_polls = 1;
  constexpr int kPieces = 30;
  int done = 0;
  RtlJob job(options);
  EXPECT_EQ(job.run([&](Context& context) {
    if (context.id().value == 1) {
      require(context.advance_until([&] { return done == kPieces; }, context.now() + 5'000'000),
              "work");
      return;
    }
    for (int i = 0; i < kPieces; ++i) {
      context.device().compute(1500);
      require(context.post({1}, [&] { ++done; }), "post");
    }
  }),
            "");
  EXPECT_LT(job.now(), 1'000'000U) << "it slept for long";
}

TEST(LibraryOnRtl, KeepsAProcessAwayFromWhatAnotherOwns) {
  JobOptions options = on({2, 1, 1});
  options.plan.clients = 2;
  options.plan.contexts = 2;
  RtlJob job(options);
  EXPECT_EQ(job.run(spite_beside_messages_program(4)), "");
}

}  // namespace
}  // namespace torusmu::testing

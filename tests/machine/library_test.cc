// SPDX-License-Identifier: Apache-2.0
// The host library on the RTL machine: the programs of tests/host, with refusals, stalls and small
// rings.
#include <gtest/gtest.h>

#include "tests/host/programs.h"
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

}  // namespace
}  // namespace torusmu::testing

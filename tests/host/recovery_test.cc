// SPDX-License-Identifier: Apache-2.0
// What the library does when something is refused, lost or late.
#include <gtest/gtest.h>

#include "tests/host/programs.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

using model::Fate;

namespace h = layout::packet_header;

JobOptions small_fifos(std::uint32_t slots) {
  JobOptions options;
  options.machine.shape = {3, 1, 1};
  options.plan.fifo_slots = slots;
  return options;
}

std::string many_to_one(Job& job, std::uint64_t count, Bytes bytes, Cycles stall) {
  return job.run(many_to_one_program(count, bytes, stall));
}

TEST(Refusals, OfAStalledReceiverAreSentAgainInOrder) {
  for (const Bytes bytes : {Bytes{8}, Bytes{400}, Bytes{512}}) {
    Job job(small_fifos(64));
    EXPECT_EQ(many_to_one(job, 50, bytes, 200'000), "");
    EXPECT_GT(job.sum(&ContextCounts::refusals), 0U);
    EXPECT_GT(job.sum(&ContextCounts::resent), 0U);
  }
}

TEST(Refusals, InTheMiddleOfALongMessageLoseNothing) {
  JobOptions options = small_fifos(40);
  options.context.eager_limit = 65536;
  Job job(options);
  EXPECT_EQ(many_to_one(job, 20, 5000, 100'000), "");
  EXPECT_GT(job.sum(&ContextCounts::refusals), 0U);
  EXPECT_GT(job.sum(&ContextCounts::gaps) + job.sum(&ContextCounts::duplicates), 0U);
}

TEST(Refusals, AreRareWhenTheReceiverKeepsUp) {
  Job job(small_fifos(2048));
  EXPECT_EQ(many_to_one(job, 50, 400, 0), "");
  EXPECT_EQ(job.sum(&ContextCounts::refusals), 0U);
  EXPECT_EQ(job.sum(&ContextCounts::resent), 0U);
}

TEST(Refusals, OfGetsAtAFullQueueAreRepeated) {
  JobOptions options;
  options.machine.shape = {4, 1, 1};
  options.plan.get_slots = 2;  // one get at a time
  options.context.eager_limit = 0;
  Job job(options);
  EXPECT_EQ(job.run(one_to_many_program(8, 3000)), "");
  EXPECT_GT(job.sum(&ContextCounts::refusals), 0U);
  // The notices were enough: nobody had to ask.
  EXPECT_EQ(job.sum(&ContextCounts::probes_sent), 0U);
}

TEST(Refusals, WithARingOfOneNoticeAreFoundOutByAsking) {
  JobOptions options = small_fifos(64);
  options.plan.notice_slots = 1;
  options.context.probe_after = 50'000;
  Job job(options);
  EXPECT_EQ(many_to_one(job, 60, 400, 300'000), "");
  EXPECT_GT(job.sum(&ContextCounts::notice_overflows), 0U);
  EXPECT_GT(job.sum(&ContextCounts::probes_sent), 0U);
}

TEST(Refusals, OfANodeThatIsSetUpLaterAreTriedAgain) {
  JobOptions options;
  options.machine.shape = {2, 1, 1};
  const NodePlan plan =
      require(NodePlan::make(options.machine.shape, kSim, options.machine.memory_size), "plan");
  model::ReferenceMachine machine(options.machine);
  std::vector<std::byte> got;
  for (std::uint32_t n = 0; n < 2; ++n) {
    machine.add_core({n}, [&, n](Device& device) {
      if (n == 1) device.compute(500'000);
      require(NodeSetup(device, plan).run(), "setup");
      Context context(device, plan, {0});
      if (n == 0) {
        finish(context, context.send({1}, 1, put_into_heap(context, pattern(1, 100)), 100));
      } else {
        const Address buffer = require(context.take_heap(100), "heap");
        finish(context, context.receive({0}, 1, buffer, 100));
        got = get_from(context, buffer, 100);
      }
      require(context.flush(context.now() + 10'000'000), "flush");
    });
  }
  EXPECT_TRUE(machine.run(100'000'000));
  EXPECT_EQ(machine.problems(), "");
  EXPECT_EQ(got, pattern(1, 100));
}

// Whatever kind of packet is lost, here and there: all arrives in the end, once.
class Losses : public ::testing::TestWithParam<Kind> {};

TEST_P(Losses, AreMadeGood) {
  Random random(static_cast<std::uint64_t>(GetParam()) + 100);
  SCOPED_TRACE(random.replay());
  for (const Bytes limit : {Bytes{0}, Bytes{512}, Bytes{65536}}) {
    JobOptions options = small_fifos(256);
    options.machine.seed = random.bits64();
    options.context.eager_limit = limit;
    options.context.probe_after = 50'000;
    options.limit = 2'000'000'000;
    Job job(options);
    Rng rng(random.bits64());
    job.machine().watch_packets([&](const model::Packet& packet) {
      return packet.header.get<h::kind>() == GetParam() && rng.chance(50) ? Fate::kLost
                                                                          : Fate::kArrives;
    });
    EXPECT_EQ(many_to_one(job, 40, 1500, 20'000), "");
    // At this rate some of the hundreds of FIFO packets are always among them.
    EXPECT_GE(job.machine().packets_lost(), GetParam() == Kind::kFifo ? 1U : 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Packets, Losses,
                         ::testing::Values(Kind::kFifo, Kind::kGet, Kind::kPut, Kind::kNotice),
                         [](const auto& kind) { return std::string(name_of(kind.param)); });

TEST(Duplicates, OfAnyPacketChangeNothing) {
  Random random(12);
  SCOPED_TRACE(random.replay());
  for (const Bytes limit : {Bytes{0}, Bytes{512}, Bytes{65536}}) {
    JobOptions options = small_fifos(2048);
    options.context.eager_limit = limit;
    Job job(options);
    Rng rng(random.bits64());
    // Messages, acknowledgements and notices; a get that arrives twice would fetch twice.
    job.machine().watch_packets([&](const model::Packet& packet) {
      const Kind kind = packet.header.get<h::kind>();
      const bool twice = (kind == Kind::kFifo || kind == Kind::kNotice) && rng.chance(200);
      return twice ? Fate::kArrivesTwice : Fate::kArrives;
    });
    EXPECT_EQ(many_to_one(job, 40, 1500, 20'000), "");
    EXPECT_GT(job.sum(&ContextCounts::duplicates), 0U);
  }
}

TEST(Duplicates, OfPartsOfMessagesAreDropped) {
  JobOptions options = small_fifos(2048);
  options.context.probe_after = 20'000;
  options.context.eager_limit = 65536;
  Job job(options);
  // A packet lost in the middle of a message makes all of the message go out again.
  Rng rng(5);
  job.machine().watch_packets([&](const model::Packet& packet) {
    return packet.header.get<h::kind>() == Kind::kFifo && rng.chance(50) ? Fate::kLost
                                                                         : Fate::kArrives;
  });
  EXPECT_EQ(many_to_one(job, 30, 5000, 30'000), "");
  EXPECT_GT(job.sum(&ContextCounts::resent), 0U);
  EXPECT_GT(job.sum(&ContextCounts::duplicates), 0U);
}

TEST(Acknowledgements, OfWhatWasNeverSentAreIgnored) {
  Job job(small_fifos(2048));
  Rng rng(4);
  // A peer that lies: every third acknowledgement is for messages far ahead.
  job.machine().watch_packets([&](model::Packet& packet) {
    namespace t = layout::packet_trailer;
    if (packet.header.get<h::kind>() == Kind::kFifo && rng.chance(333)) {
      const auto numbers = packet.trailer.get<t::sequence_number>();
      packet.trailer.set<t::sequence_number>((numbers + (std::uint64_t{5000} << 16)) & 0xFFFFFFFF);
      packet.seal();
    }
    return Fate::kArrives;
  });
  EXPECT_EQ(many_to_one(job, 40, 300, 20'000), "");
}

TEST(Polls, ReadNoRegisterWhileNothingComes) {
  JobOptions options = small_fifos(64);
  Job job(options);
  EXPECT_EQ(job.run([](Context& context) {
    // Rings that have been round: every slot has held a packet.
    many_to_one_program(30, 400, 0)(context);
    require(context.flush(context.now() + 10'000'000), "flush");
    require(context.linger(1'000'000), "linger");
    const std::uint64_t reads = context.counts().tail_reads;
    for (int i = 0; i < 1000; ++i) require(context.advance(), "advance");
    check(context.counts().tail_reads == reads, "a tail was read");
    check(context.counts().polls > 1000, "nobody looked");
  }),
            "");
}

TEST(Deadlines, EndAReceiveThatNobodySendsTo) {
  JobOptions options;
  options.machine.shape = {2, 1, 1};
  Job job(options);
  EXPECT_EQ(job.run([](Context& context) {
    if (context.task().value != 0) return;
    const Address buffer = require(context.take_heap(8), "heap");
    const auto request = require(context.receive({1}, 1, buffer, 8), "receive");
    const Cycles deadline = context.now() + 50'000;
    const auto done = context.wait(request, deadline);
    check(!done && done.error() == Errc::kDeadline, "no deadline");
    check(context.now() >= deadline && context.now() < deadline + 5'000, "ended too early or late");
    check(context.cancel(request), "cancel");
  }),
            "");
}

TEST(Deadlines, EndASendWhoseReceiverNeverComes) {
  JobOptions options;
  options.machine.shape = {2, 1, 1};
  options.context.eager_limit = 0;
  options.limit = 3'000'000;
  Job job(options);
  // The other task computes and calls nothing.
  const std::string problems = job.run([](Context& context) {
    if (context.task().value == 1) return context.device().compute(2'500'000);
    const Address data = put_into_heap(context, pattern(1, 8));
    const auto request = require(context.send({1}, 1, data, 8), "send");
    const auto done = context.wait(request, context.now() + 100'000);
    check(!done && done.error() == Errc::kDeadline, "no deadline");
    throw std::runtime_error("reached the end");
  });
  EXPECT_NE(problems.find("reached the end"), std::string::npos) << problems;
}

TEST(Deadlines, EndAFlushWhosePeerNeverAnswers) {
  JobOptions options;
  options.machine.shape = {2, 1, 1};
  options.limit = 3'000'000;
  Job job(options);
  const std::string problems = job.run([](Context& context) {
    if (context.task().value == 1) return context.device().compute(2'500'000);
    finish(context, context.send({1}, 1, put_into_heap(context, pattern(1, 8)), 8));
    check(context.flush(context.now() + 200'000) == Errc::kDeadline, "no deadline");
    throw std::runtime_error("reached the end");
  });
  EXPECT_NE(problems.find("reached the end"), std::string::npos) << problems;
}

TEST(Buffers, ThatAreUsedUpMakeSendsWaitInOrder) {
  JobOptions options = small_fifos(2048);
  options.plan.buffer_bytes = 4096;
  Job job(options);
  EXPECT_EQ(many_to_one(job, 60, 500, 100'000), "");
}

// A device that has gone: every register reads as all ones, as it does for a card that fell off.
class GoneDevice final : public Device {
 public:
  Shape shape() const override { return {2, 1, 1}; }
  NodeId node() const override { return {0}; }
  Bytes memory_size() const override { return Bytes{16} << 20; }
  void write32(std::uint32_t, std::uint32_t) override { ++now_; }
  void write64(std::uint32_t, std::uint64_t) override { ++now_; }
  std::uint32_t read32(std::uint32_t) override { return ++now_, ~std::uint32_t{0}; }
  std::uint64_t read64(std::uint32_t) override { return ++now_, ~std::uint64_t{0}; }
  void store(Address, std::span<const std::byte>) override { ++now_; }
  void load(Address, std::span<std::byte> data) override {
    ++now_;
    std::fill(data.begin(), data.end(), std::byte{0xFF});
  }
  void work(Work, std::uint64_t) override { ++now_; }
  void compute(Cycles cycles) override { now_ += cycles; }
  Cycles now() const override { return now_; }
  bool wait_interrupt(ClientId, Cycles deadline) override { return now_ = deadline, false; }

 private:
  Cycles now_ = 0;
};

TEST(GoneDevice, IsReportedBySetupAndByEveryWait) {
  GoneDevice device;
  const NodePlan plan = require(NodePlan::make({2, 1, 1}, kSim, Bytes{16} << 20), "plan");
  EXPECT_EQ(NodeSetup(device, plan).run(), Errc::kDeviceGone);
  Context context(device, plan, {0});
  EXPECT_EQ(context.advance(), Errc::kDeviceGone);
  const auto request = context.receive({1}, 1, 0, 0);
  ASSERT_TRUE(request);
  EXPECT_EQ(context.wait(request.value(), 1'000'000).error(), Errc::kDeviceGone);
}

}  // namespace
}  // namespace torusmu::testing

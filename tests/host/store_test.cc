// SPDX-License-Identifier: Apache-2.0
// Data that the MU stores out of the reception FIFO into the buffers of receives: StoreBy::kMu.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "tests/host/programs.h"
#include "tests/support/seed.h"
#include "torusmu/registers.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;

constexpr Bytes kLine = 64;

JobOptions by_mu() {
  JobOptions options;
  options.machine.shape = {2, 1, 1};
  options.plan.store_entries = 256;
  options.context.store_by = StoreBy::kMu;
  options.context.store_from = 1;
  return options;
}

std::uint64_t packets_of(Bytes bytes) { return (bytes + 511) / 512; }

// Task 0 sends the messages, each of which task 1 has posted a receive for; it sends them when that
// says so. Their buffers lie at the given offsets in lines, with a line of 0xEE on either side.
struct Posted {
  Bytes bytes = 0;
  Bytes capacity = 0;
  Bytes offset = 0;
};

std::string play(Job& job, const std::vector<Posted>& messages) {
  return job.run([&](Context& context) {
    if (context.task().value == 0) {
      const Address word = require(context.take_heap(8), "heap");
      finish(context, context.receive({1}, 2, word, 8));
      std::vector<Request> sends;
      for (std::size_t i = 0; i < messages.size(); ++i) {
        const Address data = put_into_heap(context, pattern(i, messages[i].bytes));
        sends.push_back(require(context.send({1}, 1, data, messages[i].bytes), "send"));
        if (i % 8 != 7) continue;
        for (const Request send : sends) finish(context, Result<Request>(send));
        sends.clear();
      }
      for (const Request send : sends) finish(context, Result<Request>(send));
      return;
    }
    struct Receive {
      Request request;
      Address area;
      std::vector<std::byte> wanted;
    };
    std::vector<Receive> receives;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const Posted& posted = messages[i];
      std::vector<std::byte> all(posted.capacity + 3 * kLine, std::byte{0xEE});
      const Address area = put_into_heap(context, all);
      const Address buffer = area + kLine + posted.offset;
      const auto data = pattern(i, posted.bytes);
      std::copy_n(data.begin(), std::min(posted.bytes, posted.capacity),
                  all.begin() + static_cast<std::ptrdiff_t>(kLine + posted.offset));
      receives.push_back(
          {require(context.receive({0}, 1, buffer, posted.capacity), "receive"), area, all});
    }
    finish(context, context.send({0}, 2, put_into_heap(context, pattern(0, 8)), 8));
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const auto done = require(context.wait(receives[i].request, context.now() + 100'000'000),
                                "message " + std::to_string(i));
      const bool is_cut = messages[i].bytes > messages[i].capacity;
      check(done.error == (is_cut ? make_error_code(Errc::kTruncated) : std::error_code()),
            "error of message " + std::to_string(i));
      check(done.length == messages[i].bytes, "length of message " + std::to_string(i));
      check(get_from(context, receives[i].area, receives[i].wanted.size()) == receives[i].wanted,
            "bytes of message " + std::to_string(i));
    }
  });
}

TEST(StoresByMu, AreExactForEveryLength) {
  for (const Bytes first : {1U, 171U, 342U}) {
    std::vector<Posted> messages;
    for (Bytes bytes = first; bytes < first + 171 && bytes <= 512; ++bytes) {
      messages.push_back({bytes, bytes, 0});
    }
    Job job(by_mu());
    ASSERT_EQ(play(job, messages), "");
    EXPECT_EQ(job.counts(1).stored_by_mu, messages.size());
    EXPECT_EQ(job.counts(1).stores_no_room, 0U);
    EXPECT_EQ(job.counts(1).received, messages.size());
  }
}

TEST(StoresByMu, AreExactForBuffersAtEveryOffset) {
  for (const Bytes bytes : {1U, 31U, 64U, 129U, 480U, 512U}) {
    std::vector<Posted> messages;
    for (Bytes offset = 0; offset < kLine; ++offset) messages.push_back({bytes, bytes, offset});
    Job job(by_mu());
    ASSERT_EQ(play(job, messages), "") << bytes;
    EXPECT_EQ(job.counts(1).stored_by_mu, messages.size());
  }
}

// 32 slots, and messages of 3 to 17: every slot is the last of the ring before a payload wraps.
TEST(StoresByMu, AreExactWhereTheRingEndsInAPayload) {
  JobOptions options = by_mu();
  options.plan.fifo_slots = 32;
  Job job(options);
  std::vector<Posted> messages;
  for (Bytes i = 0; i < 300; ++i) messages.push_back({33 + i * 37 % 480, 512, i % 7});
  ASSERT_EQ(play(job, messages), "");
  EXPECT_EQ(job.counts(1).stored_by_mu, messages.size());
}

TEST(StoresByMu, OfSeveralPacketsEndWithTheLast) {
  for (const Bytes bytes : {513U, 1024U, 5000U, 65536U}) {
    JobOptions options = by_mu();
    options.context.eager_limit = 65536;
    Job job(options);
    ASSERT_EQ(play(job, {{bytes, bytes, 5}, {bytes - 1, bytes, 0}}), "") << bytes;
    EXPECT_EQ(job.counts(1).stored_by_mu + job.counts(1).stores_no_room,
              packets_of(bytes) + packets_of(bytes - 1));
    EXPECT_GT(job.counts(1).stored_by_mu, 0U);
  }
}

TEST(StoresByMu, CutMessagesWhereTheirBuffersEnd) {
  JobOptions options = by_mu();
  options.context.eager_limit = 4096;
  Job job(options);
  ASSERT_EQ(play(job, {{100, 99, 0},
                       {512, 1, 3},
                       {512, 0, 0},
                       {2000, 513, 1},
                       {2000, 512, 0},
                       {2000, 0, 0},
                       {64, 64, 0}}),
            "");
  EXPECT_EQ(job.counts(1).stored_by_mu, 6U);  // packets of which the buffer takes anything
}

TEST(StoresByMu, LeaveWhatIsBelowTheThresholdToTheCore) {
  JobOptions options = by_mu();
  options.context.store_from = 200;
  Job job(options);
  ASSERT_EQ(play(job, {{199, 199, 0}, {200, 200, 0}, {512, 199, 0}, {1, 1, 0}, {512, 512, 0}}), "");
  EXPECT_EQ(job.counts(1).stored_by_mu, 2U);
  EXPECT_EQ(job.counts(1).stores_no_room, 0U);
}

TEST(StoresByMu, AreMadeByTheCoreIfThePlanHasNoEntries) {
  JobOptions options = by_mu();
  options.plan.store_entries = 0;
  Job job(options);
  ASSERT_EQ(play(job, {{512, 512, 0}, {100, 100, 1}}), "");
  EXPECT_EQ(job.counts(1).stored_by_mu, 0U);
}

TEST(StoresByMu, AreMadeByTheCoreUnlessTheContextAsks) {
  JobOptions options = by_mu();
  options.context.store_by = ContextOptions().store_by;
  Job job(options);
  ASSERT_EQ(play(job, {{512, 512, 0}, {100, 100, 1}}), "");
  EXPECT_EQ(job.counts(1).stored_by_mu, 0U);
}

TEST(StoresByMu, GoOnForManyMessagesWithFewEntriesAndASmallRing) {
  for (const std::uint32_t entries : {1U, 2U, 4U}) {
    JobOptions options = by_mu();
    options.plan.store_entries = entries;
    options.plan.fifo_slots = 64;
    Job job(options);
    ASSERT_EQ(play(job, std::vector<Posted>(400, Posted{500, 500, 2})), "") << entries;
    EXPECT_EQ(job.counts(1).stored_by_mu + job.counts(1).stores_no_room, 400U);
    EXPECT_GT(job.counts(1).stored_by_mu, 100U);
  }
}

TEST(StoresByMu, TakeUnexpectedMessagesByTheCore) {
  Job job(by_mu());
  EXPECT_EQ(job.run([](Context& context) {
    if (context.task().value == 0) {
      finish(context, context.send({1}, 1, put_into_heap(context, pattern(1, 512)), 512));
      return;
    }
    require(context.linger(50'000), "linger");
    const Address buffer = require(context.take_heap(512), "heap");
    finish(context, context.receive({0}, 1, buffer, 512));
    check(get_from(context, buffer, 512) == pattern(1, 512), "bytes");
  }),
            "");
  EXPECT_EQ(job.counts(1).received_unexpected, 1U);
  EXPECT_EQ(job.counts(1).stored_by_mu, 0U);
}

// The first packets find no receive, and the others do.
TEST(StoresByMu, ContinueAMessageThatTheCoreHasBegun) {
  JobOptions options = by_mu();
  options.context.eager_limit = 65536;
  options.plan.fifo_slots = 32;  // so that packet by packet is sent again
  Job job(options);
  EXPECT_EQ(job.run([](Context& context) {
    if (context.task().value == 0) {
      finish(context, context.send({1}, 1, put_into_heap(context, pattern(1, 9000)), 9000));
      return;
    }
    const Address buffer = require(context.take_heap(9000), "heap");
    std::optional<Message> message;
    while (!message) {
      require(context.advance(), "advance");
      message = context.probe({0}, 1);
    }
    finish(context, context.receive(*message, buffer, 9000));
    check(get_from(context, buffer, 9000) == pattern(1, 9000), "bytes");
  }),
            "");
  EXPECT_GT(job.counts(1).stored_by_mu, 0U);
  EXPECT_LT(job.counts(1).stored_by_mu, packets_of(9000));
}

// --- copies that are held up --------------------------------------------------------------------

constexpr std::uint32_t kHeldCount = 24;
constexpr Bytes kHeldBytes = 480;  // so that each takes 16 slots

// Task 1 has posted all receives, and a WAIT in the queue that its copies go by. Task 0 sends all,
// and after a while ends the WAIT. Until then none of `kHeldCount` messages is complete of which
// the MU stores the data; task 1 runs `while_held` then.
std::string play_held(
    Job& job, const std::function<void(Context&, const std::vector<Request>&)>& while_held) {
  return job.run([&](Context& context) {
    const EventId event = context.plan().event_counter({0}, 0);
    if (context.task().value == 0) {
      const Address word = require(context.take_heap(8), "heap");
      finish(context, context.receive({1}, 2, word, 8));
      for (std::uint32_t i = 0; i < kHeldCount; ++i) {
        (void)require(
            context.send({1}, 1, put_into_heap(context, pattern(i, kHeldBytes)), kHeldBytes),
            "send");
      }
      require(context.linger(300'000), "linger");
      require(context.post_increment({1}, event), "increment");
      return;
    }
    const Address area =
        put_into_heap(context, std::vector<std::byte>(kHeldCount * kHeldBytes, std::byte{0xEE}));
    std::vector<Request> receives;
    for (std::uint32_t i = 0; i < kHeldCount; ++i) {
      receives.push_back(
          require(context.receive({0}, 1, area + i * kHeldBytes, kHeldBytes), "receive"));
    }
    finish(context, context.send({0}, 2, put_into_heap(context, pattern(0, 8)), 8));
    require(context.run_internal(context.wait_for_event(event, 1)), "wait");
    require(context.linger(100'000), "linger");
    while_held(context, receives);
    for (std::uint32_t i = 0; i < kHeldCount; ++i) {
      if (context.look(receives[i]) == Errc::kBadArgument) continue;
      finish(context, Result<Request>(receives[i]));
    }
    for (std::uint32_t i = 0; i < kHeldCount; ++i) {
      check(get_from(context, area + i * kHeldBytes, kHeldBytes) == pattern(i, kHeldBytes),
            "bytes of message " + std::to_string(i));
    }
  });
}

std::uint32_t complete(Context& context, const std::vector<Request>& requests) {
  return static_cast<std::uint32_t>(std::count_if(requests.begin(), requests.end(),
                                                  [&](Request one) { return context.test(one); }));
}

TEST(StoresByMu, CompleteNoReceiveBeforeItsDataIsThere) {
  Job job(by_mu());
  EXPECT_EQ(play_held(job,
                      [](Context& context, const std::vector<Request>& receives) {
                        check(complete(context, receives) == 0, "one is complete");
                        check(!context.cancel(receives[0]), "one that is matched is cancelled");
                      }),
            "");
  EXPECT_EQ(job.counts(1).stored_by_mu, kHeldCount);
}

// A ring of 64 slots holds four of the messages: no slot is given back, and so no packet taken,
// before the MU has read what lies there. The slots that are held are not taken for news.
TEST(StoresByMu, HoldTheSlotsOfTheRingUntilTheMuHasReadThem) {
  JobOptions options = by_mu();
  options.plan.fifo_slots = 64;
  Job job(options);
  EXPECT_EQ(play_held(job,
                      [](Context& context, const std::vector<Request>& receives) {
                        check(complete(context, receives) == 0, "one is complete");
                        check(context.counts().stored_by_mu == 4, "what the ring holds");
                        check(context.counts().tail_reads < 20,
                              std::to_string(context.counts().tail_reads) + " reads of the tail");
                      }),
            "");
  EXPECT_GT(job.counts(0).refusals, 0U);
  EXPECT_EQ(job.counts(1).stored_by_mu + job.counts(1).stores_no_room, kHeldCount);
}

// The WAIT and seven copies fill the queue; what comes then the core stores at once.
TEST(StoresByMu, AreMadeByTheCoreWhileTheQueueIsFull) {
  JobOptions options = by_mu();
  options.plan.queue_slots = 8;
  Job job(options);
  EXPECT_EQ(play_held(job,
                      [](Context& context, const std::vector<Request>& receives) {
                        check(complete(context, receives) == kHeldCount - 7, "complete");
                        check(context.counts().stored_by_mu == 7, "by the MU");
                        check(context.counts().stores_no_room == kHeldCount - 7, "by the core");
                      }),
            "");
}

TEST(StoresByMu, AreMadeByTheCoreWhileNoEntryIsFree) {
  JobOptions options = by_mu();
  options.plan.store_entries = 4;
  Job job(options);
  EXPECT_EQ(play_held(job,
                      [](Context& context, const std::vector<Request>& receives) {
                        check(complete(context, receives) == kHeldCount - 4, "complete");
                        check(context.counts().stored_by_mu == 4, "by the MU");
                      }),
            "");
}

// The program's own descriptors take all entries while it computes; of the copy behind them no
// entry tells.
TEST(StoresByMu, WhoseEntryIsLostEndWithAnError) {
  JobOptions options = by_mu();
  options.plan.store_entries = 2;
  options.context.probe_after = 20'000;
  Job job(options);
  EXPECT_EQ(job.run([](Context& context) {
    const EventId event = context.plan().event_counter({0}, 0);
    if (context.task().value == 0) {
      finish(context, context.send({1}, 1, put_into_heap(context, pattern(1, 512)), 512));
      require(context.linger(100'000), "linger");
      require(context.post_increment({1}, event), "increment");
      return;
    }
    require(context.run_internal(context.wait_for_event(event, 1)), "wait");
    const Descriptor nop = Descriptor().set<d::opcode>(Opcode::kNop).set<d::signal>(1);
    for (int i = 0; i < 3; ++i) require(context.run_internal(nop), "run");
    const Address buffer = require(context.take_heap(512), "heap");
    const Request receive = require(context.receive({0}, 1, buffer, 512), "receive");
    require(context.linger(10'000), "linger");
    check(context.counts().stored_by_mu == 1, "by the MU");
    context.device().compute(200'000);
    const auto done = require(context.wait(receive, context.now() + 1'000'000), "wait");
    check(done.error == Errc::kDataLost, "error");
  }),
            "");
}

// --- memory that fails --------------------------------------------------------------------------

// Into a region that ends in memory, and another that has been moved behind the end of it.
TEST(StoresByMu, IntoAMemoryThatFailsEndWithAnErrorAndOthersDoNot) {
  constexpr Bytes kBytes = 4096;
  JobOptions options = by_mu();
  options.context.eager_limit = 2000;
  Job job(options);
  const NodePlan& plan = job.plan();
  EXPECT_EQ(job.run([&](Context& context) {
    Device& device = context.device();
    if (context.task().value == 0) {
      const Address word = require(context.take_heap(8), "heap");
      finish(context, context.receive({1}, 2, word, 8));
      for (const Bytes bytes : {Bytes{512}, Bytes{2000}, Bytes{512}, Bytes{300}}) {
        finish(context, context.send({1}, 1, put_into_heap(context, pattern(bytes, bytes)), bytes));
      }
      return;
    }
    const Range memory{plan.end(), kBytes};
    const RegionId region =
        require(NodeSetup(device, plan).register_memory({0}, 0, memory, {}), "register");
    context.know_region(region, memory);
    const Address good = require(context.take_heap(kBytes), "heap");
    const Request first = require(context.receive({0}, 1, good, 512), "receive");
    const Request second = require(context.receive({0}, 1, memory.address, 2000), "receive");
    const Request third = require(context.receive({0}, 1, memory.address, 512), "receive");
    const Request fourth = require(context.receive({0}, 1, good + 1024, 512), "receive");
    device.write64(registers::region::base(region.value), device.memory_size());
    finish(context, context.send({0}, 2, good + 2048, 8));
    finish(context, Result<Request>(first));
    for (const Request failed : {second, third}) {
      const auto done = require(context.wait(failed, context.now() + 1'000'000), "wait");
      check(done.error == Errc::kDataLost, "error");
    }
    check(finish(context, Result<Request>(fourth)).length == 300, "length");
    check(get_from(context, good, 512) == pattern(512, 512), "bytes before");
    check(get_from(context, good + 1024, 300) == pattern(300, 300), "bytes behind");
  }),
            "");
  EXPECT_EQ(job.counts(1).received, 4U);
}

TEST(StoresByMu, IntoARegionThatIsClosedAreRefused) {
  Job job(by_mu());
  const NodePlan& plan = job.plan();
  EXPECT_EQ(job.run([&](Context& context) {
    if (context.task().value == 0) {
      const Address word = require(context.take_heap(8), "heap");
      finish(context, context.receive({1}, 2, word, 8));
      finish(context, context.send({1}, 1, put_into_heap(context, pattern(1, 512)), 512));
      return;
    }
    const Range memory{plan.end(), 4096};
    const RegionId region =
        require(NodeSetup(context.device(), plan).register_memory({0}, 0, memory, {}), "register");
    context.know_region(region, memory);
    const Request receive = require(context.receive({0}, 1, memory.address, 512), "receive");
    context.device().write64(registers::region::config(region.value), 0);
    finish(context, context.send({0}, 2, put_into_heap(context, pattern(1, 8)), 8));
    const auto done = require(context.wait(receive, context.now() + 1'000'000), "wait");
    check(done.error == Errc::kRefused, "error");
  }),
            "");
}

// --- what they cost -----------------------------------------------------------------------------

// Cycles of the core that each of `count` messages of `bytes` takes which have come by the time
// that the program, which computes, advances; and of a second advance(), for what the MU stores.
Cycles cycles_of(StoreBy store_by, Bytes bytes, std::uint32_t count) {
  JobOptions options = by_mu();
  options.context.store_by = store_by;
  Job job(options);
  Cycles taken = 0;
  EXPECT_EQ(job.run([&](Context& context) {
    if (context.task().value == 0) {
      const Address data = put_into_heap(context, pattern(1, bytes));
      for (std::uint32_t i = 0; i < count; ++i) {
        (void)require(context.send({1}, 1, data, bytes), "send");
      }
      return;
    }
    const Address area = require(context.take_heap(count * bytes), "heap");
    std::vector<Request> receives;
    for (std::uint32_t i = 0; i < count; ++i) {
      receives.push_back(require(context.receive({0}, 1, area + i * bytes, bytes), "receive"));
    }
    for (int i = 0; i < 2; ++i) {
      context.device().compute(10'000);
      const Cycles begin = context.now();
      require(context.advance(), "advance");
      taken += context.now() - begin;
    }
    for (const Request receive : receives) check(context.test(receive), "not complete");
  }),
            "");
  EXPECT_EQ(job.counts(1).stored_by_mu, store_by == StoreBy::kMu ? count : 0U);
  return taken / count;
}

TEST(StoresByMu, TakeLessOfTheCoreFromTheThresholdOn) {
  for (const std::uint32_t count : {1U, 16U}) {
    for (const Bytes bytes : {Bytes{64}, Bytes{128}, Bytes{256}, Bytes{512}}) {
      const Cycles by_core = cycles_of(StoreBy::kCore, bytes, count);
      const Cycles by_unit = cycles_of(StoreBy::kMu, bytes, count);
      const std::string what = std::to_string(bytes) + "_bytes_by_" + std::to_string(count);
      RecordProperty("core_" + what, static_cast<int>(by_core));
      RecordProperty("mu_" + what, static_cast<int>(by_unit));
      if (bytes >= ContextOptions().store_from) {
        EXPECT_LT(by_unit, by_core) << what;
      }
    }
  }
}

// --- random -------------------------------------------------------------------------------------

TEST(StoresByMu, OfRandomMessagesAreWhatWasSent) {
  Random random(7890597);
  SCOPED_TRACE(random.replay());
  std::uint64_t stored = 0;
  for (int round = 0; round < 12; ++round) {
    JobOptions options = by_mu();
    options.machine.shape = round % 2 == 0 ? Shape{2, 1, 1} : Shape{3, 1, 1};
    options.machine.seed = random.bits64();
    options.machine.most_delay = 40 + random.below(2000);
    options.plan.fifo_slots = static_cast<std::uint32_t>(32 << random.below(5));
    options.plan.queue_slots = static_cast<std::uint32_t>(8 << random.below(5));
    options.plan.store_entries = static_cast<std::uint32_t>(1 << random.below(7));
    options.context.eager_limit = std::array<Bytes, 3>{512, 2000, 65536}[random.below(3)];
    options.context.store_from = std::array<Bytes, 3>{1, 64, 200}[random.below(3)];
    options.context.spin_polls = static_cast<std::uint32_t>(1 + random.below(64));
    if (random.chance(30)) options.context.polling.policy = PollingPolicy::kHeuristic;
    if (random.chance(20)) options.context.polling.policy = PollingPolicy::kInterrupt;
    Job job(options);
    ASSERT_EQ(job.run(all_to_all_program(random.bits64(), 30, 3000)), "") << "round " << round;
    stored += job.sum(&ContextCounts::stored_by_mu);
  }
  EXPECT_GT(stored, 0U);
}

}  // namespace
}  // namespace torusmu::testing

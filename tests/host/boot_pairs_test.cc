// SPDX-License-Identifier: Apache-2.0
// SENDs to tasks that start late: the unit's own memory keeps the first of each dynamic pair.
#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "tests/host/dynamic_pairs.h"
#include "tests/host/programs.h"
#include "tests/support/seed.h"
#include "torusmu/local_channel.h"

namespace torusmu::testing {
namespace {

constexpr Cycles kLate = 100'000;
constexpr std::uint32_t kKept = 4;
constexpr Bytes kLongest = 200;

JobOptions late_tasks(const Shape& shape, std::uint32_t clients = 1) {
  JobOptions options;
  options.machine.shape = shape;
  options.plan.clients = clients;
  options.plan.boot_buffers = clients;
  options.plan.dynamic_pairs = 1;
  options.plan.boot_pairs = 1;
  options.plan.boot_sends = kKept;
  options.plan.boot_send_bytes = kLongest;
  options.plan.heap_bytes = Bytes{256} << 10;
  return options;
}

// Task `late` starts late, all others at once.
std::vector<Cycles> all_but(const Job& job, std::uint32_t late) {
  std::vector<Cycles> starts(job.plan().tasks());
  starts.at(late) = kLate;
  return starts;
}

Bytes length_of(std::uint32_t from, std::uint32_t word) {
  return 1 + (from * 97 + word * 61) % kLongest;
}

// Sends messages 0 to count - 1 to task 0, waits for each, and says when it was acknowledged.
Job::Program sender(std::uint32_t count, std::vector<Cycles>* acknowledged = nullptr) {
  return [=](Context& context) {
    DynamicQueuePair pair = open(context);
    CompletionQueue completions(context);
    const std::uint32_t self = context.task().value;
    for (std::uint32_t word = 0; word < count; ++word) {
      const auto data = pattern(self * 100 + word, length_of(self, word));
      require(
          pair.post_send({Task{0}, 0}, put_into_heap(context, data), data.size(), {.word = word}),
          "send");
      expect_good(next(context, completions));
      if (acknowledged != nullptr) acknowledged->push_back(context.now());
    }
  };
}

// A message of the pair, wherever it is, has come whole and in its turn.
void check_message(Context& context, const WorkCompletion& message, Address at,
                   std::map<std::uint32_t, std::uint32_t>& words) {
  check(message.sender.has_value(), "the sender is told");
  const std::uint32_t from = message.sender->task.value;
  check(message.word == words[from]++, "messages of one task come in order");
  check(message.bytes == length_of(from, message.word), "the length is told");
  check(get_from(context, at, message.bytes) == pattern(from * 100 + message.word, message.bytes),
        "the data are those that were sent");
}

// What a task does with its pair: messages in the order of their completions, and copies of those
// that were kept.
class Inbox {
 public:
  explicit Inbox(Context& context)
      : context_(context),
        pair_(open(context)),
        completions_(context),
        copy_(require(context.take_heap(kLongest), "heap")) {}

  DynamicQueuePair& pair() { return pair_; }
  void open_anew() { pair_ = open(context_); }
  WorkCompletion message() {
    while (messages_.empty()) take();
    const WorkCompletion oldest = messages_.front();
    messages_.pop_front();
    return oldest;
  }
  // Where the copy is.
  Address copy_of(const WorkCompletion& message) {
    require(pair_.post_copy(message, copy_, {.id = ++id_}), "copy");
    while (copied_ != id_) take();
    return copy_;
  }
  // Takes so many messages: those that were kept by copies, the others by RECEIVEs that are posted
  // now. Returns how many of them had been kept.
  std::uint32_t take_all(std::uint32_t messages) {
    const Address in = require(context_.take_heap(messages * kLongest), "heap");
    for (std::uint32_t i = 0; i + kKept < messages; ++i) {
      require(pair_.post_receive(in + i * kLongest, kLongest, {.id = i}), "receive");
    }
    std::map<std::uint32_t, std::uint32_t> words;
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < messages; ++i) {
      const WorkCompletion message = this->message();
      expect_good(message);
      if (message.kept) ++kept;
      check_message(context_, message, message.kept ? copy_of(message) : in + message.id * kLongest,
                    words);
    }
    return kept;
  }

 private:
  void take() {
    const WorkCompletion done = next(context_, completions_);
    if (done.opcode == Opcode::kReceive) {
      messages_.push_back(done);
      return;
    }
    expect_good(done);
    check(done.opcode == Opcode::kCalc && done.id == ++copied_, "copies are done in order");
  }

  Context& context_;
  DynamicQueuePair pair_;
  CompletionQueue completions_;
  Address copy_;
  std::uint32_t id_ = 0, copied_ = 0;
  std::deque<WorkCompletion> messages_;
};

TEST(BootPairs, KeepTheFirstMessagesOfALateTask) {
  Job job(late_tasks({2, 1, 1}));
  std::vector<Cycles> acknowledged;
  Cycles there = 0;
  const auto late = [&](Context& context) {
    there = context.now();
    check(Inbox(context).take_all(kKept) == kKept, "all were kept");
  };
  EXPECT_EQ(job.run_staggered(all_but(job, 0), {late, sender(kKept, &acknowledged)}), "");
  ASSERT_EQ(acknowledged.size(), kKept);
  // What is kept is final: the sender is told before anybody is there.
  EXPECT_LT(acknowledged.back(), kLate);
  EXPECT_GT(there, kLate);
}

TEST(BootPairs, TakeWhatComesBehindThatWithReceivesOfTheTask) {
  Job job(late_tasks({2, 1, 1}));
  std::vector<Cycles> acknowledged;
  const auto late = [&](Context& context) {
    context.device().compute(20'000);
    check(Inbox(context).take_all(kKept + 6) == kKept, "the first were kept");
  };
  EXPECT_EQ(job.run_staggered(all_but(job, 0), {late, sender(kKept + 6, &acknowledged)}), "");
  ASSERT_EQ(acknowledged.size(), kKept + 6);
  EXPECT_LT(acknowledged[kKept - 1], kLate);
  EXPECT_GT(acknowledged[kKept], kLate) << "sent again until there is a RECEIVE";
}

TEST(BootPairs, KeepMessagesOfAllThatSend) {
  JobOptions options = late_tasks({3, 1, 1}, 2);
  options.plan.queue_pair_slots = 16;
  Job job(options);
  std::vector<Job::Program> programs(job.plan().tasks(), sender(3));
  programs[0] = [](Context& context) {
    check(Inbox(context).take_all(15) == kKept, "the first were kept");
  };
  EXPECT_EQ(job.run_staggered(all_but(job, 0), programs), "");
}

// Nobody is late: the first messages are kept all the same.
TEST(BootPairs, AreThereWithoutABootOfTheirOwn) {
  Job job(late_tasks({2, 1, 1}));
  for (int life = 0; life < 2; ++life) {
    EXPECT_EQ(job.run({[](Context& context) {
                         check(Inbox(context).take_all(kKept + 2) == kKept, "kept");
                       },
                       [](Context& context) {
                         context.device().compute(20'000);
                         sender(kKept + 2)(context);
                       }}),
              "");
  }
}

// The RECEIVE that waited is told of, as for any set-up.
TEST(BootPairs, BeginAnewWithASetUp) {
  Job job(late_tasks({3, 1, 1}));
  const auto late = [&](Context& context) {
    Inbox inbox(context);
    check(inbox.message().kept == 0 && inbox.message().kept == 1, "kept");
    NodeSetup setup(context.device(), job.plan());
    require(setup.set_up_dynamic({0}, 0), "set-up");
    check(inbox.message().error == Errc::kFlushed, "the first that waited");
    inbox.open_anew();
    check(inbox.take_all(kKept + 1) == kKept, "kept");
  };
  const auto after = [](Context& context) {
    context.device().compute(2 * kLate);
    sender(kKept + 1)(context);
  };
  EXPECT_EQ(job.run_staggered(all_but(job, 0), {late, sender(2), after}), "");
}

// What the completion queue says is kept, of entries that the test writes in place of the MU.
TEST(BootPairs, AreToldFromMessagesThatComeAfterTheIndexHasWrapped) {
  namespace e = layout::completion_entry;
  Job job(late_tasks({1, 1, 1}));
  EXPECT_EQ(job.run([&](Context& context) {
    CompletionQueue completions(context);
    const NodePlan& plan = job.plan();
    const QueueId queue = plan.pair_queue({0}, plan.dynamic_pair(0), NodePlan::End::kReceive);
    std::uint32_t told = 0;
    const auto kept = [&](std::uint32_t index) {
      const std::uint32_t entries = plan.options().completion_entries;
      const auto bytes = CompletionEntry()
                             .set<e::phase>(1 - told / entries % 2)
                             .set<e::opcode>(Opcode::kReceive)
                             .set<e::queue>(queue.value)
                             .set<e::index>(index)
                             .bytes();
      context.device().store(
          plan.completion_ring({0}, {0}).address + told++ % entries * bytes.size(),
          std::as_bytes(std::span(bytes)));
      return next(context, completions).kept;
    };
    constexpr std::uint32_t kLast = 0xFFFFFFFF, kStep = 1U << 19;
    check(kept(1) == 1 && kept(0) == 0 && kept(3) == 3, "the first, in another order");
    check(!kept(kKept) && !kept(kKept + 1) && kept(2) == 2, "the last of them");
    for (std::uint32_t i = 1; i <= kLast / kStep; ++i) check(!kept(i * kStep), "those that follow");
    check(!kept(kLast) && !kept(1) && !kept(kLast - 1) && !kept(0), "after the indices wrapped");
    check(!kept(kKept + 1) && !kept(2), "long after");
  }),
            "");
}

TEST(BootPairs, TakeNoLongerMessage) {
  Job job(late_tasks({2, 1, 1}));
  const auto sends = [](Context& context) {
    DynamicQueuePair pair = open(context);
    CompletionQueue completions(context);
    const Address data = put_into_heap(context, pattern(1, kLongest + 1));
    require(pair.post_send({Task{0}, 0}, data, kLongest + 1), "send");
    check(next(context, completions).error == Errc::kTruncated, "one too long");
    require(pair.post_send({Task{0}, 0}, data, kLongest), "send");
    expect_good(next(context, completions));
  };
  const auto late = [](Context& context) {
    Inbox inbox(context);
    const WorkCompletion message = inbox.message();
    check(message.kept == 0 && message.bytes == kLongest, "the longest is the first");
    auto sent = pattern(1, kLongest + 1);
    sent.pop_back();
    check(get_from(context, inbox.copy_of(message), kLongest) == sent, "data");
  };
  EXPECT_EQ(job.run_staggered(all_but(job, 0), {late, sends}), "");
}

TEST(BootPairs, CopyNothingElse) {
  JobOptions options = late_tasks({2, 1, 1});
  options.plan.dynamic_pairs = 2;
  Job job(options);
  const auto late = [](Context& context) {
    Inbox inbox(context);
    const DynamicQueuePair other = open(context, 1);
    const WorkCompletion message = inbox.message();
    const Address to = require(context.take_heap(kLongest), "heap");
    check(other.copy(message, to).error() == Errc::kBadArgument, "of another pair");
    check(inbox.pair().copy(message, 0).error() == Errc::kNotRegistered, "to no region");
    WorkCompletion bad = message;
    bad.kept.reset();
    check(inbox.pair().copy(bad, to).error() == Errc::kBadArgument, "one that was not kept");
    bad.kept = kKept;
    check(inbox.pair().copy(bad, to).error() == Errc::kBadArgument, "a place that is not");
    bad = message;
    bad.error = Errc::kDataLost;
    check(inbox.pair().copy(bad, to).error() == Errc::kBadArgument, "one that failed");
  };
  EXPECT_EQ(job.run_staggered(all_but(job, 0), {late, sender(1)}), "");
}

// The others are opened when the task starts: until then they are refused, as any queue that is
// off.
TEST(BootPairs, AreTheOnlyOnesThatAreOpenEarly) {
  JobOptions options = late_tasks({2, 1, 1});
  options.plan.dynamic_pairs = 2;
  Job job(options);
  const auto early = [](Context& context) {
    DynamicQueuePair pair = open(context);
    CompletionQueue completions(context);
    const Address data = put_into_heap(context, pattern(1, 8));
    require(pair.post_send({Task{0}, 1}, data, 8), "send");
    check(next(context, completions).error == Errc::kRefused, "a pair that keeps nothing");
    context.device().compute(2 * kLate);
    require(pair.post_send({Task{0}, 1}, data, 8), "send");
    expect_good(next(context, completions));
  };
  const auto late = [](Context& context) {
    CompletionQueue completions(context);
    DynamicQueuePair pair = open(context, 1);
    require(pair.post_receive(require(context.take_heap(8), "heap"), 8), "receive");
    const WorkCompletion message = next(context, completions);
    expect_good(message);
    check(!message.kept && message.pair == 1, "a message of its own RECEIVE");
  };
  EXPECT_EQ(job.run_staggered(all_but(job, 0), {late, early}), "");
}

TEST(BootPairs, AreNotForLocalChannels) {
  JobOptions options = late_tasks({1, 1, 1}, 2);
  options.plan.dynamic_pairs = 2;
  Job job(options);
  EXPECT_EQ(job.run([](Context& context) {
    CompletionQueue completions(context);
    check(LocalChannels::open(context, completions, {.pair = 0}).error() == Errc::kBadArgument,
          "a pair whose messages are kept");
    require(LocalChannels::open(context, completions, {.pair = 1}).error(), "another");
  }),
            "");
}

TEST(BootPairs, OfOthersAreNotForLocalChannelsEither) {
  JobOptions options = late_tasks({1, 1, 1}, 2);
  options.plan.boot_buffers = 1;
  Job job(options);
  EXPECT_EQ(job.run([](Context& context) {
    CompletionQueue completions(context);
    auto local = LocalChannels::open(context, completions);
    if (context.task().value == 0) {
      check(local.error() == Errc::kBadArgument, "its messages are kept");
      return;
    }
    check(local.value().connect(Task{0}, nullptr).error() == Errc::kBadArgument, "a boot pair");
    require(local.value().connect(Task{1}, nullptr).error(), "to itself");
  }),
            "");
}

TEST(BootPairs, AreRefusedByThePlanWithAText) {
  PlanOptions options = late_tasks({2, 1, 1}).plan;
  const auto made = [&] { return NodePlan::make({2, 1, 1}, kSim, Bytes{64} << 20, options); };
  EXPECT_FALSE(made().error());
  options.boot_pairs = 2;
  EXPECT_NE(made().message().find("boot_pairs is 2: must be 0 to 1"), std::string::npos);
  options.boot_pairs = 1;
  options.boot_sends = 0;
  EXPECT_NE(made().message().find("boot_sends is 0: must be 1 to 64"), std::string::npos);
  options.boot_sends = options.queue_pair_slots + 1;
  EXPECT_NE(made().message().find("boot_sends is 65: must be 1 to 64"), std::string::npos);
  options.boot_sends = 64;
  options.completion_entries = 32;
  EXPECT_NE(made().message().find("boot_sends is 64: must be 1 to 32"), std::string::npos);
  options.completion_entries = 64;
  options.boot_buffers = 0;
  EXPECT_NE(made().message().find("boot_pairs is 1: must be 0 to 0"), std::string::npos);
  options.boot_buffers = 1;
  options.boot_send_bytes = 0;
  EXPECT_NE(made().message().find("boot_send_bytes is 0"), std::string::npos);
  options.boot_send_bytes = unit_memory_bytes(kSim) / 64;
  EXPECT_EQ(made().error(), Errc::kOutOfResources);
  EXPECT_NE(made().message().find("boot_sends"), std::string::npos) << made().message();
  // Without a pair they are of no account.
  options.boot_pairs = 0;
  EXPECT_FALSE(made().error());
}

}  // namespace
}  // namespace torusmu::testing

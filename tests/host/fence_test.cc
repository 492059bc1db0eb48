// SPDX-License-Identifier: Apache-2.0
// Fences of a context on the reference model: every byte of what they fence is looked for in the
// target's memory in the cycle in which they end.
#include <gtest/gtest.h>

#include "tests/host/job.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

using model::Fate;

namespace h = layout::packet_header;

constexpr Cycles kPatience = 50'000'000;

JobOptions on_nodes(std::uint32_t nodes, std::uint32_t clients = 1) {
  JobOptions options;
  options.machine.shape = shape_of(nodes);
  options.machine.memory_size = Bytes{64} << 20;
  options.plan.clients = clients;
  return options;
}

// Memory of another task, as it is in this cycle.
std::vector<std::byte> peek(Job& job, std::uint32_t task, Address address, Bytes bytes) {
  std::vector<std::byte> found(bytes);
  job.machine().node(job.plan().place({task}).node).memory().read(address, found);
  return found;
}
RemoteMemory heap_of(const Job& job, std::uint32_t task, Bytes offset = 0) {
  return {{task}, job.plan().heap_region(job.plan().place({task}).client), offset};
}
Address heap_address(const Job& job, std::uint32_t task) {
  return job.plan().heap(job.plan().place({task}).client).address;
}
void meet(Context& context) {
  std::vector<Task> members;
  for (std::uint32_t t = 0; t < context.tasks(); ++t) members.push_back({t});
  Group everyone(context, members, 0);
  require(everyone.barrier(context.now() + kPatience), "barrier");
}
Request put(Context& context, const RemoteMemory& to, Address from, Bytes bytes,
            Notify notify = Notify::kInjected) {
  PutOptions options;
  options.notify = notify;
  for (;;) {
    const auto request = context.put(to, from, bytes, options);
    if (request) return request.value();
    check(request.error() == Errc::kAgain, "put");
    require(context.advance(), "advance");
  }
}
std::error_code end_of(Context& context, const Result<Request>& request) {
  return require(context.wait(require(request, "start"), context.now() + kPatience), "wait").error;
}

TEST(Fence, EndsWhenTheLastByteIsThere) {
  for (const std::uint32_t nodes : {1U, 2U, 8U}) {
    Job job(on_nodes(nodes));
    EXPECT_EQ(job.run([&](Context& context) {
      meet(context);
      if (context.task().value != 0) return;
      constexpr Bytes kBytes = 50'000;
      const std::uint32_t to = nodes - 1;
      const Address from = put_into_heap(context, pattern(1, kBytes));
      const Request last = put(context, heap_of(job, to, 500'000), from, kBytes);
      const Request fence = require(context.fence({to}), "fence");
      check(!context.look(fence) && !context.test(fence), "it goes on");
      check(!end_of(context, fence), "fence");
      check(peek(job, to, heap_address(job, to) + 500'000, kBytes) == pattern(1, kBytes), "bytes");
      check(context.test(last), "its queue has passed the put");
    }),
              "");
  }
}

TEST(Fence, OfAllTasksEndsWhenTheLastByteIsEverywhere) {
  constexpr std::uint32_t kClients = 2;
  Job job(on_nodes(8, kClients));
  EXPECT_EQ(job.run([&](Context& context) {
    meet(context);
    if (context.task().value != 3) return;
    constexpr Bytes kBytes = 3000;
    for (int round = 0; round < 3; ++round) {
      for (std::uint32_t t = 0; t < context.tasks(); ++t) {
        const Address from = put_into_heap(context, pattern(100 * round + t, kBytes));
        put(context, heap_of(job, t, 1'000'000), from, kBytes);
      }
      check(!end_of(context, context.fence_all()), "fence");
      for (std::uint32_t t = 0; t < context.tasks(); ++t) {
        check(peek(job, t, heap_address(job, t) + 1'000'000, kBytes) ==
                  pattern(100 * round + t, kBytes),
              "task " + std::to_string(t));
      }
    }
  }),
            "");
}

// Whoever is fenced needs no core for it.
TEST(Fence, OfMessagesWaitsForNobodyWhoHasRoom) {
  Job job(on_nodes(2));
  EXPECT_EQ(job.run([&](Context& context) {
    meet(context);
    require(context.flush(context.now() + kPatience), "flush");
    if (context.task().value == 1) {
      context.device().compute(400'000);
      for (int i = 0; i < 20; ++i) {
        finish(context, context.receive({0}, i, require(context.take_heap(400), "heap"), 400));
      }
      return;
    }
    const Cycles before = context.now();
    const Address from = put_into_heap(context, pattern(1, 400));
    for (int i = 0; i < 20; ++i) finish(context, context.send({1}, i, from, 400));
    check(!end_of(context, context.fence({1})), "fence");
    check(context.now() < before + 50'000, "it waited for the core there");
    check(context.counts().resent == 0, "resent");
  }),
            "");
}

TEST(Fence, OfMessagesThatWereRefusedSaysSoAndWaitsForThem) {
  constexpr Cycles kStall = 300'000;
  constexpr int kMessages = 40;
  JobOptions options = on_nodes(2);
  options.plan.fifo_slots = 64;
  Job job(options);
  EXPECT_EQ(job.run([&](Context& context) {
    meet(context);
    require(context.flush(context.now() + kPatience), "flush");
    const Address data = put_into_heap(context, pattern(7, 400));
    if (context.task().value == 1) {
      context.device().compute(kStall);
      for (int i = 0; i < kMessages; ++i) {
        finish(context, context.receive({0}, i, data, 400));
      }
      return;
    }
    const Cycles before = context.now();
    // Of their refusal nobody knows yet when the fence begins.
    for (int i = 0; i < kMessages; ++i) require(context.send({1}, i, data, 400).error(), "send");
    const Request fence = require(context.fence({1}), "fence");
    std::error_code seen;
    require(context.advance_until(
                [&] {
                  seen = context.look(fence);
                  return static_cast<bool>(seen);
                },
                context.now() + 50'000),
            "nothing is said");
    check(seen == Errc::kResending, seen.message());
    check(!end_of(context, fence), "fence");
    check(context.now() > before + kStall, "before there was room");
    check(context.counts().resent != 0, "resent");
  }),
            "");
}

TEST(Fence, TellsOfAPutThatWasRefusedThoughItsRequestIsOver) {
  Job job(on_nodes(2, 2));
  EXPECT_EQ(job.run([&](Context& context) {
    meet(context);
    if (context.task().value != 0) return;
    const Address from = put_into_heap(context, pattern(1, 5000));
    const RemoteMemory closed{{2}, job.plan().library_region({0}), 0};
    (void)end_of(context, put(context, closed, from, 5000));
    const Address good = heap_address(job, 3) + 4096;
    put(context, heap_of(job, 3, 4096), from, 5000);
    const Request other = require(context.fence({3}), "fence");
    const Request refused = require(context.fence({2}), "fence");
    check(!end_of(context, other), "the other task of that node refuses nothing");
    check(end_of(context, refused) == Errc::kRefused, "refused");
    check(peek(job, 3, good, 5000) == pattern(1, 5000), "bytes");
    check(!end_of(context, context.fence({2})), "it is told once");
    check(!end_of(context, context.fence_all()), "once");
    put(context, closed, from, 64);
    check(end_of(context, context.fence_all()) == Errc::kRefused, "of all");
    const Notify delivered = Notify::kDelivered;
    check(end_of(context, put(context, closed, from, 64, delivered)) == Errc::kRefused, "put");
    check(!end_of(context, put(context, heap_of(job, 2, 64), from, 64, delivered)), "good put");
  }),
            "");
}

// Contexts of a client share the notice ring: each is told of its own puts, whoever reads it.
TEST(Fence, OfEachContextTellsOfItsOwnPuts) {
  constexpr Bytes kBytes = 700;
  JobOptions options = on_nodes(2);
  options.plan.contexts = 2;
  Job job(options);
  EXPECT_EQ(job.run([&](Context& context) {
    const std::uint32_t other = 1 - context.task().value;
    const std::uint32_t own = context.endpoint().context.value;
    const RemoteMemory closed{{other}, job.plan().library_region({0}), 0};
    const Bytes at = 1'000'000 + own * 4096;
    for (std::uint32_t round = 0; round < 20; ++round) {
      const auto data = pattern(100 * round + 10 * other + own, kBytes);
      const bool refused = (round + own) % 2 == 0;
      const Address from = put_into_heap(context, data);
      put(context, heap_of(job, other, at), from, kBytes);
      if (refused) put(context, closed, from, kBytes);
      const auto error = end_of(context, context.fence({other}));
      check(error == (refused ? make_error_code(Errc::kRefused) : std::error_code()),
            "round " + std::to_string(round) + ": " + error.message());
      check(peek(job, other, heap_address(job, other) + at, kBytes) == data, "bytes");
      context.give_heap(from, kBytes);
    }
  }),
            "");
}

TEST(Fence, IsRefusedAfterWhatComesTheOtherWay) {
  Job job(on_nodes(2));
  EXPECT_EQ(job.run([&](Context& context) {
    meet(context);
    const std::uint32_t other = 1 - context.task().value;
    const Address data = put_into_heap(context, pattern(1, 40'000));
    const Address in = require(context.take_heap(40'000), "heap");
    const Request get = require(context.get(in, heap_of(job, other), 40'000), "get");
    check(context.fence({other}).error() == Errc::kNotOrdered, "after a get");
    check(context.fence_all().error() == Errc::kNotOrdered, "of all");
    check(!end_of(context, context.fence(context.task())), "of oneself");
    finish(context, Result<Request>(get));
    check(!end_of(context, context.fence({other})), "after the get");
    const Request send = require(context.send({other}, 1, data, 40'000), "send");
    const auto error = context.fence({other}).error();
    check(error == Errc::kNotOrdered, "after a long message");
    check(error.message().find("wait for the gets from that task") != std::string::npos, "text");
    finish(context, context.receive({other}, 1, in, 40'000));
    finish(context, Result<Request>(send));
    check(!end_of(context, context.fence({other})), "after the message");
  }),
            "");
}

TEST(Fence, OfATaskThatDoesNotExistIsRefused) {
  Job job(on_nodes(2));
  EXPECT_EQ(job.run([&](Context& context) {
    check(context.fence({2}).error() == Errc::kBadArgument, "task");
    check(context.fence(kAnyTask).error() == Errc::kBadArgument, "any task");
    check(context.look({12345}) == Errc::kBadArgument, "a request of nobody");
    const Request fence = require(context.fence({1}), "fence");
    check(!end_of(context, fence), "fence");
    check(context.look(fence) == Errc::kBadArgument, "one that is over");
  }),
            "");
}

// The answer comes again when it, or the question, was lost.
TEST(Fence, EndsThoughItsPacketsAreLost) {
  for (const bool reply : {false, true}) {
    Job job(on_nodes(2));
    int lost = 0;
    job.machine().watch_packets([&](const model::Packet& packet) {
      const bool is_it = packet.header.get<h::kind>() == Kind::kFence && packet.reply() == reply;
      return is_it && lost++ < 3 ? Fate::kLost : Fate::kArrives;
    });
    EXPECT_EQ(job.run([&](Context& context) {
      meet(context);
      if (context.task().value != 0) return;
      const Address from = put_into_heap(context, pattern(1, 5000));
      put(context, heap_of(job, 1, 4096), from, 5000);
      check(!end_of(context, context.fence({1})), "fence");
      check(peek(job, 1, heap_address(job, 1) + 4096, 5000) == pattern(1, 5000), "bytes");
    }),
              "");
    EXPECT_GT(lost, 3);
  }
}

TEST(Fence, OfANodeThatIsSetUpLaterGoesOut) {
  const JobOptions options = on_nodes(2);
  Job job(options);
  const NodePlan& plan = job.plan();
  for (std::uint32_t n = 0; n < 2; ++n) {
    job.machine().add_core({n}, [&, n](Device& device) {
      if (n == 1) device.compute(100'000);
      require(NodeSetup(device, plan).run(), "setup");
      Context context(device, plan, {0});
      if (n == 1) {
        finish(context, context.receive({0}, 1, 0, 0));
        require(context.flush(context.now() + kPatience), "flush");
        require(context.linger(100'000), "linger");
        return;
      }
      put(context, heap_of(job, 1, 64), put_into_heap(context, pattern(1, 64)), 64);
      check(end_of(context, context.fence({1})) == Errc::kRefused, "the put has found nobody");
      check(device.now() > 100'000, "an answer of nobody");
      finish(context, context.send({1}, 1, 0, 0));
      check(!end_of(context, context.fence({1})), "fence");
      require(context.flush(context.now() + kPatience), "flush");
    });
  }
  EXPECT_TRUE(job.machine().run(kPatience)) << job.machine().problems();
  EXPECT_EQ(job.machine().problems(), "");
}

// The notices that were lost may have been of any node.
TEST(Fence, OfANodeOfWhichNothingIsKnownSaysThatNoticesWereLost) {
  JobOptions options = on_nodes(4);
  options.plan.notice_slots = 2;
  Job job(options);
  EXPECT_EQ(job.run([&](Context& context) {
    meet(context);
    if (context.task().value != 0) return;
    const Address from = put_into_heap(context, pattern(1, 64));
    const RemoteMemory closed{{2}, job.plan().library_region({0}), 0};
    put(context, heap_of(job, 1, 64), from, 64);
    for (int i = 0; i < 40; ++i) put(context, closed, from, 64);
    context.device().compute(20'000);
    check(end_of(context, context.fence({1})) == Errc::kNoticesLost, "of node 1");
    check(!end_of(context, context.fence({1})), "nothing was sent since");
    check(end_of(context, context.fence({2})) == Errc::kRefused, "of node 2");
    put(context, heap_of(job, 1, 64), from, 64);
    check(!end_of(context, context.fence({1})), "the next one");
  }),
            "");
}

// --- random programs ----------------------------------------------------------------------------

// What a task has put into its window at each other, and what must be there after a fence.
class RandomFencer {
 public:
  static constexpr Bytes kWindow = 8192;
  static constexpr Bytes kWindowsAt = 512 << 10;

  RandomFencer(Job& job, Context& context, std::uint64_t seed)
      : job_(job),
        context_(context),
        rng_(seed),
        own_(context.task().value),
        wanted_(context.tasks(), std::vector<std::byte>(kWindow)) {
    source_ = put_into_heap(context, pattern(seed, 4 * kWindow));
    copy_ = require(context.take_heap(kWindow), "heap");
    check(copy_ + kWindow < heap_address(job, own_) + kWindowsAt, "the windows lie behind");
  }

  void step() {
    const auto to = static_cast<std::uint32_t>(rng_.below(context_.tasks()));
    switch (rng_.below(8)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return put_somewhere(to);
      case 4:
        return get_back(to);
      case 5:
        return send(to);
      case 6:
        return fence(to);
      default:
        if (rng_.chance(500)) context_.device().compute(rng_.below(3000));
        return require(context_.advance(), "advance");
    }
  }
  // Sends are received, whoever has sent them.
  void finish_all(std::uint64_t messages) {
    for (; received_ < messages; ++received_) {
      finish(context_, context_.receive(kAnyTask, kAnyTag, copy_, kWindow));
    }
    fence_all();
  }
  [[nodiscard]] const std::vector<std::uint64_t>& sent() const { return sent_; }

 private:
  void put_somewhere(std::uint32_t to) {
    const Bytes bytes = 1 + rng_.below(rng_.chance(300) ? 3000 : 100);
    const Bytes at = rng_.below(kWindow - bytes);
    const Bytes from = rng_.below(3 * kWindow);
    const Notify kinds[] = {Notify::kInjected, Notify::kReflectedPut, Notify::kDelivered};
    puts_.push_back(put(context_, heap_of(job_, to, window_of(own_) + at), source_ + from, bytes,
                        kinds[rng_.below(3)]));
    const auto data = get_from(context_, source_ + from, bytes);
    std::copy(data.begin(), data.end(), wanted_[to].begin() + static_cast<std::ptrdiff_t>(at));
  }
  // Whatever was put and fenced comes back.
  void get_back(std::uint32_t to) {
    const Request get =
        require(context_.get(copy_, heap_of(job_, to, window_of(own_)), kWindow), "get");
    const bool refused = context_.fence({to}).error() == Errc::kNotOrdered;
    finish(context_, Result<Request>(get));
    check(refused, "a fence that nothing orders");
  }
  void send(std::uint32_t to) {
    sent_.resize(context_.tasks());
    ++sent_[to];
    finish(context_, context_.send({to}, 1, source_, rng_.below(500)));
  }
  void fence(std::uint32_t to) {
    if (rng_.chance(200)) return fence_all();
    finish(context_, context_.fence({to}));
    compare(to);
  }
  void fence_all() {
    finish(context_, context_.fence_all());
    for (std::uint32_t t = 0; t < context_.tasks(); ++t) compare(t);
    for (const Request request : puts_) finish(context_, Result<Request>(request));
    puts_.clear();
  }
  void compare(std::uint32_t to) {
    const Address at = heap_address(job_, to) + window_of(own_);
    check(peek(job_, to, at, kWindow) == wanted_[to], "bytes at task " + std::to_string(to));
  }
  static Bytes window_of(std::uint32_t task) { return kWindowsAt + task * kWindow; }

  Job& job_;
  Context& context_;
  Rng rng_;
  std::uint32_t own_;
  std::vector<std::vector<std::byte>> wanted_;
  std::vector<std::uint64_t> sent_;
  std::vector<Request> puts_;
  std::uint64_t received_ = 0;
  Address source_ = 0;
  Address copy_ = 0;
};

class RandomFences : public ::testing::TestWithParam<std::pair<std::uint32_t, std::uint32_t>> {};

TEST_P(RandomFences, FindEveryByteInItsPlace) {
  Random random(31);
  SCOPED_TRACE(random.replay());
  const auto [nodes, clients] = GetParam();
  for (int round = 0; round < 3; ++round) {
    JobOptions options = on_nodes(nodes, clients);
    options.machine.seed = random.bits64();
    options.plan.fifo_slots = round == 0 ? 64 : 2048;
    const std::uint64_t seed = random.bits64();
    Job job(options);
    std::vector<std::uint64_t> to_come(job.plan().tasks());
    EXPECT_EQ(job.run([&](Context& context) {
      RandomFencer task(job, context, seed + context.task().value);
      meet(context);
      for (int i = 0; i < 60; ++i) task.step();
      for (std::size_t t = 0; t < task.sent().size(); ++t) to_come[t] += task.sent()[t];
      meet(context);
      task.finish_all(to_come[context.task().value]);
      meet(context);
    }),
              "");
  }
}

INSTANTIATE_TEST_SUITE_P(Tasks, RandomFences,
                         ::testing::Values(std::pair(2U, 1U), std::pair(1U, 2U), std::pair(1U, 4U),
                                           std::pair(4U, 1U), std::pair(2U, 4U), std::pair(8U, 1U),
                                           std::pair(4U, 4U)),
                         [](const auto& shape) {
                           return std::to_string(shape.param.first) + "Nodes" +
                                  std::to_string(shape.param.second) + "Clients";
                         });

}  // namespace
}  // namespace torusmu::testing

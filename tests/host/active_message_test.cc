// SPDX-License-Identifier: Apache-2.0
// Active messages: functions that run at the target, with data at hand or still at its sender.
#include <gtest/gtest.h>

#include <array>

#include "tests/host/endpoints.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr DispatchId kFirst{0};
constexpr DispatchId kSecond{7};
constexpr DispatchId kLast{255};
constexpr DispatchId kNobody{9};

JobOptions of(std::uint32_t tasks, std::uint32_t contexts = 1) {
  JobOptions options;
  options.machine.shape = {tasks, 1, 1};
  options.plan.contexts = contexts;
  return options;
}

std::vector<std::byte> copy_of(std::span<const std::byte> data) {
  return {data.begin(), data.end()};
}

void until(Context& context, const std::function<bool()>& done) {
  require(context.advance_until(done, context.now() + 50'000'000), "wait");
}

// Everybody here before anybody sends.
void meet(Context& context) {
  std::vector<Task> members;
  for (std::uint32_t t = 0; t < context.tasks(); ++t) members.push_back({t});
  Group everyone(context, members, 3);
  require(everyone.barrier(context.now() + 50'000'000), "barrier");
}

class ActiveMessages : public ::testing::TestWithParam<std::pair<Bytes, Bytes>> {};

// Data that goes along and data that is fetched; headers of every length; nothing at all.
TEST_P(ActiveMessages, BringHeaderAndData) {
  const auto& [limit, bytes] = GetParam();
  JobOptions options = of(2);
  options.context.eager_limit = limit;
  const std::array<std::size_t, 5> headers{0, 1, 16, 17, kMostActiveHeader};
  Job job(options);
  EXPECT_EQ(job.run([&, bytes = bytes](Context& context) {
    std::size_t came = 0;
    std::size_t stored = 0;
    const Address buffer = require(context.take_heap(bytes), "heap");
    require(context.register_dispatch(
                kLast,
                [&](const ActiveMessage& message) -> ActiveReceive {
                  check(message.source == Endpoint({0}, {0}), "source");
                  check(copy_of(message.header) == pattern(came, headers.at(came)), "header");
                  check(message.length == bytes, "length");
                  check(message.at_sender == (bytes > limit || headers.at(came) + bytes > 65536),
                        "where the data is");
                  if (!message.at_sender)
                    check(copy_of(message.data) == pattern(99, bytes), "data");
                  ++came;
                  return {buffer, bytes, [&](const Completion& done) {
                            require(done.error, "data");
                            check(done.length == bytes && done.source == Task{0}, "completion");
                            check(get_from(context, buffer, bytes) == pattern(99, bytes), "stored");
                            ++stored;
                          }};
                }),
            "register");
    meet(context);
    if (context.task().value == 0) {
      const Address data = put_into_heap(context, pattern(99, bytes));
      for (std::size_t i = 0; i < headers.size(); ++i) {
        const auto header = pattern(i, headers.at(i));
        finish(context, context.send_active(Endpoint({1}, {0}), kLast, header, data, bytes));
      }
    } else {
      until(context, [&] { return stored == headers.size(); });
    }
  }),
            "");
  EXPECT_EQ(job.counts(1).dispatched, headers.size());
  EXPECT_EQ(job.sum(&ContextCounts::odd_packets), 0U);
}

INSTANTIATE_TEST_SUITE_P(Of, ActiveMessages,
                         ::testing::Values(std::pair(0, 0), std::pair(0, 1), std::pair(512, 0),
                                           std::pair(512, 15), std::pair(512, 512),
                                           std::pair(512, 513), std::pair(512, 20000),
                                           std::pair(65536, 65408), std::pair(65536, 65500)));

// A function that sends back is how a remote call is made.
TEST(ActiveMessage, FunctionsAnswer) {
  Job job(of(2));
  EXPECT_EQ(job.run([](Context& context) {
    int calls = 0;
    const Endpoint other({1 - context.task().value}, {0});
    require(context.register_dispatch(
                kFirst,
                [&](const ActiveMessage& message) -> ActiveReceive {
                  ++calls;
                  const int left = std::to_integer<int>(message.header[0]);
                  if (left == 0) return {};
                  const std::array next{static_cast<std::byte>(left - 1)};
                  require(context.send_active(message.source, kFirst, next, 0, 0).error(),
                          "answer");
                  return {};
                }),
            "register");
    meet(context);
    const std::array first{std::byte{20}};
    if (context.task().value == 0) {
      require(context.send_active(other, kFirst, first, 0, 0).error(), "first");
    }
    until(context, [&] { return calls == (context.task().value == 0 ? 10 : 11); });
  }),
            "");
}

// Order holds for all messages between two endpoints, active or not, whatever their lengths.
TEST(ActiveMessage, RunInTheOrderInWhichTheyWereSent) {
  Random random(31);
  SCOPED_TRACE(random.replay());
  JobOptions options = of(3);
  options.plan.fifo_slots = 64;  // some are refused and sent again
  options.machine.seed = random.bits64();
  constexpr std::uint32_t kCount = 60;
  Job job(options);
  EXPECT_EQ(job.run([&](Context& context) {
    std::array<std::uint32_t, 3> next{};
    std::uint32_t stored = 0;
    const Address room = require(context.take_heap(2000), "heap");
    const auto function = [&](DispatchId id) {
      return [&, id](const ActiveMessage& message) -> ActiveReceive {
        std::uint32_t& expected = next.at(message.source.task.value);
        check(std::to_integer<std::uint32_t>(message.header[0]) == expected, "order");
        check((expected % 2 == 0) == (id == kFirst), "which function");
        ++expected;
        return {room, 2000, [&](const Completion&) { ++stored; }};
      };
    };
    require(context.register_dispatch(kFirst, function(kFirst)), "register");
    require(context.register_dispatch(kSecond, function(kSecond)), "register");
    meet(context);
    if (context.task().value == 0) {
      context.device().compute(200'000);
      until(context,
            [&] { return next[1] == kCount && next[2] == kCount && stored == 2 * kCount; });
      return;
    }
    const Address data = require(context.take_heap(2000), "heap");
    Rng lengths(context.task().value);
    std::vector<Request> sends;
    for (std::uint32_t i = 0; i < kCount; ++i) {
      const std::array header{static_cast<std::byte>(i)};
      const Bytes bytes = lengths.chance(300) ? 1500 : lengths.below(400);
      sends.push_back(require(context.send_active(Endpoint({0}, {0}), i % 2 == 0 ? kFirst : kSecond,
                                                  header, data, bytes),
                              "send"));
    }
    for (const Request request : sends) finish(context, Result<Request>(request));
  }),
            "");
  EXPECT_GT(job.sum(&ContextCounts::refusals), 0U);
}

TEST(ActiveMessage, WithoutAFunctionIsToldToItsSender) {
  Job job(of(2));
  EXPECT_EQ(job.run([](Context& context) {
    int calls = 0;
    require(context.register_dispatch(kFirst,
                                      [&](const ActiveMessage&) -> ActiveReceive {
                                        ++calls;
                                        return {};
                                      }),
            "register");
    // One that is taken away is none.
    const auto gone = [](const ActiveMessage&) -> ActiveReceive {
      check(false, "was taken away");
      return {};
    };
    require(context.register_dispatch(kNobody, gone), "register");
    require(context.register_dispatch(kNobody, nullptr), "take away");
    meet(context);
    if (context.task().value == 1) {
      until(context, [&] { return calls == 2; });
      return;
    }
    const Endpoint there({1}, {0});
    const Address data = put_into_heap(context, pattern(1, 5000));
    check(!context.take_undispatched(), "none yet");
    finish(context, context.send_active(there, kFirst, {}, data, 10));
    // A short one is over before its target has seen it; a long one ends with the error.
    finish(context, context.send_active(there, kNobody, {}, data, 10));
    const auto request = require(context.send_active(there, kNobody, {}, data, 5000), "send");
    const Completion done = require(context.wait(request), "wait");
    check(done.error == Errc::kNoDispatch, "long");
    check(done.error.message().find("register_dispatch()") != std::string::npos, "text");
    const auto told = context.take_undispatched();
    check(told && told->target == there && told->dispatch == kNobody &&
              told->error == Errc::kNoDispatch,
          "short");
    check(!context.take_undispatched(), "one only");
    // Nothing else suffers.
    finish(context, context.send_active(there, kFirst, {}, data, 10));
  }),
            "");
  EXPECT_EQ(job.counts(1).undispatched, 2U);
  EXPECT_EQ(job.counts(1).dispatched, 2U);
  EXPECT_EQ(job.counts(0).refused_active, 1U);
}

TEST(ActiveMessage, OutsideTheRulesIsRefusedAtOnce) {
  Job job(of(1));
  EXPECT_EQ(job.run([](Context& context) {
    const Endpoint own = context.endpoint();
    const Address data = require(context.take_heap(64), "heap");
    const std::vector<std::byte> header(kMostActiveHeader + 1);
    check(context.send_active(own, {kDispatches}, {}, data, 8).error() == Errc::kBadArgument, "id");
    check(context.register_dispatch({kDispatches}, {}) == Errc::kBadArgument, "id");
    check(context.send_active(own, kFirst, header, data, 8).error() == Errc::kBadArgument,
          "header");
    check(context.send_active(own, kFirst, {}, 0, 1000).error() == Errc::kNotRegistered, "data");
    check(context.send_active(own, kFirst, {}, data, Bytes{1} << 37).error() == Errc::kBadArgument,
          "length");
    check(context.send_active({{1}, {0}}, kFirst, {}, data, 8).error() == Errc::kBadArgument,
          "task");
  }),
            "");
}

// A buffer that is too small, one that is none, and no wish for the data at all: the sender gets
// its memory back in each case.
TEST(ActiveMessage, MayBeTakenInPartOrNotAtAll) {
  for (const Bytes bytes : {Bytes{300}, Bytes{3000}}) {
    Job job(of(2));
    EXPECT_EQ(job.run([bytes](Context& context) {
      std::vector<std::error_code> ends;
      int calls = 0;
      const auto note = [&](const Completion& done) { ends.push_back(done.error); };
      const Address buffer = put_into_heap(context, pattern(5, 4096));
      const std::array<ActiveReceive, 4> wishes{
          {{buffer, 100, note}, {0, 100, note}, {0, 0, note}, {0, 0, {}}}};
      require(context.register_dispatch(kSecond,
                                        [&](const ActiveMessage&) -> ActiveReceive {
                                          return wishes.at(static_cast<std::size_t>(calls++));
                                        }),
              "register");
      meet(context);
      if (context.task().value == 0) {
        const Address data = put_into_heap(context, pattern(6, bytes));
        for (int i = 0; i < 4; ++i) {
          const auto request =
              require(context.send_active(Endpoint({1}, {0}), kSecond, {}, data, bytes), "send");
          const Completion done = require(context.wait(request), "wait");
          check(!done.error || (i == 1 && done.error == Errc::kRefused), "sender");
        }
        return;
      }
      until(context, [&] { return calls == 4 && ends.size() == 3; });
      check(ends[0] == Errc::kTruncated && ends[2] == Errc::kTruncated, "truncated");
      check(ends[1] == Errc::kNotRegistered, "no buffer");
      const auto memory = get_from(context, buffer, 4096);
      for (std::size_t i = 0; i < 4096; ++i) {
        check(memory[i] == (i < 100 ? pattern(6, bytes)[i] : pattern(5, 4096)[i]), "bytes");
      }
    }),
              "");
  }
}

TEST(ActiveMessage, FunctionsMustNotAdvance) {
  Job job(of(1));
  EXPECT_EQ(job.run([](Context& context) {
    std::error_code inside;
    std::error_code waited;
    bool done = false;
    require(context.register_dispatch(kFirst,
                                      [&](const ActiveMessage&) -> ActiveReceive {
                                        inside = context.advance();
                                        const auto own = context.receive({0}, 1, 0, 0);
                                        waited = context.wait(own.value()).error();
                                        context.cancel(own.value());
                                        done = true;
                                        return {};
                                      }),
            "register");
    finish(context, context.send_active(context.endpoint(), kFirst, {}, 0, 0));
    until(context, [&] { return done; });
    check(inside == Errc::kAgain && waited == Errc::kAgain, "again");
  }),
            "");
}

TEST(ActiveMessage, GoesToTheFunctionOfTheContextThatItNames) {
  Job job(of(2, 2));
  EXPECT_EQ(job.run([](Context& context) {
    int calls = 0;
    require(context.register_dispatch(kFirst,
                                      [&](const ActiveMessage& message) -> ActiveReceive {
                                        check(std::to_integer<std::uint32_t>(message.header[0]) ==
                                                  number_of(context),
                                              "who");
                                        ++calls;
                                        return {};
                                      }),
            "register");
    meet(context);
    // Both contexts of a task have met those of the same number; give the others a while.
    context.device().compute(50'000);
    for (std::uint32_t n = 0; n < 4; ++n) {
      const std::array header{static_cast<std::byte>(n)};
      finish(context, context.send_active(endpoint_of(context.plan(), n), kFirst, header, 0, 0));
    }
    until(context, [&] { return calls == 4; });
  }),
            "");
}

TEST(ActiveMessage, ComesOnceThoughPacketsAreLost) {
  Random random(41);
  SCOPED_TRACE(random.replay());
  JobOptions options = of(2);
  options.context.probe_after = 50'000;
  options.limit = 2'000'000'000;
  constexpr int kCount = 60;
  Job job(options);
  Rng rng(random.bits64());
  job.machine().watch_packets([&](const model::Packet&) {
    return rng.chance(50) ? model::Fate::kLost : model::Fate::kArrives;
  });
  EXPECT_EQ(job.run([&](Context& context) {
    int calls = 0;
    int stored = 0;
    const Address room = require(context.take_heap(2000), "heap");
    require(context.register_dispatch(kFirst,
                                      [&](const ActiveMessage& message) -> ActiveReceive {
                                        check(std::to_integer<int>(message.header[0]) == calls++,
                                              "order");
                                        return {room, 2000, [&](const Completion& done) {
                                                  require(done.error, "data");
                                                  ++stored;
                                                }};
                                      }),
            "register");
    meet(context);
    if (context.task().value == 1) {
      until(context, [&] { return stored == kCount; });
      check(calls == kCount, "calls");
      return;
    }
    const Address data = put_into_heap(context, pattern(1, 2000));
    for (int i = 0; i < kCount; ++i) {
      const std::array header{static_cast<std::byte>(i)};
      finish(context, context.send_active(Endpoint({1}, {0}), kFirst, header, data,
                                          i % 3 == 0 ? 2000 : 100));
    }
  }),
            "");
  EXPECT_GT(job.machine().packets_lost(), 0U);
}

}  // namespace
}  // namespace torusmu::testing

// SPDX-License-Identifier: Apache-2.0
// Send and receive on the reference model: data, matching, unexpected messages, lengths.
#include <gtest/gtest.h>

#include "tests/host/programs.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

JobOptions two_nodes() {
  JobOptions options;
  options.machine.shape = {2, 1, 1};
  return options;
}

void send(Context& context, std::uint32_t to, Tag tag, const std::vector<std::byte>& data) {
  finish(context, context.send({to}, tag, put_into_heap(context, data), data.size()));
}

Request start_send(Context& context, std::uint32_t to, Tag tag,
                   const std::vector<std::byte>& data) {
  return require(context.send({to}, tag, put_into_heap(context, data), data.size()), "send");
}

void finish_all(Context& context, const std::vector<Request>& requests) {
  for (const Request request : requests) finish(context, Result<Request>(request));
}

std::vector<std::byte> receive(Context& context, Task source, Tag tag, std::size_t capacity,
                               Completion* completion = nullptr) {
  const Address buffer = require(context.take_heap(capacity), "heap");
  const Completion done = finish(context, context.receive(source, tag, buffer, capacity));
  if (completion != nullptr) *completion = done;
  return get_from(context, buffer, std::min<std::size_t>(capacity, done.length));
}

class AnyLength : public ::testing::TestWithParam<std::pair<Bytes, std::size_t>> {};

TEST_P(AnyLength, ArrivesWhole) {
  const Bytes eager_limit = GetParam().first;
  const std::size_t length = GetParam().second;
  JobOptions options = two_nodes();
  options.context.eager_limit = eager_limit;
  Job job(options);
  const auto data = pattern(length + 1, length);
  EXPECT_EQ(job.run([&](Context& context) {
    if (context.task().value == 0) {
      send(context, 1, 5, data);
    } else {
      Completion done;
      check(receive(context, {0}, 5, length, &done) == data, "bytes differ");
      check(done.length == length && done.source == Task{0} && done.tag == 5, "envelope differs");
    }
  }),
            "");
  EXPECT_EQ(job.counts(0).sent_by_request, length > eager_limit ? 1U : 0U);
  EXPECT_EQ(job.counts(1).received, 1U);
}

std::vector<std::pair<Bytes, std::size_t>> limits_and_lengths() {
  std::vector<std::pair<Bytes, std::size_t>> all;
  for (const Bytes limit : {0U, 512U, 65536U}) {
    for (const std::size_t length : {0U, 1U, 15U, 16U, 17U, 63U, 64U, 65U, 511U, 512U, 513U, 1000U,
                                     2048U, 4097U, 40000U, 65536U, 65537U, 200000U}) {
      all.emplace_back(limit, length);
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Messages, AnyLength, ::testing::ValuesIn(limits_and_lengths()));

TEST(Messages, MatchInTheOrderInWhichTheyWereSent) {
  for (const Bytes limit : {0U, 512U, 65536U}) {
    JobOptions options = two_nodes();
    options.context.eager_limit = limit;
    Job job(options);
    EXPECT_EQ(job.run([](Context& context) {
      constexpr std::uint64_t kCount = 40;
      if (context.task().value == 0) {
        std::vector<Request> sends;
        for (std::uint64_t i = 0; i < kCount; ++i) {
          sends.push_back(start_send(context, 1, static_cast<Tag>(i % 2), pattern(i, 10 + 40 * i)));
        }
        finish_all(context, sends);
      } else {
        // All odd ones first, so that the even ones are unexpected.
        for (const std::uint64_t parity : {1U, 0U}) {
          for (std::uint64_t i = parity; i < kCount; i += 2) {
            check(receive(context, {0}, static_cast<Tag>(parity), 4096) == pattern(i, 10 + 40 * i),
                  "message " + std::to_string(i));
          }
        }
      }
    }),
              "");
  }
}

TEST(Messages, OldestPostedReceiveTakesTheMessage) {
  Job job(two_nodes());
  EXPECT_EQ(job.run([](Context& context) {
    if (context.task().value == 0) {
      std::vector<Address> buffers;
      std::vector<Request> requests;
      for (int i = 0; i < 3; ++i) {
        buffers.push_back(require(context.take_heap(64), "heap"));
        // The second takes any tag, so that it gets the message that the third also fits.
        const Tag tag = i == 1 ? kAnyTag : i == 0 ? 8 : 9;
        const Task source = i == 2 ? kAnyTask : Task{1};
        requests.push_back(require(context.receive(source, tag, buffers.back(), 64), "receive"));
      }
      finish(context, context.send({1}, 1, 0, 0));
      finish_all(context, requests);
      check(get_from(context, buffers[1], 30) == pattern(1, 30), "second");
      check(get_from(context, buffers[0], 30) == pattern(2, 30), "first");
      check(get_from(context, buffers[2], 30) == pattern(3, 30), "third");
    } else {
      receive(context, {0}, 1, 0);
      send(context, 0, 9, pattern(1, 30));
      send(context, 0, 8, pattern(2, 30));
      send(context, 0, 9, pattern(3, 30));
    }
  }),
            "");
}

TEST(Messages, AnySourceSaysWhoSent) {
  JobOptions options;
  options.machine.shape = {3, 3, 1};
  Job job(options);
  EXPECT_EQ(job.run([](Context& context) {
    if (context.task().value != 4) {
      send(context, 4, 3, pattern(context.task().value, 100));
      return;
    }
    std::vector<bool> seen(context.tasks());
    for (std::uint32_t i = 1; i < context.tasks(); ++i) {
      Completion done;
      const auto data = receive(context, kAnyTask, 3, 100, &done);
      check(data == pattern(done.source.value, 100), "bytes");
      check(!seen[done.source.value], "the same source twice");
      seen[done.source.value] = true;
    }
  }),
            "");
}

TEST(Messages, LongerThanTheBufferAreCutOffAndSaySo) {
  for (const Bytes limit : {Bytes{0}, Bytes{65536}}) {
    JobOptions options = two_nodes();
    options.context.eager_limit = limit;
    Job job(options);
    EXPECT_EQ(job.run([](Context& context) {
      if (context.task().value == 0) {
        for (int i = 0; i < 3; ++i) send(context, 1, 1, pattern(7, 3000));
        return;
      }
      for (const Bytes capacity : {Bytes{1000}, Bytes{0}, Bytes{3000}}) {
        const Address buffer = require(context.take_heap(4096), "heap");
        const auto guard = pattern(99, 4096);
        context.device().store(buffer, guard);
        const auto request = require(context.receive({0}, 1, buffer, capacity), "receive");
        const Completion done = require(context.wait(request), "wait");
        check(done.length == 3000, "length");
        check(
            done.error == (capacity < 3000 ? make_error_code(Errc::kTruncated) : std::error_code()),
            "error");
        const auto memory = get_from(context, buffer, 4096);
        const auto data = pattern(7, 3000);
        for (Bytes i = 0; i < 4096; ++i) {
          check(memory[i] == (i < capacity ? data[i] : guard[i]), "byte " + std::to_string(i));
        }
      }
    }),
              "");
  }
}

TEST(Messages, ProbeShowsTheLengthBeforeABufferIsChosen) {
  for (const Bytes limit : {Bytes{0}, Bytes{512}}) {
    JobOptions options = two_nodes();
    options.context.eager_limit = limit;
    Job job(options);
    EXPECT_EQ(job.run([limit](Context& context) {
      if (context.task().value == 0) {
        finish_all(context, {start_send(context, 1, 1, pattern(1, 300)),
                             start_send(context, 1, 1, pattern(2, 400))});
        return;
      }
      std::optional<Message> message;
      require(context.advance_until(
                  [&] {
                    message = context.probe({0}, 1);
                    return message.has_value();
                  },
                  context.now() + 1'000'000),
              "probe");
      check(message->length() == 300 && message->tag() == 1 && message->source() == Task{0},
            "envelope");
      check(message->at_sender() == (limit == 0), "where the data is");
      // The second message no longer waits behind the first.
      check(receive(context, {0}, 1, 400) == pattern(2, 400), "second");
      const Address buffer = require(context.take_heap(300), "heap");
      finish(context, context.receive(*message, buffer, 300));
      check(get_from(context, buffer, 300) == pattern(1, 300), "first");
      check(!context.receive(*message, buffer, 300), "received twice");
    }),
              "");
  }
}

TEST(Messages, GoToOneselfToo) {
  for (const Bytes limit : {Bytes{0}, Bytes{512}}) {
    JobOptions options;
    options.machine.shape = {1, 1, 1};
    options.context.eager_limit = limit;
    Job job(options);
    EXPECT_EQ(job.run([](Context& context) {
      const auto data = pattern(3, 500);
      const Address buffer = require(context.take_heap(500), "heap");
      const auto request = require(context.receive({0}, 2, buffer, 500), "receive");
      send(context, 0, 2, data);
      finish(context, Result<Request>(request));
      check(get_from(context, buffer, 500) == data, "bytes");
    }),
              "");
  }
}

TEST(Messages, SeveralTasksOfOneNodeAreKeptApart) {
  JobOptions options;
  options.machine.shape = {2, 1, 1};
  options.plan.clients = 4;
  Job job(options);
  EXPECT_EQ(job.run([](Context& context) {
    const std::uint32_t own = context.task().value;
    std::vector<Request> requests;
    std::vector<Address> buffers;
    for (std::uint32_t t = 0; t < context.tasks(); ++t) {
      buffers.push_back(require(context.take_heap(700), "heap"));
      requests.push_back(require(context.receive({t}, 4, buffers.back(), 700), "receive"));
    }
    for (std::uint32_t t = 0; t < context.tasks(); ++t) {
      send(context, t, 4, pattern(own * 100 + t, 700));
    }
    for (std::uint32_t t = 0; t < context.tasks(); ++t) {
      finish(context, Result<Request>(requests[t]));
      check(get_from(context, buffers[t], 700) == pattern(t * 100 + own, 700), "bytes");
    }
  }),
            "");
}

TEST(Messages, OutsideTheRulesAreRefusedAtOnce) {
  Job job(two_nodes());
  EXPECT_EQ(job.run([](Context& context) {
    check(context.send({2}, 1, 0, 0).error() == Errc::kBadArgument, "task");
    check(context.send({1}, -1, 0, 0).error() == Errc::kBadArgument, "tag of a send");
    check(context.receive({0}, -2, 0, 0).error() == Errc::kBadArgument, "tag of a receive");
    check(context.receive({2}, 1, 0, 0).error() == Errc::kBadArgument, "source");
    check(context.receive({0}, 1, 0, 64).error() == Errc::kNotRegistered, "foreign buffer");
    check(context.send({1}, 1, 0, 1000).error() == Errc::kNotRegistered, "foreign long data");
    check(!context.send({1}, 1, 0, Bytes{1} << 37), "length");
  }),
            "");
}

// Tags with the highest bit are the library's own, as those of collectives.
TEST(Messages, OfTheLibraryAreSeenByNoCallOfTheProgram) {
  constexpr std::uint32_t kTag = 3 << 16 | 1;
  const auto reserved = static_cast<Tag>(0x80000000U | kTag);
  Job job(two_nodes());
  EXPECT_EQ(job.run([&](Context& context) {
    if (context.task().value == 0) {
      finish(context, context.send_internal({1}, kTag, 0, 0));
      return;
    }
    require(context.linger(100'000), "it arrives");
    check(!context.probe({0}, reserved), "probe");
    check(!context.probe(kAnyTask, reserved), "probe of any task");
    check(!context.probe(Endpoint({0}, {0}), reserved), "probe of an endpoint");
    check(!context.probe(kAnyTask, kAnyTag), "probe of any tag");
    check(!context.probe(kAnyTask, -2), "probe of a tag that there is not");
    const auto received = context.receive({0}, reserved, 0, 0);
    check(received.error() == Errc::kBadArgument, "receive");
    check(received.message() == "tag -2147287039 is not the program's: must be 0 to 2147483647",
          received.message());
    check(context.send({0}, reserved, 0, 0).error() == Errc::kBadArgument, "send");
    finish(context, context.receive_internal({0}, kTag, 0, 0));
  }),
            "");
}

TEST(Messages, OfMoreThanTheRequestsThereAreAreRefused) {
  Job job(two_nodes());
  EXPECT_EQ(job.run([](Context& context) {
    if (context.task().value != 0) return;
    std::vector<Request> requests;
    for (int i = 0; i < 65535; ++i) {
      requests.push_back(require(context.receive({1}, 1, 0, 0), "receive"));
    }
    const auto refused = context.receive({1}, 1, 0, 0);
    check(refused.error() == Errc::kOutOfResources, "receive");
    check(refused.message().find("65535 requests") != std::string::npos, refused.message());
    check(context.send({1}, 1, 0, 0).error() == Errc::kOutOfResources, "send");
    check(context.fence({1}).error() == Errc::kOutOfResources, "fence");
    for (const Request request : requests) check(context.cancel(request), "cancel");
    check(context.receive({1}, 1, 0, 0).error() == std::error_code(), "again");
  }),
            "");
}

TEST(Messages, ReceiveCanBeTakenBackUntilItHasMatched) {
  Job job(two_nodes());
  EXPECT_EQ(job.run([](Context& context) {
    if (context.task().value == 0) {
      receive(context, {1}, 2, 0);
      send(context, 1, 1, pattern(1, 20));
      return;
    }
    const Address buffer = require(context.take_heap(20), "heap");
    const auto first = require(context.receive({0}, 1, buffer, 20), "receive");
    check(context.cancel(first), "not matched yet");
    check(!context.cancel(first), "taken back already");
    const auto second = require(context.receive({0}, 1, buffer, 20), "receive");
    send(context, 0, 2, {});
    finish(context, Result<Request>(second));
    check(!context.cancel(second), "matched");
  }),
            "");
}

// Random traffic between all pairs, posted and unexpected, every byte compared.
TEST(Messages, RandomTrafficArrivesWholeAndInOrder) {
  Random random(11);
  SCOPED_TRACE(random.replay());
  for (int round = 0; round < 6; ++round) {
    JobOptions options;
    options.machine.shape = {3, 2, 1};
    options.machine.seed = random.bits64();
    options.machine.most_delay = 20 + random.below(3000);
    options.context.eager_limit = round % 3 == 0 ? 0 : round % 3 == 1 ? 512 : 65536;
    options.plan.fifo_slots = static_cast<std::uint32_t>(64 + random.below(512));
    Job job(options);
    EXPECT_EQ(job.run(all_to_all_program(random.bits64(), 25, 1500)), "");
  }
}

}  // namespace
}  // namespace torusmu::testing

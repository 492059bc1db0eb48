// SPDX-License-Identifier: Apache-2.0
// Long messages whose end a reflection node tells: the sender's buffer is its own again once the
// data has left, whatever the receiver's core does, and nothing that is lost passes for received.
#include <gtest/gtest.h>

#include "tests/host/one_sided.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

using model::Fate;

namespace h = layout::packet_header;

JobOptions reflected(Shape machine) {
  JobOptions options = shape(machine);
  options.context.eager_limit = 0;
  options.context.long_send_end = SendEnd::kReflected;
  return options;
}

bool is_data(const model::Packet& packet) {
  return !packet.reply() && packet.header.get<h::kind>() == Kind::kPut;
}
bool is_reflection(const model::Packet& packet) {
  return packet.reply() && packet.header.get<h::kind>() == Kind::kPut;
}

TEST(ReflectedSends, BringEveryByteOfAnyLength) {
  for (const Bytes length : {1U, 16U, 17U, 64U, 511U, 513U, 4097U, 65536U, 200000U}) {
    for (const Shape machine : {Shape{1, 1, 1}, Shape{2, 1, 1}, Shape{3, 3, 1}}) {
      Job job(reflected(machine));
      const std::uint32_t last = machine.nodes() - 1;
      EXPECT_EQ(job.run([&](Context& context) {
        std::vector<Request> requests;
        Address buffer = 0;
        if (context.task().value == last) {
          buffer = require(context.take_heap(length), "heap");
          requests.push_back(require(context.receive({0}, 5, buffer, length), "receive"));
        }
        if (context.task().value == 0) {
          const Address data = put_into_heap(context, pattern(length, length));
          requests.push_back(require(context.send({last}, 5, data, length), "send"));
        }
        for (const Request request : requests) {
          check(finish(context, Result<Request>(request)).length == length, "length");
        }
        if (buffer == 0) return;
        check(get_from(context, buffer, length) == pattern(length, length), "bytes");
      }),
                "");
      EXPECT_EQ(job.counts(0).ended_by_reflection, 1U);
      EXPECT_EQ(job.counts(last).received, 1U);
    }
  }
}

TEST(ReflectedSends, AreCutOffWhereTheBufferEnds) {
  Job job(reflected({2, 1, 1}));
  EXPECT_EQ(job.run([](Context& context) {
    if (context.task().value == 0) {
      const Address data = put_into_heap(context, pattern(7, 3000));
      for (int i = 0; i < 3; ++i) finish(context, context.send({1}, 1, data, 3000));
      return;
    }
    for (const Bytes capacity : {Bytes{1000}, Bytes{0}, Bytes{3000}}) {
      const Address buffer = put_into_heap(context, pattern(99, 4096));
      const auto request = require(context.receive({0}, 1, buffer, capacity), "receive");
      const Completion done = require(context.wait(request), "wait");
      check(done.length == 3000, "length");
      check((done.error == Errc::kTruncated) == (capacity < 3000), "error");
      auto wanted = pattern(99, 4096);
      const auto data = pattern(7, capacity);
      std::copy(data.begin(), data.end(), wanted.begin());
      check(get_from(context, buffer, 4096) == wanted, "bytes");
    }
  }),
            "");
  // Of a message that nobody wants a byte of, the receiver says that it may go.
  EXPECT_EQ(job.counts(0).ended_by_reflection, 2U);
}

// A neighbour is asked and has answered long before so much data has left.
TEST(ReflectedSends, LeaveTheBufferFreeForTheNextMessage) {
  Random random(1);
  SCOPED_TRACE(random.replay());
  JobOptions options = reflected({2, 1, 1});
  options.machine.seed = random.bits64();
  Job job(options);
  EXPECT_EQ(job.run([](Context& context) {
    constexpr int kMessages = 5;
    constexpr Bytes kBytes = 65'536;
    if (context.task().value == 0) {
      const Address data = require(context.take_heap(kBytes), "heap");
      for (int i = 0; i < kMessages; ++i) {
        context.device().store(data, pattern(static_cast<std::uint64_t>(i), kBytes));
        finish(context, context.send({1}, 1, data, kBytes));
        context.device().store(data, pattern(1000, kBytes));
      }
      return;
    }
    const Address buffer = require(context.take_heap(kBytes), "heap");
    for (int i = 0; i < kMessages; ++i) {
      finish(context, context.receive({0}, 1, buffer, kBytes));
      check(get_from(context, buffer, kBytes) == pattern(static_cast<std::uint64_t>(i), kBytes),
            "message " + std::to_string(i));
    }
  }),
            "");
}

// Once it has said where the data shall go.
TEST(ReflectedSends, EndWhileTheReceiversCoreComputes) {
  constexpr Cycles kComputes = 2'000'000;
  for (const SendEnd end : {SendEnd::kReflected, SendEnd::kReceived}) {
    JobOptions options = reflected({2, 1, 1});
    options.context.long_send_end = end;
    Job job(options);
    Cycles ended = 0;
    EXPECT_EQ(job.run([&](Context& context) {
      if (context.task().value == 0) {
        context.device().compute(50'000);
        const Address data = put_into_heap(context, pattern(1, 20'000));
        ended = finish(context, context.send({1}, 1, data, 20'000)).at;
        return;
      }
      const Address buffer = require(context.take_heap(20'000), "heap");
      std::optional<Message> message;
      const auto is_here = [&] { return (message = context.probe({0}, 1)).has_value(); };
      require(context.advance_until(is_here, 200'000), "announcement");
      const auto receive = require(context.receive(*message, buffer, 20'000), "receive");
      require(context.advance(), "answer");
      context.device().compute(kComputes);
      finish(context, Result<Request>(receive));
      check(get_from(context, buffer, 20'000) == pattern(1, 20'000), "bytes");
    }),
              "");
    EXPECT_EQ(ended < kComputes, end == SendEnd::kReflected) << ended;
  }
}

TEST(ReflectedSends, WaitForAMailboxInTheirOrder) {
  JobOptions options = reflected({2, 1, 1});
  options.plan.mailboxes = 1;
  options.plan.reflection_slots = 1;
  options.plan.queue_slots = 4;
  Job job(options);
  EXPECT_EQ(job.run(all_to_all_program(3, 12, 6000)), "");
  for (const std::uint32_t task : {0U, 1U}) {
    EXPECT_EQ(job.counts(task).ended_by_reflection, job.counts(task).sent_by_request);
  }
}

TEST(ReflectedSends, OfManyToOneThatHasNoRoomAreAllDelivered) {
  JobOptions options = reflected({3, 1, 1});
  options.plan.fifo_slots = 32;
  Job job(options);
  EXPECT_EQ(job.run(many_to_one_program(40, 1500, 200'000)), "");
  EXPECT_GT(job.sum(&ContextCounts::refusals), 0U);
}

// Nobody sends the data again: what is in the buffer now may be of another message.
TEST(ReflectedSends, OfWhichDataIsLostAreReceivedAsLost) {
  JobOptions options = reflected({2, 1, 1});
  options.context.probe_after = 50'000;
  Job job(options);
  int packets = 0;
  job.machine().watch_packets([&](const model::Packet& packet) {
    return is_data(packet) && packets++ == 3 ? Fate::kLost : Fate::kArrives;
  });
  EXPECT_EQ(job.run([](Context& context) {
    if (context.task().value == 0) {
      const Address data = put_into_heap(context, pattern(1, 5000));
      finish(context, context.send({1}, 1, data, 5000));
      finish(context, context.send({1}, 1, data, 5000));
      return;
    }
    const Address buffer = require(context.take_heap(5000), "heap");
    const auto lost = require(context.receive({0}, 1, buffer, 5000), "receive");
    check(require(context.wait(lost), "wait").error == Errc::kDataLost, "not told of");
    finish(context, context.receive({0}, 1, buffer, 5000));
    check(get_from(context, buffer, 5000) == pattern(1, 5000), "the next one");
  }),
            "");
}

// All that is not data: announcements, answers, words, acknowledgements, gets and notices.
TEST(ReflectedSends, LoseNothingIfNoDataIsLost) {
  Random random(2);
  SCOPED_TRACE(random.replay());
  JobOptions options = reflected({2, 1, 1});
  options.machine.seed = random.bits64();
  options.context.probe_after = 50'000;
  options.limit = 2'000'000'000;
  Job job(options);
  Rng rng(random.bits64());
  job.machine().watch_packets([&](const model::Packet& packet) {
    return !is_data(packet) && rng.chance(50) ? Fate::kLost : Fate::kArrives;
  });
  EXPECT_EQ(job.run(all_to_all_program(random.bits64(), 12, 4000)), "");
  EXPECT_GT(job.machine().packets_lost(), 0U);
}

TEST(ReflectedSends, EndByTheAcknowledgementIfTheReflectionIsLost) {
  JobOptions options = reflected({2, 1, 1});
  options.context.probe_after = 50'000;
  Job job(options);
  job.machine().watch_packets([&](const model::Packet& packet) {
    return is_reflection(packet) ? Fate::kLost : Fate::kArrives;
  });
  EXPECT_EQ(job.run([](Context& context) {
    if (context.task().value == 1) {
      const Address buffer = require(context.take_heap(5000), "heap");
      finish(context, context.receive({0}, 1, buffer, 5000));
      return;
    }
    const Cycles before = context.now();
    finish(context, context.send({1}, 1, put_into_heap(context, pattern(1, 5000)), 5000));
    check(context.now() - before > 50'000, "who has told it?");
  }),
            "");
  EXPECT_EQ(job.counts(0).ended_by_reflection, 0U);
}

TEST(ReflectedSends, EndWithADeadlineWhileNobodyReceives) {
  Job job(reflected({2, 1, 1}));
  EXPECT_EQ(job.run([](Context& context) {
    if (context.task().value == 1) {
      require(context.linger(300'000), "linger");
      const Address buffer = require(context.take_heap(100), "heap");
      finish(context, context.receive({0}, 1, buffer, 100));
      return;
    }
    const auto request =
        require(context.send({1}, 1, put_into_heap(context, pattern(1, 100)), 100), "send");
    check(context.wait(request, context.now() + 100'000).error() == Errc::kDeadline, "deadline");
    finish(context, Result<Request>(request));
  }),
            "");
}

// The region of the receiver's heap is gone: its MU refuses the puts.
TEST(ReflectedSends, ThatTheReceiverRefusesAreReceivedAsLost) {
  Job job(reflected({2, 1, 1}));
  const NodePlan& plan = job.plan();
  EXPECT_EQ(job.run([&](Context& context) {
    const Address buffer = require(context.take_heap(4096), "heap");
    if (context.task().value == 0) {
      const auto request = require(context.send({1}, 1, buffer, 4096), "send");
      (void)require(context.wait(request), "it ends");
      return;
    }
    Device& device = context.device();
    device.write64(registers::region::config(plan.heap_region({0}).value), 0);
    device.read64(registers::node::identity());
    const auto receive = require(context.receive({0}, 1, buffer, 4096), "receive");
    check(require(context.wait(receive), "wait").error == Errc::kDataLost, "of the receiver");
  }),
            "");
}

// Where the heap of the sender was there is no memory any more.
TEST(ReflectedSends, FromAMemoryThatFailsAreReceivedAsLost) {
  Job job(reflected({2, 1, 1}));
  const NodePlan& plan = job.plan();
  EXPECT_EQ(job.run([&](Context& context) {
    const Address buffer = require(context.take_heap(4096), "heap");
    if (context.task().value == 0) {
      const auto request = require(context.send({1}, 1, buffer, 4096), "send");
      Device& device = context.device();
      device.write64(registers::region::base(plan.heap_region({0}).value), device.memory_size());
      device.read64(registers::node::identity());
      (void)require(context.wait(request), "it ends");
      return;
    }
    context.device().compute(20'000);
    const auto receive = require(context.receive({0}, 1, buffer, 4096), "receive");
    check(require(context.wait(receive), "wait").error == Errc::kDataLost, "of the receiver");
  }),
            "");
}

TEST(ReflectedSends, AreFetchedIntoARegionThatMayBeClosedToPuts) {
  JobOptions options = reflected({2, 1, 1});
  const NodePlan plan =
      require(NodePlan::make(options.machine.shape, kSim, options.machine.memory_size), "plan");
  model::ReferenceMachine machine(options.machine);
  const Range memory{plan.end(), 1000};
  std::uint64_t by_reflection = 1;
  for (std::uint32_t n = 0; n < 2; ++n) {
    machine.add_core({n}, [&, n](Device& device) {
      NodeSetup setup(device, plan);
      require(setup.run(), "setup");
      const RegionId region =
          require(setup.register_memory({0}, 0, memory, {.remote_read = true}), "register");
      Context context(device, plan, {0}, options.context);
      context.know_region(region, memory);
      if (n == 0) {
        device.store(memory.address, pattern(9, 900));
        finish(context, context.send({1}, 1, memory.address, 900));
        by_reflection = context.counts().ended_by_reflection;
      } else {
        finish(context, context.receive({0}, 1, memory.address, 900));
        check(get_from(context, memory.address, 900) == pattern(9, 900), "bytes");
      }
      require(context.flush(context.now() + 10'000'000), "flush");
      require(context.linger(100'000), "linger");
    });
  }
  EXPECT_TRUE(machine.run(100'000'000));
  EXPECT_EQ(machine.problems(), "");
  EXPECT_EQ(by_reflection, 0U);
}

TEST(ReflectedSends, AreFetchedWhereThePlanHasNoReflection) {
  JobOptions options = reflected({2, 1, 1});
  options.plan.reflection_slots = 0;
  Job job(options);
  EXPECT_EQ(job.run(many_to_one_program(3, 3000, 0)), "");
  EXPECT_EQ(job.counts(1).ended_by_reflection, 0U);
}

TEST(ReflectedSends, OfActiveMessagesEndWithTheirErrorOrByReflection) {
  Job job(reflected({2, 1, 1}));
  EXPECT_EQ(job.run([](Context& context) {
    constexpr DispatchId kStore{3};
    constexpr DispatchId kNobody{4};
    const Address buffer = require(context.take_heap(3000), "heap");
    if (context.task().value == 0) {
      context.device().store(buffer, pattern(5, 3000));
      finish(context, context.send_active(Endpoint{{1}, {0}}, kStore, {}, buffer, 3000));
      const auto refused =
          require(context.send_active(Endpoint{{1}, {0}}, kNobody, {}, buffer, 3000), "send");
      check(require(context.wait(refused), "wait").error == Errc::kNoDispatch, "no function");
      return;
    }
    bool stored = false;
    require(context.register_dispatch(kStore,
                                      [&](const ActiveMessage&) -> ActiveReceive {
                                        return {buffer, 3000, [&](const Completion& done) {
                                                  require(done.error, "data");
                                                  stored = true;
                                                }};
                                      }),
            "register");
    require(context.advance_until([&] { return stored; }, context.now() + 10'000'000), "data");
    check(get_from(context, buffer, 3000) == pattern(5, 3000), "bytes");
  }),
            "");
  EXPECT_EQ(job.counts(0).ended_by_reflection, 1U);
}

// A fence of what has been sent waits until the receiver has said where it shall go.
TEST(ReflectedSends, AreFencedOnceTheyHaveEnded) {
  Job job(reflected({2, 1, 1}));
  EXPECT_EQ(job.run([](Context& context) {
    const Address buffer = require(context.take_heap(3000), "heap");
    if (context.task().value == 1) {
      finish(context, context.receive({0}, 1, buffer, 3000));
      return;
    }
    const auto send = require(context.send({1}, 1, buffer, 3000), "send");
    check(context.fence({1}).error() == Errc::kNotOrdered, "its data is not on its way");
    finish(context, Result<Request>(send));
    finish(context, context.fence({1}));
  }),
            "");
}

}  // namespace
}  // namespace torusmu::testing

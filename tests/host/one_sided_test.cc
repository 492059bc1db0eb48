// SPDX-License-Identifier: Apache-2.0
// Put, get, fence and reflection on the reference model.
#include "tests/host/one_sided.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <span>

#include "tests/host/programs.h"

namespace torusmu::testing {
namespace {

using model::Fate;

namespace h = layout::packet_header;

class PutNotify : public ::testing::TestWithParam<std::pair<Shape, Notify>> {};

TEST_P(PutNotify, CompletesAndTheDataIsThere) {
  const auto [machine, notify] = GetParam();
  JobOptions job_options = shape(machine);
  job_options.plan.marked_mailboxes = notify == Notify::kReflectedTouch;
  Job job(job_options);
  const std::uint32_t last = machine.nodes() - 1;
  EXPECT_EQ(job.run([&, notify = notify](Context& context) {
    constexpr Bytes kBytes = 5000;
    if (context.task().value == last) {
      const Address buffer = require(context.take_heap(kBytes), "heap");
      advertise(context, 0, buffer, kBytes);
      if (last != 0) {
        finish(context, context.receive({0}, 1, 0, 0));
        check(get_from(context, buffer, kBytes) == pattern(1, kBytes), "bytes");
        return;
      }
    }
    if (context.task().value != 0) return;
    const RemoteMemory target = learn(context, last);
    PutOptions options;
    options.notify = notify;
    const Address data = put_into_heap(context, pattern(1, kBytes));
    finish(context, context.put(target, data, kBytes, options));
    finish(context, context.fence({last}));
    if (last != 0) finish(context, context.send({last}, 1, 0, 0));
  }),
            "");
}

std::vector<std::pair<Shape, Notify>> shapes_and_notices() {
  std::vector<std::pair<Shape, Notify>> all;
  for (const Shape machine : {Shape{1, 1, 1}, Shape{2, 1, 1}, Shape{3, 2, 2}}) {
    for (const Notify notify : {Notify::kInjected, Notify::kReflectedPut, Notify::kReflectedFifo,
                                Notify::kReflectedTouch, Notify::kDelivered}) {
      all.emplace_back(machine, notify);
    }
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Puts, PutNotify, ::testing::ValuesIn(shapes_and_notices()));

// The causes that the MU raises at the origin while its core does not look.
std::uint64_t causes_of_a_put(Notify notify) {
  JobOptions options = shape({2, 1, 1});
  options.plan.marked_mailboxes = true;
  Job job(options);
  std::uint64_t causes = 0;
  EXPECT_EQ(job.run([&](Context& context) {
    if (context.task().value == 1) {
      advertise(context, 0, require(context.take_heap(64), "heap"), 64);
      return;
    }
    const RemoteMemory target = learn(context, 1);
    PutOptions put;
    put.notify = notify;
    const Address data = put_into_heap(context, pattern(1, 64));
    Device& device = context.device();
    device.write64(registers::client_page::interrupt_cause(0), 0xFF);
    const auto request = require(context.put(target, data, 64, put), "put");
    device.compute(20'000);
    causes = device.read64(registers::client_page::interrupt_cause(0));
    finish(context, Result<Request>(request));
  }),
            "");
  return causes;
}

TEST(Puts, AreReflectedByTheTouchOfAMailboxWithoutAFlagOfThePut) {
  constexpr std::uint64_t kTouch = 1U << static_cast<unsigned>(Cause::kTouch);
  constexpr std::uint64_t kArrived = 1U << static_cast<unsigned>(Cause::kArrived);
  EXPECT_EQ(causes_of_a_put(Notify::kReflectedTouch) & (kTouch | kArrived), kTouch);
  EXPECT_EQ(causes_of_a_put(Notify::kReflectedPut) & (kTouch | kArrived), kTouch | kArrived);
}

TEST(Puts, AreNotReflectedByATouchWhereMailboxesAreNotMarked) {
  Job job(shape({2, 1, 1}));
  EXPECT_EQ(job.run([](Context& context) {
    if (context.task().value == 1) {
      advertise(context, 0, require(context.take_heap(64), "heap"), 64);
      return;
    }
    const RemoteMemory target = learn(context, 1);
    PutOptions put;
    put.notify = Notify::kReflectedTouch;
    const Address data = put_into_heap(context, pattern(1, 64));
    check(context.put(target, data, 64, put).error() == Errc::kBadArgument, "not refused");
  }),
            "");
}

TEST(Puts, NeedAMarkedRangeForEachContext) {
  const auto is_possible = [](std::uint32_t clients, bool marked) {
    PlanOptions options;
    options.clients = clients;
    options.marked_mailboxes = marked;
    return static_cast<bool>(NodePlan::make({2, 1, 1}, kBgp, Bytes{1} << 30, options));
  };
  EXPECT_TRUE(is_possible(8, true)) << "there are eight";
  EXPECT_FALSE(is_possible(9, true));
  EXPECT_TRUE(is_possible(9, false));
}

TEST(Puts, CountDownAndBumpCountersOfTheTarget) {
  Job job(shape({2, 1, 1}));
  const NodePlan& plan = job.plan();
  EXPECT_EQ(job.run([&](Context& context) {
    // Counters of the highest numbers: the library takes its own from the lowest.
    const CounterId counter = plan.byte_counter({0}, plan.byte_counters() - 1);
    const EventId event = plan.event_counter({0}, plan.event_counters() - 1);
    if (context.task().value == 1) {
      const Address buffer = require(context.take_heap(2000), "heap");
      Device& device = context.device();
      device.write64(registers::client_page::byte_counter(0, counter.value), 3 * 2000);
      device.read64(registers::client_page::byte_counter(0, counter.value));
      advertise(context, 0, buffer, 2000);
      finish(context, context.receive({0}, 1, 0, 0));
      namespace field = registers::client_page::byte_counter_field;
      const auto value = device.read64(registers::client_page::byte_counter(0, counter.value));
      check(extract(value, field::hit_zero) == 1 && extract(value, field::underflow) == 0, "bytes");
      check(device.read32(registers::client_page::event_counter(0, event.value)) == 3, "events");
      return;
    }
    const RemoteMemory target = learn(context, 1);
    const Address data = put_into_heap(context, pattern(1, 2000));
    PutOptions options;
    options.counter = counter;
    options.event = event;
    for (int i = 0; i < 3; ++i) finish(context, context.put(target, data, 2000, options));
    finish(context, context.fence({1}));
    finish(context, context.send({1}, 1, 0, 0));
  }),
            "");
}

TEST(Puts, ThatTheTargetRefusesEndWithAnError) {
  Job job(shape({2, 1, 1}));
  const NodePlan& plan = job.plan();
  EXPECT_EQ(job.run([&](Context& context) {
    if (context.task().value == 1) return;
    const Address data = put_into_heap(context, pattern(1, 64));
    // The library's own memory takes no puts of others, and the heap ends somewhere.
    const RemoteMemory closed{{1}, plan.library_region({0}), 0};
    const RemoteMemory outside{{1}, plan.heap_region({0}), plan.heap({0}).bytes - 63};
    for (const RemoteMemory& target : {closed, outside}) {
      PutOptions options;
      options.notify = Notify::kInjected;
      const auto request = require(context.put(target, data, 64, options), "put");
      // The notice takes longer than the injection; the fence waits for it, and says so too.
      const auto fence = require(context.fence({1}), "fence");
      check(require(context.wait(fence), "wait").error == Errc::kRefused, "the fence");
      const Completion done = require(context.wait(request), "wait");
      check(done.error == Errc::kRefused, "no refusal");
    }
  }),
            "");
}

TEST(Puts, SayAgainWhenNoReplySlotIsFree) {
  JobOptions options = shape({2, 1, 1});
  options.plan.reply_slots = 32;
  options.plan.mailboxes = 16;
  Job job(options);
  EXPECT_EQ(job.run([](Context& context) {
    if (context.task().value == 1) {
      advertise(context, 0, require(context.take_heap(64), "heap"), 64);
      return;
    }
    const RemoteMemory target = learn(context, 1);
    const Address data = put_into_heap(context, pattern(1, 64));
    for (const Notify notify : {Notify::kReflectedFifo, Notify::kReflectedPut}) {
      PutOptions put;
      put.notify = notify;
      std::vector<Request> requests;
      std::error_code error;
      for (int i = 0; i < 100 && !error; ++i) {
        const auto request = context.put(target, data, 64, put);
        if (request) {
          requests.push_back(request.value());
        } else {
          error = request.error();
        }
      }
      // 32 slots of 2 each, and 16 mailboxes.
      check(error == Errc::kAgain && requests.size() == 16, "no limit");
      for (const Request request : requests) finish(context, Result<Request>(request));
      finish(context, context.put(target, data, 64, put));
    }
  }),
            "");
}

TEST(Puts, GoOnWhenReflectionCreditsAreOut) {
  JobOptions options = shape({2, 1, 1});
  options.plan.reflection_slots = 1;
  Job job(options);
  EXPECT_EQ(job.run([](Context& context) {
    if (context.task().value == 1) {
      advertise(context, 0, require(context.take_heap(64), "heap"), 64);
      return;
    }
    const RemoteMemory target = learn(context, 1);
    const Address data = put_into_heap(context, pattern(1, 64));
    std::vector<Request> requests;
    for (int i = 0; i < 30; ++i) {
      requests.push_back(require(context.put(target, data, 64), "put"));
    }
    for (const Request request : requests) finish(context, Result<Request>(request));
  }),
            "");
}

TEST(Puts, GoOnWhenACompletionIsLostAndItsCreditWithIt) {
  JobOptions options = shape({2, 1, 1});
  options.plan.reflection_slots = 1;
  options.limit = 50'000'000;
  Job job(options);
  int replies = 0;
  job.machine().watch_packets([&](const model::Packet& packet) {
    // The first reflected completion.
    const bool is_first =
        packet.reply() && packet.header.get<h::kind>() == Kind::kPut && replies++ == 0;
    return is_first ? Fate::kLost : Fate::kArrives;
  });
  const std::string problems = job.run([](Context& context) {
    if (context.task().value == 1) {
      advertise(context, 0, require(context.take_heap(64), "heap"), 64);
      return;
    }
    const RemoteMemory target = learn(context, 1);
    const Address data = put_into_heap(context, pattern(1, 64));
    PutOptions x_plus;
    x_plus.reflector = 0;
    const auto lost = require(context.put(target, data, 64, x_plus), "put");
    check(context.wait(lost, context.now() + 1'000'000).error() == Errc::kDeadline, "not lost");
    // Both directions lead to the one neighbour, with one credit each.
    for (int i = 0; i < 10; ++i) finish(context, context.put(target, data, 64, x_plus));
  });
  EXPECT_EQ(problems, "");
  EXPECT_EQ(job.machine().node({0}).credit(0).sent, job.machine().node({0}).credit(0).returned);
}

TEST(Gets, FetchWithoutACoreThere) {
  for (const Shape machine : {Shape{1, 1, 1}, Shape{2, 1, 1}, Shape{3, 3, 1}}) {
    Job job(shape(machine));
    const std::uint32_t last = machine.nodes() - 1;
    EXPECT_EQ(job.run([&](Context& context) {
      constexpr Bytes kBytes = 10'000;
      if (context.task().value == last) {
        advertise(context, 0, put_into_heap(context, pattern(3, kBytes)), kBytes);
        if (last != 0) {
          require(context.flush(context.now() + 1'000'000), "flush");
          context.device().compute(3'000'000);
        }
      }
      if (context.task().value != 0) return;
      RemoteMemory source = learn(context, last);
      const Address buffer = require(context.take_heap(kBytes), "heap");
      const Cycles before = context.now();
      std::vector<Request> requests;
      // More at once than there are counters.
      for (Bytes at = 0; at < kBytes; at += 250) {
        requests.push_back(require(context.get(buffer + at, source, 250), "get"));
        source.offset += 250;
      }
      for (const Request request : requests) {
        const Completion done = require(context.wait(request), "wait");
        check(!done.error && done.length == 250 && done.source == source.task, "completion");
      }
      check(get_from(context, buffer, kBytes) == pattern(3, kBytes), "bytes");
      check(context.now() < before + 1'000'000, "waited for the core there");
    }),
              "");
  }
}

TEST(Gets, OfWhatMayNotBeReadEndWithAnError) {
  Job job(shape({2, 1, 1}));
  const NodePlan& plan = job.plan();
  EXPECT_EQ(job.run([&](Context& context) {
    if (context.task().value == 1) return;
    const Address buffer = require(context.take_heap(64), "heap");
    const RemoteMemory closed{{1}, plan.library_region({0}), 0};
    const RemoteMemory outside{{1}, plan.heap_region({0}), plan.heap({0}).bytes - 63};
    for (const RemoteMemory& source : {closed, outside}) {
      const auto request = require(context.get(buffer, source, 64), "get");
      const Completion done = require(context.wait(request), "wait");
      check(done.error == Errc::kRefused, "no refusal");
    }
  }),
            "");
}

// Neither region nor permission is at fault.
// Where the heap of this task was there is no memory any more.
void lose_heap(Device& device, const NodePlan& plan) {
  device.write64(registers::region::base(plan.heap_region({0}).value), device.memory_size());
  device.read64(registers::node::identity());
}

TEST(Gets, FromAMemoryThatFailsSayThatDataWasLost) {
  JobOptions options = shape({2, 1, 1});
  Job job(options);
  const NodePlan& plan = job.plan();
  bool failed = false;
  EXPECT_EQ(job.run([&](Context& context) {
    Device& device = context.device();
    const Address buffer = require(context.take_heap(4096), "heap");
    if (context.task().value == 1) {
      const Request sent = require(context.send({0}, 1, buffer, 4096), "send");
      lose_heap(device, plan);
      failed = true;
      check(require(context.wait(sent), "wait").error == Errc::kDataLost, "of the sender");
      return;
    }
    while (!failed) device.compute(100);
    const RemoteMemory source{{1}, plan.heap_region({0}), 0};
    const auto get = require(context.get(buffer, source, 64), "get");
    check(require(context.wait(get), "wait").error == Errc::kDataLost, "of the get");
    const auto receive = require(context.receive({1}, 1, buffer, 4096), "receive");
    check(require(context.wait(receive), "wait").error == Errc::kDataLost, "of the receiver");
  }),
            "");
}

// Nobody is told that memory here does not take the data; it is asked for again, but not for ever.
TEST(Gets, IntoAMemoryThatFailsSayThatDataWasLost) {
  JobOptions options = shape({2, 1, 1});
  Job job(options);
  const NodePlan& plan = job.plan();
  bool ended = false;
  EXPECT_EQ(job.run([&](Context& context) {
    Device& device = context.device();
    const Address buffer = require(context.take_heap(4096), "heap");
    if (context.task().value == 1) {
      while (!ended) device.compute(100);
      return;
    }
    lose_heap(device, plan);
    const RemoteMemory source{{1}, plan.heap_region({0}), 0};
    const auto get = require(context.get(buffer, source, 64), "get");
    check(require(context.wait(get), "wait").error == Errc::kDataLost, "of the get");
    check(context.counts().gets_repeated == 16, "repeated");
    ended = true;
  }),
            "");
}

TEST(Puts, OfAllToAllArriveHoweverTheyAreTold) {
  for (const Shape machine : {Shape{1, 1, 1}, Shape{2, 2, 1}, Shape{3, 2, 2}}) {
    Job job(shape(machine));
    EXPECT_EQ(job.run(put_to_all_program(700)), "");
  }
}

// Two nodes, each with a window of its memory as a user region that the other may write.
struct Window {
  NodeSetup& setup;
  Context& context;
  Range memory;
  RegionId region;
};
void with_windows(const std::function<void(std::uint32_t node, Window window)>& program) {
  JobOptions options = shape({2, 1, 1});
  const NodePlan plan =
      require(NodePlan::make(options.machine.shape, kSim, options.machine.memory_size), "plan");
  model::ReferenceMachine machine(options.machine);
  const Range memory{plan.end() + 100, 1000};
  for (std::uint32_t n = 0; n < 2; ++n) {
    machine.add_core({n}, [&, n](Device& device) {
      NodeSetup setup(device, plan);
      require(setup.run(), "setup");
      const RegionId region =
          require(setup.register_memory({0}, 0, memory, {.remote_write = true}), "register");
      check(!setup.register_memory({0}, plan.user_regions(), memory, {}), "too many");
      Context context(device, plan, {0});
      context.know_region(region, memory);
      program(n, {setup, context, memory, region});
      require(context.flush(context.now() + 10'000'000), "flush");
      require(context.linger(100'000), "linger");
    });
  }
  EXPECT_TRUE(machine.run(100'000'000));
  EXPECT_EQ(machine.problems(), "");
}

TEST(Regions, OfTheUserAreNamedAndReached) {
  with_windows([](std::uint32_t node, Window window) {
    Context& context = window.context;
    if (node == 1) {
      finish(context, context.receive({0}, 1, 0, 0));
      check(get_from(context, window.memory.address + 5, 900) == pattern(9, 900), "bytes");
      return;
    }
    context.device().store(window.memory.address, pattern(9, 900));
    const RemoteMemory target{{1}, window.region, 5};
    finish(context, context.put(target, window.memory.address, 900));
    finish(context, context.fence({1}));
    finish(context, context.send({1}, 1, 0, 0));
  });
}

// Node 0 puts into the window of node 1, whose MU tells of it.
TEST(Marks, TellWhichRangesTheMuHasTouched) {
  with_windows([](std::uint32_t node, Window window) {
    Context& context = window.context;
    if (node == 0) {
      const Address data = put_into_heap(context, pattern(9, 10));
      const RemoteMemory target{{1}, window.region, 509};
      for (int round = 0; round < 2; ++round) {
        finish(context, context.receive({1}, 1, 0, 0));
        finish(context, context.put(target, data, 10));
        finish(context, context.fence({1}));
        finish(context, context.send({1}, 2, 0, 0));
      }
      return;
    }
    const Address base = window.memory.address;
    require(window.setup.mark({0}, 0, {base, 10}, {.read = true}), "mark");
    require(window.setup.mark({0}, 1, {base + 500, 10}, {.write = true}), "mark");
    check(require(context.take_touches(), "touches") == 0, "nobody has");
    finish(context, context.send({0}, 1, 0, 0));
    finish(context, context.receive({0}, 2, 0, 0));
    check(require(context.take_touches(), "touches") == 2, "range 1");
    check(require(context.take_touches(), "touches") == 0, "taken");
    require(window.setup.mark({0}, 1, {}, {}), "unmark");
    finish(context, context.send({0}, 1, 0, 0));
    finish(context, context.receive({0}, 2, 0, 0));
    check(require(context.take_touches(), "touches") == 0, "not marked any more");
  });
}

TEST(Marks, TellWhichRangesCoresHaveTouched) {
  with_windows([](std::uint32_t /*node*/, Window window) {
    Context& context = window.context;
    Device& device = context.device();
    const Address base = window.memory.address;
    std::array<std::byte, 20> data{};
    const auto touches = [&] { return require(context.take_touches(), "touches"); };
    require(window.setup.mark({0}, 0, {base, 10}, {.core_read = true}), "mark");
    require(window.setup.mark({0}, 1, {base + 10, 10}, {.core_write = true}), "mark");
    // At once: the report goes behind the registers of the range.
    device.store(base, data);
    check(touches() == 2, "a store across both");
    device.load(base, data);
    check(touches() == 1, "a load across both");
    device.store(base, std::span(data).first(10));
    device.load(base + 10, std::span(data).first(10));
    check(touches() == 0, "the other access of each");
    require(window.setup.mark({0}, 1, {base + 10, 10}, {.write = true}), "mark");
    device.store(base, data);
    check(touches() == 0, "a range that watches the MU alone");
  });
}

TEST(Marks, RefuseARangeThatIsNotThereAndOneThatTellsOfNothing) {
  with_windows([](std::uint32_t /*node*/, Window window) {
    NodeSetup& setup = window.setup;
    const Context& context = window.context;
    const Bytes end = window.context.device().memory_size();
    check(!setup.mark({0}, context.plan().user_ranges(), window.memory, {.read = true}), "range");
    check(!setup.mark({9}, 0, window.memory, {.read = true}), "client");
    check(!setup.mark({0}, 0, {end, 1}, {.read = true}), "memory");
    check(!setup.mark({0}, 0, window.memory, {}), "no access");
  });
}

}  // namespace
}  // namespace torusmu::testing

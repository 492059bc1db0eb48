// SPDX-License-Identifier: Apache-2.0
// What tells messages of one dynamic queue pair apart: event counters, that SENDs and messages
// which are an increment alone name, and WAITs for them in lists.
#include <gtest/gtest.h>

#include "tests/host/dynamic_pairs.h"

namespace torusmu::testing {
namespace {

// Task 0 sends on what the last one has sent when everybody's message is in memory: of that, which
// is long, the first packet is there much earlier.
TEST(Channels, ListWaitsForMessages) {
  constexpr std::uint32_t kTasks = 5;
  constexpr std::uint32_t kLast = kTasks - 1;
  constexpr Bytes kBytes = 20'000;
  Job job(with_dynamic_pairs(kTasks));
  EXPECT_EQ(job.run([&](Context& context) {
    const std::uint32_t self = context.task().value;
    DynamicQueuePair pair = open(context);
    CompletionQueue completions(context);
    const Address in = require(context.take_heap(kTasks * kBytes), "heap");
    for (std::uint32_t i = 0; i < kTasks; ++i) {
      require(pair.post_receive(in + i * kBytes, kBytes, {.id = i}), "receive");
    }
    meet(context);
    if (self != 0) {
      context.device().compute(self * 20'000);  // one after the other
      const Address out = put_into_heap(context, pattern(self, kBytes));
      require(pair.post_send({{0}, 0}, out, kBytes, {.signal = false}), "send");
      const WorkCompletion completion = next(context, completions);
      check(completion.sender == PairName{{0}, 0}, "of task 0");
      check(context.now() > kLast * 20'000, "not before all have sent");
      check(get_from(context, in + completion.id * kBytes, kBytes) == pattern(kLast, kBytes),
            "what the last one has sent, to the end");
      return;
    }
    std::vector<Descriptor> list{pair.wait_for_messages(kTasks - 1)};
    const Address last = in + (kLast - 1) * kBytes;
    for (std::uint32_t t = 1; t < kTasks; ++t) {
      list.push_back(require(pair.send({{t}, 0}, last, kBytes, {.id = 100 + t}), "send"));
    }
    require(pair.post(list), "list");
    for (std::uint32_t i = 0; i < 2 * (kTasks - 1); ++i) {
      const WorkCompletion completion = next(context, completions);
      expect_good(completion);
      check((completion.opcode == Opcode::kReceive) == (i < kTasks - 1), "receives first");
    }
  }),
            "");
}

// Two channels by one pair: the counter that a SEND names says which it belongs to.
TEST(Channels, AreToldApartByTheCounterThatASendNames) {
  constexpr std::uint32_t kTasks = 4;
  Job job(with_dynamic_pairs(kTasks));
  EXPECT_EQ(job.run([&](Context& context) {
    const std::uint32_t self = context.task().value;
    const std::array channel{context.plan().event_counter({0}, 0),
                             context.plan().event_counter({0}, 1)};
    DynamicQueuePair pair = open(context);
    CompletionQueue completions(context);
    const Address in = require(context.take_heap(16 * 700), "heap");
    for (std::uint32_t i = 0; i < 16; ++i) {
      require(pair.post_receive(in + i * 700, 700, {.signal = false}), "receive");
    }
    meet(context);
    const Address out = put_into_heap(context, pattern(self, 700));
    std::vector<Descriptor> list;
    for (std::uint32_t step = 1; step < kTasks; ++step) {
      const PairName to{{(self + step) % kTasks}, 0};
      for (const std::uint32_t c : {0U, 1U, 1U}) {
        list.push_back(require(
            pair.send(to, out, 700, {.signal = false, .target_event = channel.at(c)}), "send"));
      }
    }
    for (const std::uint32_t c : {0U, 1U}) {
      list.push_back(context.wait_for_event(channel.at(c), (c + 1) * (kTasks - 1)));
      list.back().set<layout::descriptor::signal>(1).set<layout::descriptor::sequence_number>(c);
    }
    require(pair.post(list), "list");
    for (const std::uint32_t c : {0U, 1U}) {
      const WorkCompletion completion = next(context, completions);
      expect_good(completion);
      check(completion.opcode == Opcode::kWait && completion.id == c, "a channel is complete");
    }
    for (const std::uint32_t c : {0U, 1U}) {
      check(count_of(context, channel.at(c)) == (c + 1) * (kTasks - 1), "each counter its own");
    }
  }),
            "");
}

TEST(Increment, ArrivesBehindWhatItsQueueHasSent) {
  Job job(with_dynamic_pairs(2));
  EXPECT_EQ(job.run([&](Context& context) {
    const Task other{1 - context.task().value};
    const EventId event = context.plan().event_counter({0}, 1);
    DynamicQueuePair pair = open(context);
    CompletionQueue completions(context);
    const Address in = require(context.take_heap(3000), "heap");
    require(pair.post_receive(in, 3000, {.signal = false}), "receive");
    meet(context);
    const Address out = put_into_heap(context, pattern(context.task().value, 3000));
    std::vector<Descriptor> list{
        require(pair.send({other, 0}, out, 3000, {.signal = false}), "send"),
        require(context.increment(other, event), "increment"), context.wait_for_event(event, 1)};
    list.back().set<layout::descriptor::signal>(1);
    require(pair.post(list), "list");
    check(next(context, completions).opcode == Opcode::kWait, "the wait is over");
    check(get_from(context, in, 3000) == pattern(other.value, 3000), "the message is there");
    check(count_of(context, event) == 1, "once");
  }),
            "");
}

TEST(Increment, CountsForTheClientThatIsNamed) {
  JobOptions options = with_dynamic_pairs(2);
  options.plan.clients = 2;
  options.machine.memory_size = Bytes{32} << 20;
  Job job(options);
  EXPECT_EQ(job.run([&](Context& context) {
    const std::uint32_t tasks = context.tasks();
    meet(context);
    for (std::uint32_t t = 0; t < tasks; ++t) {
      const ClientId client = context.plan().place({t}).client;
      for (std::uint32_t i = 0; i <= context.task().value; ++i) {
        require(context.post_increment({t}, context.plan().event_counter(client, 2)), "post");
      }
      finish(context, context.fence({t}));
    }
    meet(context);
    // 1 + 2 + 3 + 4 of all tasks.
    check(count_of(context, context.plan().event_counter(client_of(context), 2)) ==
              tasks * (tasks + 1) / 2,
          "all of them");
    check(count_of(context, context.plan().event_counter(client_of(context), 1)) == 0, "only it");
  }),
            "");
}

}  // namespace
}  // namespace torusmu::testing

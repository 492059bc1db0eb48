// SPDX-License-Identifier: Apache-2.0
// Dynamically connected queue pairs of the library, on the reference model.
#include "torusmu/dynamic_queue_pair.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/host/dynamic_pairs.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

// More tasks than reassembly contexts; messages of one packet and of several.
TEST(DynamicQueuePair, TakesMessagesOfEverybody) {
  constexpr std::uint32_t kTasks = 11;
  constexpr std::uint32_t kEach = 4;
  constexpr std::array<Bytes, 5> kLengths{1, 513, 2000, 512, 77};
  const auto length = [kLengths](std::uint32_t from, std::uint32_t word) {
    return kLengths.at((from + word) % kLengths.size());
  };
  Job job(with_dynamic_pairs(kTasks));
  EXPECT_EQ(job.run([&](Context& context) {
    const std::uint32_t self = context.task().value;
    DynamicQueuePair pair = open(context);
    CompletionQueue completions(context);
    constexpr std::uint32_t kMessages = kTasks * kEach;
    const Address in = require(context.take_heap(kMessages * 2000), "heap");
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      require(pair.post_receive(in + i * 2000, 2000, {.id = i}), "receive");
    }
    meet(context);
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      const std::uint32_t word = i / kTasks;
      const Address data = put_into_heap(context, pattern(self * 100 + word, length(self, word)));
      require(pair.post_send({{(self + i) % kTasks}, 0}, data, length(self, word),
                             {.id = 1000 + i, .word = word}),
              "send");
    }
    std::uint32_t sent = 0;
    std::map<std::uint32_t, std::uint32_t> received;  // by sender
    std::set<std::uint32_t> ids;
    for (std::uint32_t i = 0; i < 2 * kMessages; ++i) {
      const WorkCompletion completion = next(context, completions);
      expect_good(completion);
      check(completion.dynamic && completion.pair == 0, "the pair is told");
      if (completion.opcode == Opcode::kSend) {
        check(completion.id == 1000 + sent++, "sends are done in order");
        check(!completion.sender, "a send has no sender");
        continue;
      }
      check(completion.sender && completion.sender->pair == 0, "the sender is told");
      const std::uint32_t from = completion.sender->task.value;
      check(completion.word == received[from]++, "messages of one task come in order");
      check(completion.bytes == length(from, completion.word), "the length is told");
      check(ids.insert(completion.id).second && completion.id < kMessages, "each receive once");
      check(get_from(context, in + completion.id * 2000, completion.bytes) ==
                pattern(from * 100 + completion.word, completion.bytes),
            "the data are those that were sent");
    }
    for (const auto& [from, count] : received) check(count == kEach, "each message once");
    check(received.size() == kTasks && !completions.poll(), "nothing more is told");
  }),
            "");
}

TEST(DynamicQueuePair, AnswersWhoeverHasSent) {
  constexpr std::uint32_t kTasks = 4;
  Job job(with_dynamic_pairs(kTasks, 2));
  EXPECT_EQ(job.run([&](Context& context) {
    const std::uint32_t self = context.task().value;
    // Task 0 serves by its pair 1; the others ask from pair 0 or 1.
    DynamicQueuePair pair = open(context, self == 0 ? 1 : self % 2);
    CompletionQueue completions(context);
    const Address in = require(context.take_heap(kTasks * 64), "heap");
    for (std::uint32_t i = 0; i < kTasks; ++i) {
      require(pair.post_receive(in + i * 64, 64, {.id = i}), "receive");
    }
    meet(context);
    if (self == 0) {
      for (std::uint32_t served = 0; served + 1 < kTasks;) {
        const WorkCompletion completion = next(context, completions);
        expect_good(completion);
        if (completion.opcode != Opcode::kReceive) continue;
        check(completion.pair == 1 && completion.sender->pair == completion.sender->task.value % 2,
              "both pairs are told");
        require(pair.post_send(*completion.sender, in + completion.id * 64, completion.bytes),
                "answer");
        ++served;
      }
      for (std::uint32_t i = 0; i + 1 < kTasks; ++i) expect_good(next(context, completions));
      return;
    }
    require(pair.post_send({{0}, 1}, put_into_heap(context, pattern(self, 60)), 60), "send");
    for (int i = 0; i < 2; ++i) {
      const WorkCompletion completion = next(context, completions);
      expect_good(completion);
      if (completion.opcode != Opcode::kReceive) continue;
      check(completion.sender == PairName{{0}, 1}, "the server");
      check(get_from(context, in + completion.id * 64, 60) == pattern(self, 60), "what I sent");
    }
  }),
            "");
}

// A ring of two, and many messages of several packets from three tasks at once.
TEST(DynamicQueuePair, TellsTheIdOfAReceiveThoughItsPlaceIsUsedAgain) {
  constexpr std::uint32_t kSenders = 3;
  constexpr std::uint32_t kEach = 40;
  constexpr std::uint32_t kBuffers = 6;
  JobOptions options = with_dynamic_pairs(kSenders + 1);
  options.plan.queue_pair_slots = 2;
  Job job(options);
  EXPECT_EQ(job.run([&](Context& context) {
    const std::uint32_t self = context.task().value;
    DynamicQueuePair pair = open(context);
    CompletionQueue completions(context);
    meet(context);
    if (self != 0) {
      for (std::uint32_t i = 0; i < kEach; ++i) {
        const Address data = put_into_heap(context, pattern(self * 1000 + i, 1500));
        require(pair.post_send({{0}, 0}, data, 1500, {.word = i}), "send");
        expect_good(next(context, completions));
      }
      return;
    }
    const Address in = require(context.take_heap(kBuffers * 1500), "heap");
    std::vector<std::uint32_t> free{0, 1, 2, 3, 4, 5};
    for (std::uint32_t received = 0; received < kSenders * kEach;) {
      while (!free.empty()) {
        const std::error_code error =
            pair.post_receive(in + free.back() * 1500, 1500, {.id = free.back()});
        if (error == Errc::kAgain) break;
        require(error, "receive");
        free.pop_back();
      }
      require(context.advance(), "advance");
      while (const auto completion = completions.poll()) {
        expect_good(*completion);
        const std::uint64_t seed = completion->sender->task.value * 1000 + completion->word;
        check(get_from(context, in + completion->id * 1500, 1500) == pattern(seed, 1500), "right");
        free.push_back(completion->id);
        ++received;
      }
    }
  }),
            "");
}

TEST(DynamicQueuePair, SendIsRepeatedUntilAReceiveIsPosted) {
  Job job(with_dynamic_pairs(2));
  EXPECT_EQ(job.run([&](Context& context) {
    DynamicQueuePair pair = open(context);
    CompletionQueue completions(context);
    meet(context);
    if (context.task() == Task{0}) {
      require(pair.post_send({{1}, 0}, put_into_heap(context, pattern(5, 3000)), 3000), "send");
    } else {
      context.device().compute(200'000);
      const Address buffer = require(context.take_heap(3000), "heap");
      check(!completions.poll(), "nothing is done");
      require(pair.post_receive(buffer, 3000), "receive");
    }
    expect_good(next(context, completions));
    check(context.now() > 200'000, "not before");
  }),
            "");
}

// What fails fails alone: the pair goes on, to the same task and to others.
TEST(DynamicQueuePair, GoesOnAfterAMessageThatIsTooLong) {
  Job job(with_dynamic_pairs(3));
  EXPECT_EQ(job.run([&](Context& context) {
    DynamicQueuePair pair = open(context);
    CompletionQueue completions(context);
    const Address in = require(context.take_heap(99), "heap");
    require(pair.post_receive(in, 99), "receive");
    meet(context);
    if (context.task() != Task{0}) {
      expect_good(next(context, completions));
      check(get_from(context, in, 99) == pattern(1, 99), "the one that fits");
      return;
    }
    const Address out = put_into_heap(context, pattern(1, 100));
    require(pair.post_send({{1}, 0}, out, 100, {.id = 7}), "send");
    require(pair.post_send({{2}, 0}, out, 99, {.id = 8}), "send");
    require(pair.post_send({{1}, 0}, out, 99, {.id = 9}), "send");
    const WorkCompletion first = next(context, completions);
    check(first.id == 7 && first.error == Errc::kTruncated, "it is too long");
    for (const std::uint32_t id : {8U, 9U}) {
      const WorkCompletion completion = next(context, completions);
      expect_good(completion);
      check(completion.id == id, "in order");
    }
  }),
            "");
}

TEST(DynamicQueuePair, StopsAtAFailureIfItIsSetUpSo) {
  Job job(with_dynamic_pairs(2));
  EXPECT_EQ(job.run([&](Context& context) {
    NodeSetup setup(context.device(), context.plan());
    require(setup.set_up_dynamic({0}, 0, {.stops_at_failures = true}), "set-up");
    DynamicQueuePair pair = open(context);
    CompletionQueue completions(context);
    const Address in = require(context.take_heap(64), "heap");
    require(pair.post_receive(in, 64), "receive");
    meet(context);
    if (context.task() == Task{0}) {
      const Address out = put_into_heap(context, pattern(1, 100));
      const std::array list{require(pair.send({{1}, 0}, out, 100), "send"),
                            require(pair.send({{1}, 0}, out, 50), "send")};
      require(pair.post(list), "list");
      check(next(context, completions).error == Errc::kTruncated, "it is too long");
    }
    check(completions.wait(context.now() + 50'000).error() == Errc::kDeadline,
          "what stands behind it is not sent");
  }),
            "");
}

TEST(DynamicQueuePair, ManagedReceivesTakeWhatIsEnabled) {
  Job job(with_dynamic_pairs(2));
  EXPECT_EQ(job.run([&](Context& context) {
    NodeSetup setup(context.device(), context.plan());
    require(setup.set_up_dynamic({0}, 0, {.managed_receives = true}), "set-up");
    DynamicQueuePair pair = open(context);
    CompletionQueue completions(context);
    const Address in = require(context.take_heap(2 * 64), "heap");
    for (std::uint32_t i = 0; i < 2; ++i) {
      require(pair.post_receive(in + i * 64, 64, {.id = i}), "receive");
    }
    meet(context);
    if (context.task() == Task{0}) {
      const Address out = put_into_heap(context, pattern(1, 64));
      for (int i = 0; i < 2; ++i) require(pair.post_send({{1}, 0}, out, 64), "send");
      for (int i = 0; i < 2; ++i) expect_good(next(context, completions));
      return;
    }
    check(completions.wait(context.now() + 50'000).error() == Errc::kDeadline, "none is enabled");
    require(pair.enable_receives(1), "enable");
    expect_good(next(context, completions));
    check(completions.wait(context.now() + 50'000).error() == Errc::kDeadline, "one is enabled");
    const std::array list{pair.enable(1)};
    require(pair.post(list), "enable");
    expect_good(next(context, completions));
  }),
            "");
}

// Refused for good by a node that is not ready.
TEST(DynamicQueuePair, IsRefusedByAPairThatIsNotSetUp) {
  Job job(with_dynamic_pairs(2));
  EXPECT_EQ(job.run([&](Context& context) {
    const NodePlan& plan = context.plan();
    NodeSetup setup(context.device(), plan);
    CompletionQueue completions(context);
    const QueueId receives = plan.pair_queue({0}, plan.dynamic_pair(0), NodePlan::End::kReceive);
    std::optional<DynamicQueuePair> pair = open(context);
    const Address out = put_into_heap(context, pattern(2, 64));
    if (context.task() == Task{1}) {
      context.device().write64(registers::injection_queue::config(receives.value), 0);
    }
    meet(context);
    if (context.task() == Task{0}) {
      require(pair->post_send({{1}, 0}, out, 64), "send");
      const WorkCompletion completion = next(context, completions);
      check(completion.error == Errc::kRefused && completion.status == Status::kQueueInvalid,
            "nobody is there");
    }
    meet(context);
    require(setup.set_up_dynamic({0}, 0), "set-up");
    pair = open(context);
    const Address in = require(context.take_heap(64), "heap");
    require(pair->post_receive(in, 64), "receive");
    meet(context);
    require(pair->post_send({{1 - context.task().value}, 0}, out, 64), "send");
    for (int i = 0; i < 2; ++i) expect_good(next(context, completions));
    check(get_from(context, in, 64) == pattern(2, 64), "the data are right");
  }),
            "");
}

TEST(DynamicQueuePair, SetUpAnewForgetsWhatIsPostedAndCounts) {
  Job job(with_dynamic_pairs(2));
  EXPECT_EQ(job.run([&](Context& context) {
    const NodePlan& plan = context.plan();
    const EventId received = plan.pair_event({0}, plan.dynamic_pair(0), NodePlan::End::kReceive);
    NodeSetup setup(context.device(), plan);
    CompletionQueue completions(context);
    const Address in = require(context.take_heap(3 * 64), "heap");
    const Address out = put_into_heap(context, pattern(2, 64));
    for (std::uint32_t time = 0; time < 3; ++time) {
      DynamicQueuePair pair = open(context);
      require(pair.post_receive(in + time * 64, 64, {.id = time}), "receive");
      require(pair.post_receive(out, 64, {.signal = false}), "one too many");
      meet(context);
      require(pair.post_send({{1 - context.task().value}, 0}, out, 64, {.id = time}), "send");
      for (int i = 0; i < 2; ++i) {
        const WorkCompletion completion = next(context, completions);
        expect_good(completion);
        check(completion.id == time, "what was posted this time");
      }
      check(get_from(context, in + time * 64, 64) == pattern(2, 64), "the data are right");
      check(count_of(context, received) == 1, "one message since it was set up");
      meet(context);
      require(setup.set_up_dynamic({0}, 0), "set-up");
      check(count_of(context, received) == 0, "none since then");
    }
  }),
            "");
}

TEST(DynamicQueuePair, SharesTheCompletionQueueWithOrdinaryPairs) {
  JobOptions options = with_dynamic_pairs(2);
  options.plan.queue_pairs = 2;
  Job job(options);
  EXPECT_EQ(job.run([&](Context& context) {
    const Task other{1 - context.task().value};
    NodeSetup setup(context.device(), context.plan());
    require(setup.connect({0}, 1, other, 1), "connect");
    QueuePair ordinary = require(QueuePair::open(context, 1, other, 1), "open");
    DynamicQueuePair dynamic = open(context);
    CompletionQueue completions(context);
    const Address in = require(context.take_heap(2 * 64), "heap");
    const Address out = put_into_heap(context, pattern(3, 64));
    require(ordinary.post_receive(in, 64), "receive");
    require(dynamic.post_receive(in + 64, 64), "receive");
    require(ordinary.meet(context.now() + kPatience), "meet");
    require(ordinary.post_send(out, 64, {.word = 1}), "send");
    require(dynamic.post_send({other, 0}, out, 64, {.word = 2}), "send");
    for (int i = 0; i < 4; ++i) {
      const WorkCompletion completion = next(context, completions);
      expect_good(completion);
      check(completion.pair == (completion.dynamic ? 0 : 1), "which pair");
      if (completion.opcode != Opcode::kReceive) continue;
      check(completion.word == (completion.dynamic ? 2 : 1), "of its own sort");
      check(completion.sender == PairName{other, completion.pair}, "the sender is told");
    }
  }),
            "");
}

TEST(DynamicQueuePair, WorksForAllClientsOfANode) {
  JobOptions options = with_dynamic_pairs(2);
  options.plan.clients = 2;
  options.machine.memory_size = Bytes{32} << 20;
  Job job(options);
  EXPECT_EQ(job.run([&](Context& context) {
    const std::uint32_t tasks = context.tasks();
    DynamicQueuePair pair = open(context);
    CompletionQueue completions(context);
    const Address in = require(context.take_heap(tasks * 64), "heap");
    for (std::uint32_t i = 0; i < tasks; ++i) {
      require(pair.post_receive(in + i * 64, 64, {.id = i}), "receive");
    }
    meet(context);
    const Address out = put_into_heap(context, pattern(context.task().value, 64));
    for (std::uint32_t t = 0; t < tasks; ++t) {
      require(pair.post_send({{t}, 0}, out, 64, {.signal = false}), "send");
    }
    std::set<std::uint32_t> senders;
    for (std::uint32_t t = 0; t < tasks; ++t) {
      const WorkCompletion completion = next(context, completions);
      expect_good(completion);
      const std::uint32_t from = completion.sender->task.value;
      check(senders.insert(from).second, "each task once");
      check(get_from(context, in + completion.id * 64, 64) == pattern(from, 64), "right");
    }
  }),
            "");
}

// With no more senders than contexts nothing is ever in doubt.
TEST(DynamicQueuePair, LosesAndRepeatsNothingOnABadNetwork) {
  constexpr std::uint32_t kTasks = 4;
  constexpr std::uint32_t kMessages = 60;
  Random random(20);
  SCOPED_TRACE(random.replay());
  JobOptions options = with_dynamic_pairs(kTasks);
  options.machine.seed = random.bits64();
  Job job(options);
  job.machine().watch_packets([&](model::Packet& packet) {
    const Kind kind = packet.header.get<layout::packet_header::kind>();
    const bool is_of_pair = kind == Kind::kSend || kind == Kind::kAck || kind == Kind::kNotice;
    return is_of_pair && random.chance(10) ? model::Fate::kLost : model::Fate::kArrives;
  });
  EXPECT_EQ(job.run([&](Context& context) {
    const std::uint32_t self = context.task().value;
    const auto length = [](std::uint32_t i) { return Bytes{1} + i * 37 % 2000; };
    DynamicQueuePair pair = open(context);
    CompletionQueue completions(context);
    meet(context);
    if (self != 0) {
      for (std::uint32_t i = 0; i < kMessages; ++i) {
        const Address data = put_into_heap(context, pattern(self * 100 + i, length(i)));
        require(pair.post_send({{0}, 0}, data, length(i), {.word = i}), "send");
        expect_good(next(context, completions));
      }
      return;
    }
    const Address in = require(context.take_heap(8 * 2000), "heap");
    for (std::uint32_t i = 0; i < 8; ++i) {
      require(pair.post_receive(in + i * 2000, 2000, {.id = i}), "receive");
    }
    std::map<std::uint32_t, std::uint32_t> received;
    for (std::uint32_t i = 0; i < (kTasks - 1) * kMessages; ++i) {
      const WorkCompletion completion = next(context, completions);
      expect_good(completion);
      const std::uint32_t from = completion.sender->task.value;
      const Address buffer = in + completion.id * 2000;
      check(completion.word == received[from]++, "each once, in order");
      check(completion.bytes == length(completion.word) &&
                get_from(context, buffer, completion.bytes) ==
                    pattern(from * 100 + completion.word, completion.bytes),
            "the data are right");
      require(pair.post_receive(buffer, 2000, {.id = completion.id}), "receive");
    }
    check(completions.wait(context.now() + 100'000).error() == Errc::kDeadline, "no more");
  }),
            "");
  EXPECT_GT(job.machine().packets_lost(), 10U);
}

// The acknowledgement of task 0 is lost, and other tasks use up all contexts meanwhile.
TEST(DynamicQueuePair, SaysSoIfNobodyKnowsWhetherAMessageWasReceived) {
  constexpr std::uint32_t kTasks = 12;
  constexpr std::uint32_t kTo = kTasks - 1;
  Job job(with_dynamic_pairs(kTasks));
  bool loses = true;
  const Coordinates first = shape_of(kTasks).coordinates({0});
  job.machine().watch_packets([&](model::Packet& packet) {
    namespace h = layout::packet_header;
    const bool is_ack =
        packet.header.get<h::kind>() == Kind::kAck && packet.header.get<h::dst_x>() == first.x &&
        packet.header.get<h::dst_y>() == first.y && packet.header.get<h::dst_z>() == first.z;
    return loses && is_ack ? model::Fate::kLost : model::Fate::kArrives;
  });
  EXPECT_EQ(job.run([&](Context& context) {
    const std::uint32_t self = context.task().value;
    NodeSetup setup(context.device(), context.plan());
    require(setup.set_send_retry(20'000, 255), "retry");
    DynamicQueuePair pair = open(context);
    CompletionQueue completions(context);
    const Address in = require(context.take_heap(64 * 64), "heap");
    for (std::uint32_t i = 0; i < 64; ++i) require(pair.post_receive(in + i * 64, 64), "receive");
    const Address out = put_into_heap(context, pattern(self, 64));
    meet(context);
    if (self == 0) {
      require(pair.post_send({{kTo}, 0}, out, 64, {.id = 1}), "send");
      const WorkCompletion lost = next(context, completions);
      check(lost.id == 1 && lost.error == Errc::kDeliveryUnknown &&
                lost.status == Status::kDeliveryUnknown,
            std::string("it is in doubt: ") + std::string(name_of(lost.status)));
      loses = false;
      require(pair.post_send({{kTo}, 0}, out, 64, {.id = 2}), "send");
      expect_good(next(context, completions));
      return;
    }
    if (self == kTo) {
      for (std::uint32_t i = 0; i < kTasks; ++i) expect_good(next(context, completions));
      return;
    }
    context.device().compute(10'000);
    require(pair.post_send({{kTo}, 0}, out, 64), "send");
    expect_good(next(context, completions));
  }),
            "");
}

TEST(DynamicQueuePair, BadArgumentsAreTold) {
  Job job(with_dynamic_pairs(2, 2));
  EXPECT_EQ(job.run([&](Context& context) {
    NodeSetup setup(context.device(), context.plan());
    check(setup.set_up_dynamic({0}, 2) == Errc::kBadArgument, "no such pair");
    check(setup.set_up_dynamic({1}, 0) == Errc::kBadArgument, "no such client");
    check(setup.connect({0}, 0, {0}, 0) == Errc::kBadArgument, "not a pair to connect");
    check(DynamicQueuePair::open(context, 2).error() == Errc::kBadArgument, "no such pair");
    check(QueuePair::open(context, 0, {0}, 0).error() == Errc::kBadArgument, "no such pair");
    DynamicQueuePair pair = open(context, 1);
    check(pair.number() == 1, "its number");
    const Address heap = require(context.take_heap(64), "heap");
    check(pair.post_send({{2}, 0}, heap, 64) == Errc::kBadArgument, "no such task");
    check(pair.post_send({{1}, 2}, heap, 64) == Errc::kBadArgument, "no such pair of it");
    check(pair.post_send({{1}, 0}, heap, 0) == Errc::kBadArgument, "a message of no bytes");
    check(pair.post_receive(heap, 0) == Errc::kBadArgument, "a buffer of no bytes");
    check(pair.post_receive(context.device().memory_size() - 64, 64) == Errc::kNotRegistered,
          "memory of nobody");
    check(context.post_increment({2}, {0}) == Errc::kBadArgument, "no such task");
    check(
        context.post_increment({1}, {context.plan().sizes().event_counters}) == Errc::kBadArgument,
        "no such counter");
  }),
            "");
}

// --- the plan ------------------------------------------------------------------------------------

TEST(DynamicPairPlan, StandsBehindTheOrdinaryPairsAndKnowsWhoseQueueThatIs) {
  PlanOptions options;
  options.clients = 2;
  options.queue_pairs = 2;
  options.dynamic_pairs = 1;
  const NodePlan plan = NodePlan::make({2, 1, 1}, kSim, Bytes{64} << 20, options).value();
  EXPECT_EQ(plan.pairs(), 3U);
  std::set<std::uint32_t> queues;
  for (const std::uint32_t client : {0U, 1U}) {
    for (std::uint32_t n = 0; n < plan.pairs(); ++n) {
      for (const auto end : {NodePlan::End::kSend, NodePlan::End::kReceive}) {
        const QueueId queue = plan.pair_queue({client}, n, end);
        EXPECT_TRUE(queues.insert(queue.value).second);
        const auto found = plan.pair_of(queue);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->client.value, client);
        EXPECT_EQ(found->n, n);
      }
    }
  }
  EXPECT_EQ(*queues.rbegin(), kSim.injection_queues - 1);
  EXPECT_FALSE(plan.pair_of({*queues.begin() - 1}));
  EXPECT_FALSE(plan.pair_of({kSim.injection_queues}));
}

TEST(DynamicPairPlan, HasNoMorePairsThanThereAreQueuesFor) {
  PlanOptions options;
  options.queue_pairs = 5;
  options.dynamic_pairs = 6;
  EXPECT_TRUE(NodePlan::make({1, 1, 1}, kSim, Bytes{16} << 20, options));
  options.dynamic_pairs = 7;
  EXPECT_EQ(NodePlan::make({1, 1, 1}, kSim, Bytes{16} << 20, options).error(),
            Errc::kOutOfResources);
}

}  // namespace
}  // namespace torusmu::testing

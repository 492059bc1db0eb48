// SPDX-License-Identifier: Apache-2.0
// Queue pairs and completion queues of the library, on the reference model.
#include "torusmu/queue_pair.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/host/job.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr Cycles kPatience = 50'000'000;

JobOptions with_pairs(std::uint32_t nodes, std::uint32_t pairs) {
  JobOptions options;
  options.machine.shape = shape_of(nodes);
  options.plan.queue_pairs = pairs;
  return options;
}

void connect(Context& context, std::uint32_t pair, Task peer, std::uint32_t peer_pair,
             const QueuePairOptions& options = {}) {
  const ClientId client = context.plan().place(context.task()).client;
  require(
      NodeSetup(context.device(), context.plan()).connect(client, pair, peer, peer_pair, options),
      "connect");
}
QueuePair open(Context& context, std::uint32_t pair, Task peer, std::uint32_t peer_pair,
               const QueuePairOptions& options = {}) {
  connect(context, pair, peer, peer_pair, options);
  return require(QueuePair::open(context, pair, peer, peer_pair), "open");
}
QueuePair meet(Context& context, std::uint32_t pair, Task peer, std::uint32_t peer_pair,
               const QueuePairOptions& options = {}) {
  QueuePair end = open(context, pair, peer, peer_pair, options);
  require(end.meet(context.now() + kPatience), "meet");
  return end;
}
Task other(const Context& context) { return {1 - context.task().value}; }

WorkCompletion next(Context& context, CompletionQueue& completions) {
  return require(completions.wait(context.now() + kPatience), "completion");
}
// The next one of that opcode; the others are kept for nobody.
WorkCompletion next(Context& context, CompletionQueue& completions, Opcode opcode) {
  for (;;) {
    const WorkCompletion completion = next(context, completions);
    if (completion.opcode == opcode) return completion;
  }
}
void expect_good(const WorkCompletion& completion) {
  require(completion.error, std::string("completion: ") + std::string(name_of(completion.status)));
}

TEST(QueuePair, DeliversInOrderWithLengthWordAndId) {
  constexpr std::array<Bytes, 6> kLengths{1, 512, 513, 4096, 10'000, 7};
  Job job(with_pairs(2, 1));
  EXPECT_EQ(job.run([&](Context& context) {
    QueuePair pair = open(context, 0, other(context), 0);
    CompletionQueue completions(context);
    std::vector<Address> buffers;
    for (std::uint32_t i = 0; i < kLengths.size(); ++i) {
      buffers.push_back(require(context.take_heap(10'000), "heap"));
      require(pair.post_receive(buffers[i], 10'000, {.id = i}), "receive");
    }
    require(pair.meet(context.now() + kPatience), "meet");
    for (std::uint32_t i = 0; i < kLengths.size(); ++i) {
      const Address data =
          put_into_heap(context, pattern(context.task().value * 100 + i, kLengths.at(i)));
      require(pair.post_send(data, kLengths.at(i), {.id = 100 + i, .word = 7 * i}), "send");
    }
    std::uint32_t sent = 0;
    std::uint32_t received = 0;
    while (sent + received < 2 * kLengths.size()) {
      const WorkCompletion completion = next(context, completions);
      expect_good(completion);
      check(completion.pair == 0, "the pair is told");
      if (completion.opcode == Opcode::kSend) {
        check(completion.id == 100 + sent++, "sends are done in order");
        continue;
      }
      check(completion.id == received && completion.word == 7 * received &&
                completion.bytes == kLengths.at(received),
            "a receive tells id, word and length");
      check(get_from(context, buffers[received], completion.bytes) ==
                pattern(other(context).value * 100 + received, completion.bytes),
            "the data are those that were sent");
      ++received;
    }
    check(!completions.poll(), "nothing more is told");
  }),
            "");
}

// The sender is told when its message has been taken, however late that is.
TEST(QueuePair, SendIsRepeatedUntilItIsReceived) {
  Job job(with_pairs(2, 1));
  EXPECT_EQ(job.run([&](Context& context) {
    QueuePair pair = meet(context, 0, other(context), 0);
    CompletionQueue completions(context);
    if (context.task() == Task{0}) {
      const Address data = put_into_heap(context, pattern(5, 3000));
      require(pair.post_send(data, 3000), "send");
      expect_good(next(context, completions));
      check(context.now() > 200'000, "nobody took it before");
    } else {
      context.device().compute(200'000);
      const Address buffer = require(context.take_heap(3000), "heap");
      check(get_from(context, buffer, 3000) == std::vector<std::byte>(3000), "nothing has come");
      require(pair.post_receive(buffer, 3000), "receive");
      expect_good(next(context, completions));
      check(get_from(context, buffer, 3000) == pattern(5, 3000), "the data are right");
    }
  }),
            "");
}

TEST(QueuePair, ManagedReceivesTakeWhatIsEnabled) {
  Job job(with_pairs(2, 1));
  EXPECT_EQ(job.run([&](Context& context) {
    QueuePair pair = open(context, 0, other(context), 0, {.managed_receives = true});
    CompletionQueue completions(context);
    const Address buffer = require(context.take_heap(3 * 64), "heap");
    for (std::uint32_t i = 0; i < 3; ++i) {
      require(pair.post_receive(buffer + i * 64, 64, {.id = i}), "receive");
    }
    require(pair.meet(context.now() + kPatience), "meet");
    if (context.task() == Task{0}) {
      for (std::uint32_t i = 0; i < 3; ++i) {
        require(pair.post_send(put_into_heap(context, pattern(i, 64)), 64), "send");
      }
      for (std::uint32_t i = 0; i < 3; ++i) expect_good(next(context, completions));
      return;
    }
    check(completions.wait(context.now() + 50'000).error() == Errc::kDeadline, "none is enabled");
    require(pair.enable_receives(1), "enable");
    expect_good(next(context, completions));
    check(completions.wait(context.now() + 50'000).error() == Errc::kDeadline, "one is enabled");
    require(pair.enable_receives(2), "enable");
    expect_good(next(context, completions));
    expect_good(next(context, completions));
    for (std::uint32_t i = 0; i < 3; ++i) {
      check(get_from(context, buffer + i * 64, 64) == pattern(i, 64), "the data are right");
    }
  }),
            "");
}

// Each task has a pair with the task before and one with the task behind, and one completion queue.
TEST(QueuePair, SeveralPairsShareACompletionQueue) {
  constexpr std::uint32_t kTasks = 5;
  constexpr std::uint32_t kRounds = 20;
  Job job(with_pairs(kTasks, 2));
  EXPECT_EQ(job.run([&](Context& context) {
    const std::uint32_t self = context.task().value;
    std::vector<QueuePair> pairs;
    pairs.push_back(open(context, 0, {(self + 1) % kTasks}, 1));
    pairs.push_back(open(context, 1, {(self + kTasks - 1) % kTasks}, 0));
    CompletionQueue completions(context);
    const Address in = require(context.take_heap(2 * kRounds * 64), "heap");
    for (std::uint32_t i = 0; i < 2 * kRounds; ++i) {
      require(pairs[i % 2].post_receive(in + i * 64, 64, {.id = i}), "receive");
    }
    for (QueuePair& pair : pairs) require(pair.meet(context.now() + kPatience), "meet");
    for (std::uint32_t i = 0; i < 2 * kRounds; ++i) {
      const Address data = put_into_heap(context, pattern(self * 1000 + i, 64));
      require(pairs[i % 2].post_send(data, 64, {.id = i, .word = i}), "send");
    }
    for (std::uint32_t i = 0; i < 4 * kRounds; ++i) {
      const WorkCompletion completion = next(context, completions);
      expect_good(completion);
      check(completion.pair == completion.id % 2, "the pair is told");
      if (completion.opcode != Opcode::kReceive) continue;
      const std::uint32_t from = pairs[completion.pair].peer().value;
      // What comes by one pair was sent by the other.
      check(completion.word % 2 != completion.pair, "from the other pair");
      check(get_from(context, in + completion.id * 64, 64) ==
                pattern(from * 1000 + completion.word, 64),
            "the data are right");
    }
  }),
            "");
}

TEST(QueuePair, ConnectsTwoPairsOfOneTask) {
  Job job(with_pairs(1, 2));
  EXPECT_EQ(job.run([&](Context& context) {
    connect(context, 0, {0}, 1);
    connect(context, 1, {0}, 0);
    QueuePair first = require(QueuePair::open(context, 0, {0}, 1), "open");
    QueuePair second = require(QueuePair::open(context, 1, {0}, 0), "open");
    CompletionQueue completions(context);
    const Address in = require(context.take_heap(100), "heap");
    require(second.post_receive(in, 100), "receive");
    require(first.post_send(put_into_heap(context, pattern(1, 100)), 100), "send");
    expect_good(next(context, completions));
    expect_good(next(context, completions));
    check(get_from(context, in, 100) == pattern(1, 100), "the data are right");
  }),
            "");
}

TEST(QueuePair, WorksForAllClientsOfANode) {
  JobOptions options = with_pairs(2, 2);
  options.plan.clients = 2;
  options.machine.memory_size = Bytes{32} << 20;
  Job job(options);
  EXPECT_EQ(job.run([&](Context& context) {
    // Tasks 0 and 1 live on one node, 2 and 3 on the other.
    const Task peer{context.task().value ^ 3U};
    QueuePair pair = open(context, 1, peer, 1);
    CompletionQueue completions(context);
    const Address in = require(context.take_heap(100), "heap");
    require(pair.post_receive(in, 100), "receive");
    require(pair.meet(context.now() + kPatience), "meet");
    require(pair.post_send(put_into_heap(context, pattern(context.task().value, 100)), 100),
            "send");
    expect_good(next(context, completions));
    expect_good(next(context, completions));
    check(get_from(context, in, 100) == pattern(peer.value, 100), "the data are right");
  }),
            "");
}

TEST(QueuePair, NothingIsSentBeforeThePeerHasCome) {
  Job job(with_pairs(2, 1));
  EXPECT_EQ(job.run([&](Context& context) {
    if (context.task() == Task{1}) context.device().compute(300'000);
    QueuePair pair = open(context, 0, other(context), 0);
    CompletionQueue completions(context);
    const Address in = require(context.take_heap(64), "heap");
    const Address out = put_into_heap(context, pattern(3, 64));
    require(pair.post_receive(in, 64), "receive");
    if (context.task() == Task{0}) {
      check(pair.post_send(out, 64) == Errc::kAgain, "the peer is not there");
      check(pair.meet(context.now() + 50'000) == Errc::kDeadline, "nor is it soon");
    }
    require(pair.meet(context.now() + kPatience), "meet");
    require(pair.post_send(out, 64), "send");
    expect_good(next(context, completions));
    expect_good(next(context, completions));
  }),
            "");
}

TEST(QueuePair, MessageLongerThanItsBufferIsToldToTheSenderAndStopsTheQueue) {
  Job job(with_pairs(2, 1));
  EXPECT_EQ(job.run([&](Context& context) {
    QueuePair pair = open(context, 0, other(context), 0);
    CompletionQueue completions(context);
    const Address in = require(context.take_heap(100), "heap");
    require(pair.post_receive(in, 99), "receive");
    require(pair.meet(context.now() + kPatience), "meet");
    if (context.task() == Task{0}) {
      const Address out = put_into_heap(context, pattern(1, 100));
      require(pair.post_send(out, 100, {.id = 8}), "send");
      require(pair.post_send(out, 50, {.id = 9}), "send");
      const WorkCompletion completion = next(context, completions);
      check(completion.error == Errc::kTruncated && completion.id == 8, "it is too long");
      check(completion.status == Status::kLengthTooLong, "the MU says so");
      check(completions.wait(context.now() + 50'000).error() == Errc::kDeadline,
            "what stands behind it is not sent");
    } else {
      check(completions.wait(context.now() + 100'000).error() == Errc::kDeadline, "nothing comes");
      check(get_from(context, in, 100) == std::vector<std::byte>(100), "nothing is written");
    }
  }),
            "");
}

TEST(QueuePair, SendThatNobodyTakesEndsAndTheConnectionBeginsAnew) {
  Job job(with_pairs(2, 1));
  EXPECT_EQ(job.run([&](Context& context) {
    NodeSetup setup(context.device(), context.plan());
    require(setup.set_send_retry(500, 3), "retry");
    std::optional<QueuePair> pair = meet(context, 0, other(context), 0);
    CompletionQueue completions(context);
    const Address out = put_into_heap(context, pattern(1, 64));
    const Address in = require(context.take_heap(64), "heap");
    if (context.task() == Task{0}) {
      require(pair->post_send(out, 64), "send");
      const WorkCompletion completion = next(context, completions);
      check(completion.error == Errc::kNotAcknowledged, "nobody has taken it");
    }
    // Both connect again when both have stopped.
    Group everyone(context, {{0}, {1}}, 0);
    require(everyone.barrier(context.now() + kPatience), "barrier");
    pair = open(context, 0, other(context), 0);
    require(pair->post_receive(in, 64), "receive");
    require(pair->meet(context.now() + kPatience), "meet");
    require(pair->post_send(out, 64), "send");
    expect_good(next(context, completions));
    expect_good(next(context, completions));
    check(get_from(context, in, 64) == pattern(1, 64), "the data are right");
  }),
            "");
}

TEST(QueuePair, ReceiveUnderWayIsFlushedByANewConnection) {
  Job job(with_pairs(2, 1));
  EXPECT_EQ(job.run([&](Context& context) {
    QueuePair pair = meet(context, 0, other(context), 0);
    CompletionQueue completions(context);
    require(pair.post_receive(require(context.take_heap(64), "heap"), 64, {.id = 3}), "receive");
    // A look at the queue, so that the MU has fetched it.
    context.device().compute(10'000);
    connect(context, 0, other(context), 0);
    const WorkCompletion completion = next(context, completions);
    check(completion.error == Errc::kFlushed && completion.id == 3, "it is flushed");
  }),
            "");
}

TEST(QueuePair, ListsArePostedWhole) {
  JobOptions options = with_pairs(2, 1);
  options.plan.queue_pair_slots = 4;
  Job job(options);
  EXPECT_EQ(job.run([&](Context& context) {
    QueuePair pair = open(context, 0, other(context), 0);
    CompletionQueue completions(context);
    const Address in = require(context.take_heap(5 * 64), "heap");
    const Address out = put_into_heap(context, pattern(1, 64));
    std::vector<Descriptor> receives;
    std::vector<Descriptor> sends;
    for (std::uint32_t i = 0; i < 5; ++i) {
      receives.push_back(require(pair.receive(in + i * 64, 64, {.id = i}), "receive"));
      sends.push_back(require(pair.send(out, 64, {.id = 10 + i}), "send"));
    }
    require(pair.meet(context.now() + kPatience), "meet");
    check(pair.post_receives(receives) == Errc::kBadArgument, "longer than the queue");
    receives.pop_back();
    require(pair.post_receives(receives), "receives");
    check(pair.post_receives(receives) == Errc::kAgain, "no room for so many");
    sends.pop_back();
    require(pair.post(sends), "sends");
    for (std::uint32_t i = 0; i < 8; ++i) expect_good(next(context, completions));
    check(get_from(context, in + 3 * 64, 64) == pattern(1, 64), "the last is there");
  }),
            "");
}

// What one task sends to the next it has received from the one before, and no core takes part.
TEST(QueuePair, ListForwardsWhatIsReceived) {
  constexpr std::uint32_t kTasks = 4;
  Job job(with_pairs(kTasks, 2));
  EXPECT_EQ(job.run([&](Context& context) {
    const std::uint32_t self = context.task().value;
    QueuePair before = open(context, 0, {(self + kTasks - 1) % kTasks}, 1);
    QueuePair behind = open(context, 1, {(self + 1) % kTasks}, 0);
    CompletionQueue completions(context);
    const Address data = self == 0 ? put_into_heap(context, pattern(1, 2000))
                                   : require(context.take_heap(2000), "heap");
    const Address back = require(context.take_heap(2000), "heap");
    require(before.post_receive(self == 0 ? back : data, 2000), "receive");
    require(before.meet(context.now() + kPatience), "meet");
    require(behind.meet(context.now() + kPatience), "meet");
    std::vector<Descriptor> list;
    if (self != 0) list.push_back(before.wait_for_receives(1));
    list.push_back(require(behind.send(data, 2000, {.signal = false}), "send"));
    require(behind.post(list), "list");
    expect_good(next(context, completions, Opcode::kReceive));
    if (self == 0) {
      check(get_from(context, back, 2000) == pattern(1, 2000), "it has gone all the way round");
    }
  }),
            "");
}

TEST(QueuePair, ListWaitsForTheCompletionQueue) {
  Job job(with_pairs(2, 1));
  EXPECT_EQ(job.run([&](Context& context) {
    QueuePair pair = open(context, 0, other(context), 0);
    CompletionQueue completions(context);
    const Address in = require(context.take_heap(64), "heap");
    const Address out = put_into_heap(context, pattern(1, 64));
    require(pair.post_receive(in, 64), "receive");
    require(pair.meet(context.now() + kPatience), "meet");
    if (context.task() == Task{0}) context.device().compute(100'000);
    std::vector<Descriptor> list;
    if (context.task() == Task{1}) list.push_back(completions.wait_for(1));
    list.push_back(require(pair.send(out, 64), "send"));
    require(pair.post(list), "list");
    const WorkCompletion first = next(context, completions);
    if (context.task() == Task{1}) check(first.opcode == Opcode::kReceive, "the receive is first");
    expect_good(next(context, completions));
  }),
            "");
}

// Packets, acknowledgements and refusals that are lost, or come twice: every message is received
// once, in its turn.
TEST(QueuePair, LosesAndRepeatsNothingOnABadNetwork) {
  constexpr std::uint32_t kMessages = 60;
  Random random(20);
  SCOPED_TRACE(random.replay());
  JobOptions options = with_pairs(2, 1);
  options.machine.seed = random.bits64();
  Job job(options);
  job.machine().watch_packets([&](model::Packet& packet) {
    const Kind kind = packet.header.get<layout::packet_header::kind>();
    if (kind != Kind::kSend && kind != Kind::kAck && kind != Kind::kNotice) {
      return model::Fate::kArrives;
    }
    return random.chance(10)   ? model::Fate::kLost
           : random.chance(10) ? model::Fate::kArrivesTwice
                               : model::Fate::kArrives;
  });
  EXPECT_EQ(job.run([&](Context& context) {
    QueuePair pair = meet(context, 0, other(context), 0);
    CompletionQueue completions(context);
    const auto length = [](std::uint32_t i) { return Bytes{1} + i * 37 % 2000; };
    std::uint32_t sent = 0;
    std::uint32_t received = 0;
    const Address in = require(context.take_heap(2000), "heap");
    if (context.task() == Task{1}) require(pair.post_receive(in, 2000), "receive");
    while ((context.task() == Task{0} ? sent : received) < kMessages) {
      if (context.task() == Task{0}) {
        const Address data = put_into_heap(context, pattern(sent, length(sent)));
        require(pair.post_send(data, length(sent)), "send");
        expect_good(next(context, completions));
        ++sent;
        continue;
      }
      const WorkCompletion completion = next(context, completions);
      expect_good(completion);
      check(completion.bytes == length(received), "the length is right");
      check(get_from(context, in, length(received)) == pattern(received, length(received)),
            "the data are right");
      if (++received < kMessages) require(pair.post_receive(in, 2000), "receive");
    }
  }),
            "");
  EXPECT_GT(job.machine().packets_lost(), 10U);
}

TEST(CompletionQueue, ThatIsFullLosesEntriesButNoMessages) {
  constexpr std::uint32_t kMessages = 6;
  JobOptions options = with_pairs(2, 2);
  options.plan.completion_entries = 4;
  options.plan.contexts = 2;  // of which the second loses nothing
  Job job(options);
  EXPECT_EQ(job.run([&](Context& context) {
    if (context.id() != ContextId{0}) return;
    QueuePair pair = open(context, 0, other(context), 0);
    CompletionQueue completions(context);
    const Address in = require(context.take_heap(2 * kMessages * 64), "heap");
    const Address out = put_into_heap(context, pattern(4, 64));
    for (std::uint32_t i = 0; i < 2 * kMessages; ++i) {
      require(pair.post_receive(in + i * 64, 64, {.id = i}), "receive");
    }
    require(pair.meet(context.now() + kPatience), "meet");
    const auto send_all = [&] {
      for (std::uint32_t i = 0; i < kMessages; ++i) {
        require(pair.post_send(out, 64, {.signal = false}), "send");
      }
    };
    NodeSetup setup(context.device(), context.plan());
    const ClientId client{0};
    if (context.task() == Task{0}) {
      send_all();
      context.device().compute(100'000);
      return;
    }
    context.device().compute(100'000);  // nobody looks meanwhile
    check(require(setup.completions_lost(client), "lost") == kMessages - 4, "two are lost");
    for (std::uint32_t i = 0; i < 4; ++i) {
      check(next(context, completions).id == i, "the oldest are kept");
    }
    check(!completions.poll(), "the others are lost");
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      check(get_from(context, in + i * 64, 64) == pattern(4, 64), "every message is there");
    }
  }),
            "");
}

TEST(CompletionQueue, GoesRoundManyTimes) {
  constexpr std::uint32_t kMessages = 200;
  JobOptions options = with_pairs(2, 1);
  options.plan.completion_entries = 5;
  options.plan.queue_pair_slots = 2;
  Job job(options);
  EXPECT_EQ(job.run([&](Context& context) {
    QueuePair pair = open(context, 0, other(context), 0);
    CompletionQueue completions(context);
    const Address in = require(context.take_heap(2 * 64), "heap");
    const Address out = require(context.take_heap(2 * 64), "heap");
    const auto receive = [&](std::uint32_t i) {
      require(pair.post_receive(in + i % 2 * 64, 64, {.id = i}), "receive");
    };
    const auto send = [&](std::uint32_t i) {
      context.device().store(out + i % 2 * 64, pattern(i, 64));
      require(pair.post_send(out + i % 2 * 64, 64, {.id = i}), "send");
    };
    receive(0);
    receive(1);
    require(pair.meet(context.now() + kPatience), "meet");
    send(0);
    send(1);
    std::uint32_t sent = 0;
    std::uint32_t received = 0;
    while (sent + received < 2 * kMessages) {
      const WorkCompletion completion = next(context, completions);
      expect_good(completion);
      const bool is_send = completion.opcode == Opcode::kSend;
      std::uint32_t& count = is_send ? sent : received;
      check(completion.id == count, "in order");
      if (!is_send) {
        check(get_from(context, in + count % 2 * 64, 64) == pattern(count, 64), "right");
      }
      ++count;
      if (count + 1 >= kMessages) continue;
      is_send ? send(count + 1) : receive(count + 1);
    }
    check(sent == kMessages && received == kMessages, "all");
  }),
            "");
}

TEST(CompletionQueue, WaitEndsAtItsDeadline) {
  Job job(with_pairs(1, 1));
  EXPECT_EQ(job.run([&](Context& context) {
    CompletionQueue completions(context);
    const Cycles deadline = context.now() + 30'000;
    check(completions.wait(deadline).error() == Errc::kDeadline, "nothing comes");
    check(context.now() >= deadline && context.now() < deadline + 10'000, "at its deadline");
  }),
            "");
}

TEST(CompletionQueue, NeedsQueuePairsInThePlan) {
  Job job(with_pairs(1, 0));
  EXPECT_EQ(job.run([&](Context& context) {
    EXPECT_THROW(CompletionQueue completions(context), std::invalid_argument);
    check(QueuePair::open(context, 0, {0}, 0).error() == Errc::kBadArgument, "no pairs");
  }),
            "");
}

TEST(QueuePair, BadArgumentsAreTold) {
  Job job(with_pairs(2, 2));
  EXPECT_EQ(job.run([&](Context& context) {
    NodeSetup setup(context.device(), context.plan());
    check(setup.connect({0}, 2, {0}, 0) == Errc::kBadArgument, "no such pair");
    check(setup.connect({0}, 0, {0}, 2) == Errc::kBadArgument, "no such pair of the peer");
    check(setup.connect({0}, 0, {2}, 0) == Errc::kBadArgument, "no such task");
    check(setup.connect({1}, 0, {0}, 0) == Errc::kBadArgument, "no such client");
    check(setup.set_send_retry(0, 1) == Errc::kBadArgument, "no time");
    check(setup.set_send_retry((1U << 24) + 1, 1) == Errc::kBadArgument, "too long");
    check(setup.set_send_retry(1, 256) == Errc::kBadArgument, "too often");
    check(setup.completions_lost({1}).error() == Errc::kBadArgument, "no such client");
    check(QueuePair::open(context, 2, {0}, 0).error() == Errc::kBadArgument, "no such pair");
    check(QueuePair::open(context, 0, {2}, 0).error() == Errc::kBadArgument, "no such task");
    QueuePair pair = open(context, 0, context.task(), 1);
    const Address heap = require(context.take_heap(64), "heap");
    check(pair.post_send(heap, 0) == Errc::kBadArgument, "a message of no bytes");
    check(pair.post_receive(heap, 0) == Errc::kBadArgument, "a buffer of no bytes");
    check(pair.post_send(heap, Bytes{1} << 32) == Errc::kBadArgument, "too long");
    check(pair.post_receive(context.device().memory_size() - 64, 64) == Errc::kNotRegistered,
          "memory of nobody");
  }),
            "");
}

TEST(QueuePairPlan, TakesTheLastQueuesAndMovesNothing) {
  const Shape shape{2, 1, 1};
  const NodePlan without = NodePlan::make(shape, kSim, Bytes{16} << 20).value();
  PlanOptions options;
  options.queue_pairs = 3;
  const NodePlan with = NodePlan::make(shape, kSim, Bytes{16} << 20, options).value();
  EXPECT_EQ(with.send_queue({0}), without.send_queue({0}));
  EXPECT_EQ(with.offload_queue({0}, 0), without.offload_queue({0}, 0));
  EXPECT_EQ(with.offload_area({0}).address, without.offload_area({0}).address);
  EXPECT_EQ(with.pair_queue({0}, 2, NodePlan::End::kReceive).value, kSim.injection_queues - 1);
  EXPECT_EQ(with.pair_event({0}, 2, NodePlan::End::kReceive).value, kSim.event_counters - 1);
  EXPECT_GE(with.completion_ring({0}).address,
            without.offload_area({0}).address + without.offload_area({0}).bytes);
  EXPECT_LE(with.pair_ring({0}, 2, NodePlan::End::kReceive).address +
                with.pair_ring({0}, 2, NodePlan::End::kReceive).bytes,
            with.end());
  EXPECT_EQ(with.completion_ring({0}).address % 64, 0U);
}

TEST(QueuePairPlan, HasNoMorePairsThanThereAreQueuesFor) {
  PlanOptions options;
  options.queue_pairs = 11;
  EXPECT_TRUE(NodePlan::make({1, 1, 1}, kSim, Bytes{16} << 20, options));
  options.queue_pairs = 12;
  EXPECT_EQ(NodePlan::make({1, 1, 1}, kSim, Bytes{16} << 20, options).error(),
            Errc::kOutOfResources);
  options.queue_pairs = 1;
  options.completion_entries = 0;
  EXPECT_EQ(NodePlan::make({1, 1, 1}, kSim, Bytes{16} << 20, options).error(), Errc::kBadArgument);
}

}  // namespace
}  // namespace torusmu::testing

// SPDX-License-Identifier: Apache-2.0
// PIPE by the library, on the reference model: task 0 sends to task 2 by way of task 1.
#include <gtest/gtest.h>

#include <array>
#include <span>
#include <vector>

#include "tests/host/job.h"
#include "tests/support/seed.h"
#include "torusmu/queue_pair.h"

namespace torusmu::testing {
namespace {

constexpr Cycles kPatience = 50'000'000;
constexpr Bytes kPiece = 1000;
constexpr std::uint32_t kMessages = 11;
constexpr Task kOrigin{0}, kMiddle{1}, kTarget{2};

JobOptions three_nodes() {
  JobOptions options;
  options.machine.shape = {3, 1, 1};
  options.plan.queue_pairs = 2;
  return options;
}

QueuePair meet(Context& context, std::uint32_t pair, Task peer, std::uint32_t peer_pair,
               const QueuePairOptions& options = {}) {
  const ClientId client = context.plan().place(context.task()).client;
  require(
      NodeSetup(context.device(), context.plan()).connect(client, pair, peer, peer_pair, options),
      "connect");
  QueuePair end = require(QueuePair::open(context, pair, peer, peer_pair), "open");
  require(end.meet(context.now() + kPatience), "meet");
  return end;
}
WorkCompletion next(Context& context, CompletionQueue& completions) {
  return require(completions.wait(context.now() + kPatience), "completion");
}
Bytes bytes_of(std::uint32_t message) { return message + 1 == kMessages ? 77 : kPiece; }

void send_all(Context& context, QueuePair& pair, CompletionQueue& completions) {
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    const Address data = put_into_heap(context, pattern(i, bytes_of(i)));
    require(pair.post_send(data, bytes_of(i), {.id = i, .word = i}), "send");
  }
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    const WorkCompletion completion = next(context, completions);
    require(completion.error, "send");
    check(completion.id == i, "sends are done in order");
  }
}

void receive_all(Context& context, QueuePair& pair, CompletionQueue& completions) {
  std::vector<Address> buffers;
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    buffers.push_back(require(context.take_heap(kPiece), "heap"));
    require(pair.post_receive(buffers[i], kPiece, {.id = i}), "receive");
  }
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    const WorkCompletion completion = next(context, completions);
    require(completion.error, "receive");
    check(completion.id == i && completion.bytes == bytes_of(i) && completion.word == 5,
          "messages come in order, with their lengths and the word of the PIPE");
    check(get_from(context, buffers[i], completion.bytes) == pattern(i, bytes_of(i)),
          "the data are those of the origin");
  }
}

// With the options of the pairs at origin and in the middle that send.
void forward(const QueuePairOptions& sends) {
  Job job(three_nodes());
  EXPECT_EQ(job.run([&](Context& context) {
    CompletionQueue completions(context);
    if (context.task() == kOrigin) {
      QueuePair pair = meet(context, 0, kMiddle, 0, sends);
      send_all(context, pair, completions);
    } else if (context.task() == kTarget) {
      QueuePair pair = meet(context, 0, kMiddle, 1);
      receive_all(context, pair, completions);
    } else {
      const QueuePair from = meet(context, 0, kOrigin, 0, {.piped_receives = true});
      QueuePair to = meet(context, 1, kTarget, 0, sends);
      const PipeBuffers buffers{require(context.take_heap(4 * kPiece), "heap"), kPiece, 4};
      require(to.post_pipe(from, kMessages, buffers, {.id = 9, .word = 5}), "pipe");
      const WorkCompletion completion = next(context, completions);
      require(completion.error, "pipe");
      check(completion.opcode == Opcode::kPipe && completion.id == 9 && completion.pair == 1,
            "the PIPE is told once, when all has gone on");
      check(!completions.poll(), "nothing is told of single messages");
    }
    // Nobody leaves before all is received.
    context.linger(500'000);
  }),
            "");
}

TEST(Pipe, SendsOnWhatIsReceivedInOrder) { forward({}); }

TEST(Pipe, SendsOnWithPairsThatPassFailures) { forward({.passes_failures = true}); }

// Through buffers of three sizes, of which two lie in other places than the heap was taken in.
TEST(Pipe, SendsOnThroughAListOfBuffers) {
  Job job(three_nodes());
  EXPECT_EQ(job.run([&](Context& context) {
    CompletionQueue completions(context);
    if (context.task() == kOrigin) {
      QueuePair pair = meet(context, 0, kMiddle, 0);
      send_all(context, pair, completions);
    } else if (context.task() == kTarget) {
      QueuePair pair = meet(context, 0, kMiddle, 1);
      receive_all(context, pair, completions);
    } else {
      const QueuePair from = meet(context, 0, kOrigin, 0, {.piped_receives = true});
      QueuePair to = meet(context, 1, kTarget, 0);
      const Address memory = require(context.take_heap(8 * kPiece), "heap");
      const Address list = require(context.take_heap(3 * 16), "heap");
      const std::array buffers{BufferPlace{memory + 5 * kPiece + 1, kPiece},
                               BufferPlace{memory, 3 * kPiece},
                               BufferPlace{memory + 3 * kPiece + 77, kPiece + 3}};
      require(to.post_pipe_through(from, kMessages, list, buffers, {.id = 9, .word = 5}), "pipe");
      const WorkCompletion completion = next(context, completions);
      require(completion.error, "pipe");
      check(completion.opcode == Opcode::kPipe && completion.id == 9, "the PIPE is told once");
      // The last message, of 11, has lain in the second.
      check(get_from(context, memory, bytes_of(10)) == pattern(10, bytes_of(10)), "its own place");
    }
    context.linger(500'000);
  }),
            "");
}

// One descriptor at the origin, one in the middle and one at the target.
TEST(Pipe, TakesABufferToAnotherByOneDescriptorANode) {
  constexpr Bytes kBytes = 10 * kPiece + 77;
  Job job(three_nodes());
  EXPECT_EQ(job.run([&](Context& context) {
    CompletionQueue completions(context);
    const Address memory = put_into_heap(
        context, context.task() == kOrigin ? pattern(1, kBytes) : std::vector<std::byte>(kBytes));
    if (context.task() == kOrigin) {
      QueuePair pair = meet(context, 0, kMiddle, 0);
      require(pair.post_pipe_from(memory, kBytes, kPiece, {.id = 3}), "from");
    } else if (context.task() == kTarget) {
      QueuePair pair = meet(context, 0, kMiddle, 1, {.piped_receives = true});
      require(pair.post_pipe_into(pair, memory, kBytes, kPiece, {.id = 3}), "into");
    } else {
      const QueuePair from = meet(context, 0, kOrigin, 0, {.piped_receives = true});
      QueuePair to = meet(context, 1, kTarget, 0);
      const PipeBuffers buffers{require(context.take_heap(4 * kPiece), "heap"), kPiece, 4};
      require(to.post_pipe(from, kMessages, buffers, {.id = 3}), "pipe");
    }
    const WorkCompletion completion = next(context, completions);
    require(completion.error, "pipe");
    check(completion.opcode == Opcode::kPipe && completion.id == 3, "told once");
    check(!completions.poll(), "nothing is told of single messages");
    if (context.task() == kTarget)
      check(get_from(context, memory, kBytes) == pattern(1, kBytes), "every byte");
    context.linger(500'000);
  }),
            "");
}

TEST(Pipe, RefusesWhatIsNoPipe) {
  Job job(three_nodes());
  EXPECT_EQ(job.run([&](Context& context) {
    const Task other{context.task().value == 0 ? 1U : 0U};
    if (context.task() == kTarget) return;
    const QueuePair from = meet(context, 0, other, 0, {.piped_receives = true});
    QueuePair to = meet(context, 1, other, 1);
    const Address memory = require(context.take_heap(1024), "heap");
    for (const PipeBuffers& buffers :
         {PipeBuffers{memory, 64, 0}, PipeBuffers{memory, 64, 17}, PipeBuffers{memory, 0, 4}}) {
      check(to.pipe(from, 1, buffers).error() == Errc::kBadArgument, "buffers that may not be");
    }
    check(to.pipe(from, 0, {memory, 64, 4}).error() == Errc::kBadArgument, "no messages");
    const std::vector<BufferPlace> some(17, BufferPlace{memory + 512, 64});
    const auto through = [&](std::uint32_t messages, std::span<const BufferPlace> buffers) {
      return to.pipe_through(from, messages, memory, buffers).error();
    };
    const std::array empty{some[0], BufferPlace{memory, 0}};
    const std::array outside{some[0], BufferPlace{context.device().memory_size() - 64, 64}};
    check(through(0, std::span(some).first(2)) == Errc::kBadArgument, "no messages");
    check(through(1, {}) == Errc::kBadArgument, "no buffers");
    check(through(1, some) == Errc::kBadArgument, "more than 16 buffers");
    check(through(1, empty) == Errc::kBadArgument, "a buffer of no bytes");
    check(through(1, outside) == Errc::kNotRegistered, "a buffer in memory of nobody");
    check(to.pipe_through(from, 1, context.device().memory_size() - 32, std::span(some).first(2))
                  .error() == Errc::kNotRegistered,
          "a list in memory of nobody");
    check(to.pipe(from, 1, {context.device().memory_size() - 64, 64, 1}).error() ==
              Errc::kNotRegistered,
          "memory of nobody");
    check(NodeSetup(context.device(), context.plan())
                  .connect({0}, 0, other, 0, {.managed_receives = true, .piped_receives = true}) ==
              Errc::kBadArgument,
          "managed and piped");
    for (const Bytes piece : {Bytes{0}, Bytes{1025}}) {
      check(to.pipe_from(memory, 1024, piece).error() == Errc::kBadArgument, "pieces to send");
      check(to.pipe_into(from, memory, 1024, piece).error() == Errc::kBadArgument, "to store");
    }
    check(from.number() == 0, "the pair is as it was");
  }),
            "");
}

TEST(Pipe, EndsWithAnErrorIfItsReceivesAreNotPiped) {
  Job job(three_nodes());
  EXPECT_EQ(job.run([&](Context& context) {
    if (context.task() == kTarget) return;
    const Task other{context.task().value == 0 ? 1U : 0U};
    const QueuePair from = meet(context, 0, other, 0);
    QueuePair to = meet(context, 1, other, 1);
    CompletionQueue completions(context);
    const Address memory = require(context.take_heap(256), "heap");
    require(to.post_pipe(from, 1, {memory, 64, 4}), "pipe");
    const WorkCompletion completion = next(context, completions);
    check(completion.error == Errc::kRefused && completion.status == Status::kQueueInvalid,
          "the status says why");
  }),
            "");
}

}  // namespace
}  // namespace torusmu::testing

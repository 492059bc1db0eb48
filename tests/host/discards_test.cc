// SPDX-License-Identifier: Apache-2.0
// What the host of a sender sees of SENDs that were discarded, on the reference model.
#include <gtest/gtest.h>

#include "tests/host/job.h"
#include "torusmu/queue_pair.h"

namespace torusmu::testing {
namespace {

constexpr Cycles kPatience = 50'000'000;
constexpr Bytes kBytes = 700;
constexpr Cycles kLate = 30'000;

JobOptions of_two(bool tell_discards, std::uint32_t notice_slots = 256) {
  JobOptions options;
  options.machine.shape = shape_of(2);
  options.plan.queue_pairs = 2;
  options.plan.tell_discards = tell_discards;
  options.plan.notice_slots = notice_slots;
  return options;
}

QueuePair meet(Context& context, std::uint32_t number) {
  const ClientId client = context.plan().place(context.task()).client;
  const Task other{1 - context.task().value};
  require(NodeSetup(context.device(), context.plan()).connect(client, number, other, number, {}),
          "connect");
  QueuePair pair = require(QueuePair::open(context, number, other, number), "open");
  require(pair.meet(context.now() + kPatience), "meet");
  return pair;
}

// Task 0 sends by pair 1 to task 1, which posts its RECEIVE late; `look` is called by task 0 once
// the SEND is done.
template <typename Look>
void send_early(Context& context, Look look) {
  QueuePair pair = meet(context, 1);
  CompletionQueue completions(context);
  if (context.task() == Task{0}) {
    require(pair.post_send(put_into_heap(context, pattern(3, kBytes)), kBytes), "send");
    require(completions.wait(context.now() + kPatience), "completion");
    context.advance();
    look();
    return;
  }
  context.device().compute(kLate);
  const Address buffer = require(context.take_heap(kBytes), "heap");
  require(pair.post_receive(buffer, kBytes), "receive");
  require(completions.wait(context.now() + kPatience), "completion");
  check(get_from(context, buffer, kBytes) == pattern(3, kBytes), "the data are right");
  check(require(context.discards(), "discards") == 0, "a receiver's count stands");
}

TEST(Discards, AreCountedAndToldWithQueueAndPeer) {
  Job job(of_two(true));
  EXPECT_EQ(job.run([](Context& context) {
    send_early(context, [&] {
      const NodePlan& plan = context.plan();
      const auto place = plan.place(context.task());
      const std::vector<Discard> told = require(context.take_discards(), "told");
      check(told.size() > 5 && told.size() == require(context.discards(), "discards"),
            "each is told and counted");
      for (const Discard& one : told) {
        check(one.queue.value == plan.pair_queue(place.client, 1, NodePlan::End::kSend).value,
              "the queue that sends");
        check(one.peer.value == plan.place(Task{1}).node.value, "the peer");
        check(one.sequence_number == told.front().sequence_number, "all are of one message");
      }
      check(require(context.take_discards(), "told").empty(), "taken");
    });
  }),
            "");
}

TEST(Discards, AreCountedWhereNobodyIsTold) {
  Job job(of_two(false));
  EXPECT_EQ(job.run([](Context& context) {
    send_early(context, [&] {
      check(require(context.discards(), "discards") > 5, "each is counted");
      check(context.take_discards().error() == Errc::kBadArgument, "none is told");
    });
  }),
            "");
}

// Half of the ring stays free of them, for what must be told.
TEST(Discards, ThatFindHalfOfTheNoticeRingInUseAreCountedAlone) {
  Job job(of_two(true, 4));
  EXPECT_EQ(job.run([](Context& context) {
    QueuePair pair = meet(context, 0);
    CompletionQueue completions(context);
    if (context.task() == Task{0}) {
      require(pair.post_send(put_into_heap(context, pattern(3, kBytes)), kBytes), "send");
      context.device().compute(kLate);
      context.advance();
      check(require(context.take_discards(), "told").size() == 2, "two had room");
      check(require(context.discards(), "discards") > 4, "all are counted");
      require(completions.wait(context.now() + kPatience), "completion");
      check(context.counts().notice_overflows == 0, "no notice was lost");
      return;
    }
    context.device().compute(2 * kLate);
    require(pair.post_receive(require(context.take_heap(kBytes), "heap"), kBytes), "receive");
    require(completions.wait(context.now() + kPatience), "completion");
  }),
            "");
}

}  // namespace
}  // namespace torusmu::testing

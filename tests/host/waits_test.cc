// SPDX-License-Identifier: Apache-2.0
// Who waits for whom: programs that can never go on, and such as wait for what may still come, on
// nodes of the reference model.
#include "torusmu/waits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/play/scenario/raw_node.h"
#include "tests/host/job.h"
#include "torusmu/queue_pair.h"

namespace torusmu::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace w = layout::wait_operation;

constexpr QueueId kA{8}, kB{9}, kReceive{10}, kC{11};
constexpr QueueId kToAny{12}, kFromAny{13};  // dynamically connected
constexpr CompletionQueueId kEntries{2};
constexpr std::uint32_t kSlots = 8;
constexpr RegionId kRegion{1};
constexpr EventId kEvent{3};
constexpr Cycles kBound = 10'000;

Address ring_of(QueueId queue) { return 0x10000 + queue.value * 0x400; }

// Nodes in a row; node n sends from kA to kReceive of node n + 1, the last one to the first.
class Waits : public ::testing::Test {
 protected:
  using Program = std::function<void(RawNode&, Device&)>;

  // A PIPE may run on node `piped`.
  void open(std::uint32_t nodes, QueueRules receives = {}, QueueRules sends = {},
            std::optional<std::uint32_t> piped = std::nullopt) {
    model::MachineOptions options;
    options.shape = {nodes, 1, 1};
    stage_ = std::make_unique<model::ReferenceStage>(options);
    tails_.assign(nodes, {});
    for (std::uint32_t n = 0; n < nodes; ++n) {
      on(n, [=, this](RawNode& node, Device& device) {
        node.open_region(kRegion, 0x100000, 0x1000);
        node.open_event(kEvent);
        node.open_completion_queue(kEntries, 0x20000, 16);
        const QueueTells tells{.completion = static_cast<int>(kEntries.value)};
        node.connect(kA, at((n + 1) % nodes), kReceive, tells);
        node.connect(kReceive, at((n + nodes - 1) % nodes), kA, tells);
        node.open_queue(kA, ring_of(kA), kSlots, QueueMode::kDoorbell, sends);
        for (const QueueId queue : {kToAny, kFromAny}) node.connect_dynamically(queue);
        node.open_queue(kFromAny, ring_of(kFromAny), kSlots, QueueMode::kReceive, receives);
        for (const QueueId queue : {kB, kC, kToAny}) {
          node.open_queue(queue, ring_of(queue), kSlots, QueueMode::kDoorbell);
        }
        node.open_queue(kReceive, ring_of(kReceive), kSlots,
                        n == piped ? QueueMode::kPiped : QueueMode::kReceive, receives);
        device.write64(registers::node::send_retry_cycles(), 100);
      });
    }
    run();
  }
  [[nodiscard]] Coordinates at(std::uint32_t node) const {
    return stage_->shape().coordinates({node});
  }
  void on(std::uint32_t n, const Program& program) {
    stage_->add_core({n}, [program](Device& device) {
      RawNode node(device);
      program(node, device);
    });
  }
  void post(std::uint32_t n, QueueId queue, std::vector<Descriptor> list) {
    std::uint32_t& tail = tails_[n][queue.value];
    on(n, [queue, list, from = tail](RawNode& node, Device&) {
      std::uint32_t index = from;
      for (const Descriptor& one : list)
        node.write_descriptor(ring_of(queue), kSlots, index++, one);
      node.ring_doorbell(queue, index);
    });
    tail += static_cast<std::uint32_t>(list.size());
    run();
  }
  void lose(Kind kind) {
    stage_->machine().watch_packets([kind](const model::Packet& packet) {
      return packet.header.get<h::kind>() == kind ? model::Fate::kLost : model::Fate::kArrives;
    });
  }
  // A SEND that is refused goes out again, so that a machine of these never falls silent.
  void run() { (void)stage_->run(kBound); }
  WaitReport report() {
    std::vector<NodeQueues> looks(stage_->shape().nodes());
    for (std::uint32_t n = 0; n < looks.size(); ++n) {
      stage_->add_core({n},
                       [&look = looks[n]](Device& device) { look = look_at_queues(device, kSim); });
    }
    (void)stage_->run(kBound);
    return who_waits(stage_->shape(), looks);
  }

  static Descriptor wait_for_event(std::uint32_t value) {
    return Descriptor()
        .set<d::opcode>(Opcode::kWait)
        .set<d::event_valid>(1)
        .set<d::event_counter>(kEvent.value)
        .set<d::immediate>(WaitOperation().set<w::value>(value).bytes());
  }
  [[nodiscard]] Descriptor put_that_bumps(std::uint32_t node) const {
    return put_descriptor(at(node), {kRegion, 0, 8}, kRegion, 64,
                          {.event = static_cast<int>(kEvent.value)});
  }
  static Descriptor send() { return send_descriptor({kRegion, 0, 8}, 0); }
  [[nodiscard]] Descriptor send_to(std::uint32_t node, Arrival arrival = {}) const {
    return dynamic_send_descriptor(at(node), kFromAny, {kRegion, 0, 8}, 0, arrival);
  }
  static Descriptor receive() { return receive_descriptor({kRegion, 128, 8}); }

 private:
  std::unique_ptr<model::ReferenceStage> stage_;
  std::vector<std::map<std::uint32_t, std::uint32_t>> tails_;  // by node, then queue
};

TEST_F(Waits, SayNothingOfWhatIsDone) {
  open(2);
  post(1, kReceive, {receive()});
  post(0, kA, {put_that_bumps(0), wait_for_event(1), send()});
  post(0, kB, {wait_for_queue(kA, 3)});
  EXPECT_THAT(report().chains, IsEmpty());
}

TEST_F(Waits, TellOfTwoQueuesThatWaitForEachOther) {
  open(1);
  post(0, kA, {wait_for_queue(kB, 1)});
  post(0, kB, {wait_for_queue(kA, 1)});
  const WaitReport found = report();
  EXPECT_TRUE(found.can_never_end());
  EXPECT_EQ(found.text(),
            "waits for itself, for ever:\n"
            "  node (0,0,0) queue 8, descriptor 0: WAIT for queue 9 to have done 1 (has 0)\n"
            "  <- node (0,0,0) queue 9, descriptor 0: WAIT for queue 8 to have done 1 (has 0)\n"
            "  <- node (0,0,0) queue 8: none of these can go on before another does\n");
}

TEST_F(Waits, TellOfAQueueThatWaitsForWhatStandsBehindIt) {
  open(1);
  post(0, kA, {wait_for_event(1), put_that_bumps(0)});
  const WaitReport found = report();
  ASSERT_TRUE(found.can_never_end());
  ASSERT_THAT(found.chains.front().steps, SizeIs(1));
  EXPECT_THAT(found.chains.front().steps.front().text,
              HasSubstr("WAIT for event counter 3 to be 1 (is 0); behind it descriptor 1, PUT"));
}

TEST_F(Waits, TellOfAPipeThatNobodySendsTo) {
  open(3, {}, {}, 1);
  post(2, kReceive, {receive()});
  post(1, kA, {pipe_descriptor({kRegion, 256, 64}, {1, kReceive, 64}, 0)});
  EXPECT_THAT(report().text(), HasSubstr("PIPE without a message from node (0,0,0) queue 8\n"
                                         "  <- nobody here posted what it waits for: no SEND is "
                                         "posted in node (0,0,0) queue 8"));
}

TEST_F(Waits, TellOfASendToAQueueWithoutItsPipe) {
  open(2, {}, {}, 1);
  post(0, kA, {send()});
  EXPECT_THAT(report().text(), HasSubstr("no PIPE is posted for node (1,0,0) queue 10"));
}

TEST_F(Waits, FollowASendThroughAPipeToTheReceiveThatIsMissing) {
  open(3, {}, {}, 1);
  post(1, kA, {pipe_descriptor({kRegion, 256, 64}, {3, kReceive, 64}, 0)});
  post(0, kA, {send(), send(), send()});
  const WaitReport found = report();
  EXPECT_FALSE(found.can_never_end());
  EXPECT_THAT(found.text(), HasSubstr("node (0,0,0) queue 8, descriptor 1: SEND to node (1,0,0) "
                                      "queue 10, not acknowledged"));
  EXPECT_THAT(found.text(), HasSubstr("node (1,0,0) queue 8, descriptor 0: PIPE to node (2,0,0) "
                                      "queue 10, not acknowledged"));
  EXPECT_THAT(found.text(), HasSubstr("no RECEIVE is posted in node (2,0,0) queue 10"));
}

TEST_F(Waits, FollowPiecesFromTheOriginToTheTarget) {
  open(2, {}, {}, 1);
  post(0, kA, {pipe_from({kRegion, 256, 128}, 64, 0)});
  EXPECT_THAT(report().text(), HasSubstr("PIPE to node (1,0,0) queue 10, not acknowledged\n"
                                         "  <- nobody here posted what it waits for: no PIPE is "
                                         "posted for node (1,0,0) queue 10"));
}

TEST_F(Waits, TellOfAPipeAtTheTargetThatNobodySendsTo) {
  open(2, {}, {}, 1);
  post(1, kB, {pipe_into({kRegion, 256, 128}, kReceive, 64)});
  EXPECT_THAT(report().text(), HasSubstr("PIPE without a message from node (0,0,0) queue 8\n"
                                         "  <- nobody here posted what it waits for: no SEND is "
                                         "posted in node (0,0,0) queue 8"));
}

TEST_F(Waits, TellOfACountThatNobodyBumps) {
  open(2);
  post(1, kB, {put_that_bumps(0)});
  post(0, kA, {wait_for_event(3)});
  const WaitReport found = report();
  EXPECT_FALSE(found.can_never_end()) << "a core may still bump it";
  EXPECT_EQ(found.text(),
            "waits:\n"
            "  node (0,0,0) queue 8, descriptor 0: WAIT for event counter 3 to be 3 (is 1)\n"
            "  <- nobody here posted what it waits for: 2 increments of event counter 3 of node "
            "(0,0,0)\n");
}

TEST_F(Waits, TellOfASendWithoutAReceive) {
  open(2);
  post(0, kA, {send()});
  EXPECT_EQ(report().text(),
            "waits:\n"
            "  node (0,0,0) queue 8, descriptor 0: SEND to node (1,0,0) queue 10, not "
            "acknowledged\n"
            "  <- nobody here posted what it waits for: no RECEIVE is posted in node (1,0,0) queue "
            "10\n");
}

TEST_F(Waits, TellOfASendToAReceiveThatIsNeverEnabled) {
  open(2, {.managed = true});
  post(1, kReceive, {receive()});
  post(0, kA, {send()});
  EXPECT_EQ(report().text(),
            "waits:\n"
            "  node (0,0,0) queue 8, descriptor 0: SEND to node (1,0,0) queue 10, not "
            "acknowledged\n"
            "  <- node (1,0,0) queue 10, descriptor 0: RECEIVE, not enabled: the limit is 0\n"
            "  <- nobody here posted what it waits for: a RECV_EN for node (1,0,0) queue 10\n");
}

// The RECEIVE would be enabled behind a WAIT that waits for what is behind the SEND.
TEST_F(Waits, FollowEnablesAcrossNodes) {
  open(2, {.managed = true});
  post(1, kReceive, {receive()});
  post(1, kB, {wait_for_event(1), enable_receives(kReceive, 1)});
  post(0, kA, {send(), put_that_bumps(1)});
  const WaitReport found = report();
  ASSERT_TRUE(found.can_never_end());
  ASSERT_THAT(found.chains, SizeIs(1));
  EXPECT_THAT(found.chains.front().steps, SizeIs(3));
  EXPECT_THAT(found.text(), HasSubstr("queue 9, descriptor 0: WAIT for event counter 3 to be 1 (is "
                                      "0); behind it descriptor 1, RECV_EN"));
  EXPECT_THAT(found.text(), HasSubstr("behind it descriptor 1, PUT"));
}

TEST_F(Waits, TellOfARingOfThreeNodes) {
  open(3);
  for (std::uint32_t n = 0; n < 3; ++n) {
    post(n, kB, {wait_for_event(1), put_that_bumps((n + 1) % 3)});
  }
  const WaitReport found = report();
  ASSERT_TRUE(found.can_never_end());
  ASSERT_THAT(found.chains, SizeIs(1));
  std::vector<std::uint32_t> nodes;
  for (const WaitStep& step : found.chains.front().steps) nodes.push_back(step.node.value);
  EXPECT_THAT(nodes, ElementsAre(0, 2, 1));
}

// Two queues wait for each other, but a third has posted what lets one of them go on.
TEST_F(Waits, AreNoCycleIfAnotherMayHelp) {
  open(2);
  post(0, kA, {wait_for_event(1)});
  post(0, kB, {wait_for_queue(kA, 1), put_that_bumps(0)});
  post(1, kC, {wait_for_event(1), put_that_bumps(0)});
  const WaitReport found = report();
  EXPECT_FALSE(found.can_never_end());
  ASSERT_THAT(found.chains, SizeIs(1));
  EXPECT_THAT(found.chains.front().steps, SizeIs(3));
  EXPECT_EQ(found.chains.front().end,
            "nobody here posted what it waits for: 1 increment of event counter 3 of node (1,0,0)");
}

TEST_F(Waits, LeadIntoACycle) {
  open(1);
  post(0, kA, {wait_for_queue(kB, 1)});
  post(0, kB, {wait_for_queue(kA, 1)});
  post(0, kC, {wait_for_queue(kA, 1)});
  const WaitReport found = report();
  ASSERT_THAT(found.chains, SizeIs(2));
  EXPECT_TRUE(found.chains[0].cycle);
  EXPECT_FALSE(found.chains[1].cycle);
  EXPECT_EQ(found.chains[1].end, "node (0,0,0) queue 8, told above");
}

TEST_F(Waits, KnowThresholdsOfRelativeWaits) {
  open(1);
  post(0, kB, {put_that_bumps(0), put_that_bumps(0), put_that_bumps(0)});
  post(0, kA,
       {wait_for_event(2), wait_for_event(1).set<d::relative>(1),
        wait_for_event(4).set<d::relative>(1)});
  EXPECT_THAT(report().text(), HasSubstr("descriptor 2: WAIT for event counter 3 to be 7 (is 3)"));
}

TEST_F(Waits, KnowTheLapOfALoop) {
  open(1, {}, {.cyclic = true});
  std::vector<Descriptor> loop{wait_for_event(1).set<d::immediate>(
      WaitOperation().set<w::value>(1).set<w::step>(2).bytes())};
  loop.resize(kSlots, Descriptor().set<d::opcode>(Opcode::kNop));
  post(0, kA, loop);
  post(0, kB, {put_that_bumps(0), put_that_bumps(0), put_that_bumps(0)});
  EXPECT_THAT(report().text(), HasSubstr("descriptor 16: WAIT for event counter 3 to be 5 (is 3)"));
}

// value = 1 in every lap, each relative to the one before.
TEST_F(Waits, KnowThresholdsOfALoopOfRelativeWaits) {
  open(1, {}, {.cyclic = true});
  std::vector<Descriptor> loop(kSlots, Descriptor().set<d::opcode>(Opcode::kNop));
  loop[1] = wait_for_event(1).set<d::relative>(1);
  loop[5] = wait_for_event(2).set<d::relative>(1);
  post(0, kA, loop);
  post(0, kB, {put_that_bumps(0), put_that_bumps(0), put_that_bumps(0), put_that_bumps(0)});
  EXPECT_THAT(report().text(), HasSubstr("descriptor 13: WAIT for event counter 3 to be 6 (is 4)"));
}

TEST_F(Waits, TellOfCompletionsThatNobodySignals) {
  open(1);
  post(0, kB, {put_that_bumps(0).set<d::signal>(1), wait_for_completions(kEntries, 2)});
  EXPECT_THAT(report().text(),
              HasSubstr("WAIT for completion queue 2 to have 2 entries (has 0)\n"
                        "  <- nobody here posted what it waits for: 2 signalled descriptors for "
                        "completion queue 2 of node (0,0,0)"));
}

TEST_F(Waits, TellOfAQueueThatHasHalted) {
  open(1, {}, {.halt_on_error = true});
  post(0, kA, {Descriptor().set<d::opcode>(Opcode::kReceive)});
  post(0, kB, {wait_for_queue(kA, 2)});
  const std::string text = report().text();
  EXPECT_THAT(text, HasSubstr("queue 9, descriptor 0: WAIT for queue 8 to have done 2"));
  EXPECT_THAT(text, HasSubstr("queue 8, descriptor 1: halted by LENGTH_ZERO of descriptor 0"));
}

TEST_F(Waits, TellWhomASendOfADynamicQueueNames) {
  open(3);
  post(2, kFromAny, {receive()});
  post(0, kToAny, {send_to(2), send_to(1)});
  EXPECT_EQ(report().text(),
            "waits:\n"
            "  node (0,0,0) queue 12, descriptor 1: SEND to node (1,0,0) queue 13, not "
            "acknowledged\n"
            "  <- nobody here posted what it waits for: no RECEIVE is posted in node (1,0,0) queue "
            "13\n");
}

TEST_F(Waits, TellOfAReceiveForAnybody) {
  open(2);
  post(1, kFromAny, {receive()});
  EXPECT_EQ(report().text(),
            "waits:\n"
            "  node (1,0,0) queue 13, descriptor 0: RECEIVE without a message from any\n"
            "  <- nobody here posted what it waits for: a SEND to node (1,0,0) queue 13\n");
}

// Each waits for a message of the other before it sends its own.
TEST_F(Waits, FollowAReceiveForAnybodyToAllWhoNameIt) {
  open(3);
  for (const std::uint32_t n : {0U, 1U}) {
    post(n, kFromAny, {receive()});
    post(n, kToAny, {wait_for_queue(kFromAny, 1), send_to(1 - n)});
  }
  const WaitReport both = report();
  ASSERT_TRUE(both.can_never_end()) << both.text();
  EXPECT_THAT(both.chains.front().steps, SizeIs(4));
  EXPECT_THAT(both.text(), HasSubstr("RECEIVE without a message from any\n"));
  EXPECT_THAT(both.text(), HasSubstr("behind it descriptor 1, SEND"));
  // A third that would send to one of them may still be helped.
  post(2, kToAny, {wait_for_event(1), send_to(0)});
  EXPECT_FALSE(report().can_never_end());
}

TEST_F(Waits, CountTheEventsThatSendsOfDynamicQueuesName) {
  open(2);
  post(1, kToAny, {wait_for_event(1), send_to(0, {.event = static_cast<int>(kEvent.value)})});
  post(0, kA, {wait_for_event(1), put_that_bumps(1)});
  const WaitReport found = report();
  EXPECT_TRUE(found.can_never_end()) << found.text();
  EXPECT_THAT(found.text(), HasSubstr("behind it descriptor 1, SEND"));
}

TEST_F(Waits, FollowASendOfADynamicQueueToTheEnableThatIsMissing) {
  open(2, {.managed = true});
  post(1, kFromAny, {receive()});
  post(0, kToAny, {send_to(1)});
  EXPECT_THAT(report().text(),
              HasSubstr("SEND to node (1,0,0) queue 13, not acknowledged\n"
                        "  <- node (1,0,0) queue 13, descriptor 0: RECEIVE, not enabled"));
}

// What a GET would have another node do counts as its own.
TEST_F(Waits, SeeWhatAGetCarries) {
  open(2);
  on(1, [this](RawNode& node, Device&) {
    node.write_descriptor(0x100000, kSlots, 0, put_that_bumps(0));
  });
  post(1, kB, {wait_for_event(1), get_descriptor(at(0), kRegion, 0, 1, kC)});
  post(0, kA, {wait_for_event(1), put_that_bumps(1)});
  const WaitReport found = report();
  EXPECT_TRUE(found.can_never_end()) << found.text();
  EXPECT_THAT(found.text(), HasSubstr("behind it descriptor 1, PUT"));
}

TEST_F(Waits, TellOfAFenceThatIsNotAnswered) {
  open(2);
  lose(Kind::kFence);
  const Descriptor fence = Descriptor()
                               .set<d::opcode>(Opcode::kFence)
                               .set<d::header>(put_that_bumps(1).get<d::header>());
  post(0, kA, {put_that_bumps(1), fence, send()});
  post(0, kB, {wait_for_queue(kA, 2)});
  const WaitReport found = report();
  EXPECT_FALSE(found.can_never_end());
  EXPECT_EQ(found.text(),
            "waits:\n"
            "  node (0,0,0) queue 9, descriptor 0: WAIT for queue 8 to have done 2 (has 1)\n"
            "  <- node (0,0,0) queue 8, descriptor 1: FENCE to node (1,0,0), not answered\n"
            "  <- nobody here posted what it waits for: the answer of node (1,0,0)\n");
}

TEST(WaitsOfAContext, AreThoseOfItsOwnQueues) {
  JobOptions options;
  options.machine.shape = shape_of(2);
  options.plan.queue_pairs = 1;
  Job job(options);
  EXPECT_EQ(job.run([](Context& context) {
    const Task other{1 - context.task().value};
    require(NodeSetup(context.device(), context.plan()).connect(ClientId{0}, 0, other, 0),
            "connect");
    QueuePair pair = require(QueuePair::open(context, 0, other, 0), "open");
    require(pair.meet(context.now() + 1'000'000), "meet");
    check(who_waits(context).chains.empty(), "nothing is posted");
    if (context.task() == Task{1}) return;
    const std::array list{pair.wait_for_receives(2)};
    require(pair.post(list), "post");
    context.device().compute(1000);
    const std::string text = who_waits(context).text();
    check(text.find("WAIT for queue 31 to have done 2 (has 0)\n  <- nobody here posted") !=
              std::string::npos,
          text);
  }),
            "");
}

}  // namespace
}  // namespace torusmu::testing

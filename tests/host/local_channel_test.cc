// SPDX-License-Identifier: Apache-2.0
// Channels between tasks of one node, on the reference model.
#include "torusmu/local_channel.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "tests/host/dynamic_pairs.h"
#include "tests/support/seed.h"
#include "torusmu/waits.h"

namespace torusmu::testing {
namespace {

namespace h = layout::packet_header;

JobOptions with_channels(std::uint32_t clients, std::uint32_t nodes = 1,
                         const Sizes& sizes = kSim) {
  JobOptions options = with_dynamic_pairs(nodes);
  options.machine.memory_size = Bytes{128} << 20;
  options.machine.sizes = sizes;
  options.plan.clients = clients;
  return options;
}
LocalChannels open_channels(Context& context, CompletionQueue& completions,
                            const LocalOptions& options = {}) {
  return require(LocalChannels::open(context, completions, options), "open");
}
// The first piece of heap that a task takes is its segment.
Address segment_of(const Job& job, std::uint32_t client) {
  return job.plan().heap({client}).address;
}
bool is_in_segment(Job& job, std::uint32_t client, const LocalOptions& options,
                   const std::vector<std::byte>& message) {
  std::vector<std::byte> found(message.size());
  for (std::uint32_t n = 0; n < options.buffers; ++n) {
    job.machine().node({0}).memory().read(segment_of(job, client) + n * options.buffer_bytes,
                                          found);
    if (found == message) return true;
  }
  return false;
}
void advance_for(Context& context, Cycles cycles) { require(context.linger(cycles), "linger"); }

TEST(LocalChannel, CarriesMessagesInOrderBothWays) {
  Job job(with_channels(2));
  EXPECT_EQ(job.run([&](Context& context) {
    constexpr std::uint32_t kMessages = 100;
    const std::uint32_t self = context.task().value;
    CompletionQueue completions(context);
    LocalChannels local = open_channels(context, completions);
    std::uint32_t got = 0;
    LocalChannel channel =
        require(local.connect({1 - self},
                              [&](const LocalMessage& message) {
                                const std::uint64_t seed = (1 - self) * 1000 + got;
                                check(message.from.task == Task{1 - self}, "sender");
                                check(message.word == got, "word");
                                check(message.bytes == 1 + seed % 4000, "length");
                                check(get_from(context, message.data, message.bytes) ==
                                          pattern(seed, message.bytes),
                                      "bytes");
                                ++got;
                              }),
                "connect");
    check(channel.peer().task == Task{1 - self}, "peer");
    LocalWork last{};
    for (std::uint32_t k = 0; k < kMessages; ++k) {
      const auto data = pattern(self * 1000 + k, 1 + (self * 1000 + k) % 4000);
      const Address from = put_into_heap(context, data);
      last = require(channel.send(static_cast<std::uint16_t>(k), from, data.size()), "send");
    }
    check(local.test(last) == Errc::kAgain, "it takes its time");
    require(local.wait(last, context.now() + kPatience), "the last");
    require(context.advance_until([&] { return got == kMessages; }, context.now() + kPatience),
            "all have come");
    check(local.counts().sent == kMessages && local.counts().received == kMessages, "counts");
    check(local.counts().repeated == 0 && local.counts().dropped == 0, "nothing twice");
  }),
            "");
}

// What the MU would write of it into the ring of task 0.
struct Entries {
  explicit Entries(Context& its_context) : context(its_context) {}
  void append(CompletionEntry entry) {
    const Address ring = context.plan().completion_ring({0}).address;
    const auto bytes = entry.set<layout::completion_entry::phase>(1).bytes();
    context.device().store(ring + written++ * bytes.size(), std::as_bytes(std::span(bytes)));
  }
  Context& context;
  std::uint64_t written = 0;
};

TEST(LocalChannels, TakeCompletionsByTheirQueueAndStatus) {
  namespace e = layout::completion_entry;
  Job job(with_channels(1));
  EXPECT_EQ(job.run([&](Context& context) {
    CompletionQueue completions(context);
    LocalChannels local = open_channels(context, completions);
    Entries entries(context);
    const NodePlan& plan = context.plan();
    const auto queue = [&](NodePlan::End end) {
      return CompletionEntry().set<e::queue>(plan.pair_queue({0}, 0, end).value);
    };
    // Nothing was posted to the send queue, whatever the opcode and the name say.
    for (const Opcode opcode : {Opcode::kSend, Opcode::kReceive, Opcode::kNop}) {
      entries.append(queue(NodePlan::End::kSend)
                         .set<e::status>(Status::kMemoryError)
                         .set<e::opcode>(opcode)
                         .set<e::sequence_number>(0xFFFFFFFF));
    }
    // A RECEIVE that could not be read: of which buffer is not known.
    entries.append(queue(NodePlan::End::kReceive).set<e::status>(Status::kMemoryError));
    // A buffer that there is not, a message longer than any.
    entries.append(queue(NodePlan::End::kReceive)
                       .set<e::opcode>(Opcode::kReceive)
                       .set<e::sequence_number>(16));
    entries.append(
        queue(NodePlan::End::kReceive).set<e::opcode>(Opcode::kReceive).set<e::bytes>(4097));
    // A message of a node that there is not.
    entries.append(queue(NodePlan::End::kReceive)
                       .set<e::opcode>(Opcode::kReceive)
                       .set<e::peer_queue>(plan.pair_queue({0}, 0, NodePlan::End::kSend).value)
                       .set<e::peer_x>(5));
    // Of no queue pair.
    entries.append(CompletionEntry().set<e::queue>(plan.send_queue({0}).value));
    local.advance();
    check(local.counts().odd == 5, "odd " + std::to_string(local.counts().odd));
    check(local.counts().lost == 1, "lost");
    check(local.counts().foreign == 1 && local.counts().received == 0, "foreign");
    check(completions.odd() == 1, "of no queue pair");
  }),
            "");
}

// From the MU to the library: the ring of the send queue lies where there is no memory.
TEST(LocalChannels, EndWorkWhoseDescriptorCouldNotBeRead) {
  Job job(with_channels(1));
  EXPECT_EQ(job.run([&](Context& context) {
    Device& device = context.device();
    CompletionQueue completions(context);
    LocalChannels local = open_channels(context, completions);
    LocalChannel channel = require(local.connect({0}, [](const LocalMessage&) {}), "connect");
    const QueueId queue = context.plan().pair_queue({0}, 0, NodePlan::End::kSend);
    const std::uint64_t config = device.read64(registers::injection_queue::config(queue.value));
    device.write64(registers::injection_queue::config(queue.value), 0);
    device.write64(registers::injection_queue::base(queue.value), device.memory_size());
    device.write64(registers::injection_queue::config(queue.value), config);
    const Address from = put_into_heap(context, pattern(1, 64));
    const LocalWork work = require(channel.send(1, from, 64), "send");
    check(local.wait(work, context.now() + kPatience) == Errc::kDataLost, "an error");
    check(local.counts().odd == 0 && local.counts().lost == 0, "counts");
  }),
            "");
}

// Each endpoint has a queue pair, a segment and a completion queue of its own.
TEST(LocalChannels, JoinAllEndpointsOfANode) {
  constexpr std::uint32_t kTasks = 2, kContexts = 2, kMessages = 30;
  JobOptions options = with_channels(kTasks);
  options.plan.contexts = kContexts;
  options.plan.dynamic_pairs = kContexts;
  Job job(options);
  EXPECT_EQ(job.run([&](Context& context) {
    const auto number = [](Endpoint e) { return e.task.value * kContexts + e.context.value; };
    const auto seed_of = [&](Endpoint from, Endpoint to, std::uint32_t k) {
      return (number(from) * 10 + number(to)) * 100 + k;
    };
    const Endpoint self = context.endpoint();
    CompletionQueue completions(context);
    LocalChannels local = open_channels(context, completions, {.buffers = 8});
    std::map<Endpoint, std::uint32_t> got;
    std::vector<LocalChannel> channels;
    for (std::uint32_t t = 0; t < kTasks; ++t) {
      for (std::uint32_t k = 0; k < kContexts; ++k) {
        const Endpoint peer{{t}, {k}};
        const auto take = [&, peer](const LocalMessage& message) {
          const auto seed = seed_of(peer, self, got[peer]);
          check(message.from == peer, "sender");
          check(message.word == got[peer], "word");
          check(get_from(context, message.data, message.bytes) == pattern(seed, 1 + seed), "bytes");
          ++got[peer];
        };
        channels.push_back(require(local.connect(peer, take), "connect"));
        check(channels.back().peer() == peer, "peer");
      }
    }
    std::vector<LocalWork> fences;
    for (std::uint32_t k = 0; k < kMessages; ++k) {
      for (LocalChannel& channel : channels) {
        const auto seed = seed_of(self, channel.peer(), k);
        const auto data = pattern(seed, 1 + seed);
        require(
            channel.send(static_cast<std::uint16_t>(k), put_into_heap(context, data), data.size()),
            "send");
      }
    }
    for (LocalChannel& channel : channels) fences.push_back(require(channel.fence(), "fence"));
    for (const LocalWork fence : fences) {
      require(local.wait(fence, context.now() + kPatience), "fence");
    }
    const auto all = [&] {
      return local.counts().received == std::uint64_t{kMessages} * channels.size();
    };
    require(context.advance_until(all, context.now() + kPatience), "all have come");
    check(local.counts().foreign == 0 && completions.odd() == 0, "nothing of others");
    advance_for(context, 100'000);
  }),
            "");
}

TEST(LocalChannels, RefuseThePairsOfAnotherContext) {
  JobOptions options = with_channels(1);
  options.plan.contexts = 2;
  options.plan.dynamic_pairs = 2;
  options.plan.queue_pairs = 2;
  options.plan.offload_groups = 2;
  Job job(options);
  EXPECT_EQ(job.run([&](Context& context) {
    CompletionQueue completions(context);
    const std::uint32_t own = context.id().value;
    check(LocalChannels::open(context, completions, {.pair = 1}).error() == Errc::kBadArgument,
          "each has one dynamic pair");
    check(
        LocalChannels::open(context, completions, {.pair = 1U << 31}).error() == Errc::kBadArgument,
        "twice that is no small number");
    check(!DynamicQueuePair::open(context, own).error(), "its own");
    check(DynamicQueuePair::open(context, 1 - own).error() == Errc::kBadArgument, "the other's");
    check(QueuePair::open(context, 1 - own, {0}, own).error() == Errc::kBadArgument, "the other's");
    check(QueuePair::open(context, own, {0}, 1 - own).error() == Errc::kBadArgument,
          "contexts of two numbers");
    LocalChannels local = open_channels(context, completions);
    check(local.connect(Endpoint{{0}, {2}}, {}).error() == Errc::kBadArgument, "no such context");
    bool thrown = false;
    try {
      const Group group(context, {{0}}, 1 - own, completions);
    } catch (const std::invalid_argument&) {
      thrown = true;
    }
    check(thrown, "a group that ends in the other's queue");
    const Group group(context, {{0}}, own, completions);
  }),
            "");
}

// One dynamic pair, and two contexts: the first has it.
TEST(LocalChannels, NeedAPairOfTheContextAtBothEnds) {
  JobOptions options = with_channels(1);
  options.plan.contexts = 2;
  Job job(options);
  EXPECT_EQ(job.run([&](Context& context) {
    CompletionQueue completions(context);
    auto local = LocalChannels::open(context, completions);
    if (context.id().value == 1) {
      check(local.error() == Errc::kBadArgument, "the second has none");
      return;
    }
    require(local.error(), "open");
    check(local->connect(Endpoint{{0}, {1}}, {}).error() == Errc::kBadArgument, "nor its peer");
    std::uint32_t got = 0;
    LocalChannel channel =
        require(local->connect(Task{0}, [&](const LocalMessage&) { ++got; }), "connect");
    const auto data = pattern(1, 100);
    const auto sent = require(channel.send(0, put_into_heap(context, data), data.size()), "send");
    require(local->wait(sent, context.now() + kPatience), "send");
    require(context.advance_until([&] { return got == 1; }, context.now() + kPatience), "got");
  }),
            "");
}

TEST(LocalChannels, TakeNoCompletionOfAnotherContext) {
  namespace e = layout::completion_entry;
  JobOptions options = with_channels(1);
  options.plan.contexts = 2;
  options.plan.dynamic_pairs = 2;
  Job job(options);
  EXPECT_EQ(job.run([&](Context& context) {
    if (context.id() != ContextId{0}) return;
    CompletionQueue completions(context);
    LocalChannels local = open_channels(context, completions);
    Entries entries(context);
    for (const std::uint32_t pair : {1U, 0U}) {
      entries.append(
          CompletionEntry()
              .set<e::queue>(context.plan().pair_queue({0}, pair, NodePlan::End::kReceive).value)
              .set<e::status>(Status::kMemoryError));
    }
    local.advance();
    check(completions.odd() == 1, "that of the other");
    check(local.counts().lost == 1, "its own");
  }),
            "");
}

TEST(LocalChannel, FenceEndsWhenEverySendBeforeIsInMemory) {
  constexpr LocalOptions kOptions{.pair = 0, .buffers = 48, .buffer_bytes = 4096};
  constexpr std::uint32_t kMessages = 40;
  Job job(with_channels(4, 2));
  std::uint64_t local_packets = 0, packets = 0;
  job.machine().watch_packets([&](const model::Packet& packet) {
    const Kind kind = packet.header.get<h::kind>();
    if (kind == Kind::kSend || kind == Kind::kAck || kind == Kind::kFence) {
      ++(packet.header.get<h::src_x>() == packet.header.get<h::dst_x>() ? local_packets : packets);
    }
    return model::Fate::kArrives;
  });
  EXPECT_EQ(job.run([&](Context& context) {
    CompletionQueue completions(context);
    LocalChannels local = open_channels(context, completions, kOptions);
    meet(context);
    if (context.task().value != 0) return context.device().compute(500'000);
    std::vector<LocalChannel> channels;
    for (std::uint32_t t = 1; t < 4; ++t) {
      channels.push_back(require(local.connect({t}, [](const LocalMessage&) {}), "connect"));
    }
    for (std::uint32_t k = 0; k < kMessages; ++k) {
      for (LocalChannel& channel : channels) {
        const auto data = pattern(100 * k + channel.peer().task.value, 3000);
        require(channel.send(0, put_into_heap(context, data), 3000).error(), "send");
      }
    }
    const LocalWork fence = require(channels[0].fence(), "fence");
    check(local.test(fence) == Errc::kAgain, "not yet");
    require(local.wait(fence, context.now() + kPatience), "fence");
    for (std::uint32_t k = 0; k < kMessages; ++k) {
      for (const LocalChannel& channel : channels) {
        check(is_in_segment(job, channel.peer().task.value, kOptions,
                            pattern(100 * k + channel.peer().task.value, 3000)),
              "message " + std::to_string(k) + " of task " +
                  std::to_string(channel.peer().task.value));
      }
    }
    check(context.now() < 500'000, "no core of theirs was needed");
  }),
            "");
  EXPECT_GT(local_packets, 0U);
  EXPECT_EQ(packets, 0U) << "packets on the network";
}

TEST(LocalChannel, AFullSegmentParksOneQueueAndNothingElse) {
  constexpr LocalOptions kOptions{.pair = 0, .buffers = 2, .buffer_bytes = 256};
  Job job(with_channels(3));
  EXPECT_EQ(job.run([&](Context& context) {
    CompletionQueue completions(context);
    LocalChannels local = open_channels(context, completions, kOptions);
    std::uint32_t got = 0;
    const auto count = [&](const LocalMessage&) { ++got; };
    meet(context);
    const Address data = put_into_heap(context, pattern(1, 200));
    if (context.task() == Task{2}) {  // says nothing for long
      context.device().compute(100'000);
      LocalChannel channel = require(local.connect({0}, count), "connect");
      require(context.advance_until([&] { return got == 10; }, context.now() + kPatience), "ten");
      return;
    }
    LocalChannel channel = require(local.connect({1 - context.task().value}, count), "connect");
    if (context.task() == Task{1}) {
      const Cycles before = context.now();
      for (int k = 0; k < 20; ++k) {
        const LocalWork work = require(channel.send(0, data, 200), "send");
        require(local.wait(work, context.now() + kPatience), "wait");
      }
      check(context.now() < before + 60'000, "task 0 takes part meanwhile, and so does the engine");
      return;
    }
    LocalChannel parked = require(local.connect({2}, count), "connect");
    LocalWork last{};
    for (int k = 0; k < 10; ++k) last = require(parked.send(0, data, 200), "send");
    const LocalWork fence = require(parked.fence(), "fence");
    const Cycles before = context.now();
    for (int k = 0; k < 100; ++k) (void)local.advance();
    check(context.now() < before + 5'000, "advance() returns");
    require(context.advance_until([&] { return got == 20; }, context.now() + kPatience), "twenty");
    check(local.test(last) == Errc::kAgain && local.test(fence) == Errc::kAgain, "parked");
    check(who_waits(context).text().find("SEND to node (0,0,0) queue") != std::string::npos,
          "who waits");
    require(local.wait(fence, context.now() + kPatience), "fence");
    check(context.now() > 100'000, "not before there was room");
  }),
            "");
}

// So long that the MU gives up: nothing is lost, nothing comes twice or out of its turn.
TEST(LocalChannel, OfATaskThatIsAwayForVeryLongLosesNothing) {
  constexpr LocalOptions kOptions{.pair = 0, .buffers = 4, .buffer_bytes = 64};
  constexpr std::uint32_t kMessages = 60;
  Job job(with_channels(3));
  EXPECT_EQ(job.run([&](Context& context) {
    const std::uint32_t self = context.task().value;
    if (self == 0) require(NodeSetup(context.device(), context.plan()).set_send_retry(50, 8), "s");
    CompletionQueue completions(context);
    LocalChannels local = open_channels(context, completions, kOptions);
    meet(context);
    std::map<std::uint32_t, std::uint32_t> got;
    const auto take = [&](const LocalMessage& message) {
      check(message.word == got[message.from.task.value]++, "in order");
      check(get_from(context, message.data, 60) == pattern(message.word, 60), "bytes");
    };
    std::vector<LocalChannel> channels;
    for (std::uint32_t t = 0; t < 3; ++t) {
      channels.push_back(require(local.connect({t}, take), "connect"));
    }
    LocalWork last{};
    for (std::uint32_t k = 0; k < kMessages; ++k) {
      const Address data = put_into_heap(context, pattern(k, 60));
      for (LocalChannel& channel : channels) {
        last = require(channel.send(static_cast<std::uint16_t>(k), data, 60), "send");
      }
      if (k % 7 == 0) last = require(channels[k % 3].fence(), "fence");
    }
    if (self == 2) context.device().compute(40'000);
    require(context.advance_until(
                [&] {
                  return local.test(last) != Errc::kAgain && got[0] == kMessages &&
                         got[1] == kMessages && got[2] == kMessages;
                },
                context.now() + kPatience),
            "all");
    require(local.test(last), "the last");
    advance_for(context, 50'000);
    if (self != 2) check(local.counts().repeated != 0, "repeated");
    check(local.counts().received == 3 * kMessages, "once each");
  }),
            "");
}

TEST(LocalChannel, RefusesWhatCannotBe) {
  Job job(with_channels(2, 2));
  EXPECT_EQ(job.run([&](Context& context) {
    const std::uint32_t own_node = context.task().value / 2;
    CompletionQueue completions(context);
    check(LocalChannels::open(context, completions, {.pair = 1}).error() == Errc::kBadArgument,
          "no such pair");
    LocalOptions options;
    options.buffers = 1000;
    check(LocalChannels::open(context, completions, options).error() == Errc::kBadArgument,
          "more buffers than slots");
    LocalChannels local = open_channels(context, completions);
    const auto nothing = [](const LocalMessage&) {};
    check(local.connect({4}, nothing).error() == Errc::kBadArgument, "no such task");
    const auto far = local.connect({2 * (1 - own_node)}, nothing).error();
    check(far == Errc::kNotLocal, "another node");
    check(far.message() ==
              "the task is on another node: send to it by the context or by a queue pair",
          far.message());
    {
      LocalChannel channel = require(local.connect({2 * own_node}, nothing), "connect");
      const auto second = local.connect({2 * own_node}, nothing).error();
      check(second == Errc::kChannelOpen, "a second one");
      check(
          second.message() == "there is a channel to that task already: use it, or close it first",
          second.message());
      check(channel.send(0, 16, 0).error() == Errc::kBadArgument, "no bytes");
      check(channel.send(0, 0, 8).error() == Errc::kNotRegistered, "no region");
      check(local.test({0}) == Errc::kBadArgument, "no work");
    }
    LocalChannel again = require(local.connect({2 * own_node}, nothing), "closed and opened");
    meet(context);
    const Address data = put_into_heap(context, pattern(1, 8000));
    const LocalWork longer = require(again.send(0, data, 5000), "send");
    const LocalWork good = require(again.send(0, data, 4096), "send");
    check(local.wait(longer, context.now() + kPatience) == Errc::kTruncated, "too long");
    require(local.wait(good, context.now() + kPatience), "the next one");
    meet(context);
  }),
            "");
}

// Messages that nobody has asked for: of another node dropped and counted, of a task without a
// channel kept.
TEST(LocalChannel, KeepsWhatComesEarlyAndDropsWhatIsForeign) {
  Job job(with_channels(2, 2));
  EXPECT_EQ(job.run([&](Context& context) {
    CompletionQueue completions(context);
    LocalChannels local = open_channels(context, completions);
    meet(context);
    const Address data = put_into_heap(context, pattern(1, 100));
    if (context.task() == Task{1}) {
      LocalChannel channel = require(local.connect({0}, [](const LocalMessage&) {}), "connect");
      for (std::uint16_t k = 0; k < 3; ++k) require(channel.send(k, data, 100).error(), "send");
      require(local.wait(require(channel.fence(), "fence"), context.now() + kPatience), "wait");
    }
    if (context.task() == Task{2}) {
      const DynamicQueuePair pair = open(context);
      const auto send = require(pair.send({{0}, 0}, data, 100, {.signal = false}), "send");
      require(open(context).post({&send, 1}), "post");
    }
    meet(context);
    advance_for(context, 20'000);
    if (context.task() != Task{0}) return;
    check(local.counts().foreign == 1 && local.counts().received == 0, "nobody was handed any");
    std::uint16_t got = 0;
    const LocalChannel channel = require(
        local.connect({1}, [&](const LocalMessage& m) { check(m.word == got++, "in order"); }),
        "connect");
    require(context.advance_until([&] { return got == 3; }, context.now() + kPatience), "three");
  }),
            "");
}

// --- random programs ----------------------------------------------------------------------------

struct RandomShape {
  const char* name;
  std::uint32_t clients;
  const Sizes* sizes;
};

class RandomChannels : public ::testing::TestWithParam<RandomShape> {};

// Every task to every other and itself, in random order, with fences; the reference is a list for
// each pair.
TEST_P(RandomChannels, DeliverEverythingInOrder) {
  constexpr LocalOptions kOptions{.pair = 0, .buffers = 8, .buffer_bytes = 700};
  constexpr int kSteps = 150;
  Random random(17);
  SCOPED_TRACE(random.replay());
  const auto& shape = GetParam();
  JobOptions options = with_channels(shape.clients, 1, *shape.sizes);
  options.plan.heap_bytes = Bytes{1} << 20;
  options.plan.buffer_bytes = Bytes{64} << 10;
  options.plan.offload_groups = 0;
  options.machine.seed = random.bits64();
  const std::uint64_t seed = random.bits64();
  Job job(options);
  struct Sent {
    std::uint16_t word;
    std::vector<std::byte> data;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<Sent>> wanted;  // from, to
  std::uint32_t senders = shape.clients;
  EXPECT_EQ(job.run([&](Context& context) {
    const std::uint32_t self = context.task().value;
    Rng rng(seed + self);
    CompletionQueue completions(context);
    LocalChannels local = open_channels(context, completions, kOptions);
    std::vector<LocalChannel> channels;
    for (std::uint32_t t = 0; t < context.tasks(); ++t) {
      channels.push_back(require(
          local.connect({t},
                        [&](const LocalMessage& message) {
                          auto& list = wanted[{message.from.task.value, self}];
                          check(!list.empty() && list.front().word == message.word &&
                                    list.front().data ==
                                        get_from(context, message.data, message.bytes),
                                "a message of task " + std::to_string(message.from.task.value));
                          list.pop_front();
                        }),
          "connect"));
    }
    meet(context);
    std::vector<Address> free;
    for (int i = 0; i < kSteps; ++i) {
      const auto to = static_cast<std::uint32_t>(rng.below(context.tasks()));
      if (rng.chance(100)) {
        const LocalWork fence = require(channels[to].fence(), "fence");
        if (rng.chance(500)) require(local.wait(fence, context.now() + kPatience), "wait");
      } else if (rng.chance(100)) {
        context.device().compute(rng.below(20'000));
      } else {
        const Sent one{static_cast<std::uint16_t>(rng.below(65536)),
                       pattern(rng.next(), 1 + rng.below(700))};
        wanted[{self, to}].push_back(one);
        require(
            channels[to].send(one.word, put_into_heap(context, one.data), one.data.size()).error(),
            "send");
      }
      if (rng.chance(500)) require(context.advance(), "advance");
    }
    require(local.wait(require(channels[0].fence(), "fence"), context.now() + kPatience), "last");
    --senders;
    // All of the others too, and then nothing is left.
    require(context.advance_until(
                [&] {
                  for (std::uint32_t t = 0; t < context.tasks(); ++t) {
                    if (senders != 0 || !wanted[{t, self}].empty()) return false;
                  }
                  return true;
                },
                context.now() + kPatience),
            "all");
  }),
            "");
  for (const auto& [pair, list] : wanted) EXPECT_TRUE(list.empty()) << "something is missing";
}

INSTANTIATE_TEST_SUITE_P(Tasks, RandomChannels,
                         ::testing::Values(RandomShape{"Two", 2, &kSim},
                                           RandomShape{"FourInSim", 4, &kSim},
                                           RandomShape{"SixteenInBgp", 16, &kBgp}),
                         [](const auto& shape) { return std::string(shape.param.name); });

}  // namespace
}  // namespace torusmu::testing

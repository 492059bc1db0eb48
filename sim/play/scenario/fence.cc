// SPDX-License-Identifier: Apache-2.0
// Fences (US 9,052,974), by the host library. First on one node: four tasks send to each other
// through channels of shared memory, and fence what they have sent. Then across the network: every
// node puts to all others, sends more messages to the next one than its FIFO has room for, and
// fences all of it. In the cycle in which a fence ends, every byte before it is looked for.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "sim/machine/mix.h"
#include "sim/machine/profile.h"
#include "sim/play/must.h"
#include "sim/play/scenario/checks.h"
#include "sim/play/scenario/raw_node.h"
#include "sim/play/scenario/scenarios.h"
#include "torusmu/context.h"
#include "torusmu/local_channel.h"
#include "torusmu/setup.h"

namespace torusmu {
namespace {

constexpr std::uint32_t kTasks = 4;  // of node 0
constexpr std::uint32_t kRounds = 3, kSendsOfARound = 6;
constexpr std::uint32_t kSends = kRounds * kSendsOfARound;  // to each other task
constexpr LocalOptions kSegment{.pair = 0, .buffers = 64, .buffer_bytes = 1024};
constexpr Bytes kPutBytes = 1500;
constexpr std::uint32_t kMessages = 30;
constexpr Bytes kMessageBytes = 400;
constexpr std::uint32_t kSmallFifo = 64;   // slots: room for four such messages
constexpr Bytes kWindow = Bytes{1} << 20;  // in the heap: behind what the library takes of it
constexpr Cycles kDeaf = 100'000;          // longer than any start and message takes
constexpr Cycles kLinger = 50'000;
constexpr Cycles kBound = 10'000'000;
constexpr std::uint32_t kLinkPorts = 6;

struct Times {
  Cycles posted = 0, done = 0;
};

// --- one node -----------------------------------------------------------------------------------

class OneNode {
 public:
  explicit OneNode(Stage& stage) : stage_(stage), plan_(plan_of(stage)), bytes_("messages") {}

  bool play() {
    stage_.on_all_nodes([this](Device& device) { must(NodeSetup(device, plan_).run(), "set-up"); });
    if (!stage_.run(kBound)) return false;
    const std::uint64_t before = packets_on_links();
    for (std::uint32_t t = 0; t < kTasks; ++t) {
      stage_.add_core({0}, [this, t](Device& device) { run(device, t); });
    }
    if (!stage_.run(kBound)) return false;
    const std::uint64_t packets = packets_on_links() - before;
    bytes_.report(stage_, "fence.sends_before_it_are_in_memory");
    stage_.check("fence.messages_in_order", in_order_ == kTasks * (kTasks - 1) * kSends,
                 fmt::format("{} messages, each in its turn", in_order_));
    stage_.check("fence.no_packet_on_a_link", packets == 0,
                 fmt::format("{} packets of {} sends", packets, kTasks * (kTasks - 1) * kSends));
    show();
    Cycles longest = 0;
    for (const Times& time : times_) longest = std::max(longest, time.done - time.posted);
    stage_.say(fmt::format(
        "one node: {} fences behind {} sends each; at most {} cycles from the call to the core "
        "that sees it done; it held its queue, and no count of the sends",
        times_.size(), kSendsOfARound * (kTasks - 1), longest));
    return true;
  }

 private:
  static NodePlan plan_of(Stage& stage) {
    PlanOptions options;
    options.clients = kTasks;
    options.dynamic_pairs = 1;
    options.heap_bytes = Bytes{256} << 10;
    options.buffer_bytes = Bytes{64} << 10;
    return must(NodePlan::make(stage.shape(), kProfile, stage.memory({0}).size(), options), "plan");
  }

  // A task of node 0 is client of its number.
  void run(Device& device, std::uint32_t self) {
    Context context(device, plan_, {self});
    CompletionQueue completions(context);
    LocalChannels local = must(LocalChannels::open(context, completions, kSegment), "open");
    std::array<std::uint32_t, kTasks> got{};
    std::vector<LocalChannel> channels;
    for (std::uint32_t t = 0; t < kTasks; ++t) {
      if (t == self) continue;
      channels.push_back(must(local.connect({t},
                                            [this, &device, &got, t, self](const LocalMessage& m) {
                                              if (is_right(device, m, t, self, got.at(t)++)) {
                                                ++in_order_;
                                              }
                                            }),
                              "connect"));
    }
    const Address out = must(context.take_heap(channels.size() * kSends * 1024), "heap");
    std::uint32_t sent = 0;
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      for (std::uint32_t i = 0; i < kSendsOfARound; ++i, ++sent) {
        for (std::size_t c = 0; c < channels.size(); ++c) {
          const auto data = message(self, channels[c].peer().task.value, sent);
          const Address from = out + (c * kSends + sent) * 1024;
          device.store(from, data);
          must(channels[c].send(static_cast<std::uint16_t>(sent), from, data.size()).error(),
               "send");
        }
      }
      Times time{.posted = device.now()};
      const LocalWork fence = must(channels[round % channels.size()].fence(), "fence");
      must(local.wait(fence, device.now() + kBound), "fence");
      time.done = device.now();
      times_.push_back(time);
      for (const LocalChannel& channel : channels) look(self, channel.peer().task.value, sent);
    }
    must(context.advance_until(
             [&] { return std::count(got.begin(), got.end(), kSends) == kTasks - 1; },
             device.now() + kBound),
         "all messages");
    // What others send may still want an answer of this core.
    (void)context.linger(kLinger);
  }

  [[nodiscard]] std::vector<std::byte> message(std::uint32_t from, std::uint32_t to,
                                               std::uint32_t n) const {
    const std::uint64_t seed = mix(stage_.seed() * 4096 + from * 1024ULL + to * 256ULL + n);
    return pattern(seed, 16 + seed % (kSegment.buffer_bytes - 16));
  }
  bool is_right(Device& device, const LocalMessage& got, std::uint32_t from, std::uint32_t to,
                std::uint32_t n) const {
    const auto wanted = message(from, to, n);
    std::vector<std::byte> found(got.bytes);
    device.load(got.data, found);
    return got.from.task == Task{from} && got.word == n && found == wanted;
  }
  // In one of the buffers of the task's segment, which is the first that it took of its heap.
  // Each buffer is used once, for there are more than messages.
  void look(std::uint32_t from, std::uint32_t to, std::uint32_t messages) {
    for (std::uint32_t n = 0; n < messages; ++n) {
      const auto wanted = message(from, to, n);
      std::vector<std::byte> found(wanted.size());
      bool there = false;
      for (std::uint32_t b = 0; b < kSegment.buffers && !there; ++b) {
        stage_.memory({0}).read(plan_.heap({to}).address + b * kSegment.buffer_bytes, found);
        there = found == wanted;
      }
      bytes_.expect(there, [&] { return fmt::format("message {} of {} to {}", n, from, to); });
    }
  }

  std::uint64_t packets_on_links() {
    std::uint64_t sum = 0;
    stage_.on_all_nodes([&sum](Device& device) {
      for (std::uint32_t i = 0; i < 2 * kLinkPorts; ++i) {
        sum += device.read32(registers::performance::packets(0, i));
      }
    });
    return stage_.run(kBound) ? sum : ~std::uint64_t{0};
  }

  // The fence that took the least time, from its call to its end: so much fits a window.
  void show() {
    constexpr Cycles kAround = 100;
    const Times& time = *std::min_element(
        times_.begin(), times_.end(),
        [](const Times& a, const Times& b) { return a.done - a.posted < b.done - b.posted; });
    Act act;
    act.from = time.posted - std::min(time.posted, kAround);
    act.to = time.done + kAround;
    act.actors.push_back({{0},
                          "four tasks",
                          {"register writes", "descriptors of requests", "requests received",
                           "stores", "done in memory"}});
    act.marks = {{time.posted, "a task posts a fence"}, {time.done, "it sees it done"}};
    stage_.show(act);
  }

  Stage& stage_;
  NodePlan plan_;
  Tally bytes_;
  std::vector<Times> times_;
  std::uint32_t in_order_ = 0;
};

// --- across the network -------------------------------------------------------------------------

class Network {
 public:
  explicit Network(Stage& stage)
      : stage_(stage), plan_(plan_of(stage)), bytes_("puts"), messages_("messages") {}

  bool play() {
    stage_.on_all_nodes([this](Device& device) { must(NodeSetup(device, plan_).run(), "set-up"); });
    if (!stage_.run(kBound)) return false;
    stage_.on_all_nodes([this](Device& device) { run(device); });
    if (!stage_.run(kBound)) return false;
    bytes_.report(stage_, "fence.puts_before_it_are_in_memory");
    messages_.report(stage_, "fence.refused_messages_arrive");
    stage_.check("fence.waits_for_what_was_refused",
                 stage_.shape().nodes() == 1 || (refused_ != 0 && waited_ != 0),
                 fmt::format("{} refusals, {} fences said that they wait for the resending",
                             refused_, waited_));
    stage_.check("fence.refuses_what_it_cannot_order", unordered_ == plan_.tasks(),
                 "after a get: " + make_error_code(Errc::kNotOrdered).message());
    stage_.say(
        fmt::format("{} nodes: fences of all after {} puts and {} messages each, {} "
                    "refusals; at most {} cycles",
                    plan_.tasks(), plan_.tasks(), kMessages, refused_, longest_));
    return true;
  }

 private:
  static NodePlan plan_of(Stage& stage) {
    PlanOptions options;
    options.fifo_slots = kSmallFifo;
    return must(NodePlan::make(stage.shape(), kProfile, stage.memory({0}).size(), options), "plan");
  }
  [[nodiscard]] std::vector<std::byte> data(std::uint32_t from, std::uint32_t to,
                                            Bytes bytes) const {
    return pattern(mix(stage_.seed() * 65536 + from * 256ULL + to), bytes);
  }

  void run(Device& device) {
    Context context(device, plan_, {0});
    const std::uint32_t self = context.task().value;
    const std::uint32_t tasks = context.tasks();
    const Address out = must(context.take_heap(kPutBytes), "heap");
    const auto wait = [&](Request request) {
      return must(context.wait(request, device.now() + kBound), "wait").error;
    };
    const Task next{(self + 1) % tasks};
    const Task before{(self + tasks - 1) % tasks};
    // Nobody puts before all are there.
    for (std::uint32_t t = 0; t < tasks; ++t) must(context.send({t}, 0, out, 0).error(), "hello");
    for (std::uint32_t t = 0; t < tasks; ++t) {
      must(wait(must(context.receive({t}, 0, out, 0), "hello")), "hello");
    }
    // Nobody takes anything before all has arrived, so that the FIFO of each is full: whatever the
    // links and memories are like, messages are refused.
    std::vector<Request> sends;
    const Address messages = must(context.take_heap(kMessages * kMessageBytes), "heap");
    for (std::uint32_t k = 0; k < kMessages; ++k) {
      const Address from = messages + k * kMessageBytes;
      device.store(from, data(self, 1000 + k, kMessageBytes));
      sends.push_back(must(context.send(next, 1, from, kMessageBytes), "send"));
    }
    device.compute(kDeaf);
    for (const Request request : sends) must(wait(request), "send");
    std::vector<Address> sources;
    for (std::uint32_t t = 0; t < tasks; ++t) {
      sources.push_back(must(context.take_heap(kPutBytes), "heap"));
      device.store(sources.back(), data(self, t, kPutBytes));
      PutOptions options;
      options.notify = Notify::kInjected;
      must(context.put(window({t}, self), sources.back(), kPutBytes, options).error(), "put");
    }
    fence(context);
    for (std::uint32_t t = 0; t < tasks; ++t) {
      expect_bytes(bytes_, stage_.memory({t}), {t},
                   plan_.heap({0}).address + window({t}, self).offset, data(self, t, kPutBytes));
    }
    for (std::uint32_t k = 0; k < kMessages; ++k) {
      must(wait(must(context.receive(before, 1, out, kMessageBytes), "receive")), "receive");
      std::vector<std::byte> found(kMessageBytes);
      device.load(out, found);
      messages_.expect(found == data(before.value, 1000 + k, kMessageBytes),
                       [&] { return fmt::format("message {} of task {}", k, before.value); });
    }
    const Request get = must(context.get(out, window(next, self), kPutBytes), "get");
    if (context.fence(next).error() == Errc::kNotOrdered) ++unordered_;
    must(wait(get), "get");
    must(context.flush(device.now() + kBound), "flush");
    must(context.linger(kLinger), "linger");
    refused_ += context.counts().refusals;
  }

  void fence(Context& context) {
    const Cycles begin = context.now();
    const Request request = must(context.fence_all(), "fence");
    bool waited = false;
    Completion completion;
    must(context.advance_until(
             [&] {
               waited = waited || context.look(request) == Errc::kResending;
               return context.test(request, &completion);
             },
             begin + kBound),
         "fence");
    must(completion.error, "fence");
    waited_ += waited ? 1 : 0;
    longest_ = std::max(longest_, context.now() - begin);
  }

  [[nodiscard]] RemoteMemory window(Task of, std::uint32_t from) const {
    return {of, plan_.heap_region({0}), kWindow + from * 2048ULL};
  }

  Stage& stage_;
  NodePlan plan_;
  Tally bytes_, messages_;
  std::uint64_t refused_ = 0;
  std::uint32_t waited_ = 0, unordered_ = 0;
  Cycles longest_ = 0;
};

}  // namespace

void play_fence(Stage& stage) {
  if (OneNode(stage).play()) Network(stage).play();
}

}  // namespace torusmu

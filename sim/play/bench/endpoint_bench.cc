// SPDX-License-Identifier: Apache-2.0
// fence.*_cycles of messages of 8 bytes from a task to another one of its node, with a fence behind
// them, by the host library; both tasks spin. Once through a channel of the MU (LocalChannel: a
// SEND each, and a FENCE), and once through the segment that both share (send_active and the fence
// of an endpoint: stores). All are cycles a message, of as many as have room, from the call of the
// first send:
//
//   channel_cycles, shared_store_cycles        to the end of the fence at the sender
//   channel_taken_cycles, shared_taken_cycles  to the last function that the receiver runs
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "sim/machine/mix.h"
#include "sim/machine/profile.h"
#include "sim/play/bench/benches.h"
#include "sim/play/machine_stage.h"
#include "sim/play/must.h"
#include "sim/play/scenario/raw_node.h"
#include "torusmu/local_channel.h"
#include "torusmu/setup.h"

namespace torusmu {
namespace {

constexpr const char* kShape = "2x1x1";
constexpr std::uint32_t kMessages = 16;
constexpr Bytes kBytes = 8;
constexpr LocalOptions kSegment{.pair = 0, .buffers = kMessages, .buffer_bytes = 64};
constexpr Cycles kBegin = 20'000;  // both are ready long before
constexpr Cycles kAfter = 20'000;  // nothing takes longer
constexpr Cycles kBound = 1'000'000;
constexpr DispatchId kTake{1};
constexpr std::uint32_t kSpins = 1'000'000;

struct Seen {
  Cycles first = 0, fenced = 0, taken = 0;
  std::uint32_t right = 0;
  [[nodiscard]] double fence_cycles() const {
    return static_cast<double>(fenced - first) / kMessages;
  }
  [[nodiscard]] double taken_cycles() const {
    return static_cast<double>(taken - first) / kMessages;
  }
};

class OneWay {
 public:
  explicit OneWay(MachineStage& stage)
      : stage_(stage), plan_(plan_of(stage)), seed_(mix(stage.seed())) {}

  Seen by_channel() {
    return play([this](Context& context) { send_by_channel(context); },
                [this](Context& context) { take_by_channel(context); });
  }
  Seen by_segment() {
    return play([this](Context& context) { send_by_segment(context); },
                [this](Context& context) { take_by_segment(context); });
  }

 private:
  using Program = std::function<void(Context&)>;

  static NodePlan plan_of(MachineStage& stage) {
    PlanOptions options;
    options.clients = 2;
    options.dynamic_pairs = 1;
    return must(NodePlan::make(stage.shape(), kProfile, stage.memory({0}).size(), options), "plan");
  }

  Seen play(const Program& sender, const Program& receiver) {
    seen_ = {};
    stage_.on_all_nodes([this](Device& device) { must(NodeSetup(device, plan_).run(), "set-up"); });
    if (!stage_.run(kBound)) return {};
    const Cycles start = stage_.now();
    for (std::uint32_t client = 0; client < 2; ++client) {
      const Program& program = client == 0 ? sender : receiver;
      stage_.add_core({0}, [this, client, start, &program](Device& device) {
        Context context(device, plan_, {client}, {.spin_polls = kSpins});
        begin_ = start + kBegin;
        program(context);
      });
    }
    (void)stage_.run(kBound);
    return seen_;
  }

  [[nodiscard]] std::vector<std::byte> message(std::uint32_t n) const {
    return pattern(seed_ + n, kBytes);
  }
  Address store_messages(Context& context) {
    const Address at = must(context.take_heap(kMessages * kBytes), "heap");
    for (std::uint32_t n = 0; n < kMessages; ++n)
      context.device().store(at + n * kBytes, message(n));
    return at;
  }
  void wait_for_begin(Context& context) {
    context.device().compute(begin_ - context.now());
    seen_.first = context.now();
  }
  void take_all(Context& context) {
    must(context.advance_until([this] { return seen_.taken != 0; }, begin_ + kAfter), "messages");
  }
  void take(Context& context, std::span<const std::byte> found) {
    const auto wanted = message(taken_++);
    if (std::equal(found.begin(), found.end(), wanted.begin(), wanted.end())) ++seen_.right;
    if (taken_ % kMessages == 0) seen_.taken = context.now();
    taken_ %= kMessages;
  }

  void send_by_channel(Context& context) {
    CompletionQueue completions(context);
    LocalChannels local = must(LocalChannels::open(context, completions, kSegment), "open");
    LocalChannel channel = must(local.connect({1}, [](const LocalMessage&) {}), "connect");
    const Address from = store_messages(context);
    wait_for_begin(context);
    for (std::uint32_t n = 0; n < kMessages; ++n) {
      must(channel.send(0, from + n * kBytes, kBytes).error(), "send");
    }
    must(local.wait(must(channel.fence(), "fence"), begin_ + kAfter), "fence");
    seen_.fenced = context.now();
    must(context.linger(kAfter), "linger");
  }
  void take_by_channel(Context& context) {
    CompletionQueue completions(context);
    LocalChannels local = must(LocalChannels::open(context, completions, kSegment), "open");
    const LocalChannel channel = must(local.connect({0},
                                                    [&](const LocalMessage& message) {
                                                      std::vector<std::byte> found(message.bytes);
                                                      context.device().load(message.data, found);
                                                      take(context, found);
                                                    }),
                                      "connect");
    take_all(context);
  }

  void send_by_segment(Context& context) {
    const Address from = store_messages(context);
    const Endpoint to({1}, {0});
    wait_for_begin(context);
    for (std::uint32_t n = 0; n < kMessages; ++n) {
      must(context.send_active(to, kTake, {}, from + n * kBytes, kBytes).error(), "send");
    }
    must(must(context.wait(must(context.fence(to), "fence"), begin_ + kAfter), "fence").error,
         "fence");
    seen_.fenced = context.now();
    must(context.linger(kAfter), "linger");
  }
  void take_by_segment(Context& context) {
    must(context.register_dispatch(kTake,
                                   [&](const ActiveMessage& message) -> ActiveReceive {
                                     take(context, message.data);
                                     return {};
                                   }),
         "register");
    take_all(context);
  }

  MachineStage& stage_;
  NodePlan plan_;
  std::uint64_t seed_;
  Cycles begin_ = 0;
  Seen seen_;
  std::uint32_t taken_ = 0;
};

}  // namespace

void bench_endpoint_fences(const BenchOptions& options, Sink& sink) {
  MachineStage stage(options.machine(parse_shape(kShape)), sink);
  OneWay one_way(stage);
  const Seen channel = one_way.by_channel();
  const Seen segment = one_way.by_segment();
  sink.check("fence.channel_and_segment_bring_every_byte",
             channel.right == kMessages && segment.right == kMessages,
             fmt::format("{} and {} of {} messages", channel.right, segment.right, kMessages));
  stage.figure("fence.channel_cycles", channel.fence_cycles());
  stage.figure("fence.channel_taken_cycles", channel.taken_cycles());
  stage.figure("fence.shared_store_cycles", segment.fence_cycles());
  stage.figure("fence.shared_taken_cycles", segment.taken_cycles());
  stage.check_network();
  sink.add_machine(stage.machine());
}

}  // namespace torusmu

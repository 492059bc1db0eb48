// SPDX-License-Identifier: Apache-2.0
// send.*: a message of 64 KiB by Context::send, whose receive has been posted, over the distance of
// the receiver; once with SendEnd::kReflected and once with SendEnd::kReceived, whose end is the
// answer of the receiver's core. Both tasks spin. The first flit of the data leaves the sender's
// node when the receiver has agreed: from there the two can be compared.
//
//   completion_cycles, answer_cycles     first data flit out to the end of the send
//   after_data_cycles, answer_after_...  last data flit out to the end of the send
//   call_cycles, answer_call_cycles      call of send() to the end of the send
//   delivery_cycles, answer_delivery_... call of send() to the end of the receive
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "sim/machine/mix.h"
#include "sim/machine/profile.h"
#include "sim/play/bench/benches.h"
#include "sim/play/machine_stage.h"
#include "sim/play/must.h"
#include "sim/play/scenario/pins.h"
#include "sim/play/scenario/raw_node.h"
#include "sim/play/scenario/reflection_play.h"
#include "torusmu/context.h"
#include "torusmu/setup.h"

namespace torusmu {
namespace {

constexpr const char* kMesh = "4x4x4";
constexpr std::uint32_t kMostHops = 6;
constexpr Bytes kBytes = 65536;
constexpr Tag kTag = 1;
constexpr Cycles kBegin = 20'000;  // all receives are posted long before
constexpr Cycles kApart = 40'000;  // the next message starts when all of the last is over
constexpr Cycles kBound = 2'000'000;
constexpr std::uint32_t kSpins = 1'000'000;
constexpr NodeId kSender{0};

// Of one message.
struct Seen {
  Cycles called = 0, sent = 0, received = 0;
  Cycles first_out = 0, last_out = 0;  // flits of its data
  bool right = false;
};

// By the distance of the receiver, from 1 on.
using SeenByHops = std::array<Seen, kMostHops>;

class LongSends {
 public:
  explicit LongSends(MachineStage& stage)
      : stage_(stage),
        plan_(must(NodePlan::make(stage.shape(), kProfile, stage.memory({0}).size()), "plan")) {
    for (std::uint32_t h = 1; h <= kMostHops; ++h) {
      std::uint32_t node = 0;
      while (hops(stage.shape(), kSender, {node}) != h) ++node;
      targets_[h - 1] = {node};
    }
  }

  SeenByHops play(SendEnd end) {
    seen_ = {};
    stage_.on_all_nodes([this](Device& device) { must(NodeSetup(device, plan_).run(), "set-up"); });
    if (!stage_.run(kBound)) return {};
    (void)stage_.take_events();
    const Cycles begin = stage_.now() + kBegin;
    const ContextOptions options{.long_send_end = end, .spin_polls = kSpins};
    stage_.add_core(kSender, [this, begin, &options](Device& device) {
      Context context(device, plan_, {0}, options);
      send_all(context, begin);
    });
    for (std::uint32_t i = 0; i < kMostHops; ++i) {
      stage_.add_core(targets_[i], [this, i, begin, &options](Device& device) {
        Context context(device, plan_, {0}, options);
        receive(context, seen_[i], begin);
      });
    }
    if (!stage_.run(kBound)) return {};
    read_pins();
    return seen_;
  }

 private:
  [[nodiscard]] std::vector<std::byte> data() const { return pattern(mix(stage_.seed()), kBytes); }

  void send_all(Context& context, Cycles begin) {
    const Address from = must(context.take_heap(kBytes), "heap");
    context.device().store(from, data());
    for (std::uint32_t i = 0; i < kMostHops; ++i) {
      context.device().compute(begin + i * kApart - context.now());
      seen_[i].called = context.now();
      const Request request =
          must(context.send(plan_.task({targets_[i], {0}}), kTag, from, kBytes), "send");
      const Completion done = must(context.wait(request, context.now() + kApart), "send");
      must(done.error, "send");
      seen_[i].sent = done.at;
    }
    must(context.linger(kApart), "linger");
  }
  void receive(Context& context, Seen& seen, Cycles begin) {
    const Address to = must(context.take_heap(kBytes), "heap");
    const Request request = must(context.receive(Task{0}, kTag, to, kBytes), "receive");
    const Completion done = must(context.wait(request, begin + kMostHops * kApart), "receive");
    must(done.error, "receive");
    seen.received = done.at;
    std::vector<std::byte> found(kBytes);
    context.device().load(to, found);
    seen.right = found == data();
    must(context.linger(kApart), "linger");
  }
  // The flits of data that have left the sender's node.
  void read_pins() {
    const Coordinates home = stage_.shape().coordinates(kSender);
    std::array<std::array<PacketHeader, 2>, kDirections> crossing{};
    for (const Event& event : stage_.take_events()) {
      if (event.kind != Event::Kind::kFlitOut || event.node != kSender) continue;
      PacketHeader& header = crossing[event.direction][event.flit.reply ? 1 : 0];
      if (event.flit.head) header = header_of(event.flit);
      if (header.get<layout::packet_header::kind>() != Kind::kPut || event.flit.reply ||
          source_of(header) != home) {
        continue;
      }
      const NodeId to = stage_.shape().node(target_of(header));
      const auto target = std::find(targets_.begin(), targets_.end(), to);
      if (target == targets_.end()) continue;
      Seen& seen = seen_[static_cast<std::size_t>(target - targets_.begin())];
      if (seen.first_out == 0) seen.first_out = event.cycle;
      seen.last_out = event.cycle;
    }
  }

  MachineStage& stage_;
  NodePlan plan_;
  std::array<NodeId, kMostHops> targets_{};
  SeenByHops seen_{};
};

std::vector<Cycles> cycles(const SeenByHops& all, Cycles Seen::*from, Cycles Seen::*to) {
  std::vector<Cycles> list;
  list.reserve(all.size());
  for (const Seen& seen : all) list.push_back(seen.*to - seen.*from);
  return list;
}

double spread(const std::vector<Cycles>& list) {
  const auto [least, most] = std::minmax_element(list.begin(), list.end());
  return static_cast<double>(*most - *least) / static_cast<double>(*least);
}

}  // namespace

void bench_send(const BenchOptions& options, Sink& sink) {
  MachineConfig config = options.machine(parse_shape(kMesh));
  config.engine.record = true;
  MachineStage stage(config, sink);
  LongSends sends(stage);
  const SeenByHops reflected = sends.play(SendEnd::kReflected);
  const SeenByHops received = sends.play(SendEnd::kReceived);
  const auto right = [](const SeenByHops& all) {
    return std::count_if(all.begin(), all.end(), [](const Seen& seen) { return seen.right; });
  };
  sink.check("send.both_forms_bring_every_byte",
             right(reflected) == kMostHops && right(received) == kMostHops,
             fmt::format("{} and {} of {} messages", right(reflected), right(received), kMostHops));
  struct Pair {
    const char* name;
    const char* of_answer;
    Cycles Seen::*from;
    Cycles Seen::*to;
  };
  constexpr std::array kPairs{
      Pair{"send.completion_cycles", "send.answer_cycles", &Seen::first_out, &Seen::sent},
      Pair{"send.after_data_cycles", "send.answer_after_data_cycles", &Seen::last_out, &Seen::sent},
      Pair{"send.call_cycles", "send.answer_call_cycles", &Seen::called, &Seen::sent},
      Pair{"send.delivery_cycles", "send.answer_delivery_cycles", &Seen::called, &Seen::received}};
  for (const Pair& pair : kPairs) {
    sink.figure(pair.name, cycles(reflected, pair.from, pair.to));
    sink.figure(pair.of_answer, cycles(received, pair.from, pair.to));
  }
  sink.figure("send.completion_spread", spread(cycles(reflected, &Seen::first_out, &Seen::sent)));
  stage.check_network();
  sink.add_machine(stage.machine());
}

}  // namespace torusmu

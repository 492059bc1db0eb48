// SPDX-License-Identifier: Apache-2.0
// boot.*: tasks that start late, while others send to them.
//
//   lost, repeated, reordered  messages, of jobs in which 1,000 tasks in all start at random times
//                              up to 100,000 cycles apart and all that are there send to all others
//   first_message_cycles       one task sends 8 bytes to a neighbour that starts late, at a random
//                              time, and waits until they have been taken; from the moment in which
//                              that process has been initialised (NodeSetup::start() has returned:
//                              its FIFO is on, its context is not yet made) to the completion of
//                              the message: mean
//   first_message_gain         the same without a boot buffer, where the sender is refused and
//                              tries again after 256 to 8,192 cycles, always the same: the best of
//                              these, as a multiple. All have the same starts.
//   sent_without               how often the message then goes out, with that best back-off: mean
#include <fmt/format.h>

#include <optional>
#include <vector>

#include "sim/machine/mix.h"
#include "sim/machine/profile.h"
#include "sim/play/bench/benches.h"
#include "sim/play/machine_stage.h"
#include "sim/play/must.h"
#include "sim/play/scenario/boot_play.h"
#include "torusmu/setup.h"

namespace torusmu {
namespace {

constexpr std::uint32_t kStarts = 1'000;
constexpr const char* kJobShape = "2x2x1";
constexpr std::uint32_t kMessages = 2;

constexpr const char* kPairShape = "2x1x1";
constexpr std::uint32_t kLateStarts = 64;  // of each back-off
constexpr Cycles kEarliest = 10'000;       // the sender has been refused
constexpr Cycles kSpread = 100'000;
constexpr Cycles kLeastBackoff = 256, kMostBackoff = 8'192;
constexpr Bytes kBytes = 8;
constexpr Cycles kBound = 10'000'000;
constexpr Cycles kLinger = 2'000;

// Many jobs on one machine, each after the other's end.
void bench_starts(const BenchOptions& options, Sink& sink) {
  MachineStage stage(options.machine(parse_shape(kJobShape)), sink);
  BootJob job;
  job.messages = kMessages;
  BootPlay play(stage, job);
  std::uint64_t starts = 0, wanted = 0, received = 0, lost = 0, repeated = 0, reordered = 0;
  std::uint64_t spoiled = 0, kept = 0, refused = 0;
  for (std::uint64_t round = 0; starts < kStarts; ++round) {
    if (!play.run(mix(options.seed * 1'000'003 + round))) return;
    for (const BootTask& task : play.tasks()) {
      received += task.received;
      lost += task.lost;
      repeated += task.repeated;
      reordered += task.reordered;
      spoiled += task.spoiled;
      kept += task.buffer.slots;
      refused += task.buffer.refused;
    }
    starts += play.tasks().size();
    wanted += play.wanted();
  }
  sink.say(
      fmt::format("{} starts, {} messages: packets took {} slots in boot buffers, {} were refused",
                  starts, received, kept, refused));
  sink.figure("boot.lost", lost);
  sink.figure("boot.repeated", repeated);
  sink.figure("boot.reordered", reordered);
  sink.check("boot.all_as_sent", received == wanted && spoiled == 0 && kept != 0,
             fmt::format("{} of {} messages, {} with wrong bytes", received, wanted, spoiled));
  stage.check_network();
  sink.add_machine(stage.machine());
}

struct FirstMessage {
  double cycles = 0;  // from the start of the late task to its first message
  double sent = 0;    // how often it went out
};

// A task that is there and one that starts late.
class Pair {
 public:
  // Without a back-off the late task has a boot buffer.
  Pair(Stage& stage, Cycles backoff) : stage_(stage) {
    PlanOptions options;
    options.offload_groups = 0;
    options.boot_buffers = backoff == 0 ? 1 : 0;
    plan_.emplace(
        must(NodePlan::make(stage.shape(), kProfile, stage.memory({0}).size(), options), "plan"));
    if (backoff != 0) context_.retry_least = context_.retry_most = backoff;
  }

  // Nothing if the run failed.
  std::optional<FirstMessage> play(Cycles start) {
    stage_.on_all_nodes([this](Device& device) { must(NodeSetup(device, *plan_).boot(), "boot"); });
    if (!stage_.run(kBound)) return std::nullopt;
    Cycles initialised = 0, complete = 0;
    std::uint64_t again = 0;
    stage_.add_core({0}, [&](Device& device) { again = send(device); });
    stage_.add_core({1}, [&](Device& device) {
      device.compute(start);
      must(NodeSetup(device, *plan_).start({0}), "start");
      initialised = device.now();
      Context context(device, *plan_, {0}, context_);
      const Address in = must(context.take_heap(kBytes), "heap");
      const auto receive = must(context.receive({0}, 1, in, kBytes), "receive");
      complete = must(context.wait(receive, device.now() + kBound), "wait").at;
      leave(context);
    });
    if (!stage_.run(kBound)) return std::nullopt;
    return FirstMessage{static_cast<double>(complete - initialised),
                        static_cast<double>(1 + again)};
  }

 private:
  // Returns how often the message was sent again.
  std::uint64_t send(Device& device) const {
    must(NodeSetup(device, *plan_).start({0}), "start");
    Context context(device, *plan_, {0}, context_);
    const Address out = must(context.take_heap(kBytes), "heap");
    const auto request = must(context.send({1}, 1, out, kBytes), "send");
    must(context.wait(request, device.now() + kBound).error(), "wait");
    leave(context);
    return context.counts().resent;
  }
  static void leave(Context& context) {
    must(context.flush(context.now() + kBound), "flush");
    must(context.linger(kLinger), "linger");
  }

  Stage& stage_;
  std::optional<NodePlan> plan_;
  ContextOptions context_;
};

// Means over the same random starts for every back-off; nothing if a run failed.
std::optional<FirstMessage> first_message(const BenchOptions& options, Sink& sink, Cycles backoff) {
  MachineStage stage(options.machine(parse_shape(kPairShape)), sink);
  Pair pair(stage, backoff);
  Rng random(options.seed);
  FirstMessage mean;
  for (std::uint32_t n = 0; n < kLateStarts; ++n) {
    const auto one = pair.play(kEarliest + random.below(kSpread));
    if (!one) return std::nullopt;
    mean.cycles += one->cycles / kLateStarts;
    mean.sent += one->sent / kLateStarts;
  }
  sink.add_machine(stage.machine());
  return mean;
}

void bench_first_message(const BenchOptions& options, Sink& sink) {
  const auto buffered = first_message(options, sink, 0);
  if (!buffered) return;
  sink.check("boot.sent_once", buffered->sent == 1, "with a boot buffer");
  std::optional<FirstMessage> best;
  for (Cycles backoff = kLeastBackoff; backoff <= kMostBackoff; backoff *= 2) {
    const auto mean = first_message(options, sink, backoff);
    if (!mean) return;
    sink.say(fmt::format("  back-off {:>5}: first message after {:.0f} cycles, sent {:.1f} times",
                         backoff, mean->cycles, mean->sent));
    if (!best || mean->cycles < best->cycles) best = mean;
  }
  sink.figure("boot.first_message_cycles", buffered->cycles);
  sink.figure("boot.first_message_gain", best->cycles / buffered->cycles);
  sink.figure("boot.sent_without", best->sent);
}

}  // namespace

void bench_boot(const BenchOptions& options, Sink& sink) {
  bench_starts(options, sink);
  bench_first_message(options, sink);
}

}  // namespace torusmu

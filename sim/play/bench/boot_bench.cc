// SPDX-License-Identifier: Apache-2.0
// boot.*: tasks that start late, while others send to them.
//
//   lost, repeated, reordered  messages, of jobs in which 1,000 tasks in all start at random times
//                              up to 100,000 cycles apart and all that are there send to all others
//   first_message_cycles       one task sends 8 bytes to a neighbour that starts late, at a random
//                              time, and waits until they have been taken; from the moment in which
//                              that process has been initialised (NodeSetup::start() has returned:
//                              its FIFO is on, its context is not yet made) to the completion of
//                              the message, which the MU moves: mean
//   first_message_by_process_cycles  the same where the process copies what was kept
//   other_client_wait_cycles   puts of 8 bytes to another process of that node while 4 KiB are
//                              moved: the most that one takes longer than with nothing to move
//   first_message_gain         the same without a boot buffer, where the sender is refused and
//                              tries again after 256 to 8,192 cycles, always the same: the best of
//                              these, as a multiple. All have the same starts.
//   sent_without               how often the message then goes out, with that best back-off: mean
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
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
  Pair(Stage& stage, Cycles backoff, BootCopy copy) : stage_(stage) {
    PlanOptions options;
    options.offload_groups = 0;
    options.boot_buffers = backoff == 0 ? 1 : 0;
    options.boot_copy = copy;
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
std::optional<FirstMessage> first_message(const BenchOptions& options, Sink& sink, Cycles backoff,
                                          BootCopy copy = BootCopy::kByUnit) {
  MachineStage stage(options.machine(parse_shape(kPairShape)), sink);
  Pair pair(stage, backoff, copy);
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
  const auto copied = first_message(options, sink, 0, BootCopy::kByProcess);
  if (!copied) return;
  sink.check("boot.sent_once", buffered->sent == 1 && copied->sent == 1, "with a boot buffer");
  std::optional<FirstMessage> best;
  for (Cycles backoff = kLeastBackoff; backoff <= kMostBackoff; backoff *= 2) {
    const auto mean = first_message(options, sink, backoff);
    if (!mean) return;
    sink.say(fmt::format("  back-off {:>5}: first message after {:.0f} cycles, sent {:.1f} times",
                         backoff, mean->cycles, mean->sent));
    if (!best || mean->cycles < best->cycles) best = mean;
  }
  sink.figure("boot.first_message_cycles", buffered->cycles);
  sink.figure("boot.first_message_by_process_cycles", copied->cycles);
  sink.figure("boot.first_message_gain", best->cycles / buffered->cycles);
  sink.figure("boot.sent_without", best->sent);
}

// Client 1 of node 1 gets puts of 8 bytes, one after the other, from before client 0 there starts
// to behind the move of what was kept for it: none, or as much as its boot buffer holds.
class Bystander {
 public:
  Bystander(Stage& stage, std::uint32_t kept, unsigned run)
      : stage_(stage), kept_(kept), start_(kStart + kStart / 2 + 60 + 8 * run) {
    PlanOptions options;
    options.clients = 2;
    options.offload_groups = 0;
    options.boot_buffers = 1;
    plan_.emplace(
        must(NodePlan::make(stage.shape(), kProfile, stage.memory({0}).size(), options), "plan"));
  }

  // Cycles of each put; nothing if the run failed.
  std::optional<std::vector<Cycles>> play() {
    stage_.on_all_nodes([this](Device& device) { must(NodeSetup(device, *plan_).boot(), "boot"); });
    if (!stage_.run(kBound)) return std::nullopt;
    stage_.add_core({0}, [this](Device& device) { fill(device); });
    stage_.add_core({0}, [this](Device& device) { put(device); });
    stage_.add_core({1}, [this](Device& device) { watch(device); });
    stage_.add_core({1}, [this](Device& device) {
      device.compute(start_ - std::min(start_, device.now()));
      must(NodeSetup(device, *plan_).start({0}), "start");
      Context context(device, *plan_, {0});
      leave(context);
    });
    if (!stage_.run(kBound)) return std::nullopt;
    std::vector<Cycles> cycles(kPuts);
    for (std::uint32_t n = 0; n < kPuts; ++n) cycles[n] = seen_[n] - posted_[n];
    return cycles;
  }

 private:
  static constexpr Cycles kStart = 20'000;
  static constexpr std::uint32_t kPuts = 40;
  static constexpr Cycles kApart = 331;  // so that all phases of the move are met
  static constexpr Bytes kWord = 8;

  static void leave(Context& context) {
    must(context.flush(context.now() + kBound), "flush");
    must(context.linger(kLinger), "linger");
  }
  // Messages of 512 bytes, until the boot buffer can be full.
  void fill(Device& device) {
    must(NodeSetup(device, *plan_).start({0}), "start");
    Context context(device, *plan_, {0});
    const Address out = must(context.take_heap(kLargest), "heap");
    for (std::uint32_t n = 0; n < kept_; ++n) {
      (void)must(context.send(plan_->task({{1}, {0}}), 1, out, kLargest), "send");
    }
    leave(context);
  }
  void put(Device& device) {
    must(NodeSetup(device, *plan_).start({1}), "start");
    Context context(device, *plan_, {1});
    const Address out = must(context.take_heap(kWord), "heap");
    PutOptions injected;
    injected.notify = Notify::kInjected;
    const RemoteMemory to{plan_->task({{1}, {1}}), plan_->heap_region({1}), 0};
    device.compute(kStart - std::min(kStart, device.now()) + kStart / 2);
    for (std::uint32_t n = 0; n < kPuts; ++n) {
      while (n != 0 && seen_[n - 1] == 0) device.compute(1);
      const Cycles next = kStart + kStart / 2 + n * kApart;
      if (device.now() < next) device.compute(next - device.now());
      const std::uint64_t number = n + 1;
      device.store(out, std::as_bytes(std::span(&number, 1)));
      posted_[n] = device.now();
      (void)must(context.put(to, out, kWord, injected), "put");
      must(context.advance(), "advance");
    }
    leave(context);
  }
  void watch(Device& device) {
    must(NodeSetup(device, *plan_).start({1}), "start");
    for (std::uint32_t n = 0; n < kPuts; ++n) {
      std::uint64_t number = 0;
      while (number != n + 1) {
        device.load(plan_->heap({1}).address, std::as_writable_bytes(std::span(&number, 1)));
      }
      seen_[n] = device.now();
    }
  }

  static constexpr Bytes kLargest = 512;
  Stage& stage_;
  std::uint32_t kept_;  // messages
  Cycles start_;        // of the late client
  std::optional<NodePlan> plan_;
  std::array<Cycles, kPuts> posted_{}, seen_{};
};

void bench_bystander(const BenchOptions& options, Sink& sink) {
  constexpr std::uint32_t kOfAFullBuffer = 7;  // of 17 slots
  constexpr unsigned kRuns = 40;               // the start meets the puts elsewhere in each
  Cycles most = 0;
  unsigned longer = 0;
  for (unsigned run = 0; run < kRuns; ++run) {
    std::array<std::vector<Cycles>, 2> cycles;
    for (const bool full : {false, true}) {
      MachineStage stage(options.machine(parse_shape(kPairShape)), sink);
      const auto each = Bystander(stage, full ? kOfAFullBuffer : 0, run).play();
      if (!each) return;
      cycles.at(full ? 1 : 0) = *each;
      if (run == 0) sink.add_machine(stage.machine());
    }
    for (std::size_t n = 0; n < cycles[0].size(); ++n) {
      if (cycles[1][n] <= cycles[0][n]) continue;
      most = std::max(most, cycles[1][n] - cycles[0][n]);
      ++longer;
    }
  }
  sink.check("boot.move_was_met", longer != 0,
             fmt::format("{} puts took longer while a buffer was moved", longer));
  sink.figure("boot.other_client_wait_cycles", static_cast<double>(most));
}

}  // namespace

void bench_boot(const BenchOptions& options, Sink& sink) {
  bench_starts(options, sink);
  bench_first_message(options, sink);
  bench_bystander(options, sink);
}

}  // namespace torusmu

// SPDX-License-Identifier: Apache-2.0
// put.* and router.*: single flows, measured at the pins of the links.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "sim/play/bench/benches.h"
#include "sim/play/bench/run_or_throw.h"
#include "sim/play/bench/traffic.h"

namespace torusmu {
namespace {

using B = BenchLayout;
constexpr const char* kRingOfFour = "4x1x1";
constexpr Bytes kLongPut = 1 << 20;
constexpr std::uint64_t kPayloadFlits = kLongPut / 16;
constexpr Cycles kBound = 500'000;
constexpr unsigned kPlusX = 0, kMinusX = 1;

// What one link carried: when its first and last flit were on it.
struct LinkUse {
  Cycles first = kNever, last = 0;
  std::uint64_t flits = 0;
  [[nodiscard]] double share() const {
    return static_cast<double>(kPayloadFlits) / static_cast<double>(last - first + 1);
  }
};

LinkUse use_of(const std::vector<Event>& events, NodeId node, unsigned direction) {
  LinkUse use;
  for (const Event& event : events) {
    if (event.kind != Event::Kind::kFlitOut || event.node != node || event.direction != direction) {
      continue;
    }
    use.first = std::min(use.first, event.cycle);
    use.last = std::max(use.last, event.cycle);
    ++use.flits;
  }
  return use;
}

// Payload share of a 1 MB put from node 0 to node 1 in a ring of four; with `both_ways` node 1
// answers with the same at the same time, and the slower direction counts.
double payload_share(unsigned latency, bool both_ways, const BenchOptions& options, Sink& sink) {
  MachineConfig config = bench_config(kRingOfFour, latency, options);
  config.engine.record = true;
  Machine machine(config);
  open_nodes(machine);
  (void)machine.take_events();
  const auto prepare = [&](NodeId from, NodeId to) {
    preload(machine, from, 0,
            put_descriptor(machine.shape().coordinates(to), {B::kSourceRegion, 0, kLongPut},
                           B::kTargetRegion, 0, {}));
    ring(machine, from, 1);
  };
  machine.memory({0}).write(B::kSource, pattern(options.seed, kLongPut));
  machine.memory({1}).write(B::kSource, pattern(options.seed + 1, kLongPut));
  prepare({0}, {1});
  if (both_ways) prepare({1}, {0});
  run_or_throw(machine, kBound);
  const std::vector<Event> events = machine.take_events();
  const LinkUse there = use_of(events, {0}, kPlusX);
  double share = there.share();
  std::vector<std::byte> found(kLongPut);
  machine.memory({1}).read(B::kTarget, found);
  bool right = found == pattern(options.seed, kLongPut);
  if (both_ways) {
    share = std::min(share, use_of(events, {1}, kMinusX).share());
    machine.memory({0}).read(B::kTarget, found);
    right = right && found == pattern(options.seed + 1, kLongPut);
  }
  sink.check(fmt::format("put.bytes{}_l{}", both_ways ? "_both_ways" : "", latency), right,
             fmt::format("1 MB in {} flits, {} cycles", there.flits, there.last - there.first + 1));
  sink.add_machine(machine);
  return share;
}

// 8 immediate bytes to the neighbour: from the cycle in which the doorbell is accepted to the one
// in which the counter's interrupt line is high, which is later than the counter itself.
Cycles put_latency(const BenchOptions& options, Sink& sink) {
  MachineConfig config = bench_config(kRingOfFour, 1, options);
  config.engine.record = true;
  Machine machine(config);
  open_nodes(machine);
  machine.add_core({1}, [](Device& device) {
    RawNode(device).preload(B::kCounter, 8);
    (void)RawNode(device).causes();
  });
  run_or_throw(machine, kBound);
  (void)machine.take_events();
  const std::array<std::byte, 8> word{std::byte{1}};
  preload(machine, {0}, 0,
          immediate_put(machine.shape().coordinates({1}), word, B::kTargetRegion, 0,
                        {.counter = static_cast<int>(B::kCounter.value)}));
  ring(machine, {0}, 1);
  run_or_throw(machine, kBound);
  Cycles doorbell = kNever, zero = kNever;
  for (const Event& event : machine.take_events()) {
    if (event.kind == Event::Kind::kRegister) doorbell = event.cycle;
    if (event.kind == Event::Kind::kInterrupt && event.node == NodeId{1}) zero = event.cycle;
  }
  sink.add_machine(machine);
  sink.check("put.latency_seen", doorbell != kNever && zero != kNever,
             "the doorbell was accepted and the counter's interrupt came");
  return zero - doorbell;
}

}  // namespace

void bench_put(const BenchOptions& options, Sink& sink) {
  sink.figure("put.payload_share", payload_share(8, false, options, sink));
  sink.figure("put.payload_share_both_ways", payload_share(8, true, options, sink));
  sink.figure("put.payload_share_l32", payload_share(32, false, options, sink));
  sink.figure("put.latency_cycles", put_latency(options, sink));
}

void bench_router(const BenchOptions& options, Sink& sink) {
  MachineConfig config = bench_config("8x1x1", options.latency, options);
  config.engine.record = true;
  Machine machine(config);
  open_nodes(machine);
  (void)machine.take_events();
  const std::array<std::byte, 8> word{std::byte{1}};
  preload(machine, {0}, 0,
          immediate_put(machine.shape().coordinates({3}), word, B::kTargetRegion, 0, {}));
  ring(machine, {0}, 1);
  run_or_throw(machine, kBound);
  const std::vector<Event> events = machine.take_events();
  // The same header leaves nodes 0, 1 and 2; what lies between is the link and the hop.
  std::array<Cycles, 3> out{};
  for (std::uint32_t n = 0; n < out.size(); ++n) out[n] = use_of(events, {n}, kPlusX).first;
  const Cycles first = out[1] - out[0] - options.latency;
  const Cycles second = out[2] - out[1] - options.latency;
  sink.add_machine(machine);
  sink.check("router.hops_equal", first == second,
             fmt::format("{} and {} cycles in two nodes on the way", first, second));
  sink.figure("router.hop_cycles", std::max(first, second));
}

}  // namespace torusmu

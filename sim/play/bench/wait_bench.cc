// SPDX-License-Identifier: Apache-2.0
// wait.*: from the count that releases a WAIT to the first flit of the PUT behind it.
//
// Node 0 of a ring of eight holds a queue at a WAIT for two more bumps of an event counter; behind
// it stands a PUT of 8 immediate bytes to node 2. Node 1 sends the two bumps. All is measured at
// the pins of node 0:
//
//   count reached  the cycle in which the counter takes the value waited for: then the entries of
//                  the wait table see it, and a read that is taken has it (mu_event_counters). In
//                  each round node 0 reads the counter once, a cycle later than in the round
//                  before. The first read that returns the value is the one that meets the bump:
//                  it comes to the counters kToCounters cycles after its address was taken from
//                  the pins (mu_host_interface), must let the bump go first, and so takes a cycle
//                  longer than all others (mu_counter_arbiter). The counter takes the value
//                  kUpdate cycles after a bump was taken (mu_counter_file).
//   first flit     the cycle in which the head of the PUT is at the router. It is on the pins of
//                  the link kHop cycles later, the idle hop of docs/router.md; the same packet
//                  shows in node 1 that it is.
//
// A read that changed anything, or a release that came by chance, would show: the first flit
// leaves as long after the bumps in every round, and never before the second of them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "sim/play/bench/benches.h"
#include "sim/play/bench/run_or_throw.h"
#include "sim/play/bench/traffic.h"
#include "sim/play/figures.h"
#include "sim/play/scenario/pins.h"

namespace torusmu {
namespace {

using B = BenchLayout;
constexpr const char* kRing = "8x1x1";
constexpr NodeId kWaits{0}, kBumps{1}, kTarget{2};
constexpr unsigned kPlusX = 0;
constexpr Cycles kBound = 10'000;
constexpr Cycles kToCounters = 2, kUpdate = 1, kHop = 3;
constexpr std::uint32_t kBumpsARound = 2;

struct Round {
  // Counted from the cycle in which node 1 takes its doorbell.
  Cycles read = 0;   // node 0 takes the address of its read
  Cycles flit = 0;   // the first flit is on the pins of node 0
  Cycles again = 0;  // and on those of node 1
  Cycles took = 0;   // by the read
  std::uint32_t value = 0;
};

class Rounds {
 public:
  explicit Rounds(Machine& machine) : machine_(machine) { open_nodes(machine); }

  // The read begins `delay` cycles after the doorbell of the bumps. Nothing if no flit, or more
  // than one packet, came of it.
  std::optional<Round> play(Cycles delay) {
    const std::array<std::byte, 8> word{std::byte{1}};
    const std::uint32_t from = round_ * kBumpsARound;
    ++round_;
    const Coordinates waits = machine_.shape().coordinates(kWaits);
    for (std::uint32_t i = from; i < from + kBumpsARound; ++i) {
      preload(machine_, kWaits, i,
              i == from ? wait_for_event(B::kEvent, from + kBumpsARound)
                        : immediate_put(machine_.shape().coordinates(kTarget), word,
                                        B::kTargetRegion, 0, {}));
      preload(machine_, kBumps, i,
              immediate_put(waits, word, B::kTargetRegion, 0,
                            {.event = static_cast<int>(B::kEvent.value)}));
    }
    ring(machine_, kWaits, from + kBumpsARound);
    run_or_throw(machine_, kBound);
    // It waits, and does so though the first bump comes.
    ring(machine_, kBumps, from + 1);
    run_or_throw(machine_, kBound);
    const bool held = flits_of(machine_.take_events(), kWaits).empty();
    ring(machine_, kBumps, from + kBumpsARound);
    Round round;
    machine_.add_core(kWaits, [&](Device& device) {
      device.compute(delay);
      const Cycles begin = device.now();
      round.value = RawNode(device).read_event(B::kEvent) - from;
      round.took = device.now() - begin;
    });
    run_or_throw(machine_, kBound);
    return held ? read(machine_.take_events(), round) : std::nullopt;
  }

 private:
  // When headers of packets from node 0 to node 2 were on the pins of `node`.
  [[nodiscard]] std::vector<Cycles> flits_of(const std::vector<Event>& events, NodeId node) const {
    std::vector<Cycles> cycles;
    for (const Event& event : events) {
      if (event.kind != Event::Kind::kFlitOut || event.node != node || !event.flit.head ||
          event.direction != kPlusX) {
        continue;
      }
      const PacketHeader header = header_of(event.flit);
      if (machine_.shape().node(source_of(header)) == kWaits &&
          machine_.shape().node(target_of(header)) == kTarget) {
        cycles.push_back(event.cycle);
      }
    }
    return cycles;
  }

  [[nodiscard]] std::optional<Round> read(const std::vector<Event>& events, Round round) const {
    std::optional<Cycles> doorbell, read;
    for (const Event& event : events) {
      if (event.kind != Event::Kind::kRegister) continue;
      if (event.node == kBumps && event.access.write) doorbell = event.cycle;
      if (event.node == kWaits && !event.access.write) read = event.cycle;
    }
    const std::vector<Cycles> first = flits_of(events, kWaits);
    const std::vector<Cycles> second = flits_of(events, kBumps);
    if (!doorbell || !read || first.size() != 1 || second.size() != 1) return std::nullopt;
    round.read = *read - *doorbell;
    round.flit = first.front() - *doorbell;
    round.again = second.front() - *doorbell;
    return round;
  }

  Machine& machine_;
  std::uint32_t round_ = 0;
};

}  // namespace

void bench_wait(const BenchOptions& options, Sink& sink) {
  MachineConfig config = bench_config(kRing, options.latency, options);
  config.engine.record = true;
  Machine machine(config);
  Rounds rounds(machine);
  const auto first = rounds.play(1);
  bool same = first.has_value();
  std::optional<Round> before, found;  // the last read that misses the count, the first that has it
  for (Cycles delay = 2; same && delay < first->flit + 10; ++delay) {
    const auto round = rounds.play(delay);
    same = round && round->flit == first->flit && round->again == first->again;
    if (same && round->value < kBumpsARound) before = round;
    if (same && round->value == kBumpsARound && !found) found = round;
  }
  sink.add_machine(machine);
  sink.check("wait.same_in_every_round", same,
             "one packet a round, behind the second bump, as long after it in every round");
  if (!same) return;
  const bool meets = before && found && before->read + 1 == found->read &&
                     before->took == first->took && found->took == first->took + 1;
  sink.check("wait.count_found", meets,
             meets ? fmt::format("the read that meets the second bump began in cycle {}, and took "
                                 "a cycle longer than others",
                                 found->read)
                   : "no read is seen to meet the second bump");
  const Cycles hop = first->again - first->flit - options.latency;
  sink.check("wait.hop_as_documented", hop == kHop, fmt::format("{} cycles in node 1", hop));
  if (!meets || hop != kHop) return;
  const Cycles reached = found->read + kToCounters + kUpdate;
  const auto cycles = static_cast<double>(first->flit - kHop) - static_cast<double>(reached);
  const double wanted = find_figure("wait.release_cycles")->wanted.value;
  sink.figure("wait.release_cycles", cycles);
  sink.check("wait.released_in_time", cycles > 0 && cycles <= wanted,
             fmt::format("{} cycles, at most {}", cycles, wanted));
}

}  // namespace torusmu

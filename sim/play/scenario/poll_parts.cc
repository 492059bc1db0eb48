// SPDX-License-Identifier: Apache-2.0
// poll-parts: a core that waits for many transfers asks the DMA engine once a round, and not each
// byte counter (US 7,958,274: polling a component "may also require polling other subcomponents of
// that component"). The counters are parts of the engine, whose causes say which of them have hit
// zero: one register of the client stands for all of its parts. The same puts are waited for
// twice, with the counters by themselves and with them as parts. Checks that every transfer is
// seen, each soon after the other way, and that most of the polls are saved: of the counters no
// more than one each for a transfer.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/machine/mix.h"
#include "sim/play/must.h"
#include "sim/play/scenario/checks.h"
#include "sim/play/scenario/opening.h"
#include "sim/play/scenario/raw_node.h"
#include "sim/play/scenario/scenarios.h"
#include "torusmu/polling.h"

namespace torusmu {
namespace {

constexpr std::uint32_t kCounters = 16;
constexpr QueueId kQueue{7};
constexpr RegionId kRegion{1};
constexpr Address kRing = 0x10000, kData = 0x20000;
constexpr std::uint32_t kSlots = 16;
constexpr Bytes kBytes = 64;
constexpr Cycles kBetween = 10'000;  // two puts of a node, and as much more by chance
constexpr Cycles kRest = 800;        // of a core between two rounds
constexpr Cycles kBound = 1'000'000;
constexpr double kMostPolls = 0.4;  // of those without parts
// A round of sixteen polls, one of the engine, and what was asked in between.
constexpr Cycles kMostLater = 2'500;

struct Seen {
  std::array<Cycles, kCounters> posted{};
  std::array<Cycles, kCounters> found{};
  PollCounts counts;
  [[nodiscard]] Cycles latest() const {
    Cycles latest = 0;
    for (std::uint32_t k = 0; k < kCounters; ++k) {
      latest = std::max(latest, found.at(k) - std::min(posted.at(k), found.at(k)));
    }
    return latest;
  }
};

CounterId counter(std::uint32_t k) { return {k}; }

void set_up(Device& device) {
  RawNode node(device);
  node.open_region(kRegion, kData, 2 * kCounters * kBytes);
  node.open_queue(kQueue, kRing, kSlots, QueueMode::kDoorbell);
  for (std::uint32_t k = 0; k < kCounters; ++k) {
    node.open_counter(counter(k), true);
    node.preload(counter(k), kBytes);
  }
  node.clear_causes(node.causes());
}

// Posts a put now and then, and asks for what the node before has put.
class Waiter {
 public:
  Waiter(Device& device, std::uint64_t seed, bool as_parts, Seen& seen)
      : device_(device), node_(device), poller_(device), seen_(seen), random_(seed) {
    const ComponentId engine = poller_.add(polled::activity(device, {0}));
    for (std::uint32_t k = 0; k < kCounters; ++k) {
      Component part = polled::byte_counter(device, {0}, counter(k));
      if (as_parts) part.part_of = engine;
      ids_.at(k) = poller_.add(part);
    }
  }
  void run() {
    const Cycles deadline = device_.now() + kBound / 2;
    Cycles next = device_.now() + some_time();
    while ((posted_ != kCounters || left_ != 0) && device_.now() < deadline) {
      if (posted_ != kCounters && device_.now() >= next) {
        post();
        next = device_.now() + some_time();
      }
      ask();
      device_.compute(kRest);
    }
    seen_.counts = poller_.counts();
  }

 private:
  Cycles some_time() { return kBetween + random_.below(kBetween); }
  void post() {
    const Shape shape = device_.shape();
    const Coordinates to = shape.coordinates({(device_.node().value + 1) % shape.nodes()});
    node_.write_descriptor(
        kRing, kSlots, posted_,
        put_descriptor(to, {kRegion, posted_ * kBytes, kBytes}, kRegion,
                       (kCounters + posted_) * kBytes, {.counter = static_cast<int>(posted_)}));
    seen_.posted.at(posted_) = device_.now();
    node_.ring_doorbell(kQueue, ++posted_);
  }
  void ask() {
    poller_.begin_round();
    for (std::uint32_t k = 0; k < kCounters; ++k) {
      if (seen_.found.at(k) != 0) continue;
      if (must(poller_.request(ids_.at(k)), "request") != PollStatus::kActive) continue;
      seen_.found.at(k) = device_.now();
      --left_;
    }
    poller_.end_round();
  }

  Device& device_;
  RawNode node_;
  Poller poller_;
  Seen& seen_;
  Rng random_;
  std::array<ComponentId, kCounters> ids_{};
  std::uint32_t posted_ = 0;
  std::uint32_t left_ = kCounters;
};

// Of all nodes; nothing if the run did not end.
std::vector<Seen> wait_for_all(Stage& stage, bool as_parts) {
  stage.on_all_nodes(set_up);
  if (!stage.run(kBound)) return {};
  std::vector<Seen> seen(stage.shape().nodes());
  for (std::uint32_t n = 0; n < seen.size(); ++n) {
    const std::uint64_t seed = mix(stage.seed() * 1'000 + n);
    stage.add_core({n}, [&seen, n, seed, as_parts](Device& device) {
      Waiter(device, seed, as_parts, seen[n]).run();
    });
  }
  if (!stage.run(kBound)) return {};
  return seen;
}

// A put of a node is found by the next.
void check_found(const std::vector<Seen>& seen, Tally& found) {
  for (std::size_t n = 0; n < seen.size(); ++n) {
    for (std::uint32_t k = 0; k < kCounters; ++k) {
      found.expect(seen[n].found.at(k) != 0, [&] { return fmt::format("node {}: put {}", n, k); });
    }
  }
}

Cycles latest_of(const std::vector<Seen>& seen) {
  Cycles latest = 0;
  for (std::size_t n = 0; n < seen.size(); ++n) {
    Seen both = seen[n];
    both.posted = seen[(n + seen.size() - 1) % seen.size()].posted;
    latest = std::max(latest, both.latest());
  }
  return latest;
}

PollCounts counts_of(const std::vector<Seen>& seen) {
  PollCounts counts;
  for (const Seen& one : seen) counts += one.counts;
  return counts;
}

}  // namespace

void play_poll_parts(Stage& stage) {
  const Cycles start = stage.now();
  show_opening(
      stage, start,
      {"puts", {"register writes", "descriptors of requests", link_to_node_1(stage.shape())}},
      {"asks", {"requests received", "stores", "done in memory", "interrupt"}});
  const std::vector<Seen> alone = wait_for_all(stage, false);
  if (alone.empty()) return;
  const std::vector<Seen> parts = wait_for_all(stage, true);
  if (parts.empty()) return;
  Tally found("transfers");
  check_found(alone, found);
  check_found(parts, found);
  found.report(stage, "poll_parts.transfers_found");
  const Cycles late_alone = latest_of(alone), late_parts = latest_of(parts);
  stage.check(
      "poll_parts.found_as_soon",
      !stage.has_fixed_timing() || late_parts <= late_alone + kMostLater,
      fmt::format("at most {} cycles after the put, {} without parts", late_parts, late_alone));
  const PollCounts polls_alone = counts_of(alone), polls_parts = counts_of(parts);
  stage.check(
      "poll_parts.most_polls_saved",
      static_cast<double>(polls_parts.polls) <= kMostPolls * static_cast<double>(polls_alone.polls),
      fmt::format("{} polls, {} without parts", polls_parts.polls, polls_alone.polls));
  stage.say(
      fmt::format("{} transfers to each of {} nodes: {} polls with their counters as parts of "
                  "the DMA engine, of which {} found nothing; {} and {} with each by itself",
                  kCounters, stage.shape().nodes(), polls_parts.polls, polls_parts.empty,
                  polls_alone.polls, polls_alone.empty));
}

}  // namespace torusmu

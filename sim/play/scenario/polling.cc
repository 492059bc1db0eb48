// SPDX-License-Identifier: Apache-2.0
// polling: the same messages round a ring of all nodes under four policies of polling (US
// 7,958,274), a process of each node for each policy: every request polls, every fourth, by the
// history, by interrupt. It checks every byte, that the history saves most of what is polled in
// vain without making the messages later, and that a component that wakes after a long time is seen
// within its bound though the rule that its program has set at run time never polls.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "sim/machine/mix.h"
#include "sim/machine/profile.h"
#include "sim/play/must.h"
#include "sim/play/scenario/checks.h"
#include "sim/play/scenario/scenarios.h"
#include "torusmu/context.h"
#include "torusmu/setup.h"

namespace torusmu {
namespace {

constexpr std::array kPolicies{"always", "every-4", "heuristic", "interrupt"};
constexpr std::size_t kAlways = 0, kEveryFourth = 1, kHeuristic = 2, kInterrupt = 3;
constexpr std::uint32_t kRounds = 96, kBriefRounds = 24;
constexpr Bytes kShort = 64, kLong = 2000;
constexpr Cycles kBound = 20'000'000;  // of an act
constexpr Cycles kLinger = 30'000;
constexpr Cycles kUsual = 10'000;     // under the rule of its process
constexpr Cycles kDormant = 100'000;  // that the component does nothing
constexpr Cycles kLongestGap = 4'000;
constexpr Cycles kSeenAfter = 1'000;  // for the put, and for what the core does before it asks
constexpr double kMostEmptyShare = 0.30, kMostMedian = 1.10, kMostP99 = 1.30;
constexpr double kRoundOff = 30;  // cycles: a poll more, where messages take a few hundred

// A rule of the program: not a poll of its own accord.
class Never final : public PollRule {
 public:
  bool is_satisfied(const ActivityHistory& /*history*/, Cycles /*now*/) override { return false; }
  [[nodiscard]] Cycles due(const ActivityHistory& /*history*/) const override {
    return std::numeric_limits<Cycles>::max();
  }
};

// What one node has found out; only its own core writes it.
struct Node {
  std::vector<Cycles> sent, posted, complete;
  std::vector<bool> right;
  PollCounts counts;
  Cycles bumped = 0;   // its put has been delivered
  Cycles seen = 0;     // the bump of the node before
  PollCounts usual;    // of the component that is bumped, before it has a rule of its own
  PollCounts dormant;  // and at the end
};

struct Outcome {
  PollCounts counts;
  Cycles median = 0, p99 = 0;
};

class Play {
 public:
  explicit Play(Stage& stage)
      : stage_(stage), rounds_(stage.is_brief() ? kBriefRounds : kRounds), plan_(plan_of(stage)) {}

  bool set_up() {
    stage_.on_all_nodes([this](Device& device) { must(NodeSetup(device, plan_).run(), "set-up"); });
    return stage_.run(kBound);
  }

  bool play(std::size_t policy) {
    nodes_.assign(stage_.shape().nodes(), {});
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      stage_.add_core({n}, [this, n, policy](Device& device) {
        run(nodes_[n], device, static_cast<std::uint32_t>(policy));
      });
    }
    return stage_.run(kBound);
  }

  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }

  [[nodiscard]] Outcome outcome() const {
    Outcome outcome;
    std::vector<Cycles> latencies;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const Node& node = nodes_[n];
      outcome.counts += node.counts;
      const Node& before = nodes_[(n + nodes_.size() - 1) % nodes_.size()];
      for (std::size_t k = 0; k < node.complete.size(); ++k) {
        const Cycles start = std::max(before.sent[k], node.posted[k]);
        latencies.push_back(node.complete[k] - std::min(start, node.complete[k]));
      }
    }
    std::sort(latencies.begin(), latencies.end());
    if (latencies.empty()) return outcome;
    outcome.median = latencies[(latencies.size() - 1) / 2];
    outcome.p99 = latencies[(latencies.size() - 1) * 99 / 100];
    return outcome;
  }

 private:
  static NodePlan plan_of(Stage& stage) {
    PlanOptions options;
    options.clients = kPolicies.size();
    options.fifo_slots = 256;
    options.heap_bytes = Bytes{64} << 10;
    options.buffer_bytes = Bytes{64} << 10;
    return must(NodePlan::make(stage.shape(), kProfile, stage.memory({0}).size(), options), "plan");
  }

  // Bursts, and a long time of computing between them.
  [[nodiscard]] Cycles pause(std::uint32_t node, std::uint32_t round) const {
    constexpr std::uint32_t kBurst = 8;
    const std::uint64_t drawn = mix(stage_.seed() * 1'000'003 + std::uint64_t{node} * 1009 + round);
    return round % kBurst == 0 ? 5'000 + drawn % 20'000 : drawn % 1'000;
  }
  static Bytes length_of(std::uint32_t round) { return round % 4 == 3 ? kLong : kShort; }
  [[nodiscard]] std::vector<std::byte> message(std::uint32_t task, std::uint32_t round) const {
    std::vector<std::byte> data(length_of(round));
    for (std::size_t i = 0; i < data.size(); ++i) {
      data[i] = static_cast<std::byte>(
          mix(stage_.seed() + std::uint64_t{task} * 8191 + std::uint64_t{round} * 131 + i));
    }
    return data;
  }

  void run(Node& own, Device& device, std::uint32_t policy) {
    ContextOptions options;
    options.polling = must(polling_of(kPolicies.at(policy)), "policy");
    Context context(device, plan_, {policy}, options);
    const std::uint32_t nodes = plan_.shape().nodes();
    const std::uint32_t self = device.node().value;
    const Task next = plan_.task({{(self + 1) % nodes}, {policy}});
    const Task before = plan_.task({{(self + nodes - 1) % nodes}, {policy}});
    const Address out = must(context.take_heap(kLong), "heap");
    const Address in = must(context.take_heap(kLong), "heap");
    for (std::uint32_t k = 0; k < rounds_; ++k) {
      device.compute(pause(self, k));
      device.store(out, message(context.task().value, k));
      own.posted.push_back(device.now());
      const auto receive = must(context.receive(before, 1, in, kLong), "receive");
      own.sent.push_back(device.now());
      const auto send = must(context.send(next, 1, out, length_of(k)), "send");
      const Completion done = must(context.wait(receive, device.now() + kBound), "wait");
      must(done.error, "message");
      own.complete.push_back(done.at);
      must(context.wait(send, device.now() + kBound).error(), "wait");
      const std::vector<std::byte> wanted = message(before.value, k);
      std::vector<std::byte> found(wanted.size());
      device.load(in, found);
      own.right.push_back(found == wanted && done.length == wanted.size());
    }
    own.counts = context.poller().counts();
    if (policy == kHeuristic) wake_a_component(own, context, next);
    must(context.flush(device.now() + kBound), "flush");
    must(context.linger(kLinger), "linger");
  }

  // An event counter that the node before bumps after a long time.
  void wake_a_component(Node& own, Context& context, Task next) {
    Device& device = context.device();
    const Place here = plan_.place(context.task());
    Component dormant =
        polled::event_counter(device, here.client, plan_.event_counter(here.client, 0));
    dormant.watched = true;
    dormant.longest_gap = kLongestGap;
    dormant.poll = [poll = dormant.poll, &device, &own] {
      const PollResult result = poll();
      if (result == PollResult::kActivity) own.seen = device.now();
      return result;
    };
    const ComponentId id = context.poller().add(dormant);
    (void)context.linger(kUsual);
    own.usual = must(context.poller().history(id), "history")->counts();
    must(context.poller().set_rule(id, std::make_unique<Never>()), "rule");
    (void)context.linger(kDormant);
    // The first piece of heap of every task lies at the same place.
    const Address from = plan_.heap(here.client).address;
    RemoteMemory to = must(context.name_memory(from, 8), "name");
    to.task = next;
    PutOptions bump;
    bump.notify = Notify::kDelivered;
    bump.event = plan_.event_counter(plan_.place(next).client, 0);
    const auto put = must(context.put(to, from, 8, bump), "put");
    must(context.wait(put, device.now() + kBound).error(), "put");
    own.bumped = device.now();
    must(context.advance_until([&own] { return own.seen != 0; }, device.now() + kBound), "bump");
    own.dormant = must(context.poller().history(id), "history")->counts();
    must(context.poller().remove(id), "remove");
  }

  Stage& stage_;
  std::uint32_t rounds_;
  NodePlan plan_;
  std::vector<Node> nodes_;
};

void check_bound(Stage& stage, const std::vector<Node>& nodes) {
  Tally seen("bumps seen in time"), rules("rules");
  Cycles latest = 0;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const Cycles bumped = nodes[(n + nodes.size() - 1) % nodes.size()].bumped;
    const Cycles late = nodes[n].seen - std::min(nodes[n].seen, bumped);
    latest = std::max(latest, late);
    seen.expect(nodes[n].seen != 0 && late <= kLongestGap + kSeenAfter,
                [&] { return fmt::format("node {}: {} cycles later", n, late); });
    const PollCounts &usual = nodes[n].usual, &dormant = nodes[n].dormant;
    rules.expect(usual.polls > usual.overruled && dormant.polls > usual.polls &&
                     dormant.polls - usual.polls == dormant.overruled - usual.overruled,
                 [&] {
                   return fmt::format("node {}: {} polls, {} overruled, then {} and {}", n,
                                      usual.polls, usual.overruled, dormant.polls,
                                      dormant.overruled);
                 });
  }
  rules.report(stage, "polling.rule_that_is_set_at_run_time_decides");
  seen.report(stage, "polling.bound_overrules_a_rule_that_never_polls");
  stage.say(fmt::format("a rule that never polls, a bound of {} cycles: seen after at most {}",
                        kLongestGap, latest));
}

void compare(Stage& stage, const Outcome& always, const Outcome& heuristic) {
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return static_cast<double>(part) / static_cast<double>(std::max<std::uint64_t>(whole, 1));
  };
  const double empty = share(heuristic.counts.empty, always.counts.empty);
  stage.check("polling.heuristic_saves_empty_polls", empty <= kMostEmptyShare,
              fmt::format("{} empty polls, {} if every request polls", heuristic.counts.empty,
                          always.counts.empty));
  const auto is_late = [](Cycles found, Cycles wanted, double most) {
    return static_cast<double>(found) > most * static_cast<double>(wanted) + kRoundOff;
  };
  stage.check("polling.heuristic_adds_little_latency",
              !is_late(heuristic.median, always.median, kMostMedian) &&
                  !is_late(heuristic.p99, always.p99, kMostP99),
              fmt::format("median {} cycles, {} if every request polls; 99 of 100 {} and {}",
                          heuristic.median, always.median, heuristic.p99, always.p99));
}

// The first message of node 0 to node 1, from the call that sends it to the poll that finds it.
void show_first_message(Stage& stage, const std::vector<Node>& nodes) {
  constexpr Cycles kAround = 200;
  const Node& receiver = nodes[1 % nodes.size()];
  const Cycles sent = nodes[0].sent.front();
  const Cycles complete = receiver.complete.front();
  const std::vector<std::string> groups{"register writes", "descriptors of requests",
                                        "requests received", "stores"};
  Act act;
  act.from = std::min(sent, complete) - kAround;
  act.to = std::max(sent, complete) + kAround;
  act.actors.push_back({{0}, "sends", groups});
  if (nodes.size() > 1) act.actors.push_back({{1}, "receives", groups});
  act.marks = {{sent, "node 0 sends"}, {complete, "a poll of node 1 has found it"}};
  stage.show(act);
}

void check_nodes(const std::vector<Node>& nodes, std::size_t policy, Tally& bytes, Tally& sums) {
  const auto name = [policy] { return kPolicies.at(policy); };
  for (const Node& node : nodes) {
    for (const bool right : node.right) bytes.expect(right, name);
    sums.expect(node.counts.polls + node.counts.skipped == node.counts.requests &&
                    node.counts.empty <= node.counts.polls &&
                    (policy != kAlways || node.counts.skipped == 0),
                name);
  }
}

void say_table(Stage& stage, const std::vector<Outcome>& outcomes) {
  stage.say(fmt::format("  {:<10} {:>8} {:>8} {:>8} {:>8} {:>18}  {}", "", "requests", "polls",
                        "empty", "skipped", "cycles for nothing", "latency 50 %, 99 %"));
  for (std::size_t policy = 0; policy < outcomes.size(); ++policy) {
    const PollCounts& counts = outcomes[policy].counts;
    stage.say(fmt::format("  {:<10} {:>8} {:>8} {:>8} {:>8} {:>18}  {}, {}", kPolicies.at(policy),
                          counts.requests, counts.polls, counts.empty, counts.skipped,
                          counts.empty_cycles + counts.skipped_cycles, outcomes[policy].median,
                          outcomes[policy].p99));
  }
}

}  // namespace

void play_polling(Stage& stage) {
  Play play(stage);
  if (!play.set_up()) return;
  Tally bytes("messages");
  Tally sums("counts");
  std::vector<Outcome> outcomes(kPolicies.size());
  // That of the history first: waves begin with it.
  for (const std::size_t policy : {kHeuristic, kAlways, kEveryFourth, kInterrupt}) {
    if (!play.play(policy)) return;
    check_nodes(play.nodes(), policy, bytes, sums);
    outcomes[policy] = play.outcome();
    if (policy != kHeuristic) continue;
    show_first_message(stage, play.nodes());
    check_bound(stage, play.nodes());
  }
  say_table(stage, outcomes);
  bytes.report(stage, "polling.bytes");
  sums.report(stage, "polling.requests_poll_or_are_skipped");
  compare(stage, outcomes[kAlways], outcomes[kHeuristic]);
}

}  // namespace torusmu

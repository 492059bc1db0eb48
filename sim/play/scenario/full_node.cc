// SPDX-License-Identifier: Apache-2.0
// full-node: as many processes as a node has pages for, each in four groups, and every collective
// of each of these run by the MU. The groups are of all tasks, of those of the node, of the same
// client of all nodes, and of every second task.
#include "sim/play/scenario/full_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/src/schedule.h"
#include "sim/machine/mix.h"
#include "sim/machine/profile.h"
#include "sim/play/must.h"
#include "sim/play/scenario/checks.h"
#include "sim/play/scenario/opening.h"
#include "sim/play/scenario/scenarios.h"
#include "torusmu/collectives.h"
#include "torusmu/setup.h"

namespace torusmu {
namespace {

using Words = std::vector<std::uint64_t>;

constexpr Cycles kBound = 100'000'000;
constexpr Cycles kMostLate = 5'000;  // to a barrier, which must not end before
constexpr Cycles kQuiet = 25'000;    // until the messages of before have all been acknowledged
constexpr std::uint32_t kGroups = 4;
constexpr std::uint32_t kRounds = 9;  // so that each group makes each call
constexpr Bytes kWord = sizeof(std::uint64_t);
// Words of a vector: short, and so long that software would send it in blocks round the ring.
constexpr std::array<std::uint64_t, 2> kLengths{3, 160};

// One call of a group, with what its members give and get: integers, whose sums have one value.
class SharedCall {
 public:
  SharedCall(std::uint32_t group, std::uint32_t round, std::uint32_t members, std::uint64_t seed)
      : what_(static_cast<Collective>((group + round) % kRounds)),
        members_(members),
        root_(static_cast<std::uint32_t>(mix(seed + round) % members)),
        words_(kLengths.at((group + round) % kLengths.size())),
        seed_(mix(seed * 1'000 + group * kRounds + round)) {}

  [[nodiscard]] bool is_barrier() const { return what_ == Collective::kBarrier; }
  // Words that a member gives, of a broadcast the root alone.
  [[nodiscard]] Words given(std::uint32_t member) const {
    const bool to_each = what_ == Collective::kScatter || what_ == Collective::kAlltoall ||
                         what_ == Collective::kReduceScatter;
    const bool gives =
        (what_ != Collective::kBroadcast && what_ != Collective::kScatter) || member == root_;
    Words words;
    if (is_barrier() || !gives) return words;
    for (std::uint64_t i = 0; i < words_ * (to_each ? members_ : 1); ++i) {
      words.push_back(mix(seed_ + member * 100'003 + i));
    }
    return words;
  }
  [[nodiscard]] Words gets(std::uint32_t member) const {
    switch (what_) {
      case Collective::kBarrier:
        return {};
      case Collective::kBroadcast:
        return given(root_);
      case Collective::kReduce:
        return member == root_ ? sum() : Words{};
      case Collective::kAllreduce:
        return sum();
      case Collective::kScatter:
        return piece(given(root_), member);
      case Collective::kGather:
        return member == root_ ? joined() : Words{};
      case Collective::kAllgather:
        return joined();
      case Collective::kReduceScatter:
        return piece(sum(), member);
      case Collective::kAlltoall:
        break;
    }
    Words all;
    for (std::uint32_t m = 0; m < members_; ++m) append(all, piece(given(m), member));
    return all;
  }
  [[nodiscard]] Result<CollectiveRequest> start(Group& group, Address in, Address out) const {
    const Operator op(ReduceOp::kSum, DataType::kU64);
    const Bytes bytes = words_ * kWord;
    switch (what_) {
      case Collective::kBarrier:
        return group.ibarrier();
      case Collective::kBroadcast:
        return group.ibroadcast(root_, out, bytes);
      case Collective::kReduce:
        return group.ireduce(root_, op, words_, in, out);
      case Collective::kAllreduce:
        return group.iallreduce(op, words_, in, out);
      case Collective::kScatter:
        return group.iscatter(root_, bytes, in, out);
      case Collective::kGather:
        return group.igather(root_, bytes, in, out);
      case Collective::kAllgather:
        return group.iallgather(bytes, in, out);
      case Collective::kAlltoall:
        return group.ialltoall(bytes, in, out);
      case Collective::kReduceScatter:
        return group.ireduce_scatter(op, words_, in, out);
    }
    return Errc::kBadArgument;
  }
  // The buffer in which a member has what it gives.
  [[nodiscard]] bool gives_in_output() const { return what_ == Collective::kBroadcast; }

 private:
  static void append(Words& all, const Words& more) {
    all.insert(all.end(), more.begin(), more.end());
  }
  [[nodiscard]] Words piece(const Words& of, std::uint32_t number) const {
    const auto begin = of.begin() + static_cast<std::ptrdiff_t>(number * words_);
    return {begin, begin + static_cast<std::ptrdiff_t>(words_)};
  }
  [[nodiscard]] Words joined() const {
    Words all;
    for (std::uint32_t m = 0; m < members_; ++m) append(all, given(m));
    return all;
  }
  [[nodiscard]] Words sum() const {
    Words all = given(0);
    for (std::uint32_t m = 1; m < members_; ++m) {
      const Words other = given(m);
      for (std::size_t i = 0; i < all.size(); ++i) all[i] += other[i];
    }
    return all;
  }

  Collective what_;
  std::uint32_t members_, root_;
  std::uint64_t words_, seed_;
};

// Of one call at one member.
struct Outcome {
  bool by_mu = false;
  Cycles begun = 0, ended = 0;
  std::string wrong;
};

class FullNodes {
 public:
  explicit FullNodes(Stage& stage) : stage_(stage), plan_(plan_for(stage)) {
    outcomes_.resize(plan_.tasks());
    for (std::uint32_t t = 0; t < plan_.tasks(); ++t) {
      outcomes_[t].resize(std::size_t{kGroups} * kRounds);
    }
  }

  FullNodeResult play() {
    FullNodeResult result;
    stage_.on_all_nodes([this](Device& device) { must(NodeSetup(device, plan_).run(), "set-up"); });
    if (!stage_.run(kBound)) return result;
    const std::vector<std::string> groups{"register writes", "descriptors of requests",
                                          "queues that wait", "requests received"};
    show_opening(stage_, stage_.now(), {"all its tasks", groups}, {"all its tasks", groups});
    for (std::uint32_t t = 0; t < plan_.tasks(); ++t) {
      stage_.add_core(plan_.place({t}).node, [this, t](Device& device) { be(device, {t}); });
    }
    result.ended = stage_.run(kBound);
    if (result.ended) judge(result);
    return result;
  }

  [[nodiscard]] const NodePlan& plan() const { return plan_; }

 private:
  static NodePlan plan_for(Stage& stage) {
    PlanOptions options;
    options.clients = kProfile.clients;
    options.offload_groups = kGroups;
    // Two of the longest vectors: what comes, and the output.
    const Bytes tasks = Bytes{stage.shape().nodes()} * options.clients;
    // Of each other member a send, a receive and a sum.
    options.offload_slots =
        std::max(options.offload_slots, 4 * stage.shape().nodes() * options.clients);
    options.offload_window = 4096 + 3 * kLengths.back() * kWord * tasks;
    options.heap_bytes = kGroups * 2 * buffer_bytes(tasks);
    return must(NodePlan::make(stage.shape(), kProfile, stage.memory({0}).size(), options), "plan");
  }
  static Bytes buffer_bytes(Bytes tasks) { return tasks * kLengths.back() * kWord; }

  // All tasks, those of the node, the same client of all nodes, every second task.
  [[nodiscard]] std::vector<Task> members_of(std::uint32_t group, Task self) const {
    std::vector<Task> members;
    for (std::uint32_t t = 0; t < plan_.tasks(); ++t) {
      const Place own = plan_.place(self), other = plan_.place({t});
      const bool in = group == 0 || (group == 1 && own.node == other.node) ||
                      (group == 2 && own.client == other.client) ||
                      (group == 3 && t % 2 == self.value % 2);
      if (in) members.push_back({t});
    }
    return members;
  }

  struct Buffers {
    Address in, out;
  };

  void be(Device& device, Task self) {
    Context context(device, plan_, plan_.place(self).client);
    std::vector<std::unique_ptr<Group>> groups;
    std::vector<Buffers> buffers;
    for (std::uint32_t g = 0; g < kGroups; ++g) {
      groups.push_back(std::make_unique<Group>(context, members_of(g, self), g, RunBy::kMu));
      const Bytes bytes = buffer_bytes(plan_.tasks());
      buffers.push_back(
          {must(context.take_heap(bytes), "heap"), must(context.take_heap(bytes), "heap")});
    }
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      std::vector<CollectiveRequest> open;
      for (std::uint32_t g = 0; g < kGroups; ++g) {
        open.push_back(begin(*groups[g], device, self, {g, round}, buffers[g]));
      }
      for (std::uint32_t g = 0; g < kGroups; ++g) {
        must(groups[g]->wait(open[g], device.now() + kBound), "wait");
        end(*groups[g], device, self, {g, round}, buffers[g]);
      }
    }
    must(context.flush(device.now() + kBound), "flush");
    must(context.linger(kQuiet), "linger");
  }

  struct Number {
    std::uint32_t group, round;
  };
  [[nodiscard]] SharedCall call_of(Number number, const Group& group) const {
    return {number.group, number.round, group.size(), stage_.seed()};
  }
  Outcome& outcome(Task self, Number number) {
    return outcomes_[self.value][number.round * kGroups + number.group];
  }

  CollectiveRequest begin(Group& group, Device& device, Task self, Number number,
                          const Buffers& buffers) {
    const SharedCall call = call_of(number, group);
    const Words words = call.given(group.rank());
    if (!words.empty()) {
      stage_.memory(plan_.place(self).node)
          .write(call.gives_in_output() ? buffers.out : buffers.in,
                 std::as_bytes(std::span(words)));
    }
    Outcome& own = outcome(self, number);
    if (call.is_barrier()) {
      device.compute(mix(stage_.seed() * 1'000 + number.group * 100 + self.value) % kMostLate);
    }
    own.begun = device.now();
    const CollectiveRequest request = must(call.start(group, buffers.in, buffers.out), "start");
    own.by_mu = group.is_run_by_mu(request);
    return request;
  }

  void end(const Group& group, Device& device, Task self, Number number, const Buffers& buffers) {
    Outcome& own = outcome(self, number);
    own.ended = device.now();
    const Words wanted = call_of(number, group).gets(group.rank());
    Words found(wanted.size());
    if (!found.empty()) {
      stage_.memory(plan_.place(self).node)
          .read(buffers.out, std::as_writable_bytes(std::span(found)));
    }
    const auto differs = std::mismatch(found.begin(), found.end(), wanted.begin()).first;
    if (differs == found.end()) return;
    own.wrong = fmt::format("task {}, group {}, round {}: word {}", self.value, number.group,
                            number.round, differs - found.begin());
  }

  void judge(FullNodeResult& result) {
    Tally right("results"), barriers("members"), by_mu("calls");
    std::vector<std::uint32_t> good(stage_.shape().nodes());
    for (std::uint32_t t = 0; t < plan_.tasks(); ++t) {
      bool all = true;
      for (std::uint32_t i = 0; i < kGroups * kRounds; ++i) {
        const Number number{i % kGroups, i / kGroups};
        const Outcome& own = outcomes_[t][i];
        right.expect(own.wrong.empty(), [&] { return own.wrong; });
        by_mu.expect(own.by_mu, [&] {
          return fmt::format("task {}, group {}, round {}", t, number.group, number.round);
        });
        result.calls += 1;
        result.by_mu += own.by_mu ? 1 : 0;
        all = all && own.by_mu && own.wrong.empty();
        judge_barrier(barriers, {t}, number);
      }
      good[plan_.place({t}).node.value] += all ? 1 : 0;
    }
    result.tasks_per_node = *std::min_element(good.begin(), good.end());
    result.groups_per_node = plan_.offload_groups() * plan_.options().clients;
    right.report(stage_, "full-node.right");
    barriers.report(stage_, "full-node.barriers_end_when_all_have_come");
    by_mu.report(stage_, "full-node.run_by_the_mu");
  }

  void judge_barrier(Tally& barriers, Task self, Number number) {
    const std::vector<Task> members = members_of(number.group, self);
    const auto count = static_cast<std::uint32_t>(members.size());
    if (!SharedCall(number.group, number.round, count, stage_.seed()).is_barrier()) return;
    Cycles last = 0;
    for (const Task member : members) last = std::max(last, outcome(member, number).begun);
    barriers.expect(outcome(self, number).ended >= last, [&] {
      return fmt::format("task {}, group {}, round {}", self.value, number.group, number.round);
    });
  }

  Stage& stage_;
  NodePlan plan_;
  std::vector<std::vector<Outcome>> outcomes_;  // by task
};

}  // namespace

FullNodeResult play_full_nodes(Stage& stage) {
  FullNodes nodes(stage);
  const FullNodeResult result = nodes.play();
  if (!result.ended) return result;
  stage.say(fmt::format(
      "{} tasks a node, {} groups each: a queue and {} counters of a group, of {} queues and {} "
      "counters of a node",
      result.tasks_per_node, kGroups, 2 * nodes.plan().offload_counters(),
      kProfile.injection_queues, kProfile.event_counters));
  stage.say(fmt::format("{} of {} calls of all members were run by the MU, in {} cycles",
                        result.by_mu, result.calls, stage.now()));
  return result;
}

void play_full_node(Stage& stage) { (void)play_full_nodes(stage); }

}  // namespace torusmu

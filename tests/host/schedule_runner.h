// SPDX-License-Identifier: Apache-2.0
// The schedules of all members of one collective at once: whether they keep to what schedule.h
// promises, and what they give in any order of steps.
#ifndef TESTS_HOST_SCHEDULE_RUNNER_H_
#define TESTS_HOST_SCHEDULE_RUNNER_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "host/src/schedule.h"
#include "host/src/translation.h"
#include "tests/host/collective_reference.h"
#include "tests/support/seed.h"

namespace torusmu::testing {

// All that a call may take, by software or by the MU.
inline std::vector<Algorithm> algorithms_of(const Call& call) {
  std::vector<Algorithm> algorithms;
  for (const AlgorithmRule& rule : algorithm_rules()) {
    if (rule.what != call.what) continue;
    algorithms.push_back(rule.shorter);
    if (rule.longer == rule.shorter || (rule.longer_commutes && !call.commutative)) continue;
    algorithms.push_back(rule.longer);
  }
  for (const MuRule& rule : mu_rules()) {
    const bool taken =
        std::find(algorithms.begin(), algorithms.end(), rule.algorithm) != algorithms.end();
    if (rule.what == call.what && taken) algorithms.push_back(rule.instead);
  }
  return algorithms;
}

// A call as some of its members make it in place.
inline Call as_made_by(Call call, std::uint32_t rank) {
  call.in_place = call.in_place && may_be_in_place(call, rank);
  return call;
}

// All steps of all members, as nodes of one graph: those that a step comes after, and a receive
// after its send. Empty, and a failure, if messages do not pair up.
class Steps {
 public:
  explicit Steps(const std::vector<Schedule>& schedules) {
    using Message = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // from, to, number
    std::map<Message, std::size_t> sends;
    std::map<Message, std::size_t> receives;
    for (std::uint32_t member = 0; member < schedules.size(); ++member) {
      first_.push_back(size());
      std::map<std::pair<std::uint32_t, bool>, std::uint32_t> next;
      for (const Step& step : schedules[member].steps) {
        const std::size_t node = size();
        std::vector<std::size_t> before;
        for (const std::uint32_t earlier : step.after) {
          EXPECT_LT(first_.back() + earlier, node);
          before.push_back(first_.back() + earlier);
        }
        EXPECT_TRUE(std::is_sorted(before.begin(), before.end()));
        before_.push_back(std::move(before));
        steps_.push_back(&step);
        members_.push_back(member);
        const bool sends_it = step.kind == Step::Kind::kSend;
        if (!sends_it && step.kind != Step::Kind::kReceive) continue;
        const std::uint32_t number = next[{step.member, sends_it}]++;
        EXPECT_EQ(step.number, number);
        EXPECT_NE(step.member, member);
        if (sends_it) {
          sends[{member, step.member, number}] = node;
        } else {
          EXPECT_TRUE(step.after.empty());
          receives[{step.member, member, number}] = node;
        }
      }
    }
    EXPECT_EQ(sends.size(), receives.size());
    for (const auto& [message, send] : sends) {
      const auto found = receives.find(message);
      if (found == receives.end()) {
        ADD_FAILURE() << "a message that nobody receives";
        continue;
      }
      EXPECT_EQ(steps_[send]->first.bytes, steps_[found->second]->to.bytes);
      before_[found->second].push_back(send);
      send_of_[found->second] = send;
    }
  }

  [[nodiscard]] std::size_t size() const { return steps_.size(); }
  [[nodiscard]] const Step& step(std::size_t node) const { return *steps_[node]; }
  [[nodiscard]] std::uint32_t member(std::size_t node) const { return members_[node]; }
  [[nodiscard]] const std::vector<std::size_t>& before(std::size_t node) const {
    return before_[node];
  }
  [[nodiscard]] std::size_t send_of(std::size_t receive) const { return send_of_.at(receive); }

  // Nodes in an order that the graph allows, drawn by chance.
  std::vector<std::size_t> any_order(Random& random) const {
    std::vector<std::size_t> open(size());
    std::vector<std::vector<std::size_t>> after(size());
    std::vector<std::size_t> ready;
    for (std::size_t node = 0; node < size(); ++node) {
      open[node] = before_[node].size();
      for (const std::size_t earlier : before_[node]) after[earlier].push_back(node);
      if (open[node] == 0) ready.push_back(node);
    }
    std::vector<std::size_t> order;
    while (!ready.empty()) {
      std::swap(ready[random.below(ready.size())], ready.back());
      const std::size_t node = ready.back();
      ready.pop_back();
      order.push_back(node);
      for (const std::size_t later : after[node]) {
        if (--open[later] == 0) ready.push_back(later);
      }
    }
    return order;
  }

 private:
  std::vector<std::size_t> first_;  // node of each member's first step
  std::vector<const Step*> steps_;
  std::vector<std::uint32_t> members_;
  std::vector<std::vector<std::size_t>> before_;
  std::map<std::size_t, std::size_t> send_of_;
};

inline std::vector<Schedule> compile_all(const Call& call, Algorithm algorithm,
                                         std::uint32_t members) {
  std::vector<Schedule> schedules;
  for (std::uint32_t rank = 0; rank < members; ++rank) {
    schedules.push_back(compile(as_made_by(call, rank), algorithm, members, rank));
  }
  return schedules;
}

inline bool overlap(const Part& a, const Part& b) {
  return a.bytes != 0 && b.bytes != 0 && a.buffer == b.buffer && a.offset < b.offset + b.bytes &&
         b.offset < a.offset + a.bytes;
}

inline bool disturb(const Step& a, const Step& b) {
  return overlap(a.to, b.to) || overlap(a.to, b.first) || overlap(a.to, b.second) ||
         overlap(b.to, a.first) || overlap(b.to, a.second);
}

inline constexpr std::size_t kMostNodes = 8192;

// Which nodes are over before each begins.
inline std::vector<std::bitset<kMostNodes>> all_before(const Steps& steps) {
  EXPECT_LE(steps.size(), kMostNodes);
  Random random(1);
  std::vector<std::bitset<kMostNodes>> before(steps.size());
  const auto order = steps.any_order(random);
  EXPECT_EQ(order.size(), steps.size()) << "steps wait for each other in a circle";
  for (const std::size_t node : order) {
    for (const std::size_t earlier : steps.before(node)) {
      before[node] |= before[earlier];
      before[node].set(earlier);
    }
  }
  return before;
}

// Steps of a member that touch the same bytes, one of them writing, come after each other.
inline void expect_no_races(const Steps& steps) {
  const auto before = all_before(steps);
  for (std::size_t a = 0; a < steps.size(); ++a) {
    for (std::size_t b = a + 1; b < steps.size() && steps.member(b) == steps.member(a); ++b) {
      if (!disturb(steps.step(a), steps.step(b))) continue;
      ASSERT_TRUE(before[b].test(a) || before[a].test(b))
          << "steps " << a << " and " << b << " of member " << steps.member(a);
    }
  }
}

// Each member's last step of all depends on a step of every other.
inline void expect_all_heard_from(const std::vector<Schedule>& schedules) {
  const Steps steps(schedules);
  const auto before = all_before(steps);
  std::vector<std::set<std::uint32_t>> known(schedules.size());
  for (std::size_t node = 0; node < steps.size(); ++node) {
    for (std::size_t earlier = 0; earlier < steps.size(); ++earlier) {
      if (before[node].test(earlier)) known[steps.member(node)].insert(steps.member(earlier));
    }
  }
  for (std::uint32_t member = 0; member < schedules.size(); ++member) {
    known[member].insert(member);
    EXPECT_EQ(known[member].size(), schedules.size()) << "member " << member;
  }
}

// As the MU runs them: what follows comes behind all that the collective itself does. Empty if they
// are not to be taken in turn but should be.
inline std::vector<Schedule> run_by_mu(const Call& call, Algorithm algorithm, std::uint32_t members,
                                       bool in_turn) {
  std::vector<Schedule> schedules;
  for (std::uint32_t rank = 0; rank < members; ++rank) {
    MemberView view =
        view_of(call, algorithm, members, rank, in_turn ? 1 : NodePlan::kMostOffloadCounters);
    if (in_turn && !view.schedule.in_turn) return {};
    std::vector<Step>& steps = view.schedule.steps;
    std::vector<std::uint32_t> all(steps.size());
    std::iota(all.begin(), all.end(), 0U);
    std::map<std::uint32_t, std::uint32_t> sent;
    for (const Step& step : steps) sent[step.member] += step.kind == Step::Kind::kSend ? 1 : 0;
    for (Step step : view.behind.steps) {
      for (std::uint32_t& earlier : step.after) earlier += static_cast<std::uint32_t>(all.size());
      if (step.kind == Step::Kind::kSend) {
        step.after.insert(step.after.begin(), all.begin(), all.end());
        step.number += sent[step.member];
      }
      steps.push_back(std::move(step));
    }
    schedules.push_back(std::move(view.schedule));
  }
  return schedules;
}

struct Memory {
  Data in, out, scratch;

  std::span<std::byte> at(const Part& part) {
    Data& data = part.buffer == Buffer::kIn ? in : part.buffer == Buffer::kOut ? out : scratch;
    if (part.offset + part.bytes > data.size()) throw std::out_of_range("part past its buffer");
    return std::span(data).subspan(part.offset, part.bytes);
  }
};

inline Memory memory_of(const Call& call, const Schedule& schedule, const Data& input,
                        std::uint32_t members, std::uint32_t rank) {
  Memory memory;
  memory.in = input;
  memory.out = noise(99, output_bytes(call, members, rank));
  memory.scratch = noise(98, schedule.scratch_bytes);
  if (call.what == Collective::kBroadcast && rank == call.root) memory.out = input;
  if (!as_made_by(call, rank).in_place || call.what == Collective::kScatter) return memory;
  const Bytes own = place_of_own(call, rank);
  memory.out.resize(std::max(memory.out.size(), own + input.size()));
  std::copy(input.begin(), input.end(), memory.out.begin() + static_cast<std::ptrdiff_t>(own));
  memory.in.clear();
  return memory;
}

// Output of a member; of a scatter in place it lies in the input.
inline Data output_in(const Call& call, Memory memory, std::uint32_t members, std::uint32_t rank) {
  const Bytes bytes = output_bytes(call, members, rank);
  const bool swapped = as_made_by(call, rank).in_place && call.what == Collective::kScatter;
  const Part part{swapped ? Buffer::kIn : Buffer::kOut, swapped ? place_of_own(call, rank) : 0,
                  bytes};
  const auto output = memory.at(part);
  return {output.begin(), output.end()};
}

// Runs the steps in the order. Data is stored when its receive has its turn or, with `at_once`, the
// moment it is sent, as a MU does that asks nobody.
inline void run(const Steps& steps, const std::vector<std::size_t>& order, bool at_once,
                const Operator& op, std::vector<Memory>* memories) {
  std::map<std::size_t, std::size_t> receive_of;
  for (std::size_t node = 0; node < steps.size(); ++node) {
    if (steps.step(node).kind == Step::Kind::kReceive) receive_of[steps.send_of(node)] = node;
  }
  std::map<std::size_t, Data> on_the_way;  // by receive
  const auto store = [&](std::size_t receive) {
    const auto to = (*memories)[steps.member(receive)].at(steps.step(receive).to);
    std::copy_n(on_the_way[receive].begin(), to.size(), to.begin());
  };
  for (const std::size_t node : order) {
    const Step& step = steps.step(node);
    Memory& memory = (*memories)[steps.member(node)];
    switch (step.kind) {
      case Step::Kind::kSend: {
        const auto from = memory.at(step.first);
        on_the_way[receive_of.at(node)] = Data(from.begin(), from.end());
        if (at_once) store(receive_of.at(node));
        break;
      }
      case Step::Kind::kReceive:
        if (!at_once) store(node);
        break;
      case Step::Kind::kCombine: {
        const auto first = memory.at(step.first);
        Data result(first.begin(), first.end());
        op.combine(result, memory.at(step.second));
        ASSERT_EQ(result.size(), step.to.bytes);
        std::copy(result.begin(), result.end(), memory.at(step.to).begin());
        break;
      }
      case Step::Kind::kCopy: {
        const auto from = memory.at(step.first);
        ASSERT_EQ(from.size(), step.to.bytes);
        const Data data(from.begin(), from.end());
        std::copy(data.begin(), data.end(), memory.at(step.to).begin());
        break;
      }
    }
  }
}

inline void expect_right(const Call& call, const Operator& op, Algorithm algorithm,
                         std::uint32_t members, Random& random) {
  const auto schedules = compile_all(call, algorithm, members);
  const Steps steps(schedules);
  if (::testing::Test::HasFailure()) return;
  std::vector<Data> inputs;
  for (std::uint32_t rank = 0; rank < members; ++rank) {
    inputs.push_back(input_of(call, members, rank, 1 + call.count));
  }
  const auto expected = outputs_of(call, op, algorithm, inputs);
  for (const bool at_once : {false, true}) {
    std::vector<Memory> memories;
    for (std::uint32_t rank = 0; rank < members; ++rank) {
      memories.push_back(memory_of(call, schedules[rank], inputs[rank], members, rank));
    }
    const std::vector<Memory> before = memories;
    const auto order = steps.any_order(random);
    ASSERT_EQ(order.size(), steps.size()) << "steps wait for each other in a circle";
    ASSERT_NO_FATAL_FAILURE(run(steps, order, at_once, op, &memories));
    for (std::uint32_t rank = 0; rank < members; ++rank) {
      ASSERT_EQ(memories[rank].in, before[rank].in) << "member " << rank;
      if (output_bytes(call, members, rank) == 0) continue;
      ASSERT_EQ(output_in(call, memories[rank], members, rank), expected[rank])
          << "member " << rank;
    }
  }
}

}  // namespace torusmu::testing

#endif  // TESTS_HOST_SCHEDULE_RUNNER_H_

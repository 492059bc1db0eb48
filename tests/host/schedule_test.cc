// SPDX-License-Identifier: Apache-2.0
// Schedules of collectives without a machine: what schedule.h promises of every schedule, and that
// any order of steps that it allows gives the right bytes.
#include "host/src/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <bitset>
#include <map>
#include <set>
#include <tuple>

#include "tests/host/collective_reference.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

std::vector<Algorithm> algorithms_of(const Call& call) {
  for (const AlgorithmRule& rule : algorithm_rules()) {
    if (rule.what != call.what) continue;
    if (rule.longer == rule.shorter) return {rule.shorter};
    if (rule.longer_commutes && !call.commutative) return {rule.shorter};
    return {rule.shorter, rule.longer};
  }
  return {};
}

// A call as some of its members make it in place.
Call as_made_by(Call call, std::uint32_t rank) {
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

std::vector<Schedule> compile_all(const Call& call, Algorithm algorithm, std::uint32_t members) {
  std::vector<Schedule> schedules;
  for (std::uint32_t rank = 0; rank < members; ++rank) {
    schedules.push_back(compile(as_made_by(call, rank), algorithm, members, rank));
  }
  return schedules;
}

bool overlap(const Part& a, const Part& b) {
  return a.bytes != 0 && b.bytes != 0 && a.buffer == b.buffer && a.offset < b.offset + b.bytes &&
         b.offset < a.offset + a.bytes;
}

bool disturb(const Step& a, const Step& b) {
  return overlap(a.to, b.to) || overlap(a.to, b.first) || overlap(a.to, b.second) ||
         overlap(b.to, a.first) || overlap(b.to, a.second);
}

constexpr std::size_t kMostNodes = 8192;

// Which nodes are over before each begins.
std::vector<std::bitset<kMostNodes>> all_before(const Steps& steps) {
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
void expect_no_races(const Steps& steps) {
  const auto before = all_before(steps);
  for (std::size_t a = 0; a < steps.size(); ++a) {
    for (std::size_t b = a + 1; b < steps.size() && steps.member(b) == steps.member(a); ++b) {
      if (!disturb(steps.step(a), steps.step(b))) continue;
      ASSERT_TRUE(before[b].test(a) || before[a].test(b))
          << "steps " << a << " and " << b << " of member " << steps.member(a);
    }
  }
}

struct Memory {
  Data in, out, scratch;

  std::span<std::byte> at(const Part& part) {
    Data& data = part.buffer == Buffer::kIn ? in : part.buffer == Buffer::kOut ? out : scratch;
    if (part.offset + part.bytes > data.size()) throw std::out_of_range("part past its buffer");
    return std::span(data).subspan(part.offset, part.bytes);
  }
};

Memory memory_of(const Call& call, const Schedule& schedule, const Data& input,
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
Data output_in(const Call& call, Memory memory, std::uint32_t members, std::uint32_t rank) {
  const Bytes bytes = output_bytes(call, members, rank);
  const bool swapped = as_made_by(call, rank).in_place && call.what == Collective::kScatter;
  const Part part{swapped ? Buffer::kIn : Buffer::kOut, swapped ? place_of_own(call, rank) : 0,
                  bytes};
  const auto output = memory.at(part);
  return {output.begin(), output.end()};
}

// Runs the steps in the order. Data is stored when its receive has its turn or, with `at_once`, the
// moment it is sent, as a MU does that asks nobody.
void run(const Steps& steps, const std::vector<std::size_t>& order, bool at_once,
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

void expect_right(const Call& call, const Operator& op, Algorithm algorithm, std::uint32_t members,
                  Random& random) {
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

std::vector<std::uint32_t> roots_of(Collective what, std::uint32_t members) {
  std::vector<std::uint32_t> roots;
  for (std::uint32_t root = 0; root < (has_root(what) ? members : 1); ++root) roots.push_back(root);
  return roots;
}

class Schedules : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  // Calls check(call, operator, algorithm) for every root, in place and not.
  template <typename Check>
  static void for_each(const std::vector<std::uint64_t>& counts, Check check) {
    for (const Collective what : kCollectives) {
      for (const bool commutes : {true, false}) {
        if (!commutes && !reduces(what)) continue;
        const Operator op = commutes ? Operator(ReduceOp::kSum, DataType::kF64) : composition();
        for (const std::uint64_t count : counts) {
          for (const std::uint32_t root : roots_of(what, GetParam())) {
            for (const bool in_place : {false, true}) {
              const Call call{.what = what,
                              .root = root,
                              .count = count,
                              .element = reduces(what) ? Bytes{8} : Bytes{1},
                              .commutative = commutes,
                              .in_place = in_place};
              for (const Algorithm algorithm : algorithms_of(call)) {
                SCOPED_TRACE(describe(call, algorithm, GetParam()));
                check(call, op, algorithm);
                if (::testing::Test::HasFailure()) return;
              }
            }
          }
        }
      }
    }
  }
};

TEST_P(Schedules, GiveTheRightBytesInAnyOrderOfSteps) {
  Random random;
  SCOPED_TRACE(random.replay());
  const std::uint64_t n = GetParam();
  for_each({0, 1, 7, n - 1, n, 3 * n + 2},
           [&](const Call& call, const Operator& op, Algorithm algorithm) {
             expect_right(call, op, algorithm, GetParam(), random);
           });
}

TEST_P(Schedules, NeverTouchBytesThatAnotherStepMayBeWriting) {
  for_each({2 * GetParam() + 1}, [](const Call& call, const Operator&, Algorithm algorithm) {
    const auto schedules = compile_all(call, algorithm, GetParam());
    const Steps steps(schedules);
    if (!::testing::Test::HasFailure()) expect_no_races(steps);
  });
}

TEST_P(Schedules, EndABarrierOnlyWhenAllMembersHaveBegun) {
  const std::uint32_t n = GetParam();
  const auto schedules = compile_all({.what = Collective::kBarrier}, Algorithm::kDissemination, n);
  const Steps steps(schedules);
  const auto before = all_before(steps);
  std::vector<std::set<std::uint32_t>> known(n);
  for (std::size_t node = 0; node < steps.size(); ++node) {
    for (std::size_t earlier = 0; earlier < steps.size(); ++earlier) {
      if (before[node].test(earlier)) known[steps.member(node)].insert(steps.member(earlier));
    }
  }
  for (std::uint32_t member = 0; member < n; ++member) {
    known[member].insert(member);
    EXPECT_EQ(known[member].size(), n) << "member " << member;
  }
}

TEST_P(Schedules, TakeNoMoreScratchThanCollectivesPromise) {
  constexpr Bytes kLine = 64;
  const std::uint64_t n = GetParam();
  const auto rounds = static_cast<std::uint64_t>(std::bit_width(n - 1));
  for_each({1, 63, 20'000}, [&](const Call& call, const Operator&, Algorithm) {
    for (std::uint32_t rank = 0; rank < n; ++rank) {
      const Schedule schedule =
          compile(as_made_by(call, rank), choose(call, GetParam()), GetParam(), rank);
      const Bytes piece = (call.count * call.element + kLine - 1) / kLine * kLine;
      const bool whole = call.what == Collective::kReduce || call.what == Collective::kAllreduce;
      const std::uint64_t pieces = whole ? 1 + rounds
                                   : call.what == Collective::kAlltoall
                                       ? n * std::max<std::uint64_t>(rounds, 1)
                                       : n;
      ASSERT_LE(schedule.scratch_bytes, pieces * piece);
    }
  });
}

// The same messages, whoever of the members has its input in its output.
TEST_P(Schedules, HaveTheSameMessagesInPlace) {
  for_each({5}, [](const Call& call, const Operator&, Algorithm algorithm) {
    Call other = call;
    other.in_place = !call.in_place;
    for (std::uint32_t rank = 0; rank < GetParam(); ++rank) {
      const auto messages = [&](const Call& made) {
        std::vector<std::tuple<Step::Kind, std::uint32_t, std::uint32_t, Bytes>> list;
        for (const Step& step :
             compile(as_made_by(made, rank), algorithm, GetParam(), rank).steps) {
          if (step.kind == Step::Kind::kSend || step.kind == Step::Kind::kReceive) {
            list.emplace_back(step.kind, step.member, step.number,
                              std::max(step.first.bytes, step.to.bytes));
          }
        }
        return list;
      };
      ASSERT_EQ(messages(call), messages(other));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Of, Schedules,
                         ::testing::Values(1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 16U, 27U));

TEST(Chains, PassSegmentsOn) {
  Random random;
  SCOPED_TRACE(random.replay());
  for (const Bytes bytes :
       {kChainSegment - 1, kChainSegment, kChainSegment + 1, 3 * kChainSegment}) {
    const Call call{.what = Collective::kBroadcast, .root = 2, .count = bytes};
    expect_right(call, {ReduceOp::kBor, DataType::kU8}, Algorithm::kChain, 5, random);
    const Schedule last = compile(call, Algorithm::kChain, 5, 1);
    EXPECT_EQ(last.steps.size(), (bytes + kChainSegment - 1) / kChainSegment);
  }
}

TEST(LargeGroups, OfSixtyFourAndMoreAreRight) {
  Random random;
  SCOPED_TRACE(random.replay());
  for (const std::uint32_t members : {64U, 100U}) {
    for (const Collective what : kCollectives) {
      const Call call{.what = what,
                      .root = has_root(what) ? 37U : 0U,
                      .count = 130,
                      .element = reduces(what) ? Bytes{8} : Bytes{1}};
      for (const Algorithm algorithm : algorithms_of(call)) {
        SCOPED_TRACE(describe(call, algorithm, members));
        expect_right(call, {ReduceOp::kSum, DataType::kF64}, algorithm, members, random);
      }
    }
  }
}

// Sums of integers do not depend on any order: all orders are sums of all operands.
TEST(Orders, OfIntegerSumsAreAllTheSum) {
  const Operator sum(ReduceOp::kSum, DataType::kI64);
  for (std::uint32_t n = 1; n <= 17; ++n) {
    Operands operands;
    std::vector<std::uint64_t> expected(n + 3);
    for (std::uint32_t member = 0; member < n; ++member) {
      operands.push_back(noise(member, expected.size() * 8));
      for (std::size_t i = 0; i < expected.size(); ++i) {
        std::uint64_t value = 0;
        std::memcpy(&value, &operands.back()[8 * i], 8);
        expected[i] += value;
      }
    }
    Data result(expected.size() * 8);
    std::memcpy(result.data(), expected.data(), result.size());
    EXPECT_EQ(tree_order(sum, n / 2, operands), result);
    EXPECT_EQ(doubling_order(sum, operands), result);
    EXPECT_EQ(ring_order(sum, operands), result);
    EXPECT_EQ(rising_order(sum, operands), result);
  }
}

// Else a test with doubles could not tell one order from another.
TEST(Orders, DifferInTheBitsOfDoubles) {
  const Operator sum(ReduceOp::kSum, DataType::kF64);
  Operands operands;
  for (std::uint32_t member = 0; member < 7; ++member) operands.push_back(doubles(member, 40));
  const std::vector<Data> results{tree_order(sum, 5, operands), tree_order(sum, 3, operands),
                                  doubling_order(sum, operands), ring_order(sum, operands),
                                  rising_order(sum, operands)};
  for (std::size_t a = 0; a < results.size(); ++a) {
    for (std::size_t b = a + 1; b < results.size(); ++b) EXPECT_NE(results[a], results[b]);
  }
}

TEST(Choice, ChangesExactlyAtTheRulesOfTheTable) {
  for (const AlgorithmRule& rule : algorithm_rules()) {
    if (rule.longer == rule.shorter) continue;
    for (const std::uint32_t members : {1U, 2U, 3U, 8U, 27U, 32U, 33U, 64U}) {
      const bool few = members <= rule.few;
      const Bytes least = std::max(rule.least_bytes, rule.least_share * members);
      Call call{.what = rule.what, .count = least - 1};
      EXPECT_EQ(choose(call, members), few ? rule.longer : rule.shorter) << name_of(rule.what);
      call.count = least;
      EXPECT_EQ(choose(call, members), rule.longer) << name_of(rule.what);
      call.commutative = false;
      EXPECT_EQ(choose(call, members), rule.longer_commutes ? rule.shorter : rule.longer)
          << name_of(rule.what);
    }
  }
}

TEST(Calls, AreRefusedIfTheirRootOrLengthIsOutOfRange) {
  EXPECT_TRUE(is_sound({.what = Collective::kReduce, .root = 4, .count = 1}, 5));
  EXPECT_FALSE(is_sound({.what = Collective::kReduce, .root = 5, .count = 1}, 5));
  EXPECT_FALSE(is_sound({.what = Collective::kAllreduce, .count = 1, .element = 0}, 5));
  // Sums of bytes that would wrap around.
  const std::uint64_t huge = ~std::uint64_t{0} / 8 + 2;
  EXPECT_FALSE(is_sound({.what = Collective::kAllreduce, .count = huge, .element = 8}, 5));
  EXPECT_TRUE(is_sound({.what = Collective::kAllreduce, .count = kMostCallBytes}, 5));
  EXPECT_FALSE(is_sound({.what = Collective::kAlltoall, .count = kMostCallBytes}, 5));
  EXPECT_TRUE(is_sound({.what = Collective::kAlltoall, .count = kMostCallBytes / 5}, 5));
}

}  // namespace
}  // namespace torusmu::testing

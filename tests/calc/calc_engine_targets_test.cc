// SPDX-License-Identifier: Apache-2.0
// model: Vmu_calc_engine mu_calc_engine
//
// The result of a CALC goes to targets of its list: which PUTs leave, when, and which lists are
// refused. The bench compares every PUT with the list.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/calc/calc_engine_fixture.h"

namespace torusmu::testing::calc_engine {
namespace {

namespace f = layout::fetched_descriptor;

class CalcTargets : public CalcEngine {
 protected:
  static PacketHeader target(std::uint64_t node, std::uint64_t offset = 0) {
    return PacketHeader().set<h::dst_x>(node).set<h::target>(9).set<h::offset>(offset);
  }
  static std::vector<PacketHeader> targets(unsigned count) {
    std::vector<PacketHeader> all;
    for (unsigned n = 0; n < count; ++n) all.push_back(target(n, 1000 * n));
    return all;
  }
  // Of adjacent elements, in the list or in the descriptor.
  Descriptor to(const std::vector<PacketHeader>& all, std::uint64_t length, unsigned operands,
                bool in_descriptor = false) {
    std::vector<Operand> list;
    for (unsigned n = 0; n < operands && !in_descriptor; ++n) {
      list.push_back(adjacent(kFirst, 512 * n, 4));
    }
    write_list(list, 0, {}, all);
    Descriptor descriptor = in_descriptor ? direct(Reduction::kSum, Element::kI32, length, operands)
                                          : calc(Reduction::kSum, Element::kI32, length, operands);
    return descriptor.set<d::source_region>(kList).set<d::targets>(all.size());
  }
};

TEST_F(CalcTargets, GetEachTheWholeResult) {
  fill(Reduction::kSum, Element::kI32);
  const CalcRun run = bench_.run(to(targets(3), 1024 + 4, 2));
  ASSERT_EQ(run.status, Status::kOk);
  ASSERT_EQ(run.puts.size(), 9U) << "three chunks";
  for (std::size_t n = 0; n < run.puts.size(); ++n) {
    const Descriptor put = run.puts[n].get<f::descriptor>();
    EXPECT_EQ(put.get<d::header>().get<h::dst_x>(), n % 3);
    EXPECT_EQ(put.get<d::header>().get<h::offset>(), 1000 * (n % 3) + 512 * (n / 3));
    EXPECT_EQ(put.get<d::length>(), n < 6 ? 512U : 4U);
  }
}

TEST_F(CalcTargets, AreUpToEightBehindSixteenOperandsAndEightSteps) {
  SCOPED_TRACE(random_.replay());
  fill(Reduction::kSum, Element::kI32);
  for (const bool full : {true, false}) {
    std::vector<Operand> list(16, adjacent(kFirst, 0, 4));
    std::vector<ReductionStep> steps = any_steps(random_, 4);
    steps.resize(full ? 8 : 1, steps[0]);
    write_list(list, 0x1000 - (24 + steps.size()) * 16, steps, targets(8));
    Descriptor descriptor = calc(Reduction::kSum, Element::kI32, 700, 16);
    descriptor.set<d::targets>(8).set<d::source_offset>(0x1000 - (24 + steps.size()) * 16);
    set_immediate(descriptor, CalcShape().set<s::steps>(steps.size()));
    EXPECT_EQ(status(descriptor), Status::kOk);
    descriptor.set<d::source_offset>(0x1000 - (24 + steps.size()) * 16 + 1);
    EXPECT_EQ(status(descriptor), Status::kRegionBounds) << "the last target is outside";
  }
}

TEST_F(CalcTargets, StandAloneInTheListIfOperandsStandInTheDescriptor) {
  fill(Reduction::kSum, Element::kI32);
  for (const unsigned operands : {1U, 2U}) {
    for (unsigned count = 0; count <= 8; ++count) {
      const CalcRun run = bench_.run(to(targets(count), 512, operands, true));
      EXPECT_EQ(run.status, Status::kOk);
      EXPECT_EQ(run.puts.size(), count);
    }
  }
}

TEST_F(CalcTargets, HaveEveryLengthWhateverMemoryAndPacketiserTake) {
  SCOPED_TRACE(random_.replay());
  fill(Reduction::kSum, Element::kI32);
  for (std::uint64_t elements = 1; elements < 900; elements += elements < 20 ? 1 : 61) {
    bench_.timing = {random_.chance(50) ? 100U : 40U, static_cast<unsigned>(random_.below(30)) + 1,
                     static_cast<unsigned>(random_.below(60))};
    EXPECT_EQ(status(to(random_targets(8), 4 * elements, 2, random_.chance(50))), Status::kOk);
    ASSERT_FALSE(HasFailure()) << elements;
  }
}

TEST_F(CalcTargets, GetAChunkWhileTheNextIsComputed) {
  fill(Reduction::kSum, Element::kI32);
  const CalcRun alone = bench_.run(to({}, 0x2000, 4));
  const CalcRun run = bench_.run(to(targets(4), 0x2000, 4));
  EXPECT_EQ(run.puts.size(), 64U);
  // 4 PUTs of the last chunk, and the beats of their list.
  EXPECT_LE(run.cycles, alone.cycles + 20);
}

TEST_F(CalcTargets, AreRefusedIfMoreThanEight) {
  for (std::uint64_t count = 9; count < 16; ++count) {
    Descriptor descriptor = to(targets(8), 64, 1);
    EXPECT_EQ(status(descriptor.set<d::targets>(count)), Status::kOperandsInvalid) << count;
  }
}

TEST_F(CalcTargets, AreRefusedOfAResultThatLiesApart) {
  Descriptor descriptor = to(targets(1), 64, 1);
  set_immediate(descriptor, CalcShape().set<s::result_stride>(8));
  EXPECT_EQ(status(descriptor), Status::kOperandsInvalid);
  set_immediate(descriptor, CalcShape().set<s::row_elements>(4).set<s::result_row_stride>(64));
  EXPECT_EQ(status(descriptor), Status::kOperandsInvalid);
  set_immediate(descriptor, CalcShape().set<s::row_elements>(4));
  EXPECT_EQ(status(descriptor), Status::kOk);
}

TEST_F(CalcTargets, BeyondTheEndOfARegionGetAPutThatIsRefused) {
  constexpr std::uint64_t kEnd = kLargestRegion;
  for (const std::uint64_t offset : {kEnd - 1024, kEnd - 1023, kEnd - 1, kEnd - 512}) {
    const CalcRun run = bench_.run(to({target(0, offset)}, 1024, 1));
    ASSERT_EQ(run.puts.size(), 2U);
    const Descriptor put = run.puts[1].get<f::descriptor>();
    EXPECT_EQ(put.get<d::header>().get<h::offset>() + put.get<d::length>() > kEnd,
              offset != kEnd - 1024);
  }
}

TEST_F(CalcTargets, GetNothingMoreOnceMemoryHasFailed) {
  fill(Reduction::kSum, Element::kI32);
  // The second chunk of the first operand lies beyond memory.
  write_list({adjacent(kBeyond, 0, 4)}, 0, {}, targets(8));
  Descriptor descriptor = calc(Reduction::kSum, Element::kI32, 0x2000, 1);
  const CalcRun run = bench_.run(descriptor.set<d::targets>(8));
  EXPECT_EQ(run.status, Status::kMemoryError);
  EXPECT_LE(run.puts.size(), 8U);
}

}  // namespace
}  // namespace torusmu::testing::calc_engine

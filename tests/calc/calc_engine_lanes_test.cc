// SPDX-License-Identifier: Apache-2.0
// model: Vmu_calc_engine_copies mu_calc_engine -GLANES=0
// model: Vmu_calc_engine_1 mu_calc_engine -GLANES=1
// model: Vmu_calc_engine_2 mu_calc_engine -GLANES=2
// model: Vmu_calc_engine mu_calc_engine
// CALC of nodes that have other lanes than those of profile sim. Without any, one operand is copied
// or gathered, and more are refused.

#include <gtest/gtest.h>

#include <cstdint>

#include "Vmu_calc_engine_1.h"
#include "Vmu_calc_engine_2.h"
#include "Vmu_calc_engine_copies.h"
#include "tb/reference_model/reduction.h"
#include "tests/support/calc_bench.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace o = layout::operand;

constexpr unsigned kResult = 1, kOperand = 2, kList = 3;
constexpr std::uint64_t kListAt = 0x100;

constexpr Sizes with_lanes(unsigned lanes) {
  Sizes sizes = kBgp;
  sizes.calc_lanes = lanes;
  return sizes;
}

template <typename Engine, unsigned kLanes>
class CalcOfLanes : public ::testing::Test {
 protected:
  void SetUp() override {
    bench_.set_region(kResult, region_entry(0x1'0000, 0x4000, kCalcOwner));
    bench_.set_region(kOperand, region_entry(0x2'0000, 0x8000, kCalcOwner));
    bench_.set_region(kList, region_entry(kListAt, 0x100, kCalcOwner));
    bench_.write(0x2'0000, random_bytes(random_, 0x8000));
  }
  Descriptor calc(unsigned operands, std::uint64_t stride, Reduction reduction, Element element,
                  std::uint64_t length = 1200) {
    for (unsigned n = 0; n < operands; ++n) {
      bench_.write(kListAt + n * Operand::kBytes, Operand()
                                                      .set<o::region>(kOperand)
                                                      .set<o::offset>(n * 0x400)
                                                      .set<o::stride>(stride)
                                                      .bytes());
    }
    return Descriptor()
        .set<d::opcode>(Opcode::kCalc)
        .set<d::operands>(operands)
        .set<d::reduction>(reduction)
        .set<d::element>(element)
        .set<d::length>(length)
        .set<d::source_region>(kList)
        .set<d::header>(PacketHeader().set<layout::packet_header::target>(kResult))
        .set<d::immediate>({});
  }

  Random random_;
  CalcBenchOf<Engine> bench_{random_, 0, kCalcMemory, with_lanes(kLanes)};
};
using CalcWithoutLanes = CalcOfLanes<Vmu_calc_engine_copies, 0>;
using CalcOfOneLane = CalcOfLanes<Vmu_calc_engine_1, 1>;
using CalcOfTwoLanes = CalcOfLanes<Vmu_calc_engine_2, 2>;

TEST_F(CalcWithoutLanes, CopiesAndGathersOneOperand) {
  SCOPED_TRACE(random_.replay());
  for (const std::uint64_t stride : {4, 12}) {
    EXPECT_EQ(bench_.run(calc(1, stride, Reduction::kSum, Element::kF32)).status, Status::kOk);
    EXPECT_EQ(bench_.run(calc(1, stride, Reduction::kSum, Element::kU8)).status, Status::kOk);
  }
  EXPECT_EQ(bench_.run(calc(1, 16, Reduction::kMaxloc, Element::kI64)).status, Status::kOk);
}

TEST_F(CalcWithoutLanes, PutsWhatItCopiesApart) {
  Descriptor descriptor = calc(1, 4, Reduction::kSum, Element::kF32, 400);
  set_immediate(descriptor, CalcShape().set<layout::calc_shape::result_stride>(24));
  EXPECT_EQ(bench_.run(descriptor).status, Status::kOk);
}

TEST_F(CalcWithoutLanes, RefusesToAttachAnIndex) {
  Descriptor descriptor = calc(1, 4, Reduction::kMaxloc, Element::kI32, 64);
  set_immediate(descriptor, CalcShape().set<layout::calc_shape::attach_index>(1));
  EXPECT_EQ(bench_.run(descriptor).status, Status::kReductionUndefined);
}

TEST_F(CalcWithoutLanes, RefusesWhatItWouldHaveToReduce) {
  for (const unsigned operands : {2, 3, 16}) {
    const CalcRun run = bench_.run(calc(operands, 4, Reduction::kSum, Element::kI32));
    EXPECT_EQ(run.status, Status::kReductionUndefined) << operands;
    EXPECT_EQ(run.reads, 0U);
  }
}

TEST_F(CalcWithoutLanes, RefusesOtherwiseWhatAllRefuse) {
  EXPECT_EQ(bench_.run(calc(1, 4, Reduction::kBand, Element::kF32)).status,
            Status::kReductionUndefined);
  EXPECT_EQ(bench_.run(calc(0, 4, Reduction::kSum, Element::kF32)).status,
            Status::kOperandsInvalid);
}

template <typename Calc>
void reduce_each_way(Calc calc) {
  for (unsigned operation = 0; operation < 12; ++operation) {
    for (unsigned element = 0; element < 12; ++element) {
      const auto reduction = static_cast<Reduction>(operation);
      if (!model::is_defined(reduction, static_cast<Element>(element))) continue;
      EXPECT_EQ(calc(reduction, static_cast<Element>(element)), Status::kOk)
          << name_of(reduction) << " " << element;
    }
  }
}

TEST_F(CalcOfOneLane, ReducesThreeOperandsEachWay) {
  SCOPED_TRACE(random_.replay());
  reduce_each_way([&](Reduction reduction, Element element) {
    return bench_.run(calc(3, 16, reduction, element, 1024)).status;
  });
}

TEST_F(CalcOfTwoLanes, ReducesThreeOperandsEachWay) {
  SCOPED_TRACE(random_.replay());
  reduce_each_way([&](Reduction reduction, Element element) {
    return bench_.run(calc(3, 16, reduction, element, 1024)).status;
  });
}

TEST_F(CalcOfTwoLanes, ReadsABeatACycleFromTwoOperands) {
  const CalcRun run = bench_.run(calc(2, 8, Reduction::kSum, Element::kF64, 2048));
  EXPECT_EQ(run.beats, 2 * 64U);
  EXPECT_EQ(run.read_cycles, run.beats);
}

}  // namespace
}  // namespace torusmu::testing

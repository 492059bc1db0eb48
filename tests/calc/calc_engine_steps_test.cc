// SPDX-License-Identifier: Apache-2.0
// model: Vmu_calc_engine mu_calc_engine
//
// Loaded reductions: steps behind the operands of a list. Status and memory as of the reference
// node; what a program would load is computed in plain C++ too.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/calc/calc_engine_fixture.h"

namespace torusmu::testing::calc_engine {
namespace {

class CalcSteps : public CalcEngine {
 protected:
  static ReductionStep step(StepOf changes, Reduction operation, Element element) {
    return ReductionStep().set<r::changes>(changes).set<r::reduction>(operation).set<r::element>(
        element);
  }
  static ReductionStep step(StepOf changes, Reduction operation, Element element,
                            std::uint64_t constant) {
    return step(changes, operation, element).set<r::constant_valid>(1).set<r::constant>(constant);
  }
  static ReductionStep step(StepOf changes, Reduction operation, double constant) {
    return step(changes, operation, Element::kF64, std::bit_cast<std::uint64_t>(constant));
  }
  // Of adjacent vectors, one behind the other.
  Descriptor loaded(Reduction operation, Element element, std::uint64_t length, unsigned operands,
                    const std::vector<ReductionStep>& steps) {
    std::vector<Operand> list;
    for (unsigned n = 0; n < operands; ++n) {
      list.push_back(adjacent(kFirst, n * length, bytes_of(operation, element)));
    }
    write_list(list, 0, steps);
    Descriptor descriptor = calc(operation, element, length, operands);
    set_immediate(descriptor, CalcShape().set<s::steps>(steps.size()));
    return descriptor;
  }
  std::vector<double> result_of(const std::vector<std::vector<double>>& operands,
                                const std::vector<ReductionStep>& steps) {
    const std::size_t bytes = operands[0].size() * 8;
    for (std::size_t n = 0; n < operands.size(); ++n) {
      Bytes image(bytes);
      std::memcpy(image.data(), operands[n].data(), bytes);
      bench_.write(0x2'0003 + n * bytes, image);
    }
    EXPECT_EQ(status(loaded(Reduction::kSum, Element::kF64, bytes,
                            static_cast<unsigned>(operands.size()), steps)),
              Status::kOk);
    std::vector<double> result(operands[0].size());
    std::memcpy(result.data(), bench_.read(0x1'0005, bytes).data(), bytes);
    return result;
  }
};

TEST_F(CalcSteps, AddSquares) {
  EXPECT_EQ(result_of({{1, 2, -3}, {4, 5, 6}, {7, -8, 9}},
                      {step(StepOf::kOperand, Reduction::kProd, Element::kF64)}),
            (std::vector<double>{66, 93, 126}));
}

TEST_F(CalcSteps, GiveTheMean) {
  EXPECT_EQ(result_of({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {8, 9, 10}},
                      {step(StepOf::kResult, Reduction::kProd, 0.25)}),
            (std::vector<double>{5, 6, 7}));
}

TEST_F(CalcSteps, SaturateWhatIsSoFar) {
  // 90 + 20 is cut to 100, and the 30 behind it are taken from there.
  EXPECT_EQ(
      result_of({{90, 10}, {20, 10}, {-30, 10}}, {step(StepOf::kCombined, Reduction::kMin, 100.0)}),
      (std::vector<double>{70, 30}));
}

TEST_F(CalcSteps, WorkOutAPolynomial) {
  // ((1 * 10 + 2) * 10 + 3) * 10 + 4
  EXPECT_EQ(result_of({{1}, {2}, {3}, {4}}, {step(StepOf::kSoFar, Reduction::kProd, 10.0)}),
            (std::vector<double>{1234}));
}

TEST_F(CalcSteps, TakeABitAwayWithATypeOfTheirOwn) {
  EXPECT_EQ(result_of({{-1, 2}, {3, -4}},
                      {step(StepOf::kOperand, Reduction::kBand, Element::kU64, ~0ULL >> 1)}),
            (std::vector<double>{4, 6}));
}

TEST_F(CalcSteps, ChangeASingleOperand) {
  EXPECT_EQ(result_of({{1, 2, 3, 4, 5}}, {step(StepOf::kOperand, Reduction::kProd, 2.0),
                                          step(StepOf::kSoFar, Reduction::kProd, 100.0),
                                          step(StepOf::kCombined, Reduction::kProd, 100.0),
                                          step(StepOf::kResult, Reduction::kSum, 1.0)}),
            (std::vector<double>{3, 5, 7, 9, 11}));
}

TEST_F(CalcSteps, OfOneKindGoByTheirPlaceInTheList) {
  EXPECT_EQ(result_of({{1}, {1}}, {step(StepOf::kResult, Reduction::kSum, 1.0),
                                   step(StepOf::kOperand, Reduction::kSum, 2.0),
                                   step(StepOf::kResult, Reduction::kProd, 3.0),
                                   step(StepOf::kOperand, Reduction::kProd, 5.0)}),
            (std::vector<double>{93}));
}

TEST_F(CalcSteps, AreUpToEightBehindSixteenOperandsWhateverMemoryTakes) {
  SCOPED_TRACE(random_.replay());
  for (unsigned steps = 1; steps <= 8; ++steps) {
    fill(Reduction::kSum, Element::kF32);
    bench_.timing = {random_.chance(50) ? 100U : 40U, static_cast<unsigned>(random_.below(30)) + 1,
                     static_cast<unsigned>(random_.below(30))};
    std::vector<ReductionStep> program = any_steps(random_, 4);
    while (program.size() < steps)
      program.push_back(step(StepOf::kResult, Reduction::kSum, Element::kF32));
    program.resize(steps);
    EXPECT_EQ(status(loaded(Reduction::kSum, Element::kF32, 4 * (1 + random_.below(500)),
                            1 + static_cast<unsigned>(random_.below(16)), program)),
              Status::kOk);
    ASSERT_FALSE(HasFailure()) << steps;
  }
}

TEST_F(CalcSteps, TakeEveryLengthOfAChunk) {
  SCOPED_TRACE(random_.replay());
  fill(Reduction::kMax, Element::kI32);
  for (std::uint64_t elements = 1; elements <= 300; elements += elements < 20 ? 1 : 13) {
    EXPECT_EQ(
        status(loaded(Reduction::kMax, Element::kI32, 4 * elements, 3, any_steps(random_, 4))),
        Status::kOk);
    ASSERT_FALSE(HasFailure()) << elements;
  }
}

TEST_F(CalcSteps, AreRefusedIfMoreThanEight) {
  const std::vector<ReductionStep> nine(9, step(StepOf::kResult, Reduction::kSum, 1.0));
  EXPECT_EQ(status(loaded(Reduction::kSum, Element::kF64, 64, 2, nine)), Status::kOperandsInvalid);
  Descriptor descriptor = calc(Reduction::kSum, Element::kF64, 64, 2);
  set_immediate(descriptor, CalcShape().set<s::steps>(15));
  EXPECT_EQ(status(descriptor), Status::kOperandsInvalid);
}

TEST_F(CalcSteps, AreRefusedIfUnknownOrNotDefinedForTheirType) {
  for (unsigned operation = 0; operation < 16; ++operation) {
    for (unsigned element = 0; element < 16; ++element) {
      const auto o = static_cast<Reduction>(operation);
      const auto e = static_cast<Element>(element);
      const std::vector<ReductionStep> steps = {step(StepOf::kResult, Reduction::kSum, 1.0),
                                                step(StepOf::kOperand, o, e, 7)};
      EXPECT_EQ(status(loaded(Reduction::kSum, Element::kF64, 64, 2, steps)),
                model::is_defined(o, e) && model::unit_bytes(o, e) <= 8
                    ? Status::kOk
                    : Status::kReductionUndefined)
          << operation << " " << element;
    }
  }
}

// The last of them would be a part.
TEST_F(CalcSteps, AreRefusedIfForLargerElements) {
  const auto of = [&](Reduction operation, Element element, Reduction in, Element type) {
    return status(loaded(operation, element, 64, 2, {step(StepOf::kCombined, in, type)}));
  };
  EXPECT_EQ(of(Reduction::kSum, Element::kU16, Reduction::kMax, Element::kF16), Status::kOk);
  EXPECT_EQ(of(Reduction::kSum, Element::kU16, Reduction::kMaxloc, Element::kU8), Status::kOk);
  EXPECT_EQ(of(Reduction::kSum, Element::kU16, Reduction::kMax, Element::kU32),
            Status::kReductionUndefined);
  EXPECT_EQ(of(Reduction::kSum, Element::kU16, Reduction::kMinloc, Element::kI16),
            Status::kReductionUndefined);
  EXPECT_EQ(of(Reduction::kMinmaxloc, Element::kF64, Reduction::kMinmaxloc, Element::kI64),
            Status::kOk);
  EXPECT_EQ(of(Reduction::kMaxloc, Element::kF64, Reduction::kMinmaxloc, Element::kI64),
            Status::kReductionUndefined);
}

TEST_F(CalcSteps, AreRefusedWithReservedBits) {
  for (unsigned bit = 11; bit < 64; ++bit) {
    const std::vector<ReductionStep> steps(2, step(StepOf::kResult, Reduction::kSum, 1.0));
    const Descriptor descriptor = loaded(Reduction::kSum, Element::kF64, 64, 3, steps);
    auto entry = bench_.read(0x101 + 4 * 16, 16);
    entry[bit / 8] = static_cast<std::uint8_t>(entry[bit / 8] | 1U << bit % 8);
    bench_.write(0x101 + 4 * 16, entry);
    EXPECT_EQ(status(descriptor), Status::kReservedBits) << bit;
  }
}

TEST_F(CalcSteps, MustLieInTheRegionOfTheList) {
  const std::vector<ReductionStep> steps(8, step(StepOf::kResult, Reduction::kSum, 1.0));
  const std::vector<Operand> list(16, adjacent(kFirst, 0, 8));
  for (const auto& [offset, want] : {std::pair{0x1000U - 24 * 16, Status::kOk},
                                     std::pair{0x1000U - 24 * 16 + 1, Status::kRegionBounds}}) {
    if (want == Status::kOk) write_list(list, offset, steps);
    Descriptor descriptor = calc(Reduction::kSum, Element::kF64, 64, 16);
    descriptor.set<d::source_offset>(offset);
    set_immediate(descriptor, CalcShape().set<s::steps>(8));
    EXPECT_EQ(status(descriptor), want);
  }
}

TEST_F(CalcSteps, TakeAPassEach) {
  fill(Reduction::kSum, Element::kF64);
  const auto cycles = [&](const std::vector<ReductionStep>& steps) {
    return bench_.run(loaded(Reduction::kSum, Element::kF64, 4096, 4, steps)).cycles;
  };
  const std::uint64_t one = cycles({step(StepOf::kResult, Reduction::kSum, 1.0)});
  const std::uint64_t two = cycles({step(StepOf::kResult, Reduction::kSum, 1.0),
                                    step(StepOf::kResult, Reduction::kMax, Element::kF64, 0)});
  // Eight chunks of 16 beats; 4 cycles beside those of the ALU.
  EXPECT_LE(two - one, 8 * (16 + 2 + 6) + 4U);
}

}  // namespace
}  // namespace torusmu::testing::calc_engine

// SPDX-License-Identifier: Apache-2.0
// model: Vmu_calc_engine mu_calc_engine
//
// MAXLOC and MINLOC of elements that get the number of their operand as index: which operand has
// the largest or the smallest one. Status and memory as of the reference node.

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/calc/calc_engine_fixture.h"

namespace torusmu::testing::calc_engine {
namespace {

// Operands, each of adjacent elements, at any place of their region.
class CalcIndex : public CalcEngine {
 protected:
  Descriptor which(Reduction operation, Element element, std::uint64_t elements,
                   unsigned operands) {
    const std::uint64_t size = model::bits_of_element(element) / 8;
    std::vector<Operand> list;
    for (unsigned n = 0; n < operands; ++n) {
      list.push_back(adjacent(kFirst, random_.below(0x8000 - elements * size + 1), size));
    }
    write_list(list);
    Descriptor descriptor = calc(operation, element, 2 * elements * size, operands);
    set_immediate(descriptor, CalcShape().set<s::attach_index>(1));
    return descriptor;
  }
};

TEST_F(CalcIndex, IsTheNumberOfTheOperandThatHasTheExtreme) {
  const Bytes values = {7, 9, 200, 9, 3, 200};  // three operands of two bytes
  bench_.write(0x2'0003, values);
  write_list({adjacent(kFirst, 0, 1), adjacent(kFirst, 2, 1), adjacent(kFirst, 4, 1)});
  Descriptor descriptor = calc(Reduction::kMaxloc, Element::kU8, 4, 3);
  set_immediate(descriptor, CalcShape().set<s::attach_index>(1));
  ASSERT_EQ(status(descriptor), Status::kOk);
  EXPECT_EQ(bench_.read(0x1'0005, 4), (Bytes{200, 1, 200, 2}));
  ASSERT_EQ(status(descriptor.set<d::reduction>(Reduction::kMinloc)), Status::kOk);
  EXPECT_EQ(bench_.read(0x1'0005, 4), (Bytes{3, 2, 9, 0})) << "of equals the lower one";
}

TEST_F(CalcIndex, IsAttachedToEveryTypeAtEveryNumberOfElements) {
  SCOPED_TRACE(random_.replay());
  for (unsigned element = 0; element < 12; ++element) {
    fill(Reduction::kMax, static_cast<Element>(element));
    for (std::uint64_t elements = 1; elements < 70; elements += elements < 36 ? 1 : 11) {
      const auto operation = random_.chance(50) ? Reduction::kMaxloc : Reduction::kMinloc;
      const Descriptor descriptor = which(operation, static_cast<Element>(element), elements, 3);
      ASSERT_TRUE(status(descriptor) == Status::kOk && !HasFailure()) << element << elements;
    }
  }
}

TEST_F(CalcIndex, IsOfOneToSixteenOperandsWhateverMemoryTakes) {
  SCOPED_TRACE(random_.replay());
  for (unsigned operands = 1; operands <= 16; ++operands) {
    fill(Reduction::kMin, Element::kI16);
    bench_.timing = {random_.chance(50) ? 100U : 40U, static_cast<unsigned>(random_.below(30)) + 1,
                     static_cast<unsigned>(random_.below(30))};
    const std::uint64_t elements = 1 + random_.below(700);
    const Descriptor descriptor = which(Reduction::kMinloc, Element::kI16, elements, operands);
    ASSERT_TRUE(status(descriptor) == Status::kOk && !HasFailure()) << operands;
  }
}

TEST_F(CalcIndex, IsAttachedToOperandsOfTheDescriptorToo) {
  SCOPED_TRACE(random_.replay());
  fill(Reduction::kMax, Element::kF32);
  for (const unsigned operands : {1U, 2U}) {
    Descriptor descriptor = direct(Reduction::kMaxloc, Element::kF32, 1200, operands);
    set_immediate(descriptor, CalcOperation()
                                  .set<c::left_region>(kFirst)
                                  .set<c::left_offset>(0x8000 - 600)
                                  .set<c::attach_index>(1)
                                  .set<c::right_region>(kSecond)
                                  .set<c::right_offset>(0x8000 - 600));
    EXPECT_EQ(status(descriptor), Status::kOk) << "their elements have half the bytes of a pair";
  }
}

TEST_F(CalcIndex, IsForMaxlocAndMinlocAlone) {
  for (const bool in_descriptor : {true, false}) {
    for (unsigned operation = 0; operation < 12; ++operation) {
      const auto reduction = static_cast<Reduction>(operation);
      Descriptor descriptor = which(reduction, Element::kI32, 8, 2);
      descriptor.set<d::immediate_valid>(in_descriptor);
      if (in_descriptor) {
        set_immediate(descriptor, CalcOperation()
                                      .set<c::left_region>(kFirst)
                                      .set<c::attach_index>(1)
                                      .set<c::right_region>(kSecond));
      }
      EXPECT_EQ(status(descriptor),
                model::has_pairs(reduction) ? Status::kOk : Status::kOperandsInvalid);
    }
  }
}

// A chunk of the result, 512 bytes, is read as 256 of each operand.
TEST_F(CalcIndex, TakesTwoCyclesABeatOfElements) {
  fill(Reduction::kMax, Element::kI32);
  const CalcRun run = bench_.run(which(Reduction::kMaxloc, Element::kI32, 1024, 2));
  EXPECT_EQ(run.writes, 16U);
  EXPECT_LE(run.cycles, 2 * 2 * 128U + 130);
}

}  // namespace
}  // namespace torusmu::testing::calc_engine

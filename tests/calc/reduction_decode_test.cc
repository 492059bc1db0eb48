// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "Vmu_reduction_decode.h"
#include "tb/reference_model/reduction.h"

namespace torusmu::testing {
namespace {

TEST(ReductionDecode, KnowsWhichOperationsEachTypeHas) {
  Vmu_reduction_decode decode;
  unsigned defined = 0;
  for (unsigned operation = 0; operation < 16; ++operation) {
    for (unsigned element = 0; element < 16; ++element) {
      decode.operation_i = static_cast<std::uint8_t>(operation);
      decode.element_i = static_cast<std::uint8_t>(element);
      decode.eval();
      const auto o = static_cast<Reduction>(operation);
      const auto e = static_cast<Element>(element);
      const bool expected = model::is_defined(o, e);
      ASSERT_EQ(static_cast<Status>(decode.status_o),
                expected ? Status::kOk : Status::kReductionUndefined)
          << operation << " " << element;
      auto path = ReductionPath::kSimple;
      if (!expected) path = ReductionPath::kUndefined;
      if (expected && o == Reduction::kProd) path = ReductionPath::kProduct;
      if (expected && o == Reduction::kSum && model::is_float(e)) path = ReductionPath::kSum;
      ASSERT_EQ(decode.path_o, static_cast<unsigned>(path)) << operation << " " << element;
      defined += expected ? 1 : 0;
    }
  }
  EXPECT_EQ(defined, 132U) << "13 operations on 8 types of integers, 7 on 4 of floats";
}

TEST(ReductionDecode, KnowsWhatEachTypeIs) {
  Vmu_reduction_decode decode;
  for (unsigned element = 0; element < 12; ++element) {
    const auto e = static_cast<Element>(element);
    decode.element_i = static_cast<std::uint8_t>(element);
    decode.eval();
    EXPECT_EQ(8U << decode.size_log2_o, model::bits_of_element(e)) << name_of(e);
    EXPECT_EQ(decode.float_o, model::is_float(e)) << name_of(e);
    EXPECT_EQ(decode.signed_o, name_of(e).starts_with('I')) << name_of(e);
  }
  for (const auto& [element, format] : {std::pair(Element::kF64, FloatFormat::kBinary64),
                                        {Element::kF32, FloatFormat::kBinary32},
                                        {Element::kF16, FloatFormat::kBinary16},
                                        {Element::kBf16, FloatFormat::kBfloat16}}) {
    decode.element_i = static_cast<std::uint8_t>(element);
    decode.eval();
    EXPECT_EQ(decode.format_o, static_cast<unsigned>(format)) << name_of(element);
  }
}

}  // namespace
}  // namespace torusmu::testing

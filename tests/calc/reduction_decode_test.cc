// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>

#include "Vmu_reduction_decode.h"
#include "tb/reference_model/reduction.h"

namespace torusmu::testing {
namespace {

TEST(ReductionDecode, KnowsWhichOperationsEachTypeHas) {
  Vmu_reduction_decode decode;
  unsigned defined = 0;
  for (unsigned operation = 0; operation < 16; ++operation) {
    for (unsigned element = 0; element < 8; ++element) {
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
  EXPECT_EQ(defined, 60U) << "12 operations on 4 types of integers, 6 on 2 of floats";
}

TEST(ReductionDecode, TakesNoTypeThatDoesNotExistForOneOf64Bits) {
  Vmu_reduction_decode decode;
  for (unsigned operation = 0; operation < 16; ++operation) {
    for (unsigned element = 0; element < 8; ++element) {
      decode.operation_i = static_cast<std::uint8_t>(operation);
      decode.element_i = static_cast<std::uint8_t>(element);
      decode.eval();
      const bool exists = element <= static_cast<unsigned>(Element::kF64);
      const bool wide = exists && model::bits_of_element(static_cast<Element>(element)) == 64;
      ASSERT_EQ(decode.wide_o, wide) << operation << " " << element;
    }
  }
}

}  // namespace
}  // namespace torusmu::testing

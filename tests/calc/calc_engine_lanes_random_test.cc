// SPDX-License-Identifier: Apache-2.0
// model: Vmu_calc_engine_copies mu_calc_engine -GLANES=0
// model: Vmu_calc_engine_1 mu_calc_engine -GLANES=1
// model: Vmu_calc_engine_2 mu_calc_engine -GLANES=2
// model: Vmu_calc_engine mu_calc_engine
// Any CALC in nodes that have any number of lanes: what is refused, and what the others leave in
// memory and put to their targets, is as of the reference node.

#include <gtest/gtest.h>

#include <cstdint>

#include "Vmu_calc_engine_1.h"
#include "Vmu_calc_engine_2.h"
#include "Vmu_calc_engine_copies.h"
#include "tests/calc/calc_engine_fixture.h"

namespace torusmu::testing::calc_engine {
namespace {

template <typename Lanes>
class CalcOfAnyLanes : public CalcEngineOf<typename Lanes::Engine, Lanes::kLanes> {
 protected:
  // One bit of what it says, or of its list, is another.
  Descriptor disturbed(Descriptor descriptor) {
    Random& random = this->random_;
    auto bytes = descriptor.template get<d::immediate>();
    switch (random.below(7)) {
      case 0:
        return descriptor.set<d::operands>(random.below(32));
      case 1:
        return descriptor.set<d::targets>(random.below(16));
      case 2:
        return descriptor.set<d::length>(descriptor.get<d::length>() ^ 1ULL << random.below(37));
      case 3:
        return descriptor.set<d::source_offset>(descriptor.get<d::source_offset>() ^
                                                1ULL << random.below(37));
      case 4:
        return descriptor.set<d::source_region>(random.below(9));
      case 5: {
        const std::uint64_t at = 0x101 + descriptor.get<d::source_offset>() + random.below(96);
        Bytes byte = this->bench_.read(at, 1);
        byte[0] = static_cast<std::uint8_t>(byte[0] ^ 1U << random.below(8));
        this->bench_.write(at, byte);
        return descriptor;
      }
      default: {
        const std::uint64_t bit = random.below(128);
        bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ 1U << bit % 8);
        return descriptor.set<d::immediate>(bytes);
      }
    }
  }
};
struct Copies {
  using Engine = Vmu_calc_engine_copies;
  static constexpr unsigned kLanes = 0;
};
struct OneLane {
  using Engine = Vmu_calc_engine_1;
  static constexpr unsigned kLanes = 1;
};
struct TwoLanes {
  using Engine = Vmu_calc_engine_2;
  static constexpr unsigned kLanes = 2;
};
using AllLanes = ::testing::Types<Copies, OneLane, TwoLanes>;
TYPED_TEST_SUITE(CalcOfAnyLanes, AllLanes);

TYPED_TEST(CalcOfAnyLanes, LeavesInMemoryWhatTheReferenceNodeLeaves) {
  SCOPED_TRACE(this->random_.replay());
  unsigned passed = 0;
  for (unsigned operation = 0; operation < kReductions; ++operation) {
    for (unsigned element = 0; element < kElements; ++element) {
      const auto reduction = static_cast<Reduction>(operation);
      const auto type = static_cast<Element>(element);
      if (!model::is_defined(reduction, type)) continue;
      this->fill(reduction, type);
      for (int i = 0; i < 2; ++i) {
        this->bench_.timing = {this->random_.chance(50) ? 100U : 40U,
                               1 + static_cast<unsigned>(this->random_.below(30)),
                               static_cast<unsigned>(this->random_.below(40))};
        passed += this->status(this->random_calc(reduction, type)) == Status::kOk;
        ASSERT_FALSE(this->HasFailure()) << name_of(reduction) << " " << name_of(type);
      }
    }
  }
  EXPECT_GT(passed, 30U);
}

TYPED_TEST(CalcOfAnyLanes, RefusesWhatTheReferenceNodeRefuses) {
  SCOPED_TRACE(this->random_.replay());
  unsigned refused = 0;
  for (int i = 0; i < 1500; ++i) {
    const auto reduction = static_cast<Reduction>(this->random_.below(kReductions));
    const auto type = static_cast<Element>(this->random_.below(kElements));
    if (!model::is_defined(reduction, type)) continue;
    const Descriptor any = this->random_calc(reduction, type);
    refused += this->status(this->disturbed(any)) != Status::kOk;
    ASSERT_FALSE(this->HasFailure()) << i;
  }
  EXPECT_GT(refused, 100U);
}

}  // namespace
}  // namespace torusmu::testing::calc_engine

// SPDX-License-Identifier: Apache-2.0
// verilator: -GLANES=2
// model: Vmu_reduction_alu_1 mu_reduction_alu -GLANES=1
// model: Vmu_reduction_alu_4 mu_reduction_alu -GLANES=4
// The number of elements that each operation on each type is judged with is 4000, or that of the
// environment variable TORUSMU_REDUCTIONS.

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <sstream>
#include <string>
#include <tuple>

#include "Vmu_reduction_alu.h"
#include "Vmu_reduction_alu_1.h"
#include "Vmu_reduction_alu_4.h"
#include "tb/reference_model/reduction.h"
#include "tests/support/clocked.h"
#include "tests/support/reduction_stimulus.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

using model::Beat;

constexpr Beat kOnes = {1, 1, 1, 1};

struct Expected {
  Reduction operation;
  Element element;
  Status status;
  Beat left;
  Beat right;
  Beat result;
};

template <typename Port>
void drive_beat(Port& port, const Beat& beat) {
  for (unsigned word = 0; word < 8; ++word) {
    port[word] = static_cast<std::uint32_t>(beat[word / 2] >> (word % 2 * 32));
  }
}

template <typename Port>
Beat sample_beat(const Port& port) {
  Beat beat{};
  for (unsigned word = 0; word < 8; ++word) {
    beat[word / 2] |= static_cast<std::uint64_t>(port[word]) << (word % 2 * 32);
  }
  return beat;
}

std::string text(const Expected& asked) {
  std::ostringstream out;
  out << name_of(asked.operation) << " " << name_of(asked.element) << std::hex;
  for (unsigned i = 0; i < 4; ++i) out << "\n  " << asked.left[i] << " " << asked.right[i];
  return out.str();
}

template <typename Model, unsigned kOfLanes>
class AluBench {
 public:
  static constexpr unsigned kLanes = kOfLanes;
  // Passes that a beat takes.
  static unsigned passes(Reduction operation, Element element) {
    const bool one_by_one = model::is_defined(operation, element) &&
                            (operation == Reduction::kProd ||
                             (operation == Reduction::kSum && model::is_float(element)));
    return 4 / kLanes * (one_by_one ? 64 / model::bits_of_element(element) : 1);
  }

  explicit AluBench(std::uint64_t seed = 1) : alu_(seed) { alu_->out_ready_i = 1; }

  void offer(Reduction operation, Element element, const Beat& left, const Beat& right) {
    alu_->in_valid_i = 1;
    alu_->in_operation_i = static_cast<std::uint8_t>(operation);
    alu_->in_element_i = static_cast<std::uint8_t>(element);
    drive_beat(alu_->in_left_i, left);
    drive_beat(alu_->in_right_i, right);
    offered_ = {operation, element, Status::kOk, left, right, {}};
    offered_.status = model::reduce(operation, element, left, right, &offered_.result);
  }
  void offer_nothing() { alu_->in_valid_i = 0; }
  void ready(bool ready) { alu_->out_ready_i = ready; }
  bool idle() const { return inside_.empty(); }
  std::uint64_t judged() const { return judged_; }
  Clocked<Model>& alu() { return alu_; }

  // One cycle. True if what was offered entered.
  bool cycle() {
    alu_.settle();
    // Passes of a beat that is not yet taken may be inside.
    if (!alu_->active_o && !inside_.empty()) ADD_FAILURE() << "a beat is lost";
    if (alu_->active_o && inside_.empty() && !alu_->in_valid_i) {
      ADD_FAILURE() << "active without a beat";
    }
    if (alu_->out_valid_o && alu_->out_ready_i) judge();
    const bool entered = alu_->in_valid_i && alu_->in_ready_o;
    if (entered) inside_.push_back(offered_);
    alu_.tick_without_fall();
    return entered;
  }
  // Offers it until it enters; returns the cycles that took.
  unsigned enter(Reduction operation, Element element, const Beat& left, const Beat& right) {
    offer(operation, element, left, right);
    unsigned cycles = 1;
    for (; !cycle() && cycles < 200; ++cycles) {
    }
    offer_nothing();
    return cycles;
  }
  void drain() {
    offer_nothing();
    ready(true);
    for (int i = 0; i < 40 && !idle(); ++i) cycle();
    EXPECT_TRUE(idle());
  }

 private:
  void judge() {
    ++judged_;
    if (inside_.empty()) {
      ADD_FAILURE() << "a result that nothing was asked for";
      return;
    }
    const Expected& asked = inside_.front();
    // Cheap first: this runs a hundred million times a night.
    if (alu_->out_status_o != static_cast<unsigned>(asked.status) ||
        sample_beat(alu_->out_result_o) != asked.result) {
      EXPECT_EQ(static_cast<Status>(alu_->out_status_o), asked.status) << text(asked);
      EXPECT_EQ(sample_beat(alu_->out_result_o), asked.result) << text(asked);
    }
    inside_.pop_front();
  }

  Clocked<Model> alu_;
  Expected offered_{};
  std::deque<Expected> inside_;
  std::uint64_t judged_ = 0;
};
using Alu1 = AluBench<Vmu_reduction_alu_1, 1>;
using Alu2 = AluBench<Vmu_reduction_alu, 2>;
using Alu4 = AluBench<Vmu_reduction_alu_4, 4>;

template <typename Bench>
class ReductionAlu : public ::testing::Test {};
using EveryWidth = ::testing::Types<Alu1, Alu2, Alu4>;
TYPED_TEST_SUITE(ReductionAlu, EveryWidth);

std::uint64_t elements_to_judge() {
  const char* text = std::getenv("TORUSMU_REDUCTIONS");
  return text == nullptr ? 4000 : std::stoull(text);
}

class ReductionAluPair : public ::testing::TestWithParam<std::tuple<unsigned, unsigned>> {};

// `share` of as many elements as are judged in all.
template <typename Bench>
void agree_with_the_reference_model(Reduction operation, Element element, std::uint64_t share) {
  Random random;
  SCOPED_TRACE(random.replay());
  Bench bench(random.seed());
  // A pair of value and index is one element.
  const std::uint64_t a_beat =
      256U / model::bits_of_element(element) / (model::has_pairs(operation) ? 2 : 1);
  const std::uint64_t wanted =
      model::is_defined(operation, element) ? elements_to_judge() / share / a_beat : 100;
  for (std::uint64_t asked = 0; bench.judged() < wanted && !::testing::Test::HasFailure();
       ++asked) {
    ASSERT_LT(asked, wanted + 100) << "results do not come";
    const auto [left, right] = beats(random, operation, element);
    bench.enter(operation, element, left, right);
  }
  bench.drain();
}

// Lanes are all alike: of those that the node has not, fewer elements are judged.
TEST_P(ReductionAluPair, AgreesWithTheReferenceModel) {
  const auto operation = static_cast<Reduction>(std::get<0>(GetParam()));
  const auto element = static_cast<Element>(std::get<1>(GetParam()));
  agree_with_the_reference_model<Alu2>(operation, element, 1);
  agree_with_the_reference_model<Alu1>(operation, element, 10);
  agree_with_the_reference_model<Alu4>(operation, element, 10);
}

std::string pair_name(const ::testing::TestParamInfo<std::tuple<unsigned, unsigned>>& info) {
  return std::string(name_of(static_cast<Reduction>(std::get<0>(info.param)))) + "_" +
         std::string(name_of(static_cast<Element>(std::get<1>(info.param))));
}

INSTANTIATE_TEST_SUITE_P(Every, ReductionAluPair,
                         ::testing::Combine(::testing::Range(0U, kReductions),
                                            ::testing::Range(0U, kElements)),
                         pair_name);

TYPED_TEST(ReductionAlu, RefusesOperationsAndTypesThatDoNotExist) {
  TypeParam bench;
  for (unsigned operation = 0; operation < 16; ++operation) {
    for (unsigned element = operation < kReductions ? kElements : 0; element < 16; ++element) {
      EXPECT_EQ(bench.enter(static_cast<Reduction>(operation), static_cast<Element>(element), kOnes,
                            kOnes),
                4 / TypeParam::kLanes);
    }
  }
  bench.drain();
}

TYPED_TEST(ReductionAlu, KeepsTheOrderOfMixedOperationsUnderBackPressure) {
  Random random;
  SCOPED_TRACE(random.replay());
  TypeParam bench(random.seed());
  bool entered = true;
  for (int cycle = 0; cycle < 30000 && !::testing::Test::HasFailure(); ++cycle) {
    if (entered) {
      // With gaps, what takes longer begins while something else ends.
      const bool sparse = cycle / 500 % 2 != 0;
      if (random.chance(sparse ? 25 : 70)) {
        constexpr Reduction kLong[] = {Reduction::kSum, Reduction::kProd};
        const auto operation =
            random.chance(50) ? kLong[random.below(2)] : static_cast<Reduction>(random.below(16));
        const auto element = static_cast<Element>(random.below(16));
        const auto [left, right] = beats(random, operation, element);
        bench.offer(operation, element, left, right);
      } else {
        bench.offer_nothing();
      }
    }
    bench.ready(random.chance(60));
    entered = bench.cycle() || !bench.alu()->in_valid_i;
  }
  bench.drain();
  EXPECT_GT(bench.judged(), 1000U);
}

TYPED_TEST(ReductionAlu, GivesTheSameBitsForBothOrdersOfTheOperands) {
  Random random;
  SCOPED_TRACE(random.replay());
  TypeParam bench(random.seed());
  const auto result = [&](Reduction operation, Element element, const Beat& left,
                          const Beat& right) {
    bench.enter(operation, element, left, right);
    for (int i = 0; i < 40 && !bench.alu()->out_valid_o; ++i) bench.cycle();
    const Beat beat = sample_beat(bench.alu()->out_result_o);
    bench.drain();
    return beat;
  };
  for (int i = 0; i < 3000; ++i) {
    const auto operation = static_cast<Reduction>(random.below(kReductions));
    const auto element = static_cast<Element>(random.below(12));
    const auto [left, right] = beats(random, operation, element);
    ASSERT_EQ(result(operation, element, left, right), result(operation, element, right, left))
        << name_of(operation) << " " << name_of(element);
  }
}

TYPED_TEST(ReductionAlu, TakesAPassACycleButProductsEveryFour) {
  for (unsigned operation = 0; operation < kReductions; ++operation) {
    for (unsigned element = 0; element < 12; ++element) {
      TypeParam bench;
      const auto o = static_cast<Reduction>(operation);
      const auto e = static_cast<Element>(element);
      bench.enter(o, e, kOnes, kOnes);
      unsigned cycles = 0;
      for (int i = 0; i < 16; ++i) cycles += bench.enter(o, e, kOnes, kOnes);
      EXPECT_EQ(cycles, 16 * TypeParam::passes(o, e) * (o == Reduction::kProd ? 4 : 1))
          << name_of(o) << " " << name_of(e);
      bench.drain();
    }
  }
}

TYPED_TEST(ReductionAlu, AnswersAfterTwoSixOrNineCycles) {
  const auto latency = [](Reduction operation, Element element) {
    TypeParam bench;
    bench.enter(operation, element, kOnes, kOnes);
    unsigned cycles = 1;
    for (; !bench.alu()->out_valid_o && cycles < 20; ++cycles) bench.cycle();
    return cycles;
  };
  EXPECT_EQ(latency(Reduction::kMax, Element::kF64), 2U);
  EXPECT_EQ(latency(Reduction::kSum, Element::kI64), 2U);
  EXPECT_EQ(latency(Reduction::kBand, Element::kF64), 2U);
  EXPECT_EQ(latency(Reduction::kSum, Element::kF32), 6U);
  EXPECT_EQ(latency(Reduction::kSum, Element::kF64), 6U);
  EXPECT_EQ(latency(Reduction::kProd, Element::kI32), 10U);
  EXPECT_EQ(latency(Reduction::kProd, Element::kF64), 10U);
}

}  // namespace
}  // namespace torusmu::testing

// SPDX-License-Identifier: Apache-2.0
// A clocked model for benches that settle it after they have set the inputs of a cycle: it is
// evaluated half as often. It sees the clock fall together with the inputs of the next cycle.
//
//   ClockedOnce<Vmu_calc_engine> engine;
//   engine->calc_valid_i = 1;
//   engine.settle();        // outputs may be looked at, inputs stand
//   engine.tick_settled();

#ifndef TESTS_SUPPORT_CLOCKED_ONCE_H_
#define TESTS_SUPPORT_CLOCKED_ONCE_H_

#include <cstdint>

#include "tests/support/clocked.h"

namespace torusmu::testing {

template <typename Model>
class ClockedOnce : public Clocked<Model> {
 public:
  using Clocked<Model>::Clocked;
  ~ClockedOnce() { simulated_cycles += settled_cycles_; }

  std::uint64_t cycle() const { return Clocked<Model>::cycle() + settled_cycles_; }
  void tick_settled() {
    (*this)->clk_i = 1;
    this->settle();
    (*this)->clk_i = 0;
    ++settled_cycles_;
  }

 private:
  std::uint64_t settled_cycles_ = 0;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_CLOCKED_ONCE_H_

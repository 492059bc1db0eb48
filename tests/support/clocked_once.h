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

#include "tests/support/clocked.h"

namespace torusmu::testing {

template <typename Model>
class ClockedOnce : public Clocked<Model> {
 public:
  using Clocked<Model>::Clocked;
  void tick_settled() {
    this->set_clocks(1);
    this->settle();
    this->set_clocks(0);
    ++this->cycle_;
  }
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_CLOCKED_ONCE_H_

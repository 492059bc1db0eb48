// SPDX-License-Identifier: Apache-2.0
// Few numbers of queues, counters and the like, which meet often. Neighbours differ in their lower
// bits alone; so that no bit goes unseen, numbers are chosen that lie any power of two apart.

#ifndef TESTS_SUPPORT_FEW_NUMBERS_H_
#define TESTS_SUPPORT_FEW_NUMBERS_H_

#include "tests/support/seed.h"

namespace torusmu::testing {

class FewNumbers {
 public:
  // All numbers below `bound`.
  explicit FewNumbers(unsigned bound) : bound_(bound), count_(bound) {}

  // `count` of them, from any on.
  void choose(Random& random, unsigned count) {
    first_ = static_cast<unsigned>(random.below(bound_));
    count_ = count;
    apart_ = 1;
    while (count < bound_ && 2 * apart_ < bound_ && random.chance(60)) apart_ *= 2;
  }
  void choose_one(unsigned number) {
    first_ = number;
    count_ = 1;
  }
  [[nodiscard]] unsigned any(Random& random) const {
    return static_cast<unsigned>((first_ + random.below(count_) * apart_) % bound_);
  }

 private:
  unsigned bound_, count_, first_ = 0, apart_ = 1;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_FEW_NUMBERS_H_

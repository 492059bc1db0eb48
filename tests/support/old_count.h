// SPDX-License-Identifier: Apache-2.0
// Counts that no test can wait for.

#ifndef TESTS_SUPPORT_OLD_COUNT_H_
#define TESTS_SUPPORT_OLD_COUNT_H_

#include <cstdint>

#include "tests/support/seed.h"

namespace torusmu::testing {

// The count, of 1 to 32 bits, of something that has gone on for long: any, or one about to carry
// far.
inline std::uint32_t old_count(Random& random, unsigned bits = 32) {
  const std::uint64_t top = (1ULL << bits) - 1;
  const std::uint64_t about = (1ULL << random.below(bits + 1)) - 1 - random.below(2);
  return static_cast<std::uint32_t>((random.chance(50) ? about : random.bits64()) & top);
}

// A time of 48 bits from which on what is to be done after `cycles` lies across a carry into `bit`,
// up to `spread` cycles later.
inline std::uint64_t near_a_carry(Random& random, unsigned bit, std::uint64_t cycles,
                                  unsigned spread) {
  const std::uint64_t carry = (1 + 2 * random.below(1ULL << (47 - bit))) << bit;
  return carry - cycles - random.below(spread);
}

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_OLD_COUNT_H_

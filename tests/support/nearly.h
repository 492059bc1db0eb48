// SPDX-License-Identifier: Apache-2.0
// Numbers close to what a rule asks for.
#ifndef TESTS_SUPPORT_NEARLY_H_
#define TESTS_SUPPORT_NEARLY_H_

#include <cstdint>

#include "tests/support/seed.h"

namespace torusmu::testing {

// Mostly the lowest `bits` bits of `wanted`, 1 to 63, else those with one of them changed.
inline std::uint64_t nearly(Random& random, std::uint64_t wanted, unsigned bits) {
  const std::uint64_t number = random.chance(80) ? wanted : wanted ^ 1ULL << random.below(bits);
  return number & ((1ULL << bits) - 1);
}

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_NEARLY_H_

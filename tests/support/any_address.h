// SPDX-License-Identifier: Apache-2.0
// Addresses of a node's memory, of which every bit counts.

#ifndef TESTS_SUPPORT_ANY_ADDRESS_H_
#define TESTS_SUPPORT_ANY_ADDRESS_H_

#include <cstdint>

#include "tests/support/seed.h"
#include "torusmu/names.h"

namespace torusmu::testing {

// One behind which `bytes` have room. Now and then they lie across a power of two, where the next
// page differs in upper bits.
inline std::uint64_t any_address(Random& random, std::uint64_t bytes) {
  if (random.chance(20)) {
    const unsigned bit = 12 + static_cast<unsigned>(random.below(kSim.address_bits - 12));
    return (std::uint64_t{1} << bit) - random.below(bytes + 1);
  }
  return random.below((std::uint64_t{1} << kSim.address_bits) - bytes);
}

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_ANY_ADDRESS_H_

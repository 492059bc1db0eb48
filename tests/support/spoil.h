// SPDX-License-Identifier: Apache-2.0
// Descriptors that must end in a status.
#ifndef TORUSMU_TESTS_SUPPORT_SPOIL_H_
#define TORUSMU_TESTS_SUPPORT_SPOIL_H_

#include <cstdint>

#include "sim/machine/mix.h"
#include "tests/support/random_places.h"
#include "torusmu/layout.h"

namespace torusmu::testing {

// Makes a descriptor of a random program, that `client` will run, bad in one of many ways, without
// leading it to memory where others write.
void spoil(Descriptor& descriptor, std::uint32_t client, const random_places::Numbers& numbers,
           Rng& random);

}  // namespace torusmu::testing

#endif  // TORUSMU_TESTS_SUPPORT_SPOIL_H_

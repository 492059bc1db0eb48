// SPDX-License-Identifier: Apache-2.0
// What random stimulus is like for some hundred cycles.

#ifndef TESTS_SUPPORT_MOOD_H_
#define TESTS_SUPPORT_MOOD_H_

#include <array>

#include "tests/support/seed.h"

namespace torusmu::testing {

// How often something happens, in percent: never, always, and between.
inline unsigned draw_percent(Random& random) {
  constexpr std::array kPercent = {0U, 3U, 20U, 50U, 80U, 100U};
  return kPercent.at(random.below(kPercent.size()));
}

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_MOOD_H_

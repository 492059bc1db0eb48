// SPDX-License-Identifier: Apache-2.0
// The one definition of a percentile, for figures and pages alike.
#ifndef TORUSMU_SIM_OBSERVE_PERCENTILE_H_
#define TORUSMU_SIM_OBSERVE_PERCENTILE_H_

#include <vector>

namespace torusmu {

// Of n values, sorted and counted from 0, the one of number (n - 1) * percent / 100, rounded down:
// 0 is the least, 100 the greatest. Of no values a value of zero.
template <typename T>
T percentile(const std::vector<T>& sorted, unsigned percent) {
  return sorted.empty() ? T{} : sorted[(sorted.size() - 1) * percent / 100];
}

}  // namespace torusmu

#endif  // TORUSMU_SIM_OBSERVE_PERCENTILE_H_

// SPDX-License-Identifier: Apache-2.0
// For programs of scenarios and benches, in which a call of the host library does not fail.
#ifndef TORUSMU_SIM_PLAY_MUST_H_
#define TORUSMU_SIM_PLAY_MUST_H_

#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "torusmu/error.h"

namespace torusmu {

/// Throws std::runtime_error, "WHAT: reason", if there is an error.
inline void must(std::error_code error, const std::string& what) {
  if (error) throw std::runtime_error(what + ": " + error.message());
}

/// The value; throws as above if there is none.
template <typename T>
T must(Result<T> result, const std::string& what) {
  must(result.error(), what);
  return std::move(result.value());
}

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_MUST_H_

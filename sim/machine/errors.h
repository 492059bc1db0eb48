// SPDX-License-Identifier: Apache-2.0
#ifndef TORUSMU_SIM_MACHINE_ERRORS_H_
#define TORUSMU_SIM_MACHINE_ERRORS_H_

#include <stdexcept>

namespace torusmu {

// Bad usage or input: the command line prints the text and exits with 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_MACHINE_ERRORS_H_

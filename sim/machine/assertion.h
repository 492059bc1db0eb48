// SPDX-License-Identifier: Apache-2.0
// An assertion of the RTL that failed in a Verilated model.
#ifndef TORUSMU_SIM_MACHINE_ASSERTION_H_
#define TORUSMU_SIM_MACHINE_ASSERTION_H_

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "torusmu/types.h"

namespace torusmu {

struct FailedAssertion {
  std::string name;      // its label
  std::string model;     // name of the model, "node_3"
  std::string instance;  // path below the model, "u_messaging_unit.u_router"; empty: of its top
  std::string file;
  int line = 0;
  // Where and when, as far as what caught it knows.
  std::optional<NodeId> node;
  std::optional<Cycles> cycle;
};

// Thrown by the evaluation of a model.
class AssertionFailure : public std::runtime_error {
 public:
  AssertionFailure(FailedAssertion assertion, const std::string& text)
      : std::runtime_error(text), assertion_(std::move(assertion)) {}
  [[nodiscard]] const FailedAssertion& assertion() const { return assertion_; }

 private:
  FailedAssertion assertion_;
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_MACHINE_ASSERTION_H_

// SPDX-License-Identifier: Apache-2.0
// A failed assertion in the RTL ends as a C++ exception: a test reports it and the next test runs,
// the simulator prints it and exits 1. (Verilator's own handler aborts the process.)

#include <stdexcept>
#include <string>
#include <utility>

#include "sim/machine/assertion.h"
#include "tb/verilated_output.h"

// Called by Verilator's run-time library, which is built with VL_USER_STOP and VL_USER_FATAL.
// NOLINTBEGIN(readability-identifier-naming)
void vl_stop(const char* filename, int line, const char* hierarchy);
void vl_fatal(const char* filename, int line, const char* hierarchy, const char* message);
// NOLINTEND(readability-identifier-naming)

namespace torusmu {
namespace {

// "node_3.mu_gated_node.u_queue.never_full": model, module at its top, instance, label. Modules
// begin with mu_, instances do not.
FailedAssertion assertion_of(const std::string& path) {
  FailedAssertion found;
  const std::size_t last_dot = path.rfind('.');
  found.name = last_dot == std::string::npos ? path : path.substr(last_dot + 1);
  std::string above = last_dot == std::string::npos ? "" : path.substr(0, last_dot);
  const std::size_t top = above.rfind("mu_");
  if (top == std::string::npos || (top != 0 && above[top - 1] != '.')) {
    found.instance = above;
    return found;
  }
  found.model = above.substr(0, top == 0 ? 0 : top - 1);
  const std::size_t dot = above.find('.', top);
  if (dot != std::string::npos) found.instance = above.substr(dot + 1);
  return found;
}

}  // namespace
}  // namespace torusmu

void vl_stop(const char* filename, int line, const char* /*hierarchy*/) {
  const std::string path = std::exchange(torusmu::failed_assertion_path, "");
  torusmu::FailedAssertion assertion = torusmu::assertion_of(path);
  assertion.file = filename;
  assertion.line = line;
  std::string text = assertion.file + ":" + std::to_string(line) + ": assertion failed";
  if (!assertion.name.empty()) text += ": " + assertion.name;
  if (!assertion.instance.empty()) text += " in " + assertion.instance;
  throw torusmu::AssertionFailure(std::move(assertion), text);
}

void vl_fatal(const char* filename, int line, const char* hierarchy, const char* message) {
  throw std::runtime_error(std::string(filename) + ":" + std::to_string(line) + ": " + message +
                           (hierarchy != nullptr && *hierarchy != '\0' ? " in " : "") +
                           (hierarchy != nullptr ? hierarchy : ""));
}

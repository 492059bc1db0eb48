// SPDX-License-Identifier: Apache-2.0
// A failed assertion in the RTL ends as a C++ exception: a test reports it and the next test runs,
// the simulator prints it and exits 1. (Verilator's own handler aborts the process.)

#include <stdexcept>
#include <string>

// Called by Verilator's run-time library, which is built with VL_USER_STOP and VL_USER_FATAL.
// NOLINTBEGIN(readability-identifier-naming)
void vl_stop(const char* filename, int line, const char* hierarchy);
void vl_fatal(const char* filename, int line, const char* hierarchy, const char* message);
// NOLINTEND(readability-identifier-naming)

void vl_stop(const char* filename, int line, const char* hierarchy) {
  vl_fatal(filename, line, hierarchy, "assertion failed");
}

void vl_fatal(const char* filename, int line, const char* hierarchy, const char* message) {
  throw std::runtime_error(std::string(filename) + ":" + std::to_string(line) + ": " + message +
                           (hierarchy != nullptr && *hierarchy != '\0' ? " in " : "") +
                           (hierarchy != nullptr ? hierarchy : ""));
}

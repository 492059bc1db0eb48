// SPDX-License-Identifier: Apache-2.0
// Verilator prints the name and the place of an assertion that fails, and hands on file and line
// alone. Its run-time library is compiled with this header in front: that line is kept for what
// reports the failure, everything else is printed as ever.
#ifndef TORUSMU_TB_VERILATED_OUTPUT_H_
#define TORUSMU_TB_VERILATED_OUTPUT_H_

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <string>

namespace torusmu {

// Of this thread: "mu_gated_node.u_queue.never_full", or empty.
inline thread_local std::string failed_assertion_path;

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
inline int
print_from_model(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::string text(1024, '\0');
  const int length = std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  if (length < 0) return length;
  text.resize(std::min(text.size() - 1, static_cast<std::size_t>(length)));
  const std::string before = "Assertion failed in ";
  const std::size_t at = text.find(before);
  const std::size_t end = text.find(": ", at == std::string::npos ? at : at + before.size());
  if (at == std::string::npos || end == std::string::npos) return std::fputs(text.c_str(), stdout);
  failed_assertion_path = text.substr(at + before.size(), end - at - before.size());
  return length;
}

}  // namespace torusmu

#define VL_PRINTF torusmu::print_from_model

#endif  // TORUSMU_TB_VERILATED_OUTPUT_H_

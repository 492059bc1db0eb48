// SPDX-License-Identifier: Apache-2.0
// Commands as a user types them.
#ifndef TESTS_SUPPORT_SHELL_H_
#define TESTS_SUPPORT_SHELL_H_

#include <string>

namespace torusmu::testing {

struct Output {
  int status = -1;   // exit status; -1: none, a signal or no shell ended it
  std::string text;  // of both streams
};

// Runs `command` with sh and waits for its end.
Output shell(const std::string& command);

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_SHELL_H_

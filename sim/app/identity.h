// SPDX-License-Identifier: Apache-2.0
// What this program was made from: torusmu --version prints it, and results are filed under it.
#ifndef TORUSMU_SIM_APP_IDENTITY_H_
#define TORUSMU_SIM_APP_IDENTITY_H_

#include <string>

namespace torusmu {

struct BuildIdentity {
  std::string version;  // that of the file VERSION
  std::string commit;   // 40 hex digits, "-dirty" behind them if sources differ; empty without git
  std::string hash;     // of all sources, flags and tools: equal for programs of one build
  std::string profile;  // sim or bgp
  std::string verilator;  // its version
  bool stale = false;     // the program lies in a checkout whose RTL has changed since
};

// That of this program. Looks into the checkout once, in the first call.
const BuildIdentity& build_identity();

// What --version prints: a line for each member but `stale`.
std::string identity_text(const BuildIdentity& identity);

// One line to stderr if the RTL of the checkout has changed since.
void warn_if_stale();

// For a program that is to do a part of this one's work. Throws UsageError, which names `remedy`,
// if `program` is of another build.
void require_same_build(const std::string& program, const std::string& remedy);

}  // namespace torusmu

#endif  // TORUSMU_SIM_APP_IDENTITY_H_

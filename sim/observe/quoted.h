// SPDX-License-Identifier: Apache-2.0
// Commands that are printed for somebody to paste into a shell.
#ifndef TORUSMU_SIM_OBSERVE_QUOTED_H_
#define TORUSMU_SIM_OBSERVE_QUOTED_H_

#include <string>
#include <vector>

namespace torusmu {

// The word as a shell reads it back: as it is, or in quotation marks if it has to be.
std::string quoted(const std::string& word);
// A command of these words.
std::string quoted(const std::vector<std::string>& words);

}  // namespace torusmu

#endif  // TORUSMU_SIM_OBSERVE_QUOTED_H_

// SPDX-License-Identifier: Apache-2.0
// What is said beside the results, on stderr. Nothing else in the program writes there.
#ifndef TORUSMU_SIM_OBSERVE_NOTE_H_
#define TORUSMU_SIM_OBSERVE_NOTE_H_

#include <string>

namespace torusmu {

// Writes `text` as it is, or, where stderr takes nothing (a full disk, closed, a pipe that nobody
// reads), nothing: no result and no exit status depends on it.
void note(const std::string& text) noexcept;

// Stdin, stdout and stderr that are closed take the numbers of files that are opened later, and
// what is meant for them would go into those. Call first: they are opened as /dev/null, for reading
// alone, so that writing to them fails as before.
void keep_standard_files() noexcept;

}  // namespace torusmu

#endif  // TORUSMU_SIM_OBSERVE_NOTE_H_

// SPDX-License-Identifier: Apache-2.0
// What was measured on this computer becomes what the tree has.
#ifndef TORUSMU_DOCS_PAGES_TAKE_H_
#define TORUSMU_DOCS_PAGES_TAKE_H_

#include <filesystem>

namespace torusmu::pages {

// Brings the files of `results` up to date with those that the tools have left in `build`. Of what
// is not there nothing was measured: the file stays. Modules that are gone, by rtl/rtl.f, go.
void take_results(const std::filesystem::path& build, const std::filesystem::path& results);

}  // namespace torusmu::pages

#endif  // TORUSMU_DOCS_PAGES_TAKE_H_

// SPDX-License-Identifier: Apache-2.0
// What the build knows of itself: $(BUILD)/identity/facts.cc and model.cc, which
// write_identity_main.cc writes anew when something of it changes, define these. A folder of its
// own keeps them apart from the libraries, so that a commit makes nothing but the programs link
// again.
#ifndef TORUSMU_SIM_IDENTITY_FACTS_H_
#define TORUSMU_SIM_IDENTITY_FACTS_H_

#include <cstddef>

namespace torusmu {

struct BuildFacts {
  const char* version;
  const char* commit;
  const char* hash;
  const char* profile;
  const char* verilator;
  const char* root;  // of the checkout, as seen from the folder of the program
  const char* rtl_hash;
  const char* const* rtl_files;  // relative to the root
  std::size_t rtl_file_count;
};
extern const BuildFacts kBuildFacts;

// Of the RTL, its surroundings and the flags of a model. The libraries of the mesh engine have it
// too.
extern const char* const kModelHash;

}  // namespace torusmu

#endif  // TORUSMU_SIM_IDENTITY_FACTS_H_

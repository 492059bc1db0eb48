// SPDX-License-Identifier: Apache-2.0
// The sizes of the node that this program simulates.
#ifndef TORUSMU_SIM_MACHINE_PROFILE_H_
#define TORUSMU_SIM_MACHINE_PROFILE_H_

#include "torusmu/names.h"

namespace torusmu {

// Those of the profile that the node model was built with, by make PROFILE=sim or PROFILE=bgp.
#ifdef TORUSMU_PROFILE_BGP
inline constexpr const Sizes& kProfile = kBgp;
#else
inline constexpr const Sizes& kProfile = kSim;
#endif

}  // namespace torusmu

#endif  // TORUSMU_SIM_MACHINE_PROFILE_H_

// SPDX-License-Identifier: Apache-2.0
// Which results of a reduction MPI allows.
#ifndef TORUSMU_SIM_PLAY_REPLAY_RESULTS_H_
#define TORUSMU_SIM_PLAY_REPLAY_RESULTS_H_

#include <vector>

#include "torusmu/reduction.h"

namespace torusmu::replay {

// Whether some order of the operands, one of each rank, may give this result. `type` is f64 or f32,
// `op` sum, prod, min or max. Left open are the rounding of sums and products, the sign of a zero,
// which NaN it is, and what min and max make of a NaN.
bool is_allowed(ReduceOp op, DataType type, const std::vector<double>& operands, double result);

}  // namespace torusmu::replay

#endif  // TORUSMU_SIM_PLAY_REPLAY_RESULTS_H_

// SPDX-License-Identifier: Apache-2.0
// Messages whose data the MU stores out of the reception FIFO into the buffers of receives, by
// descriptors that the library posts: StoreBy::kMu (US 7,890,597).
#ifndef TORUSMU_SIM_PLAY_SCENARIO_STORE_PLAY_H_
#define TORUSMU_SIM_PLAY_SCENARIO_STORE_PLAY_H_

#include "sim/play/stage.h"
#include "torusmu/plan.h"

namespace torusmu {

/// Sets the nodes up. Every endpoint sends messages of up to 512 bytes to the same context of the
/// next task, which has posted receives for all; once the cores store them, once the MU. Checks
/// every byte, who has stored it, and that the MU leaves less to the cores; tells the cycles that a
/// message of 512 bytes takes of one. The plan has store_entries for all messages of an endpoint.
/// False if the stage did not come to an end.
bool play_stores_of_endpoints(Stage& stage, const NodePlan& plan);

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_SCENARIO_STORE_PLAY_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef TORUSMU_SIM_PLAY_SCENARIO_ENDPOINT_CORES_H_
#define TORUSMU_SIM_PLAY_SCENARIO_ENDPOINT_CORES_H_

#include <cstdint>
#include <functional>

#include "sim/play/must.h"
#include "sim/play/stage.h"
#include "torusmu/setup.h"

namespace torusmu {

/// Sets the nodes up, then runs `program` as every endpoint, on a core of its own. False if the
/// stage did not come to an end within `bound` cycles of either.
inline bool run_as_endpoints(Stage& stage, const NodePlan& plan, Cycles bound,
                             const std::function<void(Device&, Endpoint)>& program) {
  stage.on_all_nodes([&plan](Device& device) { must(NodeSetup(device, plan).run(), "set-up"); });
  if (!stage.run(bound)) return false;
  for (std::uint32_t t = 0; t < plan.tasks(); ++t) {
    for (std::uint32_t k = 0; k < plan.options().contexts; ++k) {
      stage.add_core(plan.place({t}).node, [&program, t, k](Device& device) {
        program(device, {{t}, {k}});
      });
    }
  }
  return stage.run(bound);
}

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_SCENARIO_ENDPOINT_CORES_H_

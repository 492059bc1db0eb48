// SPDX-License-Identifier: Apache-2.0
#include "sim/play/machine_waits.h"

#include <vector>

#include "sim/machine/profile.h"

namespace torusmu {

std::optional<WaitReport> waits_in(Machine& machine) {
  constexpr Cycles kLookBound = 100'000;
  std::vector<NodeQueues> nodes(machine.shape().nodes());
  const bool looked = machine.inspect(
      [&nodes](Device& device) {
        nodes.at(device.node().value) = look_at_queues(device, kProfile);
      },
      kLookBound);
  if (!looked) return std::nullopt;
  return who_waits(machine.shape(), nodes);
}

}  // namespace torusmu

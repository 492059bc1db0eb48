// SPDX-License-Identifier: Apache-2.0
// A long message that goes by way of a node with a few small buffers (US 9,344,490): by one PIPE
// there, its buffers one behind the other or in a list, by one at the origin and one at the target
// as well, by WQEs that its host posts, or for comparison directly.
#ifndef TORUSMU_SIM_PLAY_SCENARIO_PIPELINE_PLAY_H_
#define TORUSMU_SIM_PLAY_SCENARIO_PIPELINE_PLAY_H_

#include <cstdint>
#include <vector>

#include "sim/play/stage.h"

namespace torusmu {

inline constexpr Bytes kPieceBytes = 8192;
inline constexpr std::uint32_t kPipeBuffers = 4;

// Who sends to whom by way of whom; nodes may be the same.
struct Pipeline {
  NodeId origin{}, middle{}, target{};
  Bytes length = 0;        // in messages of kPieceBytes, the last of what is left
  std::uint32_t lane = 0;  // of the same nodes, 0 to 3: with queues and buffers of its own
  Bytes at = 0;            // of the message at its origin and at its target
  [[nodiscard]] std::uint32_t messages() const {
    return static_cast<std::uint32_t>((length + kPieceBytes - 1) / kPieceBytes);
  }
};

enum class ForwardBy { kPipe, kList, kPipes, kWqes, kDirect };

struct PipelineTimes {
  bool done = false;  // at all three nodes, within the bound, and no queue has an error
  // That the hosts have posted.
  std::uint32_t origin_wqes = 0, wqes = 0, target_wqes = 0;
  Cycles began = 0;     // when the origin rang its doorbell
  Cycles complete = 0;  // when the core of the target saw the last message received
  [[nodiscard]] Cycles cycles() const { return complete - began; }
};

// Where the message stands in the memory of its origin, and of its target.
inline constexpr Address kPipelineSource = 0x200000;
inline constexpr Address kPipelineTarget = 0x600000;
inline constexpr Bytes kPipelineMost = 0x200000;

// Plays all pipelines at once, which share no node but in different lanes, unless a node has
// several roles in one. Cores look for the end every `poll` cycles. An entry each.
std::vector<PipelineTimes> play_pipelines(Stage& stage, const std::vector<Pipeline>& pipelines,
                                          ForwardBy by, Cycles poll);

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_SCENARIO_PIPELINE_PLAY_H_

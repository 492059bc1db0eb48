// SPDX-License-Identifier: Apache-2.0
// pipeline: a megabyte goes from a node to another by way of a third with four buffers of 8 KiB, in
// every group of three nodes at once: first by the WQEs that software posts there, then by one PIPE
// (US 9,344,490), then by one whose buffers are a list, then by one at the origin and one at the
// target, too, and in four parts by four at once in each node. Checks every byte, that nothing is
// written behind the message, and that the PIPE is not slower.
#include <fmt/format.h>

#include <algorithm>

#include "sim/machine/mix.h"
#include "sim/play/scenario/checks.h"
#include "sim/play/scenario/opening.h"
#include "sim/play/scenario/pipeline_play.h"
#include "sim/play/scenario/raw_node.h"
#include "sim/play/scenario/scenarios.h"

namespace torusmu {
namespace {

constexpr Bytes kLength = (1 << 20) - 100;  // the last piece is short
constexpr Bytes kBrief = 9 * kPieceBytes + 77;
constexpr Bytes kGuarded = kLength + 100;
constexpr std::byte kGuard{0x5a};
constexpr Cycles kPoll = 200;
constexpr std::uint32_t kLanes = 4;

// A node that is left over takes no part; on fewer than three, nodes have several roles.
std::vector<Pipeline> pipelines_of(const Shape& shape, Bytes length) {
  const std::uint32_t nodes = shape.nodes();
  std::vector<Pipeline> pipelines;
  for (std::uint32_t n = 0; n == 0 || n + 3 <= nodes; n += 3) {
    pipelines.push_back({{n}, {(n + 1) % nodes}, {(n + 2) % nodes}, length});
  }
  return pipelines;
}

// In lanes, each with a PIPE of its own at every node.
std::vector<Pipeline> in_lanes(const std::vector<Pipeline>& pipelines) {
  std::vector<Pipeline> lanes;
  for (const Pipeline& whole : pipelines) {
    const Bytes part = (whole.messages() + kLanes - 1) / kLanes * kPieceBytes;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const Bytes at = lane * part;
      if (at >= whole.length) continue;
      lanes.push_back(
          {whole.origin, whole.middle, whole.target, std::min(part, whole.length - at), lane, at});
    }
  }
  return lanes;
}

// Plays all pipelines, and says how long the slowest took; nothing if one did not end.
struct Played {
  bool done = true;
  Cycles cycles = 0;
  std::uint32_t wqes = 0;
  std::uint32_t ends = 0;  // WQEs at the origin and at the target
};
Played play(Stage& stage, const std::vector<Pipeline>& pipelines, ForwardBy by, Tally& bytes,
            bool lanes = false) {
  for (const Pipeline& pipeline : pipelines) {
    stage.memory(pipeline.target).write(kPipelineTarget, std::vector<std::byte>(kGuarded, kGuard));
  }
  Played played;
  for (const PipelineTimes& times :
       play_pipelines(stage, lanes ? in_lanes(pipelines) : pipelines, by, kPoll)) {
    played.done = played.done && times.done;
    played.cycles = std::max(played.cycles, times.done ? times.cycles() : 0);
    played.wqes = std::max(played.wqes, times.wqes);
    played.ends = std::max(played.ends, times.origin_wqes + times.target_wqes);
  }
  for (const Pipeline& pipeline : pipelines) {
    std::vector<std::byte> wanted =
        pattern(mix(stage.seed() * 7 + pipeline.origin.value), pipeline.length);
    wanted.resize(kGuarded, kGuard);
    expect_bytes(bytes, stage.memory(pipeline.target), pipeline.target, kPipelineTarget, wanted);
  }
  return played;
}

}  // namespace

void play_pipeline(Stage& stage) {
  const Bytes length = stage.is_brief() ? kBrief : kLength;
  const std::vector<Pipeline> pipelines = pipelines_of(stage.shape(), length);
  for (const Pipeline& pipeline : pipelines) {
    stage.memory(pipeline.origin)
        .write(kPipelineSource,
               pattern(mix(stage.seed() * 7 + pipeline.origin.value), pipeline.length));
  }
  show_opening(stage, stage.now(),
               {"origin",
                {"register writes", "descriptors of requests", link_to_node_1(stage.shape()),
                 "requests received"}},
               {"forwards", {"requests received", "stores", "done in memory"}});
  Tally bytes("bytes");
  const Played wqes = play(stage, pipelines, ForwardBy::kWqes, bytes);
  stage.check("pipeline.wqes_done", wqes.done,
              fmt::format("{} WQEs a node, {} cycles", wqes.wqes, wqes.cycles));
  if (!wqes.done) return;
  const Played pipe = play(stage, pipelines, ForwardBy::kPipe, bytes);
  stage.check("pipeline.pipe_done", pipe.done && pipe.wqes == 1,
              fmt::format("{} WQE a node, {} cycles", pipe.wqes, pipe.cycles));
  if (!pipe.done) return;
  const Played list = play(stage, pipelines, ForwardBy::kList, bytes);
  stage.check("pipeline.list_done", list.done && list.wqes == 1,
              fmt::format("buffers of a list, {} cycles", list.cycles));
  if (!list.done) return;
  const Played pipes = play(stage, pipelines, ForwardBy::kPipes, bytes);
  stage.check("pipeline.pipes_done", pipes.done && pipes.wqes == 1 && pipes.ends == 2,
              fmt::format("1 WQE at origin, middle and target, {} cycles", pipes.cycles));
  if (!pipes.done) return;
  // No more than four PIPEs of a node run at once, and some of a node with several roles would
  // wait.
  if (stage.shape().nodes() >= 3) {
    const Played four = play(stage, pipelines, ForwardBy::kPipes, bytes, true);
    stage.check("pipeline.four_done", four.done && four.wqes == 1,
                fmt::format("four PIPEs at once in each node, {} cycles", four.cycles));
    if (!four.done) return;
  }
  bytes.report(stage, "pipeline.bytes");
  // A memory that is slow at random may be slower in the second run than in the first.
  if (stage.has_fixed_timing()) {
    stage.check("pipeline.pipe_is_not_slower", pipe.cycles <= wqes.cycles,
                fmt::format("{} cycles by the PIPE, {} by WQEs", pipe.cycles, wqes.cycles));
  }
  stage.say(fmt::format("{} bytes through a node, {} times: {} cycles by {} WQEs, {} by one PIPE",
                        length, pipelines.size(), wqes.cycles, wqes.wqes, pipe.cycles));
}

}  // namespace torusmu

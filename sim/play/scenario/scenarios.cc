// SPDX-License-Identifier: Apache-2.0
#include "sim/play/scenario/scenarios.h"

#include <fmt/format.h>

#include <array>

#include "sim/machine/errors.h"
#include "sim/machine/shape.h"
#include "sim/play/scenario/collective_play.h"

namespace torusmu {
namespace {

// Of four plays of the same messages: the setting up, and the first messages of the first play.
constexpr Cycles kPollingWaves = 30'000;
// The setting up, and the first calls by the cores.
constexpr Cycles kCollectivesWaves = 12'000;
// The first messages: the rest of a long run is more of the same, and half a gigabyte of trace.
constexpr Cycles kFirstMessages = 4'000;
// Nothing moves for long: from just before it goes on until all has gone round.
constexpr Cycles kStuckWaves = kStuckHelped - 200;
constexpr Cycles kStuckWavesEnd = kStuckHelped + 5'000;

constexpr std::array kScenarios{
    Scenario{"put", "every node puts messages of all sizes and alignments to every other", "2x2x2",
             false, play_put},
    Scenario{"fifo", "all nodes fill one reception FIFO, past its end and past its room", "2x2x2",
             false, play_fifo},
    Scenario{"get", "remote gets: every node fetches from every other", "2x2x2", false, play_get, 0,
             kNever, 1, kMostPeersOfGet},
    Scenario{"reflection", "a neighbour tells the origin that its last byte has left", "4x4x4",
             true, play_reflection},
    Scenario{"barrier", "a barrier of all nodes that the MU runs without the host", "4x4x4", true,
             play_barrier, kCollectiveStart, kNever, 2},
    Scenario{"allreduce", "a sum over all nodes that the MU runs without the host", "4x4x4", true,
             play_allreduce, kCollectiveStart, kNever, 2},
    Scenario{"collectives",
             "all nine collectives around each threshold, by the cores and by the MU", "2x2x2",
             false, play_collectives, 0, kCollectivesWaves, 2, kMostMembersOfCollectives},
    Scenario{"discard",
             "messages to RECEIVEs that are not enabled: discarded, told, delivered later", "2x2x2",
             false, play_discard},
    Scenario{"reduce-tree", "two reductions up a tree reuse the same buffers, without the host",
             "4x4x4", false, play_reduce_tree},
    Scenario{"fan", "messages gathered and distributed by queue pairs, without the host", "2x2x2",
             false, play_fan},
    Scenario{"pipeline", "a megabyte through a node with four small buffers: one PIPE against WQEs",
             "3x2x2", false, play_pipeline, 0, kFirstMessages, 2},
    Scenario{"channels",
             "three channels to all nodes through one queue pair, told apart by counters", "3x3x3",
             false, play_channels, 0, kFirstMessages, 1, kMostNodesOfChannels},
    Scenario{"stuck", "queues that can never go on: who waits for whom is told", "2x2x2", false,
             play_stuck, kStuckWaves, kStuckWavesEnd},
    Scenario{"fence",
             "fences behind sends of four tasks of a node, and behind puts and refused messages",
             "2x2x2", false, play_fence},
    Scenario{"polling", "the same messages while the library polls by four policies", "2x2x2",
             false, play_polling, 0, kPollingWaves},
    Scenario{"poll-parts", "many transfers waited for by one register that stands for all of them",
             "2x2x2", false, play_poll_parts},
    Scenario{"boot", "tasks start at random times while others send to them: boot buffers", "2x2x2",
             false, play_boot},
    Scenario{"shapes", "CALC of columns, blocks, transposes and padded pairs, bit by bit as C++",
             "2x2x2", false, play_shapes},
    Scenario{"loop", "queues that run as loops: a pipeline enabled by SEND_EN, and a token",
             "2x2x2", false, play_loop, 0, kNever, 2},
    Scenario{"producers", "several cores push into one queue: its slots in order, and full queues",
             "2x2x2", false, play_producers},
    Scenario{"endpoints", "two clients of two contexts a node: all to all, and what each owns",
             "2x2x2", false, play_endpoints, 0, kFirstMessages, 1, kMostNodesOfEndpoints},
    Scenario{"full-node",
             "all processes of all nodes, four groups each: the MU runs all their collectives",
             "2x2x2", false, play_full_node, 0, kFirstMessages, 2, kMostFullNodes},
    Scenario{"refusals", "what is wrong ends in a status, and in nothing else", "2x2x2", false,
             play_refusals, 0, kNever, 2, kMostNodes / 2},
    Scenario{"unit-memory", "vectors, queues and a CALC in the messaging unit's own memory",
             "2x2x2", false, play_unit_memory},
    Scenario{"tree", "barriers and global interrupts over the combining tree", "4x4x4", false,
             play_tree, 0, kFirstMessages, 2},
};

}  // namespace

std::span<const Scenario> scenarios() { return kScenarios; }

void require_nodes(const Scenario& scenario, const Shape& shape) {
  if (shape.nodes() < scenario.least_nodes) {
    throw UsageError(fmt::format("scenario {} on {}: must be {} nodes or more", scenario.name,
                                 shape_name(shape), scenario.least_nodes));
  }
  if (shape.nodes() > scenario.most_nodes) {
    throw UsageError(fmt::format("--mesh {}: scenario {} takes machines of {} to {} nodes, not {}",
                                 shape_name(shape), scenario.name, scenario.least_nodes,
                                 scenario.most_nodes, shape.nodes()));
  }
}

const Scenario* find_scenario(const std::string& name) {
  for (const Scenario& scenario : kScenarios) {
    if (name == scenario.name) return &scenario;
  }
  return nullptr;
}

}  // namespace torusmu

// SPDX-License-Identifier: Apache-2.0
// pipe.*: a megabyte by way of a node with four buffers of 8 KiB, by one PIPE there.
//
// Node 0 of a ring of eight sends to node 2, in pieces: by a PIPE in node 1, by one in each of the
// three, and for comparison directly. All is measured at the pins:
//
//   link_share    flits of payload on the link from node 1 to node 2, of the cycles from the first
//                 flit to the last that node 1 sends
//   added_cycles  by how much later the last flit arrives than when the pieces are sent directly,
//                 each from the first flit that leaves node 0
//   piece_cycles  cycles of one piece on a link: its packets of 34 flits
//   ..._wqes      posted by the hosts, with a PIPE in each node
//
// The same with four PIPEs at once in each of the three nodes, a quarter of the megabyte each.
#include <fmt/format.h>

#include <algorithm>

#include "sim/play/bench/benches.h"
#include "sim/play/bench/traffic.h"
#include "sim/play/figures.h"
#include "sim/play/machine_stage.h"
#include "sim/play/scenario/pins.h"
#include "sim/play/scenario/pipeline_play.h"
#include "sim/play/scenario/raw_node.h"

namespace torusmu {
namespace {

constexpr const char* kRing = "8x1x1";
constexpr NodeId kOrigin{0}, kMiddle{1}, kTarget{2};
constexpr unsigned kPlusX = 0;
constexpr Bytes kLength = 1 << 20;
constexpr Bytes kFlitBytes = 16;
constexpr Bytes kPacketBytes = 512;
constexpr Cycles kPacketFlits = 34;
constexpr Cycles kPoll = 100;

struct Flow {
  bool right = false;
  PipelineTimes times;
  Cycles leaves = 0;  // the first flit of a SEND, node 0
  Cycles first = 0;   // on the link from node 1 to node 2
  Cycles last = 0;
};

// When flits of SENDs to `to` went from `node` in direction x+.
void see(const std::vector<Event>& events, Flow& flow) {
  bool of_send = false;
  bool left = false, passed = false;
  for (const Event& event : events) {
    if (event.kind != Event::Kind::kFlitOut || event.direction != kPlusX) continue;
    if (event.flit.reply) continue;
    if (event.node == kOrigin && !left) {
      left = true;
      flow.leaves = event.cycle;
    }
    if (event.node != kMiddle) continue;
    if (event.flit.head) {
      of_send = header_of(event.flit).get<layout::packet_header::kind>() == Kind::kSend;
    }
    if (!of_send) continue;
    if (!passed) flow.first = event.cycle;
    passed = true;
    flow.last = event.cycle;
  }
}

// In so many lanes at once.
Flow measure(const BenchOptions& options, Sink& sink, ForwardBy by, std::uint32_t lanes = 1) {
  MachineConfig config = bench_config(kRing, options.latency, options);
  config.engine.record = true;
  MachineStage stage(config, sink);
  const std::vector<std::byte> message = pattern(options.seed, kLength);
  stage.memory(kOrigin).write(kPipelineSource, message);
  std::vector<Pipeline> pipelines;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    pipelines.push_back(
        {kOrigin, kMiddle, kTarget, kLength / lanes, lane, lane * (kLength / lanes)});
  }
  const std::vector<PipelineTimes> all = play_pipelines(stage, pipelines, by, kPoll);
  const bool done = std::ranges::all_of(all, &PipelineTimes::done);
  std::vector<std::byte> received(kLength);
  stage.memory(kTarget).read(kPipelineTarget, received);
  Flow flow{.right = done && received == message, .times = all.front()};
  see(stage.take_events(), flow);
  sink.add_machine(stage.machine());
  return flow;
}

}  // namespace

void bench_pipe(const BenchOptions& options, Sink& sink) {
  const Flow direct = measure(options, sink, ForwardBy::kDirect);
  sink.check("pipe.direct", direct.right, "every byte");
  const Flow pipe = measure(options, sink, ForwardBy::kPipe);
  sink.check("pipe.by_pipe", pipe.right, fmt::format("every byte, {} WQE", pipe.times.wqes));
  const Flow pipes = measure(options, sink, ForwardBy::kPipes);
  sink.check("pipe.by_pipes", pipes.right, "every byte, a PIPE in each node");
  const Flow four = measure(options, sink, ForwardBy::kPipes, 4);
  sink.check("pipe.by_four", four.right, "every byte, four PIPEs at once in each node");
  if (!direct.right || !pipe.right || !pipes.right || !four.right) return;
  const Cycles piece = kPieceBytes / kPacketBytes * kPacketFlits;
  const auto added = static_cast<double>(pipe.last - pipe.leaves) -
                     static_cast<double>(direct.last - direct.leaves);
  sink.figure("pipe.origin_wqes", pipes.times.origin_wqes);
  sink.figure("pipe.wqes", pipe.times.wqes);
  sink.figure("pipe.target_wqes", pipes.times.target_wqes);
  sink.figure("pipe.link_share", static_cast<double>(kLength / kFlitBytes) /
                                     static_cast<double>(pipe.last - pipe.first + 1));
  sink.figure("pipe.link_share_of_four", static_cast<double>(kLength / kFlitBytes) /
                                             static_cast<double>(four.last - four.first + 1));
  sink.figure("pipe.piece_cycles", static_cast<double>(piece));
  sink.figure("pipe.added_cycles", added);
  sink.figure("pipe.added_beyond_piece_cycles", added - static_cast<double>(piece));
}

}  // namespace torusmu

// SPDX-License-Identifier: Apache-2.0
// tree.*: barriers over the combining tree, of one member a node, measured at the pins.
//
//   barrier_signal_cycles   the members are cores: from the register write of the last one, taken
//                           from the pins of its node, to the last interrupt line that a release
//                           has raised. The release counter of that node has changed before.
//   barrier_offload_cycles  the members are queues, of a CTR_ADD and a WAIT each: from the doorbell
//                           of the last one, taken from the pins, to the last interrupt line that
//                           the end of a WAIT has raised.
//   link_cycles             of these on cables of the tree, on the longest way
//
// The last member is that of the last node, the deepest of the tree: its signal goes up to the
// root, and the longest way down is back to it.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sim/play/bench/benches.h"
#include "sim/play/machine_stage.h"
#include "sim/play/scenario/tree_play.h"

namespace torusmu {
namespace {

constexpr TreeClassId kClass{0};
constexpr std::uint32_t kSlots = 8;
constexpr Cycles kOthersFirst = 2'000;  // by then all others have arrived

enum class By { kCores, kQueues };

struct Measured {
  bool right = false;
  Cycles cycles = 0;
  Cycles on_cables = 0;
};

void arrive(Device& device, const TreeSignal& signal, By by) {
  TreeBarrier barrier(device, signal);
  if (by == By::kCores) {
    (void)barrier.arrive();
    return;
  }
  std::vector<Descriptor> list;
  barrier.append_to(list);
  list.back().set<layout::descriptor::interrupt_done>(1);
  TreePlay::post(device, kSlots, 0, list);
}

// Of the last write to a register of any node, and of the last interrupt line to rise behind it.
// Nothing if not every node was interrupted after it.
std::optional<Cycles> between(const std::vector<Event>& events, std::uint32_t nodes) {
  Cycles written = 0, raised = 0;
  std::uint32_t lines = 0;
  for (const Event& event : events) {
    if (event.kind == Event::Kind::kRegister && event.access.write) {
      written = std::max(written, event.cycle);
    }
  }
  for (const Event& event : events) {
    if (event.kind != Event::Kind::kInterrupt || event.lines == 0) continue;
    if (event.cycle <= written) return std::nullopt;
    raised = std::max(raised, event.cycle);
    ++lines;
  }
  if (lines != nodes) return std::nullopt;
  return raised - written;
}

Measured measure(const BenchOptions& options, Sink& sink, const std::string& mesh, By by) {
  MachineConfig config = options.machine(parse_shape(mesh));
  config.engine.record = true;
  MachineStage stage(config, sink);
  TreePlay play(stage);
  const TreeGroup all = play.everybody();
  Measured measured{.on_cables = Cycles{all.crossings()} * options.latency};
  if (!play.set_up(1, kSlots) ||
      !play.open(all, {.number = kClass, .raises_interrupt = by == By::kCores})) {
    return measured;
  }
  (void)stage.take_events();
  for (const NodeId node : all.nodes()) {
    const Cycles delay = node == all.nodes().back() ? kOthersFirst : 1;
    stage.add_core(node, [&play, node, delay, by](Device& device) {
      device.compute(delay);
      arrive(device, play.signal(kClass, node), by);
    });
  }
  if (!stage.run(TreePlay::kBound)) return measured;
  const auto cycles = between(stage.take_events(), stage.shape().nodes());
  sink.add_machine(stage.machine());
  measured.right = cycles.has_value();
  measured.cycles = cycles.value_or(0);
  return measured;
}

}  // namespace

void bench_tree(const BenchOptions& options, Sink& sink) {
  struct Size {
    const char* mesh;
    const char* variant;
  };
  for (const Size& size : {Size{"4x4x4", ""}, Size{"2x2x2", ".8_nodes"}}) {
    const std::string variant = size.variant;
    for (const By by : {By::kCores, By::kQueues}) {
      const std::string name =
          by == By::kCores ? "tree.barrier_signal_cycles" : "tree.barrier_offload_cycles";
      const Measured measured = measure(options, sink, size.mesh, by);
      sink.check(name + variant, measured.right,
                 fmt::format("{} cycles, {} of them on cables; every node interrupted once, after "
                             "the last had arrived",
                             measured.cycles, measured.on_cables));
      if (!measured.right) continue;
      sink.figure(name + variant, static_cast<double>(measured.cycles));
      if (by == By::kCores) {
        sink.figure("tree.link_cycles" + variant, static_cast<double>(measured.on_cables));
      }
    }
  }
}

}  // namespace torusmu

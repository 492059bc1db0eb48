// SPDX-License-Identifier: Apache-2.0
// A whole machine in simulation: nodes with memory and cores, and the engine that runs them.
#ifndef TORUSMU_SIM_MACHINE_MACHINE_H_
#define TORUSMU_SIM_MACHINE_MACHINE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/machine/assertion.h"
#include "sim/machine/axi_memory.h"
#include "sim/machine/core.h"
#include "sim/machine/engine.h"
#include "sim/machine/node_observer.h"
#include "sim/machine/node_shell.h"
#include "sim/machine/register_port.h"
#include "sim/machine/shape.h"

namespace torusmu {

enum class EngineKind { kFast, kMesh };

class Machine;

struct MachineConfig {
  EngineConfig engine;  // shape, link latency, threads, sleeping, record, faults, waves
  EngineKind kind = EngineKind::kFast;
  std::string mesh_folder = "build/mesh";  // where the mesh engine finds its libraries
  std::uint64_t seed = 1;                  // of everything random around the nodes
  Bytes memory_size = Bytes{1} << 30;      // of each node
  AxiTiming memory_timing;
  Cycles stop_at = kNever;  // the machine runs to there and no further
  CoreCosts costs;
  // If set: called about five times a second while the machine runs, and with `stopped` when it
  // stops.
  std::function<void(const Machine&, bool stopped)> progress;
  // If set: makes who looks on at the pins of a node.
  std::function<std::unique_ptr<NodeObserver>(const EngineConfig&, NodeId)> observer;
  // If set: who stands between the bus of a node's cores and its registers. It outlives the
  // machine.
  std::function<RegisterPort*(NodeId)> register_port;
};

// Thrown by what would run a machine beyond MachineConfig::stop_at.
class Stopped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// How a run ended.
struct RunResult {
  bool done = false;    // every core has returned and, from run(), nothing moves any more
  bool broken = false;  // it cannot go on: a program threw, or a rule at the pins was broken
  std::string
      failure;  // empty, or why the run is no good: which core, what it threw, what it waited for
  std::optional<FailedAssertion> assertion;  // of the RTL, if that is why
  Cycles cycles = 0;                         // last core to return; the deadline if one did not
};

class Machine {
 public:
  // Throws UsageError for a shape or latency that cannot be, and for a mesh engine that was not
  // built.
  explicit Machine(const MachineConfig& config);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  [[nodiscard]] const Shape& shape() const { return config_.engine.shape; }
  [[nodiscard]] const MachineConfig& config() const { return config_; }
  NodeMemory& memory(NodeId node) { return nodes_.at(node.value)->memory(); }
  // Cores of a node run in the order in which they were added. The program starts in the current
  // cycle.
  Core& add_core(NodeId node, Core::Program program);
  [[nodiscard]] const std::vector<std::unique_ptr<Core>>& cores(NodeId node) const {
    return nodes_.at(node.value)->cores();
  }

  // Runs until every core has returned and nothing moves any more, or until `deadline`. A program
  // that throws and a broken rule at the pins are failures of the result, not exceptions. This and
  // the two below throw Stopped if the machine has come to MachineConfig::stop_at.
  //
  // What programs refer to may be gone once this has returned or thrown: those that have not ended
  // are abandoned then. After an assertion or a broken rule the machine runs no further, and every
  // later run has the result of the first.
  RunResult run(Cycles deadline);
  // Runs `program` beside whatever has come to a stop or failed, as a further core of every node
  // whose register accesses cost next to nothing; for at most `cycles`. False if it did not end
  // there, or the machine is broken.
  bool inspect(const Core::Program& program, Cycles cycles);
  // Runs to exactly cycle `until`, whether cores have ended or not.
  RunResult run_to(Cycles until);

  // After an assertion or a broken rule at the pins: it runs no further.
  [[nodiscard]] bool is_broken() const { return broken_.has_value(); }

  // Who looks on, by node; empty unless MachineConfig::observer is set.
  [[nodiscard]] const std::vector<std::unique_ptr<NodeObserver>>& observers() const {
    return observers_;
  }

  [[nodiscard]] Cycles now() const { return engine_->now(); }
  [[nodiscard]] EngineCounts counts() const { return engine_->counts(); }
  // Node-cycles that have passed, evaluated or slept through.
  [[nodiscard]] std::uint64_t elapsed_node_cycles() const { return now() * shape().nodes(); }
  // CPU time of the process in run() and run_to().
  [[nodiscard]] double cpu_seconds() const { return cpu_seconds_; }
  [[nodiscard]] double wall_seconds() const { return wall_seconds_; }
  std::vector<Event> take_events() { return engine_->take_events(); }
  void close_waves() { engine_->close_waves(); }
  [[nodiscard]] std::string top_module() const { return engine_->top_module(); }
  // The same for the same contents of all memories.
  [[nodiscard]] std::uint64_t memory_hash() const;

 private:
  RunResult advance(Cycles limit, bool stop_when_done);
  void abandon_programs();
  bool run_engine(Cycles limit, bool stop_when_done);
  void require_time() const;

  MachineConfig config_;
  std::vector<std::unique_ptr<NodeObserver>> observers_;
  std::vector<std::unique_ptr<NodeShell>> nodes_;
  std::unique_ptr<MachineEngine> engine_;
  std::optional<RunResult> broken_;  // of an engine that can run no further
  double cpu_seconds_ = 0;
  double wall_seconds_ = 0;
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_MACHINE_MACHINE_H_

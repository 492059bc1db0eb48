// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/machine.h"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "sim/machine/errors.h"
#include "sim/machine/mix.h"
#include "sim/machine/simulated.h"

namespace torusmu {
namespace {

double process_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

Machine::Machine(const MachineConfig& config) : config_(config) {
  const Shape& shape = config.engine.shape;
  for (const NodeId node : config.engine.wave.nodes) {
    if (node.value >= shape.nodes()) {
      throw UsageError("node " + std::to_string(node.value) + " for waves is not in 0.." +
                       std::to_string(shape.nodes() - 1));
    }
  }
  for (std::uint32_t n = 0; n < shape.nodes(); ++n) {
    nodes_.push_back(std::make_unique<NodeShell>(shape, NodeId{n}, config.memory_size,
                                                 config.memory_timing, config.seed));
  }
  if (config.observer) {
    for (auto& node : nodes_) {
      observers_.push_back(config.observer(config.engine, node->node()));
      node->show_to(observers_.back().get());
    }
  }
  if (config.register_port) {
    for (auto& node : nodes_) node->put_before_registers(config.register_port(node->node()));
  }
  engine_ = config.kind == EngineKind::kFast
                ? make_fast_engine(config.engine, nodes_)
                : make_mesh_engine(config.engine, nodes_, config.mesh_folder);
}

Machine::~Machine() { simulated_cycles += elapsed_node_cycles(); }

Core& Machine::add_core(NodeId node, Core::Program program) {
  return nodes_.at(node.value)->add_core(config_.costs, std::move(program), now());
}

RunResult Machine::run(Cycles deadline) {
  try {
    RunResult result = advance(deadline, true);
    if (!result.done) abandon_programs();
    return result;
  } catch (...) {
    abandon_programs();
    throw;
  }
}
RunResult Machine::run_to(Cycles until) { return advance(until, false); }

void Machine::abandon_programs() {
  for (const auto& node : nodes_) node->abandon_programs(0);
}

bool Machine::inspect(const Core::Program& program, Cycles cycles) {
  if (broken_) return false;
  constexpr CoreCosts kCheap{.mmio_write = 1, .mmio_read = 1, .cached_line = 1, .mu_line = 1};
  std::vector<const Core*> inspectors;
  for (const auto& node : nodes_) {
    node->forgive_failures();  // a core that has failed would end the run at once
    inspectors.push_back(&node->add_core(kCheap, program, now()));
  }
  const auto have_ended = [&] {
    return std::all_of(inspectors.begin(), inspectors.end(),
                       [](const Core* core) { return core->state() == Core::State::kDone; });
  };
  constexpr Cycles kSlice = 1000;
  const Cycles limit = std::min(now() + cycles, config_.stop_at);
  require_time();
  try {
    for (Cycles before = now() - 1; now() < limit && now() != before && !have_ended();) {
      before = now();
      engine_->run(std::min(limit, now() + kSlice), false);
    }
  } catch (const std::exception& error) {
    broken_.emplace();
    broken_->broken = true;
    broken_->failure = error.what();
  }
  // What the inspectors refer to may be gone from here on.
  const bool ended = !broken_ && have_ended();
  for (const auto& node : nodes_) node->abandon_programs(node->cores().size() - 1);
  if (!broken_) require_time();
  return ended;
}

// For what has to run further.
void Machine::require_time() const {
  if (now() < config_.stop_at) return;
  throw Stopped("stopped at cycle " + std::to_string(now()) + ", as was asked for");
}

// In slices if somebody wants to hear of it; they move no flit.
bool Machine::run_engine(Cycles limit, bool stop_when_done) {
  if (!config_.progress) return engine_->run(limit, stop_when_done);
  using Clock = std::chrono::steady_clock;
  Cycles slice = 1000;
  bool ended = false;
  while (now() < limit && !ended) {
    const auto before = Clock::now();
    const Cycles until = std::min(limit, now() + slice);
    ended = engine_->run(until, stop_when_done);
    if (now() < until && !ended) break;  // a core has failed
    config_.progress(*this, false);
    const double seconds = std::chrono::duration<double>(Clock::now() - before).count();
    if (seconds < 0.1) slice *= 2;
    if (seconds > 0.4) slice = std::max<Cycles>(slice / 2, 100);
  }
  return ended;
}

RunResult Machine::advance(Cycles limit, bool stop_when_done) {
  if (broken_) return *broken_;
  RunResult result;
  bool ended = false;
  const double cpu = process_seconds();
  const auto wall = std::chrono::steady_clock::now();
  try {
    ended = run_engine(std::min(limit, config_.stop_at), stop_when_done);
  } catch (const UsageError&) {
    throw;
  } catch (const AssertionFailure& failure) {
    result.failure = failure.what();
    result.assertion = failure.assertion();
    result.broken = true;
  } catch (const std::exception& error) {
    result.failure = error.what();
    result.broken = true;
  }
  const bool engine_broke = result.broken;
  if (config_.progress) config_.progress(*this, true);
  cpu_seconds_ += process_seconds() - cpu;
  wall_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();

  result.done = true;
  Cycles first_failure = kNever;
  for (const auto& node : nodes_) {
    for (std::size_t c = 0; c < node->cores().size(); ++c) {
      const Core& core = *node->cores()[c];
      const std::string name =
          "core " + std::to_string(c) + " of node " + std::to_string(node->node().value);
      if (core.state() == Core::State::kRunning) {
        if (stop_when_done && result.failure.empty()) {
          result.failure = name + " has not ended by cycle " + std::to_string(now()) +
                           "; it waits for " + core.waiting_for();
        }
        result.done = false;
        continue;
      }
      result.cycles = std::max(result.cycles, core.finished_at());
      if (core.state() == Core::State::kFailed) {
        result.done = false;
        // The first to fail is the one to look at.
        if (!engine_broke && core.finished_at() < first_failure) {
          first_failure = core.finished_at();
          result.broken = true;
          result.failure =
              name + ", cycle " + std::to_string(core.finished_at()) + ": " + core.failure();
        }
      }
    }
  }
  if (stop_when_done && result.done && !ended) {
    result.done = false;
    if (result.failure.empty()) {
      result.failure =
          "all cores have returned, but packets still move at cycle " + std::to_string(now());
    }
  }
  // A core that failed, and a run that ended, in that very cycle have said so.
  if (!result.broken && !(result.done && ended)) require_time();
  if (!result.done) result.cycles = now();
  if (engine_broke) broken_ = result;
  return result;
}

std::uint64_t Machine::memory_hash() const {
  std::uint64_t sum = 0;
  for (const auto& node : nodes_) sum += mix(node->memory().hash() ^ mix(node->node().value));
  return sum;
}

}  // namespace torusmu

// SPDX-License-Identifier: Apache-2.0
// What stands around the pins of one node, the same for both engines: cores, register bus, memory.
#ifndef TORUSMU_SIM_MACHINE_NODE_SHELL_H_
#define TORUSMU_SIM_MACHINE_NODE_SHELL_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/machine/axi_memory.h"
#include "sim/machine/axil_master.h"
#include "sim/machine/core.h"
#include "sim/machine/core_watch.h"
#include "sim/machine/events.h"
#include "sim/machine/node_observer.h"
#include "sim/machine/profile.h"
#include "sim/machine/register_port.h"
#include "sim/machine/shape.h"

namespace torusmu {

// The part that does not see the pins.
class NodeShell final : public NodeBackend {
 public:
  NodeShell(const Shape& shape, NodeId node, Bytes memory_size, const AxiTiming& timing,
            std::uint64_t seed)
      : shape_(shape),
        node_(node),
        seed_(mix(seed ^ mix(node.value))),
        memory_(memory_size),
        axi_(memory_, timing, seed_),
        watch_(kProfile) {}

  [[nodiscard]] Shape shape() const override { return shape_; }
  [[nodiscard]] NodeId node() const override { return node_; }
  NodeMemory& memory() override { return memory_; }
  [[nodiscard]] const NodeMemory& memory() const { return memory_; }
  void start(Core& core, const RegisterAccess& access, Cycles /*now*/) override {
    watch_.note(access);
    bus_.start(&core, access);
  }
  void accessed(Address address, Bytes bytes, bool write, Cycles /*now*/) override {
    watch_.see(address, bytes, write,
               [this](const RegisterAccess& report) { bus_.start(nullptr, report); });
  }
  [[nodiscard]] std::size_t reports() const override { return bus_.without_core(); }
  [[nodiscard]] bool interrupt(ClientId client) const override {
    return (lines_ >> client.value & 1U) != 0;
  }

  Core& add_core(const CoreCosts& costs, Core::Program program, Cycles start) {
    const std::uint64_t seed = mix(seed_ + cores_.size() + 1);
    cores_.push_back(std::make_unique<Core>(*this, costs, std::move(program), start, seed));
    next_wake_ = std::min(next_wake_, start);
    ++running_;
    return *cores_.back();
  }
  [[nodiscard]] const std::vector<std::unique_ptr<Core>>& cores() const { return cores_; }
  // Earliest cycle in which a core wants to run.
  [[nodiscard]] Cycles next_wake() const { return next_wake_; }
  // No access under way on either bus: a quiescent node may sleep.
  [[nodiscard]] bool idle() const { return !bus_.busy() && axi_.idle() && port_ == nullptr; }
  // From now on it stands between the bus of the cores and the node, if not null; such a node never
  // sleeps and its machine never rests, for what comes in there nobody else sees.
  void put_before_registers(RegisterPort* port) { port_ = port; }
  // Events go here if not null.
  void record_to(std::vector<Event>* events) { events_ = events; }
  // What the pins show goes here too, if not null.
  void show_to(NodeObserver* observer) {
    observer_ = observer;
    axi_.show_to(observer);
  }
  [[nodiscard]] NodeObserver* observer() const { return observer_; }

  template <typename Pins>
  static void reset(Pins& pins) {
    AxilMaster::reset(pins);
    AxiMemory::reset(pins);
  }

  // What goes into the node at an edge.
  struct Inputs {
    bool registers = false;       // on the AXI4-Lite slave
    bool memory = false;          // an access on the AXI4 master is under way
    bool memory_valid = false;    // R or B is valid
    bool memory_changed = false;  // its input pins may have changed
  };

  // Before the edge of cycle `t`: cores run, then the inputs of both buses are driven.
  template <typename Pins>
  Inputs before_edge(Pins& pins, Cycles t) {
    if (next_wake_ <= t) run_cores(t);
    Inputs inputs;
    if (port_ != nullptr) {
      inputs.registers = true;
      step_port(pins, t);
    } else if (bus_.busy()) {
      inputs.registers = true;
      step_registers(pins, t);
    }
    if ((pins.m_axi_arvalid() | pins.m_axi_awvalid() | pins.m_axi_wvalid()) != 0 || !axi_.idle()) {
      inputs.memory = true;
      axi_.step(pins, t);
      inputs.memory_valid = axi_.shown();
      inputs.memory_changed = axi_.changed();
    }
    return inputs;
  }

  // After the edge of cycle `t`: the cores of the next cycle see the interrupt lines.
  template <typename Pins>
  void after_edge(Pins& pins, Cycles t) {
    const auto lines = static_cast<std::uint32_t>(pins.irq_o());
    if (lines != lines_) change_interrupts(lines, t);
  }

  [[nodiscard]] unsigned running_cores() const { return running_; }
  // Last cycle in which a core ran.
  [[nodiscard]] Cycles last_core_run() const { return last_core_run_; }
  // A program ended with an exception, since the last forgive_failures().
  [[nodiscard]] bool failed() const { return failures_ > forgiven_; }
  void forgive_failures() { forgiven_ = failures_; }
  // Those of core number `first` and of all behind it.
  void abandon_programs(std::size_t first) {
    for (std::size_t i = first; i < cores_.size(); ++i) {
      if (cores_[i]->state() == Core::State::kRunning) --running_;
      cores_[i]->abandon();
    }
    find_next_wake();
  }

 private:
  // What few cycles do, apart from what each does.
  template <typename Pins>
  [[gnu::noinline]] void step_registers(Pins& pins, Cycles t) {
    const RegisterAccess* taken = bus_.step(pins, t);
    if (taken != nullptr && events_ != nullptr) {
      events_->push_back({.cycle = t, .node = node_, .access = *taken});
    }
    if (taken != nullptr && observer_ != nullptr) observer_->register_taken(t, *taken);
    // An answer may have woken a core for the next cycle.
    find_next_wake();
  }
  // What the port and the node show is registered, so each sees at this edge what stood before it.
  template <typename Pins>
  [[gnu::noinline]] void step_port(Pins& pins, Cycles t) {
    cores_wires_.response = port_->to_cores();
    if (bus_.busy()) step_registers(cores_wires_, t);
    const AxilResponse from_node = response_of(pins);
    drive_request(pins, port_->to_node());
    port_->edge(cores_wires_.request, from_node);
  }
  [[gnu::noinline]] void change_interrupts(std::uint32_t lines, Cycles t) {
    lines_ = lines;
    if (events_ != nullptr) {
      events_->push_back(
          {.cycle = t, .node = node_, .kind = Event::Kind::kInterrupt, .lines = lines});
    }
    if (observer_ != nullptr) observer_->interrupts(t, lines);
    for (const auto& core : cores_) core->interrupts_changed(lines, t + 1);
    find_next_wake();
  }
  [[gnu::noinline]] void run_cores(Cycles t) {
    running_ = 0;
    failures_ = 0;
    last_core_run_ = t;
    for (const auto& core : cores_) {
      core->run_until(t);
      if (core->state() == Core::State::kRunning) ++running_;
      if (core->state() == Core::State::kFailed) ++failures_;
    }
    find_next_wake();
  }
  void find_next_wake() {
    next_wake_ = kNever;
    for (const auto& core : cores_) next_wake_ = std::min(next_wake_, core->next_wake());
  }

  Shape shape_;
  NodeId node_;
  std::uint64_t seed_;  // of everything random around this node
  NodeMemory memory_;
  AxiMemory axi_;
  AxilMaster bus_;
  RegisterPort* port_ = nullptr;
  AxilWires cores_wires_;  // between the cores and the port
  CoreWatch watch_;
  std::vector<std::unique_ptr<Core>> cores_;
  Cycles next_wake_ = kNever;
  unsigned running_ = 0;
  unsigned failures_ = 0;  // cores that have failed
  unsigned forgiven_ = 0;
  Cycles last_core_run_ = 0;
  std::uint32_t lines_ = 0;
  std::vector<Event>* events_ = nullptr;
  NodeObserver* observer_ = nullptr;
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_MACHINE_NODE_SHELL_H_

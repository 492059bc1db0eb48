// SPDX-License-Identifier: Apache-2.0
// Two nodes side by side, each with the simulator's memory and a core that runs the host library:
// node 0 puts 4 KiB into node 1 and is told when they are there.
#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "Vmu_axi_node.h"
#include "torusmu/context.h"
#include "torusmu/setup.h"
#include "torusmu/sim/machine/node_shell.h"

namespace {
using namespace torusmu;

constexpr Bytes kMemory = Bytes{16} << 20;
constexpr Cycles kLimit = 1'000'000;

// The model's pins by the names that the simulator's memory and bus master use.
struct Pins {
  Vmu_axi_node model;
#define PIN_IN(name) \
  void set_##name(std::uint64_t value) { model.name = value; }
#define PIN_OUT(name) \
  std::uint64_t name() const { return model.name; }
#define WIDE_IN(name, words) \
  void set_##name(const std::uint32_t* value) { std::copy_n(value, words, model.name.data()); }
#define WIDE_OUT(name, words) \
  void get_##name(std::uint32_t* value) const { std::copy_n(model.name.data(), words, value); }
#include "torusmu/sim/machine/bus_pins.def"
};

struct Node {
  Pins pins;
  NodeShell shell;  // memory, cores and the register bus between them and the pins
  explicit Node(std::uint32_t x) : shell({2, 1, 1}, NodeId{x}, kMemory, AxiTiming{}, 1) {
    NodeShell::reset(pins);
    pins.model.x_i = x, pins.model.last_x_i = 1;
  }
};

class Machine {
 public:
  Machine() {
    for (int i = 0; i < 4; ++i) cycle();
    for (Node& node : nodes_) node.pins.model.rst_ni = 1;
  }
  NodeMemory& memory(unsigned x) { return nodes_[x].shell.memory(); }
  void add_core(unsigned x, const Core::Program& program) {
    nodes_[x].shell.add_core(CoreCosts{}, program, time_);
  }
  // Runs until all cores have returned; returns the cycles that it took.
  Cycles run() {
    const Cycles start = time_;
    const auto runs = [](Node& node) { return node.shell.running_cores() != 0; };
    for (cycle(); std::any_of(nodes_, nodes_ + 2, runs); cycle())
      if (time_ == start + kLimit) throw std::runtime_error("a core has not returned");
    for (Node& node : nodes_)
      if (node.shell.failed()) throw std::runtime_error(node.shell.cores().back()->failure());
    return time_ - start;
  }

 private:
  void cycle() {
    Vmu_axi_node &a = nodes_[0].pins.model, &b = nodes_[1].pins.model;
    for (Node& node : nodes_) node.shell.before_edge(node.pins, time_);
    for (int clock : {1, 0})
      for (Vmu_axi_node* model : {&a, &b}) model->clk_i = clock, model->eval();
    a.xm_i = b.xp_o, a.xp_i = b.xm_o, b.xm_i = a.xp_o, b.xp_i = a.xm_o;
    for (Node& node : nodes_) node.shell.after_edge(node.pins, time_);
    ++time_;
  }
  Node nodes_[2]{Node(0), Node(1)};
  Cycles time_ = 0;
};

auto need(auto result) { return result ? *result : throw std::system_error(result.error()); }
}  // namespace

int main() try {
  Machine machine;
  const NodePlan plan = need(NodePlan::make({2, 1, 1}, kSim, kMemory));
  for (unsigned x : {0, 1})
    machine.add_core(x, [&](Device& device) {
      if (const auto error = NodeSetup(device, plan).run()) throw std::system_error(error);
    });
  machine.run();

  constexpr Bytes kBytes = 4096, kOffset = 100;
  std::vector<std::byte> data(kBytes), found(kBytes);
  for (Bytes i = 0; i < kBytes; ++i) data[i] = static_cast<std::byte>(i * 7 + i / 256);
  machine.add_core(0, [&](Device& device) {
    Context context(device, plan, ClientId{0});
    const Address from = need(context.take_heap(kBytes));
    device.store(from, data);
    const Request put = need(context.put({Task{1}, plan.heap_region(ClientId{0}), kOffset}, from,
                                         kBytes, {.notify = Notify::kDelivered}));
    if (const auto error = need(context.wait(put, device.now() + kLimit)).error)
      throw std::system_error(error);
  });
  const Cycles taken = machine.run();
  machine.memory(1).read(plan.heap(ClientId{0}).address + kOffset, found);
  std::printf("%s: %u bytes from node 0 into node 1 in %u cycles\n",
              found == data ? "PASS" : "FAIL", unsigned{kBytes}, unsigned(taken));
  return found == data ? 0 : 1;
} catch (const std::exception& error) {
  std::printf("FAIL: %s\n", error.what());
  return 1;
}

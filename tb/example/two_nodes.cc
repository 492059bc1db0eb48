// SPDX-License-Identifier: Apache-2.0
// Two nodes side by side, each with a memory of its own, driven by the host library: node 0 puts 4
// KiB into node 1 and is told when they are there.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "Vmu_axi_node.h"
#include "torusmu/context.h"
#include "torusmu/setup.h"

namespace {
using namespace torusmu;

constexpr Bytes kMemory = Bytes{16} << 20, kBeat = 32;
constexpr Cycles kLimit = 1'000'000;

struct Node {
  struct Burst {
    Address address;
    unsigned id, beats;
  };
  Vmu_axi_node pins;
  std::vector<std::byte> memory = std::vector<std::byte>(kMemory);
  std::deque<Burst> reads, writes;

  std::byte* line(Address address) {
    address -= address % kBeat;
    if (address + kBeat > kMemory) throw std::out_of_range("the node left its memory");
    return memory.data() + address;
  }
  // What the memory shows before a clock edge.
  void drive() {
    pins.m_axi_arready = pins.m_axi_awready = 1;
    pins.m_axi_wready = !writes.empty() && writes.back().beats != 0;
    pins.m_axi_rvalid = !reads.empty();
    pins.m_axi_bvalid = !writes.empty() && writes.front().beats == 0;
    if (pins.m_axi_rvalid) {
      pins.m_axi_rid = reads.front().id, pins.m_axi_rlast = reads.front().beats == 1;
      std::memcpy(pins.m_axi_rdata.data(), line(reads.front().address), kBeat);
    }
    if (pins.m_axi_bvalid) pins.m_axi_bid = writes.front().id;
  }
  // What the edge transfers.
  void take() {
    if (pins.m_axi_rvalid && pins.m_axi_rready) {
      reads.front().address += kBeat - reads.front().address % kBeat;
      if (--reads.front().beats == 0) reads.pop_front();
    }
    if (pins.m_axi_wvalid && pins.m_axi_wready) {
      const auto burst = std::find_if(writes.begin(), writes.end(),
                                      [](const Burst& other) { return other.beats != 0; });
      std::byte* to = line(burst->address);
      for (Bytes i = 0; i < kBeat; ++i) {
        const std::uint32_t word = pins.m_axi_wdata[i / 4] >> i % 4 * 8;
        if (pins.m_axi_wstrb >> i & 1) to[i] = static_cast<std::byte>(word);
      }
      burst->address += kBeat - burst->address % kBeat, --burst->beats;
    }
    if (pins.m_axi_bvalid && pins.m_axi_bready) writes.pop_front();
    if (pins.m_axi_arvalid)
      reads.push_back({pins.m_axi_araddr, pins.m_axi_arid, pins.m_axi_arlen + 1U});
    if (pins.m_axi_awvalid)
      writes.push_back({pins.m_axi_awaddr, pins.m_axi_awid, pins.m_axi_awlen + 1U});
  }
};

struct Machine {
  std::array<Node, 2> nodes;
  Cycles time = 0;

  void cycle() {
    for (Node& node : nodes) node.drive(), node.pins.eval(), node.take();
    const auto xp = std::array{nodes[0].pins.xp_o, nodes[1].pins.xp_o};
    const auto xm = std::array{nodes[0].pins.xm_o, nodes[1].pins.xm_o};
    for (int clock : {1, 0})
      for (Node& node : nodes) node.pins.clk_i = clock, node.pins.eval();
    for (int n : {0, 1}) nodes[n].pins.xm_i = xp[1 - n], nodes[n].pins.xp_i = xm[1 - n];
    ++time;
  }
};

class Core final : public Device {
 public:
  Core(Machine& machine, std::uint32_t node) : machine_(machine), node_{node} {}
  Shape shape() const override { return {2, 1, 1}; }
  NodeId node() const override { return node_; }
  Bytes memory_size() const override { return kMemory; }
  void write32(std::uint32_t a, std::uint32_t v) override {
    write(a, std::uint64_t{v} << a % 8 * 8, 15 << a % 8);
  }
  void write64(std::uint32_t a, std::uint64_t v) override { write(a, v, 0xFF); }
  std::uint32_t read32(std::uint32_t a) override {
    return static_cast<std::uint32_t>(read64(a) >> a % 8 * 8);
  }
  std::uint64_t read64(std::uint32_t address) override {
    pins().s_axil_araddr = address, pins().s_axil_arvalid = pins().s_axil_rready = 1;
    until([&] { return pins().s_axil_arready; }), pins().s_axil_arvalid = 0;
    std::uint64_t data = 0;
    until([&] { return data = pins().s_axil_rdata, pins().s_axil_rvalid; });
    return data;
  }
  void store(Address a, std::span<const std::byte> d) override {
    std::memcpy(at(a, d.size()), d.data(), d.size());
  }
  void load(Address a, std::span<std::byte> d) override {
    std::memcpy(d.data(), at(a, d.size()), d.size());
  }
  void work(Work, std::uint64_t) override { machine_.cycle(); }
  void compute(Cycles cycles) override {
    while (cycles-- > 0) machine_.cycle();
  }
  Cycles now() const override { return machine_.time; }
  bool wait_interrupt(ClientId client, Cycles deadline) override {
    while (!(pins().irq_o >> client.value & 1) && now() < deadline) machine_.cycle();
    return pins().irq_o >> client.value & 1;
  }

 private:
  Vmu_axi_node& pins() const { return machine_.nodes[node_.value].pins; }
  std::byte* at(Address address, Bytes bytes) {
    machine_.cycle();
    if (address > kMemory || bytes > kMemory - address) throw std::out_of_range("a core's address");
    return machine_.nodes[node_.value].memory.data() + address;
  }
  // Clocks until an edge that sees `happens`.
  template <typename Happens>
  void until(const Happens& happens) {
    const Cycles end = now() + kLimit;
    for (bool done = false; !done; machine_.cycle()) {
      if (now() == end) throw std::runtime_error("no answer on AXI4-Lite");
      pins().eval(), done = happens();
    }
  }
  void write(std::uint32_t address, std::uint64_t data, int strobe) {
    pins().s_axil_awaddr = address & ~7U, pins().s_axil_wdata = data, pins().s_axil_wstrb = strobe;
    pins().s_axil_bready = 1;
    bool address_taken = false, data_taken = false;
    until([&] {
      pins().s_axil_awvalid = !address_taken, pins().s_axil_wvalid = !data_taken;
      address_taken |= pins().s_axil_awready, data_taken |= pins().s_axil_wready;
      return address_taken && data_taken;
    });
    pins().s_axil_awvalid = pins().s_axil_wvalid = 0;
    until([&] { return pins().s_axil_bvalid; });
  }
  Machine& machine_;
  NodeId node_;
};
}  // namespace

int main() try {
  const auto need = [](auto result) {
    return result ? *result : throw std::system_error(result.error());
  };
  Machine machine;
  for (int n : {0, 1}) machine.nodes[n].pins.x_i = n, machine.nodes[n].pins.last_x_i = 1;
  for (int i = 0; i < 4; ++i) machine.cycle();
  for (Node& node : machine.nodes) node.pins.rst_ni = 1;

  Core core0(machine, 0), core1(machine, 1);
  const NodePlan plan = need(NodePlan::make(core0.shape(), kSim, kMemory));
  for (Core* core : {&core0, &core1})
    if (const auto error = NodeSetup(*core, plan).run()) throw std::system_error(error);

  constexpr Bytes kBytes = 4096, kOffset = 100;
  std::array<std::byte, kBytes> data, found;
  for (Bytes i = 0; i < kBytes; ++i) data[i] = static_cast<std::byte>(i * 7 + i / 256);
  Context context(core0, plan, ClientId{0});
  const Address from = need(context.take_heap(kBytes));
  core0.store(from, data);
  const Cycles start = machine.time;
  const Request put = need(context.put({Task{1}, plan.heap_region(ClientId{0}), kOffset}, from,
                                       kBytes, {.notify = Notify::kDelivered}));
  if (const auto error = need(context.wait(put, context.now() + kLimit)).error)
    throw std::system_error(error);
  core1.load(plan.heap(ClientId{0}).address + kOffset, found);
  std::printf("%s: %llu bytes from node 0 into node 1 in %llu cycles\n",
              found == data ? "PASS" : "FAIL", static_cast<unsigned long long>(kBytes),
              static_cast<unsigned long long>(machine.time - start));
  return found == data ? 0 : 1;
} catch (const std::exception& error) {
  std::printf("FAIL: %s\n", error.what());
  return 1;
}

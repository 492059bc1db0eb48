// SPDX-License-Identifier: Apache-2.0
#include "sim/app/jtag_chain.h"

#include <Vdebug_port.h>
#include <verilated.h>

#include <stdexcept>
#include <utility>

#include "sim/machine/register_port.h"

namespace torusmu {

class DebugPort final : public RegisterPort {
 public:
  DebugPort() : model_(&context_, "debug_port") {
    constexpr unsigned kResetCycles = 4;
    context_.assertOn(true);
    model_.trst_ni = 1;
    model_.rst_ni = 0;
    for (unsigned i = 0; i < kResetCycles; ++i) clock();
    model_.rst_ni = 1;
    model_.eval();
  }
  ~DebugPort() override {
    model_.final();
    // Verilator 5.006 unregisters a model's scopes at the thread's current context.
    Verilated::threadContextp(&context_);
  }
  DebugPort(const DebugPort&) = delete;
  DebugPort& operator=(const DebugPort&) = delete;

  [[nodiscard]] AxilResponse to_cores() const override {
    return {.awready = model_.s_axil_awready != 0,
            .wready = model_.s_axil_wready != 0,
            .bvalid = model_.s_axil_bvalid != 0,
            .bresp = model_.s_axil_bresp,
            .arready = model_.s_axil_arready != 0,
            .rvalid = model_.s_axil_rvalid != 0,
            .rdata = model_.s_axil_rdata,
            .rresp = model_.s_axil_rresp};
  }
  [[nodiscard]] AxilRequest to_node() const override {
    return {.awvalid = model_.m_axil_awvalid != 0,
            .awaddr = model_.m_axil_awaddr,
            .wvalid = model_.m_axil_wvalid != 0,
            .wdata = model_.m_axil_wdata,
            .wstrb = model_.m_axil_wstrb,
            .bready = model_.m_axil_bready != 0,
            .arvalid = model_.m_axil_arvalid != 0,
            .araddr = model_.m_axil_araddr,
            .rready = model_.m_axil_rready != 0};
  }
  void edge(const AxilRequest& from_cores, const AxilResponse& from_node) override {
    model_.s_axil_awvalid = from_cores.awvalid;
    model_.s_axil_awaddr = from_cores.awaddr;
    model_.s_axil_wvalid = from_cores.wvalid;
    model_.s_axil_wdata = from_cores.wdata;
    model_.s_axil_wstrb = from_cores.wstrb;
    model_.s_axil_bready = from_cores.bready;
    model_.s_axil_arvalid = from_cores.arvalid;
    model_.s_axil_araddr = from_cores.araddr;
    model_.s_axil_rready = from_cores.rready;
    model_.m_axil_awready = from_node.awready;
    model_.m_axil_wready = from_node.wready;
    model_.m_axil_bvalid = from_node.bvalid;
    model_.m_axil_bresp = from_node.bresp;
    model_.m_axil_arready = from_node.arready;
    model_.m_axil_rvalid = from_node.rvalid;
    model_.m_axil_rdata = from_node.rdata;
    model_.m_axil_rresp = from_node.rresp;
    clock();
  }

  void set(bool tck, bool tms, bool tdi) {
    model_.tck_i = tck;
    model_.tms_i = tms;
    model_.tdi_i = tdi;
  }
  void set_trst(bool resets) { model_.trst_ni = !resets; }
  [[nodiscard]] bool tdo() const { return model_.tdo_o != 0; }

 private:
  void clock() {
    model_.eval();
    model_.clk_i = 1;
    model_.eval();
    model_.clk_i = 0;
    model_.eval();
  }

  VerilatedContext context_;
  Vdebug_port model_;
};

JtagChain::JtagChain(MachineConfig config, unsigned half_cycles) : half_cycles_(half_cycles) {
  for (std::uint32_t n = 0; n < config.engine.shape.nodes(); ++n) {
    ports_.push_back(std::make_unique<DebugPort>());
  }
  config.register_port = [this](NodeId node) { return ports_[node.value].get(); };
  machine_ = std::make_unique<Machine>(config);
  run();  // TCK is low for that long before it first rises
}

JtagChain::~JtagChain() = default;

void JtagChain::set(bool tck, bool tms, bool tdi) {
  // Nodes run apart from each other while the machine runs, so that what one has put on its TDO
  // enters the next when it stops: a cable as long as half a period of TCK. TDO has changed by
  // then, and TDI is looked at with the rising edge.
  for (std::size_t n = 0; n < ports_.size(); ++n) {
    ports_[n]->set(tck, tms, n == 0 ? tdi : ports_[n - 1]->tdo());
  }
  if (tck == tck_) return;
  tck_ = tck;
  if (tck) ++clocks_;
  run();
}

void JtagChain::set_trst(bool resets) {
  for (auto& port : ports_) port->set_trst(resets);
  run();
}

void JtagChain::run() {
  const RunResult result = machine_->run_to(machine_->now() + half_cycles_);
  if (result.broken) throw std::runtime_error(result.failure);
}

bool JtagChain::tdo() const { return ports_.back()->tdo(); }

}  // namespace torusmu

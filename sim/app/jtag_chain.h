// SPDX-License-Identifier: Apache-2.0
// The JTAG chain of a machine: beside each node the Verilated debug port,
// rtl/debug/mu_debug_port.sv, on its register bus; TDO of each node is TDI of the next.
#ifndef TORUSMU_SIM_APP_JTAG_CHAIN_H_
#define TORUSMU_SIM_APP_JTAG_CHAIN_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/machine/machine.h"

namespace torusmu {

class DebugPort;

class JtagChain {
 public:
  // `half_cycles` is for how many cycles of the machine TCK stands after each change.
  JtagChain(MachineConfig config, unsigned half_cycles);
  ~JtagChain();
  JtagChain(const JtagChain&) = delete;
  JtagChain& operator=(const JtagChain&) = delete;

  // Sets the pins of the adapter. If TCK changes, the machine runs for half a period; throws
  // std::runtime_error if it breaks there.
  void set(bool tck, bool tms, bool tdi);
  void set_trst(bool resets);
  [[nodiscard]] bool tdo() const;
  [[nodiscard]] Machine& machine() { return *machine_; }
  // Rising edges of TCK so far.
  [[nodiscard]] std::uint64_t clocks() const { return clocks_; }

 private:
  void run();

  unsigned half_cycles_;
  std::vector<std::unique_ptr<DebugPort>> ports_;
  std::unique_ptr<Machine> machine_;
  bool tck_ = false;
  std::uint64_t clocks_ = 0;
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_APP_JTAG_CHAIN_H_

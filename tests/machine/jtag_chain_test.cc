// SPDX-License-Identifier: Apache-2.0
// The JTAG chain of a machine, while its cores use the same registers.
#include "sim/app/jtag_chain.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "tests/debug/jtag_probe.h"
#include "torusmu/registers.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kHalfCycles = 4;

MachineConfig config_of(const Shape& shape) {
  MachineConfig config;
  config.engine.shape = shape;
  return config;
}
JtagProbe probe_of(JtagChain& chain) {
  return {[&chain](bool tck, bool tms, bool tdi) { chain.set(tck, tms, tdi); }, [] {},
          [&chain] { return chain.tdo(); }};
}
// REGISTER_ACCESS in the first node at TDI, BYPASS in the others, and one scan of it.
void choose_first(JtagProbe& probe, unsigned nodes) {
  Bits bits(std::size_t{4} * (nodes - 1), true);
  const Bits access = bits_of_value(static_cast<unsigned>(TapInstruction::kRegisterAccess), 4);
  bits.insert(bits.end(), access.begin(), access.end());
  probe.scan_instruction(bits);
}
AccessResult scan_first(JtagProbe& probe, unsigned nodes, TapOperation operation,
                        std::uint32_t address = 0, std::uint64_t data = 0) {
  Bits bits(nodes - 1);
  const Bits access = bits_of_access(operation, address, data);
  bits.insert(bits.end(), access.begin(), access.end());
  // What leaves the first node goes through the bit of each of the others.
  return result_of(probe.scan_data(bits), nodes - 1);
}

TEST(JtagChain, ReadsRegistersBesideTheCores) {
  JtagChain chain(config_of({2, 2, 1}), kHalfCycles);
  const std::uint32_t cores_own = registers::node::fifo_hold_cycles();
  const std::uint32_t service_own = registers::node::credit_timeout_cycles();
  unsigned accesses = 0;
  bool stop = false;
  for (std::uint32_t node = 0; node < 4; ++node) {
    chain.machine().add_core({node}, [&](Device& core) {
      for (std::uint64_t i = 0; !stop; ++i) {
        core.write64(cores_own, i % 1000);
        if (core.read64(cores_own) != i % 1000) throw std::runtime_error("lost a write of a core");
        ++accesses;
      }
    });
  }
  JtagProbe probe = probe_of(chain);
  probe.reset();
  choose_first(probe, 4);
  for (std::uint64_t i = 1; i <= 20; ++i) {
    scan_first(probe, 4, TapOperation::kWrite8, service_own, i);
    const AccessResult wrote = scan_first(probe, 4, TapOperation::kRead, service_own);
    EXPECT_EQ(wrote, (AccessResult{TapAnswer::kOk, service_own, i}));
    const AccessResult read = scan_first(probe, 4, TapOperation::kRead, cores_own);
    EXPECT_EQ(read, (AccessResult{TapAnswer::kOk, service_own, i}));
    const AccessResult of_core = scan_first(probe, 4, TapOperation::kNone);
    EXPECT_EQ(of_core.answer, TapAnswer::kOk);
    EXPECT_LT(of_core.data, 1000U);
  }
  EXPECT_GT(accesses, 500U);
  stop = true;
  const RunResult result = chain.machine().run_to(chain.machine().now() + 1000);
  EXPECT_EQ(result.failure, "");
  for (std::uint32_t node = 0; node < 4; ++node) {
    EXPECT_EQ(chain.machine().cores({node}).front()->state(), Core::State::kDone);
  }
}

TEST(JtagChain, CountsTheClocksThatItWasGiven) {
  JtagChain chain(config_of({1, 1, 1}), 5);
  const Cycles start = chain.machine().now();
  JtagProbe probe = probe_of(chain);
  probe.reset();
  EXPECT_EQ(chain.clocks(), probe.clocks());
  // TCK was low before the first of its edges.
  EXPECT_EQ(chain.machine().now() - start, 10 * chain.clocks() - 5);
}

}  // namespace
}  // namespace torusmu::testing

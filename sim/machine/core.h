// SPDX-License-Identifier: Apache-2.0
// Simulated processing cores: each is a fiber that runs ordinary C++ against a Device, and every
// access that it makes suspends it for the simulated cycles that the access costs.
//
//   Core core(backend, costs, [](Device& device) { device.write64(...); });
//   every cycle t of the node:  if (core.next_wake() <= t) core.run_until(t);
//
// A store becomes visible and a load samples in the cycle in which its cost ends. A register access
// goes onto the node's bus in that cycle; a read then takes the device's own few cycles on top.
#ifndef TORUSMU_SIM_MACHINE_CORE_H_
#define TORUSMU_SIM_MACHINE_CORE_H_

#include <array>
#include <boost/context/fiber.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "sim/machine/memory.h"
#include "sim/machine/mix.h"
#include "torusmu/device.h"

namespace torusmu {

inline constexpr Cycles kNever = std::numeric_limits<Cycles>::max();

// What a core pays, in cycles.
struct CoreCosts {
  Cycles mmio_write = 20;  // posted: the core goes on, the write reaches the bus
  Cycles mmio_read = 80;   // before the read reaches the bus
  Cycles cached_line = 2;  // load or store, for each 64-byte line
  Cycles mu_line = 40;     // load of a line that the MU wrote since the last load of it
  std::array<Cycles, 4> work{20, 4, 30, 10};  // a unit of each Work, in the order of the enum
  // Each access and each stretch of work takes 0 to this many cycles more, by the core's seed;
  // small delays are more frequent than large ones.
  Cycles random_extra = 0;

  // Register accesses at `numerator / 2` of their cost, for ratios at half and at twice the price.
  [[nodiscard]] CoreCosts with_mmio_halves(Cycles numerator) const;
};

// What a core did.
struct CoreCounts {
  std::uint64_t register_writes = 0;
  std::uint64_t register_reads = 0;
  std::uint64_t loads = 0;       // calls of load()
  std::uint64_t stores = 0;      // calls of store()
  std::uint64_t polls = 0;       // reads and loads of the very address that the read before it had
  std::uint64_t interrupts = 0;  // waits that ended with the line high
  [[nodiscard]] std::uint64_t accesses() const {
    return register_writes + register_reads + loads + stores;
  }
};

struct RegisterAccess {
  std::uint32_t address = 0;  // bytes, in the 20-bit register space
  std::uint64_t data = 0;     // of a write; in the low half if not wide
  bool write = false;
  bool wide = false;  // 8 bytes, else 4
};

class Core;

// The node as its cores see it. The RTL node and the reference model are two of them.
class NodeBackend {
 public:
  virtual ~NodeBackend() = default;
  [[nodiscard]] virtual Shape shape() const = 0;
  [[nodiscard]] virtual NodeId node() const = 0;
  virtual NodeMemory& memory() = 0;
  // Puts the access onto the register bus in cycle `now`, behind all that were started before (of
  // any core of the node). The backend answers each by core.access_done(), in the order of their
  // starts.
  virtual void start(Core& core, const RegisterAccess& access, Cycles now) = 0;
  // A core has read or written its node's memory there in cycle `now`.
  virtual void accessed(Address address, Bytes bytes, bool write, Cycles now) = 0;
  // How many reports of such accesses are on their way to the node.
  [[nodiscard]] virtual std::size_t reports() const = 0;
  // Level of the interrupt line as the cores of cycle `now` see it.
  [[nodiscard]] virtual bool interrupt(ClientId client) const = 0;
};

class Core final : private Device {
 public:
  using Program = std::function<void(Device&)>;
  enum class State { kRunning, kDone, kFailed, kAbandoned };

  // The program starts in cycle `start`. `backend` outlives the core. `seed` is that of
  // CoreCosts::random_extra and belongs to this core alone.
  Core(NodeBackend& backend, const CoreCosts& costs, Program program, Cycles start = 0,
       std::uint64_t seed = 0);
  // Abandons the program. The backend is no longer called.
  ~Core() override;
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  // The cycle in which the core wants to run; kNever while only an event can wake it.
  [[nodiscard]] Cycles next_wake() const { return next_wake_; }
  // Runs the program until it suspends past `now`.
  void run_until(Cycles now);
  // Ends a program that has not ended: it sees an exception at the call in which it is suspended,
  // and one that has not begun never does. Not for the core's own program to call. What the program
  // has put on the register bus still comes to its end there.
  void abandon();

  // The backend reports: the oldest access is over, and the core may go on in cycle `at`. `data` of
  // a read: as the register has it, a 4-byte register in the low half.
  void access_done(const RegisterAccess& access, std::uint64_t data, Cycles at);
  // The backend reports the lines (bit c: client c) whenever one is high; the core may see them in
  // `at`.
  void interrupts_changed(std::uint32_t lines, Cycles at);

  [[nodiscard]] State state() const { return state_; }
  // Text of the exception that ended the program, if state() is kFailed.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  // What a running core waits for, for messages about runs that do not end.
  [[nodiscard]] std::string waiting_for() const;
  [[nodiscard]] const CoreCounts& counts() const { return counts_; }
  // Cycle in which the program returned or failed.
  [[nodiscard]] Cycles finished_at() const { return finished_at_; }

 private:
  enum class Wait { kTime, kWriteSlot, kRead, kInterrupt };

  Shape shape() const override { return backend_.shape(); }
  NodeId node() const override { return backend_.node(); }
  Bytes memory_size() const override { return backend_.memory().size(); }
  void write32(std::uint32_t address, std::uint32_t value) override;
  void write64(std::uint32_t address, std::uint64_t value) override;
  std::uint32_t read32(std::uint32_t address) override;
  std::uint64_t read64(std::uint32_t address) override;
  void store(Address address, std::span<const std::byte> data) override;
  void load(Address address, std::span<std::byte> data) override;
  void work(Work kind, std::uint64_t units) override;
  void compute(Cycles cycles) override;
  Cycles now() const override;
  bool wait_interrupt(ClientId client, Cycles deadline) override;

  void write_register(const RegisterAccess& access);
  std::uint64_t read_register(const RegisterAccess& access);
  void count_poll(std::uint64_t key);
  void tell(Address address, Bytes bytes, bool write);
  void pass(Cycles cycles);
  Cycles random_extra();
  bool gone() const;
  void suspend(Wait wait, Cycles wake);
  void resume();
  void run_program();
  void start_switch(void** fake_stack, const void* bottom, std::size_t size);
  void finish_switch(void* fake_stack, bool remember_caller);

  NodeBackend& backend_;
  CoreCosts costs_;
  Rng random_;
  Program program_;
  CoreCounts counts_;

  State state_ = State::kRunning;
  std::string failure_;
  Wait wait_ = Wait::kTime;
  Cycles next_wake_;
  Cycles now_;
  Cycles finished_at_ = 0;
  mutable std::uint64_t idle_looks_ = 0;  // calls of now() since time last passed
  unsigned writes_in_flight_ = 0;
  bool read_is_done_ = false;
  std::uint64_t read_data_ = 0;
  std::uint32_t waited_address_ = 0;
  ClientId waited_client_{};
  std::uint64_t last_read_key_ = 0;
  bool cancelled_ = false;

  boost::context::fiber fiber_;
  boost::context::fiber caller_;
  // What the compiler's run-time keeps for each thread and a fiber must take along: exceptions in
  // flight, and the sanitizer's notion of the stack.
  std::array<std::byte, 16> exceptions_{};
  void* fake_stack_ = nullptr;
  const void* stack_bottom_ = nullptr;
  std::size_t stack_size_ = 0;
  const void* caller_bottom_ = nullptr;
  std::size_t caller_size_ = 0;
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_MACHINE_CORE_H_

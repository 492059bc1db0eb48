// SPDX-License-Identifier: Apache-2.0
// A Verilated module with its clock and reset, for unit tests:
//
//   Clocked<Vmu_fifo> fifo(random.seed());   // reset done, clock low, inputs zero
//   fifo->in_valid_i = 1;
//   fifo.settle();                           // combinational outputs follow the inputs
//   fifo.tick();                             // one rising edge
//
// Unreset state is random, made from the seed. A failed assertion in the RTL is thrown as
// std::runtime_error from settle() or tick(), which GoogleTest reports as a failure. So is a model
// that is ticked for longer than any test takes: what waits for an answer that does not come ends.

#ifndef TESTS_SUPPORT_CLOCKED_H_
#define TESTS_SUPPORT_CLOCKED_H_

#include <verilated.h>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

#include "sim/machine/simulated.h"

namespace torusmu::testing {

template <typename Model>
class Clocked {
 public:
  explicit Clocked(std::uint64_t seed = 1) : model_(randomised(&context_, seed), "top") {
    zero_inputs(model_);
    reset();
  }
  // Verilator 5.006 unregisters a model's scopes at the thread's current context, which may be that
  // of a model that is gone by now.
  ~Clocked() {
    simulated_cycles += cycle_;
    Verilated::threadContextp(&context_);
  }
  Clocked(const Clocked&) = delete;
  Clocked& operator=(const Clocked&) = delete;

  // The cycle in which tick() throws.
  static constexpr std::uint64_t kEnd = 3'000'000;

  Model* operator->() { return &model_; }
  // Cycles since the model was made.
  std::uint64_t cycle() const { return cycle_; }

  // The clocks of a model, by their pins: clk_i and those of the part that they are named for.
  enum Clock : unsigned {
    kMain = 1,
    kDecision = 2,
    kPacket = 4,
    kReply = 8,
    kQueue = 16,
    kCross = 32,
    kInjection = 64
  };
  // These, and no others, get no edge in the cycles that come, until there is a reset.
  void stop(unsigned clocks) { stopped_ = clocks; }

  void reset(unsigned cycles = 2) {
    model_.rst_ni = 0;
    stop(0);
    for (unsigned i = 0; i < cycles; ++i) tick();
    model_.rst_ni = 1;
    settle();
  }
  void settle() { model_.eval(); }
  // One cycle: inputs that were set before are seen by the rising edge.
  void tick() {
    if (cycle_ == kEnd) {
      throw std::runtime_error("still waiting in cycle " + std::to_string(cycle_) +
                               ", by which every test has ended");
    }
    settle();
    set_clocks(1);
    model_.eval();
    set_clocks(0);
    model_.eval();
    ++cycle_;
  }
  // As tick() after settle(), but the falling edge is seen together with the inputs that come next,
  // and there is no bound: a third of the time.
  void tick_without_fall() {
    set_clocks(1);
    model_.eval();
    set_clocks(0);
    ++cycle_;
  }
  // Ticks until `done()`; throws std::runtime_error naming what it waited for after `bound` cycles.
  void wait_for(const std::string& what, const std::function<bool()>& done, unsigned bound = 1000) {
    settle();
    for (unsigned i = 0; !done(); ++i) {
      if (i == bound) {
        throw std::runtime_error("waited " + std::to_string(bound) + " cycles for " + what);
      }
      tick();
    }
  }

 protected:
  void set_clocks(std::uint8_t level) {
    const auto set = [&](CData& pin, Clock clock) {
      pin = static_cast<CData>(stopped_ & clock ? 0 : level);
    };
    if constexpr (requires { model_.clk_i; }) set(model_.clk_i, kMain);
    if constexpr (requires { model_.clk_decision_i; }) set(model_.clk_decision_i, kDecision);
    if constexpr (requires { model_.clk_packet_i; }) set(model_.clk_packet_i, kPacket);
    if constexpr (requires { model_.clk_reply_i; }) set(model_.clk_reply_i, kReply);
    if constexpr (requires { model_.clk_queue_i; }) set(model_.clk_queue_i, kQueue);
    if constexpr (requires { model_.clk_cross_i; }) set(model_.clk_cross_i, kCross);
    if constexpr (requires { model_.clk_injection_i; }) set(model_.clk_injection_i, kInjection);
  }
  std::uint64_t cycle_ = 0;

 private:
  static VerilatedContext* randomised(VerilatedContext* context, std::uint64_t seed) {
    context->randReset(2);
    context->randSeed(static_cast<int>(seed % 0x7fffffffU) + 1);
    return context;
  }

  VerilatedContext context_;
  Model model_;
  unsigned stopped_ = 0;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_CLOCKED_H_

// SPDX-License-Identifier: Apache-2.0
// Where the threads of the fast engine meet after each window.
#ifndef TORUSMU_SIM_MACHINE_BARRIER_H_
#define TORUSMU_SIM_MACHINE_BARRIER_H_

#include <atomic>
#include <cstdint>
#include <thread>

namespace torusmu {

class Barrier {
 public:
  explicit Barrier(unsigned threads) : threads_(threads) {}

  // The last thread to come calls `last()` while the others wait; then all go on.
  template <typename Function>
  void meet(const Function& last) {
    const std::uint32_t generation = generation_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      last();
      arrived_.store(0, std::memory_order_relaxed);
      generation_.store(generation + 1, std::memory_order_release);
      return;
    }
    // Windows take microseconds: a short spin wins over a system call, a yield serves fewer cores
    // than threads.
    for (unsigned spins = 0; generation_.load(std::memory_order_acquire) == generation; ++spins) {
      if (spins > kSpins) std::this_thread::yield();
    }
  }

 private:
  static constexpr unsigned kSpins = 2000;
  const unsigned threads_;
  std::atomic<unsigned> arrived_{0};
  std::atomic<std::uint32_t> generation_{0};
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_MACHINE_BARRIER_H_

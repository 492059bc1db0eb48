// SPDX-License-Identifier: Apache-2.0
// Who runs next, as mu_engine_turns has to know it: said anew, by the list of queues instead of
// masks.

#ifndef TESTS_SUPPORT_ENGINE_TURNS_MODEL_H_
#define TESTS_SUPPORT_ENGINE_TURNS_MODEL_H_

#include <optional>

#include "tests/support/port_bits.h"

namespace torusmu::testing {

class EngineTurnsModel {
 public:
  struct Cycle {
    PortBits due{};  // a bit for each queue
    std::optional<unsigned> flush;
    bool start_ready = false, done = false;
  };

  explicit EngineTurnsModel(unsigned queues) : queues_(queues) {}
  bool is_due(unsigned queue) const { return due_[queue]; }
  bool is_offered() const { return offered_; }
  bool is_running() const { return running_; }
  // Offered, or it runs, or has run last. Unknown before the first one; a reset leaves it.
  std::optional<unsigned> queue() const { return queue_; }
  bool is_under_way(unsigned queue) const { return (offered_ || running_) && queue_ == queue; }
  bool busy() const { return (due_.any() && !running_) || offered_; }
  // The one that is chosen in this cycle, if none, or this one, is flushed.
  std::optional<unsigned> choice(std::optional<unsigned> flushed = std::nullopt) const {
    if (due_.none() || offered_ || running_) return std::nullopt;
    for (unsigned i = 0; i < queues_; ++i) {
      const unsigned queue = (first_ + i) % queues_;
      if (is_due(queue) && queue != flushed) return queue;
    }
    return std::nullopt;
  }
  bool flushes(const Cycle& in) const { return in.flush && is_due(*in.flush); }

  // What the coming edge does.
  void clock(const Cycle& in) {
    const auto chosen = choice(in.flush);
    if (flushes(in)) due_.reset(*in.flush);
    due_ |= in.due;
    if (offered_ && in.start_ready) {
      offered_ = false;
      running_ = true;
    }
    if (in.done) running_ = false;
    if (!chosen) return;
    due_.reset(*chosen);
    offered_ = true;
    first_ = (*chosen + 1) % queues_;
    queue_ = chosen;
  }
  // After clock() of the same edge: which one ran last is forgotten, but not its number.
  void reset() {
    due_.reset();
    first_ = 0;
    offered_ = running_ = false;
  }

 private:
  unsigned queues_;
  PortBits due_;
  unsigned first_ = 0;
  bool offered_ = false, running_ = false;
  std::optional<unsigned> queue_;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_ENGINE_TURNS_MODEL_H_

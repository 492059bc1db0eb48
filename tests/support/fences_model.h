// SPDX-License-Identifier: Apache-2.0
// The FENCEs that hold their queues, as mu_fences has to know them.

#ifndef TESTS_SUPPORT_FENCES_MODEL_H_
#define TESTS_SUPPORT_FENCES_MODEL_H_

#include <array>
#include <cstdint>
#include <optional>

#include "sim/machine/profile.h"
#include "tests/support/port_bits.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"

namespace torusmu::testing {

class FencesModel {
 public:
  static constexpr unsigned kQueues = kProfile.injection_queues;
  using Answer = Record<layout::send_answer::Layout>;

  struct Begin {
    unsigned queue;
    std::uint32_t node, index;
    bool ahead;  // it only goes out, and will begin
  };
  struct Cycle {
    std::uint64_t now = 0;
    std::uint32_t retry_cycles = 1, retries = 0;
    std::optional<Begin> begin;
    std::optional<unsigned> cancel;
    bool end_ready = false, again_ready = false;
    std::optional<Answer> answer, failure;
  };
  struct Fence {
    bool open = false, ahead = false, ended = false, again = false;
    unsigned ticks = 0, retries = 0;
    Status status = Status::kOk;
    std::uint32_t node = 0, index = 0;
  };

  const Fence& fence(unsigned queue) const { return fences_.at(queue); }
  std::optional<unsigned> ended() const {
    return lowest([](const Fence& fence) { return fence.ended && fence.open; });
  }
  std::optional<unsigned> to_go_again() const {
    return lowest([](const Fence& fence) { return fence.again; });
  }
  bool goes_again(const Cycle& in) const {
    const auto at = to_go_again();
    return at && fences_.at(*at).retries < in.retries;
  }
  bool busy() const { return ended() || to_go_again() || (any_open() && !tick_at_); }
  // Until then nothing changes by itself.
  std::optional<std::uint64_t> wake_at() const { return tick_at_; }
  // A bit for each queue.
  PortBits ahead() const {
    PortBits set;
    for (unsigned i = 0; i < kQueues; ++i) set[i] = fences_[i].ahead;
    return set;
  }

  // What the coming edge does. Where two things happen to a queue at once, the later here counts.
  void clock(const Cycle& in) {
    const bool any = any_open(), tick = tick_at_ && in.now >= *tick_at_;
    const auto gone = in.end_ready ? ended() : std::nullopt;
    const auto again = to_go_again();
    const bool goes = goes_again(in);
    const auto told = who_is_told(in);
    if (tick) {
      for (Fence& fence : fences_) count_tick(fence);
    }
    if (goes && in.again_ready) go_again(fences_.at(*again));
    if (again && !goes) end(*again, Status::kRetryExceeded);
    if (told) end(*told, status_of(in));
    if (gone) forget(*gone);
    if (in.cancel) forget(*in.cancel);
    if (in.begin) begin(*in.begin);
    if (tick) {
      tick_at_.reset();
    } else if (any && !tick_at_) {
      tick_at_ = (in.now + in.retry_cycles) & ((1ULL << 48U) - 1);
    }
  }

 private:
  template <typename Predicate>
  std::optional<unsigned> lowest(Predicate is) const {
    for (unsigned i = 0; i < kQueues; ++i)
      if (is(fences_[i])) return i;
    return std::nullopt;
  }
  bool any_open() const {
    return lowest([](const Fence& fence) { return fence.open; }).has_value();
  }
  // An answer goes first, even one that ends nothing.
  std::optional<unsigned> who_is_told(const Cycle& in) const {
    namespace a = layout::send_answer;
    const auto& told = in.answer ? in.answer : in.failure;
    if (!told || told->get<a::queue>() >= kQueues) return std::nullopt;
    const auto at = static_cast<unsigned>(told->get<a::queue>());
    const Fence& fence = fences_.at(at);
    const bool ends = (fence.open || fence.ahead) && !fence.ended &&
                      told->get<a::number>() == fence.index &&
                      (!in.answer || told->get<a::node>() == fence.node);
    return ends ? std::optional(at) : std::nullopt;
  }
  static Status status_of(const Cycle& in) {
    const auto& told = in.answer ? in.answer : in.failure;
    return static_cast<Status>(told->get<layout::send_answer::status>());
  }
  // One without an answer goes out again at the eighth tick.
  static void count_tick(Fence& fence) {
    if (fence.open && !fence.ended && fence.ticks == 7) fence.again = true;
    fence.ticks = (fence.ticks + 1) % 8;
  }
  static void go_again(Fence& fence) {
    fence.again = false;
    fence.ticks = 0;
    ++fence.retries;
  }
  void end(unsigned at, Status status) {
    Fence& fence = fences_.at(at);
    fence.ended = true;
    fence.again = false;
    fence.status = status;
  }
  void forget(unsigned at) {
    Fence& fence = fences_.at(at);
    fence.open = fence.ahead = fence.ended = fence.again = false;
  }
  void begin(const Begin& begin) {
    Fence& fence = fences_.at(begin.queue);
    fence.open = !begin.ahead;
    fence.ahead = begin.ahead;
    fence.node = begin.node;
    fence.index = begin.index;
    if (!begin.ahead) fence.ticks = fence.retries = 0;
  }

  std::array<Fence, kQueues> fences_;
  std::optional<std::uint64_t> tick_at_;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_FENCES_MODEL_H_

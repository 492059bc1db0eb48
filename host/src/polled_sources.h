// SPDX-License-Identifier: Apache-2.0
// What a context polls, each by its history (docs/polling.md). The parts that own a source say how
// it is polled and when something is to be expected of it; advance() asks for it.
#ifndef TORUSMU_HOST_SRC_POLLED_SOURCES_H_
#define TORUSMU_HOST_SRC_POLLED_SOURCES_H_

#include <array>
#include <cstdint>
#include <utility>

#include "torusmu/polling.h"

namespace torusmu {

// In the order in which they are added.
enum class Source {
  kMessages,
  kNotices,
  kReplies,
  kMailboxes,
  kInjected,
  kRoom,
  kTail,
  kDmaEngine,
  kStores,  // if the context has any
};

class PolledSources {
 public:
  PolledSources(Device& device, const PollingOptions& options) : poller_(device, options) {}

  void add(Source source, Component component) {
    state(source).component = poller_.add(std::move(component));
  }

  // True if the source was polled and active.
  bool ask(Source source) {
    const auto status = poller_.request(state(source).component);
    return status && status.value() == PollStatus::kActive;
  }
  // The same, unless nobody awaits anything of it.
  bool ask_if_awaited(Source source) { return state(source).awaited != 0 && ask(source); }
  // Polls whatever the history says; false if nobody answers.
  bool poll_now(Source source) {
    return static_cast<bool>(poller_.poll_now(state(source).component));
  }

  // The same where its criteria say so.
  bool answers(Source source) {
    return static_cast<bool>(poller_.request(state(source).component));
  }

  // Something has been done that will be seen there.
  void expect(Source source) { poller_.expect(state(source).component); }
  // One thing more, or less, is under way that will be seen there and nowhere else.
  void await(Source source) { ++state(source).awaited; }
  void end_await(Source source) { --state(source).awaited; }

  [[nodiscard]] Poller& poller() { return poller_; }
  [[nodiscard]] const Poller& poller() const { return poller_; }
  [[nodiscard]] bool is_by_interrupt() const {
    return poller_.options().policy == PollingPolicy::kInterrupt;
  }

 private:
  struct State {
    ComponentId component{};
    std::uint32_t awaited = 0;
  };
  State& state(Source source) { return states_[static_cast<std::size_t>(source)]; }

  Poller poller_;
  std::array<State, static_cast<std::size_t>(Source::kStores) + 1> states_{};
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_POLLED_SOURCES_H_

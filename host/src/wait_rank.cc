// SPDX-License-Identifier: Apache-2.0
#include "host/src/wait_rank.h"

#include <vector>

namespace torusmu::waits {
namespace {

bool may_go_on(const HeldQueues& held_queues, const Held& held) {
  std::uint64_t count = 0;
  for (const Helper& helper : held.helpers) {
    const auto found = held_queues.find(helper.place);
    const bool goes_on = found == held_queues.end() || !found->second.is_stuck();
    if (held.is_of_queue && !goes_on) return false;
    if (goes_on) count += helper.count;
  }
  return !held.missing.empty() || count >= held.needs;
}

}  // namespace

void rank(HeldQueues& held_queues) {
  for (std::uint32_t rank = 1;; ++rank) {
    std::vector<Held*> found;
    for (auto& [place, held] : held_queues) {
      if (held.is_stuck() && may_go_on(held_queues, held)) found.push_back(&held);
    }
    if (found.empty()) return;
    for (Held* held : found) held->rank = rank;
  }
}

const Helper* next_of(const HeldQueues& held_queues, const Held& held) {
  if (!held.is_stuck() && !held.is_of_queue && !held.missing.empty()) return nullptr;
  const Helper* running = nullptr;
  for (const Helper& helper : held.helpers) {
    const auto found = held_queues.find(helper.place);
    if (found == held_queues.end()) {
      running = &helper;
    } else if (held.is_stuck() ? found->second.is_stuck()
                               : !found->second.is_stuck() && found->second.rank < held.rank) {
      return &helper;
    }
  }
  return held.missing.empty() ? running : nullptr;
}

}  // namespace torusmu::waits

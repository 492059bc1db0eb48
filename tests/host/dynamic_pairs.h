// SPDX-License-Identifier: Apache-2.0
// Jobs whose tasks talk by dynamic queue pairs.
#ifndef TESTS_HOST_DYNAMIC_PAIRS_H_
#define TESTS_HOST_DYNAMIC_PAIRS_H_

#include "tests/host/job.h"
#include "torusmu/dynamic_queue_pair.h"

namespace torusmu::testing {

inline constexpr Cycles kPatience = 50'000'000;

inline JobOptions with_dynamic_pairs(std::uint32_t nodes, std::uint32_t pairs = 1) {
  JobOptions options;
  options.machine.shape = shape_of(nodes);
  options.plan.dynamic_pairs = pairs;
  return options;
}

// Of all tasks. Nobody sends before all are there.
inline void meet(Context& context) {
  std::vector<Task> members;
  for (std::uint32_t t = 0; t < context.tasks(); ++t) members.push_back({t});
  Group everyone(context, members, 0);
  require(everyone.barrier(context.now() + kPatience), "barrier");
}
inline DynamicQueuePair open(Context& context, std::uint32_t number = 0) {
  return require(DynamicQueuePair::open(context, number), "open");
}
inline ClientId client_of(const Context& context) {
  return context.plan().place(context.task()).client;
}

inline WorkCompletion next(Context& context, CompletionQueue& completions) {
  return require(completions.wait(context.now() + kPatience), "completion");
}
inline void expect_good(const WorkCompletion& completion) {
  require(completion.error, std::string("completion: ") + std::string(name_of(completion.status)));
}
inline std::uint32_t count_of(Context& context, EventId event) {
  return context.device().read32(
      registers::client_page::event_counter(client_of(context).value, event.value));
}

}  // namespace torusmu::testing

#endif  // TESTS_HOST_DYNAMIC_PAIRS_H_

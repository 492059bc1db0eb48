// SPDX-License-Identifier: Apache-2.0
// Runs a schedule in software: steps are messages of a context and work of its core.
#ifndef TORUSMU_HOST_SRC_EXECUTION_H_
#define TORUSMU_HOST_SRC_EXECUTION_H_

#include <cstdint>
#include <set>
#include <span>
#include <system_error>
#include <vector>

#include "host/src/schedule.h"
#include "torusmu/context.h"
#include "torusmu/reduction.h"

namespace torusmu {

class Execution {
 public:
  struct Buffers {
    Address in = 0;
    Address out = 0;
    Address scratch = 0;  // of the schedule's scratch_bytes
  };

  // `members[i]` is the task of member i; `tag` is that of no other collective under way between
  // them. `op` combines in schedules that reduce. Context and members outlive the execution.
  Execution(Context& context, std::span<const Task> members, std::uint32_t tag, Schedule schedule,
            const Buffers& buffers, Operator op);

  // Starts the steps that can be started and looks after those under way; true if something has
  // changed. Call it again whenever the context has advanced.
  bool advance();
  // True once all steps are over, or one has failed: then nothing more is started.
  [[nodiscard]] bool is_over() const { return error_ || open_ == 0; }
  [[nodiscard]] std::error_code error() const { return error_; }

 private:
  struct Message {
    std::uint32_t step = 0;
    Request request;
  };

  void start(std::uint32_t step);
  void finish(std::uint32_t step);
  // False for a send that an earlier message to the same member must go before.
  [[nodiscard]] bool may_start(const Step& step) const;
  bool take_completions();
  bool start_ready();
  void copy(const Step& step);
  void combine(const Step& step);
  [[nodiscard]] Address address_of(const Part& part) const;
  [[nodiscard]] std::vector<std::byte> load(const Part& part);

  Context& context_;
  std::span<const Task> members_;
  std::uint32_t tag_;
  Schedule schedule_;
  Buffers buffers_;
  Operator op_;
  std::error_code error_;
  std::size_t open_;                                    // steps that are not over
  std::vector<std::size_t> waits_for_;                  // of each step: how many open ones
  std::vector<std::vector<std::uint32_t>> dependents_;  // of each step: who waits for it
  std::vector<std::uint32_t> sent_;                     // messages sent to each member
  std::set<std::uint32_t> ready_;                       // steps that wait for no other
  std::vector<Message> under_way_;
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_EXECUTION_H_

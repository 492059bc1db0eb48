// SPDX-License-Identifier: Apache-2.0
// Jobs whose tasks start at random times while all that are there send to others at once, and what
// became of every message. The scenario boot plays one job, the bench of that name many.
#ifndef TORUSMU_SIM_PLAY_SCENARIO_BOOT_PLAY_H_
#define TORUSMU_SIM_PLAY_SCENARIO_BOOT_PLAY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sim/play/stage.h"
#include "torusmu/context.h"
#include "torusmu/plan.h"
#include "torusmu/setup.h"

namespace torusmu {

struct BootJob {
  std::uint32_t tasks_per_node = 4;
  std::uint32_t messages = 3;         // of each task to each that it sends to
  std::uint32_t peers = 0xffff'ffff;  // of each task: those that follow it, at most all others
  Cycles spread = 100'000;            // the last task starts at most so much later than the first
  Bytes longest = 2'000;              // more than are sent without asking
  BootCopy copy = BootCopy::kByUnit;  // how what was kept comes to a task
};

// What one task found; only its own core writes it.
struct BootTask {
  Cycles start = 0;   // after the nodes had booted
  Cycles begin = 0;   // its set-up begins
  Cycles there = 0;   // its context is made
  Cycles first = 0;   // the first message that it gets is complete
  bool over = false;  // it has got what it waited for and left
  std::uint64_t received = 0, lost = 0, repeated = 0, reordered = 0, spoiled = 0;
  std::string trouble;  // of the first message that is not as it should be
  BootBufferUse buffer;
  ContextCounts counts;
};

class BootPlay {
 public:
  BootPlay(Stage& stage, const BootJob& job);

  // The nodes boot, whatever ran there before, then all tasks start and come to their end; random
  // numbers from `seed`. False if that did not come about.
  bool run(std::uint64_t seed);
  [[nodiscard]] const std::vector<BootTask>& tasks() const { return tasks_; }
  [[nodiscard]] const NodePlan& plan() const { return plan_; }
  // Messages that all tasks together should get.
  [[nodiscard]] std::uint64_t wanted() const;
  // To so many others each task sends, and gets from as many.
  [[nodiscard]] std::uint32_t peers() const;

 private:
  struct Inbox;
  void live(std::uint32_t task, Device& device);
  void send_all(Context& context) const;
  void receive_all(Context& context, BootTask& own) const;
  void judge(const Context& context, Inbox& inbox, BootTask& own, Address buffer,
             const Completion& done) const;
  [[nodiscard]] Bytes length_of(std::uint32_t from, std::uint32_t to, std::uint32_t k) const;
  [[nodiscard]] std::vector<std::byte> message(std::uint32_t from, std::uint32_t to,
                                               std::uint32_t k) const;

  Stage& stage_;
  BootJob job_;
  NodePlan plan_;
  std::uint64_t seed_ = 0;
  std::vector<BootTask> tasks_;
};

}  // namespace torusmu

#endif  // TORUSMU_SIM_PLAY_SCENARIO_BOOT_PLAY_H_

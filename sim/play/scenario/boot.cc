// SPDX-License-Identifier: Apache-2.0
// boot: the nodes boot, and their tasks start at random times, up to 100,000 cycles apart; each
// that is there sends to all others at once. What comes for a task that is not there yet waits in
// its boot buffer (US 8,528,004), or, once that is full, at its sender. In the first job the MU
// moves it into the task's FIFO when the task is there; in the second the task copies it itself.
// Checks that no message is lost, comes twice or overtakes another, and every byte; and that what
// was kept has left the buffers. In the third they SEND to each other's dynamic queue pairs, and
// the first messages of each are kept in the unit's own memory.
#include <fmt/format.h>

#include <algorithm>

#include "sim/play/scenario/boot_play.h"
#include "sim/play/scenario/boot_sends.h"
#include "sim/play/scenario/scenarios.h"

namespace torusmu {
namespace {

constexpr std::uint32_t kMostTasks = 64;  // several of a node
constexpr std::uint32_t kMostPairs = 64 * 63;

void say_result(Stage& stage, const BootPlay& play) {
  std::uint64_t kept = 0, most_kept = 0, refused = 0, resent = 0;
  std::vector<Cycles> waited;
  for (const BootTask& task : play.tasks()) {
    kept += task.buffer.slots;
    most_kept = std::max(most_kept, task.buffer.slots);
    refused += task.buffer.refused;
    resent += task.counts.resent;
    if (task.buffer.slots != 0 && task.first > task.there) {
      waited.push_back(task.first - task.there);
    }
  }
  stage.say(
      fmt::format("packets took {} slots of 32 bytes in boot buffers, at most {} in one; full "
                  "ones refused {} packets, and {} messages were sent again",
                  kept, most_kept, refused, resent));
  if (waited.empty()) return;
  std::sort(waited.begin(), waited.end());
  stage.say(
      fmt::format("tasks that found something there had the first message {} cycles after "
                  "they had started (half of them), at most {}",
                  waited[waited.size() / 2], waited.back()));
}

// `what` has become of `count` messages, and must of none.
void check_none(Stage& stage, const BootPlay& play, const std::string& name, const char* what,
                std::uint64_t BootTask::*count) {
  std::uint64_t sum = 0, received = 0;
  std::string trouble;
  for (const BootTask& task : play.tasks()) {
    sum += task.*count;
    received += task.received;
    if (trouble.empty()) trouble = task.trouble;
  }
  stage.check(name, sum == 0,
              fmt::format("{} messages received, {} {}{}{}", received, sum, what,
                          trouble.empty() ? "" : "; first: ", trouble));
}

// The start of the task that is last, from its first register write to its first message.
void show_last(Stage& stage, const BootPlay& play) {
  // Values beside the names may take an eighth of the window: the last mark stands before that.
  constexpr Cycles kAround = 300, kBehind = 700;
  const auto last =
      std::max_element(play.tasks().begin(), play.tasks().end(),
                       [](const BootTask& a, const BootTask& b) { return a.there < b.there; });
  const Task number{static_cast<std::uint32_t>(last - play.tasks().begin())};
  Act act;
  act.from = last->begin - std::min(last->begin, kAround);
  act.to = std::max(last->first, last->there) + kBehind;
  act.actors.push_back({play.plan().place(number).node,
                        "starts last",
                        {"register writes", "register reads", "requests received", "stores"}});
  act.marks = {{last->begin, "the process sets itself up"},
               {last->there, "it has switched from the boot buffer to its FIFO"}};
  if (last->first != 0) act.marks.push_back({last->first, "its first message is complete"});
  stage.show(act);
}

}  // namespace

namespace {

std::uint32_t tasks_per_node(const Stage& stage, std::uint32_t most) {
  return std::clamp(kMostTasks / stage.shape().nodes(), 1U, most);
}

// Checks have this name in front.
void play_job(Stage& stage, BootCopy copy, const std::string& name) {
  BootJob job;
  job.copy = copy;
  // Each sends to all others: of more pairs a run would not be over soon.
  job.tasks_per_node = tasks_per_node(stage, job.tasks_per_node);
  job.peers = std::max(1U, kMostPairs / (job.tasks_per_node * stage.shape().nodes()));
  if (stage.is_brief()) job.messages = 1;
  BootPlay play(stage, job);
  if (!play.run(stage.seed())) return;
  show_last(stage, play);
  std::uint64_t received = 0;
  for (const BootTask& task : play.tasks()) received += task.received;
  const bool all = play.peers() + 1 == play.plan().tasks();
  stage.say(fmt::format(
      "{} tasks start within {} cycles and send {} messages to {}; {}", play.plan().tasks(),
      job.spread, job.messages, all ? "each other" : fmt::format("each of {} others", play.peers()),
      copy == BootCopy::kByUnit ? "the MU moves what was kept" : "they copy what was kept"));
  say_result(stage, play);
  stage.check(name + "all_received", received == play.wanted(),
              fmt::format("{} of {} messages", received, play.wanted()));
  check_none(stage, play, name + "nothing_lost", "lost", &BootTask::lost);
  check_none(stage, play, name + "nothing_repeated", "of them twice", &BootTask::repeated);
  check_none(stage, play, name + "nothing_reordered", "of them out of order", &BootTask::reordered);
  check_none(stage, play, name + "bytes", "of them with wrong bytes", &BootTask::spoiled);
  const auto kept = std::count_if(play.tasks().begin(), play.tasks().end(),
                                  [](const BootTask& task) { return task.buffer.slots != 0; });
  stage.check(name + "buffers_were_used", kept != 0,
              fmt::format("{} tasks found packets that had waited", kept));
  std::uint64_t left = 0;
  for (const BootTask& task : play.tasks()) left += task.buffer.left;
  stage.check(name + "buffers_were_emptied", left == 0,
              fmt::format("{} slots are left in them", left));
}

}  // namespace

void play_boot(Stage& stage) {
  play_job(stage, BootCopy::kByUnit, "boot.");
  play_job(stage, BootCopy::kByProcess, "boot.by_process.");
  play_boot_sends(stage, tasks_per_node(stage, 2));
}

}  // namespace torusmu

// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>

#include "Vmu_write_tracker.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

using Action = Record<layout::write_action::Layout>;

// Plays writer, memory and completion at random, against a list of what is outstanding.
void run(unsigned pending_percent, unsigned response_percent, unsigned action_percent) {
  struct Command {
    Action action;
    bool two;
    bool none;
    bool last;
    std::uint8_t touch;
    unsigned responses = 0;

    unsigned owes() const { return (none ? 0U : two ? 2U : 1U) - responses; }
  };
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_write_tracker> tracker(random.seed());
  std::deque<Command> inside;
  bool error = false;
  std::uint8_t touch = 0;
  bool waiting = false;  // the front's action may leave
  bool answers = false;  // a response is offered, and stays until it is taken
  unsigned actions = 0;
  for (int cycle = 0; cycle < 20000; ++cycle) {
    if (random.below(500) == 0) {
      tracker.reset(1);
      inside.clear();
      error = waiting = answers = false;
      touch = 0;
    }
    Command command{Action::from_bytes(random_bytes(random, Action::kBytes)), random.chance(20),
                    random.chance(15), random.chance(80),
                    static_cast<std::uint8_t>(random.bits64())};
    tracker->pending_valid_i = random.chance(pending_percent);
    command.two = command.two && !command.none;
    tracker->pending_two_bursts_i = command.two;
    tracker->pending_none_i = command.none;
    tracker->pending_final_i = command.last;
    tracker->pending_touch_i = command.touch;
    drive(tracker->pending_action_i, command.action);
    const bool none = !inside.empty() && !waiting && inside.front().none;
    // A memory answers what it was asked, so never before.
    if (!answers) {
      answers = random.chance(response_percent) &&
                std::any_of(inside.begin(), inside.end(),
                            [](const Command& asked) { return asked.owes() != 0; });
      tracker->response_error_i = random.chance(10);
    }
    tracker->response_valid_i = answers;
    tracker->action_ready_i = random.chance(action_percent);
    tracker.settle();
    ASSERT_EQ(tracker->busy_o, !inside.empty()) << "cycle " << cycle;
    ASSERT_EQ(tracker->pending_ready_o, inside.size() < 8) << "cycle " << cycle;
    ASSERT_EQ(tracker->action_valid_o, waiting) << "cycle " << cycle;
    ASSERT_EQ(tracker->response_ready_o, !inside.empty() && !waiting && !none) << "cycle " << cycle;
    const bool push = tracker->pending_valid_i && tracker->pending_ready_o;
    if (waiting) {
      ASSERT_EQ(sample_record<Action>(tracker->action_data_o), inside.front().action);
      ASSERT_EQ(tracker->action_error_o, error);
      ASSERT_EQ(tracker->action_touch_o, touch);
      if (tracker->action_ready_i) {
        inside.pop_front();
        waiting = error = false;
        touch = 0;
        ++actions;
      }
    } else if (none || answers) {
      Command& front = inside.front();
      if (!none) {
        error |= tracker->response_error_i != 0;
        ++front.responses;
        answers = false;
      }
      if (front.owes() == 0) {
        touch |= front.touch;
        if (front.last) {
          waiting = true;
        } else {
          inside.pop_front();
        }
      }
    }
    if (push) inside.push_back(command);
    tracker.tick();
  }
  EXPECT_GT(actions, 1000U);
}

TEST(WriteTracker, LetsActionsOutInOrderAfterTheirLastResponse) { run(40, 50, 50); }
TEST(WriteTracker, FillsUpWhenTheMemoryIsSlow) { run(90, 20, 90); }
TEST(WriteTracker, HoldsResponsesBackWhenActionsWait) { run(90, 90, 20); }
TEST(WriteTracker, DrainsWhenFewCommandsCome) { run(15, 90, 90); }

}  // namespace
}  // namespace torusmu::testing

// SPDX-License-Identifier: Apache-2.0
// The rules by which contexts of a client share its interrupt line and notices. A simulated core is
// awake in the very cycle after its line is high, so that what one that wakes late would see is
// judged here.
#include "host/src/client_share.h"

#include <gtest/gtest.h>

#include "tests/host/job.h"

namespace torusmu::testing {
namespace {

class Sharing : public ::testing::Test {
 protected:
  static constexpr ContextId kFirst{0};
  static constexpr ContextId kSecond{1};

  // `body` with the share of a client of two contexts.
  static void with_share(const std::function<void(ClientShare&)>& body) {
    model::MachineOptions options;
    PlanOptions wanted;
    wanted.contexts = 2;
    const NodePlan plan =
        require(NodePlan::make(options.shape, kSim, options.memory_size, wanted), "plan");
    model::ReferenceMachine machine(options);
    machine.add_core({0}, [&](Device& device) {
      ClientShare share(device, plan, {0});
      body(share);
    });
    EXPECT_TRUE(machine.run(1'000'000));
    EXPECT_EQ(machine.problems(), "");
  }
};

TEST_F(Sharing, OneContextAtATimeGoesToSleep) {
  with_share([](ClientShare& share) {
    ClientShare::Hold first = share.turn_to_sleep();
    check(first.owns_lock(), "first");
    check(!share.turn_to_sleep(), "second");
    first.unlock();
    check(share.turn_to_sleep().owns_lock(), "after it");
  });
}

TEST_F(Sharing, OneThatIsAsleepIsSeenByTheOthersUntilItWakes) {
  with_share([](ClientShare& share) {
    check(share.fall_asleep(kFirst), "asleep");
    check(share.others_sleep(kSecond) && !share.others_sleep(kFirst), "who sees it");
    check(share.is_asleep(kFirst), "marked");
    share.wake_up(kFirst);
    check(!share.others_sleep(kSecond), "awake");
  });
}

TEST_F(Sharing, NobodySleepsOverWhatHasBeenGivenToHim) {
  with_share([](ClientShare& share) {
    share.give_work(kFirst, [] {});
    check(!share.fall_asleep(kFirst) && share.fall_asleep(kSecond), "work");
    share.wake_up(kSecond);
    check(share.take_work(kFirst).size() == 1, "the work");
    share.give_notice(kFirst, {});
    check(!share.fall_asleep(kFirst), "a notice");
    check(share.take_notices(kFirst).entries.size() == 1, "the notice");
    share.tell_of_lost_notices(kSecond);
    check(!share.fall_asleep(kFirst) && share.fall_asleep(kSecond), "lost notices");
    share.wake_up(kSecond);
    check(share.take_notices(kFirst).lost, "that they are lost");
    check(share.fall_asleep(kFirst), "nothing left");
  });
}

TEST_F(Sharing, NobodySleepsWhileNoticesAreReadOrTheLineHasBeenClearedForHim) {
  with_share([](ClientShare& share) {
    {
      const ClientShare::Hold reads = share.turn_of_notices();
      check(!share.fall_asleep(kFirst), "notices are read");
    }
    share.tell_of_cleared_line(kSecond);
    check(!share.take_cleared_line(kSecond), "told itself");
    check(!share.fall_asleep(kFirst), "told");
    check(share.take_cleared_line(kFirst) && !share.take_cleared_line(kFirst), "once");
    check(share.fall_asleep(kFirst), "asleep");
  });
}

TEST_F(Sharing, EachContextJoinsOnce) {
  with_share([](ClientShare& share) {
    check(share.join(kSecond) && !share.join(kSecond) && share.join(kFirst), "once");
    check(!share.join({2}), "there are two");
  });
}

}  // namespace
}  // namespace torusmu::testing

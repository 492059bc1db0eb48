// SPDX-License-Identifier: Apache-2.0
// bgp: -GQUEUES=128

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "Vmu_wait_table.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/port_bits.h"
#include "tests/support/seed.h"
#include "tests/support/wait_table_model.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kQueues = kProfile.injection_queues;

class WaitTable : public ::testing::Test {
 protected:
  void set(unsigned queue, bool on_queue, unsigned index, std::uint32_t threshold) {
    dut_->set_i = 1;
    dut_->set_queue_i = static_cast<std::uint8_t>(queue);
    dut_->set_on_queue_i = on_queue;
    dut_->set_index_i = static_cast<std::uint8_t>(index);
    dut_->set_threshold_i = threshold;
    dut_.tick();
    dut_->set_i = 0;
  }
  // Queues that are woken by the change.
  PortBits change(bool on_queue, unsigned index, std::uint32_t value) {
    (on_queue ? dut_->done_valid_i : dut_->event_valid_i) = 1;
    (on_queue ? dut_->done_queue_i : dut_->event_index_i) = static_cast<std::uint8_t>(index);
    (on_queue ? dut_->done_head_i : dut_->event_value_i) = value;
    dut_.settle();
    const PortBits met = bits_of(dut_->met_o);
    dut_.tick();
    dut_->done_valid_i = dut_->event_valid_i = 0;
    dut_.settle();
    return met;
  }
  bool waited(unsigned event) {
    dut_->waited_index_0_i = dut_->waited_index_1_i = static_cast<std::uint8_t>(event);
    dut_.settle();
    EXPECT_EQ(dut_->waited_0_o, dut_->waited_1_o);
    return dut_->waited_0_o != 0;
  }

  Random random_;
  Clocked<Vmu_wait_table> dut_{random_.seed()};
};

TEST_F(WaitTable, WakesAQueueOnceItsCountIsReachedOrPassed) {
  set(3, false, 40, 10);
  EXPECT_EQ(change(false, 40, 9), 0U);
  EXPECT_EQ(change(false, 41, 10), 0U) << "another counter";
  EXPECT_EQ(change(true, 40, 10), 0U) << "a queue of that number";
  EXPECT_EQ(change(false, 40, 12), bit(3));
  EXPECT_EQ(change(false, 40, 13), 0U) << "woken already";
}

TEST_F(WaitTable, WakesAllThatWaitForOneCount) {
  set(0, true, 7, 5);
  set(kQueues - 1, true, 7, 4);
  set(8, true, 7, 6);
  EXPECT_EQ(change(true, 7, 5), bit(kQueues - 1) | bit(0));
  EXPECT_EQ(bits_of(dut_->waiting_o), bit(8));
}

TEST_F(WaitTable, ComparesAcrossTheWrap) {
  set(1, false, 0, 2);
  EXPECT_EQ(change(false, 0, 0xFFFFFFFF), 0U);
  EXPECT_EQ(change(false, 0, 0), 0U);
  EXPECT_EQ(change(false, 0, 2), bit(1));
  set(1, false, 0, 0);
  EXPECT_EQ(change(false, 0, 0x80000000U), 0U) << "half the circle ahead is behind";
}

TEST_F(WaitTable, ForgetsAnEntryThatIsCancelled) {
  set(5, false, 9, 1);
  dut_->cancel_i = 1;
  dut_->cancel_queue_i = 5;
  dut_.tick();
  dut_->cancel_i = 0;
  EXPECT_EQ(change(false, 9, 1), 0U);
}

TEST_F(WaitTable, SaysWhetherAnEventCounterIsWaitedFor) {
  EXPECT_FALSE(waited(9));
  set(5, false, 9, 1);
  set(6, true, 10, 1);
  EXPECT_TRUE(waited(9));
  EXPECT_FALSE(waited(10)) << "a queue is, of that number";
  change(false, 9, 1);
  EXPECT_FALSE(waited(9));
}

TEST_F(WaitTable, DoesAsTheListOfAllThatWait) {
  struct Entry {
    bool on_queue;
    unsigned index;
    std::uint32_t threshold;
  };
  SCOPED_TRACE(random_.replay());
  std::vector<std::optional<Entry>> waiting(kQueues);
  for (int i = 0; i < 20000; ++i) {
    const auto queue = static_cast<unsigned>(random_.below(kQueues));
    if (random_.chance(50) && !waiting[queue]) {
      waiting[queue] = Entry{random_.chance(50), static_cast<unsigned>(random_.below(4)),
                             static_cast<std::uint32_t>(random_.below(16)) - 8};
      set(queue, waiting[queue]->on_queue, waiting[queue]->index, waiting[queue]->threshold);
    } else {
      const bool on_queue = random_.chance(50);
      const auto index = static_cast<unsigned>(random_.below(4));
      const auto value = static_cast<std::uint32_t>(random_.below(16)) - 8;
      PortBits expected;
      for (unsigned q = 0; q < kQueues; ++q) {
        if (waiting[q] && waiting[q]->on_queue == on_queue && waiting[q]->index == index &&
            static_cast<std::int32_t>(value - waiting[q]->threshold) >= 0) {
          expected.set(q);
          waiting[q].reset();
        }
      }
      ASSERT_EQ(change(on_queue, index, value), expected);
    }
  }
}

TEST_F(WaitTable, DoesAsTheListWhateverComesAtOnce) {
  SCOPED_TRACE(random_.replay());
  WaitTableModel model(kQueues);
  const auto count = [this] {
    const std::uint32_t half = random_.chance(20) ? 1U << 31 : 0;
    return random_.chance(60) ? static_cast<std::uint32_t>(random_.below(16)) - 8 + half
                              : 1U << random_.below(32);
  };
  for (int cycle = 0; cycle < 30000; ++cycle) {
    if (random_.chance(1)) {
      dut_->set_i = 0;
      dut_.reset(1);
      model.reset();
    }
    // Few numbers, so that they meet; of all bits.
    const auto number = [&] {
      return static_cast<unsigned>(random_.chance(50) ? 0 : 1U << random_.below(8));
    };
    const auto queue = static_cast<unsigned>(random_.below(kQueues));
    const bool set = !model.waits(queue) && random_.chance(cycle / 200 % 2 == 0 ? 70 : 10);
    const WaitTableModel::Entry added{true, random_.chance(50), number(), count()};
    const bool cancel = random_.chance(10), event = random_.chance(40), done = random_.chance(40);
    const auto cancelled = static_cast<unsigned>(random_.below(kQueues));
    const unsigned event_index = number(), done_queue = number();
    const std::uint32_t value = count(), head = count();
    const std::array<unsigned, 2> asked{number(), number()};
    dut_->set_i = set;
    dut_->set_queue_i = static_cast<CData>(queue);
    dut_->set_on_queue_i = added.on_queue;
    dut_->set_index_i = static_cast<CData>(added.index);
    dut_->set_threshold_i = added.threshold;
    dut_->cancel_i = cancel;
    dut_->cancel_queue_i = static_cast<CData>(cancelled);
    dut_->event_valid_i = event;
    dut_->event_index_i = static_cast<CData>(event_index);
    dut_->event_value_i = value;
    dut_->done_valid_i = done;
    dut_->done_queue_i = static_cast<CData>(done_queue);
    dut_->done_head_i = head;
    dut_->waited_index_0_i = static_cast<CData>(asked[0]);
    dut_->waited_index_1_i = static_cast<CData>(asked[1]);
    dut_.settle();
    WaitTableModel::Cycle in;
    in.set_queue = queue;
    if (set) in.set = added;
    if (cancel) in.cancel = cancelled;
    if (event) in.event = {event_index, value};
    if (done) in.done = {done_queue, head};
    ASSERT_EQ(bits_of(dut_->waiting_o), model.waiting()) << "cycle " << cycle;
    ASSERT_EQ(bits_of(dut_->met_o), model.met(in.event, in.done, in.cancel)) << "cycle " << cycle;
    ASSERT_EQ(dut_->waited_0_o, model.is_event_waited(asked[0])) << "cycle " << cycle;
    ASSERT_EQ(dut_->waited_1_o, model.is_event_waited(asked[1])) << "cycle " << cycle;
    dut_.tick();
    model.clock(in);
  }
}

}  // namespace
}  // namespace torusmu::testing

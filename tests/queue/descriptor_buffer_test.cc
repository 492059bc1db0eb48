// SPDX-License-Identifier: Apache-2.0
// bgp: -GQUEUES=128

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "Vmu_descriptor_buffer.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/few_numbers.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

namespace f = layout::fetched_descriptor;
using Fetched = Record<f::Layout>;

class DescriptorBuffer : public ::testing::Test {
 protected:
  void allocate(unsigned queue, std::uint32_t index, bool serial = false) {
    dut_->allocate_i = 1;
    dut_->queue_i = static_cast<std::uint8_t>(queue);
    dut_->index_i = index;
    dut_->lap_i = index + 7;
    dut_->owner_i = 3;
    dut_->mode_i = 1;
    dut_->serial_i = serial;
    dut_.tick();
    dut_->allocate_i = 0;
    dut_.settle();
  }
  void fill(std::uint8_t mark, bool error = false) {
    for (const bool last : {false, true}) {
      dut_->beat_valid_i = 1;
      dut_->beat_last_i = last;
      dut_->beat_error_i = last && error;
      drive(dut_->beat_data_i, Bytes(32, static_cast<std::uint8_t>(mark + last)));
      dut_.tick();
    }
    dut_->beat_valid_i = 0;
    dut_.settle();
  }
  void kill(unsigned queue) {
    dut_->kill_i = 1;
    dut_->kill_queue_i = static_cast<std::uint8_t>(queue);
    dut_.tick();
    dut_->kill_i = 0;
    dut_.settle();
  }
  Fetched take() {
    const auto fetched = sample_record<Fetched>(dut_->out_data_o);
    dut_->out_ready_i = 1;
    dut_.tick();
    dut_->out_ready_i = 0;
    dut_.settle();
    return fetched;
  }

  Clocked<Vmu_descriptor_buffer> dut_;
};

TEST_F(DescriptorBuffer, HandsOutWhatWasFetchedWithItsPlace) {
  allocate(9, 41);
  EXPECT_TRUE(dut_->busy_o);
  EXPECT_FALSE(dut_->out_valid_o);
  fill(0x50, true);
  ASSERT_TRUE(dut_->out_valid_o);
  const Fetched fetched = take();
  EXPECT_EQ(fetched.get<f::queue>(), 9U);
  EXPECT_EQ(fetched.get<f::index>(), 41U);
  EXPECT_EQ(fetched.get<f::lap>(), 48U);
  EXPECT_EQ(fetched.get<f::owner>(), 3U);
  EXPECT_EQ(fetched.get<f::mode>(), QueueMode::kDoorbell);
  EXPECT_EQ(fetched.get<f::error>(), 1U);
  const auto bytes = fetched.get<f::descriptor>().bytes();
  EXPECT_EQ(bytes[0], 0x50);
  EXPECT_EQ(bytes[31], 0x50);
  EXPECT_EQ(bytes[32], 0x51);
  EXPECT_EQ(bytes[63], 0x51);
  EXPECT_FALSE(dut_->busy_o);
}

TEST_F(DescriptorBuffer, HasRoomForItsDepth) {
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_TRUE(dut_->room_o);
    allocate(1, i);
  }
  EXPECT_FALSE(dut_->room_o);
  fill(1);
  take();
  EXPECT_TRUE(dut_->room_o);
}

TEST_F(DescriptorBuffer, DropsKilledEntriesUnseen) {
  allocate(1, 0);
  allocate(2, 0);
  allocate(1, 1);
  fill(0x10);
  fill(0x20);
  kill(1);
  allocate(1, 0);  // fetched again after a rewind
  dut_.tick();
  ASSERT_TRUE(dut_->out_valid_o);
  EXPECT_EQ(take().get<f::queue>(), 2U);
  EXPECT_FALSE(dut_->out_valid_o) << "killed, not filled yet";
  fill(0x30);
  EXPECT_FALSE(dut_->out_valid_o);
  fill(0x40);
  ASSERT_TRUE(dut_->out_valid_o);
  const Fetched again = take();
  EXPECT_EQ(again.get<f::index>(), 0U);
  EXPECT_EQ(again.get<f::descriptor>().bytes()[0], 0x40);
  EXPECT_FALSE(dut_->busy_o);
}

TEST_F(DescriptorBuffer, ShowsASerialEntryOnlyWhenItsTurnHasCome) {
  allocate(5, 100, true);
  fill(0x10);
  EXPECT_EQ(dut_->head_queue_o, 5);
  dut_->head_i = 99;
  dut_.tick();
  EXPECT_FALSE(dut_->out_valid_o);
  dut_->head_i = 100;
  dut_.settle();
  EXPECT_FALSE(dut_->out_valid_o) << "seen, and shown in the next cycle";
  dut_.tick();
  EXPECT_TRUE(dut_->out_valid_o);
}

TEST_F(DescriptorBuffer, ShowsNoSerialEntryOnTheTurnOfTheOneBeforeIt) {
  dut_->head_i = 100;
  allocate(5, 100, true);
  allocate(5, 101, true);
  fill(0x10);
  fill(0x20);
  ASSERT_TRUE(dut_->out_valid_o);
  EXPECT_EQ(take().get<f::index>(), 100U);
  EXPECT_FALSE(dut_->out_valid_o);
  dut_.tick();
  EXPECT_FALSE(dut_->out_valid_o) << "the first is not retired";
  dut_->head_i = 101;
  dut_.tick();
  ASSERT_TRUE(dut_->out_valid_o);
  EXPECT_EQ(take().get<f::index>(), 101U);
}

TEST_F(DescriptorBuffer, KnowsWhichQueuesItHolds) {
  dut_->holds_queue_i = 4;
  allocate(3, 0);
  EXPECT_FALSE(dut_->holds_o);
  allocate(4, 0);
  EXPECT_TRUE(dut_->holds_o);
  fill(1);
  fill(2);
  take();
  EXPECT_TRUE(dut_->holds_o);
  take();
  EXPECT_FALSE(dut_->holds_o);
}

TEST_F(DescriptorBuffer, KeepsOrderUnderRandomUse) {
  Random random;
  SCOPED_TRACE(random.replay());
  std::deque<std::uint32_t> waiting, filled;
  std::uint32_t next = 0, left = 0;
  for (int step = 0; step < 3000; ++step) {
    if (random.chance(50) && dut_->room_o) {
      waiting.push_back(next);
      allocate(next % 5, next);
      ++next;
    }
    if (random.chance(50) && !waiting.empty()) {
      fill(static_cast<std::uint8_t>(waiting.front()));
      filled.push_back(waiting.front());
      waiting.pop_front();
    }
    if (random.chance(50) && dut_->out_valid_o) {
      const Fetched fetched = take();
      ASSERT_EQ(fetched.get<f::index>(), filled.front());
      ASSERT_EQ(fetched.get<f::descriptor>().bytes()[5], filled.front() & 0xFF);
      filled.pop_front();
      ++left;
    }
  }
  EXPECT_GT(left, 500U);
}

struct Entry {
  Fetched data;
  bool serial = false, stale = false;
  unsigned beats = 0;
};

TEST_F(DescriptorBuffer, KeepsEveryBitOfEveryEntryWhateverHappensAtOnce) {
  Random random;
  SCOPED_TRACE(random.replay());
  std::deque<Entry> inside;
  bool due = false, was_due = false;  // the turn of the front one has come
  FewNumbers few(kProfile.injection_queues);
  const auto any_queue = [&] {
    return random.chance(70) ? few.any(random)
                             : static_cast<unsigned>(random.below(kProfile.injection_queues));
  };
  for (int cycle = 0; cycle < 30000; ++cycle) {
    if (cycle % 200 == 0) few.choose(random, 4);
    if (random.chance(1)) {
      dut_->allocate_i = dut_->beat_valid_i = dut_->kill_i = 0;
      dut_.reset(1);
      inside.clear();
      due = was_due = false;
    }
    const unsigned queue = any_queue();
    const auto index = static_cast<std::uint32_t>(random.bits64());
    const auto lap = static_cast<std::uint32_t>(random.bits64());
    const auto owner = static_cast<unsigned>(random.below(16));
    const auto mode = static_cast<unsigned>(random.below(8));
    Entry* const filling = [&inside]() -> Entry* {
      for (Entry& entry : inside) {
        if (entry.beats < 2) return &entry;
      }
      return nullptr;
    }();
    const bool beat = filling != nullptr && random.chance(60);
    const bool error = random.chance(30);
    const Bytes data = random_bytes(random, 32);
    const bool allocate = inside.size() < 4 && random.chance(cycle / 100 % 2 == 0 ? 80 : 30);
    const bool kill = !allocate && random.chance(15);
    const unsigned killed = any_queue(), held = any_queue();
    dut_->allocate_i = allocate;
    dut_->queue_i = static_cast<CData>(queue);
    dut_->index_i = index;
    dut_->lap_i = lap;
    dut_->owner_i = static_cast<CData>(owner);
    dut_->mode_i = static_cast<CData>(mode);
    dut_->serial_i = random.chance(40);
    dut_->beat_valid_i = beat;
    dut_->beat_last_i = beat && filling->beats == 1;
    dut_->beat_error_i = error;
    drive(dut_->beat_data_i, data);
    dut_->kill_i = kill;
    dut_->kill_queue_i = static_cast<CData>(killed);
    dut_->holds_queue_i = static_cast<CData>(held);
    dut_->out_ready_i = random.chance(60);
    std::uint32_t head = 0;
    if (!inside.empty()) head = static_cast<std::uint32_t>(inside.front().data.get<f::index>());
    // What has once equalled the index stays.
    if (!due && random.chance(50)) head ^= 1U << random.below(32);
    dut_->head_i = head;
    dut_.settle();
    bool leaves = false;
    if (!inside.empty()) {
      const Entry& front = inside.front();
      const bool filled = front.beats == 2;
      due = filled && front.serial && front.data.get<f::index>() == head;
      const bool shown = filled && !front.stale && (!front.serial || was_due);
      ASSERT_EQ(dut_->out_valid_o, shown) << "cycle " << cycle;
      ASSERT_EQ(dut_->head_queue_o, front.data.get<f::queue>());
      if (shown) {
        ASSERT_EQ(sample_record<Fetched>(dut_->out_data_o).words(), front.data.words()) << cycle;
      }
      leaves = filled && (front.stale || (shown && dut_->out_ready_i));
    } else {
      ASSERT_FALSE(dut_->out_valid_o);
    }
    ASSERT_EQ(dut_->active_o, leaves || due != was_due) << "cycle " << cycle;
    due = due && !leaves;
    was_due = due;
    ASSERT_EQ(dut_->busy_o, !inside.empty());
    ASSERT_EQ(dut_->room_o, inside.size() < 4);
    const bool holds = std::any_of(inside.begin(), inside.end(), [held](const Entry& entry) {
      return entry.data.get<f::queue>() == held;
    });
    ASSERT_EQ(dut_->holds_o, holds) << "cycle " << cycle;
    dut_.tick();
    if (beat) {
      auto bytes = filling->data.bytes();
      std::copy(data.begin(), data.end(), bytes.begin() + (filling->beats == 0 ? 0 : 32));
      filling->data = Fetched::from_bytes(bytes);
      if (filling->beats == 1) filling->data.set<f::error>(error);
      ++filling->beats;
    }
    if (kill) {
      for (Entry& entry : inside) entry.stale |= entry.data.get<f::queue>() == killed;
    }
    if (leaves) inside.pop_front();
    if (!allocate) continue;
    Entry entry;
    entry.serial = dut_->serial_i;
    entry.data.set<f::queue>(queue).set<f::index>(index);
    entry.data.set<f::lap>(lap).set<f::owner>(owner).set<f::mode>(static_cast<QueueMode>(mode));
    inside.push_back(entry);
  }
}

}  // namespace
}  // namespace torusmu::testing

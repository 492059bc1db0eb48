// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>

#include "Vmu_arriving_message.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "torusmu/types.h"

namespace torusmu::testing {
namespace {

constexpr std::uint8_t kQueue = 6;
constexpr std::uint8_t kOtherQueue = 9;

class ArrivingMessage : public ::testing::Test {
 protected:
  ArrivingMessage() {
    dut_->watch_i = 1;
    dut_->watch_queue_i = kQueue;
    tick();
  }
  // Inputs hold for one cycle.
  void tick() {
    dut_.settle();
    dut_.tick();
    dut_->take_i = dut_->stored_i = dut_->reset_i = 0;
    dut_.settle();
  }
  // A packet of the message that begins at byte `offset` of it.
  void set_take(std::uint64_t offset, bool last, std::uint32_t bytes = 100,
                std::uint8_t queue = kQueue) {
    dut_->take_i = 1;
    dut_->take_queue_i = queue;
    dut_->take_end_i = last;
    dut_->take_offset_i = offset;
    dut_->take_bytes_i = static_cast<std::uint32_t>(offset) + bytes;
  }
  void set_stored(std::uint8_t queue = kQueue) {
    dut_->stored_i = 1;
    dut_->stored_queue_i = queue;
  }
  void take(std::uint64_t offset, bool last, std::uint8_t queue = kQueue) {
    set_take(offset, last, 100, queue);
    tick();
  }
  void store(std::uint8_t queue = kQueue) {
    set_stored(queue);
    tick();
  }
  void reset(std::uint8_t queue = kQueue) {
    dut_->reset_i = 1;
    dut_->reset_queue_i = queue;
    tick();
  }

  Random random_;
  ::testing::ScopedTrace trace_{__FILE__, __LINE__, random_.replay()};
  Clocked<Vmu_arriving_message> dut_{random_.seed()};
};

TEST_F(ArrivingMessage, IsToldOfWhileItsLastPacketAloneIsUnderWay) {
  take(0, false);
  store();
  EXPECT_FALSE(dut_->valid_o);
  take(512, true);
  EXPECT_TRUE(dut_->valid_o);
  EXPECT_EQ(dut_->bytes_o, 612U);
  take(0, false);  // of the next
  EXPECT_TRUE(dut_->valid_o);
  EXPECT_EQ(dut_->bytes_o, 612U);
  store();
  EXPECT_FALSE(dut_->valid_o);
}

TEST_F(ArrivingMessage, IsNotToldOfIfAnEarlierPacketIsUnderWayToo) {
  take(0, false);
  take(512, true);
  EXPECT_FALSE(dut_->valid_o);
  store();
  EXPECT_FALSE(dut_->valid_o) << "its SEND begins when it is received";
  store();
  take(0, false);
  store();
  take(512, true);
  EXPECT_TRUE(dut_->valid_o) << "the next is";
}

TEST_F(ArrivingMessage, IsNotToldOfBeforeTheEndOfTheOneBeforeIt) {
  dut_->untold_i = 1;
  take(512, true);
  dut_->untold_i = 0;
  EXPECT_FALSE(dut_->valid_o);
}

TEST_F(ArrivingMessage, IsNotToldOfIfItsFirstPacketIsNotInMemory) {
  take(0, true);
  EXPECT_FALSE(dut_->valid_o);
  store();
  take(511, true);
  EXPECT_FALSE(dut_->valid_o) << "of smaller packets";
}

TEST_F(ArrivingMessage, IsForgottenByAResetOfItsQueue) {
  take(512, true);
  reset(kOtherQueue);
  EXPECT_TRUE(dut_->valid_o);
  reset();
  EXPECT_FALSE(dut_->valid_o);
  take(512, true);
  EXPECT_TRUE(dut_->valid_o) << "what was under way counts no more";
}

TEST_F(ArrivingMessage, IsForgottenInReset) {
  take(512, true);
  dut_->rst_ni = 0;
  tick();
  EXPECT_FALSE(dut_->valid_o || dut_->busy_o);
}

TEST_F(ArrivingMessage, IsOfTheQueueThatIsWatched) {
  take(512, true, kOtherQueue);
  EXPECT_FALSE(dut_->valid_o);
  take(512, true);
  store(kOtherQueue);
  EXPECT_TRUE(dut_->valid_o);
  dut_->watch_i = 0;
  tick();
  EXPECT_FALSE(dut_->valid_o);
  take(512, true);
  EXPECT_FALSE(dut_->valid_o);
}

// Packets of messages, one behind the other, and what must be told of them; between them are
// packets and resets of queues whose numbers differ in one bit. Now and then another queue is
// watched, after none was for a cycle.
TEST_F(ArrivingMessage, IsToldOfWheneverItMayBe) {
  unsigned under_way = 0;
  bool arriving = false;
  std::uint64_t offset = 0;
  std::uint32_t length = 0;
  unsigned seen = 0;
  std::uint8_t queue = kQueue;
  const auto other_queue = [&] {
    return static_cast<std::uint8_t>(queue ^ 1U << random_.below(8));
  };
  const auto forget = [&] {
    under_way = 0;
    arriving = false;
    offset = 0;
  };
  for (int i = 0; i < 40000; ++i) {
    if (random_.chance(1)) {
      dut_->watch_i = 0;
      set_take(512, true, 1, queue);
      tick();
      ASSERT_FALSE(dut_->valid_o || dut_->busy_o) << "cycle " << i;
      queue = static_cast<std::uint8_t>(random_.bits64());
      dut_->watch_i = 1;
      dut_->watch_queue_i = queue;
      forget();
    }
    const bool takes = under_way < 10 && random_.chance(30);
    const bool stores = under_way != 0 && random_.chance(40);
    const bool resets = random_.chance(1);
    const bool last = random_.chance(30);
    const auto bytes = static_cast<std::uint32_t>(1 + random_.below(512));
    dut_->untold_i = random_.chance(20);
    if (takes) {
      set_take(offset, last, bytes, queue);
    } else if (random_.chance(30)) {
      set_take(512, true, 1, other_queue());
    }
    if (stores) {
      set_stored(queue);
    } else if (random_.chance(30)) {
      set_stored(other_queue());
    }
    dut_->reset_i = resets || random_.chance(30);
    dut_->reset_queue_i = resets ? queue : other_queue();
    const bool arrives =
        takes && last && offset >= 512 && under_way == 0 && !dut_->untold_i && !resets;
    tick();
    if (stores) {
      arriving = false;  // its last packet is the only one before those of the next message
      --under_way;
    }
    if (takes) ++under_way;
    if (arrives) {
      arriving = true;
      length = static_cast<std::uint32_t>(offset) + bytes;
      ++seen;
    }
    const std::uint64_t far = (1ULL << (9 + random_.below(28))) + random_.below(512);
    if (takes) offset = last ? 0 : random_.chance(30) ? far : offset + bytes;
    if (resets) forget();
    ASSERT_EQ(dut_->valid_o != 0, arriving) << "cycle " << i;
    ASSERT_EQ(dut_->busy_o != 0, under_way != 0) << "cycle " << i;
    if (arriving) {
      ASSERT_EQ(dut_->bytes_o, length);
    }
  }
  EXPECT_GT(seen, 100U);
}

}  // namespace
}  // namespace torusmu::testing

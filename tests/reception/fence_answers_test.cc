// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>

#include "Vmu_fence_answers.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kRoom = kSim.fence_answers;

class FenceAnswers : public ::testing::Test {
 protected:
  FenceAnswers() { dut_.settle(); }
  void take(unsigned queue, std::uint32_t index) {
    drive(dut_->header_i, PacketHeader{}
                              .set<layout::packet_header::src_x>(queue % 5)
                              .set<layout::packet_header::src_y>(2)
                              .set<layout::packet_header::src_z>(3));
    drive(dut_->trailer_i, PacketTrailer{}
                               .set<layout::packet_trailer::queue>(queue)
                               .set<layout::packet_trailer::index>(index));
    dut_->take_i = 1;
    dut_.tick();
    dut_->take_i = 0;
    dut_.settle();
  }
  void store() {
    dut_->stored_i = 1;
    dut_.tick();
    dut_->stored_i = 0;
    dut_.settle();
  }
  void expect_answer(unsigned queue, std::uint32_t index) {
    ASSERT_TRUE(dut_->answer_valid_o);
    EXPECT_EQ(dut_->answer_index_o, index);
    EXPECT_EQ(dut_->answer_to_o, queue << 12 | 0x320 | queue % 5);
    dut_->answer_ready_i = 1;
    dut_.tick();
    dut_->answer_ready_i = 0;
    dut_.settle();
  }
  void notice(bool begins) {
    (begins ? dut_->notice_begin_i : dut_->notice_end_i) = 1;
    dut_.tick();
    dut_->notice_begin_i = dut_->notice_end_i = 0;
    dut_.settle();
  }

  Random random_;
  Clocked<Vmu_fence_answers> dut_{random_.seed()};
};

TEST_F(FenceAnswers, AnswersOnceTheStoreIsThrough) {
  take(7, 1234);
  EXPECT_FALSE(dut_->answer_valid_o);
  store();
  expect_answer(7, 1234);
  EXPECT_FALSE(dut_->answer_valid_o);
}

TEST_F(FenceAnswers, HasRoomForAsManyAsItSays) {
  for (unsigned i = 0; i < kRoom; ++i) {
    EXPECT_TRUE(dut_->room_o);
    take(i, i);
  }
  EXPECT_FALSE(dut_->room_o);
  store();
  EXPECT_FALSE(dut_->room_o) << "it is answered later";
  expect_answer(0, 0);
  EXPECT_TRUE(dut_->room_o);
}

TEST_F(FenceAnswers, AnswersInTheOrderInWhichTheyCame) {
  SCOPED_TRACE(random_.replay());
  std::deque<std::uint32_t> taken;
  unsigned stored = 0;
  std::uint32_t next = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto what = random_.below(3);
    if (what == 0 && dut_->room_o) {
      take(next % 32, next);
      taken.push_back(next++);
    } else if (what == 1 && stored < taken.size()) {
      store();
      ++stored;
    } else if (what == 2 && stored > 0) {
      expect_answer(taken.front() % 32, taken.front());
      taken.pop_front();
      --stored;
    }
    EXPECT_EQ(dut_->room_o != 0, taken.size() < kRoom);
  }
}

TEST_F(FenceAnswers, IsSettledOnceEveryNoticeIsInItsRing) {
  EXPECT_TRUE(dut_->settled_o);
  notice(true);
  notice(true);
  EXPECT_FALSE(dut_->settled_o);
  notice(false);
  EXPECT_FALSE(dut_->settled_o);
  notice(false);
  EXPECT_TRUE(dut_->settled_o);
}

TEST_F(FenceAnswers, RestsWhileItWaitsForStores) {
  take(7, 1);
  EXPECT_FALSE(dut_->busy_o);
  store();
  EXPECT_TRUE(dut_->busy_o);
}

TEST_F(FenceAnswers, NamesAnyNodeQueueAndIndex) {
  SCOPED_TRACE(random_.replay());
  for (int i = 0; i < 500; ++i) {
    const auto node = static_cast<std::uint32_t>(random_.below(1U << 12));
    const auto queue = static_cast<std::uint32_t>(random_.below(256));
    const auto index = static_cast<std::uint32_t>(random_.bits64());
    drive(dut_->header_i, PacketHeader::from_bytes(random_bytes(random_, PacketHeader::kBytes))
                              .set<layout::packet_header::src_x>(node & 15)
                              .set<layout::packet_header::src_y>(node >> 4 & 15)
                              .set<layout::packet_header::src_z>(node >> 8));
    drive(dut_->trailer_i, PacketTrailer::from_bytes(random_bytes(random_, PacketTrailer::kBytes))
                               .set<layout::packet_trailer::queue>(queue)
                               .set<layout::packet_trailer::index>(index));
    dut_->take_i = 1;
    dut_.tick();
    dut_->take_i = 0;
    store();
    drive(dut_->header_i, PacketHeader{});
    drive(dut_->trailer_i, PacketTrailer{});
    dut_.settle();
    ASSERT_EQ(dut_->answer_index_o, index);
    ASSERT_EQ(dut_->answer_to_o, queue << 12 | node);
    dut_->answer_ready_i = 1;
    dut_.tick();
    dut_->answer_ready_i = 0;
    dut_.settle();
    ASSERT_EQ(dut_->answer_index_o, 0U);
    ASSERT_EQ(dut_->answer_to_o, 0U);
  }
}

TEST_F(FenceAnswers, TakesStoresAndAnswersInOneCycle) {
  SCOPED_TRACE(random_.replay());
  std::deque<std::uint32_t> taken;
  unsigned stored = 0, notices = 0;
  std::uint32_t next = 0;
  for (int i = 0; i < 20000; ++i) {
    const unsigned percent = i / 100 % 2 == 0 ? 80 : 20;
    ASSERT_EQ(dut_->room_o != 0, taken.size() < kRoom);
    ASSERT_EQ(dut_->answer_valid_o != 0, stored != 0);
    ASSERT_EQ(dut_->settled_o != 0, notices == 0);
    const bool take = taken.size() < kRoom && random_.chance(percent);
    const bool store = stored < taken.size() && random_.chance(50);
    const bool answer = random_.chance(100 - percent);
    const bool begin = notices < 15 && random_.chance(percent);
    const bool end = notices > 0 && random_.chance(100 - percent);
    drive(dut_->trailer_i, PacketTrailer{}.set<layout::packet_trailer::index>(next));
    dut_->take_i = take;
    dut_->stored_i = store;
    dut_->answer_ready_i = answer;
    dut_->notice_begin_i = begin;
    dut_->notice_end_i = end;
    dut_.settle();
    const bool answered = answer && stored != 0;
    if (stored != 0) {
      ASSERT_EQ(dut_->answer_index_o, taken.front());
    }
    dut_.tick();
    if (take) taken.push_back(next++);
    if (answered) taken.pop_front();
    stored = stored + store - answered;
    notices = notices + begin - end;
    dut_.settle();
  }
}

TEST_F(FenceAnswers, ForgetsEverythingAtAReset) {
  for (unsigned i = 0; i < kRoom; ++i) {
    take(i, i);
    if (i < 5) notice(true);
  }
  for (unsigned i = 0; i < kRoom / 2; ++i) store();
  expect_answer(0, 0);
  dut_.reset(1);
  EXPECT_TRUE(dut_->room_o);
  EXPECT_TRUE(dut_->settled_o);
  EXPECT_FALSE(dut_->answer_valid_o);
  for (unsigned i = 0; i < kRoom; ++i) take(i, 100 + i);
  EXPECT_FALSE(dut_->room_o);
  for (unsigned i = 0; i < kRoom; ++i) {
    store();
    expect_answer(i, 100 + i);
  }
}

}  // namespace
}  // namespace torusmu::testing

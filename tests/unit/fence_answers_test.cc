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

using Answer = Record<layout::send_answer::Layout>;
using Peer = Record<layout::queue_peer::Layout>;

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
    const auto said = sample_record<Answer>(dut_->answer_o);
    const auto to = sample_record<Peer>(dut_->answer_to_o);
    EXPECT_EQ(said.get<layout::send_answer::fence>(), 1U);
    EXPECT_EQ(said.get<layout::send_answer::status>(), Status::kOk);
    EXPECT_EQ(said.get<layout::send_answer::number>(), index);
    EXPECT_EQ(to.get<layout::queue_peer::queue>(), queue);
    EXPECT_EQ(to.get<layout::queue_peer::x>(), queue % 5);
    EXPECT_EQ(to.get<layout::queue_peer::y>(), 2U);
    EXPECT_EQ(to.get<layout::queue_peer::z>(), 3U);
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

}  // namespace
}  // namespace torusmu::testing

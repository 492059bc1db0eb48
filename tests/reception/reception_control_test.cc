// SPDX-License-Identifier: Apache-2.0
// What becomes of packets is judged in reception_engine_test.cc; here who is picked, when, and who
// waits.

#include <gtest/gtest.h>

#include <cstdint>

#include "Vmu_reception_control.h"
#include "tests/support/clocked.h"
#include "tests/support/port_fields.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

using RegionEntry = Record<layout::region_entry::Layout>;
namespace h = layout::packet_header;
namespace r = layout::region_entry;

class ReceptionControl : public ::testing::Test {
 protected:
  ReceptionControl() {
    put<layout::target_answer::region>(
        control->target_answer_i,
        RegionEntry{}.set<r::length>(4096).set<r::enable>(1).set<r::remote_write>(1));
    put<layout::store_states::request_idle>(control->stores_i, 1);
    put<layout::store_states::reply_idle>(control->stores_i, 1);
    put<layout::store_states::notice_idle>(control->stores_i, 1);
    control->fifo_lookup_ready_i = 1;
    control->notice_lookup_ready_i = 1;
    control->sender_ready_i = 1;
    control.settle();
  }
  void show_request(Kind kind, unsigned bytes = 64) {
    namespace s = layout::shown_request;
    put<s::header>(control->request_i, PacketHeader{}.set<h::kind>(kind).set<h::bytes>(bytes));
    put<s::valid>(control->request_i, 1);
    control.settle();
  }
  void show_reply(Kind kind) {
    drive(control->reply_header_i,
          PacketHeader{}.set<h::kind>(kind).set<h::reply>(1).set<h::bytes>(16));
    control->reply_valid_i = 1;
    control.settle();
  }
  // From the pick of what is shown to its decision.
  void decide() {
    control.tick();
    control.tick();
  }
  void answer_fifo(Status status, bool refusing = false) {
    put<layout::fifo_answer::status>(control->fifo_answer_i, status);
    put<layout::fifo_answer::refusing>(control->fifo_answer_i, refusing);
    control.settle();
  }

  Clocked<Vmu_reception_control> control;
};

TEST_F(ReceptionControl, DecidesInTheThirdCycle) {
  show_request(Kind::kPut);
  EXPECT_FALSE(get<layout::store_starts::request>(control->starts_o));
  control.tick();
  EXPECT_FALSE(get<layout::store_starts::request>(control->starts_o));
  control.tick();
  EXPECT_TRUE(get<layout::store_starts::request>(control->starts_o));
}

TEST_F(ReceptionControl, PicksTheReplyFirst) {
  show_request(Kind::kPut);
  show_reply(Kind::kPut);
  decide();
  EXPECT_TRUE(get<layout::store_starts::reply>(control->starts_o));
  EXPECT_FALSE(get<layout::store_starts::request>(control->starts_o));
  control.tick();
  control->reply_valid_i = 0;
  control.settle();
  EXPECT_FALSE(get<layout::store_starts::request>(control->starts_o));
  decide();
  EXPECT_TRUE(get<layout::store_starts::request>(control->starts_o));
}

TEST_F(ReceptionControl, PicksARequestWhileTheReplyCannotGo) {
  put<layout::store_states::reply_idle>(control->stores_i, 0);
  show_reply(Kind::kPut);
  show_request(Kind::kPut);
  decide();
  EXPECT_TRUE(get<layout::store_starts::request>(control->starts_o));
}

TEST_F(ReceptionControl, KeepsARequestBackWhileNoNoticeCouldBeSent) {
  control->sender_ready_i = 0;
  show_request(Kind::kPut);
  for (int i = 0; i < 10; ++i) {
    control.tick();
    EXPECT_FALSE(get<layout::store_starts::request>(control->starts_o) ||
                 get<layout::reply_order::refuse>(control->reply_order_o));
  }
}

TEST_F(ReceptionControl, KeepsAFenceBackWhileThereIsNoRoomForItsAnswer) {
  put<layout::fence_state::room>(control->fence_state_i, 0);
  show_request(Kind::kFence, 0);
  for (int i = 0; i < 10; ++i) {
    control.tick();
    EXPECT_FALSE(get<layout::store_starts::request>(control->starts_o) || control->fence_take_o ||
                 get<layout::reply_order::refuse>(control->reply_order_o));
  }
  put<layout::fence_state::room>(control->fence_state_i, 1);
  control.settle();
  decide();
  EXPECT_TRUE(get<layout::store_starts::request>(control->starts_o) && control->fence_take_o);
}

TEST_F(ReceptionControl, WaitsForTheOtherClassToPlaceItsFifoCommand) {
  put<layout::store_states::request_fifo_pending>(control->stores_i, 1);
  show_reply(Kind::kFifo);
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(get<layout::fifo_lookup::valid>(control->fifo_lookup_o));
    control.tick();
  }
  put<layout::store_states::request_fifo_pending>(control->stores_i, 0);
  control.settle();
  EXPECT_TRUE(get<layout::fifo_lookup::valid>(control->fifo_lookup_o));
  decide();
  EXPECT_TRUE(get<layout::ring_outcome::reserve>(control->fifo_outcome_o) &&
              get<layout::store_starts::reply>(control->starts_o));
}

TEST_F(ReceptionControl, HoldsARequestExactlyItsTime) {
  control->fifo_hold_cycles_i = 6;
  answer_fifo(Status::kFifoFull);
  show_request(Kind::kFifo);
  decide();  // for the first time
  EXPECT_FALSE(get<layout::reply_order::refuse>(control->reply_order_o) ||
               get<layout::ring_outcome::refuse>(control->fifo_outcome_o) ||
               get<layout::packet_progress::request_done>(control->progress_o));
  for (int cycle = 1; cycle < 6; ++cycle) {
    control.tick();
    EXPECT_FALSE(get<layout::reply_order::refuse>(control->reply_order_o)) << cycle;
    EXPECT_TRUE(control->busy_o);
  }
  unsigned refusals = 0;
  for (int cycle = 5; cycle < 8; ++cycle) {
    if (get<layout::reply_order::refuse>(control->reply_order_o)) {
      EXPECT_EQ(cycle, 6);
      EXPECT_TRUE(get<layout::ring_outcome::refuse>(control->fifo_outcome_o) &&
                  get<layout::packet_progress::request_done>(control->progress_o));
      ++refusals;
      control.tick();
      put<layout::shown_request::valid>(control->request_i, 0);
    } else {
      control.tick();
    }
  }
  EXPECT_EQ(refusals, 1U);
  EXPECT_FALSE(control->busy_o);
}

TEST_F(ReceptionControl, DoesNotHoldForAFifoThatIsRefusing) {
  control->fifo_hold_cycles_i = 100;
  answer_fifo(Status::kFifoFull, true);
  show_request(Kind::kFifo);
  decide();
  EXPECT_TRUE(get<layout::reply_order::refuse>(control->reply_order_o));
}

TEST_F(ReceptionControl, DropsAReplyThatFindsItsFifoFullAtOnce) {
  control->fifo_hold_cycles_i = 100;
  answer_fifo(Status::kFifoFull);
  show_reply(Kind::kFifo);
  decide();
  EXPECT_TRUE(get<layout::ring_outcome::refuse>(control->fifo_outcome_o) &&
              get<layout::packet_progress::reply_done>(control->progress_o));
  control.tick();
  EXPECT_TRUE(control->dropped_reply_o);
}

}  // namespace
}  // namespace torusmu::testing

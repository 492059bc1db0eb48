// SPDX-License-Identifier: Apache-2.0
// The table of docs/queue_pairs.md for dynamically connected queues, row by row.

#include <gtest/gtest.h>
#include <verilated.h>

#include <cstdint>

#include "Vmu_dynamic_decision.h"
#include "tests/support/nearly.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"

namespace torusmu::testing {
namespace {

using Header = Record<layout::packet_header::Layout>;
using Trailer = Record<layout::packet_trailer::Layout>;
using Peer = Record<layout::queue_peer::Layout>;
using Buffer = Record<layout::receive_buffer::Layout>;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;
namespace p = layout::queue_peer;

enum class Fate { kTaken, kDropped, kAcknowledged, kRefused };

// The last packet of message 5 of 1,000 bytes, of which a context holds 512, into a buffer of
// 1,000.
class DynamicDecision : public ::testing::Test {
 protected:
  DynamicDecision() {
    header_.set<h::src_x>(1).set<h::src_y>(2).set<h::src_z>(3);
    trailer_.set<t::queue>(9).set<t::sequence_number>(5).set<t::index>(1000).set<t::dynamic>(1);
    peer_.set<p::connected>(1).set<p::dynamic>(1);
    buffer_.set<layout::receive_buffer::address>(0x4000).set<layout::receive_buffer::length>(1000);
    dut_.valid_i = dut_.exists_i = dut_.buffer_i = dut_.counters_good_i = 1;
    dut_.room_i = dut_.forgot_i = 1;
    assembling();
    last();
  }
  void first() {
    header_.set<h::offset>(0).set<h::bytes>(512);
    trailer_.set<t::last>(0);
  }
  void last() {
    header_.set<h::offset>(512).set<h::bytes>(488);
    trailer_.set<t::last>(1);
  }
  void doubtful(bool is = true) { trailer_.set<t::doubtful>(is); }
  // What the contexts know of the sender.
  void context(bool hit, bool same, bool open, bool waits, std::uint32_t received) {
    dut_.hit_i = hit;
    dut_.same_i = same;
    dut_.open_i = open;
    dut_.waits_i = waits;
    dut_.failed_i = 0;
    dut_.received_i = received;
  }
  void assembling() { context(true, true, true, false, 512); }
  void completing() { context(true, true, false, true, 1000); }
  void answered() { context(true, true, false, false, 1000); }
  void unknown() { context(false, false, false, false, 0xDEADBEEF); }
  void other_assembling() { context(true, false, true, false, 512); }
  void other_completing() { context(true, false, false, true, 512); }
  void other_answered() { context(true, false, false, false, 512); }

  // What stands is compared in a first cycle, and judged in a second.
  void look() {
    dut_.look_i = 1;
    for (const int clock : {0, 1, 0}) {
      dut_.clk_i = static_cast<CData>(clock);
      dut_.eval();
    }
  }
  Fate fate() {
    drive(dut_.header_i, header_);
    drive(dut_.trailer_i, trailer_);
    drive(dut_.peer_i, peer_);
    drive(dut_.entry_i, buffer_);
    dut_.end_i = header_.get<h::offset>() + header_.get<h::bytes>();
    look();
    const bool refused = dut_.status_o != static_cast<std::uint8_t>(Status::kOk);
    EXPECT_EQ(dut_.take_o + dut_.drop_o + dut_.acknowledge_o + refused, 1);
    if (!dut_.take_o) {
      EXPECT_FALSE(dut_.begin_o || dut_.claim_o);
    }
    return dut_.take_o          ? Fate::kTaken
           : dut_.drop_o        ? Fate::kDropped
           : dut_.acknowledge_o ? Fate::kAcknowledged
                                : Fate::kRefused;
  }
  // A message begins, with the buffer of the queue or with that of its context.
  void expect_begins(bool claims) {
    first();
    EXPECT_EQ(fate(), Fate::kTaken);
    EXPECT_TRUE(dut_.begin_o);
    EXPECT_EQ(dut_.claim_o != 0, claims);
    EXPECT_EQ(dut_.address_o, 0x4000U);
  }
  void expect_refused(Status wanted) {
    first();
    EXPECT_EQ(fate(), Fate::kRefused);
    EXPECT_EQ(dut_.status_o, static_cast<unsigned>(wanted));
  }
  // Whatever else comes of a message that was refused.
  void expect_rest_dropped() {
    last();
    EXPECT_EQ(fate(), Fate::kDropped);
  }

  Vmu_dynamic_decision dut_;
  Header header_;
  Trailer trailer_;
  Peer peer_;
  Buffer buffer_;
};

TEST_F(DynamicDecision, TakesTheByteThatComesNext) {
  for (const bool doubt : {false, true}) {
    doubtful(doubt);
    EXPECT_EQ(fate(), Fate::kTaken);
    EXPECT_FALSE(dut_.begin_o || dut_.claim_o);
    EXPECT_EQ(dut_.address_o, 0x4200U);
  }
}
TEST_F(DynamicDecision, TakesTheByteThatComesNextThoughNothingIsFree) {
  dut_.buffer_i = dut_.room_i = 0;
  EXPECT_EQ(fate(), Fate::kTaken);
}
TEST_F(DynamicDecision, DropsAPacketBehindAGap) {
  for (const std::uint32_t received : {0U, 100U, 511U, 513U}) {
    dut_.received_i = received;
    EXPECT_EQ(fate(), Fate::kDropped);
  }
}
TEST_F(DynamicDecision, DropsTheRestOfAMessageThatTheContextDoesNotHold) {
  other_assembling();
  EXPECT_EQ(fate(), Fate::kDropped);
  unknown();
  dut_.received_i = 512;
  EXPECT_EQ(fate(), Fate::kDropped);
}
TEST_F(DynamicDecision, RefusesWhatNamesNoReceiveQueueWithAPeer) {
  dut_.exists_i = 0;
  expect_refused(Status::kQueueInvalid);
  expect_rest_dropped();
  dut_.exists_i = 1;
  peer_.set<p::connected>(0);
  expect_refused(Status::kQueueInvalid);
}
TEST_F(DynamicDecision, RefusesWhatComesToAQueueWithAPeerOfItsOwn) {
  peer_.set<p::dynamic>(0).set<p::x>(1).set<p::y>(2).set<p::z>(3).set<p::queue>(9);
  expect_refused(Status::kPermission);
  expect_rest_dropped();
}
TEST_F(DynamicDecision, BeginsAMessageThatIsNotDoubtful) {
  unknown();
  expect_begins(true);
  other_answered();
  expect_begins(true);
  answered();
  expect_begins(true);
}
TEST_F(DynamicDecision, BeginsADoubtfulOneOfASenderWhoseContextHasAnotherNumber) {
  doubtful();
  other_answered();
  expect_begins(true);
}
TEST_F(DynamicDecision, BeginsWithTheBufferOfAMessageThatItsSenderHasGivenUp) {
  dut_.buffer_i = dut_.room_i = 0;
  for (const bool doubt : {false, true}) {
    doubtful(doubt);
    other_assembling();
    expect_begins(false);
  }
  doubtful(false);
  assembling();
  expect_begins(false);
}
TEST_F(DynamicDecision, BeginsADoubtfulMessageAnewOfWhichNotAllWasTaken) {
  doubtful();
  dut_.buffer_i = dut_.room_i = 0;
  expect_begins(false);
}
TEST_F(DynamicDecision, DropsACopyOfWhatIsOnItsWayToTheMemory) {
  doubtful();
  completing();
  first();
  EXPECT_EQ(fate(), Fate::kDropped);
  last();
  EXPECT_EQ(fate(), Fate::kDropped) << "the answer comes when it is there";
  dut_.failed_i = 1;
  EXPECT_EQ(fate(), Fate::kDropped);
}
TEST_F(DynamicDecision, AcknowledgesTheLastPacketOfACopyOfWhatWasAnsweredAgain) {
  doubtful();
  answered();
  first();
  EXPECT_EQ(fate(), Fate::kDropped);
  last();
  EXPECT_EQ(fate(), Fate::kAcknowledged);
  header_.set<h::offset>(0);
  EXPECT_EQ(fate(), Fate::kAcknowledged) << "it may be the first too";
  dut_.buffer_i = dut_.counters_good_i = 0;
  EXPECT_EQ(fate(), Fate::kAcknowledged);
}
TEST_F(DynamicDecision, TellsTheFailureOfAMessageThatCouldNotBeStoredAgain) {
  doubtful();
  answered();
  dut_.failed_i = 1;
  EXPECT_EQ(fate(), Fate::kRefused) << "with its last packet, which is no first one";
  EXPECT_EQ(dut_.status_o, static_cast<unsigned>(Status::kMemoryError));
  first();
  EXPECT_EQ(fate(), Fate::kDropped);
}
TEST_F(DynamicDecision, BeginsADoubtfulMessageOfAnUnknownSenderIfNoneWasForgotten) {
  doubtful();
  unknown();
  dut_.forgot_i = 0;
  expect_begins(true);
}
TEST_F(DynamicDecision, DoesNotKnowOfADoubtfulMessageOfASenderThatMayBeForgotten) {
  doubtful();
  unknown();
  expect_refused(Status::kDeliveryUnknown);
  expect_rest_dropped();
}
TEST_F(DynamicDecision, RefusesANewMessageWhileTheOneBeforeIsNotAnswered) {
  for (const bool doubt : {false, true}) {
    doubtful(doubt);
    other_completing();
    expect_refused(Status::kReceiveDisabled);
    expect_rest_dropped();
  }
}
TEST_F(DynamicDecision, RefusesAMessageWithoutABuffer) {
  dut_.buffer_i = 0;
  unknown();
  expect_refused(Status::kReceiveDisabled);
  other_answered();
  expect_refused(Status::kReceiveDisabled);
  expect_rest_dropped();
}
TEST_F(DynamicDecision, RefusesAMessageWithoutAContext) {
  dut_.room_i = 0;
  unknown();
  expect_refused(Status::kReceiveDisabled);
  other_answered();
  expect_begins(true);
}
TEST_F(DynamicDecision, RefusesAMessageLongerThanItsBuffer) {
  trailer_.set<t::index>(1001);
  for (const bool doubt : {false, true}) {
    doubtful(doubt);
    expect_refused(Status::kLengthTooLong);
    expect_rest_dropped();
  }
}
TEST_F(DynamicDecision, RefusesAPacketPastTheEndOfItsMessage) {
  trailer_.set<t::index>(511);
  expect_refused(Status::kLengthTooLong);
  expect_rest_dropped();
}
TEST_F(DynamicDecision, RefusesCountersOfOthers) {
  dut_.counters_good_i = 0;
  expect_refused(Status::kCounterInvalid);
  expect_rest_dropped();
}
TEST_F(DynamicDecision, DropsAPacketOfNothing) {
  header_.set<h::bytes>(0);
  EXPECT_EQ(fate(), Fate::kDropped);
}
TEST_F(DynamicDecision, SaysNothingWithoutAPacket) {
  dut_.valid_i = 0;
  drive(dut_.header_i, header_);
  dut_.eval();
  EXPECT_FALSE(dut_.take_o || dut_.drop_o || dut_.acknowledge_o || dut_.status_o);
  EXPECT_FALSE(dut_.begin_o || dut_.claim_o);
}

TEST_F(DynamicDecision, FollowsItsRulesForAnyNumbers) {
  Random random;
  SCOPED_TRACE(random.replay());
  for (int i = 0; i < 60000; ++i) {
    const auto received = static_cast<std::uint32_t>(
        random.chance(10) ? 0 : random.bits64() >> (32 + random.below(32)));
    const std::uint64_t offset = random.chance(40)   ? nearly(random, 0, 37)
                                 : random.chance(10) ? random.bits64() >> 27
                                                     : nearly(random, received, 37);
    const std::uint64_t bytes = random.chance(5) ? 0 : 1 + random.below(512);
    const auto message = static_cast<std::uint32_t>(
        random.chance(80) ? nearly(random, offset + bytes + random.below(3) - 1, 32)
                          : random.bits64());
    const std::uint64_t length = random.chance(80)
                                     ? nearly(random, message + random.below(3) - 1, 37)
                                     : random.bits64() >> 27;
    const std::uint64_t address = random.bits64() >> 24;
    const bool doubt = random.chance(50), last_one = random.chance(60);
    const bool connected = random.chance(95), dynamic = random.chance(95);
    header_.set<h::offset>(offset).set<h::bytes>(bytes);
    trailer_.set<t::index>(message).set<t::last>(last_one).set<t::doubtful>(doubt);
    peer_.set<p::connected>(connected).set<p::dynamic>(dynamic);
    buffer_.set<layout::receive_buffer::address>(address);
    buffer_.set<layout::receive_buffer::length>(length);
    context(random.chance(70), random.chance(60), random.chance(50), random.chance(25), received);
    dut_.failed_i = random.chance(30);
    dut_.exists_i = random.chance(95);
    dut_.buffer_i = random.chance(80);
    dut_.room_i = random.chance(80);
    dut_.forgot_i = random.chance(50);
    dut_.counters_good_i = random.chance(90);
    const bool is_first = offset == 0;
    const bool fresh = is_first && (!doubt || (dut_.hit_i ? !dut_.same_i : !dut_.forgot_i));
    const bool holds = dut_.same_i && dut_.open_i;
    const bool goes_on = holds && (is_first ? !fresh : received != 0 && offset == received);
    Fate wanted = Fate::kDropped;
    Status why = Status::kOk;
    if (!dut_.exists_i || !connected) {
      why = Status::kQueueInvalid;
    } else if (!dynamic) {
      why = Status::kPermission;
    } else if (is_first && !fresh && !dut_.hit_i) {
      why = Status::kDeliveryUnknown;
    } else if (fresh && (dut_.waits_i || (!dut_.open_i && !dut_.buffer_i) ||
                         (!dut_.hit_i && !dut_.room_i))) {
      why = Status::kReceiveDisabled;
    } else if (fresh || goes_on) {
      if (message > length || offset + bytes > message) {
        why = Status::kLengthTooLong;
      } else if (!dut_.counters_good_i) {
        why = Status::kCounterInvalid;
      } else if (bytes != 0) {
        wanted = Fate::kTaken;
      }
    } else if (dut_.same_i && !dut_.open_i && !dut_.waits_i && last_one && doubt) {
      wanted = Fate::kAcknowledged;
      if (dut_.failed_i) why = Status::kMemoryError;
    }
    if (!is_first && why != Status::kMemoryError) why = Status::kOk;
    if (why != Status::kOk) wanted = Fate::kRefused;
    ASSERT_EQ(fate(), wanted) << "packet " << i;
    ASSERT_EQ(static_cast<Status>(dut_.status_o), why) << "packet " << i;
    ASSERT_EQ(dut_.begin_o, wanted == Fate::kTaken && is_first);
    ASSERT_EQ(dut_.claim_o, dut_.begin_o && !dut_.open_i);
    ASSERT_EQ(dut_.address_o, (address + offset) & ((1ULL << 40) - 1));
  }
}

}  // namespace
}  // namespace torusmu::testing

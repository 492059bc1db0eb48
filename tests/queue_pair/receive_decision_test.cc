// SPDX-License-Identifier: Apache-2.0
// The table of docs/queue_pairs.md, row by row.

#include <gtest/gtest.h>
#include <verilated.h>

#include <cstdint>

#include "Vmu_receive_decision.h"
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

// Message 5 of 1,000 bytes, of which 512 have come, into a buffer of 1,000.
class ReceiveDecision : public ::testing::Test {
 protected:
  ReceiveDecision() {
    header_.set<h::src_x>(1).set<h::src_y>(2).set<h::src_z>(3).set<h::bytes>(488).set<h::offset>(
        512);
    trailer_.set<t::queue>(9).set<t::sequence_number>(5).set<t::index>(1000).set<t::last>(1);
    peer_.set<p::x>(1).set<p::y>(2).set<p::z>(3).set<p::queue>(9).set<p::connected>(1);
    buffer_.set<layout::receive_buffer::address>(0x4000).set<layout::receive_buffer::length>(1000);
    dut_.valid_i = dut_.exists_i = dut_.buffer_i = dut_.counters_good_i = 1;
    dut_.completing_i = dut_.failed_i = 0;
    dut_.expected_i = 5;
    dut_.received_i = 512;
  }
  void first() { header_.set<h::offset>(0).set<h::bytes>(512); }
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
    return dut_.take_o          ? Fate::kTaken
           : dut_.drop_o        ? Fate::kDropped
           : dut_.acknowledge_o ? Fate::kAcknowledged
                                : Fate::kRefused;
  }
  Status status() const { return static_cast<Status>(dut_.status_o); }
  // Refused at the first packet, dropped at a later one.
  void expect_refused(Status status_wanted) {
    header_.set<h::offset>(512).set<h::bytes>(488);
    EXPECT_EQ(fate(), Fate::kDropped);
    first();
    EXPECT_EQ(fate(), Fate::kRefused);
    EXPECT_EQ(status(), status_wanted);
  }

  Vmu_receive_decision dut_;
  Header header_;
  Trailer trailer_;
  Peer peer_;
  Buffer buffer_;
};

TEST_F(ReceiveDecision, TakesTheByteThatComesNext) {
  EXPECT_EQ(fate(), Fate::kTaken);
  EXPECT_EQ(dut_.address_o, 0x4200U);
}
TEST_F(ReceiveDecision, TakesAFirstPacketAtAnyTime) {
  first();
  EXPECT_EQ(fate(), Fate::kTaken) << "the message begins anew";
  dut_.received_i = 0;
  EXPECT_EQ(fate(), Fate::kTaken);
}
TEST_F(ReceiveDecision, DropsAPacketBehindAGap) {
  dut_.received_i = 0;
  EXPECT_EQ(fate(), Fate::kDropped);
  dut_.received_i = 100;
  EXPECT_EQ(fate(), Fate::kDropped);
}
TEST_F(ReceiveDecision, RefusesWhatNamesNoReceiveQueueWithAPeer) {
  dut_.exists_i = 0;
  expect_refused(Status::kQueueInvalid);
  dut_.exists_i = 1;
  peer_.set<p::connected>(0);
  expect_refused(Status::kQueueInvalid);
}
TEST_F(ReceiveDecision, RefusesWhatIsNotOfThePeer) {
  header_.set<h::src_y>(3);
  expect_refused(Status::kPermission);
  header_.set<h::src_y>(2);
  trailer_.set<t::queue>(8);
  expect_refused(Status::kPermission);
}
TEST_F(ReceiveDecision, AcknowledgesTheLastPacketOfAnOlderMessageAgain) {
  trailer_.set<t::sequence_number>(4);
  EXPECT_EQ(fate(), Fate::kAcknowledged);
  trailer_.set<t::last>(0);
  EXPECT_EQ(fate(), Fate::kDropped);
  dut_.expected_i = 2;
  trailer_.set<t::sequence_number>(0xFFFFFFFF).set<t::last>(1);
  EXPECT_EQ(fate(), Fate::kAcknowledged) << "across the wrap";
}
TEST_F(ReceiveDecision, DropsANewerMessage) {
  trailer_.set<t::sequence_number>(6);
  EXPECT_EQ(fate(), Fate::kDropped);
  first();
  EXPECT_EQ(fate(), Fate::kDropped);
}
TEST_F(ReceiveDecision, DropsALateCopyOfAMessageThatIsCompleting) {
  dut_.completing_i = 1;
  for (const std::uint32_t number : {4U, 3U}) {
    trailer_.set<t::sequence_number>(number);
    EXPECT_EQ(fate(), Fate::kDropped) << "its answer comes when it is stored";
  }
  trailer_.set<t::sequence_number>(2);
  EXPECT_EQ(fate(), Fate::kAcknowledged) << "another message has its slot now";
}
TEST_F(ReceiveDecision, TellsTheFailureOfAMessageThatCouldNotBeStoredAgain) {
  dut_.failed_i = 1;
  for (const std::uint32_t number : {4U, 3U}) {
    trailer_.set<t::sequence_number>(number).set<t::last>(1);
    EXPECT_EQ(fate(), Fate::kRefused) << "with its last packet, which is no first one";
    EXPECT_EQ(status(), Status::kMemoryError);
    trailer_.set<t::last>(0);
    EXPECT_EQ(fate(), Fate::kDropped);
  }
  trailer_.set<t::last>(1);
  for (unsigned bit = 1; bit < 31; ++bit) {
    trailer_.set<t::sequence_number>(4 - (1U << bit));
    EXPECT_EQ(fate(), Fate::kAcknowledged) << "another message has its slot now, bit " << bit;
  }
}
TEST_F(ReceiveDecision, TellsTheFailureOfAMessageOfOnePacketAgain) {
  dut_.failed_i = 1;
  header_.set<h::offset>(0).set<h::bytes>(8);
  trailer_.set<t::sequence_number>(4).set<t::index>(8);
  EXPECT_EQ(fate(), Fate::kRefused);
  EXPECT_EQ(status(), Status::kMemoryError);
}
TEST_F(ReceiveDecision, TellsNoFailureWhileTheMessageIsCompleting) {
  dut_.failed_i = dut_.completing_i = 1;
  trailer_.set<t::sequence_number>(4);
  EXPECT_EQ(fate(), Fate::kDropped);
}
TEST_F(ReceiveDecision, TakesAMessageWhateverBecameOfTheOneBeforeItInItsSlot) {
  dut_.failed_i = 1;
  first();
  EXPECT_EQ(fate(), Fate::kTaken);
}
TEST_F(ReceiveDecision, RefusesAMessageWithoutABuffer) {
  dut_.buffer_i = 0;
  expect_refused(Status::kReceiveDisabled);
}
TEST_F(ReceiveDecision, RefusesAMessageLongerThanTheBuffer) {
  trailer_.set<t::index>(1001);
  expect_refused(Status::kLengthTooLong);
}
TEST_F(ReceiveDecision, RefusesAPacketPastTheEndOfItsMessage) {
  trailer_.set<t::index>(511);
  expect_refused(Status::kLengthTooLong);
}
TEST_F(ReceiveDecision, RefusesCountersOfOthers) {
  dut_.counters_good_i = 0;
  expect_refused(Status::kCounterInvalid);
}
TEST_F(ReceiveDecision, DropsAPacketOfNothing) {
  header_.set<h::bytes>(0);
  EXPECT_EQ(fate(), Fate::kDropped);
}

TEST_F(ReceiveDecision, FollowsItsRulesForAnyNumbers) {
  Random random;
  SCOPED_TRACE(random.replay());
  for (int i = 0; i < 60000; ++i) {
    const std::uint64_t node = random.bits64() & 0xFFFFF;  // queue, then the coordinates
    const std::uint64_t peer = nearly(random, node, 20);
    const auto received = static_cast<std::uint32_t>(
        random.chance(10) ? 0 : random.bits64() >> (32 + random.below(32)));
    const std::uint64_t offset = random.chance(30)   ? nearly(random, 0, 37)
                                 : random.chance(10) ? random.bits64() >> 27
                                                     : nearly(random, received, 37);
    const std::uint64_t bytes = random.chance(5) ? 0 : 1 + random.below(512);
    const auto message = static_cast<std::uint32_t>(
        random.chance(70) ? nearly(random, offset + bytes + random.below(3) - 1, 32)
                          : random.bits64());
    const std::uint64_t length = random.chance(70)
                                     ? nearly(random, message + random.below(3) - 1, 37)
                                     : random.bits64() >> 27;
    const std::uint64_t address = random.bits64() >> 24;
    const auto expected = static_cast<std::uint32_t>(random.bits64());
    const std::uint32_t ahead = random.chance(50) ? 0
                                : random.chance(40)
                                    ? static_cast<std::uint32_t>(random.below(7)) - 3
                                    : static_cast<std::uint32_t>(nearly(random, 0, 32));
    const bool connected = random.chance(95), dynamic = random.chance(5), last = random.chance(60);
    header_.set<h::src_x>(node >> 8 & 15).set<h::src_y>(node >> 12 & 15).set<h::src_z>(node >> 16);
    header_.set<h::offset>(offset).set<h::bytes>(bytes);
    trailer_.set<t::queue>(node & 255).set<t::sequence_number>(expected + ahead);
    trailer_.set<t::index>(message).set<t::last>(last);
    peer_.set<p::x>(peer >> 8 & 15).set<p::y>(peer >> 12 & 15).set<p::z>(peer >> 16);
    peer_.set<p::queue>(peer & 255).set<p::connected>(connected).set<p::dynamic>(dynamic);
    buffer_.set<layout::receive_buffer::address>(address).set<layout::receive_buffer::length>(
        length);
    dut_.exists_i = random.chance(95);
    dut_.buffer_i = random.chance(85);
    dut_.counters_good_i = random.chance(90);
    dut_.completing_i = random.chance(30);
    dut_.failed_i = random.chance(40);
    dut_.expected_i = expected;
    dut_.received_i = received;
    Fate wanted = Fate::kDropped;
    Status why = Status::kOk;
    const bool recent = ahead >= 0xFFFFFFFE;
    const bool next = dut_.buffer_i && received != 0 && offset == received;
    if (!dut_.exists_i || !connected) {
      why = Status::kQueueInvalid;
    } else if (peer != node || dynamic) {
      why = Status::kPermission;
    } else if (ahead >= 1U << 31) {
      const bool again = recent && (dut_.completing_i || dut_.failed_i);
      if (last && !again) wanted = Fate::kAcknowledged;
    } else if (ahead == 0) {
      if (offset == 0 && !dut_.buffer_i) {
        why = Status::kReceiveDisabled;
      } else if (message > length || offset + bytes > message) {
        why = Status::kLengthTooLong;
      } else if (!dut_.counters_good_i) {
        why = Status::kCounterInvalid;
      } else if (bytes != 0 && (offset == 0 || next)) {
        wanted = Fate::kTaken;
      }
    }
    if (offset != 0) why = Status::kOk;
    if (ahead >= 1U << 31 && why == Status::kOk && recent && last && dut_.failed_i &&
        !dut_.completing_i && dut_.exists_i && connected && peer == node && !dynamic) {
      why = Status::kMemoryError;
    }
    if (why != Status::kOk) wanted = Fate::kRefused;
    ASSERT_EQ(fate(), wanted) << "packet " << i << ", " << ahead << " ahead";
    ASSERT_EQ(status(), why) << "packet " << i;
    ASSERT_EQ(dut_.address_o, (address + offset) & ((1ULL << 40) - 1));
  }
}

TEST_F(ReceiveDecision, DecidesNothingWithoutAPacket) {
  dut_.valid_i = 0;
  dut_.eval();
  EXPECT_EQ(dut_.take_o | dut_.drop_o | dut_.acknowledge_o, 0);
  EXPECT_EQ(status(), Status::kOk);
}

}  // namespace
}  // namespace torusmu::testing

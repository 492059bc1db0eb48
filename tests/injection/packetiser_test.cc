// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "Vmu_packetiser.h"
#include "tests/support/clocked_once.h"
#include "tests/support/port_fields.h"
#include "tests/support/region.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/names.h"

namespace torusmu::testing {
namespace {

namespace c = layout::read_command;
namespace d = layout::descriptor;
namespace f = layout::fetched_descriptor;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;
namespace r = layout::injection_record;
using Fetched = Record<f::Layout>;
using Command = Record<c::Layout>;

// One descriptor of client 0; everything it may read is its own, and whoever is asked says yes.
class Packetiser : public ::testing::Test {
 protected:
  Packetiser() {
    drive(dut_->source_entry_i, region_entry(0x1000, 1ULL << 37, 0));
    dut_->open_ready_i = dut_->payload_command_ready_i = 1;
    own_.set<d::opcode>(Opcode::kPut).set<d::length>(100);
    fetched_.set<f::mode>(QueueMode::kDoorbell).set<f::queue>(9).set<f::index>(0x1234567);
    fetched_.set<f::lap>(77);
    dut_.settle();
  }
  void connect() {
    drive(dut_->peer_i, Record<layout::queue_peer::Layout>().set<layout::queue_peer::connected>(1));
  }
  // It is judged next.
  void give() {
    fetched_.set<f::descriptor>(own_);
    drive(dut_->descriptor_data_i, fetched_);
    dut_->descriptor_valid_i = 1;
    dut_.settle();
    ASSERT_TRUE(dut_->descriptor_ready_o);
    tick();
    dut_->descriptor_valid_i = 0;
    tick();
  }
  void tick() {
    dut_.tick_settled();
    dut_.settle();
  }
  PacketHeader header() { return get<layout::packet_open::header>(dut_->open_o); }
  PacketTrailer trailer() { return get<layout::packet_open::trailer>(dut_->open_o); }
  Record<r::Layout> record() { return get<layout::packet_open::record>(dut_->open_o); }
  // All packets of it, one every other cycle: the command of the one before is out of the way then.
  void expect_packets(std::uint64_t length) {
    tick();
    for (std::uint64_t sent = 0; sent < length; sent += 512) {
      ASSERT_TRUE(dut_->open_valid_o) << sent;
      ASSERT_EQ(header().get<h::bytes>(), std::min<std::uint64_t>(512, length - sent)) << sent;
      ASSERT_EQ(header().get<h::offset>(), sent);
      ASSERT_EQ(trailer().get<t::last>(), sent + 512 >= length) << sent;
      tick();
      const auto command = get<layout::read_request::command>(dut_->payload_read_o);
      ASSERT_TRUE(get<layout::read_request::valid>(dut_->payload_read_o));
      ASSERT_EQ(command.get<c::address>(), 0x1000 + sent);
      ASSERT_EQ(command.get<c::bytes>(), std::min<std::uint64_t>(512, length - sent));
      if (sent + 512 >= length) break;
      ASSERT_FALSE(dut_->open_valid_o);
      tick();
    }
    EXPECT_TRUE(dut_->descriptor_ready_o);
  }

  ClockedOnce<Vmu_packetiser> dut_;
  Fetched fetched_;
  Descriptor own_;
};

TEST_F(Packetiser, OpensItsFirstPacketThreeCyclesAfterTheDescriptor) {
  give();
  EXPECT_FALSE(dut_->open_valid_o);
  tick();
  EXPECT_TRUE(dut_->open_valid_o);
  EXPECT_TRUE(get<layout::packet_open::memory>(dut_->open_o));
  EXPECT_EQ(header().get<h::kind>(), Kind::kPut);
  EXPECT_EQ(record().get<r::index>(), 0x1234567U);
  tick();
  EXPECT_TRUE(dut_->descriptor_ready_o) << "four cycles a descriptor of one packet";
}

TEST_F(Packetiser, CutsPacketsOf512BytesAndTheRest) {
  for (const std::uint64_t length : {1, 511, 512, 513, 1024, 1025, 5000}) {
    SCOPED_TRACE(length);
    own_.set<d::length>(length);
    give();
    expect_packets(length);
  }
}

// Each length of one packet more than a power of two: the count of what is left borrows from all
// bits below.
TEST_F(Packetiser, CountsWhatIsLeftDownToTheLastByte) {
  for (unsigned bit = 10; bit <= 22; ++bit) {
    SCOPED_TRACE(bit);
    own_.set<d::length>((1ULL << bit) + 511);
    give();
    expect_packets((1ULL << bit) + 511);
  }
}

// Of so many packets only the last is looked at.
TEST_F(Packetiser, EndsAMessageOfAGiBWithTheBytesThatAreLeft) {
  constexpr std::uint64_t kLength = (1ULL << 30) + 511;
  own_.set<d::length>(kLength);
  give();
  tick();
  for (std::uint64_t sent = 0; sent < 2 * (kLength / 512); ++sent) tick();
  EXPECT_EQ(header().get<h::bytes>(), 511U);
  EXPECT_TRUE(trailer().get<t::last>());
  tick();
  EXPECT_TRUE(dut_->descriptor_ready_o);
}

TEST_F(Packetiser, ShowsNothingOfAPacketBeforeThereIsRoomForIt) {
  own_.set<d::immediate_valid>(1).set<d::length>(3).set<d::immediate>({1, 2, 3, 4});
  dut_->open_ready_i = 0;
  give();
  tick();
  EXPECT_TRUE(dut_->open_valid_o);
  EXPECT_FALSE(dut_->active_o) << "one that waits for a free slot is at rest";
  EXPECT_EQ(header(), PacketHeader{});
  EXPECT_EQ(get_bytes<layout::packet_open::payload>(dut_->open_o), Bytes(16));
  dut_->open_ready_i = 1;
  dut_.settle();
  EXPECT_EQ(header().get<h::bytes>(), 3U);
  Bytes payload(16);
  for (std::uint8_t i = 0; i < 3; ++i) payload[i] = static_cast<std::uint8_t>(i + 1);
  EXPECT_EQ(get_bytes<layout::packet_open::payload>(dut_->open_o), payload);
}

// Whatever came with the error: neither opcode nor length nor name reaches the completion entry.
TEST_F(Packetiser, TellsNothingOfADescriptorThatCouldNotBeRead) {
  own_.set<d::opcode>(Opcode::kReceive).set<d::length>(5000).set<d::sequence_number>(0x1234);
  own_.set<d::header>(PacketHeader().set<h::word>(0x5678)).set<d::interrupt_done>(1);
  fetched_.set<f::error>(1);
  give();
  tick();
  EXPECT_TRUE(dut_->open_valid_o);
  EXPECT_EQ(record().get<r::status>(), Status::kMemoryError);
  EXPECT_EQ(record().get<r::queue>(), 9U);
  EXPECT_EQ(record().get<r::index>(), 0x1234567U);
  EXPECT_EQ(record().get<r::signal>(), 1U);
  EXPECT_EQ(record().get<r::opcode>(), Opcode::kNop);
  EXPECT_EQ(record().get<r::bytes>(), 0U);
  EXPECT_EQ(record().get<r::interrupt_done>(), 0U);
  EXPECT_EQ(header().get<h::word>(), 0U);
  EXPECT_EQ(trailer().get<t::sequence_number>(), 0U);
}

TEST_F(Packetiser, OpensOneSlotForADescriptorThatFails) {
  own_.set<d::length>(5000);
  drive(dut_->source_entry_i, region_entry(0, 4999, 0));
  give();
  tick();
  EXPECT_TRUE(dut_->open_valid_o);
  EXPECT_FALSE(get<layout::packet_open::memory>(dut_->open_o));
  EXPECT_EQ(record().get<r::status>(), Status::kRegionBounds);
  EXPECT_FALSE(record().get<r::send>());
  EXPECT_TRUE(record().get<r::last>());
  tick();
  EXPECT_TRUE(dut_->descriptor_ready_o);
  EXPECT_FALSE(get<layout::read_request::valid>(dut_->payload_read_o));
}

TEST_F(Packetiser, RewindsAReflectingGetWithoutACredit) {
  own_.set<d::opcode>(Opcode::kGet).set<d::reflect>(1).set<d::length>(64);
  testing::put<layout::credit_offer::configured>(dut_->credit_i, 1);
  give();
  tick();
  EXPECT_TRUE(get<layout::credit_ask::valid>(dut_->credit_ask_o));
  EXPECT_FALSE(dut_->open_valid_o);
  tick();
  ASSERT_TRUE(get<layout::place_request::valid>(dut_->rewind_o));
  namespace q = layout::queue_place;
  const auto place = get<layout::place_request::place>(dut_->rewind_o);
  EXPECT_EQ(place.get<q::queue>(), 9U);
  EXPECT_EQ(place.get<q::index>(), 0x1234567U);
  EXPECT_EQ(place.get<q::lap>(), 77U);
  dut_->rewind_ready_i = 1;
  tick();
  EXPECT_TRUE(dut_->descriptor_ready_o);
  // Where nobody can ever reflect it fails.
  testing::put<layout::credit_offer::configured>(dut_->credit_i, 0);
  give();
  tick();
  EXPECT_TRUE(dut_->open_valid_o);
  EXPECT_EQ(record().get<r::status>(), Status::kNoReflector);
}

TEST_F(Packetiser, HoldsASendBeforeItCutsIt) {
  connect();
  own_.set<d::opcode>(Opcode::kSend);
  give();
  tick();
  EXPECT_TRUE(get<layout::held_request::valid>(dut_->held_o));
  EXPECT_EQ(get<layout::held_request::address>(dut_->held_o), 0x1000U);
  EXPECT_FALSE(dut_->open_valid_o);
  dut_->held_ready_i = 1;
  tick();
  EXPECT_FALSE(get<layout::held_request::valid>(dut_->held_o));
  EXPECT_TRUE(dut_->open_valid_o);
  EXPECT_FALSE(get<layout::send_progress::left>(dut_->progress_o));
  tick();
  EXPECT_TRUE(get<layout::send_progress::left>(dut_->progress_o));
}

TEST_F(Packetiser, GivesUpASendThatMayNotGoAhead) {
  connect();
  own_.set<d::opcode>(Opcode::kSend);
  fetched_.set<f::ahead>(1).set<f::again>(1);
  for (const bool good : {false, true}) {
    testing::put<layout::send_number::ahead_good>(dut_->number_i, good);
    give();
    tick();
    EXPECT_TRUE(dut_->send_ahead_o);
    EXPECT_EQ(get<layout::send_progress::goes_ahead>(dut_->progress_o), good);
    tick();
    EXPECT_EQ(dut_->open_valid_o, good);
    EXPECT_EQ(dut_->descriptor_ready_o, !good);
  }
}

TEST_F(Packetiser, EndsADescriptorWhoseDataCannotBeRead) {
  own_.set<d::length>(5000);
  give();
  tick();
  EXPECT_EQ(record().get<r::tag>(), 0U);
  tick();
  testing::put<layout::slot_abort::valid>(dut_->abort_i, 1);
  testing::put<layout::slot_abort::tag>(dut_->abort_i, 1);
  tick();
  EXPECT_TRUE(dut_->open_valid_o) << "another one is meant";
  testing::put<layout::slot_abort::tag>(dut_->abort_i, 0);
  tick();
  EXPECT_FALSE(dut_->open_valid_o);
  testing::put<layout::slot_abort::valid>(dut_->abort_i, 0);
  give();
  tick();
  EXPECT_EQ(record().get<r::tag>(), 1U);
}

TEST_F(Packetiser, OpensNoMoreThanTheFirstPacketOfAMessageThatIsNotInMemoryYet) {
  connect();
  own_.set<d::opcode>(Opcode::kSend).set<d::length>(700);
  fetched_.set<f::again>(1);
  testing::put<layout::send_hold::hold>(dut_->hold_i, 1);
  give();
  tick();
  EXPECT_TRUE(dut_->open_valid_o);
  EXPECT_TRUE(get<layout::packet_open::hold>(dut_->open_o));
  tick();
  tick();
  EXPECT_FALSE(dut_->open_valid_o);
  testing::put<layout::send_hold::hold>(dut_->hold_i, 0);
  dut_.settle();
  EXPECT_TRUE(dut_->open_valid_o);
  EXPECT_FALSE(get<layout::packet_open::hold>(dut_->open_o));
  EXPECT_EQ(header().get<h::bytes>(), 188U);
}

}  // namespace
}  // namespace torusmu::testing

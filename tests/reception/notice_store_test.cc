// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>

#include "Vmu_notice_store.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

using WriteCommand = Record<layout::write_command::Layout>;
using WriteAction = Record<layout::write_action::Layout>;
namespace h = layout::packet_header;
namespace a = layout::write_action;
namespace w = layout::write_command;

TEST(NoticeStore, WritesHeaderAndTrailerAndNamesTheClient) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_notice_store> store(random.seed());
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(store->idle_o);
    const auto header = PacketHeader::from_bytes(random_bytes(random, 16));
    const auto trailer = PacketTrailer::from_bytes(random_bytes(random, 16));
    const std::uint64_t address = random.bits64() >> 24U;
    drive(store->packet_header_i, header);
    drive(store->packet_trailer_i, trailer);
    store->start_address_i = address;
    store->start_valid_i = 1;
    store.tick();
    store->start_valid_i = 0;
    drive(store->packet_header_i, PacketHeader{});  // the packet may go at once
    for (std::uint64_t wait = random.below(3);; --wait) {
      store->write_command_ready_i = wait == 0;
      store.settle();
      ASSERT_TRUE(store->write_command_valid_o);
      const auto client = header.get<h::client>();
      const WriteCommand due = WriteCommand{}
                                   .set<w::address>(address)
                                   .set<w::bytes>(32)
                                   .set<w::final_part>(1)
                                   .set<w::action>(WriteAction{}
                                                       .set<a::action>(Action::kNotice)
                                                       .set<a::client>(client)
                                                       .set<a::target>(client)
                                                       .set<a::amount>(1));
      ASSERT_EQ(sample_record<WriteCommand>(store->write_command_data_o), due);
      store.tick();
      if (wait == 0) break;
    }
    store->write_command_ready_i = 0;
    for (std::uint64_t wait = random.below(3);; --wait) {
      store->write_beat_ready_i = wait == 0;
      store.settle();
      ASSERT_TRUE(store->write_beat_valid_o && !store->write_command_valid_o);
      const Bytes beat = sample(store->write_beat_data_o, 32);
      ASSERT_EQ(PacketHeader::from_bytes(std::span(beat).first(16)), header);
      ASSERT_EQ(PacketTrailer::from_bytes(std::span(beat).subspan(16)), trailer);
      store.tick();
      if (wait == 0) break;
    }
    store->write_beat_ready_i = 0;
    store.settle();
  }
}

TEST(NoticeStore, IsIdleOnlyWhenCommandAndBeatAreTaken) {
  Clocked<Vmu_notice_store> store;
  store->start_valid_i = 1;
  store->write_command_ready_i = 1;
  store.tick();
  store->start_valid_i = 0;
  store.settle();
  EXPECT_FALSE(store->idle_o) << "the command waits";
  store.tick();
  EXPECT_FALSE(store->idle_o) << "the beat waits";
  store.tick();
  EXPECT_FALSE(store->idle_o) << "the beat was not taken";
  store->write_beat_ready_i = 1;
  store.tick();
  EXPECT_TRUE(store->idle_o);
}

TEST(NoticeStore, ForgetsANoticeInReset) {
  for (unsigned cycles = 1; cycles < 4; ++cycles) {
    Clocked<Vmu_notice_store> store(cycles);
    EXPECT_TRUE(store->idle_o);
    store->start_valid_i = 1;
    store->write_command_ready_i = 1;
    store.tick();
    store->start_valid_i = 0;
    for (unsigned i = 1; i < cycles; ++i) store.tick();
    store->write_command_ready_i = 0;
    store->rst_ni = 0;
    store.tick();
    EXPECT_TRUE(store->idle_o) << cycles;
    EXPECT_FALSE(store->write_command_valid_o || store->write_beat_valid_o) << cycles;
  }
}

}  // namespace
}  // namespace torusmu::testing

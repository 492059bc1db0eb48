// SPDX-License-Identifier: Apache-2.0
//
// Descriptors of reflection queues are tested with the queue engine, in injection_block_test.cc and
// injection_errors_test.cc; here they compete with notices.

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "Vmu_reply_injector.h"
#include "tb/reference_model/packet.h"
#include "tests/support/clocked.h"
#include "tests/support/wide.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace f = layout::fetched_descriptor;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;
using Fetched = Record<f::Layout>;

class ReplyInjector : public ::testing::Test {
 protected:
  ReplyInjector() : dut_(random_.seed()) {
    dut_->strap_last_x_i = dut_->strap_last_y_i = dut_->strap_last_z_i = 3;
  }
  static bool is_nop(std::uint64_t index) { return index % 4 == 3; }
  static Fetched completion(std::uint32_t index) {
    const auto image = PacketHeader().set<h::dst_x>(1).set<h::src_x>(1).set<h::client>(2);
    return Fetched()
        .set<f::descriptor>(Descriptor()
                                .set<d::opcode>(is_nop(index) ? Opcode::kNop : Opcode::kPut)
                                .set<d::immediate_valid>(1)
                                .set<d::length>(8)
                                .set<d::reflection_number>(index & 0xFFFF)
                                .set<d::header>(image))
        .set<f::queue>(3)
        .set<f::index>(index)
        .set<f::mode>(QueueMode::kReflection);
  }
  static PacketHeader notice(unsigned word) {
    return PacketHeader().set<h::kind>(Kind::kNotice).set<h::reply>(1).set<h::word>(word);
  }

  Random random_;
  Clocked<Vmu_reply_injector> dut_;
};

TEST_F(ReplyInjector, LetsCompletionsAndBothKindsOfNoticesTakeTurnsWhole) {
  SCOPED_TRACE(random_.replay());
  std::uint32_t completions = 0, received = 0, own = 0, retired = 0;
  std::map<std::uint64_t, std::uint64_t> seen;  // packets by kind of sender
  Bytes open;
  unsigned since_received = 0;
  for (int cycle = 0; cycle < 6000; ++cycle) {
    dut_->descriptor_valid_i = 1;
    drive(dut_->descriptor_data_i, completion(completions));
    dut_->notice_packet_valid_i = 1;
    drive(dut_->notice_packet_header_i, notice(received));
    dut_->own_notice_valid_i = 1;
    drive(dut_->own_notice_header_i, notice(1U << 31 | own));
    dut_->flit_ready_i = random_.chance(80);
    dut_->retire_ready_i = random_.chance(15);
    dut_.settle();
    if (dut_->flit_valid_o && dut_->flit_ready_i) {
      ASSERT_EQ(dut_->flit_head_o != 0, open.empty());
      const Bytes flit = sample(dut_->flit_data_o, 16);
      open.insert(open.end(), flit.begin(), flit.end());
      if (dut_->flit_tail_o) {
        model::Packet packet;
        packet.header = PacketHeader::from_bytes(open);
        packet.trailer = PacketTrailer::from_bytes(std::span(open).last(16));
        packet.payload.assign(open.begin() + 16, open.end() - 16);
        ASSERT_TRUE(packet.crc_is_good());
        const bool is_notice = packet.header.get<h::kind>() == Kind::kNotice;
        const std::uint64_t sender = is_notice ? 1 + (packet.header.get<h::word>() >> 31) : 0;
        const std::uint64_t number =
            is_notice ? packet.header.get<h::word>() & 0x7FFFFFFF : packet.trailer.get<t::index>();
        if (sender == 0 && is_nop(seen[0])) ++seen[0];
        ASSERT_EQ(number, seen[sender]++) << "in order, each once";
        since_received = sender == 1 ? 0 : since_received + 1;
        ASSERT_LE(since_received, 2U) << "nobody waits for more than one packet of each other";
        open.clear();
      }
    }
    if (dut_->retire_valid_o && dut_->retire_ready_i) {
      ASSERT_EQ(dut_->retire_index_o, retired++);
      ASSERT_EQ(dut_->retire_status_o, 0);
    }
    completions += dut_->descriptor_ready_o;
    received += dut_->notice_packet_ready_o;
    own += dut_->own_notice_ready_o;
    dut_.tick();
  }
  EXPECT_GT(seen[0], 400U);
  EXPECT_GT(seen[1], 400U);
  EXPECT_GT(seen[2], 400U);
  EXPECT_GE(retired + 1, seen[0]) << "the last one may still wait for the queue engine";
}

TEST_F(ReplyInjector, SendsACompletionEveryFiveCycles) {
  dut_->flit_ready_i = dut_->retire_ready_i = 1;
  dut_->descriptor_valid_i = 1;
  drive(dut_->descriptor_data_i, completion(0));
  unsigned tails = 0;
  for (int cycle = 0; cycle < 100; ++cycle) {
    dut_.settle();
    tails += dut_->flit_valid_o && dut_->flit_tail_o;
    dut_.tick();
  }
  EXPECT_GE(tails, 19U);
}

}  // namespace
}  // namespace torusmu::testing

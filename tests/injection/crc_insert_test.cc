// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "Vmu_crc_insert.h"
#include "tb/reference_model/packet.h"
#include "tests/support/clocked.h"
#include "tests/support/wide.h"

namespace torusmu::testing {
namespace {

TEST(CrcInsert, SealsEveryPacketAndChangesNothingElse) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_crc_insert> dut(random.seed());
  std::deque<Bytes> in;  // flits still to send
  std::vector<bool> heads, tails;
  std::vector<Bytes> wanted, got;
  for (int packet = 0; packet < 60; ++packet) {
    model::Packet sealed;
    sealed.header = PacketHeader::from_bytes(random_bytes(random, 16));
    sealed.trailer = PacketTrailer::from_bytes(random_bytes(random, 16));
    sealed.payload = random_bytes(random, 16 * random.below(33));
    const Bytes bare = sealed.bytes();
    sealed.seal();
    const Bytes good = sealed.bytes();
    for (std::size_t at = 0; at < bare.size(); at += 16) {
      in.emplace_back(bare.begin() + static_cast<std::ptrdiff_t>(at),
                      bare.begin() + static_cast<std::ptrdiff_t>(at + 16));
      wanted.emplace_back(good.begin() + static_cast<std::ptrdiff_t>(at),
                          good.begin() + static_cast<std::ptrdiff_t>(at + 16));
      heads.push_back(at == 0);
      tails.push_back(at + 16 == bare.size());
    }
  }
  const std::size_t total = in.size();
  std::size_t sent = 0;
  for (int cycle = 0; cycle < 20000 && got.size() < total; ++cycle) {
    if (!dut->in_valid_i) dut->in_valid_i = sent < total && random.chance(70);
    if (dut->in_valid_i) {
      drive(dut->in_data_i, in[sent]);
      dut->in_head_i = heads[sent];
      dut->in_tail_i = tails[sent];
    }
    dut->out_ready_i = random.chance(70);
    dut.settle();
    if (dut->out_valid_o && dut->out_ready_i) {
      ASSERT_EQ(dut->out_head_o, heads[got.size()]);
      ASSERT_EQ(dut->out_tail_o, tails[got.size()]);
      got.push_back(sample(dut->out_data_o, 16));
    }
    const bool taken = dut->in_valid_i && dut->in_ready_o;
    dut.tick();
    if (taken) {
      ++sent;
      dut->in_valid_i = 0;
    }
  }
  EXPECT_EQ(got, wanted);
}

TEST(CrcInsert, PassesAFlitACycle) {
  Clocked<Vmu_crc_insert> dut;
  dut->out_ready_i = 1;
  dut->in_valid_i = 1;
  for (int i = 0; i < 20; ++i) {
    dut->in_head_i = i % 4 == 0;
    dut->in_tail_i = i % 4 == 3;
    dut.settle();
    EXPECT_TRUE(dut->in_ready_o);
    EXPECT_EQ(dut->out_valid_o, i > 0);
    dut.tick();
  }
}

TEST(CrcInsert, TakesAFlitWhileItIsEmptyThoughTheRouterDoesNot) {
  Clocked<Vmu_crc_insert> dut;
  dut->in_valid_i = dut->in_head_i = 1;
  dut.settle();
  EXPECT_TRUE(dut->in_ready_o);
  dut.tick();
  dut->in_head_i = 0;
  dut.settle();
  EXPECT_TRUE(dut->out_valid_o);
  EXPECT_FALSE(dut->in_ready_o);
}

}  // namespace
}  // namespace torusmu::testing

// SPDX-License-Identifier: Apache-2.0
// Two managers on one register bus.

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "Vmu_axil_share.h"
#include "tests/debug/axil_registers.h"
#include "tests/support/axil_driver.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

// The share with registers behind it, an AXI4-Lite manager, and the side of the TAP.
class Shared {
 public:
  Shared(Random& random, AxilPace pace = {}, unsigned node_percent = 100)
      : block(random.seed()), cores(block, random, pace), node(block, random, node_percent) {}

  struct Answer {
    bool error;
    std::uint64_t data;
    bool operator==(const Answer&) const = default;
  };

  void offer(bool write, std::uint32_t address, std::uint64_t data, unsigned strobe = 0xff) {
    block->access_valid_i = 1;
    block->access_write_i = write;
    block->access_address_i = address;
    block->access_data_i = data;
    block->access_strobe_i = static_cast<CData>(strobe);
  }
  void tick() {
    node.before_edge();
    block.settle();
    const bool taken = block->access_valid_i && block->access_ready_o;
    if (block->response_valid_o)
      answer = Answer{block->response_error_o != 0, block->response_data_o};
    cores.tick();
    if (taken) block->access_valid_i = 0;
  }
  Answer tap(bool write, std::uint32_t address, std::uint64_t data = 0, unsigned strobe = 0xff) {
    answer.reset();
    offer(write, address, data, strobe);
    for (unsigned i = 0; !answer; ++i) {
      if (i == 1000) throw std::runtime_error("no answer to the TAP");
      tick();
    }
    return *answer;
  }
  void finish() {
    for (unsigned i = 0; cores.busy(); ++i) {
      if (i == 1000) throw std::runtime_error("no answer to the cores");
      tick();
    }
  }

  Clocked<Vmu_axil_share> block;
  AxilDriver<Vmu_axil_share> cores;
  AxilRegisters<Vmu_axil_share> node;
  std::optional<Answer> answer;
};

TEST(AxilShare, CarriesAccessesOfTheCores) {
  Random random;
  Shared bus(random);
  bus.cores.post_write(0x120, 0x1122'3344'5566'7788, 0xf0);
  bus.finish();
  bus.cores.post_read(0x120);
  bus.finish();
  ASSERT_EQ(bus.cores.read_answers().size(), 1U);
  EXPECT_EQ(bus.cores.read_answers()[0].data, 0x1122'3344'0000'0000U);
  EXPECT_FALSE(bus.cores.write_answers()[0].error);
}

TEST(AxilShare, CarriesAccessesOfTheTap) {
  Random random;
  Shared bus(random);
  EXPECT_FALSE(bus.tap(true, 0x128, 0x1122'3344'5566'7788, 0x0f).error);
  EXPECT_EQ(bus.tap(false, 0x128).data, 0x5566'7788U);
}

TEST(AxilShare, HandsRefusalsToWhoAsked) {
  Random random;
  Shared bus(random);
  EXPECT_TRUE(bus.tap(true, 0x80000, 1).error);
  EXPECT_TRUE(bus.tap(false, 0x80000).error);
  EXPECT_FALSE(bus.tap(false, 0x100).error);
  bus.cores.post_write(0x80000, 1);
  bus.finish();
  bus.cores.post_read(0x80000);
  bus.finish();
  EXPECT_TRUE(bus.cores.write_answers()[0].error);
  EXPECT_TRUE(bus.cores.read_answers()[0].error);
}

TEST(AxilShare, ServesTheTapThoughTheCoresNeverStop) {
  Random random;
  Shared bus(random);
  for (unsigned i = 0; i < 100; ++i) {
    bus.cores.post_write(8 * i, i);
    bus.cores.post_read(8 * i);
  }
  for (unsigned i = 0; i < 6; ++i) bus.tick();
  const std::size_t before = bus.node.seen().size();
  bus.tap(false, 0x4000);
  // One that was under way, and both kinds of the cores once.
  EXPECT_LE(bus.node.seen().size() - before, 4U);
  bus.finish();
}

TEST(AxilShare, ServesTheCoresThoughTheTapNeverStops) {
  Random random;
  Shared bus(random);
  bus.cores.post_write(8, 1);
  bus.cores.post_read(16);
  for (unsigned i = 0; i < 3; ++i) bus.tap(false, 0x4000);
  EXPECT_EQ(bus.cores.write_answers().size(), 1U);
  EXPECT_EQ(bus.cores.read_answers().size(), 1U);
}

TEST(AxilShare, AHeldResponseStopsNobodyElse) {
  Random random;
  Shared bus(random, {.response = 0});
  bus.cores.post_write(0x40, 4);
  bus.cores.post_read(0x48);
  for (unsigned i = 0; i < 40; ++i) bus.tick();
  EXPECT_EQ(bus.block->s_axil_bvalid, 1);
  EXPECT_EQ(bus.block->s_axil_rvalid, 1) << "the held B does not stop a read";
  EXPECT_EQ(bus.tap(false, 0x40).data, 4U);
  bus.cores.set_pace({});
  bus.finish();
}

TEST(AxilShare, TakesThreeCyclesMoreThanTheBusAlone) {
  Random random;
  Shared bus(random);
  bus.cores.post_read(0x40);
  const std::uint64_t start = bus.block.cycle();
  bus.finish();
  // The registers behind answer one cycle after they took the address, so that alone R comes two
  // cycles after AR was offered.
  EXPECT_EQ(bus.cores.read_answers().at(0).cycle - start, 2U + 3U - 1U);
}

TEST(AxilShare, LosesAndMixesNothingAtRandom) {
  Random random;
  SCOPED_TRACE(random.replay());
  for (unsigned round = 0; round < 30; ++round) {
    const auto pace = [&] { return 10 + static_cast<unsigned>(random.below(91)); };
    Shared bus(random, {.address = pace(), .data = pace(), .response = pace()}, pace());
    // Cores own the lower half and the TAP the upper half, each with its own order.
    std::vector<std::uint64_t> tap_words(8);
    std::vector<std::uint64_t> expected;
    std::uint64_t last_write = 0;
    for (unsigned i = 0; i < 60; ++i) {
      last_write = random.bits64();
      bus.cores.post_write(static_cast<std::uint32_t>(8 * (i % 8)), last_write);
      expected.push_back(last_write);
    }
    for (unsigned i = 0; i < 60; ++i) bus.cores.post_read(0x1000);
    bus.node.at(0x1000) = 0x5eed;
    unsigned accesses = 0;
    while (bus.cores.busy()) {
      const auto index = static_cast<std::size_t>(random.below(8));
      const auto address = static_cast<std::uint32_t>(0x2000 + 8 * index);
      if (random.chance(50)) {
        tap_words[index] = random.bits64();
        ASSERT_FALSE(bus.tap(true, address, tap_words[index]).error);
      } else {
        ASSERT_EQ(bus.tap(false, address), (Shared::Answer{false, tap_words[index]}));
      }
      ++accesses;
    }
    ASSERT_EQ(bus.cores.write_answers().size(), 60U);
    ASSERT_EQ(bus.cores.read_answers().size(), 60U);
    for (const AxilAnswer& read : bus.cores.read_answers()) ASSERT_EQ(read.data, 0x5eedU);
    ASSERT_EQ(bus.node.seen().size(), 120U + accesses);
    std::vector<std::uint64_t> written;
    for (const auto& seen : bus.node.seen()) {
      if (seen.write && seen.address < 0x1000) written.push_back(seen.data);
    }
    ASSERT_EQ(written, expected) << "in the order of the cores";
  }
}

}  // namespace
}  // namespace torusmu::testing

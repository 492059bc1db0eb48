// SPDX-License-Identifier: Apache-2.0
// model: Vmu_calc_engine mu_calc_engine
// How a CALC asks memory for its operands: whenever memory takes a read, and no further ahead than
// there is room.

#include <gtest/gtest.h>

#include <cstdint>

#include "tests/support/calc_bench.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace o = layout::operand;

constexpr unsigned kResult = 1, kOperand = 2, kList = 3;
constexpr std::uint64_t kListAt = 0x100;

class CalcReads : public ::testing::Test {
 protected:
  void SetUp() override {
    bench_.set_region(kResult, region_entry(0x1'0000, 0x4000, kCalcOwner));
    bench_.set_region(kOperand, region_entry(0x2'0000, 0x8000, kCalcOwner));
    bench_.set_region(kList, region_entry(kListAt, 0x100, kCalcOwner));
    bench_.write(0x2'0000, random_bytes(random_, 0x8000));
  }
  // Two operands of the list, their elements so many bytes apart.
  Descriptor both(std::uint64_t length, std::uint64_t stride) {
    for (const std::uint64_t n : {0, 1}) {
      bench_.write(kListAt + n * Operand::kBytes, Operand()
                                                      .set<o::region>(kOperand)
                                                      .set<o::offset>(n * 0x4000)
                                                      .set<o::stride>(stride)
                                                      .bytes());
    }
    return Descriptor()
        .set<d::opcode>(Opcode::kCalc)
        .set<d::operands>(2)
        .set<d::reduction>(Reduction::kBand)
        .set<d::element>(Element::kU32)
        .set<d::length>(length)
        .set<d::source_region>(kList)
        .set<d::header>(PacketHeader().set<layout::packet_header::target>(kResult))
        .set<d::immediate>({});
  }

  Random random_;
  CalcBench bench_{random_};
};

TEST_F(CalcReads, AreOfferedWithoutWaitingForMemoryToBeReady) {
  SCOPED_TRACE(random_.replay());
  bench_.timing.offered_first = true;
  for (const std::uint64_t stride : {4, 12}) {
    EXPECT_EQ(bench_.run(both(1200, stride)).status, Status::kOk);
  }
}

TEST_F(CalcReads, AreABeatACycleWhenMemoryTakesFortyCyclesToAnswer) {
  SCOPED_TRACE(random_.replay());
  bench_.timing.read_latency = 40;  // 64 beats, 4 reads, are under way
  const CalcRun run = bench_.run(both(0x2000, 4));
  EXPECT_EQ(run.status, Status::kOk);
  EXPECT_EQ(run.beats, 512U);
  EXPECT_EQ(run.read_cycles, run.beats);
}

TEST_F(CalcReads, AreCountedAlsoWhileMemoryTakesMoreOfThemThanCanBeAnnounced) {
  SCOPED_TRACE(random_.replay());
  bench_.timing.reads = 16;
  bench_.timing.read_latency = 60;
  const CalcRun run = bench_.run(both(1024, 12));
  EXPECT_EQ(run.status, Status::kOk);
  EXPECT_EQ(run.reads, 1 + 2 * 256U);
}

}  // namespace
}  // namespace torusmu::testing

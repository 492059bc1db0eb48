// SPDX-License-Identifier: Apache-2.0
// verilator: -GWIDTH=16 -GDEPTH=6

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "Vmu_zeroed_memory.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kDepth = 6;
constexpr unsigned kIndices = 8;  // that can be asked for

class ZeroedMemory : public ::testing::Test {
 protected:
  std::uint16_t read(unsigned index) {
    memory_->read_i = 1;
    memory_->read_index_i = static_cast<std::uint8_t>(index);
    memory_.tick();
    memory_->read_i = 0;
    memory_.settle();
    return memory_->read_data_o;
  }
  void write(unsigned index, std::uint16_t word) {
    memory_->write_i = 1;
    memory_->write_index_i = static_cast<std::uint8_t>(index);
    memory_->write_data_i = word;
    memory_.tick();
    memory_->write_i = 0;
  }

  Random random_;
  Clocked<Vmu_zeroed_memory> memory_{random_.seed()};
};

TEST_F(ZeroedMemory, ReadsAsZeroUntilWritten) {
  for (unsigned i = 0; i < kDepth; ++i) EXPECT_EQ(read(i), 0U);
  write(3, 0x1234);
  for (unsigned i = 0; i < kDepth; ++i) EXPECT_EQ(read(i), i == 3 ? 0x1234U : 0U);
}

TEST_F(ZeroedMemory, IsZeroAgainAfterReset) {
  for (unsigned i = 0; i < kDepth; ++i) write(i, static_cast<std::uint16_t>(i + 1));
  EXPECT_EQ(read(5), 6U);
  memory_.reset();
  EXPECT_EQ(memory_->read_data_o, 0U);
  for (unsigned i = 0; i < kDepth; ++i) EXPECT_EQ(read(i), 0U);
}

TEST_F(ZeroedMemory, ShowsOneWordOnlyAfterOneIsWrittenSinceReset) {
  for (unsigned written = 0; written < kDepth; ++written) {
    for (unsigned i = 0; i < kDepth; ++i) write(i, static_cast<std::uint16_t>(i + 1));
    memory_.reset();
    write(written, 0x1234);
    for (unsigned i = 0; i < kDepth; ++i) EXPECT_EQ(read(i), i == written ? 0x1234U : 0U);
  }
}

TEST_F(ZeroedMemory, DropsWhatIsWrittenToAWordThatDoesNotExist) {
  for (unsigned absent = kDepth; absent < kIndices; ++absent) {
    write(absent, 0x1234);
    for (unsigned i = 0; i < kIndices; ++i) EXPECT_EQ(read(i), 0U);
  }
}

// Words that do not exist are among those that are asked for, and there are resets.
TEST_F(ZeroedMemory, AgreesWithAnArrayUnderRandomTraffic) {
  SCOPED_TRACE(random_.replay());
  std::array<std::uint16_t, kIndices> words{};
  std::uint16_t expected = 0;
  for (int cycle = 0; cycle < 20000; ++cycle) {
    if (random_.below(50) == 0) {
      memory_.reset(1);
      words = {};
      expected = 0;
    }
    memory_->write_i = random_.chance(30);
    memory_->write_index_i = static_cast<std::uint8_t>(random_.below(kIndices));
    memory_->write_data_i = static_cast<std::uint16_t>(random_.bits64());
    memory_->read_i = random_.chance(60);
    memory_->read_index_i = static_cast<std::uint8_t>(random_.below(kIndices));
    if (memory_->read_i) expected = words[memory_->read_index_i];  // before this cycle's write
    if (memory_->write_i && memory_->write_index_i < kDepth)
      words[memory_->write_index_i] = memory_->write_data_i;
    memory_.tick();
    ASSERT_EQ(memory_->read_data_o, expected) << "cycle " << cycle;
  }
}

}  // namespace
}  // namespace torusmu::testing

// SPDX-License-Identifier: Apache-2.0
// Depths of no power of two, and those of the tables of the node in both profiles; the numbers of
// one of them reach further than it does.
// verilator: -GWIDTH=16 -GDEPTH=6
// model: Vmu_zeroed_memory_4 mu_zeroed_memory -GWIDTH=16 -GDEPTH=4
// model: Vmu_zeroed_memory_12 mu_zeroed_memory -GWIDTH=16 -GDEPTH=12
// model: Vmu_zeroed_memory_16 mu_zeroed_memory -GWIDTH=16 -GDEPTH=16
// model: Vmu_zeroed_memory_32 mu_zeroed_memory -GWIDTH=16 -GDEPTH=32
// model: Vmu_zeroed_memory_52 mu_zeroed_memory -GWIDTH=16 -GDEPTH=52
// model: Vmu_zeroed_memory_64 mu_zeroed_memory -GWIDTH=16 -GDEPTH=64
// model: Vmu_zeroed_memory_64_of_256 mu_zeroed_memory -GWIDTH=16 -GDEPTH=64 -GINDEX_WIDTH=8
// model: Vmu_zeroed_memory_256 mu_zeroed_memory -GWIDTH=16 -GDEPTH=256

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "Vmu_zeroed_memory.h"
#include "Vmu_zeroed_memory_12.h"
#include "Vmu_zeroed_memory_16.h"
#include "Vmu_zeroed_memory_256.h"
#include "Vmu_zeroed_memory_32.h"
#include "Vmu_zeroed_memory_4.h"
#include "Vmu_zeroed_memory_52.h"
#include "Vmu_zeroed_memory_64.h"
#include "Vmu_zeroed_memory_64_of_256.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

template <typename M, unsigned depth, unsigned indices>
struct Size {
  using Model = M;
  static constexpr unsigned kDepth = depth;
  static constexpr unsigned kIndices = indices;
};
using Sizes =
    ::testing::Types<Size<Vmu_zeroed_memory, 6, 8>, Size<Vmu_zeroed_memory_4, 4, 4>,
                     Size<Vmu_zeroed_memory_12, 12, 16>, Size<Vmu_zeroed_memory_16, 16, 16>,
                     Size<Vmu_zeroed_memory_32, 32, 32>, Size<Vmu_zeroed_memory_52, 52, 64>,
                     Size<Vmu_zeroed_memory_64, 64, 64>, Size<Vmu_zeroed_memory_64_of_256, 64, 256>,
                     Size<Vmu_zeroed_memory_256, 256, 256>>;

template <typename S>
class ZeroedMemory : public ::testing::Test {
 protected:
  static constexpr unsigned kDepth = S::kDepth;
  static constexpr unsigned kIndices = S::kIndices;  // that can be asked for

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
  // Any word, the last that was asked for, or one whose number differs from that in one bit.
  std::uint8_t any_index() {
    unsigned index = last_index_;
    unsigned bit = 1;
    while (2 * bit < kIndices && random_.chance(70)) bit *= 2;
    if (random_.chance(50))
      index = static_cast<unsigned>(random_.below(kIndices));
    else if (random_.chance(50))
      index ^= bit;
    last_index_ = index;
    return static_cast<std::uint8_t>(index);
  }

  Random random_;
  Clocked<typename S::Model> memory_{random_.seed()};
  unsigned last_index_ = 0;
};
TYPED_TEST_SUITE(ZeroedMemory, Sizes);

TYPED_TEST(ZeroedMemory, ReadsAsZeroUntilWritten) {
  for (unsigned i = 0; i < TestFixture::kDepth; ++i) EXPECT_EQ(this->read(i), 0U);
  this->write(3, 0x1234);
  for (unsigned i = 0; i < TestFixture::kDepth; ++i)
    EXPECT_EQ(this->read(i), i == 3 ? 0x1234U : 0U);
}

TYPED_TEST(ZeroedMemory, IsZeroAgainAfterReset) {
  for (unsigned i = 0; i < TestFixture::kDepth; ++i)
    this->write(i, static_cast<std::uint16_t>(i + 1));
  EXPECT_EQ(this->read(TestFixture::kDepth - 1), TestFixture::kDepth);
  this->memory_.reset();
  EXPECT_EQ(this->memory_->read_data_o, 0U);
  for (unsigned i = 0; i < TestFixture::kDepth; ++i) EXPECT_EQ(this->read(i), 0U);
}

TYPED_TEST(ZeroedMemory, ShowsOneWordOnlyAfterOneIsWrittenSinceReset) {
  for (unsigned written = 0; written < TestFixture::kDepth; ++written) {
    for (unsigned i = 0; i < TestFixture::kDepth; ++i)
      this->write(i, static_cast<std::uint16_t>(i + 1));
    this->memory_.reset();
    this->write(written, 0x1234);
    for (unsigned i = 0; i < TestFixture::kDepth; ++i)
      EXPECT_EQ(this->read(i), i == written ? 0x1234U : 0U);
  }
}

TYPED_TEST(ZeroedMemory, DropsWhatIsWrittenToAWordThatDoesNotExist) {
  for (unsigned absent = TestFixture::kDepth; absent < TestFixture::kIndices; ++absent) {
    this->write(absent, 0x1234);
    for (unsigned i = 0; i < TestFixture::kIndices; ++i) EXPECT_EQ(this->read(i), 0U);
  }
}

// Words that do not exist are among those that are asked for, and there are resets.
TYPED_TEST(ZeroedMemory, AgreesWithAnArrayUnderRandomTraffic) {
  SCOPED_TRACE(this->random_.replay());
  std::vector<std::uint16_t> words(TestFixture::kIndices);
  std::uint16_t expected = 0;
  for (int cycle = 0; cycle < 20000; ++cycle) {
    if (this->random_.below(8 * TestFixture::kIndices) == 0) {
      this->memory_.reset(1);
      words.assign(TestFixture::kIndices, 0);
      expected = 0;
    }
    this->memory_->write_i = this->random_.chance(30);
    this->memory_->write_index_i = this->any_index();
    this->memory_->write_data_i = static_cast<std::uint16_t>(this->random_.bits64());
    this->memory_->read_i = this->random_.chance(60);
    this->memory_->read_index_i = this->any_index();
    if (this->memory_->read_i)
      expected = words[this->memory_->read_index_i];  // before this cycle's write
    if (this->memory_->write_i && this->memory_->write_index_i < TestFixture::kDepth)
      words[this->memory_->write_index_i] = this->memory_->write_data_i;
    this->memory_.tick();
    ASSERT_EQ(this->memory_->read_data_o, expected) << "cycle " << cycle;
  }
}

}  // namespace
}  // namespace torusmu::testing

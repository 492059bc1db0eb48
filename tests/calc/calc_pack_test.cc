// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "Vmu_calc_pack.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"

namespace torusmu::testing {
namespace {

struct Beat {
  std::vector<std::uint8_t> bytes;  // that count
  bool last = false;
  bool upper = false;  // some of them in the upper half
};

class CalcPack : public ::testing::Test {
 protected:
  // Beats of a pass with so many bytes each; adds what must leave to expected_.
  void add_pass(const std::vector<unsigned>& bytes) {
    std::vector<std::uint8_t> all;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      Beat beat;
      for (unsigned b = 0; b < bytes[i]; ++b)
        beat.bytes.push_back(static_cast<std::uint8_t>(random_.bits64()));
      beat.last = i + 1 == bytes.size();
      all.insert(all.end(), beat.bytes.begin(), beat.bytes.end());
      offered_.push_back(beat);
    }
    for (std::size_t at = 0; at < all.size(); at += 32) {
      Beat beat;
      for (std::size_t b = at; b < std::min(at + 32, all.size()); ++b) beat.bytes.push_back(all[b]);
      beat.upper = beat.bytes.size() > 16;
      beat.bytes.resize(32);
      beat.last = at + 32 >= all.size();
      expected_.push_back(beat);
    }
  }
  // Runs until all that is expected has left; returns the cycles it took.
  unsigned run(unsigned percent) {
    unsigned cycles = 0;
    for (; !expected_.empty() || !offered_.empty(); ++cycles) {
      if (cycles == 20'000) {
        ADD_FAILURE() << expected_.size() << " beats did not leave";
        break;
      }
      if (!pack_->in_valid_i) pack_->in_valid_i = !offered_.empty() && random_.chance(percent);
      if (pack_->in_valid_i) {
        const Beat& beat = offered_.front();
        for (auto& word : pack_->in_data_i.m_storage) word = 0;
        for (unsigned b = 0; b < beat.bytes.size(); ++b) {
          pack_->in_data_i[b / 4] |= static_cast<std::uint32_t>(beat.bytes[b]) << b % 4 * 8;
        }
        pack_->in_bytes_i = beat.bytes.size() % 32;
        pack_->in_last_i = beat.last;
      }
      pack_->out_ready_i = random_.chance(percent);
      pack_.settle();
      if (pack_->out_valid_o && pack_->out_ready_i) take();
      const bool taken = pack_->in_valid_i && pack_->in_ready_o;
      pack_.tick();
      if (taken) {
        offered_.pop_front();
        pack_->in_valid_i = 0;
      }
    }
    return cycles;
  }
  void take() {
    ASSERT_FALSE(expected_.empty());
    for (unsigned b = 0; b < 32; ++b) {
      ASSERT_EQ(pack_->out_data_o[b / 4] >> b % 4 * 8 & 0xFF, expected_.front().bytes[b])
          << "byte " << b;
    }
    ASSERT_EQ(pack_->out_last_o, expected_.front().last);
    ASSERT_EQ(pack_->out_upper_o, expected_.front().upper);
    expected_.pop_front();
  }

  Random random_;
  Clocked<Vmu_calc_pack> pack_{random_.seed()};
  std::deque<Beat> offered_;
  std::deque<Beat> expected_;
};

TEST_F(CalcPack, PassesFullBeatsOnAtABeatACycle) {
  for (int pass = 0; pass < 4; ++pass) add_pass(std::vector<unsigned>(16, 32));
  EXPECT_EQ(run(100), 4U * 16 + 1);
}

TEST_F(CalcPack, NeedsACycleMoreForAPassThatDoesNotFit) {
  add_pass({31, 32});
  add_pass({32});
  // Three beats in and one that waits while the rest of the first pass leaves.
  EXPECT_EQ(run(100), 3U + 1 + 1);
}

TEST_F(CalcPack, JoinsSingleElements) {
  for (const unsigned bytes : {1U, 2U, 4U, 8U, 16U}) {
    add_pass(std::vector<unsigned>(256 / bytes, bytes));
  }
  run(100);
}

// Behind full beats, or with what was kept.
TEST_F(CalcPack, TellsOfBytesInTheUpperHalfOfTheLastBeat) {
  for (unsigned bytes = 1; bytes <= 32; ++bytes) {
    add_pass({bytes});
    add_pass({32, bytes});
    for (unsigned first = 1; first < bytes; ++first) add_pass({first, bytes - first});
    for (unsigned first = bytes; first < 32; ++first) add_pass({first, 32 + bytes - first});
  }
  run(70);
}

TEST_F(CalcPack, KeepsEveryByteInOrder) {
  SCOPED_TRACE(random_.replay());
  for (const unsigned percent : {30U, 70U, 100U}) {
    for (int pass = 0; pass < 500; ++pass) {
      std::vector<unsigned> bytes(1 + random_.below(6));
      for (unsigned& count : bytes) count = static_cast<unsigned>(1 + random_.below(32));
      add_pass(bytes);
    }
    run(percent);
    if (HasFailure()) return;
  }
}

TEST_F(CalcPack, TakesABeatWhileItsRegisterIsFreeAndHoldsItUntilItIsTaken) {
  for (unsigned bit = 0; bit < 256; bit += 5) {
    ASSERT_TRUE(pack_->in_ready_o) << "though nobody takes what leaves";
    for (auto& word : pack_->in_data_i.m_storage) word = 0;
    pack_->in_data_i[bit / 32] = 1U << bit % 32;
    pack_->in_valid_i = pack_->in_last_i = 1;
    pack_->in_bytes_i = 0;
    pack_.tick();
    for (auto& word : pack_->in_data_i.m_storage) word = ~0U;
    for (int cycle = 0; cycle < 3; ++cycle) {
      pack_.settle();
      ASSERT_FALSE(pack_->in_ready_o);
      ASSERT_TRUE(pack_->out_valid_o && pack_->out_last_o && pack_->out_upper_o);
      for (unsigned w = 0; w < 8; ++w) {
        ASSERT_EQ(pack_->out_data_o[w], w == bit / 32 ? 1U << bit % 32 : 0U) << "bit " << bit;
      }
      pack_.tick();
    }
    pack_->in_valid_i = 0;
    pack_->out_ready_i = 1;
    pack_.tick();
    pack_->out_ready_i = 0;
    pack_.settle();
    ASSERT_FALSE(pack_->out_valid_o);
  }
}

TEST_F(CalcPack, KeepsNothingOfAPassThatAResetCutsShort) {
  for (unsigned bytes = 1; bytes < 32; ++bytes) {
    for (const bool spills : {false, true}) {
      for (auto& word : pack_->in_data_i.m_storage) word = 0;
      for (unsigned b = 0; b < bytes; ++b) pack_->in_data_i[b / 4] |= 0xFFU << b % 4 * 8;
      pack_->in_valid_i = 1;
      pack_->in_bytes_i = static_cast<CData>(bytes);
      pack_.tick();
      if (spills) {
        for (auto& word : pack_->in_data_i.m_storage) word = ~0U;
      } else {
        for (unsigned b = 1; b < bytes; ++b) pack_->in_data_i[b / 4] &= ~(0xFFU << b % 4 * 8);
      }
      pack_->in_bytes_i = spills ? 0 : 1;
      pack_->in_last_i = spills;
      pack_.tick();
      pack_->in_valid_i = pack_->in_last_i = 0;
      pack_.reset(1);
      ASSERT_FALSE(pack_->out_valid_o);
      ASSERT_TRUE(pack_->in_ready_o);
      add_pass({1, 2});
      run(100);
    }
  }
}

}  // namespace
}  // namespace torusmu::testing

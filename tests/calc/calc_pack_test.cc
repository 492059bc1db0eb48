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
  std::vector<std::uint32_t> words;  // that count
  bool last = false;
};

class CalcPack : public ::testing::Test {
 protected:
  // Beats of a pass with so many words each; adds what must leave to expected_.
  void add_pass(const std::vector<unsigned>& words) {
    std::vector<std::uint32_t> all;
    for (std::size_t i = 0; i < words.size(); ++i) {
      Beat beat;
      for (unsigned w = 0; w < words[i]; ++w)
        beat.words.push_back(static_cast<std::uint32_t>(random_.bits64()));
      beat.last = i + 1 == words.size();
      all.insert(all.end(), beat.words.begin(), beat.words.end());
      offered_.push_back(beat);
    }
    for (std::size_t at = 0; at < all.size(); at += 8) {
      Beat beat;
      for (std::size_t w = at; w < std::min(at + 8, all.size()); ++w) beat.words.push_back(all[w]);
      beat.words.resize(8);
      beat.last = at + 8 >= all.size();
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
        for (unsigned w = 0; w < 8; ++w) {
          pack_->in_data_i[w] = w < beat.words.size() ? beat.words[w] : 0;
        }
        pack_->in_words_i = beat.words.size() % 8;
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
    for (unsigned w = 0; w < 8; ++w) {
      ASSERT_EQ(pack_->out_data_o[w], expected_.front().words[w]) << "word " << w;
    }
    ASSERT_EQ(pack_->out_last_o, expected_.front().last);
    expected_.pop_front();
  }

  Random random_;
  Clocked<Vmu_calc_pack> pack_{random_.seed()};
  std::deque<Beat> offered_;
  std::deque<Beat> expected_;
};

TEST_F(CalcPack, PassesFullBeatsOnAtABeatACycle) {
  for (int pass = 0; pass < 4; ++pass) add_pass(std::vector<unsigned>(16, 8));
  EXPECT_EQ(run(100), 4U * 16 + 1);
}

TEST_F(CalcPack, NeedsACycleMoreForAPassThatDoesNotFit) {
  add_pass({7, 8});
  add_pass({8});
  // Three beats in and one that waits while the rest of the first pass leaves.
  EXPECT_EQ(run(100), 3U + 1 + 1);
}

TEST_F(CalcPack, JoinsSingleElements) {
  for (const unsigned words : {1U, 2U, 4U}) add_pass(std::vector<unsigned>(64 / words, words));
  run(100);
}

TEST_F(CalcPack, KeepsEveryWordInOrder) {
  SCOPED_TRACE(random_.replay());
  for (const unsigned percent : {30U, 70U, 100U}) {
    for (int pass = 0; pass < 500; ++pass) {
      std::vector<unsigned> words(1 + random_.below(6));
      for (unsigned& count : words) count = static_cast<unsigned>(1 + random_.below(8));
      add_pass(words);
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
    pack_->in_words_i = 0;
    pack_.tick();
    for (auto& word : pack_->in_data_i.m_storage) word = ~0U;
    for (int cycle = 0; cycle < 3; ++cycle) {
      pack_.settle();
      ASSERT_FALSE(pack_->in_ready_o);
      ASSERT_TRUE(pack_->out_valid_o && pack_->out_last_o);
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
  for (unsigned words = 1; words < 8; ++words) {
    for (const bool spills : {false, true}) {
      for (auto& word : pack_->in_data_i.m_storage) word = ~0U;
      pack_->in_valid_i = 1;
      pack_->in_words_i = static_cast<CData>(words);
      for (unsigned w = words; w < 8; ++w) pack_->in_data_i[w] = 0;
      pack_.tick();
      pack_->in_words_i = spills ? 0 : 1;
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

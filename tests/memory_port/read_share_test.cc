// SPDX-License-Identifier: Apache-2.0
// mu_read_share between two requesters that ask at random and a reader that answers in order: each
// gets the beats of its own commands, in order, and neither waits for long.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>

#include "Vmu_read_share.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

using ReadRequest = Record<layout::read_request::Layout>;
using ReadCommand = Record<layout::read_command::Layout>;
using ReadBeat = Record<layout::read_beat::Layout>;
namespace b = layout::read_beat;
namespace c = layout::read_command;
namespace q = layout::read_request;

constexpr unsigned kOutstanding = 4;

struct Asked {
  unsigned requester = 0;
  std::uint64_t address = 0;
  unsigned beats = 1;
};

class ReadShare : public ::testing::Test {
 protected:
  // `asks` of a hundred cycles in which a requester without a command makes one.
  void play(std::array<unsigned, 2> asks, int cycles) {
    for (int i = 0; i < cycles; ++i) {
      for (unsigned k = 0; k < 2; ++k) {
        if (!wanted_[k].valid && random_.chance(asks[k])) {
          wanted_[k] = {true, random_.bits64() >> 24, 1 + static_cast<unsigned>(random_.below(4))};
          waited_[k] = 0;
        }
      }
      drive(share_->first_i, request(0));
      drive(share_->second_i, request(1));
      share_->read_ready_i = random_.chance(60);
      const ReadBeat beat = next_beat();
      drive(share_->beat_i, beat);
      share_.settle();
      judge_beat(beat);
      ASSERT_NO_FATAL_FAILURE(judge_command()) << i;
      share_.tick();
    }
  }
  ReadRequest request(unsigned k) const {
    return ReadRequest{}
        .set<q::command>(
            ReadCommand().set<c::address>(wanted_[k].address).set<c::bytes>(32U * wanted_[k].beats))
        .set<q::valid>(wanted_[k].valid);
  }
  ReadBeat next_beat() {
    if (asked_.empty() || !random_.chance(60)) return {};
    const Asked& oldest = asked_.front();
    return ReadBeat{}
        .set<b::valid>(1)
        .set<b::last>(oldest.beats == 1)
        .set<b::error>(random_.chance(10));
  }
  void judge_beat(const ReadBeat& beat) {
    const auto first = sample_record<ReadBeat>(share_->first_beat_o);
    const auto second = sample_record<ReadBeat>(share_->second_beat_o);
    const bool comes = beat.get<b::valid>() != 0;
    const unsigned whose = comes ? asked_.front().requester : 0;
    ASSERT_EQ(first.get<b::valid>(), comes && whose == 0);
    ASSERT_EQ(second.get<b::valid>(), comes && whose == 1);
    if (!comes) return;
    const ReadBeat& got = whose == 0 ? first : second;
    ASSERT_EQ(got.get<b::error>(), beat.get<b::error>());
    ASSERT_EQ(got.get<b::last>(), beat.get<b::last>());
    ++beats_[whose];
    if (--asked_.front().beats == 0) asked_.pop_front();
  }
  void judge_command() {
    const auto command = sample_record<ReadRequest>(share_->read_o);
    const bool valid = command.get<q::valid>() != 0;
    ASSERT_TRUE(valid || !stands_) << "a command was withdrawn";
    const bool taken = valid && share_->read_ready_i;
    stands_ = valid && !taken;
    ASSERT_EQ(share_->first_ready_o || share_->second_ready_o, taken);
    for (unsigned k = 0; k < 2; ++k) {
      waited_[k] += wanted_[k].valid ? 1U : 0U;
      longest_[k] = std::max(longest_[k], waited_[k]);
    }
    if (!taken) return;
    const unsigned k = share_->first_ready_o ? 0 : 1;
    ASSERT_TRUE(wanted_[k].valid);
    ASSERT_EQ(command.get<q::command>().get<c::address>(), wanted_[k].address);
    asked_.push_back({k, wanted_[k].address, wanted_[k].beats});
    ASSERT_LE(asked_.size(), kOutstanding + 1);
    wanted_[k].valid = false;
  }

  struct Wanted {
    bool valid = false;
    std::uint64_t address = 0;
    unsigned beats = 1;
  };
  Random random_;
  Clocked<Vmu_read_share> share_;
  std::array<Wanted, 2> wanted_;
  std::deque<Asked> asked_;  // whose beats have not all come
  std::array<unsigned, 2> beats_{}, waited_{}, longest_{};
  bool stands_ = false;
};

TEST_F(ReadShare, GivesEachTheBeatsOfItsCommandsInOrder) {
  SCOPED_TRACE(random_.replay());
  ASSERT_NO_FATAL_FAILURE(play({30, 30}, 40000));
  EXPECT_GT(beats_[0], 4000U);
  EXPECT_GT(beats_[1], 4000U);
}

TEST_F(ReadShare, LetsNeitherWaitForMoreThanWhatTheOtherHasAsked) {
  SCOPED_TRACE(random_.replay());
  ASSERT_NO_FATAL_FAILURE(play({100, 2}, 40000));
  ASSERT_NO_FATAL_FAILURE(play({2, 100}, 40000));
  EXPECT_LT(longest_[0], 150U);
  EXPECT_LT(longest_[1], 150U);
}

TEST_F(ReadShare, LeavesOneAloneTheWholeReader) {
  SCOPED_TRACE(random_.replay());
  ASSERT_NO_FATAL_FAILURE(play({100, 0}, 20000));
  const unsigned alone = beats_[0];
  ASSERT_NO_FATAL_FAILURE(play({0, 100}, 20000));
  EXPECT_GT(alone, 8000U);
  EXPECT_GT(beats_[1], 8000U);
}

}  // namespace
}  // namespace torusmu::testing

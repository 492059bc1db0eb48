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
namespace q = layout::read_request;

constexpr unsigned kOutstanding = 4;

struct Asked {
  unsigned requester = 0;
  unsigned beats = 1;
};

class ReadShare : public ::testing::Test {
 protected:
  // `asks` of a hundred cycles in which a requester without a command makes one.
  void play(std::array<unsigned, 2> asks, int cycles) {
    for (int i = 0; i < cycles; ++i) {
      for (unsigned k = 0; k < 2; ++k) {
        if (!wanted_[k].valid && random_.chance(asks[k])) {
          wanted_[k] = {true, ReadCommand::from_bytes(random_bytes(random_, ReadCommand::kBytes)),
                        1 + static_cast<unsigned>(random_.below(4))};
          waited_[k] = 0;
        }
      }
      drive(share_->first_i, request(0));
      drive(share_->second_i, request(1));
      share_->read_ready_i = random_.chance(60);
      const ReadBeat beat = next_beat();
      drive(share_->beat_i, beat);
      share_.settle();
      const std::size_t before = asked_.size();
      ASSERT_NO_FATAL_FAILURE(judge_beat(beat)) << i;
      ASSERT_NO_FATAL_FAILURE(judge_command(before)) << i;
      share_.tick();
    }
  }
  ReadRequest request(unsigned k) const {
    return ReadRequest{}.set<q::command>(wanted_[k].command).set<q::valid>(wanted_[k].valid);
  }
  ReadBeat next_beat() {
    if (asked_.empty() || !random_.chance(60)) return {};
    const Asked& oldest = asked_.front();
    return ReadBeat::from_bytes(random_bytes(random_, ReadBeat::kBytes))
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
    ASSERT_EQ(whose == 0 ? first : second, beat);
    ++beats_[whose];
    if (--asked_.front().beats == 0) asked_.pop_front();
  }
  // Commands under way before the beat of this cycle came: `before`.
  void judge_command(std::size_t before) {
    const auto command = sample_record<ReadRequest>(share_->read_o);
    const bool valid = command.get<q::valid>() != 0;
    ASSERT_EQ(share_->busy_o, before != 0);
    const bool other_waits = wanted_[1 - turn_].valid;
    ASSERT_EQ(valid, wanted_[turn_].valid && before < kOutstanding &&
                         (stands_ || !(other_waits && served_)))
        << "a command was withdrawn, let in, or held back";
    const bool taken = valid && share_->read_ready_i;
    stands_ = valid && !taken;
    ASSERT_EQ(share_->first_ready_o, taken && turn_ == 0);
    ASSERT_EQ(share_->second_ready_o, taken && turn_ == 1);
    const unsigned whose = turn_;
    if (before == 0 && other_waits && !valid) {
      turn_ = 1 - turn_;
      served_ = false;
    } else if (taken) {
      served_ = true;
    }
    for (unsigned k = 0; k < 2; ++k) {
      waited_[k] += wanted_[k].valid ? 1U : 0U;
      longest_[k] = std::max(longest_[k], waited_[k]);
    }
    if (!taken) return;
    ASSERT_EQ(command.get<q::command>(), wanted_[whose].command);
    asked_.push_back({whose, wanted_[whose].beats});
    wanted_[whose].valid = false;
  }

  struct Wanted {
    bool valid = false;
    ReadCommand command;
    unsigned beats = 1;
  };
  Random random_;
  Clocked<Vmu_read_share> share_;
  std::array<Wanted, 2> wanted_;
  std::deque<Asked> asked_;  // whose beats have not all come
  std::array<unsigned, 2> beats_{}, waited_{}, longest_{};
  bool stands_ = false;
  // The turn changes with nothing under way or offered, once the other waits; who has had a command
  // in its turn gets no further one while the other waits.
  unsigned turn_ = 0;
  bool served_ = false;
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

TEST_F(ReadShare, BeginsAnewInReset) {
  SCOPED_TRACE(random_.replay());
  for (int round = 0; round < 200; ++round) {
    ASSERT_NO_FATAL_FAILURE(play({20, 40}, 40));
    drive(share_->beat_i, ReadBeat{});
    share_.reset();
    asked_.clear();
    wanted_ = {};
    stands_ = served_ = false;
    turn_ = 0;
  }
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

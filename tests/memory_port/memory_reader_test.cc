// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "Vmu_memory_reader.h"
#include "sim/machine/mix.h"
#include "tests/support/any_address.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

using ReadCommand = Record<layout::read_command::Layout>;

// A memory in which the byte at each address can be told from its address.
std::uint8_t byte_at(std::uint64_t address) { return static_cast<std::uint8_t>(mix(address)); }

class MemoryReader : public ::testing::Test {
 protected:
  struct Transfer {
    std::uint64_t address;
    unsigned bytes;
    unsigned touch;
    bool error;
  };
  struct WordIn {
    std::uint64_t address;
    bool burst_last;
    bool error;
  };

  // Asks for every transfer; the memory answers after a random time and pauses at random.
  void run(const std::vector<Transfer>& transfers, unsigned burst_percent, unsigned data_percent) {
    std::size_t asked = 0;
    std::size_t answered = 0;
    std::size_t touched = 0;
    Bytes got;
    const std::uint64_t limit = reader_.cycle() + 2000 + transfers.size() * 200;
    while (answered < transfers.size()) {
      ASSERT_LT(reader_.cycle(), limit) << "waiting for transfer " << answered;
      reader_->command_valid_i = asked < transfers.size();
      if (asked < transfers.size()) {
        ReadCommand command;
        command.set<layout::read_command::address>(transfers[asked].address);
        command.set<layout::read_command::bytes>(transfers[asked].bytes);
        drive(reader_->command_data_i, command);
        reader_->touch_i = static_cast<std::uint8_t>(transfers[asked].touch);
      }
      reader_->burst_ready_i = random_.chance(burst_percent);
      reader_->data_valid_i = !words_.empty() && random_.chance(data_percent);
      Bytes word(32);
      if (reader_->data_valid_i) {
        for (unsigned i = 0; i < 32; ++i) word[i] = byte_at(words_.front().address + i);
        reader_->data_last_i = words_.front().burst_last;
        reader_->data_error_i = words_.front().error;
      }
      reader_.settle();
      if (reader_->data_valid_i) {
        std::rotate(word.begin(), word.begin() + reader_->rotate_o, word.end());
      }
      if (reader_->beat_valid_o) {
        const Bytes beat = sample(reader_->beat_data_o, 32);
        got.insert(got.end(), beat.begin(), beat.end());
        if (reader_->beat_last_o) {
          check(transfers[answered++], got);
          got.clear();
        }
      } else {
        ASSERT_FALSE(reader_->beat_last_o);
      }
      if (reader_->touch_o != 0) {
        while (touched < transfers.size() && transfers[touched].touch == 0) ++touched;
        ASSERT_LT(touched, transfers.size());
        ASSERT_EQ(reader_->touch_o, transfers[touched].touch);
        ++touched;
      }
      if (reader_->burst_valid_o && reader_->burst_ready_i) queue_burst(transfers);
      const bool taken = reader_->command_valid_i && reader_->command_ready_o;
      const bool data_taken = reader_->data_valid_i;
      reader_.tick();
      if (data_taken) drive(reader_->rotated_i, word);
      if (taken) ++asked;
      if (data_taken) words_.pop_front();
    }
    while (touched < transfers.size() && transfers[touched].touch == 0) ++touched;
    EXPECT_EQ(touched, transfers.size());
    reader_->command_valid_i = 0;
    reader_->data_valid_i = 0;
    reader_.tick();
    EXPECT_FALSE(reader_->busy_o);
  }

  void queue_burst(const std::vector<Transfer>& transfers) {
    const std::uint64_t address = reader_->burst_address_o * 32;
    const unsigned beats = reader_->burst_beats_o;
    ASSERT_GE(beats, 1U);
    ASSERT_EQ(address / 4096, (address + beats * 32 - 1) / 4096) << "crosses 4 KiB";
    // A random word of a transfer carries its error.
    for (unsigned i = 0; i < beats; ++i) {
      const std::uint64_t word = address + i * 32;
      const Transfer& transfer = transfers[transfer_asked_];
      const std::uint64_t last = (transfer.address + transfer.bytes - 1) / 32 * 32;
      if (words_of_transfer_++ == 0) {
        error_word_ = word + random_.below((last - word) / 32 + 1) * 32;
      }
      words_.push_back({word, i == beats - 1, transfer.error && word == error_word_});
      if (word == last) {
        ++transfer_asked_;
        words_of_transfer_ = 0;
      }
    }
  }

  void check(const Transfer& transfer, const Bytes& got) {
    Bytes want((transfer.bytes + 31) / 32 * 32);
    for (unsigned i = 0; i < transfer.bytes; ++i) want[i] = byte_at(transfer.address + i);
    ASSERT_EQ(got, want) << "address " << transfer.address << " bytes " << transfer.bytes;
    ASSERT_EQ(reader_->beat_error_o, transfer.error);
    ASSERT_EQ(reader_->failed_o, transfer.error);
  }

  void restart() { transfer_asked_ = 0; }

  Random random_;
  Clocked<Vmu_memory_reader> reader_{random_.seed()};
  std::deque<WordIn> words_;
  std::size_t transfer_asked_ = 0;
  std::uint64_t error_word_ = 0;
  unsigned words_of_transfer_ = 0;
};

TEST_F(MemoryReader, AlignsEverySizeAtEveryOffset) {
  SCOPED_TRACE(random_.replay());
  std::vector<Transfer> transfers;
  for (unsigned offset = 0; offset < 32; ++offset) {
    for (unsigned bytes = 1; bytes <= 512; ++bytes) {
      transfers.push_back({0x10000ULL + offset, bytes, 0, false});
    }
  }
  run(transfers, 100, 100);
}

TEST_F(MemoryReader, SplitsAtEveryDistanceFromAPage) {
  SCOPED_TRACE(random_.replay());
  std::vector<Transfer> transfers;
  for (unsigned before = 0; before <= 544; ++before) {
    for (const unsigned bytes : {1U, 31U, 32U, 33U, 64U, 481U, 512U}) {
      transfers.push_back({0x20000ULL - before, bytes, 0, false});
    }
  }
  run(transfers, 70, 70);
}

TEST_F(MemoryReader, ReadsRandomTransfersWithPausesTouchesAndErrors) {
  SCOPED_TRACE(random_.replay());
  for (const unsigned percent : {20U, 60U, 100U}) {
    std::vector<Transfer> transfers;
    for (int i = 0; i < 800; ++i) {
      transfers.push_back({any_address(random_, 512), static_cast<unsigned>(1 + random_.below(512)),
                           static_cast<unsigned>(random_.chance(30) ? random_.below(256) : 0),
                           random_.chance(15)});
    }
    restart();
    run(transfers, percent, percent);
  }
}

TEST_F(MemoryReader, ReachesTheTopOfTheAddressSpace) {
  run({{(1ULL << 40) - 512, 512, 0, false}, {(1ULL << 40) - 1, 1, 0, false}}, 100, 100);
}

TEST_F(MemoryReader, DeliversABeatACycle) {
  std::vector<Transfer> transfers(50, Transfer{0x40007, 512, 0, false});
  const std::uint64_t start = reader_.cycle();
  run(transfers, 100, 100);
  // 17 words come for 16 beats.
  EXPECT_LE(reader_.cycle() - start, 50 * 17 + 6);
}

TEST_F(MemoryReader, StopsTakingCommandsWhenEnoughAreOutstanding) {
  ReadCommand command;
  command.set<layout::read_command::bytes>(64);
  drive(reader_->command_data_i, command);
  reader_->command_valid_i = 1;
  reader_->burst_ready_i = 1;
  for (int i = 0; i < 4; ++i) {
    reader_.settle();
    ASSERT_TRUE(reader_->command_ready_o) << i;
    reader_.tick();
  }
  EXPECT_FALSE(reader_->command_ready_o);
  EXPECT_TRUE(reader_->busy_o);
}

TEST_F(MemoryReader, IsActiveWithASecondBurstAndWithABeatThatItHolds) {
  const auto command = [this](std::uint64_t address, unsigned bytes) {
    drive(
        reader_->command_data_i,
        ReadCommand().set<layout::read_command::address>(address).set<layout::read_command::bytes>(
            bytes));
    reader_->command_valid_i = reader_->burst_ready_i = 1;
    reader_.tick();
    reader_->command_valid_i = reader_->burst_ready_i = 0;
    reader_.settle();
  };
  const auto word = [this](bool last) {
    reader_->data_valid_i = 1;
    reader_->data_last_i = last;
    reader_.tick();
    reader_->data_valid_i = 0;
    reader_.settle();
  };
  reader_.settle();
  EXPECT_FALSE(reader_->active_o || reader_->busy_o);
  command(0x1FE0, 64);
  EXPECT_TRUE(reader_->active_o && reader_->busy_o) << "the second burst waits";
  reader_->burst_ready_i = 1;
  reader_.tick();
  reader_->burst_ready_i = 0;
  reader_.settle();
  EXPECT_FALSE(reader_->active_o) << "until data come";
  EXPECT_TRUE(reader_->busy_o);
  for (const bool last : {false, true}) {
    word(true);
    EXPECT_TRUE(reader_->active_o && reader_->busy_o);
    EXPECT_TRUE(reader_->beat_valid_o) << "an aligned beat waits for no other";
    EXPECT_EQ(reader_->beat_last_o, last);
    reader_.tick();
    EXPECT_FALSE(reader_->active_o);
  }
  EXPECT_FALSE(reader_->busy_o);
  for (unsigned offset = 1; offset < 32; ++offset) {
    command(0x1000 + offset, 64);
    word(false);
    EXPECT_TRUE(reader_->active_o);
    EXPECT_FALSE(reader_->beat_valid_o) << "the rest is in the next word, offset " << offset;
    reader_.tick();
    EXPECT_TRUE(reader_->active_o && !reader_->beat_valid_o) << "offset " << offset;
    word(false);
    word(true);
    for (int cycle = 0; cycle < 3; ++cycle) reader_.tick();
    EXPECT_FALSE(reader_->busy_o) << "offset " << offset;
  }
}

}  // namespace
}  // namespace torusmu::testing

// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "Vmu_memory_writer.h"
#include "tests/support/any_address.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"

namespace torusmu::testing {
namespace {

class MemoryWriter : public ::testing::Test {
 protected:
  struct Write {
    std::uint64_t address;
    unsigned bytes;
  };
  struct Burst {
    std::uint64_t address;
    unsigned beats;
  };

  // Drives the writes and plays the memory; every strobed byte lands in memory_, none twice a
  // command.
  void run(const std::vector<Write>& writes, unsigned source_percent, unsigned memory_percent) {
    std::size_t commanded = 0;
    std::size_t sent = 0;  // beats of the command in progress
    Bytes data;
    const std::uint64_t limit = writer_.cycle() + 2000 + writes.size() * 300;
    for (;;) {
      ASSERT_LT(writer_.cycle(), limit) << "write " << commanded;
      writer_->command_valid_i = commanded < writes.size() && random_.chance(source_percent);
      if (writer_->command_valid_i) {
        writer_->command_address_i = writes[commanded].address;
        writer_->command_bytes_i = static_cast<std::uint16_t>(writes[commanded].bytes);
      }
      writer_->beat_valid_i = sent * 32 < data.size() && random_.chance(source_percent);
      if (writer_->beat_valid_i) {
        drive(writer_->beat_data_i, std::span(data).subspan(sent * 32, 32));
      }
      writer_->pending_ready_i = random_.chance(memory_percent);
      writer_->address_ready_i = random_.chance(memory_percent);
      writer_->data_ready_i = random_.chance(memory_percent);
      writer_.settle();
      const bool taken = writer_->command_valid_i && writer_->command_ready_o;
      const bool beat_taken = writer_->beat_valid_i && writer_->beat_ready_o;
      ASSERT_NO_FATAL_FAILURE(hold_to_the_channels(sent * 32 < data.size()));
      ASSERT_EQ(taken, writer_->pending_valid_o);
      ASSERT_FALSE(taken && !writer_->pending_ready_i);
      if (writer_->address_valid_o && !offered_) {
        const std::uint64_t address = writer_->address_o * 32;
        ASSERT_GE(writer_->address_beats_o, 1U);
        ASSERT_EQ(address / 4096, (address + writer_->address_beats_o * 32U - 1) / 4096);
        bursts_.push_back({address, writer_->address_beats_o});
        words_ += writer_->address_beats_o;
        ++bursts_seen_;
      }
      offered_ = writer_->address_valid_o && !writer_->address_ready_i;
      if (writer_->data_valid_o && writer_->data_ready_i) take_data();
      if (taken && writer_->pending_two_bursts_o) ++two_bursts_;
      if (taken && writer_->pending_none_o) ++nothing_;
      writer_.tick();
      if (beat_taken) ++sent;
      if (taken) {
        const Write& write = writes[commanded++];
        ASSERT_EQ(sent * 32, data.size()) << "beats left of the command before";
        // Of no bytes one beat is taken too.
        data = random_bytes(random_, (std::max(write.bytes, 1U) + 31) / 32 * 32);
        sent = 0;
        for (unsigned i = 0; i < write.bytes; ++i) expected_[write.address + i].push_back(data[i]);
      }
      if (commanded == writes.size() && sent * 32 == data.size() && !writer_->busy_o) break;
    }
    ASSERT_EQ(written_, expected_);
    ASSERT_TRUE(bursts_.empty());
    ASSERT_EQ(bursts_seen_ + nothing_, writes.size() + two_bursts_);
    written_.clear();
    expected_.clear();
    bursts_seen_ = two_bursts_ = nothing_ = 0;
  }

  // What is offered stays until it is taken; nothing is idle, and no command comes, too early.
  void hold_to_the_channels(bool beats_missing) {
    const Offer address{writer_->address_valid_o != 0,
                        writer_->address_ready_i != 0,
                        {writer_->address_o, writer_->address_beats_o}};
    Offer data{writer_->data_valid_o != 0,
               writer_->data_ready_i != 0,
               {writer_->data_strobe_o, writer_->data_last_o}};
    for (unsigned i = 0; i < 8; ++i) data.what.push_back(writer_->data_o[i]);
    for (const auto& [before, now] : {std::pair{address_, address}, std::pair{data_, data}}) {
      if (!before.valid || before.ready) continue;
      ASSERT_TRUE(now.valid);
      ASSERT_EQ(now.what, before.what);
    }
    address_ = address;
    data_ = data;
    const bool inside = beats_missing || !bursts_.empty() || address.valid || data.valid;
    ASSERT_TRUE(writer_->busy_o || !inside);
    ASSERT_FALSE(writer_->command_ready_o &&
                 (beats_missing || address.valid || !writer_->pending_ready_i));
    ASSERT_FALSE(writer_->beat_ready_o && !beats_missing);
  }

  void take_data() {
    ASSERT_FALSE(bursts_.empty()) << "data before its address";
    Burst& burst = bursts_.front();
    const Bytes word = sample(writer_->data_o, 32);
    for (unsigned i = 0; i < 32; ++i) {
      if ((writer_->data_strobe_o >> i & 1) != 0) written_[burst.address + i].push_back(word[i]);
    }
    burst.address += 32;
    --burst.beats;
    ASSERT_EQ(writer_->data_last_o, burst.beats == 0);
    if (burst.beats == 0) bursts_.pop_front();
  }

  struct Offer {
    bool valid = false, ready = false;
    std::vector<std::uint64_t> what;
  };
  Offer address_, data_;  // in the cycle before
  Random random_;
  Clocked<Vmu_memory_writer> writer_{random_.seed()};
  std::deque<Burst> bursts_;
  bool offered_ = false;
  std::map<std::uint64_t, Bytes> written_;  // every value that a byte was given, in order
  std::map<std::uint64_t, Bytes> expected_;
  std::size_t bursts_seen_ = 0;
  std::size_t two_bursts_ = 0;
  std::size_t nothing_ = 0;  // commands of no bytes
  std::size_t words_ = 0;    // of all bursts
};

TEST_F(MemoryWriter, PlacesEverySizeAtEveryOffset) {
  SCOPED_TRACE(random_.replay());
  for (unsigned offset = 0; offset < 32; ++offset) {
    std::vector<Write> writes;
    for (unsigned bytes = 1; bytes <= 544; bytes += bytes < 70 ? 1 : 3) {
      writes.push_back({0x10000ULL + offset, bytes});
    }
    run(writes, 100, 100);
  }
}

TEST_F(MemoryWriter, SplitsAtEveryDistanceFromAPage) {
  SCOPED_TRACE(random_.replay());
  for (unsigned before = 0; before <= 576; ++before) {
    std::vector<Write> writes;
    for (const unsigned bytes : {1U, 31U, 33U, 512U, 544U}) {
      writes.push_back({0x20000ULL - before, bytes});
    }
    run(writes, 80, 60);
  }
}

TEST_F(MemoryWriter, WritesAtRandomWithPauses) {
  SCOPED_TRACE(random_.replay());
  for (const unsigned percent : {20U, 60U, 100U}) {
    std::vector<Write> writes;
    for (int i = 0; i < 500; ++i) {
      writes.push_back({any_address(random_, 544), static_cast<unsigned>(1 + random_.below(544))});
    }
    run(writes, percent, percent);
    run(writes, 100, percent);
    run(writes, percent, 100);
  }
}

TEST_F(MemoryWriter, SendsNothingForACommandOfNoBytes) {
  SCOPED_TRACE(random_.replay());
  std::vector<Write> writes;
  for (unsigned offset = 0; offset < 32; ++offset) writes.push_back({0x20FE0ULL + offset, 0});
  run(writes, 60, 60);
  EXPECT_EQ(words_, 0U);
}

TEST_F(MemoryWriter, KeepsThePlaceOfACommandOfNoBytesAmongTheOthers) {
  SCOPED_TRACE(random_.replay());
  std::vector<Write> writes;
  for (int i = 0; i < 300; ++i) {
    const bool none = random_.chance(40);
    writes.push_back({any_address(random_, 544), static_cast<unsigned>(none ? 0 : i + 1)});
  }
  run(writes, 70, 70);
}

TEST_F(MemoryWriter, MovesABeatACycleAndPausesOneBetweenCommands) {
  const std::vector<Write> writes(50, Write{0x40000, 512});
  const std::uint64_t start = writer_.cycle();
  run(writes, 100, 100);
  EXPECT_LE(writer_.cycle() - start, 50 * 17 + 6);
}

}  // namespace
}  // namespace torusmu::testing

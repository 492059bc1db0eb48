// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <deque>

#include "Vmu_write_arbiter.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"

namespace torusmu::testing {
namespace {

using Command = Record<layout::write_command::Layout>;
namespace command = layout::write_command;
constexpr unsigned kPorts = 6;
constexpr unsigned kPatience = 15;

class WriteArbiter : public ::testing::Test {
 protected:
  // The command of port p; the ports lie side by side in one vector.
  void offer(unsigned port, const Command& wanted) {
    for (unsigned bit = 0; bit < Command::kBits; ++bit) {
      const unsigned at = port * Command::kBits + bit;
      const std::uint32_t mask = 1U << at % 32;
      const bool one = (wanted.words()[bit / 64] >> bit % 64 & 1) != 0;
      std::uint32_t& word = arbiter_->in_command_data_i[at / 32];
      word = one ? word | mask : word & ~mask;
    }
    set_bit(arbiter_->in_command_valid_i, port, true);
  }
  static void set_bit(std::uint8_t& bits, unsigned bit, bool value) {
    bits = static_cast<std::uint8_t>((bits & ~(1U << bit)) | static_cast<unsigned>(value) << bit);
  }
  static Command make(unsigned port, unsigned bytes, bool last) {
    Command wanted;
    return wanted.set<command::address>(0x1000 * port)
        .set<command::bytes>(bytes)
        .set<command::final_part>(last);
  }
  // Takes the chosen command and its beats; returns its port.
  unsigned serve() {
    arbiter_->out_command_ready_i = 1;
    arbiter_.wait_for(
        "a command", [&] { return arbiter_->out_command_valid_o != 0; }, 5);
    const auto taken = sample_record<Command>(arbiter_->out_command_data_o);
    const unsigned ready = arbiter_->in_command_ready_o;
    arbiter_.tick();
    arbiter_->in_command_valid_i &= static_cast<std::uint8_t>(~ready);
    arbiter_->out_command_ready_i = 0;
    arbiter_->active_i = 1;
    arbiter_.settle();
    EXPECT_FALSE(arbiter_->out_command_valid_o);
    arbiter_.tick();
    arbiter_->active_i = 0;
    const auto port = static_cast<unsigned>(taken.get<command::address>() / 0x1000);
    EXPECT_EQ(ready, 1U << port);
    return port;
  }

  Clocked<Vmu_write_arbiter> arbiter_;
};

TEST_F(WriteArbiter, TakesTheFirstPortFirst) {
  for (unsigned port = 0; port < kPorts; ++port) offer(port, make(port, 32, true));
  for (unsigned port = 0; port < kPorts; ++port) EXPECT_EQ(serve(), port);
}

TEST_F(WriteArbiter, LetsTheLastPortGoBeforeAllOnceItHasWaitedLong) {
  for (int round = 0; round < 3; ++round) {
    offer(5, make(5, 32, true));
    for (unsigned i = 0; i < kPatience; ++i) {
      offer(i % 5, make(i % 5, 32, true));
      EXPECT_EQ(serve(), i % 5);
    }
    offer(0, make(0, 32, true));
    EXPECT_EQ(serve(), 5U);
    EXPECT_EQ(serve(), 0U);
    // What others send while it asks for nothing does not count.
    for (unsigned i = 0; i < 2 * kPatience; ++i) {
      offer(1, make(1, 32, true));
      EXPECT_EQ(serve(), 1U);
    }
  }
}

TEST_F(WriteArbiter, LetsTheLastPortWaitForTheRestOfAnAction) {
  offer(5, make(5, 32, true));
  for (unsigned i = 0; i < kPatience; ++i) {
    offer(0, make(0, 32, i + 1 != kPatience));
    EXPECT_EQ(serve(), 0U);
  }
  offer(0, make(0, 32, true));
  EXPECT_EQ(serve(), 0U);
  EXPECT_EQ(serve(), 5U);
}

TEST_F(WriteArbiter, KeepsThePartsOfAnActionTogether) {
  offer(3, make(3, 32, false));
  EXPECT_EQ(serve(), 3U);
  EXPECT_TRUE(arbiter_->busy_o);
  offer(0, make(0, 32, true));
  arbiter_->out_command_ready_i = 1;
  arbiter_.settle();
  EXPECT_FALSE(arbiter_->out_command_valid_o);
  EXPECT_EQ(arbiter_->in_command_ready_o, 0);
  offer(3, make(3, 32, true));
  EXPECT_EQ(serve(), 3U);
  EXPECT_EQ(serve(), 0U);
  EXPECT_FALSE(arbiter_->busy_o);
}

TEST_F(WriteArbiter, PassesOnlyTheBeatsOfThePortBeingServed) {
  offer(2, make(2, 32, true));
  arbiter_->out_command_ready_i = 1;
  arbiter_.tick();
  arbiter_->in_command_valid_i = 0;
  arbiter_->active_i = 1;
  for (unsigned port = 0; port < kPorts; ++port) {
    drive(arbiter_->in_beat_data_i, Bytes(32, static_cast<std::uint8_t>(0x11 * (port + 1))),
          port * 32);
  }
  arbiter_->in_beat_valid_i = 0b11011;
  arbiter_->out_beat_ready_i = 1;
  arbiter_.settle();
  EXPECT_FALSE(arbiter_->out_beat_valid_o);
  arbiter_->in_beat_valid_i = 0b11111;
  arbiter_.settle();
  EXPECT_TRUE(arbiter_->out_beat_valid_o);
  EXPECT_EQ(arbiter_->in_beat_ready_o, 0b00100);
  EXPECT_EQ(sample(arbiter_->out_beat_data_o, 32), Bytes(32, 0x33));
  arbiter_->out_beat_ready_i = 0;
  arbiter_.settle();
  EXPECT_EQ(arbiter_->in_beat_ready_o, 0);
  arbiter_->out_beat_ready_i = 1;
  arbiter_->active_i = 0;
  arbiter_.settle();
  EXPECT_FALSE(arbiter_->out_beat_valid_o);
  EXPECT_EQ(arbiter_->in_beat_ready_o, 0);
}

TEST_F(WriteArbiter, IsReadyForNobodyWhileTheWriterIsNot) {
  offer(1, make(1, 32, true));
  arbiter_->out_command_ready_i = 0;
  arbiter_.settle();
  EXPECT_TRUE(arbiter_->out_command_valid_o);
  EXPECT_EQ(arbiter_->in_command_ready_o, 0);
}

TEST_F(WriteArbiter, PassesEveryBitOfThePortItServes) {
  Random random;
  SCOPED_TRACE(random.replay());
  std::array<Command, kPorts> commands;
  std::array<Bytes, kPorts> beats;
  for (int run = 0; run < 500; ++run) {
    for (unsigned port = 0; port < kPorts; ++port) {
      commands[port] = Command::from_bytes(random_bytes(random, Command::kBytes));
      offer(port, commands[port].set<command::final_part>(1));
      beats[port] = random_bytes(random, 32);
      drive(arbiter_->in_beat_data_i, beats[port], port * 32);
    }
    const auto port = static_cast<unsigned>(random.below(kPorts));
    arbiter_->in_command_valid_i =
        static_cast<std::uint8_t>(port == 5 ? 0x20 : 0x1F << port & 0x1F);
    arbiter_.settle();
    ASSERT_EQ(sample_record<Command>(arbiter_->out_command_data_o).words(), commands[port].words());
    arbiter_->out_command_ready_i = 1;
    arbiter_.settle();
    ASSERT_EQ(arbiter_->in_command_ready_o, 1U << port);
    arbiter_.tick();
    arbiter_->active_i = 1;
    arbiter_->in_beat_valid_i = 0x3F;
    arbiter_.settle();
    ASSERT_EQ(sample(arbiter_->out_beat_data_o, 32), beats[port]);
    arbiter_->in_beat_valid_i = 0;
    arbiter_->active_i = 0;
    arbiter_->out_command_ready_i = 0;
  }
}

TEST_F(WriteArbiter, ShowsNothingWithoutACommandOrABeat) {
  for (auto& word : arbiter_->in_command_data_i.m_storage) word = ~0U;
  for (auto& word : arbiter_->in_beat_data_i.m_storage) word = ~0U;
  arbiter_->out_command_ready_i = arbiter_->out_beat_ready_i = 1;
  arbiter_.settle();
  EXPECT_FALSE(arbiter_->out_command_valid_o);
  EXPECT_FALSE(arbiter_->out_beat_valid_o);
  EXPECT_EQ(sample(arbiter_->out_command_data_o, Command::kBytes), Bytes(Command::kBytes, 0));
  EXPECT_EQ(sample(arbiter_->out_beat_data_o, 32), Bytes(32, 0));
}

TEST_F(WriteArbiter, BeginsAnewAfterAReset) {
  offer(5, make(5, 32, true));
  for (unsigned i = 0; i < kPatience; ++i) {
    offer(2, make(2, 32, i + 1 != kPatience));
    EXPECT_EQ(serve(), 2U);
  }
  EXPECT_TRUE(arbiter_->busy_o);
  arbiter_.reset(1);
  EXPECT_FALSE(arbiter_->busy_o);
  for (unsigned i = 0; i < kPatience; ++i) {
    offer(0, make(0, 32, true));
    EXPECT_EQ(serve(), 0U) << "the last port waits as if it had just come";
  }
}

TEST_F(WriteArbiter, CountsNoPartsAgainstTheLastPort) {
  offer(5, make(5, 32, true));
  for (unsigned i = 0; i < 3 * kPatience; ++i) {
    offer(1, make(1, 32, i + 1 == 3 * kPatience));
    EXPECT_EQ(serve(), 1U);
  }
  // The first part alone counts.
  for (unsigned i = 1; i < kPatience; ++i) {
    offer(1, make(1, 32, true));
    EXPECT_EQ(serve(), 1U);
  }
  offer(1, make(1, 32, true));
  EXPECT_EQ(serve(), 5U);
}

TEST_F(WriteArbiter, ServesOneCommandAfterTheOther) {
  Random random;
  SCOPED_TRACE(random.replay());
  int served = -1;  // of the command before
  bool between = false, active = false;
  unsigned passed = 0, valid = 0;
  for (int cycle = 0; cycle < 40000; ++cycle) {
    if (random.chance(1)) {
      arbiter_->in_command_valid_i = 0;
      arbiter_->active_i = 0;
      arbiter_->out_command_ready_i = 1;
      arbiter_.reset(1);
      served = -1;
      between = active = false;
      passed = valid = 0;
    }
    const unsigned percent = cycle / 500 % 2 == 0 ? 60 : 8;
    for (unsigned port = 0; port < kPorts; ++port) {
      if ((valid >> port & 1) != 0 || !random.chance(percent)) continue;
      offer(port, make(port, 1 + static_cast<unsigned>(random.below(544)), random.chance(60)));
      valid |= 1U << port;
    }
    const auto beats = static_cast<unsigned>(random.below(64));
    arbiter_->in_command_valid_i = static_cast<CData>(valid);
    arbiter_->in_beat_valid_i = static_cast<CData>(beats);
    arbiter_->out_command_ready_i = random.chance(60);
    arbiter_->out_beat_ready_i = random.chance(60);
    arbiter_->active_i = active;
    arbiter_.settle();
    int chosen = -1;
    if (between) {
      if ((valid >> served & 1) != 0) chosen = served;
    } else if ((valid & 32) != 0 && passed == kPatience) {
      chosen = 5;
    } else if (valid != 0) {
      chosen = std::countr_zero(valid);
    }
    const bool ready = arbiter_->out_command_ready_i;
    ASSERT_EQ(arbiter_->busy_o, between) << "cycle " << cycle;
    ASSERT_EQ(arbiter_->out_command_valid_o, chosen >= 0 && !active) << "cycle " << cycle;
    ASSERT_EQ(arbiter_->in_command_ready_o, chosen >= 0 && !active && ready ? 1 << chosen : 0);
    const bool beat = active && (beats >> served & 1) != 0;
    ASSERT_EQ(arbiter_->out_beat_valid_o, beat) << "cycle " << cycle;
    ASSERT_EQ(arbiter_->in_beat_ready_o, active && arbiter_->out_beat_ready_i ? 1 << served : 0);
    const bool taken = chosen >= 0 && !active && ready;
    bool last = false;
    if (taken) {
      const auto command = sample_record<Command>(arbiter_->out_command_data_o);
      ASSERT_EQ(command.get<command::address>(), 0x1000U * static_cast<unsigned>(chosen));
      last = command.get<command::final_part>() != 0;
    }
    arbiter_.tick();
    if (active) {
      active = !random.chance(50);
      continue;
    }
    if (!taken) continue;
    if (chosen == 5) {
      passed = 0;
    } else if ((valid & 32) != 0 && !between && passed != kPatience) {
      ++passed;
    }
    between = !last;
    served = chosen;
    valid &= ~(1U << chosen);
    active = true;
  }
}

}  // namespace
}  // namespace torusmu::testing

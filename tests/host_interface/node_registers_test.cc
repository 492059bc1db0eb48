// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "Vmu_node_registers.h"
#include "Vmu_node_registers/Vmu_node_registers___024root.h"
#include "tests/support/clocked.h"
#include "tests/support/old_count.h"
#include "tests/support/port_fields.h"
#include "tests/support/register_bus.h"
#include "tests/support/seed.h"
#include "tests/support/written_inside.h"

TORUSMU_WRITTEN_INSIDE(Vmu_node_registers)

namespace torusmu::testing {
namespace {

using namespace registers;  // NOLINT(google-build-using-namespace)

class NodeRegisters : public ::testing::Test {
 protected:
  std::uint64_t read(const Register& which) { return bus_.read(register_read(which())); }
  std::uint64_t set_straps() {
    block_->straps_i = static_cast<IData>(random_.bits64() >> 37);
    return block_->straps_i;
  }

  Random random_;
  Clocked<Vmu_node_registers> block_{random_.seed()};
  RegisterBus<Vmu_node_registers> bus_{block_};
};

TEST_F(NodeRegisters, SaysWhoAndWhereItIs) {
  EXPECT_EQ(read(node::identity) & 0xffffffffU, kSignature);
  EXPECT_EQ(read(node::identity) >> 32, 1U);
  block_->straps_i =
      Straps{.x = 1, .y = 2, .z = 3, .last_x = 7, .last_y = 8, .last_z = 15, .torus = 5}.word();
  const std::uint64_t straps = read(node::straps);
  EXPECT_EQ(extract(straps, node::straps_field::x), 1U);
  EXPECT_EQ(extract(straps, node::straps_field::y), 2U);
  EXPECT_EQ(extract(straps, node::straps_field::z), 3U);
  EXPECT_EQ(extract(straps, node::straps_field::last_x), 7U);
  EXPECT_EQ(extract(straps, node::straps_field::last_y), 8U);
  EXPECT_EQ(extract(straps, node::straps_field::last_z), 15U);
  EXPECT_EQ(extract(straps, node::straps_field::torus), 5U);
  EXPECT_EQ(straps >> 27, 0U);
}

TEST_F(NodeRegisters, StartsWithTheDocumentedLimitsAndKeepsNewOnes) {
  EXPECT_EQ(read(node::fifo_hold_cycles), 0U);
  EXPECT_EQ(read(node::credit_timeout_cycles), 65536U);
  ASSERT_EQ(bus_.status(register_write(node::fifo_hold_cycles(), 65535)), Status::kOk);
  ASSERT_EQ(bus_.status(register_write(node::credit_timeout_cycles(), 0xffffffff)), Status::kOk);
  EXPECT_EQ(read(node::fifo_hold_cycles), 65535U);
  EXPECT_EQ(read(node::credit_timeout_cycles), 0xffffffffU);
  EXPECT_EQ(block_->fifo_hold_cycles_o, 65535U);
  EXPECT_EQ(block_->credit_timeout_cycles_o, 0xffffffffU);
}

TEST_F(NodeRegisters, RefusesWhatIsNotARegisterAndChangesNothing) {
  EXPECT_EQ(bus_.status(register_write(node::fifo_hold_cycles(), 65536)), Status::kRegisterValue);
  EXPECT_EQ(bus_.status(register_write(node::credit_timeout_cycles(), 1ULL << 32)),
            Status::kRegisterValue);
  EXPECT_EQ(bus_.status(register_write(node::fifo_hold_cycles(), 1, 4)), Status::kRegisterPartial);
  EXPECT_EQ(bus_.status(register_write(node::credit_timeout_cycles() + 4, 1, 4)),
            Status::kRegisterPartial);
  for (const Register& which : {node::identity, node::straps, node::bad_packets,
                                node::dropped_replies, node::memory_errors}) {
    EXPECT_EQ(bus_.status(register_write(which(), 0)), Status::kRegisterUnknown);
    EXPECT_EQ(bus_.status(register_write(which(), 0, 4)), Status::kRegisterUnknown);
  }
  EXPECT_EQ(bus_.status(register_write(node::send_retry_cycles(), 0)), Status::kRegisterValue);
  EXPECT_EQ(bus_.status(register_write(node::send_retry_cycles(), (1 << 24) + 1)),
            Status::kRegisterValue);
  EXPECT_EQ(bus_.status(register_write(node::send_retries(), 256)), Status::kRegisterValue);
  EXPECT_EQ(bus_.status(register_read(node::send_retries() + 8)), Status::kRegisterUnknown);
  EXPECT_EQ(bus_.status(register_write(node::register_errors(), 0)), Status::kRegisterUnknown);
  EXPECT_EQ(bus_.status(register_read(node::error_clear())), Status::kRegisterUnknown);
  EXPECT_EQ(bus_.status(register_read(node::kBase + 0x800)), Status::kRegisterUnknown);
  EXPECT_EQ(bus_.status(page_read(0, 0)), Status::kRegisterUnknown);
  EXPECT_EQ(block_->fifo_hold_cycles_o, 0U);
  EXPECT_EQ(block_->credit_timeout_cycles_o, 65536U);
}

TEST_F(NodeRegisters, CountsEveryPulseAlsoWhileTheCountIsRead) {
  SCOPED_TRACE(random_.replay());
  std::uint64_t bad = 0;
  std::uint64_t dropped = 0;
  std::uint64_t errors = 0;
  for (int i = 0; i < 3000; ++i) {
    if (bus_.idle() && random_.chance(50)) {
      bus_.present(
          register_read(random_.chance(50) ? node::bad_packets() : node::dropped_replies()));
    }
    block_->bad_packet_i = random_.chance(30);
    block_->dropped_reply_i = static_cast<std::uint8_t>(random_.below(4));
    block_->memory_error_i = random_.chance(30);
    bad += block_->bad_packet_i;
    dropped += (block_->dropped_reply_i & 1U) + (block_->dropped_reply_i >> 1);
    errors += block_->memory_error_i;
    bus_.tick();
  }
  block_->bad_packet_i = 0;
  block_->dropped_reply_i = 0;
  block_->memory_error_i = 0;
  while (!bus_.idle()) bus_.tick();
  EXPECT_EQ(read(node::bad_packets), bad);
  EXPECT_EQ(read(node::dropped_replies), dropped);
  EXPECT_EQ(read(node::memory_errors), errors);
}

TEST_F(NodeRegisters, IsIdleUnlessAsked) {
  EXPECT_FALSE(block_->busy_o);
  block_->bad_packet_i = 1;
  block_.tick();
  EXPECT_FALSE(block_->busy_o);
}

TEST_F(NodeRegisters, KeepsEveryBitOfItsLimitsAndLooksAtAllThatIsWritten) {
  SCOPED_TRACE(random_.replay());
  struct Limit {
    std::uint32_t address;
    std::uint64_t most, least, value;
  };
  const std::array<Limit, 4> after_reset{{{node::fifo_hold_cycles(), 0xFFFF, 0, 0},
                                          {node::credit_timeout_cycles(), 0xFFFFFFFF, 0, 65536},
                                          {node::send_retry_cycles(), 1 << 24, 1, 1024},
                                          {node::send_retries(), 0xFF, 0, 0xFF}}};
  std::array<Limit, 4> limits = after_reset;
  for (int step = 0; step < 6000; ++step) {
    if (random_.chance(50)) block_.tick();
    if (random_.chance(1)) {
      block_.reset(1);
      limits = after_reset;
    }
    Limit& limit = limits[random_.below(4)];
    const std::uint64_t data = random_.chance(40)   ? random_.bits64() & limit.most
                               : random_.chance(20) ? limit.most + random_.below(3) - 1
                               : random_.chance(50) ? 1ULL << random_.below(64)
                                                    : random_.bits64();
    const bool wide = random_.chance(90);
    const bool good = data >= limit.least && data <= limit.most;
    ASSERT_EQ(bus_.status(register_write(limit.address, data, wide ? 8 : 4)),
              !wide   ? Status::kRegisterPartial
              : !good ? Status::kRegisterValue
                      : Status::kOk)
        << std::hex << limit.address << " data " << data;
    if (wide && good) limit.value = data;
    ASSERT_EQ(block_->fifo_hold_cycles_o, limits[0].value);
    ASSERT_EQ(block_->credit_timeout_cycles_o, limits[1].value);
    ASSERT_EQ(block_->send_retry_cycles_o, limits[2].value);
    ASSERT_EQ(block_->send_retries_o, limits[3].value);
    ASSERT_EQ(bus_.read(register_read(limit.address)), limit.value);
    // Nothing but those four is written.
    const std::uint32_t other = limit.address ^ 8U << random_.below(17);
    if (other == node::error_clear() ||
        std::any_of(limits.begin(), limits.end(),
                    [other](const Limit& one) { return one.address == other; }))
      continue;
    ASSERT_EQ(bus_.status(register_write(other, data)), Status::kRegisterUnknown) << other;
    ASSERT_EQ(
        bus_.status(register_write(limit.address, data).set<layout::register_request::page>(1)),
        Status::kRegisterUnknown);
  }
}

TEST_F(NodeRegisters, KnowsItsOwnRegistersAlone) {
  SCOPED_TRACE(random_.replay());
  for (std::uint32_t address = 0; address < kSpaceBytes; address += 8) {
    bool known = false;
    for (const Register& which :
         {node::identity, node::straps, node::bad_packets, node::dropped_replies,
          node::memory_errors, node::fifo_hold_cycles, node::credit_timeout_cycles,
          node::send_retry_cycles, node::send_retries, node::register_errors}) {
      known |= which() == address;
    }
    ASSERT_EQ(bus_.status(register_read(address)), known ? Status::kOk : Status::kRegisterUnknown)
        << std::hex << address;
  }
  for (int i = 0; i < 200; ++i) {
    const auto straps = set_straps();
    ASSERT_EQ(read(node::straps), straps);
    ASSERT_EQ(read(node::identity), kSignature | 1ULL << 32);
  }
}

TEST_F(NodeRegisters, ShowsTheRecordOfRefusalsAndNamesWhatAWriteClears) {
  SCOPED_TRACE(random_.replay());
  std::uint64_t cleared = 0;  // as the outputs name it in the cycle of the write
  const auto watch = [&](const RegisterRequest& request) {
    cleared = 0;
    bus_.present(request);
    while (!bus_.idle()) {
      block_.settle();
      cleared |= block_->error_clear_o;
      bus_.tick();
    }
  };
  constexpr std::uint64_t kPages = (1U << kSim.clients) - 1;
  for (int i = 0; i < 300; ++i) {
    const std::uint64_t record = random_.bits64() >> 20;
    block_->register_errors_i = record;
    ASSERT_EQ(read(node::register_errors), record);
    const std::uint64_t pages = random_.below(kPages + 1);
    const std::uint64_t privileged = random_.below(2);
    watch(register_write(node::error_clear(), pages | privileged << 63));
    ASSERT_EQ(cleared, pages | privileged << 16);
    watch(register_write(node::error_clear(), pages, 4));
    ASSERT_EQ(cleared, 0U);
    const std::uint64_t other = (kPages + 1) << random_.below(63 - kSim.clients);
    ASSERT_EQ(bus_.status(register_write(node::error_clear(), pages | other)),
              Status::kRegisterValue);
    watch(register_write(node::error_clear(), pages | other));
    ASSERT_EQ(cleared, 0U) << other;
    watch(register_write(node::send_retries(), pages));
    ASSERT_EQ(cleared, 0U);
  }
}

TEST_F(NodeRegisters, ReadsEachWhateverTheOthersHold) {
  SCOPED_TRACE(random_.replay());
  auto& counts = block_->rootp->mu_node_registers__DOT__u_counts__DOT__count_q;
  for (int i = 0; i < 300; ++i) {
    const auto straps = set_straps();
    const std::uint32_t bad = counts[0] = old_count(random_);
    const std::uint32_t dropped = counts[1] = old_count(random_);
    const std::uint32_t failed = counts[2] = old_count(random_);
    settle_inside(block_->rootp);
    const std::uint64_t hold = random_.below(1U << 16), timeout = random_.below(1ULL << 32),
                        cycles = 1 + random_.below(1U << 24), retries = random_.below(1U << 8);
    ASSERT_EQ(bus_.status(register_write(node::fifo_hold_cycles(), hold)), Status::kOk);
    ASSERT_EQ(bus_.status(register_write(node::credit_timeout_cycles(), timeout)), Status::kOk);
    ASSERT_EQ(bus_.status(register_write(node::send_retry_cycles(), cycles)), Status::kOk);
    ASSERT_EQ(bus_.status(register_write(node::send_retries(), retries)), Status::kOk);
    ASSERT_EQ(read(node::identity), kSignature | 1ULL << 32);
    ASSERT_EQ(read(node::straps), straps);
    ASSERT_EQ(read(node::bad_packets), bad);
    ASSERT_EQ(read(node::dropped_replies), dropped);
    ASSERT_EQ(read(node::memory_errors), failed);
    ASSERT_EQ(read(node::fifo_hold_cycles), hold);
    ASSERT_EQ(read(node::credit_timeout_cycles), timeout);
    ASSERT_EQ(read(node::send_retry_cycles), cycles);
    ASSERT_EQ(read(node::send_retries), retries);
  }
}

TEST_F(NodeRegisters, RefusesAnythingAboveTheMostCyclesBetweenRetries) {
  for (unsigned bit = 0; bit < 64; ++bit) {
    const std::uint64_t cycles = 1ULL << 24 | 1ULL << bit;
    ASSERT_EQ(bus_.status(register_write(node::send_retry_cycles(), cycles)),
              bit == 24 ? Status::kOk : Status::kRegisterValue)
        << std::hex << cycles;
  }
}

TEST_F(NodeRegisters, ForgetsAnAnswerAtAReset) {
  for (unsigned round = 0; round < 4; ++round) {
    const bool known = (round & 1U) != 0;
    const bool answered = (round & 2U) != 0;
    bus_.present(register_read(known ? node::identity() : 0));
    if (answered) {
      EXPECT_FALSE(bus_.tick());
    }
    EXPECT_EQ(block_->register_done_o, answered);
    block_->rst_ni = 0;
    block_.tick();
    EXPECT_FALSE(block_->register_done_o);
    EXPECT_EQ(sample_record<RegisterResponse>(block_->register_response_o), RegisterResponse());
    block_->rst_ni = 1;
    EXPECT_FALSE(bus_.tick()) << "it is asked again";
    EXPECT_TRUE(bus_.tick());
  }
}

}  // namespace
}  // namespace torusmu::testing

// SPDX-License-Identifier: Apache-2.0
// bgp:

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "Vmu_interrupt_control.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/port_bits.h"
#include "tests/support/register_bus.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr std::uint32_t kCause = registers::client_page::interrupt_cause.in_block();
constexpr std::uint32_t kEnable = registers::client_page::interrupt_enable.in_block();
constexpr unsigned kClients = kProfile.clients;

std::uint8_t of_client(const PortBits& causes, unsigned client) {
  return static_cast<std::uint8_t>((causes >> 8 * client & PortBits(0xFF)).to_ulong());
}

constexpr std::uint32_t kPartKinds = 3;  // reception FIFOs, completion queues, byte counters
constexpr std::array kCauseOfPart{Cause::kArrived, Cause::kCompletion, Cause::kCounterZero};

class InterruptControl : public ::testing::Test {
 protected:
  // With the cause that it has raised.
  void pulse_part(unsigned client, unsigned kind, unsigned number) {
    part_of(kind) = static_cast<SData>(1U << 8 | client << 4 | number);
    pulse(client, kCauseOfPart.at(kind));
    part_of(kind) = 0;
    block_.settle();
  }
  SData& part_of(unsigned kind) {
    return kind == 0   ? block_->fifo_part_i
           : kind == 1 ? block_->entry_part_i
                       : block_->counter_part_i;
  }
  // Any parts, some kinds of them at once: adds their causes, and the bits that they set.
  void drive_parts(PortBits& causes, std::array<std::uint64_t, kClients>& set,
                   unsigned percent = 20) {
    for (unsigned kind = 0; kind < kPartKinds; ++kind) {
      const auto client = static_cast<unsigned>(random_.below(kClients));
      const auto number = static_cast<unsigned>(random_.below(16));
      const bool pulses = random_.chance(percent);
      part_of(kind) = static_cast<SData>(pulses << 8U | client << 4 | number);
      if (!pulses) continue;
      causes.set(8 * client + static_cast<unsigned>(kCauseOfPart.at(kind)));
      set[client] |= 1ULL << (16 + 16 * kind + number);
    }
  }
  void pulse(unsigned client, Cause cause) {
    drive_bits(block_->causes_i, causes_of_client(client, 1U << static_cast<unsigned>(cause)));
    block_.tick();
    drive_bits(block_->causes_i, 0);
    block_.settle();
  }

  Random random_;
  Clocked<Vmu_interrupt_control> block_{random_.seed()};
  RegisterBus<Vmu_interrupt_control> bus_{block_};
};

TEST_F(InterruptControl, HasNothingSetAfterReset) {
  for (unsigned client = 0; client < kClients; ++client) {
    EXPECT_EQ(bus_.read(page_read(client, kCause)), 0U);
    EXPECT_EQ(bus_.read(page_read(client, kEnable)), 0U);
  }
  EXPECT_EQ(block_->irq_o, 0U);
}

TEST_F(InterruptControl, RaisesTheLineOfTheClientOneCycleAfterAnEnabledCause) {
  ASSERT_EQ(bus_.status(page_write(2, kEnable, 1U << 5)), Status::kOk);
  pulse(2, Cause::kError);
  EXPECT_EQ(block_->irq_o, 1U << 2);
}

TEST_F(InterruptControl, KeepsADisabledCauseWithoutALine) {
  pulse(1, Cause::kDone);
  EXPECT_EQ(block_->irq_o, 0U);
  EXPECT_EQ(bus_.read(page_read(1, kCause)), 1U << 6);
  ASSERT_EQ(bus_.status(page_write(1, kEnable, 0xff)), Status::kOk);
  EXPECT_EQ(block_->irq_o, 1U << 1) << "enabling a cause that is already set raises the line";
}

TEST_F(InterruptControl, ClearsOnlyTheCausesWrittenAsOne) {
  pulse(0, Cause::kArrived);
  pulse(0, Cause::kNotice);
  pulse(3, Cause::kNotice);
  ASSERT_EQ(bus_.status(page_write(0, kCause, 1U << 4)), Status::kOk);
  EXPECT_EQ(bus_.read(page_read(0, kCause)), 1U);
  EXPECT_EQ(bus_.read(page_read(3, kCause)), 1U << 4) << "of another client";
  ASSERT_EQ(bus_.status(page_write(0, kCause, ~0ULL)), Status::kOk);
  EXPECT_EQ(bus_.read(page_read(0, kCause)), 0U);
}

TEST_F(InterruptControl, KeepsACauseThatPulsesInTheCycleOfItsClear) {
  // Every distance between the pulse and the clear: after the clear's cycle the bit must be set.
  ASSERT_EQ(bus_.status(page_write(0, kEnable, 1)), Status::kOk);
  for (int late = 0; late < 4; ++late) {
    pulse(0, Cause::kArrived);
    bus_.present(page_write(0, kCause, 1));
    for (int cycle = 0; cycle < 4; ++cycle) {
      drive_bits(block_->causes_i, cycle == late ? 1U : 0U);
      bus_.tick();
    }
    drive_bits(block_->causes_i, 0);
    EXPECT_EQ(bus_.read(page_read(0, kCause)), 1U) << "pulse " << late << " cycles after the clear";
    EXPECT_EQ(block_->irq_o, 1U);
    ASSERT_EQ(bus_.status(page_write(0, kCause, 1)), Status::kOk);
    EXPECT_EQ(block_->irq_o, 0U);
  }
}

TEST_F(InterruptControl, ShowsWhichPartHasRaisedACauseUntilThatIsCleared) {
  constexpr std::array<std::uint64_t, kPartKinds> kCauses{1U << 0, 1U << 7, 1U << 1};
  for (unsigned kind = 0; kind < kPartKinds; ++kind) {
    for (unsigned number = 0; number < 16; ++number) {
      pulse_part(1, kind, number);
      const std::uint64_t bit = std::uint64_t{1} << (16 + 16 * kind + number);
      EXPECT_EQ(bus_.read(page_read(1, kCause)), bit | kCauses.at(kind)) << kind << ", " << number;
      EXPECT_EQ(bus_.read(page_read(2, kCause)), 0U) << "of another client";
      ASSERT_EQ(bus_.status(page_write(1, kCause, kCauses.at(kind))), Status::kOk);
      EXPECT_EQ(bus_.read(page_read(1, kCause)), bit) << "the cause alone was cleared";
      ASSERT_EQ(bus_.status(page_write(1, kCause, bit)), Status::kOk);
      EXPECT_EQ(bus_.read(page_read(1, kCause)), 0U);
    }
  }
}

TEST_F(InterruptControl, HasNoLineForParts) {
  ASSERT_EQ(bus_.status(page_write(0, kEnable, 1)), Status::kOk);
  pulse_part(0, 0, 5);
  EXPECT_EQ(block_->irq_o, 1U);
  ASSERT_EQ(bus_.status(page_write(0, kCause, 1)), Status::kOk);
  EXPECT_EQ(block_->irq_o, 0U);
  EXPECT_EQ(bus_.read(page_read(0, kCause)), std::uint64_t{1} << 21);
  EXPECT_EQ(bus_.status(page_write(0, kEnable, std::uint64_t{1} << 21)), Status::kRegisterValue);
}

TEST_F(InterruptControl, KeepsAPartThatPulsesInTheCycleOfItsClear) {
  constexpr std::uint64_t kBit = std::uint64_t{1} << (48 + 3);
  for (int late = 0; late < 4; ++late) {
    pulse_part(0, 2, 3);
    bus_.present(page_write(0, kCause, ~0ULL));
    for (int cycle = 0; cycle < 4; ++cycle) {
      drive_bits(block_->causes_i, cycle == late ? 2U : 0U);
      block_->counter_part_i = cycle == late ? 1U << 8 | 3U : 0U;
      bus_.tick();
    }
    drive_bits(block_->causes_i, 0);
    block_->counter_part_i = 0;
    EXPECT_EQ(bus_.read(page_read(0, kCause)), kBit | 2U) << late << " cycles after the clear";
  }
}

TEST_F(InterruptControl, RefusesWhatIsNotARegisterOrNotWhole) {
  pulse(1, Cause::kTouch);
  EXPECT_EQ(bus_.status(page_write(1, kCause, ~0ULL, 4)), Status::kRegisterPartial);
  EXPECT_EQ(bus_.status(page_write(1, kEnable, 1, 4)), Status::kRegisterPartial);
  EXPECT_EQ(bus_.status(page_write(1, kEnable, 0x100)), Status::kRegisterValue);
  EXPECT_EQ(bus_.status(page_write(1, kEnable, 1ULL << 63)), Status::kRegisterValue);
  EXPECT_EQ(bus_.status(page_read(1, kEnable + 8)), Status::kRegisterUnknown);
  EXPECT_EQ(bus_.status(register_read(kCause)), Status::kRegisterUnknown) << "privileged space";
  EXPECT_EQ(bus_.read(page_read(1, kCause)), 1U << 3);
  EXPECT_EQ(bus_.read(page_read(1, kEnable)), 0U);
}

TEST_F(InterruptControl, ReadsTheUpperHalfOfARegisterAsTheRegister) {
  pulse(1, Cause::kTouch);
  EXPECT_EQ(bus_.read(page_read(1, kCause + 4)), 1U << 3);
  EXPECT_EQ(bus_.status(page_read(1, kEnable + 4)), Status::kOk);
}

TEST_F(InterruptControl, AgreesWithStickyBitsUnderRandomTraffic) {
  SCOPED_TRACE(random_.replay());
  std::array<std::uint64_t, kClients> cause{};  // with the parts
  std::array<std::uint8_t, kClients> enable{};
  unsigned accesses = 0;
  RegisterRequest request;
  bool applied = false;
  std::uint64_t expected = 0;
  for (int cycle = 0; cycle < 20000; ++cycle) {
    if (bus_.idle() && random_.chance(40)) {
      const auto client = static_cast<unsigned>(random_.below(kClients));
      const std::uint32_t offset = random_.chance(50) ? kCause : kEnable;
      const std::uint64_t ones = random_.bits64() & random_.bits64();
      request = random_.chance(50)
                    ? page_write(client, offset, offset == kCause ? ones : random_.below(0x100))
                    : page_read(client, offset);
      bus_.present(request);
      applied = false;
    }
    // Now and then so few that most are cleared.
    const bool few = cycle / 500 % 2 == 0;
    PortBits causes =
        random_.chance(few ? 1 : 30) ? any_bits(random_) & any_bits(random_) : PortBits();
    std::array<std::uint64_t, kClients> parts{};
    drive_parts(causes, parts, few ? 1 : 20);
    drive_bits(block_->causes_i, causes);
    // What the coming edge does.
    if (!bus_.idle() && !applied) {
      const auto client = request.get<layout::register_request::client>();
      const std::uint64_t data = request.get<layout::register_request::data>();
      expected = 0;
      const bool is_cause = request.get<layout::register_request::address>() == kCause;
      if (!request.get<layout::register_request::write>()) {
        expected = is_cause ? cause[client] : enable[client];
      } else if (is_cause) {
        cause[client] &= ~data;
      } else {
        enable[client] = static_cast<std::uint8_t>(data);
      }
      applied = true;
    }
    std::uint32_t lines = 0;
    for (unsigned client = 0; client < kClients; ++client) {
      cause[client] |= of_client(causes, client) | parts[client];
      if ((cause[client] & enable[client]) != 0) {
        lines |= 1U << client;
      }
    }
    if (bus_.tick()) {
      ++accesses;
      ASSERT_EQ(bus_.answer().data, expected) << "cycle " << cycle;
    }
    ASSERT_EQ(block_->irq_o, lines) << "cycle " << cycle;
  }
  drive_bits(block_->causes_i, 0);
  for (unsigned kind = 0; kind < kPartKinds; ++kind) part_of(kind) = 0;
  while (!bus_.idle()) bus_.tick();
  for (unsigned client = 0; client < kClients; ++client) {
    EXPECT_EQ(bus_.read(page_read(client, kCause)), cause[client]);
    EXPECT_EQ(bus_.read(page_read(client, kEnable)), enable[client]);
  }
  EXPECT_GT(accesses, 1000U);
}

TEST_F(InterruptControl, IsIdleUnlessAskedOrPulsed) {
  EXPECT_FALSE(block_->busy_o);
  pulse(0, Cause::kArrived);
  EXPECT_FALSE(block_->busy_o) << "the line is up to date in the cycle after the pulse";
}

TEST_F(InterruptControl, RaisesTheLineForEveryCauseByItself) {
  for (unsigned client = 0; client < kClients; ++client) {
    for (unsigned cause = 0; cause < 8; ++cause) {
      ASSERT_EQ(bus_.status(page_write(client, kEnable, 1U << cause)), Status::kOk);
      pulse(client, static_cast<Cause>(cause));
      ASSERT_EQ(block_->irq_o, 1U << client) << cause;
      ASSERT_EQ(bus_.read(page_read(client, kCause)), 1U << cause);
      ASSERT_EQ(bus_.status(page_write(client, kEnable, 0)), Status::kOk);
      ASSERT_EQ(block_->irq_o, 0U) << cause;
      ASSERT_EQ(bus_.status(page_write(client, kEnable, 1U << cause)), Status::kOk);
      ASSERT_EQ(block_->irq_o, 1U << client) << cause;
      ASSERT_EQ(bus_.status(page_write(client, kCause, ~0ULL)), Status::kOk);
      ASSERT_EQ(block_->irq_o, 0U) << cause;
      ASSERT_EQ(bus_.status(page_write(client, kEnable, 0)), Status::kOk);
    }
  }
}

TEST_F(InterruptControl, RefusesToEnableEachBitThatIsNoCause) {
  for (unsigned bit = 8; bit < 64; ++bit) {
    ASSERT_EQ(bus_.status(page_write(1, kEnable, 1ULL << bit)), Status::kRegisterValue) << bit;
    ASSERT_EQ(bus_.status(page_write(1, kCause, 1ULL << bit)), Status::kOk) << bit;
    // A read has no data to look at.
    ASSERT_EQ(bus_.status(page_read(1, kEnable).set<layout::register_request::data>(1ULL << bit)),
              Status::kOk);
  }
}

TEST_F(InterruptControl, KnowsNoRegisterBesideItsTwo) {
  for (const std::uint32_t reg : {kCause, kEnable}) {
    for (unsigned bit = 3; bit < 20; ++bit) {
      const std::uint32_t address = reg ^ 1U << bit;
      if (address == kCause || address == kEnable) continue;
      ASSERT_EQ(bus_.status(page_read(0, address)), Status::kRegisterUnknown) << address;
      ASSERT_EQ(bus_.status(page_write(0, address, 1)), Status::kRegisterUnknown) << address;
      ASSERT_EQ(bus_.status(page_write(0, address, 1, 4)), Status::kRegisterUnknown) << address;
    }
    for (unsigned client = kClients; client < 16; ++client) {
      ASSERT_EQ(bus_.status(page_read(client, reg)), Status::kRegisterUnknown) << client;
      ASSERT_EQ(bus_.status(page_write(client, reg, 0xff)), Status::kRegisterUnknown) << client;
    }
    ASSERT_EQ(bus_.status(page_read(1, reg).set<layout::register_request::wide>(0)), Status::kOk);
  }
  for (unsigned client = 0; client < kClients; ++client) {
    EXPECT_EQ(bus_.read(page_read(client, kCause)), 0U);
    EXPECT_EQ(bus_.read(page_read(client, kEnable)), 0U);
  }
}

TEST_F(InterruptControl, ForgetsCausesAndEnablesAtAReset) {
  for (unsigned client = 0; client < kClients; ++client) {
    ASSERT_EQ(bus_.status(page_write(client, kEnable, 0xff)), Status::kOk);
  }
  for (unsigned client = 0; client < kClients; ++client) {
    for (unsigned part = 0; part < kPartKinds * 16; ++part)
      pulse_part(client, part / 16, part % 16);
  }
  drive_bits(block_->causes_i, ~PortBits());
  block_.tick();
  drive_bits(block_->causes_i, 0);
  block_.settle();
  EXPECT_EQ(block_->irq_o, (1U << kClients) - 1);
  block_.reset(1);
  EXPECT_EQ(block_->irq_o, 0U);
  for (unsigned client = 0; client < kClients; ++client) {
    EXPECT_EQ(bus_.read(page_read(client, kCause)), 0U);
    EXPECT_EQ(bus_.read(page_read(client, kEnable)), 0U);
  }
  EXPECT_EQ(block_->irq_o, 0U);
}

TEST_F(InterruptControl, ChangesNothingWhenItIsReadWhateverTheDataOfTheRead) {
  SCOPED_TRACE(random_.replay());
  for (unsigned client = 0; client < kClients; ++client) {
    ASSERT_EQ(bus_.status(page_write(client, kEnable, 0xa5)), Status::kOk);
    for (unsigned cause = 0; cause < 8; ++cause) pulse(client, static_cast<Cause>(cause));
    for (const std::uint32_t reg : {kCause, kEnable, kCause, kEnable}) {
      const RegisterRequest request =
          page_read(client, reg).set<layout::register_request::data>(random_.bits64() | 1);
      EXPECT_EQ(bus_.read(request), reg == kCause ? 0xffU : 0xa5U);
      EXPECT_EQ(block_->irq_o >> client & 1U, 1U);
    }
  }
}

TEST_F(InterruptControl, ChangesNothingWhenItRefuses) {
  SCOPED_TRACE(random_.replay());
  for (int round = 0; round < 400; ++round) {
    PortBits causes = any_bits(random_);
    const PortBits enables = any_bits(random_);
    std::array<std::uint64_t, kClients> parts{};
    for (unsigned client = 0; client < kClients; ++client) {
      ASSERT_EQ(bus_.status(page_write(client, kCause, ~0ULL)), Status::kOk);
      ASSERT_EQ(bus_.status(page_write(client, kEnable, of_client(enables, client))), Status::kOk);
    }
    drive_parts(causes, parts);
    drive_bits(block_->causes_i, causes);
    block_.tick();
    drive_bits(block_->causes_i, 0);
    for (unsigned kind = 0; kind < kPartKinds; ++kind) part_of(kind) = 0;
    const auto refusals = 1 + random_.below(8);
    for (std::uint64_t i = 0; i < refusals; ++i) {
      const auto client = static_cast<unsigned>(random_.below(kClients));
      const std::uint32_t reg = random_.chance(50) ? kCause : kEnable;
      const std::uint64_t data = random_.bits64();
      ASSERT_EQ(bus_.status(page_write(client, reg, data, 4)), Status::kRegisterPartial);
      ASSERT_EQ(
          bus_.status(page_write(client, kEnable, (data & 0xff) | 256ULL << random_.below(56))),
          Status::kRegisterValue);
      ASSERT_EQ(bus_.status(page_write(client, reg ^ 8U << random_.below(2) ^ 0x100, data)),
                Status::kRegisterUnknown);
      ASSERT_EQ(bus_.status(register_write(reg, data)), Status::kRegisterUnknown);
      if (const unsigned other = client + kClients * (1 + client % 3); other < 16) {
        ASSERT_EQ(bus_.status(page_write(other, reg, data)), Status::kRegisterUnknown);
      }
    }
    for (unsigned client = 0; client < kClients; ++client) {
      ASSERT_EQ(bus_.read(page_read(client, kCause)), of_client(causes, client) | parts[client]);
      ASSERT_EQ(bus_.read(page_read(client, kEnable)), of_client(enables, client));
      ASSERT_EQ(
          bus_.status(
              page_read(client, kEnable).set<layout::register_request::data>(random_.bits64())),
          Status::kOk);
      ASSERT_EQ(block_->irq_o >> client & 1, of_client(causes & enables, client) != 0);
    }
  }
}

}  // namespace
}  // namespace torusmu::testing

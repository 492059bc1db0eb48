// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>

#include "Vmu_counters.h"
#include "tests/support/clocked.h"
#include "tests/support/counter_operation.h"
#include "tests/support/register_bus.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

using namespace registers;  // NOLINT(google-build-using-namespace)

constexpr unsigned kCounters = 64;
constexpr std::uint64_t kHitZero = 1ULL << 63;
constexpr std::uint64_t kUnderflow = 1ULL << 62;
constexpr unsigned kEnabled = 0x10;
constexpr unsigned kInterrupt = 0x20;

std::uint32_t bytes_of(unsigned index) { return client_page::byte_counter.in_block(index); }
std::uint32_t events_of(unsigned index) { return client_page::event_counter.in_block(index); }

class Counters : public ::testing::Test {
 protected:
  void own_byte_counter(unsigned index, unsigned owner, unsigned flags = kEnabled) {
    ASSERT_EQ(bus_.status(register_write(byte_counter_config::config(index), flags | owner)),
              Status::kOk);
  }
  void own_event_counter(unsigned index, unsigned owner, unsigned flags = kEnabled) {
    ASSERT_EQ(bus_.status(register_write(event_counter_config::config(index), flags | owner)),
              Status::kOk);
  }

  Random random_;
  Clocked<Vmu_counters> counters_{random_.seed()};
  RegisterBus<Vmu_counters> bus_{counters_};
};

TEST_F(Counters, ReachEachClientsOwnCountersThroughItsPage) {
  for (unsigned client = 0; client < 4; ++client) {
    const unsigned index = client * 21;
    own_byte_counter(index, client);
    own_event_counter(index, client);
    ASSERT_EQ(bus_.status(page_write(client, bytes_of(index), 1000 + client)), Status::kOk);
    ASSERT_EQ(bus_.status(page_write(client, events_of(index), 2000 + client, 4)), Status::kOk);
  }
  for (unsigned client = 0; client < 4; ++client) {
    const unsigned index = client * 21;
    EXPECT_EQ(bus_.read(page_read(client, bytes_of(index))), 1000U + client);
    const std::uint64_t value = 2000 + client;
    EXPECT_EQ(bus_.read(page_read(client, events_of(index))), value | value << 32)
        << "a 4-byte register stands in both halves";
  }
}

TEST_F(Counters, RefuseCountersOfOthersAndDisabledOnes) {
  own_byte_counter(1, 2);
  own_event_counter(1, 2);
  ASSERT_EQ(bus_.status(page_write(2, bytes_of(1), 77)), Status::kOk);
  ASSERT_EQ(bus_.status(page_write(2, events_of(1), 78, 4)), Status::kOk);
  EXPECT_EQ(bus_.status(page_write(1, bytes_of(1), 5)), Status::kCounterInvalid);
  EXPECT_EQ(bus_.status(page_read(1, bytes_of(1))), Status::kCounterInvalid);
  EXPECT_EQ(bus_.status(page_write(1, events_of(1), 5, 4)), Status::kCounterInvalid);
  EXPECT_EQ(bus_.status(page_read(1, events_of(1))), Status::kCounterInvalid);
  EXPECT_EQ(bus_.status(page_read(0, bytes_of(0))), Status::kCounterInvalid) << "never enabled";
  own_byte_counter(1, 2, 0);
  EXPECT_EQ(bus_.status(page_read(2, bytes_of(1))), Status::kCounterInvalid);
  own_byte_counter(1, 2);
  EXPECT_EQ(bus_.read(page_read(2, bytes_of(1))), 77U) << "nothing was changed";
  EXPECT_EQ(bus_.read(page_read(2, events_of(1))) & 0xffffffffU, 78U);
}

TEST_F(Counters, RefuseToWriteAnEventCounterThatIsWaitedFor) {
  own_byte_counter(9, 1);
  own_event_counter(9, 1);
  counters_->waited_i = 1;
  bus_.present(page_write(1, events_of(9), 5, 4));
  counters_.settle();
  EXPECT_EQ(counters_->waited_index_o, 9U);
  while (!bus_.tick()) {
  }
  EXPECT_EQ(bus_.answer().status, Status::kCounterWaited);
  EXPECT_EQ(bus_.status(page_write(1, bytes_of(9), 5)), Status::kOk) << "nobody waits for bytes";
  EXPECT_EQ(bus_.read(page_read(1, events_of(9))), 0U);
  own_event_counter(9, 2);
  EXPECT_EQ(bus_.status(page_write(1, events_of(9), 5, 4)), Status::kCounterInvalid)
      << "whether a counter of another client is waited for is not told";
  counters_->waited_i = 0;
  EXPECT_EQ(bus_.status(page_write(2, events_of(9), 5, 4)), Status::kOk);
}

TEST_F(Counters, RefuseWhatIsNotARegisterOrNotWhole) {
  own_byte_counter(0, 1);
  own_event_counter(0, 1);
  EXPECT_EQ(bus_.status(page_write(1, bytes_of(0), 5, 4)), Status::kRegisterPartial);
  EXPECT_EQ(bus_.status(page_write(1, bytes_of(0) + 4, 5, 4)), Status::kRegisterPartial);
  EXPECT_EQ(bus_.status(page_write(1, events_of(0), 5)), Status::kRegisterPartial);
  EXPECT_EQ(bus_.status(page_write(1, bytes_of(0), 1ULL << 38)), Status::kRegisterValue);
  EXPECT_EQ(bus_.status(page_write(1, bytes_of(0), kHitZero)), Status::kRegisterValue);
  EXPECT_EQ(bus_.status(page_read(1, bytes_of(kCounters))), Status::kRegisterUnknown);
  EXPECT_EQ(bus_.status(page_read(1, bytes_of(255))), Status::kRegisterUnknown);
  EXPECT_EQ(bus_.status(page_write(1, events_of(kCounters), 1, 4)), Status::kRegisterUnknown);
  EXPECT_EQ(bus_.status(page_write(1, events_of(kCounters), 1)), Status::kRegisterUnknown);
  EXPECT_EQ(bus_.read(page_read(1, bytes_of(0))), 0U);
  EXPECT_EQ(bus_.read(page_read(1, events_of(0))), 0U);
}

TEST_F(Counters, RefuseBadConfigurations) {
  const std::uint32_t byte_config = byte_counter_config::config(3);
  const std::uint32_t event_config = event_counter_config::config(3);
  own_byte_counter(3, 1, kEnabled | kInterrupt);
  own_event_counter(3, 1);
  EXPECT_EQ(bus_.status(register_write(byte_config, kEnabled | 4)), Status::kRegisterValue);
  EXPECT_EQ(bus_.status(register_write(byte_config, 0x40)), Status::kRegisterValue);
  EXPECT_EQ(bus_.status(register_write(byte_config, 1ULL << 63)), Status::kRegisterValue);
  EXPECT_EQ(bus_.status(register_write(event_config, kInterrupt)), Status::kRegisterValue)
      << "event counters have no interrupt bit";
  EXPECT_EQ(bus_.status(register_write(byte_config, 0, 4)), Status::kRegisterPartial);
  EXPECT_EQ(bus_.status(register_write(event_config, 0, 4)), Status::kRegisterPartial);
  EXPECT_EQ(bus_.status(register_write(byte_counter_config::config(kCounters), 0)),
            Status::kRegisterUnknown);
  EXPECT_EQ(bus_.status(register_read(byte_counter_config::config(255) + 8)),
            Status::kRegisterUnknown)
      << "past the larger profile, before the event counters";
  EXPECT_EQ(bus_.status(register_read(event_counter_config::config(kCounters))),
            Status::kRegisterUnknown);
  EXPECT_EQ(bus_.read(register_read(byte_config)), kEnabled | kInterrupt | 1U);
  EXPECT_EQ(bus_.read(register_read(event_config + 4)), kEnabled | 1U);
}

TEST_F(Counters, CountDownToTheStickyBitsOfTheRegister) {
  own_byte_counter(9, 2, kEnabled | kInterrupt);
  ASSERT_EQ(bus_.status(page_write(2, bytes_of(9), 100)), Status::kOk);
  apply(counters_, subtract(9, 100, 2));
  counters_.tick();
  EXPECT_EQ(counters_->causes_o, 1U << (2 * 8 + 1));
  EXPECT_EQ(bus_.read(page_read(2, bytes_of(9))), kHitZero);
  apply(counters_, subtract(9, 1, 2), false);
  EXPECT_EQ(bus_.read(page_read(2, bytes_of(9))), kHitZero | kUnderflow);
  ASSERT_EQ(bus_.status(page_write(2, bytes_of(9), 3)), Status::kOk);
  EXPECT_EQ(bus_.read(page_read(2, bytes_of(9))), 3U);
}

TEST_F(Counters, InterruptOnlyForTheCounterConfiguredSo) {
  own_byte_counter(9, 2);
  own_byte_counter(10, 2, kEnabled | kInterrupt);
  ASSERT_EQ(bus_.status(page_write(2, bytes_of(9), 100)), Status::kOk);
  apply(counters_, subtract(9, 100, 2));
  counters_.tick();
  EXPECT_EQ(counters_->causes_o, 0U);
}

TEST_F(Counters, TakeAByteAndAnEventOperationInOneCycle) {
  own_byte_counter(0, 0);
  own_event_counter(0, 0);
  ASSERT_EQ(bus_.status(page_write(0, bytes_of(0), 100)), Status::kOk);
  drive(counters_->completion_operation_i, subtract(0, 10));
  drive(counters_->injection_operation_i, event(add(0, 1)));
  counters_->completion_valid_i = 1;
  counters_->injection_valid_i = 1;
  counters_.settle();
  EXPECT_TRUE(counters_->completion_ready_o);
  EXPECT_TRUE(counters_->injection_ready_o);
  counters_.tick();
  counters_->completion_valid_i = 0;
  counters_->injection_valid_i = 0;
  EXPECT_EQ(bus_.read(page_read(0, bytes_of(0))), 90U);
  EXPECT_EQ(bus_.read(page_read(0, events_of(0))) & 0xffffffffU, 1U);
}

TEST_F(Counters, LookUpOwnersForBothEngines) {
  own_byte_counter(5, 1);
  own_event_counter(5, 3);
  own_event_counter(6, 2, 0);
  counters_->lookup_0_index_i = 5;
  counters_->lookup_1_index_i = 5;
  counters_->lookup_1_is_event_i = 1;
  counters_->lookup_2_index_i = 6;
  counters_->lookup_2_is_event_i = 1;
  counters_->lookup_3_index_i = 200;
  counters_.settle();
  EXPECT_TRUE(counters_->lookup_0_enable_o);
  EXPECT_EQ(counters_->lookup_0_owner_o, 1U);
  EXPECT_TRUE(counters_->lookup_1_enable_o);
  EXPECT_EQ(counters_->lookup_1_owner_o, 3U);
  EXPECT_FALSE(counters_->lookup_2_enable_o);
  EXPECT_EQ(counters_->lookup_2_owner_o, 2U);
  EXPECT_FALSE(counters_->lookup_3_enable_o);
  counters_->lookup_2_index_i = 5;
  counters_->lookup_3_index_i = 5;
  counters_.settle();
  EXPECT_EQ(counters_->lookup_2_owner_o, 3U);
  EXPECT_EQ(counters_->lookup_3_owner_o, 1U);
}

TEST_F(Counters, AnswerRegistersInABoundUnderFullLoad) {
  own_event_counter(0, 0);
  drive(counters_->completion_operation_i, event(add(0, 1)));
  drive(counters_->injection_operation_i, event(add(0, 1)));
  counters_->completion_valid_i = 1;
  counters_->injection_valid_i = 1;
  for (int i = 0; i < 50; ++i) {
    const RegisterAnswer answer = bus_.access(page_read(0, events_of(0)));
    ASSERT_EQ(answer.status, Status::kOk);
    EXPECT_LE(answer.cycles, 7U);
  }
}

TEST_F(Counters, LoseNoOperationAndNoWriteWhenTheyRace) {
  // Bumps of 1 go on all the time; software writes multiples of a million. Of the bumps during a
  // write it is not known on which side of it they fall; all others must be in the value.
  SCOPED_TRACE(random_.replay());
  own_event_counter(7, 3);
  drive(counters_->completion_operation_i, event(add(7, 1)));
  drive(counters_->injection_operation_i, event(add(7, 1)));
  std::uint64_t bumps = 0;
  const auto tick = [&] {
    counters_->completion_valid_i = counters_->completion_valid_i || random_.chance(50);
    counters_->injection_valid_i = counters_->injection_valid_i || random_.chance(50);
    counters_.settle();
    const bool completion = counters_->completion_valid_i && counters_->completion_ready_o;
    const bool injection = counters_->injection_valid_i && counters_->injection_ready_o;
    bumps += (completion ? 1U : 0U) + (injection ? 1U : 0U);
    const bool done = bus_.tick();
    if (completion) counters_->completion_valid_i = 0;
    if (injection) counters_->injection_valid_i = 0;
    return done;
  };
  for (std::uint64_t round = 1; round < 2000; ++round) {
    const std::uint64_t written = round * 1'000'000;
    const std::uint64_t before = bumps;
    bus_.present(page_write(3, events_of(7), written, 4));
    while (!tick()) {
    }
    ASSERT_EQ(bus_.answer().status, Status::kOk);
    const std::uint64_t after = bumps;
    for (std::uint64_t i = random_.below(20); i > 0; --i) tick();
    const std::uint64_t read_begins = bumps;
    bus_.present(page_read(3, events_of(7)));
    while (!tick()) {
    }
    const std::uint64_t value = bus_.answer().data & 0xffffffffU;
    ASSERT_GE(value, written + (read_begins - after)) << "round " << round;
    ASSERT_LE(value, written + (bumps - before)) << "round " << round;
  }
}

TEST_F(Counters, AreIdleWithoutInput) {
  EXPECT_FALSE(counters_->busy_o);
  apply(counters_, event(add(0, 1)));
  EXPECT_TRUE(counters_->busy_o);
  counters_.tick();
  EXPECT_FALSE(counters_->busy_o);
}

}  // namespace
}  // namespace torusmu::testing

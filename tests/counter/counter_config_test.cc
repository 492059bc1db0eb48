// SPDX-License-Identifier: Apache-2.0
// bgp:
// verilator: -GLOOKUPS=5

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "Vmu_counter_config.h"
#include "sim/machine/profile.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kCounters = kProfile.byte_counters;  // of each kind
constexpr unsigned kNumbers = 256;                      // that an index can have
constexpr unsigned kLookups = 5;

class CounterConfig : public ::testing::Test {
 protected:
  void write(bool is_event, unsigned index, unsigned entry) {
    address(is_event, index);
    config_->write_i = 1;
    config_->access_data_i = static_cast<std::uint8_t>(entry);
    config_.tick();
    config_->write_i = 0;
    config_.settle();
  }
  unsigned read(bool is_event, unsigned index) {
    address(is_event, index);
    config_.settle();
    return config_->access_data_o;
  }
  void address(bool is_event, unsigned index) {
    config_->access_is_event_i = is_event;
    config_->access_index_i = static_cast<std::uint8_t>(index);
  }

  Random random_;
  Clocked<Vmu_counter_config> config_{random_.seed()};
};

TEST_F(CounterConfig, OwnsNothingAfterReset) {
  for (unsigned index = 0; index < kNumbers; ++index) {
    for (const bool is_event : {false, true}) {
      config_->lookup_index_i = index * 0x0101010101ULL;
      config_->lookup_is_event_i = is_event ? 31 : 0;
      config_->interrupt_index_i = static_cast<std::uint8_t>(index);
      EXPECT_EQ(read(is_event, index), 0U);
      EXPECT_EQ(config_->lookup_enable_o, 0U);
      EXPECT_EQ(config_->lookup_owner_o, 0U);
      EXPECT_EQ(config_->interrupt_o, 0U);
    }
  }
}

TEST_F(CounterConfig, KeepsByteAndEventCountersApart) {
  write(false, kCounters - 1, 0x31);
  write(true, 0, 0x12);
  EXPECT_EQ(read(false, kCounters - 1), 0x31U);
  EXPECT_EQ(read(true, 0), 0x12U);
  EXPECT_EQ(read(true, kCounters - 1), 0U);
  EXPECT_EQ(read(false, 0), 0U);
}

TEST_F(CounterConfig, DropsWritesToCountersThatDoNotExist) {
  for (unsigned index = kCounters; index < kNumbers; ++index) {
    write(false, index, 0x11);
    write(true, index, 0x11);
  }
  for (unsigned index = 0; index < kCounters; ++index) {
    EXPECT_EQ(read(false, index), 0U);
    EXPECT_EQ(read(true, index), 0U);
  }
}

TEST_F(CounterConfig, AnswersEveryLookupByItself) {
  SCOPED_TRACE(random_.replay());
  std::array<std::array<unsigned, kCounters>, 2> model{};
  for (int i = 0; i < 5000; ++i) {
    const bool is_event = random_.chance(50);
    const auto index = static_cast<unsigned>(random_.below(kCounters));
    const unsigned interrupt = is_event ? 0 : static_cast<unsigned>(random_.below(2));
    const auto entry =
        static_cast<unsigned>(random_.below(kProfile.clients) | random_.below(2) << 4) | interrupt
                                                                                             << 5;
    write(is_event, index, entry);
    model[is_event ? 1 : 0][index] = entry;
    if (random_.chance(50)) config_.tick();
    std::uint64_t indices = 0;
    std::array<unsigned, kLookups> expected{};
    unsigned kinds = 0;
    for (unsigned n = 0; n < kLookups; ++n) {
      const auto asked = static_cast<unsigned>(random_.below(std::min(kCounters + 8, kNumbers)));
      const auto kind = static_cast<unsigned>(random_.below(2));
      indices |= std::uint64_t{asked} << (8 * n);
      kinds |= kind << n;
      expected[n] = asked < kCounters ? model[kind][asked] : 0;
    }
    const auto asked = static_cast<unsigned>(random_.below(std::min(kCounters + 8, kNumbers)));
    config_->lookup_index_i = indices;
    config_->lookup_is_event_i = static_cast<std::uint8_t>(kinds);
    config_->interrupt_index_i = static_cast<std::uint8_t>(asked);
    config_.settle();
    for (unsigned n = 0; n < kLookups; ++n) {
      ASSERT_EQ(config_->lookup_enable_o >> n & 1U, expected[n] >> 4 & 1U);
      ASSERT_EQ(config_->lookup_owner_o >> (4 * n) & 15U, expected[n] & 15U);
    }
    ASSERT_EQ(config_->interrupt_o, asked < kCounters ? model[0][asked] >> 5 : 0U);
  }
}

TEST_F(CounterConfig, HasNoCountersAboveTheLast) {
  for (unsigned index = 0; index < kCounters; ++index) {
    write(false, index, 0x30);
    write(true, index, 0x10);
  }
  for (unsigned index = kCounters; index < kNumbers; ++index) {
    for (const bool is_event : {false, true}) {
      config_->lookup_index_i = index * 0x0101010101ULL;
      config_->lookup_is_event_i = is_event ? 31 : 0;
      config_->interrupt_index_i = static_cast<std::uint8_t>(index);
      ASSERT_EQ(read(is_event, index), 0U) << index;
      ASSERT_EQ(config_->lookup_enable_o, 0U) << index;
      ASSERT_EQ(config_->interrupt_o, 0U) << index;
      write(is_event, index, is_event ? 0x11 : 0x21);
      config_->write_i = 0;
      ASSERT_EQ(read(is_event, index % kCounters), is_event ? 0x10U : 0x30U) << index;
    }
  }
}

TEST_F(CounterConfig, ReadsOnlyTheEntryThatWasWritten) {
  SCOPED_TRACE(random_.replay());
  // What reset leaves in the others is random, so that one that counts as written shows.
  for (unsigned entry = 0; entry < 2 * kCounters; ++entry) {
    config_.reset(1);
    write(entry >= kCounters, entry % kCounters, entry >= kCounters ? 0x13 : 0x33);
    for (unsigned other = 0; other < 2 * kCounters; ++other) {
      const unsigned expected = other != entry ? 0 : entry >= kCounters ? 0x13 : 0x33;
      ASSERT_EQ(read(other >= kCounters, other % kCounters), expected) << entry << " " << other;
    }
    for (unsigned index = 0; index < kCounters; ++index) {
      config_->interrupt_index_i = static_cast<std::uint8_t>(index);
      config_.settle();
      ASSERT_EQ(config_->interrupt_o, index == entry) << index;
    }
  }
}

TEST_F(CounterConfig, WritesNothingUnasked) {
  write(true, 5, 0x12);
  for (unsigned entry = 0; entry < 2 * kCounters; ++entry) {
    address(entry >= kCounters, entry % kCounters);
    config_->access_data_i = 0x11;
    config_.tick();
  }
  for (unsigned index = 0; index < kCounters; ++index) {
    EXPECT_EQ(read(false, index), 0U);
    EXPECT_EQ(read(true, index), index == 5 ? 0x12U : 0U);
  }
}

}  // namespace
}  // namespace torusmu::testing

// SPDX-License-Identifier: Apache-2.0
// verilator: -GCOUNT=2 -GWIDTH=5
// model: Vmu_pulse_counters_wrapping mu_pulse_counters -GCOUNT=2 -GWIDTH=5 -GSTOPS=0

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "Vmu_pulse_counters.h"
#include "Vmu_pulse_counters_wrapping.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"

namespace torusmu::testing {
namespace {

constexpr unsigned kCounters = 2;
constexpr unsigned kTop = 31;

template <typename Model>
unsigned count(Clocked<Model>& counters, unsigned which) {
  return counters->counts_o >> (5 * which) & kTop;
}

// `pulses` at counter `which` in one cycle, none at the other.
template <typename Model>
void pulse(Clocked<Model>& counters, unsigned which, unsigned pulses) {
  counters->pulses_i = static_cast<std::uint8_t>(pulses << (2 * which));
  counters.tick();
  counters->pulses_i = 0;
}

template <typename Model>
void pulse_often(Clocked<Model>& counters, unsigned which, unsigned number) {
  for (unsigned i = 0; i < number; ++i) pulse(counters, which, 1);
}

TEST(PulseCounters, CountEachOfTwoPulsesOfACycle) {
  Clocked<Vmu_pulse_counters> counters;
  for (unsigned which = 0; which < kCounters; ++which) {
    EXPECT_EQ(count(counters, which), 0U);
    pulse(counters, which, 1);
    EXPECT_EQ(count(counters, which), 1U);
    pulse(counters, which, 2);
    EXPECT_EQ(count(counters, which), 2U);
    pulse(counters, which, 3);
    EXPECT_EQ(count(counters, which), 4U);
  }
}

TEST(PulseCounters, StayAsTheyAreWithoutAPulse) {
  Clocked<Vmu_pulse_counters> counters;
  pulse_often(counters, 0, 21);
  pulse_often(counters, 1, 10);
  for (int cycle = 0; cycle < 10; ++cycle) counters.tick();
  EXPECT_EQ(count(counters, 0), 21U);
  EXPECT_EQ(count(counters, 1), 10U);
}

TEST(PulseCounters, StopAtTheLargestNumber) {
  for (const unsigned pulses : {1U, 2U, 3U}) {
    for (unsigned which = 0; which < kCounters; ++which) {
      Clocked<Vmu_pulse_counters> counters;
      pulse_often(counters, which, kTop - 1);
      pulse(counters, which, pulses);
      EXPECT_EQ(count(counters, which), kTop) << pulses;
      pulse(counters, which, pulses);
      EXPECT_EQ(count(counters, which), kTop) << pulses;
      EXPECT_EQ(count(counters, 1 - which), 0U) << pulses;
    }
  }
}

TEST(PulseCounters, GoOnWithZeroIfTheyDoNotStop) {
  for (const unsigned pulses : {1U, 2U, 3U}) {
    for (unsigned which = 0; which < kCounters; ++which) {
      Clocked<Vmu_pulse_counters_wrapping> counters;
      pulse_often(counters, which, kTop);
      pulse(counters, which, pulses);
      EXPECT_EQ(count(counters, which), std::popcount(pulses) - 1U) << pulses;
      EXPECT_EQ(count(counters, 1 - which), 0U) << pulses;
    }
  }
}

TEST(PulseCounters, CountWhateverComesSinceReset) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Vmu_pulse_counters> stopping(random.seed());
  Clocked<Vmu_pulse_counters_wrapping> wrapping(random.seed());
  for (int round = 0; round < 50; ++round) {
    stopping.reset();
    wrapping.reset();
    std::array<unsigned, kCounters> pulses{};
    for (int cycle = 0; cycle < 60; ++cycle) {
      const auto now = static_cast<std::uint8_t>(random.below(16));
      stopping->pulses_i = wrapping->pulses_i = now;
      stopping.tick();
      wrapping.tick();
      for (unsigned which = 0; which < kCounters; ++which) {
        pulses[which] += std::popcount(now >> (2 * which) & 3U);
        ASSERT_EQ(count(stopping, which), std::min(pulses[which], kTop)) << "cycle " << cycle;
        ASSERT_EQ(count(wrapping, which), pulses[which] % (kTop + 1)) << "cycle " << cycle;
      }
    }
  }
}

}  // namespace
}  // namespace torusmu::testing

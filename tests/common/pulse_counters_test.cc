// SPDX-License-Identifier: Apache-2.0
// verilator: -GCOUNT=2 -GWIDTH=5
// model: Vmu_pulse_counters_wrapping mu_pulse_counters -GCOUNT=2 -GWIDTH=5 -GSTOPS=0
// model: Vmu_pulse_counters_node mu_pulse_counters -GCOUNT=3 -GWIDTH=32 -GSTOPS=1
// model: Vmu_pulse_counters_clients mu_pulse_counters -GCOUNT=4 -GWIDTH=32 -GSTOPS=0
// model: Vmu_pulse_counters_clients_bgp mu_pulse_counters -GCOUNT=16 -GWIDTH=32 -GSTOPS=0

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "Vmu_pulse_counters.h"
#include "Vmu_pulse_counters_clients.h"
#include "Vmu_pulse_counters_clients/Vmu_pulse_counters_clients___024root.h"
#include "Vmu_pulse_counters_clients_bgp.h"
#include "Vmu_pulse_counters_clients_bgp/Vmu_pulse_counters_clients_bgp___024root.h"
#include "Vmu_pulse_counters_node.h"
#include "Vmu_pulse_counters_node/Vmu_pulse_counters_node___024root.h"
#include "Vmu_pulse_counters_wrapping.h"
#include "tests/support/clocked.h"
#include "tests/support/seed.h"
#include "tests/support/written_inside.h"

TORUSMU_WRITTEN_INSIDE(Vmu_pulse_counters_node)
TORUSMU_WRITTEN_INSIDE(Vmu_pulse_counters_clients)
TORUSMU_WRITTEN_INSIDE(Vmu_pulse_counters_clients_bgp)

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

// Counters of 32 bits begin anywhere, often just below a power of two.
template <typename Model>
void count_from_anywhere(unsigned number, bool stops) {
  Random random;
  SCOPED_TRACE(random.replay());
  Clocked<Model> counters(random.seed());
  using Pulses = std::remove_reference_t<decltype(counters->pulses_i)>;
  auto& inside = counters->rootp->mu_pulse_counters__DOT__count_q;
  for (int round = 0; round < 400; ++round) {
    std::vector<std::uint64_t> counts(number);
    for (unsigned i = 0; i < number; ++i) {
      counts[i] = (std::uint64_t{1} << random.below(33)) - random.below(3);
      counts[i] = std::min<std::uint64_t>(counts[i], 0xffff'ffff);
      inside[i] = static_cast<std::uint32_t>(counts[i]);
    }
    settle_inside(counters->rootp);
    for (int cycle = 0; cycle < 5; ++cycle) {
      const auto pulses = random.chance(50)
                              ? std::uint32_t{1} << random.below(2 * number)
                              : static_cast<std::uint32_t>(random.bits64() & random.bits64());
      counters->pulses_i = static_cast<Pulses>(pulses & ((std::uint64_t{1} << 2 * number) - 1));
      counters.tick();
      for (unsigned i = 0; i < number; ++i) {
        counts[i] += static_cast<unsigned>(std::popcount(pulses >> (2 * i) & 3U));
        if (counts[i] > 0xffff'ffff) counts[i] = stops ? 0xffff'ffff : counts[i] & 0xffff'ffff;
        ASSERT_EQ(counters->counts_o[i], counts[i]) << "counter " << i << ", round " << round;
      }
    }
  }
}

TEST(PulseCounters, CountOnFromAnyNumberAtTheSizesOfTheNode) {
  count_from_anywhere<Vmu_pulse_counters_node>(3, true);
  count_from_anywhere<Vmu_pulse_counters_clients>(4, false);
  count_from_anywhere<Vmu_pulse_counters_clients_bgp>(16, false);
}

}  // namespace
}  // namespace torusmu::testing

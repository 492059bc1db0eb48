// SPDX-License-Identifier: Apache-2.0

#include "tests/support/seed.h"

#include <gtest/gtest.h>
#include <verilated.h>

#include <charconv>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace torusmu::testing {
namespace {

// Verilator 5.006 makes a model without a context of its own in the thread's current one, which may
// be that of an earlier test's model and gone by now: each test begins with the default context.
class FreshContext : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo& /*info*/) override {
    Verilated::threadContextp(Verilated::defaultContextp());
  }
};
const bool kFreshContext = [] {
  auto listener = std::make_unique<FreshContext>();
  ::testing::UnitTest::GetInstance()->listeners().Append(listener.release());
  return true;
}();

}  // namespace

std::uint64_t seed_or(std::uint64_t otherwise) {
  const char* text = std::getenv("TORUSMU_SEED");
  if (text == nullptr || *text == '\0') return otherwise;
  // Decimal, whatever zeros it begins with, as --seed is.
  std::uint64_t seed = 0;
  const std::string_view digits = text;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seed);
  if (error != std::errc{} || end != digits.data() + digits.size()) {
    throw std::invalid_argument("TORUSMU_SEED is " + std::string(digits) +
                                ": must be 0 to 18446744073709551615");
  }
  return seed;
}

Random::Random(std::uint64_t default_seed) : seed_(seed_or(default_seed)), engine_(seed_) {}

std::string Random::replay() const {
  const std::string seed = std::to_string(seed_);
  return "seed " + seed + ": repeat with TORUSMU_SEED=" + seed;
}

std::uint64_t Random::below(std::uint64_t bound) {
  return std::uniform_int_distribution<std::uint64_t>(0, bound - 1)(engine_);
}

}  // namespace torusmu::testing

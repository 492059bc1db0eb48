// SPDX-License-Identifier: Apache-2.0
// The seed that a random test takes from the environment.
#include "tests/support/seed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

namespace torusmu::testing {
namespace {

class Seed : public ::testing::Test {
 protected:
  Seed() {
    if (const char* const before = std::getenv(kName)) before_ = before;
  }
  ~Seed() override {
    if (before_) {
      setenv(kName, before_->c_str(), 1);
    } else {
      unsetenv(kName);
    }
  }
  static constexpr const char* kName = "TORUSMU_SEED";
  std::optional<std::string> before_;
};

TEST_F(Seed, OfTheEnvironmentIsDecimalWhateverZerosItBeginsWith) {
  for (const char* text : {"10", "010", "0010"}) {
    setenv(kName, text, 1);
    EXPECT_EQ(seed_or(7), 10U) << text;
  }
}

TEST_F(Seed, IsThatOfTheTestWithoutOneInTheEnvironment) {
  unsetenv(kName);
  EXPECT_EQ(seed_or(7), 7U);
}

TEST_F(Seed, ThatIsNoNumberIsRefused) {
  for (const char* text : {"0x10", "-1", "7 ", "seven", "18446744073709551616"}) {
    setenv(kName, text, 1);
    EXPECT_THROW(seed_or(7), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace torusmu::testing

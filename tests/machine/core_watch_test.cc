// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/core_watch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/machine/profile.h"

namespace torusmu::testing {
namespace {

namespace r = registers::touch_range;
namespace field = registers::touch_range::config_field;

class CoreWatchTest : public ::testing::Test {
 protected:
  void write(std::uint32_t address, std::uint64_t data, bool wide = true) {
    watch_.note({.address = address, .data = data, .write = true, .wide = wide});
  }
  static std::uint64_t config(bool on_read, bool on_write, bool enable = true) {
    return insert(insert(insert(0, field::enable, enable), field::on_core_read, on_read),
                  field::on_core_write, on_write);
  }
  void mark(std::uint32_t number, Address base, Bytes length, std::uint64_t config) {
    write(r::base(number), base);
    write(r::length(number), length);
    write(r::config(number), config);
  }
  // What is told of an access: its pieces.
  std::string see(Address address, Bytes bytes, bool write) {
    namespace report = registers::core_access::report_field;
    std::string told;
    watch_.see(address, bytes, write, [&](const RegisterAccess& access) {
      EXPECT_TRUE(access.write && access.wide);
      EXPECT_EQ(access.address, registers::core_access::report());
      EXPECT_EQ(extract(access.data, report::write), write ? 1U : 0U);
      told += std::to_string(extract(access.data, report::address)) + "+" +
              std::to_string(extract(access.data, report::bytes)) + " ";
    });
    return told;
  }

  CoreWatch watch_{kProfile};
};

TEST_F(CoreWatchTest, TellsOfNothingWhereNoRangeWatchesCores) {
  EXPECT_EQ(see(0, 4096, true), "");
  mark(0, 0, 4096, insert(insert(0, field::enable, 1), field::on_write, 1));
  EXPECT_EQ(see(0, 4096, true), "") << "it watches the MU";
}

TEST_F(CoreWatchTest, TellsOfWhatARangeWatches) {
  mark(1, 1000, 8, config(false, true));
  EXPECT_EQ(see(1000, 8, true), "1000+8 ");
  EXPECT_EQ(see(992, 9, true), "992+9 ");
  EXPECT_EQ(see(992, 8, true), "");
  EXPECT_EQ(see(1008, 8, true), "");
  EXPECT_EQ(see(1000, 8, false), "");
  mark(1, 1000, 8, config(true, false));
  EXPECT_EQ(see(1000, 8, true), "");
  EXPECT_EQ(see(1000, 8, false), "1000+8 ");
}

TEST_F(CoreWatchTest, TellsOfALongAccessInPieces) {
  mark(0, 600, 500, config(true, true));
  EXPECT_EQ(see(0, 2000, true), "512+512 1024+512 ");
  EXPECT_EQ(see(700, 600, false), "700+512 ");
  EXPECT_EQ(see(1000, 700, false), "1000+512 ");
}

TEST_F(CoreWatchTest, ForgetsARangeThatIsSwitchedOff) {
  mark(0, 0, 64, config(true, true));
  EXPECT_NE(see(0, 1, true), "");
  write(r::config(0), config(true, true, false));
  EXPECT_EQ(see(0, 1, true), "");
  write(r::config(0), config(true, true));
  write(r::length(0), 0);
  EXPECT_EQ(see(0, 1, true), "");
}

TEST_F(CoreWatchTest, TakesNothingThatTheNodeRefuses) {
  mark(0, 0, 64, config(true, true));
  write(r::base(0), std::uint64_t{1} << 40);
  write(r::length(0), (std::uint64_t{1} << 40) + 1);
  write(r::config(0), config(false, false) | 8);
  write(r::config(0), insert(config(false, false), field::owner, kProfile.clients));
  write(r::length(0), 0, false);
  watch_.note({.address = r::length(0), .data = 0, .write = false, .wide = true});
  write(r::config(kProfile.touch_ranges - 1) + r::kStride, config(true, true));
  EXPECT_EQ(see(0, 1, true), "0+1 ");
}

}  // namespace
}  // namespace torusmu::testing

// SPDX-License-Identifier: Apache-2.0
// The bytes that a replay makes up.
#include "sim/play/replay/made_up.h"

#include <gtest/gtest.h>

#include <set>

namespace torusmu::replay {
namespace {

// Small numbers that are one another's sums, differences and XORs are what programs use.
TEST(MadeUp, DiffersBetweenAllMessages) {
  std::set<std::vector<std::byte>> seen;
  std::size_t names = 0;
  for (std::uint32_t from = 0; from < 12; ++from) {
    for (std::uint32_t to = 0; to < 12; ++to) {
      for (Tag tag = 0; tag < 12; ++tag) {
        for (std::uint64_t number = 0; number < 12; ++number, ++names) {
          seen.insert(made_up(name_of_message(from, to, tag, number), 17));
        }
      }
      seen.insert(made_up(name_of_piece(from, to, names), 17));
      ++names;
    }
  }
  EXPECT_EQ(seen.size(), names);
}

TEST(MadeUp, DiffersInOneByteBetweenNeighboursOfARoute) {
  std::set<std::vector<std::byte>> seen;
  for (std::uint64_t number = 0; number < 256; ++number) {
    seen.insert(made_up(name_of_message(3, 4, 9, number), 1));
  }
  EXPECT_EQ(seen.size(), 256U);
}

TEST(MadeUp, DiffersInNineBytesBetweenMessagesOfAPair) {
  std::set<std::vector<std::byte>> seen;
  for (Tag tag = 0; tag < 200; ++tag) {
    for (std::uint64_t number = 0; number < 200; ++number) {
      seen.insert(made_up(name_of_message(3, 4, tag, number), 9));
    }
  }
  EXPECT_EQ(seen.size(), 40'000U);
}

TEST(MadeUp, IsTheBeginningOfWhatIsLonger) {
  const auto longer = made_up(name_of_message(1, 2, 3, 4), 100);
  for (const Bytes bytes : {0, 1, 8, 9, 10, 17, 64}) {
    const auto shorter = made_up(name_of_message(1, 2, 3, 4), bytes);
    EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), longer.begin())) << bytes;
  }
}

}  // namespace
}  // namespace torusmu::replay

// SPDX-License-Identifier: Apache-2.0
// What rtl/package/*.def lists and a user may meet occurs in a scenario: every opcode, descriptor
// flag, queue mode and status. The scenarios are played, and what their cores post and read is
// looked at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "sim/play/scenario/scenarios.h"
#include "tb/reference_model/stage.h"
#include "tests/support/play_watch.h"

namespace torusmu::testing {
namespace {

// The values of an enum of enums.def, by number.
std::map<std::uint64_t, std::string> values_of(const std::string& type) {
  struct Value {
    std::string type, name;
    std::uint64_t value;
  };
  const std::vector<Value> values{
#define ENUM(name, width, meaning)
#define VALUE(type, name, value, meaning) {#type, #name, value},
#include "rtl/package/enums.def"
#undef ENUM
#undef VALUE
  };
  std::map<std::uint64_t, std::string> found;
  for (const Value& value : values) {
    if (value.type == type) found[value.value] = value.name;
  }
  return found;
}

class AllOccurs : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    for (const Scenario& scenario : scenarios()) {
      model::ReferenceStage stage({.shape = {2, 2, 2}, .seed = 3});
      WatchedStage watched(stage, seen());
      stage.machine().watch_packets([](const model::Packet& packet) {
        see_packet(packet.header, seen());
        return model::Fate::kArrives;
      });
      scenario.play(watched);
      EXPECT_EQ(stage.failures(), "") << scenario.name;
    }
  }
  static PlaySeen& seen() {
    static PlaySeen all;
    return all;
  }
  // The names of what does not occur.
  template <typename Occurs>
  static std::vector<std::string> missing(const std::string& type, const Occurs& occurs) {
    std::vector<std::string> names;
    for (const auto& [value, name] : values_of(type)) {
      if (!occurs(value)) names.push_back(name);
    }
    return names;
  }
};

TEST_F(AllOccurs, EveryOpcode) {
  EXPECT_THAT(missing("opcode", [](std::uint64_t value) { return seen().opcodes[value] > 0; }),
              ::testing::IsEmpty());
}

TEST_F(AllOccurs, EveryFlagOfADescriptor) {
  std::vector<std::string> names;
  for (const Flag& flag : descriptor_flags()) {
    if (seen().flags[flag.name] <= 0) names.push_back(flag.name);
  }
  EXPECT_THAT(names, ::testing::IsEmpty());
}

TEST_F(AllOccurs, EveryModeOfAQueue) {
  EXPECT_THAT(
      missing("queue_mode", [](std::uint64_t value) { return seen().modes.contains(value); }),
      ::testing::IsEmpty());
}

// What is left to tests, with the reason.
const std::map<std::string, std::string> kTestsOnly{
    {"MEMORY_ERROR", "no memory of a machine fails, and a run in which one did has failed"},
    {"PACKET_KIND", "no messaging unit sends a packet that does not exist"},
    {"DELIVERY_UNKNOWN", "only where packets are lost, and no link of a machine loses any"},
};

TEST_F(AllOccurs, EveryStatusButThoseThatOnlyTestsCause) {
  std::vector<std::string> only_in_tests;
  for (const auto& [name, reason] : kTestsOnly) only_in_tests.push_back(name);
  EXPECT_THAT(
      missing("status", [](std::uint64_t value) { return seen().statuses.contains(value); }),
      ::testing::UnorderedElementsAreArray(only_in_tests));
}

}  // namespace
}  // namespace torusmu::testing

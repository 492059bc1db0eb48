// SPDX-License-Identifier: Apache-2.0
// The performance counters tell what went over which link: packets, flits and stalls of each class.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "sim/play/scenario/raw_node.h"
#include "tests/support/machine_player.h"

namespace torusmu::testing {
namespace {

namespace reg = registers;

constexpr Cycles kBound = 1'000'000;
constexpr Address kRing = 0x10000, kSource = 0x20000, kTarget = 0x60000, kNotices = 0xA0000;
constexpr Bytes kRegionBytes = 0x20000;
constexpr RegionId kSourceRegion{1}, kTargetRegion{2}, kNoRegion{9};
constexpr QueueId kQueue{8};
constexpr std::uint32_t kSlots = 8;
constexpr unsigned kPlus = 0, kMinus = 1, kLocal = 6;  // ports x+, x-, local
constexpr unsigned kRequest = 0, kReply = 1;

struct Count {
  std::uint32_t packets = 0, flits = 0, stalls = 0;
};
using NodeCounts = std::array<std::array<Count, 2>, 7>;  // by port and class

// Four nodes in a ring.
class PerformanceCounters : public ::testing::Test {
 protected:
  PerformanceCounters() : player_(config()) {
    player_.on_all_nodes([](Device& device) {
      RawNode node(device);
      node.open_region(kSourceRegion, kSource, kRegionBytes);
      node.open_region(kTargetRegion, kTarget, kRegionBytes);
      node.open_queue(kQueue, kRing, kSlots, QueueMode::kDoorbell);
      node.open_notices(kNotices, 4);
    });
    EXPECT_TRUE(player_.run(kBound)) << player_.failures;
  }
  static MachineConfig config() {
    MachineConfig config;
    config.engine.shape = {4, 1, 1};
    config.memory_size = Bytes{1} << 20;
    return config;
  }
  // Node `from` puts `bytes` to its target region, or to one that is not there.
  void put(std::uint32_t from, std::uint32_t to, Bytes bytes, RegionId region = kTargetRegion) {
    player_.add_core({from}, [=](Device& device) {
      RawNode node(device);
      node.write_descriptor(
          kRing, kSlots, 0,
          put_descriptor({to, 0, 0}, {kSourceRegion, 0, bytes}, region, 0, Arrival{}));
      node.ring_doorbell(kQueue, 1);
    });
  }
  std::vector<NodeCounts> counts() {
    EXPECT_TRUE(player_.run(kBound)) << player_.failures;
    std::vector<NodeCounts> all(4);
    for (std::uint32_t n = 0; n < all.size(); ++n) {
      player_.add_core({n}, [&own = all[n]](Device& device) {
        for (unsigned port = 0; port < 7; ++port) {
          for (unsigned kind = 0; kind < 2; ++kind) {
            const std::uint32_t index = 2 * port + kind;
            own[port][kind] = {device.read32(reg::performance::packets(0, index)),
                               device.read32(reg::performance::flits(0, index)),
                               device.read32(reg::performance::stalls(0, index))};
          }
        }
      });
    }
    EXPECT_TRUE(player_.run(kBound)) << player_.failures;
    return all;
  }
  // Only the counters named differ from zero.
  struct Place {
    std::uint32_t node;
    unsigned port, kind;
    std::uint32_t packets, flits;
  };
  void expect(const std::vector<Place>& places) {
    std::vector<NodeCounts> wanted(4);
    for (const Place& place : places) {
      wanted[place.node][place.port][place.kind] = {place.packets, place.flits, 0};
    }
    const std::vector<NodeCounts> found = counts();
    for (std::uint32_t n = 0; n < wanted.size(); ++n) {
      for (unsigned port = 0; port < 7; ++port) {
        for (unsigned kind = 0; kind < 2; ++kind) {
          const std::string where = "node " + std::to_string(n) + ", port " + std::to_string(port) +
                                    ", class " + std::to_string(kind);
          EXPECT_EQ(found[n][port][kind].packets, wanted[n][port][kind].packets) << where;
          EXPECT_EQ(found[n][port][kind].flits, wanted[n][port][kind].flits) << where;
        }
      }
    }
  }

  MachinePlayer player_;
};

TEST_F(PerformanceCounters, CountThePacketsAndFlitsOfAPutOnItsWayAlone) {
  put(0, 1, 1300);  // 34 + 34 + 20 flits
  expect({{0, kPlus, kRequest, 3, 88}, {1, kLocal, kRequest, 3, 88}});
}

TEST_F(PerformanceCounters, CountANoticeInTheClassOfReplies) {
  put(3, 2, 512, kNoRegion);
  expect({{3, kMinus, kRequest, 1, 34},
          {2, kLocal, kRequest, 1, 34},
          {2, kPlus, kReply, 1, 2},
          {3, kLocal, kReply, 1, 2}});
}

TEST_F(PerformanceCounters, CountALocalPutAtTheLocalPortAlone) {
  put(1, 1, 16);
  expect({{1, kLocal, kRequest, 1, 3}});
}

TEST_F(PerformanceCounters, CountStallsWhereTwoStreamsMeetAndNowhereElse) {
  put(0, 1, 64 << 10);
  put(2, 1, 64 << 10);
  const std::vector<NodeCounts> found = counts();
  EXPECT_EQ(found[1][kLocal][kRequest].packets, 256U);
  EXPECT_EQ(found[1][kLocal][kRequest].flits, 256U * 34);
  // One of the two waits nearly all the time.
  EXPECT_GT(found[1][kLocal][kRequest].stalls, 128U * 34);
  EXPECT_EQ(found[1][kLocal][kReply].stalls, 0U);
  EXPECT_EQ(found[3][kPlus][kRequest].stalls, 0U);
  // The streams wait for credits at their sources too.
  EXPECT_GT(found[0][kPlus][kRequest].stalls + found[2][kMinus][kRequest].stalls, 1000U);
}

}  // namespace
}  // namespace torusmu::testing

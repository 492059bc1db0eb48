// SPDX-License-Identifier: Apache-2.0
// FENCEs of the reference machine, in which packets are lost and come twice: each ends once, well
// if it may go out often enough, and with everything before it in memory that was not lost. What
// docs/fences.md promises, whatever the RTL does.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "sim/play/scenario/raw_node.h"
#include "tb/reference_model/machine.h"
#include "tests/support/fence_fixture.h"

namespace torusmu {
namespace {

namespace d = layout::descriptor;
namespace e = layout::completion_entry;
namespace h = layout::packet_header;

constexpr Shape kShape{.x = 4, .y = 3, .z = 1};
constexpr RegionId kSource{1}, kTarget{2};
constexpr QueueId kQueue{10};
constexpr CompletionQueueId kEnds{0};
constexpr std::uint32_t kFences = 16;  // of each node, each behind a PUT
constexpr std::uint32_t kSlots = 2 * kFences;
constexpr Bytes kPart = 64;  // of the target region, for each PUT of each node
constexpr Address kRing = 0x1000, kEndsRing = 0x4000, kSourceBase = 0x10000, kTargetBase = 0x40000;
constexpr Cycles kBound = 40'000'000;

struct Loss {
  unsigned percent = 0;
  std::uint32_t retries = 255;
};

class FencingMachine {
 public:
  FencingMachine(std::uint64_t seed, Loss loss)
      : random_(seed), machine_({.shape = kShape, .memory_size = Bytes{1} << 20, .seed = seed}) {
    machine_.watch_packets([this, loss](model::Packet& packet) {
      const bool is_put = packet.header.get<h::kind>() == Kind::kPut;
      const auto chance = random_.below(100);
      if (chance < loss.percent) {
        if (is_put) lost_.insert(place_of(packet));
        return model::Fate::kLost;
      }
      return chance < 2 * loss.percent && !is_put ? model::Fate::kArrivesTwice
                                                  : model::Fate::kArrives;
    });
    for (std::uint32_t n = 0; n < kShape.nodes(); ++n) {
      machine_.node({n}).memory().write(kSourceBase, pattern(n, kPart * kFences));
    }
    on_every_node([loss](Device& device) { set_up(device, loss.retries); });
    on_every_node([this](Device& device) { post(device); });
    EXPECT_TRUE(machine_.run(machine_.now() + kBound));
  }

  // How often a FENCE has ended with each status; each ends once, in its order.
  std::map<Status, unsigned> ends() {
    std::map<Status, unsigned> found;
    for (std::uint32_t n = 0; n < kShape.nodes(); ++n) {
      model::ReferenceNode& node = machine_.node({n});
      EXPECT_EQ(node.queue(kQueue.value).head, kSlots) << "node " << n;
      EXPECT_EQ(node.completion_queue(kEnds.value).tail, kFences) << "node " << n;
      for (std::uint32_t i = 0; i < kFences; ++i) {
        std::array<std::uint8_t, CompletionEntry::kBytes> bytes{};
        node.memory().read(kEndsRing + i * bytes.size(), std::as_writable_bytes(std::span(bytes)));
        const CompletionEntry entry = CompletionEntry::from_bytes(bytes);
        EXPECT_EQ(entry.get<e::index>(), 2 * i + 1) << "node " << n;
        ++found[entry.get<e::status>()];
      }
    }
    return found;
  }
  // Every PUT that was not lost.
  void expect_stored() {
    for (const auto& [place, source] : puts_) {
      if (lost_.contains(place)) continue;
      std::vector<std::byte> found(kPart), wanted(kPart);
      machine_.node({place.first}).memory().read(kTargetBase + place.second, found);
      machine_.node({source.first}).memory().read(kSourceBase + source.second, wanted);
      EXPECT_EQ(found, wanted) << "node " << place.first << " offset " << place.second;
    }
  }
  [[nodiscard]] std::size_t lost() const { return lost_.size(); }

 private:
  using Place = std::pair<std::uint32_t, Bytes>;  // node, offset

  static Place place_of(const model::Packet& packet) {
    const Coordinates to{static_cast<std::uint32_t>(packet.header.get<h::dst_x>()),
                         static_cast<std::uint32_t>(packet.header.get<h::dst_y>()),
                         static_cast<std::uint32_t>(packet.header.get<h::dst_z>())};
    return {kShape.node(to).value, packet.header.get<h::offset>()};
  }
  void on_every_node(const Core::Program& program) {
    for (std::uint32_t n = 0; n < kShape.nodes(); ++n) {
      machine_.add_core({n}, program, machine_.now());
    }
    EXPECT_TRUE(machine_.run(machine_.now() + kBound));
    EXPECT_EQ(machine_.problems(), "");
  }
  static void set_up(Device& device, std::uint32_t retries) {
    RawNode node(device);
    device.write64(registers::node::send_retries(), retries);
    node.open_region(kSource, kSourceBase, kPart * kFences, {.remote_write = false});
    node.open_region(kTarget, kTargetBase, kPart * kFences * kShape.nodes());
    node.open_completion_queue(kEnds, kEndsRing, kFences);
    node.connect(kQueue, {0, 0, 0}, kQueue, {.completion = static_cast<int>(kEnds.value)});
    node.open_queue(kQueue, kRing, kSlots, QueueMode::kDoorbell);
  }
  void post(Device& device) {
    RawNode node(device);
    const std::uint32_t own = device.node().value;
    for (std::uint32_t i = 0; i < kFences; ++i) {
      const NodeId to{static_cast<std::uint32_t>(random_.below(kShape.nodes()))};
      const Bytes offset = (own * kFences + i) * kPart;
      const Source from{kSource, i * kPart, kPart};
      puts_[{to.value, offset}] = {own, i * kPart};
      node.write_descriptor(kRing, kSlots, 2 * i,
                            put_descriptor(kShape.coordinates(to), from, kTarget, offset, {}));
      node.write_descriptor(
          kRing, kSlots, 2 * i + 1,
          testing::fence_of(kShape.coordinates(to), kTarget, 0).set<d::signal>(1));
    }
    node.ring_doorbell(kQueue, kSlots);
  }

  Rng random_;
  model::ReferenceMachine machine_;
  std::map<Place, Place> puts_;
  std::set<Place> lost_;
};

constexpr unsigned kAll = kFences * kShape.nodes();

TEST(Fences, AllEndWellIfNoPacketIsLost) {
  FencingMachine machine(1, {});
  EXPECT_EQ(machine.ends(), (std::map<Status, unsigned>{{Status::kOk, kAll}}));
  machine.expect_stored();
}

TEST(Fences, AllEndWellThoughPacketsAreLost) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    FencingMachine machine(seed, {.percent = 15});
    EXPECT_EQ(machine.ends(), (std::map<Status, unsigned>{{Status::kOk, kAll}}));
    machine.expect_stored();
    EXPECT_GT(machine.lost(), 0U);
  }
}

TEST(Fences, EndOnceIfTheyMayNotGoOutOftenEnough) {
  std::map<Status, unsigned> ends;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    FencingMachine machine(seed, {.percent = 30, .retries = 1});
    for (const auto& [status, count] : machine.ends()) ends[status] += count;
    machine.expect_stored();
  }
  EXPECT_EQ(ends.size(), 2U);
  EXPECT_GT(ends[Status::kOk], 0U);
  EXPECT_GT(ends[Status::kRetryExceeded], 0U);
}

}  // namespace
}  // namespace torusmu

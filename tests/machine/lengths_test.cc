// SPDX-License-Identifier: Apache-2.0
// Puts, gets and messages of the lengths at which packets, flits and beats begin and end, over
// rings of one slot, with event counters that wrap.
#include <gtest/gtest.h>

#include "sim/play/scenario/raw_node.h"
#include "tests/support/machine_player.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace reg = registers;

constexpr Cycles kBound = 3'000'000;
constexpr Address kRing = 0x10ff0, kGetRing = 0x20fc1, kRequests = 0x30001, kSource = 0x100007,
                  kTarget = 0x300003, kFifoRing = 0x600020;
constexpr Bytes kLongest = Bytes{1} << 20;
constexpr RegionId kSourceRegion{1}, kTargetRegion{2}, kRequestRegion{3};
constexpr QueueId kQueue{8}, kGetQueue{9};
constexpr FifoId kFifo{1};
constexpr CounterId kCounter{0};
constexpr EventId kArrived{0};
constexpr std::array<Bytes, 8> kLengths{1, 31, 32, 33, 511, 512, 513, kLongest};
constexpr std::uint32_t kFifoSlots = 1U << 16;

class Lengths : public ::testing::TestWithParam<Bytes> {
 protected:
  Lengths() : player_(config()) {
    player_.memory({0}).write(kSource, pattern(11, GetParam()));
    player_.memory({1}).write(kSource, pattern(12, GetParam()));
    player_.on_all_nodes([](Device& device) {
      RawNode node(device);
      node.open_region(kSourceRegion, kSource, kLongest,
                       {.remote_write = false, .remote_read = true});
      node.open_region(kTargetRegion, kTarget, kLongest);
      node.open_region(kRequestRegion, kRequests, 64, {.remote_write = false});
      node.open_queue(kQueue, kRing, 1, QueueMode::kDoorbell);
      node.open_queue(kGetQueue, kGetRing, 1, QueueMode::kRemoteGet);
      node.open_fifo(kFifo, kFifoRing, kFifoSlots, false);
      node.open_counter(kCounter, false);
      node.preload(kCounter, GetParam());
      node.open_event(kArrived);
      device.write32(reg::client_page::event_counter(0, kArrived.value), 0xffffffff);
      (void)node.causes();
    });
    EXPECT_TRUE(player_.run(kBound)) << player_.failures;
  }
  static MachineConfig config() {
    MachineConfig config;
    config.engine.shape = {2, 1, 1};
    config.memory_size = Bytes{16} << 20;
    return config;
  }
  // Node 0 posts it; both nodes come to rest.
  void post(const Descriptor& descriptor) {
    player_.add_core({0}, [&](Device& device) {
      RawNode node(device);
      node.write_descriptor(kRing, 1, posted_, descriptor);
      node.ring_doorbell(kQueue, ++posted_);
      while (node.queue_head(kQueue) != posted_) device.compute(100);
      EXPECT_EQ(node.queue_status(kQueue), Status::kOk);
    });
    EXPECT_TRUE(player_.run(kBound)) << player_.failures;
  }
  // All of it has come, counted once, and nothing before or after it.
  void expect_arrived(NodeId node, std::uint64_t stream) {
    std::vector<std::byte> found(GetParam() + 2);
    player_.memory(node).read(kTarget - 1, found);
    std::vector<std::byte> wanted = pattern(stream, GetParam());
    wanted.insert(wanted.begin(), std::byte{0});
    wanted.push_back(std::byte{0});
    EXPECT_TRUE(found == wanted) << GetParam() << " bytes";
    expect_counted(node);
  }
  void expect_counted(NodeId node) {
    player_.add_core(node, [](Device& device) {
      EXPECT_EQ(RawNode(device).read_counter(kCounter),
                insert(0, reg::client_page::byte_counter_field::hit_zero, 1));
      // Counted once, across the wrap of the counter.
      EXPECT_EQ(RawNode(device).read_event(kArrived), 0U);
      EXPECT_EQ(device.read64(reg::node::bad_packets()), 0U);
    });
    EXPECT_TRUE(player_.run(kBound)) << player_.failures;
  }
  static Arrival counted() { return {.counter = 0, .event = 0}; }

  MachinePlayer player_;
  std::uint32_t posted_ = 0;
};

TEST_P(Lengths, PutArrivesWhole) {
  post(put_descriptor({1, 0, 0}, {kSourceRegion, 0, GetParam()}, kTargetRegion, 0, counted()));
  expect_arrived({1}, 11);
}

TEST_P(Lengths, GetBringsItWhole) {
  const auto request =
      put_descriptor({0, 0, 0}, {kSourceRegion, 0, GetParam()}, kTargetRegion, 0, counted())
          .bytes();
  player_.memory({0}).write(kRequests, std::as_bytes(std::span(request)));
  post(get_descriptor({1, 0, 0}, kRequestRegion, 0, 1, kGetQueue));
  expect_arrived({0}, 12);
}

TEST_P(Lengths, MessageFillsTheFifoInOrder) {
  post(fifo_descriptor({1, 0, 0}, {kSourceRegion, 0, GetParam()}, kFifo, 5, counted()));
  const std::vector<std::byte> wanted = pattern(11, GetParam());
  Address at = kFifoRing;
  for (Bytes sent = 0; sent < GetParam(); sent += 512) {
    const Bytes bytes = std::min<Bytes>(512, GetParam() - sent);
    std::array<std::uint8_t, 16> raw{};
    player_.memory({1}).read(at, std::as_writable_bytes(std::span(raw)));
    const auto header = PacketHeader::from_bytes(raw);
    ASSERT_EQ(header.get<h::offset>(), sent);
    ASSERT_EQ(header.get<h::bytes>(), bytes);
    std::vector<std::byte> found(bytes);
    player_.memory({1}).read(at + 32, found);
    ASSERT_TRUE(
        std::equal(found.begin(), found.end(), wanted.begin() + static_cast<std::ptrdiff_t>(sent)));
    at += 32 + (bytes + 31) / 32 * 32;
  }
  expect_counted({1});
}

INSTANTIATE_TEST_SUITE_P(Each, Lengths, ::testing::ValuesIn(kLengths),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace torusmu::testing

// SPDX-License-Identifier: Apache-2.0
// What happens when somebody has no room: a process that stops draining its FIFO, gets into queues
// of one slot. Nobody else is held up, nothing is lost, nothing is left unfinished.
#include <gtest/gtest.h>

#include <bit>
#include <map>

#include "sim/play/scenario/raw_node.h"
#include "tests/support/machine_player.h"

namespace torusmu::testing {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;
namespace reg = registers;

constexpr Cycles kBound = 3'000'000;
constexpr Address kRing = 0x10000, kGetRing = 0x20000, kNotices = 0x30000, kRequests = 0x50000,
                  kSource = 0x100000, kTarget = 0x200000, kFifoRing = 0x300000;
constexpr std::uint32_t kRingSlots = 64, kNoticeSlots = 4096;
constexpr RegionId kSourceRegion{1}, kTargetRegion{2}, kRequestRegion{3};
constexpr QueueId kQueue{8}, kGetQueue{9};
constexpr FifoId kFifo{1};
constexpr CounterId kCounter{0};
constexpr EventId kDone{0}, kGoing{1};

MachineConfig line_of(std::uint32_t nodes) {
  MachineConfig config;
  config.engine.shape = {nodes, 1, 1};
  config.memory_size = Bytes{8} << 20;
  config.costs.mmio_write = config.costs.mmio_read = 1;
  return config;
}

void open_node(Device& device, std::uint32_t get_slots) {
  RawNode node(device);
  node.open_region(kSourceRegion, kSource, 1 << 20, {.remote_write = false, .remote_read = true});
  node.open_region(kTargetRegion, kTarget, 1 << 20);
  node.open_region(kRequestRegion, kRequests, 1 << 16, {.remote_write = false});
  node.open_queue(kQueue, kRing, kRingSlots, QueueMode::kDoorbell);
  node.open_queue(kGetQueue, kGetRing, get_slots, QueueMode::kRemoteGet);
  node.open_notices(kNotices, kNoticeSlots);
  node.open_counter(kCounter, false);
  node.open_event(kDone);
  node.open_event(kGoing);
  (void)node.causes();
}

class Poster {
 public:
  explicit Poster(Device& device) : device_(device), node_(device) {}
  void post(const Descriptor& descriptor) {
    while (tail_ - head_ >= kRingSlots) head_ = node_.queue_head(kQueue);
    node_.write_descriptor(kRing, kRingSlots, tail_, descriptor);
    node_.ring_doorbell(kQueue, ++tail_);
  }
  // Numbers named by notices since the last call.
  std::vector<std::uint32_t> refused() {
    const auto tail = static_cast<std::uint32_t>(device_.read64(reg::client_page::notice_tail(0)));
    std::vector<std::uint32_t> numbers;
    for (; notices_ != tail; ++notices_) {
      std::array<std::uint8_t, 32> entry{};
      device_.load(kNotices + notices_ % kNoticeSlots * 32,
                   std::as_writable_bytes(std::span(entry)));
      const auto header = PacketHeader::from_bytes(std::span(entry).first(16));
      EXPECT_EQ(header.get<h::word>() & 0xff, static_cast<std::uint64_t>(Status::kFifoFull));
      numbers.push_back(static_cast<std::uint32_t>(
          PacketTrailer::from_bytes(std::span(entry).last(16)).get<t::sequence_number>()));
    }
    device_.write64(reg::client_page::notice_head(0), notices_);
    return numbers;
  }

 private:
  Device& device_;
  RawNode node_;
  std::uint32_t tail_ = 0, head_ = 0, notices_ = 0;
};

constexpr std::uint32_t kMessages = 60;
constexpr Cycles kStuckFor = 100'000;
constexpr Bytes kFlowBytes = 32 << 10;

struct StuckOutcome {
  std::array<Cycles, 3> flow_cycles{};
  std::uint64_t refused = 0;
  std::map<std::uint32_t, unsigned> times;  // each message came
  std::string failures;
  std::uint64_t bad_packets = 0;
};

// Node 0 floods a FIFO of node 1, whose process drains nothing for a long time; meanwhile 2 puts to
// 1, 1 puts to 2, and 0 itself gets a put from 3. `slots`: room in the FIFO.
StuckOutcome run_stuck(std::uint32_t slots, Cycles hold) {
  StuckOutcome outcome;
  MachinePlayer player(line_of(4));
  player.on_all_nodes([&](Device& device) {
    open_node(device, 4);
    RawNode node(device);
    node.open_fifo(kFifo, kFifoRing, slots, false);
    device.write64(reg::node::fifo_hold_cycles(), hold);
    node.preload(kCounter, kFlowBytes);
    (void)node.causes();
  });
  EXPECT_TRUE(player.run(kBound));
  const Shape shape = player.shape();
  const Cycles start = player.now();
  player.add_core({0}, [&](Device& device) {
    Poster poster(device);
    const auto message = [&](std::uint32_t i) {
      Descriptor fifo = fifo_descriptor({1, 0, 0}, {kSourceRegion, 0, 512}, kFifo, i, {});
      fifo.set<d::sequence_number>(i);
      poster.post(fifo);
    };
    for (std::uint32_t i = 0; i < kMessages; ++i) message(i);
    // Sends again what was refused, until the receiver says that it has all.
    while (RawNode(device).read_event(kGoing) == 0) {
      for (const std::uint32_t i : poster.refused()) {
        ++outcome.refused;
        message(i);
      }
      device.compute(5000);
    }
  });
  player.add_core({1}, [&](Device& device) {
    RawNode node(device);
    device.compute(kStuckFor);
    std::uint32_t head = 0;
    const Cycles deadline = device.now() + kBound / 2;
    while (outcome.times.size() < kMessages && device.now() < deadline) {
      const std::uint32_t tail = node.fifo_tail(kFifo);
      for (; head != tail; head += 17) {
        std::array<std::uint8_t, 16> raw{};
        device.load(kFifoRing + Bytes{head % slots} * 32, std::as_writable_bytes(std::span(raw)));
        ++outcome.times[static_cast<std::uint32_t>(PacketHeader::from_bytes(raw).get<h::word>())];
        node.set_fifo_head(kFifo, head + 17);
      }
      device.compute(500);
    }
    Poster poster(device);
    // The flow of the other core has used one slot of the ring; this one comes behind it.
    const std::array word{std::byte{1}};
    node.write_descriptor(kRing, kRingSlots, 1,
                          immediate_put({0, 0, 0}, word, kTargetRegion, 0xf0000,
                                        {.event = static_cast<int>(kGoing.value)}));
    node.ring_doorbell(kQueue, 2);
  });
  const std::array<std::pair<std::uint32_t, std::uint32_t>, 3> flows{{{2, 1}, {1, 2}, {3, 0}}};
  for (std::size_t f = 0; f < flows.size(); ++f) {
    const auto [from, to] = flows[f];
    player.add_core({from}, [to = to, &shape](Device& device) {
      RawNode node(device);
      node.write_descriptor(kRing, kRingSlots, 0,
                            put_descriptor(shape.coordinates({to}), {kSourceRegion, 0, kFlowBytes},
                                           kTargetRegion, 0, {.counter = 0}));
      node.ring_doorbell(kQueue, 1);
    });
    player.add_core({to}, [&outcome, f, start](Device& device) {
      RawNode node(device);
      while (extract(node.read_counter(kCounter), reg::client_page::byte_counter_field::hit_zero) ==
             0) {
        device.compute(1);
      }
      outcome.flow_cycles[f] = device.now() - start;
    });
  }
  EXPECT_TRUE(player.run(kBound));
  player.on_all_nodes(
      [&](Device& device) { outcome.bad_packets += device.read64(reg::node::bad_packets()); });
  EXPECT_TRUE(player.run(kBound));
  outcome.failures = player.failures;
  return outcome;
}

TEST(ProcessThatStopsDraining, HoldsUpNobodyElseAndLosesNothing) {
  const StuckOutcome free = run_stuck(std::bit_ceil(kMessages * 17), 0);
  EXPECT_EQ(free.refused, 0U);
  for (const Cycles hold : {Cycles{0}, Cycles{300}}) {
    const StuckOutcome stuck = run_stuck(128, hold);
    EXPECT_EQ(stuck.failures, "");
    EXPECT_GT(stuck.refused, 0U);
    EXPECT_EQ(stuck.bad_packets, 0U);
    EXPECT_EQ(stuck.times.size(), kMessages) << "a message was lost";
    for (const auto& [message, times] : stuck.times) {
      EXPECT_EQ(times, 1U) << "message " << message;
    }
    for (std::size_t f = 0; f < stuck.flow_cycles.size(); ++f) {
      EXPECT_LE(stuck.flow_cycles[f], free.flow_cycles[f] + hold + 40)
          << "flow " << f << ", hold time " << hold;
    }
  }
}

// One packet into a full FIFO; the notice comes back after the hold time and not before.
TEST(HoldTime, IsKeptAndAFifoThatIsDrainedWithinItTakesThePacket) {
  for (const bool drained : {false, true}) {
    // When the notice was seen, and when it was looked for last before that.
    std::array<Cycles, 2> noticed{}, looked{};
    for (const Cycles hold : {Cycles{0}, Cycles{1000}}) {
      MachinePlayer player(line_of(2));
      player.on_all_nodes([&](Device& device) {
        open_node(device, 4);
        RawNode(device).open_fifo(kFifo, kFifoRing, 32, false);
        device.write64(reg::node::fifo_hold_cycles(), hold);
        (void)RawNode(device).causes();
      });
      ASSERT_TRUE(player.run(kBound));
      const Cycles start = player.now();
      player.add_core({0}, [&](Device& device) {
        Poster poster(device);
        for (std::uint32_t i = 0; i < 2; ++i) {
          poster.post(fifo_descriptor({1, 0, 0}, {kSourceRegion, 0, 512}, kFifo, i, {}));
        }
        const Cycles deadline = device.now() + 5000;
        const unsigned at = hold == 0 ? 0 : 1;
        while (device.read64(reg::client_page::notice_tail(0)) == 0 && device.now() < deadline) {
          looked.at(at) = device.now() - start;
          device.compute(1);
        }
        noticed.at(at) = device.now() - start;
      });
      player.add_core({1}, [&](Device& device) {
        RawNode node(device);
        device.compute(700);  // the second packet has come, its hold time is not over
        if (drained) node.set_fifo_head(kFifo, 17);
        device.compute(6000);
        const std::uint32_t tail = node.fifo_tail(kFifo);
        EXPECT_EQ(tail, drained && hold != 0 ? 34U : 17U);
        EXPECT_EQ(device.read64(reg::reception_fifo::refused(kFifo.value)), 2U - tail / 17);
      });
      EXPECT_TRUE(player.run(kBound)) << player.failures;
    }
    if (!drained) {
      EXPECT_GE(noticed[1], looked[0] + 1000);
      EXPECT_LE(looked[1], noticed[0] + 1040);
    } else {
      EXPECT_GE(noticed[1], 5000U) << "a notice although there was room in time";
    }
  }
}

TEST(GetStorm, EndsWithEveryGetDoneOrNoticed) {
  constexpr std::uint32_t kGets = 300;
  MachineConfig config = line_of(2);
  config.memory_timing.random_extra = 40;
  MachinePlayer player(config);
  player.on_all_nodes([](Device& device) { open_node(device, 1); });
  ASSERT_TRUE(player.run(kBound));
  const Shape shape = player.shape();
  std::array<std::uint32_t, 2> done{}, noticed{};
  for (std::uint32_t n = 0; n < 2; ++n) {
    player.add_core({n}, [&, n](Device& device) {
      RawNode node(device);
      const Coordinates here = shape.coordinates({n});
      const auto bytes = put_descriptor(here, {kSourceRegion, 0, 200}, kTargetRegion, 0,
                                        {.event = static_cast<int>(kDone.value)})
                             .bytes();
      device.store(kRequests, std::as_bytes(std::span(bytes)));
      Poster poster(device);
      for (std::uint32_t i = 0; i < kGets; ++i) {
        poster.post(get_descriptor(shape.coordinates({1 - n}), kRequestRegion, 0, 1, kGetQueue));
      }
    });
  }
  ASSERT_TRUE(player.run(kBound)) << player.failures;
  for (std::uint32_t n = 0; n < 2; ++n) {
    player.add_core({n}, [&, n](Device& device) {
      done[n] = RawNode(device).read_event(kDone);
      noticed[n] = static_cast<std::uint32_t>(device.read64(reg::client_page::notice_tail(0)));
    });
  }
  ASSERT_TRUE(player.run(kBound));
  for (std::uint32_t n = 0; n < 2; ++n) {
    EXPECT_EQ(done[n] + noticed[n], kGets) << "node " << n;
    EXPECT_GT(done[n], 0U);
    EXPECT_GT(noticed[n], 0U) << "no queue was ever full";
  }
}

}  // namespace
}  // namespace torusmu::testing

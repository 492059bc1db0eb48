// SPDX-License-Identifier: Apache-2.0
// Whole machines against the reference model: random flows of good and bad descriptors; afterwards
// every register and every byte of memory must be the same.
//
// A flow is one send queue of one node. Wherever it goes it has a FIFO, a region, counters and a
// remote-get queue to itself, and what its gets make others send back has the same at home. Within
// a flow everything is in order; between flows nothing is shared but notice rings, whose entries
// are compared as a set, and reflection queues, which are not compared. So the outcome does not
// depend on timing.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "tb/reference_model/stage.h"
#include "tests/machine/judge_nodes.h"
#include "tests/support/machine_player.h"
#include "tests/support/seed.h"

namespace torusmu::testing::judge {
namespace {

struct Work {
  Shape shape{};
  std::uint32_t queues = 1;  // flows of each node; nodes times queues is at most kFlows
  std::uint64_t seed = 1;
  std::uint32_t descriptors = 60;  // of each flow
  unsigned bad_in_1000 = 250;
};

class Player {
 public:
  Player(Stage& stage, const Work& work) : stage_(stage), work_(work) {}

  std::vector<std::map<std::string, std::string>> play() {
    const std::uint32_t nodes = work_.shape.nodes();
    for (std::uint32_t n = 0; n < nodes; ++n) {
      Rng rng(mix(work_.seed) + n);
      std::vector<std::byte> data(kRings - kRegions);
      for (auto& byte : data) byte = static_cast<std::byte>(rng.next());
      stage_.memory({n}).write(kRegions, data);
      stage_.add_core({n}, [this, n](Device& device) { set_up(n, device); });
    }
    stage_.run(10'000'000);
    for (std::uint32_t n = 0; n < nodes; ++n) {
      for (std::uint32_t q = 0; q < work_.queues; ++q) {
        stage_.add_core({n}, [this, n, q](Device& device) { run_flow(n, q, device); });
      }
    }
    stage_.run(100'000'000);
    pictures_.resize(nodes);
    for (std::uint32_t n = 0; n < nodes; ++n) {
      stage_.add_core({n}, [this, n](Device& device) { look_at_registers(n, device); });
    }
    stage_.run(10'000'000);
    for (std::uint32_t n = 0; n < nodes; ++n) look_at_memory(n);
    return pictures_;
  }

 private:
  [[nodiscard]] std::uint32_t flow(std::uint32_t node, std::uint32_t queue) const {
    return node * work_.queues + queue;
  }
  // The client of a flow, at its own node and as owner of its targets elsewhere.
  static std::uint32_t client_of(std::uint32_t flow) { return flow % kClients; }

  // --- set-up ---

  void set_up(std::uint32_t node, Device& device) {
    Rng rng(mix(work_.seed + 1) + node);
    for (std::uint32_t c = 0; c < kClients; ++c) {
      set_region(device, kOwnData + c, c, false, false);
      device.write64(r::region::base(kNowhere + c), kMemory + c * 0x1000);
      device.write64(r::region::length(kNowhere + c), 0x1000);
      device.write64(r::region::config(kNowhere + c), region_config(c, true, true));
      device.write64(r::notice_ring::base(c), kNotices + Address{c} * kNoticeSlots * 32);
      device.write64(r::notice_ring::size(c), kNoticeSlots);
      device.write64(r::client_page::interrupt_enable(c), 0x7F);
    }
    for (std::uint32_t f = 0; f < kFlows; ++f) {
      set_region(device, kPutTarget + f, client_of(f), true, false);
      set_region(device, kReadable + f, client_of(f + 1), false, true);
      set_queue(device, kGetQueue + f, kGetQueue + f, kQueueSlots, QueueMode::kRemoteGet,
                client_of(f), rng.chance(300));
      // Some FIFOs are too small for all that comes, some are disabled.
      set_fifo(device, f, rng.chance(150) ? 0 : static_cast<std::uint32_t>(20 + rng.below(900)),
               client_of(f), rng);
      for (std::uint32_t k = 0; k < 4; ++k) {
        set_counters(device, kTargetCounters + 4 * f + k, client_of(f), rng);
      }
      // What queue q of this node fetches from node n comes with id n * queues + q.
      const std::uint32_t owner = client_of(flow(node, f % work_.queues));
      set_region(device, kFetched + f, owner, false, false);
      set_fifo(device, 4 + f, static_cast<std::uint32_t>(20 + rng.below(900)), owner, rng);
      for (std::uint32_t k = 0; k < 4; ++k) {
        set_counters(device, kFetchedCounters + 4 * f + k, owner, rng);
      }
    }
    for (std::uint32_t q = 0; q < work_.queues; ++q) {
      const std::uint32_t client = client_of(flow(node, q));
      set_region(device, kReflected + q, client, false, false);
      pushes_[{node, q}] = rng.chance(300);
      set_queue(device, kSendQueue + q, kSendQueue + q, kQueueSlots,
                pushes_[{node, q}] ? QueueMode::kPush : QueueMode::kDoorbell, client, false);
      for (std::uint32_t k = 0; k < 4; ++k) {
        set_counters(device, kOwnCounters + 4 * q + k, client, rng);
      }
    }
    for (std::uint32_t q = 0; q < kSim.reflection_queues; ++q) {
      device.write64(r::injection_queue::base(q),
                     kReflectionRings + Address{q} * kReflectionSlots * 64);
      device.write64(r::injection_queue::size(q), kReflectionSlots);
      device.write64(r::injection_queue::config(q),
                     static_cast<std::uint64_t>(QueueMode::kReflection));
      device.write64(r::reflection::credit(q), kReflectionSlots);
    }
    for (std::uint32_t t = 0; t < kSim.touch_ranges; ++t) {
      namespace field = r::touch_range::config_field;
      device.write64(r::touch_range::base(t), kRegions + rng.below(kRings - kRegions));
      device.write64(r::touch_range::length(t), rng.below(64));
      device.write64(r::touch_range::config(t),
                     insert(insert(insert(insert(0, field::enable, 1), field::on_read, t % 2),
                                   field::on_write, t / 2 % 2),
                            field::owner, t % kClients));
    }
    device.read64(r::node::identity());
  }

  // --- flows ---

  void run_flow(std::uint32_t node, std::uint32_t queue, Device& device) {
    Rng rng(mix(work_.seed + 2) + flow(node, queue));
    const std::uint32_t client = client_of(flow(node, queue));
    const std::uint32_t number = kSendQueue + queue;
    const Address ring = kRings + number * kRingStep;
    bool selected = false;
    for (std::uint32_t i = 0; i < work_.descriptors; ++i) {
      const Descriptor descriptor = make(node, queue, i, device, rng);
      const auto bytes = descriptor.bytes();
      if (pushes_[{node, queue}]) {
        if (!selected) device.write64(r::client_page::push_queue(client), number);
        selected = true;
        for (std::uint32_t w = 0; w < 8; ++w) {
          device.write64(r::client_page::push_data(client, w), descriptor.words()[w]);
        }
      } else {
        device.store(ring + Address{i} * bytes.size(), std::as_bytes(std::span(bytes)));
        if (rng.chance(400) || i + 1 == work_.descriptors) {
          device.write32(r::client_page::queue_index(client, number), i + 1);
        }
      }
      if (rng.chance(100)) device.compute(rng.below(2000));
    }
    device.read64(r::client_page::page_status(client));
  }

  Descriptor make(std::uint32_t node, std::uint32_t queue, std::uint32_t i, Device& device,
                  Rng& rng) {
    const std::uint32_t own = flow(node, queue);
    const std::uint32_t client = client_of(own);
    const NodeId to{static_cast<std::uint32_t>(rng.below(work_.shape.nodes()))};
    const std::uint64_t kind = rng.below(100);
    Descriptor descriptor;
    descriptor.set<d::sequence_number>(own << 16 | i);
    if (kind < 8) {
      const bool set = kind < 4;
      descriptor.set<d::opcode>(set ? Opcode::kCtrSet : Opcode::kCtrAdd);
      const std::uint32_t counter =
          kOwnCounters + 4 * queue + static_cast<std::uint32_t>(rng.below(4));
      if (rng.chance(500)) {
        descriptor.set<d::counter_valid>(1).set<d::counter>(counter);
      } else {
        descriptor.set<d::event_valid>(1).set<d::event_counter>(counter);
      }
      std::array<std::uint8_t, 16> value{};
      value[0] = static_cast<std::uint8_t>(rng.next());
      value[1] = static_cast<std::uint8_t>(rng.below(100));
      descriptor.set<d::immediate>(value);
    } else if (kind < 45) {
      make_transfer(descriptor, Opcode::kPut, client, to, kPutTarget + own, 4 * own, rng);
    } else if (kind < 75) {
      make_transfer(descriptor, Opcode::kFifo, client, to, own, 4 * own, rng);
    } else if (kind < 92) {
      make_get(descriptor, node, queue, i, to, device, rng);
    } else if (kind < 98) {
      make_reflection(descriptor, node, queue, i, device, rng);
    } else {
      descriptor.set<d::opcode>(Opcode::kNop);
    }
    const bool moves = descriptor.get<d::opcode>() != Opcode::kNop && kind >= 8;
    if (moves && rng.chance(300)) {
      descriptor.set<d::injection_counter_valid>(1).set<d::injection_counter>(
          kOwnCounters + 4 * queue + rng.below(4));
    }
    if (rng.chance(300)) {
      descriptor.set<d::done_event_valid>(1).set<d::done_event>(kOwnCounters + 4 * queue +
                                                                rng.below(4));
    }
    descriptor.set<d::interrupt_done>(rng.chance(50));
    if (rng.chance(work_.bad_in_1000)) spoil(descriptor, rng);
    return descriptor;
  }

  static void make_transfer(Descriptor& descriptor, Opcode opcode, std::uint32_t source, NodeId to,
                            std::uint32_t target, std::uint32_t counters, Rng& rng,
                            const Shape& shape) {
    const bool immediate = rng.chance(300);
    const Bytes length =
        immediate ? 1 + rng.below(16) : 1 + (rng.chance(300) ? rng.below(2000) : rng.below(100));
    const Coordinates at = shape.coordinates(to);
    PacketHeader header;
    header.set<h::dst_x>(at.x).set<h::dst_y>(at.y).set<h::dst_z>(at.z);
    header.set<h::target>(target).set<h::word>(rng.next() & 0xFFFFFFFF);
    header.set<h::offset>(opcode == Opcode::kPut ? rng.below(kRegionBytes - length + 1)
                                                 : rng.below(1 << 20));
    descriptor.set<d::opcode>(opcode).set<d::length>(length).set<d::header>(header);
    if (immediate) {
      std::array<std::uint8_t, 16> data{};
      for (auto& byte : data) byte = static_cast<std::uint8_t>(rng.next());
      descriptor.set<d::immediate_valid>(1).set<d::immediate>(data);
    } else {
      descriptor.set<d::source_region>(source).set<d::source_offset>(
          kCarriedBytes + rng.below(kRegionBytes - kCarriedBytes - length + 1));
    }
    if (rng.chance(500)) {
      descriptor.set<d::counter_valid>(1).set<d::counter>(counters + rng.below(4));
    }
    if (rng.chance(500)) {
      descriptor.set<d::event_valid>(1).set<d::event_counter>(counters + rng.below(4));
    }
    descriptor.set<d::interrupt_target>(rng.chance(100));
  }
  void make_transfer(Descriptor& descriptor, Opcode opcode, std::uint32_t client, NodeId to,
                     std::uint32_t target, std::uint32_t counters, Rng& rng) const {
    make_transfer(descriptor, opcode, kOwnData + client, to, target, counters, rng, work_.shape);
  }

  // Where a flow keeps the descriptors that its gets carry: before the data that it sends.
  static Address carried(std::uint32_t client, std::uint32_t i) {
    return kRegions + (kOwnData + client) * kRegionStep + kOwnData + client + Address{i} * 192;
  }

  void make_get(Descriptor& descriptor, std::uint32_t node, std::uint32_t queue, std::uint32_t i,
                NodeId to, Device& device, Rng& rng) const {
    const std::uint32_t own = flow(node, queue);
    const std::uint32_t client = client_of(own);
    const auto count = static_cast<std::uint32_t>(1 + rng.below(3));
    const std::uint32_t id = to.value * work_.queues + queue;
    for (std::uint32_t k = 0; k < count; ++k) {
      Descriptor inner;
      inner.set<d::sequence_number>(0x80000000U | own << 16 | i << 4 | k);
      if (rng.chance(500)) {
        make_transfer(inner, Opcode::kPut, kReadable + own, {node}, kFetched + id,
                      kFetchedCounters + 4 * id, rng, work_.shape);
      } else {
        make_transfer(inner, Opcode::kFifo, kReadable + own, {node}, 4 + id,
                      kFetchedCounters + 4 * id, rng, work_.shape);
      }
      if (rng.chance(work_.bad_in_1000)) spoil(inner, rng);
      const auto bytes = inner.bytes();
      device.store(carried(client, i) + k * bytes.size(), std::as_bytes(std::span(bytes)));
    }
    const Coordinates at = work_.shape.coordinates(to);
    PacketHeader header;
    header.set<h::dst_x>(at.x).set<h::dst_y>(at.y).set<h::dst_z>(at.z).set<h::target>(kGetQueue +
                                                                                      own);
    descriptor.set<d::opcode>(Opcode::kGet)
        .set<d::length>(64 * count)
        .set<d::source_region>(kOwnData + client)
        .set<d::source_offset>(carried(client, i) - carried(client, 0))
        .set<d::header>(header);
  }

  void make_reflection(Descriptor& descriptor, std::uint32_t node, std::uint32_t queue,
                       std::uint32_t i, Device& device, Rng& rng) const {
    const std::uint32_t client = client_of(flow(node, queue));
    Descriptor inner;
    make_transfer(inner, Opcode::kPut, kOwnData, {node}, kReflected + queue,
                  kFetchedCounters + 4 * queue, rng, work_.shape);
    // A place of its own for each, and events that nobody sets: completions of different neighbours
    // overtake one another.
    PacketHeader image = inner.get<d::header>();
    image.set<h::offset>(i * 16);
    std::array<std::uint8_t, 16> data{};
    for (auto& byte : data) byte = static_cast<std::uint8_t>(rng.next());
    inner.set<d::header>(image).set<d::immediate_valid>(1).set<d::immediate>(data).set<d::length>(
        16);
    inner.set<d::source_region>(0)
        .set<d::source_offset>(0)
        .set<d::counter_valid>(0)
        .set<d::counter>(0);
    const auto bytes = inner.bytes();
    device.store(carried(client, i), std::as_bytes(std::span(bytes)));
    PacketHeader header;
    header.set<h::target>(rng.below(8));
    descriptor.set<d::opcode>(Opcode::kGet)
        .set<d::reflect>(1)
        .set<d::length>(64)
        .set<d::source_region>(kOwnData + client)
        .set<d::source_offset>(carried(client, i) - carried(client, 0))
        .set<d::header>(header);
  }

  // --- afterwards ---

  void look_at_registers(std::uint32_t node, Device& device) {
    auto& picture = pictures_[node];
    const auto note = [&](const std::string& name, std::uint64_t value) {
      picture[name] = std::to_string(value);
    };
    for (std::uint32_t q = kGetQueue; q < kSim.injection_queues; ++q) {
      const std::string name = "queue " + std::to_string(q);
      note(name + " head", device.read64(r::injection_queue::head(q)));
      note(name + " tail", device.read64(r::injection_queue::tail(q)));
      note(name + " status", device.read64(r::injection_queue::status(q)));
    }
    for (std::uint32_t f = 0; f < kSim.reception_fifos; ++f) {
      const std::string name = "fifo " + std::to_string(f);
      note(name + " tail", device.read64(r::reception_fifo::tail(f)));
      note(name + " refused", device.read64(r::reception_fifo::refused(f)));
    }
    for (std::uint32_t c = 0; c < 48; ++c) {
      namespace field = r::byte_counter_config::config_field;
      const auto owner = static_cast<std::uint32_t>(
          extract(device.read64(r::byte_counter_config::config(c)), field::owner));
      note("byte counter " + std::to_string(c),
           device.read64(r::client_page::byte_counter(owner, c)));
      note("event counter " + std::to_string(c),
           device.read32(r::client_page::event_counter(owner, c)));
    }
    for (std::uint32_t c = 0; c < kClients; ++c) {
      const std::string name = "client " + std::to_string(c);
      note(name + " notices", device.read64(r::client_page::notice_tail(c)));
      note(name + " touch hits", device.read64(r::client_page::touch_hits(c)));
      note(name + " push status", device.read64(r::client_page::push_status(c)));
      note(name + " causes", device.read64(r::client_page::interrupt_cause(c)));
      note(name + " page status", device.read64(r::client_page::page_status(c)));
    }
    note("bad packets", device.read64(r::node::bad_packets()));
    note("dropped replies", device.read64(r::node::dropped_replies()));
    std::uint64_t missing = 0;
    for (std::uint32_t q = 0; q < kSim.reflection_queues; ++q) {
      namespace field = r::reflection::credit_field;
      const std::uint64_t credit = device.read64(r::reflection::credit(q));
      missing += extract(credit, field::sent) - extract(credit, field::returned);
    }
    note("missing credits", missing);
  }

  void look_at_memory(std::uint32_t node) {
    auto& picture = pictures_[node];
    NodeMemory& memory = stage_.memory({node});
    std::array<std::byte, 64> line{};
    for (Address at = 0; at < kReflectionRings; at += line.size()) {
      memory.read(at, line);
      picture["memory " + std::to_string(at)] = text(line);
    }
    for (std::uint32_t c = 0; c < kClients; ++c) {
      std::vector<std::string> notices;
      for (std::uint32_t i = 0; i < kNoticeSlots; ++i) {
        std::array<std::byte, 32> entry{};
        memory.read(kNotices + (Address{c} * kNoticeSlots + i) * entry.size(), entry);
        notices.push_back(text(entry));
      }
      std::sort(notices.begin(), notices.end());
      for (std::uint32_t i = 0; i < kNoticeSlots; ++i) {
        picture["client " + std::to_string(c) + " notice " + std::to_string(i)] = notices[i];
      }
    }
  }

  Stage& stage_;
  const Work& work_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> pushes_;
  std::vector<std::map<std::string, std::string>> pictures_;
};

// The first differences, one a line.
std::string differences(const Work& work) {
  MachineConfig config;
  config.engine.shape = work.shape;
  config.seed = work.seed;
  config.memory_size = kMemory;
  MachinePlayer rtl(config);
  const auto found = Player(rtl, work).play();
  model::ReferenceStage reference({.shape = work.shape, .memory_size = kMemory, .seed = work.seed});
  const auto expected = Player(reference, work).play();
  std::string result = rtl.failures + reference.failures();
  int lines = 0;
  for (std::size_t n = 0; n < expected.size(); ++n) {
    for (const auto& [name, value] : expected[n]) {
      if (found[n].at(name) == value || ++lines > 12) continue;
      result += "node " + std::to_string(n) + ", " + name + ": " + found[n].at(name) + ", not " +
                value + "\n";
    }
  }
  return result;
}

class Judge : public ::testing::TestWithParam<Work> {};

TEST_P(Judge, FindsRegistersAndMemoryAsInTheModel) {
  Random random(31);
  SCOPED_TRACE(random.replay());
  for (int round = 0; round < 4; ++round) {
    Work work = GetParam();
    work.seed = random.bits64() >> 8;
    if (round == 0) work.bad_in_1000 = 0;
    EXPECT_EQ(differences(work), "") << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, Judge,
                         ::testing::Values(Work{.shape = {1, 1, 1}, .queues = 4},
                                           Work{.shape = {2, 1, 1}, .queues = 2},
                                           Work{.shape = {3, 1, 1}}, Work{.shape = {2, 2, 1}},
                                           Work{.shape = {1, 1, 4}}));

}  // namespace
}  // namespace torusmu::testing::judge

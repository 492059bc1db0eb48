// SPDX-License-Identifier: Apache-2.0
// fence.*: a FENCE behind sends within one node, and behind a put across the network.
//
// Within a node, measured at the pins of the node and at its memory:
//
//   cycles_after_last_byte  from the cycle in which the memory answers the write of the last byte
//                           of the last SEND (a byte is there then, and not before:
//                           sim/machine/axi_memory.h) to the cycle in which the FENCE interrupts
//   send_acknowledged_cycles  of these, to the end of the last SEND: the FENCE ends behind it
//   cycles_after_last_put   the same behind PUTs, which are not acknowledged one by one
//   state_bits              what the MU holds for the FENCE while it is open: its row of
//                           mu_outstanding_requests and its entry of mu_fence_answers. The
//                           same for 1, 8, 1,000 and 1,000,000 sends before it, and from 8 on
//                           so is the time: nothing is counted, nothing is looked for. Behind
//                           one send it is fetched with that, and ends no later
//   network_packets         heads of packets on all links of the machine meanwhile
//
// Across the network: from the last flit of 512 bytes at the origin's pins to the interrupt.
//
// Short messages between tasks of a node, by the MU and by stores of cores: endpoint_bench.cc.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "sim/play/bench/benches.h"
#include "sim/play/bench/run_or_throw.h"
#include "sim/play/bench/traffic.h"
#include "sim/play/scenario/pins.h"
#include "sim/play/scenario/reflection_play.h"

namespace torusmu {
namespace {

namespace d = layout::descriptor;

using B = BenchLayout;
constexpr const char* kPair = "2x1x1";
constexpr const char* kMesh = "4x4x4";
constexpr NodeId kOrigin{0};
constexpr QueueId kReceive{9};
constexpr Address kReceiveRing = 0x80000;
constexpr std::uint32_t kLast = 8;  // SENDs or PUTs whose bytes are looked for
constexpr Bytes kMessage = 512;
constexpr std::uint32_t kMostHops = 6;
constexpr Cycles kBound = 20'000;
constexpr Cycles kPoll = 100;
// open, ahead, ended, again, ticks, retries, status, node and index; at the target node, queue and
// index.
constexpr unsigned kStateBits = (1 + 1 + 1 + 1 + 3 + 8 + 8 + 12 + 32) + (12 + 8 + 32);
constexpr std::array<std::uint32_t, 4> kSends{1, 8, 1'000, 1'000'000};

Descriptor fence_to(Coordinates node) {
  return Descriptor()
      .set<d::opcode>(Opcode::kFence)
      .set<d::interrupt_done>(1)
      .set<d::header>(put_descriptor(node, {}, B::kTargetRegion, 0, {}).get<d::header>());
}

MachineConfig recorded(const char* mesh, const BenchOptions& options) {
  MachineConfig config = bench_config(mesh, options.latency, options);
  config.engine.record = true;
  return config;
}

void enable_done(Machine& machine) {
  machine.add_core(kOrigin, [](Device& device) {
    const std::array causes{Cause::kDone};
    RawNode(device).enable_interrupts(causes);
  });
}

std::uint64_t heads_on_links(const std::vector<Event>& events) {
  return static_cast<std::uint64_t>(std::count_if(
      events.begin(), events.end(),
      [](const Event& event) { return event.kind == Event::Kind::kFlitOut && event.flit.head; }));
}
std::optional<Cycles> interrupt_in(const std::vector<Event>& events) {
  for (const Event& event : events) {
    if (event.kind == Event::Kind::kInterrupt && event.node == kOrigin && event.lines != 0) {
      return event.cycle;
    }
  }
  return std::nullopt;
}

struct Local {
  std::optional<Cycles> cycles;  // nothing: not done, or not behind the last byte
  bool right = false;            // every byte
  std::uint64_t packets = 0;
};

// What raises the interrupt, behind what.
enum class Last { kFenceBehindSends, kFenceBehindPuts, kSend };

class LocalFence {
 public:
  LocalFence(Machine& machine, std::uint32_t sends, Last what)
      : machine_(machine),
        last_(std::min(sends, kLast)),
        before_(sends - last_),
        what_(what),
        here_(machine.shape().coordinates(kOrigin)) {}

  Local measure() {
    open();
    (void)machine_.take_events();
    send_before();
    place(before_);
    ring(machine_, kOrigin, before_ + last_ + 1);
    return watch();
  }

 private:
  void open() {
    open_nodes(machine_);
    enable_done(machine_);
    machine_.add_core(kOrigin, [this](Device& device) {
      RawNode node(device);
      device.write64(registers::injection_queue::config(B::kQueue.value), 0);
      node.connect(B::kQueue, here_, kReceive);
      node.connect(kReceive, here_, B::kQueue);
      node.open_queue(B::kQueue, B::kRing, B::kRingSlots, QueueMode::kDoorbell);
      node.open_queue(kReceive, kReceiveRing, kLast, QueueMode::kReceive);
      for (std::uint32_t i = 0; i < kLast; ++i) {
        node.write_descriptor(kReceiveRing, kLast, i,
                              receive_descriptor({B::kTargetRegion, i * kMessage, kMessage}));
      }
      node.ring_doorbell(kReceive, kLast);
    });
    run_or_throw(machine_, kBound);
    data_ = pattern(machine_.config().seed + 1, kLast * kMessage);
    for (std::byte& byte : data_) byte |= std::byte{1};  // memory is zero
    machine_.memory(kOrigin).write(B::kSource, data_);
  }

  // Messages of 8 bytes, as many as the ring holds at a time.
  void send_before() {
    if (before_ == 0) return;
    const std::array<std::byte, 8> word{std::byte{1}};
    for (std::uint32_t i = 0; i < std::min(before_, B::kRingSlots); ++i) {
      preload(machine_, kOrigin, i,
              immediate_put(here_, word, B::kTargetRegion, kLast * kMessage, {}));
    }
    machine_.add_core(kOrigin, [count = before_](Device& device) {
      RawNode node(device);
      for (std::uint32_t head = 0; head != count; head = node.queue_head(B::kQueue)) {
        node.ring_doorbell(B::kQueue, std::min(count, head + B::kRingSlots));
        device.compute(kPoll);
      }
    });
    run_or_throw(machine_, kBound + Cycles{before_} * kPoll);
  }

  void place(std::uint32_t index) {
    for (std::uint32_t i = 0; i < last_; ++i) {
      const Source from{B::kSourceRegion, i * kMessage, kMessage};
      const bool tells = what_ == Last::kSend && i + 1 == last_;
      preload(machine_, kOrigin, index + i,
              what_ == Last::kFenceBehindPuts
                  ? put_descriptor(here_, from, B::kTargetRegion, i * kMessage, {})
                  : send_descriptor(from, i).set<d::interrupt_done>(tells));
    }
    preload(machine_, kOrigin, index + last_, fence_to(here_));
  }

  [[nodiscard]] std::vector<std::byte> stored(Bytes from, Bytes bytes) {
    std::vector<std::byte> found(bytes);
    machine_.memory(kOrigin).read(B::kTarget + from, found);
    return found;
  }

  // A cycle at a time.
  Local watch() {
    Local local;
    std::optional<Cycles> last_byte, done;
    const Bytes bytes = last_ * kMessage;
    for (const Cycles end = machine_.now() + kBound; !done && machine_.now() < end;) {
      const RunResult result = machine_.run_to(machine_.now() + 1);
      if (result.broken) throw std::runtime_error(result.failure);
      if (!last_byte && stored(bytes - 1, 1).front() == data_[bytes - 1]) {
        last_byte = machine_.now() - 1;
        local.right = stored(0, bytes) == std::vector(data_.begin(), data_.begin() + bytes);
      }
      const std::vector<Event> events = machine_.take_events();
      local.packets += heads_on_links(events);
      done = interrupt_in(events);
    }
    if (last_byte && done && *done > *last_byte) local.cycles = *done - *last_byte;
    return local;
  }

  Machine& machine_;
  std::uint32_t last_;
  std::uint32_t before_;
  Last what_;
  Coordinates here_;
  std::vector<std::byte> data_;
};

Local measure_local(std::uint32_t sends, Last what, const BenchOptions& options, Sink& sink) {
  Machine machine(recorded(kPair, options));
  const Local local = LocalFence(machine, sends, what).measure();
  constexpr std::array kNames{"fence_behind_sends", "fence_behind_puts", "last_of_sends"};
  sink.check(fmt::format("fence.{}_{}", kNames.at(static_cast<std::size_t>(what)), sends),
             local.right && local.cycles && local.packets == 0,
             fmt::format("{} cycles after the last byte, {} packets on links",
                         local.cycles.value_or(0), local.packets));
  sink.add_machine(machine);
  return local;
}

std::vector<Cycles> across_the_network(const BenchOptions& options, Sink& sink) {
  Machine machine(recorded(kMesh, options));
  open_nodes(machine);
  enable_done(machine);
  run_or_throw(machine, kBound);
  (void)machine.take_events();
  std::vector<Cycles> cycles;
  for (std::uint32_t wanted = 1; wanted <= kMostHops; ++wanted) {
    NodeId node{0};
    while (hops(machine.shape(), kOrigin, node) != wanted) ++node.value;
    const Coordinates to = machine.shape().coordinates(node);
    const auto data = pattern(options.seed + wanted, kMessage);
    machine.memory(kOrigin).write(B::kSource, data);
    preload(machine, kOrigin, 2 * wanted - 2,
            put_descriptor(to, {B::kSourceRegion, 0, kMessage}, B::kTargetRegion, 0, {}));
    preload(machine, kOrigin, 2 * wanted - 1, fence_to(to));
    ring(machine, kOrigin, 2 * wanted);
    run_or_throw(machine, kBound);
    const std::vector<Event> events = machine.take_events();
    Cycles last_flit = 0;
    bool of_put = false;
    for (const Event& event : events) {
      if (event.kind != Event::Kind::kFlitOut || event.node != kOrigin) continue;
      if (event.flit.head) {
        of_put = header_of(event.flit).get<layout::packet_header::kind>() == Kind::kPut;
      }
      if (of_put) last_flit = event.cycle;
    }
    const Cycles done = interrupt_in(events).value_or(last_flit);
    std::vector<std::byte> found(kMessage);
    machine.memory(node).read(B::kTarget, found);
    sink.check(fmt::format("fence.network_{}_hops", wanted), done > last_flit && found == data,
               fmt::format("{} cycles", done - last_flit));
    cycles.push_back(done - last_flit);
    machine.add_core(kOrigin, [](Device& device) { RawNode(device).clear_causes(~0ULL); });
    run_or_throw(machine, kBound);
    (void)machine.take_events();
  }
  sink.add_machine(machine);
  return cycles;
}

}  // namespace

void bench_fence(const BenchOptions& options, Sink& sink) {
  std::vector<unsigned> bits;
  std::vector<Cycles> cycles;
  std::uint64_t packets = 0;
  for (const std::uint32_t sends : kSends) {
    const Local local = measure_local(sends, Last::kFenceBehindSends, options, sink);
    if (!local.cycles) return;
    bits.push_back(kStateBits);
    cycles.push_back(*local.cycles);
    packets += local.packets;
  }
  sink.check(
      "fence.same_behind_any_number",
      std::all_of(cycles.begin() + 1, cycles.end(), [&](Cycles c) { return c == cycles.back(); }) &&
          cycles.front() <= cycles.back(),
      fmt::format("{} cycles", fmt::join(cycles, ", ")));
  const Local put = measure_local(kLast, Last::kFenceBehindPuts, options, sink);
  const Local send = measure_local(kLast, Last::kSend, options, sink);
  packets += put.packets + send.packets;
  sink.figure("fence.state_bits", bits);
  sink.figure("fence.cycles_after_last_byte", *std::max_element(cycles.begin(), cycles.end()));
  if (send.cycles) sink.figure("fence.send_acknowledged_cycles", *send.cycles);
  if (put.cycles) sink.figure("fence.cycles_after_last_put", *put.cycles);
  sink.figure("fence.network_packets", packets);
  sink.figure("fence.network_cycles", across_the_network(options, sink));
  bench_endpoint_fences(options, sink);
}

}  // namespace torusmu

// SPDX-License-Identifier: Apache-2.0
// get_storm.* and stuck.*: what happens when somebody has no room.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "sim/play/bench/benches.h"
#include "sim/play/bench/run_or_throw.h"
#include "sim/play/bench/traffic.h"

namespace torusmu {
namespace {

using B = BenchLayout;
constexpr Cycles kBound = 2'000'000;

// --- get_storm
// ------------------------------------------------------------------------------------

constexpr std::uint32_t kGets = 1000;
constexpr QueueId kGetQueue{9};
constexpr Address kGetRing = 0x60000;
constexpr Address kRequests = 0x70000;
constexpr Address kNotices = 0x80000;
constexpr std::uint32_t kNoticeSlots = 4096;
constexpr RegionId kRequestRegion{3}, kOfferedRegion{4};

void open_for_gets(Device& device) {
  RawNode node(device);
  node.open_region(kRequestRegion, kRequests, 64, {.remote_write = false});
  node.open_region(kOfferedRegion, B::kSource, B::kSourceBytes,
                   {.remote_write = false, .remote_read = true});
  node.open_queue(kGetQueue, kGetRing, 1, QueueMode::kRemoteGet);
  node.open_notices(kNotices, kNoticeSlots);
  (void)node.causes();
}

// --- stuck
// ----------------------------------------------------------------------------------------

constexpr FifoId kFifo{1};
constexpr Address kFifoRing = 0x600000;
constexpr std::uint32_t kFifoMessages = 100;
constexpr Bytes kFlowBytes = 64 << 10;

// Cycles that each other flow takes, with a process at node 1 that drains nothing: with `room` its
// FIFO holds all that comes, without it is full at once. The flows share no link or port with one
// another, only with the process that is stuck: into its node (2 to 1), out of it (1 to 0), and
// through it, over the link on which its packets come (7 to 2 by way of 0 and 1).
std::vector<Cycles> flow_cycles(bool room, const BenchOptions& options, Sink& sink) {
  MachineConfig config = bench_config("8x1x1", options.latency, options);
  Machine machine(config);
  open_nodes(machine);
  machine.add_core({1}, [room](Device& device) {
    RawNode node(device);
    node.open_fifo(kFifo, kFifoRing, room ? std::bit_ceil(kFifoMessages * 17) : 32, false);
    device.write64(registers::node::fifo_hold_cycles(), kStuckHold);
    (void)node.causes();
  });
  run_or_throw(machine, kBound);
  struct Flow {
    NodeId from, to;
  };
  constexpr std::array kFlows{Flow{{2}, {1}}, Flow{{1}, {0}}, Flow{{7}, {2}}};
  std::vector<Cycles> ends(kFlows.size());
  for (std::uint32_t f = 0; f < kFlows.size(); ++f) {
    machine.add_core(kFlows[f].to, [f](Device& device) {
      RawNode node(device);
      node.open_counter({10 + f}, false);
      node.preload({10 + f}, kFlowBytes);
      (void)node.causes();
    });
  }
  run_or_throw(machine, kBound);
  for (std::uint32_t i = 0; i < kFifoMessages; ++i) {
    preload(machine, {0}, i,
            fifo_descriptor(machine.shape().coordinates({1}), {B::kSourceRegion, 0, 512}, kFifo, i,
                            {}));
  }
  ring(machine, {0}, kFifoMessages);
  const Cycles go = machine.now();
  for (std::uint32_t f = 0; f < kFlows.size(); ++f) {
    const Flow& flow = kFlows[f];
    preload(
        machine, flow.from, 0,
        put_descriptor(machine.shape().coordinates(flow.to), {B::kSourceRegion, 0, kFlowBytes},
                       B::kTargetRegion, f * kFlowBytes, {.counter = static_cast<int>(10 + f)}));
    ring(machine, flow.from, 1);
    machine.add_core(flow.to, [f, go, &ends](Device& device) {
      RawNode node(device);
      while (extract(node.read_counter({10 + f}),
                     registers::client_page::byte_counter_field::hit_zero) == 0) {
        device.compute(1);
      }
      ends[f] = device.now() - go;
    });
  }
  run_or_throw(machine, kBound);
  std::uint64_t refused = 0;
  machine.add_core({1}, [&refused](Device& device) {
    refused = device.read64(registers::reception_fifo::refused(kFifo.value));
  });
  run_or_throw(machine, kBound);
  sink.check(room ? "stuck.baseline_takes_all" : "stuck.fifo_is_full", (refused != 0) != room,
             fmt::format("{} of {} packets refused", refused, kFifoMessages));
  sink.add_machine(machine);
  return ends;
}

}  // namespace

void bench_get_storm(const BenchOptions& options, Sink& sink) {
  Machine machine(bench_config("2x1x1", options.latency, options));
  open_nodes(machine);
  for (std::uint32_t n = 0; n < 2; ++n) machine.add_core({n}, open_for_gets);
  run_or_throw(machine, kBound);
  const Shape shape = machine.shape();
  for (std::uint32_t n = 0; n < 2; ++n) {
    const auto put =
        put_descriptor(shape.coordinates({n}), {kOfferedRegion, 0, 64}, B::kTargetRegion, 0,
                       {.event = static_cast<int>(B::kEvent.value)})
            .bytes();
    machine.memory({n}).write(kRequests, std::as_bytes(std::span(put)));
    for (std::uint32_t i = 0; i < kGets; ++i) {
      preload(machine, {n}, i,
              get_descriptor(shape.coordinates({1 - n}), kRequestRegion, 0, 1, kGetQueue));
    }
    ring(machine, {n}, kGets);
  }
  run_or_throw(machine, kBound);
  std::array<std::uint64_t, 2> done{}, noticed{}, overflow{};
  for (std::uint32_t n = 0; n < 2; ++n) {
    machine.add_core({n}, [&, n](Device& device) {
      namespace f = registers::client_page::notice_tail_field;
      done[n] = RawNode(device).read_event(B::kEvent);
      const std::uint64_t notices = device.read64(registers::client_page::notice_tail(0));
      noticed[n] = extract(notices, f::tail);
      overflow[n] = extract(notices, f::overflow);
    });
  }
  run_or_throw(machine, kBound);
  const std::uint64_t finished = done[0] + done[1] + noticed[0] + noticed[1];
  sink.check("get_storm.no_notice_lost", overflow[0] + overflow[1] == 0,
             fmt::format("{} done, {} noticed", done[0] + done[1], noticed[0] + noticed[1]));
  sink.check("get_storm.queue_was_full", noticed[0] + noticed[1] != 0, "some gets found no slot");
  sink.add_machine(machine);
  sink.figure("get_storm.unfinished",
              static_cast<std::int64_t>(2 * kGets) - static_cast<std::int64_t>(finished));
}

void bench_stuck(const BenchOptions& options, Sink& sink) {
  const std::vector<Cycles> free = flow_cycles(true, options, sink);
  const std::vector<Cycles> stuck = flow_cycles(false, options, sink);
  std::int64_t extra = 0;
  for (std::size_t f = 0; f < free.size(); ++f) {
    const auto lost = static_cast<std::int64_t>(stuck[f]) - static_cast<std::int64_t>(free[f]);
    sink.say(fmt::format("  flow {}: {} cycles, {} beside a process that is stuck", f, free[f],
                         stuck[f]));
    extra = std::max(extra, lost);
  }
  sink.say(fmt::format("  hold time: {} cycles", kStuckHold));
  sink.figure("stuck.extra_cycles", extra);
}

}  // namespace torusmu

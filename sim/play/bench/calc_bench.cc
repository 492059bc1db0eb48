// SPDX-License-Identifier: Apache-2.0
// calc.*: the result of a CALC to four neighbours, by a list of targets and by PUTs behind it.
//
//   targets4_cycles  one CALC with four targets in its list
//   puts4_cycles     the same CALC without targets, and behind it in the queue a PUT to each
//
// Each from the cycle in which node 0 takes the doorbell to the last flit on its links. All packets
// leave by the one port of a node into its router, 16 bytes a cycle, and memory is read at 32, the
// result once for each target. So four targets of a long result take as long as four PUTs, and what
// the list saves is the time in which the result is computed, as far as memory has cycles for both:
// most of it with four operands, where half of the reads are operands.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "sim/play/bench/benches.h"
#include "sim/play/bench/run_or_throw.h"
#include "sim/play/bench/traffic.h"
#include "sim/play/figures.h"
#include "sim/play/scenario/pins.h"

namespace torusmu {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;

using B = BenchLayout;
constexpr const char* kMesh = "4x4x1";
constexpr NodeId kOrigin{0};
constexpr std::array<std::uint32_t, 4> kTargets{1, 3, 4, 12};
constexpr Bytes kListAt = 0xF0000;  // in the source region
constexpr Bytes kResultAt = 0;      // in the target region
constexpr Cycles kBound = 200'000;

struct Case {
  const char* variant;
  Bytes length;
  std::uint32_t operands;
};
constexpr std::array kCases{Case{"8b", 8, 2}, Case{"64k_2_operands", 64 << 10, 2},
                            Case{"64k_4_operands", 64 << 10, 4}};

class Calculation {
 public:
  Calculation(const BenchOptions& options, const Case& what)
      : machine_(config_of(options)), what_(what) {
    open_nodes(machine_);
    source_ = pattern(machine_.config().seed + 1, what.operands * what.length);
    machine_.memory(kOrigin).write(B::kSource, source_);
  }

  // Nothing if a neighbour has not got the sums.
  std::optional<Cycles> measure(bool by_list, Sink& sink) {
    write_list(by_list);
    std::uint32_t posted = 0;
    preload(machine_, kOrigin, posted++, calc(by_list ? kTargets.size() : 0));
    for (std::size_t n = 0; n < kTargets.size() && !by_list; ++n) {
      preload(machine_, kOrigin, posted++,
              put_descriptor(place(n), {B::kTargetRegion, kResultAt, what_.length},
                             B::kTargetRegion, kResultAt, {}));
    }
    (void)machine_.take_events();
    ring(machine_, kOrigin, posted);
    run_or_throw(machine_, kBound);
    const auto events = machine_.take_events();
    sink.add_machine(machine_);
    return is_right() ? cycles(events) : std::nullopt;
  }

 private:
  static MachineConfig config_of(const BenchOptions& options) {
    MachineConfig config = bench_config(kMesh, options.latency, options);
    config.engine.record = true;
    return config;
  }
  [[nodiscard]] Coordinates place(std::size_t n) const {
    return machine_.shape().coordinates({kTargets.at(n)});
  }

  // Operands one behind the other, and targets behind them.
  void write_list(bool by_list) {
    Address at = B::kSource + kListAt;
    const auto append = [&](const auto& entry) {
      const auto bytes = entry.bytes();
      machine_.memory(kOrigin).write(at, std::as_bytes(std::span(bytes)));
      at += bytes.size();
    };
    for (std::uint32_t n = 0; n < what_.operands && !is_direct(); ++n) {
      append(Operand()
                 .set<layout::operand::region>(B::kSourceRegion.value)
                 .set<layout::operand::offset>(n * what_.length)
                 .set<layout::operand::stride>(8));
    }
    for (std::size_t n = 0; n < kTargets.size() && by_list; ++n) {
      const Coordinates to = place(n);
      append(PacketHeader()
                 .set<h::dst_x>(to.x)
                 .set<h::dst_y>(to.y)
                 .set<h::dst_z>(to.z)
                 .set<h::target>(B::kTargetRegion.value)
                 .set<h::offset>(kResultAt));
    }
  }
  [[nodiscard]] bool is_direct() const { return what_.operands <= 2; }
  [[nodiscard]] Descriptor calc(std::size_t targets) const {
    namespace c = layout::calc_operation;
    Descriptor descriptor =
        Descriptor()
            .set<d::opcode>(Opcode::kCalc)
            .set<d::reduction>(Reduction::kSum)
            .set<d::element>(Element::kU64)
            .set<d::operands>(what_.operands)
            .set<d::targets>(targets)
            .set<d::length>(what_.length)
            .set<d::source_region>(B::kSourceRegion.value)
            .set<d::source_offset>(kListAt)
            .set<d::header>(
                PacketHeader().set<h::target>(B::kTargetRegion.value).set<h::offset>(kResultAt));
    if (!is_direct()) return descriptor;
    return descriptor.set<d::immediate_valid>(1).set<d::immediate>(
        CalcOperation()
            .set<c::left_region>(B::kSourceRegion.value)
            .set<c::left_offset>(0)
            .set<c::right_region>(B::kSourceRegion.value)
            .set<c::right_offset>(what_.length)
            .bytes());
  }

  [[nodiscard]] bool is_right() {
    std::vector<std::byte> sums(what_.length);
    for (Bytes at = 0; at < what_.length; at += 8) {
      std::uint64_t sum = 0;
      for (std::uint32_t n = 0; n < what_.operands; ++n) {
        std::uint64_t value = 0;
        std::memcpy(&value, &source_[n * what_.length + at], 8);
        sum += value;
      }
      std::memcpy(&sums[at], &sum, 8);
    }
    return std::ranges::all_of(kTargets, [&](std::uint32_t node) {
      std::vector<std::byte> found(what_.length);
      machine_.memory({node}).read(B::kTarget + kResultAt, found);
      return found == sums;
    });
  }
  static std::optional<Cycles> cycles(const std::vector<Event>& events) {
    std::optional<Cycles> doorbell, last;
    for (const Event& event : events) {
      if (event.node != kOrigin) continue;
      if (event.kind == Event::Kind::kRegister && event.access.write && !doorbell) {
        doorbell = event.cycle;
      }
      if (event.kind == Event::Kind::kFlitOut && !event.flit.reply) last = event.cycle;
    }
    if (!doorbell || !last) return std::nullopt;
    return *last - *doorbell;
  }

  Machine machine_;
  Case what_;
  std::vector<std::byte> source_;
};

}  // namespace

void bench_calc(const BenchOptions& options, Sink& sink) {
  for (const Case& what : kCases) {
    for (const bool by_list : {true, false}) {
      const auto cycles = Calculation(options, what).measure(by_list, sink);
      const std::string name =
          fmt::format("calc.{}.{}", by_list ? "targets4_cycles" : "puts4_cycles", what.variant);
      sink.check(name + ".right", cycles.has_value(), "the sums in the memory of all four");
      if (cycles) sink.figure(name, static_cast<double>(*cycles));
    }
  }
}

}  // namespace torusmu

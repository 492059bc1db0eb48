// SPDX-License-Identifier: Apache-2.0
// shapes: CALC of vectors that are no rows of adjacent elements. Columns and blocks of a matrix, a
// transpose, vectors backwards, pairs of value and index with padding between them, results that go
// into columns, blocks and records, which operand has the extreme, and reductions that a program
// loads; every operation with every type. The results go to other nodes: every other one to two
// targets in the list of its CALC, the rest by a PUT behind it. Compares every bit with what C++
// computes, and that a CALC which is refused writes nothing and says why.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/play/scenario/calc_jobs.h"
#include "sim/play/scenario/checks.h"
#include "sim/play/scenario/opening.h"
#include "sim/play/scenario/raw_node.h"
#include "sim/play/scenario/scenarios.h"

namespace torusmu {
namespace {

constexpr QueueId kQueue{7};
constexpr CompletionQueueId kCompletions{0};
constexpr EventId kArrivals{0};
constexpr CounterId kRead{0};  // loses the bytes that the PUTs have read
constexpr Address kRing = 0x10000;
constexpr std::uint32_t kSlots = 512;
constexpr Address kEntries = 0x20000;
constexpr std::uint32_t kMostEntries = 512;
constexpr Address kLists = 0x40000;  // of operands, and steps behind them
constexpr Bytes kListBytes = Bytes{16 + 9 + 2} * Operand::kBytes;
constexpr Address kSource = 0x100000;
constexpr Address kResult = 0x200000;   // a place for each job
constexpr Address kArrived = 0x300000;  // the same, from the node before
constexpr Address kPassed = 0x400000;   // and from the node before that, of those with targets
constexpr Bytes kGuardBytes = 64;
constexpr Bytes kPlaceBytes = kMostCalcBytes + 2 * kGuardBytes;
constexpr RegionId kSourceRegion{1}, kResultRegion{2}, kArrivedRegion{3}, kListRegion{4},
    kPassedRegion{5};
constexpr std::byte kGuard{0xa5};
constexpr Cycles kBound = 2'000'000;

Bytes place(std::size_t job) { return job * kPlaceBytes + kGuardBytes; }

struct Seen {
  std::vector<CompletionEntry> entries;
  std::uint32_t arrivals = 0;
  std::uint32_t head = 0;
  std::uint64_t read = 0;
};

constexpr std::uint64_t stride_bits(std::int64_t stride) {
  return static_cast<std::uint64_t>(stride) &
         ((std::uint64_t{1} << layout::operand::stride.width) - 1);
}

// Every other result in one piece goes to targets in the list of its CALC, the rest by a PUT.
bool has_targets(const std::vector<CalcJob>& jobs, std::size_t number) {
  const CalcJob& job = jobs[number];
  return job.status == Status::kOk && job.result.stride == 0 && job.result.row_stride == 0 &&
         number % 2 == 1;
}
// The two nodes behind this one.
std::array<PacketHeader, 2> targets(const Shape& shape, NodeId node, std::size_t number) {
  namespace h = layout::packet_header;
  std::array<PacketHeader, 2> all;
  for (std::uint32_t n = 0; n < all.size(); ++n) {
    const Coordinates to = shape.coordinates({(node.value + 1 + n) % shape.nodes()});
    all.at(n)
        .set<h::dst_x>(to.x)
        .set<h::dst_y>(to.y)
        .set<h::dst_z>(to.z)
        .set<h::target>(n == 0 ? kArrivedRegion.value : kPassedRegion.value)
        .set<h::offset>(place(number));
  }
  return all;
}

Operand operand(const CalcVector& vector) {
  namespace o = layout::operand;
  return Operand()
      .set<o::region>(kSourceRegion.value)
      .set<o::offset>(vector.at)
      .set<o::stride>(stride_bits(vector.stride))
      .set<o::row_stride>(stride_bits(vector.row_stride));
}

// With a list the immediate is the shape of the operands and of the result.
std::array<std::uint8_t, 16> immediate(const CalcJob& job) {
  namespace c = layout::calc_operation;
  namespace s = layout::calc_shape;
  if (!job.immediate) {
    return CalcShape()
        .set<s::result_stride>(stride_bits(job.result.stride))
        .set<s::steps>(job.steps.size())
        .set<s::attach_index>(job.attach ? 1 : 0)
        .set<s::result_row_stride>(stride_bits(job.result.row_stride))
        .set<s::row_elements>(job.row_elements)
        .bytes();
  }
  CalcOperation what;
  what.set<c::left_region>(kSourceRegion.value).set<c::left_offset>(job.operands[0].at);
  if (job.operands.size() < 2) return what.bytes();
  return what.set<c::right_region>(kSourceRegion.value)
      .set<c::right_offset>(job.operands[1].at)
      .bytes();
}

Descriptor calc(const std::vector<CalcJob>& jobs, std::size_t number) {
  const CalcJob& job = jobs[number];
  const bool to_targets = has_targets(jobs, number);
  namespace d = layout::descriptor;
  namespace h = layout::packet_header;
  return Descriptor()
      .set<d::opcode>(Opcode::kCalc)
      .set<d::signal>(1)
      .set<d::sequence_number>(number)
      .set<d::reduction>(job.op)
      .set<d::element>(job.element)
      .set<d::operands>(job.operands.size())
      .set<d::length>(job.result_bytes())
      .set<d::immediate_valid>(job.immediate ? 1 : 0)
      .set<d::immediate>(immediate(job))
      .set<d::targets>(to_targets ? 2 : 0)
      .set<d::event_valid>(to_targets ? 1 : 0)
      .set<d::event_counter>(to_targets ? kArrivals.value : 0)
      .set<d::source_region>(kListRegion.value)
      .set<d::source_offset>(number * kListBytes)
      .set<d::header>(PacketHeader()
                          .set<h::target>(kResultRegion.value)
                          .set<h::offset>(place(number) + job.result.at));
}

void write_list(Stage& stage, NodeId node, const std::vector<CalcJob>& jobs, std::size_t number) {
  const CalcJob& job = jobs[number];
  Address at = kLists + number * kListBytes;
  const auto append = [&](const auto& entry) {
    const auto bytes = entry.bytes();
    stage.memory(node).write(at, std::as_bytes(std::span(bytes)));
    at += bytes.size();
  };
  if (!job.immediate) {
    for (const CalcVector& vector : job.operands) append(operand(vector));
  }
  for (const ReductionStep& step : job.steps) append(step);
  if (!has_targets(jobs, number)) return;
  for (const PacketHeader& target : targets(stage.shape(), node, number)) append(target);
}

void set_up(Device& device) {
  RawNode node(device);
  node.open_region(kSourceRegion, kSource, kCalcSourceBytes, {.remote_write = false});
  node.open_region(kResultRegion, kResult, kArrived - kResult, {.remote_write = false});
  node.open_region(kArrivedRegion, kArrived, kArrived - kResult);
  node.open_region(kPassedRegion, kPassed, kArrived - kResult);
  node.open_region(kListRegion, kLists, kSource - kLists, {.remote_write = false});
  node.open_event(kArrivals);
  node.open_counter(kRead, false);
  node.open_completion_queue(kCompletions, kEntries, kMostEntries);
  node.connect(kQueue, {}, kQueue, {.completion = static_cast<int>(kCompletions.value)});
  node.open_queue(kQueue, kRing, kSlots, QueueMode::kDoorbell);
  (void)node.causes();
}

Bytes bytes_sent(const std::vector<CalcJob>& jobs) {
  Bytes sum = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i].status == Status::kOk && !has_targets(jobs, i)) sum += jobs[i].span_bytes();
  }
  return sum;
}

// One list with one doorbell: each CALC, and behind one that is computed and has no targets a PUT
// of its result.
void compute(Device& device, const std::vector<CalcJob>& jobs, Seen& seen) {
  RawNode node(device);
  const Shape shape = device.shape();
  const Coordinates next = shape.coordinates({(device.node().value + 1) % shape.nodes()});
  const Arrival arrival{.event = static_cast<int>(kArrivals.value)};
  std::uint32_t posted = 0, sent = 0;
  node.preload(kRead, bytes_sent(jobs));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    node.write_descriptor(kRing, kSlots, posted++, calc(jobs, i));
    if (jobs[i].status != Status::kOk) continue;
    if (has_targets(jobs, i)) {
      sent += 2;
      continue;
    }
    node.write_descriptor(kRing, kSlots, posted++,
                          put_descriptor(next, {kResultRegion, place(i), jobs[i].span_bytes()},
                                         kArrivedRegion, place(i), arrival)
                              .set<layout::descriptor::injection_counter_valid>(1)
                              .set<layout::descriptor::injection_counter>(kRead.value));
    ++sent;
  }
  node.ring_doorbell(kQueue, posted);
  const Cycles deadline = device.now() + kBound / 2;
  while (node.queue_head(kQueue) != posted && device.now() < deadline) device.compute(200);
  while (node.read_event(kArrivals) != sent && device.now() < deadline) device.compute(200);
  seen.entries =
      node.completions(kCompletions, kEntries, static_cast<std::uint32_t>(jobs.size()), deadline);
  seen.arrivals = node.read_event(kArrivals) - sent;
  seen.head = node.queue_head(kQueue) - posted;
  seen.read = node.read_counter(kRead);
}

// Of all that are computed, or of those with targets.
std::vector<std::byte> all_results(const std::vector<CalcJob>& jobs,
                                   std::span<const std::byte> source, bool with_targets) {
  std::vector<std::byte> all(jobs.size() * kPlaceBytes, kGuard);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (jobs[i].status != Status::kOk || (with_targets && !has_targets(jobs, i))) continue;
    write_calc_result(jobs[i], source, std::span(all).subspan(place(i), kMostCalcBytes));
  }
  return all;
}

void check_entries(std::uint32_t node, const std::vector<CalcJob>& jobs, const Seen& seen,
                   Tally& tally) {
  namespace e = layout::completion_entry;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const bool there = i < seen.entries.size() && seen.entries[i].get<e::sequence_number>() == i;
    tally.expect(there && seen.entries[i].get<e::status>() == jobs[i].status, [&] {
      return fmt::format("node {}, {}: {}, not {}", node, jobs[i].name,
                         there ? name_of(seen.entries[i].get<e::status>()) : "no entry",
                         name_of(jobs[i].status));
    });
  }
}

// The first wrong byte, by the job whose result it is.
void expect_results(std::uint32_t node, const std::vector<CalcJob>& jobs, const NodeMemory& memory,
                    Address base, const std::vector<std::byte>& wanted, Tally& tally) {
  std::vector<std::byte> found(wanted.size());
  memory.read(base, found);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto from = static_cast<std::ptrdiff_t>(i * kPlaceBytes);
    const auto end = from + static_cast<std::ptrdiff_t>(kPlaceBytes);
    const auto wrong =
        std::mismatch(found.begin() + from, found.begin() + end, wanted.begin() + from).first;
    tally.expect(wrong == found.begin() + end, [&] {
      return fmt::format("node {}, {}: byte {}", node, jobs[i].name,
                         wrong - found.begin() - static_cast<std::ptrdiff_t>(place(i)));
    });
  }
}

}  // namespace

void play_shapes(Stage& stage) {
  const std::uint32_t nodes = stage.shape().nodes();
  std::vector<std::vector<CalcJob>> jobs;
  std::vector<std::vector<std::byte>> results, passed_on;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const std::uint64_t seed = stage.seed() * 1'000 + n;
    const auto source = calc_source(seed);
    jobs.push_back(calc_jobs(stage.seed()));
    results.push_back(all_results(jobs[n], source, false));
    passed_on.push_back(all_results(jobs[n], source, true));
    stage.memory({n}).write(kSource, source);
    const std::vector<std::byte> guards(results[n].size(), kGuard);
    stage.memory({n}).write(kResult, guards);
    stage.memory({n}).write(kArrived, guards);
    stage.memory({n}).write(kPassed, guards);
    for (std::size_t i = 0; i < jobs[n].size(); ++i) write_list(stage, {n}, jobs[n], i);
  }
  stage.on_all_nodes(set_up);
  if (!stage.run(kBound)) return;
  const Cycles start = stage.now();
  const std::vector<std::string> groups{"descriptors of requests", "calculations", "memory reads",
                                        "memory writes", link_to_node_1(stage.shape())};
  show_opening(stage, start, {"computes", groups}, {"computes", groups});
  std::vector<Seen> seen(nodes);
  for (std::uint32_t n = 0; n < nodes; ++n) {
    stage.add_core({n}, [&, n](Device& device) { compute(device, jobs[n], seen[n]); });
  }
  if (!stage.run(kBound)) return;

  Tally computed("results"), arrived("results"), passed("results"), entries("CALCs"),
      queues("queues");
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const std::uint32_t before = (n + nodes - 1) % nodes;
    expect_results(n, jobs[n], stage.memory({n}), kResult, results[n], computed);
    expect_results(n, jobs[n], stage.memory({n}), kArrived, results[before], arrived);
    const std::uint32_t two_before = (before + nodes - 1) % nodes;
    expect_results(n, jobs[n], stage.memory({n}), kPassed, passed_on[two_before], passed);
    check_entries(n, jobs[n], seen[n], entries);
    const std::uint64_t zero = insert(0, registers::client_page::byte_counter_field::hit_zero, 1);
    queues.expect(seen[n].head == 0 && seen[n].arrivals == 0 && seen[n].read == zero, [&] {
      return fmt::format("node {}: queue, arrivals or bytes read do not stand at their end", n);
    });
  }
  computed.report(stage, "shapes.bits_of_cpp");
  arrived.report(stage, "shapes.bits_at_the_next_node");
  passed.report(stage, "shapes.bits_at_the_second_target");
  entries.report(stage, "shapes.status");
  queues.report(stage, "shapes.queues_done");
  const auto refused = std::count_if(jobs[0].begin(), jobs[0].end(),
                                     [](const CalcJob& job) { return job.status != Status::kOk; });
  stage.say(fmt::format("{} nodes: {} CALCs each, of which {} are refused, in {} cycles", nodes,
                        jobs[0].size(), refused, stage.now() - start));
}

}  // namespace torusmu

// SPDX-License-Identifier: Apache-2.0
#include "sim/play/scenario/collective_play.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>

#include "sim/machine/mix.h"
#include "sim/machine/profile.h"
#include "sim/play/must.h"
#include "torusmu/registers.h"
#include "torusmu/setup.h"

namespace torusmu {
namespace {

constexpr Cycles kBound = 20'000'000;
constexpr Cycles kQuiet = 25'000;  // until the messages of before have all been acknowledged
constexpr Cycles kOverlapStart = 250'000;  // when all begin, after two long sums
constexpr ClientId kClient{0};
constexpr Bytes kManyWindows = Bytes{16} << 10;  // of each of many groups

// Sums are exact, so that every order gives the same: whole numbers of 20 bits.
double operand(std::uint32_t member, std::uint64_t i) {
  return static_cast<double>(mix(member * 1'000'003 + i) & 0xFFFFF);
}

std::vector<std::byte> bytes_of(const std::vector<double>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(double));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

class Play {
 public:
  Play(Stage& stage, RunBy run_by, std::uint64_t count, Cycles skew, std::uint32_t groups)
      : stage_(stage),
        run_by_(run_by),
        count_(count),
        skew_(skew),
        nodes_(stage.shape().nodes()),
        plan_(plan_for(stage, stage.memory({0}).size(), groups)),
        cores_(nodes_),
        posted_(nodes_),
        complete_(nodes_),
        accesses_(nodes_),
        right_(nodes_) {
    for (std::uint32_t m = 0; m < nodes_; ++m) members_.push_back({m});
    for (std::uint64_t i = 0; i < count_; ++i) {
      double sum = 0;
      for (std::uint32_t m = 0; m < nodes_; ++m) sum += operand(m, i);
      sums_.push_back(sum);
    }
  }

  CollectiveTimes run() {
    for (std::uint32_t m = 0; m < nodes_; ++m) {
      cores_[m] = &stage_.add_core({m}, [this, m](Device& device) { be_member(m, device); });
    }
    CollectiveTimes times;
    times.ended = stage_.run(kBound);
    times.right = times.ended && std::find(right_.begin(), right_.end(), 0) == right_.end();
    times.posted = *std::max_element(posted_.begin(), posted_.end());
    times.complete = *std::max_element(complete_.begin(), complete_.end());
    for (const std::uint64_t accesses : accesses_) times.accesses += accesses;
    return times;
  }

 private:
  static NodePlan plan_for(const Stage& stage, Bytes memory, std::uint32_t groups) {
    PlanOptions options;
    options.offload_groups = groups;
    if (groups > 1) options.offload_window = kManyWindows;
    return NodePlan::make(stage.shape(), kProfile, memory, options).value();
  }
  void be_member(std::uint32_t member, Device& device) {
    must(NodeSetup(device, plan_).run(), "setup");
    Context context(device, plan_, kClient);
    Group group(context, members_, 0, run_by_);
    // Two, for the windows and counters of both, and so that all are there.
    must(group.barrier(context.now() + kBound), "first barrier");
    must(group.barrier(context.now() + kBound), "second barrier");
    std::vector<double> mine;
    for (std::uint64_t i = 0; i < count_; ++i) mine.push_back(operand(member, i));
    const auto in = context.take_heap(count_ * sizeof(double));
    const auto out = context.take_heap(count_ * sizeof(double));
    if (!in || !out) throw std::runtime_error("no memory");
    if (count_ != 0) device.store(in.value(), bytes_of(mine));
    // Nothing of before is under way, and the line is low.
    must(context.flush(context.now() + kBound), "flush");
    must(context.linger(kQuiet), "linger");
    device.write64(registers::client_page::interrupt_cause(kClient.value), ~std::uint64_t{0});
    (void)device.read64(registers::client_page::interrupt_cause(kClient.value));
    if (device.now() > kCollectiveStart) throw std::runtime_error("not ready in time");
    device.compute(kCollectiveStart - device.now() +
                   (member % 2 == 1 ? mix(member) % (skew_ + 1) : 0));

    const auto started = Operator(ReduceOp::kSum, DataType::kF64);
    if (run_by_ == RunBy::kSoftware) posted_[member] = device.now();
    const auto request =
        count_ == 0 ? group.ibarrier() : group.iallreduce(started, count_, in.value(), out.value());
    must(request.error(), "start");
    if (group.is_run_by_mu(request.value()) != (run_by_ == RunBy::kMu)) {
      throw std::runtime_error("the MU cannot run this call");
    }
    if (run_by_ == RunBy::kMu) posted_[member] = device.now();
    const std::uint64_t before = cores_[member]->counts().accesses();
    if (run_by_ == RunBy::kMu) {
      if (!device.wait_interrupt(kClient, device.now() + kBound))
        throw std::runtime_error("no end");
      complete_[member] = device.now();
      accesses_[member] = cores_[member]->counts().accesses() - before;
    }
    must(group.wait(request.value(), device.now() + kBound), "wait");
    if (run_by_ == RunBy::kSoftware) {
      complete_[member] = device.now();
      accesses_[member] = cores_[member]->counts().accesses() - before;
    }
    std::vector<std::byte> result(count_ * sizeof(double));
    if (count_ != 0) device.load(out.value(), result);
    right_[member] = result == bytes_of(sums_) ? 1 : 0;
    must(context.flush(context.now() + kBound), "flush");
  }

  Stage& stage_;
  RunBy run_by_;
  std::uint64_t count_;
  Cycles skew_;
  std::uint32_t nodes_;
  NodePlan plan_;
  std::vector<Task> members_;
  std::vector<double> sums_;
  std::vector<const Core*> cores_;
  std::vector<Cycles> posted_;
  std::vector<Cycles> complete_;
  std::vector<std::uint64_t> accesses_;
  std::vector<char> right_;
};

class OverlapPlay {
 public:
  OverlapPlay(Stage& stage, std::uint64_t count, Cycles slice, int calls_before)
      : stage_(stage),
        count_(count),
        slice_(slice),
        calls_before_(calls_before),
        nodes_(stage.shape().nodes()),
        plan_(NodePlan::make(stage.shape(), kProfile, stage.memory({0}).size()).value()),
        shares_(nodes_),
        right_(nodes_) {
    for (std::uint32_t m = 0; m < nodes_; ++m) members_.push_back({m});
  }

  OverlapTimes run() {
    for (std::uint32_t m = 0; m < nodes_; ++m) {
      stage_.add_core({m}, [this, m](Device& device) { be_member(m, device); });
    }
    OverlapTimes times;
    times.right = stage_.run(kBound) && std::find(right_.begin(), right_.end(), 0) == right_.end();
    times.core_free_share = *std::min_element(shares_.begin(), shares_.end());
    return times;
  }

 private:
  void be_member(std::uint32_t member, Device& device) {
    must(NodeSetup(device, plan_).run(), "setup");
    Context context(device, plan_, kClient);
    Group group(context, members_, 0, RunBy::kMu);
    const auto in = context.take_heap(count_ * sizeof(double));
    const auto out = context.take_heap(count_ * sizeof(double));
    if (!in || !out) throw std::runtime_error("no memory");
    const Operator sum(ReduceOp::kSum, DataType::kF64);
    device.store(in.value(), bytes_of(values([&](auto i) { return operand(member, i); })));
    for (int time = 0; time < calls_before_; ++time) {
      must(group.allreduce(sum, count_, in.value(), out.value(), context.now() + kBound), "sum");
    }
    must(context.flush(context.now() + kBound), "flush");
    must(context.linger(kQuiet), "linger");
    if (device.now() > kOverlapStart) throw std::runtime_error("not ready in time");
    device.compute(kOverlapStart - device.now());

    const Cycles called = device.now();
    Cycles computed = 0;
    const auto request = group.iallreduce(sum, count_, in.value(), out.value());
    must(request.error(), "start");
    std::error_code error;
    do {
      device.compute(slice_);
      computed += slice_;
    } while (!group.test(request.value(), &error));
    shares_[member] = static_cast<double>(computed) / static_cast<double>(device.now() - called);
    must(error, "sum");
    std::vector<std::byte> result(count_ * sizeof(double));
    device.load(out.value(), result);
    const auto sums = values([&](auto i) {
      double total = 0;
      for (std::uint32_t m = 0; m < nodes_; ++m) total += operand(m, i);
      return total;
    });
    right_[member] = result == bytes_of(sums) ? 1 : 0;
    must(context.flush(context.now() + kBound), "flush");
  }
  template <typename ValueOf>
  [[nodiscard]] std::vector<double> values(ValueOf value_of) const {
    std::vector<double> list;
    for (std::uint64_t i = 0; i < count_; ++i) list.push_back(value_of(i));
    return list;
  }

  Stage& stage_;
  std::uint64_t count_;
  Cycles slice_;
  int calls_before_;
  std::uint32_t nodes_;
  NodePlan plan_;
  std::vector<Task> members_;
  std::vector<double> shares_;
  std::vector<char> right_;
};

std::uint32_t ring_distance(std::uint32_t a, std::uint32_t b, std::uint32_t size, bool wraps) {
  const std::uint32_t there = a > b ? a - b : b - a;
  return wraps ? std::min(there, size - there) : there;
}

}  // namespace

CollectiveTimes play_collective(Stage& stage, RunBy run_by, std::uint64_t count, Cycles skew,
                                std::uint32_t groups) {
  return Play(stage, run_by, count, skew, groups).run();
}

OverlapTimes play_overlap(Stage& stage, std::uint64_t count, Cycles slice, int calls_before) {
  return OverlapPlay(stage, count, slice, calls_before).run();
}

Cycles barrier_link_cycles(const Shape& shape, unsigned latency) {
  const std::uint32_t nodes = shape.nodes();
  std::vector<Cycles> ready(nodes);
  for (std::uint32_t distance = 1; distance < nodes; distance *= 2) {
    std::vector<Cycles> next = ready;
    for (std::uint32_t m = 0; m < nodes; ++m) {
      const std::uint32_t to = (m + distance) % nodes;
      const Coordinates a = shape.coordinates({m});
      const Coordinates b = shape.coordinates({to});
      const std::uint32_t hops = ring_distance(a.x, b.x, shape.x, shape.torus_x) +
                                 ring_distance(a.y, b.y, shape.y, shape.torus_y) +
                                 ring_distance(a.z, b.z, shape.z, shape.torus_z);
      next[to] = std::max(next[to], ready[m] + Cycles{hops} * latency);
    }
    ready = next;
  }
  return *std::max_element(ready.begin(), ready.end());
}

}  // namespace torusmu

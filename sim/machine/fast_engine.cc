// SPDX-License-Identifier: Apache-2.0
// The fast engine: instances of one Verilated node, run in windows of L cycles each, on one or more
// threads.
#include <fmt/format.h>
#include <linux/mman.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#include <verilated.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <span>
#include <stdexcept>
#include <thread>
#include <tuple>

#include "sim/machine/assertion.h"
#include "sim/machine/barrier.h"
#include "sim/machine/engine.h"
#include "sim/machine/errors.h"
#include "sim/machine/fast_node.h"
#include "sim/machine/faults.h"
#include "sim/machine/node_batch.h"
#include "sim/machine/wave_writer.h"

namespace torusmu {
namespace {

class FastEngine final : public MachineEngine {
 public:
  FastEngine(const EngineConfig& config, std::vector<std::unique_ptr<NodeShell>>& shells);

  bool run(Cycles limit, bool stop_when_done) override;
  [[nodiscard]] Cycles now() const override { return cursor_; }
  [[nodiscard]] EngineCounts counts() const override;
  std::vector<Event> take_events() override;
  void close_waves() override {
    if (wave_) wave_->close();
    wave_.reset();
  }
  [[nodiscard]] std::string top_module() const override { return "mu_gated_node"; }

 private:
  // What one thread found out about its nodes in a window.
  struct alignas(64) Report {
    Cycles next_event = kNever;  // earliest of its nodes, if all sleep
    bool awake = false;
    bool sent = false;
    bool failed = false;
    unsigned running = 0;
    Cycles last_busy = 0;
    std::exception_ptr error;
    Cycles error_cycle = kNever;
  };

  [[nodiscard]] std::array<SignalCable*, kCables> tree_cables(NodeId node) const;
  void run_thread(unsigned thread, Barrier& barrier);
  void run_nodes(unsigned thread, Cycles to);
  void run_in_lockstep(Cycles to);
  void close_window();
  static void look_at(const FastNode& node, Report& report);
  void report_error(const FastNode& node, Report& report, const std::exception_ptr& error);

  EngineConfig config_;
  VerilatedContext context_;
  std::vector<std::unique_ptr<FastNode>> nodes_;
  std::vector<std::vector<Event>> events_;
  FaultInjector faults_;
  std::unique_ptr<WaveWriter> wave_;
  std::vector<Report> reports_;

  std::uint64_t window_ = 0;
  Cycles start_ = 0;   // of the window
  Cycles cursor_ = 0;  // all nodes have run up to here
  bool sent_ = false;  // anything, in the window so far
  Cycles limit_ = 0;
  bool stop_when_done_ = false;
  bool stop_ = false;
  bool ended_ = false;
};

constexpr std::uintptr_t kLargePage = 2 << 20;

// The heap, as nodes want it, for the whole process. States of nodes that each begin a page of
// memory compete for the same places of the processor's first cache: from one heap, which takes
// blocks of up to 32 MiB too, they lie apart, and an eighth fewer are missed with four in turn. It
// grows by much, so that what follows the nodes, their memories above all, lies in what
// put_into_large_pages() sees.
void lay_nodes_apart() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TOP_PAD, 64 << 20);
}

// What 64 nodes use takes more pages of 4 KiB than a processor keeps translations of; of pages of
// 2 MiB it keeps them all, for 3 to 6 % more speed. Where the kernel has none all stays as it is.
void put_into_large_pages(const std::vector<std::unique_ptr<FastNode>>& nodes) {
  std::uintptr_t from = std::numeric_limits<std::uintptr_t>::max(), to = 0;
  for (const auto& node : nodes) {
    from = std::min({from, reinterpret_cast<std::uintptr_t>(&node->shell()),
                     reinterpret_cast<std::uintptr_t>(&node->root())});
    to = std::max(to, reinterpret_cast<std::uintptr_t>(&node->root()));
  }
  from = from / kLargePage * kLargePage + kLargePage;
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0)) / kLargePage * kLargePage;
  if (from >= end || to > end) return;
  auto* const begin = reinterpret_cast<void*>(from);
  madvise(begin, end - from, MADV_HUGEPAGE);
  // What is there already.
  if (from < to) madvise(begin, to / kLargePage * kLargePage + kLargePage - from, MADV_COLLAPSE);
}

std::unique_ptr<WaveWriter> open_wave(const WaveConfig& config, VerilatedContext& context) {
  if (config.file.empty()) return nullptr;
  std::unique_ptr<WaveWriter> wave = config.open != nullptr ? config.open(context) : nullptr;
  if (!wave) throw UsageError("this build writes no waves: use build/torusmu-wave (make wave)");
  return wave;
}

FastEngine::FastEngine(const EngineConfig& config, std::vector<std::unique_ptr<NodeShell>>& shells)
    : config_(config), faults_(config.fault, config.shape) {
  config_.threads = std::clamp(config.threads, 1U, config.shape.nodes());
  // A trace shows all nodes at one cycle, so they cannot run apart.
  if (!config.wave.file.empty()) config_.threads = 1;
  context_.assertOn(config.assertions);
  lay_nodes_apart();
  wave_ = open_wave(config.wave, context_);
  for (auto& shell : shells) {
    nodes_.push_back(std::make_unique<FastNode>(&context_, config.shape, config.latency, *shell,
                                                "node_" + std::to_string(shell->node().value)));
    nodes_.back()->set_gating(config.gating);
  }
  put_into_large_pages(nodes_);
  if (config.record) {
    events_.resize(nodes_.size());
    for (std::size_t n = 0; n < nodes_.size(); ++n) nodes_[n]->record_to(&events_[n]);
  }
  for (auto& node : nodes_) {
    std::array<Link*, kDirections> arriving{};
    for (unsigned d = 0; d < kDirections; ++d) {
      const NodeId from = neighbour(config.shape, node->shell().node(), d);
      if (from.value < nodes_.size()) arriving[d] = &nodes_[from.value]->link(d ^ 1U);
    }
    node->connect(arriving);
    node->connect_tree(tree_cables(node->shell().node()));
  }
  if (wave_) wave_->attach(nodes_, config.wave);
  reports_.resize(config_.threads);
}

// What arrives at a node from its parent and its children in the tree: ranks are node numbers, and
// the children of rank r are 2r + 1 and 2r + 2, as rtl/mu_torus.sv has them.
std::array<SignalCable*, kCables> FastEngine::tree_cables(NodeId node) const {
  const std::size_t rank = node.value, left = 2 * rank + 1, right = 2 * rank + 2;
  std::array<SignalCable*, kCables> cables{};
  if (rank != 0) {
    FastNode& parent = *nodes_[(rank - 1) / 2];
    cables[0] = &parent.cable(rank % 2 == 1 ? Cable::kLeft : Cable::kRight);
  }
  if (left < nodes_.size()) cables[1] = &nodes_[left]->cable(Cable::kParent);
  if (right < nodes_.size()) cables[2] = &nodes_[right]->cable(Cable::kParent);
  return cables;
}

bool FastEngine::run(Cycles limit, bool stop_when_done) {
  ended_ = false;
  if (limit <= cursor_) return false;
  limit_ = limit;
  stop_when_done_ = stop_when_done;
  stop_ = false;
  Barrier barrier(config_.threads);
  std::vector<std::jthread> others;
  for (unsigned i = 1; i < config_.threads; ++i) {
    others.emplace_back([this, i, &barrier] { run_thread(i, barrier); });
  }
  run_thread(0, barrier);
  others.clear();
  const Report* first = nullptr;
  for (const Report& report : reports_) {
    if (report.error && (first == nullptr || report.error_cycle < first->error_cycle)) {
      first = &report;
    }
  }
  if (first != nullptr) std::rethrow_exception(first->error);
  return ended_;
}

void FastEngine::run_thread(unsigned thread, Barrier& barrier) {
  while (!stop_) {
    const Cycles to = std::min(start_ + config_.latency, limit_);
    if (wave_ && wave_->covers(cursor_, to)) {
      run_in_lockstep(to);
    } else {
      run_nodes(thread, to);
    }
    barrier.meet([&] {
      cursor_ = to;
      close_window();
    });
  }
}

void FastEngine::look_at(const FastNode& node, Report& report) {
  report.awake |= !node.asleep();
  report.sent |= node.sent();
  report.failed |= node.shell().failed();
  report.running += node.shell().running_cores();
  report.last_busy = std::max(report.last_busy, node.last_busy());
  report.next_event = std::min(report.next_event, node.next_event());
}

void FastEngine::report_error(const FastNode& node, Report& report,
                              const std::exception_ptr& error) {
  const NodeId id = node.shell().node();
  const std::string place =
      fmt::format("{}, cycle {}: ", node_name(config_.shape, id), node.cycle());
  report.error_cycle = node.cycle();
  try {
    std::rethrow_exception(error);
  } catch (const AssertionFailure& failure) {
    FailedAssertion assertion = failure.assertion();
    assertion.node = id;
    assertion.cycle = node.cycle();
    report.error = std::make_exception_ptr(AssertionFailure(assertion, place + failure.what()));
  } catch (const std::exception& exception) {
    report.error = std::make_exception_ptr(std::runtime_error(place + exception.what()));
  }
}

void FastEngine::run_nodes(unsigned thread, Cycles to) {
  Report& report = reports_[thread];
  report = {};
  const std::span nodes(nodes_);
  const std::size_t last = nodes.size() * (thread + 1) / config_.threads;
  for (std::size_t n = nodes.size() * thread / config_.threads; n < last;) {
    const auto batched = nodes.subspan(n, std::min(NodeBatch::kNodes, last - n));
    NodeBatch batch(batched, config_.sleeping, config_.two_evaluations);
    if (const auto failure = batch.run(window_, start_, cursor_, to)) {
      report_error(*failure->node, report, failure->error);
      to = report.error_cycle;  // the others may have failed before it, and do not run beyond it
    }
    for (const auto& node : batched) look_at(*node, report);
    n += batched.size();
  }
}

// For traces: all nodes at the same cycle, each evaluated in every cycle.
void FastEngine::run_in_lockstep(Cycles to) {
  Report& report = reports_[0];
  report = {};
  for (auto& node : nodes_) node->begin_window(window_, start_);
  for (Cycles t = cursor_; t < to; ++t) {
    for (auto& node : nodes_) {
      try {
        node->step(t);
      } catch (const std::exception&) {
        report_error(*node, report, std::current_exception());
        wave_->dump(t);
        return;
      }
    }
    wave_->dump(t);
  }
  for (const auto& node : nodes_) look_at(*node, report);
}

// One thread alone, between windows.
void FastEngine::close_window() {
  Report all;
  bool error = false;
  for (const Report& report : reports_) {
    all.awake |= report.awake;
    all.sent |= report.sent;
    all.failed |= report.failed;
    all.running += report.running;
    all.last_busy = std::max(all.last_busy, report.last_busy);
    all.next_event = std::min(all.next_event, report.next_event);
    error |= report.error != nullptr;
  }
  sent_ |= all.sent;
  if (error || all.failed) {
    stop_ = true;
    return;
  }
  if (cursor_ == start_ + config_.latency) {
    if (faults_.active()) faults_.apply(nodes_, window_, start_, config_.latency);
    const bool quiet = !sent_ && !all.awake;
    if (quiet && stop_when_done_ && all.running == 0 && !ended_) {
      const Cycles settled = all.last_busy + kSettleCycles;
      if (settled <= limit_) {
        ended_ = true;
        limit_ = settled;
      }
    }
    if (quiet && config_.sleeping) {
      // Nothing on the links and everybody asleep: time jumps to the next event, but not within
      // waves.
      Cycles to = std::min(all.next_event, limit_);
      if (wave_ && wave_->covers(cursor_, to)) to = config_.wave.from;
      cursor_ = std::max(cursor_, to);
    }
    ++window_;
    start_ = cursor_;
    sent_ = false;
  }
  if (config_.reached) config_.reached->store(cursor_);
  if (cursor_ >= limit_) stop_ = true;
}

EngineCounts FastEngine::counts() const {
  EngineCounts counts;
  for (const auto& node : nodes_) {
    counts.evaluated += node->evaluated();
    counts.flit_hash += node->hash();
    counts.flits_taken += node->flits_taken();
    counts.link_flits.push_back(node->flits());
    for (const std::uint64_t flits : node->flits()) counts.flits += flits;
  }
  counts.fault = faults_.place();
  return counts;
}

std::vector<Event> FastEngine::take_events() {
  std::vector<Event> all;
  for (auto& events : events_) {
    all.insert(all.end(), events.begin(), events.end());
    events.clear();
  }
  std::stable_sort(all.begin(), all.end(), [](const Event& a, const Event& b) {
    return std::tie(a.cycle, a.node.value, a.kind) < std::tie(b.cycle, b.node.value, b.kind);
  });
  return all;
}

}  // namespace

std::unique_ptr<MachineEngine> make_fast_engine(const EngineConfig& config,
                                                std::vector<std::unique_ptr<NodeShell>>& nodes) {
  if (config.latency < 1 || config.latency > 32) {
    throw UsageError("link latency " + std::to_string(config.latency) + " is not in 1..32");
  }
  return std::make_unique<FastEngine>(config, nodes);
}

}  // namespace torusmu

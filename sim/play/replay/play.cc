// SPDX-License-Identifier: Apache-2.0
#include "sim/play/replay/play.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "sim/machine/profile.h"
#include "sim/observe/percentile.h"
#include "sim/play/replay/needs.h"
#include "sim/play/replay/rank_play.h"

namespace torusmu::replay {
namespace {

Cycles stall_after(const Trace& trace, const PlayOptions& options) {
  if (options.stall_after != 0) return options.stall_after;
  // Recovery takes up to a few probes of the library; a long transfer ends no call meanwhile.
  constexpr Cycles kRecovery = 50'000'000;
  constexpr Cycles kCyclesPerByte = 8;
  return kRecovery + kCyclesPerByte * longest_transfer(trace);
}

// Throws UsageError that says which call of the trace takes more memory than a node has for it.
[[noreturn]] void refuse_heap(const Trace& trace, const HeapNeed& need, const NodePlan& without,
                              Bytes memory) {
  const std::uint32_t tasks = without.options().clients;
  throw UsageError(fmt::format(
      "{}:{}:1: with this call rank {} has buffers of {} bytes in use, and the node has memory for "
      "{} of each rank: use shorter messages, wait for earlier ones before{}",
      trace.name, need.line, need.rank, need.bytes, (memory - without.end()) / tasks,
      tasks == 1 ? "" : fmt::format(", or have fewer than {} ranks a node", tasks)));
}

constexpr std::uint32_t kStoreEntries = 64;

PlanOptions plan_options(const Trace& trace, const PlayOptions& options) {
  PlanOptions wanted;
  wanted.clients = options.tasks_per_node;
  if (options.store_by == StoreBy::kMu) wanted.store_entries = kStoreEntries;
  wanted.buffer_bytes = std::max(wanted.buffer_bytes, 4 * options.eager_limit);
  wanted.notice_slots = std::max(wanted.notice_slots, notice_slots(trace, wanted.buffer_bytes));
  return wanted;
}

void require_nodes(const Stage& stage, const Trace& trace, const PlayOptions& options) {
  const std::uint32_t nodes = stage.shape().nodes();
  if (nodes * options.tasks_per_node >= trace.ranks.size()) return;
  throw UsageError(
      options.tasks_per_node == 1
          ? fmt::format("{} has {} ranks, the machine only {} nodes: rank r needs node r",
                        trace.name, trace.ranks.size(), nodes)
          : fmt::format("{} has {} ranks, the machine only {} nodes of {} tasks: rank r needs "
                        "node r / {}",
                        trace.name, trace.ranks.size(), nodes, options.tasks_per_node,
                        options.tasks_per_node));
}

// Throws UsageError.
NodePlan make_plan(Stage& stage, const Trace& trace, const PlayOptions& options) {
  require_nodes(stage, trace, options);
  PlanOptions wanted = plan_options(trace, options);
  const Bytes memory = stage.memory({0}).size();
  wanted.heap_bytes = 0;
  const auto without = NodePlan::make(stage.shape(), kProfile, memory, wanted);
  if (!without) throw UsageError(trace.name + ": " + without.message());
  const HeapNeed need = heap_of(trace);
  wanted.heap_bytes = need.bytes;
  const auto plan = NodePlan::make(stage.shape(), kProfile, memory, wanted);
  if (!plan) refuse_heap(trace, need, without.value(), memory);
  return plan.value();
}

class Player {
 public:
  Player(Stage& stage, const Trace& trace, const PlayOptions& options)
      : stage_(stage),
        trace_(trace),
        options_(options),
        plan_(make_plan(stage, trace, options)),
        common_(stage, trace, options_, plan_),
        ranks_(trace.ranks.size()) {
    if (const auto stuck = common_.matching.deadlock(options.eager_limit)) {
      throw UsageError(fmt::format("{}: deadlock: {}", trace.name, *stuck));
    }
    expect_reductions();
  }

  void play() {
    start_ = stage_.now();
    const Cycles bound = options_.deadline + computed(trace_) + options_.start_skew;
    common_.deadline = start_ + bound;
    common_.stall_after = stall_after(trace_, options_);
    common_.last_progress = start_ + options_.start_skew;
    std::vector<const Core*> cores;
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      cores.push_back(&stage_.add_core(common_.node_of(r), [this, r](Device& device) {
        RankPlay(common_, r, ranks_[r], device).run();
      }));
    }
    run(bound + kLinger);  // so that the library says what was waited for
    report_checks();
    report_figures(cores);
  }

 private:
  void run(Cycles cycles) {
    try {
      stage_.run(cycles);
    } catch (...) {
      // What stops the machine in the middle does not know its ranks.
      stage_.say("ranks: " + common_.explain());
      throw;
    }
  }

  // What every reduction gives in the library's order of operands, worked out from the trace alone.
  void expect_reductions() {
    const auto& collectives = common_.matching.collectives();
    for (std::size_t i = 0; i < collectives[0].size(); ++i) {
      const TraceEvent& first = trace_.ranks[0][collectives[0][i]];
      std::vector<std::byte>& expected = common_.reductions.emplace_back();
      if (!is_reduction(first.call)) continue;
      std::vector<std::vector<std::byte>> operands;
      operands.reserve(collectives.size());
      for (std::size_t r = 0; r < collectives.size(); ++r) {
        operands.push_back(trace_.ranks[r][collectives[r][i]].in);
      }
      expected = first.call == Call::kAllreduce
                     ? allreduce_in_order(first.op, first.type, std::move(operands))
                     : reduce_in_order(first.op, first.type, first.peer, std::move(operands));
    }
  }

  // --- report ---

  // The sum of what all ranks have counted.
  template <typename T>
  T total(T RankResult::*count) const {
    T sum = 0;
    for (const RankResult& rank : ranks_) sum += rank.*count;
    return sum;
  }
  std::uint64_t total(std::uint64_t ContextCounts::*count) const {
    std::uint64_t sum = 0;
    for (const RankResult& rank : ranks_) sum += rank.counts.*count;
    return sum;
  }
  std::string first_of(std::string RankResult::*text) const {
    for (const RankResult& rank : ranks_) {
      if (!(rank.*text).empty()) return ": " + rank.*text;
    }
    return "";
  }

  void report_checks() {
    const Bytes wrong = total(&RankResult::wrong);
    const bool has_all = total_received() == trace_.messages;
    stage_.check(
        "payload", wrong == 0 && has_all,
        fmt::format("{}{} bytes compared, {} wrong{}", has_all ? "" : how_many_came() + ", ",
                    total(&RankResult::compared), wrong, first_of(&RankResult::first_wrong)));
    const std::uint64_t reductions = total(&RankResult::reductions);
    const std::uint64_t out_of_order = total(&RankResult::reductions_out_of_order);
    stage_.check("reductions", out_of_order == 0 && reductions == wanted_results(),
                 fmt::format("{} of {} results have the bits of the documented order",
                             reductions - out_of_order, wanted_results()));
    const std::uint64_t results_wrong = total(&RankResult::results_wrong);
    stage_.check("results", results_wrong == 0,
                 fmt::format("{} results differ from the trace{}; {} others only by rounding",
                             results_wrong, first_of(&RankResult::first_result_wrong),
                             total(&RankResult::results_rounded)));
  }

  std::uint64_t wanted_results() const {
    std::uint64_t count = 0;
    for (const auto& events : trace_.ranks) {
      count += static_cast<std::uint64_t>(std::count_if(
          events.begin(), events.end(), [](const TraceEvent& e) { return !e.out.empty(); }));
    }
    return count;
  }

  // Calls visit(message) for every message that has arrived.
  template <typename Visit>
  void for_each_message(const Visit& visit) const {
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      for (const Received& receive : ranks_[r].receives) {
        const std::size_t place =
            common_.matching.place_of_send(receive.from, r, receive.tag, receive.number);
        visit(ProgramMessage{.from = common_.node_of(receive.from),
                             .to = common_.node_of(r),
                             .from_rank = receive.from,
                             .to_rank = r,
                             .tag = static_cast<std::uint32_t>(receive.tag),
                             .bytes = trace_.ranks[receive.from][place].bytes,
                             .sent = ranks_[receive.from].started[place],
                             .complete = receive.complete,
                             .awaited = receive.start});
      }
    }
  }

  // From the later of the two calls to the message's completion, cycles; sorted.
  std::vector<Cycles> sorted_latencies() const {
    std::vector<Cycles> all;
    for_each_message([&all](const ProgramMessage& message) { all.push_back(message.latency()); });
    std::sort(all.begin(), all.end());
    return all;
  }

  std::string how_many_came() const {
    return fmt::format("{} of {} messages received", total_received(), trace_.messages);
  }
  bool is_finished() const {
    return std::all_of(ranks_.begin(), ranks_.end(),
                       [](const RankResult& rank) { return rank.ended != 0; });
  }

  // What other totals hold that the program's do not.
  void say_totals(std::uint64_t eager, std::uint64_t requested, Cycles begun, Cycles ended) {
    stage_.say(fmt::format(
        "the library sent {} messages, those of collectives and of the end among them: {} eager, "
        "{} fetched by their receivers",
        eager + requested, eager, requested));
    stage_.say(fmt::format(
        "before the program {} cycles of set-up, behind it {} in which ranks still answer",
        begun - start_, stage_.now() - ended));
  }

  [[nodiscard]] std::uint64_t collectives_by_cores() const {
    std::uint64_t sum = 0;
    for (const auto& [why, calls] : reasons()) sum += calls;
    return sum;
  }
  // Of all ranks.
  [[nodiscard]] std::map<ByCores, std::uint64_t> reasons() const {
    std::map<ByCores, std::uint64_t> all;
    for (const RankResult& rank : ranks_) {
      for (const auto& [why, calls] : rank.collectives_by_cores) all[why] += calls;
    }
    return all;
  }
  void say_who_ran_collectives() {
    std::string left;
    for (const auto& [why, calls] : reasons()) {
      left += fmt::format("{}{} {}", left.empty() ? ": " : ", ", calls, text_of(why));
    }
    stage_.say(fmt::format("collectives of all ranks: {} run by the MU, {} by the cores{}",
                           total(&RankResult::collectives_by_mu), collectives_by_cores(), left));
  }

  [[nodiscard]] std::string program() const { return trace_.app.empty() ? "program" : trace_.app; }

  void report_figures(const std::vector<const Core*>& cores) {
    Cycles begun = std::numeric_limits<Cycles>::max();
    Cycles ended = 0;
    for (const RankResult& rank : ranks_) {
      begun = std::min(begun, rank.begun);
      ended = std::max(ended, rank.ended);
    }
    CoreCounts sum;
    for (const Core* core : cores) {
      sum.register_reads += core->counts().register_reads;
      sum.register_writes += core->counts().register_writes;
      sum.loads += core->counts().loads;
      sum.stores += core->counts().stores;
    }
    PollCounts polling;
    for (const RankResult& rank : ranks_) polling += rank.polling;
    stage_.program_time(std::min(begun, ended), ended);
    for_each_message([this](const ProgramMessage& message) { stage_.message(message); });
    const std::vector<Cycles> latencies = sorted_latencies();
    const auto latency = [&](unsigned percent) { return percentile(latencies, percent); };
    const Cycles cycles = ended - std::min(begun, ended);
    const std::uint64_t eager = total(&ContextCounts::sent_eager);
    const std::uint64_t requested = total(&ContextCounts::sent_by_request);
    const std::pair<const char*, std::uint64_t> figures[] = {
        {"replay.cycles", cycles},
        {"replay.messages", total_received()},
        {"replay.bytes", trace_.bytes},
        {"replay.bytes_compared", total(&RankResult::compared)},
        {"replay.latency_p50_cycles", latency(50)},
        {"replay.latency_p90_cycles", latency(90)},
        {"replay.latency_p99_cycles", latency(99)},
        {"replay.latency_max_cycles", latency(100)},
        {"replay.register_reads", sum.register_reads},
        {"replay.register_writes", sum.register_writes},
        {"replay.memory_accesses", sum.loads + sum.stores},
        {"replay.polls", total(&ContextCounts::polls)},
        {"replay.status_requests", polling.requests},
        {"replay.status_polls", polling.polls},
        {"replay.status_polls_empty", polling.empty},
        {"replay.status_polls_skipped", polling.skipped},
        {"replay.status_polls_overruled", polling.overruled},
        {"replay.polling_cycles", polling.empty_cycles + polling.skipped_cycles},
        {"replay.eager_messages", eager},
        {"replay.requested_messages", requested},
        {"replay.unexpected_messages", total(&ContextCounts::received_unexpected)},
        {"replay.refusals", total(&ContextCounts::refusals)},
        {"replay.resent_messages", total(&ContextCounts::resent)},
        {"replay.stored_by_mu", total(&ContextCounts::stored_by_mu)},
        {"replay.collectives_by_mu", total(&RankResult::collectives_by_mu)},
        {"replay.collectives_by_cores", collectives_by_cores()},
    };
    for (const auto& [name, value] : figures) stage_.figure(name, static_cast<double>(value));
    if (is_finished()) {
      stage_.say(fmt::format(
          "{} ({} ranks): {} messages of {} bytes in {} cycles; eager up to {} bytes", program(),
          ranks_.size(), total_received(), trace_.bytes, cycles, options_.eager_limit));
      say_totals(eager, requested, std::max(start_, std::min(begun, ended)), ended);
    } else {
      stage_.say(fmt::format("{} ({} ranks): not finished, {}; what follows is of that part",
                             program(), ranks_.size(), how_many_came()));
    }
    stage_.say(fmt::format("latency {} / {} / {} / {} cycles (50 %, 90 %, 99 %, most)", latency(50),
                           latency(90), latency(99), latency(100)));
    stage_.say(fmt::format("{} register reads, {} register writes, {} memory accesses, {} polls",
                           sum.register_reads, sum.register_writes, sum.loads + sum.stores,
                           total(&ContextCounts::polls)));
    if (options_.run_by == RunBy::kMu) say_who_ran_collectives();
    stage_.say(fmt::format(
        "polling {}: {} status requests, {} polls made, {} skipped, {} empty, {} by the bound; "
        "{} cycles of cores for nothing",
        name_of(options_.polling), polling.requests, polling.polls, polling.skipped, polling.empty,
        polling.overruled, polling.empty_cycles + polling.skipped_cycles));
  }

  std::uint64_t total_received() const {
    std::uint64_t sum = 0;
    for (const RankResult& rank : ranks_) sum += rank.receives.size();
    return sum;
  }

  Stage& stage_;
  const Trace& trace_;
  const PlayOptions options_;
  const NodePlan plan_;
  Common common_;
  std::vector<RankResult> ranks_;
  Cycles start_ = 0;
};

}  // namespace

Shape shape_for(const Trace& trace, std::uint32_t tasks_per_node) {
  constexpr std::uint32_t kMost = 16;
  const auto ranks = static_cast<std::uint32_t>(trace.ranks.size());
  const std::uint32_t n = (ranks + tasks_per_node - 1) / tasks_per_node;
  Shape best{3 * kMost, 1, 1};
  for (std::uint32_t z = 1; z <= kMost; ++z) {
    for (std::uint32_t y = z; y <= kMost; ++y) {
      if (n % (z * y) != 0) continue;
      const std::uint32_t x = n / (z * y);
      if (x >= y && x <= kMost && x + y + z < best.x + best.y + best.z) best = {x, y, z};
    }
  }
  if (best.x > kMost) {
    throw UsageError(
        fmt::format("no torus of at most 16 nodes a dimension has exactly {} nodes: "
                    "give a larger one with --mesh",
                    n));
  }
  return best;
}

void play(Stage& stage, const Trace& trace, const PlayOptions& options) {
  Player(stage, trace, options).play();
}

}  // namespace torusmu::replay

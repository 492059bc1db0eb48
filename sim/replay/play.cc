// SPDX-License-Identifier: Apache-2.0
#include "sim/replay/play.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

#include "sim/mix.h"
#include "sim/profile.h"
#include "sim/replay/made_up.h"
#include "sim/replay/needs.h"
#include "torusmu/setup.h"

namespace torusmu::replay {
namespace {

constexpr std::byte kUntouched{0xA5};  // what a buffer holds before its message
constexpr Cycles kLinger = 300'000;    // a rank that is through still answers for so long
constexpr Cycles kSetupLook = 100;     // between two looks whether the node is set up

[[noreturn]] void fail(const TraceEvent& event, std::error_code error) {
  throw std::runtime_error(fmt::format("trace line {}: {}", event.line, error.message()));
}

class Player {
 public:
  Player(Stage& stage, const Trace& trace, const PlayOptions& options)
      : stage_(stage),
        trace_(trace),
        options_(options),
        plan_(make_plan(stage, trace, options)),
        ranks_(trace.ranks.size()),
        nodes_(stage.shape().nodes()) {
    expect_reductions();
    for (std::uint32_t r = 0; r < trace_.ranks.size(); ++r) {
      for (const TraceEvent& event : trace_.ranks[r]) {
        if (event.call == Call::kIsend || event.call == Call::kSend) {
          lengths_[key_of(r, event.peer, event.tag, event.number)] = event.bytes;
        }
      }
    }
  }

  void play() {
    const Cycles start = stage_.now();
    std::vector<const Core*> cores;
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      cores.push_back(&stage_.add_core(node_of(r), [this, r](Device& device) { run(r, device); }));
    }
    const Cycles bound = options_.deadline + computed(trace_) + options_.start_skew;
    deadline_ = start + bound;
    stage_.run(bound + kLinger);  // so that the library says what was waited for
    report_checks();
    report_figures(cores);
  }

 private:
  struct Operation {
    Request request;
    const TraceEvent* event = nullptr;
    Address buffer = 0;
    Cycles start = 0;
  };
  struct Received {
    const TraceEvent* event = nullptr;
    Cycles start = 0;
    Cycles complete = 0;
  };
  // What one rank has found out; only its own core writes it.
  struct Rank {
    Cycles begun = 0;
    Cycles ended = 0;
    Bytes compared = 0;
    Bytes wrong = 0;
    std::string first_wrong;
    std::uint64_t reductions = 0;
    std::uint64_t reductions_out_of_order = 0;
    std::uint64_t results_wrong = 0;
    std::string first_result_wrong;
    std::uint64_t results_rounded = 0;
    std::map<const TraceEvent*, Cycles> sends;  // when each was started
    std::vector<Received> receives;
    ContextCounts counts;
    PollCounts polling;
  };

  // Of one node; only its own cores look.
  struct Node {
    bool has_begun = false;  // a core sets it up
    bool is_ready = false;
  };

  static NodePlan make_plan(Stage& stage, const Trace& trace, const PlayOptions& options) {
    if (stage.shape().nodes() * options.tasks_per_node < trace.ranks.size()) {
      throw UsageError(
          options.tasks_per_node == 1
              ? fmt::format("{} has {} ranks, the machine only {} nodes: rank r needs node r",
                            trace.name, trace.ranks.size(), stage.shape().nodes())
              : fmt::format("{} has {} ranks, the machine only {} nodes of {} tasks: rank r needs "
                            "node r / {}",
                            trace.name, trace.ranks.size(), stage.shape().nodes(),
                            options.tasks_per_node, options.tasks_per_node));
    }
    PlanOptions wanted;
    wanted.clients = options.tasks_per_node;
    wanted.heap_bytes = 0;
    for (const auto& events : trace.ranks) {
      wanted.heap_bytes = std::max(wanted.heap_bytes, heap_of(events, trace.ranks.size()));
    }
    wanted.buffer_bytes = std::max(wanted.buffer_bytes, 4 * options.eager_limit);
    const auto plan = NodePlan::make(stage.shape(), kProfile, stage.memory({0}).size(), wanted);
    if (!plan) throw UsageError(trace.name + ": " + plan.error().message());
    if (options.run_by == RunBy::kMu && plan.value().offload_groups() == 0) {
      throw UsageError(fmt::format(
          "{} tasks a node leave no event counters for collectives run by the MU: must be fewer",
          options.tasks_per_node));
    }
    return plan.value();
  }

  NodeId node_of(std::uint32_t rank) const { return plan_.place({rank}).node; }

  // --- one rank ---

  // The first rank of a node to start sets it up; packets that come before are refused and sent
  // again.
  void start_rank(std::uint32_t rank, Device& device) {
    if (options_.start_skew != 0) {
      device.compute(mix(mix(stage_.seed()) + rank) % (options_.start_skew + 1));
    }
    Node& node = nodes_[node_of(rank).value];
    if (!std::exchange(node.has_begun, true)) {
      check(NodeSetup(device, plan_).run());
      node.is_ready = true;
    }
    while (!node.is_ready) device.compute(kSetupLook);
  }

  void run(std::uint32_t rank, Device& device) {
    Rank& own = ranks_[rank];
    start_rank(rank, device);
    ContextOptions options;
    options.eager_limit = options_.eager_limit;
    options.polling = options_.polling;
    Context context(device, plan_, plan_.place({rank}).client, options);
    std::vector<Task> members;
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) members.push_back({r});
    Group world(context, members, 0, options_.run_by);
    check(world.barrier(deadline_));

    own.begun = context.now();
    std::map<std::uint64_t, Operation> under_way;
    std::uint64_t collective = 0;
    for (const TraceEvent& event : trace_.ranks[rank]) {
      switch (event.call) {
        case Call::kCompute:
          device.compute(event.cycles);
          break;
        case Call::kIsend:
        case Call::kIrecv:
          under_way[event.request] = start(rank, context, event);
          break;
        case Call::kSend:
        case Call::kRecv:
          finish(rank, context, start(rank, context, event));
          break;
        case Call::kWait:
          finish(rank, context, under_way.at(event.request));
          under_way.erase(event.request);
          break;
        case Call::kAllreduce:
        case Call::kReduce:
          reduce(rank, context, world, event, collective++);
          break;
        case Call::kBroadcast:
          broadcast(rank, context, world, event, collective++);
          break;
        case Call::kBarrier:
          ++collective;
          if (const auto error = world.barrier(deadline_)) fail(event, error);
          break;
      }
    }
    for (const auto& [request, operation] : under_way) finish(rank, context, operation);
    own.ended = context.now();
    own.polling = context.poller().counts();

    // Nobody leaves before everybody is through, and everybody answers a while longer.
    check(context.flush(deadline_));
    check(world.barrier(deadline_));
    check(context.flush(deadline_));
    check(context.linger(kLinger));
    own.counts = context.counts();
  }

  static void check(std::error_code error) {
    if (error) throw std::system_error(error);
  }

  Address take(Context& context, const TraceEvent& event, Bytes bytes) {
    const auto address = context.take_heap(bytes);
    if (!address) fail(event, address.error());
    return address.value();
  }

  Operation start(std::uint32_t rank, Context& context, const TraceEvent& event) {
    const bool sends = event.call == Call::kIsend || event.call == Call::kSend;
    Operation operation{{}, &event, take(context, event, event.bytes), context.now()};
    NodeMemory& memory = stage_.memory(node_of(rank));
    if (sends) {
      memory.write(operation.buffer,
                   made_up(key_of(rank, event.peer, event.tag, event.number), event.bytes));
      ranks_[rank].sends[&event] = operation.start;
    } else {
      memory.write(operation.buffer, std::vector<std::byte>(event.bytes, kUntouched));
    }
    const auto request =
        sends ? context.send({event.peer}, event.tag, operation.buffer, event.bytes)
              : context.receive({event.peer}, event.tag, operation.buffer, event.bytes);
    if (!request) fail(event, request.error());
    operation.request = request.value();
    return operation;
  }

  void finish(std::uint32_t rank, Context& context, const Operation& operation) {
    const TraceEvent& event = *operation.event;
    const auto done = context.wait(operation.request, deadline_);
    if (!done) fail(event, done.error());
    if (done.value().error) fail(event, done.value().error);
    if (event.call == Call::kIrecv || event.call == Call::kRecv) {
      compare_message(rank, operation, done.value().length);
      ranks_[rank].receives.push_back({&event, operation.start, done.value().at});
    }
    context.give_heap(operation.buffer, event.bytes);
  }

  void compare_message(std::uint32_t rank, const Operation& operation, Bytes length) {
    const TraceEvent& event = *operation.event;
    const std::uint64_t key = key_of(event.peer, rank, event.tag, event.number);
    const Bytes sent = lengths_.at(key);
    std::vector<std::byte> expected = made_up(key, sent);
    expected.resize(event.bytes, kUntouched);
    compare(rank, event, operation.buffer, expected);
    if (length == sent) return;
    Rank& own = ranks_[rank];
    ++own.wrong;
    if (own.first_wrong.empty()) {
      own.first_wrong = fmt::format("trace line {}, rank {}: a message of {} bytes, not {}",
                                    event.line, rank, length, sent);
    }
  }

  void compare(std::uint32_t rank, const TraceEvent& event, Address buffer,
               const std::vector<std::byte>& expected) {
    Rank& own = ranks_[rank];
    std::vector<std::byte> got(expected.size());
    stage_.memory(node_of(rank)).read(buffer, got);
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (got[i] == expected[i]) continue;
      ++own.wrong;
      if (own.first_wrong.empty()) {
        own.first_wrong =
            fmt::format("trace line {}, rank {}, byte {}: {:#04x}, not {:#04x}", event.line, rank,
                        i, static_cast<unsigned>(got[i]), static_cast<unsigned>(expected[i]));
      }
    }
    own.compared += got.size();
  }

  // --- collectives ---

  // What every reduction gives in the library's order of operands, worked out from the trace alone.
  void expect_reductions() {
    std::vector<std::vector<const TraceEvent*>> by_rank;
    for (const auto& events : trace_.ranks) {
      auto& list = by_rank.emplace_back();
      for (const TraceEvent& event : events) {
        if (event.call >= Call::kAllreduce) list.push_back(&event);
      }
    }
    for (std::size_t i = 0; i < by_rank[0].size(); ++i) {
      const TraceEvent& first = *by_rank[0][i];
      Reduction& expected = reductions_.emplace_back();
      if (first.call != Call::kAllreduce && first.call != Call::kReduce) continue;
      std::vector<std::vector<std::byte>> operands;
      operands.reserve(by_rank.size());
      for (const auto& list : by_rank) operands.push_back(list[i]->in);
      expected.sizes = sizes_of(first, operands);
      expected.result =
          first.call == Call::kAllreduce
              ? allreduce_in_order(first.op, first.type, std::move(operands))
              : reduce_in_order(first.op, first.type, first.peer, std::move(operands));
    }
  }

  // For each element the sum of the operands' absolute values, or for products that of the result.
  static std::vector<double> sizes_of(const TraceEvent& event,
                                      const std::vector<std::vector<std::byte>>& operands) {
    std::vector<double> sizes(event.count, event.op == ReduceOp::kProd ? 1.0 : 0.0);
    for (const auto& operand : operands) {
      for (std::size_t i = 0; i < event.count; ++i) {
        double value = 0;
        if (event.type == DataType::kF64) {
          std::memcpy(&value, operand.data() + i * sizeof value, sizeof value);
        } else if (event.type == DataType::kF32) {
          float narrow = 0;
          std::memcpy(&narrow, operand.data() + i * sizeof narrow, sizeof narrow);
          value = narrow;
        }
        sizes[i] =
            event.op == ReduceOp::kProd ? sizes[i] * std::abs(value) : sizes[i] + std::abs(value);
      }
    }
    return sizes;
  }

  void reduce(std::uint32_t rank, Context& context, Group& world, const TraceEvent& event,
              std::uint64_t collective) {
    const Bytes bytes = event.in.size();
    const Address in = take(context, event, bytes);
    const Address out = take(context, event, bytes);
    stage_.memory(node_of(rank)).write(in, event.in);
    const std::error_code error =
        event.call == Call::kAllreduce
            ? world.allreduce(event.op, event.type, event.count, in, out, deadline_)
            : world.reduce(event.peer, event.op, event.type, event.count, in, out, deadline_);
    if (error) fail(event, error);
    if (!event.out.empty()) {
      std::vector<std::byte> got(bytes);
      stage_.memory(node_of(rank)).read(out, got);
      compare_result(rank, event, reductions_[collective], got);
    }
    context.give_heap(in, bytes);
    context.give_heap(out, bytes);
  }

  struct Reduction {
    std::vector<std::byte> result;
    std::vector<double> sizes;
  };

  void compare_result(std::uint32_t rank, const TraceEvent& event, const Reduction& expected,
                      const std::vector<std::byte>& got) {
    Rank& own = ranks_[rank];
    ++own.reductions;
    if (got != expected.result) ++own.reductions_out_of_order;
    if (got == event.out) return;
    const bool rounds = event.op == ReduceOp::kSum || event.op == ReduceOp::kProd;
    bool close = rounds && (event.type == DataType::kF64 || event.type == DataType::kF32);
    for (std::size_t i = 0; i < event.count && close; ++i) {
      close = event.type == DataType::kF64 ? is_close<double>(event, expected, got, i)
                                           : is_close<float>(event, expected, got, i);
    }
    if (close) {
      ++own.results_rounded;
      return;
    }
    ++own.results_wrong;
    if (own.first_result_wrong.empty()) {
      own.first_result_wrong = fmt::format("trace line {}, rank {}", event.line, rank);
    }
  }

  template <typename T>
  bool is_close(const TraceEvent& event, const Reduction& expected,
                const std::vector<std::byte>& got, std::size_t i) const {
    T mine;
    T theirs;
    std::memcpy(&mine, got.data() + i * sizeof mine, sizeof mine);
    std::memcpy(&theirs, event.out.data() + i * sizeof theirs, sizeof theirs);
    return differs_by_rounding(mine, theirs, expected.sizes[i], ranks_.size());
  }

  void broadcast(std::uint32_t rank, Context& context, Group& world, const TraceEvent& event,
                 std::uint64_t collective) {
    const Address buffer = take(context, event, event.bytes);
    const auto data =
        event.in.empty() ? made_up(key_of(event.peer, ~0U, 0, collective), event.bytes) : event.in;
    stage_.memory(node_of(rank))
        .write(buffer, rank == event.peer ? data : std::vector<std::byte>(event.bytes, kUntouched));
    if (const auto error = world.broadcast(event.peer, buffer, event.bytes, deadline_)) {
      fail(event, error);
    }
    compare(rank, event, buffer, data);
    context.give_heap(buffer, event.bytes);
  }

  // --- report ---

  // The sum of what all ranks have counted.
  template <typename T>
  T total(T Rank::*count) const {
    T sum = 0;
    for (const Rank& rank : ranks_) sum += rank.*count;
    return sum;
  }
  std::uint64_t total(std::uint64_t ContextCounts::*count) const {
    std::uint64_t sum = 0;
    for (const Rank& rank : ranks_) sum += rank.counts.*count;
    return sum;
  }
  std::string first_of(std::string Rank::*text) const {
    for (const Rank& rank : ranks_) {
      if (!(rank.*text).empty()) return ": " + rank.*text;
    }
    return "";
  }

  void report_checks() {
    const Bytes wrong = total(&Rank::wrong);
    stage_.check("payload", wrong == 0 && total_received() == trace_.messages,
                 fmt::format("{} bytes compared, {} wrong{}", total(&Rank::compared), wrong,
                             first_of(&Rank::first_wrong)));
    const std::uint64_t reductions = total(&Rank::reductions);
    const std::uint64_t out_of_order = total(&Rank::reductions_out_of_order);
    stage_.check("reductions", out_of_order == 0 && reductions == wanted_results(),
                 fmt::format("{} of {} results have the bits of the documented order",
                             reductions - out_of_order, wanted_results()));
    const std::uint64_t results_wrong = total(&Rank::results_wrong);
    stage_.check(
        "results", results_wrong == 0,
        fmt::format("{} results differ from the trace{}; {} others only by rounding", results_wrong,
                    first_of(&Rank::first_result_wrong), total(&Rank::results_rounded)));
  }

  std::uint64_t wanted_results() const {
    std::uint64_t count = 0;
    for (const auto& events : trace_.ranks) {
      count += static_cast<std::uint64_t>(std::count_if(
          events.begin(), events.end(), [](const TraceEvent& e) { return !e.out.empty(); }));
    }
    return count;
  }

  // Calls visit(message, when its receive was called) for every message that has arrived.
  template <typename Visit>
  void for_each_message(const Visit& visit) const {
    // When each message was sent, by what both sides know of it.
    std::map<std::tuple<std::uint32_t, std::uint32_t, Tag, std::uint64_t>, Cycles> sends;
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      for (const auto& [event, at] : ranks_[r].sends) {
        sends[{r, event->peer, event->tag, event->number}] = at;
      }
    }
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      for (const Received& receive : ranks_[r].receives) {
        const TraceEvent& event = *receive.event;
        const auto sent = sends.find({event.peer, r, event.tag, event.number});
        if (sent == sends.end()) continue;
        const std::uint64_t key = key_of(event.peer, r, event.tag, event.number);
        visit(ProgramMessage{.from = node_of(event.peer),
                             .to = node_of(r),
                             .from_rank = event.peer,
                             .to_rank = r,
                             .tag = static_cast<std::uint32_t>(event.tag),
                             .bytes = lengths_.at(key),
                             .sent = sent->second,
                             .complete = receive.complete},
              receive.start);
      }
    }
  }

  // From the later of the two calls to the message's completion, cycles; sorted.
  std::vector<Cycles> latencies() const {
    std::vector<Cycles> all;
    for_each_message([&all](const ProgramMessage& message, Cycles receive) {
      const Cycles start = std::max(message.sent, receive);
      all.push_back(message.complete - std::min(start, message.complete));
    });
    std::sort(all.begin(), all.end());
    return all;
  }

  void report_figures(const std::vector<const Core*>& cores) {
    Cycles begun = std::numeric_limits<Cycles>::max();
    Cycles ended = 0;
    for (const Rank& rank : ranks_) {
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
    for (const Rank& rank : ranks_) polling += rank.polling;
    for_each_message(
        [this](const ProgramMessage& message, Cycles /*receive*/) { stage_.message(message); });
    const std::vector<Cycles> sorted = latencies();
    const auto percentile = [&](std::size_t percent) {
      return sorted.empty() ? Cycles{0} : sorted[(sorted.size() - 1) * percent / 100];
    };
    const Cycles cycles = ended - std::min(begun, ended);
    const std::pair<const char*, std::uint64_t> figures[] = {
        {"replay.cycles", cycles},
        {"replay.messages", total_received()},
        {"replay.bytes", trace_.bytes},
        {"replay.bytes_compared", total(&Rank::compared)},
        {"replay.latency_p50_cycles", percentile(50)},
        {"replay.latency_p90_cycles", percentile(90)},
        {"replay.latency_p99_cycles", percentile(99)},
        {"replay.latency_max_cycles", percentile(100)},
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
        {"replay.eager_messages", total(&ContextCounts::sent_eager)},
        {"replay.requested_messages", total(&ContextCounts::sent_by_request)},
        {"replay.unexpected_messages", total(&ContextCounts::received_unexpected)},
        {"replay.refusals", total(&ContextCounts::refusals)},
        {"replay.resent_messages", total(&ContextCounts::resent)},
    };
    for (const auto& [name, value] : figures) stage_.figure(name, static_cast<double>(value));
    stage_.say(fmt::format(
        "{} ({} ranks): {} messages of {} bytes in {} cycles; eager up to {} bytes", trace_.app,
        ranks_.size(), total_received(), trace_.bytes, cycles, options_.eager_limit));
    stage_.say(fmt::format("latency {} / {} / {} / {} cycles (50 %, 90 %, 99 %, most)",
                           percentile(50), percentile(90), percentile(99), percentile(100)));
    stage_.say(fmt::format("{} register reads, {} register writes, {} memory accesses, {} polls",
                           sum.register_reads, sum.register_writes, sum.loads + sum.stores,
                           total(&ContextCounts::polls)));
    stage_.say(fmt::format(
        "polling {}: {} status requests, {} polls made, {} skipped, {} empty, {} by the bound; "
        "{} cycles of cores for nothing",
        name_of(options_.polling), polling.requests, polling.polls, polling.skipped, polling.empty,
        polling.overruled, polling.empty_cycles + polling.skipped_cycles));
  }

  std::uint64_t total_received() const {
    std::uint64_t sum = 0;
    for (const Rank& rank : ranks_) sum += rank.receives.size();
    return sum;
  }

  Stage& stage_;
  const Trace& trace_;
  const PlayOptions options_;
  const NodePlan plan_;
  std::vector<Rank> ranks_;
  std::vector<Node> nodes_;
  std::vector<Reduction> reductions_;  // of each collective; empty for those that reduce nothing
  std::map<std::uint64_t, Bytes> lengths_;  // of each message, by its key
  Cycles deadline_ = 0;
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

// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/failure_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "sim/observe/pin_watch.h"
#include "sim/observe/wave_diff/fst_file.h"

namespace torusmu {
namespace {

constexpr std::size_t kMostTransfers = 2;  // that did not arrive, in a view
constexpr std::size_t kMostNodes = 5;      // unfolded
constexpr std::size_t kMostSignals = 80;   // of one instance

// Those that did not arrive before `end`, the first of them first. Where an assertion stopped the
// run, what is under way says nothing.
std::vector<Transfer> missing_transfers(const Machine& machine, const CheckFailure& failure,
                                        Cycles end) {
  std::vector<Transfer> missing;
  if (failure.assertion) return missing;
  for (const Transfer& transfer : transfers_of(machine)) {
    if (transfer.arrived == kNever && transfer.first_out < end) missing.push_back(transfer);
  }
  return missing;
}

Cycles begin_of(const Transfer& transfer) {
  return transfer.posted == kNever ? transfer.first_out
                                   : std::min(transfer.posted, transfer.first_out);
}

// Where packets and memories last moved, kNever if not all of it was kept.
Cycles last_move(const Machine& machine) {
  Cycles last = 0;
  for (const NodeWatch* watch : watches_of(machine)) {
    if (watch->full_at() != kNever) return kNever;
    if (!watch->transfers().empty()) last = std::max(last, watch->transfers().back().last_out);
    if (!watch->arrivals().empty()) last = std::max(last, watch->arrivals().back().cycle);
    if (!watch->answers().empty()) last = std::max(last, watch->answers().back().cycle);
    if (!watch->bursts().empty()) last = std::max(last, watch->bursts().back().cycle);
  }
  return last;
}

// What the failure goes back to, as far as it is known.
std::optional<Cycles> cause_of(const Machine& machine, const CheckFailure& failure, Cycles end) {
  if (const auto place = machine.counts().fault) return place->cycle;
  std::optional<Cycles> cause;
  for (const Transfer& transfer : missing_transfers(machine, failure, end)) {
    cause = std::min(cause.value_or(kNever), begin_of(transfer));
  }
  return cause;
}

// The nodes that a view unfolds, each with what it is and its groups of signals.
class Cast {
 public:
  explicit Cast(const std::vector<NodeId>& traced) : traced_(traced) {}

  void add(NodeId node, const std::string& part, const std::vector<std::string>& groups) {
    if (std::find(traced_.begin(), traced_.end(), node) == traced_.end()) return;
    auto actor = std::find_if(actors_.begin(), actors_.end(),
                              [&](const Act::Actor& a) { return a.node == node; });
    if (actor == actors_.end()) {
      if (actors_.size() == kMostNodes) return;
      actors_.push_back({node, part, {}});
      actor = actors_.end() - 1;
    } else if (actor->part.find(part) == std::string::npos) {
      actor->part += ", " + part;
    }
    for (const std::string& group : groups) {
      if (std::find(actor->groups.begin(), actor->groups.end(), group) == actor->groups.end()) {
        actor->groups.push_back(group);
      }
    }
  }
  void add_sender(NodeId node, const std::string& part) {
    add(node, part, {"register writes", "descriptors of requests", "memory reads"});
  }
  void add_receiver(NodeId node, const std::string& part) {
    add(node, part, {"requests received", "stores", "done in memory"});
  }
  [[nodiscard]] bool empty() const { return actors_.empty(); }
  [[nodiscard]] std::vector<Act::Actor> take() { return std::move(actors_); }

 private:
  std::vector<NodeId> traced_;
  std::vector<Act::Actor> actors_;
};

void add_fault(WaveView& view, Cast& cast, const Machine& machine) {
  const auto place = machine.counts().fault;
  if (!place) return;
  const unsigned back = place->direction ^ 1U;
  cast.add(place->node, "output of the fault",
           {fmt::format("link {} out", kDirectionNames.at(place->direction))});
  cast.add(neighbour(machine.shape(), place->node, place->direction), "input of the fault",
           {fmt::format("link {} in", kDirectionNames.at(back))});
  cast.add_sender(place->from, "sender");
  cast.add_receiver(place->to, "receiver");
  view.marks.push_back({place->cycle, "injected fault"});
}

void add_missing(WaveView& view, Cast& cast, const Machine& machine, const CheckFailure& failure) {
  std::vector<Transfer> missing = missing_transfers(machine, failure, failure.cycle);
  if (missing.size() > kMostTransfers) missing.resize(kMostTransfers);
  for (const Transfer& transfer : missing) {
    cast.add_sender(transfer.from, "sender of what did not arrive");
    cast.add_receiver(transfer.to, "its target");
    view.marks.push_back({begin_of(transfer), "sent, does not arrive"});
  }
}

}  // namespace

CycleWindow failure_window(const Machine& machine, const CheckFailure& failure, Cycles cycles) {
  // An engine that stops in the middle of a window of its own has not counted the cycles of it.
  constexpr Cycles kBehind = 64;
  constexpr Cycles kBeforeCause = 100;
  constexpr Cycles kMostOfBoth = 8;  // times `cycles`
  const Cycles last = last_move(machine);
  // An assertion is the last that a trace has, however long ago anything moved.
  const bool rested = !failure.assertion && last != kNever && last + cycles < failure.cycle;
  const Cycles end = rested ? last : failure.cycle;
  CycleWindow window{end - std::min(end, cycles), end + (failure.assertion ? 1 : kBehind)};
  const auto cause = cause_of(machine, failure, end);
  if (!cause || *cause >= window.from + kBeforeCause) return window;
  window.from = *cause - std::min(*cause, kBeforeCause);
  if (window.from + kMostOfBoth * cycles < end) {
    window.to = window.from + cycles;
    window.has_failure = false;
  }
  return window;
}

void unfold_few(WaveView& view) {
  constexpr std::size_t kFew = 4;
  if (view.nodes.size() > kFew) return;
  Cast cast(view.nodes);
  for (const NodeId node : view.nodes) {
    cast.add_sender(node, "");
    cast.add_receiver(node, "");
  }
  view.actors = cast.take();
}

void show_failure(WaveView& view, const Machine& machine, const CheckFailure& failure,
                  const std::string& fst_file) {
  constexpr Cycles kCycles = 2000;
  const CycleWindow window = failure_window(machine, failure, kCycles);
  // Waves that were asked for may show something else.
  if (window.from < view.to && window.to > view.from) {
    view.from = std::max(view.from, window.from);
    view.to = std::min(view.to, window.to);
  }
  Cast cast(view.nodes);
  if (failure.assertion) {
    if (auto block = instance_block(*failure.assertion, fst_file)) {
      view.blocks.push_back(std::move(*block));
    }
    if (failure.assertion->node) {
      cast.add(*failure.assertion->node, "assertion", {"requests received", "stores"});
    }
  }
  add_fault(view, cast, machine);
  add_missing(view, cast, machine, failure);
  if (cast.empty()) {
    // Nothing is known but what moved last.
    std::vector<Transfer> all = transfers_of(machine);
    std::erase_if(all, [&](const Transfer& t) { return t.first_out > failure.cycle; });
    for (auto t = all.rbegin(); t != all.rend() && t != all.rbegin() + kMostTransfers; ++t) {
      cast.add_sender(t->from, "sender");
      cast.add_receiver(t->to, "receiver");
    }
  }
  if (cast.empty()) {
    unfold_few(view);
  } else {
    view.actors = cast.take();
  }
  view.marks.push_back({failure.cycle, "failed: " + failure.check});
  std::erase_if(view.marks, [&](const Act::Mark& mark) {
    return mark.cycle < view.from || mark.cycle > view.to;
  });
  std::stable_sort(view.marks.begin(), view.marks.end(),
                   [](const Act::Mark& a, const Act::Mark& b) { return a.cycle < b.cycle; });
}

std::optional<WaveView::Block> instance_block(const FailedAssertion& assertion,
                                              const std::string& fst_file) {
  if (!assertion.node || !std::filesystem::exists(fst_file)) return std::nullopt;
  const std::string model = fmt::format("node_{}.", assertion.node->value);
  const std::string path = assertion.instance.empty() ? "" : assertion.instance + ".";
  WaveView::Block block{fmt::format("node {}: assertion {}", assertion.node->value, assertion.name),
                        assertion.instance,
                        {}};
  const FstFile trace(fst_file);
  const std::string scope = model + "mu_gated_node." + path;
  for (const FstFile::Signal& signal : trace.signals()) {
    // What a generate block or a struct holds is the instance's own; "u_" names an instance.
    const bool is_own = signal.name.starts_with(scope) &&
                        signal.name.find(".u_", scope.size() - 1) == std::string::npos;
    if (is_own && block.signals.size() < kMostSignals) block.signals.push_back(signal.name);
  }
  if (block.signals.empty()) return std::nullopt;
  return block;
}

}  // namespace torusmu

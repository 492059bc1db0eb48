// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/wave_diff/wave_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>

#include "sim/machine/errors.h"
#include "sim/machine/mix.h"
#include "sim/observe/wave_diff/fst_file.h"
#include "sim/observe/wave_diff/fst_guard.h"
#include "sim/observe/wave_view.h"

namespace torusmu {
namespace {

constexpr Cycles kUnits = kWaveUnitsPerCycle;

bool lies_in(const std::string& name, const std::string& scope) {
  return scope.empty() ||
         (name.starts_with(scope) && (name.size() == scope.size() || name[scope.size()] == '.'));
}

// A signal that both have.
struct Pair {
  const FstFile::Signal* a;
  const FstFile::Signal* b;
};

// The state of all compared signals as one number, whenever it changes: what a signal adds depends
// on its name and value alone, so that the order of changes and changes to the same do not count.
struct State {
  std::uint64_t time, sum;
};

class Follower {
 public:
  // `signals` are those compared, in the same order for both files.
  Follower(FstFile& file, const std::vector<const FstFile::Signal*>& signals, std::uint64_t from,
           std::uint64_t to)
      : file_(file), from_(from), to_(to), of_handle_(file.most_handle() + 1) {
    for (std::size_t i = 0; i < signals.size(); ++i) of_handle_[signals[i]->handle].push_back(i);
    for (std::uint32_t h = 0; h < of_handle_.size(); ++h) {
      if (!of_handle_[h].empty()) handles_.push_back(h);
    }
  }

  // All states from `from` to before `to`; the first stands at `from`.
  [[nodiscard]] std::vector<State> states() {
    std::vector<std::uint64_t> adds(of_handle_.size());
    std::vector<State> result{{from_, 0}};
    file_.changes(handles_, [&](std::uint64_t time, std::uint32_t handle, std::string_view value) {
      if (time >= to_) return;
      std::uint64_t sum = 0;
      const std::uint64_t hash = std::hash<std::string_view>{}(value);
      for (const std::size_t signal : of_handle_[handle]) sum += mix(mix(signal + 1) ^ hash);
      const std::uint64_t at = std::max(time, from_);
      if (result.back().time != at) result.push_back({at, result.back().sum});
      result.back().sum += sum - adds[handle];
      adds[handle] = sum;
    });
    return result;
  }

  // The values of the signals after all changes of `time`.
  [[nodiscard]] std::vector<std::string> values_at(std::uint64_t time) {
    std::vector<std::string> by_handle(of_handle_.size());
    file_.changes(handles_, [&](std::uint64_t at, std::uint32_t handle, std::string_view value) {
      if (at <= time) by_handle[handle] = value;
    });
    std::vector<std::string> values;
    for (std::uint32_t h = 0; h < of_handle_.size(); ++h) {
      for (const std::size_t signal : of_handle_[h]) {
        if (signal >= values.size()) values.resize(signal + 1);
        values[signal] = by_handle[h];
      }
    }
    return values;
  }

 private:
  FstFile& file_;
  std::uint64_t from_, to_;
  std::vector<std::vector<std::size_t>> of_handle_;  // signals
  std::vector<std::uint32_t> handles_;
};

// The first time at which the states differ.
std::optional<std::uint64_t> first_difference(const std::vector<State>& a,
                                              const std::vector<State>& b) {
  std::size_t i = 0, k = 0;
  while (true) {
    if (a[i].sum != b[k].sum) return std::max(a[i].time, b[k].time);
    const bool a_ends = i + 1 == a.size();
    const bool b_ends = k + 1 == b.size();
    if (a_ends && b_ends) return std::nullopt;
    const std::uint64_t next_a = a_ends ? ~std::uint64_t{0} : a[i + 1].time;
    const std::uint64_t next_b = b_ends ? ~std::uint64_t{0} : b[k + 1].time;
    if (next_a <= next_b) ++i;
    if (next_b <= next_a) ++k;
  }
}

std::vector<Pair> pairs_of(const FstFile& a, const FstFile& b, const std::string& scope,
                           WaveDiff& diff) {
  std::unordered_map<std::string_view, const FstFile::Signal*> in_b;
  for (const FstFile::Signal& signal : b.signals()) {
    if (lies_in(signal.name, scope)) in_b.emplace(signal.name, &signal);
  }
  std::unordered_map<std::string_view, bool> in_a;
  std::vector<Pair> pairs;
  for (const FstFile::Signal& signal : a.signals()) {
    if (!lies_in(signal.name, scope) || !in_a.emplace(signal.name, true).second) continue;
    if (const auto found = in_b.find(signal.name); found != in_b.end()) {
      pairs.push_back({&signal, found->second});
    } else {
      diff.only_a.push_back(signal.name);
    }
  }
  for (const FstFile::Signal& signal : b.signals()) {
    if (lies_in(signal.name, scope) && !in_a.contains(signal.name)) {
      diff.only_b.push_back(signal.name);
    }
  }
  return pairs;
}

// "node_3" and the rest.
std::pair<std::string, std::string> node_and_rest(const std::string& name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return {"", name};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

std::uint64_t number_of(const std::string& node) {
  const std::size_t digits = node.find_first_of("0123456789");
  return digits == std::string::npos || node.size() - digits > 9 ? 0
                                                                 : std::stoull(node.substr(digits));
}

std::ptrdiff_t depth_of(const std::string& name) {
  return std::count(name.begin(), name.end(), '.');
}

void sort_signals(std::vector<WaveDiff::Signal>& signals) {
  const auto key = [](const WaveDiff::Signal& s) {
    return std::tuple(number_of(s.node), std::string_view(s.node), depth_of(s.name),
                      std::string_view(s.name));
  };
  std::sort(signals.begin(), signals.end(),
            [&](const auto& x, const auto& y) { return key(x) < key(y); });
}

// "cycle 12", or behind the falling edge in its middle.
}  // namespace

std::string name_of_file(const std::string& path, const WaveDiffOptions& options) {
  const std::string name = std::filesystem::path(path).filename().string();
  const bool alike =
      std::filesystem::path(options.a).filename() == std::filesystem::path(options.b).filename();
  return alike ? path : name;
}

WaveDiff wave_diff(const WaveDiffOptions& options) {
  require_undamaged({options.a, options.b});
  FstFile a(options.a);
  FstFile b(options.b);
  WaveDiff diff;
  const std::vector<Pair> pairs = pairs_of(a, b, options.scope, diff);
  diff.compared = pairs.size();
  if (pairs.empty()) {
    throw UsageError(
        options.scope.empty()
            ? "the traces have no signal in common"
            : fmt::format("--scope \"{}\": no signal of both traces lies in it", options.scope));
  }
  diff.from = std::max(options.from, std::max(a.start(), b.start()) / kUnits);
  const Cycles end = std::min(a.end(), b.end()) / kUnits;
  if (diff.from > end || diff.from >= options.to) {
    throw UsageError(fmt::format("nothing to compare: the traces have cycles {} to {} and {} to {}",
                                 a.start() / kUnits, a.end() / kUnits, b.start() / kUnits,
                                 b.end() / kUnits));
  }
  diff.to = std::min(end, options.to - 1);
  if (a.end() / kUnits != b.end() / kUnits && options.to == kNever) {
    diff.lengths =
        fmt::format("{} ends with cycle {}, {} with cycle {}", name_of_file(options.a, options),
                    a.end() / kUnits, name_of_file(options.b, options), b.end() / kUnits);
  }
  std::vector<const FstFile::Signal*> of_a, of_b;
  for (const Pair& pair : pairs) {
    of_a.push_back(pair.a);
    of_b.push_back(pair.b);
  }
  const std::uint64_t from = diff.from * kUnits;
  const std::uint64_t to = (diff.to + 1) * kUnits;
  Follower follow_a(a, of_a, from, to);
  Follower follow_b(b, of_b, from, to);
  diff.time = first_difference(follow_a.states(), follow_b.states());
  if (!diff.time) return diff;
  const std::vector<std::string> values_a = follow_a.values_at(*diff.time);
  const std::vector<std::string> values_b = follow_b.values_at(*diff.time);
  // A signal that goes through several modules has a name in each, and one handle.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::string>, std::vector<std::size_t>> shared;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (values_a[i] == values_b[i]) continue;
    shared[{pairs[i].a->handle, pairs[i].b->handle, node_and_rest(pairs[i].a->name).first}]
        .push_back(i);
  }
  for (auto& [handles, indices] : shared) {
    std::stable_sort(indices.begin(), indices.end(), [&](std::size_t x, std::size_t y) {
      return depth_of(pairs[x].a->name) < depth_of(pairs[y].a->name);
    });
    const std::size_t i = indices.front();
    auto [node, name] = node_and_rest(pairs[i].a->name);
    WaveDiff::Signal signal{std::move(node),
                            std::move(name),
                            a.shown(*pairs[i].a, values_a[i]),
                            b.shown(*pairs[i].b, values_b[i]),
                            {}};
    for (std::size_t k = 1; k < indices.size(); ++k) {
      signal.also.push_back(node_and_rest(pairs[indices[k]].a->name).second);
    }
    diff.signals.push_back(std::move(signal));
  }
  sort_signals(diff.signals);
  return diff;
}

}  // namespace torusmu

// SPDX-License-Identifier: Apache-2.0
// The rules of the policies.
#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>
#include <vector>

#include "torusmu/polling.h"

namespace torusmu {
namespace {

const std::string kEvery = "every-";

class Always final : public PollRule {
 public:
  bool is_satisfied(const ActivityHistory& /*history*/, Cycles /*now*/) override { return true; }
};

class EveryN : public PollRule {
 public:
  explicit EveryN(std::uint32_t n) : n_(n) {}
  bool is_satisfied(const ActivityHistory& history, Cycles /*now*/) override {
    return history.skipped_in_a_row() + 1 >= n_;
  }

 protected:
  std::uint32_t n_;
};

// The example of US 7,958,274, "Heuristic polling criteria": too many empty polls, and every third
// request polls instead of every second; polls that find something, and every request does. The way
// down is the faster one, for a late poll costs more than an empty one.
class Adaptive final : public EveryN {
 public:
  explicit Adaptive(std::uint32_t most) : EveryN(std::min(kFirst, most)), most_(most) {}
  void polled(const ActivityHistory& history) override {
    if (history.polls().back().seen == PollResult::kActivity) {
      empty_ = 0;
      n_ = std::max(n_ / 2, std::uint32_t{1});
    } else if (++empty_ == kTooMany) {
      empty_ = 0;
      n_ = std::min(n_ + 1, most_);
    }
  }

 private:
  static constexpr std::uint32_t kFirst = 2;
  static constexpr std::uint32_t kTooMany = 3;  // empty polls in a row

  std::uint32_t most_;
  std::uint32_t empty_ = 0;  // in a row, since N changed last
};

// Once after each time that the line was high, and once at the beginning.
class ByInterrupt final : public PollRule {
 public:
  bool is_satisfied(const ActivityHistory& /*history*/, Cycles /*now*/) override { return raised_; }
  void polled(const ActivityHistory& /*history*/) override { raised_ = false; }
  void interrupted() override { raised_ = true; }
  [[nodiscard]] Cycles due(const ActivityHistory& /*history*/) const override {
    return raised_ ? kUnknown : std::numeric_limits<Cycles>::max();
  }

 private:
  bool raised_ = true;
};

// A gap in cycles after each empty poll. See PollingOptions.
class Heuristic : public PollRule {
 public:
  explicit Heuristic(const PollingOptions& options)
      : least_(options.least_gap), most_(options.most_gap), part_(options.latency_part) {}

  bool is_satisfied(const ActivityHistory& history, Cycles now) override {
    return now >= due(history);
  }

  // Traffic comes in bursts: after activity the component is polled again at once.
  void polled(const ActivityHistory& history) override {
    const ActivityHistory::Poll& last = history.polls().back();
    if (last.seen == PollResult::kActivity) {
      gap_ = 0;
      return;
    }
    const Cycles waited = last.at - std::min(last.at, history.expected_since());
    gap_ = std::max(base(history), std::min(most_, waited / part_));
  }

  // Who asks again and again has nothing better to do.
  void skipped(const ActivityHistory& history) override {
    if (history.skipped_in_a_row() % kManyRequests == 0) gap_ /= 2;
  }

  void expect(const ActivityHistory& history) override { gap_ = std::min(gap_, base(history)); }
  void interrupted() override { gap_ = 0; }

  // How long half of the waits last says what they can afford; how many polls were empty, whether
  // there is anything to save.
  void review(const ActivityHistory& history) override {
    const auto empty = std::count_if(history.polls().begin(), history.polls().end(),
                                     [](const auto& p) { return p.seen == PollResult::kNothing; });
    const auto polls = static_cast<std::ptrdiff_t>(history.polls().size());
    const bool too_many = empty > polls - polls / 4;
    affordable_ = too_many ? std::min(most_, median(history.waits()) / part_) : affordable_ / 2;
  }

  [[nodiscard]] Cycles due(const ActivityHistory& history) const override {
    return history.last_poll() + gap_;
  }

 private:
  static constexpr std::uint32_t kManyRequests = 256;

  static Cycles median(const std::deque<Cycles>& waits) {
    if (waits.empty()) return 0;
    std::vector<Cycles> sorted(waits.begin(), waits.end());
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
  }

  // No poll takes more than half of the time, dear ones neither.
  [[nodiscard]] Cycles base(const ActivityHistory& history) const {
    return std::max({least_, affordable_, history.cost_of_empty_poll()});
  }

  Cycles least_, most_, part_;
  Cycles affordable_ = 0;
  Cycles gap_ = 0;
};

// A transfer is not done before a link could have carried it, and hardly before three quarters of
// the time that it will take at the rate that polls have seen of it, once they have seen enough.
// From then on as above.
class ByTransfer final : public Heuristic {
 public:
  explicit ByTransfer(const PollingOptions& options)
      : Heuristic(options), link_rate_(options.link_rate), most_beyond_(options.most_gap) {}

  [[nodiscard]] Cycles due(const ActivityHistory& history) const override {
    const Cycles by_history = Heuristic::due(history);
    const auto& transfer = history.transfer();
    return transfer ? std::max(by_history, transfer->since + least_time(*transfer)) : by_history;
  }

 private:
  [[nodiscard]] Cycles least_time(const ActivityHistory::Transfer& transfer) const {
    const Cycles by_link = transfer.remaining / link_rate_;
    if (transfer.moved == 0 || transfer.moved < transfer.remaining / kTrusted) return by_link;
    const double cycles_a_byte =
        static_cast<double>(transfer.moving) / static_cast<double>(transfer.moved);
    const auto by_rate =
        static_cast<Cycles>(0.75 * cycles_a_byte * static_cast<double>(transfer.remaining));
    return std::clamp(by_rate, by_link, by_link + most_beyond_);
  }

  static constexpr Bytes kTrusted = 8;  // a rate is, if it is that of so large a part of the rest

  Bytes link_rate_;
  Cycles most_beyond_;
};

// What comes to a FIFO hardly comes sooner than after a quarter of the shortest of the last times
// between two arrivals; unless something is done here that predicts one. Half of it would save more
// polls, and makes half of the messages of HPCG-8 later by 6 %.
class ByArrivals final : public Heuristic {
 public:
  explicit ByArrivals(const PollingOptions& options)
      : Heuristic(options), most_quiet_(options.most_gap) {}

  void polled(const ActivityHistory& history) override {
    Heuristic::polled(history);
    if (history.polls().back().seen == PollResult::kActivity) quiet_ = quarter_of_shortest(history);
  }
  void expect(const ActivityHistory& history) override {
    Heuristic::expect(history);
    quiet_ = 0;
  }
  [[nodiscard]] Cycles due(const ActivityHistory& history) const override {
    return std::max(Heuristic::due(history), history.expected_since() + quiet_);
  }

 private:
  static constexpr std::ptrdiff_t kArrivals = 8;

  [[nodiscard]] Cycles quarter_of_shortest(const ActivityHistory& history) const {
    const auto& waits = history.waits();
    if (std::ssize(waits) < kArrivals) return 0;
    return std::min(most_quiet_, *std::min_element(waits.end() - kArrivals, waits.end()) / 4);
  }

  Cycles most_quiet_;
  Cycles quiet_ = 0;
};

// A component that raises a line has nothing to say while that is low.
class WhileLineIsHigh final : public PollRule {
 public:
  explicit WhileLineIsHigh(std::function<bool()> is_high) : is_high_(std::move(is_high)) {}
  bool is_satisfied(const ActivityHistory& /*history*/, Cycles /*now*/) override {
    return is_high_();
  }

 private:
  std::function<bool()> is_high_;
};

std::unique_ptr<PollRule> by_attributes(const PollingOptions& options, const Component& component) {
  if (component.remaining) return std::make_unique<ByTransfer>(options);
  if (component.kind == ComponentKind::kReceptionFifo) return std::make_unique<ByArrivals>(options);
  return std::make_unique<Heuristic>(options);
}

}  // namespace

std::string name_of(const PollingOptions& options) {
  switch (options.policy) {
    case PollingPolicy::kAlways:
      return "always";
    case PollingPolicy::kEveryN:
      return kEvery + std::to_string(options.every);
    case PollingPolicy::kAdaptive:
      return "adaptive";
    case PollingPolicy::kHeuristic:
      return "heuristic";
    case PollingPolicy::kInterrupt:
      return "interrupt";
  }
  return "";
}

Result<PollingOptions> polling_of(std::string_view name) {
  PollingOptions options;
  for (const auto policy : {PollingPolicy::kAlways, PollingPolicy::kAdaptive,
                            PollingPolicy::kHeuristic, PollingPolicy::kInterrupt}) {
    options.policy = policy;
    if (name == name_of(options)) return options;
  }
  options.policy = PollingPolicy::kEveryN;
  if (!name.starts_with(kEvery)) return Errc::kBadArgument;
  const std::string_view number = name.substr(kEvery.size());
  const char* const end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, options.every);
  if (error != std::errc{} || stop != end || options.every == 0) return Errc::kBadArgument;
  return options;
}

std::unique_ptr<PollRule> make_rule(const PollingOptions& options, const Component& component) {
  const bool by_line = component.line && options.policy != PollingPolicy::kAlways &&
                       options.policy != PollingPolicy::kInterrupt;
  if (by_line) return std::make_unique<WhileLineIsHigh>(component.line);
  switch (options.policy) {
    case PollingPolicy::kAlways:
      break;
    case PollingPolicy::kEveryN:
      return std::make_unique<EveryN>(options.every);
    case PollingPolicy::kAdaptive:
      return std::make_unique<Adaptive>(options.most_every);
    case PollingPolicy::kHeuristic:
      return by_attributes(options, component);
    case PollingPolicy::kInterrupt:
      return std::make_unique<ByInterrupt>();
  }
  return std::make_unique<Always>();
}

}  // namespace torusmu

// SPDX-License-Identifier: Apache-2.0
#include "torusmu/polling.h"

#include <algorithm>
#include <utility>

namespace torusmu {
namespace {

constexpr Cycles kAnswerCost = 1;  // of a request that does not poll: a look at what is known

PollingOptions within_range(PollingOptions options) {
  options.every = std::max<std::uint32_t>(options.every, 1);
  options.most_every = std::max<std::uint32_t>(options.most_every, 1);
  options.history = std::max<std::size_t>(options.history, 1);
  options.longest_gap = std::max<Cycles>(options.longest_gap, 1);
  options.review_after = std::max<Cycles>(options.review_after, 1);
  options.most_gap = std::max(options.most_gap, options.least_gap);
  options.latency_part = std::max<Cycles>(options.latency_part, 1);
  options.link_rate = std::max<Bytes>(options.link_rate, 1);
  return options;
}

template <typename T>
void remember(std::deque<T>& ring, const T& item, std::size_t most) {
  if (ring.size() == most) ring.pop_front();
  ring.push_back(item);
}

}  // namespace

PollCounts& PollCounts::operator+=(const PollCounts& other) {
  requests += other.requests;
  polls += other.polls;
  empty += other.empty;
  skipped += other.skipped;
  overruled += other.overruled;
  empty_cycles += other.empty_cycles;
  skipped_cycles += other.skipped_cycles;
  longest_gap = std::max(longest_gap, other.longest_gap);
  return *this;
}

// --- history ---

Cycles ActivityHistory::cost_of_empty_poll() const {
  return counts_.empty == 0 ? 0 : counts_.empty_cycles / counts_.empty;
}

void ActivityHistory::record(const Poll& poll) {
  remember(polls_, poll, most_);
  ++counts_.polls;
  skipped_in_a_row_ = 0;
  last_poll_ = poll.at;
  if (poll.seen == PollResult::kNothing) {
    ++counts_.empty;
    counts_.empty_cycles += poll.cost;
  } else if (poll.seen == PollResult::kActivity) {
    remember(waits_, poll.at - std::min(poll.at, expected_), most_);
    expected_ = poll.at;
  }
}

// Another transfer begins without the rate of the one before.
void ActivityHistory::note(std::optional<Bytes> remaining, Cycles now, bool is_active) {
  const Bytes before = transfer_ ? transfer_->remaining : 0;
  if (!remaining) {
    transfer_.reset();
  } else if (!transfer_ || is_active || *remaining > before) {
    transfer_ = Transfer{.remaining = *remaining, .since = now};
  } else if (*remaining < before) {
    if (transfer_->is_moving) {
      transfer_->moved += before - *remaining;
      transfer_->moving += now - transfer_->since;
    }
    transfer_->is_moving = true;
    transfer_->remaining = *remaining;
    transfer_->since = now;
  }
}

// --- components ---

Poller::Poller(Device& device, const PollingOptions& options)
    : device_(device), options_(within_range(options)) {}

std::unique_ptr<PollRule> Poller::rule_of(const Component& component) const {
  auto rule = options_.rule_for ? options_.rule_for(component) : nullptr;
  return rule ? std::move(rule) : make_rule(options_, component);
}

ComponentId Poller::add(Component component, std::unique_ptr<PollRule> rule) {
  if (!rule) rule = rule_of(component);
  entries_.push_back(
      std::make_shared<Entry>(Entry{.component = std::move(component),
                                    .rule = std::move(rule),
                                    .history = ActivityHistory(options_.history, device_.now()),
                                    .polls_to_review = static_cast<std::uint32_t>(options_.history),
                                    .reviewed = device_.now()}));
  return {static_cast<std::uint32_t>(entries_.size() - 1)};
}

// A copy of the pointer, so that a component may remove itself in its own poll.
std::shared_ptr<Poller::Entry> Poller::entry(ComponentId id) const {
  return id.value < entries_.size() ? entries_[id.value] : nullptr;
}

std::error_code Poller::set_rule(ComponentId id, std::unique_ptr<PollRule> rule) {
  const auto known = entry(id);
  if (!known) return Errc::kNoComponent;
  if (!rule) rule = rule_of(known->component);
  known->rule = std::move(rule);
  known->polls_to_review = static_cast<std::uint32_t>(options_.history);
  known->reviewed = device_.now();
  return {};
}

std::error_code Poller::remove(ComponentId id) {
  const auto known = entry(id);
  if (!known) return Errc::kNoComponent;
  removed_ += known->history.counts();
  entries_[id.value] = nullptr;
  return {};
}

Result<ComponentId> Poller::find(std::string_view name) const {
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i] && entries_[i]->component.name == name) return ComponentId{i};
  }
  return Errc::kNoComponent;
}

const Component* Poller::component(ComponentId id) const {
  const auto known = entry(id);
  return known ? &known->component : nullptr;
}

std::vector<ComponentId> Poller::components() const {
  std::vector<ComponentId> list;
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i]) list.push_back({i});
  }
  return list;
}

Result<const ActivityHistory*> Poller::history(ComponentId id) const {
  const auto known = entry(id);
  if (!known) return Errc::kNoComponent;
  return &known->history;
}

PollCounts Poller::counts() const {
  PollCounts sum = removed_;
  for (const auto& known : entries_) {
    if (known) sum += known->history.counts();
  }
  return sum;
}

// --- requests ---

Result<PollStatus> Poller::request(ComponentId id) { return answer(id, Ask::kRequest); }
Result<PollStatus> Poller::poll_now(ComponentId id) { return answer(id, Ask::kNow); }

Result<PollStatus> Poller::answer(ComponentId id, Ask ask) {
  const auto known = entry(id);
  if (!known) return Errc::kNoComponent;
  ++known->history.counts_.requests;
  known->asked_in = round_;
  // No core sleeps past the next poll of what raises no interrupt.
  const Component& component = known->component;
  const bool is_silent = component.watched && !component.interrupts;
  const bool must_poll = ask == Ask::kNow || (poll_all_ && !is_silent);
  auto status = must_poll || shall_poll(*known, device_.now()) ? poll(*known) : skip(*known);
  review_if_due(*known);
  return status;
}

void Poller::review_if_due(Entry& entry) {
  const Cycles now = device_.now();
  if (entry.polls_to_review > 0 && now - entry.reviewed < options_.review_after) return;
  entry.polls_to_review = static_cast<std::uint32_t>(options_.history);
  entry.reviewed = now;
  const auto rule = entry.rule;
  rule->review(entry.history);
}

std::shared_ptr<Poller::Entry> Poller::whole_of(const Entry& part) const {
  return part.component.part_of ? entry(*part.component.part_of) : nullptr;
}

// Asks the component that it is a part of, unless this round has done so.
bool Poller::may_be_active(Entry& part) {
  const auto whole = whole_of(part);
  if (!whole || part.may_be_active) return true;
  const bool is_asked = round_ != kNoRound && whole->asked_in == round_;
  if (!is_asked) (void)answer(*part.component.part_of, Ask::kRequest);
  return part.may_be_active || whole->history.is_gone();
}

void Poller::wake_parts_of(const Entry& whole) {
  const std::uint64_t moved = whole.component.moved ? whole.component.moved() : ~std::uint64_t{0};
  for (const auto& other : entries_) {
    if (!other || whole_of(*other).get() != &whole) continue;
    if ((other->component.moves & moved) != 0) other->may_be_active = true;
  }
}

bool Poller::request_watched() {
  bool any = false;
  // By number: a poll may add components, and remove some.
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    if (!entries_[i] || !entries_[i]->component.watched) continue;
    const auto status = request({i});
    any |= status && status.value() == PollStatus::kActive;
  }
  return any;
}

std::error_code Poller::expect(ComponentId id) {
  const auto known = entry(id);
  if (!known) return Errc::kNoComponent;
  known->history.expected_ = device_.now();
  note_transfer(*known, false);
  const auto rule = known->rule;
  rule->expect(known->history);
  return {};
}

void Poller::note_transfer(Entry& entry, bool is_active) {
  if (!entry.component.remaining) return;
  entry.history.note(entry.component.remaining(), device_.now(), is_active);
}

bool Poller::shall_poll(Entry& entry, Cycles now) {
  const auto rule = entry.rule;
  if (now - entry.history.last_poll() >= bound_of(entry)) {
    if (!rule->is_satisfied(entry.history, now)) ++entry.history.counts_.overruled;
    return true;
  }
  if (entry.history.is_gone() || !may_be_active(entry)) return false;
  if (rule->is_satisfied(entry.history, device_.now())) return true;
  if (options_.policy != PollingPolicy::kInterrupt || !line_ || !line_()) return false;
  for (const auto& other : entries_) {
    if (other) other->rule->interrupted();
  }
  return rule->is_satisfied(entry.history, device_.now());
}

Result<PollStatus> Poller::poll(Entry& entry) {
  const Cycles before = device_.now();
  const PollResult seen = entry.component.poll();
  const Cycles now = device_.now();
  polled_ = true;
  entry.history.record({.at = now, .cost = now - before, .seen = seen});
  note_transfer(entry, seen == PollResult::kActivity);
  entry.may_be_active = seen != PollResult::kNothing;
  if (seen == PollResult::kActivity) wake_parts_of(entry);
  const auto rule = entry.rule;
  --entry.polls_to_review;
  rule->polled(entry.history);
  if (seen == PollResult::kGone) return Errc::kDeviceGone;
  return seen == PollResult::kActivity ? PollStatus::kActive : PollStatus::kIdle;
}

Result<PollStatus> Poller::skip(Entry& entry) {
  device_.compute(kAnswerCost);
  ActivityHistory& history = entry.history;
  ++history.counts_.skipped;
  ++history.skipped_in_a_row_;
  history.counts_.skipped_cycles += kAnswerCost;
  history.counts_.longest_gap =
      std::max(history.counts_.longest_gap, device_.now() - history.last_poll());
  const auto rule = entry.rule;
  rule->skipped(history);
  next_due_ = std::min(next_due_, due_of(entry));
  if (history.is_gone()) return Errc::kDeviceGone;
  return PollStatus::kNotPolled;
}

Cycles Poller::bound_of(const Entry& entry) const {
  return entry.component.longest_gap != 0 ? entry.component.longest_gap : options_.longest_gap;
}

Cycles Poller::due_of(const Entry& entry) const {
  const Cycles bound = entry.history.last_poll() + bound_of(entry);
  if (entry.history.is_gone()) return bound;
  Cycles due = entry.rule->due(entry.history);
  const auto whole = whole_of(entry);
  if (whole && !entry.may_be_active) due = std::max(due, due_of(*whole));
  return std::min(bound, due);
}

// --- waiting loops ---

void Poller::begin_round(bool poll_all) {
  round_ = ++rounds_;
  poll_all_ = poll_all;
  polled_ = false;
  next_due_ = kNoDue;
}

void Poller::end_round() {
  round_ = kNoRound;
  poll_all_ = false;
}

std::optional<Cycles> Poller::rest() const {
  if (next_due_ == kNoDue || next_due_ == PollRule::kUnknown) return std::nullopt;
  return next_due_ - std::min(next_due_, device_.now());
}

Cycles Poller::silent_until() const {
  Cycles until = kNoDue;
  for (const auto& known : entries_) {
    if (!known || !known->component.watched || known->component.interrupts) continue;
    until = std::min(until, due_of(*known));
  }
  return until;
}

}  // namespace torusmu

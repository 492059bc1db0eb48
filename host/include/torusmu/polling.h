// SPDX-License-Identifier: Apache-2.0
// Heuristic status polling (US 7,958,274): whoever wants to know the state of a component asks the
// poller, which looks at the component only where its activity history says that it is worth it.
//
//   Poller poller(device, {.policy = PollingPolicy::kHeuristic});
//   const ComponentId counter = poller.add(polled::byte_counter(device, client, {3}));
//   const Result<PollStatus> status = poller.request(counter);   // kNotPolled, kIdle, kActive
//
// Each component has a history of its last polls, a rule that decides by it, and a bound: a request
// that comes `longest_gap` cycles or later after the last poll always polls, whatever the rule
// says. A poll costs what its reads of registers or memory cost; a request that does not poll costs
// one cycle. Time is that of the device, in cycles.
#ifndef TORUSMU_POLLING_H_
#define TORUSMU_POLLING_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "torusmu/device.h"
#include "torusmu/error.h"

namespace torusmu {

using ComponentId = Identity<struct ComponentTag>;

enum class ComponentKind {
  kInjectionFifo,
  kReceptionFifo,
  kNoticeRing,
  kByteCounter,
  kEventCounter,
  kCompletionQueue,
  kMemory,     // a word that the MU writes
  kDmaEngine,  // as a whole: the interrupt causes
  kUser,       // any device, or none that exists
};

// What a poll has found.
enum class PollResult {
  kNothing,  // an empty poll
  kActivity,
  kGone,  // nobody answers
};

// What a status request is answered.
enum class PollStatus { kNotPolled, kIdle, kActive };

struct Component {
  std::string name;
  ComponentKind kind = ComponentKind::kUser;
  std::function<PollResult()> poll;  // reads what it must, at its cost
  // Every advance() of the context asks for it, and what it finds counts as progress.
  bool watched = false;
  // Activity raises the client's interrupt line. While a component that is watched does not, no
  // wait sleeps past its next poll.
  bool interrupts = false;
  Cycles longest_gap = 0;  // 0: that of the options
  // The component that this one is a part of (US 7,958,274: "other subcomponents of that
  // component"). A request for a part asks the whole first, once a round; the part is polled only
  // if the whole was active since the part's last empty poll, if the whole is gone or has been
  // removed, or if the bound of the part says so. A whole must be active when one of its parts may
  // be.
  std::optional<ComponentId> part_of{};
  // Of a whole that knows which parts have moved: bits of them, read after a poll that found
  // activity. Of a part: its bits there; it is not polled for activity of others.
  std::function<std::uint64_t()> moved{};
  std::uint64_t moves = ~std::uint64_t{0};
  // Attributes by which rules may go (US 7,958,274: "designed based upon attributes of the device
  // and application operations"). Neither call may read a register or memory of the device.
  // Bytes until the next activity, of the transfer that it carries out; nothing: not known. Asked
  // after each poll and expect().
  std::function<std::optional<Bytes>()> remaining{};
  // The line that is high while it has something to say.
  std::function<bool()> line{};
};

// Totals of one component, or of several.
struct PollCounts {
  std::uint64_t requests = 0;
  std::uint64_t polls = 0;
  std::uint64_t empty = 0;      // polls that found nothing
  std::uint64_t skipped = 0;    // requests that did not poll
  std::uint64_t overruled = 0;  // polls that the bound made against the rule
  Cycles empty_cycles = 0;      // of the core, in empty polls
  Cycles skipped_cycles = 0;    // of the core, in requests that did not poll
  Cycles longest_gap = 0;       // between two polls, as far as requests came meanwhile
  PollCounts& operator+=(const PollCounts& other);
};

// What is remembered of a component: its last polls, oldest first, and its last waits, each from
// the moment at which something was first expected (the activity before it, or expect()) to the
// activity. Both are bounded; what is older falls out.
class ActivityHistory {
 public:
  struct Poll {
    Cycles at = 0;
    Cycles cost = 0;
    PollResult seen = PollResult::kNothing;
  };
  // Of the transfer that the component carries out, by Component::remaining.
  struct Transfer {
    Bytes remaining = 0;
    Cycles since = 0;  // so much is left: since a poll, or expect(), has found less or another one
    // Its rate: bytes that moved, and the cycles which that took, between polls that saw it move.
    // The time before the first of them counts for nothing, for much of that is latency.
    bool is_moving = false;
    Bytes moved = 0;
    Cycles moving = 0;
  };
  ActivityHistory(std::size_t most, Cycles now) : most_(most), last_poll_(now), expected_(now) {}

  [[nodiscard]] const std::deque<Poll>& polls() const { return polls_; }
  [[nodiscard]] const std::deque<Cycles>& waits() const { return waits_; }
  [[nodiscard]] const PollCounts& counts() const { return counts_; }
  [[nodiscard]] Cycles last_poll() const { return last_poll_; }  // or when it was added
  // Since when activity is awaited.
  [[nodiscard]] Cycles expected_since() const { return expected_; }
  [[nodiscard]] std::uint32_t skipped_in_a_row() const { return skipped_in_a_row_; }
  [[nodiscard]] bool is_gone() const {
    return !polls_.empty() && polls_.back().seen == PollResult::kGone;
  }
  // Nothing: the component has no such attribute, or does not know.
  [[nodiscard]] const std::optional<Transfer>& transfer() const { return transfer_; }
  // Of an empty poll; 0 if there has been none.
  [[nodiscard]] Cycles cost_of_empty_poll() const;

 private:
  friend class Poller;
  void record(const Poll& poll);
  void note(std::optional<Bytes> remaining, Cycles now, bool is_active);
  std::size_t most_;
  std::deque<Poll> polls_;
  std::deque<Cycles> waits_;
  PollCounts counts_;
  Cycles last_poll_;
  Cycles expected_;
  std::uint32_t skipped_in_a_row_ = 0;
  std::optional<Transfer> transfer_;
};

// The criteria of one component. Rules of a program derive from it; none can keep a component
// unpolled for longer than its bound.
class PollRule {
 public:
  static constexpr Cycles kUnknown = 0;
  virtual ~PollRule() = default;
  // Shall this request poll?
  virtual bool is_satisfied(const ActivityHistory& history, Cycles now) = 0;
  // The criteria follow: after each poll, each request that did not poll, and, with the whole
  // history, after as many polls as a history holds or `review_after` cycles after the last review,
  // whichever a request finds first (US 7,958,274: "periodically updating").
  virtual void polled(const ActivityHistory& /*history*/) {}
  virtual void skipped(const ActivityHistory& /*history*/) {}
  virtual void review(const ActivityHistory& /*history*/) {}
  // Something has been done here that the component will answer; or the interrupt line was high.
  virtual void expect(const ActivityHistory& /*history*/) {}
  virtual void interrupted() {}
  // The first cycle in which a request may poll if nothing happens before; kUnknown: ask again.
  [[nodiscard]] virtual Cycles due(const ActivityHistory& /*history*/) const { return kUnknown; }
};

enum class PollingPolicy {
  kAlways,     // every request polls
  kEveryN,     // every n-th request of a component polls
  kAdaptive,   // the same, with an n that follows what polls find
  kHeuristic,  // by the history
  kInterrupt,  // once after each time that the interrupt line was high
};

struct PollingOptions {
  // The default adds no cycle to any wait. kHeuristic saves most of what it polls in vain.
  PollingPolicy policy = PollingPolicy::kAlways;
  std::uint32_t every = 4;  // n of kEveryN; 1 or more
  // Of kAdaptive: n begins at 2, three empty polls make it larger by one, up to this, and a poll
  // that finds something halves it (US 7,958,274, "updated in real time"). 1 or more.
  std::uint32_t most_every = 16;
  std::size_t history = 64;       // polls, and waits, that are remembered of a component; 1 or more
  Cycles longest_gap = 50'000;    // no request leaves a component unpolled for longer; 1 or more
  Cycles review_after = 100'000;  // that a component polled seldom is left without a review
  // Of kHeuristic. An empty poll is followed by a gap: at least `least_gap`, which is raised to
  // what half of the waits can afford, and then as much longer as the wait is already long, up to
  // `most_gap`. What is added to a wait is at most a `latency_part`-th of it, and least_gap.
  Cycles least_gap = 8;
  Cycles most_gap = 4'000;
  Cycles latency_part = 32;
  Bytes link_rate = 16;  // that a link carries in a cycle: no transfer is done before; 1 or more
  // The rule of a component; none, or a null pointer: that of the policy.
  std::function<std::unique_ptr<PollRule>(const Component&)> rule_for{};
};

// What --polling takes, in words.
inline constexpr std::string_view kPollingNames =
    "always, every-N with N from 1, adaptive, heuristic or interrupt";
// "always", "every-4", "adaptive", "heuristic", "interrupt", and back; kBadArgument for any other
// text.
std::string name_of(const PollingOptions& options);
Result<PollingOptions> polling_of(std::string_view name);

// The rule of the policy; with kHeuristic one by the attributes of the component, as far as it has
// any (docs/polling.md, Rules by attributes). A component with a line is polled while that is high
// by every policy but kAlways and kInterrupt.
std::unique_ptr<PollRule> make_rule(const PollingOptions& options, const Component& component = {});

class Poller {
 public:
  // `device` outlives the poller. Options outside their range are brought to the nearest inside.
  explicit Poller(Device& device, const PollingOptions& options = {});
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  // Names are for people and need not differ; `rule` decides instead of that of the options.
  ComponentId add(Component component, std::unique_ptr<PollRule> rule = nullptr);
  // Below, kNoComponent: it was never added, or has been removed.
  std::error_code remove(ComponentId id);
  // From now on `rule` decides about the component; none: that of the options, as when it was
  // added. The history is kept, and the new rule reviews it after as many polls as a history holds.
  // A rule may do this in its own functions (US 7,958,274: "selecting different or additional
  // rules").
  std::error_code set_rule(ComponentId id, std::unique_ptr<PollRule> rule = nullptr);
  // The first component of that name.
  [[nodiscard]] Result<ComponentId> find(std::string_view name) const;

  // The status request. kDeviceGone: the last poll found nobody; such a component is polled once in
  // a bound, and goes on as before if it answers again.
  Result<PollStatus> request(ComponentId id);
  // Polls whatever the history says: before a core sleeps, for one.
  Result<PollStatus> poll_now(ComponentId id);
  // The same as request() for all that are watched; true if one of them was active.
  bool request_watched();
  // Something has been done that predicts activity of the component: a wait counts from now.
  std::error_code expect(ComponentId id);
  [[nodiscard]] Result<const ActivityHistory*> history(ComponentId id) const;
  [[nodiscard]] const Component* component(ComponentId id) const;
  [[nodiscard]] std::vector<ComponentId> components() const;
  // Of all components, removed ones too.
  [[nodiscard]] PollCounts counts() const;
  [[nodiscard]] const PollingOptions& options() const { return options_; }

  // With kInterrupt: samples the interrupt line, and clears its causes if it is high. Without one
  // only the bound polls.
  void watch_line(std::function<bool()> line) { line_ = std::move(line); }

  // What a waiting loop asks between two begin_round(): has anything been polled, and if not, how
  // long may the core rest before a request would poll? Nothing if a rule does not know. With
  // `poll_all` every request polls until end_round(): a core must look at everything before it
  // sleeps.
  void begin_round(bool poll_all = false);
  void end_round();
  [[nodiscard]] bool has_polled() const { return polled_; }
  [[nodiscard]] std::optional<Cycles> rest() const;
  // How long a core may sleep for its interrupt line: until a watched component that raises none
  // is due.
  [[nodiscard]] Cycles silent_until() const;

 private:
  static constexpr std::uint64_t kNoRound = 0;
  struct Entry {
    Component component;
    std::shared_ptr<PollRule> rule;  // copied before it is called: it may be replaced meanwhile
    ActivityHistory history;
    std::uint32_t polls_to_review;
    bool may_be_active = true;          // of a part: nothing says that it has been quiet
    std::uint64_t asked_in = kNoRound;  // the round of the last request
    Cycles reviewed;                    // or when its rule was set
  };
  enum class Ask { kRequest, kNow };
  [[nodiscard]] std::unique_ptr<PollRule> rule_of(const Component& component) const;
  Result<PollStatus> answer(ComponentId id, Ask ask);
  bool shall_poll(Entry& entry, Cycles now);
  Result<PollStatus> poll(Entry& entry);
  Result<PollStatus> skip(Entry& entry);
  void review_if_due(Entry& entry);
  [[nodiscard]] std::shared_ptr<Entry> whole_of(const Entry& part) const;
  bool may_be_active(Entry& part);
  void wake_parts_of(const Entry& whole);
  void note_transfer(Entry& entry, bool is_active);
  [[nodiscard]] Cycles bound_of(const Entry& entry) const;
  [[nodiscard]] Cycles due_of(const Entry& entry) const;
  [[nodiscard]] std::shared_ptr<Entry> entry(ComponentId id) const;

  Device& device_;
  PollingOptions options_;
  std::vector<std::shared_ptr<Entry>> entries_;  // null: removed
  PollCounts removed_;
  std::function<bool()> line_;
  std::uint64_t rounds_ = 0;  // that have begun
  std::uint64_t round_ = kNoRound;
  bool poll_all_ = false;
  bool polled_ = false;
  Cycles next_due_ = kNoDue;
  static constexpr Cycles kNoDue = std::numeric_limits<Cycles>::max();
};

// Components of a node, ready to be added; `client` owns them. A register of all ones is nobody's.
namespace polled {
// Active if more descriptors have been injected than at the poll before.
Component injection_fifo(Device& device, ClientId client, QueueId queue);
// Active if more slots have been filled than at the poll before.
Component reception_fifo(Device& device, ClientId client, FifoId fifo);
// Active while it has hit zero since it was set. What is left of it is an attribute, from the last
// poll on.
Component byte_counter(Device& device, ClientId client, CounterId counter);
// Active if it differs from the poll before.
Component event_counter(Device& device, ClientId client, EventId event);
// Active if more entries have been written than at the poll before.
Component completion_queue(Device& device, ClientId client, CompletionQueueId queue);
// Active while the 8 bytes there, in memory order, are not `idle`.
Component memory_word(Device& device, Address address, std::uint64_t idle = 0);
// Active while any interrupt cause is raised. Its line is that of the client, and a look at that
// costs a cycle.
Component dma_engine(Device& device, ClientId client);
// The same as one activity register of the client: a poll clears what it has read, and as a whole
// it tells which reception FIFOs, byte counters and completion queues with config.interrupt have
// moved since, by number modulo 16 (docs/polling.md). The only reader of the client's causes, those
// that its contexts sleep by included: what it has cleared nobody else sees.
Component activity(Device& device, ClientId client);
}  // namespace polled

}  // namespace torusmu

#endif  // TORUSMU_POLLING_H_

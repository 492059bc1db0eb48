// SPDX-License-Identifier: Apache-2.0
// Waiting: what is polled, when a core rests between two polls, and when it sleeps.
#include <algorithm>
#include <utility>

#include "host/src/engine.h"

namespace torusmu {
namespace {

namespace page = registers::client_page;

constexpr std::uint64_t kEveryCause = 0xFF;
constexpr std::uint64_t kErrorCause = std::uint64_t{1} << static_cast<int>(Cause::kError);
constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};
constexpr Cycles kLook = 4;  // of an idle context: a line of the FIFO and one of the notice ring

}  // namespace

void Engine::add_components() {
  const auto add = [this](Source source, const char* name, ComponentKind kind,
                          PollResult (Engine::*poll)(), Cycles longest_gap = 0) {
    polled_.add(
        source, name, kind, [this, poll] { return (this->*poll)(); }, longest_gap);
  };
  polled_.add(Source::kMessages, "messages", ComponentKind::kReceptionFifo,
              [this] { return inbox_.poll(); });
  polled_.add(Source::kNotices, "notices", ComponentKind::kNoticeRing,
              [this] { return notices_.poll(); });
  polled_.add(Source::kReplies, "replies", ComponentKind::kReceptionFifo,
              [this] { return puts_.poll_replies(); });
  polled_.add(Source::kMailboxes, "mailboxes", ComponentKind::kMemory,
              [this] { return puts_.poll_mailboxes(); });
  add(Source::kInjected, "injected", ComponentKind::kInjectionFifo, &Engine::poll_injected);
  // The MU tells nobody that a ring has room again.
  add(Source::kRoom, "room", ComponentKind::kInjectionFifo, &Engine::poll_room, kStarvedRetry);
  polled_.add(Source::kTail, "tail", ComponentKind::kReceptionFifo,
              [this] { return inbox_.poll_tail(); });
  add(Source::kDmaEngine, "DMA engine", ComponentKind::kDmaEngine, &Engine::clear_causes);
  polled_.poller().watch_line([this] {
    if (share_->take_cleared_line(context_)) return true;
    if (!device_.wait_interrupt(client_, device_.now())) return false;
    (void)polled_.poll_now(Source::kDmaEngine);
    return true;
  });
}

// Interrupt causes are sticky. The read makes sure that the clearing write has been done: what
// comes after it raises its cause again. See client_share.h for when they may be cleared.
PollResult Engine::clear_causes() {
  const std::uint32_t cause = page::interrupt_cause(client_.value);
  const ClientShare::Hold turn = has_turn_to_sleep_ ? ClientShare::Hold() : share_->turn_to_sleep();
  const bool may_clear =
      (has_turn_to_sleep_ || turn.owns_lock()) && !share_->others_sleep(context_);
  if (may_clear) device_.write64(cause, kEveryCause);
  const std::uint64_t left = device_.read64(cause);
  if (may_clear) share_->tell_of_cleared_line(context_);
  if (left == kAllOnes) return liveness_.doubt();
  if ((left & kErrorCause) != 0) ++counts_.device_errors;
  return left != 0 ? PollResult::kActivity : PollResult::kNothing;
}

PollResult Engine::poll_room() {
  return outbox_.has_room(1) ? PollResult::kActivity : PollResult::kNothing;
}

std::error_code Engine::advance_until(const std::function<bool()>& done, Cycles deadline) {
  polled_.expect(Source::kMessages);
  std::uint32_t looks = 0;
  for (;;) {
    if (const std::error_code error = advance()) return error;
    if (done()) {
      outbox_.ring();
      return {};
    }
    if (device_.now() >= deadline) return Errc::kDeadline;
    looks = agenda_.has_progressed() ? 0 : looks + (polled_.poller().has_polled() ? 1 : 0);
    if (may_sleep(looks)) {
      fall_asleep(deadline);
      looks = 0;
    } else if (!polled_.poller().has_polled()) {
      looks += rest(deadline);
    }
  }
}

std::uint32_t Engine::rest(Cycles deadline) {
  // The line must be sampled again before long.
  const Cycles wanted = polled_.is_by_interrupt() ? kLook : polled_.poller().rest().value_or(kLook);
  const Cycles end = std::min(deadline, agenda_.next_timer());
  const Cycles now = device_.now();
  const Cycles cycles = std::min(wanted, end > now ? end - now : 1);
  device_.compute(cycles);
  return static_cast<std::uint32_t>((cycles + kLook - 1) / kLook);
}

bool Engine::may_sleep(std::uint32_t looks) const {
  if (polled_.poller().silent_until() <= device_.now()) return false;
  // Only a round without a poll has found the line low. One that a high line began may have
  // components left to poll, and nothing wakes the context for them.
  if (polled_.is_by_interrupt()) return !agenda_.has_progressed() && !polled_.poller().has_polled();
  return looks >= options_.spin_polls;
}

void Engine::fall_asleep(Cycles deadline) {
  inbox_.release();
  notices_.release();
  ClientShare::Hold turn = share_->turn_to_sleep();
  if (!turn) return;
  has_turn_to_sleep_ = true;
  const bool is_settled = settle();
  has_turn_to_sleep_ = false;
  if (!is_settled) return;
  if (outbox_.is_starved()) agenda_.arm(device_.now() + kStarvedRetry);
  Cycles until = std::min({deadline, agenda_.next_timer(), polled_.poller().silent_until()});
  // Always: the line alone wakes. Else there may be components that were not polled for long.
  if (polled_.poller().options().policy != PollingPolicy::kAlways) {
    until = std::min(until, device_.now() + polled_.poller().options().longest_gap);
  }
  if (!share_->fall_asleep(context_)) return;
  turn.unlock();
  ++counts_.sleeps;
  look_at_all_ = device_.wait_interrupt(client_, until) && !polled_.is_by_interrupt();
  share_->wake_up(context_);
}

// Causes are cleared first, then everything is looked at once more, then the core sleeps. With
// PollingPolicy::kInterrupt the line has been found low before.
bool Engine::settle() {
  if (polled_.is_by_interrupt()) return true;
  share_->take_cleared_line(context_);
  if (!quiet_line()) return false;
  (void)polled_.ask(Source::kTail);
  look_at_all_ = true;
  return !liveness_.is_gone() && inbox_.is_empty() && !advance() && !agenda_.has_progressed();
}

// A line that is low need not be cleared; one that is high and has others to wake must not be yet.
bool Engine::quiet_line() {
  if (share_->contexts() > 1) {
    if (!device_.wait_interrupt(client_, device_.now())) return true;
    if (share_->others_sleep(context_)) return false;
  }
  return polled_.poll_now(Source::kDmaEngine);
}

}  // namespace torusmu

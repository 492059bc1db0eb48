// SPDX-License-Identifier: Apache-2.0
#include "host/src/waiting.h"

#include <algorithm>

namespace torusmu {
namespace {

constexpr Cycles kLook = 4;  // of an idle context: a line of the FIFO and one of the notice ring

}  // namespace

Waiting::Waiting(const Site& site, Agenda& agenda, Outbox& outbox, PolledSources& polled,
                 ClientShare& share, Inbox& inbox, Notices& notices, InterruptLine& line,
                 Progress& progress, const Sends& sends, Segment& segment)
    : site_(site),
      agenda_(agenda),
      outbox_(outbox),
      polled_(polled),
      share_(share),
      inbox_(inbox),
      notices_(notices),
      line_(line),
      progress_(progress),
      sends_(sends),
      segment_(segment) {}

std::error_code Waiting::until(const std::function<bool()>& done, Cycles deadline) {
  polled_.expect(Source::kMessages);
  const Poller& poller = polled_.poller();
  std::uint32_t looks = 0;
  for (;;) {
    if (const std::error_code error = progress_.advance()) return error;
    if (done()) {
      outbox_.ring();
      return {};
    }
    if (site_.device.now() >= deadline) return Errc::kDeadline;
    looks = agenda_.has_progressed() ? 0 : looks + (poller.has_polled() ? 1 : 0);
    if (may_sleep(looks)) {
      fall_asleep(deadline);
      looks = 0;
    } else if (!poller.has_polled()) {
      looks += rest(deadline);
    }
  }
}

std::error_code Waiting::linger(Cycles cycles) {
  const Cycles end = site_.device.now() + std::min(cycles, kMostCycles);
  const std::error_code error = until([&] { return site_.device.now() >= end; }, end);
  return error == Errc::kDeadline ? std::error_code() : error;
}

std::uint32_t Waiting::rest(Cycles deadline) {
  // The line must be sampled again before long.
  const Cycles wanted = polled_.is_by_interrupt() ? kLook : polled_.poller().rest().value_or(kLook);
  const Cycles end = std::min(deadline, agenda_.next_timer());
  const Cycles now = site_.device.now();
  const Cycles cycles = std::min(wanted, end > now ? end - now : 1);
  site_.device.compute(cycles);
  return static_cast<std::uint32_t>((cycles + kLook - 1) / kLook);
}

bool Waiting::may_sleep(std::uint32_t looks) const {
  const Poller& poller = polled_.poller();
  if (poller.silent_until() <= site_.device.now()) return false;
  // Only a round without a poll has found the line low. One that a high line began may have
  // components left to poll, and nothing wakes the context for them.
  if (polled_.is_by_interrupt()) return !agenda_.has_progressed() && !poller.has_polled();
  return looks >= site_.options.spin_polls;
}

void Waiting::fall_asleep(Cycles deadline) {
  inbox_.release();
  notices_.release();
  ClientShare::Hold turn = share_.turn_to_sleep();
  if (!turn || !settle()) return;
  if (outbox_.is_starved() || sends_.waits_for_segment()) {
    agenda_.arm(site_.device.now() + Progress::kStarvedRetry);
  }
  const Poller& poller = polled_.poller();
  Cycles until = std::min({deadline, agenda_.next_timer(), poller.silent_until()});
  // Always: the line alone wakes. Else there may be components that were not polled for long.
  if (poller.options().policy != PollingPolicy::kAlways) {
    until = std::min(until, site_.device.now() + poller.options().longest_gap);
  }
  // The packet that wakes it may be lost, as any.
  if (segment_.exists()) until = std::min(until, site_.device.now() + site_.options.probe_after);
  if (!segment_.fall_asleep()) return;
  if (!share_.fall_asleep(site_.context)) return segment_.wake_up();
  turn.unlock();
  ++site_.counts.sleeps;
  const bool is_woken = site_.device.wait_interrupt(site_.client, until);
  progress_.look_at_all(is_woken && !polled_.is_by_interrupt());
  share_.wake_up(site_.context);
  segment_.wake_up();
}

// Causes are cleared first, then everything is looked at once more, then the core sleeps. With
// PollingPolicy::kInterrupt the line has been found low before.
bool Waiting::settle() {
  if (polled_.is_by_interrupt()) return true;
  const InterruptLine::Turn turn(line_);
  if (!line_.settle()) return false;
  polled_.ask(Source::kTail);
  progress_.look_at_all(true);
  return inbox_.is_empty() && !progress_.advance() && !agenda_.has_progressed();
}

}  // namespace torusmu

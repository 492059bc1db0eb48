// SPDX-License-Identifier: Apache-2.0
#include "host/src/progress.h"

namespace torusmu {

Progress::Progress(const Site& site, Agenda& agenda, Liveness& liveness, Outbox& outbox,
                   PolledSources& polled, Neighbours& neighbours, ActiveMessages& active,
                   std::vector<Served*> served)
    : site_(site),
      agenda_(agenda),
      liveness_(liveness),
      outbox_(outbox),
      polled_(polled),
      neighbours_(neighbours),
      active_(active),
      served_(std::move(served)) {}

std::error_code Progress::advance() {
  if (liveness_.is_gone()) return Errc::kDeviceGone;
  if (agenda_.is_calling()) return Errc::kAgain;
  agenda_.begin();
  polled_.poller().begin_round(std::exchange(look_at_all_, false));
  polled_.ask(Source::kMessages);
  polled_.ask(Source::kNotices);
  neighbours_.take_what_is_given();
  active_.dispatch();
  for (const Source source :
       {Source::kStores, Source::kReplies, Source::kMailboxes, Source::kInjected}) {
    polled_.ask_if_awaited(source);
  }
  if (polled_.poller().request_watched()) agenda_.note_progress();
  if (outbox_.is_starved() && polled_.ask(Source::kRoom)) {
    outbox_.end_starvation();
    for (Served* part : served_) part->use_room();
  }
  if (site_.device.now() >= agenda_.next_timer()) run_timers();
  active_.finish();
  for (const auto& [name, function] : functions_) {
    if (function()) agenda_.note_progress();
  }
  polled_.poller().end_round();
  outbox_.ring();
  if (outbox_.is_device_gone()) return liveness_.check();
  return liveness_.is_gone() ? make_error_code(Errc::kDeviceGone) : std::error_code();
}

void Progress::run_timers() {
  agenda_.disarm();
  for (Served* part : served_) part->run_timers();
  if (outbox_.is_starved()) agenda_.arm(site_.device.now() + kStarvedRetry);
}

std::uint32_t Progress::add(std::function<bool()> function) {
  functions_[next_function_] = std::move(function);
  return next_function_++;
}

}  // namespace torusmu

// SPDX-License-Identifier: Apache-2.0
// Requests and progress.
#include "host/src/engine.h"

#include <algorithm>
#include <string>
#include <utility>

namespace torusmu {
namespace {

namespace page = registers::client_page;

constexpr std::uint64_t kEveryCause = 0xFF;

}  // namespace

Engine::Engine(Device& device, const NodePlan& plan, std::shared_ptr<ClientShare> share,
               ClientId client, ContextId context, const ContextOptions& options)
    : site_{.device = device,
            .plan = plan,
            .client = client,
            .context = context,
            .task = plan.task({device.node(), client}),
            .options = within_range(options),
            .counts = counts_},
      regions_(plan, client),
      liveness_(device, client),
      share_(std::move(share)),
      heap_(plan.heap(client, context)),
      outbox_(site_, liveness_),
      channels_(site_, outbox_, agenda_),
      polled_(device, options_.polling),
      requests_(site_, agenda_, polled_),
      sends_(site_, agenda_, outbox_, requests_, regions_, channels_),
      fetches_(site_, agenda_, outbox_, requests_, regions_, sends_),
      fences_(site_, agenda_, outbox_, requests_, polled_, channels_, sends_, fetches_,
              [this] { notices_.read_all(); }),
      matcher_(site_, outbox_, requests_, regions_, fetches_),
      puts_(site_, agenda_, liveness_, outbox_, requests_, polled_, regions_, sends_, fences_),
      active_(site_, agenda_, requests_, regions_, sends_, matcher_),
      arrivals_(sends_, matcher_, active_),
      inbox_(site_, agenda_, liveness_, channels_, sends_, fetches_, fences_, arrivals_),
      notices_(site_, agenda_, liveness_, *share_, channels_, fetches_, fences_, puts_) {
  device_.write64(page::interrupt_enable(client.value), kEveryCause);
  // What came before the process was there lies in the FIFO by now: known from here on.
  if (context.value == 0 && plan.has_boot_buffer(client)) (void)inbox_.poll_tail();
  add_components();
}

std::error_code Engine::look(Request request) const {
  const auto number = requests_.find(request.value);
  if (!number) return Errc::kBadArgument;
  if (requests_.is_complete(*number)) return requests_.completion(*number).error;
  return fences_.is_resending(*number) ? make_error_code(Errc::kResending) : std::error_code();
}

Result<Completion> Engine::wait(Request request, Cycles deadline) {
  Completion completion;
  bool over = false;
  const std::error_code error = advance_until(
      [&] {
        over = over || requests_.test(request, &completion);
        return over;
      },
      deadline);
  if (over) return completion;
  return error;
}

// --- progress -----------------------------------------------------------------------------------

std::error_code Engine::post_work(ContextId to, std::function<void()> work) {
  if (to.value >= share_->contexts()) return Errc::kBadArgument;
  share_->give_work(to, std::move(work));
  if (share_->is_asleep(to)) wake_others();
  return {};
}

void Engine::wake_others() {
  owes_wake_up_ = !outbox_.claim_room();
  if (owes_wake_up_) return;
  namespace d = layout::descriptor;
  outbox_.post(Descriptor().set<d::opcode>(Opcode::kNop).set<d::interrupt_done>(1));
  outbox_.ring();
}

std::uint32_t Engine::add_progress(std::function<bool()> progress) {
  progress_[next_progress_] = std::move(progress);
  return next_progress_++;
}

PollResult Engine::poll_injected() {
  const bool is_put = puts_.poll_injected();
  const bool is_round = fences_.poll_round();
  return is_put || is_round ? PollResult::kActivity : PollResult::kNothing;
}

// What other contexts have found or posted for this one.
void Engine::empty_inbox() {
  if (share_->is_inbox_empty(context_)) return;
  notices_.take_from_others();
  agenda_.note_progress();
  const Agenda::Call call(agenda_);
  for (const auto& work : share_->take_work(context_)) work();
}

std::error_code Engine::advance() {
  if (liveness_.is_gone()) return Errc::kDeviceGone;
  if (agenda_.is_calling()) return Errc::kAgain;
  agenda_.begin();
  polled_.poller().begin_round(std::exchange(look_at_all_, false));
  polled_.ask(Source::kMessages);
  polled_.ask(Source::kNotices);
  empty_inbox();
  active_.dispatch();
  for (const Source source : {Source::kReplies, Source::kMailboxes, Source::kInjected}) {
    polled_.ask_if_awaited(source);
  }
  if (polled_.poller().request_watched()) agenda_.note_progress();
  if (outbox_.is_starved() && polled_.ask(Source::kRoom)) {
    outbox_.end_starvation();
    for (auto& [peer, channel] : channels_) channel.pump();
    fetches_.run_timers();
    puts_.repeat_reflections();
    if (owes_wake_up_) wake_others();
    fences_.post_round();
  }
  if (device_.now() >= agenda_.next_timer()) run_timers();
  active_.finish();
  for (const auto& [name, progress] : progress_) {
    if (progress()) agenda_.note_progress();
  }
  polled_.poller().end_round();
  outbox_.ring();
  if (outbox_.is_device_gone()) return liveness_.check();
  return liveness_.is_gone() ? make_error_code(Errc::kDeviceGone) : std::error_code();
}

void Engine::run_timers() {
  agenda_.disarm();
  for (auto& [peer, channel] : channels_) channel.run_timers();
  fetches_.run_timers();
  puts_.repeat_reflections();
  fences_.run_timer();
  if (outbox_.is_starved()) agenda_.arm(device_.now() + kStarvedRetry);
}

std::error_code Engine::flush(Cycles deadline) {
  sends_.hurry();
  return advance_until([&] { return sends_.is_settled(); }, deadline);
}

std::error_code Engine::linger(Cycles cycles) {
  const Cycles end = device_.now() + std::min(cycles, kMostCycles);
  const std::error_code error = advance_until([&] { return device_.now() >= end; }, end);
  return error == Errc::kDeadline ? std::error_code() : error;
}

}  // namespace torusmu

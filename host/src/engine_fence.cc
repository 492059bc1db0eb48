// SPDX-License-Identifier: Apache-2.0
// Fences: FENCE descriptors in the send queue, behind what they fence (US 9,052,974).
//
// A FENCE is of a node, and holds the queue until that has answered. So the FENCEs of all fences
// that are under way are posted together, a round, one for each node that was sent to since it was
// fenced last; fences that are asked for meanwhile belong to the next round. When the queue's head
// has passed the last FENCE of a round, its event counter says whether all of them were done: one
// that failed bumps nothing, and then the round is repeated.
//
// What the targets have refused before they answered lies in the notice ring then, and is read
// before any fence of the round ends. A put that was refused is told of. A message that was refused
// goes out again, and the fence waits until it has been acknowledged.
#include <algorithm>

#include "host/src/engine.h"

namespace torusmu {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace page = registers::client_page;

constexpr Cycles kHandOver = 20;          // between looks whether another context has done so
constexpr std::uint32_t kMostTries = 16;  // of a round: more than a million cycles

bool is_before(std::uint32_t index, std::uint32_t other) {
  return static_cast<std::int32_t>(index - other) < 0;
}

}  // namespace

Result<Request> Engine::fence(std::optional<Task> task) {
  if (task && task->value >= plan_.tasks()) return Errc::kBadArgument;
  if (is_unordered(task)) return Errc::kNotOrdered;
  if (requests_.is_full()) return Requests::full();
  const std::uint32_t number = requests_.add(Use::kFence);
  if (task) requests_.completion(number).source = *task;
  const Request request = requests_.name(number);
  add_fence(number, task, false);
  return request;
}

// True if data is fetched from the task, or by it: no order of this queue says when that is there.
bool Engine::is_unordered(std::optional<Task> task) const {
  return fetches_.has_get_from(task) || sends_.is_fetched_by(task);
}

void Engine::add_fence(std::uint32_t request, std::optional<Task> task, bool of_put_alone) {
  Fence fence{
      .request = request, .task = task, .of_put_alone = of_put_alone, .index = outbox_.next()};
  for (const auto& [peer, channel] : channels_) {
    const std::size_t count = sends_.under_way(channel);
    if (of_put_alone || (task && peer.task != *task) || count == 0) continue;
    fence.messages.emplace_back(&channel, channel.ended() + count);
    if (channel.sent() < count) fence.waits = true;
  }
  fences_.push_back(std::move(fence));
  polled_.expect(Source::kInjected);
  start_round();
  outbox_.ring();
}

bool Engine::concerns(const Fence& fence, NodeId node) const {
  return !fence.task || plan_.place(*fence.task).node == node;
}

// --- rounds -------------------------------------------------------------------------------------

void Engine::start_round() {
  while (!round_.open && round_.retry_at == kNever) {
    bool any = false;
    for (Fence& fence : fences_) {
      fence.in_round = !fence.answered;
      any = any || fence.in_round;
    }
    if (!any) return;
    round_.open = true;
    polled_.await(Source::kInjected);
    round_.posted = 0;
    round_.nodes = outbox_.take_unfenced([&](NodeId node) {
      return std::any_of(fences_.begin(), fences_.end(), [&](const Fence& fence) {
        return fence.in_round && concerns(fence, node);
      });
    });
    if (round_.nodes.empty()) {
      answer_round();  // nothing to be fenced
      continue;
    }
    if (!fences_done_) {
      fences_done_ = device_.read32(page::event_counter(client_.value, fence_event().value));
    }
    post_round();
  }
}

void Engine::post_round() {
  if (!round_.open) return;
  while (round_.posted < round_.nodes.size()) {
    if (!outbox_.claim_room()) return;
    Descriptor fence = fence_descriptor({round_.nodes[round_.posted].first});
    ++round_.posted;
    if (round_.posted == round_.nodes.size()) fence.set<d::interrupt_done>(1);
    round_.index = outbox_.post(fence);
    agenda_.note_progress();
  }
}

// A write of no bytes to a place there that takes puts.
Descriptor Engine::fence_descriptor(NodeId node) const {
  const Place place{node, {0}};
  return Descriptor()
      .set<d::opcode>(Opcode::kFence)
      .set<d::done_event_valid>(1)
      .set<d::done_event>(fence_event().value)
      .set<d::header>(
          header_to(plan_, place).set<h::target>(plan_.heap_region(place.client).value));
}

void Engine::end_round() {
  const std::uint32_t done =
      device_.read32(page::event_counter(client_.value, fence_event().value));
  const std::uint32_t succeeded = done - *fences_done_;
  fences_done_ = done;
  if (succeeded == round_.nodes.size()) {
    answer_round();
  } else {
    fail_round();
  }
  start_round();
}

void Engine::answer_round() {
  // They came before the answers. Another context of the client may be about to hand over ours.
  while (share_->is_reading_notices()) device_.compute(kHandOver);
  (void)poll_notices();
  take_notices_from_others();
  for (Fence& fence : fences_) {
    if (!fence.in_round) continue;
    fence.answered = true;
    if (const auto error = outcome(fence)) requests_.completion(fence.request).error = error;
  }
  for (const Fence& fence : fences_) {
    if (fence.in_round) forget_refusals(fence);
  }
  for (Fence& fence : fences_) fence.in_round = false;
  round_.open = false;
  polled_.end_await(Source::kInjected);
  round_.tries = 0;
  settle_fences();
}

// A target that is not set up yet, or whose answers are lost: later.
void Engine::fail_round() {
  round_.open = false;
  polled_.end_await(Source::kInjected);
  for (const auto& [node, put] : round_.nodes) outbox_.note_unfenced({node}, put);
  if (++round_.tries < kMostTries) {
    round_.retry_at =
        device_.now() + std::min(options_.retry_most, options_.retry_least << round_.tries);
    agenda_.arm(round_.retry_at);
    return;
  }
  round_.tries = 0;
  for (Fence& fence : fences_) {
    if (!fence.in_round) continue;
    fence = {.request = fence.request, .answered = true};
    requests_.completion(fence.request).error = Errc::kRefused;
  }
  settle_fences();
}

void Engine::run_round_timer() {
  if (round_.retry_at > device_.now()) {
    agenda_.arm(round_.retry_at);
    return;
  }
  round_.retry_at = kNever;
  start_round();
}

// --- what was refused ---------------------------------------------------------------------------

std::error_code Engine::outcome(const Fence& fence) const {
  if (fence.of_put_alone) return {};  // its own notice has told its request
  for (const auto& [task, puts] : refused_puts_) {
    const bool is_meant = !fence.task || fence.task->value == task;
    if (is_meant && is_before(puts.first, fence.index)) return puts.error;
  }
  const bool is_unknown = std::any_of(unknown_.begin(), unknown_.end(),
                                      [&](std::uint32_t node) { return concerns(fence, {node}); });
  return is_unknown ? make_error_code(Errc::kNoticesLost) : std::error_code();
}

// What it has told of.
void Engine::forget_refusals(const Fence& fence) {
  if (fence.of_put_alone) return;
  for (auto& [task, puts] : refused_puts_) {
    const bool is_told = !fence.task || fence.task->value == task;
    if (is_told && is_before(puts.first, fence.index)) puts.first = puts.last;
  }
  std::erase_if(refused_puts_, [&](const auto& item) {
    const bool is_told = !fence.task || fence.task->value == item.first;
    return is_told && is_before(item.second.last, fence.index);
  });
  std::erase_if(unknown_, [&](std::uint32_t node) { return concerns(fence, {node}); });
}

// Messages from that one on have not been taken, and go out again.
void Engine::sent_again(const Channel& to, std::uint64_t first) {
  for (Fence& fence : fences_) {
    for (const auto& [channel, until] : fence.messages) {
      if (channel == &to && first < until) fence.waits = true;
    }
  }
}

// Messages that were refused are found out by asking; of puts nobody knows.
void Engine::lost_notices() {
  for (const auto& [node, put] : outbox_.unfenced()) {
    if (put) unknown_.insert(node);
  }
  for (const auto& [node, put] : round_.nodes) {
    if (put && round_.open) unknown_.insert(node);
  }
  for (Fence& fence : fences_) fence.waits = fence.waits || !fence.messages.empty();
}

void Engine::settle_fences() {
  std::erase_if(fences_, [&](const Fence& fence) {
    const bool ended =
        std::all_of(fence.messages.begin(), fence.messages.end(),
                    [](const auto& message) { return message.first->ended() >= message.second; });
    if (!fence.answered || (fence.waits && !ended)) return false;
    requests_.complete(fence.request);
    return true;
  });
}

}  // namespace torusmu

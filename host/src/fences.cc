// SPDX-License-Identifier: Apache-2.0
#include "host/src/fences.h"

#include <algorithm>
#include <string>

namespace torusmu {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace page = registers::client_page;

constexpr std::uint32_t kMostTries = 16;  // of a round: more than a million cycles

bool is_before(std::uint32_t index, std::uint32_t other) {
  return static_cast<std::int32_t>(index - other) < 0;
}

Result<Request> no_endpoint(Endpoint endpoint) {
  return {Errc::kBadArgument, "no such endpoint: task " + std::to_string(endpoint.task.value) +
                                  ", context " + std::to_string(endpoint.context.value)};
}

}  // namespace

Fences::Fences(const Site& site, Agenda& agenda, Outbox& outbox, Requests& requests,
               PolledSources& polled, const Channels& channels, const Sends& sends,
               const Fetches& fetches, Segment& segment, std::function<void()> read_notices)
    : site_(site),
      agenda_(agenda),
      outbox_(outbox),
      requests_(requests),
      polled_(polled),
      channels_(channels),
      sends_(sends),
      fetches_(fetches),
      segment_(segment),
      read_notices_(std::move(read_notices)) {}

Result<Request> Fences::fence(Endpoint endpoint) {
  if (!site_.plan.has(endpoint)) return no_endpoint(endpoint);
  if (!segment_.reaches(endpoint)) return fence(endpoint.task);
  return fence(endpoint.task, endpoint);
}

Result<Request> Fences::fence(std::optional<Task> task, std::optional<Endpoint> word_for) {
  if (task && task->value >= site_.plan.tasks()) return Errc::kBadArgument;
  // No order of this queue says when data is there that is fetched from the task, or by it.
  if (fetches_.has_get_from(task) || sends_.is_fetched_by(task)) return Errc::kNotOrdered;
  if (requests_.is_full()) return Requests::full();
  const std::uint32_t number = requests_.add(Use::kFence);
  if (task) requests_.completion(number).source = *task;
  const Request request = requests_.name(number);
  const Asked asked{number, task, word_for, sends_.begun_to_wait()};
  if (sends_.has_segment_passed(task, asked.begun_to_wait)) {
    begin(asked);
  } else {
    asked_.push_back(asked);
  }
  return request;
}

void Fences::use_segment_room() {
  std::deque<Asked> asked = std::exchange(asked_, {});
  for (const Asked& each : asked) {
    if (sends_.has_segment_passed(each.task, each.begun_to_wait)) {
      begin(each);
    } else {
      asked_.push_back(each);
    }
  }
}

void Fences::begin(const Asked& asked) {
  if (asked.word_for) {
    segment_.store_fence(*asked.word_for);
    if (is_fenced(asked.word_for->task)) {
      ++site_.counts.fences_stored;
      requests_.complete(asked.request);
      return;
    }
  }
  add(asked.request, asked.task, false);
}

bool Fences::is_fenced(Task task) const {
  if (!fences_.empty() || !refused_puts_.empty() || !unknown_.empty()) return false;
  if (outbox_.unfenced().contains(site_.plan.place(task).node.value)) return false;
  return std::none_of(channels_.begin(), channels_.end(), [&](const auto& item) {
    return item.first.task == task && sends_.under_way(item.second) != 0;
  });
}

void Fences::add(std::uint32_t request, std::optional<Task> task, bool of_put_alone) {
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

bool Fences::is_resending(std::uint32_t request) const {
  return std::any_of(fences_.begin(), fences_.end(),
                     [&](const Fence& fence) { return fence.request == request && fence.waits; });
}

bool Fences::concerns(const Fence& fence, NodeId node) const {
  return !fence.task || site_.plan.place(*fence.task).node == node;
}

// --- rounds ---

void Fences::start_round() {
  while (!round_.open && round_.retry_at == kNever) {
    bool any = false;
    for (Fence& fence : fences_) {
      fence.in_round = !fence.answered;
      any = any || fence.in_round;
    }
    if (!any) return;
    open_round();
    if (round_.nodes.empty()) {
      answer_round();  // nothing to be fenced
      continue;
    }
    if (!done_) done_ = read_event();
    post_round();
  }
}

void Fences::open_round() {
  round_.open = true;
  round_.posted = 0;
  polled_.await(Source::kInjected);
  round_.nodes = outbox_.take_unfenced([this](NodeId node) {
    return std::any_of(fences_.begin(), fences_.end(),
                       [&](const Fence& fence) { return fence.in_round && concerns(fence, node); });
  });
}

void Fences::close_round() {
  round_.open = false;
  polled_.end_await(Source::kInjected);
}

void Fences::post_round() {
  if (!round_.open) return;
  while (round_.posted < round_.nodes.size()) {
    if (!outbox_.claim_room()) return;
    Descriptor fence = descriptor_for({round_.nodes[round_.posted].first});
    ++round_.posted;
    if (round_.posted == round_.nodes.size()) fence.set<d::interrupt_done>(1);
    round_.index = outbox_.post(fence);
    agenda_.note_progress();
  }
}

EventId Fences::event() const { return site_.plan.fence_event(site_.client, site_.context); }

std::uint32_t Fences::read_event() const {
  return site_.device.read32(page::event_counter(site_.client.value, event().value));
}

// A write of no bytes to a place there that takes puts.
Descriptor Fences::descriptor_for(NodeId node) const {
  const Place place{node, {0}};
  const RegionId heap = site_.plan.heap_region(place.client);
  return Descriptor()
      .set<d::opcode>(Opcode::kFence)
      .set<d::done_event_valid>(1)
      .set<d::done_event>(event().value)
      .set<d::header>(header_to(site_.plan, place).set<h::target>(heap.value));
}

bool Fences::poll_round() {
  const bool is_posted = round_.open && round_.posted == round_.nodes.size();
  if (!is_posted || !outbox_.injected(round_.index)) return false;
  end_round();
  return true;
}

void Fences::end_round() {
  const std::uint32_t done = read_event();
  const std::uint32_t succeeded = done - *done_;
  done_ = done;
  if (succeeded == round_.nodes.size()) {
    answer_round();
  } else {
    fail_round();
  }
  start_round();
}

void Fences::answer_round() {
  read_notices_();  // they came before the answers
  for (Fence& fence : fences_) {
    if (!fence.in_round) continue;
    fence.answered = true;
    if (const auto error = outcome(fence)) requests_.completion(fence.request).error = error;
  }
  for (const Fence& fence : fences_) {
    if (fence.in_round) forget_refusals(fence);
  }
  for (Fence& fence : fences_) fence.in_round = false;
  round_.tries = 0;
  close_round();
  settle();
}

// A target that is not set up yet, or whose answers are lost: later.
void Fences::fail_round() {
  close_round();
  for (const auto& [node, is_put] : round_.nodes) outbox_.note_unfenced({node}, is_put);
  if (++round_.tries < kMostTries) {
    const ContextOptions& options = site_.options;
    round_.retry_at =
        site_.device.now() + std::min(options.retry_most, options.retry_least << round_.tries);
    agenda_.arm(round_.retry_at);
    return;
  }
  round_.tries = 0;
  for (Fence& fence : fences_) {
    if (!fence.in_round) continue;
    fence = {.request = fence.request, .answered = true};
    requests_.completion(fence.request).error = Errc::kRefused;
  }
  settle();
}

void Fences::run_timers() {
  if (round_.retry_at > site_.device.now()) {
    agenda_.arm(round_.retry_at);
    return;
  }
  round_.retry_at = kNever;
  start_round();
}

// --- what was refused ---

void Fences::put_refused(Task task, std::uint32_t index, std::error_code error) {
  refused_puts_.try_emplace(task.value, RefusedPuts{.first = index, .error = error})
      .first->second.last = index;
}

std::error_code Fences::outcome(const Fence& fence) const {
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
void Fences::forget_refusals(const Fence& fence) {
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

void Fences::sent_again(const Channel& to, std::uint64_t first) {
  for (Fence& fence : fences_) {
    for (const auto& [channel, until] : fence.messages) {
      if (channel == &to && first < until) fence.waits = true;
    }
  }
}

// Messages that were refused are found out by asking; of puts nobody knows.
void Fences::notices_lost() {
  for (const auto& [node, is_put] : outbox_.unfenced()) {
    if (is_put) unknown_.insert(node);
  }
  for (const auto& [node, is_put] : round_.nodes) {
    if (is_put && round_.open) unknown_.insert(node);
  }
  for (Fence& fence : fences_) fence.waits = fence.waits || !fence.messages.empty();
}

void Fences::settle() {
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

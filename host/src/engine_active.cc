// SPDX-License-Identifier: Apache-2.0
// Active messages: a message that runs a function at its target. They are numbered messages whose
// tag names the function; once one has arrived whole it waits for advance() to run it, so that the
// function may send, put and get, but finds no packet half read.
#include <algorithm>
#include <array>
#include <utility>

#include "host/src/engine.h"

namespace torusmu {
std::error_code Engine::register_dispatch(DispatchId id, DispatchFunction function) {
  if (id.value >= kDispatches) return Errc::kBadArgument;
  if (function) {
    dispatches_[id.value] = std::make_shared<DispatchFunction>(std::move(function));
  } else {
    dispatches_.erase(id.value);
  }
  return {};
}

// The first packet; `length` of the payload as a whole.
void Engine::begin_active(Endpoint from, const std::shared_ptr<Incoming>& incoming, Bytes length) {
  if (incoming->by_request) {
    const Bytes known = wire::Immediate{}.size();
    std::vector<std::byte> payload(std::max(length, known));
    messages_.read_payload(std::span(payload).first(length));
    incoming->data.assign(payload.begin() + static_cast<std::ptrdiff_t>(known), payload.end());
    to_dispatch_.push_back(incoming);
  } else if (length == 0) {
    to_dispatch_.push_back(incoming);
  } else {
    arriving_[from] = incoming;
  }
}

void Engine::run_dispatches() {
  // A long one needs a request; it keeps its place until there is one.
  while (!to_dispatch_.empty() && !requests_.is_full()) {
    const std::shared_ptr<Incoming> next = std::move(to_dispatch_.front());
    to_dispatch_.pop_front();
    dispatch(next);
    agenda_.note_progress();
  }
}

void Engine::dispatch(const std::shared_ptr<Incoming>& incoming) {
  const std::size_t header_bytes = wire::header_bytes_of(incoming->tag);
  if (header_bytes > incoming->data.size()) {
    ++counts_.odd_packets;
    return;
  }
  const auto found = dispatches_.find(wire::dispatch_of(incoming->tag));
  if (found == dispatches_.end()) {
    ++counts_.undispatched;
    // A long message ends its request there; of a short one that is over.
    sends_.confirm(incoming->source, incoming->by_request ? incoming->remote.request : 0,
                   wire::Said::kNoDispatch, {wire::dispatch_of(incoming->tag)});
    return;
  }
  ++counts_.dispatched;
  const std::span<const std::byte> all(incoming->data);
  const std::span data = all.subspan(header_bytes);
  const ActiveMessage message{.source = incoming->source,
                              .header = all.first(header_bytes),
                              .data = data,
                              .length = incoming->by_request ? incoming->length : data.size(),
                              .at_sender = incoming->by_request};
  // Kept here: the function may register another in its place.
  const auto function = found->second;
  ActiveReceive wanted;
  {
    const Agenda::Call call(agenda_);
    wanted = (*function)(message);
  }
  take_active_data(incoming, std::move(wanted));
}

// Puts the data where the function wants it.
void Engine::take_active_data(const std::shared_ptr<Incoming>& incoming, ActiveReceive wanted) {
  if (!incoming->by_request && !wanted.done && wanted.capacity == 0) return;
  const std::uint32_t number = requests_.add(Use::kActive);
  if (wanted.done) active_[number] = std::move(wanted.done);
  const std::size_t header_bytes = wire::header_bytes_of(incoming->tag);
  const auto where = regions_.locate(wanted.buffer, wanted.capacity);
  if (wanted.capacity != 0 && !where) {
    // The sender may have its data back all the same.
    if (incoming->by_request) {
      sends_.confirm(incoming->source, incoming->remote.request, wire::Said::kRefused);
    }
    requests_.complete(number, where.error());
    return;
  }
  if (!incoming->by_request) {
    incoming->data.erase(incoming->data.begin(),
                         incoming->data.begin() + static_cast<std::ptrdiff_t>(header_bytes));
    incoming->length = incoming->arrived = incoming->data.size();
  }
  matcher_.bind(incoming, number, {wanted.buffer, wanted.capacity});
}

// Functions of messages that have been stored.
void Engine::end_active_messages() {
  while (const auto number = requests_.take_ended_active()) {
    const Completion completion = requests_.completion(*number);
    auto node = active_.extract(*number);
    requests_.retire(*number);
    if (node.empty()) continue;
    const Agenda::Call call(agenda_);
    node.mapped()(completion);
  }
}

}  // namespace torusmu

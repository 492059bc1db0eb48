// SPDX-License-Identifier: Apache-2.0
// Active messages: a message that runs a function at its target. They are numbered messages whose
// tag names the function; once one has arrived whole it waits for advance() to run it, so that the
// function may send, put and get, but finds no packet half read.
#include <algorithm>
#include <array>
#include <utility>

#include "host/src/engine.h"

namespace torusmu {
namespace {

constexpr std::size_t kMostUndispatched = 1024;

// The error of a long message of ours of which its target has said so.
std::error_code confirmed_error(wire::Said said) {
  switch (said) {
    case wire::Said::kFetched:
      return {};
    case wire::Said::kNoDispatch:
      return Errc::kNoDispatch;
    case wire::Said::kDataLost:
      return Errc::kDataLost;
    default:
      return Errc::kRefused;
  }
}

}  // namespace

std::error_code Engine::register_dispatch(DispatchId id, DispatchFunction function) {
  if (id.value >= kDispatches) return Errc::kBadArgument;
  if (function) {
    dispatches_[id.value] = std::make_shared<DispatchFunction>(std::move(function));
  } else {
    dispatches_.erase(id.value);
  }
  return {};
}

Result<Request> Engine::send_active(Endpoint to, DispatchId id, std::span<const std::byte> header,
                                    Address data, Bytes bytes) {
  if (!plan_.has(to) || id.value >= kDispatches || header.size() > kMostActiveHeader ||
      bytes > kMostLength) {
    return Errc::kBadArgument;
  }
  if (requests_.is_full()) return Requests::full();
  const bool eager =
      bytes <= options_.eager_limit && header.size() + bytes <= wire::kMostEagerBytes;
  if (eager) {
    if (!Range{0, device_.memory_size()}.holds(data, bytes)) return Errc::kNotRegistered;
  } else if (const auto where = regions_.locate(data, bytes); !where) {
    return where.error();
  }
  return start_send(to, {.tag = wire::active_tag(id.value, header.size()),
                         .data = data,
                         .bytes = bytes,
                         .header = {header.begin(), header.end()},
                         .by_request = !eager});
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
    confirm_undispatched(*incoming);
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
    if (incoming->by_request) confirm_message(fetch_of(*incoming, number), where.error());
    requests_.complete(number, where.error());
    return;
  }
  if (!incoming->by_request) {
    incoming->data.erase(incoming->data.begin(),
                         incoming->data.begin() + static_cast<std::ptrdiff_t>(header_bytes));
    incoming->length = incoming->arrived = incoming->data.size();
  }
  bind(incoming, number, {wanted.buffer, wanted.capacity});
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

// Tells the sender that nobody here wants its message. A long one ends its request; of a short one
// the request is over.
void Engine::confirm_undispatched(const Incoming& incoming) {
  Outgoing message;
  message.type = wire::Type::kDone;
  message.word = incoming.by_request ? incoming.remote.request : 0;
  message.immediate = true;
  message.length = 2;
  message.data[0] = static_cast<std::uint8_t>(wire::Said::kNoDispatch);
  message.data[1] = static_cast<std::uint8_t>(wire::dispatch_of(incoming.tag));
  channels_.to(incoming.source).keep(message);
}

void Engine::take_confirmation(Endpoint from, std::uint32_t request, const wire::Immediate& data) {
  const auto said = static_cast<wire::Said>(data[0]);
  if (const auto number = requests_.find(request); number && requests_.use(*number) == Use::kSend) {
    requests_.complete(*number, confirmed_error(said));
    unfetched_.erase(*number);
  } else if (request == 0 && said == wire::Said::kNoDispatch) {
    ++counts_.refused_active;
    if (undispatched_.size() == kMostUndispatched) undispatched_.pop_front();
    undispatched_.push_back({from, {data[1]}, Errc::kNoDispatch});
    agenda_.note_progress();
  }
}

std::optional<Undispatched> Engine::take_undispatched() {
  if (undispatched_.empty()) return std::nullopt;
  const Undispatched oldest = undispatched_.front();
  undispatched_.pop_front();
  return oldest;
}

}  // namespace torusmu

// SPDX-License-Identifier: Apache-2.0
#include "host/src/active_messages.h"

#include <span>

namespace torusmu {

std::error_code ActiveMessages::register_dispatch(DispatchId id, DispatchFunction function) {
  if (id.value >= kDispatches) return Errc::kBadArgument;
  if (function) {
    functions_[id.value] = std::make_shared<DispatchFunction>(std::move(function));
  } else {
    functions_.erase(id.value);
  }
  return {};
}

void ActiveMessages::dispatch() {
  // A long one needs a request; it keeps its place until there is one.
  while (!arrived_.empty() && !requests_.is_full()) {
    const MessagePointer next = std::move(arrived_.front());
    arrived_.pop_front();
    dispatch(next);
    agenda_.note_progress();
  }
}

void ActiveMessages::dispatch(const MessagePointer& message) {
  const std::size_t header_bytes = wire::header_bytes_of(message->tag);
  if (header_bytes > message->data.size()) {
    ++site_.counts.odd_packets;
    return;
  }
  const DispatchId id{wire::dispatch_of(message->tag)};
  const auto found = functions_.find(id.value);
  if (found == functions_.end()) {
    ++site_.counts.undispatched;
    // A long message ends its request there; of a short one that is over.
    const std::uint32_t request = message->by_request ? message->remote.request : 0;
    sends_.confirm(message->source, request, wire::Said::kNoDispatch, id);
    return;
  }
  ++site_.counts.dispatched;
  const std::span<const std::byte> all(message->data);
  const std::span data = all.subspan(header_bytes);
  const ActiveMessage shown{.source = message->source,
                            .header = all.first(header_bytes),
                            .data = data,
                            .length = message->by_request ? message->length : data.size(),
                            .at_sender = message->by_request};
  // Kept here: the function may register another in its place.
  const auto function = found->second;
  ActiveReceive wanted;
  {
    const Agenda::Call call(agenda_);
    wanted = (*function)(shown);
  }
  store(message, std::move(wanted));
}

void ActiveMessages::store(const MessagePointer& message, ActiveReceive wanted) {
  if (!message->by_request && !wanted.done && wanted.capacity == 0) return;
  const std::uint32_t number = requests_.add(Use::kActive);
  if (wanted.done) done_[number] = std::move(wanted.done);
  if (const auto error = regions_.check(wanted.buffer, wanted.capacity)) {
    // The sender may have its data back all the same.
    if (message->by_request) {
      sends_.confirm(message->source, message->remote.request, wire::Said::kRefused);
    }
    requests_.complete(number, error);
    return;
  }
  if (!message->by_request) {
    const auto header_bytes = static_cast<std::ptrdiff_t>(wire::header_bytes_of(message->tag));
    message->data.erase(message->data.begin(), message->data.begin() + header_bytes);
    message->length = message->arrived = message->data.size();
  }
  matcher_.bind(message, number, {wanted.buffer, wanted.capacity});
}

void ActiveMessages::finish() {
  while (const auto number = requests_.take_ended_active()) {
    const Completion completion = requests_.completion(*number);
    auto function = done_.extract(*number);
    requests_.retire(*number);
    if (function.empty()) continue;
    const Agenda::Call call(agenda_);
    function.mapped()(completion);
  }
}

}  // namespace torusmu

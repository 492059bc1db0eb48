// SPDX-License-Identifier: Apache-2.0
#include "host/src/matcher.h"

#include <algorithm>
#include <array>
#include <utility>

namespace torusmu {

Result<Request> Matcher::receive(Endpoint source, std::optional<std::uint32_t> tag, Address buffer,
                                 Bytes capacity) {
  if (source.task != kAnyTask && !site_.plan.has(source)) return Errc::kBadArgument;
  if (requests_.is_full()) return Requests::full();
  if (const auto error = regions_.check(buffer, capacity)) return error;
  const std::uint32_t number = requests_.add(Use::kReceive);
  if (const auto message = take_unexpected(source, tag)) {
    bind(message, number, {buffer, capacity});
  } else {
    posted_.push_back({number, source, tag, {buffer, capacity}});
  }
  outbox_.ring();
  return requests_.name(number);
}

Result<Request> Matcher::receive(const Message& message, Address buffer, Bytes capacity) {
  if (!message.incoming_ || message.incoming_->receive) return Errc::kBadArgument;
  if (requests_.is_full()) return Requests::full();
  if (const auto error = regions_.check(buffer, capacity)) return error;
  const std::uint32_t number = requests_.add(Use::kReceive);
  bind(message.incoming_, number, {buffer, capacity});
  outbox_.ring();
  return requests_.name(number);
}

std::optional<Message> Matcher::probe(Endpoint source, std::optional<std::uint32_t> tag) {
  auto found = take_unexpected(source, tag);
  if (!found) return std::nullopt;
  Message message;
  message.source_ = found->source;
  message.tag_ = static_cast<Tag>(found->tag);
  message.length_ = found->length;
  message.at_sender_ = found->by_request;
  message.incoming_ = std::move(found);
  return message;
}

bool Matcher::cancel(Request request) {
  const auto number = requests_.find(request.value);
  if (!number) return false;
  const auto found = std::find_if(posted_.begin(), posted_.end(),
                                  [&](const Posted& posted) { return posted.request == *number; });
  if (found == posted_.end()) return false;
  posted_.erase(found);
  requests_.retire(*number);
  return true;
}

// --- matching ---

bool Matcher::is_match(Endpoint source, std::optional<std::uint32_t> tag, const Incoming& message) {
  const bool source_fits = source.task == kAnyTask || source == message.source;
  return source_fits && (tag ? *tag == message.tag : (message.tag & kInternalTag) == 0);
}

// One unit of matching pays for four entries of a queue.
void Matcher::charge(std::size_t looked_at) { site_.device.work(Work::kMatch, 1 + looked_at / 4); }

Matcher::MessagePointer Matcher::take_unexpected(Endpoint source,
                                                 std::optional<std::uint32_t> tag) {
  std::size_t looked_at = 0;
  MessagePointer found;
  for (auto it = unexpected_.begin(); it != unexpected_.end(); ++it, ++looked_at) {
    if (!is_match(source, tag, **it)) continue;
    found = std::move(*it);
    unexpected_.erase(it);
    break;
  }
  charge(looked_at);
  return found;
}

void Matcher::match(const MessagePointer& message) {
  std::size_t looked_at = 0;
  auto posted = posted_.begin();
  while (posted != posted_.end() && !is_match(posted->source, posted->tag, *message)) {
    ++posted;
    ++looked_at;
  }
  charge(looked_at);
  if (posted == posted_.end()) {
    ++site_.counts.received_unexpected;
    unexpected_.push_back(message);
    return;
  }
  const Posted found = *posted;
  posted_.erase(posted);
  bind(message, found.request, found.buffer);
}

void Matcher::bind(const MessagePointer& message, std::uint32_t request, Range buffer) {
  message->receive = request;
  message->buffer = buffer;
  Completion& completion = requests_.completion(request);
  completion.source = message->source.task;
  completion.source_context = message->source.context;
  completion.tag = static_cast<Tag>(message->tag);
  completion.length = message->length;
  if (message->length > buffer.bytes) completion.error = Errc::kTruncated;
  if (message->by_request) {
    fetches_.fetch(*message, request, buffer);
    return;
  }
  if (message->arrived != 0) {
    const Bytes count = std::min(message->arrived, buffer.bytes);
    copy_out(site_.device, buffer.address, std::span(message->data).first(count));
    message->data.clear();
  }
  if (message->arrived == message->length) finish(*message);
}

// --- data ---

void Matcher::take_data(const MessagePointer& message, Bytes offset, Bytes bytes,
                        PacketRing& ring) {
  std::array<std::byte, 512> data;
  const std::span payload = std::span(data).first(bytes);
  if (message->receive) {
    const Bytes capacity = message->buffer.bytes;
    const Bytes room = capacity - std::min(offset, capacity);
    const std::span wanted = payload.first(std::min<Bytes>(bytes, room));
    const Address to = message->buffer.address + offset;
    const std::uint32_t copies = copies_.start(message, ring, wanted.size(), to);
    message->copies += copies;
    if (copies == 0 && !wanted.empty()) {
      ring.read_payload(wanted);
      copy_out(site_.device, to, wanted);
    }
  } else {
    ring.read_payload(payload);
    site_.device.work(Work::kCopyLine, lines_of(bytes));
    message->data.insert(message->data.end(), payload.begin(), payload.end());
  }
  message->arrived += bytes;
}

void Matcher::finish(Incoming& message) {
  message.is_whole = true;
  if (message.copies == 0) complete(message);
}

void Matcher::complete(const Incoming& message) {
  ++site_.counts.received;
  requests_.complete(*message.receive, message.error);
}

PollResult Matcher::poll_copies() {
  PollResult result = PollResult::kNothing;
  copies_.look();
  while (const auto ended = copies_.take_ended()) {
    result = PollResult::kActivity;
    Incoming& message = *ended->message;
    if (ended->error) message.error = ended->error;
    if (--message.copies == 0 && message.is_whole) complete(message);
  }
  return result;
}

}  // namespace torusmu

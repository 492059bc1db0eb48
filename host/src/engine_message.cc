// SPDX-License-Identifier: Apache-2.0
// Send and receive: matching, messages that arrive, buffers.
#include <algorithm>
#include <array>
#include <cstring>

#include "host/src/engine.h"

namespace torusmu {
namespace {

namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

}  // namespace

// --- matching -----------------------------------------------------------------------------------

bool Engine::matches(Endpoint source, std::optional<std::uint32_t> tag, const Incoming& incoming) {
  const bool source_fits = source.task == kAnyTask || source == incoming.source;
  // Any tag means any of the program's own.
  return source_fits && (tag ? *tag == incoming.tag : (incoming.tag & kInternalTag) == 0);
}

// One unit of matching pays for four entries of a queue.
void Engine::charge_matching(std::size_t looked_at) {
  device_.work(Work::kMatch, 1 + looked_at / 4);
}

std::shared_ptr<Incoming> Engine::take_unexpected(Endpoint source,
                                                  std::optional<std::uint32_t> tag) {
  std::size_t looked_at = 0;
  for (auto it = unexpected_.begin(); it != unexpected_.end(); ++it, ++looked_at) {
    if (!matches(source, tag, **it)) continue;
    std::shared_ptr<Incoming> found = std::move(*it);
    unexpected_.erase(it);
    charge_matching(looked_at);
    return found;
  }
  charge_matching(looked_at);
  return nullptr;
}

Result<Request> Engine::receive(Endpoint source, std::optional<std::uint32_t> tag, Address buffer,
                                Bytes capacity) {
  if (source.task != kAnyTask && !plan_.has(source)) return Errc::kBadArgument;
  if (requests_.is_full()) return Requests::full();
  if (capacity != 0) {
    if (const auto where = regions_.locate(buffer, capacity); !where) return where.error();
  }
  const std::uint32_t number = requests_.add(Use::kReceive);
  if (auto incoming = take_unexpected(source, tag)) {
    bind(incoming, number, {buffer, capacity});
  } else {
    posted_.push_back({number, source, tag, {buffer, capacity}});
  }
  outbox_.ring();
  return requests_.name(number);
}

std::optional<Message> Engine::probe(Endpoint source, std::optional<std::uint32_t> tag) {
  auto incoming = take_unexpected(source, tag);
  if (!incoming) return std::nullopt;
  Message message;
  message.source_ = incoming->source;
  message.tag_ = static_cast<Tag>(incoming->tag);
  message.length_ = incoming->length;
  message.at_sender_ = incoming->by_request;
  message.incoming_ = std::move(incoming);
  return message;
}

Result<Request> Engine::receive(const Message& message, Address buffer, Bytes capacity) {
  if (!message.incoming_ || message.incoming_->receive) return Errc::kBadArgument;
  if (requests_.is_full()) return Requests::full();
  if (capacity != 0) {
    if (const auto where = regions_.locate(buffer, capacity); !where) return where.error();
  }
  const std::uint32_t number = requests_.add(Use::kReceive);
  bind(message.incoming_, number, {buffer, capacity});
  outbox_.ring();
  return requests_.name(number);
}

// A message and a receive have found each other.
void Engine::bind(const std::shared_ptr<Incoming>& incoming, std::uint32_t request, Range buffer) {
  incoming->receive = request;
  incoming->buffer = buffer;
  Completion& completion = requests_.completion(request);
  completion.source = incoming->source.task;
  completion.source_context = incoming->source.context;
  completion.tag = static_cast<Tag>(incoming->tag);
  completion.length = incoming->length;
  if (incoming->length > buffer.bytes) completion.error = Errc::kTruncated;
  if (incoming->by_request) {
    fetches_.fetch(*incoming, request, buffer);
    return;
  }
  if (incoming->arrived != 0) {
    const Bytes count = std::min(incoming->arrived, buffer.bytes);
    copy_out(device_, buffer.address, std::span(incoming->data).first(count));
    incoming->data.clear();
  }
  if (incoming->arrived == incoming->length) {
    ++counts_.received;
    requests_.complete(request);
  }
}

// --- packets ------------------------------------------------------------------------------------

PollResult Engine::poll_messages() {
  if (messages_.empty()) {
    ++counts_.polls;
    if (!messages_.hint()) return PollResult::kNothing;
    if (poll_tail() == PollResult::kGone) return PollResult::kGone;
  }
  while (!messages_.empty()) {
    const PacketRing::Entry entry = messages_.front();
    device_.work(Work::kHandlePacket, 1);
    handle(entry);
    messages_.pop(entry);
    agenda_.note_progress();
  }
  return PollResult::kActivity;
}

void Engine::handle(const PacketRing::Entry& entry) {
  const auto field = wire::OffsetField::unpack(entry.header.get<h::offset>());
  const Coordinates at{static_cast<std::uint32_t>(entry.header.get<h::src_x>()),
                       static_cast<std::uint32_t>(entry.header.get<h::src_y>()),
                       static_cast<std::uint32_t>(entry.header.get<h::src_z>())};
  const Place place{plan_.shape().node(at),
                    {static_cast<std::uint32_t>(entry.header.get<h::client>())}};
  const auto sender = plan_.sender_of({static_cast<std::uint32_t>(entry.trailer.get<t::queue>())});
  const bool on_behalf = entry.header.get<h::on_behalf>() != 0;
  // Only the MU of a peer that we asked can say that it has fetched, and it can say nothing else.
  if (entry.header.get<h::kind>() != Kind::kFifo ||
      on_behalf != (field.type == wire::Type::kFetched) ||
      place.client.value >= plan_.options().clients || place.node.value >= plan_.shape().nodes()) {
    ++counts_.odd_packets;
    return;
  }
  const auto word = static_cast<std::uint32_t>(entry.header.get<h::word>());
  if (on_behalf) {
    fetches_.take_fetched(word, field.length != 0);
    return;
  }
  // Queue and client are what the MU there has stamped: nobody can speak for another endpoint.
  if (!sender || sender->client != place.client) {
    ++counts_.odd_packets;
    return;
  }
  Channel& from = channels_.to({plan_.task(place), sender->context});
  const auto numbers = wire::Numbers::unpack(entry.trailer.get<t::sequence_number>());
  if (wire::is_numbered(field.type)) {
    take_ack(from, numbers.acknowledged);
    handle_numbered(from, entry, field);
  } else if (field.type == wire::Type::kAck) {
    take_ack(from, numbers.acknowledged);
    if (word != 0) {
      if (const auto first = from.take_probe_answer(word)) fences_.sent_again(from, *first);
    }

  } else if (field.type == wire::Type::kProbe) {
    from.answer_probe(word);
  } else {
    ++counts_.odd_packets;
  }
}

void Engine::take_ack(Channel& from, std::uint16_t expected) {
  if (!from.take_ack(expected)) return;
  fences_.settle();
  sends_.admit_waiting();
  from.pump();
}

void Engine::handle_numbered(Channel& from, const PacketRing::Entry& entry,
                             wire::OffsetField field) {
  const auto numbers = wire::Numbers::unpack(entry.trailer.get<t::sequence_number>());
  const Bytes bytes = entry.header.get<h::bytes>();
  if (!from.is_next(numbers, field, bytes)) return;
  std::shared_ptr<Incoming>& arriving = arriving_[from.peer()];
  if (field.offset == 0) {
    arriving = nullptr;
    begin(from.peer(), entry, field);
  }
  if (arriving) deliver(*arriving, entry, field.offset);
  if (!from.accept(field, bytes)) return;
  const auto whole = std::exchange(arriving, nullptr);
  if (whole && whole->receive) {
    ++counts_.received;
    requests_.complete(*whole->receive);
  } else if (whole && wire::is_active(whole->tag)) {
    to_dispatch_.push_back(whole);
  }
}

// The first packet of a message.
void Engine::begin(Endpoint from, const PacketRing::Entry& entry, wire::OffsetField field) {
  const auto word = static_cast<std::uint32_t>(entry.header.get<h::word>());
  if (field.type == wire::Type::kDone) {
    wire::Immediate data{};
    const std::span said = std::span(data).first(std::min<std::size_t>(field.length, data.size()));
    messages_.read_payload(std::as_writable_bytes(said));
    sends_.take_confirmation(from, word, data);
    return;
  }
  auto incoming = std::make_shared<Incoming>();
  incoming->source = from;
  incoming->tag = word;
  incoming->length = field.length;
  if (field.type == wire::Type::kRequest) {
    wire::Immediate data{};
    messages_.read_payload(std::as_writable_bytes(std::span(data)));
    incoming->by_request = true;
    incoming->remote = wire::RequestPayload::unpack(data);
    incoming->length = incoming->remote.length;
  }
  if (wire::is_active(word)) {
    begin_active(from, incoming, field.length);
    return;
  }
  std::size_t looked_at = 0;
  auto posted = posted_.begin();
  while (posted != posted_.end() && !matches(posted->source, posted->tag, *incoming)) {
    ++posted;
    ++looked_at;
  }
  charge_matching(looked_at);
  if (posted != posted_.end()) {
    const Posted found = *posted;
    posted_.erase(posted);
    bind(incoming, found.request, found.buffer);
  } else {
    ++counts_.received_unexpected;
    unexpected_.push_back(incoming);
  }
  if (!incoming->by_request && incoming->length != 0) arriving_[from] = std::move(incoming);
}

void Engine::deliver(Incoming& incoming, const PacketRing::Entry& entry, Bytes offset) {
  std::array<std::byte, 512> data;
  const Bytes bytes = entry.header.get<h::bytes>();
  const std::span payload = std::span(data).first(bytes);
  if (incoming.receive) {
    const Bytes capacity = incoming.buffer.bytes;
    const Bytes room = capacity - std::min(offset, capacity);
    const std::span wanted = payload.first(std::min<Bytes>(bytes, room));
    if (!wanted.empty()) messages_.read_payload(wanted);
    copy_out(device_, incoming.buffer.address + offset, wanted);
  } else {
    messages_.read_payload(payload);
    device_.work(Work::kCopyLine, lines_of(bytes));
    incoming.data.insert(incoming.data.end(), payload.begin(), payload.end());
  }
  incoming.arrived += bytes;
}

}  // namespace torusmu

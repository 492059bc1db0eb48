// SPDX-License-Identifier: Apache-2.0
#include "host/src/arrivals.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace torusmu {
namespace {

namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

}  // namespace

void Arrivals::take(Channel& from, const PacketRing::Entry& entry, wire::OffsetField field,
                    PacketRing& ring) {
  const auto numbers = wire::Numbers::unpack(entry.trailer.get<t::sequence_number>());
  const Bytes bytes = entry.header.get<h::bytes>();
  if (!from.is_next(numbers, field, bytes)) return;
  MessagePointer& arriving = arriving_[from.peer()];
  if (field.offset == 0) {
    const auto word = static_cast<std::uint32_t>(entry.header.get<h::word>());
    arriving = begin(from.peer(), word, field, ring);
  }
  if (arriving) matcher_.take_data(arriving, field.offset, bytes, ring);
  if (!from.accept(field, bytes)) return;
  const MessagePointer whole = std::exchange(arriving, nullptr);
  if (whole && whole->receive) {
    matcher_.finish(*whole);
  } else if (whole && wire::is_active(whole->tag)) {
    active_.add(whole);
  }
}

Arrivals::MessagePointer Arrivals::begin(Endpoint from, std::uint32_t word, wire::OffsetField field,
                                         PacketRing& ring) {
  if (field.type == wire::Type::kDone) {
    wire::Immediate data{};
    const std::span said = std::span(data).first(std::min<std::size_t>(field.length, data.size()));
    ring.read_payload(std::as_writable_bytes(said));
    take_done(from, word, data);
    return nullptr;
  }
  const auto message = std::make_shared<Incoming>();
  message->source = from;
  message->tag = word;
  message->length = field.length;
  if (field.type == wire::Type::kRequest) {
    wire::Immediate data{};
    ring.read_payload(std::as_writable_bytes(std::span(data)));
    message->by_request = true;
    message->remote = wire::RequestPayload::unpack(data);
    message->length = message->remote.length;
  }
  if (wire::is_active(word)) return begin_active(message, field.length, ring);
  matcher_.match(message);
  return message->by_request || message->length == 0 ? nullptr : message;
}

void Arrivals::take_done(Endpoint from, std::uint32_t word, const wire::Immediate& data) {
  switch (static_cast<wire::Said>(data[0])) {
    case wire::Said::kClearToSend:
      puts_.take_clear_to_send(from, word, wire::ClearToSend::unpack(data));
      break;
    case wire::Said::kSent:
      fetches_.take_sent(from, word);
      break;
    default:
      sends_.take_confirmation(from, word, data);
  }
}

// `length` is that of the payload as a whole.
Arrivals::MessagePointer Arrivals::begin_active(const MessagePointer& message, Bytes length,
                                                PacketRing& ring) {
  if (message->by_request) {
    const Bytes known = wire::Immediate{}.size();
    std::vector<std::byte> payload(std::max(length, known));
    ring.read_payload(std::span(payload).first(length));
    message->data.assign(payload.begin() + static_cast<std::ptrdiff_t>(known), payload.end());
  } else if (length != 0) {
    return message;
  }
  active_.add(message);
  return nullptr;
}

}  // namespace torusmu

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
  if (arriving) matcher_.take_data(*arriving, field.offset, bytes, messages_);
  if (!from.accept(field, bytes)) return;
  const auto whole = std::exchange(arriving, nullptr);
  if (whole && whole->receive) {
    matcher_.finish(*whole);
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
  matcher_.match(incoming);
  if (!incoming->by_request && incoming->length != 0) arriving_[from] = std::move(incoming);
}

}  // namespace torusmu

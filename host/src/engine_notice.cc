// SPDX-License-Identifier: Apache-2.0
// Notices: what became of packets that were refused. The ring is that of the client; each notice
// goes to the context whose packet it was.
#include "host/src/engine.h"

namespace torusmu {
namespace {

namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

constexpr Cycles kHandOver = 20;  // between looks whether another context has done so

}  // namespace

PollResult Engine::poll_notices() {
  const ClientShare::Hold turn = share_->turn_of_notices();
  if (!turn) return PollResult::kNothing;
  PacketRing& notices = share_->notices(device_);
  if (notices.empty()) {
    ++counts_.polls;
    if (!notices.hint()) return PollResult::kNothing;
    ++counts_.tail_reads;
    if (!notices.read_tail()) return liveness_.doubt();
  }
  const bool overflow = notices.overflow();
  while (!notices.empty()) {
    const PacketRing::Entry entry = notices.front();
    const ContextId owner = owner_of_notice(entry);
    if (owner == context_) {
      device_.work(Work::kHandlePacket, 1);
      handle_notice(entry);
    } else {
      share_->give_notice(owner, entry);
    }
    notices.pop(entry);
    agenda_.note_progress();
  }
  if (!overflow) return PollResult::kActivity;
  share_->tell_of_lost_notices(context_);
  notices.release();
  ask_for_what_was_lost();
  return PollResult::kActivity;
}

// A packet of ours names its queue. One that was made on our behalf came from a queue of its node,
// but carries the name of a fetch.
ContextId Engine::owner_of_notice(const PacketRing::Entry& entry) const {
  const auto queue = static_cast<std::uint32_t>(entry.trailer.get<t::queue>());
  const auto sender = plan_.sender_of({queue});
  const auto name = static_cast<std::uint32_t>(entry.trailer.get<t::sequence_number>());
  const ContextId owner =
      sender && sender->client == client_ ? sender->context : Fetches::context_of(name);
  return owner.value < plan_.options().contexts ? owner : context_;
}

// Notices were lost. Whatever they said, the peers know it: ask them what they expect.
void Engine::ask_for_what_was_lost() {
  ++counts_.notice_overflows;
  fences_.notices_lost();
  for (auto& [peer, channel] : channels_) channel.ask_now();
  fetches_.ask_now();
}

// What other contexts have found or posted for this one.
void Engine::empty_inbox() {
  if (share_->is_inbox_empty(context_)) return;
  take_notices_from_others();
  agenda_.note_progress();
  const Agenda::Call call(agenda_);
  for (const auto& work : share_->take_work(context_)) work();
}

// All notices that are there. Another context of the client may be about to hand over ours.
void Engine::read_notices() {
  while (share_->is_reading_notices()) device_.compute(kHandOver);
  (void)poll_notices();
  take_notices_from_others();
}

void Engine::take_notices_from_others() {
  const ClientShare::Notices given = share_->take_notices(context_);
  for (const PacketRing::Entry& notice : given.entries) {
    device_.work(Work::kHandlePacket, 1);
    handle_notice(notice);
  }
  if (given.lost) ask_for_what_was_lost();
}

void Engine::handle_notice(const PacketRing::Entry& entry) {
  const auto word = entry.header.get<h::word>();
  const auto status = static_cast<Status>(word & 0xFF);
  const auto kind = static_cast<Kind>(word >> 8 & 0xF);
  const auto number = static_cast<std::uint32_t>(entry.trailer.get<t::sequence_number>());
  const Coordinates at{static_cast<std::uint32_t>(entry.header.get<h::src_x>()),
                       static_cast<std::uint32_t>(entry.header.get<h::src_y>()),
                       static_cast<std::uint32_t>(entry.header.get<h::src_z>())};
  if (!plan_.shape().has(at)) {
    ++counts_.odd_packets;
    return;
  }
  const NodeId node = plan_.shape().node(at);
  const auto field = wire::OffsetField::unpack(entry.header.get<h::offset>());
  const bool from_send_queue =
      entry.trailer.get<t::queue>() == plan_.send_queue(client_, context_).value;
  if (kind == Kind::kFifo && from_send_queue && field.type != wire::Type::kFetched) {
    const auto to = plan_.receiver_of({static_cast<std::uint32_t>(entry.header.get<h::target>())});
    if (!to) {
      ++counts_.odd_packets;
      return;
    }
    Channel& channel = channels_.to({plan_.task({node, to->client}), to->context});
    if (const auto first = channel.take_notice(entry.header, entry.trailer)) {
      fences_.sent_again(channel, *first);
    }
    return;
  }
  if (kind == Kind::kPut && from_send_queue) {
    const auto region = static_cast<std::uint32_t>(entry.header.get<h::target>());
    puts_.take_notice(number, plan_.task({node, {region / plan_.regions()}}),
                      static_cast<std::uint32_t>(entry.trailer.get<t::index>()), status);
  } else if (kind == Kind::kGet && from_send_queue) {
    const auto queue = static_cast<std::uint32_t>(entry.header.get<h::target>());
    const auto index = static_cast<std::uint32_t>(entry.trailer.get<t::index>());
    if (queue < plan_.sizes().reflection_queues) {
      puts_.take_reflection_notice(index);
    } else {
      fetches_.take_notice(number, index, status);
    }
  } else if (kind == Kind::kFifo) {
    // The word that a fetch is over found our FIFO full: this says the same.
    fetches_.take_fetched(number, false);
  } else {
    fetches_.take_failure(number, status);
  }
}

}  // namespace torusmu

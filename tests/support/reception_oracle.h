// SPDX-License-Identifier: Apache-2.0
// What a mu_reception_engine must do with packets, worked out from their contents alone: the parts
// that it writes for each class, the packets it sends back, the credits it returns, what it counts.
//
// Packets of one class are judged in order; a test that lets both classes use one reception FIFO,
// or that moves heads while packets are on their way, knows the order itself. A message counts as
// stored and told of once it has come: a test that sends a queue the next one waits until then.

#ifndef TESTS_SUPPORT_RECEPTION_ORACLE_H_
#define TESTS_SUPPORT_RECEPTION_ORACLE_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sim/machine/profile.h"
#include "tests/support/message_reception_model.h"
#include "tests/support/reception_bench.h"

namespace torusmu::testing {
namespace oracle {

namespace a = layout::write_action;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

struct FifoModel {
  Address base = 0;
  std::uint32_t size = 0;
  bool enable = false;
  bool reply_only = false;
  std::uint8_t owner = 0;
  std::uint32_t head = 0;
  std::uint32_t tail = 0;
  std::uint32_t mark = 0;
  std::uint32_t refused = 0;
  bool refusing = false;

  void move_head(std::uint32_t to) {
    head = to;
    if (refusing && ((head - mark) * 4 >= size || head == tail)) refusing = false;
  }
};

struct NoticeRingModel {
  Address base = 0;
  std::uint32_t size = 0;
  std::uint32_t head = 0;
  std::uint32_t tail = 0;
  bool overflow = false;
  std::uint32_t discards = 0;  // since reset
  bool tells_discards = false;
};

class ReceptionOracle {
 public:
  explicit ReceptionOracle(const ReceptionBench& surroundings) : world_(surroundings) {}

  std::array<FifoModel, kProfile.reception_fifos> fifos;
  std::array<NoticeRingModel, kProfile.clients> notice_rings;
  std::array<QueueModel, 256> queues;
  MessageReceptionModel messages;

  std::array<std::vector<Part>, 3> parts;  // by Port
  std::vector<Packet> packets_back;
  std::vector<CreditReturn> credits;
  unsigned bad_packets = 0;
  unsigned dropped_replies = 0;
  unsigned receives_ended = 0;

  // A good packet arrives.
  void receive(const Packet& packet) {
    const Status status = judge(packet);
    if (packet.reply() && packet.header.get<h::kind>() != Kind::kNotice &&
        packet.header.get<h::kind>() != Kind::kCredit && packet.trailer.get<t::reflected>() != 0) {
      credits.push_back({packet.trailer.get<t::queue>(), packet.trailer.get<t::index>() & 0xFFFFU});
    }
    if (status == Status::kOk) return;
    if (packet.reply()) {
      ++dropped_replies;
    } else {
      packets_back.push_back(notice_for(packet, status));
    }
  }

 private:
  static std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

  Status judge(const Packet& packet) {
    switch (packet.header.get<h::kind>()) {
      case Kind::kPut:
        return put(packet);
      case Kind::kFifo:
        return fifo(packet);
      case Kind::kGet:
        return get(packet);
      case Kind::kNotice:
        // That a SEND or a FENCE was refused is for the sending half; discards are counted.
        switch (static_cast<Kind>(packet.header.get<h::word>() >> 8 & 0xF)) {
          case Kind::kSend:
            if (static_cast<Status>(packet.header.get<h::word>() & 0xFF) ==
                Status::kReceiveDisabled) {
              discard(packet);
            }
            return Status::kOk;
          case Kind::kFence:
            return Status::kOk;
          default:
            return notice(packet);
        }
      case Kind::kSend:
        return message(packet);
      case Kind::kCreditQuery:
        query(packet);
        return Status::kOk;
      case Kind::kCredit:
        credits.push_back({packet.header.get<h::target>(), packet.header.get<h::word>() & 0xFFFFU});
        return Status::kOk;
      case Kind::kFence:
        return packet.reply() ? Status::kOk : fence(packet);
      case Kind::kAck:
      case Kind::kNone:
        break;
    }
    return Status::kOk;
  }

  bool counters_good(const Packet& packet, std::uint64_t owner) const {
    const auto counter = packet.trailer.get<t::counter>();
    const auto event = packet.trailer.get<t::event_counter>();
    if (packet.trailer.get<t::counter_valid>() != 0 &&
        (counter >= world_.counters.size() || !world_.counters[counter].enable ||
         world_.counters[counter].client != owner)) {
      return false;
    }
    return packet.trailer.get<t::event_valid>() == 0 ||
           (event < world_.events.size() && world_.events[event].enable &&
            world_.events[event].client == owner);
  }

  static WriteAction action_of(const Packet& packet, Action action, std::uint64_t owner,
                               std::uint64_t amount) {
    const bool last = packet.trailer.get<t::last>() != 0;
    WriteAction result;
    return result.set<a::action>(action)
        .set<a::client>(owner)
        .set<a::target>(packet.header.get<h::target>())
        .set<a::amount>(amount)
        .set<a::bytes>(packet.payload.size())
        .set<a::counter>(packet.trailer.get<t::counter>())
        .set<a::counter_valid>(packet.trailer.get<t::counter_valid>())
        .set<a::event_counter>(packet.trailer.get<t::event_counter>())
        .set<a::event_valid>(last ? packet.trailer.get<t::event_valid>() : 0)
        .set<a::interrupt>(last ? packet.trailer.get<t::interrupt>() : 0);
  }

  void write(Port port, const WriteAction& action, Address address, const Bytes& data, bool final) {
    Part part;
    part.port = port;
    part.address = address;
    part.bytes = data.size();
    part.final_part = final;
    part.action = action;
    part.data = data;
    part.data.resize((data.size() + 31) / 32 * 32);
    parts[static_cast<std::size_t>(port)].push_back(part);
  }

  // `data` from slot `position` on; what passes the end goes on at the base.
  void write_ring(Port port, const WriteAction& action, Address base, std::uint64_t size,
                  std::uint64_t position, std::uint64_t slot_bytes, const Bytes& data) {
    const auto room = static_cast<std::ptrdiff_t>((size - position) * slot_bytes);
    const Address address = base + position * slot_bytes;
    if (static_cast<std::ptrdiff_t>(data.size()) <= room) {
      write(port, action, address, data, true);
      return;
    }
    write(port, action, address, {data.begin(), data.begin() + room}, false);
    write(port, action, base, {data.begin() + room, data.end()}, true);
  }

  static Bytes entry_of(const Packet& packet, bool with_payload) {
    Bytes entry(32);
    const auto head = packet.header.bytes();
    const auto tail = packet.trailer.bytes();
    std::copy(head.begin(), head.end(), entry.begin());
    std::copy(tail.begin(), tail.end(), entry.begin() + 16);
    if (with_payload) entry.insert(entry.end(), packet.payload.begin(), packet.payload.end());
    entry.resize((entry.size() + 31) / 32 * 32);
    return entry;
  }

  static Port port_of(const Packet& packet) {
    return packet.reply() ? Port::kReply : Port::kRequest;
  }

  Status put(const Packet& packet) {
    if (packet.payload.empty() && packet.trailer.get<t::event_valid>() == 0) {
      return Status::kPacketKind;
    }
    const Status place = region_status(packet);
    if (place != Status::kOk) return place;
    const auto owner = region_of(packet).get<layout::region_entry::owner>();
    if (!counters_good(packet, owner)) return Status::kCounterInvalid;
    write(port_of(packet), action_of(packet, Action::kPut, owner, 0), address_of(packet),
          packet.payload, true);
    return Status::kOk;
  }

  // Stored as a PUT of no bytes; then its source is answered.
  Status fence(const Packet& packet) {
    if (!packet.payload.empty() || packet.trailer.get<t::counter_valid>() != 0 ||
        packet.trailer.get<t::event_valid>() != 0) {
      return Status::kPacketKind;
    }
    const Status place = region_status(packet);
    if (place != Status::kOk) return place;
    const auto owner = region_of(packet).get<layout::region_entry::owner>();
    write(Port::kRequest, action_of(packet, Action::kFence, owner, 0), address_of(packet), {},
          true);
    Packet answer = turned_round(packet);
    answer.header.set<h::kind>(Kind::kFence)
        .set<h::client>(0)
        .set<h::target>(packet.trailer.get<t::queue>())
        .set<h::word>(packet.trailer.get<t::index>());
    packets_back.push_back(answer);
    return Status::kOk;
  }

  const RegionEntry& region_of(const Packet& packet) const {
    return world_.regions[packet.header.get<h::target>()];
  }
  Address address_of(const Packet& packet) const {
    return region_of(packet).get<layout::region_entry::base>() + packet.header.get<h::offset>();
  }
  Status region_status(const Packet& packet) const {
    const auto number = packet.header.get<h::target>();
    const auto offset = packet.header.get<h::offset>();
    if (number >= world_.regions.size()) return Status::kRegionInvalid;
    const RegionEntry& region = world_.regions[number];
    const auto owner = region.get<layout::region_entry::owner>();
    if (region.get<layout::region_entry::enable>() == 0) return Status::kRegionInvalid;
    const bool permitted = packet.header.get<h::on_behalf>() != 0
                               ? owner == packet.header.get<h::client>()
                               : region.get<layout::region_entry::remote_write>() != 0;
    if (!permitted) return Status::kPermission;
    const Address base = region.get<layout::region_entry::base>();
    if (offset + packet.payload.size() > region.get<layout::region_entry::length>() ||
        base + offset + packet.payload.size() > 1ULL << 40) {
      return Status::kRegionBounds;
    }
    return Status::kOk;
  }

  Status fifo(const Packet& packet) {
    const auto number = packet.header.get<h::target>();
    if (number >= fifos.size() || !fifos[number].enable) return Status::kFifoInvalid;
    FifoModel& ring = fifos[number];
    if (ring.reply_only && !packet.reply()) return Status::kFifoInvalid;
    if (packet.header.get<h::on_behalf>() != 0 && ring.owner != packet.header.get<h::client>()) {
      return Status::kPermission;
    }
    if (!counters_good(packet, ring.owner)) return Status::kCounterInvalid;
    const Bytes entry = entry_of(packet, true);
    const auto slots = low(entry.size() / 32);
    if (slots > ring.size - (ring.tail - ring.head) || (ring.refusing && !packet.reply())) {
      ++ring.refused;
      if (!packet.reply() && !ring.refusing) {
        ring.refusing = true;
        ring.mark = ring.head;
      }
      return Status::kFifoFull;
    }
    write_ring(port_of(packet), action_of(packet, Action::kFifo, ring.owner, slots), ring.base,
               ring.size, ring.tail % ring.size, 32, entry);
    ring.tail += slots;
    return Status::kOk;
  }

  Status get(const Packet& packet) {
    namespace d = layout::descriptor;
    if (packet.payload.empty() || packet.payload.size() % 64 != 0) return Status::kPacketKind;
    if (packet.header.get<h::on_behalf>() != 0) return Status::kOpcodeForbidden;
    const auto number = packet.header.get<h::target>();
    const bool reflected = packet.trailer.get<t::reflected>() != 0;
    const auto count = low(packet.payload.size() / 64);
    const RingSlots slots = queues[number].reserve(count, reflected);
    const Status status = slots.get<layout::ring_slots::status>();
    if (status != Status::kOk) return status;
    Bytes data = packet.payload;
    for (std::size_t i = 0; i < count; ++i) {
      auto descriptor = Descriptor::from_bytes(std::span(data).subspan(i * 64, 64));
      auto image = descriptor.get<d::header>();
      image.set<h::src_x>(packet.header.get<h::src_x>())
          .set<h::src_y>(packet.header.get<h::src_y>())
          .set<h::src_z>(packet.header.get<h::src_z>())
          .set<h::client>(packet.header.get<h::client>());
      descriptor.set<d::header>(image);
      if (reflected) {
        descriptor.set<d::reflection_number>(packet.trailer.get<t::sequence_number>() & 0xFFFFU);
      }
      const auto bytes = descriptor.bytes();
      std::copy(bytes.begin(), bytes.end(), data.begin() + static_cast<std::ptrdiff_t>(i * 64));
    }
    WriteAction action;
    action.set<a::action>(Action::kGet)
        .set<a::client>(packet.header.get<h::client>())
        .set<a::target>(number)
        .set<a::amount>(count);
    write_ring(Port::kRequest, action, queues[number].base, queues[number].size,
               slots.get<layout::ring_slots::position>(), 64, data);
    return Status::kOk;
  }

  Status notice(const Packet& packet) {
    const auto client = packet.header.get<h::client>();
    if (client >= notice_rings.size()) return Status::kFifoFull;
    NoticeRingModel& ring = notice_rings[client];
    if (ring.tail - ring.head >= ring.size) {
      ring.overflow = true;
      return Status::kFifoFull;
    }
    WriteAction action;
    action.set<a::action>(Action::kNotice)
        .set<a::client>(client)
        .set<a::target>(client)
        .set<a::amount>(1);
    write_ring(Port::kNotice, action, ring.base, ring.size, ring.tail % ring.size, 32,
               entry_of(packet, false));
    ++ring.tail;
    return Status::kOk;
  }

  void discard(const Packet& packet) {
    const auto client = packet.header.get<h::client>();
    if (client >= notice_rings.size()) return;
    NoticeRingModel& ring = notice_rings[client];
    ++ring.discards;
    if (ring.tells_discards && ring.tail - ring.head < ring.size / 2) (void)notice(packet);
  }

  // A packet of a SEND.
  Status message(const Packet& packet) {
    using Model = MessageReceptionModel;
    namespace b = layout::receive_buffer;
    Model::Packet judged{packet.header, packet.trailer, {}, true};
    if (judged.to() < world_.peers.size()) judged.peer = world_.peers[judged.to()];
    if (const auto entry = messages.judge(judged).entry) {
      judged.counters_good = counters_good(packet, entry->get<b::owner>());
    }
    const Model::Verdict verdict = messages.judge(judged);
    if (verdict.acknowledge) {
      packets_back.push_back(acknowledgement(packet, packet.trailer.get<t::queue>(),
                                             packet.trailer.get<t::sequence_number>()));
    }
    if (!verdict.take) return verdict.status;
    const WriteAction action = action_of_message(judged, verdict);
    const Address address = verdict.entry->get<b::address>() + judged.offset();
    write(Port::kRequest, action, address, packet.payload, true);
    Model::Cycle taken;
    taken.job = judged;
    taken.verdict = verdict;
    messages.clock(taken);
    store_message(action, address >= world_.broken_from);
    return Status::kOk;
  }

  static WriteAction action_of_message(const MessageReceptionModel::Packet& packet,
                                       const MessageReceptionModel::Verdict& verdict) {
    const auto if_last = [&packet](std::uint64_t value) { return packet.last() ? value : 0; };
    return WriteAction{}
        .set<a::action>(Action::kSend)
        .set<a::client>(verdict.entry->get<layout::receive_buffer::owner>())
        .set<a::target>(packet.to())
        .set<a::bytes>(packet.behind())
        .set<a::counter>(packet.trailer.get<t::counter>())
        .set<a::counter_valid>(if_last(packet.trailer.get<t::counter_valid>()))
        .set<a::event_counter>(packet.trailer.get<t::event_counter>())
        .set<a::event_valid>(if_last(packet.trailer.get<t::event_valid>()))
        .set<a::interrupt>(if_last(packet.trailer.get<t::interrupt>()))
        .set<a::message_end>(packet.last() ? 1 : 0)
        .set<a::epoch>(verdict.epoch)
        .set<a::slot>(packet.number() % 2)
        .set<a::dynamic>(packet.dynamic() ? 1 : 0)
        .set<a::reassembly>(packet.dynamic() ? verdict.context : 0);
  }

  // A packet of a message is in memory, or could not be stored; then all that is to be told is.
  void store_message(const WriteAction& action, bool failed) {
    namespace s = layout::message_stored;
    MessageReceptionModel::Cycle stored;
    stored.stored = MessageStored{}
                        .set<s::queue>(action.get<a::target>())
                        .set<s::epoch>(action.get<a::epoch>())
                        .set<s::failed>(failed ? 1 : 0)
                        .set<s::message_end>(action.get<a::message_end>())
                        .set<s::slot>(action.get<a::slot>())
                        .set<s::dynamic>(action.get<a::dynamic>())
                        .set<s::reassembly>(action.get<a::reassembly>());
    messages.clock(stored);
    MessageReceptionModel::Cycle told;
    told.end_ready = told.message_ready = told.answer_ready = true;
    while (messages.end() || messages.message() || messages.answer()) {
      receives_ended += (messages.end() ? 1 : 0) + (messages.message() ? 1 : 0);
      if (messages.answer()) packets_back.push_back(answer_to_message());
      messages.clock(told);
    }
  }

  Packet answer_to_message() const {
    namespace p = layout::queue_peer;
    namespace s = layout::send_answer;
    const auto answer = *messages.answer();
    const QueuePeer peer = messages.answer_sender().value_or(world_.peers[answer.get<s::queue>()]);
    Packet to;
    to.header.set<h::src_x>(peer.get<p::x>())
        .set<h::src_y>(peer.get<p::y>())
        .set<h::src_z>(peer.get<p::z>());
    const Status status = answer.get<s::status>();
    if (status == Status::kOk) {
      return acknowledgement(to, peer.get<p::queue>(), answer.get<s::number>());
    }
    Packet back = turned_round(to);
    back.header.set<h::kind>(Kind::kNotice)
        .set<h::target>(answer.get<s::queue>())
        .set<h::word>(notice_word(status, Kind::kSend));
    back.trailer.set<t::queue>(peer.get<p::queue>())
        .set<t::sequence_number>(answer.get<s::number>());
    return back;
  }
  Packet acknowledgement(const Packet& packet, std::uint64_t queue, std::uint64_t number) const {
    Packet back = turned_round(packet);
    back.header.set<h::kind>(Kind::kAck)
        .set<h::client>(0)
        .set<h::target>(queue)
        .set<h::word>(number);
    return back;
  }

  void query(const Packet& packet) {
    const auto number = packet.header.get<h::target>();
    if (number >= 7 || queues[number].mode != QueueMode::kReflection || queues[number].used != 0) {
      return;
    }
    Packet credit = turned_round(packet);
    credit.header.set<h::kind>(Kind::kCredit).set<h::word>(packet.header.get<h::word>());
    packets_back.push_back(credit);
  }

  Packet turned_round(const Packet& packet) const {
    Packet back;
    back.header.set<h::dst_x>(packet.header.get<h::src_x>())
        .set<h::dst_y>(packet.header.get<h::src_y>())
        .set<h::dst_z>(packet.header.get<h::src_z>())
        .set<h::src_x>(world_.node[0])
        .set<h::src_y>(world_.node[1])
        .set<h::src_z>(world_.node[2])
        .set<h::client>(packet.header.get<h::client>())
        .set<h::reply>(1)
        .set<h::target>(packet.header.get<h::target>());
    return back;
  }

  Packet notice_for(const Packet& packet, Status status) const {
    Packet back = turned_round(packet);
    if (packet.header.get<h::on_behalf>() != 0) {
      back.header.set<h::dst_x>(world_.node[0])
          .set<h::dst_y>(world_.node[1])
          .set<h::dst_z>(world_.node[2]);
    }
    back.header.set<h::kind>(Kind::kNotice)
        .set<h::offset>(packet.header.get<h::offset>())
        .set<h::word>(notice_word(status, packet.header.get<h::kind>()));
    back.trailer.set<t::queue>(packet.trailer.get<t::queue>())
        .set<t::index>(packet.trailer.get<t::index>())
        .set<t::sequence_number>(packet.trailer.get<t::sequence_number>());
    return back;
  }

  static std::uint64_t notice_word(Status status, Kind refused) {
    return static_cast<std::uint64_t>(status) | static_cast<std::uint64_t>(refused) << 8U;
  }

  const ReceptionBench& world_;
};

}  // namespace oracle

using oracle::ReceptionOracle;

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_RECEPTION_ORACLE_H_

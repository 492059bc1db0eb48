// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/pin_watch.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "sim/machine/mix.h"
#include "torusmu/registers.h"

namespace torusmu {
namespace {

namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

template <typename Layout>
Layout record_of(const std::uint32_t* words) {
  std::array<std::uint8_t, Layout::kBytes> bytes{};
  std::memcpy(bytes.data(), words, bytes.size());
  return Layout::from_bytes(bytes);
}

Coordinates target_of(const PacketHeader& header) {
  return {static_cast<std::uint32_t>(header.get<h::dst_x>()),
          static_cast<std::uint32_t>(header.get<h::dst_y>()),
          static_cast<std::uint32_t>(header.get<h::dst_z>())};
}

Coordinates source_of(const PacketHeader& header) {
  return {static_cast<std::uint32_t>(header.get<h::src_x>()),
          static_cast<std::uint32_t>(header.get<h::src_y>()),
          static_cast<std::uint32_t>(header.get<h::src_z>())};
}

bool is_transfer(Kind kind, bool reply) {
  return kind == Kind::kPut || kind == Kind::kFifo || kind == Kind::kGet || kind == Kind::kSend ||
         (kind == Kind::kFence && !reply);
}

NodeWatch::Name name_of(const Shape& shape, const PacketHeader& header,
                        const PacketTrailer& trailer) {
  return {shape.node(source_of(header)),
          shape.node(target_of(header)),
          header.get<h::kind>(),
          header.get<h::reply>() != 0,
          static_cast<std::uint8_t>(trailer.get<t::queue>()),
          static_cast<std::uint32_t>(trailer.get<t::index>()),
          static_cast<std::uint32_t>(trailer.get<t::sequence_number>())};
}

NodeWatch::Name name_of(const Transfer& transfer) {
  return {transfer.from,  transfer.to,    transfer.kind,  transfer.reply,
          transfer.queue, transfer.index, transfer.number};
}

// Which copy of a register lies at `address`: block and number, or nothing.
struct Found {
  bool is_it = false;
  std::uint32_t block = 0, copy = 0;
};
Found find(const registers::Register& wanted, std::uint32_t address) {
  if (address < wanted.block_base) return {};
  const std::uint32_t block = (address - wanted.block_base) / wanted.block_stride;
  const std::uint32_t inside = (address - wanted.block_base) % wanted.block_stride;
  if (block >= wanted.block_copies || inside < wanted.offset) return {};
  const std::uint32_t copy = (inside - wanted.offset) / wanted.bytes;
  return {copy < wanted.copies, block, copy};
}

std::uint64_t key_of_entry(const PacketHeader& header, const PacketTrailer& trailer) {
  std::array<std::uint32_t, 8> words{};
  const auto head = header.bytes();
  const auto tail = trailer.bytes();
  std::memcpy(words.data(), head.data(), head.size());
  std::memcpy(words.data() + 4, tail.data(), tail.size());
  return entry_key(words.data());
}

}  // namespace

std::uint64_t entry_key(const std::uint32_t* words) {
  std::uint64_t key = 1;
  constexpr std::size_t kWords = 8;
  // The CRC is in the last word; it is made anew on the way, if at all.
  for (std::size_t i = 0; i + 1 < kWords; ++i) key = mix(key ^ words[i]);
  return key | 1;
}

void LinkTimes::add(Cycles t, bool reply) {
  while (t >> shift_ >= kMostParts) {
    // Two parts become one.
    ++shift_;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Flits flits = std::exchange(parts_[i], {});
      parts_[i / 2].requests += flits.requests;
      parts_[i / 2].replies += flits.replies;
    }
    parts_.resize((parts_.size() + 1) / 2);
  }
  const auto part = static_cast<std::size_t>(t >> shift_);
  if (part >= parts_.size()) parts_.resize(part + 1);
  ++(reply ? parts_[part].replies : parts_[part].requests);
}

template <typename T>
void NodeWatch::keep(std::vector<T>& list, const T& item, Cycles t) {
  if (list.size() < room_) {
    list.push_back(item);
  } else {
    full_at_ = std::min(full_at_, t);
  }
}

void NodeWatch::register_taken(Cycles t, const RegisterAccess& access) {
  if (!access.write) return;
  namespace r = registers;
  const auto value = static_cast<std::uint32_t>(access.data);
  if (const Found at = find(r::client_page::queue_index, access.address); at.is_it) {
    keep(doorbells_[at.copy], {t, value, false}, t);
  } else if (const Found fifo = find(r::client_page::fifo_index, access.address); fifo.is_it) {
    keep(fifo_heads_[fifo.copy], {t, value, false}, t);
  } else if (const Found queue = find(r::injection_queue::config, access.address); queue.is_it) {
    keep(doorbells_[queue.block], {t, 0, true}, t);
  } else if (const Found config = find(r::reception_fifo::config, access.address); config.is_it) {
    keep(fifo_heads_[config.block], {t, 0, true}, t);
  } else if (const Found base = find(r::reception_fifo::base, access.address); base.is_it) {
    fifos_[base.block].base = access.data;
  } else if (const Found size = find(r::reception_fifo::size, access.address); size.is_it) {
    constexpr Bytes kSlotBytes = 32;
    fifos_[size.block].bytes = access.data * kSlotBytes;
  } else if (const Found region = find(r::region::base, access.address); region.is_it) {
    regions_[region.block] = access.data;
  } else if (packets_ == nullptr) {
    return;
  } else if (const Found ring = find(r::completion_queue::base, access.address); ring.is_it) {
    packets_->rings[ring.block].base = access.data;
  } else if (const Found entries = find(r::completion_queue::size, access.address); entries.is_it) {
    packets_->rings[entries.block].bytes = access.data * CompletionEntry::kBytes;
  }
}

void NodeWatch::flit_out(Cycles t, unsigned direction, bool head, bool tail, bool reply,
                         const std::uint32_t* data) {
  if (reply) ++reply_flits_[direction];
  link_times_[direction].add(t, reply);
  Crossing& crossing = crossing_[direction][reply ? 1 : 0];
  if (head) {
    crossing.first = t;
    crossing.header = record_of<PacketHeader>(data);
  }
  if (tail)
    packet_out(crossing.first, t, direction, crossing.header, record_of<PacketTrailer>(data));
}

void NodeWatch::packet_out(Cycles first, Cycles last, unsigned direction,
                           const PacketHeader& header, const PacketTrailer& trailer) {
  const Name name = name_of(shape_, header, trailer);
  const auto [from, to, kind, reply, queue, index, number] = name;
  const bool is_last = trailer.get<t::last>() != 0;
  if (!is_transfer(kind, reply)) {
    if (from == node_) answer_out(last, name, header);
    return;
  }
  if ((is_last || packets_ != nullptr) && neighbour(shape_, node_, direction) == to) {
    if (is_last) keep(arrivals_, {last + latency_, name}, last);
    if (packets_ != nullptr) {
      keep(packets_->landings, {last + latency_, name, header.get<h::offset>()}, last);
    }
  }
  if (!(from == node_)) return;
  Transfer& transfer = open_[{queue, reply}];
  if (transfer.first_out == kNever) {
    transfer.first_out = first;
    transfer.serial = begun_++;
  }
  if (packets_ != nullptr) keep_packet(first, last, transfer.serial, header, trailer);
  transfer.bytes += header.get<h::bytes>();
  ++transfer.packets;
  transfer.end = header.get<h::offset>() + header.get<h::bytes>();
  if (!is_last) return;
  transfer.from = from;
  transfer.to = to;
  transfer.kind = kind;
  transfer.reply = reply;
  transfer.on_behalf = header.get<h::on_behalf>() != 0;
  transfer.queue = queue;
  transfer.target = static_cast<std::uint8_t>(header.get<h::target>());
  transfer.index = index;
  transfer.number = number;
  transfer.word = static_cast<std::uint32_t>(header.get<h::word>());
  transfer.entry = kind == Kind::kFifo ? key_of_entry(header, trailer) : 0;
  transfer.last_out = last;
  keep(transfers_, transfer, last);
  transfer = {};
}

void NodeWatch::answer_out(Cycles last, const Name& name, const PacketHeader& header) {
  const auto word = static_cast<std::uint32_t>(header.get<h::word>());
  if (name.kind == Kind::kAck || name.kind == Kind::kFence) {
    keep(answers_,
         {last, name.to, static_cast<std::uint8_t>(header.get<h::target>()), word, name.kind},
         last);
  } else if (name.kind == Kind::kNotice && packets_ != nullptr) {
    constexpr std::uint32_t kStatusBits = 0xff;
    keep(packets_->refusals,
         {last, name.to, name.queue, name.index, name.number,
          static_cast<Status>(word & kStatusBits)},
         last);
  }
}

void NodeWatch::keep_packet(Cycles first, Cycles last, std::uint32_t transfer,
                            const PacketHeader& header, const PacketTrailer& trailer) {
  PacketWatch::Packet packet{.transfer = transfer,
                             .first = first,
                             .last = last,
                             .offset = header.get<h::offset>(),
                             .bytes = header.get<h::bytes>(),
                             .entry = 0,
                             .counter = {},
                             .event = {},
                             .interrupt = trailer.get<t::interrupt>() != 0};
  if (header.get<h::kind>() == Kind::kFifo) packet.entry = key_of_entry(header, trailer);
  if (trailer.get<t::counter_valid>() != 0) {
    packet.counter = static_cast<std::uint8_t>(trailer.get<t::counter>());
  }
  if (trailer.get<t::event_valid>() != 0) {
    packet.event = static_cast<std::uint8_t>(trailer.get<t::event_counter>());
  }
  keep(packets_->packets, packet, last);
}

void NodeWatch::lost(Cycles t, unsigned direction, const std::uint32_t* header,
                     const std::uint32_t* trailer) {
  const auto end = record_of<PacketTrailer>(trailer);
  const Name name = name_of(shape_, record_of<PacketHeader>(header), end);
  if (!is_transfer(name.kind, name.reply)) return;
  keep(losses_, {t, name, end.get<t::last>() != 0, direction}, t);
  if (!(neighbour(shape_, node_, direction) == name.to)) return;
  const auto is_it = [&](const auto& packet) {
    return packet.cycle == t + latency_ && packet.transfer == name;
  };
  std::erase_if(arrivals_, is_it);
  if (packets_ != nullptr) std::erase_if(packets_->landings, is_it);
}

std::uint8_t NodeWatch::fifo_at(Address address) const {
  for (const auto& [number, fifo] : fifos_) {
    if (address >= fifo.base && address < fifo.base + fifo.bytes) {
      return static_cast<std::uint8_t>(number);
    }
  }
  return kNoFifo;
}

void NodeWatch::written(Cycles t, Address begin, Bytes bytes, const std::uint32_t* start) {
  const std::uint8_t fifo = fifo_at(begin);
  keep(bursts_, {t, begin, bytes, fifo == kNoFifo ? 0 : entry_key(start), fifo}, t);
  if (packets_ != nullptr) keep_entry(t, begin, start);
}

// Of a ring that is not aligned to its entries nothing is kept.
void NodeWatch::keep_entry(Cycles t, Address begin, const std::uint32_t* start) {
  if (begin % CompletionEntry::kBytes != 0) return;
  for (const auto& [number, ring] : packets_->rings) {
    if (begin >= ring.base && begin < ring.base + ring.bytes) {
      keep(packets_->entries, {t, record_of<CompletionEntry>(start)}, t);
    }
  }
}

void NodeWatch::interrupts(Cycles t, std::uint32_t lines) {
  if (packets_ != nullptr) keep(packets_->lines, {t, lines}, t);
}

Address NodeWatch::region_base(std::uint32_t region) const {
  const auto found = regions_.find(region);
  return found == regions_.end() ? 0 : found->second;
}

// --- putting together ---------------------------------------------------------------------------

namespace {

// Looks for the moments of transfers in what all nodes have kept.
class Joiner {
 public:
  explicit Joiner(const std::vector<const NodeWatch*>& watches) : watches_(watches) {
    entries_.resize(watches.size());
    for (const NodeWatch* watch : watches) {
      for (const NodeWatch::Arrival& a : watch->arrivals()) {
        arrivals_[a.transfer].cycles.push_back(a.cycle);
      }
      for (const NodeWatch::Answer& a : watch->answers()) {
        answers_[{watch->node().value, a.to.value, a.kind, a.queue, a.number}].cycles.push_back(
            a.cycle);
      }
      const auto& bursts = watch->bursts();
      for (std::size_t i = 0; i < bursts.size(); ++i) {
        if (bursts[i].key != 0) entries_[watch->node().value][bursts[i].key] = i;
      }
    }
  }

  // `all` are sorted by their first flits.
  void complete(std::vector<Transfer>& all) {
    const auto lost = losses_of(all);
    for (Transfer& transfer : all) {
      transfer.posted = posted(transfer);
      const auto loss = lost.find(&transfer);
      if (loss == lost.end()) {
        find_arrival(transfer);
        continue;
      }
      transfer.lost = loss->second.loss->cycle;
      transfer.lost_at = loss->second.node;
      transfer.lost_direction = loss->second.loss->direction;
      if (!loss->second.loss->last) {
        take(arrivals_[name_of(transfer)], transfer.last_out);  // of no use without the rest
      }
    }
  }

 private:
  struct Lost {
    NodeId node{};
    const NodeWatch::Loss* loss = nullptr;
  };
  // Sent again after a loss, a transfer has the name that it had: the loss is of the one before.
  std::map<const Transfer*, Lost> losses_of(const std::vector<Transfer>& all) const {
    std::map<const Transfer*, Lost> lost;
    for (const NodeWatch* watch : watches_) {
      for (const NodeWatch::Loss& loss : watch->losses()) {
        const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Transfer& transfer) {
          return transfer.first_out <= loss.cycle && name_of(transfer) == loss.transfer;
        });
        if (found != all.rend()) lost[&*found] = {watch->node(), &loss};
      }
    }
    return lost;
  }
  void find_arrival(Transfer& transfer) {
    transfer.arrived = take(arrivals_[name_of(transfer)], transfer.last_out);
    if (transfer.arrived == kNever) return;
    transfer.in_memory = in_memory(transfer);
    if (never_stored(transfer)) transfer.arrived = kNever;
  }

  struct Moments {
    std::vector<Cycles> cycles;  // rising
    std::size_t next = 0;
  };
  // The first that is not earlier than `from` and was not taken before.
  static Cycles take(Moments& moments, Cycles from) {
    while (moments.next < moments.cycles.size() && moments.cycles[moments.next] < from) {
      ++moments.next;
    }
    return moments.next < moments.cycles.size() ? moments.cycles[moments.next++] : kNever;
  }

  // A PUT of which the target refused, or lost, what came. What it had no room to keep says
  // nothing.
  [[nodiscard]] bool never_stored(const Transfer& transfer) const {
    return transfer.kind == Kind::kPut && transfer.bytes != 0 && transfer.in_memory == kNever &&
           watches_[transfer.to.value]->full_at() == kNever;
  }

  // Of the doorbells since the queue was set up the first that goes past the descriptor.
  [[nodiscard]] Cycles posted(const Transfer& transfer) const {
    // A SEND carries no index; what came over the network has no doorbell.
    if (transfer.kind == Kind::kSend || transfer.on_behalf) return kNever;
    const auto& doorbells = watches_[transfer.from.value]->doorbells();
    const auto found = doorbells.find(transfer.queue);
    if (found == doorbells.end()) return kNever;
    const auto& tails = found->second;
    auto at = std::upper_bound(
        tails.begin(), tails.end(), transfer.first_out,
        [](Cycles cycle, const NodeWatch::Tail& tail) { return cycle < tail.cycle; });
    Cycles posted = kNever;
    while (at != tails.begin()) {
      --at;
      if (at->is_reset || static_cast<std::int32_t>(at->tail - transfer.index) <= 0) break;
      posted = at->cycle;
    }
    return posted;
  }

  Cycles in_memory(const Transfer& transfer) {
    switch (transfer.kind) {
      case Kind::kPut:
        return transfer.bytes == 0 ? kNever : in_region(transfer);
      case Kind::kFifo:
        return in_fifo(transfer);
      case Kind::kSend:
        return take(answers_[{transfer.to.value, transfer.from.value, Kind::kAck, transfer.queue,
                              transfer.number}],
                    transfer.arrived);
      case Kind::kFence:
        return take(answers_[{transfer.to.value, transfer.from.value, Kind::kFence, transfer.queue,
                              transfer.index}],
                    transfer.arrived);
      default:
        return kNever;
    }
  }

  // The first write after the arrival that has the last byte.
  [[nodiscard]] Cycles in_region(const Transfer& transfer) const {
    constexpr Cycles kLongest = 100'000;  // a store that waits longer is not looked for
    const NodeWatch& watch = *watches_[transfer.to.value];
    const Address end = watch.region_base(transfer.target) + transfer.end;
    const auto& bursts = watch.bursts();
    const auto first =
        std::lower_bound(bursts.begin(), bursts.end(), transfer.arrived,
                         [](const NodeWatch::Burst& b, Cycles cycle) { return b.cycle < cycle; });
    for (auto b = first; b != bursts.end() && b->cycle < transfer.arrived + kLongest; ++b) {
      if (b->begin < end && b->begin + b->bytes >= end) return b->cycle;
    }
    return kNever;
  }

  // The write that ends the entry: its parts follow one another.
  [[nodiscard]] Cycles in_fifo(const Transfer& transfer) const {
    constexpr Bytes kEntryHead = 32;
    constexpr Bytes kPacketBytes = 512;
    const auto& entries = entries_[transfer.to.value];
    const auto found = entries.find(transfer.entry);
    if (found == entries.end()) return kNever;
    const auto& bursts = watches_[transfer.to.value]->bursts();
    Bytes left = kEntryHead + (transfer.bytes == 0 ? 0 : (transfer.bytes - 1) % kPacketBytes + 1);
    for (std::size_t i = found->second; i < bursts.size(); ++i) {
      if (bursts[i].bytes >= left) return bursts[i].cycle;
      left -= bursts[i].bytes;
    }
    return kNever;
  }

  using AnswerKey = std::tuple<std::uint32_t, std::uint32_t, Kind, std::uint8_t, std::uint32_t>;
  const std::vector<const NodeWatch*>& watches_;
  std::map<NodeWatch::Name, Moments> arrivals_;
  std::map<AnswerKey, Moments> answers_;
  // Of each node, where in its bursts an entry begins.
  std::vector<std::unordered_map<std::uint64_t, std::size_t>> entries_;
};

}  // namespace

namespace {

std::unique_ptr<NodeObserver> watch(const EngineConfig& engine, NodeId node, bool with_packets) {
  // Half a gigabyte at most, whatever the machine.
  constexpr std::size_t kRoomOfAll = 2'000'000;
  constexpr std::size_t kLeastRoom = 200;
  const std::size_t room = std::max(kLeastRoom, kRoomOfAll / engine.shape.nodes());
  return std::make_unique<NodeWatch>(engine.shape, node, engine.latency, room, with_packets);
}

}  // namespace

std::unique_ptr<NodeObserver> make_watch(const EngineConfig& engine, NodeId node) {
  return watch(engine, node, false);
}

std::unique_ptr<NodeObserver> make_packet_watch(const EngineConfig& engine, NodeId node) {
  return watch(engine, node, true);
}

std::vector<const NodeWatch*> watches_of(const Machine& machine) {
  std::vector<const NodeWatch*> watches;
  for (const auto& observer : machine.observers()) {
    if (const auto* watch = dynamic_cast<const NodeWatch*>(observer.get())) {
      watches.push_back(watch);
    }
  }
  return watches;
}

std::vector<Transfer> transfers_of(const Machine& machine) {
  const std::vector<const NodeWatch*> watches = watches_of(machine);
  std::vector<Transfer> all;
  for (const NodeWatch* watch : watches) {
    all.insert(all.end(), watch->transfers().begin(), watch->transfers().end());
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Transfer& a, const Transfer& b) { return a.first_out < b.first_out; });
  Joiner(watches).complete(all);
  return all;
}

}  // namespace torusmu

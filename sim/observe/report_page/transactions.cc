// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/report_page/transactions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/machine/profile.h"
#include "sim/observe/ftr_file.h"
#include "sim/observe/pin_watch.h"

namespace torusmu {
namespace {

namespace e = layout::completion_entry;
using report_page::RunRecord;
using Id = FtrFile::Id;

// Cycles, rising, each taken once.
struct Moments {
  std::vector<Cycles> cycles;
  std::size_t next = 0;

  // kNever: none is left.
  Cycles take(Cycles from) {
    while (next < cycles.size() && cycles[next] < from) ++next;
    return next < cycles.size() ? cycles[next++] : kNever;
  }
};

// A transfer, and the transactions that it has become.
struct Journey {
  const Transfer* transfer;
  Id descriptor = 0;
  Id last_packet = 0, last_write = 0;  // 0: none
  Id done = 0;
  const PacketWatch::Packet* last = nullptr;
  Status status = Status::kOk;
  bool refused = false, reported = false;
};

class Builder {
 public:
  Builder(const Machine& machine, const RunRecord& record)
      : machine_(machine),
        record_(record),
        watches_(watches_of(machine)),
        transfers_(transfers_of(machine)),
        endings_(watches_.size()) {}

  std::string build() {
    collect();
    for (Journey& journey : journeys_) add_descriptor(journey);
    add_writes();
    add_refusals();
    for (Journey& journey : journeys_) add_end(journey);
    add_fetches();
    add_entries();
    for (const Journey& journey : journeys_) add_status(journey);
    add_interrupts();
    add_program_messages();
    return file_.bytes();
  }

 private:
  // A packet that has come to its target.
  struct Landed {
    Cycles cycle;
    const PacketWatch::Packet* packet;
    Journey* journey;
    Id id;
  };
  using LandingName = std::pair<TransferName, Bytes>;
  // What may raise an interrupt.
  struct Ending {
    Cycles cycle;
    Id id;
    bool asks;  // for one
    bool operator<(const Ending& other) const { return cycle < other.cycle; }
  };

  static TransferName name_of(const Transfer& t) {
    return {t.from, t.to, t.kind, t.reply, t.queue, t.index, t.number};
  }
  std::string name_of(NodeId node, const std::string& what) const {
    return fmt::format("node_{}_{}", node.value, what);
  }
  // Transactions of that kind in a stream of a node.
  Id generator(NodeId node, const std::string& what, const std::string& kind,
               const std::string& name) {
    return file_.generator(file_.stream(name_of(node, what), kind), name);
  }
  Id add_moment(NodeId node, const std::string& name, Cycles cycle) {
    const Id id = file_.add(generator(node, "ends", "what tells of an end", name), cycle, cycle);
    endings_[node.value].push_back({cycle, id, false});
    return id;
  }

  void collect() {
    packets_.resize(watches_.size());
    for (std::size_t n = 0; n < watches_.size(); ++n) {
      for (const PacketWatch::Packet& packet : watches_[n]->packets()->packets) {
        if (packet.transfer >= packets_[n].size()) packets_[n].resize(packet.transfer + 1);
        packets_[n][packet.transfer].push_back(&packet);
      }
      for (const PacketWatch::Landing& landing : watches_[n]->packets()->landings) {
        landings_[{landing.transfer, landing.offset}].cycles.push_back(landing.cycle);
      }
    }
    for (auto& [name, moments] : landings_) {
      std::sort(moments.cycles.begin(), moments.cycles.end());
    }
    for (const Transfer& transfer : transfers_) journeys_.push_back({.transfer = &transfer});
  }

  void add_descriptor(Journey& journey) {
    const Transfer& t = *journey.transfer;
    const std::string queue = fmt::format("queue_{}", t.queue);
    const Cycles from = std::min(t.posted, t.first_out);
    journey.descriptor =
        file_.add(generator(t.from, queue, "injection queue", "descriptor"), from, t.last_out);
    const Id id = journey.descriptor;
    file_.at_begin(id, "kind", torusmu::name_of(t.kind));
    file_.at_begin(id, "class", t.reply ? "reply" : "request");
    file_.at_begin(id, "source", t.from.value);
    file_.at_begin(id, "destination", t.to.value);
    file_.at_begin(id, "queue", t.queue);
    file_.at_begin(id, "target", t.target);
    file_.at_begin(id, "index", t.index);
    file_.at_begin(id, "number", t.number);
    file_.at_begin(id, "tag", t.word);
    file_.at_begin(id, "bytes", t.bytes);
    file_.at_begin(id, "packets", t.packets);
    if (t.on_behalf) file_.at_begin(id, "for", "a get");
    if (t.serial >= packets_[t.from.value].size()) return;
    for (const PacketWatch::Packet* packet : packets_[t.from.value][t.serial]) {
      add_packet(journey, *packet, generator(t.from, queue, "injection queue", "packet"));
    }
  }

  void add_packet(Journey& journey, const PacketWatch::Packet& packet, Id generator) {
    const Transfer& t = *journey.transfer;
    const auto found = landings_.find({name_of(t), packet.offset});
    const Cycles landing = found == landings_.end() ? kNever : found->second.take(packet.last);
    const bool is_lost = landing == kNever;
    const Id id = file_.add(generator, packet.first, is_lost ? packet.last : landing);
    file_.at_begin(id, "offset", packet.offset);
    file_.at_begin(id, "bytes", packet.bytes);
    file_.at_end(id, "status", is_lost ? "LOST" : "ARRIVED");
    file_.relate("sends", journey.descriptor, id);
    journey.last_packet = id;
    journey.last = &packet;
    if (!is_lost) landed_.push_back({landing, &packet, &journey, id});
  }

  // Each write belongs to one packet: those that came first have the first.
  void add_writes() {
    std::stable_sort(landed_.begin(), landed_.end(),
                     [](const Landed& a, const Landed& b) { return a.cycle < b.cycle; });
    written_.resize(watches_.size());
    entries_.resize(watches_.size());
    for (std::size_t n = 0; n < watches_.size(); ++n) {
      const auto& bursts = watches_[n]->bursts();
      written_[n].resize(bursts.size());
      for (std::size_t i = 0; i < bursts.size(); ++i) {
        if (bursts[i].key != 0) entries_[n][bursts[i].key].push_back(i);
      }
    }
    for (const Landed& landed : landed_) {
      if (landed.journey->transfer->kind == Kind::kPut) add_writes_of_put(landed);
      if (landed.journey->transfer->kind == Kind::kFifo) add_writes_of_entry(landed);
    }
  }

  void add_writes_of_put(const Landed& landed) {
    constexpr Cycles kLongest = 100'000;  // as for transfers: what waits longer is not looked for
    const NodeId node = landed.journey->transfer->to;
    const NodeWatch& watch = *watches_[node.value];
    const auto& bursts = watch.bursts();
    const Address begin =
        watch.region_base(landed.journey->transfer->target) + landed.packet->offset;
    const Address end = begin + landed.packet->bytes;
    Bytes left = landed.packet->bytes;
    auto b = std::lower_bound(
        bursts.begin(), bursts.end(), landed.cycle,
        [](const NodeWatch::Burst& burst, Cycles cycle) { return burst.cycle < cycle; });
    for (; left != 0 && b != bursts.end() && b->cycle < landed.cycle + kLongest; ++b) {
      const auto i = static_cast<std::size_t>(b - bursts.begin());
      if (b->begin < begin || b->begin + b->bytes > end || written_[node.value][i]) continue;
      left -= std::min(left, b->bytes);
      add_write(landed, i);
    }
  }

  // The parts of an entry of a reception FIFO follow one another.
  void add_writes_of_entry(const Landed& landed) {
    constexpr Bytes kEntryHead = 32;
    const NodeId node = landed.journey->transfer->to;
    const auto& bursts = watches_[node.value]->bursts();
    const auto found = entries_[node.value].find(landed.packet->entry);
    if (found == entries_[node.value].end()) return;
    for (const std::size_t first : found->second) {
      if (bursts[first].cycle < landed.cycle || written_[node.value][first]) continue;
      Bytes left = kEntryHead + landed.packet->bytes;
      for (std::size_t i = first; i < bursts.size() && left != 0; ++i) {
        if (bursts[i].fifo != bursts[first].fifo) continue;
        left -= std::min(left, bursts[i].bytes);
        add_write(landed, i);
      }
      return;
    }
  }

  void add_write(const Landed& landed, std::size_t burst) {
    const NodeId node = landed.journey->transfer->to;
    const NodeWatch::Burst& b = watches_[node.value]->bursts()[burst];
    written_[node.value][burst] = true;
    const Id id = file_.add(generator(node, "memory", "memory port", "write"), b.cycle, b.cycle);
    file_.at_begin(id, "address", b.begin);
    file_.at_begin(id, "bytes", b.bytes);
    if (b.fifo != NodeWatch::kNoFifo) file_.at_begin(id, "fifo", b.fifo);
    file_.relate("writes", landed.id, id);
    landed.journey->last_write = id;
  }

  // A refusal is of the last transfer of its name before it.
  void add_refusals() {
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint8_t, std::uint32_t, std::uint32_t>,
             std::vector<Journey*>>
        of_name;
    for (Journey& journey : journeys_) {
      const Transfer& t = *journey.transfer;
      of_name[{t.from.value, t.to.value, t.queue, t.index, t.number}].push_back(&journey);
    }
    for (const NodeWatch* watch : watches_) {
      for (const PacketWatch::Refusal& refusal : watch->packets()->refusals) {
        const Id id = add_moment(watch->node(), "refusal", refusal.cycle);
        file_.at_begin(id, "status", torusmu::name_of(refusal.status));
        const auto found = of_name.find(
            {refusal.to.value, watch->node().value, refusal.queue, refusal.index, refusal.number});
        if (found == of_name.end()) continue;
        const auto& journeys = found->second;
        const auto at = std::find_if(journeys.rbegin(), journeys.rend(), [&](const Journey* j) {
          return j->transfer->first_out <= refusal.cycle;
        });
        if (at == journeys.rend()) continue;
        (*at)->refused = true;
        (*at)->status = refusal.status;
        file_.relate("is refused by", (*at)->last_packet, id);
      }
    }
  }

  // The target has all of it: where that is seen, its last byte or its answer.
  void add_end(Journey& journey) {
    const Transfer& t = *journey.transfer;
    const bool must_be_seen =
        t.kind == Kind::kFifo || t.kind == Kind::kSend || t.kind == Kind::kFence || journey.refused;
    if (t.arrived == kNever || (must_be_seen && t.in_memory == kNever)) return;
    const Cycles cycle = t.in_memory == kNever ? t.arrived : t.in_memory;
    journey.done = add_moment(t.to, "completion", cycle);
    const Id id = journey.done;
    file_.at_begin(id, "kind", torusmu::name_of(t.kind));
    file_.at_begin(id, "source", t.from.value);
    file_.at_begin(id, "bytes", t.bytes);
    if (journey.last != nullptr) {
      if (journey.last->counter) file_.at_begin(id, "counter", *journey.last->counter);
      if (journey.last->event) file_.at_begin(id, "event counter", *journey.last->event);
      if (journey.last->interrupt) file_.at_begin(id, "interrupt", "asked for");
      endings_[t.to.value].back().asks = journey.last->interrupt;
    }
    file_.relate("completes", journey.last_write != 0 ? journey.last_write : last_of(journey), id);
  }
  static Id last_of(const Journey& journey) {
    return journey.last_packet != 0 ? journey.last_packet : journey.descriptor;
  }

  // A GET brings descriptors into a queue of the target, which sends them in that order.
  void add_fetches() {
    using Queue = std::pair<std::uint32_t, std::uint8_t>;
    std::map<Queue, std::vector<Journey*>> gets, fetched;
    for (Journey& journey : journeys_) {
      const Transfer& t = *journey.transfer;
      if (t.on_behalf) fetched[{t.from.value, t.queue}].push_back(&journey);
      if (t.kind == Kind::kGet && journey.done != 0) {
        gets[{t.to.value, t.target}].push_back(&journey);
      }
    }
    for (auto& [queue, list] : gets) {
      std::stable_sort(list.begin(), list.end(), [](const Journey* a, const Journey* b) {
        return a->transfer->arrived < b->transfer->arrived;
      });
      const auto& answers = fetched[queue];
      std::size_t next = 0;
      for (const Journey* get : list) {
        for (Bytes left = get->transfer->bytes / Descriptor::kBytes;
             left != 0 && next < answers.size(); --left, ++next) {
          file_.relate("fetches", get->done, answers[next]->descriptor);
        }
      }
    }
  }

  void add_entries() {
    std::map<std::pair<std::uint32_t, std::uint8_t>, std::vector<Journey*>> sent, received;
    for (Journey& journey : journeys_) {
      const Transfer& t = *journey.transfer;
      sent[{t.from.value, t.queue}].push_back(&journey);
      if (t.kind == Kind::kSend) received[{t.to.value, t.target}].push_back(&journey);
    }
    for (const NodeWatch* watch : watches_) {
      std::map<const Journey*, bool> told;  // to the receiver
      for (const PacketWatch::Entry& at : watch->packets()->entries) {
        const auto queue = static_cast<std::uint8_t>(at.entry.get<e::queue>());
        const Opcode opcode = at.entry.get<e::opcode>();
        const Id id = add_moment(watch->node(), "completion entry", at.cycle);
        file_.at_begin(id, "opcode", torusmu::name_of(opcode));
        file_.at_begin(id, "status", torusmu::name_of(at.entry.get<e::status>()));
        file_.at_begin(id, "queue", queue);
        file_.at_begin(id, "index", at.entry.get<e::index>());
        file_.at_begin(id, "bytes", at.entry.get<e::bytes>());
        const bool is_receive = opcode == Opcode::kReceive;
        for (Journey* journey : (is_receive ? received : sent)[{watch->node().value, queue}]) {
          if ((is_receive ? told[journey] : journey->reported) || !is_of(at, *journey)) continue;
          (is_receive ? told[journey] : journey->reported) = true;
          if (!is_receive) journey->status = at.entry.get<e::status>();
          file_.relate("is reported by", journey->done != 0 ? journey->done : last_of(*journey),
                       id);
          break;
        }
      }
    }
  }
  // Whether an entry tells of it. A SEND carries no index of its descriptor.
  static bool is_of(const PacketWatch::Entry& at, const Journey& journey) {
    const Transfer& t = *journey.transfer;
    if (t.last_out > at.cycle || (t.kind == Kind::kSend && journey.done == 0)) return false;
    if (t.kind != Kind::kSend) {
      return static_cast<unsigned>(at.entry.get<e::opcode>()) ==
                 static_cast<unsigned>(opcode_of(t)) &&
             at.entry.get<e::index>() == t.index;
    }
    return at.entry.get<e::word>() == t.word &&
           at.entry.get<e::bytes>() == static_cast<std::uint32_t>(t.bytes);
  }
  static Opcode opcode_of(const Transfer& t) {
    switch (t.kind) {
      case Kind::kPut:
        return Opcode::kPut;
      case Kind::kFifo:
        return Opcode::kFifo;
      case Kind::kGet:
        return Opcode::kGet;
      case Kind::kFence:
        return Opcode::kFence;
      default:
        return Opcode::kNop;
    }
  }

  void add_status(const Journey& journey) {
    const Transfer& t = *journey.transfer;
    const bool is_lost = t.lost != kNever;
    const bool is_open = journey.done == 0 && !journey.refused;
    file_.at_end(journey.descriptor, "status",
                 is_lost ? "LOST"
                 : is_open
                     ? "NOT_ARRIVED"
                     : torusmu::name_of(journey.done != 0 && !journey.reported ? Status::kOk
                                                                               : journey.status));
  }

  // From the edge that raises a line to the one that takes it back.
  struct Interrupt {
    Cycles from, to;
    Id id;
  };
  void add_interrupts() {
    for (const NodeWatch* watch : watches_) {
      std::vector<Interrupt> interrupts;
      std::map<unsigned, Cycles> up;  // since when, by client
      for (const PacketWatch::Lines& now : watch->packets()->lines) {
        for (unsigned client = 0; client < kProfile.clients; ++client) {
          const bool is_up = (now.lines >> client & 1U) != 0;
          if (is_up) {
            up.try_emplace(client, now.cycle);
          } else if (const auto was_up = up.find(client); was_up != up.end()) {
            interrupts.push_back(interrupt(watch->node(), client, was_up->second, now.cycle));
            up.erase(was_up);
          }
        }
      }
      for (const auto& [client, from] : up) {
        interrupts.push_back(interrupt(watch->node(), client, from, machine_.now()));
      }
      find_what_raises(watch->node(), interrupts);
    }
  }
  Interrupt interrupt(NodeId node, unsigned client, Cycles from, Cycles to) {
    const std::string name = fmt::format("client_{}", client);
    return {from, to, file_.add(generator(node, "interrupts", "interrupt lines", name), from, to)};
  }

  // What asks for an interrupt raises one soon, or finds it raised. Of others the last ending
  // before it is told.
  void find_what_raises(NodeId node, const std::vector<Interrupt>& interrupts) {
    constexpr Cycles kSoon = 256;
    auto& endings = endings_[node.value];
    std::sort(endings.begin(), endings.end());
    for (const Interrupt& now : interrupts) {
      const auto after = std::upper_bound(endings.begin(), endings.end(), now.to,
                                          [](Cycles c, const Ending& e) { return c < e.cycle; });
      const Ending* last = nullptr;
      bool is_told = false;
      for (auto at = after; at != endings.begin();) {
        --at;
        if (at->cycle + kSoon < now.from) break;
        if (last == nullptr && at->cycle <= now.from) last = &*at;
        if (!at->asks) continue;
        file_.relate("raises", at->id, now.id);
        at->asks = false;
        is_told = true;
      }
      if (!is_told && last != nullptr) file_.relate("raises", last->id, now.id);
    }
  }

  void add_program_messages() {
    for (const report_page::Message& m : record_.messages) {
      if (!m.is_of_program) continue;
      const Id stream = file_.stream(fmt::format("rank_{}", m.from_rank), "rank");
      const Id id = file_.add(file_.generator(stream, "message"), m.begin(), m.end());
      file_.at_begin(id, "from rank", m.from_rank);
      file_.at_begin(id, "to rank", m.to_rank);
      file_.at_begin(id, "tag", m.tag);
      file_.at_begin(id, "bytes", m.bytes);
      file_.at_begin(id, "kind", m.kind);
      if (m.carrier) file_.relate("is carried by", id, journeys_[*m.carrier].descriptor);
    }
  }

  const Machine& machine_;
  const RunRecord& record_;
  const std::vector<const NodeWatch*> watches_;
  const std::vector<Transfer> transfers_;
  FtrFile file_;
  std::vector<Journey> journeys_;                                              // as transfers_
  std::vector<std::vector<std::vector<const PacketWatch::Packet*>>> packets_;  // by node, serial
  std::map<LandingName, Moments> landings_;
  std::vector<Landed> landed_;
  std::vector<std::vector<bool>> written_;  // by node, burst
  std::vector<std::unordered_map<std::uint64_t, std::vector<std::size_t>>> entries_;
  std::vector<std::vector<Ending>> endings_;  // by node
};

}  // namespace

std::string transactions_of(const Machine& machine, const RunRecord& record) {
  return Builder(machine, record).build();
}

}  // namespace torusmu

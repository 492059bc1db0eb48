// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/report_page/run_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace torusmu::report_page {
namespace {

constexpr std::int64_t kSlotBytes = 32;

std::array<Cycles, 6> moments_of(const Message& m) {
  return {m.called, m.posted, m.first_out, m.arrived, m.in_memory, m.complete};
}

std::string name_of_link(const Shape& shape, NodeId node, unsigned direction) {
  const Coordinates at = shape.coordinates(node);
  return fmt::format("({},{},{}) {}", at.x, at.y, at.z, kDirectionNames[direction]);
}

Message message_of(const Shape& shape, const Transfer& transfer) {
  Message message;
  message.kind = std::string(name_of(transfer.kind));
  if (transfer.on_behalf) message.kind += " of a get";
  message.what =
      fmt::format("{}, {} bytes in {} packets, queue {}, {}", message.kind, transfer.bytes,
                  transfer.packets, transfer.queue, transfer.reply ? "reply" : "request");
  message.from = transfer.from;
  message.to = transfer.to;
  message.bytes = transfer.bytes;
  message.posted = transfer.posted;
  message.first_out = transfer.first_out;
  message.arrived = transfer.arrived;
  message.in_memory = transfer.in_memory;
  message.lost = transfer.lost;
  if (transfer.lost != kNever) {
    message.lost_at = name_of_link(shape, transfer.lost_at, transfer.lost_direction);
  }
  return message;
}

// Finds for each message of a program the transfer that carried its data: between the same nodes,
// of the same length, while the message was under way, the first that no other message has.
class Carriers {
 public:
  explicit Carriers(const std::vector<Transfer>& transfers) : taken_(transfers.size()) {
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      const Transfer& t = transfers[i];
      if (t.kind == Kind::kPut || t.kind == Kind::kFifo) {
        by_ends_[{t.from.value, t.to.value, t.bytes}].push_back(&t);
      }
    }
    first_ = transfers.data();
  }

  const Transfer* take(const ProgramMessage& message) {
    for (const Transfer* t : by_ends_[{message.from.value, message.to.value, message.bytes}]) {
      const auto i = static_cast<std::size_t>(t - first_);
      const bool fits = t->first_out >= message.sent && t->arrived <= message.complete;
      // An eager message has its tag in the packet.
      const bool is_other = t->kind == Kind::kFifo && t->word != message.tag;
      if (taken_[i] || !fits || is_other) continue;
      taken_[i] = true;
      return t;
    }
    return nullptr;
  }

 private:
  std::vector<bool> taken_;
  const Transfer* first_ = nullptr;
  std::map<std::tuple<std::uint32_t, std::uint32_t, Bytes>, std::vector<const Transfer*>> by_ends_;
};

Message message_of(const Shape& shape, const ProgramMessage& message, const Transfer* carrier) {
  Message result = carrier != nullptr ? message_of(shape, *carrier) : Message{};
  result.from = message.from;
  result.to = message.to;
  result.bytes = message.bytes;
  result.kind = carrier == nullptr             ? "not on a link"
                : carrier->kind == Kind::kFifo ? "sent at once"
                                               : "fetched by the receiver";
  result.what = fmt::format("rank {} to rank {}, {} bytes, tag {}, {}", message.from_rank,
                            message.to_rank, message.bytes, message.tag, result.kind);
  result.called = message.sent;
  result.complete = message.complete;
  result.awaited = message.awaited;
  result.is_of_program = true;
  result.from_rank = message.from_rank;
  result.to_rank = message.to_rank;
  result.tag = message.tag;
  return result;
}

void add_queue_depths(RunRecord& record, const std::vector<Transfer>& transfers,
                      const std::vector<const NodeWatch*>& watches) {
  for (const Transfer& t : transfers) {
    if (t.posted != kNever && t.posted <= t.last_out) {
      record.posted[t.from.value].steps.push_back({t.posted, 1});
      record.posted[t.from.value].steps.push_back({t.last_out, -1});
    }
    if (t.arrived != kNever) {
      record.on_the_way[t.from.value].steps.push_back({t.first_out, 1});
      record.on_the_way[t.from.value].steps.push_back({t.arrived, -1});
    }
  }
  for (const NodeWatch* watch : watches) {
    auto& steps = record.fifo_bytes[watch->node().value].steps;
    for (const NodeWatch::Burst& burst : watch->bursts()) {
      if (burst.fifo == NodeWatch::kNoFifo) continue;
      const auto slots = (static_cast<std::int64_t>(burst.bytes) + kSlotBytes - 1) / kSlotBytes;
      steps.push_back({burst.cycle, slots * kSlotBytes});
    }
    for (const auto& [fifo, heads] : watch->fifo_heads()) {
      std::uint32_t head = 0;
      for (const NodeWatch::Tail& now : heads) {
        if (!now.is_reset) {
          const auto moved = static_cast<std::int32_t>(now.tail - head);
          steps.push_back({now.cycle, -moved * kSlotBytes});
        }
        head = now.tail;
      }
    }
  }
  for (auto* list : {&record.posted, &record.on_the_way, &record.fifo_bytes}) {
    for (Series& series : *list) {
      std::stable_sort(series.steps.begin(), series.steps.end(),
                       [](const Series::Step& a, const Series::Step& b) {
                         return std::tie(a.cycle, b.change) < std::tie(b.cycle, a.change);
                       });
    }
  }
}

// From the first message's begin to the last's end; of a run without messages all of it.
Span time_of_messages(const RunRecord& record) {
  Span span{kNever, 0};
  for (const auto* list : {&record.messages, &record.transfers}) {
    for (const Message& message : *list) {
      span.from = std::min(span.from, message.begin());
      span.to = std::max(span.to, message.end());
    }
  }
  return span.from < span.to ? span : Span{0, record.cycles};
}

// Slices of the program's time: each a whole number of the parts that the watches have counted.
void add_slices(RunRecord& record, const std::vector<const NodeWatch*>& watches) {
  constexpr Cycles kMostSlices = 32;
  unsigned shift = 0;
  for (const NodeWatch* watch : watches) {
    for (const LinkTimes& times : watch->link_times()) shift = std::max(shift, times.shift());
  }
  const Cycles first = record.program.from >> shift;
  const Cycles parts = ((std::max<Cycles>(record.program.to, 1) - 1) >> shift) + 1 - first;
  const Cycles parts_of_slice = (parts + kMostSlices - 1) / kMostSlices;
  for (Cycles at = first; at < first + parts; at += parts_of_slice) {
    LinkSlice slice;
    slice.from = at << shift;
    slice.to = std::min((at + parts_of_slice) << shift, std::max(record.cycles, slice.from + 1));
    slice.links.resize(record.links.size());
    record.slices.push_back(std::move(slice));
  }
  for (const NodeWatch* watch : watches) {
    for (unsigned d = 0; d < kDirections; ++d) {
      const LinkTimes& times = watch->link_times()[d];
      for (std::size_t i = 0; i < times.parts().size(); ++i) {
        const Cycles part = (Cycles{i} << times.shift()) >> shift;
        if (part < first || part >= first + parts) continue;
        LinkLoad& load =
            record.slices[(part - first) / parts_of_slice].links[watch->node().value][d];
        load.requests += times.parts()[i].requests;
        load.replies += times.parts()[i].replies;
      }
    }
  }
}

}  // namespace

bool link_exists(const Shape& shape, NodeId node, unsigned direction) {
  const NodeId next = neighbour(shape, node, direction);
  return next.value < shape.nodes() && next != node;
}

Cycles Message::latency() const {
  const Cycles late = awaited == kNever ? begin() : std::max(begin(), awaited);
  return end() - std::min(end(), late);
}

Cycles Message::begin() const {
  for (const Cycles moment : moments_of(*this)) {
    if (moment != kNever) return moment;
  }
  return 0;
}

Cycles Message::end() const {
  Cycles end = 0;
  for (const Cycles moment : moments_of(*this)) {
    if (moment != kNever) end = std::max(end, moment);
  }
  return end;
}

RunRecord record_of(const Machine& machine, const std::vector<ProgramMessage>& program,
                    const std::optional<Span>& time) {
  RunRecord record;
  record.shape = machine.shape();
  record.latency = machine.config().engine.latency;
  record.cycles = machine.now();
  record.name = fmt::format("{}, links of {} cycles", shape_name(machine.shape()), record.latency);
  const std::size_t nodes = machine.shape().nodes();
  const EngineCounts counts = machine.counts();
  record.links.resize(nodes);
  for (const NodeWatch* watch : watches_of(machine)) {
    const std::size_t n = watch->node().value;
    for (unsigned d = 0; d < kDirections; ++d) {
      const std::uint64_t replies = watch->reply_flits()[d];
      record.links[n][d] = {counts.link_flits[n][d] - replies, replies};
    }
    record.full_at = std::min(record.full_at, watch->full_at());
  }
  const std::vector<Transfer> transfers = transfers_of(machine);
  std::vector<Message> sent;
  sent.reserve(transfers.size());
  for (const Transfer& transfer : transfers) sent.push_back(message_of(record.shape, transfer));
  record.are_of_program = !program.empty();
  if (record.are_of_program) {
    Carriers carriers(transfers);
    std::vector<ProgramMessage> sorted = program;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.sent < b.sent; });
    for (const ProgramMessage& message : sorted) {
      const Transfer* const carrier = carriers.take(message);
      record.messages.push_back(message_of(record.shape, message, carrier));
      if (carrier != nullptr) {
        record.messages.back().carrier = static_cast<std::size_t>(carrier - transfers.data());
      }
    }
    record.transfers = std::move(sent);
  } else {
    record.messages = std::move(sent);
  }
  std::stable_sort(record.messages.begin(), record.messages.end(),
                   [](const Message& a, const Message& b) { return a.begin() < b.begin(); });
  record.program_is_told = time.has_value();
  record.program = time.value_or(time_of_messages(record));
  add_slices(record, watches_of(machine));
  record.posted.resize(nodes);
  record.on_the_way.resize(nodes);
  record.fifo_bytes.resize(nodes);
  add_queue_depths(record, transfers, watches_of(machine));
  return record;
}

}  // namespace torusmu::report_page

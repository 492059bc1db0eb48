// SPDX-License-Identifier: Apache-2.0
// The sending half of the reference node: queues, packets, reflection credits.
#include <algorithm>
#include <cstring>

#include "tb/reference_model/calc_put.h"
#include "tb/reference_model/node_model.h"
#include "tb/reference_model/opcodes.h"

namespace torusmu::model {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace t = layout::packet_trailer;

constexpr std::uint32_t kOwnReflectionQueue = 6;
constexpr std::uint32_t kDirections = 6;

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

Kind kind_of(Opcode opcode) {
  return opcode == Opcode::kPut     ? Kind::kPut
         : opcode == Opcode::kFifo  ? Kind::kFifo
         : opcode == Opcode::kGet   ? Kind::kGet
         : opcode == Opcode::kSend  ? Kind::kSend
         : opcode == Opcode::kFence ? Kind::kFence
                                    : Kind::kNone;
}
Coordinates source_of(const PacketHeader& header) {
  return {low(header.get<h::src_x>()), low(header.get<h::src_y>()), low(header.get<h::src_z>())};
}
void set_destination(PacketHeader& header, Coordinates c) {
  header.set<h::dst_x>(c.x).set<h::dst_y>(c.y).set<h::dst_z>(c.z);
}
void set_source(PacketHeader& header, Coordinates c) {
  header.set<h::src_x>(c.x).set<h::src_y>(c.y).set<h::src_z>(c.z);
}

}  // namespace

bool ReferenceNode::has_work() const {
  if (has_drain() || !results_.empty() || !replies_.empty() || !queries_.empty() ||
      running_.has_value())
    return true;
  for (std::uint32_t n = 0; n < queues_.size(); ++n) {
    if (has_turn(n)) return true;
  }
  return false;
}

// Queues of reflections first, the others in turn.
std::optional<std::uint32_t> ReferenceNode::pick_queue(bool replies) {
  const auto count = static_cast<std::uint32_t>(queues_.size());
  for (std::uint32_t i = 1; i <= count; ++i) {
    const std::uint32_t n = (last_queue_ + i) % count;
    if (has_turn(n) && (queues_[n].mode() == QueueMode::kReflection) == replies) {
      if (!replies) last_queue_ = n;
      return n;
    }
  }
  return std::nullopt;
}

ReferenceNode::Step ReferenceNode::inject(Cycles now) {
  if (has_drain()) {
    drain_boot_buffers();
    return {true, std::nullopt};
  }
  if (!results_.empty()) {
    Step step{true, std::move(results_.front())};
    results_.pop_front();
    return step;
  }
  if (!replies_.empty()) {
    Step step{true, std::move(replies_.front())};
    replies_.pop_front();
    return step;
  }
  if (const auto queue = pick_queue(true)) return start(*queue, now);
  if (running_) {
    Running running = *running_;
    Step step = send_next(running, false, now);
    if (running_)
      running_ = running.sent < running.descriptor.get<d::length>() ? std::optional(running)
                                                                    : std::nullopt;
    return step;
  }
  if (!queries_.empty()) {
    Step step{true, std::move(queries_.front())};
    queries_.pop_front();
    return step;
  }
  // A RECEIVE that is posted is there before anything that is posted with it arrives.
  for (std::uint32_t n = 0; n < queues_.size(); ++n) {
    if (queues_[n].mode() == QueueMode::kReceive && may_run(queues_[n])) return start(n, now);
  }
  if (const auto queue = pick_queue(false)) return take_turn(*queue, now);
  return {};
}

bool ReferenceNode::has_turn(std::uint32_t number) const {
  const Queue& queue = queues_[number];
  return may_run(queue) || queue.may_go_ahead() || (queue.piping && may_send_on(number));
}

ReferenceNode::Step ReferenceNode::take_turn(std::uint32_t queue, Cycles now) {
  if (may_run(queues_[queue])) return start(queue, now);
  return queues_[queue].piping ? send_on(queue, now) : start_ahead(queue, now);
}

ReferenceNode::Step ReferenceNode::start(std::uint32_t queue, Cycles now) {
  Queue& entry = queues_[queue];
  entry.waits_for_pipe = false;
  const auto descriptor = read_descriptor(entry, entry.head);
  if (!descriptor) {
    forget_sends(queue);
    entry.fencing = {};
    // Whether it asked for an entry is not known; reflections have none.
    if (entry.mode() != QueueMode::kReflection) {
      signal(queue, Descriptor().set<d::signal>(1), Status::kMemoryError);
    }
    retire(queue, Status::kMemoryError);
    return {true, std::nullopt};
  }
  const Status status = check(*descriptor, entry);
  if (status != Status::kOk) {
    fail(queue, *descriptor, status);
    notify_getter(queue, *descriptor, status);
    return {true, std::nullopt};
  }
  return run(queue, *descriptor, now);
}

std::optional<Descriptor> ReferenceNode::read_descriptor(const Queue& queue, std::uint64_t index) {
  std::array<std::uint8_t, Descriptor::kBytes> bytes{};
  const Address slot = queue.base + index % queue.size * Descriptor::kBytes;
  if (!read_memory(slot, bytes)) return std::nullopt;
  return Descriptor::from_bytes(bytes);
}

ReferenceNode::Step ReferenceNode::run(std::uint32_t queue, const Descriptor& descriptor,
                                       Cycles now) {
  Queue& entry = queues_[queue];
  const auto opcode = descriptor.get<d::opcode>();
  if (opcode == Opcode::kNop || opcode == Opcode::kWait || opcode == Opcode::kReceive ||
      opcode == Opcode::kPipe || is_enable(opcode)) {
    if (opcode == Opcode::kNop) finish(queue, descriptor);
    if (opcode == Opcode::kWait) run_wait(queue, descriptor);
    if (opcode == Opcode::kReceive) begin_receive(queue, descriptor);
    if (opcode == Opcode::kPipe) begin_pipe(queue, descriptor);
    if (is_enable(opcode)) run_enable(queue, descriptor);
    return {true, std::nullopt};
  }
  if (opcode == Opcode::kCalc) {
    std::vector<PacketHeader> targets;
    Status calculated = run_calc(descriptor, entry, &targets);
    if (calculated == Status::kOk) calculated = put_result(queue, descriptor, targets);
    if (calculated == Status::kOk) {
      finish(queue, descriptor);
    } else {
      fail(queue, descriptor, calculated);
    }
    return {true, std::nullopt};
  }
  if (is_counter_operation(opcode)) return run_counter_operation(queue, descriptor);
  if (descriptor.get<d::reflect>() != 0) return start_reflection(queue, descriptor, now);
  if (opcode == Opcode::kFence) return begin_fence(queue, descriptor, now);
  if (opcode == Opcode::kSend) begin_send(queue, descriptor);
  return send_first({queue, descriptor}, entry.mode() == QueueMode::kReflection, now);
}

Status ReferenceNode::put_result(std::uint32_t queue, const Descriptor& calc,
                                 const std::vector<PacketHeader>& targets) {
  constexpr std::uint64_t kEnd = std::uint64_t{1} << h::offset.width;
  const PacketHeader result = calc.get<d::header>();
  const Bytes length = calc.get<d::length>();
  Status first = Status::kOk;
  for (Bytes at = 0; at < length; at += sizes_.payload_bytes) {
    const Bytes bytes = std::min<Bytes>(length - at, sizes_.payload_bytes);
    for (const PacketHeader& target : targets) {
      const Descriptor put = put_of_result(calc, target, at, bytes);
      Status status = check(put, queues_[queue]);
      if (status == Status::kOk && target.get<h::offset>() + at >= kEnd)
        status = Status::kRegionBounds;
      Packet packet = build_packet({queue, put}, bytes, false);
      packet.payload.resize(bytes);
      const Address source = regions_[result.get<h::target>()].base + put.get<d::source_offset>();
      if (status == Status::kOk && !read_memory(source, packet.payload)) {
        status = Status::kMemoryError;
      }
      if (first == Status::kOk) first = status;
      if (status != Status::kOk) continue;
      packet.seal();
      results_.push_back(std::move(packet));
    }
  }
  return first;
}

// The packets behind the first follow as running_.
ReferenceNode::Step ReferenceNode::send_first(Running running, bool reply, Cycles now) {
  Step step = send_next(running, reply, now);
  if (!reply && running.sent < running.descriptor.get<d::length>()) running_ = running;
  return step;
}

ReferenceNode::Step ReferenceNode::run_counter_operation(std::uint32_t queue,
                                                         const Descriptor& descriptor) {
  const bool set = descriptor.get<d::opcode>() == Opcode::kCtrSet;
  const auto immediate = descriptor.get<d::immediate>();
  std::uint64_t value = 0;
  std::memcpy(&value, immediate.data(), sizeof value);
  if (descriptor.get<d::event_valid>() != 0) {
    const std::uint32_t counter = low(descriptor.get<d::event_counter>());
    // An addition of zero changes nothing, and is no arrival.
    if (set || low(value) != 0) set_event(counter, (set ? 0 : events_[counter].value) + low(value));
  } else {
    ByteCounter& counter = bytes_[descriptor.get<d::counter>()];
    const std::uint64_t most =
        (std::uint64_t{1} << registers::client_page::byte_counter_field::remaining.width) - 1;
    value &= most;
    if (set) {
      counter.remaining = value;
      counter.hit_zero = counter.underflow = false;
    } else if (value > most - counter.remaining) {
      counter.remaining = most;
      counter.underflow = true;
      raise(counter.owner(), Cause::kError);
    } else {
      counter.remaining += value;
    }
  }
  finish(queue, descriptor);
  return {true, std::nullopt};
}

Packet ReferenceNode::build_packet(const Running& running, Bytes bytes, bool reply) const {
  const Descriptor& descriptor = running.descriptor;
  const Queue& queue = queues_[running.queue];
  const bool on_behalf = filled_by_network(queue.mode());
  const bool last = running.sent + bytes == descriptor.get<d::length>();
  Packet packet;
  packet.header = descriptor.get<d::header>();
  const std::uint64_t client = on_behalf ? packet.header.get<h::client>() : queue.owner();
  const std::uint64_t offset = packet.header.get<h::offset>() + running.sent;
  set_source(packet.header, place_);
  packet.header.set<h::client>(client)
      .set<h::on_behalf>(on_behalf)
      .set<h::kind>(kind_of(descriptor.get<d::opcode>()))
      .set<h::reply>(reply)
      .set<h::bytes>(bytes)
      .set<h::offset>(offset & ((std::uint64_t{1} << h::offset.width) - 1));
  packet.trailer.set<t::counter>(descriptor.get<d::counter>())
      .set<t::counter_valid>(descriptor.get<d::counter_valid>())
      .set<t::event_counter>(descriptor.get<d::event_counter>())
      .set<t::event_valid>(descriptor.get<d::event_valid>())
      .set<t::interrupt>(descriptor.get<d::interrupt_target>())
      .set<t::last>(last)
      .set<t::queue>(running.queue)
      .set<t::index>(reply ? descriptor.get<d::reflection_number>()
                           : low(queue.head + (running.ahead ? 1 : 0)))
      .set<t::sequence_number>(descriptor.get<d::sequence_number>())
      .set<t::reflected>(reply);
  if (descriptor.get<d::opcode>() == Opcode::kSend) address_send(packet, running);
  return packet;
}

ReferenceNode::Step ReferenceNode::send_next(Running& running, bool reply, Cycles now) {
  const Descriptor& descriptor = running.descriptor;
  const Bytes length = descriptor.get<d::length>();
  const Bytes bytes = std::min<Bytes>(length - running.sent, sizes_.payload_bytes);
  Packet packet = build_packet(running, bytes, reply);
  packet.payload.resize(bytes);
  if (descriptor.get<d::immediate_valid>() != 0) {
    const auto immediate = descriptor.get<d::immediate>();
    std::copy_n(immediate.begin(), bytes, packet.payload.begin());
  } else {
    const Region& region = regions_[descriptor.get<d::source_region>()];
    if (!read_memory(region.base + descriptor.get<d::source_offset>() + running.sent,
                     packet.payload)) {
      running_.reset();
      if (descriptor.get<d::opcode>() == Opcode::kSend) {
        fail_send(running, now);
      } else {
        fail(running.queue, descriptor, Status::kMemoryError);
        notify_getter(running.queue, descriptor, Status::kMemoryError);
      }
      running.sent = length;
      return {true, std::nullopt};
    }
  }
  if (descriptor.get<d::injection_counter_valid>() != 0) {
    subtract(low(descriptor.get<d::injection_counter>()), bytes);
  }
  running.sent += bytes;
  if (running.sent == length) last_has_left(running, now);
  packet.seal();
  return {true, std::move(packet)};
}

void ReferenceNode::retire(std::uint32_t queue, Status status) {
  Queue& entry = queues_[queue];
  if (status != Status::kOk) {
    if (entry.errors == 0) {
      entry.status = status;
      entry.error_index = low(entry.head);
    }
    entry.errors = std::min<std::uint64_t>(entry.errors + 1, 0xFFFF);
    entry.halted = entry.halted || entry.halts_on_error();
    raise(entry.owner(), Cause::kError);
  }
  ++entry.head;
  if (entry.cyclic()) ++entry.tail;
}

void ReferenceNode::fail(std::uint32_t queue, const Descriptor& descriptor, Status status) {
  signal(queue, descriptor, status);
  forget_sends(queue);
  Fencing& fencing = queues_[queue].fencing;
  queues_[queue].receiving = {};
  if (fencing.holds()) fencing = {};  // one that is ahead of it stays so
  retire(queue, status);
}

void ReferenceNode::notify_getter(std::uint32_t queue, const Descriptor& descriptor,
                                  Status status) {
  if (queues_[queue].mode() != QueueMode::kRemoteGet) return;
  const PacketHeader image = descriptor.get<d::header>();
  const Coordinates getter = source_of(image);
  if (getter.x >= shape_.x || getter.y >= shape_.y || getter.z >= shape_.z) return;
  // Its MU must not take it for what has become of a SEND or a FENCE of its own.
  const Kind kind = kind_of(descriptor.get<d::opcode>());
  const Kind told = kind == Kind::kSend || kind == Kind::kFence ? Kind::kNone : kind;
  Packet notice;
  set_destination(notice.header, source_of(image));
  set_source(notice.header, place_);
  notice.header.set<h::client>(image.get<h::client>())
      .set<h::kind>(Kind::kNotice)
      .set<h::reply>(1)
      .set<h::target>(queue)
      .set<h::word>(static_cast<std::uint64_t>(status) | static_cast<std::uint64_t>(told) << 8);
  notice.trailer.set<t::queue>(queue)
      .set<t::index>(low(queues_[queue].head - 1))
      .set<t::sequence_number>(descriptor.get<d::sequence_number>());
  notice.seal();
  replies_.push_back(std::move(notice));
}

// --- reflection ---

std::optional<NodeId> ReferenceNode::neighbour(std::uint32_t direction) const {
  Coordinates to = place_;
  const bool torus[] = {shape_.torus_x, shape_.torus_y, shape_.torus_z};
  std::uint32_t* axis[] = {&to.x, &to.y, &to.z};
  const std::uint32_t sizes[] = {shape_.x, shape_.y, shape_.z};
  const std::uint32_t n = direction / 2;
  const std::uint32_t size = sizes[n];
  if (size < 2) return std::nullopt;
  const bool plus = direction % 2 == 0;
  if (!torus[n] && *axis[n] == (plus ? size - 1 : 0)) return std::nullopt;
  *axis[n] = (*axis[n] + (plus ? 1 : size - 1)) % size;
  return shape_.node(to);
}

ReferenceNode::Step ReferenceNode::start_reflection(std::uint32_t queue, Descriptor descriptor,
                                                    Cycles now) {
  const auto preferred = low(descriptor.get<d::header>().get<h::target>());
  const auto has_credit = [&](std::uint32_t n) {
    const Credit& credit = credits_[n];
    return static_cast<std::uint16_t>(credit.sent - credit.returned) < credit.slots;
  };
  bool configured = false;
  std::optional<std::uint32_t> chosen;
  if (preferred == kOwnReflectionQueue && credits_[kOwnReflectionQueue].slots > 0) {
    configured = true;
    if (has_credit(kOwnReflectionQueue)) chosen = kOwnReflectionQueue;
  }
  // Any direction: in turn, so that neighbours share the work.
  const std::uint32_t first = preferred < kDirections ? preferred : any_direction_++ % kDirections;
  for (std::uint32_t i = 0; i < kDirections && !chosen; ++i) {
    const std::uint32_t n = (first + i) % kDirections;
    if (!neighbour(n) || credits_[n].slots == 0) continue;
    configured = true;
    if (has_credit(n)) chosen = n;
  }
  if (!configured && credits_[kOwnReflectionQueue].slots > 0) {
    configured = true;
    if (has_credit(kOwnReflectionQueue)) chosen = kOwnReflectionQueue;
  }
  if (!configured) {
    fail(queue, descriptor, Status::kNoReflector);
    return {true, std::nullopt};
  }
  if (!chosen) {
    queues_[queue].parked = true;
    return {true, std::nullopt};
  }
  Running running{queue, descriptor, 0};
  Packet packet = build_packet(running, sizes_.descriptor_bytes, false);
  const NodeId to = *chosen == kOwnReflectionQueue ? id_ : *neighbour(*chosen);
  Credit& credit = credits_[*chosen];
  set_destination(packet.header, shape_.coordinates(to));
  packet.header.set<h::target>(*chosen == kOwnReflectionQueue ? kOwnReflectionQueue : *chosen ^ 1U);
  packet.trailer.set<t::reflected>(1).set<t::sequence_number>(credit.sent);
  // Its number is used up though it may not be read: a later one, or a query, brings the credit
  // back.
  if (credit.sent == credit.returned) credit.asked_at = now;
  ++credit.sent;
  packet.payload.resize(sizes_.descriptor_bytes);
  const Region& region = regions_[descriptor.get<d::source_region>()];
  if (!read_memory(region.base + descriptor.get<d::source_offset>(), packet.payload)) {
    fail(queue, descriptor, Status::kMemoryError);
    return {true, std::nullopt};
  }
  if (descriptor.get<d::injection_counter_valid>() != 0) {
    subtract(low(descriptor.get<d::injection_counter>()), sizes_.descriptor_bytes);
  }
  finish(queue, descriptor);
  packet.seal();
  return {true, std::move(packet)};
}

void ReferenceNode::return_credit(std::uint32_t queue, std::uint16_t number) {
  if (queue > kOwnReflectionQueue) return;
  Credit& credit = credits_[queue == kOwnReflectionQueue ? queue : queue ^ 1U];
  const auto ahead = static_cast<std::uint16_t>(number - credit.returned);
  if (ahead >= static_cast<std::uint16_t>(credit.sent - credit.returned)) return;
  credit.returned = static_cast<std::uint16_t>(number + 1);
  for (Queue& entry : queues_) entry.parked = false;
}

Cycles ReferenceNode::next_timer() const {
  Cycles next = std::min(next_send_timer(), next_fence_timer());
  if (credit_timeout_cycles_ == 0) return next;
  for (const Credit& credit : credits_) {
    if (credit.sent != credit.returned) {
      next = std::min(next, credit.asked_at + credit_timeout_cycles_);
    }
  }
  return next;
}

void ReferenceNode::run_timers(Cycles now) {
  run_send_timers(now);
  run_fence_timers(now);
  if (credit_timeout_cycles_ == 0) return;
  for (std::uint32_t n = 0; n < credits_.size(); ++n) {
    Credit& credit = credits_[n];
    if (credit.sent == credit.returned || credit.asked_at + credit_timeout_cycles_ > now) continue;
    credit.asked_at = now;
    Packet query;
    set_source(query.header, place_);
    const bool own = n == kOwnReflectionQueue;
    set_destination(query.header, shape_.coordinates(own ? id_ : *neighbour(n)));
    query.header.set<h::kind>(Kind::kCreditQuery)
        .set<h::target>(own ? n : n ^ 1U)
        .set<h::word>(static_cast<std::uint16_t>(credit.sent - 1));
    query.trailer.set<t::last>(1);
    query.seal();
    queries_.push_back(std::move(query));
  }
}

}  // namespace torusmu::model

// SPDX-License-Identifier: Apache-2.0
#include "sim/play/scenario/raw_node.h"

#include <array>
#include <stdexcept>

#include "sim/machine/mix.h"
#include "sim/machine/shape.h"

namespace torusmu {
namespace {

namespace reg = registers;
namespace field = layout::descriptor;

Descriptor to_node(Opcode opcode, Coordinates to, std::uint64_t target, Bytes offset,
                   std::uint32_t word) {
  PacketHeader header;
  header.set<layout::packet_header::dst_x>(to.x)
      .set<layout::packet_header::dst_y>(to.y)
      .set<layout::packet_header::dst_z>(to.z)
      .set<layout::packet_header::target>(target)
      .set<layout::packet_header::offset>(offset)
      .set<layout::packet_header::word>(word);
  Descriptor descriptor;
  descriptor.set<field::opcode>(opcode).set<field::header>(header);
  return descriptor;
}

// What the peer register says besides who the peer is.
std::uint64_t connected(const QueueTells& tells) {
  namespace f = reg::injection_queue::peer_field;
  std::uint64_t value = insert(0, f::connected, 1);
  if (tells.event >= 0) {
    value = insert(insert(value, f::event_valid, 1), f::event_counter,
                   static_cast<std::uint64_t>(tells.event));
  }
  if (tells.completion >= 0) {
    value = insert(insert(value, f::completion_valid, 1), f::completion_queue,
                   static_cast<std::uint64_t>(tells.completion));
  }
  return value;
}

Descriptor on_event(Opcode opcode, EventId event, std::uint32_t value) {
  namespace w = layout::wait_operation;
  return Descriptor()
      .set<field::opcode>(opcode)
      .set<field::event_valid>(1)
      .set<field::event_counter>(event.value)
      .set<field::immediate>(WaitOperation().set<w::value>(value).bytes());
}

void set_source(Descriptor& descriptor, Source from) {
  descriptor.set<field::source_region>(from.region.value)
      .set<field::source_offset>(from.offset)
      .set<field::length>(from.length);
}

void set_arrival(Descriptor& descriptor, Arrival arrival) {
  if (arrival.counter >= 0) {
    descriptor.set<field::counter_valid>(1).set<field::counter>(
        static_cast<std::uint64_t>(arrival.counter));
  }
  if (arrival.event >= 0) {
    descriptor.set<field::event_valid>(1).set<field::event_counter>(
        static_cast<std::uint64_t>(arrival.event));
  }
  descriptor.set<field::interrupt_target>(arrival.interrupt ? 1 : 0);
}

}  // namespace

// --- set-up -------------------------------------------------------------------------------------

void RawNode::open_region(RegionId region, Address base, Bytes length, RegionRights rights) {
  namespace f = reg::region::config_field;
  device_.write64(reg::region::base(region.value), base);
  device_.write64(reg::region::length(region.value), length);
  std::uint64_t config = insert(0, f::enable, 1);
  config = insert(config, f::remote_write, rights.remote_write ? 1 : 0);
  config = insert(config, f::remote_read, rights.remote_read ? 1 : 0);
  device_.write64(reg::region::config(region.value), insert(config, f::owner, client_.value));
}

void RawNode::open_queue(QueueId queue, Address base, std::uint32_t slots, QueueMode mode,
                         QueueRules rules) {
  namespace f = reg::injection_queue::config_field;
  device_.write64(reg::injection_queue::base(queue.value), base);
  device_.write64(reg::injection_queue::size(queue.value), slots);
  std::uint64_t config = insert(0, f::mode, static_cast<std::uint64_t>(mode));
  config = insert(config, f::cyclic, rules.cyclic ? 1 : 0);
  config = insert(config, f::managed, rules.managed ? 1 : 0);
  config = insert(config, f::halt_on_error, rules.halt_on_error ? 1 : 0);
  device_.write64(reg::injection_queue::config(queue.value),
                  insert(config, f::owner, client_.value));
}

void RawNode::connect(QueueId queue, Coordinates peer, QueueId peer_queue, QueueTells tells) {
  namespace f = reg::injection_queue::peer_field;
  const std::uint64_t node = insert(insert(insert(0, f::x, peer.x), f::y, peer.y), f::z, peer.z);
  device_.write64(reg::injection_queue::peer(queue.value),
                  insert(node | connected(tells), f::queue, peer_queue.value));
}

void RawNode::connect_dynamically(QueueId queue, QueueTells tells) {
  namespace f = reg::injection_queue::peer_field;
  device_.write64(reg::injection_queue::peer(queue.value), insert(connected(tells), f::dynamic, 1));
}

void RawNode::open_completion_queue(CompletionQueueId queue, Address base, std::uint32_t entries,
                                    CompletionRules rules) {
  namespace f = reg::completion_queue::config_field;
  device_.write64(reg::completion_queue::config(queue.value), 0);
  device_.write64(reg::completion_queue::base(queue.value), base);
  device_.write64(reg::completion_queue::size(queue.value), entries);
  std::uint64_t config = insert(insert(0, f::enable, 1), f::owner, client_.value);
  config = insert(config, f::interrupt, rules.interrupt ? 1 : 0);
  config = insert(config, f::overwrite, rules.overwrite ? 1 : 0);
  device_.write64(reg::completion_queue::config(queue.value), config);
}

void RawNode::open_fifo(FifoId fifo, Address base, std::uint32_t slots, bool interrupt) {
  namespace f = reg::reception_fifo::config_field;
  device_.write64(reg::reception_fifo::base(fifo.value), base);
  device_.write64(reg::reception_fifo::size(fifo.value), slots);
  std::uint64_t config = insert(0, f::enable, 1);
  config = insert(config, f::interrupt, interrupt ? 1 : 0);
  device_.write64(reg::reception_fifo::config(fifo.value), insert(config, f::owner, client_.value));
}

void RawNode::open_notices(Address base, std::uint32_t entries) {
  device_.write64(reg::notice_ring::base(client_.value), base);
  device_.write64(reg::notice_ring::size(client_.value), entries);
}

void RawNode::open_counter(CounterId counter, bool interrupt) {
  namespace f = reg::byte_counter_config::config_field;
  std::uint64_t config = insert(0, f::enable, 1);
  config = insert(config, f::interrupt, interrupt ? 1 : 0);
  device_.write64(reg::byte_counter_config::config(counter.value),
                  insert(config, f::owner, client_.value));
}

void RawNode::open_event(EventId event) {
  namespace f = reg::event_counter_config::config_field;
  device_.write64(reg::event_counter_config::config(event.value),
                  insert(insert(0, f::enable, 1), f::owner, client_.value));
}

void RawNode::set_reflection_credit(unsigned direction, std::uint32_t slots) {
  device_.write64(reg::reflection::credit(direction),
                  insert(0, reg::reflection::credit_field::slots, slots));
}

void RawNode::open_reflections(Address rings, std::uint32_t slots) {
  constexpr unsigned kThisNode = 6;
  const Shape shape = device_.shape();
  const NodeId self = device_.node();
  for (unsigned d = 0; d <= kThisNode; ++d) {
    open_queue({d}, rings + Bytes{64} * slots * d, slots, QueueMode::kReflection);
    // A direction without a neighbour of its own has nobody who could reflect.
    const NodeId next = d == kThisNode ? self : neighbour(shape, self, d);
    const bool somebody = d == kThisNode || (next.value < shape.nodes() && next != self);
    set_reflection_credit(d, somebody ? slots : 0);
  }
}

void RawNode::enable_interrupts(std::span<const Cause> causes) {
  std::uint64_t enable = 0;
  for (const Cause cause : causes) enable |= std::uint64_t{1} << static_cast<unsigned>(cause);
  device_.write64(reg::client_page::interrupt_enable(client_.value), enable);
}

// --- the client's page
// ----------------------------------------------------------------------------

void RawNode::preload(CounterId counter, Bytes bytes) {
  device_.write64(reg::client_page::byte_counter(client_.value, counter.value), bytes);
}
std::uint64_t RawNode::read_counter(CounterId counter) {
  return device_.read64(reg::client_page::byte_counter(client_.value, counter.value));
}
std::uint32_t RawNode::read_event(EventId event) {
  return device_.read32(reg::client_page::event_counter(client_.value, event.value));
}
void RawNode::ring_doorbell(QueueId queue, std::uint32_t tail) {
  device_.write32(reg::client_page::queue_index(client_.value, queue.value), tail);
}
std::uint32_t RawNode::queue_head(QueueId queue) {
  return device_.read32(reg::client_page::queue_index(client_.value, queue.value));
}
std::uint32_t RawNode::completion_tail(CompletionQueueId queue) {
  return device_.read32(reg::client_page::completion_index(client_.value, queue.value));
}
std::vector<CompletionEntry> RawNode::completions(CompletionQueueId queue, Address ring,
                                                  std::uint32_t count, Cycles deadline) {
  std::uint32_t tail = completion_tail(queue);
  while (tail < count && device_.now() < deadline) tail = completion_tail(queue);
  std::vector<CompletionEntry> entries;
  for (std::uint32_t i = 0; i < tail; ++i) {
    std::array<std::uint8_t, CompletionEntry::kBytes> bytes{};
    device_.load(ring + i * bytes.size(), std::as_writable_bytes(std::span(bytes)));
    entries.push_back(CompletionEntry::from_bytes(bytes));
  }
  return entries;
}
void RawNode::set_completion_head(CompletionQueueId queue, std::uint32_t head) {
  device_.write32(reg::client_page::completion_index(client_.value, queue.value), head);
}
std::uint32_t RawNode::fifo_tail(FifoId fifo) {
  return device_.read32(reg::client_page::fifo_index(client_.value, fifo.value));
}
void RawNode::set_fifo_head(FifoId fifo, std::uint32_t head) {
  device_.write32(reg::client_page::fifo_index(client_.value, fifo.value), head);
}
std::uint64_t RawNode::causes() {
  return extract(device_.read64(reg::client_page::interrupt_cause(client_.value)),
                 reg::client_page::interrupt_cause_field::causes);
}
void RawNode::clear_causes(std::uint64_t causes) {
  device_.write64(reg::client_page::interrupt_cause(client_.value), causes);
}
Status RawNode::queue_status(QueueId queue) {
  const std::uint64_t value = device_.read64(reg::injection_queue::status(queue.value));
  return static_cast<Status>(extract(value, reg::injection_queue::status_field::status));
}

void RawNode::write_descriptor(Address ring, std::uint32_t slots, std::uint32_t index,
                               const Descriptor& descriptor) {
  const auto bytes = descriptor.bytes();
  device_.store(ring + Address{index % slots} * bytes.size(), std::as_bytes(std::span(bytes)));
}

// --- descriptors
// --------------------------------------------------------------------------------------

Descriptor put_descriptor(Coordinates to, Source from, RegionId region, Bytes offset,
                          Arrival arrival) {
  Descriptor descriptor = to_node(Opcode::kPut, to, region.value, offset, 0);
  set_source(descriptor, from);
  set_arrival(descriptor, arrival);
  return descriptor;
}

Descriptor immediate_put(Coordinates to, std::span<const std::byte> data, RegionId region,
                         Bytes offset, Arrival arrival) {
  if (data.empty() || data.size() > 16) throw std::invalid_argument("1 to 16 immediate bytes");
  Descriptor descriptor = to_node(Opcode::kPut, to, region.value, offset, 0);
  std::array<std::uint8_t, 16> bytes{};
  for (std::size_t i = 0; i < data.size(); ++i) bytes[i] = std::to_integer<std::uint8_t>(data[i]);
  descriptor.set<field::immediate_valid>(1)
      .set<field::length>(data.size())
      .set<field::immediate>(bytes);
  set_arrival(descriptor, arrival);
  return descriptor;
}

Descriptor increment_descriptor(Coordinates to, RegionId region, EventId event) {
  Descriptor descriptor = to_node(Opcode::kPut, to, region.value, 0, 0);
  set_arrival(descriptor, {.event = static_cast<int>(event.value)});
  return descriptor.set<field::immediate_valid>(1);
}

Descriptor fifo_descriptor(Coordinates to, Source from, FifoId fifo, std::uint32_t word,
                           Arrival arrival) {
  Descriptor descriptor = to_node(Opcode::kFifo, to, fifo.value, 0, word);
  set_source(descriptor, from);
  set_arrival(descriptor, arrival);
  return descriptor;
}

Descriptor get_descriptor(Coordinates to, RegionId region, Bytes offset, std::uint32_t count,
                          QueueId queue) {
  Descriptor descriptor = to_node(Opcode::kGet, to, queue.value, 0, 0);
  set_source(descriptor, {region, offset, Bytes{64} * count});
  return descriptor;
}

Descriptor reflect_descriptor(RegionId region, Bytes offset, unsigned direction) {
  Descriptor descriptor = to_node(Opcode::kGet, {0, 0, 0}, direction, 0, 0);
  set_source(descriptor, {region, offset, 64});
  descriptor.set<field::reflect>(1);
  return descriptor;
}

Descriptor send_descriptor(Source from, std::uint32_t word, Arrival arrival) {
  return dynamic_send_descriptor({0, 0, 0}, {0}, from, word, arrival);
}

Descriptor dynamic_send_descriptor(Coordinates to, QueueId queue, Source from, std::uint32_t word,
                                   Arrival arrival) {
  Descriptor descriptor = to_node(Opcode::kSend, to, queue.value, 0, word);
  set_source(descriptor, from);
  set_arrival(descriptor, arrival);
  return descriptor;
}

Descriptor receive_descriptor(Source into) {
  Descriptor descriptor = to_node(Opcode::kReceive, {0, 0, 0}, 0, 0, 0);
  set_source(descriptor, into);
  return descriptor;
}

Descriptor pipe_descriptor(Source buffers, PipeOf what, std::uint32_t word, Arrival arrival) {
  namespace p = layout::pipe_operation;
  Descriptor descriptor = to_node(Opcode::kPipe, {0, 0, 0}, 0, 0, word);
  set_source(descriptor, buffers);
  set_arrival(descriptor, arrival);
  return descriptor.set<field::immediate>(PipeOperation()
                                              .set<p::messages>(what.messages)
                                              .set<p::receive_queue>(what.receive_queue.value)
                                              .set<p::buffer_bytes>(what.buffer_bytes)
                                              .bytes());
}

Descriptor pipe_through(Source list, PipeOf what, std::uint32_t word, Arrival arrival) {
  namespace p = layout::pipe_operation;
  return pipe_descriptor(list, {}, word, arrival)
      .set<field::immediate>(PipeOperation()
                                 .set<p::messages>(what.messages)
                                 .set<p::receive_queue>(what.receive_queue.value)
                                 .set<p::listed>(1)
                                 .bytes());
}

std::vector<std::byte> list_of(std::span<const Source> buffers) {
  namespace b = layout::pipe_buffer;
  std::vector<std::byte> list;
  for (const Source& buffer : buffers) {
    const auto entry = PipeBuffer()
                           .set<b::region>(buffer.region.value)
                           .set<b::offset>(buffer.offset)
                           .set<b::bytes>(buffer.length)
                           .bytes();
    const auto view = std::as_bytes(std::span(entry));
    list.insert(list.end(), view.begin(), view.end());
  }
  return list;
}

Descriptor pipe_from(Source source, std::uint32_t piece_bytes, std::uint32_t word,
                     Arrival arrival) {
  namespace p = layout::pipe_operation;
  return pipe_descriptor(source, {}, word, arrival)
      .set<field::immediate>(
          PipeOperation().set<p::buffer_bytes>(piece_bytes).set<p::origin>(1).bytes());
}

Descriptor pipe_into(Source into, QueueId receive_queue, std::uint32_t piece_bytes) {
  namespace p = layout::pipe_operation;
  return pipe_descriptor(into, {}, 0)
      .set<field::immediate>(PipeOperation()
                                 .set<p::buffer_bytes>(piece_bytes)
                                 .set<p::receive_queue>(receive_queue.value)
                                 .set<p::target>(1)
                                 .bytes());
}

Descriptor wait_for_queue(QueueId queue, std::uint32_t count, std::uint32_t step) {
  namespace w = layout::wait_operation;
  return to_node(Opcode::kWait, {0, 0, 0}, queue.value, 0, 0)
      .set<field::on_queue>(1)
      .set<field::immediate>(WaitOperation().set<w::value>(count).set<w::step>(step).bytes());
}

Descriptor wait_for_event(EventId event, std::uint32_t count) {
  return on_event(Opcode::kWait, event, count);
}

Descriptor add_to_event(EventId event, std::uint32_t count) {
  return on_event(Opcode::kCtrAdd, event, count);
}

Descriptor wait_for_completions(CompletionQueueId queue, std::uint32_t count) {
  constexpr std::uint32_t kFirst = 128;  // targets of a WAIT from here on are completion queues
  return wait_for_queue({kFirst + queue.value}, count);
}

Descriptor enable_receives(QueueId queue, std::uint32_t count, bool absolute) {
  namespace w = layout::wait_operation;
  return to_node(Opcode::kRecvEn, {0, 0, 0}, queue.value, 0, 0)
      .set<field::relative>(absolute ? 0 : 1)
      .set<field::immediate>(WaitOperation().set<w::value>(count).bytes());
}

std::byte pattern_byte(std::uint64_t seed, std::uint64_t i) {
  return static_cast<std::byte>(mix(seed * 0x10001 + i / 8) >> i % 8 * 8);
}

std::vector<std::byte> pattern(std::uint64_t seed, Bytes length) {
  std::vector<std::byte> bytes(length);
  for (Bytes i = 0; i < length; ++i) bytes[i] = pattern_byte(seed, i);
  return bytes;
}

}  // namespace torusmu

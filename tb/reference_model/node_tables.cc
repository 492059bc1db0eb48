// SPDX-License-Identifier: Apache-2.0
// The privileged tables of the reference node: queues, FIFOs, counters, regions, touch ranges,
// notice rings, reflection credits.
#include <array>
#include <bit>
#include <cstring>
#include <span>

#include "tb/reference_model/node_model.h"

namespace torusmu::model {
namespace {

constexpr std::uint64_t kMostSlots = std::uint64_t{1} << 24;
constexpr std::uint64_t kMostNotices = std::uint64_t{1} << 16;
constexpr std::uint64_t kMostRegionBytes = std::uint64_t{1} << 37;
constexpr Bytes kMostReported = 512;  // of an access of a core

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

// What a configuration register may hold: its known fields, with an owner that exists.
bool is_config(std::uint64_t data, std::uint64_t mask, std::uint64_t owner, std::uint32_t clients) {
  return (data & ~mask) == 0 && owner < clients;
}

// Rings have powers of two of slots.
bool is_ring(std::uint64_t slots, std::uint64_t least, std::uint64_t most) {
  return std::has_single_bit(slots) && slots >= least && slots <= most;
}

// True if a ring ends inside the address space.
bool ring_fits(Address base, std::uint64_t slots, Bytes slot_bytes = kSim.fifo_slot_bytes) {
  return base + slots * slot_bytes <= std::uint64_t{1} << kSim.address_bits;
}

constexpr std::uint64_t bit_mask(unsigned lsb, unsigned width) {
  return ((std::uint64_t{1} << width) - 1) << lsb;
}
template <typename Owner>
constexpr std::uint64_t mask_of(Field<Owner> field) {
  return bit_mask(field.lsb, field.width);
}

}  // namespace

ReferenceNode::Answer ReferenceNode::write_table(const Decoded& where, std::uint64_t data) {
  const bool is_address = data >> sizes_.address_bits == 0;
  switch (where.name) {
    case RegisterName::injection_queue__base:
      if (!is_address || queues_[where.block].mode() != QueueMode::kOff) {
        return {Status::kRegisterValue};
      }
      queues_[where.block].base = data;
      return {};
    case RegisterName::injection_queue__size:
      if (!is_ring(data, 1, kMostSlots) || queues_[where.block].mode() != QueueMode::kOff) {
        return {Status::kRegisterValue};
      }
      queues_[where.block].size = data;
      return {};
    case RegisterName::injection_queue__config:
      return {configure_queue(where.block, data)};
    case RegisterName::injection_queue__peer:
      return {configure_peer(where.block, data)};
    case RegisterName::reception_fifo__base:
      if (!is_address || fifos_[where.block].enabled()) return {Status::kRegisterValue};
      fifos_[where.block].base = data;
      return {};
    case RegisterName::reception_fifo__size:
      if (!is_ring(data, kFewestFifoSlots, kMostSlots) || fifos_[where.block].enabled()) {
        return {Status::kRegisterValue};
      }
      fifos_[where.block].size = data;
      return {};
    case RegisterName::reception_fifo__threshold:
      if (data > kMostSlots) return {Status::kRegisterValue};
      fifos_[where.block].threshold = data;
      return {};
    case RegisterName::reception_fifo__config:
      return {configure_fifo(where.block, data)};
    case RegisterName::byte_counter_config__config: {
      namespace field = registers::byte_counter_config::config_field;
      if (!is_config(data,
                     mask_of(field::owner) | mask_of(field::enable) | mask_of(field::interrupt),
                     extract(data, field::owner), sizes_.clients)) {
        return {Status::kRegisterValue};
      }
      bytes_[where.block].config = data;
      return {};
    }
    case RegisterName::event_counter_config__config: {
      namespace field = registers::event_counter_config::config_field;
      if (!is_config(data, mask_of(field::owner) | mask_of(field::enable),
                     extract(data, field::owner), sizes_.clients)) {
        return {Status::kRegisterValue};
      }
      events_[where.block].config = data;
      return {};
    }
    case RegisterName::completion_queue__base:
    case RegisterName::completion_queue__size:
    case RegisterName::completion_queue__config:
      return write_completion_queue(where, data);
    default:
      return write_ranges(where, data);
  }
}

Status ReferenceNode::configure_queue(std::uint32_t queue, std::uint64_t data) {
  namespace field = registers::injection_queue::config_field;
  const std::uint64_t mask = mask_of(field::mode) | mask_of(field::owner) |
                             mask_of(field::halt_on_error) | mask_of(field::cyclic) |
                             mask_of(field::managed);
  const auto mode = static_cast<QueueMode>(extract(data, field::mode));
  const bool loops = extract(data, field::cyclic) != 0 || extract(data, field::managed) != 0;
  if (!is_config(data, mask, extract(data, field::owner), sizes_.clients) ||
      mode > QueueMode::kPiped ||
      (loops && mode != QueueMode::kDoorbell && mode != QueueMode::kReceive) ||
      (mode == QueueMode::kReflection && queue >= sizes_.reflection_queues)) {
    return Status::kRegisterValue;
  }
  Queue& entry = queues_[queue];
  if (mode != QueueMode::kOff &&
      (entry.size == 0 || !ring_fits(entry.base, entry.size, Descriptor::kBytes))) {
    return Status::kRegisterValue;
  }
  if (running_ && running_->queue == queue) running_.reset();
  flush(queue);
  const Queue fresh;
  const Address base = entry.base;
  const std::uint64_t size = entry.size;
  const std::uint64_t peer = entry.peer;
  if (entry.dynamic()) forget_sends(queue);  // what was under way keeps its number
  const std::uint32_t number = entry.dynamic() ? entry.number : 0;
  entry = fresh;
  entry.base = base;
  entry.size = size;
  entry.peer = peer;
  entry.number = number;
  entry.config = data;
  return Status::kOk;
}

Status ReferenceNode::configure_peer(std::uint32_t queue, std::uint64_t data) {
  namespace field = registers::injection_queue::peer_field;
  const std::uint64_t mask = mask_of(field::x) | mask_of(field::y) | mask_of(field::z) |
                             mask_of(field::queue) | mask_of(field::connected) |
                             mask_of(field::dynamic) | mask_of(field::event_valid) |
                             mask_of(field::event_counter) | mask_of(field::completion_valid) |
                             mask_of(field::completion_queue);
  if ((data & ~mask) != 0 || extract(data, field::x) >= shape_.x ||
      extract(data, field::y) >= shape_.y || extract(data, field::z) >= shape_.z ||
      extract(data, field::queue) >= sizes_.injection_queues ||
      queues_[queue].mode() != QueueMode::kOff) {
    return Status::kRegisterValue;
  }
  queues_[queue].peer = data;
  return Status::kOk;
}

Status ReferenceNode::configure_fifo(std::uint32_t fifo, std::uint64_t data) {
  namespace field = registers::reception_fifo::config_field;
  const std::uint64_t mask = mask_of(field::enable) | mask_of(field::reply_only) |
                             mask_of(field::interrupt) | mask_of(field::boot) |
                             mask_of(field::owner) | mask_of(field::keeps) | mask_of(field::keeper);
  if (!is_config(data, mask, extract(data, field::owner), sizes_.clients)) {
    return Status::kRegisterValue;
  }
  Fifo& entry = fifos_[fifo];
  if (extract(data, field::enable) != 0 &&
      (entry.size < kFewestFifoSlots || !ring_fits(entry.base, entry.size))) {
    return Status::kRegisterValue;
  }
  const bool boots = extract(data, field::boot) != 0;
  const bool keeps = extract(data, field::keeps) != 0;
  const bool reply_only = extract(data, field::reply_only) != 0;
  if (int{boots} + int{keeps} + int{reply_only} > 1 ||
      (keeps && extract(data, field::enable) == 0) ||
      extract(data, field::keeper) >= sizes_.reception_fifos) {
    return Status::kRegisterValue;
  }
  entry.config = data;
  entry.head = entry.tail = entry.refused = 0;
  entry.refusing = entry.holding = false;
  configure_boot_buffers(fifo);
  return Status::kOk;
}

ReferenceNode::Answer ReferenceNode::write_completion_queue(const Decoded& where,
                                                            std::uint64_t data) {
  namespace field = registers::completion_queue::config_field;
  CompletionQueue& entry = completions_[where.block];
  if (where.name == RegisterName::completion_queue__base) {
    if (data >> sizes_.address_bits != 0 || entry.enabled()) return {Status::kRegisterValue};
    entry.base = data;
    return {};
  }
  if (where.name == RegisterName::completion_queue__size) {
    if (!is_ring(data, 1, kMostSlots) || entry.enabled()) return {Status::kRegisterValue};
    entry.size = data;
    return {};
  }
  const std::uint64_t mask = mask_of(field::enable) | mask_of(field::overwrite) |
                             mask_of(field::interrupt) | mask_of(field::owner);
  if (!is_config(data, mask, extract(data, field::owner), sizes_.clients) ||
      (extract(data, field::enable) != 0 &&
       (entry.size == 0 || !ring_fits(entry.base, entry.size, sizes_.completion_bytes)))) {
    return {Status::kRegisterValue};
  }
  entry.config = data;
  entry.head = entry.tail = entry.lost = 0;
  return {};
}

Status ReferenceNode::configure_class(std::uint32_t number, std::uint64_t data) {
  namespace c = registers::tree_class::config_field;
  TreeClass& tree = classes_[number];
  const std::uint64_t known = mask_of(c::parent) | mask_of(c::left) | mask_of(c::right) |
                              mask_of(c::arrives) | mask_of(c::released) | mask_of(c::any) |
                              mask_of(c::interrupt) | mask_of(c::owner) | mask_of(c::members) |
                              mask_of(c::arrive_counter) | mask_of(c::release_counter) |
                              mask_of(c::forget);
  const std::uint64_t arrives_by = extract(data, c::arrive_counter);
  const std::uint64_t releases_by = extract(data, c::release_counter);
  const bool both = extract(data, c::arrives) != 0 && extract(data, c::released) != 0;
  if ((data & ~known) != 0 || extract(data, c::owner) >= sizes_.clients ||
      arrives_by >= events_.size() || releases_by >= events_.size() ||
      (both && arrives_by == releases_by)) {
    return Status::kRegisterValue;
  }
  if (extract(data, c::forget) != 0) tree = {};
  tree.config = insert(data, c::forget, 0);
  combine_arrivals(number);
  return Status::kOk;
}

ReferenceNode::Answer ReferenceNode::write_ranges(const Decoded& where, std::uint64_t data) {
  const bool is_address = data >> sizes_.address_bits == 0;
  switch (where.name) {
    case RegisterName::region__base:
      if (!is_address) return {Status::kRegisterValue};
      regions_[where.block].base = data;
      return {};
    case RegisterName::region__length:
      if (data > kMostRegionBytes) return {Status::kRegisterValue};
      regions_[where.block].length = data;
      return {};
    case RegisterName::region__config: {
      namespace field = registers::region::config_field;
      if (!is_config(data,
                     mask_of(field::enable) | mask_of(field::remote_write) |
                         mask_of(field::remote_read) | mask_of(field::owner),
                     extract(data, field::owner), sizes_.clients)) {
        return {Status::kRegisterValue};
      }
      regions_[where.block].config = data;
      return {};
    }
    case RegisterName::touch_range__base:
      if (!is_address) return {Status::kRegisterValue};
      touches_[where.block].base = data;
      touch_hits_ &= ~(std::uint64_t{1} << where.block);
      return {};
    case RegisterName::touch_range__length:
      if (data > std::uint64_t{1} << sizes_.address_bits) return {Status::kRegisterValue};
      touches_[where.block].length = data;
      touch_hits_ &= ~(std::uint64_t{1} << where.block);
      return {};
    case RegisterName::touch_range__config: {
      namespace field = registers::touch_range::config_field;
      if (!is_config(data,
                     mask_of(field::enable) | mask_of(field::on_read) | mask_of(field::on_write) |
                         mask_of(field::on_core_read) | mask_of(field::on_core_write) |
                         mask_of(field::owner),
                     extract(data, field::owner), sizes_.clients)) {
        return {Status::kRegisterValue};
      }
      touches_[where.block].config = data;
      touch_hits_ &= ~(std::uint64_t{1} << where.block);
      return {};
    }
    case RegisterName::core_access__report: {
      namespace field = registers::core_access::report_field;
      const Bytes bytes = extract(data, field::bytes);
      const std::uint64_t known =
          mask_of(field::address) | mask_of(field::bytes) | mask_of(field::write);
      if ((data & ~known) != 0 || bytes == 0 || bytes > kMostReported) {
        return {Status::kRegisterValue};
      }
      touch(extract(data, field::address), bytes, extract(data, field::write) != 0, true);
      return {};
    }
    case RegisterName::tree_class__config:
      return {configure_class(where.block, data)};
    case RegisterName::notice_ring__base:
      if (!is_address || !ring_fits(data, notices_[where.block].size)) {
        return {Status::kRegisterValue};
      }
      notices_[where.block].base = data;
      return {};
    case RegisterName::notice_ring__size: {
      NoticeRing& ring = notices_[where.block];
      const bool is_legal = data == 0 || is_ring(data, 1, kMostNotices);
      if (!is_legal || !ring_fits(ring.base, data)) return {Status::kRegisterValue};
      ring.size = data;
      ring.head = ring.tail = 0;
      ring.overflow = ring.shown = false;
      return {};
    }
    case RegisterName::notice_ring__config:
      if (data > 1) return {Status::kRegisterValue};
      notices_[where.block].tells_discards = data != 0;
      return {};
    case RegisterName::boot__expected:
      return {open_boot_buffers(data)};
    case RegisterName::unit_memory__word: {
      std::array<std::byte, 8> bytes{};
      std::memcpy(bytes.data(), &data, bytes.size());
      unit_memory_.write(Address{8} * where.block, bytes);
      return {};
    }
    case RegisterName::reflection__credit: {
      if (data > 0xFF) return {Status::kRegisterValue};
      credits_[where.block] = Credit{};
      credits_[where.block].slots = data;
      for (Queue& queue : queues_) queue.parked = false;
      return {};
    }
    default:
      return {Status::kRegisterUnknown};
  }
}

ReferenceNode::Answer ReferenceNode::read_table(const Decoded& where) {
  const std::uint32_t n = where.block;
  switch (where.name) {
    case RegisterName::injection_queue__base:
      return {Status::kOk, queues_[n].base};
    case RegisterName::injection_queue__size:
      return {Status::kOk, queues_[n].size};
    case RegisterName::injection_queue__config:
      return {Status::kOk, queues_[n].config};
    case RegisterName::injection_queue__head:
      return {Status::kOk, low(queues_[n].head)};
    case RegisterName::injection_queue__tail:
      return {Status::kOk, low(queues_[n].tail)};
    case RegisterName::injection_queue__limit:
      return {Status::kOk, queues_[n].limit};
    case RegisterName::injection_queue__peer:
      return {Status::kOk, queues_[n].peer};
    case RegisterName::completion_queue__base:
      return {Status::kOk, completions_[n].base};
    case RegisterName::completion_queue__size:
      return {Status::kOk, completions_[n].size};
    case RegisterName::completion_queue__config:
      return {Status::kOk, completions_[n].config};
    case RegisterName::completion_queue__head:
      return {Status::kOk, low(completions_[n].head)};
    case RegisterName::completion_queue__tail:
      return {Status::kOk, low(completions_[n].tail)};
    case RegisterName::completion_queue__status:
      return {Status::kOk, completions_[n].lost};
    case RegisterName::injection_queue__status: {
      namespace field = registers::injection_queue::status_field;
      const Queue& queue = queues_[n];
      return {
          Status::kOk,
          insert(insert(insert(insert(0, field::status, static_cast<std::uint64_t>(queue.status)),
                               field::halted, queue.halted),
                        field::count, queue.errors),
                 field::index, queue.error_index)};
    }
    case RegisterName::reception_fifo__base:
      return {Status::kOk, fifos_[n].base};
    case RegisterName::reception_fifo__size:
      return {Status::kOk, fifos_[n].size};
    case RegisterName::reception_fifo__config:
      return {Status::kOk, fifos_[n].config};
    case RegisterName::reception_fifo__threshold:
      return {Status::kOk, fifos_[n].threshold};
    case RegisterName::reception_fifo__head:
      return {Status::kOk, low(fifos_[n].head)};
    case RegisterName::reception_fifo__tail:
      return {Status::kOk, low(fifos_[n].tail)};
    case RegisterName::reception_fifo__refused:
      return {Status::kOk, fifos_[n].refused};
    case RegisterName::byte_counter_config__config:
      return {Status::kOk, bytes_[n].config};
    case RegisterName::event_counter_config__config:
      return {Status::kOk, events_[n].config};
    case RegisterName::region__base:
      return {Status::kOk, regions_[n].base};
    case RegisterName::region__length:
      return {Status::kOk, regions_[n].length};
    case RegisterName::region__config:
      return {Status::kOk, regions_[n].config};
    case RegisterName::touch_range__base:
      return {Status::kOk, touches_[n].base};
    case RegisterName::touch_range__length:
      return {Status::kOk, touches_[n].length};
    case RegisterName::touch_range__config:
      return {Status::kOk, touches_[n].config};
    case RegisterName::tree_class__config:
      return {Status::kOk, classes_[n].config};
    case RegisterName::tree_class__state:
      return {Status::kOk, state_of_class(n)};
    case RegisterName::notice_ring__base:
      return {Status::kOk, notices_[n].base};
    case RegisterName::notice_ring__size:
      return {Status::kOk, notices_[n].size};
    case RegisterName::notice_ring__config:
      return {Status::kOk, notices_[n].tells_discards};
    case RegisterName::performance__packets:
    case RegisterName::performance__flits:
    case RegisterName::performance__stalls:
      return {};
    case RegisterName::boot__expected:
      return {Status::kOk, expected_};
    case RegisterName::unit_memory__word: {
      std::uint64_t word = 0;
      unit_memory_.read(Address{8} * where.block, std::as_writable_bytes(std::span(&word, 1)));
      return {Status::kOk, word};
    }
    case RegisterName::reflection__credit: {
      namespace field = registers::reflection::credit_field;
      const Credit& credit = credits_[n];
      return {Status::kOk,
              insert(insert(insert(0, field::slots, credit.slots), field::sent, credit.sent),
                     field::returned, credit.returned)};
    }
    default:
      return {Status::kRegisterUnknown};
  }
}

}  // namespace torusmu::model

// SPDX-License-Identifier: Apache-2.0
// Register accesses of the reference node: doorbell pages and the node block. The tables that set
// up queues, FIFOs, counters and regions are in node_tables.cc.
#include <algorithm>

#include "tb/reference_model/node_model.h"

namespace torusmu::model {
namespace {

namespace page_status = registers::client_page::page_status_field;
namespace push_status = registers::client_page::push_status_field;

constexpr std::uint32_t kPageBytes = registers::client_page::kStride;
constexpr std::uint64_t kCauseMask = 0xFF;  // enum cause
constexpr std::uint64_t kMostErrors = 0xFFFF;
constexpr std::uint64_t kMostRetryCycles = std::uint64_t{1} << 24;

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }

}  // namespace

ReferenceNode::Answer ReferenceNode::write(std::uint32_t address, std::uint64_t data, bool wide) {
  const bool in_page = address / kPageBytes < sizes_.clients;
  const auto where = decode(address, sizes_);
  Answer answer;
  if (!where || where->access == registers::Access::RO) {
    answer.status = Status::kRegisterUnknown;
  } else if (wide != (where->bytes == 8)) {
    answer.status = Status::kRegisterPartial;
  } else {
    if (!wide) data = low(data);
    answer = in_page ? write_page(*where, data) : write_privileged(*where, data);
  }
  if (answer.status != Status::kOk) {
    if (in_page) {
      record_page_error(address / kPageBytes, answer.status);
    } else {
      if (register_errors_ == 0) {
        register_status_ = answer.status;
        register_address_ = address;
      }
      register_errors_ = std::min(register_errors_ + 1, kMostErrors);
    }
  }
  return answer;
}

ReferenceNode::Answer ReferenceNode::read(std::uint32_t address) {
  const bool in_page = address / kPageBytes < sizes_.clients;
  const auto where = decode(address, sizes_);
  Answer answer;
  if (!where || where->access == registers::Access::WO) {
    answer.status = Status::kRegisterUnknown;
  } else {
    answer = in_page ? read_page(*where) : read_privileged(*where);
  }
  if (answer.status != Status::kOk) {
    answer.data = 0;
    if (in_page) {
      record_page_error(address / kPageBytes, answer.status);
    } else {
      if (register_errors_ == 0) {
        register_status_ = answer.status;
        register_address_ = address;
      }
      register_errors_ = std::min(register_errors_ + 1, kMostErrors);
    }
  }
  return answer;
}

void ReferenceNode::record_page_error(std::uint32_t client, Status status) {
  Page& page = pages_[client];
  if (page.errors == 0) page.status = status;
  page.errors = std::min(page.errors + 1, kMostErrors);
  raise(client, Cause::kError);
}

// --- doorbell pages -----------------------------------------------------------------------------

ReferenceNode::Answer ReferenceNode::write_page(const Decoded& where, std::uint64_t data) {
  const std::uint32_t client = where.block;
  Page& page = pages_[client];
  switch (where.name) {
    case RegisterName::client_page__queue_index:
      return {ring_doorbell(client, where.copy, low(data))};
    case RegisterName::client_page__fifo_index:
      return {move_fifo_head(client, where.copy, low(data))};
    case RegisterName::client_page__completion_index:
      return {move_completion_head(client, where.copy, low(data))};
    case RegisterName::client_page__push_data:
      // Word 0 starts anew, the others come in order; the last may be tried again.
      if (where.copy != 0 && where.copy != page.push_next) return {Status::kRegisterPartial};
      page.push_words[where.copy] = data;
      page.push_next = std::min<std::uint32_t>(where.copy + 1, 7);
      return {where.copy == 7 ? push(client) : Status::kOk};
    case RegisterName::client_page__push_queue:
      if (data >= sizes_.injection_queues) return {Status::kRegisterValue};
      page.push_queue = data;
      return {};
    case RegisterName::client_page__interrupt_cause:
      page.causes &= ~data;
      return {};
    case RegisterName::client_page__interrupt_enable:
      if ((data & ~kCauseMask) != 0) return {Status::kRegisterValue};
      page.enables = data;
      return {};
    case RegisterName::client_page__notice_head: {
      NoticeRing& ring = notices_[client];
      const std::uint32_t ahead = low(data) - low(ring.head);
      if (data >> 32 != 0) return {Status::kRegisterValue};
      if (ahead > ring.tail - ring.head) return {Status::kDoorbellRange};
      ring.head += ahead;
      ring.overflow = ring.overflow && !ring.shown;
      ring.shown = false;
      return {};
    }
    case RegisterName::client_page__touch_hits:
      touch_hits_ &= ~(data & touch_hits_of(client));
      return {};
    case RegisterName::client_page__event_counter: {
      const EventCounter& counter = events_[where.copy];
      if (!counter.enabled() || counter.owner() != client) return {Status::kCounterInvalid};
      if (is_waited_for(where.copy)) return {Status::kCounterWaited};
      set_event(where.copy, low(data));
      return {};
    }
    case RegisterName::client_page__byte_counter: {
      ByteCounter& counter = bytes_[where.copy];
      if (!counter.enabled() || counter.owner() != client) return {Status::kCounterInvalid};
      if (!fits(registers::client_page::byte_counter_field::remaining, data)) {
        return {Status::kRegisterValue};
      }
      counter.remaining = data;
      counter.hit_zero = false;
      counter.underflow = false;
      return {};
    }
    default:
      return {Status::kRegisterUnknown};
  }
}

ReferenceNode::Answer ReferenceNode::read_page(const Decoded& where) {
  const std::uint32_t client = where.block;
  const Page& page = pages_[client];
  switch (where.name) {
    case RegisterName::client_page__queue_index: {
      const Queue& queue = queues_[where.copy];
      if (queue.mode() == QueueMode::kOff || queue.owner() != client) {
        return {Status::kDoorbellOwner};
      }
      return {Status::kOk, low(queue.head)};
    }
    case RegisterName::client_page__fifo_index: {
      const Fifo& fifo = fifos_[where.copy];
      if (!fifo.enabled() || fifo.owner() != client) return {Status::kFifoInvalid};
      return {Status::kOk, low(fifo.tail)};
    }
    case RegisterName::client_page__completion_index: {
      if (!is_own_completion_queue(where.copy, client)) return {Status::kDoorbellOwner};
      return {Status::kOk, low(completions_[where.copy].tail)};
    }
    case RegisterName::client_page__push_queue:
      return {Status::kOk, page.push_queue};
    case RegisterName::client_page__push_status:
      return {Status::kOk,
              insert(insert(0, push_status::accepted, page.pushes), push_status::status,
                     static_cast<std::uint64_t>(page.push_status))};
    case RegisterName::client_page__interrupt_cause:
      return {Status::kOk, page.causes};
    case RegisterName::client_page__interrupt_enable:
      return {Status::kOk, page.enables};
    case RegisterName::client_page__notice_tail: {
      namespace field = registers::client_page::notice_tail_field;
      NoticeRing& ring = notices_[client];
      ring.shown = ring.overflow;
      return {Status::kOk,
              insert(insert(insert(0, field::tail, low(ring.tail)), field::overflow, ring.overflow),
                     field::discards, ring.discards)};
    }
    case RegisterName::client_page__notice_head:
      return {Status::kOk, low(notices_[client].head)};
    case RegisterName::client_page__page_status:
      return {Status::kOk,
              insert(insert(insert(0, page_status::signature, registers::kSignature),
                            page_status::status, static_cast<std::uint64_t>(page.status)),
                     page_status::errors, page.errors)};
    case RegisterName::client_page__touch_hits:
      return {Status::kOk, touch_hits_of(client)};
    case RegisterName::client_page__event_counter: {
      const EventCounter& counter = events_[where.copy];
      if (!counter.enabled() || counter.owner() != client) return {Status::kCounterInvalid};
      return {Status::kOk, counter.value};
    }
    case RegisterName::client_page__byte_counter: {
      namespace field = registers::client_page::byte_counter_field;
      const ByteCounter& counter = bytes_[where.copy];
      if (!counter.enabled() || counter.owner() != client) return {Status::kCounterInvalid};
      return {Status::kOk, insert(insert(insert(0, field::remaining, counter.remaining),
                                         field::underflow, counter.underflow),
                                  field::hit_zero, counter.hit_zero)};
    }
    default:
      return {Status::kRegisterUnknown};
  }
}

std::uint64_t ReferenceNode::touch_hits_of(std::uint32_t client) const {
  std::uint64_t own = 0;
  for (std::size_t n = 0; n < touches_.size(); ++n) {
    if (touches_[n].owner() == client) own |= std::uint64_t{1} << n;
  }
  return touch_hits_ & own;
}

Status ReferenceNode::ring_doorbell(std::uint32_t client, std::uint32_t queue, std::uint32_t tail) {
  Queue& entry = queues_[queue];
  const bool takes = entry.mode() == QueueMode::kDoorbell || entry.mode() == QueueMode::kReceive;
  if (!takes || entry.owner() != client) {
    return Status::kDoorbellOwner;
  }
  // Neither backwards nor past the size, in wrapped arithmetic.
  const std::uint32_t ahead = tail - low(entry.tail);
  if (ahead > entry.size - (entry.tail - entry.head)) return Status::kDoorbellRange;
  // A loop is posted as a whole.
  if (entry.cyclic() && ahead != 0 && entry.tail + ahead != entry.head + entry.size) {
    return Status::kDoorbellRange;
  }
  entry.tail += ahead;
  return Status::kOk;
}

Status ReferenceNode::move_fifo_head(std::uint32_t client, std::uint32_t fifo, std::uint32_t head) {
  Fifo& entry = fifos_[fifo];
  if (!entry.enabled() || entry.owner() != client) return Status::kFifoInvalid;
  const std::uint32_t ahead = head - low(entry.head);
  if (ahead > entry.tail - entry.head || entry.draining) return Status::kDoorbellRange;
  free_slots(entry, ahead);
  for (Fifo& each : fifos_) each.stuck = false;
  return Status::kOk;
}

Status ReferenceNode::push(std::uint32_t client) {
  Page& page = pages_[client];
  Queue& queue = queues_[page.push_queue];
  Status status = Status::kOk;
  if (queue.mode() != QueueMode::kPush) {
    status = Status::kQueueInvalid;
  } else if (queue.owner() != client) {
    status = Status::kDoorbellOwner;
  } else if (queue.tail - queue.head >= queue.size) {
    status = Status::kQueueFull;
  } else {
    std::array<std::uint8_t, Descriptor::kBytes> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<std::uint8_t>(page.push_words[i / 8] >> (i % 8 * 8));
    }
    if (!write_ring(queue.base, queue.size, queue.tail, Descriptor::kBytes, bytes)) {
      status = Status::kMemoryError;
    }
    // The slot was reserved before the write; it is published even after an error.
    ++queue.tail;
    ++page.pushes;
    page.push_next = 0;
  }
  page.push_status = status;
  // The write is posted: an error of the memory shows in push_status alone.
  return status == Status::kMemoryError ? Status::kOk : status;
}

// --- the node block -----------------------------------------------------------------------------

ReferenceNode::Answer ReferenceNode::write_privileged(const Decoded& where, std::uint64_t data) {
  switch (where.name) {
    case RegisterName::node__fifo_hold_cycles:
      if (data > 0xFFFF) return {Status::kRegisterValue};
      fifo_hold_cycles_ = data;
      return {};
    case RegisterName::node__credit_timeout_cycles:
      if (data > 0xFFFFFFFF) return {Status::kRegisterValue};
      credit_timeout_cycles_ = data;
      return {};
    case RegisterName::node__send_retry_cycles:
      if (data == 0 || data > kMostRetryCycles) return {Status::kRegisterValue};
      send_retry_cycles_ = data;
      return {};
    case RegisterName::node__send_retries:
      if (data > 0xFF) return {Status::kRegisterValue};
      send_retries_ = data;
      return {};
    case RegisterName::node__error_clear:
      for (std::uint32_t client = 0; client < sizes_.clients; ++client) {
        if ((data >> client & 1) != 0) {
          pages_[client].status = Status::kOk;
          pages_[client].errors = 0;
        }
      }
      if (data >> 63 != 0) {
        register_status_ = Status::kOk;
        register_errors_ = 0;
        register_address_ = 0;
      }
      return {};
    default:
      return write_table(where, data);
  }
}

ReferenceNode::Answer ReferenceNode::read_privileged(const Decoded& where) {
  namespace strap = registers::node::straps_field;
  namespace error = registers::node::register_errors_field;
  switch (where.name) {
    case RegisterName::node__identity:
      return {Status::kOk, registers::kSignature | std::uint64_t{kLayoutVersion} << 32};
    case RegisterName::node__straps: {
      std::uint64_t value =
          insert(insert(insert(0, strap::x, place_.x), strap::y, place_.y), strap::z, place_.z);
      value =
          insert(insert(insert(value, strap::last_x, shape_.x - 1), strap::last_y, shape_.y - 1),
                 strap::last_z, shape_.z - 1);
      const std::uint64_t torus =
          (shape_.torus_x ? 1U : 0U) | (shape_.torus_y ? 2U : 0U) | (shape_.torus_z ? 4U : 0U);
      return {Status::kOk, insert(value, strap::torus, torus)};
    }
    case RegisterName::node__fifo_hold_cycles:
      return {Status::kOk, fifo_hold_cycles_};
    case RegisterName::node__credit_timeout_cycles:
      return {Status::kOk, credit_timeout_cycles_};
    case RegisterName::node__send_retry_cycles:
      return {Status::kOk, send_retry_cycles_};
    case RegisterName::node__send_retries:
      return {Status::kOk, send_retries_};
    case RegisterName::node__bad_packets:
      return {Status::kOk, bad_packets_};
    case RegisterName::node__dropped_replies:
      return {Status::kOk, dropped_replies_};
    case RegisterName::node__memory_errors:
      return {Status::kOk, memory_errors_};
    case RegisterName::node__register_errors:
      return {Status::kOk,
              insert(insert(insert(0, error::status, static_cast<std::uint64_t>(register_status_)),
                            error::count, register_errors_),
                     error::address, register_address_)};
    default:
      return read_table(where);
  }
}

}  // namespace torusmu::model

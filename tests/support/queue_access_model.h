// SPDX-License-Identifier: Apache-2.0
// What a register access means for its queue, and its answer: mu_queue_registers.

#ifndef TESTS_SUPPORT_QUEUE_ACCESS_MODEL_H_
#define TESTS_SUPPORT_QUEUE_ACCESS_MODEL_H_

#include <bit>
#include <cstdint>

#include "sim/machine/profile.h"
#include "tests/support/queue_state_model.h"
#include "tests/support/register_bus.h"
#include "torusmu/registers.h"

namespace torusmu::testing {

class QueueAccessModel {
 public:
  static constexpr unsigned kQueues = kProfile.injection_queues;
  // Operations, as bits.
  static constexpr unsigned kDoorbell = 1, kBase = 2, kSize = 4, kConfig = 8, kPeer = 0x80;
  struct Meaning {
    Status status = Status::kOk;
    std::uint64_t data = 0;
    unsigned operations = 0;
  };

  QueueStateModel queue;
  std::uint64_t peer = 0;
  unsigned last_node = 0;
  bool accepts = false;  // the doorbell, if it is one

  static unsigned queue_of(const RegisterRequest& request) {
    const std::uint32_t address = address_of(request);
    if (!is_page(request)) return (address - registers::injection_queue::base(0)) >> 6 & 255;
    return address < registers::client_page::fifo_index.in_block() ? address >> 2 & 127 : 0;
  }
  // A config that must wait for its queue, whatever the queue says to it then.
  static bool writes_config(const RegisterRequest& request) {
    const unsigned queue = queue_of(request);
    return !is_page(request) && in_block(request) && is_write(request) && is_wide(request) &&
           queue < kQueues && (address_of(request) & 0x38) == 0x10 &&
           !bad_config(data_of(request), queue);
  }
  Meaning meaning(const RegisterRequest& request) const {
    const std::uint32_t address = address_of(request), offset = address & 0x38;
    if (is_page(request)) {
      if (address >= registers::client_page::fifo_index.in_block() || queue_of(request) >= kQueues)
        return {Status::kRegisterUnknown};
      return of_page(request);
    }
    if (!in_block(request) || queue_of(request) >= kQueues) return {Status::kRegisterUnknown};
    if (!is_write(request)) return {Status::kOk, shown(offset)};
    if (offset > 0x10 && offset != 0x38) return {Status::kRegisterUnknown};
    if (!is_wide(request)) return {Status::kRegisterPartial};
    if (bad_value(offset, data_of(request), queue_of(request))) return {Status::kRegisterValue};
    return {Status::kOk, 0, offset == 0x38 ? kPeer : kBase << offset / 8};
  }

 private:
  static std::uint32_t address_of(const RegisterRequest& request) {
    return static_cast<std::uint32_t>(request.get<layout::register_request::address>());
  }
  static std::uint64_t data_of(const RegisterRequest& request) {
    return request.get<layout::register_request::data>();
  }
  static bool is_page(const RegisterRequest& request) {
    return request.get<layout::register_request::page>() != 0;
  }
  static bool is_write(const RegisterRequest& request) {
    return request.get<layout::register_request::write>() != 0;
  }
  static bool is_wide(const RegisterRequest& request) {
    return request.get<layout::register_request::wide>() != 0;
  }
  static bool in_block(const RegisterRequest& request) {
    return (address_of(request) & ~0x1FFFU) == registers::injection_queue::base(0);
  }
  static bool bad_config(std::uint64_t data, unsigned queue) {
    const auto mode = static_cast<QueueMode>(data & 7);
    const bool flags = (data >> 9 & 3) != 0;
    return data >> 11 != 0 || (data & 8) != 0 || mode > QueueMode::kPiped ||
           (data >> 4 & 15) >= kProfile.clients ||
           (flags && mode != QueueMode::kDoorbell && mode != QueueMode::kReceive) ||
           (mode == QueueMode::kReflection && queue >= kProfile.reflection_queues);
  }
  bool bad_value(std::uint32_t offset, std::uint64_t data, unsigned number) const {
    const bool off = queue.mode() == QueueMode::kOff;
    switch (offset) {
      case 0x00:
        return !off || data >> 40 != 0;
      case 0x08:
        return !off || !std::has_single_bit(data) || data > 1U << 24;
      case 0x10:
        return bad_config(data, number) ||
               ((data & 7) != 0 &&
                (queue.size == 0 || queue.base + 64ULL * queue.size > 1ULL << 40));
      default:
        return !off || data >> 40 != 0 || (data & 15) > (last_node & 15) ||
               (data >> 4 & 15) > (last_node >> 4 & 15) || (data >> 8 & 15) > last_node >> 8 ||
               (data >> 12 & 255) >= kQueues;
    }
  }
  std::uint64_t shown(std::uint32_t offset) const {
    const unsigned setup = queue.setup;
    switch (offset) {
      case 0x00:
        return queue.base;
      case 0x08:
        return queue.size;
      case 0x10:
        return (setup & 7) | (setup >> 3 & 15) << 4 | (setup >> 7) << 8;
      case 0x18:
        return queue.head;
      case 0x20:
        return queue.published;
      case 0x28:
        return (queue.errors >> 24) << 32 | (queue.errors >> 8 & 0xFFFF) << 16 |
               std::uint64_t{queue.halted} << 8 | (queue.errors & 255);
      case 0x30:
        return queue.limit;
      default:
        return peer;
    }
  }
  Meaning of_page(const RegisterRequest& request) const {
    const bool rings = queue.mode() == QueueMode::kDoorbell || queue.mode() == QueueMode::kReceive;
    if (is_write(request) && is_wide(request)) return {Status::kRegisterPartial};
    if (queue.mode() == QueueMode::kOff ||
        queue.owner() != request.get<layout::register_request::client>() ||
        (is_write(request) && !rings)) {
      return {Status::kDoorbellOwner};
    }
    if (is_write(request)) return {accepts ? Status::kOk : Status::kDoorbellRange, 0, kDoorbell};
    return {Status::kOk, queue.head | std::uint64_t{queue.head} << 32};
  }
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_QUEUE_ACCESS_MODEL_H_

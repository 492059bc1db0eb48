// SPDX-License-Identifier: Apache-2.0
// What a mu_reception_engine takes and gives in its tests, and what surrounds it there.

#ifndef TESTS_SUPPORT_RECEPTION_TYPES_H_
#define TESTS_SUPPORT_RECEPTION_TYPES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tb/reference_model/packet.h"
#include "tests/support/wide.h"
#include "torusmu/layout.h"
#include "torusmu/types.h"

namespace torusmu::testing {

using model::Packet;
using WriteCommand = Record<layout::write_command::Layout>;
using WriteAction = Record<layout::write_action::Layout>;
using RegionEntry = Record<layout::region_entry::Layout>;
using RingSlots = Record<layout::ring_slots::Layout>;
using QueuePeer = Record<layout::queue_peer::Layout>;
using ReceiveBuffer = Record<layout::receive_buffer::Layout>;
using MessageStored = Record<layout::message_stored::Layout>;
using BufferOffer = Record<layout::buffer_offer::Layout>;
using PairReset = Record<layout::pair_reset::Layout>;

using Published = Record<layout::reception_published::Layout>;
using Publish = Record<layout::publish::Layout>;
using RegisterRequest = Record<layout::register_request::Layout>;
using RegisterResponse = Record<layout::register_response::Layout>;

struct Flit {
  bool head = false;
  bool tail = false;
  Bytes data = Bytes(16);
};

// The flits of a packet, sealed or not.
inline std::vector<Flit> flits_of(const Packet& packet) {
  const Bytes bytes = packet.bytes();
  std::vector<Flit> flits(packet.flits());
  for (std::size_t i = 0; i < flits.size(); ++i) {
    flits[i].head = i == 0;
    flits[i].tail = i + 1 == flits.size();
    flits[i].data.assign(bytes.begin() + static_cast<std::ptrdiff_t>(i * 16),
                         bytes.begin() + static_cast<std::ptrdiff_t>(i * 16 + 16));
  }
  return flits;
}

enum class Port { kReply, kRequest, kNotice };

// One write command with its beats.
struct Part {
  Port port = Port::kReply;
  Address address = 0;
  std::uint64_t bytes = 0;
  bool final_part = false;
  WriteAction action;
  Bytes data;               // whole beats
  std::uint64_t cycle = 0;  // in which the command was taken

  friend bool operator==(const Part& a, const Part& b) {
    return a.port == b.port && a.address == b.address && a.bytes == b.bytes &&
           a.final_part == b.final_part && a.action == b.action && a.data == b.data;
  }
};

struct CreditReturn {
  std::uint64_t queue = 0;
  std::uint64_t number = 0;
  friend bool operator==(const CreditReturn&, const CreditReturn&) = default;
};

// A queue that the MU owns, as far as reception sees it.
struct QueueModel {
  QueueMode mode = QueueMode::kOff;
  Address base = 0;
  std::uint32_t size = 0;
  std::uint32_t reserved = 0;  // index behind the last slot that is given away
  std::uint32_t used = 0;
  Status refuses = Status::kOk;  // if another, with this

  RingSlots reserve(std::uint32_t count, bool reflected) {
    RingSlots slots;
    if (refuses != Status::kOk) return slots.set<layout::ring_slots::status>(refuses);
    if (mode != (reflected ? QueueMode::kReflection : QueueMode::kRemoteGet)) {
      return slots.set<layout::ring_slots::status>(Status::kQueueInvalid);
    }
    if (used + count > size) return slots.set<layout::ring_slots::status>(Status::kQueueFull);
    slots.set<layout::ring_slots::base>(base)
        .set<layout::ring_slots::size>(size)
        .set<layout::ring_slots::position>(reserved % size);
    used += count;
    reserved += count;
    return slots;
  }
};

struct Owner {
  bool enable = false;
  std::uint8_t client = 0;
};

}  // namespace torusmu::testing

#endif  // TESTS_SUPPORT_RECEPTION_TYPES_H_

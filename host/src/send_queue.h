// SPDX-License-Identifier: Apache-2.0
// The send queue of a context: a ring of descriptors in node memory and its doorbell.
//
// Order of memory and doorbell:
//  1. Every byte of a descriptor, and of the data it names, is stored before the doorbell that
//     covers it is rung.
//  2. A slot is written again only after a head that lies past it has been read.
#ifndef TORUSMU_HOST_SRC_SEND_QUEUE_H_
#define TORUSMU_HOST_SRC_SEND_QUEUE_H_

#include <cstdint>

#include "torusmu/device.h"
#include "torusmu/layout.h"
#include "torusmu/plan.h"

namespace torusmu {

class SendQueue {
 public:
  // The queue that the context sends by.
  SendQueue(Device& device, const NodePlan& plan, ClientId client, ContextId context);
  // `queue` of the client, a ring of `slots` at `base`, in which so many descriptors, at most as
  // many as slots, have been posted and rung for.
  SendQueue(Device& device, ClientId client, QueueId queue, Address base, std::uint32_t slots,
            std::uint32_t posted = 0);

  // True if `count` descriptors can be posted; reads the head only if the ring seems full.
  bool has_room(std::uint32_t count);
  // Writes a descriptor into the ring; has_room(1) has been asked. Returns its index.
  std::uint32_t post(const Descriptor& descriptor);
  [[nodiscard]] std::uint32_t slots() const { return slots_; }
  // What the next post() returns.
  [[nodiscard]] std::uint32_t next() const { return tail_; }
  // Tells the MU of everything posted since the last call.
  void ring();
  // True once the MU has read all the data of the descriptor: its source may be used again. Reads
  // the head unless it is already known.
  bool injected(std::uint32_t index);
  [[nodiscard]] bool device_gone() const { return gone_; }

 private:
  void read_head();

  Device& device_;
  std::uint32_t register_;
  Address base_;
  std::uint32_t slots_;
  std::uint32_t position_;  // slot of tail_
  std::uint32_t tail_;
  std::uint32_t rung_;
  std::uint32_t head_ = 0;
  bool gone_ = false;
};

}  // namespace torusmu

#endif  // TORUSMU_HOST_SRC_SEND_QUEUE_H_

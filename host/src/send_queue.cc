// SPDX-License-Identifier: Apache-2.0
#include "host/src/send_queue.h"

#include <span>

namespace torusmu {

SendQueue::SendQueue(Device& device, const NodePlan& plan, ClientId client, ContextId context)
    : SendQueue(device, client, plan.send_queue(client, context),
                plan.send_ring(client, context).address, plan.options().queue_slots) {}

SendQueue::SendQueue(Device& device, ClientId client, QueueId queue, Address base,
                     std::uint32_t slots, std::uint32_t posted)
    : device_(device),
      register_(registers::client_page::queue_index(client.value, queue.value)),
      base_(base),
      slots_(slots),
      position_(posted == slots ? 0 : posted),
      tail_(posted),
      rung_(posted) {}

bool SendQueue::has_room(std::uint32_t count) {
  if (tail_ - head_ + count <= slots_) return true;
  ring();
  read_head();
  return tail_ - head_ + count <= slots_;
}

std::uint32_t SendQueue::post(const Descriptor& descriptor) {
  device_.work(Work::kBuildDescriptor, 1);
  const auto bytes = descriptor.bytes();
  device_.store(base_ + Address{position_} * Descriptor::kBytes, std::as_bytes(std::span(bytes)));
  position_ = position_ + 1 == slots_ ? 0 : position_ + 1;
  return tail_++;
}

void SendQueue::ring() {
  if (rung_ == tail_) return;
  device_.write32(register_, tail_);
  rung_ = tail_;
}

bool SendQueue::injected(std::uint32_t index) {
  // Indices wrap; none is further than the ring's size from the tail.
  const auto is_past = [&] { return static_cast<std::int32_t>(head_ - index) > 0; };
  if (!is_past()) read_head();
  return is_past();
}

void SendQueue::read_head() {
  const std::uint32_t head = device_.read32(register_);
  // Only a value between the last head and the tail can be one; all ones mean that nobody answers.
  if (head - head_ <= tail_ - head_) {
    head_ = head;
  } else {
    gone_ = true;
  }
}

}  // namespace torusmu

// SPDX-License-Identifier: Apache-2.0
// Cross-channel work of the reference node: queues that wait for counters and for queues, and
// queues that enable others (US 9,344,490).
#include <algorithm>
#include <cstring>

#include "tb/reference_model/node_model.h"

namespace torusmu::model {
namespace {

namespace d = layout::descriptor;
namespace h = layout::packet_header;
namespace w = layout::wait_operation;

WaitOperation operation_of(const Descriptor& descriptor) {
  return WaitOperation::from_bytes(descriptor.get<d::immediate>());
}

// Targets of a WAIT from here on are completion queues.
constexpr std::uint32_t kCompletionTarget = 128;

// Counts wrap: one is reached unless it is behind, by less than half the circle.
bool is_reached(std::uint32_t count, std::uint32_t threshold) {
  return static_cast<std::int32_t>(count - threshold) >= 0;
}

}  // namespace

bool ReferenceNode::wait_is_over(const Queue& queue) const {
  return is_reached(count_of(queue), queue.threshold);
}

// What its WAIT compares: an event counter, descriptors done of a queue, or entries of a completion
// queue.
std::uint32_t ReferenceNode::count_of(const Queue& queue) const {
  const std::uint32_t n = queue.waits_for;
  if (!queue.waits_on_queue) return events_[n].value;
  return static_cast<std::uint32_t>(
      n >= kCompletionTarget ? completions_[n - kCompletionTarget].tail : queues_[n].head);
}

bool ReferenceNode::may_run(const Queue& queue) const {
  return queue.runnable() && (!queue.waiting || wait_is_over(queue)) &&
         !(queue.waits_for_pipe && !may_begin_pipe(queue.waiting_descriptor));
}

bool ReferenceNode::is_waited_for(std::uint32_t event_counter) const {
  return std::any_of(queues_.begin(), queues_.end(), [&](const Queue& queue) {
    return queue.waiting && !queue.waits_on_queue && queue.waits_for == event_counter &&
           !wait_is_over(queue);
  });
}

void ReferenceNode::finish(std::uint32_t queue, const Descriptor& descriptor) {
  if (descriptor.get<d::done_event_valid>() != 0) {
    count_event(static_cast<std::uint32_t>(descriptor.get<d::done_event>()));
  }
  if (descriptor.get<d::interrupt_done>() != 0) raise(queues_[queue].owner(), Cause::kDone);
  signal(queue, descriptor, Status::kOk);
  retire(queue, Status::kOk);
}

void ReferenceNode::run_wait(std::uint32_t queue, const Descriptor& descriptor) {
  Queue& entry = queues_[queue];
  if (!entry.waiting) {
    const WaitOperation operation = operation_of(descriptor);
    entry.waits_on_queue = descriptor.get<d::on_queue>() != 0;
    entry.waits_for = static_cast<std::uint32_t>(entry.waits_on_queue
                                                     ? descriptor.get<d::header>().get<h::target>()
                                                     : descriptor.get<d::event_counter>());
    const bool is_known =
        entry.waits_for >= kCompletionTarget
            ? is_own_completion_queue(entry.waits_for - kCompletionTarget, entry.owner())
            : is_own_queue(entry.waits_for, entry.owner());
    if (entry.waits_on_queue && !is_known) {
      fail(queue, descriptor, Status::kQueueInvalid);
      return;
    }
    const std::uint64_t lap = entry.head / entry.size;
    entry.threshold =
        static_cast<std::uint32_t>(operation.get<w::value>() + operation.get<w::step>() * lap +
                                   (descriptor.get<d::relative>() != 0 ? entry.threshold : 0));
    entry.waiting = true;
    entry.waiting_descriptor = descriptor;
  }
  if (!wait_is_over(entry)) return;
  entry.waiting = false;
  finish(queue, descriptor);
}

bool ReferenceNode::is_own_queue(std::uint32_t queue, std::uint32_t client) const {
  return queue < queues_.size() && queues_[queue].mode() != QueueMode::kOff &&
         queues_[queue].owner() == client;
}

void ReferenceNode::run_enable(std::uint32_t queue, const Descriptor& descriptor) {
  const auto target = static_cast<std::uint32_t>(descriptor.get<d::header>().get<h::target>());
  const std::uint32_t client = queues_[queue].owner();
  const bool of_receives = descriptor.get<d::opcode>() == Opcode::kRecvEn;
  if (!is_own_queue(target, client) || !queues_[target].managed() ||
      (queues_[target].mode() == QueueMode::kReceive) != of_receives) {
    fail(queue, descriptor, Status::kQueueInvalid);
    return;
  }
  Queue& other = queues_[target];
  const auto value = static_cast<std::uint32_t>(operation_of(descriptor).get<w::value>());
  const std::uint32_t beyond = descriptor.get<d::relative>() != 0 ? value : value - other.limit;
  if (static_cast<std::int32_t>(beyond) > 0) other.limit += beyond;
  finish(queue, descriptor);
}

}  // namespace torusmu::model
